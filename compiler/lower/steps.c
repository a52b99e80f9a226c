/*
 * steps.c - what a program counts and shows as it runs: its methods, its statements, the ways that
 * statements go, and the values that they come to.  `vetro test --coverage` and --trace ask for it.
 */
#include "compiler/lower/int.h"
#include "compiler/murano/package.h"
#include "runtime/core/value.h"
#include "vt.h"

#include <string.h>

enum { SHOWN = 120 }; /* bytes of a statement's text */

/* io.murano as vetro brings it is not what somebody wants to know about. */
bool
lw_has_steps(const lw *l)
{
	return l->c->steps && l->cls && l->cls->pkg && !l->cls->pkg->builtin && l->cls->src;
}

/* The first line of the text, without half a character at its end. */
static const char *
shown(vc *c, const char *text)
{
	size_t n = strcspn(text, "\r\n");
	bool whole = text[n] == '\0' && n <= SHOWN;

	if (n > SHOWN)
		for (n = SHOWN; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
			n--;
	return vc_format(c, "%.*s%s", (int)n, text, whole ? "" : "...");
}

static const char *
node_text(const ynode *n)
{
	return n == NULL ? "" : n->kind == YN_SCALAR && n->text ? n->text : "...";
}

static void
step(lw *l, vc_span at, enum vt_step_kind kind, const char *text)
{
	ir_ins *in;
	uint32_t line, col;

	if (!lw_has_steps(l))
		return;
	vc_place(at.src, at.from, &line, &col);
	in = lw_emit(l, IR_STEP);
	in->i[0] = line;
	in->i[1] = col;
	in->k = (ir_const){.kind = IK_INT, .i = kind};
	in->name = shown(l->c, text);
}

/* With the values that it is called with. */
void
lw_step_method(lw *l, const mpl_method *m)
{
	int32_t from = l->next;

	step(l, m->span, VT_STEP_METHOD, m->name);
	for (uint32_t i = 0; lw_has_steps(l) && i < m->nargs; i++) {
		int32_t value = lw_temp(l);
		ir_ins *in = lw_emit(l, IR_VAR);

		in->d = value;
		in->var = (int32_t)i;
		lw_show(l, vc_format(l->c, "$%s", m->args[i].name), value);
	}
	lw_free_temps(l, from, l->next);
	l->next = from;
}

static const char *
title(vc *c, const mpl_stmt *s)
{
	const char *a = node_text(s->a);

	switch ((enum mpl_stmt_kind)s->kind) {
	case MS_EXPR: return a;
	case MS_ASSIGN: return vc_format(c, "%s: %s", a, node_text(s->b));
	case MS_RETURN: return vc_format(c, "Return: %s", a);
	case MS_BREAK: return "Break";
	case MS_CONTINUE: return "Continue";
	case MS_IF: return vc_format(c, "If: %s", a);
	case MS_WHILE: return vc_format(c, "While: %s", a);
	case MS_FOR: return vc_format(c, "For: %s, In: %s", s->name, a);
	case MS_REPEAT: return vc_format(c, "Repeat: %s", a);
	case MS_MATCH: return vc_format(c, "Match: ..., Value: %s", a);
	case MS_SWITCH: return "Switch";
	case MS_PARALLEL: return "Parallel";
	case MS_TRY: return "Try";
	case MS_THROW: return vc_format(c, "Throw: %s", a);
	case MS_RETHROW: return "Rethrow";
	case MS_DO:
	case MS_ERROR: break;
	}
	return NULL; /* Do has statements, and is none */
}

void
lw_step(lw *l, const mpl_stmt *s)
{
	const char *text = title(l->c, s);

	if (text)
		step(l, s->span, VT_STEP_STATEMENT, text);
}

void
lw_step_branch(lw *l, const mpl_stmt *s, const char *way)
{
	step(l, s->span, VT_STEP_BRANCH, way ? way : "...");
}

void
lw_show(lw *l, const char *name, int32_t value)
{
	ir_ins *in;

	if (!lw_has_steps(l))
		return;
	in = lw_emit(l, IR_SHOW);
	in->a[0] = value;
	in->na = 1;
	in->name = shown(l->c, name);
}

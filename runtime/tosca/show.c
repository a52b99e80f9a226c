/* show.c - values and expressions as messages show them: on one line, cut where they are
 * long. */
#include "runtime/tosca/int.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <string.h>

enum { MOST_VALUE = 80, MOST_CLAUSE = 200 };

const char *
vt_tosca_noun(vt_value v)
{
	if (v == VT_NULL)
		return "null";
	if (vt_is_bool(v))
		return "a boolean";
	if (vt_is_integer(v))
		return "an integer";
	if (vt_is(v, FLOAT))
		return "a float";
	if (vt_is(v, STR))
		return "a string";
	if (vt_is_sequence(v))
		return "a list";
	switch (vt_tosca_form(v)) {
	case VT_TO_PLAIN: break;
	case VT_TO_SCALAR: return "a scalar";
	case VT_TO_VERSION: return "a version";
	case VT_TO_TIMESTAMP: return "a timestamp";
	case VT_TO_BYTES: return "bytes";
	case VT_TO_RANGE: return "a range";
	}
	return "a map";
}

/* Cuts what was written from `from` on. */
static void
cut(vt_buf *b, size_t from, size_t most)
{
	if (b->n <= from + most)
		return;
	b->n = from + most;
	while (b->n > from && ((unsigned char)b->p[b->n] & 0xc0) == 0x80)
		b->n--;
	vt_buf_puts(b, "...");
}

static void
put(vt_buf *b, vt_value v)
{
	const vt_dict *d = vt_as_dict(v);
	switch (vt_tosca_form(v)) {
	case VT_TO_SCALAR:
		vt_json_write(NULL, b, vt_dict_get_c(d, "scalar"), 0);
		vt_buf_printf(b, " %s", vt_as_str(vt_dict_get_c(d, "unit"))->s);
		return;
	case VT_TO_VERSION:
	case VT_TO_TIMESTAMP: vt_buf_puts(b, vt_as_str(vt_dict_get_c(d, "$string"))->s); return;
	case VT_TO_BYTES: vt_buf_puts(b, vt_as_str(vt_dict_get_c(d, "bytes"))->s); return;
	case VT_TO_PLAIN:
	case VT_TO_RANGE: break;
	}
	if (v == VT_UNDEF)
		vt_buf_puts(b, "unknown");
	else
		vt_json_write(NULL, b, v, 0);
}

void
vt_tosca_put_value(vt_buf *b, const vt_tosca *t, vt_value v)
{
	size_t from = b->n;
	(void)t;
	put(b, v);
	cut(b, from, MOST_VALUE);
}

/* ---- expressions ---- */

typedef struct show {
	vt_buf *b;
	const vt_tosca *t;
	size_t most; /* length at which to stop */
} show;
static void expression(const show *, uint32_t expr);

static void
sequence(const show *w, uint32_t at, uint32_t n)
{
	vt_buf_putc(w->b, '[');
	for (uint32_t i = 0; i < n && w->b->n < w->most; i++) {
		vt_buf_puts(w->b, i ? ", " : "");
		expression(w, w->t->m->index[at + i]);
	}
	vt_buf_putc(w->b, ']');
}

static void
pairs(const show *w, uint32_t at, uint32_t n)
{
	vt_buf_putc(w->b, '{');
	for (uint32_t i = 0; i < n && w->b->n < w->most; i++) {
		vt_buf_puts(w->b, i ? ", " : "");
		expression(w, w->t->m->index[at + 2 * i]);
		vt_buf_puts(w->b, ": ");
		expression(w, w->t->m->index[at + 2 * i + 1]);
	}
	vt_buf_putc(w->b, '}');
}

static const char *
callee(const vt_tosca *t, uint32_t fn)
{
	return fn & VT_TX_CUSTOM
		       ? vt_tosca_text(t, t->m->function[fn & ~(uint32_t)VT_TX_CUSTOM].name)
		       : vt_tfuncs[fn].name;
}

static const char *
dollar(const vt_tosca *t)
{
	return t->m->version & VT_TV_2_0 ? "$" : "";
}

static void
call(const show *w, const vt_texpr *e)
{
	const char *name = callee(w->t, e->u.k.fn);
	if (e->n == 0) {
		vt_buf_printf(w->b, "$%s", name);
		return;
	}
	vt_buf_printf(w->b, "%s%s: ", dollar(w->t), name);
	if (e->n == 1)
		expression(w, w->t->m->index[e->u.k.at]);
	else
		sequence(w, e->u.k.at, e->n);
}

static void
expression(const show *w, uint32_t expr)
{
	const vt_texpr *e = &w->t->m->expr[expr];
	if (w->b->n >= w->most)
		return;
	switch ((enum vt_tx_kind)e->kind) {
	case VT_TX_NONE: vt_buf_puts(w->b, "?"); break;
	case VT_TX_NULL: vt_buf_puts(w->b, "null"); break;
	case VT_TX_BOOL: vt_buf_puts(w->b, e->u.i ? "true" : "false"); break;
	case VT_TX_INT: vt_buf_printf(w->b, "%lld", (long long)e->u.i); break;
	case VT_TX_FLOAT: vt_float_repr(w->b, e->u.f); break;
	case VT_TX_BIG:
	case VT_TX_STR: vt_buf_puts(w->b, vt_tosca_text(w->t, e->u.str)); break;
	case VT_TX_LIST: sequence(w, e->u.k.at, e->n); break;
	case VT_TX_MAP: pairs(w, e->u.k.at, e->n); break;
	case VT_TX_CALL: call(w, e); break;
	}
}

/* A constraint of 1.x without the $value that was put in front of its operand. */
static bool
constraint(const show *w, const vt_texpr *e)
{
	const vt_tmodel *m = w->t->m;
	const vt_texpr *first =
		e->kind == VT_TX_CALL && e->n == 2 ? &m->expr[m->index[e->u.k.at]] : NULL;
	if (first == NULL || e->u.k.fn & VT_TX_CUSTOM ||
		!(vt_tfuncs[e->u.k.fn].clause & m->version))
		return false;
	if (first->kind != VT_TX_CALL || first->n != 0 ||
		strcmp(callee(w->t, first->u.k.fn), "value") != 0)
		return false;
	vt_buf_printf(w->b, "%s: ", vt_tfuncs[e->u.k.fn].name);
	expression(w, m->index[e->u.k.at + 1]);
	return true;
}

void
vt_tosca_put_clause(vt_buf *b, const vt_tosca *t, uint32_t expr)
{
	size_t from = b->n;
	show w = {b, t, from + MOST_CLAUSE};
	if (!constraint(&w, &t->m->expr[expr]))
		expression(&w, expr);
	cut(b, from, MOST_CLAUSE);
}

/*
 * dump.c - the AST as text: --emit=ast.
 *
 * One line a declaration or statement, indented by what it belongs to, LINE:COL first.  Values
 * stand as flow YAML, expressions inside them as the s-expressions of yq_dump behind a `!`.
 */
#include "compiler/murano/murano.h"
#include "compiler/murano/package.h"

#include <string.h>

static void
line(vt_buf *b, int depth, vc_span at)
{
	uint32_t l = 0, c = 0;
	char place[32] = "";

	if (at.src) {
		vc_place(at.src, at.from, &l, &c);
		snprintf(place, sizeof place, "%u:%u", l, c);
	}
	vt_buf_printf(b, "%-8s%*s", place, depth * 2, "");
}

/* ---- values ---- */

static void
quoted(vt_buf *b, const char *s, uint32_t n)
{
	vt_buf_puts(b, "\"");
	for (uint32_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		if (ch == '"' || ch == '\\')
			vt_buf_printf(b, "\\%c", ch);
		else if (ch == '\n')
			vt_buf_puts(b, "\\n");
		else if (ch < 0x20 || ch == 0x7f)
			vt_buf_printf(b, "\\x%02x", ch);
		else
			vt_buf_put(b, &s[i], 1);
	}
	vt_buf_puts(b, "\"");
}

static void
value(vt_buf *b, const ynode *v)
{
	switch ((enum yn_kind)v->kind) {
	case YN_SCALAR:
		if (v->is_expr && v->expr) {
			vt_buf_puts(b, "!");
			yq_dump(b, v->expr);
		} else if (v->type == YT_STR || v->type == YT_BINARY)
			quoted(b, v->text, v->ntext);
		else if (v->type == YT_NULL)
			vt_buf_puts(b, "null");
		else if (v->type == YT_BOOL)
			vt_buf_puts(b, v->i ? "true" : "false");
		else
			vt_buf_put(b, v->text, v->ntext);
		break;
	case YN_SEQ:
		vt_buf_puts(b, "[");
		for (uint32_t i = 0; i < v->n; i++) {
			vt_buf_puts(b, i ? ", " : "");
			value(b, v->item[i]);
		}
		vt_buf_puts(b, "]");
		break;
	case YN_MAP:
		vt_buf_puts(b, "{");
		for (uint32_t i = 0; i < v->n; i++) {
			vt_buf_puts(b, i ? ", " : "");
			value(b, v->key[i]);
			vt_buf_puts(b, ": ");
			value(b, v->item[i]);
		}
		vt_buf_puts(b, "}");
		break;
	case YN_ERROR: vt_buf_puts(b, "<error>"); break;
	}
}

static void
labelled(vt_buf *b, const char *label, const ynode *v)
{
	if (v == NULL)
		return;
	vt_buf_printf(b, "%s", label);
	value(b, v);
}

/* ---- statements ---- */

static const char *const names[] = {"expr", "assign", "do", "return", "break", "continue", "if",
	"while", "for", "repeat", "match", "switch", "parallel", "try", "throw", "rethrow",
	"error"};
_Static_assert(VC_LEN(names) == MS_ERROR + 1, "a name for every statement");

static void stmts(vt_buf *, int depth, mpl_stmt *const *, uint32_t n);

static void
part(vt_buf *b, int depth, const char *name, mpl_stmt *const *v, uint32_t n)
{
	line(b, depth, (vc_span){NULL, 0, 0});
	vt_buf_printf(b, "%s\n", name);
	stmts(b, depth + 1, v, n);
}

/* What stands on the statement's own line. */
static void
head(vt_buf *b, const mpl_stmt *s)
{
	vt_buf_puts(b, names[s->kind]);
	if (s->name)
		vt_buf_printf(b, " $%s", s->name);
	labelled(b, s->kind == MS_FOR ? " in " : s->kind == MS_PARALLEL ? " limit " : " ", s->a);
	labelled(b, s->kind == MS_THROW ? " message " : " = ", s->b);
	labelled(b, " extra ", s->c);
	labelled(b, " cause ", s->d);
	vt_buf_puts(b, "\n");
}

static void catch (vt_buf *b, int depth, const mpl_catch *h)
{
	line(b, depth, h->span);
	vt_buf_puts(b, "catch");
	for (uint32_t i = 0; i < h->nwith; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : " with ", h->with[i]);
	if (h->as)
		vt_buf_printf(b, " as $%s", h->as);
	vt_buf_puts(b, "\n");
	stmts(b, depth + 1, h->body, h->nbody);
}

static void
stmts(vt_buf *b, int depth, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const mpl_stmt *s = v[i];
		line(b, depth, s->span);
		head(b, s);
		stmts(b, depth + 1, s->body, s->nbody);
		for (uint32_t k = 0; k < s->ncases; k++) {
			line(b, depth + 1, s->cases[k].key->span);
			vt_buf_puts(b, "case ");
			value(b, s->cases[k].key);
			vt_buf_puts(b, "\n");
			stmts(b, depth + 2, s->cases[k].body, s->cases[k].nbody);
		}
		for (uint32_t k = 0; k < s->ncatches; k++)
			catch (b, depth, &s->catches[k]);
		if (s->has_else)
			part(b, depth,
				s->kind == MS_MATCH || s->kind == MS_SWITCH ? "default" : "else",
				s->orelse, s->norelse);
		if (s->has_finally)
			part(b, depth, "finally", s->finally, s->nfinally);
	}
}

/* ---- classes ---- */

static const char *const prop_usage[] = {
	"In", "Out", "InOut", "Const", "Runtime", "Config", "Static"};
static const char *const arg_usage[] = {"Standard", "VarArgs", "KwArgs"};
static const char *const method_usage[] = {"Runtime", "Action", "Static", "Extension"};

static void
spec(vt_buf *b, const ynode *contract, const ynode *dflt, const ynode *meta)
{
	labelled(b, " contract ", contract);
	labelled(b, " default ", dflt);
	labelled(b, " meta ", meta);
	vt_buf_puts(b, "\n");
}

static void
method(vt_buf *b, const mpl_method *m)
{
	line(b, 1, m->span);
	vt_buf_printf(b, "method %s %s%s", m->name, method_usage[m->usage],
		m->is_public ? " public" : "");
	labelled(b, " meta ", m->meta);
	vt_buf_puts(b, "\n");
	for (uint32_t i = 0; i < m->nargs; i++) {
		line(b, 2, m->args[i].span);
		vt_buf_printf(b, "argument %s %s", m->args[i].name, arg_usage[m->args[i].usage]);
		spec(b, m->args[i].contract, m->args[i].dflt, m->args[i].meta);
	}
	stmts(b, 2, m->body, m->nbody);
}

static void
meta_class(vt_buf *b, const mpl_class *k)
{
	static const char *const targets[] = {"Package", "Type", "Property", "Method", "Argument"};

	vt_buf_printf(b, " meta %s", k->many ? "Many" : "One");
	for (uint32_t i = 0; i < VC_LEN(targets); i++)
		if (k->applies & 1u << i)
			vt_buf_printf(b, " %s", targets[i]);
	vt_buf_puts(b, k->inherited ? " inherited" : "");
}

static void class(vt_buf *b, const mpl_class *k)
{
	line(b, 0, k->span);
	vt_buf_printf(b, "class %s", k->name);
	if (k->is_meta)
		meta_class(b, k);
	for (uint32_t i = 0; i < k->nparents; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : " extends ", k->parents[i]);
	for (uint32_t i = 0; i < k->nimports; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : " imports ", k->imports[i]);
	labelled(b, " meta ", k->meta);
	vt_buf_printf(b, " in %s\n", k->src ? k->src->name : "the runtime");
	for (uint32_t i = 0; i < k->nprefixes; i++) {
		line(b, 1, (vc_span){NULL, 0, 0});
		vt_buf_printf(b, "namespace %s %s\n", k->prefixes[i].prefix,
			k->prefixes[i].ns[0] ? k->prefixes[i].ns : "''");
	}
	for (uint32_t i = 0; i < k->nprops; i++) {
		line(b, 1, k->props[i]->span);
		vt_buf_printf(
			b, "property %s %s", k->props[i]->name, prop_usage[k->props[i]->usage]);
		spec(b, k->props[i]->contract, k->props[i]->dflt, k->props[i]->meta);
	}
	for (uint32_t i = 0; i < k->nmethods; i++)
		method(b, k->methods[i]);
}

void
mpl_dump(vt_buf *b, const mpl_package *p)
{
	vt_buf_printf(b, "package %s %s format %u.%u\n", p->name, p->version, p->format / 100,
		p->format % 100);
	for (uint32_t i = 0; i < p->nclasses; i++)
		class(b, p->classes[i]);
}

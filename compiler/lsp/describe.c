/*
 * describe.c - classes, members and functions in words, as Markdown.
 */
#include "compiler/lsp/scope.h"

#include <string.h>

/* Comments are for people: those right above a declaration say what it is. */
static void
put_comment(vt_buf *b, vc_span at)
{
	const char *text = at.src ? at.src->text : NULL;
	size_t line = at.from, first;

	while (text && line > 0 && text[line - 1] != '\n')
		line--;
	for (first = line; text && first > 0;) {
		size_t before = first - 1, i;
		while (before > 0 && text[before - 1] != '\n')
			before--;
		for (i = before; text[i] == ' ';)
			i++;
		if (text[i] != '#')
			break;
		first = before;
	}
	vt_buf_puts(b, "\n\n");
	for (size_t at_line = first; text && at_line < line;) {
		size_t n = strcspn(text + at_line, "\n"), skip = strspn(text + at_line, " #");
		if (skip < n)
			vt_buf_printf(b, "%.*s\n", (int)(n - skip), text + at_line + skip);
		at_line += n + 1;
	}
}

const char *
lsp_contract_text(vc *c, const ynode *y)
{
	const char *text = y && y->span.src && y->span.src->text ? y->span.src->text : NULL;
	size_t n;

	if (!text || y->span.to <= y->span.from)
		return "";
	n = y->span.to - y->span.from;
	return y->kind == YN_SCALAR && n < 200 && !memchr(text + y->span.from, '\n', n)
		       ? vc_strndup(c, text + y->span.from, n)
	       : y->kind == YN_MAP ? "{...}"
	       : y->kind == YN_SEQ ? "[...]"
				   : "...";
}

void
lsp_describe_class(vt_buf *b, const mpl_class *k)
{
	vt_buf_printf(b, "```yaml\nName: %s\n", k->name);
	for (uint32_t i = 0; i < k->nparents; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : "Extends: ", k->parents[i]);
	vt_buf_printf(b, "%s```\n%s %s %s", k->nparents ? "\n" : "",
		k->is_meta ? "Metaclass of" : "Class of",
		k->pkg && *k->pkg->name ? k->pkg->name : "a package without a name",
		k->pkg ? k->pkg->version : "");
	put_comment(b, k->span);
}

void
lsp_describe_property(vt_buf *b, vc *c, const mpl_property *p)
{
	static const char *const usages[] = {
		"In", "Out", "InOut", "Const", "Runtime", "Config", "Static"};

	vt_buf_printf(
		b, "```yaml\n%s:\n  Contract: %s\n", p->name, lsp_contract_text(c, p->contract));
	if (p->usage != MPL_IN)
		vt_buf_printf(b, "  Usage: %s\n", usages[p->usage]);
	if (p->dflt)
		vt_buf_printf(b, "  Default: %s\n", lsp_contract_text(c, p->dflt));
	vt_buf_printf(b, "```\nProperty of %s", p->cls->name);
	put_comment(b, p->span);
}

const char *
lsp_signature_of(vc *c, const mpl_method *m)
{
	const char *all = "";

	for (uint32_t i = 0; i < m->nargs; i++)
		all = vc_format(c, "%s%s%s%s: %s", all, i ? ", " : "",
			m->args[i].usage == MPL_VARARGS  ? "*"
			: m->args[i].usage == MPL_KWARGS ? "**"
							 : "",
			m->args[i].name, lsp_contract_text(c, m->args[i].contract));
	return vc_format(c, "%s(%s)", m->name, all);
}

void
lsp_describe_method(vt_buf *b, vc *c, const mpl_method *m)
{
	static const char *const usages[] = {
		"Method", "Action", "Static method", "Extension method"};

	vt_buf_printf(b, "```yaml\n%s\n```\n%s%s of %s", lsp_signature_of(c, m), usages[m->usage],
		m->is_public ? ", public," : "", m->cls->name);
	put_comment(b, m->span);
}

void
lsp_describe_argument(vt_buf *b, vc *c, const mpl_method *m, const mpl_argument *a)
{
	vt_buf_printf(
		b, "```yaml\n%s:\n  Contract: %s\n", a->name, lsp_contract_text(c, a->contract));
	if (a->dflt)
		vt_buf_printf(b, "  Default: %s\n", lsp_contract_text(c, a->dflt));
	vt_buf_printf(b, "```\nArgument of %s of %s: %s", m->name, m->cls->name,
		vc_type_text(c, vc_contract_type(c, m->cls, a->contract)));
	put_comment(b, a->span);
}

/* ---- functions of the library ---- */

typedef struct wanted {
	vt_buf *b;
	const lsp_place *p;
	const char *name;
	bool on_value;
	uint32_t n;
} wanted;

static void
describe(void *ctx, const lsp_function *f)
{
	wanted *x = ctx;

	if (strcmp(f->name, x->name) != 0 || (x->on_value ? !f->method : !f->function) ||
		!lsp_sees(x->p->w, x->p->d, f))
		return;
	vt_buf_printf(x->b, "%s```yaql\n%s\n```\n%s", x->n++ ? "\n\n" : "", f->signature, f->doc);
	if (*f->example)
		vt_buf_printf(x->b, "\n\nExample: `%s`", f->example);
}

void
lsp_describe_function(vt_buf *b, const lsp_place *p, const char *name, bool on_value)
{
	wanted x = {b, p, name, on_value, 0};

	lsp_each_function(p->w->c, describe, &x);
}

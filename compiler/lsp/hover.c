/*
 * hover.c - what the word under the cursor is, and where it is declared.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "runtime/text/report.h"

#include <string.h>

static void
put_hover(lsp_worker *w, const lsp_document *d, vt_buf *out, const char *text, size_t n,
	size_t from, size_t to)
{
	vt_buf_puts(out, "{\"contents\":{\"kind\":\"markdown\",\"value\":");
	vt_put_json_repaired(out, text, n);
	vt_buf_puts(out, "},\"range\":");
	lsp_put_range(out, w->s, d->text, d->n, from, to);
	vt_buf_puts(out, "}");
}

bool
lsp_known_asked(lsp_worker *w, const lsp_document *d, vt_value params, lsp_known *k)
{
	const lsp_language *l = lsp_language_of(w, d);
	lsp_position at;

	return l && lsp_read_position(lsp_get(params, "position"), &at) &&
	       lsp_known_at(w, d, l, lsp_offset(d->text, d->n, w->s->encoding, at), k);
}

/* Keys of MuranoPL and directives of Yay mean what their reference says. */
static bool
put_keyname(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	const bool yay = w->p->kind == LSP_YAY;
	lsp_place p;
	lsp_spot s;
	const char *text = NULL;
	size_t first;

	if ((!yay && (w->p->kind != LSP_PACKAGE || lsp_language_of(w, d))) ||
		!lsp_place_of(w, d, params, &p) || p.from == p.to ||
		!lsp_spot_at(w, d, p.from, &s) || s.comment)
		return false;
	first = p.line + strspn(d->text + p.line, " -");
	if (yay ? p.from == first : d->text[p.to] == ':')
		text = lsp_entry_text(w->c, yay ? "yay-language.txt" : "language.txt",
			vc_strndup(w->c, d->text + p.from, p.to - p.from));
	if (text)
		put_hover(w, d, out, text, strlen(text), p.from, p.to);
	return text != NULL;
}

void
lsp_hover(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	lsp_named x;
	lsp_known k;
	vt_buf b = {0};

	if (lsp_known_asked(w, d, params, &k)) {
		const char *text = k.item.doc ? k.item.doc : k.item.detail;
		if (text)
			put_hover(w, d, out, text, strlen(text), k.from, k.to);
		else
			(void)put_keyname(w, d, params, out);
		return;
	}
	if (lsp_language_of(w, d) || !lsp_place_of(w, d, params, &p) ||
		!(x = lsp_name_at(&p)).found) {
		(void)put_keyname(w, d, params, out);
		return;
	}
	if (x.property)
		lsp_describe_property(&b, w->c, x.property);
	else if (x.method)
		lsp_describe_method(&b, w->c, x.method);
	else if (x.function)
		lsp_describe_function(&b, &p, x.function, x.on_value);
	else if (x.argument_of)
		lsp_describe_argument(&b, w->c, x.argument_of, lsp_argument_of(&x));
	else if (x.variable)
		vt_buf_printf(&b, "```yaql\n$%s\n```\n%s", x.variable, vc_type_text(w->c, x.type));
	else
		lsp_describe_class(&b, x.cls);
	if (b.n)
		put_hover(w, d, out, b.p, b.n, p.from, p.to);
	vt_buf_free(&b);
}

/* A place of a text that was known before moves with what was typed since. */
void
lsp_put_place(lsp_worker *w, vt_buf *out, const lsp_document *d, vc_span at)
{
	const vc_source *src = at.src;
	bool moved =
		d && src && src->text && (src->n != d->n || memcmp(src->text, d->text, d->n) != 0);

	if (!moved) {
		lsp_put_span(out, w->s, at);
		return;
	}
	lsp_put_range(out, w->s, d->text, d->n, lsp_from_known(src->text, src->n, d, at.from),
		lsp_from_known(src->text, src->n, d, at.to));
}

void
lsp_put_location(lsp_worker *w, vt_buf *out, vc_span at)
{
	const char *path = at.src ? lsp_path_of_source(w->c, at.src) : NULL;
	const lsp_document *d = path ? lsp_document_at(w->s, path) : NULL;

	if (!path)
		return;
	vt_buf_puts(out, "{\"uri\":");
	if (d)
		lsp_put_text(out, d->uri);
	else
		lsp_put_uri(out, path);
	vt_buf_puts(out, ",\"range\":");
	lsp_put_place(w, out, d, at);
	vt_buf_puts(out, "}");
}

/* The first assignment of a variable in its method. */
static vc_span
variable_place(const lsp_place *p, const char *name)
{
	const char *text = p->d->text, *mark = vc_format(p->w->c, "$%s:", name);
	const char *at = p->method ? strstr(text + p->method->span.from, mark) : NULL;
	return at ? (vc_span){p->cls->src, (uint32_t)(at - text),
			    (uint32_t)(at - text + strlen(mark) - 1)}
		  : (vc_span){0};
}

void
lsp_definition(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	lsp_named x;
	lsp_known k;

	if (lsp_known_asked(w, d, params, &k)) {
		lsp_put_location(w, out, k.item.at);
		return;
	}
	if (lsp_language_of(w, d) || !lsp_place_of(w, d, params, &p) ||
		!(x = lsp_name_at(&p)).found)
		return;
	if (x.property)
		lsp_put_location(w, out, x.property->span);
	else if (x.method)
		lsp_put_location(w, out, x.method->span);
	else if (x.argument_of)
		lsp_put_location(w, out, lsp_argument_of(&x)->span);
	else if (x.variable)
		lsp_put_location(w, out, variable_place(&p, x.variable));
	else if (x.cls)
		lsp_put_location(w, out, x.cls->span);
}

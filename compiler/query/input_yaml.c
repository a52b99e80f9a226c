/*
 * input_yaml.c - YAML documents of `vetro query`.
 */
#include "compiler/query/input_int.h"
#include "runtime/text/text.h"
#include "compiler/yaml/yaml.h"

#include <string.h>

/* ---- YAML to values ---- */

/* Tags as the suite's value encoding has them; only a document that needs one is read as tagged. */
static void
put_float(vt_buf *b, double f, bool *tagged)
{
	if (f != f || f > 1.7976931348623157e308 || f < -1.7976931348623157e308) {
		*tagged = true;
		vt_buf_printf(b, "{\"$float\":\"%s\"}", f != f ? "nan" : f > 0 ? "inf" : "-inf");
	} else {
		size_t from = b->n;
		vt_buf_printf(b, "%.17g", f);
		for (char *p = b->p + from; p < b->p + b->n; p++)
			*p = (char)(*p == ',' ? '.' : *p); /* a Lua hook may have set a locale */
		if (!memchr(b->p + from, '.', b->n - from) &&
			!memchr(b->p + from, 'e', b->n - from))
			vt_buf_puts(b, ".0");
	}
}

static void
put_scalar(vt_buf *b, const ynode *y, bool *tagged)
{
	switch ((enum yn_type)y->type) {
	case YT_NULL: vt_buf_puts(b, "null"); return;
	case YT_BOOL: vt_buf_puts(b, y->i ? "true" : "false"); return;
	case YT_INT:
		if (y->fits)
			vt_buf_printf(b, "%lld", (long long)y->i);
		else
			vt_buf_puts(b, y->digits);
		return;
	case YT_FLOAT: put_float(b, y->f, tagged); return;
	/* datetime() reads the text of a date, and YAML shows it as it was */
	case YT_DATE:
	case YT_DATETIME:
		*tagged = true;
		vt_buf_puts(b, "{\"$stamp\":");
		vt_json_str(b, y->text, y->ntext);
		vt_buf_putc(b, '}');
		return;
	case YT_STR:
	case YT_BINARY: vt_json_str(b, y->text, y->ntext); return;
	}
}

/* A mapping that has the form of a tag is none: its keys are written as pairs too. */
static bool
plain_keys(const ynode *y)
{
	if (y->n == 1 && y->key[0]->kind == YN_SCALAR && y->key[0]->ntext > 0 &&
		y->key[0]->text[0] == '$')
		return false;
	for (uint32_t i = 0; i < y->n; i++)
		if (y->key[i]->kind != YN_SCALAR || y->key[i]->type != YT_STR)
			return false;
	return true;
}

/* Recursion is bounded by the depth limit of the YAML reader. */
static void
put_yaml(vt_buf *b, const ynode *y, bool *tagged)
{
	bool plain = y->kind != YN_MAP || plain_keys(y);

	if (y->kind == YN_SCALAR) {
		put_scalar(b, y, tagged);
		return;
	}
	*tagged |= !plain;
	vt_buf_puts(b, y->kind == YN_SEQ ? "[" : plain ? "{" : "{\"$dict\":[");
	for (uint32_t i = 0; i < y->n; i++) {
		vt_buf_puts(b, i ? "," : "");
		if (y->kind == YN_MAP) {
			vt_buf_puts(b, plain ? "" : "[");
			put_yaml(b, y->key[i], tagged);
			vt_buf_puts(b, plain ? ":" : ",");
		}
		put_yaml(b, y->item[i], tagged);
		vt_buf_puts(b, plain ? "" : "]");
	}
	vt_buf_puts(b, y->kind == YN_SEQ ? "]" : plain ? "}" : "]}");
}

static bool
put_document(query_input *in, const ynode *doc)
{
	vt_buf b = {NULL, 0, 0};
	qr_error e = {.type = NULL};
	bool tagged = false, ok;

	put_yaml(&b, doc, &tagged);
	qr_forget(in->q);
	ok = qr_data(in->q, b.p, b.n, tagged, in->convert, &e);
	if (!ok)
		query_input_broken(in, VT_E0207, e.message);
	qr_error_free(&e);
	vt_buf_free(&b);
	return ok;
}

enum line_kind { LINE_START, LINE_END, LINE_ASIDE, LINE_TEXT };

static enum line_kind
line_kind(const char *p, size_t n)
{
	size_t i = 0;

	if (input_is_marker(p, n, "---"))
		return LINE_START;
	if (input_is_marker(p, n, "..."))
		return LINE_END;
	while (i < n && input_is_blank(p[i]))
		i++;
	return i == n || p[i] == '#' || p[0] == '%' ? LINE_ASIDE : LINE_TEXT;
}

/* One document's text: [doc, *end). A marker begins a new one when anything was said before. */
static enum query_got
find_chunk(query_input *in, size_t *end)
{
	bool said = false, last = false;

	in->scanned = in->pos;
	while (!last) {
		char *line = in->p + in->scanned, *nl;
		size_t left = in->n - in->scanned;
		nl = memchr(line, '\n', left);
		if (nl == NULL) {
			enum query_got got = query_input_fill(in);
			if (got == QUERY_BROKEN)
				return got;
			if (got == QUERY_DOC)
				continue;
			last = true;
		}
		line = in->p + in->scanned;
		left = nl ? (size_t)(nl - line) + 1 : in->n - in->scanned;
		switch (line_kind(line, left)) {
		case LINE_START:
			if (said) {
				*end = in->scanned;
				return QUERY_DOC;
			}
			said = true;
			break;
		case LINE_END: last |= said; break;
		case LINE_TEXT: said = true; break;
		case LINE_ASIDE: break;
		}
		in->scanned += left;
	}
	*end = in->scanned;
	return *end > in->doc ? QUERY_DOC : QUERY_END;
}

void
query_input_drop_yaml(query_input *in)
{
	if (in->c)
		vc_free(in->c);
	in->c = NULL;
	in->docs = NULL;
	in->ndocs = in->next_doc = 0;
}

/* Empty lines in front give the text the lines of its file. */
static bool
parse_chunk(query_input *in, size_t end, unsigned long above)
{
	size_t n = end - in->doc;
	char *text;

	query_input_drop_yaml(in);
	in->c = vc_new();
	in->c->limit.max_file = in->most;
	text = vc_alloc(in->c, above + n + 1);
	memset(text, '\n', above);
	memcpy(text + above, in->p + in->doc, n);
	in->src = vc_source_take(in->c, in->name, text, above + n);
	if (in->src)
		in->docs = vc_yaml_parse(in->c, in->src,
			&(vc_yaml_opts){.keep_empty = true, .flags = YQ_F_MURANO}, &in->ndocs);
	return in->src && vc_errors(in->c) == 0;
}

static enum query_got
bad_yaml(query_input *in, size_t end)
{
	query_input_count_to(in, in->doc);
	parse_chunk(in, end, in->line - 1);
	in->before_read(in->ctx);
	vc_print_diags(in->c, VC_TEXT, stderr);
	in->broken = true;
	query_input_drop_yaml(in);
	return QUERY_BROKEN;
}

enum query_got
query_input_next_yaml(query_input *in)
{
	size_t end;
	enum query_got got;

	while (in->next_doc == in->ndocs) {
		query_input_drop_yaml(in);
		in->doc = in->pos;
		got = find_chunk(in, &end);
		if (got != QUERY_DOC)
			return got;
		in->pos = end;
		if (end - in->doc > UINT32_MAX / 2)
			return query_input_broken_at(
				in, VT_E0102, 1, 1, "a YAML document cannot be larger than 2 GiB");
		if (parse_chunk(in, end, 0))
			continue;
		return bad_yaml(in, end);
	}
	in->ordinal++;
	return put_document(in, in->docs[in->next_doc++]) ? QUERY_DOC : QUERY_BROKEN;
}

/*
 * tokens.c - the tokens of expressions inside of YAML, for editors that colour them.
 *
 * In MuranoPL and its forms a plain text with a variable or a call is an expression, in workflows
 * what stands between <% and %>.  YAML itself is the editor's.
 */
#include "compiler/fmt/fmt.h"
#include "compiler/lsp/int.h"
#include "compiler/yaml/yaml.h"

#include <string.h>

typedef struct painter {
	const lsp_server *s;
	const lsp_document *d;
	const ynode *node; /* whose tokens come */
	uint32_t skip;     /* of its text, to the expression */
	bool blocks;       /* expressions are marked */
	vt_buf *out;
	uint32_t n;
	/* the place reached: what a token says is its distance from the one before */
	size_t at, line_at;
	uint32_t line, last_line, last_char;
} painter;

static uint32_t
column(const painter *p, size_t offset)
{
	return lsp_position_of(
		p->d->text + p->line_at, p->d->n - p->line_at, p->s->encoding, offset - p->line_at)
		.character;
}

static void
put_token(void *ctx, enum yq_token kind, uint32_t from, uint32_t to)
{
	painter *p = ctx;
	size_t at = yn_offset(p->node, from + p->skip),
	       end = yn_offset(p->node, to + p->skip - 1) + 1;
	uint32_t first, last;

	if (at < p->at || end > p->d->n || memchr(p->d->text + at, '\n', end - at))
		return; /* tokens go forward, and stay on their line */
	for (; p->at < at; p->at++)
		if (p->d->text[p->at] == '\n') {
			p->line++;
			p->line_at = p->at + 1;
		}
	first = column(p, at);
	last = column(p, end);
	vt_buf_printf(p->out, "%s%u,%u,%u,%u,0", p->n++ ? "," : "", p->line - p->last_line,
		p->line == p->last_line ? first - p->last_char : first, last - first,
		(unsigned)kind);
	p->last_line = p->line;
	p->last_char = first;
}

/* In workflows expressions stand between <% and %>. */
static void
paint_blocks(painter *p, vc *c, const ynode *n)
{
	const char *end;

	for (const char *at = n->text; (at = strstr(at, "<%")) != NULL; at = end) {
		at += 2;
		end = strstr(at, "%>");
		if (!end)
			return;
		p->node = n;
		p->skip = (uint32_t)(at - n->text);
		yq_each_token(c, at, (size_t)(end - at), YQ_F_MURANO, put_token, p);
	}
}

static void
paint(painter *p, vc *c, const ynode *n)
{
	if (p->blocks && n->kind == YN_SCALAR && n->text)
		paint_blocks(p, c, n);
	if (n->kind == YN_SCALAR && n->is_expr &&
		(memchr(n->text, '$', n->ntext) || memchr(n->text, '(', n->ntext))) {
		p->node = n;
		yq_each_token(c, n->text, n->ntext, YQ_F_MURANO, put_token, p);
	}
	for (uint32_t i = 0; i < n->n && (n->kind == YN_MAP || n->kind == YN_SEQ); i++) {
		if (n->kind == YN_MAP)
			paint(p, c, n->key[i]);
		paint(p, c, n->item[i]);
	}
}

/* textDocument/semanticTokens/full */
void
lsp_semantic_tokens(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vc *c = vc_new();
	painter p = {.s = w->s, .d = d, .out = out, .blocks = w->p->kind == LSP_WORKFLOW};
	uint32_t n = 0;
	vc_source *src = d ? vc_source_take(c, d->path ? d->path : d->uri,
				     vc_strndup(c, d->text, d->n), d->n)
			   : NULL;
	bool has =
		src && (p.blocks || fmt_kind_of(src) == FMT_CLASS || strstr(src->text, "\nForms:"));
	ynode **docs =
		has ? vc_yaml_parse(c, src,
			      &(vc_yaml_opts){.expressions = !p.blocks, .flags = YQ_F_MURANO}, &n)
		    : NULL;

	(void)params;
	vt_buf_puts(out, "{\"data\":[");
	for (uint32_t i = 0; i < n; i++)
		paint(&p, c, docs[i]);
	vt_buf_puts(out, "]}");
	vc_free(c);
}

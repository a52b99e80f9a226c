/*
 * tokens.c - the tokens of expressions inside of YAML, for editors that colour them.
 *
 * In MuranoPL and its forms a plain text with a variable or a call is an expression, in workflows
 * what stands between <% and %>, in TOSCA and Heat a map of one key that is a function.  YAML
 * itself is the editor's.  Of Yay all is painted but keys and texts.
 */
#include "compiler/fmt/fmt.h"
#include "compiler/lsp/know.h"
#include "compiler/yaml/yaml.h"
#include "compiler/yay/front.h"
#include "runtime/tosca/tosca.h"

#include <ctype.h>

#include <string.h>

enum { MOST_NODES = 500000 };

typedef struct painter {
	const lsp_server *s;
	const lsp_document *d;
	const ynode *node; /* whose tokens come */
	uint32_t skip;     /* of its text, to the expression */
	bool blocks;       /* expressions are marked */
	vt_buf *out;
	uint32_t n, nodes;
	size_t first, last; /* tokens outside of these bytes are not wanted */
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
put_bytes(painter *p, enum yq_token kind, size_t at, size_t end)
{
	uint32_t first, last;

	if (at < p->first || at >= p->last)
		return;
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

static void
put_token(void *ctx, enum yq_token kind, uint32_t from, uint32_t to)
{
	painter *p = ctx;

	put_bytes(p, kind, yn_offset(p->node, from + p->skip),
		yn_offset(p->node, to + p->skip - 1) + 1);
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

/* ---- TOSCA and Heat ---- */

/* A function of the language, or in TOSCA 2.0 one of the author's. */
static bool
is_function(const ynode *key, bool heat)
{
	if (key->kind != YN_SCALAR || !key->text)
		return false;
	if (!heat && key->text[0] == '$' && key->text[1])
		return true;
	for (uint32_t i = 1; vt_tfuncs[i].name; i++)
		if (!(vt_tfuncs[i].versions & VT_TV_HOT) == !heat &&
			strcmp(vt_tfuncs[i].name, key->text) == 0)
			return true;
	return false;
}

/* SELF, HOST and the like are words of the language; what else comes first is a name. */
static void
paint_argument(painter *p, const ynode *y)
{
	static const char *const words[] = {"SELF", "SOURCE", "TARGET", "HOST", "ORCHESTRATOR"};
	enum yq_token kind = YQ_T_VARIABLE;

	if (y->kind == YN_SEQ && y->n)
		y = y->item[0];
	if (y->kind != YN_SCALAR || !y->text)
		return;
	for (size_t i = 0; i < VC_LEN(words); i++)
		if (strcmp(y->text, words[i]) == 0)
			kind = YQ_T_WORD;
	put_bytes(p, kind, y->span.from, y->span.to);
}

/* `get_...` reads something that has a name. */
static void
paint_calls(painter *p, const ynode *y, bool heat, unsigned depth)
{
	bool call = y->kind == YN_MAP && y->n == 1 && is_function(y->key[0], heat);

	if (call) {
		put_bytes(p, YQ_T_FUNCTION, y->key[0]->span.from, y->key[0]->span.to);
		if (strncmp(y->key[0]->text + (*y->key[0]->text == '$'), "get_", 4) == 0)
			paint_argument(p, y->item[0]);
	}
	for (uint32_t i = 0; depth < 64 && i < y->n && (y->kind == YN_MAP || y->kind == YN_SEQ);
		i++)
		if (p->nodes++ < MOST_NODES)
			paint_calls(p, y->item[i], heat, depth + 1);
}

/* ---- Yay ---- */

static bool
yay_kind(const yay_token *t, enum yq_token *kind)
{
	const char *name = yr_token_name(t->kind);

	*kind = strcmp(name, "IDENTIFIER") == 0                              ? YQ_T_VARIABLE
		: strcmp(name, "STRING") == 0                                ? YQ_T_STRING
		: strcmp(name, "INTEGER") == 0 || strcmp(name, "FLOAT") == 0 ? YQ_T_NUMBER
									     : YQ_T_OPERATOR;
	return *kind != YQ_T_OPERATOR;
}

static void
paint_yay(painter *p, vc *c)
{
	uint32_t n = 0;
	const char *text = p->d->text;
	yay_token *t = yay_tokens(c, p->d->uri, vc_strndup(c, text, p->d->n), p->d->n, &n);

	for (uint32_t i = 0; i < n; i++) {
		enum yq_token kind;
		size_t from = t[i].loc.from, to = t[i].loc.to;
		if (from >= to || to > p->d->n)
			continue;
		bool word = isalpha((unsigned char)text[from]) &&
			    yay_is_word(vc_strndup(c, text + from, to - from));
		if (!yay_kind(&t[i], &kind) && !word)
			continue;
		if (word)
			kind = YQ_T_WORD;
		else if (kind == YQ_T_VARIABLE && text[to] == '(')
			kind = from && text[from - 1] == '.' ? YQ_T_METHOD : YQ_T_FUNCTION;
		else if (kind == YQ_T_VARIABLE && from && text[from - 1] == '.')
			kind = YQ_T_MEMBER;
		put_bytes(p, kind, from, to);
	}
}

/* ---- all of a text ---- */

/* The numbers of the tokens that begin in those bytes, with commas between them. */
static void
put_tokens(lsp_worker *w, const lsp_document *d, size_t first, size_t last, vt_buf *out)
{
	const lsp_language *l = lsp_language_of(w, d);
	bool calls = l == &lsp_tosca_language || l == &lsp_heat_language;
	vc *c = vc_new();
	painter p = {.s = w->s, .d = d, .out = out, .first = first, .last = last};
	uint32_t n = 0;
	vc_source *src = d ? vc_source_take(c, d->path ? d->path : d->uri,
				     vc_strndup(c, d->text, d->n), d->n)
			   : NULL;

	p.blocks = w->p->kind == LSP_WORKFLOW;
	bool yaql = !p.blocks && !calls;
	bool has = src && l != &lsp_yay_language &&
		   (!yaql || fmt_kind_of(src) == FMT_CLASS || strstr(src->text, "\nForms:"));
	ynode **docs = has ? vc_yaml_parse(c, src,
				     &(vc_yaml_opts){.expressions = yaql, .flags = YQ_F_MURANO}, &n)
			   : NULL;
	for (uint32_t i = 0; i < n; i++)
		if (calls)
			paint_calls(&p, docs[i], l == &lsp_heat_language, 0);
		else
			paint(&p, c, docs[i]);
	if (src && l == &lsp_yay_language)
		paint_yay(&p, c);
	vc_free(c);
}

/* Of which result a delta is asked; equal texts of numbers have one. */
static const char *
result_id(vc *c, const char *numbers, size_t n)
{
	return vc_format(c, "%016llx", (unsigned long long)vt_hash_bytes(numbers, n));
}

/* The server and this worker keep what the client has now. */
static void
keep(lsp_worker *w, const lsp_document *d, const vt_buf *numbers)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "%s\n", d->uri);
	vt_buf_put(&b, numbers->p ? numbers->p : "", numbers->n);
	lsp_document_tokens(w->s, b.p);
	lsp_tell(w, LSP_W_TOKENS, b.p, b.n + 1);
	vt_buf_free(&b);
}

/* textDocument/semanticTokens/full */
void
lsp_semantic_tokens(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vt_buf numbers = {0};

	(void)params;
	if (!d)
		return;
	put_tokens(w, d, 0, SIZE_MAX, &numbers);
	vt_buf_put(&numbers, "", 0);
	vt_buf_printf(out, "{\"resultId\":\"%s\",\"data\":[%s]}",
		result_id(w->c, numbers.p, numbers.n), numbers.p);
	keep(w, d, &numbers);
	vt_buf_free(&numbers);
}

/* textDocument/semanticTokens/range */
void
lsp_tokens_range(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vt_value range = lsp_get(params, "range");
	lsp_position from, to;

	if (!d || !lsp_read_position(lsp_get(range, "start"), &from) ||
		!lsp_read_position(lsp_get(range, "end"), &to))
		return;
	vt_buf_puts(out, "{\"data\":[");
	put_tokens(w, d, lsp_offset(d->text, d->n, w->s->encoding, from),
		lsp_offset(d->text, d->n, w->s->encoding, to), out);
	vt_buf_puts(out, "]}");
}

/* ---- textDocument/semanticTokens/full/delta ---- */

typedef struct numbers {
	const char **v; /* where each begins */
	uint32_t n;
	const char *end;
} numbers;

static numbers
numbers_of(vc *c, const char *text, size_t n)
{
	numbers x = {.end = text + n};

	for (const char *at = text; at < x.end;) {
		const char *comma = memchr(at, ',', (size_t)(x.end - at));
		vc_push(c, x.v, x.n) = at;
		at = comma ? comma + 1 : x.end;
	}
	return x;
}

static bool
same_number(const numbers *a, uint32_t i, const numbers *b, uint32_t k)
{
	const char *x = a->v[i], *y = b->v[k];

	while (x < a->end && y < b->end && *x != ',' && *x == *y)
		x++, y++;
	return (x == a->end || *x == ',') && (y == b->end || *y == ',');
}

/* One edit: all between what both begin with and what both end with. */
static void
put_edit(vt_buf *out, const numbers *old, const numbers *now)
{
	uint32_t front = 0, back = 0, most = old->n < now->n ? old->n : now->n;

	while (front < most && same_number(old, front, now, front))
		front++;
	while (back < most - front && same_number(old, old->n - 1 - back, now, now->n - 1 - back))
		back++;
	if (front == old->n && front == now->n)
		return;
	vt_buf_printf(
		out, "{\"start\":%u,\"deleteCount\":%u,\"data\":[", front, old->n - front - back);
	if (now->n > front + back) {
		const char *from = now->v[front], *to = back ? now->v[now->n - back] - 1 : now->end;
		vt_buf_put(out, from, (size_t)(to - from));
	}
	vt_buf_puts(out, "]}");
}

void
lsp_tokens_delta(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	const char *id = lsp_text(params, "previousResultId");
	vt_buf now = {0};
	vc *c = vc_new();

	if (!d || !d->tokens || !id || strcmp(id, result_id(c, d->tokens, d->ntokens)) != 0) {
		lsp_semantic_tokens(w, d, params, out);
		vc_free(c);
		return;
	}
	put_tokens(w, d, 0, SIZE_MAX, &now);
	vt_buf_put(&now, "", 0);
	numbers a = numbers_of(c, d->tokens, d->ntokens), b = numbers_of(c, now.p, now.n);
	vt_buf_printf(out, "{\"resultId\":\"%s\",\"edits\":[", result_id(c, now.p, now.n));
	put_edit(out, &a, &b);
	vt_buf_puts(out, "]}");
	keep(w, d, &now);
	vt_buf_free(&now);
	vc_free(c);
}

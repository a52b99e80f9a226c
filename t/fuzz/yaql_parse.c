/*
 * Fuzz target: any bytes are an expression or an error with a place inside the text, in every
 * dialect. A tree is written as an expression with all its parentheses and read again: the two
 * trees agree, parentheses apart. The first byte chooses the dialect and whether a host added
 * operators and took another one for keywords. driver.c says how it is run.
 */
#include "compiler/base/base.h"
#include "compiler/yaql/yaql.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void put(vt_buf *, const yq_node *);
static const char *keyword; /* what mappings are written with */

static void
put_string(vt_buf *b, const char *s, uint32_t n)
{
	vt_buf_puts(b, "\"");
	for (uint32_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		if (ch == '"' || ch == '\\')
			vt_buf_printf(b, "\\%c", ch);
		else if (ch < 0x20)
			vt_buf_printf(b, "\\x%02x", ch);
		else
			vt_buf_put(b, &s[i], 1);
	}
	vt_buf_puts(b, "\"");
}

static void
put_group(vt_buf *b, const yq_node *n)
{
	vt_buf_puts(b, "(");
	put(b, n);
	vt_buf_puts(b, ")");
}

static void
put_args(vt_buf *b, const yq_node *n, uint32_t from, const char *close)
{
	for (uint32_t i = from; i < n->n; i++) {
		if (i > from)
			vt_buf_puts(b, ", ");
		if (n->kid[i]->kind == YQ_MAPPING) {
			put_group(b, n->kid[i]->kid[0]);
			vt_buf_printf(b, " %s ", keyword);
			put_group(b, n->kid[i]->kid[1]);
		} else if (n->kid[i]->kind != YQ_EMPTY) {
			put_group(b, n->kid[i]);
		}
	}
	vt_buf_puts(b, close);
}

static void
put_binary(vt_buf *b, const yq_node *n)
{
	put_group(b, n->kid[0]);
	vt_buf_printf(b, " %.*s ", (int)n->ntext, n->text);
	put_group(b, n->kid[1]);
}

/* A space behind `not`, or it would be a function. Recursion is bounded by the parse's limit. */
static void
put(vt_buf *b, const yq_node *n)
{
	switch ((enum yq_kind)n->kind) {
	case YQ_NULL: vt_buf_puts(b, "null"); return;
	case YQ_TRUE: vt_buf_puts(b, "true"); return;
	case YQ_FALSE: vt_buf_puts(b, "false"); return;
	case YQ_NUMBER:
	case YQ_KEYWORD: vt_buf_put(b, n->text, n->ntext); return;
	case YQ_STRING: put_string(b, n->text, n->ntext); return;
	case YQ_VAR:
		vt_buf_puts(b, "$");
		vt_buf_put(b, n->text, n->ntext);
		return;
	case YQ_CALL:
		vt_buf_printf(b, "%.*s(", (int)n->ntext, n->text);
		put_args(b, n, 0, ")");
		return;
	case YQ_INVOKE:
		put_group(b, n->kid[0]);
		vt_buf_puts(b, "(");
		put_args(b, n, 1, ")");
		return;
	case YQ_BINARY: put_binary(b, n); return;
	case YQ_UNARY:
		if (n->ntext == 1 && strchr("!", n->text[0])) { /* the one behind its value */
			put_group(b, n->kid[0]);
			vt_buf_puts(b, " !");
			return;
		}
		vt_buf_printf(b, "%.*s ", (int)n->ntext, n->text);
		put_group(b, n->kid[0]);
		return;
	case YQ_INDEX:
		put_group(b, n->kid[0]);
		vt_buf_puts(b, "[");
		put_args(b, n, 1, "]");
		return;
	case YQ_LIST:
		vt_buf_puts(b, "[");
		put_args(b, n, 0, "]");
		return;
	case YQ_MAP:
		vt_buf_puts(b, "{");
		put_args(b, n, 0, "}");
		return;
	case YQ_WRAP: put(b, n->kid[0]); return;
	case YQ_MAPPING:
	case YQ_EMPTY:
	case YQ_ERROR: abort(); /* they stand among arguments only, or nowhere */
	}
}

static void
judge_places(const yq_node *n, uint32_t from, uint32_t to)
{
	if (n->from > n->to || n->from < from || n->to > to)
		abort();
	for (uint32_t i = 0; i < n->n; i++)
		judge_places(n->kid[i], n->from, n->to);
}

/* All kinds of operators of a host, on levels of their own and beside others; named: and another one
 * of keywords. */
static yq_operators *
own_operators(bool named)
{
	yq_operators *t = yq_operators_new(NULL);

	if (yq_operators_insert(t, "or", true, "**", YQ_RIGHT, true, NULL) ||
		yq_operators_insert(t, "+", true, "xor", YQ_LEFT, false, "x") ||
		yq_operators_insert(t, "+", false, "!", YQ_SUFFIX, true, NULL) ||
		yq_operators_insert(t, NULL, false, "~", YQ_PREFIX, true, NULL))
		abort();
	if (named && yq_operators_keyword(t, keyword) != NULL)
		abort();
	return t;
}

static void
judge_again(const yq_node *tree, unsigned flags, const yq_operators *own)
{
	vc *c = vc_new();
	vt_buf once = {NULL, 0, 0}, twice = {NULL, 0, 0};
	yq_error err;
	yq_node *again;

	put(&once, tree);
	c->limit.max_depth = 3000; /* the parentheses count */
	again = yq_parse_with(c, once.p, once.n, flags, own, &err);
	if (!again)
		abort();
	put(&twice, again);
	if (once.n != twice.n || memcmp(once.p, twice.p, once.n) != 0)
		abort();
	vt_buf_free(&once);
	vt_buf_free(&twice);
	vc_free(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	yq_error err;
	vt_buf b = {NULL, 0, 0};
	yq_node *tree;
	yq_operators *own;
	vc *c;

	if (n == 0)
		return 0;
	c = vc_new();
	keyword = (data[0] & 25) == 24 ? "::" : "=>"; /* the older dialect has none */
	own = data[0] & 8 ? own_operators((data[0] & 25) == 24) : NULL;
	tree = yq_parse_with(c, (const char *)data + 1, n - 1, data[0] & 7, own, &err);
	if (tree) {
		judge_places(tree, 0, (uint32_t)n - 1);
		yq_dump(&b, tree);
		judge_again(tree, data[0] & 7, own);
	} else if (err.at > n - 1 || !err.message || !*err.message) {
		abort();
	}
	vt_buf_free(&b);
	vc_free(c);
	yq_operators_free(own);
	return 0;
}

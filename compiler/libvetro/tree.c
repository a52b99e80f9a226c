/*
 * tree.c - the syntax tree of an expression.
 */
#include "compiler/libvetro/int.h"
#include "compiler/libvetro/vetro_host.h"
#include "compiler/yaql/yaql.h"

#include <stdlib.h>
#include <string.h>

struct vetro_tree {
	vc *c; /* whose arena has the nodes */
	char *text;
	const yq_node *root;
};

static const yq_node *
yq(const vetro_node *n)
{
	return (const yq_node *)(const void *)n;
}

static void
take_parse_error(const vetro_tree *t, size_t len, const yq_error *wrong, vetro_error **err)
{
	qr_error e = {.type = NULL};
	uint32_t line, col;
	vetro_error *made;

	vc_place(vc_source_new(t->c, "<expression>", t->text, len), wrong->at, &line, &col);
	qr_error_set(&e,
		wrong->escape    ? "UnicodeDecodeError"
		: wrong->lexical ? "YaqlLexicalException"
				 : "YaqlGrammarException",
		line, col, wrong->message);
	made = lv_take_error(err, &e);
	if (made == NULL)
		return;
	made->has_token = true;
	made->at = wrong->at;
	made->token = wrong->value != NULL ? vt_xstrdup(wrong->value) : NULL;
}

vetro_tree *
vetro_parse(vetro_engine *e, const char *text, size_t n, vetro_error **err)
{
	size_t len = lv_length(text, n);
	vetro_tree *t = vt_xzalloc(sizeof *t);
	qr_error failed = {.type = NULL};
	qr_request r = {.legacy = e->opt[VETRO_LEGACY], .delegates = e->opt[VETRO_DELEGATES]};
	yq_error wrong = {.lexical = false};
	bool fits = lv_check_text(text, len, e->opt[VETRO_EXPRESSION_SIZE], &failed);

	t->text = vt_xmalloc(len + 1);
	memcpy(t->text, text, len);
	t->text[len] = '\0';
	t->c = vc_new();
	if (fits)
		t->root = yq_parse_with(
			t->c, t->text, len, qc_dialect(&r, false), lv_operators(e), &wrong);
	if (t->root != NULL)
		return t;
	if (fits)
		take_parse_error(t, len, &wrong, err);
	else
		(void)lv_take_error(err, &failed);
	vetro_tree_free(t);
	return NULL;
}

int
vetro_error_token(const vetro_error *err, size_t *at, const char **token)
{
	*at = err->at;
	*token = err->token;
	return err->has_token ? 0 : -1;
}

void
vetro_tree_free(vetro_tree *t)
{
	if (t == NULL)
		return;
	vc_free(t->c);
	free(t->text);
	free(t);
}

const vetro_node *
vetro_tree_root(const vetro_tree *t)
{
	return (const vetro_node *)(const void *)t->root;
}

vetro_node_kind
vetro_node_kind_of(const vetro_node *n)
{
	switch ((enum yq_kind)yq(n)->kind) {
	case YQ_NULL: return VETRO_NODE_NULL;
	case YQ_TRUE: return VETRO_NODE_TRUE;
	case YQ_FALSE: return VETRO_NODE_FALSE;
	case YQ_NUMBER: return yq(n)->is_float ? VETRO_NODE_FLOAT : VETRO_NODE_INT;
	case YQ_STRING: return VETRO_NODE_STRING;
	case YQ_KEYWORD: return VETRO_NODE_WORD;
	case YQ_VAR: return VETRO_NODE_VARIABLE;
	case YQ_CALL: return VETRO_NODE_CALL;
	case YQ_INVOKE: return VETRO_NODE_INVOKE;
	case YQ_BINARY: return VETRO_NODE_BINARY;
	case YQ_UNARY: return VETRO_NODE_UNARY;
	case YQ_INDEX: return VETRO_NODE_INDEX;
	case YQ_LIST: return VETRO_NODE_LIST;
	case YQ_MAP: return VETRO_NODE_MAP;
	case YQ_MAPPING: return VETRO_NODE_MAPPING;
	case YQ_WRAP: return VETRO_NODE_PARENTHESES;
	case YQ_EMPTY:
	case YQ_ERROR: break;
	}
	return VETRO_NODE_NOTHING;
}

const char *
vetro_node_text(const vetro_node *n, size_t *len)
{
	*len = yq(n)->text != NULL ? yq(n)->ntext : 0;
	return yq(n)->text != NULL ? yq(n)->text : "";
}

size_t
vetro_node_parts(const vetro_node *n)
{
	return yq(n)->n;
}

const vetro_node *
vetro_node_part(const vetro_node *n, size_t i)
{
	return i < yq(n)->n ? (const vetro_node *)(const void *)yq(n)->kid[i] : NULL;
}

void
vetro_node_place(const vetro_node *n, size_t *from, size_t *to, size_t *at)
{
	*from = yq(n)->from;
	*to = yq(n)->to;
	*at = yq(n)->op_at;
}

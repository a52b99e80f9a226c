/*
 * yaql.h - YAQL expressions: tokens and trees.
 */
#ifndef VC_YAQL_YAQL_H
#define VC_YAQL_YAQL_H

#include "compiler/base/base.h"

/* ---- yaql.c: expressions ---- */
enum yq_kind {
	YQ_NULL,
	YQ_TRUE,
	YQ_FALSE,
	YQ_NUMBER,  /* text: digits, or digits.digits (is_float) */
	YQ_STRING,  /* text: decoded */
	YQ_KEYWORD, /* text */
	YQ_VAR,     /* text: name without the $, "" for $ */
	YQ_CALL,    /* text: function name; kid: arguments */
	YQ_INVOKE,  /* #call: kid[0](kid[1..]); delegates only */
	YQ_BINARY,  /* text: operator; kid[0], kid[1] */
	YQ_UNARY,   /* text: operator; kid[0] */
	YQ_INDEX,   /* kid[0][kid[1..]] */
	YQ_LIST,    /* kid: items */
	YQ_MAP,     /* kid: items, YQ_MAPPING in modern mode */
	YQ_MAPPING, /* kid[0] => kid[1]: keyword argument or map entry */
	YQ_WRAP,    /* (kid[0]) */
	YQ_EMPTY,   /* an omitted argument */
	YQ_ERROR
};
typedef struct yq_node yq_node;
struct yq_node {
	uint8_t kind; /* enum yq_kind */
	bool is_float;
	uint32_t from, to; /* bytes of the expression's text */
	uint32_t op_at;    /* where the operator or the name stands */
	const char *text;
	uint32_t ntext;
	const char *alias; /* of an operator of the host: it calls *alias; or NULL */
	yq_node **kid;
	uint32_t n;
};
enum {
	YQ_F_LEGACY = 1 /* => is an operator */,
	YQ_F_MURANO = 2 /* `is` and `:` */,
	YQ_F_DELEGATES = 4
};
typedef struct yq_error {
	bool lexical; /* YaqlLexicalException, else YaqlGrammarException */
	/* UnicodeDecodeError, then lexical too: a bad \x, \u, \U or \N in a string */
	bool escape;
	uint32_t at;       /* byte offset; the length of the text for an unexpected end */
	char *message;     /* arena */
	const char *value; /* the offending character or token, or NULL at the end */
} yq_error;
/* NULL and *err filled when the text is no expression. */
yq_node *yq_parse(vc *, const char *text, size_t n, unsigned flags, yq_error *err);
/* Reads the text of a file, which is one expression; reports why it is none and gives NULL. */
yq_node *yq_parse_source(vc *, vc_source *);
/* layout.c: appends the expression with its blanks where they belong.  False: it is none. */
bool yq_layout(vc *, vt_buf *, const char *text, size_t n, unsigned flags);
/* A table of operators that a host changed; NULL stands for that of the language. */
typedef struct yq_operators yq_operators;
enum yq_fixity { YQ_PREFIX, YQ_SUFFIX, YQ_LEFT, YQ_RIGHT };
yq_operators *yq_operators_new(const yq_operators *from); /* a copy; from may be NULL */
void yq_operators_free(yq_operators *);
#define YQ_NO_OPERATOR "there is no such operator"
#define YQ_TWO_OPERATORS "there is such an operator already"
/* The new one stands on the level of an existing one or, with `level`, on one of its own that is
 * the next weaker; existing NULL: on the strongest, or before it. NULL, or why not: two of these
 * texts are above. */
const char *yq_operators_insert(yq_operators *, const char *existing, bool binary,
	const char *symbol, enum yq_fixity, bool level, const char *alias);
/* What stands between both sides of a mapping; NULL: nothing does. NULL, or why not. */
const char *yq_operators_keyword(yq_operators *, const char *symbol);
/* yq_parse() with a table, which lives as long as the tree. */
yq_node *yq_parse_with(
	vc *, const char *text, size_t n, unsigned flags, const yq_operators *, yq_error *err);
const yq_node *yq_unwrap(const yq_node *); /* without parentheses */
/* Words with dots between around that byte, which somebody may have meant as a text: they begin
 * with a letter, and no $, dot, bracket or call makes more of them.  NULL: there are none. */
const char *yq_bare_name(vc *, const char *text, size_t n, size_t at);
/* Calls for each token that is more than punctuation, in order, until one that does not exist. */
enum yq_token {
	YQ_T_STRING,
	YQ_T_NUMBER,
	YQ_T_WORD, /* true, null, and, in... */
	YQ_T_VARIABLE,
	YQ_T_FUNCTION, /* without its bracket */
	YQ_T_METHOD,   /* the same behind a dot */
	YQ_T_MEMBER,   /* a word behind a dot */
	YQ_T_OPERATOR
};
typedef void yq_token_fn(void *ctx, enum yq_token, uint32_t from, uint32_t to);
void yq_each_token(vc *, const char *text, size_t n, unsigned flags, yq_token_fn *, void *ctx);
void yq_dump(vt_buf *, const yq_node *); /* s-expression: --emit=ast */
void yq_tokens(vc *, vt_buf *, const char *text, size_t n, unsigned flags); /* --emit=tokens */

#endif

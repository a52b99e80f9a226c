/*
 * int.h - between the lexer (yaql.re), the grammar (yaql.y) and the tree (yaql.c).
 */
#ifndef YAQL_INT_H
#define YAQL_INT_H

#include "compiler/base/base.h"
#include "compiler/yaql/yaql.h"
#include "runtime/core/value.h"

/* runtime/core/unicode.c: what Python's \w and \d match. */
bool vt_is_word(uint32_t cp);
int vt_digit_value(uint32_t cp);

typedef struct yq_loc {
	uint32_t from, to;
} yq_loc; /* bytes of the expression */
#define YYLLOC_DEFAULT(cur, rhs, n) \
	do { \
		(cur).from = (n) ? YYRHSLOC(rhs, 1).from : YYRHSLOC(rhs, 0).to; \
		(cur).to = (n) ? YYRHSLOC(rhs, n).to : YYRHSLOC(rhs, 0).to; \
	} while (0)

/* What a token carries: decoded text of strings and numbers, the name of functions and
 * variables. */
typedef struct yq_tok {
	const char *text;
	uint32_t n;
	uint32_t at;
	bool is_float;
} yq_tok;
typedef struct yq_vec {
	yq_node **v;
	uint32_t n;
} yq_vec;

/* One parse: the lexer's state, and where the result or the first error goes. */
typedef struct yq_ctx {
	vc *c;
	const char *text; /* closed by NUL at n */
	size_t n;
	unsigned flags;
	const unsigned char *cur, *lim, *mark;
	uint32_t nest; /* open brackets */
	/* the last token may end a value, so '(' calls and does not group */
	bool after_value;
	int kind; /* the last token, for error messages */
	yq_tok tok;
	yq_loc loc;
	bool failed;
	yq_error *err;
	yq_node *result;
} yq_ctx;

void yq_ctx_init(yq_ctx *, vc *, const char *text, size_t n, unsigned flags, yq_error *);
/* the first error stays */
void yq_fail(yq_ctx *, uint32_t at, const char *value, const char *message);
void yq_fail_token(yq_ctx *); /* the last token is unexpected */
void yq_fail_depth(yq_ctx *, uint32_t at);
/* for --emit=tokens: 0 end, -1 error */
int yq_lex(yq_ctx *);
/* The same for a symbol of n bytes that the lexer does not know. */
void yq_lex_symbol(yq_ctx *, int kind, uint32_t n, bool ends_value);
uint32_t yq_points(const char *, size_t n); /* code points */

/* The body of a '...' or "..." string, which stands at byte `at`; NULL after yq_fail. And that of a
 * `...` one. */
const char *yq_unescape(yq_ctx *, const char *body, size_t n, uint32_t at, uint32_t *out_n);
const char *yq_verbatim(yq_ctx *, const char *body, size_t n, uint32_t *out_n);
/* bytes; 0: not UTF-8 */
uint32_t yq_decode(const unsigned char *p, const unsigned char *lim, uint32_t *cp);
/* operators.c: a parse of the context's text with that table. */
yq_node *yq_parse_own(yq_ctx *, const yq_operators *);
bool yq_uniname(const char *name, size_t n, uint32_t *cp); /* \N{NAME} */

/* Constructors; NULL after yq_fail when the tree gets too deep. */
yq_node *yq_leaf(yq_ctx *, enum yq_kind, yq_loc, yq_tok);
yq_node *yq_branch(yq_ctx *, enum yq_kind, yq_loc, yq_tok, yq_vec);
yq_node *yq_binary(yq_ctx *, yq_loc, yq_tok op, yq_node *, yq_node *);
yq_node *yq_unary(yq_ctx *, yq_loc, yq_tok op, yq_node *);
yq_node *yq_pair(yq_ctx *, yq_loc, yq_tok op, yq_node *, yq_node *);
yq_node *yq_wrap(yq_ctx *, yq_loc, yq_node *);
yq_vec yq_vec1(yq_ctx *, yq_node *);
yq_vec yq_add(yq_ctx *, yq_vec, yq_node *);
yq_vec yq_skip(yq_ctx *, yq_vec, uint32_t holes, uint32_t at); /* omitted arguments */
yq_vec yq_front(yq_ctx *, yq_node *, yq_vec);
yq_vec yq_join(yq_ctx *, yq_vec, yq_vec);

#endif

/*
 * body.h - the Body of an execution plan: a function body in a small part of Python, and what runs
 * it for the simulated agent (docs/dry-run.md).
 *
 *     body_lex.c    text to tokens        body_parse.c   expressions   body_block.c   statements
 *     body_value.c  values and exceptions body_eval.c    expressions   body_run.c     statements
 *     body_op.c     operators             body_call.c    built-in functions
 *     body_method.c methods of values     body_text.c    methods of texts, % and format()
 *
 * A body comes from outside.  Its memory is one arena with a limit, its steps are counted, and its
 * nesting is bounded.  What is not simulated ends the run with an error that names it.
 *
 * A value is never freed before the body is, so lists may hold each other.
 */
#ifndef VT_SIM_BODY_H
#define VT_SIM_BODY_H

#include "runtime/core/exception.h"
#include "runtime/core/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BODY_BYTES = 1 << 16,  /* of its text */
	BODY_MEMORY = 1 << 24, /* of all that it makes */
	BODY_STEPS = 1 << 20,
	BODY_NESTING = 40, /* of expressions and blocks: the stack of a green thread is small */
	BODY_DEPTH = 60    /* of values */
};

/* ---- values ---- */

enum body_kind {
	BODY_SCALAR, /* v: None, a bool, a number, a text */
	BODY_LIST,
	BODY_TUPLE,
	BODY_SET,
	BODY_VIEW, /* name: its type; what can only be gone through: range(), keys(), zip() */
	BODY_DICT,
	BODY_RECORD,   /* a dict with attribute access: args, the result of a script */
	BODY_FUNCTION, /* name: of the language itself */
	BODY_METHOD,   /* name, of self */
	BODY_SCRIPT,   /* name; code: 1 when it is a member of the script */
	BODY_CLASS,    /* name: of exceptions */
	BODY_EXCEPTION /* name: its class; items: its arguments; code, self: of a script's */
};

typedef struct body_value body_value;
struct body_value {
	enum body_kind kind;
	uint32_t n, cap;
	vt_value v; /* borrowed: the body holds it */
	body_value **item;
	body_value **key; /* of dicts */
	const char *name;
	body_value *self;
	int code; /* what the agent answers: 1, or 100 for a script's */
};

/* ---- tokens ---- */

enum body_token_kind { TOK_END, TOK_LINE, TOK_INDENT, TOK_DEDENT, TOK_NAME, TOK_VALUE, TOK_OP };
typedef struct body_token {
	enum body_token_kind kind;
	const char *s; /* in the text of the body */
	uint32_t n, line;
	body_value *value;
} body_token;

/* ---- the tree ---- */

enum body_node_kind {
	EXPR_CONST,
	EXPR_NAME,
	EXPR_LIST,
	EXPR_TUPLE,
	EXPR_SET,
	EXPR_DICT,    /* keys and values by turns */
	EXPR_EACH,    /* [a for b in c if items] */
	EXPR_MEMBER,  /* a.text */
	EXPR_INDEX,   /* a[b] */
	EXPR_SLICE,   /* a[items[0]:items[1]:items[2]]; NULL where nothing stands */
	EXPR_CALL,    /* a(items) */
	EXPR_KEYWORD, /* text=a, in a call */
	EXPR_UNARY,
	EXPR_BINARY,
	EXPR_COMPARE, /* items[0] ops[0] items[1] ... */
	EXPR_AND,
	EXPR_OR,
	EXPR_IF,      /* a if b else c */
	STAT_EXPR,    /* a */
	STAT_ASSIGN,  /* items = a */
	STAT_CHANGE,  /* a op= b */
	STAT_RETURN,  /* a or NULL */
	STAT_IF,      /* if a: b else: c */
	STAT_WHILE,   /* while a: b else: c */
	STAT_FOR,     /* for items[0] in a: b else: c */
	STAT_TRY,     /* try: a; items: handlers; else: b; finally: c */
	STAT_HANDLER, /* except a as name: b */
	STAT_RAISE,   /* a or NULL */
	STAT_PASS,
	STAT_BREAK,
	STAT_CONTINUE,
	STAT_BLOCK /* items */
};

/* What a unary, binary or comparing operator is. */
enum body_op {
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_FLOOR,
	OP_MOD,
	OP_NOT,
	OP_PLUS,
	OP_MINUS,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_IN,
	OP_NOT_IN,
	OP_IS,
	OP_IS_NOT
};

typedef struct body_node body_node;
struct body_node {
	enum body_node_kind kind;
	enum body_op op;
	uint32_t line, n, slot; /* slot: of a name */
	body_node *a, *b, *c;
	body_node **item;
	uint8_t *ops;
	const char *text;
	body_value *value;
};

/* A name of the body, and what it stands for. */
typedef struct body_slot {
	const char *name;
	body_value *value;
	bool local; /* something assigns it */
} body_slot;

/* ---- a body ---- */

/* A script was called with a command line, or a value for Chef and Puppet; its result, or NULL with
 * an exception. */
typedef struct body body;
typedef body_value *body_script_fn(body *, void *ctx, const char *script, body_value *given);

struct body {
	vt_rt *rt;
	struct body_chunk *chunks;
	size_t room;     /* bytes left of BODY_MEMORY */
	uint32_t steps;  /* left */
	vt_value *owned; /* what the values borrow */
	size_t nowned;
	char *text; /* of the body, without its indent */
	body_token *tokens;
	uint32_t at, ntokens; /* the parser's place */
	int nesting, loops;
	uint32_t line; /* of the Body, that is read or run */
	body_slot *slots;
	uint32_t nslots;
	vt_value slot_of;   /* name -> number of its slot */
	char *unable;       /* why the body cannot be simulated; no except catches it */
	char *syntax;       /* why it is no Python */
	body_value *raised; /* the exception on its way */
	body_value *caught; /* what a bare `raise` raises */
	body_value *result;
	vt_value scripts; /* of the plan */
	body_value *args;
	body_script_fn *call;
	void *ctx;
};

/* ---- body_value.c ---- */

void body_open(body *, vt_rt *);
void body_close(body *);
void *body_alloc(body *, size_t); /* zeroed; the body's */
/* Takes from the limits; false: they are used up, and `unable` says so. */
bool body_charge(body *, size_t bytes);
bool body_step(body *, size_t steps);
bool body_stopped(const body *); /* an exception, or `unable` */
bool body_too_deep(body *);      /* the stack is nearly used up: `unable` */
/* NULL always. */
body_value *body_raise(body *, const char *type, const char *fmt, ...) VT_PRINTF(3, 4);
body_value *body_raise_pending(body *); /* what the runtime raised */
body_value *body_unable(body *, const char *fmt, ...) VT_PRINTF(2, 3);
body_value *body_scalar(body *, vt_value owned);
body_value *body_text(body *, const char *, size_t);
body_value *body_int(body *, int64_t);
body_value *body_bool(body *, bool);
body_value *body_none(body *);
body_value *body_new(body *, enum body_kind);
body_value *body_named(body *, enum body_kind, const char *name);
bool body_push(body *, body_value *list, body_value *item);
bool body_is_text(const body_value *);
bool body_is_none(const body_value *);
bool body_is_sequence(const body_value *); /* a list or a tuple */
bool body_is_dict(const body_value *);
const char *body_type(const body_value *); /* as Python names it */
bool body_true(const body_value *);
/* Dicts.  body_key: is the value one?  Raises otherwise. */
bool body_key(body *, const body_value *);
body_value *body_get(body *, const body_value *dict, const body_value *key);
body_value *body_get_c(body *, const body_value *dict, const char *key);
bool body_set(body *, body_value *dict, body_value *key, body_value *value);
bool body_set_c(body *, body_value *dict, const char *key, body_value *value);
bool body_remove(body *, body_value *dict, const body_value *key);
/* A value of the plan.  `record`: the outermost dict has attributes. */
body_value *body_from(body *, vt_value, bool record);
/* As JSON holds it, owned.  false: JSON cannot; nothing is raised. */
bool body_to_json(body *, const body_value *, vt_value *out);
/* As the runtime has it, and str() and repr() of it; owned.  VT_UNDEF: `unable`. */
vt_value body_plain(body *, const body_value *);
vt_value body_str(body *, const body_value *);
vt_value body_repr(body *, const body_value *);

/* ---- body_lex.c, body_parse.c, body_block.c ---- */

/* Of a text of the body, with its indent taken away.  false: syntax or unable is set. */
bool body_lex(body *, const char *, size_t);
body_node *body_parse(body *); /* the block; NULL: syntax or unable is set */
/* For the parser's two files. */
body_node *body_node_new(body *, enum body_node_kind);
body_node *body_syntax(body *, const char *fmt, ...) VT_PRINTF(2, 3);
body_node *body_unlike(body *, const char *construct);
const body_token *body_peek(const body *);
bool body_at(const body *, const char *word); /* an operator or a keyword */
bool body_take(body *, const char *word);
bool body_expect(body *, const char *word);
bool body_name(body *, body_node *); /* takes a name, into slot and text */
bool body_deeper(body *);
void body_add(body *, body_node *list, body_node *item);
body_node *body_expression(body *);
body_node *body_expressions(body *);       /* a tuple where a comma follows */
body_node *body_targets(body *, bool own); /* of `for`; own: of a comprehension */
bool body_assigns(body *, body_node *target);

/* ---- body_eval.c, body_run.c, body_op.c ---- */

body_value *body_eval(body *, const body_node *);
bool body_assign(body *, const body_node *target, body_value *);
void body_run(body *, const body_node *block); /* sets result, raised or unable */
/* The i-th item of something that can be gone through; NULL: there is none, or *bad. */
body_value *body_nth(body *, body_value *, uint32_t i, bool *bad);
body_value *body_binary(body *, enum body_op, body_value *, body_value *);
body_value *body_unary(body *, enum body_op, body_value *);
bool body_equal(body *, const body_value *, const body_value *);
/* -1, 0 or 1; false: they have no order, raised. */
bool body_order(body *, enum body_op, const body_value *, const body_value *, int *out);
bool body_in(body *, body_value *item, body_value *of, bool *bad);
body_value *body_item(body *, body_value *, body_value *index);
body_value *body_slice(body *, body_value *, body_value *const *three);
bool body_set_item(body *, body_value *, body_value *index, body_value *);

/* ---- body_call.c, body_method.c, body_text.c ---- */

typedef struct body_args {
	body_value **v;
	uint32_t n;
	body_value *named; /* a dict, or NULL */
} body_args;
body_value *body_call(body *, body_value *callee, const body_args *);
/* A function, an exception's class; NULL: there is none of that name, or `unable`. */
body_value *body_builtin(body *, const char *name);
bool body_is_a(const char *type, const char *base); /* of classes of exceptions */
body_value *body_member(body *, body_value *, const char *name);
body_value *body_method(body *, const char *name, body_value *self, const body_args *);
bool body_has_method(body *, const body_value *, const char *name);
body_value *body_text_method(body *, const char *name, body_value *self, const body_args *);
body_value *body_percent(body *, body_value *pattern, body_value *values);
bool body_sort(body *, body_value *list, bool reverse);
/* Raises when there are others than so many, or any with a name. */
bool body_arity(body *, const char *what, const body_args *, uint32_t least, uint32_t most);
bool body_index(body *, const body_value *, int64_t *out); /* an integer; raises otherwise */
body_value *body_list_of(body *, body_value *);            /* list(v) */
body_value *body_view(body *, body_value *list, const char *type); /* NULL stays NULL */

bool body_has_word(const char *words, const char *word, size_t n);

#endif

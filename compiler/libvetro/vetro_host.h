/*
 * vetro_host.h - what a binding of another language needs of libvetro beyond vetro.h: objects,
 * functions and iterators of the host as values, exact kinds, errors that carry a value, the
 * library's functions one by one, and the syntax tree of an expression.
 *
 * The conventions of vetro.h hold: what is returned is owned unless a comment says "borrowed".
 */
#ifndef VETRO_HOST_H
#define VETRO_HOST_H

#include "vetro.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- exact kinds -------------------------------------------------------------------------- */

/* What vetro_kind_of() leaves open. */
typedef enum vetro_form {
	VETRO_FORM_PLAIN, /* the kind says all */
	VETRO_FORM_TUPLE, /* of VETRO_LIST: an immutable one */
	VETRO_FORM_LIST,
	VETRO_FORM_FROZEN, /* of VETRO_DICT: an immutable one */
	VETRO_FORM_DICT,
	VETRO_FORM_ITERATOR, /* of VETRO_LAZY; items come once */
	VETRO_FORM_MEMO,     /* items are remembered */
	VETRO_FORM_ORDERING, /* what orderBy() gives */
	VETRO_FORM_KEYS,
	VETRO_FORM_VALUES,
	VETRO_FORM_ITEMS,
	VETRO_FORM_DATE,  /* of VETRO_DATETIME: a day without a time */
	VETRO_FORM_REGEX, /* of VETRO_OTHER */
	VETRO_FORM_CONTEXT,
	VETRO_FORM_MAPPING,
	VETRO_FORM_OBJECT,  /* of vetro_object() */
	VETRO_FORM_NO_VALUE /* the marker of an argument that is not given */
} vetro_form;
VETRO_API vetro_form vetro_form_of(vetro_value); /* Which of these a value is. */
/* The name that messages of the language have for the value's type: "tuple", "generator".
 * Borrowed. */
VETRO_API const char *vetro_type_name(vetro_value);

/* An immutable list; takes the items, also when it fails. NULL: one of them is no value. */
VETRO_API vetro_value vetro_tuple(vetro_engine *, size_t n, const vetro_value *items);
/* The same for a list. */
VETRO_API vetro_value vetro_list_of(vetro_engine *, size_t n, const vetro_value *items);
/* An immutable dict of n pairs, key, value, key, value; takes them, also when it fails. A later
 * equal key wins and has the earlier one's place. NULL: a key cannot be hashed. */
VETRO_API vetro_value vetro_frozen(vetro_engine *, size_t n, const vetro_value *pairs);
/* A set; takes the items, also when it fails. NULL: one of them cannot be hashed. */
VETRO_API vetro_value vetro_set(vetro_engine *, size_t n, const vetro_value *items);
/* The items of a set, from *pos on, which is 0 at first. 1 and *item, borrowed; 0 at the end. */
VETRO_API int vetro_set_next(vetro_value, size_t *pos, vetro_value *item);
/* The dict behind keys(), values() or items(); borrowed, or NULL. */
VETRO_API vetro_value vetro_view_dict(vetro_value);
/* Both sides of a mapping, borrowed. -1: it is none. */
VETRO_API int vetro_mapping_parts(vetro_value, vetro_value *key, vetro_value *value);
/* key => value as a value; takes both. */
VETRO_API vetro_value vetro_mapping(vetro_engine *, vetro_value key, vetro_value value);
/* The marker of an argument that is not given. It is not counted. */
VETRO_API vetro_value vetro_no_value(void);

/* Microseconds since 0001-01-01T00:00 in the value's own time, which is `offset` seconds east of
 * UTC. naive: it has no offset. A VETRO_FORM_DATE has none either. Getting them: 0, or -1 when
 * the value is no date. */
VETRO_API vetro_value vetro_datetime(vetro_engine *, int64_t us, int32_t offset, int naive);
VETRO_API int vetro_get_datetime(vetro_value, int64_t *us, int32_t *offset, int *naive);
/* Microseconds. Getting them: 0, or -1 when the value is no timespan. */
VETRO_API vetro_value vetro_timespan(vetro_engine *, int64_t us);
VETRO_API int vetro_get_timespan(vetro_value, int64_t *us);
/* Flags as Python's re has them. NULL: it is no regular expression. */
VETRO_API vetro_value vetro_regex(
	vetro_engine *, const char *pattern, size_t n, int64_t flags, vetro_error **);
/* The pattern, borrowed, and its flags; NULL when the value is no regular expression. */
VETRO_API const char *vetro_get_regex(vetro_value, size_t *n, int64_t *flags);

/* ---- values of the host ------------------------------------------------------------------- */

typedef struct vetro_text vetro_text;
/* Adds bytes to the text that a callback makes. */
VETRO_API void vetro_put(vetro_text *, const char *, size_t n);

/* What expressions may do with an object of the host: compare, hash, show, test. A member may be
 * NULL. Members are called while an evaluation runs and must not evaluate. */
typedef struct vetro_object_type {
	const char *(*type)(void *user); /* for messages; borrowed */
	int (*equal)(void *user, void *other);
	int (*hash)(void *user, uint64_t *hash); /* 0, or -1: it cannot be hashed */
	void (*text)(void *user, int repr, vetro_text *);
	int (*truth)(void *user);
	void (*drop)(void *user);
} vetro_object_type;
/* A value of an object; type and user stay until drop() is called. */
VETRO_API vetro_value vetro_object(vetro_engine *, const vetro_object_type *, void *user);
/* The user pointer of an object of that type; NULL: it is none. */
VETRO_API void *vetro_object_user(vetro_value, const vetro_object_type *);

/* Fails with vetro_fail(). variables: what a function of the library sets for its lambda, such as
 * the groups of a match; or NULL. */
typedef vetro_value vetro_callable_function(
	vetro_engine *, size_t n, const vetro_value *args, vetro_value variables, void *user);
/* A function as a value, for delegates and in place of lambdas. */
VETRO_API vetro_value vetro_callable(
	vetro_engine *, vetro_callable_function *, void *user, void (*drop)(void *));
/* The user pointer of a value of that function; NULL: it is none. */
VETRO_API void *vetro_callable_user(vetro_value, vetro_callable_function *);

/* Items one at a time. next: 1 and *item, owned; 0 at the end; -1 after vetro_fail(). */
typedef struct vetro_lazy_type {
	const char *name; /* as vetro_type_name() */
	int (*next)(vetro_engine *, void *user, vetro_value *item);
	void (*drop)(void *user);
} vetro_lazy_type;
/* A value whose items the host gives; it may be endless. type and user stay until drop(). */
VETRO_API vetro_value vetro_lazy(vetro_engine *, const vetro_lazy_type *, void *user);
/* The user pointer of a value of that type; NULL: it is none. */
VETRO_API void *vetro_lazy_user(vetro_value, const vetro_lazy_type *);

/* Fails what runs with an error of that type that carries a value; value (borrowed) may be NULL.
 * Always NULL. */
VETRO_API vetro_value vetro_fail(
	vetro_engine *, const char *type, const char *message, vetro_value value);
/* The value that an error carries: that of vetro_fail(), the key of a KeyError. Borrowed, or
 * NULL. */
VETRO_API vetro_value vetro_error_value(const vetro_error *);
/* Where the expression of a parse error goes wrong: the byte, and the text there (borrowed; NULL
 * at the end of the expression). -1: it is no such error. */
VETRO_API int vetro_error_token(const vetro_error *, size_t *at, const char **token);

/* Variables that stand between the expression and the place of the call ($, $1, $name of lambdas,
 * let and with), those of inner scopes first: a dict by name without the $, owned. NULL: there are
 * none. */
VETRO_API vetro_value vetro_call_variables(vetro_call *);

/* Flags of vetro_register(): functions of a larger level hide equally fitting ones of smaller
 * levels. 1 to 255. */
#define VETRO_LEVEL(n) ((unsigned)(n) << 8)

/* ---- operators ---------------------------------------------------------------------------- */

typedef enum vetro_operator_kind {
	VETRO_UNARY_PREFIX,
	VETRO_UNARY_SUFFIX,
	VETRO_BINARY_LEFT, /* a op b op c is (a op b) op c */
	VETRO_BINARY_RIGHT
} vetro_operator_kind;
/*
 * Adds an operator to the expressions that are compiled and parsed from now on.  It binds as strong
 * as an existing one or, with new_level, is the next weaker one; existing NULL: as strong as ".",
 * or stronger.  binary says which one is meant where a symbol is both ("-").  A symbol is a word,
 * or some of !#%&*+-./:;<=>?@\^|~ where the longest wins.  It calls the function #operator_SYMBOL,
 * #unary_operator_SYMBOL or, with an alias, *ALIAS: see vetro_register().  -1: "ValueError", there
 * is no such existing operator; "InvalidOperatorTableException", the symbol has such a use already;
 * "UsageError".  On a level, what associates to the right or stands behind its value is stronger.
 */
VETRO_API int vetro_insert_operator(vetro_engine *, const char *existing, int binary,
	const char *symbol, vetro_operator_kind, int new_level, const char *alias, vetro_error **);

/* ---- the library -------------------------------------------------------------------------- */

/* One overload of a function of the language. Constant. */
typedef struct vetro_builtin vetro_builtin;
enum { VETRO_LAYER_STANDARD = 1, VETRO_LAYER_LEGACY = 2, VETRO_LAYER_DELEGATES = 4 };
/* The overloads in their order, from 0 on; NULL behind the last one. */
VETRO_API const vetro_builtin *vetro_builtin_at(size_t i);
VETRO_API const char *vetro_builtin_name(const vetro_builtin *); /* Constant. */
/* VETRO_FUNCTION, VETRO_METHOD or VETRO_EXTENSION, with VETRO_EXCLUSIVE and VETRO_NO_KEYWORDS. */
VETRO_API unsigned vetro_builtin_flags(const vetro_builtin *);
VETRO_API unsigned vetro_builtin_layer(const vetro_builtin *); /* One of VETRO_LAYER_... */
typedef struct vetro_parameter {
	const char *name, *type; /* as in the signatures of vetro_register() */
	int nullable, kind;      /* kind: 0, or 1 for *rest and 2 for **kw */
	vetro_value value;       /* the default, owned; NULL: it has none */
} vetro_parameter;
/* 0 and parameter i filled, or -1: it has no such parameter. */
VETRO_API int vetro_builtin_parameter(
	vetro_engine *, const vetro_builtin *, size_t i, vetro_parameter *);
/*
 * Calls the overload, without looking for others.  Lazy parameters take values of vetro_callable().
 * args are by position; NULL is an argument that is left out. keywords: a dict, or NULL.  The
 * engine's options hold.
 */
VETRO_API vetro_value vetro_builtin_call(vetro_engine *, const vetro_builtin *, size_t n,
	const vetro_value *args, vetro_value keywords, vetro_error **);

/* ---- the syntax tree ---------------------------------------------------------------------- */

typedef enum vetro_node_kind {
	VETRO_NODE_NULL,
	VETRO_NODE_TRUE,
	VETRO_NODE_FALSE,
	VETRO_NODE_INT,   /* text: digits */
	VETRO_NODE_FLOAT, /* text: as written */
	VETRO_NODE_STRING,
	VETRO_NODE_WORD,     /* a bare word */
	VETRO_NODE_VARIABLE, /* text: without the $ */
	VETRO_NODE_CALL,     /* text: the name; parts: arguments */
	VETRO_NODE_INVOKE,   /* parts: a value that is called, arguments */
	VETRO_NODE_BINARY,   /* text: the operator */
	VETRO_NODE_UNARY,
	VETRO_NODE_INDEX, /* parts: the collection, arguments */
	VETRO_NODE_LIST,
	VETRO_NODE_MAP,
	VETRO_NODE_MAPPING, /* parts: both sides of => */
	VETRO_NODE_PARENTHESES,
	VETRO_NODE_NOTHING /* an argument that is left out */
} vetro_node_kind;
typedef struct vetro_tree vetro_tree;
typedef struct vetro_node vetro_node;
/* Parses with the engine's options and generates no code: some microseconds. NULL on an error. */
VETRO_API vetro_tree *vetro_parse(vetro_engine *, const char *text, size_t n, vetro_error **);
VETRO_API void vetro_tree_free(vetro_tree *); /* Frees it with its nodes; NULL is allowed. */
/* The node of the whole expression; nodes live as long as their tree. */
VETRO_API const vetro_node *vetro_tree_root(const vetro_tree *);
VETRO_API vetro_node_kind vetro_node_kind_of(const vetro_node *); /* What it is. */
/* What its kind says of the text, borrowed; there is no NUL behind it. */
VETRO_API const char *vetro_node_text(const vetro_node *, size_t *n);
VETRO_API size_t vetro_node_parts(const vetro_node *); /* How many parts it has. */
/* Part i, borrowed, from 0 on; NULL: there is none. */
VETRO_API const vetro_node *vetro_node_part(const vetro_node *, size_t i);
/* The bytes [from, to) of the text, and where the operator or the name stands. */
VETRO_API void vetro_node_place(const vetro_node *, size_t *from, size_t *to, size_t *at);

#ifdef __cplusplus
}
#endif
#endif

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
/* Microseconds. Getting them: 0, or -1 when the value is no timespan, or a longer one. */
VETRO_API vetro_value vetro_timespan(vetro_engine *, int64_t us);
VETRO_API int vetro_get_timespan(vetro_value, int64_t *us);
/* The same in days, at most 999,999,999 either way (else NULL), and microseconds; those that are
 * got are at least 0 and less than a day. */
VETRO_API vetro_value vetro_timespan_of(vetro_engine *, int64_t days, int64_t us);
VETRO_API int vetro_get_timespan_of(vetro_value, int64_t *days, int64_t *us);
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

/* Names of a member outside and inside; keywords: the same of arguments, pairs, until NULL; or
 * NULL. */
typedef struct vetro_rename {
	const char *shown, *inner;
	const char *const *keywords;
} vetro_rename;
enum { VETRO_NO_ATTRIBUTES = 1, VETRO_NO_METHODS = 2, VETRO_NO_ITEMS = 4 };
/*
 * What expressions see of an object: object.name, object.name(...), object[key].  A callback gets
 * inner names; it fails with vetro_fail(), or gives NULL where there is no such member.  Names that
 * begin with _ are hidden, and so are inner names of others. An object with methods has no
 * functions but these. size is sizeof(vetro_members); the rest may be NULL.
 */
typedef struct vetro_members {
	size_t size;
	unsigned hidden;             /* VETRO_NO_..., or 0 */
	const char *const *white;    /* until NULL: only these are shown */
	const char *const *black;    /* these are not, where there is no white list */
	const vetro_rename *renames; /* until shown is NULL */
	int (*shows)(void *user, const char *name); /* 0: it is hidden */
	vetro_value (*get)(vetro_engine *, void *user, const char *name);
	vetro_value (*call)(vetro_engine *, void *user, const char *name, size_t n,
		const vetro_value *args, vetro_value keywords); /* keywords: a dict, or NULL */
	vetro_value (*item)(vetro_engine *, void *user, vetro_value key);
	vetro_value (*items)(
		vetro_engine *, void *user); /* makes it a collection: a vetro_lazy() */
} vetro_members;
/* As vetro_object(), with members that expressions see. NULL: their size is too small. */
VETRO_API vetro_value vetro_object_with(
	vetro_engine *, const vetro_object_type *, const vetro_members *, void *user);

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

/* ---- types of parameters ------------------------------------------------------------------ */

/*
 * What a parameter takes.  Signatures name such a type as they name others: even|str takes either,
 * small&even what both take, any-even all but that.  null passes by ? only.  Members may be NULL,
 * and callbacks may evaluate.
 */
typedef struct vetro_type {
	size_t size; /* sizeof(vetro_type) */
	/* The argument is not evaluated: callbacks see a lambda, or the value of a literal. */
	int lazy;
	int (*check)(vetro_engine *, vetro_value, void *user); /* is it one? */
	/* What the function gets for it; NULL after vetro_fail(). */
	vetro_value (*convert)(vetro_engine *, vetro_value, void *user);
	int (*is_special)(const char *other, void *user); /* goes before that type in overloads */
} vetro_type;
/* Makes the type known to signatures from now on; it stays until the engine is freed. */
VETRO_API int vetro_register_type(vetro_engine *, const char *name, const vetro_type *, void *user,
	void (*drop)(void *), vetro_error **);

/* ---- contexts ----------------------------------------------------------------------------- */

/*
 * A context is a level of variables and functions around which stands its parent: a value, of form
 * VETRO_FORM_CONTEXT.  Around the outermost one are the functions of the engine.  parent: or NULL.
 * Functions that get a value which is no context give NULL, or -1.
 */
VETRO_API vetro_value vetro_context(vetro_engine *, vetro_value parent);
/* One level that shows those of several contexts, and around it one of their parents. What is set
 * goes to the first. At most 1,000 levels. */
VETRO_API vetro_value vetro_context_of(vetro_engine *, size_t n, const vetro_value *contexts);
/* The levels of a context, with another parent around them. */
VETRO_API vetro_value vetro_context_linked(vetro_engine *, vetro_value parent, vetro_value context);
VETRO_API vetro_value vetro_context_parent(vetro_value); /* Borrowed; NULL around the outermost. */
/* Sets a variable, "$name" or "name"; "$" is $1. value NULL: takes it away, -1 where it is not. */
VETRO_API int vetro_context_set(
	vetro_engine *, vetro_value context, const char *name, vetro_value value);
/* A variable of the context or of those around it, borrowed; NULL: it is not set. */
VETRO_API vetro_value vetro_context_get(vetro_engine *, vetro_value context, const char *name);
/* The names of the variables of this level, without the $: a list. */
VETRO_API vetro_value vetro_context_names(vetro_engine *, vetro_value context);
/* vetro_register() for who sees the context; levels and VETRO_OUTERMOST mean nothing here. */
VETRO_API int vetro_context_register(vetro_engine *, vetro_value context, const char *name,
	const char *params, unsigned flags, vetro_function *, void *user, void (*drop)(void *),
	vetro_error **);
/* VETRO_CONVENTION for what is registered from now on in the context, and in those inside of it
 * that have none of their own. -1: there is no such context, or no such convention. */
VETRO_API int vetro_context_convention(vetro_engine *, vetro_value context, int64_t convention);
/* Takes the functions of that name away from this level. -1: there are none, or an evaluation is
 * going on. */
VETRO_API int vetro_context_remove(vetro_engine *, vetro_value context, const char *name);
/*
 * What is applied to the result of each evaluation from now on, in place of the conversion; context
 * NULL: of those without a context, too.  It is the function #finalize, with one argument, and
 * takes the place of an earlier one there; vetro_super() calls that of an outer context, and in the
 * end the conversion.  -1: there is no such context, or an evaluation is going on.
 */
VETRO_API int vetro_finalizer(vetro_engine *, vetro_value context, vetro_function *, void *user,
	void (*drop)(void *), vetro_error **);
/* Evaluates with the variables and functions of a context. data NULL: $ is that of the context. */
VETRO_API vetro_value vetro_evaluate_in(
	vetro_query *, vetro_value data, vetro_value context, vetro_error **);

/* ---- what a function of the host may ask for ---------------------------------------------- */

/* A new context inside of what stands around the call. */
VETRO_API vetro_value vetro_call_context(vetro_call *);
/* What the function is called on as a method, borrowed; NULL: it is called as a function. */
VETRO_API vetro_value vetro_call_receiver(vetro_call *);
VETRO_API const char *vetro_call_name(vetro_call *); /* By what name it is registered. Borrowed. */
/* Calls what the running function hides: overloads of its name further out, on that receiver, or
 * with NULL as functions. keywords: a dict, or NULL. */
VETRO_API vetro_value vetro_super(vetro_call *, vetro_value receiver, size_t n,
	const vetro_value *args, vetro_value keywords, vetro_error **);
/* Calls a function by its name, or with a receiver a method, as an expression there would; context
 * NULL: what the engine has. An argument that is NULL is left out. */
VETRO_API vetro_value vetro_invoke(vetro_engine *, vetro_value context, vetro_value receiver,
	const char *name, size_t n, const vetro_value *args, vetro_value keywords, vetro_error **);
/*
 * As vetro_apply(), but in a context instead of where the lambda stands (or NULL), and on a
 * receiver, which only what is written as a call has: f(1) is receiver.f(1) then.  keywords are
 * $name in it.
 */
VETRO_API vetro_value vetro_apply_in(vetro_engine *, vetro_value lambda, vetro_value context,
	vetro_value receiver, size_t n, const vetro_value *args, vetro_value keywords,
	vetro_error **);
/* The expression of a lambda as it is written, borrowed, for vetro_parse(); NULL: it has none. */
VETRO_API const char *vetro_lambda_text(vetro_value, size_t *n);

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

/* What stands between name and value of a keyword argument, => at first, in what is compiled and
 * parsed from now on; NULL: nothing does. -1 as above. */
VETRO_API int vetro_keyword_operator(vetro_engine *, const char *symbol, vetro_error **);

/* ---- the library -------------------------------------------------------------------------- */

/* One overload of a function of the language. Constant. */
typedef struct vetro_builtin vetro_builtin;
/* Groups of functions, bits of VETRO_LEFT_OUT. Where one is left out, or a function of the host
 * hides an operator, operators are called as functions are, which takes longer. */
enum {
	VETRO_GROUP_SYSTEM = 1,
	VETRO_GROUP_COMMON = 2,
	VETRO_GROUP_BOOLEAN = 4,
	VETRO_GROUP_STRINGS = 8,
	VETRO_GROUP_MATH = 16,
	VETRO_GROUP_COLLECTIONS = 32,
	VETRO_GROUP_SETS = 64, /* of the collections, what is about sets */
	VETRO_GROUP_QUERIES = 128,
	VETRO_GROUP_REGEX = 256,
	VETRO_GROUP_BRANCHING = 512,
	VETRO_GROUP_DATETIME = 1024
};
VETRO_API unsigned vetro_builtin_group(const vetro_builtin *); /* One of VETRO_GROUP_..., or 0. */
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

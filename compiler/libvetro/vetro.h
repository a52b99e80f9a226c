/* vetro.h - YAQL expressions in a program of your own: compile once, evaluate often.  And Yay
 * configurations: load, ask for parts.
 *
 *	vetro_engine *e = vetro_engine_new();
 *	vetro_query *q = vetro_compile(e, "$.where($ > 2).sum()", VETRO_ZSTR, NULL);
 *	char *text = vetro_evaluate_json(q, "[1, 2, 3, 4]", VETRO_ZSTR, NULL, 0, NULL, NULL); // 7
 *	vetro_free_text(text);
 *	vetro_query_free(q);
 *	vetro_engine_free(e);
 *
 * Link with `pkg-config --cflags --libs vetro`.  docs/libvetro.md is the guide.
 *
 * OWNERSHIP.  What a function returns belongs to the caller, unless its comment says "borrowed":
 * that lives as long as the value it came from.  Arguments are borrowed: a function that keeps one
 * takes a reference of its own.  Three functions take what they are given, also when they fail:
 * vetro_list_push, vetro_dict_put and vetro_dict_put_name.  Values and queries belong to the engine
 * that made them, must be released before it, and must not be handed to another one.
 *
 * ERRORS.  Functions that can fail return NULL or -1 and take a vetro_error **, which may be NULL.
 * Else *err receives a new error on failure, released with vetro_error_free, and is left alone on
 * success.
 *
 * THREADS.  An engine, its queries and its values are used by one thread at a time; which one may
 * change between calls. Different engines are independent, and vetro_share() gives several of them
 * one expression.  Compiling takes a lock of the process while the code generator runs, evaluating
 * takes none. A thread needs a stack of a megabyte for ordinary expressions.
 *
 * MEMORY.  An engine keeps the code of the last 256 texts besides those whose queries are held;
 * compiling one of them again with the same options costs next to nothing.  Code that a value may
 * point into stays until its engine is freed.  When the system has no memory left, the process ends
 * with status 3.
 *
 * STRINGS are UTF-8.  A length of VETRO_ZSTR means that the text ends at its NUL.
 */
#ifndef VETRO_H
#define VETRO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VETRO_API __attribute__((visibility("default")))
#define VETRO_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define VETRO_API
#define VETRO_PRINTF(a, b)
#endif

#define VETRO_ZSTR ((size_t)-1)

typedef struct vetro_engine vetro_engine;
typedef struct vetro_query vetro_query;
typedef struct vetro_shared vetro_shared;
typedef struct vetro_error vetro_error;
typedef struct vetro_iter vetro_iter;
typedef struct vetro_call vetro_call;
/* A counted reference to a value that never changes once it is shared. NULL is "no value" and is
 * not null. */
typedef struct vetro_value_tag *vetro_value;

/* The version of the library that runs, such as "0.1.0". Constant. */
VETRO_API const char *vetro_version(void);

/* ---- engines ------------------------------------------------------------------------------ */

/* A new engine with default options. Never NULL. */
VETRO_API vetro_engine *vetro_engine_new(void);
/* Frees the engine with all code and all registered functions. Values, iterators and queries must
 * be gone before. NULL is allowed. Not from a function that the engine calls. */
VETRO_API void vetro_engine_free(vetro_engine *);

typedef enum vetro_option {
	/* Of expressions that are compiled from now on. */
	VETRO_LIMIT_ITERATORS, /* how many items a collection may give: -1, no limit */
	VETRO_MEMORY_QUOTA,    /* bytes that values may take: -1, no limit */
	VETRO_TUPLES_TO_LISTS, /* results: 1 */
	VETRO_SETS_TO_LISTS,   /* results: 0 */
	VETRO_ITERABLE_DICTS,  /* a dict counts as a collection of its keys: 0 */
	VETRO_CONVERT_INPUT,   /* documents get the immutable forms that expressions work with: 1 */
	VETRO_CONVERT_OUTPUT,  /* results are lists and dicts, nothing lazy is left: 1 */
	VETRO_LEGACY,          /* the older dialect, in which => is an operator: 0 */
	VETRO_DELEGATES,       /* values can be called, $f(1): 0 */
	VETRO_EXPRESSION_SIZE, /* bytes of an expression: 262144 */
	/* Of everything from now on. */
	VETRO_TIME_LIMIT, /* milliseconds an evaluation may take: 0, no limit */
	VETRO_JSON_DEPTH, /* nesting of JSON that is read: 1000, at most 10000 */
	VETRO_LUA_STEPS,  /* of Lua, before the first script; instructions a call: 200,000,000 */
	VETRO_LUA_MEMORY, /* bytes of all scripts together: 268,435,456 */
	VETRO_LUA_UNSAFE, /* scripts see io, os, package, debug and load: 0 */
	/* Of configurations that are made from now on. */
	VETRO_YAY_STEPS, /* rows evaluated: 50,000,000 */
	VETRO_YAY_TEXT,  /* bytes of one text, bits of one number: 67,108,864 */
	/* Of expressions again: the functions that come with a dialect, below another grammar. */
	VETRO_LEGACY_FUNCTIONS,   /* 0; VETRO_LEGACY brings them too */
	VETRO_DELEGATE_FUNCTIONS, /* 0; VETRO_DELEGATES brings them too */
	VETRO_LEFT_OUT,           /* groups of functions that are not there: 0; vetro_host.h */
	VETRO_GROUP_BY_FALLBACK,  /* groupBy() takes aggregators of YAQL 1.1.1, too: 1 */
	VETRO_CONVENTION          /* names: 0, or VETRO_CAMEL_CASE, VETRO_PYTHON_NAMES */
} vetro_option;

/* user_name() is registered as userName(); or as user_name(), and orderBy() is order_by(), too. */
enum { VETRO_CAMEL_CASE = 1, VETRO_PYTHON_NAMES = 2 };
/* 0, or -1 when there is no such option or the value is out of its range. */
VETRO_API int vetro_engine_set(vetro_engine *, vetro_option, int64_t value);
/* The option's value, or INT64_MIN when there is no such option. */
VETRO_API int64_t vetro_engine_get(const vetro_engine *, vetro_option);

/* ---- errors ------------------------------------------------------------------------------- */

/*
 * type is the name of the exception class: "YaqlGrammarException" and "YaqlLexicalException" for a
 * text that is no expression, "NoMatchingFunctionException", "TypeError", "KeyError" and so on when
 * an evaluation fails; "TimeoutError" for the time limit, "ValueError" for JSON that is none,
 * "LuaError", and "UsageError" for a call that this header does not allow. A type of your own comes
 * as you raised it, with its dots. Line and column count from 1, columns in characters, and are 0
 * when there is no place. Texts are borrowed.
 */
VETRO_API const char *vetro_error_type(const vetro_error *);
/* The reference's: "yaql.language.exceptions.NoMatchingFunctionException", "KeyError". */
VETRO_API const char *vetro_error_class(const vetro_error *);
/* What it says; its place. */
VETRO_API const char *vetro_error_message(const vetro_error *);
VETRO_API unsigned vetro_error_line(const vetro_error *);
VETRO_API unsigned vetro_error_column(const vetro_error *);
VETRO_API void vetro_error_free(vetro_error *); /* Frees an error; NULL is allowed. */
/*
 * Errors of configurations have files, and may have several places: 0 is where it went wrong (the
 * line and column above), the others led there; a circle has all of its places.  Of other errors
 * the file is NULL and there are no places.
 */
VETRO_API const char *vetro_error_file(const vetro_error *);
VETRO_API size_t vetro_error_places(const vetro_error *);
/* 0 and what is not NULL set, or -1: there is no such place. */
VETRO_API int vetro_error_place(
	const vetro_error *, size_t i, const char **file, unsigned *line, unsigned *column);

/* ---- queries ------------------------------------------------------------------------------ */

/* The expression as machine code, with the options the engine has now. NULL on an error. */
VETRO_API vetro_query *vetro_compile(
	vetro_engine *, const char *expression, size_t n, vetro_error **);
/* Frees a query; NULL is allowed.  Its results stay; its code is kept for a while, for the same
 * text again. */
VETRO_API void vetro_query_free(vetro_query *);

/*
 * Evaluates over a value: $ in the expression. data NULL: $ is null. vars: a dict whose names are
 * variables ($name; written with or without the $), or NULL.  The result, or NULL on an error. What
 * it has of a document of vetro_parse_json is shared with that, and stays as it is.
 *
 * May be called from a function that the engine calls.  The time limit holds for the outermost
 * evaluation; it is looked at whenever something is called and at every step of an iterator, so
 * that one long step (a regular expression that backtracks, a function of yours) ends first.
 */
VETRO_API vetro_value vetro_evaluate(
	vetro_query *, vetro_value data, vetro_value vars, vetro_error **);

/*
 * The expression of a query for engines in other threads, parsed and checked once, with the options
 * that it was compiled with.  Each thread asks for the query of its own engine, whose functions it
 * calls.  vetro_share is called where the query is used, the others by any thread.
 */
VETRO_API vetro_shared *vetro_share(vetro_query *, vetro_error **);
VETRO_API vetro_query *vetro_shared_query(vetro_engine *, vetro_shared *, vetro_error **);
VETRO_API void vetro_shared_free(vetro_shared *); /* The queries stay. NULL is allowed. */

/* How JSON is written: indented, with its keys in order, with \u.... for what is not ASCII. */
enum { VETRO_PRETTY = 1, VETRO_SORT_KEYS = 2, VETRO_ASCII = 4 };

/* The same from JSON text to JSON text, for vetro_free_text; *len, unless len is NULL, its length
 * without the NUL. */
VETRO_API char *vetro_evaluate_json(vetro_query *, const char *json, size_t n, vetro_value vars,
	unsigned flags, size_t *len, vetro_error **);

/* ---- JSON and documents ------------------------------------------------------------------- */

/* Reads one JSON text. The result can be evaluated over any number of times and needs no conversion
 * then. */
VETRO_API vetro_value vetro_parse_json(vetro_engine *, const char *json, size_t n, vetro_error **);
/* The form that evaluations convert a document to, made once for many: worth it for values built by
 * hand. */
VETRO_API vetro_value vetro_prepare(vetro_engine *, vetro_value, vetro_error **);
/* Text for vetro_free_text. Dates become texts, sets and lazy values arrays; a lazy value is used
 * up. */
VETRO_API char *vetro_write_json(
	vetro_engine *, vetro_value, unsigned flags, size_t *len, vetro_error **);
/* What str() of the language gives: for big integers, dates and messages. For vetro_free_text. */
VETRO_API char *vetro_to_text(vetro_engine *, vetro_value, size_t *len);
VETRO_API void vetro_free_text(char *); /* Frees such a text; NULL is allowed. */

/* ---- values ------------------------------------------------------------------------------- */

typedef enum vetro_kind {
	VETRO_NONE, /* NULL, no value */
	VETRO_NULL,
	VETRO_BOOL,
	VETRO_INT,    /* fits int64_t */
	VETRO_BIGINT, /* does not */
	VETRO_DOUBLE,
	VETRO_STRING,
	VETRO_LIST, /* lists and tuples */
	VETRO_DICT, /* in the order of insertion; keys are any values that can be hashed */
	VETRO_SET,
	VETRO_LAZY,   /* gives its items only to vetro_iterate, most kinds only once */
	VETRO_LAMBDA, /* for vetro_apply */
	VETRO_DATETIME,
	VETRO_TIMESPAN,
	VETRO_OTHER /* a regular expression, a context, an object of Lua: to be passed on */
} vetro_kind;

VETRO_API vetro_kind vetro_kind_of(vetro_value); /* What a value is. */
/* One more reference; returns the value. NULL is allowed. */
VETRO_API vetro_value vetro_ref(vetro_value);
VETRO_API void vetro_unref(vetro_value); /* One reference less; NULL is allowed. */

/* null, true or false, an integer, a double: never NULL. */
VETRO_API vetro_value vetro_null(void);
VETRO_API vetro_value vetro_bool(int);
VETRO_API vetro_value vetro_int(vetro_engine *, int64_t);
VETRO_API vetro_value vetro_double(vetro_engine *, double);
/* Decimal digits with an optional sign; NULL for any other text. */
VETRO_API vetro_value vetro_bigint(vetro_engine *, const char *digits, size_t n);
/* A copy; NULL when the bytes are no UTF-8 or more than 2 GiB. */
VETRO_API vetro_value vetro_string(vetro_engine *, const char *, size_t n);

/* An empty list, to be filled while nobody else has it. */
VETRO_API vetro_value vetro_list(vetro_engine *);
/* Appends and takes the item. -1 for no list, a list that is shared already, or no item. */
VETRO_API int vetro_list_push(vetro_engine *, vetro_value list, vetro_value item);
VETRO_API vetro_value vetro_dict(vetro_engine *); /* An empty dict, to be filled like a list. */
/* Sets a key, an earlier one keeps its place; takes key and value. -1 as above, and for a key that
 * is a list or a dict. */
VETRO_API int vetro_dict_put(vetro_engine *, vetro_value dict, vetro_value key, vetro_value value);
/* The same with a text that ends at its NUL. */
VETRO_API int vetro_dict_put_name(
	vetro_engine *, vetro_value dict, const char *name, vetro_value value);

/* Is it true to the language? null, false, 0, "" and empty collections are not. */
VETRO_API int vetro_truth(vetro_value);
/* 0 and *out set, or -1. A bool is no number; vetro_get_double takes integers, too, but for those
 * that are too large. */
VETRO_API int vetro_get_int(vetro_value, int64_t *out);
VETRO_API int vetro_get_double(vetro_value, double *out);
/* The bytes of a string, closed by NUL, borrowed; NULL when it is none. */
VETRO_API const char *vetro_get_string(vetro_value, size_t *n);
/* How many items a list, dict or set has; -1 for everything else. */
VETRO_API int64_t vetro_length(vetro_value);
/* An item or the value of a key, borrowed; NULL where there is none, and for no list or dict. */
VETRO_API vetro_value vetro_list_at(vetro_value list, size_t i);
VETRO_API vetro_value vetro_dict_get(vetro_value dict, vetro_value key);
VETRO_API vetro_value vetro_dict_get_name(vetro_value dict, const char *name);
/* Goes through a dict: *pos is 0 at first. 1 and key and value, borrowed; 0 at the end. */
VETRO_API int vetro_dict_next(vetro_value dict, size_t *pos, vetro_value *key, vetro_value *value);
/* Equal to the language: 1 = 1.0 = true; lists by their items. */
VETRO_API int vetro_equal(vetro_value, vetro_value);

/* Goes through anything that has items: lists, sets, keys of a dict, lazy values. NULL and
 * TypeError for the rest. */
VETRO_API vetro_iter *vetro_iterate(vetro_engine *, vetro_value, vetro_error **);
/* 1 and *item, owned; 0 at the end; -1 on an error. */
VETRO_API int vetro_next(vetro_iter *, vetro_value *item, vetro_error **);
VETRO_API void vetro_iter_free(vetro_iter *); /* Frees an iterator; NULL is allowed. */

/* ---- functions of the host ---------------------------------------------------------------- */

/*
 * Called with one argument a parameter, in order, then those of *rest; all borrowed, NULL where the
 * default is `novalue`.  Returns a value of its own (vetro_ref of an argument is one), or NULL
 * after vetro_raise, or NULL to pass on the error of a vetro_evaluate, vetro_apply, vetro_iterate
 * or vetro_next that was called with err NULL.
 */
typedef vetro_value vetro_function(vetro_call *, size_t n, const vetro_value *args, void *user);

enum {
	VETRO_FUNCTION = 0,    /* name(x); the default */
	VETRO_METHOD = 1,      /* x.name() */
	VETRO_EXTENSION = 2,   /* both */
	VETRO_EXCLUSIVE = 4,   /* hides the functions of that name further out */
	VETRO_NO_KEYWORDS = 8, /* a => b is an ordinary argument */
	VETRO_OUTERMOST = 16 /* competes with vetro's own functions instead of going before them */
};

/*
 * Makes a C function known to all expressions of the engine, also to those that are compiled
 * already.  params is written as for vetro.register in Lua (docs/HOST.md): "a: int, b: str = \"-\",
 * *rest: any, **kw: any"; NULL: none. Several registrations of one name are overloads.  drop(user),
 * unless drop is NULL, is called when the engine is freed, or at once when this fails.  -1: a bad
 * signature or flag, more than 16 overloads, or an evaluation is going on.
 */
VETRO_API int vetro_register(vetro_engine *, const char *name, const char *params, unsigned flags,
	vetro_function *, void *user, void (*drop)(void *user), vetro_error **);
VETRO_API vetro_engine *vetro_call_engine(vetro_call *); /* The engine that calls. */
/* The dict of **kw, borrowed; NULL where none is declared. */
VETRO_API vetro_value vetro_call_keywords(vetro_call *);
/* Fails the call with an error of that type: a known one ("ValueError") or one of your own
 * ("com.example.Late"). Always NULL, so that a function can say `return vetro_raise(...)`. */
VETRO_API vetro_value vetro_raise(vetro_call *, const char *type, const char *format, ...)
	VETRO_PRINTF(3, 4);
/* Calls a lambda: $1 is the first argument. NULL on an error. Lambdas may be kept and called after
 * the evaluation. */
VETRO_API vetro_value vetro_apply(
	vetro_engine *, vetro_value lambda, size_t n, const vetro_value *args, vetro_error **);

/* Loads functions written in Lua (docs/HOST.md); name is for messages. -1 on an error. Not during
 * an evaluation. */
VETRO_API int vetro_load_lua(
	vetro_engine *, const char *text, size_t n, const char *name, vetro_error **);
VETRO_API int vetro_load_lua_file(vetro_engine *, const char *path, vetro_error **);

/* ---- Yay configurations ------------------------------------------------------------------- */

/*
 * Documents in layers, a later one wins.  Nothing is evaluated before it is asked for, and then
 * only what the answer needs; what was evaluated is kept.  After a failure the configuration can be
 * asked for other parts.  It belongs to its engine, whose Lua functions are its class bindings, and
 * is freed before it.
 */
typedef struct vetro_yay vetro_yay;
/* A place in a configuration: a key's value, an item, or the whole. It lives as long as that. */
typedef struct vetro_place vetro_place;

enum { VETRO_YAY_TEXTS_ONLY = 1 /* nothing is read from files or from the network */ };

/* An empty configuration, never NULL; flags: 0 or VETRO_YAY_TEXTS_ONLY. */
VETRO_API vetro_yay *vetro_yay_new(vetro_engine *, unsigned flags);
VETRO_API void vetro_yay_free(vetro_yay *); /* Frees it with its places; NULL is allowed. */
/* A directory in which included documents are looked for. */
VETRO_API void vetro_yay_search(vetro_yay *, const char *dir);
/* A document that `include` finds under that name, before files are looked at. -1: it is no Yay. */
VETRO_API int vetro_yay_provide(
	vetro_yay *, const char *name, const char *text, size_t n, vetro_error **);

/* One more layer. 0, or -1 when it cannot be read; what is wrong in its values is found when these
 * are asked for. A name that ends in .gpg is decrypted. */
VETRO_API int vetro_yay_load_file(vetro_yay *, const char *path, vetro_error **);
VETRO_API int vetro_yay_load_text(
	vetro_yay *, const char *name, const char *text, size_t n, vetro_error **);
VETRO_API int vetro_yay_load_value(vetro_yay *, vetro_value dict, vetro_error **);
/* One setting as a layer: "a.b=VALUE", where VALUE is JSON or else a text. */
VETRO_API int vetro_yay_override(vetro_yay *, const char *setting, vetro_error **);

/*
 * The place at a path such as sites[0].url or hosts["a.b"], below `from` (NULL: the whole).  NULL
 * on an error: "NoMatching" where it is not defined, "TypeError", "CycleError" and so on.
 */
VETRO_API vetro_place *vetro_yay_at(
	vetro_yay *, vetro_place *from, const char *path, vetro_error **);
/* The place of an expression over the configuration; it sees what its last layer sees. */
VETRO_API vetro_place *vetro_yay_expression(
	vetro_yay *, const char *text, size_t n, vetro_error **);
/* All of a place as plain data, owned. NULL on an error. */
VETRO_API vetro_value vetro_yay_value(vetro_yay *, vetro_place *, vetro_error **);

/*
 * 0 and *out set; 1 when the path is not defined, and *out keeps what it has: your default; -1 on
 * an error, a value of another type among them.  An int is a whole number, also one written with a
 * point (2.0) or in quotes; a bool is false for "" and 0 and true for any other scalar; a text is
 * that of any scalar, borrowed until vetro_yay_free.
 */
VETRO_API int vetro_yay_get_int(
	vetro_yay *, vetro_place *from, const char *path, int64_t *out, vetro_error **);
VETRO_API int vetro_yay_get_double(
	vetro_yay *, vetro_place *from, const char *path, double *out, vetro_error **);
VETRO_API int vetro_yay_get_bool(
	vetro_yay *, vetro_place *from, const char *path, int *out, vetro_error **);
VETRO_API int vetro_yay_get_text(
	vetro_yay *, vetro_place *from, const char *path, const char **out, vetro_error **);
/* The same for a value of any type; *out is owned where 0 is returned. */
VETRO_API int vetro_yay_get(
	vetro_yay *, vetro_place *from, const char *path, vetro_value *out, vetro_error **);

typedef enum vetro_yay_kind {
	VETRO_YAY_SCALAR = 1,
	VETRO_YAY_LIST,
	VETRO_YAY_MAPPING
} vetro_yay_kind;
/* What a place is, and in *n, unless NULL, of how many parts; these are not evaluated. -1 on an
 * error. */
VETRO_API int vetro_yay_kind_of(vetro_yay *, vetro_place *, size_t *n, vetro_error **);
/* Item or key i, from 0 on; *key, unless NULL: the name of a mapping's key (borrowed until
 * vetro_yay_free), else NULL. NULL on an error. */
VETRO_API vetro_place *vetro_yay_part(
	vetro_yay *, vetro_place *, size_t i, const char **key, vetro_error **);
/* Where a place is written: 0 and what is not NULL set, or -1 when it is written nowhere (values
 * and overrides). The file is borrowed until vetro_yay_free. */
VETRO_API int vetro_yay_anchor(
	vetro_yay *, vetro_place *, const char **file, unsigned *line, unsigned *column);
/* 1 when it is made with something that was decrypted, which you then keep to yourself; 0 when not;
 * -1 on an error. Of lists and mappings it says where they are written. */
VETRO_API int vetro_yay_is_secret(vetro_yay *, vetro_place *, vetro_error **);

#ifdef __cplusplus
}
#endif
#endif

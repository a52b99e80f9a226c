/*
 * vt.h - the ABI between emitted C and the vetro runtime.
 *
 * Emitted C includes this file and nothing else.  It must stay small (libtcc reads it for every
 * `vetro query`) and within what tcc 0.9.27 accepts: no __thread, no overflow builtins, no
 * stdatomic.
 *
 * Ownership.  A vt_value is a counted reference.  A function borrows its arguments and gives its
 * result away: `*out` is owned by the caller after VT_OK and untouched (VT_UNDEF) otherwise.
 * Constants are immortal.  MuranoPL objects are not counted: their session's store owns them.
 *
 * Errors.  Whatever can fail returns a vt_status; VT_ERROR leaves an exception in the session.
 */
#ifndef VT_H
#define VT_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t vt_value;
typedef int vt_status;

/* VT_RETURN, VT_BREAK and VT_CONTINUE travel only from a branch of Parallel to its method. */
enum { VT_OK = 0, VT_ERROR = 1, VT_RETURN = 2, VT_BREAK = 3, VT_CONTINUE = 4 };

/*
 * The word: xxx1 a 63-bit integer; xx00 a pointer to a vt_head; x010 a float (vt_float_word); x110
 * one of the constants below.  VT_UNDEF never reaches a program: "no value here yet".  VT_NOVALUE
 * is YAQL's NoValue marker (an omitted argument).
 */
#define VT_UNDEF ((vt_value)0x06)
#define VT_NULL ((vt_value)0x0e)
#define VT_FALSE ((vt_value)0x16)
#define VT_TRUE ((vt_value)0x1e)
#define VT_NOVALUE ((vt_value)0x26)

#define VT_INT_MAX ((int64_t)0x3fffffffffffffff)
#define VT_INT_MIN (-VT_INT_MAX - 1)

#define vt_is_int(v) ((int)((v)&1))
#define vt_is_ptr(v) (((v)&3) == 0)
#define vt_is_bool(v) (((v) | 8) == VT_TRUE)
#define vt_is_float_word(v) (((v)&7) == 2)
#define vt_mkint(i) ((vt_value)(((uint64_t)(int64_t)(i) << 1) | 1))
#define vt_toint(v) ((int64_t)(v) >> 1)
#define vt_mkbool(b) ((b) ? VT_TRUE : VT_FALSE)
#define vt_mkptr(p) ((vt_value)(uintptr_t)(p))
#define vt_head_of(v) ((vt_head *)(uintptr_t)(v))

/* What the Python references call it stands on the right. */
enum vt_kind {
	VT_K_FLOAT,  /* float */
	VT_K_BIGINT, /* int outside of 63 bits; never a value that fits */
	VT_K_STR,    /* str: valid UTF-8 */
	VT_K_TUPLE,  /* tuple: what a list literal makes */
	/* list: what split(), insert()... make; unhashable, never equal to a tuple */
	VT_K_LIST,
	VT_K_DICT,     /* FrozenDict, or dict (unhashable) without VT_F_FROZEN */
	VT_K_SET,      /* frozenset */
	VT_K_ITER,     /* an iterator: one-shot */
	VT_K_VIEW,     /* dict view; aux says which: enum vt_view */
	VT_K_ORDERING, /* OrderingIterable: what orderBy returns */
	VT_K_MEMO,     /* memorized iterable: re-iterable, neither sequence nor iterator */
	VT_K_LAMBDA,   /* code with the scope it was written in */
	VT_K_SCOPE,    /* a context */
	VT_K_MAPPING,  /* k => v */
	VT_K_REGEX,
	VT_K_DATETIME,
	VT_K_TIMESPAN,
	VT_K_OBJECT,  /* MuranoPL object */
	VT_K_CAST,    /* MuranoPL object seen as one of its ancestors */
	VT_K_TYPEREF, /* MuranoTypeReference: what :Cls and type() give */
	VT_K_REFLECT, /* reflection: MuranoType, method, property, argument, package, version */
	VT_K_EXC,     /* an exception in flight or caught */
	VT_K_HOST,    /* an object of the host (Lua) */
	VT_K_COUNT
};
enum vt_view { VT_VIEW_KEYS, VT_VIEW_VALUES, VT_VIEW_ITEMS };

typedef struct vt_head {
	uint32_t rc;   /* VT_IMMORTAL and above: never freed */
	uint8_t kind;  /* enum vt_kind */
	uint8_t flags; /* VT_F_* */
	uint16_t aux;  /* owned by the kind */
} vt_head;

#define VT_IMMORTAL 0x80000000u
#define VT_F_FROZEN 1 /* dict: FrozenDict (hashable) */
/* list, tuple, dict, set: deeply free of iterators and views, see vt_final; objects always */
#define VT_F_FINAL 2
#define VT_F_ASCII 4   /* str: every byte is a code point */
#define VT_F_SHIFTED 4 /* list: its block begins before its items: list.c */
#define VT_F_LARGE 8   /* allocated with malloc, not from a slab */
#define VT_F_STAMP 16  /* str: a date or time of YAML that stands without quotes */
#define VT_F_BUSY 16   /* iter: a task is in its next() */
#define VT_F_GONE 32   /* object: destroyed */
#define VT_F_DATA 32   /* tuple, dict: of a JSON document, and all in it; never changed */
/* 64 and 128: lists, dicts and texts that lie in a slab: heap.h */

/* Strings carry their hash so that constants need no work at start-up; see vt_hash_bytes. */
typedef struct vt_str {
	vt_head h;
	uint32_t bytes;  /* length in bytes, without the closing NUL */
	uint32_t points; /* length in code points */
	uint64_t hash;
	char s[]; /* closed by NUL */
} vt_str;

typedef struct vt_rt vt_rt;
typedef struct vt_scope vt_scope;
typedef struct vt_class vt_class;
typedef struct vt_object vt_object;
typedef struct vt_unit vt_unit;
typedef struct vt_method_decl vt_method_decl;
typedef struct vt_class_decl vt_class_decl;
typedef struct vt_package_decl vt_package_decl;

/* ---- static constants ------------------------------------------------------------------- */

#define VT_STR_CONST(N) \
	struct { \
		vt_head h; \
		uint32_t bytes, points; \
		uint64_t hash; \
		char s[(N) + 1]; \
	}
/* Texts of one ASCII character: there is one each, constants too, so most are found by address. */
typedef VT_STR_CONST(1) vt_one_text;
extern const vt_one_text vt_one_character[128];
/* Floats that are no words: vt_float_word. */
typedef struct vt_float {
	vt_head h;
	double d;
} vt_float;
typedef struct vt_datetime {
	vt_head h;  /* aux: enum vt_zone of value.h, or VT_DATE_ONLY */
	int64_t us; /* local microseconds since 0001-01-01 */
	int32_t offset;
	uint8_t naive;
	char zone[6];
} vt_datetime;
#define VT_DATE_ONLY 9 /* datetime.date: no function takes it for a datetime */

/* ---- scopes: YAQL contexts --------------------------------------------------------------- */

/* The variables of a method: names of the slots after the positional ones. */
typedef struct vt_names {
	uint32_t n;
	const vt_str *const *name;
} vt_names;

/*
 * One context.  v[0..nargs-1] are $1..$n ($ is $1); v[nargs..nargs+names->n-1] the named slots.
 * A slot that holds VT_UNDEF is not set, and the search goes on in the parent.
 */
struct vt_scope {
	vt_head h;
	vt_scope *parent; /* counted, or NULL */
	/* scope of the running method; itself when it is one (then not counted) */
	vt_scope *base;
	const vt_names *names; /* or NULL */
	const vt_unit *unit;
	void *ext;              /* dynamic variables and functions (let, def, kwargs); or NULL */
	vt_value self;          /* $this; borrowed */
	uint32_t nargs, nslots; /* nslots counts all of v */
	vt_value v[];
};

/* That of a method, where nothing was defined; NULL where the code asks for nothing but values. */
#define vt_scope_is_bare(s) ((s) == NULL || ((s)->parent == NULL && (s)->ext == NULL))

/* ---- code -------------------------------------------------------------------------------- */

typedef vt_status (*vt_code_fn)(vt_rt *, vt_scope *, vt_value *out);
typedef vt_status (*vt_direct_fn)(vt_rt *, vt_scope *, const vt_value *args, vt_value *out);
/* The same as functions, for declarations of several. */
typedef vt_status vt_code_c(vt_rt *, vt_scope *, vt_value *out);
typedef vt_status vt_direct_c(vt_rt *, vt_scope *, const vt_value *args, vt_value *out);
/* A body that can be called lazily: an argument or a lambda.  The scope's $1.. are its
 * arguments. */
typedef struct vt_code {
	vt_code_fn fn;
	const vt_unit *unit;
	uint32_t flags; /* VT_CODE_* */
	uint32_t line, col;
	const char *source; /* the YAQL text, for repr and errors */
	/* The body for a call with at least `direct_args` arguments, in the scope around it: none
	 * has to be made. NULL where something in it may look at the scope of the call. */
	vt_direct_fn direct;
	uint32_t direct_args;
	/* Of a predicate that is `left = right`, where left reads a member of $1 and right one of
	 * $2, or these themselves: both sides, for who would rather look up than compare. Else
	 * NULL. */
	const struct vt_code *left, *right;
	/* The same as a lambda program, where it can be one; or NULL. */
	const struct vt_lambda_program *program;
	/* Of a predicate with two arguments that is such a program; or NULL. */
	const struct vt_join *join;
	/* Where the result is a chain of where() and select() over a list: the same as a program
	 * that makes a tuple, for who reads all of it at once; or NULL. */
	const struct vt_lambda_program *many;
	/* Where fn is NULL: what runs the code instead of a C function. */
	const struct vt_body *body;
} vt_code;
/* args: those of a direct call, in the scope around the code; or NULL, and the scope is its own. */
typedef struct vt_body {
	vt_status (*run)(vt_rt *, const vt_code *, vt_scope *, const vt_value *args, vt_value *out);
} vt_body;
/* For code with a direct body of at most VT_DIRECT_MOST arguments and no function for its scope. */
#define VT_DIRECT_MOST 8
/* vt_code.flags of code with a direct body: it reads $k. */
#define VT_CODE_READS(k) (0x80u << (k))
extern const vt_body vt_direct_body;
/* For code that is one operator of arguments and constants: its program says which. */
extern const vt_body vt_operator_body;
/*
 * What a lambda makes of its arguments, step by step: the i-th step makes register i of the
 * registers `a` and `b` (b VT_STEP_K: of the constant `heap` or, without one, `k`).  Only what
 * changes nothing and raises nothing is done by the program: for another kind, a key that is not
 * there, an overflow, the code runs.  seq/lambda_program.c.
 */
enum vt_lambda_step_op {
	VT_STEP_ITEM, /* a: 0 is $1, 1 is $2; of a function of def() the others, too */
	VT_STEP_CONST,
	VT_STEP_ATTR,  /* the member `heap` of a; the cache at `ic` remembers its place */
	VT_STEP_INDEX, /* the item k of a list; c: which has so many, or 0 */
	VT_STEP_ADD,
	VT_STEP_SUB,
	VT_STEP_MUL,
	VT_STEP_DIV,
	VT_STEP_MOD,
	VT_STEP_LT,
	VT_STEP_LE,
	VT_STEP_GT,
	VT_STEP_GE,
	VT_STEP_EQ,
	VT_STEP_NE,
	VT_STEP_NOT,
	VT_STEP_AND,
	VT_STEP_OR, /* both worked out, the right side where that can be done */
	VT_STEP_LEN,
	VT_STEP_SUM,
	VT_STEP_UPPER,
	VT_STEP_LOWER,
	VT_STEP_REPLACE, /* each `heap` in the text a by `by` */
	VT_STEP_STARTS,
	VT_STEP_ENDS, /* a with `heap` */
	VT_STEP_MATCH,
	VT_STEP_UNMATCH, /* a against the regular expression `heap` */
	VT_STEP_FIND,    /* whether it is in a, with the flags k; c groups are kept for GROUP */
	VT_STEP_DYN, /* the variable `heap` of the scope; without a name: place k of the method's */
	VT_STEP_OUTER,  /* register args[a] of the step that this program is nested in */
	VT_STEP_GET,    /* a.get(b, c) of a dict */
	VT_STEP_IN,     /* a in the list b */
	VT_STEP_CHOOSE, /* a where c is true, else b; b VT_STEP_K: else it is not for it */
	VT_STEP_CALL, /* of the site `by`: receiver a, arguments args[0, n), VT_STEP_K: constant */
	/* a pipeline, the vt_nest `by`, over the list a; with a name `heap` over a.name, which is
	 * each item's if a is a list */
	VT_STEP_NEST,
	VT_STEP_LIST, /* of args[0, n) */
	VT_STEP_MAP,  /* of args[0, n), keys `by`; the cache at `ic` remembers the shape */
	VT_STEP_DICT, /* of args[0, n), a key and its value in turn */
	/* the dict a with the keys `by` set to args[0, n), one after the other; VT_STEP_K: without
	 * the key; c: the last of them is a deletion */
	VT_STEP_EDIT,
	/* a function of def() that calls itself, with args[0, n): the program `by`; NULL: the one
	 * that this program is or is nested in */
	VT_STEP_DEFINED,
	/* a list made of the list a and args[0, n): c is enum vt_list_step; b: not VT_STEP_K where
	 * nobody else reads a, which may be changed; the site `by` */
	VT_STEP_LISTED,
	/* of the text a, cut at the texts `heap`: the k-th piece, or the last one (k -1); with
	 * `by`: is one of them that text?; how many there are; c of them (VT_STEP_K: all) from the
	 * k-th on, and what is between them */
	VT_STEP_PIECE,
	VT_STEP_PIECES,
	VT_STEP_SPAN,
	VT_STEP_PART, /* of the text a: c letters (VT_STEP_K: all) from the k-th on */
	VT_STEP_TRIM, /* the text a without white space around it */
	VT_STEP_STR,  /* the text of a, which is one or an integer */
	VT_STEP_GROUP /* what group k of the match that the step a has found holds; no match: "" */
};
/*
 * guard: the step counts only where that register is true (VT_STEP_UNLESS: false).  SOFT: what the
 * step is not for is left open, and matters only to whom takes it.  PLAIN: the sum of two texts is
 * a string.  SHARED: several read what the call gives, so it may be no iterator.
 */
/* c of VT_STEP_CALL, where no call has to be made for a receiver that it is meant for;
 * VT_STEP_K: any other. */
enum vt_step_call {
	VT_CALL_KEYS,
	VT_CALL_VALUES,
	VT_CALL_ITEMS,
	VT_CALL_AT,
	VT_CALL_HAS,    /* contains() */
	VT_CALL_PLACE,  /* indexOf() with one argument */
	VT_CALL_KEY,    /* containsKey() */
	VT_CALL_TURNED, /* of the text a: toCharArray().reverse().join("") */
	VT_CALL_PIECES, /* the length of what split() gives */
	/* the kind of args[0]: isString() and the like */
	VT_CALL_STRING,
	VT_CALL_LIST,
	VT_CALL_DICT,
	VT_CALL_INTEGER,
	VT_CALL_NUMBER,
	VT_CALL_BOOLEAN,
	VT_CALL_MAX, /* max() and min() of two */
	VT_CALL_MIN
};
/* c of VT_STEP_LISTED: the function gives an iterator, and the step the list of what that gives. */
enum vt_list_step {
	VT_LIST_REPLACE,
	VT_LIST_REPLACE_MANY,
	VT_LIST_DELETE,
	VT_LIST_INSERT,
	VT_LIST_INSERT_MANY,
	VT_LIST_APPEND,
	VT_LIST_ITEMS, /* the same, where none of them is an iterator */
	VT_LIST_CONCAT,
	VT_LIST_SPREAD, /* the same, where none of the items is an iterator */
	VT_LIST_ENUMERATE,
	VT_LIST_ZIP,
	VT_LIST_NUMBERS, /* ENUMERATE, and ZIP of two, as VT_NEST_COLUMNS */
	VT_LIST_SIDES,
	VT_LIST_FLATTEN,
	VT_LIST_SLICE,
	VT_LIST_LIMIT, /* by a number that is no constant; such pipelines begin so else */
	VT_LIST_SKIP,
	/* of the text a and the expression args[0], of args[1] groups, all matches: the texts of
	 * group args[2], or enum vt_match_list.  Of spans and the text: the same.  Of a list, spans
	 * and the text: the text with the items in the place of the matches */
	VT_LIST_FOUND,
	VT_LIST_MATCHES,
	VT_LIST_PUT
};
enum { VT_GROUPS_MOST = 10 }; /* of FOUND */
enum vt_match_list { VT_MATCH_ROWS = -1, VT_MATCH_SPANS = -2 };
enum { VT_STEP_SOFT = 1, VT_STEP_UNLESS = 2, VT_STEP_PLAIN = 4, VT_STEP_SHARED = 8 };
typedef struct vt_lambda_step {
	uint8_t op, a, b, c, guard, flags, n;
	const void *ic;
	const void *heap, *by;
	vt_value k;
	const uint8_t *args;
} vt_lambda_step;
#define VT_STEP_K 255
#define VT_STEPS_MOST 48
#define VT_DEFINED_ARGS 8 /* of a function of def() that has a program of its own */
/* The result: register out[0], a dict of `nout` registers by keys, whose shape the cache at `ic`
 * remembers, or a list. */
enum vt_lambda_program_kind { VT_PROGRAM_VALUE, VT_PROGRAM_RECORD, VT_PROGRAM_LIST };
typedef struct vt_lambda_program {
	uint8_t kind, n, nargs, nout;
	/* there are steps that stand for calls: not where a scope defines functions */
	uint8_t calls;
	/* members of the results may come from elsewhere than the items */
	uint8_t mixed;
	/* there are iterators in the results */
	uint8_t iterates;
	/* there are lists in the results that stand for iterators */
	uint8_t parts;
	const vt_lambda_step *t;
	const uint8_t *out;
	const vt_str *const *keys;
	const void *ic;
} vt_lambda_program;
/* What works programs out; a file of C that has some names it, so that the linker takes it. */
extern const void *const vt_lambda_programs[];
/* A predicate `left = right and rest`, where left depends on $1 alone and right on $2 alone: each
 * as a program of one argument.  rest: of both, or NULL.  Where it begins with several equations,
 * all_left and all_right make a list of their sides; or NULL. */
typedef struct vt_join {
	const vt_lambda_program *left, *right, *rest, *all_left, *all_right;
} vt_join;
/* where() and select() over each list of a column, and what becomes of the items: from LEAST on it
 * is those whose last stage gives a key, else what all stages give. */
enum vt_nest_reduce {
	VT_NEST_COUNT,
	VT_NEST_SUM,
	VT_NEST_MIN,
	VT_NEST_MAX,
	VT_NEST_ANY,
	VT_NEST_ALL,
	VT_NEST_FIRST,
	VT_NEST_LAST,
	/* $1 becomes what the only stage makes of it and of the next item, $2 */
	VT_NEST_FOLDED,
	VT_NEST_ACCUMULATED, /* the same, and a list of all that $1 was */
	VT_NEST_LIST,
	VT_NEST_FLAT,     /* the lists that the last stage gives, in one */
	VT_NEST_DISTINCT, /* a list of each once */
	VT_NEST_TURNED,   /* a list from the last to the first */
	VT_NEST_RISING,   /* a list in order */
	VT_NEST_FALLING,
	/* a dict of the pairs that the last stage gives, as dict() and as toDict() make it */
	VT_NEST_DICT,
	VT_NEST_OPEN_DICT,
	/* a list of [key, values] of the pairs that the last stage gives, as groupBy() makes it;
	 * OLD: not where methods of collections might take the second value of the first group */
	VT_NEST_GROUPED,
	VT_NEST_OLD_GROUPED,
	VT_NEST_LEAST,
	VT_NEST_GREATEST,
	VT_NEST_RISING_BY, /* a list in order of what the last stage gives */
	VT_NEST_FALLING_BY,
	VT_NEST_BY_KEYS, /* in order of each row that the last stage gives: vt_nest.falls */
	/* lists of what is between items for which the last stage gives true, and of neighbours for
	 * which it gives the same */
	VT_NEST_SPLIT,
	VT_NEST_SLICED
};
typedef struct vt_nest_stage {
	const vt_lambda_program *program;
	uint8_t filter; /* enum vt_nest_filter; 0: select() */
} vt_nest_stage;
enum vt_nest_filter { VT_NEST_WHERE = 1, VT_NEST_TAKE_WHILE, VT_NEST_SKIP_WHILE };
/* The list, or an iterator over it, as select() or where() gives one. */
enum vt_nest_iterator { VT_NEST_NO_ITERATOR, VT_NEST_MAPPED, VT_NEST_FILTERED };
/* Whether of items that are pairs only the members are read and none is kept: of those of a dict.
 * COLUMNS: the list is LISTED, which nobody else reads, and has all first members and then all
 * second ones. */
enum vt_nest_apart { VT_NEST_WHOLE, VT_NEST_PAIRS, VT_NEST_COLUMNS };
typedef struct vt_nest {
	uint8_t reduce, n;
	/* not over a list, but of the values that generate() makes of the item: while stage 0 is
	 * true, the next one by stage 1, and what is taken of each by stage 2, if any */
	uint8_t generates;
	/* what has the place of the list that it makes: enum vt_nest_iterator */
	uint8_t iterator;
	uint8_t apart; /* enum vt_nest_apart */
	uint8_t falls; /* BY_KEYS: bits of the keys that go from the greatest to the least */
	/* of the list: items that are left out in front, and how many are taken behind them */
	uint32_t skip, most;
	const vt_nest_stage *stage;
} vt_nest;
#define VT_CODE_LEAF 1     /* makes no scope-capturing value: its scope may live on the C stack */
#define VT_CODE_DIRECT 4   /* its body takes the arguments of a direct call, like `direct` */
#define VT_CODE_OPERATOR 8 /* for one item its body is better than its program */
#define VT_CODE_LOOKS 16   /* calls nothing but functions that look at what they are given */
#define VT_CODE_CONST 2    /* makes the same value of constants each time, and asks for no scope */

/* How an argument is written at a call site. */
enum vt_arg_kind {
	VT_A_EXPR,    /* any expression; code evaluates it */
	VT_A_STRING,  /* string constant: value */
	VT_A_NUMBER,  /* numeric constant: value */
	VT_A_BOOL,    /* true, false: value */
	VT_A_NULL,    /* null */
	VT_A_KEYWORD, /* bare word: value is its text */
	/* key => value that is not a keyword argument (or the callee takes no kwargs) */
	VT_A_MAPPING,
	VT_A_NOVALUE, /* empty slot: f(,1) */
	/* a function call expression, e.g. the right side of '.'; code evaluates it */
	VT_A_CALL
};
typedef struct vt_arg {
	uint8_t kind;          /* enum vt_arg_kind; of the value where keyword != NULL */
	const vt_str *keyword; /* name of `name => value`, else NULL */
	/* constants: the vt_head of a heap constant, or NULL and imm */
	const void *value;
	vt_value imm;
	const vt_code *code; /* VT_A_EXPR and VT_A_CALL; for VT_A_MAPPING the value side */
	/* VT_A_MAPPING and keyword arguments: the key side as an argument */
	const struct vt_arg *key;
} vt_arg;

enum vt_site_kind { VT_SITE_FUNCTION, VT_SITE_METHOD };
/* A call site: constant data.  Its inline cache is vt_ic_at(rt, ic). */
typedef struct vt_site {
	const vt_str *name;
	uint8_t kind;  /* enum vt_site_kind */
	uint8_t flags; /* VT_SITE_LAST */
	uint16_t nargs;
	const void *ic;
	const vt_arg *args;
	const vt_unit *unit;
	uint32_t line, col;
} vt_site;

/* The call is the last that its code does, and makes the result of $1. */
enum { VT_SITE_LAST = 1 };
/* A site of a package, by the numbers that its C file has for the name, the unit and the cache. */
#define VT_SITE(kind, flags, name, n, args, u, line, col, cache) \
	{ \
		(const vt_str *)&s##name, kind, flags, n, &ics[cache], args, &unit##u, line, col \
	}
#define VT_F(...) VT_SITE(VT_SITE_FUNCTION, 0, __VA_ARGS__)
#define VT_M(...) VT_SITE(VT_SITE_METHOD, 0, __VA_ARGS__)
#define VT_FL(...) VT_SITE(VT_SITE_FUNCTION, VT_SITE_LAST, __VA_ARGS__)
#define VT_ML(...) VT_SITE(VT_SITE_METHOD, VT_SITE_LAST, __VA_ARGS__)

/* One inline cache: who fills it says what the words mean. */
typedef struct vt_ic {
	const void *key;
	void *target;
	uint64_t aux, aux2;
} vt_ic;
/*
 * A session has caches of its own, so code names them by where they would be.  Each C file of a
 * program has an array for as many as it uses, which nobody ever touches: the linker lays them out
 * side by side, and the caches of a session lie in the same order, rt->ic being the distance.  So
 * no file has to know how many others use.  For an expression, which is one file, the place is the
 * number times the size, and the distance where they begin.
 */
#define vt_ic_at(rt, place) ((vt_ic *)((uintptr_t)(rt)->ic + (uintptr_t)(place)))
/* The part of a declaration: `ics` of `nics` caches. */
#define VT_IC_NUMBER(n) ((const void *)((uintptr_t)(n) * sizeof(vt_ic)))

/*
 * Calls through the overload resolution of yaql.md 3.1.  argv[i] is the evaluated i-th argument, or
 * VT_UNDEF where it was left to the runtime, which then evaluates args[i].code in sc if the chosen
 * overloads take it eagerly, and wraps it with sc as a lambda if they take it lazily.
 * recv is VT_UNDEF at a VT_SITE_FUNCTION.
 */
vt_status vt_call(
	vt_rt *, vt_scope *sc, const vt_site *, vt_value recv, const vt_value *argv, vt_value *out);
/*
 * cast() that is only called, or asked for properties: no object is made for it.  The value is the
 * object itself, and *as the class that it is seen as; NULL: the value is what cast() gave.
 */
vt_status vt_see_as(
	vt_rt *, vt_scope *, const vt_site *, const vt_value *argv, vt_class **as, vt_value *out);
/* vt_call, vt_attr and vt_refuse of such a value. */
vt_status vt_call_as(vt_rt *, vt_scope *, const vt_site *, vt_class *as, vt_value recv,
	const vt_value *argv, vt_value *out);
vt_status vt_attr_as(vt_rt *, vt_scope *, const vt_site *, vt_class *as, vt_value a, vt_value *out);
vt_status vt_refuse_as(vt_rt *, vt_scope *, const vt_site *, vt_class *as, vt_value recv);
/* What super() sees an object as, by number, where there are n; NULL, VT_UNDEF: there are not, or
 * it is no object. */
vt_class *vt_parent_of(vt_rt *, const vt_site *, vt_value object, uint32_t i, uint32_t n);
vt_value vt_parent_cast(vt_rt *, const vt_site *, vt_value object, uint32_t i, uint32_t n);
/* vt_call where the receiver may lie on the stack: see vt_borrow_for. */
vt_status vt_call_borrowed(
	vt_rt *, vt_scope *sc, const vt_site *, vt_value recv, const vt_value *argv, vt_value *out);
/* vt_call where a row of that name has a quick function: v has all of that row's parameters, behind
 * the receiver of a VT_SITE_METHOD, constants and defaults among them. */
vt_status vt_call_quick(vt_rt *, vt_scope *sc, const vt_site *, const vt_value *v, vt_value *out);
/* vt_call for a function that is called list, with all of its arguments. */
vt_status vt_call_list(
	vt_rt *, vt_scope *sc, const vt_site *, uint32_t n, const vt_value *v, vt_value *out);
/* vt_call for a function that is called new: what the site has made before is copied. */
vt_status vt_call_new(vt_rt *, vt_scope *sc, const vt_site *, const vt_value *argv, vt_value *out);

/* An argument of a method call failed: VT_ERROR with its exception, or with that of a receiver,
 * arity or constant argument that no overload takes, which the call finds before it evaluates. */
vt_status vt_refuse(vt_rt *, vt_scope *sc, const vt_site *, vt_value recv);

/* ---- units, packages, classes: constant tables of a program ------------------------------- */

/* Which registry layers an expression sees; rows carry one of these bits. */
enum {
	VT_L_STD = 1,
	VT_L_LEGACY = 2,
	VT_L_DSL = 4,
	VT_L_DSL_OLD = 8 /* type() is a name, <= 1.3 */,
	VT_L_DSL_NEW = 16 /* >= 1.4 */,
	VT_L_DSL_LEGACY = 32 /* <= 1.1 */,
	VT_L_ENGINE = 64,
	/* the package io.murano */
	VT_L_ENGINE_LEGACY = 128 /* <= 1.1 */,
	VT_L_DELEGATES = 256,
	VT_L_CORE = 512,
	VT_L_FORM = 1024 /* the form that a package brings */,
	VT_L_QUERY = 2048 /* what `vetro query` adds */,
	VT_L_CALLED = 4096 /* operators are calls: a group is left out, or the host has its own */,
	VT_L_NO_FALLBACK = 8192 /* groupBy() takes an aggregator of YAQL 1.1.1 for a mistake */,
	VT_L_SNAKE = 16384 /* the library has names such as order_by */,
	VT_L_LEFT_OUT = 16 /* from this bit on: groups of functions that are not there */
};
typedef struct vt_options {
	int64_t limit_iterators, memory_quota; /* -1: none */
	uint8_t tuples_to_lists, sets_to_lists, iterable_dicts, convert_input, convert_output;
} vt_options;

typedef struct vt_prefix {
	const char *prefix, *ns;
} vt_prefix; /* prefix "=" is the default */

/* Where code was written: decides names, function layers and options. */
struct vt_unit {
	const char *file; /* path as given to vetro, for stack traces */
	uint32_t layers;
	uint32_t version; /* runtime version: major * 100 + minor: 100 .. 105 */
	vt_options opt;
	const vt_class_decl *cls;   /* declaring type, or NULL */
	const vt_package_decl *pkg; /* or NULL */
	const vt_prefix *prefixes;  /* nprefixes of them */
	uint32_t nprefixes;
};

typedef struct vt_cx vt_cx;
/* A compiled contract: checks and converts `in` in the mode of the context. NULL means `$`:
 * anything. */
typedef vt_status (*vt_contract_fn)(vt_rt *, vt_cx *, vt_value in, vt_value *out);

typedef vt_status vt_contract_c(vt_rt *, vt_cx *, vt_value in, vt_value *out);

/* What a contract does with a value: muranopl-engine.md 6. */
enum vt_contract_mode {
	VT_C_TRANSFORM,
	VT_C_VALIDATE,
	VT_C_CHECK_TYPE,
	VT_C_FINALIZE,
	VT_C_NOFINALIZE
};

/* The context of one contract evaluation. */
struct vt_cx {
	/* enum vt_contract_mode; VT_C_NOFINALIZE is transform without finalize */
	uint8_t mode;
	vt_value self; /* the object or type for $this and owned(); borrowed */
	/* who becomes the owner of objects that class() makes; borrowed, or VT_NULL */
	vt_value owner;
	const vt_class_decl *calling_type; /* or NULL */
	const vt_unit *unit;               /* of the contract */
	/* context of default expressions and check() predicates; or NULL */
	vt_scope *root;
	/* grows in front: ['k'][0]; owned by who reports it; NULL is empty */
	char *path;
};

enum vt_prop_usage {
	VT_P_IN,
	VT_P_OUT,
	VT_P_INOUT,
	VT_P_CONST,
	VT_P_RUNTIME,
	VT_P_CONFIG,
	VT_P_STATIC
};
enum vt_param_usage { VT_PARAM_STANDARD, VT_PARAM_VARARGS, VT_PARAM_KWARGS };
enum vt_method_usage { VT_M_RUNTIME, VT_M_ACTION, VT_M_STATIC, VT_M_EXTENSION };

/* One entry of a Meta list: the class's name (resolved against the unit) and its properties. */
typedef struct vt_meta_decl {
	const vt_str *name;
	const vt_code *properties;
	const vt_unit *unit;
} vt_meta_decl;

/*
 * The JSON schema that a contract amounts to.  Where it holds a member "$codes", values are known
 * only when the program runs: program/form_schema.c.
 */
typedef struct vt_schema {
	const char *text;
	const vt_code *const *codes;
	uint32_t ncodes;
} vt_schema;

/*
 * What a contract hands on as it is, so that it need not run: values of a set or of a class for
 * which all predicates hold, or lists and dicts of such.
 */
enum vt_accept_kind {
	VT_ACCEPT_VALUE,
	VT_ACCEPT_LIST,  /* items: of[0] */
	VT_ACCEPT_DICT,  /* keys: of[0]; values: of[1] */
	VT_ACCEPT_RECORD /* just these keys in their order; values: of[i] */
};
enum { VT_ACCEPT_CHECKS = 2 };
typedef struct vt_accept {
	uint32_t set;     /* VT_TAKES_* */
	uint8_t kind;     /* enum vt_accept_kind */
	uint8_t n;        /* keys of a record */
	const void *seen; /* the cache of class(), or NULL */
	vt_direct_fn check[VT_ACCEPT_CHECKS];
	const struct vt_accept *of;
	const vt_str *const *keys;
} vt_accept;

typedef struct vt_prop_decl {
	const vt_str *name;
	uint8_t usage; /* enum vt_prop_usage */
	vt_contract_fn contract;
	const vt_code *dflt; /* NULL: no Default */
	const vt_class_decl *cls;
	const vt_meta_decl *meta;
	uint32_t nmeta;
	uint32_t line, col;
	const vt_schema *schema; /* or NULL */
	uint32_t takes;          /* what the contract hands on as it is: see vt_takes */
	/* what may be put into a list or dict that it has accepted: see vt_grow_prop */
	uint32_t items;
	uint32_t keys; /* the keys of such a dict */
	/* of what is not in `items`, if it makes nothing, or an object in there as VT_TAKES_LIKE */
	vt_contract_fn item;
	/* bits: 1 the contract makes no objects, 2 nor of an object: class() looks at it; 4 nor
	 * does `item`; 8 and that is no list whose length or order counts */
	uint8_t pure;
	/* the cache of the contract's class(): objects of the class in there are handed on as they
	 * are; or NULL */
	const void *seen;
	const struct vt_accept *accept; /* or NULL: `takes` and `seen` say all */
} vt_prop_decl;

typedef struct vt_param_decl {
	const vt_str *name;
	uint8_t usage; /* enum vt_param_usage */
	vt_contract_fn contract;
	const vt_code *dflt;
	const vt_meta_decl *meta;
	uint32_t nmeta;
	const vt_schema *schema; /* or NULL */
	/* What an omitted argument comes to, where it is always the same: a heap constant, or imm;
	 * both 0: unknown. */
	const void *value;
	vt_value imm;
	uint32_t takes;   /* as of a property: what the contract hands on as it is */
	const void *seen; /* and objects of the class in that cache; or NULL */
} vt_param_decl;

/* argv holds one owned value a declared parameter, contracts applied; the body may take them. */
typedef vt_status (*vt_method_fn)(
	vt_rt *, const vt_method_decl *, vt_value self, vt_value *argv, vt_value *out);
/* A method of the host: a native class, the runtime or Lua. args are mutable copies; see call.h. */
struct vt_args;
typedef vt_status (*vt_native_fn)(struct vt_args *, vt_value *out);

/* A method that takes its arguments one by one, called with as many on an object of a class that
 * has it.  VarArgs or KwArgs, which stand behind all others, are one tuple or dict. */
typedef vt_status (*vt_entry_fn)(
	vt_rt *, const vt_unit *caller, vt_value self, const vt_value *args, vt_value *out);

typedef vt_status vt_entry_c(
	vt_rt *, const vt_unit *caller, vt_value self, const vt_value *args, vt_value *out);

/* Bodies of methods with so many parameters, which they own. */
struct vt_act;
typedef vt_status vt_method_c0(vt_rt *, struct vt_act *, vt_value self, vt_value *out);
typedef vt_status vt_method_c1(vt_rt *, struct vt_act *, vt_value self, vt_value, vt_value *out);
typedef vt_status vt_method_c2(
	vt_rt *, struct vt_act *, vt_value self, vt_value, vt_value, vt_value *out);
typedef vt_status vt_method_c3(
	vt_rt *, struct vt_act *, vt_value self, vt_value, vt_value, vt_value, vt_value *out);
typedef vt_status vt_method_c4(vt_rt *, struct vt_act *, vt_value self, vt_value, vt_value,
	vt_value, vt_value, vt_value *out);
typedef vt_status vt_method_c5(vt_rt *, struct vt_act *, vt_value self, vt_value, vt_value,
	vt_value, vt_value, vt_value, vt_value *out);
typedef vt_status vt_method_c6(vt_rt *, struct vt_act *, vt_value self, vt_value, vt_value,
	vt_value, vt_value, vt_value, vt_value, vt_value *out);

struct vt_method_decl {
	const vt_str *name;
	uint8_t usage;     /* enum vt_method_usage */
	uint8_t is_public; /* Scope: Public, or Usage: Action */
	vt_method_fn body; /* NULL with native == NULL: empty body */
	vt_native_fn native;
	const vt_param_decl *params;
	uint32_t nparams;
	const vt_class_decl *cls;
	const vt_meta_decl *meta;
	uint32_t nmeta;
	uint32_t line, col;
	vt_entry_fn entry; /* or NULL: vt_invoke_plain does the same, slower */
	uint8_t unlocked;  /* native: it sees itself to who may be in it at once */
	/* what a body of vt_body_<n> calls: it takes act, self, n arguments and out */
	void (*plain)(void);
	const struct vt_int_method *ints; /* its integer method, or NULL */
};
/* Bodies of methods with so many parameters: they make the frame, and call what is `plain`. */
#define VT_BODY_MOST 6
vt_status vt_body_0(vt_rt *, const vt_method_decl *, vt_value, vt_value *argv, vt_value *out);
vt_status vt_body_1(vt_rt *, const vt_method_decl *, vt_value, vt_value *argv, vt_value *out);
vt_status vt_body_2(vt_rt *, const vt_method_decl *, vt_value, vt_value *argv, vt_value *out);
vt_status vt_body_3(vt_rt *, const vt_method_decl *, vt_value, vt_value *argv, vt_value *out);
vt_status vt_body_4(vt_rt *, const vt_method_decl *, vt_value, vt_value *argv, vt_value *out);
vt_status vt_body_5(vt_rt *, const vt_method_decl *, vt_value, vt_value *argv, vt_value *out);
vt_status vt_body_6(vt_rt *, const vt_method_decl *, vt_value, vt_value *argv, vt_value *out);

struct vt_class_decl {
	const vt_str *name; /* FQN */
	const vt_unit *unit;
	uint8_t is_meta, cardinality_many, inherited;
	uint16_t applies; /* bits: 1 Package 2 Type 4 Property 8 Method 16 Argument */
	/* FQNs as resolved; empty: io.murano.Object */
	const vt_str *const *parents;
	uint32_t nparents;
	const vt_str *const *imports;
	uint32_t nimports;
	const vt_prop_decl *const *props;
	uint32_t nprops;
	const vt_method_decl *const *methods;
	uint32_t nmethods;
	const vt_meta_decl *meta;
	uint32_t nmeta;
	uint8_t listed;          /* named in the manifest: a model may use it */
	vt_native_fn native_new; /* __init__ of a native class, or NULL */
	const uint32_t *number;  /* position in program->classes; NULL: not of the program */
	const vt_ic *ics;
	uint32_t nics;               /* the caches of its code: vt_ic_at */
	const struct vt_step *steps; /* of a program that has them: vt_stepped() */
	uint32_t nsteps;
};

typedef struct vt_requirement {
	const vt_str *name;
	const char *spec;
} vt_requirement;
/*
 * A file of a package's Resources/, by its path below.  yaml: "=" and the value as JSON with tags,
 * or "!", the type of the exception that reading it raises, a newline and its message; NULL where
 * the file is no UTF-8.
 */
typedef struct vt_resource {
	const char *name, *data;
	uint64_t n;
	const char *yaml;
} vt_resource;
struct vt_package_decl {
	const vt_str *name;
	const char *version;      /* "0.0.0" */
	uint32_t runtime_version; /* as vt_unit.version */
	const vt_requirement *requires;
	uint32_t nrequires;
	const vt_class_decl *const *classes;
	uint32_t nclasses;
	const vt_meta_decl *meta;
	uint32_t nmeta;
	const char *dir; /* as given to vetro; or NULL */
	const vt_resource *resources;
	uint32_t nresources; /* sorted by name */
	const vt_ic *ics;
	uint32_t nics; /* as of a class */
};

/* ---- functions of the library ---- */

typedef struct vt_fnparam {
	const char *name; /* keyword under which it is passed */
	uint8_t type;     /* enum vt_type of call.h */
	uint8_t nullable, has_default;
	uint8_t kind; /* 0 standard, 1 *rest, 2 **kw */
	/* immediate, or VT_UNDEF: see dflt_str; VT_NOVALUE is a valid default */
	vt_value dflt;
	const char *dflt_str;
	/* MIXED: bit t of any: type t is taken; of none: it is not. any 0: whatever none leaves */
	uint64_t any, none;
	const struct vt_own_type *own; /* OWN, OWN_LAZY: a type that a host made; else NULL */
} vt_fnparam;
/* One overload. */
typedef struct vt_fnrow {
	const char *name;
	uint32_t flags; /* VT_FN_* */
	uint32_t layer; /* one VT_L_* bit */
	/* bit i: parameter i is unevaluated; bit 31: the rest parameter is */
	uint32_t lazy;
	const vt_fnparam *params;
	uint32_t nparams;
	vt_native_fn fn;
	const char *symbol;
	/* What fn makes of such values, without the rest that a call knows: VT_QUICK_... of each
	 * parameter, four bits each.  Owned; VT_UNDEF: ask fn.  Or NULL. */
	vt_value (*quick)(vt_rt *, const vt_value *v);
	uint32_t quick_takes;
} vt_fnrow;
typedef vt_status vt_native_c(struct vt_args *, vt_value *out);
typedef vt_value vt_quick_c(vt_rt *, const vt_value *v);
enum { VT_QUICK_INT = 1, VT_QUICK_STR, VT_QUICK_DICT, VT_QUICK_LIST, VT_QUICK_ANY };
/*
 * What is linked of that which not every program needs.  libvt.a has one of these that names
 * everything (registry.c); an emitted program brings its own (compiler/emit/link_rows.c), and what
 * that does not name stays out of the binary.
 */
typedef struct vt_parts {
	const vt_fnrow *rows;
	uint32_t nrows; /* sorted by name, then in the order of runtime/lib */
	/* Functions the program could see and does not come to: names in order, each with its
	 * NUL. */
	const char *absent;
	uint32_t nabsent;              /* bytes */
	const struct vt_lua_part *lua; /* or NULL */
} vt_parts;
extern const vt_parts vt_linked;
extern const struct vt_lua_part vt_lua;
/* Stands for an overload that needs values which nothing in the program makes. */
vt_status vt_absent(struct vt_args *, vt_value *out);

/* A service of TOSCA as tables. */
#ifdef VT_TOSCA
#include "vt_tosca.h"
#endif
/* A Yay configuration as tables. */
#ifdef VT_YAY
#include "vt_yay.h"
#endif

/* The whole compiled program. */
typedef struct vt_program {
	const vt_package_decl *const *packages;
	uint32_t npackages; /* [0] is the main package */
	const vt_class_decl *const *classes;
	uint32_t nclasses;
	/* of an expression; those of classes stand in their declarations */
	uint32_t nics;
	const char *lua;      /* text of the --lua files, or NULL */
	const char *built_by; /* version of vetro */
	const vt_code *query; /* a compiled YAQL expression, or NULL */
	/* native classes that need a cloud (cloud.h), of those the program has */
	const vt_class_decl *const *natives;
	uint32_t nnatives;
	const vt_code *const *codes; /* of an expression: all of them, in their order */
	uint32_t ncodes;
	const struct vt_form_program *form; /* that the package brings, or NULL */
	const struct vt_stepping *stepping; /* &vt_stepping of a program with steps, or NULL */
} vt_program;

/* The form of a package: runtime/form/form.h. */
typedef struct vt_form_program {
	const char *text;
	uint32_t n;
	const vt_program *const *expressions;
	const char *const *sources;
	uint32_t nexpressions, nics;
	const struct vt_form_serving *serving;
} vt_form_program;
extern const struct vt_form_serving vt_form_serving;

/* main() of a deploy binary. */
int vt_deploy_main(int argc, char **argv, const vt_program *);

/* ---- reference counts ---------------------------------------------------------------------- */

void vt_free(vt_value);
/* What is inlined even where a function has many of it. */
#ifdef __TINYC__
#define VT_HOT
#else
#define VT_HOT __attribute__((always_inline))
#endif
/* Give up what locals hold where that is not hot: one call stands for a test of each. */
void vt_drop2(vt_value, vt_value);
void vt_drop3(vt_value, vt_value, vt_value);
void vt_drop4(vt_value, vt_value, vt_value, vt_value);
void vt_drop5(vt_value, vt_value, vt_value, vt_value, vt_value);
void vt_drop6(vt_value, vt_value, vt_value, vt_value, vt_value, vt_value);
void vt_drop_all(uint32_t n, const vt_value *);
/* The lines below are macros-in-functions: tcc drops static inline functions that are not used. */
static inline void
vt_retain(vt_value v)
{
	if (vt_is_ptr(v) && vt_head_of(v)->rc < VT_IMMORTAL)
		vt_head_of(v)->rc++;
}
static inline void
vt_release(vt_value v)
{
	if (vt_is_ptr(v) && vt_head_of(v)->rc < VT_IMMORTAL && --vt_head_of(v)->rc == 0)
		vt_free(v);
}
/* Empties a local. */
static inline void
vt_clear(vt_value *p)
{
	vt_value v = *p;
	*p = VT_UNDEF;
	vt_release(v);
}
/* An integer, which the C compiler does not see in a test for one. */
#ifdef __TINYC__
#define vt_known_int(v) ((void)0)
#else
#define vt_known_int(v) \
	do { \
		if (vt_is_ptr(v)) \
			__builtin_unreachable(); \
	} while (0)
#endif
/* The same in loops: what needs no count costs no call, whatever the C compiler thinks of it. */
static inline VT_HOT void
vt_clear_hot(vt_value *p)
{
	vt_value v = *p;
	*p = VT_UNDEF;
	if (vt_is_ptr(v))
		vt_release(v);
}
/* Gives an owned value to a local, dropping what was there. */
static inline void
vt_move(vt_value *p, vt_value v)
{
	vt_value old = *p;
	*p = v;
	vt_release(old);
}
/* With -g the code of a statement begins with an instruction of its own, also where -O2 mixes
 * statements. Its address stands in a section of the file that is not loaded; templates/gdb.py
 * stops there. */
#if defined __ELF__ && (defined __x86_64__ || defined __aarch64__) && !defined __TINYC__
#define VT_STATEMENT() \
	__asm__ volatile("771:\tnop\n\t.pushsection .debug_vetro,\"\",%progbits\n\t" \
			 ".8byte 771b\n\t.popsection")
#else
#define VT_STATEMENT() ((void)0)
#endif
static inline vt_value
vt_copy(vt_value v)
{
	vt_retain(v);
	return v;
}
#ifdef __TINYC__ /* which inlines nothing */
#define vt_counted(v) (vt_is_ptr(v) && vt_head_of(v)->rc < VT_IMMORTAL)
#define vt_retain(v) \
	do { \
		vt_value v_ = (v); \
		if (vt_counted(v_)) \
			vt_head_of(v_)->rc++; \
	} while (0)
#define vt_release(v) \
	do { \
		vt_value v_ = (v); \
		if (vt_counted(v_) && --vt_head_of(v_)->rc == 0) \
			vt_free(v_); \
	} while (0)
#define vt_clear(p) \
	do { \
		vt_value v_ = *(p); \
		if (vt_counted(v_) && --vt_head_of(v_)->rc == 0) \
			vt_free(v_); \
		*(p) = VT_UNDEF; \
	} while (0)
#define vt_copy(v) \
	({ \
		vt_value v_ = (v); \
		if (vt_counted(v_)) \
			vt_head_of(v_)->rc++; \
		v_; \
	})
#endif

/* ---- activations: the MuranoPL stack -------------------------------------------------------- */

/* The lock of a running method, linked from rt->holds: lock.c. */
typedef struct vt_hold {
	struct vt_hold *up;
	vt_value self; /* OBJECT or TYPEREF; VT_NULL: arguments only; borrowed */
	/* tuple of the arguments that Synchronize names, or VT_UNDEF; borrowed */
	vt_value key;
	const vt_method_decl *method;
	struct vt_lock *lock; /* once it is visible */
} vt_hold;

/* A statement, for stack traces: a constant, so that a running one costs a single store. */
typedef struct vt_at {
	uint64_t pos;
	const char *instruction;
} vt_at;
#define VT_POS(line, col) ((uint64_t)(line) << 20 | (col))
/* One running method, linked from rt. Its lock is here where the call came through
 * vt_enter_quick. */
typedef struct vt_act {
	struct vt_act *up;
	const vt_at *at; /* the running statement; NULL before the first */
	vt_hold hold;    /* always with method and self */
} vt_act;

/* Public prefix of the session: what emitted code touches directly. core/session.h has the rest. */
struct vt_rt {
	vt_ic *ic;
	vt_act *act;
	uint32_t depth, max_depth;
	const vt_program *program;
	struct vt_session *s;
	/* below it calls must not nest: vt_stack_low; 0 on the main stack */
	uintptr_t stack_limit;
	vt_hold *holds; /* locks: the methods that this task runs, innermost first */
	/* held by tasks that wait; a torture build counts one more, to see them all */
	uint32_t nlocks;
	/* An argument of the call that is being made, which its caller needs no more: the entry of
	 * the method lets it go once it holds the argument itself.  NULL: there is none. */
	vt_value *moved;
};

/* Signals and time limits take the depth away that calls may have; a loop that calls nothing looks
 * for itself. */
#define vt_stopped(rt) (*(volatile uint32_t *)&(rt)->max_depth == 0)
vt_status vt_raise_depth(vt_rt *); /* RecursionError, or what the session was stopped for */
/* fails when too deep */
vt_status vt_enter(vt_rt *, vt_act *, const vt_method_decl *, vt_value self);
#define vt_leave(rt, a) ((rt)->act = (a)->up, (rt)->depth--)

/* ---- scopes ---- */

/* A method's scope: $1 is self, then the named slots, all VT_UNDEF. Owned by the caller. */
vt_scope *vt_scope_method(vt_rt *, const vt_unit *, vt_value self, const vt_names *);
/* The scope of one lambda call below `parent`. Arguments are copied. */
vt_scope *vt_scope_child(vt_rt *, vt_scope *parent, uint32_t nargs, const vt_value *args);
void vt_scope_drop(vt_scope *);
void vt_scope_end(vt_scope *); /* the method is over */
/* Code as a lambda written in `parent`, called with one argument. */
vt_status vt_code_apply(vt_rt *, const vt_code *, vt_scope *parent, vt_value first, vt_value *out);
vt_value vt_scope_arg(vt_scope *, uint32_t n); /* $n, borrowed; VT_NULL when not set */
/* $name, borrowed; VT_NULL when not set */
vt_value vt_scope_get(vt_rt *, vt_scope *, const vt_str *);
/* dynamic variable of this scope, copied */
void vt_scope_set(vt_rt *, vt_scope *, const vt_str *name, vt_value);

/* ---- operators: the int and float cases inline in emitted code, the rest here ---- */

enum vt_binop {
	VT_OP_ADD,
	VT_OP_SUB,
	VT_OP_MUL,
	VT_OP_DIV,
	VT_OP_MOD,
	VT_OP_LT,
	VT_OP_LE,
	VT_OP_GT,
	VT_OP_GE
};
/* Falls back to vt_call at `site` for all that is not a number or a string. */
vt_status vt_binary(
	vt_rt *, vt_scope *, int op, const vt_site *site, vt_value a, vt_value b, vt_value *out);
/* The same where b may lie on the stack, which an operator of somebody else might keep. */
vt_status vt_binary_heap(
	vt_rt *, vt_scope *, int op, const vt_site *site, vt_value a, vt_value b, vt_value *out);
/* The same of what was made for the sum, where *out has it and has the sum afterwards, or nothing
 * after an error: a list that nobody else holds grows. */
vt_status vt_add_made(vt_rt *, vt_scope *, const vt_site *, vt_value b, vt_value *out);
/* $x: $x + b.  Appends in place when the variable holds the only reference, so that a loop that
 * appends is linear; the result is evaluated as an assigned value is.  The variable keeps its value
 * after an error. */
vt_status vt_add_var(vt_rt *, vt_scope *, const vt_site *site, vt_value *var, vt_value b);
enum { VT_SUMMED = 16 }; /* the most texts of one sum; each may be VT_LATER */
/* Are the variable and all of these texts, whose sum is one? */
int vt_texts(vt_value var, uint32_t n, const vt_value *);
/* Adds n texts to the text of a variable, one behind the other, in its place where it can.  0: they
 * are no texts, or too long, and nothing was done. */
int vt_add_texts(vt_rt *, vt_value *var, uint32_t n, const vt_value *);
static inline int
vt_add_texts_reg(vt_rt *rt, vt_value *var, uint32_t n, const vt_value *of)
{
	vt_value v = *var;
	int done = vt_add_texts(rt, &v, n, of);
	*var = v;
	return done;
}
/* The text of n texts; 0: they are no texts, or too long. */
int vt_concat(vt_rt *, uint32_t n, const vt_value *, vt_value *out);
static inline int
vt_concat_reg(vt_rt *rt, uint32_t n, const vt_value *of, vt_value *out)
{
	vt_value v;
	if (!vt_concat(rt, n, of, &v))
		return 0;
	*out = v;
	return 1;
}
/* s.split(by).join(glue), where the two sites have found the library's: its separators are
 * replaced.  0: they have not, or the values are others. */
int vt_split_join(vt_rt *, const vt_ic *split, const vt_ic *join, vt_value s, vt_value by,
	vt_value glue, vt_value *out);
/* s.toCharArray().reverse().join(''), where the three sites have found the library's; or 0. */
int vt_turned_text(vt_rt *, const vt_ic *chars, const vt_ic *turn, const vt_ic *join, vt_value s,
	vt_value *out);
/* list.join(by) of texts and integers, where the site has found the library's; or 0. */
int vt_join_fast(vt_rt *, const vt_ic *, vt_value list, vt_value by, vt_value *out);
/* The code points of that text, which is not made; 0 as vt_concat. */
int vt_texts_len(uint32_t n, const vt_value *, vt_value *out);
/* a + the dict of n pairs, whose keys are names; the cache remembers their shape, as that of
 * vt_record_of does. */
vt_status vt_add_record(vt_rt *, vt_scope *, const vt_site *, vt_ic *, vt_value a, uint32_t n,
	const vt_value *pairs, vt_value *out);
/* What stands there as VT_LATER is a text now; anything else is counted once more. */
vt_value vt_text_now(vt_rt *, vt_value);
/* The sum + the last of n values; VT_UNDEF for it: that of those in front, which are texts. */
vt_status vt_add_on(vt_rt *, vt_scope *, const vt_site *, vt_value sum, uint32_t n,
	const vt_value *, vt_value *out);
/* v[0] + v[1] + ..: sites has n - 1 of `+`. */
vt_status vt_add_all(vt_rt *, vt_scope *, uint32_t n, const vt_value *v,
	const vt_site *const *sites, vt_value *out);
int vt_equal(vt_rt *, vt_value a, vt_value b); /* Python ==; never an error */
int vt_truth(vt_value);                        /* Python truth value */

/*
 * A float from beyond 2^-127 up to 2^129, of either sign, is a word: its bits turned left by one,
 * so that the exponent comes first and the sign last, less the first exponent of those, and the tag
 * behind.  0.0 and -0.0 have the words that 2^-127 and -2^-127 would be; these and all others are
 * on the heap.
 */
#define VT_FLOAT_BIAS ((uint64_t)0x380 << 53)
#define VT_FLOAT_WORDS ((uint64_t)1 << 61)
static inline int
vt_is_float(vt_value v)
{
	return vt_is_float_word(v) || (vt_is_ptr(v) && vt_head_of(v)->kind == VT_K_FLOAT);
}
/* Of a word. */
static inline double
vt_float_of_word(vt_value v)
{
	union {
		uint64_t u;
		double d;
	} as;
	as.u = v >> 3;
	as.u += as.u > 1 ? VT_FLOAT_BIAS : 0;
	as.u = as.u >> 1 | as.u << 63;
	return as.d;
}
/* VT_UNDEF: it is none. */
static inline vt_value
vt_float_word(double d)
{
	union {
		double d;
		uint64_t u;
	} as;
	uint64_t w;
	as.d = d;
	as.u = as.u << 1 | as.u >> 63;
	w = as.u - VT_FLOAT_BIAS;
	if (w - 2 < VT_FLOAT_WORDS - 2)
		return w << 3 | 2;
	return as.u < 2 ? as.u << 3 | 2 : VT_UNDEF;
}
/* Of a float. */
static inline double
vt_float_of(vt_value v)
{
	return vt_is_ptr(v) ? ((const vt_float *)(uintptr_t)v)->d : vt_float_of_word(v);
}
#define vt_two_float_words(a, b) (((((a) ^ 2) | ((b) ^ 2)) & 7) == 0)
/* A small integer or the word of a float. */
#define vt_is_number_word(v) (vt_is_int(v) || vt_is_float_word(v))
static inline double
vt_number_of_word(vt_value v)
{
	return vt_is_int(v) ? (double)vt_toint(v) : vt_float_of_word(v);
}
/* 0: it is no word. */
static inline int
vt_float_put(double d, vt_value *out)
{
	vt_value v = vt_float_word(d);
	if (v == VT_UNDEF)
		return 0;
	*out = v;
	return 1;
}

#define vt_is_true(v) ((v) == VT_TRUE || ((v) != VT_FALSE && (v) != VT_NULL && vt_truth(v)))
#define vt_both_int(a, b) ((int)((a) & (b)&1))
/* Two integers, or two floats: vt_order_fast(a, <, b, &t). */
#define vt_order_fast(a, op, b, out) \
	(vt_both_int(a, b) ? (*(out) = vt_mkbool((int64_t)(a)op(int64_t)(b)), 1) \
		: vt_two_float_words(a, b) \
			? (*(out) = vt_mkbool(vt_float_of_word(a) op vt_float_of_word(b)), 1) \
			: 0)
/* Python ==; two integers, and what is or may be null, in place. */
#define vt_equal_fast(rt, a, b) \
	(vt_both_int(a, b) || (a) == VT_NULL || (b) == VT_NULL ? (a) == (b) : vt_equal(rt, a, b))
/* Python == with a text: most others differ in their length or first byte. */
static inline int
vt_equal_text(vt_rt *rt, vt_value a, vt_value text)
{
	const vt_str *s = (const vt_str *)(uintptr_t)a, *t = (const vt_str *)(uintptr_t)text;
	if (a == VT_NULL || (vt_is_ptr(a) && s->h.kind == VT_K_STR &&
				    (s->bytes != t->bytes || s->s[0] != t->s[0])))
		return 0;
	return vt_equal(rt, a, text);
}
#ifdef __TINYC__
static inline int
vt_add_fast(vt_value a, vt_value b, vt_value *out)
{
	int64_t r;
	if (!vt_both_int(a, b))
		return 0;
	r = vt_toint(a) + vt_toint(b);
	if (r > VT_INT_MAX || r < VT_INT_MIN)
		return 0;
	*out = vt_mkint(r);
	return 1;
}
static inline int
vt_sub_fast(vt_value a, vt_value b, vt_value *out)
{
	int64_t r;
	if (!vt_both_int(a, b))
		return 0;
	r = vt_toint(a) - vt_toint(b);
	if (r > VT_INT_MAX || r < VT_INT_MIN)
		return 0;
	*out = vt_mkint(r);
	return 1;
}
#define vt_mul_fast(a, b, out) 0
#define vt_div_fast(a, b, out) 0
#define vt_mod_fast(a, b, out) 0
#else
/* One of them is a float: as Python makes one of the other.  Out of line, for pairs of one kind are
 * more; and not for `+`, where texts and lists come by. */
static __attribute__((noinline, unused)) vt_value
vt_mixed(char op, vt_value a, vt_value b)
{
	double x = vt_number_of_word(a), y = vt_number_of_word(b);
	return vt_float_word(op == '-' ? x - y : op == '*' ? x * y : x / y);
}
#define vt_mixes(a, b) ((((a) | (b)) & 1) != 0 && vt_is_float_word((a)&1 ? (b) : (a)))
static inline int
vt_mixed_put(char op, vt_value a, vt_value b, vt_value *out)
{
	vt_value v = vt_mixed(op, a, b);
	if (v == VT_UNDEF)
		return 0;
	*out = v;
	return 1;
}
/* On words: 2x+1 and 2y are the operands, so that the processor sees the overflow. */
static inline int
vt_add_fast(vt_value a, vt_value b, vt_value *out)
{
	int64_t r;
	if (!vt_both_int(a, b))
		return vt_two_float_words(a, b) &&
		       vt_float_put(vt_float_of_word(a) + vt_float_of_word(b), out);
	if (__builtin_add_overflow((int64_t)a, (int64_t)(b - 1), &r))
		return 0;
	*out = (vt_value)r;
	return 1;
}
static inline int
vt_sub_fast(vt_value a, vt_value b, vt_value *out)
{
	int64_t r;
	if (!vt_both_int(a, b))
		return vt_two_float_words(a, b)
			       ? vt_float_put(vt_float_of_word(a) - vt_float_of_word(b), out)
			       : vt_mixes(a, b) && vt_mixed_put('-', a, b, out);
	if (__builtin_sub_overflow((int64_t)a, (int64_t)(b - 1), &r))
		return 0;
	*out = (vt_value)r;
	return 1;
}
static inline int
vt_mul_fast(vt_value a, vt_value b, vt_value *out)
{
	int64_t r;
	if (!vt_both_int(a, b))
		return vt_two_float_words(a, b)
			       ? vt_float_put(vt_float_of_word(a) * vt_float_of_word(b), out)
			       : vt_mixes(a, b) && vt_mixed_put('*', a, b, out);
	if (__builtin_mul_overflow((int64_t)(a - 1), vt_toint(b), &r))
		return 0;
	*out = (vt_value)r + 1;
	return 1;
}
/* Rounds down, as Python does. By zero: an error; by -1: the quotient may not fit. */
static inline int
vt_div_fast(vt_value a, vt_value b, vt_value *out)
{
	int64_t x = vt_toint(a), y = vt_toint(b), q;
	if (!vt_both_int(a, b))
		return vt_two_float_words(a, b)
			       ? vt_float_put(vt_float_of_word(a) / vt_float_of_word(b), out)
			       : vt_mixes(a, b) && vt_mixed_put('/', a, b, out);
	if ((uint64_t)(y + 1) <= 1)
		return 0;
	q = x / y;
	q -= q * y != x && (x ^ y) < 0;
	*out = vt_mkint(q);
	return 1;
}
static inline int
vt_mod_fast(vt_value a, vt_value b, vt_value *out)
{
	int64_t x = vt_toint(a), y = vt_toint(b), r;
	if (!vt_both_int(a, b) || (uint64_t)(y + 1) <= 1)
		return 0;
	r = x % y;
	r += r != 0 && (r ^ y) < 0 ? y : 0;
	*out = vt_mkint(r);
	return 1;
}
#endif

/*
 * Raw integers: twice the number, which is the word of vt_mkint less one.  A call that gives 0 has
 * left *r as it was: the result is no 63-bit integer, or there is none.
 */
#define vt_raw(v) ((int64_t)((v)-1))
#define vt_boxed(i) ((vt_value)(i) | 1)
#ifdef __TINYC__
static inline int
vt_raw_add(int64_t a, int64_t b, int64_t *r)
{
	int64_t s = (int64_t)((uint64_t)a + (uint64_t)b);
	if (((a ^ s) & (b ^ s)) < 0)
		return 0;
	*r = s;
	return 1;
}
static inline int
vt_raw_sub(int64_t a, int64_t b, int64_t *r)
{
	int64_t s = (int64_t)((uint64_t)a - (uint64_t)b);
	if (((a ^ b) & (a ^ s)) < 0)
		return 0;
	*r = s;
	return 1;
}
static inline int
vt_raw_mul(int64_t a, int64_t b, int64_t *r)
{
	if ((uint64_t)(a + 0x80000000LL) >> 32 || (uint64_t)(b + 0x80000000LL) >> 32)
		return 0;
	*r = a / 2 * b;
	return 1;
}
#else
static inline int
vt_raw_add(int64_t a, int64_t b, int64_t *r)
{
	int64_t s;
	if (__builtin_add_overflow(a, b, &s))
		return 0;
	*r = s;
	return 1;
}
static inline int
vt_raw_sub(int64_t a, int64_t b, int64_t *r)
{
	int64_t s;
	if (__builtin_sub_overflow(a, b, &s))
		return 0;
	*r = s;
	return 1;
}
static inline int
vt_raw_mul(int64_t a, int64_t b, int64_t *r)
{
	int64_t s;
	if (__builtin_mul_overflow(a >> 1, b, &s))
		return 0;
	*r = s;
	return 1;
}
#endif
/* Is it an integer that a double can be? */
#define vt_raw_exact(i) ((i) >= -(1LL << 54) && (i) <= 1LL << 54)
/* As a double: a float or a small integer; the second one where a double can be that integer. */
#define vt_is_real(v) (vt_is_int(v) || vt_is_float(v))
#define vt_is_exact(v) (vt_is_int(v) ? vt_raw_exact((int64_t)(v)) : vt_is_float(v))
#define vt_real_of(v) (vt_is_int(v) ? (double)vt_toint(v) : vt_float_of(v))
vt_value vt_float_new(vt_rt *, double);
/* The same at once. */
static inline vt_value
vt_mkfloat(vt_rt *rt, double d)
{
	vt_value v = vt_float_word(d);
	return v != VT_UNDEF ? v : vt_float_new(rt, d);
}
/* A result that is only taken as a double: *i is the raw integer that it is, or odd for a float. */
#define VT_EITHER(raw, op) \
	if (vt_both_int(a, b)) { \
		if (!raw(vt_raw(a), vt_raw(b), i)) \
			return 0; \
		*y = (double)(*i / 2); \
		return 1; \
	} \
	if (!vt_is_real(a) || !vt_is_real(b)) \
		return 0; \
	*i = 1; \
	*y = vt_real_of(a) op vt_real_of(b); \
	return 1;
static inline int
vt_either_add(vt_value a, vt_value b, int64_t *i, double *y)
{
	VT_EITHER(vt_raw_add, +)
}
static inline int
vt_either_sub(vt_value a, vt_value b, int64_t *i, double *y)
{
	VT_EITHER(vt_raw_sub, -)
}
static inline int
vt_either_mul(vt_value a, vt_value b, int64_t *i, double *y)
{
	VT_EITHER(vt_raw_mul, *)
}
#define vt_either_of(rt, i, y) ((i)&1 ? vt_mkfloat(rt, y) : vt_boxed(i))
double vt_float_mod(double a, double b); /* as Python has it: of the sign of b, which is not 0 */
/* A divisor that the C compiler knows to be positive needs no look at the signs. */
#ifdef __TINYC__
#define vt_known_positive(b) 0
#else
#define vt_known_positive(b) (__builtin_constant_p(b) && (b) > 0)
#endif
/* Round down, as Python does. By -1 the quotient may not fit. */
static inline int
vt_raw_div(int64_t a, int64_t b, int64_t *r)
{
	int64_t q;
	if (b == 0 || b == -2)
		return 0;
	q = a / b;
	q -= q * b != a && (a ^ b) < 0;
	*r = 2 * q;
	return 1;
}
static inline int
vt_raw_mod(int64_t a, int64_t b, int64_t *r)
{
	int64_t m;
	if (b == 0)
		return 0;
	if (vt_known_positive(b) && (b & (b - 1)) == 0) {
		*r = a & (b - 1);
		return 1;
	}
	m = a % b;
	if (vt_known_positive(b))
		m += m >> 63 & b;
	else
		m += m != 0 && (m ^ b) < 0 ? b : 0;
	*r = m;
	return 1;
}

/* ---- what emitted code reads of lists and iterators ---- */

typedef struct vt_list { /* TUPLE and LIST; v is a separate block so that lists grow */
	vt_head h;
	uint32_t n, cap;
	vt_value *v; /* points behind the struct when it fits a slab: see list.c */
	vt_value inl[];
} vt_list;

/* ITER: a heap state machine. next gives VT_UNDEF in *out at the end, for ever after. */
typedef struct vt_iter vt_iter;
vt_status vt_iter_next(vt_rt *, vt_value iter, vt_value *out); /* *out is VT_UNDEF at the end */
typedef struct vt_iter_ops {
	vt_status (*next)(vt_rt *, vt_iter *, vt_value *out);
	void (*drop)(vt_iter *); /* releases the state; NULL: nothing to release */
	/* Python's type name, for repr: "generator", "map", "filter" ... */
	const char *name;
	uint16_t size; /* sys.getsizeof of it: quota.c */
	/* Up to `room` items at once, given away, where that cannot be distinguished from as many
	 * next(); 0: ask next. NULL: never. */
	uint32_t (*bulk)(vt_rt *, vt_iter *, uint32_t room, vt_value *items);
} vt_iter_ops;
struct vt_iter {
	vt_head h;
	const vt_iter_ops *ops;
	vt_value v[4]; /* released by the runtime, VT_UNDEF when unused */
	int64_t i[3];
	void *p; /* released by ops->drop */
};

/*
 * A chain of where() and select() over `source` as one iterator: pipe.c. *out stays VT_UNDEF where
 * the calls have to be made one by one.
 */
vt_status vt_pipe(
	vt_rt *, vt_scope *, const vt_unit *, const vt_iter_ops *, vt_value source, vt_value *out);
/* Whether a stage that gives iterators may give lists in their place, for those behind it walk each
 * but once: COUNTED: where of the items no more than the number is asked for. */
enum vt_stage_lists { VT_LISTS_NEVER, VT_LISTS_COUNTED, VT_LISTS_WALKED };
/* site: the call of where() or select() that the stage stands for; NULL in expressions. */
typedef struct vt_pipe_stage {
	const vt_code *code;
	_Bool filter;
	uint8_t lists;
	const vt_site *site;
} vt_pipe_stage;
/* unit and names: of the method that the pipeline stands in; NULL in expressions. */
typedef struct vt_pipe_ops {
	vt_iter_ops ops;
	uint32_t n;
	const vt_pipe_stage *stages;
	const vt_unit *unit;
	const vt_names *names;
} vt_pipe_ops;
vt_status vt_pipe_loop(vt_rt *, vt_iter *, vt_value *out);
/* The same as vt_pipe, or what the calls make: call/pipe_calls.c. */
vt_status vt_pipe_calls(vt_rt *, vt_scope *, const vt_pipe_ops *, vt_value source, vt_value *out);
/*
 * The same in a method, whose lambdas get a scope with the variables that they read: `vars` by
 * number, VT_UNDEF what none reads, or NULL where *sc has them. A list is walked by the iterator
 * `it`, unless that is NULL, in the scope `local` where the lambdas can keep none, else in *sc,
 * which is made when it is needed.
 */
vt_status vt_pipe_method(vt_rt *, vt_scope **sc, vt_scope *local, vt_value self,
	const vt_value *vars, const vt_pipe_ops *, vt_value source, vt_iter *it, vt_value *out);
/* The same, and the call of the site on what it makes, with no argument but what the site has. */
vt_status vt_pipe_call(vt_rt *, vt_scope **sc, vt_value self, const vt_value *vars,
	const vt_pipe_ops *, vt_value source, const vt_site *, vt_value *out);
enum { VT_MOST_CONSTANT = 2 }; /* arguments */
/* One item of pipelines of methods. */
vt_status vt_pipe_each(vt_rt *, vt_iter *, vt_value *out);
/* vt_iter_ops of pipelines whose stages are in the table. */
void vt_pipe_drop_pull(vt_iter *);
/* May code take the place of the library's where() and select() over it? */
int vt_pipe_takes(vt_rt *, const vt_unit *, vt_value source);
uint32_t vt_pipe_bulk(vt_rt *, vt_iter *, uint32_t room, vt_value *items);

/* ---- building blocks ---- */

vt_status vt_tuple_of(vt_rt *, uint32_t n, const vt_value *items, vt_value *out); /* copies */
/* A FrozenDict of n key, value pairs; TypeError for an unhashable key. Later keys win. */
vt_status vt_dict_of(vt_rt *, uint32_t n, const vt_value *pairs, vt_value *out);
/* The same where all keys are constant strings: the site remembers the shape. */
vt_status vt_record_of(vt_rt *, vt_ic *, uint32_t n, const vt_value *pairs, vt_value *out);
/* helpers.evaluate of the reference: iterators, views, lists become tuples, sets frozensets,
 * deeply. */
vt_status vt_final(vt_rt *, const vt_unit *, vt_value v, vt_value *out);
/* The same of a value that the caller holds and needs no more: what nobody else holds changes where
 * it lies, and *held is VT_UNDEF then. */
vt_status vt_final_held(vt_rt *, const vt_unit *, vt_value *held, vt_value *out);
/* The same of what is only walked: a set may be a tuple. */
vt_status vt_final_walked(vt_rt *, const vt_unit *, vt_value *held, vt_value *out);
/* For emitted code, as all that end in _reg: nothing else learns the address of its local, which
 * can be a register then. */
static inline vt_status
vt_final_held_reg(vt_rt *rt, const vt_unit *u, vt_value *held, vt_value *out)
{
	vt_value v = *held;
	vt_status st = vt_final_held(rt, u, &v, out);
	*held = v;
	return st;
}
static inline vt_status
vt_final_walked_reg(vt_rt *rt, const vt_unit *u, vt_value *held, vt_value *out)
{
	vt_value v = *held;
	vt_status st = vt_final_walked(rt, u, &v, out);
	*held = v;
	return st;
}
#define vt_final_now(v) \
	(!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR || (vt_head_of(v)->flags & VT_F_FINAL))
static inline vt_status
vt_final_fast(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	if (vt_final_now(v)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	return vt_final(rt, u, v, out);
}

/* How every DICT begins, shape NULL when its keys are its own, and every OBJECT, where shape is the
 * class. */
typedef struct vt_record {
	vt_head h;
	const void *shape;
	uint32_t n, cap;
	vt_value *v;
} vt_record;
#define vt_is_record(r) ((1u << (r)->h.kind & (1u << VT_K_DICT | 1u << VT_K_OBJECT)) != 0)
/* `a.name` where the site has seen the shape or class; the cache holds that and 1 + the slot, 0 for
 * none. */
#ifdef __TINYC__
#define vt_attr_fast(ic_, a, out) \
	({ \
		const vt_ic *i_ = (ic_); \
		const vt_record *r_ = (const vt_record *)(uintptr_t)(a); \
		int hit_ = vt_is_ptr((vt_value)(uintptr_t)r_) && vt_is_record(r_) && \
			   r_->shape == i_->key && i_->aux != 0 && r_->v[i_->aux - 1] != VT_UNDEF; \
		if (hit_) \
			*(out) = vt_copy(r_->v[i_->aux - 1]); \
		hit_; \
	})
#else
static inline int
vt_attr_fast(const vt_ic *ic, vt_value a, vt_value *out)
{
	const vt_record *r = (const vt_record *)(uintptr_t)a;
	if (!vt_is_ptr(a) || !vt_is_record(r) || r->shape != ic->key || ic->aux == 0 ||
		r->v[ic->aux - 1] == VT_UNDEF)
		return 0;
	*out = vt_copy(r->v[ic->aux - 1]);
	return 1;
}
#endif
/* The same, borrowed, without more than that; VT_UNDEF: it is not known. */
static inline vt_value
vt_member_of(const vt_ic *ic, vt_value a)
{
	const vt_record *r = (const vt_record *)(uintptr_t)a;
	return !vt_is_ptr(a) || !vt_is_record(r) || r->shape != ic->key || ic->aux == 0
		       ? VT_UNDEF
		       : r->v[ic->aux - 1];
}
/* The same of dicts only, whose members stay as they are. */
#define vt_member_of_dict(ic, a) \
	(vt_is_ptr(a) && vt_head_of(a)->kind == VT_K_DICT ? vt_member_of(ic, a) : VT_UNDEF)
/* v, which a variable holds, leaves its place in `all`, which another one holds: null is there
 * until it is written again.  Nothing happens unless these two alone have v, and the other variable
 * what it stands in. */
void vt_take_out(vt_rt *, vt_value all, vt_value key, vt_value v);
static inline void
vt_take_part(vt_rt *rt, vt_value all, vt_value key, vt_value v)
{
	if (vt_is_ptr(v) && vt_head_of(v)->rc == 2)
		vt_take_out(rt, all, key, v);
}
/* `a.name`: dict key, property of an object or type, #property, attribute of each element. */
vt_status vt_attr(vt_rt *, vt_scope *, const vt_site *, vt_value a, vt_value *out);
/* left -> right: runs code in a child of the context `left`; NoMatchingFunctionException
 * otherwise. */
vt_status vt_with_context(
	vt_rt *, vt_scope *, const vt_site *, vt_value left, const vt_code *, vt_value *out);
/* ns:Name, :Name. */
vt_status vt_typeref(vt_rt *, const vt_unit *, const vt_str *prefixed, vt_value *out);
/* The same, remembered: type references are immortal and there is one a class. */
static inline vt_status
vt_typeref_ic(vt_rt *rt, const vt_unit *u, const vt_str *prefixed, vt_ic *ic, vt_value *out)
{
	vt_status st;
	if (ic->aux) {
		*out = ic->aux;
		return VT_OK;
	}
	st = vt_typeref(rt, u, prefixed, out);
	if (st == VT_OK)
		ic->aux = *out;
	return st;
}
/* An integer constant beyond 63 bits, from its decimal digits. */
vt_status vt_big_const(vt_rt *, const char *digits, vt_value *out);

/* ---- assignment: muranopl-engine.md B3 ---- */

/* What methods do with a call that may fail: its status is in st, what it makes in r. */
#define VT_TAKE(local, to) \
	do { \
		if (st != VT_OK) \
			goto to; \
		local = r; \
		r = VT_UNDEF; \
	} while (0)
#define VT_MAKE(local, call, to) \
	do { \
		if ((st = (call)) != VT_OK) \
			goto to; \
		local = r; \
		r = VT_UNDEF; \
	} while (0)
/* What is only asked for its truth becomes a bool: evaluated first where there is a unit. */
#define VT_ASK(local, unit, to) \
	do { \
		r = local; \
		local = VT_UNDEF; \
		st = vt_make_bool(rt, unit, &r); \
		local = r; \
		r = VT_UNDEF; \
		if (st != VT_OK) \
			goto to; \
	} while (0)
vt_status vt_make_bool(vt_rt *, const vt_unit *, vt_value *held);
/* The same of a call that changes a local by way of r; the local keeps its value after an error. */
#define VT_LEND(local, call, to) \
	do { \
		r = local; \
		st = (call); \
		local = r; \
		r = VT_UNDEF; \
		if (st != VT_OK) \
			goto to; \
	} while (0)
/* And of the entry of a method, whose errors learn where they came from. */
#define VT_CALLED(local, site, to) \
	do { \
		if (st != VT_OK) { \
			st = vt_called(rt, site, st); \
			goto to; \
		} \
		local = r; \
		r = VT_UNDEF; \
	} while (0)

/* Reads a level on the way: a missing key or an unset property is {}. */
vt_status vt_lhs_attr(vt_rt *, const vt_unit *, vt_value a, const vt_str *name, vt_value *out);
vt_status vt_lhs_index(vt_rt *, const vt_unit *, vt_value a, vt_value index, vt_value *out);
/* Writes a level.  A container gives its successor in *out; an object or type is written in place
 * and *out is VT_UNDEF: nothing is left to assign. */
vt_status vt_put_attr(vt_rt *, const vt_unit *, vt_ic *, vt_value a, const vt_str *name, vt_value v,
	vt_value *out);
/* The same where nothing can take a successor: then InvalidLhsTarget's ValueError for `root`. */
vt_status vt_put_last(vt_rt *, const vt_unit *, vt_ic *, vt_value a, const vt_str *name, vt_value v,
	const vt_str *root);
vt_status vt_put_index(
	vt_rt *, const vt_unit *, vt_value a, vt_value index, vt_value v, vt_value *out);
/* The same for a variable's own level: in place when the variable holds the only reference. */
vt_status vt_put_attr_var(vt_rt *, const vt_unit *, vt_value *var, const vt_str *name, vt_value v);
vt_status vt_put_index_var(vt_rt *, const vt_unit *, vt_value *var, vt_value index, vt_value v);
static inline vt_status
vt_put_index_var_reg(vt_rt *rt, const vt_unit *u, vt_value *var, vt_value index, vt_value v)
{
	vt_value x = *var;
	vt_status st = vt_put_index_var(rt, u, &x, index, v);
	*var = x;
	return st;
}
vt_status vt_bad_lhs(vt_rt *, const char *text);    /* InvalidLhsTargetError */
vt_status vt_bad_this(vt_rt *, const vt_str *name); /* ValueError: Cannot assign to $this */

/* ---- calls that need not look: invoke.c has the long way ------------------------------------- */

/*
 * Sets of values, in 32 bits: integers, constants, kinds, and what is final whatever its kind.  A
 * contract that hands all values of a set on as they are need not run for one of them.
 */
#define VT_TAKES_INT 1u
#define VT_TAKES_NULL 2u
#define VT_TAKES_BOOL (4u | 8u)
#define VT_TAKES_KIND(k) (1u << (8 + (k)))
#define VT_TAKES_FINAL (1u << 31)
#define VT_TAKES_ANY /* whatever is evaluated */ \
	(VT_TAKES_INT | VT_TAKES_NULL | VT_TAKES_BOOL | VT_TAKES_FINAL | \
		VT_TAKES_KIND(VT_K_FLOAT) | VT_TAKES_KIND(VT_K_BIGINT) | VT_TAKES_KIND(VT_K_STR) | \
		VT_TAKES_KIND(VT_K_OBJECT) | VT_TAKES_KIND(VT_K_TYPEREF))
#define VT_TAKES_LIKE (1u << 7) /* objects of the class of the last item only */
/* The number of the bit. Constants beyond true are no values of a program, and in no set. */
#define vt_tag(v) \
	(vt_is_int(v)                 ? 0u \
		: vt_is_ptr(v)        ? 8u + vt_head_of(v)->kind \
		: vt_is_float_word(v) ? 8u + VT_K_FLOAT \
				      : (unsigned)((v) >> 3) & 7)
#define vt_takes(v, set) \
	(((set) >> vt_tag(v) & 1) != 0 || (((set)&VT_TAKES_FINAL) != 0 && vt_is_ptr(v) && \
						  (vt_head_of(v)->flags & VT_F_FINAL) != 0))

/* Drops the error that a predicate had: whoever asked again will tell. */
void vt_unheld(vt_rt *);
/* Is the predicate, which asks for nothing but the value, true of it? 0 also where it fails, or
 * gives something else: the contract itself is to say what that means. */
static inline int
vt_holds(vt_rt *rt, vt_status (*predicate)(vt_rt *, vt_scope *, const vt_value *, vt_value *),
	vt_value v)
{
	vt_value y = VT_UNDEF;
	vt_status st = predicate(rt, NULL, &v, &y);
	if (st == VT_OK && y == VT_TRUE)
		return 1;
	if (st == VT_OK)
		vt_release(y);
	else
		vt_unheld(rt);
	return 0;
}
/* Calls a method that vt_method_decl.entry may stand for: receiver and number of arguments are
 * right. */
vt_status vt_invoke_plain(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value object,
	const vt_value *args, vt_value *out);
/* The same where the last parameter is VarArgs or KwArgs: the last of args is a tuple or dict of
 * what is for it. */
vt_status vt_invoke_spread(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value object,
	const vt_value *args, vt_value *out);
void vt_lock_release(vt_rt *, vt_hold *);
/* What vt_enter and vt_lock do where nothing stands in the way: a deep stack, a lock that a waiting
 * task has, a destroyed object. 0: something does. */
static inline int
vt_enter_quick(vt_rt *rt, vt_act *a, const vt_method_decl *m, vt_value self)
{
	if ((uintptr_t)a < rt->stack_limit || rt->depth >= rt->max_depth || rt->nlocks != 0 ||
		(vt_head_of(self)->flags & VT_F_GONE) != 0)
		return 0;
	rt->depth++;
	a->up = rt->act;
	a->at = NULL;
	a->hold.up = rt->holds;
	a->hold.self = self;
	a->hold.key = VT_UNDEF;
	a->hold.method = m;
	a->hold.lock = NULL;
	rt->act = a;
	rt->holds = &a->hold;
	return 1;
}
/* The argument: from the caller who has moved it, so that the body has it alone; else counted. */
static inline vt_value
vt_take(vt_rt *rt, const vt_value *arg)
{
	vt_value v = *arg;

	if (rt->moved != arg)
		return vt_copy(v);
	*rt->moved = VT_UNDEF;
	rt->moved = NULL;
	return v;
}
static inline void
vt_leave_quick(vt_rt *rt, vt_act *a)
{
	vt_leave(rt, a);
	rt->holds = a->hold.up;
	if (a->hold.lock != NULL)
		vt_lock_release(rt, &a->hold);
}
/*
 * The entry of a method: where all arguments are as its contracts hand them on (`takes`) and
 * nothing stands in the way of the call, it runs the body with the rest of what it is given; else
 * vt_invoke_plain or _spread does the same in the order and with the errors of the language.
 */
#define VT_ENTRY(name, how, decl, takes, body, ...) \
	VT_ENTRY_FIRST(name, how, decl, (void)0, takes, body, ##__VA_ARGS__)
/* The same, which tries the integer method first: it gives VT_UNDEF where it gives up. */
#define VT_ENTRY_INTS(name, how, decl, ints, fits, made, takes, body, ...) \
	VT_ENTRY_FIRST( \
		name, how, decl, \
		if ((fits) && vt_int_method_quick(rt, &ints, self)) { \
			if ((*out = made) != VT_UNDEF) \
				return VT_OK; \
			vt_ic_at(rt, ints.ic)->aux++; \
		}, \
		takes, body, ##__VA_ARGS__)
#define VT_ENTRY_FIRST(name, how, decl, first, takes, body, ...) \
	static vt_status name(vt_rt *rt, const vt_unit *caller, vt_value self, \
		const vt_value *args, vt_value *out) \
	{ \
		vt_act act; \
		vt_status st; \
		first; \
		if (!(takes) || !vt_enter_quick(rt, &act, &decl, self)) \
			return vt_invoke_##how(rt, caller, &decl, self, args, out); \
		st = body(rt, &act, self, ##__VA_ARGS__, out); \
		vt_leave_quick(rt, &act); \
		return st; \
	}
/* Is it a list, or a dict, that a contract by element hands on as it is: are all items in the
 * set? */
int vt_takes_items(vt_value, uint32_t set);
/* Need the contract that the table stands for not run for the value? */
int vt_accepted(vt_rt *, const vt_accept *, vt_value);
int vt_takes_entries(vt_value, uint32_t keys, uint32_t values);
/* Is it an object of the class in the cache? */
static inline int
vt_sees(const vt_ic *ic, vt_value a)
{
	return vt_is_ptr(a) && vt_head_of(a)->kind == VT_K_OBJECT &&
	       ((const vt_record *)(uintptr_t)a)->shape == ic->key;
}
/* Is it an object of one of the four classes that a contract has accepted last, as its cache has
 * them? */
int vt_saw(const vt_ic *, vt_value a);
static inline int
vt_sees_one(const vt_ic *ic, vt_value a)
{
	return vt_is_ptr(a) && vt_head_of(a)->kind == VT_K_OBJECT &&
	       (((const vt_record *)(uintptr_t)a)->shape == ic->key || vt_saw(ic, a));
}
/* Is it the type itself? Its key is one up. */
static inline int
vt_sees_type(const vt_ic *ic, vt_value a)
{
	return vt_is_ptr(a) && vt_head_of(a)->kind == VT_K_TYPEREF &&
	       (uintptr_t)((const vt_record *)(uintptr_t)a)->shape + 1 == (uintptr_t)ic->key;
}
/* The entry of the method that the site has found for objects of this class, or for this type;
 * NULL: ask vt_call. */
#define vt_entry_of(ic, a) \
	(vt_sees(ic, a) || vt_sees_type(ic, a) ? (vt_entry_fn)(uintptr_t)(ic)->aux2 : NULL)
/* Of objects of several classes that take turns at a site; NULL: ask vt_call. */
vt_entry_fn vt_entry_kept(vt_rt *, const vt_site *, vt_value a);
#define vt_entry_at(rt, s, ic, a) \
	(vt_sees(ic, a) || vt_sees_type(ic, a) ? (vt_entry_fn)(uintptr_t)(ic)->aux2 \
					       : vt_entry_kept(rt, s, a))
/* The same of an object that is seen as the class; NULL: of the value as it is. */
#define vt_entry_as(ic, as, a) \
	((as) == NULL                                         ? vt_entry_of(ic, a) \
		: (uintptr_t)(ic)->key == (uintptr_t)(as) + 3 ? (vt_entry_fn)(uintptr_t)(ic)->aux2 \
							      : NULL)
/* Is it this method? */
#define vt_finds(ic, a, m) (vt_sees(ic, a) && (ic)->target == (m))
/* A site, and the method that code counts on finding there. */
typedef struct vt_bound {
	const vt_site *site;
	const vt_method_decl *method;
} vt_bound;
/* Would each of them find its method for objects of this class? The answer is remembered in the
 * cache. */
int vt_int_method_bind(vt_rt *, vt_ic *, vt_value self, const vt_bound *, uint32_t n);
#define VT_INT_METHOD_PATIENCE 64
#define vt_frame() ((uintptr_t)__builtin_frame_address(0))
/* An integer method (compiler/emit/int_method.c): a vt_int_<n> of n parameters, and the sites that
 * it counts on. */
typedef struct vt_int_method {
	void (*fn)(void);
	vt_ic *ic; /* by vt_ic_at: for which class the sites are known; aux: how often it gave up */
	const vt_bound *sites;
	uint32_t nsites;
} vt_int_method;
typedef vt_value (*vt_int_0)(vt_rt *, vt_value self, uint32_t depth);
typedef vt_value (*vt_int_1)(vt_rt *, vt_value self, uint32_t depth, int64_t);
typedef vt_value (*vt_int_2)(vt_rt *, vt_value self, uint32_t depth, int64_t, int64_t);
typedef vt_value (*vt_int_3)(vt_rt *, vt_value self, uint32_t depth, int64_t, int64_t, int64_t);
typedef vt_value (*vt_int_4)(
	vt_rt *, vt_value self, uint32_t depth, int64_t, int64_t, int64_t, int64_t);
typedef vt_value (*vt_int_5)(
	vt_rt *, vt_value self, uint32_t depth, int64_t, int64_t, int64_t, int64_t, int64_t);
typedef vt_value (*vt_int_6)(vt_rt *, vt_value self, uint32_t depth, int64_t, int64_t, int64_t,
	int64_t, int64_t, int64_t);
/* May it run on this object, as far as the object and its class can tell? */
static inline int
vt_int_method_fits(vt_rt *rt, const vt_int_method *m, vt_value self)
{
	vt_ic *ic = vt_ic_at(rt, m->ic);
	return (vt_head_of(self)->flags & VT_F_GONE) == 0 && ic->aux < VT_INT_METHOD_PATIENCE &&
	       (m->nsites == 0 || vt_sees(ic, self) ||
		       vt_int_method_bind(rt, ic, self, m->sites, m->nsites));
}
/* May it run now? */
static inline int
vt_int_method_quick(vt_rt *rt, const vt_int_method *m, vt_value self)
{
	return rt->depth < rt->max_depth && rt->nlocks == 0 && vt_int_method_fits(rt, m, self);
}
/* The method that the site has found for objects of this class; NULL: there is none, or no object.
 */
const vt_method_decl *vt_int_method_found(vt_rt *, const vt_site *, const vt_ic *, vt_value recv);
/* What an integer method calls on another object, a vt_int_<n>; NULL: the call cannot be made so.
 */
static inline void *
vt_int_method_of(vt_rt *rt, const vt_site *s, vt_value recv)
{
	const vt_ic *ic = vt_ic_at(rt, s->ic);
	const vt_method_decl *m = vt_sees(ic, recv) && ic->aux == 1
					  ? (const vt_method_decl *)ic->target
					  : vt_int_method_found(rt, s, ic, recv);
	return m != NULL && m->ints != NULL && vt_int_method_fits(rt, m->ints, recv)
		       ? (void *)(uintptr_t)m->ints->fn
		       : NULL;
}
/* What an integer method knows of values: none of them is counted. */
#define vt_true_now(v) ((v) == VT_TRUE || (vt_is_int(v) && (v) != vt_mkint(0)))
static inline int
vt_equal_now(vt_value a, vt_value b)
{
	if (vt_is_bool(a))
		a = vt_mkint(a == VT_TRUE);
	if (vt_is_bool(b))
		b = vt_mkint(b == VT_TRUE);
	return a == b;
}
/* The member of an object or dict, borrowed, as vt_member_of gives it from then on; VT_UNDEF: it is
 * none that is only read. */
vt_value vt_attr_learn(vt_rt *, const vt_site *, vt_value a);
/* The property that the site has read before; VT_UNDEF: there is none. counted: it may be a value
 * with a count. */
static inline vt_value
vt_attr_now(vt_rt *rt, const vt_site *s, vt_value self, int counted)
{
	const vt_record *r = (const vt_record *)(uintptr_t)self;
	const vt_ic *ic = vt_ic_at(rt, s->ic);
	vt_value v = r->shape == ic->key && ic->aux != 0 ? r->v[ic->aux - 1]
							 : vt_attr_learn(rt, s, self);
	return !counted && vt_is_ptr(v) ? VT_UNDEF : v;
}
/* The same of what is no object for sure. */
static inline vt_value
vt_member_now(vt_rt *rt, const vt_site *s, vt_value a, int counted)
{
	return vt_is_ptr(a) && vt_is_record((const vt_record *)(uintptr_t)a)
		       ? vt_attr_now(rt, s, a, counted)
		       : VT_UNDEF;
}
/* Is it the i-th of n cases, the last of which stands for all other integers? */
static inline int
vt_is_case(vt_value v, uint64_t i, uint64_t n)
{
	return vt_is_int(v) &&
	       (i + 1 < n ? (uint64_t)vt_toint(v) == i : (uint64_t)vt_toint(v) >= n - 1);
}
/* The status of such a call; an error learns where it came from, as from vt_call. */
vt_status vt_called(vt_rt *, const vt_site *, vt_status);
/* Writes a property that the site has written before, with a value that its contract leaves
 * alone. */
static inline int
vt_put_fast(const vt_ic *ic, vt_value a, vt_value v)
{
	vt_value *slot, old;
	if (!vt_sees(ic, a) || !vt_takes(v, ic->aux2))
		return 0;
	slot = &((const vt_record *)(uintptr_t)a)->v[ic->aux];
	old = *slot;
	*slot = vt_copy(v);
	vt_release(old);
	return 1;
}
/* The same, or vt_put_last. */
static inline vt_status
vt_put_own(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value a, const vt_str *name, vt_value v,
	const vt_str *root)
{
	return vt_put_fast(ic, a, v) ? VT_OK : vt_put_last(rt, u, ic, a, name, v, root);
}

/* The same with a list that the property has, one with more at its end, or a dict: in place, and
 * `list` is taken, when nothing else holds it and the contract has nothing to say to the new items.
 * 0: go the long way. */
int vt_grow_prop(vt_rt *, vt_scope *, const vt_site *, const vt_ic *put, vt_value object,
	vt_value list, vt_value more);
/* The same for n texts at the end of one. */
int vt_grow_text(vt_rt *, const vt_ic *put, vt_value object, vt_value text, uint32_t n,
	const vt_value *more);
/*
 * Puts v below the root: level by level through containers that only their container, variable
 * (and the temporary that read it: `holders`; 0: there is none) or property holds. Each level has a
 * cache. 0: nothing was done, and the long way must be gone.
 */
int vt_put_in(vt_rt *, const vt_unit *, vt_ic *, vt_value root, uint32_t holders, uint32_t n,
	const vt_value *path, vt_value v);
/* The same for x, which is what stands there and a temporary has read, with more at its end; or
 * what the function that the site has found makes of it: see vt_update.  held: for each level a
 * temporary that has to hold it as well, or VT_UNDEF; NULL: there are none. */
int vt_grow_in(vt_rt *, const vt_unit *, vt_ic *, vt_value root, uint32_t n, const vt_value *path,
	vt_value x, vt_value more, const vt_value *held);
int vt_update_in(vt_rt *, const vt_unit *, vt_ic *, vt_value root, uint32_t n, const vt_value *path,
	const vt_value *held, vt_scope *, const vt_site *, vt_value recv, vt_value x,
	const vt_value *argv);
/* The same for several calls, one after the other, of what has so many holders: each of them is
 * certain to come to an end before the first is made.  argv: the arguments of all. */
enum { VT_MOST_CHAIN = 8 };
int vt_update_chain(vt_rt *, const vt_unit *, vt_ic *, vt_value root, uint32_t n,
	const vt_value *path, const vt_value *held, vt_scope *, uint32_t links,
	const vt_site *const *, vt_value x, uint32_t holders, const vt_value *argv);
/*
 * x: x.f(..): does to the value itself what the function that the site has found makes of it, when
 * it is held by `holders` only; or by a property and a temporary. 0: nothing was done. recv is
 * VT_UNDEF where x is the first argument.
 */
int vt_update(vt_rt *, vt_scope *, const vt_site *, vt_value recv, vt_value x, uint32_t holders,
	const vt_value *argv);
/* l.skip(n).toList() or l.take(n).toList(), where the sites have found the library's functions for
 * a list: with room for some more items. 0: it has to be called. */
int vt_part_list(vt_rt *, const vt_ic *cut, const vt_ic *turned, vt_value l, vt_value n,
	uint32_t room, vt_value *out);
/* l.skip(m).take(n) in the same way, with toList() behind it or not (turned: NULL). */
int vt_cut_between(vt_rt *, const vt_ic *cut, const vt_ic *taken, const vt_ic *turned, vt_value l,
	vt_value m, vt_value n, uint32_t room, vt_value *out);
/* x: x.skip(n) + more, where `skipped` is what skip() has made. */
int vt_skip_and_add(vt_rt *, vt_value x, uint32_t holders, vt_value *skipped, vt_value more);
#define vt_alone(v) (vt_is_ptr(v) && vt_head_of(v)->rc == 1)
/* a + [v..], where the site has found the library's function for two lists; 0: make the list. */
int vt_list_with(
	vt_rt *, const vt_site *, vt_value a, uint32_t n, const vt_value *v, vt_value *out);
int vt_update_prop(vt_rt *, vt_scope *, const vt_site *, const vt_ic *put, vt_value object,
	vt_value recv, vt_value x, const vt_value *argv);

/* ---- statements ---- */

vt_status vt_iter_begin(vt_rt *, const vt_unit *, vt_value collection, vt_value *iter); /* For */
/* Is it a list or tuple, which For walks by number? */
#define vt_walks(v) \
	(vt_is_ptr(v) && (vt_head_of(v)->kind == VT_K_TUPLE || vt_head_of(v)->kind == VT_K_LIST))
static inline vt_status
vt_walk_begin(vt_rt *rt, const vt_unit *u, vt_value collection, vt_value *out)
{
	if (!vt_walks(collection))
		return vt_iter_begin(rt, u, collection, out);
	*out = vt_copy(collection);
	return VT_OK;
}
/* Stands for what For walks when that is a range of integers, from *at to below `end`. */
#define VT_COUNTS VT_TRUE
/* The next item of what vt_walk_begin gave, or of a range; VT_UNDEF at the end. */
static inline vt_status
vt_walk_next(vt_rt *rt, vt_value walked, int64_t *at, int64_t end, vt_value *out)
{
	const vt_list *l = (const vt_list *)(uintptr_t)walked;
	if (walked == VT_COUNTS) {
		*out = *at < end ? vt_mkint(*at) : VT_UNDEF;
		*at += 1;
		return VT_OK;
	}
	if (!vt_walks(walked))
		return vt_iter_next(rt, walked, out);
	*out = *at < l->n ? vt_copy(l->v[*at]) : VT_UNDEF;
	*at += 1;
	return VT_OK;
}
/* The same, where the range has another step than 1. */
static inline vt_status
vt_walk_by(vt_rt *rt, vt_value walked, int64_t *at, int64_t end, int64_t step, vt_value *out)
{
	if (walked != VT_COUNTS)
		return vt_walk_next(rt, walked, at, end, out);
	*out = (step > 0 ? *at < end : *at > end) ? vt_mkint(*at) : VT_UNDEF;
	*at += step;
	return VT_OK;
}
/* The next item in a loop: the position stays in a register. */
static inline VT_HOT vt_status
vt_walk_on(vt_rt *rt, vt_value walked, int64_t *at, int64_t end, vt_value *out)
{
	const vt_list *l = (const vt_list *)(uintptr_t)walked;
	int64_t k = *at;
	vt_status st;
	if (vt_walks(walked) && k < l->n) {
		vt_value item = l->v[k];
		*at = k + 1;
		if (vt_is_ptr(item))
			vt_retain(item);
		*out = item;
		return VT_OK;
	}
	st = vt_walk_next(rt, walked, &k, end, out);
	*at = k;
	return st;
}
/* The next number of a range, as a raw integer; 0: at its end, or something else is walked. */
static inline int
vt_counts_on(vt_value walked, int64_t *at, int64_t end, int64_t *n)
{
	if (walked != VT_COUNTS || *at >= end)
		return 0;
	*n = vt_raw(vt_mkint(*at));
	*at += 1;
	return 1;
}
static inline int
vt_counts_by(vt_value walked, int64_t *at, int64_t end, int64_t step, int64_t *n)
{
	if (walked != VT_COUNTS || (step > 0 ? *at >= end : *at <= end))
		return 0;
	*n = vt_raw(vt_mkint(*at));
	*at += step;
	return 1;
}
/* What vt_few gives: the items of a list, view or range; those of what can be asked again, a list
 * or view; or, of a dict, its keys, its values, both by turns, or pairs of both. */
enum vt_few_of {
	VT_FEW_LIST,
	VT_FEW_AGAIN,
	VT_FEW_KEYS,
	VT_FEW_VALUES,
	VT_FEW_PAIRS,
	VT_FEW_ITEMS
};
/* The few items (enum vt_few_of) as a list; 0: they are not few, it is something else, or code may
 * not take the place of where() and select(), for a limit counts their steps or the host has
 * functions of these names. */
int vt_few(vt_rt *, const vt_unit *, vt_value source, int what, vt_value *list);
static inline int
vt_few_reg(vt_rt *rt, const vt_unit *u, vt_value source, int what, vt_value *list)
{
	vt_value l = VT_UNDEF;
	int few = vt_few(rt, u, source, what, &l);
	*list = l;
	return few;
}
/* Is it what limit() and skip() take for a count, and not below the least? */
static inline int
vt_is_count(vt_value v, int least)
{
	return vt_is_int(v) && vt_toint(v) >= least;
}
/* The next item of the list, which still holds it; 0: there is none. */
static inline int
vt_each(vt_value list, int64_t *at, vt_value *item)
{
	const vt_list *l = (const vt_list *)(uintptr_t)list;
	if (*at >= l->n)
		return 0;
	*item = l->v[(*at)++];
	return 1;
}
/* An empty collection with room for so many times the items of the list; what: enum ir_room, a
 * tuple, one whose items are final, a dict or a FrozenDict. */
vt_value vt_room(vt_rt *, vt_value list, int what, int times);
/* Is it an iterator, or are there such in it? */
#define vt_is_lazy(v) (!vt_final_now(v) && vt_has_iterators(v))
int vt_has_iterators(vt_value);
/* Sets a key of such a dict; TypeError for one that cannot be hashed. */
vt_status vt_put_pair(vt_rt *, vt_value dict, vt_value key, vt_value);
/* Takes the item, for which there may be no room yet; CollectionTooLargeException. */
vt_status vt_put_more(vt_rt *, vt_value room, vt_value item);
/* A collection as a list or an iterator, or a list of what is none, as selectMany() has it. */
vt_status vt_many(vt_rt *, vt_value, vt_value *items);
vt_status vt_flat(vt_rt *, vt_value, vt_value *items); /* as flatten() has it */
vt_status vt_more_of_iter(vt_rt *, vt_value iter, vt_value *item);
/* The next one of them; VT_UNDEF at the end. */
static inline vt_status
vt_more(vt_rt *rt, vt_value items, int64_t *at, vt_value *item)
{
	const vt_list *l = (const vt_list *)(uintptr_t)items;
	if (!vt_walks(items))
		return vt_more_of_iter(rt, items, item);
	*item = *at < l->n ? vt_copy(l->v[*at]) : VT_UNDEF;
	*at += 1;
	return VT_OK;
}
/* Adds to the list of a key in such a dict, or begins one; the same errors. */
vt_status vt_put_group(vt_rt *, vt_value dict, vt_value key, vt_value);
/* Is the value equal to one that is in the list?  Else it is put there, which has room for it.
 * TypeError for one that cannot be hashed. */
vt_status vt_seen(vt_rt *, vt_value room, vt_value, int *seen);
/* The same items, or the same backwards; the keys and values of a dict by turns; the list, empty
 * where an order needs no keys; or the pairs of a dict of groups that goes, as far as they can be
 * final. */
enum vt_turn_to { VT_TURN_SAME, VT_TURN_BACK, VT_TURN_PAIRS, VT_TURN_KEYED, VT_TURN_GROUPS };
vt_value vt_turn(vt_rt *, vt_value from, int what);
/* A tuple of both, or a list that may be changed. */
vt_value vt_new_pair(vt_rt *, vt_value, vt_value, int changes);
/* The items in the order of their keys, those of the first item first, as orderBy() and thenBy()
 * have it; down: a bit a key; errors of `<` and `>`. */
vt_status vt_sort_few(
	vt_rt *, const vt_unit *, vt_value items, vt_value keys, int down, vt_value *);
/* Drops the exception, unless it is one that nobody may keep away. */
vt_status vt_forget(vt_rt *);
/* Takes the item. */
static inline void
vt_put(vt_value room, vt_value item)
{
	vt_list *l = (vt_list *)(uintptr_t)room;
	l->v[l->n++] = item;
}
/* `$l: $l + [item]` for the tuple of a variable: in place when nobody else holds it, else a copy
 * with room for those that follow. 0: the long way. */
int vt_push_in_place(vt_rt *, const vt_site *, vt_value *var, vt_value item);
/* Has the list room for an item, or would a copy of it take longer than to make room?  Of one that
 * nobody else holds; and the contrary. */
static inline int
vt_has_room(vt_value v)
{
	const vt_list *l = (const vt_list *)(uintptr_t)v;
	return vt_walks(v) && l->h.rc == 1 && (l->n < l->cap || l->n >= 16);
}
static inline int
vt_is_short(vt_value v)
{
	return vt_walks(v) && vt_head_of(v)->rc == 1 && !vt_has_room(v);
}
/*
 * A list that a method keeps to itself: compiler/emit/local.c.  Its count is that of no other
 * constant, and it is final; items that are not would have to be evaluated later, so with such it
 * is a list on the heap.
 */
#define VT_ON_STACK (VT_IMMORTAL + 1)
static inline void
vt_local_drop(vt_list *l)
{
	uint32_t n = l->n;
	l->n = 0;
	for (uint32_t i = 0; i < n; i++)
		vt_release(l->v[i]);
}
static inline vt_value
vt_local_list(vt_rt *rt, vt_list *l, vt_value *room, uint32_t n, const vt_value *items)
{
	vt_value v;
	int final = 1;
	for (uint32_t i = 0; i < n; i++)
		final &= vt_final_now(items[i]);
	if (!final)
		return vt_tuple_of(rt, n, items, &v) == VT_OK ? v : VT_NULL;
	for (uint32_t i = 0; i < n; i++) {
		v = i < l->n ? room[i] : VT_UNDEF;
		room[i] = vt_copy(items[i]);
		vt_release(v);
	}
	l->h.rc = VT_ON_STACK;
	l->h.kind = VT_K_TUPLE;
	l->h.flags = VT_F_FINAL;
	l->h.aux = 0;
	l->n = l->cap = n;
	l->v = room;
	return vt_mkptr(l);
}
/* The value, or a copy of what is on the stack for who may keep it. */
vt_value vt_heap_of(vt_rt *, vt_value);
#define vt_on_stack(v) (vt_is_ptr(v) && vt_head_of(v)->rc == VT_ON_STACK)
/* For the call of the site: as it is where the function that the site has found lets go of it. */
#define vt_borrow_for(rt, ic, v) \
	(vt_on_stack(v) && !vt_found(ic, VT_IN_EATS) ? vt_heap_of(rt, v) : vt_copy(v))
/* The scope of a method as vt_scope_method makes it, for lambdas that cannot keep it: room for the
 * names is behind. */
void vt_scope_local(vt_scope *, const vt_unit *, vt_value self, const vt_names *);
/* vt_pipe over a list, as an iterator on the stack, whose source was set before or is VT_UNDEF. */
vt_status vt_pipe_local(vt_rt *, vt_scope *, const vt_unit *, const vt_iter_ops *, vt_value list,
	vt_iter *, vt_value *out);
static inline void
vt_pipe_drop(vt_iter *it)
{
	vt_release(it->v[0]);
	it->v[0] = VT_UNDEF;
}
/* vt_final of an iterator on the stack: a list there while it has at most `room` items. */
vt_status vt_pipe_collect(vt_rt *, const vt_unit *, vt_value iter, vt_list *, vt_value *items,
	uint32_t room, vt_value *out);

/*
 * Functions of the library that methods have in place.  The cache of a call that found one of them,
 * for a list where it takes one, has its number in aux2 from bit VT_IN_SHIFT on: resolve.c.  So
 * what the host, a package or a scope defines under the name is found as ever, at the first call of
 * the site.
 */
enum vt_in_place {
	VT_IN_LEN = 1,
	VT_IN_INDEX,
	VT_IN_IN,
	VT_IN_RANGE,
	/* an iterator is its first argument, and nobody has that any more when it is done */
	VT_IN_EATS,
	VT_IN_SAME,   /* it gives the list that it was given */
	VT_IN_GET,    /* the value of a key of a dict, or its third argument */
	VT_IN_NEW,    /* makes objects, by a maker of the site where it can */
	VT_IN_CHOICE, /* evaluates some of its arguments: jumps do it */
	VT_IN_STR,    /* the digits of an integer */
	VT_IN_LET,    /* makes a context, which names of values stand for */
	VT_IN_KEYS,   /* the keys of a dict */
	VT_IN_LIST,   /* a list of its arguments, iterators spread */
	VT_IN_SPLIT,  /* the pieces of a text between separators */
	VT_IN_GLUE,   /* join() of the items of a list */
	VT_IN_ISA,    /* whether an object is of a class */
	/* what they make of their first argument can be made in place: call/update.c */
	VT_IN_SET,
	VT_IN_MERGE,
	VT_IN_FORGET,
	VT_IN_REPLACE,
	VT_IN_INSERT,
	VT_IN_DELETE,
	VT_IN_SKIP,
	VT_IN_TAKE,
	VT_IN_JOIN,
	VT_IN_ADD,
	VT_IN_REMOVE,
	VT_IN_APPEND,
	VT_IN_UNITE,
	VT_IN_SUBTRACT,
	VT_IN_MERGEWITH
};
#define VT_IN_SHIFT 48
#define vt_found(ic, what) ((ic)->aux2 >> VT_IN_SHIFT == (what))
/*
 * The digits of an integer that str() has been asked for, in a temporary that only sums of texts
 * read: vt_concat and its like write them where they go.  Bits 6 and up are the integer.
 */
#define VT_LATER 0x3e
#define vt_is_later(v) (((v)&0x3f) == VT_LATER)
/* A text, or that. */
#define vt_is_part(v) ((vt_is_ptr(v) && vt_head_of(v)->kind == VT_K_STR) || vt_is_later(v))
/* For an integer of 58 bits at a site that has found the library's str(). */
#define vt_str_later(ic, v) \
	(vt_is_int(v) && vt_found(ic, VT_IN_STR) && (uint64_t)(v) + (1ULL << 58) < 1ULL << 59)
#define vt_later(v) ((vt_value)((uint64_t)vt_toint(v) << 6 | VT_LATER))
/* Does toList() give what stands before it as one list? */
#define vt_turns(ic) (vt_found(ic, VT_IN_EATS) || vt_found(ic, VT_IN_SAME))
#define vt_updates(ic) ((ic)->aux2 >> VT_IN_SHIFT >= VT_IN_SET)
/* Does the site put a value into v, by set() of a dict or replace() of a list? */
static inline int
vt_puts(const vt_ic *ic, vt_value v)
{
	return vt_is_ptr(v) &&
	       (vt_found(ic, VT_IN_SET)
			       ? vt_head_of(v)->kind == VT_K_DICT
			       : vt_found(ic, VT_IN_REPLACE) && vt_head_of(v)->kind == VT_K_TUPLE);
}
#define vt_is_a(v, k) (vt_is_ptr(v) && vt_head_of(v)->kind == (k))
#define vt_is_table(v) (vt_is_a(v, VT_K_DICT) || vt_is_a(v, VT_K_SET))
/* Does the site put the pairs of a dict into v? */
#define vt_merges(ic, v) (vt_is_a(v, VT_K_DICT) && vt_found(ic, VT_IN_MERGE))
uint32_t vt_set_size(vt_value set);
static inline int
vt_len_fast(const vt_ic *ic, vt_value a, vt_value *out)
{
	if (!vt_found(ic, VT_IN_LEN) || !vt_is_ptr(a))
		return 0;
	if (vt_walks(a))
		*out = vt_mkint(((const vt_list *)(uintptr_t)a)->n);
	else if (vt_head_of(a)->kind == VT_K_DICT)
		*out = vt_mkint(((const vt_record *)(uintptr_t)a)->n);
	else if (vt_head_of(a)->kind == VT_K_STR)
		*out = vt_mkint(((const vt_str *)(uintptr_t)a)->points);
	else if (vt_head_of(a)->kind == VT_K_SET)
		*out = vt_mkint(vt_set_size(a));
	else
		return 0;
	return 1;
}
/* The same of the sum of texts. */
#define vt_len_of_sum(ic, n, v, out) (vt_found(ic, VT_IN_LEN) && vt_texts_len(n, v, out))
/* absent: what stands for a key that is not there; VT_UNDEF: nothing does. */
int vt_get_in_place(vt_value dict, vt_value key, vt_value absent, vt_value *out);
static inline int
vt_get_fast(const vt_ic *ic, vt_value a, vt_value key, vt_value absent, vt_value *out)
{
	vt_value found;
	if (!vt_found(ic, VT_IN_GET) || !vt_is_ptr(a) || vt_head_of(a)->kind != VT_K_DICT ||
		!vt_get_in_place(a, key, absent, &found))
		return 0;
	*out = found;
	return 1;
}
/* vt_call_quick without a scope, where no quota is kept: the quick function of the row that the
 * site has found is called from here. on: v begins with a receiver. */
#ifdef __TINYC__
#define vt_quick_fast(rt, s, ic, on, v, out) vt_call_quick(rt, NULL, s, v, out)
#else
enum { VT_PLAIN_KEY = 1, VT_QUICK_SHIFT = 40 };
extern const char vt_site_keys[];
static inline vt_status
vt_quick_fast(
	vt_rt *rt, const vt_site *s, const vt_ic *ic, int on, const vt_value *v, vt_value *out)
{
	vt_value made;
	if (ic->key != &vt_site_keys[VT_PLAIN_KEY] || !(ic->aux2 >> VT_QUICK_SHIFT & 1) ||
		(made = ((const vt_fnrow *)ic->target)->quick(rt, v)) == VT_UNDEF)
		return vt_call(rt, NULL, s, on ? v[0] : VT_UNDEF, v + on, out);
	*out = made;
	return VT_OK;
}
#endif
/* By a name that is a constant: the other cache remembers the shape of the last dict, and 1 + where
 * that has it. */
int vt_get_named(vt_value dict, vt_value name, vt_value absent, vt_ic *place, vt_value *out);
static inline int
vt_named_fast(
	const vt_ic *ic, vt_ic *place, vt_value a, vt_value name, vt_value absent, vt_value *out)
{
	const vt_record *r = (const vt_record *)(uintptr_t)a;
	vt_value found;
	if (!vt_found(ic, VT_IN_GET) || !vt_is_ptr(a) || r->h.kind != VT_K_DICT)
		return 0;
	if (r->shape == place->key && place->aux != 0)
		found = vt_copy(r->v[place->aux - 1]);
	else if (!vt_get_named(a, name, absent, place, &found))
		return 0;
	*out = found;
	return 1;
}
/* `a is Name`, as the other cache remembers it of two classes. */
int vt_isa_learn(vt_rt *, const vt_site *, vt_ic *known, vt_value a, vt_value *out);
static inline int
vt_isa_fast(vt_rt *rt, const vt_site *s, const vt_ic *ic, vt_ic *known, vt_value a, vt_value *out)
{
	const vt_record *r = (const vt_record *)(uintptr_t)a;
	if (!vt_found(ic, VT_IN_ISA) || !vt_is_ptr(a) || r->h.kind != VT_K_OBJECT)
		return 0;
	if (r->shape == known->key)
		*out = vt_mkbool(known->aux);
	else if (r->shape == known->target)
		*out = vt_mkbool(known->aux2);
	else
		return vt_isa_learn(rt, s, known, a, out);
	return 1;
}
static inline int
vt_index_fast(const vt_ic *ic, vt_value a, vt_value index, vt_value *out)
{
	const vt_list *l = (const vt_list *)(uintptr_t)a;
	int64_t i = vt_toint(index);
	if (vt_get_fast(ic, a, index, VT_UNDEF, out))
		return 1;
	if (!vt_found(ic, VT_IN_INDEX) || !vt_is_int(index) || !vt_walks(a))
		return 0;
	if (i < 0)
		i += l->n;
	if ((uint64_t)i >= l->n)
		return 0;
	*out = vt_copy(l->v[i]);
	return 1;
}
/* The item of a list, borrowed; VT_UNDEF: it is not known. */
static inline vt_value
vt_item_of(const vt_ic *ic, vt_value a, vt_value index)
{
	const vt_list *l = (const vt_list *)(uintptr_t)a;
	return !vt_found(ic, VT_IN_INDEX) || !vt_is_int(index) || !vt_walks(a) ||
			       (uint64_t)vt_toint(index) >= l->n
		       ? VT_UNDEF
		       : l->v[vt_toint(index)];
}
/* a[i][k], where both sites have found the library's function; nothing between is held. */
int vt_element_of(const vt_ic *, const vt_ic *deep, vt_value a, vt_value i, vt_value k, vt_value *);
static inline int
vt_index_two(const vt_ic *ic, const vt_ic *deep, vt_value a, vt_value i, vt_value k, vt_value *out)
{
	vt_value item = vt_item_of(ic, a, i);
	if (item == VT_UNDEF || (item = vt_item_of(deep, item, k)) == VT_UNDEF)
		return vt_element_of(ic, deep, a, i, k, out);
	*out = vt_copy(item);
	return 1;
}
/* Not in line, and what it gives can be a register all the same. */
static inline int
vt_index_else(const vt_ic *ic, vt_value a, vt_value index, vt_value *out)
{
	vt_value found;
	if (!vt_index_fast(ic, a, index, &found))
		return 0;
	*out = found;
	return 1;
}
/* In loops: of a list, which is what a loop counts through. */
static inline VT_HOT int
vt_index_hot(const vt_ic *ic, vt_value a, vt_value index, vt_value *out)
{
	const vt_list *l = (const vt_list *)(uintptr_t)a;
	vt_value item;
	if (!vt_found(ic, VT_IN_INDEX) || !vt_is_int(index) || !vt_walks(a) ||
		(uint64_t)vt_toint(index) >= l->n)
		return vt_index_else(ic, a, index, out);
	item = l->v[vt_toint(index)];
	if (vt_is_ptr(item))
		item = vt_copy(item);
	*out = item;
	return 1;
}
/* An item gives way to another one in a list that the variable alone holds.  Neither is counted, so
 * rows that borrow the list's items need not know. */
static inline VT_HOT int
vt_put_index_hot(vt_value var, vt_value index, vt_value v)
{
	vt_list *l = (vt_list *)(uintptr_t)var;
	if (vt_is_ptr(v) || !vt_is_int(index) || !vt_is_ptr(var) || l->h.kind != VT_K_TUPLE ||
		l->h.rc != 1 || (uint64_t)vt_toint(index) >= l->n ||
		vt_is_ptr(l->v[vt_toint(index)]))
		return 0;
	l->v[vt_toint(index)] = v;
	/* vt_item_class, where 1 is an integer; a store would delay the next look at h */
	if (l->h.aux != 0 && !(vt_is_int(v) && (l->h.aux & 1)))
		l->h.aux = 0;
	return 1;
}
/* replace(i, v), where the site has found the library's for a list and two integers: vt_update. */
#define VT_TAGS_LIST_INTS (((uint64_t)16 + VT_K_TUPLE) << 12 | 1 << 6 | 1)
static inline VT_HOT int
vt_replace_fast(const vt_ic *ic, vt_value var, vt_value index, vt_value v)
{
	return vt_both_int(index, v) && vt_found(ic, VT_IN_REPLACE) &&
	       ic->aux == VT_TAGS_LIST_INTS && vt_is_ptr(var) &&
	       (vt_head_of(var)->flags & VT_F_FINAL) != 0 && vt_put_index_hot(var, index, v);
}
int vt_list_has(vt_value list, vt_value item); /* as `in` */
int vt_in_set(vt_value set, vt_value item, vt_value *out);
/* item in d.keys(), where the sites have found the library's functions; 0: call them. */
int vt_in_keys(const vt_ic *keys, const vt_ic *in, vt_value d, vt_value item, vt_value *out);
/* The keys of a dict that has a shape, as a tuple. */
int vt_names_of(vt_rt *, const vt_ic *keys, vt_value d, vt_value *out);
/* What delete(i), insert(i, x) or replace(i, x) makes of a list, where the site has found the
 * library's function for such values. */
int vt_edited_list(vt_rt *, const vt_site *, vt_value list, const vt_value *argv, vt_value *out);
int vt_values_of(vt_rt *, const vt_ic *values, vt_value d, vt_value *out);
static inline int
vt_in_fast(const vt_ic *ic, vt_value item, vt_value a, vt_value *out)
{
	vt_value is;
	if (!vt_found(ic, VT_IN_IN) || !vt_is_ptr(a))
		return 0;
	if (vt_walks(a))
		is = vt_mkbool(vt_list_has(a, item));
	else if (vt_head_of(a)->kind != VT_K_SET || !vt_in_set(a, item, &is))
		return 0;
	*out = is;
	return 1;
}
vt_status vt_repeat_count(vt_rt *, vt_value, vt_value *out); /* Repeat: an int, or TypeError */
/* Takes the exception out of the session as a value, wrapped for MuranoPL with its name and
 * trace. */
vt_status vt_caught(vt_rt *, vt_value *out);
/* Does the exception carry one of these names (FQN)? n == 0: any. */
int vt_exc_matches(vt_rt *, vt_value exc, uint32_t n, const vt_str *const *names);
vt_status vt_exc_object(vt_rt *, vt_value exc, vt_value *out); /* io.murano.Exception for As: */
vt_status vt_reraise(vt_rt *, vt_value exc);                   /* puts it back; returns VT_ERROR */
/* Throw: names is a string or a list of them, resolved against the unit. */
vt_status vt_throw(vt_rt *, const vt_unit *, vt_ic *, vt_value names, vt_value message,
	vt_value extra, vt_value cause);
/* Break or Continue on method level */
vt_status vt_no_loop(vt_rt *, const char *what);
vt_status vt_rethrow_outside(vt_rt *);
/* Other tasks have the turns that a Parallel of n branches would leave them. */
vt_status vt_let_others(vt_rt *, uint32_t n);
/* Runs the branches; the status is that of the first branch, by position, that did not end with
 * VT_OK.  limit is VT_NULL or a value. With VT_RETURN *out holds the value. */
vt_status vt_parallel(vt_rt *, vt_scope *, uint32_t n, const vt_code *const *branches,
	vt_value limit, vt_value *out);
/* a branch's Return: gives the value away */
void vt_stash_return(vt_rt *, vt_value);

/* ---- contracts: muranopl-engine.md 6; each takes what the chain made so far ---- */

vt_status vt_c_string(vt_rt *, vt_cx *, vt_value, vt_value *out);
vt_status vt_c_int(vt_rt *, vt_cx *, vt_value, vt_value *out);
vt_status vt_c_bool(vt_rt *, vt_cx *, vt_value, vt_value *out);
vt_status vt_c_not_null(vt_rt *, vt_cx *, vt_value, vt_value *out);
/* predicate runs with $ = value; message is a string value or VT_NULL. */
vt_status vt_c_check(
	vt_rt *, vt_cx *, vt_value, const vt_code *predicate, vt_value message, vt_value *out);
/* type, dflt: a typeref or a name; VT_NULL when absent. The cache, or NULL, has the class of an
 * object that fitted. */
vt_status vt_c_class(vt_rt *, vt_cx *, vt_ic *, vt_value, vt_value type, vt_value dflt,
	vt_value version, vt_value *out);
vt_status vt_c_template(vt_rt *, vt_cx *, vt_value, vt_value type, vt_value dflt, vt_value version,
	vt_value exclude, vt_value *out);
vt_status vt_c_owned(vt_rt *, vt_cx *, vt_value, vt_value *out);
vt_status vt_c_not_owned(vt_rt *, vt_cx *, vt_value, vt_value *out);
vt_status vt_c_constant(vt_rt *, vt_cx *, vt_value, vt_value constant, vt_value *out);
/* Lists: item contracts in order, the last one repeats; min 0, max -1 when not given. */
vt_status vt_c_list(vt_rt *, vt_cx *, vt_value, uint32_t n, const vt_contract_fn *items,
	int64_t min, int64_t max, vt_value *out);
/* Has the dict just these keys, in this order, and does each member's contract hand on what it is?
 * takes: VT_TAKES_... of each. */
int vt_c_members(vt_ic *, vt_value, uint32_t n, const vt_value *keys, const uint32_t *takes);
/* Dicts: n constant keys with their contracts, then one optional expression key. n == 0 and
 * !has_rest: any dict. */
vt_status vt_c_dict(vt_rt *, vt_cx *, vt_value, uint32_t n, const vt_value *keys,
	const vt_contract_fn *values, int has_rest, vt_contract_fn rest_key,
	vt_contract_fn rest_value, vt_value *out);
/* The scope for YAQL inside a contract: $ is `in`. Owned by the caller. */
vt_scope *vt_c_scope(vt_rt *, vt_cx *, vt_value in);
/* The same for a contract with lambdas: contract functions in them find the context through their
 * scope. */
vt_scope *vt_c_open(vt_rt *, vt_cx *, vt_value in);
vt_status vt_c_around(vt_rt *, const vt_scope *, vt_value receiver, vt_cx **);

/* ---- steps: what a program counts and shows, where it was built for that ---- */

enum vt_step_kind {
	VT_STEP_METHOD,    /* a method begins */
	VT_STEP_STATEMENT, /* a statement begins; of While each look at the condition */
	VT_STEP_BRANCH     /* a way that the statement of this place has gone */
};
typedef struct vt_step {
	uint32_t line, col;
	uint8_t kind;     /* enum vt_step_kind */
	const char *text; /* its first line */
} vt_step;
/* program/steps.c: what the commands of a program with steps need */
extern const struct vt_stepping vt_stepping;
/* The program is at the n-th step of the unit's class. */
void vt_stepped(vt_rt *, const vt_unit *, uint32_t n);
/* There, this name has come to the value; "": the statement has. */
void vt_shown(vt_rt *, const vt_unit *, uint32_t n, const char *name, vt_value);

#endif

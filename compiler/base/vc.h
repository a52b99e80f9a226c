/*
 * vc.h - the compiler: bytes -> YNode -> AST -> checked AST -> IR -> C.
 *
 * The table of contents of compiler/: one section a phase, in the order of the data.  Nothing here
 * is shared with the runtime but data: the registry rows, the kinds and the hash of strings.
 *
 * Memory: everything of one compilation lives in its arena and dies with it.  Errors accumulate in
 * the compilation; a bad subtree becomes an error node and the rest is still looked at.
 */
#ifndef VC_H
#define VC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/core/base.h"
#include "runtime/core/siphash.h"
#include "runtime/text/nearest.h"

#define VC_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef struct vc vc;

/* ---- arena.c ------------------------------------------------------------------------------ */
typedef struct vc_arena vc_arena;
vc_arena *vc_arena_new(void);
void vc_arena_free(vc_arena *);
/* from now on vc_alloc takes from it; the one before */
vc_arena *vc_arena_use(vc *, vc_arena *);
void *vc_alloc(vc *, size_t); /* zeroed, 8-byte aligned */
/* called by vc_free, last come first served */
void vc_defer(vc *, void (*)(void *), void *);
char *vc_strndup(vc *, const char *, size_t);
char *vc_strdup(vc *, const char *);
char *vc_format(vc *, const char *, ...) VT_PRINTF(2, 3);
/*
 * Appends to an arena array that doubles: vec is a T*, n its count. Evaluates to the new element's
 * lvalue. The capacity follows from n alone, so an array is either grown from NULL by vc_push or
 * never pushed to.
 */
/* room for element n; returns the (moved) array */
void *vc_grow(vc *, void *vec, size_t n, size_t size);
#define vc_push(c, vec, n) (*((vec) = vc_grow((c), (vec), (n), sizeof *(vec)), &(vec)[(n)++]))

/* ---- source.c: files and spans ---- */
typedef struct vc_source {
	const char *name; /* as shown in messages */
	const char *text; /* closed by NUL; NULL: the name stands for a file as a whole */
	size_t n;
	vc *owner;
	uint32_t *lines; /* offsets of line starts, made on demand */
	uint32_t nlines;
	/* the place asked for last: columns of a long line are counted once */
	uint32_t last_line, last_at, last_col;
} vc_source;
/* Two byte offsets; line and column are computed when printing. src == NULL: no place. */
typedef struct vc_span {
	vc_source *src;
	uint32_t from, to;
} vc_span;
vc_source *vc_source_new(vc *, const char *name, const char *text, size_t n);
/* arena text from outside: checks it, reports */
vc_source *vc_source_take(vc *, const char *name, char *text, size_t n);
/* reports and returns NULL when it cannot */
vc_source *vc_source_read(vc *, const char *path);
/* the same for what need not be text; arena */
char *vc_bytes_read(vc *, const char *path, size_t *n);
/* Calls for each line of standard input, without its end, as `--batch` has it. VC_OK. */
int vc_each_line(void (*)(void *ctx, const char *line, size_t n), void *ctx);
vc_span vc_file_span(vc *, const char *name); /* a file or directory as a whole */
/* 1-based; col in code points */
void vc_place(const vc_source *, uint32_t offset, uint32_t *line, uint32_t *col);

/* ---- diag.c, diag.def ---- */
enum vc_severity { VC_ERROR, VC_WARNING, VC_NOTE };
enum vc_code {
#define DIAG(code, severity, title) VC_##code,
#include "runtime/core/diag.def"
#undef DIAG
	VC_NCODES
};
enum vc_diag_format { VC_TEXT, VC_JSON, VC_SARIF };
void vc_report(vc *, enum vc_code, vc_span, const char *fmt, ...) VT_PRINTF(4, 5);
void vc_note(vc *, vc_span, const char *fmt, ...) VT_PRINTF(3, 4); /* belongs to the last report */
void vc_hint(vc *, const char *fmt, ...) VT_PRINTF(2, 3);          /* belongs to the last report */
/* a JSON string; bytes that are no UTF-8 become U+FFFD */
void vc_put_json(vt_buf *, const char *, size_t);
bool vc_ends_with(const char *, const char *end); /* arena.c */
/* lines on standard error, each as vc_put_printable has it */
void vc_say(const char *, ...) VT_PRINTF(1, 2);
/* control and direction characters as \u{..} */
void vc_put_printable(vt_buf *, const char *, size_t);
/* Prints what accumulated, sorted by file and offset, without repetition. Colour only for text on a
 * terminal. */
void vc_print_diags(vc *, enum vc_diag_format, FILE *);
int vc_errors(const vc *); /* how many errors so far */
/* The first error and its first note; texts are NULL and spans empty where there is none. */
typedef struct vc_first {
	enum vc_code code;
	vc_span span, note_span;
	const char *text, *note;
} vc_first;
vc_first vc_first_error(const vc *);
/* vt_nearest() among the functions of the library; layers: VT_L_*, flags: one of VT_FN_*.
 * check/names.c */
const char *vc_nearest_function(const char *name, uint32_t layers, uint32_t flags);

/* One compilation. Limits are options of the command line with these defaults. */
struct vc {
	vc_arena *arena;
	struct vc_diags *diags;
	struct {
		uint32_t max_depth; /* nesting of YAML, JSON and expressions: 200 */
		/* YAML nodes a document after alias expansion: 2,000,000 */
		uint32_t max_nodes;
		size_t max_file;      /* bytes a source: 64 MiB */
		uint32_t max_errors;  /* 100 */
		uint32_t max_entries; /* archive entries: 20,000 */
		size_t max_resources; /* bytes of a program's Resources: 16 MiB */
	} limit;
	struct vc_packages *packages;
	struct vc_types *types;
	/* YQ_F_* vc_yaml_parse tries plain scalars with; package.c sets it for each package */
	unsigned yaql_flags;
	uint8_t jit; /* enum vc_jit: where vc_tcc_compile puts code */
	/* vc_yaml_parse gives documents that are null, empty or 0 as well */
	bool keep_empty;
	/* of the library, in the program that was emitted (emit/link_rows.c) */
	uint32_t nlinked, nfunctions;
	const char *links_all; /* why it has all of them, or NULL */
	const char *lua;       /* the text of --lua, for check/names.c; or NULL */
	/* the program that was emitted has native classes that need one (emit/native_classes.c) */
	bool reaches_cloud;
	/* vc_yaml_parse reads YAML 1.2: scalars by its core schema, keys may not repeat, any key */
	bool yaml_core;
	vt_seed seed; /* of vc_hash */
	bool werror, verbose;
	/* every method has a scope: a mock may look into that of its caller */
	bool boxed;
	uint32_t passes_off; /* bits by enum vc_pass */
	vt_buf scratch;      /* vc_format's */
	int noted;           /* the pass whose notes are kept, one up; 0: none */
	struct vc_notes *notes;
};
/* Optimisations: -fno-NAME switches one off, -fno-passes all of them; what a program does stays the
 * same. */
/* clang-format off */
#define VC_PASSES(X) \
	X(FUSE,    "fuse",    "chains of where() and select() become one loop") \
	X(DIRECT,  "direct",  "lambdas that nothing can look into run without a scope of their own") \
	X(JOINS,   "joins",   "join() on an equation of two members looks its pairs up") \
	X(RECORDS, "records", "call sites remember the shape of a dict: reading a key, making one of constant keys") \
	X(CALLS,   "calls",   "calls and property writes go straight to the method or slot that their site has found") \
	X(BORROW,  "borrow",  "expressions use variables where they are, without a count") \
	X(FLOW,    "flow",    "what variables and temporaries can hold is followed: nothing is emptied, converted or tested twice") \
	X(GROW,    "grow",    "$.list: $.list + [...] appends in place where nothing else holds the list") \
	X(ARITH,   "arith",   "products, quotients and remainders of integers are worked out in place") \
	X(LOCAL,   "local",   "For walks a list where it lies and counts over range(), and a list of constants is one itself") \
	X(CAPTURE, "capture", "variables that lambdas only read stay C locals") \
	X(INPLACE, "inplace", "len(), `in` and indices of lists are worked out in place") \
	X(ESCAPE,  "escape",  "lists that nobody else comes to see lie on the stack") \
	X(BIND,    "bind",    "calls on $this that can find one method only do not look") \
	X(UNBOX,   "unbox",   "integers in the variables of a loop are machine words") \
	X(INT_METHOD, "int-method", "methods that only compute integers have a C function for just that") \
	X(TERMS,   "terms",   "lambdas and pipelines of expressions are tables where that says it all, for loops of the library") \
	X(SUBSET,  "subset",  "a binary links those functions of the library that its program can come to") \
	X(YAY_FOLD, "yay-fold", "constants of Yay are worked out when it is read") \
	X(YAY_CODE, "yay-code", "expressions and loops of Yay become C in a binary")
/* clang-format on */
enum vc_pass {
#define X(sym, name, doc) VC_PASS_##sym,
	VC_PASSES(X)
#undef X
};
#define vc_pass_on(c, P) (((c)->passes_off >> VC_PASS_##P & 1) == 0)
/* passes.c */
bool vc_pass_option(const char *arg, uint32_t *off); /* false when arg is no such option */
int vc_pass_named(const char *name);                 /* enum vc_pass, or -1 */
const char *vc_pass_names(vc *);                     /* of those over IR: "fuse, direct, ..." */
/* What a pass did to an op or to a function, for --emit=ir --after=NAME; nothing where nobody
 * asks. */
void vc_pass_note(vc *, int pass, const void *what, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* the next from *k on, 0 at first; or NULL */
const char *vc_pass_noted(vc *, const void *what, uint32_t *k);
/* By itself: in memory, and where the system refuses memory that can be executed, as VC_JIT_CC. */
enum vc_jit { VC_JIT_AUTO, VC_JIT_MEMORY, VC_JIT_CC };
vc *vc_new(void);
/* For tables whose keys come from a file: nobody can make them meet. Not for what is emitted
 * (vt_hash_bytes). */
uint64_t vc_hash(const vc *, const char *, size_t);
void vc_free(vc *);

/* ---- yaml.c (libyaml): events to YNode ---- */
enum yn_kind { YN_SCALAR, YN_SEQ, YN_MAP, YN_ERROR };
/* What a plain scalar means to PyYAML (YAML 1.1), and !!tags. */
/* A date or time of YAML: false when there is no such day or time. */
typedef struct vc_stamp {
	int64_t us;
	int32_t offset;
	bool naive, date;
} vc_stamp;
bool vc_read_stamp(const char *, vc_stamp *);
enum yn_type { YT_STR, YT_NULL, YT_BOOL, YT_INT, YT_FLOAT, YT_DATE, YT_DATETIME, YT_BINARY };
/* value[at..] stands at src in the file */
typedef struct yn_piece {
	uint32_t at;
	uint32_t src;
} yn_piece;
typedef struct ynode ynode;
struct ynode {
	uint8_t kind;   /* enum yn_kind */
	uint8_t type;   /* enum yn_type, of a scalar */
	bool plain : 1; /* scalar without quotes, block style or explicit tag */
	/* a YAQL expression by the plain-scalar rule (C9) or !yaql; expr is its AST */
	bool is_expr : 1;
	bool flow : 1;
	bool fits : 1;     /* YT_INT fits int64; digits has it in any case */
	bool verbatim : 1; /* the text is the bytes from span.from on: there is no map */
	bool merge : 1;    /* a key that has the tag !!merge */
	uint32_t n;        /* of items */
	vc_span span;
	const char *text; /* scalar: the decoded value, closed by NUL */
	uint32_t ntext, nmap;
	union {
		ynode **item;         /* sequence items; map values */
		const char *digits;   /* YT_INT: decimal text */
		struct yq_node *expr; /* is_expr */
	};
	union {
		/* map keys; duplicates keep the last value at the first place, as PyYAML does */
		ynode **key;
		/* nmap is not 0: piecewise map from text to source offsets; numbers have none */
		yn_piece *map;
		int64_t i; /* YT_INT (when it fits), YT_BOOL */
		double f;  /* YT_FLOAT */
	};
};
/* All documents of a source; empty ones are dropped. expressions tells whether plain scalars are
 * tried as YAQL. */
ynode **vc_yaml_parse(vc *, vc_source *, bool expressions, uint32_t *n);
ynode *yn_get(const ynode *map, const char *key); /* value or NULL */
ynode *yn_key(const ynode *map, const char *key); /* the key node or NULL */
/* source offset of a byte of the decoded text */
uint32_t yn_offset(const ynode *, uint32_t in_text);
vc_span yn_subspan(const ynode *, uint32_t from, uint32_t to); /* source span of text[from..to) */
/* a scalar of type YT_STR that is no expression */
bool yn_is_str(const ynode *);
void yn_dump(vt_buf *, const ynode *, int indent); /* --emit=yaml */

/* ---- yaql.re, yaql.y, yaql.c: expressions ---- */
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
void yq_dump(vt_buf *, const yq_node *); /* s-expression: --emit=ast */
void yq_tokens(vc *, vt_buf *, const char *text, size_t n, unsigned flags); /* --emit=tokens */

/* ---- archive.c (the zip library), package.c: packages ---- */
bool vc_is_zip(const char *path); /* begins as one */
/* A package's files, from a directory or an archive. Paths are relative, '/'-separated, never leave
 * the root. */
typedef struct vc_files vc_files;
vc_files *vc_files_open(vc *, const char *path); /* directory or zip; reports */
/* what vetro carries of it: "io.murano" */
vc_files *vc_files_assets(vc *, const char *package);
/* NULL when absent (not reported) or unreadable (reported) */
vc_source *vc_files_read(vc *, vc_files *, const char *path);
/* without . and ..; NULL when it leaves the root */
char *vc_path_normal(vc *, const char *path);
/* the same for what need not be text; arena */
char *vc_files_bytes(vc *, vc_files *, const char *path, size_t *n);
const char *const *vc_files_list(vc *, vc_files *, const char *prefix, size_t *n);
/* Links below the prefix that the list leaves out: to directories, and to nothing. */
const char *const *vc_files_dead_links(vc *, vc_files *, const char *prefix, size_t *n);

typedef struct mpl_package mpl_package;
typedef struct mpl_class mpl_class;
typedef struct mpl_property mpl_property;
typedef struct mpl_method mpl_method;
typedef struct mpl_argument mpl_argument;
typedef struct mpl_stmt mpl_stmt;

typedef struct mpl_prefix {
	const char *prefix, *ns;
} mpl_prefix;
typedef struct mpl_require {
	const char *name, *spec;
	vc_span span;
} mpl_require;
/* name: below Resources/ */
typedef struct vc_resource {
	const char *name, *data;
	size_t n;
} vc_resource;
struct mpl_package {
	const char *path;    /* as given */
	const char *name;    /* FullName */
	const char *version; /* normalised, "0.0.0" */
	uint32_t format;     /* runtime version: 100..105 */
	const char *type;    /* Application or Library */
	mpl_require *require;
	uint32_t nrequire;
	ynode *manifest;
	ynode *meta; /* or NULL */
	vc_files *files;
	/* in manifest order, then those found in the files besides */
	mpl_class **classes;
	uint32_t nclasses;
	/* classes of the manifest that could not be read, which is told already */
	const char **absent;
	uint32_t nabsent;
	bool is_main; /* named on the command line, not through -I */
	bool builtin; /* io.murano as vetro brings it */
	bool resources_read;
	vc_resource *resources;
	uint32_t nresources; /* resource.c; ask vc_resources */
};

/* ---- murano/class_file.c: MuranoPL classes ---- */
/* = vt_prop_usage */
enum mpl_usage { MPL_IN, MPL_OUT, MPL_INOUT, MPL_CONST, MPL_RUNTIME, MPL_CONFIG, MPL_STATIC };
/* = vt_param_usage */
enum mpl_arg_usage { MPL_STANDARD, MPL_VARARGS, MPL_KWARGS };
/* = vt_method_usage */
enum mpl_method_usage { MPL_M_RUNTIME, MPL_M_ACTION, MPL_M_STATIC, MPL_M_EXTENSION };
struct mpl_class {
	mpl_package *pkg;
	vc_source *src;
	vc_span span;     /* of the Name */
	const char *name; /* FQN */
	mpl_prefix *prefixes;
	uint32_t nprefixes;
	const char **parents;
	vc_span *parent_spans;
	uint32_t nparents;  /* FQNs */
	mpl_class **parent; /* resolved, by package.c/check.c; NULL when unknown */
	const char **imports;
	vc_span *import_spans;
	uint32_t nimports;
	mpl_property **props;
	uint32_t nprops;
	mpl_method **methods;
	uint32_t nmethods;
	ynode *meta;
	bool is_meta, many, inherited, listed;
	uint16_t applies; /* bits as vt_class_decl.applies */
	/* no YAML: the runtime or Lua supplies it (declared without bodies) */
	bool native;
};
struct mpl_property {
	mpl_class *cls;
	const char *name;
	uint8_t usage;                 /* enum mpl_usage */
	ynode *contract, *dflt, *meta; /* dflt, meta: or NULL */
	vc_span span;
};
struct mpl_argument {
	const char *name;
	uint8_t usage;
	ynode *contract, *dflt, *meta;
	vc_span span;
};
struct mpl_method {
	mpl_class *cls;
	const char *name; /* initialize and destroy are already .init and .destroy */
	uint8_t usage;
	bool is_public;
	mpl_argument *args;
	uint32_t nargs;
	mpl_stmt **body;
	uint32_t nbody;
	ynode *meta;
	vc_span span;
	bool native; /* declared by a native class: no body to compile */
};
enum mpl_stmt_kind {
	MS_EXPR,   /* a: value */
	MS_ASSIGN, /* a: target expression (ynode with expr), b: value */
	MS_DO,     /* body */
	MS_RETURN, /* a: value or NULL */
	MS_BREAK,
	MS_CONTINUE,
	MS_IF,       /* a: condition, body, orelse */
	MS_WHILE,    /* a: condition, body */
	MS_FOR,      /* name, a: collection, body */
	MS_REPEAT,   /* a: count, body */
	MS_MATCH,    /* a: value, cases (key: constant), orelse = Default */
	MS_SWITCH,   /* cases (key: expression), orelse = Default */
	MS_PARALLEL, /* body: branches, a: Limit or NULL */
	MS_TRY,      /* body, catches, orelse = Else, finally */
	/* a: names value, b: Message, c: Extra (not evaluated), d: Cause; all but a may be NULL */
	MS_THROW,
	MS_RETHROW,
	MS_ERROR
};
typedef struct mpl_case {
	ynode *key;
	mpl_stmt **body;
	uint32_t nbody;
} mpl_case;
typedef struct mpl_catch {
	const char **with;
	vc_span *with_spans;
	uint32_t nwith; /* FQNs; 0: all */
	const char *as;
	vc_span span;
	mpl_stmt **body;
	uint32_t nbody;
} mpl_catch;
struct mpl_stmt {
	uint8_t kind; /* enum mpl_stmt_kind */
	vc_span span; /* of the statement, for positions and stack traces */
	ynode *a, *b, *c, *d;
	const char *name;
	mpl_stmt **body;
	uint32_t nbody;
	mpl_stmt **orelse;
	uint32_t norelse;
	bool has_else;
	mpl_stmt **finally;
	uint32_t nfinally;
	bool has_finally;
	mpl_case *cases;
	uint32_t ncases;
	mpl_catch *catches;
	uint32_t ncatches;
};
/* All classes of one class file (multi-document rules C2). wanted is the manifest's name for a
 * nameless one. */
void mpl_parse_file(vc *, mpl_package *, vc_source *, const char *wanted);
/* ns:Name -> FQN; reports an unknown prefix */
char *mpl_resolve(vc *, const mpl_class *, const char *name, vc_span);
void mpl_dump(vt_buf *, const mpl_package *); /* --emit=ast */

/* ---- package.c ---- */
/* Reads a package with all its classes; reports. NULL when there is no manifest to speak of. */
mpl_package *vc_package_load(vc *, const char *path, bool is_main);
/* -I: a package, a zip, or a directory of packages, searched when something requires them. */
void vc_package_path(vc *, const char *path);
/* Loads what the loaded packages require, and io.murano's core classes; reports what is missing. */
void vc_packages_resolve(vc *);
/* Does its text name that class, whole or by a prefix of the file?  Also in a comment. package.c */
bool vc_class_mentions(vc *, const mpl_class *, const char *fqn);
mpl_package **vc_packages(vc *, uint32_t *n); /* loaded ones, main first */

/* murano/natives.c: the i-th native class; NULL: no more. */
typedef struct vc_native {
	const char *fqn, *symbol;   /* symbol: of one that needs a cloud, or NULL */
	const char *const *methods; /* up to NULL */
} vc_native;
const vc_native *vc_native_at(uint32_t i);

/* May code of package `from` take an object of package p, in that version, for one of its own? As
 * vt_version_fits. */
bool vc_version_fits(vc *, const mpl_package *from, const mpl_package *p);
/* K8; NULL when there is none */
mpl_class *vc_find_class(vc *, const mpl_package *from, const char *fqn);

/* ---- check.c: names, inheritance, usages, calls ---- */
void mpl_check(vc *); /* all loaded main packages */

/* ---- types.c and types_*.c: what a value may be; for the checker and for passes ---- */
/* Sets of kinds: the value is of one of them. A type says what is certain, VC_K_ALL that nothing is
 * known. */
enum vc_kinds {
	VC_K_NULL = 1,
	VC_K_BOOL = 2,
	VC_K_INT = 4,
	VC_K_FLOAT = 8,
	VC_K_STR = 16,
	VC_K_LIST = 32,
	VC_K_ITER = 64,
	VC_K_DICT = 128,
	VC_K_SET = 256,
	VC_K_DATE = 512,
	VC_K_SPAN = 1024,
	VC_K_REGEX = 2048,
	VC_K_OBJECT = 4096,
	VC_K_TYPE = 8192 /* a type reference */,
	VC_K_REFLECT = 16384,
	VC_K_OTHER = 32768,
	VC_K_ALL = 65535
};
typedef struct vc_type {
	uint32_t kinds;             /* enum vc_kinds; 0: no value ever comes here */
	bool exact;                 /* objects are of this class, not of one that extends it */
	const mpl_class *cls;       /* of objects and type references; NULL: any */
	const struct vc_type *item; /* of lists and iterators; NULL: anything */
} vc_type;
/* The types of one method: variables have one type each, the join of all that is assigned. After
 * mpl_check. */
typedef struct vc_typing vc_typing;
/* method NULL: for a Default or Contract */
vc_typing *vc_typing_new(vc *, const mpl_class *, const mpl_method *);
vc_type vc_type_of(vc_typing *, const ynode *, const yq_node *);
vc_type vc_type_join(vc *, vc_type, vc_type);
/* of what passed the contract */
vc_type vc_contract_type(vc *, const mpl_class *, const ynode *contract);

/* ---- ir/verify.c, ir/print.c, ir/read.c: the intermediate representation; docs/IR.md ---- */

/* ---- ops: a row each in compiler/ir/ops.def ---- */

enum {
	IR_FAIL = 1,     /* may end in the current handler */
	IR_TERM = 2,     /* ends a block */
	IR_LEAVES = 4,   /* its C may go to the handler, as when the session is stopped */
	IR_BLIND = 8,    /* does not look at the scope it runs in; what it calls may */
	IR_WHOLE = 16,   /* no iterator is in its result: it is final */
	IR_INTS = 32,    /* an integer method may have it */
	IR_ASIDE = 64,   /* in a contract it changes nothing of the value */
	IR_GIVES = 128,  /* its operand is empty afterwards */
	IR_ASSIGNS = 256 /* assigns a variable */
};
/* What an op is about; the emitter has a function for each. */
enum ir_group {
	IR_G_MARK, /* places and bookkeeping */
	IR_G_VALUE,
	IR_G_OPERATOR,
	IR_G_BRANCH, /* where control goes; with a label: jumps there */
	IR_G_ERROR,
	IR_G_CALL,
	IR_G_TARGET, /* targets of assignments */
	IR_G_PARALLEL,
	IR_G_CONTRACT,
	IR_G_SERVICE /* of TOSCA */
};
/* What the temporary can be that it defines, or the variable that it assigns. */
enum ir_result {
	IR_R_NONE,
	IR_R_ANY,
	IR_R_CONST, /* what its constant is, */
	IR_R_VAR,   /* its variable, */
	IR_R_SAME,  /* its operand */
	IR_R_ARITH, /* a number, when the operands are */
	IR_R_ORDER, /* a bool, when the operands can be ordered */
	IR_R_BOOL,
	IR_R_INT, /* immediate */
	IR_R_TUPLE,
	IR_R_DICT,
	IR_R_TYPE,
	IR_R_FINAL, /* the operand without iterators */
	IR_R_REST,  /* something, or nothing is left */
	/* Contracts: the operand as far as it is that, null included */
	IR_R_C_INT,
	IR_R_C_STR,
	IR_R_C_BOOL,
	IR_R_C_OBJECT,
	IR_R_C_SET /* and the operand but for null */
};
enum ir_op {
#define OP(sym, name, operands, group, result, flags, doc) IR_##sym,
#include "compiler/ir/ops.def"
#undef OP
	IR_NOPS
};
typedef struct ir_opinfo {
	const char *name, *sig;
	uint8_t group, result; /* enum ir_group, enum ir_result */
	uint16_t flags;
	const char *doc;
} ir_opinfo;
extern const ir_opinfo ir_ops[IR_NOPS];

/* What a pipe does with an item; the text form has the names. */
enum ir_stage { IR_STAGE_NONE, IR_STAGE_WHERE, IR_STAGE_SELECT, IR_NSTAGES };
extern const char *const ir_stages[IR_NSTAGES];

enum ir_const_kind {
	IK_NULL,
	IK_TRUE,
	IK_FALSE,
	IK_NOVALUE,
	IK_INT,
	IK_BIG,
	IK_FLOAT,
	IK_STR,
	IK_STAMP /* a YAML date or time as text */
};
typedef struct ir_const {
	uint8_t kind;
	int64_t i;
	double f;
	const char *s;
	uint32_t n; /* IK_BIG: decimal text */
} ir_const;

typedef struct ir_func ir_func;
/* An argument as written; mirrors vt_arg. */
typedef struct ir_arg {
	uint8_t kind;        /* enum vt_arg_kind */
	const char *keyword; /* or NULL */
	ir_const k;
	ir_func *code;      /* or NULL */
	struct ir_arg *key; /* or NULL */
} ir_arg;
typedef struct ir_site {
	const char *name;
	bool method;
	ir_arg *args;
	uint32_t nargs;
	uint32_t line, col;
	/* inline cache number and, one up, table number: given by the emitter */
	uint32_t index, table;
	const char *receiver; /* what stands for the receiver's temporary, or NULL: the same */
} ir_site;

typedef struct ir_ins {
	uint8_t op; /* enum ir_op */
	int32_t d;  /* temporary defined, or -1 */
	int32_t a[5];
	uint8_t na; /* temporaries read; -1 is an absent one */
	int32_t *list;
	uint32_t nlist;
	int32_t var;
	int32_t label;
	int64_t i[2];
	const char *name;
	const char **names;
	uint32_t nnames;
	uint8_t *stages; /* of a pipe: enum ir_stage */
	uint32_t nstages;
	ir_const k;
	ir_const *ks;
	uint32_t nks;
	ir_func *f;
	ir_func **fs;
	uint32_t nfs; /* a NULL in fs is the contract `$` */
	ir_site *site;
} ir_ins;

enum ir_func_kind {
	IF_METHOD, /* a MuranoPL method */
	/* an argument, a lambda, a default, a branch of Parallel: runs in a scope it is given */
	IF_CODE,
	IF_CONTRACT /* a contract: input to value */
};
struct ir_func {
	uint8_t kind;
	/* unique in the module, stable between runs: p.Probe::testInt, ...#2 for the second code in
	 * it */
	const char *name;
	struct ir_unit *unit;
	uint32_t nparams; /* methods: the first nparams variables are the parameters */
	const char **vars;
	uint32_t nvars;
	/* variables live in a scope on the heap because code captures them */
	bool boxed;
	bool leaf; /* captures no scope itself */
	ir_ins *ins;
	uint32_t n;
	int32_t ntemps, nlabels;
	uint32_t line, col;
	uint32_t at;        /* TOSCA: the place in the file, as the engine keeps it */
	const char *source; /* YAQL text of code, or NULL */
	bool idle;          /* made for schemas and folded into them: not emitted */
	ir_func *next;      /* of its unit, for the emitter */
	/* code that is an equation over $1 and $2: see vt_code.left; or NULL */
	ir_func *sides[2];
	/* code: the method or contract whose variables it reads; or NULL */
	ir_func *base;
	/* contract: one up, the inline cache of its class(): given by the emitter */
	uint32_t seen;
};
/* The JSON schema of a contract; made by vc_schemas, no part of the text form. */
typedef struct ir_schema {
	const char *text;
	ir_func **codes;
	uint32_t ncodes;
} ir_schema;
typedef struct ir_meta {
	const char *name;
	ir_func *properties;
} ir_meta;
typedef struct ir_param {
	const char *name;
	uint8_t usage;
	ir_func *contract, *dflt;
	ir_meta *meta;
	uint32_t nmeta;
	ir_schema *schema;
} ir_param;
typedef struct ir_prop {
	const char *name;
	uint8_t usage;
	ir_func *contract, *dflt;
	ir_meta *meta;
	uint32_t nmeta;
	uint32_t line, col;
	ir_schema *schema;
} ir_prop;
typedef struct ir_method {
	const char *name;
	uint8_t usage;
	bool is_public;
	ir_param *params;
	uint32_t nparams;
	ir_func *body; /* NULL: empty */
	ir_meta *meta;
	uint32_t nmeta;
	uint32_t line, col;
} ir_method;
typedef struct ir_class {
	const char *name;
	struct ir_unit *unit;
	const char **parents;
	uint32_t nparents;
	const char **imports;
	uint32_t nimports;
	ir_prop *props;
	uint32_t nprops;
	ir_method *methods;
	uint32_t nmethods;
	ir_meta *meta;
	uint32_t nmeta;
	bool is_meta, many, inherited, listed;
	uint16_t applies;
} ir_class;
typedef struct ir_package {
	const char *name, *version;
	uint32_t format;
	mpl_require *require;
	uint32_t nrequire;
	ir_meta *meta;
	uint32_t nmeta;
	struct ir_unit *unit;
	ir_class **classes;
	uint32_t nclasses;
	const char *dir;
	vc_resource *resources;
	uint32_t nresources;
} ir_package;
/* Mirror vt_options and vt_unit. */
typedef struct ir_options {
	int64_t limit_iterators, memory_quota;
	bool tuples_to_lists, sets_to_lists, iterable_dicts, convert_input, convert_output;
} ir_options;
typedef struct ir_unit {
	const char *file;
	uint32_t layers, version;
	ir_options opt;
	ir_class *cls;
	ir_package *pkg;
	mpl_prefix *prefixes;
	uint32_t nprefixes;
	uint32_t index;
	ir_func *funcs; /* chained by `next`, for the emitter */
} ir_unit;
typedef struct ir_module {
	ir_package **packages;
	uint32_t npackages;
	ir_unit **units;
	uint32_t nunits;
	ir_func **funcs;
	uint32_t nfuncs; /* in order of emission: callees of code first */
	ir_func *query;  /* a lone expression, or NULL */
} ir_module;
/* Every problem is reported as a fault of vetro; false when there was one. */
bool ir_verify(vc *, const ir_module *);
/* --emit=ir; with the notes of a pass as comments */
void ir_print(vc *, vt_buf *, const ir_module *);
ir_module *ir_read(vc *, vc_source *); /* --from=ir; reports */

/* ---- lower.c, lower/yaql.c, lower/contract.c: AST to IR ---- */
ir_module *vc_lower(vc *); /* all loaded packages */
/* layers are VT_L_* bits; opt fills the unit of the expression, so that emitted code carries its
 * options. */
typedef struct vc_query_opts {
	uint32_t layers;
	ir_options opt;
	const char *file;
	uint32_t passes_off;
} vc_query_opts;
ir_module *vc_lower_query(vc *, const yq_node *, const char *text, size_t n, const vc_query_opts *);

/* ---- resource.c: the files of Resources/ ---- */
/* All of a package's, sorted by name; reports what cannot be read or is too much. Read once. */
vc_resource *vc_resources(vc *, mpl_package *, uint32_t *n);
/*
 * What the text is as YAML to Resources.yaml(), for vt_resource.yaml: "=" and JSON with tags, or
 * "!", an exception's type, a newline and its message.
 */
char *vc_resource_yaml(vc *, const vc_resource *);

/* ---- emit/form_schema.c, lower/form_check.c: what contracts mean to a form ---- */
/* Fills the schemas of everything that can be asked for: properties that a model gives, parameters
 * of public methods. */
void vc_schemas(vc *, ir_module *);

/* ---- emit.c: IR to C ---- */
typedef struct vc_cfile {
	const char *name;
	vt_buf text;
} vc_cfile;
/* One file a class and main.c; `lua` is the text of the --lua files or NULL. */
vc_cfile *vc_emit(vc *, ir_module *, const char *lua, bool lines, uint32_t *n);
/* emit/shared.c: what a shared object shows, put into main.c */
void vc_emit_shared(vc_cfile *, uint32_t n);
/* One file that defines `const vt_program vt_query_program`, for libtcc and cc. */
void vc_emit_query(vc *, ir_module *, vt_buf *);
/* emit/link_rows.c: one more file, what of the library is linked. m: NULL where nothing calls it.
 * False: all of it is, and no file. */
bool vc_emit_linked(vc *, const ir_module *m, const char *lua, vc_cfile *);
/* The same for an expression that joins a running program, whose inline caches take the first
 * `nics` numbers. */
void vc_emit_query_at(vc *, ir_module *, uint32_t nics, vt_buf *);

/* ---- cache.c: what was built before ---- */
enum { VC_CACHE_KEY = 65 };
/* The directory, made; NULL with a reason where nothing may be kept. */
const char *vc_cache_dir(vc *, const char **why);
/* What all objects of a build have in common: the compiler and its arguments, the headers. */
void vc_cache_base(
	vc *, const char *const *argv, const char *const *headers, char base[VC_CACHE_KEY]);
/* name of the object's file */
const char *vc_cache_key(vc *, const char *base, const vt_buf *text);
/* whole, and in use now; what is damaged goes */
bool vc_cache_has(vc *, const char *path);
/* a copy, where there is room */
bool vc_cache_put(vc *, const char *file, const char *path, unsigned mode);
/* to VETRO_CACHE_MIB, now and then */
void vc_cache_trim(vc *, const char *dir);

/* ---- toolchain.c, tcc.c (libtcc): C to binaries ---- */
typedef struct vc_build_opts {
	const char *out;      /* binary */
	const char *emit_dir; /* keep the C here, or NULL */
	int opt;              /* 0, 1, 2 */
	bool debug, shared, verbose;
	bool no_cache;  /* compiles every file, and keeps no object */
	bool with_yay;  /* links the reader of Yay */
	bool is_static; /* nothing but static, or an error */
	bool kept;      /* `out` is a place in the cache */
} vc_build_opts;
/* Status as the command's exit status: 0, 3 or 4. Writes by rename. */
int vc_toolchain_build(vc *, vc_cfile *, uint32_t n, const vc_build_opts *);
/* cc makes a shared object, this is its dlopen handle; NULL: reported */
void *vc_toolchain_load(vc *, const char *text, size_t n);
/* The name in the cache of the binary that vc_toolchain_build makes of the same: all that it comes
 * from, as SHA-256. */
const char *vc_toolchain_key(vc *, const vc_cfile *, uint32_t n, const vc_build_opts *);
/* Compiles C text in memory and gives the address of `symbol`, or NULL. free with vc_tcc_free. */
typedef struct vc_tcc vc_tcc;
vc_tcc *vc_tcc_compile(vc *, const char *text, const char *symbol, void **address);
void vc_tcc_free(vc_tcc *);
bool vc_tcc_possible(void); /* memory may become executable here */
void vc_tcc_refuse(vc *);   /* reports why it is not */
/* an object file in memory; -1: not possible, not reported */
int vc_tcc_object(vc *, const vt_buf *text);
typedef struct vc_tcc_part {
	const vt_buf *text;
	const char *object; /* a path, or NULL: the text */
} vc_tcc_part;
/* All as one program in memory; NULL with the reason in errors. */
vc_tcc *vc_tcc_link(
	const vc_tcc_part *, uint32_t n, const char *symbol, void **address, vt_buf *errors);
size_t vc_tcc_size(const vc_tcc *);
/* jit.c: the same from the files of a program; main() of it, or NULL: reported. The code is freed
 * after its use. */
typedef int vc_main_fn(int argc, char **argv);
vc_main_fn *vc_jit_program(
	vc *, const vc_cfile *, uint32_t n, const vc_build_opts *, vc_tcc **code);
typedef struct vc_asset_row {
	const char *name, *text;
	size_t n;
} vc_asset_row;
/* generated by lua/build/embed.lua, sorted; ends with a NULL name */
extern const vc_asset_row vc_assets[];
const char *vc_asset(const char *name, size_t *n); /* embedded files: vt.h, templates */

/* Exit statuses of commands. */
enum { VC_OK = 0, VC_EINPUT = 1, VC_EUSAGE = 2, VC_EFAULT = 3, VC_ECC = 4 };

#endif

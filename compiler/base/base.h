/*
 * base.h - what all of the compiler stands on: memory, sources and spans, diagnostics, passes,
 * and the compilation itself.
 *
 * Memory: everything of one compilation lives in its arena and dies with it.  Errors accumulate in
 * the compilation; a bad subtree becomes an error node and the rest is still looked at.
 */
#ifndef VC_BASE_BASE_H
#define VC_BASE_BASE_H

#include "runtime/core/base.h"
#include "runtime/core/siphash.h"
#include "runtime/text/nearest.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VC_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef struct vc vc;

/* ---- arena.c ---- */
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
char *vc_take(vc *, vt_buf *);    /* its text; frees the buffer */
char *vc_take_text(vc *, char *); /* of malloc(), which is freed */
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
/*
 * The name that a file of `root` has in what is built: it depends neither on the machine nor on
 * where the build happens.  A relative path stays; an absolute one is told from the current
 * directory on where it lies below it, else from the folder on that `root` lies in.
 */
const char *vc_output_name(vc *, const char *path, const char *root);
/*
 * What a source may bring along: files below its own folder, and below directories that the user
 * names.  Links count for what they lead to.
 */
void vc_allow_dirs(vc *, const char *const *dirs, uint32_t n);
void vc_allow_beside(vc *, const char *file); /* the folder of the file; a directory itself */
/* The real path; NULL: there is no such file, or (*outside) it is elsewhere. */
const char *vc_allowed(vc *, const char *path, bool *outside);
/* Without links and dots, in the arena; NULL: nothing is there. */
char *vc_real_path(vc *, const char *path);
/* Calls for each line of standard input, without its end, as `--batch` has it. VC_OK. */
int vc_each_line(void (*)(void *ctx, const char *line, size_t n), void *ctx);
vc_span vc_file_span(vc *, const char *name); /* a file or directory as a whole */
/*
 * Texts that stand for files of the whole process: what an editor holds and has not saved.  They
 * are read in place of the files from then on; the array stays the caller's and has to live on.
 */
typedef struct vc_held {
	const char *path; /* the real one */
	const char *text;
	size_t n;
} vc_held;
void vc_hold(const vc_held *, uint32_t n);
/* A file for a look at its beginning: a regular one, or what is held for it. NULL: none. */
FILE *vc_source_open(const char *path);
/* 1-based; col in code points */
void vc_place(const vc_source *, uint32_t offset, uint32_t *line, uint32_t *col);

/* ---- inputs.c: which files were read ---- */
typedef struct vc_input {
	const char *path, *sha256;
} vc_input;
/* nothing unless the compilation keeps_inputs */
void vc_input_note(vc *, const char *path, const char *bytes, size_t n);
void vc_input_file(vc *, const char *path); /* one that something else reads */

/* ---- arena.c, diag.c, passes.c ---- */
/* VC_FAULT is shown as an error, and keeps no program from being made: the place fails when it is
 * reached.  VC_NOTE is shown with c->pedantic only. */
enum vc_severity { VC_ERROR, VC_WARNING, VC_NOTE, VC_FAULT };
enum vc_code {
#define DIAG(code, severity, title) VC_##code,
#include "runtime/core/diag.def"
#undef DIAG
	VC_NCODES
};
enum vc_diag_format { VC_TEXT, VC_JSON, VC_SARIF };
void vc_report(vc *, enum vc_code, vc_span, const char *fmt, ...) VT_PRINTF(4, 5);
/* with another severity than the code has as a rule */
void vc_report_as(vc *, enum vc_severity, enum vc_code, vc_span, const char *fmt, ...)
	VT_PRINTF(5, 6);
/* Takes a report back, of which a later phase says more.  False: there is none. */
bool vc_withdraw(vc *, enum vc_code, vc_span);
void vc_note(vc *, vc_span, const char *fmt, ...) VT_PRINTF(3, 4); /* belongs to the last report */
void vc_hint(vc *, const char *fmt, ...) VT_PRINTF(2, 3);          /* belongs to the last report */
/* The hint "did you mean X?" of the last report: `near` stands in `form` for its %s, as "'%s'", and
 * is what an editor may put in place of what is wrong. */
void vc_did_you_mean(vc *, const char *form, const char *near);
void vc_near(vc *, const char *near); /* the same beside a hint with words of its own */
/* What accumulated, for who shows it in a way of its own; texts are the compilation's. */
typedef struct vc_remark {
	vc_span span;
	const char *text;
} vc_remark;
typedef struct vc_finding {
	enum vc_severity severity; /* as it is shown: faults are errors */
	const char *code;
	vc_span span;
	const char *text, *hint, *near; /* the last two or NULL; near: vc_did_you_mean */
	const vc_remark *notes;
	uint32_t nnotes;
} vc_finding;
/* In the order and without the repetitions of vc_print_diags. */
void vc_each_finding(vc *, void (*)(void *ctx, const vc_finding *), void *ctx);
void vc_put_quoted(vt_buf *, const char *, size_t); /* for --emit: controls as \x.. */
/* Prints what accumulated, sorted by file and offset, without repetition. Colour only for text on a
 * terminal. */
void vc_print_diags(vc *, enum vc_diag_format, FILE *);
void vc_put_diags(vc *, enum vc_diag_format, bool colour, vt_buf *);
int vc_errors(const vc *);    /* how many errors so far, without faults */
int vc_faults(const vc *);    /* how many faults */
uint32_t vc_said(const vc *); /* how many of all kinds */
/* The first error and its first note; texts are NULL and spans empty where there is none. */
typedef struct vc_first {
	enum vc_code code;
	vc_span span, note_span;
	const char *text, *note;
} vc_first;
vc_first vc_first_error(const vc *);

/* One compilation. Limits are options of the command line with these defaults. */
struct vc {
	vc_arena *arena;
	struct vc_diags *diags;
	struct {
		uint32_t max_depth; /* nesting of YAML, JSON and expressions: 200 */
		/* YAML nodes a document after alias expansion: 2,000,000 */
		uint32_t max_nodes;
		size_t max_file;      /* bytes a source: 64 MiB */
		bool max_file_given;  /* by --max-file, which a message may name */
		uint32_t max_errors;  /* 100 */
		uint32_t max_entries; /* archive entries: 20,000 */
		size_t max_resources; /* bytes of a program's Resources: 16 MiB */
	} limit;
	const char **allowed; /* real paths of directories: vc_allow_dirs */
	uint32_t nallowed;
	vc_input *inputs;
	uint32_t ninputs;
	bool keeps_inputs;
	struct vc_packages *packages;
	struct vc_placed *placed; /* texts whose places were asked for: yay/files.c */
	struct vc_types *types;
	uint8_t jit; /* enum vc_jit: where vc_tcc_compile puts code */
	/* of the library, in the program that was emitted (emit/link_rows.c) */
	uint32_t nlinked, nfunctions;
	const char *links_all; /* why it has all of them, or NULL */
	/* why a text is no regular expression, or NULL; the hook is NULL where nobody can tell */
	char *(*bad_pattern)(struct vc *, const char *, size_t);
	const char *lua; /* the text of --lua, for check/names.c; or NULL */
	/* expressions of the package's form: the program links what they call as well */
	struct ir_module **also;
	uint32_t nalso;
	bool has_form;
	/* the program that was emitted has native classes that need one (emit/native_classes.c) */
	bool reaches_cloud;
	vt_seed seed; /* of vc_hash */
	bool werror, strict, pedantic, verbose;
	bool closed; /* no class comes from elsewhere */
	/* all of io.murano is there, whether a package names it or not: models do */
	bool whole_core;
	/* every method has a scope: a mock may look into that of its caller */
	bool boxed;
	/* the program counts and shows its statements: those of packages, and not of vetro's own */
	bool steps;
	bool lines; /* for a debugger: each statement has its place, also one that cannot fail */
	uint32_t passes_off; /* bits by enum vc_pass */
	vt_buf scratch;      /* vc_format's */
	int noted;           /* the pass whose notes are kept, one up; 0: none */
	struct vc_notes *notes;
};
/* Optimisations: -fno-NAME switches one off, -fno-passes all of them; what a program does stays the
 * same. */
/* clang-format off */
#define VC_IR_PASSES(X) \
	X(FUSE, "fuse", "chains of where() and select() become one loop") \
	X(INLINE, "inline", "pipelines of methods over short lists are loops") \
	X(DIRECT, "direct", "lambdas that nothing can look into run without a scope of their own") \
	X(JOINS, "joins", "join() on an equation of two members looks its pairs up") \
	X(RECORDS, "records", \
		"call sites remember shapes of dicts: reading a key, making one of constant keys") \
	X(CALLS, "calls", \
		"calls and property writes go straight to what their site has found") \
	X(BORROW, "borrow", "expressions use variables where they are, without a count") \
	X(FLOW, "flow", \
		"what variables can hold is followed: nothing is converted or tested twice") \
	X(GROW, "grow", \
		"$.list: $.list + [...] appends in place where nothing else holds the list") \
	X(UPDATE, "update", \
		"lists and dicts that nobody else holds are changed in place") \
	X(ARITH, "arith", \
		"products, quotients and remainders of integers are worked out in place") \
	X(LOCAL, "local", \
		"For walks a list where it lies and counts over range()") \
	X(CAPTURE, "capture", "variables that lambdas only read stay C locals") \
	X(INPLACE, "inplace", "len(), `in`, join() and indices of lists are worked out in place") \
	X(ESCAPE, "escape", "lists that nobody else comes to see lie on the stack") \
	X(BIND, "bind", "calls on $this that can find one method only do not look") \
	X(UNBOX, "unbox", "integers in the variables of a loop are machine words") \
	X(INT_METHOD, "int-method", \
		"methods that only compute integers have a C function for just that") \
	X(LAMBDA_PROGRAMS, "lambda-programs", \
		"simple lambdas and pipelines are lambda programs") \
	X(SUBSET, "subset", \
		"a binary links those functions of the library that its program can come to")
#define VC_PASSES(X) \
	VC_IR_PASSES(X) \
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
/* What a pass did to an op or to a function, for --emit=ir --after=NAME; nothing where nobody
 * asks. */
void vc_pass_note(vc *, int pass, const void *what, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* the next from *k on, 0 at first; or NULL */
const char *vc_pass_noted(vc *, const void *what, uint32_t *k);
/* By itself: in memory, and where the system refuses memory that can be executed, as VC_JIT_CC. */
enum vc_jit { VC_JIT_AUTO, VC_JIT_MEMORY, VC_JIT_CC, VC_JIT_NONE };
vc *vc_new(void);
/* For tables whose keys come from a file: nobody can make them meet. Not for what is emitted
 * (vt_hash_bytes). */
uint64_t vc_hash(const vc *, const char *, size_t);
void vc_free(vc *);

/* ---- index.c ---- */
/* Of a list of names that only grows: makes itself as it is asked.  Zeroed at first. */
typedef struct vc_index {
	uint32_t *slot; /* place in the list, one up; cap is a power of two */
	uint32_t n, cap;
} vc_index;
/* The place of the name in the list of n, the first of several; UINT32_MAX: it is not there. */
uint32_t vc_index_of(vc *, vc_index *, const char *const *names, uint32_t n, const char *name);

/* ---- asset.c ---- */
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

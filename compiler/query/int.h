/*
 * int.h - what the files of `vetro query` share: cmd/query.c (the command), code.c
 * (expression to program), input.c (documents) and batch.c.
 */
#ifndef QUERY_INT_H
#define QUERY_INT_H

#include "compiler/base/base.h"

#include "compiler/query/run.h"
#include "runtime/text/cli.h"

enum emit_form { EMIT_NONE = -1, EMIT_TOKENS, EMIT_AST, EMIT_IR, EMIT_C };

/* What a document is read as. */
enum query_kind { QUERY_UNKNOWN, QUERY_JSON, QUERY_YAML, QUERY_TEXT };

typedef struct query_args {
	const char *expr, *options;
	size_t nexpr;
	const char *from_file; /* the file that the expression stands in, or NULL */
	const vt_cli_line *line;
	vt_cli_list files, lua;
	vt_cli_uses vars; /* --arg and the like, --args and --jsonargs */
	bool legacy, delegates, murano, batch, interactive, no_input, slurp, keep_going, lua_unsafe;
	bool stream, seq, join, exit_status, unbuffered;
	enum query_kind kind; /* --input; QUERY_UNKNOWN: the file says it */
	const char *fold;     /* JSON, or NULL */
	vt_cli_list in_place; /* -i */
	vt_cli_uses marks;    /* --args and --jsonargs, and what stands behind them: */
	vt_cli_list positional;
	uint32_t first_positional; /* the number of the first among the words of the line */
	enum emit_form emit;
	enum vc_jit jit;
	uint32_t passes_off; /* -fno-NAME */
	int form;            /* QR_* */
	double timeout;      /* seconds; 0: none */
	double memory;       /* MiB a batch may use, or the command: 0 is not said */
	double document;     /* MiB of the largest document, or line of a batch; 0: the default */
	uint64_t lua_steps, lua_memory; /* 0: the defaults */
} query_args;

/* ---- code.c ---- */

/* A compiled expression, with those that functions of the host bring while it runs. It outlives its
 * session. */
typedef struct query_code query_code;
/* NULL: the error is filled; its type is "CompilerError" when the C compiler failed. */
query_code *query_code_new(const qr_request *, qr_error *);
/* The value's text over the document that the session holds; as qr_run. */
char *query_code_run(query_code *, qr *, int form, size_t *n, qr_error *);
/* The results of it, as qr_results. */
bool query_code_results(query_code *, qr *, int form, qr_put *, void *ctx, qr_error *);
void query_code_free(query_code *);
/* The codes of the last texts, for sessions that come one after another. */
typedef struct query_cache query_cache;
query_cache *query_cache_new(void);
/* As query_code_new; the code is the cache's. */
query_code *query_cache_get(query_cache *, const qr_request *, qr_error *);
/* When the session has ended that ran it: what it brought goes. */
void query_code_rest(query_code *);
void query_cache_free(query_cache *);
/* The files of --lua, into the session. False: the error is filled. */
bool query_load_lua(qr *, const query_args *, qr_error *);
/* --emit: false with the error filled. */
bool query_emit(vc *, const query_args *, const qr_request *, vt_buf *, qr_error *);

/* ---- input*.c ---- */

/*
 * The documents of the files, or of standard input, one after another.  Not more than the running
 * one is held, and of JSON what a block of input brings behind it.
 */
typedef struct query_input query_input;
enum query_got { QUERY_DOC, QUERY_END, QUERY_BROKEN /* the reason was printed */ };
/* before_read is called before each wait for input, and before something is said. No files:
 * standard input. */
query_input *query_input_new(const query_args *, const char *const *files, uint32_t nfiles, qr *,
	bool convert, void (*before_read)(void *), void *ctx);
enum query_got query_input_next(query_input *); /* the next document becomes the session's */
typedef struct query_place {
	const char *file;
	unsigned long line, col, ordinal; /* the ordinal counts through all files */
	bool alone;                       /* it is the first, and nothing is known to follow */
} query_place;
query_place query_input_place(query_input *);    /* where the document of the session begins */
bool query_input_missing(const query_input *);   /* a file was not there, which was said */
bool query_input_is_broken(const query_input *); /* QUERY_BROKEN has been answered */
void query_input_free(query_input *);

/* ---- batch.c ---- */
int query_batch(const query_args *);
/* Runs the command in a process that may use a->memory; its status, or VT_LIMIT_MEMORY, reported
 * when that was not enough. */
int query_within_memory(query_args *a, int (*command)(query_args *));

#endif

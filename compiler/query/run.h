/*
 * run.h - the half of `vetro query` that runs code, as the half that compiles it sees it.
 *
 * run.c includes headers of the runtime and nothing of the compiler; cmd/query.c the other way
 * round.
 */
#ifndef QUERYRUN_H
#define QUERYRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vt_program;
typedef struct qr qr; /* one session: one expression over one document */

typedef struct qr_options {
	int64_t limit_iterators, memory_quota;
	bool tuples_to_lists, sets_to_lists, iterable_dicts, convert_input, convert_output;
} qr_options;
extern const qr_options qr_default_options;

/* What the compiler needs of a batch request; the strings live as long as the session. */
typedef struct qr_request {
	const char *expr;
	size_t n;
	bool legacy, delegates; /* the parser's dialect */
	uint32_t layers;        /* VT_L_* */
	qr_options opt;
	const struct yq_operators *operators; /* of the host; or NULL */
	uint8_t jit;                          /* enum vc_jit */
	uint32_t passes_off; /* optimisations that are switched off: enum vc_pass */
} qr_request;

/* malloc'd; line 0: unknown */
typedef struct qr_error {
	char *type, *message;
	uint32_t line, col;
	uint16_t code; /* enum vt_diag */
} qr_error;

qr *qr_open(void);
void qr_close(qr *);
/* The functions below that return bool fill the error and return false when they fail. */
bool qr_lua(qr *, const char *text, size_t n, const char *name, qr_error *);
/* The document: $. convert: the options let input be converted, so an untagged one is read that way
 * at once. */
bool qr_data(qr *, const char *json, size_t n, bool tagged, bool convert, qr_error *);
/* One document of a stream, in place of the one before: the JSON value at the front of the text;
 * *used is where it ends.  The place of an error is one in the text. */
bool qr_document(qr *, const char *json, size_t n, bool convert, size_t *used, qr_error *);
/* Documents one after another into a list, and that list as the document. */
void qr_collect(qr *);
void qr_collected(qr *, bool join);       /* join: they are texts, and become one */
void qr_text(qr *, const char *, size_t); /* a text as the document; it is UTF-8 */
/* Reads a document aside, while one is worked on: `read` puts it where qr_document() does. *out is
 * converted, and VT_UNDEF when there was none. */
bool qr_read_aside(qr *, bool (*read)(void *), void *ctx, uint64_t *out);
struct vt_documents;
void qr_documents(qr *, const struct vt_documents *, void *ctx);
void qr_forget(qr *);       /* drops the document: $ is null */
void qr_no_arguments(qr *); /* $ARGS is there, and has nothing in it yet */
/* $name, which is in $ARGS.named as well */
bool qr_var(qr *, const char *name, const char *text, size_t n, bool json, qr_error *);
void qr_var_documents(qr *, const char *name); /* the list of what was collected */
bool qr_positional(
	qr *, const char *text, bool json, qr_error *); /* one more of $ARGS.positional */
/* $acc, which each evaluation of QR_FOLD replaces */
bool qr_fold(qr *, const char *json, qr_error *);
/* Of host code, before the first qr_lua; 0: the default. */
void qr_lua_limits(qr *, uint64_t steps, uint64_t bytes, bool unsafe);
bool qr_read_request(qr *, const char *line, size_t n, qr_request *, qr_error *);
bool qr_read_options(qr *, const char *json, size_t n, qr_options *, qr_error *);
uint32_t qr_layers(bool legacy, bool delegates);
/* The engine of the legacy dialect overrides two of its options. */
void qr_force_legacy(qr_options *);

/* How functions of the host get an expression compiled; the program stays until qr_close. NULL: the
 * error is filled. */
enum { QR_MAX_JOINED = 256 };
typedef const struct vt_program *qr_compile_fn(
	void *ctx, const char *expr, size_t n, uint32_t nics, qr_error *);
void qr_on_compile(qr *, qr_compile_fn *, void *ctx);

enum {
	QR_RAW = 1,
	QR_TAGGED = 2,
	QR_YAML = 4,
	QR_EACH = 8, /* each element is a result */
	QR_CSV = 16,
	QR_TSV = 32,
	QR_NULLS = 64, /* a float that JSON cannot hold is null; else an error */
	QR_COLOUR = 128,
	QR_FOLD = 256, /* no result, but $acc */
	QR_FLAGS = 512
}; /* QR_FLAGS * flags of vt_json_write() */
/* The value's text, malloc'd; NULL with the error filled when evaluation raised.  A program may run
 * many times, and keeps its caches; the session ends before its programs do. */
char *qr_run(qr *, const struct vt_program *, int form, size_t *n, qr_error *);
/* The same for who writes results as they come: each goes to `put`, with whether it is something
 * else than null and false. put returning false ends it. */
typedef bool qr_put(void *ctx, const char *, size_t n, bool truth);
bool qr_results(qr *, const struct vt_program *, int form, qr_put *, void *ctx, qr_error *);
/* What QR_FOLD has come to, as results. */
bool qr_folded(qr *, int form, qr_put *, void *ctx, qr_error *);
/* evaluates, and gives the value up: for who measures */
bool qr_drop(qr *, const struct vt_program *, qr_error *);

/* For who has a session of his own: one evaluation, with values of it. given: the document, vars: a
 * dict; or VT_UNDEF. Below the scope of a context, whose $ it has where none is given, or NULL. */
struct vt_rt;
struct vt_code;
struct vt_scope;
int qr_evaluate(struct vt_rt *, const struct vt_code *, uint64_t given, bool converted,
	uint64_t vars, struct vt_scope *context, uint64_t *out);
void qr_take_exception(struct vt_rt *, qr_error *); /* of the session, that was pending */

/* The key of the document that is a slip away from this one, malloc'd; or NULL. */
char *qr_near_key(const qr *, const char *key);
/* Why the document of itself has no keys at all; NULL: it may have, or nobody knows. */
const char *qr_no_keys(const qr *);
void qr_error_set(qr_error *, const char *type, uint32_t line, uint32_t col, const char *message);
bool qr_fail(qr_error *, const char *type, const char *message); /* without a place; false */
void qr_error_free(qr_error *);
char *qr_error_json(const qr_error *); /* {"error":{...}}, malloc'd */

#endif

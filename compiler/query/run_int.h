/* run_int.h - what the files of a session share: run.c and results.c. */
#ifndef QUERY_RUN_INT_H
#define QUERY_RUN_INT_H

#include "compiler/query/run.h"

#include "runtime/call/call.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"

struct qr {
	vt_rt *rt;
	vt_value request; /* the request as read, or VT_UNDEF: keeps its strings alive */
	vt_value data;
	bool converted; /* data was read in the form that the conversion of input would give it */
	bool aside;     /* an evaluation is going on while a document is read */
	vt_value vars;  /* borrowed from request or own: dict, or VT_UNDEF */
	vt_value own;   /* DICT of qr_var, or VT_UNDEF */
	vt_value all;   /* TUPLE of qr_collect, or VT_UNDEF */
	bool all_converted;
	vt_value acc; /* --fold: what the stream has come to, or VT_UNDEF */
	qr_compile_fn *compile;
	void *compile_ctx;
	uint32_t nics, room; /* inline caches: taken, and all that the session has */
	/* LIST: what was compiled while running; its code is in codes at the same place */
	vt_value texts;
	const vt_code *codes[QR_MAX_JOINED];
};

/* The session was made before the expression was compiled: a query needs nothing of its program but
 * the caches. */
void qr_attach(qr *, const vt_program *);
/* An evaluation in two halves. What the first gives may be an iterator, which reads on while the
 * scope lives. */
vt_status qr_begin(vt_rt *, const vt_code *, vt_value given, bool converted, vt_value vars,
	vt_scope **, vt_value *out);
/* The conversion of output: takes the value. */
vt_status qr_finish(vt_rt *, const vt_unit *, vt_value v, vt_value *out);

/* ---- colour.c ---- */

/* JSON in the colours of a terminal, which are jq's; the text is what vt_json_write() gave. */
void qr_put_coloured(vt_buf *, const char *, size_t);

/* ---- table.c ---- */

/* A value as lines of CSV or TSV; false with the error filled: it is no table. */
bool qr_put_table(vt_rt *, vt_buf *, vt_value, bool tabs, qr_error *);

#endif

/*
 * compile.h - one YAQL expression from text to code in memory, for who runs many of them in
 * one session.
 */
#ifndef QUERYCOMPILE_H
#define QUERYCOMPILE_H

#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/yaql/yaql.h"

#include "compiler/query/run.h"

/* The steps on the way, for who wants to see them; murano: with MuranoPL's operators. NULL with the
 * error filled. */
const yq_node *qc_parse(vc *, const qr_request *, bool murano, qr_error *);
unsigned qc_dialect(const qr_request *, bool murano);
ir_module *qc_lower(vc *, const qr_request *, const yq_node *, qr_error *);

typedef struct qc qc; /* the code of one expression */

/*
 * NULL with the error filled when it is no expression.  nics: inline caches of the session that are
 * taken already; those of the program that *program points to come behind them.  May be called by
 * several threads at once.
 */
qc *qc_compile(const qr_request *, uint32_t nics, const struct vt_program **program, qr_error *);
/* After the session that ran the code. */
void qc_free(qc *);

#endif

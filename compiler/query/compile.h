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
/* paths.c: assign() and its like, in place. false: *err is filled. */
bool qc_rewrite_paths(vc *, yq_node *tree, yq_error *err);
unsigned qc_dialect(const qr_request *, bool murano);
ir_module *qc_lower(vc *, const qr_request *, const yq_node *, qr_error *);

typedef struct qc qc; /* the code of one expression */

/*
 * NULL with the error filled when it is no expression.  nics: inline caches of the session that are
 * taken already; those of the program that *program points to come behind them.  May be called by
 * several threads at once.
 */
qc *qc_compile(const qr_request *, uint32_t nics, const struct vt_program **program, qr_error *);
/*
 * The same for a session that gives codes up before it ends.  What values may hold of them, the
 * constants, stays in the pool; `hot` says how many codes may still be compiled, which have to
 * stay.
 */
struct im_pool;
typedef struct qc_keep {
	struct im_pool *pool;
	uint32_t hot;
} qc_keep;
qc *qc_compile_kept(const qr_request *, uint32_t nics, qc_keep *, const struct vt_program **program,
	qr_error *);
/*
 * An expression as far as all sessions have it in common: parsed, checked and optimised.  Several
 * threads may load codes from one module at once.  NULL with the error filled, as above; loading
 * gives NULL where only qc_compile_kept() will do.
 */
typedef struct qc_module qc_module;
qc_module *qc_module_new(const qr_request *, qr_error *);
qc *qc_module_load(qc_module *, uint32_t nics, qc_keep *, const struct vt_program **program);
void qc_module_free(qc_module *);
bool qc_is_compiled(const qc *);
/* After the session that ran the code; or when nothing that refers to it is left. */
void qc_free(qc *);

/* Why a text is no regular expression, for vc.bad_pattern; NULL when it is one. */
char *qc_bad_pattern(vc *, const char *, size_t);

#endif

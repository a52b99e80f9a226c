/* query_int.h - what the files of the command `vetro query` share. */
#ifndef CMD_QUERY_INT_H
#define CMD_QUERY_INT_H

#include "compiler/cmd/cmd.h"
#include "compiler/query/int.h"
#include "runtime/text/report.h"

/* ---- query_error.c ---- */

/* note: the document that was worked on; or NULL. The session, whose document has the keys that may
 * have been meant; or NULL. The exit status. */
int query_print_error(const query_args *, const qr *, const qr_error *, const vt_remark *note);

/* ---- query_jq.c ---- */

/* What the name is in jq, and in YAQL; or NULL. */
const char *query_jq_name(vc *, const char *name);
/* What somebody may have meant who writes jq, where the parser stumbled: a byte of the expression;
 * or NULL. */
const char *query_jq_syntax(vc *, const char *expr, size_t n, size_t at);
/* The same of Python, JavaScript, SQL, JMESPath and JSONPath. */
const char *query_other_syntax(const char *expr, size_t n, size_t at);
/* Something that is missing there: an operand, a comma; or NULL. */
const char *query_gap(const char *expr, size_t n, size_t at);
/* Says on standard error what is no error and hardly meant: variables that nothing sets, the name
 * of a function by itself, and \( in a text. */
void query_jq_warn(const query_args *);

/* ---- query.c ---- */

/* One expression over all documents. The exit status. */
int query_run(const query_args *);

/* ---- query_prompt.c ---- */

/* -I. The exit status: that of the last expression that failed; on a terminal 0. */
int query_prompt(const query_args *);

/* ---- query_vars.c ---- */

/* --arg and the like, the words behind --args, and --fold, for the session. The exit status. */
int query_set_vars(const query_args *, qr *);

#endif

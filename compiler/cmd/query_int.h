/* query_int.h - what the files of the command `vetro query` share. */
#ifndef CMD_QUERY_INT_H
#define CMD_QUERY_INT_H

#include "compiler/cmd/cmd.h"
#include "compiler/query/int.h"
#include "runtime/text/report.h"

/* ---- query_error.c ---- */

/* note: the document that was worked on; or NULL. The exit status. */
int query_print_error(const query_args *, const qr_error *, const vt_remark *note);

/* ---- query_vars.c ---- */

/* --arg and the like, the words behind --args, and --fold, for the session. The exit status. */
int query_set_vars(const query_args *, qr *);

#endif

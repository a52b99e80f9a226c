/* op.h - one operation while it runs: what op.c, op_files.c and op_inputs.c share. */
#ifndef VT_OP_H
#define VT_OP_H

#include "runtime/deploy/deploy.h"

#include <sys/types.h>

typedef struct vt_words {
	char **v;
	uint32_t n;
} vt_words;
typedef struct vt_operation {
	vt_tdeploy *d;
	const vt_taction *a;
	vt_tosca *t;
	vt_rt *rt;
	vt_tctx ctx;
	char *dir, *files, *outputs, *log;
	char id[33];                  /* by which its processes are known */
	char *primary;                /* absolute path of what runs */
	const vt_tartifact *artifact; /* that the primary is, or NULL */
	vt_dict *inputs;              /* those that are known */
	vt_words env, argv;
	char **why;
	/* For another machine: */
	char *host;     /* its address; NULL: it runs here */
	vt_words added; /* what `env` has besides the environment of this program */
	const vt_tblob **blobs;
	uint32_t nblobs;
	char *payload; /* path of what goes there */
} vt_operation;
/* Says why the operation failed.  Always false. */
bool vt_op_fail(vt_operation *, const char *fmt, ...) VT_PRINTF(2, 3);
void vt_op_push(vt_words *, char *owned);

/* ---- op_files.c ---- */
bool vt_op_write(const char *path, const char *p, size_t n, mode_t mode);
bool vt_op_unpack(vt_operation *o);
void vt_op_remove(const char *dir);

/* ---- op_inputs.c ---- */
/* The problems since `before` are this operation's; they are reported with it. */
bool vt_op_had_problem(vt_operation *o, uint32_t before, const char *what, uint32_t name);
bool vt_op_inputs(vt_operation *o);
vt_value vt_op_context(vt_operation *o);
bool vt_op_write_json(vt_operation *o, const char *name, vt_value v);
void vt_op_set_env(vt_operation *o, const char *name, const char *value);
/* Our own names last: an input cannot pretend to be one of them. */
bool vt_op_environment(vt_operation *o);

#endif

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
	char *payload;  /* path of what goes there */
	vt_tblob **own; /* those of them that are not the program's */
	uint32_t nown;
	/* Of ctx: */
	bool playbook;
	char *folder;      /* working directory of a playbook */
	char *ctx_folder;  /* where it is; NULL: no file speaks of it */
	bool again, never; /* it asks to be tried again; it must not be */
	double pause;      /* seconds that it wants between */
} vt_operation;
/* Says why the operation failed.  Always false. */
bool vt_op_fail(vt_operation *, const char *fmt, ...) VT_PRINTF(2, 3);
void vt_op_push(vt_words *, char *owned);

/* ---- op_files.c ---- */
bool vt_op_write(const char *path, const char *p, size_t n, mode_t mode);
bool vt_op_unpack(vt_operation *o);
/* A file that is not the program's, below files/; the text must live as long as the operation. */
bool vt_op_add_file(vt_operation *, const char *path, const char *text, size_t n, bool runs);
void vt_op_remove(const char *dir);

/* ---- op_inputs.c ---- */
/* The problems since `before` are this operation's; they are reported with it. */
bool vt_op_had_problem(vt_operation *o, uint32_t before, const char *what, const char *name);
bool vt_op_inputs(vt_operation *o);
vt_value vt_op_context(vt_operation *o);
bool vt_op_write_json(vt_operation *o, const char *name, vt_value v);
/* What Cloudify's script plugin is told, {process: {env: {...}, args: [...]}}: a part, borrowed. */
vt_value vt_op_process(vt_operation *, const char *part);
char *vt_op_text(vt_operation *, vt_value); /* as in the environment; malloc'd */
void vt_op_set_env(vt_operation *o, const char *name, const char *value);
/* Our own names last: an input cannot pretend to be one of them. */
bool vt_op_environment(vt_operation *o);

/* ---- op_outputs.c ---- */
bool vt_op_take_outputs(vt_operation *);
void vt_op_take_told(vt_operation *);
void vt_op_keep_output(vt_operation *, const char *name, vt_value);
bool vt_op_put_attribute(vt_operation *, const vt_tattr *, const char *name, vt_value);
/* Of an operation, which may have put anything there: no pipe is waited for, no link followed. */
FILE *vt_op_open_plain(const char *path);

/* ---- op_ctx.c ---- */
bool vt_op_uses_ctx(const vt_operation *);
bool vt_op_add_ctx(vt_operation *);
void vt_op_ctx_environment(vt_operation *);
bool vt_op_take_ctx(vt_operation *, const char *line);
vt_value vt_op_runtime(vt_operation *, const vt_tnodei *); /* dict; owned */

#endif

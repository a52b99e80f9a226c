/* emit.h - what emit_tables.c and emit_files.c share. */
#ifndef EMIT_TOSCA_H
#define EMIT_TOSCA_H

#include "compiler/tosca/front.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"

/* same: an earlier blob, or this one, has these bytes. */
typedef struct tosca_blob {
	const char *path, *data;
	size_t n;
	uint32_t same;
	bool executable;
} tosca_blob;
typedef struct tosca_blobs {
	tosca_blob *blob;
	uint32_t n;
	vt_tblobref *ref;
	uint32_t nrefs;
} tosca_blobs;
/* The files that operations and artifacts name, below the folder that has them all; reports. */
void tosca_collect_blobs(struct tosca *, const vt_tmodel *, tosca_blobs *);
/* Expressions of types that are functions. by_expr: index in fn + 1, or 0. */
typedef struct tosca_code {
	ir_func **fn;
	uint32_t n;
	uint32_t *by_expr;
	uint32_t n_coded;
} tosca_code;
ir_module *vc_lower_tosca(struct tosca *, const vt_tmodel *, const char *name, tosca_code *);
/* The functions, and the tables `coded` (its length goes to n_coded) and `code`. */
void tosca_emit_code(struct tosca *, const vt_tmodel *, tosca_code *, vt_buf *);
/* A file for each YAQL expression, and the table `yaql` of them; reports. */
vc_cfile *tosca_emit_yaql(struct tosca *, const vt_tmodel *, vt_buf *table, uint32_t *n);
vc_cfile *vc_emit_tosca(struct tosca *, const vt_tmodel *, const char *name, uint32_t *n);

#endif

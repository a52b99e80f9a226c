/*
 * emit.h - IR to C.
 */
#ifndef VC_EMIT_EMIT_H
#define VC_EMIT_EMIT_H

#include "compiler/base/base.h"
#include "compiler/ir/ir.h"

/* ---- form_schema.c: what contracts mean to a form ---- */
/* Fills the schemas of everything that can be asked for: properties that a model gives, parameters
 * of public methods. */
void vc_schemas(vc *, ir_module *);

/* ---- emit.c, link_rows.c: IR to C ---- */
typedef struct vc_cfile {
	const char *name;
	vt_buf text;
} vc_cfile;
/* One file a class and main.c; `lua` is the text of the --lua files or NULL. */
vc_cfile *vc_emit(vc *, ir_module *, const char *lua, bool lines, uint32_t *n);
/* The same, one file after the other: each belongs to who takes it. */
typedef void vc_file_taker(void *ctx, vc_cfile);
void vc_emit_each(vc *, ir_module *, const char *lua, bool lines, vc_file_taker *, void *ctx);
/* what a shared object shows, put into main.c */
void vc_emit_shared(vc_cfile *, uint32_t n);
/* Adds a function of that name: const vt_program *(void). */
extern const char vc_program_symbol[];
void vc_emit_program_symbol(vc_cfile *, uint32_t n);
/* One file that defines `const vt_program vt_query_program`, for libtcc and cc. */
void vc_emit_query(vc *, ir_module *, vt_buf *);
/* emit/link_rows.c: one more file, what of the library is linked. m: NULL where nothing calls it.
 * False: all of it is, and no file. */
bool vc_emit_linked(vc *, const ir_module *m, const char *lua, vc_cfile *);
/* The same for an expression that joins a running program, whose inline caches take the first
 * `nics` numbers. */
uint32_t vc_emit_query_at(vc *, ir_module *, uint32_t nics, vt_buf *); /* the next number */

#endif

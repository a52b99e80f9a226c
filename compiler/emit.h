/* emit.h - inside the emitter: one C file under construction. */
#ifndef EMIT_H
#define EMIT_H

#include "vc.h"

typedef struct em_str { const char *s; uint32_t n; } em_str;

/*
 * A file is put together from sections, because tables name functions and functions name tables:
 * constants, prototypes, tables, pipelines, functions.
 */
typedef struct em {
	vc *c;
	const ir_module *m;
	vc_buf consts, protos, tables, pipes, funcs;
	em_str *strs; uint32_t nstrs;
	uint32_t *hash; uint32_t nhash;   /* open addressing over strs; 0 is free, else index + 1 */
	double *floats; uint32_t nfloats;
	uint32_t serial;                  /* numbers tables */
	uint32_t *nics;                   /* inline caches of the program */
	bool lines;                       /* #line for debuggers */
	const char *unit;                 /* C expression of the unit's address */
} em;

/* emit_const.c */
uint32_t em_string(em *, const char *s, uint32_t n);       /* number of the constant: s<N> */
const char *em_str_ref(em *, const char *s);               /* "(const vt_str *)&s12", or "NULL" */
const char *em_value(em *, const ir_const *);              /* C expression of a vt_value; not for IK_BIG */
void em_quote(vc_buf *, const char *, size_t);             /* a C string literal */
const char *em_literal(vc *, const char *);                /* the same, as a string */
const char *em_mangle(vc *, const char *prefix, const char *name); /* injective */

/* emit_func.c */
void em_function(em *, const ir_func *);
const char *em_func_name(em *, const ir_func *);

/* emit_direct.c */
int em_direct_args(const em *, const ir_func *);                 /* vt_code.direct_args, or -1: needs a scope of its own */

/* emit_pipe.c */
const char *em_pipe(em *, const ir_ins *);                 /* "&po3": the operations of the iterator */

/* emit_site.c */
const char *em_code(em *, const ir_func *);                /* "&c_name", or "NULL" */
const char *em_site(em *, ir_site *);                      /* "&st7"; numbers its inline cache */

#endif

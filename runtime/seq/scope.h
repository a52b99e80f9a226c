/*
 * scope.h - the rare part of a scope: dynamic names, and what contexts of a host have.  scope.c and
 * context.c only.
 */
#ifndef VT_SEQ_SCOPE_H
#define VT_SEQ_SCOPE_H

#include "runtime/seq/seq.h"

typedef struct vt_scope_ext {
	vt_dict *vars; /* name -> value, or NULL */
	/* what def() made here, one function: its name, or NULL */
	const vt_str *fname;
	vt_value function;
	/* of the contract that runs in the scope and those below it, or NULL; borrowed */
	vt_cx *cx;
	/* of a context of a host: what it registered there, or NULL; drop frees it */
	void *table;
	void (*drop)(void *);
	/* of one that stands for others: these, counted; none of them has parts */
	vt_scope **part;
	uint32_t nparts;
	uint8_t hides;    /* enum vt_def_hides */
	uint8_t names_as; /* enum vt_names_as and one more; 0: as the context around it */
	/* all contexts of the session: see vt_contexts_break */
	vt_scope *next, **link;
} vt_scope_ext;

vt_scope_ext *vt_scope_ext_of(vt_scope *); /* is made when there is none */
/* $1 spelled as a name; 0 when the name is no number. */
uint32_t vt_scope_position(const vt_str *);

/* ---- context.c ---- */

void vt_context_fini(vt_scope_ext *);
/* Of the scope alone, borrowed; VT_UNDEF: it has none. */
vt_value vt_context_arg(const vt_scope *, uint32_t n);
vt_value vt_context_of_parts(const vt_scope *, const vt_str *name);
vt_value vt_context_function(const vt_scope *, const vt_str *name);

#endif

/* args.h - what a function of the registry gets: yaql.md 3.1. */
#ifndef VT_CORE_ARGS_H
#define VT_CORE_ARGS_H

#include "vt.h"

typedef struct vt_args vt_args;
typedef vt_status (*vt_fn)(vt_args *, vt_value *out);

/* What a registry function gets.  v has one bound value a standard parameter, in order. */
struct vt_args {
	vt_rt *rt;
	vt_scope *scope;              /* of the caller: the hidden Context parameter */
	const vt_unit *unit;          /* of the call */
	const vt_site *site;          /* or NULL for calls from C */
	const vt_fnrow *row;          /* or NULL for native methods */
	const vt_method_decl *method; /* native methods, else NULL */
	/* native methods, and functions of the host that are called as methods: the receiver */
	vt_value self;
	const vt_scope *from; /* functions of the host: the context that has it, or NULL */
	vt_value *v;          /* borrowed; lambdas for lazy parameters, MAPPING for rules */
	uint32_t nv;
	const vt_value *rest; /* *rest, borrowed */
	uint32_t nrest;
	vt_value kw; /* **kw: a dict, or VT_NULL */
};

#endif

/*
 * hot.h - a template that the simulated Heat builds: hot_eval.c has its functions, hot.c its
 * resources.
 */
#ifndef VT_SIM_HOT_H
#define VT_SIM_HOT_H

#include "runtime/sim/sim.h"

typedef struct hot {
	vt_sim *sim;
	vt_rt *rt;
	const char *region;
	vt_dict *stack;
	vt_value template, parameters, files;
	vt_value wanted; /* the template's resources, DICT or VT_NULL */
	vt_dict *made;   /* name -> resource */
	vt_dict *state;  /* name -> VT_FALSE: being made, VT_TRUE: made */
	char *why;       /* malloc'd: why the template is refused */
} hot;

/* ---- hot_eval.c ---- */

/* False; what is said first stays. */
bool hot_refuse(hot *, const char *fmt, ...) VT_PRINTF(2, 3);
bool hot_eval(hot *h, vt_value v, vt_value *out);
bool hot_property(hot *h, vt_value resource, const char *name, vt_value *out);

/* ---- hot.c ---- */

/* Makes the resource of that name, and first what it refers to, unless it is made. */
bool hot_make(hot *, vt_value name);

#endif

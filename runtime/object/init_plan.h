/*
 * init_plan.h - how objects of a class get their properties, as plans of the class say.
 */
#ifndef VT_OBJECT_INIT_PLAN_H
#define VT_OBJECT_INIT_PLAN_H

#include "runtime/core/dict.h"
#include "runtime/object/contract.h"
#include "runtime/object/maker.h"
#include "runtime/object/store.h"
#include "runtime/seq/seq.h"

/* One property that a part declares, as objects of the class have it. */
typedef struct vt_planned {
	const vt_prop_decl *decl;
	vt_propinfo p;
	int32_t slot;            /* -1: none */
	uint32_t takes;          /* values that need no contract */
	const vt_ic *seen;       /* nor do objects of the class in there */
	const vt_accept *accept; /* nor what this takes; or NULL */
	vt_value dflt; /* a Default that is one word for ever, or VT_NOVALUE; without one null */
	bool set; /* from the data or its Default: neither Config nor Static, nor Runtime without a
		     Default */
	bool own; /* dflt is freed with the plan */
	bool alone; /* it has one declaration, and a slot */
	bool stays; /* the contract has taken dflt as it is, as it always will */
	bool param; /* .init takes a parameter of that name */
	/* Where data of the shape seen last has it; the place + 1, or 0. */
	const vt_shape *shape;
	uint32_t at;
} vt_planned;

/* One of those that are set, in their order over all parts. */
struct flat_prop {
	vt_planned *p;
	struct vt_init_plan *of;
	bool last; /* of its part */
};

struct vt_init_plan {
	/* Of the class itself, where nothing but properties of the data is set: no Config, native
	 * constructor or .init in any part, and no name of a Runtime property twice. */
	bool is_flat;
	uint32_t nflat;
	struct flat_prop *flat;
	vt_class *part;
	const vt_method_decl *init;
	bool config;    /* there are Config properties */
	uint32_t names; /* as often as this may properties fail for want of another */
	uint32_t nprops;
	vt_planned *props;
	struct vt_init_plan **up; /* part->nparents */
	uint32_t nup;             /* the same: the plan may outlive the part */
};

typedef struct vt_init {
	vt_rt *rt;
	vt_load *l;
	vt_object *o;
	const vt_dict *params; /* or NULL */
	vt_value params_value;
	const vt_class_decl *calling;
} vt_init;

/* Only what is final whatever it is: a list that was just read is made a tuple on the way. */
static inline bool
vt_goes_in(vt_rt *rt, const vt_planned *p, vt_value v)
{
	return (vt_takes(v, p->takes) && vt_final_now(v)) || vt_sees_one(p->seen, v) ||
	       (p->accept != NULL && vt_may_accept(p->accept, v) && vt_settles(v) &&
		       vt_accepted(rt, p->accept, v));
}

/* ---- init_seen.c ---- */
/* By the contract of a property that nothing else declares and the object has not got yet. */
vt_status vt_set_alone(vt_init *, const vt_planned *, vt_value);
/* Of a model of a class that class() has seen: what the contract would do. */
vt_status vt_set_seen(vt_init *, vt_class *part, const vt_planned *, vt_value model);
/* Is the contract a list of class(), and the value one that begins with a model? */
bool vt_lists_objects(const vt_init *, const vt_planned *, vt_value);
vt_status vt_set_objects(vt_init *, vt_class *part, const vt_planned *, const vt_list *from);
/* Of an id, where the contract is class(): the object of the load, or a promise of it.  False: that
 * is for the contract. */
bool vt_set_reference(vt_init *, vt_class *part, const vt_planned *, vt_value id);
/* The first of the two, when all ids are known. */
bool vt_set_known(vt_rt *, vt_object *, const vt_planned *, vt_value id);

#endif

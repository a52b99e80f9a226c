/*
 * init_properties.c - the properties of an object that is being loaded: muranopl-engine.md PR6 to
 * PR12.
 *
 * An object is initialized class by class, each class handling the names it declares that no more
 * derived class has handled.  In a diamond the shared base is visited once per path, and so its
 * .init runs once per path: the reference does so, and packages live with it.
 *
 * What does not depend on the object is in a plan, made when the first object of the class comes: a
 * tree of parts, one a class of the hierarchy and path to it.  A value that the contract hands on
 * as it is goes to its slot at once.
 */
#include "runtime/object/store.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/object/contract.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/object/definition.h"
#include "runtime/object/init_plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct vt_init_plan plan;

/* Names already handled: slots of the object, and .init arguments that are no property. */
typedef struct vt_used {
	uint8_t *slot;
	const vt_str **other;
	uint32_t nother, n;
	uint8_t here[64];
} vt_used;

/* ---- plans ---- */

static int32_t
slot_of(const vt_class *c, const vt_str *name)
{
	for (uint32_t i = 0; i < c->nslots; i++)
		if (vt_str_eq(c->slots[i].name, name))
			return (int32_t)i;
	return -1;
}

static const vt_method_decl *
own_init(const vt_class *part)
{
	const vt_method_decl *m;
	for (uint32_t pos = 0; (m = vt_own_method(part, &pos)) != NULL;)
		if (strcmp(m->name->s, ".init") == 0)
			return m;
	return NULL;
}

static const vt_param_decl *
init_param(const vt_method_decl *init, const vt_str *name)
{
	for (uint32_t i = 0; init != NULL && i < init->nparams; i++)
		if (init->params[i].usage == VT_PARAM_STANDARD &&
			vt_str_eq(init->params[i].name, name))
			return &init->params[i];
	return NULL;
}

static const vt_ic no_class;

/* Of such a value nobody has to count references: what the code made is the plan's until that
 * goes, which no object outlives. */
static vt_value
plain_default(vt_rt *rt, const vt_code *dflt, bool *own)
{
	vt_value v = VT_UNDEF;
	if (dflt == NULL || (dflt->flags & VT_CODE_CONST) == 0)
		return VT_NOVALUE;
	if (vt_code_run(rt, dflt, NULL, &v) != VT_OK) {
		vt_exc_clear(rt);
		return VT_NOVALUE;
	}
	if (!vt_is_ptr(v) || vt_head_of(v)->rc >= VT_IMMORTAL)
		return v;
	if (vt_is(v, DICT) && vt_head_of(v)->rc == 1) {
		vt_head_of(v)->rc = VT_IMMORTAL;
		*own = true;
		return v;
	}
	vt_release(v);
	return VT_NOVALUE;
}

static __attribute__((cold)) vt_planned
plan_prop(vt_rt *rt, vt_class *cls, const vt_method_decl *init, const vt_prop_decl *d)
{
	vt_planned made = {.decl = d,
		.slot = slot_of(cls, d->name),
		.dflt = VT_NOVALUE,
		.seen = &no_class,
		.set = d->usage != VT_P_CONFIG && d->usage != VT_P_STATIC &&
		       (d->usage != VT_P_RUNTIME || d->dflt != NULL),
		.param = init_param(init, d->name) != NULL};
	(void)vt_class_symbol(cls, d->name, &made.p);
	if (made.set && !made.p.ambiguous && made.p.nall == 1 && made.p.slot == made.slot &&
		made.slot >= 0) {
		made.alone = true;
		made.takes = d->takes;
		made.accept = d->accept;
		if (d->seen != NULL && rt->ic != NULL)
			made.seen = vt_ic_at(rt, d->seen);
	}
	if (made.takes != 0 || made.accept != NULL)
		made.dflt = d->dflt != NULL ? plain_default(rt, d->dflt, &made.own) : VT_NULL;
	return made;
}

static __attribute__((cold)) plan *
plan_new(vt_rt *rt, vt_class *cls, vt_class *part)
{
	plan *p = vt_xmalloc(sizeof *p);
	*p = (plan){.part = part, .init = own_init(part), .nprops = part->decl->nprops};
	p->names = p->init != NULL ? p->init->nparams : 0;
	p->props = vt_xmalloc(p->nprops * sizeof *p->props);
	for (uint32_t i = 0; i < p->nprops; i++) {
		p->props[i] = plan_prop(rt, cls, p->init, part->decl->props[i]);
		p->config = p->config || part->decl->props[i]->usage == VT_P_CONFIG;
		p->names += !p->props[i].param;
	}
	p->nup = part->nparents;
	p->up = vt_xmalloc(part->nparents * sizeof(plan *));
	for (uint32_t i = 0; i < part->nparents; i++)
		p->up[i] = plan_new(rt, cls, part->parents[i]);
	return p;
}

__attribute__((cold)) void
vt_init_plan_free(struct vt_init_plan *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; i < p->nup; i++)
		vt_init_plan_free(p->up[i]);
	for (uint32_t i = 0; i < p->nprops; i++) {
		if (!p->props[i].own)
			continue;
		vt_head_of(p->props[i].dflt)->rc = 1;
		vt_release(p->props[i].dflt);
	}
	free(p->flat);
	free(p->up);
	free(p->props);
	free(p);
}

/* ---- names that were handled ---- */

static bool
is_used(const vt_used *u, int32_t slot, const vt_str *name)
{
	if (slot >= 0)
		return u->slot[slot] != 0;
	for (uint32_t i = 0; i < u->nother; i++)
		if (vt_str_eq(u->other[i], name))
			return true;
	return false;
}

static void
mark_used(vt_used *u, int32_t slot, const vt_str *name)
{
	u->n++;
	if (slot >= 0) {
		u->slot[slot] = 1;
		return;
	}
	vt_push(u->other, u->nother) = name;
}

static void
used_begin(vt_used *u, const vt_object *o)
{
	uint32_t n = o->cls->nslots;
	u->slot = n <= sizeof u->here ? u->here : vt_xmalloc(n);
	u->other = NULL;
	u->nother = u->n = 0;
	memset(u->slot, 0, n);
}

static void
used_end(vt_used *u)
{
	if (u->slot != u->here)
		free(u->slot);
	free(u->other);
}

/* ---- the properties of one part ---- */

static vt_value
param(const vt_init *in, const vt_str *name)
{
	vt_value v = in->params ? vt_dict_get_str(in->params, name) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NOVALUE : v;
}

/* The same for a property, whose place the plan remembers. */
static inline vt_value
given(const vt_init *in, vt_planned *p)
{
	const vt_dict *d = in->params;
	if (d == NULL || p->decl->usage == VT_P_RUNTIME)
		return VT_NOVALUE;
	if (d->shape == NULL)
		return param(in, p->decl->name);
	if (unlikely(d->shape != p->shape)) {
		p->shape = d->shape;
		p->at = (uint32_t)(vt_shape_slot(d->shape, p->decl->name) + 1);
	}
	return p->at > 0 ? d->v[p->at - 1] : VT_NOVALUE;
}

/* Config properties come from the class's configuration, whatever the model says. */
static vt_status
init_config(vt_init *in, const plan *p)
{
	for (uint32_t i = 0; p->config && i < p->nprops; i++) {
		const vt_prop_decl *d = p->props[i].decl;
		vt_value v;
		if (d->usage != VT_P_CONFIG)
			continue;
		v = vt_class_config(in->rt, p->part, d->name);
		v = v == VT_UNDEF ? VT_NOVALUE : v;
		VT_TRY(vt_init_property(in->rt, in->o, p->part, d, &p->props[i].p, v, in->calling));
	}
	return VT_OK;
}

/* *retry: it needs one that is not set yet. */
static __attribute__((cold)) vt_status
failed(vt_init *in, const vt_prop_decl *d, bool *retry)
{
	vt_exc *e = vt_pending(in->rt);
	vt_load_doubt(in->rt);
	*retry = e != NULL && e->type == VT_E_UNINITIALIZED;
	if (!*retry && !(e != NULL && e->type == VT_E_CONTRACT && d->usage == VT_P_RUNTIME))
		return VT_ERROR;
	vt_exc_clear(in->rt);
	return VT_OK;
}

/* The same of a list or dict that only the model holds. */
static inline bool
settles_in(vt_rt *rt, const vt_planned *p, vt_value v)
{
	if (p->takes & VT_TAKES_FINAL)
		return vt_settles_whole(v);
	return p->accept != NULL && vt_may_accept(p->accept, v) && vt_settles_whole(v) &&
	       vt_accepted(rt, p->accept, v);
}

/* Ids, of which a contract makes nothing but references. */
static bool
is_ids(vt_value v)
{
	vt_value key, value;
	if (vt_is(v, DICT)) {
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &value);)
			if (!vt_is(value, STR) && value != VT_NULL)
				return false;
		return true;
	}
	for (uint32_t i = 0; vt_is_sequence(v) && i < vt_as_list(v)->n; i++)
		if (!vt_is(vt_as_list(v)->v[i], STR) && vt_as_list(v)->v[i] != VT_NULL)
			return false;
	return vt_is(v, STR) || vt_is_sequence(v);
}

/* By the contract, which may give promises. */
static vt_status
run_property(vt_init *in, vt_class *part, const vt_planned *p, vt_value v)
{
	struct vt_store *s = vt_store_of(in->rt);
	uint64_t promises = s->promises;
	if (likely(p->alone && !in->o->initialized &&
		    (v != VT_NOVALUE || in->rt->s->config == VT_NULL)))
		VT_TRY(vt_set_alone(in, p, v));
	else
		VT_TRY(vt_init_property(in->rt, in->o, part, p->decl, &p->p, v, in->calling));
	if (likely(s->promises == promises))
		return VT_OK;
	if (is_ids(v) && in->l->at != UINT32_MAX)
		vt_load_owe(in->l, (vt_owed){.o = in->o,
					   .part = part,
					   .decl = p->decl,
					   .v = v,
					   .calling = in->calling});
	else
		vt_load_doubt(in->rt);
	s->promises = promises; /* they are none of whom it belongs to */
	return VT_OK;
}

/* By the contract, or as it would do it. */
static __attribute__((noinline)) vt_status
make_property(vt_init *in, vt_class *part, const vt_planned *p, vt_value v)
{
	if (in->o->initialized)
		return run_property(in, part, p, v);
	if (vt_is(v, DICT) && vt_loads_as(in->rt->s->store, v, p->seen))
		return vt_set_seen(in, part, p, v);
	if (vt_is(v, STR) && p->seen != &no_class && vt_set_reference(in, part, p, v))
		return VT_OK;
	if (vt_lists_objects(in, p, v))
		return vt_set_objects(in, part, p, vt_as_list(v));
	return run_property(in, part, p, v);
}

/* LEFT: a parent that declares it may set it. */
enum outcome { SET, RETRY, LEFT };

static inline vt_status
set_property(vt_init *in, vt_class *part, vt_planned *p, enum outcome *how)
{
	vt_value v = p->set ? given(in, p) : VT_NOVALUE, there = v;
	bool retry = false;
	*how = SET;
	if (likely(vt_takes(v, p->takes) && vt_final_now(v) && !in->o->initialized)) {
		vt_move(&in->o->v[p->slot], vt_copy(v)); /* most of them */
		return VT_OK;
	}
	if (v == VT_NOVALUE &&
		in->rt->s->config == VT_NULL) { /* the class's configuration comes first */
		there = p->dflt;
		if (likely(p->stays && !in->o->initialized)) {
			vt_move(&in->o->v[p->slot], vt_copy(there));
			return VT_OK;
		}
	}
	if (!p->set) {
		/* nothing: it keeps what it has */
	} else if (vt_is(there, LIST) ? settles_in(in->rt, p, there)
				      : vt_goes_in(in->rt, p, there)) {
		p->stays = v == VT_NOVALUE && there == p->dflt;
		if (!in->o->initialized)
			vt_move(&in->o->v[p->slot], vt_copy(there));
	} else if (make_property(in, part, p, v) != VT_OK) {
		VT_TRY(failed(in, p->decl, &retry));
		*how = retry ? RETRY : LEFT;
	}
	return VT_OK;
}

static vt_status
init_property(vt_init *in, vt_class *part, vt_planned *p, vt_used *u, bool *retry)
{
	enum outcome how;
	VT_TRY(set_property(in, part, p, &how));
	if (how == SET)
		mark_used(u, p->slot, p->decl->name);
	*retry = how == RETRY;
	return VT_OK;
}

/* Until every property is set: a default or contract may read others (PR9, PR11). */
static vt_status
init_properties(vt_init *in, plan *p, vt_used *u)
{
	uint32_t errors, last = p->names;
	do {
		errors = 0;
		for (uint32_t i = 0; i < p->nprops; i++) {
			vt_planned *d = &p->props[i];
			bool retry = false;
			if (d->param || is_used(u, d->slot, d->decl->name))
				continue;
			VT_TRY(init_property(in, p->part, d, u, &retry));
			errors += retry;
		}
		if (errors > 0 && errors >= last)
			return vt_raise(in->rt, VT_E_CIRCULAR, "%s", "");
		last = errors;
	} while (errors > 0);
	return VT_OK;
}

/* ---- what runs later ---- */

/* PR12: what .init takes from the parameters. Owned; VT_UNDEF without an .init. */
static vt_status
init_args(vt_init *in, const vt_method_decl *init, vt_used *u, vt_value *out)
{
	vt_dict *d;
	if (init == NULL)
		return VT_OK;
	d = vt_dict_new(in->rt, true);
	*out = vt_mkptr(d);
	for (uint32_t i = 0; i < init->nparams; i++) {
		const vt_param_decl *p = &init->params[i];
		int32_t slot = slot_of(in->o->cls, p->name);
		vt_value v = param(in, p->name);
		if (p->usage != VT_PARAM_STANDARD || is_used(u, slot, p->name))
			continue;
		mark_used(u, slot, p->name);
		if (v != VT_NOVALUE)
			VT_TRY(vt_dict_set(in->rt, d, vt_mkptr(p->name), v));
	}
	return VT_OK;
}

static bool
may_run(const vt_init *in)
{
	const struct vt_store *s = vt_store_of(in->rt);
	return !in->l->first_pass && !s->task->dry && !s->looks && !in->o->initialized &&
	       !in->o->destroyed;
}

static vt_native_fn
constructor(const vt_class *part)
{
	if (part->host != NULL && part->host->native_new != NULL)
		return part->host->native_new;
	if (part->native != NULL && part->native->native_new != NULL)
		return part->native->native_new;
	return part->decl->native_new;
}

/* ---- part by part ---- */

static vt_status init_part(vt_init *in, plan *, vt_used *u);

static vt_status
init_parents(vt_init *in, plan *p, vt_used *u)
{
	for (uint32_t i = 0; i < p->part->nparents; i++)
		VT_TRY(init_part(in, p->up[i], u));
	return VT_OK;
}

static vt_status
init_part_with(vt_init *in, plan *p, vt_used *u)
{
	bool whole = p->part == in->o->cls;
	vt_value args = VT_UNDEF;
	vt_status st;
	if (p->config || p->init != NULL || constructor(p->part) != NULL)
		vt_load_doubt(in->rt);
	VT_TRY(init_config(in, p));
	VT_TRY(init_properties(in, p, u));
	st = init_args(in, p->init, u, &args);
	if (st == VT_OK && constructor(p->part) != NULL && may_run(in) &&
		in->o->more->native == NULL)
		vt_load_later(in->l, (vt_pending_init){.o = in->o,
					     .native = constructor(p->part),
					     .args = vt_copy(in->params_value)});
	if (st == VT_OK)
		st = init_parents(in, p, u);
	if (st == VT_OK && (whole || p->init != NULL) && may_run(in))
		vt_load_later(in->l,
			(vt_pending_init){
				.o = in->o, .init = p->init, .args = vt_copy(args), .last = whole});
	vt_release(args);
	return st;
}

/* ---- all properties at once ---- */

static bool flatten(plan *root, plan *, vt_used *);

/* The order of init_part_with, as long as nothing fails. */
static __attribute__((cold)) bool
flatten_with(plan *root, plan *p, vt_used *u)
{
	uint32_t first = root->nflat;
	if (p->config || p->init != NULL || constructor(p->part) != NULL || p->nprops > 64)
		return false;
	for (uint32_t i = 0; i < p->nprops; i++) {
		vt_planned *d = &p->props[i];
		if (d->decl->usage == VT_P_RUNTIME && is_used(u, d->slot, d->decl->name))
			return false;
		if (is_used(u, d->slot, d->decl->name))
			continue;
		mark_used(u, d->slot, d->decl->name);
		if (d->set)
			vt_push(root->flat, root->nflat) = (struct flat_prop){d, p, false};
	}
	if (root->nflat > first)
		root->flat[root->nflat - 1].last = true;
	for (uint32_t i = 0; i < p->nup; i++)
		if (!flatten(root, p->up[i], u))
			return false;
	return true;
}

/* An empty set of used names is not shared with the ancestors: see init_part. */
static bool
flatten(plan *root, plan *p, vt_used *u)
{
	vt_object shape = {.cls = root->part};
	vt_used fresh;
	bool ok;
	if (u->n > 0)
		return flatten_with(root, p, u);
	used_begin(&fresh, &shape);
	ok = flatten_with(root, p, &fresh);
	used_end(&fresh);
	return ok;
}

/* As init_properties goes on: those of `left` want others to be set first. */
static __attribute__((noinline)) vt_status
set_left(vt_init *in, const struct flat_prop *first, uint64_t left)
{
	uint32_t last = first->of->names, errors = (uint32_t)__builtin_popcountll(left);
	while (errors > 0) {
		if (errors >= last)
			return vt_raise(in->rt, VT_E_CIRCULAR, "%s", "");
		last = errors;
		for (uint64_t t = left; t != 0; t &= t - 1) {
			uint32_t i = (uint32_t)__builtin_ctzll(t);
			enum outcome how;
			VT_TRY(set_property(in, first[i].of->part, first[i].p, &how));
			if (how != RETRY)
				left &= ~(UINT64_C(1) << i);
		}
		errors = (uint32_t)__builtin_popcountll(left);
	}
	return VT_OK;
}

static vt_status
init_flat(vt_init *in, plan *p)
{
	const struct flat_prop *at = p->flat, *end = at + p->nflat;
	while (at < end) {
		const struct flat_prop *first = at;
		uint64_t left = 0;
		do {
			enum outcome how;
			VT_TRY(set_property(in, at->of->part, at->p, &how));
			if (unlikely(how == RETRY))
				left |= UINT64_C(1) << (at - first);
		} while (!at++->last);
		if (unlikely(left != 0))
			VT_TRY(set_left(in, first, left));
	}
	if (!in->l->first_pass && may_run(in))
		vt_load_later(in->l, (vt_pending_init){.o = in->o, .args = VT_UNDEF, .last = true});
	return VT_OK;
}

/* ---- part by part, with what runs ---- */

/* An empty set of used names is not shared with the ancestors, as in the reference. */
static vt_status
init_part(vt_init *in, plan *p, vt_used *u)
{
	vt_used fresh;
	vt_status st;
	if (u->n > 0)
		return init_part_with(in, p, u);
	used_begin(&fresh, in->o);
	st = init_part_with(in, p, &fresh);
	used_end(&fresh);
	return st;
}

static plan *
plan_of(vt_rt *rt, vt_class *cls)
{
	vt_used none;
	none.n = 0;
	if (unlikely(cls->plan == NULL)) {
		cls->plan = plan_new(rt, cls, cls);
		cls->plan->is_flat = flatten(cls->plan, cls->plan, &none);
	}
	return cls->plan;
}

vt_status
vt_initialize(vt_rt *rt, vt_load *l, vt_object *o, vt_value params, const vt_class_decl *calling)
{
	vt_init in = {.rt = rt,
		.l = l,
		.o = o,
		.params = vt_is(params, DICT) ? vt_as_dict(params) : NULL,
		.params_value = vt_is(params, DICT) ? params : VT_NULL,
		.calling = calling};
	vt_used none;
	plan *p = plan_of(rt, o->cls);
	if (p->is_flat)
		return init_flat(&in, p);
	none.n = 0;
	return init_part(&in, p, &none);
}

/* ---- new() without a load: make.c runs it ---- */

void
vt_maker_free(vt_maker *m)
{
	free(m->props);
	free(m->image);
	free(m->quick);
	free(m->inits);
	free(m);
}

/* Which argument of new() has the name, or -1. */
static int32_t
given_as(const vt_str *name, uint32_t n, const vt_str *const *names)
{
	for (uint32_t i = 0; i < n; i++)
		if (vt_str_eq(names[i], name))
			return (int32_t)i;
	return -1;
}

static bool
plan_made(vt_maker *m, vt_planned *p, vt_class *part, uint32_t n, const vt_str *const *names)
{
	struct vt_made_prop made = {p, part, given_as(p->decl->name, n, names)};
	bool runtime = p->decl->usage == VT_P_RUNTIME;
	if (!p->set)
		return made.given < 0;
	if (p->slot < 0 || (runtime && made.given >= 0) ||
		(p->decl->dflt != NULL &&
			!(p->decl->dflt->flags & (VT_CODE_CONST | VT_CODE_LOOKS))))
		return false;
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 8;
		m->props = vt_xrealloc(m->props, m->cap * sizeof *m->props);
	}
	m->props[m->n++] = made;
	return true;
}

/* What init_args gives to .init; it runs behind those of the parents. */
static bool
plan_init(vt_maker *m, const vt_method_decl *init, vt_used *u, struct vt_made_init *made,
	uint32_t n, const vt_str *const *names)
{
	*made = (struct vt_made_init){.m = init};
	for (uint32_t i = 0; init != NULL && i < init->nparams; i++) {
		const vt_param_decl *p = &init->params[i];
		int32_t slot = slot_of(m->cls, p->name), given = given_as(p->name, n, names);
		if (p->usage != VT_PARAM_STANDARD || is_used(u, slot, p->name))
			continue;
		mark_used(u, slot, p->name);
		if (given < 0)
			continue;
		if (made->n == VT_MADE_ARGS)
			return false;
		made->arg[made->n].name = p->name;
		made->arg[made->n++].given = (uint32_t)given;
	}
	return true;
}

static bool plan_part(vt_maker *, plan *, vt_used *, uint32_t n, const vt_str *const *names);

/* A name belongs to the first part that declares it, in the order of init_part_with. */
static __attribute__((cold)) bool
plan_part_with(vt_maker *m, plan *p, vt_used *u, uint32_t n, const vt_str *const *names)
{
	struct vt_made_init init;
	if (p->config || constructor(p->part) != NULL)
		return false;
	for (uint32_t i = 0; i < p->nprops; i++) {
		vt_planned *d = &p->props[i];
		if (d->param || is_used(u, d->slot, d->decl->name))
			continue;
		if (!plan_made(m, d, p->part, n, names))
			return false;
		mark_used(u, d->slot, d->decl->name);
	}
	if (!plan_init(m, p->init, u, &init, n, names))
		return false;
	for (uint32_t i = 0; i < p->nup; i++)
		if (!plan_part(m, p->up[i], u, n, names))
			return false;
	if (p->init != NULL)
		vt_push(m->inits, m->ninits) = init;
	return true;
}

/* An empty set of used names is not shared with the ancestors: see init_part. */
static bool
plan_part(vt_maker *m, plan *p, vt_used *u, uint32_t n, const vt_str *const *names)
{
	vt_object shape = {.cls = m->cls};
	vt_used fresh;
	bool ok;
	if (u->n > 0)
		return plan_part_with(m, p, u, n, names);
	used_begin(&fresh, &shape);
	ok = plan_part_with(m, p, &fresh, n, names);
	used_end(&fresh);
	return ok;
}

/* Has each argument its place? What has none is no property: the load says so. */
static bool
all_are_taken(const vt_maker *m, uint32_t n)
{
	uint64_t taken = 0;
	for (uint32_t i = 0; i < m->n; i++)
		if (m->props[i].given >= 0)
			taken |= UINT64_C(1) << m->props[i].given;
	for (uint32_t i = 0; i < m->ninits; i++)
		for (uint32_t k = 0; k < m->inits[i].n; k++)
			taken |= UINT64_C(1) << m->inits[i].arg[k].given;
	return taken == (UINT64_C(1) << n) - 1;
}

/* Is it given anew to each copy, or a word that nobody counts and no contract changes? */
static bool
stays_in_image(vt_rt *rt, const struct vt_made_prop *d, const vt_value *constants)
{
	vt_value v = d->given < 0 ? d->p->dflt : constants[d->given];
	return (d->given >= 0 && v == VT_UNDEF) ||
	       (vt_goes_in(rt, d->p, v) && (!vt_is_ptr(v) || vt_head_of(v)->rc >= VT_IMMORTAL));
}

/* May each .init be called by its entry, with what is given to it, or with constants? */
static bool
inits_are_quick(const vt_maker *m)
{
	for (uint32_t i = 0; i < m->ninits; i++) {
		const struct vt_made_init *init = &m->inits[i];
		if (init->m->entry == NULL || init->m->nparams > VT_MADE_ARGS)
			return false;
		for (uint32_t k = 0, next = 0; k < init->m->nparams; k++) {
			const vt_param_decl *p = &init->m->params[k];
			if (next < init->n && init->arg[next].name == p->name)
				next++;
			else if (p->value == NULL && p->imm == 0)
				return false;
		}
	}
	return true;
}

/*
 * The object as it is before it is given anything, where its Defaults are words that nobody
 * counts: the next one is a copy of it.  So is what the site gives as a constant.  Its
 * order, its place among all objects and what it is given are set in the copy.
 */
static __attribute__((cold)) void
plan_image(vt_rt *rt, vt_maker *m, uint32_t first, const vt_value *constants)
{
	uint32_t size = (uint32_t)(sizeof(vt_object) + m->cls->nslots * sizeof(vt_value));
	vt_value *v;
	if (!inits_are_quick(m) || size > VT_SMALL || m->n > VT_QUICK_PROPS)
		return;
	for (uint32_t i = 0; i < m->n; i++)
		if (!stays_in_image(rt, &m->props[i], constants))
			return;
	m->size = size;
	m->first = first;
	m->image = vt_xmalloc(size);
	m->quick = vt_xmalloc(m->n * sizeof *m->quick);
	vt_object_blank(m->image, m->cls);
	m->image->h = (vt_head){VT_OBJ_BIAS + 1, VT_K_OBJECT, VT_F_FINAL, 0};
	m->image->initialized = m->ninits == 0;
	v = (vt_value *)(void *)(m->image + 1);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct vt_made_prop *d = &m->props[i];
		if (d->given < 0 || constants[d->given] != VT_UNDEF)
			v[d->p->slot] = d->given < 0 ? d->p->dflt : constants[d->given];
		else
			m->quick[m->nquick++] = (struct vt_quick_prop){(uint32_t)d->p->slot,
				first + (uint32_t)d->given, d->p->takes, d->p->seen, d->p->accept};
	}
}

__attribute__((cold)) vt_maker *
vt_maker_new(vt_rt *rt, vt_class *cls, uint32_t first, uint32_t n, const vt_str *const *names,
	const vt_value *constants)
{
	vt_maker *m = vt_xmalloc(sizeof *m);
	vt_used none;
	none.n = 0;
	*m = (vt_maker){.cls = cls};
	if (cls->destroys || cls->decl->is_meta || rt->s->config != VT_NULL ||
		!plan_part(m, plan_of(rt, cls), &none, n, names) || !all_are_taken(m, n))
		m->cls = NULL;
	else
		plan_image(rt, m, first, constants);
	return m;
}

/*
 * init_seen.c - models in properties whose contract is class(), or a list of it, without the
 * contract.
 *
 * Where the data looks like a model before it (definition.h) and class() has accepted its class,
 * the contract would load it and hand the object on.  So that is all that is done; whatever else
 * there is goes to the contract, and so does an object that turns out to be of another class.  The
 * same of ids: what they refer to is in the load, or promised.
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/object/contract.h"
#include "runtime/object/definition.h"
#include "runtime/object/init_plan.h"

#include <stdio.h>
#include <stdlib.h>

/* In front of the message of what has gone wrong below it; path: below the item, or NULL. */
static __attribute__((cold)) vt_status
name_place(vt_rt *rt, const vt_prop_decl *d, int64_t at, const char *path)
{
	const vt_exc *e = vt_pending(rt);
	char index[24] = "";
	if (e != NULL && e->type == VT_E_CONTRACT) {
		if (at >= 0)
			(void)snprintf(index, sizeof index, "[%lld]", (long long)at);
		vt_contract_prefix(rt, (const char *const[]){d->cls->name->s, ".", d->name->s,
					       index, path ? path : "", NULL});
	}
	return VT_ERROR;
}

/* What the contract would make of the model: class() asks for no more than its class. */
static vt_status
load_seen(vt_init *in, const vt_planned *p, vt_value model, vt_value *out)
{
	const vt_class_decl *calling = in->calling ? in->calling : p->decl->cls;
	const vt_unit *own = p->decl->cls->unit ? p->decl->cls->unit : &vt_core_unit;
	return vt_store_nested(in->rt, model, in->o, NULL, calling->unit, own->cls, out);
}

/* An id may be that of an object of another class: then the contract says so. */
static vt_status
set_loaded(vt_init *in, vt_class *part, const vt_planned *p, const vt_ic *seen, vt_value v)
{
	bool fits = vt_class_in(seen, VT_AS(vt_object, v)->cls);
	vt_status st = VT_OK;
	if (unlikely(!fits))
		st = vt_init_property(in->rt, in->o, part, p->decl, &p->p, v, in->calling);
	if (likely(fits))
		vt_move(&in->o->v[p->slot], v);
	else
		vt_release(v);
	return st;
}

vt_status
vt_set_seen(vt_init *in, vt_class *part, const vt_planned *p, vt_value model)
{
	vt_value made;
	if (load_seen(in, p, model, &made) != VT_OK)
		return name_place(in->rt, p->decl, -1, NULL);
	return set_loaded(in, part, p, p->seen, made);
}

bool
vt_lists_objects(const vt_init *in, const vt_planned *p, vt_value v)
{
	const vt_accept *a = p->accept;
	return a != NULL && a->kind == VT_ACCEPT_LIST && a->of->seen != NULL &&
	       a->of->check[0] == NULL && p->decl->item != NULL && in->rt->ic != NULL &&
	       vt_is_sequence(v) && vt_as_list(v)->n > 0 && vt_is(vt_as_list(v)->v[0], DICT);
}

/* By that contract of the property, or of its items: the value at that place, or -1. */
static vt_status
by_contract(vt_init *in, const vt_planned *p, vt_contract_fn contract, int64_t at, vt_value v,
	vt_value *out)
{
	const vt_prop_decl *d = p->decl;
	vt_contract_use u = {
		.contract = contract,
		.dflt = d->dflt,
		.cls = d->cls,
		.self = vt_mkptr(in->o),
		.owner = vt_mkptr(in->o),
		.calling_type = in->calling ? in->calling : d->cls,
		.mode = VT_C_TRANSFORM,
	};
	char *path = NULL;
	vt_status st = vt_contract_run(in->rt, &u, v, out, &path);
	if (st != VT_OK)
		(void)name_place(in->rt, d, at, path);
	free(path);
	return st;
}

vt_status
vt_set_alone(vt_init *in, const vt_planned *p, vt_value v)
{
	vt_value made = VT_UNDEF;
	VT_TRY(by_contract(in, p, p->decl->contract, -1, v, &made));
	vt_move(&in->o->v[p->slot], made);
	return VT_OK;
}

/* fit: are all that were loaded here of classes that class() has seen? */
static vt_status
make_items(vt_init *in, const vt_planned *p, const vt_list *from, vt_list *to, bool *fit)
{
	const vt_ic *ic = vt_ic_at(in->rt, p->accept->of->seen);
	const struct vt_store *s = in->rt->s->store;
	vt_value made = VT_UNDEF;
	for (uint32_t i = 0; i < from->n; i++) {
		vt_value v = from->v[i];
		if (!vt_loads_as(s, v, ic)) {
			VT_TRY(by_contract(in, p, p->decl->item, i, v, &made));
		} else if (load_seen(in, p, v, &made) == VT_OK) {
			*fit &= vt_class_in(ic, VT_AS(vt_object, made)->cls);
		} else {
			return name_place(in->rt, p->decl, i, NULL);
		}
		vt_list_push(in->rt, to, made);
		if (i == 0 && from->n >= VT_MANY_ITEMS)
			vt_load_expect(in->rt, from->n);
	}
	return VT_OK;
}

vt_status
vt_set_objects(vt_init *in, vt_class *part, const vt_planned *p, const vt_list *from)
{
	struct vt_store *s = in->rt->s->store;
	uint64_t promises = s->promises;
	vt_list *to = vt_list_grow(in->rt, VT_K_TUPLE, from->n);
	bool fit = true;
	vt_status st = make_items(in, p, from, to, &fit);
	if (s->promises != promises) { /* ids among them */
		vt_load_doubt(in->rt);
		s->promises = promises;
	}
	to->h.flags |= VT_F_FINAL;
	if (st == VT_OK && likely(fit)) {
		vt_move(&in->o->v[p->slot], vt_mkptr(to));
		return VT_OK;
	}
	if (st == VT_OK)
		st = vt_init_property(
			in->rt, in->o, part, p->decl, &p->p, vt_mkptr(to), in->calling);
	vt_release(vt_mkptr(to));
	return st;
}

bool
vt_set_known(vt_rt *rt, vt_object *o, const vt_planned *p, vt_value id)
{
	vt_load *l = rt->s->storing.load;
	vt_value v = vt_dict_get_str(l->ids, vt_as_str(id));
	if (v == VT_UNDEF || !vt_class_in(p->seen, VT_AS(vt_object, v)->cls) || o->initialized)
		return false;
	l->refers = true;
	vt_move(&o->v[p->slot], vt_copy(v));
	return true;
}

bool
vt_set_reference(vt_init *in, vt_class *part, const vt_planned *p, vt_value id)
{
	vt_load *l = in->l;
	const vt_dict *ids = in->rt->s->store->ids;
	if (l != in->rt->s->storing.load || in->o->initialized)
		return false;
	if (vt_set_known(in->rt, in->o, p, id))
		return true;
	if (!l->first_pass || l->at == UINT32_MAX)
		return false;
	if (l->up != NULL ? vt_store_peek(in->rt, vt_as_str(id)) != NULL
			  : ids->n > 0 && vt_dict_get_str(ids, vt_as_str(id)) != VT_UNDEF)
		return false;
	l->refers = true;
	vt_move(&in->o->v[p->slot], VT_OBJREF);
	vt_load_owe(l, (vt_owed){.o = in->o,
			       .part = part,
			       .decl = p->decl,
			       .v = id,
			       .calling = in->calling,
			       .p = p});
	return true;
}

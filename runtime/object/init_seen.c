/*
 * init_seen.c - models in properties whose contract is class(), or a list of it, without the
 * contract.
 *
 * Where the data looks like a model before it (definition.h) and class() has accepted its class,
 * the contract would load it and hand the object on.  So that is all that is done; whatever else
 * there is goes to the contract, and so does an object that turns out to be of another class.
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/object/contract.h"
#include "runtime/object/definition.h"
#include "runtime/object/init_plan.h"

#include <stdio.h>

/* In front of the message of what has gone wrong below it. */
static __attribute__((cold)) vt_status
name_place(vt_rt *rt, const vt_prop_decl *d, int64_t at)
{
	const vt_exc *e = vt_pending(rt);
	char index[24] = "";
	if (e != NULL && e->type == VT_E_CONTRACT) {
		if (at >= 0)
			(void)snprintf(index, sizeof index, "[%lld]", (long long)at);
		vt_contract_prefix(
			rt, (const char *const[]){d->cls->name->s, ".", d->name->s, index, NULL});
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
		return name_place(in->rt, p->decl, -1);
	return set_loaded(in, part, p, p->seen, made);
}

/* The cache of class() where the contract is a list of it, and the list has nothing but models of
 * classes in there; or NULL. */
const vt_ic *
vt_all_seen(const vt_init *in, const vt_planned *p, vt_value v)
{
	const struct vt_store *s = in->rt->s->store;
	const vt_accept *a = p->accept;
	const vt_ic *ic;
	if (a == NULL || a->kind != VT_ACCEPT_LIST || a->of->seen == NULL ||
		a->of->check[0] != NULL || in->rt->ic == NULL || !vt_is_sequence(v) ||
		vt_as_list(v)->n == 0)
		return NULL;
	ic = vt_ic_at(in->rt, a->of->seen);
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
		if (!vt_loads_as(s, vt_as_list(v)->v[i], ic))
			return NULL;
	return ic;
}

vt_status
vt_set_all_seen(
	vt_init *in, vt_class *part, const vt_planned *p, const vt_ic *ic, const vt_list *from)
{
	vt_list *to = vt_list_grow(in->rt, VT_K_TUPLE, from->n);
	vt_value made = VT_UNDEF;
	bool fit = true;
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < from->n; i++) {
		if (load_seen(in, p, from->v[i], &made) != VT_OK) {
			vt_release(vt_mkptr(to));
			return name_place(in->rt, p->decl, i);
		}
		fit &= vt_class_in(ic, VT_AS(vt_object, made)->cls);
		vt_list_push(in->rt, to, made);
		if (i == 0 && from->n >= VT_MANY_ITEMS)
			vt_load_expect(in->rt, from->n);
	}
	to->h.flags |= VT_F_FINAL;
	made = vt_mkptr(to);
	if (likely(fit)) {
		vt_move(&in->o->v[p->slot], made);
		return VT_OK;
	}
	st = vt_init_property(in->rt, in->o, part, p->decl, &p->p, made, in->calling);
	vt_release(made);
	return st;
}

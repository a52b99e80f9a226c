/*
 * make.c - new() without a load, as the maker of a site says: a copy of an image, or property by
 * property.
 */
#include "runtime/object/init_plan.h"

#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

/* Does every declaration only look at what it is given? An object that is given may be asked for
 * its class. */
static bool
is_pure(const vt_propinfo *p, bool object)
{
	if (p->ambiguous)
		return false;
	for (uint32_t i = 0; i < p->nall; i++)
		if (!(p->all[i]->pure & (object ? 3 : 1)))
			return false;
	return true;
}

/* The value that the property goes by, and whether it is one that needs no contract. */
static inline bool
is_plain(vt_rt *rt, const struct vt_made_prop *d, const vt_value *given, vt_value *v)
{
	vt_value there = *v = d->given < 0 ? VT_NOVALUE : given[d->given];
	if (there == VT_NOVALUE)
		there = d->p->dflt;
	if (!vt_goes_in(rt, d->p, there))
		return false;
	*v = there;
	return true;
}

/* Nothing that is given has to be converted or loaded, and no default does more than look. */
static bool
may_make(vt_rt *rt, const vt_maker *m, const vt_value *given)
{
	vt_value v;
	for (uint32_t i = 0; i < m->n; i++)
		if (!is_plain(rt, &m->props[i], given, &v) &&
			((v != VT_NOVALUE && !vt_stays(v)) ||
				!is_pure(&m->props[i].p->p, vt_is(v, OBJECT))))
			return false;
	for (uint32_t i = 0; i < m->ninits; i++)
		for (uint32_t k = 0; k < m->inits[i].n; k++)
			if (!vt_stays(given[m->inits[i].arg[k].given]))
				return false;
	return true;
}

static vt_status
run_init(vt_rt *rt, const struct vt_made_init *init, vt_object *o, const vt_value *given)
{
	vt_value args = vt_mkptr(vt_dict_new(rt, true)), out = VT_UNDEF;
	vt_status st = VT_OK;
	for (uint32_t k = 0; st == VT_OK && k < init->n; k++)
		st = vt_dict_set(rt, vt_as_dict(args), vt_mkptr(init->arg[k].name),
			given[init->arg[k].given]);
	if (st == VT_OK)
		st = rt->s->calls->init(rt, init->m, vt_mkptr(o), args, &out);
	vt_release(args);
	vt_release(out);
	return st;
}

/* The same by its entry, where nothing that is given needs a contract.  False: something does. */
static bool
init_quickly(vt_rt *rt, const struct vt_made_init *init, vt_object *o, const vt_value *given,
	vt_status *st)
{
	const vt_method_decl *m = init->m;
	vt_value v[VT_MADE_ARGS], out = VT_UNDEF;
	bool was;
	for (uint32_t k = 0, next = 0; k < m->nparams; k++) {
		const vt_param_decl *p = &m->params[k];
		if (next == init->n || init->arg[next].name != p->name) {
			v[k] = p->value != NULL ? vt_mkptr(p->value) : p->imm;
			continue;
		}
		v[k] = given[init->arg[next++].given];
		if (v[k] == VT_UNDEF || (!(vt_takes(v[k], p->takes) && vt_final_now(v[k])) &&
						!(p->seen != NULL && vt_sees_one(p->seen, v[k]))))
			return false;
	}
	was = vt_writes_allowed(rt, 1);
	*st = m->entry(rt, NULL, vt_mkptr(o), v, &out);
	vt_writes_allowed(rt, was);
	vt_release(out);
	return true;
}

/* Those of the parents first.  They see the store as it was before new(). */
static vt_status
run_inits(vt_rt *rt, const vt_maker *m, vt_object *o, const vt_value *given)
{
	vt_status st = VT_OK;
	vt_load_doubt(rt);
	for (uint32_t i = 0; i < m->ninits && st == VT_OK; i++)
		if (m->image == NULL || rt->s->mocks != NULL ||
			!init_quickly(rt, &m->inits[i], o, given, &st))
			st = run_init(rt, &m->inits[i], o, given);
	return st;
}

/* Its place in the order comes behind what .init makes, as a load has it. */
static vt_status
finish(vt_rt *rt, const vt_maker *m, vt_object *o, const vt_value *given, vt_value *out)
{
	o->order = 0;
	if (run_inits(rt, m, o, given) != VT_OK) {
		vt_store_forget(rt, o);
		vt_clear(out);
		return VT_ERROR;
	}
	o->initialized = 1;
	o->order = ++vt_store_of(rt)->norder;
	return VT_OK;
}

/* Does what is given lie in the object as it is? */
static bool
fits(vt_rt *rt, const vt_maker *m, const vt_value *argv)
{
	for (const struct vt_quick_prop *q = m->quick, *end = q + m->nquick; q < end; q++) {
		vt_value v = argv[q->arg];
		if (v == VT_UNDEF ||
			(!(vt_takes(v, q->takes) && vt_final_now(v)) && !vt_sees_one(q->seen, v) &&
				!(q->accept != NULL && vt_may_accept(q->accept, v) &&
					vt_settles(v) && vt_accepted(rt, q->accept, v))))
			return false;
	}
	for (uint32_t i = 0; i < m->ninits; i++)
		for (uint32_t k = 0; k < m->inits[i].n; k++)
			if (argv[m->first + m->inits[i].arg[k].given] == VT_UNDEF ||
				!vt_final_now(argv[m->first + m->inits[i].arg[k].given]))
				return false;
	return true;
}

static inline void
fill_copy(struct vt_store *s, vt_object *o, uint8_t where, const vt_maker *m, const vt_value *argv)
{
	vt_object_copy(s, o, m->image, where);
	for (const struct vt_quick_prop *q = m->quick, *end = q + m->nquick; q < end; q++)
		o->v[q->slot] = vt_copy(argv[q->arg]);
}

/* Where something has to be asked first: whether a value fits, for garbage, or for more of the
 * heap. */
static __attribute__((noinline)) vt_status
make_copy_slowly(vt_rt *rt, vt_scope *sc, const vt_site *site, const vt_maker *m,
	const vt_value *argv, vt_value *out)
{
	struct vt_store *s = rt->s->store;
	vt_object *o;
	if (rt->s->storing.dry || s->looks || rt->s->drawn != NULL || !fits(rt, m, argv))
		return rt->s->calls->call(rt, sc, site, VT_UNDEF, argv, out);
	if (s->nmade >= s->room)
		vt_store_room(rt);
	o = vt_heap_take(rt->s->heap, m->size, VT_K_OBJECT, VT_F_FINAL);
	fill_copy(s, o, o->h.flags, m, argv);
	*out = vt_mkptr(o);
	return m->ninits > 0 ? finish(rt, m, o, argv + m->first, out) : VT_OK;
}

/* It calls nothing that returns to it, so that nothing has to be kept in between. */
vt_status
vt_make_copy(vt_rt *rt, vt_scope *sc, const vt_site *site, const vt_maker *m, const vt_value *argv,
	vt_value *out)
{
	struct vt_store *s = rt->s->store;
	vt_object *o;
	for (const struct vt_quick_prop *q = m->quick, *end = q + m->nquick; q < end; q++) {
		vt_value v = argv[q->arg];
		if (!(vt_is_int(v) && (q->takes & 1)) && !vt_sees_one(q->seen, v) &&
			!(vt_is(v, STR) && vt_takes(v, q->takes)))
			return make_copy_slowly(rt, sc, site, m, argv, out);
	}
	if (unlikely(rt->s->storing.dry || s->looks || rt->s->drawn != NULL || m->ninits > 0 ||
		     s->nmade >= s->room || (o = vt_heap_at_hand(rt->s->heap, m->size)) == NULL))
		return make_copy_slowly(rt, sc, site, m, argv, out);
	fill_copy(s, o, 0, m, argv);
	*out = vt_mkptr(o);
	return VT_OK;
}

int
vt_make(vt_rt *rt, const vt_maker *m, const vt_unit *caller, vt_object *owner,
	const vt_value *given, vt_value *out)
{
	vt_object *o;
	vt_value v;
	vt_exc *e;
	bool again;
	if (m->cls == NULL || rt->s->storing.dry || vt_store_of(rt)->looks ||
		!may_make(rt, m, given))
		return -1;
	o = vt_object_bare(rt, m->cls);
	vt_object_owned(o, owner);
	*out = vt_copy(vt_mkptr(o));
	o->initialized = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct vt_made_prop *d = &m->props[i];
		if (is_plain(rt, d, given, &v)) {
			o->v[d->p->slot] = vt_copy(v);
			continue;
		}
		if (vt_init_property(rt, o, d->part, d->p->decl, &d->p->p, v,
			    caller ? caller->cls : NULL) == VT_OK)
			continue;
		e = vt_pending(rt);
		/* Others may be set first, or it may stay unset: the long way knows. */
		again = e != NULL &&
			(e->type == VT_E_UNINITIALIZED || d->p->decl->usage == VT_P_RUNTIME);
		if (again)
			vt_exc_clear(rt);
		vt_clear(out);
		return again ? -1 : VT_ERROR;
	}
	if (m->ninits == 0) {
		o->initialized = 1;
		return VT_OK;
	}
	return finish(rt, m, o, given, out);
}

/*
 * casts.c - what cast() and super() give where it is only called, or asked for properties.
 *
 * Emitted code has the object itself then, and beside it the class that it is seen as.  The caches
 * of its sites know such a receiver by the class, as they know a cast: three up.  The cache of
 * cast() knows the class of its object, six up, once the library's function has answered here: the
 * target is what objects of that class are seen as, aux the type that was asked for.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/base.h"
#include "runtime/object/object.h"

static const void *
key_of_cast(vt_value object)
{
	return (const char *)VT_AS(vt_object, object)->cls + 6;
}

/* What the library's function has found here for objects of the class; or NULL. */
static __attribute__((noinline)) const vt_ic *
cast_found(vt_rt *rt, const vt_site *s, vt_ic *ic, vt_value object)
{
	const vt_ic *found = vt_found_by(rt, s, key_of_cast(object));
	if (found != NULL)
		*ic = *found;
	return found;
}

vt_status
vt_see_as(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_value *argv, vt_class **as,
	vt_value *out)
{
	vt_ic *ic = cache_of(rt, s);
	vt_value type = argv[1] != VT_UNDEF ? argv[1] : constant_of(&s->args[1]);
	*as = NULL;
	if (likely(ic != NULL && vt_is(argv[0], OBJECT) && !any_functions(sc) && !vt_metered(rt)) &&
		(ic->key == key_of_cast(argv[0]) || cast_found(rt, s, ic, argv[0]) != NULL) &&
		ic->aux == type) {
		vt_class *c = ic->target;
		*as = c->decl == VT_AS(vt_object, argv[0])->cls->decl ? NULL : c;
		*out = vt_copy(argv[0]);
		return VT_OK;
	}
	return vt_call(rt, sc, s, VT_UNDEF, argv, out);
}

static const vt_ic *
found_as(vt_rt *rt, const vt_site *s, const vt_class *as)
{
	const vt_ic *ic = cache_of(rt, s);
	const void *key = (const char *)as + 3;
	return ic == NULL || ic->key == key ? ic : vt_found_by(rt, s, key);
}

vt_status
vt_call_as(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_class *as, vt_value recv,
	const vt_value *argv, vt_value *out)
{
	const vt_ic *ic = as != NULL ? found_as(rt, s, as) : NULL;
	vt_value cast;
	vt_status st;
	if (ic != NULL && ic->aux) {
		st = vt_plain_method(rt, s, ic, recv, argv, out);
		return likely(st != VT_ERROR) ? st : vt_placed(rt, s);
	}
	if (as == NULL)
		return vt_call(rt, sc, s, recv, argv, out);
	cast = vt_upcast(rt, VT_AS(vt_object, recv), as);
	st = vt_call(rt, sc, s, cast, argv, out);
	vt_release(cast);
	return st;
}

vt_status
vt_attr_as(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_class *as, vt_value a, vt_value *out)
{
	const vt_ic *ic = as != NULL ? found_as(rt, s, as) : NULL;
	vt_value cast;
	vt_status st;
	if (ic != NULL && ic->aux != 0 && ic->aux2 == (uintptr_t)VT_AS(vt_object, a)->cls &&
		VT_AS(vt_object, a)->v[ic->aux - 1] != VT_UNDEF) {
		*out = vt_copy(VT_AS(vt_object, a)->v[ic->aux - 1]);
		return VT_OK;
	}
	if (as == NULL)
		return vt_attr(rt, sc, s, a, out);
	cast = vt_upcast(rt, VT_AS(vt_object, a), as);
	st = vt_attr(rt, sc, s, cast, out);
	vt_release(cast);
	return st;
}

__attribute__((cold)) vt_status
vt_refuse_as(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_class *as, vt_value recv)
{
	vt_value cast = as != NULL ? vt_upcast(rt, VT_AS(vt_object, recv), as) : vt_copy(recv);
	vt_status st = vt_refuse(rt, sc, s, cast);
	vt_release(cast);
	return st;
}

/* ---- super() ---- */

enum { MOST_PARENTS = 3 }; /* target, aux and aux2 of a cache */

static vt_class *
known_parent(const vt_ic *ic, uint32_t i)
{
	return i == 0 ? ic->target : (vt_class *)(uintptr_t)(i == 1 ? ic->aux : ic->aux2);
}

/* False: the object has not as many parents, or cannot be seen as all of them. */
static __attribute__((noinline)) bool
find_parents(vt_class *of, const vt_class_decl *code, uint32_t n, vt_ic *ic)
{
	vt_class *mine = code != NULL ? vt_class_seen(of, code) : NULL,
		 *seen[MOST_PARENTS] = {NULL};
	if (mine == NULL || mine->nparents != n || n > MOST_PARENTS)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		seen[k] = vt_class_seen(of, mine->parents[k]->decl);
		if (seen[k] == NULL || seen[k]->decl == of->decl)
			return false;
	}
	*ic = (vt_ic){.key = of,
		.target = seen[0],
		.aux = (uintptr_t)seen[1],
		.aux2 = (uintptr_t)seen[2]};
	return true;
}

/* The sites of all parents may be one. */
vt_class *
vt_parent_of(vt_rt *rt, const vt_site *s, vt_value object, uint32_t i, uint32_t n)
{
	vt_ic *ic = cache_of(rt, s);
	vt_class *of;
	if (unlikely(ic == NULL || !vt_is(object, OBJECT)))
		return NULL;
	of = VT_AS(vt_object, object)->cls;
	if (unlikely(ic->key != of) && !find_parents(of, s->unit->cls, n, ic))
		return NULL;
	return known_parent(ic, i);
}

vt_value
vt_parent_cast(vt_rt *rt, const vt_site *s, vt_value object, uint32_t i, uint32_t n)
{
	vt_class *as = vt_parent_of(rt, s, object, i, n);
	return as != NULL ? vt_upcast(rt, VT_AS(vt_object, object), as) : VT_UNDEF;
}

/* The site has found the library's function, so the type is known. */
int
vt_isa_learn(vt_rt *rt, const vt_site *s, vt_ic *known, vt_value a, vt_value *out)
{
	vt_class *of = VT_AS(vt_object, a)->cls;
	vt_class *type = vt_unit_class(rt, s->unit, vt_as_str(constant_of(&s->args[1])));
	if (type == NULL) {
		(void)vt_forget(rt);
		return 0;
	}
	known->target = (void *)(uintptr_t)known->key;
	known->aux2 = known->aux;
	known->key = of;
	known->aux = vt_class_is(of, type);
	*out = vt_mkbool(known->aux);
	return 1;
}

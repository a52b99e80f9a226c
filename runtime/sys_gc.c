/*
 * sys_gc.c - io.murano.system.GC, and what happens to objects that are no longer wanted (section
 * 9).
 *
 * Subscriptions are {"onDestruction": [{"subscriber": object, "handler": name}]} in
 * vt_object.dependencies. Whether an object is still held by a running method is not known yet, so
 * GC.collect() destroys nothing; at the end of a session, when nothing runs, vt_store_sweep
 * destroys what the root does not hold.
 */
#include "vti.h"

#include <stdlib.h>
#include <string.h>

vt_value
vt_subscription(vt_rt *rt, vt_object *subscriber, vt_value handler)
{
	vt_dict *d = vt_dict_new(rt, true);
	vt_dict_set_c(rt, d, "subscriber", vt_copy(vt_mkptr(subscriber)));
	vt_dict_set_c(rt, d, "handler", vt_copy(handler));
	return vt_mkptr(d);
}

static vt_value
subscriptions(const vt_object *o)
{
	vt_value v = vt_is(o->dependencies, DICT)
			     ? vt_dict_get_c(vt_as_dict(o->dependencies), "onDestruction")
			     : VT_UNDEF;
	return vt_is_sequence(v) ? v : VT_UNDEF;
}

static uint32_t
nsubscriptions(const vt_object *o)
{
	vt_value v = subscriptions(o);
	return v == VT_UNDEF ? 0 : vt_as_list(v)->n;
}

static vt_object *
subscriber_of(vt_value entry)
{
	vt_value v = vt_is(entry, DICT) ? vt_dict_get_c(vt_as_dict(entry), "subscriber") : VT_UNDEF;
	return vt_is(v, OBJECT) || vt_is(v, CAST) ? vt_obj_of(v) : NULL;
}

static vt_value
handler_of(vt_value entry)
{
	vt_value v = vt_is(entry, DICT) ? vt_dict_get_c(vt_as_dict(entry), "handler") : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

static int64_t
find_subscription(const vt_object *o, const vt_object *who, vt_value handler)
{
	for (uint32_t i = 0; i < nsubscriptions(o); i++) {
		vt_value e = vt_as_list(subscriptions(o))->v[i];
		if (subscriber_of(e) == who && vt_eq(handler_of(e), handler))
			return i;
	}
	return -1;
}

/* The list without entry `drop` and with `add` (owned, or VT_UNDEF) behind. */
static void
change_subscriptions(vt_rt *rt, vt_object *o, int64_t drop, vt_value add)
{
	uint32_t n = nsubscriptions(o);
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, n + 1);
	vt_dict *d = vt_dict_new(rt, true);
	for (uint32_t i = 0; i < n; i++)
		if (i != drop)
			vt_list_push(rt, l, vt_copy(vt_as_list(subscriptions(o))->v[i]));
	if (add != VT_UNDEF)
		vt_list_push(rt, l, add);
	vt_dict_set_c(rt, d, "onDestruction", vt_mkptr(l));
	vt_move(&o->dependencies, vt_mkptr(d));
}

static bool
is_object(vt_value v)
{
	return vt_is(v, OBJECT) || vt_is(v, CAST);
}

static vt_status
want_objects(vt_args *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_object(a->v[i]))
			return vt_raise(a->rt, VT_E_NO_MATCHING_METHOD,
				"No method \"%s\" for receiver "
				"*MuranoClass(io.murano.system.GC/0.0.0) matches supplied "
				"arguments",
				a->method->name->s);
	return VT_OK;
}

/* publisher, subscriber, and a handler that the subscriber has. */
static vt_status
check_subscription(vt_args *a)
{
	bool ambiguous;
	vt_value handler = a->v[2];
	VT_TRY(want_objects(a, 2));
	if (!vt_truth(handler))
		return VT_OK;
	if (!vt_is(handler, STR))
		return vt_raise(a->rt, VT_E_TYPE, "the handler must be the name of a method");
	if (vt_class_method(a->rt, vt_cls_of(a->v[1]), vt_as_str(handler), &ambiguous) == NULL)
		return ambiguous ? VT_ERROR
				 : vt_raise(a->rt, VT_E_NO_METHOD_NAME,
					   "Method \"%s\" is not found", vt_as_str(handler)->s);
	return VT_OK;
}

vt_status
vt_sys_gc_subscribe(vt_args *a, vt_value *out)
{
	vt_object *o, *who;
	VT_TRY(check_subscription(a));
	o = vt_obj_of(a->v[0]);
	who = vt_obj_of(a->v[1]);
	if (find_subscription(o, who, a->v[2]) < 0)
		change_subscriptions(a->rt, o, -1, vt_subscription(a->rt, who, a->v[2]));
	*out = VT_NULL;
	return VT_OK;
}

vt_status
vt_sys_gc_unsubscribe(vt_args *a, vt_value *out)
{
	int64_t i;
	VT_TRY(check_subscription(a));
	i = find_subscription(vt_obj_of(a->v[0]), vt_obj_of(a->v[1]), a->v[2]);
	if (i >= 0)
		change_subscriptions(a->rt, vt_obj_of(a->v[0]), i, VT_UNDEF);
	*out = VT_NULL;
	return VT_OK;
}

vt_status
vt_sys_gc_collect(vt_args *a, vt_value *out)
{
	*out = VT_NULL;
	return VT_OK;
}

vt_status
vt_sys_gc_is_doomed(vt_args *a, vt_value *out)
{
	VT_TRY(want_objects(a, 1));
	*out = vt_mkbool(vt_obj_of(a->v[0])->destroyed || vt_obj_of(a->v[0])->doomed);
	return VT_OK;
}

vt_status
vt_sys_gc_is_destroyed(vt_args *a, vt_value *out)
{
	VT_TRY(want_objects(a, 1));
	*out = vt_mkbool(vt_obj_of(a->v[0])->destroyed);
	return VT_OK;
}

/* ---- the sweep
 * --------------------------------------------------------------------------------------------- */

/* index: id -> position in v. */
struct sweep {
	vt_object **v;
	uint32_t n;
	uint32_t *rank;
	vt_dict *index;
};

enum { CANDIDATE = 2 }; /* in vt_object.doomed, while no code of the program runs */

/* What serialization reaches from a value: properties of the written kinds only. */
static void
mark(vt_rt *rt, vt_value v, vt_dict *seen)
{
	vt_value key, item;
	if (is_object(v)) {
		vt_object *o = vt_obj_of(v);
		if (vt_dict_get(seen, o->id) != VT_UNDEF || rt->depth >= rt->max_depth)
			return;
		(void)vt_dict_set(rt, seen, o->id, VT_TRUE);
		rt->depth++;
		for (uint32_t i = 0; i < o->cls->nslots; i++)
			if (o->cls->slots[i].decl->usage != VT_P_RUNTIME &&
				o->cls->slots[i].decl->usage != VT_P_CONFIG)
				mark(rt, o->v[i], seen);
		rt->depth--;
	} else if (vt_is_sequence(v)) {
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			mark(rt, vt_as_list(v)->v[i], seen);
	} else if (vt_is(v, SET)) {
		for (uint32_t i = 0; vt_set_at(vt_as_set(v), &i, &item);)
			mark(rt, item, seen);
	} else if (vt_is(v, DICT)) {
		for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &item);)
			mark(rt, item, seen);
	}
}

static int64_t
index_in(const struct sweep *s, const vt_object *o)
{
	vt_value i = vt_dict_get(s->index, o->id);
	return i == VT_UNDEF ? -1 : vt_toint(i);
}

/* One more than the highest rank of who wants to hear of it: owner and subscribers. */
static uint32_t
rank(struct sweep *s, const vt_object *o, uint32_t depth)
{
	int64_t i = o ? index_in(s, o) : -1;
	uint32_t m = 0, r;
	if (i < 0 || depth > s->n)
		return 0;
	if (s->rank[i] != 0)
		return s->rank[i];
	m = rank(s, o->owner, depth + 1);
	for (uint32_t k = 0; k < nsubscriptions(o); k++) {
		r = rank(s, subscriber_of(vt_as_list(subscriptions(o))->v[k]), depth + 1);
		m = r > m ? r : m;
	}
	return s->rank[i] = m + 1;
}

/* Errors of handlers and destructors are told and forgotten (G2). */
static void
mute(vt_rt *rt, vt_status st, const char *what, const vt_object *o)
{
	vt_value e;
	vt_buf b = {0};
	if (st == VT_OK)
		return;
	e = vt_exc_take(rt);
	vt_exc_str(rt, &b, VT_AS(vt_exc, e));
	fprintf(stderr, "vetro: %s of %s %s failed: %.*s\n", what, o->cls->decl->name->s,
		vt_as_str(o->id)->s, (int)b.n, b.p ? b.p : "");
	vt_buf_free(&b);
	vt_release(e);
}

static void
signal_one(vt_rt *rt, vt_object *o, vt_value entry)
{
	vt_object *who = subscriber_of(entry);
	vt_value name = handler_of(entry), arg = vt_mkptr(o), out = VT_UNDEF;
	const vt_method_decl *m;
	bool ambiguous, was;
	vt_status st = VT_ERROR;
	if (who == NULL || !who->initialized || who->destroyed || !vt_is(name, STR))
		return;
	m = vt_class_method(rt, who->cls, vt_as_str(name), &ambiguous);
	if (m == NULL && !ambiguous)
		return;
	was = vt_writes_allowed(rt, 0);
	if (m != NULL)
		st = vt_invoke(rt, NULL, m, vt_mkptr(who), 1, &arg, VT_NULL, &out);
	vt_writes_allowed(rt, was);
	vt_release(out);
	mute(rt, st, "destruction handler", o);
}

static void
signal_all(vt_rt *rt, vt_object *o)
{
	vt_value list = o->destroyed ? VT_UNDEF : vt_copy(subscriptions(o));
	if (list == VT_UNDEF)
		return;
	for (uint32_t i = 0; i < vt_as_list(list)->n; i++)
		signal_one(rt, o, vt_as_list(list)->v[i]);
	vt_release(list);
	vt_move(&o->dependencies, VT_NULL);
}

/* Its own .destroy first, then those of its ancestors. */
static void
destroy(vt_rt *rt, vt_object *o)
{
	const vt_method_decl *m;
	bool was = vt_writes_allowed(rt, 0);
	for (uint32_t i = 0; !o->destroyed && i < o->cls->nlinear; i++)
		for (uint32_t pos = 0; (m = vt_own_method(o->cls->linear[i], &pos)) != NULL;) {
			vt_value out = VT_UNDEF;
			if (strcmp(m->name->s, ".destroy") != 0)
				continue;
			mute(rt, vt_invoke(rt, NULL, m, vt_mkptr(o), 0, NULL, VT_NULL, &out),
				".destroy", o);
			vt_release(out);
		}
	o->destroyed = 1;
	vt_writes_allowed(rt, was);
}

static void
sweep_all(vt_rt *rt, struct sweep *s)
{
	uint32_t top = 0;
	s->rank = vt_xmalloc((s->n + 1) * sizeof *s->rank);
	memset(s->rank, 0, (s->n + 1) * sizeof *s->rank);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t r = rank(s, s->v[i], 0);
		top = r > top ? r : top;
		s->v[i]->doomed = 1;
	}
	for (uint32_t r = 1; r <= top; r++)
		for (uint32_t i = 0; i < s->n; i++)
			if (s->rank[i] == r)
				signal_all(rt, s->v[i]);
	for (uint32_t r = top; r > 0; r--)
		for (uint32_t i = 0; i < s->n; i++)
			if (s->rank[i] == r)
				destroy(rt, s->v[i]);
	free(s->rank);
}

/* In the order in which their loads ended: what .init made comes before the object itself. */
static void
choose(vt_rt *rt, struct sweep *s, const vt_dict *seen, vt_object *since)
{
	const vt_dict *ids = vt_store_ids(rt);
	vt_value id, v;
	for (vt_object *o = NULL; (o = vt_object_at(rt, o)) != since;)
		o->doomed = CANDIDATE;
	s->v = vt_xmalloc((vt_dict_len(ids) + 1) * sizeof *s->v);
	for (uint32_t i = 0; vt_dict_at(ids, &i, &id, &v);) {
		vt_object *o = vt_obj_of(v);
		if (o->doomed == CANDIDATE && o->initialized && !o->destroyed &&
			!o->cls->decl->is_meta && vt_dict_get(seen, o->id) == VT_UNDEF)
			s->v[s->n++] = o;
	}
	for (vt_object *o = NULL; (o = vt_object_at(rt, o)) != since;)
		o->doomed = 0;
}

void
vt_store_sweep(vt_rt *rt, vt_value root)
{
	vt_store_sweep_since(rt, root, NULL);
}

void
vt_store_sweep_since(vt_rt *rt, vt_value root, vt_object *since)
{
	struct sweep s = {0};
	vt_dict *seen = vt_dict_new(rt, false);
	mark(rt, root, seen);
	choose(rt, &s, seen, since);
	s.index = vt_dict_new(rt, false);
	for (uint32_t i = 0; i < s.n; i++)
		(void)vt_dict_set(rt, s.index, s.v[i]->id, vt_mkint(i)); /* a string is hashable */
	sweep_all(rt, &s);
	vt_release(vt_mkptr(s.index));
	free(s.v);
	vt_release(vt_mkptr(seen));
}

/*
 * gc.c - io.murano.system.GC, and what happens to objects that are no longer wanted (section
 * 9).
 *
 * Subscriptions are {"onDestruction": [{"subscriber": object, "handler": name}]} in
 * vt_object.dependencies.  GC.collect() destroys what collect.c finds nobody to hold, in rounds,
 * since handlers and destructors drop more; at the end of a session vt_store_sweep destroys what
 * the model does not hold. Handlers hear of all objects of a round before any is destroyed.
 */
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/object/store.h"
#include "runtime/task/task.h"
#include "runtime/core/args.h"
#include "natives.h"

#include <stdlib.h>
#include <string.h>

vt_value
vt_subscription(vt_rt *rt, vt_object *subscriber, vt_value handler)
{
	vt_dict *d = vt_dict_new(rt, true);
	vt_store_of(rt)->ends = true;
	vt_dict_set_c(rt, d, "subscriber", vt_copy(vt_mkptr(subscriber)));
	vt_dict_set_c(rt, d, "handler", vt_copy(handler));
	return vt_mkptr(d);
}

static vt_value
subscriptions(const vt_object *o)
{
	vt_value v = vt_is(o->more->dependencies, DICT)
			     ? vt_dict_get_c(vt_as_dict(o->more->dependencies), "onDestruction")
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
	vt_move(&vt_object_own(o)->dependencies, vt_mkptr(d));
}

static bool
is_object(vt_value v)
{
	return vt_is(v, OBJECT) || vt_is(v, CAST);
}

static vt_status
bad_argument(vt_args *a, const char *name)
{
	return vt_raise(a->rt, VT_E_ARGUMENT, "Invalid argument %s", name);
}

static vt_status
want_object(vt_args *a)
{
	return is_object(a->v[0]) ? VT_OK : bad_argument(a, "object_");
}

/* publisher, subscriber, and a handler that the subscriber has. */
static vt_status
check_subscription(vt_args *a)
{
	bool ambiguous;
	vt_value handler = a->v[2];
	if (handler != VT_NULL && handler != VT_UNDEF && !vt_is(handler, STR))
		return bad_argument(a, "handler");
	for (int i = 1; i >= 0; i--)
		if (!is_object(a->v[i]))
			return bad_argument(a, i ? "subscriber" : "publisher");
	if (!vt_truth(handler))
		return VT_OK;
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
	vt_store_collect(a->rt);
	*out = VT_NULL;
	return VT_OK;
}

vt_status
vt_sys_gc_is_doomed(vt_args *a, vt_value *out)
{
	VT_TRY(want_object(a));
	*out = vt_mkbool(vt_obj_of(a->v[0])->destroyed || vt_obj_of(a->v[0])->doomed);
	return VT_OK;
}

vt_status
vt_sys_gc_is_destroyed(vt_args *a, vt_value *out)
{
	VT_TRY(want_object(a));
	*out = vt_mkbool(vt_obj_of(a->v[0])->destroyed);
	return VT_OK;
}

/* ---- the model: what serialization reaches ---- */

struct todo {
	vt_object **v;
	size_t n;
};

static void
add(struct todo *t, vt_object *o)
{
	vt_push(t->v, t->n) = o;
}

/* Objects in a value; values nest as deep as calls may. */
static void
reach_value(vt_rt *rt, struct todo *t, vt_value v)
{
	vt_value key, item;
	uint32_t pos = 0;
	if (is_object(v)) {
		if (!vt_obj_of(v)->held)
			add(t, vt_obj_of(v));
		vt_obj_of(v)->held = 1;
		return;
	}
	if (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR || rt->depth >= rt->max_depth)
		return;
	rt->depth++;
	if (vt_is_sequence(v))
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			reach_value(rt, t, vt_as_list(v)->v[i]);
	else if (vt_is(v, SET))
		while (vt_set_at(vt_as_set(v), &pos, &item))
			reach_value(rt, t, item);
	else if (vt_is(v, DICT))
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &item))
			reach_value(rt, t, item);
	rt->depth--;
}

/* `held` of what the model with that root is made of: properties of the written kinds only. */
static void
reach(vt_rt *rt, vt_value root)
{
	struct todo t = {0};
	for (vt_object *o = vt_object_at(rt, NULL); o != NULL; o = o->next)
		o->held = 0;
	reach_value(rt, &t, root);
	while (t.n > 0) {
		vt_object *o = t.v[--t.n];
		for (uint32_t i = 0; i < o->cls->nslots; i++)
			if (o->cls->slots[i].decl->usage != VT_P_RUNTIME &&
				o->cls->slots[i].decl->usage != VT_P_CONFIG)
				reach_value(rt, &t, o->v[i]);
	}
	free(t.v);
}

/* ---- the order: G3 ---- */

enum { UNKNOWN, RUNNING = UINT32_MAX };

/* The i-th of those that want to hear of it, its owner first; NULL when there are no more. */
static vt_object *
listener(const vt_object *o, uint32_t i)
{
	if (o->owner != NULL && i-- == 0)
		return o->owner;
	while (i < nsubscriptions(o)) {
		vt_object *who = subscriber_of(vt_as_list(subscriptions(o))->v[i++]);
		if (who != NULL)
			return who;
	}
	return NULL;
}

/* Not ranked yet, and in this round. */
static vt_object *
unranked_listener(const vt_object *o)
{
	vt_object *who;
	for (uint32_t i = 0; (who = listener(o, i)) != NULL; i++)
		if (who->doomed && who->rank == UNKNOWN)
			return who;
	return NULL;
}

static uint32_t
rank_above(const vt_object *o)
{
	vt_object *who;
	uint32_t m = 0;
	for (uint32_t i = 0; (who = listener(o, i)) != NULL; i++)
		if (who->doomed && who->rank != RUNNING && who->rank > m)
			m = who->rank;
	return m + 1;
}

/* One more than the highest rank of its listeners.  A chain of owners may be as long as a program
 * likes. */
static void
rank(struct todo *path, vt_object *o)
{
	vt_object *next;
	if (o->rank != UNKNOWN)
		return;
	o->rank = RUNNING;
	add(path, o);
	while (path->n > 0) {
		o = path->v[path->n - 1];
		if ((next = unranked_listener(o)) != NULL) {
			next->rank = RUNNING;
			add(path, next);
		} else {
			o->rank = rank_above(o);
			path->n--;
		}
	}
}

/* ---- destruction ---- */

/* Errors of handlers and destructors are reported and forgotten (G2). */
static void
mute(vt_rt *rt, vt_status st, const char *what, const vt_object *o)
{
	vt_value e;
	vt_buf b = {0};
	if (st == VT_OK)
		return;
	e = vt_exc_take(rt);
	if (rt->s->cloud != NULL && VT_AS(vt_exc, e)->type == VT_E_CLOUD)
		rt->s->cloud_left = true;
	vt_exc_str(rt, &b, VT_AS(vt_exc, e));
	vt_say("vetro: %s of %s %s failed: %.*s\n", what, o->cls->decl->name->s,
		vt_as_str(vt_object_id(o))->s, (int)b.n, b.p ? b.p : "");
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
		st = rt->s->calls->invoke(rt, NULL, m, vt_mkptr(who), 1, &arg, VT_NULL, &out);
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
	vt_move(&vt_object_own(o)->dependencies, VT_NULL);
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
			mute(rt,
				rt->s->calls->invoke(
					rt, NULL, m, vt_mkptr(o), 0, NULL, VT_NULL, &out),
				".destroy", o);
			vt_release(out);
		}
	vt_writes_allowed(rt, was);
}

/* One round: objects by rank, those of a rank in the order in which their loads ended. */
struct round {
	vt_object **v;
	uint32_t n, top;
	uint32_t *start; /* of each rank in v, 1 to top + 1 */
	void (*step)(vt_rt *, vt_object *);
};

static vt_status
branch(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	const struct round *r = data;
	(void)out;
	r->step(rt, r->v[i]);
	return VT_OK;
}

/* Where nothing would run for an object no task is started for it. Has anything run? */
static bool
run_rank(vt_rt *rt, const struct round *all, uint32_t k, void (*step)(vt_rt *, vt_object *))
{
	uint32_t from = all->start[k], to = all->start[k + 1];
	struct round r = {.v = vt_xmalloc((to - from + 1) * sizeof *r.v), .step = step};
	for (uint32_t i = from; i < to; i++)
		if (step == destroy ? all->v[i]->cls->destroys : nsubscriptions(all->v[i]) > 0)
			r.v[r.n++] = all->v[i];
	if (r.n == 1)
		step(rt, r.v[0]);
	else if (vt_run_all(rt, r.n, 0, branch, &r, &(vt_value){VT_UNDEF}) != VT_OK)
		vt_exc_clear(rt); /* cancelled: the session ends */
	free(r.v);
	return r.n > 0;
}

/* Doomed objects are those of the round. */
static void
put_in_order(struct round *r)
{
	struct todo path = {0};
	vt_object **v = vt_xmalloc((r->n + 1) * sizeof *v);
	for (uint32_t i = 0; i < r->n; i++)
		rank(&path, r->v[i]);
	free(path.v);
	for (uint32_t i = 0; i < r->n; i++)
		r->top = r->v[i]->rank > r->top ? r->v[i]->rank : r->top;
	r->start = vt_xzalloc((r->top + 3) * sizeof *r->start);
	for (uint32_t i = 0; i < r->n; i++)
		r->start[r->v[i]->rank + 2]++;
	for (uint32_t k = 2; k < r->top + 3; k++)
		r->start[k] += r->start[k - 1];
	for (uint32_t i = 0; i < r->n; i++)
		v[r->start[r->v[i]->rank + 1]++] = r->v[i];
	free(r->v);
	r->v = v;
}

/* Objects that GC.collect() destroyed are dead; at the end of a run they are only doomed. */
static void
bury(vt_rt *rt, const struct round *r, uint32_t k)
{
	for (uint32_t i = r->start[k]; i < r->start[k + 1]; i++) {
		r->v[i]->destroyed = 1;
		r->v[i]->h.flags |= VT_F_GONE;
		r->v[i]->doomed = 0;
	}
	vt_attributes_forget(rt);
}

/* Has anything run? */
static bool
run_round(vt_rt *rt, struct round *r, bool for_good)
{
	bool ran = false;
	put_in_order(r);
	for (uint32_t k = 1; k <= r->top; k++)
		ran |= run_rank(rt, r, k, signal_all);
	for (uint32_t k = r->top; k > 0; k--) {
		ran |= run_rank(rt, r, k, destroy);
		if (for_good)
			bury(rt, r, k);
	}
	free(r->start);
	free(r->v);
	return ran;
}

static int
by_order(const void *a, const void *b)
{
	const vt_object *x = *(vt_object *const *)a, *y = *(vt_object *const *)b;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool
is_sentenced(vt_rt *rt, const vt_object *o)
{
	return o->order > 0 && o->initialized && !o->destroyed && !o->doomed &&
	       !o->cls->decl->is_meta && vt_is_registered(rt, o);
}

/* What is not held, in the order in which loads ended: what .init made comes before the object
 * itself. */
static struct round
sentence(vt_rt *rt)
{
	struct round r = {0};
	for (vt_object *o = vt_object_at(rt, NULL); o != NULL; o = o->next) {
		if (o->held || !is_sentenced(rt, o))
			continue;
		o->rank = UNKNOWN;
		o->doomed = 1;
		vt_push(r.v, r.n) = o;
	}
	if (r.n == 0)
		return r;
	qsort(r.v, r.n, sizeof *r.v, by_order);
	return r;
}

static bool
is_doomed(const vt_object *o)
{
	return o->doomed != 0;
}

bool
vt_needs_destruction(const vt_object *o)
{
	return o->cls->destroys || nsubscriptions(o) > 0;
}

void
vt_forget_subscribers(vt_rt *rt, vt_object *o)
{
	for (uint32_t i = nsubscriptions(o); i > 0; i--) {
		vt_object *who = subscriber_of(vt_as_list(subscriptions(o))->v[i - 1]);
		if (who == NULL || !who->held)
			change_subscriptions(rt, o, i - 1, VT_UNDEF);
	}
}

static void
collect(vt_rt *rt)
{
	struct round r;
	uint64_t walked;
	vt_store_of(rt)->stale = false;
	do {
		walked = vt_find_held(rt, is_doomed);
		r = sentence(rt);
	} while (r.n > 0 && run_round(rt, &r, true));
	vt_store_free_unheld(rt, walked);
}

/*
 * Would anybody see what is destroyed?  Where no class has .destroy and nothing was subscribed, an
 * id shows it, or what was kept beside an object.
 */
void
vt_store_collect(vt_rt *rt)
{
	struct vt_store *s = vt_store_of(rt);
	if (VT_GARBAGE > 1 && !s->ends && !vt_is(rt->s->attributes, DICT))
		s->stale = true;
	else
		collect(rt);
}

void
vt_store_settle(vt_rt *rt)
{
	if (vt_store_of(rt)->stale)
		collect(rt);
}

static bool
any_needs_destruction(vt_rt *rt)
{
	if (!vt_store_of(rt)->ends)
		return false;
	for (vt_object *o = vt_object_at(rt, NULL); o != NULL; o = o->next)
		if (o->doomed || vt_needs_destruction(o))
			return true;
	return false;
}

void
vt_store_take_down(vt_rt *rt)
{
	if (any_needs_destruction(rt))
		vt_store_collect(rt);
}

void
vt_store_sweep(vt_rt *rt, vt_value root)
{
	struct round r;
	if (!any_needs_destruction(rt))
		return;
	reach(rt, root);
	r = sentence(rt);
	if (r.n > 0)
		(void)run_round(rt, &r, false);
}

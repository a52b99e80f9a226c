/*
 * collect.c - which objects something still holds.
 *
 * References to objects are counted like all others, from VT_OBJ_BIAS on, so that a count never
 * frees an object: objects hold each other in rings.  Held is what has more references than those
 * found inside of the store, and what such an object reaches: what CPython's collector finds too.
 * So nothing has to be known about locals, temporaries, tasks, scopes or Lua: their references are
 * those that the walk does not come across.  A value that the walk cannot look into keeps what it
 * holds.
 *
 * References that do not keep: the store's table of ids, and subscribers.  One that keeps and is
 * not counted: an object's owner; it is followed, and so are the receivers of running methods.
 *
 * Containers with one reference need no record: who holds them is the one edge that leads there.
 * The others are counted by address in a table.
 */
#include "runtime/core/base.h"
#include "runtime/core/dict.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/task/int.h"

#include <stdlib.h>
#include <string.h>

typedef struct shared {
	vt_head *h;
	uint32_t inner; /* references found inside */
	bool marked;
} shared;

struct walk {
	shared *v; /* open addressing; cap is a power of two */
	size_t n, cap;
	vt_value *stack;
	size_t depth, room;
	uint32_t nest; /* how deep in containers the walk is without the stack */
	bool marking;
	uint64_t visited;
};

static size_t
place(const struct walk *w, const vt_head *h)
{
	size_t i = ((uintptr_t)h >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (w->cap - 1);
	while (w->v[i].h != NULL && w->v[i].h != h)
		i = (i + 1) & (w->cap - 1);
	return i;
}

static void
grow(struct walk *w)
{
	shared *old = w->v;
	size_t n = w->cap;
	w->cap = n ? 2 * n : 256;
	w->v = vt_xzalloc(w->cap * sizeof *w->v);
	for (size_t i = 0; i < n; i++)
		if (old[i].h != NULL)
			w->v[place(w, old[i].h)] = old[i];
	free(old);
}

static shared *
record(struct walk *w, vt_head *h)
{
	size_t i;
	if (2 * w->n >= w->cap)
		grow(w);
	i = place(w, h);
	if (w->v[i].h == NULL) {
		w->v[i].h = h;
		w->n++;
	}
	return &w->v[i];
}

/* Final data of words, numbers and texts, as the mark of a contract says (dict.h), or that of an
 * earlier walk. */
static bool
holds_nothing(const vt_head *h)
{
	return (h->kind == VT_K_TUPLE || h->kind == VT_K_DICT) && h->aux != 0 &&
	       !(h->aux & (VT_ITEM_OTHER | VT_ITEM_OTHER << 8));
}

static void
push(struct walk *w, vt_value v)
{
	if (w->depth == w->room) {
		w->room = w->room ? 2 * w->room : 256;
		w->stack = vt_xrealloc(w->stack, w->room * sizeof *w->stack);
	}
	w->stack[w->depth++] = v;
}

/* An edge leads to the object.  Counting needs no more than that; a mark goes on from there. */
static inline void
reach_object(struct walk *w, vt_object *o)
{
	w->visited++;
	if (!w->marking) {
		o->inner++;
	} else if (!o->held) {
		o->held = 1;
		push(w, vt_mkptr(o));
	}
}

static void reach_container(struct walk *, vt_value);

/* An edge leads to the value. */
static inline void
reach(struct walk *w, vt_value v)
{
	const vt_head *h = vt_head_of(v);
	if (!vt_is_ptr(v))
		return;
	if (h->kind == VT_K_OBJECT)
		reach_object(w, VT_AS(vt_object, v));
	else if (h->kind > VT_K_STR && h->rc < VT_IMMORTAL && !holds_nothing(h))
		reach_container(w, v);
}

/* ---- what a value holds --------------------------------------------------------------------- */

static void
reach_scope(struct walk *w, const vt_scope *s)
{
	if (s->parent != NULL)
		reach(w, vt_mkptr(s->parent));
	for (uint32_t i = 0; i < s->nslots; i++)
		reach(w, s->v[i]);
}

/* What is found to be of words, numbers and texts only is marked as that, and not looked at
 * again. */
static void
reach_tuple(struct walk *w, vt_list *l)
{
	unsigned found = 0;
	uint32_t i = 0;
	for (; i < l->n && !(found & VT_ITEM_OTHER); i++) {
		reach(w, l->v[i]);
		found |= vt_item_class(l->v[i]);
	}
	for (; i < l->n; i++)
		reach(w, l->v[i]);
	if (l->h.kind == VT_K_TUPLE && (l->h.flags & VT_F_FINAL) && !(found & VT_ITEM_OTHER))
		l->h.aux = (uint16_t)found;
}

static void
reach_dict(struct walk *w, vt_dict *d)
{
	const uint8_t whole = VT_F_FINAL | VT_F_FROZEN;
	vt_value key, item;
	unsigned found = 0;
	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &item);) {
		if (d->shape == NULL) /* else it is a text */
			reach(w, key);
		reach(w, item);
		found |= vt_item_class(key) | vt_item_class(item) << 8;
	}
	if ((d->h.flags & whole) == whole && !(found & (VT_ITEM_OTHER | VT_ITEM_OTHER << 8)))
		d->h.aux = (uint16_t)found;
}

static void
reach_items(struct walk *w, vt_value v)
{
	vt_value item;
	uint32_t pos = 0;
	if (vt_is_sequence(v))
		reach_tuple(w, vt_as_list(v));
	else if (vt_is(v, DICT))
		reach_dict(w, vt_as_dict(v));
	else
		while (vt_set_at(vt_as_set(v), &pos, &item))
			reach(w, item);
}

/*
 * Kinds that are not here keep all they hold.  So do contexts with functions: those look back
 * without a count (scope.c).
 */
static bool
is_open(vt_value v)
{
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_DICT:
	case VT_K_SET:
	case VT_K_VIEW:
	case VT_K_MAPPING:
	case VT_K_CAST: return true;
	case VT_K_LAMBDA: return VT_AS(vt_lambda, v)->native == NULL;
	case VT_K_SCOPE: return VT_AS(vt_scope, v)->ext == NULL;
	case VT_K_FLOAT:
	case VT_K_BIGINT:
	case VT_K_STR:
	case VT_K_ITER:
	case VT_K_ORDERING:
	case VT_K_MEMO:
	case VT_K_REGEX:
	case VT_K_DATETIME:
	case VT_K_TIMESPAN:
	case VT_K_OBJECT:
	case VT_K_TYPEREF:
	case VT_K_REFLECT:
	case VT_K_EXC:
	case VT_K_HOST:
	case VT_K_COUNT: return false;
	}
	return false;
}

static void
reach_children(struct walk *w, vt_value v)
{
	switch (vt_head_of(v)->kind) {
	case VT_K_VIEW: reach(w, VT_AS(vt_view_obj, v)->dict); break;
	case VT_K_CAST: reach(w, vt_mkptr(VT_AS(vt_cast, v)->obj)); break;
	case VT_K_SCOPE: reach_scope(w, VT_AS(vt_scope, v)); break;
	case VT_K_LAMBDA:
		if (VT_AS(vt_lambda, v)->scope != NULL)
			reach(w, vt_mkptr(VT_AS(vt_lambda, v)->scope));
		break;
	case VT_K_MAPPING:
		reach(w, VT_AS(vt_mapping, v)->key);
		reach(w, VT_AS(vt_mapping, v)->value);
		break;
	default: reach_items(w, v);
	}
}

static void
reach_more(struct walk *w, const vt_object_more *x)
{
	reach(w, x->metadata);
	reach(w, x->designer);
	if (x->privates != NULL)
		reach(w, vt_mkptr(x->privates));
	if (!w->marking)
		reach(w, x->dependencies);
}

static void
reach_from_object(struct walk *w, vt_object *o)
{
	for (uint32_t i = 0; i < o->cls->nslots; i++)
		reach(w, o->v[i]);
	if (o->more != &vt_object_plain)
		reach_more(w, o->more);
	if (w->marking && o->owner != NULL)
		reach(w, vt_mkptr(o->owner));
}

/* Containers nest a little without the stack. */
enum { NEST = 16 };

static void
visit(struct walk *w, vt_value v)
{
	shared *s;
	w->visited++;
	if (likely(vt_is(v, TUPLE) && vt_head_of(v)->rc == 1)) {
		reach_tuple(w, vt_as_list(v));
		return;
	}
	if (!is_open(v))
		return;
	if (vt_head_of(v)->rc > 1) {
		s = record(w, vt_head_of(v));
		if (w->marking ? s->marked : s->inner++ > 0)
			return;
		s->marked = w->marking;
	}
	reach_children(w, v);
}

static void
reach_container(struct walk *w, vt_value v)
{
	if (w->nest == NEST) {
		push(w, v);
		return;
	}
	w->nest++;
	visit(w, v);
	w->nest--;
}

static void
drain(struct walk *w)
{
	while (w->depth > 0) {
		vt_value v = w->stack[--w->depth];
		if (vt_is(v, OBJECT))
			reach_from_object(w, VT_AS(vt_object, v));
		else
			visit(w, v);
	}
}

/* ---- the two passes ---------------------------------------------------------------------- */

/* `inner` of all objects is 0: the last walk has left it so. */
static void
count(vt_rt *rt, struct walk *w)
{
	const vt_dict *ids = vt_store_ids(rt);
	vt_value id, v;
	for (uint32_t i = 0; vt_dict_at(ids, &i, &id, &v);)
		VT_AS(vt_object, v)->inner++;
	for (vt_object *o = vt_object_at(rt, NULL); o != NULL; o = o->next) {
		o->held = 0;
		reach_from_object(w, o);
		if (w->depth > 0)
			drain(w);
	}
}

static uint64_t
each_of(const vt_act *a, void (*f)(void *, vt_value), void *data)
{
	uint64_t n = 0;
	for (; a != NULL; a = a->up, n++)
		f(data, a->hold.self);
	return n;
}

/* The receivers of the methods that run, in any task: how many. */
static uint64_t
each_receiver(vt_rt *rt, void (*f)(void *, vt_value), void *data)
{
	vt_sched *s = rt->s->sched;
	uint64_t n = each_of(rt->act, f, data);
	if (s == NULL)
		return n;
	for (vt_task *t = s->main.next; t != &s->main; t = t->next)
		if (t != s->current)
			n += each_of(t->local.act, f, data);
	if (s->current != &s->main)
		n += each_of(s->main.local.act, f, data);
	return n;
}

static void
set_runs(void *runs, vt_value self)
{
	if (vt_is(self, OBJECT) || vt_is(self, CAST))
		vt_obj_of(self)->runs = *(const bool *)runs;
}

uint64_t
vt_mark_receivers(vt_rt *rt, bool runs)
{
	return each_receiver(rt, set_runs, &runs);
}

static void
reach_receiver(void *w, vt_value self)
{
	reach(w, self);
}

static void
mark(vt_rt *rt, struct walk *w, bool (*also)(const vt_object *))
{
	size_t n = w->cap;
	w->marking = true;
	for (vt_object *o = vt_object_at(rt, NULL); o != NULL; o = o->next) {
		if (o->h.rc - VT_OBJ_BIAS > o->inner || (!o->held && also(o))) {
			reach_object(w, o);
			drain(w);
		}
		o->inner = 0;
	}
	/* The table does not grow any more: all that can be reached is in there. */
	for (size_t i = 0; i < n; i++)
		if (w->v[i].h != NULL && w->v[i].h->rc > w->v[i].inner) {
			reach(w, vt_mkptr(w->v[i].h));
			drain(w);
		}
	(void)each_receiver(rt, reach_receiver, w);
	drain(w);
}

uint64_t
vt_find_held(vt_rt *rt, bool (*also)(const vt_object *))
{
	struct walk w = {0};
	count(rt, &w);
	mark(rt, &w, also);
	free(w.v);
	free(w.stack);
	return w.visited;
}

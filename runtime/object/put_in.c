/*
 * put_in.c - assignments below a variable or property that are made in place.
 *
 * `$.conf[k]: v` makes a new dict of the old one, which costs what the dict has.  Where only the
 * property holds the old one, nobody can see the difference when it is changed instead.  Its
 * contract looks at the new element alone, if it is one by element: vt_prop_decl.items.
 *
 * Everything is looked at before anything is changed.
 */
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

/* ---- what a contract by element has to say --------------------------------------------------- */

/* Any item that is there: the contract has accepted it. */
static vt_value
sample(vt_value all)
{
	vt_value key, v;
	uint32_t pos = 0;
	if (vt_is(all, DICT))
		return vt_dict_at(vt_as_dict(all), &pos, &key, &v) ? v : VT_NULL;
	return vt_as_list(all)->n ? vt_as_list(all)->v[vt_as_list(all)->n - 1] : VT_NULL;
}

/* What the contract of an element makes of v; VT_UNDEF: it refuses that. */
static vt_value
contract_makes(vt_rt *rt, vt_value of, const vt_prop_decl *d, vt_value v)
{
	vt_cx cx = {.mode = VT_C_TRANSFORM,
		.self = of,
		.owner = vt_is(of, OBJECT) ? of : VT_NULL,
		.calling_type = d->cls,
		.unit = d->cls->unit ? d->cls->unit : &vt_core_unit};
	vt_value made = VT_UNDEF;
	vt_status st = d->item ? d->item(rt, &cx, v, &made) : VT_ERROR;
	vt_c_close(&cx);
	free(cx.path);
	if (st == VT_OK)
		return made;
	if (d->item)
		vt_exc_clear(rt);
	vt_release(made);
	return VT_UNDEF;
}

/* class(): it looks at the object, and makes none. */
static bool
contract_takes(vt_rt *rt, vt_value of, const vt_prop_decl *d, vt_value v)
{
	vt_value made = contract_makes(rt, of, d, v);
	vt_release(made);
	return made == v;
}

vt_value
vt_made_element(
	vt_rt *rt, vt_value of, const vt_prop_decl *d, vt_value all, vt_value key, vt_value v)
{
	vt_value made;
	if (d == NULL || d->item == NULL || !(d->pure & 4) || v == VT_NOVALUE || !vt_stays(v) ||
		v == all || key == all || (vt_is(all, DICT) && !vt_takes(key, d->keys)))
		return VT_UNDEF;
	made = contract_makes(rt, of, d, v);
	if (made == VT_NOVALUE || !vt_stays(made)) {
		vt_release(made);
		return VT_UNDEF;
	}
	return made;
}

/* What the contract of the property takes as an element as it is; NULL: that is no table. */
static const vt_accept *
accepted_element(const vt_prop_decl *d)
{
	const vt_accept *a = d->accept;
	if (a == NULL || (a->kind != VT_ACCEPT_LIST && a->kind != VT_ACCEPT_DICT))
		return NULL;
	return &a->of[a->kind == VT_ACCEPT_DICT];
}

/* Is v an element of such a list or dict that the contract's table knows? */
static bool
is_accepted(vt_rt *rt, const vt_prop_decl *d, vt_value all, vt_value v)
{
	const vt_accept *a = accepted_element(d);
	return a != NULL && vt_is(all, DICT) == (d->accept->kind == VT_ACCEPT_DICT) &&
	       vt_accepted(rt, a, v);
}

bool
vt_accepts(vt_rt *rt, vt_value of, const vt_prop_decl *d, vt_value all, vt_value key, vt_value v)
{
	vt_value like;
	if (v == VT_NOVALUE || !vt_stays(v) || v == all || key == all)
		return false;
	if (d == NULL)
		return true;
	if (vt_is(all, DICT) && !vt_takes(key, d->keys))
		return false;
	if (!vt_takes(v, d->items))
		return (d->pure & 4) != 0 &&
		       (is_accepted(rt, d, all, v) || contract_takes(rt, of, d, v));
	if (!(d->items & VT_TAKES_LIKE) || !vt_is(v, OBJECT))
		return true;
	like = sample(all);
	return (vt_is(like, OBJECT) && VT_AS(vt_object, like)->cls == VT_AS(vt_object, v)->cls) ||
	       is_accepted(rt, d, all, v) || contract_takes(rt, of, d, v);
}

/* ---- the way down ---------------------------------------------------------------------------- */

/* What the object has there.  A dict that is the Default of all objects of the class (it counts no
 * holders) becomes one of its own, which is as good for whoever looks. */
static inline vt_value
own_value(vt_rt *rt, const vt_object *o, uint64_t slot)
{
	vt_value v = o->v[slot];
	if (likely(!vt_is(v, DICT) || vt_head_of(v)->rc < VT_IMMORTAL))
		return v;
	return o->v[slot] = vt_mkptr(vt_dict_copy(rt, vt_as_dict(v), true));
}

/* The property of the object or type that the level names, if code of the unit may write it: *v. */
static bool
through_object(vt_way *w, uint32_t i, vt_value *v)
{
	vt_object *o = VT_AS(vt_object, *v);
	if ((i + 1 == w->n && !w->whole) || !vt_is(w->path[i], STR))
		return false;
	w->of = *v;
	w->at = i + 1;
	if (vt_is(*v, TYPEREF) ||
		(w->ic[i].key != o->cls &&
			!vt_learn_slot(w->rt, w->u, o, vt_as_str(w->path[i]), &w->ic[i]))) {
		*v = vt_static_slot(w->rt, w->u, *v, vt_as_str(w->path[i]), &w->ic[i], &w->d);
		return *v != VT_UNDEF;
	}
	w->d = w->ic[i].target;
	*v = own_value(w->rt, o, w->ic[i].aux);
	return *v != VT_UNDEF;
}

/* {path[i]: ..{path[n - 1]: v}}, owned. */
static vt_status
nested(vt_way *w, uint32_t i, vt_value *out)
{
	vt_value v = vt_copy(w->v), pair[2];
	vt_status st = VT_OK;
	for (uint32_t k = w->n; k-- > i && st == VT_OK;) {
		pair[0] = w->path[k];
		pair[1] = v;
		st = vt_dict_of(w->rt, 1, pair, &v);
		vt_release(pair[1]);
		if (st == VT_OK)
			vt_head_of(v)->flags |= VT_F_FINAL;
	}
	*out = v;
	return st;
}

/* What goes into the list or dict at level i, owned: the value, or what the contract of an element
 * makes of it; VT_UNDEF: nothing does. */
static vt_value
put_there(const vt_way *w, vt_value all, uint32_t i, vt_value key)
{
	if (i != w->at || vt_accepts(w->rt, w->of, w->d, all, key, w->v))
		return vt_copy(w->v);
	return vt_made_element(w->rt, w->of, w->d, all, key, w->v);
}

static bool
put_last(vt_way *w, vt_value all, uint32_t i)
{
	vt_value key = w->path[i], v;
	bool ok;

	if (!vt_stays(key) || !vt_hashable(key) || (v = put_there(w, all, i, key)) == VT_UNDEF)
		return false;
	ok = vt_dict_put(w->rt, vt_as_dict(all), key, v) == VT_OK;
	vt_release(v);
	return ok;
}

/* The last level, or the first that is missing, which an empty dict stands for. */
static bool
put_key(vt_way *w, vt_value all, uint32_t i)
{
	vt_value v = VT_UNDEF;
	bool ok;
	if (i + 1 == w->n)
		return put_last(w, all, i);
	for (uint32_t k = i + 1; k + 1 < w->n; k++)
		if (vt_is_integer(w->path[k]) || vt_is_bool(w->path[k]))
			return false;
	for (uint32_t k = i; k < w->n; k++)
		if (!vt_stays(w->path[k]) || !vt_hashable(w->path[k]))
			return false;
	if (nested(w, i + 1, &v) != VT_OK)
		return false;
	ok = (i != w->at || vt_accepts(w->rt, w->of, w->d, all, w->path[i], v)) &&
	     vt_dict_put(w->rt, vt_as_dict(all), w->path[i], v) == VT_OK;
	vt_release(v);
	return ok;
}

static bool
put_item(vt_way *w, vt_value all, uint32_t i)
{
	vt_list *l = vt_as_list(all);
	int64_t at = vt_toint(w->path[i]);
	vt_value v = at > l->n ? VT_UNDEF : put_there(w, all, i, VT_NULL);
	if (v == VT_UNDEF)
		return false;
	if (at < l->n)
		vt_list_put(l, (uint32_t)at, v);
	else
		vt_list_push(w->rt, l, v);
	l->h.flags |= VT_F_FINAL;
	return true;
}

/* Is the pair, or the item, one that such an element may have?  key VT_UNDEF: nothing is. */
static bool
is_accepted_below(const vt_way *w, bool dict, vt_value key, vt_value v)
{
	const vt_accept *a = accepted_element(w->d);
	if (a == NULL || a->kind != (dict ? VT_ACCEPT_DICT : VT_ACCEPT_LIST))
		return false;
	return key == VT_UNDEF || (vt_accepted(w->rt, &a->of[dict], v) &&
					  (!dict || vt_accepted(w->rt, &a->of[0], key)));
}

/* Does the contract of an element take a container of that kind as it is, with nothing else than
 * the pair in it (key VT_UNDEF: with nothing)?  One whose elements count alone then takes any other
 * that it has taken before with the pair put into it: vt_prop_decl.pure. */
static bool
element_takes(const vt_way *w, bool dict, vt_value key, vt_value v)
{
	vt_value pair[2] = {key, v}, one = VT_UNDEF;
	bool ok;
	if (!(w->d->pure & 8))
		return false;
	if (is_accepted_below(w, dict, key, v))
		return true;
	if (dict)
		(void)vt_dict_of(w->rt, key != VT_UNDEF, pair, &one); /* the key can be hashed */
	else
		(void)vt_tuple_of(w->rt, key != VT_UNDEF, &pair[1], &one);
	vt_head_of(one)->flags |= VT_F_FINAL | (dict ? VT_F_FROZEN : 0);
	ok = contract_takes(w->rt, w->of, w->d, one);
	vt_release(one);
	return ok;
}

/* Would the property's contract take `next`, an element of `all`, with the value put into it? */
static bool
takes_below(const vt_way *w, uint32_t i, vt_value all, vt_value next)
{
	const vt_prop_decl *d = w->d;
	vt_value key = w->path[w->n - 1];
	if (i != w->at)
		return true;
	if (vt_is(all, DICT) && !vt_takes(w->path[i], d->keys))
		return false;
	if (d->items & VT_TAKES_FINAL)
		return true;
	return i + 2 == w->n && vt_stays(key) && vt_hashable(key) &&
	       element_takes(w, vt_is(next, DICT), key, w->v);
}

/* What stands there; VT_UNDEF: nothing. False: the long way knows what to say. */
static bool
child(vt_value all, vt_value key, bool last, vt_value *out)
{
	*out = VT_UNDEF;
	if (vt_is(all, DICT)) {
		if (!last && (vt_is_integer(key) || vt_is_bool(key)))
			return false;
		*out = vt_dict_get(vt_as_dict(all), key);
		return true;
	}
	if (!vt_is(all, TUPLE) || !vt_is_int(key) || vt_toint(key) < 0)
		return false;
	if (vt_toint(key) < vt_as_list(all)->n)
		*out = vt_as_list(all)->v[vt_toint(key)];
	return true;
}

/* Is the value the list or dict that stands at the last level of the way? A contract by element has
 * taken it. */
static bool
is_there(const vt_way *w, vt_value all, uint32_t i)
{
	const vt_prop_decl *d = w->d;
	vt_value now;
	return vt_is_ptr(w->v) && vt_head_of(w->v)->kind > VT_K_STR && !vt_is(w->v, OBJECT) &&
	       child(all, w->path[i], true, &now) && now == w->v &&
	       (w->of == VT_UNDEF || (d != NULL && (d->items != 0 || d->item != NULL)));
}

/* One level of a container that has so many holders; *done: nothing is left to do. */
static bool
through_container(vt_way *w, uint32_t i, uint32_t holders, vt_value *v, bool *done)
{
	vt_value all = *v, next;
	bool last = i + 1 == w->n;
	if (last && vt_is(all, DICT))
		next = VT_UNDEF; /* whatever stands there */
	else if (!child(all, w->path[i], last, &next))
		return false;
	if (!last && vt_is(next, OBJECT)) { /* it is the object that changes */
		*v = next;
		return true;
	}
	if (last && is_there(w, all, i))
		return *done = true;
	if (holders == 0 || !vt_may_change(all, holders) || all == w->v ||
		(w->of != VT_UNDEF && w->d == NULL))
		return false;
	if (last || next == VT_UNDEF)
		return *done = vt_is(all, TUPLE) ? last && put_item(w, all, i) : put_key(w, all, i);
	*v = next;
	return takes_below(w, i, all, next);
}

/* Lists by index and dicts by name below a variable, each with one holder. */
static bool
put_below(vt_rt *rt, vt_value all, uint32_t holders, uint32_t n, const vt_value *path, vt_value v)
{
	for (uint32_t i = 0; i < n; i++, holders = 1) {
		vt_list *l = vt_as_list(all);
		bool list = vt_is(all, TUPLE), last = i + 1 == n;
		if (holders == 0 || (!list && !vt_is(all, DICT)) || all == v ||
			!vt_may_change(all, holders))
			return false;
		if (list ? !vt_is_int(path[i]) || (uint64_t)vt_toint(path[i]) >= l->n
			 : !vt_is(path[i], STR))
			return false;
		if (last && list) {
			vt_list_put(l, (uint32_t)vt_toint(path[i]), vt_copy(v));
			l->h.flags |= VT_F_FINAL;
			return true;
		}
		if (last)
			return vt_dict_put(rt, vt_as_dict(all), path[i], v) == VT_OK;
		all = list ? l->v[vt_toint(path[i])]
			   : vt_dict_get_str(vt_as_dict(all), vt_as_str(path[i]));
	}
	return false;
}

/* An element of a property that the cache knows, where the contract takes any value of such a kind.
 * False: the way down is walked. */
static bool
put_element(vt_rt *rt, const vt_ic *ic, const vt_object *o, vt_value key, vt_value v)
{
	const vt_prop_decl *d;
	vt_value all;
	if (ic->key != o->cls || (d = ic->target) == NULL || !vt_takes(v, d->items) ||
		((d->items & VT_TAKES_LIKE) && vt_is(v, OBJECT)))
		return false;
	all = own_value(rt, o, ic->aux);
	if (!vt_may_change(all, 1) || all == v)
		return false;
	if (vt_is(all, DICT))
		return (vt_is_int(key) || vt_is(key, STR)) && vt_takes(key, d->keys) &&
		       vt_dict_put(rt, vt_as_dict(all), key, v) == VT_OK;
	if (!vt_is(all, TUPLE) || !vt_is_int(key) || (uint64_t)vt_toint(key) >= vt_as_list(all)->n)
		return false;
	vt_list_put(vt_as_list(all), (uint32_t)vt_toint(key), vt_copy(v));
	vt_as_list(all)->h.flags |= VT_F_FINAL;
	return true;
}

static bool
put_on_way(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value root, uint32_t holders, uint32_t n,
	const vt_value *path, vt_value v)
{
	vt_way w = {
		.rt = rt, .u = u, .ic = ic, .n = n, .path = path, .v = v, .of = VT_UNDEF, .at = n};
	bool done = false;
	for (uint32_t i = 0; i < n && !done; i++) {
		if (vt_is(root, OBJECT) || vt_is(root, TYPEREF)) {
			if (!through_object(&w, i, &root))
				return false;
			holders = 1;
			continue;
		}
		if (!through_container(&w, i, holders, &root, &done))
			return false;
		holders = 1;
	}
	return done;
}

int
vt_put_in(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value root, uint32_t holders, uint32_t n,
	const vt_value *path, vt_value v)
{
	if (!vt_stays(v) || v == VT_NOVALUE)
		return 0;
	if (n == 2 && vt_is(root, OBJECT) &&
		put_element(rt, ic, VT_AS(vt_object, root), path[1], v))
		return 1;
	return put_below(rt, root, holders, n, path, v) ||
	       put_on_way(rt, u, ic, root, holders, n, path, v);
}

/* How many hold the level of a way, of which a temporary may know; 0: that has something else. */
static inline uint32_t
holders_of(const vt_value *held, uint32_t i, vt_value all)
{
	if (held == NULL || held[i] == VT_UNDEF)
		return 1;
	return held[i] == all ? 2 : 0;
}

/* Is it what the dict has at the key, and may both be changed? */
static inline bool
is_element(vt_value dict, uint32_t holders, vt_value key, vt_value x, uint32_t held_by)
{
	return vt_is(dict, DICT) && key != VT_UNDEF && vt_may_change(dict, holders) &&
	       vt_may_change(x, held_by) && vt_dict_get(vt_as_dict(dict), key) == x;
}

/* Is it the item at that place of a list, from 0 on, and may both be changed? */
static inline bool
is_item(vt_value list, uint32_t holders, vt_value key, vt_value x, uint32_t held_by)
{
	const vt_list *l = vt_as_list(list);
	return vt_is(list, TUPLE) && vt_is_int(key) && (uint64_t)vt_toint(key) < l->n &&
	       l->v[vt_toint(key)] == x && vt_may_change(list, holders) &&
	       vt_may_change(x, held_by);
}

/* What a way of one level below a variable, or below a property that the cache knows, leads
 * through; *last is that level.  VT_UNDEF: it is another way. */
static inline vt_value
only_level(const vt_ic *ic, vt_value root, uint32_t n, const vt_value *held, uint32_t *last)
{
	const vt_object *o = VT_AS(vt_object, root);
	*last = n - 1;
	if (n == 1 && !vt_is(root, OBJECT))
		return root;
	return n == 2 && vt_is(root, OBJECT) && ic->key == o->cls && ic->target != NULL &&
			       holders_of(held, 0, root) != 0
		       ? o->v[ic->aux]
		       : VT_UNDEF;
}

static bool
leads_down(vt_way *w, vt_value root, vt_value x, uint32_t held_by)
{
	vt_value all = root, next;
	for (uint32_t i = 0; i < w->n; i++, all = next) {
		uint32_t holders = holders_of(w->held, i, all);
		if (w->path[i] == VT_UNDEF || holders == 0)
			return false;
		if (vt_is(all, OBJECT) || vt_is(all, TYPEREF)) {
			next = all;
			if (!through_object(w, i, &next))
				return false;
			continue;
		}
		if (!vt_is_ptr(all) || !child(all, w->path[i], true, &next) || !vt_is_ptr(next))
			return false;
		if (!vt_is(next, OBJECT) && !vt_may_change(all, holders) && !vt_on_stack(all))
			return false;
	}
	if (w->of != VT_UNDEF &&
		(w->d == NULL || (w->at == w->n && w->d->items == 0 && w->d->item == NULL)))
		return false;
	return all == x && vt_may_change(x, held_by);
}

bool
vt_leads_to(vt_way *w, vt_value root, vt_value x, uint32_t held_by)
{
	uint32_t last;
	vt_value all;
	if (!vt_may_change(x, held_by))
		return false;
	all = only_level(w->ic, root, w->n, w->held, &last);
	if (all == VT_UNDEF ||
		!is_element(all, holders_of(w->held, last, all), w->path[last], x, held_by))
		return leads_down(w, root, x, held_by);
	if (last == 1) {
		w->of = root;
		w->at = 1;
		w->d = w->ic->target;
	}
	return true;
}

/* What the property holds is at level `at`; x is an element of that, or lies deeper. */
bool
vt_way_takes(const vt_way *w, vt_value x, vt_value key, vt_value v)
{
	if (w->of != VT_UNDEF && w->at == w->n)
		return vt_accepts(w->rt, w->of, w->d, x, key, v);
	if (v == VT_NOVALUE || !vt_stays(v) || v == x || key == x)
		return false;
	if (w->of == VT_UNDEF || (w->d->items & VT_TAKES_FINAL))
		return true;
	if (w->at + 1 != w->n || vt_is(x, SET))
		return false;
	return element_takes(w, vt_is(x, DICT), key == VT_UNDEF ? VT_NULL : key, v);
}

static bool
are_accepted_below(const vt_way *w, const vt_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!is_accepted_below(w, false, VT_NULL, l->v[i]))
			return false;
	return true;
}

/* May all items of the list be put into the list that the way has led to? */
static bool
takes_items(const vt_way *w, vt_value x, vt_value more)
{
	const vt_list *m = vt_as_list(more);
	if (w->of != VT_UNDEF && w->at == w->n) {
		for (uint32_t k = 0; k < m->n; k++)
			if (!vt_accepts(w->rt, w->of, w->d, x, VT_NULL, m->v[k]))
				return false;
		return true;
	}
	for (uint32_t k = 0; k < m->n; k++)
		if (!vt_stays(m->v[k]))
			return false;
	if (w->of == VT_UNDEF || (w->d->items & VT_TAKES_FINAL))
		return true;
	return w->at + 1 == w->n && (w->d->pure & 8) != 0 &&
	       (are_accepted_below(w, m) || contract_takes(w->rt, w->of, w->d, more));
}

bool
vt_way_gives(const vt_way *w, vt_value x)
{
	if (w->at == w->n)
		return true;
	if (w->of == VT_UNDEF || (w->d->items & VT_TAKES_FINAL))
		return true;
	return w->at + 1 == w->n && !vt_is(x, SET) &&
	       element_takes(w, vt_is(x, DICT), VT_UNDEF, VT_UNDEF);
}

/* One plain value, to a list that is an element of a dict or list and has room for it. */
static inline bool
grow_element(vt_value all, uint32_t holders, vt_value key, vt_value x, const vt_list *more)
{
	vt_list *l = vt_as_list(x);
	if (more->n != 1 || l->n >= l->cap || l->n >= VT_MOST_ITEMS ||
		(vt_is_ptr(more->v[0]) && !vt_is(more->v[0], STR)) ||
		(!is_element(all, holders, key, x, 2) && !is_item(all, holders, key, x, 2)))
		return false;
	vt_note_item(l, more->v[0]);
	l->v[l->n++] = vt_copy(more->v[0]);
	return true;
}

/* The sum of two lists, of which the first is a constant, as the element of a dict at a text or an
 * integer, or as an item of a list: `$d[k]: $d.get(k, []) + [x]` for a key that is new. */
static __attribute__((noinline)) bool
put_sum(vt_rt *rt, vt_value all, uint32_t holders, vt_value key, const vt_list *x, const vt_list *m)
{
	vt_list *l, *in = vt_is(all, TUPLE) ? vt_as_list(all) : NULL;
	bool ok;
	if (!vt_may_change(all, holders) || (in == NULL && !vt_is(all, DICT)) ||
		(!vt_is_int(key) && (in != NULL || !vt_is(key, STR))) ||
		(in != NULL && (uint64_t)vt_toint(key) >= in->n) || !(x->h.flags & VT_F_FINAL) ||
		m->h.kind != VT_K_TUPLE || !(m->h.flags & VT_F_FINAL) || vt_metered(rt) ||
		(uint64_t)x->n + m->n > VT_MOST_ITEMS)
		return false;
	l = vt_list_to_grow(rt, x, m->n + 3);
	vt_list_add_final(rt, l, m);
	if (in != NULL) {
		vt_list_put(in, (uint32_t)vt_toint(key), vt_mkptr(l));
		return true;
	}
	ok = vt_dict_put(rt, vt_as_dict(all), key, vt_mkptr(l)) == VT_OK;
	vt_release(vt_mkptr(l));
	return ok;
}

static __attribute__((noinline)) int
grow_there(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value root, uint32_t n, const vt_value *path,
	vt_value x, vt_value more, const vt_value *held)
{
	vt_way w = {.rt = rt,
		.u = u,
		.ic = ic,
		.n = n,
		.path = path,
		.v = VT_UNDEF,
		.held = held,
		.of = VT_UNDEF,
		.at = n,
		.whole = true};
	const vt_list *m = vt_as_list(more);
	if (!vt_is(x, TUPLE) || more == x || !vt_is_sequence(more) ||
		!vt_leads_to(&w, root, x, 2) || !vt_settles(more) || !takes_items(&w, x, more) ||
		(uint64_t)vt_as_list(x)->n + m->n > VT_MOST_ITEMS)
		return 0;
	vt_list_add_final(rt, vt_as_list(x), m);
	return 1;
}

int
vt_grow_in(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value root, uint32_t n, const vt_value *path,
	vt_value x, vt_value more, const vt_value *held)
{
	uint32_t last;
	vt_value all = only_level(ic, root, n, held, &last);
	if (more == root) /* which has x in it: that would close a ring */
		return 0;
	if (all != VT_UNDEF && vt_is(x, TUPLE) && vt_is_sequence(more) &&
		(last == 0 || (((const vt_prop_decl *)ic->target)->items & VT_TAKES_FINAL)) &&
		(grow_element(all, holders_of(held, last, all), path[last], x, vt_as_list(more)) ||
			(last == 0 && vt_head_of(x)->rc >= VT_IMMORTAL &&
				put_sum(rt, all, holders_of(held, last, all), path[last],
					vt_as_list(x), vt_as_list(more)))))
		return 1;
	return grow_there(rt, u, ic, root, n, path, x, more, held);
}

/* A copy of it is made as fast as it leaves its place. */
static bool
is_small(const vt_dict *d)
{
	if (d->h.kind != VT_K_DICT || d->shape == NULL || d->n > 4)
		return false;
	for (uint32_t i = 0; i < d->n; i++)
		if (vt_is_ptr(d->v[i]) && vt_head_of(d->v[i])->kind > VT_K_STR)
			return false;
	return true;
}

void
vt_take_out(vt_rt *rt, vt_value all, vt_value key, vt_value v)
{
	vt_list *l = vt_as_list(all);
	vt_dict *d = vt_as_dict(all);
	int i;
	if (!vt_may_change(v, 2) || key == VT_UNDEF || is_small(vt_as_dict(v)) ||
		(!vt_on_stack(all) && !vt_may_change(all, 1)))
		return;
	if (l->h.kind == VT_K_DICT && d->shape != NULL && vt_is(key, STR) && d->h.aux == 0) {
		i = vt_shape_hit(d->shape, vt_as_str(key));
		if (i < 0)
			i = vt_shape_find(d->shape, vt_as_str(key));
		if (i >= 0 && d->v[i] == v) {
			d->v[i] = VT_NULL;
			vt_release(v);
		}
	} else if (l->h.kind == VT_K_DICT) {
		if ((vt_is_int(key) || vt_is(key, STR)) && vt_dict_get(vt_as_dict(all), key) == v)
			(void)vt_dict_put(rt, vt_as_dict(all), key, VT_NULL);
	} else if (l->h.kind == VT_K_TUPLE && vt_is_int(key) && (uint64_t)vt_toint(key) < l->n &&
		   l->v[vt_toint(key)] == v && (vt_on_stack(all) || !vt_has_borrowings(l))) {
		l->v[vt_toint(key)] = VT_NULL;
		vt_release(v);
	}
}

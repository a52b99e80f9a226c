/*
 * put_in.c - assignments below a variable or property that are made in place.
 *
 * `$.conf[k]: v` makes a new dict of the old one, which costs what the dict has.  Where only the
 * property holds the old one, nobody can see the difference when it is changed instead.  Its
 * contract looks at the new element alone, if it is one by element: vt_prop_decl.items.
 *
 * Everything is looked at before anything is changed.
 */
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
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

/* class(): it looks at the object, and makes none. */
static bool
contract_takes(vt_rt *rt, vt_object *o, const vt_prop_decl *d, vt_value v)
{
	vt_cx cx = {.mode = VT_C_TRANSFORM,
		.self = vt_mkptr(o),
		.owner = vt_mkptr(o),
		.calling_type = d->cls,
		.unit = d->cls->unit ? d->cls->unit : &vt_core_unit};
	vt_value made = VT_UNDEF;
	vt_status st = d->item ? d->item(rt, &cx, v, &made) : VT_ERROR;
	vt_c_close(&cx);
	free(cx.path);
	if (st != VT_OK && d->item)
		vt_exc_clear(rt);
	vt_release(made);
	return st == VT_OK && made == v;
}

bool
vt_accepts(vt_rt *rt, vt_object *o, const vt_prop_decl *d, vt_value all, vt_value key, vt_value v)
{
	vt_value like;
	if (v == VT_NOVALUE || !vt_stays(v) || v == all || key == all)
		return false;
	if (d == NULL)
		return true;
	if (vt_is(all, DICT) && !vt_takes(key, d->keys))
		return false;
	if (!vt_takes(v, d->items))
		return (d->pure & 4) != 0 && contract_takes(rt, o, d, v);
	if (!(d->items & VT_TAKES_LIKE) || !vt_is(v, OBJECT))
		return true;
	like = sample(all);
	return (vt_is(like, OBJECT) && VT_AS(vt_object, like)->cls == VT_AS(vt_object, v)->cls) ||
	       contract_takes(rt, o, d, v);
}

/* ---- the way down ---------------------------------------------------------------------------- */

struct way {
	vt_rt *rt;
	const vt_unit *u;
	vt_ic *ic;
	uint32_t n;
	const vt_value *path;
	vt_value v;
	vt_object *o;          /* the last object on it, */
	const vt_prop_decl *d; /* its property, or NULL, */
	uint32_t at;           /* and the level below that */
};

/* The property of the object that the level names, if code of the unit may write it: *v. */
static bool
through_object(struct way *w, uint32_t i, vt_value *v)
{
	vt_object *o = VT_AS(vt_object, *v);
	if (i + 1 == w->n || !vt_is(w->path[i], STR))
		return false;
	if (w->ic[i].key != o->cls &&
		!vt_learn_slot(w->rt, w->u, o, vt_as_str(w->path[i]), &w->ic[i]))
		return false;
	w->o = o;
	w->d = w->ic[i].target;
	w->at = i + 1;
	*v = o->v[w->ic[i].aux];
	return *v != VT_UNDEF;
}

/* {path[i]: ..{path[n - 1]: v}}, owned. */
static vt_status
nested(struct way *w, uint32_t i, vt_value *out)
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

static bool
put_last(struct way *w, vt_value all, uint32_t i)
{
	vt_value key = w->path[i];

	return vt_stays(key) && vt_hashable(key) &&
	       (i != w->at || vt_accepts(w->rt, w->o, w->d, all, key, w->v)) &&
	       vt_dict_put(w->rt, vt_as_dict(all), key, w->v) == VT_OK;
}

/* The last level, or the first that is missing, which an empty dict stands for. */
static bool
put_key(struct way *w, vt_value all, uint32_t i)
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
	ok = (i != w->at || vt_accepts(w->rt, w->o, w->d, all, w->path[i], v)) &&
	     vt_dict_put(w->rt, vt_as_dict(all), w->path[i], v) == VT_OK;
	vt_release(v);
	return ok;
}

static bool
put_item(struct way *w, vt_value all, uint32_t i)
{
	vt_list *l = vt_as_list(all);
	int64_t at = vt_toint(w->path[i]);
	if (at > l->n || (i == w->at && !vt_accepts(w->rt, w->o, w->d, all, VT_NULL, w->v)))
		return false;
	if (at < l->n)
		vt_list_put(l, (uint32_t)at, vt_copy(w->v));
	else
		vt_list_push(w->rt, l, vt_copy(w->v));
	l->h.flags |= VT_F_FINAL;
	return true;
}

/* Would the property's contract take `next`, an element of `all`, with the value put into it? A
 * container with nothing else is as good to a contract by element. */
static bool
takes_below(const struct way *w, uint32_t i, vt_value all, vt_value next)
{
	const vt_prop_decl *d = w->d;
	vt_value pair[2] = {w->path[w->n - 1], w->v}, one = VT_UNDEF;
	bool ok;
	if (i != w->at)
		return true;
	if (vt_is(all, DICT) && !vt_takes(w->path[i], d->keys))
		return false;
	if (d->items & VT_TAKES_FINAL)
		return true;
	if (!(d->pure & 4) || i + 2 != w->n || !vt_stays(pair[0]) || !vt_hashable(pair[0]))
		return false;
	if (vt_is(next, DICT))
		(void)vt_dict_of(w->rt, 1, pair, &one); /* the key can be hashed */
	else
		(void)vt_tuple_of(w->rt, 1, &pair[1], &one);
	vt_head_of(one)->flags |= VT_F_FINAL;
	ok = contract_takes(w->rt, w->o, d, one);
	vt_release(one);
	return ok;
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

/* One level of a container that has so many holders; *done: nothing is left to do. */
static bool
through_container(struct way *w, uint32_t i, uint32_t holders, vt_value *v, bool *done)
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
	if (holders == 0 || !vt_may_change(all, holders) || all == w->v ||
		(w->o != NULL && w->d == NULL))
		return false;
	if (last || next == VT_UNDEF)
		return *done = vt_is(all, TUPLE) ? last && put_item(w, all, i) : put_key(w, all, i);
	*v = next;
	return takes_below(w, i, all, next);
}

int
vt_put_in(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value root, uint32_t holders, uint32_t n,
	const vt_value *path, vt_value v)
{
	struct way w = {.rt = rt, .u = u, .ic = ic, .n = n, .path = path, .v = v, .at = n};
	bool done = false;
	if (!vt_stays(v) || v == VT_NOVALUE)
		return 0;
	for (uint32_t i = 0; i < n && !done; i++) {
		if (vt_is(root, OBJECT)) {
			if (!through_object(&w, i, &root))
				return 0;
			holders = 1;
			continue;
		}
		if (!through_container(&w, i, holders, &root, &done))
			return 0;
		holders = 1;
	}
	return done;
}

int
vt_grow_in(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value root, uint32_t n, const vt_value *path,
	vt_value x, vt_value more)
{
	struct way w = {.rt = rt, .u = u, .ic = ic, .n = n, .path = path, .v = more, .at = n};
	vt_value all = root, next;
	const vt_list *m;
	uint32_t i = 0;
	if (vt_is(root, OBJECT) && !through_object(&w, i++, &all))
		return 0;
	/* One level below the variable or property: what stands there is x. */
	if (i + 1 != n || !vt_is_ptr(all) || !child(all, path[i], true, &next) || next != x ||
		!vt_may_change(all, 1) || !vt_may_change(x, 2) || !vt_is(x, TUPLE) ||
		vt_as_list(x)->n >= VT_MOST_ITEMS || !vt_is_sequence(more) || more == x ||
		!vt_has_final_items(more))
		return 0;
	if (w.o != NULL &&
		(w.d == NULL || (vt_is(all, DICT) && !vt_takes(path[i], w.d->keys)) ||
			(!(w.d->items & VT_TAKES_FINAL) &&
				(!(w.d->pure & 4) || !contract_takes(rt, w.o, w.d, more)))))
		return 0;
	m = vt_as_list(more);
	for (uint32_t k = 0; k < m->n; k++)
		if (!vt_stays(m->v[k]))
			return 0;
	vt_list_add_final(rt, vt_as_list(x), m);
	return 1;
}

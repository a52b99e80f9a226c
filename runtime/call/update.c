/*
 * update.c - functions of the library that change their first argument instead of making another
 * one, where nobody can tell.
 *
 * `$d: $d.set(k, v)` comes here when the site has found the library's set() for such values, which
 * a method of a class, an overload of the host, a mock or a quota prevent.  Nothing is changed
 * before it is certain that nothing fails: what raises, or does more than these lines know, goes
 * the long way.  The value stays evaluated (VT_F_FINAL), as what the variable is assigned.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

_Static_assert(VT_TAG_BITS == 6 && VT_TAG_KINDS == 16, "VT_TAGS_LIST_INTS");

/* What is changed, and the property whose contract has a say; or NULL. */
typedef struct update {
	vt_rt *rt;
	vt_value x;
	vt_value of;
	const vt_prop_decl *d;
	const vt_way *way; /* to x, where that stands below a variable or property; or NULL */
	const vt_value *v; /* the arguments; [0] is x */
	uint32_t n;        /* of them that were given */
	bool dry;          /* only asks whether the change could be made */
} update;

static bool
accepts(const update *u, vt_value key, vt_value v)
{
	if (u->d == NULL && u->way == NULL && !vt_is_ptr(v)) /* of a variable */
		return v != VT_NOVALUE && key != u->x;
	if (u->way != NULL)
		return vt_way_takes(u->way, u->x, key, v);
	return vt_accepts(u->rt, u->of, u->d, u->x, key, v);
}

/* An argument is evaluated where it lies: what is assigned will be. */
static bool
settled(const update *u, vt_value v)
{
	return vt_stays(v) || (v != u->x && vt_settles(v));
}

/* May elements go? A contract by element leaves the others as they are. */
static bool
gives(const update *u)
{
	return u->way == NULL || vt_way_gives(u->way, u->x);
}

/* Does it stand there already? A contract has taken it then. */
static bool
is_there(const update *u)
{
	const vt_list *l = vt_as_list(u->x);
	vt_value key = u->v[1], v = u->v[2];
	if ((u->d == NULL && u->way == NULL) || !vt_is_ptr(v) || v == u->x || !vt_stays(v))
		return false;
	if (vt_is(u->x, DICT))
		return vt_dict_get(vt_as_dict(u->x), key) == v;
	return vt_is_int(key) && (uint64_t)vt_toint(key) < l->n && l->v[vt_toint(key)] == v;
}

static bool
set(const update *u)
{
	if (vt_is(u->x, DICT) && vt_hashable(u->v[1]) && is_there(u))
		return true;
	return vt_is(u->x, DICT) && vt_stays(u->v[1]) && vt_hashable(u->v[1]) &&
	       settled(u, u->v[2]) && accepts(u, u->v[1], u->v[2]) &&
	       (u->dry || vt_dict_put(u->rt, vt_as_dict(u->x), u->v[1], u->v[2]) == VT_OK);
}

static bool
merge(const update *u)
{
	vt_value key, v;
	const vt_dict *by;
	if (!vt_is(u->x, DICT) || !vt_is(u->v[1], DICT) || u->v[1] == u->x)
		return false;
	(void)vt_settles(u->v[1]);
	by = vt_as_dict(u->v[1]);
	for (uint32_t i = 0; vt_dict_at(by, &i, &key, &v);)
		if (!vt_stays(key) || !accepts(u, key, v))
			return false;
	for (uint32_t i = 0; !u->dry && vt_dict_at(by, &i, &key, &v);)
		if (vt_dict_put(u->rt, vt_as_dict(u->x), key, v) != VT_OK)
			return false;
	return true;
}

static void
lose(vt_rt *rt, vt_dict *d, vt_value key)
{
	int i = d->shape && vt_is(key, STR) && !(d->h.flags & VT_F_BORROWED)
			? vt_shape_find(d->shape, vt_as_str(key))
			: -1;
	if (i < 0 || !vt_dict_lose(rt, d, (uint32_t)i))
		(void)vt_dict_del(rt, d, key);
}

static bool
forget(const update *u)
{
	if (!vt_is(u->x, DICT) || !gives(u))
		return false;
	for (uint32_t i = 1; i < u->n; i++)
		if (!vt_hashable(u->v[i]))
			return false;
	for (uint32_t i = 1; i < u->n && !u->dry; i++)
		lose(u->rt, vt_as_dict(u->x), u->v[i]);
	return true;
}

/* A position and, behind it, a count. */
static bool
is_place(const update *u, uint32_t i)
{
	return vt_is(u->x, TUPLE) && vt_is_int(u->v[i]) && vt_toint(u->v[i]) >= 0;
}

static bool
replace(const update *u)
{
	vt_list *l = vt_as_list(u->x);
	if (is_place(u, 1) && u->v[3] == vt_mkint(1) && is_there(u))
		return true;
	if (!is_place(u, 1) || u->v[3] != vt_mkint(1) || vt_toint(u->v[1]) >= l->n ||
		!settled(u, u->v[2]) || !accepts(u, VT_NULL, u->v[2]))
		return false;
	if (!u->dry)
		vt_list_put(l, (uint32_t)vt_toint(u->v[1]), vt_copy(u->v[2]));
	return true;
}

static bool
insert(const update *u)
{
	vt_list *l = vt_as_list(u->x);
	int64_t at = vt_toint(u->v[1]);
	if (!is_place(u, 1) || !settled(u, u->v[2]) || !accepts(u, VT_NULL, u->v[2]))
		return false;
	if (u->dry)
		return true;
	at = at > l->n ? l->n : at;
	vt_list_open(u->rt, l, (uint32_t)at, 1);
	l->v[at] = vt_copy(u->v[2]);
	return true;
}

static bool delete (const update *u)
{
	vt_list *l = vt_as_list(u->x);
	int64_t at = vt_toint(u->v[1]), n = vt_toint(u->v[2]);
	if (!is_place(u, 1) || !vt_is_int(u->v[2]) || !gives(u))
		return false;
	if (at < l->n && n != 0 && !u->dry)
		vt_list_close(l, (uint32_t)at,
			n < 0 || n > l->n - at ? l->n - (uint32_t)at : (uint32_t)n);
	return true;
}

static bool
skip(const update *u)
{
	vt_list *l = vt_as_list(u->x);
	if (!is_place(u, 1) || !gives(u))
		return false;
	if (!u->dry)
		vt_list_drop(l, vt_toint(u->v[1]) > l->n ? l->n : (uint32_t)vt_toint(u->v[1]));
	return true;
}

static bool
take(const update *u)
{
	vt_list *l = vt_as_list(u->x);
	if (!is_place(u, 1) || !gives(u))
		return false;
	if (vt_toint(u->v[1]) < l->n && !u->dry)
		vt_list_close(l, (uint32_t)vt_toint(u->v[1]), l->n - (uint32_t)vt_toint(u->v[1]));
	return true;
}

/* Behind the list, what was given as it is. */
static bool
append(const update *u)
{
	vt_list *l = vt_as_list(u->x);
	if (!vt_is(u->x, TUPLE) || l->n >= VT_MOST_ITEMS - VT_PLAIN_VALUES)
		return false;
	for (uint32_t i = 1; i < u->n; i++)
		if (u->v[i] == u->x || !settled(u, u->v[i]) || !accepts(u, VT_NULL, u->v[i]))
			return false;
	if (!u->dry)
		vt_list_extend(u->rt, l, u->n - 1, u->v + 1);
	return true;
}

/* Does no contract say what x may hold? A set is in a property where that takes anything. */
static bool
is_free(const update *u)
{
	if (u->way != NULL && u->way->at < u->way->n)
		return vt_way_gives(u->way, u->x);
	if (u->way != NULL && u->way->of != VT_UNDEF)
		return (u->way->d->items & VT_TAKES_FINAL) != 0;
	return u->d == NULL || (u->d->items & VT_TAKES_FINAL) != 0;
}

/* Members of a set: add() keeps the one that was there first. */
static bool
members(const update *u, bool add)
{
	if (!vt_is(u->x, SET) || !is_free(u))
		return false;
	for (uint32_t i = 1; i < u->n; i++)
		if (!vt_hashable(u->v[i]) || !vt_stays(u->v[i]) || u->v[i] == u->x)
			return false;
	for (uint32_t i = 1; i < u->n && !u->dry; i++)
		if (!add)
			(void)vt_set_del(vt_as_set(u->x), u->v[i]);
		else
			(void)vt_set_add(u->rt, vt_as_set(u->x), u->v[i]);
	return true;
}

/* The members of another set: one that both have stays as it was. */
static bool
unite(const update *u)
{
	uint8_t final = VT_F_FINAL;
	vt_value member;
	if (!vt_is(u->x, SET) || !is_free(u) || !vt_is(u->v[1], SET) || u->v[1] == u->x)
		return false;
	for (uint32_t i = 0; vt_set_at(vt_as_set(u->v[1]), &i, &member);) {
		if (!vt_stays(member) || member == u->x)
			return false;
		final = vt_is_final(member) ? final : 0;
	}
	if (u->dry)
		return true;
	final &= vt_head_of(u->x)->flags;
	vt_set_take(u->rt, vt_as_set(u->x), vt_as_set(u->v[1]), NULL, true);
	vt_head_of(u->x)->flags |= final; /* also where the other set is not marked */
	return true;
}

/* Behind the list, the items of each sequence that was given. */
static bool
join(const update *u)
{
	uint64_t all;
	if (vt_is(u->x, SET) && u->n == 2)
		return unite(u); /* the sum of two sets */
	if (!vt_is(u->x, TUPLE))
		return false;
	all = vt_as_list(u->x)->n;
	for (uint32_t k = 1; k < u->n; k++) {
		const vt_list *m;
		if (!vt_is_sequence(u->v[k]) || u->v[k] == u->x || !vt_settles(u->v[k]))
			return false;
		m = vt_as_list(u->v[k]);
		all += m->n;
		for (uint32_t i = 0; i < m->n; i++)
			if (!accepts(u, VT_NULL, m->v[i]))
				return false;
	}
	if (all > VT_MOST_ITEMS)
		return false;
	for (uint32_t k = 1; k < u->n && !u->dry; k++)
		vt_list_add_final(u->rt, vt_as_list(u->x), vt_as_list(u->v[k]));
	return true;
}

/* Without the members of another set. */
static bool
subtract(const update *u)
{
	vt_value member;
	if (!vt_is(u->x, SET) || !is_free(u) || !vt_is(u->v[1], SET) || u->v[1] == u->x)
		return false;
	for (uint32_t i = 0; !u->dry && vt_set_at(vt_as_set(u->v[1]), &i, &member);)
		(void)vt_set_del(vt_as_set(u->x), member);
	return true;
}

/* mergeWith() without functions: what is simple on both sides is replaced, as merge() does it;
 * lists and dicts that meet are merged by the library. */
static bool
merge_with(const update *u)
{
	vt_value key, v;
	if (u->n != 2 || !vt_is(u->x, DICT) || !vt_is(u->v[1], DICT))
		return false;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(u->v[1]), &i, &key, &v);) {
		vt_value old = vt_dict_get(vt_as_dict(u->x), key);
		if (old != VT_UNDEF && !(vt_is_scalar(old) && vt_is_scalar(v)))
			return false;
	}
	return merge(u);
}

/* Would the contract, if any, take what a merge changes?  Below the first level that is known only
 * where it takes anything. */
static bool
takes_change(const vt_merge_offer *o, const vt_merge_change *x)
{
	const update *u = o->of;
	if (!vt_stays(x->key) || !settled(u, x->v) || !vt_stays(x->v))
		return false;
	if (x->d != vt_as_dict(u->x) || x->extends)
		return is_free(u);
	return accepts(u, x->key, x->v);
}

/* mergeWith() with functions, as it is written, or of lists and dicts that meet. */
static bool
merge_by(const update *u, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv)
{
	const vt_ic *ic = vt_ic_at(u->rt, s->ic);
	vt_merge_offer o = {.x = u->x, .y = argv[0], .takes = takes_change, .of = u};
	vt_value v[VT_PLAIN_VALUES], none;
	vt_args a;
	if (recv != u->x || !vt_is(u->x, DICT) || s->nargs == 0 || o.y == VT_UNDEF ||
		!vt_is(o.y, DICT) || o.y == u->x || vt_metered(u->rt))
		return false;
	(void)vt_settles(o.y);
	vt_plain_args(&a, u->rt, sc, s, ic, v, 0);
	u->rt->s->offer = &o;
	(void)a.row->fn(&a, &none);
	return o.done;
}

static bool
change(const update *u, enum vt_in_place what)
{
	switch (what) {
	case VT_IN_SET: return set(u);
	case VT_IN_MERGE: return merge(u);
	case VT_IN_FORGET: return forget(u);
	case VT_IN_REPLACE: return replace(u);
	case VT_IN_INSERT: return insert(u);
	case VT_IN_DELETE: return delete (u);
	case VT_IN_SKIP: return skip(u);
	case VT_IN_TAKE: return take(u);
	case VT_IN_JOIN: return join(u);
	case VT_IN_ADD: return members(u, true);
	case VT_IN_REMOVE: return members(u, false);
	case VT_IN_APPEND: return append(u);
	case VT_IN_UNITE: return unite(u);
	case VT_IN_SUBTRACT: return subtract(u);
	case VT_IN_MERGEWITH: return merge_with(u);
	case VT_IN_LEN:
	case VT_IN_INDEX:
	case VT_IN_IN:
	case VT_IN_RANGE:
	case VT_IN_EATS:
	case VT_IN_SAME:
	case VT_IN_GET:
	case VT_IN_NEW:
	case VT_IN_CHOICE:
	case VT_IN_STR:
	case VT_IN_LET:
	case VT_IN_KEYS:
	case VT_IN_SPLIT:
	case VT_IN_GLUE:
	case VT_IN_ISA:
	case VT_IN_LIST: break;
	}
	return false;
}

/* The property whose elements are changed, where no contract further down has a say. */
static const vt_prop_decl *
changed_property(const update *u, vt_value *of)
{
	bool whole = u->way != NULL && u->way->of != VT_UNDEF && u->way->at == u->way->n;
	*of = whole ? u->way->of : u->of;
	return whole ? u->way->d : u->way == NULL ? u->d : NULL;
}

/* The items of a list, or the values of a dict, each as the contract makes it, owned; VT_UNDEF: it
 * refuses one. */
static vt_value
made_of_all(const update *u, vt_value of, const vt_prop_decl *d, vt_value more)
{
	vt_value key = VT_NULL, v, made, all;
	uint32_t pos = 0;
	if (!vt_settles(more) || more == u->x || (!vt_is(more, TUPLE) && !vt_is(more, DICT)))
		return VT_UNDEF;
	if (vt_is(more, TUPLE))
		all = vt_mkptr(vt_list_grow(u->rt, VT_K_TUPLE, vt_as_list(more)->n));
	else if (vt_dict_of(u->rt, 0, NULL, &all) != VT_OK)
		return VT_UNDEF;
	while (vt_is(more, DICT) ? vt_dict_at(vt_as_dict(more), &pos, &key, &v)
				 : pos < vt_as_list(more)->n) {
		if (vt_is(more, TUPLE))
			v = vt_as_list(more)->v[pos++];
		made = accepts(u, key, v) ? vt_copy(v)
					  : vt_made_element(u->rt, of, d, u->x, key, v);
		if (made != VT_UNDEF && vt_is(all, TUPLE)) {
			vt_list_push(u->rt, vt_as_list(all), made);
			continue;
		}
		if (made == VT_UNDEF || vt_dict_put(u->rt, vt_as_dict(all), key, made) != VT_OK) {
			vt_release(made);
			vt_release(all);
			return VT_UNDEF;
		}
		vt_release(made);
	}
	vt_head_of(all)->flags |= VT_F_FINAL;
	return all;
}

/* The same change with what the contract of the elements makes of the arguments. */
static bool
change_made(update *u, enum vt_in_place what)
{
	vt_value v[VT_PLAIN_VALUES], of;
	const vt_prop_decl *d = changed_property(u, &of);
	uint32_t first = what == VT_IN_APPEND || what == VT_IN_JOIN || what == VT_IN_MERGE ? 1 : 2;
	bool whole = what == VT_IN_JOIN || what == VT_IN_MERGE, ok = true;
	uint32_t last = what == VT_IN_APPEND ? u->n : first + 1, i;
	if (d == NULL || d->item == NULL || !(d->pure & 4) || u->n < last ||
		!(vt_is(u->x, DICT) || vt_is(u->x, TUPLE)) ||
		(what != VT_IN_SET && what != VT_IN_APPEND && what != VT_IN_REPLACE &&
			what != VT_IN_INSERT && !whole))
		return false;
	/* also those that are not given: replace() has a count */
	memcpy(v, u->v, (what == VT_IN_REPLACE ? 4 : u->n) * sizeof *v);
	for (i = first; i < last && ok; i++) {
		v[i] = whole ? made_of_all(u, of, d, v[i])
			     : vt_made_element(u->rt, of, d, u->x,
				       what == VT_IN_SET ? v[1] : VT_NULL, v[i]);
		ok = v[i] != VT_UNDEF;
	}
	if (ok) {
		const vt_value *given = u->v;
		u->v = v;
		ok = change(u, what);
		u->v = given;
	}
	while (i-- > first)
		vt_release(v[i]);
	return ok;
}

static int
merge_there(update *u, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv)
{
	vt_value v[VT_PLAIN_VALUES];
	const vt_ic *ic = vt_ic_at(u->rt, s->ic);
	u->v = v;
	if ((s->nargs > 1 || vt_plain_values(u->rt, sc, s, recv, argv, v, &u->n) != ic ||
		    v[0] != u->x || !merge_with(u)) &&
		!merge_by(u, sc, s, recv, argv))
		return 0;
	vt_head_of(u->x)->flags |= VT_F_FINAL;
	return 1;
}

/* The receiver and the arguments as they are. */
static void
values_given(const vt_site *s, vt_value recv, const vt_value *argv, vt_value *v, uint32_t *n)
{
	*n = 0;
	if (recv != VT_UNDEF)
		v[(*n)++] = recv;
	for (uint32_t i = 0; i < s->nargs; i++)
		v[(*n)++] = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
}

/* The values that the site's function would get, where the site has found one for their kinds that
 * changes the first in the way of the last one found.  A quick one looks at them itself, so the
 * kinds are those of the first call there. */
static bool
values_for(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_value *v, uint32_t *n)
{
	const vt_ic *ic = vt_ic_at(rt, s->ic),
		    *found = vt_plain_values(rt, sc, s, recv, argv, v, n);
	if (found != NULL)
		return found == ic || found->aux2 >> VT_IN_SHIFT == ic->aux2 >> VT_IN_SHIFT;
	if (recv == VT_UNDEF || !vt_found(ic, VT_IN_SET) || s->nargs != 2 ||
		!(ic->aux2 >> QUICK_SHIFT & 1))
		return false;
	values_given(s, recv, argv, v, n);
	return true;
}

/* Of a chain's later link, which is called with an iterator where the link before gives one: it has
 * found the function that this one has, for such arguments. */
static bool
values_behind(vt_rt *rt, const vt_site *before, const vt_site *s, vt_value x, const vt_value *argv,
	vt_value *v, uint32_t *n)
{
	const vt_ic *ic = vt_ic_at(rt, s->ic), *was = vt_ic_at(rt, before->ic);
	uint64_t tags = 0, all = (1ULL << (s->nargs * VT_TAG_BITS)) - 1;
	if (s->kind != VT_SITE_METHOD || s->nargs > 4 || ic->key != was->key ||
		ic->target != was->target || !vt_found(ic, VT_IN_APPEND))
		return false;
	values_given(s, x, argv, v, n);
	for (uint32_t i = 1; i < *n; i++)
		tags = tags << VT_TAG_BITS | vt_quick_tag(v[i]);
	return *n <= VT_PLAIN_VALUES && (ic->aux & all) == tags;
}

/* Of what nobody else holds. */
static __attribute__((noinline)) int
update_of(update *u, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv)
{
	vt_value v[VT_PLAIN_VALUES];
	const vt_ic *ic = vt_ic_at(u->rt, s->ic);
	if (vt_found(ic, VT_IN_MERGEWITH))
		return merge_there(u, sc, s, recv, argv);
	if (!vt_updates(ic) || !values_for(u->rt, sc, s, recv, argv, v, &u->n) || v[0] != u->x)
		return 0;
	u->v = v;
	if (!change(u, (enum vt_in_place)(ic->aux2 >> VT_IN_SHIFT)) &&
		!change_made(u, (enum vt_in_place)(ic->aux2 >> VT_IN_SHIFT)))
		return 0;
	vt_head_of(u->x)->flags |= VT_F_FINAL;
	return 1;
}

/* ---- changes of which all that the general way would find out is known ---- */

static inline bool
is_simple(vt_value v)
{
	return v != VT_NOVALUE && (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR);
}

/* A value that the change keeps as it is: lists, dicts and objects too. */
static inline bool
is_kept(vt_value v, vt_value x)
{
	return is_simple(v) || (v != x && v != VT_NOVALUE && (vt_stays(v) || vt_settles(v)));
}

/* Does the contract of the property, if any, take the item by its kind? */
static inline bool
takes_item(const vt_prop_decl *d, vt_value v)
{
	return d == NULL ||
	       (vt_takes(v, d->items) && !((d->items & VT_TAKES_LIKE) && vt_is(v, OBJECT)));
}

static inline void
push(vt_rt *rt, vt_list *l, vt_value v)
{
	if (unlikely(l->n >= l->cap)) {
		vt_list_push(rt, l, vt_copy(v));
		return;
	}
	vt_note_item(l, v);
	l->v[l->n++] = vt_copy(v);
}

static void
cut(vt_list *l, enum vt_in_place what, vt_value at)
{
	uint32_t i = vt_toint(at) < l->n ? (uint32_t)vt_toint(at) : l->n;
	if (what == VT_IN_SKIP)
		vt_list_drop(l, i);
	else if (i < l->n)
		vt_list_close(l, i, what == VT_IN_DELETE ? 1 : l->n - i);
}

/* A list's change by one position or item, or one of each. */
static inline bool
change_list(vt_rt *rt, const vt_prop_decl *d, vt_list *l, enum vt_in_place what, vt_value at,
	vt_value v, bool dry)
{
	bool one = what == VT_IN_INSERT;
	if (what == VT_IN_APPEND) {
		if (l->n >= VT_MOST_ITEMS || !is_kept(v, vt_mkptr(l)) || !takes_item(d, v))
			return false;
		if (!dry)
			push(rt, l, v);
		return true;
	}
	if (!vt_is_int(at) || vt_toint(at) < 0)
		return false;
	if (what == VT_IN_SKIP || what == VT_IN_TAKE || what == VT_IN_DELETE) {
		if (!dry)
			cut(l, what, at);
		return true;
	}
	if ((what != VT_IN_REPLACE && !one) || vt_toint(at) >= (int64_t)l->n + one ||
		l->n >= VT_MOST_ITEMS || !is_kept(v, vt_mkptr(l)) || !takes_item(d, v))
		return false;
	if (!dry && one) {
		vt_list_open(rt, l, (uint32_t)vt_toint(at), 1);
		l->v[vt_toint(at)] = vt_copy(v);
	} else if (!dry)
		vt_list_put(l, (uint32_t)vt_toint(at), vt_copy(v));
	return true;
}

/* A dict's by a key, and what is to be there, or a set's by a member. */
static inline bool
change_table(vt_rt *rt, const vt_prop_decl *d, vt_value x, enum vt_in_place what, vt_value key,
	vt_value v, bool dry)
{
	if (what == VT_IN_SET)
		return (vt_is_int(key) || vt_is(key, STR)) && is_kept(v, x) && takes_item(d, v) &&
		       (d == NULL || vt_takes(key, d->keys)) &&
		       (dry || vt_dict_put(rt, vt_as_dict(x), key, v) == VT_OK);
	if (!is_simple(key))
		return false;
	if (what == VT_IN_FORGET) {
		if (!dry)
			lose(rt, vt_as_dict(x), key);
		return true;
	}
	if (d != NULL && !(d->items & VT_TAKES_FINAL))
		return false;
	if (what == VT_IN_ADD)
		return dry || vt_set_add(rt, vt_as_set(x), key) == VT_OK;
	if (what == VT_IN_REMOVE && !dry)
		(void)vt_set_del(vt_as_set(x), key);
	return what == VT_IN_REMOVE;
}

/* Is it such a change of x, which the property of d has, or a variable (NULL)? It is made, unless
 * dry. */
static inline __attribute__((always_inline)) bool
change_plainly(vt_rt *rt, const vt_site *s, const vt_prop_decl *d, vt_value x, const vt_value *argv,
	bool dry)
{
	const vt_ic *ic = vt_ic_at(rt, s->ic);
	enum vt_in_place what = (enum vt_in_place)(ic->aux2 >> VT_IN_SHIFT);
	uint64_t tags = 16 + vt_head_of(x)->kind;
	vt_value at, v;
	if (s->nargs - 1 > 1)
		return false;
	at = v = argv[0] != VT_UNDEF ? argv[0] : constant_of(&s->args[0]);
	tags = tags << VT_TAG_BITS | vt_quick_tag(at);
	if (s->nargs == 2) {
		v = argv[1] != VT_UNDEF ? argv[1] : constant_of(&s->args[1]);
		tags = tags << VT_TAG_BITS | vt_quick_tag(v);
	}
	if (ic->aux != tags || /* found for other kinds */
		(s->nargs == 2) !=
			(what == VT_IN_SET || what == VT_IN_REPLACE || what == VT_IN_INSERT))
		return false;
	if (!(vt_is(x, TUPLE) ? change_list(rt, d, vt_as_list(x), what, at, v, dry)
			      : change_table(rt, d, x, what, at, v, dry)))
		return false;
	if (!dry)
		vt_head_of(x)->flags |= VT_F_FINAL;
	return true;
}

int
vt_update(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, vt_value x, uint32_t holders,
	const vt_value *argv)
{
	if (!vt_may_change(x, holders))
		return 0;
	if (likely(recv == x && change_plainly(rt, s, NULL, x, argv, false)))
		return 1;
	return update_of(&(update){.rt = rt, .x = x}, sc, s, recv, argv);
}

/* The property's value, which a temporary has read. */
static bool
is_value_of(const vt_ic *put, vt_value object, vt_value x)
{
	const vt_prop_decl *d = put->target;
	return vt_sees(put, object) && d != NULL && (d->items != 0 || d->item != NULL) &&
	       VT_AS(vt_object, object)->v[put->aux] == x;
}

int
vt_update_prop(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *put, vt_value object,
	vt_value recv, vt_value x, const vt_value *argv)
{
	update u = {.rt = rt, .x = x, .of = object, .d = put->target};
	if (!is_value_of(put, object, x) || !vt_may_change(x, 2))
		return 0;
	if (likely(recv == x && change_plainly(rt, s, u.d, x, argv, false)))
		return 1;
	return update_of(&u, sc, s, recv, argv);
}

/* What stands at the key, borrowed; VT_UNDEF: the site has to be called. */
static inline vt_value
element_of(const vt_ic *ic, vt_value a, vt_value key)
{
	const vt_dict *d = vt_as_dict(a);
	int i;
	if (!vt_is(a, DICT))
		return vt_item_of(ic, a, key);
	if (!vt_found(ic, VT_IN_GET) || !vt_is(key, STR))
		return VT_UNDEF;
	i = d->shape ? vt_shape_hit(d->shape, vt_as_str(key)) : -1;
	return i < 0 ? vt_dict_get_str(d, vt_as_str(key)) : d->v[i];
}

int
vt_element_of(const vt_ic *ic, const vt_ic *deep, vt_value a, vt_value i, vt_value k, vt_value *out)
{
	vt_value item = element_of(ic, a, i);
	if (item == VT_UNDEF || (item = element_of(deep, item, k)) == VT_UNDEF)
		return 0;
	*out = vt_copy(item);
	return 1;
}

int
vt_edited_list(vt_rt *rt, const vt_site *s, vt_value list, const vt_value *argv, vt_value *out)
{
	const vt_ic *ic = vt_ic_at(rt, s->ic);
	const vt_list *l = vt_as_list(list);
	vt_value v[2] = {VT_UNDEF, VT_UNDEF};
	uint64_t tags = 16 + VT_K_TUPLE;
	uint32_t drop = 1, at;
	vt_list *r;
	if (!vt_is(list, TUPLE) || !(l->h.flags & VT_F_FINAL) || vt_metered(rt) || s->nargs > 2)
		return 0;
	for (uint32_t i = 0; i < s->nargs; i++) {
		v[i] = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
		if (!is_kept(v[i], list))
			return 0;
		tags = tags << VT_TAG_BITS | vt_quick_tag(v[i]);
	}
	if (ic->aux != tags || l->n >= VT_MOST_ITEMS)
		return 0;                 /* found for other kinds */
	if (vt_found(ic, VT_IN_APPEND)) { /* more will come */
		r = vt_list_to_grow(rt, l, VT_LIST_ROOM);
		push(rt, r, v[0]);
		r->h.flags |= VT_F_FINAL;
		*out = vt_mkptr(r);
		return 1;
	}
	if (!vt_is_int(v[0]) || vt_toint(v[0]) < 0)
		return 0;
	at = vt_toint(v[0]) < l->n ? (uint32_t)vt_toint(v[0]) : l->n;
	if (vt_found(ic, VT_IN_INSERT))
		drop = 0;
	else if ((!vt_found(ic, VT_IN_DELETE) && !vt_found(ic, VT_IN_REPLACE)) || at == l->n)
		return 0;
	r = vt_list_grow(rt, VT_K_TUPLE, l->n + 1);
	for (uint32_t i = 0; i < at; i++)
		r->v[i] = vt_copy(l->v[i]);
	r->n = at;
	if (!vt_found(ic, VT_IN_DELETE))
		r->v[r->n++] = vt_copy(v[1]);
	for (uint32_t i = at + drop; i < l->n; i++)
		r->v[r->n++] = vt_copy(l->v[i]);
	r->h.flags |= VT_F_FINAL;
	if (vt_found(ic, VT_IN_DELETE))
		r->h.aux = l->h.aux;
	*out = vt_mkptr(r);
	return 1;
}

/* A way of so many levels, all of which may be walked. */
static vt_way
way_of(vt_rt *rt, const vt_unit *unit, vt_ic *ic, uint32_t n, const vt_value *path,
	const vt_value *held)
{
	return (vt_way){.rt = rt,
		.u = unit,
		.ic = ic,
		.n = n,
		.path = path,
		.v = VT_UNDEF,
		.held = held,
		.of = VT_UNDEF,
		.at = n,
		.whole = true};
}

/* Is one of the arguments what x stands in?  A variable's value has no holder beside the variable
 * where it is only an argument, so no count tells that; the change would close a ring. */
static inline bool
gives_root(const vt_site *s, const vt_value *argv, vt_value root)
{
	bool gives = false;
	for (uint32_t i = 0; i < s->nargs; i++)
		gives |= argv[i] == root;
	return gives;
}

int
vt_update_in(vt_rt *rt, const vt_unit *unit, vt_ic *ic, vt_value root, uint32_t n,
	const vt_value *path, const vt_value *held, vt_scope *sc, const vt_site *s, vt_value recv,
	vt_value x, const vt_value *argv)
{
	vt_way w = way_of(rt, unit, ic, n, path, held);
	if (!vt_leads_to(&w, root, x, 2) || (n > 0 && gives_root(s, argv, root)))
		return 0;
	if (recv == x && (w.of == VT_UNDEF || (w.d->items & VT_TAKES_FINAL)) &&
		change_plainly(rt, s, NULL, x, argv, false))
		return 1;
	return update_of(&(update){.rt = rt, .x = x, .way = &w}, sc, s, recv, argv);
}

static bool
shrinks(enum vt_in_place what)
{
	return what == VT_IN_DELETE || what == VT_IN_SKIP || what == VT_IN_TAKE;
}

static __attribute__((noinline)) int
chain_of(vt_way *w, vt_scope *sc, uint32_t links, const vt_site *const *s, vt_value x,
	const vt_value *argv)
{
	vt_rt *rt = w->rt;
	vt_value v[VT_MOST_CHAIN][VT_PLAIN_VALUES];
	update u[VT_MOST_CHAIN];
	enum vt_in_place what[VT_MOST_CHAIN];
	bool less = false;
	for (uint32_t k = 0; k < links; argv += s[k++]->nargs) {
		const vt_ic *found = vt_ic_at(rt, s[k]->ic);
		u[k] = (update){.rt = rt, .x = x, .way = w, .v = v[k], .dry = true};
		what[k] = (enum vt_in_place)(found->aux2 >> VT_IN_SHIFT);
		if ((!values_for(rt, sc, s[k], s[k]->kind == VT_SITE_METHOD ? x : VT_UNDEF, argv,
			     v[k], &u[k].n) &&
			    (k == 0 ||
				    !values_behind(rt, s[k - 1], s[k], x, argv, v[k], &u[k].n))) ||
			v[k][0] != x || (what[k] == VT_IN_REPLACE && less) ||
			(what[k] == VT_IN_MERGEWITH && k > 0) || !change(&u[k], what[k]))
			return 0;
		less = less || shrinks(what[k]);
	}
	for (uint32_t k = 0; k < links; k++) {
		u[k].dry = false;
		(void)change(&u[k], what[k]);
		vt_head_of(x)->flags |= VT_F_FINAL;
	}
	return 1;
}

/* `x + [..]` in a chain, in the same way. */
static inline bool
join_plainly(vt_rt *rt, const vt_site *s, const vt_prop_decl *d, vt_value x, const vt_value *argv,
	bool dry)
{
	const vt_ic *ic = vt_ic_at(rt, s->ic);
	const vt_list *m = vt_as_list(argv[1]);
	uint64_t tags = (uint64_t)(16 + VT_K_TUPLE) << VT_TAG_BITS | vt_quick_tag(argv[1]);
	if (argv[0] != x || !vt_is(x, TUPLE) || !vt_found(ic, VT_IN_JOIN) || ic->aux != tags ||
		!vt_is(argv[1], TUPLE) || argv[1] == x || !vt_settles(argv[1]) ||
		m->n > VT_MOST_ITEMS / 8)
		return false;
	for (uint32_t i = 0; dry && i < m->n; i++)
		if (m->v[i] == VT_NOVALUE || m->v[i] == x || !takes_item(d, m->v[i]))
			return false;
	if (!dry)
		vt_list_add_final(rt, vt_as_list(x), m);
	return true;
}

static inline bool
change_link(vt_rt *rt, const vt_site *s, const vt_prop_decl *d, vt_value x, const vt_value *argv,
	bool dry)
{
	return s->kind == VT_SITE_METHOD ? change_plainly(rt, s, d, x, argv, dry)
					 : join_plainly(rt, s, d, x, argv, dry);
}

/* The same of plain changes; d: the property that has x, or NULL. */
static inline bool
chain_plainly(vt_rt *rt, uint32_t links, const vt_site *const *s, const vt_prop_decl *d, vt_value x,
	const vt_value *argv)
{
	const vt_value *v = argv;
	bool less = false;
	for (uint32_t k = 0; k < links; v += s[k++]->nargs) {
		enum vt_in_place what =
			(enum vt_in_place)(vt_ic_at(rt, s[k]->ic)->aux2 >> VT_IN_SHIFT);
		if (!change_link(rt, s[k], d, x, v, true) ||
			((what == VT_IN_REPLACE || what == VT_IN_INSERT) && less))
			return false;
		less = less || shrinks(what);
	}
	for (uint32_t k = 0; k < links; argv += s[k++]->nargs)
		(void)change_link(rt, s[k], d, x, argv, false);
	return true;
}

int
vt_update_chain(vt_rt *rt, const vt_unit *unit, vt_ic *ic, vt_value root, uint32_t n,
	const vt_value *path, const vt_value *held, vt_scope *sc, uint32_t links,
	const vt_site *const *s, vt_value x, uint32_t holders, const vt_value *argv)
{
	vt_way w;
	const vt_value *v = argv;
	if (!vt_may_change(x, holders) || (vt_is(x, TUPLE) && vt_as_list(x)->n > VT_MOST_ITEMS / 2))
		return 0;
	for (uint32_t k = 0; n > 0 && k < links; v += s[k++]->nargs)
		if (gives_root(s[k], v, root))
			return 0;
	if (n == 0 ? root == x : n == 1 && vt_is(root, OBJECT) && is_value_of(ic, root, x)) {
		if (likely(chain_plainly(rt, links, s, n ? ic->target : NULL, x, argv)))
			return 1;
	}
	w = way_of(rt, unit, ic, n, path, held);
	return vt_leads_to(&w, root, x, holders) && chain_of(&w, sc, links, s, x, argv);
}

int
vt_grow_text(vt_rt *rt, const vt_ic *put, vt_value object, vt_value text, uint32_t n,
	const vt_value *more)
{
	vt_value *slot;
	if (!vt_is(text, STR) || !vt_sees(put, object) || !vt_takes(text, put->aux2) ||
		!vt_texts(text, n, more) ||
		(vt_head_of(text)->rc != 2 &&
			(vt_head_of(text)->rc != 3 || !vt_str_is_known(rt, vt_as_str(text)))))
		return 0;
	slot = &VT_AS(vt_object, object)->v[put->aux];
	for (uint32_t i = 0; i < n; i++)
		if (more[i] == text)
			return 0;
	if (*slot != text)
		return 0;
	vt_release(text);
	return vt_add_texts(rt, slot, n, more);
}

/* A list that others hold too, as a Default, gives way to a copy with room for what comes. */
static int
grow_copy(update *u, const vt_site *s, const vt_ic *put, vt_value more)
{
	vt_value list = u->x, v[2] = {VT_UNDEF, more};
	if (!vt_is(list, TUPLE) || !vt_is(more, TUPLE) ||
		!vt_found(vt_ic_at(u->rt, s->ic), VT_IN_JOIN) || vt_metered(u->rt) ||
		(vt_head_of(list)->flags & (VT_F_FINAL | VT_F_BORROWED)) != VT_F_FINAL)
		return 0;
	u->x = v[0] = vt_mkptr(vt_list_to_grow(u->rt, vt_as_list(list), VT_LIST_ROOM));
	u->v = v;
	if (!join(u)) {
		vt_release(u->x);
		return 0;
	}
	vt_move(&VT_AS(vt_object, u->of)->v[put->aux], u->x);
	vt_release(list);
	return 1;
}

/* One item that the contract takes by its kind. */
static inline bool
push_plainly(const update *u, vt_value more)
{
	const vt_list *m = vt_as_list(more);
	vt_list *l = vt_as_list(u->x);
	if (!vt_is(u->x, TUPLE) || !vt_is(more, TUPLE) || m->n != 1 || m->v[0] == VT_NOVALUE ||
		(vt_is_ptr(m->v[0]) && !vt_is(m->v[0], STR)) || !vt_takes(m->v[0], u->d->items) ||
		l->n >= VT_MOST_ITEMS)
		return false;
	if (likely(l->n < l->cap)) {
		vt_note_item(l, m->v[0]);
		l->v[l->n++] = vt_copy(m->v[0]);
	} else
		vt_list_push(u->rt, l, vt_copy(m->v[0]));
	vt_release(u->x);
	return true;
}

int
vt_grow_prop(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *put, vt_value object,
	vt_value list, vt_value more)
{
	update u = {.rt = rt, .x = list, .n = 2};
	vt_value v[2] = {list, more};
	bool done;
	if (vt_is(list, STR))
		return vt_grow_text(rt, put, object, list, 1, &more);
	if (!is_value_of(put, object, list))
		return 0;
	u.of = object;
	u.d = put->target;
	if (!vt_may_change(list, 2))
		return grow_copy(&u, s, put, more);
	if (push_plainly(&u, more))
		return 1;
	u.v = v;
	done = vt_is(list, TUPLE) ? join(&u) || change_made(&u, VT_IN_JOIN)
				  : vt_update_prop(rt, sc, s, put, object, VT_UNDEF, list, v);
	if (!done)
		return 0;
	vt_head_of(list)->flags |= VT_F_FINAL;
	vt_release(list);
	return 1;
}

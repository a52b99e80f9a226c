/*
 * lookup.c - where in a list the items stand that are equal to a key, or whose member is.
 *
 * A program that looks into the same list for item after item, as in
 * `$.orders.select(let(k => $.id) -> $c.where($.id = $k).first())`, would read all of the list
 * each time.  The few lists that were asked for last are kept with an index.  What keeps a list
 * holds it, so nobody changes it in its place.
 */
#include "runtime/seq/batch.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

/* ENOUGH: an index costs what it costs so often to look into a list, or to read it to its end by a
 * member of its items. */
enum { KEPT = 4, LEAST = 16, ENOUGH = 16, ENOUGH_TO_END = 3 };

struct vt_lookups {
	vt_lookup entry[KEPT];
	uint32_t turn;
};

/* Texts, small integers and null are equal to none of another kind that is no float or bool. */
static bool
is_key(vt_value v)
{
	return vt_is_int(v) || v == VT_NULL || vt_is(v, STR);
}

static void
clear(vt_lookup *l)
{
	if (l->first != NULL) {
		vt_release(vt_mkptr(l->first));
		vt_release(vt_mkptr(l->list));
		free(l->next);
	}
	*l = (vt_lookup){.list = NULL};
}

void
vt_lookups_forget(vt_rt *rt)
{
	struct vt_lookups *all = rt->s->lookups;
	bool busy = false;

	for (uint32_t i = 0; all != NULL && i < KEPT; i++) {
		if (all->entry[i].busy == 0)
			clear(&all->entry[i]);
		busy |= all->entry[i].busy > 0;
	}
	if (busy)
		return;
	free(all);
	rt->s->lookups = NULL;
}

/* VT_UNDEF: it is none, or no key. */
static vt_value
key_of(vt_value item, const vt_str *name)
{
	if (name != NULL)
		item = vt_is(item, DICT) ? vt_dict_get_str(vt_as_dict(item), name) : VT_UNDEF;
	return item != VT_UNDEF && is_key(item) ? item : VT_UNDEF;
}

/* From behind, so that the first of equal keys is what the dict has in the end. */
static void
fill(vt_rt *rt, vt_lookup *l, const vt_list *list)
{
	vt_dict *d = vt_dict_new_cap(rt, false, list->n);
	uint32_t *next = vt_xmalloc(list->n * sizeof *next);

	for (uint32_t i = list->n; i-- > 0;) {
		vt_value key = key_of(list->v[i], l->name), old;
		if (key == VT_UNDEF)
			goto none;
		old = vt_dict_get(d, key);
		next[i] = old == VT_UNDEF ? UINT32_MAX : (uint32_t)vt_toint(old);
		if (vt_dict_set(rt, d, key, vt_mkint(i)) != VT_OK) {
			vt_exc_clear(rt);
			goto none;
		}
	}
	l->first = d;
	l->next = next;
	vt_retain(vt_mkptr(list));
	return;
none:
	free(next);
	vt_release(vt_mkptr(d));
	l->never = true;
}

static vt_lookup *
entry_of(vt_rt *rt, const vt_list *list, const vt_str *name)
{
	struct vt_lookups *all = rt->s->lookups;
	vt_lookup *l;

	if (all == NULL) {
		rt->s->lookups = all = vt_xmalloc(sizeof *all);
		*all = (struct vt_lookups){.turn = 0};
	}
	for (uint32_t i = 0; i < KEPT; i++) {
		l = &all->entry[i];
		if (l->list == list && l->name == name && l->n == list->n)
			return l;
	}
	l = &all->entry[all->turn++ % KEPT];
	for (uint32_t i = 0; i < KEPT && l->first != NULL; i++) /* one that cost little */
		if (all->entry[i].first == NULL)
			l = &all->entry[i];
	if (l->busy > 0)
		return NULL;
	clear(l);
	*l = (vt_lookup){.list = list, .name = name, .n = list->n};
	return l;
}

vt_lookup *
vt_lookup_of(vt_rt *rt, const vt_list *list, const vt_str *name, bool to_end)
{
	/* what a program's records hold may be objects, which are not to live longer for this */
	bool holds = name != NULL && rt->s->store != NULL;
	vt_lookup *l =
		list->n >= LEAST && !holds && !vt_metered(rt) ? entry_of(rt, list, name) : NULL;

	if (l == NULL || l->never)
		return NULL;
	if (l->first == NULL && ++l->asked >= (to_end ? ENOUGH_TO_END : ENOUGH))
		fill(rt, l, list);
	return l->first != NULL ? l : NULL;
}

bool
vt_lookup_first(const vt_lookup *l, vt_value key, uint32_t *at)
{
	vt_value found;

	if (key == VT_UNDEF || !is_key(key))
		return false;
	found = vt_dict_get(l->first, key);
	*at = found == VT_UNDEF ? UINT32_MAX : (uint32_t)vt_toint(found);
	return true;
}

/*
 * garbage.c - objects that programs dropped: when they are looked for, and how they go.
 *
 * A pass over all objects frees those without a counted reference (free_dropped); a walk finds the
 * others that nothing holds, rings of them (collect.c).  Both cost what is there, so each waits
 * until as much was made.
 */
#include "runtime/object/store.h"

#include <stdlib.h>

static __attribute__((noinline)) void
drop_more(vt_object *o)
{
	vt_object_more *own = vt_object_own(o);
	if (own->native_free != NULL)
		own->native_free(own->native);
	vt_release(own->metadata);
	vt_release(own->designer);
	vt_release(own->dependencies);
	if (own->privates != NULL)
		vt_release(vt_mkptr(own->privates));
	free(own);
}

/* What it holds goes. */
static inline void
drop_values(vt_object *o)
{
	if (o->more != &vt_object_plain)
		drop_more(o);
	for (uint32_t i = 0; i < o->cls->nslots; i++)
		vt_release(o->v[i]);
	vt_release(o->id);
	vt_release(o->name);
}

/* Their values are gone, so nothing may point at them any more. */
static void
free_all(vt_object *list)
{
	for (vt_object *o = list, *next; o != NULL; o = next) {
		next = o->next;
#ifdef VT_DEBUG
		if (o->h.rc != VT_OBJ_BIAS) {
			vt_say("vetro: an object of %s that goes has %d references\n",
				o->cls->decl->name->s, (int)(o->h.rc - VT_OBJ_BIAS));
			abort();
		}
#endif
		vt_heap_give(&o->h);
	}
}

void
vt_objects_free(vt_object *list)
{
	for (vt_object *o = list; o != NULL; o = o->next)
		drop_values(o);
	free_all(list);
}

bool
vt_is_registered(vt_rt *rt, const vt_object *o)
{
	return o->id == VT_UNDEF || vt_dict_get(vt_store_of(rt)->ids, o->id) == vt_mkptr(o);
}

static bool
is_kept(const vt_object *o)
{
	return o->doomed || (o->initialized && !o->destroyed && !o->cls->decl->is_meta &&
				    vt_needs_destruction(o));
}

/* Takes what is not held out of the list of all. */
static vt_object *
take_garbage(struct vt_store *s)
{
	vt_object *dead = NULL;
	for (vt_object **p = &s->all, *o; (o = *p) != NULL;) {
		if (o->held) {
			p = &o->next;
			continue;
		}
		*p = o->next;
		o->next = dead;
		dead = o;
		s->nobjects--;
	}
	return dead;
}

/* A pass costs the objects that are there, and the methods that run. */
static void
next_room(struct vt_store *s, uint64_t running)
{
	uint64_t least = running > VT_GARBAGE ? running : VT_GARBAGE;
	s->nmade = 0;
	s->room = VT_GARBAGE > 1 && s->nobjects > least ? s->nobjects : least;
}

/*
 * Frees what no counted reference is left to, and what only that held: most of what programs drop.
 * One pass, newest first, for objects are made before those that hold them from the beginning.
 * Owners are not counted, nor are the receivers of running methods; whoever is in the table of ids
 * is counted there. Those, and objects in rings, are for the walk.
 */
static void
free_dropped(vt_rt *rt)
{
	struct vt_store *s = vt_store_of(rt);
	uint64_t running = vt_mark_receivers(rt, true);
	for (vt_object **p = &s->all, *o; (o = *p) != NULL;) {
		if (o->h.rc != VT_OBJ_BIAS || o->owns || o->runs || o->doomed ||
			((o->cls->destroys || o->more != &vt_object_plain) && is_kept(o))) {
			p = &o->next;
			continue;
		}
		*p = o->next;
		s->nobjects--;
		drop_values(o);
		vt_heap_give(&o->h);
	}
	(void)vt_mark_receivers(rt, false);
	next_room(s, VT_GARBAGE > 1 ? running : 0);
	if (s->nheld > s->nobjects)
		s->nheld = s->nobjects;
}

enum { VT_PATIENCE = 2 };

/* What the walk just now, which looked at so many values, has found nobody to hold. */
static void
free_found(vt_rt *rt, uint64_t walked)
{
	struct vt_store *s = vt_store_of(rt);
	vt_object *dead = take_garbage(s);
	s->walked = walked;
	next_room(s, 0);
	s->nheld = s->nobjects;
	if (dead == NULL)
		return;
	for (vt_object *o = s->ends ? s->all : NULL; o != NULL; o = o->next)
		if (o->more != &vt_object_plain)
			vt_forget_subscribers(rt, o);
	for (vt_object *o = dead; o != NULL; o = o->next)
		if (o->id != VT_UNDEF && vt_is_registered(rt, o))
			vt_dict_del(rt, s->ids, o->id);
	vt_objects_free(dead);
}

static void
free_garbage(vt_rt *rt)
{
	struct vt_store *s = vt_store_of(rt);
	uint64_t before = s->nobjects;
	free_found(rt, vt_find_held(rt, is_kept));
	s->patience = s->nheld < before / 4 * 3   ? 0
		      : s->patience < VT_PATIENCE ? s->patience + 1
						  : VT_PATIENCE;
}

__attribute__((cold)) void
vt_store_free_unheld(vt_rt *rt, uint64_t walked)
{
	for (const vt_object *o = vt_store_of(rt)->all; o != NULL; o = o->next)
		if (!o->held && is_kept(o)) {
			free_garbage(rt);
			return;
		}
	free_found(rt, walked);
}

void
vt_store_make_room(vt_rt *rt)
{
	struct vt_store *s = vt_store_of(rt);
	uint64_t more;
	free_dropped(rt);
	/* A walk costs what it finds: that much must be there more than after the last one; a
	 * multiple of it where the last ones found hardly any garbage. */
	more = s->nobjects > s->nheld ? s->nobjects - s->nheld : 0;
	if (VT_GARBAGE == 1 || (more >= VT_GARBAGE / 2 && more >= s->nheld * (1 + s->patience) &&
				       more >= s->walked / 8))
		free_garbage(rt);
}

/*
 * store.c - the object store and loading: muranopl-engine.md 8 and PR6 to PR12.
 *
 * A model is loaded in two passes into a store of its own.  The first makes every object that has
 * an id, so that ids may point forwards; the second sets properties again, with every id known,
 * of objects for which it may find something else (vt_load_doubt, vt_load_owe),
 * and notes what is to run: native constructors and .init methods, those of nested objects before
 * those of their owners, base classes before derived ones.  When these have run the objects move to
 * the store below.  Objects without an id are made anew in the second pass; the first ones are
 * garbage.
 *
 * How an object gets its properties is in init_properties.c.
 */
#include "runtime/object/definition.h"
#include "runtime/object/init_plan.h"
#include "runtime/object/store.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/exception.h"
#include "runtime/object/contract.h"
#include "runtime/object/object.h"
#include "runtime/core/args.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

__attribute__((cold)) struct vt_store *
vt_store_new(vt_rt *rt)
{
	struct vt_store *s = rt->s->store = vt_xzalloc(sizeof *s);
	s->ids = vt_dict_new(rt, false);
	s->task = &rt->s->storing;
	s->room = VT_GARBAGE;
	return s;
}

bool
vt_writes_allowed(vt_rt *rt, int set)
{
	struct vt_store *s = vt_store_of(rt);
	bool was = s->task->writes;
	if (set >= 0)
		s->task->writes = set != 0;
	return was;
}

void
vt_load_doubt(vt_rt *rt)
{
	if (rt->s->store != NULL)
		rt->s->store->doubts++;
}

bool
vt_store_is_neat(vt_rt *rt)
{
	return rt->s->store != NULL && rt->s->store->neat;
}

bool
vt_store_first_pass(vt_rt *rt)
{
	vt_load *l = rt->s->storing.load;
	return l != NULL && l->first_pass;
}

/* In that load, those around it, and what has been loaded. */
static vt_object *
find_from(const struct vt_store *s, const vt_load *l, const vt_str *id)
{
	vt_value v = VT_UNDEF;
	for (; l != NULL && v == VT_UNDEF; l = l->up)
		v = vt_dict_get_str(l->ids, id);
	if (v == VT_UNDEF && s->ids->n > 0)
		v = vt_dict_get_str(s->ids, id);
	return v == VT_UNDEF ? NULL : VT_AS(vt_object, v);
}

vt_object *
vt_store_peek(vt_rt *rt, const vt_str *id)
{
	const struct vt_store *s = vt_store_of(rt);
	return find_from(s, s->task->load, id);
}

vt_object *
vt_store_find(vt_rt *rt, const vt_str *id)
{
	vt_object *o = vt_store_peek(rt, id);
	if (o == NULL || !vt_store_of(rt)->stale)
		return o;
	vt_store_settle(rt);
	return vt_store_peek(rt, id);
}

const vt_dict *
vt_store_ids(vt_rt *rt)
{
	return vt_store_of(rt)->ids;
}

vt_object *
vt_object_at(vt_rt *rt, vt_object *prev)
{
	return prev ? prev->next : vt_store_of(rt)->all;
}

vt_object *
vt_find_owner(vt_object *o, vt_class *cls)
{
	for (o = o->owner; o != NULL && !vt_class_is(o->cls, cls);)
		o = o->owner;
	return o;
}

/* ---- making objects ---- */

static vt_value
text_of(vt_rt *rt, vt_value id)
{
	vt_buf b = {0};
	if (vt_is(id, STR))
		return vt_copy(id);
	vt_pystr(rt, &b, id);
	return vt_str_take(rt, &b);
}

const vt_object_more vt_object_plain = {VT_NULL, VT_NULL, VT_NULL, NULL, NULL, NULL};

vt_object_more *
vt_object_own(vt_object *o)
{
	vt_object_more *own;
	if (o->more != &vt_object_plain)
		return (vt_object_more *)(uintptr_t)o->more;
	own = vt_xmalloc(sizeof *own);
	*own = vt_object_plain;
	o->more = own;
	return own;
}

__attribute__((cold)) void
vt_object_set_native(vt_object *o, void *native, void (*drop)(void *))
{
	vt_object_more *own = vt_object_own(o);
	own->native = native;
	own->native_free = drop;
}

static inline void
blank(vt_object *o, vt_class *cls)
{
	vt_value *v = (vt_value *)(void *)(o + 1);
	uint32_t n = cls->nslots;
	_Static_assert(
		sizeof *o == 96, "one by one, for clearing all at once is a loop: all are here");
	o->cls = cls;
	o->id = VT_UNDEF;
	o->v = v;
	o->name = VT_NULL;
	o->owner = o->next = NULL;
	o->initialized = o->destroyed = o->doomed = 0;
	o->held = o->owns = o->runs = 0;
	o->mark = o->inner = o->rank = 0;
	o->order = 0;
	o->fill = NULL;
	o->more = &vt_object_plain;
	for (uint32_t i = 0; i < n; i++)
		v[i] = VT_UNDEF;
}

void
vt_object_blank(vt_object *o, vt_class *cls)
{
	blank(o, cls);
}

/* id: VT_UNDEF: it is made when somebody asks for it. Owned. */
static vt_object *
take_object(vt_rt *rt, vt_class *cls, vt_object *owner, vt_value id)
{
	struct vt_store *s = vt_store_of(rt);
	vt_object *o = vt_heap_take(
		rt->s->heap, sizeof *o + cls->nslots * sizeof *o->v, VT_K_OBJECT, VT_F_FINAL);
	o->h.rc = VT_OBJ_BIAS;
	blank(o, cls);
	vt_object_owned(o, owner);
	o->id = id;
	o->next = s->all;
	s->all = o;
	s->nmade++;
	s->nobjects++;
	return o;
}

/* ids of those mean nothing outside */
static bool
is_system(const vt_class *cls)
{
	return strncmp(cls->decl->name->s, "io.murano.system.", 17) == 0;
}

static vt_object *
make_object(vt_rt *rt, vt_class *cls, vt_object *owner, vt_value id)
{
	vt_value made = likely(vt_is(id, STR)) ? vt_copy(id)
			: id != VT_NULL        ? text_of(rt, id)
					       : vt_new_uuid(rt);
	if (id == VT_NULL && !is_system(cls))
		made = vt_drawn(rt, made);
	return take_object(rt, cls, owner, made);
}

vt_object *
vt_object_bare(vt_rt *rt, vt_class *cls)
{
	struct vt_store *s = vt_store_of(rt);
	vt_value id = VT_UNDEF;
	vt_object *o;
	vt_store_room(rt);
	if (rt->s->drawn != NULL && !is_system(cls)) /* in the order in which they are made */
		id = vt_drawn(rt, vt_new_uuid(rt));
	o = take_object(rt, cls, NULL, id);
	o->initialized = 1;
	o->order = ++s->norder;
	s->neat = false;
	if (id != VT_UNDEF)
		(void)vt_dict_set(rt, s->ids, id, vt_mkptr(o));
	return o;
}

/* An object whose .init has failed is none of the store's, whoever holds it. */
void
vt_store_forget(vt_rt *rt, vt_object *o)
{
	vt_dict *ids = vt_store_of(rt)->ids;
	if (o->id != VT_UNDEF && vt_dict_get(ids, o->id) == vt_mkptr(o))
		(void)vt_dict_del(rt, ids, o->id);
}

vt_value
vt_object_id(const vt_object *o)
{
	vt_rt *rt = o->cls->rt;
	vt_object *self = (vt_object *)(uintptr_t)o;
	if (o->id == VT_UNDEF) {
		self->id = vt_new_uuid(rt);
		(void)vt_dict_set(rt, vt_store_of(rt)->ids, o->id, vt_mkptr(o));
	}
	return o->id;
}

/* Nothing points at an object but other objects now: their values first, then they themselves. */
__attribute__((cold)) void
vt_store_destroy(vt_rt *rt)
{
	struct vt_store *s = rt->s->store;
	if (s == NULL)
		return;
	vt_release(vt_mkptr(s->ids));
	if (s->meta != NULL)
		vt_release(vt_mkptr(s->meta));
	for (uint32_t i = 0; i < s->mcap; i++)
		if (s->makers[i].m != NULL)
			vt_maker_free(s->makers[i].m);
	free(s->makers);
	for (uint32_t i = 0; i < VT_KNOWN_TYPES; i++)
		if (s->types[i].type != NULL)
			vt_release(vt_mkptr(s->types[i].type));
	if (s->thrown != NULL)
		vt_release(vt_mkptr(s->thrown));
	for (uint32_t i = 0; i < VT_KNOWN_MODELS; i++)
		if (s->before[i].name != NULL)
			vt_release(vt_mkptr(s->before[i].name));
	vt_objects_free(s->all);
	free(s);
	rt->s->store = NULL;
}

/* ---- initializers ---- */

static __attribute__((cold)) vt_status
construct(vt_rt *rt, const vt_pending_init *p)
{
	vt_value out = VT_NULL;
	vt_args a = {.rt = rt,
		.unit = p->o->cls->decl->unit ? p->o->cls->decl->unit : &vt_core_unit,
		.self = vt_mkptr(p->o),
		.kw = p->args};
	bool was = vt_writes_allowed(rt, 1);
	vt_status st = p->native(&a, &out);
	vt_writes_allowed(rt, was);
	vt_release(out);
	return st;
}

static vt_status
run_pending(vt_rt *rt, vt_load *l, const vt_pending_init *p)
{
	vt_value out = VT_UNDEF;
	vt_status st = VT_OK;
	for (uint32_t i = p->from; i < p->to; i++)
		l->made[i].o->initialized |= !l->made[i].dry;
	if (p->o == NULL)
		return VT_OK;
	if (p->native != NULL)
		return construct(rt, p);
	if (p->init != NULL)
		st = rt->s->calls->init(rt, p->init, vt_mkptr(p->o), p->args, &out);
	vt_release(out);
	if (st == VT_OK && p->last)
		p->o->initialized = 1;
	return st;
}

void
vt_load_later(vt_load *l, vt_pending_init p)
{
	vt_push(l->todo, l->ntodo) = p;
}

/* They see the store below: the objects of this load have not moved there yet. */
static vt_status
run_all(vt_rt *rt, vt_load *l)
{
	vt_status st = VT_OK;
	rt->s->storing.load = l->up;
	for (uint32_t i = 0; i < l->ntodo && st == VT_OK; i++)
		st = run_pending(rt, l, &l->todo[i]);
	rt->s->storing.load = l;
	return st;
}

/* ---- loading ---- */

/* is_new: the id was looked for, and is not there. */
static vt_status
remember(vt_rt *rt, vt_load *l, vt_object *o, vt_value id, vt_value model, bool is_new)
{
	bool below = l->at != UINT32_MAX && l->made[l->at].loose;
	vt_retain(vt_mkptr(o));
	l->mixed = l->mixed || (below && id != VT_NULL);
	if (l->nmade == l->capmade) {
		l->capmade = l->capmade ? 2 * l->capmade : 8;
		l->made = vt_xrealloc(l->made, l->capmade * sizeof *l->made);
	}
	l->made[l->nmade++] = (vt_made){.o = o,
		.model = vt_copy(model),
		.dry = vt_store_of(rt)->task->dry,
		.named = id != VT_NULL,
		.loose = below || id == VT_NULL};
	l->odd_ids = l->odd_ids || (id != VT_NULL && !vt_is(id, STR));
	if (is_new) {
		vt_dict_add_text(rt, l->ids, id, vt_mkptr(o));
		return VT_OK;
	}
	return vt_dict_set(rt, l->ids, id == VT_NULL ? o->id : id, vt_mkptr(o));
}

__attribute__((cold)) void
vt_load_expect(vt_rt *rt, uint32_t n)
{
	vt_load *l = rt->s->storing.load;
	vt_value key, v;
	vt_dict *d;
	if (l == NULL || l->ids->n > n / 4)
		return;
	d = vt_dict_new_table(rt, false, n + n / 8);
	for (uint32_t pos = 0; vt_dict_at(l->ids, &pos, &key, &v);)
		(void)vt_dict_set(rt, d, key, v); /* it is a key already */
	vt_release(vt_mkptr(l->ids));
	l->ids = d;
}

/* "_x" keys of the header: what graphical designers keep there. */
static __attribute__((cold)) vt_value
designer_keys(vt_rt *rt, vt_value header)
{
	vt_value key, v;
	vt_dict *d = NULL;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(header), &i, &key, &v);) {
		if (!vt_is(key, STR) || vt_as_str(key)->s[0] != '_')
			continue;
		if (d == NULL)
			d = vt_dict_new(rt, false);
		(void)vt_dict_set(rt, d, key, v); /* a string is hashable */
	}
	return d ? vt_mkptr(d) : VT_NULL;
}

/* Those that are there; a second pass knows all.  The reference looks once, and so keeps what the
 * order of its sets lets it. */
static __attribute__((cold)) vt_value
known_dependencies(vt_rt *rt, vt_value from)
{
	vt_value on = vt_header_get(from, "onDestruction");
	vt_list *l = NULL;
	vt_dict *d;
	for (uint32_t i = 0; vt_is_sequence(on) && i < vt_as_list(on)->n; i++) {
		vt_value who = vt_header_get(vt_as_list(on)->v[i], "subscriber");
		if (!vt_is(who, STR) || vt_store_find(rt, vt_as_str(who)) == NULL)
			continue;
		if (l == NULL)
			l = vt_list_grow(rt, VT_K_TUPLE, vt_as_list(on)->n);
		vt_list_push(rt, l,
			vt_subscription(rt, vt_store_find(rt, vt_as_str(who)),
				vt_header_get(vt_as_list(on)->v[i], "handler")));
	}
	if (from != VT_NULL)
		vt_load_doubt(rt);
	if (l == NULL)
		return VT_NULL;
	d = vt_dict_new(rt, true);
	vt_dict_set_c(rt, d, "onDestruction", vt_mkptr(l));
	return vt_mkptr(d);
}

/* What "?" has for few objects. */
static __attribute__((cold)) void
keep_header(vt_rt *rt, vt_object *o, const vt_parsed *p)
{
	vt_value designer = p->designer ? designer_keys(rt, p->header) : VT_NULL,
		 dependencies = known_dependencies(rt, p->dependencies);
	vt_object_more *own;
	if (p->metadata == VT_NULL && designer == VT_NULL && dependencies == VT_NULL)
		return;
	own = vt_object_own(o);
	own->metadata = vt_copy(p->metadata);
	own->designer = designer;
	own->dependencies = dependencies;
}

static vt_object *
object_of(vt_rt *rt, vt_load *l, const vt_parsed *p, vt_object *owner, vt_status *st)
{
	vt_value v = VT_UNDEF;
	vt_object *o;
	*st = VT_OK;
	if (likely(vt_is(p->id, STR))) {
		v = vt_dict_get_str(l->ids, vt_as_str(p->id));
	} else if (p->id != VT_NULL) {
		if (!vt_hashable(p->id)) {
			*st = vt_unhashable(rt, p->id);
			return NULL;
		}
		v = vt_dict_get(l->ids, p->id);
	}
	/* The second pass knows the subscribers that come after what they wait for. */
	if (v != VT_UNDEF && p->dependencies != VT_NULL)
		vt_move(&vt_object_own(VT_AS(vt_object, v))->dependencies,
			known_dependencies(rt, p->dependencies));
	if (v == VT_UNDEF && l->keep_ids && vt_is(p->id, STR)) {
		o = find_from(vt_store_of(rt), l->up, vt_as_str(p->id));
		if (o != NULL && vt_store_of(rt)->stale) {
			vt_store_settle(rt);
			o = find_from(vt_store_of(rt), l->up, vt_as_str(p->id));
		}
		v = o ? vt_mkptr(o) : VT_UNDEF;
	}
	if (v != VT_UNDEF)
		return VT_AS(vt_object, v);
	o = make_object(rt, p->cls, owner, l->keep_ids ? p->id : VT_NULL);
	if (!p->plain) {
		o->name = vt_copy(p->name);
		keep_header(rt, o, p);
		o->destroyed = vt_truth(p->destroyed) != 0;
		o->h.flags |= o->destroyed ? VT_F_GONE : 0;
	}
	*st = remember(rt, l, o, p->id, p->model, vt_is(p->id, STR));
	return o;
}

void
vt_load_owe(vt_load *l, vt_owed w)
{
	w.made = l->at;
	vt_retain(w.v);
	vt_push(l->owed, l->nowed) = w;
}

bool
vt_load_knows(const vt_rt *rt, const vt_object *o)
{
	const vt_load *l = rt->s->storing.load;
	return l != NULL && l->at != UINT32_MAX && l->made[l->at].o == o && l->made[l->at].named;
}

static bool
pay(vt_rt *rt, const vt_owed *w)
{
	vt_propinfo p;
	if (w->p != NULL && vt_set_known(rt, w->o, w->p, w->v))
		return true;
	(void)vt_class_symbol(w->o->cls, w->decl->name, &p);
	if (vt_init_property(rt, w->o, w->part, w->decl, &p, w->v, w->calling) == VT_OK)
		return true;
	vt_exc_clear(rt);
	return false;
}

/* What is owed to objects that need no second pass. */
static bool
pay_all(vt_rt *rt, vt_load *l, uint32_t from, uint32_t to)
{
	for (; l->paid < l->nowed && l->owed[l->paid].made < to; l->paid++)
		if (l->owed[l->paid].made >= from) {
			const vt_owed w = l->owed[l->paid];
			if (!pay(rt, &w))
				return false;
		}
	return true;
}

static __attribute__((cold)) void
unsettle(vt_load *l, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		l->made[i].end = 0;
}

/* Without a second pass: those that were made for it are behind it.  False: something is wrong,
 * which a second pass says in its place. */
static bool
settled_later(vt_rt *rt, vt_load *l, uint32_t i)
{
	const struct vt_store *s = vt_store_of(rt);
	if (!pay_all(rt, l, i, l->made[i].end)) {
		unsettle(l, i, l->made[i].end);
		return false;
	}
	if (!s->task->dry && !s->looks)
		vt_load_later(
			l, (vt_pending_init){.args = VT_UNDEF, .from = i, .to = l->made[i].end});
	return true;
}

/*
 * The second pass comes to the data in the order of the first one, which made the objects in that
 * order.  Data that an expression makes is another one each time; its objects are passed over.
 * What has no id and is not settled is made again, and with it all that it owns.
 */
enum { LOOK_AHEAD = 16 };
static bool
is_settled(vt_rt *rt, vt_load *l, vt_value model, const vt_object *owner, vt_value *out)
{
	uint32_t i = l->next;
	if (l->first_pass)
		return false;
	while (i < l->nmade && i < l->next + LOOK_AHEAD && l->made[i].model != model)
		i++;
	if (i >= l->nmade || i == l->next + LOOK_AHEAD)
		return false;
	if (l->made[i].end == 0 || l->made[i].o->owner != owner || !settled_later(rt, l, i)) {
		l->next = i + 1;
		return false;
	}
	l->next = l->made[i].end;
	*out = vt_copy(vt_mkptr(l->made[i].o));
	return true;
}

/* `before`: how many objects and doubts there were. */
static void
settle(vt_rt *rt, vt_load *l, const vt_object *o, uint32_t before, uint64_t doubts)
{
	if (before < l->nmade && l->made[before].o == o && vt_store_of(rt)->doubts == doubts &&
		!o->destroyed)
		l->made[before].end = l->nmade;
	else
		vt_load_doubt(rt);
}

static vt_status
load_one(vt_rt *rt, vt_load *l, vt_value model, vt_object *owner, vt_class *dflt,
	const vt_unit *scope, const vt_class_decl *calling, bool root, vt_value *out)
{
	vt_parsed p;
	vt_object *o;
	vt_status st;
	uint32_t before = l->nmade, around = l->at;
	uint64_t doubts = vt_store_of(rt)->doubts;
	l->first_pass = l->first_pass || root;
	if (is_settled(rt, l, model, owner, out))
		return VT_OK;
	p.model = model;
	if (unlikely(!vt_as_before(vt_store_of(rt), model, &p)))
		VT_TRY(vt_parse_model(rt, model, scope, dflt, &p));
	o = object_of(rt, l, &p, owner, &st);
	if (o == NULL || st != VT_OK)
		return VT_ERROR;
	if (calling == NULL)
		calling = o->cls->decl;
	l->at = before < l->nmade ? before : UINT32_MAX;
	st = vt_initialize(rt, l, o, p.props, calling);
	l->at = around;
	if (l->first_pass && st == VT_OK)
		settle(rt, l, o, before, doubts);
	if (root && st == VT_OK) {
		l->first_pass = false;
		if (l->mixed && l->refers)
			unsettle(l, 0, l->nmade);
		if (before >= l->nmade || l->made[before].end == 0 || !settled_later(rt, l, before))
			st = vt_initialize(rt, l, o, p.props, calling);
	}
	if (root && st == VT_OK)
		st = run_all(rt, l);
	if (st == VT_OK)
		*out = vt_copy(vt_mkptr(o));
	return st;
}

/* The object is the store's from now on. What had its id before gives its place in the order. */
static void
enlist(vt_rt *rt, struct vt_store *s, vt_object *o)
{
	vt_value before = vt_dict_get(s->ids, o->id);
	o->order = before != VT_UNDEF ? VT_AS(vt_object, before)->order : ++s->norder;
	(void)vt_dict_set(rt, s->ids, o->id, vt_mkptr(o)); /* a text is hashable */
}

/* Is the load's own table what the store's is to become? */
static bool
is_whole(const vt_load *l, const struct vt_store *s)
{
	if (l->up != NULL || !l->keep_ids || l->odd_ids || vt_dict_len(s->ids) > 0 ||
		vt_dict_len(l->ids) != l->nmade)
		return false;
	for (uint32_t i = 0; i < l->nmade; i++)
		if (!l->made[i].o->initialized && !l->made[i].dry)
			return false;
	return true;
}

/* What is left of it when templates are taken out; how many there were. */
static uint32_t
drop_dry(vt_rt *rt, vt_load *l)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->nmade; i++)
		if (!l->made[i].o->initialized && vt_dict_del(rt, l->ids, l->made[i].o->id))
			n++;
	return n;
}

/* Objects whose .init has run stay; those of a template's dry run do not. */
static vt_status
hand_over(vt_rt *rt, vt_load *l)
{
	struct vt_store *s = vt_store_of(rt);
	s->neat = false;
	s->odd_ids = s->odd_ids || l->odd_ids;
	if (is_whole(l, s)) {
		uint32_t dry = drop_dry(rt, l);
		vt_dict *mine = l->ids;
		for (uint32_t i = 0; i < l->nmade; i++)
			if (l->made[i].o->initialized)
				l->made[i].o->order = ++s->norder;
		s->neat = dry == 0 && s->nobjects == l->nmade && l->made[0].end == l->nmade;
		l->ids = s->ids;
		s->ids = mine;
		return VT_OK;
	}
	for (uint32_t i = 0; i < l->nmade; i++) {
		vt_object *o = l->made[i].o;
		if (!o->initialized)
			continue;
		if (l->up != NULL)
			VT_TRY(remember(rt, l->up, o, VT_NULL, VT_NULL, false));
		else
			enlist(rt, s, o);
	}
	return VT_OK;
}

static vt_status
load_root(vt_rt *rt, vt_value model, vt_object *owner, vt_class *dflt, bool keep_ids,
	const vt_unit *scope, const vt_class_decl *calling, vt_value *out)
{
	struct vt_store *s = vt_store_of(rt);
	vt_load l = {.up = s->task->load,
		.ids = vt_dict_new(rt, false),
		.root_owner = owner,
		.keep_ids = keep_ids,
		.at = UINT32_MAX};
	vt_value made = VT_UNDEF;
	vt_status st;
	s->task->load = &l;
	st = load_one(rt, &l, model, owner, dflt, scope, calling, true, &made);
	s->task->load = l.up;
	if (st == VT_OK)
		st = hand_over(rt, &l);
	for (uint32_t i = 0; i < l.ntodo; i++)
		vt_release(l.todo[i].args);
	vt_release(vt_mkptr(l.ids));
	for (uint32_t i = 0; i < l.nmade; i++) {
		vt_release(vt_mkptr(l.made[i].o));
		vt_release(l.made[i].model);
	}
	for (uint32_t i = 0; i < l.nowed; i++)
		vt_release(l.owed[i].v);
	free(l.owed);
	free(l.todo);
	free(l.made);
	return vt_settle(st, made, out);
}

/* Models nest as deep as calls may. */
static vt_status
deeper(vt_rt *rt)
{
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	rt->depth++;
	return VT_OK;
}

vt_status
vt_store_load(vt_rt *rt, vt_value model, vt_object *owner, vt_class *dflt, bool keep_ids,
	const vt_unit *scope, vt_value *out)
{
	vt_status st;
	VT_TRY(deeper(rt));
	vt_store_room(rt);
	st = load_root(rt, model, owner, dflt, keep_ids, scope, scope ? scope->cls : NULL, out);
	rt->depth--;
	return st;
}

vt_status
vt_store_look(vt_rt *rt, vt_value model, vt_value *out)
{
	vt_status st;
	vt_store_of(rt)->looks = true;
	st = vt_store_load(rt, model, NULL, NULL, true, NULL, out);
	vt_store_of(rt)->looks = false;
	return st;
}

vt_status
vt_store_nested(vt_rt *rt, vt_value model, vt_object *owner, vt_class *dflt, const vt_unit *scope,
	const vt_class_decl *calling, vt_value *out)
{
	vt_load *l = rt->s->storing.load;
	vt_status st;
	VT_TRY(deeper(rt));
	if (l != NULL && owner != l->root_owner)
		st = load_one(rt, l, model, owner, dflt, scope, calling, false, out);
	else
		st = load_root(rt, model, owner, dflt, false, scope, calling, out);
	rt->depth--;
	return st;
}

vt_status
vt_store_template(vt_rt *rt, vt_value model, vt_object *owner, vt_class *dflt, const vt_unit *scope,
	const vt_class_decl *calling, vt_value *out)
{
	struct vt_store *s = vt_store_of(rt);
	bool was = s->task->dry;
	vt_status st;
	s->task->dry = true;
	st = vt_store_nested(rt, model, owner, dflt, scope, calling, out);
	s->task->dry = was;
	return st;
}

vt_dict *
vt_meta_cache(vt_rt *rt)
{
	struct vt_store *s = vt_store_of(rt);
	if (s->meta == NULL)
		s->meta = vt_dict_new(rt, false);
	return s->meta;
}

/* For debuggers: VT_LAYOUT. */
static const uint32_t vt_layout_object[] VT_LAYOUT = {offsetof(vt_object, cls),
	offsetof(vt_object, id), offsetof(vt_object, v), offsetof(vt_object, name),
	offsetof(vt_object, owner), offsetof(vt_object, next), offsetof(vt_class, decl),
	offsetof(vt_class, slots), offsetof(vt_class, nslots), sizeof(vt_slotdef),
	offsetof(vt_slotdef, name), offsetof(vt_session, store), offsetof(struct vt_store, all),
	offsetof(vt_cast, obj), offsetof(vt_cast, cls)};

/*
 * object.c - properties: muranopl-engine.md 3, and the left sides of assignments (B3).
 *
 * Which property a name means depends on who asks.  Code of a class that the object belongs to
 * looks from that class upwards; what it does not find there is its own private field.  Other code
 * looks from the class the object is seen as.  The value always stands in the slot of the real
 * object; a private field in its dict under "FQN.name".
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"

#include <stdlib.h>
#include <string.h>

/* The caller's class as the object has it; NULL when the caller is nobody or a stranger. */
static vt_class *
caller_class(const vt_unit *caller, vt_class *seen)
{
	return caller != NULL && caller->cls != NULL ? vt_class_seen(seen, caller->cls) : NULL;
}

static __attribute__((cold)) vt_status
ambiguous(vt_rt *rt, const vt_str *name)
{
	return vt_raise(
		rt, VT_E_AMBIGUOUS_PROPERTY, "Found more than one property \"%s\"", name->s);
}

static vt_status
uninitialized(vt_rt *rt, const vt_str *name, const vt_class *c)
{
	return vt_raise(rt, VT_E_UNINITIALIZED,
		"Access to uninitialized property \"%s\" in class \"%s\" is forbidden", name->s,
		c->decl->name->s);
}

/* "FQN.name", on the C stack where it is not too long: each `$._field` asks. */
typedef struct private_key {
	vt_str *s;
	struct {
		vt_str s;
		char room[200];
	} here;
} private_key;

static void
make_key(private_key *k, const vt_class *c, const vt_str *name)
{
	const vt_str *fqn = c->decl->name;
	size_t n = (size_t)fqn->bytes + 1 + name->bytes;
	char *to;
	k->s = n < sizeof k->here.room ? &k->here.s : vt_xmalloc(sizeof *k->s + n + 1);
	to = (char *)k->s + offsetof(vt_str, s);
	k->s->h = (vt_head){VT_IMMORTAL, VT_K_STR, 0, 0};
	k->s->bytes = (uint32_t)n;
	k->s->points = 0;
	k->s->hash = 0;
	memcpy(to, fqn->s, fqn->bytes);
	to[fqn->bytes] = '.';
	memcpy(to + fqn->bytes + 1, name->s, (size_t)name->bytes + 1);
}

static void
drop_key(private_key *k)
{
	if (k->s != &k->here.s)
		free(k->s);
}

static vt_status
get_private(vt_rt *rt, vt_object *o, const vt_class *c, const vt_str *name, vt_value *out)
{
	vt_value v = VT_UNDEF;
	private_key key;
	if (o->more->privates != NULL) {
		make_key(&key, c, name);
		v = vt_dict_get_str(o->more->privates, key.s);
		drop_key(&key);
	}
	if (v == VT_UNDEF)
		return uninitialized(rt, name, c);
	*out = vt_copy(v);
	return VT_OK;
}

/* A key that the dict keeps is a value of its own. */
static vt_status
set_private(vt_rt *rt, vt_object *o, const vt_class *c, const vt_str *name, vt_value v)
{
	vt_object_more *own = vt_object_own(o);
	private_key key;
	vt_value kept;
	vt_status st;
	if (own->privates == NULL)
		own->privates = vt_dict_new(rt, false);
	make_key(&key, c, name);
	kept = vt_dict_get_str(own->privates, key.s) != VT_UNDEF
		       ? vt_mkptr(key.s)
		       : vt_str_new(rt, key.s->s, key.s->bytes);
	st = vt_dict_set(rt, own->privates, kept, v);
	if (kept != vt_mkptr(key.s))
		vt_release(kept);
	drop_key(&key);
	return st;
}

static __attribute__((cold)) vt_status
not_an_object(vt_rt *rt, vt_value v, const vt_str *name)
{
	return vt_raise(rt, VT_E_PROPERTY_ACCESS, "Property \"%s\" of %s, which is no object",
		name->s, vt_py_type(v));
}

vt_status
vt_get_prop(vt_rt *rt, const vt_unit *caller, vt_value object, const vt_str *name, vt_value *out)
{
	vt_object *o;
	vt_class *mine;
	vt_propinfo p;
	if (!vt_is(object, OBJECT) && !vt_is(object, CAST))
		return not_an_object(rt, object, name);
	o = vt_obj_of(object);
	mine = caller_class(caller, vt_cls_of(object));
	if (!vt_class_symbol(mine ? mine : vt_cls_of(object), name, &p)) {
		if (mine != NULL)
			return get_private(rt, o, mine, name, out);
		return vt_raise(rt, VT_E_PROPERTY_READ,
			"Property \"%s\" in class \"%s\" cannot be read", name->s,
			vt_cls_of(object)->decl->name->s);
	}
	(void)vt_class_symbol(o->cls, name, &p);
	if (p.ambiguous)
		return ambiguous(rt, name);
	if (p.decl->usage == VT_P_STATIC)
		return vt_get_static(rt, caller, vt_class_seen(o->cls, p.decl->cls), name, out);
	if (o->v[p.slot] == VT_UNDEF && o->fill != NULL)
		o->fill(o);
	if (o->v[p.slot] == VT_UNDEF)
		return uninitialized(rt, name, o->cls);
	*out = vt_copy(o->v[p.slot]);
	return VT_OK;
}

/* ---- writing: PR3 to PR5, T15 ---- */

struct write {
	vt_rt *rt;
	vt_object *o;
	const vt_str *name;
	const vt_propinfo *p;
	const vt_class *config;       /* whose configuration overrides defaults */
	const vt_class_decl *calling; /* names in data that class() contracts load; or NULL */
	bool checked, derived; /* is there a caller to refuse, and is it one of the family? */
};

static bool
writable(uint8_t usage)
{
	return usage != VT_P_IN && usage != VT_P_CONST;
}

/* Does the contract hand the value on as it is? */
static __attribute__((noinline)) bool
goes_on(vt_rt *rt, const vt_prop_decl *d, vt_value v)
{
	return (vt_takes(v, d->takes) && vt_final_now(v)) ||
	       (d->accept != NULL && vt_accepted(rt, d->accept, v));
}

/* In front of the message of a violation. */
static __attribute__((cold, noinline)) void
put_property(vt_rt *rt, const vt_prop_decl *d, const char *path)
{
	vt_contract_prefix(rt, (const char *const[]){d->cls->name->s, ".", d->name->s, path, NULL});
}

static vt_status
run_contract(struct write *w, const vt_prop_decl *d, enum vt_contract_mode mode, vt_value v,
	vt_value *out)
{
	vt_contract_use u = {
		.contract = d->contract,
		.dflt = d->dflt,
		.cls = d->cls,
		.self = vt_mkptr(w->o),
		.owner = vt_mkptr(w->o),
		.calling_type = w->calling ? w->calling : d->cls,
		.mode = (uint8_t)mode,
	};
	char *path = NULL;
	vt_exc *e;
	vt_status st;
	if (goes_on(w->rt, d, v)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	st = vt_contract_run(w->rt, &u, v, out, &path);
	e = st == VT_OK ? NULL : vt_pending(w->rt);
	if (e != NULL && e->type == VT_E_CONTRACT &&
		(mode == VT_C_TRANSFORM || mode == VT_C_NOFINALIZE)) {
		put_property(w->rt, d, path);
	}
	free(path);
	return st;
}

/* An omitted value: the class's configuration comes before the Default. */
static vt_value
configured(const struct write *w, vt_value v)
{
	vt_value c;
	if (v != VT_NOVALUE || w->config == NULL)
		return v;
	c = vt_class_config(w->rt, w->config, w->name);
	return c == VT_UNDEF || c == VT_NULL ? v : c;
}

/* The value after every declaration of the hierarchy had its say. Owned. */
static vt_status
agree(struct write *w, vt_value in, vt_value *out)
{
	vt_value v = vt_copy(in), made;
	for (uint32_t i = 0; i < w->p->nall; i++) {
		const vt_prop_decl *d = w->p->all[i];
		enum vt_contract_mode mode = VT_C_VALIDATE;
		vt_status st = VT_OK;
		if (d == w->p->decl)
			mode = w->p->nall == 1 ? VT_C_TRANSFORM : VT_C_NOFINALIZE;
		made = VT_UNDEF;
		if (w->checked && (!w->derived || !writable(d->usage)))
			st = vt_raise(w->rt, VT_E_NO_WRITE_ACCESS,
				"Property \"%s\" is immutable to the caller", w->name->s);
		else
			st = run_contract(
				w, d, mode, d->usage == VT_P_STATIC ? v : configured(w, v), &made);
		if (st != VT_OK) {
			vt_release(v);
			return st;
		}
		if (mode == VT_C_VALIDATE)
			vt_release(made);
		else
			vt_move(&v, made);
	}
	if (w->p->nall > 1) {
		vt_status st = run_contract(w, w->p->decl, VT_C_FINALIZE, v, &made);
		vt_release(v);
		if (st != VT_OK)
			return st;
		v = made;
	}
	*out = v;
	return VT_OK;
}

static vt_status
write_declared(struct write *w, const vt_unit *caller, vt_value in, bool dry)
{
	vt_value v = VT_UNDEF;
	vt_status st = VT_OK;
	VT_TRY(agree(w, in, &v));
	if (w->p->decl->usage == VT_P_STATIC) {
		if (!dry)
			st = vt_set_static(w->rt, caller, vt_class_seen(w->o->cls, w->p->decl->cls),
				w->name, v);
		vt_release(v);
	} else if (dry) {
		vt_release(v);
	} else {
		vt_move(&w->o->v[w->p->slot], v);
	}
	return st;
}

vt_status
vt_set_prop(vt_rt *rt, const vt_unit *caller, vt_value object, const vt_str *name, vt_value v)
{
	vt_object *o;
	vt_class *mine, *start;
	vt_propinfo p;
	struct write w;
	if (!vt_is(object, OBJECT) && !vt_is(object, CAST))
		return not_an_object(rt, object, name);
	o = vt_obj_of(object);
	mine = caller_class(caller, vt_cls_of(object));
	start = mine ? mine : o->cls;
	if (!vt_class_symbol(start, name, &p)) {
		if (mine != NULL)
			return set_private(rt, o, mine, name, v);
		return vt_raise(rt, VT_E_PROPERTY_WRITE,
			"Property \"%s\" in class \"%s\" cannot be written", name->s,
			start->decl->name->s);
	}
	(void)vt_class_symbol(o->cls, name, &p);
	if (p.ambiguous)
		return ambiguous(rt, name);
	w = (struct write){.rt = rt,
		.o = o,
		.name = name,
		.p = &p,
		.config = vt_cls_of(object),
		.calling = caller ? caller->cls : NULL,
		.derived = mine != NULL};
	w.checked = caller != NULL && caller->cls != NULL && !vt_writes_allowed(rt, -1);
	return write_declared(&w, caller, v, false);
}

__attribute__((cold)) bool
vt_learn_slot(vt_rt *rt, const vt_unit *caller, vt_object *o, const vt_str *name, vt_ic *ic)
{
	vt_class *mine = caller_class(caller, o->cls);
	vt_propinfo p;
	(void)rt;
	if ((mine != NULL && !vt_class_symbol(mine, name, &p)) ||
		!vt_class_symbol(o->cls, name, &p) || p.ambiguous || p.decl->usage == VT_P_STATIC)
		return false;
	*ic = (vt_ic){.key = o->cls, .aux = (uint64_t)p.slot};
	if (mine != NULL && p.nall == 1 && writable(p.decl->usage))
		ic->target = (void *)(uintptr_t)p.decl;
	return true;
}

/* The key of a write that only .init may do; static_key has 2 and 4. */
static const void *
init_key(const vt_class *cls)
{
	return (const char *)cls + 6;
}

/*
 * An inline cache of a write: key is the class, or init_key() of it; target is the one declaration
 * that the property has there, which code of the unit may write; aux is its slot, aux2 what its
 * contract takes as it is.
 */
static __attribute__((cold)) void
remember_write(vt_rt *rt, const vt_unit *caller, vt_object *o, const vt_str *name, vt_ic *ic)
{
	vt_class *mine = caller_class(caller, o->cls);
	vt_propinfo p;
	if (mine == NULL || !vt_class_symbol(mine, name, &p) ||
		!vt_class_symbol(o->cls, name, &p) || p.ambiguous || p.nall != 1)
		return;
	if (p.decl->usage == VT_P_STATIC) {
		vt_learn_static(rt, caller, vt_mkptr(o), name, ic);
		return;
	}
	*ic = (vt_ic){.key = writable(p.decl->usage) ? o->cls : init_key(o->cls),
		.target = (void *)(uintptr_t)p.decl,
		.aux = (uint64_t)p.slot,
		.aux2 = p.decl->takes};
}

static vt_status
write_again(vt_rt *rt, const vt_unit *caller, vt_object *o, const vt_ic *ic, vt_value in)
{
	const vt_prop_decl *d = ic->target;
	struct write w = {
		.rt = rt, .o = o, .name = d->name, .config = o->cls, .calling = caller->cls};
	vt_value v = VT_UNDEF;
	VT_TRY(run_contract(&w, d, VT_C_TRANSFORM, configured(&w, in), &v));
	vt_move(&o->v[ic->aux], v);
	return VT_OK;
}

/* Objects that were there keep what they have; the contract has its say all the same. */
vt_status
vt_init_property(vt_rt *rt, vt_object *o, vt_class *part, const vt_prop_decl *d,
	const vt_propinfo *p, vt_value v, const vt_class_decl *calling)
{
	struct write w = {
		.rt = rt, .o = o, .name = d->name, .p = p, .config = part, .calling = calling};
	if (p->ambiguous)
		return ambiguous(rt, d->name);
	return write_declared(&w, part->decl->unit, v, o->initialized);
}

/* ---- statics: PR8 ---- */

static int32_t
own_static(const vt_class *c, const vt_str *name)
{
	for (uint32_t i = 0; i < c->decl->nprops; i++)
		if (c->decl->props[i]->usage == VT_P_STATIC &&
			vt_str_eq(c->decl->props[i]->name, name))
			return (int32_t)i;
	return -1;
}

/* Only Static declarations count here.  Where it is declared, by the rule of C6. */
static __attribute__((cold)) vt_status
find_static(vt_rt *rt, vt_class *c, const vt_str *name, vt_class **home, int32_t *index)
{
	uint32_t picked = 0;
	*index = own_static(*home = c, name);
	if (*index >= 0) /* it hides all others */
		return VT_OK;
	for (uint32_t i = 0; i < c->nlinear; i++) {
		bool hidden = own_static(c->linear[i], name) < 0;
		for (uint32_t k = 0; k < c->nlinear && !hidden; k++)
			hidden = k != i && own_static(c->linear[k], name) >= 0 &&
				 vt_class_is(c->linear[k], c->linear[i]);
		if (!hidden && picked++ == 0)
			*home = c->linear[i];
	}
	if (picked == 0)
		return vt_raise(rt, VT_E_NO_PROPERTY, "Property \"%s\" is not found", name->s);
	if (picked > 1)
		return ambiguous(rt, name);
	*index = own_static(*home, name);
	return VT_OK;
}

/* The same of what a Static property holds: the contract has made it.  One by element that looks at
 * kinds alone makes the same of it again. */
static bool
stays_static(vt_rt *rt, const vt_prop_decl *d, vt_value v)
{
	return (d->items != 0 && !(d->items & VT_TAKES_LIKE) && vt_final_now(v) &&
		       (vt_is(v, TUPLE) || (vt_is(v, DICT) && d->keys != 0))) ||
	       goes_on(rt, d, v);
}

static vt_status
static_contract(vt_rt *rt, const vt_unit *caller, vt_class *home, const vt_prop_decl *d, vt_value v,
	vt_value *out)
{
	vt_contract_use u = {
		.contract = d->contract,
		.dflt = d->dflt,
		.cls = d->cls,
		.self = home->typeref,
		.owner = VT_NULL,
		.calling_type = caller && caller->cls ? caller->cls : d->cls,
		.mode = VT_C_TRANSFORM,
	};
	char *path = NULL;
	vt_status st;
	if (goes_on(rt, d, v)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	st = vt_contract_run(rt, &u, v, out, &path);
	if (st != VT_OK) {
		put_property(rt, d, path);
	}
	free(path);
	return st;
}

/* A constant Default that the contract would make the same of each time is kept. */
static vt_status
read_static(vt_rt *rt, const vt_unit *caller, vt_class *home, uint32_t i, vt_value *out)
{
	const vt_prop_decl *d = home->decl->props[i];
	vt_value v = home->statics[i];
	if (v != VT_UNDEF && stays_static(rt, d, v)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	VT_TRY(static_contract(rt, caller, home, d, v == VT_UNDEF ? VT_NOVALUE : v, out));
	if (v == VT_UNDEF && d->dflt != NULL && (d->dflt->flags & VT_CODE_CONST) &&
		stays_static(rt, d, *out))
		home->statics[i] = vt_copy(*out);
	return VT_OK;
}

vt_status
vt_get_static(vt_rt *rt, const vt_unit *caller, vt_class *c, const vt_str *name, vt_value *out)
{
	vt_class *home = NULL;
	int32_t i = -1;
	VT_TRY(find_static(rt, c, name, &home, &i));
	return read_static(rt, caller, home, (uint32_t)i, out);
}

vt_status
vt_set_static(vt_rt *rt, const vt_unit *caller, vt_class *c, const vt_str *name, vt_value v)
{
	vt_class *home = NULL;
	int32_t i = -1;
	vt_value made = VT_UNDEF;
	VT_TRY(find_static(rt, c, name, &home, &i));
	VT_TRY(static_contract(rt, caller, home, home->decl->props[i], v, &made));
	vt_move(&home->statics[i], made);
	return VT_OK;
}

/* The key of a cache that knows where a Static property of objects of the class is, or of the type
 * itself. */
static const void *
static_key(vt_value of)
{
	return (const char *)vt_cls_of(of) + (vt_is(of, TYPEREF) ? 4 : 2);
}

/* Whose class has the Static property that the name means for an object. */
static bool
static_of_object(const vt_unit *caller, vt_object *o, const vt_str *name, vt_class **c)
{
	vt_class *mine = caller_class(caller, o->cls);
	vt_propinfo p;
	if ((mine != NULL && !vt_class_symbol(mine, name, &p)) ||
		!vt_class_symbol(o->cls, name, &p) || p.ambiguous || p.decl->usage != VT_P_STATIC)
		return false;
	*c = vt_class_seen(o->cls, p.decl->cls);
	return true;
}

/* Keeps in the cache of a site the class that has the Static property, and its place there. */
__attribute__((cold)) void
vt_learn_static(vt_rt *rt, const vt_unit *caller, vt_value of, const vt_str *name, vt_ic *ic)
{
	vt_class *c = vt_cls_of(of), *home = NULL;
	int32_t i = -1;
	if (vt_is(of, OBJECT) && !static_of_object(caller, VT_AS(vt_object, of), name, &c))
		return;
	if (find_static(rt, c, name, &home, &i) == VT_OK)
		*ic = (vt_ic){.key = static_key(of), .target = home, .aux = (uint64_t)i};
	else
		vt_exc_clear(rt);
}

bool
vt_get_static_again(vt_rt *rt, const vt_unit *caller, vt_value of, const vt_ic *ic, vt_value *out,
	vt_status *st)
{
	if (ic->key != static_key(of))
		return false;
	*st = read_static(rt, caller, ic->target, (uint32_t)ic->aux, out);
	return true;
}

/* A value that the contract hands on.  False: it is not for the cache. */
static bool
put_static_again(vt_rt *rt, vt_value of, const vt_ic *ic, vt_value v)
{
	vt_class *home = ic->target;
	if (ic->key != static_key(of) || !goes_on(rt, home->decl->props[ic->aux], v))
		return false;
	vt_move(&home->statics[ic->aux], vt_copy(v));
	return true;
}

vt_value
vt_static_slot(vt_rt *rt, const vt_unit *caller, vt_value of, const vt_str *name, vt_ic *ic,
	const vt_prop_decl **d)
{
	vt_class *home;
	if (vt_is(of, OBJECT) && caller_class(caller, vt_cls_of(of)) == NULL)
		return VT_UNDEF;
	if (ic->key != static_key(of))
		vt_learn_static(rt, caller, of, name, ic);
	if (ic->key != static_key(of))
		return VT_UNDEF;
	home = ic->target;
	*d = home->decl->props[ic->aux];
	return home->statics[ic->aux];
}

/* ---- left sides: B3 ---- */

static vt_status
no_attribution(vt_rt *rt)
{
	return vt_raise(
		rt, VT_E_VALUE, "attribution may only be applied to objects and dictionaries");
}

static vt_value
empty_dict(vt_rt *rt)
{
	return vt_mkptr(vt_dict_new(rt, true));
}

static vt_status
lhs_key(vt_rt *rt, const vt_unit *u, vt_value a, vt_value key, vt_value *out)
{
	vt_value v;
	vt_exc *e;
	if (vt_is(a, DICT)) {
		if (!vt_hashable(key))
			return vt_unhashable(rt, key);
		v = vt_dict_get(vt_as_dict(a), key);
		*out = v == VT_UNDEF ? empty_dict(rt) : vt_copy(v);
		return VT_OK;
	}
	if (!vt_is(key, STR))
		return no_attribution(rt);
	if (vt_is(a, TYPEREF))
		return vt_get_static(rt, u, vt_cls_of(a), vt_as_str(key), out);
	if (!vt_is(a, OBJECT) && !vt_is(a, CAST))
		return no_attribution(rt);
	if (vt_get_prop(rt, u, a, vt_as_str(key), out) == VT_OK)
		return VT_OK;
	e = vt_pending(rt);
	if (e == NULL || e->type != VT_E_UNINITIALIZED)
		return VT_ERROR;
	vt_exc_clear(rt);
	*out = empty_dict(rt);
	return VT_OK;
}

vt_status
vt_lhs_attr(vt_rt *rt, const vt_unit *u, vt_value a, const vt_str *name, vt_value *out)
{
	return lhs_key(rt, u, a, vt_mkptr(name), out);
}

/* bool is an int here too. */
static bool
index_of(vt_value index, int64_t *i)
{
	return (vt_is_integer(index) || vt_is_bool(index)) && vt_int_fits(index, i);
}

vt_status
vt_lhs_index(vt_rt *rt, const vt_unit *u, vt_value a, vt_value index, vt_value *out)
{
	int64_t i;
	const vt_list *l;
	if (!vt_is_integer(index) && !vt_is_bool(index))
		return lhs_key(rt, u, a, index, out);
	if (!vt_is_sequence(a))
		return vt_raise(rt, VT_E_VALUE, "indexation may only be applied to lists");
	l = vt_as_list(a);
	if (!index_of(index, &i))
		return vt_raise(rt, VT_E_INDEX, "cannot fit 'int' into an index-sized integer");
	if (i < 0)
		i += l->n;
	if (i < 0 || i >= l->n)
		return vt_raise(rt, VT_E_INDEX, "%s index out of range",
			vt_is(a, TUPLE) ? "tuple" : "list");
	*out = vt_copy(l->v[i]);
	return VT_OK;
}

static void
set_final(vt_value made, bool final)
{
	if (final)
		vt_head_of(made)->flags |= VT_F_FINAL;
	else
		vt_head_of(made)->flags &= (uint8_t)~VT_F_FINAL;
}

/* May the value be changed where it stands? */
static bool
unshared(vt_value v)
{
	return vt_is_ptr(v) && vt_head_of(v)->rc == 1;
}

static vt_status
put_key(vt_rt *rt, const vt_unit *u, vt_value a, vt_value key, vt_value v, vt_value *out)
{
	vt_dict *d;
	vt_status st;
	*out = VT_UNDEF;
	if (vt_is(a, DICT)) {
		d = vt_dict_copy(rt, vt_as_dict(a), true);
		st = vt_dict_set(rt, d, key, v);
		set_final(vt_mkptr(d), (vt_head_of(a)->flags & VT_F_FINAL) && vt_stays(v));
		if (st == VT_OK)
			*out = vt_mkptr(d);
		else
			vt_release(vt_mkptr(d));
		return st;
	}
	if (!vt_is(key, STR))
		return no_attribution(rt);
	if (vt_is(a, TYPEREF))
		return vt_set_static(rt, u, vt_cls_of(a), vt_as_str(key), v);
	if (vt_is(a, OBJECT) || vt_is(a, CAST))
		return vt_set_prop(rt, u, a, vt_as_str(key), v);
	return no_attribution(rt);
}

/* What the contract hands on as it is, into an object of the class that the site has seen. */
static inline bool
put_seen(vt_rt *rt, const vt_ic *ic, vt_value a, vt_value v)
{
	const vt_prop_decl *d;
	if (!vt_sees(ic, a))
		return false;
	d = ic->target;
	if (d->seen != NULL ? !vt_sees_one(vt_ic_at(rt, d->seen), v)
			    : d->accept == NULL || !vt_accepted(rt, d->accept, v))
		return false;
	vt_move(&VT_AS(vt_object, a)->v[ic->aux], vt_copy(v));
	return true;
}

static inline __attribute__((always_inline)) vt_status
put_attr(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value a, const vt_str *name, vt_value v,
	vt_value *out)
{
	vt_object *o = vt_is(a, OBJECT) ? VT_AS(vt_object, a) : NULL;
	*out = VT_UNDEF;
	if (o != NULL &&
		(ic->key == o->cls || (ic->key == init_key(o->cls) && vt_writes_allowed(rt, -1))))
		return write_again(rt, u, o, ic, v);
	if ((o != NULL || vt_is(a, TYPEREF)) && put_static_again(rt, a, ic, v))
		return VT_OK;
	if (o != NULL)
		remember_write(rt, u, o, name, ic);
	else if (vt_is(a, TYPEREF))
		vt_learn_static(rt, u, a, name, ic);
	return put_key(rt, u, a, vt_mkptr(name), v, out);
}

vt_status
vt_put_attr(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value a, const vt_str *name, vt_value v,
	vt_value *out)
{
	*out = VT_UNDEF;
	return put_seen(rt, ic, a, v) ? VT_OK : put_attr(rt, u, ic, a, name, v, out);
}

vt_status
vt_put_last(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value a, const vt_str *name, vt_value v,
	const vt_str *root)
{
	vt_value left = VT_UNDEF;

	if (put_seen(rt, ic, a, v))
		return VT_OK;
	VT_TRY(put_attr(rt, u, ic, a, name, v, &left));
	if (left == VT_UNDEF)
		return VT_OK;
	vt_release(left);
	return vt_bad_this(rt, root);
}

static int64_t
clamp(int64_t i, uint32_t n)
{
	if (i < 0)
		i += n;
	return i < 0 ? 0 : i > n ? n : i;
}

/* src[:i] + (v,) + src[i + 1:], for every i: what an index of -1 does to the end is the reference's
 * way. */
static vt_value
spliced(vt_rt *rt, const vt_list *l, int64_t i, vt_value v)
{
	int64_t head = clamp(i, l->n), tail = clamp(i + 1, l->n);
	vt_list *r = vt_list_grow(rt, VT_K_TUPLE, (uint32_t)(head + 1 + l->n - tail));
	for (int64_t k = 0; k < head; k++)
		vt_list_push(rt, r, vt_copy(l->v[k]));
	vt_list_push(rt, r, vt_copy(v));
	for (int64_t k = tail; k < l->n; k++)
		vt_list_push(rt, r, vt_copy(l->v[k]));
	set_final(vt_mkptr(r), (l->h.flags & VT_F_FINAL) && vt_stays(v));
	return vt_mkptr(r);
}

vt_status
vt_put_index(vt_rt *rt, const vt_unit *u, vt_value a, vt_value index, vt_value v, vt_value *out)
{
	int64_t i = 0;
	*out = VT_UNDEF;
	if (!vt_is_integer(index) && !vt_is_bool(index))
		return put_key(rt, u, a, index, v, out);
	if (vt_is(a, DICT))
		return put_key(rt, u, a, index, v, out);
	if (!vt_is_sequence(a))
		return VT_OK; /* the reference's setter does nothing */
	if (vt_is(a, LIST))
		return vt_raise(rt, VT_E_TYPE, "can only concatenate list (not \"tuple\") to list");
	if (!index_of(index, &i) || i == INT64_MAX || i < -INT64_MAX / 2)
		return vt_raise(rt, VT_E_INDEX, "cannot fit 'int' into an index-sized integer");
	*out = spliced(rt, vt_as_list(a), i, v);
	return VT_OK;
}

static vt_status
replace_var(vt_value *var, vt_status st, vt_value made)
{
	if (st == VT_OK && made != VT_UNDEF)
		vt_move(var, made);
	return st;
}

static vt_status
put_key_var(vt_rt *rt, const vt_unit *u, vt_value *var, vt_value key, vt_value v)
{
	vt_value made = VT_UNDEF;
	vt_status st;
	if (vt_is(*var, DICT) && unshared(*var) && (vt_head_of(*var)->flags & VT_F_FROZEN) &&
		vt_stays(v) && v != *var) {
		/* Setting takes the mark away; a final value keeps it true. */
		bool final = vt_head_of(*var)->flags & VT_F_FINAL;
		st = vt_dict_set(rt, vt_as_dict(*var), key, v);
		set_final(*var, final);
		return st;
	}
	st = put_key(rt, u, *var == VT_UNDEF ? VT_NULL : *var, key, v, &made);
	return replace_var(var, st, made);
}

vt_status
vt_put_attr_var(vt_rt *rt, const vt_unit *u, vt_value *var, const vt_str *name, vt_value v)
{
	if (likely(vt_is(*var, DICT) && unshared(*var) && (vt_head_of(*var)->flags & VT_F_FROZEN) &&
		    vt_dict_len(vt_as_dict(*var)) < 16 && v != *var && vt_stays(v)))
		return vt_dict_put(rt, vt_as_dict(*var), vt_mkptr(name), v);
	return put_key_var(rt, u, var, vt_mkptr(name), v);
}

static __attribute__((noinline)) vt_status
put_index_var(vt_rt *rt, const vt_unit *u, vt_value *var, vt_value index, vt_value v)
{
	vt_value made = VT_UNDEF;
	vt_status st;
	int64_t i;
	if ((!vt_is_integer(index) && !vt_is_bool(index)) || vt_is(*var, DICT))
		return put_key_var(rt, u, var, index, v);
	if (vt_is(*var, TUPLE) && unshared(*var) && vt_stays(v) && v != *var &&
		index_of(index, &i) && i >= 0) {
		vt_list *l = vt_as_list(*var);
		bool final = l->h.flags & VT_F_FINAL;
		if (i < l->n)
			vt_list_put(l, (uint32_t)i, vt_copy(v));
		else
			vt_list_push(rt, l, vt_copy(v));
		set_final(*var, final);
		return VT_OK;
	}
	st = vt_put_index(rt, u, *var == VT_UNDEF ? VT_NULL : *var, index, v, &made);
	return replace_var(var, st, made);
}

/* A key that is a text or an integer in a dict, or the place of an item in a list, that the
 * variable alone holds: the value is final, and so the dict or list stays it. */
vt_status
vt_put_index_var(vt_rt *rt, const vt_unit *u, vt_value *var, vt_value index, vt_value v)
{
	if (likely((vt_is(index, STR) || vt_is_int(index)) && vt_is(*var, DICT) && unshared(*var) &&
		    (vt_head_of(*var)->flags & VT_F_FROZEN) && v != *var && vt_stays(v)))
		return vt_dict_put(rt, vt_as_dict(*var), index, v);
	if (likely(vt_is_int(index) && vt_is(*var, TUPLE) && unshared(*var) &&
		    (vt_head_of(*var)->flags & VT_F_FINAL) && v != *var && vt_stays(v) &&
		    (uint64_t)vt_toint(index) < vt_as_list(*var)->n)) {
		vt_list_put(vt_as_list(*var), (uint32_t)vt_toint(index), vt_copy(v));
		return VT_OK;
	}
	return put_index_var(rt, u, var, index, v);
}

vt_status
vt_bad_lhs(vt_rt *rt, const char *text)
{
	return vt_raise(rt, VT_E_INVALID_LHS, "Invalid assignment target \"%s\"", text);
}

vt_status
vt_bad_this(vt_rt *rt, const vt_str *name)
{
	return vt_raise(rt, VT_E_VALUE, "Cannot assign to %s%s",
		name->bytes && name->s[0] == '$' ? "" : "$", name->s);
}

/* ---- from outside ---- */

/* * and ? as in a shell. */
static bool
glob(const char *p, const char *s)
{
	for (; *p != '\0'; p++, s++) {
		if (*p == '*') {
			while (*p == '*')
				p++;
			for (;; s++) {
				if (glob(p, s))
					return true;
				if (*s == '\0')
					return false;
			}
		}
		if (*s == '\0' || (*p != '?' && *p != *s))
			return false;
	}
	return *s == '\0';
}

bool
vt_exposed(vt_rt *rt, const vt_method_decl *m)
{
	return m->is_public || m->usage == VT_M_ACTION || m->name->s[0] == '.' ||
	       (rt->s->expose != NULL && glob(rt->s->expose, m->name->s));
}

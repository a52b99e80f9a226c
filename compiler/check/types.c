/*
 * types.c - the lattice of types, and who declares what in the whole program.
 *
 * A type is a set of kinds with, for objects, the class they are at least of, and for lists what
 * their items are.  Joining only ever widens, and items of items of items are anything, so
 * iteration ends.
 */
#include "compiler/check/types.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "compiler/check/check.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>

enum { ITEM_DEPTH = 3, MAX_HEIRS = 200 };

/* ---- a hash table of names ---- */

static uint64_t
hash_of(const vc *c, const void *scope, uint32_t kind, const char *name)
{
	return (vc_hash(c, name, strlen(name)) ^ (uintptr_t)scope >> 4) * 0x9e3779b97f4a7c15u +
	       kind;
}

static ty_sym *
place(const vc *c, ty_map *m, const void *scope, uint32_t kind, const char *name)
{
	uint64_t at = hash_of(c, scope, kind, name);

	for (at ^= at >> 32;; at++) {
		ty_sym *s = &m->v[at & (m->cap - 1)];
		if (s->name == NULL ||
			(s->scope == scope && s->kind == kind && strcmp(s->name, name) == 0))
			return s;
	}
}

static void
widen(vc *c, ty_map *m)
{
	ty_map old = *m;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->v = vc_alloc(c, m->cap * sizeof *m->v);
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.v[i].name)
			*place(c, m, old.v[i].scope, old.v[i].kind, old.v[i].name) = old.v[i];
}

const void **
ty_slot(vc *c, ty_map *m, const void *scope, uint32_t kind, const char *name, bool add)
{
	ty_sym *s;

	if (m->n * 2 >= m->cap) {
		if (m->cap == 0 && !add)
			return NULL;
		widen(c, m);
	}
	s = place(c, m, scope, kind, name);
	if (s->name == NULL) {
		if (!add)
			return NULL;
		*s = (ty_sym){scope, name, kind, NULL};
		m->n++;
	}
	return &s->value;
}

/* ---- the index ---- */

static uint32_t
number_of(vc_types *p, const mpl_class *cls)
{
	const void **slot = ty_slot(p->c, &p->names, cls, TS_NUMBER, "", false);

	return slot ? (uint32_t)(uintptr_t)*slot : p->nall;
}

static void
put(vc_types *p, const void *scope, enum ty_symkind kind, const char *name, const void *value)
{
	const void **slot = ty_slot(p->c, &p->names, scope, kind, name, true);

	if (*slot == NULL)
		*slot = value;
}

/* Every name that is the last part of a target, $.x or $a.b.x: a field that exists once it is
 * written. */
static void
note_written(vc_types *p, const mpl_class *cls, const yq_node *e)
{
	while (e && (e->kind == YQ_WRAP || e->kind == YQ_INDEX || e->kind == YQ_BINARY)) {
		if (e->kind == YQ_BINARY && e->n == 2 && e->kid[1]->kind == YQ_KEYWORD)
			put(p, NULL, TS_WRITTEN, e->kid[1]->text, e);
		if (e->kind == YQ_BINARY && e->n == 2 && e->kid[1]->kind == YQ_KEYWORD)
			put(p, cls, TS_WRITTEN, e->kid[1]->text, e);
		if (!p->core && e->kind == YQ_BINARY && e->n == 2 && e->kid[1]->kind == YQ_KEYWORD)
			put(p, NULL, TS_WRITTEN_HERE, e->kid[1]->text, e);
		e = e->kid[0];
	}
}

static void note_statements(vc_types *p, const mpl_class *cls, mpl_stmt *const *v, uint32_t n);

static void
note_statement(vc_types *p, const mpl_class *cls, const mpl_stmt *s)
{
	if (s->kind == MS_ASSIGN && s->a)
		note_written(p, cls, s->a->expr);
	note_statements(p, cls, s->body, s->nbody);
	note_statements(p, cls, s->orelse, s->norelse);
	note_statements(p, cls, s->finally, s->nfinally);
	for (uint32_t i = 0; i < s->ncases; i++)
		note_statements(p, cls, s->cases[i].body, s->cases[i].nbody);
	for (uint32_t i = 0; i < s->ncatches; i++)
		note_statements(p, cls, s->catches[i].body, s->catches[i].nbody);
}

static void
note_statements(vc_types *p, const mpl_class *cls, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		note_statement(p, cls, v[i]);
}

static void
index_class(vc_types *p, mpl_class *cls)
{
	p->core = cls->pkg && cls->pkg->builtin;
	put(p, cls, TS_NUMBER, "", (const void *)(uintptr_t)p->nall);
	vc_push(p->c, p->all, p->nall) = cls;
	if (cls->pkg && cls->pkg->builtin)
		put(p, NULL, TS_SAME_NAME, cls->name, cls);
	for (uint32_t i = 0; i < cls->nprops; i++) {
		put(p, cls, TS_PROPERTY, cls->props[i]->name, cls->props[i]);
		put(p, NULL, TS_ANY_PROPERTY, cls->props[i]->name, cls->props[i]);
	}
	for (uint32_t i = 0; i < cls->nmethods; i++) {
		const mpl_method *m = cls->methods[i];
		put(p, cls, TS_METHOD, m->name, m);
		put(p, NULL, TS_ANY_METHOD, m->name, m);
		if (m->usage == MPL_M_EXTENSION)
			put(p, NULL, TS_EXTENSION, m->name, m);
		note_statements(p, cls, m->body, m->nbody);
	}
}

static void
link_children(vc_types *p)
{
	p->child = vc_alloc(p->c, (p->nall + 1) * sizeof *p->child);
	p->nchild = vc_alloc(p->c, (p->nall + 1) * sizeof *p->nchild);
	p->mark = vc_alloc(p->c, (p->nall + 1) * sizeof *p->mark);
	p->queue = vc_alloc(p->c, (p->nall + 2) * sizeof *p->queue);
	for (uint32_t i = 0; i < p->nall; i++)
		for (uint32_t k = 0; p->all[i]->parent && k < p->all[i]->nparents; k++) {
			uint32_t up =
				p->all[i]->parent[k] ? number_of(p, p->all[i]->parent[k]) : p->nall;
			if (up < p->nall)
				vc_push(p->c, p->child[up], p->nchild[up]) = i;
		}
}

static bool
is_fixture(const mpl_class *cls)
{
	/* or TestFixtureWithEnvironment */
	static const char fixture[] = "io.murano.test.TestFixture";
	bool found = false;

	for (uint32_t i = 0; i < cls->nparents; i++)
		found |= strncmp(cls->parents[i], fixture, sizeof fixture - 1) == 0;
	return found;
}

vc_types *
ty_program(vc *c)
{
	uint32_t n;
	mpl_package **pkgs;
	vc_types *p = c->types;

	if (p)
		return p;
	p = c->types = vc_alloc(c, sizeof *p);
	p->c = c;
	p->closed = c->closed;
	pkgs = vc_packages(c, &n);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < pkgs[i]->nclasses; k++)
			index_class(p, pkgs[i]->classes[k]);
	}
	const vc_native *native;
	for (uint32_t i = 0; (native = vc_native_at(i)) != NULL; i++)
		for (const char *const *m = native->methods; *m; m++)
			put(p, NULL, TS_ANY_METHOD, *m, p);
	link_children(p);
	for (uint32_t i = 0; i < p->nall; i++) {
		const mpl_class *cls = p->all[i];
		if (!cls->pkg || !cls->pkg->builtin) {
			p->mocked |= is_fixture(cls);
			continue;
		}
		if (strcmp(cls->name, "io.murano.Object") == 0)
			p->object = cls;
		if (strcmp(cls->name, "io.murano.Exception") == 0)
			p->exception = cls;
		if (strcmp(cls->name, "io.murano.system.Logger") == 0)
			p->logger = cls;
	}
	return p;
}

/* ---- the hierarchy ---- */

/* The class and its ancestors, breadth first, in p->queue. */
static uint32_t
line_of(vc_types *p, const mpl_class *cls)
{
	uint32_t n = 0, at = number_of(p, cls);

	p->round++;
	if (at >= p->nall)
		return 0;
	p->mark[at] = p->round;
	p->queue[n++] = p->all[at];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; p->queue[i]->parent && k < p->queue[i]->nparents; k++) {
			mpl_class *up = p->queue[i]->parent[k];
			if (up == NULL || (at = number_of(p, up)) >= p->nall ||
				p->mark[at] == p->round)
				continue;
			p->mark[at] = p->round;
			p->queue[n++] = up;
		}
	if (p->object && (at = number_of(p, p->object)) < p->nall && p->mark[at] != p->round)
		p->queue[n++] = p->all[at];
	return n;
}

/* The class and those that extend it, in *out; NULL when they are too many to look at one by one.
 */
mpl_class **
ty_heirs(vc_types *p, const mpl_class *cls, uint32_t *count)
{
	uint32_t n = 0, at = number_of(p, cls);
	mpl_class **out;

	p->round++;
	if (at >= p->nall)
		return NULL;
	p->mark[at] = p->round;
	p->queue[n++] = p->all[at];
	for (uint32_t i = 0; i < n && n <= MAX_HEIRS; i++) {
		at = number_of(p, p->queue[i]);
		for (uint32_t k = 0; k < p->nchild[at]; k++) {
			uint32_t down = p->child[at][k];
			if (p->mark[down] == p->round)
				continue;
			p->mark[down] = p->round;
			p->queue[n++] = p->all[down];
		}
	}
	if (n > MAX_HEIRS)
		return NULL;
	out = vc_alloc(p->c, n * sizeof *out);
	memcpy(out, p->queue, n * sizeof *out);
	*count = n;
	return out;
}

/* A core library from outside has no declarations of the methods that the runtime brings: ours
 * have. */
static const void *
of_same_name(vc_types *p, const mpl_class *cls, const char *name, enum ty_symkind kind)
{
	const void **decl;

	if (!cls->pkg || cls->pkg->builtin || strcmp(cls->pkg->name, "io.murano") != 0)
		return NULL;
	decl = ty_slot(p->c, &p->names, NULL, TS_SAME_NAME, cls->name, false);
	if (decl == NULL || (decl = ty_slot(p->c, &p->names, *decl, kind, name, false)) == NULL)
		return NULL;
	return *decl;
}

static const void *
member(vc_types *p, const mpl_class *cls, const char *name, enum ty_symkind kind)
{
	const void **slot = ty_slot(p->c, &p->names, cls, kind + TS_IN_LINE, name, false);
	const void *found = NULL;
	uint32_t n;

	if (slot)
		return *slot;
	n = line_of(p, cls);
	for (uint32_t i = 0; i < n && !found; i++)
		if ((slot = ty_slot(p->c, &p->names, p->queue[i], kind, name, false)))
			found = *slot;
		else
			found = of_same_name(p, p->queue[i], name, kind);
	*ty_slot(p->c, &p->names, cls, kind + TS_IN_LINE, name, true) = found;
	return found;
}

const mpl_property *
ty_property(vc_types *p, const mpl_class *cls, const char *name)
{
	return member(p, cls, name, TS_PROPERTY);
}

const mpl_method *
ty_method(vc_types *p, const mpl_class *cls, const char *name)
{
	return member(p, cls, name, TS_METHOD);
}

bool
ty_any(vc_types *p, enum ty_symkind kind, const char *name)
{
	return ty_slot(p->c, &p->names, NULL, kind, name, false) != NULL;
}

bool
ty_whole(vc_types *p, const mpl_class *cls)
{
	const void **slot = ty_slot(p->c, &p->names, cls, TS_WHOLE, "", false);
	bool whole = true;
	uint32_t n;

	if (slot)
		return *slot != NULL;
	n = line_of(p, cls);
	for (uint32_t i = 0; i < n && whole; i++) {
		const mpl_class *at = p->queue[i];
		for (uint32_t k = 0; k < at->nparents; k++)
			whole &= at->parent && at->parent[k] != NULL;
	}
	*ty_slot(p->c, &p->names, cls, TS_WHOLE, "", true) = whole ? p : NULL;
	return whole;
}

bool
ty_extends(vc_types *p, const mpl_class *cls, const mpl_class *base)
{
	uint32_t n;

	if (cls == base || base == p->object)
		return true;
	n = line_of(p, cls);
	for (uint32_t i = 0; i < n; i++)
		if (p->queue[i] == base)
			return true;
	return false;
}

/* Several versions of one ancestor are merged into another one when the program runs. */
bool
ty_versions_meet(vc_types *p, const mpl_class *cls, const mpl_class *base, const mpl_package *from)
{
	uint32_t n = line_of(p, cls), same = 0;
	bool fits = from == NULL;

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(p->queue[i]->name, base->name) == 0) {
			same++;
			fits = fits || vc_version_fits(p->c, from, p->queue[i]->pkg);
		}
	return same > 1 || (same && fits);
}

bool
ty_meet(vc_types *p, const mpl_class *a, const mpl_class *b)
{
	uint32_t n = 0;
	mpl_class **heirs;
	bool found = ty_extends(p, a, b) || ty_extends(p, b, a);

	if (found || (heirs = ty_heirs(p, a, &n)) == NULL)
		return true;
	for (uint32_t i = 0; i < n && !found; i++)
		found = heirs[i]->nparents > 1 && ty_extends(p, heirs[i], b);
	return found;
}

/* Classes that extend it may bring the member, or inherit it from another parent. */
static bool
heir_has(vc_types *p, const mpl_class *cls, const char *name, enum ty_symkind kind)
{
	uint32_t n = 0;
	mpl_class **heirs = ty_heirs(p, cls, &n);
	bool found = heirs == NULL;

	for (uint32_t i = 0; i < n && !found; i++)
		found = member(p, heirs[i], name, kind) != NULL;
	return found;
}

/*
 * A program that is a library may meet classes that extend its own, so that there a member is
 * missing when no class at all declares it, unless the object is of just this class.
 */
bool
ty_may_have(vc_types *p, const mpl_class *cls, bool exact, const char *name, bool method)
{
	enum ty_symkind kind = method ? TS_METHOD : TS_PROPERTY;
	enum ty_symkind any = method ? TS_ANY_METHOD : TS_ANY_PROPERTY;

	if (member(p, cls, name, kind))
		return true;
	if (!ty_whole(p, cls))
		return true;
	if (exact || !ty_any(p, any, name))
		return !exact && !method && ty_any(p, TS_WRITTEN, name);
	return !p->closed || heir_has(p, cls, name, kind);
}

const char *
ty_near(vc_types *p, const mpl_class *cls, const char *name, bool method)
{
	const char **names = NULL;
	uint32_t count = 0, n = line_of(p, cls);

	for (uint32_t i = 0; i < n && count < 5000; i++) {
		const mpl_class *at = p->queue[i];
		for (uint32_t k = 0; k < (method ? at->nmethods : at->nprops); k++)
			vc_push(p->c, names, count) =
				method ? at->methods[k]->name : at->props[k]->name;
	}
	return vt_nearest(name, names, count);
}

mpl_class *
ty_class(vc_types *p, const mpl_class *from, const char *name)
{
	char *fqn;

	if (mpl_resolve_try(p->c, from, name, &fqn) != MPL_NAME_OK)
		return NULL;
	return vc_find_class(p->c, from->pkg, fqn);
}

/* ---- the lattice ---- */

static bool
same_keys(vc_type a, vc_type b)
{
	return a.keys == b.keys || (a.keys && b.keys && a.keys->contract == b.keys->contract);
}

static bool
same(vc_type a, vc_type b, int depth)
{
	if (a.kinds != b.kinds || a.cls != b.cls || a.exact != b.exact || !a.item != !b.item ||
		!same_keys(a, b))
		return false;
	return !a.item || a.item == b.item || (depth > 0 && same(*a.item, *b.item, depth - 1));
}

static vc_type
join(vc *c, vc_type a, vc_type b, int depth)
{
	const uint32_t classed = VC_K_OBJECT | VC_K_TYPE, listed = VC_K_LIST | VC_K_ITER | VC_K_SET;
	vc_type out;

	if (a.kinds == 0 || b.kinds == 0)
		return a.kinds ? a : b;
	if (same(a, b, ITEM_DEPTH))
		return a;
	out = (vc_type){.kinds = a.kinds | b.kinds};
	if (!(a.kinds & classed) || !(b.kinds & classed)) {
		out.cls = a.kinds & classed ? a.cls : b.cls;
		out.exact = a.kinds & classed ? a.exact : b.exact;
	} else if (a.cls && b.cls) {
		vc_types *p = ty_program(c);
		out.cls = ty_extends(p, a.cls, b.cls)   ? b.cls
			  : ty_extends(p, b.cls, a.cls) ? a.cls
							: NULL;
		out.exact = a.cls == b.cls && a.exact && b.exact;
	}
	if (!(a.kinds & VC_K_DICT) || !(b.kinds & VC_K_DICT))
		out.keys = a.kinds & VC_K_DICT ? a.keys : b.keys;
	else if (same_keys(a, b))
		out.keys = a.keys;
	if (!(a.kinds & listed) || !(b.kinds & listed)) {
		out.item = a.kinds & listed ? a.item : b.item;
	} else if (a.item && b.item && depth > 0) {
		vc_type *item = vc_alloc(c, sizeof *item);
		*item = join(c, *a.item, *b.item, depth - 1);
		out.item = item;
	}
	return out;
}

vc_type
vc_type_join(vc *c, vc_type a, vc_type b)
{
	return join(c, a, b, ITEM_DEPTH);
}

/* ---- in words ---- */

static const struct {
	uint32_t kind;
	const char *name;
} kind_names[] = {{VC_K_BOOL, "a boolean"}, {VC_K_INT, "an integer"}, {VC_K_FLOAT, "a float"},
	{VC_K_STR, "a string"}, {VC_K_LIST, "a list"}, {VC_K_ITER, "a sequence"},
	{VC_K_DICT, "a dict"}, {VC_K_SET, "a set"}, {VC_K_DATE, "a date"},
	{VC_K_SPAN, "a timespan"}, {VC_K_REGEX, "a regular expression"}, {VC_K_OBJECT, "an object"},
	{VC_K_TYPE, "a type"}, {VC_K_REFLECT, "a reflection"}, {VC_K_OTHER, "something else"},
	{VC_K_NULL, "null"}};

static void
show_one(vt_buf *b, uint32_t kind, vc_type t)
{
	for (size_t i = 0; i < VC_LEN(kind_names); i++)
		if (kind_names[i].kind == kind)
			vt_buf_puts(b, kind_names[i].name);
	if (t.cls && (kind == VC_K_OBJECT || kind == VC_K_TYPE))
		vt_buf_printf(b, " %s \"%s\"", kind == VC_K_TYPE ? "reference to" : "of class",
			t.cls->name);
}

static void
ty_show(vt_buf *b, vc_type t)
{
	uint32_t n = 0, shown = 0, kinds = t.kinds & VC_K_ALL;

	if (kinds == VC_K_ALL || kinds == 0) {
		vt_buf_puts(b, "anything");
		return;
	}
	for (size_t i = 0; i < VC_LEN(kind_names); i++)
		n += (kinds & kind_names[i].kind) != 0;
	if (n > 5) {
		vt_buf_puts(b, "one of several types");
		return;
	}
	for (size_t i = 0; i < VC_LEN(kind_names); i++)
		if (kinds & kind_names[i].kind) {
			vt_buf_puts(b, shown == 0 ? "" : shown + 1 == n ? " or " : ", ");
			show_one(b, kind_names[i].kind, t);
			shown++;
		}
}

const char *
ty_text(vc *c, vc_type t)
{
	vt_buf b = {0};

	ty_show(&b, t);
	return vc_take(c, &b);
}

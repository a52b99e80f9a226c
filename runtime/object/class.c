/*
 * class.c - linked classes: muranopl-engine.md K8, K9 and C4 to C6.
 *
 * A declaration is constant data and may be shared by many sessions; what is found out about it on
 * the way (parents, layout, chosen symbols) lives in the session's vt_class, made when a class is
 * first needed and freed by vt_classes_destroy.
 *
 * Layout: a slot for every property name of the hierarchy whose chosen declaration is not Static,
 * base classes first.  Symbol choice: the candidates are the declarations of a name that no other
 * declaring class descends from; this is what the longest-suffix rule of the reference leaves.
 */
#include "runtime/object/class.h"
#include "runtime/object/contract.h"
#include "runtime/object/store.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"

#include <stdlib.h>

/* A name's meaning in one class.  all: every declaration of the hierarchy, breadth first. */
typedef struct vt_symbol {
	const vt_str *name;
	const void *decl; /* the chosen one; NULL when there is none or ambiguous is set */
	const void **all;
	uint32_t nall;
	int32_t slot; /* properties: index into vt_object.v, or -1 */
	bool ambiguous;
	bool sought; /* the slot is known, or that there is none */
} vt_symbol;
/* Open addressing by vt_str.hash; cap is a power of two. */
struct vt_symtab {
	uint32_t cap, n;
	vt_symbol *v;
};

/* Answers to "what does this name mean in that unit". */
typedef struct found {
	const void *where;
	vt_value name;
	vt_class *cls;
} found;
typedef struct other {
	const vt_class_decl *decl;
	vt_class *cls;
} other;
struct vt_linker {
	found *found;
	uint32_t nfound, cap;
	other *others;
	uint32_t nothers; /* classes that are not in the program's table */
	vt_class **clones;
	uint32_t nclones;
};

static vt_class linking; /* marks a class whose parents are being linked; only its address counts */

static const char OBJECT_NAME[] = "io.murano.Object";

static struct vt_linker *
linker(vt_rt *rt)
{
	if (rt->s->linker == NULL) {
		rt->s->linker = vt_xzalloc(sizeof *rt->s->linker);
	}
	return rt->s->linker;
}

/* ---- symbol tables ---- */

static vt_symbol *
symtab_find(struct vt_symtab *t, const vt_str *name, bool *hit)
{
	uint32_t i = (uint32_t)name->hash;
	for (;; i++) {
		vt_symbol *s = &t->v[i & (t->cap - 1)];
		*hit = s->name != NULL && same_name(s->name, name);
		if (*hit || s->name == NULL)
			return s;
	}
}

static void
symtab_grow(struct vt_symtab *t)
{
	struct vt_symtab big = {.cap = t->cap ? t->cap * 2 : 16, .n = t->n};
	bool hit;
	big.v = vt_xzalloc(big.cap * sizeof *big.v);
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->v[i].name != NULL)
			*symtab_find(&big, t->v[i].name, &hit) = t->v[i];
	free(t->v);
	*t = big;
}

static vt_str *
name_copy(const vt_str *name)
{
	vt_str *s = vt_xmalloc(sizeof *s + name->bytes + 1);
	memcpy(s, name, sizeof *s + name->bytes + 1);
	s->h.rc = VT_IMMORTAL;
	return s;
}

static struct vt_symtab *
symtab_new(void)
{
	struct vt_symtab *t = vt_xzalloc(sizeof *t);
	symtab_grow(t);
	return t;
}

static void
symtab_free(struct vt_symtab *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->v[i].name != NULL) {
			free((void *)t->v[i].name);
			free(t->v[i].all);
		}
	free(t->v);
	free(t);
}

/* ---- what one class declares ---- */

static const vt_method_decl *
method_in(const vt_class_decl *d, const vt_str *name)
{
	for (uint32_t i = 0; d != NULL && i < d->nmethods; i++)
		if (same_name(d->methods[i]->name, name))
			return d->methods[i];
	return NULL;
}

/* The host's methods replace the runtime's, and these those of the class file, as registering a
 * Python class does in the reference. */
static const void *
own_method(const vt_class *c, const vt_str *name)
{
	const vt_method_decl *m = method_in(c->host, name);
	if (m == NULL)
		m = method_in(c->native, name);
	return m ? m : method_in(c->decl, name);
}

static const void *
own_prop(const vt_class *c, const vt_str *name)
{
	const vt_class_decl *from[2] = {c->decl, c->native};
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; from[k] != NULL && i < from[k]->nprops; i++)
			if (same_name(from[k]->props[i]->name, name))
				return from[k]->props[i];
	return NULL;
}

const vt_method_decl *
vt_own_method(const vt_class *c, uint32_t *pos)
{
	const vt_class_decl *from[3] = {c->host, c->native, c->decl};
	uint32_t i = *pos;
	for (int k = 0; k < 3; k++) {
		uint32_t n = from[k] ? from[k]->nmethods : 0;
		for (; i < n; i++) {
			const vt_method_decl *m = from[k]->methods[i];
			++*pos;
			if (own_method(c, m->name) == m)
				return m;
		}
		i -= n;
	}
	return NULL;
}

/* ---- symbol choice: C6 ---- */

bool
vt_class_is(const vt_class *c, const vt_class *ancestor)
{
	for (uint32_t i = 0; i < c->nlinear; i++)
		if (c->linear[i]->decl == ancestor->decl)
			return true;
	return false;
}

vt_class *
vt_class_seen(vt_class *real, const vt_class_decl *d)
{
	for (uint32_t i = 0; i < real->nlinear; i++)
		if (real->linear[i]->decl == d || real->linear[i]->native == d ||
			real->linear[i]->host == d)
			return real->linear[i];
	return NULL;
}

/* Fills `all` and picks among the declaring classes those without a declaring descendant. */
static __attribute__((cold)) void
choose(vt_class *c, vt_symbol *s, const void *(*own)(const vt_class *, const vt_str *))
{
	vt_class **who = vt_xmalloc(c->nlinear * sizeof *who);
	uint32_t picked = 0;
	s->all = vt_xmalloc(c->nlinear * sizeof *s->all);
	for (uint32_t i = 0; i < c->nlinear; i++) {
		const void *d = own(c->linear[i], s->name);
		if (d == NULL)
			continue;
		who[s->nall] = c->linear[i];
		s->all[s->nall++] = d;
	}
	for (uint32_t i = 0; i < s->nall; i++) {
		bool hidden = false;
		for (uint32_t k = 0; k < s->nall && !hidden; k++)
			hidden = k != i && vt_class_is(who[k], who[i]);
		if (!hidden && picked++ == 0)
			s->decl = s->all[i];
	}
	s->ambiguous = picked > 1;
	if (s->ambiguous)
		s->decl = NULL;
	free(who);
}

static vt_symbol *
symbol(vt_class *c, struct vt_symtab *t, const vt_str *name,
	const void *(*own)(const vt_class *, const vt_str *))
{
	bool hit;
	vt_symbol *s = symtab_find(t, name, &hit);
	if (hit)
		return s;
	if (t->n * 2 >= t->cap) {
		symtab_grow(t);
		s = symtab_find(t, name, &hit);
	}
	t->n++;
	s->name = name_copy(name);
	s->slot = -1;
	choose(c, s, own);
	return s;
}

static vt_symbol *
prop_symbol(vt_class *c, const vt_str *name)
{
	vt_symbol *s = symbol(c, c->props, name, own_prop);
	if (!s->sought && s->nall > 0)
		for (uint32_t i = 0; i < c->nslots; i++)
			if (same_name(c->slots[i].name, name))
				s->slot = (int32_t)i;
	s->sought = true;
	return s;
}

const vt_method_decl *
vt_class_method(vt_rt *rt, vt_class *c, const vt_str *name, bool *ambiguous)
{
	vt_symbol *s = symbol(c, c->methods, name, own_method);
	*ambiguous = s->ambiguous;
	if (s->ambiguous)
		(void)vt_raise(rt, VT_E_AMBIGUOUS_METHOD_NAME, "Found more than one method \"%s\"",
			name->s);
	return s->decl;
}

const vt_prop_decl *
vt_class_prop(vt_rt *rt, vt_class *c, const vt_str *name, bool *ambiguous)
{
	vt_symbol *s = prop_symbol(c, name);
	*ambiguous = s->ambiguous;
	if (s->ambiguous)
		(void)vt_raise(rt, VT_E_AMBIGUOUS_PROPERTY, "Found more than one property \"%s\"",
			name->s);
	return s->decl;
}

bool
vt_class_symbol(vt_class *c, const vt_str *name, vt_propinfo *out)
{
	vt_symbol *s = prop_symbol(c, name);
	out->decl = s->decl;
	out->all = (const vt_prop_decl *const *)s->all;
	out->nall = s->nall;
	out->slot = s->slot;
	out->ambiguous = s->ambiguous;
	return s->nall > 0;
}

/* ---- names ---- */

static bool
is_name_start(uint32_t cp)
{
	return (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') || cp == '_';
}

/* One identifier: behind it, or NULL. */
static const char *
identifier(const char *p)
{
	const char *next;
	if (!is_name_start((unsigned char)*p))
		return NULL;
	for (p++; *p != '\0'; p = next) {
		next = p;
		if (!vt_is_word(vt_utf8_next(&next)))
			break;
	}
	return p;
}

bool
vt_is_typename(const vt_str *name, bool needs_colon)
{
	const char *p = name->s, *q, *colon = strchr(name->s, ':');
	if (needs_colon && colon == NULL)
		return false;
	if (colon != NULL && colon != p && ((q = identifier(p)) == NULL || q != colon))
		return false;
	for (p = colon ? colon + 1 : p; (p = identifier(p)) != NULL && *p == '.';)
		p++;
	return p != NULL && *p == '\0';
}

static const char *
namespace_of(const vt_unit *u, const char *prefix, size_t n)
{
	for (uint32_t i = 0; u != NULL && i < u->nprefixes; i++)
		if (strlen(u->prefixes[i].prefix) == n &&
			memcmp(u->prefixes[i].prefix, prefix, n) == 0)
			return u->prefixes[i].ns ? u->prefixes[i].ns : "";
	return n == 0 || (n == 1 && *prefix == '=') ? "" : NULL;
}

vt_value
vt_resolve_name(vt_rt *rt, const vt_unit *u, const vt_str *name)
{
	const char *colon = strchr(name->s, ':'), *ns, *local = name->s;
	if (!vt_is_typename(name, false)) {
		(void)vt_raise(rt, VT_E_VALUE, "Invalid type name \"%s\"", name->s);
		return VT_UNDEF;
	}
	if (colon == NULL) {
		ns = strchr(name->s, '.') ? "" : namespace_of(u, "=", 1);
	} else {
		local = colon + 1;
		ns = colon == name->s ? namespace_of(u, "=", 1)
				      : namespace_of(u, name->s, (size_t)(colon - name->s));
	}
	if (ns == NULL) {
		(void)vt_raise(rt, VT_E_KEY, "'Unknown namespace prefix %.*s'",
			(int)(colon - name->s), name->s);
		return VT_UNDEF;
	}
	return *ns ? vt_str_printf(rt, "%s.%s", ns, local) : vt_str_c(rt, local);
}

/* Answers are kept per (unit, text); the text is owned by the table. */
static found *
found_slot(struct vt_linker *l, const vt_unit *u, const vt_str *name)
{
	uint32_t i = (uint32_t)((uintptr_t)u >> 4) ^ (uint32_t)name->hash;
	for (;; i++) {
		found *f = &l->found[i & (l->cap - 1)];
		if (f->cls == NULL || (f->where == u && same_name(vt_as_str(f->name), name)))
			return f;
	}
}

static void
found_grow(struct vt_linker *l)
{
	found *old = l->found;
	uint32_t n = l->cap;
	l->cap = n ? n * 2 : 64;
	l->found = vt_xzalloc(l->cap * sizeof *l->found);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].cls != NULL)
			*found_slot(l, old[i].where, vt_as_str(old[i].name)) = old[i];
	free(old);
}

vt_class *
vt_unit_class(vt_rt *rt, const vt_unit *u, const vt_str *name)
{
	struct vt_linker *l = linker(rt);
	found *f;
	vt_value fqn;
	vt_class *c;
	if (l->nfound * 2 >= l->cap)
		found_grow(l);
	if ((f = found_slot(l, u, name))->cls != NULL)
		return f->cls;
	fqn = vt_resolve_name(rt, u, name);
	if (fqn == VT_UNDEF)
		return NULL;
	c = vt_find_class(rt, u ? u->pkg : NULL, vt_as_str(fqn));
	vt_release(fqn);
	if (c == NULL)
		return NULL;
	if (l->nfound * 2 >= l->cap)
		found_grow(l);
	f = found_slot(l, u, name); /* linking may have filled the table */
	if (f->cls == NULL) {
		*f = (found){u, vt_mkptr(name_copy(name)), c};
		l->nfound++;
	}
	return c;
}

vt_status
vt_typeref(vt_rt *rt, const vt_unit *u, const vt_str *prefixed, vt_value *out)
{
	vt_class *c = vt_unit_class(rt, u, prefixed);
	if (c == NULL)
		return VT_ERROR;
	*out = c->typeref;
	return VT_OK;
}

/* ---- linking ---- */

static vt_class **
home_of(vt_rt *rt, const vt_class_decl *d)
{
	struct vt_linker *l = linker(rt);
	if (rt->program != NULL && d->number != NULL && *d->number < rt->program->nclasses &&
		rt->program->classes[*d->number] == d)
		return &rt->s->classes[*d->number];
	for (uint32_t i = 0; i < l->nothers; i++)
		if (l->others[i].decl == d)
			return &l->others[i].cls;
	vt_push(l->others, l->nothers) = (other){d, NULL};
	return &l->others[l->nothers - 1].cls;
}

/* The class that methods of the host or the runtime were added to: the program's, where it has one.
 */
static const vt_class_decl *
preferred(vt_rt *rt, const vt_class_decl *d)
{
	const vt_package_decl *p;
	const vt_class_decl *own = NULL;
	if (rt->program != NULL && d->number != NULL && *d->number < rt->program->nclasses &&
		rt->program->classes[*d->number] == d)
		return d;
	if (d == vt_lua_class(rt, d->name->s)) {
		for (uint32_t i = 0;
			own == NULL && rt->program != NULL && i < rt->program->npackages; i++)
			own = vt_decl_in(rt, rt->program->packages[i], d->name);
		own = own ? own : vt_native_class(rt, d->name->s);
		return own ? own : d;
	}
	if (d->unit != &vt_core_unit)
		return d;
	p = vt_find_package(rt, vt_core_package.name, NULL);
	own = p ? vt_decl_in(rt, p, d->name) : NULL;
	return own ? own : d;
}

static vt_status
add_parent(vt_rt *rt, vt_class *c, vt_class *p)
{
	if (p == NULL)
		return VT_ERROR;
	if (p->decl->is_meta && !c->decl->is_meta)
		return vt_raise(rt, VT_E_INVALID_INHERITANCE,
			"Type %s cannot have parent with Usage Meta", c->decl->name->s);
	c->parents[c->nparents++] = p;
	return VT_OK;
}

static vt_status
link_parents(vt_rt *rt, vt_class *c)
{
	const vt_class_decl *d = c->decl;
	const vt_package_decl *from = d->unit ? d->unit->pkg : &vt_core_package;
	vt_value name;
	c->parents = vt_xmalloc((d->nparents + 1) * sizeof *c->parents);
	for (uint32_t i = 0; i < d->nparents; i++)
		VT_TRY(add_parent(rt, c, vt_find_class(rt, from, d->parents[i])));
	if (d->nparents > 0 || is_named(d->name, OBJECT_NAME, sizeof OBJECT_NAME - 1))
		return VT_OK;
	name = vt_str_c(rt, OBJECT_NAME);
	vt_class *root = vt_find_class(rt, from, vt_as_str(name));
	vt_release(name);
	return add_parent(rt, c, root);
}

static bool
in_linear(const vt_class *c, const vt_class *x)
{
	for (uint32_t i = 0; i < c->nlinear; i++)
		if (c->linear[i]->decl == x->decl)
			return true;
	return false;
}

/* Breadth first, each class where it is met first.  The list is its own queue. */
static void
linearise(vt_class *c)
{
	uint32_t room = 1;
	for (uint32_t i = 0; i < c->nparents; i++)
		room += c->parents[i]->nlinear;
	c->linear = vt_xmalloc(room * sizeof *c->linear);
	c->linear[c->nlinear++] = c;
	for (uint32_t i = 0; i < c->nlinear; i++)
		for (uint32_t k = 0; k < c->linear[i]->nparents; k++)
			if (!in_linear(c, c->linear[i]->parents[k]))
				c->linear[c->nlinear++] = c->linear[i]->parents[k];
}

static void
add_slot(vt_class *c, const vt_prop_decl *p)
{
	for (uint32_t i = 0; i < c->nslots; i++)
		if (same_name(c->slots[i].name, p->name)) {
			c->slots[i].decl = p;
			return;
		}
	c->slots[c->nslots++] = (vt_slotdef){p->name, p};
}

static void
lay_out(vt_class *c)
{
	uint32_t room = 0;
	for (uint32_t i = 0; i < c->nlinear; i++)
		room += c->linear[i]->decl->nprops +
			(c->linear[i]->native ? c->linear[i]->native->nprops : 0);
	c->slots = vt_xmalloc((room + 1) * sizeof *c->slots);
	for (uint32_t i = c->nlinear; i-- > 0;) {
		const vt_class_decl *from[2] = {c->linear[i]->native, c->linear[i]->decl};
		for (int k = 0; k < 2; k++)
			for (uint32_t j = 0; from[k] != NULL && j < from[k]->nprops; j++)
				if (from[k]->props[j]->usage != VT_P_STATIC)
					add_slot(c, from[k]->props[j]);
	}
}

vt_value
vt_class_config(vt_rt *rt, const vt_class *c, const vt_str *name)
{
	vt_value of = VT_UNDEF;
	if (vt_is(rt->s->config, DICT)) {
		char *versioned = vt_asprintf("%s/%s", c->decl->name->s, vt_class_version(c->decl));
		of = vt_dict_get_c(vt_as_dict(rt->s->config), versioned);
		free(versioned);
		if (of == VT_UNDEF)
			of = vt_dict_get_str(vt_as_dict(rt->s->config), c->decl->name);
	}
	return vt_is(of, DICT) ? vt_dict_get_str(vt_as_dict(of), name) : VT_UNDEF;
}

static void
make_typeref(vt_class *c)
{
	vt_typeref_obj *t = vt_xmalloc(sizeof *t);
	t->h = (vt_head){VT_IMMORTAL, VT_K_TYPEREF, 0, 0};
	t->cls = c;
	c->typeref = vt_mkptr(t);
}

static void
class_free(vt_class *c)
{
	vt_init_plan_free(c->plan);
	vt_text_plan_free(c->text);
	vt_data_plan_free(c->data);
	symtab_free(c->methods);
	symtab_free(c->props);
	free(c->parents);
	free(c->linear);
	free(c->slots);
	if (!c->clone)
		free(c->statics);
	if (c->typeref != 0 && !c->clone)
		free(vt_head_of(c->typeref));
	free(c);
}

static bool
has_destroy(const vt_class *c)
{
	const vt_method_decl *m;
	for (uint32_t i = 0; i < c->nlinear; i++)
		for (uint32_t pos = 0; (m = vt_own_method(c->linear[i], &pos)) != NULL;)
			if (strcmp(m->name->s, ".destroy") == 0)
				return true;
	return false;
}

/* What follows from the parents. They may be others than they were. */
static __attribute__((cold)) void
finish(vt_class *c)
{
	free(c->linear);
	c->nlinear = 0;
	linearise(c);
	lay_out(c);
	c->destroys = has_destroy(c);
	if (c->destroys)
		vt_store_of(c->rt)->ends = true;
	c->methods = symtab_new();
	c->props = symtab_new();
}

vt_class *
vt_class_clone(vt_rt *rt, const vt_class *of, vt_class *const *parents)
{
	struct vt_linker *l = linker(rt);
	vt_class *c = vt_xmalloc(sizeof *c);
	*c = (vt_class){.decl = of->decl,
		.rt = rt,
		.nparents = of->nparents,
		.statics = of->statics,
		.typeref = of->typeref,
		.native = of->native,
		.host = of->host,
		.clone = true};
	c->parents = vt_xmalloc((of->nparents + 1) * sizeof *c->parents);
	memcpy(c->parents, parents, of->nparents * sizeof *parents);
	finish(c);
	vt_push(l->clones, l->nclones) = c;
	return c;
}

static vt_class *
link_now(vt_rt *rt, const vt_class_decl *d)
{
	vt_class *c = vt_xzalloc(sizeof *c);
	c->decl = d;
	c->rt = rt;
	c->native = d->unit && d->unit->pkg && is_core(d->unit->pkg)
			    ? vt_native_class(rt, d->name->s)
			    : NULL;
	c->host = vt_lua_class(rt, d->name->s);
	c->native = c->native == d ? NULL : c->native;
	c->host = c->host == d ? NULL : c->host;
	if (link_parents(rt, c) != VT_OK) {
		class_free(c);
		return NULL;
	}
	linearise(c);
	if (vt_class_merge(rt, c) != VT_OK) {
		class_free(c);
		return NULL;
	}
	finish(c);
	make_typeref(c);
	if (d->nprops > 0)
		c->statics = vt_xmalloc(d->nprops * sizeof *c->statics);
	for (uint32_t i = 0; i < d->nprops; i++)
		c->statics[i] = VT_UNDEF;
	return c;
}

vt_class *
vt_class_link(vt_rt *rt, const vt_class_decl *d, bool *ok)
{
	vt_class *c;
	*ok = false;
	d = preferred(rt, d);
	c = *home_of(rt, d);
	if (c == &linking) {
		(void)vt_raise(
			rt, VT_E_INVALID_INHERITANCE, "Type %s inherits from itself", d->name->s);
		return NULL;
	}
	if (c == NULL) {
		*home_of(rt, d) = &linking;
		c = link_now(rt, d);
		*home_of(rt, d) = c; /* the table may have moved meanwhile */
	}
	*ok = c != NULL;
	return c;
}

static void
drop_statics(vt_class *c)
{
	for (uint32_t i = 0; c != NULL && c->statics != NULL && i < c->decl->nprops; i++)
		vt_clear(&c->statics[i]);
}

void
vt_statics_drop(vt_rt *rt)
{
	struct vt_linker *l = rt->s->linker;
	for (uint32_t i = 0; rt->program != NULL && i < rt->program->nclasses; i++)
		drop_statics(rt->s->classes[i]);
	for (uint32_t i = 0; l != NULL && i < l->nothers; i++)
		drop_statics(l->others[i].cls);
}

void
vt_classes_destroy(vt_rt *rt)
{
	struct vt_linker *l = rt->s->linker;
	for (uint32_t i = 0; rt->program != NULL && i < rt->program->nclasses; i++)
		if (rt->s->classes[i] != NULL) {
			class_free(rt->s->classes[i]);
			rt->s->classes[i] = NULL;
		}
	if (l == NULL)
		return;
	for (uint32_t i = 0; i < l->nothers; i++)
		if (l->others[i].cls != NULL)
			class_free(l->others[i].cls);
	for (uint32_t i = 0; i < l->nclones; i++)
		class_free(l->clones[i]);
	for (uint32_t i = 0; i < l->cap; i++)
		if (l->found[i].cls != NULL)
			free(vt_head_of(l->found[i].name));
	free(l->clones);
	free(l->others);
	free(l->found);
	free(l);
	rt->s->linker = NULL;
}

/* ---- values that point at objects and classes ---- */

vt_class *
vt_cls_of(vt_value v)
{
	if (vt_is(v, CAST))
		return VT_AS(vt_cast, v)->cls;
	return vt_is(v, TYPEREF) ? VT_AS(vt_typeref_obj, v)->cls : VT_AS(vt_object, v)->cls;
}

vt_value
vt_upcast(vt_rt *rt, vt_object *o, vt_class *cls)
{
	vt_cast *c;
	if (o->cls->decl == cls->decl)
		return vt_copy(vt_mkptr(o));
	c = vt_alloc(rt, sizeof *c, VT_K_CAST);
	vt_retain(vt_mkptr(o));
	c->obj = o;
	c->cls = cls;
	return vt_mkptr(c);
}

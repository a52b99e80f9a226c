/*
 * class_merge.c - one version for each package among the ancestors of a class: muranopl-engine.md
 * C5.
 *
 * Parents may bring the same package in several versions, each by a requirement of its own.  Where
 * a version is there that another requirement admits too, the ancestors of that one are replaced by
 * their namesakes.  Classes in between belong to others and stay as they are: the class gets clones
 * of them that have other parents.  A clone is the same type as its original: it has the same
 * declaration, type reference and static properties.
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"

#include <stdlib.h>
#include <string.h>

/* A version that is there and what some class required.  spec NULL: the class's own package, no
 * other version. */
typedef struct need {
	const vt_package_decl *pkg;
	const char *spec;
} need;

/* Everything of `from` is to be taken of `to`. */
typedef struct binding {
	const vt_package_decl *from, *to;
} binding;

typedef struct remap {
	const vt_class *from;
	vt_class *to;
} remap;

struct merge {
	vt_rt *rt;
	need *needs;
	uint32_t nneeds;
	binding *bindings;
	uint32_t nbindings;
	remap *remaps; /* ancestors to replace, then clones made so far */
	uint32_t nremaps;
};

static const vt_package_decl *
package_of(const vt_class *c)
{
	return c->decl->unit && c->decl->unit->pkg ? c->decl->unit->pkg : &vt_core_package;
}

static void
add_need(struct merge *m, const vt_package_decl *pkg, const char *spec)
{
	for (uint32_t i = 0; i < m->nneeds; i++)
		if (m->needs[i].pkg == pkg && m->needs[i].spec != NULL && spec != NULL &&
			strcmp(m->needs[i].spec, spec) == 0)
			return;
	vt_push(m->needs, m->nneeds) = (need){pkg, spec};
}

/* io.murano is there once, and needs no requirement. */
static void
note_edge(struct merge *m, const vt_class *c, const vt_class *parent)
{
	const vt_package_decl *from = package_of(c), *to = package_of(parent);
	for (uint32_t i = 0; from != to && i < from->nrequires; i++)
		if (vt_str_eq(from->requires[i].name, to->name))
			add_need(m, to, from->requires[i].spec);
}

static void
gather(struct merge *m, const vt_class *c)
{
	add_need(m, package_of(c), NULL);
	for (uint32_t i = 0; i < c->nlinear; i++)
		for (uint32_t k = 0; k < c->linear[i]->nparents; k++)
			note_edge(m, c->linear[i], c->linear[i]->parents[k]);
}

static bool
several_versions(const struct merge *m)
{
	for (uint32_t i = 0; i < m->nneeds; i++)
		for (uint32_t k = 0; k < i; k++)
			if (m->needs[i].pkg != m->needs[k].pkg &&
				vt_str_eq(m->needs[i].pkg->name, m->needs[k].pkg->name))
				return true;
	return false;
}

static bool
admits(vt_rt *rt, const need *n, const vt_package_decl *p)
{
	return n->spec == NULL ? vt_version_cmp(n->pkg->version, p->version) == 0
			       : vt_version_in(rt, p->version, n->spec);
}

static void
bind_to(struct merge *m, const vt_package_decl *from, const vt_package_decl *to)
{
	for (uint32_t i = 0; i < m->nbindings; i++) {
		binding *b = &m->bindings[i];
		if (b->to == from || b->from == from)
			b->to = to;
	}
	vt_push(m->bindings, m->nbindings) = (binding){from, to};
}

static int
by_version(const void *a, const void *b)
{
	return vt_version_cmp(((const need *)a)->pkg->version, ((const need *)b)->pkg->version);
}

/* What is left of the needs of one package: the lowest first, each goes over to the highest other
 * it admits. */
static void
bind_versions(struct merge *m, need *v, uint32_t n)
{
	qsort(v, n, sizeof *v, by_version);
	for (uint32_t i = 0; i < n;) {
		const vt_package_decl *to = NULL;
		for (uint32_t k = 0; k < n; k++)
			if (k != i && admits(m->rt, &v[i], v[k].pkg) &&
				(to == NULL || vt_version_cmp(to->version, v[k].pkg->version) < 0))
				to = v[k].pkg;
		if (to == NULL) {
			i++;
			continue;
		}
		bind_to(m, v[i].pkg, to);
		memmove(v + i, v + i + 1, (--n - i) * sizeof *v);
	}
}

static void
bind_all(struct merge *m)
{
	need *same = vt_xmalloc(m->nneeds * sizeof *same);
	for (uint32_t i = 0; i < m->nneeds; i++) {
		uint32_t n = 0;
		bool done = false;
		for (uint32_t k = 0; k < i; k++)
			done = done || vt_str_eq(m->needs[k].pkg->name, m->needs[i].pkg->name);
		for (uint32_t k = i; !done && k < m->nneeds; k++)
			if (vt_str_eq(m->needs[k].pkg->name, m->needs[i].pkg->name))
				same[n++] = m->needs[k];
		bind_versions(m, same, n);
	}
	free(same);
}

static void
add_remap(struct merge *m, const vt_class *from, vt_class *to)
{
	vt_push(m->remaps, m->nremaps) = (remap){from, to};
}

static const vt_package_decl *
bound(const struct merge *m, const vt_package_decl *p)
{
	for (uint32_t i = m->nbindings; i-- > 0;)
		if (m->bindings[i].from == p)
			return m->bindings[i].to;
	return p;
}

static vt_status
remap_class(struct merge *m, const vt_class *c)
{
	const vt_package_decl *from = package_of(c), *to = bound(m, from);
	bool ok = true;
	vt_class *other;
	if (to == from)
		return VT_OK;
	for (uint32_t i = 0; i < to->nclasses; i++)
		if (vt_str_eq(to->classes[i]->name, c->decl->name)) {
			if ((other = vt_class_link(m->rt, to->classes[i], &ok)) == NULL)
				return VT_ERROR;
			add_remap(m, c, other);
			return VT_OK;
		}
	return vt_raise(m->rt, VT_E_NO_CLASS, "Class \"%s\" is not found in %s/%s",
		c->decl->name->s, to->name->s, to->version);
}

static vt_class *altered(struct merge *m, vt_class *c);

static vt_class *
with_parents(struct merge *m, vt_class *c)
{
	vt_class **parents = vt_xmalloc((c->nparents + 1) * sizeof *parents), *out = c;
	bool same = true;
	for (uint32_t i = 0; i < c->nparents; i++) {
		parents[i] = altered(m, c->parents[i]);
		same = same && parents[i] == c->parents[i];
	}
	if (!same)
		out = vt_class_clone(m->rt, c, parents);
	free(parents);
	return out;
}

static vt_class *
altered(struct merge *m, vt_class *c)
{
	vt_class *out;
	for (uint32_t i = 0; i < m->nremaps; i++)
		if (m->remaps[i].from == c)
			return m->remaps[i].to == c ? c : altered(m, m->remaps[i].to);
	out = with_parents(m, c);
	add_remap(m, c, out);
	if (out != c)
		add_remap(m, out, out);
	return out;
}

__attribute__((cold)) vt_status
vt_class_merge(vt_rt *rt, vt_class *c)
{
	struct merge m = {.rt = rt};
	vt_status st = VT_OK;
	gather(&m, c);
	if (several_versions(&m)) {
		bind_all(&m);
		for (uint32_t i = 1; st == VT_OK && i < c->nlinear; i++)
			st = remap_class(&m, c->linear[i]);
		for (uint32_t i = 0; st == VT_OK && i < c->nparents; i++)
			c->parents[i] = altered(&m, c->parents[i]);
	}
	free(m.needs);
	free(m.bindings);
	free(m.remaps);
	return st;
}

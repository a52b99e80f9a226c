/*
 * throw.c - names of exceptions: what all the Throw statements of the program raise.
 *
 * A With of a name in a name space of the program that no Throw has is likely misspelt.  Names of
 * other name spaces come from the engine, from the host or from packages without bodies.
 */
#include "compiler/check/int.h"
#include "compiler/check/types.h"

#include <string.h>

struct ck_thrown {
	ty_map names;
	const char **v;
	uint32_t n;
	ty_map spaces; /* name spaces of classes that are given with their methods */
	bool anything; /* some Throw computes its name */
};

static char *
space_of(vc *c, const char *fqn)
{
	const char *dot = strrchr(fqn, '.');

	return vc_strndup(c, fqn, dot ? (size_t)(dot - fqn) : 0);
}

static void
add(vc *c, ty_map *m, const char *name)
{
	*ty_slot(c, m, NULL, 0, name, true) = name;
}

static void
throw_item(ck *k, const mpl_class *cls, const ynode *v)
{
	struct ck_thrown *t = k->thrown;
	const char *text = NULL;
	char *fqn;

	if (v->kind == YN_SCALAR && !v->is_expr)
		text = v->text;
	else if (v->kind == YN_SCALAR && v->expr && yq_unwrap(v->expr)->kind <= YQ_KEYWORD &&
		 yq_unwrap(v->expr)->kind >= YQ_STRING)
		text = yq_unwrap(v->expr)->text;
	if (text == NULL || mpl_resolve_try(k->c, cls, text, &fqn) != MPL_NAME_OK) {
		t->anything = true;
		return;
	}
	if (ty_slot(k->c, &t->names, NULL, 0, fqn, false))
		return;
	add(k->c, &t->names, fqn);
	vc_push(k->c, t->v, t->n) = fqn;
}

static void throws(ck *, const mpl_class *, mpl_stmt *const *, uint32_t);

static void
throws_of(ck *k, const mpl_class *cls, const mpl_stmt *s)
{
	if (s->kind == MS_THROW && s->a)
		for (uint32_t i = 0; i < mpl_items(s->a); i++)
			throw_item(k, cls, mpl_item(s->a, i));
	throws(k, cls, s->body, s->nbody);
	throws(k, cls, s->orelse, s->norelse);
	throws(k, cls, s->finally, s->nfinally);
	for (uint32_t i = 0; i < s->ncases; i++)
		throws(k, cls, s->cases[i].body, s->cases[i].nbody);
	for (uint32_t i = 0; i < s->ncatches; i++)
		throws(k, cls, s->catches[i].body, s->catches[i].nbody);
}

static void
throws(ck *k, const mpl_class *cls, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		throws_of(k, cls, v[i]);
}

static void
collect(ck *k)
{
	k->thrown = vc_alloc(k->c, sizeof *k->thrown);
	for (uint32_t i = 0; i < k->nall; i++) {
		const mpl_class *cls = k->all[i];
		if (cls->native || (cls->pkg && cls->pkg->builtin))
			continue;
		add(k->c, &k->thrown->spaces, space_of(k->c, cls->name));
		for (uint32_t m = 0; m < cls->nmethods; m++)
			throws(k, cls, cls->methods[m]->body, cls->methods[m]->nbody);
	}
}

/* Is it in the name space of a main package, whose exceptions others seldom raise? */
static bool
is_own(const ck *k, const char *fqn)
{
	size_t n = strlen(k->pkg->name);

	return strncmp(fqn, k->pkg->name, n) == 0 && fqn[n] == '.';
}

/* Classes from elsewhere may raise it too: then it must be near one that is raised, or in the
 * package's own name space. */
void
ck_caught_name(ck *k, const char *fqn, vc_span span)
{
	const char *near;

	if (k->thrown == NULL)
		collect(k);
	if (k->open || k->thrown->anything || strchr(fqn, '.') == NULL ||
		ty_slot(k->c, &k->thrown->names, NULL, 0, fqn, false))
		return;
	if (!ty_slot(k->c, &k->thrown->spaces, NULL, 0, space_of(k->c, fqn), false))
		return;
	near = vt_nearest(fqn, k->thrown->v, k->thrown->n);
	if (near == NULL && !ty_program(k->c)->closed && !is_own(k, fqn))
		return;
	vc_report(k->c, VC_W1050, span, "nothing raises an exception \"%s\"", fqn);
	if (near)
		vc_did_you_mean(k->c, "\"%s\"", near);
}

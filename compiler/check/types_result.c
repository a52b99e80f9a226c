/*
 * types_result.c - what a method returns: the join of its Return statements, and null where its end
 * may be reached.
 *
 * An heir that overrides the method is looked at where it is in sight; one from elsewhere is taken
 * to return the same.  Nothing is said of a method that another version of the class may stand for,
 * and of an empty body, which a host may fill.
 */
#include "compiler/check/types.h"

#include <string.h>

/* Calls are followed so far: a chain of methods is as long as who wrote the package likes. */
enum { MAX_CHAIN = 40 };

typedef struct result {
	vc_typing *t;
	vc_type type;
} result;

static void returns_in(result *, mpl_stmt *const *, uint32_t n);

static void
returns_of(result *r, const mpl_stmt *s)
{
	if (s->kind == MS_RETURN)
		r->type = vc_type_join(
			r->t->c, r->type, s->a ? ty_value_type(r->t, s->a) : ty_make(VC_K_NULL));
	for (uint32_t i = 0; i < s->ncases; i++)
		returns_in(r, s->cases[i].body, s->cases[i].nbody);
	returns_in(r, s->body, s->nbody);
	for (uint32_t i = 0; i < s->ncatches; i++)
		returns_in(r, s->catches[i].body, s->catches[i].nbody);
	returns_in(r, s->orelse, s->norelse);
	returns_in(r, s->finally, s->nfinally);
}

static void
returns_in(result *r, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		returns_of(r, v[i]);
}

/* Does nothing come behind these statements?  Where that takes thought, something does. */
static bool
ends(mpl_stmt *const *v, uint32_t n)
{
	const mpl_stmt *s = n ? v[n - 1] : NULL;

	if (s == NULL)
		return false;
	if (s->kind == MS_IF && s->has_else)
		return ends(s->body, s->nbody) && ends(s->orelse, s->norelse);
	if (s->kind == MS_DO)
		return ends(s->body, s->nbody);
	return s->kind == MS_RETURN || s->kind == MS_THROW || s->kind == MS_RETHROW;
}

/* Is its package there in one version only? */
static bool
is_alone(const vc_types *p, const mpl_class *cls)
{
	uint32_t n, same = 0;
	mpl_package **all = vc_packages(p->c, &n);

	for (uint32_t i = 0; i < n && cls->pkg; i++)
		same += strcmp(all[i]->name, cls->pkg->name) == 0;
	return same == 1;
}

static vc_type
of_body(vc_types *p, const mpl_method *m)
{
	result r = {.t = vc_typing_new(p->c, m->cls, m)};

	returns_in(&r, m->body, m->nbody);
	if (r.t->broken || r.t->open)
		return ty_make(VC_K_ALL);
	if (!ends(m->body, m->nbody))
		r.type = vc_type_join(p->c, r.type, ty_make(VC_K_NULL));
	return r.type.kinds ? r.type : ty_make(VC_K_ALL);
}

/* While it is worked out it may be anything: methods call themselves. */
static vc_type
of_method(vc_types *p, const mpl_method *m)
{
	const void **slot = ty_slot(p->c, &p->names, m, TS_RESULT, "", false);
	vc_type *type;

	if (slot)
		return *(const vc_type *)*slot;
	if (m->native || m->nbody == 0 || p->chain >= MAX_CHAIN || !is_alone(p, m->cls))
		return ty_make(VC_K_ALL);
	type = vc_alloc(p->c, sizeof *type);
	*type = ty_make(VC_K_ALL);
	*ty_slot(p->c, &p->names, m, TS_RESULT, "", true) = type;
	p->chain++;
	*type = of_body(p, m);
	p->chain--;
	return *type;
}

vc_type
ty_result(vc_types *p, const mpl_method *m, vc_type recv, const char *name)
{
	vc_type type = of_method(p, m);
	uint32_t n = 0;
	mpl_class **heirs;

	if (recv.exact || type.kinds == VC_K_ALL)
		return type;
	heirs = ty_heirs(p, recv.cls, &n);
	if (heirs == NULL)
		return ty_make(VC_K_ALL);
	for (uint32_t i = 0; i < n; i++) {
		const void **slot = ty_slot(p->c, &p->names, heirs[i], TS_METHOD, name, false);
		if (slot && *slot != m)
			type = vc_type_join(p->c, type, of_method(p, *slot));
	}
	return type;
}

/*
 * types_outside.c - types of an expression that stands in no class.
 *
 * The library is all that there is: no objects, and variables that may be anything.
 */
#include "compiler/check/int.h"
#include "compiler/check/types.h"

#include <string.h>

typedef struct outside {
	ck k;
	vc_typing t;
} outside;

/* That nobody has a method of that name is told by who knows the names of the host. */
static void
fault(void *who, const ynode *node, const ty_fault *f)
{
	outside *o = who;

	if (f->kind == TF_METHOD ||
		(f->kind == TF_RECEIVER && !ck_is_registry_method(&o->k, f->name)))
		return;
	ck_fault(&o->k, &o->t, node, f);
}

vc_type
vc_outside_type(vc *c, const ynode *node, const yq_node *e, const vc_outside *rules)
{
	static mpl_package none = {.name = "", .format = 104};
	vc_types *was = c->types, *names = vc_alloc(c, sizeof *names);
	outside *o = vc_alloc(c, sizeof *o);
	vc_type out;

	names->c = c;
	c->types = names;
	o->k = (ck){.c = c, .pkg = &none};
	o->t = (vc_typing){.c = c, .p = names, .layers = rules->layers, .outside = rules};
	o->t.dollar = o->t.self = ty_make(VC_K_ALL);
	o->t.dynamic = 1;
	o->t.grown = o->t.open = true;
	o->t.fault = fault;
	o->t.who = o;
	out = vc_type_of(&o->t, node, e);
	c->types = was;
	return out;
}

const char *
vc_type_text(vc *c, vc_type t)
{
	return ty_text(c, t);
}

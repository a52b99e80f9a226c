/*
 * types_field.c - private fields: what a class writes under a name that it does not declare.
 *
 * Only code of the class reads such a field, so that its type is the join of what the methods of
 * the class assign.  They are all looked at when the first field is read; meanwhile fields are
 * anything.
 */
#include "compiler/check/types.h"

#include <string.h>

typedef struct fields {
	vc_types *p;
	const mpl_class *cls;
} fields;

static void
widen(fields *f, const char *name, vc_type with)
{
	const void **slot = ty_slot(f->p->c, &f->p->names, f->cls, TS_FIELD, name, true);
	vc_type *type = vc_alloc(f->p->c, sizeof *type);

	*type = *slot ? vc_type_join(f->p->c, *(const vc_type *)*slot, with) : with;
	*slot = type;
}

/* The last name of a target gets the value; what is before it may become anything. */
static void
written(void *who, const mpl_stmt *s, vc_type type)
{
	const yq_node *e = s->a->expr;

	if (type.kinds == 0)
		type.kinds = VC_K_ALL;
	while (e && (e->kind == YQ_WRAP || e->kind == YQ_INDEX || e->kind == YQ_BINARY)) {
		if (e->kind == YQ_BINARY && e->n == 2 && e->kid[1]->kind == YQ_KEYWORD)
			widen(who, e->kid[1]->text, type);
		if (e->kind != YQ_WRAP)
			type = (vc_type){.kinds = VC_K_ALL};
		e = e->kid[0];
	}
}

static void
collect(vc_types *p, const mpl_class *cls)
{
	fields f = {p, cls};

	for (uint32_t i = 0; i < cls->nmethods; i++) {
		const mpl_method *m = cls->methods[i];
		vc_typing *t = m->native ? NULL : vc_typing_new(p->c, cls, m);
		if (t == NULL)
			continue;
		t->assign = written;
		t->who = &f;
		ty_statements(t, m->body, m->nbody);
	}
}

vc_type
ty_field(vc_types *p, const mpl_class *cls, const char *name)
{
	const void **known = ty_slot(p->c, &p->names, cls, TS_FIELDS, "", false), **slot;

	if (known == NULL) {
		*ty_slot(p->c, &p->names, cls, TS_FIELDS, "", true) = NULL;
		collect(p, cls);
		known = ty_slot(p->c, &p->names, cls, TS_FIELDS, "", true);
		*known = p;
	}
	slot = *known ? ty_slot(p->c, &p->names, cls, TS_FIELD, name, false) : NULL;
	return slot && *slot ? *(const vc_type *)*slot : (vc_type){.kinds = VC_K_ALL};
}

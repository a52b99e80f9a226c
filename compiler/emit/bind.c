/*
 * bind.c - calls on $this that can find one method only: pass `bind`.
 *
 * A program knows all its classes.  A method of class C that calls $.m(), which C declares, finds
 * C's method whatever the object is, if no class that shares an heir with C declares m, C and its
 * ancestors aside; then nothing needs to be looked up or remembered.  Nor may anything else of that
 * name be in the way: a function of the library or of the host, whose parameters could make the
 * call unclear, an extension that a class imports, or a mock.
 *
 * Here is also which casts need no object.  One that is only called, or asked for properties, is
 * the object itself in its temporary, and the class that it is seen as beside it, in `as`.
 */
#include "compiler/emit/int.h"
#include "runtime/call/call.h"
#include "runtime/core/value.h"

#include <string.h>

typedef struct list {
	uint32_t *v;
	uint32_t n;
} list;

/* Of the program. Classes are numbers; those of one name, as in versions of a package, stand for
 * each other. */
struct em_family {
	const vc *c;
	const ir_class **cls;
	uint32_t n;
	uint32_t *hash, mask; /* by name: one up */
	list *ancestors;      /* itself too */
	list *others;         /* that are ancestors of an heir and not its own; may repeat */
	uint32_t *mark, now;  /* by class: which of the searches has come by */
	bool *has_heirs;      /* by class */
	bool open;            /* something else may stand in for a method */
};

static uint32_t
slot(const struct em_family *t, const char *name)
{
	uint32_t i = (uint32_t)vc_hash(t->c, name, strlen(name));

	while (t->hash[i & t->mask] && strcmp(t->cls[t->hash[i & t->mask] - 1]->name, name) != 0)
		i++;
	return i & t->mask;
}

/* Once in each search. */
static void
put(vc *c, struct em_family *t, list *l, uint32_t k)
{
	if (t->mark[k] == t->now)
		return;
	t->mark[k] = t->now;
	vc_push(c, l->v, l->n) = k;
}

/* Breadth first; the list is its own queue. */
static void
find_ancestors(vc *c, struct em_family *t, uint32_t k)
{
	list *l = &t->ancestors[k];

	t->now++;
	put(c, t, l, k);
	for (uint32_t i = 0; i < l->n; i++) {
		const ir_class *cls = t->cls[l->v[i]];
		for (uint32_t p = 0; p < cls->nparents; p++) {
			uint32_t a = t->hash[slot(t, cls->parents[p])];
			t->open |= strncmp(cls->parents[p], "io.murano.test.TestFixture", 26) == 0;
			if (a == 0)
				continue;
			put(c, t, l, a - 1);
			t->has_heirs[a - 1] = true;
		}
	}
}

/* Of a class without heirs: its ancestors have those of theirs among them. */
static void
find_others(vc *c, struct em_family *t, uint32_t heir)
{
	const list *l = &t->ancestors[heir];

	for (uint32_t i = 0; i < l->n; i++) {
		const list *own = &t->ancestors[l->v[i]];
		t->now++;
		for (uint32_t k = 0; k < own->n; k++)
			t->mark[own->v[k]] = t->now;
		for (uint32_t k = 0; k < l->n; k++)
			put(c, t, &t->others[l->v[i]], l->v[k]);
	}
}

static void
add_classes(vc *c, const ir_module *m, struct em_family *t)
{
	for (uint32_t i = 0; i < m->npackages; i++)
		t->n += m->packages[i]->nclasses;
	t->cls = vc_alloc(c, (t->n + 1) * sizeof *t->cls);
	for (t->mask = 15; t->mask < 2 * t->n; t->mask = 2 * t->mask + 1)
		;
	t->hash = vc_alloc(c, (t->mask + 1) * sizeof *t->hash);
	t->n = 0;
	for (uint32_t i = 0; i < m->npackages; i++)
		for (uint32_t k = 0; k < m->packages[i]->nclasses; k++) {
			uint32_t *h = &t->hash[slot(t, m->packages[i]->classes[k]->name)];
			t->open |= *h != 0;
			t->cls[t->n++] = m->packages[i]->classes[k];
			*h = t->n;
		}
}

struct em_family *
em_family(vc *c, const ir_module *m, bool lua)
{
	struct em_family *t = vc_alloc(c, sizeof *t);

	if (!vc_pass_on(c, BIND) || !vc_pass_on(c, CALLS) || c->boxed || lua)
		return NULL;
	t->c = c;
	add_classes(c, m, t);
	t->ancestors = vc_alloc(c, (t->n + 1) * sizeof *t->ancestors);
	t->others = vc_alloc(c, (t->n + 1) * sizeof *t->others);
	t->mark = vc_alloc(c, (t->n + 1) * sizeof *t->mark);
	t->has_heirs = vc_alloc(c, t->n + 1);
	for (uint32_t k = 0; k < t->n; k++)
		find_ancestors(c, t, k);
	for (uint32_t k = 0; k < t->n; k++)
		if (!t->has_heirs[k])
			find_others(c, t, k);
	return t->open ? NULL : t;
}

static bool
declares(const ir_class *c, const char *name)
{
	for (uint32_t i = 0; i < c->nmethods; i++)
		if (strcmp(c->methods[i].name, name) == 0)
			return true;
	return false;
}

bool
em_is_bound(const em *e, const ir_func *f, const char *name)
{
	const ir_method *m = em_method_of(e, f);
	const struct em_family *t = e->family;
	uint32_t k, n;

	if (m == NULL ||
		(m->usage != VT_M_RUNTIME && m->usage != VT_M_ACTION)) /* $this is a type there */
		return false;
	if (t == NULL || vt_fn_find(name, &n) != NULL ||
		(k = t->hash[slot(t, e->cls->name)]) == 0 || t->cls[k - 1] != e->cls ||
		e->cls->nimports)
		return false;
	for (uint32_t i = 0; i < t->others[k - 1].n; i++) {
		const ir_class *other = t->cls[t->others[k - 1].v[i]];
		if (other->nimports || declares(other, name))
			return false;
	}
	return true;
}

/* ---- casts ---- */

/* Is the temporary, whose cast it is, called by its method's entry, or asked for a property? */
static bool
receives(const em *e, const ir_ins *in, int32_t t)
{
	int32_t expected;

	if (in->a[0] != t || (in->op == IR_CALLM && !em_calls_entry(e, in, false, &expected)))
		return false;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->list[i] == t)
			return false;
	return in->op == IR_CALLM || in->op == IR_ATTR;
}

/* Are those all uses of what op i gives?  mark: notes them. */
static bool
only_receives(const em *e, const ir_func *f, uint32_t i, bool mark)
{
	int32_t t = f->ins[i].d;

	for (uint32_t k = i + 1; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (em_uses(in, t) && in->op != IR_REFUSE) {
			if (!receives(e, in, t))
				return false;
			in->site->seen |= mark;
		}
		if (in->d == t || em_frees(in, t))
			break;
	}
	f->ins[i].site->seen |= mark;
	return true;
}

static bool
is_cast(const ir_ins *in)
{
	const ir_site *s = in->site;

	if (in->op == IR_PARENT)
		return true;
	return in->op == IR_CALL && strcmp(s->name, "cast") == 0 && s->nargs == 2 &&
	       in->list[0] >= 0 && !s->args[0].keyword && !s->args[0].key && !s->args[1].keyword &&
	       !s->args[1].key && !s->args[1].code;
}

void
em_see_casts(const em *e, const ir_func *f)
{
	if (vc_pass_on(e->c, CALLS) && vc_pass_on(e->c, RECORDS))
		for (uint32_t i = 0; i < f->n; i++)
			if (is_cast(&f->ins[i]) && only_receives(e, f, i, false))
				(void)only_receives(e, f, i, true);
}

bool
em_sees(const ir_ins *in)
{
	return (in->op == IR_CALL || in->op == IR_PARENT) && in->site->seen;
}

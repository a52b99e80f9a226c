/*
 * locks.c - monitors that are taken in both orders.
 *
 * Only one task at a time is in one method of one object.  Two tasks wait for each other for ever
 * when each is in the method that the other wants.  That takes tasks: branches of Parallel, lambdas
 * of pselect(), and applications, which an environment deploys at the same time.
 */
#include "compiler/check/int.h"
#include "compiler/check/types.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
	ck *k;
	const char *name;  /* of the method whose call is looked for; NULL: all calls are listed */
	bool on_this;      /* called on $this, else on anything */
	const ynode *node; /* what was found */
	const yq_node *call, *receiver;
	const char **called;
	uint32_t ncalled, capcalled;
} search;

static bool
is_dot(const yq_node *e)
{
	return e->kind == YQ_BINARY && strcmp(e->text, ".") == 0 && e->n == 2;
}

static void
in_expression(search *s, const ynode *node, const yq_node *e)
{
	bool calls = is_dot(e) && e->kid[1]->kind == YQ_CALL && s->call == NULL &&
		     (s->name == NULL || strcmp(e->kid[1]->text, s->name) == 0) &&
		     ck_is_this(s->k, e->kid[0]) == s->on_this;

	if (calls && s->name == NULL) {
		vc_push(s->k->c, s->called, s->ncalled) = e->kid[1]->text;
	} else if (calls) {
		s->node = node;
		s->call = e->kid[1];
		s->receiver = yq_unwrap(e->kid[0]);
	}
	for (uint32_t i = 0; i < e->n && s->call == NULL; i++)
		in_expression(s, node, e->kid[i]);
}

static void
in_value(search *s, const ynode *y)
{
	if (y == NULL || s->call)
		return;
	if (y->kind == YN_SCALAR && y->is_expr && y->expr)
		in_expression(s, y, y->expr);
	for (uint32_t i = 0; (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++)
		in_value(s, y->item[i]);
}

static void
in_statements(search *s, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n && s->call == NULL; i++) {
		in_value(s, v[i]->a);
		in_value(s, v[i]->b);
		in_value(s, v[i]->d);
		for (uint32_t c = 0; c < v[i]->ncases; c++)
			in_statements(s, v[i]->cases[c].body, v[i]->cases[c].nbody);
		in_statements(s, v[i]->body, v[i]->nbody);
		for (uint32_t c = 0; c < v[i]->ncatches; c++)
			in_statements(s, v[i]->catches[c].body, v[i]->catches[c].nbody);
		in_statements(s, v[i]->orelse, v[i]->norelse);
		in_statements(s, v[i]->finally, v[i]->nfinally);
	}
}

/* ---- who runs side by side ---- */

static bool
lambda_calls(const yq_node *e, const char *name, bool inside)
{
	bool starts = e->kind == YQ_CALL &&
		      (strcmp(e->text, "pselect") == 0 || strcmp(e->text, "pselectMany") == 0);

	if (inside && e->kind == YQ_CALL && strcmp(e->text, name) == 0)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (lambda_calls(e->kid[i], name, inside || starts))
			return true;
	return false;
}

static bool
value_starts(const ynode *y, const char *name, bool inside)
{
	if (y == NULL)
		return false;
	if (y->kind == YN_SCALAR)
		return y->is_expr && y->expr && lambda_calls(y->expr, name, inside);
	for (uint32_t i = 0; (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++)
		if (value_starts(y->item[i], name, inside))
			return true;
	return false;
}

static bool
starts(mpl_stmt *const *v, uint32_t n, const char *name, bool inside)
{
	for (uint32_t i = 0; i < n; i++) {
		const mpl_stmt *s = v[i];
		bool in = inside || s->kind == MS_PARALLEL;
		if (value_starts(s->a, name, inside) || value_starts(s->b, name, inside) ||
			starts(s->body, s->nbody, name, in) ||
			starts(s->orelse, s->norelse, name, inside) ||
			starts(s->finally, s->nfinally, name, inside))
			return true;
		for (uint32_t c = 0; c < s->ncases; c++)
			if (starts(s->cases[c].body, s->cases[c].nbody, name, inside))
				return true;
		for (uint32_t c = 0; c < s->ncatches; c++)
			if (starts(s->catches[c].body, s->catches[c].nbody, name, inside))
				return true;
	}
	return false;
}

/* Does a Parallel or a pselect() of the main packages call a method of that name? */
static bool
side_by_side(const ck *k, const char *name)
{
	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; !k->pkgs[i]->builtin && n < k->pkgs[i]->nclasses; n++) {
			const mpl_class *cls = k->pkgs[i]->classes[n];
			for (uint32_t m = 0; m < cls->nmethods; m++)
				if (starts(cls->methods[m]->body, cls->methods[m]->nbody, name,
					    false))
					return true;
		}
	return false;
}

static bool
is_application(const ck *k)
{
	for (uint32_t i = 0; i < k->nline; i++)
		if (strcmp(k->line[i]->name, "io.murano.Application") == 0)
			return true;
	return false;
}

/* ---- both orders ---- */

static bool
has_monitor(const mpl_method *m)
{
	return m && !m->native && m->meta == NULL && m->name[0] != '.' && m->nbody > 0 &&
	       (m->usage == MPL_M_RUNTIME || m->usage == MPL_M_ACTION);
}

static vc_span
place(const search *s)
{
	return yn_subspan(s->node, s->call->op_at, s->call->op_at + s->call->ntext);
}

/* One method of two objects that know each other: $.next.start() in start. */
static void
on_another(ck *k, const mpl_method *m, vc_typing *t)
{
	search s = {.k = k, .name = m->name};
	vc_type recv;

	in_statements(&s, m->body, m->nbody);
	if (s.call == NULL || !side_by_side(k, m->name))
		return;
	t->fault = NULL;
	recv = vc_type_of(t, s.node, s.receiver);
	if (recv.cls == NULL || ty_method(t->p, recv.cls, m->name) != m)
		return;
	vc_report(k->c, VC_W1072, place(&s),
		"two objects that point at each other wait for ever here, each in its \"%s\"",
		m->name);
	vc_hint(k->c, "the program runs \"%s\" of several objects side by side", m->name);
}

static int
by_name(const void *a, const void *b)
{
	const ck_named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Where the class has its method of that name. */
static uint32_t
index_of(ck *k, const char *name)
{
	ck_named want = {name, 0}, *found;

	if (k->named_of != k->cls) {
		k->named = vc_alloc(k->c, (k->cls->nmethods + 1) * sizeof *k->named);
		for (uint32_t i = 0; i < k->cls->nmethods; i++)
			k->named[i] = (ck_named){k->cls->methods[i]->name, i};
		qsort(k->named, k->cls->nmethods, sizeof *k->named, by_name);
		k->named_of = k->cls;
	}
	found = bsearch(&want, k->named, k->cls->nmethods, sizeof want, by_name);
	return found != NULL ? found->i : k->cls->nmethods;
}

static int
by_index(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Two methods of one object that call each other. */
static void
on_this(ck *k, const mpl_method *m)
{
	search all = {.k = k, .on_this = true};
	uint32_t mine = index_of(k, m->name), *others, n = 0;

	in_statements(&all, m->body, m->nbody);
	others = vc_alloc(k->c, (all.ncalled + 1) * sizeof *others);
	for (uint32_t i = 0; i < all.ncalled; i++)
		others[n++] = index_of(k, all.called[i]);
	qsort(others, n, sizeof *others, by_index);
	for (uint32_t i = 0; i < n && others[i] < mine; i++) { /* each pair once */
		const mpl_method *other = k->cls->methods[others[i]];
		search s = {.k = k, .name = m->name, .on_this = true},
		       back = {.k = k, .name = other->name, .on_this = true};
		if (i > 0 && others[i] == others[i - 1])
			continue;
		if (!has_monitor(other) || other->name[0] == '_' || m->name[0] == '_')
			continue; /* a helper runs inside of what calls it */
		in_statements(&s, other->body, other->nbody);
		if (s.call == NULL)
			continue;
		in_statements(&back, m->body, m->nbody);
		if (back.call == NULL || (!is_application(k) && !side_by_side(k, m->name) &&
						 !side_by_side(k, other->name)))
			continue;
		vc_report(k->c, VC_W1072, place(&back),
			"two tasks can wait for each other here: \"%s\" calls \"%s\", and the "
			"other "
			"way round",
			m->name, other->name);
		vc_note(k->c, place(&s), "the other order");
	}
}

void
ck_locks(ck *k, const mpl_method *m, vc_typing *t)
{
	if (!has_monitor(m))
		return;
	on_another(k, m, t);
	on_this(k, m);
}

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

/* A call of a method of the class on $this: where the class has it, and the call's number. */
typedef struct ck_call {
	uint32_t method, nth;
	const ynode *node;
	const yq_node *call;
} ck_call;

typedef struct search {
	ck *k;
	const char
		*name; /* of the method whose call is looked for; NULL: all on $this are listed */
	const ynode *node; /* what was found */
	const yq_node *call, *receiver;
	ck_call *calls;
	uint32_t ncalls;
} search;

static uint32_t index_of(ck *k, const char *name);

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
		     ck_is_this(s->k, e->kid[0]) == (s->name == NULL);

	if (calls && s->name == NULL) {
		uint32_t method = index_of(s->k, e->kid[1]->text);
		ck_call one = {method, s->ncalls, node, e->kid[1]};
		if (method < s->k->cls->nmethods)
			vc_push(s->k->c, s->calls, s->ncalls) = one;
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

/* Of what a task of its own runs: inside. */
static void
in_tasks_of_expression(ck *k, const yq_node *e, bool inside)
{
	bool starts = e->kind == YQ_CALL &&
		      (strcmp(e->text, "pselect") == 0 || strcmp(e->text, "pselectMany") == 0);

	if (inside && e->kind == YQ_CALL)
		vc_push(k->c, k->tasks.v, k->tasks.n) = e->text;
	for (uint32_t i = 0; i < e->n; i++)
		in_tasks_of_expression(k, e->kid[i], inside || starts);
}

static void
in_tasks_of_value(ck *k, const ynode *y, bool inside)
{
	if (y == NULL)
		return;
	if (y->kind == YN_SCALAR && y->is_expr && y->expr)
		in_tasks_of_expression(k, y->expr, inside);
	for (uint32_t i = 0; (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++)
		in_tasks_of_value(k, y->item[i], inside);
}

static void
in_tasks(ck *k, mpl_stmt *const *v, uint32_t n, bool inside)
{
	for (uint32_t i = 0; i < n; i++) {
		const mpl_stmt *s = v[i];
		in_tasks_of_value(k, s->a, inside);
		in_tasks_of_value(k, s->b, inside);
		in_tasks(k, s->body, s->nbody, inside || s->kind == MS_PARALLEL);
		in_tasks(k, s->orelse, s->norelse, inside);
		in_tasks(k, s->finally, s->nfinally, inside);
		for (uint32_t c = 0; c < s->ncases; c++)
			in_tasks(k, s->cases[c].body, s->cases[c].nbody, inside);
		for (uint32_t c = 0; c < s->ncatches; c++)
			in_tasks(k, s->catches[c].body, s->catches[c].nbody, inside);
	}
}

/* Does a Parallel or a pselect() of the main packages call a method of that name?  All names are
 * gathered when the first is asked for. */
static bool
side_by_side(ck *k, const char *name)
{
	for (uint32_t i = 0; k->tasks.v == NULL && i < k->npkgs; i++)
		for (uint32_t n = 0; !k->pkgs[i]->builtin && n < k->pkgs[i]->nclasses; n++) {
			const mpl_class *cls = k->pkgs[i]->classes[n];
			for (uint32_t m = 0; m < cls->nmethods; m++)
				in_tasks(k, cls->methods[m]->body, cls->methods[m]->nbody, false);
		}
	if (k->tasks.v == NULL) /* nothing runs so: not asked again */
		k->tasks.v = vc_alloc(k->c, sizeof *k->tasks.v);
	return vc_index_of(k->c, &k->in_tasks, k->tasks.v, (uint32_t)k->tasks.n, name) !=
	       UINT32_MAX;
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
place(const ynode *node, const yq_node *call)
{
	return yn_subspan(node, call->op_at, call->op_at + call->ntext);
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
	vc_report(k->c, VC_W1072, place(s.node, s.call),
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
		k->calls = NULL;
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
by_method(const void *a, const void *b)
{
	const ck_call *x = a, *y = b;

	if (x->method != y->method)
		return x->method < y->method ? -1 : 1;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

/* What each method of the class calls on $this, each once: where it does so first. */
static void
list_calls(ck *k)
{
	(void)index_of(k, "");
	if (k->calls != NULL)
		return;
	k->calls = vc_alloc(k->c, (k->cls->nmethods + 1) * sizeof *k->calls);
	for (uint32_t i = 0; i < k->cls->nmethods; i++) {
		search all = {.k = k};
		uint32_t n = 0;
		in_statements(&all, k->cls->methods[i]->body, k->cls->methods[i]->nbody);
		if (all.ncalls > 0)
			qsort(all.calls, all.ncalls, sizeof *all.calls, by_method);
		for (uint32_t c = 0; c < all.ncalls; c++)
			if (n == 0 || all.calls[n - 1].method != all.calls[c].method)
				all.calls[n++] = all.calls[c];
		k->calls[i] = (ck_calls){all.calls, n};
	}
}

static const ck_call *
call_of(const ck *k, uint32_t from, uint32_t to)
{
	uint32_t low = 0, high = k->calls[from].n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (k->calls[from].v[mid].method < to)
			low = mid + 1;
		else
			high = mid;
	}
	return low < k->calls[from].n && k->calls[from].v[low].method == to ? &k->calls[from].v[low]
									    : NULL;
}

/* Two methods of one object that call each other. */
static void
on_this(ck *k, const mpl_method *m)
{
	uint32_t mine = index_of(k, m->name);

	list_calls(k);
	for (uint32_t i = 0; i < k->calls[mine].n; i++) {
		const ck_call *call = &k->calls[mine].v[i], *back;
		const mpl_method *other = k->cls->methods[call->method];
		if (call->method >= mine)
			break; /* each pair once */
		if (!has_monitor(other) || other->name[0] == '_' || m->name[0] == '_')
			continue; /* a helper runs inside of what calls it */
		back = call_of(k, call->method, mine);
		if (back == NULL || (!is_application(k) && !side_by_side(k, m->name) &&
					    !side_by_side(k, other->name)))
			continue;
		vc_report(k->c, VC_W1072, place(call->node, call->call),
			"two tasks can wait for each other here: \"%s\" calls \"%s\", and the "
			"other "
			"way round",
			m->name, other->name);
		vc_note(k->c, place(back->node, back->call), "the other order");
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

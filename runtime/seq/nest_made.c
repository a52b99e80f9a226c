/*
 * nest_made.c - pipelines over a list of each item that are not over all of it as it is: over what
 * lambdas make one after the other (generate() and folds), and over what an index finds.
 */
#include "runtime/seq/nest.h"

#include "runtime/core/heap.h"
#include "runtime/seq/seq.h"

#include <string.h>

/* ---- generate() ---- */

enum {
	MADE_MOST = 1024
}; /* that may have no end: the code then gives them as they are asked for */

/* The values that are at hand, and the items that they are of. */
typedef struct made {
	uint32_t n;
	vt_value v[VT_BULK]; /* owned */
	uint8_t of[VT_BULK];
	uint32_t emitted[VT_BULK]; /* by item */
} made;

static void
drop_made(made *m, uint32_t i)
{
	vt_release(m->v[i]);
	m->n--;
	memmove(m->v + i, m->v + i + 1, (m->n - i) * sizeof *m->v);
	memmove(m->of + i, m->of + i + 1, m->n - i);
}

/* A stage for all of them; those that it is not for are left to the code. */
static void
made_stage(nest *p, uint32_t k, made *m)
{
	vt_batch *s = p->stage[k];
	uint32_t n = 0;

	s->seg = m->of;
	while (m->n > 0) {
		n = vt_batch_fill_known(s, p->x->stage[k].program, m->n, m->v, NULL, NULL, NULL);
		if (n == m->n)
			return;
		p->bad[m->of[n]] = true;
		drop_made(m, n);
	}
}

/* Those that come to an end. */
static void
end_made(nest *p, made *m)
{
	const vt_lambda_program *t = p->x->stage[0].program;
	uint32_t n = m->n, to = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool goes_on = vt_batch_true(p->stage[0], t, i);
		uint32_t item = m->of[i];
		if (goes_on && m->emitted[item] >= MADE_MOST)
			p->bad[item] = true;
		if (!goes_on || p->bad[item] || m->emitted[item] >= p->x->most) {
			vt_release(m->v[i]);
			continue;
		}
		m->v[to] = m->v[i];
		m->of[to++] = (uint8_t)item;
	}
	m->n = to;
}

static void
emit_made(nest *p, made *m)
{
	const vt_lambda_program *t = p->x->n > 2 ? p->x->stage[2].program : NULL;
	const vt_value *v = m->v;

	if (t != NULL) {
		uint32_t n;
		made_stage(p, 2, m);
		n = m->n;
		v = n > 0 ? vt_batch_results(p->stage[2], t, &n) : m->v;
		while (m->n > n) {
			p->bad[m->of[m->n - 1]] = true;
			drop_made(m, m->n - 1);
		}
	}
	for (uint32_t i = 0; i < m->n; i++) {
		vt_list_push(p->s->rt, vt_as_list(p->v[m->of[i]]), vt_copy(v[i]));
		m->emitted[m->of[i]]++;
	}
}

static void
next_made(nest *p, made *m)
{
	const vt_lambda_program *t = p->x->stage[1].program;
	const vt_value *v;
	uint32_t n;

	made_stage(p, 1, m);
	n = m->n;
	if (n == 0)
		return;
	v = vt_batch_results(p->stage[1], t, &n);
	while (m->n > n) {
		p->bad[m->of[m->n - 1]] = true;
		drop_made(m, m->n - 1);
	}
	for (uint32_t i = 0; i < n; i++)
		vt_move(&m->v[i], vt_copy(v[i]));
}

/* All items in step, so that each lambda is done for all that go on. */
void
vt_nest_generate(nest *p, uint32_t n, const vt_value *from)
{
	made m;

	m.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		m.emitted[i] = 0;
		if (p->bad[i])
			continue;
		m.v[m.n] = vt_copy(from[i]);
		m.of[m.n++] = (uint8_t)i;
	}
	while (m.n > 0) {
		made_stage(p, 0, &m);
		end_made(p, &m);
		emit_made(p, &m);
		next_made(p, &m);
	}
}

/* ---- folds ---- */

enum { GROWS = 16 };

/* Does it take a copy for each item, of something that is large by then? */
static bool
is_growing(const nest *p, vt_value seed, uint32_t n)
{
	return p->x->reduce == VT_NEST_FOLDED && n >= GROWS &&
	       (vt_is(seed, TUPLE) || vt_is(seed, DICT) || vt_is(seed, STR));
}

/* The items from the first one on, into a sum that is changed in its place.  False: the program is
 * not for them. */
static bool
change_along(vt_fold *f, vt_rt *rt, uint32_t n, const vt_value *v, vt_value *sum)
{
	uint32_t at = 0, most, i;
	vt_value next;

	while (at < n) {
		most = vt_fold_fill(f, n - at < VT_BULK ? n - at : VT_BULK, v + at);
		for (i = vt_fold_run(f, 0, most, sum, NULL); i < most;
			i += 1 + vt_fold_run(f, i + 1, most, sum, NULL)) {
			rt->s->spare = *sum;
			if (vt_fold_change(f, i, sum))
				continue;
			if (!vt_fold_step(f, i, *sum, &next))
				return false;
			vt_move(sum, next);
		}
		if (most == 0)
			return false;
		at += most;
	}
	return true;
}

/* False: it is no such program. */
static bool
grow(nest *p, uint32_t item, vt_value seed, uint32_t n, const vt_value *v)
{
	vt_rt *rt = p->s->rt;
	vt_fold *f = vt_fold_of(rt, p->x->stage[0].program, p->s->scope);
	vt_value was = rt->s->spare, sum = vt_copy(seed);
	uint8_t of[VT_BULK];

	if (f == NULL) {
		vt_release(sum);
		return false;
	}
	memset(of, (int)item, sizeof of);
	vt_fold_nest(f, p->s, p->t->args, of);
	p->bad[item] = !change_along(f, rt, n, v, &sum);
	rt->s->spare = was;
	vt_fold_free(f);
	if (p->bad[item])
		vt_clear(&sum);
	p->v[item] = sum;
	return true;
}

/* All lists in step: the next item of each goes into what was made of those before it. */
void
vt_nest_fold(nest *p, uint32_t n, const items *lists)
{
	bool keeps = p->x->reduce == VT_NEST_ACCUMULATED;
	const vt_value *seed = p->t->c != VT_STEP_K ? vt_batch_from(p->s, p->t->c) : NULL;
	const vt_lambda_program *t = p->x->stage[0].program;
	vt_batch *s = p->stage[0];
	made m;

	m.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		vt_value v = p->bad[i]         ? VT_UNDEF
			     : seed != NULL    ? seed[i]
			     : lists[i].n == 0 ? VT_UNDEF
					       : lists[i].v[0];
		m.emitted[i] = seed == NULL;
		p->bad[i] = v == VT_UNDEF;
		if (p->bad[i] && !keeps)
			p->v[i] = VT_UNDEF;
		if (keeps && !p->bad[i])
			vt_list_push(p->s->rt, vt_as_list(p->v[i]), vt_copy(v));
		if (p->bad[i] || m.emitted[i] == lists[i].n) {
			if (!keeps && !p->bad[i])
				p->v[i] = vt_copy(v);
			continue;
		}
		if (is_growing(p, v, lists[i].n) &&
			grow(p, i, v, lists[i].n - m.emitted[i], lists[i].v + m.emitted[i]))
			continue;
		m.v[m.n] = vt_copy(v);
		m.of[m.n++] = (uint8_t)i;
	}
	while (m.n > 0) {
		vt_value next[VT_BULK];
		const vt_value *v = NULL;
		uint32_t done, to = 0;
		for (uint32_t k = 0; k < m.n; k++)
			next[k] = lists[m.of[k]].v[m.emitted[m.of[k]]++];
		s->seg = m.of;
		done = vt_batch_fill_known(s, t, m.n, m.v, next, NULL, NULL);
		if (done > 0)
			v = vt_batch_results(s, t, &done);
		for (uint32_t k = 0; k < m.n; k++) {
			uint32_t item = m.of[k];
			vt_value made = k < done ? vt_copy(v[k]) : VT_UNDEF;
			vt_release(m.v[k]);
			p->bad[item] = k >= done;
			if (keeps && k < done)
				vt_list_push(p->s->rt, vt_as_list(p->v[item]), vt_copy(made));
			if (k >= done || m.emitted[item] == lists[item].n) {
				if (!keeps)
					p->v[item] = made;
				else
					vt_release(made);
				continue;
			}
			m.v[to] = made;
			m.of[to++] = (uint8_t)item;
		}
		m.n = to;
	}
}

/* ---- items that an index of the list finds ---- */

/* A step of a stage that is the member of an item; its name, or NULL. */
static const vt_str *
member_of(const vt_lambda_program *t, uint8_t r)
{
	const vt_lambda_step *x = &t->t[r];

	return x->op == VT_STEP_ATTR && x->guard == VT_STEP_K && t->t[x->a].op == VT_STEP_ITEM
		       ? x->heap
		       : NULL;
}

/* Does the register depend on nothing but what is around the stage? */
static bool
is_around(const vt_lambda_program *t, uint8_t r)
{
	const vt_lambda_step *x = &t->t[r];

	if (x->guard != VT_STEP_K)
		return false;
	switch (x->op) {
	case VT_STEP_OUTER:
	case VT_STEP_CONST:
	case VT_STEP_DYN: return true;
	case VT_STEP_ATTR:
	case VT_STEP_INDEX:
	case VT_STEP_UPPER:
	case VT_STEP_LOWER:
	case VT_STEP_TRIM:
	case VT_STEP_PART: return is_around(t, x->a);
	case VT_STEP_ADD:
	case VT_STEP_SUB:
	case VT_STEP_MUL: return is_around(t, x->a) && (x->b == VT_STEP_K || is_around(t, x->b));
	}
	return false;
}

/* What that register holds for all items of a list. False: it differs. */
static bool
is_fixed(nest *p, const vt_lambda_program *t, uint8_t r)
{
	const vt_lambda_step *x = &t->t[r];

	p->same = NULL;
	p->computed = VT_STEP_K;
	if (x->op == VT_STEP_OUTER)
		p->same = vt_batch_from(p->s, p->t->args[x->a]);
	else if (x->op == VT_STEP_CONST)
		p->constant = x->heap != NULL ? vt_mkptr(x->heap) : x->k;
	else if (x->op == VT_STEP_DYN)
		p->constant = vt_step_variable(p->s->rt, p->s->scope, x);
	else if (is_around(t, r)) {
		p->same = p->keys;
		p->computed = r;
	} else
		return false;
	return x->op != VT_STEP_OUTER || p->same != NULL;
}

/* The keys that the stage's program makes, by any item of the list: they do not depend on it. */
static void
compute_keys(nest *p, const vt_list *l)
{
	const vt_lambda_program *t = p->x->stage[0].program;
	vt_batch *s = p->stage[0];
	vt_value items[VT_BULK];
	uint8_t of[VT_BULK];
	uint32_t n = p->s->n;

	for (uint32_t i = 0; i < n; i++) {
		items[i] = l->v[0];
		of[i] = (uint8_t)i;
	}
	s->seg = of;
	n = vt_batch_fill_known(s, t, n, items, NULL, NULL, NULL);
	if (n > 0 && s->col[p->computed] == NULL)
		vt_batch_strings(s, t, UINT64_C(1) << p->computed);
	for (uint32_t i = 0; i < n && s->col[p->computed] != NULL; i++)
		p->keys[i] = vt_copy(s->col[p->computed][i]);
}

bool
vt_nest_reads_all(const nest *p)
{
	return p->x->reduce != VT_NEST_FIRST && p->x->reduce != VT_NEST_ANY &&
	       p->x->reduce != VT_NEST_ALL;
}

void
vt_nest_find_keys(nest *p, vt_value source)
{
	for (uint32_t i = 0; i < p->s->n; i++)
		p->keys[i] = VT_UNDEF;
	if (vt_is_sequence(source) &&
		vt_lookup_of(p->s->rt, vt_as_list(source), p->member, vt_nest_reads_all(p)) != NULL)
		compute_keys(p, vt_as_list(source));
}

void
vt_nest_find_member(nest *p)
{
	const vt_lambda_program *t = p->x->n > 0 ? p->x->stage[0].program : NULL;
	const vt_lambda_step *x;

	p->member = NULL;
	p->same = NULL;
	p->constant = VT_UNDEF;
	p->computed = VT_STEP_K;
	if (t == NULL || p->x->generates || p->x->stage[0].filter != VT_NEST_WHERE ||
		t->kind != VT_PROGRAM_VALUE || p->x->skip != 0 || p->x->most != UINT32_MAX)
		return;
	for (x = &t->t[t->out[0]]; x->op == VT_STEP_AND; x = &t->t[x->a])
		;
	if (x->op != VT_STEP_EQ || x->guard != VT_STEP_K)
		return;
	if (x->b == VT_STEP_K) {
		p->same = NULL;
		p->constant = x->heap != NULL ? vt_mkptr(x->heap) : x->k;
		p->member = member_of(t, x->a);
	} else if (is_fixed(p, t, x->b)) {
		p->member = member_of(t, x->a);
	} else if (is_fixed(p, t, x->a)) {
		p->member = member_of(t, x->b);
	}
}

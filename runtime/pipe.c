/*
 * pipe.c - what emitted pipelines share.
 *
 * A chain of where() and select() whose lambdas are known becomes one state machine: v[0] is what
 * it walks, v[1] the scope of its lambdas, i[0] where it stands in a list, i[1] whether v[0] is
 * one.  It must not be told from the chain of generators that the library would make, so wherever
 * something could tell (limits that count each stage, functions of the host, receivers that the
 * stages are not for), the calls are made one by one instead.
 */
#include "term.h"

#include <string.h>

static bool
pipe_takes(vt_rt *rt, const vt_unit *u, vt_value source)
{
	bool list = vt_is_sequence(source);

	if (rt->s->host_hides || vt_metered(rt))
		return false;
	if (u->opt.limit_iterators >= 0)
		return list && vt_as_list(source)->n <= u->opt.limit_iterators;
	return list || vt_is(source, ITER) || vt_is(source, SET) || vt_is(source, MEMO);
}

static const vt_iter_ops loop_ops[] = {
	{vt_pipe_loop, NULL, "map", 0}, {vt_pipe_loop, NULL, "filter", 0}};

vt_status
vt_pipe(vt_rt *rt, vt_scope *sc, const vt_unit *u, const vt_iter_ops *ops, vt_value source,
	vt_value *out)
{
	vt_iter *it;

	if (!pipe_takes(rt, u, source))
		return VT_OK;
	/* A table has no address of a function in it: under `--jit=cc` that is no constant. */
	it = vt_iter_new(rt, ops->next != NULL ? ops : &loop_ops[strcmp(ops->name, "filter") == 0]);
	it->p = ops->next != NULL ? NULL : (void *)(uintptr_t)ops;
	*out = vt_mkptr(it);
	it->v[1] = vt_copy(vt_mkptr(sc));
	it->i[1] = vt_is_sequence(source);
	if (!it->i[1])
		return vt_iterate(rt, source, &it->v[0]);
	it->v[0] = vt_copy(source);
	return VT_OK;
}

bool
vt_terms_record(vt_rt *rt, const vt_terms *t, vt_value item, vt_value *out)
{
	vt_value pairs[2 * VT_TERMS_MOST];
	uint32_t n = 0;
	bool ok = true;
	for (; ok && n < t->n; n += ok) {
		pairs[2 * n] = vt_mkptr(t->keys[n]);
		ok = vt_term_value(rt, &t->t[n], item, &pairs[2 * n + 1]);
	}
	/* What this raises the code raises too, with its place. */
	if (ok && vt_record_of(rt, vt_ic_at(rt, t->ic), n, pairs, out) != VT_OK) {
		vt_exc_clear(rt);
		ok = false;
	}
	while (n > 0)
		vt_release(pairs[2 * --n + 1]);
	return ok;
}

/* What the stages make of x: itself, with *made undefined, or *made. False: it goes on with the
 * next, or *st is an error. */
static bool
through(vt_rt *rt, const vt_pipe_ops *p, vt_scope *sc, vt_value x, vt_value *made, vt_status *st)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const vt_code *code = p->stages[i].code;
		vt_value y;
		bool yes;
		if (code->terms == NULL || !vt_terms_value(rt, code->terms, x, &y))
			if ((*st = vt_code_apply(rt, code, sc, x, &y)) != VT_OK)
				return false;
		if (p->stages[i].filter) {
			yes = vt_is_true(y);
			vt_release(y);
			if (!yes)
				return false;
		} else {
			vt_move(made, y);
			x = y;
		}
	}
	return true;
}

vt_status
vt_pipe_loop(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_pipe_ops *p = it->p;
	vt_scope *sc = (vt_scope *)(uintptr_t)it->v[1];
	vt_value x, held = VT_UNDEF, made = VT_UNDEF;
	vt_status st;
	while ((st = vt_pipe_next(rt, it, &held, &x)) == VT_OK && x != VT_UNDEF) {
		if (it->i[1])
			vt_list_ahead(vt_as_list(it->v[0]), (uint32_t)it->i[0]);
		bool passes = through(rt, p, sc, x, &made, &st);
		if (passes) {
			*out = made != VT_UNDEF ? made : vt_copy(x);
			vt_release(held);
			return VT_OK;
		}
		vt_clear(&made);
		vt_clear(&held);
		if (st != VT_OK)
			break;
	}
	*out = VT_UNDEF;
	return st;
}

/*
 * pipe_calls.c - the pipelines of methods, and the calls of where() and select() that stand for
 * one.
 *
 * Emitted code has one call for a pipeline.  Where the calls have to be made one by one (seq/pipe.c
 * says when), they are made from the sites in the table of its stages.
 */
#include "runtime/call/call.h"
#include "runtime/seq/seq.h"

static vt_status
make_calls(vt_rt *rt, vt_scope *sc, const vt_pipe_ops *p, vt_value source, vt_value *out)
{
	static const vt_value lambda = VT_UNDEF; /* the site has it */
	vt_value at = vt_copy(source);

	for (uint32_t i = 0; i < p->n; i++) {
		vt_value made = VT_UNDEF;
		vt_status st = vt_call(rt, sc, p->stages[i].site, at, &lambda, &made);

		vt_release(at);
		if (st != VT_OK)
			return st;
		at = made;
	}
	*out = at;
	return VT_OK;
}

vt_status
vt_pipe_calls(vt_rt *rt, vt_scope *sc, const vt_pipe_ops *p, vt_value source, vt_value *out)
{
	VT_TRY(vt_pipe(rt, sc, p->unit, &p->ops, source, out));
	return *out != VT_UNDEF ? VT_OK : make_calls(rt, sc, p, source, out);
}

/* On the heap, for who may keep it. */
static vt_scope *
scope_of(vt_rt *rt, vt_scope **sc, vt_value self, const vt_value *vars, const vt_pipe_ops *p)
{
	if (*sc == NULL)
		*sc = vt_scope_method(rt, p->unit, self, p->names);
	for (uint32_t i = 0; vars != NULL && i < p->names->n; i++)
		if (vars[i] != VT_UNDEF)
			vt_move(&(*sc)->v[i + 1], vt_copy(vars[i]));
	return *sc;
}

static void
fill_local(vt_scope *local, vt_value self, const vt_value *vars, const vt_pipe_ops *p)
{
	vt_scope_local(local, p->unit, self, p->names);
	for (uint32_t i = 0; vars != NULL && i < p->names->n; i++)
		if (vars[i] != VT_UNDEF)
			local->v[i + 1] = vars[i];
}

vt_status
vt_pipe_method(vt_rt *rt, vt_scope **sc, vt_scope *local, vt_value self, const vt_value *vars,
	const vt_pipe_ops *p, vt_value source, vt_iter *it, vt_value *out)
{
	vt_scope *s = local;

	if (it == NULL || !vt_walks(source))
		return vt_pipe_calls(rt, scope_of(rt, sc, self, vars, p), p, source, out);
	if (local != NULL)
		fill_local(local, self, vars, p);
	else
		s = scope_of(rt, sc, self, vars, p);
	VT_TRY(vt_pipe_local(rt, s, p->unit, &p->ops, source, it, out));
	if (*out != VT_UNDEF)
		return VT_OK;
	return make_calls(rt, scope_of(rt, sc, self, vars, p), p, source, out);
}

vt_status
vt_pipe_call(vt_rt *rt, vt_scope **sc, vt_value self, const vt_value *vars, const vt_pipe_ops *p,
	vt_value source, const vt_site *s, vt_value *out)
{
	static const vt_value constant[VT_MOST_CONSTANT] = {
		VT_UNDEF, VT_UNDEF}; /* the site has them */
	vt_value made = VT_UNDEF;
	vt_status st;

	VT_TRY(vt_pipe_method(rt, sc, NULL, self, vars, p, source, NULL, &made));
	st = vt_call(rt, NULL, s, made, constant, out);
	vt_release(made);
	return st;
}

/*
 * pipe.c - what emitted pipelines share.
 *
 * A chain of where() and select() whose lambdas are known becomes one state machine: v[0] is what
 * it walks, v[1] the scope of its lambdas, i[0] where it stands in a list, i[1] whether v[0] is
 * one.  It must not be told from the chain of generators that the library would make, so wherever
 * something could tell (limits that count each stage, functions of the host, receivers that the
 * stages are not for), the calls are made one by one instead.
 */
#include "vti.h"

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

vt_status
vt_pipe(vt_rt *rt, vt_scope *sc, const vt_unit *u, const vt_iter_ops *ops, vt_value source,
	vt_value *out)
{
	vt_iter *it;

	if (!pipe_takes(rt, u, source))
		return VT_OK;
	it = vt_iter_new(rt, ops);
	*out = vt_mkptr(it);
	it->v[1] = vt_copy(vt_mkptr(sc));
	it->i[1] = vt_is_sequence(source);
	if (!it->i[1])
		return vt_iterate(rt, source, &it->v[0]);
	it->v[0] = vt_copy(source);
	return VT_OK;
}

/*
 * direct.c - which code can run without a scope of its own.
 *
 * A lambda needs a scope only where something in it may look at that scope or keep it: nested code
 * does, functions marked `context` in the registry do, and so may functions nobody knows here.
 * Everything else reads $1, $2..., which stand in an array, and names of outer scopes, which are
 * found from the outer scope just as well.  With fewer arguments than it reads, $2 is that of an
 * outer scope: such a call takes the long way.
 */
#include "compiler/emit/int.h"
#include "runtime/call/call.h"
#include "runtime/core/value.h"

static bool
site_is_blind(const ir_site *s)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(s->name, &n);

	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code || s->args[i].key)
			return false;
	for (uint32_t i = 0; rows && i < n; i++)
		if (rows[i].flags & VT_FN_CONTEXT)
			return false;
	return rows != NULL;
}

static bool
ins_is_blind(const ir_ins *in)
{
	bool calls = ir_ops[in->op].group == IR_G_CALL || in->op == IR_REFUSE;

	return ir_ops[in->op].flags & IR_BLIND && (!calls || site_is_blind(in->site));
}

int
em_direct_args(const em *e, const ir_func *f)
{
	int n = 0;

	if (f->kind != IF_CODE || !f->leaf || !vc_pass_on(e->c, DIRECT))
		return -1;
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (!ins_is_blind(in) || (in->op == IR_ARG && in->i[0] > VT_DIRECT_MOST))
			return -1;
		if (in->op == IR_ARG && in->i[0] > n)
			n = (int)in->i[0];
	}
	return n;
}

uint32_t
em_direct_reads(const ir_func *f)
{
	uint32_t reads = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_ARG && f->ins[i].i[0] > 0)
			reads |= VT_CODE_READS(f->ins[i].i[0]);
	return reads;
}

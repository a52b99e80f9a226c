/* call.c - ops as C: calls, contracts, and assignments below a variable. */
#include "compiler/emit/function.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

/* What the contracts of the members hand on as it is, as a table; NULL: one of them has to look, or
 * there may be others. */
static const char *
members_table(fn *x, const ir_ins *in)
{
	vt_buf b = {0};
	const char *name;

	if (in->nks == 0 || in->i[0] || !vc_pass_on(x->e->c, CALLS))
		return NULL;
	for (uint32_t i = 0; i < in->nks; i++)
		if (in->ks[i].kind != IK_STR || em_takes(in->fs[i]) == 0)
			return NULL;
	name = vc_format(x->e->c, "w%u", x->e->serial++);
	vt_buf_printf(&b, "static const uint32_t %s[] = {", name);
	for (uint32_t i = 0; i < in->nks; i++)
		vt_buf_printf(&b, "%s0x%xu", i ? ", " : "", em_takes(in->fs[i]));
	vt_buf_printf(&x->e->protos, "%.*s};\n", (int)b.n, b.p);
	vt_buf_free(&b);
	return name;
}

static void
emit_cdict(fn *x, const ir_ins *in)
{
	const char *members = members_table(x, in);

	vt_buf_puts(x->b, "\t{ vt_value ks[] = {");
	for (uint32_t i = 0; i < in->nks; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "", em_value(x->e, &in->ks[i]));
	vt_buf_puts(x->b, in->nks ? "};" : "VT_UNDEF};");
	const char *g = em_funcs_table(x, in, false);
	const char *rk = "NULL", *rv = "NULL";
	if (in->i[0]) {
		rk = in->fs[in->nfs - 2] ? em_func_name(x->e, in->fs[in->nfs - 2]) : "NULL";
		rv = in->fs[in->nfs - 1] ? em_func_name(x->e, in->fs[in->nfs - 1]) : "NULL";
	}
	if (members != NULL)
		vt_buf_printf(x->b,
			" if (vt_c_members(IC(%u), %s, %u, ks, %s)) { *%s = vt_copy(%s); st = "
			"VT_OK; } else",
			x->e->nics++, em_temp(x, in->a[0]), in->nks, members, em_made(x, in->d),
			em_temp(x, in->a[0]));
	vt_buf_printf(x->b, " st = vt_c_dict(rt, cx, %s, %u, ks, %s, %d, %s, %s, %s);",
		em_temp(x, in->a[0]), in->nks, g, (int)in->i[0], rk, rv, em_made(x, in->d));
	em_close_list(x);
}

static void
emit_cconst(fn *x, const ir_ins *in)
{
	if (in->k.kind != IK_BIG) {
		em_try(x, "vt_c_constant(rt, cx, %s, %s, %s)", em_temp(x, in->a[0]),
			em_value(x->e, &in->k), em_made(x, in->d));
		return;
	}
	vt_buf_printf(x->b,
		"\t{ vt_value k; st = vt_big_const(rt, %s, &k); if (st == VT_OK) { st = "
		"vt_c_constant(rt, cx, %s, k, &t%d); vt_release(k); }",
		ct_literal(x->e->c, in->k.s), em_temp(x, in->a[0]), in->d);
	em_close_list(x);
}

/* Behind the write: where a list that has grown in place comes out. */
static void
end_put(fn *x)
{
	if (x->grow_ic)
		vt_buf_printf(x->b, "P%u:;\n", x->grow_ic);
	x->grow_ic = 0;
}

/* The temporary says what is left to assign: nothing, when an object was written.  Where it has
 * none (em_one_way), nothing may be left. */
static void
emit_put_attr(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]), *v = em_temp(x, in->a[1]);
	uint32_t ic = x->grow_ic ? x->grow_ic - 1 : x->e->nics++;

	vc_pass_note(x->e->c, VC_PASS_CALLS, in, "stores where the cache says");
	if (in->d < 0) {
		em_try(x, "vt_put_%s(rt, %s, IC(%u), %s, %s, %s, %s)",
			vc_pass_on(x->e->c, CALLS) ? "own" : "last", x->e->unit, ic, a,
			em_str_ref(x->e, in->name), v, em_str_ref(x->e, in->names[0]));
		end_put(x);
		return;
	}
	if (vc_pass_on(x->e->c, CALLS))
		vt_buf_printf(x->b, "\tif (vt_put_fast(IC(%u), %s, %s)) t%d = VT_UNDEF; else {", ic,
			a, v, in->d);
	em_try(x, "vt_put_attr(rt, %s, IC(%u), %s, %s, %s, %s)", x->e->unit, ic, a,
		em_str_ref(x->e, in->name), v, em_made(x, in->d));
	if (vc_pass_on(x->e->c, CALLS))
		em_close_block(x);
	end_put(x);
}

void
em_op_put(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]), *u = x->e->unit;

	switch (in->op) {
	case IR_LHSATTR:
		em_try(x, "vt_lhs_attr(rt, %s, %s, %s, %s)", u, a, em_str_ref(x->e, in->name),
			em_made(x, in->d));
		break;
	case IR_LHSINDEX:
		em_try(x, "vt_lhs_index(rt, %s, %s, %s, %s)", u, a, em_temp(x, in->a[1]),
			em_made(x, in->d));
		break;
	case IR_PUTATTR: emit_put_attr(x, in); break;
	case IR_PUTINDEX:
		em_try(x, "vt_put_index(rt, %s, %s, %s, %s, %s)", u, a, em_temp(x, in->a[1]),
			em_temp(x, in->a[2]), em_made(x, in->d));
		break;
	case IR_PUTATTRV:
		em_release_dead(x, in);
		em_try(x, "vt_put_attr_var(rt, %s, &%s, %s, %s)", u, em_variable(x, in->var),
			em_str_ref(x->e, in->name), a);
		break;
	case IR_PUTINDEXV:
		em_release_dead(x, in);
		if (x->raw)
			vt_buf_printf(x->b, "\tif (!vt_put_index_hot(%s, %s, %s))\n",
				em_variable(x, in->var), a, em_temp(x, in->a[1]));
		em_try(x, "vt_put_index_var_reg(rt, %s, &%s, %s, %s)", u, em_variable(x, in->var),
			a, em_temp(x, in->a[1]));
		break;
	}
}

/* The cache of a class(), which the entries of methods look at too. */
static const char *
class_cache(fn *x, const ir_ins *in)
{
	ir_func *f = (ir_func *)x->f;

	if (!vc_pass_on(x->e->c, CALLS) || !em_remembers(f, in))
		return "NULL";
	f->seen = ++x->e->nics;
	return vc_format(x->e->c, "IC(%u)", f->seen - 1);
}

/* In a lambda of a contract the context is that of the contract around, while that lasts. */
void
em_op_contract(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]);

	if (x->f->kind == IF_CODE) {
		vt_buf_puts(x->b, "\t{ vt_cx *cx;\n");
		em_try(x, "vt_c_around(rt, %s, %s, &cx)", x->sc, a);
	}
	switch (in->op) {
	case IR_CSTRING: em_try(x, "vt_c_string(rt, cx, %s, %s)", a, em_made(x, in->d)); break;
	case IR_CINT: em_try(x, "vt_c_int(rt, cx, %s, %s)", a, em_made(x, in->d)); break;
	case IR_CBOOL: em_try(x, "vt_c_bool(rt, cx, %s, %s)", a, em_made(x, in->d)); break;
	case IR_CNOTNULL: em_try(x, "vt_c_not_null(rt, cx, %s, %s)", a, em_made(x, in->d)); break;
	case IR_COWNED: em_try(x, "vt_c_owned(rt, cx, %s, %s)", a, em_made(x, in->d)); break;
	case IR_CNOTOWNED: em_try(x, "vt_c_not_owned(rt, cx, %s, %s)", a, em_made(x, in->d)); break;
	case IR_CCHECK:
		em_try(x, "vt_c_check(rt, cx, %s, %s, %s, %s)", a, em_code(x->e, in->f),
			em_temp(x, in->a[1]), em_made(x, in->d));
		break;
	case IR_CCLASS:
		em_try(x, "vt_c_class(rt, cx, %s, %s, %s, %s, %s, %s)", class_cache(x, in), a,
			em_temp(x, in->a[1]), em_temp(x, in->a[2]), em_temp(x, in->a[3]),
			em_made(x, in->d));
		break;
	case IR_CTEMPLATE:
		em_try(x, "vt_c_template(rt, cx, %s, %s, %s, %s, %s, %s)", a, em_temp(x, in->a[1]),
			em_temp(x, in->a[2]), em_temp(x, in->a[3]), em_temp(x, in->a[4]),
			em_made(x, in->d));
		break;
	case IR_CCONST: emit_cconst(x, in); break;
	case IR_CLIST:
		em_try(x, "vt_c_list(rt, cx, %s, %u, %s, %lld, %lld, %s)", a, in->nfs,
			em_funcs_table(x, in, false), (long long)in->i[0], (long long)in->i[1],
			em_made(x, in->d));
		break;
	case IR_CDICT: emit_cdict(x, in); break;
	}
	if (x->f->kind == IF_CODE)
		vt_buf_puts(x->b, "\t}\n");
}

void
em_op_parallel(fn *x, const ir_ins *in)
{
	vt_buf_printf(x->b,
		"\tst = vt_parallel(rt, %s, %u, %s, %s, %s); if (st == VT_ERROR) goto %s;\n", x->sc,
		in->nfs, em_funcs_table(x, in, true),
		in->a[0] < 0 ? "VT_UNDEF" : em_temp(x, in->a[0]), em_made(x, in->d),
		em_handler_label(x));
	em_taken(x);
}

/* The arguments in front of a call of an entry.  moved: the one that is given away, or -1. */
static void
open_arguments(fn *x, const ir_ins *in, int32_t moved)
{
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "",
			in->list[i] < 0 ? em_value(x->e, &in->site->args[i].k)
					: em_temp(x, in->list[i]));
	vt_buf_puts(x->b, in->nlist ? "}; " : "VT_UNDEF}; ");
	if (moved >= 0)
		vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "gives argument %d away", moved);
}

/* The call of an entry.  What is given away leaves its variable, which is assigned next. */
static void
call_entry(fn *x, const ir_ins *in, const char *entry, const char *self, int32_t moved)
{
	if (moved >= 0)
		vt_buf_printf(x->b, "{ %s = VT_NULL; rt->moved = &av[%d]; ",
			em_temp(x, in->list[moved]), moved);
	vt_buf_printf(
		x->b, "st = %s(rt, %s, %s, av, %s);", entry, x->e->unit, self, em_made(x, in->d));
	if (moved >= 0)
		vt_buf_printf(x->b, " rt->moved = NULL; vt_release(av[%d]); }", moved);
}

const char *
em_as(fn *x, const ir_ins *in)
{
	return in->site->seen ? vc_format(x->e->c, "as%d, ", in->a[0]) : "";
}

static void
after_call(fn *x, const char *site)
{
	if (x->result >= 0)
		vt_buf_printf(
			x->b, "\tVT_CALLED(t%d, %s, %s);\n", x->result, site, em_handler_label(x));
	else
		vt_buf_printf(x->b, "\tif (st != VT_OK) { st = vt_called(rt, %s, st); goto %s; }\n",
			site, em_handler_label(x));
	x->result = -1;
}

/* Through the entry of the method that the site has found, which takes constants like other
 * values. */
static void
emit_entry_call(fn *x, const ir_ins *in, int32_t expected)
{
	em *e = x->e;
	const char *site = em_site(e, in->site), *a = em_temp(x, in->a[0]), *entry;
	int32_t moved = em_moved(x, in);

	open_arguments(x, in, moved);
	entry = expected < 0 ? "entry" : em_entry_name(e, e->cls->methods[expected].body);
	vc_pass_note(e->c, VC_PASS_CALLS, in,
		expected >= 0 ? "the entry of %s, when the cache has it"
			      : "the entry that the cache has",
		expected >= 0 ? e->cls->methods[expected].body->name : "");
	if (expected >= 0 && em_is_bound(e, x->f, in->site->name)) {
		vc_pass_note(
			e->c, VC_PASS_BIND, in, "always %s", e->cls->methods[expected].body->name);
		call_entry(x, in, entry, "self", moved);
		vt_buf_puts(x->b, " }\n");
		after_call(x, site);
		return;
	}
	if (expected >= 0)
		vt_buf_printf(x->b, "if (vt_finds(IC(%u), %s, &md%u_%d)) ", in->site->index, a,
			e->local, expected);
	else if (in->site->seen)
		vt_buf_printf(x->b, "vt_entry_fn entry = vt_entry_as(IC(%u), %s%s); if (entry) ",
			in->site->index, em_as(x, in), a);
	else
		vt_buf_printf(x->b,
			"vt_entry_fn entry = vt_entry_at(rt, %s, IC(%u), %s); if (entry) ", site,
			in->site->index, a);
	call_entry(x, in, entry, a, moved);
	vt_buf_puts(x->b, "\n\telse");
	em_open_list(x, in, "VT_UNDEF");
	vt_buf_printf(x->b, " st = vt_call%s(rt, %s, %s, %s%s, av, %s); } }\n",
		in->site->seen ? "_as" : "", x->sc, site, em_as(x, in), a, em_made(x, in->d));
	after_call(x, site);
}

/* A Default of the library's as C; NULL: it is none that can be written here. */
static const char *
default_text(const fn *x, vt_value v)
{
	if (v == VT_NULL || v == VT_NOVALUE)
		return v == VT_NULL ? "VT_NULL" : "VT_NOVALUE";
	return vt_is_int(v) ? vc_format(x->e->c, "vt_mkint(%lldLL)", (long long)vt_toint(v)) : NULL;
}

static bool
is_value(const ir_ins *in, uint32_t i)
{
	const ir_arg *a = &in->site->args[i];

	return !a->keyword && !a->key && !a->code && a->kind != VT_A_NOVALUE &&
	       a->kind != VT_A_MAPPING && (in->list[i] >= 0 || a->k.kind != IK_BIG);
}

/* `$c in 'aeiou'`? */
static bool
looks_into_text(const fn *x, const ir_ins *in)
{
	bool text = false;

	for (uint32_t i = 0; i < in->nlist; i++)
		text = text || (in->list[i] < 0 ? in->site->args[i].k.kind == IK_STR
						: em_is_only(x, in->list[i], EM_STR));
	return text && in->nlist == 2 && strcmp(in->site->name, "#operator_in") == 0;
}

/* The row with a quick function that the call may be one of, the longest, whose parameters begin
 * with those of the others; NULL: there is none. */
static const vt_fnrow *
quick_row(const fn *x, const ir_ins *in)
{
	uint32_t n, given = in->nlist + (in->op == IR_CALLM);
	const vt_fnrow *rows = vt_fn_find(in->site->name, &n), *r = NULL;

	for (uint32_t i = 0; rows && i < n; i++)
		if (rows[i].quick != NULL && (r == NULL || rows[i].nparams > r->nparams) &&
			(given == rows[i].nparams ||
				(given < rows[i].nparams &&
					rows[i].params[rows[i].nparams - 1].kind == 0)))
			r = &rows[i];
	if (r == NULL || in->site->nargs != in->nlist)
		return NULL;
	/* an operator: most of its operands are others */
	if (in->site->name[0] == '#' && !looks_into_text(x, in))
		return NULL;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (!is_value(in, i))
			return NULL;
	for (uint32_t i = given; i < r->nparams; i++)
		if (default_text(x, r->params[i].dflt) == NULL)
			return NULL;
	return r;
}

/* All parameters of the row, in one array with what the method is called on. */
static void
quick_call(fn *x, const ir_ins *in, const vt_fnrow *r)
{
	const char *site = em_site(x->e, in->site), /* which gives it its cache */
		*made;
	bool on = in->op == IR_CALLM, later = em_is_later(x, in);
	uint32_t given = in->nlist + on;

	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t k = 0; k < r->nparams; k++) {
		const char *v = k >= given              ? default_text(x, r->params[k].dflt)
				: on && k == 0          ? em_temp(x, in->a[0])
				: in->list[k - on] >= 0 ? em_temp(x, in->list[k - on])
							: em_value(x->e, &in->site->args[k - on].k);
		vt_buf_printf(x->b, k ? ", %s" : "%s", v);
	}
	vt_buf_puts(x->b, "};");
	made = em_made(x, in->d);
	if (later) {
		vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "no text of its own for str()");
		vt_buf_printf(x->b,
			" if (vt_str_later(IC(%u), av[0])) { *%s = vt_later(av[0]); st = "
			"VT_OK; } else",
			in->site->index, made);
	}
	if (strcmp(x->sc, "NULL") == 0 && x->f->unit->opt.memory_quota <= 0)
		vt_buf_printf(x->b, " st = vt_quick_fast(rt, %s, IC(%u), %d, av, %s);", site,
			in->site->index, on, made);
	else
		vt_buf_printf(x->b, " st = vt_call_quick(rt, %s, %s, av, %s);", x->sc, site, made);
	em_close_list(x);
}

static bool
is_list_call(const ir_ins *in)
{
	bool list = in->op == IR_CALL && in->nlist > 0 && in->site->nargs == in->nlist &&
		    strcmp(in->site->name, "list") == 0;

	for (uint32_t i = 0; i < in->nlist && list; i++)
		list = is_value(in, i);
	return list;
}

static void
list_call(fn *x, const ir_ins *in)
{
	const char *site = em_site(x->e, in->site);

	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, i ? ", %s" : "%s",
			in->list[i] >= 0 ? em_temp(x, in->list[i])
					 : em_value(x->e, &in->site->args[i].k));
	vt_buf_printf(x->b, "}; st = vt_call_list(rt, %s, %s, %u, av, %s);", x->sc, site, in->nlist,
		em_made(x, in->d));
	em_close_list(x);
}

void
em_op_call(fn *x, const ir_ins *in)
{
	int32_t expected;
	em_alias was, of;
	bool in_place, borrows, calls, lends;
	const vt_fnrow *quick = quick_row(x, in);

	em_update(x, in);
	em_range(x, in, false);
	em_index_two(x, in);
	in_place = em_in_place_open(x, in, &was);
	calls = em_calls_entry(x->e, in, in->na > 0 && em_is_self(x, in->a[0]), &expected);
	lends = em_borrows(x, in) && !calls && quick == NULL;
	borrows = !lends && em_borrow_open(x, in, &of);
	if (calls) {
		emit_entry_call(x, in, expected);
	} else if (quick != NULL) {
		quick_call(x, in, quick);
	} else if (em_sees(in)) {
		vc_pass_note(x->e->c, VC_PASS_CALLS, in, "no object for the cast");
		em_open_list(x, in, "VT_UNDEF");
		vt_buf_printf(x->b, " st = vt_see_as(rt, %s, %s, av, &as%d, %s);", x->sc,
			em_site(x->e, in->site), in->d, em_made(x, in->d));
		em_close_list(x);
	} else if (is_list_call(in)) {
		list_call(x, in);
	} else if (in->op != IR_CALLM && strcmp(in->site->name, "new") == 0) {
		em_open_list(x, in, "VT_UNDEF");
		vt_buf_printf(x->b, " st = vt_call_new(rt, %s, %s, av, %s);", x->sc,
			em_site(x->e, in->site), em_made(x, in->d));
		em_close_list(x);
	} else {
		em_open_list(x, in, "VT_UNDEF");
		vt_buf_printf(x->b, " st = vt_call%s(rt, %s, %s, %s, av, %s);",
			lends ? "_borrowed" : "", x->sc, em_site(x->e, in->site),
			in->op == IR_CALLM ? em_temp(x, in->a[0]) : "VT_UNDEF", em_made(x, in->d));
		em_close_list(x);
	}
	if (borrows)
		em_borrow_close(x, in, of);
	if (in_place)
		em_in_place_close(x, in, was);
	em_range(x, in, true);
}

void
em_op_context(fn *x, const ir_ins *in)
{
	em_try(x, "vt_with_context(rt, %s, %s, %s, %s, %s)", x->sc, em_site(x->e, in->site),
		em_temp(x, in->a[0]), em_code(x->e, in->f), em_made(x, in->d));
}

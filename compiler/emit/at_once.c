/*
 * at_once.c - two calls at once: what the first one gives goes to the second and to nobody else.
 */
#include "compiler/emit/function.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

/* The method that is called on what the call gives, with n arguments; or NULL.  Before it variables
 * may be read. */
static const ir_ins *
called_next(const fn *x, const ir_ins *in, const char *name, uint32_t n)
{
	const ir_ins *next = in + 1;

	while (n > 0 && next < x->f->ins + x->f->n && next->op == IR_VAR)
		next++;
	return next < x->f->ins + x->f->n && next->op == IR_CALLM && next->nlist == n &&
			       next->a[0] == in->d && strcmp(next->site->name, name) == 0 &&
			       em_is_over(x->f, (uint32_t)(next - x->f->ins), in->d)
		       ? next
		       : NULL;
}

/* The C, which gives r where both sites have found the library's functions, stands for both. */
static void
both_at_once(fn *x, const ir_ins *next, const char *c)
{
	vt_buf_printf(x->b, "\tif (%s) { t%d = r; r = VT_UNDEF; goto Q%u; }\n", c, next->d,
		em_skip_to(x, next));
}

/* The caches of both as arguments. */
static const char *
both_caches(fn *x, const ir_ins *in, const ir_ins *next)
{
	(void)em_site(x->e, in->site);
	(void)em_site(x->e, next->site);
	return vc_format(x->e->c, "IC(%u), IC(%u)", in->site->index, next->site->index);
}

/* `x in d.keys()` asks the dict, and nothing has its keys. */
static void
in_keys(fn *x, const ir_ins *in)
{
	const ir_ins *ask = in + 1;
	const ir_arg *item;

	if (in->nlist != 0 || strcmp(in->site->name, "keys") != 0 || ask >= x->f->ins + x->f->n ||
		ask->op != IR_CALL || ask->nlist != 2 ||
		strcmp(ask->site->name, "#operator_in") != 0 || ask->list[1] != in->d ||
		ask->list[0] == in->d || !em_is_over(x->f, (uint32_t)(ask - x->f->ins), in->d))
		return;
	item = &ask->site->args[0];
	if (item->code || item->kind == VT_A_NOVALUE ||
		(ask->list[0] < 0 && item->k.kind == IK_BIG))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "asks the dict");
	both_at_once(x, ask,
		vc_format(x->e->c, "vt_in_keys(%s, %s, %s, &r)", both_caches(x, in, ask),
			em_temp(x, in->a[0]),
			ask->list[0] < 0 ? em_value(x->e, &item->k) : em_temp(x, ask->list[0])));
}

/* The argument of a call after this one, as C in front of this one; or NULL. */
static const char *
later_argument(fn *x, const ir_ins *in, const ir_ins *call)
{
	int32_t t = call->list[0];

	if (call == in + 1 || t < 0)
		return em_argument(x, call, 0);
	return em_is_over(x->f, (uint32_t)(call - x->f->ins), t) ? em_named(x, in + 1, call, t)
								 : NULL;
}

/* What is added to the list next finds room. */
static uint32_t
room_behind(const fn *x, const ir_ins *made)
{
	const ir_ins *end = x->f->ins + x->f->n;

	for (const ir_ins *k = made + 1; k < end && k->op != IR_POS; k++)
		if (k->op == IR_ADD && k->a[0] == made->d)
			return 2;
	return 0;
}

/* `l.skip(m).take(n)` is one iterator over the list, and with toList() behind it one list. */
static bool
span(fn *x, const ir_ins *in)
{
	const ir_ins *take = called_next(x, in, "take", 1), *turn;
	const char *from, *most, *third = "NULL";
	uint32_t room = 0;

	if (take == NULL)
		take = called_next(x, in, "limit", 1);
	if (take == NULL || in->nlist != 1 || strcmp(in->site->name, "skip") != 0)
		return false;
	from = em_argument(x, in, 0);
	most = later_argument(x, in, take);
	if (from == NULL || most == NULL)
		return false;
	turn = called_next(x, take, "toList", 0);
	if (turn != NULL) {
		(void)em_site(x->e, turn->site);
		third = vc_format(x->e->c, "IC(%u)", turn->site->index);
		room = room_behind(x, turn);
	}
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "a span of a list, at once");
	both_at_once(x, turn != NULL ? turn : take,
		vc_format(x->e->c, "vt_cut_between(rt, %s, %s, %s, %s, %s, %u, &r)",
			both_caches(x, in, take), third, em_temp(x, in->a[0]), from, most, room));
	return true;
}

/* `l.take(n).toList()` and the like are one list, without the iterator between.  What is added to
 * it next finds room. */
static void
part_list(fn *x, const ir_ins *in)
{
	const ir_ins *turn = called_next(x, in, "toList", 0);
	const char *name = in->site->name, *most;
	uint32_t room;

	if (turn == NULL || in->nlist != 1 ||
		(strcmp(name, "skip") != 0 && strcmp(name, "take") != 0 &&
			strcmp(name, "limit") != 0))
		return;
	most = em_argument(x, in, 0);
	if (most == NULL)
		return;
	room = room_behind(x, turn);
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "a part of a list, at once");
	both_at_once(x, turn,
		vc_format(x->e->c, "vt_part_list(rt, %s, %s, %s, %u, &r)", both_caches(x, in, turn),
			em_temp(x, in->a[0]), most, room));
}

/* The only argument of the call as C, where it is a temporary or a text; or NULL. */
static const char *
text_argument(fn *x, const ir_ins *in)
{
	const ir_const *k = &in->site->args[0].k;

	if (in->list[0] >= 0)
		return em_temp(x, in->list[0]);
	return k->kind == IK_STR ? em_value(x->e, k) : NULL;
}

/* `s.split(x).join(y)` is one text, without the pieces between. */
static void
split_join(fn *x, const ir_ins *in)
{
	const ir_ins *join = called_next(x, in, "join", 1);
	const char *by, *glue;

	if (join == NULL || in->nlist != 1 || strcmp(in->site->name, "split") != 0 ||
		strcmp(x->sc, "NULL") != 0 || x->f->unit->opt.limit_iterators >= 0)
		return;
	by = text_argument(x, in);
	glue = join == in + 1 ? text_argument(x, join) : later_argument(x, in, join);
	if (by == NULL || glue == NULL)
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "what join() joins is replaced");
	both_at_once(x, join,
		vc_format(x->e->c, "vt_split_join(rt, %s, %s, %s, %s, &r)",
			both_caches(x, in, join), em_temp(x, in->a[0]), by, glue));
}

/* `s.toCharArray().reverse().join('')` turns the text round, without its characters. */
static void
turned_text(fn *x, const ir_ins *in)
{
	const ir_ins *turn = called_next(x, in, "reverse", 0),
		     *join = turn != NULL ? called_next(x, turn, "join", 1) : NULL;

	if (join == NULL || in->nlist != 0 || strcmp(in->site->name, "toCharArray") != 0 ||
		strcmp(x->sc, "NULL") != 0 || x->f->unit->opt.limit_iterators >= 0 ||
		join->list[0] >= 0 || join->site->args[0].k.kind != IK_STR ||
		join->site->args[0].k.n != 0)
		return;
	(void)em_site(x->e, join->site);
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "turns the text round");
	both_at_once(x, join,
		vc_format(x->e->c, "vt_turned_text(rt, %s, IC(%u), %s, &r)",
			both_caches(x, in, turn), join->site->index, em_temp(x, in->a[0])));
}

bool
em_adds_to_made(const ir_func *f, uint32_t i)
{
	const ir_ins *add = &f->ins[i], *left, *more;

	if (add->op != IR_ADD || add->a[0] < 0 || add->a[0] == add->a[1] ||
		(left = em_made_by(f, i, add->a[0])) == NULL)
		return false;
	if (left->op != IR_ADD || left->a[1] < 0)
		return left->op == IR_CALLM || left->op == IR_CALL;
	more = em_made_by(f, i, left->a[1]); /* sums of texts have texts there, or variables */
	return more != NULL && (more->op == IR_LIST || more->op == IR_CALLM || more->op == IR_CALL);
}

bool
em_add_to_made(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0];

	if (!vc_pass_on(x->e->c, UPDATE) || x->f->kind != IF_METHOD || x->e->is_query ||
		(x->cells[t] & x->cells[in->a[1]] & EM_TUPLE) == 0 || !em_is_read_for(x, in, t) ||
		!em_adds_to_made(x->f, (uint32_t)(in - x->f->ins)))
		return false;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "at the end of what was made for the sum");
	vt_buf_printf(x->b, "\tr = t%d; t%d = VT_UNDEF;\n", t, t);
	em_try(x, "vt_add_made(rt, %s, %s, %s, %s)", x->sc, em_site(x->e, in->site),
		em_temp(x, in->a[1]), em_made(x, in->d));
	return true;
}

void
em_at_once(fn *x, const ir_ins *in)
{
	if (!span(x, in))
		part_list(x, in);
	in_keys(x, in);
	split_join(x, in);
	turned_text(x, in);
	em_walk_keys(x, in);
}

/*
 * pipe.c - what emitted pipelines share.
 *
 * A chain of where() and select() whose lambdas are known becomes one state machine: v[0] is what
 * it walks, v[1] the scope of its lambdas, i[0] where it stands in a list, i[1] whether v[0] is
 * one, i[2] whether it is an ordering that has yet to be sorted.  It must not differ visibly from
 * the chain of generators that the library would make, so wherever something could tell (limits
 * that count each stage, functions of the host, receivers that the stages are not for), the calls
 * are made one by one instead.
 *
 * The code of packages has a C function for each stage (vt_pipe_each is its next), that of
 * expressions need not have: vt_pipe_loop.  Where the source is a list and all stages are lambda
 * programs, whoever wants all items gets them by the dozen (bulk): programs do nothing that could
 * be seen, so they may run ahead.
 */
#include "runtime/core/heap.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/seq/unmade.h"

#include <stdlib.h>
#include <string.h>

int
vt_pipe_takes(vt_rt *rt, const vt_unit *u, vt_value source)
{
	bool list = vt_is_sequence(source);

	if (rt->s->host_hides || vt_metered(rt))
		return false;
	if (u->opt.limit_iterators >= 0)
		return list && vt_as_list(source)->n <= u->opt.limit_iterators;
	return list || vt_is(source, ITER) || vt_is(source, SET) || vt_is(source, VIEW) ||
	       vt_is(source, MEMO) || vt_is(source, ORDERING);
}

/* A source that is an iterator is pulled: i[0] has the pull, once there was a bulk. */
static vt_pull *
pull_of(const vt_iter *it)
{
	return it->i[1] || it->i[2] ? NULL : (vt_pull *)(uintptr_t)it->i[0];
}

void
vt_pipe_drop_pull(vt_iter *it)
{
	vt_pull *pull = pull_of(it);

	if (pull == NULL)
		return;
	while (pull->at < pull->n)
		vt_release(pull->item[pull->at++]);
	vt_pull_give(pull);
	free(pull);
}

static const vt_iter_ops loop_ops[] = {{vt_pipe_loop, vt_pipe_drop_pull, "map", 0, vt_pipe_bulk},
	{vt_pipe_loop, vt_pipe_drop_pull, "filter", 0, vt_pipe_bulk}};

/* Of a source that is an iterator: what was read ahead of the pipeline, then the next one. */
static vt_status
next_pulled(vt_rt *rt, vt_iter *it, vt_value *item)
{
	vt_pull *pull = pull_of(it);

	if (pull == NULL || pull->at == pull->n)
		return vt_iter_next(rt, it->v[0], item);
	*item = pull->item[pull->at++];
	return VT_OK;
}

/* The next item: in *item, borrowed, with what keeps it alive in *held, or VT_UNDEF at the end. */
static inline vt_status
next_item(vt_rt *rt, vt_iter *it, vt_value *held, vt_value *item)
{
	vt_status st;

	if (it->i[1]) {
		const vt_list *l = vt_as_list(it->v[0]);
		*item = it->i[0] < l->n ? l->v[it->i[0]++] : VT_UNDEF;
		return VT_OK;
	}
	st = next_pulled(rt, it, held);
	*item = *held;
	return st;
}

vt_status
vt_pipe(vt_rt *rt, vt_scope *sc, const vt_unit *u, const vt_iter_ops *ops, vt_value source,
	vt_value *out)
{
	vt_iter *it;

	if (!vt_pipe_takes(rt, u, source))
		return VT_OK;
	/* A table has no address of a function in it: under `--jit=cc` that is no constant. */
	it = vt_iter_new(rt, ops->next != NULL ? ops : &loop_ops[strcmp(ops->name, "filter") == 0]);
	it->p = (void *)(uintptr_t)ops;
	*out = vt_mkptr(it);
	it->v[1] = vt_copy(vt_mkptr(sc));
	it->i[1] = vt_is_sequence(source);
	it->i[2] = vt_is(source, ORDERING) && ops->next == NULL;
	if (it->i[1] || it->i[2]) {
		it->v[0] = vt_copy(source);
		return VT_OK;
	}
	if (vt_iterate_later(rt, source, &it->v[0]) == VT_OK)
		return VT_OK;
	vt_clear(out);
	return VT_ERROR;
}

vt_status
vt_pipe_local(vt_rt *rt, vt_scope *sc, const vt_unit *u, const vt_iter_ops *ops, vt_value list,
	vt_iter *it, vt_value *out)
{
	vt_pipe_drop(it);
	if (!vt_pipe_takes(rt, u, list))
		return VT_OK;
	*it = (vt_iter){
		.h = {.rc = VT_ON_STACK, .kind = VT_K_ITER},
		.ops = ops,
		.p = (void *)(uintptr_t)ops,
		.v = {vt_copy(list), vt_mkptr(sc), VT_UNDEF, VT_UNDEF},
		.i = {0, 1, 0},
	};
	*out = vt_mkptr(it);
	return VT_OK;
}

/* One more item is on its way, and the stack is full. */
static vt_status
collect_rest(vt_rt *rt, const vt_unit *u, vt_iter *it, vt_list *l, vt_value item, vt_value *out)
{
	vt_list *all = vt_list_grow(rt, VT_K_TUPLE, 2 * l->n);
	vt_value final;
	vt_status st = VT_OK;

	vt_list_append(rt, all, l->n, l->v);
	l->n = 0;
	while (st == VT_OK && item != VT_UNDEF) {
		st = vt_final_fast(rt, u, item, &final);
		vt_release(item);
		item = VT_UNDEF;
		if (st == VT_OK) {
			vt_list_push(rt, all, final);
			st = it->ops->next(rt, it, &item);
		}
	}
	all->h.flags |= VT_F_FINAL;
	if (st == VT_OK)
		*out = vt_mkptr(all);
	else
		vt_release(vt_mkptr(all));
	return st;
}

vt_status
vt_pipe_collect(vt_rt *rt, const vt_unit *u, vt_value iter, vt_list *l, vt_value *items,
	uint32_t room, vt_value *out)
{
	vt_iter *it = VT_AS(vt_iter, iter);
	vt_value item = VT_UNDEF;

	vt_local_drop(l);
	*l = (vt_list){.h = {.rc = VT_ON_STACK, .kind = VT_K_TUPLE, .flags = VT_F_FINAL},
		.cap = room,
		.v = items};
	for (;;) {
		VT_TRY(it->ops->next(rt, it, &item));
		if (item == VT_UNDEF)
			break;
		if (l->n == room)
			return collect_rest(rt, u, it, l, item, out);
		if (!vt_final_now(item)) {
			vt_value raw = item;
			vt_status st = vt_final(rt, u, raw, &item);
			vt_release(raw);
			VT_TRY(st);
		}
		items[l->n++] = item;
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

/* What the stages make of x: itself, with *made undefined, or *made. False: it goes on with the
 * next, or *st is an error. */
static bool
through(vt_rt *rt, const vt_pipe_ops *p, vt_scope *sc, vt_value x, vt_value *made, vt_status *st)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const vt_code *code = p->stages[i].code;
		vt_value y = VT_UNDEF;
		bool yes;
		if (code->program == NULL || code->program->nargs > 1 ||
			!vt_lambda_program_value(rt, code, sc, &x, &y))
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

/* Where the first item is wanted, and not before. */
static vt_status
sort_source(vt_rt *rt, vt_iter *it)
{
	vt_value sorted;

	VT_TRY(vt_ordering_sorted(rt, VT_AS(vt_ordering, it->v[0]), &sorted));
	if (it->i[2])
		vt_move(&it->v[0], vt_copy(sorted));
	it->i[1] = 1;
	it->i[2] = 0;
	return VT_OK;
}

vt_status
vt_pipe_loop(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_pipe_ops *p = it->p;
	vt_scope *sc = (vt_scope *)(uintptr_t)it->v[1];
	vt_value x, held = VT_UNDEF, made = VT_UNDEF;
	vt_status st;
	if (unlikely(it->i[2]))
		VT_TRY(sort_source(rt, it));
	while ((st = next_item(rt, it, &held, &x)) == VT_OK && x != VT_UNDEF) {
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

/* The stages of a method have C functions, which are faster than programs for one item. */
static inline vt_status
one_stage(vt_rt *rt, const vt_code *code, vt_scope *sc, const vt_value *x, vt_value *y)
{
	if (unlikely(code->direct_args > 1))
		return vt_code_apply(rt, code, sc, *x, y);
	return code->flags & VT_CODE_OPERATOR ? code->body->run(rt, code, sc, x, y)
	       : likely(code->direct != NULL) ? code->direct(rt, sc, x, y)
					      : vt_code_apply(rt, code, sc, *x, y);
}

static inline bool
is_yes(vt_value y)
{
	bool yes;

	if (likely(vt_is_bool(y)))
		return y == VT_TRUE;
	yes = vt_is_true(y);
	vt_release(y);
	return yes;
}

/* One stage over a list. */
static vt_status
each_of_list(vt_rt *rt, vt_iter *it, const vt_pipe_stage *s, vt_value *out)
{
	const vt_list *l = vt_as_list(it->v[0]);
	vt_scope *sc = (vt_scope *)(uintptr_t)it->v[1];
	const vt_value *x;
	vt_value y;

	*out = VT_UNDEF;
	while (it->i[0] < l->n) {
		x = &l->v[it->i[0]++];
		if (!s->filter)
			return one_stage(rt, s->code, sc, x, out);
		VT_TRY(one_stage(rt, s->code, sc, x, &y));
		if (is_yes(y)) {
			*out = vt_copy(*x);
			return VT_OK;
		}
	}
	return VT_OK;
}

/* x, or with *held what it has become, goes through; false: it does not, or *st is an error. */
static inline bool
each_stage(
	vt_rt *rt, const vt_pipe_ops *p, vt_scope *sc, vt_value *x, vt_value *held, vt_status *st)
{
	for (const vt_pipe_stage *s = p->stages, *end = s + p->n; s < end; s++) {
		vt_value y = VT_UNDEF;
		if (unlikely((*st = one_stage(rt, s->code, sc, x, &y)) != VT_OK))
			return false;
		if (s->filter) {
			if (!is_yes(y))
				return false;
		} else {
			vt_move(held, y);
			*x = y;
		}
	}
	return true;
}

vt_status
vt_pipe_each(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_scope *sc = (vt_scope *)(uintptr_t)it->v[1];
	const vt_pipe_ops *p = it->p;
	vt_value x = VT_UNDEF, held = VT_UNDEF;
	vt_status st;

	if (it->i[1] && p->n == 1)
		return each_of_list(rt, it, p->stages, out);
	while ((st = next_item(rt, it, &held, &x)) == VT_OK && x != VT_UNDEF) {
		if (each_stage(rt, p, sc, &x, &held, &st)) {
			*out = held == VT_UNDEF ? vt_copy(x) : held;
			return VT_OK;
		}
		vt_clear(&held);
		if (st != VT_OK)
			break;
	}
	*out = VT_UNDEF;
	return st;
}

/* ---- many at once ------------------------------------------------------------------------ */

/* What the stages have left of a piece of the source: item[i] was made of the source's at[i]-th. */
typedef struct row {
	const vt_value *item; /* n of them: the source's own, or `own` */
	uint32_t n, seen;     /* seen: how much of the source is done with */
	uint32_t behind;      /* how much of it is left behind this piece */
	bool owned;
	uint8_t at[VT_BULK];
	vt_value own[2][VT_BULK];
	uint32_t turn;
	vt_value *out; /* where what the last stage makes goes */
	bool wants_plain, counts;
	unsigned asked;      /* by bits: VT_WANTS_PLAIN and the like */
	vt_output output;    /* of the last stage */
	vt_batch *s, *other; /* of the stage at hand; NULL: not needed yet */
	vt_unmade unmade;    /* m > 0: the items, which are not made */
	vt_unmade *wants;    /* who can do with such; or NULL */
} row;
_Static_assert(VT_BULK <= 256, "positions are bytes");

static void
drop_items(row *r, uint32_t from)
{
	for (uint32_t i = from; r->owned && i < r->n; i++)
		vt_release(r->item[i]);
}

/* Those from n on, and what is behind them in the source, are left to next(). */
static void
cut(row *r, uint32_t n)
{
	if (n == r->n)
		return;
	r->seen = r->at[n];
	drop_items(r, n);
	r->n = n;
	r->unmade.n = n;
}

static bool
are_bools(const vt_value *v, uint32_t n)
{
	vt_value other = 0;

	for (uint32_t i = 0; i < n; i++)
		other |= (v[i] | 8) ^ VT_TRUE;
	return other == 0;
}

static void
filter_borrowed(row *r, const vt_value *yes, vt_value *to)
{
	uint32_t m = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		to[m] = r->item[i];
		r->at[m] = r->at[i];
		m += yes[i] == VT_TRUE;
	}
	r->item = to;
	r->n = m;
	r->turn ^= 1;
}

static void
filter_unmade(row *r, const vt_batch *s, const vt_lambda_program *t)
{
	bool yes[VT_BULK];
	uint32_t m = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		yes[i] = vt_batch_true(s, t, i);
		r->at[m] = r->at[i];
		m += yes[i];
	}
	if (m < r->n)
		vt_unmade_keep(&r->unmade, s->rt, yes);
	r->n = m;
}

static void
filter_row(row *r, const vt_batch *s, const vt_lambda_program *t)
{
	const vt_value *yes = vt_batch_column(s, t);
	vt_value *to = r->own[r->turn];
	uint32_t m = 0;

	if (yes != NULL && !r->owned && are_bools(yes, r->n)) {
		filter_borrowed(r, yes, to);
		return;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		vt_value v = r->item[i];
		bool is = yes != NULL && vt_is_bool(yes[i]) ? yes[i] == VT_TRUE
							    : vt_batch_true(s, t, i);
		to[m] = v;
		r->at[m] = r->at[i];
		m += is;
		if (r->owned && !is)
			vt_release(v);
	}
	r->item = to;
	r->n = m;
	r->turn ^= 1;
}

/* wants: what is asked of the pipeline.  PLAIN: whoever asks takes a tuple for an iterator. */
static const vt_lambda_program *
stage_program(const vt_pipe_ops *p, uint32_t k, unsigned wants)
{
	const vt_pipe_stage *x = &p->stages[k];
	bool lists = x->lists == VT_LISTS_WALKED ||
		     (x->lists == VT_LISTS_COUNTED && wants & VT_WANTS_COUNT) ||
		     (wants & VT_WANTS_PLAIN && k + 1 == p->n && !x->filter);

	return lists && x->code->many != NULL ? x->code->many : x->code->program;
}

/* The batch of what was not made is there for the next stage. */
static void
close_unmade(row *r)
{
	if (r->unmade.m == 0)
		return;
	if (r->unmade.s != NULL && !r->unmade.view)
		r->other = r->unmade.s;
	r->unmade.view = true;
	vt_unmade_close(&r->unmade);
}

/* It is made after all. */
static void
make_unmade(row *r, vt_value *to, bool last)
{
	vt_output *o = last && (r->wants_plain || r->counts) ? &r->output : NULL;

	if (r->unmade.below[0] != NULL)
		r->output.from[0] = NULL;
	vt_unmade_make(&r->unmade, r->s->rt, 0, to, o);
	close_unmade(r);
	r->item = to;
	r->turn ^= 1;
	r->owned = true;
}

/* Can who comes next do with rows that are not made? */
static bool
may_stay_unmade(
	const row *r, const vt_pipe_ops *p, uint32_t k, const vt_lambda_program *t, vt_unmade *made)
{
	if (r->owned || (r->unmade.m > 0 && r->unmade.below[0] != NULL) ||
		!vt_unmade_kind(t, r->s, made))
		return false;
	return k + 1 == p->n ? r->wants != NULL && made->cut == NULL
			     : vt_program_takes(stage_program(p, k + 1, r->asked), made);
}

/* Members of what the source holds stay borrowed until all stages are through. */
static void
map_row(row *r, vt_batch *s, const vt_lambda_program *t, bool last)
{
	const vt_value *column = vt_batch_column(s, t);
	vt_value *to = last ? r->out : r->own[r->turn];
	bool holds = r->unmade.m > 0 &&
		     (r->unmade.view || r->unmade.below[0] != NULL || r->unmade.s->owns != 0);

	if (holds)
		r->output.from[0] = NULL;
	if (column != NULL && !r->owned && !holds && !last && s->owns == 0) {
		memcpy(to, column, r->n * sizeof *to);
	} else {
		uint32_t made;
		if (r->owned)
			r->output.from[0] = NULL; /* what members are borrowed from goes away */
		made = vt_batch_make(
			s, t, r->n, to, last && (r->wants_plain || r->counts) ? &r->output : NULL);
		cut(r, made);
		drop_items(r, 0);
		r->owned = true;
	}
	close_unmade(r);
	r->item = to;
	r->turn ^= 1;
}

/* The batch keeps what it has worked out; the next stage gets another.  Columns may lie in what
 * was not made before. */
static void
leave_unmade(row *r, const vt_lambda_program *t, vt_unmade *made)
{
	vt_unmade_open(made, r->s, t, r->n);
	if (r->unmade.m > 0) {
		made->below[0] = r->unmade.view ? NULL : r->unmade.s;
		made->below[made->below[0] != NULL] = r->unmade.store;
		made->rooted = r->unmade.view;
	}
	if (r->other == NULL)
		r->other = vt_batch_new(r->s->rt, r->s->scope);
	r->other->still = r->s->still;
	r->s = r->other;
	r->other = NULL;
	r->unmade = *made;
}

static const void *
run_stage(row *r, const vt_pipe_ops *p, uint32_t k, const void *shape)
{
	const vt_lambda_program *t = stage_program(p, k, r->asked);
	vt_unmade made;
	bool stays;

	if (r->unmade.m > 0 && !vt_program_takes(t, &r->unmade))
		make_unmade(r, r->own[r->turn], false);
	stays = !p->stages[k].filter && may_stay_unmade(r, p, k, t, &made);
	r->s->skips = stays ? vt_unmade_skips(t, &made) : 0;
	cut(r, r->unmade.m > 0 ? vt_batch_fill_unmade(r->s, t, &r->unmade)
		: k == 0       ? vt_batch_fill_list(r->s, t, r->n, r->item, r->behind)
			       : vt_batch_fill_known(r->s, t, r->n, r->item, NULL, shape, NULL));
	r->s->skips = 0;
	if (r->n == 0)
		return NULL;
	if (p->stages[k].filter && r->unmade.m > 0)
		filter_unmade(r, r->s, t);
	else if (p->stages[k].filter)
		filter_row(r, r->s, t);
	else if (stays)
		leave_unmade(r, t, &made);
	else
		map_row(r, r->s, t, k + 1 == p->n);
	return p->stages[k].filter && r->unmade.m == 0 ? r->s->known[0] : NULL;
}

/* What the last stage has left unmade goes to who wants it so. */
static void
run_stages(row *r, const vt_pipe_ops *p)
{
	const void *shape = NULL; /* of all items */

	for (uint32_t k = 0; k < p->n && r->n > 0; k++)
		shape = run_stage(r, p, k, shape);
	if (r->unmade.m == 0)
		return;
	if (r->n > 0 && r->wants != NULL && r->unmade.view && r->unmade.t == NULL) {
		vt_unmade_copy(r->wants, r->s->rt, &r->unmade);
		close_unmade(r);
	} else if (r->n > 0 && r->wants != NULL && !r->unmade.view && !r->unmade.rooted &&
		   !r->unmade.t->iterates) {
		*r->wants = r->unmade;
		r->unmade.m = 0;
	} else if (r->n > 0) {
		make_unmade(r, r->out, true);
	} else {
		close_unmade(r);
	}
}

/* Does a stage give iterators that one behind it reads?  What is read once the code has to read. */
static bool
reads_iterators(const vt_pipe_ops *p, unsigned wants)
{
	for (uint32_t k = 0; k < p->n; k++) {
		const vt_lambda_program *t =
			p->stages[k].filter ? NULL : stage_program(p, k, wants);
		for (uint32_t i = k + 1; t != NULL && t->iterates && i < p->n; i++)
			if (!vt_program_leaves_iterators(t, stage_program(p, i, wants)))
				return true;
	}
	return false;
}

static bool
all_tables(vt_rt *rt, const vt_pipe_ops *p, vt_scope *sc, bool closed, unsigned wants)
{
	for (uint32_t k = 0; k < p->n; k++) {
		const vt_code *code = p->stages[k].code;
		const vt_lambda_program *t = stage_program(p, k, wants);
		if (t == NULL || t->nargs > 1 || !vt_lambda_program_usable(rt, code, sc) ||
			(closed && !vt_program_is_closed(rt, t, sc)))
			return false;
	}
	return !reads_iterators(p, wants);
}

static void
start_row(row *r, const vt_value *items, uint32_t n, vt_value *out)
{
	r->item = items;
	r->n = r->seen = n;
	r->owned = false;
	r->turn = 0;
	r->unmade.m = 0;
	r->out = out;
	r->output.plain = false;
	r->output.counts = r->counts;
	r->output.shares = (r->asked & VT_SHARES) != 0;
	for (uint32_t i = 0; i < n; i++)
		r->at[i] = (uint8_t)i;
}

static void
open_row(row *r, vt_rt *rt, const vt_iter *it)
{
	r->asked = it->h.aux;
	r->wants_plain = (it->h.aux & VT_WANTS_PLAIN) != 0;
	r->counts = (it->h.aux & VT_WANTS_COUNT) != 0;
	r->wants = vt_unmade_wanted(rt, it);
	r->s = vt_batch_new(rt, VT_AS(vt_scope, it->v[1]));
	r->s->still = (it->h.aux & VT_STILL) != 0;
	r->other = NULL;
}

static void
close_row(row *r)
{
	vt_batch_free(r->s);
	if (r->other != NULL)
		vt_batch_free(r->other);
}

/* What has not been made where it belongs.  False: who asked has it unmade, and that is all. */
static bool
give_row(row *r)
{
	if (r->wants != NULL && r->wants->m > 0)
		return false;
	if (r->n > 0)
		r->wants = NULL; /* all that it gets is made */
	for (uint32_t i = 0; r->item != r->out && i < r->n; i++)
		r->out[i] = r->owned ? r->item[i] : r->counts ? VT_NULL : vt_copy(r->item[i]);
	return true;
}

static vt_pull *
open_pull(vt_rt *rt, vt_iter *it)
{
	vt_pull *pull = pull_of(it);

	if (pull == NULL) {
		pull = vt_xmalloc(sizeof *pull);
		vt_pull_open(pull, rt, it->v[0]);
		it->i[0] = (int64_t)(uintptr_t)pull;
	}
	return pull;
}

/* A C function for one item, without a scope, is faster than the columns of so few. */
enum { WORTH = 12 };

static bool
has_functions(const vt_pipe_ops *p)
{
	for (uint32_t k = 0; k < p->n; k++)
		if (p->stages[k].code->direct == NULL &&
			!(p->stages[k].code->flags & VT_CODE_OPERATOR))
			return false;
	return p->ops.next != NULL;
}

/* It is not for many items at once, and will not be. */
static uint32_t
never(vt_iter *it)
{
	it->h.aux = VT_NO_MORE;
	return 0;
}

/* The source's items, unmade where they are so and the first stage can do with that: *from. */
static uint32_t
next_piece(row *r, vt_pull *pull, const vt_pipe_ops *p, uint32_t room, vt_unmade *from)
{
	const vt_lambda_program *t = stage_program(p, 0, r->asked);
	bool asks = room >= VT_BULK && pull->reads != VT_READS_ALL;
	uint32_t n;

	if (asks && pull->reads == VT_READS_UNKNOWN)
		pull->reads = vt_program_reads_members(t) ? VT_READS_MEMBERS : VT_READS_ALL;
	asks = asks && pull->reads == VT_READS_MEMBERS;
	n = asks ? vt_pull_unmade(pull, from) : vt_pull_ahead(pull);

	if (asks && from->m > 0 && !vt_program_takes(t, from))
		vt_pull_settle(pull, from, 0);
	return n < room ? n : room;
}

/* So much of the source is done with. */
static void
leave_piece(vt_pull *pull, vt_unmade *from, uint32_t seen)
{
	if (from->m > 0) {
		vt_pull_settle(pull, from, seen);
		return;
	}
	for (uint32_t i = 0; i < seen; i++)
		vt_release(pull->item[pull->at + i]);
	pull->at += seen;
}

/* The same over an iterator that gives many items at once. */
static uint32_t
bulk_of_pull(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_pipe_ops *p = it->p;
	bool wants_plain = (it->h.aux & VT_WANTS_PLAIN) != 0, plain = true;
	uint32_t made = 0, n;
	vt_unmade from;
	vt_pull *pull;
	row r;

	if (it->i[2]) /* next() sorts it first */
		return 0;
	if (!vt_is(it->v[0], ITER) || VT_AS(vt_iter, it->v[0])->ops->bulk == NULL ||
		room < VT_BULK || !all_tables(rt, p, VT_AS(vt_scope, it->v[1]), true, it->h.aux))
		return never(it);
	pull = open_pull(rt, it);
	if (has_functions(p) && vt_pull_ahead(pull) < WORTH)
		return never(it);
	vt_unmade_none(&from);
	open_row(&r, rt, it);
	r.s->still = false;
	do {
		n = next_piece(&r, pull, p, room - made, &from);
		if (n == 0)
			break;
		start_row(&r, pull->item + pull->at, n, out + made);
		if (from.m > 0) {
			r.unmade = from;
			r.unmade.store = r.unmade.below[0] = r.unmade.below[1] = NULL;
			r.unmade.counted = false;
			r.unmade.view = true;
		}
		r.output.from[0] = r.output.from[1] = NULL;
		r.behind = 0;
		run_stages(&r, p);
		if (give_row(&r))
			plain = plain && (r.output.plain || r.n == 0);
		else if (!r.wants->counted) /* the source's items go */
			vt_unmade_own(r.wants, rt);
		made += r.n;
		leave_piece(pull, &from, r.seen);
	} while (r.seen == n && (r.wants == NULL || r.wants->m == 0) && 2 * made < room);
	close_row(&r);
	it->h.aux = (uint16_t)(VT_ONE_WAY | (wants_plain && plain ? VT_GAVE_PLAIN : 0) |
			       (pull->singly ? VT_NO_MORE : 0));
	return made;
}

/* Goes on until half of the room is used: a filter may let little through. */
uint32_t
vt_pipe_bulk(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_pipe_ops *p = it->p;
	const vt_list *l = vt_as_list(it->v[0]);
	uint32_t made = 0, n;
	bool plain = true;
	row r;

	if (!it->i[1])
		return bulk_of_pull(rt, it, room, out);
	if (it->i[0] >= l->n) {
		it->h.aux = VT_NO_MORE | VT_AT_END;
		return 0;
	}
	if ((l->n - it->i[0] < WORTH && has_functions(p)) ||
		!all_tables(rt, p, VT_AS(vt_scope, it->v[1]), false, it->h.aux))
		return never(it);
	open_row(&r, rt, it);
	do {
		n = l->n - (uint32_t)it->i[0];
		if (n > room - made)
			n = room - made;
		if (n > VT_BULK)
			n = VT_BULK;
		start_row(&r, l->v + it->i[0], n, out + made);
		r.output.from[0] = vt_can_borrow(l, NULL) ? vt_as_list(it->v[0]) : NULL;
		r.output.from[1] = NULL;
		r.behind = l->n - (uint32_t)it->i[0] - n;
		run_stages(&r, p);
		if (give_row(&r))
			plain = plain && (r.output.plain || r.n == 0);
		made += r.n;
		it->i[0] += r.seen;
	} while (r.seen == n && it->i[0] < l->n && (r.wants == NULL || r.wants->m == 0) &&
		 2 * made < room);
	close_row(&r);
	it->h.aux = (uint16_t)((r.wants_plain && plain ? VT_GAVE_PLAIN : 0) |
			       (it->i[0] >= l->n ? VT_AT_END : 0));
	return made;
}

bool
vt_pipe_is_short(const vt_iter *it)
{
	return it->p == it->ops && it->i[1] && vt_as_list(it->v[0])->n - it->i[0] < WORTH &&
	       has_functions(it->p);
}

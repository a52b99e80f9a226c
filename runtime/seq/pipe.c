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
	vt_output output; /* of the last stage */
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
}

static bool
are_bools(const vt_value *v, uint32_t n)
{
	vt_value other = 0;

	for (uint32_t i = 0; i < n; i++)
		other |= (v[i] | 4) ^ VT_TRUE;
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

/* Members of what the source holds stay borrowed until all stages are through. */
static void
map_row(row *r, vt_batch *s, const vt_lambda_program *t, bool last)
{
	const vt_value *column = vt_batch_column(s, t);
	vt_value *to = last ? r->out : r->own[r->turn];

	if (column != NULL && !r->owned && !last && s->owns == 0) {
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
	r->item = to;
	r->turn ^= 1;
}

/* lists: whoever asks takes a tuple for an iterator. */
static const vt_lambda_program *
stage_program(const vt_pipe_ops *p, uint32_t k, bool lists)
{
	const vt_code *code = p->stages[k].code;

	return lists && code->many != NULL && k + 1 == p->n && !p->stages[k].filter ? code->many
										    : code->program;
}

static void
run_stages(row *r, vt_batch *s, const vt_pipe_ops *p)
{
	const void *shape = NULL; /* of all items */

	for (uint32_t k = 0; k < p->n && r->n > 0; k++) {
		const vt_lambda_program *t = stage_program(p, k, r->wants_plain);
		cut(r, k == 0 ? vt_batch_fill_list(s, t, r->n, r->item, r->behind)
			      : vt_batch_fill_known(s, t, r->n, r->item, NULL, shape, NULL));
		if (r->n == 0)
			return;
		shape = p->stages[k].filter ? s->known[0] : NULL;
		if (p->stages[k].filter)
			filter_row(r, s, t);
		else
			map_row(r, s, t, k + 1 == p->n);
	}
}

/* Does a stage give iterators that one behind it reads?  What is read once the code has to read. */
static bool
reads_iterators(const vt_pipe_ops *p)
{
	for (uint32_t k = 0; k < p->n; k++) {
		const vt_lambda_program *t =
			p->stages[k].filter ? NULL : p->stages[k].code->program;
		for (uint32_t i = k + 1; t != NULL && t->iterates && i < p->n; i++)
			if (!vt_program_leaves_iterators(t, p->stages[i].code->program))
				return true;
	}
	return false;
}

static bool
all_tables(vt_rt *rt, const vt_pipe_ops *p, vt_scope *sc, bool closed, bool lists)
{
	for (uint32_t k = 0; k < p->n; k++) {
		const vt_code *code = p->stages[k].code;
		const vt_lambda_program *t = stage_program(p, k, lists);
		if (t == NULL || t->nargs > 1 || !vt_lambda_program_usable(rt, code, sc) ||
			(closed && !vt_program_is_closed(rt, t, sc)))
			return false;
	}
	return !reads_iterators(p);
}

static void
start_row(row *r, const vt_value *items, uint32_t n, vt_value *out)
{
	r->item = items;
	r->n = r->seen = n;
	r->owned = false;
	r->turn = 0;
	r->out = out;
	r->output.plain = false;
	r->output.counts = r->counts;
	for (uint32_t i = 0; i < n; i++)
		r->at[i] = (uint8_t)i;
}

/* What has not been made where it belongs. */
static void
give_row(const row *r)
{
	for (uint32_t i = 0; r->item != r->out && i < r->n; i++)
		r->out[i] = r->owned ? r->item[i] : r->counts ? VT_NULL : vt_copy(r->item[i]);
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

/* Below these an iterator is asked one by one for a while: what its programs cannot do would be
 * tried twice. */
enum { FEW = 4 };

/* It is not for many items at once, and will not be. */
static uint32_t
never(vt_iter *it)
{
	it->h.aux = VT_NO_MORE;
	return 0;
}

/* The same over an iterator that gives many items at once. */
static uint32_t
bulk_of_pull(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_pipe_ops *p = it->p;
	bool wants_plain = (it->h.aux & VT_WANTS_PLAIN) != 0, plain = true,
	     counts = (it->h.aux & VT_WANTS_COUNT) != 0;
	uint32_t made = 0;
	vt_pull *pull;
	vt_batch *s;
	row r;

	if (it->i[2]) /* next() sorts it first */
		return 0;
	if (!vt_is(it->v[0], ITER) || VT_AS(vt_iter, it->v[0])->ops->bulk == NULL ||
		room < VT_BULK || !all_tables(rt, p, VT_AS(vt_scope, it->v[1]), true, wants_plain))
		return never(it);
	pull = open_pull(rt, it);
	if (has_functions(p) && vt_pull_ahead(pull) < WORTH)
		return never(it);
	s = vt_batch_new(rt, VT_AS(vt_scope, it->v[1]));
	do {
		uint32_t n = vt_pull_ahead(pull);
		if (n > room - made)
			n = room - made;
		if (n == 0)
			break;
		r.wants_plain = wants_plain;
		r.counts = counts;
		start_row(&r, pull->item + pull->at, n, out + made);
		r.output.from[0] = r.output.from[1] = NULL;
		r.behind = 0;
		run_stages(&r, s, p);
		give_row(&r);
		made += r.n;
		plain = plain && (r.output.plain || r.n == 0);
		for (uint32_t i = 0; i < r.seen; i++)
			vt_release(pull->item[pull->at + i]);
		pull->at += r.seen;
		if (r.seen < n)
			break;
	} while (2 * made < room);
	vt_batch_free(s);
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
	vt_batch *s;
	row r;

	r.wants_plain = (it->h.aux & VT_WANTS_PLAIN) != 0;
	r.counts = (it->h.aux & VT_WANTS_COUNT) != 0;
	if (!it->i[1])
		return bulk_of_pull(rt, it, room, out);
	if (it->i[0] >= l->n || (l->n - it->i[0] < WORTH && has_functions(p)) ||
		!all_tables(rt, p, VT_AS(vt_scope, it->v[1]), false, r.wants_plain))
		return never(it);
	s = vt_batch_new(rt, VT_AS(vt_scope, it->v[1]));
	s->still = (it->h.aux & VT_STILL) != 0;
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
		run_stages(&r, s, p);
		give_row(&r);
		made += r.n;
		plain = plain && (r.output.plain || r.n == 0);
		it->i[0] += r.seen;
	} while (r.seen == n && it->i[0] < l->n && 2 * made < room);
	vt_batch_free(s);
	if (r.wants_plain && plain)
		it->h.aux = VT_GAVE_PLAIN;
	return made;
}

/* A pipeline with C functions, of too few items to ask for many at once. */
static bool
is_short(const vt_iter *it)
{
	return it->p == it->ops && it->i[1] && vt_as_list(it->v[0])->n - it->i[0] < WORTH &&
	       has_functions(it->p);
}

/* Room for the items of a pull: the session keeps what was given back. */
typedef struct vt_pull_items {
	struct vt_pull_items *next;
	vt_value item[VT_BULK];
} vt_pull_items;

static vt_value *
take_items(vt_rt *rt)
{
	vt_pull_items *x = rt->s->pull_items;

	if (x == NULL)
		return ((vt_pull_items *)vt_xmalloc(sizeof *x))->item;
	rt->s->pull_items = x->next;
	return x->item;
}

void
vt_pull_give(vt_pull *p)
{
	vt_pull_items *x;

	if (p->item == NULL)
		return;
	x = (vt_pull_items *)(void *)((char *)p->item - offsetof(vt_pull_items, item));
	x->next = p->rt->s->pull_items;
	p->rt->s->pull_items = x;
	p->item = NULL;
}

void
vt_pull_free(vt_pull *p)
{
	if (p == NULL)
		return;
	while (p->at < p->n)
		vt_release(p->item[p->at++]);
	vt_pull_give(p);
	free(p);
}

void
vt_pulls_drop(vt_rt *rt)
{
	for (vt_pull_items *x = rt->s->pull_items, *next; x != NULL; x = next) {
		next = x->next;
		free(x);
	}
	rt->s->pull_items = NULL;
}

uint32_t
vt_pull_most(const vt_pull *p)
{
	const vt_iter *it = VT_AS(vt_iter, p->iter);
	bool list = it->ops->bulk != NULL && vt_is(p->iter, ITER) && vt_is_sequence(it->v[0]);

	return list && vt_as_list(it->v[0])->n > it->i[0]
		       ? vt_as_list(it->v[0])->n - (uint32_t)it->i[0]
		       : 8;
}

vt_status
vt_pull_more(vt_pull *p, vt_value *out)
{
	vt_rt *rt = p->rt;

	if (p->singly || vt_pull_ahead(p) == 0)
		return vt_next(rt, p->iter, out);
	*out = p->item[p->at++];
	return VT_OK;
}

uint32_t
vt_pull_ahead(vt_pull *p)
{
	vt_iter *it = VT_AS(vt_iter, p->iter);
	vt_rt *rt = p->rt;

	if (p->at < p->n)
		return p->n - p->at;
	if (p->singly || (p->singly = is_short(it)))
		return 0;
	p->at = p->n = 0;
	if (it->ops->bulk != NULL && rt->stack_limit == 0 && rt->depth < rt->max_depth &&
		!vt_patience_waits(&p->lean)) {
		if (p->item == NULL)
			p->item = take_items(rt);
		memcpy(p->from, it->i, sizeof p->from);
		it->h.aux =
			(uint16_t)((p->wants_plain ? VT_WANTS_PLAIN : 0) |
				   (p->still ? VT_STILL : 0) | (p->counts ? VT_WANTS_COUNT : 0));
		p->n = it->ops->bulk(rt, it, VT_BULK, p->item);
		p->plain = (it->h.aux & VT_GAVE_PLAIN) != 0;
		p->one_way |= (it->h.aux & VT_ONE_WAY) != 0;
		vt_patience_tell(&p->lean, p->n >= FEW);
		p->singly = (it->h.aux & VT_NO_MORE) != 0;
		it->h.aux = 0;
	}
	return p->n;
}

void
vt_pull_to_list(vt_pull *p, vt_list *l, bool closed)
{
	const vt_value *item = p->item + p->at;
	uint32_t n = p->n - p->at, i = 0;

	if (n == 0 || n > VT_MOST_ITEMS - l->n)
		return;
	while (closed && i < n && !vt_is(item[i], ITER) && !vt_is(item[i], MEMO))
		i++;
	n = closed ? i : n;
	vt_list_append(p->rt, l, n, item);
	p->at += n;
}

/* What was pulled is pulled again from where the last bulk began: that gives the same, and stops
 * where it should. */
void
vt_pull_close(vt_pull *p)
{
	vt_iter *it = VT_AS(vt_iter, p->iter);
	uint32_t used = p->at;

	if (p->at < p->n) {
		while (p->n > p->at)
			vt_release(p->item[--p->n]);
		if (!p->one_way)
			memcpy(it->i, p->from, sizeof p->from);
		while (!p->one_way && used > 0) {
			uint32_t n = it->ops->bulk(p->rt, it, used, p->item);
			if (n == 0 && vt_next(p->rt, p->iter, &p->item[n]) != VT_OK)
				break;
			n += n == 0;
			used -= n;
			while (n > 0)
				vt_release(p->item[--n]);
		}
	}
	vt_pull_give(p);
}

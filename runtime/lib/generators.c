/*
 * generators.c - rows of lib/queries.fn that make items: ranges, cycle, repeat, accumulate,
 * generate.
 */
#include "runtime/lib/query.h"
#include "runtime/seq/lambda_program.h"
#include "registry.h"
#include "runtime/task/task.h"

#include <stdlib.h>

/* ---- ranges ---- */

/* v[0] next, v[1] end or VT_UNDEF, v[2] step. Integers of any size. */
static vt_status
next_range(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value next = VT_UNDEF;
	*out = VT_UNDEF;
	if (it->v[1] != VT_UNDEF &&
		vt_num_cmp(it->v[0], it->v[1]) * vt_num_cmp(it->v[2], vt_mkint(0)) >= 0)
		return VT_OK;
	if (!vt_add_fast(it->v[0], it->v[2], &next))
		VT_TRY(vt_num_binary(rt, VT_OP_ADD, it->v[0], it->v[2], &next));
	*out = it->v[0];
	it->v[0] = next;
	return VT_OK;
}

static const vt_iter_ops range_ops = {next_range, NULL, "range_iterator", 48, NULL};
static const vt_iter_ops sequence_ops = {next_range, NULL, "itertools.count", 56, NULL};

/* The same where all that comes are words: i[0] is the next, i[1] the step, i[2] how many come. */
static vt_status
next_word(vt_rt *rt, vt_iter *it, vt_value *out)
{
	*out = VT_UNDEF;
	if (it->i[2] == 0 && it->v[0] != VT_UNDEF) { /* a sequence goes on behind all words */
		vt_move(&it->v[0], vt_int_new(rt, it->i[0]));
		it->ops = &sequence_ops;
		return next_range(rt, it, out);
	}
	if (it->i[2] > 0) {
		*out = vt_mkint(it->i[0]);
		it->i[0] += it->i[1];
		it->i[2]--;
	}
	return VT_OK;
}

static const vt_iter_ops range_of_words = {next_word, NULL, "range_iterator", 48, vt_bulk_words};
static const vt_iter_ops sequence_of_words = {
	next_word, NULL, "itertools.count", 56, vt_bulk_words};

/* Ends and steps below this: nothing that comes leaves the words. */
#define MOST_WORD ((int64_t)1 << 60)

static bool
is_far(vt_value v)
{
	return !vt_is_int(v) || vt_toint(v) > MOST_WORD || vt_toint(v) < -MOST_WORD;
}

/* to: VT_UNDEF, there is no end. */
static bool
as_words(vt_iter *it, vt_value from, vt_value to, vt_value step)
{
	int64_t by, way;

	if (is_far(from) || is_far(step) || (to != VT_UNDEF && is_far(to)) || vt_toint(step) == 0)
		return false;
	by = vt_toint(step);
	way = (to != VT_UNDEF ? vt_toint(to) : by > 0 ? MOST_WORD : -MOST_WORD) - vt_toint(from);
	it->i[0] = vt_toint(from);
	it->i[1] = by;
	it->i[2] = (way > 0) == (by > 0) ? way / by + (way % by != 0) : 0;
	it->ops = to != VT_UNDEF ? &range_of_words : &sequence_of_words;
	return true;
}

static vt_value
as_int(vt_value v)
{
	return vt_is_bool(v) ? vt_mkint(v == VT_TRUE) : vt_copy(v);
}

static vt_value
range(vt_rt *rt, const vt_iter_ops *ops, vt_value from, vt_value to, vt_value step)
{
	vt_iter *it = vt_iter_new(rt, ops);
	if (as_words(it, from, to, step) && to != VT_UNDEF)
		return vt_mkptr(it);
	it->v[0] = as_int(from);
	it->v[1] = as_int(to);
	it->v[2] = as_int(step);
	return vt_mkptr(it);
}

vt_status
vt_lib_range(vt_args *a, vt_value *out)
{
	*out = range(a->rt, &range_ops, vt_mkint(0), a->v[0], vt_mkint(1));
	return VT_OK;
}

vt_value
vt_quick_range(vt_rt *rt, const vt_value *v)
{
	return vt_is_int(v[0]) ? range(rt, &range_ops, vt_mkint(0), v[0], vt_mkint(1)) : VT_UNDEF;
}

vt_value
vt_quick_range_from(vt_rt *rt, const vt_value *v)
{
	bool small = vt_both_int(v[0], v[1]) && vt_is_int(v[2]) && v[2] != vt_mkint(0);
	return small ? range(rt, &range_ops, v[0], v[1], v[2]) : VT_UNDEF;
}

vt_status
vt_lib_range_from(vt_args *a, vt_value *out)
{
	if (vt_num_cmp(a->v[2], vt_mkint(0)) == 0)
		return vt_raise(a->rt, VT_E_VALUE, "range() arg 3 must not be zero");
	*out = range(a->rt, &range_ops, a->v[0], a->v[1], a->v[2]);
	return VT_OK;
}

vt_status
vt_lib_sequence(vt_args *a, vt_value *out)
{
	*out = range(a->rt, &sequence_ops, a->v[0], VT_UNDEF, a->v[1]);
	/* itertools.count() gives its start as it is, unless it counts by one. */
	if (vt_is_bool(a->v[0]) && vt_num_cmp(a->v[1], vt_mkint(1)) != 0)
		VT_AS(vt_iter, *out)->v[0] = a->v[0];
	return VT_OK;
}

/* v[1]: the items so far, or the list that all come from; v[0] is dropped at its end, then i[0]
 * goes round in v[1]. */
static vt_status
next_cycle(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_list *seen = vt_as_list(it->v[1]);
	*out = VT_UNDEF;
	if (it->v[0] != VT_UNDEF) {
		VT_TRY(vt_next(rt, it->v[0], out));
		if (*out != VT_UNDEF)
			return vt_list_keep(rt, seen, vt_copy(*out));
		vt_clear(&it->v[0]);
	}
	if (seen->n > 0) {
		*out = vt_copy(seen->v[it->i[0]]);
		it->i[0] = (it->i[0] + 1) % seen->n;
	}
	return VT_OK;
}

static uint32_t
bulk_cycle(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_list *seen = vt_as_list(it->v[1]);

	(void)rt;
	if (it->v[0] != VT_UNDEF || seen->n == 0)
		return 0;
	for (uint32_t k = 0; k < room; k++) {
		out[k] = vt_copy(seen->v[it->i[0]]);
		it->i[0] = it->i[0] + 1 < seen->n ? it->i[0] + 1 : 0;
	}
	return room;
}

static const vt_iter_ops cycle_ops = {next_cycle, NULL, "itertools.cycle", 64, bulk_cycle};

vt_status
vt_lib_cycle(vt_args *a, vt_value *out)
{
	vt_iter *it;
	VT_TRY(vt_query_machine(a, &cycle_ops, VT_UNDEF, &it));
	*out = vt_mkptr(it);
	if (vt_is_sequence(a->v[0]) && !vt_metered(a->rt) && a->unit->opt.limit_iterators < 0) {
		vt_clear(&it->v[0]);
		it->v[1] = vt_copy(a->v[0]);
		return VT_OK;
	}
	it->v[1] = vt_mkptr(vt_list_grow(a->rt, VT_K_LIST, 4));
	return VT_OK;
}

/* i[0]: how many times more; negative: without an end. */
static vt_status
next_repeat(vt_rt *rt, vt_iter *it, vt_value *out)
{
	*out = VT_UNDEF;
	if (it->i[0] == 0)
		return VT_OK;
	if (it->i[0] > 0)
		it->i[0]--;
	*out = vt_copy(it->v[0]);
	return VT_OK;
}

static uint32_t
bulk_repeat(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	uint32_t n = it->i[0] >= 0 && it->i[0] < room ? (uint32_t)it->i[0] : room;

	(void)rt;
	if (it->i[0] > 0)
		it->i[0] -= n;
	for (uint32_t k = 0; k < n; k++)
		out[k] = vt_copy(it->v[0]);
	return n;
}

static const vt_iter_ops repeat_ops = {next_repeat, NULL, "itertools.repeat", 48, bulk_repeat};

vt_status
vt_lib_repeat(vt_args *a, vt_value *out)
{
	vt_iter *it;
	int64_t times = vt_int_clamped(a->v[1]);
	/* itertools.repeat() takes a C integer; anything negative has no end. */
	if (times > 0 && !vt_int_fits(a->v[1], &times))
		return vt_raise(
			a->rt, VT_E_OVERFLOW, "Python int too large to convert to C ssize_t");
	it = vt_iter_new(a->rt, &repeat_ops);
	it->v[0] = vt_copy(a->v[0]);
	it->i[0] = times;
	*out = vt_mkptr(it);
	return VT_OK;
}

/* ---- accumulate, generate ---- */

/* p of accumulate's iterator, once many values were asked for at a time. */
typedef struct many {
	vt_pull pull; /* the source */
	vt_fold *fold;
} many;

/* v[2]: the seed, VT_NOVALUE without one; later the value so far. i[0]: the first value was given.
 */
static vt_status
next_accumulate(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value argv[2], next = VT_UNDEF;
	many *m = it->p;
	vt_status st;
	*out = VT_UNDEF;
	if (!it->i[0] && it->v[2] == VT_NOVALUE) {
		VT_TRY(vt_next(rt, it->v[0], &next));
		if (next == VT_UNDEF)
			return vt_raise(rt, VT_E_TYPE,
				"accumulate() of empty sequence with no initial value");
		it->v[2] = next;
	} else if (it->i[0]) {
		if (m != NULL && m->pull.at < m->pull.n)
			argv[1] = m->pull.item[m->pull.at++];
		else
			VT_TRY(vt_next(rt, it->v[0], &argv[1]));
		if (argv[1] == VT_UNDEF)
			return VT_OK;
		argv[0] = it->v[2];
		st = vt_apply(rt, it->v[1], 2, argv, &next);
		vt_release(argv[1]);
		if (st != VT_OK)
			return st;
		vt_move(&it->v[2], next);
	}
	it->i[0] = 1;
	*out = vt_copy(it->v[2]);
	return VT_OK;
}

static many *
open_many(vt_rt *rt, vt_iter *it)
{
	vt_fold *fold = vt_fold_new != NULL ? vt_fold_new(rt, it->v[1]) : NULL;
	many *m;
	if (fold == NULL)
		return NULL;
	it->p = m = vt_xmalloc(sizeof *m);
	vt_pull_open(&m->pull, rt, it->v[0]);
	m->fold = fold;
	return m;
}

static void
drop_many(vt_iter *it)
{
	many *m = it->p;
	if (m == NULL)
		return;
	while (m->pull.at < m->pull.n)
		vt_release(m->pull.item[m->pull.at++]);
	vt_pull_give(&m->pull);
	if (vt_fold_free != NULL)
		vt_fold_free(m->fold);
	free(m);
}

/* Values for the next items, as far as there is room; false: not for all that are at hand. */
static bool
accumulate_ahead(vt_iter *it, many *m, uint32_t room, vt_value *out, uint32_t *made)
{
	uint32_t n = vt_pull_ahead(&m->pull), i;
	vt_value next;
	if (n > room - *made)
		n = room - *made;
	if (n > 0)
		n = vt_fold_fill(m->fold, n, m->pull.item + m->pull.at);
	for (i = 0; i < n; i++) {
		uint32_t ran = vt_fold_run(m->fold, i, n, &it->v[2], out + *made);
		i += ran;
		*made += ran;
		if (i == n || !vt_fold_step(m->fold, i, it->v[2], &next))
			break;
		vt_move(&it->v[2], next);
		out[(*made)++] = vt_copy(next);
	}
	for (uint32_t k = 0; k < i; k++)
		vt_release(m->pull.item[m->pull.at++]);
	return n > 0 && i == n;
}

/* A few items are done sooner than a fold is ready. */
static bool
is_few(vt_value source)
{
	enum { FEW = 12 };
	int64_t left = vt_part_left(source);
	return left >= 0 && left < FEW;
}

static uint32_t
bulk_accumulate(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	many *m = it->p;
	uint32_t made = 0;
	if (m == NULL && is_few(it->v[0])) {
		it->h.aux = VT_NO_MORE;
		return 0;
	}
	if (room < VT_BULK || (!it->i[0] && it->v[2] == VT_NOVALUE) ||
		(m == NULL && (m = open_many(rt, it)) == NULL))
		return 0;
	it->h.aux = VT_ONE_WAY;
	if (!it->i[0]) {
		it->i[0] = 1;
		out[made++] = vt_copy(it->v[2]);
	}
	while (made < room && accumulate_ahead(it, m, room, out, &made))
		;
	return made;
}

static const vt_iter_ops accumulate_ops = {
	next_accumulate, drop_many, "generator", 256, bulk_accumulate};

vt_status
vt_lib_accumulate(vt_args *a, vt_value *out)
{
	vt_iter *it;
	VT_TRY(vt_query_machine(a, &accumulate_ops, a->v[1], &it));
	it->v[2] = vt_copy(a->v[2]);
	*out = vt_mkptr(it);
	return VT_OK;
}

static void
drop_past(vt_iter *it)
{
	if (it->p != NULL)
		vt_release(vt_mkptr(it->p));
}

/* With decycle: is the item new? */
static vt_status
is_new(vt_rt *rt, vt_iter *it, vt_value item, bool *yes)
{
	*yes = true;
	return it->p == NULL ? VT_OK : vt_query_remember(rt, it->p, item, yes);
}

/* v: the current value, predicate, producer, selector; i[0]: how far it is. */
enum { GENERATE_START, GENERATE_RUN, GENERATE_END };

static vt_status
next_generate(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value next = VT_UNDEF;
	bool yes = false, fresh = true;
	vt_status st = VT_OK;
	*out = VT_UNDEF;
	if (it->i[0] == GENERATE_END)
		return VT_OK;
	if (it->i[0] == GENERATE_RUN) {
		st = vt_apply(rt, it->v[2], 1, &it->v[0], &next);
		if (st == VT_OK)
			vt_move(&it->v[0], next);
	}
	it->i[0] = GENERATE_END;
	if (st == VT_OK)
		st = vt_query_test(rt, it->v[1], it->v[0], &yes);
	if (st == VT_OK && yes)
		st = is_new(rt, it, it->v[0], &fresh);
	if (st != VT_OK || !yes || !fresh)
		return st;
	VT_TRY(vt_query_selected(rt, it->v[3], it->v[0], out));
	it->i[0] = GENERATE_RUN;
	return VT_OK;
}

/* The program of a lambda that may run ahead; or NULL. */
static const vt_lambda_program *
program_ahead(vt_rt *rt, vt_value lambda)
{
	const vt_lambda_program *t = vt_lambda_program_of(rt, lambda, 1);
	return t != NULL && vt_program_is_closed(rt, t, vt_scope_of(lambda)) ? t : NULL;
}

/* What the predicate and the selector make of the current value; GENERATE_START: the code has to
 * look at it. */
static int
look_ahead(vt_rt *rt, vt_iter *it, const vt_lambda_program *const *t, vt_value *out)
{
	vt_value answer = VT_UNDEF;
	bool yes;
	if (!vt_lambda_program_run(rt, t[0], vt_scope_of(it->v[1]), &it->v[0], &answer))
		return GENERATE_START;
	yes = vt_truth(answer);
	vt_release(answer);
	if (!yes)
		return GENERATE_END;
	if (t[2] == NULL)
		*out = vt_copy(it->v[0]);
	else if (!vt_lambda_program_run(rt, t[2], vt_scope_of(it->v[3]), &it->v[0], out))
		return GENERATE_START;
	return GENERATE_RUN;
}

/* By the programs of all lambdas, up to what they are not for. */
static uint32_t
bulk_generate(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	bool selects = vt_is(it->v[3], LAMBDA);
	const vt_lambda_program *t[3] = {program_ahead(rt, it->v[1]), program_ahead(rt, it->v[2]),
		selects ? program_ahead(rt, it->v[3]) : NULL};
	uint32_t n = 0;
	if (room < VT_BULK || it->p != NULL || vt_metered(rt) || t[0] == NULL || t[1] == NULL ||
		(selects && t[2] == NULL))
		return 0;
	it->h.aux = VT_ONE_WAY;
	while (n < room && it->i[0] != GENERATE_END) {
		if (it->i[0] == GENERATE_RUN) {
			vt_value next = VT_UNDEF;
			if (!vt_lambda_program_run(
				    rt, t[1], vt_scope_of(it->v[2]), &it->v[0], &next))
				break;
			vt_move(&it->v[0], next);
		}
		it->i[0] = look_ahead(rt, it, t, &out[n]);
		if (it->i[0] == GENERATE_START)
			break;
		n += it->i[0] == GENERATE_RUN;
	}
	return n;
}

static const vt_iter_ops generate_ops = {next_generate, drop_past, "generator", 264, bulk_generate};

vt_status
vt_lib_generate(vt_args *a, vt_value *out)
{
	vt_iter *it = vt_iter_new(a->rt, &generate_ops);
	for (size_t i = 0; i < 4; i++)
		it->v[i] = vt_copy(a->v[i]);
	it->p = a->v[4] == VT_TRUE ? vt_set_new(a->rt) : NULL;
	*out = vt_mkptr(it);
	return VT_OK;
}

/*
 * v: the list of what is to come, producer, selector, the item whose children are not there yet.
 * Breadth first it is a queue whose head is i[0]; depth first (i[1]) a stack whose top is the
 * list's end.
 */
/*
 * The reference has a deque here, and its size says where in a block it begins: i[2].  An empty
 * one that is extended begins at 1; a stack turns until what came last stands in front.
 */
static vt_status
quota_of_queue(vt_rt *rt, vt_iter *it, uint32_t added)
{
	int64_t n = vt_as_list(it->v[0])->n - it->i[0], turn;
	if (n == added)
		it->i[2] = 1;
	/* deque.rotate() turns the shorter way */
	turn = added > n / 2 ? (n ? added % n : 0) : added;
	if (turn > n / 2)
		turn -= n;
	if (it->i[1])
		it->i[2] = ((it->i[2] - turn) % 64 + 64) % 64;
	return vt_quota_bytes(rt, (double)vt_py_deque_size(n, it->i[2]));
}

static vt_status
next_children(vt_rt *rt, vt_iter *it)
{
	vt_list *l = vt_as_list(it->v[0]);
	vt_value made = VT_UNDEF, iter = VT_UNDEF, item;
	uint32_t from = l->n, before = from;
	vt_status st = vt_apply(rt, it->v[1], 1, &it->v[3], &made);
	if (st == VT_OK)
		st = vt_iterate(rt, made, &iter);
	while (VT_EACH(rt, iter, item, st))
		st = vt_list_keep(rt, l, item);
	vt_release(iter);
	vt_release(made);
	for (uint32_t to = l->n; it->i[1] && from + 1 < to; from++) {
		vt_value v = l->v[from];
		l->v[from] = l->v[--to];
		l->v[to] = v;
	}
	if (st == VT_OK && vt_metered(rt))
		st = quota_of_queue(rt, it, l->n - before);
	return st;
}

static vt_value
next_in_queue(vt_iter *it)
{
	vt_list *l = vt_as_list(it->v[0]);
	vt_value v;
	if (it->i[1])
		return l->n > 0 ? l->v[--l->n] : VT_UNDEF;
	if (it->i[0] >= l->n)
		return VT_UNDEF;
	v = l->v[it->i[0]];
	l->v[it->i[0]++] = VT_UNDEF;
	if (it->i[0] >= 1024 && it->i[0] * 2 >= l->n) {
		for (uint32_t i = 0; i + it->i[0] < l->n; i++)
			l->v[i] = l->v[i + it->i[0]];
		l->n -= (uint32_t)it->i[0];
		it->i[0] = 0;
	}
	return v;
}

static vt_status
next_generate_many(vt_rt *rt, vt_iter *it, vt_value *out)
{
	bool fresh = false;
	vt_value item;
	*out = VT_UNDEF;
	if (it->v[3] != VT_UNDEF) {
		vt_status st = next_children(rt, it);
		vt_clear(&it->v[3]);
		if (st != VT_OK)
			return st;
	}
	while (!fresh) {
		item = next_in_queue(it);
		if (item == VT_UNDEF)
			return VT_OK;
		it->i[2] = (it->i[2] + 1) % 64;
		vt_move(&it->v[3], item);
		VT_TRY(is_new(rt, it, item, &fresh));
	}
	return vt_query_selected(rt, it->v[2], it->v[3], out);
}

static const vt_iter_ops generate_many_ops = {
	next_generate_many, drop_past, "generator", 296, NULL};

vt_status
vt_lib_generate_many(vt_args *a, vt_value *out)
{
	vt_iter *it = vt_iter_new(a->rt, &generate_many_ops);
	vt_list *l = vt_list_grow(a->rt, VT_K_LIST, 4);
	vt_list_push(a->rt, l, vt_copy(a->v[0]));
	it->v[0] = vt_mkptr(l);
	it->v[1] = vt_copy(a->v[1]);
	it->v[2] = vt_copy(a->v[2]);
	it->p = a->v[3] == VT_TRUE ? vt_set_new(a->rt) : NULL;
	it->i[1] = a->v[4] == VT_TRUE;
	*out = vt_mkptr(it);
	return VT_OK;
}

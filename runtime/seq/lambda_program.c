/*
 * lambda_program.c - programs of lambdas (vt_lambda_program), a column at a time.
 *
 * Each step is one loop over the items, so what it costs to find out what is to be done is shared
 * by all of them.  A loop that meets something that is not for it cuts the batch there: those in
 * front are worked out to the end.
 */
#define _GNU_SOURCE
#include "runtime/seq/batch.h"

#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

enum { SCRATCH = 16 * 1024, SCRATCH_ONCE = 512 };

vt_batch *
vt_batch_new(vt_rt *rt)
{
	size_t values = (size_t)VT_BULK * VT_STEPS_MOST;
	vt_batch *s = rt->s->batch;

	if (s != NULL) {
		rt->s->batch = s->next;
		return s;
	}
	s = vt_xmalloc(sizeof *s + values * (sizeof *s->v + sizeof *s->t) + SCRATCH);
	s->rt = rt;
	s->cap = VT_BULK;
	s->t = (vt_text *)(void *)(s + 1);
	s->v = (vt_value *)(void *)(s->t + values);
	s->scratch = (char *)(s->v + values);
	s->room = SCRATCH;
	return s;
}

void
vt_batch_free(vt_batch *s)
{
	s->next = s->rt->s->batch;
	s->rt->s->batch = s;
}

void
vt_batches_drop(vt_rt *rt)
{
	for (vt_batch *s = rt->s->batch, *next; s != NULL; s = next) {
		next = s->next;
		free(s);
	}
	rt->s->batch = NULL;
}

/* ---- columns ----------------------------------------------------------------------------- */

static vt_text *
texts_of(vt_batch *s, uint32_t r)
{
	s->col[r] = NULL;
	s->chain[r] = 0;
	return s->text[r] = s->t + (size_t)r * s->cap;
}

/* A column of strings as texts; the register's own values stay. */
static const vt_text *
read_texts(vt_batch *s, uint32_t r)
{
	const vt_value *v = s->col[r];
	vt_text *t = s->t + (size_t)r * s->cap;

	if (s->text[r] != NULL)
		return s->text[r];
	s->text[r] = t;
	for (uint32_t i = 0; i < s->n; i++) {
		if (!vt_is(v[i], STR)) {
			s->n = i;
			break;
		}
		t[i] = vt_text_of(vt_as_str(v[i]));
		__builtin_prefetch(t[i].p + t[i].n);
	}
	return t;
}

static vt_value
constant(const vt_lambda_step *t)
{
	return t->heap != NULL ? vt_mkptr(t->heap) : t->k;
}

/* The right operands, step by step: 0 for a constant, which is at *k. NULL: texts. */
static const vt_value *
right_values(vt_batch *s, const vt_lambda_step *t, vt_value *k, size_t *step)
{
	*step = t->b != VT_STEP_K;
	if (*step)
		return s->col[t->b];
	*k = constant(t);
	return k;
}

/* ---- numbers and truth ------------------------------------------------------------------- */

/* On words: 2x+1 and 2y are the operands, so that the processor sees the overflow. */
#define ARITHMETIC(name, builtin, left, right, result) \
	static uint32_t name( \
		uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v) \
	{ \
		int64_t made; \
		for (uint32_t i = 0; i < n; i++, y += dy) { \
			if (!vt_both_int(x[i], *y) || builtin((int64_t)(left), right, &made)) \
				return i; \
			v[i] = (vt_value)(result); \
		} \
		return n; \
	}
ARITHMETIC(sums, __builtin_add_overflow, x[i], (int64_t)(*y - 1), made)
ARITHMETIC(differences, __builtin_sub_overflow, x[i], (int64_t)(*y - 1), made)
ARITHMETIC(products, __builtin_mul_overflow, x[i] - 1, vt_toint(*y), made + 1)

static void
arithmetic(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	size_t dy;
	vt_value k;
	const vt_value *x = s->col[t->a], *y = right_values(s, t, &k, &dy);
	vt_value *v = vt_batch_values(s, r);

	if (x == NULL || y == NULL)
		s->n = 0;
	else
		s->n = (t->op == VT_STEP_ADD   ? sums
			: t->op == VT_STEP_SUB ? differences
					       : products)(s->n, x, y, dy, v);
}

static bool
answer(unsigned op, int order)
{
	switch (op) {
	case VT_STEP_LT: return order == -1;
	case VT_STEP_LE: return order == -1 || order == 0;
	case VT_STEP_GT: return order == 1;
	}
	return order == 1 || order == 0;
}

/* False: the operator of the language has to say. */
static bool
compare(unsigned op, vt_value x, vt_value y, vt_value *v)
{
	if (vt_is_number(x) && vt_is_number(y))
		*v = vt_mkbool(answer(op, vt_num_cmp(x, y)));
	else if (vt_is(x, STR) && vt_is(y, STR))
		*v = vt_mkbool(answer(op, vt_str_cmp(vt_as_str(x), vt_as_str(y))));
	else
		return false;
	return true;
}

#define COMPARISON(name, op, sign) \
	static uint32_t name( \
		uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v) \
	{ \
		for (uint32_t i = 0; i < n; i++, y += dy) { \
			if (likely(vt_both_int(x[i], *y))) \
				v[i] = vt_mkbool((int64_t)x[i] sign(int64_t) * y); \
			else if (!compare(op, x[i], *y, &v[i])) \
				return i; \
		} \
		return n; \
	}
/* With a constant integer: whether all are integers is asked first, and then nothing else. */
static void
compare_ints(unsigned op, uint32_t n, const vt_value *x, vt_value k, vt_value *v)
{
	/* `>=` is not `<`, and `<=` is not `>`. */
	vt_value yes = vt_mkbool(op == VT_STEP_LT || op == VT_STEP_GT),
		 no = yes ^ VT_TRUE ^ VT_FALSE;

	if (op == VT_STEP_LT || op == VT_STEP_GE) {
		for (uint32_t i = 0; i < n; i++)
			v[i] = (int64_t)x[i] < (int64_t)k ? yes : no;
	} else {
		for (uint32_t i = 0; i < n; i++)
			v[i] = (int64_t)x[i] > (int64_t)k ? yes : no;
	}
}

COMPARISON(less, VT_STEP_LT, <)
COMPARISON(less_equal, VT_STEP_LE, <=)
COMPARISON(greater, VT_STEP_GT, >)
COMPARISON(greater_equal, VT_STEP_GE, >=)

static int
text_order(vt_text a, vt_text b)
{
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return c ? (c < 0 ? -1 : 1) : (a.n > b.n) - (a.n < b.n);
}

/* Is one side a text that no value holds?  Then *x and *y are the sides. */
static bool
compares_texts(vt_batch *s, const vt_lambda_step *t, const vt_text **x, const vt_text **y)
{
	if (s->col[t->a] != NULL && (t->b == VT_STEP_K || s->col[t->b] != NULL))
		return false;
	*x = read_texts(s, t->a);
	*y = t->b == VT_STEP_K ? NULL : read_texts(s, t->b);
	if (t->b == VT_STEP_K && (t->heap == NULL || !vt_is(vt_mkptr(t->heap), STR)))
		s->n = 0;
	return true;
}

static void
compare_texts(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_text *x, const vt_text *y)
{
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++) {
		int order = text_order(x[i], y != NULL ? y[i] : vt_text_of(t->heap));
		v[i] = vt_mkbool(t->op == VT_STEP_EQ   ? order == 0
				 : t->op == VT_STEP_NE ? order != 0
						       : answer(t->op, order));
	}
}

static void
comparison(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	static uint32_t (*const loops[])(uint32_t, const vt_value *, const vt_value *, size_t,
		vt_value *) = {less, less_equal, greater, greater_equal};
	const vt_text *a, *b;

	if (compares_texts(s, t, &a, &b)) {
		compare_texts(s, t, r, a, b);
	} else {
		size_t dy;
		vt_value k;
		const vt_value *x = s->col[t->a], *y = right_values(s, t, &k, &dy);
		if (dy == 0 && vt_is_int(k) && vt_all_ints(x, s->n))
			compare_ints(t->op, s->n, x, k, vt_batch_values(s, r));
		else
			s->n = loops[t->op - VT_STEP_LT](s->n, x, y, dy, vt_batch_values(s, r));
	}
}

static bool
same_text(const vt_str *x, const vt_str *y)
{
	return x == y || (x->bytes == y->bytes && memcmp(x->s, y->s, x->bytes) == 0);
}

static void
equality(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a, *b;
	const vt_value *x, *y;
	vt_value *v, k;
	size_t dy;
	bool wanted = t->op == VT_STEP_EQ;

	if (compares_texts(s, t, &a, &b)) {
		compare_texts(s, t, r, a, b);
		return;
	}
	x = s->col[t->a];
	y = right_values(s, t, &k, &dy);
	v = vt_batch_values(s, r);
	for (uint32_t i = 0; i < s->n; i++, y += dy) {
		bool same = vt_both_int(x[i], *y) ? x[i] == *y
			    : vt_is(x[i], STR) && vt_is(*y, STR)
				    ? same_text(vt_as_str(x[i]), vt_as_str(*y))
				    : vt_equal(s->rt, x[i], *y);
		v[i] = vt_mkbool(same == wanted);
	}
}

static void
negation(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = s->col[t->a];
	vt_value *v = vt_batch_values(s, r);

	if (x == NULL)
		s->n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		v[i] = vt_mkbool(!vt_is_true(x[i]));
}

/* The right side was worked out where it need not have been: that changes nothing. */
static void
junction(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = s->col[t->a], *y = s->col[t->b];
	vt_value *v = vt_batch_values(s, r), decides = vt_mkbool(t->op == VT_STEP_OR);
	uint32_t n = x == NULL || y == NULL ? 0 : s->n;

	for (uint32_t i = 0; i < n; i++) {
		if (!vt_is_bool(x[i]) || !vt_is_bool(y[i]))
			n = i;
		else
			v[i] = x[i] == decides ? x[i] : y[i];
	}
	s->n = n;
}

/* ---- lists and lengths ------------------------------------------------------------------- */

static void
length(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = s->col[t->a];
	const vt_text *texts = s->text[t->a];
	vt_value *v = vt_batch_values(s, r);
	uint32_t n = s->n;

	for (uint32_t i = 0; i < n; i++) {
		if (x == NULL)
			v[i] = vt_mkint(texts[i].points);
		else if (vt_is(x[i], STR))
			v[i] = vt_mkint(vt_as_str(x[i])->points);
		else if (vt_is_sequence(x[i]))
			v[i] = vt_mkint(vt_as_list(x[i])->n);
		else
			n = i;
	}
	s->n = n;
}

/* The sum of small integers of the list from there on, added to *sum, which is one; false: no such
 * list, or too large. */
static bool
vt_sum_small(const vt_list *l, uint32_t from, vt_value *sum)
{
	int64_t total = (int64_t)*sum, next;

	for (uint32_t i = from; i < l->n; i++) {
		if (!vt_is_int(l->v[i]) ||
			__builtin_add_overflow(total, (int64_t)(l->v[i] - 1), &next))
			return false;
		total = next;
	}
	*sum = (vt_value)total;
	return true;
}

/* Of small integers; the sum of nothing is an error. */
static void
sum(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = s->col[t->a];
	vt_value *v = vt_batch_values(s, r);
	uint32_t n = x != NULL ? s->n : 0;

	for (uint32_t i = 0; i < n; i++) {
		v[i] = vt_mkint(0);
		if (!vt_is_sequence(x[i]) || vt_as_list(x[i])->n == 0 ||
			!vt_sum_small(vt_as_list(x[i]), 0, &v[i]))
			n = i;
	}
	s->n = n;
}

/* ---- texts ------------------------------------------------------------------------------- */

/* Room for n bytes and up to VT_BLOCK more, which loops may write to; NULL: there is none. */
static char *
scratch(vt_batch *s, size_t n)
{
	return n + VT_BLOCK > s->room - s->used ? NULL : s->scratch + s->used;
}

/* Does the text lie where scratch ends, so that it can grow? */
static bool
is_last(const vt_batch *s, const vt_text *t)
{
	return t->p + t->n == s->scratch + s->used && t->p >= s->scratch;
}

static bool
concat(vt_batch *s, vt_text a, vt_text b, vt_text *out)
{
	bool grows = is_last(s, &a);
	char *to = scratch(s, (size_t)b.n + (grows ? 0 : a.n));

	if (to == NULL)
		return false;
	if (!grows) {
		vt_copy_text(to, a.p, a.n);
		s->used += a.n;
		a.p = to;
		to += a.n;
	}
	vt_copy_text(to, b.p, b.n);
	s->used += b.n;
	*out = (vt_text){a.p, a.n + b.n, a.points + b.points};
	return true;
}

static bool
concat_at(vt_batch *s, const vt_lambda_step *t, uint32_t r, uint32_t i)
{
	vt_text b = t->b == VT_STEP_K ? vt_text_of(t->heap) : s->text[t->b][i];

	return concat(s, s->text[t->a][i], b, &s->text[r][i]);
}

/* Does the step change byte by byte?  A letter's case only in ASCII: what others become takes
 * programs. */
static bool
maps_bytes(const vt_lambda_step *t)
{
	const vt_str *old = t->heap, *new = t->by;

	return t->op == VT_STEP_UPPER || t->op == VT_STEP_LOWER ||
	       (t->op == VT_STEP_REPLACE && old->bytes == 1 && new->bytes == 1);
}

static vt_bytemap
bytemap(const vt_lambda_step *t)
{
	char old, new;

	if (t->op != VT_STEP_REPLACE)
		return vt_bytemap_of(t->op == VT_STEP_UPPER ? 'a' : 'A', 26, 0x20);
	old = ((const vt_str *)t->heap)->s[0];
	new = ((const vt_str *)t->by)->s[0];
	return vt_bytemap_of(old, 1, (char)(old ^ new));
}

static inline void
map16(char *to, const char *from, const vt_bytemap *m, uint32_t k)
{
	vt_vec v = vt_vec_load(from);

	for (uint32_t i = 0; i < k; i++)
		v = vt_vec_map(v, &m[i]);
	vt_vec_store(to, v);
}

static inline __attribute__((always_inline)) void
map_blocks(char *to, const char *p, size_t n, const vt_bytemap *m, uint32_t k)
{
	for (size_t i = 0; i + VT_BLOCK < n; i += VT_BLOCK)
		map16(to + i, p + i, m, k);
	map16(to + n - VT_BLOCK, p + n - VT_BLOCK, m, k);
}

/* n bytes through k maps; nothing is written behind them.  The last block overlaps the one before.
 */
static inline void
map_bytes(char *to, const char *p, size_t n, const vt_bytemap *m, uint32_t k)
{
	char block[VT_BLOCK] = {0};

	if (n < VT_BLOCK) {
		vt_copy_text(block, p, n);
		map16(block, block, m, k);
		vt_copy_text(to, block, n);
	} else if (k == 1) {
		map_blocks(to, p, n, m, 1);
	} else if (k == 2) {
		map_blocks(to, p, n, m, 2);
	} else {
		map_blocks(to, p, n, m, k);
	}
}

static bool
changes_case(const vt_lambda_step *t)
{
	return t->op == VT_STEP_UPPER || t->op == VT_STEP_LOWER;
}

/* All of them in one go: what was just written is not read again. */
static bool
map_text(vt_batch *s, const vt_text *a, const vt_lambda_step *t, uint32_t k, vt_text *out)
{
	vt_bytemap m[VT_STEPS_MOST];
	char *to = scratch(s, a->n);

	for (uint32_t j = 0; j < k; j++) {
		m[j] = bytemap(&t[j]);
		if (changes_case(&t[j]) && a->points != a->n)
			return false;
	}
	if (to == NULL)
		return false;
	map_bytes(to, a->p, a->n, m, k);
	s->used += a->n;
	*out = (vt_text){to, a->n, a->points};
	return true;
}

static bool
put_text(vt_batch *s, const char *p, size_t n)
{
	char *to = scratch(s, n);

	if (to == NULL)
		return false;
	memcpy(to, p, n);
	s->used += n;
	return true;
}

static bool
replace_text(vt_batch *s, vt_text a, const vt_str *old, const vt_str *new, vt_text *out)
{
	const char *p = a.p, *end = a.p + a.n, *hit = memmem(p, a.n, old->s, old->bytes);
	vt_text made = {s->scratch + s->used, 0, a.points};

	*out = a;
	if (hit == NULL)
		return true;
	for (; hit != NULL; hit = memmem(p, (size_t)(end - p), old->s, old->bytes)) {
		if (!put_text(s, p, (size_t)(hit - p)) || !put_text(s, new->s, new->bytes))
			return false;
		made.points += new->points - old->points;
		p = hit + old->bytes;
	}
	if (!put_text(s, p, (size_t)(end - p)))
		return false;
	made.n = (uint32_t)(s->scratch + s->used - made.p);
	*out = made;
	return true;
}

static void
starts_or_ends(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a = read_texts(s, t->a);
	const vt_str *with = t->heap;
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++) {
		const char *p = a[i].p + (t->op == VT_STEP_ENDS ? a[i].n - with->bytes : 0);
		v[i] = vt_mkbool(a[i].n >= with->bytes && memcmp(p, with->s, with->bytes) == 0);
	}
}

static void
match(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a = s->col[t->a] == NULL ? read_texts(s, t->a) : NULL;
	uint32_t done = 0;

	if (vt_regex_texts != NULL)
		vt_regex_texts(s->rt, t->heap, t->op == VT_STEP_MATCH, s->n, s->col[t->a], a,
			vt_batch_values(s, r), &done);
	s->n = done;
}

/* ---- a program ----------------------------------------------------------------------------- */

static bool
is_text(const vt_batch *s, const vt_lambda_step *t, uint8_t r)
{
	if (r == VT_STEP_K)
		return t->heap != NULL && vt_is(vt_mkptr(t->heap), STR);
	return s->col[r] == NULL || vt_is(s->col[r][0], STR);
}

/* The first item says what a sum is; n > 0. */
static bool
makes_text(const vt_batch *s, const vt_lambda_step *t)
{
	if (t->op == VT_STEP_ADD)
		return is_text(s, t, t->a) && is_text(s, t, t->b);
	return t->op == VT_STEP_UPPER || t->op == VT_STEP_LOWER || t->op == VT_STEP_REPLACE;
}

/* The step, and those behind it that go with it; how many. 0: not for this text. */
static uint32_t
text_step(vt_batch *s, const vt_lambda_program *t, uint32_t r, uint32_t to, uint32_t i)
{
	const vt_lambda_step *x = &t->t[r];
	uint32_t k = 1;

	if (x->op == VT_STEP_ADD)
		return concat_at(s, x, r, i);
	if (!maps_bytes(x))
		return replace_text(s, s->text[x->a][i], x->heap, x->by, &s->text[r][i]);
	while (r + k < to && t->t[r + k].a == r + k - 1 && t->t[r + k].op != VT_STEP_ADD &&
		maps_bytes(&t->t[r + k]))
		k++;
	return map_text(s, &s->text[x->a][i], x, k, &s->text[r + k - 1][i]) ? k : 0;
}

/* ---- texts that are made where they stay -------------------------------------------------------
 *
 * A chain is steps each of which takes what the one before it made: a first text, others behind it,
 * changes of single bytes. How long its texts are is known without making them; where only the
 * results want them, they are written at once into the strings that they become.
 */

static uint32_t
chain_end(const vt_lambda_program *t, uint32_t from, uint32_t to)
{
	uint32_t end = from + 1;

	while (end < to && t->t[end].a == end - 1)
		end++;
	return end;
}

static bool
is_used(const vt_lambda_program *t, uint32_t r, uint32_t from)
{
	for (uint32_t i = from; i < t->n; i++)
		if (t->t[i].op != VT_STEP_ITEM && t->t[i].op != VT_STEP_CONST &&
			(t->t[i].a == r || (t->t[i].b == r && t->t[i].op >= VT_STEP_ADD)))
			return true;
	return false;
}

static bool
is_result(const vt_lambda_program *t, uint32_t r)
{
	for (uint32_t i = 0; i < t->nout; i++)
		if (t->out[i] == r)
			return true;
	return false;
}

/* The steps [from, to) are a chain that nobody looks into. */
static bool
can_wait(const vt_lambda_program *t, uint32_t from, uint32_t to)
{
	for (uint32_t r = from; r < to; r++) {
		const vt_lambda_step *x = &t->t[r];
		if (x->op == VT_STEP_ADD ? x->b != VT_STEP_K && x->b >= from : !maps_bytes(x))
			return false;
		if (is_used(t, r, r + 1 < to ? r + 2 : to) || is_result(t, r) != (r + 1 == to))
			return false;
	}
	return true;
}

/* How many of them, from the first on, do not get too long. */
static uint32_t
add_lengths(uint32_t n, vt_text *to, const vt_text *more, size_t step)
{
	for (uint32_t i = 0; i < n; i++, more += step) {
		to[i].n += more->n;
		to[i].points += more->points;
		if (to[i].n > INT32_MAX)
			return i;
	}
	return n;
}

/* How long the texts become: the batch ends in front of one that is not for the chain. */
static void
measure_chain(vt_batch *s, const vt_lambda_program *t, uint32_t from, uint32_t to)
{
	vt_text *made = s->text[to - 1];
	const vt_text *first = s->text[t->t[from].a];

	for (uint32_t i = 0; i < s->n; i++)
		made[i] = (vt_text){NULL, first[i].n, first[i].points};
	for (uint32_t r = from; r < to; r++) {
		const vt_lambda_step *x = &t->t[r];
		vt_text k = x->op == VT_STEP_ADD && x->b == VT_STEP_K ? vt_text_of(x->heap)
								      : (vt_text){NULL, 0, 0};
		const vt_text *more =
			x->op == VT_STEP_ADD && x->b != VT_STEP_K ? s->text[x->b] : &k;
		size_t step = more != &k;
		if (x->op == VT_STEP_ADD)
			s->n = add_lengths(s->n, made, more, step);
		for (uint32_t i = 0; changes_case(x) && i < s->n; i++)
			if (made[i].points != made[i].n)
				s->n = i;
	}
}

/* A chain as pieces: each goes through maps[from, nmaps). */
typedef struct text_piece {
	const vt_text *column; /* NULL: a constant */
	vt_text k;
	uint32_t from;
} text_piece;
typedef struct text_chain {
	uint32_t npieces, nmaps;
	text_piece piece[VT_STEPS_MOST + 1];
	vt_bytemap map[VT_STEPS_MOST];
} text_chain;

static void
read_chain(const vt_batch *s, const vt_lambda_program *t, uint32_t from, uint32_t to, text_chain *c)
{
	c->nmaps = 0;
	c->npieces = 1;
	c->piece[0] = (text_piece){.column = s->text[t->t[from].a]};
	for (uint32_t r = from; r < to; r++) {
		const vt_lambda_step *x = &t->t[r];
		text_piece *p = &c->piece[c->npieces];
		if (x->op != VT_STEP_ADD) {
			c->map[c->nmaps++] = bytemap(x);
			continue;
		}
		*p = (text_piece){.from = c->nmaps};
		if (x->b == VT_STEP_K)
			p->k = vt_text_of(x->heap);
		else
			p->column = s->text[x->b];
		c->npieces++;
	}
}

static inline void
write_chain(const text_chain *c, uint32_t i, char *to)
{
	for (uint32_t j = 0; j < c->npieces; j++) {
		const text_piece *p = &c->piece[j];
		const vt_text x = p->column != NULL ? p->column[i] : p->k;
		if (p->from < c->nmaps)
			map_bytes(to, x.p, x.n, c->map + p->from, c->nmaps - p->from);
		else
			vt_copy_text(to, x.p, x.n);
		to += x.n;
	}
}

/*
 * Steps from, from + 1... that make texts.  Where a chain cannot wait, they are made item by item:
 * a text that is made to its end before the next one begins grows where it is.  No register of them
 * is used twice.
 */
static uint32_t
fill_texts(vt_batch *s, const vt_lambda_program *t, uint32_t from)
{
	uint32_t to = from, end;
	bool all_wait = true;

	for (; to < t->n && s->n > 0 && makes_text(s, &t->t[to]); to++) {
		(void)read_texts(s, t->t[to].a);
		if (t->t[to].op == VT_STEP_ADD && t->t[to].b != VT_STEP_K)
			(void)read_texts(s, t->t[to].b);
		(void)texts_of(s, to);
	}
	for (uint32_t r = from; r < to && all_wait; r = end) {
		end = chain_end(t, r, to);
		all_wait = can_wait(t, r, end);
	}
	for (uint32_t r = from; r < to && all_wait; r = end) {
		end = chain_end(t, r, to);
		measure_chain(s, t, r, end);
		s->chain[end - 1] = (uint8_t)(r + 1);
	}
	for (uint32_t i = 0; to > from && !all_wait && i < s->n; i++)
		for (uint32_t k = from, done; k < to && i < s->n; k += done)
			if ((done = text_step(s, t, k, to, i)) == 0)
				s->n = i;
	return to;
}

/* A string without its bytes; in a slab those of one bulk lie side by side. */
static inline vt_str *
new_text(vt_heap *h, const vt_text *t, bool slab)
{
	uint8_t ascii = t->points == t->n ? VT_F_ASCII : 0;
	size_t size = sizeof(vt_str) + t->n + 1;
	vt_str *s = slab && size <= VT_SLAB_TEXT ? vt_text_take(h, size, ascii)
						 : vt_heap_take(h, size, VT_K_STR, ascii);

	s->bytes = t->n;
	s->points = t->points;
	s->hash = 0;
	s->s[t->n] = '\0';
	return s;
}

void
vt_make_texts(vt_batch *s, const vt_lambda_program *t, uint8_t r, uint32_t n, bool slab)
{
	vt_value *own = s->v + (size_t)r * s->cap;
	const vt_text *text = s->text[r];
	vt_heap *h = s->rt->s->heap;
	text_chain c;

	if (s->chain[r] != 0)
		read_chain(s, t, s->chain[r] - 1u, r + 1u, &c);
	for (uint32_t i = 0; i < n; i++) {
		vt_str *x = new_text(h, &text[i], slab && n >= FEW_ROWS);
		if (s->chain[r] != 0)
			write_chain(&c, i, x->s);
		else
			vt_copy_text(x->s, text[i].p, text[i].n);
		own[i] = vt_mkptr(x);
	}
	s->col[r] = own;
}

static void
constants(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++)
		v[i] = constant(t);
}

static void
step(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_value *items,
	const vt_value *others)
{
	switch ((enum vt_lambda_step_op)t->op) {
	case VT_STEP_ITEM:
		s->col[r] = t->a ? others : items;
		s->text[r] = NULL;
		return;
	case VT_STEP_CONST: constants(s, t, r); return;
	case VT_STEP_ATTR: vt_batch_member(s, t, r); return;
	case VT_STEP_INDEX: vt_batch_index(s, t, r); return;
	case VT_STEP_ADD:
	case VT_STEP_SUB:
	case VT_STEP_MUL: arithmetic(s, t, r); return;
	case VT_STEP_LT:
	case VT_STEP_LE:
	case VT_STEP_GT:
	case VT_STEP_GE: comparison(s, t, r); return;
	case VT_STEP_EQ:
	case VT_STEP_NE: equality(s, t, r); return;
	case VT_STEP_NOT: negation(s, t, r); return;
	case VT_STEP_AND:
	case VT_STEP_OR: junction(s, t, r); return;
	case VT_STEP_LEN: length(s, t, r); return;
	case VT_STEP_SUM: sum(s, t, r); return;
	case VT_STEP_STARTS:
	case VT_STEP_ENDS: starts_or_ends(s, t, r); return;
	case VT_STEP_MATCH:
	case VT_STEP_UNMATCH: match(s, t, r); return;
	case VT_STEP_UPPER:
	case VT_STEP_LOWER:
	case VT_STEP_REPLACE: break; /* fill_texts */
	}
	s->n = 0;
}

static uint32_t
fill(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items,
	const vt_value *others)
{
	s->given[0] = items;
	s->given[1] = others;
	s->n = n;
	s->used = 0;
	for (uint32_t r = 0; r < t->n && s->n > 0;) {
		uint32_t next = fill_texts(s, t, r);
		if (next == r && s->n > 0) {
			step(s, &t->t[r], r, items, others);
			next++;
		}
		r = next;
	}
	return s->n;
}

/*
 * Works the program out for items[0, n), n <= cap; `others` are the $2 that go with them, or NULL.
 * The number of items, from the first one on, that the program was for.
 */
static uint32_t
vt_batch_fill(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items,
	const vt_value *others)
{
	return vt_batch_fill_known(s, t, n, items, others, NULL, NULL);
}

uint32_t
vt_batch_fill_known(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items,
	const vt_value *others, const void *shape, const void *other_shape)
{
	s->behind = 0;
	s->known[0] = shape;
	s->known[1] = other_shape;
	return fill(s, t, n, items, others);
}

uint32_t
vt_batch_fill_list(
	vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items, uint32_t behind)
{
	s->behind = behind;
	s->known[0] = s->known[1] = NULL;
	return fill(s, t, n, items, NULL);
}

bool
vt_batch_true(const vt_batch *s, const vt_lambda_program *t, uint32_t i)
{
	uint8_t r = t->out[0];

	if (t->kind != VT_PROGRAM_VALUE)
		return t->nout > 0;
	return s->col[r] != NULL ? vt_is_true(s->col[r][i]) : s->text[r][i].n > 0;
}

/* ---- where programs may be used ------------------------------------------------------------ */

bool
vt_lambda_program_usable(vt_rt *rt, const vt_code *code, const vt_scope *sc)
{
	if (rt->s->host_hides || vt_metered(rt))
		return false;
	return !code->program->calls ||
	       (code->unit->opt.limit_iterators < 0 && !vt_scope_defines(sc));
}

bool
vt_lambda_program_once(
	vt_rt *rt, const vt_code *code, const vt_scope *sc, const vt_value *args, vt_value *out)
{
	vt_value v[VT_STEPS_MOST];
	vt_text t[VT_STEPS_MOST];
	char room[SCRATCH_ONCE];
	vt_batch s;

	if (vt_metered(rt) || (code->program->calls && !vt_lambda_program_usable(rt, code, sc)))
		return false;
	s.rt = rt;
	s.cap = 1;
	s.v = v;
	s.t = t;
	s.scratch = room;
	s.room = sizeof room;
	return vt_batch_fill(&s, code->program, 1, args, args + 1) == 1 &&
	       vt_batch_make(&s, code->program, 1, out, NULL) == 1;
}

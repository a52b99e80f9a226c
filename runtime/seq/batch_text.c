/*
 * batch_text.c - steps of lambda programs that make texts, or look into them.
 *
 * Texts are measured first and written once, into their string: a chain of steps that make a text
 * is written when the string that takes it is there.
 */
#define _GNU_SOURCE
#include "runtime/seq/batch.h"

#include "runtime/core/blocks.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"

/* ---- columns ----------------------------------------------------------------------------- */

static vt_text *
texts_of(vt_batch *s, uint32_t r)
{
	s->col[r] = NULL;
	s->chain[r] = 0;
	return s->text[r] = s->t + (size_t)r * s->cap;
}

/* A column of strings as texts; the register's own values stay. */
const vt_text *
vt_batch_texts(vt_batch *s, uint32_t r)
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

/* ---- texts ------------------------------------------------------------------------------- */

/* Room for n bytes and VT_OVER more, which may be written to; NULL: there is none. */
static char *
scratch(vt_batch *s, size_t n)
{
	return n + VT_OVER > s->room - s->used ? NULL : s->scratch + s->used;
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
		vt_copy_over(to, a.p, a.n);
		s->used += a.n;
		a.p = to;
		to += a.n;
	}
	vt_copy_over(to, b.p, b.n);
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

static bool
changes_case(const vt_lambda_step *t)
{
	return t->op == VT_STEP_UPPER || t->op == VT_STEP_LOWER;
}

/* A letter's case beyond ASCII. */
static bool
map_letters(vt_batch *s, vt_text a, const vt_lambda_step *t, vt_text *out)
{
	char *to = scratch(s, (size_t)a.n * VT_CASE_GROWTH), *end;

	if (to == NULL)
		return false;
	end = vt_change_case(t->op == VT_STEP_UPPER, a.p, a.n, to);
	*out = (vt_text){to, (uint32_t)(end - to), 0};
	s->used += out->n;
	out->points = vt_points(to, out->n);
	return true;
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
	vt_map_over(to, a->p, a->n, m, k);
	s->used += a->n;
	*out = (vt_text){to, a->n, a->points};
	return true;
}

/* The pieces between the places where it stands, and what stands for it, are written behind each
 * other. */
static bool
replace_text(vt_batch *s, vt_text a, const vt_str *old, const vt_str *new, vt_text *out)
{
	const char *p = a.p, *end = p + a.n, *hit = vt_find(p, a.n, old->s, old->bytes);
	char *to = s->scratch + s->used;
	uint32_t points = a.points;

	*out = a;
	if (hit == NULL)
		return true;
	for (; hit != NULL; hit = vt_find(p, (size_t)(end - p), old->s, old->bytes)) {
		if ((size_t)(end - p) + new->bytes + 2 * VT_OVER >
			(size_t)(s->scratch + s->room - to))
			return false;
		vt_copy_over(to, p, (size_t)(hit - p));
		to += hit - p;
		vt_copy_over(to, new->s, new->bytes);
		to += new->bytes;
		points += new->points - old->points;
		p = hit + old->bytes;
	}
	vt_copy_over(to, p, (size_t)(end - p));
	to += end - p;
	*out = (vt_text){s->scratch + s->used, 0, points};
	out->n = (uint32_t)(to - out->p);
	s->used += out->n;
	return true;
}

void
vt_batch_starts_or_ends(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a = vt_batch_texts(s, t->a);
	const vt_str *with = t->heap;
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++) {
		const char *p = a[i].p + (t->op == VT_STEP_ENDS ? a[i].n - with->bytes : 0);
		v[i] = vt_mkbool(a[i].n >= with->bytes && vt_same_bytes(p, with->s, with->bytes));
	}
}

void
vt_batch_match(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a = s->col[t->a] == NULL ? vt_batch_texts(s, t->a) : NULL;
	uint32_t done = 0;

	if (vt_regex_texts != NULL)
		vt_regex_texts(s->rt, t->heap, t->op == VT_STEP_MATCH, s->n, s->col[t->a], a,
			vt_batch_values(s, r), &done);
	s->n = done;
}

/* The spans of the matches lie in `scratch`, where s->made[r] says; no value is owned. */
void
vt_batch_find(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a = vt_batch_texts(s, t->a);
	vt_value *v = vt_batch_values(s, r);
	size_t at = (s->used + 3) & ~(size_t)3, size = (size_t)s->n * t->c * 2 * sizeof(uint32_t);
	uint32_t *spans;

	if (vt_regex_spans == NULL || at + size + VT_OVER > s->room) {
		s->n = 0;
		return;
	}
	spans = (uint32_t *)(void *)(s->scratch + at);
	s->used = at + size;
	s->made[r] = (uint32_t)at;
	s->n = vt_regex_spans(s->rt, t->heap, vt_toint(t->k), s->n, a, t->c, spans);
	for (uint32_t i = 0; i < s->n; i++, spans += 2 * t->c)
		v[i] = vt_mkbool(spans[0] != VT_SPAN_NONE);
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
	if (t->flags & (VT_STEP_SOFT | VT_STEP_PLAIN))
		return false;
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
	if (s->text[x->a][i].points != s->text[x->a][i].n)
		return changes_case(x) ? map_letters(s, s->text[x->a][i], x, &s->text[r][i])
				       : map_text(s, &s->text[x->a][i], x, 1, &s->text[r][i]);
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
is_argument(const vt_lambda_step *x, uint32_t r)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->args[i] == r)
			return true;
	return x->guard == r || (x->c == r && (x->op == VT_STEP_CHOOSE || x->op == VT_STEP_NEST));
}

static bool
is_used(const vt_lambda_program *t, uint32_t r, uint32_t from)
{
	for (uint32_t i = from; i < t->n; i++)
		if (is_argument(&t->t[i], r))
			return true;
		else if (t->t[i].op != VT_STEP_ITEM && t->t[i].op != VT_STEP_CONST &&
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

/* How long the texts become.  False: some change their length. */
static bool
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
				return false;
	}
	return true;
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

/* over: behind it VT_OVER bytes may be written. */
static inline void
put_piece(char *to, vt_text x, bool over)
{
	if (over)
		vt_copy_over(to, x.p, x.n);
	else
		vt_copy_text(to, x.p, x.n);
}

static inline void
write_chain(const text_chain *c, uint32_t i, char *to, bool over)
{
	for (uint32_t j = 0; j < c->npieces; j++) {
		const text_piece *p = &c->piece[j];
		const vt_text x = p->column != NULL ? p->column[i] : p->k;
		if (p->from == c->nmaps)
			put_piece(to, x, over);
		else if (over)
			vt_map_over(to, x.p, x.n, c->map + p->from, c->nmaps - p->from);
		else
			vt_map_bytes(to, x.p, x.n, c->map + p->from, c->nmaps - p->from);
		to += x.n;
	}
}

/* A text that is made to its end before the next one begins grows where it is. */
static void
make_by_item(vt_batch *s, const vt_lambda_program *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t k = from, done; k < to && i < s->n; k += done)
			if ((done = text_step(s, t, k, to, i)) == 0)
				s->n = i;
}

/* A text is read again when the others have been written: not while its own bytes are on their way
 * to memory, which the processor would wait for.  Changes of bytes go together. */
static void
make_by_step(vt_batch *s, const vt_lambda_program *t, uint32_t from, uint32_t to)
{
	for (uint32_t k = from, end; k < to; k = end) {
		end = k + 1;
		while (maps_bytes(&t->t[k]) && end < to && maps_bytes(&t->t[end]))
			end++;
		make_by_item(s, t, k, end);
	}
}

/*
 * Steps from, from + 1... that make texts, up to one of `without`.  Where a chain cannot wait, they
 * are made one by one.  No register of them is used twice.
 */
uint32_t
vt_batch_fill_texts(vt_batch *s, const vt_lambda_program *t, uint32_t from, uint64_t without)
{
	uint32_t to = from, end;
	bool all_wait = true, grows = false;

	for (; to < t->n && s->n > 0 && !(without >> to & 1) && makes_text(s, &t->t[to]); to++) {
		(void)vt_batch_texts(s, t->t[to].a);
		if (t->t[to].op == VT_STEP_ADD && t->t[to].b != VT_STEP_K)
			(void)vt_batch_texts(s, t->t[to].b);
		(void)texts_of(s, to);
		grows |= t->t[to].op == VT_STEP_ADD;
	}
	for (uint32_t r = from; r < to && all_wait; r = end) {
		end = chain_end(t, r, to);
		all_wait = can_wait(t, r, end);
	}
	for (uint32_t r = from; r < to && all_wait; r = end) {
		end = chain_end(t, r, to);
		all_wait = measure_chain(s, t, r, end);
		s->chain[end - 1] = (uint8_t)(r + 1);
	}
	for (uint32_t r = from; r < to && !all_wait; r++)
		s->chain[r] = 0;
	if (!all_wait && grows)
		make_by_item(s, t, from, to);
	else if (!all_wait)
		make_by_step(s, t, from, to);
	return to;
}

/* A string without its bytes; *slab: it lies in one, where those of one bulk are side by side. */
static inline vt_str *
new_text(vt_heap *h, const vt_text *t, bool *slab)
{
	uint8_t ascii = t->points == t->n ? VT_F_ASCII : 0;
	size_t size = sizeof(vt_str) + t->n + 1;
	vt_str *s;

	*slab &= size <= VT_SLAB_TEXT;
	if (*slab) {
		s = vt_text_take(h, size, ascii);
	} else {
		vt_ask_cells(h, size);
		s = vt_heap_take(h, size, VT_K_STR, ascii);
	}
	s->bytes = t->n;
	s->points = t->points;
	s->hash = 0;
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
		bool over = slab && n >= FEW_ROWS;
		vt_str *x = new_text(h, &text[i], &over);
		if (s->chain[r] != 0)
			write_chain(&c, i, x->s, over);
		else
			put_piece(x->s, text[i], over);
		x->s[text[i].n] = '\0';
		own[i] = vt_mkptr(x);
	}
	s->col[r] = own;
}

/* ---- parts of texts ---- */

static const char *
next_hit(const char *p, const char *end, const vt_str *by)
{
	return by->bytes == 1 ? vt_find_byte(p, (size_t)(end - p), by->s[0])
			      : vt_find(p, (size_t)(end - p), by->s, by->bytes);
}

/* Behind the last one; the beginning, where there is none. */
static const char *
behind_last(const char *p, const char *end, const vt_str *by)
{
	if (by->bytes == 1) {
		const char *hit = memrchr(p, by->s[0], (size_t)(end - p));
		return hit != NULL ? hit + 1 : p;
	}
	for (const char *hit; (hit = next_hit(p, end, by)) != NULL;)
		p = hit + by->bytes;
	return p;
}

/* Behind the k-th; NULL: there are not so many. */
static const char *
behind_hits(const char *p, const char *end, const vt_str *by, int64_t k)
{
	for (; k > 0 && p != NULL; k--) {
		p = next_hit(p, end, by);
		p = p != NULL ? p + by->bytes : NULL;
	}
	return p;
}

/* Of ASCII, or whole: code points are not counted here.  False: the call has to be made. */
static bool
piece_of(vt_text a, const vt_lambda_step *t, vt_text *out)
{
	const vt_str *by = t->heap;
	int64_t k = vt_toint(t->k);
	const char *end = a.p + a.n, *hit = NULL,
		   *p = k < 0 ? behind_last(a.p, end, by) : behind_hits(a.p, end, by, k);

	if (p == NULL)
		return false;
	if (k >= 0)
		hit = next_hit(p, end, by);
	*out = (vt_text){p, (uint32_t)((hit != NULL ? hit : end) - p), 0};
	return true;
}

/* Pieces, and what is between them: where they lie. */
static void
span_of(vt_text a, const vt_lambda_step *t, vt_text *out)
{
	const vt_str *by = t->heap;
	const char *end = a.p + a.n, *p = behind_hits(a.p, end, by, vt_toint(t->k)), *to = NULL;

	if (p == NULL || t->c == 0) {
		*out = (vt_text){end, 0, 0};
		return;
	}
	if (t->c != VT_STEP_K)
		to = behind_hits(p, end, by, t->c);
	*out = (vt_text){p, (uint32_t)((to != NULL ? to - by->bytes : end) - p), 0};
}

static int64_t
pieces_in(vt_text a, const vt_str *by)
{
	const char *p = a.p, *end = p + a.n;
	int64_t n = 0;

	for (; p != NULL; n++)
		p = behind_hits(p, end, by, 1);
	return n;
}

static void
count_pieces(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a = vt_batch_texts(s, t->a);
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++)
		v[i] = vt_mkint(pieces_in(a[i], t->heap));
}

void
vt_batch_pieces(vt_batch *s, uint32_t r, const vt_value *of, const vt_str *by, int64_t k)
{
	const vt_lambda_step piece = {.heap = by, .k = vt_mkint(k)};
	vt_value *v = vt_batch_values(s, r);
	vt_text *to = k < 0 ? NULL : texts_of(s, r);

	for (uint32_t i = 0; i < s->n; i++) {
		const vt_str *text = vt_as_str(of[i]);
		if (!vt_is(of[i], STR)) {
			s->n = i;
		} else if (k < 0) {
			v[i] = vt_mkint(pieces_in(vt_text_of(text), by));
		} else if (!piece_of(vt_text_of(text), &piece, &to[i])) {
			s->n = i;
		} else {
			to[i].points = to[i].n;
			if (text->points != text->bytes)
				to[i].points = vt_points(to[i].p, to[i].n);
		}
	}
}

static const char *
skip_points(const char *p, const char *end, uint64_t n)
{
	for (; p < end && n > 0; n--)
		do
			p++;
		while (p < end && ((unsigned char)*p & 0xc0) == 0x80);
	return p;
}

static void
part_of(vt_text a, const vt_lambda_step *t, vt_text *out)
{
	uint64_t from = (uint64_t)vt_toint(t->k), n;

	if (a.points != a.n) {
		const char *p = skip_points(a.p, a.p + a.n, from),
			   *end = t->c == VT_STEP_K ? a.p + a.n : skip_points(p, a.p + a.n, t->c);
		*out = (vt_text){p, (uint32_t)(end - p), 0};
		return;
	}
	if (from > a.n)
		from = a.n;
	n = a.n - from;
	if (t->c != VT_STEP_K && n > t->c)
		n = t->c;
	*out = (vt_text){a.p + from, (uint32_t)n, 0};
}

static bool
is_blank(const char *p)
{
	return vt_is_space(vt_utf8_next(&p));
}

/* Where the last code point begins. */
static const char *
last_point(vt_text a)
{
	const char *p = a.p + a.n - 1;

	while (p > a.p && ((unsigned char)*p & 0xc0) == 0x80)
		p--;
	return p;
}

static void
trimmed(vt_text a, vt_text *out)
{
	const char *p;

	while (a.n > 0 && is_blank(p = last_point(a)))
		a.n = (uint32_t)(p - a.p);
	while (a.n > 0 && is_blank(a.p)) {
		p = a.p;
		(void)vt_utf8_next(&p);
		a.n -= (uint32_t)(p - a.p);
		a.p = p;
	}
	*out = a;
}

/* Is `by` one of the pieces? */
static bool
has_piece(vt_text a, const vt_str *sep, const vt_str *by)
{
	const char *p = a.p, *end = a.p + a.n;

	for (;;) {
		const char *hit = vt_find(p, (size_t)(end - p), by->s, by->bytes), *next;
		if (hit == NULL)
			return false;
		next = hit + by->bytes;
		if ((hit == a.p || ((size_t)(hit - a.p) >= sep->bytes &&
					   memcmp(hit - sep->bytes, sep->s, sep->bytes) == 0)) &&
			(next == end || ((size_t)(end - next) >= sep->bytes &&
						memcmp(next, sep->s, sep->bytes) == 0)))
			return true;
		p = hit + 1;
	}
}

static void
search_pieces(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a = vt_batch_texts(s, t->a);
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++)
		v[i] = vt_mkbool(has_piece(a[i], t->heap, t->by));
}

/* What the step that searches has found. */
static const uint32_t *
spans_of(const vt_batch *s, const vt_lambda_step *t, uint32_t i)
{
	const uint32_t *at = (const uint32_t *)(const void *)(s->scratch + s->made[t->a]);

	return at + (size_t)i * s->program->t[t->a].c * 2;
}

/* What the group holds: false where the match has no such group. */
static bool
group_of(const vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_text *out)
{
	const uint32_t *at = spans_of(s, t, i);
	vt_text a = s->text[s->program->t[t->a].a][i];

	if (at[0] == VT_SPAN_NONE) {
		*out = (vt_text){a.p, 0, 0};
		return true;
	}
	at += 2 * vt_toint(t->k);
	if (at[0] == VT_SPAN_NONE)
		return false;
	*out = (vt_text){a.p + at[0], at[1] - at[0], at[1] - at[0]};
	if (a.points != a.n)
		out->points = vt_points(out->p, out->n);
	return true;
}

/* Has the match no such group? */
static bool
is_unset(const vt_batch *s, const vt_lambda_step *t, uint32_t i)
{
	const uint32_t *spans = spans_of(s, t, i);

	return spans[0] != VT_SPAN_NONE && spans[2 * vt_toint(t->k)] == VT_SPAN_NONE;
}

/* As values, for steps that are done for some items only, and where a group may be null. */
static void
group_values(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r);
	uint32_t i, from = s->at;
	vt_text x;

	vt_batch_own(s, r);
	for (i = 0; i < s->n; i++) {
		if (!vt_step_counts(s, t, i))
			break;
		if (is_unset(s, t, from + i))
			v[i] = VT_NULL;
		else if (group_of(s, t, from + i, &x))
			v[i] = vt_str_new(s->rt, x.p, x.n);
		else
			break;
	}
	s->n = i;
}

static void
groups(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	bool values = (t->flags & VT_STEP_SOFT) != 0;
	uint32_t i, from = s->at;
	vt_text *to;

	for (i = 0; i < s->n && !values; i++)
		values = is_unset(s, t, from + i);
	if (values) {
		group_values(s, t, r);
		return;
	}
	to = texts_of(s, r);
	for (i = 0; i < s->n; i++)
		if (!vt_step_counts(s, t, i) || !group_of(s, t, from + i, &to[i]))
			break;
	s->n = i;
}

/* The text of a value in `scratch`, as str() or (c) as format() writes it. */
static bool
written(vt_batch *s, const vt_lambda_step *t, vt_value v, vt_buf *b, vt_text *out)
{
	char digits[VT_INT_TEXT], *end = digits + sizeof digits, *to;
	const char *p;
	size_t n;

	if (vt_is(v, STR)) {
		*out = vt_text_of(vt_as_str(v));
		return true;
	}
	if (vt_is_int(v)) {
		p = vt_int_digits(end, vt_toint(v));
		n = (size_t)(end - p);
	} else if (v == VT_UNDEF || v == VT_NOVALUE || (t->c && !vt_is(v, FLOAT)) ||
		   (vt_is_ptr(v) && vt_head_of(v)->kind > VT_K_STR)) {
		return false;
	} else {
		b->n = 0;
		vt_yaqlstr(s->rt, b, v);
		p = b->p;
		n = b->n;
	}
	if ((to = scratch(s, n)) == NULL)
		return false;
	vt_copy_text(to, p, n);
	s->used += n;
	*out = (vt_text){to, (uint32_t)n, (uint32_t)n};
	return true;
}

static void
write_texts(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *v = vt_batch_from(s, t->a);
	const vt_text *a = v == NULL ? vt_batch_texts(s, t->a) : NULL;
	vt_text *to = texts_of(s, r);
	vt_buf b = {0};
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		if (a != NULL)
			to[i] = a[i];
		else if (!written(s, t, v[i], &b, &to[i]))
			break;
	}
	vt_buf_free(&b);
	s->n = i;
}

void
vt_batch_part(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	if (t->op == VT_STEP_STR) {
		write_texts(s, t, r);
		return;
	}
	if (t->op == VT_STEP_GROUP) {
		groups(s, t, r);
		return;
	}
	if (t->op == VT_STEP_PIECE && t->by != NULL) {
		search_pieces(s, t, r);
		return;
	}
	if (t->op == VT_STEP_PIECES) {
		count_pieces(s, t, r);
		return;
	}
	const vt_text *a = vt_batch_texts(s, t->a);
	vt_text *to = texts_of(s, r);
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		if (t->op == VT_STEP_PIECE && !piece_of(a[i], t, &to[i]))
			break;
		if (t->op == VT_STEP_SPAN)
			span_of(a[i], t, &to[i]);
		else if (t->op == VT_STEP_PART)
			part_of(a[i], t, &to[i]);
		else if (t->op == VT_STEP_TRIM)
			trimmed(a[i], &to[i]);
		to[i].points = to[i].n;
		if (a[i].points != a[i].n)
			to[i].points = vt_points(to[i].p, to[i].n);
	}
	s->n = i;
}

/* ---- characters in the other order ---- */

/* The characters in the last eight bytes of a text, the last one first: so many bytes of *w, where
 * the last byte comes lowest.  0: one of them has more than two bytes.  Where characters of one
 * byte and of two take turns nobody can foretell, so no branch asks. */
static inline size_t
turn_block(uint64_t *w)
{
	const uint64_t TOP = UINT64_C(0x8080808080808080);
	uint64_t behind = *w & ~(*w << 1) & TOP, lead = *w & (*w << 1) & TOP;
	uint64_t leads = (lead >> 7) * 0xff, pairs = leads | leads >> 8;

	if (unlikely((behind & behind << 8) != 0))
		return 0;
	*w = (*w & ~pairs) | (*w & leads) >> 8 | (*w << 8 & leads);
	return 8 - (behind >> 63); /* the first byte of that one is not among them */
}

/* The last of the text's characters; how many bytes it has. */
static size_t
turn_character(const char *end, char *to)
{
	size_t n = 1;

	while ((end[-(ptrdiff_t)n] & 0xc0) == 0x80)
		n++;
	for (size_t i = 0; i < n; i++)
		to[i] = end[-(ptrdiff_t)n + (ptrdiff_t)i];
	return n;
}

vt_value
vt_text_turned(vt_rt *rt, const vt_str *x)
{
	size_t left, done;
	uint64_t w;
	char *to;
	vt_value made = vt_str_room(rt, x->bytes, x->points, &to);

	for (left = x->bytes; left > 8; left -= done, to += done) {
		w = __builtin_bswap64(vt_load8(x->s + left - 8));
		done = turn_block(&w);
		if (done > 0)
			vt_store8(to, w);
		else
			done = turn_character(x->s + left, to);
	}
	/* Of the last ones: the bytes in front of the text belong to its head. */
	w = __builtin_bswap64(vt_load8(x->s + left - 8));
	if (left > 0) {
		w &= UINT64_MAX >> (64 - 8 * left);
		if (turn_block(&w) > 0) {
			uint64_t mask = (UINT64_MAX >> 8 * (left - 1)) >> 8;
			char *at = to + left - 8;
			vt_store8(at, (vt_load8(at) & mask) | w << (64 - 8 * left));
			return made;
		}
	}
	for (; left > 0; left -= done, to += done)
		done = turn_character(x->s + left, to);
	return made;
}

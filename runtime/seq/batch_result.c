/*
 * batch_result.c - what a lambda program has worked out for a batch, as values: rows, lists and
 * dicts.
 */
#include "runtime/seq/batch.h"
#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include <stdlib.h>

/* Numbers, texts, truth values and nulls, and what a document has where it may be shared? */
static bool
are_plain(const vt_value *v, uint32_t n, const vt_output *o)
{
	for (uint32_t i = 0; i < n; i++)
		if (vt_is_ptr(v[i]) && vt_head_of(v[i])->kind > VT_K_STR &&
			!(o->shares && vt_is_of_document(v[i])))
			return false;
	return true;
}

/* *final: nothing in them is left to be worked out. */
static void
retain_column(const vt_value *v, uint32_t n, bool *final)
{
	for (uint32_t i = 0; i < n; i++) {
		vt_head *h = vt_head_of(v[i]);
		if (!vt_is_ptr(v[i]))
			continue;
		if (h->rc < VT_IMMORTAL)
			h->rc++;
		if (unlikely(h->kind > VT_K_STR))
			*final = *final && vt_is_final(v[i]);
	}
}

/* The results as columns that rows take their members from. */
typedef struct columns {
	const vt_value *v[VT_STEPS_MOST];
	bool plain, final, borrowed;
} columns;

/* A register that comes twice is borrowed the second time. */
static void
take_columns(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_output *o, columns *c)
{
	bool texts = false, plain = o != NULL, owned[VT_STEPS_MOST];

	c->final = true;
	for (uint32_t k = 0; k < t->nout; k++) {
		uint8_t r = t->out[k];
		owned[k] = s->col[r] == NULL;
		texts |= owned[k];
		if (owned[k])
			vt_make_texts(s, t, r, n, false);
		c->v[k] = s->col[r];
		owned[k] = owned[k] || (vt_is_int(c->v[k][0]) && vt_all_ints(c->v[k], n));
		plain = plain && (owned[k] || are_plain(c->v[k], n, o));
	}
	c->plain = plain;
	c->borrowed = c->plain && !texts && o->from[0] != NULL && n >= FEW_ROWS && !t->mixed &&
		      s->owns == 0;
	for (uint32_t k = 0; k < t->nout && !c->borrowed; k++)
		if (!owned[k])
			retain_column(c->v[k], n, &c->final);
}

/* The rows without their members. */
static void
take_rows(vt_batch *s, const columns *c, const vt_output *o, vt_head head, size_t size, uint32_t n,
	vt_value *out)
{
	vt_heap *h = s->rt->s->heap;

	if (c->borrowed)
		vt_rows_take(h, vt_borrowing_of(h, o->from[0], o->from[1]), (uint32_t)size, head, n,
			out);
	else
		vt_heap_take_many(h, size, head.kind, head.flags, n, out);
}

/* The first of the records is made to find it. */
vt_shape *
vt_batch_shape(vt_batch *s, const vt_lambda_program *t)
{
	vt_ic *ic = vt_ic_at(s->rt, t->ic);
	vt_value pairs[2 * VT_STEPS_MOST], v = VT_UNDEF;

	if (ic->key == NULL) {
		for (uint32_t k = 0; k < t->nout; k++) {
			pairs[2 * k] = vt_mkptr(t->keys[k]);
			pairs[2 * k + 1] = VT_NULL;
		}
		if (vt_record_of(s->rt, ic, t->nout, pairs, &v) != VT_OK)
			vt_exc_clear(s->rt);
		vt_release(v);
	}
	return (vt_shape *)(uintptr_t)ic->key;
}

/* The rows' members, column by column: m is known where it is small. */
static inline __attribute__((always_inline)) void
fill_rows(uint32_t m, const vt_value *const *column, uint32_t n, size_t at, const vt_value *row)
{
	for (uint32_t i = 0; i < n; i++) {
		vt_value *to = (vt_value *)(void *)((char *)(uintptr_t)row[i] + at);
		for (uint32_t k = 0; k < m; k++)
			to[k] = column[k][i];
	}
}

static void
fill_members(uint32_t m, const vt_value *const *column, uint32_t n, size_t at, const vt_value *row)
{
	switch (m) {
	case 1: fill_rows(1, column, n, at, row); return;
	case 2: fill_rows(2, column, n, at, row); return;
	case 3: fill_rows(3, column, n, at, row); return;
	case 4: fill_rows(4, column, n, at, row); return;
	}
	fill_rows(m, column, n, at, row);
}

static uint32_t
make_records(vt_batch *s, const vt_lambda_program *t, uint32_t n, vt_value *out, vt_output *o)
{
	vt_head head = {.rc = 1, .kind = VT_K_DICT};
	vt_shape *shape = vt_batch_shape(s, t);
	uint32_t m = t->nout;
	columns c;

	if (shape == NULL)
		return 0;
	take_columns(s, t, n, o, &c);
	head.flags = c.plain ? 0 : VT_F_FROZEN | (c.final ? VT_F_FINAL : 0);
	take_rows(s, &c, o, head, sizeof(vt_dict) + m * sizeof(vt_value), n, out);
	for (uint32_t i = 0; i < n; i++) {
		vt_dict *d = vt_as_dict(out[i]);
		d->shape = shape;
		d->n = d->cap = m;
		d->v = d->inl;
	}
	fill_members(m, c.v, n, sizeof(vt_dict), out);
	if (o != NULL)
		o->plain = c.plain;
	return n;
}

static void
make_lists(vt_batch *s, const vt_lambda_program *t, uint32_t n, vt_value *out, vt_output *o)
{
	vt_head head = {.rc = 1, .kind = VT_K_LIST};
	uint32_t m = t->nout;
	columns c;

	take_columns(s, t, n, o, &c);
	if (!c.plain)
		head.kind = VT_K_TUPLE, head.flags = c.final ? VT_F_FINAL : 0;
	take_rows(s, &c, o, head, sizeof(vt_list) + m * sizeof(vt_value), n, out);
	for (uint32_t i = 0; i < n; i++) {
		vt_list *l = vt_as_list(out[i]);
		l->n = l->cap = m;
		l->v = l->inl;
	}
	fill_members(m, c.v, n, sizeof(vt_list), out);
	if (o != NULL)
		o->plain = c.plain;
}

/* Has the register values of its own, which nobody asks for again? They are its no more. */
static bool
gives_away(vt_batch *s, uint32_t r, uint32_t n)
{
	if (!(s->owns >> r & 1) || s->made[r] != n || s->at != 0 ||
		s->col[r] != s->v + (size_t)r * s->cap)
		return false;
	s->owns &= ~(UINT64_C(1) << r);
	return true;
}

static void
make_values(vt_batch *s, const vt_lambda_program *t, uint32_t n, vt_value *out, vt_output *o)
{
	bool texts = s->col[t->out[0]] == NULL, final = true, ints;
	const vt_value *v;
	uint8_t r = t->out[0];

	if (texts)
		vt_make_texts(s, t, r, n, o != NULL);
	v = s->col[r];
	ints = vt_is_int(v[0]) && vt_all_ints(v, n);
	if (!texts && !ints && !gives_away(s, r, n))
		retain_column(v, n, &final);
	memcpy(out, v, n * sizeof *out);
	if (o != NULL)
		o->plain = texts || ints || are_plain(v, n, o);
}

/* They are there, and that is all. */
static uint32_t
make_nothing(vt_batch *s, const vt_lambda_program *t, uint32_t n, vt_value *out)
{
	if (t->kind == VT_PROGRAM_RECORD && vt_batch_shape(s, t) == NULL)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		out[i] = VT_NULL;
	return n;
}

uint32_t
vt_batch_make(vt_batch *s, const vt_lambda_program *t, uint32_t n, vt_value *out, vt_output *o)
{
	if (o != NULL && o->counts)
		return make_nothing(s, t, n, out);
	switch ((enum vt_lambda_program_kind)t->kind) {
	case VT_PROGRAM_VALUE: make_values(s, t, n, out, o); return n;
	case VT_PROGRAM_RECORD: return make_records(s, t, n, out, o);
	case VT_PROGRAM_LIST: make_lists(s, t, n, out, o); return n;
	}
	return 0;
}

const vt_value *
vt_batch_results(vt_batch *s, const vt_lambda_program *t, uint32_t *n)
{
	uint8_t r = t->kind == VT_PROGRAM_VALUE ? t->out[0] : VT_STEPS_MOST;
	vt_value *own = s->v + (size_t)r * s->cap;

	if (t->kind == VT_PROGRAM_VALUE && s->col[r] != NULL)
		return s->col[r];
	if (t->kind == VT_PROGRAM_VALUE)
		vt_make_texts(s, t, r, *n, false);
	else
		*n = vt_batch_make(s, t, *n, own, NULL);
	s->made[r] = *n;
	vt_batch_own(s, r);
	return own;
}

bool
vt_batch_owns_results(const vt_batch *s, const vt_lambda_program *t)
{
	(void)t;
	return s->owns != 0;
}

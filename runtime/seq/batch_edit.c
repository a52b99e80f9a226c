/*
 * batch_edit.c - the step of lambda programs that makes a dict of another one: keys that are
 * written are set or left out, one after the other.
 *
 * Records have few shapes.  So it is found out once for each where the members come from, and then
 * a record is copied place by place.
 */
#include "runtime/seq/batch.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

/* SET: from here on a place is that of an argument. */
enum { SHAPES = 32, PLACES = 64, SET = 1024 };

typedef struct layout {
	const vt_shape *from; /* NULL: a free entry */
	vt_shape *to;         /* NULL: not so */
	uint16_t place[PLACES];
} layout;

/* The key is set to argument k. */
static vt_shape *
shape_with(vt_rt *rt, vt_shape *s, const vt_str *key, uint32_t k, layout *l)
{
	int slot = vt_shape_find(s, key);

	if (slot >= 0)
		l->place[slot] = (uint16_t)(SET + k);
	else if (s->n < PLACES && (s = vt_shape_add(rt, s, key)) != NULL)
		l->place[s->n - 1] = (uint16_t)(SET + k);
	else
		return NULL;
	return s;
}

static vt_shape *
shape_without(vt_rt *rt, vt_shape *s, const vt_str *key, layout *l)
{
	int slot = vt_shape_find(s, key);
	vt_shape *to = vt_shape_root(rt);

	if (slot < 0)
		return s;
	for (uint32_t i = 0; i < s->n && to != NULL; i++) {
		if (i == (uint32_t)slot)
			continue;
		to = vt_shape_add(rt, to, s->key[i]);
		l->place[i - (i > (uint32_t)slot)] = l->place[i];
	}
	return to;
}

/* What becomes of records of that shape. */
static void
learn(vt_rt *rt, const vt_lambda_step *t, vt_shape *shape, layout *l)
{
	const vt_str *const *keys = t->by;

	l->from = shape;
	l->to = NULL;
	if (shape->n > PLACES)
		return;
	for (uint32_t i = 0; i < shape->n; i++)
		l->place[i] = (uint16_t)i;
	for (uint32_t k = 0; k < t->n && shape != NULL; k++)
		shape = t->args[k] == VT_STEP_K ? shape_without(rt, shape, keys[k], l)
						: shape_with(rt, shape, keys[k], k, l);
	if (shape != NULL && shape->n > 0)
		l->to = shape;
}

/* One by one. */
static vt_value
edited(vt_rt *rt, const vt_lambda_step *t, const vt_dict *of, const vt_value *arg)
{
	const vt_str *const *keys = t->by;
	vt_dict *d = vt_dict_copy(rt, of, !t->c);

	for (uint32_t k = 0; k < t->n; k++) {
		if (t->args[k] == VT_STEP_K)
			vt_dict_del(rt, d, vt_mkptr(keys[k]));
		else
			(void)vt_dict_set(rt, d, vt_mkptr(keys[k]), arg[k]);
	}
	return vt_mkptr(d);
}

static vt_value
laid_out(
	vt_rt *rt, const vt_lambda_step *t, const layout *l, const vt_dict *of, const vt_value *arg)
{
	const vt_value *from[] = {of->v, arg};
	vt_dict *d = vt_dict_room(rt, !t->c, l->to);
	bool final = true;

	for (uint32_t i = 0; i < l->to->n; i++) {
		uint32_t at = l->place[i];
		vt_value v = d->v[i] = from[at / SET][at % SET];
		if (vt_is_ptr(v)) {
			vt_retain(v);
			final &= vt_head_of(v)->kind <= VT_K_STR ||
				 (vt_head_of(v)->flags & VT_F_FINAL);
		}
	}
	d->h.flags |= final && !t->c ? VT_F_FINAL : 0;
	return vt_mkptr(d);
}

/* The arguments for one item; false: one of them is none. */
static bool
arguments(const vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_value *arg)
{
	for (uint32_t k = 0; k < t->n; k++)
		if (t->args[k] != VT_STEP_K &&
			(arg[k] = vt_batch_operand(s, t->args[k], i)) == VT_UNDEF)
			return false;
	return true;
}

static layout *
layout_at(layout *known, const vt_shape *shape)
{
	return &known[((uintptr_t)shape >> 5 ^ (uintptr_t)shape >> 10) % SHAPES];
}

/* What a record made of the i-th will hold, which is counted then, is asked of the memory. */
static void
ask_members(const vt_value *from, uint32_t i, layout *known)
{
	const vt_dict *d = vt_as_dict(from[i]);
	const layout *l;

	if (from[i] == VT_UNDEF || !vt_is(from[i], DICT) || d->shape == NULL ||
		(l = layout_at(known, d->shape))->from != d->shape || l->to == NULL)
		return;
	for (uint32_t k = 0; k < l->to->n; k++)
		if (l->place[k] < SET)
			__builtin_prefetch((const char *)(uintptr_t)d->v[l->place[k]], 1);
}

static bool
edit(vt_batch *s, const vt_lambda_step *t, layout *known, uint32_t i, vt_value *out)
{
	vt_value of = vt_batch_operand(s, t->a, i), arg[VT_STEPS_MOST];
	const vt_dict *d = vt_as_dict(of);
	layout *l;

	if (of == VT_UNDEF || !vt_is(of, DICT) || !vt_step_counts(s, t, i) ||
		!arguments(s, t, i, arg))
		return false;
	if (d->shape == NULL) {
		*out = edited(s->rt, t, d, arg);
		return true;
	}
	l = layout_at(known, d->shape);
	if (l->from != d->shape)
		learn(s->rt, t, d->shape, l);
	*out = l->to != NULL ? laid_out(s->rt, t, l, d, arg) : edited(s->rt, t, d, arg);
	return true;
}

void
vt_batch_edit(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r);
	enum { AHEAD = 8 };
	const vt_value *from = vt_batch_from(s, t->a);
	layout known[SHAPES];
	uint32_t i;

	for (i = 0; i < SHAPES; i++)
		known[i].from = NULL;
	vt_batch_own(s, r);
	for (i = 0; i < s->n; i++) {
		if (s->far && from != NULL && i + AHEAD < s->n)
			ask_members(from, i + AHEAD, known);
		if (!edit(s, t, known, i, &v[i])) {
			v[i] = VT_UNDEF;
			if (!(t->flags & VT_STEP_SOFT))
				break;
		}
	}
	s->n = i;
}

/*
 * ranged.c - filters that ask for values of a range, so that not everybody has to be asked.
 *
 * `$greater_or_equal: [ EXPRESSION, CONSTANT ]` and its like, by themselves or as parts of `$and`,
 * are ranges of what candidates give for the expression.  A line has those who give a number,
 * sorted by it, and over them two trees of places in the orders in which candidates are taken:
 * whoever comes first within a range is found in logarithmic time.  Who gives something else,
 * nothing yet, or what may still change, is of the rest, which is always asked.
 */
#include "runtime/tosca/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = UINT32_MAX };

struct vt_tline {
	struct on_line {
		vt_value v;
		uint32_t at; /* candidate */
	} * e;
	uint32_t n;
	uint32_t *rest, nrest;
	uint32_t size;      /* leaves of a tree */
	uint32_t *place[2]; /* by candidate: in each order, or NOBODY */
	uint32_t *tree[2];  /* the least place below; those who are never taken any more are out */
};

/* ---- which ranges a filter has ---- */

static bool
is_constant(const vt_tmodel *m, uint32_t expr)
{
	const vt_texpr *e = &m->expr[expr];
	return e->kind == VT_TX_INT || e->kind == VT_TX_FLOAT || e->kind == VT_TX_STR;
}

static const struct bound {
	vt_tfn fn;
	bool upper, strict;
} bounds[] = {{vt_tf_greater_than, false, true}, {vt_tf_greater_or_equal, false, false},
	{vt_tf_less_than, true, true}, {vt_tf_less_or_equal, true, false}};

static bool
compares(const vt_tmodel *m, vt_tfn fn, const uint32_t *kid, vt_trange *out)
{
	for (size_t i = 0; i < VT_LEN(bounds); i++) {
		bool second = is_constant(m, kid[1]);
		uint32_t asked = kid[second ? 0 : 1], constant = kid[second ? 1 : 0];
		if (bounds[i].fn != fn || !is_constant(m, constant) || m->expr[asked].constant)
			continue;
		bool upper = bounds[i].upper == second;
		*out = (vt_trange){.asked = asked};
		*(upper ? &out->upper : &out->lower) = constant;
		out->strict = bounds[i].strict;
		return true;
	}
	return false;
}

static bool
is_within(const vt_tmodel *m, const vt_texpr *e, const uint32_t *kid, vt_trange *out)
{
	const vt_texpr *list = &m->expr[kid[1]];
	const uint32_t *two = list->kind == VT_TX_LIST && list->n == 2 ? m->index + list->u.k.at
			      : e->n == 3                              ? kid + 1
								       : NULL;
	if (!two || m->expr[kid[0]].constant || !is_constant(m, two[0]) || !is_constant(m, two[1]))
		return false;
	*out = (vt_trange){.asked = kid[0], .lower = two[0], .upper = two[1]};
	return true;
}

uint32_t
vt_tosca_ranges(const vt_tmodel *m, uint32_t filter, vt_trange *out, uint32_t most)
{
	const vt_texpr *e = &m->expr[filter];
	const uint32_t *kid = m->index + e->u.k.at;
	uint32_t n = 0;
	if (!filter || e->kind != VT_TX_CALL || e->u.k.fn & VT_TX_CUSTOM)
		return 0;
	vt_tfn fn = vt_tfuncs[e->u.k.fn].fn;
	for (uint32_t i = 0; fn == vt_tf_and && i < e->n && n < most; i++)
		n += vt_tosca_ranges(m, kid[i], out + n, most - n);
	if (fn == vt_tf_and || !most || e->n < 2)
		return n;
	if (fn == vt_tf_in_range)
		return is_within(m, e, kid, out);
	return e->n == 2 && compares(m, fn, kid, out);
}

/* ---- lines ---- */

struct vt_tline *
vt_tosca_line(uint32_t n)
{
	struct vt_tline *l = vt_xzalloc(sizeof *l);
	for (int k = 0; k < 2; k++) {
		l->place[k] = vt_xmalloc((n + 1) * sizeof *l->place[k]);
		memset(l->place[k], 0xff, n * sizeof *l->place[k]);
	}
	return l;
}

void
vt_tosca_line_free(struct vt_tline *l)
{
	for (uint32_t i = 0; l && i < l->n; i++)
		vt_release(l->e[i].v);
	for (int k = 0; l && k < 2; k++) {
		free(l->place[k]);
		free(l->tree[k]);
	}
	if (l) {
		free(l->e);
		free(l->rest);
	}
	free(l);
}

/* Numbers of one unit have an order. */
static bool
is_comparable(vt_tosca *t, const struct vt_tline *l, vt_value v)
{
	bool number = vt_is_number(v) || vt_tosca_form(v) == VT_TO_SCALAR;
	return number && vt_tosca_compare(t, v, l->n ? l->e[0].v : v) != 2;
}

void
vt_tosca_line_add(vt_tosca *t, struct vt_tline *l, const vt_tctx *ctx, uint32_t expr, uint32_t at)
{
	vt_value v = VT_UNDEF;
	bool touched = t->touched;
	t->mem->quiet++;
	t->touched = false;
	if (vt_tosca_eval(t, ctx, expr, &v) && !t->touched && is_comparable(t, l, v)) {
		vt_push(l->e, l->n) = (struct on_line){v, at};
	} else {
		vt_push(l->rest, l->nrest) = at;
		vt_clear(&v);
	}
	t->mem->quiet--;
	t->touched |= touched;
}

void
vt_tosca_line_order(struct vt_tline *l, int which, const uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		l->place[which][order[i]] = i;
}

/* Merge sort: comparing needs the engine. */
static void
sort(vt_tosca *t, struct on_line *e, struct on_line *room, uint32_t n)
{
	uint32_t half = n / 2, a = 0, b = half;
	if (n < 2)
		return;
	sort(t, e, room, half);
	sort(t, e + half, room, n - half);
	memcpy(room, e, n * sizeof *e);
	for (uint32_t i = 0; i < n; i++) {
		bool first = b == n || (a < half && vt_tosca_compare(t, room[a].v, room[b].v) <= 0);
		e[i] = room[first ? a : b];
		a += first;
		b += !first;
	}
}

void
vt_tosca_line_done(vt_tosca *t, struct vt_tline *l)
{
	struct on_line *room = vt_xmalloc((l->n + 1) * sizeof *room);
	sort(t, l->e, room, l->n);
	free(room);
	for (l->size = 1; l->size < l->n;)
		l->size *= 2;
	for (int k = 0; k < 2; k++) {
		uint32_t *tree = l->tree[k] = vt_xmalloc(2 * l->size * sizeof *tree);
		memset(tree, 0xff, 2 * l->size * sizeof *tree);
		for (uint32_t i = 0; i < l->n; i++)
			tree[l->size + i] = l->place[k][l->e[i].at];
		for (uint32_t i = l->size - 1; i > 0; i--)
			tree[i] = tree[2 * i] < tree[2 * i + 1] ? tree[2 * i] : tree[2 * i + 1];
	}
}

static void
set_place(struct vt_tline *l, int which, uint32_t leaf, uint32_t place)
{
	uint32_t *tree = l->tree[which], i = l->size + leaf;
	for (tree[i] = place; i > 1; i /= 2)
		tree[i / 2] = tree[i] < tree[i ^ 1] ? tree[i] : tree[i ^ 1];
}

/* The leaf of the least place in [from, to), or NOBODY. */
static uint32_t
first_of(const struct vt_tline *l, int which, uint32_t from, uint32_t to)
{
	const uint32_t *tree = l->tree[which];
	uint32_t best = 0, least = NOBODY;
	for (from += l->size, to += l->size; from < to; from /= 2, to /= 2) {
		if (from & 1 && tree[from] < least)
			least = tree[best = from];
		from += from & 1;
		if (to & 1 && tree[--to] < least)
			least = tree[best = to];
	}
	while (best && best < l->size)
		best = tree[2 * best] == least ? 2 * best : 2 * best + 1;
	return best ? best - l->size : NOBODY;
}

/* ---- asking ---- */

/* The first leaf whose value is not below the constant, or with `above` is above it. */
static bool
leaf_of(vt_tosca *t, const struct vt_tline *l, uint32_t constant, bool above, uint32_t *out)
{
	vt_tctx ctx = {.value = VT_UNDEF};
	vt_value v = VT_UNDEF;
	uint32_t lo = 0, hi = l->n;
	int c = 2;
	if (!vt_tosca_eval(t, &ctx, constant, &v))
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		c = vt_tosca_compare(t, l->e[mid].v, v);
		if (c == 2)
			break;
		if (c < 0 || (c == 0 && above))
			lo = mid + 1;
		else
			hi = mid;
	}
	vt_release(v);
	*out = lo;
	return lo == hi;
}

static bool
is_unbounded(const vt_tosca *t, uint32_t constant)
{
	const vt_texpr *e = &t->m->expr[constant];
	return !constant ||
	       (e->kind == VT_TX_STR && !strcmp(vt_tosca_text(t, e->u.str), "UNBOUNDED"));
}

bool
vt_tosca_line_find(
	vt_tosca *t, const struct vt_tline *l, const vt_trange *r, uint32_t *from, uint32_t *to)
{
	bool ok = true;
	*from = 0;
	*to = l->n;
	t->mem->quiet++;
	if (!is_unbounded(t, r->lower))
		ok = leaf_of(t, l, r->lower, r->strict, from);
	if (ok && !is_unbounded(t, r->upper))
		ok = leaf_of(t, l, r->upper, !r->strict, to);
	t->mem->quiet--;
	*to = *to < *from ? *from : *to;
	return ok;
}

uint32_t
vt_tosca_line_rest(const struct vt_tline *l)
{
	return l->nrest;
}

/* The first of the rest who comes before the one that was found. */
static uint32_t
of_rest(const struct vt_tline *l, int which, vt_ttakes *takes, void *asks, uint32_t found)
{
	const uint32_t *place = l->place[which];
	for (uint32_t i = 0; i < l->nrest; i++) {
		uint32_t at = l->rest[i];
		if (place[at] != NOBODY && (found == NOBODY || place[at] < place[found]) &&
			takes(asks, at, which) == VT_TAKES)
			found = at;
	}
	return found;
}

uint32_t
vt_tosca_line_choose(
	struct vt_tline *l, uint32_t from, uint32_t to, int which, vt_ttakes *takes, void *asks)
{
	uint32_t leaf, found = NOBODY, *later = NULL, nlater = 0;
	while (found == NOBODY && (leaf = first_of(l, which, from, to)) != NOBODY) {
		enum vt_ttaking k = takes(asks, l->e[leaf].at, which);
		if (k == VT_TAKES) {
			found = l->e[leaf].at;
			break;
		}
		set_place(l, which, leaf, NOBODY);
		if (k == VT_TAKES_NOT_NOW)
			vt_push(later, nlater) = leaf;
	}
	for (uint32_t i = 0; i < nlater; i++)
		set_place(l, which, later[i], l->place[which][l->e[later[i]].at]);
	free(later);
	return of_rest(l, which, takes, asks, found);
}

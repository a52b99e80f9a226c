/*
 * conditions.c - `where(a and b)` as two stages of a pipeline, where b takes long.
 *
 * A stage is done for many items at once, so what stands behind an `and` is worked out for all of
 * them.  As a stage of its own it is done for those alone that are left.  It is the same to those
 * who watch: b is asked only where a is true, and nothing but the truth of either counts.
 */
#include "compiler/lower/int.h"

#include <string.h>

/* ---- what takes long ---- */

static bool is_long(const yq_node *e);

static bool
has_long(const yq_node *e)
{
	for (uint32_t i = 0; i < e->n; i++)
		if (is_long(e->kid[i]))
			return true;
	return false;
}

static bool
is_constant(const yq_node *e)
{
	return e->kind <= YQ_KEYWORD;
}

/* Calls, texts that are searched, and what is found by a key that is no constant. */
static bool
is_long(const yq_node *e)
{
	if (e->kind == YQ_CALL)
		return strcmp(e->text, "len") != 0 || has_long(e);
	if (e->kind == YQ_INDEX)
		return e->n != 2 || !is_constant(e->kid[1]) || is_long(e->kid[0]);
	if (e->kind == YQ_BINARY &&
		(lw_is_word(e, "=~") || lw_is_word(e, "!~") || lw_is_word(e, "in")))
		return true;
	return has_long(e);
}

/* ---- the conditions ---- */

static const yq_node *
inner(const yq_node *e)
{
	while (e->kind == YQ_WRAP && e->n == 1)
		e = e->kid[0];
	return e;
}

static bool
is_and(const yq_node *e)
{
	return e->kind == YQ_BINARY && e->alias == NULL && lw_is_word(e, "and");
}

/* Those that stand beside each other, from left to right; how many: at most `most`. */
static uint32_t
gather(const yq_node *e, const yq_node **of, uint32_t n, uint32_t most)
{
	e = inner(e);
	if (is_and(e)) {
		n = gather(e->kid[0], of, n, most);
		return gather(e->kid[1], of, n, most);
	}
	if (n < most)
		of[n] = e;
	return n + 1;
}

/* a and b, as it would stand there. */
static const yq_node *
both(lw *l, const yq_node *a, const yq_node *b)
{
	yq_node *e = vc_alloc(l->c, sizeof *e);

	*e = (yq_node){.kind = YQ_BINARY,
		.from = a->from,
		.to = b->to,
		.op_at = b->from,
		.text = "and",
		.ntext = 3,
		.n = 2};
	e->kid = vc_alloc(l->c, 2 * sizeof *e->kid);
	e->kid[0] = (yq_node *)(uintptr_t)a;
	e->kid[1] = (yq_node *)(uintptr_t)b;
	return e;
}

uint32_t
lw_conditions(lw *l, const yq_node *e, uint32_t most, const yq_node **stages)
{
	enum { MOST = 16 };
	const yq_node *of[MOST];
	uint32_t n = gather(e, of, 0, MOST), m = 0;

	stages[0] = e;
	if (l->cls != NULL || n < 2 || n > MOST)
		return 1;
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || (is_long(of[i]) && m < most))
			stages[m++] = of[i];
		else
			stages[m - 1] = both(l, stages[m - 1], of[i]);
	}
	if (m == 1)
		stages[0] = e;
	return m;
}

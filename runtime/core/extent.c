/*
 * extent.c - how large a value would be if it were written.
 *
 * Values share their parts. A list of a list twice, which is in a list twice, and so on, takes a few
 * bytes of memory and more than any disk has when it is printed. So whoever makes values from values
 * measures them, and stops at a limit: that costs no more than the limit.
 */
#include "runtime/core/dict.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

enum { LEAST = 4, DEEPEST = 2000 };

static bool measure(vt_value, uint64_t *left, uint32_t depth);

static bool
take(uint64_t *left, uint64_t n)
{
	bool enough = *left >= n;
	*left = enough ? *left - n : 0;
	return enough;
}

static bool
measure_list(const vt_list *l, uint64_t *left, uint32_t depth)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!measure(l->v[i], left, depth))
			return false;
	return true;
}

static bool
measure_dict(const vt_dict *d, uint64_t *left, uint32_t depth)
{
	vt_value key, v;

	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &v);)
		if (!measure(key, left, depth) || !measure(v, left, depth))
			return false;
	return true;
}

static bool
measure(vt_value v, uint64_t *left, uint32_t depth)
{
	if (!take(left, LEAST))
		return false;
	if (vt_is(v, STR))
		return take(left, vt_as_str(v)->bytes);
	if (!vt_is_sequence(v) && !vt_is(v, DICT))
		return true;
	if (depth == DEEPEST)
		return false;
	return vt_is(v, DICT) ? measure_dict(vt_as_dict(v), left, depth + 1)
			      : measure_list(vt_as_list(v), left, depth + 1);
}

bool
vt_takes_at_most(vt_value v, uint64_t *left)
{
	return measure(v, left, 0);
}

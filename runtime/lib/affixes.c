/*
 * affixes.c - does a text hold, begin or end with another one?  Rows of lib/strings.fn.
 */
#include "runtime/core/args.h"
#include "runtime/core/bytes.h"
#include "runtime/core/value.h"
#include "registry.h"

#include <string.h>

vt_status
vt_lib_str_in(vt_args *a, vt_value *out)
{
	const vt_str *s = vt_as_str(a->v[1]), *needle = vt_as_str(a->v[0]);
	*out = vt_mkbool(vt_find(s->s, s->bytes, needle->s, needle->bytes) != NULL);
	return VT_OK;
}

vt_value
vt_quick_str_in(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	if (!vt_is(v[0], STR) || !vt_is(v[1], STR))
		return VT_UNDEF;
	if (vt_as_str(v[0])->bytes == 1)
		return vt_mkbool(memchr(vt_as_str(v[1])->s, vt_as_str(v[0])->s[0],
					 vt_as_str(v[1])->bytes) != NULL);
	return vt_mkbool(vt_find(vt_as_str(v[1])->s, vt_as_str(v[1])->bytes, vt_as_str(v[0])->s,
				 vt_as_str(v[0])->bytes) != NULL);
}

static inline bool
is_at(const vt_str *s, const vt_str *x, bool end)
{
	return x->bytes <= s->bytes &&
	       vt_same_bytes(s->s + (end ? s->bytes - x->bytes : 0), x->s, x->bytes);
}

/* Is one of the rest arguments at the start or the end of the text? */
static vt_status
any_at(vt_args *a, bool end, vt_value *out)
{
	bool yes = false;
	for (uint32_t i = 0; i < a->nrest && !yes; i++)
		yes = is_at(vt_as_str(a->v[0]), vt_as_str(a->rest[i]), end);
	*out = vt_mkbool(yes);
	return VT_OK;
}

static inline vt_value
quick_at(const vt_value *v, bool end)
{
	return vt_is(v[0], STR) && vt_is(v[1], STR)
		       ? vt_mkbool(is_at(vt_as_str(v[0]), vt_as_str(v[1]), end))
		       : VT_UNDEF;
}

vt_value
vt_quick_starts_with(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return quick_at(v, false);
}

vt_value
vt_quick_ends_with(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return quick_at(v, true);
}

vt_status
vt_lib_starts_with(vt_args *a, vt_value *out)
{
	return any_at(a, false, out);
}

vt_status
vt_lib_ends_with(vt_args *a, vt_value *out)
{
	return any_at(a, true, out);
}

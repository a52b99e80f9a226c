/*
 * trim.c - what stands at the ends of a text is cut off.  Rows of lib/strings.fn.
 */
#include "runtime/core/args.h"
#include "runtime/core/bytes.h"
#include "runtime/core/value.h"
#include "registry.h"

/* Is the code point [p, end) one to cut off? chars is NULL for white space. */
static inline bool
cut(const char *p, const char *end, const vt_str *chars)
{
	if (chars == NULL)
		return (unsigned char)*p - 0x21u >= 0x7f - 0x21u && vt_is_space(vt_utf8_next(&p));
	if (end - p == 1)
		return memchr(chars->s, *p, chars->bytes) != NULL;
	return vt_find(chars->s, chars->bytes, p, (size_t)(end - p)) != NULL;
}

enum { LEFT = 1, RIGHT = 2 };

static inline bool
is_graphic(char c)
{
	return (unsigned char)c - 0x21u < 0x7f - 0x21u;
}

/* chars: a text, or null for white space. */
static vt_value
strip(vt_rt *rt, const vt_str *s, vt_value chars, int sides)
{
	const vt_str *set = chars == VT_NULL ? NULL : vt_as_str(chars);
	const char *from = s->s, *to = s->s + s->bytes, *p;
	while (set == NULL && (sides & LEFT) && from < to && *from == ' ')
		from++;
	while ((sides & LEFT) && from < to && (set != NULL || !is_graphic(*from))) {
		p = from;
		vt_utf8_next(&p);
		if (!cut(from, p, set))
			break;
		from = p;
	}
	while ((sides & RIGHT) && from < to && (set != NULL || !is_graphic(to[-1]))) {
		p = vt_utf8_before(to);
		if (!cut(p, to, set))
			break;
		to = p;
	}
	if ((size_t)(to - from) == s->bytes)
		return vt_copy(vt_mkptr(s));
	return vt_str_part(rt, s, from, (size_t)(to - from));
}

#define TRIM(name, sides) \
	vt_value vt_quick_##name(vt_rt *rt, const vt_value *v) \
	{ \
		bool taken = vt_is(v[0], STR) && (v[1] == VT_NULL || vt_is(v[1], STR)); \
		return taken ? strip(rt, vt_as_str(v[0]), v[1], sides) : VT_UNDEF; \
	} \
	vt_status vt_lib_##name(vt_args *a, vt_value *out) \
	{ \
		*out = strip(a->rt, vt_as_str(a->v[0]), a->v[1], sides); \
		return VT_OK; \
	}
TRIM(trim, LEFT | RIGHT)
TRIM(trim_left, LEFT)
TRIM(trim_right, RIGHT)

vt_status
vt_lib_norm(vt_args *a, vt_value *out)
{
	if (a->v[0] == VT_NULL) {
		*out = VT_NULL;
		return VT_OK;
	}
	*out = strip(a->rt, vt_as_str(a->v[0]), a->v[1], LEFT | RIGHT);
	if (vt_as_str(*out)->bytes == 0)
		vt_move(out, VT_NULL);
	return VT_OK;
}

vt_status
vt_lib_is_empty_str(vt_args *a, vt_value *out)
{
	vt_value v;
	if (a->v[0] == VT_NULL) {
		*out = VT_TRUE;
		return VT_OK;
	}
	v = vt_truth(a->v[1]) ? strip(a->rt, vt_as_str(a->v[0]), a->v[2], LEFT | RIGHT)
			      : vt_copy(a->v[0]);
	*out = vt_mkbool(vt_as_str(v)->bytes == 0);
	vt_release(v);
	return VT_OK;
}

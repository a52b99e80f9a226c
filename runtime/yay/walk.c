/* walk.c - from a place to its parts, one at a time and without evaluating them. */
#include "runtime/yay/int.h"

#include "runtime/yay/api.h"

static yshape *
shape_of(vt_yay *s, vt_ynode *n)
{
	yay_forgive(s);
	s->stack = (uintptr_t)__builtin_frame_address(0);
	s->secret = false;
	return yay_expand(s, n);
}

bool
vt_yay_shape(vt_yay *s, vt_ynode *at, enum vt_yshape_kind *kind, uint32_t *n)
{
	yshape *sh = shape_of(s, at);

	if (!sh)
		return false;
	*n = 0;
	*kind = VT_YS_SCALAR;
	switch ((enum yshape_kind)sh->kind) {
	case Y_SCALAR: return true;
	case Y_LIST:
		*kind = VT_YS_LIST;
		*n = sh->n;
		return true;
	case Y_MAP:
		*kind = VT_YS_MAP;
		if (!yay_map_keys(s, (ymap *)sh))
			return false;
		*n = ((ymap *)sh)->nkeys;
		return true;
	case Y_CODE:
	case Y_CLASS: break;
	}
	return yay_fail(
		s, VT_YE_TYPE, sh->doc, sh->row, "a macro, a prototype or a lambda is no value");
}

vt_ynode *
vt_yay_part(vt_yay *s, vt_ynode *at, uint32_t i, vt_value *key)
{
	enum vt_yshape_kind kind;
	uint32_t n;
	yshape *sh;

	*key = VT_UNDEF;
	if (!vt_yay_shape(s, at, &kind, &n) || !(sh = shape_of(s, at)))
		return NULL;
	if (i >= n) {
		yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Index out of range");
		return NULL;
	}
	if (kind == VT_YS_LIST)
		return sh->item[i];
	*key = s->sym[((ymap *)sh)->key[i]];
	return ((ymap *)sh)->node[i];
}

void
vt_yay_stack(vt_yay *s, size_t bytes)
{
	enum { LEAST = 64 << 10 };

	s->limit.stack = bytes < LEAST ? LEAST : bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

const void *
vt_yay_identity(vt_yay *s, vt_ynode *at)
{
	return shape_of(s, at);
}

/* value.c - between the values of a session and those of a graph. */
#include "runtime/mugl/int.h"
#include "runtime/core/number.h"

typedef struct giver {
	mugl *g;
	vt_rt *rt;
	const char *tag, *why;
	uint32_t limit;
} giver;

static bool give(giver *, vt_value, uint32_t depth, mugl_node *out);

static bool
refuse(giver *s, const char *why)
{
	s->why = why;
	return false;
}

static bool
give_list(giver *s, const vt_list *l, uint32_t depth, mugl_node *out)
{
	*out = mugl_array();
	for (uint32_t i = 0; i < l->n; i++) {
		mugl_node v;
		if (!give(s, l->v[i], depth, &v))
			return false;
		mugl_push(s->g, out, v);
	}
	return true;
}

static bool
give_dict(giver *s, const vt_dict *d, uint32_t depth, mugl_node *out)
{
	vt_value key, item;

	*out = mugl_object();
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &item);) {
		mugl_node v;
		if (!vt_is(key, STR))
			return refuse(s, "a key is no text");
		if (!give(s, item, depth, &v))
			return false;
		mugl_append(s->g, out, vt_as_str(key)->s, vt_as_str(key)->bytes, v);
	}
	if (s->tag && mugl_is_edge_object(out, mugl_c(s->tag)))
		*out = mugl_edge(s->g, out->member[0].value.s, out->member[0].value.n);
	return true;
}

static bool
give_number(giver *s, vt_value v, mugl_node *out)
{
	int64_t i;
	vt_buf b = {0};

	if (vt_is(v, FLOAT)) {
		double d = vt_as_float(v);
		*out = mugl_float(d);
		return d - d == 0 || refuse(s, "JSON has no infinity and no NaN");
	}
	if (vt_int_fits(v, &i)) {
		*out = mugl_int(i);
		return true;
	}
	vt_int_repr(&b, v, 10);
	*out = mugl_str(s->g, b.p, b.n);
	out->kind = MUGL_NUMBER;
	vt_buf_free(&b);
	return true;
}

static bool
give(giver *s, vt_value v, uint32_t depth, mugl_node *out)
{
	if (depth > s->limit)
		return refuse(s, "the value is nested too deep");
	if (v == VT_NULL || vt_is_bool(v)) {
		*out = v == VT_NULL ? mugl_null() : mugl_bool(v == VT_TRUE);
		return true;
	}
	if (vt_is_number(v))
		return give_number(s, v, out);
	if (vt_is(v, STR)) {
		*out = mugl_str(s->g, vt_as_str(v)->s, vt_as_str(v)->bytes);
		return true;
	}
	if (vt_is_sequence(v))
		return give_list(s, vt_as_list(v), depth + 1, out);
	if (vt_is(v, DICT))
		return give_dict(s, vt_as_dict(v), depth + 1, out);
	return refuse(s, "JSON has no such value");
}

bool
mugl_from_value(mugl *g, vt_rt *rt, vt_value v, const char *tag, mugl_node *out, const char **why)
{
	giver s = {.g = g, .rt = rt, .tag = tag, .limit = mugl_depth_limit(g)};
	bool good = give(&s, v, 0, out);

	if (!good)
		*why = s.why;
	return good;
}

static vt_value
list_of(const mugl *g, vt_rt *rt, const mugl_node *v, const char *tag)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, v->n);

	for (uint32_t i = 0; i < v->n; i++)
		vt_list_push(rt, l, mugl_to_value(g, rt, &v->item[i], tag));
	return vt_mkptr(l);
}

static vt_value
dict_of(const mugl *g, vt_rt *rt, const mugl_node *v, const char *tag)
{
	vt_dict *d = vt_dict_new_cap(rt, true, v->n);

	for (uint32_t i = 0; i < v->n; i++) {
		vt_value key = vt_str_new(rt, v->member[i].key, v->member[i].nkey);
		vt_value item = mugl_to_value(g, rt, &v->member[i].value, tag);
		vt_dict_set(rt, d, key, item);
		vt_release(key);
		vt_release(item);
	}
	return vt_mkptr(d);
}

/* One that is no int64 has many digits, or is a float beyond all; the limit on digits is that of
 * the JSON reader. */
static vt_value
number_of(vt_rt *rt, const mugl_node *v)
{
	vt_value out = VT_NULL;
	double d;

	if (memchr(v->s, '.', v->n) || memchr(v->s, 'e', v->n) || memchr(v->s, 'E', v->n) ||
		v->n > 4300)
		return vt_float_parse(v->s, v->n, &d) ? vt_float_new(rt, d) : VT_NULL;
	if (vt_int_parse(rt, v->s, v->n, 10, &out) != VT_OK)
		return VT_NULL;
	return out;
}

vt_value
mugl_to_value(const mugl *g, vt_rt *rt, const mugl_node *v, const char *tag)
{
	mugl_member m = {.key = tag, .nkey = (uint32_t)strlen(tag)};
	mugl_node edge = {.kind = MUGL_OBJECT, .n = 1, .member = &m};

	switch ((enum mugl_kind)v->kind) {
	case MUGL_NULL: break;
	case MUGL_FALSE: return VT_FALSE;
	case MUGL_TRUE: return VT_TRUE;
	case MUGL_INT: return vt_int_new(rt, v->i);
	case MUGL_FLOAT: return vt_float_new(rt, v->d);
	case MUGL_NUMBER: return number_of(rt, v);
	case MUGL_STR: return vt_str_new(rt, v->s, v->n);
	case MUGL_ARRAY: return list_of(g, rt, v, tag);
	case MUGL_OBJECT: return dict_of(g, rt, v, tag);
	case MUGL_EDGE:
		m.value = (mugl_node){.kind = MUGL_STR, .n = g->v[v->n].n, .s = g->v[v->n].name};
		return dict_of(g, rt, &edge, tag);
	}
	return VT_NULL;
}

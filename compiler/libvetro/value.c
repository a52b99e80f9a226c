/* value.c - values of libvetro: what is made of them, and what they hold. */
#include "compiler/libvetro/int.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

vetro_kind
vetro_kind_of(vetro_value v)
{
	vt_value w = word(v);
	int64_t i;

	if (v == NULL)
		return VETRO_NONE;
	if (vt_is(w, FLOAT))
		return VETRO_DOUBLE;
	if (!vt_is_ptr(w))
		return vt_is_int(w)    ? VETRO_INT
		       : vt_is_bool(w) ? VETRO_BOOL
		       : w == VT_NULL  ? VETRO_NULL
				       : VETRO_OTHER;
	switch ((enum vt_kind)vt_head_of(w)->kind) {
	case VT_K_FLOAT: return VETRO_DOUBLE;
	case VT_K_BIGINT:
		return vt_int_fits(w, &i) ? VETRO_INT : VETRO_BIGINT; /* 64 bits and not 63 */
	case VT_K_STR: return VETRO_STRING;
	case VT_K_TUPLE:
	case VT_K_LIST: return VETRO_LIST;
	case VT_K_DICT: return VETRO_DICT;
	case VT_K_SET: return VETRO_SET;
	case VT_K_ITER:
	case VT_K_VIEW:
	case VT_K_ORDERING:
	case VT_K_MEMO: return VETRO_LAZY;
	case VT_K_LAMBDA: return VETRO_LAMBDA;
	case VT_K_DATETIME: return VETRO_DATETIME;
	case VT_K_TIMESPAN: return VETRO_TIMESPAN;
	case VT_K_SCOPE:
	case VT_K_MAPPING:
	case VT_K_REGEX:
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF:
	case VT_K_REFLECT:
	case VT_K_EXC:
	case VT_K_HOST:
	case VT_K_COUNT: break;
	}
	return VETRO_OTHER;
}

vetro_value
vetro_ref(vetro_value v)
{
	vt_retain(word(v));
	return v;
}

void
vetro_unref(vetro_value v)
{
	vt_release(word(v));
}

/* ---- making ------------------------------------------------------------------------------ */

vetro_value
vetro_null(void)
{
	return handle(VT_NULL);
}

vetro_value
vetro_bool(int on)
{
	return handle(vt_mkbool(on));
}

vetro_value
vetro_int(vetro_engine *e, int64_t i)
{
	return handle(vt_int_new(e->rt, i));
}

vetro_value
vetro_bigint(vetro_engine *e, const char *digits, size_t n)
{
	size_t len = lv_length(digits, n), from = len > 0 && (digits[0] == '-' || digits[0] == '+');
	vt_value v = VT_UNDEF;

	if (len == from || len - from > 1000000)
		return NULL;
	for (size_t i = from; i < len; i++)
		if (digits[i] < '0' || digits[i] > '9')
			return NULL;
	if (vt_int_parse(e->rt, digits, len, 10, &v) != VT_OK)
		vt_exc_clear(e->rt);
	return handle(v);
}

vetro_value
vetro_double(vetro_engine *e, double d)
{
	return handle(vt_float_new(e->rt, d));
}

vetro_value
vetro_string(vetro_engine *e, const char *s, size_t n)
{
	size_t len = lv_length(s, n);

	if (len > INT32_MAX || vt_utf8_check(s, len) != len)
		return NULL;
	return handle(vt_str_new(e->rt, s, len));
}

vetro_value
vetro_list(vetro_engine *e)
{
	return handle(vt_mkptr(vt_list_grow(e->rt, VT_K_LIST, 4)));
}

/* Nobody but the caller has it, and nothing has been done with it. */
static bool
is_open(vt_value v)
{
	return vt_head_of(v)->rc == 1 && !(vt_is(v, DICT) && vt_head_of(v)->flags & VT_F_FROZEN);
}

int
vetro_list_push(vetro_engine *e, vetro_value list, vetro_value item)
{
	vt_value l = word(list), v = word(item);

	if (item == NULL || item == list || !vt_is(l, LIST) || !is_open(l) ||
		vt_as_list(l)->n >= INT32_MAX) {
		if (item != list)
			vt_release(v);
		return -1;
	}
	vt_list_push(e->rt, vt_as_list(l), v);
	return 0;
}

vetro_value
vetro_dict(vetro_engine *e)
{
	return handle(vt_mkptr(vt_dict_new(e->rt, false)));
}

int
vetro_dict_put(vetro_engine *e, vetro_value dict, vetro_value key, vetro_value value)
{
	vt_value d = word(dict), k = word(key), v = word(value);
	int st = -1;

	if (key != NULL && value != NULL && value != dict && vt_is(d, DICT) && is_open(d) &&
		vt_hashable(k)) {
		st = vt_dict_set(e->rt, vt_as_dict(d), k, v) == VT_OK ? 0 : -1;
		if (st != 0)
			vt_exc_clear(e->rt);
	}
	if (key != dict)
		vt_release(k);
	if (value != dict)
		vt_release(v);
	return st;
}

int
vetro_dict_put_name(vetro_engine *e, vetro_value dict, const char *name, vetro_value value)
{
	return vetro_dict_put(e, dict, vetro_string(e, name, VETRO_ZSTR), value);
}

/* ---- looking ----------------------------------------------------------------------------- */

int
vetro_truth(vetro_value v)
{
	return v != NULL && vt_is_true(word(v));
}

int
vetro_get_int(vetro_value v, int64_t *out)
{
	return v != NULL && vt_is_integer(word(v)) && vt_int_fits(word(v), out) ? 0 : -1;
}

int
vetro_get_double(vetro_value v, double *out)
{
	vt_value w = word(v);

	if (vt_is(w, FLOAT))
		*out = vt_as_float(w);
	else if (vt_is_int(w))
		*out = (double)vt_toint(w);
	else if (!vt_is(w, BIGINT) || !vt_big_double(w, out))
		return -1;
	return 0;
}

const char *
vetro_get_string(vetro_value v, size_t *n)
{
	if (!vt_is(word(v), STR))
		return NULL;
	if (n != NULL)
		*n = vt_as_str(word(v))->bytes;
	return vt_as_str(word(v))->s;
}

int64_t
vetro_length(vetro_value v)
{
	vt_value w = word(v);

	if (vt_is_sequence(w))
		return vt_as_list(w)->n;
	if (vt_is(w, DICT))
		return vt_dict_len(vt_as_dict(w));
	return vt_is(w, SET) ? (int64_t)vt_set_len(vt_as_set(w)) : -1;
}

vetro_value
vetro_list_at(vetro_value list, size_t i)
{
	vt_value w = word(list);

	return vt_is_sequence(w) && i < vt_as_list(w)->n ? handle(vt_as_list(w)->v[i]) : NULL;
}

vetro_value
vetro_dict_get(vetro_value dict, vetro_value key)
{
	if (!vt_is(word(dict), DICT) || key == NULL || !vt_hashable(word(key)))
		return NULL;
	return handle(vt_dict_get(vt_as_dict(word(dict)), word(key)));
}

vetro_value
vetro_dict_get_name(vetro_value dict, const char *name)
{
	return vt_is(word(dict), DICT) ? handle(vt_dict_get_c(vt_as_dict(word(dict)), name)) : NULL;
}

int
vetro_dict_next(vetro_value dict, size_t *pos, vetro_value *key, vetro_value *value)
{
	vt_value k, v;
	uint32_t at = (uint32_t)*pos;

	if (!vt_is(word(dict), DICT) || *pos > UINT32_MAX ||
		!vt_dict_at(vt_as_dict(word(dict)), &at, &k, &v))
		return 0;
	*pos = at;
	if (key != NULL)
		*key = handle(k);
	if (value != NULL)
		*value = handle(v);
	return 1;
}

/* Results may have lists of a document, which are tuples, beside lists. */
static bool
same_to_callers(vt_value a, vt_value b, uint32_t depth)
{
	vt_value key, x, y;

	if (depth == 0 || !vt_is_ptr(a) || !vt_is_ptr(b))
		return vt_eq(a, b);
	if (vt_is_sequence(a) && vt_is_sequence(b)) {
		const vt_list *l = vt_as_list(a), *m = vt_as_list(b);
		for (uint32_t i = 0; l->n == m->n && i < l->n; i++)
			if (!same_to_callers(l->v[i], m->v[i], depth - 1))
				return false;
		return l->n == m->n;
	}
	if (!vt_is(a, DICT) || !vt_is(b, DICT))
		return vt_eq(a, b);
	for (uint32_t at = 0; vt_dict_at(vt_as_dict(a), &at, &key, &x);)
		if ((y = vt_dict_get(vt_as_dict(b), key)) == VT_UNDEF ||
			!same_to_callers(x, y, depth - 1))
			return false;
	return vt_dict_len(vt_as_dict(a)) == vt_dict_len(vt_as_dict(b));
}

int
vetro_equal(vetro_value a, vetro_value b)
{
	enum { DEEPEST = 1000 };

	return a == NULL || b == NULL ? a == b : same_to_callers(word(a), word(b), DEEPEST);
}

char *
vetro_to_text(vetro_engine *e, vetro_value v, size_t *len)
{
	vt_buf b = {NULL, 0, 0};
	vt_value made = v != NULL ? word(v) : VT_NULL;
	bool result = e->opt[VETRO_CONVERT_OUTPUT] &&
		      (vt_is(made, LIST) ||
			      (vt_is(made, DICT) && !(vt_head_of(made)->flags & VT_F_FROZEN)));

	if (result && vt_convert_output(e->rt, &lv_plain, made, &made) != VT_OK) {
		vt_exc_clear(e->rt);
		result = false;
	}
	if (v != NULL)
		vt_yaqlstr(e->rt, &b, made);
	if (result)
		vt_release(made);
	return lv_text(&b, len);
}

/* ---- going through ----------------------------------------------------------------------- */

struct vetro_iter {
	vetro_engine *engine;
	vt_value iter;
};

static bool
has_items(vetro_kind k)
{
	return k == VETRO_LIST || k == VETRO_DICT || k == VETRO_SET || k == VETRO_LAZY;
}

vetro_iter *
vetro_iterate(vetro_engine *e, vetro_value v, vetro_error **err)
{
	vt_value made = VT_UNDEF;
	vetro_iter *it;
	vt_status st;

	lv_enter(e);
	if (has_items(vetro_kind_of(v)))
		st = vt_iterate(e->rt, word(v), &made);
	else
		st = vt_raise(e->rt, VT_E_TYPE, "the value has no items");
	lv_leave(e);
	if (st != VT_OK) {
		lv_fail(e, err);
		return NULL;
	}
	it = vt_xmalloc(sizeof *it);
	*it = (vetro_iter){e, made};
	return it;
}

int
vetro_next(vetro_iter *it, vetro_value *item, vetro_error **err)
{
	vt_value v = VT_UNDEF;
	vt_status st;

	lv_enter(it->engine);
	st = vt_next(it->engine->rt, it->iter, &v);
	lv_leave(it->engine);
	if (st != VT_OK) {
		lv_fail(it->engine, err);
		return -1;
	}
	if (v == VT_UNDEF)
		return 0;
	*item = handle(v);
	return 1;
}

void
vetro_iter_free(vetro_iter *it)
{
	if (it == NULL)
		return;
	vt_release(it->iter);
	free(it);
}

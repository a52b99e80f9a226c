/*
 * value.c - expressions to values, with what is unknown left open.
 */
#include "compiler/heat/int.h"

#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <string.h>

const ynode ht_absent = {.kind = YN_SCALAR, .type = YT_NULL, .text = ""};

/* ---- values of the runtime as trees ---- */

static ynode *
scalar(ht_template *t, const ynode *at, enum yn_type type, const char *text)
{
	ynode *y = yn_make_text(t->h->c, at, text);
	y->type = (uint8_t)type;
	return y;
}

static const ynode *
from_list(ht_template *t, const ynode *at, const vt_list *l)
{
	ynode *y = yn_make_list(t->h->c, at);
	for (uint32_t i = 0; i < l->n; i++)
		yn_add(t->h->c, y, (ynode *)(uintptr_t)ht_from_value(t, at, l->v[i]));
	return y;
}

static const ynode *
from_dict(ht_template *t, const ynode *at, const vt_dict *d)
{
	ynode *y = yn_make_map(t->h->c, at);
	uint32_t pos = 0;
	vt_value key, value;
	while (vt_dict_at(d, &pos, &key, &value))
		yn_put_key(t->h->c, y, (ynode *)(uintptr_t)ht_from_value(t, at, key),
			(ynode *)(uintptr_t)ht_from_value(t, at, value));
	return y;
}

static const ynode *
from_number(ht_template *t, const ynode *at, vt_value v)
{
	ynode *y = scalar(t, at, YT_FLOAT, "");
	if (vt_num_double(t->h->rt, v, &y->f) != VT_OK)
		vt_exc_clear(t->h->rt);
	y->text = vc_format(t->h->c, "%.17g", y->f);
	y->ntext = (uint32_t)strlen(y->text);
	return y;
}

const ynode *
ht_from_value(ht_template *t, const ynode *at, vt_value v)
{
	vc *c = t->h->c;
	int64_t i;
	if (vt_is(v, STR)) {
		const vt_str *s = vt_as_str(v);
		ynode *y = scalar(t, at, YT_STR, vc_strndup(c, s->s, s->bytes));
		y->ntext = s->bytes;
		return y;
	}
	if (vt_is_sequence(v))
		return from_list(t, at, vt_as_list(v));
	if (vt_is(v, DICT))
		return from_dict(t, at, vt_as_dict(v));
	if (vt_is_bool(v)) {
		ynode *y = scalar(t, at, YT_BOOL, v == VT_TRUE ? "true" : "false");
		y->i = v == VT_TRUE;
		return y;
	}
	if (vt_int_fits(v, &i))
		return yn_make_int(c, at, i);
	if (vt_is_number(v))
		return from_number(t, at, v);
	return scalar(t, at, YT_NULL, "null");
}

/* ---- expressions ---- */

static const ynode *
eval_list(ht_template *t, const ynode *y)
{
	ynode *out = yn_make_list(t->h->c, y);
	for (uint32_t i = 0; i < y->n; i++) {
		const ynode *v = ht_eval(t, y->item[i]);
		if (v != &ht_absent)
			yn_add(t->h->c, out, (ynode *)(uintptr_t)v);
	}
	return out;
}

static const ynode *
eval_map(ht_template *t, const ynode *y)
{
	ynode *out = yn_make_map(t->h->c, y);
	for (uint32_t i = 0; i < y->n; i++) {
		const ynode *v = ht_eval(t, y->item[i]);
		if (v != &ht_absent)
			yn_put_key(t->h->c, out, y->key[i], (ynode *)(uintptr_t)v);
	}
	return out;
}

const ynode *
ht_eval(ht_template *t, const ynode *y)
{
	bool is_call = false;
	if (y->kind == YN_ERROR)
		return NULL;
	if (y->kind == YN_SEQ)
		return eval_list(t, y);
	if (y->kind != YN_MAP) {
		ht_reads_like_call(t, y);
		return y;
	}
	const ynode *v = ht_call(t, y, &is_call);
	return is_call ? v : eval_map(t, y);
}

/*
 * object.c - values that a host makes: collections in one go, dates, functions, iterators, and
 * errors that carry a value.
 */
#include "compiler/libvetro/int.h"
#include "compiler/libvetro/vetro_host.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/call/call.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- exact kinds ------------------------------------------------------------------------- */

static vetro_form
form_of_view(vt_value v)
{
	switch ((enum vt_view)vt_head_of(v)->aux) {
	case VT_VIEW_KEYS: return VETRO_FORM_KEYS;
	case VT_VIEW_VALUES: return VETRO_FORM_VALUES;
	case VT_VIEW_ITEMS: return VETRO_FORM_ITEMS;
	}
	return VETRO_FORM_PLAIN;
}

vetro_form
vetro_form_of(vetro_value given)
{
	vt_value v = word(given);

	if (v == VT_NOVALUE)
		return VETRO_FORM_NO_VALUE;
	if (given == NULL || !vt_is_ptr(v))
		return VETRO_FORM_PLAIN;
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_TUPLE: return VETRO_FORM_TUPLE;
	case VT_K_LIST: return VETRO_FORM_LIST;
	case VT_K_DICT:
		return vt_head_of(v)->flags & VT_F_FROZEN ? VETRO_FORM_FROZEN : VETRO_FORM_DICT;
	case VT_K_ITER: return VETRO_FORM_ITERATOR;
	case VT_K_MEMO: return VETRO_FORM_MEMO;
	case VT_K_ORDERING: return VETRO_FORM_ORDERING;
	case VT_K_VIEW: return form_of_view(v);
	case VT_K_DATETIME: return vt_is_date(v) ? VETRO_FORM_DATE : VETRO_FORM_PLAIN;
	case VT_K_REGEX: return VETRO_FORM_REGEX;
	case VT_K_SCOPE: return VETRO_FORM_CONTEXT;
	case VT_K_MAPPING: return VETRO_FORM_MAPPING;
	case VT_K_HOST: return vt_foreign_of(v) ? VETRO_FORM_OBJECT : VETRO_FORM_PLAIN;
	case VT_K_FLOAT:
	case VT_K_BIGINT:
	case VT_K_STR:
	case VT_K_SET:
	case VT_K_LAMBDA:
	case VT_K_TIMESPAN:
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF:
	case VT_K_REFLECT:
	case VT_K_EXC:
	case VT_K_COUNT: break;
	}
	return VETRO_FORM_PLAIN;
}

const char *
vetro_type_name(vetro_value v)
{
	return vt_py_type(word(v));
}

vetro_value
vetro_no_value(void)
{
	return (vetro_value)(uintptr_t)VT_NOVALUE;
}

/* ---- collections ------------------------------------------------------------------------- */

static bool
all_given(size_t n, const vetro_value *v)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == NULL)
			return false;
	return n <= INT32_MAX;
}

static void
drop_all(size_t n, const vetro_value *v)
{
	for (size_t i = 0; i < n; i++)
		vetro_unref(v[i]);
}

static vetro_value
sequence(vetro_engine *e, enum vt_kind kind, size_t n, const vetro_value *items)
{
	vt_list *l;
	bool prepared = kind == VT_K_TUPLE;

	if (!all_given(n, items)) {
		drop_all(n, items);
		return NULL;
	}
	l = vt_list_new(e->rt, kind, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		l->v[i] = word(items[i]);
		prepared = prepared && lv_is_prepared(l->v[i]);
	}
	if (prepared)
		l->h.aux = LV_PREPARED;
	return handle(vt_mkptr(l));
}

vetro_value
vetro_tuple(vetro_engine *e, size_t n, const vetro_value *items)
{
	return sequence(e, VT_K_TUPLE, n, items);
}

vetro_value
vetro_list_of(vetro_engine *e, size_t n, const vetro_value *items)
{
	return sequence(e, VT_K_LIST, n, items);
}

vetro_value
vetro_frozen(vetro_engine *e, size_t n, const vetro_value *pairs)
{
	bool ok = all_given(2 * n, pairs), prepared = ok;
	vt_dict *d = ok ? vt_dict_new_cap(e->rt, true, (uint32_t)n) : NULL;
	vt_value made = ok ? vt_mkptr(d) : VT_UNDEF;

	for (size_t i = 0; ok && i < n; i++) {
		vt_value key = word(pairs[2 * i]), v = word(pairs[2 * i + 1]);
		ok = vt_dict_set(e->rt, d, key, v) == VT_OK;
		prepared = prepared && lv_is_prepared(key) && lv_is_prepared(v);
	}
	drop_all(2 * n, pairs);
	if (!ok) {
		vt_release(made);
		if (e->running == 0)
			vt_exc_clear(e->rt);
		return NULL;
	}
	if (prepared)
		vt_head_of(made)->aux = LV_PREPARED;
	return handle(made);
}

vetro_value
vetro_set(vetro_engine *e, size_t n, const vetro_value *items)
{
	bool ok = all_given(n, items);
	vt_set *s = vt_set_new(e->rt);

	for (size_t i = 0; ok && i < n; i++)
		ok = vt_set_add(e->rt, s, word(items[i])) == VT_OK;
	drop_all(n, items);
	if (ok)
		return handle(vt_mkptr(s));
	vt_release(vt_mkptr(s));
	if (e->running == 0)
		vt_exc_clear(e->rt);
	return NULL;
}

int
vetro_set_next(vetro_value set, size_t *pos, vetro_value *item)
{
	uint32_t at = (uint32_t)*pos;
	vt_value v = VT_UNDEF;

	if (!vt_is(word(set), SET) || !vt_set_at(vt_as_set(word(set)), &at, &v))
		return 0;
	*pos = at;
	*item = handle(v);
	return 1;
}

vetro_value
vetro_view_dict(vetro_value v)
{
	return vt_is(word(v), VIEW) ? handle(VT_AS(vt_view_obj, word(v))->dict) : NULL;
}

int
vetro_mapping_parts(vetro_value v, vetro_value *key, vetro_value *value)
{
	if (v == NULL || !vt_is(word(v), MAPPING))
		return -1;
	*key = handle(VT_AS(vt_mapping, word(v))->key);
	*value = handle(VT_AS(vt_mapping, word(v))->value);
	return 0;
}

vetro_value
vetro_mapping(vetro_engine *e, vetro_value key, vetro_value value)
{
	vt_mapping *m = vt_alloc(e->rt, sizeof *m, VT_K_MAPPING);

	m->key = word(key);
	m->value = word(value);
	return handle(vt_mkptr(m));
}

/* ---- dates, timespans, regular expressions ------------------------------------------------ */

vetro_value
vetro_datetime(vetro_engine *e, int64_t us, int32_t offset, int naive)
{
	return handle(vt_datetime_value(e->rt, us, offset, naive != 0));
}

int
vetro_get_datetime(vetro_value v, int64_t *us, int32_t *offset, int *naive)
{
	const vt_datetime *d = VT_AS(const vt_datetime, word(v));

	if (v == NULL || !vt_is(word(v), DATETIME))
		return -1;
	*us = d->us;
	*offset = d->offset;
	*naive = d->naive;
	return 0;
}

vetro_value
vetro_timespan(vetro_engine *e, int64_t us)
{
	return handle(vt_timespan_value(e->rt, us));
}

int
vetro_get_timespan(vetro_value v, int64_t *us)
{
	if (v == NULL || !vt_is(word(v), TIMESPAN) || vt_span_us(word(v)) > INT64_MAX ||
		vt_span_us(word(v)) < INT64_MIN)
		return -1;
	*us = (int64_t)vt_span_us(word(v));
	return 0;
}

vetro_value
vetro_timespan_of(vetro_engine *e, int64_t days, int64_t us)
{
	int64_t rest = us % VT_DAY_US;

	rest += rest < 0 ? VT_DAY_US : 0;
	us = (us - rest) / VT_DAY_US;
	if (days > VT_MOST_DAYS || days < -VT_MOST_DAYS || days + us > VT_MOST_DAYS ||
		days + us < -VT_MOST_DAYS)
		return NULL;
	return handle(vt_timespan_of(e->rt, days + us, rest));
}

int
vetro_get_timespan_of(vetro_value v, int64_t *days, int64_t *us)
{
	if (v == NULL || !vt_is(word(v), TIMESPAN))
		return -1;
	*days = VT_AS(vt_timespan, word(v))->days;
	*us = VT_AS(vt_timespan, word(v))->us;
	return 0;
}

vetro_value
vetro_regex(vetro_engine *e, const char *pattern, size_t n, int64_t flags, vetro_error **err)
{
	vetro_value text = vetro_string(e, pattern, n);
	vt_value v = VT_UNDEF;
	vt_status st;

	if (text == NULL) {
		lv_error(err, "ValueError", "the pattern is not valid UTF-8");
		return NULL;
	}
	st = vt_regex_make(e->rt, word(text), flags, &v);
	vetro_unref(text);
	if (st == VT_OK)
		return handle(v);
	lv_fail(e, err);
	return NULL;
}

const char *
vetro_get_regex(vetro_value v, size_t *n, int64_t *flags)
{
	const vt_regex *r = VT_AS(const vt_regex, word(v));

	if (v == NULL || !vt_is(word(v), REGEX))
		return NULL;
	*flags = r->flags;
	return vetro_get_string(handle(r->pattern), n);
}

/* ---- functions ---------------------------------------------------------------------------- */

typedef struct callable {
	vetro_engine *engine;
	vetro_callable_function *fn;
	void *user;
	void (*drop)(void *);
} callable;

enum { FEW_ARGS = 16 };

/* A callback that failed and raised nothing is still a failure. */
static vt_status
settle(vt_rt *rt, vetro_value made, vt_value *out)
{
	if (made != NULL) {
		vt_exc_clear(rt);
		*out = word(made);
		return VT_OK;
	}
	return vt_pending(rt) ? VT_ERROR
			      : vt_raise(rt, VT_E_HOST, "the function of the host gave no value");
}

/* What the call names, or what a function of the library has set around it. */
static vetro_value
named_values(vt_rt *rt)
{
	vt_value kw = rt->s->applied_kw;
	const vt_scope *around = rt->s->applied_in;

	rt->s->applied_kw = VT_UNDEF;
	rt->s->applied_in = NULL;
	if (vt_is(kw, DICT) && vt_dict_len(vt_as_dict(kw)) > 0)
		return handle(vt_copy(kw));
	return around != NULL ? handle(vt_scope_inner(rt, around)) : NULL;
}

static vt_status
call_callable(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
{
	callable *c = data;
	vetro_value few[FEW_ARGS], *v = few, made, kw;

	if (rt->depth >= rt->max_depth)
		return vt_raise_depth(rt);
	if (n > FEW_ARGS)
		v = vt_xmalloc(n * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = args[i] == VT_NOVALUE ? vetro_no_value() : handle(args[i]);
	rt->depth++;
	c->engine->running++;
	c->engine->escapes++;
	kw = named_values(rt);
	made = c->fn(c->engine, n, v, kw, c->user);
	vetro_unref(kw);
	c->engine->running--;
	rt->depth--;
	if (v != few)
		free(v);
	return settle(rt, made, out);
}

static void
drop_callable(void *data)
{
	callable *c = data;

	if (c->drop != NULL)
		c->drop(c->user);
	free(c);
}

vetro_value
vetro_callable(vetro_engine *e, vetro_callable_function *fn, void *user, void (*drop)(void *))
{
	callable *c = vt_xmalloc(sizeof *c);

	*c = (callable){e, fn, user, drop};
	return handle(vt_lambda_native(e->rt, call_callable, c, drop_callable));
}

void *
vetro_callable_user(vetro_value v, vetro_callable_function *fn)
{
	const vt_lambda *l = VT_AS(const vt_lambda, word(v));
	const callable *c;

	if (v == NULL || !vt_is(word(v), LAMBDA) || l->native != call_callable)
		return NULL;
	c = l->data;
	return c->fn == fn ? c->user : NULL;
}

/* ---- iterators ---------------------------------------------------------------------------- */

/* An iterator's ops are constants, so each host type has one of these, for as long as the iterator
 * lives. */
typedef struct lazy {
	vt_iter_ops ops;
	vetro_engine *engine;
	const vetro_lazy_type *type;
	void *user;
} lazy;

static vt_status
next_lazy(vt_rt *rt, vt_iter *it, vt_value *out)
{
	lazy *l = it->p;
	vetro_value item = NULL;
	int st;

	*out = VT_UNDEF;
	l->engine->running++;
	st = l->type->next(l->engine, l->user, &item);
	l->engine->running--;
	if (st > 0)
		*out = word(item);
	if (st >= 0)
		return VT_OK;
	return vt_pending(rt) ? VT_ERROR
			      : vt_raise(rt, VT_E_HOST, "the iterator of the host failed");
}

static void
drop_lazy(vt_iter *it)
{
	lazy *l = it->p;

	if (l->type->drop != NULL)
		l->type->drop(l->user);
	free(l);
}

vetro_value
vetro_lazy(vetro_engine *e, const vetro_lazy_type *type, void *user)
{
	lazy *l = vt_xmalloc(sizeof *l);
	vt_iter *it;

	*l = (lazy){{next_lazy, drop_lazy, type->name, 48, NULL}, e, type, user};
	it = vt_iter_new(e->rt, &l->ops);
	it->p = l;
	return handle(vt_mkptr(it));
}

void *
vetro_lazy_user(vetro_value v, const vetro_lazy_type *type)
{
	const vt_iter *it = VT_AS(const vt_iter, word(v));
	const lazy *l;

	if (v == NULL || !vt_is(word(v), ITER) || it->ops->next != next_lazy)
		return NULL;
	l = it->p;
	return l->type == type ? l->user : NULL;
}

/* ---- errors ------------------------------------------------------------------------------- */

vetro_value
vetro_fail(vetro_engine *e, const char *type, const char *message, vetro_value value)
{
	size_t n = strlen(message);

	if (vt_utf8_check(type, strlen(type)) != strlen(type))
		type = "HostError";
	(void)vt_host_raise(e->rt, type, message, vt_utf8_check(message, n));
	if (value != NULL && vt_pending(e->rt) != NULL) {
		vt_release(vt_pending(e->rt)->arg);
		vt_pending(e->rt)->arg = word(vetro_ref(value));
	}
	return NULL;
}

vetro_value
vetro_error_value(const vetro_error *err)
{
	return err->value;
}

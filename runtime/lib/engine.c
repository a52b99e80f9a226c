/*
 * engine.c - what the engine adds to MuranoPL's functions: muranopl-engine.md 7,
 * runtime/lib/engine.fn.
 */
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* ---- base64 ---- */

vt_status
vt_lib_base64encode(vt_args *a, vt_value *out)
{
	const vt_str *s = vt_as_str(a->v[0]);
	vt_buf b = {0};
	vt_base64(&b, s->s, s->bytes, 0);
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

static vt_status
bad_base64(vt_rt *rt)
{
	return vt_raise(rt, VT_E_TYPE, "%s", "Incorrect padding");
}

/* Characters outside of the alphabet are skipped, as Python's decoder does; padding must be
 * right. */
vt_status
vt_lib_base64decode(vt_args *a, vt_value *out)
{
	const vt_str *s = vt_as_str(a->v[0]);
	vt_buf b = {0};

	if (!vt_base64_decode(&b, s->s, s->bytes)) {
		vt_buf_free(&b);
		return bad_base64(a->rt);
	}
	if (vt_utf8_check(b.p, b.n) != b.n) {
		vt_status st = vt_raise_utf8(a->rt, b.p, b.n, vt_utf8_check(b.p, b.n));
		vt_buf_free(&b);
		return st;
	}
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

/* ---- bind() ---- */

/* "{word}": behind the closing brace, or NULL. */
static const char *
placeholder(const char *p)
{
	const char *q = p + 1, *next;
	if (*p != '{')
		return NULL;
	for (; *q != '\0' && *q != '}'; q = next) {
		next = q;
		if (!vt_is_word(vt_utf8_next(&next)))
			return NULL;
	}
	return *q == '}' && q > p + 1 ? q + 1 : NULL;
}

static vt_status
key_missing(vt_rt *rt, vt_value key)
{
	vt_buf b = {0};
	vt_repr_cut(rt, &b, key);
	return vt_raise_value(rt, VT_E_KEY, vt_str_take(rt, &b));
}

/* $name is the value itself, $..{k}.. a text with values in it. */
static vt_status
bind_macro(vt_rt *rt, const vt_str *s, const vt_dict *with, vt_value *out)
{
	vt_buf b = {0};
	bool any = false;
	const char *p = s->s + 1, *end;
	vt_value key, v;
	while (*p != '\0') {
		if ((end = placeholder(p)) == NULL) {
			vt_buf_putc(&b, *p++);
			continue;
		}
		key = vt_str_new(rt, p + 1, (size_t)(end - p) - 2);
		v = vt_dict_get(with, key);
		vt_pystr(rt, &b, v == VT_UNDEF ? VT_NULL : v);
		vt_release(key);
		any = true;
		p = end;
	}
	if (any) {
		*out = vt_str_take(rt, &b);
		return VT_OK;
	}
	vt_buf_free(&b);
	key = vt_str_c(rt, s->s + 1);
	v = vt_dict_get(with, key);
	if (v == VT_UNDEF) {
		vt_status st = key_missing(rt, key);
		vt_release(key);
		return st;
	}
	vt_release(key);
	*out = vt_copy(v == VT_NULL ? vt_mkptr(s) : v);
	return VT_OK;
}

static vt_status bind(vt_rt *, vt_value, const vt_dict *with, vt_value *out);

static vt_status
bind_list(vt_rt *rt, const vt_list *from, const vt_dict *with, vt_value *out)
{
	vt_list *l = vt_list_grow(rt, VT_K_LIST, from->n);
	for (uint32_t i = 0; i < from->n; i++) {
		vt_value v = VT_UNDEF;
		if (bind(rt, from->v[i], with, &v) != VT_OK) {
			vt_release(vt_mkptr(l));
			return VT_ERROR;
		}
		vt_list_push(rt, l, v);
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

static vt_status
bind_entry(vt_rt *rt, vt_dict *to, vt_value key, vt_value v, const vt_dict *with)
{
	vt_value k = VT_UNDEF, w = VT_UNDEF;
	vt_status st = bind(rt, key, with, &k);
	if (st == VT_OK)
		st = bind(rt, v, with, &w);
	if (st == VT_OK)
		st = vt_dict_set(rt, to, k, w);
	vt_release(k);
	vt_release(w);
	return st;
}

static vt_status
bind_dict(vt_rt *rt, const vt_dict *from, const vt_dict *with, vt_value *out)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(from, &i, &key, &v);)
		if (bind_entry(rt, d, key, v, with) != VT_OK) {
			vt_release(vt_mkptr(d));
			return VT_ERROR;
		}
	*out = vt_mkptr(d);
	return VT_OK;
}

static vt_status
bind(vt_rt *rt, vt_value v, const vt_dict *with, vt_value *out)
{
	vt_status st = VT_OK;
	if (vt_is(v, STR) && vt_as_str(v)->s[0] == '$')
		return bind_macro(rt, vt_as_str(v), with, out);
	if (!vt_is_sequence(v) && !vt_is(v, DICT)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	rt->depth++;
	if (vt_is(v, DICT))
		st = bind_dict(rt, vt_as_dict(v), with, out);
	else
		st = bind_list(rt, vt_as_list(v), with, out);
	rt->depth--;
	return st;
}

vt_status
vt_lib_bind(vt_args *a, vt_value *out)
{
	return bind(a->rt, a->v[0], vt_as_dict(a->v[1]), out);
}

/* ---- the rest ---- */

vt_status
vt_lib_pselect(vt_args *a, vt_value *out)
{
	vt_value it = VT_UNDEF, list = VT_UNDEF;
	vt_status st;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &it));
	st = vt_to_tuple(a->rt, a->unit, it, &list);
	vt_release(it);
	if (st != VT_OK)
		return st;
	st = vt_select_all(a->rt, list, a->v[1], out);
	vt_release(list);
	return st;
}

static void
put_base36(vt_buf *b, uint64_t n, size_t limit)
{
	char text[16];
	size_t k = sizeof text;
	do {
		text[--k] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36];
		n /= 36;
	} while (n > 0 && k > 0);
	vt_buf_put(b, text + k, sizeof text - k < limit ? sizeof text - k : limit);
}

/* Five random letters, the time in milliseconds and a counter, the two in base 36. */
vt_status
vt_lib_random_name(vt_args *a, vt_value *out)
{
	unsigned char r[5] = {0};
	struct timespec t;
	vt_buf b = {0};
	if (a->rt->s->dry_run) { /* what is simulated is the same each time */
		*out = vt_drawn(a->rt,
			vt_str_printf(a->rt, "rnd%04llu", (unsigned long long)++a->rt->s->next_id));
		return VT_OK;
	}
	if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
		return vt_raise(a->rt, VT_E_RUNTIME, "the system gives no random numbers");
	for (size_t i = 0; i < sizeof r; i++)
		vt_buf_putc(&b, (char)('a' + r[i] % 26));
	clock_gettime(CLOCK_REALTIME, &t);
	put_base36(&b, (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000, 8);
	put_base36(&b, ++a->rt->s->next_id % 1296, 2);
	*out = vt_drawn(a->rt, vt_str_take(a->rt, &b));
	return VT_OK;
}

/* Of the scenario of a dry run; VT_UNDEF: it has none. */
static vt_value
secrets_of(vt_rt *rt)
{
	vt_value scenario = rt->s->scenario;
	vt_value v =
		vt_is(scenario, DICT) ? vt_dict_get_c(vt_as_dict(scenario), "secrets") : VT_UNDEF;
	return vt_is(v, DICT) ? v : VT_UNDEF;
}

/* No key manager is part of the runtime: a host's function of this name hides this one. */
vt_status
vt_lib_decrypt_data(vt_args *a, vt_value *out)
{
	vt_value secrets = secrets_of(a->rt), v;
	if (secrets != VT_UNDEF) {
		v = vt_dict_get(vt_as_dict(secrets), a->v[0]);
		if (v == VT_UNDEF)
			return vt_raise(a->rt, VT_E_KEY,
				"the scenario has no secret with the id \"%s\"",
				vt_as_str(a->v[0])->s);
		*out = vt_copy(v);
		return VT_OK;
	}
	return vt_raise(a->rt, VT_E_AUTH_TYPE, "Invalid auth_type was specified, auth_type: None");
}

vt_status
vt_lib_logger(vt_args *a, vt_value *out)
{
	vt_value name = vt_str_c(a->rt, "io.murano.system.Logger");
	vt_class *c = vt_find_class(a->rt, a->unit->pkg, vt_as_str(name));
	vt_dict *params;
	vt_status st;
	vt_release(name);
	if (c == NULL)
		return VT_ERROR;
	params = vt_dict_new(a->rt, true);
	vt_dict_set_c(a->rt, params, "loggerName", vt_copy(a->v[0]));
	st = vt_new_object(a->rt, a->unit, c, vt_mkptr(params), VT_NULL, VT_NULL, VT_NULL, out);
	vt_release(vt_mkptr(params));
	return st;
}

vt_status
vt_lib_substr(vt_args *a, vt_value *out)
{
	vt_value args[2] = {a->v[1], a->v[2]};
	return vt_call_method_name(a->rt, a->scope, a->unit, "substring", a->v[0], 2, args, out);
}

vt_status
vt_lib_first_or_default(vt_args *a, vt_value *out)
{
	vt_value it = VT_UNDEF, v = VT_UNDEF;
	vt_status st;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &it));
	st = vt_next(a->rt, it, &v);
	vt_release(it);
	if (st == VT_OK)
		*out = v == VT_UNDEF ? vt_copy(a->v[1]) : v;
	return st;
}

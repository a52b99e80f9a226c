/*
 * functions.c - the rows of lib/form.fn: what expressions of a form can call besides YAQL.
 */
#include "registry.h"
#include "runtime/call/call.h"
#include "runtime/core/args.h"
#include "runtime/form/int.h"

#include <time.h>

/* ---- repeat ---- */

static vt_status
repeat_once(vt_form *f, vt_args *a, int64_t index, vt_value *out)
{
	vt_scope *sc = vt_scope_child(a->rt, a->scope, 0, NULL);
	vt_value name = vt_str_c(a->rt, "index");
	vt_status st;

	vt_scope_set(a->rt, sc, vt_as_str(name), vt_mkint(index));
	vt_release(name);
	st = vt_form_evaluate(f, sc, a->v[0], out);
	vt_scope_end(sc);
	return st;
}

vt_status
vt_lib_form_repeat(vt_args *a, vt_value *out)
{
	int64_t times = vt_int_clamped(a->v[1]), most = a->unit->opt.limit_iterators;
	vt_list *l = vt_list_grow(a->rt, VT_K_LIST, 4);
	vt_status st = VT_OK;

	if (most >= 0 && times > most)
		st = vt_too_large(a->rt, most);
	for (int64_t i = 1; st == VT_OK && i <= times; i++) {
		vt_value v = VT_UNDEF;
		st = repeat_once(a->rt->s->form, a, i, &v);
		if (st == VT_OK)
			vt_list_push(a->rt, l, v);
	}
	return vt_settle(st, vt_mkptr(l), out);
}

/* ---- generateHostname ---- */

static void
put_base36(vt_buf *b, uint64_t n)
{
	char digit[16];
	int k = 0;

	do
		digit[k++] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36];
	while ((n /= 36) != 0);
	while (k > 0)
		vt_buf_putc(b, digit[--k]);
}

enum { LETTERS = 5, MOST_HOSTS = 1296 };

/* Five letters, the time in milliseconds, and a number that counts.  A seed stands for the time
 * too. */
static vt_value
new_hostname(vt_form *f)
{
	struct timespec now = {1500000000, 0};
	vt_buf b = {NULL, 0, 0};

	for (int i = 0; i < LETTERS; i++)
		vt_buf_putc(&b, (char)('a' + vt_form_random(f) % 26));
	if (!f->ask->seeded)
		clock_gettime(CLOCK_REALTIME, &now);
	put_base36(&b, (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
	f->hosts = f->hosts % (MOST_HOSTS - 1) + 1;
	put_base36(&b, f->hosts);
	return vt_str_take(f->rt, &b);
}

vt_status
vt_lib_form_hostname(vt_args *a, vt_value *out)
{
	const vt_str *pattern = vt_as_str(a->v[0]);
	vt_buf b = {NULL, 0, 0};

	if (pattern->bytes == 0) {
		*out = new_hostname(a->rt->s->form);
		return VT_OK;
	}
	for (uint32_t i = 0; i < pattern->bytes; i++)
		if (pattern->s[i] == '#')
			vt_pystr(a->rt, &b, a->v[1]);
		else
			vt_buf_putc(&b, pattern->s[i]);
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

/* ---- ref ---- */

/* The object that the name stands for: made by the first call. */
static vt_status
object_of(vt_form *f, vt_args *a, vt_value key, vt_value *out)
{
	vt_value kept = vt_dict_get(vt_as_dict(f->refs), key), template;
	vt_value made = VT_UNDEF;

	if (kept != VT_UNDEF) {
		*out = vt_copy(kept);
		return VT_OK;
	}
	*out = VT_NULL;
	template = vt_form_get(f->root, "templates");
	template = vt_is(template, DICT) ? vt_dict_get(vt_as_dict(template), a->v[0]) : VT_UNDEF;
	if (template == VT_UNDEF)
		return VT_OK;
	VT_TRY(vt_form_evaluate(f, a->scope, template, &made));
	vt_dict_set(a->rt, vt_as_dict(f->refs), key, made);
	*out = made;
	return VT_OK;
}

/* With a head that has an id of this run, which is kept so. */
static vt_value
identified(vt_form *f, vt_value key, vt_value object)
{
	vt_value head = vt_form_get(object, "?"), id = vt_form_new_id(f);
	vt_dict *d = vt_dict_copy(f->rt, vt_as_dict(object), false);
	vt_dict *h = vt_is(head, DICT) ? vt_dict_copy(f->rt, vt_as_dict(head), false)
				       : vt_dict_new(f->rt, false);

	vt_dict_set(f->rt, vt_as_dict(f->made), id, VT_TRUE);
	vt_dict_set_c(f->rt, h, "id", id);
	vt_dict_set_c(f->rt, d, "?", vt_mkptr(h));
	vt_dict_set(f->rt, vt_as_dict(f->refs), key, vt_mkptr(d));
	return vt_mkptr(d);
}

vt_status
vt_lib_form_ref(vt_args *a, vt_value *out)
{
	vt_form *f = a->rt->s->form;
	bool named = vt_is(a->v[1], STR) && vt_as_str(a->v[1])->bytes > 0, id_only = true;
	vt_value key = named ? a->v[1] : a->v[0], object = VT_UNDEF;

	VT_TRY(object_of(f, a, key, &object));
	if (!vt_is(object, DICT)) {
		vt_release(object);
		*out = VT_NULL;
		return VT_OK;
	}
	if (vt_dict_get(vt_as_dict(f->made), vt_form_get(vt_form_get(object, "?"), "id")) ==
		VT_UNDEF) {
		vt_move(&object, identified(f, key, object));
		id_only = false;
	}
	if (a->v[2] != VT_NULL)
		id_only = a->v[2] == VT_TRUE;
	*out = vt_copy(id_only ? vt_form_get(vt_form_get(object, "?"), "id") : object);
	vt_release(object);
	return VT_OK;
}

/* ---- name, encryptData ---- */

vt_status
vt_lib_form_name(vt_args *a, vt_value *out)
{
	*out = vt_copy(((vt_form *)a->rt->s->form)->name);
	return VT_OK;
}

/* The key store is what the environment has as `secrets`: {id: text}. */
vt_status
vt_lib_form_encrypt(vt_args *a, vt_value *out)
{
	const vt_form *f = (vt_form *)a->rt->s->form;
	vt_value secrets = vt_form_get(f->ask->environment, "secrets"), id, text;
	for (uint32_t i = 0;
		vt_is(secrets, DICT) && vt_dict_at(vt_as_dict(secrets), &i, &id, &text);)
		if (vt_is(text, STR) && vt_str_eq(vt_as_str(text), vt_as_str(a->v[0]))) {
			*out = vt_copy(id);
			return VT_OK;
		}
	if (vt_is(secrets, DICT))
		return vt_host_raise(a->rt, "KeyManagerError",
			"the secrets of the environment have no such text", 48);
	return vt_host_raise(
		a->rt, "KeyManagerError", "there is no key store that could keep the text", 46);
}

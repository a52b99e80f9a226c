/* const.c - what code of a program makes: constants that are no static data, dicts.  And dicts by
 * keys that are C strings. */
#include "runtime/core/dict.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

/*
 * The integers that code has named last, by where their digits are.  Code of a text that is gone
 * may have left its place to another; so the digits are compared too.
 */
enum { BIGS = 32, MOST_DIGITS = 63 };
struct vt_bigs {
	struct {
		vt_value v; /* VT_NULL: none */
		char digits[MOST_DIGITS + 1];
	} of[BIGS];
};

void
vt_bigs_free(struct vt_bigs *b)
{
	for (uint32_t i = 0; b != NULL && i < BIGS; i++)
		vt_release(b->of[i].v);
	free(b);
}

static struct vt_bigs *
bigs_of(vt_session *s)
{
	if (s->bigs == NULL) {
		s->bigs = vt_xmalloc(sizeof *s->bigs);
		for (uint32_t i = 0; i < BIGS; i++)
			s->bigs->of[i].v = VT_NULL;
	}
	return s->bigs;
}

vt_status
vt_big_const(vt_rt *rt, const char *digits, vt_value *out)
{
	struct vt_bigs *b = bigs_of(rt->s);
	uint32_t i = (uint32_t)((uintptr_t)digits ^ (uintptr_t)digits >> 5) % BIGS;
	size_t n;
	if (b->of[i].v != VT_NULL && strcmp(b->of[i].digits, digits) == 0) {
		*out = vt_copy(b->of[i].v);
		return VT_OK;
	}
	n = strlen(digits);
	VT_TRY(vt_int_parse(rt, digits, n, 10, out));
	if (n <= MOST_DIGITS) {
		vt_move(&b->of[i].v, vt_copy(*out));
		memcpy(b->of[i].digits, digits, n + 1);
	}
	return VT_OK;
}

/* ---- dicts that code puts together ---- */

vt_dict *
vt_dict_new(vt_rt *rt, bool frozen)
{
	return vt_dict_new_cap(rt, frozen, 4);
}

vt_dict *
vt_dict_new_hashed(vt_rt *rt, bool frozen)
{
	vt_dict *d = vt_dict_new_cap(rt, frozen, 0);
	d->shape = NULL;
	d->t = NULL;
	return d;
}

vt_status
vt_dict_of(vt_rt *rt, uint32_t n, const vt_value *pairs, vt_value *out)
{
	vt_dict *d = vt_dict_new_cap(rt, true, n);
	d->h.flags |= VT_F_FINAL; /* vt_dict_set takes it back for what is not */
	for (uint32_t i = 0; i < n; i++) {
		vt_status st = vt_dict_set(rt, d, pairs[2 * i], pairs[2 * i + 1]);
		if (st != VT_OK) {
			vt_release(vt_mkptr(d));
			return st;
		}
	}
	*out = vt_mkptr(d);
	return VT_OK;
}

vt_status
vt_record_of(vt_rt *rt, vt_ic *ic, uint32_t n, const vt_value *pairs, vt_value *out)
{
	vt_shape *s = (vt_shape *)(uintptr_t)ic->key;
	bool final = true;
	vt_dict *d;
	if (unlikely(s == NULL)) {
		s = vt_shape_of_keys(rt, n, pairs, 2);
		if (s == NULL)
			return vt_dict_of(rt, n, pairs, out);
		ic->key = s;
	}
	d = vt_dict_room(rt, true, s);
	for (uint32_t i = 0; i < n; i++) {
		d->v[i] = vt_copy(pairs[2 * i + 1]);
		final = final && (vt_final_now(d->v[i]) || vt_is_final(d->v[i]));
	}
	if (final)
		d->h.flags |= VT_F_FINAL;
	*out = vt_mkptr(d);
	return VT_OK;
}

/* ---- C strings as keys ------------------------------------------------------------ */

/* The key is a C string of the runtime: short ones are looked up through a string on the C
 * stack. */
vt_value
vt_dict_get_c(const vt_dict *d, const char *key)
{
	struct {
		vt_str s;
		char room[120];
	} k;
	size_t n = strlen(key);
	vt_str *s = n < sizeof k.room ? &k.s : vt_xmalloc(sizeof *s + n + 1);
	vt_value v;
	s->h = (vt_head){VT_IMMORTAL, VT_K_STR, 0, 0};
	s->bytes = (uint32_t)n;
	s->points = 0;
	s->hash = 0;
	memcpy((char *)s + offsetof(vt_str, s), key, n + 1);
	v = vt_dict_get_str(d, s);
	if (s != &k.s)
		free(s);
	return v;
}

void
vt_dict_set_c(vt_rt *rt, vt_dict *d, const char *key, vt_value owned)
{
	vt_value k = vt_str_c(rt, key);
	(void)vt_dict_set(rt, d, k, owned);
	vt_release(k);
	vt_release(owned);
}

/*
 * containers.c - contracts of lists and dicts: muranopl-engine.md 6.
 *
 * What an element's contract hands on as it is stays in the list or dict it is in: a new one is
 * made from the first element on that is another.
 */
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/shape.h"
#include "runtime/core/value.h"
#include "runtime/object/contract.h"
#include "runtime/object/object.h"
#include "runtime/object/store.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

static vt_status
hand_on(vt_value v, vt_value *out)
{
	*out = vt_copy(v);
	return VT_OK;
}

static vt_status
item(vt_rt *rt, vt_cx *cx, vt_contract_fn contract, vt_value v, vt_value *out)
{
	if (contract == NULL || v == VT_PASSKEY)
		return vt_final_fast(rt, cx->unit, v, out);
	return contract(rt, cx, v, out);
}

/* "[key]" in front of the path, if an expression below was violated. */
static __attribute__((cold)) void
grow_path(vt_rt *rt, vt_cx *cx, vt_value key)
{
	vt_buf b = {0}, shown = {0};
	if (cx->path == NULL)
		return;
	vt_buf_putc(&b, '[');
	vt_format_scalar(rt, &shown, key);
	vt_put_cut(&b, shown.p ? shown.p : "", shown.n);
	vt_buf_free(&shown);
	vt_buf_putc(&b, ']');
	vt_buf_puts(&b, cx->path);
	vt_buf_putc(&b, '\0');
	free(cx->path);
	cx->path = vt_xstrdup(b.p);
	vt_buf_free(&b);
}

/* What a list contract sees: iterators are drained, null is empty, anything else stands for itself.
 */
static vt_status
as_sequence(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	if (vt_is_sequence(v))
		return hand_on(v, out);
	if (vt_is(v, ITER))
		return vt_to_tuple(rt, cx->unit, v, out);
	return vt_tuple_of(rt, v == VT_NULL || v == VT_NOVALUE ? 0 : 1, &v, out);
}

static vt_status
check_length(vt_rt *rt, uint32_t n, int64_t min, int64_t max)
{
	if (max >= 0 && (n < min || n > max))
		return vt_raise(rt, VT_E_CONTRACT,
			"Array length %u is not within [%lld..%lld] range", n, (long long)min,
			(long long)max);
	if (n < min)
		return vt_raise(rt, VT_E_CONTRACT, "Array length %u must not be less than %lld", n,
			(long long)min);
	return VT_OK;
}

/* *to stays NULL while every item is handed on as it is.  *final: so is each item. */
static vt_status
map_items(vt_rt *rt, vt_cx *cx, const vt_list *from, uint32_t n, const vt_contract_fn *items,
	vt_list **to, bool *final)
{
	for (uint32_t i = 0; i < from->n; i++) {
		vt_value v = VT_UNDEF;
		vt_status st = item(rt, cx, items[i < n ? i : n - 1], from->v[i], &v);
		if (st != VT_OK) {
			grow_path(rt, cx, vt_mkint(i));
			return st;
		}
		if (*to == NULL && v == from->v[i]) {
			vt_release(v);
			continue;
		}
		if (*to == NULL) {
			*to = vt_list_grow(rt, VT_K_TUPLE, from->n);
			vt_list_extend(rt, *to, i, from->v);
		}
		*final &= vt_final_now(v);
		vt_list_push(rt, *to, v);
		if (i == 0 && from->n >= VT_MANY_ITEMS && vt_is(v, OBJECT) &&
			vt_is(from->v[0], DICT))
			vt_load_expect(rt, from->n);
	}
	return VT_OK;
}

/* Is it evaluated, so that what changes nothing of it may hand it on? */
static bool
is_kept(vt_value v, enum vt_kind kind, uint8_t flags)
{
	return VT_KIND(v) == (int)kind && (vt_head_of(v)->flags & flags) == flags;
}

vt_status
vt_c_list(vt_rt *rt, vt_cx *cx, vt_value v, uint32_t n, const vt_contract_fn *items, int64_t min,
	int64_t max, vt_value *out)
{
	vt_value seq = VT_UNDEF;
	vt_list *made = NULL;
	bool final = true;
	vt_status st;
	if (v == VT_PASSKEY)
		return hand_on(v, out);
	VT_TRY(as_sequence(rt, cx, v, &seq));
	if (n == 0) {
		*out = seq;
		return VT_OK;
	}
	st = check_length(rt, vt_as_list(seq)->n, min, max);
	if (!is_kept(seq, VT_K_TUPLE, VT_F_FINAL))
		made = vt_list_grow(rt, VT_K_TUPLE, vt_as_list(seq)->n);
	if (st == VT_OK)
		st = map_items(rt, cx, vt_as_list(seq), n, items, &made, &final);
	if (made != NULL) {
		vt_release(seq);
		seq = vt_mkptr(made);
		if (st == VT_OK && final)
			made->h.flags |= VT_F_FINAL;
	}
	return vt_settle(st, seq, out);
}

/*
 * What a dict contract makes: `made`, or NULL while it is the first `same` entries of `from`, which
 * is evaluated.  next: the position of the entry behind those.  like: of the shape of `from`, it
 * gets the values while the keys come in its order; or NULL.
 */
struct members {
	vt_rt *rt;
	vt_cx *cx;
	const vt_dict *from;
	vt_dict *made, *like;
	uint32_t same, next;
};

static bool
is_same_key(vt_value a, vt_value b)
{
	return a == b || (vt_is(a, STR) && vt_is(b, STR) && vt_str_eq(vt_as_str(a), vt_as_str(b)));
}

static __attribute__((cold)) void
start_over(struct members *m)
{
	vt_value key, v;
	uint32_t pos = 0;
	m->made = vt_dict_new(m->rt, true);
	for (uint32_t i = 0; i < m->same && vt_dict_at(m->like ? m->like : m->from, &pos, &key, &v);
		i++)
		(void)vt_dict_set(m->rt, m->made, key, v); /* it is one already */
}

/* Nothing has changed but values of records. */
static void
begin(struct members *m, vt_value v)
{
	if (is_kept(v, VT_K_DICT, VT_F_FINAL | VT_F_FROZEN))
		return;
	if (m->from->shape != NULL && m->from->n > 0)
		m->like = vt_dict_shaped(m->rt, true, m->from->shape, NULL);
	else
		m->made = vt_dict_new(m->rt, true);
}

static vt_value
end(struct members *m, vt_status st, vt_value from)
{
	if (st == VT_OK && m->made == NULL && m->same < vt_dict_len(m->from))
		start_over(m);
	if (m->made == NULL && m->like == NULL)
		return from;
	vt_release(from);
	if (m->made == NULL)
		return vt_mkptr(m->like);
	if (m->like != NULL)
		vt_release(vt_mkptr(m->like));
	return vt_mkptr(m->made);
}

static vt_status
add_member(struct members *m, vt_value key, vt_value value)
{
	vt_value k, v;
	uint32_t pos = m->next;
	if (m->made == NULL) {
		if (vt_dict_at(m->from, &pos, &k, &v) && is_same_key(k, key) &&
			(m->like != NULL || v == value)) {
			if (m->like != NULL)
				vt_move(&m->like->v[m->same], vt_copy(value));
			m->next = pos;
			m->same++;
			return VT_OK;
		}
		start_over(m);
	}
	return vt_dict_set(m->rt, m->made, key, value);
}

static vt_status
map_entry(struct members *m, vt_value key, vt_contract_fn contract, vt_value v)
{
	vt_value made = VT_UNDEF;
	vt_status st = item(m->rt, m->cx, contract, v, &made);
	if (st != VT_OK) {
		grow_path(m->rt, m->cx, key);
		return st;
	}
	st = add_member(m, key, made);
	vt_release(made);
	return st;
}

/* Keys the contract does not name, through its expression key.  While nothing has changed those
 * that it names are the first. */
static vt_status
map_others(struct members *m, vt_contract_fn keys, vt_contract_fn values)
{
	vt_value key, v, made;
	for (uint32_t i = m->made ? 0 : m->next; vt_dict_at(m->from, &i, &key, &v);) {
		vt_status st;
		if (m->made != NULL && vt_dict_get(m->made, key) != VT_UNDEF)
			continue;
		made = VT_UNDEF;
		VT_TRY(item(m->rt, m->cx, keys, key, &made));
		st = map_entry(m, made, values, v);
		vt_release(made);
		VT_TRY(st);
	}
	return VT_OK;
}

/* ---- records of a known shape ---- */

static __attribute__((noinline)) bool
learn_record(vt_rt *rt, vt_known_record *r, vt_shape *from, uint32_t n, const vt_value *keys)
{
	*r = (vt_known_record){.from = NULL};
	r->to = vt_shape_root(rt);
	for (uint32_t i = 0; i < n; i++) {
		r->to = vt_shape_add(rt, r->to, vt_as_str(keys[i]));
		if (r->to == NULL || r->to->n != i + 1)
			return false;
		r->at[i] = (uint8_t)(vt_shape_find(from, vt_as_str(keys[i])) + 1);
	}
	r->from = from;
	return true;
}

/* NULL: there is none. */
static inline const vt_known_record *
known_record(vt_rt *rt, const vt_dict *d, uint32_t n, const vt_value *keys)
{
	uint64_t h = ((uintptr_t)d->shape ^ keys[0] * 3) * UINT64_C(0x9e3779b97f4a7c15);
	vt_known_record *r = &vt_store_of(rt)->records[h >> 40 & (VT_KNOWN_RECORDS - 1)];
	bool same = r->from == d->shape && r->to->n == n;
	for (uint32_t i = 0; same && i < n; i++)
		same = is_same_key(vt_mkptr(r->to->key[i]), keys[i]);
	return same || learn_record(rt, r, d->shape, n, keys) ? r : NULL;
}

static vt_status
map_record(vt_rt *rt, vt_cx *cx, const vt_dict *from, const vt_known_record *r,
	const vt_contract_fn *values, vt_value *out)
{
	const vt_known_record known = *r; /* a contract may want its place */
	vt_dict *d = vt_dict_shaped(rt, true, known.to, NULL);
	bool final = true;
	for (uint32_t i = 0; i < known.to->n; i++) {
		vt_value v = known.at[i] ? from->v[known.at[i] - 1] : VT_NULL;
		vt_status st = item(rt, cx, values[i], v, &d->v[i]);
		if (st != VT_OK) {
			d->v[i] = VT_NULL;
			grow_path(rt, cx, vt_mkptr(known.to->key[i]));
			vt_release(vt_mkptr(d));
			return st;
		}
		final &= vt_final_now(d->v[i]);
	}
	if (final)
		d->h.flags |= VT_F_FINAL;
	*out = vt_mkptr(d);
	return VT_OK;
}

int
vt_c_members(vt_ic *ic, vt_value v, uint32_t n, const vt_value *keys, const uint32_t *takes)
{
	const vt_dict *d = vt_as_dict(v);
	if (!is_kept(v, VT_K_DICT, VT_F_FINAL | VT_F_FROZEN) || d->shape == NULL || d->n != n)
		return 0;
	for (uint32_t i = 0; ic->key != d->shape && i < n; i++)
		if (!vt_str_eq(d->shape->key[i], vt_as_str(keys[i])))
			return 0;
	ic->key = d->shape;
	for (uint32_t i = 0; i < n; i++)
		if (!vt_takes(d->v[i], takes[i]))
			return 0;
	return 1;
}

/* has_rest counts the expression keys; more than one is an error that shows when the contract runs.
 */
vt_status
vt_c_dict(vt_rt *rt, vt_cx *cx, vt_value v, uint32_t n, const vt_value *keys,
	const vt_contract_fn *values, int has_rest, vt_contract_fn rest_key,
	vt_contract_fn rest_value, vt_value *out)
{
	struct members m = {.rt = rt, .cx = cx};
	const vt_known_record *r;
	vt_value from;
	vt_status st = VT_OK;
	if (v == VT_PASSKEY)
		return hand_on(v, out);
	if (v != VT_NULL && v != VT_NOVALUE && !vt_is(v, DICT))
		return vt_c_violated(rt, NULL, "Value ", v, " is not of a dictionary type");
	if (n == 0 && !has_rest && vt_is(v, DICT))
		return hand_on(v, out);
	if (has_rest > 1)
		return vt_raise(rt, VT_E_DSL_CONTRACT_SYNTAX,
			"Dictionary contract cannot have more than one expression key");
	if (vt_is(v, DICT) && vt_as_dict(v)->shape != NULL && !has_rest && n <= VT_RECORD_KEYS &&
		!(vt_head_of(v)->flags & VT_F_BORROWED) &&
		(r = known_record(rt, vt_as_dict(v), n, keys)) != NULL &&
		(r->to != vt_as_dict(v)->shape || !is_kept(v, VT_K_DICT, VT_F_FINAL | VT_F_FROZEN)))
		return map_record(rt, cx, vt_as_dict(v), r, values, out);
	from = vt_is(v, DICT) ? vt_copy(v) : vt_mkptr(vt_dict_new(rt, true));
	m.from = vt_as_dict(from);
	begin(&m, v);
	for (uint32_t i = 0; st == VT_OK && i < n; i++) {
		vt_value was = vt_dict_get(m.from, keys[i]);
		st = map_entry(&m, keys[i], values[i], was == VT_UNDEF ? VT_NULL : was);
	}
	if (st == VT_OK && has_rest)
		st = map_others(&m, rest_key, rest_value);
	return vt_settle(st, end(&m, st, from), out);
}

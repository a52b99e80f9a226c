/*
 * keyed.c - filters that ask for one value, so that not everybody has to be asked.
 *
 * `$equal: [ EXPRESSION, CONSTANT ]`, by itself or as a part of `$and`, is a key: whoever gives
 * another value for the expression does not pass.  An index has the plain values (integers and
 * texts) that everybody gives for one expression, sorted by their hashes.  Who gives something
 * else, nothing yet, or a value that may still change, is of the rest, which is always asked.
 */
#include "runtime/tosca/mem.h"

#include <stdlib.h>
#include <string.h>

/* Do both ask the same? */
bool
vt_tosca_same_expr(const vt_tmodel *m, uint32_t a, uint32_t b)
{
	const vt_texpr *x = &m->expr[a], *y = &m->expr[b];
	uint32_t n = x->kind == VT_TX_MAP ? 2 * x->n : x->n;
	if (a == b)
		return true;
	if (!a || !b || x->kind != y->kind || x->n != y->n)
		return false;
	switch ((enum vt_tx_kind)x->kind) {
	case VT_TX_NONE: return false;
	case VT_TX_NULL: return true;
	case VT_TX_BOOL:
	case VT_TX_INT: return x->u.i == y->u.i;
	case VT_TX_FLOAT: return memcmp(&x->u.f, &y->u.f, sizeof x->u.f) == 0;
	case VT_TX_BIG:
	case VT_TX_STR: return x->u.str == y->u.str;
	case VT_TX_CALL:
		if (x->u.k.fn != y->u.k.fn)
			return false;
		break;
	case VT_TX_LIST:
	case VT_TX_MAP: break;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!vt_tosca_same_expr(m, m->index[x->u.k.at + i], m->index[y->u.k.at + i]))
			return false;
	return true;
}

/* ---- keys ---- */

static bool
calls(const vt_texpr *e, vt_tfn fn)
{
	return e->kind == VT_TX_CALL && !(e->u.k.fn & VT_TX_CUSTOM) &&
	       vt_tfuncs[e->u.k.fn].fn == fn;
}

static bool
is_plain(const vt_texpr *e)
{
	return e->kind == VT_TX_INT || e->kind == VT_TX_STR;
}

bool
vt_tosca_key(const vt_tmodel *m, uint32_t filter, vt_tkey *out)
{
	const vt_texpr *e = &m->expr[filter];
	const uint32_t *kid = m->index + e->u.k.at;
	if (filter && calls(e, vt_tf_equal) && e->n == 2) {
		uint32_t side = is_plain(&m->expr[kid[0]]) ? 1 : 0;
		*out = (vt_tkey){kid[side], kid[1 - side]};
		return is_plain(&m->expr[out->constant]) && !m->expr[out->asked].constant;
	}
	for (uint32_t i = 0; filter && calls(e, vt_tf_and) && i < e->n; i++)
		if (calls(&m->expr[kid[i]], vt_tf_equal) && vt_tosca_key(m, kid[i], out))
			return true;
	return false;
}

/* Of an integer or a text; false: it has none. */
static bool
hash_of(vt_value v, uint64_t *out)
{
	if (vt_is_int(v)) {
		int64_t i = vt_toint(v);
		*out = vt_hash_bytes((const char *)&i, sizeof i);
	} else if (vt_is(v, STR)) {
		*out = vt_hash_bytes(vt_as_str(v)->s, vt_as_str(v)->bytes);
	} else {
		return false;
	}
	return true;
}

/* What an expression gives there, if that is plain and stays so. */
static bool
answer(vt_tosca *t, const vt_tctx *ctx, uint32_t expr, uint64_t *out)
{
	vt_value v = VT_UNDEF;
	bool touched = t->touched, ok;
	t->mem->quiet++;
	t->touched = false;
	ok = vt_tosca_eval(t, ctx, expr, &v) && !t->touched && hash_of(v, out);
	t->mem->quiet--;
	t->touched |= touched;
	vt_clear(&v);
	return ok;
}

/* ---- indexes ---- */

static int
by_hash(const void *a, const void *b)
{
	const vt_tkeyed *x = a, *y = b;
	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1)
	       : x->at < y->at    ? -1
				  : x->at > y->at;
}

void
vt_tosca_index_add(vt_tosca *t, vt_tindex *x, const vt_tctx *ctx, uint32_t expr, uint32_t at)
{
	uint64_t hash;
	if (answer(t, ctx, expr, &hash))
		vt_push(x->keyed, x->n) = (vt_tkeyed){hash, at};
	else
		vt_push(x->rest, x->nrest) = at;
}

void
vt_tosca_index_done(vt_tindex *x)
{
	if (x->n)
		qsort(x->keyed, x->n, sizeof *x->keyed, by_hash);
}

void
vt_tosca_index_free(vt_tindex *x)
{
	free(x->keyed);
	free(x->rest);
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Those of a hash and the rest, in order; malloc'd. */
static uint32_t *
of_hash(const vt_tindex *x, uint64_t hash, uint32_t *n)
{
	uint32_t lo = 0, hi = x->n, *out;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (x->keyed[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < x->n && x->keyed[hi].hash == hash;)
		hi++;
	*n = hi - lo + x->nrest;
	out = vt_xmalloc((*n + 1) * sizeof *out);
	for (uint32_t i = lo; i < hi; i++)
		out[i - lo] = x->keyed[i].at;
	if (x->nrest)
		memcpy(out + (hi - lo), x->rest, x->nrest * sizeof *out);
	qsort(out, *n, sizeof *out, by_number);
	return out;
}

uint32_t *
vt_tosca_index_find(vt_tosca *t, const vt_tindex *x, uint32_t constant, uint32_t *n)
{
	vt_tctx ctx = {.value = VT_UNDEF};
	uint64_t hash = 0;
	answer(t, &ctx, constant, &hash);
	return of_hash(x, hash, n);
}

bool
vt_tosca_index_ask(vt_tosca *t, const vt_tindex *x, const vt_tctx *ctx, uint32_t expr,
	uint32_t **out, uint32_t *n)
{
	uint64_t hash;
	if (!answer(t, ctx, expr, &hash))
		return false;
	*out = of_hash(x, hash, n);
	return true;
}

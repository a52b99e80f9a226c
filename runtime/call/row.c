/*
 * row.c - calls of what resolve.c chose: the values as a row takes them, its result, methods and
 * what def() made.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

/* ---- calling a row --------------------------------------------------------------------------- */

static vt_status
null_lambda(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
{
	return vt_raise(rt, VT_E_TYPE, "'NoneType' object is not callable");
}

static vt_value
lambda_of_arg(const call *c, const vt_arg *a)
{
	if (a->code != NULL)
		return vt_lambda_new(c->rt, a->code, c->sc);
	return vt_lambda_constant(c->rt, a->kind == VT_A_NOVALUE ? VT_NOVALUE : constant_of(a));
}

/* Both sides of a mapping as lambdas: switch() and its like evaluate what they need. */
static vt_value
lazy_mapping(const call *c, const carg *g)
{
	vt_value key = lambda_of_arg(c, g->a->key), v;
	v = g->code != NULL ? vt_lambda_new(c->rt, g->code, c->sc)
			    : vt_lambda_constant(c->rt, g->v);
	return mapping(c->rt, key, v);
}

vt_value
vt_lazy_value(const call *c, const vt_fnparam *p, const carg *g)
{
	vt_value l;
	if (p->type == VT_T_OWN_LAZY && g->code == NULL && g->kind != VT_A_MAPPING)
		return VT_UNDEF; /* a literal, or a value */
	if (g->kind == VT_A_MAPPING)
		return lazy_mapping(c, g);
	if (g->kind == RAW && g->v == VT_NULL)
		return p->has_default && p->dflt == VT_NULL
			       ? VT_UNDEF
			       : vt_lambda_native(c->rt, null_lambda, NULL, NULL);
	if (g->kind == RAW && vt_is(g->v, LAMBDA))
		return VT_UNDEF;
	if (g->code == NULL)
		return vt_lambda_constant(c->rt, g->v);
	l = vt_lambda_new(c->rt, g->code, c->sc);
	VT_AS(vt_lambda, l)->method = vt_is_method_lambda(p->type);
	return l;
}

/* Sized collections are measured when they are passed; the others count as they are read. */
static vt_status
limit(call *c, vt_value v)
{
	int64_t most = c->unit ? c->unit->opt.limit_iterators : -1, n = -1;
	if (most < 0 || !(vt_is_sequence(v) || vt_is(v, DICT) || is_set_like(v)))
		return VT_OK;
	VT_TRY(vt_len(c->rt, v, &n));
	if (n > most)
		return vt_raise(c->rt, VT_E_TOO_LARGE, "Collection length exceeds %lld elements",
			(long long)most);
	return VT_OK;
}

static vt_value
in_utc(vt_rt *rt, vt_value v)
{
	vt_datetime *d = vt_alloc(rt, sizeof *d, VT_K_DATETIME);
	d->us = VT_AS(vt_datetime, v)->us;
	d->offset = 0;
	d->naive = 0;
	return vt_mkptr(d);
}

/* What stays an expression or is a keyword is one to the reference, whatever it will give. */
static vt_status
quota_of_arg(call *c, const vt_fnparam *p, const carg *g)
{
	bool constant = p->type == VT_T_KEYWORD || p->type == VT_T_STRING_CONST ||
			p->type == VT_T_CONST || p->type == VT_T_BOOL_CONST ||
			p->type == VT_T_NUMBER_CONST;
	if (p->type == VT_T_DATETIME)
		return VT_OK;
	if (constant || (vt_is_lazy_type(p->type) && g->kind != RAW))
		return vt_quota_expression(c->rt);
	return vt_quota_value(c->rt, g->v);
}

/* Of a type that a host made. */
static vt_status
convert_own(call *c, const vt_fnparam *p, vt_value *v, vt_value *own)
{
	vt_value made = VT_UNDEF;
	VT_TRY(vt_own_convert(c->rt, c->unit, p->own, *v, &made));
	vt_move(own, made);
	*v = made;
	return VT_OK;
}

static inline vt_status
convert(call *c, const vt_fnparam *p, const carg *g, vt_value *v, vt_value *own)
{
	*own = VT_UNDEF;
	if (vt_metered(c->rt))
		VT_TRY(quota_of_arg(c, p, g));
	*v = g->v;
	if (vt_is_lazy_type(p->type))
		*own = vt_lazy_value(c, p, g);
	else if (p->type == VT_T_DATETIME && vt_is(g->v, DATETIME) &&
		 VT_AS(vt_datetime, g->v)->naive)
		*own = in_utc(c->rt, g->v);
	else if (p->type == VT_T_ITERABLE || p->type == VT_T_ITERATOR)
		VT_TRY(limit(c, g->v));
	if (*own != VT_UNDEF)
		*v = *own;
	return p->own != NULL ? convert_own(c, p, v, own) : VT_OK;
}

static vt_status
standard_value(call *c, const vt_fnparam *p, uint32_t i, vt_value *v, vt_value *own)
{
	carg *g = i < c->npos && !omitted(&c->pos[i]) ? &c->pos[i]
		  : c->nkw                            ? keyword(c, p->name)
						      : NULL;
	if (g != NULL)
		return convert(c, p, g, v, own);
	*own = p->dflt_str ? vt_str_c(c->rt, p->dflt_str) : VT_UNDEF;
	*v = p->dflt_str ? *own : p->dflt;
	return vt_metered(c->rt) && *v != VT_NOVALUE ? vt_quota_value(c->rt, *v) : VT_OK;
}

/* The result of a call counts, and goes when it is too much. */
static vt_status
quota_of_result(vt_rt *rt, vt_status st, vt_value *out)
{
	if (st == VT_OK && (st = vt_quota_value(rt, *out)) != VT_OK)
		vt_clear(out);
	return st;
}

static vt_status
keyword_values(call *c, const vt_fnrow *r, vt_args *a)
{
	const vt_fnparam *rest = rest_param(r, 2);
	vt_dict *d;
	if (rest == NULL)
		return VT_OK;
	d = vt_dict_new(c->rt, true);
	a->kw = vt_mkptr(d);
	for (uint32_t i = 0; i < c->nkw; i++) {
		vt_value v, own;
		vt_status st;
		if (vt_by_keyword(r, c->kw[i].name->s) != rest)
			continue;
		VT_TRY(convert(c, rest, &c->kw[i], &v, &own));
		st = vt_dict_set(c->rt, d, vt_mkptr(c->kw[i].name), v);
		vt_release(own);
		VT_TRY(st);
	}
	return VT_OK;
}

static vt_status
bind_values(call *c, const vt_fnrow *r, vt_args *a, vt_value *v, vt_value *own)
{
	const vt_fnparam *rest = rest_param(r, 1);
	a->v = v;
	a->rest = v + a->nv;
	for (uint32_t i = 0; i < a->nv; i++)
		VT_TRY(standard_value(c, &r->params[i], i, &v[i], &own[i]));
	for (uint32_t i = a->nv; i < c->npos; i++) {
		VT_TRY(convert(c, rest, &c->pos[i], &v[i], &own[i]));
		a->nrest++;
	}
	return keyword_values(c, r, a);
}

vt_status
vt_call_row(call *c, const vt_fnrow *r, vt_value *out)
{
	vt_value small[4 * SMALL], *v = small, *own;
	vt_args a = {.rt = c->rt,
		.scope = c->sc,
		.unit = c->unit,
		.site = c->site,
		.row = r,
		.self = c->recv,
		.from = c->from,
		.kw = VT_NULL,
		.nv = nstandard(r)};
	uint32_t n = a.nv > c->npos ? a.nv : c->npos;
	vt_status st;
	if (2 * n > VT_LEN(small))
		v = vt_xmalloc(2 * n * sizeof *v);
	own = v + n;
	for (uint32_t i = 0; i < n; i++)
		own[i] = VT_UNDEF;
	st = bind_values(c, r, &a, v, own);
	if (st == VT_OK)
		st = r->fn(&a, out);
	if (vt_metered(c->rt))
		st = quota_of_result(c->rt, st, out);
	for (uint32_t i = 0; i < n; i++)
		vt_release(own[i]);
	vt_release(a.kw);
	if (v != small)
		free(v);
	return st;
}

/* ---- calling methods and what def() made ----------------------------------------------------- */

vt_status
vt_call_keywords_dict(call *c, vt_value *out)
{
	vt_dict *d;
	*out = VT_NULL;
	if (c->nkw == 0)
		return VT_OK;
	d = vt_dict_new(c->rt, true);
	*out = vt_mkptr(d);
	for (uint32_t i = 0; i < c->nkw; i++)
		VT_TRY(vt_dict_set(c->rt, d, vt_mkptr(c->kw[i].name), c->kw[i].v));
	return VT_OK;
}

vt_status
vt_call_other(call *c, const cand *k, vt_value *out)
{
	uint32_t from = (k->what == C_METHOD || k->what == C_MOCK) && !k->extension ? 1 : 0,
		 n = c->npos - from;
	vt_value small[SMALL + 1], *v = n <= VT_LEN(small) ? small : vt_xmalloc(n * sizeof *v),
				   kw = VT_NULL;
	vt_status st = vt_call_keywords_dict(c, &kw);
	for (uint32_t i = 0; i < n; i++)
		v[i] = c->pos[i + from].v;
	for (uint32_t i = 0; vt_metered(c->rt) && st == VT_OK && i < n; i++)
		st = vt_quota_value(c->rt, v[i]);
	if (st == VT_OK && k->what == C_METHOD)
		st = vt_invoke(c->rt, c->unit, k->m, k->self, n, v, kw, out);
	else if (st == VT_OK && k->what == C_MOCK)
		st = vt_mock_call(c->rt, c->sc, c->unit, k->mock, k->self, n, v, kw, out);
	else if (st == VT_OK)
		st = vt_apply_kw(c->rt, k->self, n, v, kw, out);
	if (vt_metered(c->rt))
		st = quota_of_result(c->rt, st, out);
	vt_release(kw);
	if (v != small)
		free(v);
	return st;
}

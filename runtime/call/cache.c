/*
 * cache.c - what the inline cache of a site keeps of the row that was chosen there: which calls may
 * go by it, and how much of the way they can leave out.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"

const char vt_site_keys[NKEYS];

uint64_t
vt_site_tags(const call *c, const vt_fnrow *r)
{
	uint64_t t = 0;
	uint32_t ns = nstandard(r);
	for (uint32_t i = 0; i < c->npos; i++) {
		bool lazy = r->lazy >> (i < ns ? i : 31) & 1;
		t = t << VT_TAG_BITS | (lazy ? TAG_LAZY : vt_tag_of(c->pos[i].v));
	}
	for (uint32_t i = 0; i < c->nkw; i++) {
		bool lazy = vt_is_lazy_type(vt_by_keyword(r, c->kw[i].name->s)->type);
		t = t << VT_TAG_BITS | (lazy ? TAG_LAZY : vt_tag_of(c->kw[i].v));
	}
	return t;
}

/* Omitted arguments, and mappings that are evaluated or become keywords only here, go the long
 * way. */
bool
vt_simple_args(const vt_site *s, const vt_fnrow *r)
{
	for (uint32_t i = 0; i < s->nargs; i++) {
		if (s->args[i].kind == VT_A_NOVALUE)
			return false;
		if (s->args[i].kind == VT_A_MAPPING &&
			(r == NULL || !(r->lazy >> 31) || !(r->flags & VT_FN_NO_KWARGS)))
			return false;
		if (s->args[i].keyword != NULL && r != NULL && (r->flags & VT_FN_NO_KWARGS) &&
			!(r->lazy >> 31))
			return false;
	}
	return s->nargs <= SMALL;
}

/* Does the value of an argument reach such a parameter unchanged? */
static bool
takes_plainly(const vt_unit *u, const vt_fnparam *p)
{
	bool limited = u != NULL && u->opt.limit_iterators >= 0;
	return !vt_is_lazy_type(p->type) &&
	       !(limited && (p->type == VT_T_ITERABLE || p->type == VT_T_ITERATOR));
}

/* A date without a zone gets one where a parameter wants that. */
static bool
any_naive(const call *c)
{
	for (uint32_t i = 0; i < c->npos; i++)
		if (vt_tag_of(c->pos[i].v) == VT_TAG_NAIVE)
			return true;
	for (uint32_t i = 0; i < c->nkw; i++)
		if (vt_tag_of(c->kw[i].v) == VT_TAG_NAIVE)
			return true;
	return false;
}

/* Is a parameter left out whose default is a text, which has to be made? */
static bool
defaults_to_text(const call *c, const vt_fnrow *r)
{
	for (uint32_t i = c->npos; i < r->nparams; i++)
		if (r->params[i].kind == 0 && r->params[i].dflt_str != NULL)
			return true;
	return false;
}

/* Nothing that is evaluated here or wrapped, nothing that is converted. */
static __attribute__((cold)) bool
is_plain(const call *c, const vt_fnrow *r)
{
	const vt_site *s = c->site;
	if (r->nparams > VT_MOST_PLAIN || vt_metered(c->rt) || any_naive(c) ||
		defaults_to_text(c, r))
		return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code != NULL || (s->args[i].keyword != NULL && c->nkw == 0))
			return false;
	for (uint32_t i = 0; i < r->nparams; i++) {
		/* **kwargs that nobody gave: no dict has to be made */
		bool none = r->params[i].kind == 2 && c->nkw == 0 &&
			    r->flags >> VT_FN_PLACE != VT_IN_NEW;
		/* what is not given has its default */
		if (i >= c->npos && c->nkw == 0 && r->params[i].kind == 0)
			continue;
		if (!none && (r->params[i].kind == 2 || !takes_plainly(s->unit, &r->params[i])))
			return false;
	}
	return true;
}

/* The argument as it is written, or NULL for the receiver. */
static const vt_arg *
written(const call *c, uint32_t i)
{
	uint32_t recv = c->recv != VT_UNDEF;
	return i < recv ? NULL : &c->site->args[i - recv];
}

/* Does the argument become a lambda of where the call stands, with nothing more to be known? */
static bool
is_plain_lambda(const vt_fnparam *p, const vt_arg *a)
{
	return p->type != VT_T_EXPR && p->type != VT_T_RULE_LAZY && a != NULL &&
	       (a->kind == VT_A_EXPR || a->kind == VT_A_CALL) && a->code != NULL;
}

/* As is_plain, where expressions stay what they are if the parameter wants that. */
static __attribute__((cold)) bool
is_plain_but_lambdas(const call *c, const vt_fnrow *r)
{
	uint32_t n = nstandard(r);
	const vt_fnparam *rest = r->lazy >> 31 ? rest_param(r, 1) : NULL;
	if (r->nparams > VT_MOST_PLAIN || (c->npos > n && rest == NULL) || c->nkw > 0 ||
		vt_metered(c->rt) || any_naive(c))
		return false;
	for (uint32_t i = 0; i < c->npos; i++) {
		const vt_fnparam *p = i < n ? &r->params[i] : rest;
		const vt_arg *a = written(c, i);
		if (a != NULL && a->keyword != NULL)
			return false;
		if (vt_is_lazy_type(p->type)
				? !is_plain_lambda(p, a)
				: (a != NULL && a->code != NULL) || !takes_plainly(c->unit, p))
			return false;
	}
	return true;
}

static bool
is_sized(vt_value v)
{
	return vt_is(v, DICT) || vt_is(v, STR) || vt_is(v, SET);
}

/* What methods have in place of the row, or know of it, for arguments of these kinds: see
 * VT_IN_SHIFT. */
static uint64_t
in_place(const call *c, const vt_fnrow *r)
{
	uint32_t what = r->flags >> VT_FN_PLACE, k = what == VT_IN_IN && r->name[0] == '#';
	bool fits = what == VT_IN_RANGE || what == VT_IN_STR || what == VT_IN_LET ||
		    what == VT_IN_LIST || what == VT_IN_SPLIT || what >= VT_IN_SET ||
		    (what == VT_IN_IN && (vt_is(c->pos[k].v, SET) || vt_is(c->pos[k].v, VIEW))) ||
		    (what == VT_IN_ISA && vt_is(c->pos[0].v, OBJECT)) ||
		    ((what == VT_IN_GET || what == VT_IN_KEYS) && vt_is(c->pos[0].v, DICT)) ||
		    (what == VT_IN_LEN && is_sized(c->pos[0].v)) ||
		    (k < c->npos && (what == VT_IN_EATS ? vt_is(c->pos[k].v, ITER)
							: vt_is_sequence(c->pos[k].v)));
	if (what == VT_IN_EATS && vt_is_sequence(c->pos[0].v) && strcmp(r->name, "toList") == 0)
		return (uint64_t)VT_IN_SAME << VT_IN_SHIFT;
	return what != 0 && fits ? (uint64_t)what << VT_IN_SHIFT : 0;
}

static uint32_t
quick_kind(vt_value v)
{
	return vt_is_int(v)        ? VT_QUICK_INT
	       : vt_is(v, STR)     ? VT_QUICK_STR
	       : vt_is(v, DICT)    ? VT_QUICK_DICT
	       : vt_is_sequence(v) ? VT_QUICK_LIST
				   : 0;
}

/* Are these the kinds that the quick function of the row is for?  It takes one argument in place of
 * *rest. */
static bool
is_quick(const call *c, const vt_fnrow *r)
{
	uint32_t ns = nstandard(r);
	for (uint32_t i = 0; i < c->npos; i++) {
		uint32_t wanted = r->quick_takes >> 4 * i & 15;
		if (wanted != VT_QUICK_ANY && quick_kind(c->pos[i].v) != wanted)
			return false;
	}
	return r->quick != NULL &&
	       (c->npos == r->nparams || (ns == r->nparams && c->npos < r->nparams));
}

/* dict() whose arguments are mappings and names, no name twice? */
static bool
is_record(const vt_site *s, const vt_fnrow *r)
{
	if (strcmp(r->name, "dict") != 0 || s->nargs == 0 || s->nargs > SMALL)
		return false;
	for (uint32_t i = 0; i < s->nargs; i++) {
		const vt_arg *a = &s->args[i];
		if (a->keyword == NULL && (a->kind != VT_A_MAPPING || a->key == NULL))
			return false;
		for (uint32_t k = 0; k < i && a->keyword != NULL; k++)
			if (s->args[k].keyword != NULL && vt_str_eq(s->args[k].keyword, a->keyword))
				return false;
	}
	return true;
}

/* Do all keyword arguments go to **, whatever they are, and the others as they are? */
static __attribute__((cold)) bool
takes_names(const call *c, const vt_fnrow *r)
{
	const vt_fnparam *named = rest_param(r, 2), *rest = rest_param(r, 1);
	const vt_site *s = c->site;
	if (c->nkw == 0 || named == NULL || named->type != VT_T_ANY || r->lazy != 0 ||
		r->nparams > VT_MOST_PLAIN || vt_metered(c->rt) || any_naive(c) ||
		defaults_to_text(c, r))
		return false;
	for (uint32_t i = 0; i < s->nargs; i++) {
		const vt_str *name = s->args[i].keyword;
		if (s->args[i].code != NULL || (name && vt_by_keyword(r, name->s) != named))
			return false;
		for (uint32_t k = 0; name && k < i; k++)
			if (s->args[k].keyword && vt_str_eq(s->args[k].keyword, name))
				return false;
	}
	for (uint32_t i = 0; i < c->npos || i < nstandard(r); i++) {
		const vt_fnparam *p = i < nstandard(r) ? &r->params[i] : rest;
		if (!takes_plainly(c->unit, p))
			return false;
	}
	return true;
}

/* mergeWith() of two dicts with what it merges values by. */
static uint64_t
merges(const call *c, const vt_fnrow *r)
{
	if (r->flags >> VT_FN_PLACE != VT_IN_MERGEWITH || c->npos < 2 ||
		!vt_is(c->pos[0].v, DICT) || !vt_is(c->pos[1].v, DICT) || vt_metered(c->rt) ||
		any_naive(c))
		return 0;
	return (uint64_t)VT_IN_MERGEWITH << VT_IN_SHIFT;
}

__attribute__((cold)) vt_ic
vt_cache_row(const call *c, const vt_fnrow *r)
{
	vt_ic ic = {.key = &vt_site_keys[ROW_KEY],
		.target = (void *)(uintptr_t)r,
		.aux = vt_site_tags(c, r),
		.aux2 = c->npos + c->nkw};
	if (r->flags >> VT_FN_PLACE == VT_IN_NEW && vt_site_makes(c)) {
		ic.aux2 |= (uint64_t)VT_IN_NEW << VT_IN_SHIFT;
		return ic;
	}
	if (r->flags >> VT_FN_PLACE == VT_IN_CHOICE) {
		ic.aux2 |= (uint64_t)VT_IN_CHOICE << VT_IN_SHIFT;
		if (!vt_simple_args(c->site, r))
			ic.key = &vt_site_keys[is_record(c->site, r) ? RECORD_KEY : CHOICE_KEY];
		return ic;
	}
	if (takes_names(c, r)) {
		ic.key = &vt_site_keys[NAMED_KEY];
		ic.aux >>= c->nkw * VT_TAG_BITS;
		ic.aux2 = c->npos | (uint64_t)nstandard(r) << PLAIN_SHIFT | in_place(c, r);
	} else if (c->nkw > 0) {
		if (is_plain(c, r) && vt_places_of(c, r) != 0) {
			ic.key = &vt_site_keys[KEYWORDS_KEY];
			ic.aux2 |= (uint64_t)nstandard(r) << PLAIN_SHIFT;
		}
	} else if (is_plain(c, r)) {
		ic.key = &vt_site_keys[PLAIN_KEY];
		ic.aux2 |= (uint64_t)nstandard(r) << PLAIN_SHIFT;
		ic.aux2 |= in_place(c, r) | (uint64_t)is_quick(c, r) << QUICK_SHIFT;
	} else if (is_plain_but_lambdas(c, r)) {
		ic.key = &vt_site_keys[LAMBDA_KEY];
		ic.aux2 |= (uint64_t)nstandard(r) << PLAIN_SHIFT;
		if (r->flags >> VT_FN_PLACE == VT_IN_EATS || r->flags >> VT_FN_PLACE == VT_IN_LET)
			ic.aux2 |= in_place(c, r);
	}
	if (ic.key != &vt_site_keys[PLAIN_KEY])
		ic.aux2 |= merges(c, r);
	return ic;
}

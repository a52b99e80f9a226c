/*
 * bind.c - the arguments of a call, and stage 1 of resolve.c: which parameter takes which of them.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"

#include <stdlib.h>

/* ---- arguments ------------------------------------------------------------------------------- */

/* given: the value that the caller has evaluated already, or VT_UNDEF. Borrowed. */
carg
vt_arg_written(const vt_arg *a, vt_value given)
{
	carg g = {.a = a, .code = a->code, .name = a->keyword, .v = given, .kind = a->kind};
	if (a->kind == VT_A_NOVALUE)
		g.v = VT_NOVALUE;
	else if (is_constant(a->kind) && given == VT_UNDEF)
		g.v = constant_of(a);
	return g;
}

static vt_status
put_keyword(call *c, carg g, bool again)
{
	carg *old = keyword(c, g.name->s);
	if (old == NULL)
		c->kw[c->nkw++] = g;
	else if (again)
		*old = g;
	else
		return vt_raise(c->rt, VT_E_MAPPING_TRANSLATION,
			"Cannot convert mapping to keyword argument");
	return VT_OK;
}

/* The candidates take keyword arguments: mappings with a bare word on the left become such. */
vt_status
vt_split_keywords(call *c)
{
	uint32_t n = c->npos, nraw = c->nkw;
	c->npos = 0;
	for (uint32_t i = 0; i < n; i++) {
		carg g;
		if (c->pos[i].name == NULL && c->pos[i].kind != VT_A_MAPPING) {
			if (c->npos != i)
				c->pos[c->npos] = c->pos[i];
			c->npos++;
			continue;
		}
		g = c->pos[i];
		if (g.name == NULL) {
			if (g.a->key->kind != VT_A_KEYWORD)
				return vt_raise(c->rt, VT_E_MAPPING_TRANSLATION,
					"Cannot convert mapping to keyword argument");
			g.name = vt_as_str(constant_of(g.a->key));
			g.kind = g.code != NULL || g.v == VT_UNDEF ? VT_A_EXPR : RAW;
		}
		VT_TRY(put_keyword(c, g, nraw == 0));
	}
	return VT_OK;
}

vt_status
vt_keep_mappings(call *c)
{
	if (c->nkw > 0)
		return vt_raise(c->rt, VT_E_ARGUMENT, "Invalid argument %s", c->kw[0].name->s);
	for (uint32_t i = 0; i < c->npos; i++)
		if (c->pos[i].name != NULL)
			c->pos[i].kind = VT_A_MAPPING;
	return VT_OK;
}

static void *
room(uint32_t n, uint32_t have, void *small, size_t size)
{
	return n <= have ? small : vt_xmalloc(n * size);
}

/* At most npos positional and nkw keyword arguments will be put; a positional may become a
 * keyword. */
void
vt_call_open(call *c, uint32_t npos, uint32_t nkw)
{
	c->pos = room(npos, VT_LEN(c->small_pos), c->small_pos, sizeof *c->pos);
	c->kw = room(npos + nkw, VT_LEN(c->small_kw), c->small_kw, sizeof *c->kw);
	c->lazy = room(2 * (npos + nkw), VT_LEN(c->small_lazy), c->small_lazy, 1);
	c->mine = c->lazy + npos + nkw;
	c->cands = c->small_cands;
	c->cap = VT_LEN(c->small_cands);
	c->below = UINT32_MAX;
	c->no_kwargs = -1;
	c->cacheable = true;
}

/* let_() is let(): contexts drop underscores at the end of a name. */
void
vt_strip_name(call *c)
{
	size_t n = strlen(c->name);
	if (n == 0 || c->name[n - 1] != '_')
		return;
	while (n > 0 && c->name[n - 1] == '_')
		n--;
	c->stripped = vt_xmalloc(n + 1);
	memcpy(c->stripped, c->name, n);
	c->stripped[n] = '\0';
}

void
vt_call_close(call *c)
{
	for (uint32_t i = 0; i < c->npos; i++)
		if (c->pos[i].owned)
			vt_release(c->pos[i].v);
	for (uint32_t i = 0; i < c->nkw; i++)
		if (c->kw[i].owned)
			vt_release(c->kw[i].v);
	if (c->pos != c->small_pos)
		free(c->pos);
	if (c->kw != c->small_kw)
		free(c->kw);
	if (c->lazy != c->small_lazy)
		free(c->lazy);
	if (c->cands != c->small_cands)
		free(c->cands);
	free(c->stripped);
}

/* ---- stage 1: binding ------------------------------------------------------------------------ */

const vt_fnparam *
vt_by_keyword(const vt_fnrow *r, const char *name)
{
	for (uint32_t i = 0; i < r->nparams && r->params[i].kind == 0; i++)
		if (strcmp(r->params[i].name, name) == 0)
			return &r->params[i];
	return rest_param(r, 2);
}

/*
 * Keyword arguments for standard parameters are not looked at here: the reference checks only those
 * that ** takes, so a wrong one shows in the second stage, after evaluation.
 */
static bool
bind_row(call *c, const vt_fnrow *r)
{
	uint32_t n = nstandard(r), i;
	const vt_fnparam *p;
	for (i = 0; i < n; i++) {
		carg *k = keyword(c, r->params[i].name);
		bool given = i < c->npos && !omitted(&c->pos[i]);
		/* Even a place that is left free does not go with the keyword. */
		if (k != NULL && i < c->npos)
			return false;
		if (given ? !vt_check_arg(c, &r->params[i], &c->pos[i])
			  : k == NULL && !r->params[i].has_default)
			return false;
		if (i < c->npos)
			c->mine[i] = vt_is_lazy_type(r->params[i].type);
	}
	p = rest_param(r, 1);
	for (; i < c->npos; i++) {
		if (p == NULL || !vt_check_arg(c, p, &c->pos[i]))
			return false;
		c->mine[i] = vt_is_lazy_type(p->type);
	}
	for (i = 0; i < c->nkw; i++) {
		p = vt_by_keyword(r, c->kw[i].name->s);
		if (p == NULL || (p->kind == 2 && !vt_check_arg(c, p, &c->kw[i])))
			return false;
		c->mine[c->npos + i] = vt_is_lazy_type(p->type);
	}
	return true;
}

/* Names of parameters that are given by position must not come by keyword as well. */
static bool
bind_method(call *c, const cand *k)
{
	uint32_t shift = k->extension ? 0 : 1;
	memset(c->mine, 0, c->npos + c->nkw);
	for (uint32_t i = shift; i < c->npos && i - shift < k->m->nparams; i++) {
		const vt_param_decl *p = &k->m->params[i - shift];
		if (p->usage != VT_PARAM_STANDARD)
			break;
		if (!omitted(&c->pos[i]) && keyword(c, p->name->s) != NULL)
			return false;
	}
	return !k->extension || vt_param_check(c->rt, c->unit, k->m, 0, c->recv);
}

static bool
binds(call *c, const cand *k)
{
	switch ((enum what)k->what) {
	case C_ROW: return bind_row(c, k->row);
	case C_METHOD:
	case C_MOCK: return bind_method(c, k);
	case C_DEF: memset(c->mine, 0, c->npos + c->nkw); return true;
	}
	return false;
}

static void
keep(call *c, const cand *k)
{
	if (c->ncands == c->cap) {
		cand *bigger = vt_xmalloc(2 * c->cap * sizeof *bigger);
		memcpy(bigger, c->cands, c->ncands * sizeof *bigger);
		if (c->cands != c->small_cands)
			free(c->cands);
		c->cands = bigger;
		c->cap *= 2;
	}
	c->cands[c->ncands] = *k;
	c->cands[c->ncands++].level = c->level;
}

vt_status
vt_consider(call *c, cand k)
{
	bool no_kwargs = k.what == C_ROW && (k.row->flags & VT_FN_NO_KWARGS);
	uint32_t n;
	c->seen++;
	if (c->no_kwargs < 0) {
		c->no_kwargs = no_kwargs;
		VT_TRY(no_kwargs ? vt_keep_mappings(c) : vt_split_keywords(c));
	} else if (c->no_kwargs != no_kwargs) {
		return vt_call_ambiguous(c);
	}
	if (!binds(c, &k))
		return VT_OK;
	n = c->npos + c->nkw;
	if (c->have_lazy && memcmp(c->lazy, c->mine, n) != 0)
		return vt_call_ambiguous(c);
	memcpy(c->lazy, c->mine, n);
	c->have_lazy = true;
	keep(c, &k);
	return VT_OK;
}

/*
 * call() drops keyword arguments whose name is no keyword, but the reference changes the dict that
 * it walks: the attempt is an error already.
 */
vt_status
vt_check_keywords(vt_rt *rt, const vt_dict *d)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);) {
		const char *s;
		uint32_t cp;
		if (!vt_is(key, STR))
			return vt_raise(rt, VT_E_TYPE,
				"expected string or bytes-like object, got '%s'", vt_py_type(key));
		s = vt_as_str(key)->s;
		if (strncmp(s, "__", 2) == 0 || vt_as_str(key)->bytes == 0)
			return vt_raise(
				rt, VT_E_RUNTIME, "dictionary changed size during iteration");
		cp = vt_utf8_next(&s);
		if (!vt_is_word(cp) || vt_digit_value(cp) >= 0)
			return vt_raise(
				rt, VT_E_RUNTIME, "dictionary changed size during iteration");
	}
	return VT_OK;
}

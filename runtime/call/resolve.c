/*
 * resolve.c - which overload a call means: yaql.md 3.1.
 *
 * Candidates stand in levels, innermost first: what def() made, the methods of the receiver's class
 * and the Extension methods that class imports, the same of the calling class, functions of the
 * host, and the registry's rows layer by layer.  A call goes through two stages, as the reference
 * has them:
 *
 *   1. every candidate of every level is bound by position and keyword and checked against what can
 *      be said without evaluation (constants, the receiver); those that remain must agree on which
 *      arguments stay unevaluated;
 *   2. the others are evaluated, once and in order, and the first level with a candidate that takes
 *      the values wins; within a level the more specialised one.
 *
 * Inline caches (vt_site.ic) remember an outcome that depends on nothing but the receiver's class
 * or the kinds of the evaluated arguments:
 *   key = KEYWORDS_KEY: the same with keyword arguments for standard parameters;
 *   key = a vt_class:  target is the vt_method_decl that objects of this class run here; aux is 1
 *                      when the arguments are its parameters, one by one (vt_invoke_plain), or 2
 *                      and, in the byte i + 1, which argument is parameter i, one up; or
 *                      VT_PLAIN_REST where the last are VarArgs or KwArgs, and the method has
 *                      an entry;
 *   one up:            the same where the type itself is the receiver; three up: where it is a
 *                      cast;
 *   key = ROW_KEY:     target is the vt_fnrow for the kinds in aux, six bits each, aux2 of them;
 *   key = PLAIN_KEY:   the same, and every argument reaches the row as it is: aux2 has the row's
 *                      number of standard parameters above PLAIN_SHIFT, and above VT_IN_SHIFT what
 *                      methods have in place of it.  What the other kinds that come to the site
 *                      found is kept beside it (found.c).
 *   key = LAMBDA_KEY:  the same as PLAIN_KEY, but that expressions become lambdas;
 *   key = MAKER_KEY:   new() has made an object of the type in aux by the vt_maker in target, which
 *                      keeps what the cache had before;
 *   key = COPY_KEY:    the same, and each call gives no more than values to a copy;
 *   key = NAMED_KEY:   the same as PLAIN_KEY, with keyword arguments that all go to **: aux has the
 *                      kinds of the others;
 *   key = EXTENSION_KEY: target is the Extension that is all the site can find; its type is in
 *                      aux.  Its contract is asked each time whether it takes the receiver.
 * A call that goes by the cache must behave as one that does not: an outcome that the contracts of
 * several Extensions, def() or the host had a part in is not stored, and what def() made is looked
 * for each time.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/printable.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/object/maker.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

/* ---- errors ---------------------------------------------------------------------------------- */

vt_status
vt_placed(vt_rt *rt, const vt_site *s)
{
	vt_exc *e = vt_pending(rt);
	if (e != NULL && s != NULL && e->line == 0) {
		e->line = s->line;
		e->col = s->col;
	}
	return VT_ERROR;
}

/* fmt is for a plain call; the method form names the receiver in between. */
static __attribute__((cold)) vt_status
refuse(call *c, enum vt_etype fn, enum vt_etype method, const char *before, const char *after)
{
	vt_buf b = {0};
	bool m = c->recv != VT_UNDEF;
	vt_buf_puts(&b, before);
	vt_buf_puts(&b, m ? " method \"" : " function \"");
	vt_put_cut(&b, c->name, strlen(c->name));
	vt_buf_putc(&b, '"');
	if (m) {
		vt_buf_puts(&b, " for receiver ");
		vt_pystr_cut(c->rt, &b, c->recv);
	}
	vt_buf_puts(&b, after);
	return vt_raise_value(c->rt, m ? method : fn, vt_str_take(c->rt, &b));
}

static __attribute__((cold)) vt_status
no_match(call *c)
{
	return refuse(c, VT_E_NO_MATCHING_FUNCTION, VT_E_NO_MATCHING_METHOD, "No",
		" matches supplied arguments");
}

static __attribute__((cold)) vt_status
unknown(call *c)
{
	return refuse(c, VT_E_NO_FUNCTION, VT_E_NO_METHOD, "Unknown", "");
}

vt_status
vt_call_ambiguous(call *c)
{
	return refuse(c, VT_E_AMBIGUOUS_FUNCTION, VT_E_AMBIGUOUS_METHOD, "Ambiguous", "");
}

static carg
plain(vt_value v)
{
	return (carg){.v = v, .kind = RAW};
}

/* Which parameter takes the i-th positional argument; NULL: none. */
static const vt_fnparam *
positional(const vt_fnrow *r, uint32_t i)
{
	uint32_t n = nstandard(r);
	return i < n ? &r->params[i] : rest_param(r, 1);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

vt_status
vt_call_value(vt_rt *rt, vt_scope *sc, const vt_arg *a, vt_value *out)
{
	if (a->code != NULL)
		return vt_code_run(rt, a->code, sc, out);
	*out = vt_copy(a->kind == VT_A_NOVALUE ? VT_NOVALUE : constant_of(a));
	return VT_OK;
}

static vt_status
evaluate_mapping(call *c, carg *g)
{
	vt_value key = VT_UNDEF, v = VT_UNDEF;
	vt_status st;
	VT_TRY(vt_call_value(c->rt, c->sc, g->a->key, &key));
	if (g->v != VT_UNDEF) {
		v = vt_copy(g->v);
		st = VT_OK;
	} else {
		st = vt_code_run(c->rt, g->code, c->sc, &v);
	}
	if (st != VT_OK) {
		vt_release(key);
		return st;
	}
	g->v = mapping(c->rt, key, v);
	g->owned = true;
	return VT_OK;
}

static vt_status
evaluate(call *c, carg *g)
{
	vt_value v = VT_UNDEF;
	if (g->kind != VT_A_EXPR && g->kind != VT_A_CALL && g->kind != VT_A_MAPPING)
		return VT_OK;
	if (g->kind == VT_A_MAPPING) {
		VT_TRY(evaluate_mapping(c, g));
	} else if (g->v == VT_UNDEF) {
		VT_TRY(vt_code_run(c->rt, g->code, c->sc, &v));
		g->v = v;
		g->owned = true;
	}
	g->kind = RAW;
	return VT_OK;
}

static vt_status
evaluate_all(call *c)
{
	for (uint32_t i = 0; i < c->npos; i++)
		if (!c->lazy[i])
			VT_TRY(evaluate(c, &c->pos[i]));
	for (uint32_t i = 0; i < c->nkw; i++)
		if (!c->lazy[c->npos + i])
			VT_TRY(evaluate(c, &c->kw[i]));
	return VT_OK;
}

/* ---- stage 2: choice ------------------------------------------------------------------------- */

static bool
takes(call *c, const cand *k)
{
	const vt_fnrow *r = k->row;
	uint32_t n;
	if (k->what != C_ROW)
		return true;
	n = nstandard(r);
	for (uint32_t i = 0; i < c->npos; i++)
		if (!(i < n && omitted(&c->pos[i])) &&
			!vt_check_arg(c, positional(r, i), &c->pos[i]))
			return false;
	for (uint32_t i = 0; i < c->nkw; i++)
		if (!vt_check_arg(c, vt_by_keyword(r, c->kw[i].name->s), &c->kw[i]))
			return false;
	/* An argument that turned out to be the NoValue marker needs a default after all. */
	for (uint32_t i = 0; i < n && i < c->npos; i++)
		if (omitted(&c->pos[i]) && !r->params[i].has_default &&
			keyword(c, r->params[i].name) == NULL)
			return false;
	return true;
}

static bool
specialises(const call *c, const vt_fnrow *a, const vt_fnrow *b)
{
	bool res = false;
	for (uint32_t i = 0; i < c->npos + c->nkw; i++) {
		const char *kw = i < c->npos ? NULL : c->kw[i - c->npos].name->s;
		const vt_fnparam *pa = kw ? vt_by_keyword(a, kw) : positional(a, i);
		const vt_fnparam *pb = kw ? vt_by_keyword(b, kw) : positional(b, i);
		bool own = pa->own != NULL || pb->own != NULL;
		if (own ? vt_own_above(pb, pa) : vt_more_special(pb->type, pa->type))
			return false;
		res |= own ? vt_own_above(pa, pb) : vt_more_special(pa->type, pb->type);
	}
	return res;
}

static vt_status
choose(call *c, const cand **out)
{
	const cand *best = NULL;
	for (uint32_t i = 0; i < c->ncands; i++) {
		const cand *k = &c->cands[i];
		if (best != NULL && k->level != best->level)
			break;
		if (!takes(c, k))
			continue;
		if (best != NULL) {
			bool rows = best->what == C_ROW && k->what == C_ROW;
			if (rows && specialises(c, best->row, k->row))
				continue;
			if (!rows || !specialises(c, k->row, best->row))
				return vt_call_ambiguous(c);
		}
		best = k;
	}
	*out = best;
	return best ? VT_OK : no_match(c);
}

/* ---- the inline cache ------------------------------------------------------------------------ */

static bool
is_static_call(const call *c, const vt_method_decl *m)
{
	return vt_is(c->recv, TYPEREF) && m->usage == VT_M_STATIC;
}

/* After a choice: may the next call here skip the search? */
static __attribute__((cold)) void
remember(call *c, const cand *k)
{
	vt_ic *ic = cache_of(c->rt, c->site);
	bool typed = is_object(c->recv) || vt_is(c->recv, TYPEREF);
	if (ic == NULL || !c->cacheable || c->stripped != NULL || k->what == C_DEF)
		return;
	if (c->by_contract) {
		(void)vt_keep_extension(c, k, ic);
		return;
	}
	if (!vt_simple_args(c->site, k->row) &&
		(k->what != C_ROW || k->row->flags >> VT_FN_PLACE != VT_IN_CHOICE))
		return;
	if (k->what == C_METHOD && !k->extension &&
		(is_object(c->recv) || is_static_call(c, k->m))) {
		const void *was = ic->key;
		*ic = vt_cache_method(c, k->m);
		if (was != NULL)
			vt_keep_found(c->rt, c->site, ic);
	} else if (k->what == C_ROW && vt_is(c->recv, OBJECT)) {
		vt_keep_row(c, k->row);
	} else if (k->what == C_ROW && !typed && c->npos + c->nkw <= MAX_TAGS) {
		bool other = ic->key == &vt_site_keys[PLAIN_KEY];
		if (other)
			vt_keep_kinds(c->rt, c->site, ic);
		*ic = vt_cache_row(c, k->row);
		if (other && ic->key == &vt_site_keys[PLAIN_KEY])
			vt_keep_kinds(c->rt, c->site, ic);
	}
}

static vt_status
cached_arg(vt_rt *rt, vt_scope *sc, const vt_arg *a, vt_dict **kw, vt_value *v)
{
	vt_status st;
	if (*v == VT_UNDEF)
		VT_TRY(vt_call_value(rt, sc, a, v));
	else
		vt_retain(*v);
	if (a->keyword == NULL)
		return VT_OK;
	if (*kw == NULL)
		*kw = vt_dict_new(rt, true);
	st = vt_dict_set(rt, *kw, vt_mkptr(a->keyword), *v);
	vt_clear(v);
	return st;
}

/* A method of the receiver's class: all arguments are eager; keywords stand behind the others. */
vt_status
vt_cached_method(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_method_decl *m, vt_value recv,
	const vt_value *argv, vt_value *out)
{
	vt_value v[SMALL];
	vt_dict *kw = NULL;
	uint32_t n = 0, done;
	vt_status st = VT_OK;
	for (done = 0; done < s->nargs && st == VT_OK; done++) {
		v[done] = argv[done];
		st = cached_arg(rt, sc, &s->args[done], &kw, &v[done]);
		n += s->args[done].keyword == NULL;
	}
	if (st == VT_OK)
		st = vt_invoke(rt, s->unit, m, recv, n, v, kw ? vt_mkptr(kw) : VT_NULL, out);
	for (uint32_t i = 0; i < done; i++)
		vt_release(v[i]);
	if (kw != NULL)
		vt_release(vt_mkptr(kw));
	return st;
}

static void
fill_site(call *c, const vt_site *s, const vt_value *argv)
{
	if (c->recv != VT_UNDEF)
		c->pos[c->npos++] = plain(c->recv);
	for (uint32_t i = 0; i < s->nargs; i++)
		c->pos[c->npos++] = vt_arg_written(&s->args[i], argv[i]);
}

static vt_status
evaluate_early(call *c, carg *g, bool lazy)
{
	vt_value v = VT_UNDEF;
	if (lazy || g->v != VT_UNDEF || g->code == NULL)
		return VT_OK;
	VT_TRY(vt_code_run(c->rt, g->code, c->sc, &v));
	g->v = v;
	g->owned = true;
	return VT_OK;
}

/*
 * The row that the last call here chose, if the kinds are the same.  *hit says; without a hit the
 * arguments are as evaluated as they must be anyhow, for the search remembers which were
 * expressions.
 */
static vt_status
try_cached_row(call *c, vt_ic *ic, bool *hit, vt_value *out)
{
	const vt_fnrow *r = ic->target;
	uint32_t ns = nstandard(r);
	*hit = false;
	if (c->npos != (uint16_t)ic->aux2)
		return VT_OK;
	if (c->recv != VT_UNDEF && (ic->aux >> (c->npos - 1) * VT_TAG_BITS) != vt_tag_of(c->recv))
		return VT_OK;
	if (c->recv == VT_UNDEF && any_functions(c->sc) &&
		vt_scope_function(c->sc, c->site->name) != VT_UNDEF)
		return VT_OK;
	VT_TRY(r->flags & VT_FN_NO_KWARGS ? vt_keep_mappings(c) : vt_split_keywords(c));
	if (c->npos + c->nkw != (uint16_t)ic->aux2)
		return VT_OK;
	for (uint32_t i = 0; i < c->npos; i++)
		VT_TRY(evaluate_early(c, &c->pos[i], r->lazy >> (i < ns ? i : 31) & 1));
	for (uint32_t i = 0; i < c->nkw; i++)
		VT_TRY(evaluate_early(
			c, &c->kw[i], vt_is_lazy_type(vt_by_keyword(r, c->kw[i].name->s)->type)));
	if (vt_site_tags(c, r) != ic->aux)
		return VT_OK;
	*hit = true;
	return vt_call_row(c, r, out);
}

/* ---- entries --------------------------------------------------------------------------------- */

static vt_status
collect(call *c)
{
	if (c->below == UINT32_MAX && c->outside == NULL) {
		VT_TRY(vt_from_scope(c));
		c->level++;
		VT_TRY(vt_from_types(c));
	}
	VT_TRY(vt_from_registry(c));
	if (c->seen == 0)
		return unknown(c);
	return c->ncands == 0 ? no_match(c) : VT_OK;
}

static vt_status
resolve(call *c, vt_value *out)
{
	const cand *k = NULL;
	vt_strip_name(c);
	VT_TRY(collect(c));
	VT_TRY(evaluate_all(c));
	VT_TRY(choose(c, &k));
	remember(c, k);
	c->from = k->from;
	return k->what == C_ROW ? vt_call_row(c, k->row, out) : vt_call_other(c, k, out);
}

bool
vt_host_has_methods(vt_rt *rt, vt_value v)
{
	const vt_foreign *f = vt_foreign_of(v);
	if (!vt_is(v, HOST))
		return false;
	return f != NULL ? f->ops->has_methods(f->user) : vt_lua_has_methods(rt, v);
}

static vt_status
send(call *c, uint32_t n, const vt_value *v, vt_value kw, vt_value *out)
{
	const vt_foreign *f = vt_foreign_of(c->recv);
	if (f != NULL)
		return f->ops->send(c->rt, f->user, c->name, n, v, kw, out);
	return vt_lua_send(c->rt, c->recv, c->name, n, v, kw, out);
}

/* The object's own method, with all arguments evaluated: c has no receiver among them. */
static __attribute__((cold)) vt_status
call_host(call *c, vt_value *out)
{
	vt_value small[SMALL], *v = small, kw = VT_NULL;
	vt_status st;
	VT_TRY(vt_split_keywords(c));
	memset(c->lazy, 0, c->npos + c->nkw);
	VT_TRY(evaluate_all(c));
	VT_TRY(vt_call_keywords_dict(c, &kw));
	if (c->npos > SMALL)
		v = vt_xmalloc(c->npos * sizeof *v);
	for (uint32_t i = 0; i < c->npos; i++)
		v[i] = c->pos[i].v;
	st = send(c, c->npos, v, kw, out);
	vt_release(kw);
	if (v != small)
		free(v);
	return st;
}

/* The call that a site makes, ready to be resolved; vt_call_close ends it. */
static void
open_site_call(call *c, vt_rt *rt, vt_scope *sc, const vt_site *s)
{
	memset(c, 0, offsetof(call, small_pos));
	c->rt = rt;
	c->sc = sc;
	c->unit = s->unit;
	c->site = s;
	c->name = s->name->s;
	c->recv = VT_UNDEF;
	vt_call_open(c, s->nargs + 1, 0);
}

vt_status
vt_call_on_host(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_value *out)
{
	call c;
	vt_status st;
	open_site_call(&c, rt, sc, s);
	fill_site(&c, s, argv);
	c.recv = recv;
	st = call_host(&c, out);
	vt_call_close(&c);
	return st == VT_ERROR ? vt_placed(rt, s) : st;
}

/* Legacy: a method of a context is called on what as() kept in it, with its variables in sight. */
vt_status
vt_call_in_context(vt_rt *rt, vt_scope *ctx, const vt_site *s, const vt_value *argv, vt_value *out)
{
	vt_value zero = vt_str_c(rt, "0"), recv = vt_scope_get(rt, ctx, vt_as_str(zero));
	vt_release(zero);
	return vt_call(rt, ctx, s, recv, argv, out);
}

vt_status
vt_call_search(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out)
{
	call c;
	bool hit = false;
	vt_status st = VT_OK;
	open_site_call(&c, rt, sc, s);
	c.recv = recv;
	fill_site(&c, s, argv);
	if (ic != NULL &&
		(ic->key == &vt_site_keys[ROW_KEY] || ic->key == &vt_site_keys[LAMBDA_KEY]))
		st = try_cached_row(&c, ic, &hit, out);
	if (st == VT_OK && !hit)
		st = resolve(&c, out);
	vt_call_close(&c);
	return st == VT_ERROR ? vt_placed(rt, s) : st;
}

void
vt_call_learn(vt_rt *rt, const vt_site *s, vt_value self)
{
	vt_value argv[SMALL];
	const cand *k = NULL;
	call c;
	for (uint32_t i = 0; i < s->nargs; i++)
		argv[i] = vt_mkint(0);
	open_site_call(&c, rt, NULL, s);
	c.recv = self;
	fill_site(&c, s, argv);
	vt_strip_name(&c);
	if (collect(&c) == VT_OK && choose(&c, &k) == VT_OK)
		remember(&c, k);
	else
		vt_exc_clear(rt);
	vt_call_close(&c);
}

vt_status
vt_called(vt_rt *rt, const vt_site *s, vt_status st)
{
	return st == VT_ERROR ? vt_placed(rt, s) : st;
}

__attribute__((cold)) vt_status
vt_refuse(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv)
{
	vt_value failure = vt_exc_take(rt), argv[SMALL], *v = argv;
	vt_status st;
	call c;
	if (vt_is(recv, HOST) || vt_is(recv, SCOPE)) { /* these evaluate first: see vt_call */
		vt_exc_set(rt, failure);
		return VT_ERROR;
	}
	if (s->nargs > SMALL)
		v = vt_xmalloc(s->nargs * sizeof *v);
	for (uint32_t i = 0; i < s->nargs; i++)
		v[i] = VT_UNDEF;
	open_site_call(&c, rt, sc, s);
	c.recv = recv;
	fill_site(&c, s, v);
	vt_strip_name(&c);
	st = collect(&c);
	vt_call_close(&c);
	if (v != argv)
		free(v);
	if (st == VT_OK)
		vt_exc_set(rt, failure);
	else
		vt_release(failure);
	return st == VT_OK ? VT_ERROR : vt_placed(rt, s);
}

/* Plain values only: what the library and call() ask for. kwargs: a dict or NULL. */
static vt_status
call_below(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, const vt_dict *kwargs, const vt_args *hidden_by,
	vt_value *out)
{
	bool to_object = vt_host_has_methods(rt, recv);
	call c;
	vt_value key, v;
	vt_status st;
	memset(&c, 0, offsetof(call, small_pos));
	c.rt = rt;
	c.sc = sc;
	c.unit = unit;
	c.name = name;
	c.recv = recv;
	vt_call_open(&c, n + 1, kwargs ? vt_dict_len(kwargs) : 0);
	if (hidden_by != NULL && hidden_by->from != NULL)
		c.outside = hidden_by->from;
	else if (hidden_by != NULL)
		c.below = host_level(hidden_by->row);
	if (recv != VT_UNDEF && !to_object)
		c.pos[c.npos++] = plain(recv);
	for (uint32_t i = 0; i < n; i++)
		c.pos[c.npos++] = plain(args[i]);
	for (uint32_t i = 0; kwargs != NULL && vt_dict_at(kwargs, &i, &key, &v);) {
		c.kw[c.nkw] = plain(v);
		c.kw[c.nkw++].name = vt_as_str(key);
	}
	st = to_object ? call_host(&c, out) : resolve(&c, out);
	vt_call_close(&c);
	return st;
}

static vt_status
call_plain(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, const vt_dict *kwargs, vt_value *out)
{
	return call_below(rt, sc, unit, name, recv, n, args, kwargs, NULL, out);
}

vt_status
vt_call_super(
	const vt_args *a, uint32_t n, const vt_value *args, const vt_dict *kwargs, vt_value *out)
{
	bool method = !(a->row->flags & VT_FN_FUNCTION);
	if (method && n == 0)
		return vt_raise(a->rt, VT_E_TYPE, "%s() needs its receiver as the first argument",
			a->row->name);
	return call_below(a->rt, a->scope, a->unit, a->row->name, method ? args[0] : VT_UNDEF,
		n - method, args + method, kwargs, a, out);
}

vt_status
vt_call_hidden(const vt_args *a, vt_value recv, uint32_t n, const vt_value *args,
	const vt_dict *kwargs, vt_value *out)
{
	return call_below(a->rt, a->scope, a->unit, a->row->name, recv, n, args, kwargs, a, out);
}

vt_status
vt_call_name(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, uint32_t n,
	const vt_value *args, vt_value *out)
{
	return call_plain(rt, sc, unit, name, VT_UNDEF, n, args, NULL, out);
}

vt_status
vt_call_method_name(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, vt_value *out)
{
	return call_plain(rt, sc, unit, name, recv, n, args, NULL, out);
}

vt_status
vt_call_dynamic(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const vt_str *name, vt_value recv,
	vt_value args_seq, vt_value kwargs, vt_value *out)
{
	const vt_dict *kw = vt_is(kwargs, DICT) ? vt_as_dict(kwargs) : NULL;
	vt_list *l = vt_is_sequence(args_seq) ? vt_as_list(args_seq) : NULL;
	if (recv == VT_NOVALUE)
		recv = VT_UNDEF;
	if (kw != NULL)
		VT_TRY(vt_check_keywords(rt, kw));
	return call_plain(rt, sc, unit, name->s, recv, l ? l->n : 0, l ? l->v : NULL, kw, out);
}

/* `a.name` where nothing simpler applies: the function #operator_. with a bare word on the
 * right. */
vt_status
vt_call_member(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const vt_site *site, vt_value a,
	const vt_str *name, vt_value *out)
{
	vt_arg word = {.kind = VT_A_KEYWORD, .value = name};
	call c;
	vt_status st;
	memset(&c, 0, offsetof(call, small_pos));
	c.rt = rt;
	c.sc = sc;
	c.unit = unit;
	c.name = "#operator_.";
	c.recv = VT_UNDEF;
	vt_call_open(&c, 2, 0);
	c.pos[c.npos++] = plain(a);
	c.pos[c.npos++] = vt_arg_written(&word, VT_UNDEF);
	st = resolve(&c, out);
	vt_call_close(&c);
	return st == VT_ERROR ? vt_placed(rt, site) : st;
}

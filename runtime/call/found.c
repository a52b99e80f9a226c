/*
 * found.c - calls of methods, and of new(), by what their site has found before.  What the cache of
 * a site holds is said in resolve.c.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/base.h"
#include "runtime/core/dict.h"
#include "runtime/core/number.h"
#include "runtime/core/exception.h"
#include "runtime/object/maker.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

/* Is $this of a static method the type that it is called on? */
static bool
is_own_type(const call *c, const vt_method_decl *m)
{
	return vt_is(c->recv, TYPEREF) && m->usage == VT_M_STATIC &&
	       vt_cls_of(c->recv)->decl == m->cls;
}

/* VarArgs or KwArgs behind all other parameters, as an entry takes them. */
static bool
has_rest_entry(const vt_method_decl *m)
{
	return m->entry != NULL && m->nparams > 0 &&
	       m->params[m->nparams - 1].usage != VT_PARAM_STANDARD;
}

static uint32_t
positional(const vt_site *s)
{
	uint32_t n = 0;
	while (n < s->nargs && s->args[n].keyword == NULL)
		n++;
	return n;
}

/* The argument that has the name, or nargs. */
static uint32_t
argument_named(const vt_site *s, const vt_str *name)
{
	uint32_t i = 0;
	while (i < s->nargs &&
		(s->args[i].keyword == NULL ||
			!(s->args[i].keyword == name || vt_str_eq(s->args[i].keyword, name))))
		i++;
	return i;
}

/* Is it one of those that are given by their names? */
static bool
is_parameter(const vt_method_decl *m, uint32_t from, const vt_str *name)
{
	uint32_t fixed = vt_first_rest(m);
	for (uint32_t i = from; i < fixed; i++)
		if (m->params[i].name == name || vt_str_eq(m->params[i].name, name))
			return true;
	return false;
}

/* Is each parameter before the dict given once, by position or name, or known? */
static bool
fits_named(const vt_site *s, const vt_method_decl *m)
{
	uint32_t npos = positional(s), fixed = vt_first_rest(m);
	for (uint32_t i = npos; i < s->nargs; i++)
		if (s->args[i].keyword == NULL || argument_named(s, s->args[i].keyword) != i)
			return false;
	for (uint32_t i = 0; i < npos && i < fixed; i++)
		if (argument_named(s, m->params[i].name) < s->nargs)
			return false;
	for (uint32_t i = npos; i < fixed; i++)
		if (argument_named(s, m->params[i].name) == s->nargs &&
			m->params[i].value == NULL && m->params[i].imm == 0)
			return false;
	return npos <= fixed || m->params[fixed].usage == VT_PARAM_VARARGS;
}

/* Are all the parameters before it given, and is the rest for it? */
static bool
fits_rest(const vt_site *s, const vt_method_decl *m)
{
	uint32_t fixed = vt_first_rest(m);
	bool named = m->params[m->nparams - 1].usage == VT_PARAM_KWARGS;
	if (m->nparams > SMALL)
		return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code != NULL || s->args[i].kind == VT_A_NOVALUE ||
			s->args[i].kind == VT_A_MAPPING)
			return false;
	return named ? fits_named(s, m) : s->nargs >= fixed && positional(s) == s->nargs;
}

/* Which parameters the arguments are, as aux of the cache; 0: they do not go together one by one,
 * or what is left out is not known. */
static uint64_t
fits_plainly(const call *c, const vt_method_decl *m)
{
	const vt_site *s = c->site;
	uint64_t order = 2;
	bool keywords = false;
	if (m->usage == VT_M_STATIC && !is_own_type(c, m))
		return 0;
	if (has_rest_entry(m))
		return fits_rest(s, m) ? VT_PLAIN_REST : 0;
	if (s->nargs > m->nparams || m->nparams > SMALL || !vt_method_is_plain(m))
		return 0;
	for (uint32_t i = 0; i < s->nargs; i++) {
		uint32_t k = i;
		if (s->args[i].code != NULL || s->args[i].kind == VT_A_NOVALUE ||
			s->args[i].kind == VT_A_MAPPING)
			return 0;
		if (s->args[i].keyword == NULL && keywords)
			return 0;
		keywords |= s->args[i].keyword != NULL;
		if (keywords)
			for (k = 0; k < m->nparams; k++)
				if (vt_str_eq(m->params[k].name, s->args[i].keyword))
					break;
		if (k == m->nparams || (keywords && k >= 7) ||
			(k < 7 && order >> (8 * k + 8) & 255))
			return 0;
		if (k < 7)
			order |= (uint64_t)(i + 1) << (8 * k + 8);
	}
	for (uint32_t i = 0; i < m->nparams; i++)
		if ((keywords ? i >= 7 || (order >> (8 * i + 8) & 255) == 0 : i >= s->nargs) &&
			m->params[i].value == NULL && m->params[i].imm == 0)
			return 0;
	return keywords ? order : 1;
}

/* What the cache knows the receiver by; NULL: it is none that has a class. */
const void *
vt_key_of(vt_value recv)
{
	if (vt_is(recv, OBJECT))
		return VT_AS(vt_object, recv)->cls;
	if (vt_is(recv, TYPEREF))
		return (const char *)vt_cls_of(recv) + 1;
	return vt_is(recv, CAST) ? (const char *)vt_cls_of(recv) + 3 : NULL;
}

/*
 * aux: arguments and parameters go together one by one, and those left out are known, or
 * VT_PLAIN_REST; aux2: the
 * method's entry, if it has one and no argument is left out.
 */
__attribute__((cold)) vt_ic
vt_cache_method(const call *c, const vt_method_decl *m)
{
	uint64_t plain = fits_plainly(c, m);
	return (vt_ic){.key = vt_key_of(c->recv),
		.target = (void *)(uintptr_t)m,
		.aux = plain,
		.aux2 = plain == 1 && c->site->nargs == m->nparams ? (uint64_t)(uintptr_t)m->entry
								   : 0};
}

/* ---- what other classes found at a site: the cache has the last one ---- */

struct vt_found {
	const void *site, *cls;
	vt_ic ic;
};
enum { FOUND = 1024, WAYS = 4 }; /* WAYS places for all that have one hash */

static struct vt_found *
ways_of(vt_rt *rt, const vt_site *s, const void *cls)
{
	uint64_t h = ((uintptr_t)s >> 4 ^ (uintptr_t)cls >> 3) * UINT64_C(0x9e3779b97f4a7c15);
	return &rt->s->found[h >> 40 & (FOUND - WAYS)];
}

/* Of the session's table, which exists; NULL: it is not known. */
static struct vt_found *
found_at(vt_rt *rt, const vt_site *s, const void *cls)
{
	struct vt_found *f = ways_of(rt, s, cls);
	for (uint32_t i = 0; i < WAYS; i++)
		if (f[i].site == s && f[i].cls == cls)
			return &f[i];
	return NULL;
}

static const vt_ic *
kept(vt_rt *rt, const vt_site *s, const void *cls)
{
	const struct vt_found *f = rt->s->found != NULL ? found_at(rt, s, cls) : NULL;
	return f != NULL ? &f->ic : NULL;
}

static void
make_found(vt_rt *rt)
{
	if (rt->s->found != NULL)
		return;
	rt->s->found = vt_xmalloc(FOUND * sizeof *rt->s->found);
	memset(rt->s->found, 0, FOUND * sizeof *rt->s->found);
}

const vt_ic *
vt_found_by(vt_rt *rt, const vt_site *s, const void *key)
{
	return kept(rt, s, key);
}

vt_entry_fn
vt_entry_kept(vt_rt *rt, const vt_site *s, vt_value a)
{
	const struct vt_found *f;
	if (rt->s->found == NULL || !vt_is(a, OBJECT))
		return NULL;
	f = found_at(rt, s, VT_AS(vt_object, a)->cls);
	return f != NULL ? (vt_entry_fn)(uintptr_t)f->ic.aux2 : NULL;
}

/* The oldest of its hash goes. */
static __attribute__((cold)) void
keep(vt_rt *rt, const vt_site *s, const void *cls, vt_ic ic)
{
	struct vt_found *f, *all;
	make_found(rt);
	f = found_at(rt, s, cls);
	if (f == NULL) {
		f = all = ways_of(rt, s, cls);
		memmove(all + 1, all, (WAYS - 1) * sizeof *all);
	}
	*f = (struct vt_found){s, cls, ic};
}

/* Two classes take turns: both are kept. */
void
vt_keep_found(vt_rt *rt, const vt_site *s, const vt_ic *ic)
{
	keep(rt, s, ic->key, *ic);
}

/* No address of a class or a row. */
static const void *
key_of_kinds(uint64_t tags)
{
	return (const void *)(uintptr_t)(tags << 2 | 2);
}

void
vt_keep_kinds(vt_rt *rt, const vt_site *s, const vt_ic *ic)
{
	keep(rt, s, key_of_kinds(ic->aux), *ic);
}

const vt_ic *
vt_found_kinds(vt_rt *rt, const vt_site *s, uint64_t tags)
{
	return kept(rt, s, key_of_kinds(tags));
}

const vt_ic *
vt_find_method(vt_rt *rt, const vt_site *s, const vt_ic *ic, vt_value recv)
{
	const void *key = vt_key_of(recv);
	if (key == NULL)
		return NULL;
	if (ic->key == key)
		return ic;
	return kept(rt, s, key);
}

static const void *
key_of_row(vt_value object)
{
	return (const char *)VT_AS(vt_object, object)->cls + 5;
}

/* Where the site has found nothing else, its cache has the row too: for objects alone, so without
 * what emitted code does in place of rows. */
__attribute__((cold)) void
vt_keep_row(const call *c, const vt_fnrow *r)
{
	const void *key = key_of_row(c->recv);
	vt_ic *ic = cache_of(c->rt, c->site), row;
	if (c->npos + c->nkw > MAX_TAGS)
		return;
	row = vt_cache_row(c, r);
	keep(c->rt, c->site, key, row);
	if (ic->key != NULL || row.key != &vt_site_keys[PLAIN_KEY])
		return;
	*ic = row;
	ic->key = key;
	ic->aux2 &= (UINT64_C(1) << QUICK_SHIFT) - 1;
}

const vt_ic *
vt_find_row(vt_rt *rt, const vt_site *s, vt_value object)
{
	return kept(rt, s, key_of_row(object));
}

bool
vt_has_row(const vt_ic *ic, vt_value object)
{
	return ic->key == key_of_row(object);
}

static vt_value
given(const vt_site *s, const vt_value *argv, uint32_t i)
{
	return argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
}

/* What stands behind the parameters, without names. */
static vt_value
rest_of(vt_rt *rt, const vt_site *s, const vt_value *argv, uint32_t fixed, uint32_t npos)
{
	vt_list *rest = vt_list_grow(rt, VT_K_TUPLE, npos > fixed ? npos - fixed : 0);
	bool ints = npos > fixed;
	rest->h.flags |= VT_F_FINAL;
	for (uint32_t i = fixed; i < npos; i++) {
		vt_value v = rest->v[rest->n++] = vt_copy(given(s, argv, i));
		ints = ints && vt_is_int(v);
		if (!vt_final_now(v))
			rest->h.flags &= (uint8_t)~VT_F_FINAL;
	}
	rest->h.aux = ints ? VT_ITEM_INT : 0;
	return vt_mkptr(rest);
}

/* What has other names than the parameters from `npos` on, which no shape can have. */
static __attribute__((cold)) vt_value
named_anyhow(
	vt_rt *rt, const vt_site *s, const vt_method_decl *m, const vt_value *argv, uint32_t npos)
{
	vt_dict *rest = vt_dict_new_cap(rt, true, s->nargs - npos);
	uint8_t final = VT_F_FINAL;
	for (uint32_t i = npos; i < s->nargs; i++) {
		if (is_parameter(m, npos, s->args[i].keyword))
			continue;
		(void)vt_dict_set(rt, rest, vt_mkptr(s->args[i].keyword), given(s, argv, i));
		if (!vt_final_now(given(s, argv, i)))
			final = 0;
	}
	vt_head_of(vt_mkptr(rest))->flags |= final; /* keys are texts: hashable */
	return vt_mkptr(rest);
}

/* The same, where one can: the names of a call differ. */
static vt_value
named_of(vt_rt *rt, const vt_site *s, const vt_method_decl *m, const vt_value *argv, uint32_t npos)
{
	vt_shape *shape = vt_shape_root(rt);
	vt_value v[SMALL];
	vt_dict *rest;
	uint8_t final = VT_F_FINAL;
	bool ints = true;
	if (s->nargs - npos > SMALL)
		return named_anyhow(rt, s, m, argv, npos);
	for (uint32_t i = npos, n = 0; i < s->nargs && shape != NULL; i++) {
		if (is_parameter(m, npos, s->args[i].keyword))
			continue;
		v[n] = given(s, argv, i);
		final = vt_final_now(v[n]) ? final : 0;
		ints = ints && vt_is_int(v[n]);
		n++;
		shape = vt_shape_add(rt, shape, s->args[i].keyword);
	}
	if (shape == NULL)
		return named_anyhow(rt, s, m, argv, npos);
	rest = vt_dict_shaped(rt, true, shape, v);
	for (uint32_t i = 0; i < shape->n; i++)
		(void)vt_copy(v[i]);
	rest->h.flags |= final;
	rest->h.aux = ints ? VT_ITEM_STR | VT_ITEM_INT << 8 : 0;
	return vt_mkptr(rest);
}

static vt_value
default_of(const vt_method_decl *m, uint32_t i)
{
	return m->params[i].value != NULL ? vt_mkptr(m->params[i].value) : m->params[i].imm;
}

static vt_status
call_rest(vt_rt *rt, const vt_site *s, const vt_method_decl *m, vt_value recv, const vt_value *argv,
	vt_value *out)
{
	uint32_t fixed = vt_first_rest(m), npos = positional(s), n = fixed;
	vt_value v[SMALL];
	vt_status st;
	for (uint32_t i = 0; i < fixed; i++) {
		uint32_t k = i < npos ? i : argument_named(s, m->params[i].name);
		v[i] = k < s->nargs ? given(s, argv, k) : default_of(m, i);
	}
	if (m->params[n].usage == VT_PARAM_VARARGS)
		v[n++] = rest_of(rt, s, argv, fixed, npos);
	if (n < m->nparams)
		v[n++] = named_of(rt, s, m, argv, npos);
	st = m->entry(rt, s->unit, recv, v, out);
	while (n > fixed)
		vt_release(v[--n]);
	return st;
}

/* Are all parameters there as they are, without constants and Defaults? */
static inline bool
are_given(const vt_value *argv, uint32_t nparams, uint32_t nargs)
{
	uint32_t i = 0;
	while (i < nparams && i < nargs && argv[i] != VT_UNDEF)
		i++;
	return i == nparams;
}

vt_status
vt_plain_method(vt_rt *rt, const vt_site *s, const vt_ic *ic, vt_value recv, const vt_value *argv,
	vt_value *out)
{
	const vt_method_decl *m = ic->target;
	vt_value v[SMALL];
	uint64_t where = ic->aux >> 8; /* the next parameter's argument, one up */
	if (likely(ic->aux == 1 && m->entry != NULL && are_given(argv, m->nparams, s->nargs) &&
		    vt_is(recv, OBJECT)))
		return m->entry(rt, s->unit, recv, argv, out);
	if (vt_is(recv, CAST)) /* what runs sees the object itself */
		recv = vt_mkptr(vt_obj_of(recv));
	if (ic->aux == VT_PLAIN_REST)
		return call_rest(rt, s, m, recv, argv, out);
	for (uint32_t i = 0; i < m->nparams; i++, where >>= 8) {
		uint32_t k = ic->aux == 1 ? i : (uint32_t)(where & 255) - 1;
		v[i] = k < s->nargs ? given(s, argv, k) : default_of(m, i);
	}
	return m->entry != NULL ? m->entry(rt, s->unit, recv, v, out)
				: vt_invoke_plain(rt, s->unit, m, recv, v, out);
}

/* ---- extension methods ---- */

/* Is it the only candidate there is, with arguments that go one by one to its parameters? */
__attribute__((cold)) bool
vt_keep_extension(const call *c, const cand *k, vt_ic *ic)
{
	const vt_method_decl *m = k->m;
	const vt_site *s = c->site;
	if (k->what != C_METHOD || !k->extension || c->seen != 1 || c->rt->s->mocks != NULL ||
		vt_metered(c->rt) || m->body == NULL || m->nmeta > 0 || m->unlocked ||
		s->nargs >= SMALL || s->nargs >= m->nparams || m->nparams > SMALL)
		return false;
	for (uint32_t i = 0; i < m->nparams; i++) {
		const vt_arg *a = i > 0 && i <= s->nargs ? &s->args[i - 1] : NULL;
		if (m->params[i].usage != VT_PARAM_STANDARD ||
			(a != NULL &&
				(a->code != NULL || a->keyword != NULL || a->kind == VT_A_NOVALUE ||
					a->kind == VT_A_MAPPING)) ||
			(i > s->nargs && m->params[i].value == NULL && m->params[i].imm == 0))
			return false;
	}
	*ic = (vt_ic){.key = &vt_site_keys[EXTENSION_KEY],
		.target = (void *)(uintptr_t)m,
		.aux = k->self};
	return true;
}

bool
vt_call_extension(vt_rt *rt, const vt_site *s, const vt_ic *ic, vt_value recv, const vt_value *argv,
	vt_value *out, vt_status *st)
{
	const vt_method_decl *m = ic->target;
	vt_value v[SMALL], self = ic->aux;
	bool takes = vt_takes(recv, m->params[0].takes) && vt_final_now(recv);
	if (vt_metered(rt) || rt->s->mocks != NULL ||
		(!takes && !vt_param_check(rt, s->unit, m, 0, recv)))
		return false;
	v[0] = recv;
	for (uint32_t i = 1; i < m->nparams; i++)
		v[i] = i <= s->nargs                ? given(s, argv, i - 1)
		       : m->params[i].value != NULL ? vt_mkptr(m->params[i].value)
						    : m->params[i].imm;
	*st = m->entry != NULL ? m->entry(rt, s->unit, self, v, out)
			       : vt_invoke(rt, s->unit, m, self, m->nparams, v, VT_NULL, out);
	return true;
}

/* ---- rows with keyword arguments ---- */

static uint64_t
place_of(const vt_fnrow *r, const vt_site *s, bool method, uint32_t i)
{
	uint32_t k = i + method;
	if (s->args[i].keyword != NULL)
		for (k = 0; k < nstandard(r); k++)
			if (strcmp(r->params[k].name, s->args[i].keyword->s) == 0)
				break;
	return k < nstandard(r) ? k + 1 : 0;
}

static __attribute__((cold)) uint64_t
places(const vt_fnrow *r, const vt_site *s, bool method)
{
	uint64_t all = 0;
	uint32_t used = method;
	bool keywords = false;
	if (s->nargs > SMALL || nstandard(r) > 30)
		return 0;
	for (uint32_t i = 0; i < s->nargs; i++) {
		uint64_t k = place_of(r, s, method, i);
		keywords |= s->args[i].keyword != NULL;
		if (k == 0 || (used >> (k - 1) & 1) || s->args[i].kind == VT_A_NOVALUE ||
			(keywords && s->args[i].keyword == NULL))
			return 0;
		used |= 1u << (k - 1);
		all |= k << 5 * i;
	}
	return all;
}

uint64_t
vt_places_of(const call *c, const vt_fnrow *r)
{
	return places(r, c->site, c->recv != VT_UNDEF);
}

bool
vt_call_keywords(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *st)
{
	const vt_fnrow *r = ic->target;
	bool method = recv != VT_UNDEF;
	vt_value v[VT_PLAIN_VALUES];
	uint32_t nv = (uint8_t)(ic->aux2 >> 16);
	uint64_t t = 0, where;
	const vt_ic *f = kept(rt, s, r);
	if (f == NULL) {
		keep(rt, s, r, (vt_ic){.aux = places(r, s, method)});
		f = kept(rt, s, r);
	}
	where = f->aux;
	for (uint32_t i = 0; i < nv; i++)
		v[i] = r->params[i].dflt;
	if (method)
		t = vt_tag_of(v[0] = recv);
	for (uint32_t i = 0; i < s->nargs; i++) {
		vt_value a = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
		v[(where >> 5 * i & 31) - 1] = a;
		t = t << VT_TAG_BITS | vt_tag_of(a);
	}
	if (t != ic->aux ||
		(!method && any_functions(sc) && vt_scope_function(sc, s->name) != VT_UNDEF))
		return false;
	*st = r->fn(&(vt_args){.rt = rt,
			    .scope = sc,
			    .unit = s->unit,
			    .site = s,
			    .row = r,
			    .self = VT_UNDEF,
			    .kw = VT_NULL,
			    .v = v,
			    .nv = nv,
			    .rest = v + nv},
		out);
	return true;
}

bool
vt_call_named(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *st)
{
	const vt_fnrow *r = ic->target;
	uint32_t nv = (uint8_t)(ic->aux2 >> PLAIN_SHIFT), n = 0;
	vt_value v[VT_PLAIN_VALUES];
	uint64_t t = 0;
	vt_args a = {.rt = rt,
		.scope = sc,
		.unit = s->unit,
		.site = s,
		.row = r,
		.self = VT_UNDEF,
		.v = v,
		.nv = nv,
		.rest = v + nv};
	if (recv != VT_UNDEF)
		t = vt_tag_of(v[n++] = recv);
	else if (any_functions(sc) && vt_scope_function(sc, s->name) != VT_UNDEF)
		return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].keyword == NULL)
			t = t << VT_TAG_BITS | vt_tag_of(v[n++] = given(s, argv, i));
	if (t != ic->aux || n != (uint16_t)ic->aux2)
		return false;
	for (uint32_t i = n; i < nv; i++)
		v[i] = r->params[i].dflt;
	a.nrest = n > nv ? n - nv : 0;
	a.kw = vt_mkptr(vt_dict_new_cap(rt, true, s->nargs));
	for (uint32_t i = 0; i < s->nargs; i++) /* a text: hashable */
		if (s->args[i].keyword != NULL)
			(void)vt_dict_set(rt, vt_as_dict(a.kw), vt_mkptr(s->args[i].keyword),
				given(s, argv, i));
	*st = r->fn(&a, out);
	vt_release(a.kw);
	return true;
}

/* ---- rows with lambdas ---- */

/* Bit i: the row of LAMBDA_KEY gets argument i, of which nv have a parameter, as a lambda. */
static inline uint32_t
lambdas_of(const vt_fnrow *r, uint32_t nv)
{
	return r->lazy >> 31 ? r->lazy | ~UINT32_C(0) << nv : r->lazy;
}

/*
 * The values for the row of LAMBDA_KEY; VT_UNDEF is where a lambda is to be made. False: the kinds
 * are others. Nothing is evaluated here, so that nothing is lost when another way is gone.
 */
static bool
lambda_values(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *v, uint32_t *values)
{
	const vt_fnrow *r = ic->target;
	uint32_t n = 0, from = recv != VT_UNDEF, nv = (uint8_t)(ic->aux2 >> PLAIN_SHIFT);
	uint32_t lambdas = lambdas_of(r, nv);
	uint64_t t = 0;
	if (from + s->nargs != (uint16_t)ic->aux2 ||
		(from == 0 && any_functions(sc) && vt_scope_function(sc, s->name) != VT_UNDEF))
		return false;
	if (from)
		t = vt_tag_of(v[n++] = recv);
	for (uint32_t i = 0; i < s->nargs; i++, n++) {
		bool lazy = lambdas >> n & 1;
		if (lazy && argv[i] != VT_UNDEF)
			return false;
		v[n] = lazy ? VT_UNDEF : argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
		t = t << VT_TAG_BITS | (lazy ? TAG_LAZY : vt_tag_of(v[n]));
	}
	if (t != ic->aux)
		return false;
	for (uint32_t i = n; i < nv; i++)
		v[i] = r->params[i].dflt;
	*values = n;
	return true;
}

/* What the row of LAMBDA_KEY gets and nobody has yet: the lambdas of those bits, and texts that are
 * defaults.  Of n arguments the first `from` is the receiver; nv have parameters. */
static inline void
make_lambdas(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_fnrow *r, vt_value *v,
	uint32_t lambdas, uint32_t from, uint32_t n, uint32_t nv)
{
	for (uint32_t i; lambdas != 0; lambdas &= lambdas - 1) {
		i = (uint32_t)__builtin_ctz(lambdas);
		v[i] = vt_lambda_new(rt, s->args[i - from].code, sc);
		VT_AS(vt_lambda, v[i])->method = i < nv && vt_is_method_lambda(r->params[i].type);
	}
	for (uint32_t i = n; i < r->nparams; i++)
		if (r->params[i].dflt_str != NULL)
			v[i] = vt_str_c(rt, r->params[i].dflt_str);
}

/* A call with lambdas as the last one here. False: it is to be searched for. */
__attribute__((noinline)) bool
vt_call_lambdas(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *st)
{
	const vt_fnrow *r = ic->target;
	vt_value v[VT_PLAIN_VALUES];
	uint32_t n, from = recv != VT_UNDEF, lambdas;
	vt_args a;
	if (!lambda_values(rt, sc, s, ic, recv, argv, v, &n))
		return false;
	vt_plain_args(&a, rt, sc, s, ic, v, n);
	lambdas = lambdas_of(r, a.nv) & ~(~UINT32_C(0) << n) & ~UINT32_C(0) << from;
	make_lambdas(rt, sc, s, r, v, lambdas, from, n, a.nv);
	*st = r->fn(&a, out);
	for (; lambdas != 0; lambdas &= lambdas - 1)
		vt_release(v[__builtin_ctz(lambdas)]);
	for (uint32_t i = n; i < r->nparams; i++)
		if (r->params[i].dflt_str != NULL)
			vt_release(v[i]);
	return true;
}

/* ---- dict() ---- */

vt_status
vt_call_record(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_value *argv, vt_value *out)
{
	vt_value v[2 * SMALL] = {VT_UNDEF};
	uint32_t n = 0;
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < s->nargs && st == VT_OK; i++) {
		const vt_arg *a = &s->args[i];
		v[n] = v[n + 1] = VT_UNDEF;
		if (a->keyword != NULL)
			v[n] = vt_copy(vt_mkptr(a->keyword));
		else
			st = vt_call_value(rt, sc, a->key, &v[n]);
		if (st == VT_OK && argv[i] != VT_UNDEF)
			v[n + 1] = vt_copy(argv[i]);
		else if (st == VT_OK)
			st = vt_call_value(rt, sc, a, &v[n + 1]);
		n += 2;
	}
	if (st == VT_OK)
		st = vt_dict_of(rt, s->nargs, v, out);
	while (n > 0)
		vt_release(v[--n]);
	return st;
}

/* ---- new() ---- */

/* new(Type, name => value...): may objects be made by a maker of the site? The type is a constant,
 * or a reference. */
__attribute__((cold)) bool
vt_site_makes(const call *c)
{
	const vt_site *s = c->site;
	if (s->nargs == 0 || s->nargs > SMALL || vt_metered(c->rt))
		return false;
	for (uint32_t i = 0; i < s->nargs; i++) {
		const vt_arg *a = &s->args[i];
		const char *k = a->keyword ? a->keyword->s : ""; /* _Owner: no property */
		if (a->code != NULL || a->kind == VT_A_MAPPING || a->kind == VT_A_NOVALUE ||
			(a->keyword == NULL && i > 1) || (a->keyword != NULL && i == 0) ||
			k[0] == '_')
			return false;
		for (uint32_t j = 0; a->keyword && j < i; j++)
			if (s->args[j].keyword && vt_str_eq(s->args[j].keyword, a->keyword))
				return false;
	}
	return true;
}

static __attribute__((cold)) vt_maker *
new_maker(vt_rt *rt, const vt_site *s, vt_value type, uint32_t from, const vt_value *argv)
{
	const vt_str *names[SMALL];
	vt_value constants[SMALL];
	vt_class *cls = vt_is(type, TYPEREF) ? vt_cls_of(type)
					     : vt_unit_class(rt, s->unit, vt_as_str(type));
	vt_maker *m;
	if (cls == NULL) {
		vt_exc_clear(rt);
		return NULL;
	}
	for (uint32_t i = from; i < s->nargs; i++) {
		names[i - from] = s->args[i].keyword;
		constants[i - from] = argv[i] != VT_UNDEF ? VT_UNDEF : constant_of(&s->args[i]);
	}
	m = vt_maker_new(rt, cls, from, s->nargs - from, names, constants);
	vt_maker_keep(rt, s, type, m);
	return m;
}

bool
vt_call_maker(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value type, vt_maker **maker,
	const vt_value *argv, vt_value *out, vt_status *st)
{
	vt_value v[SMALL], owner = VT_NULL;
	uint32_t from = s->nargs > 1 && s->args[1].keyword == NULL ? 2 : 1;
	vt_maker *m = *maker;
	for (uint32_t i = 0; i < s->nargs; i++)
		v[i] = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
	if (from == 2)
		owner = v[1];
	if (argv[0] != VT_UNDEF && vt_is(v[0], STR)) {
		vt_class *c = vt_unit_class(rt, s->unit, vt_as_str(v[0]));
		if (c != NULL)
			v[0] = c->typeref;
		else
			vt_exc_clear(rt);
	}
	if ((!vt_is(v[0], TYPEREF) && (argv[0] != VT_UNDEF || !vt_is(v[0], STR))) ||
		(owner != VT_NULL && !vt_is(owner, OBJECT)) ||
		(any_functions(sc) && vt_scope_function(sc, s->name) != VT_UNDEF))
		return false;
	if ((m == NULL || v[0] != type) && (m = vt_maker_at(rt, s, v[0])) == NULL &&
		(m = new_maker(rt, s, v[0], from, argv)) == NULL)
		return false;
	*maker = m;
	*st = vt_make(
		rt, m, s->unit, owner == VT_NULL ? NULL : VT_AS(vt_object, owner), v + from, out);
	return *st >= 0;
}

vt_ic
vt_maker_cache(const vt_site *s, vt_maker *m, const vt_value *argv)
{
	bool copies = m->image != NULL && argv[0] == VT_UNDEF &&
		      (s->nargs == 1 || s->args[1].keyword != NULL);
	return (vt_ic){.key = &vt_site_keys[copies ? COPY_KEY : MAKER_KEY],
		.target = m,
		.aux = argv[0] == VT_UNDEF       ? constant_of(&s->args[0])
		       : vt_is(argv[0], TYPEREF) ? argv[0]
						 : VT_UNDEF, /* a name: it may go */
		.aux2 = m->row.aux2};
}

/* Its .init may fail. */
static __attribute__((noinline)) vt_status
make_with_init(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_value *argv, vt_value *out)
{
	return vt_called(rt, s, vt_make_copy(rt, sc, s, cache_of(rt, s)->target, argv, out));
}

vt_status
vt_call_new(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_value *argv, vt_value *out)
{
	const vt_ic *ic = cache_of(rt, s);
	if (unlikely(ic == NULL || ic->key != &vt_site_keys[COPY_KEY] || any_functions(sc) ||
		     vt_metered(rt)))
		return vt_call(rt, sc, s, VT_UNDEF, argv, out);
	if (unlikely(((const vt_maker *)ic->target)->ninits > 0))
		return make_with_init(rt, sc, s, argv, out);
	return vt_make_copy(rt, sc, s, ic->target, argv, out);
}

/* Does list() take it as an item? */
static bool
is_item(vt_value v)
{
	return !vt_is_ptr(v) || vt_head_of(v)->kind < VT_K_SET || vt_is(v, OBJECT);
}

vt_status
vt_call_list(
	vt_rt *rt, vt_scope *sc, const vt_site *s, uint32_t n, const vt_value *v, vt_value *out)
{
	const vt_ic *ic = cache_of(rt, s);
	bool plain = ic != NULL && vt_found(ic, VT_IN_LIST) && !any_functions(sc) &&
		     !vt_metered(rt) && s->unit->opt.limit_iterators < 0 &&
		     !(s->unit->layers & VT_L_LEGACY);
	for (uint32_t i = 0; i < n && plain; i++)
		plain = is_item(v[i]);
	return plain ? vt_tuple_of(rt, n, v, out) : vt_call(rt, sc, s, VT_UNDEF, v, out);
}

vt_status
vt_call_borrowed(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_value *out)
{
	vt_value held = vt_borrow_for(rt, cache_of(rt, s), recv);
	vt_status st = vt_call(rt, sc, s, held, argv, out);

	vt_release(held);
	return st;
}

vt_status
vt_call_quick(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_value *v, vt_value *out)
{
	bool on = s->kind == VT_SITE_METHOD;
	if ((on || sc == NULL || !any_functions(sc)) && vt_call_known(rt, s, v, out))
		return VT_OK;
	return vt_call(rt, sc, s, on ? v[0] : VT_UNDEF, v + on, out);
}

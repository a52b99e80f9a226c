/*
 * candidates.c - where the candidates of a call come from: def(), methods, functions of the host,
 * rows of the registry.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

static const char *
lookup_name(const call *c)
{
	return c->stripped ? c->stripped : c->name;
}

/* def() makes functions, never methods. */
vt_status
vt_from_scope(call *c)
{
	vt_value f, name;
	if (c->recv != VT_UNDEF || !any_functions(c->sc))
		return VT_OK;
	if (c->site != NULL && c->stripped == NULL) {
		f = vt_scope_function(c->sc, c->site->name);
	} else {
		name = vt_str_c(c->rt, lookup_name(c));
		f = vt_scope_function(c->sc, vt_as_str(name));
		vt_release(name);
	}
	if (f == VT_UNDEF)
		return VT_OK;
	c->cacheable = false;
	return vt_consider(c, (cand){.what = C_DEF, .self = f});
}

/* What a method of a class has the name of stands further out, and takes values as well. */
static const uint32_t plain_layers = VT_L_STD | VT_L_DELEGATES | VT_L_QUERY | VT_L_DSL |
				     VT_L_DSL_OLD | VT_L_DSL_NEW | VT_L_ENGINE | VT_L_CORE;

bool
vt_call_defined(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_value *argv, vt_value *out,
	vt_status *st)
{
	vt_value v[SMALL], f;
	uint64_t own = 0; /* bits */
	size_t n = s->name->bytes;
	if (s->nargs > SMALL || rt->s->host != NULL || vt_metered(rt) ||
		vt_scope_has(sc, VT_DEF_SHADOWS) || n == 0 || s->name->s[n - 1] == '_' ||
		(s->unit->layers & ~plain_layers) != 0 ||
		(f = vt_scope_function(sc, s->name)) == VT_UNDEF)
		return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].keyword != NULL || s->args[i].key != NULL)
			return false;
	*st = VT_OK;
	for (uint32_t i = 0; i < s->nargs && *st == VT_OK; i++) {
		v[i] = argv[i];
		if (v[i] != VT_UNDEF)
			continue;
		*st = vt_call_value(rt, sc, &s->args[i], &v[i]);
		own |= (uint64_t)(*st == VT_OK) << i;
	}
	if (*st == VT_OK)
		*st = vt_apply(rt, f, s->nargs, v, out);
	for (; own != 0; own &= own - 1)
		vt_release(v[__builtin_ctzll(own)]);
	return true;
}

/* The method's stubs: one for instances, one for types; an Extension takes any receiver, by its
 * contract. */
static vt_status
from_method(call *c, const vt_method_decl *m)
{
	bool type = vt_is(c->recv, TYPEREF), ok = true;
	vt_class *owner = vt_class_link(c->rt, m->cls, &ok);
	if (owner == NULL)
		return VT_ERROR;
	if (m->usage == VT_M_EXTENSION) {
		c->by_contract = true;
		VT_TRY(vt_consider(c, (cand){.what = C_METHOD,
					      .m = m,
					      .self = owner->typeref,
					      .extension = true}));
		if (!type)
			return VT_OK;
	}
	if (type ? m->usage == VT_M_RUNTIME || m->usage == VT_M_ACTION : !is_object(c->recv)) {
		c->seen++;
		return VT_OK;
	}
	if (!vt_class_is(vt_cls_of(c->recv), owner)) { /* so it is for all objects of the class */
		c->seen++;
		return VT_OK;
	}
	return vt_consider(c, (cand){.what = C_METHOD, .m = m, .self = c->recv});
}

/* Mocks stand inside of the methods of their class and replace what is called on objects, and
 * extension methods where this class's own code calls them. */
static __attribute__((cold)) vt_status
from_mocks(call *c, vt_class *cls, const vt_str *name)
{
	bool ok = true;
	c->level++;
	for (const vt_mock *k = NULL; (k = vt_mock_next(c->rt, k, cls, name)) != NULL;) {
		vt_class *owner = vt_class_link(c->rt, k->m->cls, &ok);
		if (owner == NULL)
			return VT_ERROR;
		c->cacheable = false;
		if (k->m->usage == VT_M_EXTENSION)
			VT_TRY(vt_consider(c, (cand){.what = C_MOCK,
						      .m = k->m,
						      .mock = k,
						      .self = owner->typeref,
						      .extension = true}));
		else if (is_object(c->recv) && vt_class_is(vt_cls_of(c->recv), owner))
			VT_TRY(vt_consider(
				c, (cand){.what = C_MOCK, .m = k->m, .mock = k, .self = c->recv}));
	}
	return VT_OK;
}

/* A name with two definitions of equal right is an error only when the class is the receiver's. */
static vt_status
from_class(call *c, vt_class *cls, const vt_str *name, bool exported)
{
	bool unclear = false;
	const vt_method_decl *m = vt_class_method(c->rt, cls, name, &unclear);
	c->level++;
	if (m == NULL && unclear) {
		if (!exported && is_object(c->recv) && vt_cls_of(c->recv) == cls)
			return VT_ERROR;
		vt_exc_clear(c->rt);
	}
	if (m == NULL || (exported && m->usage != VT_M_EXTENSION))
		return VT_OK;
	return from_method(c, m);
}

static vt_status
from_type(call *c, vt_class *cls, const vt_str *name)
{
	const vt_class_decl *d = cls->decl;
	if (unlikely(c->rt->s->mocks != NULL))
		VT_TRY(from_mocks(c, cls, name));
	VT_TRY(from_class(c, cls, name, false));
	for (uint32_t i = 0; i < d->nimports; i++) {
		vt_class *imp = vt_find_class(c->rt, d->unit ? d->unit->pkg : NULL, d->imports[i]);
		if (imp == NULL)
			return VT_ERROR;
		VT_TRY(from_class(c, imp, name, true));
	}
	return VT_OK;
}

vt_status
vt_from_types(call *c)
{
	bool typed = is_object(c->recv) || vt_is(c->recv, TYPEREF), ok = true;
	vt_class *mine = NULL, *theirs = typed ? vt_cls_of(c->recv) : NULL;
	vt_value name;
	vt_status st = VT_OK;
	if (c->recv == VT_UNDEF || (theirs == NULL && (c->unit == NULL || c->unit->cls == NULL)))
		return VT_OK;
	if (c->unit != NULL && c->unit->cls != NULL &&
		(mine = vt_class_link(c->rt, c->unit->cls, &ok)) == NULL)
		return VT_ERROR;
	name = c->site != NULL && c->stripped == NULL ? vt_copy(vt_mkptr(c->site->name))
						      : vt_str_c(c->rt, lookup_name(c));
	if (theirs != NULL)
		st = from_type(c, theirs, vt_as_str(name));
	if (st == VT_OK && mine != NULL && mine != theirs)
		st = from_type(c, mine, vt_as_str(name));
	vt_release(name);
	return st;
}

enum { NLEVELS = 5 };
static uint32_t
level_of(uint32_t layer)
{
	if (layer & (VT_L_ENGINE | VT_L_ENGINE_LEGACY | VT_L_CORE | VT_L_FORM))
		return 0;
	if (layer & VT_L_DSL_LEGACY)
		return 1;
	if (layer & (VT_L_DSL | VT_L_DSL_OLD | VT_L_DSL_NEW))
		return 2;
	return layer & VT_L_LEGACY ? 3 : 4;
}

/* One level of the host's functions. *last: one of them is exclusive, what is further out is
 * hidden. */
static vt_status
from_host_level(call *c, const vt_fnrow *rows, uint32_t n, uint32_t level, bool *last)
{
	uint32_t kind = c->recv == VT_UNDEF ? VT_FN_FUNCTION : VT_FN_METHOD;
	for (uint32_t i = 0; i < n; i++) {
		if (host_level(&rows[i]) != level)
			continue;
		*last |= (rows[i].flags & VT_FN_EXCLUSIVE) != 0;
		if (rows[i].flags & kind)
			VT_TRY(vt_consider(c, (cand){.what = C_ROW, .row = &rows[i]}));
	}
	return VT_OK;
}

/* Innermost first; level 0 comes with the rows of std. */
static vt_status
from_host(call *c, const vt_fnrow *rows, uint32_t n, bool *last)
{
	for (uint32_t below = c->below;;) {
		uint32_t level = 0;
		for (uint32_t i = 0; i < n; i++)
			if (host_level(&rows[i]) < below && host_level(&rows[i]) > level)
				level = host_level(&rows[i]);
		if (level == 0 || *last)
			return VT_OK;
		c->level++;
		VT_TRY(from_host_level(c, rows, n, level, last));
		below = level;
	}
}

/* What the contexts of a host have, level by level: those of the scope and of all around it. */
static vt_status
from_contexts(call *c, bool *last)
{
	uint32_t kind = c->recv == VT_UNDEF ? VT_FN_FUNCTION : VT_FN_METHOD, n;
	const vt_scope *s = c->outside != NULL ? c->outside->parent : c->sc, *p;
	for (; s != NULL && !*last; s = s->parent) {
		if (s->h.aux != VT_SCOPE_CONTEXT)
			continue;
		c->level++;
		for (uint32_t k = 0; (p = vt_context_part(s, k)) != NULL; k++) {
			const vt_fnrow *rows =
				vt_host_of_table(vt_context_has_table(p), lookup_name(c), &n);
			for (uint32_t i = 0; i < n; i++) {
				*last |= (rows[i].flags & VT_FN_EXCLUSIVE) != 0;
				if (rows[i].flags & kind)
					VT_TRY(vt_consider(c,
						(cand){.what = C_ROW, .row = &rows[i], .from = s}));
			}
		}
	}
	return VT_OK;
}

static vt_status
from_rows(call *c, const vt_fnrow *rows, uint32_t n, uint32_t layers, bool *ended)
{
	uint32_t kind = c->recv == VT_UNDEF ? VT_FN_FUNCTION : VT_FN_METHOD;
	for (uint32_t level = 0; level < NLEVELS; level++) {
		bool last = false;
		c->level++;
		for (uint32_t i = 0; i < n; i++) {
			if (!vt_row_is_there(&rows[i], layers) || level_of(rows[i].layer) != level)
				continue;
			last |= (rows[i].flags & VT_FN_EXCLUSIVE) != 0;
			if (rows[i].flags & kind)
				VT_TRY(vt_consider(c, (cand){.what = C_ROW, .row = &rows[i]}));
		}
		if (last) {
			*ended = level < NLEVELS - 1;
			break;
		}
	}
	return VT_OK;
}

vt_status
vt_from_registry(call *c)
{
	uint32_t nhost = 0, n = 0;
	const vt_fnrow *host = vt_host_find(c->rt, lookup_name(c), &nhost), *rows;
	bool ended = false;
	if (c->below == 0)
		return VT_OK;
	if (host != NULL) {
		c->cacheable = false;
		if (c->below == UINT32_MAX)
			VT_TRY(from_contexts(c, &ended));
	}
	if (!ended)
		VT_TRY(from_host(c, host, nhost, &ended));
	if (ended)
		return VT_OK;
	rows = vt_library_find(c->rt, lookup_name(c), c->unit ? c->unit->layers : 0, &n);
	if (rows != NULL)
		VT_TRY(from_rows(c, rows, n, c->unit ? c->unit->layers : VT_L_STD, &ended));
	else if (unlikely(vt_fn_absent(lookup_name(c))))
		return vt_raise(c->rt, VT_E_RUNTIME,
			"this program was built without the function \"%s\": "
			"`vetro build -fno-subset` links all",
			lookup_name(c));
	return ended ? VT_OK : from_host_level(c, host, nhost, 0, &ended);
}

const vt_fnrow *
vt_fn_find(const char *name, uint32_t *n)
{
	return vt_rows_find(vt_linked.rows, vt_linked.nrows, name, n);
}

bool
vt_fn_sees_scope(const char *name, uint32_t layers, bool *known)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);
	bool sees = false;
	*known = false;
	for (uint32_t i = 0; rows != NULL && i < n; i++) {
		bool there = vt_row_is_there(&rows[i], layers);
		*known |= there;
		sees |= there && (rows[i].flags & VT_FN_CONTEXT) != 0;
	}
	return sees;
}

const vt_fnrow *
vt_rows_find(const vt_fnrow *rows, uint32_t nrows, const char *name, uint32_t *n)
{
	uint32_t lo = 0, hi = nrows, mid;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(rows[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*n = 0;
	while (lo + *n < nrows && strcmp(rows[lo + *n].name, name) == 0)
		++*n;
	return *n ? &rows[lo] : NULL;
}

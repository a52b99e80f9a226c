/*
 * library.c - the functions of the language one by one.
 *
 * A host that resolves overloads itself calls one of them with values that fit its parameters: what
 * resolution does to arguments (types.c, row.c of the runtime) is the host's then.
 */
#include "compiler/libvetro/int.h"
#include "compiler/libvetro/vetro_host.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/call/call.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table ---------------------------------------------------------------------------- */

static const vt_fnrow *
row_of(const vetro_builtin *b)
{
	return (const vt_fnrow *)(const void *)b;
}

/* Rows of other languages are left out. */
static bool
is_yaql(const vt_fnrow *r)
{
	return (r->layer & (VT_L_STD | VT_L_LEGACY | VT_L_DELEGATES)) != 0;
}

const vetro_builtin *
vetro_builtin_at(size_t i)
{
	for (uint32_t k = 0; k < vt_linked.nrows; k++)
		if (is_yaql(&vt_linked.rows[k]) && i-- == 0)
			return (const vetro_builtin *)(const void *)&vt_linked.rows[k];
	return NULL;
}

const char *
vetro_builtin_name(const vetro_builtin *b)
{
	return row_of(b)->name;
}

unsigned
vetro_builtin_flags(const vetro_builtin *b)
{
	uint32_t f = row_of(b)->flags;
	unsigned kind = !(f & VT_FN_METHOD)  ? VETRO_FUNCTION
			: f & VT_FN_FUNCTION ? VETRO_EXTENSION
					     : VETRO_METHOD;

	return kind | (f & VT_FN_EXCLUSIVE ? VETRO_EXCLUSIVE : 0) |
	       (f & VT_FN_NO_KWARGS ? VETRO_NO_KEYWORDS : 0);
}

unsigned
vetro_builtin_layer(const vetro_builtin *b)
{
	return row_of(b)->layer & VT_L_STD      ? VETRO_LAYER_STANDARD
	       : row_of(b)->layer & VT_L_LEGACY ? VETRO_LAYER_LEGACY
						: VETRO_LAYER_DELEGATES;
}

unsigned
vetro_builtin_group(const vetro_builtin *b)
{
	uint32_t g = vt_row_group(row_of(b));

	return g != VT_G_NONE ? 1u << (g - 1) : 0;
}

static vt_value
default_of(vetro_engine *e, const vt_fnparam *p)
{
	if (p->dflt_str != NULL)
		return vt_str_c(e->rt, p->dflt_str);
	return p->has_default ? vt_copy(p->dflt) : VT_UNDEF;
}

int
vetro_builtin_parameter(vetro_engine *e, const vetro_builtin *b, size_t i, vetro_parameter *out)
{
	const vt_fnparam *p = i < row_of(b)->nparams ? &row_of(b)->params[i] : NULL;
	vt_value v;

	if (p == NULL)
		return -1;
	v = default_of(e, p);
	*out = (vetro_parameter){.name = p->name,
		.type = vt_type_name((enum vt_type)p->type),
		.nullable = p->nullable,
		.kind = p->kind,
		.value = v == VT_NOVALUE ? vetro_no_value() : handle(v)};
	return 0;
}

/* ---- calls -------------------------------------------------------------------------------- */

static uint32_t
nstandard(const vt_fnrow *r)
{
	uint32_t n = 0;

	while (n < r->nparams && r->params[n].kind == 0)
		n++;
	return n;
}

const vt_unit *
lv_unit(vetro_engine *e)
{
	vt_unit *u = &e->unit;

	u->layers = lv_layers(e);
	u->opt = (vt_options){.limit_iterators = e->opt[VETRO_LIMIT_ITERATORS],
		.memory_quota = e->opt[VETRO_MEMORY_QUOTA],
		.tuples_to_lists = e->opt[VETRO_TUPLES_TO_LISTS] != 0,
		.sets_to_lists = e->opt[VETRO_SETS_TO_LISTS] != 0,
		.iterable_dicts = e->opt[VETRO_ITERABLE_DICTS] != 0,
		.convert_input = e->opt[VETRO_CONVERT_INPUT] != 0,
		.convert_output = e->opt[VETRO_CONVERT_OUTPUT] != 0};
	return u;
}

/* Values by position and keyword, then defaults: a count of each. The NULL of an optional argument
 * is no argument. */
static bool
standard_values(vetro_engine *e, const vt_fnrow *r, size_t n, const vetro_value *args,
	vetro_value keywords, vt_value *v)
{
	uint32_t ns = nstandard(r);

	for (uint32_t i = 0; i < ns; i++) {
		const vt_fnparam *p = &r->params[i];
		vetro_value given = i < n ? args[i] : NULL;
		if (given == NULL || word(given) == VT_NOVALUE)
			given = keywords ? vetro_dict_get_name(keywords, p->name) : NULL;
		v[i] = given != NULL ? vt_copy(word(given)) : default_of(e, p);
		if (given == NULL && !p->has_default)
			return false;
	}
	for (size_t i = ns; i < n; i++)
		v[i] = args[i] != NULL ? vt_copy(word(args[i])) : VT_NOVALUE;
	return n <= ns || (r->nparams > ns && r->params[ns].kind == 1);
}

/* What **kw gets: the keywords that are no parameters. */
static vt_value
other_keywords(vetro_engine *e, const vt_fnrow *r, vetro_value keywords)
{
	vt_dict *d;
	vetro_value key, value;
	bool has = r->nparams > 0 && r->params[r->nparams - 1].kind == 2;

	if (!has)
		return VT_NULL;
	d = vt_dict_new(e->rt, true);
	for (size_t at = 0; keywords && vetro_dict_next(keywords, &at, &key, &value);) {
		bool own = false;
		for (uint32_t i = 0; i < nstandard(r); i++)
			own |= !strcmp(r->params[i].name, vetro_get_string(key, NULL));
		if (!own)
			(void)vt_dict_set(e->rt, d, word(key), word(value));
	}
	return vt_mkptr(d);
}

static vt_status
call_row(vetro_engine *e, const vt_fnrow *r, vt_args *a, vt_value *out)
{
	int64_t before = e->rt->s->quota;
	vt_status st;

	if (e->rt->depth >= e->rt->max_depth)
		return vt_raise_depth(e->rt);
	e->rt->s->quota = e->opt[VETRO_MEMORY_QUOTA] > 0 ? e->opt[VETRO_MEMORY_QUOTA] : 0;
	e->rt->depth++;
	st = r->fn(a, out);
	if (st == VT_OK && (st = vt_quota_value(e->rt, *out)) != VT_OK)
		vt_clear(out);
	e->rt->depth--;
	e->rt->s->quota = before;
	return st;
}

enum { FEW = 32 };

vetro_value
vetro_builtin_call(vetro_engine *e, const vetro_builtin *b, size_t n, const vetro_value *args,
	vetro_value keywords, vetro_error **err)
{
	const vt_fnrow *r = row_of(b);
	uint32_t ns = nstandard(r), all = n > ns ? (uint32_t)n : ns;
	vt_value few[FEW], *v = all <= FEW ? few : vt_xmalloc(all * sizeof *v), out = VT_UNDEF;
	vt_args a = {.rt = e->rt,
		.unit = lv_unit(e),
		.row = r,
		.self = VT_UNDEF,
		.v = v,
		.nv = ns,
		.rest = v + ns,
		.nrest = all - ns};
	vt_status st;

	lv_enter(e);
	for (uint32_t i = 0; i < all; i++)
		v[i] = VT_UNDEF;
	a.scope = vt_scope_root(e->rt, a.unit, VT_NULL);
	a.kw = other_keywords(e, r, keywords);
	if (standard_values(e, r, n, args, keywords, v))
		st = call_row(e, r, &a, &out);
	else
		st = vt_raise(e->rt, VT_E_TYPE, "wrong arguments for %s()", r->name);
	vt_scope_drop(a.scope);
	for (uint32_t i = 0; i < all; i++)
		vt_release(v[i]);
	vt_release(a.kw);
	if (v != few)
		free(v);
	lv_leave(e);
	if (st == VT_OK)
		return out == VT_NOVALUE ? vetro_no_value() : handle(out);
	lv_fail(e, err);
	return NULL;
}

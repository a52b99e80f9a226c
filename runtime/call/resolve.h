/*
 * resolve.h - a call whose overload is looked for: its arguments and candidates.  resolve.c says
 * how.
 */
#ifndef VT_CALL_RESOLVE_H
#define VT_CALL_RESOLVE_H

#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/kind.h"
#include "runtime/core/value.h"

#include <string.h>

enum { SMALL = 8, MAX_TAGS = 10, TAG_LAZY = 63, RAW = 0xff };

/* One argument. kind is enum vt_arg_kind while it is an expression or a constant, RAW for a plain
 * value. */
typedef struct carg {
	const vt_arg *a;     /* as written, or NULL */
	const vt_code *code; /* of an expression; for a mapping, of its right side */
	const vt_str *name;  /* keyword, or NULL */
	vt_value v;          /* VT_UNDEF: not evaluated */
	uint8_t kind;
	bool owned;
} carg;

enum what { C_ROW, C_METHOD, C_DEF, C_MOCK };

typedef struct cand {
	uint8_t what;
	bool extension; /* C_METHOD: the receiver is its first argument */
	uint32_t level;
	const vt_fnrow *row;
	const vt_method_decl *m;
	const vt_mock *mock;  /* C_MOCK; m is what it replaces */
	vt_value self;        /* C_METHOD, C_MOCK: what it runs on; C_DEF: the lambda. Borrowed */
	const vt_scope *from; /* C_ROW: the context of a host that has it, or NULL */
} cand;

typedef struct call {
	vt_rt *rt;
	vt_scope *sc; /* of the caller; NULL for calls from C without one */
	const vt_unit *unit;
	const vt_site *site; /* or NULL */
	const char *name;    /* for messages */
	/* without the underscores that YAQL drops; or NULL when there were none */
	char *stripped;
	vt_value recv; /* VT_UNDEF: a plain call */
	carg *pos, *kw;
	uint32_t npos, nkw;
	int8_t no_kwargs; /* -1 until the first candidate has decided */
	bool have_lazy, cacheable;
	bool by_contract; /* an extension method was asked whether it takes the receiver */
	uint32_t seen, level;
	uint32_t below; /* only rows of the host with a smaller level; UINT32_MAX: all */
	/* only what contexts around this one have, and the host and the library; NULL: all */
	const vt_scope *outside;
	const vt_scope *from; /* vt_args.from of what was chosen */
	uint8_t *lazy, *mine; /* npos + nkw marks: of all candidates, of the one at hand */
	cand *cands;
	uint32_t ncands, cap;
	carg small_pos[SMALL + 1], small_kw[SMALL];
	uint8_t small_lazy[4 * (SMALL + 1)];
	cand small_cands[12];
} call;

static inline bool
is_set_like(vt_value v)
{
	return vt_is(v, SET) || (vt_is(v, VIEW) && vt_head_of(v)->aux != VT_VIEW_VALUES);
}

static inline bool
is_object(vt_value v)
{
	return vt_is(v, OBJECT) || vt_is(v, CAST);
}

static inline bool
is_constant(uint8_t kind)
{
	return kind == VT_A_STRING || kind == VT_A_NUMBER || kind == VT_A_BOOL ||
	       kind == VT_A_NULL || kind == VT_A_KEYWORD;
}

static inline vt_value
constant_of(const vt_arg *a)
{
	return a->value != NULL ? vt_mkptr(a->value) : a->imm;
}

static inline bool
omitted(const carg *g)
{
	return g->kind == VT_A_NOVALUE || (g->kind == RAW && g->v == VT_NOVALUE);
}

static inline carg *
keyword(const call *c, const char *name)
{
	for (uint32_t i = 0; i < c->nkw; i++)
		if (strcmp(c->kw[i].name->s, name) == 0)
			return &c->kw[i];
	return NULL;
}

static inline uint32_t
nstandard(const vt_fnrow *r)
{
	uint32_t n = 0;
	while (n < r->nparams && r->params[n].kind == 0)
		n++;
	return n;
}

static inline const vt_fnparam *
rest_param(const vt_fnrow *r, uint8_t kind)
{
	for (uint32_t i = r->nparams; i-- > 0 && r->params[i].kind != 0;)
		if (r->params[i].kind == kind)
			return &r->params[i];
	return NULL;
}

static inline bool
any_functions(const vt_scope *sc)
{
	for (; sc != NULL; sc = sc->parent)
		if (sc->ext != NULL)
			return true;
	return false;
}

static inline uint32_t
host_level(const vt_fnrow *r)
{
	return (r->flags & VT_FN_LEVEL) / (VT_FN_LEVEL & -VT_FN_LEVEL);
}

static inline vt_value
mapping(vt_rt *rt, vt_value key, vt_value value)
{
	vt_mapping *m = vt_alloc(rt, sizeof *m, VT_K_MAPPING);
	m->key = key;
	m->value = value;
	return vt_mkptr(m);
}

/* ---- resolve.c ---- */

static inline vt_ic *
cache_of(vt_rt *rt, const vt_site *s)
{
	return s != NULL && rt->ic != NULL ? vt_ic_at(rt, s->ic) : NULL;
}

/* An argument, or the key of one, as it is written. */
vt_status vt_call_value(vt_rt *, vt_scope *, const vt_arg *, vt_value *out);
/* Whom a call with integers would find, at most SMALL of them, without making it; the site's cache
 * knows then. */
void vt_call_learn(vt_rt *, const vt_site *, vt_value recv);
/* Two candidates are as good as one another. */
vt_status vt_call_ambiguous(call *c);

/* What the row in the site's cache gets for these values, with its defaults behind; n: how many are
 * given. The cache that knows the row; NULL: there is none for their kinds that takes them as they
 * are. */
enum { VT_MOST_PLAIN = VT_READY_VALUES - SMALL - 1, VT_PLAIN_VALUES = VT_READY_VALUES };
/* vt_tag_of without a call for the kinds of which it knows no more. */
static inline uint64_t
vt_quick_tag(vt_value v)
{
	const uint64_t more = UINT64_C(1) << VT_K_VIEW | UINT64_C(1) << VT_K_REFLECT |
			      UINT64_C(1) << VT_K_DATETIME | UINT64_C(1) << VT_K_HOST;
	if (vt_is_int(v))
		return 1;
	if (!vt_is_ptr(v) || (more >> vt_head_of(v)->kind & 1))
		return vt_tag_of(v);
	return 16 + vt_head_of(v)->kind;
}
const vt_ic *vt_plain_values(vt_rt *, vt_scope *, const vt_site *, vt_value recv,
	const vt_value *argv, vt_value *v, uint32_t *n);

/* ---- cache.c ---- */

/* The first word of a cache that knows a row, as resolve.c explains: vt_site_keys[..]. */
/* COPY_KEY: MAKER_KEY, and the type is a constant, all else has names, and objects are copied;
 * CHOICE_KEY: a row that jumps stand for (VT_IN_CHOICE), whose calls go the long way; RECORD_KEY:
 * dict() of mappings and names, no name twice. */
enum {
	ROW_KEY,
	PLAIN_KEY,
	KEYWORDS_KEY,
	LAMBDA_KEY,
	MAKER_KEY,
	COPY_KEY,
	CHOICE_KEY,
	RECORD_KEY,
	EXTENSION_KEY,
	NAMED_KEY,
	NKEYS,
	PLAIN_SHIFT = 16,
	QUICK_SHIFT = 40,
	/* aux of a method's: what stands behind the parameters goes into one tuple, or one dict */
	VT_PLAIN_REST = 3
};
extern const char vt_site_keys[NKEYS];
_Static_assert((int)PLAIN_KEY == (int)VT_PLAIN_KEY && (int)QUICK_SHIFT == (int)VT_QUICK_SHIFT,
	"known to emitted code");
/* By the quick function of the row that the site has found, which gets all of its parameters.
 * False: it is none, or the values are others.  Not where a scope may have functions. */
static inline bool
vt_call_known(vt_rt *rt, const vt_site *s, const vt_value *v, vt_value *out)
{
	const vt_ic *ic = cache_of(rt, s);
	vt_value made;
	if (ic == NULL || ic->key != &vt_site_keys[PLAIN_KEY] || !(ic->aux2 >> QUICK_SHIFT & 1) ||
		vt_metered(rt))
		return false;
	made = ((const vt_fnrow *)ic->target)->quick(rt, v);
	if (made == VT_UNDEF)
		return false;
	*out = made;
	return true;
}
/* The kinds of the arguments, with TAG_LAZY for what the row gets as an expression. */
uint64_t vt_site_tags(const call *c, const vt_fnrow *r);
/* May calls of the site go by a cache at all? r: NULL for a method. */
bool vt_simple_args(const vt_site *s, const vt_fnrow *r);
vt_ic vt_cache_row(const call *c, const vt_fnrow *r);

/* What the row of the cache gets: v has its parameters, n of them given, and the rest behind. */
static inline __attribute__((always_inline)) void
vt_plain_args(vt_args *to, vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value *v,
	uint32_t n)
{
	uint32_t nv = (uint8_t)(ic->aux2 >> PLAIN_SHIFT);

	to->rt = rt;
	to->scope = sc;
	to->unit = s->unit;
	to->site = s;
	to->row = ic->target;
	to->method = NULL;
	to->self = VT_UNDEF;
	to->v = v;
	to->nv = nv;
	to->rest = v + nv;
	to->nrest = n > nv ? n - nv : 0;
	to->kw = VT_NULL;
}

/* ---- resolve.c ---- */

/* What no cache answers. */
vt_status vt_call_search(vt_rt *, vt_scope *, const vt_site *, vt_ic *, vt_value recv,
	const vt_value *argv, vt_value *out);
/* An object of the host, in Lua or in C, whose methods hide every other function? */
bool vt_host_has_methods(vt_rt *, vt_value);
vt_status vt_call_on_host(
	vt_rt *, vt_scope *, const vt_site *, vt_value recv, const vt_value *argv, vt_value *out);
vt_status vt_call_in_context(
	vt_rt *, vt_scope *ctx, const vt_site *, const vt_value *argv, vt_value *out);
/* The method that the site has found for the class of the receiver. */
vt_status vt_cached_method(vt_rt *, vt_scope *, const vt_site *, const vt_method_decl *,
	vt_value recv, const vt_value *argv, vt_value *out);

/* ---- found.c ---- */

/* Which parameter of the row each argument of the site is, five bits each, one up; 0: no such. */
uint64_t vt_places_of(const call *c, const vt_fnrow *r);
/* dict(k => v, ...) of RECORD_KEY. */
vt_status vt_call_record(vt_rt *, vt_scope *, const vt_site *, const vt_value *argv, vt_value *out);
/* The row of the site with keyword arguments. False: the kinds are others. */
bool vt_call_keywords(vt_rt *, vt_scope *, const vt_site *, const vt_ic *, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *);
/* A site that finds one method alone, an Extension.  False: it cannot go by the cache. */
bool vt_keep_extension(const call *c, const cand *k, vt_ic *);
bool vt_call_extension(vt_rt *, const vt_site *, const vt_ic *, vt_value recv, const vt_value *argv,
	vt_value *out, vt_status *);
/* The row of the site, which takes all keyword arguments as **.  False: the kinds are others. */
bool vt_call_named(vt_rt *, vt_scope *, const vt_site *, const vt_ic *, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *);
/* What the cache of the site remembers of the method that was chosen. */
vt_ic vt_cache_method(const call *c, const vt_method_decl *m);
/* Values of other kinds take turns at a site of a row that takes them as they are. */
void vt_keep_kinds(vt_rt *, const vt_site *, const vt_ic *);
const vt_ic *vt_found_kinds(vt_rt *, const vt_site *, uint64_t tags); /* or NULL */
/* What the caches know the receiver by: its class, one up for a type, three up for a cast; NULL: it
 * has none. */
const void *vt_key_of(vt_value recv);
/* What was found for the receiver, in the site's cache or kept; or NULL. */
const vt_ic *vt_find_method(vt_rt *, const vt_site *, const vt_ic *, vt_value recv);
/* The row that objects of the receiver's class have found at the site, beside its cache. */
void vt_keep_row(const call *c, const vt_fnrow *);
const vt_ic *vt_find_row(vt_rt *, const vt_site *, vt_value recv); /* or NULL */
/* Does the cache of the site have that row itself? */
bool vt_has_row(const vt_ic *, vt_value object);
/* A call with lambdas as the last one here. False: it is to be searched for. */
bool vt_call_lambdas(vt_rt *, vt_scope *, const vt_site *, const vt_ic *, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *);
/* The call of a method whose aux is not 0. */
vt_status vt_plain_method(vt_rt *, const vt_site *, const vt_ic *, vt_value recv,
	const vt_value *argv, vt_value *out);
/* May the site of new() make objects without a load? */
struct vt_maker;
bool vt_site_makes(const call *c);
/* The cache of a site that has made objects by the maker, which keeps what was in it before. */
vt_ic vt_maker_cache(const vt_site *, struct vt_maker *, const vt_value *argv);
static inline bool
knows_maker(const vt_ic *ic)
{
	return ic->key == &vt_site_keys[MAKER_KEY] || ic->key == &vt_site_keys[COPY_KEY];
}
/* And the call, by the maker of what the first argument is; *maker, which may be NULL, is that of
 * `type`, and becomes the one that was used.  False: it takes the long way. */
struct vt_maker;
bool vt_call_maker(vt_rt *, vt_scope *, const vt_site *, vt_value type, struct vt_maker **maker,
	const vt_value *argv, vt_value *out, vt_status *);

/* ---- types.c ---- */

/* Does the parameter take the argument, as far as that can be said yet? */
bool vt_check_arg(const call *c, const vt_fnparam *p, const carg *g);
bool vt_more_special(uint8_t a, uint8_t b);

/* ---- bind.c ---- */

carg vt_arg_written(const vt_arg *a, vt_value given);
vt_status vt_split_keywords(call *c);
vt_status vt_keep_mappings(call *c);
void vt_call_open(call *c, uint32_t npos, uint32_t nkw);
void vt_call_close(call *c);
void vt_strip_name(call *c);                           /* c->stripped */
vt_status vt_check_keywords(vt_rt *, const vt_dict *); /* what call() is given */
const vt_fnparam *vt_by_keyword(const vt_fnrow *r, const char *name);
vt_status vt_consider(call *c, cand k);

/* ---- candidates.c ---- */

/*
 * A function that def() made, where nothing else can have its name and each argument is a value or
 * an expression.  False: it is to be searched for.
 */
bool vt_call_defined(
	vt_rt *, vt_scope *, const vt_site *, const vt_value *argv, vt_value *out, vt_status *);
vt_status vt_from_scope(call *c);
vt_status vt_from_types(call *c);
vt_status vt_from_registry(call *c);

/* ---- row.c ---- */

/* The argument as a lazy parameter gets it: owned, or VT_UNDEF where the value itself is that. */
vt_value vt_lazy_value(const call *c, const vt_fnparam *p, const carg *g);
vt_status vt_call_row(call *c, const vt_fnrow *r, vt_value *out);
vt_status vt_call_keywords_dict(call *c, vt_value *out);
vt_status vt_call_other(call *c, const cand *k, vt_value *out);

#endif

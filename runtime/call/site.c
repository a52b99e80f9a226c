/*
 * site.c - a call where its site has found something before: what the inline cache answers.
 * resolve.c says what that holds, and does the rest.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/exception.h"
#include "runtime/object/maker.h"
#include "runtime/seq/seq.h"

/* One value a parameter of the row. */
static inline __attribute__((always_inline)) void
quick_values(const vt_site *s, const vt_ic *ic, vt_value recv, const vt_value *argv, vt_value *v)
{
	const vt_fnrow *r = ic->target;
	uint32_t n = 0;
	if (recv != VT_UNDEF)
		v[n++] = recv;
	for (uint32_t i = 0; i < s->nargs; i++)
		v[n++] = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
	for (; n < r->nparams; n++)
		v[n] = r->params[n].dflt;
}

/* vt_plain_values where the site's cache has a plain row; each call of the library comes by. */
static inline __attribute__((always_inline)) const vt_ic *
plain_values(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *v, uint32_t *values)
{
	const vt_fnrow *r;
	uint32_t n = 0, nv;
	uint64_t t = 0;
	if (recv != VT_UNDEF)
		t = vt_quick_tag(v[n++] = recv);
	for (uint32_t i = 0; i < s->nargs; i++) {
		v[n] = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
		t = t << VT_TAG_BITS | vt_quick_tag(v[n++]);
	}
	if (unlikely(t != ic->aux) && (ic = vt_found_kinds(rt, s, t)) == NULL)
		return NULL;
	if (n != (ic->aux2 & ((1 << PLAIN_SHIFT) - 1)) ||
		(recv == VT_UNDEF && any_functions(sc) &&
			vt_scope_function(sc, s->name) != VT_UNDEF))
		return NULL;
	r = ic->target;
	nv = (uint8_t)(ic->aux2 >> PLAIN_SHIFT);
	for (uint32_t i = n; i < nv; i++)
		v[i] = r->params[i].dflt;
	*values = n;
	return ic;
}

static __attribute__((noinline)) const vt_ic *
values_of(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *v, uint32_t *values)
{
	return plain_values(rt, sc, s, ic, recv, argv, v, values);
}

const vt_ic *
vt_plain_values(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_value *v, uint32_t *values)
{
	const vt_ic *ic = cache_of(rt, s);
	if (ic == NULL || ic->key != &vt_site_keys[PLAIN_KEY])
		return NULL;
	return values_of(rt, sc, s, ic, recv, argv, v, values);
}

/*
 * The row of the last call here with the values as they are.  A quick function looks at the values
 * itself; its VT_UNDEF says that they are not for it.  False: the kinds are others.
 */
static inline __attribute__((always_inline)) bool
call_plainly(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *st)
{
	vt_value v[VT_PLAIN_VALUES], made;
	vt_args a;
	uint32_t n;
	if ((ic->aux2 >> QUICK_SHIFT & 1) && (recv != VT_UNDEF || !any_functions(sc))) {
		quick_values(s, ic, recv, argv, v);
		made = ((const vt_fnrow *)ic->target)->quick(rt, v);
		*st = VT_OK;
		if (likely(made != VT_UNDEF)) {
			*out = made;
			return true;
		}
	}
	ic = plain_values(rt, sc, s, ic, recv, argv, v, &n);
	if (ic == NULL)
		return false;
	vt_plain_args(&a, rt, sc, s, ic, v, n);
	*st = a.row->fn(&a, out);
	return true;
}

bool
vt_ready(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_ready_call *to)
{
	const vt_ic *ic;

	if (s->nargs >= SMALL ||
		(ic = vt_plain_values(rt, sc, s, recv, argv, to->v, &to->n)) == NULL)
		return false;
	vt_plain_args(&to->args, rt, sc, s, ic, to->v, to->n);
	to->tags = ic->aux;
	to->quick = ic->aux2 >> QUICK_SHIFT & 1 ? to->args.row->quick : NULL;
	return true;
}

/* new() where the site has found the library's, of what is evaluated: by the maker of the type that
 * is given. */
static vt_status
make_of(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_ic *ic, const vt_value *argv, vt_value *out)
{
	bool again = knows_maker(ic);
	vt_maker *m = again ? ic->target : NULL;
	vt_ic row = again ? m->row : *ic;
	vt_status st;
	if (!vt_call_maker(rt, sc, s, ic->aux, &m, argv, out, &st))
		return vt_call_search(rt, sc, s, &row, VT_UNDEF, argv, out);
	if (!again || m != ic->target) {
		m->row = row;
		*ic = vt_maker_cache(s, m, argv);
	}
	return st == VT_ERROR ? vt_placed(rt, s) : st;
}

/* What is given is evaluated before anything else is done with it, as by the long way. */
static vt_status
make(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_ic *ic, const vt_value *argv, vt_value *out)
{
	vt_value v[SMALL];
	uint32_t done = 0, held = 0; /* bits: what is to be given back */
	vt_status st = VT_OK;
	for (; done < s->nargs && st == VT_OK; done++) {
		v[done] = argv[done];
		if (v[done] == VT_UNDEF || vt_final_now(v[done]))
			continue;
		st = vt_final(rt, s->unit, argv[done], &v[done]);
		held |= (uint32_t)(st == VT_OK) << done;
	}
	st = st == VT_OK ? make_of(rt, sc, s, ic, v, out) : vt_placed(rt, s);
	for (uint32_t i = 0; i < done; i++)
		if (held >> i & 1)
			vt_release(v[i]);
	return st;
}

/* The library's function that objects of the class have found here. */
static __attribute__((noinline)) bool
call_of_object(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *st)
{
	vt_value v[VT_PLAIN_VALUES];
	vt_args a;
	uint32_t n;
	if (!vt_has_row(ic, recv)) {
		ic = vt_find_row(rt, s, recv);
		if (ic != NULL && ic->key == &vt_site_keys[LAMBDA_KEY])
			return vt_call_lambdas(rt, sc, s, ic, recv, argv, out, st);
		if (ic == NULL || ic->key != &vt_site_keys[PLAIN_KEY])
			return false;
	}
	if ((ic = values_of(rt, sc, s, ic, recv, argv, v, &n)) == NULL)
		return false;
	vt_plain_args(&a, rt, sc, s, ic, v, n);
	*st = a.row->fn(&a, out);
	return true;
}

/* What has no methods of its own, nor functions: the library's rows are all there is. */
static inline bool
is_datum(vt_value recv)
{
	return !vt_is_ptr(recv) || vt_head_of(recv)->kind < VT_K_ITER;
}

/* The same of these, on which rows with lambdas are called too. */
static inline bool
is_plain_thing(vt_value recv)
{
	const unsigned others = 1u << VT_K_ITER | 1u << VT_K_VIEW | 1u << VT_K_ORDERING |
				1u << VT_K_MEMO | 1u << VT_K_REGEX | 1u << VT_K_DATETIME |
				1u << VT_K_TIMESPAN;
	return is_datum(recv) || (others >> vt_head_of(recv)->kind & 1) != 0;
}

/* vt_call for what is no plain row of the last call's kinds on a plain value. */
static __attribute__((noinline)) vt_status
call_otherwise(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out)
{
	const vt_ic *found;
	vt_ready_call to;
	vt_status st = VT_OK;
	if (ic != NULL && ic->key == &vt_site_keys[KEYWORDS_KEY] && recv == VT_UNDEF &&
		vt_call_keywords(rt, sc, s, ic, recv, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	if (ic != NULL &&
		(knows_maker(ic) ||
			(ic->key == &vt_site_keys[ROW_KEY] && vt_found(ic, VT_IN_NEW))) &&
		recv == VT_UNDEF && !vt_metered(rt))
		return make(rt, sc, s, ic, argv, out);
	if (unlikely(vt_is(recv, SCOPE)) && (s->unit->layers & VT_L_LEGACY))
		return vt_call_in_context(rt, VT_AS(vt_scope, recv), s, argv, out);
	if (unlikely(vt_is(recv, HOST)) && vt_host_has_methods(rt, recv))
		return vt_call_on_host(rt, sc, s, recv, argv, out);
	if (ic != NULL && ic->key == &vt_site_keys[EXTENSION_KEY] && recv != VT_UNDEF &&
		is_datum(recv) && vt_call_extension(rt, s, ic, recv, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	found = ic != NULL ? vt_find_method(rt, s, ic, recv) : NULL;
	if (found != NULL) {
		st = found->aux ? vt_plain_method(rt, s, found, recv, argv, out)
				: vt_cached_method(rt, sc, s, found->target, recv, argv, out);
		return st == VT_OK ? st : st == VT_ERROR ? vt_placed(rt, s) : st;
	}
	if (vt_is(recv, OBJECT) && ic != NULL && !vt_metered(rt) &&
		call_of_object(rt, sc, s, ic, recv, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	/* #operator_. took it before the method was looked for */
	if (recv != VT_UNDEF && vt_metered(rt)) {
		VT_TRY(vt_quota_value(rt, recv));
		VT_TRY(vt_quota_expression(rt));
	}
	if (vt_ready(rt, sc, s, recv, argv, &to)) {
		st = to.args.row->fn(&to.args, out);
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	}
	if (ic != NULL && ic->key == &vt_site_keys[LAMBDA_KEY] && !is_plain_thing(recv) &&
		!vt_metered(rt) && vt_call_lambdas(rt, sc, s, ic, recv, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	if (ic != NULL && ic->key == &vt_site_keys[RECORD_KEY] && recv == VT_UNDEF &&
		!any_functions(sc) && !vt_metered(rt)) {
		st = vt_call_record(rt, sc, s, argv, out);
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	}
	if (recv == VT_UNDEF && s->kind != VT_SITE_METHOD && sc != NULL && any_functions(sc) &&
		vt_call_defined(rt, sc, s, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	if (ic != NULL && ic->key == &vt_site_keys[KEYWORDS_KEY] && recv != VT_UNDEF &&
		vt_call_keywords(rt, sc, s, ic, recv, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	if (ic != NULL && ic->key == &vt_site_keys[NAMED_KEY] && !vt_metered(rt) &&
		vt_call_named(rt, sc, s, ic, recv, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	return vt_call_search(rt, sc, s, ic, recv, argv, out);
}

vt_status
vt_call(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_value *out)
{
	vt_ic *ic = cache_of(rt, s);
	const vt_ic *found;
	vt_status st;
	if (likely(ic != NULL && ic->key == &vt_site_keys[PLAIN_KEY] && is_plain_thing(recv) &&
		    !vt_metered(rt))) {
		if (call_plainly(rt, sc, s, ic, recv, argv, out, &st))
			return likely(st != VT_ERROR) ? st : vt_placed(rt, s);
	} else if (ic != NULL && vt_is(recv, OBJECT) && !vt_has_row(ic, recv) &&
		   (found = vt_find_method(rt, s, ic, recv)) != NULL && found->aux) {
		/* also where objects of several classes take turns */
		st = vt_plain_method(rt, s, found, recv, argv, out);
		return likely(st != VT_ERROR) ? st : vt_placed(rt, s);
	} else if (ic != NULL && vt_is(recv, OBJECT) && vt_has_row(ic, recv) && !vt_metered(rt) &&
		   call_of_object(rt, sc, s, ic, recv, argv, out, &st)) {
		return likely(st != VT_ERROR) ? st : vt_placed(rt, s);
	} else if (ic != NULL && ic->key == &vt_site_keys[LAMBDA_KEY] && is_plain_thing(recv) &&
		   !vt_metered(rt) && vt_call_lambdas(rt, sc, s, ic, recv, argv, out, &st)) {
		return likely(st != VT_ERROR) ? st : vt_placed(rt, s);
	}
	return call_otherwise(rt, sc, s, ic, recv, argv, out);
}

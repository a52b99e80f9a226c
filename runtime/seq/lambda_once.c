/*
 * lambda_once.c - a lambda program for one item, which is what a loop asks that takes items one by
 * one, or for as many as there are at hand.
 *
 * Most such lambdas compare, compute and read members.  For these a register is a word, and nothing
 * is owned but the result.  All others go through a batch of one item.
 */
#include "runtime/seq/word.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

enum { SCRATCH_ONCE = 512 };

/* ---- programs that were not for what they got ----
 *
 * The code has to do the work again, so a program that fails time after time is left alone, but for
 * a try now and then.
 */
enum { FAILS = 4, PAUSE = 64 };

static vt_program_fails *
fails_of(vt_rt *rt, const vt_lambda_program *t)
{
	uintptr_t at = (uintptr_t)t >> 4;

	return &rt->s->fails[(at ^ at >> 6) % VT_LEN(rt->s->fails)];
}

/* Is it not worth a try? */
static inline bool
rests(vt_rt *rt, const vt_lambda_program *t)
{
	vt_program_fails *f = fails_of(rt, t);

	return f->program == t && f->n >= FAILS && f->n++ % PAUSE != 0;
}

static void
failed(vt_rt *rt, const vt_lambda_program *t)
{
	vt_program_fails *f = fails_of(rt, t);

	if (f->program != t)
		*f = (vt_program_fails){t, 0};
	f->n++;
}

static inline void
succeeded(vt_rt *rt, const vt_lambda_program *t)
{
	vt_program_fails *f = fails_of(rt, t);

	if (unlikely(f->program == t))
		f->program = NULL;
}

/* ---- registers that are words ---- */

static bool
member(vt_rt *rt, const vt_lambda_step *x, vt_value of, vt_value *v)
{
	if (of == VT_UNDEF || !vt_is(of, DICT) || vt_as_dict(of)->shape == NULL)
		return false;
	*v = vt_dict_get_ic(vt_as_dict(of), x->heap, vt_ic_at(rt, x->ic));
	return *v != VT_UNDEF;
}

static bool
item(const vt_lambda_step *x, vt_value of, vt_value *v)
{
	int64_t k = vt_toint(x->k);

	if (of == VT_UNDEF || !vt_is_sequence(of) || k >= vt_as_list(of)->n ||
		(x->c != 0 && vt_as_list(of)->n != x->c))
		return false;
	*v = vt_as_list(of)->v[k];
	return true;
}

static bool
length(vt_value of, vt_value *v)
{
	if (of == VT_UNDEF)
		return false;
	if (vt_is(of, STR))
		*v = vt_mkint(vt_as_str(of)->points);
	else if (vt_is_sequence(of))
		*v = vt_mkint(vt_as_list(of)->n);
	else if (vt_is(of, DICT))
		*v = vt_mkint(vt_dict_len(vt_as_dict(of)));
	else
		return false;
	return true;
}

/* The first or last item of a list, or what stands for it. */
static bool
end_of(const vt_lambda_step *x, vt_value of, vt_value other, vt_value *v)
{
	const vt_nest *nest = x->by;
	const vt_list *l = vt_as_list(of);

	if (x->heap != NULL || nest->n > 0 || nest->skip > 0 || nest->most != UINT32_MAX ||
		nest->generates ||
		(nest->reduce != VT_NEST_FIRST && nest->reduce != VT_NEST_LAST) || of == VT_UNDEF ||
		(x->c != VT_STEP_K && other == VT_UNDEF) || !vt_is_sequence(of))
		return false;
	*v = l->n == 0 ? other : l->v[nest->reduce == VT_NEST_FIRST ? 0 : l->n - 1];
	return *v != VT_UNDEF;
}

static bool
has_truth(vt_value v)
{
	return v != VT_UNDEF && (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_DICT);
}

static bool
pick(const vt_lambda_step *x, const vt_value *v, vt_value *to)
{
	vt_value a = v[x->a];

	if (!has_truth(x->op == VT_STEP_CHOOSE ? v[x->c] : a))
		return false;
	if (x->op == VT_STEP_CHOOSE && x->b == VT_STEP_K)
		*to = vt_is_true(v[x->c]) && has_truth(a) ? a : VT_UNDEF;
	else if (x->op == VT_STEP_CHOOSE)
		*to = vt_is_true(v[x->c]) ? a : v[x->b];
	else
		*to = vt_is_true(a) == (x->op == VT_STEP_OR) ? a : v[x->b];
	return *to != VT_UNDEF;
}

static bool
two_sides(vt_rt *rt, const vt_lambda_step *x, vt_value a, vt_value b, vt_value *to)
{
	bool same;

	if (a == VT_UNDEF || b == VT_UNDEF)
		return false;
	if (x->op <= VT_STEP_MOD)
		return vt_step_ints(x->op, 1, &a, &b, 0, to) == 1;
	if (x->op <= VT_STEP_GE)
		return vt_step_compare(x->op, a, b, to);
	same = vt_step_same(rt, a, b);
	*to = vt_mkbool(same == (x->op == VT_STEP_EQ));
	return true;
}

/* Argument k of a step that stands for a call. */
static vt_value
given_word(const vt_lambda_step *x, const vt_value *v, uint32_t k)
{
	const vt_arg *a;

	if (k >= x->n)
		return VT_NULL;
	if (x->args[k] != VT_STEP_K)
		return v[x->args[k]];
	a = &((const vt_site *)x->by)->args[k];
	return a->value != NULL ? vt_mkptr(a->value) : a->imm;
}

/* of.get(key, other), and of[key] where it is there: what lies in the dict or list. */
static bool
lookup(const vt_lambda_step *x, const vt_value *v, vt_value *to)
{
	uint32_t at = x->op == VT_STEP_CALL;
	vt_value of = at ? given_word(x, v, 0) : v[x->a], key = given_word(x, v, at);

	if (x->n <= at || of == VT_UNDEF || key == VT_UNDEF || !vt_is_ptr(of) ||
		(!at && given_word(x, v, 1) == VT_UNDEF))
		return false;
	if (vt_is(of, DICT) && (vt_is(key, STR) || vt_is_int(key)))
		*to = vt_dict_get(vt_as_dict(of), key);
	else if (at && vt_is_sequence(of) && vt_is_int(key) && vt_toint(key) >= 0 &&
		 vt_toint(key) < vt_as_list(of)->n)
		*to = vt_as_list(of)->v[vt_toint(key)];
	else
		return false;
	if (*to == VT_UNDEF && !at)
		*to = given_word(x, v, 1);
	return *to != VT_UNDEF;
}

static bool
word_step(vt_rt *rt, const vt_lambda_step *x, const vt_scope *sc, const vt_value *args,
	const vt_value *v, vt_value *to)
{
	vt_value k = x->heap != NULL ? vt_mkptr(x->heap) : x->k;

	if (x->op >= VT_STEP_ADD && x->op <= VT_STEP_NE)
		return two_sides(rt, x, v[x->a], x->b == VT_STEP_K ? k : v[x->b], to);
	switch (x->op) {
	case VT_STEP_ITEM: *to = args[x->a]; return true;
	case VT_STEP_CONST: *to = k; return true;
	case VT_STEP_DYN: *to = vt_step_variable(rt, sc, x); return true;
	case VT_STEP_ATTR: return member(rt, x, v[x->a], to);
	case VT_STEP_INDEX: return item(x, v[x->a], to);
	case VT_STEP_LEN: return length(v[x->a], to);
	case VT_STEP_NEST: return end_of(x, v[x->a], x->c != VT_STEP_K ? v[x->c] : VT_UNDEF, to);
	case VT_STEP_GET: return lookup(x, v, to);
	case VT_STEP_CALL:
		if (vt_step_asks_kind(x) && v[x->args[0]] != VT_UNDEF) {
			*to = vt_mkbool(vt_step_has_kind(x->c, v[x->args[0]]));
			return true;
		}
		return x->c == VT_CALL_AT && lookup(x, v, to);
	case VT_STEP_NOT: *to = vt_mkbool(!vt_is_true(v[x->a])); return has_truth(v[x->a]);
	case VT_STEP_AND:
	case VT_STEP_OR:
	case VT_STEP_CHOOSE: return pick(x, v, to);
	}
	return false;
}

bool
vt_step_word(vt_rt *rt, const vt_lambda_step *x, const vt_value *v, vt_value *to)
{
	if (x->op >= VT_STEP_ADD && x->op <= VT_STEP_NE)
		return two_sides(rt, x, v[0], v[1], to);
	switch (x->op) {
	case VT_STEP_ATTR: return member(rt, x, v[0], to);
	case VT_STEP_INDEX: return item(x, v[0], to);
	case VT_STEP_LEN: return length(v[0], to);
	case VT_STEP_NEST: return end_of(x, v[0], v[2], to);
	case VT_STEP_NOT: *to = vt_mkbool(!vt_is_true(v[0])); return has_truth(v[0]);
	case VT_STEP_AND:
	case VT_STEP_OR:
		if (!has_truth(v[0]))
			return false;
		*to = vt_is_true(v[0]) == (x->op == VT_STEP_OR) ? v[0] : v[1];
		return *to != VT_UNDEF;
	case VT_STEP_CHOOSE:
		if (!has_truth(v[2]) || x->b == VT_STEP_K)
			return false;
		*to = vt_is_true(v[2]) ? v[0] : v[1];
		return *to != VT_UNDEF;
	}
	return false;
}

/* Is the step not to be done?  It is open then. */
static inline bool
is_guarded(const vt_lambda_step *x, const vt_value *v)
{
	vt_value of;

	if (likely(x->guard == VT_STEP_K))
		return false;
	of = v[x->guard];
	if (vt_is_bool(of))
		return (of == VT_TRUE) == ((x->flags & VT_STEP_UNLESS) != 0);
	if (of == VT_UNDEF) /* whether it is to be done is not asked for this item */
		return true;
	return has_truth(of) && vt_is_true(of) == ((x->flags & VT_STEP_UNLESS) != 0);
}

/* ---- functions that call themselves ---- */

/* PER_CALL: what a call of the code takes of rt->depth. */
enum { PER_CALL = 3 };

static bool run(vt_rt *, const vt_lambda_program *, const vt_scope *, const vt_value *args,
	bool whole, vt_value *out);

/* False: the code has to do it, or to raise what is to be raised. */
static bool
call(vt_rt *rt, const vt_lambda_program *t, const vt_scope *sc, const vt_value *args, vt_value *out)
{
	bool ok;

	if (vt_stack_low(rt) || rt->depth + PER_CALL > rt->max_depth)
		return false;
	rt->depth += PER_CALL;
	ok = run(rt, t, sc, args, false, out);
	rt->depth -= PER_CALL;
	return ok;
}

/* The step for one item. */
static bool
defined(vt_rt *rt, const vt_lambda_step *x, const vt_lambda_program *self, const vt_scope *sc,
	const vt_value *args, vt_value *out)
{
	for (uint32_t k = 0; k < x->n; k++)
		if (args[k] == VT_UNDEF)
			return false;
	return call(rt, x->by != NULL ? x->by : self, sc, args, out);
}

/* What a run has got from functions of def(). */
typedef struct given {
	uint64_t owned; /* registers that own what they hold */
	bool failed;    /* one of them could not be done: vt_batch.failed */
	bool lost;      /* and what it gives is needed */
} given;

/* What cannot be done is left open, and not tried again by a batch: that would double the work at
 * each level. */
static void
defined_word(vt_rt *rt, const vt_lambda_step *x, const vt_lambda_program *self, const vt_scope *sc,
	vt_value *v, uint32_t r, given *g)
{
	vt_value args[VT_DEFINED_ARGS];

	for (uint32_t k = 0; k < x->n; k++)
		args[k] = v[x->args[k]];
	g->failed = g->failed || !defined(rt, x, self, sc, args, &v[r]);
	if (g->failed) {
		v[r] = VT_UNDEF;
		g->lost |= (x->flags & VT_STEP_SOFT) == 0;
	}
	g->owned |= (uint64_t)vt_is_ptr(v[r]) << r;
}

/* Those items of a batch that a call is made for. */
typedef struct callers {
	uint32_t n;
	uint8_t at[VT_BULK];
	vt_value arg[2][VT_BULK];
} callers;

/* All of them at once: so the levels of a recursion are batches.  How many are done. */
static uint32_t
call_many(vt_batch *s, const vt_lambda_program *t, callers *c, vt_value *v)
{
	vt_rt *rt = s->rt;
	vt_batch *b;
	const vt_value *made;
	uint32_t n;

	if (vt_stack_low(rt) || rt->depth + PER_CALL > rt->max_depth)
		return 0;
	rt->depth += PER_CALL;
	b = vt_batch_new(rt, s->scope);
	b->still = s->still;
	n = vt_batch_fill_known(b, t, c->n, c->arg[0], c->arg[1], NULL, NULL);
	made = n > 0 ? vt_batch_results(b, t, &n) : NULL;
	for (uint32_t i = 0; i < n; i++)
		v[c->at[i]] = vt_copy(made[i]);
	vt_batch_free(b);
	rt->depth -= PER_CALL;
	return n;
}

/* Items from the i-th on, as far as the call has all that it takes of them. */
static void
gather_callers(const vt_batch *s, const vt_lambda_step *t, uint32_t i, callers *c)
{
	for (c->n = 0; i < s->n; i++) {
		if (!vt_step_counts(s, t, i))
			continue;
		for (uint32_t k = 0; k < t->n; k++)
			if ((c->arg[k][c->n] = vt_batch_from(s, t->args[k])[i]) == VT_UNDEF)
				return;
		c->at[c->n++] = (uint8_t)i;
	}
}

static vt_batch *
outermost(vt_batch *s)
{
	while (s->up != NULL)
		s = (vt_batch *)(uintptr_t)s->up;
	return s;
}

void
vt_batch_defined(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	enum { MANY_CALLS = 4 };
	vt_value *v = vt_batch_values(s, r);
	vt_batch *root = outermost(s);
	const vt_lambda_program *callee = t->by != NULL ? t->by : root->program;
	uint32_t i, known = 0;
	callers c;

	c.n = 0; /* what a struct has in it takes longer to clear than one call */
	vt_batch_own(s, r);
	if (s->n >= MANY_CALLS && t->n <= 2 && callee->nargs <= 2 && !root->failed)
		gather_callers(s, t, 0, &c);
	for (i = 0; i < s->n; i++)
		v[i] = VT_UNDEF;
	if (c.n >= MANY_CALLS)
		known = call_many(s, callee, &c, v);
	root->failed |= known < c.n && c.n >= MANY_CALLS;
	for (i = 0; i < s->n; i++) {
		vt_value args[VT_DEFINED_ARGS];
		if (v[i] != VT_UNDEF)
			continue;
		for (uint32_t k = 0; k < t->n; k++)
			args[k] = vt_batch_from(s, t->args[k])[i];
		if (vt_step_counts(s, t, i)) {
			if (!root->failed &&
				defined(s->rt, t, root->program, s->scope, args, &v[i]))
				continue;
			root->failed = true;
		}
		v[i] = VT_UNDEF;
		if (!(t->flags & VT_STEP_SOFT))
			break;
	}
	for (uint32_t k = i + 1; k < s->n; k++)
		vt_clear(&v[k]);
	s->n = i;
}

/* From the r-th step on as far as they make words of words: the first that does not.  They own
 * nothing but what functions gave. */
static uint32_t
words(vt_rt *rt, const vt_lambda_program *t, uint32_t r, const vt_scope *sc, const vt_value *args,
	vt_value *v, given *g)
{
	const vt_lambda_step *x = t->t + r;
	vt_value *to = v + r, *end = v + t->n;

	for (; to < end; to++, x++) {
		if (is_guarded(x, v))
			*to = VT_UNDEF;
		else if (likely(vt_quick_step(rt, x, args, v, 0, to)))
			continue;
		else if (x->op == VT_STEP_DEFINED)
			defined_word(rt, x, t, sc, v, (uint32_t)(to - v), g);
		else if (!word_step(rt, x, sc, args, v, to))
			break;
	}
	return (uint32_t)(to - v);
}

/* The result of a program whose last step makes a float. */
static bool
real(vt_rt *rt, const vt_lambda_program *t, const vt_value *v, vt_value *out)
{
	uint32_t r = t->n - 1u;
	const vt_lambda_step *x = &t->t[r];

	return x->op >= VT_STEP_ADD && x->op <= VT_STEP_DIV && x->guard == VT_STEP_K &&
	       t->kind == VT_PROGRAM_VALUE && t->out[0] == r && v[x->a] != VT_UNDEF &&
	       (x->b == VT_STEP_K || v[x->b] != VT_UNDEF) &&
	       vt_step_real(rt, x->op, v[x->a],
		       x->b != VT_STEP_K ? v[x->b]
		       : x->heap != NULL ? vt_mkptr(x->heap)
					 : x->k,
		       out);
}

/* Registers [from, to) of the batch are words. */
static void
take_words(vt_batch *s, uint32_t from, uint32_t to)
{
	for (uint32_t r = from; r < to; r++) {
		s->col[r] = s->v + r;
		s->text[r] = NULL;
	}
}

/* Registers [from, to) as words, for the steps that read them; VT_UNDEF: a text. */
static void
give_words(vt_batch *s, uint32_t from, uint32_t to)
{
	for (uint32_t r = from; r < to; r++)
		if (s->col[r] != s->v + r)
			s->v[r] = s->col[r] != NULL ? s->col[r][0] : VT_UNDEF;
}

/* The batch gives these back. */
static void
own_words(vt_batch *s, given g)
{
	uint64_t owned = g.owned;

	s->failed = g.failed;
	s->owns |= owned;
	for (; owned != 0; owned &= owned - 1)
		s->made[__builtin_ctzll(owned)] = 1;
}

/* From the r-th step on, in a batch of one item. */
static bool
rest(vt_batch *s, const vt_lambda_program *t, uint32_t r, const vt_value *args)
{
	given g = {0, s->failed, false};

	take_words(s, 0, r);
	while (r < t->n) {
		uint32_t next = vt_batch_step(s, t, r, args, args + 1);
		if (s->n == 0)
			return false;
		give_words(s, r, next);
		g.failed = s->failed;
		r = words(s->rt, t, next, s->scope, args, s->v, &g);
		take_words(s, next, r);
		own_words(s, g);
		g.owned = 0;
		if (g.lost)
			return false;
	}
	return true;
}

static bool
result(vt_batch *s, const vt_lambda_program *t, vt_value *out)
{
	uint32_t r = t->out[0];

	if (t->kind != VT_PROGRAM_VALUE || s->col[r] == NULL)
		return vt_batch_make(s, t, 1, out, NULL) == 1;
	*out = s->v[r];
	if (*out != VT_UNDEF)
		*out = vt_copy(*out);
	return *out != VT_UNDEF;
}

static bool
by_batch(vt_rt *rt, const vt_lambda_program *t, uint32_t r, const vt_scope *sc,
	const vt_value *args, bool whole, vt_value *v, given g, vt_value *out)
{
	vt_text texts[VT_STEPS_MOST + 1];
	_Alignas(8) char room[SCRATCH_ONCE];
	vt_batch s;
	bool done;

	s.rt = rt;
	s.scope = (vt_scope *)(uintptr_t)sc;
	s.up = NULL;
	s.kept = NULL;
	s.at = 0;
	s.still = true;
	s.brief = whole;
	s.owns = 0;
	s.n = s.cap = 1;
	s.v = v;
	s.t = texts;
	s.scratch = room;
	s.room = sizeof room;
	s.used = 0;
	s.program = t;
	s.given[0] = args;
	s.given[1] = args + 1;
	s.known[0] = s.known[1] = NULL;
	s.behind = 0;
	s.far = false;
	own_words(&s, g);
	done = rest(&s, t, r, args) && result(&s, t, out);
	vt_batch_give_back(&s);
	return done;
}

static bool
run(vt_rt *rt, const vt_lambda_program *t, const vt_scope *sc, const vt_value *args, bool whole,
	vt_value *out)
{
	vt_value v[VT_STEPS_MOST + 1];
	given g = {0, false, false};
	uint32_t r = words(rt, t, 0, sc, args, v, &g);
	bool made = r < t->n && r + 1u == t->n && real(rt, t, v, out);

	if (!made && !g.lost && (r < t->n || t->kind != VT_PROGRAM_VALUE))
		return by_batch(rt, t, r, sc, args, whole, v, g, out);
	if (!made && !g.lost) {
		*out = v[t->out[0]];
		made = *out != VT_UNDEF;
		if (made)
			*out = vt_copy(*out);
	}
	for (; unlikely(g.owned != 0); g.owned &= g.owned - 1)
		vt_release(v[__builtin_ctzll(g.owned)]);
	return made;
}

static bool
once(vt_rt *rt, const vt_code *code, const vt_scope *sc, const vt_value *args, bool whole,
	vt_value *out)
{
	const vt_lambda_program *t = code->program;

	/* for one item the code gives iterators that have not begun */
	if (t->iterates || vt_metered(rt) ||
		(t->calls && !vt_lambda_program_usable(rt, code, sc)) || rests(rt, t))
		return false;
	if (run(rt, t, sc, args, whole, out)) {
		succeeded(rt, t);
		return true;
	}
	failed(rt, t);
	return false;
}

bool
vt_lambda_program_once(
	vt_rt *rt, const vt_code *code, const vt_scope *sc, const vt_value *args, vt_value *out)
{
	return once(rt, code, sc, args, false, out);
}

bool
vt_lambda_program_run(vt_rt *rt, const vt_lambda_program *t, const vt_scope *sc,
	const vt_value *args, vt_value *out)
{
	return run(rt, t, sc, args, false, out);
}

bool
vt_program_of_whole(vt_rt *rt, const vt_code *code, vt_scope *sc, vt_value data, vt_value *out)
{
	const vt_lambda_program *t = code->program;

	return t != NULL && t->nargs <= 1 && vt_program_is_closed(rt, t, sc) &&
	       once(rt, code, sc, &data, true, out);
}

uint32_t
vt_lambda_program_many(vt_rt *rt, const vt_lambda_program *t, vt_scope *sc, uint32_t n,
	const vt_value *items, vt_value *out)
{
	vt_batch *s;

	if (t->nargs > 1 || !vt_program_is_closed(rt, t, sc) || rests(rt, t))
		return 0;
	s = vt_batch_new(rt, sc);
	s->still = true;
	n = vt_batch_fill_list(s, t, n < VT_BULK ? n : VT_BULK, items, 0);
	if (n > 0)
		n = vt_batch_make(s, t, n, out, NULL);
	vt_batch_free(s);
	if (n > 0)
		succeeded(rt, t);
	else
		failed(rt, t);
	return n;
}

const void *const vt_lambda_programs[] = {(const void *)vt_lambda_program_once,
	(const void *)vt_batch_new, (const void *)vt_fold_new};

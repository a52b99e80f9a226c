/*
 * fold_plan.c - the spine of a fold that changes what it has made so far in its place: which steps
 * only make the next `$1` out of `$1` (fold_place.c).
 */
#include "runtime/seq/fold.h"
#include "runtime/seq/seq.h"

#include <string.h>

/* ---- finding the spine ---- */

/* A call of the method with n arguments by place? */
static bool
is_method(const vt_lambda_step *x, const char *name, uint32_t n)
{
	const vt_site *site = x->by;

	if (x->op != VT_STEP_CALL || x->a == VT_STEP_K || x->n != n || site->nargs != n ||
		site->kind != VT_SITE_METHOD || strcmp(site->name->s, name) != 0)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (site->args[i].keyword != NULL || site->args[i].key != NULL)
			return false;
	return true;
}

/* Where the step reads one value below another: the register of that; else VT_STEP_K. */
static uint8_t
container(const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ATTR || x->op == VT_STEP_INDEX || (x->op == VT_STEP_GET && x->n > 0))
		return x->a;
	return x->op == VT_STEP_CALL && x->c == VT_CALL_AT && x->n == 2 ? x->args[0] : VT_STEP_K;
}

/* toList() of what another step gives. */
static bool
is_to_list(const vt_lambda_step *x)
{
	const vt_nest *nest = x->op == VT_STEP_NEST ? x->by : NULL;

	if (is_method(x, "toList", 0))
		return true;
	return nest != NULL && nest->reduce == VT_NEST_LIST && nest->n == 0 && nest->skip == 0 &&
	       nest->most == UINT32_MAX && !nest->iterator;
}

/* skip(n).toList() of what another step gives. */
static bool
is_cut(const vt_lambda_step *x)
{
	const vt_nest *nest = x->op == VT_STEP_NEST ? x->by : NULL;

	return nest != NULL && nest->reduce == VT_NEST_LIST && nest->n == 0 && nest->skip > 0 &&
	       nest->most == UINT32_MAX && !nest->iterator;
}

/* The place of an argument of mergeWith(): 1 and 2 are the mergers, 3 the levels; else 0. */
static uint32_t
merge_argument(const vt_arg *a, uint32_t i)
{
	static const char *const names[] = {"listMerger", "itemMerger", "maxLevels"};

	if (a->keyword == NULL)
		return i;
	for (uint32_t k = 0; k < VT_LEN(names); k++)
		if (strcmp(a->keyword->s, names[k]) == 0)
			return k + 1;
	return 0;
}

bool
vt_merge_arguments(vt_rt *rt, const vt_site *site, vt_scope *scope, vt_merge *m)
{
	for (uint32_t i = 1; i < site->nargs; i++) {
		const vt_arg *a = &site->args[i];
		uint32_t at = merge_argument(a, i);
		bool levels = a->kind == VT_A_NUMBER && vt_is_int(a->imm);
		if ((at == 3 ? !levels : at == 0 || at > 3 || a->value != NULL) ||
			(at < 3 && a->code == NULL && a->imm != VT_NULL))
			return false;
		if (m == NULL)
			continue;
		if (at == 3)
			m->levels = vt_toint(a->imm);
		else
			*(at == 1 ? &m->lists : &m->items) = vt_merger_of_code(rt, a->code, scope);
	}
	return true;
}

/* mergeWith() with mergers that are written in its place: *m, where it is not NULL, is what they
 * are in that scope. */
static bool
merges_by(const vt_lambda_step *x, vt_rt *rt, vt_scope *scope, vt_merge *m)
{
	const vt_site *site = x->by;

	if (x->op != VT_STEP_CALL || x->a == VT_STEP_K || x->n < 2 || x->n > 4 ||
		x->args[0] == VT_STEP_K || site->nargs != x->n || site->kind != VT_SITE_METHOD ||
		strcmp(site->name->s, "mergeWith") != 0 || site->args[0].keyword != NULL)
		return false;
	for (uint32_t i = 1; i < x->n; i++)
		if (x->args[i] != VT_STEP_K)
			return false;
	return vt_merge_arguments(rt, site, scope, m);
}

/* What a method of sets does with what lies there; OTHER: it is none. */
static enum how
of_sets(const vt_lambda_step *x)
{
	if (is_method(x, "add", x->n) && x->n > 0)
		return ADD_ITEMS;
	if (is_method(x, "remove", x->n) && x->n > 0)
		return REMOVE_ITEMS;
	if (is_method(x, "union", 1))
		return UNITE;
	return is_method(x, "difference", 1) ? SUBTRACT : OTHER;
}

static enum how
how(const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ITEM)
		return x->a == 0 ? SELF : OTHER;
	if (x->op == VT_STEP_CHOOSE)
		return x->a != VT_STEP_K && x->b != VT_STEP_K ? CHOOSE : OTHER;
	if (x->op == VT_STEP_ADD)
		return x->a != VT_STEP_K ? ADD : OTHER;
	if (x->op == VT_STEP_LIST || x->op == VT_STEP_MAP)
		return MAKE;
	if (is_method(x, "mergeWith", 1))
		return MERGE;
	if (merges_by(x, NULL, NULL, NULL))
		return MERGE_BY;
	if (is_method(x, "replace", 2))
		return REPLACE;
	if (is_to_list(x))
		return TO_LIST;
	if (is_cut(x))
		return CUT;
	if (is_method(x, "set", 2))
		return SET;
	if (is_method(x, "delete", x->n) && x->n > 0)
		return FORGET;
	return container(x) != VT_STEP_K ? READ : of_sets(x);
}

typedef struct plan {
	const vt_fold *f;
	const vt_lambda_program *t;
	uint8_t uses[VT_STEPS_MOST];
	/* of these: by what reads in it, adds to it or sets in it, and by steps that are no part of
	 * a spine and done before anything is changed */
	uint8_t passing[VT_STEPS_MOST];
} plan;

/* A list or dict that is made for nothing else than to be added. */
static bool
is_added(const plan *p, uint8_t r)
{
	return r != VT_STEP_K && vt_step_makes(&p->t->t[r]) && p->uses[r] == 1 &&
	       (p->f->needs >> r & 1);
}

/* A set that is made for nothing else than to be united with another, or so. */
static bool
is_united(const plan *p, uint8_t r)
{
	return r != VT_STEP_K && vt_fold_makes_set(&p->t->t[r]) && p->uses[r] == 1 &&
	       (p->f->needs >> r & 1);
}

/* Does nobody need the value any more when changes are made? */
static bool
is_passing(const plan *p, uint8_t r)
{
	return (p->f->how[r] == READ || p->f->how[r] == OTHER) && p->uses[r] > 0 &&
	       p->uses[r] == p->passing[r];
}

/* The register of what is added to $1, or merged into it; VT_STEP_K: there is none. */
static uint8_t
added_of(const vt_fold *f, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];

	if (f->how[r] == ADD)
		return x->b;
	return f->how[r] == MERGE || f->how[r] == MERGE_BY || f->how[r] >= UNITE ? x->args[0]
										 : VT_STEP_K;
}

static bool find_spine(const plan *p, uint8_t r, uint64_t *of);

/* Is it a choice among values that are nothing else's? */
static bool
is_choice(const plan *p, uint8_t r)
{
	const vt_lambda_step *x = &p->t->t[r];

	return p->f->how[r] == CHOOSE && p->uses[r] == 1 && x->a != x->c && x->b != x->c &&
	       x->a != x->b;
}

/* The spine of a value that comes to lie below a key, those that a condition chooses from, or those
 * of the members of a list or record. */
static bool
find_value(const plan *p, uint8_t r, uint64_t *of)
{
	uint64_t found = 0;
	bool any;

	if (r != VT_STEP_K && p->f->how[r] == MAKE && p->uses[r] == 1 && (p->f->needs >> r & 1)) {
		const vt_lambda_step *x = &p->t->t[r];
		any = false;
		for (uint32_t k = 0; k < x->n; k++)
			any |= find_value(p, x->args[k], &found);
		found |= UINT64_C(1) << r;
	} else if (r == VT_STEP_K || !is_choice(p, r)) {
		any = find_spine(p, r, &found);
	} else {
		any = find_value(p, p->t->t[r].a, &found);
		any |= find_value(p, p->t->t[r].b, &found);
		found |= UINT64_C(1) << r;
	}
	if (any)
		*of |= found;
	return any;
}

/* The spines of values that come to lie below keys. */
static void
find_below(const plan *p, const vt_lambda_step *x, uint64_t *of)
{
	for (uint32_t k = 0; k < vt_fold_pairs(x); k++)
		(void)find_value(p, vt_fold_pair(x, k), of);
}

/* Adds the registers of a spine that ends at r; false: there is none. */
static bool
find_spine(const plan *p, uint8_t r, uint64_t *of)
{
	const vt_lambda_step *x = r != VT_STEP_K ? &p->t->t[r] : NULL;

	if (x == NULL || p->f->how[r] == SELF)
		return x != NULL;
	if (p->f->how[r] == READ ? !is_passing(p, r) : p->uses[r] != 1)
		return false;
	if (p->f->how[r] == OTHER || p->f->how[r] == CHOOSE || p->f->how[r] == MAKE ||
		p->f->how[r] == REPLACE)
		return false;
	if (p->f->how[r] == TO_LIST) { /* replace() alone gives an iterator */
		if (p->f->how[x->a] != REPLACE || p->uses[x->a] != 1)
			return false;
		(void)find_value(p, p->t->t[x->a].args[1], of);
		*of |= UINT64_C(1) << x->a | UINT64_C(1) << r;
		return find_spine(p, p->f->of[x->a], of);
	}
	if (x->a != VT_STEP_K && x->a == added_of(p->f, r))
		return false;
	if (p->f->how[r] == MERGE_BY && r != p->f->merging)
		return false;
	if (p->f->how[r] >= UNITE && is_united(p, x->args[0]))
		*of |= UINT64_C(1) << x->args[0];
	if (p->f->how[r] == SET && x->args[1] != x->a)
		(void)find_value(p, x->args[1], of);
	if (p->f->how[r] == ADD && is_added(p, x->b)) {
		*of |= UINT64_C(1) << x->b;
		find_below(p, &p->t->t[x->b], of);
	}
	*of |= UINT64_C(1) << r;
	return find_spine(p, p->f->of[r], of);
}

/* The spine below a result, below each of those that a condition chooses from, and below the
 * members of a list or record that is made anew. */
static void
find_root(const plan *p, uint8_t r, uint64_t *of)
{
	const vt_lambda_step *x = &p->t->t[r];
	uint64_t found = 0;

	if (p->f->how[r] == CHOOSE) {
		if (!is_choice(p, r))
			return;
		*of |= UINT64_C(1) << r;
		find_root(p, x->a, of);
		find_root(p, x->b, of);
	} else if (p->f->how[r] == MAKE && (p->f->needs >> r & 1)) {
		if (p->uses[r] != 1)
			return;
		*of |= UINT64_C(1) << r;
		for (uint32_t k = 0; k < x->n; k++)
			find_root(p, x->args[k], of);
	} else if (find_spine(p, r, &found))
		*of |= found;
}

/* Is $1 itself put into what is made? */
static bool
takes_itself(const vt_fold *f)
{
	uint64_t self = 0, into = 0;

	for (uint32_t r = 0; r < f->t->n; r++) {
		const vt_lambda_step *x = &f->t->t[r];
		if (f->how[r] == SELF)
			self |= UINT64_C(1) << r;
		if (!(f->spine >> r & 1))
			continue;
		if (f->how[r] == ADD && x->b != VT_STEP_K)
			into |= UINT64_C(1) << x->b;
		for (uint32_t k = 0;
			(f->how[r] == SET || f->how[r] == MERGE || f->how[r] == MERGE_BY ||
				f->how[r] == REPLACE || vt_step_makes(x)) &&
			k < x->n;
			k++)
			into |= x->args[k] != VT_STEP_K ? UINT64_C(1) << x->args[k] : 0;
	}
	for (uint32_t k = 0; f->t->kind != VT_PROGRAM_VALUE && k < f->t->nout; k++)
		into |= UINT64_C(1) << f->t->out[k];
	return (self & into) != 0;
}

static void
count_uses(uint8_t *n, uint64_t of)
{
	for (; of != 0; of &= of - 1)
		n[__builtin_ctzll(of)]++;
}

/* What a choice reads that comes to lie below a key is not needed any more by then: what is chosen
 * lies there already, or is made of it. */
static void
pass_choice(plan *p, uint8_t r)
{
	if (r == VT_STEP_K || !is_choice(p, r))
		return;
	p->passing[p->t->t[r].a]++;
	p->passing[p->t->t[r].b]++;
	pass_choice(p, p->t->t[r].a);
	pass_choice(p, p->t->t[r].b);
}

static void
pass_choices(plan *p)
{
	for (uint32_t r = 0; r < p->t->n; r++) {
		const vt_lambda_step *x = &p->t->t[r];
		if (p->f->how[r] == SET)
			pass_choice(p, x->args[1]);
		for (uint32_t k = 0; p->f->how[r] == ADD && is_added(p, x->b) &&
				     k < vt_fold_pairs(&p->t->t[x->b]);
			k++)
			pass_choice(p, vt_fold_pair(&p->t->t[x->b], k));
	}
}

static void
note_steps(vt_fold *f, plan *p)
{
	for (uint32_t r = 0; r < f->t->n; r++) {
		const vt_lambda_step *x = &f->t->t[r];
		uint64_t of = vt_step_operands(x);

		f->how[r] = (uint8_t)how(x);
		f->self |= (uint64_t)(f->how[r] == SELF) << r;
		f->of[r] = f->how[r] == READ ? container(x) : x->a;
		if (f->how[r] == READ || vt_fold_changes(f, (uint8_t)r))
			p->passing[f->of[r]]++;
		else if (f->how[r] == OTHER && !vt_step_makes(x))
			count_uses(p->passing,
				x->guard == VT_STEP_K ? of : of & ~(UINT64_C(1) << x->guard));
		count_uses(p->uses, of);
	}
	for (uint32_t k = 0; k < f->t->nout; k++)
		p->uses[f->t->out[k]]++;
	pass_choices(p);
}

/* mergeWith() of $1 with mergers: the only one.  What it changes is noted before all else. */
static void
find_merging(vt_fold *f)
{
	f->merging = VT_STEP_K;
	for (uint32_t r = 0; r < f->t->n; r++)
		if (f->how[r] == MERGE_BY && f->how[f->t->t[r].a] == SELF &&
			f->merging == VT_STEP_K)
			f->merging = (uint8_t)r;
	if (f->merging == VT_STEP_K)
		return;
	f->merge = (vt_merge){.rt = f->s->rt};
	(void)merges_by(&f->t->t[f->merging], f->s->rt, f->s->scope, &f->merge);
	f->merge.kind = vt_list_kind(((const vt_site *)f->t->t[f->merging].by)->unit);
}

/* ---- sums by a key ---- */

static bool
is_apart(const vt_fold *f, uint8_t r)
{
	return r == VT_STEP_K || !(f->needs >> r & 1);
}

/* coalesce($1.get(k), n): the step of the get(); or NULL. */
static const vt_lambda_step *
coalesced(const vt_fold *f, const vt_lambda_step *x)
{
	const vt_lambda_step *c = x->c != VT_STEP_K ? &f->t->t[x->c] : NULL;

	return x->op == VT_STEP_CHOOSE && c != NULL && c->op == VT_STEP_NE && c->a == x->a &&
			       c->b == VT_STEP_K && c->heap == NULL && c->k == VT_NULL &&
			       x->a != VT_STEP_K && x->b != VT_STEP_K
		       ? &f->t->t[x->a]
		       : NULL;
}

/* Can it be said what stands where there is nothing yet? */
static bool
has_default(const vt_fold *f, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];

	return is_apart(f, r) || x->op == VT_STEP_CONST || (x->op == VT_STEP_LIST && x->n == 0);
}

/* Is what is added the item's own? */
static bool
adds_own(const vt_fold *f, const vt_lambda_step *sum)
{
	const vt_lambda_step *list = sum->b != VT_STEP_K ? &f->t->t[sum->b] : NULL;

	if (list == NULL || list->op != VT_STEP_LIST)
		return is_apart(f, sum->b);
	for (uint32_t k = 0; k < list->n; k++)
		if (!is_apart(f, list->args[k]))
			return false;
	return list->guard == VT_STEP_K;
}

/* `$1.set(k, $1.get(k, n) + m)`, or coalesce($1.get(k), n) in it, where k and m are the item's. */
static void
find_sum_by_key(vt_fold *f)
{
	const vt_lambda_step *set = &f->t->t[f->t->out[0]], *sum, *from, *get;
	bool coalesces;

	if (f->t->kind != VT_PROGRAM_VALUE || f->how[f->t->out[0]] != SET ||
		f->how[set->a] != SELF || set->args[1] == VT_STEP_K || !is_apart(f, set->args[0]))
		return;
	sum = &f->t->t[set->args[1]];
	if (sum->op != VT_STEP_ADD || sum->a == VT_STEP_K || sum->guard != VT_STEP_K ||
		!adds_own(f, sum))
		return;
	from = &f->t->t[sum->a];
	coalesces = from->op == VT_STEP_CHOOSE;
	get = coalesces ? coalesced(f, from) : from;
	if (get == NULL || get->op != VT_STEP_GET || get->n != (coalesces ? 1 : 2) ||
		get->guard != VT_STEP_K || f->how[get->a] != SELF || !is_apart(f, get->args[0]) ||
		(coalesces ? !has_default(f, from->b)
			   : get->args[1] != VT_STEP_K && !has_default(f, get->args[1])))
		return;
	f->key_sum = sum;
	f->key_get = get;
	f->key_none = coalesces ? from->b : get->args[1];
	f->coalesces = coalesces;
}

static bool
adds_one(const vt_fold *f)
{
	const vt_lambda_step *x = &f->t->t[f->t->out[0]];

	return f->t->kind == VT_PROGRAM_VALUE && f->how[f->t->out[0]] == ADD_ITEMS &&
	       f->how[x->a] == SELF && x->n == 1 && is_apart(f, x->args[0]);
}

/* `$1.set(k, v).set(l, w)`: nothing else becomes of $1. */
static void
find_sets(vt_fold *f)
{
	uint8_t r = f->t->out[0], n = 0;

	if (f->t->kind != VT_PROGRAM_VALUE)
		return;
	for (; f->how[r] == SET && f->spine >> r & 1 && n < VT_FOLD_PARTS; r = f->t->t[r].a)
		f->sets[VT_FOLD_PARTS - ++n] = r;
	if (f->how[r] != SELF)
		return;
	f->nsets = n;
	memmove(f->sets, f->sets + VT_FOLD_PARTS - n, n);
}

/* Have all lists in the dict that register m makes one item? */
static bool
has_singles(const vt_fold *f, uint8_t m)
{
	const vt_lambda_step *x = &f->t->t[m];

	for (uint32_t k = 0; k < vt_fold_pairs(x); k++) {
		uint8_t r = vt_fold_pair(x, k);
		const vt_lambda_step *v = &f->t->t[r];
		bool word = (v->op > VT_STEP_ADD && v->op <= VT_STEP_NE) || v->op == VT_STEP_LEN ||
			    (v->op == VT_STEP_CONST && v->heap == NULL);
		if (f->merged & f->spine & UINT64_C(1) << r
				? !has_singles(f, r)
				: !word && (v->op != VT_STEP_LIST || v->n != 1))
			return false;
	}
	return true;
}

/* Is the lambda nothing but mergeWith() of such dicts? */
static bool
merges_singles(const vt_fold *f)
{
	uint8_t r = f->t->out[0];

	if (f->t->kind != VT_PROGRAM_VALUE)
		return false;
	for (; f->how[r] == MERGE && f->spine >> r & 1; r = f->t->t[r].a) {
		uint8_t m = f->t->t[r].args[0];
		if (m == VT_STEP_K || !(f->spine & f->merged & UINT64_C(1) << m) ||
			!has_singles(f, m))
			return false;
	}
	return f->how[r] == SELF;
}

/* The register of the dicts that items bring and mergeWith() takes; VT_STEP_K: there is none. */
static uint8_t
merged_items(const vt_fold *f)
{
	for (uint32_t r = 0; r < f->t->n; r++) {
		uint8_t of = f->how[r] == MERGE ? f->t->t[r].args[0] : VT_STEP_K;
		if (of != VT_STEP_K && !(f->needs >> of & 1))
			return of;
	}
	return VT_STEP_K;
}

/* What the spine makes is not there yet, so it cannot be asked whether a step is to be done. */
static void
add_first(vt_fold *f, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];
	bool open =
		x->guard != VT_STEP_K && (x->flags & VT_STEP_SOFT) && !(f->spine >> x->guard & 1);

	f->first[f->nfirst++] = (vt_fold_first){
		.r = r,
		.guard = open ? x->guard : VT_STEP_K,
		.quick = f->takes[r] == 0 && (open || x->guard == VT_STEP_K),
		.want = vt_mkbool(!(x->flags & VT_STEP_UNLESS)),
	};
}

void
vt_fold_plan(vt_fold *f)
{
	plan p = {.f = f, .t = f->t};
	uint64_t merged = 0;

	note_steps(f, &p);
	find_merging(f);
	for (uint32_t k = 0; k < f->t->nout; k++)
		find_root(&p, f->t->out[k], &f->spine);
	for (uint32_t r = 0; r < f->t->n; r++)
		if (f->spine >> r & 1 && (f->how[r] == MERGE || f->how[r] == MERGE_BY))
			merged = f->merged;
	f->ahead = merged_items(f);
	f->spine |= merged;
	f->spine &= f->needs;
	if (takes_itself(f))
		f->spine = 0;
	find_sum_by_key(f);
	find_sets(f);
	f->adds_one = adds_one(f);
	vt_fold_find_path(f);
	f->singly = merges_singles(f);
	for (uint32_t r = 0; r < f->t->n; r++)
		f->takes[r] = vt_step_operands(&f->t->t[r]) & f->spine;
	for (uint32_t r = 0; r < f->t->n; r++)
		if (f->needs >> r & 1 && is_passing(&p, (uint8_t)r))
			f->passing |= UINT64_C(1) << r;
	for (uint32_t k = 0; k < f->nsteps; k++)
		if (!(f->spine >> f->step[k] & 1) && f->how[f->step[k]] != SELF)
			add_first(f, f->step[k]);
	for (uint32_t k = f->nfirst; k-- > 1;)
		if (f->first[k].guard == f->first[k - 1].guard &&
			f->first[k].want == f->first[k - 1].want)
			f->first[k - 1].same = (uint8_t)(f->first[k].same + 1);
}

/*
 * paths.c - rows of lib/documents.fn that change a document at a path.
 *
 * compiler/query/paths.c makes steps of a path: pairs of lambdas, of which the first gives the
 * kind. The values on the way are copied, the others are shared.
 */
#include "runtime/core/args.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/lib/query.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "registry.h"

#include <stdlib.h>

enum step_kind { STEP_KEY = 'k', STEP_INDEX = 'i', STEP_WHERE = 'w', STEP_ALL = 'a' };
typedef struct step {
	enum step_kind kind;
	vt_value v; /* key or position; WHERE: the lambda, which is borrowed */
} step;

enum op { SET, UPDATE, UNSET, LIST_PATHS };
typedef struct walk {
	vt_rt *rt;
	const vt_unit *unit;
	enum op op;
	vt_value value; /* SET: the value; UPDATE: the lambda */
	const step *steps;
	uint32_t n;
	bool reached;   /* the path has led to a place since this was reset */
	vt_list *path;  /* LIST_PATHS: to where the walk is */
	vt_list *found; /* LIST_PATHS: the paths */
} walk;

/* How deep final values may be; how long a position makes a list. */
enum { MAX_NESTED = 1000, MOST_ITEMS = 1 << 20 };

static vt_status step_into(walk *, vt_value v, uint32_t at, vt_value *out);

/* ---- members ---- */

/* Beyond the last step: what becomes of the value that stands there. VT_UNDEF: it goes. */
static vt_status
arrive(walk *w, vt_value v, vt_value *out)
{
	vt_value raw = VT_UNDEF;
	vt_status st;

	w->reached = true;
	switch (w->op) {
	case SET: *out = vt_copy(w->value); return VT_OK;
	case UNSET: *out = VT_UNDEF; return VT_OK;
	case UPDATE:
		VT_TRY(vt_apply(w->rt, w->value, 1, &v, &raw));
		st = vt_final_fast(w->rt, w->unit, raw, out);
		vt_release(raw);
		return st;
	case LIST_PATHS: break;
	}
	raw = vt_mkptr(vt_list_grow(w->rt, VT_K_LIST, w->path->n));
	vt_list_extend(w->rt, vt_as_list(raw), w->path->n, w->path->v);
	vt_list_push(w->rt, w->found, raw);
	*out = vt_copy(v);
	return VT_OK;
}

/* The rest of the path for a member under this key or position. */
static vt_status
walk_member(walk *w, vt_value key, vt_value v, uint32_t at, vt_value *out)
{
	vt_status st;

	if (w->op == LIST_PATHS)
		vt_list_push(w->rt, w->path, vt_copy(key));
	st = at == w->n ? arrive(w, v, out) : step_into(w, v, at, out);
	if (w->op == LIST_PATHS)
		vt_list_close(w->path, w->path->n - 1, 1);
	return st;
}

/* The same for what is not there. False in *led: it leads to no place, so that nothing is made. */
static vt_status
walk_missing(walk *w, vt_value key, uint32_t at, vt_value *out, bool *led)
{
	bool before = w->reached;
	vt_status st;

	w->reached = false;
	st = walk_member(w, key, VT_NULL, at, out);
	*led = w->reached;
	w->reached |= before;
	return st;
}

static vt_status
no_container(walk *w, vt_value v, const char *what)
{
	return vt_raise(w->rt, VT_E_TYPE, "the path wants %s, and there is %s", what,
		vt_is(v, STR)       ? "a text"
		: vt_is_number(v)   ? "a number"
		: vt_is_bool(v)     ? "true or false"
		: vt_is(v, DICT)    ? "a dict"
		: vt_is_sequence(v) ? "a list"
		: vt_is(v, SET)     ? "a set"
				    : "something else");
}

/* ---- dicts ---- */

static vt_status
put_member(walk *w, vt_dict *d, vt_value key, vt_value made)
{
	vt_status st = VT_OK;

	if (made == VT_UNDEF)
		vt_dict_del(w->rt, d, key);
	else
		st = vt_dict_set(w->rt, d, key, made);
	if (made != VT_UNDEF)
		vt_release(made);
	return st;
}

static vt_status
walk_key(walk *w, vt_value v, vt_value key, uint32_t at, vt_value *out)
{
	const vt_dict *d = v == VT_NULL ? NULL : vt_as_dict(v);
	vt_value member, made = VT_UNDEF;
	vt_dict *copy;
	vt_status st;
	bool led = true;

	if (!vt_hashable(key))
		return vt_unhashable(w->rt, key);
	member = d ? vt_dict_get(d, key) : VT_UNDEF;
	if (member == VT_UNDEF && w->op == UNSET) {
		*out = vt_copy(v);
		return VT_OK;
	}
	VT_TRY(member == VT_UNDEF ? walk_missing(w, key, at + 1, &made, &led)
				  : walk_member(w, key, member, at + 1, &made));
	if (w->op == LIST_PATHS || !led) {
		vt_release(made);
		*out = vt_copy(v);
		return VT_OK;
	}
	copy = d ? vt_dict_copy(w->rt, d, false) : vt_dict_new(w->rt, false);
	st = put_member(w, copy, key, made);
	return vt_settle(st, vt_mkptr(copy), out);
}

static vt_status
walk_values(walk *w, const vt_dict *d, uint32_t at, vt_value *out)
{
	vt_dict *copy = vt_dict_copy(w->rt, d, false);
	uint32_t pos = 0;
	vt_value k, v, made;
	vt_status st = VT_OK;

	while (st == VT_OK && vt_dict_at(d, &pos, &k, &v)) {
		made = VT_UNDEF;
		st = walk_member(w, k, v, at + 1, &made);
		if (st == VT_OK)
			st = put_member(w, copy, k, made);
	}
	return vt_settle(st, vt_mkptr(copy), out);
}

/* ---- lists ---- */

/* -1 is the last. A position behind the end makes the list longer, but for UNSET. */
static vt_status
walk_index(walk *w, vt_value v, int64_t i, uint32_t at, vt_value *out)
{
	uint32_t n = v == VT_NULL ? 0 : vt_as_list(v)->n;
	vt_value made = VT_UNDEF;
	vt_list *copy;
	bool led = true;

	if (i < 0 && -i > (int64_t)n && w->op != UNSET)
		return vt_raise(w->rt, VT_E_INDEX, "there is no item %lld: the list has %u",
			(long long)i, n);
	i += i < 0 ? n : 0;
	if (w->op == UNSET && (i < 0 || i >= (int64_t)n)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	if (i >= MOST_ITEMS)
		return vt_raise(
			w->rt, VT_E_INDEX, "item %lld is beyond what a path makes", (long long)i);
	VT_TRY(i < (int64_t)n ? walk_member(w, vt_mkint(i), vt_as_list(v)->v[i], at + 1, &made)
			      : walk_missing(w, vt_mkint(i), at + 1, &made, &led));
	if (!led) {
		vt_release(made);
		*out = vt_copy(v);
		return VT_OK;
	}
	copy = vt_list_grow(w->rt, VT_K_LIST, (uint32_t)i + 1 > n ? (uint32_t)i + 1 : n);
	if (n)
		vt_list_extend(w->rt, copy, n, vt_as_list(v)->v);
	while (copy->n <= i)
		vt_list_push(w->rt, copy, VT_NULL);
	if (made == VT_UNDEF)
		vt_list_close(copy, (uint32_t)i, 1);
	else
		vt_list_put(copy, (uint32_t)i, made);
	*out = vt_mkptr(copy);
	return VT_OK;
}

/* Each item that the lambda takes, or each one. next: the step that is for the items. */
static vt_status
walk_items(walk *w, const vt_list *l, vt_value lambda, uint32_t next, vt_value *out)
{
	vt_list *made = vt_list_grow(w->rt, VT_K_LIST, l->n);
	vt_status st = VT_OK;
	bool taken = true;

	for (uint32_t i = 0; i < l->n && st == VT_OK; i++) {
		vt_value item = VT_UNDEF;
		if (lambda != VT_UNDEF)
			st = vt_query_test(w->rt, lambda, l->v[i], &taken);
		if (st == VT_OK && taken)
			st = walk_member(w, vt_mkint(i), l->v[i], next, &item);
		else if (st == VT_OK)
			item = vt_copy(l->v[i]);
		if (st == VT_OK && item != VT_UNDEF)
			vt_list_push(w->rt, made, item);
	}
	return vt_settle(st, vt_mkptr(made), out);
}

/* ---- steps ---- */

/* A key of a list is that key of each item, as everywhere in YAQL. */
static vt_status
step_key(walk *w, vt_value v, vt_value key, uint32_t at, vt_value *out)
{
	if (v == VT_NULL || vt_is(v, DICT))
		return walk_key(w, v, key, at, out);
	if (vt_is_sequence(v))
		return walk_items(w, vt_as_list(v), VT_UNDEF, at, out);
	return no_container(w, v, "a dict");
}

static vt_status
step_index(walk *w, vt_value v, vt_value key, uint32_t at, vt_value *out)
{
	int64_t i;

	if (vt_is(v, DICT) || (v == VT_NULL && !vt_is_integer(key)))
		return walk_key(w, v, key, at, out);
	if (v != VT_NULL && !vt_is_sequence(v))
		return no_container(w, v, "a list or a dict");
	if (!vt_is_integer(key) || !vt_int_fits(key, &i))
		return vt_raise(w->rt, VT_E_TYPE, "a position in a list is an integer");
	return walk_index(w, v, i, at, out);
}

static vt_status
step_into(walk *w, vt_value v, uint32_t at, vt_value *out)
{
	const step *s = &w->steps[at];

	if (at >= MAX_NESTED || vt_too_deep(w->rt))
		return vt_raise_depth(w->rt);
	switch (s->kind) {
	case STEP_KEY: return step_key(w, v, s->v, at, out);
	case STEP_INDEX: return step_index(w, v, s->v, at, out);
	case STEP_WHERE:
	case STEP_ALL:
		if (vt_is_sequence(v))
			return walk_items(w, vt_as_list(v), s->kind == STEP_WHERE ? s->v : VT_UNDEF,
				at + 1, out);
		if (s->kind == STEP_ALL && vt_is(v, DICT))
			return walk_values(w, vt_as_dict(v), at, out);
		if (v == VT_NULL) {
			*out = v;
			return VT_OK;
		}
		return no_container(w, v, s->kind == STEP_ALL ? "a list or a dict" : "a list");
	}
	return VT_OK;
}

static vt_status
run(walk *w, vt_value document, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_status st;

	VT_TRY(vt_final_fast(w->rt, w->unit, document, &v));
	st = w->n ? step_into(w, v, 0, out) : arrive(w, v, out);
	vt_release(v);
	if (st == VT_OK && *out == VT_UNDEF)
		*out = VT_NULL; /* unset($) */
	return st;
}

/* ---- rows whose steps the compiler has made ---- */

static void
free_steps(step *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (s[i].kind != STEP_WHERE)
			vt_release(s[i].v);
	free(s);
}

/* Keys and positions are worked out where the call stands, once. */
static vt_status
take_steps(vt_args *a, walk *w, step **steps)
{
	uint32_t n = 0;
	vt_status st = VT_OK;

	*steps = vt_xmalloc((a->nrest / 2 + 1) * sizeof **steps);
	for (uint32_t i = 0; i + 1 < a->nrest && st == VT_OK; i += 2) {
		step *s = &(*steps)[n];
		vt_value kind = VT_UNDEF;
		st = vt_apply(a->rt, a->rest[i], 0, NULL, &kind);
		if (st != VT_OK)
			break;
		s->kind = (enum step_kind)vt_as_str(kind)->s[0];
		s->v = a->rest[i + 1];
		vt_release(kind);
		if (s->kind != STEP_WHERE)
			st = vt_apply(a->rt, a->rest[i + 1], 0, NULL, &s->v);
		n += st == VT_OK;
	}
	w->steps = *steps;
	w->n = n;
	if (st != VT_OK)
		free_steps(*steps, n);
	return st;
}

static vt_status
run_steps(vt_args *a, enum op op, vt_value value, vt_value *out)
{
	walk w = {.rt = a->rt, .unit = a->unit, .op = op, .value = value};
	step *steps;
	vt_status st;

	VT_TRY(take_steps(a, &w, &steps));
	st = run(&w, a->v[0], out);
	free_steps(steps, w.n);
	return st;
}

vt_status
vt_lib_assign(vt_args *a, vt_value *out)
{
	vt_value raw = VT_UNDEF, value = VT_UNDEF;
	vt_status st;

	VT_TRY(vt_apply(a->rt, a->v[1], 1, a->v, &raw));
	st = vt_final_fast(a->rt, a->unit, raw, &value);
	vt_release(raw);
	if (st != VT_OK)
		return st;
	st = run_steps(a, SET, value, out);
	vt_release(value);
	return st;
}

vt_status
vt_lib_update(vt_args *a, vt_value *out)
{
	return run_steps(a, UPDATE, a->v[1], out);
}

vt_status
vt_lib_unset(vt_args *a, vt_value *out)
{
	return run_steps(a, UNSET, VT_UNDEF, out);
}

vt_status
vt_lib_paths_of(vt_args *a, vt_value *out)
{
	walk w = {.rt = a->rt, .unit = a->unit, .op = LIST_PATHS};
	vt_value left = VT_UNDEF;
	step *steps;
	vt_status st;

	VT_TRY(take_steps(a, &w, &steps));
	w.path = vt_list_grow(a->rt, VT_K_LIST, w.n);
	w.found = vt_list_grow(a->rt, VT_K_LIST, 4);
	st = run(&w, a->v[0], &left);
	if (st == VT_OK)
		vt_release(left);
	vt_release(vt_mkptr(w.path));
	free_steps(steps, w.n);
	return vt_settle(st, vt_mkptr(w.found), out);
}

/* ---- rows with a path as a list ---- */

static vt_status
run_path(vt_args *a, enum op op, vt_value value, vt_value *out)
{
	const vt_list *path = vt_as_list(a->v[1]);
	step *steps = vt_xmalloc((path->n + 1) * sizeof *steps);
	walk w = {.rt = a->rt,
		.unit = a->unit,
		.op = op,
		.value = value,
		.steps = steps,
		.n = path->n};
	vt_status st;

	for (uint32_t i = 0; i < path->n; i++)
		steps[i] = (step){STEP_INDEX, path->v[i]};
	st = run(&w, a->v[0], out);
	free(steps);
	return st;
}

vt_status
vt_lib_set_path(vt_args *a, vt_value *out)
{
	return run_path(a, SET, a->v[2], out);
}

vt_status
vt_lib_delete_path(vt_args *a, vt_value *out)
{
	return run_path(a, UNSET, VT_UNDEF, out);
}

static vt_status
member_at(vt_rt *rt, vt_value v, vt_value key, vt_value *out)
{
	int64_t i;

	*out = VT_NULL;
	if (v == VT_NULL)
		return VT_OK;
	if (vt_is(v, DICT)) {
		vt_value member = vt_hashable(key) ? vt_dict_get(vt_as_dict(v), key) : VT_UNDEF;
		*out = member == VT_UNDEF ? VT_NULL : member;
		return VT_OK;
	}
	if (!vt_is_sequence(v))
		return vt_raise(rt, VT_E_TYPE, "the path goes through a value without members");
	if (!vt_is_integer(key) || !vt_int_fits(key, &i))
		return VT_OK;
	i += i < 0 ? vt_as_list(v)->n : 0;
	if (i >= 0 && i < (int64_t)vt_as_list(v)->n)
		*out = vt_as_list(v)->v[i];
	return VT_OK;
}

vt_status
vt_lib_get_path(vt_args *a, vt_value *out)
{
	const vt_list *path = vt_as_list(a->v[1]);
	vt_value whole = VT_UNDEF, v;
	vt_status st;

	VT_TRY(vt_final_fast(a->rt, a->unit, a->v[0], &whole));
	v = whole;
	st = VT_OK;
	for (uint32_t i = 0; i < path->n && st == VT_OK; i++)
		st = member_at(a->rt, v, path->v[i], &v);
	if (st == VT_OK)
		*out = vt_copy(v);
	vt_release(whole);
	return st;
}

/* ---- everything inside ---- */

typedef struct inside {
	vt_rt *rt;
	vt_list *path; /* or NULL: the values are wanted */
	vt_list *found;
	uint32_t depth;
} inside;

static vt_status visit(inside *, vt_value v);

static vt_status
visit_member(inside *x, vt_value key, vt_value v)
{
	vt_status st;

	if (x->path) {
		vt_list *copy = vt_list_grow(x->rt, VT_K_LIST, x->path->n + 1);
		vt_list_push(x->rt, x->path, vt_copy(key));
		vt_list_extend(x->rt, copy, x->path->n, x->path->v);
		vt_list_push(x->rt, x->found, vt_mkptr(copy));
	} else
		vt_list_push(x->rt, x->found, vt_copy(v));
	st = visit(x, v);
	if (x->path)
		vt_list_close(x->path, x->path->n - 1, 1);
	return st;
}

static vt_status
visit(inside *x, vt_value v)
{
	vt_status st = VT_OK;
	uint32_t pos = 0;
	vt_value k, item;

	if (x->depth == MAX_NESTED || vt_too_deep(x->rt))
		return vt_raise_depth(x->rt);
	x->depth++;
	if (vt_is(v, DICT))
		while (st == VT_OK && vt_dict_at(vt_as_dict(v), &pos, &k, &item))
			st = visit_member(x, k, item);
	else if (vt_is_sequence(v))
		for (; pos < vt_as_list(v)->n && st == VT_OK; pos++)
			st = visit_member(x, vt_mkint(pos), vt_as_list(v)->v[pos]);
	x->depth--;
	return st;
}

static vt_status
all_inside(vt_args *a, bool paths, vt_value *out)
{
	inside x = {.rt = a->rt, .found = vt_list_grow(a->rt, VT_K_LIST, 16)};
	vt_value v = VT_UNDEF;
	vt_status st = vt_final_fast(a->rt, a->unit, a->v[0], &v);

	if (paths)
		x.path = vt_list_grow(a->rt, VT_K_LIST, 8);
	else if (st == VT_OK)
		vt_list_push(a->rt, x.found, vt_copy(v));
	if (st == VT_OK) {
		st = visit(&x, v);
		vt_release(v);
	}
	if (x.path)
		vt_release(vt_mkptr(x.path));
	return vt_settle(st, vt_mkptr(x.found), out);
}

vt_status
vt_lib_paths(vt_args *a, vt_value *out)
{
	return all_inside(a, true, out);
}

vt_status
vt_lib_descend(vt_args *a, vt_value *out)
{
	return all_inside(a, false, out);
}

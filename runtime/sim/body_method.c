/*
 * body_method.c - members and methods of values of a plan's Body; body_text.c has those of texts.
 */
#include "runtime/sim/body.h"

#include <string.h>

/* ---- lists ------------------------------------------------------------------------------- */

static body_value *
found(body *b, body_value *l, const body_args *a, const char *name)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!body_equal(b, l->item[i], a->v[0]))
			continue;
		if (name[0] == 'i')
			return body_int(b, i);
		n++;
	}
	if (body_stopped(b))
		return NULL;
	return name[0] == 'c' ? body_int(b, n)
			      : body_raise(b, "ValueError", "value is not in %s", body_type(l));
}

static body_value *
take_out(body *b, body_value *l, const body_args *a)
{
	int64_t i = -1;
	body_value *x;
	if (a->n > 0 && !body_index(b, a->v[0], &i))
		return NULL;
	i += i < 0 ? l->n : 0;
	if (i < 0 || i >= l->n)
		return body_raise(b, "IndexError",
			l->n == 0 ? "pop from empty list" : "pop index out of range");
	x = l->item[i];
	l->n--;
	memmove(l->item + i, l->item + i + 1, (l->n - (size_t)i) * sizeof *l->item);
	return x;
}

static body_value *
put_in(body *b, body_value *l, const body_args *a)
{
	int64_t i;
	if (!body_index(b, a->v[0], &i) || !body_push(b, l, a->v[1]))
		return NULL;
	i += i < 0 ? l->n - 1 : 0;
	i = i < 0 ? 0 : i > l->n - 1 ? l->n - 1 : i;
	memmove(l->item + i + 1, l->item + i, (l->n - 1 - (size_t)i) * sizeof *l->item);
	l->item[i] = a->v[1];
	return body_none(b);
}

static body_value *
remove_item(body *b, body_value *l, const body_args *a)
{
	body_value *at = found(b, l, a, "index");
	body_args place = {.v = &at, .n = 1};
	return at != NULL && take_out(b, l, &place) != NULL ? body_none(b) : NULL;
}

static body_value *
extend(body *b, body_value *l, const body_args *a)
{
	body_value *more = body_list_of(b, a->v[0]);
	for (uint32_t i = 0; more != NULL && i < more->n; i++)
		if (!body_step(b, 1) || !body_push(b, l, more->item[i]))
			return NULL;
	return more != NULL ? body_none(b) : NULL;
}

static body_value *
sort_list(body *b, body_value *l, const body_args *a)
{
	body_value *reverse = a->named ? body_get_c(b, a->named, "reverse") : NULL;
	if (a->n > 0 || (a->named != NULL && (reverse == NULL || a->named->n > 1)))
		return body_unable(b, "sort() with a key");
	return body_sort(b, l, reverse != NULL && body_true(reverse)) ? body_none(b) : NULL;
}

static body_value *
turn_round(body *b, body_value *l, const body_args *a)
{
	(void)a;
	for (uint32_t i = 0; i < l->n / 2; i++) {
		body_value *x = l->item[i];
		l->item[i] = l->item[l->n - 1 - i];
		l->item[l->n - 1 - i] = x;
	}
	return body_none(b);
}

static body_value *
append(body *b, body_value *l, const body_args *a)
{
	return body_push(b, l, a->v[0]) ? body_none(b) : NULL;
}

static body_value *
empty(body *b, body_value *l, const body_args *a)
{
	(void)a;
	l->n = 0;
	return body_none(b);
}

static body_value *
copy_list(body *b, body_value *l, const body_args *a)
{
	(void)a;
	return body_list_of(b, l);
}

static body_value *
count(body *b, body_value *l, const body_args *a)
{
	return found(b, l, a, "count");
}

static body_value *
index_of(body *b, body_value *l, const body_args *a)
{
	return found(b, l, a, "index");
}

/* ---- dicts ------------------------------------------------------------------------------- */

static body_value *
get(body *b, body_value *d, const body_args *a)
{
	body_value *v = body_key(b, a->v[0]) ? body_get(b, d, a->v[0]) : NULL;
	if (v != NULL || body_stopped(b))
		return v;
	return a->n > 1 ? a->v[1] : body_none(b);
}

static body_value *
set_default(body *b, body_value *d, const body_args *a)
{
	body_value *v = body_key(b, a->v[0]) ? body_get(b, d, a->v[0]) : NULL;
	if (v != NULL || body_stopped(b))
		return v;
	v = a->n > 1 ? a->v[1] : body_none(b);
	return body_set(b, d, a->v[0], v) ? v : NULL;
}

static body_value *
pop_key(body *b, body_value *d, const body_args *a)
{
	body_value *v = body_key(b, a->v[0]) ? body_get(b, d, a->v[0]) : NULL;
	if (body_stopped(b))
		return NULL;
	if (v != NULL)
		return body_remove(b, d, a->v[0]) ? v : NULL;
	return a->n > 1 ? a->v[1] : body_item(b, d, a->v[0]);
}

static body_value *
keys(body *b, body_value *d, const body_args *a)
{
	(void)a;
	return body_view(b, body_list_of(b, d), "dict_keys");
}

static body_value *
values(body *b, body_value *d, const body_args *a)
{
	body_value *l = body_new(b, BODY_LIST);
	(void)a;
	for (uint32_t i = 0; i < d->n; i++)
		if (!body_step(b, 1) || !body_push(b, l, d->item[i]))
			return NULL;
	return body_view(b, l, "dict_values");
}

static body_value *
items(body *b, body_value *d, const body_args *a)
{
	body_value *l = body_new(b, BODY_LIST);
	(void)a;
	for (uint32_t i = 0; i < d->n; i++) {
		body_value *pair = body_new(b, BODY_TUPLE);
		if (!body_step(b, 1) || !body_push(b, pair, d->key[i]) ||
			!body_push(b, pair, d->item[i]) || !body_push(b, l, pair))
			return NULL;
	}
	return body_view(b, l, "dict_items");
}

static body_value *
update(body *b, body_value *d, const body_args *a)
{
	body_value dict = {.kind = BODY_FUNCTION, .name = "dict"}, *more = body_call(b, &dict, a);
	for (uint32_t i = 0; more != NULL && i < more->n; i++)
		if (!body_set(b, d, more->key[i], more->item[i]))
			return NULL;
	return more != NULL ? body_none(b) : NULL;
}

static body_value *
copy_dict(body *b, body_value *d, const body_args *a)
{
	body_value dict = {.kind = BODY_FUNCTION, .name = "dict"};
	body_args one = {.v = &d, .n = 1};
	(void)a;
	return body_call(b, &dict, &one);
}

/* ---- sets -------------------------------------------------------------------------------- */

static body_value *
add(body *b, body_value *s, const body_args *a)
{
	return body_set(b, s, a->v[0], a->v[0]) ? body_none(b) : NULL;
}

static body_value *
discard(body *b, body_value *s, const body_args *a)
{
	if (body_key(b, a->v[0]))
		(void)body_remove(b, s, a->v[0]);
	return body_stopped(b) ? NULL : body_none(b);
}

/* ---- the table --------------------------------------------------------------------------- */

enum { LISTS = 1, TUPLES = 2, SETS = 4, DICTS = 8 };
static const struct method {
	const char *name;
	int of;
	body_value *(*fn)(body *, body_value *, const body_args *);
	uint32_t least, most;
	bool named;
} methods[] = {
	{"add", SETS, add, 1, 1, false},
	{"append", LISTS, append, 1, 1, false},
	{"clear", LISTS | DICTS | SETS, empty, 0, 0, false},
	{"copy", LISTS, copy_list, 0, 0, false},
	{"copy", DICTS, copy_dict, 0, 0, false},
	{"count", LISTS | TUPLES, count, 1, 1, false},
	{"discard", SETS, discard, 1, 1, false},
	{"extend", LISTS, extend, 1, 1, false},
	{"get", DICTS, get, 1, 2, false},
	{"index", LISTS | TUPLES, index_of, 1, 1, false},
	{"insert", LISTS, put_in, 2, 2, false},
	{"items", DICTS, items, 0, 0, false},
	{"keys", DICTS, keys, 0, 0, false},
	{"pop", LISTS, take_out, 0, 1, false},
	{"pop", DICTS, pop_key, 1, 2, false},
	{"remove", LISTS, remove_item, 1, 1, false},
	{"reverse", LISTS, turn_round, 0, 0, false},
	{"setdefault", DICTS, set_default, 1, 2, false},
	{"sort", LISTS, sort_list, 0, 0, true},
	{"update", DICTS, update, 0, 1, true},
	{"values", DICTS, values, 0, 0, false},
};

/* What Python has besides. */
static const char other_lists[] = " ", other_tuples[] = " ", other_dicts[] = " fromkeys popitem ",
		  other_sets[] =
			  " copy difference difference_update intersection intersection_update "
			  "isdisjoint issubset issuperset pop remove symmetric_difference "
			  "symmetric_difference_update union update ";

static int
bit_of(const body_value *v)
{
	return v->kind == BODY_LIST    ? LISTS
	       : v->kind == BODY_TUPLE ? TUPLES
	       : v->kind == BODY_SET   ? SETS
	       : body_is_dict(v)       ? DICTS
				       : 0;
}

static const struct method *
method_of(const body_value *v, const char *name)
{
	for (size_t i = 0; i < VT_LEN(methods); i++)
		if ((methods[i].of & bit_of(v)) && strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

static const char *
others_of(const body_value *v)
{
	return v->kind == BODY_LIST    ? other_lists
	       : v->kind == BODY_TUPLE ? other_tuples
	       : v->kind == BODY_SET   ? other_sets
				       : other_dicts;
}

body_value *
body_method(body *b, const char *name, body_value *self, const body_args *a)
{
	const struct method *m;
	body_args plain = {.v = a->v, .n = a->n, .named = NULL};
	if (body_is_text(self))
		return body_text_method(b, name, self, a);
	m = method_of(self, name);
	if (m == NULL)
		return body_unable(b, "the method %s() of a '%s'", name, body_type(self));
	return body_arity(b, name, m->named ? &plain : a, m->least, m->most) ? m->fn(b, self, a)
									     : NULL;
}

/* ---- members ----------------------------------------------------------------------------- */

static body_value *
bound(body *b, body_value *of, const char *name)
{
	body_value *m = body_named(b, BODY_METHOD, name);
	m->self = of;
	return m;
}

static body_value *
of_exception(body *b, const body_value *e, const char *name)
{
	body_value *all;
	bool script = e->code != 1;
	if (strcmp(name, "args") == 0) {
		all = body_new(b, BODY_TUPLE);
		for (uint32_t i = 0; i < e->n; i++)
			if (!body_push(b, all, e->item[i]))
				return NULL;
		return all;
	}
	if (script && strcmp(name, "error_code") == 0)
		return body_int(b, e->code);
	if (script && strcmp(name, "additional_data") == 0)
		return e->self;
	return body_raise(b, "AttributeError", "'%s' object has no attribute '%s'", e->name, name);
}

/* A dict's methods come before its keys; what is neither is a KeyError in a record. */
static body_value *
of_record(body *b, body_value *r, const char *name)
{
	body_value *v = body_get_c(b, r, name);
	if (v != NULL || body_stopped(b))
		return v;
	(void)body_raise(b, "KeyError", "%s", name);
	return NULL;
}

/* Any member of a script is the script, once. */
static body_value *
function_of(body *b, const body_value *script)
{
	body_value *f = body_named(b, BODY_SCRIPT, script->name);
	f->code = 1;
	return f;
}

/* What numbers have besides operators. */
static const char of_numbers[] =
	" real imag numerator denominator conjugate bit_length bit_count as_integer_ratio "
	"is_integer hex fromhex to_bytes from_bytes ";

body_value *
body_member(body *b, body_value *of, const char *name)
{
	if (of->kind == BODY_SCRIPT && of->code == 0)
		return function_of(b, of);
	if (of->kind == BODY_EXCEPTION)
		return of_exception(b, of, name);
	if (strncmp(name, "__", 2) == 0)
		return body_unable(b, "'%s'", name);
	if (body_is_text(of) ? body_has_method(b, of, name) : method_of(of, name) != NULL)
		return bound(b, of, name);
	if (bit_of(of) != 0 && body_has_word(others_of(of), name, strlen(name)))
		return body_unable(b, "the method %s() of a '%s'", name, body_type(of));
	if (of->kind == BODY_RECORD)
		return of_record(b, of, name);
	if (body_stopped(b))
		return NULL;
	if (of->kind == BODY_FUNCTION || of->kind == BODY_METHOD || of->kind == BODY_CLASS ||
		of->kind == BODY_VIEW)
		return body_unable(b, "'%s' of a '%s'", name, body_type(of));
	if (of->kind == BODY_SCALAR && body_has_word(of_numbers, name, strlen(name)))
		return body_unable(b, "'%s' of a '%s'", name, body_type(of));
	return body_raise(
		b, "AttributeError", "'%s' object has no attribute '%s'", body_type(of), name);
}

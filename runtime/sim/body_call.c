/*
 * body_call.c - what a plan's Body calls: functions of the language, exceptions, scripts.
 */
#include "runtime/sim/body.h"
#include "runtime/core/number.h"

#include <string.h>

bool
body_arity(body *b, const char *what, const body_args *a, uint32_t least, uint32_t most)
{
	if (a->named != NULL) {
		(void)body_unable(b, "keyword arguments of %s()", what);
		return false;
	}
	if (a->n >= least && a->n <= most)
		return true;
	(void)body_raise(b, "TypeError", "%s() takes %u to %u arguments (%u given)", what, least,
		most, a->n);
	return false;
}

/* ---- conversions ------------------------------------------------------------------------- */

static body_value *
f_len(body *b, const body_args *a)
{
	const body_value *v = a->v[0];
	if (body_is_text(v))
		return body_int(b, vt_as_str(v->v)->points);
	if (body_is_sequence(v) || body_is_dict(v) || v->kind == BODY_SET ||
		(v->kind == BODY_VIEW && body_has_word(" range dict_keys dict_values dict_items ",
						 v->name, strlen(v->name))))
		return body_int(b, v->n);
	return body_raise(b, "TypeError", "object of type '%s' has no len()", body_type(v));
}

static body_value *
int_of_text(body *b, const body_value *v, int64_t base)
{
	vt_value out = VT_UNDEF, repr;
	const vt_str *s = vt_as_str(v->v);
	if (base != 10)
		return body_unable(b, "int() with a base");
	if (s->bytes > 400)
		return body_unable(b, "an integer of more than 308 digits");
	if (vt_int_from_str(b->rt, s, &out))
		return body_scalar(b, out);
	if ((repr = body_repr(b, v)) == VT_UNDEF)
		return NULL;
	(void)body_raise(
		b, "ValueError", "invalid literal for int() with base 10: %s", vt_as_str(repr)->s);
	vt_release(repr);
	return NULL;
}

static body_value *
f_int(body *b, const body_args *a)
{
	body_value *v = a->n > 0 ? a->v[0] : body_int(b, 0);
	int64_t base = 10;
	vt_value out = VT_UNDEF;
	if (a->n > 1 && !body_index(b, a->v[1], &base))
		return NULL;
	if (body_is_text(v))
		return int_of_text(b, v, base);
	if (v->kind == BODY_SCALAR && vt_is(v->v, FLOAT))
		return vt_float_to_int(b->rt, vt_as_float(v->v), &out) == VT_OK
			       ? body_scalar(b, out)
			       : body_raise_pending(b);
	if (v->kind == BODY_SCALAR && (vt_is_integer(v->v) || vt_is_bool(v->v)))
		return body_unary(b, OP_PLUS, v);
	return body_raise(b, "TypeError",
		"int() argument must be a string, a bytes-like object or a real number, not '%s'",
		body_type(v));
}

static body_value *
f_float(body *b, const body_args *a)
{
	body_value *v = a->n > 0 ? a->v[0] : body_int(b, 0);
	double d = 0;
	if (body_is_text(v))
		return vt_float_from_str(vt_as_str(v->v), &d)
			       ? body_scalar(b, vt_float_new(b->rt, d))
			       : body_raise(b, "ValueError",
					 "could not convert string to float: '%.80s'",
					 vt_as_str(v->v)->s);
	if (v->kind != BODY_SCALAR || v->v == VT_NULL)
		return body_raise(b, "TypeError",
			"float() argument must be a string or a real number, not '%s'",
			body_type(v));
	return vt_num_double(b->rt, v->v, &d) == VT_OK ? body_scalar(b, vt_float_new(b->rt, d))
						       : body_raise_pending(b);
}

static body_value *
text_or_stop(body *b, vt_value text)
{
	return text == VT_UNDEF ? NULL : body_scalar(b, text);
}

static body_value *
f_str(body *b, const body_args *a)
{
	return a->n == 0 ? body_text(b, "", 0) : text_or_stop(b, body_str(b, a->v[0]));
}

static body_value *
f_repr(body *b, const body_args *a)
{
	return text_or_stop(b, body_repr(b, a->v[0]));
}

static body_value *
f_bool(body *b, const body_args *a)
{
	return body_bool(b, a->n > 0 && body_true(a->v[0]));
}

static body_value *
collect(body *b, body_value *from, enum body_kind kind)
{
	body_value *to = body_new(b, kind), *x;
	bool bad = false;
	for (uint32_t i = 0; from != NULL && (x = body_nth(b, from, i, &bad)) != NULL; i++)
		if (!body_step(b, 1) ||
			!(kind == BODY_SET ? body_set(b, to, x, x) : body_push(b, to, x)))
			return NULL;
	return bad || b->unable != NULL ? NULL : to;
}

body_value *
body_list_of(body *b, body_value *v)
{
	return collect(b, v, BODY_LIST);
}

body_value *
body_view(body *b, body_value *list, const char *type)
{
	(void)b;
	if (list != NULL) {
		list->kind = BODY_VIEW;
		list->name = type;
	}
	return list;
}

static body_value *
first_or_none(const body_args *a)
{
	return a->n > 0 ? a->v[0] : NULL;
}

static body_value *
f_list(body *b, const body_args *a)
{
	return collect(b, first_or_none(a), BODY_LIST);
}

static body_value *
f_tuple(body *b, const body_args *a)
{
	return collect(b, first_or_none(a), BODY_TUPLE);
}

static body_value *
f_set(body *b, const body_args *a)
{
	return collect(b, first_or_none(a), BODY_SET);
}

/* Of a dict, of pairs, with keyword arguments behind. */
static body_value *
f_dict(body *b, const body_args *a)
{
	body_value *to = body_new(b, BODY_DICT), *from = first_or_none(a), *x;
	bool bad = false;
	for (uint32_t i = 0; from != NULL && (x = body_nth(b, from, i, &bad)) != NULL; i++) {
		if (!body_step(b, 1))
			return NULL;
		if (!body_is_dict(from) && (!body_is_sequence(x) || x->n != 2))
			return body_raise(b, "TypeError",
				"cannot convert dictionary update sequence element #%u to a "
				"sequence",
				i);
		if (!(body_is_dict(from) ? body_set(b, to, x, from->item[i])
					 : body_set(b, to, x->item[0], x->item[1])))
			return NULL;
	}
	for (uint32_t i = 0; a->named != NULL && i < a->named->n; i++)
		if (!body_set(b, to, a->named->key[i], a->named->item[i]))
			return NULL;
	return bad ? NULL : to;
}

/* ---- lists ------------------------------------------------------------------------------- */

static body_value *
f_range(body *b, const body_args *a)
{
	int64_t from = 0, to, step = 1;
	body_value *l = body_new(b, BODY_LIST);
	if (!body_index(b, a->v[a->n > 1], &to) || (a->n > 1 && !body_index(b, a->v[0], &from)) ||
		(a->n > 2 && !body_index(b, a->v[2], &step)))
		return NULL;
	if (step == 0)
		return body_raise(b, "ValueError", "range() arg 3 must not be zero");
	for (int64_t i = from; step > 0 ? i < to : i > to; i += step)
		if (!body_step(b, 1) || !body_push(b, l, body_int(b, i)))
			return NULL;
	return body_view(b, l, "range");
}

/* Merge sort: stable, as Python's. */
static bool
merge(body *b, body_value **v, body_value **room, uint32_t n, bool reverse)
{
	uint32_t half = n / 2, i = 0, j = half, k = 0;
	int c = 0;
	if (n < 2)
		return true;
	if (!merge(b, v, room, half, reverse) || !merge(b, v + half, room, n - half, reverse))
		return false;
	while (i < half || j < n) {
		bool right = i == half;
		if (i < half && j < n) {
			if (!body_order(b, OP_LT, v[j], v[i], &c))
				return false;
			right = reverse ? c > 0 && c < 2 : c < 0;
		}
		room[k++] = right ? v[j++] : v[i++];
	}
	memcpy(v, room, n * sizeof *v);
	return true;
}

bool
body_sort(body *b, body_value *list, bool reverse)
{
	body_value **room = body_alloc(b, (list->n + 1) * sizeof *room);
	return b->unable == NULL && merge(b, list->item, room, list->n, reverse);
}

static body_value *
f_sorted(body *b, const body_args *a)
{
	body_value *l = body_list_of(b, a->v[0]),
		   *reverse = a->named ? body_get_c(b, a->named, "reverse") : NULL;
	if (a->named != NULL && (reverse == NULL || a->named->n > 1))
		return body_unable(b, "sorted() with a key");
	return l != NULL && body_sort(b, l, reverse != NULL && body_true(reverse)) ? l : NULL;
}

static body_value *
f_reversed(body *b, const body_args *a)
{
	body_value *l = body_list_of(b, a->v[0]);
	for (uint32_t i = 0; l != NULL && i < l->n / 2; i++) {
		body_value *x = l->item[i];
		l->item[i] = l->item[l->n - 1 - i];
		l->item[l->n - 1 - i] = x;
	}
	return body_view(b, l, "reversed");
}

static body_value *
f_enumerate(body *b, const body_args *a)
{
	body_value *l = body_list_of(b, a->v[0]), *pair;
	int64_t from = 0;
	if (l == NULL || (a->n > 1 && !body_index(b, a->v[1], &from)))
		return NULL;
	for (uint32_t i = 0; i < l->n; i++) {
		pair = body_new(b, BODY_TUPLE);
		if (!body_step(b, 1) || !body_push(b, pair, body_int(b, from + i)) ||
			!body_push(b, pair, l->item[i]))
			return NULL;
		l->item[i] = pair;
	}
	return body_view(b, l, "enumerate");
}

static body_value *
f_zip(body *b, const body_args *a)
{
	body_value *to = body_new(b, BODY_LIST), *row, *x;
	bool bad;
	for (uint32_t i = 0; a->n > 0; i++) {
		row = body_new(b, BODY_TUPLE);
		for (uint32_t k = 0; k < a->n; k++) {
			x = body_nth(b, a->v[k], i, &bad);
			if (x == NULL)
				return bad ? NULL : body_view(b, to, "zip");
			if (!body_step(b, 1) || !body_push(b, row, x))
				return NULL;
		}
		if (!body_push(b, to, row))
			return NULL;
	}
	return body_view(b, to, "zip");
}

static body_value *
extreme(body *b, const body_args *a, bool greatest)
{
	body_value *of = a->v[0], *best = NULL, *x;
	bool bad = false;
	for (uint32_t i = 0;; i++) {
		int c = 0;
		x = a->n > 1 ? (i < a->n ? a->v[i] : NULL) : body_nth(b, of, i, &bad);
		if (x == NULL || bad)
			break;
		if (best != NULL && !body_order(b, greatest ? OP_GT : OP_LT, x, best, &c))
			return NULL;
		if (best == NULL || c == (greatest ? 1 : -1))
			best = x;
	}
	if (best == NULL && !bad)
		(void)body_raise(
			b, "ValueError", "%s() arg is an empty sequence", greatest ? "max" : "min");
	return bad ? NULL : best;
}

static body_value *
f_max(body *b, const body_args *a)
{
	return extreme(b, a, true);
}

static body_value *
f_min(body *b, const body_args *a)
{
	return extreme(b, a, false);
}

static body_value *
f_sum(body *b, const body_args *a)
{
	body_value *total = a->n > 1 ? a->v[1] : body_int(b, 0), *x;
	bool bad = false;
	for (uint32_t i = 0; total != NULL && (x = body_nth(b, a->v[0], i, &bad)) != NULL; i++)
		total = body_binary(b, OP_ADD, total, x);
	return bad ? NULL : total;
}

static body_value *
holds(body *b, const body_args *a, bool wanted)
{
	body_value *x;
	bool bad = false;
	for (uint32_t i = 0; (x = body_nth(b, a->v[0], i, &bad)) != NULL; i++)
		if (body_step(b, 1) && body_true(x) == wanted)
			return body_bool(b, wanted);
	return bad ? NULL : body_bool(b, !wanted);
}

static body_value *
f_any(body *b, const body_args *a)
{
	return holds(b, a, true);
}

static body_value *
f_all(body *b, const body_args *a)
{
	return holds(b, a, false);
}

/* ---- the others -------------------------------------------------------------------------- */

static body_value *
f_abs(body *b, const body_args *a)
{
	body_value *v = a->v[0], zero = {.kind = BODY_SCALAR, .v = vt_mkint(0)};
	int c;
	if (v->kind != BODY_SCALAR || body_is_text(v) || v->v == VT_NULL)
		return body_raise(b, "TypeError", "bad operand type for abs(): '%s'", body_type(v));
	if (!body_order(b, OP_LT, v, &zero, &c))
		return NULL;
	return body_unary(b, c < 0 ? OP_MINUS : OP_PLUS, v);
}

static body_value *
f_round(body *b, const body_args *a)
{
	int64_t digits = 0;
	vt_value out = VT_UNDEF;
	if (a->v[0]->kind != BODY_SCALAR || !vt_is_number(a->v[0]->v))
		return body_raise(b, "TypeError", "type %s doesn't define __round__ method",
			body_type(a->v[0]));
	if (a->n > 1 && !body_index(b, a->v[1], &digits))
		return NULL;
	if (digits > 400 || digits < -400)
		return body_unable(b, "round() to so many digits");
	if (vt_num_round(b->rt, a->v[0]->v, digits, &out) != VT_OK)
		return body_raise_pending(b);
	if (a->n == 1 && vt_is(out, FLOAT)) {
		vt_value whole = VT_UNDEF;
		vt_status st = vt_float_to_int(b->rt, vt_as_float(out), &whole);
		vt_release(out);
		return st == VT_OK ? body_scalar(b, whole) : body_raise_pending(b);
	}
	return body_scalar(b, out);
}

static bool
is_instance(body *b, const body_value *v, const body_value *of, bool *known)
{
	const char *type = body_type(v);
	*known = true;
	if (of->kind == BODY_CLASS)
		return v->kind == BODY_EXCEPTION && body_is_a(v->name, of->name);
	for (uint32_t i = 0; of->kind == BODY_TUPLE && i < of->n && *known; i++)
		if (is_instance(b, v, of->item[i], known))
			return true;
	if (of->kind == BODY_TUPLE)
		return false;
	*known = of->kind == BODY_FUNCTION &&
		 body_has_word(
			 " str int float bool list tuple dict set ", of->name, strlen(of->name));
	if (!*known)
		return false;
	return strcmp(of->name, type) == 0 ||
	       (v->kind == BODY_RECORD && strcmp(of->name, "dict") == 0) ||
	       (strcmp(type, "bool") == 0 && strcmp(of->name, "int") == 0);
}

static body_value *
f_isinstance(body *b, const body_args *a)
{
	bool known, is = is_instance(b, a->v[0], a->v[1], &known);
	return known ? body_bool(b, is) : body_unable(b, "isinstance() with that class");
}

/* What is printed goes to the agent's log, which nobody sees here. */
static body_value *
f_print(body *b, const body_args *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		vt_value text = body_str(b, a->v[i]);
		if (text == VT_UNDEF)
			return NULL;
		vt_release(text);
	}
	return body_none(b);
}

/* ---- the table --------------------------------------------------------------------------- */

static const struct function {
	const char *name;
	body_value *(*fn)(body *, const body_args *);
	uint32_t least, most;
	bool named;
} functions[] = {
	{"abs", f_abs, 1, 1, false},
	{"all", f_all, 1, 1, false},
	{"any", f_any, 1, 1, false},
	{"bool", f_bool, 0, 1, false},
	{"dict", f_dict, 0, 1, true},
	{"enumerate", f_enumerate, 1, 2, false},
	{"float", f_float, 0, 1, false},
	{"int", f_int, 0, 2, false},
	{"isinstance", f_isinstance, 2, 2, false},
	{"len", f_len, 1, 1, false},
	{"list", f_list, 0, 1, false},
	{"max", f_max, 1, UINT32_MAX, false},
	{"min", f_min, 1, UINT32_MAX, false},
	{"print", f_print, 0, UINT32_MAX, false},
	{"range", f_range, 1, 3, false},
	{"repr", f_repr, 1, 1, false},
	{"reversed", f_reversed, 1, 1, false},
	{"round", f_round, 1, 2, false},
	{"set", f_set, 0, 1, false},
	{"sorted", f_sorted, 1, 1, true},
	{"str", f_str, 0, 1, false},
	{"sum", f_sum, 1, 2, false},
	{"tuple", f_tuple, 0, 1, false},
	{"zip", f_zip, 0, UINT32_MAX, false},
};

/* Names of Python that a body may use and that are not simulated. */
static const char others[] =
	" __import__ aiter anext ascii bin breakpoint bytearray bytes callable chr classmethod "
	"compile complex delattr dir divmod eval exec filter format frozenset getattr globals "
	"hasattr hash help hex id input issubclass iter locals map memoryview next object oct "
	"open ord pow property setattr slice staticmethod super type vars NotImplemented "
	"Ellipsis __name__ __builtins__ ";

/* A class and the one above it. */
static const char *const classes[][2] = {{"BaseException", NULL}, {"Exception", "BaseException"},
	{"ArithmeticError", "Exception"}, {"AssertionError", "Exception"},
	{"AttributeError", "Exception"}, {"CustomException", "Exception"},
	{"EOFError", "Exception"}, {"FileNotFoundError", "OSError"}, {"IOError", "OSError"},
	{"ImportError", "Exception"}, {"IndexError", "LookupError"}, {"KeyError", "LookupError"},
	{"LookupError", "Exception"}, {"MemoryError", "Exception"}, {"NameError", "Exception"},
	{"NotImplementedError", "RuntimeError"}, {"OSError", "Exception"},
	{"OverflowError", "ArithmeticError"}, {"RecursionError", "RuntimeError"},
	{"RuntimeError", "Exception"}, {"StopIteration", "Exception"}, {"SyntaxError", "Exception"},
	{"SystemError", "Exception"}, {"TypeError", "Exception"},
	{"UnboundLocalError", "NameError"}, {"UnicodeError", "ValueError"},
	{"ValueError", "Exception"}, {"ZeroDivisionError", "ArithmeticError"}};

bool
body_is_a(const char *type, const char *base)
{
	while (type != NULL && strcmp(type, base) != 0) {
		const char *up = NULL;
		for (size_t i = 0; i < VT_LEN(classes); i++)
			if (strcmp(classes[i][0], type) == 0)
				up = classes[i][1];
		type = up;
	}
	return type != NULL;
}

body_value *
body_builtin(body *b, const char *name)
{
	for (size_t i = 0; i < VT_LEN(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			return body_named(b, BODY_FUNCTION, functions[i].name);
	for (size_t i = 0; i < VT_LEN(classes); i++)
		if (strcmp(classes[i][0], name) == 0 && strcmp(name, "CustomException") != 0)
			return body_named(b, BODY_CLASS, classes[i][0]);
	return body_has_word(others, name, strlen(name)) ? body_unable(b, "'%s'", name) : NULL;
}

static body_value *
call_function(body *b, const char *name, const body_args *a)
{
	const struct function *f = functions;
	while (strcmp(f->name, name) != 0)
		f++;
	if (f->named && a->named != NULL) {
		body_args plain = {.v = a->v, .n = a->n};
		return body_arity(b, name, &plain, f->least, f->most) ? f->fn(b, a) : NULL;
	}
	return body_arity(b, name, a, f->least, f->most) ? f->fn(b, a) : NULL;
}

/* ---- calls ------------------------------------------------------------------------------- */

static body_value *
call_script(body *b, const char *name, const body_args *a)
{
	vt_value type =
		vt_dict_get_c(vt_as_dict(vt_dict_get_c(vt_as_dict(b->scripts), name)), "Type");
	bool shell = vt_is(type, STR) && strcmp(vt_as_str(type)->s, "Application") == 0;
	const char *first = shell ? "commandline" : "recipe_attributes";
	body_value *given = a->n > 0 ? a->v[0] : shell ? body_text(b, "", 0) : body_none(b);
	if (a->n > 2)
		return body_raise(b, "TypeError",
			"%sExecutor.run() takes from 2 to 4 positional arguments but %u were given",
			vt_as_str(type)->s, a->n + 2);
	for (uint32_t i = 0; a->named != NULL && i < a->named->n; i++) {
		const char *key = vt_as_str(a->named->key[i]->v)->s;
		uint32_t place = strcmp(key, first) == 0 ? 0 : strcmp(key, "input") == 0 ? 1 : 2;
		if (place < a->n)
			return body_raise(b, "TypeError",
				"%sExecutor.run() got multiple values for argument '%s'",
				vt_as_str(type)->s, key);
		if (place == 2)
			return body_raise(b, "TypeError",
				"%sExecutor.run() got an unexpected keyword argument '%s'",
				vt_as_str(type)->s, key);
		if (place == 0)
			given = a->named->item[i];
	}
	return b->call(b, b->ctx, name, given);
}

static body_value *
new_exception(body *b, const char *name, const body_args *a)
{
	body_value *e = body_named(b, BODY_EXCEPTION, name);
	e->code = 1;
	if (a->named != NULL)
		return body_raise(b, "TypeError", "%s() takes no keyword arguments", name);
	for (uint32_t i = 0; i < a->n; i++)
		if (!body_push(b, e, a->v[i]))
			return NULL;
	return e;
}

body_value *
body_call(body *b, body_value *callee, const body_args *a)
{
	switch (callee->kind) {
	case BODY_FUNCTION: return call_function(b, callee->name, a);
	case BODY_METHOD: return body_method(b, callee->name, callee->self, a);
	case BODY_SCRIPT: return call_script(b, callee->name, a);
	case BODY_CLASS: return new_exception(b, callee->name, a);
	case BODY_SCALAR:
	case BODY_LIST:
	case BODY_TUPLE:
	case BODY_SET:
	case BODY_VIEW:
	case BODY_DICT:
	case BODY_RECORD:
	case BODY_EXCEPTION: break;
	}
	return body_raise(b, "TypeError", "'%s' object is not callable",
		body_is_none(callee) ? "NoneType" : body_type(callee));
}

/*
 * operators.c - the operators that emitted code calls directly: arithmetic and comparison, `.name`,
 * `->`.
 *
 * Numbers and strings are done here; whatever else an operand is, the call site's overload
 * resolution decides (resolve.c), with both operands evaluated.
 *
 * The inline cache of `.name` holds either what vt_dict_get_ic put there, or, for objects, key =
 * the vt_class and aux = the slot: only when the calling code sees the property as declared (PR1),
 * never for a private or a static one.
 */
#include "runtime/call/call.h"
#include "runtime/call/resolve.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

#include <stdio.h>
#include <string.h>

/* ---- arithmetic and comparison --------------------------------------------------------------- */

static int64_t
floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;
	return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* False: out of range, or division by zero, which has its message elsewhere. */
static bool
small_ints(int op, int64_t a, int64_t b, vt_value *out)
{
	int64_t r;
	switch ((enum vt_binop)op) {
	case VT_OP_ADD: r = a + b; break;
	case VT_OP_SUB: r = a - b; break;
	case VT_OP_MUL:
		if (__builtin_mul_overflow(a, b, &r))
			return false;
		break;
	case VT_OP_DIV:
		if (b == 0)
			return false;
		r = floor_div(a, b);
		break;
	case VT_OP_MOD:
		if (b == 0)
			return false;
		r = a - floor_div(a, b) * b;
		break;
	case VT_OP_LT: *out = vt_mkbool(a < b); return true;
	case VT_OP_LE: *out = vt_mkbool(a <= b); return true;
	case VT_OP_GT: *out = vt_mkbool(a > b); return true;
	case VT_OP_GE: *out = vt_mkbool(a >= b); return true;
	default: return false;
	}
	if (r > VT_INT_MAX || r < VT_INT_MIN)
		return false;
	*out = vt_mkint(r);
	return true;
}

/* order is -1, 0, 1, or 2 when one of them is not a number and nothing holds. */
static vt_value
compared(int op, int order)
{
	switch ((enum vt_binop)op) {
	case VT_OP_LT: return vt_mkbool(order == -1);
	case VT_OP_LE: return vt_mkbool(order == -1 || order == 0);
	case VT_OP_GT: return vt_mkbool(order == 1);
	case VT_OP_GE: return vt_mkbool(order == 1 || order == 0);
	case VT_OP_ADD:
	case VT_OP_SUB:
	case VT_OP_MUL:
	case VT_OP_DIV:
	case VT_OP_MOD: break;
	}
	return VT_UNDEF;
}

/* The order of two texts, which most often differ in their first byte; behind the last one is 0. */
static __attribute__((noinline)) vt_value
text_order(int op, const vt_str *x, const vt_str *y)
{
	unsigned char a = (unsigned char)x->s[0], b = (unsigned char)y->s[0];
	int order = a != b ? a - b : vt_str_cmp(x, y);
	return vt_mkbool(op == VT_OP_LT   ? order < 0
			 : op == VT_OP_LE ? order <= 0
			 : op == VT_OP_GT ? order > 0
					  : order >= 0);
}

static inline bool
strings(vt_rt *rt, int op, vt_value a, vt_value b, vt_value *out)
{
	const vt_str *x = vt_as_str(a), *y = vt_as_str(b);
	if (op >= VT_OP_LT)
		*out = text_order(op, x, y);
	else if (op == VT_OP_ADD && (size_t)x->bytes + y->bytes <= INT32_MAX)
		*out = vt_str_concat(rt, x, y);
	else
		return false;
	return true;
}

static const char *const op_names[] = {
	"#operator_+",
	"#operator_-",
	"#operator_*",
	"#operator_/",
	"#operator_mod",
	"#operator_<",
	"#operator_<=",
	"#operator_>",
	"#operator_>=",
};

static __attribute__((noinline)) double
double_of(vt_value real)
{
	return vt_real_of(real);
}

/* Are they two floats, or one and an integer? */
static inline bool
doubles(vt_value a, vt_value b, double *x, double *y)
{
	if (vt_both_int(a, b) || !vt_is_real(a) || !vt_is_real(b))
		return false;
	*x = likely(vt_is_float_word(a)) ? vt_float_of_word(a) : double_of(a);
	*y = likely(vt_is_float_word(b)) ? vt_float_of_word(b) : double_of(b);
	return true;
}

/* Floats are compared as they are; an integer may be none that a double can be. */
static vt_value
float_order(int op, vt_value a, vt_value b)
{
	double x, y;
	if (!vt_is_float(a) || !vt_is_float(b))
		return VT_UNDEF;
	x = double_of(a);
	y = double_of(b);
	return vt_mkbool(op == VT_OP_LT   ? x < y
			 : op == VT_OP_LE ? x <= y
			 : op == VT_OP_GT ? x > y
					  : x >= y);
}

/* Sums, products and quotients of which one side is a float, and the order of two floats. */
static inline bool
floats(vt_rt *rt, int op, vt_value a, vt_value b, vt_value *out)
{
	double x, y;
	if (op >= VT_OP_LT) {
		*out = float_order(op, a, b);
		return *out != VT_UNDEF;
	}
	if (!doubles(a, b, &x, &y) || (op >= VT_OP_DIV && y == 0))
		return false;
	switch ((enum vt_binop)op) {
	case VT_OP_ADD: x += y; break;
	case VT_OP_SUB: x -= y; break;
	case VT_OP_MUL: x *= y; break;
	case VT_OP_DIV: x /= y; break;
	case VT_OP_MOD: x = vt_float_mod(x, y); break;
	case VT_OP_LT:
	case VT_OP_LE:
	case VT_OP_GT:
	case VT_OP_GE: break;
	}
	*out = vt_mkfloat(rt, x);
	return true;
}

/* Are they two lists that become one, where the site has found the library's function for that? */
static bool
joins(vt_rt *rt, const vt_site *site, vt_value a, vt_value b)
{
	const vt_ic *ic = cache_of(rt, site);
	return vt_is(a, TUPLE) && vt_is(b, TUPLE) && !vt_metered(rt) && ic != NULL &&
	       vt_found(ic, VT_IN_JOIN) &&
	       (uint64_t)vt_as_list(a)->n + vt_as_list(b)->n <= VT_MOST_ITEMS;
}

int
vt_list_with(
	vt_rt *rt, const vt_site *site, vt_value a, uint32_t n, const vt_value *v, vt_value *out)
{
	const vt_ic *ic = cache_of(rt, site);
	if (!vt_is(a, TUPLE) || !(vt_head_of(a)->flags & VT_F_FINAL) || vt_metered(rt) ||
		ic == NULL || !vt_found(ic, VT_IN_JOIN) ||
		(uint64_t)vt_as_list(a)->n + n > VT_MOST_ITEMS)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (!vt_final_now(v[i]))
			return 0;
	*out = vt_mkptr(vt_list_and(rt, vt_as_list(a), n, v));
	return 1;
}

/* Of numbers, for which the quick ways have no result. */
static __attribute__((noinline)) vt_status
numbers(vt_rt *rt, int op, const vt_site *site, vt_value a, vt_value b, vt_value *out)
{
	if (op >= VT_OP_LT) {
		*out = compared(op, vt_num_cmp(a, b));
		return VT_OK;
	}
	return vt_num_binary(rt, op, a, b, out) == VT_OK ? VT_OK : vt_placed(rt, site);
}

/* Of which one is large, or the result is. */
static __attribute__((noinline)) vt_status
integers(vt_rt *rt, int op, const vt_site *site, vt_value a, vt_value b, vt_value *out)
{
	return vt_big_few(rt, op, a, b, out) ? VT_OK : numbers(rt, op, site, a, b, out);
}

/* What is neither two small integers nor a float and a number, nor two texts. */
static __attribute__((noinline)) vt_status
others(vt_rt *rt, vt_scope *sc, int op, const vt_site *site, vt_value a, vt_value b, vt_value *out)
{
	vt_value argv[2] = {a, b};
	if (sc == NULL && site != NULL && op == VT_OP_MUL && vt_is(a, STR) &&
		vt_call_known(rt, site, argv, out))
		return VT_OK;
	if (vt_is_number(a) && vt_is_number(b))
		return numbers(rt, op, site, a, b, out);
	if (site == NULL)
		return vt_call_name(rt, sc, NULL, op_names[op], 2, argv, out);
	if (sc == NULL && vt_call_known(rt, site, argv, out))
		return VT_OK;
	return vt_call(rt, sc, site, VT_UNDEF, argv, out);
}

vt_status
vt_binary(
	vt_rt *rt, vt_scope *sc, int op, const vt_site *site, vt_value a, vt_value b, vt_value *out)
{
	if (vt_is(a, STR) && vt_is(b, STR) && strings(rt, op, a, b, out))
		return VT_OK;
	if (vt_is(a, TUPLE) && op == VT_OP_ADD && sc == NULL && site != NULL &&
		joins(rt, site, a, b)) {
		*out = vt_mkptr(vt_list_join(rt, vt_as_list(a), vt_as_list(b)));
		return VT_OK;
	}
	if (vt_is(a, TUPLE) || vt_is(a, STR))
		return others(rt, sc, op, site, a, b, out);
	if (vt_both_int(a, b) ? small_ints(op, vt_toint(a), vt_toint(b), out)
			      : floats(rt, op, a, b, out))
		return VT_OK;
	if (op < VT_OP_LT && vt_is_integer(a) && vt_is_integer(b))
		return integers(rt, op, site, a, b, out);
	return others(rt, sc, op, site, a, b, out);
}

vt_status
vt_add_all(vt_rt *rt, vt_scope *sc, uint32_t n, const vt_value *v, const vt_site *const *sites,
	vt_value *out)
{
	vt_value sum = vt_text_now(rt, v[0]), next = VT_UNDEF, with;
	vt_status st = VT_OK;
	for (uint32_t i = 1; i < n && st == VT_OK; i++) {
		with = vt_text_now(rt, v[i]);
		st = vt_binary(rt, sc, VT_OP_ADD, sites[i - 1], sum, with, &next);
		vt_release(with);
		vt_move(&sum, next);
		next = VT_UNDEF;
	}
	return vt_settle(st, sum, out);
}

vt_status
vt_add_on(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value sum, uint32_t n, const vt_value *v,
	vt_value *out)
{
	const vt_site *sites[VT_SUMMED];
	vt_value with = VT_UNDEF;
	vt_status st = VT_OK;
	bool first = sum == VT_UNDEF;
	for (uint32_t i = 0; first && i < n; i++)
		sites[i] = site;
	if (first && !vt_concat(rt, n - 1, v, &sum))
		st = vt_add_all(rt, sc, n - 1, v, sites, &sum);
	if (st == VT_OK) {
		with = vt_text_now(rt, v[n - 1]);
		st = vt_binary(rt, sc, VT_OP_ADD, site, sum, with, out);
	}
	vt_release(with);
	if (first)
		vt_release(sum);
	return st;
}

enum { FEW_PAIRS = 16 };

/* By the row that the site has found, for a dict of those pairs that lies on the stack: it makes a
 * dict of its own. */
static bool
add_pairs(vt_rt *rt, const vt_site *site, vt_shape *shape, vt_value a, uint32_t n,
	const vt_value *pairs, vt_value *out)
{
	struct {
		vt_dict d;
		vt_value v[FEW_PAIRS];
	} b;
	bool final = true;
	for (uint32_t i = 0; i < n; i++) {
		b.v[i] = pairs[2 * i + 1];
		final = final && vt_final_now(b.v[i]);
	}
	b.d.h = (vt_head){VT_ON_STACK, VT_K_DICT, VT_F_FROZEN | (final ? VT_F_FINAL : 0), 0};
	b.d.shape = shape;
	b.d.n = b.d.cap = n;
	b.d.v = b.v;
	return final && vt_call_known(rt, site, (vt_value[]){a, vt_mkptr(&b.d)}, out);
}

/* By a dict of those pairs. */
static __attribute__((noinline)) vt_status
add_made_record(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_ic *ic, vt_value a, uint32_t n,
	const vt_value *pairs, vt_value *out)
{
	vt_value b = VT_UNDEF;
	vt_status st;
	VT_TRY(vt_record_of(rt, ic, n, pairs, &b));
	st = vt_binary(rt, sc, VT_OP_ADD, site, a, b, out);
	vt_release(b);
	return st;
}

vt_status
vt_add_record(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_ic *ic, vt_value a, uint32_t n,
	const vt_value *pairs, vt_value *out)
{
	if (likely(ic->key != NULL && sc == NULL && n <= FEW_PAIRS && vt_is(a, DICT)) &&
		add_pairs(rt, site, (vt_shape *)(uintptr_t)ic->key, a, n, pairs, out))
		return VT_OK;
	return add_made_record(rt, sc, site, ic, a, n, pairs, out);
}

vt_status
vt_binary_heap(
	vt_rt *rt, vt_scope *sc, int op, const vt_site *site, vt_value a, vt_value b, vt_value *out)
{
	vt_value kept = vt_heap_of(rt, b);
	vt_status st = vt_binary(rt, sc, op, site, a, kept, out);

	vt_release(kept);
	return st;
}

static vt_value
step_constant(const vt_lambda_step *x)
{
	return x->heap != NULL ? vt_mkptr(x->heap) : x->k;
}

/* The operand in that register: an argument or a constant. */
static inline vt_value
operand(const vt_lambda_step *x, vt_scope *sc, const vt_value *args)
{
	if (x->op == VT_STEP_CONST)
		return step_constant(x);
	return args != NULL ? args[x->a] : vt_scope_arg(sc, x->a + 1u);
}

static vt_status
run_operator(vt_rt *rt, const vt_code *code, vt_scope *sc, const vt_value *args, vt_value *out)
{
	const vt_lambda_step *t = code->program->t, *x = &t[code->program->out[0]];
	vt_value a = operand(&t[x->a], sc, args);
	vt_value b = x->b == VT_STEP_K ? step_constant(x) : operand(&t[x->b], sc, args);

	if (x->op >= VT_STEP_EQ) {
		*out = vt_mkbool(vt_equal_fast(rt, a, b) == (x->op == VT_STEP_EQ));
		return VT_OK;
	}
	_Static_assert(VT_STEP_GE - VT_STEP_ADD == VT_OP_GE - VT_OP_ADD, "in one order");
	return vt_binary(rt, sc, x->op - VT_STEP_ADD + VT_OP_ADD, x->by, a, b, out);
}

const vt_body vt_operator_body = {run_operator};

/* A tuple that nothing but its variable holds. One that has become too long is refused by the long
 * way. */
static bool
grows(vt_value var)
{
	return vt_is(var, TUPLE) && vt_head_of(var)->rc == 1 &&
	       (vt_head_of(var)->flags & VT_F_FINAL) && vt_as_list(var)->n < VT_MOST_ITEMS;
}

/* A list that somebody else holds too, or a constant one, becomes one with room for more: where it
 * begins to grow it will go on. */
static __attribute__((noinline)) bool
grows_from_now(vt_rt *rt, const vt_site *site, vt_value *var)
{
	const vt_ic *ic;
	if (!vt_is(*var, TUPLE) || !(vt_head_of(*var)->flags & VT_F_FINAL) ||
		vt_as_list(*var)->n >= VT_MOST_ITEMS || (ic = cache_of(rt, site)) == NULL ||
		!vt_found(ic, VT_IN_JOIN))
		return false;
	vt_move(var, vt_mkptr(vt_list_to_grow(rt, vt_as_list(*var), VT_LIST_ROOM)));
	return true;
}

/* There is no room yet. */
static __attribute__((noinline)) int
push_with_room(vt_rt *rt, const vt_site *site, vt_value *var, vt_value item)
{
	if (item == *var || (!grows(*var) && !grows_from_now(rt, site, var)))
		return 0;
	vt_list_push(rt, vt_as_list(*var), vt_copy(item));
	return 1;
}

int
vt_push_in_place(vt_rt *rt, const vt_site *site, vt_value *var, vt_value item)
{
	vt_list *l = vt_as_list(*var);
	if (!vt_final_now(item) || vt_metered(rt))
		return 0;
	if (unlikely(!grows(*var) || l->n >= l->cap || item == *var))
		return push_with_room(rt, site, var, item);
	vt_note_item(l, item);
	l->v[l->n++] = vt_copy(item);
	return 1;
}

/* Does it become a tuple of its items when it is evaluated? */
static bool
is_walked(vt_value v)
{
	return vt_is_sequence(v) || vt_is(v, ITER) || vt_is(v, ORDERING) || vt_is(v, MEMO) ||
	       (vt_is(v, VIEW) && !vt_is_set_like(v));
}

static vt_status
sum_to_var(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value *var, vt_value a, vt_value b)
{
	vt_value sum = VT_UNDEF, plain = VT_UNDEF;
	vt_status st = vt_binary(rt, sc, VT_OP_ADD, site, a, b, &sum);
	if (st != VT_OK)
		return st;
	st = vt_final_fast(rt, site->unit, sum, &plain);
	vt_release(sum);
	if (st == VT_OK)
		vt_move(var, plain);
	return st;
}

static inline bool
add_float(vt_rt *rt, vt_value *var, vt_value b)
{
	double x, y;
	if (!doubles(*var, b, &x, &y))
		return false;
	vt_move(var, vt_mkfloat(rt, x + y));
	return true;
}

/* What walks is evaluated first, as it would be behind the list; then it goes to the end of the
 * list, if nobody has taken or assigned that in between. */
static vt_status
add_walked(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value *var, vt_value b)
{
	vt_value items = VT_UNDEF, old = vt_copy(*var);
	vt_status st = vt_final(rt, site->unit, b, &items);
	if (st == VT_OK && *var == old && vt_head_of(old)->rc == 2 && vt_is(items, TUPLE))
		vt_list_add_final(rt, vt_as_list(old), vt_as_list(items));
	else if (st == VT_OK)
		st = sum_to_var(rt, sc, site, var, old, items);
	vt_release(items);
	vt_release(old);
	return st;
}

static vt_status
add_slowly(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value *var, vt_value b)
{
	bool limited = vt_metered(rt) || site->unit->opt.limit_iterators >= 0;
	vt_value old;
	vt_status st;
	b = vt_heap_of(rt, b);
	if (grows(*var) && is_walked(b) && !limited) {
		st = add_walked(rt, sc, site, var, b);
	} else {
		/* another task may assign it meanwhile */
		old = *var == VT_UNDEF ? VT_NULL : vt_copy(*var);
		st = sum_to_var(rt, sc, site, var, old, b);
		vt_release(old);
	}
	vt_release(b);
	return st;
}

static vt_status
add_later(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value *var, vt_value b)
{
	vt_value text;
	vt_status st;
	if (vt_add_texts(rt, var, 1, &b))
		return VT_OK;
	text = vt_text_now(rt, b);
	st = vt_add_var(rt, sc, site, var, text);
	vt_release(text);
	return st;
}

static __attribute__((noinline)) vt_status
add_others(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value *var, vt_value b)
{
	vt_value sum = VT_UNDEF;
	if (vt_add_fast(*var, b, var) || add_float(rt, var, b))
		return VT_OK;
	if (unlikely(vt_is_later(b)))
		return add_later(rt, sc, site, var, b);
	if (vt_is(*var, STR) && vt_is(b, STR) && strings(rt, VT_OP_ADD, *var, b, &sum)) {
		vt_move(var, sum);
		return VT_OK;
	}
	if (vt_is_sequence(b) && b != *var && vt_has_final_items(b) &&
		(grows(*var) || ((vt_is(b, TUPLE) || site->unit->opt.limit_iterators < 0) &&
					!vt_metered(rt) && grows_from_now(rt, site, var)))) {
		vt_list_add_final(rt, vt_as_list(*var), vt_as_list(b));
		return VT_OK;
	}
	if ((vt_is(*var, DICT) || vt_is(*var, SET)) &&
		vt_update(rt, sc, site, VT_UNDEF, *var, 1, (vt_value[]){*var, b}))
		return VT_OK;
	return add_slowly(rt, sc, site, var, b);
}

vt_status
vt_add_var(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value *var, vt_value b)
{
	if (vt_is(*var, STR) && vt_is(b, STR) && vt_str_append(rt, var, vt_as_str(b)))
		return VT_OK;
	return add_others(rt, sc, site, var, b);
}

vt_status
vt_add_made(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value b, vt_value *out)
{
	vt_value a = *out;
	vt_status st;
	bool lists;
	if (vt_is(a, STR) && vt_is(b, STR) && strings(rt, VT_OP_ADD, a, b, out)) {
		vt_release(a);
		return VT_OK;
	}
	if (!vt_is(a, TUPLE) && add_float(rt, out, b))
		return VT_OK;
	lists = joins(rt, site, a, b);
	if (lists && grows(a) && vt_has_final_items(b)) {
		vt_list_add_final(rt, vt_as_list(a), vt_as_list(b));
		return VT_OK;
	}
	if (lists && vt_as_list(a)->n == 0 && vt_has_final_items(b)) {
		/* `d.get(k, []) + [x]` goes on to grow, in its dict */
		*out = vt_mkptr(vt_list_to_grow(rt, vt_as_list(a), vt_as_list(b)->n + 3));
		vt_list_add_final(rt, vt_as_list(*out), vt_as_list(b));
		vt_release(a);
		return VT_OK;
	}
	if (lists) {
		*out = vt_mkptr(vt_list_join(rt, vt_as_list(a), vt_as_list(b)));
		vt_release(a);
		return VT_OK;
	}
	*out = VT_UNDEF;
	st = vt_binary_heap(rt, sc, VT_OP_ADD, site, a, b, out);
	vt_release(a);
	return st;
}

uint32_t
vt_set_size(vt_value set)
{
	return vt_set_len(vt_as_set(set));
}

int
vt_in_set(vt_value set, vt_value item, vt_value *out)
{
	if (!vt_hashable(item))
		return 0;
	*out = vt_mkbool(vt_set_has(vt_as_set(set), item));
	return 1;
}

int
vt_in_keys(const vt_ic *keys, const vt_ic *in, vt_value d, vt_value item, vt_value *out)
{
	if (!vt_found(keys, VT_IN_KEYS) || !vt_found(in, VT_IN_IN) || !vt_is(d, DICT) ||
		(!vt_is_int(item) && !vt_is(item, STR)))
		return 0;
	*out = vt_mkbool(vt_dict_get(vt_as_dict(d), item) != VT_UNDEF);
	return 1;
}

int
vt_names_of(vt_rt *rt, const vt_ic *keys, vt_value d, vt_value *out)
{
	if (!vt_found(keys, VT_IN_KEYS) || !vt_is(d, DICT) || vt_as_dict(d)->shape == NULL ||
		vt_metered(rt))
		return 0;
	*out = vt_shape_names(vt_as_dict(d)->shape);
	return 1;
}

int
vt_values_of(vt_rt *rt, const vt_ic *values, vt_value d, vt_value *out)
{
	vt_value key, v;
	vt_list *l;
	if (!vt_found(values, VT_IN_KEYS) || !vt_is(d, DICT) || vt_metered(rt) ||
		!(vt_head_of(d)->flags & VT_F_FINAL))
		return 0;
	l = vt_list_grow(rt, VT_K_TUPLE, vt_dict_len(vt_as_dict(d)));
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(d), &i, &key, &v);)
		l->v[l->n++] = vt_copy(v);
	l->h.flags |= VT_F_FINAL;
	*out = vt_mkptr(l);
	return 1;
}

vt_status
vt_yaql_less(vt_rt *rt, vt_scope *sc, const vt_unit *unit, vt_value a, vt_value b, bool *out)
{
	vt_value argv[2] = {a, b}, r = VT_UNDEF;
	if (vt_is_number(a) && vt_is_number(b)) {
		*out = vt_num_cmp(a, b) == -1;
		return VT_OK;
	}
	if (vt_is(a, STR) && vt_is(b, STR)) {
		*out = vt_str_cmp(vt_as_str(a), vt_as_str(b)) < 0;
		return VT_OK;
	}
	VT_TRY(vt_call_name(rt, sc, unit, "#operator_<", 2, argv, &r));
	*out = vt_truth(r);
	vt_release(r);
	return VT_OK;
}

/* ---- -> -------------------------------------------------------------------------------------- */

vt_status
vt_with_context(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value left, const vt_code *code,
	vt_value *out)
{
	if (!vt_is(left, SCOPE)) {
		(void)vt_raise(rt, VT_E_NO_MATCHING_FUNCTION,
			"No function \"#operator_->\" matches supplied arguments");
		return vt_placed(rt, site);
	}
	return vt_code_run(rt, code, VT_AS(vt_scope, left), out);
}

/*
 * batch_call.c - steps of lambda programs that call functions of the library, item by item, and
 * those that choose, look up or put together.
 *
 * A call changes nothing, for its operands are data: what could be used up is left to the code.
 * What fails has not happened.
 */
#include "runtime/seq/word.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

enum { LOOKED_AT = 64 };

/* What the flag does not say, as of what split() and toDict() give: it is looked for, as long as
 * *budget lasts. */
static bool
holds_data(vt_value v, uint32_t *budget)
{
	const vt_list *l = vt_as_list(v);
	vt_value key, value;
	uint32_t pos = 0;

	if (vt_is_final(v))
		return true;
	if (vt_is(v, DICT)) {
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &value))
			if (*budget == 0 || (--*budget, !vt_is_final(key)) ||
				!holds_data(value, budget))
				return false;
		return true;
	}
	if (!vt_is_sequence(v))
		return false;
	for (uint32_t i = 0; i < l->n; i++)
		if (*budget == 0 || (--*budget, !holds_data(l->v[i], budget)))
			return false;
	return true;
}

static __attribute__((noinline)) bool
is_found_to_be_data(vt_value v)
{
	uint32_t budget = LOOKED_AT;

	return holds_data(v, &budget);
}

bool
vt_is_data(vt_value v, bool fresh)
{
	if (!vt_is_ptr(v))
		return v != VT_UNDEF;
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_FLOAT:
	case VT_K_BIGINT:
	case VT_K_STR:
	case VT_K_REGEX:
	case VT_K_DATETIME:
	case VT_K_TIMESPAN: return true;
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_DICT: return fresh || vt_is_final(v) || is_found_to_be_data(v);
	case VT_K_SET: return fresh || (vt_head_of(v)->flags & VT_F_FINAL) != 0;
	case VT_K_VIEW: return fresh || vt_is_data(VT_AS(vt_view_obj, v)->dict, false);
	case VT_K_ITER:
	case VT_K_ORDERING: return fresh;
	case VT_K_MEMO:
	case VT_K_LAMBDA:
	case VT_K_SCOPE:
	case VT_K_MAPPING:
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF:
	case VT_K_REFLECT:
	case VT_K_EXC:
	case VT_K_HOST:
	case VT_K_COUNT: break;
	}
	return false;
}

enum { TRIES = 4 };

/* What was raised belongs to the code, which raises it again. */
static bool
done(vt_batch *s, vt_status st)
{
	if (st == VT_OK)
		return true;
	vt_exc_clear(s->rt);
	return false;
}

static vt_value
constant_of(const vt_arg *a)
{
	return a->value != NULL ? vt_mkptr(a->value) : a->imm;
}

bool
vt_batch_ask(vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_value *out)
{
	const vt_site *site = t->by;
	bool method = site->kind == VT_SITE_METHOD, first = t->n == 0 && !method;
	vt_value recv = VT_UNDEF, argv[16];

	if (site->nargs > VT_LEN(argv))
		return false;
	if (method && (recv = vt_batch_operand(s, t->a, i)) == VT_UNDEF)
		return false;
	for (uint32_t k = 0; k < site->nargs; k++) {
		uint8_t r = first && k == 0 ? t->a : k < t->n ? t->args[k] : VT_STEP_K;
		argv[k] = VT_UNDEF;
		if (r != VT_STEP_K && (argv[k] = vt_batch_operand(s, r, i)) == VT_UNDEF)
			return false;
	}
	*out = VT_UNDEF;
	return done(s, s->rt->s->calls->call(s->rt, s->scope, site, recv, argv, out));
}

static const int operators[] = {[VT_STEP_ADD] = VT_OP_ADD,
	[VT_STEP_SUB] = VT_OP_SUB,
	[VT_STEP_MUL] = VT_OP_MUL,
	[VT_STEP_DIV] = VT_OP_DIV,
	[VT_STEP_MOD] = VT_OP_MOD,
	[VT_STEP_LT] = VT_OP_LT,
	[VT_STEP_LE] = VT_OP_LE,
	[VT_STEP_GT] = VT_OP_GT,
	[VT_STEP_GE] = VT_OP_GE};

/* An operator that is a call of a row: what it found for the first items is used for the others. */
static vt_status
ask_operator(vt_batch *s, const vt_lambda_step *t, vt_repeated_call *c, vt_value x, vt_value y,
	vt_value *out)
{
	vt_value argv[2] = {x, y};
	bool row = t->by != NULL && vt_is_ptr(x) && vt_head_of(x)->kind > VT_K_STR;
	vt_status st;

	if (row && c->is_ready && (vt_tag_of(x) << VT_TAG_BITS | vt_tag_of(y)) == c->call.tags) {
		c->call.v[0] = x;
		c->call.v[1] = y;
		return c->call.args.row->fn(&c->call.args, out);
	}
	st = s->rt->s->calls->binary(s->rt, s->scope, operators[t->op], t->by, x, y, out);
	if (row && st == VT_OK && c->tries++ < TRIES)
		c->is_ready =
			s->rt->s->calls->ready(s->rt, s->scope, t->by, VT_UNDEF, argv, &c->call);
	return st;
}

/* The sum of two tuples that a fold does not change: what the call would give. */
static bool
joins(const vt_batch *s, const vt_lambda_step *t, vt_value x, vt_value y)
{
	return t->op == VT_STEP_ADD && vt_is(x, TUPLE) && vt_is(y, TUPLE) && vt_is_final(x) &&
	       vt_is_final(y) && s->rt->s->spare != x &&
	       (uint64_t)vt_as_list(x)->n + vt_as_list(y)->n <= VT_MOST_ITEMS;
}

bool
vt_batch_binary(vt_batch *s, const vt_lambda_step *t, uint32_t r, vt_repeated_call *c, vt_value x,
	vt_value y, vt_value *out)
{
	bool good;

	*out = VT_UNDEF;
	if (joins(s, t, x, y)) {
		vt_batch_own(s, r);
		*out = vt_mkptr(vt_list_join(s->rt, vt_as_list(x), vt_as_list(y)));
		return true;
	}
	if (!vt_is_data(x, vt_batch_owns(s, t->a)) ||
		!vt_is_data(y, t->b == VT_STEP_K || vt_batch_owns(s, t->b)))
		return false;
	vt_batch_own(s, r);
	vt_retain(x);
	vt_retain(y);
	good = done(s, ask_operator(s, t, c, x, y, out));
	vt_release(x);
	vt_release(y);
	if (good && t->flags & VT_STEP_SHARED && vt_is(*out, ITER)) {
		vt_clear(out);
		return false;
	}
	return good;
}

/* An item that the step is not done for: nothing stands there where that does not matter. */
static bool
leave_open(const vt_lambda_step *t, vt_value *v)
{
	*v = VT_UNDEF;
	return (t->flags & VT_STEP_SOFT) != 0;
}

/* An argument that is a register or a constant of the site. */
static vt_value
argument(const vt_batch *s, const vt_lambda_step *t, uint32_t k, uint32_t i)
{
	const vt_site *site = t->by;

	if (k >= t->n)
		return VT_NULL;
	return t->args[k] == VT_STEP_K ? constant_of(&site->args[k])
				       : vt_batch_from(s, t->args[k])[i];
}

/* Many keys of one dict. */
static void
warm_keys(vt_batch *s, const vt_value *from, uint8_t r)
{
	const vt_value *key = r != VT_STEP_K ? vt_batch_from(s, r) : NULL;

	if (from != NULL && key != NULL && s->n > 1 && from[0] == from[s->n - 1] &&
		from[0] != VT_UNDEF && vt_is(from[0], DICT))
		vt_dict_warm(vt_as_dict(from[0]), s->n, key);
}

static vt_value
view_of(vt_batch *s, vt_value dict, uint16_t what)
{
	vt_view_obj *v = vt_heap_take(s->rt->s->heap, sizeof *v, VT_K_VIEW, 0);

	v->h.aux = what;
	v->dict = vt_copy(dict);
	return vt_mkptr(v);
}

/* of[key], where it is there. */
static bool
item_at(vt_value of, vt_value key, vt_value *out)
{
	vt_value v = VT_UNDEF;

	if (of == VT_UNDEF || key == VT_UNDEF || !vt_is_ptr(of))
		return false;
	if (vt_is(of, DICT) && (vt_is(key, STR) || vt_is_int(key)))
		v = vt_dict_get(vt_as_dict(of), key);
	else if (vt_is_sequence(of) && vt_is_int(key) && vt_toint(key) >= 0 &&
		 vt_toint(key) < vt_as_list(of)->n)
		v = vt_as_list(of)->v[vt_toint(key)];
	*out = vt_copy(v);
	return v != VT_UNDEF;
}

/* Items of lists, from the first one on, borrowed; how many that was for.  Where it is not for all
 * they are counted after all. */
static uint32_t
items_at(const vt_batch *s, const vt_lambda_step *t, vt_value *v)
{
	const vt_value *of = vt_batch_from(s, t->args[0]);
	const vt_value *key = t->args[1] != VT_STEP_K ? vt_batch_from(s, t->args[1]) : NULL;
	const bool soft = (t->flags & VT_STEP_SOFT) != 0;
	uint32_t i = 0;

	if (of == NULL || key == NULL || s->at != 0)
		return 0;
	for (; i < s->n; i++) {
		if (soft && !vt_step_counts(s, t, i)) {
			v[i] = VT_UNDEF;
			continue;
		}
		if (!vt_is_int(key[i]) || of[i] == VT_UNDEF || !vt_is_sequence(of[i]) ||
			(uint64_t)vt_toint(key[i]) >= vt_as_list(of[i])->n)
			break;
		v[i] = vt_as_list(of[i])->v[vt_toint(key[i])];
	}
	for (uint32_t k = 0; i < s->n && k < i; k++)
		v[k] = vt_copy(v[k]);
	return i;
}

static uint32_t
place_of_text(const vt_list *l, const vt_str *x)
{
	uint32_t i;

	for (i = 0; i < l->n; i++) {
		vt_value v = l->v[i];
		if (v == vt_mkptr(x))
			break;
		if (!vt_is_ptr(v))
			continue;
		if (vt_head_of(v)->kind != VT_K_STR)
			if (vt_same(v, vt_mkptr(x)))
				break;
		if (vt_head_of(v)->kind == VT_K_STR && vt_as_str(v)->bytes == x->bytes &&
			memcmp(vt_as_str(v)->s, x->s, x->bytes) == 0)
			break;
	}
	return i;
}

static uint32_t
place_of(const vt_list *l, vt_value x)
{
	uint32_t i;

	for (i = 0; i < l->n; i++)
		if (l->v[i] == x || vt_same(l->v[i], x))
			break;
	return i;
}

/* The position of what is equal; the list's length: there is none. */
static uint32_t
position_of(vt_rt *rt, const vt_list *l, vt_value x)
{
	const vt_lookup *index = vt_lookup_of(rt, l, NULL, false);
	uint32_t at;

	if (index != NULL && vt_lookup_first(index, x, &at))
		return at < l->n ? at : l->n;
	return vt_is(x, STR) ? place_of_text(l, vt_as_str(x)) : place_of(l, x);
}

static bool
is_compared(vt_value x)
{
	return x != VT_UNDEF && (!vt_is_ptr(x) || vt_head_of(x)->kind <= VT_K_STR);
}

/* A tuple of such values. */
static bool
is_plain_tuple(vt_value x)
{
	const vt_list *l = vt_as_list(x);
	uint32_t i = 0;

	if (x == VT_UNDEF || !vt_is(x, TUPLE))
		return false;
	while (i < l->n && is_compared(l->v[i]))
		i++;
	return i == l->n;
}

/* contains() and indexOf() of a list, contains() of a set: no call, so they may be any. */
static inline bool
looked_for(vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_value *out)
{
	const vt_value *from = vt_batch_from(s, t->a);
	vt_value of = from != NULL ? from[i] : VT_UNDEF, x = argument(s, t, 0, i);
	uint32_t at;

	if (of != VT_UNDEF && vt_is(of, SET) && t->c == VT_CALL_HAS &&
		(is_compared(x) || is_plain_tuple(x))) {
		*out = vt_mkbool(vt_set_has(vt_as_set(of), x));
		return true;
	}
	if (of == VT_UNDEF || !vt_is_sequence(of) || !is_compared(x))
		return false;
	at = position_of(s->rt, vt_as_list(of), x);
	if (t->c == VT_CALL_HAS)
		*out = vt_mkbool(at < vt_as_list(of)->n);
	else
		*out = vt_mkint(at < vt_as_list(of)->n ? (int64_t)at : -1);
	return true;
}

/* Where dicts have a key that is written: their shapes are few, and seldom come to lie at one
 * place. */
enum { SHAPE_BITS = 4, SHAPES = 1 << SHAPE_BITS };
typedef struct places {
	const vt_str *key; /* NULL: each item has its own */
	const vt_shape *shape[SHAPES];
	int slot[SHAPES];
} places;

static void
open_places(places *p, const vt_lambda_step *t)
{
	const vt_site *site = t->by;
	vt_value key = t->n > 0 && t->args[0] == VT_STEP_K ? constant_of(&site->args[0]) : VT_UNDEF;

	p->key = key != VT_UNDEF && vt_is(key, STR) ? vt_as_str(key) : NULL;
	for (uint32_t i = 0; i < SHAPES; i++)
		p->shape[i] = NULL;
}

static inline vt_value
member_at(places *p, const vt_dict *d, const vt_str *key)
{
	uint64_t mixed = (uint64_t)(uintptr_t)d->shape * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(mixed >> (64 - SHAPE_BITS));

	if (d->shape == NULL || key != p->key)
		return vt_dict_get_str(d, key);
	if (unlikely(p->shape[at] != d->shape)) {
		p->shape[at] = d->shape;
		p->slot[at] = vt_shape_find(d->shape, key);
	}
	return p->slot[at] < 0 ? VT_UNDEF : d->v[p->slot[at]];
}

/* containsKey(): nothing is called, so the dict may be any. */
static bool
has_key(vt_batch *s, const vt_lambda_step *t, places *p, uint32_t i, vt_value *out)
{
	const vt_value *from = vt_batch_from(s, t->a);
	vt_value of = from != NULL ? from[i] : VT_UNDEF, key = argument(s, t, 0, i), found;

	if (of == VT_UNDEF || !vt_is(of, DICT) || key == VT_UNDEF)
		return false;
	if (vt_is(key, STR))
		found = member_at(p, vt_as_dict(of), vt_as_str(key));
	else if (vt_is_int(key) || key == VT_NULL)
		found = vt_dict_get(vt_as_dict(of), key);
	else
		return false;
	*out = vt_mkbool(found != VT_UNDEF);
	return true;
}

/* The text with its characters in the other order. */
static bool
turned(vt_batch *s, vt_value of, vt_value *out)
{
	if (of == VT_UNDEF || !vt_is(of, STR))
		return false;
	*out = vt_text_turned(s->rt, vt_as_str(of));
	return true;
}

/* How many pieces split() makes; another split() than that by an expression is made for it. */
static bool
pieces(vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_value *out)
{
	vt_value of = vt_batch_operand(s, t->a, i), by = argument(s, t, 0, i), re;
	int64_t n = -1;

	if (of == VT_UNDEF || by == VT_UNDEF)
		return false;
	re = vt_is(of, REGEX) ? of : by;
	if (vt_is(re, REGEX) && vt_is(re == of ? by : of, STR)) {
		n = vt_regex_pieces(s->rt, VT_AS(vt_regex, re), vt_as_str(re == of ? by : of));
	} else {
		vt_value made = VT_UNDEF;
		if (!vt_batch_ask(s, t, i, &made))
			return false;
		if (vt_is_sequence(made))
			n = vt_as_list(made)->n;
		vt_release(made);
	}
	*out = vt_mkint(n);
	return n >= 0;
}

/* What needs no call; false: it has to be made. */
static inline bool
known_call(vt_batch *s, const vt_lambda_step *t, places *p, uint32_t i, vt_value *out)
{
	if (t->c == VT_CALL_KEY)
		return has_key(s, t, p, i, out);
	if (t->c == VT_CALL_HAS || t->c == VT_CALL_PLACE)
		return looked_for(s, t, i, out);
	if (t->c == VT_CALL_AT)
		return item_at(argument(s, t, 0, i), argument(s, t, 1, i), out);
	if (t->c == VT_CALL_PIECES)
		return pieces(s, t, i, out);
	if (t->c == VT_CALL_TURNED)
		return turned(s, vt_batch_operand(s, t->a, i), out);

	vt_value of = t->c <= VT_CALL_ITEMS ? vt_batch_operand(s, t->a, i) : VT_UNDEF;

	if (of == VT_UNDEF || !vt_is(of, DICT))
		return false;
	*out = view_of(s, of,
		t->c == VT_CALL_KEYS     ? VT_VIEW_KEYS
		: t->c == VT_CALL_VALUES ? VT_VIEW_VALUES
					 : VT_VIEW_ITEMS);
	return true;
}

/* The call was made for the i-th item; the next ones may be of its kinds. */
static void
make_ready(vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_repeated_call *c)
{
	const vt_site *site = t->by;
	bool method = site->kind == VT_SITE_METHOD, first = t->n == 0 && !method, ready;
	vt_value argv[16];

	if (c->tries++ >= TRIES || site->nargs > VT_LEN(argv))
		return;
	for (uint32_t k = 0; k < site->nargs; k++)
		if (site->args[k].code != NULL && k < t->n && t->args[k] == VT_STEP_K)
			return; /* a lambda */
	for (uint32_t k = 0; k < site->nargs; k++) {
		uint8_t r = first && k == 0 ? t->a : k < t->n ? t->args[k] : VT_STEP_K;
		argv[k] = r != VT_STEP_K ? vt_batch_from(s, r)[i] : VT_UNDEF;
		if (k + method < VT_LEN(c->r))
			c->r[k + method] = r;
	}
	if (method)
		c->r[0] = t->a;
	ready = s->rt->s->calls->ready(s->rt, s->scope, site,
		method ? vt_batch_from(s, t->a)[i] : VT_UNDEF, argv,
		c->is_ready ? &c->other : &c->call);
	if (c->is_ready)
		c->has_other = ready;
	else
		c->is_ready = ready;
}

static inline bool
has_tags(const vt_ready_call *c)
{
	uint64_t tags = 0;

	for (uint32_t k = 0; k < c->n; k++)
		tags = tags << VT_TAG_BITS | vt_tag_of(c->v[k]);
	return tags == c->tags;
}

/* NOT_FOR: the values are of other kinds.  What has RAISED is not called again: it may have used up
 * an iterator. */
enum called { NOT_FOR, CALLED, RAISED };

static inline enum called
call_again(vt_batch *s, const uint8_t *r, vt_ready_call *c, uint32_t i, vt_value *out)
{
	for (uint32_t k = 0; k < c->n; k++)
		if (r[k] != VT_STEP_K && (c->v[k] = vt_batch_operand(s, r[k], i)) == VT_UNDEF)
			return NOT_FOR;
	if (c->quick != NULL && (*out = c->quick(s->rt, c->v)) != VT_UNDEF)
		return CALLED;
	if (!has_tags(c))
		return NOT_FOR;
	*out = VT_UNDEF;
	return done(s, c->args.row->fn(&c->args, out)) ? CALLED : RAISED;
}

/* The call that the first items have found, for those from the i-th on; where it is for them no
 * more. */
static uint32_t
call_on(vt_batch *s, const vt_lambda_step *t, vt_repeated_call *c, uint32_t i, vt_value *v,
	enum called *last)
{
	*last = NOT_FOR;
	if (!c->is_ready || c->has_other || t->c < VT_CALL_MAX || t->guard != VT_STEP_K)
		return i;
	while (i < s->n && (*last = call_again(s, c->r, &c->call, i, &v[i])) == CALLED)
		i++;
	return i;
}

static bool
call_once(vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_repeated_call *c, vt_value *out)
{
	enum called how = c->is_ready ? call_again(s, c->r, &c->call, i, out) : NOT_FOR;

	if (how == NOT_FOR && c->has_other)
		how = call_again(s, c->r, &c->other, i, out);
	if (how != NOT_FOR)
		return how == CALLED;
	if (!vt_batch_ask(s, t, i, out))
		return false;
	if (i + 1 < s->n || s->kept != NULL)
		make_ready(s, t, i, c);
	return true;
}

vt_repeated_call *
vt_batch_repeated(vt_batch *s, uint32_t r, vt_repeated_call *own)
{
	vt_repeated_call *c = s->kept != NULL ? s->kept[r] : own;

	if (c == NULL)
		c = s->kept[r] = vt_xmalloc(sizeof *c);
	else if (s->kept != NULL)
		return c;
	c->is_ready = c->has_other = false;
	c->tries = 0;
	return c;
}

static bool
is_constant(const vt_batch *s, uint8_t r)
{
	return r == VT_STEP_K || s->program->t[r].op == VT_STEP_CONST;
}

/* Is nothing of the call the item's own?  A lambda is, for what it sees may not be. */
static bool
is_same_call(const vt_batch *s, const vt_lambda_step *t)
{
	const vt_site *site = t->by;
	bool function = site->kind != VT_SITE_METHOD, first = function && t->n == 0;

	if (s->n == 1 || (!function && !is_constant(s, t->a)) ||
		(first && site->nargs > 0 && !is_constant(s, t->a)))
		return false;
	for (uint32_t k = 0; k < t->n; k++)
		if (!is_constant(s, t->args[k]))
			return false;
	for (uint32_t k = 0; k < site->nargs; k++)
		if (site->args[k].code != NULL)
			return false;
	return true;
}

/* Can several items have it?  What is used up, or could be changed, cannot be shared. */
static bool
is_shared(vt_value v)
{
	enum vt_kind kind = vt_is_ptr(v) ? (enum vt_kind)vt_head_of(v)->kind : VT_K_COUNT;

	return kind <= VT_K_STR || kind == VT_K_SET ||
	       (kind >= VT_K_REGEX && kind <= VT_K_TIMESPAN);
}

/* One item's call; *same: what the call gives to all, once that is known. */
static inline bool
call_item(vt_batch *s, const vt_lambda_step *t, vt_repeated_call *c, places *p, vt_value *same,
	uint32_t i, vt_value *out)
{
	if (!vt_step_counts(s, t, i))
		return false;
	if (same != NULL && *same != VT_UNDEF) {
		*out = vt_copy(*same);
		return true;
	}
	if (!known_call(s, t, p, i, out) &&
		(t->c == VT_CALL_TURNED || t->c == VT_CALL_PIECES || !call_once(s, t, i, c, out)))
		return false;
	if (same != NULL && is_shared(*out))
		*same = *out;
	return true;
}

static void
ask_kinds(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *from = vt_batch_from(s, t->args[0]);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i;

	for (i = 0; from != NULL && i < s->n && from[i] != VT_UNDEF; i++)
		v[i] = vt_mkbool(vt_step_has_kind(t->c, from[i]));
	s->n = i;
}

/* max() and min() of two numbers or two texts, as both do it: is the second one greater? */
static bool
extreme(unsigned how, vt_value a, vt_value b, vt_value *out)
{
	bool greater;

	if (a == VT_UNDEF || b == VT_UNDEF)
		return false;
	if (vt_is_number(a) && vt_is_number(b))
		greater = vt_num_cmp(b, a) == 1;
	else if (vt_is(a, STR) && vt_is(b, STR))
		greater = vt_str_cmp(vt_as_str(b), vt_as_str(a)) > 0;
	else
		return false;
	*out = vt_copy(greater == (how == VT_CALL_MAX) ? b : a);
	return true;
}

/* max() and min() of the numbers and texts in front; how many. */
static uint32_t
extremes(const vt_batch *s, const vt_lambda_step *t, vt_value *v)
{
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		vt_value a = argument(s, t, 0, i), b = argument(s, t, 1, i);
		if (!vt_step_counts(s, t, i)) {
			if (!leave_open(t, &v[i]))
				break;
		} else if (vt_both_int(a, b)) {
			v[i] = vt_extreme_of(t->c, a, b);
		} else if (!extreme(t->c, a, b, &v[i])) {
			break;
		}
	}
	return i;
}

/* Iterators that several would read are left to the code: how many items are in front of the first
 * one that cannot be left open. */
static uint32_t
without_iterators(const vt_lambda_step *t, uint32_t n, vt_value *v)
{
	uint32_t i, k;

	for (i = 0; i < n; i++)
		if (v[i] != VT_UNDEF && vt_is(v[i], ITER)) {
			vt_clear(&v[i]);
			if (!(t->flags & VT_STEP_SOFT))
				break;
		}
	for (k = i + 1; k < n; k++)
		vt_clear(&v[k]);
	return i;
}

void
vt_batch_call(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	if (vt_step_asks_kind(t)) {
		ask_kinds(s, t, r);
		return;
	}

	vt_value *v = vt_batch_values(s, r), made = VT_UNDEF,
		 *same = is_same_call(s, t) ? &made : NULL;
	vt_repeated_call own, *c = vt_batch_repeated(s, r, &own);
	enum called last = NOT_FOR;
	uint32_t i = 0;
	places p;

	if (t->c == VT_CALL_MAX || t->c == VT_CALL_MIN)
		i = extremes(s, t, v);
	open_places(&p, t);
	if (t->c == VT_CALL_AT && t->args[0] != VT_STEP_K) {
		if (same == NULL && (i = items_at(s, t, v)) == s->n)
			return;
		warm_keys(s, vt_batch_from(s, t->args[0]), t->args[1]);
	}
	vt_batch_own(s, r);
	for (; i < s->n; i++) {
		if (same == NULL && (i = call_on(s, t, c, i, v, &last)) == s->n)
			break;
		if ((last == RAISED || !call_item(s, t, c, &p, same, i, &v[i])) &&
			!leave_open(t, &v[i]))
			break;
	}
	s->n = t->flags & VT_STEP_SHARED ? without_iterators(t, i, v) : i;
}

/* A member, or what stands for it; VT_UNDEF: the call has to be made. */
static vt_value
looked_up(const vt_batch *s, const vt_lambda_step *t, places *p, vt_value of, uint32_t i)
{
	vt_value key, found, other;

	if (of == VT_UNDEF || !vt_is(of, DICT) || t->n == 0)
		return VT_UNDEF;
	key = argument(s, t, 0, i);
	other = argument(s, t, 1, i);
	if (other == VT_UNDEF) /* it cannot be worked out, which counts in any case */
		return VT_UNDEF;
	if (vt_is(key, STR))
		found = member_at(p, vt_as_dict(of), vt_as_str(key));
	else if (vt_is_int(key) || key == VT_NULL)
		found = vt_dict_get(vt_as_dict(of), key);
	else
		return VT_UNDEF;
	return found != VT_UNDEF ? found : other;
}

void
vt_batch_get(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *from = vt_batch_from(s, t->a);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i, asked = 0;
	bool ahead;
	places p;

	open_places(&p, t);
	warm_keys(s, from, t->n > 0 ? t->args[0] : VT_STEP_K);
	ahead = from != NULL && vt_batch_goes_on(s, from);

	for (i = 0; from != NULL && i < s->n && !asked; i++) {
		if (ahead) {
			__builtin_prefetch((const char *)(uintptr_t)from[i + VT_BULK]);
			__builtin_prefetch((const char *)(uintptr_t)(from[i + VT_BULK] + 64));
		}
		if ((v[i] = looked_up(s, t, &p, from[i], i)) == VT_UNDEF)
			asked = 1, i--;
	}
	if (!asked && from != NULL)
		return;
	/* Some are asked one by one: then all are owned. */
	vt_batch_own(s, r);
	for (uint32_t k = 0; k < i; k++)
		vt_retain(v[k]);
	for (; from != NULL && i < s->n; i++) {
		v[i] = looked_up(s, t, &p, from[i], i);
		if (v[i] != VT_UNDEF)
			vt_retain(v[i]);
		else if ((!vt_step_counts(s, t, i) || !vt_batch_ask(s, t, i, &v[i])) &&
			 !leave_open(t, &v[i]))
			break;
	}
	s->n = i;
}

/* Of a list, a set, keys or a text, where no call has to be made. */
static bool
known_in(vt_rt *rt, vt_value x, vt_value all, vt_value *out)
{
	if (all == VT_UNDEF)
		return false;
	if (!is_compared(x)) {
		if (!vt_is(all, SET) || !is_plain_tuple(x))
			return false;
		*out = vt_mkbool(vt_set_has(vt_as_set(all), x));
		return true;
	}
	if (vt_is(all, STR)) {
		const vt_str *of = vt_as_str(all), *part = vt_as_str(x);
		if (!vt_is(x, STR))
			return false;
		*out = vt_mkbool(vt_find(of->s, of->bytes, part->s, part->bytes) != NULL);
	} else if (vt_is_sequence(all)) {
		*out = vt_mkbool(position_of(rt, vt_as_list(all), x) < vt_as_list(all)->n);
	} else if (vt_is(all, SET)) {
		*out = vt_mkbool(vt_set_has(vt_as_set(all), x));
	} else if (vt_is(all, VIEW) && vt_head_of(all)->aux == VT_VIEW_KEYS) {
		*out = vt_mkbool(
			vt_dict_get(vt_as_dict(VT_AS(vt_view_obj, all)->dict), x) != VT_UNDEF);
	} else {
		return false;
	}
	return true;
}

void
vt_batch_in(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r);
	vt_repeated_call own, *c = vt_batch_repeated(s, r, &own);
	uint32_t i;

	vt_batch_own(s, r);
	for (i = 0; i < s->n; i++)
		if (!known_in(s->rt, argument(s, t, 0, i), argument(s, t, 1, i), &v[i]) &&
			(!vt_step_counts(s, t, i) || !call_once(s, t, i, c, &v[i])) &&
			!leave_open(t, &v[i]))
			break;
	s->n = i;
}

/* Which of the two a bool is decides no branch. */
static inline bool
is_yes(vt_value v)
{
	return vt_is_bool(v) ? v == VT_TRUE : vt_is_true(v);
}

void
vt_batch_choose(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *yes = vt_batch_from(s, t->a),
		       *no = t->b != VT_STEP_K ? vt_batch_from(s, t->b) : yes,
		       *cond = vt_batch_from(s, t->c);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i, n = yes == NULL || no == NULL || cond == NULL ? 0 : s->n;

	for (i = 0; i < n; i++) {
		if (cond[i] == VT_UNDEF)
			break;
		if (t->b == VT_STEP_K && (!is_yes(cond[i]) || vt_is(yes[i], ITER)))
			break;
		v[i] = vt_pick(is_yes(cond[i]), yes[i], no[i]);
		if (v[i] == VT_UNDEF)
			break;
	}
	s->n = i;
}

void
vt_batch_variable(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r), x = vt_step_variable(s->rt, s->scope, t);

	for (uint32_t i = 0; i < s->n; i++)
		v[i] = x;
}

void
vt_batch_outer(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *from = vt_batch_from(s->up, s->outer[t->a]);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i;

	for (i = 0; from != NULL && i < s->n; i++)
		if ((v[i] = from[s->seg[s->at + i]]) == VT_UNDEF && !(t->flags & VT_STEP_SOFT))
			break;
	s->n = i;
}

/* The operands for one item; false: one of them is none. */
static bool
gather(const vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_value *items)
{
	for (uint32_t k = 0; k < t->n; k++)
		if ((items[k] = vt_batch_operand(s, t->args[k], i)) == VT_UNDEF)
			return false;
	return true;
}

static bool
are_constant(const vt_batch *s, const vt_lambda_step *t)
{
	for (uint32_t k = 0; k < t->n; k++)
		if (s->program->t[t->args[k]].op != VT_STEP_CONST)
			return false;
	return true;
}

void
vt_batch_list(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r), items[VT_STEPS_MOST];
	bool same = are_constant(s, t);
	uint32_t i;

	vt_batch_own(s, r);
	for (i = 0; i < s->n; i++) {
		v[i] = VT_UNDEF;
		if (same && i > 0)
			v[i] = vt_copy(v[0]);
		else if (!gather(s, t, i, items) ||
			 !done(s, vt_tuple_of(s->rt, t->n, items, &v[i])))
			break;
	}
	s->n = i;
}

void
vt_batch_dict(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r), items[VT_STEPS_MOST];
	uint32_t i;

	vt_batch_own(s, r);
	for (i = 0; i < s->n; i++) {
		v[i] = VT_UNDEF;
		if (!gather(s, t, i, items) || !done(s, vt_dict_of(s->rt, t->n / 2u, items, &v[i])))
			break;
	}
	s->n = i;
}

void
vt_batch_map(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r), items[VT_STEPS_MOST], pairs[2 * VT_STEPS_MOST];
	const vt_str *const *keys = t->by;
	bool same = are_constant(s, t);
	uint32_t i;

	vt_batch_own(s, r);
	for (i = 0; i < s->n; i++) {
		v[i] = VT_UNDEF;
		if (same && i > 0) {
			v[i] = vt_copy(v[0]);
			continue;
		}
		if (!gather(s, t, i, items))
			break;
		for (uint32_t k = 0; k < t->n; k++) {
			pairs[2 * k] = vt_mkptr(keys[k]);
			pairs[2 * k + 1] = items[k];
		}
		if (!done(s, vt_record_of(s->rt, vt_ic_at(s->rt, t->ic), t->n, pairs, &v[i])))
			break;
	}
	s->n = i;
}

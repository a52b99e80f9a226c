/*
 * value.c - what all kinds share: release, truth, equality, and text as Python writes it.
 *
 * Equality, hashing and repr walk nested values.  Their depth is bounded; beyond it values count as
 * different, hash alike and print as "...", so that a hostile nesting cannot exhaust the C stack.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/base.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/kind.h"
#include "runtime/core/value.h"
#include "runtime/core/printable.h"

#include <string.h>

enum { MAX_DEPTH = VT_VALUE_DEPTH };

/* What code that the compiler emits takes for granted, and vt.h only says. */
_Static_assert(8 + VT_K_COUNT <= 31,
	"VT_TAKES_KIND has a bit a kind, below VT_TAKES_FINAL; vt_is_record as well");
_Static_assert(1u << ((VT_NULL >> 3) & 7) == VT_TAKES_NULL && VT_TAKES_INT == 1 &&
		       (1u << ((VT_FALSE >> 3) & 7) | 1u << ((VT_TRUE >> 3) & 7)) == VT_TAKES_BOOL,
	"vt_tag gives the bits of VT_TAKES_*");
_Static_assert(VT_K_FLOAT < VT_K_STR && VT_K_BIGINT < VT_K_STR && VT_K_TUPLE > VT_K_STR,
	"vt_final_now: final are numbers and texts, and what says so");
_Static_assert((VT_FALSE | 8) == VT_TRUE && (VT_NULL | 8) != VT_TRUE && (VT_NOVALUE | 8) != VT_TRUE,
	"vt_is_bool");
_Static_assert(vt_raw(vt_mkint(VT_INT_MIN)) == INT64_MIN &&
		       vt_raw(vt_mkint(VT_INT_MAX)) == INT64_MAX - 1 &&
		       vt_boxed((int64_t)-2) == vt_mkint(-1),
	"raw integers are twice the number, and what overflows is none of 63 bits");
_Static_assert(offsetof(vt_str, s) == offsetof(VT_STR_CONST(1), s) &&
		       offsetof(vt_str, hash) == offsetof(VT_STR_CONST(1), hash),
	"constant texts are texts");
_Static_assert(sizeof(vt_head) == sizeof(vt_value) && offsetof(vt_float, d) == sizeof(vt_head),
	"heads are a word");
_Static_assert(
	VT_OBJ_BIAS <= VT_IMMORTAL / 2, "the counts of objects stay below those of constants");

/* ---- release ---- */

void
vt_mapping_free(vt_head *h)
{
	vt_mapping *m = (vt_mapping *)h;

	vt_release(m->key);
	vt_release(m->value);
}

void
vt_view_free(vt_head *h)
{
	vt_release(((vt_view_obj *)h)->dict);
}

void
vt_memo_free(vt_head *h)
{
	vt_release(((vt_memo *)h)->source);
	vt_release(((vt_memo *)h)->seen);
}

void (*vt_finaliser(unsigned kind))(vt_head *)
{
	return kind < VT_K_COUNT ? vt_kinds[kind].free : NULL;
}

/* A member of a list or record that goes, whose own members are others' business. */
static inline void
free_deeper(vt_value v)
{
	vt_head *h = vt_head_of(v);
	void (*drop)(vt_head *);

	if (!vt_is_ptr(v) || h->rc >= VT_IMMORTAL || --h->rc > 0)
		return;
	if (h->kind <= VT_K_STR)
		vt_heap_give(h);
	else if ((drop = vt_finaliser(h->kind)) != NULL)
		vt_free_with(h, drop);
	else
		vt_free_mem(h);
}

/*
 * A list or record with its members behind it, which most are: without the calls that a finaliser
 * takes.  It counts as no level of nesting; so each third one is done by vt_free_with, which
 * bounds them.
 */
static inline __attribute__((always_inline)) bool
free_with_members(vt_head *h, void (*let_go)(vt_value))
{
	vt_record *r = (vt_record *)(void *)h;
	vt_list *l = (vt_list *)(void *)h;

	if (h->flags & (VT_F_LARGE | VT_F_BORROWED))
		return false;
	if (h->kind == VT_K_DICT) {
		if (r->shape == NULL || r->v != ((vt_dict *)(void *)h)->inl)
			return false;
		for (uint32_t i = 0; i < r->n; i++)
			let_go(r->v[i]);
	} else {
		if (l->v != l->inl)
			return false;
		for (uint32_t i = 0; i < l->n; i++)
			let_go(l->v[i]);
	}
	vt_heap_give(h);
	return true;
}

static __attribute__((noinline)) bool
free_inner(vt_head *h)
{
	return free_with_members(h, free_deeper);
}

static inline void
free_member(vt_value v)
{
	vt_head *h = vt_head_of(v);

	if (!vt_is_ptr(v) || h->rc != 1 || h->kind <= VT_K_STR || h->kind > VT_K_DICT ||
		!free_inner(h))
		free_deeper(v);
}

static inline bool
free_in_place(vt_head *h)
{
	return free_with_members(h, free_member);
}

void
vt_free(vt_value v)
{
	vt_head *h = vt_head_of(v);
	void (*drop)(vt_head *);

	if (h->kind <= VT_K_STR)
		vt_heap_give(h);
	else if (h->kind > VT_K_DICT || !free_in_place(h)) {
		drop = vt_finaliser(h->kind);
		if (drop)
			vt_free_with(h, drop);
		else
			vt_free_mem(h);
	}
}

void
vt_drop2(vt_value a, vt_value b)
{
	vt_release(a);
	vt_release(b);
}

void
vt_drop3(vt_value a, vt_value b, vt_value c)
{
	vt_drop2(a, b);
	vt_release(c);
}

void
vt_drop4(vt_value a, vt_value b, vt_value c, vt_value d)
{
	vt_drop2(a, b);
	vt_drop2(c, d);
}

void
vt_drop5(vt_value a, vt_value b, vt_value c, vt_value d, vt_value e)
{
	vt_drop4(a, b, c, d);
	vt_release(e);
}

void
vt_drop6(vt_value a, vt_value b, vt_value c, vt_value d, vt_value e, vt_value f)
{
	vt_drop4(a, b, c, d);
	vt_drop2(e, f);
}

void
vt_drop_all(uint32_t n, const vt_value *v)
{
	for (uint32_t i = 0; i < n; i++)
		vt_release(v[i]);
}

/* ---- truth and equality ---- */

static bool
foreign_truth(vt_value v)
{
	const vt_foreign *f = vt_foreign_of(v);

	return f == NULL || f->ops->truth == NULL || f->ops->truth(f->user);
}

int
vt_truth(vt_value v)
{
	if (vt_is_int(v))
		return vt_toint(v) != 0;
	switch (VT_KIND(v)) {
	case -1: return v == VT_TRUE || v == VT_NOVALUE;
	case VT_K_FLOAT: return vt_as_float(v) != 0;
	case VT_K_STR: return vt_as_str(v)->bytes != 0;
	case VT_K_TUPLE:
	case VT_K_LIST: return vt_as_list(v)->n != 0;
	case VT_K_DICT: return vt_dict_len(vt_as_dict(v)) != 0;
	case VT_K_SET: return vt_set_len(vt_as_set(v)) != 0;
	case VT_K_VIEW: return vt_dict_len(vt_as_dict(VT_AS(vt_view_obj, v)->dict)) != 0;
	case VT_K_TIMESPAN: return vt_span_us(v) != 0;
	case VT_K_HOST: return foreign_truth(v);
	}
	return true;
}

static bool equal(vt_value a, vt_value b, int depth);

static bool
is_numeric(vt_value v)
{
	return vt_is_number(v) || vt_is_bool(v);
}

static bool
equal_lists(const vt_list *a, const vt_list *b, int depth)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->v[i] != b->v[i] && !equal(a->v[i], b->v[i], depth))
			return false;
	return true;
}

static bool
equal_dicts(const vt_dict *a, const vt_dict *b, int depth)
{
	uint32_t pos = 0;
	vt_value k, v, w;

	if (vt_dict_len(a) != vt_dict_len(b))
		return false;
	while (vt_dict_at(a, &pos, &k, &v)) {
		w = vt_dict_get(b, k);
		if (w == VT_UNDEF || (v != w && !equal(v, w, depth)))
			return false;
	}
	return true;
}

/* The i-th member of a set or of a keys or items view; items are made for the moment. */
static bool
member_at(vt_value s, uint32_t *pos, vt_value *a, vt_value *b)
{
	if (vt_is(s, SET)) {
		*b = VT_UNDEF;
		return vt_set_at(vt_as_set(s), pos, a);
	}
	return vt_dict_at(vt_as_dict(VT_AS(vt_view_obj, s)->dict), pos, a, b);
}

static bool
has_member(vt_value s, vt_value a, vt_value b, int depth)
{
	vt_value found;
	bool items = vt_is(s, VIEW) && vt_head_of(s)->aux == VT_VIEW_ITEMS;

	if (vt_is(s, SET))
		return b == VT_UNDEF && vt_set_has(vt_as_set(s), a);
	found = vt_dict_get(vt_as_dict(VT_AS(vt_view_obj, s)->dict), a);
	if (!items)
		return found != VT_UNDEF;
	return b != VT_UNDEF && found != VT_UNDEF && equal(found, b, depth);
}

static uint32_t
members(vt_value s)
{
	return vt_is(s, SET) ? vt_set_len(vt_as_set(s))
			     : vt_dict_len(vt_as_dict(VT_AS(vt_view_obj, s)->dict));
}

static bool
equal_sets(vt_value a, vt_value b, int depth)
{
	uint32_t pos = 0, na, nb;
	vt_value x, y;
	bool items = vt_is(a, VIEW) && vt_head_of(a)->aux == VT_VIEW_ITEMS;

	na = members(a);
	nb = members(b);
	if (na != nb)
		return false;
	while (member_at(a, &pos, &x, &y))
		if (!has_member(b, x, items ? y : VT_UNDEF, depth))
			return false;
	return true;
}

static bool
equal_datetimes(const vt_datetime *a, const vt_datetime *b)
{
	if (a->naive != b->naive || (a->h.aux == VT_DATE_ONLY) != (b->h.aux == VT_DATE_ONLY))
		return false;
	return a->us - a->offset * INT64_C(1000000) == b->us - b->offset * INT64_C(1000000);
}

static bool
equal_foreign(const vt_foreign *a, const vt_foreign *b)
{
	if (a == NULL || b == NULL || a->ops != b->ops)
		return false;
	return a->user == b->user || (a->ops->equal && a->ops->equal(a->user, b->user));
}

static bool
equal(vt_value a, vt_value b, int depth)
{
	int k;

	if (vt_is_int(a) && vt_is_int(b))
		return a == b;
	k = VT_KIND(a);
	if (k == VT_K_STR && vt_is(b, STR))
		return vt_str_eq(vt_as_str(a), vt_as_str(b));
	if (k == VT_K_TUPLE && vt_is(b, TUPLE))
		return a == b ||
		       (depth <= MAX_DEPTH && equal_lists(vt_as_list(a), vt_as_list(b), depth + 1));
	if (is_numeric(a) || is_numeric(b))
		return is_numeric(a) && is_numeric(b) && vt_num_cmp(a, b) == 0;
	if (a == b)
		return true;
	if (k < 0 || VT_KIND(b) < 0 || depth > MAX_DEPTH)
		return false;
	if (k == VT_K_OBJECT || k == VT_K_CAST)
		return VT_KIND(a) == VT_KIND(b) && vt_kinds[k].equal(a, b);
	if (vt_is_set_like(a) && vt_is_set_like(b))
		return equal_sets(a, b, depth + 1);
	if (k != VT_KIND(b))
		return false;
	switch ((enum vt_kind)k) {
	case VT_K_STR: break; /* told above */
	case VT_K_TUPLE:
	case VT_K_LIST: return equal_lists(vt_as_list(a), vt_as_list(b), depth + 1);
	case VT_K_DICT: return equal_dicts(vt_as_dict(a), vt_as_dict(b), depth + 1);
	case VT_K_DATETIME: return equal_datetimes(VT_AS(vt_datetime, a), VT_AS(vt_datetime, b));
	case VT_K_TIMESPAN: return vt_span_us(a) == vt_span_us(b);
	case VT_K_TYPEREF:
	case VT_K_REFLECT:
	case VT_K_REGEX: return vt_kinds[k].equal && vt_kinds[k].equal(a, b);
	case VT_K_FLOAT:
	case VT_K_BIGINT:
	case VT_K_SET:
	case VT_K_ITER:
	case VT_K_VIEW:
	case VT_K_ORDERING:
	case VT_K_MEMO:
	case VT_K_LAMBDA:
	case VT_K_SCOPE:
	case VT_K_MAPPING:
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_EXC:
	case VT_K_COUNT: return false;
	case VT_K_HOST: return equal_foreign(vt_foreign_of(a), vt_foreign_of(b));
	}
	return false;
}

bool
vt_eq(vt_value a, vt_value b)
{
	return equal(a, b, 0);
}

bool
vt_same(vt_value a, vt_value b)
{
	return a == b || equal(a, b, 0);
}

int
vt_equal(vt_rt *rt, vt_value a, vt_value b)
{
	(void)rt;
	if (vt_is(a, STR) && vt_is(b, STR)) {
		return a == b || vt_same_text(vt_as_str(a), vt_as_str(b));
	}
	if (vt_is(a, OBJECT) && vt_is(b, OBJECT))
		return a == b;
	return equal(a, b, 0);
}

/* ---- what cannot be hashed (hash.c has the rest) ---- */

/* The innermost value that cannot be hashed is the one Python names. */
static vt_value
culprit(vt_value v, int depth)
{
	uint32_t pos = 0;
	vt_value k, x;

	if (depth < MAX_DEPTH && vt_is(v, TUPLE))
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			if (!vt_hashable(vt_as_list(v)->v[i]))
				return culprit(vt_as_list(v)->v[i], depth + 1);
	if (depth < MAX_DEPTH && vt_is(v, DICT) && (vt_head_of(v)->flags & VT_F_FROZEN))
		while (vt_dict_at(vt_as_dict(v), &pos, &k, &x))
			if (!vt_hashable(x))
				return culprit(x, depth + 1);
	return v;
}

vt_status
vt_unhashable(vt_rt *rt, vt_value v)
{
	return vt_raise(rt, VT_E_TYPE, "unhashable type: '%s'", vt_py_type(culprit(v, 0)));
}

uint64_t
vt_tag_of_kind(vt_value v)
{
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_HOST:
		if (vt_has_items(v))
			return VT_TAG_COLLECTION;
		break;
	case VT_K_VIEW: return 5 + vt_head_of(v)->aux;
	case VT_K_REFLECT: return 8 + vt_head_of(v)->aux;
	case VT_K_DATETIME:
		if (vt_is_date(v))
			return VT_TAG_DATE;
		if (VT_AS(vt_datetime, v)->naive) /* converted on its way */
			return VT_TAG_NAIVE;
		break;
	case VT_K_FLOAT:
	case VT_K_BIGINT:
	case VT_K_STR:
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_DICT:
	case VT_K_SET:
	case VT_K_ITER:
	case VT_K_ORDERING:
	case VT_K_MEMO:
	case VT_K_LAMBDA:
	case VT_K_SCOPE:
	case VT_K_MAPPING:
	case VT_K_REGEX:
	case VT_K_TIMESPAN:
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF:
	case VT_K_EXC:
	case VT_K_COUNT: break;
	}
	return VT_TAG_KINDS + vt_head_of(v)->kind;
}

bool
vt_is_final(vt_value v)
{
	if (vt_is(v, CAST))
		return !vt_casts_to_own(v); /* see final_item */
	return !vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR ||
	       vt_head_of(v)->kind >= VT_K_REGEX || (vt_head_of(v)->flags & VT_F_FINAL);
}

/* ---- text ---- */

static const char *
foreign_type(const vt_foreign *f)
{
	return f != NULL && f->ops->type ? f->ops->type(f->user) : "object";
}

const char *
vt_py_type(vt_value v)
{
	if (vt_is_integer(v))
		return "int";
	if (vt_is(v, FLOAT))
		return "float";
	if (!vt_is_ptr(v))
		return vt_is_bool(v) ? "bool" : v == VT_NULL ? "NoneType" : "MarkerClass";
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_FLOAT:
	case VT_K_BIGINT: break; /* told above */
	case VT_K_STR: return "str";
	case VT_K_TUPLE: return "tuple";
	case VT_K_LIST: return "list";
	case VT_K_DICT: return vt_head_of(v)->flags & VT_F_FROZEN ? "FrozenDict" : "dict";
	case VT_K_SET: return "frozenset";
	case VT_K_ITER: return VT_AS(vt_iter, v)->ops->name;
	case VT_K_VIEW:
		return vt_head_of(v)->aux == VT_VIEW_KEYS    ? "KeysView"
		       : vt_head_of(v)->aux == VT_VIEW_ITEMS ? "ItemsView"
							     : "ValuesView";
	case VT_K_ORDERING: return "OrderingIterable";
	case VT_K_MEMO: return "RememberingIterator";
	case VT_K_LAMBDA: return "function";
	case VT_K_SCOPE: return "Context";
	case VT_K_MAPPING: return "MappingRule";
	case VT_K_REGEX: return "re.Pattern";
	case VT_K_DATETIME: return vt_is_date(v) ? "datetime.date" : "datetime.datetime";
	case VT_K_TIMESPAN: return "datetime.timedelta";
	case VT_K_OBJECT:
	case VT_K_CAST: return "MuranoObject";
	case VT_K_TYPEREF: return "MuranoTypeReference";
	case VT_K_REFLECT: return "MuranoClass";
	case VT_K_EXC: return "Exception";
	case VT_K_HOST: return foreign_type(vt_foreign_of(v));
	case VT_K_COUNT: return "object";
	}
	return "object";
}

static void
foreign_text(vt_buf *b, vt_value v, bool as_repr)
{
	const vt_foreign *f = vt_foreign_of(v);

	if (f != NULL && f->ops->text != NULL)
		f->ops->text(f->user, as_repr, b);
	else
		vt_buf_printf(b, "<%s object>", vt_py_type(v));
}

/* How a text is made: no more items once it has so many bytes, and *left says that there are. */
typedef struct repr_limit {
	size_t most;
	bool *left;
	int depth;
} repr_limit;

static void repr(vt_rt *, vt_buf *, vt_value, repr_limit);

static void
repr_str(vt_buf *b, const vt_str *s)
{
	char quote = memchr(s->s, '\'', s->bytes) && !memchr(s->s, '"', s->bytes) ? '"' : '\'';

	vt_buf_putc(b, quote);
	for (const char *p = s->s, *end = p + s->bytes; p < end;) {
		const char *start = p;
		uint32_t c = vt_utf8_next(&p);
		if (c == (uint32_t)quote || c == '\\')
			vt_buf_printf(b, "\\%c", (char)c);
		else if (c == '\n' || c == '\r' || c == '\t')
			vt_buf_puts(b, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
		else if (c < 32 || c == 127 || !vt_is_printable(c))
			vt_buf_printf(b,
				c < 256     ? "\\x%02x"
				: c < 65536 ? "\\u%04x"
					    : "\\U%08x",
				c);
		else
			vt_buf_put(b, start, (size_t)(p - start));
	}
	vt_buf_putc(b, quote);
}

/* Before an item. */
static inline bool
is_full(const vt_buf *b, repr_limit to)
{
	if (b->n < to.most)
		return false;
	*to.left = true;
	return true;
}

static void
repr_items(vt_rt *rt, vt_buf *b, const vt_list *l, repr_limit to)
{
	for (uint32_t i = 0; i < l->n && !is_full(b, to); i++) {
		vt_buf_puts(b, i ? ", " : "");
		repr(rt, b, l->v[i], to);
	}
}

static void
repr_dict(vt_rt *rt, vt_buf *b, const vt_dict *d, repr_limit to)
{
	uint32_t pos = 0, n = 0;
	vt_value k, v;

	vt_buf_putc(b, '{');
	while (vt_dict_at(d, &pos, &k, &v) && !is_full(b, to)) {
		vt_buf_puts(b, n++ ? ", " : "");
		repr(rt, b, k, to);
		vt_buf_puts(b, ": ");
		repr(rt, b, v, to);
	}
	vt_buf_putc(b, '}');
}

static void
repr_set(vt_rt *rt, vt_buf *b, const vt_set *s, repr_limit to)
{
	uint32_t pos = 0, n = 0;
	vt_value v;

	vt_buf_puts(b, vt_set_len(s) ? "frozenset({" : "frozenset(");
	while (vt_set_at(s, &pos, &v) && !is_full(b, to)) {
		vt_buf_puts(b, n++ ? ", " : "");
		repr(rt, b, v, to);
	}
	vt_buf_puts(b, n ? "})" : ")");
}

static void
repr_view(vt_rt *rt, vt_buf *b, vt_value v, repr_limit to)
{
	vt_buf_puts(b, vt_py_type(v));
	vt_buf_putc(b, '(');
	repr(rt, b, VT_AS(vt_view_obj, v)->dict, to);
	vt_buf_putc(b, ')');
}

/* datetime.timedelta(days=1, seconds=7200) */
static void
repr_timespan(vt_buf *b, const vt_timespan *t)
{
	int64_t days = t->days, rest = t->us;
	const char *sep = "";

	vt_buf_puts(b, "datetime.timedelta(");
	if (days) {
		vt_buf_printf(b, "days=%lld", (long long)days);
		sep = ", ";
	}
	if (rest / 1000000) {
		vt_buf_printf(b, "%sseconds=%lld", sep, (long long)(rest / 1000000));
		sep = ", ";
	}
	if (rest % 1000000) {
		vt_buf_printf(b, "%smicroseconds=%lld", sep, (long long)(rest % 1000000));
		sep = ", ";
	}
	vt_buf_puts(b, *sep ? ")" : "0)");
}

static void
repr_datetime(vt_buf *b, const vt_datetime *t)
{
	int y, mo, d, h, mi, s, us;

	vt_civil(t->us, &y, &mo, &d, &h, &mi, &s, &us);
	if (t->h.aux == VT_DATE_ONLY) {
		vt_buf_printf(b, "datetime.date(%d, %d, %d)", y, mo, d);
		return;
	}
	vt_buf_printf(b, "datetime.datetime(%d, %d, %d, %d, %d", y, mo, d, h, mi);
	if (s || us)
		vt_buf_printf(b, ", %d", s);
	if (us)
		vt_buf_printf(b, ", %d", us);
	if (!t->naive && t->offset == 0)
		vt_buf_puts(b, ", tzinfo=tzutc()");
	else if (!t->naive)
		vt_buf_printf(b, ", tzinfo=tzoffset(None, %d)", (int)t->offset);
	vt_buf_putc(b, ')');
}

static void
repr_pointer(vt_rt *rt, vt_buf *b, vt_value v, repr_limit to)
{
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_FLOAT: break; /* told before */
	case VT_K_BIGINT: vt_int_repr(b, v, 10); break;
	case VT_K_STR: repr_str(b, vt_as_str(v)); break;
	case VT_K_TUPLE:
		vt_buf_putc(b, '(');
		repr_items(rt, b, vt_as_list(v), to);
		vt_buf_puts(b, vt_as_list(v)->n == 1 ? ",)" : ")");
		break;
	case VT_K_LIST:
		vt_buf_putc(b, '[');
		repr_items(rt, b, vt_as_list(v), to);
		vt_buf_putc(b, ']');
		break;
	case VT_K_DICT: repr_dict(rt, b, vt_as_dict(v), to); break;
	case VT_K_SET: repr_set(rt, b, vt_as_set(v), to); break;
	case VT_K_VIEW: repr_view(rt, b, v, to); break;
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF:
	case VT_K_REFLECT:
	case VT_K_REGEX:
		if (vt_kinds[vt_head_of(v)->kind].repr)
			vt_kinds[vt_head_of(v)->kind].repr(b, v);
		break;
	case VT_K_DATETIME: repr_datetime(b, VT_AS(vt_datetime, v)); break;
	case VT_K_TIMESPAN: repr_timespan(b, VT_AS(vt_timespan, v)); break;
	case VT_K_EXC: vt_exc_str(rt, b, VT_AS(vt_exc, v)); break;
	case VT_K_ITER:
	case VT_K_ORDERING:
	case VT_K_MEMO:
	case VT_K_LAMBDA:
	case VT_K_SCOPE:
	case VT_K_MAPPING:
	case VT_K_COUNT: vt_buf_printf(b, "<%s object>", vt_py_type(v)); break;
	case VT_K_HOST: foreign_text(b, v, true); break;
	}
}

static void
repr(vt_rt *rt, vt_buf *b, vt_value v, repr_limit to)
{
	if (vt_is_int(v))
		vt_int_repr(b, v, 10);
	else if (vt_is(v, FLOAT))
		vt_float_repr(b, vt_as_float(v));
	else if (!vt_is_ptr(v))
		vt_buf_puts(b, v == VT_TRUE      ? "True"
			       : v == VT_FALSE   ? "False"
			       : v == VT_NOVALUE ? "<NoValue>"
						 : "None");
	else if (to.depth > MAX_DEPTH)
		vt_buf_puts(b, "...");
	else
		repr_pointer(rt, b, v, (repr_limit){to.most, to.left, to.depth + 1});
}

void
vt_repr(vt_rt *rt, vt_buf *b, vt_value v)
{
	repr(rt, b, v, (repr_limit){SIZE_MAX, NULL, 0});
}

bool
vt_repr_some(vt_rt *rt, vt_buf *b, vt_value v, size_t most)
{
	bool left = false;
	repr(rt, b, v, (repr_limit){most, &left, 0});
	return !left;
}

static void vt_timespan_text(vt_buf *b, const vt_timespan *t);

void
vt_pystr(vt_rt *rt, vt_buf *b, vt_value v)
{
	switch (VT_KIND(v)) {
	case VT_K_STR: vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes); return;
	case VT_K_DATETIME: vt_datetime_text(b, VT_AS(vt_datetime, v), ' '); return;
	case VT_K_TIMESPAN: vt_timespan_text(b, VT_AS(vt_timespan, v)); return;
	case VT_K_HOST: foreign_text(b, v, false); return;
	}
	repr(rt, b, v, (repr_limit){SIZE_MAX, NULL, 0});
}

void
vt_yaqlstr(vt_rt *rt, vt_buf *b, vt_value v)
{
	if (v == VT_NULL || vt_is_bool(v))
		vt_buf_puts(b, v == VT_NULL ? "null" : v == VT_TRUE ? "true" : "false");
	else
		vt_pystr(rt, b, v);
}

void
vt_format_scalar(vt_rt *rt, vt_buf *b, vt_value v)
{
	if (vt_is(v, STR))
		vt_buf_putc(b, '\'');
	vt_pystr(rt, b, v);
	if (vt_is(v, STR))
		vt_buf_putc(b, '\'');
}

/* ---- dates ---- */

static const int64_t day_us = INT64_C(86400000000);

static int64_t
days_before_year(int64_t y)
{
	y--;
	return y * 365 + y / 4 - y / 100 + y / 400;
}

static int
days_before_month(int y, int m)
{
	static const int table[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

	return table[m - 1] + (m > 2 && vt_is_leap(y));
}

int
vt_days_in_month(int year, int month)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return days[month - 1] + (month == 2 && vt_is_leap(year));
}

int64_t
vt_civil_us(int y, int mo, int d)
{
	return (days_before_year(y) + days_before_month(y, mo) + d - 1) * day_us;
}

/*
 * Of a day, 0 the first of the year 1.  Years begin with March here, so that the day that only leap
 * years have is their last, and months of 31, 30, 31, 30 and 31 days repeat: 153 in five.
 */
void
vt_civil_date(int64_t days, int *y, int *mo, int *d)
{
	enum { TO_MARCH = 306, CENTURIES_4 = 146097, CENTURY = 36524, YEARS_4 = 1460 };
	int64_t from = days + TO_MARCH, four = from / CENTURIES_4;
	uint32_t day, year, month;

	if (from < four * CENTURIES_4)
		four--;
	day = (uint32_t)(from - four * CENTURIES_4);
	year = (day - day / YEARS_4 + day / CENTURY - day / (CENTURIES_4 - 1)) / 365;
	day -= 365 * year + year / 4 - year / 100;
	month = (5 * day + 2) / 153;
	*d = (int)(day - (153 * month + 2) / 5) + 1;
	*mo = (int)(month < 10 ? month + 3 : month - 9);
	*y = (int)(year + four * 400) + (*mo <= 2);
}

void
vt_civil(int64_t us, int *y, int *mo, int *d, int *h, int *mi, int *s, int *frac)
{
	int64_t days = us / day_us, rest = us % day_us;

	if (rest < 0)
		rest += day_us, days--;
	vt_civil_date(days, y, mo, d);
	*h = (int)(rest / INT64_C(3600000000));
	*mi = (int)(rest / 60000000 % 60);
	*s = (int)(rest / 1000000 % 60);
	*frac = (int)(rest % 1000000);
}

void
vt_datetime_text(vt_buf *b, const vt_datetime *t, char sep)
{
	int y, mo, d, h, mi, s, us, o = t->offset < 0 ? -t->offset : t->offset;

	vt_civil(t->us, &y, &mo, &d, &h, &mi, &s, &us);
	vt_buf_printf(b, "%04d-%02d-%02d", y, mo, d);
	if (t->h.aux == VT_DATE_ONLY)
		return;
	vt_buf_printf(b, "%c%02d:%02d:%02d", sep, h, mi, s);
	if (us)
		vt_buf_printf(b, ".%06d", us);
	if (t->naive)
		return;
	vt_buf_printf(b, "%c%02d:%02d", t->offset < 0 ? '-' : '+', o / 3600, o / 60 % 60);
	if (o % 60)
		vt_buf_printf(b, ":%02d", o % 60);
}

static void
vt_timespan_text(vt_buf *b, const vt_timespan *t)
{
	int64_t days = t->days, rest = t->us;

	if (days)
		vt_buf_printf(
			b, "%lld day%s, ", (long long)days, days == 1 || days == -1 ? "" : "s");
	vt_buf_printf(b, "%lld:%02lld:%02lld", (long long)(rest / INT64_C(3600000000)),
		(long long)(rest / 60000000 % 60), (long long)(rest / 1000000 % 60));
	if (rest % 1000000)
		vt_buf_printf(b, ".%06lld", (long long)(rest % 1000000));
}

vt_value
vt_datetime_value(vt_rt *rt, int64_t us, int32_t offset, bool naive)
{
	vt_datetime *t = vt_alloc(rt, sizeof *t, VT_K_DATETIME);

	t->us = us;
	t->offset = offset;
	t->naive = naive;
	return vt_mkptr(t);
}

vt_value
vt_timespan_value(vt_rt *rt, int64_t us)
{
	int64_t rest = us % VT_DAY_US;

	rest += rest < 0 ? VT_DAY_US : 0;
	return vt_timespan_of(rt, (us - rest) / VT_DAY_US, rest);
}

vt_value
vt_timespan_of(vt_rt *rt, int64_t days, int64_t us)
{
	vt_timespan *t = vt_alloc(rt, sizeof *t, VT_K_TIMESPAN);

	t->days = days;
	t->us = us;
	return vt_mkptr(t);
}

/*
 * quota.c - memoryQuota: how much CPython would say a value takes.
 *
 * The reference adds up sys.getsizeof() of single values at fixed points: each argument of a call
 * when it is converted, each result, and what a function that builds something has in hand.  What a
 * value holds is not counted.  So that a quota ends an expression where it does there, the sizes
 * are those of CPython 3.11 on a 64-bit machine; they were measured with Debian's python3, and
 * growth (lists, dicts, sets, deques) follows the rules of Objects/listobject.c, dictobject.c,
 * setobject.c and Modules/_collectionsmodule.c there.
 *
 * A session without a quota has 0 in vt_session.quota, and every point tests only that.
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"

/* An instance of a Python class without __slots__, an expression, a context: all alike. */
enum { INSTANCE = 56, FUNCTION = 152, NONE = 16 };
enum { TUPLE_HEAD = 40, LIST_HEAD = 56, DICT_HEAD = 64, DICT_KEYS = 32, SET_HEAD = 216 };
enum { DEQUE_HEAD = 232, DEQUE_BLOCK = 528, DEQUE_ITEMS = 64 };
enum { FLOAT = 24, INT_HEAD = 24, DIGIT = 4, DIGIT_BITS = 30 };

vt_status
vt_quota_bytes(vt_rt *rt, double bytes)
{
	if (rt->s->quota <= 0 || bytes <= (double)rt->s->quota)
		return VT_OK;
	return vt_raise(rt, VT_E_MEMORY_QUOTA, "Expression consumed too much memory");
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Characters take what the widest of them needs; ASCII has the smaller header. */
static int64_t
str_size(const vt_str *s)
{
	uint32_t most = 0;

	if (s->h.flags & VT_F_ASCII || s->bytes == 0)
		return 49 + (int64_t)s->bytes;
	for (const char *p = s->s; p < s->s + s->bytes;) {
		uint32_t c = vt_utf8_next(&p);
		most = c > most ? c : most;
	}
	if (most < 0x80)
		return 49 + (int64_t)s->points;
	return (most > 0xff ? 74 : 73) - (most > 0xffff ? -2 : 0) +
	       (int64_t)s->points * (most > 0xffff        ? 4
					    : most > 0xff ? 2
							  : 1);
}

static int64_t
big_size(vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	size_t digits, from;
	uint64_t bits;

	vt_int_repr(&b, v, 16);
	from = b.p[0] == '-';
	digits = b.n - from;
	bits = (digits - 1) * 4;
	for (unsigned top = (unsigned)(b.p[from] <= '9' ? b.p[from] - '0'
							: (b.p[from] | 32) - 'a' + 10);
		top; top >>= 1)
		bits++;
	vt_buf_free(&b);
	return INT_HEAD + DIGIT * (int64_t)((bits + DIGIT_BITS - 1) / DIGIT_BITS);
}

static int64_t
int_size(int64_t i)
{
	uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	int64_t n = INT_HEAD + DIGIT;

	for (u >>= DIGIT_BITS; u; u >>= DIGIT_BITS)
		n += DIGIT;
	return n;
}

/* Room that a list of n has when it grew one by one, or was cut back to n from a guess. */
static int64_t
grown(int64_t n)
{
	return n ? (n + (n >> 3) + 6) & ~(int64_t)3 : 0;
}

/* When appending made the list: the room of the step that n fell into. */
static int64_t
appended(int64_t n, int64_t room)
{
	while (room < n)
		room = grown(room + 1);
	return room;
}

/* list() over what has no length starts with room for 8 and gives back what is not half used. */
static int64_t
collected(int64_t n)
{
	return n == 0 ? 0 : n < 4 ? grown(n) : appended(n, 8);
}

static int64_t
list_room(int64_t n, unsigned how)
{
	switch ((enum vt_list_how)(how & 0xff)) {
	case VT_LIST_APPENDED: break;
	case VT_LIST_SET:
	case VT_LIST_COLLECTED: return collected(n);
	case VT_LIST_COPIED: return (n + 1) & ~(int64_t)1;
	case VT_LIST_EXACT: return n;
	case VT_LIST_SPLIT: return appended(n, how >> 8);
	case VT_LIST_INSERTED: return (n & ~(int64_t)1) < n ? grown(n) : n;
	}
	return appended(n, 0);
}

/* Entries are two words while all keys are strings, and three with the hash otherwise. */
static int64_t
dict_size(int64_t n, bool strings)
{
	int64_t slots = 8;

	if (n == 0)
		return DICT_HEAD;
	while (slots * 2 / 3 < n)
		slots *= 2;
	return DICT_HEAD + DICT_KEYS +
	       slots * (slots <= 128            ? 1
			       : slots <= 32768 ? 2
						: 4) +
	       slots * 2 / 3 * (strings ? 16 : 24);
}

static bool
only_strings(const vt_dict *d)
{
	vt_value key, v;

	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &v);)
		if (!vt_is(key, STR))
			return false;
	return true;
}

/* A set of n members that began with so many slots and got the others one by one. */
static int64_t
set_size(int64_t n, unsigned log2)
{
	int64_t slots = log2 ? (int64_t)1 << log2 : 8, used;

	for (;;) {
		used = ((slots - 1) * 3 + 4) / 5; /* the member that makes it grow */
		if (n < used)
			break;
		used *= used > 50000 ? 2 : 4;
		while (slots <= used)
			slots *= 2;
	}
	return SET_HEAD + (slots > 8 ? 16 * slots : 0);
}

/* Slots of the copy of a set, and of what another set is poured into: at once so many that it is
 * half full. */
static unsigned
poured(unsigned log2, int64_t have, int64_t more)
{
	if ((have + more) * 5 >= (((int64_t)1 << log2) - 1) * 3)
		for (log2 = 3; (int64_t)1 << log2 <= (have + more) * 2;)
			log2++;
	return log2;
}

unsigned
vt_py_union_slots(int64_t left, int64_t right)
{
	return poured(poured(3, 0, left), left, right);
}

/* first: where in its block the oldest item stands. */
int64_t
vt_py_deque_size(int64_t n, int64_t first)
{
	return DEQUE_HEAD + DEQUE_BLOCK * ((first + n + DEQUE_ITEMS - 1) / DEQUE_ITEMS);
}

/* sys.getsizeof */
static int64_t
vt_py_size(vt_value v)
{
	if (vt_is_int(v))
		return int_size(vt_toint(v));
	if (vt_is(v, FLOAT))
		return FLOAT;
	if (!vt_is_ptr(v))
		return vt_is_bool(v) ? INT_HEAD + DIGIT : v == VT_NULL ? NONE : INSTANCE;
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_FLOAT: return FLOAT;
	case VT_K_BIGINT: return big_size(v);
	case VT_K_STR: return str_size(vt_as_str(v));
	case VT_K_TUPLE: return TUPLE_HEAD + 8 * (int64_t)vt_as_list(v)->n;
	case VT_K_LIST: return LIST_HEAD + 8 * list_room(vt_as_list(v)->n, vt_head_of(v)->aux);
	case VT_K_DICT:
		return vt_head_of(v)->flags & VT_F_FROZEN
			       ? INSTANCE
			       : dict_size(vt_dict_len(vt_as_dict(v)), only_strings(vt_as_dict(v)));
	case VT_K_SET: return set_size(vt_set_len(vt_as_set(v)), vt_head_of(v)->aux);
	case VT_K_ITER: return VT_AS(vt_iter, v)->ops->size;
	case VT_K_VIEW: return 40;
	case VT_K_LAMBDA: return FUNCTION;
	case VT_K_DATETIME: return 48;
	case VT_K_TIMESPAN: return 40;
	case VT_K_REGEX: return 160; /* grows with its code, which is not the same here */
	case VT_K_ORDERING:
	case VT_K_MEMO:
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
	return INSTANCE;
}

/* ---- points --------------------------------------------------------------------------------- */

vt_status
vt_quota_value(vt_rt *rt, vt_value v)
{
	return rt->s->quota == 0 ? VT_OK : vt_quota_bytes(rt, (double)vt_py_size(v));
}

vt_status
vt_quota_expression(vt_rt *rt)
{
	return vt_quota_bytes(rt, INSTANCE);
}

vt_status
vt_quota_sum(vt_rt *rt, uint32_t n, const vt_value *v)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (double)vt_py_size(v[i]);
	return vt_quota_bytes(rt, sum);
}

vt_status
vt_quota_dict(vt_rt *rt, const vt_dict *d, vt_value newest, bool *strings)
{
	*strings &= vt_is(newest, STR);
	return vt_quota_bytes(rt, (double)dict_size(vt_dict_len(d), *strings));
}

vt_status
vt_quota_dict_copy(vt_rt *rt, const vt_dict *d)
{
	return vt_quota_bytes(rt, (double)dict_size(vt_dict_len(d), only_strings(d)));
}

vt_status
vt_quota_set(vt_rt *rt, const vt_set *s)
{
	return vt_quota_bytes(
		rt, (double)set_size(vt_set_len(s), ((const vt_head *)(const void *)s)->aux));
}

vt_status
vt_quota_repeat(vt_rt *rt, vt_value v, int64_t times)
{
	double head = vt_is(v, STR) ? 49 : LIST_HEAD, base = head * (1.0 - (double)times);

	VT_TRY(vt_quota_bytes(rt, base));
	return vt_quota_bytes(rt, base + (double)times * (double)vt_py_size(v));
}

/* ---- how large a value would be if it were written ------------------------------------------ */

/*
 * Values share their parts. A list that has a list twice, which has a list twice, and so on, takes
 * a few bytes of memory and more than any disk has when it is printed. So whoever makes values
 * from values measures them, and stops at a limit: that costs no more than the limit.
 */
enum { LEAST = 4, DEEPEST = 2000 };

static bool measure(vt_value, uint64_t *left, uint32_t depth);

static bool
take(uint64_t *left, uint64_t n)
{
	bool enough = *left >= n;
	*left = enough ? *left - n : 0;
	return enough;
}

static bool
measure_list(const vt_list *l, uint64_t *left, uint32_t depth)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!measure(l->v[i], left, depth))
			return false;
	return true;
}

static bool
measure_dict(const vt_dict *d, uint64_t *left, uint32_t depth)
{
	vt_value key, v;

	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &v);)
		if (!measure(key, left, depth) || !measure(v, left, depth))
			return false;
	return true;
}

static bool
measure(vt_value v, uint64_t *left, uint32_t depth)
{
	if (!take(left, LEAST))
		return false;
	if (vt_is(v, STR))
		return take(left, vt_as_str(v)->bytes);
	if (!vt_is_sequence(v) && !vt_is(v, DICT))
		return true;
	if (depth == DEEPEST)
		return false;
	return vt_is(v, DICT) ? measure_dict(vt_as_dict(v), left, depth + 1)
			      : measure_list(vt_as_list(v), left, depth + 1);
}

bool
vt_takes_at_most(vt_value v, uint64_t *left)
{
	return measure(v, left, 0);
}

/*
 * vti.h - inside the runtime.  Each .c file here includes this and not vt.h.
 *
 * Sections name the file that implements them.  Third-party libraries stay in one file each:
 * bigint.c (GMP), regex.c (PCRE2), hostlua*.c (Lua).
 */
#ifndef VTI_H
#define VTI_H

#include "vt.h"

#include "runtime/core/base.h"
#include "runtime/core/siphash.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define unlikely(x) __builtin_expect(!!(x), 0)
#define likely(x) __builtin_expect(!!(x), 1)
#define VT_TRY(e) \
	do { \
		vt_status st_ = (e); \
		if (unlikely(st_ != VT_OK)) \
			return st_; \
	} while (0)
#define VT_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- heap.c: slab free lists ------------------------------------------------------------------
 * Chunks of 64 KiB, aligned, whose header names the heap: freeing needs no session.  Sizes above
 * 512 bytes come from malloc (VT_F_LARGE).  Out of memory ends the process with status 3.
 */
typedef struct vt_heap vt_heap;
vt_heap *vt_heap_new(void);
void vt_heap_destroy(vt_heap *);
/* counted objects alive: a debug session fails when not 0 at its end */
uint64_t vt_heap_live(const vt_heap *);
/* A zeroed-header object of `size` bytes with rc 1. */
void *vt_alloc(vt_rt *, size_t size, enum vt_kind);
void vt_free_mem(void *head); /* gives the memory back; the kind's finaliser has run */
/* vt_free for kinds that hold others: runs the finaliser, now or, when they are nested deep,
 * later. */
void vt_free_with(vt_head *, void (*drop)(vt_head *));
void (*vt_finaliser(unsigned kind))(vt_head *); /* value.c; NULL: plain memory */
/* str.c: makes the bytes valid UTF-8. */
void vt_buf_repair(vt_buf *);

/* ---- representation of the kinds ---- */

/* DICT: insertion-ordered.  dict.c hides shapes and hashing behind these functions. */
typedef struct vt_dict vt_dict;
typedef struct vt_set vt_set; /* SET: insertion-ordered, hashed */

typedef struct vt_lambda {
	vt_head h;
	const vt_code *code; /* NULL: native below */
	vt_scope *scope;     /* counted; where the lambda was written */
	vt_status (*native)(vt_rt *, void *data, uint32_t n, const vt_value *args, vt_value *out);
	void (*native_free)(void *data);
	void *data;
	uint8_t method; /* Lambda[method]: called with the receiver as an argument */
} vt_lambda;

typedef struct vt_mapping {
	vt_head h;
	vt_value key, value;
} vt_mapping;
/* h.aux tells what %Z shows: "UTC" at offset 0 and else nothing; UTC+hh:mm; the name in `zone`, set
 * only then. */
enum vt_zone { VT_ZONE_OFFSET, VT_ZONE_FIXED, VT_ZONE_NAMED };
#define vt_is_date(v) (vt_is(v, DATETIME) && vt_head_of(v)->aux == VT_DATE_ONLY)
typedef struct vt_timespan {
	vt_head h;
	int64_t us;
} vt_timespan;
typedef struct vt_view_obj {
	vt_head h;
	vt_value dict;
} vt_view_obj; /* h.aux: enum vt_view */
/* iterator and the tuple so far */
typedef struct vt_memo {
	vt_head h;
	vt_value source;
	vt_value seen;
} vt_memo;

vt_iter *vt_iter_new(vt_rt *, const vt_iter_ops *); /* all v VT_UNDEF, i 0, p NULL */

#define VT_KIND(v) (vt_is_ptr(v) ? (int)vt_head_of(v)->kind : -1)
#define vt_is(v, K) (vt_is_ptr(v) && vt_head_of(v)->kind == VT_K_##K)
#define VT_AS(T, v) ((T *)(uintptr_t)(v))
/* not bool */
static inline bool
vt_is_integer(vt_value v)
{
	return vt_is_int(v) || vt_is(v, BIGINT);
}
/* not bool */
static inline bool
vt_is_number(vt_value v)
{
	return vt_is_integer(v) || vt_is(v, FLOAT);
}
static inline bool
vt_is_sequence(vt_value v)
{
	return vt_is(v, TUPLE) || vt_is(v, LIST);
}

/* ---- str.c ---- */
/* FNV-1a 64 folded, never 0; the emitter computes the same */
uint64_t vt_hash_bytes(const char *, size_t);
vt_value vt_str_new(vt_rt *, const char *, size_t bytes); /* bytes are valid UTF-8 */
vt_value vt_str_c(vt_rt *, const char *);
/* to be filled at *at with that many code points */
vt_value vt_str_room(vt_rt *, size_t bytes, uint32_t points, char **at);
/* bytes [p, p + n) of it */
vt_value vt_str_part(vt_rt *, const vt_str *of, const char *p, size_t n);
vt_value vt_str_concat(vt_rt *, const vt_str *, const vt_str *); /* at most 2 GiB together */
vt_value vt_str_printf(vt_rt *, const char *, ...) VT_PRINTF(2, 3);
/* makes a string of the buffer and empties it */
vt_value vt_str_take(vt_rt *, vt_buf *);
static inline const vt_str *
vt_as_str(vt_value v)
{
	return VT_AS(vt_str, v);
}
/* A string's hash: 0 in the field means not computed yet. */
static inline uint64_t
vt_str_hash(const vt_str *s)
{
	if (unlikely(s->hash == 0))
		((vt_str *)(uintptr_t)s)->hash = vt_hash_bytes(s->s, s->bytes);
	return s->hash;
}
int vt_str_cmp(const vt_str *, const vt_str *); /* by code points */
bool vt_str_eq(const vt_str *, const vt_str *);
/* byte offset of a code point index; O(1) if ASCII */
size_t vt_str_offset(const vt_str *, uint32_t point);
/* code points [from, to) */
vt_value vt_str_sub(vt_rt *, const vt_str *, uint32_t from, uint32_t to);
/* code point index or -1 */
int64_t vt_str_find(const vt_str *, const vt_str *needle, uint32_t from, uint32_t to);
int64_t vt_str_rfind(const vt_str *, const vt_str *needle, uint32_t from, uint32_t to);
/* decodes one code point of valid UTF-8 */
uint32_t vt_utf8_next(const char **p);
void vt_utf8_put(vt_buf *, uint32_t cp);
size_t vt_utf8_check(const char *, size_t);                 /* length of the valid prefix */
bool vt_utf8_count(const char *, size_t, uint32_t *points); /* false: not valid */

/* ---- unicode.c ---------------------------------------------------------------------------- */
/* full Unicode mapping, as str.upper() */
vt_value vt_str_upper(vt_rt *, const vt_str *);
vt_value vt_str_lower(vt_rt *, const vt_str *); /* with the final sigma rule */
bool vt_is_space(uint32_t cp);                  /* str.isspace() of one code point */
int vt_digit_value(uint32_t cp);                /* decimal digit of any script, or -1 */
bool vt_is_printable(uint32_t cp);              /* for repr */
bool vt_is_word(uint32_t cp);                   /* \w: letter, digit or underscore */

/* ---- bigint.c (GMP) and number.c: Python int and float ---- */
vt_value vt_int_new(vt_rt *, int64_t); /* any 64-bit value */
/* an integer (or bool) that fits 64 bits */
bool vt_int_fits(vt_value, int64_t *out);
/* An integer as 62 bits, one that is too large as the nearest of them: sums of two do not
 * overflow. */
int64_t vt_int_clamped(vt_value);
/* digits only, optional sign */
vt_status vt_int_parse(vt_rt *, const char *, size_t, int base, vt_value *out);
/* int(str) of Python: blanks, underscores, any script's digits. False: not a number (no exception
 * set). */
bool vt_int_from_str(vt_rt *, const vt_str *, vt_value *out);
/* truncates; OverflowError, ValueError */
vt_status vt_float_to_int(vt_rt *, double, vt_value *out);
static inline double
vt_as_float(vt_value v)
{
	return VT_AS(vt_float, v)->d;
}
/* Any number or bool as a double; OverflowError when an int is too large. */
vt_status vt_num_double(vt_rt *, vt_value, double *out);
bool vt_float_from_str(const vt_str *, double *out); /* float(str) of Python */
/* decimal literal, optional minus; any locale */
bool vt_float_parse(const char *, size_t, double *out);
void vt_float_repr(vt_buf *, double); /* shortest repr: 1.0 1e+20 nan */
/* decimal, or 16/8/2 without prefix; sign in front */
void vt_int_repr(vt_buf *, vt_value, int base);
/* Python's operators over numbers and bools (bool counts as 0/1). TypeError otherwise. */
/* VT_OP_ADD .. VT_OP_MOD */
vt_status vt_num_binary(vt_rt *, int op, vt_value a, vt_value b, vt_value *out);
/* -1 0 1, 2 when a NaN is involved; exact int/float */
int vt_num_cmp(vt_value a, vt_value b);
vt_status vt_num_neg(vt_rt *, vt_value, vt_value *out);
vt_status vt_num_pow(vt_rt *, vt_value a, vt_value b, vt_value mod /* or VT_NULL */, vt_value *out);
vt_status vt_num_round(vt_rt *, vt_value, int64_t ndigits, vt_value *out);
enum { VT_BIT_AND, VT_BIT_OR, VT_BIT_XOR, VT_BIT_SHL, VT_BIT_SHR };
vt_status vt_int_bits(vt_rt *, int op, vt_value a, vt_value b, vt_value *out);
vt_status vt_int_not(vt_rt *, vt_value, vt_value *out);
/* equal numbers hash alike: 1 == 1.0 == True */
uint64_t vt_num_hash(vt_value);
/* Makes integers end the process as vt_no_memory does, and not by an abort; for programs that are
 * vetro's own. */
void vt_big_own_memory(void);
/* bigint.c for number.c: integers of any size (and bools), at least one of them usually a
 * BIGINT. */
/* DIV floors; b is not 0 */
vt_status vt_big_binary(vt_rt *, int op, vt_value a, vt_value b, vt_value *out);
int vt_big_cmp(vt_value a, vt_value b);
int vt_big_cmp_double(vt_value a, double finite);
int vt_big_sign(vt_value);
/* nearest, ties to even; false: too large */
bool vt_big_double(vt_value, double *out);
vt_value vt_big_from_double(vt_rt *, double integral);
/* nearest to digits * 10^e, ties to even; infinite when too large */
double vt_big_decimal(const char *digits, size_t n, int64_t e);
uint64_t vt_big_hash(vt_value);
uint64_t vt_big_hash_keyed(vt_value, const vt_seed *); /* vt_hash_magnitude of it */
vt_status vt_big_pow(vt_rt *, vt_value a, uint64_t b, vt_value *out);
/* m is not 0 */
vt_status vt_big_powmod(vt_rt *, vt_value a, vt_value b, vt_value m, vt_value *out);
/* to a multiple of 10^digits, half to even */
vt_value vt_big_round(vt_rt *, vt_value, uint64_t digits);

/* ---- list.c, dict.c, set.c ---- */
/* n items VT_UNDEF, to be filled */
vt_list *vt_list_new(vt_rt *, enum vt_kind tuple_or_list, uint32_t n);
vt_list *vt_list_grow(vt_rt *, enum vt_kind, uint32_t cap); /* n == 0, room for cap */
/* builder: only while rc == 1 */
void vt_list_push(vt_rt *, vt_list *, vt_value owned);
/* in place of item i, of a list that nobody else has */
void vt_list_put(vt_list *, uint32_t i, vt_value owned);
void vt_list_extend(vt_rt *, vt_list *, uint32_t n, const vt_value *items); /* pushes copies */
static inline vt_list *
vt_as_list(vt_value v)
{
	return VT_AS(vt_list, v);
}
/* takes the items over */
vt_list *vt_list_owned(vt_rt *, enum vt_kind, uint32_t n, const vt_value *);
/* the same, behind others; flags stay */
void vt_list_append(vt_rt *, vt_list *, uint32_t n, const vt_value *);
/* gives unused room back */
void vt_list_trim(vt_list *);
void vt_list_free(vt_head *);

vt_dict *vt_dict_new(vt_rt *, bool frozen);
vt_dict *vt_dict_new_cap(vt_rt *, bool frozen, uint32_t cap); /* room for cap pairs */
vt_dict *vt_dict_new_hashed(vt_rt *, bool frozen);            /* never takes a shape */
uint32_t vt_dict_len(const vt_dict *);
/* Borrowed value or VT_UNDEF.  An unhashable key is TypeError through the _set form only; the get
 * form treats it as absent, so check vt_hashable first where Python would raise. */
vt_value vt_dict_get(const vt_dict *, vt_value key);
vt_value vt_dict_get_str(const vt_dict *, const vt_str *key);
vt_value vt_dict_get_c(const vt_dict *, const char *key);
/* Fast path of `.name`: remembers shape and slot in the cache. */
vt_value vt_dict_get_ic(const vt_dict *, const vt_str *key, vt_ic *);
/* copies both; builder: while rc == 1 */
vt_status vt_dict_set(vt_rt *, vt_dict *, vt_value key, vt_value value);
void vt_dict_set_c(vt_rt *, vt_dict *, const char *key, vt_value owned);
bool vt_dict_del(vt_rt *, vt_dict *, vt_value key);
/* The values of a dictionary with a shape, to be changed in place; NULL for others. */
vt_value *vt_dict_record(vt_dict *, uint32_t *n);
/* for tests: places a lookup looks at */
uint32_t vt_dict_probes(const vt_dict *, vt_value key);
/* Iteration by position: 0 .. while it returns true; deleted entries are skipped inside. */
bool vt_dict_at(const vt_dict *, uint32_t *pos, vt_value *key, vt_value *value); /* borrowed */
vt_dict *vt_dict_copy(vt_rt *, const vt_dict *, bool frozen);
static inline vt_dict *
vt_as_dict(vt_value v)
{
	return VT_AS(vt_dict, v);
}
void vt_dict_free(vt_head *);
struct vt_shapes;
struct vt_shapes *vt_shapes_new(void);
void vt_shapes_destroy(struct vt_shapes *);

vt_set *vt_set_new(vt_rt *);
uint32_t vt_set_len(const vt_set *);
bool vt_set_has(const vt_set *, vt_value);
vt_status vt_set_add(vt_rt *, vt_set *, vt_value); /* TypeError: unhashable */
bool vt_set_del(vt_set *, vt_value);
bool vt_set_at(const vt_set *, uint32_t *pos, vt_value *item);
static inline vt_set *
vt_as_set(vt_value v)
{
	return VT_AS(vt_set, v);
}
void vt_set_free(vt_head *);

/* ---- quota.c: memoryQuota of the reference's engine, in CPython's sizes ---- */
/* How the reference made a LIST, in its head's aux: that tells how much room it has. */
enum vt_list_how {
	VT_LIST_APPENDED,  /* one by one */
	VT_LIST_SET,       /* a set that became a list: JSON shows it so; collected */
	VT_LIST_COLLECTED, /* list(generator) */
	VT_LIST_COPIED,    /* list(tuple) */
	VT_LIST_EXACT,     /* list + list, list * n, slices */
	/* str.split(): the room that it began with is in the upper byte */
	VT_LIST_SPLIT,
	VT_LIST_INSERTED /* list(tuple), then one insert() */
};
#define vt_metered(rt) unlikely((rt)->s->quota > 0)
int64_t vt_py_size(vt_value); /* sys.getsizeof */
/* log2 of the slots of left.union(right): aux of that SET */
unsigned vt_py_union_slots(int64_t left, int64_t right);
int64_t vt_py_deque_size(int64_t n, int64_t first);
/* MemoryQuotaExceededException when there is a quota and this is more. */
vt_status vt_quota_bytes(vt_rt *, double bytes);
vt_status vt_quota_value(vt_rt *, vt_value);
vt_status vt_quota_expression(vt_rt *); /* what an unevaluated argument takes */
vt_status vt_quota_sum(vt_rt *, uint32_t n, const vt_value *);
vt_status vt_quota_repeat(vt_rt *, vt_value, int64_t times);
/* A dict that just got that key; *strings starts as true: were all keys strings so far? */
vt_status vt_quota_dict(vt_rt *, const vt_dict *, vt_value newest, bool *strings);
vt_status vt_quota_dict_copy(vt_rt *, const vt_dict *); /* dict(d) */
vt_status vt_quota_set(vt_rt *, const vt_set *);

/* ---- message.c: messages on standard error, without what a terminal would obey ---- */
void vt_tell(vt_buf *); /* a line; takes the buffer */
/* as it is: with its line's end, or the beginning of a line */
void vt_say(const char *, ...) VT_PRINTF(1, 2);
void vt_vsay(const char *, va_list);

/* ---- hash.c: equal values have equal hashes ---- */
bool vt_hashable(vt_value);
uint64_t vt_hash(vt_value);                 /* of a hashable value */
bool vt_hash_try(vt_value, uint64_t *hash); /* false: unhashable */
/* of a hashable value; nobody can foresee it */
uint64_t vt_hash_keyed(const vt_seed *, vt_value);
/* the lowest first */
uint64_t vt_hash_magnitude(const vt_seed *, const uint64_t *limb, size_t n, bool negative);

/* ---- value.c: what all kinds share ---- */
/* below it equality, hashing and text stop */
enum { VT_VALUE_DEPTH = 1000 };
/* Python == without a session: same as vt_equal */
bool vt_eq(vt_value a, vt_value b);
/* as containers compare items: identical or equal */
bool vt_same(vt_value a, vt_value b);
bool vt_is_final(vt_value); /* nothing for vt_final to do */
/* raises TypeError: unhashable type: 'list' */
vt_status vt_unhashable(vt_rt *, vt_value);
/* Hooks of kinds that other files own; absent in a program that has no such values. */
void vt_regex_free(vt_head *) __attribute__((weak));
bool vt_regex_equal(const vt_head *, const vt_head *) __attribute__((weak));
/* NULL: the plain hash */
uint64_t vt_regex_hash(const vt_head *, const vt_seed *) __attribute__((weak));
void vt_regex_repr(vt_buf *, const vt_head *) __attribute__((weak));
/* {"$regex": ..,"flags": ..} */
void vt_regex_json(vt_buf *, const vt_head *) __attribute__((weak));
vt_status vt_regex_make(vt_rt *, vt_value pattern, int64_t flags, vt_value *out)
	__attribute__((weak));
/* forgets the session's compiled expressions */
void vt_regex_drop(vt_rt *) __attribute__((weak));
void vt_scope_fini(vt_head *);
void vt_lambda_fini(vt_head *);
/* ISO 8601 as str(datetime) shows it, with `sep` between date and time; str(timedelta). */
void vt_datetime_text(vt_buf *, const vt_datetime *, char sep);
void vt_timespan_text(vt_buf *, const vt_timespan *);
vt_value vt_datetime_value(vt_rt *, int64_t us, int32_t offset, bool naive);
vt_value vt_timespan_value(vt_rt *, int64_t us);
void vt_civil(int64_t us, int *y, int *mo, int *d, int *h, int *mi, int *s, int *frac);
/* format(datetime, spec) */
vt_status vt_datetime_strftime(vt_rt *, vt_buf *, const vt_datetime *, const char *format, size_t);
/* midnight, microseconds since 0001-01-01 */
int64_t vt_civil_us(int y, int mo, int d);
int vt_days_in_month(int year, int month);
static inline bool
vt_is_leap(int y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}
/* "int", "str", "tuple", "FrozenDict" ... as Python names it */
const char *vt_py_type(vt_value);
void vt_repr(vt_rt *, vt_buf *, vt_value);  /* Python repr() */
void vt_pystr(vt_rt *, vt_buf *, vt_value); /* Python str(): True, None, (1, 'a') */
/* YAQL str(): true, null at top level, else Python str() */
void vt_yaqlstr(vt_rt *, vt_buf *, vt_value);
/* murano helpers.format_scalar: strings in '', the rest str() */
void vt_format_scalar(vt_rt *, vt_buf *, vt_value);

/* What Python takes for a set: also a dict's keys and items. */
static inline bool
vt_is_set_like(vt_value v)
{
	return vt_is(v, SET) || (vt_is(v, VIEW) && vt_head_of(v)->aux != VT_VIEW_VALUES);
}

/* vt_final of a value that is given away, also on error. */
static inline vt_status
vt_final_own(vt_rt *rt, const vt_unit *u, vt_value owned, vt_value *out)
{
	vt_status st;
	if (likely(!vt_is_ptr(owned) || vt_head_of(owned)->kind <= VT_K_STR ||
		    (vt_head_of(owned)->flags & VT_F_FINAL))) {
		*out = owned;
		return VT_OK;
	}
	st = vt_final(rt, u, owned, out);
	vt_release(owned);
	return st;
}

/* ---- iter.c ---- */
/* YAQL's Iterable: dicts only with iterable_dicts */
bool vt_is_iterable(const vt_unit *, vt_value);
/* An iterator over any Python-iterable value (dict: keys, str: characters). TypeError otherwise.
 * Owned. */
vt_status vt_iterate(vt_rt *, vt_value, vt_value *iter);
/* the same; an ordering is sorted when its first item is wanted */
vt_status vt_iterate_later(vt_rt *, vt_value, vt_value *iter);
/* The same through Iterable's limiter (limitIterators of the unit): what an Iterable parameter
 * gives. */
vt_status vt_iterate_limited(vt_rt *, const vt_unit *, vt_value, vt_value *iter);
/* Is the stack of this task nearly used up?  Recursion then either fails or goes on with
 * vt_on_segment. */
static inline bool
vt_stack_low(const vt_rt *rt)
{
	return unlikely((uintptr_t)__builtin_frame_address(0) < rt->stack_limit);
}
/* What recursion that fails may use of a task's stack beyond the point where calls go on
 * elsewhere. */
#if defined(__SANITIZE_ADDRESS__)
enum { VT_STACK_SLACK = 1536 << 10 };
#else
enum { VT_STACK_SLACK = 192 << 10 };
#endif
/* May recursion that counts in rt->depth not go deeper? */
static inline bool
vt_too_deep(const vt_rt *rt)
{
	return unlikely(rt->depth >= rt->max_depth) ||
	       unlikely((uintptr_t)__builtin_frame_address(0) + VT_STACK_SLACK < rt->stack_limit);
}
vt_status vt_next_in_task(vt_rt *, vt_value iter, vt_value *out); /* task.c */
/* A tower of iterators is recursion as much as calls are, and is bounded like them. */
static inline vt_status
vt_next(vt_rt *rt, vt_value iter, vt_value *out)
{
	vt_status st;
	*out = VT_UNDEF;
	if (unlikely(rt->stack_limit != 0))
		return vt_next_in_task(rt, iter, out);
	if (unlikely(rt->depth >= rt->max_depth))
		return vt_iter_too_deep(rt);
	rt->depth++;
	st = VT_AS(vt_iter, iter)->ops->next(rt, VT_AS(vt_iter, iter), out);
	rt->depth--;
	return st;
}
/* The condition of a loop over an iterator: the next item, which the body owns; st tells how it
 * ended. */
#define VT_EACH(rt, iter, item, st) \
	((st) == VT_OK && ((st) = vt_next(rt, iter, &(item))) == VT_OK && (item) != VT_UNDEF)
/* tuple(x): a tuple is returned as is */
vt_status vt_to_tuple(vt_rt *, const vt_unit *, vt_value, vt_value *out);
/* The items of anything iterable as a new tuple or list. */
vt_status vt_collect(vt_rt *, const vt_unit *, vt_value, enum vt_kind, vt_value *out);
/*
 * An endless iterator must not eat the machine where a collection has to be whole.  The limit is
 * far above what a program means; the unit's limitIterators, where it is set, is below it.
 */
enum { VT_MOST_ITEMS = 20000000 };
vt_status vt_too_large(vt_rt *, int64_t limit);             /* CollectionTooLargeException */
vt_status vt_list_keep(vt_rt *, vt_list *, vt_value owned); /* vt_list_push within VT_MOST_ITEMS */
vt_value vt_memo_new(vt_rt *, vt_value owned_iter);
/* toList() of the legacy layer makes lists where the standard one makes tuples. */
static inline enum vt_kind
vt_list_kind(const vt_unit *u)
{
	return u != NULL && (u->layers & VT_L_LEGACY) ? VT_K_LIST : VT_K_TUPLE;
}
/* len() of sized kinds; -1 when not sized */
vt_status vt_len(vt_rt *, vt_value, int64_t *n);
/* Data of the caller for `$`, and what #finalize gives back, by the options of the unit: yaql.md
 * 3.3. */
vt_status vt_convert_input(vt_rt *, const vt_unit *, vt_value, vt_value *out);
vt_status vt_convert_output(vt_rt *, const vt_unit *, vt_value, vt_value *out);
/* takes the value, also on error */
vt_status vt_convert_output_own(vt_rt *, const vt_unit *, vt_value owned, vt_value *out);
/* join.c: join() by an equation over a right side that is a list of dicts. */
bool vt_can_look_up(vt_rt *, vt_value left, vt_value right, vt_value predicate);
vt_status vt_join_by_key(struct vt_args *, vt_value *out);
/* v[0]: an iterator; v[1]: the lambda that makes the items of its items */
extern const vt_iter_ops vt_map_ops;
/* An iterator over a tuple that is given away. */
vt_value vt_iter_over(vt_rt *, vt_value owned_list);
/* ORDERING: orderBy's value; see lib/queries.c. */
typedef struct vt_ordering {
	vt_head h;
	vt_value source; /* anything iterable */
	/* list of lambdas; aux bit i of `down` tells the direction of the i-th */
	vt_value keys;
	uint64_t down;
	vt_value sorted; /* tuple after the first iteration, else VT_UNDEF */
	const vt_unit *unit;
	struct vt_ordering *next, **link; /* all of the session: see vt_orderings_break */
} vt_ordering;
vt_status vt_ordering_sorted(vt_rt *, vt_ordering *, vt_value *out); /* borrowed tuple */
void vt_ordering_unlink(vt_ordering *);
/* thenBy() can make an ordering hold a lambda whose scope holds the ordering: the end of a session
 * cuts that. */
void vt_orderings_break(vt_rt *);

/* ---- json_read.c, json_write.c, json_tags.c ---- */
/*
 * Reads one JSON text (RFC 8259; NaN and Infinity refused) into FrozenDict and TUPLE values, or,
 * with VT_JSON_MUTABLE, dict and list.  VT_JSON_TAGGED decodes the value encoding of the
 * conformance suite ({"$int": ..}, {"$set": ..}, {"$datetime": ..}, {"$gen": ..} ...).  On failure
 * *err is a malloc'd message "line L column C: ..." and the result false.  Depth is limited to
 * max_depth (0: 1000).
 */
enum {
	VT_JSON_MUTABLE = 1,
	VT_JSON_TAGGED = 2,
	VT_JSON_TUPLES = 32 /* writer: TUPLE is {"$tuple": ..} */,
	VT_JSON_PYTHON = 64 /* reader: NaN, Infinity and -Infinity, as json.loads() takes them */
};
bool vt_json_read(
	vt_rt *, const char *, size_t, int flags, uint32_t max_depth, vt_value *out, char **err);
/* Reads the value at the front of a text; *used is where it ends (blanks behind it are not used).
 * A number that ends where the text ends might go on in the next piece: who streams pieces asks
 * again with more. */
bool vt_json_read_prefix(vt_rt *, const char *, size_t, int flags, uint32_t max_depth,
	vt_value *out, size_t *used, char **err);
/* Writes JSON; VT_JSON_TAGGED encodes what JSON cannot hold, else sets become arrays, datetimes
 * strings. */
enum { VT_JSON_PRETTY = 4, VT_JSON_SORT = 8, VT_JSON_ASCII = 16 };
void vt_json_write(vt_rt *, vt_buf *, vt_value, int flags);
/* inside of so many containers */
void vt_json_write_at(vt_rt *, vt_buf *, vt_value, int flags, uint32_t depth);
/* yaml_write.c: reads back as the same, by YAML 1.1 and 1.2 */
void vt_yaml_write(vt_rt *, vt_buf *, vt_value);
void vt_json_str(vt_buf *, const char *, size_t); /* a quoted, escaped string */
/* yaml_read.c: one small document of JSON's types; *err (malloc'd: line, column, why) when it is
 * none. */
bool vt_yaml_read(vt_rt *, const char *, size_t, vt_value *out, char **err);

/* ---- regex_parse.c, regex.c (PCRE2): Python's re ---- */
enum {
	VT_RE_IGNORECASE = 2,
	VT_RE_MULTILINE = 8,
	VT_RE_DOTALL = 16,
	VT_RE_UNICODE = 32,
	VT_RE_VERBOSE = 64,
	VT_RE_ASCII = 256
};
typedef struct vt_regex_name {
	vt_value name;
	uint32_t group;
} vt_regex_name;
/* What a pattern becomes for PCRE2; names own their strings. */
typedef struct vt_regex_source {
	vt_buf text;
	int64_t flags;
	uint32_t ngroups, nnames;
	vt_regex_name *names;
} vt_regex_source;
/* re.error */
vt_status vt_regex_translate(vt_rt *, const vt_str *pattern, int64_t flags, vt_regex_source *out);
void vt_regex_source_free(vt_regex_source *);
typedef struct vt_regex {
	vt_head h;
	int64_t flags; /* as Pattern.flags shows them */
	vt_value pattern;
	uint32_t ngroups, nnames; /* groups are numbered from 1 */
	vt_regex_name *names;
	uint32_t used;      /* matches so far, until it is worth machine code */
	void *code, *match; /* of PCRE2 */
	struct vt_dfa *dfa; /* or NULL */
} vt_regex;
/* regex_dfa.c: an automaton for a simple expression without flags, or NULL; does it match anywhere
 * in a text of ASCII? -1: it has become too large, and is of no use any more. */
struct vt_dfa *vt_dfa_new(const vt_str *pattern);
void vt_dfa_free(struct vt_dfa *);
int vt_dfa_test(struct vt_dfa *, const char *, uint32_t n);
/* Does it match anywhere? Of these bytes, which are valid UTF-8. */
vt_status vt_regex_test(vt_rt *, vt_regex *, const char *, uint32_t n, bool ascii, bool *found);
#define VT_RE_UNSET ((size_t)-1)
/* Searches from a byte offset on. *spans: NULL, or start and end of each group, [0] the whole;
 * until the next call. */
vt_status vt_regex_match(vt_rt *, vt_regex *, const vt_str *, size_t from, bool no_empty_first,
	const size_t **spans);
bool vt_is_identifier(const vt_str *); /* str.isidentifier() */

/* ---- exception.c: exceptions ---- */
/* One row a Python exception class that the references raise. */
enum vt_etype {
#define EXCEPTION(sym, code, shown, fqn) VT_E_##sym,
#include "runtime/core/exceptions.def"
#undef EXCEPTION
	VT_E_COUNT
};
const char *vt_etype_shown(enum vt_etype);
const char *vt_etype_fqn(enum vt_etype);

typedef struct vt_frame {
	const char *file;
	uint32_t line, col;
	char *method, *type, *instruction;
} vt_frame;
/* EXC. A MuranoPL Throw has type VT_E_MURANO_PL and its names; any other one gets its fqn as only
 * name when vt_caught wraps it. */
typedef struct vt_exc {
	vt_head h;
	enum vt_etype type;
	vt_value message; /* str */
	/* tuple of str: Throw's names, resolved; VT_NULL for others until wrapped */
	vt_value names;
	vt_value extra, cause; /* VT_NULL or value; cause is an EXC */
	vt_frame *frames;      /* outermost first */
	uint32_t nframes;
	uint32_t line, col; /* in the expression, for YAQL errors; 0 unknown */
	uint8_t traced;     /* frames have been taken */
	/* the offending value where the reference keeps one (KeyError's key); or VT_UNDEF */
	vt_value arg;
} vt_exc;
/* UnicodeDecodeError for bytes that are UTF-8 up to `at`, as Python words it. */
vt_status vt_raise_utf8(vt_rt *, const char *, size_t n, size_t at);
/* Sets the session's exception (frames taken from rt->act) and returns VT_ERROR. */
vt_status vt_raise(vt_rt *, enum vt_etype, const char *fmt, ...) VT_PRINTF(3, 4);
vt_status vt_raise_value(vt_rt *, enum vt_etype, vt_value owned_message);
vt_status vt_raise_key(vt_rt *, vt_value key); /* KeyError that knows its key */
/* One result, or the error and no value left behind. */
static inline vt_status
vt_settle(vt_status st, vt_value owned, vt_value *out)
{
	if (st == VT_OK)
		*out = owned;
	else
		vt_release(owned);
	return st;
}
vt_exc *vt_pending(vt_rt *); /* borrowed; NULL when none */
void vt_exc_clear(vt_rt *);
vt_value vt_exc_take(vt_rt *); /* owned EXC */
void vt_exc_set(vt_rt *, vt_value owned_exc);
const char *vt_exc_shown_type(vt_exc *);      /* "ValueError"; for Throw its first name */
void vt_exc_str(vt_rt *, vt_buf *, vt_exc *); /* str(): [n1, n2]: message */
/* list of {"file","line","col","method","type","instruction"} */
vt_value vt_exc_frames(vt_rt *, vt_exc *);
/* traceback text, muranopl-engine.md 13 */
void vt_exc_format(vt_rt *, vt_buf *, vt_exc *);

/* ---- scope.c ---- */
vt_scope *vt_scope_root(vt_rt *, const vt_unit *, vt_value data); /* $ = data */
/* vt_scope_end of a branch of Parallel */
void vt_scope_end_branch(vt_rt *, vt_scope *);
void vt_scope_define(vt_rt *, vt_scope *, const vt_str *name, vt_value lambda); /* def() */
vt_scope *vt_scope_heap(vt_rt *, const vt_scope *); /* a copy of one on the stack: vt_scope_local */
/* to contract functions in lambdas; NULL takes it back */
void vt_scope_lend_cx(vt_scope *, vt_cx *);
vt_cx *vt_scope_cx(const vt_scope *); /* or NULL */
/* borrowed lambda of def() visible here, or VT_UNDEF */
vt_value vt_scope_function(vt_scope *, const vt_str *name);
/* is there any function of def() to be seen? */
bool vt_scope_defines(const vt_scope *);
vt_value vt_lambda_new(vt_rt *, const vt_code *, vt_scope *);
/* finalisers: release what the object holds; vt_free gives the memory back */
void vt_scope_fini(vt_head *);
void vt_lambda_fini(vt_head *);
void vt_exc_fini(vt_head *);
void vt_iter_fini(vt_head *);
vt_value vt_lambda_native(vt_rt *,
	vt_status (*)(vt_rt *, void *, uint32_t, const vt_value *, vt_value *), void *data,
	void (*)(void *));
vt_status vt_apply(vt_rt *, vt_value lambda, uint32_t n, const vt_value *args, vt_value *out);
vt_status vt_apply_kw(vt_rt *, vt_value lambda, uint32_t n, const vt_value *args,
	vt_value kwargs_dict, vt_value *out);
/* Lambda[ctx] */
vt_status vt_apply_in(
	vt_rt *, vt_value lambda, vt_scope *ctx, uint32_t n, const vt_value *args, vt_value *out);

/* ---- registry.c (generated tables), linked.c and resolve.c: yaql.md 3.1 ---- */

/* Parameter types of the registry; names in .fn files are the lower-case of these. See
 * docs/HACKING.md. */
/* clang-format off */
#define VT_TYPE_TABLE(X) \
	X(ANY, "any") X(STR, "str") X(INT, "int") /* bool allowed */ X(INTEGER, "integer") /* not bool */ X(NUMBER, "number") \
	X(BOOL, "bool") X(NULL, "null") X(ITERABLE, "iterable") X(ITERATOR, "iterator") X(SEQUENCE, "sequence") \
	X(MAPPING, "mapping") X(SET, "set") X(DATETIME, "datetime") X(TIMESPAN, "timespan") X(REGEX, "regex") \
	X(ORDERING, "ordering") X(TUPLE, "tuple") X(CONTEXT, "context") X(CALLABLE, "callable") \
	X(LAMBDA, "lambda") X(LAMBDA_CTX, "lambda_ctx") X(LAMBDA_METHOD, "lambda_method") X(LAMBDA_CTX_METHOD, "lambda_ctx_method") \
	X(EXPR, "expr") X(RULE, "rule") X(RULE_LAZY, "rule_lazy") X(KEYWORD, "keyword") X(STRING_CONST, "string_const") \
	X(OBJECT, "object") /* MuranoPL object, cast accepted */ X(TYPE, "type") /* type reference or class name */ \
	X(TYPEREF, "typeref") X(NOT_OBJECT, "not_object") X(REFLECT_TYPE, "reflect_type") X(REFLECT_METHOD, "reflect_method") \
	X(REFLECT_PROPERTY, "reflect_property") X(REFLECT_ARGUMENT, "reflect_argument") X(REFLECT_PACKAGE, "reflect_package") \
	X(REFLECT_VERSION, "reflect_version") X(HOST, "host") \
	X(CONST, "const") /* any literal */ X(BOOL_CONST, "bool_const") X(NUMBER_CONST, "number_const") \
	X(MIXED, "(mixed)") /* a|b-c: see vt_fnparam; only for functions of the host */
/* clang-format on */
enum vt_type {
#define X(sym, name) VT_T_##sym,
	VT_TYPE_TABLE(X)
#undef X
		VT_T_COUNT
};

typedef struct vt_args vt_args;
typedef vt_status (*vt_fn)(vt_args *, vt_value *out);

enum {
	VT_FN_FUNCTION = 1,
	VT_FN_METHOD = 2,
	VT_FN_NO_KWARGS = 4,
	VT_FN_PURE = 8,
	VT_FN_EXCLUSIVE = 16,
	VT_FN_CONTEXT = 32 /* reads or keeps the variables of its caller */,
	VT_FN_LEVEL = 0xff00 /* rows of the host: larger is further in; 0 is the level of std */,
	VT_FN_PLACE = 24 /* from this bit on: enum vt_in_place, or 0 */
};
/* the overloads of a name: n of them, or NULL */
const vt_fnrow *vt_fn_find(const char *name, uint32_t *n);
/* the library has it and the program has not: vt_parts */
bool vt_fn_absent(const char *name);

/* What a registry function gets.  v has one bound value a standard parameter, in order. */
struct vt_args {
	vt_rt *rt;
	vt_scope *scope;              /* of the caller: the hidden Context parameter */
	const vt_unit *unit;          /* of the call */
	const vt_site *site;          /* or NULL for calls from C */
	const vt_fnrow *row;          /* or NULL for native methods */
	const vt_method_decl *method; /* native methods, else NULL */
	vt_value self;                /* native methods: the receiver */
	vt_value *v;                  /* borrowed; lambdas for lazy parameters, MAPPING for rules */
	uint32_t nv;
	const vt_value *rest; /* *rest, borrowed */
	uint32_t nrest;
	vt_value kw; /* **kw: a dict, or VT_NULL */
};
/* A call from C by name, with eager positional arguments: Delegate of the reference. */
vt_status vt_call_name(vt_rt *, vt_scope *, const vt_unit *, const char *name, uint32_t n,
	const vt_value *args, vt_value *out);
vt_status vt_call_method_name(vt_rt *, vt_scope *, const vt_unit *, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, vt_value *out);
/* The generic form that `call()` needs: positional values and a dict of keyword values. */
vt_status vt_call_dynamic(vt_rt *, vt_scope *, const vt_unit *, const vt_str *name, vt_value recv,
	vt_value args_seq, vt_value kwargs_dict, vt_value *out);
/* Gives a pending exception that has no place yet the place of the site; returns VT_ERROR. The
 * innermost call tells. */
vt_status vt_placed(vt_rt *, const vt_site *);
/* The function #operator_. with a bare word on the right: what vt_attr does where nothing simpler
 * applies. */
vt_status vt_call_member(vt_rt *, vt_scope *, const vt_unit *, const vt_site *, vt_value a,
	const vt_str *name, vt_value *out);
/* A function of the host calls what its row hides: candidates of outer levels only, on the same
 * receiver form. */
vt_status vt_call_super(
	const vt_args *, uint32_t n, const vt_value *args, const vt_dict *kwargs, vt_value *out);
/* Does the value fit the type? The run-time check of overload resolution. */
bool vt_type_check(const vt_unit *, const vt_fnparam *, vt_value);
/* Comparison through YAQL's operators, as max, min and sorting do it. */
vt_status vt_yaql_less(vt_rt *, vt_scope *, const vt_unit *, vt_value a, vt_value b, bool *out);

/* ---- class.c: linked classes ---- */
/*
 * A vt_class_decl is constant data; a vt_class is its session's linked form: parents resolved,
 * symbols chosen, slots laid out.  Slots: one a (declared property name of the hierarchy) for
 * In..Config, then one a (class, private name) made on first write.
 */
typedef struct vt_slotdef {
	const vt_str *name;
	const vt_prop_decl *decl; /* most derived */
} vt_slotdef;
struct vt_class {
	const vt_class_decl *decl;
	vt_class **parents;
	uint32_t nparents;
	/* self, then ancestors breadth first without repetition */
	vt_class **linear;
	uint32_t nlinear;
	vt_slotdef *slots;
	uint32_t nslots;
	struct vt_symtab *methods, *props; /* chosen symbols, filled on demand; class.c */
	vt_value *statics;                 /* one a Static property declared here; class.c */
	bool destroys;                     /* a class of the hierarchy has .destroy */
	/* class_merge.c: typeref and statics belong to the original */
	bool clone;
	vt_value typeref; /* the one TYPEREF value, immortal */
	/* methods the runtime or Lua adds to the class; or NULL */
	const vt_class_decl *native, *host;
	/* object/init_properties.c: how its objects are initialized; NULL before the first */
	struct vt_init_plan *plan;
	/* model_text.c: how they are written; NULL before the first */
	struct vt_text_plan *text;
};
/* OBJECT. Counted from VT_OBJ_BIAS on: the store frees what collect.c finds nobody to hold. */
#define VT_OBJ_BIAS 0x40000000u
struct vt_object {
	vt_head h;
	vt_class *cls;
	vt_value id; /* str */
	/* behind the object; cls->nslots; VT_UNDEF is not initialised. At its offset emitted code
	 * reads it: vt_record */
	vt_value *v;
	vt_value name;    /* str or null */
	vt_object *owner; /* or NULL */
	vt_object *next;  /* in the store */
	uint8_t initialized, destroyed;
	uint8_t doomed;        /* its destruction is under way, or was at the end of the run */
	uint8_t held;          /* vt_find_held: something that runs, or a class, holds it */
	uint32_t inner, rank;  /* collect.c; object/gc.c */
	uint32_t mark;         /* model_text.c */
	vt_value metadata;     /* ?.metadata, or VT_NULL */
	vt_value designer;     /* dict of ?._* attributes, or VT_NULL */
	vt_value dependencies; /* dict or VT_NULL */
	vt_dict *privates;     /* "FQN.name" -> value; or NULL */
	void *native;          /* state of a native class */
	void (*native_free)(void *);
};
_Static_assert(offsetof(vt_object, cls) == offsetof(vt_record, shape) &&
		       offsetof(vt_object, v) == offsetof(vt_record, v),
	"emitted code reads properties");
typedef struct vt_cast {
	vt_head h;
	vt_object *obj;
	vt_class *cls;
} vt_cast;
typedef struct vt_typeref_obj {
	vt_head h;
	vt_class *cls;
} vt_typeref_obj;
enum vt_reflect {
	VT_R_TYPE,
	VT_R_METHOD,
	VT_R_PROPERTY,
	VT_R_ARGUMENT,
	VT_R_PACKAGE,
	VT_R_VERSION
};
/* h.aux: enum vt_reflect */
typedef struct vt_reflect_obj {
	vt_head h;
	const void *what;
	const void *of;
} vt_reflect_obj;

/* class.c: all that linking made, at the session's end */
void vt_classes_destroy(vt_rt *);
void vt_statics_drop(vt_rt *);  /* before the store goes */
vt_object *vt_obj_of(vt_value); /* OBJECT or CAST */
/* the class it is seen as: of a CAST the ancestor */
vt_class *vt_cls_of(vt_value);
/* cached; raises on bad inheritance */
vt_class *vt_class_link(vt_rt *, const vt_class_decl *, bool *ok);
/* Lookup as K8; raises NoClassFound. name is an FQN. */
vt_class *vt_find_class(vt_rt *, const vt_package_decl *from, const vt_str *name);
/* for ?.type: NoPackageForClassFound */
vt_class *vt_find_class_model(vt_rt *, const char *fqn);
/* ns:Name -> FQN str, owned; KeyError -> VT_UNDEF */
vt_value vt_resolve_name(vt_rt *, const vt_unit *, const vt_str *name);
bool vt_class_is(const vt_class *, const vt_class *ancestor);
/* The method of the class by symbol choice C6; NULL when there is none or (exception set)
 * ambiguous. */
const vt_method_decl *vt_class_method(vt_rt *, vt_class *, const vt_str *name, bool *ambiguous);
const vt_prop_decl *vt_class_prop(vt_rt *, vt_class *, const vt_str *name, bool *ambiguous);
/* Binds site arguments to the method (positional, keywords, VarArgs, KwArgs, defaults, contracts)
 * and runs it. */
vt_status vt_invoke(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs /* dict or VT_NULL */, vt_value *out);
/* What a call would hand to the body: arguments in order (a tuple) and the rest by keyword,
 * contracts applied; what nobody takes comes behind. Both owned. */
vt_status vt_bind_call(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs, vt_value *tuple, vt_value *dict);
/* vt_invoke without contracts and defaults: a missing argument is null. */
vt_status vt_invoke_raw(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs, vt_value *out);
/* Could vt_invoke_plain (vt.h) call it? The arguments are as many as its parameters, given by
 * position, on an object. */
bool vt_method_is_plain(const vt_method_decl *);
/* From outside: only public methods unless exposed by the session. */
vt_status vt_invoke_public(vt_rt *, vt_value target, const vt_str *name, vt_value args_seq,
	vt_value kwargs, vt_value *out);
bool vt_exposed(vt_rt *, const vt_method_decl *); /* may it be called from outside? */
/* The class a name written in the unit means; the answer is cached. NULL: NoClassFound, KeyError,
 * ValueError. */
vt_class *vt_unit_class(vt_rt *, const vt_unit *, const vt_str *prefixed);
vt_status vt_class_merge(vt_rt *, vt_class *); /* C5: one version a package among its ancestors */
vt_class *vt_class_clone(vt_rt *, const vt_class *, vt_class *const *parents);
/* the ancestor (or itself) with that declaration, or NULL */
vt_class *vt_class_seen(vt_class *real, const vt_class_decl *);
/* Methods the class itself declares, the host's and the runtime's first: pos from 0 until NULL. */
const vt_method_decl *vt_own_method(const vt_class *, uint32_t *pos);
/* Everything about a property's name in a class; false when no class of the hierarchy declares
 * it. */
typedef struct vt_propinfo {
	const vt_prop_decl *decl;       /* chosen; NULL when ambiguous */
	const vt_prop_decl *const *all; /* every declaration, breadth first */
	uint32_t nall;
	int32_t slot; /* -1: Static */
	bool ambiguous;
} vt_propinfo;
/* K14; borrowed, VT_UNDEF when not configured */
vt_value vt_class_config(vt_rt *, const vt_class *, const vt_str *name);
bool vt_class_symbol(vt_class *, const vt_str *name, vt_propinfo *out);
const char *vt_class_version(const vt_class_decl *); /* of its package */
bool vt_is_typename(const vt_str *, bool needs_colon);
/* ?.type with the defaults of ?.classVersion and ?.package (NULL: none). */
vt_class *vt_model_class(vt_rt *, const char *type, const char *version, const char *package);
extern const vt_package_decl vt_core_package; /* io.murano, when the program brings none */
extern const vt_unit vt_core_unit;
/* Does the value pass check_type of the i-th parameter? The overload test of Extension methods. */
bool vt_param_check(vt_rt *, const vt_unit *caller, const vt_method_decl *, uint32_t i, vt_value);
/* Does "1.2.3" satisfy a requirement's specification? */
bool vt_version_in(vt_rt *, const char *version, const char *spec);
int vt_version_cmp(const char *, const char *);
/* May code of package `from` see an object as that class?  version: a specification, or VT_NULL:
 * what from requires. */
bool vt_version_fits(vt_rt *, const vt_package_decl *from, const vt_class_decl *, vt_value version);
/* owned: the object itself when cls is its own class */
vt_value vt_upcast(vt_rt *, vt_object *, vt_class *);

/* ---- object.c, store.c, serialize.c ---- */
vt_status vt_get_prop(
	vt_rt *, const vt_unit *caller, vt_value object, const vt_str *name, vt_value *out);
vt_status vt_set_prop(
	vt_rt *, const vt_unit *caller, vt_value object, const vt_str *name, vt_value v);
vt_status vt_get_static(
	vt_rt *, const vt_unit *caller, vt_class *, const vt_str *name, vt_value *out);
vt_status vt_set_static(vt_rt *, const vt_unit *caller, vt_class *, const vt_str *name, vt_value v);
/* One contract over one value: VT_NOVALUE is replaced by dflt. *path (or NULL) is what to put
 * behind the name. */
typedef struct vt_contract_use {
	vt_contract_fn contract;
	const vt_code *dflt;
	const vt_class_decl *cls;          /* declares it */
	vt_value self, owner;              /* as vt_cx */
	const vt_class_decl *calling_type; /* or NULL */
	uint8_t mode;                      /* enum vt_contract_mode */
} vt_contract_use;
vt_status vt_contract_run(
	vt_rt *, const vt_contract_use *, vt_value in, vt_value *out, char **path);
/* Puts "[text] " before the message of a pending ContractViolationException. */
void vt_contract_prefix(vt_rt *, const char *text);
void vt_c_close(vt_cx *);           /* what the contracts run with it have made; not the path */
#define VT_OBJREF ((vt_value)0x16)  /* first pass of a load: a reference the second pass resolves */
#define VT_PASSKEY ((vt_value)0x1a) /* template(): an excluded property; passes every contract */
/* A model ({"?": ..} or {ns:Type: {..}}) becomes an object, in two passes (O4). dflt_type may be
 * NULL. keep_ids as when a whole model is loaded; scope resolves names in the inline form. */
vt_status vt_store_load(vt_rt *, vt_value model, vt_object *owner, vt_class *dflt_type,
	bool keep_ids, const vt_unit *scope, vt_value *out);
/* A whole model to be looked at: contracts and defaults make its properties, but nothing of it
 * runs. */
vt_status vt_store_look(vt_rt *, vt_value model, vt_value *out);
vt_status vt_new_object(vt_rt *, const vt_unit *caller, vt_class *, vt_value params_dict,
	vt_value owner, vt_value name, vt_value extra, vt_value *out);
vt_object *vt_store_find(vt_rt *, const vt_str *id);
/* A dry run makes the objects and applies the contracts, but runs no .init and stores nothing for
 * later. */
vt_status vt_store_template(vt_rt *, vt_value model, vt_object *owner, vt_class *dflt_type,
	const vt_unit *scope, const vt_class_decl *calling, vt_value *out);
/* Objects of dicts below a class() contract: in the running load, or in one of their own. */
vt_status vt_store_nested(vt_rt *, vt_value model, vt_object *owner, vt_class *dflt_type,
	const vt_unit *scope, const vt_class_decl *calling, vt_value *out);
bool vt_store_first_pass(vt_rt *);        /* is an id that is not known yet a forward reference? */
bool vt_writes_allowed(vt_rt *, int set); /* set < 0: tells; else sets, and tells what was */
/* id -> object, in the order in which their loads ended */
const vt_dict *vt_store_ids(vt_rt *);
/* the objects made so far, newest first; NULL starts and ends */
vt_object *vt_object_at(vt_rt *, vt_object *prev);
/* While an object is being initialized: part is the class whose declarations are being read, info
 * of the object's. */
vt_status vt_init_property(vt_rt *, vt_object *, vt_class *part, const vt_prop_decl *,
	const vt_propinfo *info, vt_value, const vt_class_decl *calling);
/* a contract of a load does more than look at its value: the second pass runs it again */
void vt_load_doubt(vt_rt *);
bool vt_store_is_neat(vt_rt *); /* nothing can be garbage: a model was loaded, and nothing ran */
vt_status vt_invoke_init(
	vt_rt *, const vt_method_decl *, vt_value self, vt_value kwargs, vt_value *out);
/* object/gc.c: one entry of dependencies; owned */
vt_value vt_subscription(vt_rt *, vt_object *subscriber, vt_value handler);
void vt_reflect_repr(vt_buf *, const vt_reflect_obj *);
/* reflect.c; owned */
vt_value vt_reflect_new(vt_rt *, enum vt_reflect, const void *what, const void *of);
/* parallel_select; owned iterator */
vt_status vt_select_all(vt_rt *, vt_value list, vt_value lambda, vt_value *out);
/* jsonpatch.c: tuples and lists are alike */
bool vt_json_equal(vt_value, vt_value);
vt_dict *vt_meta_cache(vt_rt *);
/* The merged metadata of a class, or of its method or property of that name: malloc'd, with the
 * class that brings each. */
enum vt_meta_target { VT_META_TYPE, VT_META_METHOD, VT_META_PROPERTY };
typedef struct vt_meta_item {
	vt_class *cls;
	vt_object *item;
} vt_meta_item;
vt_status vt_meta_of(vt_rt *, vt_class *, enum vt_meta_target, const vt_str *name,
	vt_meta_item **out, uint32_t *n);
vt_status vt_meta_of_param(
	vt_rt *, vt_class *, const vt_param_decl *, vt_meta_item **out, uint32_t *n);
/* program/form_schema.c: {name: schema} of a class ("") and its methods. names: a list of texts;
 * VT_NULL: the class and all its model builders. */
vt_status vt_schema_generate(vt_rt *, vt_class *, vt_value names, vt_value *out);
/* The class of that name whose package fits: a version specification, a package's name; each NULL
 * when it does not matter. */
vt_class *vt_schema_class(vt_rt *, const char *name, const char *version, const char *package);
/* Sets `held` of every object: held from outside of the store, by what is held, or because also()
 * says so. */
void vt_find_held(vt_rt *, bool (*also)(const vt_object *));
/* Calls the .destroy methods and onDestruction handlers of all objects that nobody holds (G3),
 * until there are none. */
void vt_store_collect(vt_rt *);
/* The same for all that the model with that root does not hold: the end of a run (G5). */
void vt_store_sweep(vt_rt *, vt_value root);
void vt_forget_subscribers(vt_rt *, vt_object *); /* those that are not held */
bool vt_needs_destruction(const vt_object *);     /* would anything run? */
/* frees objects that nobody holds and whose destruction nobody would see */
void vt_store_free_garbage(vt_rt *);
/* Attributes (O8): key is stored by (object, class, key); a null value deletes. */
/* borrowed, VT_NULL when absent */
vt_value vt_attribute_get(vt_rt *, const vt_object *, const vt_str *cls, vt_value key);
vt_status vt_attribute_set(vt_rt *, const vt_object *, const vt_str *cls, vt_value key, vt_value);
vt_status vt_attribute_put(vt_rt *, vt_value id, const vt_str *cls, vt_value key, vt_value);
/* [[id, class, key, value]...] of these objects */
vt_value vt_attribute_rows(vt_rt *, const vt_set *ids);
vt_value vt_attribute_rows_of(
	vt_rt *, bool (*has)(vt_rt *, vt_value id, const void *), const void *);
void vt_attributes_forget(vt_rt *); /* those of destroyed objects */
vt_object *vt_find_owner(vt_object *, vt_class *);
void vt_store_destroy(vt_rt *);
void vt_init_plan_free(struct vt_init_plan *); /* object/init_properties.c; NULL too */
void vt_text_plan_free(struct vt_text_plan *); /* model_text.c; NULL too */
enum vt_dump { VT_DUMP_SERIALIZABLE, VT_DUMP_INLINE, VT_DUMP_MIXED };
/* {"Objects", "ObjectsCopy", "Attributes"} */
vt_status vt_serialize_model(vt_rt *, vt_value root, vt_value *out);
/* The text of that; what is there already goes to the sink, if there is one, in pieces of that many
 * bytes or more. */
typedef struct vt_sink {
	size_t piece;
	void (*put)(void *ctx, const char *, size_t);
	void *ctx;
} vt_sink;
vt_status vt_write_model(vt_rt *, vt_value root, vt_buf *, const vt_sink *); /* model_text.c */
/* What Objects of it is made from: a tree of dicts in which each reference is the OBJECT, and
 * Attributes. Both owned. */
vt_status vt_serialize_objects(vt_rt *, vt_value root, vt_value *tree, vt_value *rows);
/* dump() and results of actions */
vt_status vt_serialize(vt_rt *, vt_value, enum vt_dump, vt_value *out);
vt_status vt_serialize_refs(vt_rt *, vt_value, enum vt_dump, bool allow_refs, vt_value *out);
void vt_type_string(vt_buf *, const vt_class_decl *); /* FQN/version@package */
/* could it be an object of JSON? */
bool vt_has_text_keys(const vt_dict *);
/* JSON of the suite: {"$object": id, "type": FQN} */
void vt_encode_result(vt_rt *, vt_buf *, vt_value);

/* ---- task.c, lock.c, stack.c, switch.c: green threads; docs/HACKING.md "Green threads" ---- */
/*
 * Tasks take turns on one OS thread and change only where one waits: vt_sleep, vt_wait_fd, vt_lock
 * and the end of vt_run_all.  Between them code is atomic.  Whoever waits must hold nothing that
 * another task could free: values that variables or properties own are copied before.
 */
typedef vt_status (*vt_task_fn)(vt_rt *, void *data, uint32_t index, vt_value *out);
/*
 * Runs fn(data, i) for i in 0..n-1, each in a task of its own and at most `limit` of them at a time
 * (0: all), and waits for all.  The result is that of the first, by position, that did not end with
 * VT_OK: with VT_ERROR its exception, with VT_RETURN its value in *out.  fn keeps its results in
 * data; what it puts in *out is the value of a VT_RETURN.
 */
vt_status vt_run_all(vt_rt *, uint32_t n, uint32_t limit, vt_task_fn, void *data, vt_value *out);
/* A task that nobody waits for; its exception is told on stderr. done(data) runs when it ends,
 * however. */
vt_status vt_spawn(vt_rt *, vt_task_fn, void *data, void (*done)(void *));
vt_status vt_sleep(vt_rt *, double seconds); /* 0 and less: lets the others run once */
enum { VT_FD_READ = 1, VT_FD_WRITE = 2, VT_FD_TIMEOUT = 0 };
/* Waits until the descriptor is ready for one of `events`; seconds < 0: for ever. *ready:
 * VT_FD_TIMEOUT or what it is ready for. */
vt_status vt_wait_fd(vt_rt *, int fd, int events, double seconds, int *ready);
uint64_t vt_task_id(vt_rt *);   /* of the running task; 0 is the session's own */
int64_t vt_task_clock(vt_rt *); /* nanoseconds; virtual time when that is on */
void vt_virtual_time(vt_rt *, bool);
/* of now(); in virtual time it goes on only while tasks sleep */
void vt_wall_clock(vt_rt *, struct timespec *);
bool vt_is_virtual_time(vt_rt *);
/* One task waits for it, or none; it stays set. A task that waits is cancelled as one that
 * sleeps. */
typedef struct vt_event {
	struct vt_task *waiter;
	bool set;
} vt_event;
void vt_event_set(vt_rt *, vt_event *);
/* seconds < 0: for ever. Ask vt_event.set what came. */
vt_status vt_event_wait(vt_rt *, vt_event *, double seconds);
/* another one gets an exception that nothing catches */
void vt_task_cancel(vt_rt *, uint64_t id);
/* Every other task gets an exception that nothing catches, and has ended when this returns. */
void vt_tasks_cancel(vt_rt *);
void vt_tasks_destroy(vt_rt *); /* the session's end; nothing runs any more */
/* runs it on a fresh piece of stack */
vt_status vt_on_segment(vt_rt *, vt_status (*)(vt_rt *, void *), void *data);
/*
 * A method that is running: MuranoPL lets only one task at a time into one method of one object.
 * The record costs nothing until the task waits: then vt_locks_publish makes it visible.  self
 * VT_UNDEF: no lock.
 */
#ifdef VT_TORTURE
/* torture.c: a place where tasks may change, and whether the next allocation is to fail. */
vt_status vt_torture_point(vt_rt *);
bool vt_torture_fails(void);
#else
#define vt_torture_point(rt) VT_OK
#define vt_torture_fails() false
#endif
vt_status vt_lock_wait(vt_rt *, vt_hold *); /* another task may be in there */
static inline vt_status
vt_lock(vt_rt *rt, vt_hold *h)
{
	h->lock = NULL;
	VT_TRY(vt_torture_point(rt));
	if (unlikely(rt->nlocks != 0) && h->self != VT_UNDEF)
		VT_TRY(vt_lock_wait(rt, h));
	h->up = rt->holds;
	rt->holds = h;
	return VT_OK;
}
static inline void
vt_unlock(vt_rt *rt, vt_hold *h)
{
	rt->holds = h->up;
	if (unlikely(h->lock != NULL))
		vt_lock_release(rt, h);
}
/* Synchronize of a method: on_args is a borrowed tuple of names, or VT_UNDEF. reflect.c */
typedef struct vt_sync {
	bool on_this;
	vt_value on_args;
} vt_sync;
vt_status vt_method_sync(vt_rt *, const vt_method_decl *, vt_sync *);
/* What store.c and lua/host.c know of the running task. The first task's is all zeroes. */
typedef struct vt_store_task {
	void *load;
	bool writes, dry;
} vt_store_task;
typedef struct vt_lua_task {
	void *running;
	const struct vt_args *frame;
	uint64_t steps;
	uint32_t nested;
} vt_lua_task;

/* ---- interrupt.c: SIGINT and SIGTERM, for the commands of a deploy binary ---- */
void vt_interrupt_watch(vt_rt *); /* from now on they unwind the tasks of this session */
/* the run is over: no task is left, and what follows may call again */
void vt_interrupt_end(vt_rt *);
int vt_interrupt_caught(void);         /* the signal, or 0 */
void vt_interrupt_block(bool);         /* while a file is written */
vt_status vt_interrupt_raise(vt_rt *); /* in the running task */

/* ---- session.c ---- */
typedef struct vt_session {
	vt_heap *heap;
	struct vt_shapes *shapes;
	vt_value exc;       /* pending EXC or VT_UNDEF */
	vt_value stashed;   /* Return of a Parallel branch */
	vt_class **classes; /* linked, by decl->index */
	struct vt_store *store;
	vt_value root;         /* root object, or VT_NULL */
	vt_value config;       /* {class FQN: {property: value}}, or VT_NULL */
	vt_value attributes;   /* {object id: {(class, key): value}}, or VT_NULL */
	vt_value objects_copy; /* ObjectsCopy as loaded, or VT_NULL */
	vt_value traces;       /* LIST: what trace() collected */
	struct vt_mock *mocks; /* testrun_mock.c */
	/* tuple: message, expected, observed of the last assertion that failed; or VT_UNDEF */
	vt_value mismatch;
	vt_dict *model_types;      /* ?.type as written -> TYPEREF; class.c */
	const char *expose;        /* glob of methods callable from outside, or NULL */
	struct vt_lua *lua;        /* lua/host.c, or NULL */
	struct vt_host_name *host; /* host.c, or NULL */
	struct vt_ordering *orderings;
	/* Compiles an expression for a function of the host; the code stays until the session ends.
	 * NULL: cannot. */
	vt_status (*compile)(vt_rt *, void *ctx, const vt_str *, const vt_code **out);
	void *compile_ctx;
	/* the host has functions with names of the registry; see vt_apply */
	bool host_hides;
	bool lua_unsafe; /* host code sees io, os, package, debug and load */
	/* limits of host code a call: instructions, bytes; 0: the defaults */
	uint64_t lua_steps, lua_memory;
	struct vt_linker *linker;            /* class.c */
	const vt_class_decl *const *natives; /* classes of the runtime: io.murano.Object ... */
	uint64_t next_id;
	struct vt_regex_cache *regexes; /* regex.c, or NULL */
	struct vt_sheet *sheet;         /* seq/lambda_table.c: those that nobody uses, or NULL */
	struct vt_sched *sched;         /* task.c, or NULL while there was one task only */
	bool virtual_time;
	int64_t began; /* when virtual time did, in nanoseconds since 1970 */
	int interrupt; /* the signal that ends the run; 0: none */
	/* protocol.c calls it when a call or the finalization has ended; false: what it does
	 * failed. NULL: nothing. */
	bool (*after_call)(vt_rt *, void *ctx);
	void *after_call_ctx;
	struct vt_cloud *cloud; /* cloud.h, or NULL while nothing asked for one */
	/* set with it: a session without a cloud does not link one */
	void (*cloud_drop)(struct vt_rt *);
	/* the same; joins what hosts left running: the end of a run */
	vt_status (*cloud_finish)(struct vt_rt *);
	bool cloud_busy;            /* it has something to do */
	struct vt_journal *journal; /* journal.c, or NULL */
	uint64_t drawn;             /* vt_draw: how often */
	bool draws;                 /* code of the program itself did */
	bool progress;              /* hosts tell on standard error what they do */
	bool dry_run;               /* the cloud is simulated */
	vt_value settings;          /* of hosts: {group: {name: value}}, or VT_NULL; cloud.h */
	vt_value scenario;          /* of the simulated cloud, or VT_NULL */
	vt_value effects[3];        /* LISTs by enum vt_effect_kind; VT_NULL: empty */
	uint32_t max_depth;         /* what rt->max_depth is without one */
	int64_t quota;              /* memoryQuota, in bytes as CPython counts them; 0: none */
} vt_session;
void vt_sheets_drop(vt_rt *);         /* seq/lambda_table.c */
vt_rt *vt_rt_new(const vt_program *); /* program may be NULL: queries only */
void vt_ics_forget(vt_rt *);          /* empties all inline caches */
/* aborts in a debug build when counted values are still alive */
void vt_rt_free(vt_rt *);
/* Native classes of the runtime (appendix A): sys_*.c register here, statically. */
extern const vt_class_decl *const vt_native_classes[];
extern const uint32_t vt_nnative_classes;
/* of the runtime, or of the program's hosts */
const vt_class_decl *vt_native_class(vt_rt *, const char *fqn);
vt_value vt_new_uuid(vt_rt *); /* 32 hex digits, owned str */
/*
 * Something comes up that running the same methods again would not come to: a new id, a random
 * number, the time, what the cloud shows.  journal.c then saves the model before the next effect;
 * what the core library draws it keeps in properties, of other code nobody knows.
 */
void vt_draw(vt_rt *);
/* native/resources.c: a file of a Resources object (its package's) as text, or as base64 of its
 * bytes. */
vt_status vt_resource_read(
	vt_rt *, const vt_unit *, vt_value resources, vt_value path, bool base64, vt_value *out);

/* ---- protocol.c: JSON lines in, JSON lines out; helpers.c-like pure operations in object/version_spec.c ---- */
/* until the end of input; exit status */
int vt_session_loop(vt_rt *, FILE *in, FILE *out);
/* The same a request at a time: the answer is a line. The end tells whether after_call never
 * failed. */
struct session *vt_session_begin(vt_rt *);
void vt_session_answer(struct session *, const char *request, size_t, vt_buf *);
bool vt_session_end(struct session *);
/* Objects, Attributes, ObjectsCopy; false: pending exception */
bool vt_load_model(vt_rt *, vt_value model, vt_value config);
/* the same into a running session: the root object or null */
vt_status vt_load_objects(vt_rt *, vt_value model, vt_value *out);
/* Objects and Attributes by vt_store_look; owned */
vt_status vt_look_at_model(vt_rt *, vt_value model, vt_value *root);
/* a manifest's class of any version; NULL: exception */
vt_class *vt_class_named(vt_rt *, const char *fqn);
/* {"type","message","names","fqn","stack"} */
void vt_encode_error(vt_rt *, vt_buf *, vt_exc *);
/* the array; empties the session's traces */
void vt_encode_traces(vt_rt *, vt_buf *);
/* parse_version_spec, as text */
vt_status vt_version_spec(vt_rt *, vt_value spec, vt_value *out);
/* levels 0: no limit */
vt_status vt_merge_dicts(vt_rt *, vt_value a, vt_value b, int levels, vt_value *out);
/* The same without a limit, in place as far as *a (final) is not shared: small additions to
 * something large are cheap. */
vt_status vt_merge_in(vt_rt *, vt_value *a, vt_value b, bool *changes);
vt_status vt_updated_dict(vt_rt *, vt_value d, vt_value by, vt_value *out);

/* ---- testrun*.c: package tests; docs/muranopl.md "Testing packages" ---- */
/* What inject() left: a method of a class is replaced. Either `by` of the object `self`, or a
 * lambda with its scope. */
typedef struct vt_mock {
	struct vt_mock *next;
	const vt_str *cls; /* name of the class whose method it replaces */
	const vt_method_decl *m, *by;
	const vt_unit *unit;
	vt_value self, lambda;
	vt_scope *scope;
} vt_mock;
/* inject() and withOriginal() are there from now on */
void vt_mocks_offer(vt_rt *);
void vt_mocks_drop(vt_rt *);
/* last NULL: the first */
const vt_mock *vt_mock_next(vt_rt *, const vt_mock *last, const vt_class *, const vt_str *method);
vt_status vt_mock_call(vt_rt *, vt_scope *caller, const vt_unit *, const vt_mock *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs, vt_value *out);
/* The tests of the program, one "PACKAGE\tCLASS\tMETHOD" a line. False: an exception is pending. */
bool vt_test_list(vt_rt *, vt_buf *);
/* Runs one of them. First line: ok, fail or error; for the others then lines of YAML. False unless
 * it passed. */
bool vt_test_run(vt_rt *, const char *cls, const char *method, vt_buf *);

/* ---- host.c: functions of the host, of Lua or of C ---- */
/* A parameter list in the registry's own language, as vetro.register and vetro_register take it. */
typedef struct vt_sig {
	vt_fnparam *params;
	uint32_t n, lazy;
} vt_sig;
/* NULL, or what is wrong: nothing is kept then */
const char *vt_sig_read(vt_sig *, const char *text);
void vt_sig_free(vt_sig *);
const char *vt_type_name(enum vt_type);
bool vt_type_is_lazy(enum vt_type);
enum { VT_HOST_OVERLOADS = 16 };
/* Adds an overload; the signature and data are the registry's from then on, freed by drop (or NULL)
 * with the session. False: the name has VT_HOST_OVERLOADS; both are freed. fn finds data through
 * its row. */
bool vt_host_add(vt_rt *, const char *name, uint32_t flags, vt_sig *, vt_fn, void *data,
	void (*drop)(void *));
void *vt_host_data(const vt_fnrow *);
bool vt_host_defined(vt_rt *, const char *name);
/* the overloads of a name, or NULL; rows never move */
const vt_fnrow *vt_host_find(vt_rt *, const char *name, uint32_t *n);
void vt_host_forget(vt_rt *);
/* An exception of a known type by its name; another name is one of the host's own. The message is
 * valid UTF-8. */
vt_status vt_host_raise(vt_rt *, const char *type, const char *message, size_t n);

/* ---- hostlua*.c (Lua) ---- */
/* What the rest knows of Lua, by vt_linked: a program without Lua links none of it. */
typedef struct vt_lua_part {
	void (*want)(vt_rt *, const char *name);
	bool (*load)(vt_rt *, const char *text, size_t n, const char *chunk, char **err);
	bool (*has_methods)(vt_rt *, vt_value object);
	vt_status (*send)(vt_rt *, vt_value object, const char *name, uint32_t n,
		const vt_value *args, vt_value kwargs, vt_value *out);
	void (*free)(vt_rt *);
	void (*forget)(vt_rt *);
	const vt_class_decl *(*find_class)(vt_rt *, const char *fqn);
	void (*drain_traces)(vt_rt *);
	void (*switch_task)(vt_rt *, vt_lua_task *from, const vt_lua_task *to);
	void (*end_task)(vt_rt *, vt_lua_task *);
	void (*free_host)(vt_head *);
} vt_lua_part;
/* A name is looked up: loads the hooks that ship if they have it. */
static inline void
vt_lua_want(vt_rt *rt, const char *name)
{
	if (vt_linked.lua != NULL)
		vt_linked.lua->want(rt, name);
}
bool vt_lua_load(vt_rt *, const char *text, size_t n, const char *chunk, char **err);
/* What a program brings: files one after the other, each behind a line with its name, which is a
 * comment to Lua. */
#define VT_LUA_FILE "--\1"
bool vt_lua_load_files(vt_rt *, const char *text, char **err);
/* NULL: it can be read; else why not, from malloc */
char *vt_lua_syntax(const char *text, size_t n, const char *chunk);
/* HOST objects that show their methods: those hide every other function. */
static inline bool
vt_lua_has_methods(vt_rt *rt, vt_value object)
{
	return vt_linked.lua != NULL && vt_linked.lua->has_methods(rt, object);
}
/* Only for what has methods. */
static inline vt_status
vt_lua_send(vt_rt *rt, vt_value object, const char *name, uint32_t n, const vt_value *args,
	vt_value kwargs, vt_value *out)
{
	return vt_linked.lua->send(rt, object, name, n, args, kwargs, out);
}
/* Closes the Lua state: before the store goes. */
static inline void
vt_lua_free(vt_rt *rt)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->free(rt);
}
/* Frees its rows and declarations: last of all. */
static inline void
vt_lua_forget(vt_rt *rt)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->forget(rt);
}
/* Methods that Lua supplies for a class, or NULL. */
static inline const vt_class_decl *
vt_lua_class(vt_rt *rt, const char *fqn)
{
	return vt_linked.lua != NULL ? vt_linked.lua->find_class(rt, fqn) : NULL;
}
/* Moves vetro.traces to session->traces. */
static inline void
vt_lua_drain_traces(vt_rt *rt)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->drain_traces(rt);
}
static inline void
vt_lua_switch(vt_rt *rt, vt_lua_task *from, const vt_lua_task *to)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->switch_task(rt, from, to);
	else if (from != NULL)
		*from = (vt_lua_task){0};
}
static inline void
vt_lua_task_end(vt_rt *rt, vt_lua_task *t)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->end_task(rt, t);
}

#endif

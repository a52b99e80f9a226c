/*
 * number.h - Python's integers and floats, and memoryQuota in CPython's sizes.
 */
#ifndef VT_CORE_NUMBER_H
#define VT_CORE_NUMBER_H

#include "vt.h"

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/core/session.h"

#include <stdbool.h>

/* ---- bigint.c, number.c: Python int and float ---- */
vt_value vt_int_new(vt_rt *, int64_t); /* any 64-bit value */
/* an integer (or bool) that fits 64 bits */
bool vt_int_fits(vt_value, int64_t *out);
/* An integer as 62 bits, one that is too large as the nearest of them: sums of two do not
 * overflow. */
int64_t vt_int_clamped(vt_value);
/* lib/strings.c: an argument that Python takes as a count, of 64 bits. */
vt_status vt_count_arg(vt_args *, uint32_t i, int64_t *n);
/* digits only, optional sign */
vt_status vt_int_parse(vt_rt *, const char *, size_t, int base, vt_value *out);
/* int(str) of Python: blanks, underscores, any script's digits. False: not a number (no exception
 * set). */
bool vt_int_from_str(vt_rt *, const vt_str *, vt_value *out);
/* truncates; OverflowError, ValueError */
vt_status vt_float_to_int(vt_rt *, double, vt_value *out);
double vt_as_float(vt_value); /* vt_float_of, where no loop waits for it */
/* *sum += v, of which one is a float and the other a float or a small integer; false: they are no
 * such. */
static inline bool
vt_float_grows(vt_rt *rt, vt_value *sum, vt_value v)
{
	vt_value was = *sum;
	if (likely(vt_is_float_word(was) && vt_is_float_word(v))) {
		*sum = vt_mkfloat(rt, vt_float_of_word(was) + vt_float_of_word(v));
		return true;
	}
	if (vt_both_int(was, v) || !vt_is_exact(was) || !vt_is_exact(v))
		return false;
	*sum = vt_mkfloat(rt, vt_real_of(was) + vt_real_of(v));
	vt_release(was);
	return true;
}
/* Any number or bool as a double; OverflowError when an int is too large. */
vt_status vt_num_double(vt_rt *, vt_value, double *out);
bool vt_float_from_str(const vt_str *, double *out); /* float(str) of Python */
/* decimal literal, optional minus; any locale */
bool vt_float_parse(const char *, size_t, double *out);
void vt_float_repr(vt_buf *, double); /* shortest repr: 1.0 1e+20 nan */
/* Writes it in front of `end`, and says where it begins. */
enum { VT_INT_TEXT = 24 };
char *vt_int_digits(char *end, int64_t);
/* decimal, or 16/8/2 without prefix; sign in front */
void vt_int_repr(vt_buf *, vt_value, int base);
/* Python's operators over numbers and bools (bool counts as 0/1). TypeError otherwise. */
/* VT_OP_ADD .. VT_OP_MOD */
vt_status vt_num_binary(vt_rt *, int op, vt_value a, vt_value b, vt_value *out);
/* -1 0 1, 2 when a NaN is involved; exact int/float */
int vt_num_cmp(vt_value a, vt_value b);
vt_status vt_num_neg(vt_rt *, vt_value, vt_value *out);
bool vt_num_small_pow(vt_value a, vt_value b, vt_value mod /* or VT_NULL */, vt_value *out);
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
/* The same for numbers of a few limbs.  False: b is 0 under DIV or MOD, or one of them is
 * larger. */
bool vt_big_few(vt_rt *, int op, vt_value a, vt_value b, vt_value *out);
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

/* ---- quota.c: memoryQuota of the reference's engine, in CPython's sizes ---- */
/* How the reference made a LIST, in its head's aux: that says how much room it has. */
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

/* ---- decimal.c: between decimal digits and doubles without an intermediate text ---- */
/* The double next to m * 10^e, m not 0.  False: these digits do not decide, or it is none that is
 * finite. */
bool vt_decimal_double(uint64_t m, int64_t e, double *out);
/* The shortest digits that read back as d, and of these the nearest; d is m * 10^*e.  d > 0,
 * finite. */
uint64_t vt_decimal_shortest(double d, int *e);
/* Writes u without a NUL; at most 20 bytes. */
char *vt_decimal_put(char *to, uint64_t u);
/* Writes a finite d as Python's repr does; at most VT_FLOAT_TEXT bytes. */
enum { VT_FLOAT_TEXT = 32 };
char *vt_decimal_repr(char *to, double d);

#endif

/*
 * datetime.c - rows of lib/date_time.fn, but for parsing (datetime_parse.c,
 * datetime_strptime.c), formatting (datetime_format.c) and the local zone (datetime_local.c).
 *
 * A timespan reaches as far as Python's, so its microseconds are counted in 128 bits.  Offsets are
 * whole seconds.
 */
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "registry.h"
#include "runtime/text/datetime.h"
#include "runtime/core/args.h"
#include "runtime/core/kind.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)
#define END_OF_TIME (INT64_C(3652059) * DAY) /* behind 9999-12-31 */
#define UNIX_EPOCH (INT64_C(719162) * DAY)   /* 1970-01-01 */

/* ---- timespans ------------------------------------------------------------------------------- */

/* A C int holds the days of Python's, which are looked at then. */
static vt_status
span_wide(vt_rt *rt, vt_wide us, vt_value *out)
{
	int64_t rest = (int64_t)(us % VT_DAY_US);
	vt_wide days;
	rest += rest < 0 ? VT_DAY_US : 0;
	days = (us - rest) / VT_DAY_US;
	if (days > INT32_MAX || days < INT32_MIN)
		return vt_raise(rt, VT_E_OVERFLOW, "Python int too large to convert to C int");
	if (days > VT_MOST_DAYS || days < -VT_MOST_DAYS)
		return vt_raise(rt, VT_E_OVERFLOW, "days=%lld; must have magnitude <= %d",
			(long long)days, VT_MOST_DAYS);
	*out = vt_timespan_of(rt, (int64_t)days, rest);
	return VT_OK;
}

/* Far beyond a timespan where it does not fit. */
static vt_status
wide_of_int(vt_rt *rt, vt_value whole, vt_wide *us)
{
	const vt_value day = vt_mkint(VT_DAY_US);
	vt_value q = VT_UNDEF, r = VT_UNDEF;
	int64_t days = INT64_MAX, rest = 0;
	vt_status st;
	if (vt_int_fits(whole, &rest)) {
		*us = rest;
		return VT_OK;
	}
	st = vt_num_binary(rt, VT_OP_DIV, whole, day, &q);
	if (st == VT_OK)
		st = vt_num_binary(rt, VT_OP_MOD, whole, day, &r);
	if (st == VT_OK && vt_int_fits(q, &days))
		(void)vt_int_fits(r, &rest);
	vt_release(q);
	vt_release(r);
	*us = (vt_wide)days * VT_DAY_US + rest;
	return st;
}

static vt_status
int_of_wide(vt_rt *rt, vt_wide us, vt_value *out)
{
	vt_value days, whole = VT_UNDEF;
	vt_status st;
	if (us >= INT64_MIN && us <= INT64_MAX) {
		*out = vt_int_new(rt, (int64_t)us);
		return VT_OK;
	}
	days = vt_int_new(rt, (int64_t)(us / VT_DAY_US));
	st = vt_num_binary(rt, VT_OP_MUL, days, vt_mkint(VT_DAY_US), &whole);
	if (st == VT_OK)
		st = vt_num_binary(rt, VT_OP_ADD, whole, vt_mkint((int64_t)(us % VT_DAY_US)), out);
	vt_release(days);
	vt_release(whole);
	return st;
}

/* Rounds half to even, as Python makes microseconds of a float. */
static vt_status
span_of_number(vt_rt *rt, vt_value us, vt_value *out)
{
	vt_value whole = VT_UNDEF;
	vt_wide n = 0;
	vt_status st;
	if (vt_is(us, FLOAT)) {
		double d = vt_as_float(us);
		VT_TRY(vt_float_to_int(rt, isfinite(d) ? rint(d) : d, &whole));
	} else {
		whole = vt_copy(us);
	}
	st = wide_of_int(rt, whole, &n);
	vt_release(whole);
	return st == VT_OK ? span_wide(rt, n, out) : st;
}

static const int64_t factors[] = {DAY, 3600 * SECOND, 60 * SECOND, SECOND, 1000, 1};

/* Where all is small, as nearly always: 64 bits hold every product and the sum. */
static inline bool
small_span(const vt_value *v, int64_t *us)
{
	int64_t sum = 0, part;
	for (int i = 0; i < 6; i++) {
		if (v[i] == vt_mkint(0))
			continue;
		if (!vt_is_int(v[i]) || __builtin_mul_overflow(vt_toint(v[i]), factors[i], &part) ||
			__builtin_add_overflow(sum, part, &sum))
			return false;
	}
	*us = sum;
	return true;
}

static vt_status
wide_span(vt_args *a, vt_wide *us)
{
	vt_wide n;
	for (int i = 0; i < 6; i++) {
		VT_TRY(wide_of_int(a->rt, a->v[i], &n));
		if (n > INT64_MAX || n < INT64_MIN)
			return vt_raise(
				a->rt, VT_E_OVERFLOW, "Python int too large to convert to C int");
		*us += n * factors[i];
	}
	return VT_OK;
}

vt_status
vt_lib_timespan(vt_args *a, vt_value *out)
{
	vt_wide us = 0;
	int64_t small, rest;
	if (likely(small_span(a->v, &small))) {
		rest = small % VT_DAY_US;
		rest += rest < 0 ? VT_DAY_US : 0;
		*out = vt_timespan_of(a->rt, (small - rest) / VT_DAY_US, rest);
		return VT_OK;
	}
	VT_TRY(wide_span(a, &us));
	return span_wide(a->rt, us, out);
}

vt_status
vt_lib_span_add(vt_args *a, vt_value *out)
{
	return span_wide(a->rt, vt_span_us(a->v[0]) + vt_span_us(a->v[1]), out);
}

vt_status
vt_lib_span_sub(vt_args *a, vt_value *out)
{
	return span_wide(a->rt, vt_span_us(a->v[0]) - vt_span_us(a->v[1]), out);
}

vt_status
vt_lib_span_neg(vt_args *a, vt_value *out)
{
	return span_wide(a->rt, -vt_span_us(a->v[0]), out);
}

vt_status
vt_lib_span_pos(vt_args *a, vt_value *out)
{
	*out = vt_copy(a->v[0]);
	return VT_OK;
}

static vt_status
span_times(vt_args *a, vt_value span, vt_value number, vt_value *out)
{
	vt_value us = VT_UNDEF, product = VT_UNDEF;
	vt_status st = int_of_wide(a->rt, vt_span_us(span), &us);
	if (st == VT_OK)
		st = vt_num_binary(a->rt, VT_OP_MUL, us, number, &product);
	if (st == VT_OK)
		st = span_of_number(a->rt, product, out);
	vt_release(us);
	vt_release(product);
	return st;
}

vt_status
vt_lib_span_mul(vt_args *a, vt_value *out)
{
	return span_times(a, a->v[0], a->v[1], out);
}

vt_status
vt_lib_mul_span(vt_args *a, vt_value *out)
{
	return span_times(a, a->v[1], a->v[0], out);
}

/*
 * The double nearest to a / b: what Python's `/` gives for integers.  The dividend is moved up as
 * far as it goes, so that the quotient has at least 63 bits as soon as the dividend exceeds a
 * double's 53; the last one is sticky.
 */
static double
true_quotient(vt_wide a, int64_t b)
{
	const vt_wide exact = INT64_C(1) << 53;
	unsigned __int128 n = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a, q;
	uint64_t d = b < 0 ? -(uint64_t)b : (uint64_t)b;
	int up = 0;
	double r;
	if (a > -exact && a < exact && b > -exact && b < exact)
		return (double)a / (double)b;
	for (; n >> 126 == 0 && n != 0; n <<= 1)
		up++;
	q = n / d;
	if (n % d != 0)
		q |= 1;
	r = ldexp((double)q, -up);
	return (a < 0) != (b < 0) ? -r : r;
}

vt_status
vt_lib_span_div(vt_args *a, vt_value *out)
{
	vt_value n = a->v[1], quotient;
	vt_wide us = vt_span_us(a->v[0]);
	int64_t divisor;
	double d = INFINITY;
	vt_status st;
	if (vt_num_cmp(n, vt_mkint(0)) == 0)
		return vt_raise(a->rt, VT_E_ZERO_DIVISION,
			vt_is(n, FLOAT) ? "float division by zero" : "division by zero");
	if (vt_is(n, FLOAT))
		d = (double)us / vt_as_float(n);
	else if (vt_int_fits(n, &divisor))
		d = true_quotient(us, divisor);
	else
		d = vt_big_double(n, &d) ? (double)us / d : 0.0;
	quotient = vt_float_new(a->rt, d);
	st = span_of_number(a->rt, quotient, out);
	vt_release(quotient);
	return st;
}

vt_status
vt_lib_span_ratio(vt_args *a, vt_value *out)
{
	if (vt_span_us(a->v[1]) == 0)
		return vt_raise(a->rt, VT_E_ZERO_DIVISION, "float division by zero");
	*out = vt_float_new(a->rt, (double)vt_span_us(a->v[0]) / (double)vt_span_us(a->v[1]));
	return VT_OK;
}

vt_status
vt_lib_span_microseconds(vt_args *a, vt_value *out)
{
	return int_of_wide(a->rt, vt_span_us(a->v[0]), out);
}

#define SPAN_IN(name, unit) \
	vt_status vt_lib_span_##name(vt_args *a, vt_value *out) \
	{ \
		*out = vt_float_new(a->rt, (double)vt_span_us(a->v[0]) / (unit)); \
		return VT_OK; \
	}
SPAN_IN(milliseconds, 1e3)
SPAN_IN(seconds, 1e6)
SPAN_IN(minutes, 6e7)
SPAN_IN(hours, 3.6e9)
SPAN_IN(days, 8.64e10)

/* ---- making datetimes ------------------------------------------------------------------------ */

static vt_status
offset_seconds(vt_rt *rt, vt_value span, int32_t *out)
{
	vt_wide us = span == VT_NOVALUE || span == VT_NULL ? 0 : vt_span_us(span);
	if (us % SECOND != 0)
		return vt_raise(rt, VT_E_VALUE, "an offset must be of whole seconds");
	if (us / SECOND > INT32_MAX || us / SECOND < -INT32_MAX)
		return vt_raise(rt, VT_E_OVERFLOW, "offset out of range");
	*out = (int32_t)(us / SECOND);
	return VT_OK;
}

/* An offset of a day and more is found out when it is used, not when it is made. */
static vt_status
utcoffset(vt_rt *rt, const vt_datetime *t, int64_t *us)
{
	if (t->offset <= -86400 || t->offset >= 86400)
		return vt_raise(rt, VT_E_VALUE,
			"offset must be a timedelta strictly between -timedelta(hours=24) and "
			"timedelta(hours=24).");
	*us = t->offset * SECOND;
	return VT_OK;
}

/* The other datetime of the same zone. */
static vt_status
moved(vt_rt *rt, const vt_datetime *t, vt_wide us, vt_value *out)
{
	vt_datetime *made;
	if (us < 0 || us >= END_OF_TIME)
		return vt_raise(rt, VT_E_OVERFLOW, "date value out of range");
	*out = vt_datetime_value(rt, (int64_t)us, t->offset, t->naive);
	made = VT_AS(vt_datetime, *out);
	made->h.aux = t->h.aux;
	if (t->h.aux == VT_ZONE_NAMED)
		memcpy(made->zone, t->zone, sizeof made->zone);
	return VT_OK;
}

static vt_status
field(vt_rt *rt, vt_value v, int *out)
{
	int64_t n;
	if (!vt_int_fits(v, &n))
		return vt_raise(rt, VT_E_OVERFLOW, "Python int too large to convert to C long");
	if (n > INT32_MAX)
		return vt_raise(rt, VT_E_OVERFLOW, "signed integer is greater than maximum");
	if (n < INT32_MIN)
		return vt_raise(rt, VT_E_OVERFLOW, "signed integer is less than minimum");
	*out = (int)n;
	return VT_OK;
}

vt_status
vt_lib_datetime(vt_args *a, vt_value *out)
{
	int f[7];
	int32_t offset;
	int64_t us;
	VT_TRY(offset_seconds(a->rt, a->v[7], &offset));
	for (int i = 0; i < 7; i++)
		VT_TRY(field(a->rt, a->v[i], &f[i]));
	VT_TRY(vt_civil_checked(a->rt, f, &us));
	*out = vt_datetime_value(a->rt, us, offset, false);
	return VT_OK;
}

vt_status
vt_lib_replace_date(vt_args *a, vt_value *out)
{
	const vt_datetime *t = VT_AS(vt_datetime, a->v[0]);
	int f[7];
	int32_t offset = 0;
	int64_t us;
	VT_TRY(offset_seconds(a->rt, a->v[8], &offset));
	vt_civil(t->us, &f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6]);
	for (int i = 0; i < 7; i++)
		if (a->v[i + 1] != VT_NULL)
			VT_TRY(field(a->rt, a->v[i + 1], &f[i]));
	VT_TRY(vt_civil_checked(a->rt, f, &us));
	if (a->v[8] == VT_NULL)
		return moved(a->rt, t, us, out);
	*out = vt_datetime_value(a->rt, us, offset, false);
	return VT_OK;
}

/* The parts of a timestamp: a float's fraction is rounded half to even, away from its whole
 * seconds. */
static vt_status
split_timestamp(vt_rt *rt, vt_value v, int64_t *seconds, int64_t *us)
{
	double whole, fraction;
	*us = 0;
	if (!vt_is(v, FLOAT)) {
		if (!vt_int_fits(v, seconds))
			return vt_raise(
				rt, VT_E_OVERFLOW, "timestamp out of range for platform time_t");
		return VT_OK;
	}
	if (isnan(vt_as_float(v)))
		return vt_raise(rt, VT_E_VALUE, "Invalid value NaN (not a number)");
	fraction = rint(modf(vt_as_float(v), &whole) * 1e6);
	if (!(whole >= -0x1p63 && whole < 0x1p63))
		return vt_raise(rt, VT_E_OVERFLOW, "timestamp out of range for platform time_t");
	*seconds = (int64_t)whole;
	*us = (int64_t)fraction;
	return VT_OK;
}

/* The instant, seconds since 1970 and microseconds, as the zone at that offset shows it. */
static vt_status
at_instant(vt_rt *rt, int64_t seconds, int64_t us, int32_t offset, vt_value *out)
{
	vt_datetime zone = {.offset = offset};
	__int128 t = (__int128)seconds * SECOND + us + UNIX_EPOCH;
	if (t < 0 || t >= END_OF_TIME) {
		time_t s = (time_t)seconds;
		struct tm tm;
		if (gmtime_r(&s, &tm) == NULL)
			return vt_raise(
				rt, VT_E_OS, "[Errno 75] Value too large for defined data type");
		return vt_raise(rt, VT_E_VALUE, "year %lld is out of range", tm.tm_year + 1900LL);
	}
	return moved(rt, &zone, t + offset * SECOND, out);
}

vt_status
vt_lib_datetime_from_timestamp(vt_args *a, vt_value *out)
{
	int64_t seconds, us;
	int32_t offset;
	VT_TRY(offset_seconds(a->rt, a->v[1], &offset));
	VT_TRY(split_timestamp(a->rt, a->v[0], &seconds, &us));
	return at_instant(a->rt, seconds, us, offset, out);
}

/* ---- operators ------------------------------------------------------------------------------- */

vt_status
vt_lib_date_add_span(vt_args *a, vt_value *out)
{
	const vt_datetime *t = VT_AS(vt_datetime, a->v[0]);
	return moved(a->rt, t, (vt_wide)t->us + vt_span_us(a->v[1]), out);
}

vt_status
vt_lib_span_add_date(vt_args *a, vt_value *out)
{
	const vt_datetime *t = VT_AS(vt_datetime, a->v[1]);
	return moved(a->rt, t, (vt_wide)t->us + vt_span_us(a->v[0]), out);
}

vt_status
vt_lib_date_sub_span(vt_args *a, vt_value *out)
{
	const vt_datetime *t = VT_AS(vt_datetime, a->v[0]);
	return moved(a->rt, t, (vt_wide)t->us - vt_span_us(a->v[1]), out);
}

/* Within one zone the offset is not looked at. */
static vt_status
distance(vt_args *a, int64_t *us)
{
	const vt_datetime *x = VT_AS(vt_datetime, a->v[0]), *y = VT_AS(vt_datetime, a->v[1]);
	int64_t xo = 0, yo = 0;
	if (x->offset != y->offset) {
		VT_TRY(utcoffset(a->rt, x, &xo));
		VT_TRY(utcoffset(a->rt, y, &yo));
	}
	*us = (x->us - xo) - (y->us - yo);
	return VT_OK;
}

vt_status
vt_lib_date_sub(vt_args *a, vt_value *out)
{
	int64_t us;
	VT_TRY(distance(a, &us));
	*out = vt_timespan_value(a->rt, us);
	return VT_OK;
}

/* Of two dates in one zone, none of them naive: the parameters of the rows would give it one. */
static inline bool
near_dates(const vt_value *v, int64_t *us)
{
	const vt_datetime *x = VT_AS(vt_datetime, v[0]), *y = VT_AS(vt_datetime, v[1]);
	if (!vt_is(v[0], DATETIME) || !vt_is(v[1], DATETIME) || x->naive || y->naive ||
		vt_is_date(v[0]) || vt_is_date(v[1]) || x->offset != y->offset)
		return false;
	*us = x->us - y->us;
	return true;
}

vt_value
vt_quick_date_sub(vt_rt *rt, const vt_value *v)
{
	int64_t us;
	return near_dates(v, &us) ? vt_timespan_value(rt, us) : VT_UNDEF;
}

#define COMPARISON(name, op) \
	vt_value vt_quick_date_##name(vt_rt *rt, const vt_value *v) \
	{ \
		int64_t us; \
		(void)rt; \
		return near_dates(v, &us) ? vt_mkbool(us op 0) : VT_UNDEF; \
	} \
	vt_status vt_lib_date_##name(vt_args *a, vt_value *out) \
	{ \
		int64_t us; \
		VT_TRY(distance(a, &us)); \
		*out = vt_mkbool(us op 0); \
		return VT_OK; \
	} \
	vt_status vt_lib_span_##name(vt_args *a, vt_value *out) \
	{ \
		*out = vt_mkbool(vt_span_us(a->v[0]) op vt_span_us(a->v[1])); \
		return VT_OK; \
	}
COMPARISON(lt, <)
COMPARISON(le, <=)
COMPARISON(gt, >)
COMPARISON(ge, >=)

/* ---- properties ------------------------------------------------------------------------------ */

/* Microseconds since the beginning of the year 1, which no datetime is before. */
static inline int64_t
clock_of(const vt_args *a)
{
	return VT_AS(vt_datetime, a->v[0])->us;
}

#define DATE_PART(name, nth) \
	vt_status vt_lib_date_##name(vt_args *a, vt_value *out) \
	{ \
		int f[3]; \
		vt_civil_date(clock_of(a) / DAY, &f[0], &f[1], &f[2]); \
		*out = vt_mkint(f[nth]); \
		return VT_OK; \
	}
DATE_PART(year, 0)
DATE_PART(month, 1)
DATE_PART(day, 2)

#define TIME_PART(name, unit, most) \
	vt_status vt_lib_date_##name(vt_args *a, vt_value *out) \
	{ \
		*out = vt_mkint(clock_of(a) / (unit) % (most)); \
		return VT_OK; \
	}
TIME_PART(hour, 3600 * SECOND, 24)
TIME_PART(minute, 60 * SECOND, 60)
TIME_PART(second, SECOND, 60)
TIME_PART(microsecond, 1, SECOND)

/* 0001-01-01 was a Monday. */
vt_status
vt_lib_date_weekday(vt_args *a, vt_value *out)
{
	*out = vt_mkint(VT_AS(vt_datetime, a->v[0])->us / DAY % 7);
	return VT_OK;
}

vt_status
vt_lib_date_date(vt_args *a, vt_value *out)
{
	const vt_datetime *t = VT_AS(vt_datetime, a->v[0]);
	return moved(a->rt, t, t->us - t->us % DAY, out);
}

vt_status
vt_lib_date_time(vt_args *a, vt_value *out)
{
	*out = vt_timespan_value(a->rt, VT_AS(vt_datetime, a->v[0])->us % DAY);
	return VT_OK;
}

vt_status
vt_lib_date_offset(vt_args *a, vt_value *out)
{
	int64_t us = 0;
	VT_TRY(utcoffset(a->rt, VT_AS(vt_datetime, a->v[0]), &us));
	*out = vt_timespan_value(a->rt, us);
	return VT_OK;
}

/* Takes the offset off the clock and leaves the zone as it is, so that the result is another
 * instant. */
vt_status
vt_lib_date_utc(vt_args *a, vt_value *out)
{
	const vt_datetime *t = VT_AS(vt_datetime, a->v[0]);
	int64_t offset = 0;
	VT_TRY(utcoffset(a->rt, t, &offset));
	return moved(a->rt, t, t->us - offset, out);
}

/* Counts from what .utc gives, and so takes the offset off twice. */
vt_status
vt_lib_date_timestamp(vt_args *a, vt_value *out)
{
	vt_value utc = VT_UNDEF;
	const vt_datetime *t;
	VT_TRY(vt_lib_date_utc(a, &utc));
	t = VT_AS(vt_datetime, utc);
	*out = vt_float_new(a->rt, true_quotient(t->us - t->offset * SECOND - UNIX_EPOCH, SECOND));
	vt_release(utc);
	return VT_OK;
}

vt_status
vt_lib_is_datetime(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is(a->v[0], DATETIME) && !vt_is_date(a->v[0]));
	return VT_OK;
}

vt_status
vt_lib_is_timespan(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is(a->v[0], TIMESPAN));
	return VT_OK;
}

/* ---- clock and zones ------------------------------------------------------------------------- */

/* null is no zone at all: the clock on the wall, and a naive datetime. */
vt_status
vt_lib_now(vt_args *a, vt_value *out)
{
	struct timespec t;
	int32_t offset;
	vt_wall_clock(a->rt, &t);
	vt_drawn_time(a->rt, &t);
	if (a->v[0] == VT_NULL) {
		struct tm tm;
		localtime_r(&t.tv_sec, &tm);
		*out = vt_datetime_value(a->rt,
			(t.tv_sec + tm.tm_gmtoff) * SECOND + t.tv_nsec / 1000 + UNIX_EPOCH, 0,
			true);
		return VT_OK;
	}
	VT_TRY(offset_seconds(a->rt, a->v[0], &offset));
	return at_instant(a->rt, t.tv_sec, t.tv_nsec / 1000, offset, out);
}

vt_status
vt_lib_utctz(vt_args *a, vt_value *out)
{
	*out = vt_timespan_value(a->rt, 0);
	return VT_OK;
}

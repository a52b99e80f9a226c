/*
 * civil.c - dates by their numbers.  A file of its own: what parses dates links the local time zone
 * (datetime_local.c), and a program that only makes them must not.
 */
#include "runtime/core/exception.h"
#include "runtime/text/datetime.h"
#include "runtime/text/text.h"

vt_status
vt_civil_checked(vt_rt *rt, const int f[7], int64_t *us)
{
	if (f[0] < 1 || f[0] > 9999)
		return vt_raise(rt, VT_E_VALUE, "year %d is out of range", f[0]);
	if (f[1] < 1 || f[1] > 12)
		return vt_raise(rt, VT_E_VALUE, "month must be in 1..12");
	if (f[2] < 1 || f[2] > vt_days_in_month(f[0], f[1]))
		return vt_raise(rt, VT_E_VALUE, "day is out of range for month");
	if (f[3] < 0 || f[3] > 23)
		return vt_raise(rt, VT_E_VALUE, "hour must be in 0..23");
	if (f[4] < 0 || f[4] > 59)
		return vt_raise(rt, VT_E_VALUE, "minute must be in 0..59");
	if (f[5] < 0 || f[5] > 59)
		return vt_raise(rt, VT_E_VALUE, "second must be in 0..59");
	if (f[6] < 0 || f[6] > 999999)
		return vt_raise(rt, VT_E_VALUE, "microsecond must be in 0..999999");
	*us = vt_civil_us(f[0], f[1], f[2]) + ((f[3] * 60 + f[4]) * 60 + f[5]) * INT64_C(1000000) +
	      f[6];
	return VT_OK;
}

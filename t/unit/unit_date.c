/*
 * unit_date.c - formats of dates (datetime_format.c) against the strftime() of the C library: every
 * directive with flags, widths and modifiers, over dates whose weeks, hours and years differ: TAP.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"
#include "runtime/text/datetime.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdio.h>

enum { MOST = 1024 };

static void
broken_down(int64_t us, bool naive, struct tm *tm)
{
	int frac;
	memset(tm, 0, sizeof *tm);
	vt_civil(us, &tm->tm_year, &tm->tm_mon, &tm->tm_mday, &tm->tm_hour, &tm->tm_min,
		&tm->tm_sec, &frac);
	tm->tm_wday = (int)((us / INT64_C(86400000000) + 1) % 7);
	tm->tm_yday = (int)((us - vt_civil_us(tm->tm_year, 1, 1)) / INT64_C(86400000000));
	tm->tm_year -= 1900;
	tm->tm_mon--;
	tm->tm_isdst = naive ? -1 : 0;
}

/* The format's own characters, behind which an x keeps the text from being empty. */
static bool
same(vt_rt *rt, vt_value date, const struct tm *tm, const char *format)
{
	char with_x[64], want[MOST] = "";
	vt_buf got = {0};
	size_t n;
	bool good;
	snprintf(with_x, sizeof with_x, "%sx", format);
	n = strftime(want, sizeof want, with_x, tm);
	if (vt_datetime_strftime(rt, &got, VT_AS(vt_datetime, date), with_x, strlen(with_x)) !=
		VT_OK)
		vt_exc_clear(rt);
	good = n == got.n && memcmp(want, got.p ? got.p : "", n) == 0;
	if (!good)
		printf("# %s: %.*s, expected %s\n", format, (int)got.n, got.p, want);
	vt_buf_free(&got);
	return good;
}

static bool
same_with(vt_rt *rt, vt_value date, const struct tm *tm, char what)
{
	static const char *const flags[] = {"", "_", "-", "0", "^", "#", "^#", "_^", "0-", "-_#"};
	static const char *const widths[] = {"", "1", "2", "3", "7", "40"};
	static const char *const modifiers[] = {"", "E", "O"};
	bool good = true;
	for (size_t f = 0; f < VT_LEN(flags); f++)
		for (size_t w = 0; w < VT_LEN(widths); w++)
			for (size_t m = 0; m < VT_LEN(modifiers); m++) {
				char format[32];
				bool plain = !*flags[f] && !*widths[w] && !*modifiers[m];
				/* Python's own: %f, %z and %Z without anything between. */
				if (plain && strchr("fzZ", what) != NULL)
					continue;
				snprintf(format, sizeof format, "%%%s%s%s%c", flags[f], widths[w],
					modifiers[m], what);
				good &= same(rt, date, tm, format);
			}
	return good;
}

static void
try_date(vt_rt *rt, int64_t us, bool naive)
{
	static const char letters[] = "%aAbBcCdDeFgGhHIjJklLmMnNpPqQrRsStTuUvVwWxXyYzZioK.!";
	vt_value date = vt_datetime_value(rt, us, 0, naive);
	bool good = true;
	char what[64];
	struct tm tm;
	broken_down(us, naive, &tm);
	for (const char *p = letters; *p; p++)
		good &= same_with(rt, date, &tm, *p);
	snprintf(what, sizeof what, "%04d-%02d-%02d %02d:%02d%s", tm.tm_year + 1900, tm.tm_mon + 1,
		tm.tm_mday, tm.tm_hour, tm.tm_min, naive ? ", naive" : "");
	ok(good, what);
	vt_release(date);
}

/* New Year's days and eves begin on every day of the week in the course of 28 years. */
static void
try_weeks(vt_rt *rt)
{
	static const char formats[][32] = {"%G-W%V-%u %g", "%U %W %w %j"};
	bool good = true;
	for (int year = 1995; year < 2024; year++)
		for (int day = -4; day <= 4; day++) {
			int64_t us = vt_civil_us(year, 1, 1) + day * INT64_C(86400000000);
			vt_value date = vt_datetime_value(rt, us, 0, true);
			struct tm tm;
			broken_down(us, true, &tm);
			for (size_t i = 0; i < VT_LEN(formats); i++)
				good &= same(rt, date, &tm, formats[i]);
			vt_release(date);
		}
	ok(good, "weeks around the turn of the year");
}

static void
try_length(vt_rt *rt)
{
	static const char *const formats[] = {
		"%1000Y", "%1100Y", "%99999999999999999999d", "%5", "%", "%-", "a%"};
	static const size_t lengths[] = {1000, 1100, 0, 5, 1, 2, 2};
	vt_value date = vt_datetime_value(rt, vt_civil_us(2015, 9, 29), 0, true);
	for (size_t i = 0; i < VT_LEN(formats); i++) {
		vt_buf b = {0};
		vt_datetime_strftime(
			rt, &b, VT_AS(vt_datetime, date), formats[i], strlen(formats[i]));
		ok(b.n == lengths[i], formats[i]);
		if (b.n != lengths[i])
			printf("# %zu: %.*s\n", b.n, (int)b.n, b.p);
		vt_buf_free(&b);
	}
	vt_release(date);
}

int
main(void)
{
	static const struct {
		int y, m, d, s;
	} days[] = {{1, 1, 1, 0}, {9, 12, 31, 86399}, {476, 9, 4, 43200}, {1000, 2, 28, 3600},
		{1899, 12, 31, 46800}, {1969, 12, 31, 86399}, {1970, 1, 1, 0}, {2000, 2, 29, 45296},
		{2006, 11, 21, 59400}, {2015, 1, 1, 0}, {2016, 1, 3, 82800}, {2024, 12, 30, 7},
		{9999, 12, 31, 86399}};
	vt_rt *rt = vt_rt_new(NULL);
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (size_t i = 0; i < VT_LEN(days); i++) {
		int64_t us =
			vt_civil_us(days[i].y, days[i].m, days[i].d) + days[i].s * INT64_C(1000000);
		try_date(rt, us, true);
		try_date(rt, us, false);
	}
	try_weeks(rt);
	try_length(rt);
	vt_rt_free(rt);
	printf("1..%d\n", tests);
	return failures > 0;
}

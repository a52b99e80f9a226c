/*
 * datetime_local.c - the zone of this machine: localtz(), and what formats of dates show of it.
 *
 * A file of its own, because libc's time zones are large: a program has it when it calls what is
 * here, or a format asks for it (compiler/emit/link_rows.c).
 */
#include "runtime/core/value.h"
#include "registry.h"
#include "runtime/text/datetime.h"
#include "runtime/core/args.h"

#include <string.h>
#include <time.h>

/*
 * What holds at the start of January and half a year later, this year; the greater offset is
 * summer. tzname[] would not do: every localtime() of a date in the past changes it.
 */
vt_local_zone
vt_local_zone_now(void)
{
	const time_t year = 31556952;
	time_t january = time(NULL) / year * year, july = january + year / 2;
	struct tm a, b, swap;
	tzset();
	localtime_r(&january, &a);
	localtime_r(&july, &b);
	if (a.tm_gmtoff > b.tm_gmtoff) {
		swap = a;
		a = b;
		b = swap;
	}
	return (vt_local_zone){{a.tm_gmtoff, b.tm_gmtoff}, {a.tm_zone, b.tm_zone}};
}

/* What C makes of a date that stands for the clock on the wall here. */
void
vt_local_time(const struct tm *date, int64_t *epoch, const char **zone)
{
	struct tm tm = *date;
	tzset();
	*zone = date->tm_isdst < 0 ? "" : tzname[date->tm_isdst > 0];
	*epoch = (int64_t)mktime(&tm);
}

/* The offset in summer, all the year, as soon as the zone has summer time. */
vt_status
vt_lib_localtz(vt_args *a, vt_value *out)
{
	*out = vt_timespan_value(a->rt, vt_local_zone_now().offset[1] * INT64_C(1000000));
	return VT_OK;
}

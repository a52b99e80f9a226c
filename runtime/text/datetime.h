/* datetime.h - what the date files share: lib/datetime.c, datetime_parse.c, datetime_strptime.c,
 * datetime_format.c. */
#ifndef VT_DATETIME_H
#define VT_DATETIME_H

#include "runtime/core/value.h"

#include <string.h>
#include <time.h>

/* Year, month, day, hour, minute, second, microsecond; ValueError for what is out of range. */
vt_status vt_civil_checked(vt_rt *, const int fields[7], int64_t *us);
/* The local zone: seconds before UTC and name, in winter [0] and in summer [1]; the same where
 * there is no summer time. */
typedef struct vt_local_zone {
	int64_t offset[2];
	const char *name[2];
} vt_local_zone;
vt_local_zone vt_local_zone_now(void);
/* Seconds since 1970 and the zone's name; not there in programs that mention no format which shows
 * them. */
void vt_local_time(const struct tm *, int64_t *epoch, const char **zone) __attribute__((weak));
/* Parsing; a text without a zone is UTC. */
vt_status vt_date_parse(vt_rt *, const vt_str *text, vt_value *out); /* dateutil's way */
vt_status vt_date_strptime(vt_rt *, const vt_str *text, const vt_str *format, vt_value *out);

/* Does the format show what vt_local_time() knows? */
static inline bool
vt_shows_local_time(const char *format)
{
	for (const char *p = format; (p = strchr(p, '%')) != NULL;) {
		const char *flags = ++p;
		p += strspn(p, "_-0^#");
		p += strspn(p, "0123456789");
		p += *p == 'E' || *p == 'O';
		if (*p == 's' || (*p == 'Z' && p > flags))
			return true;
		p += *p != '\0';
	}
	return false;
}

#endif

/* datetime.h - what the date files share: lib_datetime.c, datetime_parse.c, datetime_strptime.c,
 * datetime_format.c. */
#ifndef VT_DATETIME_H
#define VT_DATETIME_H

#include "vti.h"

int vt_days_in_month(int year, int month);
/* Year, month, day, hour, minute, second, microsecond; ValueError for what is out of range. */
vt_status vt_civil_checked(vt_rt *, const int fields[7], int64_t *us);
/* The local zone: seconds before UTC and name, in winter [0] and in summer [1]; the same where
 * there is no summer time. */
typedef struct vt_local_zone {
	int64_t offset[2];
	const char *name[2];
} vt_local_zone;
vt_local_zone vt_local_zone_now(void);
/* Parsing; a text without a zone is UTC. */
vt_status vt_date_parse(vt_rt *, const vt_str *text, vt_value *out); /* dateutil's way */
vt_status vt_date_strptime(vt_rt *, const vt_str *text, const vt_str *format, vt_value *out);

#endif

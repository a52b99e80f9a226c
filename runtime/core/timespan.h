/*
 * timespan.h - timespans, which reach as far as Python's.
 */
#ifndef VT_CORE_TIMESPAN_H
#define VT_CORE_TIMESPAN_H

#include "runtime/core/value.h"

typedef struct vt_timespan {
	vt_head h;
	int64_t days; /* as Python's: at most VT_MOST_DAYS, either way */
	int64_t us;   /* from 0 to below a day */
} vt_timespan;
enum { VT_MOST_DAYS = 999999999 };
#define VT_DAY_US INT64_C(86400000000)
__extension__ typedef __int128 vt_wide;
/* Its microseconds, which 64 bits may not hold. */
static inline vt_wide
vt_span_us(vt_value v)
{
	const vt_timespan *t = VT_AS(const vt_timespan, v);
	return (vt_wide)t->days * VT_DAY_US + t->us;
}
vt_value vt_timespan_of(vt_rt *, int64_t days, int64_t us); /* within the bounds of the type */

#endif

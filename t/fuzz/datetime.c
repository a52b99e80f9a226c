/*
 * Fuzz target: a text, a tab and a format. The text is a date in dateutil's way and by the format,
 * or an error; a date is within the years 1 to 9999, its ISO form reads as the same date, and the
 * format writes it. driver.c says how it is run.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"
#include "runtime/text/datetime.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const int64_t DAY_US = INT64_C(86400000000), LAST_DAY = 3652059, THOUSAND = 364877;

static vt_value
text_of(vt_rt *rt, const char *p, size_t n)
{
	return vt_str_new(rt, p, vt_utf8_check(p, n));
}

/*
 * Years below 1000 and odd seconds of an offset have no ISO form that dateutil reads. An offset of
 * a day and more is an error only where it is used, as in the reference.
 */
static void
judge_again(vt_rt *rt, const vt_datetime *d)
{
	vt_buf b = {0};
	vt_value text, again = VT_UNDEF;
	const vt_datetime *e;

	if (d->us < 0 || d->us >= LAST_DAY * DAY_US)
		abort();
	if (d->offset % 60 != 0 || abs(d->offset) >= 86400 || d->us < THOUSAND * DAY_US)
		return;
	vt_datetime_text(&b, d, 'T');
	text = vt_str_take(rt, &b);
	if (vt_date_parse(rt, vt_as_str(text), &again) != VT_OK)
		abort();
	e = VT_AS(vt_datetime, again);
	if (e->us != d->us || e->offset != d->offset)
		abort();
	vt_release(again);
	vt_release(text);
}

static void
judge(vt_rt *rt, vt_status st, vt_value v, const vt_str *format)
{
	vt_buf b = {0};

	if (st != VT_OK) {
		if (!vt_pending(rt))
			abort();
		vt_exc_clear(rt);
		return;
	}
	judge_again(rt, VT_AS(vt_datetime, v));
	if (vt_datetime_strftime(rt, &b, VT_AS(vt_datetime, v), format->s, format->bytes) != VT_OK)
		vt_exc_clear(rt);
	else if (vt_utf8_check(b.p, b.n) != b.n)
		abort();
	vt_buf_free(&b);
	vt_release(v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *p = (const char *)data, *tab = n ? memchr(p, '\t', n) : NULL;
	vt_rt *rt = vt_rt_new(NULL);
	vt_value text = text_of(rt, p, tab ? (size_t)(tab - p) : n), v = VT_UNDEF;
	vt_value format = text_of(rt, tab ? tab + 1 : "", tab ? n - 1 - (size_t)(tab - p) : 0);
	vt_status st = vt_date_parse(rt, vt_as_str(text), &v);

	judge(rt, st, v, vt_as_str(format));
	v = VT_UNDEF;
	st = vt_date_strptime(rt, vt_as_str(text), vt_as_str(format), &v);
	judge(rt, st, v, vt_as_str(format));
	vt_release(text);
	vt_release(format);
	vt_rt_free(rt);
	return 0;
}

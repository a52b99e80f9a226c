/*
 * datetime_format.c - strftime as Python's datetime has it: %f, %z and %Z are expanded first, and
 * C's strftime sees the rest, one directive at a time, in the C locale (vetro never calls
 * setlocale).
 */
#include "datetime.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static vt_status
check_offset(vt_rt *rt, const vt_datetime *t)
{
	if (t->offset <= -86400 || t->offset >= 86400)
		return vt_raise(rt, VT_E_VALUE,
			"offset must be a timedelta strictly between -timedelta(hours=24) and "
			"timedelta(hours=24).");
	return VT_OK;
}

static void
put_offset(vt_buf *b, const vt_datetime *t, const char *colon)
{
	int o = t->offset < 0 ? -t->offset : t->offset;
	vt_buf_printf(b, "%c%02d%s%02d", t->offset < 0 ? '-' : '+', o / 3600, colon, o / 60 % 60);
	if (o % 60)
		vt_buf_printf(b, "%s%02d", colon, o % 60);
}

static void
put_zone(vt_buf *b, const vt_datetime *t)
{
	switch ((enum vt_zone)t->h.aux) {
	case VT_ZONE_NAMED: vt_buf_puts(b, t->zone); return;
	case VT_ZONE_FIXED:
		vt_buf_puts(b, "UTC");
		if (t->offset != 0)
			put_offset(b, t, ":");
		return;
	case VT_ZONE_OFFSET:
		if (t->offset == 0)
			vt_buf_puts(b, "UTC");
		return;
	}
}

/* Python's own directives; the others are copied with their percent sign.  The text ends at a NUL.
 */
static vt_status
expand(vt_rt *rt, vt_buf *b, const vt_datetime *t, const char *p, const char *end)
{
	for (; p < end && *p != '\0'; p++) {
		if (*p != '%' || p + 1 == end || p[1] == '\0') {
			vt_buf_putc(b, *p);
			continue;
		}
		p++;
		if (*p == 'f') {
			vt_buf_printf(b, "%06d", (int)(t->us % 1000000));
		} else if (*p != 'z' && *p != 'Z') {
			vt_buf_putc(b, '%');
			vt_buf_putc(b, *p);
		} else if (!t->naive) {
			if (*p == 'z')
				VT_TRY(check_offset(rt, t));
			*p == 'z' ? put_offset(b, t, "") : put_zone(b, t);
		}
	}
	return VT_OK;
}

/*
 * The length of what begins with a percent sign: flags, width, modifier and a character.  *known
 * tells whether C has such a directive (glibc's are meant).
 */
static size_t
directive(const char *p, const char *end, bool *known)
{
	const char *q = p + 1;
	while (q < end && *q != '\0' && strchr("_-0^#", *q) != NULL)
		q++;
	while (q < end && *q >= '0' && *q <= '9')
		q++;
	if (q < end && (*q == 'E' || *q == 'O'))
		q++;
	*known = q < end && *q != '\0' &&
		 strchr("aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%", *q) != NULL;
	if (q < end)
		(void)vt_utf8_next(&q);
	return (size_t)(q - p);
}

/* The digits in front of the modifier; more than `most` is as good as any other number. */
static size_t
width_of(const char *p, size_t n, size_t most)
{
	size_t width = 0;
	for (size_t i = 1; i < n && width <= most && p[i] != 'E' && p[i] != 'O'; i++)
		if (p[i] >= '0' && p[i] <= '9')
			width = width * 10 + (size_t)(p[i] - '0');
	return width;
}

/* An unknown directive stands for itself, but its width holds and so does its ^. */
static bool
put_unknown(vt_buf *b, const char *p, size_t n, size_t most)
{
	size_t width = width_of(p, n, most), points = 0;
	char pad = ' ';
	bool upper = false;
	if (width > most)
		return false;
	for (size_t i = 0; i < n; i++)
		points += ((unsigned char)p[i] & 0xc0) != 0x80;
	for (size_t i = 1; i < n && strchr("_-0^#", p[i]) != NULL; i++) {
		upper = upper || p[i] == '^';
		pad = p[i] == '0' ? '0' : p[i] == '^' || p[i] == '#' ? pad : ' ';
	}
	for (; points < width; width--)
		vt_buf_putc(b, pad);
	for (size_t i = 0; i < n; i++)
		vt_buf_putc(b, upper && p[i] >= 'a' && p[i] <= 'z' ? (char)(p[i] - 32) : p[i]);
	return b->n < most;
}

/* Like Python, nothing at all when the text grows beyond `most` bytes. False: it did. */
static bool
put_directive(vt_buf *b, const struct tm *tm, const char *p, size_t n, size_t most)
{
	size_t width = width_of(p, n, most), room, made;
	char *format, *text;
	if (width > most)
		return false;
	room = width + 256;
	format = vt_asprintf(
		"%.*sx", (int)n, p); /* with the x it is never empty, so that 0 means: no room */
	text = vt_xmalloc(room);
	made = strftime(text, room, format, tm);
	if (made > 0)
		vt_buf_put(b, text, made - 1);
	free(format);
	free(text);
	return made > 0 && b->n < most;
}

static void
broken_down(const vt_datetime *t, struct tm *tm)
{
	int f[7];
	memset(tm, 0, sizeof *tm);
	vt_civil(t->us, &f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6]);
	tm->tm_year = f[0] - 1900;
	tm->tm_mon = f[1] - 1;
	tm->tm_mday = f[2];
	tm->tm_hour = f[3];
	tm->tm_min = f[4];
	tm->tm_sec = f[5];
	tm->tm_wday = (int)((t->us / INT64_C(86400000000) + 1) % 7);
	tm->tm_yday = (int)((t->us - vt_civil_us(f[0], 1, 1)) / INT64_C(86400000000));
	tm->tm_isdst = t->naive || t->h.aux == VT_ZONE_FIXED ? -1 : 0;
}

static void
convert(vt_buf *b, const struct tm *tm, const vt_buf *format)
{
	size_t most = 1024;
	const char *p = format->p, *end = p + format->n;
	vt_buf text = {0};
	bool ok = true;
	while (most < 256 * format->n)
		most *= 2;
	while (ok && p < end) {
		bool known = false;
		size_t n = *p == '%' ? directive(p, end, &known) : 1;
		if (*p != '%')
			vt_buf_putc(&text, *p);
		else
			ok = known ? put_directive(&text, tm, p, n, most)
				   : put_unknown(&text, p, n, most);
		p += n;
	}
	if (ok && text.n < most)
		vt_buf_put(b, text.p, text.n);
	vt_buf_free(&text);
}

vt_status
vt_datetime_strftime(vt_rt *rt, vt_buf *b, const vt_datetime *t, const char *format, size_t n)
{
	vt_buf expanded = {0};
	vt_status st = expand(rt, &expanded, t, format, format + n);
	struct tm tm;
	if (st == VT_OK && expanded.n > 0) {
		broken_down(t, &tm);
		convert(b, &tm, &expanded);
	}
	vt_buf_free(&expanded);
	return st;
}

vt_status
vt_lib_date_format(vt_args *a, vt_value *out)
{
	vt_buf b = {0};
	const vt_str *format = vt_as_str(a->v[1]);
	vt_status st = vt_datetime_strftime(
		a->rt, &b, VT_AS(vt_datetime, a->v[0]), format->s, format->bytes);
	if (st == VT_OK)
		*out = vt_str_take(a->rt, &b);
	vt_buf_free(&b);
	return st;
}

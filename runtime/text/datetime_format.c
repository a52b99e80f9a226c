/*
 * datetime_format.c - strftime as Python's datetime has it: %f, %z and %Z are expanded first; the
 * rest is what glibc's strftime makes of it in the C locale, with its flags, widths and modifiers.
 * Ours, because libc's brings the time zones along, and scanf() to read TZ, into every program that
 * formats anything.  t/unit/unit_date.c compares the two.
 */
#include "runtime/text/datetime.h"
#include "registry.h"
#include "runtime/core/number.h"
#include "runtime/core/exception.h"
#include "runtime/text/text.h"
#include "runtime/core/args.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdio.h>

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

/* ---- one directive: flags, width, modifier and a character ---- */

typedef struct directive {
	char pad;         /* the last of _ - 0, or NUL */
	bool upper, swap; /* ^ and # */
	size_t width;
	char modifier; /* E or O, or NUL */
	char what;
} directive;

/* Its length. A width beyond `most` is as good as any other such. */
static size_t
read_directive(const char *p, const char *end, size_t most, directive *d)
{
	const char *q = p + 1;
	*d = (directive){0};
	for (; q < end && *q != '\0' && strchr("_-0^#", *q) != NULL; q++) {
		d->upper |= *q == '^';
		d->swap |= *q == '#';
		if (*q != '^' && *q != '#')
			d->pad = *q;
	}
	for (; q < end && *q >= '0' && *q <= '9'; q++)
		if (d->width <= most)
			d->width = d->width * 10 + (size_t)(*q - '0');
	if (q < end && (*q == 'E' || *q == 'O'))
		d->modifier = *q++;
	if (q < end) {
		d->what = *q;
		(void)vt_utf8_next(&q);
	}
	return (size_t)(q - p);
}

enum letters { AS_IS, UPPER, LOWER };

/* Padded to the width, counted in code points. */
static void
put_padded(vt_buf *b, const directive *d, const char *p, size_t n, enum letters how)
{
	size_t points = 0;
	for (size_t i = 0; i < n; i++)
		points += ((unsigned char)p[i] & 0xc0) != 0x80;
	for (; points < d->width; points++)
		vt_buf_putc(b, d->pad == '0' ? '0' : ' ');
	for (size_t i = 0; i < n; i++)
		vt_buf_putc(b, how == UPPER && p[i] >= 'a' && p[i] <= 'z'   ? (char)(p[i] - 32)
			       : how == LOWER && p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + 32)
									    : p[i]);
}

/* `width` digits at least, filled up with zeros unless a flag or `pad` says otherwise. */
static void
put_number(vt_buf *b, const directive *d, size_t width, int64_t number, char pad)
{
	char text[VT_INT_TEXT], *end = text + sizeof text;
	size_t sign = number<0, least = width> d->width ? width : d->width;
	const char *digits = vt_int_digits(end, number) + sign;
	size_t n = (size_t)(end - digits);
	if (d->pad != '\0')
		pad = d->pad;
	if (pad == '-')
		least = d->width;
	for (size_t i = n + sign; (pad == '_' || pad == '-') && i < least; i++)
		vt_buf_putc(b, ' ');
	if (sign)
		vt_buf_putc(b, '-');
	for (size_t i = n + sign; pad != '_' && pad != '-' && i < least; i++)
		vt_buf_putc(b, '0');
	vt_buf_put(b, digits, n);
}

/* What the C locale writes for directives that stand for others, or NULL. */
static const char *
composed(char what)
{
	switch (what) {
	case 'c': return "%a %b %e %H:%M:%S %Y";
	case 'D':
	case 'x': return "%m/%d/%y";
	case 'F': return "%Y-%m-%d";
	case 'R': return "%H:%M";
	case 'r': return "%I:%M:%S %p";
	case 'T':
	case 'X': return "%H:%M:%S";
	default: return NULL;
	}
}

static const char *
word(char what, const struct tm *tm)
{
	static const char *const days[] = {
		"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
	static const char *const months[] = {"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"};
	switch (what) {
	case 'a':
	case 'A': return days[tm->tm_wday];
	case 'b':
	case 'B':
	case 'h': return months[tm->tm_mon];
	case 'p':
	case 'P': return tm->tm_hour < 12 ? "AM" : "PM";
	case 'n': return "\n";
	case 't': return "\t";
	case '%': return "%";
	default: return NULL;
	}
}

/* The week of ISO 8601 that the day is in, and the year which that week belongs to. */
static int
iso_week(const struct tm *tm, int *year)
{
	int thursday = tm->tm_yday + 3 - (tm->tm_wday + 6) % 7;
	*year = tm->tm_year + 1900;
	if (thursday < 0) {
		(*year)--;
		thursday += 365 + vt_is_leap(*year);
	} else if (thursday >= 365 + vt_is_leap(*year)) {
		thursday -= 365 + vt_is_leap(*year);
		(*year)++;
	}
	return thursday / 7 + 1;
}

typedef struct number {
	int value;
	uint8_t digits;
	char pad;
} number;

static number
week(char what, const struct tm *tm)
{
	int year, weeks = iso_week(tm, &year);
	return what == 'G'   ? (number){year, 1, 0}
	       : what == 'g' ? (number){year % 100, 2, 0}
			     : (number){weeks, 2, 0};
}

/* No digits: the directive is not of a number. */
static number
number_of(char what, const struct tm *tm)
{
	int year = tm->tm_year + 1900, twelve = (tm->tm_hour + 11) % 12 + 1;
	switch (what) {
	case 'C': return (number){year / 100, 1, 0};
	case 'd': return (number){tm->tm_mday, 2, 0};
	case 'e': return (number){tm->tm_mday, 2, '_'};
	case 'H': return (number){tm->tm_hour, 2, 0};
	case 'I': return (number){twelve, 2, 0};
	case 'j': return (number){tm->tm_yday + 1, 3, 0};
	case 'k': return (number){tm->tm_hour, 2, '_'};
	case 'l': return (number){twelve, 2, '_'};
	case 'M': return (number){tm->tm_min, 2, 0};
	case 'm': return (number){tm->tm_mon + 1, 2, 0};
	case 'S': return (number){tm->tm_sec, 2, 0};
	case 'u': return (number){(tm->tm_wday + 6) % 7 + 1, 1, 0};
	case 'U': return (number){(tm->tm_yday - tm->tm_wday + 7) / 7, 2, 0};
	case 'W': return (number){(tm->tm_yday - (tm->tm_wday + 6) % 7 + 7) / 7, 2, 0};
	case 'w': return (number){tm->tm_wday, 1, 0};
	case 'Y': return (number){year, 1, 0};
	case 'y': return (number){year % 100, 2, 0};
	case 'G':
	case 'g':
	case 'V': return week(what, tm);
	default: return (number){0};
	}
}

/* glibc takes a modifier where a locale could have another form of the same. */
static bool
modifier_fits(const directive *d)
{
	const char *with =
		d->modifier == 'E' ? "%cCnpPrRstTuxXyYzZ" : "%bBCdegGhHIjklmMnpPrRsStTuUVwWyzZ";
	return d->modifier == '\0' || strchr(with, d->what) != NULL;
}

static enum letters
letters_of(const directive *d)
{
	bool half = d->what == 'p' || d->what == 'P' || d->what == 'Z';
	if (d->what == 'P' || (half && d->swap))
		return LOWER;
	return d->upper || (d->swap && strchr("aAbBh", d->what) != NULL) ? UPPER : AS_IS;
}

static void put_plain(vt_buf *, const struct tm *, const char *);

/*
 * %s and %Z (with flags; expand() has the plain one) of a datetime are about the machine's zone,
 * whose tables come with the functions that make dates.
 */
static vt_status
put_local(vt_rt *rt, vt_buf *b, const struct tm *tm, const directive *d)
{
	const char *name = "";
	char digits[24];
	int64_t epoch = 0;
	if (d->what == 'z') {
		if (tm->tm_isdst < 0)
			return VT_OK;
		put_padded(b, d, "+", 1, AS_IS); /* glibc pads it too */
		put_number(b, d, 4, 0, 0);
		return VT_OK;
	}
	if (!vt_local_time)
		return vt_raise(rt, VT_E_RUNTIME,
			"this program was built without the local time zone, which %%%c shows: "
			"`vetro build -fno-subset` links it",
			d->what);
	vt_local_time(tm, &epoch, &name);
	if (d->what == 's') {
		snprintf(digits, sizeof digits, "%lld", (long long)epoch);
		name = digits;
	}
	put_padded(b, d, name, strlen(name), letters_of(d));
	return VT_OK;
}

/* False: there is no such directive. */
static bool
put_known(vt_buf *b, const struct tm *tm, const directive *d)
{
	const char *text = d->what ? word(d->what, tm) : NULL, *parts = composed(d->what);
	number n = number_of(d->what, tm);
	if (!modifier_fits(d))
		return false;
	if (n.digits) {
		put_number(b, d, n.digits, n.value, n.pad);
	} else if (text) {
		bool brief = strchr("abh", d->what) != NULL;
		put_padded(b, d, text, brief ? 3 : strlen(text), letters_of(d));
	} else if (parts) {
		vt_buf whole = {0};
		put_plain(&whole, tm, parts);
		put_padded(b, d, whole.p, whole.n, letters_of(d));
		vt_buf_free(&whole);
	}
	return n.digits || text || parts;
}

/* Directives without flags, as in composed(). */
static void
put_plain(vt_buf *b, const struct tm *tm, const char *format)
{
	for (const char *p = format; *p; p++)
		if (*p != '%')
			vt_buf_putc(b, *p);
		else
			put_known(b, tm, &(directive){.what = *++p});
}

/* An unknown directive stands for itself, but its width holds and so does its ^. */
static vt_status
put_directive(
	vt_rt *rt, vt_buf *b, const struct tm *tm, const directive *d, const char *p, size_t n)
{
	if (d->what && strchr("sZz", d->what) != NULL)
		return put_local(rt, b, tm, d);
	if (!put_known(b, tm, d))
		put_padded(b, d, p, n,
			d->upper || (d->swap && d->what && strchr("bBh", d->what)) ? UPPER : AS_IS);
	return VT_OK;
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

/* Like Python, nothing at all when the text grows to `most` bytes. */
static vt_status
convert(vt_rt *rt, vt_buf *b, const struct tm *tm, const vt_buf *format)
{
	size_t most = 1024;
	const char *p = format->p, *end = p + format->n;
	vt_buf text = {0};
	vt_status st = VT_OK;
	while (most < 256 * format->n)
		most *= 2;
	while (st == VT_OK && p < end && text.n < most) {
		directive d;
		size_t n = *p == '%' ? read_directive(p, end, most, &d) : 1;
		if (*p != '%')
			vt_buf_putc(&text, *p);
		else if (d.width > most)
			break;
		else
			st = put_directive(rt, &text, tm, &d, p, n);
		p += n;
	}
	if (st == VT_OK && p == end && text.n < most)
		vt_buf_put(b, text.p, text.n);
	vt_buf_free(&text);
	return st;
}

/* ---- formats of numbers alone ---- */

enum { QUICK = 128 };

/* Directives of two digits, and %Y, without flags: how long what they make is; 0: there are others.
 */
static size_t
quickly(const vt_datetime *t, const char *p, const char *end, char to[QUICK])
{
	static const char directives[] = "mdHMSy";
	int f[7];
	size_t n = 0;

	vt_civil(t->us, &f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6]);
	for (; p < end; p++) {
		const char *which;
		int v;
		if (n + 4 >= QUICK || *p == '\0')
			return 0;
		if (*p != '%') {
			to[n++] = *p;
			continue;
		}
		if (++p == end || *p == '\0')
			return 0;
		if (*p == 'Y' && f[0] >= 1000) {
			to[n++] = (char)('0' + f[0] / 1000);
			to[n++] = (char)('0' + f[0] / 100 % 10);
			v = f[0] % 100;
		} else if ((which = strchr(directives, *p)) != NULL) {
			v = *p == 'y' ? f[0] % 100 : f[1 + (which - directives)];
		} else {
			return 0;
		}
		to[n++] = (char)('0' + v / 10);
		to[n++] = (char)('0' + v % 10);
	}
	return n;
}

vt_status
vt_datetime_strftime(vt_rt *rt, vt_buf *b, const vt_datetime *t, const char *format, size_t n)
{
	vt_buf expanded = {0};
	vt_status st = expand(rt, &expanded, t, format, format + n);
	struct tm tm;
	if (st == VT_OK && expanded.n > 0) {
		broken_down(t, &tm);
		st = convert(rt, b, &tm, &expanded);
	}
	vt_buf_free(&expanded);
	return st;
}

vt_status
vt_lib_date_format(vt_args *a, vt_value *out)
{
	vt_buf b = {0};
	const vt_str *format = vt_as_str(a->v[1]);
	const vt_datetime *t = VT_AS(vt_datetime, a->v[0]);
	char quick[QUICK];
	size_t n = quickly(t, format->s, format->s + format->bytes, quick);
	vt_status st;
	if (n > 0) {
		*out = vt_str_new(a->rt, quick, n);
		return VT_OK;
	}
	st = vt_datetime_strftime(a->rt, &b, t, format->s, format->bytes);
	if (st == VT_OK)
		*out = vt_str_take(a->rt, &b);
	vt_buf_free(&b);
	return st;
}

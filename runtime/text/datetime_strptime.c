/*
 * datetime_strptime.c - strptime as Python's _strptime has it, in the C locale.
 *
 * Python turns the format into a regular expression.  Here it becomes a list of items, matched with
 * the same alternatives in the same order, so that the same reading of an ambiguous text is found.
 * A directive can stand in a format once only: the backtracking is as deep as there are letters.
 */
#include "runtime/text/datetime.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"

#include <stdlib.h>
#include <string.h>

enum { LITERAL = 0, SPACES = -1 /* a run of blanks */ };
typedef struct item {
	int32_t directive;
	uint32_t literal;
} item;

typedef struct matcher {
	vt_rt *rt;
	const vt_str *text;
	const char *end; /* where the match ended */
	item *items;
	size_t n;
	char order[64]; /* directives as they stand in the format */
	uint32_t norder;
	vt_local_zone local;
	char twice; /* a directive that stands there twice, or NUL */
	const char *from[128], *to[128];
} matcher;

static const char *const weekdays[] = {
	"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
static const char *const months[] = {"january", "february", "march", "april", "may", "june", "july",
	"august", "september", "october", "november", "december"};

/* ---- the format ------------------------------------------------------------------------------ */

static void
push(matcher *m, int32_t directive, uint32_t literal)
{
	vt_push(m->items, m->n) = (item){directive, literal};
}

/* A second one is an error, but of the whole format only: bad directives come first. */
static void
push_directive(matcher *m, char c)
{
	if (memchr(m->order, c, m->norder) != NULL)
		m->twice = c;
	else
		m->order[m->norder++] = c;
	push(m, c, 0);
}

static vt_status compile(matcher *, const char *p, const char *end, const char *format);

static vt_status
bad_directive(matcher *m, const char *p, const char *end, const char *format)
{
	const char *q = p;
	uint32_t c = p < end ? vt_utf8_next(&q) : 0;
	if (p == end)
		return vt_raise(m->rt, VT_E_VALUE, "stray %% in format '%s'", format);
	if (vt_is_space(c) || (c != 0 && c < 0x80 && strchr("\\.^$*+?(){}[]|", (int)c) != NULL))
		return vt_raise(
			m->rt, VT_E_VALUE, "'%%' is a bad directive in format '%s'", format);
	return vt_raise(m->rt, VT_E_VALUE, "'%.*s' is a bad directive in format '%s'", (int)(q - p),
		p, format);
}

/* What stands behind a percent sign. */
static vt_status
compile_directive(matcher *m, const char *p, const char *end, const char *format)
{
	const char *whole = *p == 'c'   ? "%a %b %d %H:%M:%S %Y"
			    : *p == 'x' ? "%m/%d/%y"
			    : *p == 'X' ? "%H:%M:%S"
					: NULL;
	if (whole != NULL)
		return compile(m, whole, whole + strlen(whole), format);
	if (*p == '\0' || strchr("aAbBdfGHIjmMpSuUVwWyYzZ%", *p) == NULL)
		return bad_directive(m, p, end, format);
	if (*p != '%')
		push_directive(m, *p);
	else
		push(m, LITERAL, '%');
	return VT_OK;
}

static vt_status
compile(matcher *m, const char *p, const char *end, const char *format)
{
	while (p < end) {
		uint32_t c;
		if (*p == '%') {
			VT_TRY(compile_directive(m, p + 1, end, format));
			p += 2;
			continue;
		}
		c = vt_utf8_next(&p);
		if (!vt_is_space(c))
			push(m, LITERAL, c);
		else if (m->n == 0 || m->items[m->n - 1].directive != SPACES)
			push(m, SPACES, 0);
	}
	return VT_OK;
}

/* ---- alternatives of a directive ------------------------------------------------------------- */

/* Pairs of the first and the last character that may stand at a place; "dd" is a digit of any
 * script. */
static const char *
number_pattern(int directive)
{
	switch (directive) {
	case 'd': return "3301|12dd|0019|19|  19";
	case 'f': return "090909090909|0909090909|09090909|090909|0909|09";
	case 'H': return "2203|01dd|dd";
	case 'I': return "1102|0019|19";
	case 'j': return "336606|3305dd|12dddd|0019dd|000019|19dd|0019|19";
	case 'm': return "1102|0019|19";
	case 'M': return "05dd|dd";
	case 'S': return "6601|05dd|dd";
	case 'U':
	case 'W': return "5503|04dd|dd";
	case 'V': return "5503|0019|14dd|dd";
	case 'w': return "06";
	case 'u': return "17";
	case 'y': return "dddd";
	case 'Y':
	case 'G': return "dddddddd";
	}
	return NULL;
}

static const char *
match_places(const char *p, const char *alternative)
{
	for (; *alternative != '\0' && *alternative != '|'; alternative += 2) {
		const char *at = p;
		uint32_t c = *p != '\0' ? vt_utf8_next(&p) : 0;
		if (at == p)
			return NULL;
		if (alternative[0] == 'd'
				? vt_digit_value(c) < 0
				: c < (uint32_t)alternative[0] || c > (uint32_t)alternative[1])
			return NULL;
	}
	return p;
}

static const char *
match_number(const char *p, int directive, int nth)
{
	const char *alternative = number_pattern(directive);
	for (; alternative != NULL; alternative = strchr(alternative, '|')) {
		const char *end;
		alternative += *alternative == '|';
		end = match_places(p, alternative);
		if (end != NULL && nth-- == 0)
			return end;
	}
	return NULL;
}

static const char *
match_name(const char *p, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] >= 'A' && p[i] <= 'Z' ? p[i] + 32 : p[i]) !=
			(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]))
			return NULL;
	return p + n;
}

/* Only one of them can begin the text. */
static const char *
match_names(const char *p, const char *const *names, int count, size_t most, int *which)
{
	for (int i = 0; i < count; i++) {
		size_t n = strlen(names[i]);
		const char *end = match_name(p, names[i], n < most ? n : most);
		if (end != NULL) {
			*which = i;
			return end;
		}
	}
	return NULL;
}

/* UTC, GMT and the names of the local zone, the longer ones first. */
static const char *
match_zone(const vt_local_zone *local, const char *p, int nth)
{
	const char *const names[] = {"utc", "gmt", local->name[0], local->name[1]};
	for (size_t length = 16; length > 0; length--)
		for (size_t i = 0; i < VT_LEN(names); i++)
			if (strlen(names[i]) == length && match_name(p, names[i], length) != NULL &&
				nth-- == 0)
				return p + length;
	return NULL;
}

/* +hh[:]mm[[:]ss[.ffffff]] or Z: with the fraction, its digits one by one fewer; without; without
 * seconds. */
static const char *
match_offset(const char *p, int nth)
{
	const char *minutes, *seconds, *q;
	int digits = 0;
	if (*p == 'Z')
		return nth == 0 ? p + 1 : NULL;
	if ((*p != '+' && *p != '-') || (p = match_places(p + 1, "dddd")) == NULL)
		return NULL;
	if ((minutes = match_places(p + (*p == ':'), "05dd")) == NULL)
		return NULL;
	if ((seconds = match_places(minutes + (*minutes == ':'), "05dd")) == NULL)
		return nth == 0 ? minutes : NULL;
	q = *seconds == '.' ? seconds + 1 : NULL;
	while (q != NULL && digits < 6 && match_places(q, "09") != NULL)
		q++, digits++;
	if (nth < digits)
		return q - nth;
	return nth == digits ? seconds : nth == digits + 1 ? minutes : NULL;
}

/* The end of the nth way to read the directive at p; NULL: there are no more. */
static const char *
alternative(const matcher *m, const char *p, int directive, int nth)
{
	static const char *const halves[] = {"am", "pm"};
	int which;
	switch (directive) {
	case 'a': return nth == 0 ? match_names(p, weekdays, 7, 3, &which) : NULL;
	case 'A': return nth == 0 ? match_names(p, weekdays, 7, 99, &which) : NULL;
	case 'b': return nth == 0 ? match_names(p, months, 12, 3, &which) : NULL;
	case 'B': return nth == 0 ? match_names(p, months, 12, 99, &which) : NULL;
	case 'p': return nth == 0 ? match_names(p, halves, 2, 2, &which) : NULL;
	case 'Z': return match_zone(&m->local, p, nth);
	case 'z': return match_offset(p, nth);
	}
	return match_number(p, directive, nth);
}

/* ---- matching -------------------------------------------------------------------------------- */

static bool
same_letter(matcher *m, uint32_t a, uint32_t b)
{
	vt_buf x = {0}, y = {0};
	vt_value v[4];
	bool same;
	if (a == b)
		return true;
	if (a < 0x80 && b < 0x80)
		return (a | 32) == (b | 32) && (a | 32) >= 'a' && (a | 32) <= 'z';
	vt_utf8_put(&x, a);
	vt_utf8_put(&y, b);
	v[0] = vt_str_take(m->rt, &x);
	v[1] = vt_str_take(m->rt, &y);
	v[2] = vt_str_lower(m->rt, vt_as_str(v[0]));
	v[3] = vt_str_lower(m->rt, vt_as_str(v[1]));
	same = vt_str_eq(vt_as_str(v[2]), vt_as_str(v[3]));
	for (int i = 0; i < 4; i++)
		vt_release(v[i]);
	return same;
}

/* One blank or more, as many as there are: what may follow never begins with a blank it would need.
 */
static const char *
skip_spaces(const char *p)
{
	const char *start = p, *at = p;
	while (*p != '\0' && vt_is_space(vt_utf8_next(&p)))
		at = p;
	return at == start ? NULL : at;
}

static bool
match(matcher *m, size_t i, const char *p)
{
	const char *text_end = m->text->s + m->text->bytes, *end;
	for (; i < m->n && m->items[i].directive <= 0; i++) {
		if (m->items[i].directive == SPACES) {
			if ((p = skip_spaces(p)) == NULL)
				return false;
		} else if (p == text_end ||
			   !same_letter(m, vt_utf8_next(&p), m->items[i].literal)) {
			return false;
		}
	}
	if (i == m->n) {
		m->end = p;
		return true;
	}
	for (int nth = 0; (end = alternative(m, p, m->items[i].directive, nth)) != NULL; nth++) {
		m->from[m->items[i].directive] = p;
		m->to[m->items[i].directive] = end;
		if (match(m, i + 1, end))
			return true;
	}
	return false;
}

/* ---- what was read --------------------------------------------------------------------------- */

enum { NONE = -1 };
typedef struct fields {
	int year, month, day, hour, minute, second, us;
	int iso_year, iso_week, week, weekday, julian;
	bool week_from_monday;
	bool has_offset;
	int32_t offset;
} fields;

static int
number_of(const matcher *m, int directive)
{
	const char *p = m->from[directive];
	int n = 0;
	while (p < m->to[directive]) {
		int digit = vt_digit_value(vt_utf8_next(&p));
		n = digit < 0 ? n : n * 10 + digit; /* %d may begin with a blank */
	}
	return n;
}

static int
name_of(const matcher *m, int directive, const char *const *names, int count, size_t most)
{
	int which = 0;
	(void)match_names(m->from[directive], names, count, most, &which);
	return which;
}

static int
two_digits(const char **p)
{
	int tens = vt_digit_value(vt_utf8_next(p));
	return tens * 10 + vt_digit_value(vt_utf8_next(p));
}

static vt_status
read_offset(const matcher *m, fields *f)
{
	const char *p = m->from['z'] + 1, *end = m->to['z'];
	bool colon;
	f->has_offset = true;
	f->offset = 0;
	if (*m->from['z'] == 'Z')
		return VT_OK;
	f->offset = two_digits(&p) * 3600;
	colon = *p == ':';
	p += colon;
	f->offset += two_digits(&p) * 60;
	if (p < end && colon != (*p == ':'))
		return vt_raise(m->rt, VT_E_VALUE, "Inconsistent use of : in %.*s",
			(int)(end - m->from['z']), m->from['z']);
	p += p < end && colon;
	f->offset += p < end ? two_digits(&p) : 0;
	for (; p < end; p++)
		if (*p >= '1' && *p <= '9')
			return vt_raise(m->rt, VT_E_VALUE, "an offset must be of whole seconds");
	f->offset = *m->from['z'] == '-' ? -f->offset : f->offset;
	return VT_OK;
}

static int
microseconds(const matcher *m)
{
	int us = number_of(m, 'f');
	for (ptrdiff_t digits = m->to['f'] - m->from['f']; digits < 6; digits++)
		us *= 10;
	return us;
}

static int
hour_of_12(const matcher *m)
{
	bool pm = m->from['p'] != NULL && (*m->from['p'] | 32) == 'p';
	return number_of(m, 'I') % 12 + (pm ? 12 : 0);
}

static vt_status
read_field(const matcher *m, int directive, fields *f)
{
	int n = number_pattern(directive) != NULL ? number_of(m, directive) : 0;
	switch (directive) {
	case 'y': f->year = n + (n <= 68 ? 2000 : 1900); break;
	case 'Y': f->year = n; break;
	case 'G': f->iso_year = n; break;
	case 'm': f->month = n; break;
	case 'B': f->month = name_of(m, 'B', months, 12, 99) + 1; break;
	case 'b': f->month = name_of(m, 'b', months, 12, 3) + 1; break;
	case 'd': f->day = n; break;
	case 'H': f->hour = n; break;
	case 'I': f->hour = hour_of_12(m); break;
	case 'M': f->minute = n; break;
	case 'S': f->second = n; break;
	case 'f': f->us = microseconds(m); break;
	case 'A': f->weekday = name_of(m, 'A', weekdays, 7, 99); break;
	case 'a': f->weekday = name_of(m, 'a', weekdays, 7, 3); break;
	case 'w': f->weekday = (n + 6) % 7; break;
	case 'u': f->weekday = n - 1; break;
	case 'j': f->julian = n; break;
	case 'U':
	case 'W':
		f->week = n;
		f->week_from_monday = directive == 'W';
		break;
	case 'V': f->iso_week = n; break;
	case 'z': return read_offset(m, f);
	}
	return VT_OK;
}

static vt_status
check_iso(vt_rt *rt, const fields *f)
{
	if (f->year == NONE && f->iso_year != NONE) {
		if (f->iso_week == NONE || f->weekday == NONE)
			return vt_raise(rt, VT_E_VALUE,
				"ISO year directive '%%G' must be used with the ISO week directive "
				"'%%V' "
				"and a weekday directive ('%%A', '%%a', '%%w', or '%%u').");
		if (f->julian != NONE)
			return vt_raise(rt, VT_E_VALUE,
				"Day of the year directive '%%j' is not compatible with ISO year "
				"directive "
				"'%%G'. Use '%%Y' instead.");
	} else if (f->week == NONE && f->iso_week != NONE) {
		if (f->weekday == NONE)
			return vt_raise(rt, VT_E_VALUE,
				"ISO week directive '%%V' must be used with the ISO year directive "
				"'%%G' "
				"and a weekday directive ('%%A', '%%a', '%%w', or '%%u').");
		return vt_raise(rt, VT_E_VALUE,
			"ISO week directive '%%V' is incompatible with the year directive '%%Y'. "
			"Use the ISO year '%%G' instead.");
	}
	return VT_OK;
}

/* Days since 0001-01-01 of the first day of a year. */
static int
year_start(int year)
{
	return (int)(vt_civil_us(year, 1, 1) / INT64_C(86400000000));
}

static vt_status
check_year(vt_rt *rt, int year)
{
	if (year < 1 || year > 9999)
		return vt_raise(rt, VT_E_VALUE, "year %d is out of range", year);
	return VT_OK;
}

/* Days from the year's start to the day of a %U or %W week; negative before it. */
static int
day_of_week_number(const fields *f)
{
	int shift = !f->week_from_monday, first = (year_start(f->year) + shift) % 7,
	    day = (f->weekday + shift) % 7;
	return f->week == 0 ? day - first : (7 - first) % 7 + 7 * (f->week - 1) + day;
}

/* The day since 0001-01-01 that week and weekday, or the day of the year, mean; -1: neither was
 * given. */
static vt_status
day_number(vt_rt *rt, fields *f, int *days)
{
	*days = -1;
	if (f->julian == NONE && f->weekday != NONE && f->week != NONE) {
		VT_TRY(check_year(rt, f->year));
		*days = year_start(f->year) + day_of_week_number(f);
	} else if (f->julian == NONE && f->weekday != NONE && f->iso_year != NONE &&
		   f->iso_week != NONE) {
		VT_TRY(check_year(rt, f->iso_year));
		*days = year_start(f->iso_year) + 3;
		*days += 7 * (f->iso_week - 1) + f->weekday - *days % 7;
	} else if (f->julian != NONE) {
		VT_TRY(check_year(rt, f->year));
		*days = year_start(f->year) + f->julian - 1;
	} else {
		return VT_OK;
	}
	if (*days < 0)
		return check_year(rt, 0);
	return *days >= 3652059 ? check_year(rt, 10000) : VT_OK;
}

static vt_status
settle_date(vt_rt *rt, fields *f)
{
	bool leap_day = f->year == NONE && f->month == 2 && f->day == 29;
	int days, unused[4];
	if (f->year == NONE)
		f->year = leap_day ? 1904 : 1900;
	VT_TRY(day_number(rt, f, &days));
	if (days >= 0)
		vt_civil(days * INT64_C(86400000000), &f->year, &f->month, &f->day, &unused[0],
			&unused[1], &unused[2], &unused[3]);
	if (leap_day)
		f->year = 1900;
	return VT_OK;
}

static vt_status
build(const matcher *m, const fields *f, vt_value *out)
{
	int parts[] = {f->year, f->month, f->day, f->hour, f->minute, f->second, f->us};
	int64_t us;
	vt_datetime *t;
	if (f->offset <= -86400 || f->offset >= 86400)
		return vt_raise(m->rt, VT_E_VALUE,
			"offset must be a timedelta strictly between -timedelta(hours=24) and "
			"timedelta(hours=24).");
	VT_TRY(vt_civil_checked(m->rt, parts, &us));
	*out = vt_datetime_value(m->rt, us, f->offset, false);
	t = VT_AS(vt_datetime, *out);
	if (f->has_offset)
		t->h.aux = VT_ZONE_FIXED;
	if (f->has_offset && m->from['Z'] != NULL &&
		m->to['Z'] - m->from['Z'] < (ptrdiff_t)sizeof t->zone) {
		t->h.aux = VT_ZONE_NAMED;
		memset(t->zone, 0, sizeof t->zone);
		memcpy(t->zone, m->from['Z'], (size_t)(m->to['Z'] - m->from['Z']));
	}
	return VT_OK;
}

static vt_status
no_match(matcher *m, const vt_str *format)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "time data ");
	vt_repr_cut(m->rt, &b, vt_mkptr(m->text));
	vt_buf_puts(&b, " does not match format ");
	vt_repr_cut(m->rt, &b, vt_mkptr(format));
	return vt_raise_value(m->rt, VT_E_VALUE, vt_str_take(m->rt, &b));
}

static vt_status
left_over(matcher *m)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "unconverted data remains: ");
	vt_put_cut(&b, m->end, (size_t)(m->text->s + m->text->bytes - m->end));
	return vt_raise_value(m->rt, VT_E_VALUE, vt_str_take(m->rt, &b));
}

static vt_status
run(matcher *m, const vt_str *format, vt_value *out)
{
	fields f = {NONE, 1, 1, 0, 0, 0, 0, NONE, NONE, NONE, NONE, NONE, false, false, 0};
	VT_TRY(compile(m, format->s, format->s + format->bytes, format->s));
	if (m->twice != '\0')
		return vt_raise(m->rt, VT_E_RE,
			"redefinition of group name '%c': %%%c stands in the format twice",
			m->twice, m->twice);
	if (!match(m, 0, m->text->s))
		return no_match(m, format);
	if (m->end != m->text->s + m->text->bytes)
		return left_over(m);
	for (uint32_t i = 0; i < m->norder; i++)
		VT_TRY(read_field(m, m->order[i], &f));
	VT_TRY(check_iso(m->rt, &f));
	VT_TRY(settle_date(m->rt, &f));
	return build(m, &f, out);
}

/* ---- dates of digits ----
 *
 * Where each directive finds all of its digits at once, the first alternatives match, and that is
 * the reading of a format without others.  What is left to the list of items: all else, errors too.
 */

/* n digits at p; -1: there are fewer. */
static int
digits_at(const char *p, const char *end, int n)
{
	int made = 0;

	if (end - p < n)
		return -1;
	for (int i = 0; i < n; i++) {
		unsigned digit = (unsigned char)p[i] - (unsigned)'0';
		if (digit > 9)
			return -1;
		made = made * 10 + (int)digit;
	}
	return made;
}

/* parts[]: as build() has them. */
static bool
read_digits(const vt_str *text, const vt_str *format, int parts[7])
{
	static const char directives[] = "YmdHMS";
	static const int least[] = {1, 1, 1, 0, 0, 0}, most[] = {9999, 12, 28, 23, 59, 59};
	const char *p = text->s, *end = p + text->bytes;
	unsigned seen = 0;

	for (const char *f = format->s, *stop = f + format->bytes; f < stop; f++) {
		const char *which;
		if (*f != '%') {
			if (p == end || *p++ != *f || (*f & 0x80) || (*f < ' ') ||
				(*f == ' ' && (p == end || *p == ' ' || f[1] == ' ')))
				return false;
			continue;
		}
		which = ++f < stop && *f != '\0' ? strchr(directives, *f) : NULL;
		if (which == NULL)
			return false;
		int k = (int)(which - directives), n = k == 0 ? 4 : 2, v = digits_at(p, end, n);
		if (v < least[k] || v > most[k] || seen >> k & 1)
			return false;
		seen |= 1u << k;
		parts[k] = v;
		p += n;
	}
	return p == end;
}

static bool
of_digits(vt_rt *rt, const vt_str *text, const vt_str *format, vt_value *out)
{
	int parts[7] = {1900, 1, 1, 0, 0, 0, 0};
	int64_t us;

	if (!read_digits(text, format, parts))
		return false;
	us = vt_civil_us(parts[0], parts[1], parts[2]);
	us += ((parts[3] * INT64_C(60) + parts[4]) * 60 + parts[5]) * 1000000;
	*out = vt_datetime_value(rt, us, 0, false);
	return true;
}

vt_status
vt_date_strptime(vt_rt *rt, const vt_str *text, const vt_str *format, vt_value *out)
{
	matcher m = {.rt = rt, .text = text};
	if (of_digits(rt, text, format, out))
		return VT_OK;
	if (memchr(format->s, 'Z', format->bytes) != NULL)
		m.local = vt_local_zone_now();
	vt_status st;
	st = run(&m, format, out);
	free(m.items);
	return st;
}

/*
 * datetime_parse.c - dates as people write them, read the way dateutil 2.8's parser does with its
 * default settings: the month comes first when in doubt, and whatever it does not know is an error.
 *
 * What dateutil reads: tokens (words, numbers, single characters), from which come a list of up to
 * three numbers for year, month and day, to be distinguished at the end, and the parts of a time.
 */
#include "runtime/text/datetime.h"
#include "runtime/core/printable.h"
#include "registry.h"
#include "runtime/core/exception.h"
#include "runtime/core/args.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdio.h>

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)
#define NONE INT64_MIN
#define HUGE INT64_MAX /* what numbers beyond it are read as: no part of a date reaches it */

typedef struct token {
	char *s;
	size_t n;
} token; /* ASCII digits; closed by NUL; s is in the parser's text */

typedef struct parser {
	vt_rt *rt;
	const vt_str *source;
	char *text; /* of the tokens */
	token *t;
	size_t n;
	/* year, month, day: the numbers in their order, and which of them are known by name or size
	 */
	int64_t ymd[4];
	int nymd, y, m, d; /* indexes or -1 */
	bool century;      /* a year of more than two digits stood there */
	int64_t year, month, day, weekday, hour, minute, second, us, ampm, offset;
	const char *zone; /* or NULL */
} parser;

/* ---- tokens ---------------------------------------------------------------------------------- */

static void
push_token(parser *p, const char *s, size_t n)
{
	vt_push(p->t, p->n) = (token){(char *)(uintptr_t)s, n};
}

/* Classes of characters: blanks become one, digits of any script ASCII. */
static char
class_of(uint32_t c, char *as)
{
	int digit = vt_digit_value(c);
	*as = c < 0x80 ? (char)c : '?';
	if (digit >= 0) {
		*as = (char)('0' + digit);
		return '0';
	}
	if (vt_is_space(c)) {
		*as = ' ';
		return ' ';
	}
	return c != '_' && vt_is_word(c) ? 'a' : *as == '?' ? '?' : (char)c;
}

/*
 * How far the token that begins at s goes.  A point may stand in a number or between words, and
 * which of the two it was is known at the end only; *split says that the token is to be cut at its
 * points.
 */
static size_t
token_length(const char *s, const char *classes, size_t n, bool *split)
{
	char state = classes[0];
	size_t i = 1, points = 0;
	bool letters = false, pointed = false;
	*split = false;
	if (state != 'a' && state != '0')
		return 1;
	for (; i < n; i++) {
		char c = classes[i];
		letters = letters || state == 'a';
		if (c == '.' || (c == ',' && state == '0' && !pointed && i >= 2))
			pointed = true;
		else if ((c != 'a' && c != '0') || (c != state && !(pointed && s[i - 1] == '.')))
			break;
		else
			state = c;
		points += c == '.';
	}
	letters = letters || (pointed && state == 'a');
	*split = pointed && (letters || points > 1 || s[i - 1] == '.' || s[i - 1] == ',');
	return i;
}

/* The token's text is copied so that every part can be closed by a NUL. */
static void
cut_token(parser *p, char **to, const char *s, size_t n, bool split)
{
	bool number = s[n - 1] >= '0' && s[n - 1] <= '9';
	const char *part = s;
	for (size_t i = 0; i <= n; i++) {
		size_t length = (size_t)(s + i - part);
		bool cut = i == n || (split && (s[i] == '.' || s[i] == ','));
		if (!cut)
			continue;
		for (int both = 0; both < 2; both++) {
			if (length > 0) {
				memcpy(*to, part, length);
				(*to)[length] = '\0';
				push_token(p, *to, length);
				*to += length + 1;
			}
			part += length;
			length = i < n; /* then the point itself */
		}
	}
	if (!split && number && memchr(s, '.', n) == NULL && memchr(s, ',', n) != NULL)
		*strchr(p->t[p->n - 1].s, ',') = '.';
}

static void
tokenize(parser *p)
{
	size_t n = 0, bytes = p->source->bytes;
	char *s = vt_xmalloc(bytes + 1), *classes = vt_xmalloc(bytes + 1), *to;
	const char *q = p->source->s, *end = q + bytes;
	while (q < end) {
		uint32_t c = vt_utf8_next(&q);
		if (c != 0) {
			classes[n] = class_of(c, &s[n]);
			n++;
		}
	}
	to = p->text = vt_xmalloc(2 * n + 1);
	for (size_t i = 0; i < n;) {
		bool split;
		size_t length = token_length(s + i, classes + i, n - i, &split);
		cut_token(p, &to, s + i, length, split);
		i += length;
	}
	free(s);
	free(classes);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool
is_word(const char *s, const char *word)
{
	for (; *s != '\0' && *word != '\0'; s++, word++)
		if ((*s >= 'A' && *s <= 'Z' ? *s + 32 : *s) != *word)
			return false;
	return *s == *word;
}

/* The position of s in a table of `per` words a line, or -1. */
static int
word_index(const char *s, const char *const *words, int count, int per)
{
	for (int i = 0; i < count; i++)
		if (words[i] != NULL && is_word(s, words[i]))
			return i / per;
	return -1;
}

static int
weekday_of(const char *s)
{
	static const char *const words[] = {"mon", "monday", "tue", "tuesday", "wed", "wednesday",
		"thu", "thursday", "fri", "friday", "sat", "saturday", "sun", "sunday"};
	return word_index(s, words, VT_LEN(words), 2);
}

/* 1 to 12, or 0. */
static int
month_of(const char *s)
{
	static const char *const words[] = {"jan", "january", NULL, "feb", "february", NULL, "mar",
		"march", NULL, "apr", "april", NULL, "may", NULL, NULL, "jun", "june", NULL, "jul",
		"july", NULL, "aug", "august", NULL, "sep", "sept", "september", "oct", "october",
		NULL, "nov", "november", NULL, "dec", "december", NULL};
	return word_index(s, words, VT_LEN(words), 3) + 1;
}

static int
hms_of(const char *s)
{
	static const char *const words[] = {
		"h", "hour", "hours", "m", "minute", "minutes", "s", "second", "seconds"};
	return word_index(s, words, VT_LEN(words), 3);
}

static int
ampm_of(const char *s)
{
	static const char *const words[] = {"am", "a", "pm", "p"};
	return word_index(s, words, VT_LEN(words), 2);
}

/* What may stand anywhere and means nothing. */
static bool
is_jump(const char *s)
{
	static const char *const words[] = {" ", ".", ",", ";", "-", "/", "'", "at", "on", "and",
		"ad", "m", "t", "of", "st", "nd", "rd", "th"};
	return word_index(s, words, VT_LEN(words), 1) >= 0;
}

static bool
is_utc(const char *s)
{
	return is_word(s, "utc") || is_word(s, "gmt") || is_word(s, "z");
}

static bool
is_sign(const char *s)
{
	return (s[0] == '+' || s[0] == '-') && s[1] == '\0';
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool
all_digits(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n > 0;
}

/* int(): Python reads no more than 4300 digits. */
static bool
integer(const char *s, size_t n, int64_t *out)
{
	if (!all_digits(s, n) || n > 4300)
		return false;
	*out = 0;
	for (size_t i = 0; i < n; i++)
		*out = *out >= HUGE / 10 ? HUGE : *out * 10 + (s[i] - '0');
	return true;
}

/* A number with or without a fraction: its whole part, and sixty times the fraction cut to a whole
 * number. */
typedef struct decimal {
	int64_t whole, sixtieths;
	bool fraction;
} decimal;

static bool
number(const token *t, decimal *out)
{
	const char *point = memchr(t->s, '.', t->n);
	size_t n = point != NULL ? (size_t)(point - t->s) : t->n;
	unsigned __int128 rest = 0, scale = 1;
	*out = (decimal){0};
	if (!integer(t->s, n < 4300 ? n : 4300, &out->whole) || !all_digits(t->s, n))
		return false;
	if (point == NULL)
		return true;
	if (!all_digits(point + 1, t->n - n - 1))
		return false;
	for (size_t i = n + 1; i < t->n; i++) {
		out->fraction = out->fraction || t->s[i] != '0';
		if (i < n + 1 + 36) {
			rest = rest * 10 + (unsigned)(t->s[i] - '0');
			scale *= 10;
		}
	}
	out->sixtieths = (int64_t)(rest * 60 / scale);
	return true;
}

/* Minutes with a fraction give seconds; without, the seconds are forgotten. */
static void
set_minutes(parser *p, const decimal *v)
{
	p->minute = v->whole;
	p->second = v->fraction ? v->sixtieths : NONE;
}

static bool
set_seconds(parser *p, const char *s, size_t n)
{
	const char *point = memchr(s, '.', n);
	size_t whole = point != NULL ? (size_t)(point - s) : n;
	char digits[6] = "000000";
	if (!integer(s, whole, &p->second))
		return false;
	p->us = 0;
	if (point == NULL)
		return true;
	memcpy(digits, point + 1, n - whole - 1 < 6 ? n - whole - 1 : 6);
	return integer(digits, 6, &p->us);
}

/* ---- year, month and day --------------------------------------------------------------------- */

/* label: 'Y', 'M', 'D' or 0.  More than three are an error at the end, and so are one at once. */
static bool
add_ymd(parser *p, int64_t v, bool century, char label)
{
	if (p->nymd == 3 || (century && label == 'M'))
		return false;
	if (century) {
		p->century = true;
		label = 'Y';
	}
	if ((label == 'M' && p->m >= 0) || (label == 'Y' && p->y >= 0))
		return false;
	if (label == 'M')
		p->m = p->nymd;
	if (label == 'Y')
		p->y = p->nymd;
	p->ymd[p->nymd++] = v;
	return true;
}

static bool
add_text(parser *p, const char *s, size_t n, char label)
{
	int64_t v;
	return integer(s, n, &v) && add_ymd(p, v, n > 2, label);
}

static bool
add_token(parser *p, size_t i)
{
	int month;
	if (i >= p->n)
		return false;
	month = month_of(p->t[i].s);
	return month > 0 ? add_ymd(p, month, false, 'M') : add_text(p, p->t[i].s, p->t[i].n, 0);
}

static bool
add_decimal(parser *p, const decimal *v)
{
	return add_ymd(p, v->whole, v->whole > 100 || (v->whole == 100 && v->fraction), 0);
}

static bool
could_be_day(const parser *p, const decimal *v)
{
	int most = 31;
	if (p->d >= 0)
		return false;
	if (p->m >= 0)
		most = vt_days_in_month(
			p->y >= 0 ? (int)(p->ymd[p->y] % 400 + 400) : 2000, (int)p->ymd[p->m]);
	return v->whole >= 1 && (v->whole < most || (v->whole == most && !v->fraction));
}

static void
take(parser *p, const char *order)
{
	for (int i = 0; order[i] != '\0'; i++)
		*(order[i] == 'y' ? &p->year : order[i] == 'm' ? &p->month : &p->day) = p->ymd[i];
}

/* Two or three numbers, all of which have a name, or all but one. */
static bool
take_named(parser *p)
{
	int known = (p->y >= 0) + (p->m >= 0) + (p->d >= 0);
	char order[4] = "";
	if (known == 0 || (known != p->nymd && (p->nymd != 3 || known != 2)))
		return false;
	for (int i = 0; i < p->nymd; i++)
		order[i] = i == p->y   ? 'y'
			   : i == p->m ? 'm'
			   : i == p->d ? 'd'
			   : p->y < 0  ? 'y'
			   : p->m < 0  ? 'm'
				       : 'd';
	take(p, order);
	return true;
}

static const char *
order_of_three(const parser *p)
{
	const int64_t *v = p->ymd;
	switch (p->m) {
	case 0: return v[1] > 31 ? "myd" : "mdy";
	case 1: return v[0] > 31 ? "ymd" : "dmy";
	case 2: return v[1] > 31 ? "dym" : "ydm";
	}
	return v[0] > 31 || p->y == 0 ? "ymd" : v[0] > 12 ? "dmy" : "mdy";
}

static void
resolve_ymd(parser *p)
{
	const int64_t *v = p->ymd;
	if (p->nymd == 0 || take_named(p))
		return;
	if (p->nymd == 3)
		take(p, order_of_three(p));
	else if (p->nymd == 1)
		take(p, v[0] > 31 ? "y" : "d");
	else if (p->m >= 0)
		take(p, p->m == 0 ? v[1] > 31 ? "my" : "md" : v[0] > 31 ? "ym" : "dm");
	else
		take(p, v[0] > 31 ? "ym" : v[1] > 31 ? "my" : "md");
}

/* Two digits mean the year nearest to this one. */
static int64_t
full_year(int64_t year, bool century)
{
	time_t now = time(NULL);
	struct tm tm;
	int64_t this;
	if (year >= 100 || century)
		return year;
	localtime_r(&now, &tm);
	this = tm.tm_year + 1900;
	year += this / 100 * 100;
	return year >= this + 50 ? year - 100 : year < this - 50 ? year + 100 : year;
}

/* ---- numeric tokens: each handler returns false for an error --------------------------------- */

static void
set_hour_of_12(parser *p, int64_t hour, int half)
{
	p->hour = hour < 12 && half == 1 ? hour + 12 : hour == 12 && half == 0 ? 0 : hour;
}

/* "h", "m" or "s" behind the number, or in front of it: then it was the unit above. */
static bool
find_hms(const parser *p, size_t i, size_t *at)
{
	const token *t = p->t;
	if (i + 1 < p->n && hms_of(t[i + 1].s) >= 0)
		*at = i + 1;
	else if (i + 2 < p->n && t[i + 1].s[0] == ' ' && hms_of(t[i + 2].s) >= 0)
		*at = i + 2;
	else if (i > 0 && hms_of(t[i - 1].s) >= 0)
		*at = i - 1;
	else if (i > 1 && i + 1 == p->n && t[i - 1].s[0] == ' ' && hms_of(t[i - 2].s) >= 0)
		*at = i - 2;
	else
		return false;
	return true;
}

static bool
read_hms(parser *p, size_t *i, const decimal *v, size_t at)
{
	const token *t = &p->t[*i];
	int unit = hms_of(p->t[at].s) + (at < *i);
	if (at > *i)
		*i = at;
	if (unit == 0) {
		p->hour = v->whole;
		if (v->fraction)
			p->minute = v->sixtieths;
	} else if (unit == 1) {
		set_minutes(p, v);
	} else if (unit == 2) {
		return set_seconds(p, t->s, t->n);
	}
	return true;
}

/* HH:MM[:SS[.ss]] */
static bool
read_clock(parser *p, size_t *i, const decimal *v)
{
	decimal minutes;
	p->hour = v->whole;
	if (!number(&p->t[*i + 2], &minutes))
		return false;
	set_minutes(p, &minutes);
	if (*i + 4 < p->n && p->t[*i + 3].s[0] == ':') {
		if (!set_seconds(p, p->t[*i + 4].s, p->t[*i + 4].n))
			return false;
		*i += 2;
	}
	*i += 2;
	return true;
}

/* 01-01[-01] or 01-Jan[-01], with any of - / . */
static bool
read_separated(parser *p, size_t *i)
{
	size_t at = *i;
	char separator = p->t[at + 1].s[0];
	if (!add_text(p, p->t[at].s, p->t[at].n, 0))
		return false;
	if (at + 2 < p->n && !is_jump(p->t[at + 2].s)) {
		if (!add_token(p, at + 2))
			return false;
		if (at + 3 < p->n && p->t[at + 3].s[0] == separator) {
			if (!add_token(p, at + 4))
				return false;
			*i += 2;
		}
		*i += 1;
	}
	*i += 1;
	return true;
}

/* YYMMDD as the first thing, else HHMMSS[.ss] */
static bool
read_six(parser *p, const token *t)
{
	if (p->nymd == 0 && memchr(t->s, '.', t->n) == NULL)
		return add_text(p, t->s, 2, 0) && add_text(p, t->s + 2, 2, 0) &&
		       add_text(p, t->s + 4, t->n - 4, 0);
	return integer(t->s, 2, &p->hour) && integer(t->s + 2, 2, &p->minute) &&
	       set_seconds(p, t->s + 4, t->n - 4);
}

/* YYYYMMDD[HHMM[SS]] */
static bool
read_run(parser *p, const token *t)
{
	if (!add_text(p, t->s, 4, 'Y') || !add_text(p, t->s + 4, 2, 0) ||
		!add_text(p, t->s + 6, 2, 0))
		return false;
	if (t->n > 8 && !(integer(t->s + 8, 2, &p->hour) && integer(t->s + 10, 2, &p->minute)))
		return false;
	return t->n <= 12 || integer(t->s + 12, t->n - 12, &p->second);
}

/* A number that stands alone: an hour when am or pm follows, else a year, a month or a day. */
static bool
read_alone(parser *p, size_t *i, const decimal *v)
{
	size_t at = *i;
	int half;
	if (at + 1 >= p->n || is_jump(p->t[at + 1].s)) {
		half = at + 2 < p->n ? ampm_of(p->t[at + 2].s) : -1;
		*i += half >= 0 ? 2 : 1;
		if (half < 0)
			return add_decimal(p, v);
		set_hour_of_12(p, v->whole, half);
		return true;
	}
	half = ampm_of(p->t[at + 1].s);
	if (half >= 0 && v->whole < 24) {
		set_hour_of_12(p, v->whole, half);
		*i += 1;
		return true;
	}
	return could_be_day(p, v) && add_decimal(p, v);
}

static bool
read_number(parser *p, size_t *i, const decimal *v)
{
	const token *t = &p->t[*i], *next = *i + 1 < p->n ? t + 1 : NULL;
	const char *point = memchr(t->s, '.', t->n);
	size_t at;
	if (p->nymd == 3 && (t->n == 2 || t->n == 4) && p->hour == NONE &&
		(next == NULL || (next->s[0] != ':' && hms_of(next->s) < 0)))
		return integer(t->s, 2, &p->hour) &&
		       (t->n == 2 || integer(t->s + 2, 2, &p->minute));
	if (t->n == 6 || (t->n > 6 && point == t->s + 6))
		return read_six(p, t);
	if (t->n == 8 || t->n == 12 || t->n == 14)
		return read_run(p, t);
	if (find_hms(p, *i, &at))
		return read_hms(p, i, v, at);
	if (*i + 2 < p->n && next->s[0] == ':')
		return read_clock(p, i, v);
	if (next != NULL && next->n == 1 && strchr("-/.", next->s[0]) != NULL)
		return read_separated(p, i);
	return read_alone(p, i, v);
}

/* ---- the other tokens ------------------------------------------------------------------------ */

/* Jan-01[-99], Jan of 01, or the month alone */
static bool
read_month(parser *p, size_t *i, int month)
{
	size_t at = *i;
	const token *t = p->t;
	int64_t year;
	if (!add_ymd(p, month, false, 'M'))
		return false;
	if (at + 1 < p->n && t[at + 1].n == 1 && (t[at + 1].s[0] == '-' || t[at + 1].s[0] == '/')) {
		if (at + 2 >= p->n || !add_text(p, t[at + 2].s, t[at + 2].n, 0))
			return false;
		*i += 2;
		if (at + 3 < p->n && t[at + 3].s[0] == t[at + 1].s[0]) {
			*i += 2;
			return at + 4 < p->n && add_text(p, t[at + 4].s, t[at + 4].n, 0);
		}
	} else if (at + 4 < p->n && t[at + 1].s[0] == ' ' && t[at + 3].s[0] == ' ' &&
		   is_word(t[at + 2].s, "of")) {
		*i += 4;
		if (all_digits(t[at + 4].s, t[at + 4].n))
			return integer(t[at + 4].s, t[at + 4].n, &year) &&
			       add_ymd(p, full_year(year, false), true, 'Y');
	}
	return true;
}

static bool
could_be_zone(const parser *p, const char *s)
{
	size_t n = strlen(s);
	if (p->hour == NONE || p->zone != NULL || n > 5)
		return false;
	if (strcmp(s, "z") == 0)
		return true;
	while (n > 0 && s[n - 1] >= 'A' && s[n - 1] <= 'Z')
		n--;
	return n == 0;
}

/* In GMT+3 the sign says what to add to get GMT: the other way round than in +03:00. */
static void
read_zone(parser *p, size_t i)
{
	p->zone = p->t[i].s;
	p->offset = strcmp(p->zone, "z") == 0 ? 0 : NONE;
	if (i + 1 >= p->n || !is_sign(p->t[i + 1].s))
		return;
	p->t[i + 1].s[0] = p->t[i + 1].s[0] == '+' ? '-' : '+';
	p->offset = NONE;
	if (is_utc(p->zone))
		p->zone = NULL;
}

/* -0300, -03:00, -[0]3; a name in parentheses may follow */
static bool
read_offset(parser *p, size_t *i)
{
	const token *t = p->t, *digits = &t[*i + 1];
	int64_t hours, minutes = 0, sign = t[*i].s[0] == '+' ? 1 : -1;
	if (*i + 1 >= p->n)
		return false;
	if (digits->n == 4) {
		if (!integer(digits->s, 2, &hours) || !integer(digits->s + 2, 2, &minutes))
			return false;
	} else if (*i + 2 < p->n && t[*i + 2].s[0] == ':') {
		if (*i + 3 >= p->n || !integer(digits->s, digits->n, &hours) ||
			!integer(t[*i + 3].s, t[*i + 3].n, &minutes))
			return false;
		*i += 2;
	} else if (digits->n > 2 || !integer(digits->s, digits->n, &hours)) {
		return false;
	}
	p->offset = hours > INT32_MAX || minutes > INT32_MAX ? HUGE
							     : sign * (hours * 3600 + minutes * 60);
	if (*i + 5 < p->n && is_jump(t[*i + 2].s) && t[*i + 3].s[0] == '(' &&
		t[*i + 5].s[0] == ')' && t[*i + 4].n >= 3 && could_be_zone(p, t[*i + 4].s)) {
		p->zone = t[*i + 4].s;
		*i += 4;
	}
	*i += 1;
	return true;
}

static bool
read_half(parser *p, int half)
{
	if (p->hour == NONE || p->hour > 12)
		return false;
	set_hour_of_12(p, p->hour, half);
	p->ampm = half;
	return true;
}

static bool
read_token(parser *p, size_t *i)
{
	const token *t = &p->t[*i];
	int weekday, month, half;
	decimal v;
	if (number(t, &v))
		return read_number(p, i, &v);
	if ((weekday = weekday_of(t->s)) >= 0) {
		p->weekday = weekday;
		return true;
	}
	if ((month = month_of(t->s)) > 0)
		return read_month(p, i, month);
	if ((half = ampm_of(t->s)) >= 0)
		return read_half(p, half);
	if (p->offset == NONE && could_be_zone(p, t->s)) {
		read_zone(p, *i);
		return true;
	}
	if (p->hour != NONE && is_sign(t->s))
		return read_offset(p, i);
	return is_jump(t->s);
}

static bool
read_all(parser *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!read_token(p, &i))
			return false;
	resolve_ymd(p);
	if (p->year != NONE)
		p->year = full_year(p->year, p->century);
	if ((p->offset == 0 && p->zone == NULL) || (p->zone != NULL && is_word(p->zone, "z"))) {
		p->zone = "UTC";
		p->offset = 0;
	} else if (p->zone != NULL && is_utc(p->zone)) {
		p->offset = 0;
	}
	return true;
}

/* ---- the datetime ---------------------------------------------------------------------------- */

static vt_status
fail(parser *p, const char *why)
{
	vt_buf b = {0};
	vt_buf_puts(&b, why);
	vt_buf_puts(&b, ": ");
	vt_put_cut(&b, p->source->s, p->source->bytes);
	return vt_raise_value(p->rt, VT_E_DATEUTIL, vt_str_take(p->rt, &b));
}

static vt_status
set_part(parser *p, int64_t v, int *part)
{
	if (v == NONE)
		return VT_OK;
	if (v > INT32_MAX)
		return vt_raise(p->rt, VT_E_OVERFLOW,
			v == HUGE ? "Python int too large to convert to C long"
				  : "signed integer is greater than maximum");
	*part = (int)v;
	return VT_OK;
}

/* The day of today, cut to the month; but a month of the text that is none is reported first. */
static vt_status
default_day(parser *p, int64_t year, int64_t month, int *day)
{
	char why[64];
	int most;
	if (month < 1 || month > 12) {
		snprintf(why, sizeof why, "bad month number %lld; must be 1-12", (long long)month);
		return fail(p, why);
	}
	most = vt_days_in_month((int)(year % 400 + 400), (int)month);
	*day = *day > most ? most : *day;
	return VT_OK;
}

/* A ValueError of the parts becomes the parser's error. */
static vt_status
checked(parser *p, const int parts[7], int64_t *us)
{
	vt_value text;
	vt_exc *e;
	vt_status st = vt_civil_checked(p->rt, parts, us);
	if (st == VT_OK)
		return VT_OK;
	e = vt_pending(p->rt);
	text = vt_copy(e->message);
	vt_exc_clear(p->rt);
	st = fail(p, vt_as_str(text)->s);
	vt_release(text);
	return st;
}

static vt_status
build_naive(parser *p, int64_t *us)
{
	time_t now = time(NULL);
	struct tm tm;
	int parts[7] = {0};
	localtime_r(&now, &tm);
	parts[0] = tm.tm_year + 1900;
	parts[1] = tm.tm_mon + 1;
	parts[2] = tm.tm_mday;
	if (p->day == NONE)
		VT_TRY(default_day(p, p->year == NONE ? parts[0] : p->year,
			p->month == NONE ? parts[1] : p->month, &parts[2]));
	VT_TRY(set_part(p, p->year, &parts[0]));
	VT_TRY(set_part(p, p->month, &parts[1]));
	VT_TRY(set_part(p, p->day, &parts[2]));
	VT_TRY(set_part(p, p->hour, &parts[3]));
	VT_TRY(set_part(p, p->minute, &parts[4]));
	VT_TRY(set_part(p, p->second, &parts[5]));
	VT_TRY(set_part(p, p->us, &parts[6]));
	VT_TRY(checked(p, parts, us));
	if (p->weekday != NONE && (p->day == NONE || p->day == 0))
		*us += (7 - *us / DAY % 7 + p->weekday) % 7 * DAY;
	if (*us >= INT64_C(3652059) * DAY)
		return vt_raise(p->rt, VT_E_OVERFLOW, "date value out of range");
	return VT_OK;
}

/* Is summer time at that moment of the standard clock? */
static bool
is_summer(int64_t us, int64_t standard)
{
	time_t t = (time_t)(us / SECOND - INT64_C(719162) * 86400 - standard);
	struct tm tm;
	return localtime_r(&t, &tm) != NULL && tm.tm_isdst > 0;
}

/*
 * A name of the local zone stands for the zone, which then decides by the date; of an hour that
 * comes twice the name says which it is.  UTC and GMT are UTC where the zone does not bear that
 * name then.
 */
static bool
local_offset(parser *p, int64_t us)
{
	vt_local_zone z = vt_local_zone_now();
	bool changes = z.offset[0] != z.offset[1], summer;
	if (p->zone == NULL || (strcmp(p->zone, z.name[0]) != 0 && strcmp(p->zone, z.name[1]) != 0))
		return false;
	summer = changes && is_summer(us, z.offset[0]);
	if (changes && !summer && is_summer(us - (z.offset[1] - z.offset[0]) * SECOND, z.offset[0]))
		summer = strcmp(p->zone, z.name[1]) == 0;
	p->offset = z.offset[summer];
	if (strcmp(p->zone, z.name[summer]) != 0) {
		p->offset = is_utc(p->zone) ? 0 : p->offset;
		p->zone = is_utc(p->zone) ? "UTC" : z.name[summer];
	}
	return true;
}

/* A zone that is only a name nobody knows is none, and what has no zone is UTC. */
static vt_status
build(parser *p, vt_value *out)
{
	int64_t us;
	vt_datetime *t;
	VT_TRY(build_naive(p, &us));
	if (!local_offset(p, us) && (p->offset == NONE || p->offset == 0)) {
		p->offset = 0;
		p->zone = NULL;
	}
	if (p->offset > INT32_MAX || p->offset < INT32_MIN)
		return vt_raise(p->rt, VT_E_OVERFLOW, "offset out of range");
	*out = vt_datetime_value(p->rt, us, (int32_t)p->offset, false);
	t = VT_AS(vt_datetime, *out);
	if (p->zone != NULL && strlen(p->zone) < sizeof t->zone &&
		(p->offset != 0 || strcmp(p->zone, "UTC") != 0)) {
		t->h.aux = VT_ZONE_NAMED;
		memset(t->zone, 0, sizeof t->zone);
		memcpy(t->zone, p->zone, strlen(p->zone));
	}
	return VT_OK;
}

static bool
is_empty(const parser *p)
{
	return p->year == NONE && p->month == NONE && p->day == NONE && p->weekday == NONE &&
	       p->hour == NONE && p->minute == NONE && p->second == NONE && p->us == NONE &&
	       p->ampm == NONE && p->offset == NONE && p->zone == NULL;
}

/* ---- ISO 8601 ---- */

/* The number of two or four digits at s; -1: there is none. */
static inline int
digits(const char *s, int n)
{
	unsigned a = (unsigned)s[0] - '0', b = (unsigned)s[1] - '0';
	int rest = n > 2 ? digits(s + 2, n - 2) : 0;
	return a > 9 || b > 9 || rest < 0 ? -1 : (int)(10 * a + b) * (n > 2 ? 100 : 1) + rest;
}

/* A clock behind the date: hh:mm[:ss[.digits]], up to six digits. What is left begins at the
 * result; NULL: it is none. */
static const char *
iso_clock(const char *s, const char *end, int64_t *us)
{
	int h, m, sec = 0, n;
	int64_t fraction = 0, unit = SECOND;
	if (end - s < 5 || s[2] != ':' || (h = digits(s, 2)) < 0 || (m = digits(s + 3, 2)) < 0)
		return NULL;
	s += 5;
	if (end - s >= 3 && *s == ':') {
		if ((sec = digits(s + 1, 2)) < 0)
			return NULL;
		s += 3;
		if (end - s >= 2 && *s == '.') {
			for (n = 1; n <= 6 && n < end - s && s[n] >= '0' && s[n] <= '9'; n++)
				fraction += (s[n] - '0') * (unit /= 10);
			if (n == 1 || (n < end - s && s[n] >= '0' && s[n] <= '9'))
				return NULL;
			s += n;
		}
	}
	if (h > 23 || m > 59 || sec > 59)
		return NULL;
	*us = ((h * 60 + m) * 60 + sec) * SECOND + fraction;
	return s;
}

/* Z, +hh:mm or nothing. */
static bool
iso_zone(const char *s, const char *end, int32_t *offset)
{
	int h, m;
	*offset = 0;
	if (s == end || (end - s == 1 && *s == 'Z'))
		return true;
	if (end - s != 6 || (*s != '+' && *s != '-') || s[3] != ':' || (h = digits(s + 1, 2)) < 0 ||
		(m = digits(s + 4, 2)) < 0 || h > 23 || m > 59)
		return false;
	*offset = (*s == '-' ? -1 : 1) * (h * 60 + m) * 60;
	return true;
}

/* What most texts are: year, month and day, and a clock behind T or a space. False: the long way,
 * which has the errors. */
static bool
iso_date(const vt_str *text, int64_t *us, int32_t *offset)
{
	const char *s = text->s, *end = s + text->bytes;
	int y, m, d;
	int64_t clock = 0;
	if (text->bytes < 10 || s[4] != '-' || s[7] != '-' || (y = digits(s, 4)) < 1000 ||
		(m = digits(s + 5, 2)) < 1 || m > 12 || (d = digits(s + 8, 2)) < 1 ||
		d > vt_days_in_month(y, m))
		return false;
	s += 10;
	*offset = 0;
	if (s < end) {
		if ((*s != 'T' && *s != ' ') || (s = iso_clock(s + 1, end, &clock)) == NULL ||
			!iso_zone(s, end, offset))
			return false;
	}
	*us = vt_civil_us(y, m, d) + clock;
	return true;
}

static __attribute__((noinline)) vt_status
parse_freely(vt_rt *rt, const vt_str *text, vt_value *out)
{
	parser p = {.rt = rt,
		.source = text,
		.y = -1,
		.m = -1,
		.d = -1,
		.year = NONE,
		.month = NONE,
		.day = NONE,
		.weekday = NONE,
		.hour = NONE,
		.minute = NONE,
		.second = NONE,
		.us = NONE,
		.ampm = NONE,
		.offset = NONE};
	vt_status st;
	tokenize(&p);
	if (!read_all(&p))
		st = fail(&p, "Unknown string format");
	else if (is_empty(&p))
		st = fail(&p, "String does not contain a date");
	else
		st = build(&p, out);
	free(p.text);
	free(p.t);
	return st;
}

vt_status
vt_date_parse(vt_rt *rt, const vt_str *text, vt_value *out)
{
	int64_t us;
	int32_t offset;
	if (!iso_date(text, &us, &offset))
		return parse_freely(rt, text, out);
	*out = vt_datetime_value(rt, us, offset, false);
	return VT_OK;
}

vt_status
vt_lib_datetime_from_string(vt_args *a, vt_value *out)
{
	const vt_str *text = vt_as_str(a->v[0]);
	if (a->v[1] == VT_NULL || vt_as_str(a->v[1])->bytes == 0)
		return vt_date_parse(a->rt, text, out);
	return vt_date_strptime(a->rt, text, vt_as_str(a->v[1]), out);
}

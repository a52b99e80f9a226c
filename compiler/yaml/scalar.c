/*
 * scalar.c - what a scalar means.
 *
 * Plain scalars resolve as PyYAML 6 does it (YAML 1.1): its regular expressions, written out as
 * matchers over bytes.  Then rule C9 of MuranoPL: what stayed a string and is no bare word is an
 * expression when YAQL can read it.
 */
#include "compiler/yaml/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Python's own limit for decimal text of an integer. */
enum { DIGITS_MAX = 4300, LIMBS_MAX = DIGITS_MAX / 9 + 8 };

/* ---- matchers: each takes what it can from *p and says how much ---- */

static bool
is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static size_t
take(const char **p, const char *set)
{
	size_t n = strspn(*p, set);
	*p += n;
	return n;
}

static bool
take_sign(const char **p)
{
	bool has = **p == '+' || **p == '-';
	*p += has;
	return has;
}

static bool
take_digits(const char **p, unsigned low, unsigned high)
{
	unsigned n = 0;
	while (n < high && is_digit((*p)[n]))
		n++;
	*p += n;
	return n >= low;
}

/* (:[0-5]?[0-9])+ */
static bool
take_sixties(const char **p)
{
	unsigned n = 0;
	for (; **p == ':' && is_digit((*p)[1]); n++) {
		if ((*p)[1] <= '5' && is_digit((*p)[2]))
			*p += 3;
		else
			*p += 2;
	}
	return n != 0;
}

static bool
one_of(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(s, *words))
			return true;
	return false;
}

static bool
match_bool(const char *s)
{
	static const char *const words[] = {"yes", "Yes", "YES", "no", "No", "NO", "true", "True",
		"TRUE", "false", "False", "FALSE", "on", "On", "ON", "off", "Off", "OFF", NULL};
	return one_of(s, words);
}

static bool
match_null(const char *s)
{
	static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};
	return one_of(s, words);
}

static bool
match_int(const char *s)
{
	take_sign(&s);
	const char *p = s;
	if (p[0] == '0' && p[1] == 'b')
		return p += 2, take(&p, "01_") && !*p;
	if (p[0] == '0' && p[1] == 'x')
		return p += 2, take(&p, "0123456789abcdefABCDEF_") && !*p;
	if (p[0] == '0')
		return p++, take(&p, "01234567_"), !*p;
	if (!is_digit(*p))
		return false;
	take(&p, "0123456789_");
	if (*p == ':')
		take_sixties(&p);
	return !*p;
}

/* ([eE][-+][0-9]+)? */
static bool
take_exponent(const char **p)
{
	if (**p != 'e' && **p != 'E')
		return true;
	++*p;
	return take_sign(p) && take(p, "0123456789");
}

static bool
match_float(const char *s)
{
	static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
	static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
	const char *p = s;
	bool sign = take_sign(&p);
	if (one_of(p, infinities) || (!sign && one_of(p, nans)))
		return true;
	if (*p == '.')
		return !sign && is_digit(p[1]) && (p++, take(&p, "0123456789_")) &&
		       take_exponent(&p) && !*p;
	if (!is_digit(*p))
		return false;
	take(&p, "0123456789_");
	bool sixties = take_sixties(&p);
	if (*p++ != '.')
		return false;
	take(&p, "0123456789_");
	return (sixties || take_exponent(&p)) && !*p;
}

/* [Tt] or blanks, then hours, minutes, seconds, fraction and zone; *p is behind the date. */
static bool
take_time(const char **p)
{
	if (**p == 'T' || **p == 't')
		++*p;
	else if (!take(p, " \t"))
		return false;
	if (!take_digits(p, 1, 2) || *(*p)++ != ':' || !take_digits(p, 2, 2) || *(*p)++ != ':' ||
		!take_digits(p, 2, 2))
		return false;
	if (**p == '.')
		++*p, take(p, "0123456789");
	const char *zone = *p;
	take(&zone, " \t");
	if (*zone == 'Z') {
		*p = zone + 1;
	} else if (take_sign(&zone)) {
		*p = zone;
		if (!take_digits(p, 1, 2))
			return false;
		if (**p == ':')
			return ++*p, take_digits(p, 2, 2);
	}
	return true;
}

/* A date alone is strict about two digits, one in front of a time is not. */
static enum yn_type
match_timestamp(const char *s)
{
	const char *p = s;
	if (!take_digits(&p, 4, 4) || *p++ != '-')
		return YT_STR;
	const char *month = p;
	if (!take_digits(&p, 1, 2) || *p++ != '-')
		return YT_STR;
	const char *day = p;
	if (!take_digits(&p, 1, 2))
		return YT_STR;
	if (!*p)
		return day - month == 3 && p - day == 2 ? YT_DATE : YT_STR;
	return take_time(&p) && !*p ? YT_DATETIME : YT_STR;
}

/* ---- values ---- */

static void
bad_value(vc *c, ynode *n, const char *type)
{
	n->kind = YN_ERROR;
	vc_report(c, VC_E0207, n->span, "'%s' is no %s", n->text, type);
}

/* A magnitude in limbs of nine decimal digits, least first. */
typedef struct big {
	uint32_t limb[LIMBS_MAX];
	unsigned n;
} big;

static bool
big_push(big *b, uint32_t base, uint32_t digit)
{
	uint64_t carry = digit;
	for (unsigned i = 0; i < b->n; i++) {
		carry += (uint64_t)b->limb[i] * base;
		b->limb[i] = (uint32_t)(carry % 1000000000);
		carry /= 1000000000;
	}
	if (!carry)
		return true;
	if (b->n == LIMBS_MAX)
		return false;
	b->limb[b->n++] = (uint32_t)carry;
	return true;
}

static const char *
big_text(vc *c, const big *b, bool negative)
{
	char *text = vc_alloc(c, (size_t)b->n * 9 + 3), *p = text;
	if (negative && b->n)
		*p++ = '-';
	if (!b->n)
		*p++ = '0';
	for (unsigned i = b->n; i--;)
		p += snprintf(p, 11, i + 1 == b->n ? "%u" : "%09u", b->limb[i]);
	return text;
}

/* Immediate when it fits; the limbs decide, since three of them hold more than 63 bits. */
static void
set_int(vc *c, ynode *n, const big *b, bool negative)
{
	uint64_t x = 0;
	bool fits = b->n <= 2;
	for (unsigned i = b->n; i-- && b->n <= 3;)
		fits = !__builtin_mul_overflow(x, UINT64_C(1000000000), &x) &&
		       !__builtin_add_overflow(x, b->limb[i], &x);
	n->type = YT_INT;
	n->nmap = 0;
	n->fits = fits && x <= (uint64_t)INT64_MAX + negative;
	if (n->fits)
		n->i = negative ? (int64_t)(0 - x) : (int64_t)x;
	n->digits = big_text(c, b, negative);
}

/* The digits of one number in its base, or base 60 groups of decimal numbers. */
static bool
read_int(big *b, const char *p)
{
	unsigned base = 10;
	if (p[0] == '0' && (p[1] == 'b' || p[1] == 'x'))
		base = p[1] == 'b' ? 2 : 16, p += 2;
	else if (p[0] == '0')
		base = 8;
	for (; *p; p++) {
		if (*p == ':') {
			uint32_t group = 0;
			while (is_digit(p[1]))
				group = group * 10 + (uint32_t)(*++p - '0');
			if (!big_push(b, 60, group))
				return false;
		} else if (*p != '_' &&
			   !big_push(b, base,
				   (uint32_t)(is_digit(*p) ? *p - '0' : (*p | 32) - 'a' + 10))) {
			return false;
		}
	}
	return true;
}

static void
make_int(vc *c, ynode *n)
{
	const char *p = n->text;
	bool negative = *p == '-';
	take_sign(&p);
	big b = {.n = 0};
	size_t digits = strcspn(p, ":");
	if (p[0] == '0' && (p[1] == 'b' || p[1] == 'x') && !p[2 + strspn(p + 2, "_")]) {
		bad_value(c, n, "number: it has no digits");
	} else if (digits > DIGITS_MAX || n->ntext > 4 * DIGITS_MAX || !read_int(&b, p)) {
		n->kind = YN_ERROR;
		vc_report(c, VC_E0211, n->span, "a number of more than %d digits", DIGITS_MAX);
	} else {
		set_int(c, n, &b, negative);
	}
}

/* strtod reads a point in every locale vetro runs in: nothing in it calls setlocale. */
static double
read_float(const char *p)
{
	double x = 0;
	for (char *end;; p = end + 1) {
		x = x * 60 + strtod(p, &end);
		if (*end != ':')
			return x;
	}
}

static void
make_float(vc *c, ynode *n)
{
	char *clean = vc_alloc(c, n->ntext + 1u), *to = clean;
	const char *p = n->text;
	bool negative = *p == '-';
	take_sign(&p);
	for (; *p; p++)
		if (*p != '_')
			*to++ = *p;
	n->type = YT_FLOAT;
	n->nmap = 0;
	if (clean[0] == '.' && (clean[1] | 32) == 'i')
		n->f = INFINITY;
	else if (clean[0] == '.' && (clean[1] | 32) == 'n')
		n->f = NAN;
	else
		n->f = read_float(clean);
	if (negative)
		n->f = -n->f;
}

static int
two(const char **p)
{
	int x = 0;
	while (is_digit(**p))
		x = x * 10 + *(*p)++ - '0';
	return x;
}

static bool
is_date(int year, int month, int day)
{
	static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	if (year < 1 || month < 1 || month > 12 || day < 1)
		return false;
	bool leap = (year % 4 == 0 && year % 100) || year % 400 == 0;
	return day <= days[month - 1] + (month == 2 && leap);
}

/* Digits of a second behind the point: six count, as in Python. */
static int
fraction(const char *p)
{
	int us = 0;
	for (int i = 0; i < 6; i++)
		us = us * 10 + (is_digit(*p) ? *p++ - '0' : 0);
	return us;
}

static bool
read_zone(const char *p, vc_stamp *s)
{
	int sign = *p == '-' ? -1 : 1, hours, minutes = 0;
	s->naive = *p == '\0';
	if (*p == 'Z' || s->naive)
		return true;
	p++;
	hours = two(&p);
	if (*p == ':')
		p++, minutes = two(&p);
	s->offset = sign * (hours * 3600 + minutes * 60);
	return hours < 24;
}

static bool
read_time(const char *p, vc_stamp *s)
{
	int hour, minute, second, us = 0;
	p += strcspn(p, "0123456789");
	hour = two(&p), minute = (p++, two(&p)), second = (p++, two(&p));
	if (*p == '.') {
		us = fraction(++p);
		p += strspn(p, "0123456789");
	}
	p += strspn(p, " \t");
	s->us += (int64_t)(hour * 3600 + minute * 60 + second) * 1000000 + us;
	return hour < 24 && minute < 60 && second < 60 && read_zone(p, s);
}

bool
vc_read_stamp(const char *text, vc_stamp *s)
{
	enum yn_type type = match_timestamp(text);
	const char *p = text;
	int year, month, day;
	*s = (vc_stamp){.naive = true, .date = type == YT_DATE};
	if (type == YT_STR)
		return false;
	year = two(&p), month = (p++, two(&p)), day = (p++, two(&p));
	if (!is_date(year, month, day))
		return false;
	s->us = vt_civil_us(year, month, day);
	return s->date || read_time(p, s);
}

static void
make_timestamp(vc *c, ynode *n, enum yn_type type)
{
	n->type = type;
	if (vc_read_stamp(n->text, &(vc_stamp){0}))
		return;
	n->kind = YN_ERROR;
	vc_report(c, VC_E0210, n->span, "there is no such date or time: %s", n->text);
	vc_hint(c, "quote it when it is meant as text");
}

void
ys_resolve_plain(vc *c, ynode *n)
{
	const char *s = n->text;
	enum yn_type stamp;
	if (match_bool(s)) {
		n->type = YT_BOOL;
		n->nmap = 0;
		n->i = (s[0] | 32) == 'y' || (s[0] | 32) == 't' || !strcmp(s, "on") ||
		       !strcmp(s, "On") || !strcmp(s, "ON");
		n->fits = true;
	} else if (match_float(s)) {
		make_float(c, n);
	} else if (match_int(s)) {
		make_int(c, n);
	} else if (match_null(s)) {
		n->type = YT_NULL;
	} else if ((stamp = match_timestamp(s)) != YT_STR) {
		make_timestamp(c, n, stamp);
	}
}

/* ---- plain scalars by the core schema of YAML 1.2 ---- */

static bool
core_float(const char *s)
{
	const char *p = s;
	take_sign(&p);
	bool before = take(&p, "0123456789");
	bool point = *p == '.';
	bool after = point && (p++, take(&p, "0123456789"));
	if (!before && !after)
		return false;
	bool power = *p == 'e' || *p == 'E';
	if (power) {
		p++;
		take_sign(&p);
		if (!take(&p, "0123456789"))
			return false;
	}
	return !*p && (point || power);
}

static bool
core_special(const char *s)
{
	static const char *const words[] = {".inf", ".Inf", ".INF", NULL};
	static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
	const char *p = s;
	take_sign(&p);
	return one_of(p, words) || one_of(s, nans);
}

/* Most integers: digits that need no other writing. */
static bool
make_plain_int(ynode *n)
{
	int64_t x = 0;
	if (n->ntext > 18 || (n->text[0] == '0' && n->ntext > 1))
		return false;
	for (const char *p = n->text; *p; p++) {
		if (!is_digit(*p))
			return false;
		x = x * 10 + (*p - '0');
	}
	n->type = YT_INT;
	n->nmap = 0;
	n->fits = true;
	n->i = x;
	n->digits = n->text;
	return true;
}

/* Digits of one base, without base 60, underscores and the octal zero of YAML 1.1. */
static bool
make_core_int(vc *c, ynode *n)
{
	const char *p = n->text;
	if (is_digit(*p) && make_plain_int(n))
		return true;
	bool negative = *p == '-';
	unsigned base = 10;
	big b = {.n = 0};
	if (p[0] == '0' && (p[1] == 'o' || p[1] == 'x'))
		base = p[1] == 'o' ? 8 : 16, p += 2;
	else
		take_sign(&p);
	const char *digits = base == 8    ? "01234567"
			     : base == 10 ? "0123456789"
					  : "0123456789abcdefABCDEF";
	size_t count = strspn(p, digits);
	if (!count || p[count])
		return false;
	while (*p == '0' && p[1])
		p++, count--;
	if (count > DIGITS_MAX) {
		n->kind = YN_ERROR;
		vc_report(c, VC_E0211, n->span, "a number of more than %d digits", DIGITS_MAX);
		return true;
	}
	for (; *p; p++)
		big_push(&b, base, (uint32_t)(is_digit(*p) ? *p - '0' : (*p | 32) - 'a' + 10));
	set_int(c, n, &b, negative);
	return true;
}

void
ys_resolve_core(vc *c, ynode *n)
{
	static const char *const truths[] = {"true", "True", "TRUE", NULL}, *const lies[] = {
										    "false",
										    "False",
										    "FALSE", NULL};
	const char *s = n->text;
	if (*s && !strchr("tTfFnN~.+-0123456789", *s))
		return; /* a string: nothing else begins so */
	if (one_of(s, truths) || one_of(s, lies)) {
		n->type = YT_BOOL;
		n->nmap = 0;
		n->i = (s[0] | 32) == 't';
		n->fits = true;
	} else if (core_float(s) || core_special(s)) {
		make_float(c, n);
	} else if (match_null(s)) {
		n->type = YT_NULL;
	} else {
		make_core_int(c, n);
	}
}

/* ---- explicit tags ---- */

/* Skips what is no digit of base 64, as Python does. */
static void
make_binary(vc *c, ynode *n)
{
	vt_buf b = {0};

	if (vt_base64_decode(&b, n->text, n->ntext)) {
		n->text = vc_strndup(c, b.p, b.n);
		n->ntext = (uint32_t)b.n;
		n->type = YT_BINARY;
		n->nmap = 0;
		n->verbatim = false;
	} else {
		bad_value(c, n, "base 64 data");
	}
	vt_buf_free(&b);
}

static void
report_yaql(vc *c, const ynode *n, const yq_error *e)
{
	size_t shown = e->value ? strlen(e->value) : 0;
	uint32_t at = e->at < n->ntext ? e->at : n->ntext;
	uint32_t to = shown && shown < n->ntext - at ? at + (uint32_t)shown : at + (at < n->ntext);
	vc_report(c, e->lexical ? VC_E0301 : VC_E0302, yn_subspan(n, at, to), "%s", e->message);
}

static void
make_expression(vc *c, ynode *n, unsigned flags)
{
	yq_error e = {0};
	n->type = YT_STR;
	n->expr = yq_parse(c, n->text, n->ntext, flags, &e);
	n->is_expr = n->expr != NULL;
	if (n->expr)
		return;
	n->kind = YN_ERROR;
	report_yaql(c, n, &e);
}

static void
make_bool(vc *c, ynode *n)
{
	static const char *const words[] = {"yes", "no", "true", "false", "on", "off"};
	char low[8] = {0};
	for (uint32_t i = 0; i < n->ntext && i < sizeof low - 1; i++)
		low[i] = n->text[i] >= 'A' && n->text[i] <= 'Z' ? (char)(n->text[i] + 32)
								: n->text[i];
	for (unsigned i = 0; i < VC_LEN(words); i++)
		if (!strcmp(low, words[i])) {
			n->type = YT_BOOL;
			n->nmap = 0;
			n->fits = true;
			n->i = !(i & 1);
			return;
		}
	bad_value(c, n, "boolean");
}

static void
make_tagged_number(vc *c, ynode *n, bool is_float)
{
	bool integer = match_int(n->text), real = match_float(n->text);
	if (is_float ? !real && (!integer || strpbrk(n->text, "xb")) : !integer)
		bad_value(c, n, is_float ? "number" : "integer");
	else if (is_float)
		make_float(c, n);
	else
		make_int(c, n);
}

bool
ys_resolve_tag(vc *c, ynode *n, const char *tag, unsigned flags)
{
	static const char prefix[] = "tag:yaml.org,2002:";
	enum yn_type stamp;
	if (!strcmp(tag, "!yaql"))
		return make_expression(c, n, flags), true;
	if (strncmp(tag, prefix, sizeof prefix - 1) != 0)
		return false;
	const char *t = tag + sizeof prefix - 1;
	if (!strcmp(t, "str"))
		n->type = YT_STR;
	else if (!strcmp(t, "null"))
		n->type = YT_NULL;
	else if (!strcmp(t, "bool"))
		make_bool(c, n);
	else if (!strcmp(t, "int"))
		make_tagged_number(c, n, false);
	else if (!strcmp(t, "float"))
		make_tagged_number(c, n, true);
	else if (!strcmp(t, "binary"))
		make_binary(c, n);
	else if (strcmp(t, "timestamp") != 0)
		return false;
	else if ((stamp = match_timestamp(n->text)) != YT_STR)
		make_timestamp(c, n, stamp);
	else
		bad_value(c, n, "date or time");
	return true;
}

/* ---- rule C9 ---- */

/*
 * ^[\s\w\d.]*$ over code points.  Every byte above 0x7f counts as part of a word: a letter or space
 * there matches anyway, and a sign that does not match cannot stand in an expression outside of
 * quotes, which do not match either.
 */
static bool
is_word_byte(char ch)
{
	return ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z') || is_digit(ch) || ch == '_';
}

static bool
is_words(const ynode *n)
{
	for (uint32_t i = 0; i < n->ntext; i++) {
		unsigned char ch = (unsigned char)n->text[i];
		bool word = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			    is_digit((char)ch) || ch == '_' || ch == '.' || ch == ' ' ||
			    (ch >= '\t' && ch <= '\r') || ch >= 0x80;
		if (!word)
			return false;
	}
	return true;
}

/* `new Foo()`, as other languages make an object. */
static bool
is_made(const ynode *n)
{
	uint32_t i = 4;

	if (n->ntext < 7 || memcmp(n->text, "new ", 4) != 0)
		return false;
	while (i < n->ntext && (is_word_byte(n->text[i]) || n->text[i] == '.' || n->text[i] == ':'))
		i++;
	return i > 4 && i < n->ntext && n->text[i] == '(' && n->text[n->ntext - 1] == ')';
}

/* Text that looks like an expression: a variable, or a call that has one among its arguments. */
static bool
looks_meant(const ynode *n)
{
	uint32_t i = 0;

	if (is_made(n))
		return true;
	while (i < n->ntext && ((n->text[i] | 0x20) >= 'a' && (n->text[i] | 0x20) <= 'z'))
		i++;
	if (n->text[0] == '$' || i == 0 || n->text[i] != '(')
		return n->text[0] == '$';
	for (; i + 1 < n->ntext; i++) {
		unsigned char next = (unsigned char)n->text[i + 1];
		if (n->text[i] == '$' && (next == '.' || next == '_' ||
						 ((next | 0x20) >= 'a' && (next | 0x20) <= 'z')))
			return true;
	}
	return false;
}

/* What other languages write there, and what YAQL has for it. */
static const char *
habit(const char *at, uint32_t n)
{
	static const struct {
		const char *written, *hint;
	} all[] = {{"==", "YAQL compares with =; "}, {"=", "YAQL compares with =; "},
		{"!==", "YAQL has != for it; "}, {"&&", "YAQL has `and` for it; "},
		{"||", "YAQL has `or` for it; "},
		{"?", "a choice is switch(CONDITION => A, true => B), or the block If; "},
		{"%", "YAQL has `mod` for it; "}, {"!", "YAQL has `not` for it; "},
		{"&", "YAQL has `and` for it; "}, {"|", "YAQL has `or` for it; "}};

	for (size_t i = 0; i < VC_LEN(all); i++)
		if (strlen(all[i].written) <= n &&
			memcmp(at, all[i].written, strlen(all[i].written)) == 0)
			return all[i].hint;
	return "";
}

/* Text that was meant as an expression and is none stays text, as in the reference, but not
 * silently. */
void
ys_try_expression(vc *c, ynode *n, unsigned flags)
{
	yq_error e = {0};
	if (is_words(n))
		return;
	n->expr = yq_parse(c, n->text, n->ntext, flags, &e);
	n->is_expr = n->expr != NULL;
	if (n->expr || !looks_meant(n) || !e.message)
		return;
	uint32_t at = e.at < n->ntext ? e.at : n->ntext;
	vc_report(c, VC_W1004, n->span,
		"this is text and not an expression, because YAQL cannot read it");
	vc_note(c, yn_subspan(n, at, at < n->ntext ? at + 1 : at), "%s", e.message);
	vc_hint(c, "%s%s",
		is_made(n) ? "an object is made by new(Class, key => value); "
		: at == n->ntext && memchr(n->text, '{', at)
			? "a dict of an expression is {key => value}, for ': ' ends a plain text; "
			: habit(n->text + at, n->ntext - at),
		"correct the expression, or quote it when it is meant as text");
}

/*
 * text.c - texts that stand for something else: versions, timestamps, bytes, XML.
 *
 * Versions: TOSCA 1.3, 3.3.2; timestamps: RFC 3339, and before 2.0 all of YAML's timestamp type;
 * bytes: RFC 4648.
 */
#include "runtime/tosca/int.h"
#include "runtime/core/number.h"
#include "runtime/text/xml.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

/* ---- versions: MAJOR.MINOR[.FIX[.QUALIFIER[-BUILD]]] ---- */

typedef struct version {
	uint64_t part[3];
	const char *qualifier;
	size_t nqualifier;
	int64_t build; /* -1: none */
} version;

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* At most 18 digits; NULL: none or too many. */
static const char *
read_number(const char *p, const char *end, uint64_t *out)
{
	const char *from = p;
	*out = 0;
	for (; p < end && is_digit(*p); p++)
		*out = *out * 10 + (uint64_t)(*p - '0');
	return p > from && p - from <= 18 ? p : NULL;
}

static const char *
read_qualifier(const char *p, const char *end, version *v)
{
	uint64_t build;
	v->qualifier = p;
	while (p < end && is_word(*p))
		p++;
	v->nqualifier = (size_t)(p - v->qualifier);
	if (v->nqualifier == 0 || p == end || *p != '-')
		return v->nqualifier ? p : NULL;
	p = read_number(p + 1, end, &build);
	v->build = (int64_t)build;
	return p;
}

static bool
read_version(const vt_str *s, version *v)
{
	const char *p = s->s, *end = p + s->bytes;
	int n = 0;
	*v = (version){.build = -1};
	while (p != NULL && n < 3) {
		p = read_number(p, end, &v->part[n++]);
		if (p == NULL || p == end)
			return p != NULL && n >= 2;
		p = *p == '.' ? p + 1 : NULL;
	}
	p = p != NULL ? read_qualifier(p, end, v) : NULL;
	return p == end && p != NULL;
}

const char *
vt_tosca_read_version(vt_rt *rt, const vt_str *s, vt_value *out)
{
	version v;
	vt_dict *d;
	if (!read_version(s, &v))
		return "a version is MAJOR.MINOR[.FIX[.QUALIFIER[-BUILD]]]";
	d = vt_dict_new_cap(rt, true, 1);
	vt_dict_set_c(rt, d, "$string", vt_copy(vt_mkptr(s)));
	*out = vt_mkptr(d);
	return NULL;
}

static int
cmp(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
cmp_qualifiers(const version *a, const version *b)
{
	size_t n = a->nqualifier < b->nqualifier ? a->nqualifier : b->nqualifier;
	if (!a->nqualifier || !b->nqualifier) /* 1.0.0.beta comes before 1.0.0 */
		return cmp(!a->nqualifier, !b->nqualifier);
	for (size_t i = 0; i < n; i++) {
		int x = a->qualifier[i], y = b->qualifier[i];
		x |= x >= 'A' && x <= 'Z' ? 32 : 0;
		y |= y >= 'A' && y <= 'Z' ? 32 : 0;
		if (x != y)
			return cmp(x, y);
	}
	return cmp((int64_t)a->nqualifier, (int64_t)b->nqualifier);
}

int
vt_tosca_cmp_versions(const vt_str *x, const vt_str *y)
{
	version a, b;
	int c = 0;
	if (!read_version(x, &a) || !read_version(y, &b))
		return 2;
	for (int i = 0; i < 3 && c == 0; i++)
		c = cmp((int64_t)a.part[i], (int64_t)b.part[i]);
	if (c == 0)
		c = cmp_qualifiers(&a, &b);
	return c ? c : cmp(a.build, b.build);
}

/* ---- timestamps ---- */

typedef struct stamp {
	int year, month, day, hour, minute, second;
	uint32_t ns;
	char fraction[10]; /* digits, without trailing zeros */
	int offset;        /* minutes */
	bool timed, zoned;
} stamp;

/* least..most digits. */
static const char *
digits(const char *p, int least, int most, int *out)
{
	int n = 0;
	if (p == NULL)
		return NULL;
	for (*out = 0; n < most && is_digit(*p); n++)
		*out = *out * 10 + (*p++ - '0');
	return n >= least ? p : NULL;
}

static const char *
expect(const char *p, char c)
{
	return p != NULL && *p == c ? p + 1 : NULL;
}

static const char *
blanks(const char *p)
{
	while (p != NULL && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *
read_fraction(const char *p, stamp *t)
{
	int n = 0, kept = 0;
	if (p == NULL || *p != '.')
		return p;
	for (p++; is_digit(*p); p++, n++)
		if (n < 9)
			t->fraction[n] = *p;
	for (int i = 0; i < 9; i++) {
		t->ns = t->ns * 10 + (uint32_t)(i < n ? t->fraction[i] - '0' : 0);
		kept = i < n && t->fraction[i] != '0' ? i + 1 : kept;
	}
	t->fraction[kept] = '\0';
	return p;
}

static const char *
read_zone(const char *p, stamp *t)
{
	int hours, minutes = 0, sign;
	p = blanks(p);
	if (p == NULL || *p == '\0')
		return p;
	t->zoned = true;
	if (*p == 'Z' || *p == 'z')
		return p + 1;
	if (*p != '+' && *p != '-')
		return NULL;
	sign = *p++ == '-' ? -1 : 1;
	p = digits(p, 1, 2, &hours);
	if (p != NULL && *p == ':')
		p = digits(p + 1, 2, 2, &minutes);
	t->offset = sign * (hours * 60 + minutes);
	return hours < 24 && minutes < 60 ? p : NULL;
}

static const char *
read_time(const char *p, stamp *t, bool strict)
{
	int least = strict ? 2 : 1;
	t->timed = true;
	if (*p == 'T' || *p == 't')
		p++;
	else if (*p == ' ' || *p == '\t')
		p = blanks(p);
	else
		return NULL;
	p = expect(digits(p, least, 2, &t->hour), ':');
	p = expect(digits(p, 2, 2, &t->minute), ':');
	p = read_fraction(digits(p, 2, 2, &t->second), t);
	return read_zone(p, t);
}

static bool
read_stamp(const vt_str *s, stamp *t, bool strict)
{
	const char *p = s->s;
	int least = strict ? 2 : 1;
	*t = (stamp){0};
	p = expect(digits(p, 4, 4, &t->year), '-');
	p = expect(digits(p, least, 2, &t->month), '-');
	p = digits(p, least, 2, &t->day);
	if (p != NULL && *p != '\0')
		p = read_time(p, t, strict);
	return p == s->s + s->bytes && t->year >= 1 && t->month >= 1 && t->month <= 12 &&
	       t->day >= 1 && t->day <= vt_days_in_month(t->year, t->month) && t->hour < 24 &&
	       t->minute < 60 && t->second < 61;
}

static vt_value
nanoseconds(vt_rt *rt, const stamp *t)
{
	int64_t day = (vt_civil_us(t->year, t->month, t->day) - vt_civil_us(1970, 1, 1)) /
		      INT64_C(86400000000);
	int64_t s = ((day * 24 + t->hour) * 60 + t->minute - t->offset) * 60 + t->second;
	vt_value seconds = VT_UNDEF, out = VT_UNDEF;
	(void)vt_num_binary(rt, VT_OP_MUL, vt_mkint(s), vt_mkint(1000000000), &seconds);
	(void)vt_num_binary(rt, VT_OP_ADD, seconds, vt_mkint(t->ns), &out);
	vt_release(seconds);
	return out;
}

static vt_value
rfc3339(vt_rt *rt, const stamp *t)
{
	int o = t->offset < 0 ? -t->offset : t->offset;
	char zone[12] = "Z";
	if (o)
		snprintf(zone, sizeof zone, "%c%02d:%02d", t->offset < 0 ? '-' : '+', o / 60 % 100,
			o % 60);
	return vt_str_printf(rt, "%04d-%02d-%02dT%02d:%02d:%02d%s%s%s", t->year, t->month, t->day,
		t->hour, t->minute, t->second, *t->fraction ? "." : "", t->fraction, zone);
}

const char *
vt_tosca_read_timestamp(vt_rt *rt, const vt_str *s, bool strict, vt_value *out)
{
	stamp t;
	vt_dict *d;
	if (!read_stamp(s, &t, strict))
		return "a timestamp is a date, or a date and a time: 2001-12-14T21:59:43.10-05:00";
	if (strict && t.timed && !t.zoned)
		return "a timestamp with a time needs a time zone: 2001-12-14T21:59:43.10Z";
	d = vt_dict_new_cap(rt, true, 2);
	vt_dict_set_c(rt, d, "$number", nanoseconds(rt, &t));
	vt_dict_set_c(rt, d, "$string", rfc3339(rt, &t));
	*out = vt_mkptr(d);
	return NULL;
}

/* ---- bytes ---- */

static bool
in_alphabet(char c)
{
	return is_word(c) ? c != '_' : c == '+' || c == '/';
}

/* The text without line breaks, when it is base64. */
static bool
clean_base64(const vt_str *s, vt_buf *b)
{
	size_t padding = 0;
	for (uint32_t i = 0; i < s->bytes; i++) {
		char c = s->s[i];
		if (c == '\n' || c == '\r')
			continue;
		if (c == '=' ? ++padding > 2 : padding || !in_alphabet(c))
			return false;
		vt_buf_putc(b, c);
	}
	return b->n % 4 == 0;
}

const char *
vt_tosca_read_bytes(vt_rt *rt, const vt_str *s, vt_value *out)
{
	vt_buf b = {0};
	vt_dict *d;
	if (!clean_base64(s, &b)) {
		vt_buf_free(&b);
		return "bytes are written as base64";
	}
	d = vt_dict_new_cap(rt, true, 2);
	vt_dict_set_c(rt, d, "$originalString", vt_copy(vt_mkptr(s)));
	vt_dict_set_c(rt, d, "bytes", vt_str_take(rt, &b));
	*out = vt_mkptr(d);
	return NULL;
}

int64_t
vt_tosca_bytes_len(const vt_str *s)
{
	uint32_t n = s->bytes, padding = 0;
	while (padding < n && padding < 2 && s->s[n - 1 - padding] == '=')
		padding++;
	return (int64_t)n / 4 * 3 - padding;
}

/* ---- XML: is it well-formed? ---- */

bool
vt_tosca_xml(const char *s, size_t n, char **err)
{
	if (vt_xml_check)
		return vt_xml_check(s, n, err);
	*err = vt_xstrdup("this program was built without XML");
	return false;
}

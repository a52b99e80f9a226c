/*
 * json_tags.c - what JSON cannot hold, as objects with one key: {"$int": ..}, {"$set": ..} and
 * others, the value encoding of the conformance suite.
 */
#include "runtime/text/json.h"
#include "runtime/core/number.h"
#include "runtime/core/kind.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct untag {
	vt_rt *rt;
	int flags;
	const char *why; /* NULL: no error */
} untag;

static bool
bad(untag *r, const char *why)
{
	if (r->why == NULL)
		r->why = why;
	return false;
}

static bool
is_date(int y, int mo, int d)
{
	if (y < 1 || y > 9999 || mo < 1 || mo > 12 || d < 1 || d > 31)
		return false;
	return mo == 12 || vt_civil_us(y, mo, d) < vt_civil_us(y, mo + 1, 1);
}

/* Seconds, as an integer or a float; none in a naive datetime. */
static bool
offset_in_day(vt_value v, int32_t *seconds)
{
	double d = 0;

	if (vt_is(v, FLOAT))
		d = vt_as_float(v);
	else if (vt_is_int(v))
		d = (double)vt_toint(v);
	else if (v != VT_NULL && v != VT_UNDEF)
		return false;
	if (!(d > -86400 && d < 86400))
		return false;
	*seconds = (int32_t)d;
	return *seconds == d;
}

/* "2001-02-03T04:05:06.789" as numbers, the last of which may be missing. */
static bool
seven_numbers(const char *s, int v[7])
{
	static const char between[] = "--T::.";
	for (int i = 0; i < 7; i++) {
		char *end;
		v[i] = (int)strtol(s, &end, 10);
		if (end == s)
			return false;
		if (i < 6 && *end != between[i])
			return i == 5;
		s = end + 1;
	}
	return true;
}

static bool
decode_datetime(untag *r, const vt_dict *d, vt_value text, vt_value *out)
{
	int t[7] = {0};
	int32_t seconds;
	vt_value offset = vt_dict_get_c(d, "offset");

	if (!vt_is(text, STR) || !seven_numbers(vt_as_str(text)->s, t) ||
		!is_date(t[0], t[1], t[2]) || t[3] < 0 || t[3] > 23 || t[4] < 0 || t[4] > 59 ||
		t[5] < 0 || t[5] > 59 || t[6] < 0 || t[6] > 999999 ||
		!offset_in_day(offset, &seconds))
		return bad(r, "a $datetime that is none");
	*out = vt_datetime_value(r->rt,
		vt_civil_us(t[0], t[1], t[2]) +
			((t[3] * 60 + t[4]) * 60 + t[5]) * INT64_C(1000000) + t[6],
		seconds, offset == VT_NULL || offset == VT_UNDEF);
	return true;
}

static bool
decode_set(untag *r, vt_value list, vt_value *out)
{
	vt_set *s = vt_set_new(r->rt);

	for (uint32_t i = 0; vt_is_sequence(list) && i < vt_as_list(list)->n; i++)
		if (vt_set_add(r->rt, s, vt_as_list(list)->v[i]) != VT_OK) {
			vt_release(vt_mkptr(s));
			return bad(r, "a $set with an unhashable member");
		}
	*out = vt_mkptr(s);
	return true;
}

static bool
decode_pairs(untag *r, vt_value list, vt_value *out)
{
	vt_dict *d = vt_dict_new(r->rt, !(r->flags & VT_JSON_MUTABLE));

	for (uint32_t i = 0; vt_is_sequence(list) && i < vt_as_list(list)->n; i++) {
		vt_value pair = vt_as_list(list)->v[i];
		if (!vt_is_sequence(pair) || vt_as_list(pair)->n != 2 ||
			vt_dict_set(r->rt, d, vt_as_list(pair)->v[0], vt_as_list(pair)->v[1]) !=
				VT_OK) {
			vt_release(vt_mkptr(d));
			return bad(r, "a $dict with a bad pair");
		}
	}
	*out = vt_mkptr(d);
	return true;
}

static bool
decode_float(untag *r, vt_value text, vt_value *out)
{
	double d;

	if (!vt_is(text, STR) || !vt_float_from_str(vt_as_str(text), &d))
		return bad(r, "a $float that is none");
	*out = vt_float_new(r->rt, d);
	return true;
}

static bool
decode_tuple(untag *r, const vt_list *l, vt_value *made)
{
	return vt_tuple_of(r->rt, l->n, l->v, made) == VT_OK;
}

static bool
decode_iterator(untag *r, vt_value x, vt_value *made)
{
	vt_status (*iterate)(vt_rt *, vt_value, vt_value *) =
		vt_is_ptr(x) ? vt_kinds[VT_KIND(x)].iterate : NULL;

	return iterate ? iterate(r->rt, x, made) == VT_OK : bad(r, "a $gen that is none");
}

/* A text of its own, so that no other one is marked. */
static bool
decode_stamp(untag *r, vt_value x, vt_value *made)
{
	if (!vt_is(x, STR))
		return bad(r, "a $stamp that is no text");
	*made = vt_str_new(r->rt, vt_as_str(x)->s, vt_as_str(x)->bytes);
	vt_head_of(*made)->flags |= VT_F_STAMP;
	return true;
}

static bool
decode_timespan(untag *r, vt_value x, vt_value *made)
{
	vt_buf b = {NULL, 0, 0};
	vt_wide us = 0;
	int64_t rest;
	bool fits;

	vt_int_repr(&b, x, 10);
	fits = b.n <= 24; /* more than the longest has */
	for (size_t i = 0; fits && i < b.n; i++)
		us = b.p[i] == '-' ? us : 10 * us + (b.p[i] - '0');
	us = b.p[0] == '-' ? -us : us;
	vt_buf_free(&b);
	rest = (int64_t)(us % VT_DAY_US);
	rest += rest < 0 ? VT_DAY_US : 0;
	us = (us - rest) / VT_DAY_US;
	if (!fits || us > VT_MOST_DAYS || us < -VT_MOST_DAYS)
		return bad(r, "a $timespan that is too long");
	*made = vt_timespan_of(r->rt, (int64_t)us, rest);
	return true;
}

/* The value of one tag; VT_UNDEF in *made when the key is none. */
static bool
decode(untag *r, const vt_dict *d, const char *tag, vt_value x, vt_value *made)
{
	if (strcmp(tag, "int") == 0)
		return vt_is(x, STR) &&
		       vt_int_parse(r->rt, vt_as_str(x)->s, vt_as_str(x)->bytes, 10, made) == VT_OK;
	if (strcmp(tag, "float") == 0)
		return decode_float(r, x, made);
	if (strcmp(tag, "tuple") == 0)
		return vt_is_sequence(x) ? decode_tuple(r, vt_as_list(x), made)
					 : bad(r, "a $tuple that is none");
	if (strcmp(tag, "gen") == 0)
		return decode_iterator(r, x, made);
	if (strcmp(tag, "set") == 0)
		return decode_set(r, x, made);
	if (strcmp(tag, "dict") == 0)
		return decode_pairs(r, x, made);
	if (strcmp(tag, "datetime") == 0)
		return decode_datetime(r, d, x, made);
	if (strcmp(tag, "stamp") == 0)
		return decode_stamp(r, x, made);
	if (strcmp(tag, "novalue") == 0)
		*made = VT_NOVALUE;
	else if (strcmp(tag, "timespan") == 0 && vt_is_integer(x))
		return decode_timespan(r, x, made);
	return true;
}

const char *
vt_json_untag(vt_rt *rt, int flags, vt_value *v)
{
	untag r = {.rt = rt, .flags = flags};
	const vt_dict *d = vt_as_dict(*v);
	uint32_t pos = 0;
	vt_value key, x, made = VT_UNDEF;

	if (vt_dict_len(d) == 0 || vt_dict_len(d) > 2 || !vt_dict_at(d, &pos, &key, &x) ||
		!vt_is(key, STR) || vt_as_str(key)->s[0] != '$')
		return NULL;
	if (!decode(&r, d, vt_as_str(key)->s + 1, x, &made)) {
		vt_clear(v);
		return r.why ? r.why : "a tagged value that cannot be read";
	}
	if (made != VT_UNDEF)
		vt_move(v, made);
	return NULL;
}

void
vt_json_put_datetime(vt_buf *b, const vt_datetime *t)
{
	int y, mo, d, h, mi, s, us;

	vt_civil(t->us, &y, &mo, &d, &h, &mi, &s, &us);
	vt_buf_printf(b, "{\"$datetime\":\"%04d-%02d-%02dT%02d:%02d:%02d.%06d\",\"offset\":", y, mo,
		d, h, mi, s, us);
	if (t->naive)
		vt_buf_puts(b, "null}");
	else
		vt_buf_printf(b, "%d.0}", (int)t->offset); /* Python counts an offset in floats */
}

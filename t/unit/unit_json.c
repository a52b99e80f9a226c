/*
 * The JSON reader and writer: what RFC 8259 allows and forbids, the place of each error, and the
 * edges of what the reader does in blocks.  Every text is copied to a block of its own size, so
 * that the sanitizers see a byte that is read too many.
 */
#include "runtime/core/number.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

/* ---- one text ------------------------------------------------------------------------------- */

static char *
exact(const char *text, size_t n)
{
	return memcpy(vt_xmalloc(n), text, n);
}

static bool
read_text(vt_rt *rt, const char *text, size_t n, int flags, vt_value *out, char **err)
{
	char *t = exact(text, n);
	bool good = vt_json_read(rt, t, n, flags, 0, out, err);

	free(t);
	return good;
}

/* The text of a value, closed by NUL. */
static char *
written(vt_rt *rt, vt_value v, int flags)
{
	vt_buf b = {0};

	vt_json_write(rt, &b, v, flags);
	vt_buf_putc(&b, '\0');
	return b.p;
}

static void
gives(vt_rt *rt, const char *text, size_t n, int read, int write, const char *want)
{
	vt_value v = VT_UNDEF;
	char *err = NULL, *got;

	if (!read_text(rt, text, n, read, &v, &err)) {
		if (!ok(false, want))
			printf("# %.*s: %s\n", (int)n, text, err);
		free(err);
		return;
	}
	got = written(rt, v, write);
	if (!ok(strcmp(got, want) == 0, want))
		printf("# %.*s gives %s\n", (int)n, text, got);
	free(got);
	vt_release(v);
}

static void
accepts(vt_rt *rt, const char *text, const char *want)
{
	gives(rt, text, strlen(text), 0, 0, want ? want : text);
	gives(rt, text, strlen(text), VT_JSON_MUTABLE, 0, want ? want : text);
}

static void
refuses(vt_rt *rt, const char *text, size_t n, const char *why)
{
	for (int flags = 0; flags < 4; flags++) {
		vt_value v = VT_UNDEF;
		char *err = NULL;
		if (!ok(!read_text(rt, text, n, flags, &v, &err) && strcmp(err, why) == 0, why))
			printf("# %.*s: %s\n", (int)n, text, err ? err : "accepted");
		free(err);
	}
}

/* ---- what is JSON ------------------------------------------------------------------------ */

static void
test_values(vt_rt *rt)
{
	static const char *const rows[][2] = {
		{"null", NULL},
		{"true", NULL},
		{"false", NULL},
		{"\"\"", NULL},
		{"[]", NULL},
		{"{}", NULL},
		{" \t\r\n[ \t\r\n] \t\r\n", "[]"},
		{" { } ", "{}"},
		{"[[],[[]],{}]", NULL},
		{"[1 , 2\n,\r3\t,4]", "[1,2,3,4]"},
		{"{\"a\" : 1 , \"b\" :\t2}", "{\"a\":1,\"b\":2}"},
		{"[\n                                    1\n                 ]", "[1]"},
		{"{\"\":0}", NULL},
		{"{\"a\":{\"a\":{\"a\":[]}}}", NULL},
		{"{\"a\":1,\"a\":2}", "{\"a\":2}"},
		{"{\"a\":1,\"b\":2,\"a\":[3]}", "{\"a\":[3],\"b\":2}"},
		{"{\"a\":\"x\",\"a\":\"y\",\"c\":\"x\"}", "{\"a\":\"y\",\"c\":\"x\"}"},
		{"{\"\\u0061\":1,\"a\":2}", "{\"a\":2}"},
		{"{\"a\\nb\":1}", NULL},
		{"[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4},{\"b\":5,\"a\":6},{\"a\":7}]", NULL},
		{"[{\"a\":{\"a\":1}},{\"a\":{\"b\":1}},{\"a\":{\"a\":2}}]", NULL},
		{"[{\"name\" :1,\"x\":2},{\"name\":1,\"x\" : 2}]",
			"[{\"name\":1,\"x\":2},{\"name\":1,\"x\":2}]"},
	};

	for (size_t i = 0; i < VT_LEN(rows); i++)
		accepts(rt, rows[i][0], rows[i][1]);
}

static void
test_numbers(vt_rt *rt)
{
	static const char *const rows[][2] = {
		{"0", NULL},
		{"-0", "0"},
		{"1", NULL},
		{"-1", NULL},
		{"12345678", NULL},
		{"123456789", NULL},
		{"1234567890123456", NULL},
		{"123456789012345678", NULL},
		{"999999999999999999", NULL},
		{"1000000000000000000", NULL},
		{"4611686018427387903", NULL},
		{"4611686018427387904", NULL},
		{"-4611686018427387904", NULL},
		{"-4611686018427387905", NULL},
		{"9223372036854775807", NULL},
		{"-9223372036854775808", NULL},
		{"18446744073709551616", NULL},
		{"123456789012345678901234567890", NULL},
		{"-123456789012345678901234567890", NULL},
		{"0.0", NULL},
		{"-0.0", NULL},
		{"0e5", "0.0"},
		{"-0E-5", "-0.0"},
		{"1.0", NULL},
		{"1e0", "1.0"},
		{"1E+2", "100.0"},
		{"1e-2", "0.01"},
		{"1.5e3", "1500.0"},
		{"123.456", NULL},
		{"0.1", NULL},
		{"0.30000000000000004", NULL},
		{"3.141592653589793", NULL},
		{"1e15", "1000000000000000.0"},
		{"1e16", "1e+16"},
		{"0.0001", NULL},
		{"0.00001", "1e-05"},
		{"5e-324", NULL},
		{"4.9406564584124654e-324", "5e-324"},
		{"2.2250738585072014e-308", NULL},
		{"2.2250738585072011e-308", "2.225073858507201e-308"},
		{"1.7976931348623157e308", "1.7976931348623157e+308"},
		{"1e308", "1e+308"},
		{"1e309", "1e999"},
		{"-1e309", "-1e999"},
		{"1e-400", "0.0"},
		{"1e99999999999999999999", "1e999"},
		{"1e-99999999999999999999", "0.0"},
		{"0e99999999999", "0.0"},
		{"9007199254740993.0", "9007199254740992.0"},
		{"9007199254740993.0000000000000000000001", "9007199254740994.0"},
		{"0.000000000000000000000000000000000000000012345678901234567890123",
			"1.2345678901234568e-41"},
		{"100000000000000000000000000000000.0", "1e+32"},
		{"1.00000000000000000000000000", "1.0"},
		{"7.2057594037927933e16", "7.205759403792794e+16"},
	};

	for (size_t i = 0; i < VT_LEN(rows); i++)
		accepts(rt, rows[i][0], rows[i][1]);
}

static void
test_strings(vt_rt *rt)
{
	static const char *const rows[][2] = {
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
		{"\"\\u0041\\u00e9\\u20ac\"", "\"A\xc3\xa9\xe2\x82\xac\""},
		{"\"\\u0000\"", NULL},
		{"\"\\u001F\\u007f\"", "\"\\u001f\x7f\""},
		{"\"\\uABCD\\uabcd\"", "\"\xea\xaf\x8d\xea\xaf\x8d\""},
		{"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
		{"\"\\uDBFF\\uDFFF\"", "\"\xf4\x8f\xbf\xbf\""},
		{"\"\\ud7ff\\ue000\\uffff\"", "\"\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\""},
		{"\"\x7f\"", NULL},
		{"\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
			NULL},
		{"\"\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\"", NULL},
		{"\"a/b\"", NULL},
	};

	for (size_t i = 0; i < VT_LEN(rows); i++)
		accepts(rt, rows[i][0], rows[i][1]);
}

/* ---- what is none ------------------------------------------------------------------------ */

#define AT(column, why) "line 1 column " #column ": " why
#define ENDS "the text ends where a value is expected"
#define NONE "something that is no JSON value"
#define OPEN "a string that is not closed"
#define KEY "expected a string as the key of an object"
#define ITEM "expected , or ] in an array"
#define MEMBER "expected , or } in an object"
#define DIGITS "a number without digits"
#define ESCAPE "an escape that does not exist"
#define HEX "a \\u escape needs four hexadecimal digits"
#define HALF "half of a surrogate pair"
#define UTF8 "bytes that are not UTF-8"
#define CONTROL "a control character in a string"
#define BEHIND "text after the value"

static void
test_bad_structure(vt_rt *rt)
{
	static const char *const rows[][2] = {
		{"", AT(1, ENDS)},
		{"  ", AT(3, ENDS)},
		{"\n\n ", "line 3 column 2: " ENDS},
		{"[", AT(2, ENDS)},
		{"[1", AT(3, ITEM)},
		{"[1,", AT(4, ENDS)},
		{"[1,]", AT(4, NONE)},
		{"[,1]", AT(2, NONE)},
		{"[1,,2]", AT(4, NONE)},
		{"[1 2]", AT(4, ITEM)},
		{"[1}", AT(3, ITEM)},
		{"[1:2]", AT(3, ITEM)},
		{"]", AT(1, NONE)},
		{"}", AT(1, NONE)},
		{"{", AT(2, KEY)},
		{"{\"a\"", AT(5, "expected : after a key")},
		{"{\"a\":", AT(6, ENDS)},
		{"{\"a\":1", AT(7, MEMBER)},
		{"{\"a\":1,", AT(8, KEY)},
		{"{\"a\":1,}", AT(8, KEY)},
		{"{,\"a\":1}", AT(2, KEY)},
		{"{\"a\" 1}", AT(6, "expected : after a key")},
		{"{\"a\":1 \"b\":2}", AT(8, MEMBER)},
		{"{\"a\":1]", AT(7, MEMBER)},
		{"{\"a\",1}", AT(5, "expected : after a key")},
		{"{a:1}", AT(2, KEY)},
		{"{1:1}", AT(2, KEY)},
		{"{'a':1}", AT(2, KEY)},
		{"{null:1}", AT(2, KEY)},
		{"{[]:1}", AT(2, KEY)},
		{"1 2", AT(3, BEHIND)},
		{"[]]", AT(3, BEHIND)},
		{"{}}", AT(3, BEHIND)},
		{"[] x", AT(4, BEHIND)},
		{"\"a\"\"b\"", AT(4, BEHIND)},
		{"nul", AT(1, NONE)},
		{"nulL", AT(1, NONE)},
		{"True", AT(1, NONE)},
		{"nullx", AT(5, BEHIND)},
		{"truefalse", AT(5, BEHIND)},
		{"tru", AT(1, NONE)},
		{"fals", AT(1, NONE)},
		{"'a'", AT(1, NONE)},
		{"// c\n1", AT(1, NONE)},
		{"[1/**/]", AT(3, ITEM)},
		{"\xef\xbb\xbf"
		 "1",
			AT(1, NONE)},
		{"\v1", AT(1, NONE)},
		{"\f1", AT(1, NONE)},
		{"[1\v]", AT(3, ITEM)},
		{"\xc2\xa0"
		 "1",
			AT(1, NONE)},
		{"[\xc3\xa9]", AT(2, NONE)},
		{"[\"\xc3\xa9\xf0\x9f\x98\x80\",x]", AT(7, NONE)},
		{"[1,\n 2,\n x]", "line 3 column 2: " NONE},
		{"undefined", AT(1, NONE)},
		{"[\"a\",\n4\n,1,1", "line 3 column 5: " ITEM},
		{"{\"a\":true,\"b\":tru}", AT(15, NONE)},
		{"{\"a\":1,\"a\"}", AT(11, "expected : after a key")},
		{"{\"a\":1,\"a\":}", AT(12, NONE)},
		{"{\"a\":1,\"a\":2", AT(13, MEMBER)},
		{"[{\"abc\":1},{\"abc\";1}]", AT(18, "expected : after a key")},
		{"[{\"abc\":1},{\"abc\":}]", AT(19, NONE)},
	};

	for (size_t i = 0; i < VT_LEN(rows); i++)
		refuses(rt, rows[i][0], strlen(rows[i][0]), rows[i][1]);
	refuses(rt, "\0", 1, AT(1, NONE));
	refuses(rt, "1\0", 2, AT(2, BEHIND));
	refuses(rt, "[\"a\0\"]", 6, AT(4, CONTROL));
}

static void
test_bad_tokens(vt_rt *rt)
{
	static const char *const rows[][2] = {
		{"-", AT(2, DIGITS)},
		{"+1", AT(1, NONE)},
		{"--1", AT(2, DIGITS)},
		{"- 1", AT(2, DIGITS)},
		{"-a", AT(2, DIGITS)},
		{"01", AT(2, "a number with a leading zero")},
		{"-01", AT(3, "a number with a leading zero")},
		{"00", AT(2, "a number with a leading zero")},
		{".5", AT(1, NONE)},
		{"1.", AT(3, DIGITS)},
		{"1.e5", AT(3, DIGITS)},
		{"-.5", AT(2, DIGITS)},
		{"1e", AT(3, DIGITS)},
		{"1e+", AT(4, DIGITS)},
		{"1E-x", AT(4, DIGITS)},
		{"1.5e", AT(5, DIGITS)},
		{"1e1.5", AT(4, BEHIND)},
		{"1.2.3", AT(4, BEHIND)},
		{"0x10", AT(2, BEHIND)},
		{"1_000", AT(2, BEHIND)},
		{"1f", AT(2, BEHIND)},
		{"NaN", AT(1, NONE)},
		{"Infinity", AT(1, NONE)},
		{"-Infinity", AT(2, DIGITS)},
		{"12345678901x", AT(12, BEHIND)},
		{"\xef\xbc\x91", AT(1, NONE)},
		{"1\xd9\xa1", AT(2, BEHIND)},
		{"\"", AT(2, OPEN)},
		{"\"abc", AT(5, OPEN)},
		{"\"abc\\", AT(6, OPEN)},
		{"\"abc\\\"", AT(7, OPEN)},
		{"\"a\nb\"", AT(3, CONTROL)},
		{"\"a\tb\"", AT(3, CONTROL)},
		{"\"\x1f\"", AT(2, CONTROL)},
		{"\"\\a\"", AT(4, ESCAPE)},
		{"\"\\'\"", AT(4, ESCAPE)},
		{"\"\\x41\"", AT(4, ESCAPE)},
		{"\"\\U0041\"", AT(4, ESCAPE)},
		{"\"\\ \"", AT(4, ESCAPE)},
		{"\"\\u\"", AT(4, HEX)},
		{"\"\\u12\"", AT(4, HEX)},
		{"\"\\u123\"x", AT(8, HEX)},
		{"\"\\u12g4\"", AT(7, HEX)},
		{"\"\\u 123\"", AT(5, HEX)},
		{"\"\\u+123\"", AT(5, HEX)},
		{"\"\\u00@0\"", AT(7, HEX)},
		{"\"\\u00`0\"", AT(7, HEX)},
		{"\"\\u00:0\"", AT(7, HEX)},
		{"\"\\ud800\"", AT(8, HALF)},
		{"\"\\ud800x\"", AT(8, HALF)},
		{"\"\\ud800\\n\"", AT(8, HALF)},
		{"\"\\ud800\\ud800\"", AT(14, HALF)},
		{"\"\\udc00\"", AT(8, HALF)},
		{"\"\\ud800\\u12\"", AT(10, HEX)},
		{"\"\\udbff\\ue000\"", AT(14, HALF)},
		{"\"\x80\"", AT(3, UTF8)},
		{"\"\xff\"", AT(4, UTF8)},
		{"\"\xc3\"", AT(4, UTF8)},
		{"\"\xc0\x80\"", AT(4, UTF8)},
		{"\"\xe0\x80\x80\"", AT(4, UTF8)},
		{"\"\xed\xa0\x80\"", AT(4, UTF8)},
		{"\"\xf0\x80\x80\x80\"", AT(4, UTF8)},
		{"\"\xf4\x90\x80\x80\"", AT(4, UTF8)},
		{"\"\xf5\x80\x80\x80\"", AT(4, UTF8)},
		{"\"\xe2\x82\"", AT(4, UTF8)},
		{"\"\\n\xff\"", AT(6, UTF8)},
		{"{\"\xff\":1}", AT(5, UTF8)},
		{"{\"a\nb\":1}", AT(4, CONTROL)},
		{"{\"a", AT(4, OPEN)},
		{"{\"\\z\":1}", AT(5, ESCAPE)},
	};

	for (size_t i = 0; i < VT_LEN(rows); i++)
		refuses(rt, rows[i][0], strlen(rows[i][0]), rows[i][1]);
}

/* ---- the edges of blocks ---- */

/* A string of n bytes in which one is special, at each place; as a value, a key and an item behind
 * others. */
static void
test_string_edges(vt_rt *rt)
{
	static const char *const special[][2] = {{"x", "x"}, {"\\n", "\\n"}, {"\\\"", "\\\""},
		{"\xc3\xa9", "\xc3\xa9"}, {"\\u00e9", "\xc3\xa9"}, {"\xe2\x82\xac", "\xe2\x82\xac"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}, {"\\u0001", "\\u0001"}};
	bool good = true;

	for (size_t k = 0; k < VT_LEN(special); k++)
		for (int n = 0; n < 50; n++)
			for (int at = 0; at <= n; at++) {
				char text[600], want[600], *got;
				vt_value v = VT_UNDEF;
				static const char a[] =
					"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
				char s[2][80];
				for (int w = 0; w < 2; w++)
					snprintf(s[w], sizeof s[w], "%.*s%s%.*s", at, a,
						special[k][w], n - at, a + at);
				snprintf(text, sizeof text,
					"[\"%s\",{\"%s\":1},{\"%s\":2,\"q\":\"%s\"}]", s[0], s[0],
					s[0], s[0]);
				snprintf(want, sizeof want,
					"[\"%s\",{\"%s\":1},{\"%s\":2,\"q\":\"%s\"}]", s[1], s[1],
					s[1], s[1]);
				good = good && read_text(rt, text, strlen(text), 0, &v, NULL);
				if (!good)
					break;
				got = written(rt, v, 0);
				good = strcmp(got, want) == 0;
				free(got);
				vt_release(v);
			}
	ok(good, "strings of each length with something special at each place");
}

/* Every beginning of a text is refused, and nothing is read behind it. */
static void
test_truncated(vt_rt *rt)
{
	static const char text[] = "[{\"name\": \"server-1 \\u00e9\\ud83d\\ude00\", \"size\": "
				   "12345678.25e-3, \"tags\": [\"\xe2\x82\xac\", true, null]}, "
				   "{\"name\": \"server-2\", \"size\": -123456789012345678901, "
				   "\"tags\": []},\n        {\"size\": 1, \"size\": false}]";
	bool good = true;

	for (size_t n = 0; n < sizeof text - 1; n++)
		for (int flags = 0; flags < 4; flags++) {
			vt_value v = VT_UNDEF;
			char *err = NULL;
			good = good && !read_text(rt, text, n, flags, &v, &err) && err != NULL;
			free(err);
		}
	ok(good, "each beginning of a text is refused");
}

static void
test_long_array(vt_rt *rt)
{
	static const size_t sizes[] = {1023, 1024, 1025, 1026, 2047, 2048, 2049, 5000};

	for (size_t i = 0; i < VT_LEN(sizes); i++) {
		vt_buf b = {0};
		for (size_t k = 0; k < sizes[i]; k++)
			vt_buf_printf(&b, "%c[%zu,{\"k\":\"%zu\"}]", k ? ',' : '[', k, k % 300);
		vt_buf_puts(&b, "]");
		vt_buf_putc(&b, '\0');
		gives(rt, b.p, b.n - 1, i & 1 ? VT_JSON_MUTABLE : 0, 0, b.p);
		b.p[b.n - 2] = 'x';
		ok(!vt_json_read(rt, b.p, b.n - 1, 0, 0, &(vt_value){0}, NULL),
			"an error behind many items");
		vt_buf_free(&b);
	}
}

/* Texts of few letters come again often, and share what they have in common with others. */
static void
test_repeated_strings(vt_rt *rt)
{
	static const char *const letters[] = {"a", "b", "\xc3\xa9", "\\n", "\xe2\x82\xac"};
	uint64_t state = 88172645463325252u;
	vt_value v = VT_UNDEF;
	vt_buf b = {0};
	char *got;

	for (int i = 0; i < 30000; i++) {
		state ^= state << 13, state ^= state >> 7, state ^= state << 17;
		vt_buf_puts(&b, i ? ",\"" : "[\"");
		for (uint64_t n = state >> 8 & 15, x = state >> 16; n > 0; n--, x >>= 2)
			vt_buf_puts(&b, letters[((x & 3) + (n & state >> 40 & 1)) % 5]);
		vt_buf_puts(&b, i % 3 ? "-0123456789abcdef\"" : "\"");
	}
	vt_buf_puts(&b, "]");
	vt_buf_putc(&b, '\0');
	ok(vt_json_read(rt, b.p, b.n - 1, 0, 0, &v, NULL), "texts that come again are read");
	got = written(rt, v, 0);
	ok(strcmp(got, b.p) == 0, "and are what they were");
	free(got);
	vt_release(v);
	b.n = 0;
	for (size_t n = 0; n < 40; n++) {
		vt_buf_printf(&b, "[\"%.*s\",\"%.*s\",\"and behind them\"]", (int)n,
			"0123456789012345678901234567890123456789", (int)n,
			"0123456789012345678901234567890123456789");
		ok(vt_json_read(rt, b.p, b.n, 0, 0, &v, NULL) &&
				vt_as_list(v)->v[0] ==
					(n <= 32 ? vt_as_list(v)->v[1] : vt_as_list(v)->v[0]),
			"texts of up to 32 bytes are shared");
		vt_release(v);
		b.n = 0;
	}
	vt_buf_free(&b);
}

enum { RECORDS = 4000 };

/* Records with a text, a number and a list of records each. */
static void
put_records(vt_buf *b)
{
	for (int i = 0; i < RECORDS; i++)
		vt_buf_printf(b,
			"%c{\"id\":%d,\"name\":\"the name of record %d, which is long\",\"x\":%d.5,"
			"\"rows\":[{\"v\":%d.25},{\"v\":%d.75}]}",
			i ? ',' : '[', i, i, i, i, i);
	vt_buf_puts(b, "]");
}

static vt_value
member_at(vt_value list, uint32_t i, uint32_t slot)
{
	return vt_as_dict(vt_as_list(list)->v[i])->v[slot];
}

/* How many of a member's values lie right behind the one of the record before. */
static uint32_t
in_a_row(vt_value list, uint32_t slot)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < RECORDS; i++) {
		vt_value a = member_at(list, i - 1, slot), b = member_at(list, i, slot);
		n += b > a && b - a <= 80;
	}
	return n;
}

/* What is long is read, written, changed and given back, but for a text. */
static void
use_records(vt_rt *rt, const vt_buf *b, int flags)
{
	vt_value v = VT_UNDEF, kept, rows;
	char *got;

	ok(vt_json_read(rt, b->p, b->n - 1, flags, 0, &v, NULL), "a long document is read");
	got = written(rt, v, 0);
	ok(strcmp(got, b->p) == 0, "and is what it was");
	free(got);
	ok(VT_ALL_LARGE || in_a_row(v, 1) > RECORDS * 9 / 10, "texts of one member lie in a row");
	ok(!vt_is_ptr(member_at(v, 7, 2)) && !vt_is_ptr(member_at(v, RECORDS - 1, 2)),
		"floats take no memory");
	if (flags & VT_JSON_MUTABLE) {
		rows = member_at(v, 7, 3);
		for (int64_t i = 0; i < 100; i++)
			vt_list_push(rt, vt_as_list(rows), vt_mkint(i));
		vt_dict_set_c(rt, vt_as_dict(vt_as_list(v)->v[7]), "new", VT_NULL);
		got = written(rt, vt_as_list(v)->v[7], 0);
		ok(strstr(got, "98,99],\"new\":null}") != NULL, "lists and records grow");
		free(got);
	}
	kept = vt_copy(member_at(v, RECORDS / 2, 1));
	vt_release(v);
	ok(strcmp(vt_as_str(kept)->s, "the name of record 2000, which is long") == 0,
		"a text that is kept stays");
	vt_release(kept);
}

static void
test_places(void)
{
	vt_rt *rt = vt_rt_new(NULL); /* with shapes to spare, which stay */
	uint64_t live;
	vt_buf b = {0};

	put_records(&b);
	vt_buf_putc(&b, '\0');
	use_records(rt, &b, VT_JSON_MUTABLE);
	live = vt_heap_live(rt->s->heap);
	use_records(rt, &b, VT_JSON_MUTABLE);
	use_records(rt, &b, 0);
	ok(vt_heap_live(rt->s->heap) == live, "and nothing else does");
	ok(!vt_json_read(rt, b.p, b.n - 2, 0, 0, &(vt_value){0}, NULL) &&
			vt_heap_live(rt->s->heap) == live,
		"nor of a document that ends too early");
	vt_buf_free(&b);
	vt_rt_free(rt);
}

/* Objects that outgrow their shape, with keys that come again. */
static void
test_large_object(vt_rt *rt)
{
	for (int n = 60; n < 600; n = n < 70 ? n + 1 : n * 2) {
		vt_buf b = {0}, want = {0};
		for (int k = 0; k < n; k++) {
			vt_buf_printf(&b, "%c\"key %d\":%d", k ? ',' : '{', k, k);
			vt_buf_printf(&want, "%c\"key %d\":%d", k ? ',' : '{', k, k % 7 ? k : -k);
		}
		for (int k = 0; k < n; k += 7)
			vt_buf_printf(&b, ",\"key %d\":%d", k, -k);
		vt_buf_puts(&b, "}");
		vt_buf_put(&want, "}", 2);
		gives(rt, b.p, b.n, 0, 0, want.p);
		gives(rt, b.p, b.n, VT_JSON_MUTABLE, 0, want.p);
		vt_buf_free(&b);
		vt_buf_free(&want);
	}
}

static void
test_depth(vt_rt *rt)
{
	char text[100];
	vt_value v = VT_UNDEF;
	char *err = NULL;

	memset(text, '[', 50);
	memset(text + 50, ']', 50);
	ok(vt_json_read(rt, text, 100, 0, 50, &v, NULL), "as deep as allowed");
	vt_clear(&v);
	ok(!vt_json_read(rt, text, 100, 0, 49, &v, &err) &&
			strcmp(err, AT(50, "nested too deeply")) == 0,
		"one deeper");
	free(err);
	ok(!vt_json_read(rt, "[1]", 3, 0, 1, &v, &err) &&
			strcmp(err, AT(2, "nested too deeply")) == 0,
		"a number counts");
	free(err);
}

static void
test_prefix(vt_rt *rt)
{
	static const char text[] = " {\"a\":1} \n[2]3 4.5\"x\"";
	static const size_t ends[] = {8, 13, 14, 18, 21};
	size_t at = 0, used;

	for (size_t i = 0; i < VT_LEN(ends); i++) {
		vt_value v = VT_UNDEF;
		bool good = vt_json_read_prefix(
			rt, text + at, sizeof text - 1 - at, 0, 0, &v, &used, NULL);
		at += used;
		ok(good && at == ends[i], "a value and where it ends");
		vt_clear(&v);
	}
	ok(!vt_json_read_prefix(rt, "", 0, 0, 0, &(vt_value){0}, &used, NULL),
		"nothing is no value");
}

/* ---- writing ---- */

static void
test_write(vt_rt *rt)
{
	static const char text[] =
		"{\"b\":[1,{}],\"a\\n\":\"\xc3\xa9\xf0\x9f\x98\x80\",\"\xc3\xa9\":[]}";

	gives(rt, text, sizeof text - 1, 0, 0, text);
	gives(rt, text, sizeof text - 1, 0, VT_JSON_PRETTY,
		"{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\\n\": \"\xc3\xa9\xf0\x9f\x98\x80\",\n  "
		"\"\xc3\xa9\": []\n}");
	gives(rt, text, sizeof text - 1, 0, VT_JSON_SORT,
		"{\"a\\n\":\"\xc3\xa9\xf0\x9f\x98\x80\",\"b\":[1,{}],\"\xc3\xa9\":[]}");
	gives(rt, text, sizeof text - 1, 0, VT_JSON_ASCII,
		"{\"b\":[1,{}],\"a\\n\":\"\\u00e9\\ud83d\\ude00\",\"\\u00e9\":[]}");
	gives(rt, "[1e15,123456.789,-0.0]", 22, 0, VT_JSON_TAGGED,
		"[1000000000000000.0,123456.789,-0.0]");
}

/* The shortest digits read back, and one digit less does not. */
static bool
is_shortest(double d)
{
	char text[VT_FLOAT_TEXT + 1], less[40];
	int e, digits = 0;
	uint64_t m;
	double back = 0;

	*vt_decimal_repr(text, d) = '\0';
	m = vt_decimal_shortest(d, &e);
	for (uint64_t u = m; u; u /= 10)
		digits++;
	if (strtod(text, NULL) != d || (vt_decimal_double(m, e, &back) && back != d))
		return false;
	snprintf(less, sizeof less, "%.*e", digits > 1 ? digits - 2 : 0, d);
	return digits == 1 || strtod(less, NULL) != d;
}

static void
test_doubles(void)
{
	uint64_t state = 88172645463325252u;
	bool good = true;
	double d;

	for (int i = 0; i < 40000; i++) {
		uint64_t bits = (uint64_t)(i % 2047) << 52;
		state ^= state << 13, state ^= state >> 7, state ^= state << 17;
		bits = i < 4094 ? bits + (uint64_t)(i >= 2047) : state >> 1;
		memcpy(&d, &bits, sizeof d);
		if (d > 0 && d - d == 0)
			good = good && is_shortest(d);
	}
	ok(good, "doubles in their shortest form");
}

int
main(void)
{
	vt_rt *rt = vt_rt_new(NULL);

	test_values(rt);
	test_numbers(rt);
	test_strings(rt);
	test_bad_structure(rt);
	test_bad_tokens(rt);
	test_string_edges(rt);
	test_truncated(rt);
	test_long_array(rt);
	test_repeated_strings(rt);
	test_places();
	test_large_object(rt);
	test_depth(rt);
	test_prefix(rt);
	test_write(rt);
	test_doubles();
	vt_rt_free(rt);
	printf("1..%d\n", tests);
	return failures != 0;
}

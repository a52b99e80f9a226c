/*
 * unit_value.c - the runtime's value core: TAP.
 *
 * Values are written as JSON (tagged, see runtime/json.c) and checked by their Python repr, which
 * tells kinds apart.  Expected texts are what CPython 3.11 prints.  The last tests count what is
 * still alive.
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/kind.h"
#include "runtime/core/value.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

static void
same_text(const char *got, const char *want, const char *what)
{
	ok(strcmp(got, want) == 0, what);
	if (strcmp(got, want) != 0)
		printf("#      got: %s\n# expected: %s\n", got, want);
}

static vt_value
parse(vt_rt *rt, const char *json, int flags)
{
	vt_value v = VT_UNDEF;
	char *err = NULL;
	if (!vt_json_read(rt, json, strlen(json), flags | VT_JSON_TAGGED, 0, &v, &err)) {
		printf("Bail out! bad JSON in the test: %s: %s\n", json, err);
		exit(1);
	}
	return v;
}

static char *
repr_of(vt_rt *rt, vt_value v)
{
	vt_buf b = {0};
	vt_repr(rt, &b, v);
	vt_buf_putc(&b, '\0');
	return b.p;
}

/* Takes the value. */
static void
is(vt_rt *rt, vt_value v, const char *want, const char *what)
{
	char *got = v == VT_UNDEF ? vt_xstrdup("VT_UNDEF") : repr_of(rt, v);
	same_text(got, want, what);
	free(got);
	vt_release(v);
}

/* The result, which is released, or the error as "Type: message".  v is a pointer because the call
 * that sets the result often stands beside it. */
static void
outcome(vt_rt *rt, vt_status st, const vt_value *v, const char *want, const char *what)
{
	vt_buf b = {0};
	if (st == VT_OK) {
		is(rt, *v, want, what);
		return;
	}
	vt_buf_puts(&b, vt_exc_shown_type(vt_pending(rt)));
	vt_buf_puts(&b, ": ");
	vt_exc_str(rt, &b, vt_pending(rt));
	vt_buf_putc(&b, '\0');
	same_text(b.p, want, what);
	vt_buf_free(&b);
	vt_exc_clear(rt);
}

/* ---- numbers ---------------------------------------------------------------------------- */

enum { POW = 100, ROUND, AND, OR, XOR, SHL, SHR, CMP };

static vt_status
compute(vt_rt *rt, int op, vt_value a, vt_value b, vt_value *out)
{
	int64_t n = 0;
	switch (op) {
	case POW: return vt_num_pow(rt, a, b, VT_NULL, out);
	case ROUND: vt_int_fits(b, &n); return vt_num_round(rt, a, n, out);
	case AND:
	case OR:
	case XOR:
	case SHL:
	case SHR: return vt_int_bits(rt, op - AND, a, b, out);
	case CMP: *out = vt_mkint(vt_num_cmp(a, b)); return VT_OK;
	default: return vt_num_binary(rt, op, a, b, out);
	}
}

#define BIG30 "{\"$int\":\"1000000000000000000000000000000\"}"
static const struct {
	int op;
	const char *a, *b, *want;
} sums[] = {
	{VT_OP_ADD, "1", "2", "3"},
	{VT_OP_ADD, "4611686018427387903", "1", "4611686018427387904"},
	{VT_OP_SUB, "-4611686018427387904", "1", "-4611686018427387905"},
	{VT_OP_SUB, "{\"$int\":\"4611686018427387904\"}", "1", "4611686018427387903"},
	{VT_OP_MUL, "4611686018427387903", "4611686018427387903",
		"21267647932558653957237540927630737409"},
	{VT_OP_MUL, "3037000500", "3037000500", "9223372037000250000"},
	{VT_OP_ADD, "true", "true", "2"},
	{VT_OP_ADD, "1", "2.5", "3.5"},
	{VT_OP_ADD, BIG30, "0.5", "1e+30"},
	{VT_OP_DIV, "-7", "2", "-4"},
	{VT_OP_DIV, "7", "-2", "-4"},
	{VT_OP_DIV, "-4611686018427387904", "-1", "4611686018427387904"},
	{VT_OP_MOD, "-7", "3", "2"},
	{VT_OP_MOD, "7", "-3", "-2"},
	{VT_OP_DIV, "{\"$int\":\"-1000000000000000000000000000000\"}", "7",
		"-142857142857142857142857142858"},
	{VT_OP_MOD, "{\"$int\":\"-1000000000000000000000000000000\"}", "7", "6"},
	{VT_OP_MOD, "5", "{\"$int\":\"-1000000000000000000000000000000\"}",
		"-999999999999999999999999999995"},
	{VT_OP_DIV, "1", "4.0", "0.25"},
	{VT_OP_MOD, "-7.5", "2", "0.5"},
	{VT_OP_MOD, "7.5", "-2", "-0.5"},
	{VT_OP_MOD, "5.0", "-5", "-0.0"},
	{VT_OP_MOD, "-0.0", "5", "0.0"},
	{VT_OP_DIV, "1", "0", "ZeroDivisionError: integer division or modulo by zero"},
	{VT_OP_MOD, "1", "0", "ZeroDivisionError: integer modulo by zero"},
	{VT_OP_DIV, BIG30, "0", "ZeroDivisionError: integer division or modulo by zero"},
	{VT_OP_DIV, "1.0", "0", "ZeroDivisionError: float division by zero"},
	{VT_OP_MOD, "1.0", "0", "ZeroDivisionError: float modulo"},
	{VT_OP_ADD, "1", "null",
		"TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"},
	{VT_OP_SUB, "\"a\"", "1", "TypeError: unsupported operand type(s) for -: 'str' and 'int'"},
	{POW, "2", "100", "1267650600228229401496703205376"},
	{POW, "2", "-2", "0.25"},
	{POW, "0", "0", "1"},
	{POW, "-1", BIG30, "1"},
	{POW, "2", BIG30, "OverflowError: integer power too large"},
	{POW, "0", "-1", "ZeroDivisionError: 0.0 cannot be raised to a negative power"},
	{POW, "1e300", "2", "OverflowError: (34, 'Numerical result out of range')"},
	{POW, "2", "0.5", "1.4142135623730951"},
	{ROUND, "2.5", "0", "2.0"},
	{ROUND, "3.5", "0", "4.0"},
	{ROUND, "-2.5", "-1", "-0.0"},
	{ROUND, "2.675", "2", "2.67"},
	{ROUND, "25", "-1", "20"},
	{ROUND, "35", "-1", "40"},
	{ROUND, "-25", "-1", "-20"},
	{ROUND, "99.5", "-2", "100.0"},
	{ROUND, "1e300", "-5", "1e+300"},
	{ROUND, "5e-324", "400", "5e-324"},
	{ROUND, "1.5e308", "-308", "OverflowError: rounded value too large to represent"},
	{ROUND, BIG30, "-31", "0"},
	{ROUND, BIG30, "-29", "1000000000000000000000000000000"},
	{ROUND, "5", "-1", "0"},
	{ROUND, "6", "-1", "10"},
	{ROUND, "true", "0", "1"},
	{AND, "12", "10", "8"},
	{OR, "12", "-5", "-1"},
	{XOR, BIG30, "-1", "-1000000000000000000000000000001"},
	{SHL, "1", "70", "1180591620717411303424"},
	{SHR, "{\"$int\":\"1180591620717411303424\"}", "69", "2"},
	{SHR, "-1", "1000", "-1"},
	{SHL, "1", "-1", "ValueError: negative shift count"},
	{SHL, "1", BIG30, "OverflowError: too many digits in integer"},
	{AND, "true", "false", "False"},
	{CMP, "9007199254740993", "9007199254740992.0", "1"},
	{CMP, "9007199254740992", "9007199254740992.0", "0"},
	{CMP, "1", "1.5", "-1"},
	{CMP, "-1", "-1.5", "1"},
	{CMP, "{\"$int\":\"100000000000000000000000\"}", "1e23", "1"},
	{CMP, "1", "{\"$float\":\"inf\"}", "-1"},
	{CMP, "{\"$float\":\"nan\"}", "1", "2"},
	{CMP, "true", "1.0", "0"},
};

static void
test_arithmetic(vt_rt *rt)
{
	static const char *const sign[] = {"+", "-", "*", "/", "mod"};
	static const char *const word[] = {"pow", "round", "&", "|", "^", "<<", ">>", "<=>"};
	for (size_t i = 0; i < VT_LEN(sums); i++) {
		vt_value a = parse(rt, sums[i].a, 0), b = parse(rt, sums[i].b, 0), r = VT_UNDEF;
		const char *op = sums[i].op >= POW ? word[sums[i].op - POW] : sign[sums[i].op];
		char *what = vt_asprintf("%s %s %s", sums[i].a, op, sums[i].b);
		vt_status st = compute(rt, sums[i].op, a, b, &r);
		outcome(rt, st, &r, sums[i].want, what);
		free(what);
		vt_release(a);
		vt_release(b);
	}
}

static void
test_pow_mod(vt_rt *rt)
{
	static const struct {
		int a, b, m;
		const char *want;
	} rows[] = {
		{3, 4, 5, "1"},
		{3, 4, -5, "-4"},
		{3, -1, 7, "5"},
		{2, 0, 1, "0"},
		{2, 5, -1, "0"},
		{2, -1, 4, "ValueError: base is not invertible for the given modulus"},
		{2, 3, 0, "ValueError: pow() 3rd argument cannot be 0"},
	};
	for (size_t i = 0; i < VT_LEN(rows); i++) {
		vt_value r = VT_UNDEF;
		vt_status st = vt_num_pow(
			rt, vt_mkint(rows[i].a), vt_mkint(rows[i].b), vt_mkint(rows[i].m), &r);
		outcome(rt, st, &r, rows[i].want, "pow with a modulus");
	}
}

static void
test_float_text(vt_rt *rt)
{
	static const struct {
		double d;
		const char *want;
	} rows[] = {
		{0.0, "0.0"},
		{-0.0, "-0.0"},
		{1, "1.0"},
		{0.1, "0.1"},
		{1e15, "1000000000000000.0"},
		{1e16, "1e+16"},
		{123456789012345678.0, "1.2345678901234568e+17"},
		{1e-4, "0.0001"},
		{1e-5, "1e-05"},
		{1.5e-7, "1.5e-07"},
		{1e22, "1e+22"},
		{1e23, "1e+23"},
		{5e-324, "5e-324"},
		{2.2250738585072014e-308, "2.2250738585072014e-308"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{9007199254740993.0, "9007199254740992.0"},
		{0x1p89, "6.189700196426902e+26"},
		{0x1p-44, "5.684341886080802e-14"},
		{100, "100.0"},
		{1.0 / 3, "0.3333333333333333"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
		{NAN, "nan"},
	};
	for (size_t i = 0; i < VT_LEN(rows); i++)
		is(rt, vt_float_new(rt, rows[i].d), rows[i].want, rows[i].want);
}

/* The same double comes out; it is a word just where its exponent says so. */
static bool
float_keeps(vt_rt *rt, uint64_t bits)
{
	unsigned exponent = bits >> 52 & 0x7ff;
	uint64_t first = UINT64_C(0x380) << 52, magnitude = bits & INT64_MAX;
	bool word = (exponent >= 0x380 && exponent < 0x480 && magnitude != first) || magnitude == 0;
	bool good;
	double d, back;
	vt_value v;

	memcpy(&d, &bits, sizeof d);
	v = vt_float_new(rt, d);
	back = vt_float_of(v);
	good = memcmp(&d, &back, sizeof d) == 0 && vt_is_ptr(v) == !word && vt_is(v, FLOAT) &&
	       VT_KIND(v) == VT_K_FLOAT && !vt_is_int(v) && !vt_is_bool(v) && v != VT_NULL &&
	       v != VT_UNDEF && v != VT_NOVALUE && !vt_is_later(v) && vt_is_final(v) &&
	       vt_tag(v) == 8 + VT_K_FLOAT && vt_tag_of(v) == VT_TAG_KINDS + VT_K_FLOAT;
	vt_release(v);
	return good;
}

static void
test_float_words(vt_rt *rt)
{
	static const unsigned edges[] = {
		0, 1, 0x37f, 0x380, 0x3ff, 0x400, 0x47f, 0x480, 0x7fe, 0x7ff};
	uint64_t bits = 88172645463325252, lost = 0;
	vt_value zero = vt_float_new(rt, 0), two = vt_float_new(rt, 2),
		 half = vt_float_new(rt, 0.5);

	for (int i = 0; i < 200000; i++) {
		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		lost += !float_keeps(rt, bits);
	}
	ok(lost == 0, "floats of any bits are what they were");
	for (size_t i = lost = 0; i < VT_LEN(edges); i++)
		for (uint64_t sign = 0; sign < 2; sign++)
			for (uint64_t m = 0; m < 2; m++)
				lost += !float_keeps(
						rt, sign << 63 | (uint64_t)edges[i] << 52 | m) +
					!float_keeps(rt, sign << 63 | (uint64_t)edges[i] << 52 |
								 ((UINT64_C(1) << 52) - 1 - m));
	ok(lost == 0, "so are those beside the first and the last word");
	ok(vt_is_float_word(two) && vt_eq(two, vt_mkint(2)) && vt_hash(two) == vt_hash(vt_mkint(2)),
		"a float that is a word equals its integer, and hashes as that");
	ok(!vt_truth(zero) && vt_truth(half) && vt_eq(zero, VT_FALSE), "0.0 is false");
	vt_release(zero);
}

static void
test_reading_numbers(vt_rt *rt)
{
	static const struct {
		const char *text, *as_int, *as_float;
	} rows[] = {
		{"12", "12", "12.0"},
		{" \t-5\n", "-5", "-5.0"},
		{"1_000", "1000", "1000.0"},
		{"1__0", NULL, NULL},
		{"_1", NULL, NULL},
		{"1_", NULL, NULL},
		{"", NULL, NULL},
		{"-", NULL, NULL},
		{"0x10", NULL, NULL},
		{"+7", "7", "7.0"},
		{"- 1", NULL, NULL},
		{"\xd9\xa3\xd9\xa4", "34", "34.0"},
		{"\xc2\xa0"
		 "1\xe3\x80\x80",
			"1", "1.0"},
		{"1.5", NULL, "1.5"},
		{".5", NULL, "0.5"},
		{"5.", NULL, "5.0"},
		{".", NULL, NULL},
		{"1e3", NULL, "1000.0"},
		{"1e", NULL, NULL},
		{"inf", NULL, "inf"},
		{"-Infinity", NULL, "-inf"},
		{"nan", NULL, "nan"},
		{"1e400", NULL, "inf"},
		{"1e-400", NULL, "0.0"},
		{"1e99999999999999999999", NULL, "inf"},
		{"1_0.5_0", NULL, "10.5"},
		{"1_.5", NULL, NULL},
		{"123456789012345678901234567890", "123456789012345678901234567890",
			"1.2345678901234568e+29"},
	};
	for (size_t i = 0; i < VT_LEN(rows); i++) {
		vt_value s = vt_str_c(rt, rows[i].text), v = VT_UNDEF;
		char *what = vt_asprintf("int('%s')", rows[i].text);
		double d;
		bool got = vt_int_from_str(rt, vt_as_str(s), &v);
		is(rt, got ? v : VT_UNDEF, rows[i].as_int ? rows[i].as_int : "VT_UNDEF", what);
		got = vt_float_from_str(vt_as_str(s), &d);
		memcpy(what, "flt", 3);
		is(rt, got ? vt_float_new(rt, d) : VT_UNDEF,
			rows[i].as_float ? rows[i].as_float : "VT_UNDEF", what);
		free(what);
		vt_release(s);
	}
}

static void
test_conversions(vt_rt *rt)
{
	vt_value v = VT_UNDEF, big = parse(rt, "{\"$int\":\"36893488147419103233\"}", 0);
	double d = 0;
	vt_buf b = {0};
	ok(vt_num_double(rt, big, &d) == VT_OK && d == 36893488147419103232.0,
		"a big int becomes the nearest float");
	vt_release(big);
	outcome(rt, vt_float_to_int(rt, -1e20, &v), &v, "-100000000000000000000", "int(-1e20)");
	outcome(rt, vt_float_to_int(rt, -1.9, &v), &v, "-1", "int(-1.9)");
	outcome(rt, vt_float_to_int(rt, NAN, &v), &v,
		"ValueError: cannot convert float NaN to integer", "int(nan)");
	outcome(rt, vt_float_to_int(rt, INFINITY, &v), &v,
		"OverflowError: cannot convert float infinity to integer", "int(inf)");
	is(rt, vt_int_new(rt, INT64_MIN), "-9223372036854775808", "the smallest 64-bit number");
	outcome(rt, vt_num_neg(rt, vt_mkint(VT_INT_MIN), &v), &v, "4611686018427387904",
		"- of the smallest immediate");
	outcome(rt, vt_int_not(rt, VT_TRUE, &v), &v, "-2", "~True");
	outcome(rt, vt_int_parse(rt, "-ff", 3, 16, &v), &v, "-255", "base 16");
	outcome(rt, vt_int_parse(rt, "12a", 3, 10, &v), &v,
		"ValueError: invalid literal for int() with base 10: '12a'", "bad digits");
	vt_int_repr(&b, vt_mkint(-255), 16);
	vt_buf_putc(&b, '\0');
	same_text(b.p, "-ff", "an int in base 16");
	vt_buf_free(&b);
}

/* ---- strings ---------------------------------------------------------------------------- */

static void
test_strings(vt_rt *rt)
{
	vt_value s = vt_str_c(rt, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"),
		 n = vt_str_c(rt, "\xe2\x82\xac"), e = vt_str_c(rt, "");
	const vt_str *p = vt_as_str(s);
	const char *q = p->s + 6;
	ok(p->points == 5 && p->bytes == 11 && !(p->h.flags & VT_F_ASCII), "length in code points");
	ok(vt_str_offset(p, 2) == 3 && vt_str_offset(p, 99) == 11, "offset of a code point");
	is(rt, vt_str_sub(rt, p, 1, 3), "'\xc3\xa9\xe2\x82\xac'", "substring");
	is(rt, vt_str_sub(rt, p, 4, 2), "''", "empty substring");
	ok(vt_str_find(NULL, p, vt_as_str(n), 0, 5) == 2 &&
			vt_str_find(NULL, p, vt_as_str(n), 3, 5) == -1,
		"find");
	ok(vt_str_rfind(NULL, p, vt_as_str(n), 0, 5) == 2 &&
			vt_str_rfind(NULL, p, vt_as_str(n), 0, 2) == -1,
		"rfind");
	ok(vt_str_find(NULL, p, vt_as_str(e), 5, 9) == 5 &&
			vt_str_find(NULL, p, vt_as_str(e), 6, 9) == -1,
		"find of nothing");
	ok(vt_str_rfind(NULL, p, vt_as_str(e), 0, 9) == 5, "rfind of nothing");
	ok(vt_utf8_next(&q) == 0x1f600 && *q == 'z', "a code point of four bytes");
	ok(vt_str_cmp(p, vt_as_str(n)) < 0 && vt_str_cmp(vt_as_str(e), p) < 0 &&
			vt_str_cmp(p, p) == 0,
		"order");
	vt_release(s);
	vt_release(n);
	vt_release(e);
	ok(vt_utf8_check("a\xc0\x80", 3) == 1, "overlong form refused");
	ok(vt_utf8_check("\xed\xa0\x80", 3) == 0, "surrogate refused");
	ok(vt_utf8_check("\xf4\x90\x80\x80", 4) == 0, "beyond U+10FFFF refused");
	ok(vt_utf8_check("ab\xe2\x82", 4) == 2, "cut sequence refused");
	is(rt, vt_str_printf(rt, "%s%c%d", "x\xff", 'y', 7), "'x\xef\xbf\xbdy7'",
		"formatted text is repaired");
}

static void
test_case(vt_rt *rt)
{
	static const struct {
		const char *text, *upper, *lower;
	} rows[] = {
		{"Stra\xc3\x9f"
		 "e",
			"'STRASSE'",
			"'stra\xc3\x9f"
			"e'"},
		{"\xef\xac\x83", "'FFI'", "'\xef\xac\x83'"},
		{"\xce\x9f\xce\x94\xce\xa3", "'\xce\x9f\xce\x94\xce\xa3'",
			"'\xce\xbf\xce\xb4\xcf\x82'"},
		{"\xce\xa3\xce\x91", "'\xce\xa3\xce\x91'", "'\xcf\x83\xce\xb1'"},
		{"A\xce\xa3.B", "'A\xce\xa3.B'", "'a\xcf\x83.b'"},
		{"A\xce\xa3. ", "'A\xce\xa3. '", "'a\xcf\x82. '"},
		{"\xc4\xb0", "'\xc4\xb0'", "'i\xcc\x87'"},
		{"aZ09_", "'AZ09_'", "'az09_'"},
	};
	for (size_t i = 0; i < VT_LEN(rows); i++) {
		vt_value s = vt_str_c(rt, rows[i].text);
		is(rt, vt_str_upper(rt, vt_as_str(s)), rows[i].upper, "upper");
		is(rt, vt_str_lower(rt, vt_as_str(s)), rows[i].lower, "lower");
		vt_release(s);
	}
	ok(vt_is_space(0x3000) && vt_is_space(0x1f) && !vt_is_space(0x200b), "blanks");
	ok(vt_digit_value(0x1d7ff) == 9 && vt_digit_value(0x669) == 9 && vt_digit_value(0xb2) == -1,
		"digits");
	ok(vt_is_word(0xe9) && vt_is_word('_') && vt_is_word(0xb2) && !vt_is_word('-'),
		"word characters");
}

/* ---- text of values --------------------------------------------------------------------- */

static void
test_repr(vt_rt *rt)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{"null", "None"},
		{"true", "True"},
		{"[]", "()"},
		{"[1]", "(1,)"},
		{"[1,[2.0,\"x\"]]", "(1, (2.0, 'x'))"},
		{"{\"a\":1,\"b\":[null]}", "{'a': 1, 'b': (None,)}"},
		{"{\"$set\":[]}", "frozenset()"},
		{"{\"$set\":[1]}", "frozenset({1})"},
		{"{\"$dict\":[[1,2],[[3],false]]}", "{1: 2, (3,): False}"},
		{"\"a'b\"", "\"a'b\""},
		{"\"a'\\\"\"", "'a\\'\"'"},
		{"\"\\\\\\n\\r\\t\\u0000\\u007f\\u00a0\\u00ad\\u2028\\u0378\\u00e9\"",
			"'\\\\\\n\\r\\t\\x00\\x7f\\xa0\\xad\\u2028\\u0378\xc3\xa9'"},
		{"\"\\ud83d\\ude00\\udbff\\udfff\"", "'\xf0\x9f\x98\x80\\U0010ffff'"},
		{"{\"$novalue\":true}", "<NoValue>"},
		{"{\"$datetime\":\"2020-01-02T03:04:05.000006\",\"offset\":null}",
			"datetime.datetime(2020, 1, 2, 3, 4, 5, 6)"},
		{"{\"$datetime\":\"2020-01-02T00:00:00.000000\",\"offset\":0}",
			"datetime.datetime(2020, 1, 2, 0, 0, tzinfo=tzutc())"},
		{"{\"$datetime\":\"2020-02-29T03:04:00.000007\",\"offset\":-12600}",
			"datetime.datetime(2020, 2, 29, 3, 4, 0, 7, tzinfo=tzoffset(None, "
			"-12600))"},
		{"{\"$timespan\":0}", "datetime.timedelta(0)"},
		{"{\"$timespan\":-86400000000}", "datetime.timedelta(days=-1)"},
		{"{\"$timespan\":172803000004}",
			"datetime.timedelta(days=2, seconds=3, microseconds=4)"},
	};
	for (size_t i = 0; i < VT_LEN(rows); i++)
		is(rt, parse(rt, rows[i].json, 0), rows[i].want, rows[i].json);
	is(rt, parse(rt, "[1,{\"a\":[]}]", VT_JSON_MUTABLE), "[1, {'a': []}]", "a mutable list");
}

static void
test_str(vt_rt *rt)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{"null", "null"},
		{"true", "true"},
		{"\"a'b\"", "a'b"},
		{"[true,null]", "(True, None)"},
		{"1e20", "1e+20"},
		{"{\"$timespan\":86400000000}", "1 day, 0:00:00"},
		{"{\"$timespan\":-86397000000}", "-1 day, 0:00:03"},
		{"{\"$timespan\":8639999000000}", "99 days, 23:59:59"},
		{"{\"$timespan\":5}", "0:00:00.000005"},
		{"{\"$datetime\":\"0001-01-01T00:00:00.000000\",\"offset\":null}",
			"0001-01-01 00:00:00"},
		{"{\"$datetime\":\"9999-12-31T23:59:59.999999\",\"offset\":5430}",
			"9999-12-31 23:59:59.999999+01:30:30"},
		{"{\"$datetime\":\"2000-03-01T12:00:00.000000\",\"offset\":-12600}",
			"2000-03-01 12:00:00-03:30"},
	};
	for (size_t i = 0; i < VT_LEN(rows); i++) {
		vt_value v = parse(rt, rows[i].json, 0);
		vt_buf b = {0};
		vt_yaqlstr(rt, &b, v);
		vt_buf_putc(&b, '\0');
		same_text(b.p, rows[i].want, rows[i].json);
		vt_buf_free(&b);
		vt_release(v);
	}
}

/* ---- equality, hashing, truth ----------------------------------------------------------- */

static void
test_equality(vt_rt *rt)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} rows[] = {
		{"1", "1.0", true},
		{"1", "true", true},
		{"0", "false", true},
		{"null", "false", false},
		{"\"a\"", "\"a\"", true},
		{"[1,2]", "[1.0,2]", true},
		{"[1,2]", "[1,2,3]", false},
		{"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
		{"{\"a\":1}", "{\"a\":2}", false},
		{"{\"$set\":[1,2]}", "{\"$set\":[2.0,1]}", true},
		{"[]", "{}", false},
		{"{\"$int\":\"100000000000000000000\"}", "1e20", true},
		{"{\"$int\":\"100000000000000000001\"}", "1e20", false},
		{"{\"$dict\":[[1,2]]}", "{\"$dict\":[[true,2]]}", true},
		{"{\"$float\":\"nan\"}", "{\"$float\":\"nan\"}", false},
		{"{\"$datetime\":\"2020-01-01T01:00:00.000000\",\"offset\":3600}",
			"{\"$datetime\":\"2020-01-01T00:00:00.000000\",\"offset\":0}", true},
		{"{\"$datetime\":\"2020-01-01T00:00:00.000000\",\"offset\":null}",
			"{\"$datetime\":\"2020-01-01T00:00:00.000000\",\"offset\":0}", false},
		{"{\"$timespan\":1}", "1", false},
		{"\"1\"", "1", false},
		{"2305843009213693951", "{\"$float\":\"nan\"}", false},
		{"{\"$int\":\"1152921504606846976\"}", "1152921504606846976.0", true},
	};
	for (size_t i = 0; i < VT_LEN(rows); i++) {
		vt_value a = parse(rt, rows[i].a, 0), b = parse(rt, rows[i].b, 0);
		char *what =
			vt_asprintf("%s %s %s", rows[i].a, rows[i].equal ? "==" : "!=", rows[i].b);
		ok(vt_eq(a, b) == rows[i].equal && vt_eq(b, a) == rows[i].equal &&
				(!rows[i].equal || vt_hash(a) == vt_hash(b)),
			what);
		free(what);
		vt_release(a);
		vt_release(b);
	}
}

static void
test_identity(vt_rt *rt)
{
	vt_value nan = vt_float_new(rt, NAN), t = VT_UNDEF, l = parse(rt, "[1]", VT_JSON_MUTABLE),
		 u = parse(rt, "[1]", 0);
	vt_tuple_of(rt, 1, &nan, &t);
	ok(!vt_eq(nan, nan) && vt_eq(t, t) && vt_same(nan, nan),
		"nan is itself only inside of a container");
	ok(!vt_eq(l, u), "a list is no tuple");
	ok(!vt_hashable(l) && vt_hashable(u), "a tuple can be hashed, a list cannot");
	vt_release(t);
	vt_tuple_of(rt, 1, &l, &t);
	outcome(rt, vt_unhashable(rt, t), NULL, "TypeError: unhashable type: 'list'",
		"the innermost culprit is named");
	ok(vt_truth(t) && !vt_truth(VT_NULL) && !vt_truth(vt_mkint(0)) && vt_truth(nan), "truth");
	vt_release(nan);
	vt_release(t);
	vt_release(l);
	vt_release(u);
}

/* ---- containers ------------------------------------------------------------------------- */

static void
test_shapes(vt_rt *rt)
{
	vt_value a = parse(rt, "{\"x\":1,\"y\":2}", 0), b = parse(rt, "{\"x\":3,\"y\":4}", 0),
		 k = vt_str_c(rt, "y"), c;
	vt_ic ic = {0};
	const void *shape;
	ok(vt_dict_get_ic(vt_as_dict(a), vt_as_str(k), &ic) == vt_mkint(2), "a cache miss");
	shape = ic.key;
	ok(vt_dict_get_ic(vt_as_dict(b), vt_as_str(k), &ic) == vt_mkint(4) && ic.key == shape &&
			shape,
		"dicts made alike share a shape");
	ok(vt_dict_get_c(vt_as_dict(a), "z") == VT_UNDEF &&
			vt_dict_get_c(vt_as_dict(a), "x") == vt_mkint(1),
		"by C string");
	c = vt_mkptr(vt_dict_copy(rt, vt_as_dict(a), true));
	vt_dict_set(rt, vt_as_dict(c), vt_mkint(5), VT_NULL);
	vt_dict_set(rt, vt_as_dict(c), k, VT_TRUE);
	is(rt, c, "{'x': 1, 'y': True, 5: None}",
		"a key that is no string ends the shape, order stays");
	is(rt, vt_copy(a), "{'x': 1, 'y': 2}", "the original of a copy is untouched");
	ok(vt_dict_del(rt, vt_as_dict(a), k) && !vt_dict_del(rt, vt_as_dict(a), k), "delete");
	vt_dict_set(rt, vt_as_dict(a), k, vt_mkint(9));
	is(rt, a, "{'x': 1, 'y': 9}", "deleted and set again");
	vt_release(b);
	vt_release(k);
}

static void
test_one_key(vt_rt *rt)
{
	vt_value one = vt_float_new(rt, 1.0),
		 pairs[] = {vt_mkint(1), VT_FALSE, VT_TRUE, vt_mkint(2), one, vt_mkint(3)},
		 d = VT_UNDEF;
	vt_value l = parse(rt, "[]", VT_JSON_MUTABLE), bad[] = {l, VT_NULL};
	vt_status st = vt_dict_of(rt, 3, pairs, &d);
	outcome(rt, st, &d, "{1: 3}", "1, True and 1.0 are one key, the first stays");
	d = VT_UNDEF;
	st = vt_dict_of(rt, 1, bad, &d);
	outcome(rt, st, &d, "TypeError: unhashable type: 'list'", "an unhashable key");
	vt_release(l);
	vt_release(one);
}

/* Many keys of both kinds, against what they were set to; half are deleted on the way. */
static void
test_many_keys(vt_rt *rt, bool strings, uint32_t n)
{
	vt_dict *d = vt_dict_new(rt, false);
	uint32_t pos = 0, seen = 0, wrong = 0;
	vt_value k, v;
	int64_t last = -1;
	for (uint32_t i = 0; i < n; i++) {
		k = strings ? vt_str_printf(rt, "key%u", i) : vt_mkint(i * 7919);
		vt_dict_set(rt, d, k, vt_mkint(i));
		vt_release(k);
		k = strings ? vt_str_printf(rt, "key%u", i / 2) : vt_mkint(i / 2 * 7919);
		if (i % 2 == 1 && !vt_dict_del(rt, d, k))
			wrong++;
		vt_release(k);
	}
	while (vt_dict_at(d, &pos, &k, &v)) {
		wrong += vt_toint(v) <= last || vt_dict_get(d, k) != v;
		last = vt_toint(v);
		seen++;
	}
	ok(wrong == 0 && seen == n / 2 && vt_dict_len(d) == n / 2,
		strings ? "many string keys" : "many integer keys");
	vt_release(vt_mkptr(d));
}

/*
 * Keys that somebody made so that their hashes meet.  Each pair leads the hash from the state that
 * the pairs before it end in to one state, so any choice of one of each is a text with the same 64
 * bits.  The second word of a pair takes back what the first one changed; texts have 256 bytes.
 */
static const char *const pairs[][2] = {
	{"BGSyLvVSNYKCoaDx", "skUVINx-eL2jyWnm"},
	{"azVLmZ_bmmnA45J5", "K4OPh1dRrsh-iSjw"},
	{"hHWnjpgez8dCmddF", "h4L_LZQ27wzEzrXF"},
	{"eY4OZIRc8Ry8pj9-", "GPKRi2HxiY5a7bW7"},
	{"V-OQd-yaD2yzib74", "u9oKK6HI2k9s3BZc"},
	{"v52DtNct-nSwvp46", "juPUTdreQUpVoYqZ"},
	{"bcBOw1gvh5m1qxU6", "OtqfsTh-4QAyH1hO"},
	{"rw1gUAxJdETTyD-s", "qIhgWoOW89v4C7dT"},
	{"YGegd3WyavGPAj2L", "Rx66Na8aryU5b8a3"},
	{"5MpaKDfmUyVg7juF", "VuVZWSEvW8f0htpI"},
	{"X6DXGkqj36i4Kxk-", "i5cPuZkbYN4Qv5Hx"},
	{"94-qZ8BYTC7lglET", "sE2q52hAnCpP0En6"},
	{"xKAMw9hXc7QRJTuH", "KIiIPH367G-RqUNg"},
	{"xqUu1G-v4aY0zJjV", "a1Yqtjs0pDwX6wU3"},
	{"aZboXF5SRqhDrY-c", "uJQJuf_dDatW6ZjG"},
	{"tLnvSSJYaAjitr-1", "73OJsSWJU-4U1mmf"},
};

enum made { MADE_TEXT, MADE_PLACE, MADE_BIG, MADE_TUPLE, MADE_FLOAT };

static vt_value
made_text(vt_rt *rt, uint32_t i)
{
	vt_buf b = {0};
	for (uint32_t k = 0; k < VT_LEN(pairs); k++)
		vt_buf_puts(&b, pairs[k][i >> k & 1]);
	return vt_str_take(rt, &b);
}

/* An integer whose place in a table comes to 0: times the constant of dict.c bits 32 to 51 are
 * 0. */
static vt_value
made_place(uint32_t i)
{
	const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	uint64_t h = ((uint64_t)(i % 4096) << 52 | i * UINT64_C(2654435761) % (UINT64_C(1) << 32)) *
		     inverse;
	return vt_mkint((int64_t)(h % (UINT64_C(1) << 61)));
}

static vt_value
made_key(vt_rt *rt, enum made kind, uint32_t i)
{
	vt_value v = VT_UNDEF, text;
	char digits[48];
	switch (kind) {
	case MADE_TEXT: return made_text(rt, i);
	case MADE_PLACE: return made_place(i);
	case MADE_BIG: /* 2^61 - 1 is what Python's hash of numbers is modulo */
		snprintf(digits, sizeof digits, "%u%018u", i + 10, 0);
		if (vt_int_parse(rt, digits, strlen(digits), 10, &v) != VT_OK)
			return VT_UNDEF;
		text = VT_UNDEF;
		(void)vt_num_binary(rt, VT_OP_MUL, v, vt_mkint((INT64_C(1) << 61) - 1), &text);
		vt_release(v);
		return text;
	case MADE_TUPLE:
		text = made_text(rt, i);
		(void)vt_tuple_of(rt, 1, &text, &v);
		vt_release(text);
		return v;
	case MADE_FLOAT: return vt_float_new(rt, (double)i / 1024);
	}
	return VT_UNDEF;
}

static uint64_t
probes(vt_rt *rt, const vt_dict *d, enum made kind, uint32_t n)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		vt_value k = made_key(rt, kind, i);
		sum += vt_dict_probes(d, k);
		vt_release(k);
	}
	return sum;
}

/* Texts of one hash in a table that is no keyed one yet: each is found by its bytes, also with
 * deleted ones between, and one that is not there is not found. */
static void
test_meeting_texts(vt_rt *rt)
{
	enum { MEET = 5, OTHERS = 30 };
	vt_dict *d = vt_dict_new(rt, false);
	vt_value k, found;
	uint32_t wrong = 0;
	k = made_text(rt, 0);
	found = made_text(rt, 12345);
	ok(vt_hash(k) == vt_hash(found) && !vt_eq(k, found), "the texts that are made meet");
	vt_release(k);
	vt_release(found);
	for (uint32_t i = 0; i < MEET + OTHERS; i++) {
		k = i < MEET ? made_text(rt, i) : vt_mkint(i);
		vt_dict_set(rt, d, k, vt_mkint(i));
		vt_release(k);
	}
	k = made_text(rt, 1);
	wrong += !vt_dict_del(rt, d, k);
	vt_release(k);
	for (uint32_t i = 0; i < 2 * MEET; i++) {
		vt_value want = i < MEET && i != 1 ? vt_mkint(i) : vt_mkint(-1);
		k = made_text(rt, i); /* its hash is not known yet */
		for (int twice = 0; twice < 2; twice++) {
			found = VT_UNDEF;
			wrong += !vt_get_in_place(vt_mkptr(d), k, vt_mkint(-1), &found) ||
				 found != want;
			found = vt_dict_get_str(d, vt_as_str(k));
			wrong += (found == VT_UNDEF ? vt_mkint(-1) : found) != want;
		}
		vt_release(k);
	}
	ok(wrong == 0, "texts of one hash are told apart by their bytes");
	vt_release(vt_mkptr(d));
}

/* Keys of all kinds, some of which equal each other: made texts too, which meet. */
static vt_value
some_key(vt_rt *rt, uint32_t r)
{
	int64_t i = (int64_t)(r / 8 % 60) - 4;
	switch (r % 8) {
	case 0: return vt_float_new(rt, (double)i);
	case 1: return vt_mkbool(i & 1);
	case 2: return made_text(rt, r / 8 % 12);
	case 3: return made_place((uint32_t)(i + 4));
	case 4:
	case 5: return vt_str_printf(rt, "%ld", (long)i);
	default: return vt_mkint(i);
	}
}

/* What is put and read in place is what the general functions put and read. */
static void
test_in_place(vt_rt *rt)
{
	uint32_t x = 1, wrong = 0;
	for (uint32_t round = 0; round < 40; round++) {
		vt_dict *a = vt_dict_new(rt, false), *b = vt_dict_new(rt, false);
		vt_value k, v, got;
		for (uint32_t i = 0; i < 400; i++) {
			x = x * 1664525 + 1013904223;
			k = some_key(rt, (x >> 9) % (round < 20 ? 480 : 96));
			if (x >> 28 == 0) {
				wrong += vt_dict_del(rt, a, k) != vt_dict_del(rt, b, k);
			} else if (x >> 28 < 10) {
				wrong += vt_dict_put(rt, a, k, vt_mkint(i)) != VT_OK;
				wrong += vt_dict_set(rt, b, k, vt_mkint(i)) != VT_OK;
			}
			v = vt_dict_get(b, k);
			got = VT_UNDEF;
			(void)vt_get_in_place(vt_mkptr(a), k, VT_UNDEF, &got);
			wrong += got != v || vt_dict_get(a, k) != v;
			wrong += !vt_get_in_place(vt_mkptr(a), k, VT_NULL, &got) ||
				 got != (v == VT_UNDEF ? VT_NULL : v);
			vt_release(k);
		}
		wrong += !vt_eq(vt_mkptr(a), vt_mkptr(b)) || vt_dict_len(a) != vt_dict_len(b);
		vt_release(vt_mkptr(a));
		vt_release(vt_mkptr(b));
	}
	ok(wrong == 0, "what is put and read in place is what the general functions put and read");
}

static void
test_made_keys(vt_rt *rt, enum made kind, const char *what)
{
	enum { N = 20000 };
	vt_dict *d = vt_dict_new(rt, false), *copy;
	vt_value k, v;
	uint32_t wrong = 0, pos = 0;
	int64_t last = -1;
	for (uint32_t i = 0; i < N; i++) {
		k = made_key(rt, kind, i);
		wrong += vt_dict_get(d, k) != VT_UNDEF;
		vt_dict_set(rt, d, k, vt_mkint(i));
		vt_release(k);
	}
	ok(wrong == 0 && vt_dict_len(d) == N, what);
	ok(probes(rt, d, kind, N) < 8 * N, "they are found by few probes");
	for (uint32_t i = 0; i < N; i += 2) {
		k = made_key(rt, kind, i);
		wrong += !vt_dict_del(rt, d, k);
		vt_release(k);
	}
	copy = vt_dict_copy(rt, d, false);
	ok(probes(rt, copy, kind, N) < 8 * N, "in a copy too");
	while (vt_dict_at(copy, &pos, &k, &v)) {
		wrong += vt_toint(v) != last + 2 || vt_dict_get(d, k) != v ||
			 vt_dict_get(copy, k) != v;
		last = vt_toint(v);
	}
	ok(wrong == 0 && vt_dict_len(d) == N / 2 && vt_eq(vt_mkptr(d), vt_mkptr(copy)),
		"they come in their order, without those that were deleted");
	vt_release(vt_mkptr(copy));
	vt_release(vt_mkptr(d));
}

/* Of a table under a secret too: 1, 1.0 and true are one key, and so is each large number of two
 * types. */
static void
test_made_numbers(vt_rt *rt)
{
	static const char *const same[][3] = {{"1", "1.0", "true"}, {"0", "-0.0", "false"},
		{"-3", "-3.0", "-3"},
		{"1180591620717411303424", "1.180591620717411303424e21", "1180591620717411303424"},
		{"-9223372036854775808", "-9.223372036854775808e18", "-9223372036854775808"},
		{"0.5", "0.5", "5e-1"}, {"100000000000000000000", "1e20", "1e20"},
		{"1152921504606846976", "1.152921504606846976e18", "1152921504606846976"}};
	vt_dict *d = vt_dict_new(rt, false);
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < 2000; i++) {
		vt_value k = made_text(rt, i);
		vt_dict_set(rt, d, k, VT_NULL);
		vt_release(k);
	}
	for (uint32_t i = 0; i < VT_LEN(same); i++)
		for (uint32_t j = 0; j < 3; j++) {
			vt_value k = parse(rt, same[i][j], 0), old = vt_dict_get(d, k);
			wrong += old != (j ? vt_mkint(i) : VT_UNDEF);
			vt_dict_set(rt, d, k, vt_mkint(i));
			vt_release(k);
		}
	ok(wrong == 0 && vt_dict_len(d) == 2000 + VT_LEN(same), "equal numbers are one key there");
	vt_release(vt_mkptr(d));
}

/* The reader of JSON has its own way into a table, and keys that lead from shape to shape. */
static void
test_made_json(vt_rt *rt)
{
	enum { N = 20000 };
	vt_buf one = {0}, many = {0};
	vt_value v;
	uint64_t sum;
	for (uint32_t i = 0; i < N; i++) {
		vt_value k = made_text(rt, i);
		vt_buf_printf(&one, "%c\"%s\":%u", i ? ',' : '{', vt_as_str(k)->s, i);
		vt_buf_printf(&many, "%c{\"%.64s\":%u}", i ? ',' : '[', vt_as_str(k)->s, i);
		vt_release(k);
	}
	vt_buf_puts(&one, ",\"x\":1}");
	vt_buf_puts(&many, "]");
	vt_buf_putc(&one, '\0');
	vt_buf_putc(&many, '\0');
	v = parse(rt, one.p, 0);
	sum = probes(rt, vt_as_dict(v), MADE_TEXT, N);
	ok(vt_dict_len(vt_as_dict(v)) == N + 1 && sum < 8 * N, "an object of JSON with such keys");
	vt_release(v);
	v = parse(rt, many.p, 0);
	ok(vt_as_list(v)->n == N, "objects of one such key each");
	vt_release(v);
	vt_buf_free(&one);
	vt_buf_free(&many);
}

static void
test_set(vt_rt *rt)
{
	vt_value s = parse(rt, "{\"$set\":[3,1,true,\"a\",[1,2]]}", 0), t = parse(rt, "[1,2]", 0),
		 l = parse(rt, "[1]", VT_JSON_MUTABLE);
	ok(vt_set_len(vt_as_set(s)) == 4 && vt_set_has(vt_as_set(s), t) &&
			!vt_set_has(vt_as_set(s), l),
		"members");
	ok(vt_set_del(vt_as_set(s), t) && !vt_set_has(vt_as_set(s), t), "removing one");
	outcome(rt, vt_set_add(rt, vt_as_set(s), l), NULL, "TypeError: unhashable type: 'list'",
		"an unhashable member");
	is(rt, s, "frozenset({3, 1, 'a'})", "insertion order");
	vt_release(t);
	vt_release(l);
}

static void
test_list(vt_rt *rt)
{
	vt_list *l = vt_list_grow(rt, VT_K_LIST, 0);
	int64_t n = 0, sum = 0;
	for (int i = 0; i < 1000; i++)
		vt_list_push(rt, l, vt_int_new(rt, i));
	for (uint32_t i = 0; i < l->n; i++)
		sum += vt_toint(l->v[i]);
	vt_len(rt, vt_mkptr(l), &n);
	ok(n == 1000 && sum == 499500, "a list grows");
	vt_release(vt_mkptr(l));
}

/* One value a million levels deep must not need a deep C stack to go away. */
static void
test_deep(vt_rt *rt)
{
	vt_value v = VT_NULL, out = VT_UNDEF;
	vt_buf b = {0};
	for (int i = 0; i < 1000000; i++) {
		vt_list *l = vt_list_grow(rt, i % 3 ? VT_K_TUPLE : VT_K_LIST, 1);
		vt_list_push(rt, l, v);
		v = vt_mkptr(l);
	}
	outcome(rt, vt_final(rt, NULL, v, &out), &out,
		"RecursionError: maximum recursion depth exceeded", "too deep to evaluate");
	vt_repr(rt, &b, v);
	vt_json_write(rt, &b, v, 0);
	ok(b.n < 20000 && vt_eq(v, v), "repr, JSON and equality of a deep value end");
	vt_buf_free(&b);
	vt_release(v);
	ok(true, "a value a million levels deep is freed");
	v = VT_NULL;
	for (int i = 0; i < 100000; i++) {
		vt_dict *d = vt_dict_new(rt, true);
		vt_dict_set(rt, d, vt_mkint(i % 2), v);
		vt_release(v);
		v = vt_mkptr(d);
	}
	vt_release(v);
	ok(true, "a deep dict is freed");
}

/* ---- iteration and conversion ----------------------------------------------------------- */

static const vt_unit limit2 = {
	.opt = {.limit_iterators = 2, .memory_quota = -1, .tuples_to_lists = 1}};
static const vt_unit free_unit = {.opt = {.limit_iterators = -1,
					  .memory_quota = -1,
					  .tuples_to_lists = 1,
					  .sets_to_lists = 1}};
static const vt_unit raw_unit = {.opt = {.limit_iterators = -1, .memory_quota = -1}};

static vt_value
view_of(vt_rt *rt, const char *json, enum vt_view which)
{
	vt_view_obj *v = vt_alloc(rt, sizeof *v, VT_K_VIEW);
	v->h.aux = which;
	v->dict = parse(rt, json, 0);
	return vt_mkptr(v);
}

/* Takes v. */
static void
converts(vt_rt *rt, vt_status (*convert)(vt_rt *, const vt_unit *, vt_value, vt_value *),
	const vt_unit *u, vt_value v, const char *want, const char *what)
{
	vt_value out = VT_UNDEF;
	vt_status st = convert(rt, u, v, &out);
	outcome(rt, st, &out, want, what);
	vt_release(v);
}

static void
test_iteration(vt_rt *rt)
{
	static const char too_large[] =
		"CollectionTooLargeException: Collection length exceeds 2 elements";
	converts(rt, vt_to_tuple, &free_unit, vt_str_c(rt, "a\xc3\xa9"), "('a', '\xc3\xa9')",
		"a string gives its characters");
	converts(rt, vt_to_tuple, &free_unit, parse(rt, "{\"a\":1,\"b\":2}", 0), "('a', 'b')",
		"a dict gives its keys");
	converts(rt, vt_to_tuple, &free_unit, view_of(rt, "{\"a\":1}", VT_VIEW_ITEMS),
		"(('a', 1),)", "an items view");
	converts(rt, vt_to_tuple, &limit2, parse(rt, "[1,2]", 0), "(1, 2)",
		"a tuple within the limit");
	converts(rt, vt_to_tuple, &limit2, parse(rt, "[1,2,3]", 0), too_large,
		"a tuple beyond the limit");
	converts(rt, vt_to_tuple, &limit2, parse(rt, "{\"$gen\":[1,2,3]}", 0), too_large,
		"an iterator beyond the limit");
	converts(rt, vt_to_tuple, &free_unit, VT_NULL,
		"TypeError: 'NoneType' object is not iterable", "null is not iterable");
	converts(rt, vt_iterate_limited, &free_unit, vt_mkint(1),
		"TypeError: 'int' object is not iterable", "nor is a number");
	ok(!vt_is_iterable(&free_unit, VT_NULL), "null is no Iterable");
}

static void
test_limited_values(vt_rt *rt)
{
	vt_value v = view_of(rt, "{\"a\":1,\"b\":2,\"c\":3}", VT_VIEW_VALUES), it = VT_UNDEF,
		 x = VT_UNDEF;
	int n = 0;
	ok(vt_iterate_limited(rt, &limit2, v, &it) == VT_OK,
		"a values view is counted as it is consumed");
	while (vt_next(rt, it, &x) == VT_OK && x != VT_UNDEF)
		n++;
	ok(n == 2 && vt_pending(rt) && vt_pending(rt)->type == VT_E_TOO_LARGE,
		"two values, then the limit");
	vt_exc_clear(rt);
	vt_release(it);
	vt_release(v);
}

static void
test_memo(vt_rt *rt)
{
	vt_memo *m = vt_alloc(rt, sizeof *m, VT_K_MEMO);
	vt_value src = parse(rt, "{\"$gen\":[1,2,3]}", 0), first = VT_UNDEF, x = VT_UNDEF,
		 out = VT_UNDEF;
	m->source = src;
	m->seen = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0));
	vt_iterate(rt, vt_mkptr(m), &first);
	vt_next(rt, first, &x);
	is(rt, x, "1", "a memorized iterable gives its first item");
	vt_to_tuple(rt, NULL, vt_mkptr(m), &out);
	is(rt, out, "(1, 2, 3)", "and again from the start");
	vt_next(rt, first, &x);
	is(rt, x, "2", "the first iterator goes on where it was");
	vt_release(first);
	vt_release(vt_mkptr(m));
}

static void
test_final(vt_rt *rt)
{
	vt_value v, w = VT_UNDEF;
	converts(rt, vt_final, &raw_unit,
		parse(rt, "[1,{\"a\":{\"$gen\":[1,[2]]}}]", VT_JSON_MUTABLE),
		"(1, {'a': (1, (2,))})", "lists and iterators become tuples, deeply");
	converts(rt, vt_final, &raw_unit, view_of(rt, "{\"a\":1}", VT_VIEW_KEYS),
		"frozenset({'a'})", "a keys view becomes a set");
	converts(rt, vt_final, &raw_unit, view_of(rt, "{\"a\":1}", VT_VIEW_VALUES), "(1,)",
		"a values view becomes a tuple");
	converts(rt, vt_final, &limit2, parse(rt, "[1,2,3]", VT_JSON_MUTABLE), "(1, 2, 3)",
		"what has a length is not limited");
	converts(rt, vt_final, &limit2, parse(rt, "{\"$gen\":[1,2,3]}", 0),
		"CollectionTooLargeException: Collection length exceeds 2 elements",
		"an iterator is");
	v = parse(rt, "[1,2,[]]", 0);
	ok(vt_final(rt, NULL, v, &w) == VT_OK, "evaluating a tuple");
	vt_release(w);
	ok(vt_final(rt, NULL, v, &w) == VT_OK && w == v && (vt_head_of(v)->flags & VT_F_FINAL),
		"a final tuple is taken as it is");
	vt_release(v);
	vt_release(w);
	vt_tuple_of(rt, 1, &VT_AS(vt_list, (v = parse(rt, "[1]", VT_JSON_MUTABLE)))->v[0], &w);
	ok(vt_head_of(w)->flags & VT_F_FINAL, "a literal of final items is final");
	vt_list_push(rt, vt_as_list(w), v);
	ok(!(vt_head_of(w)->flags & VT_F_FINAL), "until something else is put in");
	vt_release(w);
}

static void
test_convert(vt_rt *rt)
{
	vt_value out = VT_UNDEF, v;
	vt_buf b = {0};
	converts(rt, vt_convert_output, &free_unit, parse(rt, "[1,{\"$gen\":[[2]]},{\"a\":[]}]", 0),
		"[1, [[2]], {'a': []}]", "output: tuples to lists");
	converts(rt, vt_convert_output, &raw_unit, parse(rt, "[{\"$set\":[[1]]}]", 0),
		"(frozenset({(1,)}),)", "output: as they are");
	converts(rt, vt_convert_output, &limit2, parse(rt, "{\"$set\":[[1]]}", 0),
		"TypeError: unhashable type: 'list'", "output: a set of lists");
	converts(rt, vt_convert_output, &limit2, parse(rt, "{\"$dict\":[[[1],2]]}", 0),
		"TypeError: unhashable type: 'list'", "output: a list as key");
	converts(rt, vt_convert_output, &limit2, parse(rt, "{\"a\":1,\"b\":1,\"c\":1}", 0),
		"CollectionTooLargeException: Collection length exceeds 2 elements",
		"output: a dict beyond the limit");
	converts(rt, vt_convert_input, &raw_unit, parse(rt, "[{\"a\":[1]}]", VT_JSON_MUTABLE),
		"({'a': (1,)},)", "input: lists to tuples");
	v = parse(rt, "{\"$gen\":[[1]]}", VT_JSON_MUTABLE);
	vt_convert_input(rt, &raw_unit, v, &out);
	converts(rt, vt_to_tuple, NULL, out, "((1,),)",
		"input: what an iterator gives is converted");
	vt_release(v);
	v = parse(rt, "{\"$set\":[2,1]}", 0);
	vt_convert_output(rt, &free_unit, v, &out);
	vt_json_write(rt, &b, out, VT_JSON_TAGGED);
	vt_buf_putc(&b, '\0');
	same_text(b.p, "{\"$setlist\":[2,1]}", "output: a list that was a set");
	vt_buf_free(&b);
	vt_release(v);
	vt_release(out);
}

static void
test_loops(vt_rt *rt)
{
	converts(rt, vt_iter_begin, &raw_unit, VT_NULL,
		"TypeError: 'NoneType' object is not iterable", "For over null");
	vt_value n = VT_UNDEF, s = vt_str_c(rt, "3");
	outcome(rt, vt_repeat_count(rt, VT_TRUE, &n), &n, "1", "Repeat: true");
	outcome(rt, vt_repeat_count(rt, vt_mkint(-5), &n), &n, "0", "Repeat: -5");
	outcome(rt, vt_repeat_count(rt, s, &n), &n,
		"TypeError: 'str' object cannot be interpreted as an integer", "Repeat: a string");
	vt_release(s);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void
test_json_bad(vt_rt *rt)
{
	static const char *const rows[] = {"", " ", "[1,]", "[1", "{\"a\"}", "{\"a\":1,}", "{a:1}",
		"01", "-", "1.", ".5", "1e", "+1", "NaN", "Infinity", "nul", "\"\n\"", "\"\\x\"",
		"\"\\ud800\"", "\"\\udc00\"", "\"\\u12g4\"", "\"\xff\"", "\"abc", "1 2", "'a'",
		"[1 2]", "\"\\", "{\"$datetime\":\"2020-02-30T00:00:00.0\"}", "{\"$int\":\"x\"}",
		"{\"$set\":[[]],\"x\":{\"$dict\":[1]}}", "\"\xed\xa0\x80\""};
	for (size_t i = 0; i < VT_LEN(rows); i++) {
		vt_value v = VT_UNDEF;
		char *err = NULL;
		bool good = vt_json_read(rt, rows[i], strlen(rows[i]),
			VT_JSON_TAGGED | VT_JSON_MUTABLE, 0, &v, &err);
		ok(!good && err && strncmp(err, "line 1 column ", 14) == 0 && !vt_pending(rt),
			"refused");
		free(err);
	}
}

static void
test_json_depth(vt_rt *rt)
{
	vt_value v = VT_UNDEF;
	char *err = NULL, *text = vt_xmalloc(200001);
	memset(text, '[', 200000);
	text[200000] = '\0';
	ok(!vt_json_read(rt, text, 200000, 0, 0, &v, &err) && strstr(err, "nested too deeply"),
		"100,000 brackets");
	free(err);
	memset(text + 1000, ']', 1000);
	ok(vt_json_read(rt, text, 2000, 0, 0, &v, &err), "1,000 levels");
	vt_release(v);
	free(text);
}

static void
written(vt_rt *rt, const char *json, int read, int write, const char *want)
{
	vt_value v = parse(rt, json, read);
	vt_buf b = {0};
	vt_json_write(rt, &b, v, write);
	vt_buf_putc(&b, '\0');
	same_text(b.p, want, json);
	vt_buf_free(&b);
	vt_release(v);
}

static void
test_json_write(vt_rt *rt)
{
	static const char *const same[] = {"null", "[1,-2.5,\"a\\\"\\\\\\n\\u0001\xc3\xa9\"]",
		"{\"b\":{},\"a\":[]}", "9007199254740991", "{\"$int\":\"9007199254740992\"}",
		"{\"$int\":\"-123456789012345678901234567890\"}", "{\"$float\":\"nan\"}",
		"{\"$float\":\"-inf\"}", "{\"$set\":[1,2,[3]]}",
		"{\"$dict\":[[1,\"a\"],[null,true]]}", "{\"$timespan\":-5}", "{\"$novalue\":true}",
		"1e+20", "{\"$datetime\":\"2020-01-02T03:04:05.000006\",\"offset\":null}",
		"{\"$datetime\":\"0001-01-01T00:00:00.000000\",\"offset\":-3600.0}",
		"{\"$datetime\":\"9999-12-31T23:59:59.999999\",\"offset\":0.0}"};
	for (size_t i = 0; i < VT_LEN(same); i++)
		written(rt, same[i], 0, VT_JSON_TAGGED, same[i]);
	written(rt, "{\"$set\":[\"b\",\"a\"]}", 0, VT_JSON_TAGGED, "{\"$set\":[\"a\",\"b\"]}");
	written(rt, "{\"$tuple\":[1]}", VT_JSON_MUTABLE, VT_JSON_TAGGED | VT_JSON_TUPLES,
		"{\"$tuple\":[1]}");
	written(rt, "[1]", 0, VT_JSON_TAGGED, "[1]");
	written(rt, "{\"b\":1,\"a\":[1,{}]}", 0, VT_JSON_SORT | VT_JSON_PRETTY,
		"{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": 1\n}");
	written(rt, "\"\xc3\xa9\xf0\x9f\x98\x80\"", 0, VT_JSON_ASCII, "\"\\u00e9\\ud83d\\ude00\"");
	written(rt, "{\"$dict\":[[1,2],[null,3],[true,4]]}", 0, 0, "{\"1\":4,\"null\":3}");
	written(rt, "9007199254740993", 0, 0, "9007199254740993");
	written(rt, "{\"a\":1,\"a\":2}", 0, 0, "{\"a\":2}");
}

/* ---- exceptions ------------------------------------------------------------------------- */

static const VT_STR_CONST(6) method_name = {
	{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, 6, 6, 0, "deploy"};
static const VT_STR_CONST(3) class_name = {{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, 3, 3, 0, "App"};

static void
test_exceptions(vt_rt *rt)
{
	const vt_unit unit = {.file = "App.yaml"};
	const vt_class_decl cls = {.name = (const vt_str *)&class_name, .unit = &unit};
	const vt_method_decl method = {.name = (const vt_str *)&method_name, .cls = &cls};
	const vt_at at = {VT_POS(7, 5), "$.fail()"};
	vt_act act;
	vt_buf b = {0};
	vt_value inner, name = vt_str_c(rt, "x.Y");
	ok(vt_enter(rt, &act, &method, VT_NULL) == VT_OK && rt->act == &act, "entering a method");
	act.at = &at;
	ok(vt_raise(rt, VT_E_VALUE, "bad %s \xff", "thing") == VT_ERROR &&
			vt_pending(rt)->nframes == 1,
		"raising");
	inner = vt_exc_take(rt);
	vt_raise(rt, VT_E_MURANO_PL, "outer");
	vt_tuple_of(rt, 1, &name, &vt_pending(rt)->names);
	vt_pending(rt)->cause = inner;
	vt_exc_format(rt, &b, vt_pending(rt));
	vt_buf_putc(&b, '\0');
	same_text(b.p,
		"x.Y: outer\nTraceback (most recent call last):\n  File \"App.yaml\", line 7:5 in "
		"method deploy of type App\n      $.fail()"
		"\n\n Caused by ValueError: bad thing \n Traceback (most recent call last):\n   "
		"File \"App.yaml\", line 7:5 in method deploy "
		"of type App\n       $.fail()",
		"a traceback with its cause");
	b.n = 0;
	vt_exc_str(rt, &b, vt_pending(rt));
	vt_buf_putc(&b, '\0');
	same_text(b.p, "[x.Y]: outer", "str() of what was thrown");
	vt_buf_free(&b);
	is(rt, vt_exc_frames(rt, vt_pending(rt)),
		"({'file': 'App.yaml', 'line': 7, 'col': 5, 'method': 'deploy', 'type': 'App', "
		"'instruction': '$.fail()'},)",
		"frames as values");
	ok(strcmp(vt_exc_shown_type(vt_pending(rt)), "x.Y") == 0,
		"the shown type is the first name");
	vt_exc_clear(rt);
	vt_leave(rt, &act);
	rt->depth = rt->max_depth;
	outcome(rt, vt_enter(rt, &act, &method, VT_NULL), NULL,
		"RecursionError: maximum recursion depth exceeded", "too many calls");
	rt->depth = 0;
	vt_release(name);
}

/* ---- scopes ----------------------------------------------------------------------------- */

static vt_status
twice(vt_rt *rt, vt_scope *sc, vt_value *out)
{
	return vt_num_binary(rt, VT_OP_ADD, vt_scope_arg(sc, 1), vt_scope_arg(sc, 2), out);
}

static void
test_scopes(vt_rt *rt)
{
	static const vt_code code = {.fn = twice}, leaf = {.fn = twice, .flags = VT_CODE_LEAF};
	vt_value args[] = {vt_mkint(20), vt_mkint(1)}, name = vt_str_c(rt, "v"), f, out = VT_UNDEF;
	vt_scope *root = vt_scope_root(rt, &raw_unit, vt_mkint(7)),
		 *child = vt_scope_child(rt, root, 0, NULL);
	ok(vt_scope_arg(child, 1) == vt_mkint(7) && vt_scope_arg(child, 2) == VT_NULL,
		"arguments of the parent are seen");
	vt_scope_set(rt, root, vt_as_str(name), VT_TRUE);
	ok(vt_scope_get(rt, child, vt_as_str(name)) == VT_TRUE, "so are its variables");
	f = vt_lambda_new(rt, &code, child);
	outcome(rt, vt_apply(rt, f, 2, args, &out), &out, "21", "a lambda is applied");
	vt_scope_define(child, vt_as_str(name), f, false);
	ok(vt_scope_function(child, vt_as_str(name)) == f &&
			vt_scope_function(root, vt_as_str(name)) == VT_UNDEF,
		"a function is defined");
	vt_scope_drop(child);
	outcome(rt, vt_apply(rt, f, 2, args, &out), &out,
		"RuntimeError: the context of this function is gone",
		"a function beyond its context");
	vt_release(f);
	f = vt_lambda_new(rt, &leaf, root);
	outcome(rt, vt_apply(rt, f, 2, args, &out), &out, "21",
		"a leaf needs no scope on the heap");
	vt_release(f);
	vt_scope_drop(root);
	vt_release(name);
}

int
main(void)
{
	vt_session s = {.exc = VT_UNDEF};
	vt_rt rt = {.s = &s, .max_depth = 100};
	s.heap = vt_heap_new();
	s.shapes = vt_shapes_new();
	test_arithmetic(&rt);
	test_pow_mod(&rt);
	test_float_text(&rt);
	test_float_words(&rt);
	test_reading_numbers(&rt);
	test_conversions(&rt);
	test_strings(&rt);
	test_case(&rt);
	test_repr(&rt);
	test_str(&rt);
	test_equality(&rt);
	test_identity(&rt);
	test_shapes(&rt);
	test_one_key(&rt);
	test_many_keys(&rt, true, 40);
	test_many_keys(&rt, true, 5000);
	test_many_keys(&rt, false, 5000);
	test_meeting_texts(&rt);
	test_in_place(&rt);
	test_made_keys(&rt, MADE_TEXT, "texts with one hash");
	test_made_keys(&rt, MADE_PLACE, "integers with one place");
	test_made_keys(&rt, MADE_BIG, "large integers with one hash");
	test_made_keys(&rt, MADE_TUPLE, "tuples with one hash");
	test_made_keys(&rt, MADE_FLOAT, "fractions whose hashes differ in high bits only");
	test_made_numbers(&rt);
	test_made_json(&rt);
	test_set(&rt);
	test_list(&rt);
	test_deep(&rt);
	test_iteration(&rt);
	test_limited_values(&rt);
	test_memo(&rt);
	test_final(&rt);
	test_convert(&rt);
	test_loops(&rt);
	test_json_bad(&rt);
	test_json_depth(&rt);
	test_json_write(&rt);
	test_exceptions(&rt);
	test_scopes(&rt);
	ok(!vt_pending(&rt), "no exception is left");
	vt_pulls_drop(&rt); /* as the end of a session does */
	vt_shapes_destroy(s.shapes);
	ok(vt_heap_live(s.heap) == 0, "nothing is left alive");
	vt_heap_destroy(s.heap);
	printf("1..%d\n", tests);
	return failures != 0;
}

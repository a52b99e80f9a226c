/*
 * unit_tosca.c - values of the TOSCA engine without a template: TAP.
 *
 * A model of one service with a few data types is made by hand; values are written as JSON and
 * results compared as JSON.  "!TEXT" as a result means: a problem whose message holds TEXT.
 */
#include "runtime/tosca/int.h"
#include "runtime/text/outfile.h"
#include "runtime/deploy/deploy.h"
#include "runtime/text/digest.h"
#include "unit.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdio.h>

static vt_value
parse(vt_rt *rt, const char *json)
{
	vt_value v = VT_UNDEF;
	char *err = NULL;
	if (!vt_json_read(rt, json, strlen(json), 0, 0, &v, &err)) {
		printf("Bail out! bad JSON in the test: %s: %s\n", json, err);
		exit(1);
	}
	return v;
}

/* ---- the model ---- */

enum {
	S_NONE,
	S_B,
	S_KB,
	S_GB,
	S_GIB,
	S_SECOND,
	S_MS,
	S_MINUTE,
	S_SIZE,
	S_TIME,
	S_BITS,
	S_A,
	S_C,
	S_BIT,
	S_MBIT,
	STRS
};
static const char *const texts[STRS] = {"", "B", "kB", "GB", "GiB", "s", "ms", "m", "Size", "Time",
	"Complex", "a", "c", "bit", "Mbit"};
static vt_value strs[STRS];
static const vt_str *str[STRS];

static const vt_tunit units[] = {{0, 0}, {S_B, 1}, {S_KB, 1e3}, {S_GB, 1e9}, {S_GIB, 1073741824},
	{S_SECOND, 1}, {S_MS, 1e-3}, {S_MINUTE, 60}, {S_BIT, 1}, {S_MBIT, 1e6}};
/* Schema number i is of data type number i; those of lists and maps follow. */
enum {
	D_NONE,
	D_ANY,
	D_STRING,
	D_INTEGER,
	D_FLOAT,
	D_BOOLEAN,
	D_NULL,
	D_BYTES,
	D_STAMP,
	D_VERSION,
	D_RANGE,
	D_LIST,
	D_MAP,
	D_SIZE,
	D_TIME,
	D_JSON,
	D_XML,
	D_COMPLEX,
	D_STRICT,
	D_COUNT,
	C_INTS = D_COUNT,
	C_SIZES,
	SCHEMAS
};
static const vt_tdata data[D_COUNT] = {
	[D_STRING] = {.base = VT_TB_STRING},
	[D_INTEGER] = {.base = VT_TB_INTEGER},
	[D_FLOAT] = {.base = VT_TB_FLOAT},
	[D_BOOLEAN] = {.base = VT_TB_BOOLEAN},
	[D_NULL] = {.base = VT_TB_NULL},
	[D_BYTES] = {.base = VT_TB_BYTES},
	[D_STAMP] = {.base = VT_TB_TIMESTAMP},
	[D_VERSION] = {.base = VT_TB_VERSION},
	[D_RANGE] = {.base = VT_TB_RANGE},
	[D_LIST] = {.base = VT_TB_LIST},
	[D_MAP] = {.base = VT_TB_MAP},
	[D_SIZE] = {.base = VT_TB_SCALAR,
		.integral = 2,
		.fold = 1,
		.units = {1, 4},
		.unit = S_B,
		.canon = S_SIZE},
	[D_TIME] = {.base = VT_TB_SCALAR,
		.spaced = 1,
		.units = {5, 3},
		.unit = S_SECOND,
		.canon = S_TIME},
	[D_JSON] = {.base = VT_TB_JSON},
	[D_XML] = {.base = VT_TB_XML},
	[D_COMPLEX] = {.base = VT_TB_COMPLEX, .props = {1, 3}, .canon = S_BITS},
	[D_STRICT] =
		{.base = VT_TB_SCALAR, .spaced = 1, .integral = 1, .units = {8, 2}, .unit = S_BIT},
};
static const vt_tslot slots[] = {{0}, {.name = S_A, .schema = D_STRING, .dflt = 1},
	{.name = S_C, .schema = D_FLOAT, .flags = VT_TS_REQUIRED},
	{.name = S_SIZE, .schema = D_COMPLEX}};
static const vt_texpr exprs[] = {{0}, {.kind = VT_TX_STR, .constant = 1, .u.str = S_MINUTE}};
static vt_tschema schemas[SCHEMAS] = {[C_INTS] = {.type = D_LIST, .entry = D_INTEGER},
	[C_SIZES] = {.type = D_MAP, .entry = D_SIZE}};
static vt_tmodel model;

static void
make_model(vt_rt *rt, uint32_t version)
{
	for (int i = 0; i < STRS; i++) {
		strs[i] = vt_str_c(rt, texts[i]);
		str[i] = vt_as_str(strs[i]);
	}
	for (uint32_t i = 0; i < D_COUNT; i++)
		schemas[i].type = i;
	model = (vt_tmodel){.version = version,
		.str = str,
		.n_str = STRS,
		.unit = units,
		.n_unit = VT_LEN(units),
		.data = data,
		.n_data = D_COUNT,
		.schema = schemas,
		.n_schema = SCHEMAS,
		.slot = slots,
		.n_slot = VT_LEN(slots),
		.expr = exprs,
		.n_expr = VT_LEN(exprs)};
}

static void
end_model(void)
{
	for (int i = 0; i < STRS; i++)
		vt_release(strs[i]);
}

/* ---- one case ---- */

static void
judge(vt_tosca *t, uint32_t before, bool good, vt_value owned, const char *want, const char *what)
{
	vt_value shown = good ? vt_tosca_shown(t, owned) : VT_UNDEF;
	vt_buf b = {0};
	if (good)
		vt_json_write(t->rt, &b, shown, 0);
	else if (t->nproblems > before)
		vt_buf_printf(&b, "!%s", t->problems[t->nproblems - 1].message);
	vt_buf_putc(&b, '\0');
	if (*want == '!' ? good || strstr(b.p, want + 1) == NULL : strcmp(b.p, want) != 0) {
		ok(false, what);
		printf("#  got: %s\n# want: %s\n", b.p, want);
	} else {
		ok(true, what);
	}
	vt_buf_free(&b);
	vt_release(shown);
	vt_release(owned);
}

typedef struct typing {
	uint32_t schema;
	const char *value, *want;
} typing;

static void
test_types(vt_tosca *t, const typing *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		vt_tctx ctx = {.value = VT_UNDEF, .place = {0, (uint32_t)i}};
		vt_value v = parse(t->rt, c[i].value), out = VT_UNDEF;
		uint32_t before = t->nproblems;
		bool good = vt_tosca_type(t, &ctx, c[i].schema, 0, v, NULL, &out);
		char what[300];
		snprintf(what, sizeof what, "type %u: %.200s", c[i].schema, c[i].value);
		judge(t, before, good, out, c[i].want, what);
		vt_release(v);
	}
}

#define KB "{\"scalar\": 5, \"unit\": \"kB\", \"$number\": 5000, \"$string\": \"5000 B\"}"
static const typing types[] = {
	{D_STRING, "\"x\"", "\"x\""},
	{D_STRING, "1", "!must be a string, not an integer: 1"},
	{D_STRING, "null", "!not null"},
	{D_INTEGER, "12345678901234567890123", "12345678901234567890123"},
	{D_INTEGER, "1.0", "!not a float"},
	{D_FLOAT, "10", "10"},
	{D_FLOAT, "-0.999", "-0.999"},
	{D_FLOAT, "1.0", "1"},
	{D_FLOAT, "\"1\"", "!must be a float"},
	{D_BOOLEAN, "true", "true"},
	{D_BOOLEAN, "0", "!must be a boolean"},
	{D_NULL, "null", "null"},
	{D_NULL, "0", "!must be null"},
	{D_NONE, "{\"x\": [1, null]}", "{\"x\":[1,null]}"},
	{D_BYTES, "\"\"", "{\"$originalString\":\"\",\"bytes\":\"\"}"},
	{D_BYTES, "\"SGVs\\nbG8=\"",
		"{\"$originalString\":\"SGVs\\nbG8=\",\"bytes\":\"SGVsbG8=\"}"},
	{D_BYTES, "\"SGVsbG8\"", "!base64"},
	{D_BYTES, "\"=AAA\"", "!base64"},
	{D_BYTES, "null", "!must be bytes"},
	{D_VERSION, "\"1.2.3.beta-4\"", "{\"$string\":\"1.2.3.beta-4\"}"},
	{D_VERSION, "\"0.0\"", "{\"$string\":\"0.0\"}"},
	{D_VERSION, "\"1\"", "!MAJOR"},
	{D_VERSION, "1.0", "!must be a version"},
	{D_VERSION, "\"1.2.3.\"", "!MAJOR"},
	{D_VERSION, "\"1.2.3.4-\"", "!MAJOR"},
	{D_VERSION, "\"1.2.3-4\"", "!MAJOR"},
	{D_VERSION, "\"1.9999999999999999999\"", "!MAJOR"},
	{D_RANGE, "[1, \"UNBOUNDED\"]", "{\"lower\":1,\"upper\":18446744073709551615}"},
	{D_RANGE, "[2, 1]", "!range"},
	{D_RANGE, "[-1, 1]", "!range"},
	{D_RANGE, "[1]", "!range"},
	{D_RANGE, "1", "!must be a range"},
	{D_RANGE, "{\"lower\": 1, \"upper\": 2}", "{\"lower\":1,\"upper\":2}"},
	{D_SIZE, "\"1.23 gb\"",
		"{\"scalar\":1.23,\"unit\":\"GB\",\"$number\":1230000000,\"$string\":\"1230000000 "
		"B\"}"},
	{D_SIZE, "\"1.23 GiB\"",
		"{\"scalar\":1.23,\"unit\":\"GiB\",\"$number\":1320702444,\"$string\":\"1320702444 "
		"B\"}"},
	{D_SIZE, "\"10GiB\"",
		"{\"scalar\":10,\"unit\":\"GiB\",\"$number\":10737418240,\"$string\":\"10737418240 "
		"B\"}"},
	{D_SIZE, "\"99999999999999999999 kB\"",
		"{\"scalar\":99999999999999999999,\"unit\":\"kB\",\"$number\":"
		"99999999999999999999000,\"$string\":\"99999999999999999999000 B\"}"},
	{D_SIZE, "\"-1 B\"", "!begin with a number"},
	{D_SIZE, "\"1 parsec\"", "!unknown unit 'parsec'; known are B, kB, GB, GiB"},
	{D_SIZE, "\"1\"", "!the unit is missing"},
	{D_SIZE, "1", "!must be a scalar"},
	{D_SIZE, "\"1e999 B\"", "!too large"},
	{D_SIZE, KB, "{\"scalar\":5,\"unit\":\"kB\",\"$number\":5000,\"$string\":\"5000 B\"}"},
	{D_TIME, KB, "!dimension"},
	{D_SIZE, "{\"scalar\": 5, \"unit\": \"kB\", \"$number\": 7, \"$string\": \"lies\"}",
		"{\"scalar\":5,\"unit\":\"kB\",\"$number\":5000,\"$string\":\"5000 B\"}"},
	{D_TIME, "\"10.5 m\"",
		"{\"scalar\":10.5,\"unit\":\"m\",\"$number\":630,\"$string\":\"630 s\"}"},
	{D_TIME, "\"-1.23 ms\"",
		"{\"scalar\":-1.23,\"unit\":\"ms\",\"$number\":-0.00123,\"$string\":\"-0.00123 "
		"s\"}"},
	{D_TIME, "\"123e6 s\"",
		"{\"scalar\":123000000,\"unit\":\"s\",\"$number\":123000000,\"$string\":\"1.23e+08 "
		"s\"}"},
	{D_TIME, "\"1e6 s\"",
		"{\"scalar\":1000000,\"unit\":\"s\",\"$number\":1000000,\"$string\":\"1e+06 s\"}"},
	{D_TIME, "\"999999 s\"",
		"{\"scalar\":999999,\"unit\":\"s\",\"$number\":999999,\"$string\":\"999999 s\"}"},
	{D_TIME, "\"1 M\"", "!unknown unit"},
	{D_TIME, "\"10m\"", "!a blank is needed"},
	{D_TIME, "\"m\"", "!begin with a number"},
	{D_STRICT, "\"1.5 Mbit\"", "!must be an integer"},
	{D_STRICT, "\"-2 Mbit\"",
		"{\"scalar\":-2,\"unit\":\"Mbit\",\"$number\":-2000000,\"$string\":\"-2000000 "
		"bit\"}"},
	{D_LIST, "[1, \"a\"]", "[1,\"a\"]"},
	{C_INTS, "[1, 2]", "[1,2]"},
	{C_INTS, "[1, \"two\", 3]", "!the value, [1] must be an integer"},
	{C_INTS, "{}", "!must be a list"},
	{C_SIZES, "{\"x\": \"1 kB\"}",
		"{\"x\":{\"scalar\":1,\"unit\":\"kB\",\"$number\":1000,\"$string\":\"1000 B\"}}"},
	{C_SIZES, "{\"x\": \"1\"}", "!the value, x is"},
	{D_JSON, "\"{\\\"a\\\": [1]}\"", "\"{\\\"a\\\": [1]}\""},
	{D_JSON, "\"{a: 1}\"", "!JSON"},
	{D_JSON, "\"{\"", "!line 1"},
	{D_COMPLEX, "{\"c\": 1}", "{\"c\":1,\"a\":\"m\"}"},
	{D_COMPLEX, "{}", "!lacks 'c', which data type 'Complex' requires"},
	{D_COMPLEX, "{\"c\": 1, \"a\": \"x\", \"z\": 1}", "!key z is not declared"},
	{D_COMPLEX, "[]", "!must be a map"},
	{D_COMPLEX, "{\"c\": 1, \"Size\": {\"c\": \"x\"}}", "!the value, Size.c must be a float"},
};

#define STAMP(number, text) "{\"$number\":" number ",\"$string\":\"" text "\"}"
static const typing old_stamps[] = {
	{D_STAMP, "\"1975-09-15 12:34:56.7 +2\"",
		STAMP("180009296700000000", "1975-09-15T12:34:56.7+02:00")},
	{D_STAMP, "\"2001-12-14 21:59:43.10\"",
		STAMP("1008367183100000000", "2001-12-14T21:59:43.1Z")},
	{D_STAMP, "\"2001-12-15 2:59:43.10\"",
		STAMP("1008385183100000000", "2001-12-15T02:59:43.1Z")},
	{D_STAMP, "\"1969-12-31T23:59:59.5Z\"", STAMP("-500000000", "1969-12-31T23:59:59.5Z")},
	{D_STAMP, "\"0001-01-01\"", STAMP("-62135596800000000000", "0001-01-01T00:00:00Z")},
};
static const typing new_stamps[] = {
	{D_STAMP, "\"2000-02-29\"", STAMP("951782400000000000", "2000-02-29T00:00:00Z")},
	{D_STAMP, "\"1990-12-31T15:59:60-08:00\"",
		STAMP("662688000000000000", "1990-12-31T15:59:60-08:00")},
	{D_STAMP, "\"1975-09-15 12:34:56.7 +2\"",
		STAMP("180009296700000000", "1975-09-15T12:34:56.7+02:00")},
	{D_STAMP, "\"2001-12-14 21:59:43.10\"", "!time zone"},
	{D_STAMP, "\"2001-02-29\"", "!a timestamp is"},
	{D_STAMP, "\"2001-1-1\"", "!a timestamp is"},
	{D_STAMP, "\"2001-12-14T24:00:00Z\"", "!a timestamp is"},
	{D_STAMP, "\"2001-12-14T21:59:43Zx\"", "!a timestamp is"},
	{D_STAMP, "\"\"", "!a timestamp is"},
	{D_STAMP, "20011214", "!must be a timestamp"},
};

/* ---- functions ---- */

typedef struct calling {
	const char *name;
	uint32_t version;
	bool clause;
	const char *args, *want;
} calling;

static void
test_calls(vt_tosca *t, const calling *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t row = vt_tfunc_find(c[i].name, c[i].version, c[i].clause),
			 before = t->nproblems;
		vt_tctx ctx = {.value = VT_UNDEF, .place = {1, (uint32_t)i}, .fn = c[i].name};
		vt_value args = parse(t->rt, c[i].args), out = VT_UNDEF;
		const vt_list *l = vt_as_list(args);
		const vt_tfunc_row *f = &vt_tfuncs[row];
		bool good;
		char what[300];
		snprintf(what, sizeof what, "%s %.200s", c[i].name, c[i].args);
		if (!ok(row != 0 && (int)l->n >= f->min && (f->max < 0 || (int)l->n <= f->max),
			    what))
			continue;
		good = f->fn(t, &ctx, l->v, l->n, &out);
		judge(t, before, good, out, c[i].want, what);
		vt_release(args);
	}
}

#define V2 VT_TV_2_0, false
#define V1 VT_TV_1_3, false
#define CLAUSE VT_TV_1_3, true
#define HOT VT_TV_HOT, false
#define T(n, u, x, s) \
	"{\"scalar\":" n ",\"unit\":\"" u "\",\"$number\":" x ",\"$string\":\"" s "\"}"
#define SEC T("90", "s", "90", "90 s")
#define MIN T("1.5", "m", "90", "90 s")
#define BYTE T("90", "B", "90", "90 B")
static const calling calls[] = {
	{"equal", V2, "[1, true]", "!of one type"},
	{"equal", V2, "[1, 1.0]", "true"},
	{"equal", V2, "[[1, {\"a\": 2}], [1.0, {\"a\": 2}]]", "true"},
	{"equal", V2, "[" SEC ", " MIN "]", "true"},
	{"equal", V2, "[" SEC ", " BYTE "]", "false"},
	{"equal", V2, "[" SEC ", \"1.5 m\"]", "true"},
	{"equal", V2, "[{\"$string\": \"1.2\"}, \"1.2.0\"]", "true"},
	{"equal", V2, "[null, null]", "true"},
	{"equal", V2, "[null, 0]", "false"},
	{"greater_than", V2, "[" SEC ", \"1 m\"]", "true"},
	{"greater_than", V2, "[" SEC ", 80]", "true"},
	{"greater_than", V2, "[" SEC ", " BYTE "]", "!cannot compare a scalar with a scalar"},
	{"greater_than", V2, "[1, \"x\"]", "!cannot compare an integer with a string"},
	{"less_than", V2, "[{\"$string\": \"1.0.0.beta\"}, \"1.0\"]", "true"},
	{"less_than", V2, "[{\"$string\": \"1.0.0.BETA-2\"}, \"1.0.0.beta-10\"]", "true"},
	{"greater_than", V2, "[{\"$string\": \"1.10\"}, \"1.9\"]", "true"},
	{"less_than", V2,
		"[{\"$number\": 0, \"$string\": \"1970-01-01T00:00:00Z\"}, \"1970-01-02\"]",
		"true"},
	{"in_range", CLAUSE, "[5, [1, 5]]", "true"},
	{"in_range", CLAUSE, "[5, [6, \"UNBOUNDED\"]]", "false"},
	{"in_range", CLAUSE, "[{\"lower\": 2, \"upper\": 9}, [1, 5]]", "false"},
	{"in_range", CLAUSE, "[5, 5]", "!list of two"},
	{"valid_values", CLAUSE, "[" MIN ", [\"1 s\", \"90 s\"]]", "true"},
	{"valid_values", CLAUSE, "[1, 1]", "!takes a list"},
	{"length", CLAUSE, "[\"äöü\", 3]", "true"},
	{"min_length", CLAUSE, "[[1], 2]", "false"},
	{"max_length", CLAUSE, "[{\"a\": 1}, 1]", "true"},
	{"min_length", CLAUSE, "[1, 2]", "!takes a string, a list or a map"},
	{"pattern", CLAUSE, "[\"ab\", \"a|ab\"]", "true"},
	{"pattern", CLAUSE, "[\"abc\", \"b\"]", "false"},
	{"pattern", CLAUSE, "[\"a\\n\", \"a\"]", "false"},
	{"pattern", CLAUSE, "[\"a\", \"(\"]", "!no regular expression"},
	{"matches", V2, "[\"abc\", \"b\"]", "true"},
	{"matches", V2, "[1, \"b\"]", "!takes a string"},
	{"matches", V2,
		"[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\", "
		"\"^(?:a|a|b)*[cd]$\"]",
		"!too many steps"},
	{"schema", CLAUSE, "[\"[1]\", \"{}\"]", "true"},
	{"schema", CLAUSE, "[\"[\", \"{}\"]", "false"},
	{"schema", CLAUSE, "[\"<a/>\", \"<x/>\"]", "true"},
	{"and", V2, "[true, 1]", "!takes booleans"},
	{"xor", V2, "[true, true]", "false"},
	{"concat", V2, "[\"a\", {\"x\": 1}]", "!takes strings, not a map"},
	{"concat", V1, "[\"a\", 1, true, 2.0]", "\"a1true2\""},
	{"concat", V2, "[[1], [2, 1]]", "[1,2,1]"},
	{"concat", V1, "[" MIN "]", "\"90 s\""},
	{"concat", V1, "[{\"x\": 1}]", "!not a map"},
	{"join", V2, "[[\"a\", \"b\"]]", "\"ab\""},
	{"join", V2, "[[[1]], \",\"]", "!takes strings"},
	{"join", V1, "[[1, 2], \",\"]", "\"1,2\""},
	{"token", V2, "[\"a:b;c\", \";:\", 2]", "\"c\""},
	{"token", V2, "[\"a:b\", \":\", 2]", "!no piece number 2"},
	{"token", V2, "[\"a:b\", \":\", -1]", "!from 0"},
	{"token", V2, "[\"äöü\", \"ö\", 1]", "\"ü\""},
	{"token", V2, "[\"::\", \":\", 2]", "\"\""},
	{"length", V2, "[\"äöü\"]", "3"},
	{"length", V2, "[{\"$originalString\": \"SGVsbG8=\", \"bytes\": \"SGVsbG8=\"}]", "5"},
	{"contains", V2, "[[1, 2, 3], [2, 3]]", "true"},
	{"contains", V2, "[[1, 2, 3], [1, 3]]", "false"},
	{"contains", V2, "[[1], 1]", "!two strings or two lists"},
	{"has_suffix", V2, "[[1, 2], [2]]", "true"},
	{"has_prefix", V2, "[\"ab\", \"abc\"]", "false"},
	{"has_suffix", V2, "[\"ab\", \"\"]", "true"},
	{"has_key", V2, "[[1], 1]", "!takes a map"},
	{"has_all_entries", V2, "[{\"a\": 1, \"b\": 2}, [2, 1]]", "true"},
	{"union", V2, "[[1, \"1\", 1.0, true], [1]]", "[1,\"1\",true]"},
	{"intersection", V2, "[[3, 1, 2, 1], [1, 3], [1, 1, 3]]", "[3,1]"},
	{"intersection", V2, "[[1, 1]]", "[1]"},
	{"union", V2, "[[" SEC "], [" MIN "]]", "[" SEC "]"},
	{"sum", V2, "[" SEC ", " MIN "]", T("180", "s", "180", "180 s")},
	{"sum", V2, "[1, " MIN "]", "!not both"},
	{"sum", V2, "[" SEC ", " BYTE "]", "!one dimension"},
	{"sum", V2, "[9223372036854775807, 1]", "9223372036854775808"},
	{"product", V2, "[2, " SEC "]", T("180", "s", "180", "180 s")},
	{"product", V2, "[" SEC ", " SEC "]", "!one scalar"},
	{"quotient", V2, "[6, 2]", "3"},
	{"quotient", V2, "[1, 0]", "!division by zero"},
	{"quotient", V2, "[" SEC ", 60]", T("1.5", "s", "1.5", "1.5 s")},
	{"quotient", V2, "[" SEC ", " MIN "]", "1"},
	{"quotient", V2, "[1, " SEC "]", "!divisor"},
	{"remainder", V2, "[7, -2]", "1"},
	{"remainder", V2, "[-7, -2]", "-1"},
	{"remainder", V2, "[7.5, 2]",
		"!$remainder: takes an integer or a number with a unit, and an integer"},
	{"round", V2, "[3.6]", "4"},
	{"round", V2, "[-3.5]", "-4"},
	{"round", V2, "[1e22]", "10000000000000000000000"},
	{"floor", V2, "[\"x\"]", "!takes a number"},
	{"list_join", HOT, "[\"-\", [\"a\", null], [{\"x\": 1}]]", "\"a--{\\\"x\\\": 1}\""},
	{"list_join", HOT, "[\"-\", [\"a\", 1]]", "!strings, maps and lists, not an integer"},
	{"list_concat", HOT, "[[1], null, [2]]", "[1,2]"},
	{"list_concat_unique", HOT, "[[1], null, [1, 2]]", "[1,2]"},
	{"list_concat_unique", HOT, "[null]", "[]"},
	{"map_merge", HOT, "[{\"a\": 1}, {\"a\": 2, \"b\": 3}]", "{\"a\":2,\"b\":3}"},
	{"map_replace", HOT,
		"[{\"a\": 1, \"b\": 2}, {\"keys\": {\"a\": \"c\"}, \"values\": {\"2\": 3}}]",
		"{\"c\":1,\"b\":2}"},
	{"str_replace", HOT,
		"[{\"template\": \"$ab $a\", \"params\": {\"$a\": \"$ab\", \"$ab\": 2}}]",
		"\"2 $ab\""},
	{"str_replace_strict", HOT, "[{\"template\": \"x\", \"params\": {\"y\": 2}}]",
		"!does not use 'y'"},
	{"str_replace_vstrict", HOT, "[{\"template\": \"y\", \"params\": {\"y\": \"\"}}]",
		"!'y' is empty"},
	{"str_split", HOT, "[\",\", \"a,,b\"]", "[\"a\",\"\",\"b\"]"},
	{"str_split", HOT, "[\",\", \"a,b\", 1]", "\"b\""},
	{"str_split", HOT, "[\",\", \"a\", 1]", "!no piece"},
	{"repeat", HOT,
		"[{\"template\": {\"k%a%\": \"%b%\"}, \"for_each\": {\"%a%\": [\"1\", \"2\"], "
		"\"%b%\": {\"x\": 0, \"y\": 0}}}]",
		"[{\"k1\":\"x\"},{\"k1\":\"y\"},{\"k2\":\"x\"},{\"k2\":\"y\"}]"},
	{"repeat", HOT, "[{\"template\": \"%a%\", \"for_each\": {\"%a%\": [[3]]}}]",
		"!puts strings in"},
	{"repeat", HOT, "[{\"template\": \"%a%\", \"for_each\": {\"%a%\": null}}]", "[]"},
	{"repeat", HOT,
		"[{\"template\": \"%a%\", \"for_each\": {\"%a%\": [\"1\", \"2\"], \"%b%\": "
		"[\"1\"]}, "
		"\"permutations\": false}]",
		"!same length"},
	{"if", HOT, "[true, 1, 2]", "1"},
	{"if", HOT, "[\"x\", 1, 2]", "!condition"},
	{"equals", HOT, "[1, 1]", "true"},
	{"contains", HOT, "[1, [2, 1]]", "true"},
	{"filter", HOT, "[[1], [1, 2, 1]]", "[2]"},
	{"make_url", HOT,
		"[{\"scheme\": \"http\", \"host\": \"::1\", \"port\": 80, \"path\": \"a b\", "
		"\"query\": {\"q\": \"ä&\"}, \"username\": \"u:\"}]",
		"\"http://u%3A@[::1]:80/a%20b?q=%C3%A4%26\""},
	{"modulo", VT_TV_HOT, true, "[7, {\"step\": 5, \"offset\": 2}]", "true"},
	{"range", VT_TV_HOT, true, "[7, {\"min\": 8}]", "false"},
	{"length", VT_TV_HOT, true, "[\"abc\", {\"min\": 1, \"max\": 3}]", "true"},
	{"yaql", HOT, "[{\"expression\": \"$\"}]", "!no compiler of YAQL"},
	{"digest", HOT, "[\"md5\", \"abc\"]", "\"900150983cd24fb0d6963f7d28e17f72\""},
	{"digest", HOT, "[\"crc\", \"abc\"]", "!unknown algorithm"},
	{"digest", HOT, "[\"sha1\", \"abc\"]", "\"a9993e364706816aba3e25717850c26c9cd0d89d\""},
	{"digest", HOT, "[\"sha224\", \"abc\"]",
		"\"23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7\""},
	{"digest", HOT, "[\"sha256\", \"abc\"]",
		"\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""},
	{"digest", HOT, "[\"sha384\", \"abc\"]",
		"\"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc23"
		"58baeca134c825a7\""},
	{"digest", HOT, "[\"sha512\", \"abc\"]",
		"\"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a8"
		"36ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f\""},
};

static void
test_find(void)
{
	ok(vt_tfunc_find("in_range", VT_TV_2_0, false) == 0, "in_range is no function of 2.0");
	ok(vt_tfunc_find("in_range", VT_TV_2_0 | VT_TV_2_0_OLD, false) != 0,
		"but beside the Simple profile it is");
	ok(vt_tfunc_find("length", VT_TV_1_3, false) == 0, "length is no function of 1.3");
	ok(vt_tfunc_find("join", VT_TV_1_1, false) == 0 &&
			vt_tfunc_find("join", VT_TV_1_2, false) != 0,
		"join came with 1.2");
	ok(vt_tfunc_find("", VT_TV_2_0, false) == 0 && vt_tfunc_find("nope", VT_TV_2_0, true) == 0,
		"other names are none");
}

/* ---- XML, long digests ---- */

/* Weak in the runtime: naming it links it, as in a service with values of XML. */
extern void vt_xml_check(void);
void (*const linked_xml)(void) = vt_xml_check;

static void
test_xml(void)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{"<a/>", true},
		{"<?xml version='1.0'?>\n<!-- x --><a b='1' c=\"&lt;&#x41;\">t<b></b "
		 "><![CDATA[<&]]></a>\n",
			true},
		{"<!DOCTYPE a [<!ENTITY e '>'>]><a>&e;</a>", true},
		{"<a><b></a></b>", false},
		{"<a>", false},
		{"", false},
		{"x<a/>", false},
		{"<a/>\n<b/>", true},
		{"<a b='1' b='2'/>", false},
		{"<a b=1/>", false},
		{"<a b/>", false},
		{"<a>&</a>", false},
		{"<a>&e;</a>", false},
		{"<a>]]></a>", false},
		{"<a><!-- -- --></a>", false},
		{"<a", false},
		{"<a b='", false},
		{"<1/>", false},
		{"<a>&#0;</a>", false},
		{"<a b='<'/>", false},
		{"<![CDATA[x]]>", false},
		{"<a>\x01</a>", false},
		{"</a>", false},
		{"<äöü>x</äöü>", true},
		{"<a>&#xd800;</a>", false},
		{"<a/><!-- x --><b>t</b>\n<?p i?><a><![CDATA[x]]></a>", true},
		{"<a/>x", false},
		{"<a/><b/>x", false},
		{"<a/><b/>&lt;", false},
		{"<a/><b/><![CDATA[ ]]>", false},
		{"<a/><b>", false},
		{"<a/><b></a>", false},
		{"<a/></a>", false},
		{"<a/><_>", false},
		{"<a/><b/></_>", false},
		{"<a/><b/></_><_>", false},
		{"<a/><!DOCTYPE a><b/>", false},
		{"<a/><?xml version='1.0'?><b/>", false},
		/* a text is UTF-8, whatever it says */
		{"<?xml version='1.0' encoding='UTF-16'?><a>\xc3\xa4</a>", true},
		{"\xef\xbb\xbf<a/>", true},
		/* nothing is loaded, so nobody knows what it declares */
		{"<!DOCTYPE a SYSTEM 'file:///dev/zero'><a>&e;</a>", true},
		{"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///dev/zero'>]><a>&e;</a>", true},
		{"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///dev/zero'>]><a b='&e;'/>", false},
		{"<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///dev/zero'> %p;]><a/>", true},
		{"<!DOCTYPE a [<!ENTITY e '&e;'>]><a b='&e;'/>", false},
	};
	for (size_t i = 0; i < VT_LEN(cases); i++) {
		char *err = NULL;
		bool good = vt_tosca_xml(cases[i].text, strlen(cases[i].text), &err);
		char what[40];
		snprintf(what, sizeof what, "XML %zu is %s", i,
			cases[i].good ? "well-formed" : "not well-formed");
		ok(good == cases[i].good && good == (err == NULL), what);
		free(err);
	}
	enum { DEEP = 300000 };
	vt_buf b = {0};
	char *err = NULL;
	for (int i = 0; i < DEEP; i++)
		vt_buf_puts(&b, "<a>");
	for (int i = 0; i < DEEP; i++)
		vt_buf_puts(&b, "</a>");
	ok(vt_tosca_xml(b.p, b.n, &err), "XML nested 300,000 deep");
	vt_buf_free(&b);
}

/* Entities that grow, and chains of entities. */
static void
test_entities(void)
{
	vt_buf b = {0};
	char *err = NULL;
	vt_buf_puts(&b, "<!DOCTYPE a [<!ENTITY e0 'ha'>");
	for (int i = 1; i < 30; i++) {
		vt_buf_printf(&b, "<!ENTITY e%d '", i);
		for (int k = 0; k < 10; k++)
			vt_buf_printf(&b, "&e%d;", i - 1);
		vt_buf_puts(&b, "'>");
	}
	uint32_t from = b.n;
	vt_buf_puts(&b, "]><a b='&e29;'/>");
	ok(!vt_tosca_xml(b.p, b.n, &err) && strstr(err, "amplification"), "a billion laughs");
	free(err);
	err = NULL;
	b.n = from;
	vt_buf_puts(&b, "]><a>&e29;</a>");
	ok(vt_tosca_xml(b.p, b.n, &err), "that nobody laughs");
	free(err);
	err = NULL;
	b.n = 0;
	vt_buf_puts(&b, "<!DOCTYPE a [<!ENTITY e0 'x'>");
	for (int i = 1; i < 100000; i++)
		vt_buf_printf(&b, "<!ENTITY e%d '&e%d;'>", i, i - 1);
	vt_buf_puts(&b, "]><a b='&e99999;'/>");
	ok(!vt_tosca_xml(b.p, b.n, &err) && strstr(err, "32 entities"), "a chain of entities");
	free(err);
	err = NULL;
	b.n = 0;
	for (int i = 0; i < 500000; i++)
		vt_buf_puts(&b, "<a>");
	ok(!vt_tosca_xml(b.p, b.n, &err) && strstr(err, "too deep"), "XML nested too deep");
	free(err);
	err = NULL;
	b.n = 0;
	for (int i = 0; i < 200000; i++)
		vt_buf_puts(&b, "<a/>\n");
	vt_buf_puts(&b, "<a>");
	ok(!vt_tosca_xml(b.p, b.n, &err) && strstr(err, "not closed in line 200001"),
		"many elements side by side");
	free(err);
	vt_buf_free(&b);
}

/* Lengths around the ends of blocks; what Python's hashlib says of that many letters a, one after
 * the other. */
static void
test_digests(void)
{
	static const struct {
		const char *name, *all;
	} want[] = {
		{"md5", "223cb40fd791fc916d3f64f57fa198f3"},
		{"sha1", "769fc6766e6ab9de9419aa54762b8833c039bbdb"},
		{"sha224", "bdd939098799352819bb77409ed3d1f020d57a414090784c400867a9"},
		{"sha256", "b941727062911011046b91a996ccbbecf2f25d15c1ab1591686c0e0319b69e08"},
		{"sha384", "25026c5cd9e6a512e7684ca49d0dd8b8e89b8ba7c77f4aba0b3ca4b18123f619017aa75"
			   "6da09406bd69818e57d04b90d"},
		{"sha512", "56c32c2a0b3363981e577dd140179b1deeb757ed7275ef433e1186ce160ca07b138c613"
			   "aa75c3c39db0c79deff6588a9ec03a548779279b2b880c6565a1658d1"},
	};
	for (size_t i = 0; i < VT_LEN(want); i++) {
		vt_buf sum = {0};
		char hex[VT_DIGEST_TEXT], text[260];
		memset(text, 'a', sizeof text);
		for (size_t n = 0; n < sizeof text; n++) {
			vt_digest(want[i].name, text, n, hex);
			vt_buf_puts(&sum, hex);
		}
		vt_digest(want[i].name, sum.p, sum.n, hex);
		ok(strcmp(hex, want[i].all) == 0, want[i].name);
		vt_buf_free(&sum);
	}
}

/* ---- speed ---- */

static double
seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
test_speed(vt_tosca *t)
{
	enum { MANY = 100000 };
	vt_tctx ctx = {.value = VT_UNDEF};
	vt_value v = parse(t->rt, "{\"c\": 1.5, \"a\": \"x\"}"), s = parse(t->rt, "\"10 GiB\""),
		 out = VT_UNDEF;
	double from = seconds(), plain;
	bool good = true;
	for (int i = 0; i < MANY && good; i++) {
		good = vt_tosca_type(t, &ctx, D_COMPLEX, 0, v, NULL, &out);
		vt_clear(&out);
	}
	plain = seconds() - from;
	from = seconds();
	for (int i = 0; i < MANY && good; i++) {
		good = vt_tosca_type(t, &ctx, D_SIZE, 0, s, NULL, &out);
		vt_clear(&out);
	}
	printf("# 100,000 maps of two: %.3f s; 100,000 scalars: %.3f s\n", plain, seconds() - from);
	ok(good, "typed");
	vt_release(v);
	vt_release(s);
}

static void
with_version(vt_rt *rt, uint32_t version, const typing *c, size_t n, void (*also)(vt_tosca *))
{
	vt_tosca *t;
	make_model(rt, version);
	t = vt_tosca_new(rt, &model);
	test_types(t, c, n);
	if (also)
		also(t);
	vt_tosca_free(t);
	end_model();
}

static void
rest(vt_tosca *t)
{
	test_calls(t, calls, VT_LEN(calls));
	test_speed(t);
}

/* ---- the archive for another machine ---- */

/* The name in the header at `at` of the archive, as tar reads it; what kind it is. */
static char
entry_at(const vt_buf *b, size_t at, char name[128])
{
	memcpy(name, b->p + at, 100);
	name[100] = '\0';
	return b->p[at + 156];
}

/* A path in the archive of so many bytes, "files/" included. */
static bool
packs(const char *dir, size_t length, vt_buf *text)
{
	char path[128] = "", *to = vt_asprintf("%s/archive", dir), *command;
	vt_tblob file = {.path = path, .data = "x", .n = 1};
	const vt_tblob *all[] = {&file};
	const vt_tremote r = {.dir = dir, .by = "", .primary = "p", .file = all, .nfiles = 1};
	FILE *f;
	memset(path, 'n', length - strlen("files/"));
	text->n = 0;
	command = vt_tssh_pack(&r, to);
	f = fopen(to, "rb");
	bool good = command && vt_read_all(f, SIZE_MAX, text);
	if (f)
		fclose(f);
	remove(to);
	free(command);
	free(to);
	return good;
}

static void
empty_file(const char *dir, const char *name, bool gone)
{
	char *path = vt_asprintf("%s/%s", dir, name);
	FILE *f = gone ? NULL : fopen(path, "w");
	if (f)
		fclose(f);
	if (gone)
		remove(path);
	free(path);
}

/* A header has room for 100 bytes, without a zero behind them; a longer name stands before. */
static void
test_long_names(void)
{
	char dir[] = "/tmp/vetro-unit-XXXXXX", name[128];
	vt_buf b = {NULL, 0, 0};
	if (!ok(mkdtemp(dir) != NULL, "a directory"))
		return;
	empty_file(dir, "inputs.json", false);
	empty_file(dir, "context.json", false);
	for (size_t n = 99; n <= 100; n++)
		ok(packs(dir, n, &b) && entry_at(&b, 0, name) == '0' && strlen(name) == n &&
				!strncmp(name, "files/nnn", 9) && entry_at(&b, 1024, name) == '0' &&
				!strcmp(name, "run"),
			n == 99 ? "a name of 99 bytes is in its header"
				: "and so is one of 100 bytes");
	ok(packs(dir, 101, &b) && entry_at(&b, 0, name) == 'L' && !strcmp(name, "././@LongLink"),
		"one of 101 bytes has an entry of its own");
	ok(strlen(b.p + 512) == 101 && entry_at(&b, 1024, name) == '0' && strlen(name) == 100,
		"in front of its file");
	empty_file(dir, "inputs.json", true);
	empty_file(dir, "context.json", true);
	remove(dir);
	vt_buf_free(&b);
}

int
main(void)
{
	vt_rt *rt = vt_rt_new(NULL);
	test_long_names();
	test_find();
	test_xml();
	test_entities();
	test_digests();
	with_version(rt, VT_TV_2_0, types, VT_LEN(types), rest);
	with_version(rt, VT_TV_1_3, old_stamps, VT_LEN(old_stamps), NULL);
	with_version(rt, VT_TV_2_0, new_stamps, VT_LEN(new_stamps), NULL);
	ok(!vt_pending(rt), "no exception is left");
	vt_rt_free(rt);
	printf("1..%d\n", tests);
	return failures != 0;
}

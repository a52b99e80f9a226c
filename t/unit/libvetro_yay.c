/* Yay configurations through libvetro: layers, paths, defaults, parts, anchors, errors. argv[1]: a
 * directory for files. */
#include "libvetro_check.h"

#include <stdio.h>

static const char base[] = "name: front\n"
			   "port: 80\n"
			   "ratio: \"2.5\"\n"
			   "url: http://{{ name }}:{{ port }}/\n"
			   "sites:\n"
			   "  - url: a\n"
			   "    size: 1\n"
			   "  - url: b\n"
			   "    size: {{ nowhere }}\n"
			   "big: {{ 2 ** 80 }}\n"
			   "loop: {{ pool }}\n"
			   "pool: {{ loop }}\n"
			   "empty:\n"
			   "motto: \xc3\xbc{{ 'x' }}\n";

static void
write_file(const char *dir, const char *name, const char *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(9);
}

static void
accessors(vetro_yay *y)
{
	vetro_error *err = NULL;
	int64_t i = 7;
	double d = 0;
	int b = 5;
	const char *s = "default";
	vetro_value v = NULL;

	check(vetro_yay_get_int(y, NULL, "port", &i, &err) == 0 && i == 80, "an int");
	check(vetro_yay_get_double(y, NULL, "ratio", &d, &err) == 0 && d == 2.5,
		"a double in quotes");
	check(vetro_yay_get_bool(y, NULL, "port", &b, &err) == 0 && b == 1, "a bool: 80 is true");
	check(vetro_yay_get_bool(y, NULL, "empty", &b, &err) == 0 && b == 0,
		"a bool: nothing is false");
	check(vetro_yay_get_text(y, NULL, "url", &s, &err) == 0, "a text");
	same(s, "http://front:80/", "a text of templates");
	check(vetro_yay_get_text(y, NULL, "motto", &s, &err) == 0 && strcmp(s, "\xc3\xbcx") == 0,
		"UTF-8");
	i = 42, d = 1.5, b = 9, s = "kept";
	check(vetro_yay_get_int(y, NULL, "no.such", &i, &err) == 1 && i == 42 && !err,
		"an int's default");
	check(vetro_yay_get_double(y, NULL, "nope", &d, &err) == 1 && d == 1.5 && !err,
		"a double's default");
	check(vetro_yay_get_bool(y, NULL, "nope", &b, &err) == 1 && b == 9 && !err,
		"a bool's default");
	check(vetro_yay_get_text(y, NULL, "nope", &s, &err) == 1 && !strcmp(s, "kept") && !err,
		"a text's default");
	check(vetro_yay_get(y, NULL, "nope", &v, &err) == 1 && !v && !err, "a value's default");
	check(vetro_yay_get_int(y, NULL, "name", &i, &err) == -1 && err, "a text is no int");
	same(vetro_error_type(err), "TypeError", "a text is no int: type");
	check(vetro_error_line(err) == 1 && vetro_error_column(err) == 7,
		"a text is no int: place");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_get_int(y, NULL, "big", &i, &err) == -1 && err, "too large an int");
	same(vetro_error_type(err), "OverflowError", "too large an int: type");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_get_int(y, NULL, "name", &i, NULL) == -1, "the error need not be taken");
	check(vetro_yay_get(y, NULL, "sites[0]", &v, &err) == 0, "a value");
	check(vetro_kind_of(v) == VETRO_DICT && vetro_length(v) == 2, "a value: a dict");
	vetro_unref(v);
}

static void
places(vetro_engine *e, vetro_yay *y)
{
	vetro_error *err = NULL;
	vetro_place *sites = vetro_yay_at(y, NULL, "sites", &err), *p;
	const char *key = "?", *file = NULL, *s = NULL;
	unsigned line = 0, col = 0;
	size_t n = 0;
	vetro_value v;
	char *text;

	check(vetro_yay_kind_of(y, sites, &n, &err) == VETRO_YAY_LIST && n == 2, "a list of two");
	p = vetro_yay_part(y, sites, 1, &key, &err);
	check(p && !key, "its second item, without the part that fails");
	check(vetro_yay_kind_of(y, p, &n, &err) == VETRO_YAY_MAPPING && n == 2, "a mapping of two");
	check(vetro_yay_get_text(y, p, "url", &s, &err) == 0 && !strcmp(s, "b"),
		"a path below a place");
	p = vetro_yay_part(y, p, 0, &key, &err);
	same(key, "url", "a key's name");
	check(vetro_yay_kind_of(y, p, NULL, &err) == VETRO_YAY_SCALAR, "a scalar");
	check(vetro_yay_anchor(y, p, &file, &line, &col) == 0 && line == 8 && col == 10,
		"where it is written");
	same(file, "base.yay", "in which document");
	check(!vetro_yay_part(y, sites, 2, NULL, &err) && err, "there is no third item");
	same(vetro_error_message(err), "Index out of range", "there is no third item: message");
	vetro_error_free(err), err = NULL;
	v = vetro_yay_value(y, sites, &err);
	check(!v && err, "all of it: the part fails");
	same(vetro_error_type(err), "NoMatching", "the part: type");
	same(vetro_error_file(err), "base.yay", "the part: document");
	check(vetro_error_line(err) == 9 && vetro_error_column(err) == 11, "the part: place");
	vetro_error_free(err), err = NULL;
	p = vetro_yay_expression(y, "[s.size for s in sites if s.url == 'a']", VETRO_ZSTR, &err);
	v = vetro_yay_value(y, p, &err);
	text = vetro_write_json(e, v, 0, NULL, &err);
	same(text, "[1]", "an expression");
	vetro_free_text(text);
	vetro_unref(v);
	check(!vetro_yay_expression(y, "1 +", VETRO_ZSTR, &err) && err,
		"a text that is no expression");
	check(vetro_error_line(err) == 1, "a text that is no expression: line");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_is_secret(y, sites, &err) == 0, "nothing is secret");
	p = vetro_yay_at(y, NULL, "", &err);
	check(p && vetro_yay_kind_of(y, p, &n, &err) == VETRO_YAY_MAPPING && n == 10, "the whole");
}

static void
failures(vetro_engine *e, vetro_yay *y)
{
	vetro_error *err = NULL;
	unsigned line = 0;
	const char *file = NULL;
	vetro_value v = NULL;
	vetro_place *p;

	check(vetro_yay_get(y, NULL, "loop", &v, &err) == -1 && err, "a circle");
	same(vetro_error_type(err), "CycleError", "a circle: type");
	check(vetro_error_places(err) >= 2, "a circle: its places");
	check(vetro_error_place(err, 1, &file, &line, NULL) == 0 && file && line >= 11,
		"a circle: the second place");
	check(vetro_error_place(err, 99, NULL, NULL, NULL) == -1, "there is no such place");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_load_text(y, "bad.yay", "a: 1\nb:2\n", VETRO_ZSTR, &err) == -1 && err,
		"a text that is no Yay");
	same(vetro_error_file(err), "bad.yay", "no Yay: document");
	check(vetro_error_line(err) == 2, "no Yay: line");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_load_text(y, "x", "\xff", 1, &err) == -1 && err, "no UTF-8");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_load_file(y, "/nonexistent/x.yay", &err) == -1 && err,
		"a file that is not there");
	same(vetro_error_type(err), "NotFound", "a file that is not there: type");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_override(y, "nothing", &err) == -1 && err, "an override without a value");
	vetro_error_free(err), err = NULL;
	v = vetro_int(e, 1);
	check(vetro_yay_load_value(y, v, &err) == -1 && err, "a layer that is no dict");
	vetro_error_free(err), err = NULL;
	vetro_unref(v);
	check(!vetro_yay_at(y, NULL, "[", &err) && err, "a path that is none");
	vetro_error_free(err), err = NULL;
	check(vetro_yay_load_text(y, "late.yay", "a: 1\n", VETRO_ZSTR, &err) == -1 && err,
		"a layer after the first question");
	same(vetro_error_type(err), "UsageError", "a late layer: type");
	vetro_error_free(err), err = NULL;
	p = vetro_yay_at(y, NULL, "nope", NULL);
	check(!p && !vetro_yay_value(y, p, &err) && err, "a place that was not found");
	same(vetro_error_type(err), "NoMatching", "a place that was not found: type");
	vetro_error_free(err), err = NULL;
}

static void
layers(vetro_engine *e, const char *dir)
{
	vetro_yay *y = vetro_yay_new(e, 0);
	vetro_error *err = NULL;
	char path[4096];
	const char *s = NULL, *file = NULL;
	int64_t n = 0;
	unsigned line = 0;
	vetro_value v;
	vetro_place *p;

	write_file(dir, "one.yay",
		"include \"two.yay\"\ninclude \"three.yay\"\ninclude \"mem/four.yay\"\na: one\nx: "
		"{{ b }}\n");
	write_file(dir, "two.yay", "b: two\n");
	snprintf(path, sizeof path, "%s/lib", dir);
	vetro_yay_search(y, path);
	write_file(path, "three.yay", "c: three\n");
	check(vetro_yay_provide(y, "mem/four.yay", "d: four\n", VETRO_ZSTR, &err) == 0,
		"a document in memory");
	snprintf(path, sizeof path, "%s/one.yay", dir);
	check(vetro_yay_load_file(y, path, &err) == 0, "a file");
	check(vetro_yay_get_text(y, NULL, "x", &s, &err) == 0 && !strcmp(s, "two"),
		"its include, beside it");
	check(vetro_yay_get_text(y, NULL, "c", &s, &err) == 0 && !strcmp(s, "three"),
		"its include, in the search path");
	check(vetro_yay_get_text(y, NULL, "d", &s, &err) == 0 && !strcmp(s, "four"),
		"its include, from memory");
	check(vetro_yay_anchor(y, vetro_yay_at(y, NULL, "c", NULL), &file, &line, NULL) == 0 &&
			line == 1 && strstr(file, "lib/three.yay"),
		"the anchor is in the included file");
	vetro_yay_free(y);
	y = vetro_yay_new(e, VETRO_YAY_TEXTS_ONLY);
	check(vetro_yay_load_text(y, "a.yay", "n: 1\nm:\n    x: {{ n + 1 }}\n", VETRO_ZSTR, &err) ==
			0,
		"a first layer");
	check(vetro_yay_load_text(y, "b.yay", "n: 5\n", VETRO_ZSTR, &err) == 0, "a second one");
	check(vetro_yay_get_int(y, NULL, "m.x", &n, &err) == 0 && n == 6, "a later layer wins");
	check(vetro_yay_get_int(y, NULL, "n", &n, &err) == 0 && n == 5, "again");
	vetro_yay_free(y);
	y = vetro_yay_new(e, VETRO_YAY_TEXTS_ONLY);
	check(vetro_yay_load_text(y, "a.yay", "n: 1\n", VETRO_ZSTR, &err) == 0 &&
			vetro_yay_override(y, "n=[1,2]", &err) == 0,
		"an override");
	check(vetro_yay_get_int(y, NULL, "n[1]", &n, &err) == 0 && n == 2, "wins");
	check(vetro_yay_load_file(y, path, &err) == -1 && err, "texts only: no files");
	vetro_error_free(err), err = NULL;
	vetro_yay_free(y);
	y = vetro_yay_new(e, VETRO_YAY_TEXTS_ONLY);
	v = vetro_parse_json(e, "{\"a\": 1}", VETRO_ZSTR, NULL);
	check(vetro_yay_load_value(y, v, &err) == 0, "a dict is a layer");
	vetro_unref(v);
	p = vetro_yay_at(y, NULL, "a", &err);
	check(p && vetro_yay_anchor(y, p, NULL, NULL, NULL) == -1,
		"what is written nowhere has no anchor");
	vetro_yay_free(y);
	y = vetro_yay_new(e, VETRO_YAY_TEXTS_ONLY);
	snprintf(path, sizeof path, "include \"%s/two.yay\"\n", dir);
	check(vetro_yay_load_text(y, "c.yay", path, VETRO_ZSTR, &err) == 0,
		"texts only: an include of a file");
	check(!vetro_yay_value(y, vetro_yay_at(y, NULL, "", NULL), &err) && err,
		"texts only: is not followed");
	vetro_error_free(err);
	vetro_yay_free(y);
}

static void
classes(vetro_engine *e)
{
	vetro_yay *y = vetro_yay_new(e, VETRO_YAY_TEXTS_ONLY);
	vetro_error *err = NULL;
	int64_t n = 0;

	check(vetro_load_lua(e,
		      "vetro.register{name='Box', params='p: any', fn=function(p) return {area = "
		      "p.w * p.h} end}",
		      VETRO_ZSTR, "box.lua", &err) == 0,
		"a class binding in Lua");
	check(vetro_yay_load_text(y, "a.yay",
		      "new Box as b:\n    w: 3\n    h: 4\nsum: {{ b.area + b.w }}\n", VETRO_ZSTR,
		      &err) == 0,
		"a configuration that uses it");
	check(vetro_yay_get_int(y, NULL, "sum", &n, &err) == 0 && n == 15, "its member");
	vetro_yay_free(y);
	vetro_engine_set(e, VETRO_YAY_STEPS, 1000);
	y = vetro_yay_new(e, VETRO_YAY_TEXTS_ONLY);
	vetro_yay_load_text(y, "a.yay",
		"n: {{ sum(range(10)) }}\nl: {{ [i * i for i in range(100000)] }}\n", VETRO_ZSTR,
		NULL);
	check(vetro_yay_get_int(y, NULL, "n", &n, &err) == 0 && n == 45, "within its steps");
	check(!vetro_yay_value(y, vetro_yay_at(y, NULL, "l", NULL), &err) && err,
		"more steps than allowed");
	same(err ? vetro_error_type(err) : "", "LimitError", "more steps than allowed: type");
	vetro_error_free(err);
	vetro_yay_free(y);
}

int
main(int argc, char **argv)
{
	vetro_engine *e = vetro_engine_new();
	vetro_yay *y = vetro_yay_new(e, VETRO_YAY_TEXTS_ONLY);
	vetro_error *err = NULL;

	check(vetro_yay_load_text(y, "base.yay", base, VETRO_ZSTR, &err) == 0 && !err,
		"a text is loaded");
	accessors(y);
	places(e, y);
	failures(e, y);
	vetro_yay_free(y);
	layers(e, argc > 1 ? argv[1] : ".");
	classes(e);
	vetro_yay_free(NULL);
	vetro_engine_free(e);
	return 0;
}

/*
 * Fuzz target: a file of settings, as JSON or as YAML. The checker takes it or tells a place inside
 * of it; what it took can be asked for, and comes back the same when it is written as YAML.
 * driver.c says how it is run.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { DEPTH = 100 };

static void
must(bool good)
{
	if (!good)
		abort();
}

/* The reader has JSON's types. */
static bool
is_finite(vt_value v)
{
	vt_value key, x;

	if (vt_is(v, FLOAT))
		return vt_as_float(v) - vt_as_float(v) == 0;
	for (uint32_t i = 0; vt_is_sequence(v) && i < vt_as_list(v)->n; i++)
		if (!is_finite(vt_as_list(v)->v[i]))
			return false;
	for (uint32_t i = 0; vt_is(v, DICT) && vt_dict_at(vt_as_dict(v), &i, &key, &x);)
		if (!is_finite(x))
			return false;
	return true;
}

/* What is written as YAML reads back as itself. */
static void
comes_back(vt_rt *rt, vt_value v)
{
	vt_buf b = {0};
	vt_value again = VT_UNDEF;
	char *err = NULL;

	vt_yaml_write(rt, &b, v);
	if (vt_yaml_read(rt, b.p, b.n, &again,
		    &err)) /* else it is too large or too deep for the reader */
		must(vt_json_equal(v, again) || !is_finite(v));
	else
		must(err != NULL);
	free(err);
	vt_release(again);
	vt_buf_free(&b);
}

static void
ask(vt_rt *rt, vt_value settings)
{
	static const char *const groups[] = {
		"heat", "neutron", "networking", "engine", "rabbitmq", "murano", "http", "x"};
	static const char *const names[] = {
		"url", "host", "port", "ssl", "timeout", "agent_timeout", "default_dns", "x"};

	vt_move(&rt->s->settings, vt_copy(settings));
	for (size_t g = 0; g < VT_LEN(groups); g++)
		for (size_t i = 0; i < VT_LEN(names); i++) {
			(void)vt_setting(rt, groups[g], names[i]);
			(void)vt_setting_number(rt, groups[g], names[i], 1);
			(void)vt_setting_bool(rt, groups[g], names[i], false);
			must(vt_setting_text(rt, groups[g], names[i], "") != NULL);
		}
}

static void
judge(vt_rt *rt, const char *text, size_t n, vt_value v)
{
	char *err = NULL;

	if (vt_is(v, DICT) && vt_settings_check(text, n, v, &err))
		ask(rt, v);
	else if (vt_is(v, DICT))
		must(err != NULL && *err != '\0');
	free(err);
	comes_back(rt, v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_value v = VT_UNDEF;
	char *err = NULL, *text = malloc(n + 1);

	memcpy(text, data, n);
	text[n] = '\0';
	if (vt_json_read(rt, text, n, 0, DEPTH, &v, &err))
		judge(rt, text, n, v);
	free(err);
	err = NULL;
	vt_clear(&v);
	if (vt_yaml_read(rt, text, n, &v, &err))
		judge(rt, text, n, v);
	else
		must(err != NULL);
	free(err);
	vt_release(v);
	vt_rt_free(rt);
	free(text);
	return 0;
}

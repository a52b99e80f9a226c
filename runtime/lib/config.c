/*
 * config.c - config(): what the core library asks of the installation.
 *
 * Names and defaults are those of murano.conf, so that an installation's values can be carried over
 * as they stand; here are those that a class of io.murano reads.  What --settings gives goes before
 * them, and may have others for the classes of a library of one's own.
 */
#include "runtime/text/outfile.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/core/args.h"
#include "registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILE = 1 << 20 };

typedef struct setting {
	const char *group, *name, *text; /* text NULL: the number, and VT_NULL without one */
	vt_value value;
} setting;

static const char DEFAULT[] = "DEFAULT";

static const setting settings[] = {
	{DEFAULT, "home_region", NULL, VT_NULL},
	{DEFAULT, "file_server", "", VT_UNDEF},
	{"engine", "agent_source", "murano-agent", VT_UNDEF},
	{"engine", "agent_timeout", NULL, vt_mkint(3600)},
	{"engine", "disable_murano_agent", NULL, VT_FALSE},
	{"rabbitmq", "host", "localhost", VT_UNDEF},
	{"rabbitmq", "port", NULL, vt_mkint(5672)},
	{"rabbitmq", "login", "guest", VT_UNDEF},
	{"rabbitmq", "password", "guest", VT_UNDEF},
	{"rabbitmq", "virtual_host", "/", VT_UNDEF},
	{"rabbitmq", "ssl", NULL, VT_FALSE},
	{"rabbitmq", "ca_certs", "", VT_UNDEF},
	{"rabbitmq", "insecure", NULL, VT_FALSE},
};

static vt_value
member(vt_value dict, const char *name)
{
	return vt_is(dict, DICT) ? vt_dict_get_c(vt_as_dict(dict), name) : VT_UNDEF;
}

/* Borrowed; VT_UNDEF when --settings has none.  The service clients keep the home region in
 * [murano]. */
static vt_value
given(vt_rt *rt, const char *group, const char *name)
{
	vt_value v = member(member(rt->s->settings, group), name);
	return v == VT_UNDEF && strcmp(group, DEFAULT) == 0
		       ? member(member(rt->s->settings, "murano"), name)
		       : v;
}

static vt_status
look_up(vt_rt *rt, const char *group, const char *name, vt_value *out)
{
	vt_value v = given(rt, group, name);
	if (v != VT_UNDEF) {
		*out = vt_copy(v);
		return VT_OK;
	}
	for (size_t i = 0; i < VT_LEN(settings); i++)
		if (strcmp(settings[i].group, group) == 0 && strcmp(settings[i].name, name) == 0) {
			*out = settings[i].text ? vt_str_c(rt, settings[i].text)
						: settings[i].value;
			return VT_OK;
		}
	return vt_raise(rt, VT_E_KEY,
		"there is no setting %s in group [%s]; --settings may give it", name, group);
}

static vt_status
bad_file(vt_rt *rt, const char *path, const char *why)
{
	return vt_raise(rt, VT_E_VALUE, "a setting names the file %s: %s", path, why);
}

static vt_status
file_text(vt_rt *rt, const char *path, vt_value *out)
{
	vt_buf b = {0};
	vt_status st = VT_OK;
	if (!vt_read_file(path, MAX_FILE, &b))
		st = bad_file(rt, path,
			errno == EFBIG ? "it is larger than a megabyte" : strerror(errno));
	else if (vt_utf8_check(b.p ? b.p : "", b.n) != b.n)
		st = bad_file(rt, path, "it is no UTF-8");
	else
		*out = vt_str_new(rt, b.p ? b.p : "", b.n);
	vt_buf_free(&b);
	return st;
}

vt_status
vt_lib_config(vt_args *a, vt_value *out)
{
	vt_value v = VT_NULL;
	vt_status st;
	VT_TRY(look_up(a->rt, vt_as_str(a->v[0])->s, vt_as_str(a->v[1])->s, &v));
	if (a->v[2] != VT_TRUE || !vt_is(v, STR)) {
		*out = v;
		return VT_OK;
	}
	st = file_text(a->rt, vt_as_str(v)->s, out);
	vt_release(v);
	return st;
}

vt_status
vt_lib_config_default(vt_args *a, vt_value *out)
{
	return look_up(a->rt, DEFAULT, vt_as_str(a->v[0])->s, out);
}

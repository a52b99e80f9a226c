/*
 * settings.c - what --settings says: names and defaults of murano.conf (docs/openstack.md has them
 * for people; t/68 compares).
 */
#include "runtime/net/settings.h"
#include "runtime/core/printable.h"
#include "runtime/core/shape.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"

#include <string.h>
#include <strings.h>

/* ---- which there are --------------------------------------------------------------------- */

#define SERVICE \
	{"url", T_TEXT, NULL, NULL, false}, \
	{ \
		"endpoint_type", T_WORD, NULL, endpoints, false \
	}
#define END \
	{ \
		NULL, T_ANY, NULL, NULL, false \
	}
static const char endpoints[] = "public internal admin publicURL internalURL adminURL";

static const vt_field heat_fields[] = {SERVICE, {"stack_tags", T_TEXTS, NULL, NULL, false}, END};
static const vt_field service_fields[] = {SERVICE, END};
static const vt_field networking_fields[] = {{"router_name", T_TEXT, NULL, NULL, false},
	{"create_router", T_FLAG, NULL, NULL, false},
	{"external_network", T_TEXT, NULL, NULL, false},
	{"default_dns", T_TEXTS, NULL, NULL, false},
	{"max_environments", T_AMOUNT, NULL, NULL, false},
	{"max_hosts", T_AMOUNT, NULL, NULL, false}, {"env_ip_template", T_TEXT, NULL, NULL, false},
	{"first_cidr", T_AMOUNT, NULL, NULL, false}, END};
static const vt_field engine_fields[] = {{"agent_timeout", T_AMOUNT, NULL, NULL, false},
	{"signing_key", T_TEXT, NULL, NULL, false},
	{"disable_murano_agent", T_FLAG, NULL, NULL, false},
	{"agent_source", T_TEXT, NULL, NULL, false}, END};
static const vt_field rabbitmq_fields[] = {{"host", T_TEXT, NULL, NULL, false},
	{"port", T_PORT, NULL, NULL, false}, {"login", T_TEXT, NULL, NULL, false},
	{"password", T_TEXT, NULL, NULL, false}, {"virtual_host", T_TEXT, NULL, NULL, false},
	{"ssl", T_FLAG, NULL, NULL, false}, {"ca_certs", T_TEXT, NULL, NULL, false},
	{"cert", T_TEXT, NULL, NULL, false}, {"key", T_TEXT, NULL, NULL, false},
	{"insecure", T_FLAG, NULL, NULL, false}, END};
static const vt_field murano_fields[] = {{"home_region", T_TEXT, NULL, NULL, false},
	{"file_server", T_TEXT, NULL, NULL, false}, END};
static const vt_field http_fields[] = {{"connect_timeout", T_AMOUNT, NULL, NULL, false},
	{"timeout", T_AMOUNT, NULL, NULL, false}, {"stall_timeout", T_AMOUNT, NULL, NULL, false},
	END};

/* Groups that are none of these are for config() in classes of the program. */
static const vt_field groups[] = {{"heat", T_OBJECT, heat_fields, NULL, false},
	{"neutron", T_OBJECT, service_fields, NULL, false},
	{"mistral", T_OBJECT, service_fields, NULL, false},
	{"glance", T_OBJECT, service_fields, NULL, false},
	{"networking", T_OBJECT, networking_fields, NULL, false},
	{"engine", T_OBJECT, engine_fields, NULL, false},
	{"rabbitmq", T_OBJECT, rabbitmq_fields, NULL, false},
	{"murano", T_OBJECT, murano_fields, NULL, false},
	{"DEFAULT", T_OBJECT, murano_fields, NULL, false},
	{"http", T_OBJECT, http_fields, NULL, false}, END};
static const vt_field whole = {"", T_OBJECT, groups, NULL, true};

bool
vt_settings_check(const char *text, size_t n, vt_value settings, char **err)
{
	return vt_shape_check(text, n, settings, &whole, err);
}

/* ---- reading ----------------------------------------------------------------------------- */

vt_value
vt_setting(vt_rt *rt, const char *group, const char *name)
{
	vt_value g = vt_is(rt->s->settings, DICT)
			     ? vt_dict_get_c(vt_as_dict(rt->s->settings), group)
			     : VT_UNDEF;
	return vt_is(g, DICT) ? vt_dict_get_c(vt_as_dict(g), name) : VT_UNDEF;
}

double
vt_setting_number(vt_rt *rt, const char *group, const char *name, double otherwise)
{
	vt_value v = vt_setting(rt, group, name);
	double d;
	if (vt_is(v, STR) && vt_float_from_str(vt_as_str(v), &d))
		return d;
	if (v == VT_UNDEF || !vt_is_number(v))
		return otherwise;
	if (vt_num_double(rt, v, &d) == VT_OK)
		return d;
	vt_exc_clear(rt);
	return otherwise;
}

bool
vt_says_yes(const char *s)
{
	return s && (strcasecmp(s, "true") == 0 || strcmp(s, "1") == 0 ||
			    strcasecmp(s, "yes") == 0 || strcasecmp(s, "on") == 0);
}

bool
vt_setting_bool(vt_rt *rt, const char *group, const char *name, bool otherwise)
{
	vt_value v = vt_setting(rt, group, name);
	if (vt_is(v, STR))
		return vt_says_yes(vt_as_str(v)->s);
	return v == VT_UNDEF ? otherwise : vt_truth(v);
}

const char *
vt_setting_text(vt_rt *rt, const char *group, const char *name, const char *otherwise)
{
	vt_value v = vt_setting(rt, group, name);
	return vt_is(v, STR) ? vt_as_str(v)->s : otherwise;
}

char *
vt_password(vt_rt *rt, char *s)
{
	if (strcmp(s, "guest") != 0)
		vt_secret_add(rt->s, s, strlen(s));
	return s;
}

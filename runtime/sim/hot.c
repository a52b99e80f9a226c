/*
 * hot.c - templates of the simulated Heat: resources and their attributes, outputs.
 *
 * A resource of a stack is a dict: type, id, attr (what get_attr finds) and, for Neutron, what
 * net.c lists. Resources are made when something needs them, so in the order of their
 * dependencies.  What has no attributes that anybody could ask for is only looked through for
 * references that lead nowhere.
 */
#include "runtime/sim/hot.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

/* ---- kinds of resources ------------------------------------------------------------------ */

typedef struct kind {
	const char *type;
	bool (*make)(hot *, vt_value def, vt_dict *r, vt_dict *attr);
} kind;

static void
put(hot *h, vt_dict *d, const char *name, vt_value owned)
{
	vt_dict_set_c(h->rt, d, name, owned);
}

/* The k-th address of the n-th network: 10.0.n.19 and up, and then with other second parts. */
static vt_value
fixed_address(hot *h, int64_t n, int64_t k)
{
	enum { FIRST = 19, A_NET = 236 };
	int64_t high = k / A_NET + 16 * (n / 256);
	return vt_str_printf(h->rt, "10.%lld.%lld.%lld", (long long)(high % 256),
		(long long)(n % 256), (long long)(FIRST + k % A_NET));
}

static vt_value
floating_address(hot *h, int64_t k)
{
	enum { FIRST = 12, A_NET = 240 };
	return vt_str_printf(h->rt, "172.24.%lld.%lld", (long long)(4 + k / A_NET) % 256,
		(long long)(FIRST + k % A_NET));
}

/* One more on that network; a text, owned. */
static vt_value
next_address(hot *h, const char *network)
{
	int64_t n = sim_net_number(h->sim, h->region, network);
	char *counter = vt_asprintf("addresses of network %lld", (long long)n);
	vt_value v = fixed_address(h, n, sim_count(h->sim, counter) - 1);
	free(counter);
	return v;
}

static vt_value
one_of(vt_value def, const char *a, const char *b)
{
	vt_value v = vt_member(vt_member(def, "properties"), a);
	return v != VT_NULL ? v : vt_member(vt_member(def, "properties"), b);
}

static bool
make_net(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_value name = VT_UNDEF;
	if (!hot_property(h, def, "name", &name))
		return false;
	if (name == VT_NULL)
		name = vt_copy(vt_dict_get_c(r, "id"));
	put(h, attr, "name", vt_copy(name));
	put(h, attr, "status", vt_str_c(h->rt, "ACTIVE"));
	put(h, r, "name", name);
	(void)sim_net_number(h->sim, h->region, vt_text_or(vt_dict_get_c(r, "id"), ""));
	return true;
}

static bool
make_subnet(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	static const char *const names[] = {
		"cidr", "ip_version", "name", "dns_nameservers", "gateway_ip"};
	vt_value v = VT_UNDEF;
	for (size_t i = 0; i < VT_LEN(names); i++) {
		v = VT_UNDEF;
		if (!hot_property(h, def, names[i], &v))
			return false;
		put(h, attr, names[i], vt_copy(v));
		put(h, r, names[i], v);
	}
	v = VT_UNDEF;
	if (!hot_eval(h, one_of(def, "network", "network_id"), &v))
		return false;
	put(h, attr, "network_id", vt_copy(v));
	put(h, r, "network_id", v);
	return true;
}

static bool
make_interface(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_value v = VT_UNDEF;
	(void)attr;
	if (!hot_eval(h, one_of(def, "router", "router_id"), &v))
		return false;
	put(h, r, "router_id", v);
	v = VT_UNDEF;
	if (!hot_eval(h, one_of(def, "subnet", "subnet_id"), &v))
		return false;
	put(h, r, "subnet_id", v);
	return true;
}

static bool
make_router(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_value name = VT_UNDEF, gateway = VT_UNDEF;
	if (!hot_property(h, def, "name", &name))
		return false;
	put(h, attr, "name", vt_copy(name));
	put(h, r, "name", name);
	if (!hot_property(h, def, "external_gateway_info", &gateway))
		return false;
	put(h, attr, "external_gateway_info", vt_copy(gateway));
	put(h, r, "gateway", gateway);
	return true;
}

/* Addresses stay as long as the resource does: old is what it had. */
static vt_value
fixed_ips(hot *h, vt_value wanted, const char *network, vt_value old)
{
	vt_list *l;
	uint32_t n =
		vt_is_sequence(wanted) && vt_as_list(wanted)->n > 0 ? vt_as_list(wanted)->n : 1;
	if (vt_is_sequence(old) && vt_as_list(old)->n == n)
		return vt_copy(old);
	l = vt_list_grow(h->rt, VT_K_TUPLE, n);
	for (uint32_t i = 0; i < n; i++) {
		vt_value w = vt_is_sequence(wanted) && i < vt_as_list(wanted)->n
				     ? vt_as_list(wanted)->v[i]
				     : VT_NULL;
		vt_value ip = vt_member(w, "ip_address"), subnet = vt_member(w, "subnet");
		vt_dict *d = vt_dict_new(h->rt, false);
		put(h, d, "subnet_id",
			vt_copy(subnet != VT_NULL ? subnet : vt_member(w, "subnet_id")));
		put(h, d, "ip_address", vt_is(ip, STR) ? vt_copy(ip) : next_address(h, network));
		vt_list_push(h->rt, l, vt_mkptr(d));
	}
	return vt_mkptr(l);
}

static bool
make_port(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_value network = VT_UNDEF, wanted = VT_UNDEF, ips, old;
	if (!hot_eval(h, one_of(def, "network", "network_id"), &network))
		return false;
	if (!hot_property(h, def, "fixed_ips", &wanted)) {
		vt_release(network);
		return false;
	}
	old = vt_dict_get_c(r, "fixed_ips");
	ips = fixed_ips(h, wanted, vt_text_or(network, ""), old == VT_UNDEF ? VT_NULL : old);
	vt_release(wanted);
	put(h, attr, "fixed_ips", vt_copy(ips));
	put(h, attr, "network_id", vt_copy(network));
	put(h, attr, "status", vt_str_c(h->rt, "ACTIVE"));
	put(h, attr, "mac_address",
		vt_str_printf(h->rt, "fa:16:3e:00:00:%02x",
			(unsigned)vt_str_hash(vt_as_str(vt_dict_get_c(r, "id"))) & 255));
	put(h, r, "fixed_ips", ips);
	put(h, r, "network_id", network);
	return true;
}

static bool
make_floating_ip(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_value old = vt_dict_get_c(r, "address"), network = VT_UNDEF, given = VT_UNDEF;
	if (!hot_property(h, def, "floating_ip_address", &given))
		return false;
	if (!vt_is(old, STR)) {
		if (!vt_is(given, STR))
			vt_move(&given,
				floating_address(h, sim_count(h->sim, "floating addresses") - 1));
		put(h, r, "address", vt_copy(given));
		old = vt_dict_get_c(r, "address");
	}
	vt_release(given);
	put(h, attr, "floating_ip_address", vt_copy(old));
	put(h, attr, "ip", vt_copy(old));
	if (!hot_eval(h, one_of(def, "floating_network", "floating_network_id"), &network))
		return false;
	put(h, attr, "floating_network_id", network);
	return true;
}

/* ---- servers ----------------------------------------------------------------------------- */

/* The resource with that id, of this stack, made; NULL: there is none, or the template is refused.
 */
static vt_dict *
made_with(hot *h, vt_value id)
{
	vt_value key, r, found = VT_UNDEF;
	const char *s = vt_text_or(id, "");
	size_t n = strlen(s);
	if (n > 3 && strcmp(s + n - 3, "-id") ==
			     0) { /* as sim_new_id makes it, where nothing was in the way */
		vt_value name = vt_str_new(h->rt, s, n - 3);
		r = vt_dict_get(h->made, name);
		if (r != VT_UNDEF && vt_equal(h->rt, vt_member(r, "id"), id))
			found = vt_copy(name);
		vt_release(name);
	}
	for (uint32_t i = 0; found == VT_UNDEF && vt_dict_at(h->made, &i, &key, &r);)
		if (vt_equal(h->rt, vt_member(r, "id"), id))
			found = vt_copy(key);
	if (found == VT_UNDEF)
		return NULL;
	r = hot_make(h, found) ? vt_dict_get(h->made, found) : VT_UNDEF;
	vt_release(found);
	return r == VT_UNDEF ? NULL : vt_as_dict(r);
}

static void
add_address(hot *h, vt_dict *addresses, vt_dict *networks, vt_value network, vt_value ip)
{
	vt_value name = sim_net_name(h->sim, h->region, vt_text_or(network, "")), keys[2], l;
	vt_dict *d = vt_dict_new(h->rt, false);
	put(h, d, "addr", vt_copy(ip));
	keys[0] = network;
	keys[1] = name;
	for (int i = 0; i < 2; i++) {
		if (!vt_is(keys[i], STR) || (i == 1 && vt_equal(h->rt, keys[0], keys[1])))
			continue;
		l = vt_dict_get(addresses, keys[i]);
		if (l == VT_UNDEF) {
			l = vt_mkptr(vt_list_grow(h->rt, VT_K_LIST, 1));
			(void)vt_dict_set(h->rt, addresses, keys[i], l);
			vt_release(l);
			l = vt_mkptr(vt_list_grow(h->rt, VT_K_LIST, 1));
			(void)vt_dict_set(h->rt, networks, keys[i], l);
			vt_release(l);
		}
		vt_list_push(
			h->rt, vt_as_list(vt_dict_get(addresses, keys[i])), vt_copy(vt_mkptr(d)));
		vt_list_push(h->rt, vt_as_list(vt_dict_get(networks, keys[i])), vt_copy(ip));
	}
	vt_release(vt_mkptr(d));
	vt_release(name);
}

/* Where the server gets its own port: its address is kept in the server's record. */
static vt_value
own_address(hot *h, vt_dict *r, uint32_t i, vt_value network, vt_value wanted)
{
	char *name = vt_asprintf("address %u", i);
	vt_value v = vt_dict_get_c(r, name);
	if (!vt_is(v, STR)) {
		put(h, r, name,
			vt_is(wanted, STR) ? vt_copy(wanted)
					   : next_address(h, vt_text_or(network, "")));
		v = vt_dict_get_c(r, name);
	}
	free(name);
	return v;
}

static bool
join_networks(hot *h, vt_value nets, vt_dict *r, vt_dict *addresses, vt_dict *networks)
{
	for (uint32_t i = 0; vt_is_sequence(nets) && i < vt_as_list(nets)->n; i++) {
		vt_value n = vt_as_list(nets)->v[i], port = vt_member(n, "port"), network, ips;
		vt_dict *p;
		if (!vt_is(port, STR)) {
			network = vt_member(n, "network");
			network = network != VT_NULL ? network : vt_member(n, "uuid");
			add_address(h, addresses, networks, network,
				own_address(h, r, i, network, vt_member(n, "fixed_ip")));
			continue;
		}
		p = made_with(h, port);
		if (h->why != NULL)
			return false;
		if (p == NULL)
			continue;
		put(h, p, "device_id", vt_copy(vt_dict_get_c(r, "id")));
		network = vt_dict_get_c(p, "network_id");
		ips = vt_dict_get_c(p, "fixed_ips");
		for (uint32_t k = 0; vt_is_sequence(ips) && k < vt_as_list(ips)->n; k++)
			add_address(h, addresses, networks, network,
				vt_member(vt_as_list(ips)->v[k], "ip_address"));
	}
	return true;
}

static vt_value
first_address(vt_dict *networks)
{
	uint32_t at = 0;
	vt_value key, l;
	if (!vt_dict_at(networks, &at, &key, &l) || !vt_is_sequence(l) || vt_as_list(l)->n == 0)
		return VT_NULL;
	return vt_as_list(l)->v[0];
}

/* Is it in the scenario's list, by name or id?  A list that is not there has everything. */
static bool
is_listed(hot *h, const char *kind, vt_value name)
{
	vt_value all = vt_member(h->sim->scenario, kind);
	if (!vt_is_sequence(all))
		return true;
	for (uint32_t i = 0; i < vt_as_list(all)->n; i++) {
		vt_value one = vt_as_list(all)->v[i];
		if (vt_equal(h->rt, one, name) || vt_equal(h->rt, vt_member(one, "name"), name) ||
			vt_equal(h->rt, vt_member(one, "id"), name))
			return true;
	}
	return false;
}

/* Is it a resource of this stack, such as an OS::Nova::KeyPair? */
static bool
is_own(hot *h, vt_value id)
{
	vt_value key, r;
	for (uint32_t i = 0; vt_dict_at(h->made, &i, &key, &r);)
		if (vt_equal(h->rt, vt_member(r, "id"), id) ||
			vt_equal(h->rt, vt_member(vt_member(r, "attr"), "name"), id))
			return true;
	return false;
}

/* What a server is made of has to be in the cloud; Heat looks before it makes anything. */
static bool
check_parts(hot *h, vt_value name, vt_value def)
{
	static const char *const parts[][3] = {{"image", "images", "Image"},
		{"flavor", "flavors", "Flavor"}, {"key_name", "keypairs", "Key"}};
	bool ok = true;
	for (size_t i = 0; ok && i < VT_LEN(parts); i++) {
		vt_value v = VT_UNDEF;
		ok = hot_property(h, def, parts[i][0], &v);
		if (ok && vt_is(v, STR) && !is_listed(h, parts[i][1], v) && !is_own(h, v))
			ok = hot_refuse(h,
				"Property error: resources.%s.properties.%s: Error validating "
				"value "
				"'%s': The %s (%s) could not be found.",
				vt_text_or(name, "?"), parts[i][0], vt_as_str(v)->s, parts[i][2],
				vt_as_str(v)->s);
		vt_release(v);
	}
	return ok;
}

static bool
make_server(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_dict *addresses = vt_dict_new_hashed(h->rt, false),
		*networks = vt_dict_new_hashed(h->rt, false);
	vt_value nets = VT_UNDEF, name = VT_UNDEF;
	bool ok = hot_property(h, def, "networks", &nets) &&
		  join_networks(h, nets, r, addresses, networks) &&
		  hot_property(h, def, "name", &name);
	vt_release(nets);
	if (ok) {
		put(h, attr, "name",
			vt_is(name, STR) ? vt_copy(name) : vt_copy(vt_dict_get_c(r, "id")));
		put(h, attr, "first_address", vt_copy(first_address(networks)));
		put(h, attr, "addresses", vt_copy(vt_mkptr(addresses)));
		put(h, attr, "networks", vt_copy(vt_mkptr(networks)));
		put(h, attr, "instance_name",
			vt_str_printf(h->rt, "instance-%s", vt_as_str(vt_dict_get_c(r, "id"))->s));
	}
	vt_release(name);
	vt_release(vt_mkptr(addresses));
	vt_release(vt_mkptr(networks));
	return ok;
}

/* ---- Heat's own, volumes, and the rest --------------------------------------------------- */

static bool
make_random(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	static const char digits[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	enum { USUAL = 32, MOST = 512 };
	vt_value length = VT_UNDEF;
	const vt_str *id = vt_as_str(vt_dict_get_c(r, "id"));
	uint64_t x = vt_str_hash(id), n;
	vt_buf b = {0};
	if (!hot_property(h, def, "length", &length))
		return false;
	n = vt_is_int(length) && vt_toint(length) > 0 && vt_toint(length) <= MOST
		    ? (uint64_t)vt_toint(length)
		    : USUAL;
	vt_release(length);
	for (uint64_t i = 0; i < n; i++, x = x * 6364136223846793005u + 1442695040888963407u)
		vt_buf_putc(&b, digits[(x >> 33) % (sizeof digits - 1)]);
	put(h, attr, "value", vt_str_take(h->rt, &b));
	return true;
}

static bool
make_value(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_value v = VT_UNDEF;
	if (!hot_property(h, def, "value", &v))
		return false;
	if (strcmp(vt_text_or(vt_dict_get_c(r, "type"), ""), "OS::Heat::TestResource") == 0) {
		put(h, attr, "output", v == VT_NULL ? vt_str_c(h->rt, "") : v);
		put(h, r, "fail",
			vt_mkbool(vt_is_true(vt_member(vt_member(def, "properties"), "fail"))));
		put(h, r, "waits",
			vt_copy(vt_member(vt_member(def, "properties"), "action_wait_secs")));
		v = vt_copy(vt_member(vt_member(def, "properties"), "wait_secs"));
		put(h, r, "wait", v);
		return true;
	}
	put(h, attr, "value", v);
	return true;
}

static bool
make_deployment(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	(void)def;
	(void)r;
	put(h, attr, "deploy_stdout", vt_str_c(h->rt, ""));
	put(h, attr, "deploy_stderr", vt_str_c(h->rt, ""));
	put(h, attr, "deploy_status_code", vt_mkint(0));
	return true;
}

/* Any property can be read back. */
static bool
make_other(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	vt_value all = VT_UNDEF, key, v;
	(void)r;
	if (!hot_eval(h, vt_member(def, "properties"), &all))
		return false;
	for (uint32_t i = 0; vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &i, &key, &v);)
		(void)vt_dict_set(h->rt, attr, key, v);
	vt_release(all);
	return true;
}

static bool
make_volume(hot *h, vt_value def, vt_dict *r, vt_dict *attr)
{
	if (!make_other(h, def, r, attr))
		return false;
	put(h, attr, "status", vt_str_c(h->rt, "available"));
	if (vt_dict_get_c(attr, "attachments_list") == VT_UNDEF) {
		put(h, attr, "attachments", vt_str_c(h->rt, "[]"));
		put(h, attr, "attachments_list", vt_mkptr(vt_list_grow(h->rt, VT_K_TUPLE, 0)));
	}
	return true;
}

static const kind kinds[] = {
	{"OS::Neutron::Net", make_net},
	{"OS::Neutron::Subnet", make_subnet},
	{"OS::Neutron::RouterInterface", make_interface},
	{"OS::Neutron::Router", make_router},
	{"OS::Neutron::Port", make_port},
	{"OS::Neutron::FloatingIP", make_floating_ip},
	{"OS::Nova::FloatingIP", make_floating_ip},
	{"OS::Nova::Server", make_server},
	{"OS::Cinder::Volume", make_volume},
	{"OS::Heat::RandomString", make_random},
	{"OS::Heat::Value", make_value},
	{"OS::Heat::TestResource", make_value},
	{"OS::Heat::SoftwareDeployment", make_deployment},
	{"OS::Heat::StructuredDeployment", make_deployment},
};

/* ---- building ---------------------------------------------------------------------------- */

/* The record and id of a resource: those it had if it is of the same type. */
static bool
announce(hot *h, vt_value name, vt_value def, const vt_value old)
{
	vt_value type = vt_member(def, "type"),
		 had = vt_is(old, DICT) ? vt_dict_get(vt_as_dict(old), name) : VT_UNDEF;
	vt_dict *r;
	if (type == VT_NULL)
		type = vt_member(def, "Type");
	if (!vt_is(name, STR) || !vt_is(type, STR))
		return hot_refuse(h, "The Resource (%s) has no type.", vt_text_or(name, "?"));
	if (had != VT_UNDEF && vt_equal(h->rt, vt_member(had, "type"), type)) {
		r = vt_dict_copy(h->rt, vt_as_dict(had), false);
	} else {
		r = vt_dict_new_hashed(h->rt, false);
		put(h, r, "type", vt_copy(type));
		put(h, r, "id", sim_new_id(h->sim, vt_as_str(name)->s));
	}
	(void)vt_dict_set(h->rt, h->made, name, vt_mkptr(r));
	vt_release(vt_mkptr(r));
	return true;
}

bool
hot_make(hot *h, vt_value name)
{
	vt_value def = vt_dict_get(vt_as_dict(h->wanted), name),
		 state = vt_dict_get(h->state, name), r;
	bool (*fn)(hot *, vt_value, vt_dict *, vt_dict *) = make_other;
	vt_dict *attr;
	const char *type;
	bool ok;
	if (state == VT_TRUE)
		return true;
	if (state == VT_FALSE)
		return hot_refuse(h, "Circular Dependency Found: %s", vt_text_or(name, "?"));
	if (vt_too_deep(h->rt))
		return hot_refuse(h, "the resources depend on each other too deeply");
	(void)vt_dict_set(h->rt, h->state, name, VT_FALSE);
	r = vt_dict_get(h->made, name);
	type = vt_text_or(vt_member(r, "type"), "");
	for (size_t i = 0; i < VT_LEN(kinds); i++)
		if (strcmp(kinds[i].type, type) == 0)
			fn = kinds[i].make;
	attr = vt_dict_new_hashed(h->rt, false);
	h->rt->depth++;
	ok = (fn != make_server || check_parts(h, name, def)) && fn(h, def, vt_as_dict(r), attr);
	h->rt->depth--;
	put(h, vt_as_dict(r), "attr", vt_mkptr(attr));
	(void)vt_dict_set(h->rt, h->state, name, VT_TRUE);
	return ok;
}

/* The environment as a dict, owned; VT_NULL: a text that is no JSON, and there is no reader of YAML
 * here. */
static vt_value
read_environment(hot *h)
{
	enum { DEPTH = 100 };
	vt_value e = vt_dict_get_c(h->stack, "environment"), v = VT_NULL;
	char *why = NULL;
	if (!vt_is(e, STR))
		return vt_is(e, DICT) ? vt_copy(e) : vt_mkptr(vt_dict_new(h->rt, false));
	if (!vt_json_read(h->rt, vt_as_str(e)->s, vt_as_str(e)->bytes, 0, DEPTH, &v, &why))
		v = VT_NULL;
	free(why);
	return v;
}

/* What the environment has for the parameter, else the template; VT_UNDEF: nothing. */
static vt_value
usual_value(vt_value environment, vt_value key, vt_value declared)
{
	static const char *const sections[] = {"parameters", "parameter_defaults"};
	vt_value v = VT_UNDEF;
	for (size_t i = 0; i < VT_LEN(sections) && v == VT_UNDEF; i++) {
		vt_value all = vt_member(environment, sections[i]);
		v = vt_is(all, DICT) ? vt_dict_get(vt_as_dict(all), key) : VT_UNDEF;
	}
	return v == VT_UNDEF && vt_is(declared, DICT)
		       ? vt_dict_get_c(vt_as_dict(declared), "default")
		       : v;
}

/* Given, or the usual one; as texts, as Heat shows them. */
static bool
read_parameters(hot *h, vt_value environment)
{
	vt_value declared = vt_member(h->template, "parameters"),
		 given = vt_dict_get_c(h->stack, "parameters"), key, v, d;
	vt_dict *all = vt_dict_new_hashed(h->rt, false);
	vt_buf b = {0};
	h->parameters = vt_mkptr(all);
	for (uint32_t i = 0; vt_is(given, DICT) && vt_dict_at(vt_as_dict(given), &i, &key, &v);)
		if (!vt_is(declared, DICT) || vt_dict_get(vt_as_dict(declared), key) == VT_UNDEF)
			return hot_refuse(h, "The Parameter (%s) was not defined in template.",
				vt_text_or(key, "?"));
	for (uint32_t i = 0;
		vt_is(declared, DICT) && vt_dict_at(vt_as_dict(declared), &i, &key, &d);) {
		v = vt_is(given, DICT) ? vt_dict_get(vt_as_dict(given), key) : VT_UNDEF;
		if (v == VT_UNDEF)
			v = usual_value(environment, key, d);
		if (v == VT_UNDEF && environment != VT_NULL)
			return hot_refuse(
				h, "The Parameter (%s) was not provided.", vt_text_or(key, "?"));
		if (vt_is(v, STR) || vt_is(v, DICT) || vt_is_sequence(v)) {
			(void)vt_dict_set(h->rt, all, key, v);
			continue;
		}
		if (v != VT_UNDEF) /* else it is in the environment's text */
			vt_pystr(h->rt, &b, v);
		v = vt_str_take(h->rt, &b);
		(void)vt_dict_set(h->rt, all, key, v);
		vt_release(v);
	}
	return true;
}

static bool
check_outputs(hot *h)
{
	vt_value all = vt_member(h->template, "outputs"), key, v, out;
	for (uint32_t i = 0; vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &i, &key, &v);) {
		out = VT_UNDEF;
		if (!hot_eval(h, vt_member(v, "value"), &out))
			return false;
		vt_release(out);
	}
	return true;
}

static bool
build(hot *h, vt_value old)
{
	vt_value key, def, environment;
	bool ok;
	if (!vt_is(h->template, DICT))
		return hot_refuse(h, "The template is not a JSON object or YAML mapping.");
	environment = read_environment(h);
	ok = read_parameters(h, environment);
	vt_release(environment);
	if (!ok)
		return false;
	if (!vt_is(h->wanted, DICT) && h->wanted != VT_NULL)
		return hot_refuse(h, "\"resources\" must contain a map of resource maps.");
	for (uint32_t i = 0;
		h->wanted != VT_NULL && vt_dict_at(vt_as_dict(h->wanted), &i, &key, &def);)
		if (!announce(h, key, def, old))
			return false;
	for (uint32_t i = 0;
		h->wanted != VT_NULL && vt_dict_at(vt_as_dict(h->wanted), &i, &key, &def);)
		if (!hot_make(h, key))
			return false;
	return check_outputs(h);
}

static void
open_hot(hot *h, vt_sim *s, const char *region, vt_dict *stack)
{
	vt_value files = vt_dict_get_c(stack, "files");
	*h = (hot){.sim = s,
		.rt = s->rt,
		.region = region,
		.stack = stack,
		.template = vt_dict_get_c(stack, "template"),
		.parameters = VT_NULL,
		.files = files == VT_UNDEF ? VT_NULL : files};
	h->wanted = vt_member(h->template, "resources");
	if (h->wanted == VT_NULL)
		h->wanted = vt_member(h->template, "Resources");
	h->state = vt_dict_new_hashed(s->rt, false);
}

char *
sim_hot_build(vt_sim *s, const char *region, vt_dict *stack)
{
	hot h;
	vt_value old = vt_dict_get_c(stack, "resources");
	open_hot(&h, s, region, stack);
	vt_retain(old == VT_UNDEF ? VT_NULL : old);
	h.made = vt_dict_new_hashed(s->rt, false);
	vt_dict_set_c(s->rt, stack, "resources", vt_mkptr(h.made));
	s->building = h.made;
	if (build(&h, old))
		vt_dict_set_c(s->rt, stack, "parameters", vt_copy(h.parameters));
	s->building = NULL;
	vt_release(old == VT_UNDEF ? VT_NULL : old);
	vt_release(h.parameters);
	vt_release(vt_mkptr(h.state));
	return h.why;
}

/* ---- outputs ----------------------------------------------------------------------------- */

static vt_value
one_output(hot *h, vt_value key, vt_value def, bool ready)
{
	vt_dict *d = vt_dict_new(h->rt, true);
	vt_value v = VT_UNDEF, about = vt_member(def, "description");
	if (ready && !hot_eval(h, vt_member(def, "value"), &v)) {
		put(h, d, "output_error", vt_str_c(h->rt, h->why ? h->why : ""));
		free(h->why);
		h->why = NULL;
	}
	put(h, d, "output_key", vt_copy(key));
	put(h, d, "description",
		vt_is(about, STR) ? vt_copy(about) : vt_str_c(h->rt, "No description given"));
	put(h, d, "output_value", v == VT_UNDEF ? VT_NULL : v);
	return vt_mkptr(d);
}

vt_value
sim_hot_outputs(vt_sim *s, const char *region, vt_dict *stack, bool ready)
{
	hot h;
	vt_list *l = vt_list_grow(s->rt, VT_K_TUPLE, 0);
	vt_value all, key, def, made = vt_dict_get_c(stack, "resources"),
				given = vt_dict_get_c(stack, "parameters"), final = VT_UNDEF;
	open_hot(&h, s, region, stack);
	h.made = vt_as_dict(made);
	h.parameters = given == VT_UNDEF ? VT_NULL : given;
	for (uint32_t i = 0; vt_dict_at(h.made, &i, &key, &def);)
		(void)vt_dict_set(s->rt, h.state, key, VT_TRUE);
	all = vt_member(h.template, "outputs");
	for (uint32_t i = 0; vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &i, &key, &def);)
		vt_list_push(s->rt, l, one_output(&h, key, def, ready));
	vt_release(vt_mkptr(h.state));
	if (vt_final(s->rt, &vt_core_unit, vt_mkptr(l), &final) != VT_OK) {
		vt_exc_clear(s->rt);
		return vt_mkptr(l);
	}
	vt_release(vt_mkptr(l));
	return final;
}

/* ---- failures ---------------------------------------------------------------------------- */

char *
sim_hot_fails(vt_sim *s, vt_dict *stack, const char *action, double *seconds)
{
	vt_value all = vt_dict_get_c(stack, "resources"), key, r, wait;
	char *why = NULL, name[8] = {0};
	for (int i = 0; action[i] != '\0' && i < 7; i++)
		name[i] = (char)(action[i] | 0x20);
	*seconds = 0;
	for (uint32_t i = 0; vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &i, &key, &r);) {
		double d = 0;
		wait = vt_member(vt_member(r, "waits"), name);
		wait = wait != VT_NULL ? wait : vt_member(r, "wait");
		if (vt_is_number(wait) && vt_num_double(s->rt, wait, &d) == VT_OK && d > *seconds)
			*seconds = d;
		if (why == NULL && vt_member(r, "fail") == VT_TRUE && strcmp(action, "DELETE") != 0)
			why = vt_asprintf("Resource %s failed: ValueError: resources.%s: Test "
					  "Resource failed %s",
				action, vt_text_or(key, "?"), vt_text_or(key, "?"));
	}
	return why;
}

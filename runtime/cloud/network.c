/*
 * network.c - io.murano.system.NetworkExplorer (muranopl-engine.md, appendix A): questions to
 * Neutron.
 */
#include "runtime/cloud/native_class.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static const double router_patience = 30;
enum { MOST_CIDRS = 1 << 20, FIRST_SIMULATED = 43 };

static void
drop_explorer(void *data)
{
	vt_release((vt_value)(uintptr_t)data);
}

vt_status vt_network_new(vt_args *, vt_value *out);
vt_status
vt_network_new(vt_args *a, vt_value *out)
{
	vt_object *o = vt_obj_of(a->self);
	vt_object_set_native(
		o, (void *)(uintptr_t)vt_copy(vt_new_arg(a, "regionName")), drop_explorer);
	*out = VT_NULL;
	return VT_OK;
}

/* ---- requests ---------------------------------------------------------------------------- */

typedef vt_status asker(vt_rt *, const vt_service_request *, vt_value *);

/* One member of the answer, owned; VT_NULL when it is not there. */
static vt_status
ask_by(asker *by, vt_args *a, const char *method, const char *path, vt_value body,
	const char *member, vt_value *out)
{
	vt_object *o = vt_obj_of(a->self);
	vt_value held, answer = VT_UNDEF,
		       given = o->more->native ? (vt_value)(uintptr_t)o->more->native : VT_NULL;
	vt_service_request q = {.service = "network",
		.region = vt_region_of(a->rt, o, given, &held),
		.method = method,
		.path = path,
		.body = body};
	vt_status st = by(a->rt, &q, &answer);
	vt_release(held);
	if (st != VT_OK)
		return st;
	*out = vt_copy(vt_member(answer, member));
	vt_release(answer);
	return VT_OK;
}

static vt_status
ask(vt_args *a, const char *method, const char *path, vt_value body, const char *member,
	vt_value *out)
{
	return ask_by(vt_ask, a, method, path, body, member, out);
}

static vt_status get(vt_args *a, const char *member, vt_value *out, const char *fmt, ...)
	VT_PRINTF(4, 5);
static vt_status
get(vt_args *a, const char *member, vt_value *out, const char *fmt, ...)
{
	vt_buf path = {0};
	va_list ap;
	vt_status st;
	va_start(ap, fmt);
	vt_buf_vprintf(&path, fmt, ap);
	va_end(ap);
	vt_buf_putc(&path, '\0');
	st = ask(a, "GET", path.p, VT_UNDEF, member, out);
	vt_buf_free(&path);
	return st;
}

static char *
escaped(vt_value v)
{
	vt_buf b = {0};
	vt_path_escape(&b, vt_text_or(v, ""));
	vt_buf_putc(&b, '\0');
	return b.p;
}

static vt_value
first_of(vt_value list)
{
	return vt_is_sequence(list) && vt_as_list(list)->n > 0 ? vt_as_list(list)->v[0] : VT_NULL;
}

static vt_status
missing(vt_rt *rt, const char *fmt, const char *name)
{
	vt_buf b = {0};
	vt_value key;
	vt_status st;
	vt_buf_printf(&b, "Router %s %s", name, fmt);
	key = vt_str_take(rt, &b);
	st = vt_raise_key(rt, key);
	vt_release(key);
	return st;
}

/* ---- the default router ------------------------------------------------------------------ */

/* "tenant_id=...&" of the token's project, or nothing where that cannot be learned. */
static vt_status
project_filter(vt_args *a, vt_buf *b)
{
	vt_service_request q = {.service = "identity",
		.method = "GET",
		.path = "/v3/auth/tokens",
		.body = VT_UNDEF};
	vt_service_answer answer = {.body = VT_UNDEF};
	vt_value id;
	vt_cloud *c;
	VT_TRY(vt_services(a->rt, &c));
	VT_TRY(c->request(a->rt, c->services, &q, &answer));
	id = vt_member(vt_member(vt_member(answer.body, "token"), "project"), "id");
	id = vt_drawn(a->rt, answer.status < 300 ? vt_copy(id) : VT_NULL);
	if (vt_is(id, STR)) {
		vt_buf_puts(b, "tenant_id=");
		vt_path_escape(b, vt_as_str(id)->s);
		vt_buf_putc(b, '&');
	}
	vt_release(id);
	vt_service_drop(&answer);
	return VT_OK;
}

static const char routers[] = "/v2.0/routers";

static bool
looks_like_uuid(const char *s)
{
	size_t digits = 0;
	for (; *s != '\0'; s++)
		if (*s != '-' && strchr("0123456789abcdefABCDEF", *s) == NULL)
			return false;
		else
			digits += *s != '-';
	return digits == 32;
}

static vt_status
outside_network(vt_args *a, const char *router, vt_value *out)
{
	const char *name = vt_setting_text(a->rt, "networking", "external_network", "ext-net");
	vt_value text = vt_str_c(a->rt, name), list = VT_UNDEF;
	char *path = escaped(text);
	vt_status st = get(a, "networks", &list, "/v2.0/networks?%s=%s",
		looks_like_uuid(name) ? "id" : "name", path);
	free(path);
	vt_release(text);
	if (st != VT_OK)
		return st;
	*out = VT_UNDEF;
	for (uint32_t i = 0; vt_is_sequence(list) && i < vt_as_list(list)->n && *out == VT_UNDEF;
		i++)
		if (vt_is_true(vt_member(vt_as_list(list)->v[i], "router:external")))
			*out = vt_copy(vt_member(vt_as_list(list)->v[i], "id"));
	vt_release(list);
	if (*out == VT_UNDEF)
		return missing(a->rt, "could not be created, no external network found", router);
	return VT_OK;
}

/* The run that was killed may have asked for it, and not seen the answer. */
static vt_status
find_made(vt_args *a, const char *name, vt_value *id)
{
	vt_value text, list = VT_UNDEF;
	char *escaped_name, *path;
	vt_status st;
	*id = VT_NULL;
	if (!vt_journal_left(a->rt, "ask", routers))
		return VT_OK;
	text = vt_str_c(a->rt, name);
	escaped_name = escaped(text);
	path = vt_asprintf("%s?name=%s", routers, escaped_name);
	st = ask_by(vt_ask_now, a, "GET", path, VT_UNDEF, "routers", &list);
	if (st == VT_OK)
		*id = vt_copy(vt_member(first_of(list), "id"));
	vt_release(list);
	free(path);
	free(escaped_name);
	vt_release(text);
	return st;
}

static vt_status
create_router(vt_args *a, const char *name, vt_value *out)
{
	vt_dict *body, *router, *gateway;
	vt_value net = VT_UNDEF, made = VT_UNDEF;
	vt_status st;
	if (!vt_setting_bool(a->rt, "networking", "create_router", true))
		return missing(a->rt, "was not found", name);
	VT_TRY(outside_network(a, name, &net));
	st = find_made(a, name, out);
	if (st != VT_OK || *out != VT_NULL) {
		vt_release(net);
		return st;
	}
	body = vt_dict_new(a->rt, false);
	router = vt_dict_new(a->rt, false);
	gateway = vt_dict_new(a->rt, false);
	vt_dict_set_c(a->rt, gateway, "network_id", net);
	vt_dict_set_c(a->rt, router, "name", vt_str_c(a->rt, name));
	vt_dict_set_c(a->rt, router, "external_gateway_info", vt_mkptr(gateway));
	vt_dict_set_c(a->rt, router, "admin_state_up", VT_TRUE);
	vt_dict_set_c(a->rt, body, "router", vt_mkptr(router));
	st = ask(a, "POST", routers, vt_mkptr(body), "router", &made);
	vt_release(vt_mkptr(body));
	if (st == VT_OK) {
		vt_progress(a->rt, "router %s: created", name);
		*out = vt_copy(vt_member(made, "id"));
	}
	vt_release(made);
	return st;
}

static vt_status
find_router(vt_args *a, vt_value *out)
{
	const char *name =
		vt_setting_text(a->rt, "networking", "router_name", "murano-default-router");
	vt_value text = vt_str_c(a->rt, name), list = VT_UNDEF, router;
	char *escaped_name = escaped(text);
	vt_buf filter = {0};
	vt_status st = project_filter(a, &filter);
	vt_buf_putc(&filter, '\0');
	if (st == VT_OK)
		st = get(a, "routers", &list, "/v2.0/routers?%sname=%s", filter.p, escaped_name);
	vt_buf_free(&filter);
	free(escaped_name);
	vt_release(text);
	if (st != VT_OK)
		return st;
	router = first_of(list);
	if (router == VT_NULL)
		st = create_router(a, name, out);
	else if (vt_member(router, "external_gateway_info") == VT_NULL)
		st = vt_raise(a->rt, VT_E_ROUTER_INFO,
			"Please set external gateway for the router %s ", name);
	else
		*out = vt_copy(vt_member(router, "id"));
	vt_release(list);
	return st;
}

/* A router without a gateway may be one that somebody is just making. */
vt_status vt_network_router(vt_args *, vt_value *out);
vt_status
vt_network_router(vt_args *a, vt_value *out)
{
	int64_t from = vt_task_clock(a->rt);
	for (double pause = 1;; pause = pause < 8 ? 2 * pause : 10) {
		vt_status st = find_router(a, out);
		if (st == VT_OK || vt_pending(a->rt)->type != VT_E_ROUTER_INFO ||
			(double)(vt_task_clock(a->rt) - from) / 1e9 >= router_patience)
			return st;
		vt_exc_clear(a->rt);
		VT_TRY(vt_sleep(a->rt, pause));
	}
}

/* ---- a free CIDR ------------------------------------------------------------------------- */

typedef struct net {
	uint32_t base;
	unsigned bits; /* of the prefix */
} net;

static bool
read_net(const char *text, net *n)
{
	char host[INET_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	struct in_addr in;
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	unsigned long bits = slash ? strtoul(slash + 1, NULL, 10) : 32;
	if (len >= sizeof host || bits > 32)
		return false;
	memcpy(host, text, len);
	host[len] = '\0';
	if (inet_pton(AF_INET, host, &in) != 1)
		return false;
	n->bits = (unsigned)bits;
	n->base = ntohl(in.s_addr) & (bits == 0 ? 0 : UINT32_MAX << (32 - bits));
	return true;
}

static bool
overlap(net a, net b)
{
	unsigned bits = a.bits < b.bits ? a.bits : b.bits;
	return bits == 0 || (a.base ^ b.base) >> (32 - bits) == 0;
}

static unsigned
bits_for(double n)
{
	unsigned bits = 0;
	while (bits < 31 && (double)(1u << bits) < n)
		bits++;
	return bits;
}

/* The CIDRs of the subnets that a router has ports on; VT_UNDEF-free tuple of texts, owned. */
static vt_status
taken_by(vt_args *a, vt_value router, vt_list **out)
{
	vt_value ports = VT_UNDEF, subnets = VT_UNDEF, ips, subnet;
	vt_list *l = vt_list_grow(a->rt, VT_K_LIST, 0);
	vt_dict *ids = vt_dict_new_hashed(a->rt, false);
	vt_status st = VT_OK;
	if (vt_is_true(router)) {
		char *id = escaped(router);
		st = get(a, "ports", &ports, "/v2.0/ports?device_id=%s", id);
		free(id);
		if (st == VT_OK)
			st = get(a, "subnets", &subnets, "/v2.0/subnets");
	}
	for (uint32_t i = 0; st == VT_OK && vt_is_sequence(ports) && i < vt_as_list(ports)->n;
		i++) {
		ips = vt_member(vt_as_list(ports)->v[i], "fixed_ips");
		for (uint32_t k = 0; vt_is_sequence(ips) && k < vt_as_list(ips)->n; k++)
			st = vt_dict_set(
				a->rt, ids, vt_member(vt_as_list(ips)->v[k], "subnet_id"), VT_TRUE);
	}
	for (uint32_t i = 0; st == VT_OK && vt_is_sequence(subnets) && i < vt_as_list(subnets)->n;
		i++) {
		subnet = vt_as_list(subnets)->v[i];
		if (vt_dict_get(ids, vt_member(subnet, "id")) != VT_UNDEF)
			vt_list_push(a->rt, l, vt_copy(vt_member(subnet, "cidr")));
	}
	vt_release(ports);
	vt_release(subnets);
	vt_release(vt_mkptr(ids));
	if (st == VT_OK)
		*out = l;
	else
		vt_release(vt_mkptr(l));
	return st;
}

static bool
is_taken(const vt_list *taken, net n)
{
	net other;
	for (uint32_t i = 0; i < taken->n; i++)
		if (vt_is(taken->v[i], STR) && read_net(vt_as_str(taken->v[i])->s, &other) &&
			overlap(n, other))
			return true;
	return false;
}

/*
 * Where the search begins, so that environments that start together do not all want the same one.
 * The reference takes Python's hash, which differs from process to process; with
 * networking.first_cidr, as in a dry run, it is that number, and what other networks of this run
 * were given is taken.
 */
static bool
counts(vt_args *a, uint64_t *first)
{
	double n = vt_setting_number(
		a->rt, "networking", "first_cidr", a->rt->s->dry_run ? FIRST_SIMULATED : -1);
	if (n < 0 || n > MOST_CIDRS)
		return false;
	*first = (uint64_t)n;
	return true;
}

static uint64_t
place_of(vt_args *a, vt_value network)
{
	uint64_t first;
	if (counts(a, &first))
		return first;
	return vt_is(network, STR) ? vt_str_hash(vt_as_str(network)) : 0;
}

/* Was that one given to another network? */
static bool
is_given(vt_args *a, vt_value network, uint64_t i)
{
	const vt_cloud *c = vt_cloud_of(a->rt);
	vt_value key, v;
	for (uint32_t at = 0;
		c->cidrs != VT_UNDEF && vt_dict_at(vt_as_dict(c->cidrs), &at, &key, &v);)
		if (v == vt_mkint((int64_t)i) && !vt_eq(key, network))
			return true;
	return false;
}

static void
note_given(vt_args *a, vt_value network, uint64_t i)
{
	vt_cloud *c = vt_cloud_of(a->rt);
	uint64_t first;
	if (!counts(a, &first) || !vt_is(network, STR))
		return;
	if (c->cidrs == VT_UNDEF)
		c->cidrs = vt_mkptr(vt_dict_new_hashed(a->rt, false));
	(void)vt_dict_set(a->rt, vt_as_dict(c->cidrs), network, vt_mkint((int64_t)i));
}

static vt_value
show_net(vt_rt *rt, net n, bool v6)
{
	return vt_str_printf(rt, "%s%u.%u.%u.%u/%u", v6 ? "::ffff:" : "", n.base >> 24,
		n.base >> 16 & 255, n.base >> 8 & 255, n.base & 255, n.bits + (v6 ? 96 : 0));
}

vt_status vt_network_cidr(vt_args *, vt_value *out);
vt_status
vt_network_cidr(vt_args *a, vt_value *out)
{
	unsigned hosts = bits_for(vt_setting_number(a->rt, "networking", "max_hosts", 250));
	unsigned envs = bits_for(vt_setting_number(a->rt, "networking", "max_environments", 250));
	const char *template = vt_setting_text(a->rt, "networking", "env_ip_template", "10.0.0.0");
	uint64_t n = (uint64_t)1 << envs, from = place_of(a, a->v[1]);
	bool v6 = a->v[2] == vt_mkint(6);
	net all;
	vt_list *taken;
	if (hosts + envs > 32 || n > MOST_CIDRS || !read_net(template, &all))
		return vt_raise(a->rt, VT_E_VALUE,
			"the settings of networking leave no room: env_ip_template %s, "
			"max_environments, max_hosts",
			template);
	all.bits = 32 - hosts - envs;
	all.base &= all.bits == 0 ? 0 : UINT32_MAX << (32 - all.bits);
	VT_TRY(taken_by(a, a->v[0], &taken));
	*out = VT_NULL;
	for (uint64_t k = 0; k < n && *out == VT_NULL; k++) {
		uint64_t i = (from + k) % n;
		net one = {all.base + (uint32_t)(i << hosts), 32 - hosts};
		if (is_given(a, a->v[1], i) || (!v6 && is_taken(taken, one)))
			continue;
		*out = show_net(a->rt, one, v6);
		note_given(a, a->v[1], i);
	}
	vt_release(vt_mkptr(taken));
	return VT_OK;
}

/* ---- name servers ------------------------------------------------------------------------ */

vt_status vt_network_dns(vt_args *, vt_value *out);
vt_status
vt_network_dns(vt_args *a, vt_value *out)
{
	vt_value all = vt_setting(a->rt, "networking", "default_dns");
	int family = a->v[0] == vt_mkint(6)   ? AF_INET6
		     : a->v[0] == vt_mkint(4) ? AF_INET
					      : AF_UNSPEC;
	vt_list *l = vt_list_grow(a->rt, VT_K_TUPLE, 0);
	unsigned char address[16];
	for (uint32_t i = 0; all != VT_UNDEF && vt_is_sequence(all) && i < vt_as_list(all)->n;
		i++) {
		vt_value v = vt_as_list(all)->v[i];
		if (family != AF_UNSPEC && vt_is(v, STR) &&
			inet_pton(family, vt_as_str(v)->s, address) == 1)
			vt_list_push(a->rt, l, vt_copy(v));
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

/* ---- where a network leads out ----------------------------------------------------------- */

static vt_status
outside_of_router(vt_args *a, vt_value router, vt_value *out)
{
	vt_value doc = VT_UNDEF;
	char *id = escaped(router);
	vt_status st = get(a, "router", &doc, "/v2.0/routers/%s", id);
	free(id);
	if (st != VT_OK)
		return st;
	*out = vt_copy(vt_member(vt_member(doc, "external_gateway_info"), "network_id"));
	vt_release(doc);
	return VT_OK;
}

vt_status vt_network_outside_of_router(vt_args *, vt_value *out);
vt_status
vt_network_outside_of_router(vt_args *a, vt_value *out)
{
	return outside_of_router(a, a->v[0], out);
}

static vt_status
through_ports(vt_args *a, vt_value ports, vt_value *out)
{
	*out = VT_NULL;
	for (uint32_t i = 0; vt_is_sequence(ports) && i < vt_as_list(ports)->n; i++) {
		vt_value found = VT_UNDEF;
		VT_TRY(outside_of_router(
			a, vt_member(vt_as_list(ports)->v[i], "device_id"), &found));
		if (vt_is_true(found)) {
			*out = found;
			return VT_OK;
		}
		vt_release(found);
	}
	return VT_OK;
}

vt_status vt_network_outside_of_network(vt_args *, vt_value *out);
vt_status
vt_network_outside_of_network(vt_args *a, vt_value *out)
{
	char *id = escaped(a->v[0]);
	vt_value doc = VT_UNDEF, ports = VT_UNDEF;
	vt_status st = get(a, "network", &doc, "/v2.0/networks/%s", id);
	if (st == VT_OK && vt_is_true(vt_member(doc, "router:external"))) {
		*out = vt_copy(a->v[0]);
	} else if (st == VT_OK) {
		st = get(a, "ports", &ports,
			"/v2.0/ports?device_owner=network%%3Arouter_interface&network_id=%s", id);
		if (st == VT_OK)
			st = through_ports(a, ports, out);
	}
	vt_release(ports);
	vt_release(doc);
	free(id);
	return st;
}

/* ---- lists ------------------------------------------------------------------------------- */

#define LIST(name, kind) \
	vt_status name(vt_args *, vt_value *out); \
	vt_status name(vt_args *a, vt_value *out) \
	{ \
		return get(a, kind, out, "/v2.0/" kind); \
	}
LIST(vt_network_list_networks, "networks")
LIST(vt_network_list_subnets, "subnets")
LIST(vt_network_list_ports, "ports")
LIST(vt_network_list_extensions, "extensions")

#define VT_NATIVE_NetworkExplorer
#include "natives.h"

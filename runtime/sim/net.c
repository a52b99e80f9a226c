/*
 * net.c - the simulated Neutron: what the scenario or the usual cloud has, and what stacks
 * made.
 */
#include "runtime/sim/sim.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void
put(vt_sim *s, vt_dict *d, const char *name, vt_value owned)
{
	vt_dict_set_c(s->rt, d, name, owned);
}

/* ---- the cloud as it was before ---------------------------------------------------------- */

/* One router to the outside, and the network there. */
static vt_value
usual_router(vt_sim *s)
{
	vt_dict *r = vt_dict_new(s->rt, false);
	put(s, r, "id", vt_str_c(s->rt, "router-1"));
	put(s, r, "name",
		vt_str_c(s->rt, vt_setting_text(s->rt, "networking", "router_name",
					"murano-default-router")));
	put(s, r, "external_gateway_info",
		sim_object(s->rt, "network_id", vt_str_c(s->rt, "ext-net-1")));
	return vt_mkptr(r);
}

static vt_value
usual_network(vt_sim *s)
{
	vt_dict *n = vt_dict_new(s->rt, false);
	put(s, n, "id", vt_str_c(s->rt, "ext-net-1"));
	put(s, n, "name",
		vt_str_c(s->rt,
			vt_setting_text(s->rt, "networking", "external_network", "ext-net")));
	put(s, n, "router:external", VT_TRUE);
	put(s, n, "subnets", vt_mkptr(vt_list_grow(s->rt, VT_K_TUPLE, 0)));
	return vt_mkptr(n);
}

static vt_value
usual_extensions(vt_sim *s)
{
	vt_list *l = vt_list_grow(s->rt, VT_K_TUPLE, 2);
	vt_list_push(s->rt, l, sim_object(s->rt, "alias", vt_str_c(s->rt, "router")));
	vt_list_push(s->rt, l, sim_object(s->rt, "alias", vt_str_c(s->rt, "security-group")));
	return vt_mkptr(l);
}

/* What the scenario says of a region, else for all; a list, owned. */
static vt_value
given(vt_sim *s, const char *region, const char *kind)
{
	vt_value v = vt_member(
		vt_member(vt_member(vt_member(s->scenario, "regions"), region), "network"), kind);
	vt_list *l;
	if (v == VT_NULL)
		v = vt_member(vt_member(s->scenario, "network"), kind);
	if (vt_is_sequence(v))
		return vt_copy(v);
	if (strcmp(kind, "extensions") == 0)
		return usual_extensions(s);
	l = vt_list_grow(s->rt, VT_K_TUPLE, 1);
	if (strcmp(kind, "routers") == 0)
		vt_list_push(s->rt, l, usual_router(s));
	else if (strcmp(kind, "networks") == 0)
		vt_list_push(s->rt, l, usual_network(s));
	return vt_mkptr(l);
}

/* ---- what stacks made -------------------------------------------------------------------- */

static vt_value
copy_of(const vt_value r, const char *name)
{
	return vt_copy(vt_member(r, name));
}

static void
add_port(vt_sim *s, vt_list *l, vt_value id, vt_value network, vt_value device, const char *owner,
	vt_value ips)
{
	vt_dict *p = vt_dict_new(s->rt, false);
	put(s, p, "id", vt_copy(id));
	put(s, p, "network_id", vt_copy(network));
	put(s, p, "device_id", device == VT_NULL ? vt_str_c(s->rt, "") : vt_copy(device));
	put(s, p, "device_owner", vt_str_c(s->rt, owner));
	put(s, p, "fixed_ips", vt_copy(ips));
	vt_list_push(s->rt, l, vt_mkptr(p));
}

static vt_value
subnet_of(vt_dict *resources, vt_value id)
{
	vt_value key, r;
	for (uint32_t i = 0; vt_dict_at(resources, &i, &key, &r);)
		if (vt_is(id, STR) &&
			strcmp(vt_text_or(vt_member(r, "id"), ""), vt_as_str(id)->s) == 0)
			return r;
	return VT_NULL;
}

static void
add_interface(vt_sim *s, vt_list *l, vt_dict *resources, vt_value r)
{
	vt_value subnet = vt_member(r, "subnet_id");
	vt_dict *ip = vt_dict_new(s->rt, false);
	vt_list *ips = vt_list_grow(s->rt, VT_K_TUPLE, 1);
	put(s, ip, "subnet_id", vt_copy(subnet));
	put(s, ip, "ip_address", VT_NULL);
	vt_list_push(s->rt, ips, vt_mkptr(ip));
	add_port(s, l, vt_member(r, "id"), vt_member(subnet_of(resources, subnet), "network_id"),
		vt_member(r, "router_id"), "network:router_interface", vt_mkptr(ips));
	vt_release(vt_mkptr(ips));
}

static void
add_made(vt_sim *s, vt_list *l, const char *kind, vt_dict *resources, vt_value r)
{
	const char *type = vt_text_or(vt_member(r, "type"), "");
	vt_dict *d;
	if (strcmp(kind, "ports") == 0 && strcmp(type, "OS::Neutron::RouterInterface") == 0) {
		add_interface(s, l, resources, r);
		return;
	}
	if (strcmp(kind, "ports") == 0 && strcmp(type, "OS::Neutron::Port") == 0) {
		add_port(s, l, vt_member(r, "id"), vt_member(r, "network_id"),
			vt_member(r, "device_id"),
			vt_member(r, "device_id") != VT_NULL ? "compute:nova" : "",
			vt_member(r, "fixed_ips"));
		return;
	}
	if (!(strcmp(kind, "networks") == 0 && strcmp(type, "OS::Neutron::Net") == 0) &&
		!(strcmp(kind, "subnets") == 0 && strcmp(type, "OS::Neutron::Subnet") == 0) &&
		!(strcmp(kind, "routers") == 0 && strcmp(type, "OS::Neutron::Router") == 0))
		return;
	d = vt_dict_new(s->rt, false);
	put(s, d, "id", copy_of(r, "id"));
	put(s, d, "name", copy_of(r, "name"));
	if (kind[0] == 'n') {
		put(s, d, "router:external", VT_FALSE);
	} else if (kind[0] == 'r') {
		put(s, d, "external_gateway_info", copy_of(r, "gateway"));
	} else {
		put(s, d, "cidr", copy_of(r, "cidr"));
		put(s, d, "ip_version", copy_of(r, "ip_version"));
		put(s, d, "network_id", copy_of(r, "network_id"));
		put(s, d, "gateway_ip", copy_of(r, "gateway_ip"));
		put(s, d, "dns_nameservers", copy_of(r, "dns_nameservers"));
	}
	vt_list_push(s->rt, l, vt_mkptr(d));
}

/* What Neutron lists: "networks", "routers", "subnets", "ports"; a list, owned. */
static vt_value
sim_net_list(vt_sim *s, const char *region, const char *kind)
{
	vt_value before = given(s, region, kind), key, v, name, r, routers;
	vt_list *l;
	vt_dict *stacks = sim_stacks(s, region);
	if (strcmp(kind, "extensions") == 0)
		return before; /* no stack makes any, and each instance asks */
	l = vt_list_grow(s->rt, VT_K_TUPLE, 0);
	vt_list_extend(s->rt, l, vt_as_list(before)->n, vt_as_list(before)->v);
	vt_release(before);
	routers = vt_dict_get_c(sim_table(s, NULL, "routers"), region);
	if (strcmp(kind, "routers") == 0 && vt_is_sequence(routers))
		vt_list_extend(s->rt, l, vt_as_list(routers)->n, vt_as_list(routers)->v);
	for (uint32_t i = 0; vt_dict_at(stacks, &i, &key, &v);) {
		vt_value all = vt_member(v, "resources");
		for (uint32_t k = 0;
			vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &k, &name, &r);)
			add_made(s, l, kind, vt_as_dict(all), r);
	}
	return vt_mkptr(l);
}

/* ---- names and numbers ------------------------------------------------------------------- */

/* A network of the stack that is being made, or of any. A resource or a listed network, borrowed or
 * in *held. */
static vt_value
find_network(vt_sim *s, const char *region, const char *network, vt_value *held)
{
	vt_value key, r, l;
	*held = VT_NULL;
	for (uint32_t i = 0; s->building != NULL && vt_dict_at(s->building, &i, &key, &r);)
		if (strcmp(vt_text_or(vt_member(r, "type"), ""), "OS::Neutron::Net") == 0 &&
			(strcmp(vt_text_or(vt_member(r, "id"), ""), network) == 0 ||
				strcmp(vt_text_or(vt_member(r, "name"), ""), network) == 0))
			return r;
	*held = l = sim_net_list(s, region, "networks");
	for (uint32_t i = 0; i < vt_as_list(l)->n; i++)
		if (strcmp(vt_text_or(vt_member(vt_as_list(l)->v[i], "id"), ""), network) == 0 ||
			strcmp(vt_text_or(vt_member(vt_as_list(l)->v[i], "name"), ""), network) ==
				0)
			return vt_as_list(l)->v[i];
	return VT_NULL;
}

/* "id|name" of networks that were asked for are remembered: a stack of a thousand servers asks
 * often. */
vt_value
sim_net_name(vt_sim *s, const char *region, const char *network)
{
	vt_dict *names = sim_table(s, sim_table(s, NULL, "network names"), region);
	vt_value v = vt_dict_get_c(names, network), held;
	if (v != VT_UNDEF)
		return vt_copy(v);
	v = vt_copy(vt_member(find_network(s, region, network, &held), "name"));
	vt_release(held);
	if (v != VT_NULL)
		vt_dict_set_c(s->rt, names, network, vt_copy(v));
	return v;
}

int64_t
sim_net_number(vt_sim *s, const char *region, const char *network)
{
	vt_dict *numbers = sim_table(s, sim_table(s, NULL, "network numbers"), region);
	vt_value v = vt_dict_get_c(numbers, network), held, id;
	int64_t n;
	if (vt_is_int(v))
		return vt_toint(v);
	id = vt_copy(vt_member(find_network(s, region, network, &held), "id"));
	vt_release(held);
	v = vt_is(id, STR) ? vt_dict_get(numbers, id) : VT_UNDEF;
	n = vt_is_int(v) ? vt_toint(v) : sim_count(s, "networks");
	vt_dict_set_c(s->rt, numbers, network, vt_mkint(n));
	if (vt_is(id, STR))
		(void)vt_dict_set(s->rt, numbers, id, vt_mkint(n));
	vt_release(id);
	return n;
}

/* ---- requests ---------------------------------------------------------------------------- */

static bool
fits(vt_rt *rt, vt_value item, const vt_value query)
{
	vt_value key, want, v;
	vt_buf b = {0};
	bool ok = true;
	for (uint32_t i = 0; ok && vt_dict_at(vt_as_dict(query), &i, &key, &want);) {
		v = vt_is(item, DICT) ? vt_dict_get(vt_as_dict(item), key) : VT_UNDEF;
		if (v == VT_UNDEF)
			continue; /* what it does not say, it does not contradict */
		b.n = 0;
		vt_pystr(rt, &b, v);
		vt_buf_putc(&b, '\0');
		ok = strcasecmp(b.p, vt_as_str(want)->s) == 0;
	}
	vt_buf_free(&b);
	return ok;
}

static vt_status
list_some(sim_request *r, const char *kind)
{
	vt_value all = sim_net_list(r->sim, r->region, kind);
	vt_list *l = vt_list_grow(r->sim->rt, VT_K_TUPLE, 0);
	for (uint32_t i = 0; i < vt_as_list(all)->n; i++)
		if (fits(r->sim->rt, vt_as_list(all)->v[i], r->path.query))
			vt_list_push(r->sim->rt, l, vt_copy(vt_as_list(all)->v[i]));
	vt_release(all);
	r->out->body = sim_object(r->sim->rt, kind, vt_mkptr(l));
	return VT_OK;
}

static vt_status
show_one(sim_request *r, const char *kind, const char *id)
{
	vt_value all = sim_net_list(r->sim, r->region, kind), found = VT_NULL;
	char *single = vt_asprintf("%.*s", (int)strlen(kind) - 1, kind);
	for (uint32_t i = 0; i < vt_as_list(all)->n; i++)
		if (strcmp(vt_text_or(vt_member(vt_as_list(all)->v[i], "id"), ""), id) == 0)
			found = vt_as_list(all)->v[i];
	if (found != VT_NULL)
		r->out->body = sim_object(r->sim->rt, single, vt_copy(found));
	else
		(void)sim_refuse(
			r->sim, r->out, 404, "NotFound", "%s %s could not be found", single, id);
	vt_release(all);
	free(single);
	return VT_OK;
}

static vt_status
create_router(sim_request *r)
{
	vt_sim *s = r->sim;
	vt_value wanted = vt_member(r->q->body, "router"), list;
	vt_dict *d, *all = sim_table(s, NULL, "routers");
	if (!vt_is(wanted, DICT))
		return sim_refuse(s, r->out, 400, "HTTPBadRequest", "router is missing");
	sim_before(s);
	d = vt_dict_copy(s->rt, vt_as_dict(wanted), false);
	put(s, d, "id", sim_new_id(s, vt_text_or(vt_member(wanted, "name"), "router")));
	list = vt_dict_get_c(all, r->region);
	if (!vt_is(list, LIST)) {
		list = vt_mkptr(vt_list_grow(s->rt, VT_K_LIST, 1));
		vt_dict_set_c(s->rt, all, r->region, list);
	}
	vt_list_push(s->rt, vt_as_list(list), vt_copy(vt_mkptr(d)));
	r->out->status = 201;
	r->out->body = sim_object(s->rt, "router", vt_mkptr(d));
	return sim_after(s);
}

vt_status
sim_network(sim_request *r)
{
	static const char *const kinds[] = {
		"routers", "networks", "subnets", "ports", "extensions"};
	const char *what =
		r->path.n > 1 && strcmp(r->path.part[0], "v2.0") == 0 ? r->path.part[1] : "";
	if (sim_is(r, "POST", 2, "v2.0") && strcmp(what, "routers") == 0)
		return create_router(r);
	for (size_t i = 0; i < VT_LEN(kinds); i++)
		if (strcmp(kinds[i], what) == 0 && strcmp(r->q->method, "GET") == 0)
			return r->path.n == 2   ? list_some(r, kinds[i])
			       : r->path.n == 3 ? show_one(r, kinds[i], r->path.part[2])
						: sim_nothing(r);
	return sim_nothing(r);
}

/*
 * custom.c - constraints by name: those that are about the form of a text, and those that ask the
 * cloud.
 */
#include "compiler/heat/int.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool
is_address(const char *s)
{
	unsigned char buf[sizeof(struct in6_addr)];
	return inet_pton(AF_INET, s, buf) == 1 || inet_pton(AF_INET6, s, buf) == 1;
}

static bool
is_cidr(const char *s)
{
	char address[INET6_ADDRSTRLEN + 1];
	const char *slash = strchr(s, '/');
	size_t n = slash ? (size_t)(slash - s) : 0;
	if (!slash || n >= sizeof address || !slash[1] || strlen(slash + 1) > 3 ||
		strspn(slash + 1, "0123456789") != strlen(slash + 1))
		return false;
	memcpy(address, s, n);
	address[n] = 0;
	return is_address(address) && atoi(slash + 1) <= (strchr(address, ':') ? 128 : 32);
}

static bool
is_address_or_cidr(const char *s)
{
	return is_address(s) || is_cidr(s);
}

/* aa:bb:cc:dd:ee:ff, also with dashes; aabb.ccdd.eeff; or without anything between. */
static bool
is_mac(const char *s)
{
	size_t digits = 0, n = strlen(s);
	for (size_t i = 0; i < n; i++)
		if (isxdigit((unsigned char)s[i]))
			digits++;
		else if (!strchr(":-.", s[i]))
			return false;
	return digits >= 6 && digits <= 12 && (digits == 12 || n > digits);
}

static bool
is_label(const char *s, size_t n)
{
	if (n == 0 || n > 63 || s[0] == '-' || s[n - 1] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '-')
			return false;
	return true;
}

static bool
is_dns_name(const char *s)
{
	size_t n = strlen(s);
	if (n > 255)
		return false;
	for (const char *p = s, *dot; *p; p = dot + (*dot != 0)) {
		dot = strchr(p, '.');
		dot = dot ? dot : p + strlen(p);
		if (!is_label(p, (size_t)(dot - p)))
			return false;
	}
	return true;
}

static bool
is_relative_name(const char *s)
{
	size_t n = strlen(s);
	return n <= 252 && s[n - 1] != '.' && is_dns_name(s);
}

/* A domain ends with a dot, and has two labels. */
static bool
is_domain(const char *s)
{
	size_t n = strlen(s);
	const char *dot = strchr(s, '.');
	return s[n - 1] == '.' && dot && dot[1] && is_dns_name(s);
}

/* Five fields of numbers, names, stars, lists, ranges and steps. */
static bool
is_cron(const char *s)
{
	int fields = 0;
	for (const char *p = s; *p;) {
		size_t n = strcspn(p, " \t");
		fields += n > 0;
		for (size_t i = 0; i < n; i++)
			if (!isalnum((unsigned char)p[i]) && !strchr("*,-/?#", p[i]))
				return false;
		p += n;
		p += strspn(p, " \t");
	}
	return fields == 5 || fields == 6;
}

/* A date with a time, or one of these alone. */
static bool
is_stamp(const char *s)
{
	return strlen(s) >= 4 && strspn(s, "0123456789TtZz:+-. W") == strlen(s);
}

static const struct {
	const char *name, *noun;
	bool (*fits)(const char *);
} forms[] = {
	{"ip_addr", "IP address", is_address},
	{"net_cidr", "network like 10.0.0.0/24", is_cidr},
	{"ip_or_cidr", "IP address or network like 10.0.0.0/24", is_address_or_cidr},
	{"mac_addr", "MAC address", is_mac},
	{"dns_name", "DNS name", is_dns_name},
	{"rel_dns_name", "DNS name that is no whole one", is_relative_name},
	{"dns_domain", "domain like example.org.", is_domain},
	{"cron_expression", "line of cron's five fields", is_cron},
	{"iso_8601", "time like 2024-01-31T10:00:00Z", is_stamp},
	{"expiration", "time like 2024-01-31T10:00:00Z", is_stamp},
};

/* What templates name most, by the words of who reads the message. */
static const char *const things[][2] = {
	{"nova.flavor", "a flavor"},
	{"glance.image", "an image"},
	{"nova.keypair", "a key pair"},
	{"neutron.network", "a network"},
	{"neutron.subnet", "a subnet"},
	{"neutron.router", "a router"},
	{"neutron.security_group", "a security group"},
	{"cinder.vtype", "a volume type"},
	{"cinder.volume", "a volume"},
	{"cinder.snapshot", "a snapshot"},
	{"nova.server", "a server"},
};

/* All constraints of Heat 19. */
static const char *const names[] = {
	"barbican.container",
	"barbican.secret",
	"blazar.reservation",
	"cinder.backup",
	"cinder.qos_specs",
	"cinder.snapshot",
	"cinder.volume",
	"cinder.vtype",
	"cron_expression",
	"designate.zone",
	"dns_domain",
	"dns_name",
	"expiration",
	"glance.image",
	"ip_addr",
	"ip_or_cidr",
	"ironic.node",
	"ironic.portgroup",
	"iso_8601",
	"keystone.domain",
	"keystone.group",
	"keystone.project",
	"keystone.region",
	"keystone.role",
	"keystone.service",
	"keystone.user",
	"mac_addr",
	"magnum.cluster_template",
	"manila.share_network",
	"manila.share_snapshot",
	"manila.share_type",
	"mistral.workflow",
	"monasca.notification",
	"net_cidr",
	"neutron.address_scope",
	"neutron.flow_classifier",
	"neutron.lb.provider",
	"neutron.lbaas.listener",
	"neutron.lbaas.loadbalancer",
	"neutron.lbaas.pool",
	"neutron.lbaas.provider",
	"neutron.network",
	"neutron.port",
	"neutron.port_pair",
	"neutron.port_pair_group",
	"neutron.qos_policy",
	"neutron.router",
	"neutron.security_group",
	"neutron.segment",
	"neutron.subnet",
	"neutron.subnetpool",
	"neutron.taas.tap_flow",
	"neutron.taas.tap_service",
	"nova.flavor",
	"nova.host",
	"nova.keypair",
	"nova.network",
	"nova.server",
	"octavia.flavor",
	"octavia.flavorprofile",
	"octavia.l7policy",
	"octavia.listener",
	"octavia.loadbalancer",
	"octavia.pool",
	"rel_dns_name",
	"sahara.cluster",
	"sahara.cluster_template",
	"sahara.data_source",
	"sahara.image",
	"sahara.job_binary",
	"sahara.job_type",
	"sahara.plugin",
	"senlin.cluster",
	"senlin.policy",
	"senlin.policy_type",
	"senlin.profile",
	"senlin.profile_type",
	"timezone",
	"trove.flavor",
	"zaqar.queue",
};

/* Has Heat constraints of this one's family, of "nova." for "nova.flavr"? */
static bool
is_of_heat(const char *name)
{
	const char *dot = strchr(name, '.');
	size_t n = dot ? (size_t)(dot - name) + 1 : 0;
	for (size_t i = 0; n && i < VC_LEN(names); i++)
		if (!strncmp(names[i], name, n))
			return true;
	return false;
}

/* Heat refuses whatever value a constraint that it does not find is asked about. */
void
ht_custom_name(ht_template *t, const ynode *y)
{
	const char *near;
	for (size_t i = 0; i < VC_LEN(names); i++)
		if (!strcmp(names[i], y->text))
			return;
	if (is_of_heat(y->text))
		ht_report(t, VC_E2042, y->span, "there is no custom_constraint '%s'", y->text);
	else
		vc_report(t->h->c, VC_W2031, y->span,
			"Heat itself has no custom_constraint '%s': it comes from a plugin",
			y->text);
	if ((near = vt_nearest(y->text, names, VC_LEN(names))) != NULL)
		vc_did_you_mean(t->h->c, "'%s'", near);
}

const char *
ht_custom(const char *constraint, const char *text, const char **cloud)
{
	for (size_t i = 0; i < VC_LEN(forms); i++)
		if (!strcmp(forms[i].name, constraint))
			return forms[i].fits(text) ? NULL : forms[i].noun;
	for (size_t i = 0; i < VC_LEN(things); i++)
		if (!strcmp(things[i][0], constraint))
			*cloud = things[i][1];
	return NULL;
}

/*
 * keystone.c - credentials, tokens and the catalogue of an OpenStack (heat-protocol.md, section 1).
 *
 * Credentials come from the cloud that OS_CLOUD names in clouds.yaml, with secure.yaml beside it,
 * else from OS_*. They are kept under their names in clouds.yaml and leave this file only in the
 * body of the request for a token.
 */
#include "runtime/cloud/keystone.h"
#include "runtime/core/printable.h"
#include "runtime/cloud/native_class.h"
#include "runtime/text/outfile.h"
#include "runtime/core/exception.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RENEW_BEFORE = 60 /* seconds before a token expires */, FILE_MAX = 1 << 20 };

/* ---- where credentials are --------------------------------------------------------------- */

static const struct {
	const char *env, *name;
} variables[] = {
	{"OS_AUTH_URL", "auth_url"},
	{"OS_AUTH_TYPE", "auth_type"},
	{"OS_USERNAME", "username"},
	{"OS_USER_ID", "user_id"},
	{"OS_PASSWORD", "password"},
	{"OS_TOKEN", "token"},
	{"OS_TRUST_ID", "trust_id"},
	{"VETRO_USER_TOKEN", "user_token"},
	{"OS_TENANT_NAME", "project_name"},
	{"OS_TENANT_ID", "project_id"},
	{"OS_PROJECT_NAME", "project_name"},
	{"OS_PROJECT_ID", "project_id"},
	{"OS_DOMAIN_NAME", "domain_name"},
	{"OS_DOMAIN_ID", "domain_id"},
	{"OS_DEFAULT_DOMAIN", "default_domain"},
	{"OS_USER_DOMAIN_NAME", "user_domain_name"},
	{"OS_USER_DOMAIN_ID", "user_domain_id"},
	{"OS_PROJECT_DOMAIN_NAME", "project_domain_name"},
	{"OS_PROJECT_DOMAIN_ID", "project_domain_id"},
	{"OS_APPLICATION_CREDENTIAL_ID", "application_credential_id"},
	{"OS_APPLICATION_CREDENTIAL_NAME", "application_credential_name"},
	{"OS_APPLICATION_CREDENTIAL_SECRET", "application_credential_secret"},
	{"OS_REGION_NAME", "region_name"},
	{"OS_ENDPOINT_TYPE", "interface"},
	{"OS_INTERFACE", "interface"},
	{"OS_CACERT", "cacert"},
	{"OS_CERT", "cert"},
	{"OS_KEY", "key"},
	{"OS_INSECURE", "insecure"},
};

static void
put_text(vt_keystone *k, const char *name, vt_value v)
{
	vt_buf b = {0};
	if (vt_is(v, STR)) {
		vt_dict_set_c(k->rt, vt_as_dict(k->cloud), name, vt_copy(v));
	} else if (vt_is_bool(v) || vt_is_number(v)) {
		vt_json_write(k->rt, &b, v, 0);
		vt_dict_set_c(k->rt, vt_as_dict(k->cloud), name, vt_str_take(k->rt, &b));
	}
}

static void
read_environment(vt_keystone *k)
{
	for (size_t i = 0; i < VT_LEN(variables); i++) {
		const char *s = getenv(variables[i].env);
		size_t n = s ? strlen(s) : 0;
		if (n > 0 && vt_utf8_check(s, n) == n)
			vt_dict_set_c(k->rt, vt_as_dict(k->cloud), variables[i].name,
				vt_str_new(k->rt, s, n));
	}
}

/* The members of a cloud's entry and of its `auth`, flat. */
static void
put_cloud(vt_keystone *k, vt_value entry)
{
	uint32_t pos = 0;
	vt_value key, v;
	while (vt_dict_at(vt_as_dict(entry), &pos, &key, &v)) {
		if (vt_is(v, DICT) && strcmp(vt_as_str(key)->s, "auth") == 0)
			put_cloud(k, v);
		else if (strcmp(vt_as_str(key)->s, "verify") == 0)
			put_text(k, "insecure", vt_mkbool(v == VT_FALSE));
		else
			put_text(k, vt_as_str(key)->s, v);
	}
}

static vt_status
read_yaml(vt_rt *rt, const char *path, vt_value *out, bool *found)
{
	FILE *f = fopen(path, "rb");
	vt_buf b = {0};
	char *err = NULL;
	vt_status st = VT_OK;
	*found = f != NULL;
	*out = VT_UNDEF;
	if (f == NULL)
		return VT_OK;
	if (!vt_read_all(f, FILE_MAX, &b))
		err = errno == EFBIG ? vt_xstrdup("the file is larger than 1 MiB")
				     : vt_xstrdup(strerror(errno));
	fclose(f);
	if (err == NULL && vt_utf8_check(b.p ? b.p : "", b.n) != b.n)
		err = vt_xstrdup("the file is no UTF-8");
	if (err || !vt_yaml_read(rt, b.p ? b.p : "", b.n, out, &err))
		st = vt_raise(rt, VT_E_CLOUD, "%s: %s", path, err);
	free(err);
	vt_buf_free(&b);
	return st;
}

/* clouds: NAME: in one file; *found says whether the file is there. */
static vt_status
read_cloud_file(vt_keystone *k, const char *path, const char *name, bool *found, bool *named)
{
	vt_value doc, clouds, entry;
	VT_TRY(read_yaml(k->rt, path, &doc, found));
	clouds = vt_is(doc, DICT) ? vt_dict_get_c(vt_as_dict(doc), "clouds") : VT_UNDEF;
	entry = clouds != VT_UNDEF && vt_is(clouds, DICT) ? vt_dict_get_c(vt_as_dict(clouds), name)
							  : VT_UNDEF;
	*named = entry != VT_UNDEF && vt_is(entry, DICT);
	if (*named)
		put_cloud(k, entry);
	vt_release(doc);
	return VT_OK;
}

static vt_status
read_pair_of_files(
	vt_keystone *k, const char *clouds, const char *secure, const char *name, bool *found)
{
	bool named = false, has_secret = false;
	VT_TRY(read_cloud_file(k, clouds, name, found, &named));
	if (!*found)
		return VT_OK;
	if (!named)
		return vt_raise(k->rt, VT_E_CLOUD,
			"%s has no cloud named %s, which OS_CLOUD asks for", clouds, name);
	return read_cloud_file(k, secure, name, &has_secret, &named);
}

static vt_status
read_clouds(vt_keystone *k, const char *name)
{
	const char *file = getenv("OS_CLIENT_CONFIG_FILE"),
		   *secure = getenv("OS_CLIENT_SECURE_FILE");
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *dir[3] = {vt_xstrdup("."),
		config && *config ? vt_asprintf("%s/openstack", config)
				  : vt_asprintf("%s/.config/openstack", home ? home : ""),
		vt_xstrdup("/etc/openstack")};
	vt_status st = VT_OK;
	bool found = false;
	if (file && *file)
		st = read_pair_of_files(k, file, secure ? secure : "secure.yaml", name, &found);
	for (size_t i = 0; i < VT_LEN(dir); i++) {
		char *a = vt_asprintf("%s/clouds.yaml", dir[i]),
		     *b = vt_asprintf("%s/secure.yaml", dir[i]);
		if (st == VT_OK && !found && !(file && *file))
			st = read_pair_of_files(k, a, b, name, &found);
		free(a);
		free(b);
		free(dir[i]);
	}
	if (st == VT_OK && !found)
		st = vt_raise(k->rt, VT_E_CLOUD,
			"OS_CLOUD names the cloud %s, but there is no clouds.yaml here, in "
			"~/.config/openstack or in "
			"/etc/openstack; OS_CLIENT_CONFIG_FILE may name one",
			name);
	return st;
}

const char *
vt_keystone_get(const vt_keystone *k, const char *name)
{
	vt_value v = vt_dict_get_c(vt_as_dict(k->cloud), name);
	return v != VT_UNDEF && vt_as_str(v)->bytes > 0 ? vt_as_str(v)->s : NULL;
}

static const char *
first_of(const vt_keystone *k, const char *a, const char *b)
{
	const char *s = vt_keystone_get(k, a);
	return s ? s : vt_keystone_get(k, b);
}

/* How to log in, by what is there; OS_AUTH_TYPE decides where more than one is. */
enum method { BY_PASSWORD, BY_TOKEN, BY_APPLICATION };
static enum method
method_of(const vt_keystone *k)
{
	const char *type = vt_keystone_get(k, "auth_type");
	bool app = first_of(k, "application_credential_id", "application_credential_name") != NULL;
	bool token = vt_keystone_get(k, "token") != NULL;
	if (type && strstr(type, "password"))
		return BY_PASSWORD;
	if (type && strstr(type, "token"))
		return BY_TOKEN;
	return app ? BY_APPLICATION : token ? BY_TOKEN : BY_PASSWORD;
}

/* A server may say what it was sent. */
static void
register_secrets(const vt_keystone *k)
{
	static const char *const names[] = {
		"password", "token", "user_token", "application_credential_secret"};
	for (size_t i = 0; i < VT_LEN(names); i++) {
		const char *s = vt_keystone_get(k, names[i]);
		if (s)
			vt_secret_add(k->rt->s, s, strlen(s));
	}
}

static vt_status
check_credentials(vt_keystone *k)
{
	const char *missing = NULL;
	enum method how = method_of(k);
	if (!vt_keystone_get(k, "auth_url"))
		return vt_raise(k->rt, VT_E_CLOUD,
			"no OpenStack is named: set OS_AUTH_URL and the other OS_* variables, or "
			"OS_CLOUD for an entry of "
			"clouds.yaml; --dry-run needs none");
	if (how == BY_APPLICATION)
		missing = vt_keystone_get(k, "application_credential_secret")
				  ? NULL
				  : "OS_APPLICATION_CREDENTIAL_SECRET "
				    "(application_credential_secret)";
	else if (how == BY_TOKEN)
		missing = vt_keystone_get(k, "token") ? NULL : "OS_TOKEN (token)";
	else if (!first_of(k, "username", "user_id"))
		missing = "OS_USERNAME (username), OS_APPLICATION_CREDENTIAL_ID or OS_TOKEN";
	else if (!vt_keystone_get(k, "password"))
		missing = "OS_PASSWORD (password)";
	return missing ? vt_raise(k->rt, VT_E_CLOUD, "%s is not set, so nobody can log in at %s",
				 missing, vt_keystone_get(k, "auth_url"))
		       : VT_OK;
}

vt_status
vt_keystone_open(vt_rt *rt, vt_keystone *k)
{
	const char *name = getenv("OS_CLOUD");
	*k = (vt_keystone){.rt = rt, .catalog = VT_NULL, .user = VT_NULL, .project = VT_NULL};
	k->cloud = vt_mkptr(vt_dict_new(rt, false));
	if (name && *name)
		VT_TRY(read_clouds(k, name));
	else
		read_environment(k);
	register_secrets(k);
	VT_TRY(check_credentials(k));
	k->http = vt_net_new(rt);
	return VT_OK;
}

void
vt_keystone_close(vt_keystone *k)
{
	vt_net_free(k->http);
	vt_free_secret(k->token);
	vt_clear(&k->cloud);
	vt_clear(&k->catalog);
	vt_clear(&k->user);
	vt_clear(&k->project);
}

/* ---- requests ---------------------------------------------------------------------------- */

void
vt_keystone_options(const vt_keystone *k, vt_net_request *q)
{
	q->ca_file = vt_keystone_get(k, "cacert");
	q->cert_file = vt_keystone_get(k, "cert");
	q->key_file = vt_keystone_get(k, "key");
	q->insecure = vt_says_yes(vt_keystone_get(k, "insecure"));
	q->connect_timeout = vt_setting_number(k->rt, "http", "connect_timeout", 20);
	q->timeout = vt_setting_number(k->rt, "http", "timeout", 300);
	q->stall_timeout = vt_setting_number(k->rt, "http", "stall_timeout", 60);
}

static const char *
advice(enum vt_net_error e)
{
	switch (e) {
	case VT_NET_E_RESOLVE:
		return "; is the host's name right (OS_AUTH_URL, or the catalogue's endpoint)?";
	case VT_NET_E_CONNECT: return "; is the service running there?";
	case VT_NET_E_TLS: return "; OS_CACERT names the file of certificates to trust";
	case VT_NET_E_TIMEOUT: return "; the limit is in --settings, group http";
	case VT_NET_E_UNAVAILABLE: return "; install that, or build with --static";
	case VT_NET_OK:
	case VT_NET_E_URL:
	case VT_NET_E_TRUNCATED:
	case VT_NET_E_TOO_LARGE:
	case VT_NET_E_REDIRECT:
	case VT_NET_E_PROTOCOL:
	case VT_NET_E_OTHER: break;
	}
	return "";
}

vt_status
vt_keystone_unreachable(vt_rt *rt, const vt_net_request *q, const vt_net_response *r)
{
	vt_cloud_of(rt)->again = !vt_net_may_retry(r->error) ? VT_AGAIN_NEVER
				 : r->error == VT_NET_E_CONNECT || r->error == VT_NET_E_RESOLVE
					 ? VT_AGAIN_ANY
					 : VT_AGAIN_READING;
	return vt_raise(
		rt, VT_E_CLOUD, "%s %.*s%s", q->method, VT_WHOLE(r->message), advice(r->error));
}

/* ---- the request for a token ------------------------------------------------------------- */

static vt_dict *
member(vt_rt *rt, vt_dict *of, const char *name)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, of, name, vt_mkptr(d));
	return d;
}

static void
put(const vt_keystone *k, vt_dict *d, const char *name, const char *value)
{
	if (value)
		vt_dict_set_c(k->rt, d, name, vt_str_c(k->rt, value));
}

/* {"id"} or {"name"} of a domain; what is not said is the default domain. */
static void
put_domain(const vt_keystone *k, vt_dict *of, const char *id, const char *name)
{
	vt_dict *d = member(k->rt, of, "domain");
	const char *by_id = vt_keystone_get(k, id), *by_name = vt_keystone_get(k, name);
	const char *other = vt_keystone_get(k, "default_domain");
	if (by_id)
		put(k, d, "id", by_id);
	else if (by_name)
		put(k, d, "name", by_name);
	else
		put(k, d, "id", other ? other : "default");
}

static void
put_user(const vt_keystone *k, vt_dict *of)
{
	vt_dict *u = member(k->rt, of, "user");
	const char *id = vt_keystone_get(k, "user_id");
	if (id) {
		put(k, u, "id", id);
	} else {
		put(k, u, "name", vt_keystone_get(k, "username"));
		put_domain(k, u, "user_domain_id", "user_domain_name");
	}
}

static void
put_password(const vt_keystone *k, vt_dict *identity)
{
	vt_dict *m = member(k->rt, identity, "password");
	put_user(k, m);
	put(k, vt_as_dict(vt_dict_get_c(m, "user")), "password", vt_keystone_get(k, "password"));
}

static void
put_application(const vt_keystone *k, vt_dict *identity)
{
	vt_dict *m = member(k->rt, identity, "application_credential");
	const char *id = vt_keystone_get(k, "application_credential_id");
	put(k, m, "id", id);
	if (!id) {
		put(k, m, "name", vt_keystone_get(k, "application_credential_name"));
		put_user(k, m);
	}
	put(k, m, "secret", vt_keystone_get(k, "application_credential_secret"));
}

/* A trust decides everything; an application credential has its project. */
static void
put_scope(const vt_keystone *k, vt_dict *auth)
{
	const char *trust = vt_keystone_get(k, "trust_id"), *id = vt_keystone_get(k, "project_id");
	const char *name = vt_keystone_get(k, "project_name");
	if (trust) {
		put(k, member(k->rt, member(k->rt, auth, "scope"), "OS-TRUST:trust"), "id", trust);
	} else if (id) {
		put(k, member(k->rt, member(k->rt, auth, "scope"), "project"), "id", id);
	} else if (name) {
		vt_dict *p = member(k->rt, member(k->rt, auth, "scope"), "project");
		put(k, p, "name", name);
		put_domain(k, p, "project_domain_id", "project_domain_name");
	} else if (first_of(k, "domain_id", "domain_name")) {
		put_domain(k, member(k->rt, auth, "scope"), "domain_id", "domain_name");
	}
}

static vt_value
token_request(const vt_keystone *k)
{
	vt_dict *root = vt_dict_new(k->rt, false), *auth = member(k->rt, root, "auth");
	vt_dict *identity = member(k->rt, auth, "identity");
	vt_list *methods = vt_list_grow(k->rt, VT_K_LIST, 1);
	static const char *const names[] = {"password", "token", "application_credential"};
	enum method how = method_of(k);
	vt_list_push(k->rt, methods, vt_str_c(k->rt, names[how]));
	vt_dict_set_c(k->rt, identity, "methods", vt_mkptr(methods));
	if (how == BY_APPLICATION)
		put_application(k, identity);
	else if (how == BY_TOKEN)
		put(k, member(k->rt, identity, "token"), "id", vt_keystone_get(k, "token"));
	else
		put_password(k, identity);
	if (how != BY_APPLICATION)
		put_scope(k, auth);
	return vt_mkptr(root);
}

/* ---- the answer -------------------------------------------------------------------------- */

/* Keystone writes 2026-11-22T00:54:44.000000Z.  What cannot be read is taken for an hour. */
static int64_t
read_time(const char *s)
{
	struct tm t = {0};
	if (s == NULL || sscanf(s, "%4d-%2d-%2dT%2d:%2d:%2d", &t.tm_year, &t.tm_mon, &t.tm_mday,
				 &t.tm_hour, &t.tm_min, &t.tm_sec) != 6)
		return (int64_t)time(NULL) + 3600;
	t.tm_year -= 1900;
	t.tm_mon -= 1;
	return (int64_t)timegm(&t);
}

static vt_status
refused(vt_keystone *k, const char *url, const vt_net_response *r, vt_value doc)
{
	const char *why = vt_text_or(vt_member(vt_member(doc, "error"), "message"), NULL);
	const char *hint = r->status == 401   ? "; check user, password, project and their domains"
			   : r->status == 404 ? "; OS_AUTH_URL should end in /v3"
					      : "";
	char *shown = vt_net_shown(url);
	vt_status st;
	vt_cloud_of(k->rt)->again = r->status < 500 ? VT_AGAIN_NEVER : VT_AGAIN_ANY;
	st = vt_raise(k->rt, VT_E_CLOUD, "POST %s: %d%s%s%s", shown, r->status, why ? ": " : "",
		why ? why : "", hint);
	free(shown);
	return st;
}

static vt_status
no_token(vt_keystone *k, const char *url, const vt_net_response *r)
{
	char *shown = vt_net_shown(url);
	vt_status st = vt_raise(k->rt, VT_E_CLOUD,
		"POST %s answered %d, but not with a token: is that Keystone's version 3 "
		"(OS_AUTH_URL)?",
		shown, r->status);
	vt_cloud_of(k->rt)->again = VT_AGAIN_NEVER;
	free(shown);
	return st;
}

static vt_status
take_token(vt_keystone *k, const char *url, const vt_net_response *r)
{
	const char *token = vt_net_get(r, "X-Subject-Token");
	vt_value doc = VT_UNDEF;
	char *err = NULL;
	vt_status st = VT_OK;
	if (!vt_json_read(k->rt, r->body, r->nbody, 0, 0, &doc, &err))
		doc = VT_NULL;
	if (r->status / 100 != 2)
		st = refused(k, url, r, doc);
	else if (token == NULL || !vt_is(vt_member(doc, "token"), DICT))
		st = no_token(k, url, r);
	if (st == VT_OK) {
		vt_value t = vt_member(doc, "token"), catalog = vt_member(t, "catalog");
		vt_free_secret(k->token);
		k->token = vt_xstrdup(token);
		vt_secret_add(k->rt->s, token, strlen(token));
		k->expires = read_time(vt_text_or(vt_member(t, "expires_at"), NULL));
		vt_move(&k->catalog, vt_is_sequence(catalog) ? vt_copy(catalog) : VT_NULL);
		vt_move(&k->user, vt_copy(vt_member(t, "user")));
		vt_move(&k->project, vt_copy(vt_member(t, "project")));
	}
	free(err);
	vt_release(doc);
	return st;
}

/* OS_AUTH_URL may lack its version. */
static char *
token_url(const vt_keystone *k)
{
	const char *base = vt_keystone_get(k, "auth_url");
	int n = (int)strlen(base);
	while (n > 0 && base[n - 1] == '/')
		n--;
	return vt_asprintf("%.*s%s/auth/tokens", n, base,
		n > 2 && !memcmp(base + n - 3, "/v3", 3) ? "" : "/v3");
}

static vt_status
ask(vt_keystone *k)
{
	const vt_net_field fields[] = {{"Content-Type", "application/json", false},
		{"Accept", "application/json", false}, {"User-Agent", "vetro", false}};
	char *url = token_url(k);
	vt_value body = token_request(k);
	vt_buf b = {0};
	vt_net_request q = {
		.method = "POST", .url = url, .field = fields, .nfields = VT_LEN(fields)};
	vt_net_response r = {0};
	vt_status st;
	vt_json_write(k->rt, &b, body, 0);
	vt_release(body);
	q.body = b.p;
	q.nbody = b.n;
	vt_keystone_options(k, &q);
	st = vt_net_run(k->rt, k->http, &q, &r);
	if (st == VT_OK)
		st = r.message ? vt_keystone_unreachable(k->rt, &q, &r) : take_token(k, url, &r);
	/* An address that never worked is rather wrong than overloaded. */
	if (st != VT_OK && k->token == NULL &&
		(r.error == VT_NET_E_CONNECT || r.error == VT_NET_E_RESOLVE))
		vt_cloud_of(k->rt)->again = VT_AGAIN_NEVER;
	vt_net_response_free(&r);
	explicit_bzero(b.p, b.n);
	vt_buf_free(&b);
	free(url);
	return st;
}

static bool
lasts(const vt_keystone *k, const char *refused_token)
{
	return k->token && (int64_t)time(NULL) + RENEW_BEFORE < k->expires &&
	       !(refused_token && strcmp(refused_token, k->token) == 0);
}

vt_status
vt_keystone_token(vt_keystone *k, const char *refused_token)
{
	vt_status st;
	while (k->asking)
		VT_TRY(vt_sleep(k->rt, 0.01));
	if (lasts(k, refused_token))
		return VT_OK;
	k->asking = true;
	st = ask(k);
	k->asking = false;
	return st;
}

/* ---- the catalogue ----------------------------------------------------------------------- */

/* murano.conf's name for a service's group. */
static const char *
group_of(const char *service)
{
	static const char *const groups[][2] = {{"orchestration", "heat"}, {"network", "neutron"},
		{"workflow", "mistral"}, {"workflowv2", "mistral"}, {"image", "glance"},
		{"identity", "keystone"}};
	for (size_t i = 0; i < VT_LEN(groups); i++)
		if (strcmp(groups[i][0], service) == 0)
			return groups[i][1];
	return service;
}

/* "publicURL" and "public" are the same. */
static bool
same_interface(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	n -= n > 3 && strcmp(a + n - 3, "URL") == 0 ? 3 : 0;
	m -= m > 3 && strcmp(b + m - 3, "URL") == 0 ? 3 : 0;
	return n == m && strncmp(a, b, n) == 0;
}

static const char *
endpoint_in(vt_value endpoints, const char *interface, const char *region)
{
	for (uint32_t i = 0; vt_is_sequence(endpoints) && i < vt_as_list(endpoints)->n; i++) {
		vt_value e = vt_as_list(endpoints)->v[i];
		const char *kind = vt_text_or(vt_member(e, "interface"), NULL),
			   *in = vt_text_or(vt_member(e, "region_id"), NULL);
		in = in ? in : vt_text_or(vt_member(e, "region"), NULL);
		if (kind && same_interface(kind, interface) &&
			(!*region || (in && strcmp(in, region) == 0)))
			return vt_text_or(vt_member(e, "url"), NULL);
	}
	return NULL;
}

static const char *
endpoint_of(vt_keystone *k, const char *service, const char *interface, const char *region)
{
	for (uint32_t i = 0; vt_is_sequence(k->catalog) && i < vt_as_list(k->catalog)->n; i++) {
		vt_value s = vt_as_list(k->catalog)->v[i];
		const char *type = vt_text_or(vt_member(s, "type"), NULL), *url;
		if (type && strcmp(type, service) == 0 &&
			(url = endpoint_in(vt_member(s, "endpoints"), interface, region)) != NULL)
			return url;
	}
	return NULL;
}

vt_status
vt_keystone_endpoint(vt_keystone *k, const char *service, const char *region, char **out)
{
	const char *group = group_of(service), *url = vt_setting_text(k->rt, group, "url", "");
	const char *home =
		vt_setting_text(k->rt, "murano", "home_region", vt_keystone_get(k, "region_name"));
	const char *interface = vt_keystone_get(k, "interface");
	size_t n;
	region = region && *region ? region : home ? home : "";
	interface =
		vt_setting_text(k->rt, group, "endpoint_type", interface ? interface : "public");
	if (*url == '\0')
		url = endpoint_of(k, service, interface, region);
	if (url == NULL) { /* a catalogue changes with a new token at the earliest */
		vt_cloud_of(k->rt)->again = VT_AGAIN_NEVER;
		return vt_raise(k->rt, VT_E_CLOUD,
			"the catalogue of %s has no %s endpoint of a service of type %s%s%s; "
			"openstack catalog list shows "
			"what there is",
			vt_keystone_get(k, "auth_url"), interface, service,
			*region ? " in region " : "", region);
	}
	for (n = strlen(url); n > 0 && url[n - 1] == '/'; n--)
		;
	*out = vt_asprintf("%.*s", (int)n, url);
	return VT_OK;
}

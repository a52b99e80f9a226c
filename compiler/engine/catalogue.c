/*
 * catalogue.c - which packages a task needs: asks murano-api as murano-engine does, fetches each id
 * once, and follows what the packages require.
 *
 * The core library is vetro's own unless the catalogue has one with another content.  Its
 * io.murano.applications stands for the catalogue's only where there is none.
 *
 * A package stays a zip file in the cache; whoever opens it holds its names inside
 * (compiler/murano/archive.c).  Beside it stands what its manifest says, ID.json.
 */
#define _GNU_SOURCE
#include "compiler/engine/courier.h"
#include "compiler/murano/package.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PACKAGES = 500, META_MAX = 16 << 20 };
static const char dsl[] = "murano.dsl.exceptions";

/* A package of [engine] load_packages_from. */
typedef struct local {
	char *path, *key;
	vt_value meta;
} local;

/* A package io.murano that was compared with murano 14's. */
typedef struct core_seen {
	char *key;
	bool differs;
} core_seen;

typedef struct found {
	char *path, *key; /* key: of the program that has it */
	vt_value meta;    /* {"name", "version", "require": {name: spec}, "classes": [names]} */
} found;

typedef struct search {
	courier *c;
	const identity *who;
	const char *project;
	vt_value pins;    /* {package: [versions]}, of the run before */
	vt_dict *by_name; /* {package: [versions]} of this one */
	found v[MOST_PACKAGES];
	uint32_t n;
	const char *core[ENG_CORES]; /* paths of core libraries that are among them; borrowed */
	uint32_t ncores;
	bool asked_applications;
	lack *why;
} search;

/* ---- the core library -------------------------------------------------------------------- */

static const char core_package[] = "io.murano", applications[] = "io.murano.applications";

struct core_class {
	struct {
		char *name;
		const char *package;
	} * v;
	size_t n;
};

static void
add_core(struct core_class *k, const char *package, const char *s, size_t n)
{
	size_t i = k->n;
	(void)vt_push(k->v, k->n);
	k->v[i].name = vt_xstrndup(s, n);
	k->v[i].package = package;
}

/* The names below Classes: of a manifest of ours. */
static void
read_core(vc *c, struct core_class *k, const char *package)
{
	vc_source *s = vc_files_read(c, vc_files_assets(c, package), "manifest.yaml");
	bool in = false;
	for (const char *p = s ? s->text : NULL; p != NULL && *p;) {
		const char *end = strchrnul(p, '\n'), *name = p + strspn(p, " ");
		const char *colon = memchr(name, ':', (size_t)(end - name));
		if (name == p && colon != NULL)
			in = strncmp(p, "Classes:", 8) == 0;
		else if (in && colon != NULL && *name != '#')
			add_core(k, package, name, (size_t)(colon - name));
		p = *end ? end + 1 : NULL;
	}
}

/* The package of ours that has the class, or NULL. */
static const char *
core_package_of(courier *c, const char *name)
{
	if (c->core == NULL) {
		const vc_native *n;
		vc *x = vc_new();
		c->core = vt_xzalloc(sizeof *c->core);
		read_core(x, c->core, core_package);
		read_core(x, c->core, applications);
		for (uint32_t i = 0; (n = vc_native_at(i)) != NULL; i++)
			add_core(c->core, core_package, n->fqn, strlen(n->fqn));
		vc_free(x);
	}
	for (size_t i = 0; i < c->core->n; i++)
		if (strcmp(c->core->v[i].name, name) == 0)
			return c->core->v[i].package;
	return NULL;
}

/* ---- what a package says of itself ------------------------------------------------------- */

static void
set(vt_rt *rt, vt_dict *d, const char *name, const char *s)
{
	vt_dict_set_c(rt, d, name, vt_str_c(rt, s));
}

/* Whatever is wrong in it is said when it is compiled. */
static vt_value
look_into(vt_rt *rt, const char *path)
{
	vc *c = vc_new();
	const mpl_package *p = vc_package_load(c, path, true);
	vt_dict *d = vt_dict_new(rt, false), *require = vt_dict_new(rt, false);
	vt_list *classes = vt_list_grow(rt, VT_K_LIST, 8);
	for (uint32_t i = 0; p != NULL && i < p->nrequire; i++)
		set(rt, require, p->require[i].name, p->require[i].spec ? p->require[i].spec : "");
	for (uint32_t i = 0; p != NULL && i < p->nclasses; i++)
		vt_list_push(rt, classes, vt_str_c(rt, p->classes[i]->name));
	set(rt, d, "name", p ? p->name : "");
	set(rt, d, "version", p ? p->version : "0.0.0");
	vt_dict_set_c(rt, d, "require", vt_mkptr(require));
	vt_dict_set_c(rt, d, "classes", vt_mkptr(classes));
	vc_free(c);
	return vt_mkptr(d);
}

static vt_value
meta_of(courier *c, const char *id, const char *path)
{
	char *name = vt_asprintf("%s/%s.json", c->folder, id), *err = NULL;
	vt_value meta = VT_UNDEF;
	vt_buf b = {0};
	if (!vt_read_file(name, META_MAX, &b) ||
		!vt_json_read(c->rt, b.p ? b.p : "", b.n, VT_JSON_MUTABLE, 0, &meta, &err)) {
		meta = look_into(c->rt, path);
		b.n = 0;
		vt_json_write(c->rt, &b, meta, 0);
		(void)vt_replace_file(name, b.p, b.n, VT_FILE_PRIVATE);
	}
	free(err);
	free(name);
	vt_buf_free(&b);
	return meta;
}

static bool
has_class(vt_value meta, const char *name)
{
	vt_value all = eng_member(meta, "classes");
	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++)
		if (vt_is(vt_as_list(all)->v[i], STR) &&
			strcmp(vt_as_str(vt_as_list(all)->v[i])->s, name) == 0)
			return true;
	return false;
}

/* ---- folders ----------------------------------------------------------------------------- */

static void
add_local(courier *c, const char *folder, const char *name)
{
	char *path = vt_asprintf("%s/%s", folder, name), *inner;
	struct stat st;
	bool is = stat(path, &st) == 0 && S_ISREG(st.st_mode) && vc_is_zip(path);
	inner = vt_asprintf("%s/manifest.yaml", path);
	if (!is)
		is = stat(inner, &st) == 0;
	free(inner);
	if (is) {
		local *l = &vt_push(c->local, c->nlocal);
		*l = (local){path, vt_asprintf("%s:%lld", path, (long long)st.st_mtim.tv_sec),
			look_into(c->rt, path)};
		return;
	}
	free(path);
}

static void
read_locals(courier *c)
{
	char **folders = eng_conf_list(c->conf, "engine", "load_packages_from");
	c->asked_local = true;
	for (char **f = folders; *f; f++) {
		DIR *all = opendir(*f);
		if (all == NULL)
			eng_log(ENG_WARNING, NULL, "[engine] load_packages_from: %s: %s", *f,
				strerror(errno));
		for (struct dirent *e; all != NULL && (e = readdir(all)) != NULL;)
			if (e->d_name[0] != '.')
				add_local(c, *f, e->d_name);
		if (all != NULL)
			closedir(all);
	}
	free(folders);
}

/* ---- where murano-api is ----------------------------------------------------------------- */

static const char *
url_in(vt_value endpoints, const char *interface, const char *region)
{
	size_t n = strcspn(interface, "U");
	for (uint32_t i = 0; vt_is_sequence(endpoints) && i < vt_as_list(endpoints)->n; i++) {
		vt_value e = vt_as_list(endpoints)->v[i];
		const char *kind = eng_text(e, "interface"), *in = eng_text(e, "region_id");
		if (kind && strncmp(kind, interface, n) == 0 &&
			(!region || !in || strcmp(in, region) == 0))
			return eng_text(e, "url");
	}
	return NULL;
}

/* The catalogue comes with a token; GET of it shows it to whoever has that. */
static bool
find_murano(search *s)
{
	courier *c = s->c;
	const char *url = eng_conf_text(c->conf, "murano", "url");
	const char *region = eng_conf_text(c->conf, "DEFAULT", "home_region");
	vt_net_response r;
	vt_value doc = VT_UNDEF, all;
	char *err = NULL, *from;
	if (c->murano != NULL)
		return true;
	if (url != NULL && *url) {
		c->murano = vt_xstrndup(url, strlen(url) - vt_ends_with(url, "/"));
		return true;
	}
	from = vt_asprintf("%s/auth/catalog", eng_auth_url(c->conf));
	if (!eng_ask(c, "GET", from, s->who->token, NULL, &r, s->why)) {
		free(from);
		return false;
	}
	free(from);
	if (vt_json_read(c->rt, r.body, r.nbody, 0, 100, &doc, &err)) {
		all = eng_member(doc, "catalog");
		for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++) {
			vt_value e = vt_as_list(all)->v[i];
			const char *type = eng_text(e, "type");
			url = type && strcmp(type, "application-catalog") == 0
				      ? url_in(eng_member(e, "endpoints"),
						eng_conf_text(c->conf, "murano", "endpoint_type"),
						region)
				      : NULL;
			if (url != NULL && c->murano == NULL)
				c->murano = vt_xstrndup(url, strlen(url) - vt_ends_with(url, "/"));
		}
		vt_release(doc);
	}
	free(err);
	vt_net_response_free(&r);
	return c->murano != NULL ||
	       eng_lacks(s->why, false, "EndpointNotFound", "keystoneauth1.exceptions.catalog",
		       "the catalogue has no application-catalog: set [murano] url");
}

/* ---- asking the catalogue ---------------------------------------------------------------- */

static void
put_escaped(vt_buf *b, const char *s)
{
	for (; *s; s++)
		if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			(*s >= '0' && *s <= '9') || strchr("-._~", *s))
			vt_buf_putc(b, *s);
		else
			vt_buf_printf(b, "%%%02X", (unsigned char)*s);
}

/* ">=0.0.0,<1.0.0" as version=ge:0.0.0&version=lt:1.0.0 */
static void
put_versions(vt_buf *b, const char *spec)
{
	static const char *const ops[][2] = {{">=", "ge:"}, {"<=", "le:"}, {"!=", "ne:"},
		{"==", "eq:"}, {">", "gt:"}, {"<", "lt:"}, {"=", "eq:"}};
	while (*spec) {
		size_t n = strcspn(spec, ","), op = 0;
		char *one = vt_xstrndup(spec, n), *v = one;
		for (; op < sizeof ops / sizeof *ops; op++)
			if (strncmp(one, ops[op][0], strlen(ops[op][0])) == 0)
				break;
		if (op < sizeof ops / sizeof *ops)
			v += strlen(ops[op][0]);
		vt_buf_puts(b, "&version=");
		put_escaped(b, op < sizeof ops / sizeof *ops ? ops[op][1] : "eq:");
		put_escaped(b, v);
		free(one);
		spec += n + (spec[n] == ',');
	}
}

/* The owner's, else the last public one, else the last. Borrowed, or VT_NULL. */
static vt_value
best_of(vt_value all, const char *project)
{
	vt_value public = VT_NULL, other = VT_NULL;
	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++) {
		vt_value p = vt_as_list(all)->v[i];
		const char *owner = eng_text(p, "owner_id");
		if (owner && project && strcmp(owner, project) == 0)
			return p;
		if (eng_member(p, "is_public") == VT_TRUE)
		public = p;
		else other = p;
	}
	return public != VT_NULL ? public : other;
}

/* Its clock, in whole seconds: what tells a deployment from the next one. */
static void
see_clock(courier *c, const vt_net_response *r)
{
	const char *date = vt_net_get(r, "Date");
	struct tm t = {0};
	if (date && strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &t) != NULL)
		c->seen = (int64_t)timegm(&t);
}

/* *doc: what the api says; false: it says nothing now, which why tells. */
static bool
ask_catalogue(search *s, const char *what, const char *name, const char *spec, vt_value *doc)
{
	vt_buf url = {0};
	vt_net_response r;
	char *err = NULL;
	bool ok;
	*doc = VT_NULL;
	if (!find_murano(s))
		return false;
	vt_buf_printf(&url, "%s/v1/catalog/packages?%s=", s->c->murano, what);
	put_escaped(&url, name);
	put_versions(&url, spec);
	vt_buf_printf(&url, "&catalog=True&limit=%lld",
		(long long)eng_conf_number(s->c->conf, "murano", "limit_param_default"));
	ok = eng_ask(s->c, "GET", url.p, s->who->token, NULL, &r, s->why);
	vt_buf_free(&url);
	if (!ok)
		return false;
	see_clock(s->c, &r);
	if (r.status == 401 && s->who->trust)
		eng_forget_token(s->c, s->who->trust);
	if (r.status >= 500 || r.status == 401)
		ok = eng_lacks(s->why, r.status >= 500 || s->who->trust != NULL, "Unauthorized",
			"keystoneauth1.exceptions.http", "murano-api answers %d to a look-up of %s",
			r.status, name);
	else if (r.status == 200 &&
		 !vt_json_read(s->c->rt, r.body, r.nbody, VT_JSON_MUTABLE, 200, doc, &err))
		*doc = VT_NULL;
	free(err);
	vt_net_response_free(&r);
	return ok;
}

static bool
is_id(const char *s)
{
	return s != NULL && strlen(s) >= 8 && strlen(s) <= 64 &&
	       strspn(s, "0123456789abcdefABCDEF-") == strlen(s);
}

static bool
fetch(search *s, const char *id, const char *path)
{
	vt_net_response r;
	char *url;
	bool ok;
	if (access(path, R_OK) == 0)
		return true;
	url = vt_asprintf("%s/v1/catalog/packages/%s/download", s->c->murano, id);
	ok = eng_ask(s->c, "GET", url, s->who->token, NULL, &r, s->why);
	free(url);
	if (!ok)
		return false;
	if (r.status != 200)
		ok = eng_lacks(s->why, r.status >= 500, "PackageLoadError", dsl,
			"murano-api answers %d to the download of package %s", r.status, id);
	else if (!vt_replace_file(path, r.body, r.nbody, VT_FILE_PRIVATE))
		ok = eng_lacks(
			s->why, false, "PackageLoadError", dsl, "%s: %s", path, strerror(errno));
	vt_net_response_free(&r);
	return ok;
}

static bool
add(search *s, char *path, char *key, vt_value meta)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].key, key) == 0) {
			free(path);
			free(key);
			vt_release(meta);
			return true;
		}
	if (s->n == MOST_PACKAGES) {
		free(path);
		free(key);
		vt_release(meta);
		return eng_lacks(s->why, false, "PackageLoadError", dsl,
			"the task needs more packages than 500");
	}
	s->v[s->n++] = (found){path, key, meta};
	return true;
}

/* Said once for each content, for it is everybody's package. */
static bool
core_differs(courier *c, const char *key, const char *path)
{
	vt_buf names = {0};
	core_seen *k;
	for (uint32_t i = 0; i < c->ncores; i++)
		if (strcmp(c->cores[i].key, key) == 0)
			return c->cores[i].differs;
	k = &vt_push(c->cores, c->ncores);
	*k = (core_seen){vt_xstrdup(key), eng_core_differs(path, &names)};
	if (k->differs)
		eng_log(ENG_WARNING, NULL,
			"io.murano of the catalogue (%s) is not murano 14's: it is used in place "
			"of vetro's own; what differs: %.*s",
			key, (int)names.n, names.p);
	vt_buf_free(&names);
	return c->cores[c->ncores - 1].differs;
}

/* *there: somebody has it */
static bool
look_up(search *s, const char *what, const char *name, const char *spec, bool *there)
{
	vt_value doc, best;
	const char *id;
	char *path;
	bool ok;
	*there = false;
	if (!ask_catalogue(s, what, name, spec, &doc))
		return false;
	best = best_of(eng_member(doc, "packages"), s->project);
	id = eng_text(best, "id");
	if (!is_id(id)) {
		vt_release(doc);
		return true;
	}
	path = vt_asprintf("%s/%s.zip", s->c->folder, id);
	ok = fetch(s, id, path);
	if (ok && (strcmp(name, core_package) != 0 || core_differs(s->c, id, path)))
		ok = add(s, vt_xstrdup(path), vt_xstrdup(id), meta_of(s->c, id, path));
	*there = ok;
	free(path);
	vt_release(doc);
	return ok;
}

/* ---- what is needed ---------------------------------------------------------------------- */

/* Clauses as the catalogue knows them; malloc'd, NULL: it is no specification. */
static char *
clauses(search *s, const char *spec)
{
	vt_value text = vt_str_c(s->c->rt, spec), out = VT_UNDEF;
	char *made = NULL;
	if (vt_version_spec(s->c->rt, text, &out) == VT_OK)
		made = vt_xstrdup(vt_as_str(out)->s);
	else
		vt_exc_clear(s->c->rt);
	vt_clear(&out);
	vt_release(text);
	return made;
}

static void
note_by_name(search *s, const char *package, const char *version)
{
	vt_rt *rt = s->c->rt;
	vt_value v = vt_dict_get_c(s->by_name, package);
	vt_list *l;
	if (v != VT_UNDEF) {
		l = vt_as_list(v);
		for (uint32_t i = 0; i < l->n; i++)
			if (strcmp(vt_as_str(l->v[i])->s, version) == 0)
				return;
		vt_list_push(rt, l, vt_str_c(rt, version));
		return;
	}
	l = vt_list_grow(rt, VT_K_LIST, 1);
	vt_list_push(rt, l, vt_str_c(rt, version));
	vt_dict_set_c(rt, s->by_name, package, vt_mkptr(l));
}

static bool
add_local_package(search *s, const local *l)
{
	return add(s, vt_xstrdup(l->path), vt_xstrdup(l->key), vt_copy(l->meta));
}

/* NULL: it is in no folder. */
static const local *
local_package(const courier *c, const char *name)
{
	for (uint32_t i = 0; i < c->nlocal; i++) {
		const char *own = eng_text(c->local[i].meta, "name");
		if (own && strcmp(own, name) == 0)
			return &c->local[i];
	}
	return NULL;
}

/* Said once for each: the log tells whose library a program has. */
static void
say_applications(courier *c, const char *key)
{
	for (uint32_t i = 0; i < c->ncores; i++)
		if (strcmp(c->cores[i].key, key) == 0)
			return;
	vt_push(c->cores, c->ncores) = (core_seen){vt_xstrdup(key), true};
	eng_log(ENG_INFO, NULL, "%s of the catalogue (%s) is used in place of vetro's own",
		applications, key);
}

/* Vetro's own has the fixes of murano's that differences.md names; whoever brings one wants it. */
static bool
need_applications(search *s, const char *versions)
{
	const local *own = local_package(s->c, applications);
	uint32_t before = s->n;
	bool there = false;
	if (s->asked_applications)
		return true;
	s->asked_applications = true;
	if (own != NULL ? !add_local_package(s, own)
			: !look_up(s, "fqn", applications, versions, &there))
		return false;
	if (s->n > before) {
		s->core[s->ncores++] = s->v[before].path;
		say_applications(s->c, s->v[before].key);
	}
	return true;
}

static char *pinned(search *, const char *package);

static bool
need_core_class(search *s, const char *package)
{
	char *versions;
	bool ok;
	if (strcmp(package, applications) != 0)
		return true;
	versions = pinned(s, package);
	ok = need_applications(s, versions ? versions : ">=0.0.0,<1.0.0");
	free(versions);
	return ok;
}

static bool
need_class(search *s, const char *name, const char *spec)
{
	const char *core = core_package_of(s->c, name);
	char *versions;
	bool ok, there = false;
	if (core != NULL)
		return need_core_class(s, core);
	for (uint32_t i = 0; i < s->n; i++)
		if (has_class(s->v[i].meta, name))
			return true;
	for (uint32_t i = 0; i < s->c->nlocal; i++)
		if (has_class(s->c->local[i].meta, name))
			return add_local_package(s, &s->c->local[i]);
	versions = clauses(s, spec);
	if (versions == NULL)
		return eng_lacks(s->why, false, "ValueError", "builtins",
			"Invalid requirement specification");
	ok = look_up(s, "class_name", name, versions, &there);
	free(versions);
	return ok && (there || eng_lacks(s->why, false, "NoPackageForClassFound", dsl,
				       "Package for class \"%s\" is not found", name));
}

static bool
need_exact(search *s, const char *package, const char *versions, bool *there)
{
	const local *own = local_package(s->c, package);
	*there = true;
	if (strcmp(package, core_package) == 0)
		return true;
	if (strcmp(package, applications) == 0)
		return need_applications(s, versions);
	if (own != NULL)
		return add_local_package(s, own);
	return look_up(s, "fqn", package, versions, there);
}

/* Of the versions that the run before had, the last that fits: they are few, and sorted so. */
static char *
pinned(search *s, const char *package)
{
	vt_value all = eng_member(s->pins, package), v;
	if (!vt_is_sequence(all) || vt_as_list(all)->n != 1)
		return NULL;
	v = vt_as_list(all)->v[0];
	return vt_is(v, STR) ? vt_asprintf("==%s", vt_as_str(v)->s) : NULL;
}

static bool
need_package(search *s, const char *package, const char *spec)
{
	char *versions = pinned(s, package);
	bool ok, there = false;
	if (versions == NULL)
		versions = clauses(s, spec);
	if (versions == NULL)
		return eng_lacks(s->why, false, "ValueError", "builtins",
			"Invalid requirement specification");
	ok = need_exact(s, package, versions, &there);
	free(versions);
	return ok && (there || eng_lacks(s->why, false, "NoPackageFound", dsl,
				       "Package \"%s\" is not found", package));
}

/* com.example.App, com.example.App/1.2.0 or com.example.App/1.2.0@com.example */
static bool
need_type(search *s, const char *type)
{
	const char *slash = strchr(type, '/'), *at = strchr(type, '@');
	char *name = vt_xstrndup(type, strcspn(type, "/@"));
	char *version = slash && (!at || slash < at)
				? vt_xstrndup(slash + 1, strcspn(slash + 1, "@"))
				: NULL;
	bool ok = true, there = true;
	if (at != NULL && version != NULL) {
		char *exact = vt_asprintf("==%s", version);
		ok = need_exact(s, at + 1, exact, &there);
		if (ok && there)
			note_by_name(s, at + 1, version);
		if (ok && !there)
			ok = eng_lacks(s->why, false, "NoPackageFound", dsl,
				"Package \"%s\" is not found", at + 1);
		free(exact);
	} else {
		char *spec = version ? vt_asprintf("=%s", version) : vt_xstrdup("");
		ok = need_class(s, name, spec);
		free(spec);
	}
	free(name);
	free(version);
	return ok;
}

static bool
need_required(search *s)
{
	vt_value key, spec;
	for (uint32_t i = 0; i < s->n; i++) {
		vt_value all = eng_member(s->v[i].meta, "require");
		for (uint32_t pos = 0;
			vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &pos, &key, &spec);)
			if (vt_is(spec, STR) && strcmp(vt_as_str(key)->s, core_package) != 0 &&
				!need_package(s, vt_as_str(key)->s, vt_as_str(spec)->s))
				return false;
	}
	return true;
}

/* First of all: its classes are then found in it. */
static bool
need_core(search *s)
{
	const local *own = local_package(s->c, core_package);
	bool there, ok = true;
	if (own == NULL)
		ok = look_up(s, "fqn", core_package, ">=0.0.0,<1.0.0", &there);
	else if (core_differs(s->c, own->key, own->path))
		ok = add_local_package(s, own);
	if (s->n > 0)
		s->core[s->ncores++] = s->v[0].path;
	return ok;
}

static bool
need_all(search *s, vt_value q)
{
	vt_value types = eng_member(q, "types");
	const char *cls = eng_text(q, "class_name"), *package = eng_text(q, "package");
	const char *spec = eng_text(q, "version");
	if (!need_core(s))
		return false;
	for (uint32_t i = 0; vt_is_sequence(types) && i < vt_as_list(types)->n; i++)
		if (vt_is(vt_as_list(types)->v[i], STR) &&
			!need_type(s, vt_as_str(vt_as_list(types)->v[i])->s))
			return false;
	if (package != NULL && !need_package(s, package, spec ? spec : ""))
		return false;
	if (package == NULL && cls != NULL && !need_class(s, cls, spec ? spec : ""))
		return false;
	return need_required(s);
}

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const found *)a)->key, ((const found *)b)->key);
}

static void
put_found(search *s, vt_buf *b)
{
	qsort(s->v, s->n, sizeof *s->v, by_key);
	vt_buf_puts(b, ", \"files\": [");
	for (uint32_t i = 0; i < s->n; i++) {
		vt_buf_puts(b, i ? ", " : "");
		vt_json_str(b, s->v[i].path, strlen(s->v[i].path));
	}
	vt_buf_puts(b, "], \"cores\": [");
	for (uint32_t i = 0; i < s->ncores; i++) {
		vt_buf_puts(b, i ? ", " : "");
		vt_json_str(b, s->core[i], strlen(s->core[i]));
	}
	vt_buf_puts(b, "]");
	vt_buf_puts(b, ", \"key\": \"");
	for (uint32_t i = 0; i < s->n; i++) {
		vt_buf quoted = {0};
		vt_json_str(&quoted, s->v[i].key, strlen(s->v[i].key));
		vt_buf_put(b, quoted.p + 1, quoted.n - 2);
		vt_buf_putc(b, ' ');
		vt_buf_free(&quoted);
	}
	vt_buf_puts(b, "\", \"by_name\": ");
	vt_json_write(s->c->rt, b, vt_mkptr(s->by_name), 0);
}

/* A task that needs no package has seen no clock yet. */
static bool
look_at_clock(search *s)
{
	vt_net_response r;
	bool ok = find_murano(s) &&
		  eng_ask(s->c, "GET", s->c->murano, s->who->token, NULL, &r, s->why);
	if (ok) {
		see_clock(s->c, &r);
		vt_net_response_free(&r);
	}
	return ok;
}

bool
eng_prepare(courier *c, vt_value q, const identity *who, vt_buf *b, lack *why)
{
	search *s = vt_xzalloc(sizeof *s);
	bool ok;
	*s = (search){.c = c,
		.who = who,
		.project = eng_text(q, "project"),
		.pins = eng_member(q, "pins"),
		.by_name = vt_dict_new(c->rt, false),
		.why = why};
	if (!c->asked_local)
		read_locals(c);
	c->seen = 0;
	ok = need_all(s, q);
	if (ok && c->seen == 0 && eng_member(q, "calls") != VT_TRUE)
		ok = look_at_clock(s);
	if (ok) {
		put_found(s, b);
		vt_buf_printf(b, ", \"seen\": %lld", (long long)c->seen);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		free(s->v[i].path);
		free(s->v[i].key);
		vt_release(s->v[i].meta);
	}
	vt_release(vt_mkptr(s->by_name));
	free(s);
	return ok;
}

/* ---- was a result handled? --------------------------------------------------------------- */

static int64_t
seconds_of(const char *s)
{
	struct tm t = {0};
	return s && strptime(s, "%Y-%m-%dT%H:%M:%S", &t) != NULL ? (int64_t)timegm(&t) : -1;
}

/*
 * murano-api gives a result to the newest deployment, and begins none while one is under way.  So
 * it has handled ours when none is under way, or one that began after the task was prepared: a
 * result is sent a second after that at the earliest.
 */
static bool
is_handled(vt_value doc, int64_t seen)
{
	vt_value all = eng_member(doc, "deployments");
	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++) {
		vt_value d = vt_as_list(all)->v[i];
		int64_t began = seconds_of(eng_text(d, "started"));
		if (eng_member(d, "finished") == VT_NULL && began <= seen)
			return false;
	}
	return true;
}

bool
eng_handled(courier *c, vt_value q, const identity *who, vt_buf *b, lack *why)
{
	search s = {.c = c, .who = who, .why = why};
	vt_value seen = eng_member(q, "seen"), doc = VT_UNDEF;
	vt_net_response r;
	vt_buf url = {0};
	char *err = NULL;
	bool ok, handled;
	if (!find_murano(&s))
		return false;
	vt_buf_printf(&url, "%s/v1/environments/", c->murano);
	put_escaped(&url, eng_text(q, "environment"));
	vt_buf_puts(&url, "/deployments");
	ok = eng_ask(c, "GET", url.p, who->token, NULL, &r, why);
	vt_buf_free(&url);
	if (!ok)
		return false;
	handled = r.status == 404;
	if (r.status == 200 && vt_json_read(c->rt, r.body, r.nbody, 0, 200, &doc, &err)) {
		handled = is_handled(doc, vt_is_int(seen) ? vt_toint(seen) : 0);
		vt_release(doc);
	} else if (r.status != 404) {
		ok = eng_lacks(why, r.status >= 500, "Exception", "builtins",
			"murano-api answers %d when asked for deployments", r.status);
	}
	free(err);
	vt_net_response_free(&r);
	if (ok)
		vt_buf_printf(b, ", \"handled\": %s", handled ? "true" : "false");
	return ok;
}

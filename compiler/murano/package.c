/*
 * package.c - which packages there are, what they require, and where a class is looked up (K7..K9).
 *
 * A requirement is met by the highest fitting version among the packages that are loaded and those
 * found through -I.  A place given by -I is looked through once, when something is required for the
 * first time; packages found there are only asked for their name and version, and what is wrong in
 * one that nobody requires is not reported.
 *
 * io.murano is there in two parts.  templates/core.yaml declares what the runtime brings, and is
 * always loaded, for the checker and for programs that need no more.  The core library, with the
 * classes that are written in MuranoPL, is one that -I names or else ours (runtime/lib/io.murano),
 * which is only loaded when some package mentions a class of it: it is a third of a megabyte of
 * code.
 */
#include "compiler/murano/package_int.h"
#include "runtime/text/nearest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SEARCH_DEPTH = 4, SEARCH_MAX = 20000 };

/* Packages that vetro brings: the asset that declares the classes, or none when the package is
 * there as a whole. */
static const struct builtin {
	const char *package, *asset;
} builtins[] = {
	{"io.murano", "core.yaml"},
	{"io.murano.applications", NULL},
};

static mpl_class *own_class(vc *, const mpl_package *, const char *fqn);

typedef struct candidate {
	const char *path, *name, *version;
	const char **classes; /* that its manifest names */
	uint32_t nclasses;
} candidate; /* name NULL: its manifest is broken */
typedef struct loaded {
	mpl_package *pkg;
	mpl_class **sorted;
	mpl_package **reach;
	uint32_t nreach;
} loaded;

struct vc_packages {
	mpl_package **all;
	uint32_t n; /* main ones first */
	loaded *state;
	uint32_t nstate; /* in the order of loading; indexed lazily */
	const char **paths;
	uint32_t npaths, nsearched;
	candidate *found;
	uint32_t nfound;
	uint32_t visited;
	const mpl_require **plugins; /* that nobody has declared */
	uint32_t nplugins;
	const mpl_package *library; /* our core library, be it part of the program or not */
	bool resolved;
	const mpl_class *asked; /* vc_class_mentions: the last question, and its answer */
	const char *asked_for;
	bool mentioned;
};

static struct vc_packages *
packages_of(vc *c)
{
	if (!c->packages)
		c->packages = vc_alloc(c, sizeof *c->packages);
	return c->packages;
}

mpl_package **
vc_packages(vc *c, uint32_t *n)
{
	struct vc_packages *ps = packages_of(c);
	*n = ps->n;
	return ps->all;
}

/* ---- loading ---- */

static bool
same_version(const mpl_package *a, const mpl_package *b)
{
	return *a->name && !strcmp(a->name, b->name) && !strcmp(a->version, b->version);
}

static bool
check_single(vc *c, const mpl_package *p)
{
	struct vc_packages *ps = packages_of(c);
	for (uint32_t i = 0; i < ps->n; i++)
		if (same_version(ps->all[i], p) && !ps->all[i]->builtin) {
			const ynode *at = yn_get(p->manifest, "FullName"),
				    *other = yn_get(ps->all[i]->manifest, "FullName");
			vc_report(c, VC_E0415, at->span, "the package %s %s is given twice",
				p->name, p->version);
			vc_note(c, other->span, "the other one");
			return false;
		}
	return true;
}

/* Main packages stand in front of those that are required. */
static void
add_package(vc *c, mpl_package *p)
{
	struct vc_packages *ps = packages_of(c);
	uint32_t at = ps->n;
	vc_push(c, ps->all, ps->n) = p;
	for (; p->is_main && at && !ps->all[at - 1]->is_main; at--)
		ps->all[at] = ps->all[at - 1];
	ps->all[at] = p;
	loaded l = {.pkg = p};
	vc_push(c, ps->state, ps->nstate) = l;
}

static bool
exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0;
}

static bool load_versions(vc *, const char *path, bool is_main, mpl_package **main);

static void
no_manifest(vc *c, const char *path)
{
	vc_report(c, VC_E0401, vc_file_span(c, path),
		"there is no manifest.yaml here, so this is no package");
	if (exists(vc_format(c, "%s/package/manifest.yaml", path)))
		vc_hint(c, "did you mean %s/package?", path);
	else
		vc_hint(c, "name the directory that holds manifest.yaml");
}

mpl_package *
vc_package_load(vc *c, const char *path, bool is_main)
{
	bool stub = pk_is_stub(path);
	vc_files *files = stub ? NULL : vc_files_open(c, path);
	int before = vc_errors(c);
	vc_source *src = files ? vc_files_read(c, files, "manifest.yaml") : NULL;
	mpl_package *p = NULL;
	if (files && !src && vc_errors(c) == before) {
		if (load_versions(c, path, is_main, &p))
			return p;
		no_manifest(c, path);
	}
	p = stub ? pk_load_stub(c, path) : src ? pk_manifest(c, files, src, path) : NULL;
	if (!p || !check_single(c, p))
		return NULL;
	p->is_main = is_main;
	if (!stub)
		pk_classes(c, p);
	add_package(c, p);
	return p;
}

/* A method without Body in the declarations is one that the runtime or a host supplies. */
static void
make_native(mpl_class *k)
{
	k->native = k->listed = true;
	for (uint32_t i = 0; i < k->nmethods; i++)
		k->methods[i]->native = !k->methods[i]->nbody;
}

static mpl_package *
load_declared(vc *c, const char *name, const char *asset)
{
	size_t n;
	const char *text = vc_asset(asset, &n);
	mpl_package *p = vc_alloc(c, sizeof *p);
	*p = (mpl_package){.path = name,
		.name = name,
		.version = "0.0.0",
		.format = 104,
		.type = "Library",
		.builtin = true};
	mpl_parse_file(c, p, vc_source_new(c, vc_format(c, "<%s>", name), text, n), NULL);
	for (uint32_t k = 0; k < p->nclasses; k++)
		make_native(p->classes[k]);
	add_package(c, p);
	return p;
}

/* A package with its manifest and classes among the assets, not yet added. */
static mpl_package *
read_assets(vc *c, const char *name)
{
	vc_files *files = vc_files_assets(c, name);
	vc_source *src = vc_files_read(c, files, "manifest.yaml");
	return src ? pk_manifest(c, files, src, vc_format(c, "<%s>", name)) : NULL;
}

static mpl_package *
load_whole(vc *c, const char *name)
{
	mpl_package *p = read_assets(c, name);
	if (!p)
		return NULL;
	pk_classes(c, p);
	add_package(c, p);
	return p;
}

static mpl_package *
load_builtin(vc *c, const char *name)
{
	for (size_t i = 0; i < VC_LEN(builtins); i++)
		if (!strcmp(builtins[i].package, name))
			return builtins[i].asset
				       ? load_declared(c, builtins[i].package, builtins[i].asset)
				       : load_whole(c, builtins[i].package);
	return NULL;
}

/* ---- the search path ---- */

void
vc_package_path(vc *c, const char *path)
{
	struct vc_packages *ps = packages_of(c);
	if (!exists(path)) {
		vc_report(c, VC_E0101, vc_file_span(c, path), "cannot search for packages here: %s",
			strerror(errno));
		return;
	}
	vc_push(c, ps->paths, ps->npaths) = vc_strdup(c, path);
}

static void
add_class_names(vc *c, candidate *found, const mpl_package *p)
{
	const ynode *m = yn_get(p->manifest, "Classes");
	if (p->kind != MPL_MURANO)
		vc_push(c, found->classes, found->nclasses) = found->name;
	for (uint32_t i = 0; m && m->kind == YN_MAP && i < m->n; i++)
		if (yn_is_str(m->key[i]))
			vc_push(c, found->classes, found->nclasses) = vc_strdup(c, m->key[i]->text);
	for (uint32_t i = 0; i < p->nclasses; i++)
		vc_push(c, found->classes, found->nclasses) = vc_strdup(c, p->classes[i]->name);
}

/* A compilation of its own takes what is wrong with a package that perhaps nobody wants. */
static void
add_candidate(vc *c, const char *path)
{
	struct vc_packages *ps = packages_of(c);
	candidate found = {.path = path};
	vc *probe = vc_new();
	probe->limit = c->limit;
	bool stub = pk_is_stub(path);
	vc_files *files = stub ? NULL : vc_files_open(probe, path);
	vc_source *src = files ? vc_files_read(probe, files, "manifest.yaml") : NULL;
	mpl_package *p = stub  ? pk_load_stub(probe, path)
			 : src ? pk_manifest(probe, files, src, path)
			       : NULL;
	if (p && *p->name) {
		found.name = vc_strdup(c, p->name);
		found.version = vc_strdup(c, p->version);
		add_class_names(c, &found, p);
	}
	vc_free(probe);
	vc_push(c, ps->found, ps->nfound) = found;
}

/* Is it a link to a directory that it stands in? */
static bool
leads_back(vc *c, const char *path)
{
	struct stat st;
	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return false;
	char *to = realpath(path, NULL);
	char *in = realpath(vc_strndup(c, path, (size_t)(strrchr(path, '/') - path) + 1), NULL);
	size_t n = to && to[1] ? strlen(to) : 0; /* the root is above everything */
	bool back = to && in && strncmp(in, to, n) == 0 && (in[n] == '/' || in[n] == '\0');
	free(to);
	free(in);
	return back;
}

static void search(vc *, const char *path, unsigned depth);

/* In the order of names, so that a search gives the same on every file system. */
static void
search_below(vc *c, const char *path, unsigned depth)
{
	DIR *d = opendir(path);
	const char **names = NULL;
	uint32_t n = 0;
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.' && packages_of(c)->visited++ < SEARCH_MAX)
			vc_push(c, names, n) = vc_strdup(c, e->d_name);
	closedir(d);
	if (n)
		qsort(names, n, sizeof *names, vt_compare_texts);
	for (uint32_t i = 0; i < n; i++)
		search(c, vc_format(c, "%s/%s", path, names[i]), depth + 1);
}

static void
search(vc *c, const char *path, unsigned depth)
{
	struct stat st;
	if (stat(path, &st)) {
		/* A link to nothing is named where a package is missing. */
		if (errno == ENOENT && lstat(path, &st) == 0) {
			struct vc_packages *ps = packages_of(c);
			vc_push(c, ps->found, ps->nfound) = (candidate){.path = path};
		}
		return;
	}
	if (depth && S_ISDIR(st.st_mode) && leads_back(c, path))
		return;
	bool package = S_ISDIR(st.st_mode)
			       ? exists(vc_format(c, "%s/manifest.yaml", path))
			       : S_ISREG(st.st_mode) && (!depth || vt_ends_with(path, ".zip"));
	if (package)
		add_candidate(c, path);
	else if (S_ISDIR(st.st_mode) && depth < SEARCH_DEPTH)
		search_below(c, path, depth);
}

static void
search_paths(vc *c)
{
	struct vc_packages *ps = packages_of(c);
	for (; ps->nsearched < ps->npaths; ps->nsearched++)
		search(c, ps->paths[ps->nsearched], 0);
}

/* ---- a folder of versions ---- */

static int
newest_first(const void *a, const void *b)
{
	const candidate *x = a, *y = b;
	pk_version v = {0}, w = {0};
	pk_version_parse(x->version, &v);
	pk_version_parse(y->version, &w);
	int order = pk_version_compare(&w, &v);
	return order ? order : strcmp(x->path, y->path);
}

/* The packages right below a directory, when they are versions of one. */
static candidate *
versions_below(vc *c, const char *path, uint32_t *n)
{
	struct vc_packages *ps = packages_of(c), outer = *ps;
	candidate *found;
	ps->found = NULL;
	ps->nfound = ps->visited = 0;
	search_below(c, path, SEARCH_DEPTH - 1);
	found = ps->found;
	*n = ps->nfound;
	ps->found = outer.found;
	ps->nfound = outer.nfound;
	ps->visited = outer.visited;
	for (uint32_t i = 0; i < *n; i++)
		if (!found[i].name || strcmp(found[i].name, found[0].name) != 0)
			*n = 0;
	if (*n < 2) /* one alone is likely meant itself: the error says where it is */
		*n = 0;
	if (*n)
		qsort(found, *n, sizeof *found, newest_first);
	return found;
}

/* Source repositories keep v0/ and v1/ of an application side by side, since environments that were
 * made with the older one go on using it: a program of them has both, and the newest comes first.
 */
static bool
load_versions(vc *c, const char *path, bool is_main, mpl_package **newest)
{
	struct stat st;
	uint32_t n = 0;
	candidate *found =
		stat(path, &st) || !S_ISDIR(st.st_mode) ? NULL : versions_below(c, path, &n);
	for (uint32_t i = 0; i < n; i++) {
		mpl_package *p = vc_package_load(c, found[i].path, is_main);
		if (i == 0)
			*newest = p;
	}
	return n > 0;
}

/* ---- requirements ---- */

static bool
fits(vc *c, const char *version, const char *spec, pk_version *v)
{
	return pk_version_parse(version, v) && pk_spec_match(c, spec, v);
}

/* The highest fitting version among the loaded packages; what the user brings goes before what
 * vetro brings. */
static mpl_package *
best_loaded(vc *c, const char *name, const char *spec)
{
	struct vc_packages *ps = packages_of(c);
	mpl_package *best = NULL;
	pk_version top = {0}, v;
	for (uint32_t i = 0; i < ps->n; i++) {
		mpl_package *p = ps->all[i];
		if (strcmp(p->name, name) != 0 || !fits(c, p->version, spec, &v))
			continue;
		if (!best || (best->builtin && !p->builtin) ||
			(best->builtin == p->builtin && pk_version_compare(&v, &top) > 0)) {
			best = p;
			top = v;
		}
	}
	return best;
}

static const candidate *
best_found(vc *c, const char *name, const char *spec)
{
	struct vc_packages *ps = packages_of(c);
	const candidate *best = NULL;
	pk_version top = {0}, v;
	for (uint32_t i = 0; i < ps->nfound; i++) {
		const candidate *k = &ps->found[i];
		if (!k->name || strcmp(k->name, name) != 0 || !fits(c, k->version, spec, &v))
			continue;
		if (!best || pk_version_compare(&v, &top) > 0) {
			best = k;
			top = v;
		}
	}
	return best;
}

static bool
is_builtin(const char *name)
{
	for (size_t i = 0; i < VC_LEN(builtins); i++)
		if (!strcmp(builtins[i].package, name))
			return true;
	return false;
}

static const char *
versions_of(vc *c, const char *name)
{
	struct vc_packages *ps = packages_of(c);
	const char *list = NULL;
	for (uint32_t i = 0; i < ps->n; i++)
		if (!strcmp(ps->all[i]->name, name))
			list = vc_format(c, "%s%s%s", list ? list : "", list ? ", " : "",
				ps->all[i]->version);
	for (uint32_t i = 0; i < ps->nfound; i++)
		if (ps->found[i].name && !strcmp(ps->found[i].name, name))
			list = vc_format(c, "%s%s%s", list ? list : "", list ? ", " : "",
				ps->found[i].version);
	return list || !is_builtin(name) ? list : "0.0.0";
}

static const char *
nearest_package(vc *c, const char *name)
{
	struct vc_packages *ps = packages_of(c);
	const char **names = vc_alloc(c, (ps->n + ps->nfound + VC_LEN(builtins)) * sizeof *names);
	uint32_t n = 0;
	for (uint32_t i = 0; i < ps->n; i++)
		names[n++] = ps->all[i]->name;
	for (uint32_t i = 0; i < ps->nfound; i++)
		names[n++] = ps->found[i].name;
	for (size_t i = 0; i < VC_LEN(builtins); i++)
		names[n++] = builtins[i].package;
	return vt_nearest(name, names, n);
}

static void
report_unmet(vc *c, const mpl_require *r)
{
	struct vc_packages *ps = packages_of(c);
	const char *versions = versions_of(c, r->name);
	if (versions) {
		vc_report(c, VC_E0413, r->span, "no version of the package %s fits '%s'", r->name,
			*r->spec ? r->spec : "0");
		vc_note(c, (vc_span){0}, "found: %s", versions);
		return;
	}
	if (strchr(r->name, '-')) {
		vc_push(c, ps->plugins, ps->nplugins) = r;
		return;
	}
	vc_report(c, VC_E0412, r->span, "the required package %s is not found", r->name);
	for (uint32_t i = 0, n = 0; i < ps->nfound && n < 3; i++)
		if (!ps->found[i].name && ++n)
			vc_note(c, (vc_span){0},
				"%s was passed over, because its manifest cannot be read",
				ps->found[i].path);
	const char *near = nearest_package(c, r->name);
	if (near)
		vc_did_you_mean(c, "%s", near);
	else
		vc_hint(c, "say where it is: -I DIRECTORY or -I PACKAGE.zip");
}

/* What is on the search path may be newer than what is loaded. A version is loaded once. */
static void
require(vc *c, const mpl_require *r)
{
	mpl_package *have = best_loaded(c, r->name, r->spec);
	search_paths(c);
	const candidate *more = best_found(c, r->name, r->spec);
	pk_version a, b;
	if (have && more && !have->builtin && pk_version_parse(have->version, &a) &&
		pk_version_parse(more->version, &b) && pk_version_compare(&b, &a) <= 0)
		return;
	if (more && !(have && !have->builtin && !strcmp(have->version, more->version)))
		vc_package_load(c, more->path, false);
	else if (!have &&
		 (!is_builtin(r->name) || !pk_spec_match(c, r->spec, &(pk_version){.pre = ""}) ||
			 !load_builtin(c, r->name)))
		report_unmet(c, r);
}

bool
vc_packages_complete(vc *c, bool checking)
{
	struct vc_packages *ps = packages_of(c);
	for (uint32_t i = 0; i < ps->nplugins; i++) {
		const mpl_require *r = ps->plugins[i];
		vc_report(c, checking ? VC_W1078 : VC_E0412, r->span,
			"the required package %s has the name of a plugin, which Python brings",
			r->name);
		vc_hint(c, checking ? "-I STUB.yaml declares its classes; what uses them is not "
				      "checked"
				    : "-I STUB.yaml declares its classes");
	}
	return ps->nplugins == 0;
}

/* ---- the core library ---- */

/* Names of classes, sorted, and how much all of them begin with. */
typedef struct wanted {
	const char **name;
	uint32_t n;
	size_t prefix;
} wanted;

static void
close_wanted(wanted *w)
{
	if (w->n)
		qsort(w->name, w->n, sizeof *w->name, vt_compare_texts);
	w->prefix = 0;
	for (const char *a = w->n ? w->name[0] : "", *b = w->n ? w->name[w->n - 1] : "";
		a[w->prefix] && a[w->prefix] == b[w->prefix];)
		w->prefix++;
}

/* Can a name that begins so be one of them? */
static bool
begins(const wanted *w, const char *s, size_t n)
{
	return strncmp(s, w->name[0], n < w->prefix ? n : w->prefix) == 0;
}

static bool
is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '.' || ch == ':';
}

static const char *
namespace_of(const mpl_class *k, const char *prefix, size_t n)
{
	for (uint32_t i = 0; i < k->nprefixes; i++)
		if (!strncmp(k->prefixes[i].prefix, prefix, n) && !k->prefixes[i].prefix[n])
			return k->prefixes[i].ns;
	return NULL;
}

/* What follows a name behind a dot is a member. */
static bool
is_among(const wanted *w, char *name)
{
	for (char *dot = name + strlen(name); dot; dot = strrchr(name, '.')) {
		*dot = 0;
		if (bsearch(&name, w->name, w->n, sizeof *w->name, vt_compare_texts))
			return true;
	}
	return false;
}

/* "std:Environment", "Environment" or the whole name. */
static bool
is_wanted(vc *c, const wanted *w, const mpl_class *k, const char *word, size_t n)
{
	const char *colon = memchr(word, ':', n);
	size_t skip = colon ? (size_t)(colon - word) + 1 : 0;
	const char *ns =
		colon && skip > 1 ? namespace_of(k, word, skip - 1) : namespace_of(k, "=", 1);
	if (!colon && n >= w->prefix && begins(w, word, n) && is_among(w, vc_strndup(c, word, n)))
		return true;
	return ns && begins(w, ns, strlen(ns)) &&
	       is_among(w, vc_format(c, "%s.%.*s", ns, (int)(n - skip), word + skip));
}

/* A mention in a comment counts too, which costs time and changes nothing. */
static bool
class_mentions(vc *c, const wanted *w, const mpl_class *k)
{
	for (const char *s = k->src->text; *s;) {
		size_t n = 0;
		while (is_word(s[n]))
			n++;
		if (n && is_wanted(c, w, k, s, n))
			return true;
		s += n ? n : 1;
	}
	return false;
}

static bool
same_prefixes(const mpl_class *a, const mpl_class *b)
{
	if (a->src != b->src || a->nprefixes != b->nprefixes)
		return false;
	for (uint32_t i = 0; i < a->nprefixes; i++)
		if (strcmp(a->prefixes[i].prefix, b->prefixes[i].prefix) != 0 ||
			strcmp(a->prefixes[i].ns, b->prefixes[i].ns) != 0)
			return false;
	return true;
}

/* For one class; asked for one name after the other of all classes. */
bool
vc_class_mentions(vc *c, const mpl_class *k, const char *fqn)
{
	struct vc_packages *ps = packages_of(c);
	wanted w = {&fqn, 1, strlen(fqn)};
	if (!k->src)
		return false;
	if (ps->asked && ps->asked_for == fqn && same_prefixes(ps->asked, k))
		return ps->mentioned;
	ps->asked = k;
	ps->asked_for = fqn;
	return ps->mentioned = class_mentions(c, &w, k);
}

/* Classes of one file share its text, and nearly always the prefixes. */
static bool
package_mentions(vc *c, const wanted *w, const mpl_package *p)
{
	const mpl_class *before = NULL;
	for (uint32_t i = 0; i < p->nclasses; i++) {
		const mpl_class *k = p->classes[i];
		if (!k->src || (before && same_prefixes(before, k)))
			continue;
		if (class_mentions(c, w, k))
			return true;
		before = k;
	}
	return false;
}

static bool
needs_library(vc *c, const mpl_package *library, const mpl_package *core)
{
	struct vc_packages *ps = packages_of(c);
	const ynode *m = yn_get(library->manifest, "Classes");
	wanted w = {NULL, 0, 0};
	for (uint32_t i = 0; m && i < m->n; i++)
		if (!own_class(c, core, m->key[i]->text))
			vc_push(c, w.name, w.n) = m->key[i]->text;
	close_wanted(&w);
	for (uint32_t k = 0; w.n && k < ps->n; k++)
		if (ps->all[k] != core && package_mentions(c, &w, ps->all[k]))
			return true;
	return false;
}

bool
vc_package_uses(vc *c, const mpl_package *p, const mpl_package *other)
{
	wanted w = {NULL, 0, 0};
	for (uint32_t i = 0; i < other->nclasses; i++)
		vc_push(c, w.name, w.n) = other->classes[i]->name;
	close_wanted(&w);
	return w.n && package_mentions(c, &w, p);
}

const char *
vc_package_having(vc *c, const char *fqn)
{
	struct vc_packages *ps = packages_of(c);
	search_paths(c);
	for (uint32_t i = 0; i < ps->nfound; i++)
		for (uint32_t k = 0; k < ps->found[i].nclasses; k++)
			if (strcmp(ps->found[i].classes[k], fqn) == 0)
				return ps->found[i].name;
	return NULL;
}

const char *
vc_core_class_near(vc *c, const char *fqn)
{
	const mpl_package *p = packages_of(c)->library;
	const ynode *m = p ? yn_get(p->manifest, "Classes") : NULL;
	const char **part = vc_alloc(c, ((m ? m->n : 0) + 1) * sizeof *part), *dot, *near;
	for (uint32_t i = 0; m && i < m->n; i++) {
		dot = strrchr(m->key[i]->text, '.');
		part[i] = dot ? dot + 1 : m->key[i]->text;
	}
	dot = strrchr(fqn, '.');
	near = m ? vt_nearest(dot ? dot + 1 : fqn, part, m->n) : NULL;
	for (uint32_t i = 0; near && i < m->n; i++)
		if (part[i] == near || strcmp(part[i], dot ? dot + 1 : fqn) == 0)
			return m->key[i]->text;
	return NULL;
}

static void
load_library(vc *c, const mpl_package *core)
{
	mpl_package *p = read_assets(c, core->name);
	packages_of(c)->library = p;
	if (!p || !(c->whole_core || needs_library(c, p, core)))
		return;
	pk_classes(c, p);
	add_package(c, p);
}

/* Our own declarations always come in too: a core library from outside may lack the native classes.
 */
void
vc_packages_resolve(vc *c)
{
	struct vc_packages *ps = packages_of(c);
	static const mpl_require core = {"io.murano", "", {NULL, 0, 0}};
	if (ps->resolved)
		return;
	ps->resolved = true;
	for (uint32_t i = 0; i < ps->nstate; i++)
		for (uint32_t k = 0; k < ps->state[i].pkg->nrequire; k++)
			require(c, &ps->state[i].pkg->require[k]);
	uint32_t before = ps->nstate;
	search_paths(c);
	if (best_found(c, core.name, core.spec))
		require(c, &core);
	mpl_package *natives = load_builtin(c, core.name),
		    *have = best_loaded(c, core.name, core.spec);
	if (!have || have->builtin)
		load_library(c, natives);
	for (uint32_t i = before; i < ps->nstate; i++)
		for (uint32_t k = 0; k < ps->state[i].pkg->nrequire; k++)
			require(c, &ps->state[i].pkg->require[k]);
}

/* ---- looking up classes ---- */

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(mpl_class *const *)a)->name, (*(mpl_class *const *)b)->name);
}

static loaded *
state_of(vc *c, const mpl_package *p)
{
	struct vc_packages *ps = packages_of(c);
	for (uint32_t i = 0; i < ps->nstate; i++)
		if (ps->state[i].pkg == p)
			return &ps->state[i];
	return NULL;
}

static mpl_class *
own_class(vc *c, const mpl_package *p, const char *fqn)
{
	loaded *l = state_of(c, p);
	mpl_class key = {.name = fqn}, *k = &key;
	if (!l || !p->nclasses)
		return NULL;
	if (!l->sorted) {
		l->sorted = vc_alloc(c, p->nclasses * sizeof *l->sorted);
		memcpy(l->sorted, p->classes, p->nclasses * sizeof *l->sorted);
		qsort(l->sorted, p->nclasses, sizeof *l->sorted, by_name);
	}
	mpl_class **at = bsearch(&k, l->sorted, p->nclasses, sizeof *l->sorted, by_name);
	return at ? *at : NULL;
}

static void
reach(vc *c, loaded *l, mpl_package *p)
{
	for (uint32_t i = 0; i < l->nreach; i++)
		if (l->reach[i] == p)
			return;
	if (p && p != l->pkg)
		vc_push(c, l->reach, l->nreach) = p;
}

/* Itself is not among them; io.murano comes first, then the requirements as written. */
static void
find_reach(vc *c, loaded *l)
{
	struct vc_packages *ps = packages_of(c);
	reach(c, l, best_loaded(c, "io.murano", ""));
	for (uint32_t i = 0; i < ps->n; i++)
		if (ps->all[i]->builtin && !strcmp(ps->all[i]->name, "io.murano"))
			reach(c, l, ps->all[i]);
	for (uint32_t i = 0; i < l->pkg->nrequire; i++)
		reach(c, l, best_loaded(c, l->pkg->require[i].name, l->pkg->require[i].spec));
}

/* A class of a plug-in may be asked for by the long name it has in newer releases. */
static mpl_class *
required_class(vc *c, const mpl_package *p, const char *fqn)
{
	static const char extensions[] = "io.murano.extensions.";
	mpl_class *k = own_class(c, p, fqn);
	if (!k && !strncmp(fqn, extensions, sizeof extensions - 1))
		k = own_class(c, p, fqn + sizeof extensions - 1);
	return k;
}

bool
vc_version_fits(vc *c, const mpl_package *from, const mpl_package *p)
{
	pk_version v, own;
	if (!pk_version_parse(p->version, &v))
		return false;
	if (strcmp(from->name, p->name) == 0)
		return pk_version_parse(from->version, &own) && own.n[0] == v.n[0];
	for (uint32_t i = 0; i < from->nrequire; i++)
		if (strcmp(from->require[i].name, p->name) == 0)
			return pk_spec_match(c, from->require[i].spec, &v);
	return p->builtin;
}

mpl_class *
vc_find_class(vc *c, const mpl_package *from, const char *fqn)
{
	struct vc_packages *ps = packages_of(c);
	mpl_class *k = from ? own_class(c, from, fqn) : NULL;
	loaded *l = from ? state_of(c, from) : NULL;
	if (from && !k && l) {
		if (!l->reach)
			find_reach(c, l);
		for (uint32_t i = 0; i < l->nreach && !k; i++)
			k = required_class(c, l->reach[i], fqn);
	}
	for (uint32_t i = 0; !from && !k && i < ps->n; i++)
		k = required_class(c, ps->all[i], fqn);
	return k;
}

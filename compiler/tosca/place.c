/*
 * place.c - where the files are that imports name.
 *
 * Nothing is fetched.  A URL of the network means, in this order: what --map says; a profile that
 * vetro brings (known_profiles); a file of the same path below a directory of -I; a file of the
 * same path in the checkout of a repository that holds the importing file, which is reported with a
 * warning.  A profile is looked for by its name in the same way; its file has to say that it is
 * that profile.
 */
#include "compiler/tosca/unit.h"
#include "compiler/murano/package.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEAD = 1 << 16 /* bytes in which a file says its profile */,
	DIR_MOST = 2000,
	ANCESTORS = 64
};

/* Profiles that vetro brings: their names, and how a URL of their file ends. */
static const struct known_profile {
	const char *name, *end, *asset;
} known_profiles[] = {
	{"org.oasis-open.simple:2.0", "org/oasis-open/simple/2.0/profile.yaml", "simple-2.0"},
	{"org.oasis-open.tosca.simple:2.0", "org/oasis-open/tosca/simple/2.0/profile.yaml",
		"simple-2.0"},
	{"org.oasis-open.core", "org/oasis-open/core/profile.yaml", "simple-2.0"},
	{"org.oasis-open.simple:1.3", "org/oasis-open/simple/1.3/profile.yaml", "simple-1.3"},
	{"org.oasis-open.simple:1.2", "org/oasis-open/simple/1.2/profile.yaml", "simple-1.2"},
	{"org.oasis-open.simple:1.1", "org/oasis-open/simple/1.1/profile.yaml", "simple-1.1"},
	{"org.oasis-open.simple:1.0", "org/oasis-open/simple/1.0/profile.yaml", "simple-1.0"},
	{"org.oasis-open.simple-for-nfv:1.0", "org/oasis-open/simple-for-nfv/1.0/profile.yaml",
		"nfv-1.0"},
};

/* ---- ETSI's types ---- */

/* The type files of ETSI's SOL001 that vetro brings: those of 2.6.1, which have what those of 2.5.1
 * have; NULL: none of them. */
static const char *
etsi_file(const char *path)
{
	static const char *const kinds[] = {"common", "vnfd", "nsd", "pnfd"};
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	if (strncmp(name, "etsi_nfv_sol001_", 16) != 0)
		return NULL;
	for (size_t i = 0; i < VC_LEN(kinds); i++) {
		size_t n = strlen(kinds[i]);
		if (!strncmp(name + 16, kinds[i], n) && !strcmp(name + 16 + n, "_types.yaml"))
			return kinds[i];
	}
	return NULL;
}

/* ---- paths ---- */

bool
tosca_is_file(const char *path)
{
	struct stat st;
	return !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* Without "x/.." where that does not change the file, which a link may make it do. */
static const char *
tidy(vc *c, const char *path)
{
	char *out = vc_alloc(c, strlen(path) + 1);
	size_t n = 0;
	for (const char *p = path; *p;) {
		size_t part = strcspn(p, "/"), last = n;
		while (last && out[last - 1] != '/')
			last--;
		bool up = part == 2 && !strncmp(p, "..", 2),
		     has = n > last && strncmp(out + last, "..", n - last) != 0;
		if (up && n && has) {
			n = last ? last - 1 : 0;
			if (last == 1)
				n = 0, out[n++] = '/';
		} else if (!(part == 1 && *p == '.') && part) {
			if (n && out[n - 1] != '/')
				out[n++] = '/';
			memcpy(out + n, p, part);
			n += part;
		} else if (!part && !n) {
			out[n++] = '/';
		}
		p += part + (p[part] == '/');
	}
	out[n] = 0;
	const char *a = vc_real_path(c, path), *b = vc_real_path(c, *out ? out : ".");
	return a && b && !strcmp(a, b) ? out : path;
}

/* Of all files that import what is not there the first is told. */
static bool
was_told(tosca_unit *u, const char *name)
{
	struct tosca *t = u->t;
	for (uint32_t i = 0; i < t->nmissing; i++)
		if (!strcmp(t->missing[i], name))
			return true;
	vc_push(t->c, t->missing, t->nmissing) = vc_strndup(t->c, name, strlen(name));
	return false;
}

const char *
tosca_join(vc *c, const char *file, const char *path)
{
	const char *slash = file && *path != '/' ? strrchr(file, '/') : NULL;
	return slash ? vc_format(c, "%.*s/%s", (int)(slash - file), file, path) : path;
}

/* At least two letters, so that C:/x is no URL. */
const char *
tosca_url_scheme(const char *url, size_t *n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	*n = strspn(url, letters);
	if (*n)
		*n += strspn(url + *n,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
	return *n > 1 && url[*n] == ':' ? url : NULL;
}

/* The path of a file: URL: file:a/b, file:///a/b, file://localhost/a/b. */
static const char *
file_path(vc *c, const char *url)
{
	const char *p = url + 5;
	if (!strncmp(p, "//", 2))
		p += 2 + strcspn(p + 2, "/");
	char *out = vc_alloc(c, strlen(p) + 1), *to = out;
	for (; *p; p++) {
		int high = *p == '%' ? vt_hex_digit(p[1]) : -1,
		    low = high >= 0 ? vt_hex_digit(p[2]) : -1;
		if (low >= 0 && (high || low)) {
			*to++ = (char)(high << 4 | low);
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	return out;
}

/* ---- --map ---- */

/* "FROM=TO": the text itself, or what stands below it. The longest FROM counts; an = may be part of
 * it. */
static const char *
mapped(const struct tosca *t, const char *text)
{
	const char *found = NULL;
	size_t best = 0;
	for (uint32_t i = 0; i < t->nmaps; i++) {
		const char *eq = strrchr(t->maps[i], '=');
		size_t n = eq ? (size_t)(eq - t->maps[i]) : 0;
		if (n <= best || strncmp(t->maps[i], text, n) != 0)
			continue;
		if (text[n] && text[n] != '/' && text[n - 1] != '/')
			continue;
		best = n;
		found = text[n] ? vc_format(t->c, "%s/%s", eq + 1, text + n + strspn(text + n, "/"))
				: eq + 1;
	}
	return found;
}

/* ---- URLs ---- */

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n > m && !strcmp(s + n - m, end) && s[n - m - 1] == '/';
}

static const char *
skip(const char *p, int parts)
{
	while (parts-- && p)
		p = (p = strchr(p, '/')) ? p + 1 : NULL;
	return p;
}

/*
 * The path inside of a repository that a URL names, at the hosts whose URLs show where it begins:
 * OWNER/REPO/BRANCH/PATH and OWNER/REPO/refs/heads/BRANCH/PATH of raw files,
 * OWNER/REPO/raw/BRANCH/PATH (and blob).
 */
static const char *
path_in_repository(const char *url)
{
	const char *host = strstr(url, "://"), *p = host ? skip(host + 3, 3) : NULL;
	if (!p)
		return NULL;
	if (!strncmp(p, "-/", 2))
		p += 2;
	if (!strncmp(p, "raw/", 4) || !strncmp(p, "blob/", 5))
		p = skip(p, 1);
	else if (strncmp(host + 3, "raw.", 4) != 0)
		return NULL;
	if (p && (!strncmp(p, "refs/heads/", 11) || !strncmp(p, "refs/tags/", 10)))
		p = skip(p, 2);
	return p ? skip(p, 1) : NULL;
}

static const char *
below_search_paths(const struct tosca *t, const char *path)
{
	for (uint32_t i = 0; i < t->npaths; i++) {
		const char *full = vc_format(t->c, "%s/%s", t->paths[i], path);
		if (tosca_is_file(full))
			return full;
	}
	return NULL;
}

static bool
is_safe(vc *c, const char *path)
{
	const char *normal = *path ? vc_path_normal(c, path) : NULL;
	return normal && *normal;
}

/* What others can write to is not the checkout of who runs this: /tmp has files of everybody. */
static bool
is_ours(const char *dir)
{
	struct stat st;
	return !stat(dir, &st) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & S_IWOTH);
}

/*
 * The nearest folder above the importing file that has the path below it, up to the top of its
 * checkout.  It is a file that says it is TOSCA, and no link leads to it.
 */
static const char *
below_ancestors(const tosca_unit *u, const char *path)
{
	vc *c = u->t->c;
	const char *real = u->files ? NULL : vc_real_path(c, u->path ? u->path : ".");
	char *dir = real ? vc_strdup(c, real) : NULL;
	bool top = false;
	for (int i = 0; dir && !top && i < ANCESTORS; i++) {
		char *slash = strrchr(dir, '/');
		if (!slash || slash == dir)
			return NULL;
		*slash = 0;
		if (!is_ours(dir))
			return NULL;
		const char *full = vc_format(c, "%s/%s", dir, path), *is = vc_real_path(c, full);
		if (is && !strcmp(is, full) && tosca_file_says_version(full))
			return full;
		top = tosca_is_file(vc_format(c, "%s/.git", dir));
	}
	return NULL;
}

static tosca_place
found(const char *path)
{
	return (tosca_place){.path = path};
}

static bool
has_etsi(const char *url)
{
	return strstr(url, "/v2.6.1/") || strstr(url, "/v2.5.1/");
}

static tosca_place
etsi(tosca_unit *u, const char *kind)
{
	return (tosca_place){.asset = vc_format(u->t->c, "etsi-%s", kind)};
}

static tosca_place
find_remote(tosca_unit *u, const char *url, vc_span at)
{
	vc *c = u->t->c;
	for (size_t i = 0; i < VC_LEN(known_profiles); i++)
		if (ends_with(url, known_profiles[i].end))
			return (tosca_place){.asset = known_profiles[i].asset};
	if (etsi_file(url) && has_etsi(url))
		return etsi(u, etsi_file(url));
	const char *host = strstr(url, "://"), *path = path_in_repository(url), *local = NULL;
	if (!path && host)
		path = skip(host + 3, 1);
	if (path && is_safe(c, path)) {
		local = below_search_paths(u->t, path);
		if (!local && strchr(path, '/') && (local = below_ancestors(u, path))) {
			vc_report(c, VC_W2003, at,
				"the import is not fetched; %s has its path and is taken instead",
				local);
			vc_hint(c, "--map URL=PATH says which file is meant");
		}
	}
	if (local)
		return found(local);
	if (was_told(u, url))
		return (tosca_place){0};
	vc_report(c, VC_E2015, at, "'%s' is on the network, and vetro fetches nothing", url);
	vc_hint(c, "fetch it and say where it is: --map %s=PATH", url);
	return (tosca_place){0};
}

static tosca_place
find_inside(tosca_unit *u, const char *path, bool url, vc_span at)
{
	vc *c = u->t->c;
	const char *joined = *path == '/' ? path + strspn(path, "/") : tosca_join(c, u->path, path);
	const char *normal = vc_path_normal(c, joined);
	if (normal && tosca_files_has(u->t, u->files, normal))
		return (tosca_place){.files = u->files, .path = normal};
	const char *other = *path == '/' || url
				    ? NULL
				    : vc_path_normal(c, vc_format(c, "%s/%s", u->path, path));
	if (other && tosca_files_has(u->t, u->files, other)) {
		vc_report(c, VC_W2004, at,
			"'%s' is found only as seen from the file itself, not from its folder",
			path);
		return (tosca_place){.files = u->files, .path = other};
	}
	if (!normal) {
		vc_report(c, VC_E2017, at, "'%s' leaves %s", path, u->files->name);
		vc_hint(c, "a service brings all its files; others are found with --map and -I");
		return (tosca_place){0};
	}
	vc_report(c, VC_E2010, at, "there is no '%s' in %s", normal, u->files->name);
	if (tosca_files_has(u->t, u->files, path))
		vc_hint(c,
			"paths are relative to the file that names them: '/%s' is the one at the "
			"top",
			path);
	return (tosca_place){0};
}

/* The real folder of the file with the path behind it, without dots. */
static const char *
on_paper(vc *c, const char *file, const char *path)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	const char *dir =
		vc_real_path(c, !slash          ? "."
				: slash == file ? "/"
						: vc_strndup(c, file, (size_t)(slash - file)));
	char *out = vc_alloc(c, (dir ? strlen(dir) : 0) + strlen(path) + 2), *to = out;
	to = stpcpy(to, dir && strcmp(dir, "/") != 0 ? dir : "");
	for (const char *p = path; *p; p += strspn(p, "/")) {
		size_t n = strcspn(p, "/");
		if (n == 2 && p[0] == '.' && p[1] == '.') {
			while (to > out && *--to != '/')
				;
		} else if (!(n == 1 && *p == '.')) {
			*to++ = '/';
			memcpy(to, p, n);
			to += n;
		}
		p += n;
	}
	*to = '\0';
	return out;
}

static bool
is_allowed(const vc *c, const char *path)
{
	for (uint32_t i = 0; i < c->nallowed; i++) {
		size_t n = strlen(c->allowed[i]);
		if (!strcmp(c->allowed[i], "/") ||
			(!strncmp(c->allowed[i], path, n) && (path[n] == '/' || !path[n])))
			return true;
	}
	return false;
}

/* Outside nobody learns whether a file is there that is no TOSCA. */
static void
no_file(tosca_unit *u, const char *full, const char *paper, vc_span at)
{
	vc *c = u->t->c;
	if (was_told(u, tidy(c, full)))
		return;
	vc_report(c, VC_E2010, at, "there is no file %s", full);
	if (u->keys & TK_A4C && strstr(full, "/<yorc-"))
		vc_hint(c, "Yorc has it built in; --map '%s=PATH' names a copy",
			strrchr(full, '/') + 1);
	if (!(u->version & VT_TV_2_0) && etsi_file(full))
		vc_hint(c,
			"vetro brings the types of ETSI's SOL001 2.5.1 and 2.6.1, by their URLs: "
			"https://forge.etsi.org/rep/nfv/SOL001/raw/v2.6.1/...");
	if (c->nallowed && !is_allowed(c, paper))
		vc_hint(c, "outside of the folder of the template a file has to say its "
			   "tosca_definitions_version; --allow-dir DIR allows others");
}

/*
 * May the import be read?  One that goes up by .. may, as profiles of a repository do: what it says
 * is looked at as TOSCA, and nothing of it is brought along as it is.  So it must say that it is
 * TOSCA: messages would show lines of any other file.  An absolute path and a link lead where the
 * author of the service wants, on a machine that is not the author's.
 */
static bool
may_import(tosca_unit *u, const char *path, const char *full, vc_span at)
{
	vc *c = u->t->c;
	bool outside;
	const char *real = vc_real_path(c, full), *paper = on_paper(c, u->path, path);
	if (vc_allowed(c, full, &outside) || !real)
		return true;
	if (*path == '/' || strcmp(real, paper) != 0)
		tosca_leads_out(u->t, at, path);
	else if (tosca_is_source(c, real))
		return true;
	else
		no_file(u, full, paper, at);
	return false;
}

/*
 * url: the path is a reference as RFC 3986 has it, from which there is one way; short notations and
 * file: URLs are found too as some tools read them, and as some tests of the standard want them.
 */
static tosca_place
find_path(tosca_unit *u, const char *path, bool url, vc_span at)
{
	vc *c = u->t->c;
	if (u->files)
		return find_inside(u, path, url, at);
	const char *full = tosca_join(c, u->path, path);
	if (tosca_is_file(full))
		return may_import(u, path, full, at) ? found(tidy(c, full)) : (tosca_place){0};
	const char *other = u->path && !url && !strncmp(path, "../", 3)
				    ? tosca_join(c, u->path, path + 3)
				    : NULL;
	if (other && tosca_is_file(other)) {
		if (!may_import(u, path + 3, other, at))
			return (tosca_place){0};
		vc_report(c, VC_W2004, at,
			"'%s' is found only as seen from the file itself, not from its folder",
			path);
		vc_hint(c, "write '%s'", path + 3);
		return found(tidy(c, other));
	}
	const char *below = is_safe(c, path) ? below_search_paths(u->t, path) : NULL;
	if (below)
		return may_import(u, path, below, at) ? found(below) : (tosca_place){0};
	no_file(u, full, on_paper(c, u->path, path), at);
	return (tosca_place){0};
}

/* The profile that comes with the version, as vetro calls it; NULL: none. */
static const char *
implicit_profile(const tosca_unit *u)
{
	const char *name =
		u->nimports && u->imports[0].implicit ? u->imports[0].unit->src->name : NULL;
	return name ? vc_strndup(u->t->c, name + 1, strlen(name) - 2) : NULL;
}

/* How Alien4Cloud's, Yorc's and ARIA's files name the normative types, in any version. */
static bool
is_normative_import(const tosca_unit *u, const char *url)
{
	return !(u->version & VT_TV_2_0) && implicit_profile(u) &&
	       (!strncmp(url, "tosca-normative-types:", 22) ||
		       !strcmp(url, "<normative-types.yml>") || !strcmp(url, "aria-1.0"));
}

/* What Yorc has built in beside them. */
static bool
is_yorc_import(const tosca_unit *u, const char *url)
{
	return u->keys & TK_A4C &&
	       (!strncmp(url, "yorc-types:", 11) || !strcmp(url, "<yorc-types.yml>"));
}

/* Cloudify's own types, which every release has at an address of its own. */
static bool
is_cloudify_types(const tosca_unit *u, const char *url)
{
	size_t n;
	if (!(u->version & VT_TV_CLOUDIFY) || !ends_with(url, "types.yaml"))
		return false;
	return !strcmp(url, "cloudify/types/types.yaml") ||
	       (tosca_url_scheme(url, &n) && strstr(url, "/spec/cloudify/"));
}

static tosca_place find_in_catalogue(tosca_unit *, const char *name, vc_span at);

/* NAME:VERSION, as Alien4Cloud's catalogue has archives: no URL has a digit behind its scheme. */
static bool
is_catalogue_name(const tosca_unit *u, const char *url)
{
	const char *colon = strchr(url, ':');
	return !(u->version & (VT_TV_2_0 | VT_TV_CLOUDIFY)) && colon && colon != url &&
	       colon[1] >= '0' && colon[1] <= '9' && !strpbrk(url, "/ \\") &&
	       !strchr(colon + 1, ':');
}

tosca_place
tosca_find_url(tosca_unit *u, const char *url, bool whole, vc_span at)
{
	vc *c = u->t->c;
	size_t n;
	const char *to = u->embedded ? NULL : mapped(u->t, url);
	if (to) {
		if (tosca_is_file(to))
			return found(to);
		vc_report(c, VC_E2010, at, "there is no file %s, where --map says it is", to);
		return (tosca_place){0};
	}
	if (u->embedded) /* <simple-1.2> */
		return (tosca_place){
			.asset = vc_strndup(c, url + 1, strlen(url) > 2 ? strlen(url) - 2 : 0)};
	if (is_normative_import(u, url) || (implicit_profile(u) && is_cloudify_types(u, url)))
		return (tosca_place){.asset = implicit_profile(u)};
	if (is_yorc_import(u, url))
		return (tosca_place){.asset = "yorc-types"};
	if (is_catalogue_name(u, url))
		return find_in_catalogue(u, url, at);
	if (!tosca_url_scheme(url, &n))
		return find_path(u, url, whole, at);
	if (n == 4 && !strncmp(url, "file", 4))
		return find_path(u, file_path(c, url), false, at);
	return find_remote(u, url, at);
}

/* ---- which profile a file is ---- */

/* The value of a line `profile: NAME` at the beginning of a line; NULL: there is none. */
static const char *
declared_name(vc *c, const char *text, size_t n)
{
	for (const char *p = text, *end = text + n; p && p < end;
		p = memchr(p, '\n', (size_t)(end - p)), p += p != NULL) {
		if ((size_t)(end - p) < 9 || strncmp(p, "profile:", 8) != 0)
			continue;
		p += 8;
		while (p < end && (*p == ' ' || *p == '"' || *p == '\''))
			p++;
		size_t length = 0;
		while (p + length < end && !strchr(" \t\r\n\"'", p[length]))
			length++;
		return length ? vc_strndup(c, p, length) : NULL;
	}
	return NULL;
}

/* The text behind `key: ` in a line, without quotes; n 0: the line has no such key. */
static size_t
value_in(const char *line, size_t n, const char *key, const char **value)
{
	size_t k = strlen(key), length = 0;
	if (n < k + 2 || strncmp(line, key, k) != 0 || line[k] != ':' || line[k + 1] != ' ')
		return 0;
	const char *p = line + k + 2, *end = line + n;
	while (p < end && strchr(" \"'", *p))
		p++;
	while (p + length < end && !strchr(" \t\r\n\"'", p[length]))
		length++;
	*value = p;
	return length;
}

/* NAME:VERSION that template_name and template_version say, at the top or below `metadata`. */
static const char *
catalogue_name(vc *c, const char *text, size_t n)
{
	const char *name = NULL, *version = NULL, *end = text + n, *next;
	size_t nname = 0, nversion = 0;
	bool inside = false;
	for (const char *p = text; p < end && !(nname && nversion); p = next + 1) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next : end;
		const char *word = p;
		while (word < next && *word == ' ')
			word++;
		size_t rest = (size_t)(next - word);
		if (word == p && rest && *p != '#' && *p != '\r')
			inside = rest > 8 && !strncmp(p, "metadata:", 9);
		if (word != p && !inside)
			continue;
		if (!nname)
			nname = value_in(word, rest, "template_name", &name);
		if (!nversion)
			nversion = value_in(word, rest, "template_version", &version);
	}
	return nname && nversion
		       ? vc_format(c, "%.*s:%.*s", (int)nname, name, (int)nversion, version)
		       : NULL;
}

typedef const char *(*namer)(vc *, const char *text, size_t n);

static const char *
name_of_path(vc *c, const char *path, namer namer)
{
	FILE *f = vc_source_open(path);
	char *head = vt_xmalloc(HEAD);
	const char *name = NULL;
	if (f)
		name = namer(c, head, fread(head, 1, HEAD, f));
	free(head);
	if (f)
		fclose(f);
	return name;
}

static const char *
profile_of_path(vc *c, const char *path)
{
	return name_of_path(c, path, declared_name);
}

static bool
ends_with_text(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n > m && !strcmp(s + n - m, end);
}

static bool
is_yaml(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

/* ---- profiles of folders and archives ---- */

static void
add_declared(vc *c, tosca_index *x, const char *name, const char *path)
{
	if (name)
		vc_push(c, x->d, x->n) = (tosca_declared){name, path};
}

/* The YAML files of a folder, without what is below it. */
static void
index_folder(vc *c, tosca_index *x)
{
	DIR *d = opendir(x->dir);
	unsigned n = 0;
	for (struct dirent *e; d && n < DIR_MOST && (e = readdir(d));) {
		if (!is_yaml(e->d_name))
			continue;
		const char *path = vc_format(c, "%s/%s", x->dir, e->d_name);
		add_declared(c, x, profile_of_path(c, path), path);
		n++;
	}
	if (d)
		closedir(d);
}

/* What the files at the top of an archive are called in a catalogue; NULL: nothing.  What is wrong
 * with the archive is reported when it is loaded. */
static const char *
name_of_archive(vc *c, const char *path)
{
	vc *own = vc_new();
	const char *name = NULL;
	size_t n = 0, length;
	own->limit = c->limit;
	vc_files *f = vc_is_zip(path) ? vc_files_open(own, path) : NULL;
	const char *const *list = f ? vc_files_list(own, f, "", &n) : NULL;
	for (size_t i = 0; !name && i < n; i++) {
		if (!is_yaml(list[i]) || strchr(list[i], '/'))
			continue;
		const char *text = vc_files_bytes(own, f, list[i], &length);
		name = text ? catalogue_name(c, text, length < HEAD ? length : HEAD) : NULL;
	}
	vc_free(own);
	return name;
}

/* Files of a directory of -I and of all below it: those of profiles, or a catalogue's archives,
 * which may be packed. */
static void
index_tree(vc *c, tosca_index *x, bool catalogue)
{
	struct stat st;
	if (stat(x->dir, &st) || !S_ISDIR(st.st_mode))
		return;
	vc_files *f = vc_files_open(c, x->dir);
	size_t n = 0;
	const char *const *list = f ? vc_files_list(c, f, "", &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		const char *path = vc_format(c, "%s/%s", x->dir, list[i]), *name = NULL;
		if (is_yaml(path))
			name = catalogue ? name_of_path(c, path, catalogue_name)
					 : profile_of_path(c, path);
		else if (catalogue &&
			 (ends_with_text(path, ".csar") || ends_with_text(path, ".zip")))
			name = name_of_archive(c, path);
		add_declared(c, x, name, path);
	}
}

static void
index_files(vc *c, tosca_index *x, tosca_files *f)
{
	size_t top = strlen(f->top), n;
	for (size_t i = 0; i < f->n; i++) {
		const char *path = f->list[i] + top;
		if (strncmp(f->list[i], f->top, top) != 0 || !is_yaml(path))
			continue;
		char *text = vc_files_bytes(c, f->f, f->list[i], &n);
		if (text)
			add_declared(c, x, declared_name(c, text, n < HEAD ? n : HEAD), path);
	}
}

static int
by_name(const void *a, const void *b)
{
	const tosca_declared *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->path, y->path);
}

enum depth { FOLDER, TREE, FILES, CATALOGUE };

static const tosca_index *
index_of(struct tosca *t, const char *dir, enum depth depth, tosca_files *f)
{
	struct tosca_loader *l = t->loader;
	const char *key = vc_format(t->c, "%d%s", (int)depth, dir);
	for (uint32_t i = 0; i < l->nindex; i++)
		if (!strcmp(l->index[i].dir, key))
			return &l->index[i];
	tosca_index x = {.dir = dir};
	switch (depth) {
	case FOLDER: index_folder(t->c, &x); break;
	case TREE: index_tree(t->c, &x, false); break;
	case FILES: index_files(t->c, &x, f); break;
	case CATALOGUE: index_tree(t->c, &x, true); break;
	}
	if (x.n)
		qsort(x.d, x.n, sizeof *x.d, by_name);
	x.dir = key;
	vc_push(t->c, l->index, l->nindex) = x;
	return &l->index[l->nindex - 1];
}

/* names: what there is besides, for the hint. */
static const char *
find_in(vc *c, const tosca_index *x, const char *name, const char ***names, size_t *nnames)
{
	for (uint32_t i = 0; i < x->n; i++) {
		if (!strcmp(x->d[i].name, name))
			return x->d[i].path;
		vc_push(c, *names, *nnames) = x->d[i].name;
	}
	return NULL;
}

/* ---- catalogues ---- */

static tosca_place
find_in_catalogue(tosca_unit *u, const char *name, vc_span at)
{
	struct tosca *t = u->t;
	vc *c = t->c;
	const char **names = NULL, *path;
	size_t n = 0;
	for (uint32_t i = 0; i < t->npaths; i++)
		if ((path = find_in(
			     c, index_of(t, t->paths[i], CATALOGUE, NULL), name, &names, &n)))
			return found(path);
	if (was_told(u, name))
		return (tosca_place){0};
	vc_report(c, VC_E2015, at, "there is no archive '%s' below the directories of -I", name);
	const char *near = vt_nearest(name, names, n);
	if (near)
		vc_did_you_mean(c, "'%s'", near);
	else
		vc_hint(c, "-I DIR names a directory that has it, --map %s=PATH its file", name);
	return (tosca_place){0};
}

/* ---- profiles ---- */

/* org.oasis-open.simple:2.0 as org/oasis-open/simple/2.0: the version keeps its dots. NULL: no such
 * path. */
static const char *
profile_path(vc *c, const char *name)
{
	char *path = vc_strdup(c, name);
	char *colon = strchr(path, ':');
	for (char *p = path; *p && p != colon; p++)
		if (*p == '.')
			*p = '/';
	if (colon)
		*colon = '/';
	return *name && is_safe(c, path) && !strchr(path, ':') ? path : NULL;
}

/* FOLDER/org/name/1.0/profile.yaml, or FOLDER/profiles/..., above the importing file; the folder of
 * the version may be left out. */
static const char *
above(const tosca_unit *u, const char *name)
{
	vc *c = u->t->c;
	const char *full = profile_path(c, name), *colon = strchr(name, ':');
	const char *bare = full && colon ? vc_strndup(c, full, (size_t)(colon - name)) : NULL;
	for (int i = 0; i < 4; i++) {
		const char *path = i < 2 ? full : bare;
		const char *file =
			path ? below_ancestors(u, vc_format(c, "%s%s/profile.yaml",
							  i % 2 ? "profiles/" : "", path))
			     : NULL;
		const char *is = file ? profile_of_path(c, file) : NULL;
		if (is && !strcmp(is, name))
			return file;
	}
	return NULL;
}

static const char *
folder_of(vc *c, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? vc_strndup(c, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
}

static void
unknown_profile(vc *c, const char *name, vc_span at, const char **names, size_t n)
{
	for (size_t i = 0; i < VC_LEN(known_profiles); i++)
		vc_push(c, names, n) = known_profiles[i].name;
	vc_report(c, VC_E2013, at, "there is no profile '%s'", name);
	const char *near = vt_nearest(name, names, n);
	if (near)
		vc_did_you_mean(c, "'%s'", near);
	else
		vc_hint(c, "-I DIR names a directory that has it, --map %s=PATH its file", name);
}

tosca_place
tosca_find_profile(tosca_unit *u, const char *name, vc_span at)
{
	struct tosca *t = u->t;
	vc *c = t->c;
	const char **names = NULL, *path = u->embedded ? NULL : mapped(t, name);
	size_t n = 0;
	if (path && tosca_is_file(path))
		return found(path);
	if (path) {
		vc_report(c, VC_E2010, at, "there is no file %s, where --map says it is", path);
		return (tosca_place){0};
	}
	for (uint32_t i = 0; i < t->npaths; i++)
		if ((path = find_in(c, index_of(t, t->paths[i], TREE, NULL), name, &names, &n)))
			return found(path);
	for (size_t i = 0; i < VC_LEN(known_profiles); i++)
		if (!strcmp(known_profiles[i].name, name))
			return (tosca_place){.asset = known_profiles[i].asset};
	if (u->files) {
		path = find_in(c, index_of(t, u->files->key, FILES, u->files), name, &names, &n);
		if (path)
			return (tosca_place){.files = u->files, .path = path};
	} else if ((path = above(u, name)) ||
		   (path = find_in(c, index_of(t, folder_of(c, u->path), FOLDER, NULL), name,
			    &names, &n))) {
		return found(path);
	}
	unknown_profile(c, name, at, names, n);
	return (tosca_place){0};
}

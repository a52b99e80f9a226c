/*
 * unit.c - units: a file, its version, what it imports.
 *
 * A file is read once, whatever the number of imports that lead to it; what it is called is its
 * canonical path. Imports are read breadth first from a list, so that no chain of them is too long,
 * and loops are looked for when all are known.  An import that leads nowhere leaves its unit
 * incomplete: names that nobody knows may have been there, so the phases behind keep quiet about
 * them.
 */
#include "compiler/heat/heat.h"
#include "compiler/tosca/desugar.h"
#include "runtime/core/printable.h"
#include "compiler/tosca/unit.h"

#include <stdlib.h>
#include <string.h>

/*
 * The dialects: the text a template says its version by, the version that it means, the profile
 * that comes with it, and whose keynames it has beside those of the version.  `shown`: hints name
 * it.
 */
static const struct version_row {
	const char *text;
	uint32_t version; /* enum vt_tversion */
	const char *profile;
	uint32_t keys; /* sets of keynames, beside `version` */
	bool shown;
} versions[] = {
	{"tosca_2_0", VT_TV_2_0, "implicit-2.0", 0, true},
	{"tosca_simple_yaml_1_3", VT_TV_1_3, "simple-1.3", 0, true},
	{"tosca_simple_yaml_1_2", VT_TV_1_2, "simple-1.2", 0, true},
	{"tosca_simple_yaml_1_1", VT_TV_1_1, "simple-1.1", 0, true},
	{"tosca_simple_yaml_1_0", VT_TV_1_0, "simple-1.0", 0, true},
	{"tosca_simple_profile_for_nfv_1_0", VT_TV_1_2, "nfv-1.0", 0, true},
	{"cloudify_dsl_1_3", VT_TV_CLOUDIFY, "cloudify-1.3", 0, true},
	/* the first working drafts, and products */
	{"tosca_simple_yaml_1_0_0", VT_TV_1_0, "simple-1.0", TK_SDC, false},
	{"tosca_simple_yaml_1_0_0_wd03", VT_TV_1_0, "alien-1.2", VT_TV_1_2 | TK_A4C, false},
	{"tosca_simple_profile_for_nfv_1_0_0", VT_TV_1_2, "nfv-1.0", 0, false},
	{"tosca_simple_openecomp_1_0", VT_TV_1_0, "simple-1.0", TK_SDC, false},
	{"yorc_tosca_simple_yaml_1_0", VT_TV_1_0, "alien-1.2", VT_TV_1_2 | TK_A4C | TK_YORC, false},
	{"alien_dsl_1_2_0", VT_TV_1_2, "alien-1.2", TK_A4C, false},
	{"alien_dsl_1_3_0", VT_TV_1_2, "alien-1.2", TK_A4C, false},
	{"alien_dsl_1_4_0", VT_TV_1_2, "alien-1.2", TK_A4C, false},
	{"alien_dsl_2_0_0", VT_TV_1_2, "alien-1.2", TK_A4C, false},
	{"alien_dsl_3_0_0", VT_TV_1_2, "alien-1.2", TK_A4C, false},
	{"cloudify_dsl_1_0", VT_TV_CLOUDIFY, "cloudify-1.3", 0, false},
	{"cloudify_dsl_1_1", VT_TV_CLOUDIFY, "cloudify-1.3", 0, false},
	{"cloudify_dsl_1_2", VT_TV_CLOUDIFY, "cloudify-1.3", 0, false},
	{"cloudify_dsl_1_4", VT_TV_CLOUDIFY, "cloudify-1.3", 0, false},
	{"cloudify_dsl_1_5", VT_TV_CLOUDIFY, "cloudify-1.3", 0, false},
};
/* Versions before 2.0 may also be given by the URI of their namespace, which ends in `1.0` and so
 * on. */
static const char version_uri[] = "http://docs.oasis-open.org/tosca/ns/simple/yaml/";

static const struct version_row cloudify_row = {
	"cloudify_dsl_1_3", VT_TV_CLOUDIFY, "cloudify-1.3", 0, false};
static const struct version_row heat_row = {"heat_template_version", VT_TV_HOT, NULL, 0, false};

static struct tosca_loader *
loader_of(struct tosca *t)
{
	if (!t->loader)
		t->loader = vc_alloc(t->c, sizeof *t->loader);
	return t->loader;
}

/* ---- versions ---- */

static void
hint_versions(vc *c, const char *said)
{
	const char *names[VC_LEN(versions)], *comma = "";
	size_t n = 0;
	vt_buf b = {0};
	for (size_t i = 0; i < VC_LEN(versions); i++)
		names[n++] = versions[i].text;
	const char *near = said ? vt_nearest(said, names, n) : NULL;
	if (near)
		vt_buf_printf(&b, "did you mean '%s'? ", near);
	vt_buf_puts(&b, "there are ");
	for (size_t i = 0; i < n; i++)
		if (versions[i].shown) {
			vt_buf_printf(&b, "%s%s", comma, names[i]);
			comma = ", ";
		}
	vt_buf_put(&b, "", 1);
	vc_hint(c, "%s", b.p);
	if (near)
		vc_near(c, near);
	vt_buf_free(&b);
}

static const struct version_row *
find_version(const ynode *y, bool heat)
{
	if (heat) /* compiler/heat says what is wrong with it */
		return &heat_row;
	const char *text = y->text;
	char name[] = "tosca_simple_yaml_1_?";
	size_t n = sizeof version_uri - 1;
	if (!strncmp(text, version_uri, n) && !strncmp(text + n, "1.", 2) && text[n + 2] &&
		!text[n + 3]) {
		name[sizeof name - 2] = text[n + 2];
		text = name;
	}
	for (size_t i = 0; i < VC_LEN(versions); i++)
		if (!strcmp(text, versions[i].text))
			return &versions[i];
	return NULL;
}

/* NULL: reported. The first of the two keys counts. */
static const struct version_row *
read_version(vc *c, const ynode *doc, uint32_t importer)
{
	const ynode *y = yn_get(doc, "tosca_definitions_version");
	if (!y && importer == VT_TV_CLOUDIFY) /* it has one grammar in all versions */
		return &cloudify_row;
	bool heat = !y;
	if (heat)
		y = yn_get(doc, "heat_template_version");
	if (!y) {
		vc_report(c, VC_E2001, (vc_span){doc->span.src, doc->span.from, doc->span.from},
			"the file does not say its version of TOSCA: there is no "
			"tosca_definitions_version");
		hint_versions(c, NULL);
		return NULL;
	}
	if (y->kind == YN_ERROR)
		return NULL;
	if (!heat && (y->kind != YN_SCALAR || !te_text(y))) {
		vc_report(c, VC_E2001, y->span, "the version of TOSCA must be a string");
		hint_versions(c, NULL);
		return NULL;
	}
	const struct version_row *row = find_version(y, heat);
	if (row)
		return row;
	vc_report(c, VC_E2001, y->span, "there is no version '%s'", y->text);
	hint_versions(c, y->text);
	return NULL;
}

/* ---- one file ---- */

const vc_yaml_opts tosca_yaml = {.core = true, .keep_empty = true, .flags = YQ_F_MURANO};

static ynode *
read_document(vc *c, vc_source *src)
{
	uint32_t n;
	int before = vc_errors(c);
	ynode **docs = vc_yaml_parse(c, src, heat_says(src) ? &heat_yaml : &tosca_yaml, &n);
	if (!n) {
		if (vc_errors(c) == before) {
			vc_report(c, VC_E2001, (vc_span){src, 0, 0}, "the file is empty");
			hint_versions(c, NULL);
		}
		return NULL;
	}
	if (n > 1)
		vc_report(c, VC_E2004, docs[1]->span,
			"a TOSCA file is one YAML document, and this is the second");
	if (docs[0]->kind != YN_MAP && docs[0]->kind != YN_ERROR)
		vc_report(c, VC_E2004, docs[0]->span, "a TOSCA file must be a map");
	return docs[0]->kind == YN_MAP ? docs[0] : NULL;
}

static tosca_known *
find_known(struct tosca_loader *l, const char *key)
{
	uint64_t hash = vt_hash_bytes(key, strlen(key));
	for (uint32_t i = 0; i < l->nknown; i++)
		if (l->known[i].hash == hash && !strcmp(l->known[i].key, key))
			return &l->known[i];
	return NULL;
}

static void
add_known(struct tosca *t, const char *key, tosca_unit *u)
{
	struct tosca_loader *l = loader_of(t);
	tosca_known *old = find_known(l, key);
	if (old)
		old->unit = u;
	else
		vc_push(t->c, l->known, l->nknown) =
			(tosca_known){vt_hash_bytes(key, strlen(key)), key, u};
}

static const char *
text_of(const tosca_unit *u, const char *keyname)
{
	const char *s = te_str(u->file, keyname);
	return s && *s ? s : NULL;
}

/* What TOSCA 2.0 asks of a file as a whole. */
static void
check_file(tosca_unit *u, const ynode *doc)
{
	const ynode *y = te_y(u->file, "profile");
	const te_field *service = te_get(u->file, "service_template");
	vc *c = u->t->c;
	if (!(u->version & VT_TV_2_0))
		return;
	if (te_text(doc->key[0]) && strcmp(doc->key[0]->text, "tosca_definitions_version") != 0) {
		vc_report(c, VC_E2001, yn_key(doc, "tosca_definitions_version")->span,
			"tosca_definitions_version must be the first line of a file");
		vc_hint(c, "move it in front of '%s'", doc->key[0]->text);
	}
	if (y && te_text(y) && (!*y->text || strpbrk(y->text, "\t\n")))
		vc_report(c, VC_E2008, y->span, "the name of a profile is a line of text");
	if (y && service)
		vc_report(c, VC_W2037, service->key->span,
			"a file that is a profile has no service_template");
}

static void
add_import(tosca_unit *u, tosca_import im)
{
	vc_push(u->t->c, u->imports, u->nimports) = im;
	u->incomplete |= im.unit == NULL;
}

static tosca_unit *tosca_load_profile(struct tosca *t, const char *name);

/* The profile that comes with the version goes first; nothing but TOSCA 2.0's own data types for a
 * profile itself. */
static void
import_implicit(tosca_unit *u, const struct version_row *row)
{
	if (!row->profile || (u->embedded && strcmp(row->profile, "implicit-2.0") != 0) ||
		(u->embedded && !strcmp(u->src->name, "<implicit-2.0>")))
		return;
	tosca_unit *p = tosca_load_profile(u->t, row->profile);
	if (p)
		add_import(u, (tosca_import){NULL, p, NULL, true});
}

static void
free_read(void *arg)
{
	struct vc_arena **a = arg;
	if (*a)
		vc_arena_free(*a);
	*a = NULL;
}

/* The arena for what is read, from here to leave(). */
static vc_arena *
enter(struct tosca *t)
{
	struct tosca_loader *l = loader_of(t);
	if (!l->read) {
		l->read = vc_arena_new();
		vc_defer(t->c, free_read, &l->read);
	}
	return vc_arena_use(t->c, l->read);
}

void
tosca_drop(struct tosca *t)
{
	/* maps that may be told later, and the plugins of blueprints, are looked at behind it */
	bool later = t->nbare || (t->root && t->root->version & VT_TV_CLOUDIFY);
	if (t->c->diags || !t->loader || later)
		return;
	for (uint32_t i = 0; i < t->nunits; i++)
		t->units[i]->file = NULL;
	free_read(&t->loader->read);
}

/* A template of Heat is checked by Heat's rules first; what they refuse becomes no service. */
static ynode *
from_heat(tosca_unit *u, ynode *doc)
{
	struct tosca *t = u->t;
	int before = vc_errors(t->c);
	heat_request r = {.path = u->files ? NULL : u->path,
		.environments = t->environments,
		.nenvironments = t->nenvironments,
		.runs = !t->check_only,
		.open = tosca_yaql_open,
		.close = tosca_yaql_close};
	heat_given given = {NULL, 0};
	heat_check(t->c, doc, &r, &given);
	t->refused |= vc_errors(t->c) > before;
	if (!t->refused && !t->check_only)
		return tosca_from_hot(u, doc, &given);
	return ds_pair(u, doc, "tosca_definitions_version", ds_text(u, doc, "heat"));
}

static tosca_unit *
read_unit(struct tosca *t, vc_source *src, tosca_place at)
{
	vc *c = t->c;
	vc_arena *main = enter(t);
	ynode *doc = read_document(c, src);
	vc_arena_use(c, main);
	const struct version_row *row = doc ? read_version(c, doc, t->importer) : NULL;
	if (!row)
		return NULL;
	tosca_unit *u = vc_alloc(c, sizeof *u);
	*u = (tosca_unit){
		.t = t, .src = src, .path = at.path, .files = at.files, .version = row->version};
	u->embedded = at.asset != NULL;
	u->normative =
		u->embedded && row->version & (VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2 | VT_TV_1_3);
	u->keys = row->keys | (row->version == VT_TV_HOT               ? VT_TV_1_3 | VT_TV_HOT
				      : row->version == VT_TV_CLOUDIFY ? VT_TV_1_2 | VT_TV_CLOUDIFY
								       : row->version);
	enter(t);
	if (row->version == VT_TV_HOT)
		doc = from_heat(u, doc);
	else if (row->version == VT_TV_CLOUDIFY)
		doc = tosca_from_cloudify(u, doc);
	else if (u->keys & TK_A4C)
		doc = tosca_from_alien(u, doc);
	u->file = te_read(u, TE_FILE, NULL, doc);
	vc_arena_use(c, main);
	u->profile = text_of(u, "profile") ? text_of(u, "profile") : text_of(u, "namespace");
	check_file(u, doc);
	vc_push(c, t->units, t->nunits) = u;
	if (!t->root && !u->embedded)
		t->root = u;
	import_implicit(u, row);
	return u;
}

tosca_unit *
tosca_load_source(struct tosca *t, vc_source *src, const char *path, tosca_files *files)
{
	loader_of(t);
	return read_unit(t, src, (tosca_place){NULL, files, path});
}

/* embedded ones; NULL: none of that name */
static tosca_unit *
tosca_load_profile(struct tosca *t, const char *name)
{
	size_t n;
	const char *key = vc_format(t->c, "<%s>", name);
	const tosca_known *known = find_known(loader_of(t), key);
	if (known)
		return known->unit;
	const char *text = vc_asset(vc_format(t->c, "tosca/%s.yaml", name), &n);
	if (!text)
		return NULL;
	add_known(t, key, NULL);
	tosca_unit *u =
		read_unit(t, vc_source_new(t->c, key, text, n), (tosca_place){.asset = name});
	add_known(t, key, u);
	return u;
}

/* ---- by place ---- */

static tosca_unit *
load_in(struct tosca *t, tosca_files *files, const char *path)
{
	const char *key = vc_format(t->c, "%s!%s", files->key, path);
	const tosca_known *known = find_known(loader_of(t), key);
	if (known)
		return known->unit;
	vc_source *src = tosca_files_read(t, files, path);
	tosca_unit *u = src ? read_unit(t, src, (tosca_place){NULL, files, path}) : NULL;
	add_known(t, key, u);
	return u;
}

static void
load_others(struct tosca *t, const tosca_csar *a)
{
	for (uint32_t i = 0; i < a->nothers; i++) {
		tosca_unit *u = load_in(t, a->files, a->others[i]);
		if (u)
			vc_push(t->c, t->others, t->nothers) = u;
	}
}

static tosca_unit *
load_archive(struct tosca *t, const char *path, const char *key, bool import)
{
	tosca_csar a;
	tosca_unit *u = NULL;
	if (tosca_csar_open(t, path, &a)) {
		u = load_in(t, a.files, a.entry);
		if (u && a.bare)
			tosca_csar_bare(u);
		if (!import)
			load_others(t, &a);
	}
	add_known(t, key, u);
	return u;
}

static tosca_unit *
load_path(struct tosca *t, const char *path, bool import)
{
	vc *c = t->c;
	const char *real = strcmp(path, "-") ? vc_real_path(c, path) : NULL,
		   *key = real ? real : path;
	const tosca_known *known = find_known(loader_of(t), key);
	if (known)
		return known->unit;
	if (tosca_csar_is(path))
		return load_archive(t, path, key, import);
	vc_source *src = vc_source_read(c, path);
	tosca_unit *u =
		src ? read_unit(t, src, (tosca_place){.path = strcmp(path, "-") ? path : NULL})
		    : NULL;
	add_known(t, key, u);
	return u;
}

/* ---- imports ---- */

static tosca_unit *
load_place(struct tosca *t, tosca_place p, vc_span at)
{
	struct tosca_loader *l = t->loader;
	/* Expressions number files with 16 bits (vt_texpr). */
	uint32_t most = t->c->limit.max_entries < 65000 ? t->c->limit.max_entries : 65000;
	if (t->nunits >= most) {
		if (!l->full)
			vc_report(t->c, VC_E2010, at, "more than %u files are imported", most);
		l->full = true;
		return NULL;
	}
	if (p.asset)
		return tosca_load_profile(t, p.asset);
	if (p.files)
		return load_in(t, p.files, p.path);
	return p.path ? load_path(t, p.path, true) : NULL;
}

/* What an import that stands before this one brings: by its namespace, and from 2.0 on only. */
static const te *
imported_repository(const tosca_unit *u, const char *name)
{
	for (uint32_t i = 0; i < u->nimports && u->version & VT_TV_2_0; i++) {
		const tosca_import *im = &u->imports[i];
		size_t n = im->prefix ? strlen(im->prefix) : 0;
		if (!im->unit || (n && (strncmp(name, im->prefix, n) != 0 || name[n] != ':')))
			continue;
		const te *e = te_named(im->unit->file, "repositories", n ? name + n + 1 : name);
		if (e)
			return e;
	}
	return NULL;
}

static const char *
repository_url(tosca_unit *u, const te *import, const char *name)
{
	uint32_t n;
	te **all = te_all(u->file, "repositories", &n);
	const char **names = NULL;
	size_t nnames = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(all[i]->name, name))
			return all[i]->bad ? NULL : te_str(all[i], "url");
		vc_push(u->t->c, names, nnames) = all[i]->name;
	}
	const te *theirs = imported_repository(u, name);
	if (theirs)
		return theirs->bad ? NULL : te_str(theirs, "url");
	vc_report(u->t->c, VC_E2014, te_y(import, "repository")->span,
		"there is no repository '%s'", name);
	const char *near = vt_nearest(name, names, nnames);
	if (near)
		vc_did_you_mean(u->t->c, "'%s'", near);
	else
		vc_hint(u->t->c, "declare it under repositories");
	return NULL;
}

/* url, file or profile of an import; NULL: reported. */
static const ynode *
target_of(tosca_unit *u, const te *e)
{
	vc *c = u->t->c;
	const ynode *url = te_y(e, u->version & VT_TV_2_0 ? "url" : "file"),
		    *profile = te_y(e, "profile");
	const ynode *repository = te_y(e, "repository");
	if (url && profile) {
		vc_report(c, VC_E2007, te_get(e, "profile")->key->span,
			"an import has either a url or a profile");
		return NULL;
	}
	if (profile && repository) {
		vc_report(c, VC_E2007, te_get(e, "repository")->key->span,
			"a repository goes with a url, not with a profile");
		return NULL;
	}
	size_t scheme;
	if (u->version & VT_TV_2_0 && repository && url && tosca_url_scheme(url->text, &scheme)) {
		vc_report(c, VC_E2007, te_get(e, "repository")->key->span,
			"a repository goes with a path, and this url says all by itself");
		return NULL;
	}
	if (!url && !profile)
		vc_report(c, VC_E2003, te_span(e), "an import needs %s",
			u->version & VT_TV_2_0 ? "a url or a profile" : "a file");
	return url ? url : profile;
}

/* Cloudify's PREFIX--FILE: where the two dashes are; NULL: no prefix. */
static const char *
dashes(const tosca_unit *u, const ynode *y)
{
	const char *text = u->version & VT_TV_CLOUDIFY && y ? te_text(y) : NULL;
	const char *at = text ? strstr(text, "--") : NULL;
	size_t n = at ? (size_t)(at - text) : 0;
	return n && at[2] && strcspn(text, "/:.? \t") > n ? at : NULL;
}

static tosca_place
find_import(tosca_unit *u, const te *e)
{
	vc *c = u->t->c;
	const ynode *target = target_of(u, e);
	const char *repository = te_str(e, "repository");
	size_t n;
	if (!target)
		return (tosca_place){0};
	if (!*target->text) {
		vc_report(c, VC_E2005, target->span, "an import of nothing");
		return (tosca_place){0};
	}
	if (te_y(e, "profile"))
		return tosca_find_profile(u, target->text, target->span);
	if (dashes(u, target))
		return tosca_find_url(u, dashes(u, target) + 2, false, target->span);
	if (!repository || tosca_url_scheme(target->text, &n))
		return tosca_find_url(
			u, target->text, te_get(e, "url") && te_get(e, "url")->key, target->span);
	const char *base = repository_url(u, e, repository);
	if (!base)
		return (tosca_place){0};
	const char *slash = *base && base[strlen(base) - 1] == '/' ? "" : "/";
	return tosca_find_url(u,
		vc_format(c, "%s%s%s", base, slash, target->text + strspn(target->text, "/")), true,
		target->span);
}

static const char *
prefix_of(tosca_unit *u, const te *e)
{
	const ynode *y = te_y(e, u->version & VT_TV_2_0 ? "namespace" : "namespace_prefix");
	const ynode *file = te_y(e, "file");
	if (dashes(u, file))
		return vc_strndup(u->t->c, file->text, (size_t)(dashes(u, file) - file->text));
	if (!y || !te_text(y))
		return NULL;
	if (*y->text && !strpbrk(y->text, ": \t\n"))
		return y->text;
	vc_report(u->t->c, VC_E2008, y->span,
		"the namespace of an import has neither colons nor blanks, and is not empty");
	return NULL;
}

static void
check_versions(tosca_unit *u, const te *e, tosca_import *im)
{
	vc *c = u->t->c;
	uint32_t old = VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2 | VT_TV_1_3;
	if (!im->unit || im->unit->version == u->version ||
		(im->unit->version & old && u->version & old))
		return;
	vc_report(c, VC_E2012, te_span(e),
		"'%s' is of another version of TOSCA than the file that imports it",
		im->unit->src->name);
	const ynode *theirs = yn_get(im->unit->file->y, "tosca_definitions_version");
	if (theirs)
		vc_note(c, theirs->span, "its version is here");
	im->unit = NULL;
}

static void
read_import(tosca_unit *u, te *e)
{
	tosca_import im = {.e = e};
	if (!e->bad) {
		u->t->importer = u->version;
		im.unit = load_place(u->t, find_import(u, e), te_span(e));
		u->t->importer = 0;
		im.prefix = prefix_of(u, e);
		check_versions(u, e, &im);
	}
	add_import(u, im);
}

/* ---- files that are the simple profile themselves ---- */

/* A copy of the profile declares what everything in it derives from. */
static bool
has_roots(const tosca_unit *u)
{
	static const char *const roots[][2] = {{"node_types", "tosca.nodes.Root"},
		{"data_types", "tosca.datatypes.Root"},
		{"capability_types", "tosca.capabilities.Root"},
		{"relationship_types", "tosca.relationships.Root"},
		{"interface_types", "tosca.interfaces.Root"},
		{"artifact_types", "tosca.artifacts.Root"}, {"group_types", "tosca.groups.Root"},
		{"policy_types", "tosca.policies.Root"}};
	for (size_t i = 0; i < VC_LEN(roots); i++)
		if (te_named(u->file, roots[i][0], roots[i][1]))
			return true;
	return false;
}

static bool
imports_copy(const tosca_unit *u)
{
	for (uint32_t i = 0; i < u->nimports; i++)
		if (!u->imports[i].implicit && u->imports[i].unit && !u->imports[i].prefix &&
			(u->imports[i].unit->state || u->imports[i].unit->copies))
			return true;
	return false;
}

/*
 * In such a copy, and in what imports it, the file's own types count.  Those that it lacks, and the
 * primitive ones, stay known.  Units before `first` are known already.  Who imports stands before
 * what it imports, as a rule, so that going back is one round.
 */
static void
find_copies(struct tosca *t, uint32_t first)
{
	bool more = false;
	for (uint32_t i = first; i < t->nunits; i++) {
		tosca_unit *u = t->units[i];
		u->state = !u->embedded && !(u->version & VT_TV_2_0) && has_roots(u);
		more |= u->state;
	}
	while (more) {
		more = false;
		for (uint32_t i = t->nunits; i-- > first;)
			if (!t->units[i]->state && !t->units[i]->embedded &&
				imports_copy(t->units[i]))
				more = (t->units[i]->state = 1);
	}
	for (uint32_t i = first; i < t->nunits; i++) {
		t->units[i]->copies = t->units[i]->state;
		t->units[i]->state = 0;
	}
}

/* ---- loops ---- */

typedef struct step {
	tosca_unit *u;
	uint32_t next;
} step;

/* Before 2.0 files may import each other: each is read once, and names.c goes round.  With a prefix
 * that would give endless names. */
static bool
may_loop(const step *path, uint32_t n, const tosca_import *im)
{
	uint32_t from = n - 1;
	while (path[from].u != im->unit)
		from--;
	for (uint32_t i = from; i < n; i++)
		if (path[i].u->imports[path[i].next - 1].prefix || path[i].u->version & VT_TV_2_0)
			return false;
	return true;
}

static void
report_loop(struct tosca *t, const step *path, uint32_t n, tosca_import *im)
{
	vt_buf b = {0};
	uint32_t from = n - 1;
	while (path[from].u != im->unit)
		from--;
	for (uint32_t i = from; i < n; i++)
		vt_buf_printf(&b, "%s imports ", path[i].u->src->name);
	vt_buf_printf(&b, "%s", im->unit->src->name);
	vt_buf_put(&b, "", 1);
	vc_report(t->c, VC_E2011, te_span(im->e), "the imports form a loop: %.*s", VT_WHOLE(b.p));
	vt_buf_free(&b);
	im->unit = NULL;
	path[n - 1].u->incomplete = true;
}

/* Depth first without recursion; state: 0 not seen, 1 on the path, 2 done. */
static void
find_loops(struct tosca *t, tosca_unit *root)
{
	step *path = NULL;
	uint32_t n = 0;
	if (root->state)
		return;
	vt_push(path, n) = (step){root, 0};
	root->state = 1;
	while (n) {
		step *s = &path[n - 1];
		if (s->next == s->u->nimports) {
			s->u->state = 2;
			n--;
			continue;
		}
		tosca_import *im = &s->u->imports[s->next++];
		if (im->unit && im->unit->state == 1 && im->e && may_loop(path, n, im))
			t->loops = true;
		else if (im->unit && im->unit->state == 1 && im->e)
			report_loop(t, path, n, im);
		else if (im->unit && !im->unit->state) {
			im->unit->state = 1;
			vt_push(path, n) = (step){im->unit, 0};
		}
	}
	free(path);
}

void
tosca_imports(struct tosca *t, tosca_unit *u)
{
	struct tosca_loader *l = loader_of(t);
	if (!u || l->walked == t->nunits)
		return;
	uint32_t first = l->walked;
	while (l->walked < t->nunits) {
		tosca_unit *now = t->units[l->walked++];
		uint32_t n;
		te **all = te_all(now->file, "imports", &n);
		for (uint32_t i = 0; i < n; i++)
			read_import(now, all[i]);
		const ynode *list = yn_get(now->file->y, "imports");
		now->incomplete |= list && list->kind != YN_SEQ;
	}
	find_copies(t, first);
	/* Those that were there import none of the new ones. */
	for (uint32_t i = 0; i < first; i++)
		t->units[i]->state = 2;
	for (uint32_t i = first; i < t->nunits; i++)
		find_loops(t, t->units[i]);
	for (uint32_t i = 0; i < t->nunits; i++)
		t->units[i]->state = 0;
}

tosca_unit *
tosca_load(struct tosca *t, const char *path)
{
	uint32_t from = t->nunits;
	loader_of(t);
	tosca_unit *u = load_path(t, path, false);
	if (!u)
		return NULL;
	tosca_imports(t, u);
	tosca_artifacts(t, from);
	return u;
}

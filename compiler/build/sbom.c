/*
 * sbom.c - `--sbom FILE`: what a binary is made of, as CycloneDX 1.5 in JSON.  The same contents
 * give the same text: there is no clock in it, and the serial number is made of the text.
 */
#include "compiler/build/linked.h"
#include "compiler/murano/package.h"
#include "runtime/call/call.h"
#include "runtime/text/digest.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct sbom {
	vc *c;
	vt_rt *rt;
	const vc_sbom *s;
	vt_list *components, *dependencies;
	vt_list *of_application; /* references */
} sbom;

static vt_dict *
object(sbom *b)
{
	return vt_dict_new_hashed(b->rt, false);
}

static vt_list *
array(sbom *b)
{
	return vt_list_grow(b->rt, VT_K_LIST, 4);
}

/* Names of files need not be UTF-8, JSON has to be: other bytes are written as %XX. */
static const char *
as_text(sbom *b, const char *name)
{
	size_t n = strlen(name), good = vt_utf8_check(name, n);
	vt_buf t = {0};

	if (good == n)
		return name;
	for (; n; n -= good, name += good) {
		good = vt_utf8_check(name, n);
		vt_buf_put(&t, name, good);
		if (good == n)
			break;
		vt_buf_printf(&t, "%%%02X", (unsigned char)name[good++]);
	}
	return vc_take(b->c, &t);
}

static void
set(sbom *b, vt_dict *d, const char *key, const char *text)
{
	if (text)
		vt_dict_set_c(b->rt, d, key, vt_str_c(b->rt, as_text(b, text)));
}

static void
set_hash(sbom *b, vt_dict *d, const char *sha256)
{
	vt_dict *h = object(b);
	vt_list *l = array(b);

	set(b, h, "alg", "SHA-256");
	set(b, h, "content", sha256);
	vt_list_push(b->rt, l, vt_mkptr(h));
	vt_dict_set_c(b->rt, d, "hashes", vt_mkptr(l));
}

static void
add_property(sbom *b, vt_list *l, const char *name, const char *value)
{
	vt_dict *p = object(b);

	set(b, p, "name", name);
	set(b, p, "value", value);
	vt_list_push(b->rt, l, vt_mkptr(p));
}

/* An expression of SPDX; one name is an expression too. */
static void
set_licence(sbom *b, vt_dict *d, const char *licence)
{
	vt_dict *e = object(b), *id;
	vt_list *l = array(b);

	if (strchr(licence, ' '))
		set(b, e, "expression", licence);
	else {
		id = object(b);
		set(b, id, "id", licence);
		vt_dict_set_c(b->rt, e, "license", vt_mkptr(id));
	}
	vt_list_push(b->rt, l, vt_mkptr(e));
	vt_dict_set_c(b->rt, d, "licenses", vt_mkptr(l));
}

/* As in a URL: what is neither a letter, a digit nor one of "-._~" as %XX. */
static const char *
purl(sbom *b, const char *name, const char *version)
{
	const char *part[] = {name, version};
	vt_buf t = {0};

	vt_buf_puts(&t, "pkg:generic/");
	for (size_t i = 0; i < VC_LEN(part) && part[i]; i++) {
		if (i)
			vt_buf_putc(&t, '@');
		for (const unsigned char *p = (const unsigned char *)part[i]; *p; p++)
			if ((*p | 32) >= 'a' && (*p | 32) <= 'z')
				vt_buf_putc(&t, (char)*p);
			else if ((*p >= '0' && *p <= '9') || strchr("-._~", *p))
				vt_buf_putc(&t, (char)*p);
			else
				vt_buf_printf(&t, "%%%02X", *p);
	}
	return vc_take(b->c, &t);
}

static vt_dict *
component(sbom *b, const char *type, const char *ref, const char *name, const char *version)
{
	vt_dict *d = object(b);

	set(b, d, "type", type);
	set(b, d, "bom-ref", ref);
	set(b, d, "name", name);
	set(b, d, "version", version);
	return d;
}

static void
depend(sbom *b, const char *ref, vt_list *on)
{
	vt_dict *d = object(b);

	set(b, d, "ref", ref);
	vt_dict_set_c(b->rt, d, "dependsOn", vt_mkptr(on));
	vt_list_push(b->rt, b->dependencies, vt_mkptr(d));
}

static void
refer(sbom *b, vt_list *l, const char *ref)
{
	vt_list_push(b->rt, l, vt_str_c(b->rt, as_text(b, ref)));
}

/* ---- packages and files ---- */

static const char *
package_ref(sbom *b, const mpl_package *p)
{
	return vc_format(b->c, "package:%s@%s", p->name, p->version);
}

/* What a package requires is a name; which package that was is known by it. */
static void
add_packages(sbom *b)
{
	uint32_t n = 0;
	mpl_package **p = b->c->packages ? vc_packages(b->c, &n) : NULL;

	for (uint32_t i = 0; i < n; i++) {
		vt_dict *d;
		vt_list *on = array(b);
		if (p[i]->builtin) {
			vt_release(vt_mkptr(on));
			continue;
		}
		d = component(b, "library", package_ref(b, p[i]), p[i]->name, p[i]->version);
		set(b, d, "purl", purl(b, p[i]->name, p[i]->version));
		vt_list_push(b->rt, b->components, vt_mkptr(d));
		refer(b, b->of_application, package_ref(b, p[i]));
		for (uint32_t k = 0; k < p[i]->nrequire; k++)
			for (uint32_t m = 0; m < n; m++)
				if (!p[m]->builtin &&
					strcmp(p[m]->name, p[i]->require[k].name) == 0)
					refer(b, on, package_ref(b, p[m]));
		depend(b, package_ref(b, p[i]), on);
	}
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const vc_input *)a)->path, ((const vc_input *)b)->path);
}

/*
 * Where nothing has a version, the contents are one: "sha256-" and the beginning of the digest of
 * what is built from.  Names of folders are not part of it.
 */
static const char *
version_of_contents(sbom *b)
{
	vc *c = b->c;
	char hex[VT_DIGEST_TEXT];
	vt_buf all = {0};

	for (uint32_t i = 0; i < c->ninputs; i++)
		vt_buf_printf(&all, "%s %s\n", c->inputs[i].sha256,
			vc_output_name(c, c->inputs[i].path, b->s->source));
	vt_digest("sha256", all.p ? all.p : "", all.n, hex);
	vt_buf_free(&all);
	return vc_format(c, "sha256-%.16s", hex);
}

/* Two files of other folders may have one name: the reference has the place among them too. */
static void
add_files(sbom *b)
{
	vc *c = b->c;

	for (uint32_t i = 0; i < c->ninputs; i++) {
		const char *name = vc_output_name(c, c->inputs[i].path, b->s->source);
		const char *ref = vc_format(c, "file:%u:%s", i + 1, name);
		vt_dict *d = component(b, "file", ref, name, NULL);
		set_hash(b, d, c->inputs[i].sha256);
		vt_list_push(b->rt, b->components, vt_mkptr(d));
		refer(b, b->of_application, ref);
		depend(b, ref, array(b));
	}
}

/* ---- the runtime and libraries ---- */

static const char *
linkage_text(enum vc_linkage how)
{
	switch (how) {
	case VC_ARCHIVE: return "in the binary";
	case VC_NEEDED: return "loaded when the binary starts";
	case VC_LOADED: return "loaded when a cloud is reached";
	}
	return "";
}

static void
add_library(sbom *b, const vc_library *l, vt_list *of_runtime)
{
	/* what is loaded elsewhere has the version of that place */
	const char *version = l->how == VC_LOADED ? NULL : l->version;
	const char *ref = vc_format(b->c, "library:%s%s", l->name,
		l->how == VC_NEEDED   ? ":shared"
		: l->how == VC_LOADED ? ":loaded"
				      : "");
	vt_dict *d = component(b, "library", ref, l->name, version);
	vt_list *properties = array(b);

	set(b, d, "scope", l->how == VC_LOADED ? "optional" : "required");
	if (l->licence)
		set_licence(b, d, l->licence);
	set(b, d, "purl", purl(b, l->name, version));
	add_property(b, properties, "vetro:linkage", linkage_text(l->how));
	for (uint32_t i = 0; i < l->nfiles; i++)
		add_property(b, properties, "vetro:file", l->file[i]);
	vt_dict_set_c(b->rt, d, "properties", vt_mkptr(properties));
	vt_list_push(b->rt, b->components, vt_mkptr(d));
	refer(b, of_runtime, ref);
	depend(b, ref, array(b));
}

static void
add_runtime(sbom *b, const vc_linked *l)
{
	static const char ref[] = "runtime:vetro@" VETRO_VERSION;
	vt_dict *d = component(b, "library", ref, "vetro", VETRO_VERSION);
	vt_list *on = array(b);

	set(b, d, "description", "the runtime library of vetro");
	set_licence(b, d, "Apache-2.0");
	set(b, d, "purl", "pkg:generic/vetro@" VETRO_VERSION);
	vt_list_push(b->rt, b->components, vt_mkptr(d));
	refer(b, b->of_application, ref);
	for (uint32_t i = 0; i < l->n; i++)
		add_library(b, &l->v[i], on);
	depend(b, ref, on);
}

/* ---- the document ---- */

/* False: reported. */
static bool
set_time(sbom *b, vt_dict *metadata)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	char *end, text[32];
	long long n;
	time_t t;
	struct tm tm;

	if (!epoch || !*epoch)
		return true;
	errno = 0;
	n = strtoll(epoch, &end, 10);
	t = (time_t)n;
	if (*end || errno || n < 0 || n > 253402300799 /* the year 9999 */ || !gmtime_r(&t, &tm)) {
		vc_report(b->c, VC_E0905, (vc_span){0},
			"SOURCE_DATE_EPOCH is no number of seconds since 1970");
		return false;
	}
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	set(b, metadata, "timestamp", text);
	return true;
}

static bool
set_metadata(sbom *b, vt_dict *document, const char *ref, const char *sha256)
{
	vt_dict *m = object(b), *tools = object(b), *tool, *app;
	vt_list *list = array(b);
	const char *version = b->s->version ? b->s->version : version_of_contents(b);
	bool good = set_time(b, m);

	tool = component(b, "application", "tool:vetro", "vetro", VETRO_VERSION);
	vt_list_push(b->rt, list, vt_mkptr(tool));
	vt_dict_set_c(b->rt, tools, "components", vt_mkptr(list));
	vt_dict_set_c(b->rt, m, "tools", vt_mkptr(tools));
	app = component(b, b->s->is_library ? "library" : "application", ref, b->s->name, version);
	set_hash(b, app, sha256);
	set(b, app, "purl", purl(b, b->s->name, version));
	vt_dict_set_c(b->rt, m, "component", vt_mkptr(app));
	vt_dict_set_c(b->rt, document, "metadata", vt_mkptr(m));
	return good;
}

/* A UUID of the text as it is without one: version 8, of whoever makes it. */
static const char *
serial(vc *c, const vt_buf *text)
{
	char hex[VT_DIGEST_TEXT];

	vt_digest("sha256", text->p, text->n, hex);
	return vc_format(c, "urn:uuid:%.8s-%.4s-8%.3s-a%.3s-%.12s", hex, hex + 8, hex + 13,
		hex + 17, hex + 20);
}

static void
write_text(sbom *b, vt_dict *document, vt_buf *out)
{
	vt_buf text = {0};

	vt_json_write(b->rt, &text, vt_mkptr(document), VT_JSON_PRETTY);
	set(b, document, "serialNumber", serial(b->c, &text));
	vt_buf_free(&text);
	vt_json_write(b->rt, out, vt_mkptr(document), VT_JSON_PRETTY);
	vt_buf_putc(out, '\n');
}

static bool
make(sbom *b, const char *binary, const vc_linked *l, vt_buf *out)
{
	const char *ref = "application", *sha256 = vc_file_sha256(b->c, binary);
	vt_dict *d = object(b);
	bool good;

	set(b, d, "$schema", "http://cyclonedx.org/schema/bom-1.5.schema.json");
	set(b, d, "bomFormat", "CycloneDX");
	set(b, d, "specVersion", "1.5");
	vt_dict_set_c(b->rt, d, "version", vt_mkint(1));
	if (b->c->ninputs)
		qsort(b->c->inputs, b->c->ninputs, sizeof *b->c->inputs, by_path);
	good = sha256 && set_metadata(b, d, ref, sha256);
	b->components = array(b);
	b->dependencies = array(b);
	b->of_application = array(b);
	add_packages(b);
	add_files(b);
	add_runtime(b, l);
	depend(b, ref, b->of_application);
	vt_dict_set_c(b->rt, d, "components", vt_mkptr(b->components));
	vt_dict_set_c(b->rt, d, "dependencies", vt_mkptr(b->dependencies));
	if (good)
		write_text(b, d, out);
	vt_release(vt_mkptr(d));
	return good;
}

bool
vc_sbom_write(vc *c, const vc_sbom *s, const char *binary, const char *map, const char *dirs)
{
	vc_linked l = vc_linked_of(c, binary, map, dirs);
	sbom b = {.c = c, .rt = vt_rt_new(NULL), .s = s};
	vt_buf out = {0};
	bool good = make(&b, binary, &l, &out);

	if (good && !vt_replace_file(s->file, out.p, out.n, 0)) {
		vc_report(c, VC_E0905, (vc_span){0}, "%s cannot be written: %s", s->file,
			strerror(errno));
		good = false;
	}
	vt_buf_free(&out);
	vt_rt_free(b.rt);
	return good;
}

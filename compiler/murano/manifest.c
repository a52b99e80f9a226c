/*
 * manifest.c - manifest.yaml (K1..K6, K16) and the class files it names.
 *
 * Every field is looked at even when another one is wrong.  A package without a usable name still
 * gets its classes read: what is wrong in them is worth knowing in the same run.
 */
#include "compiler/murano/package_int.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_FORMAT = 100, MAX_FORMAT = 104 };

static const char *const known_keys[] = {
	"Author",
	"Classes",
	"Description",
	"EntryPoint",
	"Format",
	"FullName",
	"Logo",
	"Meta",
	"Name",
	"Require",
	"Supplier",
	"Tags",
	"Type",
	"UI",
	"Version",
};

static const char *
kind_name(const ynode *n)
{
	static const char *const types[] = {"text", "null", "a boolean", "an integer", "a float",
		"a date", "a date", "binary data"};
	switch ((enum yn_kind)n->kind) {
	case YN_SCALAR: return types[n->type];
	case YN_SEQ: return "a list";
	case YN_MAP: return "a mapping";
	case YN_ERROR: break;
	}
	return "something broken";
}

static bool
is_null(const ynode *n)
{
	return !n || (n->kind == YN_SCALAR && n->type == YT_NULL);
}

/* What Python takes for false falls back to the default, as `x or default` does. */
static bool
is_false(const ynode *n)
{
	if (is_null(n))
		return true;
	if (n->kind == YN_SEQ || n->kind == YN_MAP)
		return n->n == 0;
	return n->kind == YN_SCALAR &&
	       ((n->type == YT_STR && !n->ntext) || (n->type == YT_BOOL && !n->i) ||
		       (n->type == YT_INT && n->fits && !n->i) ||
		       (n->type == YT_FLOAT && n->f == 0));
}

/* str() of a scalar: 1.30 is the float 1.3 to YAML, and so is the version that comes of it. */
static const char *
scalar_text(vc *c, const ynode *n)
{
	if (n->kind != YN_SCALAR)
		return NULL;
	if (n->type == YT_INT)
		return n->digits;
	if (n->type != YT_FLOAT)
		return n->text;
	char *text = vc_format(c, "%.12g", n->f);
	return strpbrk(text, ".en") ? text : vc_format(c, "%s.0", text);
}

/* ^[\w.]+$, no dot at an end, no two together. Letters beyond ASCII are letters to Python too. */
static bool
is_name(const char *s, size_t n, bool hyphens)
{
	if (!n || s[0] == '.' || s[n - 1] == '.')
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		bool word = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			    (ch >= '0' && ch <= '9') || ch == '_' || ch >= 0x80 ||
			    (hyphens && ch == '-');
		if (!word && (ch != '.' || s[i - 1] == '.'))
			return false;
	}
	return true;
}

static bool
is_dotted_name(const char *s, size_t n)
{
	return is_name(s, n, false);
}

/* Plugins are distributions of Python, whose names may have hyphens. */
static bool
is_distribution(const char *s, size_t n)
{
	return is_name(s, n, true) && s[0] != '-' && s[n - 1] != '-';
}

static void
check_keys(vc *c, const ynode *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const ynode *k = m->key[i];
		const char *near =
			yn_is_str(k) ? vt_nearest(k->text, known_keys, VC_LEN(known_keys)) : NULL;
		bool known = false;
		for (size_t j = 0; j < VC_LEN(known_keys); j++)
			known |= yn_is_str(k) && !strcmp(k->text, known_keys[j]);
		if (known || !near || yn_get(m, near))
			continue;
		vc_report(c, VC_W1002, k->span,
			"the manifest key '%s' is not known and has no effect", k->text);
		vc_did_you_mean(c, "%s", near);
	}
}

static void
check_kinds(vc *c, const ynode *m)
{
	static const struct {
		const char *key;
		enum yn_kind kind;
		const char *want;
	} rows[] = {
		{"Name", YN_SCALAR, "text"},
		{"Description", YN_SCALAR, "text"},
		{"Author", YN_SCALAR, "text"},
		{"Logo", YN_SCALAR, "a file name"},
		{"UI", YN_SCALAR, "a file name"},
		{"Tags", YN_SEQ, "a list"},
		{"Supplier", YN_MAP, "a mapping"},
	};
	for (size_t i = 0; i < VC_LEN(rows); i++) {
		const ynode *v = yn_get(m, rows[i].key);
		if (!is_null(v) && v->kind != YN_ERROR && v->kind != rows[i].kind)
			vc_report(c, VC_E0417, v->span, "%s wants %s, not %s", rows[i].key,
				rows[i].want, kind_name(v));
	}
}

/* For what is missing: the beginning of the manifest. */
static vc_span
place_of(const ynode *m, const ynode *v)
{
	return v ? v->span : (vc_span){m->span.src, m->span.from, m->span.from};
}

static const char *
read_name(vc *c, const ynode *m, bool stub)
{
	const ynode *v = yn_get(m, "FullName");
	if (v && v->kind == YN_ERROR)
		return "";
	if (is_false(v)) {
		vc_report(c, VC_E0403, place_of(m, v), "the manifest has no FullName");
		vc_hint(c, "FullName names the package, as in com.example.MyApp");
	} else if (!yn_is_str(v)) {
		vc_report(c, VC_E0403, v->span, "FullName wants a name, not %s", kind_name(v));
	} else if (!(stub ? is_distribution : is_dotted_name)(v->text, v->ntext)) {
		vc_report(c, VC_E0403, v->span, "'%s' is no package name", v->text);
		vc_hint(c, "a name has letters, digits and underscores, in parts joined by single "
			   "dots");
	} else {
		return v->text;
	}
	return "";
}

static const char *
read_type(vc *c, const ynode *m)
{
	static const char *const types[] = {"Application", "Library"};
	const ynode *v = yn_get(m, "Type");
	for (size_t i = 0; i < VC_LEN(types); i++)
		if (yn_is_str(v) && !strcmp(v->text, types[i]))
			return types[i];
	if (v && v->kind == YN_ERROR)
		return types[1];
	if (!v)
		vc_report(c, VC_E0404, place_of(m, v), "the manifest has no Type");
	else
		vc_report(c, VC_E0404, v->span, "the package Type is %s",
			yn_is_str(v) ? vc_format(c, "'%s'", v->text) : kind_name(v));
	const char *near = yn_is_str(v) ? vt_nearest(v->text, types, VC_LEN(types)) : NULL;
	if (near)
		vc_did_you_mean(c, "%s", near);
	else
		vc_hint(c, "it is Application or Library");
	return types[1];
}

static const char *
read_version(vc *c, const ynode *m)
{
	const ynode *v = yn_get(m, "Version");
	if (!v || v->kind == YN_ERROR)
		return "0.0.0";
	const char *text = scalar_text(c, v), *version = text ? pk_version_text(c, text) : NULL;
	if (version)
		return version;
	vc_report(c, VC_E0405, v->span, "the Version is %s and does not begin with a number",
		text && *text ? text : kind_name(v));
	vc_hint(c, "write it as 1.2.3; without the key it is 0.0.0");
	return "0.0.0";
}

static uint32_t
read_format(vc *c, const ynode *m, enum mpl_kind *kind)
{
	const ynode *v = yn_get(m, "Format");
	if (is_false(v) || v->kind == YN_ERROR)
		return MIN_FORMAT;
	const char *text = scalar_text(c, v), *number = text;
	if (text && (*kind = pk_kind(text)) != MPL_MURANO)
		return MIN_FORMAT;
	if (text && !strncmp(text, "MuranoPL/", 9))
		number += 9;
	if (number && number[0] == '1' && number[1] == '.' && number[2] >= '0' &&
		number[2] <= '4' && !number[3])
		return MIN_FORMAT + (uint32_t)(number[2] - '0');
	vc_report(c, VC_E0406, v->span, "the package Format is %s",
		text ? vc_format(c, "'%s'", text) : kind_name(v));
	vc_hint(c, "formats are MuranoPL/1.0 to MuranoPL/1.4, Heat.HOT/1.0, Cloudify.TOSCA/1.0 and "
		   "TOSCA.CSAR/1.0");
	return MAX_FORMAT;
}

static void
add_requirement(vc *c, mpl_package *p, const ynode *key, const ynode *v)
{
	if (!yn_is_str(key) || !is_distribution(key->text, key->ntext)) {
		vc_report(c, VC_E0410, key->span, "a requirement is named by a package's FullName");
		return;
	}
	const char *spec = is_false(v) ? "" : scalar_text(c, v);
	if (!spec) {
		vc_report(c, VC_E0411, v->span, "a version requirement is text, not %s",
			kind_name(v));
		return;
	}
	if (!pk_spec_valid(c, spec)) {
		vc_report(c, VC_E0411, v->span, "'%s' is no version requirement", spec);
		vc_hint(c, "write a version, or comparisons joined by commas: >=1.2, <2");
		return;
	}
	mpl_require r = {key->text, spec, key->span};
	vc_push(c, p->require, p->nrequire) = r;
}

static void
read_requirements(vc *c, mpl_package *p, const ynode *m)
{
	const ynode *v = yn_get(m, "Require");
	if (is_false(v) || v->kind == YN_ERROR)
		return;
	if (v->kind != YN_MAP) {
		vc_report(c, VC_E0410, v->span,
			"Require wants a mapping from package names to versions, not %s",
			kind_name(v));
		vc_hint(c, "write 'com.example.Other: 1' on a line of its own below Require");
		return;
	}
	for (uint32_t i = 0; i < v->n; i++)
		add_requirement(c, p, v->key[i], v->item[i]);
}

mpl_package *
pk_manifest(vc *c, vc_files *files, vc_source *src, const char *path)
{
	uint32_t n;
	int before = vc_errors(c);
	ynode **docs =
		vc_yaml_parse(c, src, &(vc_yaml_opts){.flags = YQ_F_MURANO, .keys_once = true}, &n);
	if (vc_errors(c) > before && !n)
		return NULL;
	if (n != 1 || docs[0]->kind != YN_MAP) {
		vc_span at = n > 1 ? docs[1]->span : n ? docs[0]->span : (vc_span){src, 0, 0};
		vc_report(c, VC_E0402, at,
			n > 1 ? "a manifest is a single document"
			      : "a manifest is a mapping of keys to values");
		return NULL;
	}
	ynode *m = docs[0];
	mpl_package *p = vc_alloc(c, sizeof *p);
	*p = (mpl_package){.path = vc_strdup(c, path),
		.manifest = m,
		.files = files,
		.meta = yn_get(m, "Meta")};
	check_keys(c, m);
	check_kinds(c, m);
	p->name = read_name(c, m, files == NULL);
	p->type = read_type(c, m);
	p->version = read_version(c, m);
	p->format = read_format(c, m, &p->kind);
	read_requirements(c, p, m);
	if (p->kind == MPL_CLOUDIFY) {
		mpl_require r = {"org.getcloudify.murano", "0", m->span};
		vc_push(c, p->require, p->nrequire) = r;
	}
	return p;
}

/* ---- classes ---- */

typedef struct class_file {
	const char *path;
	bool failed;
} class_file;

/* Those of a manifest by their paths: open addressing, index + 1, never more than half full. */
typedef struct class_files {
	class_file *v;
	uint32_t n, mask;
	uint32_t *slot;
} class_files;

static class_files
class_files_for(vc *c, uint32_t most)
{
	class_files f = {.mask = 15};

	while (f.mask / 2 < most)
		f.mask = 2 * f.mask + 1;
	f.slot = vc_alloc(c, (f.mask + 1u) * sizeof *f.slot);
	return f;
}

/* The slot of the path, which may be free. */
static uint32_t *
class_file_slot(const vc *c, class_files *f, const char *path)
{
	uint32_t i = (uint32_t)vc_hash(c, path, strlen(path)) & f->mask;

	while (f->slot[i] && strcmp(f->v[f->slot[i] - 1].path, path) != 0)
		i = (i + 1) & f->mask;
	return &f->slot[i];
}

/* Compared without what all of them begin and end with. */
static const char *
nearest_file(vc *c, const char *path, const char *const *files, size_t n)
{
	const char **names = vc_alloc(c, (n + 1) * sizeof *names), *near;
	char *name = vc_strdup(c, path + strlen("Classes/"));
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *at = files[i] + strlen("Classes/"), *end = strrchr(at, '.');
		names[i] = vc_strndup(c, at, end ? (size_t)(end - at) : strlen(at));
	}
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0) /* the same with another ending */
			return files[i];
	near = vt_nearest(name, names, n);
	for (size_t i = 0; i < n && near; i++)
		if (names[i] == near)
			return files[i];
	return NULL;
}

static void
report_missing(vc *c, mpl_package *p, const ynode *v, const char *path)
{
	size_t n;
	const char *const *names = vc_files_list(c, p->files, "Classes", &n);
	vc_report(c, VC_E0408, v->span, "the package has no file %s", path);
	const char *near = nearest_file(c, path, names, n);
	if (near)
		vc_did_you_mean(c, "%s", near + strlen("Classes/"));
}

/* The path below Classes/, or NULL when the manifest's value is none. */
static const char *
class_path(vc *c, const ynode *v)
{
	if (!yn_is_str(v)) {
		if (v->kind != YN_ERROR)
			vc_report(c, VC_E0407, v->span,
				"a class is given by its file below Classes/, not by %s",
				kind_name(v));
		return NULL;
	}
	char *path = vc_path_normal(c, v->text);
	if (path && *path)
		return vc_format(c, "Classes/%s", path);
	vc_report(c, VC_E0414, v->span, "'%s' is not a file below Classes/", v->text);
	return NULL;
}

static class_file *
read_class_file(vc *c, mpl_package *p, class_files *files, const ynode *key, const ynode *v)
{
	const char *path = class_path(c, v);
	if (!path)
		return NULL;
	uint32_t *slot = class_file_slot(c, files, path);
	if (*slot)
		return &files->v[*slot - 1];
	int before = vc_errors(c);
	vc_source *src = vc_files_read(c, p->files, path);
	if (!src && vc_errors(c) == before)
		report_missing(c, p, v, path);
	if (src)
		mpl_parse_file(c, p, src, key->text);
	class_file f = {path, vc_errors(c) > before};
	vc_push(c, files->v, files->n) = f;
	*slot = files->n;
	return &files->v[files->n - 1];
}

static int
by_name(const void *a, const void *b)
{
	const mpl_class *x = *(mpl_class *const *)a, *y = *(mpl_class *const *)b;
	int order = strcmp(x->name, y->name);
	return order                         ? order
	       : x->src != y->src            ? strcmp(x->src->name, y->src->name)
	       : x->span.from < y->span.from ? -1
					     : x->span.from > y->span.from;
}

static mpl_class **
sorted_classes(vc *c, const mpl_package *p)
{
	mpl_class **s = vc_alloc(c, (p->nclasses + 1u) * sizeof *s);
	if (p->nclasses) {
		memcpy(s, p->classes, p->nclasses * sizeof *s);
		qsort(s, p->nclasses, sizeof *s, by_name);
	}
	return s;
}

static void
report_twice(vc *c, const mpl_package *p, mpl_class *const *sorted)
{
	for (uint32_t i = 1; i < p->nclasses; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name)) {
			vc_report(c, VC_E0416, sorted[i]->span,
				"the class %s is declared twice in this package", sorted[i]->name);
			vc_note(c, sorted[i - 1]->span, "the other declaration");
		}
}

static mpl_class *
find_sorted(mpl_class *const *sorted, uint32_t n, const char *name)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (strcmp(sorted[mid]->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && !strcmp(sorted[low]->name, name) ? sorted[low] : NULL;
}

static void
report_absent(vc *c, const mpl_package *p, const ynode *key, const ynode *file)
{
	const char **names = vc_alloc(c, (p->nclasses + 1u) * sizeof *names);
	uint32_t n = 0, length = (uint32_t)strlen(file->text);
	for (uint32_t i = 0; i < p->nclasses; i++) {
		const char *in = p->classes[i]->src->name;
		size_t m = strlen(in);
		if (!p->classes[i]->listed && m >= length && !strcmp(in + m - length, file->text))
			names[n++] = p->classes[i]->name;
	}
	vc_report(c, VC_E0409, key->span, "the file %s has no class %s", file->text, key->text);
	const char *near = n == 1 ? names[0] : vt_nearest(key->text, names, n);
	if (near)
		vc_hint(c, "it has %s", near);
}

/* Manifest order first, then what the files hold besides. */
static void
order_classes(vc *c, mpl_package *p, mpl_class *const *sorted, const ynode *m)
{
	mpl_class **out = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		mpl_class *k = yn_is_str(m->key[i])
				       ? find_sorted(sorted, p->nclasses, m->key[i]->text)
				       : NULL;
		if (k && !k->listed) {
			k->listed = true;
			vc_push(c, out, n) = k;
		}
	}
	for (uint32_t i = 0; i < p->nclasses; i++)
		if (!p->classes[i]->listed)
			vc_push(c, out, n) = p->classes[i];
	p->classes = out;
	p->nclasses = n;
}

/* Rows whose file could not be read or parsed have been reported already. */
static void
check_rows(vc *c, mpl_package *p, mpl_class *const *sorted, const ynode *m, const bool *read)
{
	for (uint32_t i = 0; i < m->n; i++) {
		if (!yn_is_str(m->key[i]) || find_sorted(sorted, p->nclasses, m->key[i]->text))
			continue;
		if (read[i])
			report_absent(c, p, m->key[i], m->item[i]);
		vc_push(c, p->absent, p->nabsent) = m->key[i]->text;
	}
}

static bool
is_class_key(vc *c, const ynode *k)
{
	if (yn_is_str(k) && is_dotted_name(k->text, k->ntext))
		return true;
	if (k->kind != YN_ERROR)
		vc_report(c, VC_E0407, k->span, "'%s' is no class name", k->text ? k->text : "");
	return false;
}

void
pk_classes(vc *c, mpl_package *p)
{
	const ynode *m = yn_get(p->manifest, "Classes");
	if (p->kind != MPL_MURANO) {
		pk_made_class(c, p);
		return;
	}
	if (!m || m->kind != YN_MAP) {
		if (m && m->kind == YN_ERROR)
			return;
		vc_report(c, VC_E0407, place_of(p->manifest, m),
			m ? "Classes wants a mapping from class names to files, not %s"
			  : "the manifest has no Classes%s",
			m ? kind_name(m) : "");
		vc_hint(c,
			"write 'com.example.MyApp: MyApp.yaml' on a line of its own below Classes");
		return;
	}
	class_files files = class_files_for(c, m->n);
	bool *read = vc_alloc(c, m->n + 1u);
	for (uint32_t i = 0; i < m->n; i++) {
		if (!is_class_key(c, m->key[i]))
			continue;
		class_file *f = read_class_file(c, p, &files, m->key[i], m->item[i]);
		read[i] = f && !f->failed;
	}
	mpl_class **sorted = sorted_classes(c, p);
	report_twice(c, p, sorted);
	check_rows(c, p, sorted, m, read);
	order_classes(c, p, sorted, m);
}

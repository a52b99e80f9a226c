/*
 * kinds.c - packages that are no MuranoPL: Heat.HOT/1.0 and Cloudify.TOSCA/1.0 (K11, K12).
 *
 * Such a package has one class, of the package's own name, which murano makes out of a template.
 * Here the class file and the form are made as texts, and read as those of any other package.
 * Texts of the template stand in double quotes, so that none of them becomes an expression.
 */
#include "compiler/murano/murano.h"
#include "compiler/murano/package_int.h"
#include "runtime/text/report.h"

#include <ctype.h>
#include <string.h>

#define HOT_FILES "HotFiles/"

static const struct kind {
	const char *format;
	enum mpl_kind kind;
} kinds[] = {
	{"Heat.HOT/1.0", MPL_HOT},
	{"Cloudify.TOSCA/1.0", MPL_CLOUDIFY},
};

enum mpl_kind
pk_kind(const char *format)
{
	for (size_t i = 0; i < VC_LEN(kinds); i++)
		if (strcmp(kinds[i].format, format) == 0)
			return kinds[i].kind;
	return MPL_MURANO;
}

/* ---- the template ---- */

/* Reports; NULL when there is nothing to go on with. */
static const ynode *
read_map(vc *c, const mpl_package *p, const char *path)
{
	uint32_t n = 0;
	int before = vc_errors(c);
	vc_source *src = vc_files_read(c, p->files, path);
	ynode **docs = src ? vc_yaml_parse(c, src, &(vc_yaml_opts){.flags = 0}, &n) : NULL;

	if (src == NULL && vc_errors(c) == before) {
		vc_report(c, VC_E0408, p->manifest->span, "the package has no file %s", path);
		vc_hint(c, "its class is made of that template");
	}
	if (n == 1 && docs[0]->kind == YN_MAP)
		return docs[0];
	if (src && vc_errors(c) == before)
		vc_report(c, VC_E0402, (vc_span){src, 0, 0},
			"%s is no template: it wants a mapping", path);
	return NULL;
}

const char *
mpl_template_path(vc *c, const mpl_package *p)
{
	const ynode *entry = yn_get(p->manifest, "EntryPoint");
	const char *path = "main.yaml";

	if (p->kind == MPL_HOT)
		return "template.yaml";
	if (entry)
		path = yn_is_str(entry) ? vc_path_normal(c, entry->text) : NULL;
	return path && *path ? vc_format(c, "Resources/%s", path) : NULL;
}

/* A section of named things: a mapping, or nothing. */
static const ynode *
section(const ynode *t, const char *name)
{
	static const ynode none = {.kind = YN_MAP};
	const ynode *v = yn_get(t, name);

	return v && v->kind == YN_MAP ? v : &none;
}

static bool
says(const ynode *map, const char *key, const char *value)
{
	const ynode *v = map->kind == YN_MAP ? yn_get(map, key) : NULL;

	return v && yn_is_str(v) && strcmp(v->text, value) == 0;
}

/* ---- texts ---- */

/* "name", whatever it is. */
static void
quoted(vt_buf *b, const char *s, size_t n)
{
	vt_put_json_repaired(b, s, n);
}

static void
name_of(vt_buf *b, const ynode *key)
{
	quoted(b, key->text, key->ntext);
}

/* A constant of YAQL. */
static void
constant(vt_buf *b, const ynode *v)
{
	if (v->kind != YN_SCALAR || v->type == YT_NULL) {
		vt_buf_puts(b, "null");
	} else if (v->type == YT_BOOL) {
		vt_buf_puts(b, v->i ? "true" : "false");
	} else if (v->type == YT_INT) {
		vt_buf_puts(b, v->digits);
	} else if (v->type == YT_FLOAT) {
		vt_buf_printf(b, "%.17g", v->f);
	} else {
		vt_buf_putc(b, '\'');
		for (uint32_t i = 0; i < v->ntext; i++) {
			if (v->text[i] == '\'' || v->text[i] == '\\')
				vt_buf_putc(b, '\\');
			vt_buf_putc(b, v->text[i]);
		}
		vt_buf_putc(b, '\'');
	}
}

/* !yaql "...": what was written into `e`, which is empty then. */
static void
expression(vt_buf *b, vt_buf *e)
{
	vt_buf_puts(b, "!yaql ");
	quoted(b, e->p ? e->p : "", e->n);
	vt_buf_free(e);
}

/* ---- constraints of Heat's parameters ---- */

/* op: "$" of numbers, "len($)" of texts. */
static void
bounds(vt_buf *e, const ynode *range, const char *what)
{
	const ynode *low = range->kind == YN_MAP ? yn_get(range, "min") : NULL,
		    *high = range->kind == YN_MAP ? yn_get(range, "max") : NULL;

	if (low) {
		vt_buf_printf(e, "%s >= ", what);
		constant(e, low);
	}
	if (high) {
		vt_buf_printf(e, "%s%s <= ", low ? " and " : "", what);
		constant(e, high);
	}
	if (!low && !high)
		vt_buf_puts(e, "true");
}

static void
one_of(vt_buf *e, const ynode *values)
{
	vt_buf_puts(e, "$ in list(");
	for (uint32_t i = 0; values->kind == YN_SEQ && i < values->n; i++) {
		vt_buf_puts(e, i ? ", " : "");
		constant(e, values->item[i]);
	}
	vt_buf_puts(e, ")");
}

/* False: Heat has others, which are no matter of the class. */
static bool
constraint(vt_buf *e, const ynode *con)
{
	const ynode *v;

	if (con->kind != YN_MAP)
		return false;
	if ((v = yn_get(con, "allowed_values")) != NULL) {
		one_of(e, v);
	} else if ((v = yn_get(con, "length")) != NULL) {
		bounds(e, v, "len($)");
	} else if ((v = yn_get(con, "range")) != NULL) {
		bounds(e, v, "$");
	} else if ((v = yn_get(con, "allowed_pattern")) != NULL) {
		vt_buf_puts(e, "matches($, ");
		constant(e, v);
		vt_buf_puts(e, ")");
	} else {
		return false;
	}
	return true;
}

static const ynode *
constraints(const ynode *parameter)
{
	static const ynode none = {.kind = YN_SEQ};
	const ynode *v = parameter->kind == YN_MAP ? yn_get(parameter, "constraints") : NULL;

	return v && v->kind == YN_SEQ ? v : &none;
}

/* ---- the class of Heat.HOT ---- */

static void
parameter_contract(vc *c, vt_buf *b, const ynode *key, const ynode *p)
{
	vt_buf e = {0};
	const ynode *all = constraints(p);

	vt_buf_puts(&e, "$");
	if (says(p, "type", "number")) {
		vt_buf_puts(&e, ".int()");
	} else if (says(p, "type", "boolean")) {
		vt_buf_puts(&e, ".bool()");
	} else {
		vt_buf_puts(&e, ".string()");
		if (!says(p, "type", "string") && !says(p, "type", "json") &&
			!says(p, "type", "comma_delimited_list")) {
			vc_report(c, VC_E0418, key->span,
				"the type of parameter %s is none that a property of a class has",
				key->text);
			vc_hint(c, "types are string, number, boolean, json, comma_delimited_list");
		}
	}
	for (uint32_t i = 0; i < all->n; i++) {
		vt_buf check = {0};
		if (constraint(&check, all->item[i]))
			vt_buf_printf(&e, ".check(%.*s)", (int)check.n, check.p);
		vt_buf_free(&check);
	}
	expression(b, &e);
}

/* Where the package brings environments, they set parameters, and Heat judges what comes of it. */
static bool
has_environments(vc *c, const mpl_package *p)
{
	size_t n = 0;

	vc_files_list(c, p->files, "Resources/HotEnvironments", &n);
	return n > 0;
}

static void
hot_properties(vc *c, vt_buf *b, const mpl_package *p, const ynode *t)
{
	const ynode *parameters = section(t, "parameters"), *outputs = section(t, "outputs");

	vt_buf_puts(b, "Properties:\n"
		       "  generatedHeatStackName: {Contract: !yaql '$.string()', Usage: Out}\n"
		       "  hotEnvironment: {Contract: !yaql '$.string()', Usage: In}\n"
		       "  name: {Contract: !yaql '$.string().notNull()', Usage: In}\n"
		       "  templateParameters:\n    Default: {}\n    Usage: In\n    Contract: {");
	for (uint32_t i = 0; !has_environments(c, p) && i < parameters->n; i++) {
		vt_buf_puts(b, i ? ", " : "");
		name_of(b, parameters->key[i]);
		vt_buf_puts(b, ": ");
		parameter_contract(c, b, parameters->key[i], parameters->item[i]);
	}
	vt_buf_puts(b, "}\n  templateOutputs:\n    Default: {}\n    Usage: Out\n    Contract: {");
	for (uint32_t i = 0; i < outputs->n; i++) {
		vt_buf_puts(b, i ? ", " : "");
		name_of(b, outputs->key[i]);
		vt_buf_puts(b, ": !yaql '$.string()'");
	}
	vt_buf_puts(b, "}\n");
}

/* The files that get_file in the template finds. */
static void
hot_files(vc *c, vt_buf *b, const mpl_package *p)
{
	static const char folder[] = "Resources/" HOT_FILES;
	size_t n = 0;
	const char *const *names = vc_files_list(c, p->files, "Resources/HotFiles", &n);

	vt_buf_puts(b, "      - $files: {");
	for (size_t i = 0; i < n; i++) {
		const char *name = names[i] + sizeof folder - 1;
		vt_buf e = {0};
		ynode path = {.kind = YN_SCALAR, .type = YT_STR, .text = names[i] + 10};
		path.ntext = (uint32_t)strlen(path.text);
		vt_buf_puts(b, i ? ", " : "");
		quoted(b, name, strlen(name));
		vt_buf_puts(&e, "$resources.string(");
		constant(&e, &path);
		vt_buf_puts(&e, ")");
		vt_buf_puts(b, ": ");
		expression(b, &e);
	}
	vt_buf_puts(b, "}\n");
}

static const char deploy_head[] =
	"Methods:\n"
	"  deploy:\n"
	"    Body:\n"
	"      - $environment: $.find('io.murano.Environment').require()\n"
	"      - $reporter: new('io.murano.system.StatusReporter', environment => $environment)\n"
	"      - If: $.getAttr(generatedHeatStackName) = null\n"
	"        Then:\n"
	"          - $.setAttr(generatedHeatStackName, '{0}_{1}'.format(randomName(), "
	"id($environment)))\n"
	"      - $stack: new('io.murano.system.HeatStack', $environment, name => "
	"$.getAttr(generatedHeatStackName))\n"
	"      - $reporter.report($this, 'Application deployment has started')\n"
	"      - $resources: new('io.murano.system.Resources')\n"
	"      - $template: $resources.yaml(type($this))\n"
	"      - $stack.setTemplate($template)\n"
	"      - $stack.setParameters($.templateParameters)\n";

static const char deploy_tail[] =
	"      - $stack.setFiles($files)\n"
	"      - If: bool($.hotEnvironment)\n"
	"        Then:\n"
	"          - $stack.setHotEnvironment($resources.string('HotEnvironments/' + "
	"$.hotEnvironment))\n"
	"      - $reporter.report($this, 'Stack creation has started')\n"
	"      - Try:\n"
	"          - $stack.push()\n"
	"        Catch:\n"
	"          - As: e\n"
	"            Do:\n"
	"              - $reporter.report_error($this, $e.message)\n"
	"              - Rethrow:\n"
	"        Else:\n"
	"          - $.templateOutputs: $stack.output()\n"
	"          - $reporter.report($this, 'Stack was successfully created')\n"
	"          - $reporter.report($this, 'Application deployment has finished')\n"
	"  destroy:\n"
	"    Body:\n"
	"      - $environment: $.find('io.murano.Environment').require()\n"
	"      - $stack: new('io.murano.system.HeatStack', $environment, name => "
	"$.getAttr(generatedHeatStackName))\n"
	"      - $stack.delete()\n";

static void
hot_class(vc *c, vt_buf *b, const mpl_package *p, const ynode *t)
{
	const ynode *resources = yn_get(t, "resources");

	if (resources == NULL) {
		vc_report(c, VC_E0418, (vc_span){t->span.src, t->span.from, t->span.from},
			"the template has no resources, so it is none of Heat's");
		return;
	}
	vt_buf_puts(b, "Extends: io.murano.Application\n");
	hot_properties(c, b, p, t);
	vt_buf_puts(b, deploy_head);
	hot_files(c, b, p);
	vt_buf_puts(b, deploy_tail);
}

/* ---- the class of Cloudify.TOSCA ---- */

/* $.get(name): names of inputs need be none of YAQL. */
static void
cloudify_class(vc *c, vt_buf *b, const mpl_package *p, const ynode *t)
{
	const ynode *in = section(t, "inputs"), *out = section(t, "outputs");
	const char *entry = mpl_template_path(c, p) + strlen("Resources/");

	vt_buf_puts(b, "Extends: org.getcloudify.murano.CloudifyApplication\nProperties:\n");
	for (uint32_t i = 0; i < in->n; i++) {
		const ynode *dflt =
			in->item[i]->kind == YN_MAP ? yn_get(in->item[i], "default") : NULL;
		vt_buf_puts(b, "  ");
		name_of(b, in->key[i]);
		vt_buf_puts(b, ": {Contract: !yaql '$.string().notNull()', Usage: In");
		if (dflt) {
			vt_buf_puts(b, ", Default: ");
			mpl_put_value(b, dflt);
		}
		vt_buf_puts(b, "}\n");
	}
	for (uint32_t i = 0; i < out->n; i++) {
		vt_buf_puts(b, "  ");
		name_of(b, out->key[i]);
		vt_buf_puts(b, ": {Contract: !yaql '$.string()', Usage: Out}\n");
	}
	vt_buf_puts(b, "Methods:\n  describe:\n    Body:\n      - Return:\n          entryPoint: ");
	quoted(b, entry, strlen(entry));
	vt_buf_puts(b, "\n          inputs: {");
	for (uint32_t i = 0; i < in->n; i++) {
		vt_buf_puts(b, i ? ", " : "");
		name_of(b, in->key[i]);
		vt_buf_printf(b, ": !yaql '$.%s'", in->key[i]->text);
	}
	vt_buf_puts(b,
		"}\n  updateOutputs:\n    Arguments:\n      - outputs:\n"
		"          Contract: {!yaql '$.string().notNull()': !yaql '$'}\n    Body:\n");
	for (uint32_t i = 0; i < out->n; i++)
		vt_buf_printf(b, "      - $.%s: $outputs.get('%s')\n", out->key[i]->text,
			out->key[i]->text);
	if (out->n == 0)
		vt_buf_puts(b, "      []\n");
}

/* A name becomes a property of the class. */
static bool
is_identifier(const ynode *k)
{
	bool is = yn_is_str(k) && k->ntext && !isdigit((unsigned char)k->text[0]);

	for (uint32_t i = 0; is && i < k->ntext; i++)
		is = isalnum((unsigned char)k->text[i]) || k->text[i] == '_';
	return is;
}

static bool
check_names(vc *c, const ynode *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		if (!is_identifier(names->key[i])) {
			vc_report(c, VC_E0418, names->key[i]->span,
				"this name cannot be a property of the package's class");
			vc_hint(c, "a name has letters, digits and underscores");
			return false;
		}
	return true;
}

void
pk_made_class(vc *c, mpl_package *p)
{
	const char *path = mpl_template_path(c, p);
	const ynode *t;
	vt_buf b = {0};
	int before = vc_errors(c);

	if (path == NULL) {
		vc_report(c, VC_E0414, yn_get(p->manifest, "EntryPoint")->span,
			"the EntryPoint is no file below Resources/");
		vc_hint(c, "without the key it is main.yaml");
		return;
	}
	if ((t = read_map(c, p, path)) == NULL)
		return;
	vt_buf_puts(&b, "Name: ");
	quoted(&b, p->name, strlen(p->name));
	vt_buf_puts(&b, "\n");
	if (p->kind == MPL_HOT)
		hot_class(c, &b, p, t);
	else if (check_names(c, section(t, "inputs")) && check_names(c, section(t, "outputs")))
		cloudify_class(c, &b, p, t);
	if (vc_errors(c) == before)
		mpl_parse_file(c, p,
			vc_source_new(c, vc_format(c, "%s/%s as a class", p->path, path), b.p, b.n),
			p->name);
	vt_buf_free(&b);
	for (uint32_t i = 0; i < p->nclasses; i++)
		p->classes[i]->listed = true;
}

/* ---- the form ---- */

/* my_name: "My Name" */
static void
label(vt_buf *b, const ynode *key)
{
	vt_buf t = {0};

	for (uint32_t i = 0; i < key->ntext; i++) {
		unsigned char ch = (unsigned char)key->text[i];
		bool first = i == 0 || !isalpha((unsigned char)key->text[i - 1]);
		vt_buf_putc(&t, ch == '_' ? ' ' : (char)(first ? toupper(ch) : tolower(ch)));
	}
	quoted(b, t.p ? t.p : "", t.n);
	vt_buf_free(&t);
}

static void
copied(vt_buf *b, const ynode *from, const char *key, const char *as)
{
	const ynode *v = from->kind == YN_MAP ? yn_get(from, key) : NULL;

	if (v == NULL || mpl_is_null(v))
		return;
	vt_buf_printf(b, ", %s: ", as);
	mpl_put_value(b, v);
}

/* Lengths have attributes of their own; the tighter one of several counts. */
static void
lengths(vt_buf *b, const ynode *all)
{
	static const char *const bound[][2] = {{"min", "minLength"}, {"max", "maxLength"}};

	for (size_t k = 0; k < VC_LEN(bound); k++) {
		const ynode *best = NULL;
		for (uint32_t i = 0; i < all->n; i++) {
			const ynode *l = all->item[i]->kind == YN_MAP
						 ? yn_get(all->item[i], "length")
						 : NULL;
			const ynode *v = l && l->kind == YN_MAP ? yn_get(l, bound[k][0]) : NULL;
			if (v && v->kind == YN_SCALAR && v->type == YT_INT && v->fits &&
				(!best || (k == 0 ? v->i > best->i : v->i < best->i)))
				best = v;
		}
		if (best)
			vt_buf_printf(b, ", %s: %s", bound[k][1], best->digits);
	}
}

static void
validators(vt_buf *b, const ynode *all)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		const ynode *one = all->item[i];
		const ynode *pattern = one->kind == YN_MAP ? yn_get(one, "allowed_pattern") : NULL;
		vt_buf e = {0};
		if (one->kind != YN_MAP || yn_get(one, "length") || !constraint(&e, one))
			continue;
		vt_buf_puts(b, n++ ? ", {expr: " : ", validators: [{expr: ");
		if (pattern) {
			vt_buf_free(&e);
			vt_buf_puts(b, "{regexpValidator: ");
			mpl_put_value(b, pattern);
			vt_buf_puts(b, "}");
		} else {
			expression(b, &e);
		}
		copied(b, one, "description", "message");
		vt_buf_puts(b, "}");
	}
	vt_buf_puts(b, n ? "]" : "");
}

static void
hot_field(vt_buf *b, const ynode *key, const ynode *p)
{
	bool chosen = p->kind == YN_MAP && yn_get(p, "default");

	vt_buf_puts(b, "        - {name: ");
	name_of(b, key);
	vt_buf_printf(b, ", type: %s",
		says(p, "type", "number")    ? "integer"
		: says(p, "type", "boolean") ? "boolean"
					     : "string");
	if (p->kind == YN_MAP && yn_get(p, "label") && yn_is_str(yn_get(p, "label"))) {
		copied(b, p, "label", "label");
	} else {
		vt_buf_puts(b, ", label: ");
		label(b, key);
	}
	copied(b, p, "description", "description");
	copied(b, p, "default", "initial");
	vt_buf_printf(b, ", required: %s", chosen ? "false" : "true");
	lengths(b, constraints(p));
	validators(b, constraints(p));
	vt_buf_puts(b, "}\n");
}

/* What the form has for the parameter; its name need be none of YAQL. */
static void
answer(vt_buf *b, uint32_t group, const ynode *key)
{
	vt_buf e = {0};

	vt_buf_printf(&e, "$.group%u.get(", group);
	constant(&e, key);
	vt_buf_puts(&e, ")");
	expression(b, &e);
}

/* Where a parameter stands in the form; 0: in no group, so in the last one. */
static uint32_t
group_of(const ynode *groups, const ynode *key)
{
	for (uint32_t g = 0; groups && groups->kind == YN_SEQ && g < groups->n; g++) {
		const ynode *names = groups->item[g]->kind == YN_MAP
					     ? yn_get(groups->item[g], "parameters")
					     : NULL;
		for (uint32_t i = 0; names && names->kind == YN_SEQ && i < names->n; i++)
			if (yn_is_str(names->item[i]) && names->item[i]->ntext == key->ntext &&
				memcmp(names->item[i]->text, key->text, key->ntext) == 0)
				return g + 1;
	}
	return 0;
}

static void
hot_form(vt_buf *b, const mpl_package *p, const ynode *t)
{
	const ynode *parameters = section(t, "parameters"), *groups = yn_get(t, "parameter_groups"),
		    *about = yn_get(p->manifest, "Description");
	uint32_t most = groups && groups->kind == YN_SEQ ? groups->n : 0;

	vt_buf_puts(b, "  name: !yaql '$.group0.name'\n  templateParameters: {");
	for (uint32_t i = 0; i < parameters->n; i++) {
		uint32_t g = group_of(groups, parameters->key[i]);
		vt_buf_puts(b, i ? ", " : "");
		name_of(b, parameters->key[i]);
		vt_buf_puts(b, ": ");
		answer(b, g ? g : most + 1, parameters->key[i]);
	}
	vt_buf_puts(b,
		"}\nForms:\n  - group0:\n      fields:\n        - {name: title, type: string, "
		"required: false, hidden: true");
	if (about && yn_is_str(about)) {
		vt_buf_puts(b, ", description: ");
		mpl_put_value(b, about);
	}
	vt_buf_puts(b,
		"}\n        - {name: name, type: string, label: Application Name, required: true, "
		"description: 'The name of the application: A-Z, a-z, 0-9 and dash'}\n");
	for (uint32_t g = 1; g <= most + 1; g++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < parameters->n; i++) {
			uint32_t at = group_of(groups, parameters->key[i]);
			if ((at ? at : most + 1) != g)
				continue;
			if (n++ == 0)
				vt_buf_printf(b, "  - group%u:\n      fields:\n", g);
			hot_field(b, parameters->key[i], parameters->item[i]);
		}
	}
}

static void
cloudify_form(vt_buf *b, const ynode *t)
{
	const ynode *in = section(t, "inputs");

	for (uint32_t i = 0; i < in->n; i++) {
		vt_buf_puts(b, "  ");
		name_of(b, in->key[i]);
		vt_buf_printf(b, ": !yaql \"$.appConfiguration.%s\"\n", in->key[i]->text);
	}
	vt_buf_puts(b, in->n ? "Forms:\n  - appConfiguration:\n      fields:\n" : "Forms: []\n");
	for (uint32_t i = 0; i < in->n; i++) {
		vt_buf_puts(b, "        - {type: string, required: true, name: ");
		name_of(b, in->key[i]);
		vt_buf_puts(b, ", label: ");
		label(b, in->key[i]);
		copied(b, in->item[i], "description", "description");
		vt_buf_puts(b, "}\n");
	}
}

vc_source *
mpl_made_form(vc *c, const mpl_package *p)
{
	const char *path = mpl_template_path(c, p);
	const ynode *t = path ? read_map(c, p, path) : NULL; /* reported with the class */
	vc_source *src;
	vt_buf b = {0};

	if (t == NULL || (p->kind == MPL_CLOUDIFY && !check_names(c, section(t, "inputs"))))
		return NULL;
	vt_buf_printf(
		&b, "Version: %s\nApplication:\n  ?: {type: ", p->kind == MPL_HOT ? "2" : "2.2");
	quoted(&b, p->name, strlen(p->name));
	vt_buf_puts(&b, ", package: ");
	quoted(&b, p->name, strlen(p->name));
	vt_buf_puts(&b, ", classVersion: ");
	quoted(&b, p->version, strlen(p->version));
	vt_buf_puts(&b, "}\n");
	if (p->kind == MPL_HOT)
		hot_form(&b, p, t);
	else
		cloudify_form(&b, t);
	src = vc_source_new(c, vc_format(c, "%s/%s as a form", p->path, path), b.p, b.n);
	vt_buf_free(&b);
	return src;
}

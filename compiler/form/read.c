/*
 * read.c - UI/ui.yaml: its sections, and what is wrong with them.
 */
#include "compiler/form/int.h"
#include "runtime/call/call.h"
#include "runtime/text/nearest.h"

#include <stdlib.h>
#include <string.h>

/* ---- sections ---- */

enum section { APPLICATION, TEMPLATES, PARAMETERS, SOURCE, FORMS, NSECTIONS };

static const char *const section_names[NSECTIONS] = {
	"application", "templates", "parameters", "parameters_source", "forms"};
static const char *const written[NSECTIONS] = {
	"Application", "Templates", "Parameters", "ParametersSource", "Forms"};

static bool
is_null(const ynode *n)
{
	return n == NULL || (n->kind == YN_SCALAR && !n->is_expr && n->type == YT_NULL);
}

static bool
is_expression(const ynode *n)
{
	return n->kind == YN_SCALAR && n->is_expr;
}

void
form_unread_keys(reader *r, const ynode *map, const char *where, const char *const *known, size_t n)
{
	for (uint32_t i = 0; i < map->n; i++) {
		const ynode *key = map->key[i];
		const char *name = form_is_text(key) ? form_snake(r->c, key->text) : NULL, *near;
		bool found = name == NULL;
		for (size_t k = 0; k < n && !found; k++)
			found = strcmp(name, known[k]) == 0;
		if (found)
			continue;
		vc_report(r->c, VC_W1082, key->span, "%s has no key `%s`, so nothing reads it",
			where, key->text);
		if ((near = vt_nearest(name, known, n)))
			vc_hint(r->c, "did you mean `%s`?", near);
	}
}

/* A section that nobody reads, where it is nearly one that somebody does. */
static void
misspelt_section(reader *r, const ynode *key)
{
	const char *near = vt_nearest(key->text, written, NSECTIONS);

	if (near == NULL)
		return;
	vc_report(r->c, VC_W1082, key->span, "a form has no section `%s`, so nothing reads it",
		key->text);
	vc_did_you_mean(r->c, "`%s`", near);
}

/* A key by any spelling of its words; the last one counts. */
static void
find_sections(reader *r, const ynode *root, const ynode **at)
{
	for (uint32_t i = 0; i < root->n; i++) {
		const ynode *key = root->key[i];
		const char *name;
		if (!form_is_text(key)) {
			vc_report(r->c, VC_E1202, key->span, "the name of a section is no text");
			vc_hint(r->c, "quote it");
			continue;
		}
		if (strcmp(key->text, "Version") == 0) {
			r->ui->version = root->item[i];
			continue;
		}
		bool known = false;
		name = form_snake(r->c, key->text);
		for (int k = 0; k < NSECTIONS; k++)
			if (strcmp(name, section_names[k]) == 0)
				at[k] = root->item[i], known = true;
		if (!known && strcmp(name, "version") != 0)
			misspelt_section(r, key);
		if (strcmp(name, "version") == 0) {
			vc_report(r->c, VC_E1201, key->span, "`%s` is not `Version`", key->text);
			vc_hint(r->c, "write it Version, with a large V");
		}
	}
}

/* ---- Version ---- */

enum { MAJOR = 2, NEWEST = 4, NAMED = 2 };

/* Up to three numbers with points between them; *behind is what follows. */
static bool
numbers(const char *text, unsigned long *part, const char **behind)
{
	const char *p = text;

	part[0] = part[1] = part[2] = 0;
	for (int i = 0; i < 3; i++) {
		char *end;
		if (*p < '0' || *p > '9')
			return false;
		part[i] = strtoul(p, &end, 10);
		p = *behind = end;
		if (*p != '.' || p[1] < '0' || p[1] > '9')
			break;
		p++;
	}
	return true;
}

static void
read_version(reader *r)
{
	const ynode *n = r->ui->version;
	const char *text, *behind = "";
	unsigned long part[3] = {MAJOR, NEWEST, 0};
	bool early;

	r->ui->named = true;
	if (n == NULL)
		return;
	text = n->kind == YN_SCALAR ? form_scalar_text(r->c, n) : "";
	if (!numbers(text, part, &behind)) {
		vc_report(r->c, VC_E1201, n->span, "the version of the form is no number");
		vc_hint(r->c, "write Version: 2.%d", (int)NEWEST);
		return;
	}
	early = *behind != '\0' && *behind != '+' && *behind != '.';
	if (part[0] != MAJOR || part[1] > NEWEST || (part[1] == NEWEST && part[2] > 0)) {
		vc_report(r->c, VC_E1201, n->span,
			"forms of version %s are not known, but those of 2.0 to 2.%d", text,
			(int)NEWEST);
		if (part[0] == MAJOR || part[0] > NEWEST)
			vc_hint(r->c, "2.%d has everything that a form can have", (int)NEWEST);
	}
	r->ui->named = part[1] > NAMED || (part[1] == NAMED && (part[2] > 0 || !early));
}

/* ---- Forms ---- */

static void
put_member(reader *r, const char *name)
{
	vt_buf_putc(&r->out, ',');
	form_put_text(r, name);
	vt_buf_putc(&r->out, ',');
}

static void
read_form(reader *r, const ynode *key, const ynode *form)
{
	const ynode *fields = form->kind == YN_MAP ? yn_get(form, "fields") : NULL;
	const ynode *checks = form->kind == YN_MAP ? yn_get(form, "validators") : NULL;

	static const char *const keys[] = {"fields", "validators"};

	if (form->kind == YN_MAP)
		form_unread_keys(r, form, "a form", keys, VC_LEN(keys));
	if (fields == NULL || fields->kind != YN_SEQ) {
		vc_report(r->c, VC_E1202, fields ? fields->span : key->span,
			"the form `%s` has no list of fields", form_scalar_text(r->c, key));
		vc_hint(r->c, fields && fields->kind == YN_MAP
				      ? "each field is an item: - {name: NAME, type: string}"
				      : "write fields: [] when it has none");
		vt_buf_puts(&r->out, "null");
		return;
	}
	vt_buf_puts(&r->out, "[\"d\",\"name\",");
	r->form = form_scalar_text(r->c, key);
	form_put_text(r, r->form);
	put_member(r, "fields");
	form_read_fields(r, fields);
	if (!is_null(checks)) {
		put_member(r, "validators");
		form_read_form_validators(r, checks);
	}
	vt_buf_putc(&r->out, ']');
}

static void
read_forms(reader *r, const ynode *forms)
{
	put_member(r, "forms");
	vt_buf_puts(&r->out, "[\"l\"");
	if (!is_null(forms) && forms->kind != YN_SEQ) {
		vc_report(r->c, VC_E1202, forms->span, "Forms is no list");
		vc_hint(r->c, "each form is an item: - formName: {fields: [...]}");
		forms = NULL;
	}
	for (uint32_t i = 0; forms != NULL && i < forms->n; i++) {
		const ynode *one = forms->item[i];
		vt_buf_putc(&r->out, ',');
		if (one->kind == YN_MAP && one->n > 0 && one->key[0]->kind == YN_SCALAR &&
			!one->key[0]->is_expr) {
			read_form(r, one->key[0], one->item[0]);
			continue;
		}
		vc_report(r->c, VC_E1202, one->span, "a form is no mapping of its name");
		vc_hint(r->c, "write - formName: {fields: [...]}");
		vt_buf_puts(&r->out, "null");
	}
	vt_buf_putc(&r->out, ']');
}

/* ---- the others ---- */

/* `no`, 0 and null are names that are dropped. */
static bool
is_falsy(const ynode *n)
{
	return n->kind == YN_SCALAR && !n->is_expr &&
	       (n->type == YT_NULL ||
		       ((n->type == YT_BOOL || n->type == YT_INT) && n->fits && n->i == 0));
}

static void
put_mapping(reader *r, enum section k, const ynode *n)
{
	if (is_null(n))
		return;
	if (n->kind != YN_MAP) {
		vc_report(r->c, VC_E1202, n->span, "%s is no mapping", written[k]);
		return;
	}
	for (uint32_t i = 0; i < n->n; i++)
		if (!form_is_text(n->key[i]) && !(k == PARAMETERS && is_falsy(n->key[i]))) {
			vc_report(r->c, VC_E1202, n->key[i]->span, "a name in %s is no text",
				written[k]);
			vc_hint(r->c, "quote it");
		}
	put_member(r, section_names[k]);
	form_put(r, n);
}

/* ?: {tpye: ...} */
static void
misspelt_type(reader *r, const ynode *head)
{
	static const char *const names[] = {"type"};

	for (uint32_t i = 0; i < head->n; i++)
		if (form_is_text(head->key[i]) && vt_nearest(head->key[i]->text, names, 1)) {
			vc_report(r->c, VC_W1082, head->key[i]->span,
				"the Application names no type, so that it makes no object");
			vc_did_you_mean(r->c, "`%s`", names[0]);
		}
}

/* ?: {type: ...} */
static void
check_head_of(reader *r, const ynode *n)
{
	const ynode *head = yn_get(n, "?");

	if (head && head->kind == YN_MAP && !yn_get(head, "type"))
		misspelt_type(r, head);
	if (n->n == 0 || head)
		return;
	vc_report(r->c, VC_W1082, n->span, "the Application has no ?, so that it makes no object");
	if (n->key[0]->kind == YN_SCALAR && n->key[0]->type == YT_NULL)
		vc_hint(r->c, "in braces a ? is a sign of YAML: quote it, '?': {type: "
			      "com.example.App}");
	else
		vc_hint(r->c, "its class stands in '?': {type: com.example.App}");
}

static void
put_application(reader *r, const ynode *root, const ynode *n)
{
	if (is_null(n)) {
		vc_report(r->c, VC_E1202, root->span, "the form has no Application");
		vc_hint(r->c, "Application says what the answers become: "
			      "Application: {'?': {type: com.example.App}}");
		return;
	}
	if (n->kind != YN_MAP && !is_expression(n) && n->kind != YN_ERROR)
		vc_report(r->c, VC_E1202, n->span, "Application is no mapping");
	if (n->kind == YN_MAP)
		check_head_of(r, n);
	put_member(r, "application");
	form_put(r, n);
}

static void
put_source(reader *r, const ynode *n)
{
	if (is_null(n))
		return;
	if (!form_is_text(n)) {
		vc_report(r->c, VC_E1202, n->span, "ParametersSource is no name of a method");
		vc_hint(r->c, "write it as Class.method");
		return;
	}
	r->ui->source = n;
	put_member(r, "source");
	form_put(r, n);
}

static void
read_root(reader *r, const ynode *root)
{
	const ynode *at[NSECTIONS] = {NULL};

	find_sections(r, root, at);
	read_version(r);
	vt_buf_printf(&r->out, "[\"d\",\"named\",%s", r->ui->named ? "true" : "false");
	put_source(r, at[SOURCE]);
	put_mapping(r, PARAMETERS, at[PARAMETERS]);
	put_mapping(r, TEMPLATES, at[TEMPLATES]);
	put_application(r, root, at[APPLICATION]);
	read_forms(r, at[FORMS]);
	vt_buf_putc(&r->out, ']');
}

/* The document, if there is exactly one. */
static const ynode *
only_document(vc *c, vc_source *src)
{
	vc_yaml_opts opts = {.expressions = true};
	uint32_t n = 0;
	ynode **docs;
	int before = vc_errors(c);

	docs = vc_yaml_parse(c, src, &opts, &n);
	if (vc_errors(c) > before)
		return NULL;
	if (n > 1) {
		vc_report(c, VC_E1202, docs[1]->span, "the form has a second document");
		return NULL;
	}
	if (n == 1 && docs[0]->kind == YN_MAP)
		return docs[0];
	vc_report(c, VC_E1202, n ? docs[0]->span : (vc_span){src, 0, 0},
		"the form is no mapping of sections");
	vc_hint(c, "its sections are Version, Application, Templates, Parameters, "
		   "ParametersSource and Forms");
	return NULL;
}

form_ui *
form_read(vc *c, vc_source *src)
{
	int before = vc_errors(c);
	form_ui *ui = vc_alloc(c, sizeof *ui);
	reader r = {.c = c, .ui = ui};
	const ynode *root = only_document(c, src);

	if (root == NULL)
		return NULL;
	ui->src = src;
	ui->root = root;
	r.rt = vt_rt_new(NULL);
	read_root(&r, root);
	vt_rt_free(r.rt);
	ui->n = r.out.n;
	ui->text = vc_take(c, &r.out);
	return vc_errors(c) == before ? ui : NULL;
}

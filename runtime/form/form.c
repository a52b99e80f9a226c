/*
 * form.c - a form as its users call it: the model, the description, the environment.
 */
#include "runtime/form/int.h"

#include <stdlib.h>

#define NAME_FORM "workflowManagement"

/* ---- the form that asks for a name ---- */

static vt_value
new_field(vt_rt *rt, const char *name, const char *type, const char *label, vt_value initial)
{
	vt_dict *d = vt_dict_new(rt, false);

	vt_dict_set_c(rt, d, "name", vt_str_c(rt, name));
	vt_dict_set_c(rt, d, "type", vt_str_c(rt, type));
	vt_dict_set_c(rt, d, "label", vt_str_c(rt, label));
	vt_dict_set_c(rt, d, "initial", initial);
	return vt_mkptr(d);
}

/* The last part of the package's name, or of the Application's type. */
static vt_value
first_name(vt_form *f)
{
	vt_value head = vt_form_get(vt_form_get(f->root, "application"), "?"),
		 type = vt_form_get(head, "type");
	const char *name = f->ask->package;
	size_t n, from = 0;

	if (name == NULL)
		name = vt_is(type, STR) ? vt_as_str(type)->s : "";
	n = strcspn(name, "/");
	for (size_t i = 0; i < n; i++)
		if (name[i] == '.')
			from = i + 1;
	return vt_str_new(f->rt, name + from, n - from);
}

static vt_value
name_form(vt_form *f)
{
	vt_rt *rt = f->rt;
	vt_dict *form = vt_dict_new(rt, false), *check = vt_dict_new(rt, false);
	vt_list *fields = vt_list_grow(rt, VT_K_LIST, 2), *checks = vt_list_grow(rt, VT_K_LIST, 1);
	vt_value name =
		new_field(rt, "application_name", "string", "Application Name", first_name(f));

	vt_dict_set_c(rt, check, "re", vt_str_c(rt, "^[-\\w]+$"));
	vt_list_push(rt, checks, vt_mkptr(check));
	vt_dict_set_c(rt, vt_as_dict(name), "validators", vt_mkptr(checks));
	vt_dict_set_c(rt, vt_as_dict(name), "description",
		vt_str_c(rt, "Enter a desired name for the application. Letters, digits, dashes "
			     "and underscores are allowed"));
	vt_list_push(rt, fields, name);
	vt_list_push(rt, fields,
		new_field(rt, "stay_at_the_catalog", "boolean", "Continue application adding",
			VT_FALSE));
	vt_dict_set_c(rt, form, "name", vt_str_c(rt, NAME_FORM));
	vt_dict_set_c(rt, form, "fields", vt_mkptr(fields));
	return vt_mkptr(form);
}

/* The text begins with it: compiler/form/read.c. */
bool
vt_form_asks_name(const vt_form_def *def)
{
	static const char named[] = "[\"d\",\"named\",true";

	return strncmp(def->text, named, sizeof named - 1) == 0;
}

static vt_status
clean_name(vt_form *f)
{
	vt_value form = name_form(f);
	vt_status st = vt_form_clean(f, form);

	vt_move(&f->name,
		vt_copy(vt_form_get(vt_form_get(f->data, NAME_FORM), "application_name")));
	vt_release(form);
	return st;
}

/* ---- the model ---- */

static bool
is_last(const vt_form *f, vt_value form)
{
	vt_value name = vt_form_get(form, "name");

	return f->ask->upto != NULL && vt_is(name, STR) &&
	       strcmp(vt_as_str(name)->s, f->ask->upto) == 0;
}

/* *more: all forms were looked at, and nobody complained. */
static vt_status
clean_forms(vt_form *f, bool *more)
{
	vt_value forms = vt_form_get(f->root, "forms");
	const vt_list *complaints = vt_as_list(f->complaints);

	*more = false;
	for (uint32_t i = 0; vt_is_sequence(forms) && i < vt_as_list(forms)->n; i++) {
		VT_TRY(vt_form_clean(f, vt_as_list(forms)->v[i]));
		if (complaints->n > 0 || is_last(f, vt_as_list(forms)->v[i]))
			return VT_OK;
	}
	if (vt_form_get(f->root, "named") == VT_TRUE)
		VT_TRY(clean_name(f));
	*more = complaints->n == 0;
	return VT_OK;
}

static vt_status
make_model(vt_form *f, vt_value *out)
{
	bool more = false;

	VT_TRY(vt_form_parameters(f));
	VT_TRY(clean_forms(f, &more));
	return more ? vt_form_application(f, out) : VT_OK;
}

vt_form_answer
vt_form_model(vt_rt *rt, const vt_form_def *def, const vt_form_ask *ask)
{
	vt_form f;
	vt_value model = VT_NULL;
	vt_status st = vt_form_open(&f, rt, def, ask) ? make_model(&f, &model) : VT_ERROR;
	vt_form_answer a = vt_form_end(&f, st, model);

	vt_form_close(&f);
	return a;
}

static vt_value
new_head(vt_form *f, const char *type, vt_value id)
{
	vt_dict *head = vt_dict_new(f->rt, false);

	vt_dict_set_c(f->rt, head, "type", vt_str_c(f->rt, type));
	vt_dict_set_c(f->rt, head, "id", id == VT_NULL ? vt_form_new_id(f) : vt_copy(id));
	return vt_mkptr(head);
}

/* As the API makes them for an environment that says nothing about networks: one of its own. */
static vt_value
new_networks(vt_form *f, vt_value name)
{
	vt_dict *network = vt_dict_new(f->rt, false), *d = vt_dict_new(f->rt, false);
	vt_value text = vt_form_text(f->rt, name);

	vt_dict_set_c(
		f->rt, network, "?", new_head(f, "io.murano.resources.NeutronNetwork", VT_NULL));
	vt_dict_set_c(
		f->rt, network, "name", vt_str_printf(f->rt, "%s-network", vt_as_str(text)->s));
	vt_dict_set_c(f->rt, d, "environment", vt_mkptr(network));
	vt_dict_set_c(f->rt, d, "flat", VT_NULL);
	vt_release(text);
	return vt_mkptr(d);
}

vt_value
vt_form_environment(vt_rt *rt, vt_value model, vt_value environment, const vt_form_ask *ask)
{
	vt_form f = {.rt = rt, .ask = ask, .random = ~ask->seed};
	vt_dict *e = vt_dict_new(rt, false), *whole = vt_dict_new(rt, false);
	vt_list *services = vt_list_grow(rt, VT_K_LIST, 4);
	vt_value name = vt_form_get(environment, "name"),
		 networks = vt_form_get(environment, "defaultNetworks"),
		 there = vt_form_get(environment, "applications");

	name = name == VT_NULL ? vt_str_c(rt, "environment") : vt_copy(name);
	vt_dict_set_c(
		rt, e, "?", new_head(&f, "io.murano.Environment", vt_form_get(environment, "id")));
	vt_dict_set_c(rt, e, "name", name);
	vt_dict_set_c(rt, e, "defaultNetworks",
		networks == VT_NULL ? new_networks(&f, name) : vt_copy(networks));
	if (vt_is_sequence(there))
		vt_list_extend(rt, services, vt_as_list(there)->n, vt_as_list(there)->v);
	vt_list_push(rt, services, vt_copy(model));
	vt_dict_set_c(rt, e, "services", vt_mkptr(services));
	vt_dict_set_c(rt, whole, "Objects", vt_mkptr(e));
	vt_dict_set_c(rt, whole, "Attributes", vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0)));
	return vt_mkptr(whole);
}

/* ---- the description ---- */

static void
put(vt_form *f, vt_dict *d, const char *key, vt_value owned)
{
	if (owned == VT_NULL || owned == VT_UNDEF)
		return;
	vt_dict_set_c(f->rt, d, key, owned);
}

/* Of an attribute that is one; what cannot be evaluated yet is left out. */
static vt_value
tried(vt_form *f, const vt_field *k, const char *name)
{
	vt_value v = VT_UNDEF;

	if (vt_field_attribute(f, k, name, &v) == VT_OK)
		return v;
	vt_exc_clear(f->rt);
	f->expression = -1;
	return VT_NULL;
}

static void
put_flag(vt_form *f, const vt_field *k, vt_dict *d, const char *name, bool otherwise)
{
	vt_value v = tried(f, k, name);

	vt_dict_set_c(
		f->rt, d, name, vt_mkbool(v == VT_UNDEF || v == VT_NULL ? otherwise : vt_truth(v)));
	if (v != VT_UNDEF)
		vt_release(v);
}

static vt_value
column(vt_rt *rt, vt_value list, uint32_t at)
{
	const vt_list *l = vt_as_list(list);
	vt_list *made = vt_list_grow(rt, VT_K_LIST, l->n);

	for (uint32_t i = 0; i < l->n; i++)
		vt_list_push(rt, made, vt_copy(vt_as_list(l->v[i])->v[at]));
	return vt_mkptr(made);
}

static vt_status
put_list(vt_form *f, const vt_field *k, vt_dict *d)
{
	vt_value list = VT_UNDEF;

	if (!vt_field_has_list(k))
		return VT_OK;
	if (vt_field_list(f, k, &list) != VT_OK) {
		if (f->wrong)
			return VT_ERROR;
		vt_exc_clear(f->rt);
		f->expression = -1;
		return VT_OK;
	}
	if (list == VT_UNDEF)
		return VT_OK;
	vt_dict_set_c(f->rt, d, "choices", column(f->rt, list, 0));
	vt_dict_set_c(f->rt, d, "titles", column(f->rt, list, 1));
	vt_dict_set_c(f->rt, d, "ready", column(f->rt, list, 2));
	vt_release(list);
	return VT_OK;
}

/* A boolean is one, however it is sent. */
static vt_value
described_value(const vt_field *k, vt_value sent)
{
	const char *s = vt_is(sent, STR) ? vt_as_str(sent)->s : NULL;
	bool off;

	if (!vt_field_is_boolean(k) || s == NULL)
		return sent;
	off = *s == '\0' || strcmp(s, "0") == 0 || strcmp(s, "False") == 0 ||
	      strcmp(s, "false") == 0;
	vt_release(sent);
	return vt_mkbool(!off);
}

/* An initial value that asks for an answer of an earlier form is not known yet. */
static vt_status
put_value(vt_form *f, const vt_field *k, vt_dict *d)
{
	vt_value v = VT_UNDEF;

	if (vt_field_untouched(f, k, &v) != VT_OK) {
		if (f->wrong)
			return VT_ERROR;
		vt_exc_clear(f->rt);
		f->expression = -1;
		v = VT_NULL;
	}
	vt_dict_set_c(f->rt, d, "value", described_value(k, v));
	return VT_OK;
}

static vt_status
describe_field(vt_form *f, const vt_field *k, vt_value *out)
{
	static const char *const bounds[] = {"min_value", "max_value", "min_length", "max_length"};
	static const char *const shown[] = {"minValue", "maxValue", "minLength", "maxLength"};
	vt_dict *d = vt_dict_new(f->rt, false);

	*out = vt_mkptr(d);
	vt_dict_set_c(f->rt, d, "name", vt_copy(k->name));
	vt_dict_set_c(f->rt, d, "type", vt_copy(vt_form_get(k->spec, "type")));
	vt_dict_set_c(f->rt, d, "label", vt_field_label(f, k));
	if (vt_field_is_boolean(k))
		vt_dict_set_c(f->rt, d, "required", VT_FALSE);
	else
		put_flag(f, k, d, "required", true);
	put_flag(f, k, d, "hidden", false);
	put_flag(f, k, d, "disabled", false);
	put_flag(f, k, d, "enabled", true);
	if (k->kind == VT_FIELD_PASSWORD)
		put_flag(f, k, d, "confirm_input", true);
	VT_TRY(put_value(f, k, d));
	VT_TRY(put_list(f, k, d));
	put(f, d, "description", vt_field_words(f, k, "description"));
	put(f, d, "descriptionTitle", vt_field_words(f, k, "description_title"));
	put(f, d, "help", vt_field_words(f, k, "help_text"));
	for (uint32_t i = 0; i < VT_LEN(bounds); i++)
		put(f, d, shown[i], tried(f, k, bounds[i]));
	return VT_OK;
}

static vt_status
describe_form(vt_form *f, vt_value form, vt_value *out)
{
	vt_value fields = vt_form_get(form, "fields");
	vt_list *l = vt_list_grow(f->rt, VT_K_LIST, 8);
	vt_dict *d = vt_dict_new(f->rt, false);

	*out = vt_mkptr(d);
	vt_dict_set_c(f->rt, d, "name", vt_copy(vt_form_get(form, "name")));
	put(f, d, "title", vt_copy(vt_form_get(form, "title")));
	vt_dict_set_c(f->rt, d, "fields", vt_mkptr(l));
	for (uint32_t i = 0; vt_is_sequence(fields) && i < vt_as_list(fields)->n; i++) {
		vt_field k = vt_field_of(vt_form_get(form, "name"), vt_as_list(fields)->v[i]);
		vt_value one = VT_UNDEF;
		vt_status st = describe_field(f, &k, &one);
		vt_list_push(f->rt, l, one);
		VT_TRY(st);
	}
	return VT_OK;
}

/* Answers that are there let later forms see them; what is wrong with them is not asked here. */
static vt_status
answer_quietly(vt_form *f, vt_value form)
{
	vt_status st;

	if (!vt_is(f->ask->answers, DICT))
		return VT_OK;
	st = vt_form_clean(f, form);
	if (st != VT_OK && !f->wrong) {
		vt_exc_clear(f->rt);
		f->expression = -1;
		st = VT_OK;
	}
	vt_list_close(vt_as_list(f->complaints), 0, vt_as_list(f->complaints)->n);
	return st;
}

/* A field may be enabled by one before it. */
static void
enable_fields(vt_form *f, vt_value form, vt_value described)
{
	vt_value fields = vt_form_get(form, "fields"), made = vt_form_get(described, "fields");

	for (uint32_t i = 0; vt_is_sequence(fields) && i < vt_as_list(fields)->n; i++) {
		vt_field k = vt_field_of(vt_form_get(form, "name"), vt_as_list(fields)->v[i]);
		put_flag(f, &k, vt_as_dict(vt_as_list(made)->v[i]), "enabled", true);
	}
}

static vt_status
describe_all(vt_form *f, vt_list *l)
{
	vt_value forms = vt_form_get(f->root, "forms");

	VT_TRY(vt_form_parameters(f));
	for (uint32_t i = 0; vt_is_sequence(forms) && i < vt_as_list(forms)->n; i++) {
		vt_value one = VT_UNDEF;
		vt_status st = describe_form(f, vt_as_list(forms)->v[i], &one);
		vt_list_push(f->rt, l, one);
		VT_TRY(st);
		VT_TRY(answer_quietly(f, vt_as_list(forms)->v[i]));
		if (vt_is(f->ask->answers, DICT))
			enable_fields(f, vt_as_list(forms)->v[i], one);
	}
	return VT_OK;
}

vt_form_answer
vt_form_describe(vt_rt *rt, const vt_form_def *def, const vt_form_ask *ask)
{
	vt_form f;
	vt_list *l = vt_list_grow(rt, VT_K_LIST, 8);
	vt_status st = vt_form_open(&f, rt, def, ask) ? describe_all(&f, l) : VT_ERROR;
	vt_form_answer a = vt_form_end(&f, st, vt_mkptr(l));

	vt_form_close(&f);
	return a;
}

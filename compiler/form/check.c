/*
 * check.c - what a form says against itself and against the classes: `vetro check`.
 *
 * Everything here is found before anybody fills the form in: names of fields, forms and templates
 * that are not there, first values that the form refuses, objects that do not load.
 */
#include "compiler/form/int.h"
#include "compiler/check/check.h"
#include "compiler/murano/package.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/text/nearest.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* Of more choices than this nobody is told which stand twice. */
enum { MOST_COMPARED = 2000 };

typedef struct names {
	const char **v;
	size_t n;
	vc_index at;
} names;

typedef struct form_checker {
	vc *c;
	const mpl_package *pkg;
	const form_ui *ui;
	vt_rt *rt;
	const ynode *templates, *application;
	names forms, known;       /* names of forms; of templates and parameters */
	const form_name **fields; /* all of the forms, by name; equal ones in their order */
	bool open;                /* ParametersSource may bring more of them */
	const ynode *node;        /* the expression at hand */
	const ynode *refused;     /* a first value about which something was said */
} form_checker;

static bool
has_name(form_checker *s, names *all, const char *name)
{
	return vc_index_of(s->c, &all->at, all->v, (uint32_t)all->n, name) != UINT32_MAX;
}

static void
add_keys(form_checker *s, const ynode *map)
{
	for (uint32_t i = 0; map != NULL && map->kind == YN_MAP && i < map->n; i++)
		if (form_is_text(map->key[i]))
			vc_push(s->c, s->known.v, s->known.n) = map->key[i]->text;
}

/* ---- names in expressions ---- */

/* `$.form.field` or `$.form`, else false; field is NULL where none is named. */
static bool
is_path(const yq_node *e, const yq_node **form, const yq_node **field)
{
	const yq_node *left;

	if (e->kind != YQ_BINARY || strcmp(e->text, ".") != 0 || e->kid[1]->kind != YQ_KEYWORD)
		return false;
	left = yq_unwrap(e->kid[0]);
	*field = NULL;
	*form = e->kid[1];
	if (left->kind == YQ_BINARY && strcmp(left->text, ".") == 0 &&
		left->kid[1]->kind == YQ_KEYWORD) {
		*field = e->kid[1];
		*form = left->kid[1];
		left = yq_unwrap(left->kid[0]);
	}
	return left->kind == YQ_VAR && (*left->text == '\0' || strcmp(left->text, "forms") == 0);
}

static int
by_name(const void *a, const void *b)
{
	const form_name *x = *(const form_name *const *)a, *y = *(const form_name *const *)b;
	int order = strcmp(x->form, y->form);

	if (order == 0)
		order = strcmp(x->field, y->field);
	return order != 0 ? order : (x > y) - (x < y);
}

static void
sort_fields(form_checker *s)
{
	s->fields = vc_alloc(s->c, (s->ui->nname + 1) * sizeof *s->fields);
	for (uint32_t i = 0; i < s->ui->nname; i++)
		s->fields[i] = &s->ui->name[i];
	qsort(s->fields, s->ui->nname, sizeof *s->fields, by_name);
}

/* How many of the sorted fields come before that name; last: or have it. */
static uint32_t
fields_before(const form_checker *s, const char *form, const char *field, bool last)
{
	uint32_t low = 0, high = s->ui->nname;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int order = strcmp(s->fields[mid]->form, form);
		if (order == 0)
			order = strcmp(s->fields[mid]->field, field);
		if (order < 0 || (last && order == 0))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The last of that name, which counts; or NULL. */
static const form_name *
find_field(const form_checker *s, const char *form, const char *field)
{
	uint32_t end = fields_before(s, form, field, true);

	return end > fields_before(s, form, field, false) ? s->fields[end - 1] : NULL;
}

static void
not_there(form_checker *s, const yq_node *at, const char *what, const char *name, names *all)
{
	const char *near = vt_nearest(name, all->v, all->n);

	vc_report(s->c, VC_W1069, yn_subspan(s->node, at->from, at->to), "%s `%s` %s", what, name,
		strcmp(what, "the template or parameter") == 0 ? "is not there"
							       : "is not in this definition");
	if (at->kind == YQ_VAR && has_name(s, &s->forms, name))
		vc_hint(s->c, "the answers of a form are $.%s", name);
	else if (near != NULL)
		vc_did_you_mean(s->c, "`%s`", near);
}

static void
check_path(form_checker *s, const yq_node *form, const yq_node *field)
{
	names fields = {0};

	if (s->ui->named && strcmp(form->text, "workflowManagement") == 0)
		return;
	if (!has_name(s, &s->forms, form->text)) {
		not_there(s, form, "the form", form->text, &s->forms);
		return;
	}
	if (field == NULL || find_field(s, form->text, field->text) != NULL)
		return;
	for (uint32_t i = 0; i < s->ui->nname; i++)
		if (strcmp(s->ui->name[i].form, form->text) == 0)
			vc_push(s->c, fields.v, fields.n) = s->ui->name[i].field;
	not_there(s, field, vc_format(s->c, "of the form `%s` the field", form->text), field->text,
		&fields);
}

/* Functions whose arguments see the same `$` as the call: all others may bind another one. */
static bool
sees_the_same(const yq_node *call)
{
	static const char *const safe[] = {"generateHostname", "repeat", "ref", "coalesce", "not",
		"int", "str", "float", "bool", "len", "concat", "format", "list", "dict", "isEmpty",
		"encryptData", "max", "min", "sum", "flatten"};

	for (uint32_t i = 0; i < VC_LEN(safe); i++)
		if (strcmp(call->text, safe[i]) == 0)
			return true;
	return false;
}

static void check_names(form_checker *s, const yq_node *e, bool data);

static void
check_call(form_checker *s, const yq_node *e, bool data)
{
	const yq_node *name = e->n > 0 ? yq_unwrap(e->kid[0]) : NULL;

	if (strcmp(e->text, "ref") == 0 && name != NULL &&
		(name->kind == YQ_KEYWORD || name->kind == YQ_STRING) && !s->open &&
		!has_name(s, &s->known, name->text))
		not_there(s, name, "the template or parameter", name->text, &s->known);
	for (uint32_t i = 0; i < e->n; i++)
		check_names(s, e->kid[i], data && sees_the_same(e));
}

/* data: `$` is what was answered, and names are those of the definition. */
static void
check_names(form_checker *s, const yq_node *e, bool data)
{
	const yq_node *form, *field;

	if (!data)
		return;
	if (is_path(e, &form, &field)) {
		check_path(s, form, field);
		return;
	}
	if (e->kind == YQ_VAR && *e->text != '\0' && !s->open && !has_name(s, &s->known, e->text) &&
		strcmp(e->text, "forms") != 0 && strcmp(e->text, "index") != 0)
		not_there(s, e, "the template or parameter", e->text, &s->known);
	if (e->kind == YQ_CALL) {
		check_call(s, e, true);
		return;
	}
	if (e->kind == YQ_BINARY && strcmp(e->text, "->") == 0)
		return; /* its left side makes names for its right side */
	for (uint32_t i = 0; i < e->n; i++)
		if (e->kind != YQ_INDEX || i == 0)
			check_names(s, e->kid[i],
				e->kind != YQ_BINARY || i == 0 || e->kid[i]->kind != YQ_CALL);
}

static void
check_tree(form_checker *s, const ynode *n, int depth)
{
	if (n == NULL || depth > 100)
		return;
	if (n->kind == YN_SCALAR && n->is_expr) {
		s->node = n;
		check_names(s, n->expr, true);
	}
	for (uint32_t i = 0; (n->kind == YN_MAP || n->kind == YN_SEQ) && i < n->n; i++) {
		if (n->kind == YN_MAP)
			check_tree(s, n->key[i], depth + 1);
		check_tree(s, n->item[i], depth + 1);
	}
}

/* Of a form: `$` is what the forms so far and this one have. */
static void
check_form_validators(form_checker *s, const ynode *forms)
{
	for (uint32_t i = 0; forms != NULL && forms->kind == YN_SEQ && i < forms->n; i++) {
		const ynode *form = forms->item[i]->kind == YN_MAP && forms->item[i]->n > 0
					    ? forms->item[i]->item[0]
					    : NULL;
		const ynode *all =
			form != NULL && form->kind == YN_MAP ? yn_get(form, "validators") : NULL;
		for (uint32_t k = 0; all != NULL && all->kind == YN_SEQ && k < all->n; k++)
			if (all->item[k]->kind == YN_MAP)
				check_tree(s, yn_get(all->item[k], "expr"), 0);
	}
}

/* ---- fields ---- */

static bool
is_class(form_checker *s, const char *name)
{
	const char *dot;

	if (strchr(name, '.') != NULL || vc_find_class(s->c, s->pkg, name) != NULL)
		return true;
	for (uint32_t i = 0; i < s->pkg->nclasses; i++) {
		dot = strrchr(s->pkg->classes[i]->name, '.');
		if (strcmp(dot ? dot + 1 : s->pkg->classes[i]->name, name) == 0)
			return true;
	}
	return false;
}

static void
check_type(form_checker *s, const ynode *type)
{
	static const char *const all[] = {
#define FIELD(sym, name, attributes) name,
#include "runtime/form/fields.def"
#undef FIELD
	};
	const char *near;

	if (!form_is_text(type) || form_is_type(type->text) || is_class(s, type->text))
		return;
	vc_report(s->c, VC_W1069, type->span,
		"there is no type of fields `%s`, and no class of that name", type->text);
	near = vt_nearest(type->text, all, VC_LEN(all));
	if (near)
		vc_did_you_mean(s->c, "`%s`", near);
	else
		vc_hint(s->c, "a whole number has the type `integer`, any text `string`");
}

static void
refuse_initial(form_checker *s, const ynode *initial, const char *why, const ynode *at)
{
	if (s->refused == initial)
		return;
	s->refused = initial;
	vc_report(s->c, VC_W1068, initial->span, "the form refuses this first value: %s", why);
	if (at != NULL)
		vc_note(s->c, at->span, "by this");
}

static bool
number_of(const ynode *n, double *out)
{
	if (n == NULL || n->kind != YN_SCALAR || n->is_expr)
		return false;
	if (n->type == YT_INT && n->fits)
		*out = (double)n->i;
	else if (n->type == YT_FLOAT)
		*out = n->f;
	else
		return false;
	return true;
}

/* Attributes that bound one thing from both sides: in snake_case, and as they are shown. */
static const char *const limits[][4] = {{"min_value", "max_value", "minValue", "maxValue"},
	{"min_length", "max_length", "minLength", "maxLength"}};
static const char *const of_flavors[][4] = {{"min_vcpus", "max_vcpus", "min_vcpus", "max_vcpus"},
	{"min_disk", "max_disk", "min_disk", "max_disk"},
	{"min_memory_mb", "max_memory_mb", "min_memory_mb", "max_memory_mb"}};

static bool
between(form_checker *s, const ynode *of, const char *const *name)
{
	const ynode *least = form_member(s->c, of, name[0]), *most = form_member(s->c, of, name[1]);
	double from, to;

	if (!number_of(least, &from) || !number_of(most, &to) || from <= to)
		return true;
	vc_report(s->c, VC_W1068, most->span, "%s is below %s: the form refuses every value",
		name[3], name[2]);
	vc_note(s->c, least->span, "the other one");
	return false;
}

static void
check_bounds(form_checker *s, const ynode *field, const ynode *initial)
{
	const ynode *least = form_member(s->c, field, "min_value"),
		    *most = form_member(s->c, field, "max_value");
	double v, bound;

	if (!number_of(initial, &v))
		return;
	if (number_of(least, &bound) && v < bound)
		refuse_initial(s, initial, "it is below minValue", least);
	if (number_of(most, &bound) && v > bound)
		refuse_initial(s, initial, "it is above maxValue", most);
}

static size_t
code_points(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* An empty text is no answer, and is not looked at. */
static void
check_length(form_checker *s, const ynode *field, const ynode *initial)
{
	const ynode *least = form_member(s->c, field, "min_length"),
		    *most = form_member(s->c, field, "max_length");
	double bound, v;

	if (!form_is_text(initial) || *initial->text == '\0')
		return;
	v = (double)code_points(initial->text);
	if (number_of(least, &bound) && v < bound)
		refuse_initial(s, initial, "it is shorter than minLength", least);
	if (number_of(most, &bound) && v > bound)
		refuse_initial(s, initial, "it is longer than maxLength", most);
}

static bool
matches(form_checker *s, const ynode *re, const char *text, size_t n)
{
	int64_t flags;
	const char *pattern = form_is_text(re) ? form_pattern(s->c, re, &flags) : NULL;
	vt_value p, compiled = VT_UNDEF;
	bool found = true;

	if (pattern == NULL)
		return true;
	p = vt_str_c(s->rt, pattern);
	if (vt_regex_make(s->rt, p, flags, &compiled) != VT_OK ||
		vt_regex_test(s->rt, VT_AS(vt_regex, compiled), text, (uint32_t)n,
			code_points(text) == n, &found) != VT_OK) {
		vt_exc_clear(s->rt);
		found = true;
	}
	vt_release(compiled);
	vt_release(p);
	return found;
}

/* An expression of the field's validators, asked as the form would ask it. */
static void
check_expression(
	form_checker *s, const ynode *one, const ynode *e, const ynode *field, const ynode *initial)
{
	const ynode *type = yn_get(field, "type"), *message = form_member(s->c, one, "message");
	char *why = NULL;

	if (!form_is_text(type) || !form_is_type(type->text) ||
		(initial->type == YT_INT) != !strcmp(type->text, "integer") ||
		(initial->type == YT_BOOL) != !strcmp(type->text, "boolean") ||
		form_holds(e, initial, &why))
		return;
	if (why != NULL)
		refuse_initial(s, initial, vc_format(s->c, "its own validator fails: %s", why), e);
	else if (message != NULL && form_is_text(message))
		refuse_initial(s, initial,
			vc_format(s->c, "its own validator says `%s`", message->text), e);
	else
		refuse_initial(s, initial, "its own validator does not hold", e);
	free(why);
}

static void
check_validator(form_checker *s, const ynode *one, const ynode *field, const ynode *initial)
{
	const ynode *e = one->kind == YN_MAP ? form_member(s->c, one, "expr") : NULL,
		    *re = e != NULL && e->kind == YN_MAP ? form_member(s->c, e, "regexp_validator")
							 : NULL;

	if (re != NULL && form_is_text(initial) && !matches(s, re, initial->text, initial->ntext))
		refuse_initial(s, initial, "its own pattern does not fit", re);
	if (e != NULL && e->kind == YN_SCALAR && e->is_expr)
		check_expression(s, one, e, field, initial);
}

/* Of a pattern and validators only the latter count. */
static void
check_validators(form_checker *s, const ynode *field, const ynode *initial)
{
	const ynode *re = form_member(s->c, field, "regexp_validator"),
		    *list = form_member(s->c, field, "validators");

	if (form_is_text(initial) && *initial->text == '\0')
		return;
	if (re != NULL && list == NULL && form_is_text(initial) &&
		!matches(s, re, initial->text, initial->ntext))
		refuse_initial(s, initial, "its own pattern does not fit", re);
	for (uint32_t i = 0; list != NULL && list->kind == YN_SEQ && i < list->n; i++)
		check_validator(s, list->item[i], field, initial);
}

/* The i-th key that can be chosen; NULL: no more, or it is not known. */
static const ynode *
choice(vc *c, const ynode *field, uint32_t i)
{
	const ynode *all = form_member(c, field, "choices"), *one;

	if (all == NULL || (all->kind != YN_SEQ && all->kind != YN_MAP))
		return NULL;
	for (uint32_t k = 0; k < all->n; k++) {
		one = all->kind == YN_MAP ? all->key[k] : all->item[k];
		if (all->kind == YN_SEQ &&
			(one->kind != YN_SEQ || one->n != 2 || one->item[1]->kind != YN_SCALAR))
			return NULL; /* groups, expressions */
	}
	if (i >= all->n)
		return NULL;
	return all->kind == YN_MAP ? all->key[i] : all->item[i]->item[0];
}

static void
check_choice(form_checker *s, const ynode *field, const ynode *initial)
{
	const char *text = initial->kind == YN_SCALAR && !initial->is_expr
				   ? form_scalar_text(s->c, initial)
				   : NULL;
	names keys = {0};
	const ynode *one;

	for (uint32_t i = 0; text != NULL && (one = choice(s->c, field, i)) != NULL; i++) {
		if (one->kind != YN_SCALAR || one->is_expr)
			return;
		vc_push(s->c, keys.v, keys.n) = form_scalar_text(s->c, one);
	}
	if (keys.n == 0 || text == NULL || *text == '\0' || has_name(s, &keys, text))
		return;
	refuse_initial(
		s, initial, "it is none of the choices", form_member(s->c, field, "choices"));
}

/* Both entries of the page send the same. */
static void
check_choices(form_checker *s, const ynode *field)
{
	const ynode *all = form_member(s->c, field, "choices"), *one, *before;
	names keys = {0};

	for (uint32_t i = 0; all != NULL && all->n <= MOST_COMPARED &&
			     (one = choice(s->c, field, i)) != NULL && one->kind == YN_SCALAR;
		i++) {
		const char *key = one->is_expr ? "" : form_scalar_text(s->c, one);
		size_t at = 0;
		while (at < keys.n && (one->is_expr || strcmp(keys.v[at], key) != 0))
			at++;
		vc_push(s->c, keys.v, keys.n) = key;
		if (one->is_expr || at == keys.n - 1 || all->kind == YN_MAP)
			continue;
		before = choice(s->c, field, (uint32_t)at);
		vc_report(s->c, VC_W1073, one->span,
			"the choice `%s` stands twice: both send the same", key);
		vc_note(s->c, before->span, "the other one");
	}
}

static void
check_flavors(form_checker *s, const ynode *field)
{
	const ynode *wanted = form_member(s->c, field, "requirements");

	for (size_t i = 0; wanted != NULL && wanted->kind == YN_MAP && i < VC_LEN(of_flavors); i++)
		(void)between(s, wanted, of_flavors[i]);
}

static void
check_whole(form_checker *s, const ynode *initial)
{
	if (form_is_text(initial) && *initial->text != '\0' &&
		strspn(initial->text, "0123456789+-_. ") != strlen(initial->text))
		refuse_initial(s, initial, "it is no whole number", NULL);
}

static void
check_initial(form_checker *s, const ynode *field)
{
	const ynode *initial = form_member(s->c, field, "initial"), *type = yn_get(field, "type");

	bool bounded = between(s, field, limits[0]), measured = between(s, field, limits[1]);

	if (initial == NULL || initial->kind != YN_SCALAR || initial->is_expr)
		return;
	if (bounded)
		check_bounds(s, field, initial);
	if (measured)
		check_length(s, field, initial);
	check_validators(s, field, initial);
	if (form_is_text(type) && strcmp(type->text, "choice") == 0)
		check_choice(s, field, initial);
	if (form_is_text(type) && strcmp(type->text, "integer") == 0)
		check_whole(s, initial);
}

static bool
is_true(const ynode *n)
{
	return n != NULL && n->kind == YN_SCALAR && !n->is_expr && n->type == YT_BOOL && n->i;
}

/* Hidden and required without a value: it can never be sent. */
static void
check_hidden(form_checker *s, const ynode *field)
{
	static const char *const sent[] = {"boolean", "floatingip", "flavor", "network", "choice"};
	const ynode *hidden = form_member(s->c, field, "hidden"),
		    *required = form_member(s->c, field, "required"), *type = yn_get(field, "type");

	if (!is_true(hidden) || (required != NULL && !is_true(required)) ||
		form_member(s->c, field, "initial") != NULL || !form_is_text(type) ||
		!form_is_type(type->text) || form_member(s->c, field, "enabled") != NULL)
		return;
	for (uint32_t i = 0; i < VC_LEN(sent); i++)
		if (strcmp(type->text, sent[i]) == 0)
			return;
	vc_report(s->c, VC_W1068, hidden->span,
		"the field is hidden, required and has no first value: it can never be sent");
	vc_hint(s->c, "give it an initial, or required: false");
}

static void
check_fields(form_checker *s)
{
	const form_ui *ui = s->ui;

	for (uint32_t i = 0; i < ui->nname; i++) {
		const ynode *field = ui->name[i].node;
		const form_name *first =
			s->fields[fields_before(s, ui->name[i].form, ui->name[i].field, false)];
		if (first != &ui->name[i]) {
			vc_report(s->c, VC_W1073, yn_get(field, "name")->span,
				"the field `%s` stands twice: the later one counts",
				ui->name[i].field);
			vc_note(s->c, first->at, "the other one");
		}
		check_type(s, yn_get(field, "type"));
		check_initial(s, field);
		check_choices(s, field);
		check_flavors(s, field);
		check_hidden(s, field);
	}
}

/* ---- objects ---- */

static const ynode *
template_named(const form_checker *s, const char *name)
{
	const ynode *found = s->templates != NULL && s->templates->kind == YN_MAP
				     ? yn_get(s->templates, name)
				     : NULL;

	return found != NULL && found->kind == YN_MAP ? found : NULL;
}

/* `$template`, ref(template), or a field whose choices are written out. */
static const ynode *
value_of(void *ctx, const ynode *n, uint32_t i)
{
	const form_checker *s = ctx;
	const yq_node *e = yq_unwrap(n->expr), *form, *field;
	const form_name *found;
	const ynode *type;

	if (e->kind == YQ_CALL && strcmp(e->text, "ref") == 0 && e->n > 0)
		return i == 0 && yq_unwrap(e->kid[0])->kind == YQ_KEYWORD
			       ? template_named(s, yq_unwrap(e->kid[0])->text)
			       : NULL;
	if (e->kind == YQ_VAR && *e->text != '\0')
		return i == 0 ? template_named(s, e->text) : NULL;
	if (!is_path(e, &form, &field) || field == NULL)
		return NULL;
	found = find_field(s, form->text, field->text);
	type = found != NULL ? yn_get(found->node, "type") : NULL;
	return type != NULL && form_is_text(type) && strcmp(type->text, "choice") == 0
		       ? choice(s->c, found->node, i)
		       : NULL;
}

static void
check_objects(form_checker *s)
{
	const mpl_template whole = {s, value_of, s->ui->named, true},
			   part = {s, value_of, false, false};

	if (s->application != NULL)
		mpl_check_template(s->c, s->pkg, s->application, &whole);
	for (uint32_t i = 0;
		s->templates != NULL && s->templates->kind == YN_MAP && i < s->templates->n; i++)
		mpl_check_template(s->c, s->pkg, s->templates->item[i], &part);
}

void
form_check(vc *c, const mpl_package *pkg, const form_ui *ui)
{
	form_checker s = {.c = c, .pkg = pkg, .ui = ui};
	const ynode *parameters = form_member(c, ui->root, "parameters"),
		    *forms = form_member(c, ui->root, "forms");

	s.templates = form_member(c, ui->root, "templates");
	s.application = form_member(c, ui->root, "application");
	s.open = ui->source != NULL;
	add_keys(&s, s.templates);
	add_keys(&s, parameters);
	for (uint32_t i = 0; forms != NULL && forms->kind == YN_SEQ && i < forms->n; i++)
		if (forms->item[i]->kind == YN_MAP && forms->item[i]->n > 0 &&
			forms->item[i]->key[0]->kind == YN_SCALAR)
			vc_push(c, s.forms.v, s.forms.n) =
				form_scalar_text(c, forms->item[i]->key[0]);
	s.rt = vt_rt_new(NULL);
	sort_fields(&s);
	check_fields(&s);
	check_tree(&s, s.templates, 0);
	check_tree(&s, s.application, 0);
	check_form_validators(&s, forms);
	check_objects(&s);
	vt_rt_free(s.rt);
}

/*
 * field.c - fields of a form: their types, attributes and validators.
 */
#include "compiler/form/int.h"
#include "runtime/core/exception.h"
#include "runtime/text/nearest.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Attributes that all types have. */
#define COMMON \
	" label description description_title help_text initial required hidden disabled enabled " \
	"regexp_validator validators error_messages widget_media widget_attrs localize " \
	"show_hidden_initial label_suffix "

typedef struct type_row {
	const char *name, *attributes;
} type_row;

static const type_row types[] = {
#define FIELD(sym, name, attributes) {name, attributes},
#include "runtime/form/fields.def"
#undef FIELD
};
static const type_row class_row = {"", " choices empty_value_message "};

static bool
has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(words, word); p != NULL; p = strstr(p + 1, word))
		if (p > words && p[-1] == ' ' && p[n] == ' ')
			return true;
	return false;
}

static bool
is_expression(const ynode *n)
{
	return n->kind == YN_SCALAR && n->is_expr;
}

/* ---- regular expressions ---- */

const char *
form_pattern(vc *c, const ynode *n, int64_t *flags)
{
	static const struct {
		char letter;
		int flag;
	} rows[] = {{'i', VT_RE_IGNORECASE}, {'m', VT_RE_MULTILINE}, {'s', VT_RE_DOTALL},
		{'x', VT_RE_VERBOSE}, {'a', VT_RE_ASCII}, {'u', VT_RE_UNICODE}};
	const char *text = n->text, *slash = strrchr(text, '/');

	*flags = 0;
	if (text[0] != '/')
		return text;
	for (const char *p = slash + 1; *p != '\0'; p++) {
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
			return NULL;
		for (uint32_t i = 0; i < VC_LEN(rows); i++)
			if ((*p | 32) == rows[i].letter)
				*flags |= rows[i].flag;
	}
	if (slash == text || memchr(text, '\n', n->ntext) != NULL)
		return NULL;
	return vc_strndup(c, text + 1, (size_t)(slash - text - 1));
}

static bool
compiles(reader *r, const ynode *n, const char *pattern, int64_t flags)
{
	vt_value text = vt_str_c(r->rt, pattern), re = VT_UNDEF;
	vt_buf why = {NULL, 0, 0};
	bool good = vt_regex_make(r->rt, text, flags, &re) == VT_OK;

	vt_release(re);
	vt_release(text);
	if (good)
		return true;
	vt_exc_str(r->rt, &why, vt_pending(r->rt));
	vt_exc_clear(r->rt);
	vc_report(r->c, VC_E1205, n->span, "the regular expression cannot be used: %.*s",
		(int)why.n, why.p);
	vt_buf_free(&why);
	return false;
}

/* {"re": ..., "flags": ...} without the closing bracket. */
static bool
put_regexp(reader *r, const ynode *n)
{
	const char *pattern;
	int64_t flags;

	if (!form_is_text(n)) {
		vc_report(r->c, VC_E1205, n->span, "the regular expression is no text");
		vc_hint(r->c, "quote it");
		return false;
	}
	pattern = form_pattern(r->c, n, &flags);
	if (pattern == NULL) {
		vc_report(r->c, VC_E1205, n->span,
			"the regular expression begins with a slash and does not end as /re/flags");
		return false;
	}
	if (!compiles(r, n, pattern, flags))
		return false;
	vt_buf_puts(&r->out, "[\"d\",\"re\",");
	form_put_text(r, pattern);
	vt_buf_printf(&r->out, ",\"flags\",%lld", (long long)flags);
	return true;
}

/* ---- validators ---- */

const ynode *
form_member(vc *c, const ynode *map, const char *name)
{
	const ynode *found = NULL;

	for (uint32_t i = 0; i < map->n; i++)
		if (form_is_text(map->key[i]) &&
			strcmp(form_snake(c, map->key[i]->text), name) == 0)
			found = map->item[i];
	return found;
}

static void
put_message(reader *r, const ynode *n)
{
	vt_buf_puts(&r->out, ",\"message\",");
	if (n == NULL)
		form_put_text(r, "");
	else if (is_expression(n))
		form_put_text(r, vc_strndup(r->c, n->text, n->ntext));
	else
		form_put(r, n);
	vt_buf_putc(&r->out, ']');
}

static bool
put_check(reader *r, const ynode *one)
{
	const ynode *expr = form_member(r->c, one, "expr"),
		    *message = form_member(r->c, one, "message"), *re;

	static const char *const keys[] = {"expr", "message"};

	form_unread_keys(r, one, "a validator", keys, VC_LEN(keys));
	if (expr != NULL && is_expression(expr)) {
		vt_buf_puts(&r->out, "[\"d\",\"expr\",");
		form_put(r, expr);
		put_message(r, message);
		return true;
	}
	re = expr != NULL && expr->kind == YN_MAP ? form_member(r->c, expr, "regexp_validator")
						  : NULL;
	if (re != NULL && put_regexp(r, re)) {
		put_message(r, message);
		return true;
	}
	if (re != NULL)
		return false;
	if (expr != NULL && expr->plain && strchr(expr->text, '$') != NULL) {
		vc_withdraw(r->c, VC_W1004, expr->span);
		vc_report(r->c, VC_W1074, expr->span,
			"YAQL cannot read this, so the check is never made");
		return false;
	}
	vc_report(r->c, VC_W1061, (expr ? expr : one)->span,
		"this check is never made, because it is no expression");
	vc_hint(r->c, "an expression has no quotes around it, or begins with !yaql");
	return false;
}

static void
put_checks(reader *r, const ynode *n)
{
	bool was = r->bare;

	r->bare = true;
	vt_buf_puts(&r->out, "[\"l\"");
	for (uint32_t i = 0; i < n->n; i++) {
		size_t before = r->out.n;
		vt_buf_putc(&r->out, ',');
		if (n->item[i]->kind != YN_MAP) {
			vc_report(r->c, VC_E1205, n->item[i]->span, "a validator is no mapping");
			vc_hint(r->c, "write - {expr: $ > 1, message: text}");
		}
		if (n->item[i]->kind != YN_MAP || !put_check(r, n->item[i]))
			r->out.n = before;
	}
	vt_buf_putc(&r->out, ']');
	r->bare = was;
}

static void
put_validators(reader *r, const ynode *n)
{
	vt_buf_puts(&r->out, ",\"validators\",");
	if (n->kind == YN_SEQ) {
		put_checks(r, n);
		return;
	}
	vt_buf_puts(&r->out, "null");
	if (is_expression(n))
		vc_report(r->c, VC_W1061, n->span, "validators are a list: none is made of this");
	else
		vc_report(r->c, VC_E1205, n->span, "validators are no list");
}

static void
put_regexp_validator(reader *r, const ynode *n)
{
	vt_buf_puts(&r->out, ",\"validators\",");
	if (is_expression(n)) {
		vc_report(r->c, VC_W1061, n->span,
			"this regular expression is never asked, because YAQL can read it as well");
		vc_hint(r->c, "quote it");
		vt_buf_puts(&r->out, "null");
		return;
	}
	vt_buf_puts(&r->out, "[\"l\",");
	if (put_regexp(r, n))
		vt_buf_putc(&r->out, ']');
	else
		vt_buf_puts(&r->out, "null");
	vt_buf_putc(&r->out, ']');
}

void
form_read_form_validators(reader *r, const ynode *n)
{
	vt_buf_puts(&r->out, "[\"l\"");
	if (n->kind != YN_SEQ)
		vc_report(r->c, VC_E1205, n->span, "the validators of the form are no list");
	for (uint32_t i = 0; n->kind == YN_SEQ && i < n->n; i++) {
		const ynode *one = n->item[i], *expr, *message;
		expr = one->kind == YN_MAP ? yn_get(one, "expr") : NULL;
		if (expr == NULL || !is_expression(expr)) {
			vc_report(r->c, VC_E1205, one->span,
				"a validator of a form needs an expression");
			vc_hint(r->c, "write - {expr: $.form.field > 1, message: text}");
			continue;
		}
		message = yn_get(one, "message");
		vt_buf_puts(&r->out, ",[\"d\",\"expr\",");
		form_put(r, expr);
		if (message == NULL)
			vt_buf_putc(&r->out, ']');
		else
			put_message(r, message);
	}
	vt_buf_putc(&r->out, ']');
}

/* ---- attributes ---- */

static bool
is_number(const ynode *n)
{
	return n->kind == YN_SCALAR && (n->type == YT_INT || n->type == YT_FLOAT ||
					       n->type == YT_BOOL || n->type == YT_NULL);
}

static bool
is_way(const ynode *n)
{
	return is_expression(n) || (n->kind == YN_SCALAR && n->type == YT_NULL) ||
	       (form_is_text(n) && (strcasecmp(n->text, "exclude") == 0 ||
					   strcasecmp(n->text, "translate") == 0 || !*n->text));
}

static bool
is_choices(const ynode *n)
{
	if (is_expression(n) || n->kind == YN_MAP)
		return true;
	for (uint32_t i = 0; n->kind == YN_SEQ && i < n->n; i++)
		if (!is_expression(n->item[i]) &&
			(n->item[i]->kind != YN_SEQ || n->item[i]->n != 2))
			return false;
	return n->kind == YN_SEQ;
}

/* What a constant has to be; NULL: it is that. */
static const char *
misfit(const char *name, const ynode *n)
{
	if (strcmp(name, "enabled") == 0)
		return is_expression(n) ? NULL : "enabled is an expression, or is left out";
	if (is_expression(n) || n->kind == YN_ERROR)
		return NULL;
	if (has_word(" min_value max_value min_length max_length ", name))
		return is_number(n) ? NULL : "a bound is a number";
	if (has_word(" error_messages requirements widget_media widget_attrs ", name))
		return n->kind == YN_MAP || (n->kind == YN_SCALAR && n->type == YT_NULL)
			       ? NULL
			       : "this attribute is a mapping";
	if (strcmp(name, "murano_networks") == 0)
		return is_way(n) ? NULL : "murano_networks is exclude or translate";
	if (strcmp(name, "choices") == 0)
		return is_choices(n) ? NULL : "choices are pairs [key, title], or a mapping";
	return NULL;
}

static const char *
nearest_attribute(reader *r, const type_row *type, const char *name)
{
	const char *words = vc_format(r->c, "%s%s", COMMON, type->attributes), *p = words, *part;
	const char **all = NULL;
	size_t n, count = 0;

	while (*(p += strspn(p, " ")) != '\0') {
		n = strcspn(p, " ");
		part = vc_strndup(r->c, p, n);
		vc_push(r->c, all, count) = part;
		p += n;
	}
	return vt_nearest(name, all, count);
}

static const type_row *
type_of(const ynode *n)
{
	for (uint32_t i = 0; form_is_text(n) && i < VC_LEN(types); i++)
		if (strcmp(n->text, types[i].name) == 0)
			return &types[i];
	return &class_row;
}

bool
form_is_type(const char *name)
{
	for (uint32_t i = 0; i < VC_LEN(types); i++)
		if (strcmp(name, types[i].name) == 0)
			return true;
	return false;
}

/* A misspelt type is the name of a class, and has few attributes. */
static bool
is_misspelt(reader *r, const ynode *type, const ynode *key)
{
	if (type->kind != YN_SCALAR || form_is_type(type->text) || strchr(type->text, '.') != NULL)
		return false;
	vc_report(r->c, VC_E1204, type->span,
		"there is no type of fields `%s`, and a class has no attribute `%s`", type->text,
		key->text);
	vc_hint(r->c, "numbers have the type `integer`, texts `string`");
	return true;
}

static void
unknown_attribute(reader *r, const ynode *key, const type_row *type, const char *name)
{
	const char *near = nearest_attribute(r, type, name);
	bool elsewhere = has_word(class_row.attributes, name);

	for (uint32_t i = 0; i < VC_LEN(types); i++)
		elsewhere |= has_word(types[i].attributes, name);
	vc_report(r->c, VC_E1204, key->span, "fields of %s%s%s have no attribute `%s`",
		*type->name ? "type `" : "a class", type->name, *type->name ? "`" : "", key->text);
	if (elsewhere)
		vc_hint(r->c, "other types of fields have it");
	else if (near != NULL)
		vc_did_you_mean(r->c, "`%s`", near);
}

/* False: the type of the field is no type, which is reported. */
static bool
put_attribute(reader *r, const ynode *key, const ynode *v, const ynode *type_node)
{
	const type_row *type = type_of(type_node);
	const char *name, *why;

	if (!form_is_text(key)) {
		vc_report(r->c, VC_E1204, key->span, "the name of an attribute is no text");
		vc_hint(r->c, "quote it");
		return true;
	}
	name = form_snake(r->c, key->text);
	if (!has_word(COMMON, name) && !has_word(type->attributes, name)) {
		if (is_misspelt(r, type_node, key))
			return false;
		unknown_attribute(r, key, type, name);
		return true;
	}
	why = misfit(name, v);
	if (why != NULL) {
		vc_report(r->c, VC_E1205, v->span, "%s", why);
		if (strcmp(name, "choices") == 0)
			vc_hint(r->c, "write choices: [[small, Small one], [large, Large one]]");
		return true;
	}
	if (has_word(" required hidden ", name) && v->kind == YN_SCALAR && !v->is_expr &&
		v->type == YT_STR)
		vc_report(r->c, VC_W1082, v->span, "`%s` is true or false; a text counts as %s",
			key->text, v->ntext ? "true" : "false");
	if (strcmp(name, "validators") == 0) {
		put_validators(r, v);
	} else if (strcmp(name, "regexp_validator") == 0) {
		put_regexp_validator(r, v);
	} else if (!has_word(" widget_media widget_attrs localize ", name)) {
		vt_buf_putc(&r->out, ',');
		form_put_text(r, name);
		vt_buf_putc(&r->out, ',');
		r->snake = true;
		form_put(r, v);
		r->snake = false;
	}
	return true;
}

/* ---- fields ---- */

static bool
is_type(const ynode *n)
{
	if (form_is_text(n))
		return true;
	for (uint32_t i = 0; n != NULL && n->kind == YN_SEQ && i < n->n; i++)
		if (!form_is_text(n->item[i]))
			return false;
	return n != NULL && n->kind == YN_SEQ && n->n > 0;
}

static bool
check_head(reader *r, const ynode *field, const ynode *name, const ynode *type)
{
	if (name == NULL || !form_is_text(name)) {
		vc_report(r->c, VC_E1203, (name ? name : field)->span,
			name ? "the name of a field is no text" : "the field has no name");
		vc_hint(r->c, name ? "quote it" : "a field is {name: NAME, type: string}");
		return false;
	}
	if (!is_type(type)) {
		vc_report(r->c, VC_E1203, (type ? type : field)->span,
			type ? "the type of the field `%s` is no text"
			     : "the field `%s` has no type",
			name->text);
		vc_hint(r->c, type ? "quote it: a name with a dash is an expression without quotes"
				   : "add type: string, or another one");
		return false;
	}
	if (strcmp(type_of(type)->name, "password") == 0 &&
		form_member(r->c, field, "label") == NULL) {
		vc_report(r->c, VC_E1203, field->span, "the password field `%s` has no label",
			name->text);
		return false;
	}
	return true;
}

static char *
field_text(reader *r, const ynode *field)
{
	const ynode *name = field->kind == YN_MAP ? yn_get(field, "name") : NULL,
		    *type = field->kind == YN_MAP ? yn_get(field, "type") : NULL;
	vt_buf around = r->out;
	char *text;
	bool known = true;

	if (field->kind != YN_MAP) {
		vc_report(r->c, VC_E1203, field->span, "a field is no mapping");
		vc_hint(r->c, "a field is {name: NAME, type: string}");
		return NULL;
	}
	if (!check_head(r, field, name, type))
		return NULL;
	r->out = (vt_buf){NULL, 0, 0};
	vt_buf_puts(&r->out, "[\"d\",\"name\",");
	form_put(r, name);
	vt_buf_puts(&r->out, ",\"type\",");
	form_put(r, type);
	for (uint32_t i = 0; i < field->n; i++)
		if (field->item[i] != name && field->item[i] != type)
			known = known && put_attribute(r, field->key[i], field->item[i], type);
	vt_buf_putc(&r->out, ']');
	text = vc_take(r->c, &r->out);
	r->out = around;
	return text;
}

/* The later of two fields of one name counts, in the place of the first. */
typedef struct named {
	const char *name, *text;
	uint32_t at;
} named;

static int
by_name(const void *a, const void *b)
{
	const named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : x->at < y->at ? -1 : 1;
}

static int
by_place(const void *a, const void *b)
{
	const named *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static uint32_t
drop_earlier(named *all, uint32_t n)
{
	uint32_t kept = 0;

	qsort(all, n, sizeof *all, by_name);
	for (uint32_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(all[kept - 1].name, all[i].name) == 0)
			all[kept - 1].text = all[i].text;
		else
			all[kept++] = all[i];
	}
	qsort(all, kept, sizeof *all, by_place);
	return kept;
}

void
form_read_fields(reader *r, const ynode *fields)
{
	named *all = vc_alloc(r->c, (fields->n + 1) * sizeof *all);
	uint32_t n = 0;

	for (uint32_t i = 0; i < fields->n; i++) {
		char *text = field_text(r, fields->item[i]);
		const ynode *name;
		if (text == NULL)
			continue;
		name = yn_get(fields->item[i], "name");
		all[n++] = (named){name->text, text, i};
		vc_push(r->c, r->ui->name, r->ui->nname) =
			(form_name){r->form, name->text, fields->item[i]->span, fields->item[i]};
	}
	n = drop_earlier(all, n);
	vt_buf_puts(&r->out, "[\"l\"");
	for (uint32_t i = 0; i < n; i++) {
		vt_buf_putc(&r->out, ',');
		vt_buf_puts(&r->out, all[i].text);
	}
	vt_buf_putc(&r->out, ']');
}

/* ---- for who writes a form ---- */

const char *
form_type_name(size_t i)
{
	return i < VC_LEN(types) ? types[i].name : NULL;
}

const char *
form_attributes(vc *c, const char *type)
{
	const type_row *row = &class_row;

	for (size_t i = 0; type && i < VC_LEN(types); i++)
		if (strcmp(types[i].name, type) == 0)
			row = &types[i];
	return vc_format(c, "%s%s", COMMON, row->attributes);
}

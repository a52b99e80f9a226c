/*
 * field.c - fields of a form: attributes, what the page shows, and the answers of a form.
 */
#include "runtime/form/int.h"

#include <stdlib.h>

/* ---- what a field is ---- */

vt_field
vt_field_of(vt_value form, vt_value spec)
{
	static const char *const names[] = {
#define FIELD(sym, name, ...) name,
#include "runtime/form/fields.def"
#undef FIELD
	};
	vt_value type = vt_form_get(spec, "type");
	vt_field k = {.kind = VT_FIELD_CLASS,
		.spec = spec,
		.form = form,
		.name = vt_form_get(spec, "name")};

	for (uint32_t i = 0; vt_is(type, STR) && i < VT_LEN(names); i++)
		if (strcmp(vt_as_str(type)->s, names[i]) == 0)
			k.kind = (enum vt_field_kind)i;
	return k;
}

bool
vt_field_is_boolean(const vt_field *k)
{
	return k->kind == VT_FIELD_BOOLEAN || k->kind == VT_FIELD_FLOATING_IP;
}

bool
vt_field_has_list(const vt_field *k)
{
	switch (k->kind) {
	case VT_FIELD_STRING:
	case VT_FIELD_TEXT:
	case VT_FIELD_INTEGER:
	case VT_FIELD_BOOLEAN:
	case VT_FIELD_FLOATING_IP:
	case VT_FIELD_PASSWORD:
	case VT_FIELD_CLUSTER_IP:
	case VT_FIELD_DATABASES: return false;
	case VT_FIELD_CHOICE:
	case VT_FIELD_FLAVOR:
	case VT_FIELD_KEYPAIR:
	case VT_FIELD_SECURITY_GROUP:
	case VT_FIELD_IMAGE:
	case VT_FIELD_ZONE:
	case VT_FIELD_NETWORK:
	case VT_FIELD_VOLUME:
	case VT_FIELD_DOMAIN:
	case VT_FIELD_CLASS: return true;
	}
	return false;
}

bool
vt_field_is_empty(vt_value v)
{
	return v == VT_NULL || (vt_is(v, STR) && vt_as_str(v)->bytes == 0) ||
	       (vt_is_sequence(v) && vt_as_list(v)->n == 0) ||
	       (vt_is(v, DICT) && vt_dict_len(vt_as_dict(v)) == 0);
}

/* ---- attributes ---- */

static vt_status
evaluate_over_data(vt_form *f, vt_value v, vt_value *out)
{
	vt_scope *sc = vt_scope_child(f->rt, f->scope, 1, &f->data);
	vt_status st = vt_form_evaluate(f, sc, v, out);

	vt_scope_end(sc);
	return st;
}

vt_status
vt_field_attribute(vt_form *f, const vt_field *k, const char *name, vt_value *out)
{
	vt_value v = vt_dict_get_c(vt_as_dict(k->spec), name);

	*out = VT_UNDEF;
	return v == VT_UNDEF ? VT_OK : evaluate_over_data(f, v, out);
}

vt_status
vt_field_flag(vt_form *f, const vt_field *k, const char *name, bool otherwise, bool *out)
{
	vt_value v = VT_UNDEF;

	*out = otherwise;
	VT_TRY(vt_field_attribute(f, k, name, &v));
	if (v != VT_UNDEF)
		*out = vt_truth(v);
	vt_release(v);
	return VT_OK;
}

vt_status
vt_field_required(vt_form *f, const vt_field *k, bool *out)
{
	*out = false;
	return vt_field_is_boolean(k) ? VT_OK : vt_field_flag(f, k, "required", true, out);
}

vt_value
vt_field_words(vt_form *f, const vt_field *k, const char *name)
{
	vt_value v = vt_form_get(k->spec, name), made = VT_UNDEF, text;

	if (evaluate_over_data(f, v, &made) != VT_OK) {
		vt_exc_clear(f->rt);
		f->expression = -1;
		return vt_form_is_expression(v) ? vt_str_c(f->rt, vt_form_source_of(f, v))
						: VT_NULL;
	}
	text = made == VT_NULL ? VT_NULL : vt_form_text(f->rt, made);
	vt_release(made);
	return text;
}

/* "key_name" is "Key name"; what follows the first letter is small, as Python's capitalize(). */
static vt_value
label_of_name(vt_rt *rt, vt_value name)
{
	vt_buf b = {NULL, 0, 0};
	vt_value plain = vt_form_text(rt, name), low, first, up;

	for (uint32_t i = 0; i < vt_as_str(plain)->bytes; i++) {
		char ch = vt_as_str(plain)->s[i];
		vt_buf_putc(&b, ch == '_' ? ' ' : ch);
	}
	vt_move(&plain, vt_str_take(rt, &b));
	first = vt_str_sub(rt, vt_as_str(plain), 0, 1);
	up = vt_str_upper(rt, vt_as_str(first));
	vt_move(&first, vt_str_sub(rt, vt_as_str(plain), 1, vt_as_str(plain)->points));
	low = vt_str_lower(rt, vt_as_str(first));
	vt_move(&plain, vt_str_concat(rt, vt_as_str(up), vt_as_str(low)));
	vt_release(first);
	vt_release(up);
	vt_release(low);
	return plain;
}

vt_value
vt_field_label(vt_form *f, const vt_field *k)
{
	vt_value label =
		k->clone ? vt_str_c(f->rt, "Confirm password") : vt_field_words(f, k, "label");

	return label == VT_NULL ? label_of_name(f->rt, k->name) : label;
}

/* ---- what is sent ---- */

static vt_value
text_or_empty(vt_rt *rt, vt_value v)
{
	return v == VT_UNDEF || v == VT_NULL ? vt_str_c(rt, "") : vt_form_text(rt, v);
}

vt_status
vt_field_untouched(vt_form *f, const vt_field *k, vt_value *out)
{
	vt_value initial = VT_UNDEF, list = VT_UNDEF;
	bool hidden = false;
	vt_status st;

	if (vt_field_has_list(k)) {
		VT_TRY(vt_field_list(f, k, &list));
		st = vt_field_shown(f, k, list, out);
		vt_release(list);
		return st;
	}
	VT_TRY(vt_field_flag(f, k, "hidden", false, &hidden));
	VT_TRY(vt_field_attribute(f, k, "initial", &initial));
	if (vt_field_is_boolean(k) && !hidden)
		*out = vt_mkbool(initial != VT_UNDEF && vt_truth(initial));
	else
		*out = text_or_empty(f->rt, initial);
	vt_release(initial);
	return VT_OK;
}

/* Names with commas between them, for who writes a list of them. */
static vt_value
joined(vt_rt *rt, const vt_list *l)
{
	vt_buf b = {NULL, 0, 0};

	for (uint32_t i = 0; i < l->n; i++) {
		if (i > 0)
			vt_buf_putc(&b, ',');
		vt_pystr(rt, &b, l->v[i]);
	}
	return vt_str_take(rt, &b);
}

/* An answer as the page would send it. */
static vt_value
as_sent(vt_form *f, const vt_field *k, vt_value answer)
{
	if (answer == VT_NULL || vt_field_is_boolean(k) ||
		(k->kind == VT_FIELD_NETWORK && vt_is_sequence(answer)))
		return vt_copy(answer);
	if (k->kind == VT_FIELD_DATABASES && vt_is_sequence(answer))
		return joined(f->rt, vt_as_list(answer));
	return vt_form_text(f->rt, answer);
}

static vt_value
answer_of(const vt_form *f, vt_value form, vt_value name)
{
	vt_value of_form = vt_is(f->ask->answers, DICT)
				   ? vt_dict_get(vt_as_dict(f->ask->answers), form)
				   : VT_UNDEF;

	return vt_is(of_form, DICT) ? vt_dict_get(vt_as_dict(of_form), name) : VT_UNDEF;
}

/* A disabled field sends what it shows, whatever was answered. */
static vt_status
disabled_value(vt_form *f, const vt_field *k, vt_value *out)
{
	vt_value v = VT_UNDEF;

	VT_TRY(vt_field_attribute(f, k, "initial", &v));
	if (v == VT_UNDEF || v == VT_NULL || (k->kind == VT_FIELD_NETWORK && vt_is_sequence(v))) {
		*out = v == VT_UNDEF ? VT_NULL : v;
		return VT_OK;
	}
	*out = vt_form_text(f->rt, v);
	vt_release(v);
	return VT_OK;
}

static vt_status
sent_by(vt_form *f, const vt_field *k, vt_value *out)
{
	vt_value answer = answer_of(f, k->form, k->name);
	bool disabled = false;

	VT_TRY(vt_field_flag(f, k, "disabled", false, &disabled));
	if (disabled)
		return disabled_value(f, k, out);
	if (answer == VT_UNDEF)
		return vt_field_untouched(f, k, out);
	*out = as_sent(f, k, answer);
	return VT_OK;
}

/* ---- a form ---- */

typedef struct sending {
	vt_field *k;
	vt_value *sent;
	uint32_t n;
} sending;

static vt_value
clone_name(vt_rt *rt, vt_value name)
{
	vt_value text = vt_form_text(rt, name);
	vt_value made = vt_str_printf(rt, "%s-clone", vt_as_str(text)->s);

	vt_release(text);
	return made;
}

static vt_status
add_clone(vt_form *f, sending *s)
{
	vt_field *of = &s->k[s->n - 1];
	vt_field k = *of;
	vt_value answer;
	bool confirm = false, disabled = false;

	VT_TRY(vt_field_flag(f, of, "confirm_input", true, &confirm));
	VT_TRY(vt_field_flag(f, of, "disabled", false, &disabled));
	if (!confirm)
		return VT_OK;
	k.clone = true;
	k.name = clone_name(f->rt, of->name);
	answer = answer_of(f, k.form, k.name);
	s->sent[s->n] = answer == VT_UNDEF || disabled ? VT_UNDEF : as_sent(f, &k, answer);
	s->k[s->n++] = k;
	return VT_OK;
}

static vt_status
collect(vt_form *f, vt_value form, sending *s)
{
	vt_value fields = vt_form_get(form, "fields"), name = vt_form_get(form, "name");
	uint32_t n = vt_is_sequence(fields) ? vt_as_list(fields)->n : 0;
	vt_status st = VT_OK;

	s->k = vt_xzalloc((2 * n + 1) * sizeof *s->k);
	s->sent = vt_xzalloc((2 * n + 1) * sizeof *s->sent);
	for (uint32_t i = 0; i < n && st == VT_OK; i++) {
		vt_value sent = VT_UNDEF;
		s->k[s->n] = vt_field_of(name, vt_as_list(fields)->v[i]);
		st = sent_by(f, &s->k[s->n], &sent);
		if (st != VT_OK)
			break;
		s->sent[s->n++] = sent;
		if (s->k[s->n - 1].kind == VT_FIELD_PASSWORD)
			st = add_clone(f, s);
	}
	return st;
}

static void
drop(sending *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		vt_release(s->sent[i]);
		if (s->k[i].clone)
			vt_release(s->k[i].name);
	}
	free(s->k);
	free(s->sent);
}

void
vt_form_complain(vt_form *f, vt_value form, vt_value field, const char *code, vt_value message)
{
	vt_dict *d = vt_dict_new(f->rt, false);

	vt_dict_set_c(f->rt, d, "form", vt_copy(form));
	vt_dict_set_c(f->rt, d, "field", vt_copy(field));
	vt_dict_set_c(f->rt, d, "code", vt_str_c(f->rt, code));
	vt_dict_set_c(f->rt, d, "message", message);
	vt_list_push(f->rt, vt_as_list(f->complaints), vt_mkptr(d));
}

/* A second password that was not given is the first one, whatever became of that. */
static vt_status
clean_one(vt_form *f, const sending *s, uint32_t i, vt_value mine, vt_value *out, bool *good)
{
	vt_value first;

	if (s->sent[i] != VT_UNDEF)
		return vt_field_clean(f, &s->k[i], s->sent[i], out, good);
	first = vt_dict_get(vt_as_dict(mine), s->k[i - 1].name);
	*good = first != VT_UNDEF;
	*out = vt_copy(first);
	return VT_OK;
}

/* Fields see those of their form that were cleaned before them; a form without any is not there. */
static vt_status
clean_fields(vt_form *f, vt_value form, sending *s)
{
	vt_value mine = vt_mkptr(vt_dict_new(f->rt, false));
	vt_status st = VT_OK;

	for (uint32_t i = 0; i < s->n && st == VT_OK; i++) {
		vt_value v = VT_UNDEF;
		bool good = true;
		st = clean_one(f, s, i, mine, &v, &good);
		if (st == VT_OK && good) {
			vt_dict_set(f->rt, vt_as_dict(mine), s->k[i].name, v);
			vt_dict_set(f->rt, vt_as_dict(f->data), vt_form_get(form, "name"), mine);
		}
		vt_release(v);
	}
	vt_release(mine);
	return st;
}

static vt_status
check_form(vt_form *f, vt_value form)
{
	vt_value all = vt_form_get(form, "validators");
	uint32_t n = vt_is_sequence(all) ? vt_as_list(all)->n : 0;

	for (uint32_t i = 0; i < n; i++) {
		vt_value one = vt_as_list(all)->v[i], v = VT_UNDEF;
		vt_value message = vt_form_get(one, "message");
		vt_scope *sc = vt_form_bare_scope(f);
		vt_status st = vt_form_run(f, sc, vt_form_get(one, "expr"), f->data, &v);
		bool good = st == VT_OK && vt_truth(v);
		vt_scope_end(sc);
		vt_release(v);
		VT_TRY(st);
		if (!good)
			vt_form_complain(f, vt_form_get(form, "name"), VT_NULL, "check",
				message == VT_NULL ? vt_str_c(f->rt, "Validation Error occurred")
						   : vt_form_text(f->rt, message));
	}
	return VT_OK;
}

/* The first pair that differs ends it. */
static vt_status
compare_passwords(vt_form *f, vt_value form, const sending *s)
{
	vt_value name = vt_form_get(form, "name"), label, message;
	vt_dict *data = vt_as_dict(f->data);
	bool required = false, enabled = true;

	for (uint32_t i = 1; i < s->n; i++) {
		vt_value mine = vt_dict_get(data, name);
		if (!s->k[i].clone || vt_same(vt_dict_get(vt_as_dict(mine), s->k[i].name),
					      vt_dict_get(vt_as_dict(mine), s->k[i - 1].name)))
			continue;
		VT_TRY(vt_field_required(f, &s->k[i - 1], &required));
		VT_TRY(vt_field_flag(f, &s->k[i - 1], "enabled", true, &enabled));
		if (!required || !enabled)
			continue;
		label = vt_field_label(f, &s->k[i - 1]);
		message = vt_str_printf(f->rt, "%ss don't match", vt_as_str(label)->s);
		vt_release(label);
		vt_form_complain(f, name, VT_NULL, "mismatch", message);
		return VT_OK;
	}
	return VT_OK;
}

vt_status
vt_form_clean(vt_form *f, vt_value form)
{
	sending s = {NULL, NULL, 0};
	const vt_list *complaints = vt_as_list(f->complaints);
	vt_status st = collect(f, form, &s);

	if (st == VT_OK)
		st = clean_fields(f, form, &s);
	if (st == VT_OK && complaints->n == 0)
		st = check_form(f, form);
	if (st == VT_OK && complaints->n == 0)
		st = compare_passwords(f, form, &s);
	drop(&s);
	return st;
}

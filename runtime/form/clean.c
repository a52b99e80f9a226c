/*
 * clean.c - from what a field sends to its value: converted, required, validated.
 *
 * The first of these steps that fails ends the field; validators are all asked.
 */
#include "runtime/form/int.h"

#include <stdlib.h>

typedef struct cleaning {
	vt_form *f;
	const vt_field *k;
	vt_value value;
	bool good;
} cleaning;

/* ---- complaints ---- */

#define WEAK_PASSWORD \
	"The password must contain at least one letter, one number and one special character"
#define BAD_NAME \
	"First symbol should be latin letter or underscore. Subsequent symbols can be latin " \
	"letter, numeric, underscore, at sign, number sign or dollar sign"

static const char *
standard_message(const cleaning *c, const char *code)
{
	static const char *const rows[][2] = {{"required", "This field is required."},
		{"min_value", "Ensure this value is greater than or equal to %(limit_value)s."},
		{"max_value", "Ensure this value is less than or equal to %(limit_value)s."},
		{"min_length", "Ensure this value has at least %(limit_value)s characters (it has "
			       "%(show_value)s)."},
		{"max_length", "Ensure this value has at most %(limit_value)s characters (it has "
			       "%(show_value)s)."},
		{"invalid_choice",
			"Select a valid choice. %(value)s is not one of the available choices."},
		{"null_characters_not_allowed", "Null characters are not allowed."}};

	for (uint32_t i = 0; i < VT_LEN(rows); i++)
		if (strcmp(rows[i][0], code) == 0)
			return i == 0 && c->k->clone ? "Please confirm your password" : rows[i][1];
	return c->k->kind == VT_FIELD_INTEGER      ? "Enter a whole number."
	       : c->k->kind == VT_FIELD_CLUSTER_IP ? "Enter a valid IPv4 address."
						   : "Enter a valid value.";
}

static bool
has_own_validators(const vt_field *k)
{
	vt_value v = vt_form_get(k->spec, "validators");

	return vt_is_sequence(v) && vt_as_list(v)->n > 0;
}

/* %(limit_value)s and the like, with what they stand for. */
static vt_value
filled(vt_rt *rt, const char *text, vt_value limit, vt_value shown, vt_value value)
{
	static const char *const names[] = {"%(limit_value)", "%(show_value)", "%(value)"};
	const vt_value values[] = {limit, shown, value};
	vt_buf b = {NULL, 0, 0};

	while (*text != '\0') {
		uint32_t i = 0;
		while (i < VT_LEN(names) && strncmp(text, names[i], strlen(names[i])) != 0)
			i++;
		if (i < VT_LEN(names) && values[i] != VT_UNDEF &&
			strchr("sd", text[strlen(names[i])]) && text[strlen(names[i])]) {
			vt_pystr(rt, &b, values[i]);
			text += strlen(names[i]) + 1;
		} else {
			vt_buf_putc(&b, *text++);
		}
	}
	return vt_str_take(rt, &b);
}

/* errorMessages has a text for the code, or may have one. */
static vt_value
own_message(cleaning *c, const char *code)
{
	vt_value all = vt_form_get(c->k->spec, "error_messages"), v = vt_form_get(all, code);

	if (v == VT_NULL || (c->k->clone && strcmp(code, "required") == 0))
		return VT_NULL;
	return vt_form_is_expression(v) ? vt_str_c(c->f->rt, vt_form_source_of(c->f, v))
					: vt_form_text(c->f->rt, v);
}

static void
complain(cleaning *c, const char *code, const char *otherwise, vt_value limit, vt_value shown)
{
	vt_value own = own_message(c, code);
	const char *text = own != VT_NULL ? vt_as_str(own)->s
			   : otherwise    ? otherwise
					  : standard_message(c, code);

	vt_form_complain(
		c->f, c->k->form, c->k->name, code, filled(c->f->rt, text, limit, shown, c->value));
	vt_release(own);
	c->good = false;
}

static void
complain_plainly(cleaning *c, const char *code)
{
	complain(c, code, NULL, VT_UNDEF, VT_UNDEF);
}

/* ---- conversion ---- */

/* A text without the blanks at both ends, as Python's strip(). */
static vt_value
stripped(vt_rt *rt, vt_value text)
{
	const vt_str *s = vt_as_str(text);
	const char *p = s->s, *end = s->s + s->bytes, *first = NULL, *last = s->s;

	while (p < end) {
		uint32_t cp = vt_utf8_next(&p);
		if (vt_is_space(cp))
			continue;
		if (first == NULL)
			first = p;
		last = p;
	}
	if (first == NULL)
		return vt_str_c(rt, "");
	for (first--; ((unsigned char)*first & 0xc0) == 0x80; first--)
		;
	return vt_str_new(rt, first, (size_t)(last - first));
}

static vt_status
to_text(cleaning *c, vt_value sent)
{
	vt_rt *rt = c->f->rt;
	vt_value empty = VT_UNDEF;
	bool strips = true;

	c->value = vt_is(sent, STR) ? vt_copy(sent) : vt_str_c(rt, "");
	VT_TRY(vt_field_flag(c->f, c->k, "strip", true, &strips));
	if (strips || c->k->kind == VT_FIELD_CLUSTER_IP)
		vt_move(&c->value, stripped(rt, c->value));
	if (vt_as_str(c->value)->bytes > 0 || c->k->kind == VT_FIELD_CLUSTER_IP)
		return VT_OK;
	VT_TRY(vt_field_attribute(c->f, c->k, "empty_value", &empty));
	if (empty != VT_UNDEF)
		vt_move(&c->value, empty);
	return VT_OK;
}

/* A point with zeros behind the number does not count. */
static vt_value
without_fraction(vt_rt *rt, vt_value text)
{
	const vt_str *s = vt_as_str(text);
	const char *end = s->s + s->bytes, *p = end;

	while (p > s->s && strchr(" \t\r\n\f\v", p[-1]))
		p--;
	while (p > s->s && p[-1] == '0')
		p--;
	return p > s->s && p[-1] == '.' ? vt_str_new(rt, s->s, (size_t)(p - 1 - s->s))
					: vt_copy(text);
}

static vt_status
to_integer(cleaning *c, vt_value sent)
{
	vt_value text, v = VT_UNDEF;

	c->value = VT_NULL;
	if (vt_field_is_empty(sent))
		return VT_OK;
	text = without_fraction(c->f->rt, sent);
	if (vt_int_from_str(c->f->rt, vt_as_str(text), &v)) {
		c->value = v;
	} else {
		c->value = vt_copy(sent);
		complain_plainly(c, "invalid");
	}
	vt_release(text);
	return VT_OK;
}

static vt_status
to_boolean(cleaning *c, vt_value sent)
{
	const vt_str *s = vt_is(sent, STR) ? vt_as_str(sent) : NULL;
	vt_value low;
	bool off;

	if (s == NULL) {
		c->value = vt_mkbool(vt_truth(sent));
		return VT_OK;
	}
	low = vt_str_lower(c->f->rt, s);
	off = s->bytes == 0 || strcmp(vt_as_str(low)->s, "false") == 0 ||
	      strcmp(vt_as_str(low)->s, "0") == 0;
	vt_release(low);
	c->value = vt_mkbool(!off);
	return VT_OK;
}

static vt_status
to_databases(cleaning *c, vt_value sent)
{
	vt_rt *rt = c->f->rt;
	vt_list *l = vt_list_grow(rt, VT_K_LIST, 2);
	const char *p = vt_is(sent, STR) ? vt_as_str(sent)->s : "",
		   *end = p + (vt_is(sent, STR) ? vt_as_str(sent)->bytes : 0);

	for (bool more = p < end; more;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		vt_value name = vt_str_new(rt, p, (size_t)((comma ? comma : end) - p));
		vt_list_push(rt, l, stripped(rt, name));
		vt_release(name);
		more = comma != NULL;
		p = comma ? comma + 1 : end;
	}
	c->value = vt_mkptr(l);
	return VT_OK;
}

static vt_status
to_network(cleaning *c, vt_value sent)
{
	vt_list *pair;

	if (!vt_field_is_empty(sent)) {
		c->value = vt_copy(sent);
		return VT_OK;
	}
	pair = vt_list_new(c->f->rt, VT_K_TUPLE, 2);
	pair->v[0] = pair->v[1] = VT_NULL;
	c->value = vt_mkptr(pair);
	return VT_OK;
}

static vt_status
convert(cleaning *c, vt_value sent)
{
	switch (c->k->kind) {
	case VT_FIELD_STRING:
	case VT_FIELD_TEXT:
	case VT_FIELD_PASSWORD: return to_text(c, sent);
	case VT_FIELD_CLUSTER_IP:
		VT_TRY(to_text(c, sent));
		if (strchr(vt_as_str(c->value)->s, ':'))
			complain_plainly(c, "invalid");
		return VT_OK;
	case VT_FIELD_INTEGER: return to_integer(c, sent);
	case VT_FIELD_BOOLEAN:
	case VT_FIELD_FLOATING_IP: return to_boolean(c, sent);
	case VT_FIELD_DATABASES: return to_databases(c, sent);
	case VT_FIELD_NETWORK: return to_network(c, sent);
	case VT_FIELD_FLAVOR: c->value = vt_copy(sent); return VT_OK;
	case VT_FIELD_CHOICE:
	case VT_FIELD_KEYPAIR:
	case VT_FIELD_SECURITY_GROUP:
	case VT_FIELD_IMAGE:
	case VT_FIELD_ZONE:
	case VT_FIELD_VOLUME:
	case VT_FIELD_DOMAIN:
	case VT_FIELD_CLASS:
		c->value = vt_field_is_empty(sent) ? vt_str_c(c->f->rt, "") : vt_copy(sent);
		return VT_OK;
	}
	return VT_OK;
}

/* ---- required, and of a list ---- */

static bool
is_database_name(const vt_str *s)
{
	if (s->bytes == 0 || !((s->s[0] >= 'A' && s->s[0] <= 'z')))
		return false;
	for (uint32_t i = 1; i < s->bytes; i++) {
		char ch = s->s[i];
		if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			    (ch >= '0' && ch <= '9') || (ch != 0 && strchr("_$#@", ch))))
			return false;
	}
	return true;
}

static void
check_database_names(cleaning *c)
{
	const vt_list *l = vt_as_list(c->value);

	for (uint32_t i = 0; i < l->n; i++)
		if (!is_database_name(vt_as_str(l->v[i]))) {
			vt_form_complain(c->f, c->k->form, c->k->name, "invalid",
				vt_str_c(c->f->rt, BAD_NAME));
			c->good = false;
			return;
		}
}

static vt_status
check_listed(cleaning *c)
{
	vt_value list = VT_UNDEF;

	VT_TRY(vt_field_list(c->f, c->k, &list));
	if (list != VT_UNDEF && vt_field_find(c->f->rt, list, c->value) < 0)
		complain_plainly(c, "invalid_choice");
	vt_release(list);
	return VT_OK;
}

static vt_status
check_kind(cleaning *c)
{
	bool required = false;

	VT_TRY(vt_field_required(c->f, c->k, &required));
	if (vt_field_is_empty(c->value)) {
		if (required)
			complain_plainly(c, "required");
		return VT_OK;
	}
	if (c->k->kind == VT_FIELD_DATABASES)
		check_database_names(c);
	return vt_field_has_list(c->k) ? check_listed(c) : VT_OK;
}

/* ---- validators ---- */

static vt_status
matches(cleaning *c, vt_value pattern, int64_t flags, bool *found)
{
	vt_rt *rt = c->f->rt;
	vt_value re = VT_UNDEF, text = vt_form_text(rt, c->value);
	vt_status st = vt_regex_make(rt, pattern, flags, &re);

	if (st == VT_OK)
		st = vt_regex_test(rt, VT_AS(vt_regex, re), vt_as_str(text)->s,
			vt_as_str(text)->bytes, (vt_head_of(text)->flags & VT_F_ASCII) != 0, found);
	vt_release(re);
	vt_release(text);
	return st;
}

/* {"re", "flags"} of regexpValidator, which has the field's message; of validators also
 * {"message"}; {"expr", "message"}. */
static vt_status
check_one(cleaning *c, vt_value one)
{
	vt_value pattern = vt_form_get(one, "re"), v = VT_UNDEF;
	vt_value message = vt_dict_get_c(vt_as_dict(one), "message");
	int64_t flags = 0;
	bool good = false;

	if (vt_is(pattern, STR)) {
		(void)vt_int_fits(vt_form_get(one, "flags"), &flags);
		VT_TRY(matches(c, pattern, flags, &good));
	} else {
		vt_scope *sc = vt_form_bare_scope(c->f);
		vt_status st = vt_form_run(c->f, sc, vt_form_get(one, "expr"), c->value, &v);
		vt_scope_end(sc);
		VT_TRY(st);
		good = vt_truth(v);
		vt_release(v);
	}
	if (good)
		return VT_OK;
	c->good = false;
	if (message == VT_UNDEF) {
		complain(c, "invalid", "Enter a valid value.", VT_UNDEF, VT_UNDEF);
		return VT_OK;
	}
	vt_form_complain(c->f, c->k->form, c->k->name, "check", vt_form_text(c->f->rt, message));
	return VT_OK;
}

static vt_status
check_own(cleaning *c)
{
	vt_value all = vt_form_get(c->k->spec, "validators");

	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++)
		VT_TRY(check_one(c, vt_as_list(all)->v[i]));
	return VT_OK;
}

/* Four numbers up to 255 with points between them, without zeros in front. */
static bool
is_ipv4(const vt_str *s)
{
	const char *p = s->s;

	for (int i = 0; i < 4; i++) {
		int n = 0, digits = 0;
		if (i > 0 && *p++ != '.')
			return false;
		for (; *p >= '0' && *p <= '9' && digits < 4; digits++)
			n = n * 10 + (*p++ - '0');
		if (digits == 0 || digits > 3 || n > 255 || (digits > 1 && p[-digits] == '0'))
			return false;
	}
	return p == s->s + s->bytes;
}

static vt_status
check_password(cleaning *c)
{
	static const char strong[] = "^.*(?=.*\\d)(?=.*[a-z])(?=.*[A-Z])"
				     "(?=.*[!@#$%^&*()_+|\\/.,~?><:{}-]).*$";
	vt_value pattern = vt_str_c(c->f->rt, strong);
	bool good = true;
	vt_status st = matches(c, pattern, 0, &good);

	vt_release(pattern);
	if (st == VT_OK && !good)
		complain(c, "invalid", WEAK_PASSWORD, VT_UNDEF, VT_UNDEF);
	return st;
}

/* ---- bounds ---- */

static vt_status
limit(cleaning *c, const char *name, int64_t otherwise, vt_value *out)
{
	VT_TRY(vt_field_attribute(c->f, c->k, name, out));
	if (*out == VT_UNDEF || !(vt_is_number(*out) || vt_is_bool(*out)))
		vt_move(out, otherwise < 0 ? VT_NULL : vt_mkint(otherwise));
	return VT_OK;
}

static vt_status
check_bound(cleaning *c, const char *name, int64_t otherwise, vt_value measured, int wrong)
{
	vt_value most = VT_UNDEF;

	VT_TRY(limit(c, name, otherwise, &most));
	if (most != VT_NULL && vt_num_cmp(measured, most) == wrong)
		complain(c, name, NULL, most, measured);
	vt_release(most);
	return VT_OK;
}

static bool
has_null(vt_rt *rt, vt_value v)
{
	vt_value text = vt_form_text(rt, v);
	bool found = memchr(vt_as_str(text)->s, 0, vt_as_str(text)->bytes) != NULL;

	vt_release(text);
	return found;
}

static vt_status
check_length(cleaning *c)
{
	bool plain = c->k->kind == VT_FIELD_PASSWORD && !has_own_validators(c->k);
	int64_t n = vt_is(c->value, STR)       ? vt_as_str(c->value)->points
		    : vt_is_sequence(c->value) ? vt_as_list(c->value)->n
					       : 0;

	VT_TRY(check_bound(c, "min_length", plain ? 7 : -1, vt_mkint(n), -1));
	VT_TRY(check_bound(c, "max_length", plain ? 255 : -1, vt_mkint(n), 1));
	if (has_null(c->f->rt, c->value))
		complain_plainly(c, "null_characters_not_allowed");
	return VT_OK;
}

static vt_status
check_value(cleaning *c)
{
	if (vt_field_is_empty(c->value))
		return VT_OK;
	if (c->k->kind == VT_FIELD_CLUSTER_IP && !is_ipv4(vt_as_str(c->value)))
		complain_plainly(c, "invalid");
	VT_TRY(check_own(c));
	if (c->k->kind == VT_FIELD_PASSWORD && !has_own_validators(c->k))
		VT_TRY(check_password(c));
	if (c->k->kind == VT_FIELD_INTEGER) {
		VT_TRY(check_bound(c, "max_value", -1, c->value, 1));
		return check_bound(c, "min_value", -1, c->value, -1);
	}
	return vt_field_is_boolean(c->k) || vt_field_has_list(c->k) ? VT_OK : check_length(c);
}

/* ---- all of it ---- */

/* The id or the name of one is its name; anything goes. */
static vt_status
clean_flavor(cleaning *c)
{
	vt_value list = VT_UNDEF;
	int64_t at;

	VT_TRY(vt_field_list(c->f, c->k, &list));
	at = list == VT_UNDEF ? -1 : vt_field_find(c->f->rt, list, c->value);
	if (at >= 0)
		vt_move(&c->value, vt_copy(vt_as_list(vt_as_list(list)->v[at])->v[1]));
	vt_release(list);
	return VT_OK;
}

static vt_status
clean(cleaning *c, vt_value sent)
{
	bool enabled = true;

	VT_TRY(convert(c, sent));
	if (c->k->kind == VT_FIELD_FLAVOR)
		return clean_flavor(c);
	VT_TRY(vt_field_flag(c->f, c->k, "enabled", true, &enabled));
	if (enabled && c->good)
		VT_TRY(check_kind(c));
	if (enabled && c->good)
		VT_TRY(check_value(c));
	if ((c->k->kind == VT_FIELD_CLASS || c->k->kind == VT_FIELD_DOMAIN) &&
		vt_field_is_empty(c->value))
		vt_move(&c->value, VT_NULL);
	return VT_OK;
}

vt_status
vt_field_clean(vt_form *f, const vt_field *k, vt_value sent, vt_value *out, bool *good)
{
	cleaning c = {f, k, VT_NULL, true};
	vt_status st = clean(&c, sent);

	*good = c.good;
	return vt_settle(st, c.value, out);
}

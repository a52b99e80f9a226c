/*
 * report_types.c - what types show: calls nothing can take, properties nobody has, values a
 * contract refuses.
 *
 * The inference decides what is certain; here it is put into words.  What certainly fails is an
 * error of that place, the rest a warning.
 */
#include "compiler/check/int.h"
#include "compiler/check/types.h"
#include "compiler/check/check.h"

#include <ctype.h>
#include <string.h>

typedef struct typed {
	ck *k;
	vc_typing *t;
} typed;

static vc_span
span_of(const ynode *node, const yq_node *e)
{
	return e ? yn_subspan(node, e->from, e->to) : node->span;
}

/* Where the name of a call stands, the operator of an operation, or all of it. */
static vc_span
name_of(const ynode *node, const yq_node *e)
{
	if (e->kind == YQ_CALL || e->kind == YQ_BINARY || e->kind == YQ_UNARY)
		return yn_subspan(node, e->op_at, e->op_at + e->ntext);
	return span_of(node, e);
}

/* ---- calls ---- */

static enum vc_severity
tier(const ty_fault *f)
{
	return f->certain ? VC_FAULT : VC_WARNING;
}

static void
declared_at(ck *k, const ty_fault *f)
{
	if (f->method && f->method->span.src && !f->method->native)
		vc_note(k->c, f->method->span, "declared in class \"%s\"", f->method->cls->name);
	else if (f->property && f->property->span.src && !f->property->cls->native)
		vc_note(k->c, f->property->span, "declared in class \"%s\"",
			f->property->cls->name);
}

static void
no_method(ck *k, const ynode *node, const ty_fault *f)
{
	vc_types *p = ty_program(k->c);
	const char *near = f->cls ? ty_near(p, f->cls, f->name, true) : NULL;
	bool nowhere = f->cls == NULL || !ty_any(p, TS_ANY_METHOD, f->name);

	if (nowhere)
		vc_report_as(k->c, tier(f), VC_W1036, name_of(node, f->at),
			"no class declares a method \"%s\"", f->name);
	else
		vc_report_as(k->c, tier(f), VC_W1036, name_of(node, f->at),
			"class \"%s\" has no method \"%s\"", f->cls->name, f->name);
	if (near == NULL && nowhere)
		near = vt_nearest(f->name, k->method_names.v, k->method_names.n);
	if (ck_is_registry_function(k, f->name))
		vc_hint(k->c, "it is a function: %s(...)", f->name);
	else if (ck_is_of_other_format(k, f->name))
		vc_hint(k->c, "it belongs to another Format than the %u.%u of this package",
			k->pkg->format / 100, k->pkg->format % 100);
	else if (near)
		vc_did_you_mean(k->c, "\"%s\"", near);
	else if (f->cls && ty_property(p, f->cls, f->name))
		vc_hint(k->c, "it is a property: write it without brackets");
}

static void
wrong_receiver(ck *k, const ynode *node, const ty_fault *f)
{
	vc_types *p = ty_program(k->c);
	const uint32_t listed = VC_K_LIST | VC_K_ITER | VC_K_SET;

	vc_report(k->c, VC_W1045, name_of(node, f->at), "%s has no method \"%s\"",
		ty_text(k->c, f->recv), f->name);
	if (f->method) {
		declared_at(k, f);
		vc_hint(k->c, "it is called on an object; only methods of Usage: Static are called "
			      "on a class");
	} else if (!(f->recv.kinds & ~(listed | VC_K_NULL)) && ty_any(p, TS_ANY_METHOD, f->name))
		vc_hint(k->c, "to call it on each item: .select($.%s(...))", f->name);
	else if (ck_is_registry_function(k, f->name) && !ck_is_registry_method(k, f->name))
		vc_hint(k->c, "it is a function: %s(...)", f->name);
}

static void
wrong_count(ck *k, const ynode *node, const ty_fault *f)
{
	const char *what = f->is_method ? "method" : "function";

	if (f->most == UINT32_MAX)
		vc_report(k->c, VC_W1041, name_of(node, f->at),
			"%s \"%s\" takes at least %u argument%s, not %u", what, f->name, f->least,
			f->least == 1 ? "" : "s", f->given);
	else if (f->least == f->most)
		vc_report(k->c, VC_W1041, name_of(node, f->at),
			"%s \"%s\" takes %u argument%s, not %u", what, f->name, f->most,
			f->most == 1 ? "" : "s", f->given);
	else
		vc_report(k->c, VC_W1041, name_of(node, f->at),
			"%s \"%s\" takes %u to %u arguments, not %u", what, f->name, f->least,
			f->most, f->given);
	declared_at(k, f);
}

static void
wrong_keyword(ck *k, const ynode *node, const ty_fault *f)
{
	const char **names = NULL, *near;
	uint32_t n = 0;

	if (f->want) {
		vc_report(k->c, VC_W1042, span_of(node, f->at),
			"argument \"%s\" of method \"%s\" is given twice: by place and by name",
			f->param, f->name);
		declared_at(k, f);
		return;
	}
	vc_report(k->c, VC_W1042, span_of(node, f->at), "%s \"%s\" has no argument \"%s\"",
		f->is_method ? "method" : "function", f->name, f->param);
	declared_at(k, f);
	for (uint32_t i = 0; f->method && i < f->method->nargs; i++)
		if (f->method->args[i].usage == MPL_STANDARD)
			vc_push(k->c, names, n) = f->method->args[i].name;
	if ((near = vt_nearest(f->param, names, n)))
		vc_did_you_mean(k->c, "\"%s\"", near);
	else if (n == 1)
		vc_hint(k->c, "its argument is \"%s\"", names[0]);
}

static void
wrong_type(ck *k, const ynode *node, const ty_fault *f)
{
	if (f->property)
		vc_report(k->c, VC_W1043, span_of(node, f->at),
			"property \"%s\" of class \"%s\" does not take %s: %s refuses it", f->param,
			f->cls->name, ty_text(k->c, f->got), f->want);
	else if (f->method)
		vc_report(k->c, VC_W1043, span_of(node, f->at),
			"argument \"%s\" of method \"%s\" does not take %s: %s refuses it",
			f->param, f->name, ty_text(k->c, f->got), f->want);
	else
		vc_report(k->c, VC_W1043, span_of(node, f->at),
			"argument \"%s\" of \"%s\" is %s, where %s is wanted", f->param, f->name,
			ty_text(k->c, f->got), f->want);
	declared_at(k, f);
}

/* An operand that is a word without a dollar, or NULL. */
static const yq_node *
bare_operand(const yq_node *e)
{
	for (uint32_t i = 0; i < e->n; i++)
		if (yq_unwrap(e->kid[i])->kind == YQ_KEYWORD)
			return yq_unwrap(e->kid[i]);
	return NULL;
}

static void
wrong_operands(ck *k, const ynode *node, const ty_fault *f)
{
	bool unary = f->at->kind == YQ_UNARY;

	if (unary)
		vc_report(k->c, VC_W1044, name_of(node, f->at), "operator %s does not take %s",
			f->name, ty_text(k->c, f->recv));
	else
		vc_report(k->c, VC_W1044, name_of(node, f->at),
			"operator %s does not take %s and %s", f->name, ty_text(k->c, f->recv),
			ty_text(k->c, f->got));
	const yq_node *word = bare_operand(f->at);
	if (word)
		vc_hint(k->c, "a word without $ is a text; the variable is $%s, the property $.%s",
			word->text, word->text);
	else if (strcmp(f->name, "+") == 0 &&
		 (f->recv.kinds == VC_K_STR || f->got.kinds == VC_K_STR))
		vc_hint(k->c, "str() makes text of a value; format() puts several together");
	else if (!unary && f->recv.kinds == VC_K_STR && f->got.kinds & VC_K_INT)
		vc_hint(k->c, "int() makes a number of a text");
}

/* What somebody means who writes words with dots and no quotes around that byte: a class whose name
 * is one of those, or ends with a capital letter's word, or another text. */
static void
hint_at_quotes(ck *k, const ynode *node, uint32_t at)
{
	const char *name =
		node->kind == YN_SCALAR ? yq_bare_name(k->c, node->text, node->ntext, at) : NULL;

	if (!name)
		return;
	if (isupper((unsigned char)strrchr(name, '.')[1]) || vc_find_class(k->c, k->pkg, name))
		vc_hint(k->c, "the name of a class in full stands in quotes: \"%s\"", name);
	else
		vc_hint(k->c,
			"a text with dots stands in quotes: \"%s\"; a property or variable begins "
			"with $",
			name);
}

/* Some other class of the program has the property. */
static void
hint_at_class(ck *k, const char *name)
{
	const void **slot =
		ty_slot(k->c, &ty_program(k->c)->names, NULL, TS_ANY_PROPERTY, name, false);
	const mpl_property *p = slot ? *slot : NULL;

	if (p && p->cls)
		vc_hint(k->c, "it is a property of class \"%s\"", p->cls->name);
}

static void
no_property(ck *k, const ynode *node, const ty_fault *f)
{
	const uint32_t bits = f->recv.kinds & ~(uint32_t)VC_K_NULL;
	const char *near;

	if (f->cls == NULL) {
		vc_report_as(k->c, tier(f), VC_W1040, span_of(node, f->at),
			"%s has no property \"%s\"", ty_text(k->c, f->recv), f->name);
		if (bits == VC_K_STR && strcmp(f->name, "len") == 0)
			vc_hint(k->c, "it is a method: .len()");
		else if (bits == VC_K_STR)
			hint_at_quotes(k, node, f->at->from);
		return;
	}
	vc_report_as(k->c, tier(f), VC_W1040, span_of(node, f->at),
		"class \"%s\" has no %sproperty \"%s\"", f->cls->name,
		f->recv.kinds == VC_K_TYPE ? "static " : "", f->name);
	if (f->property) {
		declared_at(k, f);
		vc_hint(k->c, "it belongs to each object of the class; Usage: Static would make it "
			      "the class's");
		return;
	}
	if (ty_method(ty_program(k->c), f->cls, f->name))
		vc_hint(k->c, "it is a method: %s()", f->name);
	else if ((near = ty_near(ty_program(k->c), f->cls, f->name, false)))
		vc_did_you_mean(k->c, "\"%s\"", near);
	else
		hint_at_class(k, f->name);
}

/* `$name = ...` as a statement, which does nothing. */
static bool
is_equation(const ynode *node, const char *name)
{
	size_t n = strlen(name);
	const char *p = node->kind == YN_SCALAR ? node->text : NULL;

	if (!p || *p++ != '$' || strncmp(p, name, n) != 0)
		return false;
	p += n;
	while (*p == ' ')
		p++;
	return *p == '=' && p[1] != '=' && p[1] != '~' && p[1] != '>';
}

static void
no_variable(ck *k, const ynode *node, const vc_typing *t, const ty_fault *f)
{
	const char **names = NULL, *near;
	uint32_t n = 0;

	vc_report(k->c, VC_W1038, span_of(node, f->at),
		"variable \"$%s\" is assigned nowhere in the method, so it is always null",
		f->name);
	for (uint32_t i = 0; i < t->nvars; i++)
		vc_push(k->c, names, n) = t->vars[i].name;
	if (is_equation(node, f->name))
		vc_hint(k->c, "= compares; an assignment is $%s: VALUE", f->name);
	else if ((near = vt_nearest(f->name, names, n)))
		vc_did_you_mean(k->c, "\"$%s\"", near);
	else if (ty_property(t->p, t->cls, f->name))
		vc_hint(k->c, "the property is $.%s", f->name);
}

static void
ignored(ck *k, const ynode *node, const ty_fault *f)
{
	const char *near;

	if (f->property) {
		vc_report(k->c, VC_W1049, span_of(node, f->at),
			"property \"%s\" of class \"%s\" is no input, so this value is dropped",
			f->name, f->cls->name);
		declared_at(k, f);
		return;
	}
	vc_report(k->c, VC_W1049, span_of(node, f->at),
		"class \"%s\" has no property \"%s\", so this value is dropped", f->cls->name,
		f->name);
	if ((near = ty_near(ty_program(k->c), f->cls, f->name, false)))
		vc_did_you_mean(k->c, "\"%s\"", near);
}

static void
no_key(ck *k, const ynode *node, const ty_fault *f)
{
	const ynode *c = f->recv.keys->contract;
	const char **names = NULL, *near;
	uint32_t n = 0;

	vc_report(k->c, f->certain ? VC_W1040 : VC_W1081, span_of(node, f->at),
		f->certain
			? "the Contract of this dict names no key \"%s\", so there is none"
			: "the Contract of this dict names no key \"%s\", so this is always null",
		f->name);
	vc_note(k->c, c->span, "the Contract");
	for (uint32_t i = 0; i < c->n; i++)
		vc_push(k->c, names, n) = c->key[i]->text;
	if ((near = vt_nearest(f->name, names, n)))
		vc_did_you_mean(k->c, "\"%s\"", near);
	else if (ck_is_registry_method(k, f->name))
		vc_hint(k->c, "it is a method: %s()", f->name);
	else
		vc_hint(k->c, "$.string(): $ in the Contract takes any other keys");
}

/* $.name.0 */
static void
no_member(ck *k, const ynode *node, const ty_fault *f)
{
	const uint32_t bits = f->recv.kinds & ~(uint32_t)VC_K_NULL;
	const char *text = node->kind == YN_SCALAR ? vc_strndup(k->c, node->text + f->at->from,
							     f->at->to - f->at->from)
						   : "this";

	vc_report(k->c, VC_W1044, span_of(node, f->at),
		"behind a dot stands a name or a call, and no %s",
		f->at->kind == YQ_NUMBER ? "number" : "constant");
	if (f->at->kind == YQ_STRING)
		vc_hint(k->c, "a key that is a text stands in brackets: [%s]", text);
	else if (f->at->kind == YQ_NUMBER && bits == VC_K_STR)
		vc_hint(k->c, "a character of a text is .substring(%s, 1)", text);
	else if (f->at->kind == YQ_NUMBER)
		vc_hint(k->c, "an item of a list is [%s]", text);
}

static void
no_loop(ck *k, const ynode *node, const ty_fault *f)
{
	const uint32_t bits = f->recv.kinds & ~(uint32_t)VC_K_NULL;

	if (!f->certain) {
		vc_report(k->c, VC_W1080, node->span,
			"For goes through the characters of a text here: it is %s",
			ty_text(k->c, f->recv));
		vc_hint(k->c, "[...] is a list of one; split() takes a text apart; where "
			      "characters are meant, .toCharArray() says so");
		return;
	}
	vc_report(k->c, VC_W1043, node->span, "For goes through a list, and this is %s",
		ty_text(k->c, f->recv));
	if (bits == VC_K_INT)
		vc_hint(k->c, "range(N) gives the numbers from 0 to N - 1; Repeat runs a block N "
			      "times");
	else if (bits)
		vc_hint(k->c, "[...] is a list of one");
}

static void
never_equal(ck *k, const ynode *node, const ty_fault *f)
{
	const char *a = ty_text(k->c, f->recv), *b = ty_text(k->c, f->got);

	if (f->name == NULL)
		vc_report(k->c, VC_W1033, node->span,
			"%s never equals %s, so this case never matches", a, b);
	else
		vc_report(k->c, VC_W1051, span_of(node, f->at),
			"%s never equals %s, so this is always %s", a, b,
			f->name[0] == '!' ? "true" : "false");
	if ((f->recv.kinds | f->got.kinds) & VC_K_STR && (f->recv.kinds | f->got.kinds) & VC_K_INT)
		vc_hint(k->c, "a number in quotes is a text; str() makes text of a number, int() a "
			      "number of a text");
}

void
ck_fault(ck *k, const vc_typing *t, const ynode *node, const ty_fault *f)
{
	/* No more warnings than these are printed, and hints take their time. */
	if (k->ntyped++ >= k->c->limit.max_errors * 4)
		return;
	switch (f->kind) {
	case TF_METHOD: no_method(k, node, f); break;
	case TF_RECEIVER: wrong_receiver(k, node, f); break;
	case TF_COUNT: wrong_count(k, node, f); break;
	case TF_KEYWORD: wrong_keyword(k, node, f); break;
	case TF_TYPE: wrong_type(k, node, f); break;
	case TF_OPERATOR: wrong_operands(k, node, f); break;
	case TF_PROPERTY: no_property(k, node, f); break;
	case TF_VARIABLE: no_variable(k, node, t, f); break;
	case TF_IGNORED: ignored(k, node, f); break;
	case TF_CAST:
		vc_report(k->c, VC_W1043, span_of(node, f->at),
			"an object of class \"%s\" is no \"%s\", so this cast fails", f->cls->name,
			f->name);
		break;
	case TF_INDEX:
		vc_report(k->c, VC_W1044, span_of(node, f->at), "%s cannot be indexed by %s",
			ty_text(k->c, f->recv), ty_text(k->c, f->got));
		if (f->recv.kinds == VC_K_STR && f->got.kinds == VC_K_INT)
			vc_hint(k->c, "a character of a text is .substring(0, 1)");
		break;
	case TF_MISSING:
		vc_report(k->c, VC_W1041, name_of(node, f->at),
			"method \"%s\" lacks its argument \"%s\"", f->name, f->param);
		declared_at(k, f);
		break;
	case TF_KEY: no_key(k, node, f); break;
	case TF_MEMBER: no_member(k, node, f); break;
	case TF_LOOP: no_loop(k, node, f); break;
	case TF_TIMES:
		vc_report(k->c, VC_W1043, node->span, "Repeat takes an integer, and this is %s",
			ty_text(k->c, f->recv));
		break;
	case TF_UNEQUAL: never_equal(k, node, f); break;
	case TF_REQUIRED:
		vc_report(k->c, VC_W1041, name_of(node, f->at),
			"new() lacks property \"%s\" of class \"%s\", which must have a value",
			f->name, f->cls->name);
		declared_at(k, f);
		break;
	}
}

static void
report(void *who, const ynode *node, const ty_fault *f)
{
	typed *w = who;

	ck_fault(w->k, w->t, node, f);
}

/* ---- assignments ---- */

static const yq_node *
member_of(const yq_node *e)
{
	e = yq_unwrap(e);
	return e->kind == YQ_BINARY && strcmp(e->text, ".") == 0 && e->n == 2 &&
			       e->kid[1]->kind == YQ_KEYWORD
		       ? e
		       : NULL;
}

/* $.x: v, where the contract of x surely refuses v. */
static void
value_fits(typed *w, const mpl_stmt *s, const mpl_property *p, vc_type type)
{
	ty_misfit why;
	ty_value v = {.type = type, .y = s->b};

	if (s->b && s->b->kind == YN_SCALAR && s->b->is_expr) {
		v.y = NULL;
		v.q = s->b->expr && s->b->expr->kind <= YQ_KEYWORD ? s->b->expr : NULL;
	}
	if (s->b == NULL || type.kinds == 0 ||
		ty_contract(w->t->p, p->cls, p->contract, v, &why).kinds)
		return;
	vc_report(w->k->c, VC_W1043, why.at ? why.at->span : s->b->span,
		"property \"%s\" does not take this value: %s refuses it", p->name, why.what);
	vc_note(w->k->c, p->span, "its Contract is in class \"%s\"", p->cls->name);
}

/* A property of another object is written by its own class only. */
static void
foreign_write(typed *w, const mpl_stmt *s, const yq_node *e, const vc_type base)
{
	ck *k = w->k;
	const mpl_property *p;

	if (base.kinds & ~(uint32_t)(VC_K_OBJECT | VC_K_NULL) || !(base.kinds & VC_K_OBJECT) ||
		base.cls == NULL)
		return;
	if (strcmp(k->method->name, ".init") == 0 || ty_meet(w->t->p, base.cls, k->cls))
		return;
	p = ty_property(w->t->p, base.cls, e->kid[1]->text);
	vc_report(k->c, VC_W1029, span_of(s->a, e),
		"property \"%s\" of another object cannot be written from class \"%s\"",
		e->kid[1]->text, k->cls->name);
	if (p && p->span.src && !p->cls->native)
		vc_note(k->c, p->span, "declared in class \"%s\"", p->cls->name);
	vc_hint(k->c, "only methods of its own class may; give class \"%s\" a method that does it",
		base.cls->name);
}

/* Does the file say the name anywhere but in front of a colon? Only code of the class reads such a
 * field. */
static bool
may_be_read(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; (p = strstr(p, name)) != NULL; p += n) {
		bool inside = (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_')) ||
			      isalnum((unsigned char)p[n]) || p[n] == '_';
		if (!inside && p[n + strspn(p + n, " \"'")] != ':')
			return true;
	}
	return false;
}

/* A private field that no file of the program reads. */
static void
unread_field(ck *k, const mpl_stmt *s, const yq_node *e)
{
	enum { MOST = 1 << 27 };
	const char *name = e->kid[1]->text;

	if (k->searched > MOST)
		return;
	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; n < k->pkgs[i]->nclasses; n++) {
			const vc_source *src = k->pkgs[i]->classes[n]->src;
			bool again = n > 0 && k->pkgs[i]->classes[n - 1]->src == src;
			if (k->pkgs[i]->builtin || src == NULL || src->text == NULL || again)
				continue;
			k->searched += src->n;
			if (may_be_read(src->text, name))
				return;
		}
	vc_report(k->c, VC_W1065, span_of(s->a, e), "nothing reads \"$.%s\"", name);
}

/* What a class writes under a name that it does not declare is its own affair; but not where
 * nothing reads it, and a property has nearly that name. */
static void
misspelt_field(typed *w, const mpl_stmt *s, const yq_node *e)
{
	ck *k = w->k;
	const char *name = e->kid[1]->text, *near = ty_near(w->t->p, k->cls, name, false);

	if (near == NULL && name[0] == '_')
		unread_field(k, s, e);
	if (near == NULL || may_be_read(k->cls->src->text, name))
		return;
	vc_report_as(k->c, VC_WARNING, VC_W1039, span_of(s->a, e),
		"nothing reads \"$.%s\", which is no property of class \"%s\"", name, k->cls->name);
	vc_did_you_mean(k->c, "\"%s\"", near);
}

static void
assigned(void *who, const mpl_stmt *s, vc_type type)
{
	typed *w = who;
	const yq_node *e = s->a->expr ? member_of(s->a->expr) : NULL;
	const mpl_property *p;
	void (*fault)(void *, const ynode *, const ty_fault *) = w->t->fault;
	vc_type base;

	if (e == NULL || w->k->method == NULL)
		return;
	if (ck_is_this(w->k, e->kid[0])) {
		p = ty_property(w->t->p, w->k->cls, e->kid[1]->text);
		if (p && w->k->method->usage != MPL_M_EXTENSION)
			value_fits(w, s, p, type);
		else if (p == NULL && ty_whole(w->t->p, w->k->cls) && !w->k->open)
			misspelt_field(w, s, e);
		return;
	}
	w->t->fault = NULL; /* the value below the target is not read as an expression is */
	base = vc_type_of(w->t, s->a, e->kid[0]);
	w->t->fault = fault;
	foreign_write(w, s, e, base);
}

/* ---- methods ---- */

static void
unused_variables(ck *k, const vc_typing *t)
{
	for (uint32_t i = 0; i < t->nvars && !t->broken; i++) {
		const struct ty_var *v = &t->vars[i];
		if (v->read || v->argument || v->loop || !v->at || v->name[0] == '_')
			continue;
		vc_report(k->c, VC_W1039, span_of(v->node, v->at),
			"variable \"$%s\" is assigned, but never read", v->name);
	}
}

static vc_typing *
typing(typed *w, ck *k, const mpl_method *m)
{
	*w = (typed){.k = k};
	w->t = vc_typing_new(k->c, k->cls, m);
	w->t->open = k->open;
	w->t->fault = report;
	w->t->assign = assigned;
	w->t->who = w;
	return w->t;
}

void
ck_method_types(ck *k, const mpl_method *m)
{
	typed w;
	vc_typing *t = typing(&w, k, m);

	ty_statements(t, m->body, m->nbody);
	unused_variables(k, t);
	if (!t->broken) {
		ck_flow(k, m);
		ck_uses(k, m, t);
		ck_locks(k, m, t);
	}
}

/* ---- Default and Contract ---- */

static void
default_fits(ck *k, const ynode *contract, const ynode *dflt, const char *what, const char *name)
{
	typed w;
	vc_typing *t = typing(&w, k, NULL);
	ty_misfit why;
	ty_value v = {.type = ty_value_type(t, dflt), .y = dflt};

	if (dflt->kind == YN_SCALAR && dflt->is_expr) {
		v.y = NULL;
		v.q = dflt->expr && dflt->expr->kind <= YQ_KEYWORD ? dflt->expr : NULL;
	}
	if (contract == NULL || ty_contract(t->p, k->cls, contract, v, &why).kinds)
		return;
	vc_report(k->c, VC_W1046, why.at ? why.at->span : dflt->span,
		"the Default of %s \"%s\" violates its Contract: %s refuses %s", what, name,
		why.what ? why.what : "it", mpl_show(k->c, why.at ? why.at : dflt));
	vc_note(k->c, contract->span, "the Contract");
	if (why.detail)
		vc_hint(k->c, "%s", why.detail);
}

/* check($ > 5 and $ < 3) */
static bool
check_never(const yq_node *e, const yq_node **at)
{
	if (e->kind == YQ_CALL && strcmp(e->text, "check") == 0 && e->n > 0 &&
		ck_contradicts(e->kid[0], at))
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (check_never(e->kid[i], at))
			return true;
	return false;
}

/* What the contract functions before check() make of a value, by their names. */
static uint32_t
kinds_before(const yq_node *e)
{
	static const struct {
		const char *name;
		uint32_t kinds;
	} made[] = {{"int", VC_K_INT}, {"string", VC_K_STR}, {"bool", VC_K_BOOL}};

	for (e = yq_unwrap(e); e->kind == YQ_BINARY && strcmp(e->text, ".") == 0;
		e = yq_unwrap(e->kid[0]))
		for (size_t i = 0; i < VC_LEN(made); i++)
			if (e->kid[1]->kind == YQ_CALL &&
				strcmp(e->kid[1]->text, made[i].name) == 0)
				return made[i].kinds;
	return 0;
}

/* $ > 'a' or len($) in the check() of an integer. */
static void
predicate(ck *k, const ynode *contract, const yq_node *e, uint32_t kinds)
{
	typed w;
	vc_typing *t = typing(&w, k, NULL);

	t->dollar = ty_make(kinds);
	(void)vc_type_of(t, contract, e);
}

static void
predicates(ck *k, const ynode *contract, const yq_node *e)
{
	if (e->kind == YQ_BINARY && strcmp(e->text, ".") == 0 && e->kid[1]->kind == YQ_CALL &&
		strcmp(e->kid[1]->text, "check") == 0 && e->kid[1]->n > 0) {
		uint32_t kinds = kinds_before(e->kid[0]);
		if (kinds)
			predicate(k, contract, e->kid[1]->kid[0], kinds);
	}
	for (uint32_t i = 0; i < e->n; i++)
		predicates(k, contract, e->kid[i]);
}

/* Contract functions that exclude each other: nothing, or null only, passes. */
static bool
contract_passes(ck *k, const ynode *contract, const char *what, const char *name)
{
	ty_misfit why;
	vc_type t;
	const yq_node *at;

	if (contract == NULL || contract->kind != YN_SCALAR || !contract->is_expr ||
		contract->expr == NULL)
		return true;
	predicates(k, contract, contract->expr);
	if (check_never(contract->expr, &at)) {
		vc_report(k->c, VC_W1047, span_of(contract, at),
			"the Contract of %s \"%s\" takes no value at all: the parts of its check() "
			"exclude each other",
			what, name);
		return false;
	}
	t = ty_contract(
		ty_program(k->c), k->cls, contract, (ty_value){.type = {.kinds = VC_K_ALL}}, &why);
	if (t.kinds != 0 && t.kinds != VC_K_NULL)
		return true;
	vc_report(k->c, VC_W1047, contract->span, "the Contract of %s \"%s\" takes %s", what, name,
		t.kinds ? "null only" : "no value at all");
	vc_hint(k->c, "its functions exclude each other: each gets what the one before it made");
	return false;
}

void
ck_declared_value(
	ck *k, const ynode *contract, const ynode *dflt, const char *what, const char *name)
{
	if (contract_passes(k, contract, what, name) && dflt)
		default_fits(k, contract, dflt, what, name);
}

/* What is attached: values of the Meta class's properties. */
void
ck_meta_values(ck *k, const mpl_class *meta, const ynode *values)
{
	vc_types *p = ty_program(k->c);

	for (uint32_t i = 0; values->kind == YN_MAP && i < values->n; i++) {
		const ynode *key = values->key[i], *v = values->item[i];
		const mpl_property *own = key->kind == YN_SCALAR && !key->is_expr
						  ? ty_property(p, meta, key->text)
						  : NULL;
		const char *near;
		ty_misfit why;
		if (own == NULL && key->kind == YN_SCALAR && !key->is_expr && ty_whole(p, meta)) {
			vc_report(k->c, VC_W1049, key->span,
				"class \"%s\" has no property \"%s\", so this value is dropped",
				meta->name, key->text);
			if ((near = ty_near(p, meta, key->text, false)))
				vc_did_you_mean(k->c, "\"%s\"", near);
		}
		if (own == NULL || !own->contract || v->kind != YN_SCALAR || v->is_expr)
			continue;
		typed w;
		ty_value in = {.type = ty_value_type(typing(&w, k, NULL), v), .y = v};
		if (ty_contract(p, own->cls, own->contract, in, &why).kinds)
			continue;
		vc_report(k->c, VC_W1043, v->span,
			"property \"%s\" of class \"%s\" does not take this value: %s refuses it",
			own->name, meta->name, why.what ? why.what : "its Contract");
	}
}

/* ---- overriding ---- */

static const mpl_method *
overridden(vc_types *p, const ck *k, const mpl_method *m)
{
	for (uint32_t i = 0; i < k->cls->nparents; i++) {
		const mpl_method *up =
			k->cls->parent[i] ? ty_method(p, k->cls->parent[i], m->name) : NULL;
		if (up)
			return up;
	}
	return NULL;
}

static bool
takes_rest(const mpl_method *m, uint8_t usage)
{
	for (uint32_t i = 0; i < m->nargs; i++)
		if (m->args[i].usage == usage)
			return true;
	return false;
}

static uint32_t
positional(const mpl_method *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nargs; i++)
		n += m->args[i].usage == MPL_STANDARD;
	return n;
}

static uint32_t
required(vc_types *p, const mpl_method *m)
{
	uint32_t n = 0;
	ty_misfit why;

	for (uint32_t i = 0; i < m->nargs; i++) {
		const mpl_argument *a = &m->args[i];
		n += a->usage == MPL_STANDARD && !a->dflt &&
		     !ty_contract(
			     p, m->cls, a->contract, (ty_value){.type = {.kinds = VC_K_NULL}}, &why)
			      .kinds;
	}
	return n;
}

/* A call that suits the ancestor's declaration must suit this one: code knows objects by their
 * ancestors. */
void
ck_override(ck *k, const mpl_method *m)
{
	vc_types *p = ty_program(k->c);
	const mpl_method *up = m->name[0] == '.' ? NULL : overridden(p, k, m);
	uint32_t most, least;

	if (up == NULL || up->native || m->native)
		return;
	most = positional(m);
	least = required(p, m);
	if (least > positional(up) && !takes_rest(up, MPL_VARARGS))
		vc_report(k->c, VC_W1048, m->span,
			"method \"%s\" needs %u arguments, but the one it overrides takes %u at "
			"most",
			m->name, least, positional(up));
	else if (required(p, up) > most && !takes_rest(m, MPL_VARARGS))
		vc_report(k->c, VC_W1048, m->span,
			"method \"%s\" takes %u argument%s at most, but the one it overrides needs "
			"%u",
			m->name, most, most == 1 ? "" : "s", required(p, up));
	else
		return;
	vc_note(k->c, up->span, "declared in class \"%s\"", up->cls->name);
	vc_hint(k->c, "a call that suits one of them never suits the other; give the new arguments "
		      "a Default, or the method another name");
}

/*
 * sites.c - places of expressions that can never do what they say: patterns that are no regular
 * expressions, extensions of classes that the file does not import.
 */
#include "compiler/check/int.h"
#include "compiler/check/types.h"

#include <string.h>

static bool
is_op(const yq_node *e, const char *op)
{
	return (e->kind == YQ_BINARY || e->kind == YQ_UNARY) && strcmp(e->text, op) == 0;
}

/* ---- patterns ---- */

static void
pattern(ck *k, const ynode *node, const yq_node *e)
{
	const yq_node *text = yq_unwrap(e);
	char *why;

	if (text->kind != YQ_STRING || k->c->bad_pattern == NULL)
		return;
	why = k->c->bad_pattern(k->c, text->text, text->ntext);
	if (why != NULL)
		vc_report(k->c, VC_W1075, yn_subspan(node, text->from, text->to),
			"this is no regular expression: %s", why);
}

/* regex(pattern), and with further arguments; other methods of that name are not the library's. */
static void
pattern_call(ck *k, const ynode *node, const yq_node *e)
{
	const yq_node *arg = e->n > 0 ? e->kid[0] : NULL;

	if (arg != NULL && strcmp(e->text, "regex") == 0 && arg->kind != YQ_MAPPING &&
		!ck_has(&k->method_names, "regex"))
		pattern(k, node, arg);
}

/* ---- extensions ---- */

static bool
imports(const mpl_class *cls, const char *fqn)
{
	for (uint32_t i = 0; i < cls->nimports; i++)
		if (strcmp(cls->imports[i], fqn) == 0)
			return true;
	return false;
}

/* The class's own file, or one of a class that it extends, brings the class in. */
static bool
sees(const ck *k, const mpl_class *owner)
{
	if (imports(k->cls, owner->name) || strcmp(k->cls->name, owner->name) == 0)
		return true;
	for (uint32_t i = 0; i < k->nline; i++)
		if (k->line[i] == owner || imports(k->line[i], owner->name))
			return true;
	return false;
}

/* Only as an extension could a value have the method: no class declares it, nor does the library.
 */
static bool
only_extends(ck *k, vc_types *p, const char *name, const mpl_class **owner)
{
	*owner = NULL;
	for (uint32_t i = 0; i < p->nall; i++)
		for (uint32_t m = 0; m < p->all[i]->nmethods; m++) {
			const mpl_method *method = p->all[i]->methods[m];
			if (strcmp(method->name, name) != 0)
				continue;
			if (method->usage != MPL_M_EXTENSION || sees(k, p->all[i]))
				return false;
			*owner = p->all[i];
		}
	return *owner != NULL && !ck_is_registry_method(k, name) && !ck_is_of_other_format(k, name);
}

/* Objects may be of a class from elsewhere that has the method. */
static bool
is_no_object(vc_typing *t, const ynode *node, const yq_node *e)
{
	void (*fault)(void *, const ynode *, const ty_fault *) = t->fault;
	vc_type type;

	t->fault = NULL;
	type = vc_type_of(t, node, e);
	t->fault = fault;
	return type.kinds != 0 &&
	       !(type.kinds & (VC_K_OBJECT | VC_K_TYPE | VC_K_REFLECT | VC_K_OTHER));
}

static void
extension(ck *k, vc_typing *t, const ynode *node, const yq_node *e)
{
	const yq_node *call = e->kid[1];
	const mpl_class *owner;

	if (!ty_any(t->p, TS_EXTENSION, call->text) || !only_extends(k, t->p, call->text, &owner) ||
		!is_no_object(t, node, e->kid[0]))
		return;
	for (uint32_t i = 0; i < k->nline; i++)
		if (!ty_whole(t->p, k->line[i]))
			return;
	vc_report(k->c, VC_W1076, yn_subspan(node, call->op_at, call->op_at + call->ntext),
		"\"%s\" is an extension of class \"%s\", which is not imported here", call->text,
		owner->name);
	vc_hint(k->c, "add Import: %s", owner->name);
}

void
ck_site(ck *k, vc_typing *t, const ynode *node, const yq_node *e)
{
	if (is_op(e, "=~") || is_op(e, "!~"))
		pattern(k, node, e->kid[1]);
	if (e->kind == YQ_CALL)
		pattern_call(k, node, e);
	if ((is_op(e, ".") || is_op(e, "?.")) && e->n == 2 && e->kid[1]->kind == YQ_CALL)
		extension(k, t, node, e);
}

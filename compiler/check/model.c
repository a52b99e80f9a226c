/*
 * model.c - an object model against the classes: `vetro check --model`; and what a form makes.
 *
 * The model is JSON, or YAML, with places: {"?": {"type", "id"}, property: value...}.  What does
 * not load is an error of its place; what the loader drops is a warning.  What a form makes has
 * expressions as well: of some the form tells what they may give.
 */
#include "compiler/check/int.h"
#include "compiler/check/types.h"
#include "compiler/murano/package.h"

#include <string.h>

enum { DEPTH = 100 };

typedef struct known {
	const char *id;
	const ynode *at;
	const mpl_class *cls;
} known;

typedef struct model {
	vc *c;
	vc_types *p;
	mpl_package *pkg;
	ty_map ids;               /* id -> known */
	ty_map asked;             /* templates whose properties were looked at */
	const mpl_template *made; /* by a form; NULL: a model */
	const yq_node *but; /* $.template() of the contract at hand, which may leave some out */
	const ynode *root;
	bool part; /* the root is a template: what it must have is looked at where it goes */
	/* the keys of the mapping whose members were asked for last, where there are many */
	const ynode *wide;
	const char **keys;
	uint32_t *at; /* in the mapping */
	uint32_t nkeys;
	vc_index index;
} model;

static void value_fits(model *, const mpl_class *, const ynode *contract, const ynode *v,
	const mpl_property *, int depth);
static void object(model *, const ynode *, const mpl_class *, int depth);
static void required(model *, const ynode *at, const ynode *v, const mpl_class *, int depth);

static const ynode *
member(const ynode *map, const char *name)
{
	for (uint32_t i = 0; map && map->kind == YN_MAP && i < map->n; i++)
		if (map->key[i]->kind == YN_SCALAR && strcmp(map->key[i]->text, name) == 0)
			return map->item[i];
	return NULL;
}

/* The same for one that is asked for every property of a class. */
static const ynode *
property_of(model *m, const ynode *map, const char *name)
{
	uint32_t i;

	if (map->kind != YN_MAP || map->n < 16)
		return member(map, name);
	if (m->wide != map) {
		m->wide = map;
		m->keys = vc_alloc(m->c, map->n * sizeof *m->keys);
		m->at = vc_alloc(m->c, map->n * sizeof *m->at);
		m->index = (vc_index){0};
		m->nkeys = 0;
		for (i = 0; i < map->n; i++)
			if (map->key[i]->kind == YN_SCALAR) {
				m->keys[m->nkeys] = map->key[i]->text;
				m->at[m->nkeys++] = i;
			}
	}
	i = vc_index_of(m->c, &m->index, m->keys, m->nkeys, name);
	return i != UINT32_MAX ? map->item[m->at[i]] : NULL;
}

static const char *
text_of(const ynode *y)
{
	return y && y->kind == YN_SCALAR ? y->text : NULL;
}

/* ---- classes of objects ---- */

static const ynode *
type_node(const ynode *v)
{
	return member(member(v, "?"), "type");
}

/* The class of a main package whose last word the name is, or NULL. */
static const char *
full_name(const model *m, const char *name)
{
	for (uint32_t i = 0; i < m->p->nall && !strchr(name, '.'); i++) {
		const char *full = m->p->all[i]->name, *dot = strrchr(full, '.');
		if (dot && strcmp(dot + 1, name) == 0 && !m->p->all[i]->native)
			return full;
	}
	return NULL;
}

static void
no_class(model *m, const ynode *type, const char *fqn)
{
	const char **names = NULL, *near;
	uint32_t count = 0, packages;
	mpl_package **all = vc_packages(m->c, &packages);

	for (uint32_t i = 0; i < m->pkg->nabsent; i++)
		if (strcmp(m->pkg->absent[i], fqn) == 0)
			return; /* its file is torn, which is reported */
	for (uint32_t i = 0; i < m->pkg->nrequire; i++) {
		bool there = false;
		for (uint32_t k = 0; k < packages; k++)
			there |= strcmp(all[k]->name, m->pkg->require[i].name) == 0;
		if (!there)
			return; /* the class may be in what is missing */
	}
	vc_report(m->c, VC_W1066, type->span, "class \"%s\" is not found", fqn);
	for (uint32_t i = 0; i < m->p->nall; i++)
		vc_push(m->c, names, count) = m->p->all[i]->name;
	if ((near = full_name(m, fqn)))
		vc_hint(m->c, "a model names classes in full: \"%s\"", near);
	else if ((near = vt_nearest(fqn, names, count)))
		vc_did_you_mean(m->c, "\"%s\"", near);
}

/* The class in a version that the object asks for; NULL: there is none. */
static const mpl_class *
in_version(model *m, const mpl_class *cls, const char *spec)
{
	uint32_t n;
	mpl_package **all = vc_packages(m->c, &n);

	if (!cls->pkg || cls->pkg->builtin || vc_version_in(m->c, cls->pkg->version, spec))
		return cls;
	for (uint32_t i = 0; i < n; i++) {
		const mpl_class *other = vc_find_class(m->c, all[i], cls->name);
		if (other && other->pkg == all[i] && vc_version_in(m->c, all[i]->version, spec))
			return other;
	}
	return NULL;
}

/* An object's class: TYPE, TYPE/VERSION or TYPE/VERSION@PACKAGE, with the version there or in
   `classVersion`.  Forms leave it out, and the dashboard gives it. */
static const mpl_class *
class_of(model *m, const ynode *v, bool tell)
{
	const ynode *type = type_node(v);
	const char *text = text_of(type), *slash, *at, *spec;
	const mpl_class *cls, *fits;

	if (text == NULL || type->is_expr)
		return NULL;
	slash = strchr(text, '/');
	at = strchr(text, '@');
	const char *fqn = vc_format(m->c, "%.*s",
		(int)(slash  ? (size_t)(slash - text)
			: at ? (size_t)(at - text)
			     : strlen(text)),
		text);
	cls = vc_find_class(m->c, m->pkg, fqn);
	if (cls == NULL && tell)
		no_class(m, type, fqn);
	spec = text_of(member(member(v, "?"), "classVersion"));
	if (slash)
		spec = vc_format(m->c, "%.*s",
			(int)(at > slash ? (size_t)(at - slash - 1) : strlen(slash + 1)),
			slash + 1);
	if (cls == NULL || (m->made && !spec))
		return cls;
	fits = in_version(m, cls, spec ? spec : "");
	if (fits == NULL && tell) {
		vc_report(m->c, VC_W1066, type->span,
			"the package of class \"%s\" is of version %s%s", fqn, cls->pkg->version,
			spec ? "" : ", and a type without a version means one below 1");
		if (!spec)
			vc_hint(m->c, "write \"%s/%s\"", fqn, cls->pkg->version);
	}
	return fits ? fits : cls;
}

/* ---- ids ---- */

static void
collect(model *m, const ynode *v, int depth)
{
	const ynode *id = member(member(v, "?"), "id");
	const void **slot;

	if (depth > DEPTH)
		return;
	if (text_of(id)) {
		known *k;
		slot = ty_slot(m->c, &m->ids, NULL, 0, id->text, true);
		if (*slot) {
			vc_report(m->c, VC_W1067, id->span,
				"the id \"%s\" stands twice: the later object wins", id->text);
			vc_note(m->c, ((const known *)*slot)->at->span, "the other one");
		}
		k = vc_alloc(m->c, sizeof *k);
		*k = (known){id->text, id, class_of(m, v, false)};
		*slot = k;
	}
	for (uint32_t i = 0; (v->kind == YN_MAP || v->kind == YN_SEQ) && i < v->n; i++)
		collect(m, v->item[i], depth + 1);
}

/* ---- values ---- */

/* The class that a contract asks for: $.class(X), $.template(X), with more behind. */
static const mpl_class *
wanted(model *m, const mpl_class *from, const yq_node *e)
{
	const yq_node *arg;

	m->but = NULL;
	for (e = e ? yq_unwrap(e) : NULL; e && e->kind == YQ_BINARY && strcmp(e->text, ".") == 0;
		e = yq_unwrap(e->kid[0])) {
		const yq_node *call = e->kid[1];
		if (call->kind != YQ_CALL || call->n == 0 ||
			(strcmp(call->text, "class") != 0 && strcmp(call->text, "template") != 0))
			continue;
		arg = yq_unwrap(call->kid[0]);
		m->but = strcmp(call->text, "template") == 0 ? call : NULL;
		if (arg->kind == YQ_KEYWORD || arg->kind == YQ_STRING)
			return ty_class(m->p, from, arg->text);
		if (arg->kind == YQ_UNARY)
			return ty_class(m->p, from, vc_format(m->c, ":%s", arg->kid[0]->text));
		if (arg->kind == YQ_BINARY && arg->n == 2)
			return ty_class(m->p, from,
				vc_format(m->c, "%s:%s", arg->kid[0]->text, arg->kid[1]->text));
	}
	return NULL;
}

static void
wrong_class(model *m, const ynode *v, const mpl_class *got, const mpl_class *want)
{
	if (got == NULL || ty_extends(m->p, got, want) || !ty_whole(m->p, got) ||
		ty_versions_meet(m->p, got, want, NULL))
		return;
	vc_report(m->c, VC_W1066, v->span,
		"an object of class \"%s\", where one of \"%s\" is wanted", got->name, want->name);
}

/* An object, or the id of one. */
static void
object_fits(model *m, const mpl_class *want, const ynode *v, int depth)
{
	const void **slot;

	if (v->kind == YN_MAP) {
		if (type_node(v))
			wrong_class(m, type_node(v), class_of(m, v, false), want);
		object(m, v, want, depth + 1);
		return;
	}
	if (v->kind != YN_SCALAR || v->type != YT_STR || m->made)
		return; /* an application of the environment may have that id */
	slot = ty_slot(m->c, &m->ids, NULL, 0, v->text, false);
	if (slot == NULL)
		vc_report(m->c, VC_W1066, v->span, "no object has the id \"%s\"", v->text);
	else
		wrong_class(m, v, ((const known *)*slot)->cls, want);
}

/* Or expressions, of which nobody knows what they give. */
static bool
has_objects(const ynode *v, int depth)
{
	if (depth > DEPTH || type_node(v) || (v->kind == YN_SCALAR && v->is_expr))
		return true;
	for (uint32_t i = 0; (v->kind == YN_MAP || v->kind == YN_SEQ) && i < v->n; i++)
		if (has_objects(v->item[i], depth + 1))
			return true;
	return false;
}

static vc_type
kind_of(const ynode *v)
{
	if (v->kind == YN_MAP)
		return ty_make(VC_K_DICT);
	if (v->kind == YN_SEQ)
		return ty_make(VC_K_LIST);
	switch ((enum yn_type)v->type) {
	case YT_NULL: return ty_make(VC_K_NULL);
	case YT_BOOL: return ty_make(VC_K_BOOL);
	case YT_INT: return ty_make(VC_K_INT);
	case YT_FLOAT: return ty_make(VC_K_FLOAT);
	case YT_STR: return ty_make(VC_K_STR);
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: break;
	}
	return ty_make(VC_K_STR);
}

static bool
refused(model *m, const mpl_class *cls, const ynode *contract, const ynode *v, ty_misfit *why)
{
	ty_value in = {.type = v ? kind_of(v) : ty_make(VC_K_NULL), .y = v};

	return ty_contract(m->p, cls, contract, in, why).kinds == 0;
}

static void
scalar_fits(model *m, const mpl_class *cls, const ynode *contract, const ynode *v,
	const mpl_property *p)
{
	ty_misfit why = {.what = NULL};

	if (!refused(m, cls, contract, v, &why))
		return;
	vc_report(m->c, VC_W1066, why.at ? why.at->span : v->span,
		"property \"%s\" does not take this value: %s refuses it", p->name,
		why.what ? why.what : "its Contract");
	if (p->span.src && !cls->native)
		vc_note(m->c, p->span, "declared in class \"%s\"", cls->name);
}

/* What the user picks is refused: the form should not offer it. */
static void
choice_fits(model *m, const mpl_class *cls, const ynode *contract, const ynode *v,
	const mpl_property *p)
{
	ty_misfit why = {.what = NULL};

	if (!refused(m, cls, contract, v, &why))
		return;
	vc_report(m->c, VC_W1068, v->span,
		"property \"%s\" does not take this value: %s refuses it", p->name,
		why.what ? why.what : "its Contract");
	if (p->span.src && !cls->native)
		vc_note(m->c, p->span, "declared in class \"%s\"", cls->name);
}

/* $.template(Class, excludeProperties => [name]): somebody else sets them. */
static bool
is_left_out(const model *m, const char *name)
{
	const yq_node *call = m->but, *list;

	for (uint32_t i = 1; call != NULL && i < call->n; i++) {
		list = call->kid[i]->kind == YQ_MAPPING ? call->kid[i]->kid[1] : call->kid[i];
		list = yq_unwrap(list);
		if (list->kind != YQ_LIST && list->kind != YQ_CALL && list->kind != YQ_INDEX)
			return true; /* nobody knows which */
		for (uint32_t k = 0; k < list->n; k++)
			if (yq_unwrap(list->kid[k])->kind != YQ_KEYWORD &&
				yq_unwrap(list->kid[k])->kind != YQ_STRING)
				return true;
			else if (strcmp(yq_unwrap(list->kid[k])->text, name) == 0)
				return true;
	}
	return false;
}

/* What a template of the form must have depends on where it goes. */
static void
ask_of_template(model *m, const ynode *made)
{
	const void **slot = ty_slot(m->c, &m->asked, made, 0, "", true);

	if (*slot == NULL)
		required(m, made->key[0], made, class_of(m, made, false), 0);
	*slot = made;
}

/* An expression: the objects or values that it may give, where the form knows them. */
static void
made_fits(model *m, const mpl_class *cls, const ynode *contract, const ynode *v,
	const mpl_class *want, const mpl_property *p)
{
	const ynode *one;

	for (uint32_t i = 0; (one = m->made->value(m->made->ctx, v, i)) != NULL; i++)
		if (one->kind == YN_SCALAR && !want)
			choice_fits(m, cls, contract, one, p);
		else if (want && type_node(one)) {
			ask_of_template(m, one);
			wrong_class(m, v, class_of(m, one, false), want);
		}
}

/* [$.int(), 1, 3]: integers behind the items say how many there may be; false: no such bound. */
static bool
list_bound(const ynode *contract, bool upper, int64_t *bound)
{
	uint32_t n = 0;

	while (n < contract->n && n < 2u) {
		const ynode *last = contract->item[contract->n - 1 - n];
		if (last->kind != YN_SCALAR || last->is_expr || last->type != YT_INT || !last->fits)
			break;
		n++;
	}
	if (n < (upper ? 2u : 1u))
		return false;
	*bound = contract->item[contract->n - n + upper]->i;
	return true;
}

static void
list_length(model *m, const ynode *contract, const ynode *v, const mpl_property *p)
{
	int64_t low = 0, high = INT64_MAX;

	if (m->made)
		return; /* items of a form may be expressions that give several, or none */
	list_bound(contract, false, &low);
	list_bound(contract, true, &high);
	if ((int64_t)v->n >= low && (int64_t)v->n <= high)
		return;
	vc_report(m->c, VC_W1066, v->span,
		"property \"%s\" does not take this list of %u: its Contract wants at %s %lld",
		p->name, v->n, (int64_t)v->n < low ? "least" : "most",
		(long long)((int64_t)v->n < low ? low : high));
	if (p->span.src && !p->cls->native)
		vc_note(m->c, p->span, "declared in class \"%s\"", p->cls->name);
}

static void
list_fits(model *m, const mpl_class *cls, const ynode *contract, const ynode *v,
	const mpl_property *p, int depth)
{
	uint32_t last = 0;

	list_length(m, contract, v, p);
	for (uint32_t i = 0; i < contract->n; i++)
		if (contract->item[i]->type != YT_INT || contract->item[i]->is_expr ||
			contract->item[i]->kind != YN_SCALAR)
			last = i;
	for (uint32_t i = 0; contract->n > 0 && i < v->n; i++)
		value_fits(m, cls, contract->item[i < last ? i : last], v->item[i], p, depth + 1);
}

static const ynode *
contract_of_key(const ynode *contract, const char *key)
{
	const ynode *rest = NULL;

	for (uint32_t i = 0; i < contract->n; i++) {
		const ynode *k = contract->key[i];
		if (k->kind == YN_SCALAR && k->is_expr)
			rest = contract->item[i];
		else if (text_of(k) && key && strcmp(k->text, key) == 0)
			return contract->item[i];
	}
	return rest;
}

static void
dict_fits(model *m, const mpl_class *cls, const ynode *contract, const ynode *v,
	const mpl_property *p, int depth)
{
	for (uint32_t i = 0; i < v->n; i++) {
		const ynode *one = contract_of_key(contract, text_of(v->key[i]));
		if (one)
			value_fits(m, cls, one, v->item[i], p, depth + 1);
	}
}

static void
value_fits(model *m, const mpl_class *cls, const ynode *contract, const ynode *v,
	const mpl_property *p, int depth)
{
	const mpl_class *want = contract->kind == YN_SCALAR && contract->is_expr
					? wanted(m, cls, contract->expr)
					: NULL;

	if (depth > DEPTH)
		return;
	if (v->kind == YN_SCALAR && v->is_expr) {
		made_fits(m, cls, contract, v, want, p);
		return;
	}
	if (want && v->kind != YN_SEQ && !(v->kind == YN_SCALAR && v->type == YT_NULL))
		object_fits(m, want, v, depth);
	else if (contract->kind == YN_SEQ && v->kind == YN_SEQ)
		list_fits(m, cls, contract, v, p, depth);
	else if (contract->kind == YN_MAP && v->kind == YN_MAP && has_objects(v, 0))
		dict_fits(m, cls, contract, v, p, depth);
	else if (!has_objects(v, 0))
		scalar_fits(m, cls, contract, v, p);
	else
		object(m, v, NULL, depth + 1);
}

/* ---- objects ---- */

static void
property(model *m, const mpl_class *cls, const ynode *key, const ynode *v, int depth)
{
	const mpl_property *p = ty_property(m->p, cls, key->text);
	const char *near;

	if (p == NULL) {
		if (!ty_whole(m->p, cls) || key->is_expr)
			return;
		vc_report(m->c, VC_W1067, key->span,
			"class \"%s\" has no property \"%s\", so this value is dropped", cls->name,
			key->text);
		if ((near = ty_near(m->p, cls, key->text, false)) != NULL)
			vc_did_you_mean(m->c, "\"%s\"", near);
		object(m, v, NULL, depth + 1);
		return;
	}
	if (p->usage == MPL_OUT || p->usage == MPL_RUNTIME || p->usage == MPL_CONFIG ||
		p->usage == MPL_STATIC) {
		vc_report(m->c, VC_W1067, key->span,
			"property \"%s\" is no input, so this value is not the user's to give",
			p->name);
		if (p->span.src && !p->cls->native)
			vc_note(m->c, p->span, "declared in class \"%s\"", p->cls->name);
		return;
	}
	if (p->contract)
		value_fits(m, p->cls, p->contract, v, p, depth);
}

static void
required(model *m, const ynode *at, const ynode *v, const mpl_class *cls, int depth)
{
	if (depth > DEPTH || cls == NULL)
		return;
	for (uint32_t i = 0; i < cls->nprops; i++) {
		const mpl_property *p = cls->props[i];
		ty_misfit why;
		if (p->dflt || p->usage > MPL_CONST || p->usage == MPL_OUT || cls->native ||
			property_of(m, v, p->name) || !p->contract || is_left_out(m, p->name) ||
			!refused(m, cls, p->contract, NULL, &why))
			continue;
		vc_report(m->c, VC_W1066, at->span,
			"property \"%s\" of class \"%s\" must have a value", p->name, cls->name);
		if (p->span.src)
			vc_note(m->c, p->span, "declared here");
	}
	for (uint32_t i = 0; cls->parent && i < cls->nparents; i++)
		required(m, at, v, cls->parent[i], depth + 1);
}

/* The dashboard asks for the application's name itself: an older line for it does no harm. */
static bool
is_added(const model *m, const ynode *v, const ynode *key)
{
	return m->made && m->made->named && v == m->root && strcmp(key->text, "name") == 0;
}

/* cls: what it is where it does not say so; NULL: a value without a contract. */
static void
object(model *m, const ynode *v, const mpl_class *cls, int depth)
{
	const ynode *type = type_node(v);

	if (depth > DEPTH)
		return;
	if (type) {
		cls = class_of(m, v, true);
		if (cls && !(m->part && v == m->root))
			required(m, v->key[0], v, cls, 0);
		m->but = NULL;
	}
	for (uint32_t i = 0; (v->kind == YN_MAP || v->kind == YN_SEQ) && i < v->n; i++) {
		if (v->kind == YN_MAP && type && text_of(v->key[i])) {
			if (cls && strcmp(v->key[i]->text, "?") != 0 && !is_added(m, v, v->key[i]))
				property(m, cls, v->key[i], v->item[i], depth + 1);
		} else if (!type) {
			object(m, v->item[i], NULL, depth + 1);
		}
	}
}

void
mpl_check_template(vc *c, const mpl_package *pkg, const ynode *root, const mpl_template *made)
{
	model m = {.c = c,
		.pkg = (mpl_package *)(uintptr_t)pkg,
		.made = made,
		.root = root,
		.part = !made->whole};

	m.p = ty_program(c);
	if (root->kind == YN_MAP)
		object(&m, root, NULL, 0);
}

#define SHAPE "a model is {\"Objects\": {\"?\": {\"type\": \"CLASS\"}, ...}}"

static bool
is_null(const ynode *y)
{
	return y->kind == YN_SCALAR && !y->is_expr && y->type == YT_NULL;
}

/* The mapping that the root object is to be has no type. */
static void
no_type(vc *c, const ynode *doc, const ynode *root)
{
	static const char *const names[] = {"Objects"};
	const ynode *near = NULL, *braces = NULL;

	for (uint32_t i = 0; i < root->n; i++) {
		if (root == doc && root->key[i]->kind == YN_SCALAR && !near &&
			vt_nearest(root->key[i]->text, names, 1))
			near = root->key[i];
		if (is_null(root->key[i]))
			braces = root->key[i];
	}
	if (near) {
		vc_report(c, VC_W1066, near->span, "the model has no Objects");
		vc_did_you_mean(c, "\"%s\"", names[0]);
	} else if (root == doc && member(doc, "model")) {
		vc_report(c, VC_W1066, root->span, "this is the answer of a run");
		vc_hint(c, "its model stands below \"model\"");
	} else {
		vc_report(c, VC_W1066, braces ? braces->span : root->span,
			"the root object of the model has no type");
		vc_hint(c, "%s", braces ? "in braces a ? is a sign of YAML: quote it" : SHAPE);
	}
}

/* Parts of a model that are misspelt: without a word nobody would read them. */
static void
unread(vc *c, const ynode *doc)
{
	static const char *const names[] = {"Objects", "ObjectsCopy", "Attributes", "SystemData"};

	for (uint32_t i = 0; i < doc->n; i++) {
		const char *name = doc->key[i]->kind == YN_SCALAR ? doc->key[i]->text : "",
			   *near = vt_nearest(name, names, VC_LEN(names));
		for (size_t k = 0; k < VC_LEN(names); k++)
			near = strcmp(name, names[k]) == 0 ? NULL : near;
		if (!near)
			continue;
		vc_report(
			c, VC_W1066, doc->key[i]->span, "a model has no \"%s\"", doc->key[i]->text);
		vc_did_you_mean(c, "\"%s\"", near);
	}
}

/* Is there an object at the root?  Objects may be null: then there is none on purpose. */
static bool
is_model(vc *c, const ynode *doc, const ynode *root)
{
	const ynode *attributes = member(doc, "Attributes");

	if (root != doc)
		unread(c, doc);
	if (attributes && attributes->kind != YN_SEQ && !is_null(attributes)) {
		vc_report(c, VC_W1066, attributes->span, "Attributes is no list");
		vc_hint(c, "it is a list of [object id, class, key, value]");
	}
	if (root != doc && is_null(root))
		return false;
	if (root->kind != YN_MAP) {
		vc_report(c, VC_W1066, root->span, "the root of a model is a mapping");
		vc_hint(c, "%s", SHAPE);
		return false;
	}
	if (type_node(root))
		return true;
	no_type(c, doc, root);
	return false;
}

void
mpl_check_model(vc *c, const char *path)
{
	model m = {.c = c};
	vc_source *src = vc_source_read(c, path);
	const int before = vc_errors(c);
	uint32_t n, docs = 0;
	mpl_package **all = vc_packages(c, &n);
	ynode **doc = src ? vc_yaml_parse(c, src, &(vc_yaml_opts){.flags = 0}, &docs) : NULL;
	const ynode *root;

	for (uint32_t i = 0; i < n && m.pkg == NULL; i++)
		m.pkg = all[i]->is_main ? all[i] : NULL;
	if (src == NULL || m.pkg == NULL || vc_errors(c) > before)
		return;
	if (doc == NULL || docs == 0) {
		vc_report(c, VC_W1066, vc_file_span(c, path), "the model is empty");
		vc_hint(c, "%s", SHAPE);
		return;
	}
	m.p = ty_program(c);
	root = member(doc[0], "Objects") ? member(doc[0], "Objects") : doc[0];
	if (!is_model(c, doc[0], root))
		return;
	collect(&m, root, 0);
	object(&m, root, NULL, 0);
}

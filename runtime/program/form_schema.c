/*
 * form_schema.c - the form of a class or a method as JSON schema, draft 4: muranopl-forms.txt.
 *
 * What contracts say was made by the compiler (compiler/emit/form_schema.c explains "$codes")
 * and is constant text of the program.  This file picks the properties or parameters, fills in what
 * only the running program knows, and adds what metadata says: titles, positions, sections.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/program/program.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH = 100 };
static const char META[] = "io.murano.metadata.";

/* The class that is asked for, and the distance of each of its ancestors from it. */
struct weight {
	const vt_str *name;
	int64_t w;
};
struct gen {
	vt_rt *rt;
	vt_class *cls;
	struct weight *weights;
	uint32_t nweights;
};

/* ---- the hierarchy ----------------------------------------------------------------------- */

static bool
is_parent(const vt_class *c, const vt_class *parent)
{
	for (uint32_t i = 0; i < c->nparents; i++)
		if (c->parents[i] == parent)
			return true;
	return false;
}

static int64_t
weight_of(const struct gen *g, const vt_class *c)
{
	for (uint32_t i = 0; i < g->nweights; i++)
		if (vt_str_eq(g->weights[i].name, c->decl->name))
			return g->weights[i].w;
	return g->nweights;
}

/* Breadth first, so the first way to a class is a shortest one; versions of one class count once.
 */
static void
weigh(struct gen *g)
{
	const vt_class *c = g->cls;
	int64_t *far = vt_xmalloc((c->nlinear + 1) * sizeof *far);
	g->weights = vt_xmalloc((c->nlinear + 1) * sizeof *g->weights);
	for (uint32_t i = 0; i < c->nlinear; i++) {
		uint32_t k = 0;
		far[i] = 0;
		while (k < i && !is_parent(c->linear[k], c->linear[i]))
			k++;
		if (k < i)
			far[i] = far[k] + 1;
		for (k = 0; k < g->nweights; k++)
			if (vt_str_eq(g->weights[k].name, c->linear[i]->decl->name))
				break;
		if (k == g->nweights)
			g->weights[g->nweights++] =
				(struct weight){c->linear[i]->decl->name, far[i]};
	}
	free(far);
}

/* ---- metadata ---- */

static vt_status
read_prop(vt_rt *rt, const vt_meta_item *m, const char *name, vt_value *out)
{
	vt_value text = vt_str_c(rt, name);
	vt_status st =
		vt_get_prop(rt, m->item->cls->decl->unit, vt_mkptr(m->item), vt_as_str(text), out);
	vt_release(text);
	return st;
}

static bool
is_meta(const vt_meta_item *m, const char *last)
{
	const char *name = m->item->cls->decl->name->s;
	return strncmp(name, META, sizeof META - 1) == 0 &&
	       strcmp(name + sizeof META - 1, last) == 0;
}

static const vt_meta_item *
find_meta(const vt_meta_item *m, uint32_t n, const char *last)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_meta(&m[i], last))
			return &m[i];
	return NULL;
}

/* Where a field or section stands: ancestors' first when they have the same index; indexes are
 * unique in a class. */
static bool
index_of(const struct gen *g, const vt_meta_item *m, vt_value index, int64_t *out)
{
	if (!vt_is_int(index) || vt_toint(index) < -(1 << 30) || vt_toint(index) > 1 << 30)
		return false;
	*out = (vt_toint(index) + 1) * (int64_t)g->nweights - weight_of(g, m->cls);
	return true;
}

static vt_status
add_position(struct gen *g, vt_dict *d, const vt_meta_item *m)
{
	vt_value section = VT_UNDEF, index = VT_UNDEF;
	int64_t i;
	VT_TRY(read_prop(g->rt, m, "section", &section));
	vt_dict_set_c(g->rt, d, "formSection", section);
	VT_TRY(read_prop(g->rt, m, "index", &index));
	if (index_of(g, m, index, &i))
		vt_dict_set_c(g->rt, d, "formIndex", vt_mkint(i));
	vt_release(index);
	return VT_OK;
}

static vt_status
add_hints(struct gen *g, vt_dict *d, const vt_meta_item *m, uint32_t n)
{
	static const struct {
		const char *meta, *prop, *key;
	} hints[] = {
		{"Title", "text", "title"},
		{"Description", "text", "description"},
		{"HelpText", "text", "helpText"},
		{"forms.Hidden", "visible", "visible"},
	};
	const vt_meta_item *x;
	for (size_t i = 0; i < VT_LEN(hints); i++) {
		vt_value v = VT_UNDEF;
		if ((x = find_meta(m, n, hints[i].meta)) == NULL)
			continue;
		VT_TRY(read_prop(g->rt, x, hints[i].prop, &v));
		vt_dict_set_c(g->rt, d, hints[i].key, v);
	}
	x = find_meta(m, n, "forms.Position");
	return x ? add_position(g, d, x) : VT_OK;
}

/* ---- sections ---- */

struct section {
	vt_value name, title, index;
	int64_t weight, at;
	bool placed;
};

static void
drop_sections(struct section *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		vt_release(s[i].name);
		vt_release(s[i].title);
		vt_release(s[i].index);
	}
	free(s);
}

static vt_status
read_section(struct gen *g, const vt_meta_item *m, struct section *s)
{
	*s = (struct section){VT_UNDEF, VT_UNDEF, VT_UNDEF, weight_of(g, m->cls), 0, false};
	VT_TRY(read_prop(g->rt, m, "name", &s->name));
	VT_TRY(read_prop(g->rt, m, "title", &s->title));
	VT_TRY(read_prop(g->rt, m, "index", &s->index));
	s->placed = index_of(g, m, s->index, &s->at);
	if (s->title == VT_NULL)
		s->title = vt_copy(s->name);
	return VT_OK;
}

/* Does a section replace one of the same name?  The nearer class wins, and in one class the lower
 * index. */
static bool
replaces(const struct section *s, const struct section *old)
{
	if (s->weight != old->weight)
		return s->weight < old->weight;
	return s->placed && (!old->placed || s->at < old->at);
}

static void
keep_section(struct section *all, uint32_t *n, struct section s)
{
	for (uint32_t i = 0; i < *n; i++) {
		if (!vt_str_eq(vt_as_str(all[i].name), vt_as_str(s.name)))
			continue;
		if (replaces(&s, &all[i])) {
			struct section old = all[i];
			all[i] = s;
			s = old;
		}
		vt_release(s.name);
		vt_release(s.title);
		vt_release(s.index);
		return;
	}
	all[(*n)++] = s;
}

/* Those with an index first, in its order; the others as they come. There are few. */
static void
sort_sections(struct section *s, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k > 0; k--) {
			struct section x = s[k];
			if (!x.placed || (s[k - 1].placed && s[k - 1].at <= x.at))
				break;
			s[k] = s[k - 1];
			s[k - 1] = x;
		}
}

static vt_value
sections_dict(vt_rt *rt, const struct section *s, uint32_t n)
{
	vt_dict *d = vt_dict_new(rt, false);
	for (uint32_t i = 0; i < n; i++) {
		vt_dict *x = vt_dict_new(rt, false);
		vt_dict_set_c(rt, x, "title", vt_copy(s[i].title));
		if (s[i].placed)
			vt_dict_set_c(rt, x, "index", vt_mkint(i));
		(void)vt_dict_set(rt, d, s[i].name, vt_mkptr(x));
		vt_release(vt_mkptr(x));
	}
	return vt_mkptr(d);
}

static vt_status
sections(struct gen *g, const vt_meta_item *m, uint32_t n, vt_value *out)
{
	struct section *s = vt_xmalloc((n + 1) * sizeof *s), one;
	uint32_t k = 0;
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && i < n; i++) {
		if (!is_meta(&m[i], "forms.Section"))
			continue;
		st = read_section(g, &m[i], &one);
		if (st == VT_OK && !vt_is(one.name, STR))
			st = vt_raise(g->rt, VT_E_VALUE, "the name of a section is a text");
		if (st == VT_OK)
			keep_section(s, &k, one);
		else
			s[k++] = one;
	}
	if (st == VT_OK) {
		sort_sections(s, k);
		*out = sections_dict(g->rt, s, k);
	}
	drop_sections(s, k);
	return st;
}

/* ---- values that the running program knows ---- */

/* The reference lets YAQL's errors mean "not known" and all others fail. */
static bool
is_yaql_error(const vt_exc *e)
{
	return e->type >= VT_E_NO_FUNCTION && e->type <= VT_E_INVALID_METHOD;
}

/* In the context of the class, without a value: $ is nothing. VT_UNDEF in *out: not known. A
 * Default may need the object, so any error means that. */
static vt_status
run_code(struct gen *g, const vt_code *code, bool dflt, vt_value *out)
{
	static const vt_names none;
	vt_scope *sc = vt_scope_method(g->rt, code->unit, g->cls->typeref, &none);
	vt_value v = VT_UNDEF;
	vt_status st;
	vt_clear(&sc->v[0]);
	st = vt_code_run(g->rt, code, sc, &v);
	vt_scope_drop(sc);
	if (st == VT_OK)
		st = vt_final(g->rt, code->unit, v, out);
	vt_release(v);
	if (st == VT_OK || vt_pending(g->rt)->type == VT_E_CANCELLED ||
		!(dflt || is_yaql_error(vt_pending(g->rt))))
		return st;
	vt_exc_clear(g->rt);
	return VT_OK;
}

/* Values that JSON has too; what is nested deeper than a form can show is none. types: keys may be
 * types, as objects have them that are written inline. */
static bool
is_json(vt_value v, bool types, unsigned depth)
{
	vt_value key, item;
	if (vt_is(v, DICT)) {
		for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &item);)
			if (depth == 0 || !(vt_is(key, STR) || (types && vt_is(key, TYPEREF))) ||
				!is_json(item, types, depth - 1))
				return false;
		return true;
	}
	for (uint32_t i = 0; vt_is_sequence(v) && i < vt_as_list(v)->n; i++)
		if (depth == 0 || !is_json(vt_as_list(v)->v[i], types, depth - 1))
			return false;
	return vt_is_sequence(v) || vt_is(v, STR) || v == VT_NULL || vt_is_bool(v) ||
	       vt_is_integer(v) || (vt_is(v, FLOAT) && vt_as_float(v) - vt_as_float(v) == 0);
}

/* Is the value one that JSON schema has under the key?  Lengths become whole here. */
static bool
fits(const char *key, int64_t add, vt_value *v)
{
	if (strcmp(key, "default") == 0)
		return is_json(*v, true, JSON_DEPTH);
	if (strcmp(key, "enum") == 0)
		return vt_is_sequence(*v) && vt_as_list(*v)->n > 0;
	if (strcmp(key, "pattern") == 0)
		return vt_is(*v, STR);
	if (strstr(key, "Length") == NULL)
		return vt_is_int(*v) || vt_is(*v, FLOAT) || vt_is(*v, BIGINT);
	if (!vt_is_int(*v) || vt_toint(*v) + add < 0 || vt_toint(*v) > INT32_MAX)
		return false;
	*v = vt_mkint(vt_toint(*v) + add);
	return true;
}

/* [KEY, NUMBER, ADD, {MORE}] */
static vt_status
fill_entry(struct gen *g, const vt_schema *s, vt_dict *d, const vt_list *entry)
{
	vt_value v = VT_UNDEF, key, more;
	vt_dict *with = vt_as_dict(entry->v[3]);
	VT_TRY(run_code(g, s->codes[vt_toint(entry->v[1])],
		strcmp(vt_as_str(entry->v[0])->s, "default") == 0, &v));
	if (v != VT_UNDEF && fits(vt_as_str(entry->v[0])->s, vt_toint(entry->v[2]), &v)) {
		(void)vt_dict_set(g->rt, d, entry->v[0], v);
		for (uint32_t i = 0; vt_dict_at(with, &i, &key, &more);)
			(void)vt_dict_set(g->rt, d, key, more);
	}
	vt_release(v);
	return VT_OK;
}

static vt_status fill(struct gen *, const vt_schema *, vt_value);

static vt_status
fill_members(struct gen *g, const vt_schema *s, vt_value members)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_is(members, DICT) && vt_dict_at(vt_as_dict(members), &i, &key, &v);)
		VT_TRY(fill(g, s, v));
	for (uint32_t i = 0; vt_is_sequence(members) && i < vt_as_list(members)->n; i++)
		VT_TRY(fill(g, s, vt_as_list(members)->v[i]));
	return VT_OK;
}

static vt_status
fill(struct gen *g, const vt_schema *s, vt_value schema)
{
	static const char *const below[] = {
		"context", "items", "additionalItems", "additionalProperties"};
	vt_value codes, v;
	vt_status st = VT_OK;
	if (!vt_is(schema, DICT))
		return VT_OK;
	codes = vt_dict_get_c(vt_as_dict(schema), "$codes");
	if (codes != VT_UNDEF) {
		vt_value key = vt_str_c(g->rt, "$codes");
		vt_retain(codes);
		vt_dict_del(g->rt, vt_as_dict(schema), key);
		vt_release(key);
		for (uint32_t i = 0; st == VT_OK && i < vt_as_list(codes)->n; i++)
			st = fill_entry(
				g, s, vt_as_dict(schema), vt_as_list(vt_as_list(codes)->v[i]));
		vt_release(codes);
		VT_TRY(st);
	}
	for (size_t i = 0; i < VT_LEN(below); i++) {
		v = vt_dict_get_c(vt_as_dict(schema), below[i]);
		VT_TRY(vt_is_sequence(v) ? fill_members(g, s, v) : fill(g, s, v));
	}
	return fill_members(g, s, vt_dict_get_c(vt_as_dict(schema), "properties"));
}

/* ---- objects in defaults ---- */

/*
 * A Default may write an object as {ns:Type: {..}}.  Who fills in a form knows no prefixes of the
 * class file, so it becomes {"?": {"type": ..}, ..} with the full name.
 */
static vt_status objects_in(
	struct gen *, const vt_unit *, vt_value schema, vt_value, vt_value *out);

static vt_class *
inline_class(struct gen *g, const vt_unit *u, const vt_dict *d, vt_value *at)
{
	vt_class *c = NULL;
	vt_value key, v;
	for (uint32_t i = 0; c == NULL && vt_dict_at(d, &i, &key, &v);)
		if (vt_is(key, TYPEREF)) {
			*at = key;
			c = vt_cls_of(key);
		} else if (vt_is(key, STR) && vt_is_typename(vt_as_str(key), true) &&
			   (vt_is(v, DICT) || v == VT_NULL)) {
			*at = key;
			c = vt_unit_class(g->rt, u, vt_as_str(key));
			if (c == NULL)
				vt_exc_clear(g->rt);
		}
	return c;
}

/* "?": the type, its version where a model must name it, and what else stands beside the type's
 * name. */
static vt_value
header_of(struct gen *g, const vt_class *c, const vt_dict *d, vt_value at)
{
	vt_dict *h = vt_dict_new(g->rt, false);
	const char *version = vt_class_version(c->decl);
	vt_value key, v;
	vt_dict_set_c(g->rt, h, "type", vt_copy(vt_mkptr(c->decl->name)));
	if (!vt_version_in(g->rt, version, ""))
		vt_dict_set_c(g->rt, h, "classVersion", vt_str_c(g->rt, version));
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);)
		if (key != at)
			(void)vt_dict_set(g->rt, h, key, v);
	return vt_mkptr(h);
}

static vt_status
put_members(struct gen *g, const vt_unit *u, vt_value schema, const vt_dict *from, vt_dict *to)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(from, &i, &key, &v);) {
		vt_value below = VT_UNDEF, made = VT_UNDEF;
		if (vt_is(schema, DICT)) {
			vt_value known = vt_dict_get_c(vt_as_dict(schema), "properties");
			below = vt_is(known, DICT) ? vt_dict_get(vt_as_dict(known), key) : VT_UNDEF;
			if (below == VT_UNDEF)
				below = vt_dict_get_c(vt_as_dict(schema), "additionalProperties");
			below = below == VT_UNDEF ? VT_NULL : below;
		}
		VT_TRY(objects_in(g, u, below, v, &made));
		(void)vt_dict_set(g->rt, to, key, made);
		vt_release(made);
	}
	return VT_OK;
}

static vt_status
object_in(
	struct gen *g, const vt_unit *u, const vt_dict *d, vt_class *c, vt_value at, vt_value *out)
{
	vt_dict *made = vt_dict_new(g->rt, false);
	vt_value props = vt_dict_get(d, at);
	vt_dict_set_c(g->rt, made, "?", header_of(g, c, d, at));
	vt_status st =
		vt_is(props, DICT) ? put_members(g, u, VT_UNDEF, vt_as_dict(props), made) : VT_OK;
	return vt_settle(st, vt_mkptr(made), out);
}

/* The schema of the n-th item of a list; VT_UNDEF inside of an object, whose class knows. */
static vt_value
item_schema(vt_value schema, uint32_t n)
{
	vt_value v, more;
	if (!vt_is(schema, DICT))
		return schema;
	v = vt_dict_get_c(vt_as_dict(schema), "items");
	if (!vt_is_sequence(v))
		return v == VT_UNDEF ? VT_NULL : v;
	more = vt_dict_get_c(vt_as_dict(schema), "additionalItems");
	return n < vt_as_list(v)->n ? vt_as_list(v)->v[n] : more == VT_UNDEF ? VT_NULL : more;
}

static vt_status
list_in(struct gen *g, const vt_unit *u, vt_value schema, const vt_list *from, vt_value *out)
{
	vt_list *l = vt_list_grow(g->rt, VT_K_LIST, from->n);
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && i < from->n; i++) {
		vt_value v = VT_UNDEF;
		st = objects_in(g, u, item_schema(schema, i), from->v[i], &v);
		if (st == VT_OK)
			vt_list_push(g->rt, l, v);
	}
	return vt_settle(st, vt_mkptr(l), out);
}

static bool
may_be_object(vt_value schema)
{
	vt_value t = vt_is(schema, DICT) ? vt_dict_get_c(vt_as_dict(schema), "type") : VT_UNDEF;
	if (vt_is_sequence(t))
		t = vt_as_list(t)->v[0];
	return schema == VT_UNDEF ||
	       (vt_is(t, STR) && strcmp(vt_as_str(t)->s, "muranoObject") == 0);
}

static vt_status
objects_in(struct gen *g, const vt_unit *u, vt_value schema, vt_value v, vt_value *out)
{
	vt_value at = VT_UNDEF;
	vt_class *c = vt_is(v, DICT) && may_be_object(schema)
			      ? inline_class(g, u, vt_as_dict(v), &at)
			      : NULL;
	vt_status st = VT_OK;
	if (vt_too_deep(g->rt))
		return vt_raise_depth(g->rt);
	g->rt->depth++;
	if (c != NULL) {
		st = object_in(g, u, vt_as_dict(v), c, at, out);
	} else if (vt_is(v, DICT)) {
		vt_dict *d = vt_dict_new(g->rt, false);
		st = vt_settle(put_members(g, u, schema, vt_as_dict(v), d), vt_mkptr(d), out);
	} else if (vt_is_sequence(v)) {
		st = list_in(g, u, schema, vt_as_list(v), out);
	} else {
		*out = vt_copy(v);
	}
	g->rt->depth--;
	return st;
}

static vt_status
default_objects(struct gen *g, const vt_unit *u, vt_dict *schema)
{
	vt_value v = vt_dict_get_c(schema, "default"), made = VT_UNDEF;
	if (u == NULL || (!vt_is(v, DICT) && !vt_is_sequence(v)))
		return VT_OK;
	VT_TRY(objects_in(g, u, vt_mkptr(schema), v, &made));
	if (is_json(made, false, JSON_DEPTH)) {
		vt_dict_set_c(g->rt, schema, "default", made);
	} else {
		vt_value key = vt_str_c(g->rt, "default");
		vt_dict_del(g->rt, schema, key);
		vt_release(key);
		vt_release(made);
	}
	return VT_OK;
}

/* ---- properties and parameters ---- */

static vt_status
contract_schema(struct gen *g, const vt_schema *s, const vt_unit *u, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_status st;
	char *err = NULL;
	if (s == NULL) { /* of the runtime or the host: anything */
		*out = vt_mkptr(vt_dict_new(g->rt, false));
		return VT_OK;
	}
	if (!vt_json_read(g->rt, s->text, strlen(s->text), VT_JSON_MUTABLE, 0, &v, &err)) {
		st = vt_raise(g->rt, VT_E_VALUE, "the schema cannot be read: %s", err);
		free(err);
		return st;
	}
	st = s->ncodes ? fill(g, s, v) : VT_OK;
	if (st == VT_OK && vt_is(v, DICT))
		st = default_objects(g, u, vt_as_dict(v));
	return vt_settle(st, v, out);
}

static vt_status
prop_schema(struct gen *g, const vt_prop_decl *p, vt_value *out)
{
	vt_class *declaring = vt_class_seen(g->cls, p->cls);
	vt_meta_item *m = NULL;
	uint32_t n = 0;
	vt_value v = VT_UNDEF;
	vt_status st = contract_schema(g, p->schema, p->cls->unit, &v);
	if (st == VT_OK)
		st = vt_meta_of(
			g->rt, declaring ? declaring : g->cls, VT_META_PROPERTY, p->name, &m, &n);
	if (st == VT_OK)
		st = add_hints(g, vt_as_dict(v), m, n);
	free(m);
	return vt_settle(st, v, out);
}

static vt_status
param_schema(struct gen *g, vt_class *declaring, const vt_param_decl *p, vt_value *out)
{
	vt_meta_item *m = NULL;
	uint32_t n = 0;
	vt_value v = VT_UNDEF;
	vt_status st = contract_schema(g, p->schema, declaring->decl->unit, &v);
	if (st == VT_OK)
		st = vt_meta_of_param(g->rt, declaring, p, &m, &n);
	if (st == VT_OK)
		st = add_hints(g, vt_as_dict(v), m, n);
	free(m);
	return vt_settle(st, v, out);
}

/* The most basic class first, as people read forms; what is declared again keeps its place. */
static vt_status
class_properties(struct gen *g, vt_dict *out)
{
	bool ambiguous;
	for (uint32_t i = g->cls->nlinear; i-- > 0;) {
		const vt_class_decl *d = g->cls->linear[i]->decl;
		for (uint32_t k = 0; k < d->nprops; k++) {
			vt_value name = vt_mkptr(d->props[k]->name), v = VT_UNDEF;
			const vt_prop_decl *p;
			if (vt_dict_get(out, name) != VT_UNDEF)
				continue;
			p = vt_class_prop(g->rt, g->cls, d->props[k]->name, &ambiguous);
			if (ambiguous)
				return VT_ERROR;
			if (p == NULL || (p->usage != VT_P_IN && p->usage != VT_P_INOUT))
				continue;
			VT_TRY(prop_schema(g, p, &v));
			(void)vt_dict_set(g->rt, out, name, v);
			vt_release(v);
		}
	}
	return VT_OK;
}

/* Anything, any dict, or template(): what may be the object model that a builder starts from. */
static bool
takes_model(const vt_dict *schema)
{
	vt_value type = vt_dict_get_c(schema, "type"), v;
	if (type == VT_UNDEF)
		return vt_dict_get_c(schema, "enum") == VT_UNDEF;
	if (vt_is_sequence(type) && vt_as_list(type)->n > 0)
		type = vt_as_list(type)->v[0];
	if (vt_is(type, STR) && strcmp(vt_as_str(type)->s, "muranoObject") == 0)
		return vt_dict_get_c(schema, "owned") == VT_TRUE;
	if (!vt_is(type, STR) || strcmp(vt_as_str(type)->s, "object") != 0)
		return false;
	v = vt_dict_get_c(schema, "properties");
	return vt_is(v, DICT) && vt_dict_len(vt_as_dict(v)) == 0 &&
	       vt_dict_get_c(schema, "additionalProperties") == VT_TRUE;
}

static vt_status
method_parameters(struct gen *g, const vt_method_decl *m, vt_class *declaring, bool builder,
	vt_dict *out, const vt_str **model)
{
	for (uint32_t i = 0; i < m->nparams; i++) {
		vt_value v = VT_UNDEF;
		VT_TRY(param_schema(g, declaring, &m->params[i], &v));
		if (i == 0 && builder && takes_model(vt_as_dict(v)))
			*model = m->params[i].name;
		else
			(void)vt_dict_set(g->rt, out, vt_mkptr(m->params[i].name), v);
		vt_release(v);
	}
	return VT_OK;
}

/* ---- whole schemas ---- */

static vt_status
complete(struct gen *g, vt_value properties, const vt_meta_item *m, uint32_t n, vt_value *out)
{
	vt_rt *rt = g->rt;
	vt_dict *d = vt_dict_new(rt, false);
	vt_value form = VT_UNDEF;
	vt_status st = sections(g, m, n, &form);
	vt_dict_set_c(rt, d, "$schema", vt_str_c(rt, "http://json-schema.org/draft-04/schema#"));
	vt_dict_set_c(rt, d, "type", vt_str_c(rt, "object"));
	vt_dict_set_c(rt, d, "properties", vt_copy(properties));
	vt_dict_set_c(rt, d, "additionalProperties", VT_FALSE);
	if (st == VT_OK) {
		vt_dict_set_c(rt, d, "formSections", form);
		st = add_hints(g, d, m, n);
	}
	return vt_settle(st, vt_mkptr(d), out);
}

static vt_status
class_schema(struct gen *g, vt_value *out)
{
	vt_dict *props = vt_dict_new(g->rt, false);
	vt_meta_item *m = NULL;
	uint32_t n = 0;
	vt_status st = class_properties(g, props);
	if (st == VT_OK)
		st = vt_meta_of(g->rt, g->cls, VT_META_TYPE, NULL, &m, &n);
	if (st == VT_OK)
		st = complete(g, vt_mkptr(props), m, n, out);
	vt_release(vt_mkptr(props));
	free(m);
	return st;
}

static vt_status
is_enabled(vt_rt *rt, const vt_meta_item *m, uint32_t n, bool *out)
{
	const vt_meta_item *x = find_meta(m, n, "ModelBuilder");
	vt_value v = VT_UNDEF;
	*out = false;
	if (x == NULL)
		return VT_OK;
	VT_TRY(read_prop(rt, x, "enabled", &v));
	*out = vt_truth(v);
	vt_release(v);
	return VT_OK;
}

/*
 * Without `named` only a model builder has one: *out stays VT_UNDEF. A builder's first parameter is
 * the model and no field of the form; "modelParameter" tells a client what to call it.
 */
static vt_status
method_schema(struct gen *g, const vt_method_decl *d, bool named, vt_value *out)
{
	vt_class *declaring = vt_class_seen(g->cls, d->cls);
	vt_dict *params = vt_dict_new(g->rt, false);
	vt_meta_item *m = NULL;
	uint32_t n = 0;
	bool builder = false;
	const vt_str *model = NULL;
	vt_status st;
	declaring = declaring ? declaring : g->cls;
	st = vt_meta_of(g->rt, declaring, VT_META_METHOD, d->name, &m, &n);
	if (st == VT_OK && d->is_public && d->usage == VT_M_STATIC)
		st = is_enabled(g->rt, m, n, &builder);
	if (st == VT_OK && (builder || named)) {
		st = method_parameters(g, d, declaring, builder, params, &model);
		if (st == VT_OK)
			st = complete(g, vt_mkptr(params), m, n, out);
		if (st == VT_OK && model != NULL)
			vt_dict_set_c(g->rt, vt_as_dict(*out), "modelParameter", vt_mkptr(model));
	}
	vt_release(vt_mkptr(params));
	free(m);
	return st;
}

static vt_status
put(struct gen *g, vt_dict *out, vt_value name, vt_status st, vt_value schema)
{
	if (st == VT_OK && schema != VT_UNDEF)
		(void)vt_dict_set(g->rt, out, name, schema);
	vt_release(schema);
	return st;
}

static vt_status
add_class(struct gen *g, vt_dict *out)
{
	vt_value empty = vt_str_c(g->rt, ""), v = VT_UNDEF;
	vt_status st = class_schema(g, &v);
	st = put(g, out, empty, st, v);
	vt_release(empty);
	return st;
}

static vt_status
add_builder(struct gen *g, vt_dict *out, const vt_method_decl *own)
{
	bool ambiguous;
	vt_value v = VT_UNDEF;
	const vt_method_decl *m;
	vt_status st;
	if (!own->is_public || own->usage != VT_M_STATIC ||
		vt_dict_get_str(out, own->name) != VT_UNDEF)
		return VT_OK;
	m = vt_class_method(g->rt, g->cls, own->name, &ambiguous);
	if (ambiguous || m == NULL) { /* nobody can call it */
		vt_exc_clear(g->rt);
		return VT_OK;
	}
	st = method_schema(g, m, false, &v);
	return put(g, out, vt_mkptr(own->name), st, v);
}

static vt_status
add_all(struct gen *g, vt_dict *out)
{
	VT_TRY(add_class(g, out));
	for (uint32_t i = 0; i < g->cls->nlinear; i++) {
		const vt_method_decl *m;
		for (uint32_t pos = 0; (m = vt_own_method(g->cls->linear[i], &pos)) != NULL;)
			VT_TRY(add_builder(g, out, m));
	}
	return VT_OK;
}

static vt_status
add_named(struct gen *g, vt_dict *out, vt_value name)
{
	bool ambiguous;
	vt_value v = VT_UNDEF;
	const vt_method_decl *m;
	vt_status st;
	if (!vt_is(name, STR))
		return vt_raise(g->rt, VT_E_VALUE, "the name of a method is a text");
	if (vt_as_str(name)->bytes == 0)
		return add_class(g, out);
	m = vt_class_method(g->rt, g->cls, vt_as_str(name), &ambiguous);
	if (ambiguous)
		return VT_ERROR;
	if (m == NULL)
		return vt_raise(g->rt, VT_E_NO_METHOD_NAME, "Method \"%s\" is not found",
			vt_as_str(name)->s);
	if (!m->is_public && m->usage != VT_M_ACTION)
		return vt_raise(g->rt, VT_E_NOT_EXPOSED, "%s is not an action", m->name->s);
	st = method_schema(g, m, true, &v);
	return put(g, out, name, st, v);
}

vt_status
vt_schema_generate(vt_rt *rt, vt_class *c, vt_value names, vt_value *out)
{
	struct gen g = {.rt = rt, .cls = c};
	vt_dict *d = vt_dict_new(rt, false);
	vt_status st = VT_OK;
	weigh(&g);
	if (vt_is_sequence(names) && vt_as_list(names)->n > 0)
		for (uint32_t i = 0; st == VT_OK && i < vt_as_list(names)->n; i++)
			st = add_named(&g, d, vt_as_list(names)->v[i]);
	else
		st = add_all(&g, d);
	free(g.weights);
	return vt_settle(st, vt_mkptr(d), out);
}

vt_class *
vt_schema_class(vt_rt *rt, const char *name, const char *version, const char *package)
{
	if (version == NULL && package == NULL)
		return vt_class_named(rt, name);
	return vt_model_class(rt, name, version ? version : "", package);
}

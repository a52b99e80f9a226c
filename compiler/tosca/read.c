/*
 * read.c - a file's YAML to entities, by the keyname table.
 *
 * One reader for all entities: the table says which keynames there are, how their values are
 * written and what a lone scalar in an entity's place means.  A bad value is reported, left out,
 * and the rest is still read.
 */
#include "compiler/tosca/front.h"
#include "runtime/core/printable.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The rows of all entities, one without a name in front of each entity's. */
static const tk_row rows[] = {
#define ENTITY(sym, noun, shorthand) {NULL, 0, 0, 0, 0},
#define KEY(entity, name, reader, of, versions, flags) \
	{name, TK_##reader, TE_##of, flags, versions},
#include "compiler/tosca/keys.def"
#undef ENTITY
#undef KEY
	{NULL, 0, 0, 0, 0},
};

/* A byte a row, so that the offset of a member is the row's number. */
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
struct layout {
#define ENTITY(sym, noun, shorthand) char head_##sym;
#define KEY(entity, name, reader, of, versions, flags) char CAT(key_, __LINE__);
#include "compiler/tosca/keys.def"
#undef ENTITY
#undef KEY
};

const te_info te_infos[TE_KINDS] = {
#define ENTITY(sym, noun, shorthand) \
	{noun, shorthand, &rows[offsetof(struct layout, head_##sym) + 1]},
#define KEY(entity, name, reader, of, versions, flags)
#include "compiler/tosca/keys.def"
#undef ENTITY
#undef KEY
};

static void read_field(tosca_unit *, te *, const tk_row *, ynode *key, ynode *y);

/* ---- messages ---- */

static const char *
kind_of(const ynode *y)
{
	if (y->kind == YN_SEQ)
		return "a list";
	if (y->kind == YN_MAP)
		return "a map";
	switch ((enum yn_type)y->type) {
	case YT_NULL: return "null";
	case YT_BOOL: return "a boolean";
	case YT_INT: return "an integer";
	case YT_FLOAT: return "a float";
	case YT_BINARY: return "binary data";
	case YT_DATE:
	case YT_DATETIME: return "a timestamp";
	case YT_STR: break;
	}
	return "a string";
}

static const char *
article(const char *noun)
{
	return strchr("aeio", noun[0]) ? "an" : "a";
}

/* A value of another kind than wanted; error nodes were reported where they were made. */
static void
wrong_kind(tosca_unit *u, const ynode *y, const char *what, const char *wanted)
{
	if (y->kind == YN_ERROR)
		return;
	vc_report(u->t->c, VC_E2004, y->span, "%s must be %s, not %s", what, wanted, kind_of(y));
	th_no_list(u->t->c, y, wanted);
}

static const char *
versions_text(unsigned versions)
{
	return versions & VT_TV_2_0 && !(versions & VT_TV_1_3)   ? "TOSCA 2.0 only"
	       : versions & VT_TV_2_0 && !(versions & VT_TV_1_2) ? "TOSCA 1.3 and later"
	       : versions & VT_TV_2_0                            ? "later versions of TOSCA"
	       : versions & VT_TV_1_3                            ? "TOSCA 1.x"
								 : "earlier versions of TOSCA";
}

/* ---- the table ---- */

static const tk_row *
find_row(enum te_kind kind, const char *name, unsigned version)
{
	for (const tk_row *r = te_infos[kind].row; r->name; r++)
		if (r->name[0] == name[0] && r->versions & version && !strcmp(r->name, name))
			return r;
	return NULL;
}

static const tk_row *
rest_row(enum te_kind kind, unsigned version)
{
	for (const tk_row *r = te_infos[kind].row; r->name; r++)
		if (r->flags & TK_REST && r->versions & version)
			return r;
	return NULL;
}

enum { MOST_ROWS = 64 };

/* The keynames that the entity has in this version; *other: the row of the same name that is of
 * other versions, or NULL. */
static size_t
names_of(const tosca_unit *u, const te *e, const char *text, const char **names,
	const tk_row **other)
{
	size_t n = 0;
	*other = NULL;
	for (const tk_row *r = te_infos[e->kind].row; r->name; r++) {
		bool has = r->versions & u->keys && !(r->flags & TK_REST);
		if (has && n < MOST_ROWS)
			names[n++] = r->name;
		else if (!has && !strcmp(r->name, text))
			*other = r;
	}
	return n;
}

static void
unknown_key(tosca_unit *u, const te *e, const ynode *key)
{
	const char *names[MOST_ROWS];
	const tk_row *other;
	size_t n = names_of(u, e, key->text, names, &other);
	vc_report(u->t->c, VC_E2002, key->span, "%s %s has no keyname '%s'",
		article(te_infos[e->kind].noun), te_infos[e->kind].noun, key->text);
	const char *near = vt_nearest(key->text, names, n);
	if (other)
		th_elsewhere(u->t->c, key->text, versions_text(other->versions));
	else if (near)
		vc_did_you_mean(u->t->c, "'%s'", near);
	else if (e->kind == TE_FILE && find_row(TE_SERVICE, key->text, u->keys))
		vc_hint(u->t->c, "it stands below %s",
			u->keys & VT_TV_2_0 ? "service_template" : "topology_template");
	else if (e->kind == TE_PARAMETER_DEF &&
		 vt_tfunc_find(key->text + (*key->text == '$'), u->version, false))
		vc_hint(u->t->c, "a function stands below default or value: { %s: ... }",
			key->text);
	else
		th_no_keyname(u->t->c, e, key->text);
	/* what stands below it may be what others name */
	u->incomplete |= near && (e->kind == TE_FILE || e->kind == TE_SERVICE);
}

/* ---- entities ---- */

/* Before 2.0: what the standard does not allow and files in use have is taken with a warning. */
static bool
is_lenient(const tosca_unit *u)
{
	return !(u->keys & VT_TV_2_0);
}

/* What others call by its name: types, functions, operations, inputs. */
static bool
is_called(enum te_kind kind)
{
	static const enum te_kind kinds[] = {TE_ARTIFACT_TYPE, TE_DATA_TYPE, TE_CAPABILITY_TYPE,
		TE_INTERFACE_TYPE, TE_RELATIONSHIP_TYPE, TE_NODE_TYPE, TE_GROUP_TYPE,
		TE_POLICY_TYPE, TE_FUNCTION, TE_OPERATION_DEF, TE_NOTIFICATION_DEF,
		TE_INTERFACE_DEF, TE_PARAMETER_DEF, TE_WORKFLOW};
	for (size_t i = 0; i < VC_LEN(kinds); i++)
		if (kinds[i] == kind)
			return true;
	return false;
}

/* TOSCA has no identifiers: such a name is any text, but of one line that can be shown as it is. */
static void
check_name(tosca_unit *u, te *e)
{
	const char *noun = te_infos[e->kind].noun;
	if (e->name && !e->name[0] && !is_lenient(u)) {
		e->bad = true;
		vc_report(u->t->c, VC_E2008, e->key->span, "the name of %s %s is empty",
			article(noun), noun);
		return;
	}
	if (!e->name || !is_called((enum te_kind)e->kind) || vt_is_visible(e->name, e->key->ntext))
		return;
	e->bad = true;
	vc_report(u->t->c, VC_E2008, e->key->span,
		"the name of %s %s has a line end, a control character or one that turns the "
		"direction",
		article(noun), noun);
	vc_hint(u->t->c, "a name is one line of visible text");
}

static te *
entity_new(tosca_unit *u, enum te_kind kind, ynode *key, ynode *y)
{
	te *e = vc_alloc(u->t->c, sizeof *e);
	e->kind = (uint8_t)kind;
	e->name = key && key->kind == YN_SCALAR ? key->text : NULL;
	e->key = key;
	e->y = y;
	e->unit = u;
	/* a key is one field at most */
	e->field = vc_alloc(u->t->c, (y->kind == YN_MAP ? y->n : 1) * sizeof *e->field);
	check_name(u, e);
	if (e->name && (kind == TE_INTERFACE || kind == TE_INTERFACE_DEF))
		e->name = te_interface_name(u, e->name); /* the key stays as it is */
	return e;
}

/* From 2.0 on a call is a value, also where a value is the short form. */
static bool
is_call_value(const tosca_unit *u, const char *shorthand, const ynode *y)
{
	return u->keys & VT_TV_2_0 && !strcmp(shorthand, "value") && y->n == 1 &&
	       te_text(y->key[0]) && y->key[0]->text[0] == '$';
}

/* The keyname that a value stands for which is no map of keynames; NULL: there is none. */
static const tk_row *
short_row(tosca_unit *u, enum te_kind kind, const ynode *y)
{
	const char *name = te_infos[kind].shorthand;
	if (!name || (y->kind == YN_MAP && !is_call_value(u, name, y)))
		return NULL;
	if (kind == TE_IMPORT && !(u->keys & VT_TV_2_0))
		name = "file";
	const tk_row *r = find_row(kind, name, u->keys);
	if (r && y->kind == YN_SEQ && r->reader != TK_VALUE && r->reader != TK_STRS)
		return NULL;
	return r;
}

bool
tosca_tells(tosca_unit *u, const char *what)
{
	for (uint32_t i = 0; i < u->ntold; i++)
		if (!strcmp(u->told[i], what))
			return false;
	vc_push(u->t->c, u->told, u->ntold) = what;
	return true;
}

/* A keyname, or all other keys, that this version does not have by the text. */
static void
tell_lenient(tosca_unit *u, const te *e, const tk_row *r, const ynode *key)
{
	vc *c = u->t->c;
	if (u->embedded)
		return;
	if (r->flags & TK_REST && tosca_tells(u, "operations")) {
		vc_report(c, VC_W2024, key->span,
			"from TOSCA 1.3 on '%s' stands below the keyname operations", key->text);
		vc_hint(c, "operations: { %s: ... }; it is told once in a file", key->text);
	} else if (!(r->flags & TK_REST) && tosca_tells(u, r->name)) {
		vc_report(c, VC_W2028, key->span, "%s %s has no keyname '%s' in this version",
			article(te_infos[e->kind].noun), te_infos[e->kind].noun, r->name);
		vc_hint(c, "it is taken as it is; it is told once in a file");
	}
}

/* Operations below an interface of 1.3: any key that is not near to a keyname. */
static bool
may_be_rest(tosca_unit *u, const te *e, const tk_row *rest, const ynode *key)
{
	const char *names[MOST_ROWS];
	const tk_row *other;
	if (!(rest->flags & TK_LENIENT))
		return true;
	return !vt_nearest(key->text, names, names_of(u, e, key->text, names, &other));
}

/* `attribute: { concat: [...] }` and the like, which is the value itself. */
static bool
is_bare_value(tosca_unit *u, const te *e, const ynode *y)
{
	const char *key = y->n == 1 ? te_text(y->key[0]) : NULL;
	return key && is_lenient(u) &&
	       (e->kind == TE_PARAMETER_DEF || e->kind == TE_ATTRIBUTE_DEF ||
		       e->kind == TE_PROPERTY_DEF) &&
	       !find_row((enum te_kind)e->kind, key, u->keys) &&
	       vt_tfunc_find(key, u->version, false) != 0;
}

static void
read_bare_value(tosca_unit *u, te *e, ynode *y)
{
	if (!(u->keys & TK_A4C)) {
		vc_report(u->t->c, VC_W2025, y->key[0]->span, "'%s' needs the keyname value",
			e->name);
		vc_hint(u->t->c, "value: { %s: ... }", y->key[0]->text);
	}
	if (e->kind == TE_PARAMETER_DEF)
		read_field(u, e, find_row(TE_PARAMETER_DEF, "value", u->keys), NULL, y);
	else
		read_field(u, e, find_row(TE_ATTRIBUTE_DEF, "default", u->keys), NULL, y);
}

static void
read_map(tosca_unit *u, te *e, ynode *y)
{
	const tk_row *rest = rest_row((enum te_kind)e->kind, u->keys);
	if (e->kind == TE_IMPLEMENTATION && u->keys & TK_A4C && yn_get(y, "file")) {
		read_field(u, e, find_row(TE_IMPLEMENTATION, "primary", u->keys), NULL, y);
		return;
	}
	if (is_bare_value(u, e, y)) {
		read_bare_value(u, e, y);
		return;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		ynode *key = y->key[i];
		if (key->kind == YN_ERROR)
			continue;
		if (key->kind != YN_SCALAR || key->type != YT_STR) {
			wrong_kind(u, key, "a keyname", "a string");
			e->bad = true;
			continue;
		}
		const tk_row *r = find_row((enum te_kind)e->kind, key->text, u->keys);
		if (!r || r->flags & TK_REST)
			r = rest && may_be_rest(u, e, rest, key) ? rest : NULL;
		if (r && r->flags & TK_LENIENT)
			tell_lenient(u, e, r, key);
		if (r)
			read_field(u, e, r, key, y->item[i]);
		else
			unknown_key(u, e, key), e->bad = true;
	}
}

static void
check_mandatory(tosca_unit *u, te *e)
{
	for (const tk_row *r = te_infos[e->kind].row; r->name; r++) {
		if (!(r->flags & TK_MANDATORY) || !(r->versions & u->keys) || te_get(e, r->name) ||
			te_get(e, "copy") || (u->keys & TK_A4C && e->kind == TE_GROUP))
			continue; /* Alien4Cloud's groups have no types: group.c */
		bool untyped = u->keys & (TK_A4C | TK_SDC) && e->kind == TE_SCHEMA;
		vc_report(u->t->c, untyped ? VC_W2041 : VC_E2003, te_span(e),
			"the %s %s%s%sneeds the keyname '%s'", te_infos[e->kind].noun,
			e->name ? "'" : "", e->name ? e->name : "", e->name ? "' " : "", r->name);
		if (untyped)
			vc_hint(u->t->c, "its values may be anything");
		if (untyped)
			continue;
		e->bad |= e->kind != TE_SERVICE; /* the rest of that is still looked at */
		u->t->lacks_types |= !strcmp(r->name, "type");
	}
}

static bool
is_null(const ynode *y)
{
	return y->kind == YN_SCALAR && y->type == YT_NULL;
}

/* An operation that is only named has neither implementation nor inputs; before 2.0 a type may be
 * only named as well, as OASIS has it in its tests. */
static bool
may_be_null(const tosca_unit *u, enum te_kind kind)
{
	if (kind == TE_OPERATION || kind == TE_OPERATION_DEF || kind == TE_NOTIFICATION ||
		kind == TE_NOTIFICATION_DEF)
		return true;
	return !(u->keys & VT_TV_2_0) && kind >= TE_ARTIFACT_TYPE && kind <= TE_POLICY_TYPE;
}

/* An empty list in a map's place, or nothing. */
static bool
is_nothing(const ynode *y)
{
	return is_null(y) || (y->kind == YN_SEQ && y->n == 0);
}

/* Takes it for an empty section, with a warning; false: it has to be an error. */
static bool
takes_nothing(tosca_unit *u, const ynode *y, const char *what)
{
	if (!is_lenient(u) || !is_nothing(y))
		return false;
	if (u->embedded)
		return true;
	if (is_null(y))
		vc_report(u->t->c, VC_W2020, y->span, "%s is empty", what);
	else
		vc_report(u->t->c, VC_W2022, y->span, "%s is an empty list instead of a map", what);
	vc_hint(u->t->c, is_null(y) ? "leave it out" : "write {}");
	return true;
}

/* An entity that needs a keyname is never empty. */
static bool
may_be_empty(const tosca_unit *u, enum te_kind kind)
{
	for (const tk_row *r = te_infos[kind].row; r->name; r++)
		if (r->flags & TK_MANDATORY && r->versions & u->keys)
			return false;
	return true;
}

te *
te_read(tosca_unit *u, enum te_kind kind, ynode *key, ynode *y)
{
	te *e = entity_new(u, kind, key, y);
	const tk_row *lone = short_row(u, kind, y);
	if (lone && !is_null(y))
		read_field(u, e, lone, NULL, y);
	else if (y->kind == YN_MAP)
		read_map(u, e, y);
	else if (y->kind == YN_ERROR)
		e->bad = true;
	else if (!(is_null(y) && may_be_null(u, kind)) &&
		 !(may_be_empty(u, kind) &&
			 takes_nothing(u, y, key && e->name ? e->name : te_infos[kind].noun))) {
		vt_buf b = {0};
		vt_buf_printf(&b, "%s %s", article(te_infos[kind].noun), te_infos[kind].noun);
		vt_buf_put(&b, "", 1);
		wrong_kind(u, y, b.p, lone ? "a map or its short form" : "a map");
		th_no_map(u->t->c, e, y);
		vt_buf_free(&b);
		e->bad = true;
		return e;
	}
	if (kind == TE_REQUIREMENT && te_str(e, "type_requirement"))
		e->name = te_str(e, "type_requirement"); /* the key is but a label */
	if (!e->bad)
		check_mandatory(u, e);
	if (kind == TE_PARAMETER_DEF && u->keys & VT_TV_2_0 && te_get(e, "value") &&
		te_get(e, "mapping"))
		vc_report(u->t->c, VC_E2007, te_get(e, "mapping")->key->span,
			"the parameter '%s' has either a value or a mapping", e->name);
	return e;
}

/* ---- values of keynames ---- */

static void
add_item(tosca_unit *u, te_field *f, te *item)
{
	vc_push(u->t->c, f->item, f->n) = item;
}

/* As many as the value has; not for what add_item fills. */
static void
put_item(tosca_unit *u, te_field *f, te *item)
{
	if (!f->item)
		f->item = vc_alloc(u->t->c, f->y->n * sizeof *f->item);
	f->item[f->n++] = item;
}

/* Else it is reported, and the entity is none. */
static bool
is_kind(tosca_unit *u, te *e, const te_field *f, const ynode *y, enum yn_kind kind,
	const char *what)
{
	if (y->kind == kind)
		return true;
	if (takes_nothing(u, y, f->row->name))
		return false;
	wrong_kind(u, y, f->row->name, what);
	e->bad = true;
	return false;
}

static bool
name_ok(tosca_unit *u, const ynode *key)
{
	if (key->kind == YN_SCALAR && key->type == YT_STR)
		return true;
	wrong_kind(u, key, "a name", "a string");
	return false;
}

/*
 * Alien4Cloud's `- NAME: VALUE` with more keys beside it, as in `- host: Compute` and below it
 * `type: HostedOn`: the rest belongs to the entity, and VALUE is its short form.
 */
static te *
read_spread(tosca_unit *u, enum te_kind kind, ynode *m)
{
	ynode *y = vc_alloc(u->t->c, sizeof *y);
	const char *lone = te_infos[kind].shorthand;
	const tk_row *own = lone ? find_row(kind, lone, u->keys) : NULL;
	te *e;
	*y = *m;
	y->key++, y->item++, y->n--;
	e = te_read(u, kind, m->key[0], y);
	if (own && !te_get(e, lone) && !is_null(m->item[0])) {
		te_field *field = vc_alloc(u->t->c, (e->n + 2) * sizeof *field);
		memcpy(field, e->field, e->n * sizeof *field);
		e->field = field;
		read_field(u, e, own, NULL, m->item[0]);
	}
	return e;
}

static bool
is_spread(const tosca_unit *u, const ynode *m)
{
	return u->keys & TK_A4C && m->kind == YN_MAP && m->n > 1 && te_text(m->key[0]) &&
	       m->item[0]->kind == YN_SCALAR;
}

static void read_sequence(tosca_unit *, te *, te_field *, ynode *);

static void
read_entities(tosca_unit *u, te *e, te_field *f, ynode *y)
{
	if (u->keys & TK_A4C && y->kind == YN_SEQ && f->row->of == TE_ARTIFACT) {
		read_sequence(u, e, f, y);
		return;
	}
	if (!is_kind(u, e, f, y, YN_MAP, "a map"))
		return;
	for (uint32_t i = 0; i < y->n; i++)
		if (name_ok(u, y->key[i]))
			put_item(u, f, te_read(u, (enum te_kind)f->row->of, y->key[i], y->item[i]));
		else
			e->bad = true;
}

/* Before 2.0 an import may have a name, which nothing uses: `- name: file`, `- name: {file: f}`. */
static bool
is_named_import(const tosca_unit *u, const ynode *y)
{
	return !(u->keys & VT_TV_2_0) && y->kind == YN_MAP && y->n == 1 && te_text(y->key[0]) &&
	       !find_row(TE_IMPORT, y->key[0]->text, VT_TV_1_3 | VT_TV_2_0);
}

static void
read_list(tosca_unit *u, te *e, te_field *f, ynode *y)
{
	if (!is_kind(u, e, f, y, YN_SEQ, "a list"))
		return;
	for (uint32_t i = 0; i < y->n; i++)
		if (f->row->of == TE_IMPORT && is_named_import(u, y->item[i]))
			put_item(u, f,
				te_read(u, TE_IMPORT, y->item[i]->key[0], y->item[i]->item[0]));
		else
			put_item(u, f, te_read(u, (enum te_kind)f->row->of, NULL, y->item[i]));
}

static bool
is_seen(const te_field *f, const char *name)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->item[i]->name && !strcmp(f->item[i]->name, name))
			return true;
	return false;
}

static void
read_sequence(tosca_unit *u, te *e, te_field *f, ynode *y)
{
	bool once = f->row->reader == TK_SEQ1;
	if (is_null(y) && takes_nothing(u, y, f->row->name))
		return;
	if (y->kind != YN_SEQ) {
		wrong_kind(u, y, f->row->name, "a list of maps with one key each");
		th_no_sequence(u->t->c, y);
		e->bad = true;
		return;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		ynode *m = y->item[i];
		if (is_spread(u, m)) {
			put_item(u, f, read_spread(u, (enum te_kind)f->row->of, m));
		} else if (m->kind != YN_MAP || m->n != 1) {
			if (m->kind != YN_ERROR)
				vc_report(u->t->c, VC_E2006, m->span,
					"each item of '%s' must be a map with one key: its name",
					f->row->name);
			e->bad = true;
		} else if (!name_ok(u, m->key[0])) {
			e->bad = true;
		} else if (once && is_seen(f, m->key[0]->text)) {
			vc_report(u->t->c, VC_E2009, m->key[0]->span, "'%s' is declared twice",
				m->key[0]->text);
			e->bad = true;
		} else {
			put_item(u, f, te_read(u, (enum te_kind)f->row->of, m->key[0], m->item[0]));
		}
	}
}

static bool
check_strings(tosca_unit *u, const tk_row *r, const ynode *y)
{
	bool ok = true;
	/* the grammar of steps has one name, their table a list of names */
	bool lone = is_lenient(u) || !strncmp(r->name, "on_", 3);
	if (lone && y->kind == YN_SCALAR && y->type == YT_STR)
		return true;
	if (y->kind != YN_SEQ)
		return wrong_kind(u, y, r->name, "a list of strings"), false;
	for (uint32_t i = 0; i < y->n; i++)
		if (!te_text(y->item[i])) {
			wrong_kind(u, y->item[i], "an item", "a string");
			ok = false;
		}
	return ok;
}

/* The names of a template are texts; other values are whatever YAML makes of them:
 * docs/differences.md. */
static bool
check_metadata(tosca_unit *u, const tk_row *r, const ynode *y)
{
	static const char *const texts[] = {"template_name", "template_author"};
	bool ok = true;
	if (y->kind != YN_MAP)
		return wrong_kind(u, y, r->name, "a map of strings"), false;
	for (uint32_t i = 0; i < y->n; i++) {
		const ynode *v = y->item[i];
		for (size_t k = 0; k < VC_LEN(texts) && te_text(y->key[i]) && u->keys & VT_TV_2_0;
			k++)
			if (!strcmp(y->key[i]->text, texts[k]) && v->kind == YN_SCALAR &&
				!te_text(v)) {
				wrong_kind(u, v, texts[k], "a string");
				vc_hint(u->t->c, "quote it");
				ok = false;
			}
		ok &= v->kind != YN_ERROR;
	}
	return ok;
}

static bool
check_dsl(tosca_unit *u, const tk_row *r, const ynode *y)
{
	bool ok = true;
	if (y->kind != YN_MAP)
		return wrong_kind(u, y, r->name, "a map"), false;
	for (uint32_t i = 0; i < y->n; i++)
		if (is_null(y->item[i])) {
			wrong_kind(u, y->item[i], "a definition", "a value");
			ok = false;
		}
	return ok;
}

static size_t
digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* major.minor[.fix[.qualifier[-build]]] */
static bool
is_version(const char *s)
{
	size_t n;
	for (int part = 0; part < 3; part++) {
		n = digits(s);
		if (!n || (s[n] && s[n] != '.'))
			return false;
		if (!s[n])
			return part > 0;
		s += n + 1;
	}
	n = strcspn(s, "-");
	return n && (!s[n] || (digits(s + n + 1) && !s[n + 1 + digits(s + n + 1)]));
}

static bool
check_version(tosca_unit *u, const tk_row *r, const ynode *y)
{
	(void)r;
	if (y->kind == YN_SCALAR &&
		(y->type == YT_STR || y->type == YT_FLOAT || y->type == YT_INT) &&
		(is_version(y->text) || y->type == YT_INT))
		return true;
	if (y->kind != YN_ERROR)
		vc_report(u->t->c, VC_E2005, y->span,
			"a version is MAJOR.MINOR, .FIX, .QUALIFIER and -BUILD may follow: "
			"1.0.0.beta-2");
	return false;
}

static bool
check_status(tosca_unit *u, const tk_row *r, const ynode *y)
{
	static const char *const all[] = {"supported", "unsupported", "experimental", "deprecated"};
	const char *text = te_text(y);
	if (!text)
		return wrong_kind(u, y, r->name, "a string"), false;
	for (size_t i = 0; i < VC_LEN(all); i++)
		if (!strcmp(text, all[i]))
			return true;
	for (size_t i = 0; is_lenient(u) && i < VC_LEN(all); i++)
		if (!strcasecmp(text, all[i])) {
			vc_report(
				u->t->c, VC_W2029, y->span, "a status is written in small letters");
			vc_hint(u->t->c, "status: %s", all[i]);
			return true;
		}
	vc_report(u->t->c, VC_E2005, y->span,
		"a status is supported, unsupported, experimental or deprecated");
	return false;
}

static bool
is_plain_range(const ynode *y)
{
	for (uint32_t i = 0; y->kind == YN_SEQ && i < y->n; i++) {
		const ynode *b = y->item[i];
		bool all = i == 1 && te_text(b) && !strcmp(b->text, "UNBOUNDED");
		if (!all && (b->kind != YN_SCALAR || b->type != YT_INT || !b->fits || b->i < 0))
			return false;
	}
	return y->kind == YN_SEQ && y->n == 2;
}

static bool
check_range(tosca_unit *u, const te *e, const tk_row *r, const ynode *y)
{
	int before = vc_errors(u->t->c);
	bool known = te_range(e, r->name, &(uint32_t){0}, &(uint32_t){0});
	if (vc_errors(u->t->c) > before || is_plain_range(y))
		return known;
	vc_report(u->t->c, VC_W2027, y->span, "'%s' is a range: [ lower, upper ]", r->name);
	if (y->kind == YN_SEQ)
		vc_hint(u->t->c, "two whole numbers from 0 on; the second may be UNBOUNDED");
	else
		vc_hint(u->t->c, "write [ %s, %s ]", y->text, y->text);
	return known;
}

/* The booleans of 1.x are those of YAML 1.1. */
static void
read_boolean(const tosca_unit *u, ynode *y)
{
	static const char *const words[] = {
		"yes", "Yes", "YES", "on", "On", "ON", "no", "No", "NO", "off", "Off", "OFF"};
	for (size_t i = 0; is_lenient(u) && te_text(y) && y->plain && i < VC_LEN(words); i++)
		if (!strcmp(y->text, words[i])) {
			y->type = YT_BOOL;
			y->i = i < VC_LEN(words) / 2;
			return;
		}
}

/* What a lenient file leaves empty: nothing is there. */
static bool
is_left_empty(tosca_unit *u, const te *e, const tk_row *r, const ynode *y)
{
	bool text = r->reader == TK_STR &&
		    (!strcmp(r->name, "description") || !strncmp(r->name, "template_", 9) ||
			    !strcmp(r->name, "derived_from"));
	bool part = r->reader == TK_VALUE &&
		    (e->kind == TE_SUBSTITUTION || !strcmp(r->name, "constraints") ||
			    !strcmp(r->name, "outputs"));
	bool list = r->reader == TK_VALUES || r->reader == TK_STRS || r->reader == TK_META ||
		    r->reader == TK_DSL || r->reader == TK_ONE;
	if (is_null(y) && is_lenient(u) && !strcmp(r->name, "default") &&
		!(u->keys & (VT_TV_HOT | VT_TV_CLOUDIFY))) {
		vc_report(u->t->c, VC_W2021, y->span, "a default that is null is none");
		vc_hint(u->t->c, "leave it out");
		return true;
	}
	if (r->reader == TK_VALUES && !is_null(y))
		return takes_nothing(u, y, r->name);
	return is_null(y) && (text || part || list) && takes_nothing(u, y, r->name);
}

static bool
check_value(tosca_unit *u, const te *e, const tk_row *r, const ynode *y)
{
	switch ((enum tk_reader)r->reader) {
	case TK_STR:
		if (te_text(y))
			return true;
		wrong_kind(u, y, r->name, "a string");
		if (y->kind == YN_SCALAR && y->type != YT_NULL)
			vc_hint(u->t->c, "quote it");
		return false;
	case TK_BOOL:
		if (y->kind == YN_SCALAR && y->type == YT_BOOL)
			return true;
		wrong_kind(u, y, r->name, "true or false");
		if (te_text(y))
			vc_hint(u->t->c, "write true or false");
		return false;
	case TK_VALUES:
		if (y->kind == YN_MAP)
			return true;
		return wrong_kind(u, y, r->name, "a map"), false;
	case TK_STRS: return check_strings(u, r, y);
	case TK_META: return check_metadata(u, r, y);
	case TK_RANGE: return check_range(u, e, r, y);
	case TK_STATUS: return check_status(u, r, y);
	case TK_VERSION: return check_version(u, r, y);
	case TK_DSL: return check_dsl(u, r, y);
	case TK_VALUE:
	case TK_ONE:
	case TK_MAP:
	case TK_LIST:
	case TK_SEQ:
	case TK_SEQ1: break;
	}
	return y->kind != YN_ERROR;
}

static void
read_field(tosca_unit *u, te *e, const tk_row *r, ynode *key, ynode *y)
{
	te_field *f = NULL;
	if (is_left_empty(u, e, r, y))
		return;
	if (r->reader == TK_BOOL)
		read_boolean(u, y);
	if (r->flags & TK_REST && r->reader == TK_MAP)
		for (uint32_t i = 0; i < e->n; i++)
			if (e->field[i].row == r)
				f = &e->field[i];
	if (!f) {
		f = &e->field[e->n++];
		*f = (te_field){.row = r, .key = key, .y = y};
	}
	switch ((enum tk_reader)r->reader) {
	case TK_ONE: add_item(u, f, te_read(u, (enum te_kind)r->of, key, y)); break;
	case TK_MAP:
		if (r->flags & TK_REST)
			add_item(u, f, te_read(u, (enum te_kind)r->of, key, y));
		else
			read_entities(u, e, f, y);
		break;
	case TK_LIST: read_list(u, e, f, y); break;
	case TK_SEQ:
	case TK_SEQ1: read_sequence(u, e, f, y); break;
	case TK_STR:
	case TK_BOOL:
	case TK_VALUE:
	case TK_VALUES:
	case TK_STRS:
	case TK_META:
	case TK_RANGE:
	case TK_STATUS:
	case TK_VERSION:
	case TK_DSL:
		if (!check_value(u, e, r, y)) {
			e->bad = true;
			e->n--; /* users see nothing rather than a bad value */
		}
		break;
	}
}

/* ---- for the phases behind ---- */

const char *
te_text(const ynode *y)
{
	return y && y->kind == YN_SCALAR && y->type == YT_STR ? y->text : NULL;
}

const te_field *
te_get(const te *e, const char *keyname)
{
	for (uint32_t i = 0; e && i < e->n; i++)
		if (e->field[i].row->name[0] == keyname[0] &&
			!strcmp(e->field[i].row->name, keyname))
			return &e->field[i];
	return NULL;
}

ynode *
te_y(const te *e, const char *keyname)
{
	const te_field *f = te_get(e, keyname);
	return f ? f->y : NULL;
}

const char *
te_str(const te *e, const char *keyname)
{
	return te_text(te_y(e, keyname));
}

bool
te_bool(const te *e, const char *keyname, bool otherwise)
{
	const ynode *y = te_y(e, keyname);
	return y && y->kind == YN_SCALAR && y->type == YT_BOOL ? y->i != 0 : otherwise;
}

te **
te_all(const te *e, const char *keyname, uint32_t *n)
{
	const te_field *f = te_get(e, keyname);
	*n = f ? f->n : 0;
	return f ? f->item : NULL;
}

te *
te_one(const te *e, const char *keyname)
{
	uint32_t n;
	te **all = te_all(e, keyname, &n);
	return n ? all[0] : NULL;
}

static const char *
entity_name(const void *ctx, const void *list, uint32_t i)
{
	(void)ctx;
	return ((te *const *)list)[i]->name;
}

te *
te_named(const te *e, const char *keyname, const char *name)
{
	uint32_t n;
	te **all = te_all(e, keyname, &n);
	if (n > TOSCA_SHORT) {
		uint32_t at = tosca_lookup_find(
			e->unit->t->c, &e->unit->t->entities, all, n, entity_name, NULL, name);
		return at ? all[at - 1] : NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		if (all[i]->name && !strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

vc_span
te_span(const te *e)
{
	return e->key ? e->key->span : e->y->span;
}

static bool
bound(const ynode *y, bool upper, bool lenient, uint32_t *out)
{
	if (y->kind != YN_SCALAR)
		return false;
	if (upper && y->type == YT_STR &&
		!(lenient ? strcasecmp(y->text, "UNBOUNDED") : strcmp(y->text, "UNBOUNDED"))) {
		*out = VT_TUNBOUNDED;
		return true;
	}
	if (lenient && y->type == YT_STR && y->ntext && y->ntext < 9 &&
		strspn(y->text, "0123456789") == y->ntext) {
		*out = (uint32_t)atoi(y->text);
		return true;
	}
	if (lenient && y->type == YT_FLOAT && y->f >= 0 && y->f < 1e9) {
		*out = (uint32_t)y->f;
		return true;
	}
	if (y->type != YT_INT || !y->fits || (y->i < 0 && !lenient) || y->i >= UINT32_MAX)
		return false;
	/* products mean by a number below 0 that there is no bound */
	*out = y->i >= 0 ? (uint32_t)y->i : upper ? VT_TUNBOUNDED : 0;
	return true;
}

bool
te_range(const te *e, const char *keyname, uint32_t *lo, uint32_t *hi)
{
	const ynode *y = te_y(e, keyname);
	if (!y)
		return false;
	bool lenient = is_lenient(e->unit);
	if (lenient && y->kind == YN_SCALAR && y->type == YT_INT && bound(y, false, true, lo)) {
		*hi = *lo;
		return true;
	}
	if (lenient && y->kind == YN_SEQ && y->n < 2)
		return false; /* as if it were not there; check_range() says so */
	if (y->kind != YN_SEQ || y->n != 2 || !bound(y->item[0], false, lenient, lo) ||
		!bound(y->item[1], true, lenient, hi)) {
		if (y->kind != YN_ERROR)
			vc_report(e->unit->t->c, VC_E2005, y->span,
				"'%s' must be a range: [ lower, upper ], from 0 on; upper may be "
				"UNBOUNDED",
				keyname);
		return false;
	}
	if (*hi < *lo) {
		vc_report(e->unit->t->c, VC_E2005, y->span,
			"the upper bound of '%s' is below the lower one", keyname);
		return false;
	}
	return true;
}

/*
 * names.c - which names a unit has, and what they mean.
 *
 * A unit knows its own types, functions and repositories, and those of its imports with the prefix
 * of the import in front; prefixes compose (a:b:Name).  A type that a file declares hides imported
 * ones of its name.  Types of a 1.x profile that vetro brings have three names:
 * tosca.nodes.Compute, tosca:Compute and Compute; the last gives way to a declaration of the
 * template.
 *
 * The canonical name of a type, which topologies print, is NAMESPACE::Name where there is a
 * namespace: that of an embedded profile, else that of the importing file, else the file's own; so
 * a service that has a namespace has all its types in it.
 */
#include "compiler/tosca/front.h"

#include <stdlib.h>
#include <string.h>

static const char *const tn_nouns[TN_SECTIONS] = {"data type", "node type", "capability type",
	"relationship type", "group type", "policy type", "interface type", "artifact type",
	"repository", "function"};
static const char *const keynames[TN_SECTIONS] = {"data_types", "node_types", "capability_types",
	"relationship_types", "group_types", "policy_types", "interface_types", "artifact_types",
	"repositories", "functions"};

/* weak: a short name of a normative type or a name that every file has, which any other declaration
 * replaces. */
typedef struct entry {
	const char *name;
	te *e;
	uint32_t hash;
	uint8_t section;
	bool weak, ambiguous;
	bool again; /* it took the place of a type of the profile */
} entry;
struct tn_table {
	entry *slot;
	uint32_t n, cap;
};

/* ---- tables ---- */

static uint32_t
hash_of(const tosca_unit *u, enum tn_section section, const char *name)
{
	return (uint32_t)(vc_hash(u->t->c, name, strlen(name)) * 31 + section);
}

static entry *
slot_of(const struct tn_table *t, enum tn_section section, const char *name, uint32_t hash)
{
	uint32_t i = hash & (t->cap - 1);
	for (; t->slot[i].name; i = (i + 1) & (t->cap - 1))
		if (t->slot[i].hash == hash && t->slot[i].section == section &&
			!strcmp(t->slot[i].name, name))
			break;
	return &t->slot[i];
}

static void
fit(vc *c, struct tn_table *t)
{
	if (t->n * 2 < t->cap)
		return;
	struct tn_table old = *t;
	t->cap *= 2;
	t->slot = vc_alloc(c, t->cap * sizeof *t->slot);
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.slot[i].name)
			*slot_of(t, (enum tn_section)old.slot[i].section, old.slot[i].name,
				old.slot[i].hash) = old.slot[i];
}

/* The file and a profile that vetro brings both have a type of that name. */
static bool
is_normative_again(const te *a, const te *b)
{
	return a->unit->normative != b->unit->normative && !(a->unit->version & VT_TV_2_0) &&
	       !(b->unit->version & VT_TV_2_0);
}

/* The one that the file has itself counts. It is told once in a file. */
static void
take_own(tosca_unit *u, entry *s, te *e)
{
	te *own = s->e->unit->normative ? e : s->e;
	if (!own->unit->copies && tosca_tells(own->unit, " normative")) {
		vc_report(u->t->c, VC_W2026, te_span(own),
			"the %s '%s' is one of the profile, which every file has",
			tn_nouns[s->section], s->name);
		vc_hint(u->t->c, "leave it out; of types that are declared again it is told once");
	}
	s->e = own;
	s->weak = false;
	s->again = true;
}

static void
report_ambiguous(tosca_unit *u, const entry *old, const te *e, const te *import)
{
	vc *c = u->t->c;
	vc_span at = import ? te_span(import) : te_span(e);
	if (old->e->unit == e->unit && !import) {
		vc_report(c, VC_E2009, at, "the %s '%s' is declared twice", tn_nouns[old->section],
			old->name);
	} else {
		vc_report(c, VC_E2021, at, "the %s '%s' is declared in two files",
			tn_nouns[old->section], old->name);
		vc_hint(c, import && !(u->version & VT_TV_2_0)
				   ? "give the import a namespace_prefix"
				   : "give the import a namespace");
	}
	vc_note(c, te_span(old->e), "one is here");
	if (import)
		vc_note(c, te_span(e), "the other is here");
}

static bool
imports(const tosca_unit *u, const tosca_unit *other)
{
	for (uint32_t i = 0; i < u->nimports; i++)
		if (u->imports[i].unit == other)
			return true;
	return false;
}

static void
add(tosca_unit *u, enum tn_section section, const char *name, te *e, bool weak, const te *import)
{
	struct tn_table *t = u->names;
	fit(u->t->c, t);
	uint32_t hash = hash_of(u, section, name);
	entry *s = slot_of(t, section, name, hash);
	if (s->name && (s->e == e || weak))
		return;
	/* ETSI's files for services and for functions declare some types both: the former count,
	 * which import the latter */
	if (s->name && s->e->unit->embedded && e->unit->embedded && !u->embedded && !weak &&
		!s->weak) {
		if (imports(e->unit, s->e->unit))
			s->e = e;
		return;
	}
	if (s->name && !s->weak) {
		/* what a file declares itself hides what it imports */
		if (is_normative_again(s->e, e)) {
			take_own(u, s, e);
			return;
		}
		/* nor does it matter how many of the imports have one of the profile */
		if (import && section != TN_REPOSITORY && (s->e->unit == u || s->again)) {
			if (section < TN_REPOSITORY && !e->unit->embedded)
				ty_loose(u, te_span(s->e), "hides",
					"an import has a type of this name and kind too; the "
					"file's own counts");
			return;
		}
		if (!s->ambiguous)
			report_ambiguous(u, s, e, import);
		s->ambiguous = true;
		return;
	}
	t->n += s->name == NULL;
	*s = (entry){.name = name, .e = e, .hash = hash, .section = (uint8_t)section, .weak = weak};
}

/* ---- types of a unit ---- */

/* tosca.nodes.Compute is Compute: without `tosca.` and the word behind it. */
static const char *
short_name(const te *e)
{
	const ynode *m = te_y(e, "metadata"), *given = m ? yn_get(m, "vetro.name") : NULL;
	if (te_text(given))
		return given->text;
	if (strncmp(e->name, "tosca.", 6) != 0)
		return e->name;
	const char *dot = strchr(e->name + 6, '.');
	return dot ? dot + 1 : e->name;
}

static const char *
canonical(tosca_unit *u, const te *e)
{
	if (u->normative)
		return vc_format(u->t->c, "tosca::%s", short_name(e));
	return u->space ? vc_format(u->t->c, "%s::%s", u->space, e->name) : e->name;
}

static void
add_type(tosca_unit *u, enum tn_section section, te *e)
{
	struct tosca *t = u->t;
	ty_type *y = vc_alloc(t->c, sizeof *y);
	y->section = (uint8_t)section;
	y->e = e;
	y->name = e->name;
	y->canon = canonical(u, e);
	y->unit = u;
	y->bad = e->bad;
	e->of = y;
	vc_push(t->c, t->types, t->ntypes) = y;
}

/* `string: { derived_from: tosca.datatypes.Root }` and the like is the primitive. */
static bool
is_primitive_again(const tosca_unit *u, const char *name)
{
	static const char *const names[] = {"string", "integer", "float", "boolean", "timestamp",
		"version", "range", "list", "map", "scalar-unit.size", "scalar-unit.time",
		"scalar-unit.frequency", "scalar-unit.bitrate"};
	bool old = u->version & (VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2 | VT_TV_1_3) && !u->embedded;
	for (size_t i = 0; old && i < VC_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* TOSCA 2.0 keeps the names of its own data types. */
static bool
takes_built_in(tosca_unit *u, const te *e)
{
	const tosca_unit *own = u->nimports && u->imports[0].implicit ? u->imports[0].unit : NULL;
	if (!(u->version & VT_TV_2_0) || u->embedded || !own ||
		!te_named(own->file, "data_types", e->name) || !strcmp(e->name, "range") ||
		!strncmp(e->name, "scalar-unit.", 12))
		return false;
	vc_report(u->t->c, VC_E2009, te_span(e), "the data type '%s' is built in", e->name);
	vc_hint(u->t->c, "give it another name");
	return true;
}

static void
add_own(tosca_unit *u, enum tn_section section)
{
	uint32_t n;
	te **all = te_all(u->file, keynames[section], &n);
	for (uint32_t i = 0; i < n; i++) {
		te *e = all[i];
		if (strchr(e->name, ':') && !(u->version & VT_TV_HOT)) {
			vc_report(u->t->c, VC_E2008, te_span(e), "the name of a %s has no colon",
				tn_nouns[section]);
			vc_hint(u->t->c,
				"a colon stands between the namespace of an import and a name");
			continue;
		}
		if (section == TN_DATA && is_primitive_again(u, e->name))
			continue;
		if (section == TN_DATA && takes_built_in(u, e))
			continue;
		if (section < TN_REPOSITORY)
			add_type(u, section, e);
		add(u, section, e->name, e, false, NULL);
		if (u->normative && section < TN_REPOSITORY &&
			strcmp(short_name(e), e->name) != 0) {
			add(u, section, vc_format(u->t->c, "tosca:%s", short_name(e)), e, false,
				NULL);
			add(u, section, short_name(e), e, true, NULL);
		} else if (u->normative && section < TN_REPOSITORY) {
			add(u, section, vc_format(u->t->c, "tosca:%s", e->name), e, false, NULL);
		}
	}
}

/* A chain of imports hands every name on to every file, so what is taken over grows with its
 * square. */
enum { MOST_NAMES = 4000000, NAME_UNIT = 64 };

static bool
may_take(tosca_unit *u, const char *name, vc_span at)
{
	struct tosca *t = u->t;
	bool before = t->nnames > MOST_NAMES;
	t->nnames += 1 + strlen(name) / NAME_UNIT;
	if (t->nnames > MOST_NAMES && !before)
		vc_report(t->c, VC_E2090, at,
			"the files take over more than %d names from their imports in all",
			MOST_NAMES);
	u->incomplete |= t->nnames > MOST_NAMES;
	return t->nnames <= MOST_NAMES;
}

/* string, and no tosca.datatypes.xml that is also xml */
static bool
is_bare(const char *name)
{
	return !strchr(name, '.') || !strncmp(name, "scalar-unit", 11);
}

/* Implicit imports are a unit's own affair. */
static void
add_imported(tosca_unit *u, const tosca_import *im)
{
	const struct tn_table *from = im->unit->names;
	const char *mark = u->version & VT_TV_CLOUDIFY ? "--" : ":";
	for (uint32_t i = 0; i < from->cap; i++) {
		const entry *s = &from->slot[i];
		if (!s->name || s->ambiguous || (s->section == TN_REPOSITORY && im->prefix))
			continue;
		if (im->implicit && s->weak && u->keys & TK_YORC && !is_bare(s->e->name))
			continue;
		if (!im->implicit && s->e->unit->embedded && !im->unit->embedded &&
			im->unit->imports && im->unit->imports[0].implicit &&
			im->unit->imports[0].unit == s->e->unit)
			continue;
		if (!im->implicit && !may_take(u, s->name, te_span(im->e)))
			return;
		const char *name = im->prefix
					   ? vc_format(u->t->c, "%s%s%s", im->prefix, mark, s->name)
					   : s->name;
		add(u, (enum tn_section)s->section, name, s->e,
			im->implicit ? s->weak || u->version & VT_TV_2_0 : s->weak && !im->prefix,
			im->e);
	}
}

/* As many slots as its largest import makes sure to need: tables that grow leave the smaller ones
 * behind. */
static uint32_t
room_for(const tosca_unit *u)
{
	uint32_t n = 0, cap = 64;
	for (uint32_t i = 0; i < u->nimports; i++) {
		const tosca_unit *from = u->imports[i].unit;
		if (from && from->names && from->names->n > n)
			n = from->names->n;
	}
	while (cap <= n * 2)
		cap *= 2;
	return cap;
}

static void
build(tosca_unit *u, const char *space)
{
	if (u->state)
		return; /* done, or a loop, which was reported where it was read */
	u->state = 1;
	u->space = u->embedded ? u->profile : space ? space : u->profile;
	u->names = vc_alloc(u->t->c, sizeof *u->names);
	for (uint32_t i = 0; i < u->nimports; i++)
		if (u->imports[i].unit)
			build(u->imports[i].unit, u->space);
	u->names->cap = room_for(u);
	u->names->slot = vc_alloc(u->t->c, u->names->cap * sizeof *u->names->slot);
	for (int s = 0; s < TN_SECTIONS; s++)
		add_own(u, (enum tn_section)s);
	for (uint32_t i = 0; i < u->nimports; i++) {
		tosca_unit *from = u->imports[i].unit;
		if (!from || !from->names)
			continue;
		u->incomplete |= from->incomplete;
		add_imported(u, &u->imports[i]);
	}
	u->state = 2;
}

/* Files that import each other have each other's names: round, until nobody gets one. */
static void
go_round(struct tosca *t)
{
	bool more = true;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < t->nunits; i++) {
			tosca_unit *u = t->units[i];
			uint32_t before = u->names->n;
			for (uint32_t k = 0; k < u->nimports; k++)
				if (u->imports[k].unit && u->imports[k].unit != u) {
					u->incomplete |= u->imports[k].unit->incomplete;
					add_imported(u, &u->imports[k]);
				}
			more |= u->names->n > before;
		}
	}
}

void
tn_build(struct tosca *t)
{
	for (uint32_t i = 0; i < t->nunits; i++)
		build(t->units[i], NULL);
	if (t->loops)
		go_round(t);
	for (uint32_t i = 0; i < t->nunits; i++)
		t->units[i]->state = 0;
}

/* ---- lookups ---- */

/* Before 2.0 the interfaces of the lifecycle may be called by the whole names of their types. */
const char *
te_interface_name(const tosca_unit *u, const char *name)
{
	static const char *const whole[] = {"tosca.interfaces.node.lifecycle.Standard",
		"tosca.interfaces.relationship.Configure"};
	for (size_t i = 0; !(u->version & VT_TV_2_0) && i < VC_LEN(whole); i++)
		if (!strcmp(name, whole[i]))
			return strrchr(whole[i], '.') + 1;
	return name;
}

/* Cloudify reads all files of a blueprint as one. */
static bool
has_all(const tosca_unit *u, const tosca_unit *root)
{
	return u->version & VT_TV_CLOUDIFY && !u->embedded && root && root != u && root->names;
}

te *
tn_find(const tosca_unit *u, enum tn_section section, const char *name)
{
	const entry *s = slot_of(u->names, section, name, hash_of(u, section, name));
	if (!s->name && has_all(u, u->t->root))
		return tn_find(u->t->root, section, name);
	return s->name ? s->e : NULL;
}

ty_type *
tn_find_type(const tosca_unit *u, enum tn_section section, const char *name)
{
	te *e = tn_find(u, section, name);
	return e ? e->of : NULL;
}

/* TOSCA 2.0 has no types of its own beside the primitive ones: a template that forgot the profile
 * is reported of it. */
static bool
is_of_simple_profile(const tosca_unit *u, const char *name)
{
	size_t n;
	const char *text = vc_asset("tosca/simple-2.0.yaml", &n);
	const char *line = vc_format(u->t->c, "\n  %s:", name);

	for (uint32_t i = 0; i < u->nimports; i++)
		if (u->imports[i].unit && u->imports[i].unit->embedded && !u->imports[i].implicit)
			return false;
	return u->version & VT_TV_2_0 && text && strstr(text, line) != NULL;
}

/*
 * A file that has the roots of the profile itself, or imports one that has, and no service, is of
 * a platform's own catalogue.  Platforms read the files of their catalogue one beside the other:
 * what one lacks another may have.  Names without a dot are the profile's alone.
 */
static bool
is_of_catalogue(const tosca_unit *u, enum tn_section section, const char *name)
{
	const te *root = u->t->root ? u->t->root->file : NULL;
	return u->copies && section < TN_REPOSITORY && strchr(name, '.') && root &&
	       !te_get(root, "topology_template");
}

static void
report_unknown(tosca_unit *u, enum tn_section section, const char *name, vc_span at)
{
	vc *c = u->t->c;
	vc_report(c, is_of_catalogue(u, section, name) ? VC_W2043 : VC_E2020, at,
		"there is no %s '%s'", tn_nouns[section], name);
	u->t->lacks_types |= section < TN_REPOSITORY;
	const char *last = strncmp(name, "tosca.", 6) == 0 ? strrchr(name, '.') + 1 : NULL;
	if (last && tn_find(u, section, last)) {
		vc_hint(c, "did you mean '%s'? names like this one are those of TOSCA 1.0 to 1.3",
			last);
		vc_near(c, last);
		return;
	}
	for (int s = 0; s < TN_REPOSITORY; s++)
		if (s != (int)section && tn_find(u, (enum tn_section)s, name)) {
			vc_hint(c, "'%s' is a %s", name, tn_nouns[s]);
			return;
		}
	if (is_of_simple_profile(u, name)) {
		vc_hint(c, "imports: [ { profile: org.oasis-open.simple:2.0 } ] brings it");
		return;
	}
	const char **names = NULL;
	size_t n = 0;
	for (uint32_t i = 0; i < u->names->cap; i++)
		if (u->names->slot[i].name && u->names->slot[i].section == (uint8_t)section)
			vc_push(c, names, n) = u->names->slot[i].name;
	const char *near = section == TN_DATA ? th_primitive(name) : NULL;
	if (!near)
		near = vt_nearest(name, names, n);
	if (near)
		vc_did_you_mean(c, "'%s'", near);
}

/* Types that the profile has since a later version than this one: W2040, once in a file. */
static void
tell_later(tosca_unit *u, const ty_type *y, vc_span at)
{
	const ynode *m = y->unit->normative && !u->embedded ? te_y(y->e, "metadata") : NULL;
	const char *since = m ? te_text(yn_get(m, "vetro.since")) : NULL;
	if (!since || !tosca_tells(u, y->name))
		return;
	vc_report(u->t->c, VC_W2040, at, "the %s '%s' came with TOSCA %s", tn_nouns[y->section],
		y->name, since);
	vc_hint(u->t->c, "tosca_definitions_version: tosca_simple_yaml_1_3 has it");
}

/* SDC takes String for string. */
static ty_type *
in_small_letters(tosca_unit *u, const char *name, vc_span at)
{
	vc *c = u->t->c;
	char *small = vc_strdup(c, name);
	for (char *p = small; *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
	ty_type *y = strcmp(small, name) ? tn_find_type(u, TN_DATA, small) : NULL;
	if (!y || !y->unit->embedded || strchr(y->name, '.'))
		return NULL;
	vc_report(c, VC_W2040, at, "there is no data type '%s', so it is taken for '%s'", name,
		small);
	vc_hint(c, "write %s", small);
	return y;
}

ty_type *
tn_type(tosca_unit *u, enum tn_section section, const char *name, vc_span at)
{
	ty_type *y = tn_find_type(u, section, name);
	if (y)
		tell_later(u, y, at);
	else if (section == TN_DATA && u->keys & TK_SDC)
		y = in_small_letters(u, name, at);
	bool incomplete = u->incomplete || (has_all(u, u->t->root) && u->t->root->incomplete);
	if (!y && !incomplete)
		report_unknown(u, section, name, at);
	return y;
}

void
tn_each_type(const tosca_unit *u, enum tn_section section,
	void (*each)(void *, const char *name, ty_type *), void *ctx)
{
	const struct tn_table *t = u->names;

	for (uint32_t i = 0; t && i < t->cap; i++)
		if (t->slot[i].name && t->slot[i].section == section && t->slot[i].e->of)
			each(ctx, t->slot[i].name, t->slot[i].e->of);
}

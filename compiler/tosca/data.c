/*
 * data.c - data types and schemas: primitives, scalars with their units, lists and maps.
 *
 * type.c completes what all kinds of types have; here is what only data types have.  A type's base
 * is that of the primitive it derives from; without one it is complex.
 */
#include "compiler/tosca/front.h"

#include <string.h>

/* ---- primitives ---- */

static const struct {
	const char *name;
	uint8_t base;
} primitives[] = {
	{"string", VT_TB_STRING},
	{"integer", VT_TB_INTEGER},
	{"float", VT_TB_FLOAT},
	{"boolean", VT_TB_BOOLEAN},
	{"null", VT_TB_NULL},
	{"nil", VT_TB_NULL},
	{"bytes", VT_TB_BYTES},
	{"timestamp", VT_TB_TIMESTAMP},
	{"version", VT_TB_VERSION},
	{"range", VT_TB_RANGE},
	{"list", VT_TB_LIST},
	{"map", VT_TB_MAP},
	{"scalar", VT_TB_SCALAR},
	{"scalar-unit.size", VT_TB_SCALAR},
	{"scalar-unit.time", VT_TB_SCALAR},
	{"scalar-unit.frequency", VT_TB_SCALAR},
	{"scalar-unit.bitrate", VT_TB_SCALAR},
	{"scalar-unit", VT_TB_SCALAR},
	{"any", VT_TB_ANY},
	{"dict", VT_TB_MAP},
	{"regex", VT_TB_STRING},
};

static const struct {
	const char *name;
	uint8_t base;
} heat[] = {{"string", VT_TB_HEAT_STRING}, {"number", VT_TB_HEAT_NUMBER},
	{"comma_delimited_list", VT_TB_HEAT_LIST}, {"json", VT_TB_HEAT_JSON},
	{"boolean", VT_TB_HEAT_BOOLEAN}};

/* Units of TOSCA 1.x, 3.3.6: factors to the canonical unit, which comes first. */
static const ty_unit sizes[] = {{"B", 1}, {"kB", 1e3}, {"KiB", 1024}, {"MB", 1e6}, {"MiB", 1048576},
	{"GB", 1e9}, {"GiB", 1073741824}, {"TB", 1e12}, {"TiB", 1099511627776}};
static const ty_unit times[] = {
	{"s", 1}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
static const ty_unit frequencies[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
static const ty_unit bitrates[] = {{"bps", 1}, {"Kbps", 1e3}, {"Kibps", 1024}, {"Mbps", 1e6},
	{"Mibps", 1048576}, {"Gbps", 1e9}, {"Gibps", 1073741824}, {"Tbps", 1e12},
	{"Tibps", 1099511627776}, {"Bps", 8}, {"KBps", 8e3}, {"KiBps", 8192}, {"MBps", 8e6},
	{"MiBps", 8388608}, {"GBps", 8e9}, {"GiBps", 8589934592}, {"TBps", 8e12},
	{"TiBps", 8796093022208}};
static const struct {
	const char *name;
	const ty_unit *unit;
	uint32_t n;
	uint8_t integral;
	bool fold;
} families[] = {
	{"scalar-unit.size", sizes, VC_LEN(sizes), 2, true},
	{"scalar-unit.time", times, VC_LEN(times), 0, true},
	{"scalar-unit.frequency", frequencies, VC_LEN(frequencies), 0, true},
	{"scalar-unit.bitrate", bitrates, VC_LEN(bitrates), 0, false},
};

static void
old_scalar(ty_type *y)
{
	vc *c = y->unit->t->c;
	for (size_t i = 0; i < VC_LEN(families); i++) {
		if (strcmp(families[i].name, y->name) != 0)
			continue;
		ty_scalar *s = y->scalar = vc_alloc(c, sizeof *s);
		s->unit = vc_alloc(c, families[i].n * sizeof *s->unit);
		memcpy(s->unit, families[i].unit, families[i].n * sizeof *s->unit);
		s->n = families[i].n;
		s->canonical = s->unit[0].name;
		s->integral = families[i].integral;
		s->fold = families[i].fold;
	}
}

static bool
primitive(ty_type *y)
{
	for (size_t i = 0; y->unit->version & VT_TV_HOT && i < VC_LEN(heat); i++)
		if (!strcmp(heat[i].name, y->name)) {
			y->base = heat[i].base;
			return true;
		}
	if (!y->unit->embedded || y->parent)
		return false;
	for (size_t i = 0; i < VC_LEN(primitives); i++)
		if (!strcmp(primitives[i].name, y->name)) {
			y->base = primitives[i].base;
			old_scalar(y);
			return true;
		}
	return false;
}

/* ---- scalars of TOSCA 2.0 ---- */

static void
malformed(ty_type *y, vc_span at, const char *what)
{
	vc_report(y->unit->t->c, VC_E2032, at, "the scalar type '%s' %s", y->name, what);
	y->bad = true;
}

static bool
number_of(const ynode *v, double *out)
{
	if (v->kind != YN_SCALAR || (v->type != YT_INT && v->type != YT_FLOAT))
		return false;
	*out = v->type == YT_FLOAT ? v->f : v->fits ? (double)v->i : 0;
	return true;
}

/* A map of names to factors; *has_one says whether one of them is 1. */
static ty_unit *
read_factors(ty_type *y, const char *keyname, uint32_t *n, bool *has_one)
{
	const ynode *m = te_y(y->e, keyname);
	ty_unit *list = NULL;
	*n = 0;
	*has_one = false;
	if (!m)
		return NULL;
	if (m->kind != YN_MAP || !m->n) {
		malformed(y, m->span, "needs a map of names to numbers here");
		return NULL;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		double f;
		const char *name = m->key[i]->kind == YN_SCALAR ? m->key[i]->text : NULL;
		if (!name || !number_of(m->item[i], &f) || !(f > 0)) {
			malformed(y, m->item[i]->span, "has a factor that is no number above 0");
			continue;
		}
		*has_one |= f == 1;
		vc_push(y->unit->t->c, list, *n) = (ty_unit){name, f};
	}
	return list;
}

static ty_unit *
find_unit(const ty_scalar *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->unit[i].name, name))
			return &s->unit[i];
	return NULL;
}

static void
add_unit(ty_type *y, ty_scalar *s, const char *prefix, const ty_unit *u, double factor)
{
	vc *c = y->unit->t->c;
	const char *name = *prefix ? vc_format(c, "%s%s", prefix, u->name) : u->name;
	if (!find_unit(s, name))
		vc_push(c, s->unit, s->n) = (ty_unit){name, u->factor * factor};
}

/* The plain units, kept apart so that a derived type can put its prefixes before them. */
static const ty_type *
units_from(const ty_type *y)
{
	while (y && !te_get(y->e, "units"))
		y = y->parent;
	return y;
}

static void
apply_prefixes(ty_type *y, ty_scalar *s, ty_unit *unit, uint32_t nunits)
{
	uint32_t n;
	bool one, any = false;
	for (ty_type *p = y; p; p = p->parent) {
		ty_unit *prefix = read_factors(p, "prefixes", &n, &one);
		if (p == y && n && !one)
			for (const ty_type *q = y->parent; q && !one; q = q->parent)
				one = te_get(q->e, "prefixes") != NULL;
		if (p == y && n && !one)
			malformed(y, te_y(y->e, "prefixes")->span,
				"needs a prefix whose factor is 1");
		if (p == y && n && nunits > 1)
			ty_loose(y->unit, te_y(y->e, "prefixes")->span, "units with prefixes",
				"with prefixes a scalar has one unit");
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < nunits; k++)
				add_unit(y, s, prefix[i].name, &unit[k], prefix[i].factor);
		any |= n > 0;
	}
	for (uint32_t k = 0; k < nunits && !any; k++)
		add_unit(y, s, "", &unit[k], 1);
}

static void
check_canonical(ty_type *y, ty_scalar *s)
{
	const char *name = te_str(y->e, "canonical_unit");
	if (!name && y->parent && y->parent->scalar && y->parent->scalar->canonical)
		name = y->parent->scalar->canonical;
	ty_unit *u = name ? find_unit(s, name) : NULL;
	if (name && !u) {
		malformed(y,
			te_get(y->e, "canonical_unit") ? te_y(y->e, "canonical_unit")->span
						       : te_span(y->e),
			"has no such unit");
	} else if (u && u->factor != 1) {
		malformed(y,
			te_get(y->e, "canonical_unit") ? te_y(y->e, "canonical_unit")->span
						       : te_span(y->e),
			"has a canonical unit whose factor is not 1");
	}
	for (uint32_t i = 0; i < s->n && !te_str(y->e, "canonical_unit"); i++) {
		bool one = s->unit[i].factor == 1;
		if (one && name && strcmp(name, s->unit[i].name) != 0 && te_get(y->e, "units") &&
			!y->unit->embedded) {
			malformed(y, te_span(y->e),
				"has several units of the multiplier 1, so it needs a "
				"canonical_unit");
			break;
		}
		name = one && !name ? s->unit[i].name : name;
	}
	s->canonical = name;
}

static void
scalar_number(ty_type *y, ty_scalar *s)
{
	const char *name = te_str(y->e, "data_type");
	s->number = y->parent->scalar ? y->parent->scalar->number : NULL;
	s->integral = y->parent->scalar ? y->parent->scalar->integral : 0;
	if (!name)
		return;
	ty_type *number = tn_type(y->unit, TN_DATA, name, te_y(y->e, "data_type")->span);
	if (!number)
		return;
	ty_complete(number);
	if (number->base != VT_TB_INTEGER && number->base != VT_TB_FLOAT) {
		malformed(y, te_y(y->e, "data_type")->span,
			"needs a data_type that is integer, float or derived from them");
		return;
	}
	if (s->number && !ty_is(number, s->number)) {
		vc_report(y->unit->t->c, VC_E2031, te_y(y->e, "data_type")->span,
			"the data_type '%s' is not derived from '%s', which it refines", name,
			s->number->name);
		y->bad = true;
		return;
	}
	s->number = number;
	/* The Simple profile says 1.23 GiB; for other types an integer is one as it is written. */
	s->integral = number->base != VT_TB_INTEGER ? 0 : y->unit->embedded ? 2 : 1;
}

/* A whole number of one unit is a whole number of the canonical one. */
static void
only_integers(ty_type *y)
{
	static const char *const names[] = {"units", "prefixes"};
	for (size_t i = 0; i < VC_LEN(names); i++) {
		const ynode *m = te_y(y->e, names[i]);
		for (uint32_t k = 0; m && m->kind == YN_MAP && k < m->n; k++)
			if (m->item[k]->kind == YN_SCALAR && m->item[k]->type == YT_FLOAT &&
				m->item[k]->f != (double)(int64_t)m->item[k]->f)
				malformed(y, m->item[k]->span,
					"has a factor that is no integer, and its data_type is "
					"one");
	}
}

static void
new_scalar(ty_type *y)
{
	ty_scalar *s = y->scalar = vc_alloc(y->unit->t->c, sizeof *s);
	const ty_type *from = units_from(y);
	uint32_t n;
	bool one;
	s->spaced = true;
	scalar_number(y, s);
	if (!from) {
		malformed(y, te_span(y->e), "needs the keyname 'units'");
		return;
	}
	ty_unit *unit = read_factors((ty_type *)(uintptr_t)from, "units", &n, &one);
	if (from == y && n && !one)
		malformed(y, te_y(y->e, "units")->span, "needs a unit whose factor is 1");
	if (s->integral == 1)
		only_integers(y);
	apply_prefixes(y, s, unit, n);
	if (!y->bad)
		check_canonical(y, s);
}

static void
only_scalars(ty_type *y)
{
	static const char *const names[] = {"units", "canonical_unit", "prefixes", "data_type"};
	for (size_t i = 0; i < VC_LEN(names); i++) {
		const te_field *f = te_get(y->e, names[i]);
		if (!f)
			continue;
		vc_report(y->unit->t->c, VC_E2032, f->key->span,
			"'%s' is for types derived from scalar, and '%s' is not", names[i],
			y->name);
		y->bad = true;
		return;
	}
}

/* ---- constraints ---- */

static void
push_clause(tosca_unit *u, ty_clause **list, uint32_t *n, ynode *y)
{
	if (y->kind != YN_ERROR)
		vc_push(u->t->c, *list, *n) = (ty_clause){y, u};
}

static void
own_clauses(tosca_unit *u, te *e, ty_clause **list, uint32_t *n)
{
	ynode *many = te_y(e, "constraints"), *one = te_y(e, "validation");
	if (one)
		push_clause(u, list, n, one);
	if (!many)
		return;
	if (many->kind != YN_SEQ) {
		vc_report(u->t->c, VC_E2004, many->span, "constraints must be a list");
		if (many->kind == YN_MAP)
			vc_hint(u->t->c, "write '- ' in front of each");
		return;
	}
	for (uint32_t i = 0; i < many->n; i++)
		push_clause(u, list, n, many->item[i]);
}

static void
inherit_clauses(tosca_unit *u, const te *e, ty_clause **list, uint32_t *n, const ty_clause *from,
	uint32_t nfrom)
{
	vc *c = u->t->c;
	if (!ty_inherits(u, nfrom, te_span(e)))
		return;
	for (uint32_t i = 0; i < nfrom; i++)
		vc_push(c, *list, *n) = from[i];
}

/* ---- schemas ---- */

static ty_schema *
sub_schema(tosca_unit *u, te *e, const char *keyname, const ty_schema *refines)
{
	te *sub = te_one(e, keyname);
	if (!sub)
		return refines ? (ty_schema *)(uintptr_t)refines : NULL;
	return sub->bad ? NULL : ty_schema_of(u, sub, refines);
}

/* Before 2.0 constraints of a refinement take the place of those refined; from 2.0 on all hold. */
static void
schema_clauses(tosca_unit *u, te *e, ty_schema *s, const ty_schema *refines)
{
	bool own = te_get(e, "constraints") || te_get(e, "validation");
	if (refines && (!own || u->version & VT_TV_2_0))
		inherit_clauses(u, e, &s->checks, &s->nchecks, refines->checks, refines->nchecks);
	own_clauses(u, e, &s->checks, &s->nchecks);
}

/* scalar itself has no units: only types derived from it are types of values. */
static void
check_scalar(tosca_unit *u, te *e, const ty_schema *s)
{
	if (!s->type || s->type->base != VT_TB_SCALAR || s->type->scalar || s->type->bad ||
		u->embedded)
		return;
	vc_report(u->t->c, VC_E2032, te_span(e),
		"'%s' has no units: a value needs a type derived from it", s->type->name);
	e->bad = true;
}

static void
not_for(tosca_unit *u, te *e, const char *keyname, const char *types, const ty_schema *s)
{
	const te_field *f = te_get(e, keyname);
	if (!f)
		return;
	vc_report(u->t->c, VC_E2032, f->key ? f->key->span : te_span(e),
		"'%s' is for %s, and '%s' is none", keyname, types, s->type->name);
	e->bad = true;
}

/* TOSCA 2.0: schemas of entries and keys are for collections, and keys of maps are strings. */
static void
check_collection(tosca_unit *u, te *e, const ty_schema *s)
{
	if (!s->type || s->type->bad || s->type->e->bad || u->embedded || !(u->version & VT_TV_2_0))
		return;
	const ty_type *key = s->key ? s->key->type : NULL;
	bool map = s->type->base == VT_TB_MAP, list = s->type->base == VT_TB_LIST;
	if (!map)
		not_for(u, e, "key_schema", "maps", s);
	if (!map && !list)
		not_for(u, e, "entry_schema", "lists and maps", s);
	if ((map || list) && !s->entry && te_y(e, "type") && e->kind == TE_PROPERTY_DEF)
		ty_loose(u, te_y(e, "type")->span, "no entry_schema",
			"a list or map needs the keyname 'entry_schema'");
	if (map && key && !key->bad && key->base != VT_TB_STRING && te_get(e, "key_schema")) {
		vc_report(u->t->c, VC_E2032, te_span(te_one(e, "key_schema")),
			"the keys of a map are strings, not '%s'", key->name);
		e->bad = true;
	}
}

ty_schema *
ty_schema_of(tosca_unit *u, te *e, const ty_schema *refines)
{
	ty_schema *s = vc_alloc(u->t->c, sizeof *s);
	const char *name = te_str(e, "type");
	s->type = refines ? refines->type : NULL;
	if (name) {
		ty_type *own = tn_type(u, TN_DATA, name, te_y(e, "type")->span);
		if (own)
			ty_complete(own);
		if (own && s->type && ty_rooted(own) && !ty_is(own, s->type)) {
			vc_report(u->t->c, ty_widens(u), te_y(e, "type")->span,
				"the type '%s' is not derived from '%s', which it refines", name,
				s->type->name);
			vc_note(u->t->c, te_span(s->type->e), "'%s' is declared here",
				s->type->name);
		}
		s->type = own;
	}
	s->key = sub_schema(u, e, "key_schema", refines ? refines->key : NULL);
	s->entry = sub_schema(u, e, "entry_schema", refines ? refines->entry : NULL);
	schema_clauses(u, e, s, refines);
	check_scalar(u, e, s);
	check_collection(u, e, s);
	return s;
}

/* ---- data types ---- */

void
ty_complete_data(ty_type *y)
{
	tosca_unit *u = y->unit;
	if (y->parent) {
		y->base = y->parent->base;
		y->key = y->parent->key;
		y->entry = y->parent->entry;
		y->scalar = y->parent->scalar;
		inherit_clauses(
			u, y->e, &y->checks, &y->nchecks, y->parent->checks, y->parent->nchecks);
	} else if (!primitive(y)) {
		y->base = VT_TB_COMPLEX;
		if (!te_get(y->e, "properties") && !y->e->bad && !y->bad)
			ty_loose(u, te_span(y->e), "no properties",
				"a data type has a parent, or properties");
	}
	const ynode *meta = te_y(y->e, "metadata"),
		    *format = u->embedded && meta ? yn_get(meta, "vetro.format") : NULL;
	if (te_text(format) && y->base == VT_TB_STRING)
		y->base = strcmp(format->text, "xml") ? VT_TB_JSON : VT_TB_XML;
	own_clauses(u, y->e, &y->checks, &y->nchecks);
	y->key = sub_schema(u, y->e, "key_schema", y->key);
	y->entry = sub_schema(u, y->e, "entry_schema", y->entry);
	if (y->base != VT_TB_SCALAR)
		only_scalars(y);
	else if (y->parent && u->version & VT_TV_2_0)
		new_scalar(y);
	const te_field *props = te_get(y->e, "properties");
	if (props && y->base != VT_TB_COMPLEX && y->parent) {
		vc_report(u->t->c, VC_E2032, props->key->span,
			"'%s' is derived from a primitive type and has no properties", y->name);
		y->bad = true;
	}
}

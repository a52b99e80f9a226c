/*
 * tosca.c - what may stand where in TOSCA: keynames by the table of its reader, types with what
 * they declare, and templates.
 */
#include "compiler/lsp/scope.h"
#include "compiler/lsp/tosca.h"

#include <string.h>

/* ---- the files ---- */

/* A compilation of its own, whose reports nobody sees: the check has told them. */
static struct tosca *
load(const lsp_spot *s)
{
	lsp_view *v = s->view;
	vc *c = v->c;
	struct tosca *t = vc_alloc(c, sizeof *t);

	*t = (struct tosca){.c = c, .m = tm_new(c), .check_only = true};
	t->paths = lsp_search(s->w, c, &t->npaths);
	lsp_hold(s->w->s, &(vc_held){s->d->path, v->text, v->n}, s->d->path != NULL);
	if (s->d->path && tosca_load(t, s->d->path)) {
		tn_build(t);
		ty_complete_all(t);
	}
	return t;
}

static tosca_unit *
unit_of(tl_place *p)
{
	lsp_view *v = p->s->view;

	if (!v)
		return NULL;
	if (!v->of)
		v->of = load(p->s);
	p->t = v->of;
	return p->t->root && p->t->root->names ? p->t->root : NULL;
}

/* Without a file that says it, anything of the standard. */
static uint16_t
version_of(const tl_place *p)
{
	static const struct {
		const char *text;
		uint16_t bit;
	} rows[] = {
		{"tosca_2_0", VT_TV_2_0},
		{"tosca_simple_yaml_1_3", VT_TV_1_3},
		{"tosca_simple_yaml_1_2", VT_TV_1_2},
		{"tosca_simple_yaml_1_1", VT_TV_1_1},
		{"tosca_simple_yaml_1_0", VT_TV_1_0},
	};
	static const char key[] = "tosca_definitions_version:";
	const char *at = strstr(p->s->d->text, key);

	if (p->unit)
		return (uint16_t)(p->unit->keys ? p->unit->keys : p->unit->version);
	for (size_t i = 0; at && i < VC_LEN(rows); i++) {
		const char *v = at + sizeof key - 1 + strspn(at + sizeof key - 1, " \"'");
		if (strncmp(v, rows[i].text, strlen(rows[i].text)) == 0)
			return rows[i].bit;
	}
	return VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2 | VT_TV_1_3 | VT_TV_2_0;
}

/* ---- the way to the spot ---- */

/* The row of the key, else the one that stands for every other key. */
static const tk_row *
row_of(uint8_t entity, const char *key, uint16_t version)
{
	const tk_row *rest = NULL;

	for (const tk_row *r = te_infos[entity].row; r && r->name; r++) {
		if (!(r->versions & version))
			continue;
		if (strcmp(r->name, key) == 0)
			return r;
		if (r->flags & TK_REST)
			rest = r;
	}
	return rest;
}

static void
enter(tl_place *p, uint8_t entity, uint32_t depth, const char *name)
{
	p->level[p->n++] = (tl_level){entity, depth, name};
}

static void
stop_at(tl_place *p, const tk_row *row, uint32_t inner, bool names)
{
	p->row = row;
	p->inner = inner;
	p->names = names;
}

/* Steps that lead into an entity of the row; 0: the spot comes first. */
static uint32_t
steps_into(const tl_place *p, const tk_row *row, uint32_t at)
{
	const lsp_step *step = p->s->step;
	uint32_t left = p->s->n - at;
	bool listed = row->reader == TK_SEQ || row->reader == TK_SEQ1;

	if (row->reader == TK_ONE)
		return 1;
	if (row->reader == TK_LIST)
		return left > 1 ? 2 : 0;
	if (row->reader == TK_MAP && row->flags & TK_REST)
		return 1;
	if (listed && left > 1 && !step[at + 1].key)
		return left > 2 && step[at + 2].key ? 3 : 0;
	return left > 1 && step[at + 1].key ? 2 : 0;
}

static bool
is_entities(const tk_row *row)
{
	return row->of != TE_NONE &&
	       (row->reader == TK_ONE || row->reader == TK_MAP || row->reader == TK_LIST ||
		       row->reader == TK_SEQ || row->reader == TK_SEQ1);
}

/* Templates of Cloudify stand at the top, where those of 1.2 have a topology around them. */
static const tk_row *
row_at(tl_place *p, const char *key)
{
	const tl_level *top = &p->level[p->n - 1];
	const tk_row *row = row_of(top->entity, key, p->version);

	if (!row && top->entity == TE_FILE)
		row = row_of(TE_SERVICE, key, p->version);
	return row;
}

static void
walk(tl_place *p)
{
	const lsp_spot *s = p->s;

	enter(p, TE_FILE, 0, NULL);
	for (uint32_t i = 0; i < s->n && !p->row;) {
		const tk_row *row = s->step[i].key ? row_at(p, s->step[i].key) : NULL;
		uint32_t n = row && is_entities(row) ? steps_into(p, row, i) : 0;
		if (!row || p->n == LSP_DEEP) {
			p->lost = true;
			return;
		}
		if (n) {
			enter(p, row->of, i + n, s->step[i + n - 1].key);
			i += n;
		} else {
			stop_at(p, row, i + 1, is_entities(row));
		}
	}
	/* a scalar in the place of the entity is what its short notation says */
	const tl_level *top = &p->level[p->n - 1];
	const char *shorthand = te_infos[top->entity].shorthand;
	if (!p->row && !s->key && shorthand && top->depth == s->n)
		stop_at(p, row_of(top->entity, shorthand, p->version), s->n, false);
}

/* ---- entities ---- */

te *
tl_service(const tl_place *p)
{
	te *file = p->unit ? p->unit->file : NULL, *e;

	if (!file)
		return NULL;
	e = te_one(file, "service_template");
	return e ? e : te_one(file, "topology_template");
}

static const ynode *
value_at(const tl_place *p, uint32_t level, const char *key)
{
	const ynode *y = lsp_node_at(p->s, p->level[level].depth);

	y = y && y->kind == YN_MAP ? yn_get(y, key) : NULL;
	return y && y->kind == YN_SCALAR && y->ntext ? y : NULL;
}

ty_type *
tl_named_type(const tl_place *p, enum tn_section section, const char *name)
{
	return p->unit && name ? tn_find_type(p->unit, section, name) : NULL;
}

/* Whose `type` is of which section; types themselves are of their own. */
static const struct {
	uint8_t entity;
	enum tn_section section;
	bool itself;
} typed[] = {
	{TE_NODE, TN_NODE, false},
	{TE_RELATIONSHIP, TN_RELATIONSHIP, false},
	{TE_RELATIONSHIP_ASSIGN, TN_RELATIONSHIP, false},
	{TE_RELATIONSHIP_DEF, TN_RELATIONSHIP, false},
	{TE_GROUP, TN_GROUP, false},
	{TE_POLICY, TN_POLICY, false},
	{TE_ARTIFACT, TN_ARTIFACT, false},
	{TE_CAPABILITY_DEF, TN_CAPABILITY, false},
	{TE_INTERFACE_DEF, TN_INTERFACE, false},
	{TE_INTERFACE, TN_INTERFACE, false},
	{TE_PROPERTY_DEF, TN_DATA, false},
	{TE_ATTRIBUTE_DEF, TN_DATA, false},
	{TE_PARAMETER_DEF, TN_DATA, false},
	{TE_SCHEMA, TN_DATA, false},
	{TE_NODE_TYPE, TN_NODE, true},
	{TE_RELATIONSHIP_TYPE, TN_RELATIONSHIP, true},
	{TE_GROUP_TYPE, TN_GROUP, true},
	{TE_POLICY_TYPE, TN_POLICY, true},
	{TE_ARTIFACT_TYPE, TN_ARTIFACT, true},
	{TE_CAPABILITY_TYPE, TN_CAPABILITY, true},
	{TE_INTERFACE_TYPE, TN_INTERFACE, true},
	{TE_DATA_TYPE, TN_DATA, true},
};

static bool
section_of(uint8_t entity, enum tn_section *section, bool *itself)
{
	for (size_t i = 0; i < VC_LEN(typed); i++)
		if (typed[i].entity == entity) {
			*section = typed[i].section;
			*itself = typed[i].itself;
			return true;
		}
	return false;
}

ty_type *
tl_type(const tl_place *p, uint32_t level)
{
	const tl_level *l = &p->level[level];
	enum tn_section section;
	bool itself;
	const ynode *type;

	if (l->entity == TE_SUBSTITUTION) {
		type = value_at(p, level, "node_type");
		return tl_named_type(p, TN_NODE, type ? type->text : NULL);
	}
	if (!section_of(l->entity, &section, &itself))
		return NULL;
	type = itself ? NULL : value_at(p, level, "type");
	if (itself || type)
		return tl_named_type(p, section, itself ? l->name : type->text);
	if (l->entity == TE_RELATIONSHIP_ASSIGN && level > 0) {
		const ty_def *d = tl_def(p, level - 1);
		return d ? d->rel : NULL;
	}
	return NULL;
}

ty_def *
tl_def(const tl_place *p, uint32_t level)
{
	const tl_level *l = &p->level[level];
	const ty_type *type = level > 0 ? tl_type(p, level - 1) : NULL;

	if (!l->name || level == 0)
		return NULL;
	if (l->entity == TE_OPERATION || l->entity == TE_OPERATION_DEF) {
		if (p->level[level - 1].entity == TE_INTERFACE_TYPE)
			return type ? ty_find(&type->ops, l->name) : NULL;
		const ty_def *d = tl_def(p, level - 1);
		return d ? ty_find(&d->ops, l->name) : NULL;
	}
	if (!type)
		return NULL;
	if (l->entity == TE_CAPABILITY || l->entity == TE_CAPABILITY_DEF)
		return ty_find(&type->caps, l->name);
	if (l->entity == TE_REQUIREMENT || l->entity == TE_REQUIREMENT_DEF)
		return ty_find(&type->reqs, l->name);
	if (l->entity == TE_INTERFACE || l->entity == TE_INTERFACE_DEF)
		return ty_find(&type->ifaces, l->name);
	return NULL;
}

/* ---- what is offered ---- */

static void
put_defs(vt_buf *b, const char *what, const ty_defs *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : what, d->d[i]->name);
	if (d->n)
		vt_buf_puts(b, "  \n");
}

static const char *
type_text(const tl_place *p, const char *name, const ty_type *y)
{
	const char *told = te_str(y->e, "description");
	vt_buf b = {0};

	vt_buf_printf(&b, "```yaml\n%s:%s%s\n```\n%s", name, y->parent ? "\n  derived_from: " : "",
		y->parent ? y->parent->name : "", te_infos[y->e->kind].noun);
	if (told)
		vt_buf_printf(&b, ": %s", told);
	vt_buf_puts(&b, "\n\n");
	put_defs(&b, "Properties: ", &y->props);
	put_defs(&b, "Attributes: ", &y->attrs);
	put_defs(&b, "Capabilities: ", &y->caps);
	put_defs(&b, "Requirements: ", &y->reqs);
	put_defs(&b, "Interfaces: ", &y->ifaces);
	return vc_take(p->o->c, &b);
}

static bool
satisfies(const ty_type *node, const ty_def *want)
{
	if (!node || (want->node && !ty_is(node, want->node)))
		return false;
	for (uint32_t i = 0; i < node->caps.n; i++) {
		const ty_def *c = node->caps.d[i];
		if (want->cap_name ? strcmp(c->name, want->cap_name) == 0
				   : !want->type || (c->type && ty_is(c->type, want->type)))
			return true;
	}
	return false;
}

/* Of the names of a type of the profile, `tosca:Compute` is for those who have written it. */
static void
offer_type(void *ctx, const char *name, ty_type *y)
{
	const tl_place *p = ctx;
	bool also = p->o->wanted ||
		    (strncmp(name, "tosca:", 6) != 0 && (!p->fits || satisfies(y, p->fits)));

	if (also && lsp_wants(p->o, name))
		lsp_offer(p->o, &(lsp_item){.name = name,
					.kind = LSP_I_CLASS,
					.detail = te_infos[y->e->kind].noun,
					.doc = type_text(p, name, y),
					.at = te_span(y->e),
					.type = te_span(y->e)});
}

void
tl_offer_types(const tl_place *p, enum tn_section section)
{
	if (p->unit)
		tn_each_type(p->unit, section, offer_type, (void *)(uintptr_t)p);
}

ty_type *
tl_template_type(const tl_place *p, const char *name)
{
	te *service = tl_service(p),
	   *e = service ? te_named(service, "node_templates", name) : NULL;

	return e ? tl_named_type(p, TN_NODE, te_str(e, "type")) : NULL;
}

/* Where the type is declared that an entity of the kind names. */
static vc_span
type_place(const tl_place *p, uint8_t kind, const char *name)
{
	enum tn_section section;
	bool itself;
	const ty_type *y = section_of(kind, &section, &itself) && !itself
				   ? tl_named_type(p, section, name)
				   : NULL;

	return y ? te_span(y->e) : (vc_span){0};
}

static void
offer_entity(const tl_place *p, te *e, const char *detail, enum lsp_item_kind kind, bool declared)
{
	if (!e->name || !lsp_wants(p->o, e->name))
		return;
	const char *head = vc_format(p->o->c, "%s `%s`", te_infos[e->kind].noun, e->name);
	lsp_offer(p->o, &(lsp_item){.name = e->name,
				.kind = kind,
				.detail = detail ? detail : te_infos[e->kind].noun,
				.doc = lsp_schema_text(p->o->c, head, e->y),
				.at = te_span(e),
				.type = type_place(p, e->kind, te_str(e, "type")),
				.declared = declared});
}

void
tl_offer_all(const tl_place *p, const te *owner, const char *keyname, enum lsp_item_kind kind,
	bool declared)
{
	uint32_t n = 0;
	te **all = owner ? te_all(owner, keyname, &n) : NULL;

	for (uint32_t i = 0; i < n; i++)
		offer_entity(p, all[i], te_str(all[i], "type"), kind, declared);
}

void
tl_offer_entities(const tl_place *p, const char *keyname, enum lsp_item_kind kind, bool declared)
{
	tl_offer_all(p, tl_service(p), keyname, kind, declared);
}

void
tl_offer_templates(const tl_place *p, const ty_def *fits)
{
	te *service = tl_service(p);
	uint32_t n = 0, found = 0;
	te **all = service ? te_all(service, "node_templates", &n) : NULL;

	for (uint32_t i = 0; fits && !p->o->wanted && i < n; i++)
		if (satisfies(tl_named_type(p, TN_NODE, te_str(all[i], "type")), fits)) {
			offer_entity(p, all[i], te_str(all[i], "type"), LSP_I_VARIABLE, false);
			found++;
		}
	if (!found)
		tl_offer_entities(p, "node_templates", LSP_I_VARIABLE, false);
}

static const char *
def_text(const tl_place *p, const ty_def *d)
{
	const char *head = vc_format(p->o->c, "%s `%s`%s%s", te_infos[d->kind].noun, d->name,
		d->e->unit->embedded ? " of " : "",
		d->e->unit->embedded ? d->e->unit->src->name : "");

	return lsp_schema_text(p->o->c, head, d->e->y);
}

/* Where the name was given first: a refinement has it from there. */
static const te *
origin(const ty_def *d)
{
	while (d->parent)
		d = d->parent;
	return d->e;
}

void
tl_offer_defs(const tl_place *p, const ty_defs *all, enum lsp_item_kind kind, bool key)
{
	for (uint32_t i = 0; all && i < all->n; i++) {
		const ty_def *d = all->d[i];
		const ty_type *type = d->schema ? d->schema->type : d->type;
		if (lsp_wants(p->o, d->name))
			lsp_offer(p->o, &(lsp_item){.name = d->name,
						.kind = kind,
						.detail = type ? type->name : NULL,
						.doc = def_text(p, d),
						.at = te_span(p->s->w->exact ? origin(d) : d->e),
						.type = type ? te_span(type->e) : (vc_span){0},
						.key = key,
						.part = p->part});
	}
}

/* ---- keynames ---- */

static const char *
reader_text(const tk_row *r)
{
	switch ((enum tk_reader)r->reader) {
	case TK_STR: return "a text";
	case TK_BOOL: return "true or false";
	case TK_VALUE: return "a value";
	case TK_VALUES: return "values by name";
	case TK_STRS: return "a list of texts";
	case TK_META: return "texts by name";
	case TK_RANGE: return "[lower, upper or UNBOUNDED]";
	case TK_ONE: return te_infos[r->of].noun;
	case TK_MAP: return "a map";
	case TK_LIST:
	case TK_SEQ:
	case TK_SEQ1: return "a list";
	case TK_STATUS: return "supported, unsupported, experimental or deprecated";
	case TK_VERSION: return "a version";
	case TK_DSL: return "anything with anchors";
	}
	return "";
}

static void
offer_keynames(const tl_place *p, uint8_t entity)
{
	for (const tk_row *r = te_infos[entity].row; r && r->name; r++) {
		if (!(r->versions & p->version) || r->flags & TK_REST || !lsp_wants(p->o, r->name))
			continue;
		const char *said = lsp_entry_text(p->o->c, "tosca-keynames.txt", r->name);
		const char *text = vc_format(p->o->c, "keyname `%s` of a %s: %s%s%s%s%s", r->name,
			te_infos[entity].noun, reader_text(r),
			r->of != TE_NONE && r->reader != TK_ONE ? " of: " : "",
			r->of != TE_NONE && r->reader != TK_ONE ? te_infos[r->of].noun : "",
			said ? "\n\n" : "", said ? said : "");
		lsp_offer(p->o, &(lsp_item){.name = r->name,
					.kind = LSP_I_KEYWORD,
					.detail = te_infos[entity].noun,
					.doc = text,
					.key = true});
	}
}

/* ---- names that the author gives ---- */

static const struct {
	uint8_t entity;
	enum tn_section section;
} declares[] = {{TE_NODE_TYPE, TN_NODE}, {TE_RELATIONSHIP_TYPE, TN_RELATIONSHIP},
	{TE_CAPABILITY_TYPE, TN_CAPABILITY}, {TE_INTERFACE_TYPE, TN_INTERFACE},
	{TE_DATA_TYPE, TN_DATA}, {TE_GROUP_TYPE, TN_GROUP}, {TE_POLICY_TYPE, TN_POLICY},
	{TE_ARTIFACT_TYPE, TN_ARTIFACT}};

void
tl_offer_own_key(const tl_place *p, const char *noun)
{
	const char *word = p->o->wanted;
	const ynode *y = lsp_node_at(p->s, p->s->n);
	const ynode *key = word && y && y->kind == YN_MAP ? yn_key(y, word) : NULL;
	const ynode *value = key ? yn_get(y, word) : NULL;
	const ynode *type = value && value->kind == YN_MAP ? yn_get(value, "type") : NULL;

	if (key)
		lsp_offer(p->o, &(lsp_item){.name = word,
					.declared = true,
					.at = key->span,
					.type = p->row ? type_place(p, p->row->of,
								 type ? te_text(type) : NULL)
						       : (vc_span){0},
					.doc = lsp_schema_text(p->o->c,
						vc_format(p->o->c, "%s `%s`", noun, word), value)});
}

static void
offer_own_names(const tl_place *p)
{
	const char *word = p->o->wanted;

	for (size_t i = 0; word && i < VC_LEN(declares); i++)
		if (declares[i].entity == p->row->of) {
			ty_type *y = tl_named_type(p, declares[i].section, word);
			if (y)
				offer_type((void *)(uintptr_t)p, word, y);
			return;
		}
	tl_offer_own_key(p, te_infos[p->row->of].noun);
}

/* Names that a type has declared, for those who assign them. */
static const ty_defs *
defs_of(const tl_place *p, const char *keyname)
{
	uint32_t at = p->n - 1;
	const ty_type *y = tl_type(p, at);
	const ty_def *d = tl_def(p, at);
	uint8_t entity = p->level[at].entity;

	if ((entity == TE_CAPABILITY || entity == TE_CAPABILITY_DEF) && d)
		return !strcmp(keyname, "attributes") ? &d->attrs : &d->props;
	if ((entity == TE_INTERFACE || entity == TE_OPERATION || entity == TE_INTERFACE_DEF ||
		    entity == TE_OPERATION_DEF) &&
		d)
		return !strcmp(keyname, "inputs") ? &d->inputs : &d->ops;
	if (entity == TE_INTERFACE_TYPE && y)
		return !strcmp(keyname, "inputs") ? &y->inputs : &y->ops;
	if (!y || (y->section == TN_DATA && entity != TE_DATA_TYPE))
		return NULL;
	return !strcmp(keyname, "properties")     ? &y->props
	       : !strcmp(keyname, "attributes")   ? &y->attrs
	       : !strcmp(keyname, "capabilities") ? &y->caps
	       : !strcmp(keyname, "requirements") ? &y->reqs
	       : !strcmp(keyname, "interfaces")   ? &y->ifaces
	       : !strcmp(keyname, "artifacts")    ? &y->artifacts
						  : NULL;
}

static void
offer_names(const tl_place *p)
{
	const ty_defs *defs = defs_of(p, p->row->name);
	uint8_t of = p->row->of;
	bool assigned = of == TE_CAPABILITY || of == TE_REQUIREMENT || of == TE_INTERFACE ||
			of == TE_OPERATION || of == TE_NOTIFICATION || of == TE_ARTIFACT;

	/* a refinement is no declaration to those who look for all of a name */
	if (defs && (assigned || p->s->w->exact))
		tl_offer_defs(p, defs, LSP_I_PROPERTY, true);
	offer_own_names(p);
	if (defs && !assigned) /* a refinement of what is inherited */
		tl_offer_defs(p, defs, LSP_I_PROPERTY, true);
	if (p->row->reader == TK_LIST && of == TE_ARTIFACT)
		return;
}

/* ---- values of keynames ---- */

static bool
is_one_of(const char *word, const char *words)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* Keynames that name a type, beside `type` and `derived_from`. */
static const struct {
	uint8_t entity;
	const char *keys;
	enum tn_section section;
} naming[] = {
	{TE_REQUIREMENT_DEF, "capability", TN_CAPABILITY},
	{TE_REQUIREMENT_DEF, "node", TN_NODE},
	{TE_CAPABILITY_DEF, "valid_source_types valid_source_node_types", TN_NODE},
	{TE_CAPABILITY_DEF, "valid_relationship_types", TN_RELATIONSHIP},
	{TE_CAPABILITY_TYPE, "valid_source_types valid_source_node_types", TN_NODE},
	{TE_CAPABILITY_TYPE, "valid_relationship_types", TN_RELATIONSHIP},
	{TE_RELATIONSHIP_TYPE, "valid_target_types valid_capability_types", TN_CAPABILITY},
	{TE_RELATIONSHIP_TYPE, "valid_target_node_types valid_source_node_types", TN_NODE},
	{TE_GROUP_TYPE, "members", TN_NODE},
	{TE_POLICY_TYPE, "targets", TN_NODE},
	{TE_POLICY_TYPE, "targets", TN_GROUP},
	{TE_SUBSTITUTION, "node_type", TN_NODE},
	{TE_DATA_TYPE, "data_type", TN_DATA},
};

static void
offer_type_names(const tl_place *p, uint8_t entity, const char *keyname)
{
	enum tn_section section;
	bool itself;

	if (section_of(entity, &section, &itself) &&
		strcmp(keyname, itself ? "derived_from" : "type") == 0)
		tl_offer_types(p, section);
	for (size_t i = 0; i < VC_LEN(naming); i++)
		if (naming[i].entity == entity && is_one_of(keyname, naming[i].keys))
			tl_offer_types(p, naming[i].section);
}

static void
offer_requirement(tl_place *p, const char *keyname)
{
	uint32_t at = p->n - 1;
	const ynode *node = value_at(p, at, "node");
	const ty_type *type = node ? tl_template_type(p, node->text) : NULL;

	if (node && !type)
		type = tl_named_type(p, TN_NODE, node->text);
	if (strcmp(keyname, "node") == 0) {
		p->fits = tl_def(p, at);
		tl_offer_templates(p, p->fits);
		tl_offer_types(p, TN_NODE);
	} else if (strcmp(keyname, "capability") == 0) {
		tl_offer_defs(p, type ? &type->caps : NULL, LSP_I_PROPERTY, false);
		tl_offer_types(p, TN_CAPABILITY);
	}
}

static void
offer_fixed(const tl_place *p, uint8_t entity, const tk_row *row)
{
	if (row->reader == TK_BOOL)
		lsp_offer_words(p->o, "true false", LSP_I_VALUE, false);
	else if (row->reader == TK_STATUS)
		lsp_offer_words(
			p->o, "supported unsupported experimental deprecated", LSP_I_VALUE, false);
	else if (strcmp(row->name, "tosca_definitions_version") == 0)
		lsp_offer_words(p->o,
			"tosca_2_0 tosca_simple_yaml_1_3 tosca_simple_yaml_1_2 "
			"tosca_simple_yaml_1_1 tosca_simple_yaml_1_0 "
			"tosca_simple_profile_for_nfv_1_0",
			LSP_I_VALUE, false);
	else if (strcmp(row->name, "directives") == 0)
		lsp_offer_words(p->o,
			entity != TE_NODE        ? "internal external"
			: p->version & VT_TV_2_0 ? "create select substitute"
						 : "select selectable substitute substitutable",
			LSP_I_VALUE, false);
}

/* Of the declaration around the spot, as it is written: its type, and that of its items. */
static const ty_schema *
declared_schema(const tl_place *p, ty_schema *schema, ty_schema *entry)
{
	const ynode *y = lsp_node_at(p->s, p->level[p->n - 1].depth);
	const ynode *of = y && y->kind == YN_MAP ? yn_get(y, "entry_schema") : NULL;

	if (of && of->kind == YN_MAP)
		of = yn_get(of, "type");
	*schema = (ty_schema){.type = tl_type(p, p->n - 1)};
	*entry =
		(ty_schema){.type = of && te_text(of) ? tl_named_type(p, TN_DATA, of->text) : NULL};
	if (entry->type)
		schema->entry = entry;
	return schema->type ? schema : NULL;
}

static void
offer_keyname_value(tl_place *p)
{
	uint8_t entity = p->level[p->n - 1].entity;
	const char *keyname = p->row->name;

	offer_fixed(p, entity, p->row);
	offer_type_names(p, entity, keyname);
	if (entity == TE_REQUIREMENT)
		offer_requirement(p, keyname);
	if (entity == TE_RELATIONSHIP_ASSIGN && strcmp(keyname, "type") == 0)
		tl_offer_entities(p, "relationship_templates", LSP_I_VARIABLE, false);
	if (strcmp(keyname, "copy") == 0 && entity == TE_RELATIONSHIP)
		tl_offer_entities(p, "relationship_templates", LSP_I_VARIABLE, false);
	else if (strcmp(keyname, "copy") == 0)
		tl_offer_templates(p, NULL);
	if (tl_offer_loose(p, entity, keyname))
		return;
	if (entity == TE_GROUP || entity == TE_POLICY) {
		if (is_one_of(keyname, "members targets"))
			tl_offer_templates(p, NULL);
		if (strcmp(keyname, "targets") == 0)
			tl_offer_entities(p, "groups", LSP_I_VARIABLE, false);
	}
	if (is_one_of(keyname, "default value") && p->row->reader == TK_VALUE) {
		ty_schema schema, entry;
		tl_offer_typed(p, declared_schema(p, &schema, &entry), p->inner);
	} else if (p->row->reader == TK_VALUES || p->row->reader == TK_VALUE)
		tl_offer_value(p, p->row->reader == TK_VALUES ? defs_of(p, keyname) : NULL);
}

static void
offer(lsp_offers *o)
{
	tl_place p = {.o = o, .s = o->s};

	p.unit = unit_of(&p);
	p.version = version_of(&p);
	walk(&p);
	if (p.lost)
		return;
	const tl_level *top = &p.level[p.n - 1];
	if (p.row && p.names) {
		offer_names(&p);
	} else if (p.row) {
		offer_keyname_value(&p);
	} else if (o->s->key) {
		bool holds = top->entity == TE_INTERFACE || top->entity == TE_INTERFACE_DEF ||
			     top->entity == TE_INTERFACE_TYPE;
		if (!(p.version & VT_TV_2_0) && holds) /* they may stand beside the keynames */
			tl_offer_defs(&p, defs_of(&p, "operations"), LSP_I_METHOD, true);
		offer_keynames(&p, top->entity);
		if (!(p.version & VT_TV_2_0) && holds)
			tl_offer_own_key(&p, "operation");
		if (top->entity == TE_FILE && p.unit && p.unit->version & VT_TV_CLOUDIFY)
			offer_keynames(&p, TE_SERVICE);
	}
}

/* Could the word there be a name, which nobody here has followed? */
static bool
is_blind(const lsp_spot *s)
{
	static const char texts[] =
		"description metadata version profile namespace namespace_prefix namespace_uri "
		"template_name template_author template_version url file event credential status "
		"mime_type file_ext external-schema deploy_path artifact_version checksum "
		"checksum_algorithm annotations annotation_types tags units canonical_unit "
		"prefixes schedule timeout";
	lsp_offers o = {.s = s, .c = s->w->c};
	tl_place p = {.o = &o, .s = s};
	const char *name = "";

	p.unit = unit_of(&p);
	p.version = version_of(&p);
	walk(&p);
	if (p.lost || (p.row && p.names))
		return true;
	if (p.row)
		name = p.row->name;
	if (!p.row || is_one_of(name, texts))
		return false;
	if (p.row->reader == TK_DSL)
		return s->key || tl_in_call(&p);
	if (p.row->reader == TK_VALUE || p.row->reader == TK_VALUES)
		return tl_in_call(&p) || tl_is_loose(&p);
	return true;
}

const lsp_language lsp_tosca_language = {offer, true, is_blind};

/* ---- who is derived from whom ---- */

static ty_type *
type_declared_at(vc *c, const struct tosca *t, vc_span at)
{
	const char *path = vc_real_path(c, at.src->name);

	for (uint32_t i = 0; i < t->ntypes; i++) {
		vc_span s = te_span(t->types[i]->e);
		const char *other =
			s.src && s.from == at.from ? vc_real_path(c, s.src->name) : NULL;
		if (s.src && s.from == at.from &&
			(strcmp(s.src->name, at.src->name) == 0 ||
				(path && other && strcmp(path, other) == 0)))
			return t->types[i];
	}
	return NULL;
}

/* The files of the project that the worker looks at: more is derived there than one file knows. */
static const struct tosca *
project_types(lsp_worker *w, const lsp_document *d)
{
	const lsp_document *main = lsp_document_at(w->s, w->p->path);
	lsp_spot s;

	if (!lsp_spot_at(w, main ? main : d, 0, &s) || !(s.view = lsp_view_of(&s)))
		return NULL;
	if (!s.view->of)
		s.view->of = load(&s);
	return s.view->of;
}

void
lsp_tosca_relatives(lsp_worker *w, const lsp_document *d, size_t at, enum lsp_relation which,
	void (*each)(void *, const char *name, const char *noun, vc_span), void *ctx)
{
	lsp_known k;
	const struct tosca *t;

	if (!lsp_known_at(w, d, &lsp_tosca_language, at, &k) || !k.item.at.src ||
		!(t = project_types(w, d)))
		return;
	const ty_type *of = type_declared_at(w->c, t, k.item.at);
	for (uint32_t i = 0; of && i < t->ntypes; i++) {
		const ty_type *y = t->types[i];
		bool is = which == LSP_ITSELF    ? y == of
			  : which == LSP_PARENTS ? y == of->parent
			  : which == LSP_HEIRS   ? y->parent == of
						 : y != of && ty_is(y, of);
		if (is)
			each(ctx, y->name, te_infos[y->e->kind].noun, te_span(y->e));
	}
}

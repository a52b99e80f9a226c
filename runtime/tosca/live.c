/*
 * live.c - attributes that operations set while a service runs.
 *
 * A cell that was evaluated from an attribute, or from an output of an operation, remembers the
 * epoch it was evaluated in; each change begins a new one, and what is older is evaluated again
 * when somebody asks.  Cells that depend on no attribute stay.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- from a service that is described to one that runs ---- */

static void
again(vt_tosca *t, vt_tbag *b, bool live)
{
	for (uint32_t i = 0; i < b->n; i++) {
		vt_tcell *c = &b->cell[i];
		c->live = live;
		if (c->given != VT_TG_INPUT && (live || c->given == VT_TG_LINK ||
						       (c->expr && !t->m->expr[c->expr].constant)))
			c->state = VT_TC_NEW;
	}
}

static void
node_again(vt_tosca *t, vt_tnodei *n)
{
	again(t, &n->props, false);
	again(t, &n->attrs, true);
	for (uint32_t i = 0; i < n->ncaps; i++) {
		again(t, &n->caps[i].props, false);
		again(t, &n->caps[i].attrs, true);
	}
	for (uint32_t i = 0; i < n->nrels; i++) {
		again(t, &n->rels[i]->props, false);
		again(t, &n->rels[i]->attrs, true);
	}
}

void
vt_tosca_go_live(vt_tosca *t)
{
	t->epoch++;
	for (uint32_t i = 0; i < t->nnodes; i++)
		node_again(t, t->nodes[i]);
	for (uint32_t i = 0; i < t->nservices; i++) {
		vt_tservicei *s = t->services[i];
		again(t, &s->inputs, false);
		again(t, &s->outputs, false);
		for (uint32_t k = 0; k < s->s->groups.n; k++)
			again(t, &s->groups[k], false);
		for (uint32_t k = 0; k < s->s->policies.n; k++)
			again(t, &s->policies[k], false);
	}
}

/* ---- where an output goes ---- */

static bool
refuse(char **why, char *text)
{
	*why = text;
	return false;
}

/* Cloudify's way to say it: there all requirements have one name. */
static bool
contains(const vt_tosca *t, const vt_treli *r)
{
	if (!(t->m->version & VT_TV_CLOUDIFY))
		return false;
	for (uint32_t ty = r->type; ty; ty = t->m->type[ty].parent)
		if (!strcmp(vt_tosca_text(t, t->m->type[ty].name),
			    "cloudify.relationships.contained_in"))
			return true;
	return false;
}

vt_tnodei *
vt_tosca_host(const vt_tosca *t, const vt_tnodei *n)
{
	for (uint32_t i = 0; n && i < n->nrels; i++)
		if (n->rels[i]->target && (!strcmp(vt_tosca_text(t, n->rels[i]->name), "host") ||
						  contains(t, n->rels[i])))
			return n->rels[i]->target;
	return NULL;
}

static bool
find_entity(vt_tosca *t, const vt_tctx *ctx, const vt_str *name, vt_tattr *out, char **why)
{
	*out = (vt_tattr){0};
	if (!strcmp(name->s, "SELF")) {
		out->node = ctx->rel ? NULL : ctx->node;
		out->rel = ctx->rel;
	} else if (!strcmp(name->s, "SOURCE") && ctx->rel) {
		out->node = ctx->rel->source;
	} else if (!strcmp(name->s, "TARGET") && ctx->rel) {
		out->node = ctx->rel->target;
	} else if (!strcmp(name->s, "HOST")) {
		out->node = vt_tosca_host(t, ctx->rel ? ctx->rel->source : ctx->node);
	} else {
		out->node = vt_tosca_node(ctx->service, vt_tosca_find_str(t, name), 0);
	}
	return out->node || out->rel || refuse(why, vt_asprintf("there is no '%s' here", name->s));
}

/* Texts of the path; n of them. False: it is none. */
static bool
read_path(vt_tosca *t, uint32_t path, const vt_str **text, uint32_t *n)
{
	const vt_texpr *x = &t->m->expr[path];
	*n = 0;
	if (x->kind == VT_TX_STR) {
		text[(*n)++] = t->m->str[x->u.str];
		return true;
	}
	if (x->kind == VT_TX_CALL || x->kind == VT_TX_LIST)
		for (uint32_t i = 0; i < x->n && *n < 3; i++) {
			const vt_texpr *e = &t->m->expr[t->m->index[x->u.k.at + i]];
			if (e->kind != VT_TX_STR)
				return false;
			text[(*n)++] = t->m->str[e->u.str];
		}
	return *n > 0;
}

static bool
has(vt_tosca *t, const vt_tbag *b, const vt_str *name, uint32_t *out)
{
	*out = vt_tosca_find_str(t, name);
	return *out && vt_tosca_find(b, *out);
}

bool
vt_tosca_find_attribute(vt_tosca *t, const vt_tctx *ctx, uint32_t path, vt_tattr *out, char **why)
{
	const vt_str *text[3];
	uint32_t n, at = 1;
	*out = (vt_tattr){0};
	if (!read_path(t, path, text, &n))
		return refuse(why, vt_xstrdup("the mapping is no path of texts"));
	if (n == 1) {
		out->node = ctx->rel ? NULL : ctx->node;
		out->rel = ctx->rel;
		at = 0;
	} else if (!find_entity(t, ctx, text[0], out, why)) {
		return false;
	}
	for (uint32_t i = 0; at + 1 < n && out->node && i < out->node->ncaps; i++)
		if (!strcmp(vt_tosca_text(t, out->node->caps[i].def->name), text[at]->s) &&
			has(t, &out->node->caps[i].attrs, text[at + 1], &out->name)) {
			out->cap = &out->node->caps[i];
			return true;
		}
	if (has(t, out->rel ? &out->rel->attrs : &out->node->attrs, text[at], &out->name))
		return true;
	return refuse(why, vt_asprintf("there is no attribute '%s'", text[at]->s));
}

/* ---- values ---- */

bool
vt_tosca_reads_text(const vt_tmodel *m, uint32_t slot)
{
	uint32_t schema = slot ? m->slot[slot].schema : 0,
		 type = schema ? m->schema[schema].type : 0;
	if (!type)
		return true;
	switch ((enum vt_tbase)m->data[type].base) {
	case VT_TB_ANY:
	case VT_TB_STRING:
	case VT_TB_BYTES:
	case VT_TB_TIMESTAMP:
	case VT_TB_VERSION:
	case VT_TB_SCALAR:
	case VT_TB_HEAT_STRING:
	case VT_TB_HEAT_NUMBER:
	case VT_TB_HEAT_LIST:
	case VT_TB_HEAT_JSON:
	case VT_TB_HEAT_BOOLEAN:
	case VT_TB_JSON:
	case VT_TB_XML: return true;
	case VT_TB_INTEGER:
	case VT_TB_FLOAT:
	case VT_TB_BOOLEAN:
	case VT_TB_NULL:
	case VT_TB_RANGE:
	case VT_TB_LIST:
	case VT_TB_MAP:
	case VT_TB_COMPLEX: return false;
	}
	return true;
}

vt_value
vt_tosca_text_value(vt_rt *rt, const vt_tmodel *m, uint32_t slot, vt_value text)
{
	vt_value v = VT_UNDEF;
	char *err = NULL;
	if (!vt_is(text, STR) || vt_tosca_reads_text(m, slot))
		return vt_copy(text);
	if (vt_json_read(rt, vt_as_str(text)->s, vt_as_str(text)->bytes, 0, 0, &v, &err))
		return v;
	free(err);
	return vt_copy(text);
}

static vt_tbag *
bag_of(const vt_tattr *a)
{
	return a->cap ? &a->cap->attrs : a->rel ? &a->rel->attrs : &a->node->attrs;
}

bool
vt_tosca_put_attribute(vt_tosca *t, const vt_tattr *a, vt_value v)
{
	vt_tctx ctx = a->rel ? vt_tosca_rel_ctx(a->rel) : vt_tosca_node_ctx(a->node);
	vt_tcell *c = vt_tosca_find_own(t, bag_of(a), a->name);
	uint32_t before = t->nproblems;
	if (!c)
		return false;
	t->epoch++;
	t->mem->base = (uintptr_t)__builtin_frame_address(0);
	c->live = 1;
	c->given = VT_TG_INPUT;
	c->state = VT_TC_NEW;
	vt_move(&c->value, vt_tosca_text_value(t->rt, t->m, c->slot, v));
	return vt_tosca_cell(t, &ctx, c) != VT_UNDEF && t->nproblems == before;
}

/* ---- outputs of operations ---- */

static vt_value
output_key(vt_rt *rt, const char *iface, const char *op, const char *name)
{
	return vt_str_printf(rt, "%s/%s/%s", iface, op, name);
}

void
vt_tosca_put_output(vt_tosca *t, vt_tnodei *n, vt_treli *r, const char *iface, const char *op,
	const char *name, vt_value v)
{
	struct vt_dict **d = r ? &r->outputs : &n->outputs;
	vt_value key = output_key(t->rt, iface, op, name);
	if (!*d)
		*d = vt_dict_new(t->rt, false);
	vt_dict_set(t->rt, *d, key, v);
	vt_release(key);
	t->epoch++;
}

vt_value
vt_tosca_get_output(vt_tosca *t, const vt_tnodei *n, const vt_treli *r, const char *iface,
	const char *op, const char *name)
{
	struct vt_dict *d = r ? r->outputs : n->outputs;
	vt_value key, v;
	t->touched = true;
	if (!d)
		return VT_UNDEF;
	key = output_key(t->rt, iface, op, name);
	v = vt_dict_get(d, key);
	vt_release(key);
	return v;
}

void
vt_tosca_drop_outputs(vt_tosca *t)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		vt_tnodei *n = t->nodes[i];
		if (n->outputs)
			vt_release(vt_mkptr(n->outputs));
		for (uint32_t k = 0; k < n->nrels; k++)
			if (n->rels[k]->outputs)
				vt_release(vt_mkptr(n->rels[k]->outputs));
	}
}

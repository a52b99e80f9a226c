/*
 * condition.c - conditions of workflows: what must hold before one begins, and filters of
 * steps.
 *
 * From TOSCA 2.0 on a condition is an expression.  Before, it is a clause: a list of clauses that
 * all hold; {and, or, not, assert: clauses}; {attribute: constraints}, where constraints are
 * {operator: operand}, a list of them, or the value itself.  A precondition of a workflow is a list
 * of {target, target_relationship, condition}.
 */
#include "runtime/deploy/deploy.h"
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

typedef struct condition {
	vt_tosca *t;
	vt_tnodei *node;
	vt_treli *rel;
	char **why;
} condition;

static int clause(const condition *, vt_value);

static int
cannot(const condition *c, char *why)
{
	if (*c->why)
		free(why);
	else
		*c->why = why;
	return -1;
}

static int
each(const condition *c, vt_value v, bool any)
{
	vt_value item;
	uint32_t n = vt_is_sequence(v) ? vt_as_list(v)->n : 0;
	int all = any ? 0 : 1;
	if (!vt_is_sequence(v))
		return clause(c, v);
	for (uint32_t i = 0; i < n; i++) {
		item = vt_as_list(v)->v[i];
		int holds = clause(c, item);
		if (holds < 0 || holds == any)
			return holds;
	}
	return all;
}

/* {operator: operand} */
static int
operator(const condition *c, vt_value value, vt_value key, vt_value operand)
{
	uint32_t fn =
		vt_is(key, STR) ? vt_tfunc_find(vt_as_str(key)->s, c->t->m->version, true) : 0;
	vt_tctx ctx = c->rel ? vt_tosca_rel_ctx(c->rel) : vt_tosca_node_ctx(c->node);
	vt_value args[2] = {value, operand}, out = VT_UNDEF;
	uint32_t before = c->t->nproblems;
	int holds;
	if (!fn)
		return cannot(c, vt_asprintf("'%s' is no operator of a condition",
					 vt_is(key, STR) ? vt_as_str(key)->s : "?"));
	ctx.fn = vt_tfuncs[fn].name;
	ctx.value = value;
	bool known = vt_tfuncs[fn].fn(c->t, &ctx, args, 2, &out);
	holds = known && out == VT_TRUE;
	vt_clear(&out);
	if (!known && c->t->nproblems > before)
		return cannot(c, vt_xstrdup(c->t->problems[c->t->nproblems - 1].message));
	return holds;
}

static int
constraint(const condition *c, vt_value value, vt_value v)
{
	vt_value key, operand;
	uint32_t pos = 0;
	if (vt_is_sequence(v)) {
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
			int holds = constraint(c, value, vt_as_list(v)->v[i]);
			if (holds != 1)
				return holds;
		}
		return 1;
	}
	if (!vt_is(v, DICT))
		return vt_tosca_equal(c->t, value, v);
	while (vt_dict_at(vt_as_dict(v), &pos, &key, &operand)) {
		int holds = operator(c, value, key, operand);
		if (holds != 1)
			return holds;
	}
	return 1;
}

/* An attribute that has no value has no property at all. */
static int
attribute(const condition *c, vt_value name, vt_value constraints)
{
	vt_tbag *bags[] = {c->rel ? &c->rel->attrs : &c->node->attrs,
		c->rel ? &c->rel->props : &c->node->props};
	vt_tctx ctx = c->rel ? vt_tosca_rel_ctx(c->rel) : vt_tosca_node_ctx(c->node);
	for (size_t i = 0; i < VT_LEN(bags); i++) {
		vt_tcell *cell = vt_tosca_lookup(c->t, bags[i], name);
		vt_value v = cell ? vt_tosca_cell(c->t, &ctx, cell) : VT_UNDEF;
		if (cell)
			return v != VT_UNDEF && v != VT_NOVALUE ? constraint(c, v, constraints) : 0;
	}
	return cannot(c, vt_asprintf("a condition names '%s', which is no attribute",
				 vt_is(name, STR) ? vt_as_str(name)->s : "?"));
}

static int
clause(const condition *c, vt_value v)
{
	vt_value key, item;
	uint32_t pos = 0;
	if (vt_is_sequence(v))
		return each(c, v, false);
	if (!vt_is(v, DICT))
		return cannot(c, vt_xstrdup("a condition is no map"));
	while (vt_dict_at(vt_as_dict(v), &pos, &key, &item)) {
		const char *name = vt_is(key, STR) ? vt_as_str(key)->s : "";
		int holds = !strcmp(name, "and") || !strcmp(name, "assert") ? each(c, item, false)
			    : !strcmp(name, "or")                           ? each(c, item, true)
			    : !strcmp(name, "not")                          ? each(c, item, false)
						   : attribute(c, key, item);
		if (holds >= 0 && !strcmp(name, "not"))
			holds = !holds;
		if (holds != 1)
			return holds;
	}
	return 1;
}

/* ---- preconditions ---- */

static vt_treli *
rel_of(const vt_tosca *t, const vt_tnodei *n, const char *name)
{
	for (uint32_t i = 0; i < n->nrels; i++)
		if (n->rels[i]->target && !strcmp(vt_tosca_text(t, n->rels[i]->name), name))
			return n->rels[i];
	return NULL;
}

/* All nodes of the template. */
static int
of_target(condition c, vt_value target, vt_value rel, vt_value v)
{
	vt_tosca *t = c.t;
	uint32_t found = 0;
	for (uint32_t i = 0; i < t->nnodes && vt_is(target, STR); i++) {
		vt_tnodei *n = t->nodes[i];
		if (n->service != t->services[0] ||
			strcmp(vt_tosca_text(t, n->t->name), vt_as_str(target)->s) != 0)
			continue;
		found++;
		c.node = n;
		c.rel = vt_is(rel, STR) ? rel_of(t, n, vt_as_str(rel)->s) : NULL;
		int holds = clause(&c, v);
		if (holds != 1)
			return holds;
	}
	return found ? 1
		     : cannot(&c,
			       vt_asprintf("the condition is about '%s', and there is no such node",
				       vt_is(target, STR) ? vt_as_str(target)->s : "?"));
}

static int
precondition(const condition *c, vt_value v)
{
	if (vt_is_sequence(v)) {
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
			int holds = precondition(c, vt_as_list(v)->v[i]);
			if (holds != 1)
				return holds;
		}
		return 1;
	}
	if (!vt_is(v, DICT) || vt_dict_get_c(vt_as_dict(v), "target") == VT_UNDEF)
		return cannot(c, vt_xstrdup("a precondition has a target and a condition"));
	vt_value cond = vt_dict_get_c(vt_as_dict(v), "condition");
	return cond == VT_UNDEF
		       ? 1
		       : of_target(*c, vt_dict_get_c(vt_as_dict(v), "target"),
				 vt_dict_get_c(vt_as_dict(v), "target_relationship"), cond);
}

int
vt_tosca_holds(vt_tosca *t, vt_tnodei *n, uint32_t expr, char **why)
{
	condition c = {t, n, NULL, why};
	vt_tctx ctx = n ? vt_tosca_node_ctx(n) : vt_tosca_service_ctx(t->services[0]);
	vt_value v = VT_UNDEF;
	uint32_t before = t->nproblems;
	int holds;
	*why = NULL;
	t->mem->base = (uintptr_t)__builtin_frame_address(0);
	if (!vt_tosca_eval(t, &ctx, expr, &v) || v == VT_UNDEF)
		return t->nproblems > before
			       ? cannot(&c, vt_xstrdup(t->problems[t->nproblems - 1].message))
			       : 0;
	if (v == VT_TRUE || v == VT_FALSE)
		holds = v == VT_TRUE;
	else
		holds = n ? clause(&c, v) : precondition(&c, v);
	vt_release(v);
	return holds;
}

/* Where it watches another node than the one that the step is for, all nodes of that template. */
int
vt_tosca_filter_holds(vt_tosca *t, const vt_tstep *step, vt_tnodei *n, char **why)
{
	const vt_tservicei *s = t->services[0];
	uint32_t at = step->watched - s->s->nodes.first;
	int holds = 1;
	if (!step->watched)
		return vt_tosca_holds(t, n, step->filter, why);
	*why = NULL;
	for (uint32_t i = 0; i < s->count[at] && holds == 1; i++)
		holds = vt_tosca_holds(t, s->first[at] + i, step->filter, why);
	return holds;
}

/*
 * op_inputs.c - what the process of an operation gets: its inputs, what it is told of its node, and
 * its environment.
 */
#define _GNU_SOURCE
#include "runtime/core/number.h"
#include "runtime/core/printable.h"
#include "runtime/deploy/op.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* ---- values for a process ---- */

static bool
plain_form(vt_rt *rt, vt_buf *b, vt_value v)
{
	vt_value text, number, unit;
	if (!vt_is(v, DICT))
		return false;
	number = vt_dict_get_c(vt_as_dict(v), "scalar");
	unit = vt_dict_get_c(vt_as_dict(v), "unit");
	if (vt_is_number(number) && vt_is(unit, STR) && vt_dict_len(vt_as_dict(v)) == 4) {
		vt_json_write(rt, b, number, 0);
		vt_buf_putc(b, ' ');
		vt_buf_puts(b, vt_as_str(unit)->s);
		return true;
	}
	text = vt_dict_get_c(vt_as_dict(v), "$string");
	if (!vt_is(text, STR) || vt_dict_len(vt_as_dict(v)) > 2)
		return false;
	vt_buf_puts(b, vt_as_str(text)->s);
	return true;
}

/* A text as it is, numbers with units as they are written, the rest as JSON. */
static void
plain(vt_rt *rt, vt_buf *b, vt_value v)
{
	if (vt_is(v, STR))
		vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (!plain_form(rt, b, v))
		vt_json_write(rt, b, v, 0);
}

char *
vt_op_text(vt_operation *o, vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	plain(o->rt, &b, v);
	vt_buf_putc(&b, 0);
	return b.p;
}

/* The problems since `before` are this operation's; they are reported with it. */
bool
vt_op_had_problem(vt_operation *o, uint32_t before, const char *what, const char *name)
{
	if (o->t->nproblems == before)
		return false;
	const vt_tproblem *p = &o->t->problems[o->t->nproblems - 1];
	vt_op_fail(o, "%s '%s': %.*s", what, name, VT_WHOLE(p->message));
	return true;
}

/* False: reported. An input that is not known yet is left out. */
static bool
one_input(vt_operation *o, const vt_tassign *a)
{
	vt_tosca *t = o->t;
	vt_value v = VT_UNDEF, typed = VT_UNDEF;
	uint32_t before = t->nproblems, schema = a->slot ? t->m->slot[a->slot].schema : 0;
	bool ok = true;
	if (!a->expr)
		return true;
	vt_tctx ctx = o->ctx;
	ctx.place = a->place;
	bool known = vt_tosca_eval(t, &ctx, a->expr, &v) && v != VT_UNDEF && v != VT_NOVALUE;
	if (known && schema)
		known = vt_tosca_type(t, &ctx, schema, a->expr, v, NULL, &typed);
	else
		typed = vt_copy(v);
	if (vt_op_had_problem(o, before, "input", vt_tosca_text(t, a->name))) {
		ok = false;
	} else if (known && typed != VT_UNDEF && typed != VT_NOVALUE) {
		vt_value shown = vt_tosca_shown(t, typed);
		vt_dict_set(o->rt, o->inputs, vt_tosca_str(t, a->name), shown);
		vt_release(shown);
	}
	vt_clear(&typed);
	vt_clear(&v);
	return ok;
}

/* Those that a workflow gives speak of its own inputs too, and are of the types that the operation
 * declares. */
static bool
activity_inputs(vt_operation *o)
{
	const vt_tspan given = o->a->activity ? o->a->activity->inputs : (vt_tspan){0, 0},
		       declared[] = {o->a->iface->inputs, o->a->op->inputs};
	vt_tctx own = o->ctx;
	bool ok = true;
	if (o->a->inputs)
		o->ctx.service = o->a->inputs;
	for (uint32_t i = 0; i < given.n && ok; i++) {
		vt_tassign a = o->t->m->assign[given.first + i];
		for (size_t k = 0; k < VT_LEN(declared); k++)
			for (uint32_t j = 0; j < declared[k].n; j++)
				if (o->t->m->assign[declared[k].first + j].name == a.name)
					a.slot = o->t->m->assign[declared[k].first + j].slot;
		ok = one_input(o, &a);
	}
	o->ctx = own;
	return ok;
}

bool
vt_op_inputs(vt_operation *o)
{
	const vt_tspan spans[] = {o->a->iface->inputs, o->a->op->inputs};
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++)
			if (!one_input(o, &o->t->m->assign[spans[k].first + i]))
				return false;
	return activity_inputs(o);
}

/* ---- before anything runs ---- */

static bool
is_given_by(const vt_tosca *t, const vt_taction *a, uint32_t name)
{
	vt_tspan given = a->activity ? a->activity->inputs : (vt_tspan){0, 0};
	for (uint32_t i = 0; i < given.n; i++)
		if (t->m->assign[given.first + i].name == name)
			return true;
	return false;
}

/* A problem of its expression is one of the engine as well. */
static void
check_input(vt_tosca *t, const vt_taction *a, const vt_tassign *in)
{
	vt_tctx ctx = a->rel ? vt_tosca_rel_ctx(a->rel) : vt_tosca_node_ctx(a->node);
	bool required = in->slot && t->m->slot[in->slot].flags & VT_TS_REQUIRED;
	vt_value v = VT_UNDEF;
	vt_buf b = {NULL, 0, 0};
	ctx.place = in->place;
	if (in->expr) {
		(void)vt_tosca_eval(t, &ctx, in->expr, &v);
		vt_clear(&v);
	} else if (required) {
		vt_tosca_path(&b, t, a->node);
		vt_tosca_problem(t, VT_E2081, in->place,
			"the input '%s' of the operation %s.%s of '%.*s' has no value",
			vt_tosca_text(t, in->name), vt_tosca_text(t, a->iface->name),
			vt_tosca_text(t, a->op->name), (int)b.n, b.p);
		vt_tosca_hint(t, "give it one where the node is declared, or a default");
		vt_buf_free(&b);
	}
}

void
vt_tplan_check_inputs(const vt_tplan *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const vt_taction *a = &p->a[i];
		if (!a->op || a->was || a->off)
			continue;
		const vt_tspan spans[] = {a->iface->inputs, a->op->inputs};
		for (size_t k = 0; k < VT_LEN(spans); k++)
			for (uint32_t j = 0; j < spans[k].n; j++) {
				const vt_tassign *in = &p->t->m->assign[spans[k].first + j];
				if (!is_given_by(p->t, a, in->name))
					check_input(p->t, a, in);
			}
	}
}

/* ---- what a process is told of its node ---- */

static void
put_bag(vt_operation *o, vt_dict *to, const char *key, const vt_tctx *ctx, vt_tbag *b)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	for (uint32_t i = 0; i < b->n; i++) {
		vt_value v = vt_tosca_cell(o->t, ctx, &b->cell[i]);
		if (v == VT_UNDEF || v == VT_NOVALUE)
			continue;
		vt_value shown = vt_tosca_shown(o->t, v);
		vt_dict_set(o->rt, d, vt_tosca_str(o->t, b->cell[i].name), shown);
		vt_release(shown);
	}
	vt_dict_set_c(o->rt, to, key, vt_mkptr(d));
}

static vt_value
node_text(vt_operation *o, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_path(&b, o->t, n);
	return vt_str_take(o->rt, &b);
}

/* Where it is: Cloudify's host_ip. Of the node, or of what it stands on. */
static vt_value
host_ip(vt_operation *o, vt_tnodei *n)
{
	static const char *const names[] = {"ip", "public_address", "private_address"};
	for (uint32_t hops = 0; n && hops < 64; hops++, n = vt_tosca_host(o->t, n)) {
		vt_value runtime = vt_op_runtime(o, n), v = VT_UNDEF;
		vt_tctx ctx = vt_tosca_node_ctx(n);
		v = vt_copy(vt_dict_get_c(vt_as_dict(runtime), names[0]));
		vt_release(runtime);
		for (size_t i = 0; v == VT_UNDEF && i < VT_LEN(names); i++) {
			vt_value name = vt_str_c(o->rt, names[i]);
			uint32_t str = vt_tosca_find_str(o->t, vt_as_str(name));
			vt_tcell *c = str ? vt_tosca_find(&n->attrs, str) : NULL;
			c = c || !str ? c : vt_tosca_find(&n->props, str);
			v = c ? vt_copy(vt_tosca_cell(o->t, &ctx, c)) : VT_UNDEF;
			vt_release(name);
		}
		if (vt_is(v, STR) && vt_as_str(v)->bytes)
			return v;
		vt_clear(&v);
	}
	return VT_NULL;
}

static vt_value
describe(vt_operation *o, vt_tnodei *n)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	vt_tctx ctx = vt_tosca_node_ctx(n);
	vt_dict_set_c(o->rt, d, "name", node_text(o, n));
	vt_dict_set_c(
		o->rt, d, "type", vt_copy(vt_tosca_str(o->t, o->t->m->type[n->t->type].name)));
	put_bag(o, d, "properties", &ctx, &n->props);
	put_bag(o, d, "attributes", &ctx, &n->attrs);
	if (o->ctx_folder) {
		vt_dict_set_c(o->rt, d, "template", vt_copy(vt_tosca_str(o->t, n->t->name)));
		vt_dict_set_c(o->rt, d, "runtime", vt_op_runtime(o, n));
		vt_dict_set_c(o->rt, d, "address", host_ip(o, n));
	}
	return vt_mkptr(d);
}

vt_value
vt_op_context(vt_operation *o)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	const vt_treli *r = o->a->rel;
	vt_dict_set_c(o->rt, d, "service", vt_str_c(o->rt, o->d->p->name));
	vt_dict_set_c(o->rt, d, "interface", vt_copy(vt_tosca_str(o->t, o->a->iface->name)));
	vt_dict_set_c(o->rt, d, "operation", vt_copy(vt_tosca_str(o->t, o->a->op->name)));
	vt_dict_set_c(o->rt, d, "node", describe(o, o->a->node));
	if (r) {
		vt_dict_set_c(o->rt, d, "relationship", vt_copy(vt_tosca_str(o->t, r->name)));
		vt_dict_set_c(o->rt, d, "source", describe(o, r->source));
		vt_dict_set_c(o->rt, d, "target", describe(o, r->target));
	}
	return vt_mkptr(d);
}

bool
vt_op_write_json(vt_operation *o, const char *name, vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	char *path = vt_asprintf("%s/%s", o->dir, name);
	vt_json_write(o->rt, &b, v, 0);
	vt_buf_putc(&b, '\n');
	bool ok = vt_op_write(path, b.p, b.n, 0600) ||
		  vt_op_fail(o, "%s cannot be written: %s", path, strerror(errno));
	vt_buf_free(&b);
	free(path);
	return ok;
}

/* ---- the environment ---- */

void
vt_op_set_env(vt_operation *o, const char *name, const char *value)
{
	size_t n = strlen(name);
	vt_op_push(&o->added, vt_asprintf("%s=%s", name, value));
	for (uint32_t i = 0; i < o->env.n; i++)
		if (!strncmp(o->env.v[i], name, n) && o->env.v[i][n] == '=') {
			free(o->env.v[i]);
			o->env.v[i] = vt_asprintf("%s=%s", name, value);
			return;
		}
	vt_op_push(&o->env, vt_asprintf("%s=%s", name, value));
}

static void
set_node_env(vt_operation *o, const char *name, const vt_tnodei *n)
{
	vt_value v = node_text(o, n);
	vt_op_set_env(o, name, vt_as_str(v)->s);
	vt_release(v);
}

/* During an update: what has changed of the node, or of the target that a relationship leads to. */
static void
set_changed_env(vt_operation *o)
{
	const vt_tnodei *n = o->a->role == VT_TL_TARGET_CHANGED ? o->a->rel->target : o->a->node;
	vt_buf parts = {NULL, 0, 0};
	(void)vt_tstate_update(o->d->state, o->t, n, &parts);
	vt_buf_putc(&parts, 0);
	if (parts.n > 1)
		vt_op_set_env(o, "VETRO_CHANGED", parts.p);
	vt_buf_free(&parts);
}

/* Whether it was begun before without ending well, by this run or another. */
static void
set_attempt_env(vt_operation *o)
{
	char *n = vt_asprintf("%lld", (long long)vt_tstate_attempt(o->d->state, o->d->plan, o->a));
	vt_op_set_env(o, "VETRO_ATTEMPT", n);
	vt_op_set_env(o, "VETRO_STEP_ID", o->id);
	free(n);
}

/* False: one of them cannot be a variable, which is reported. */
static bool
set_all(vt_operation *o, const vt_dict *values)
{
	vt_value key, v;
	uint32_t pos = 0;
	while (vt_dict_at(values, &pos, &key, &v)) {
		if (!vt_is(key, STR))
			continue;
		vt_buf b = {NULL, 0, 0};
		plain(o->rt, &b, v);
		const char *name = vt_as_str(key)->s;
		if (memchr(b.n ? b.p : "", 0, b.n) || strchr(name, '=') || !*name) {
			vt_buf_free(&b);
			return vt_op_fail(o,
				"input '%s': its name or value cannot be that of an environment "
				"variable",
				name);
		}
		vt_buf_putc(&b, 0);
		vt_op_set_env(o, name, b.p);
		vt_buf_free(&b);
	}
	return true;
}

vt_value
vt_op_process(vt_operation *o, const char *part)
{
	vt_value p =
		o->t->m->version & VT_TV_CLOUDIFY ? vt_dict_get_c(o->inputs, "process") : VT_UNDEF;
	return vt_is(p, DICT) ? vt_dict_get_c(vt_as_dict(p), part) : VT_UNDEF;
}

static bool
set_process_env(vt_operation *o)
{
	vt_value env = vt_op_process(o, "env");
	return !vt_is(env, DICT) || set_all(o, vt_as_dict(env));
}

/* Our own names last: an input cannot pretend to be one of them. */
bool
vt_op_environment(vt_operation *o)
{
	for (char **e = environ; *e; e++)
		vt_op_push(&o->env, vt_xstrdup(*e));
	if (!set_all(o, o->inputs) || !set_process_env(o))
		return false;
	char *inputs = vt_asprintf("%s/inputs.json", o->dir),
	     *ctx = vt_asprintf("%s/context.json", o->dir);
	vt_op_set_env(o, "VETRO_SERVICE", o->d->p->name);
	set_node_env(o, "VETRO_NODE", o->a->node);
	vt_op_set_env(o, "VETRO_INTERFACE", vt_tosca_text(o->t, o->a->iface->name));
	vt_op_set_env(o, "VETRO_OPERATION", vt_tosca_text(o->t, o->a->op->name));
	vt_op_set_env(o, "VETRO_DIR", o->files);
	vt_op_set_env(o, "VETRO_OUTPUTS", o->outputs);
	vt_op_set_env(o, "VETRO_INPUTS", inputs);
	vt_op_set_env(o, "VETRO_CONTEXT", ctx);
	if (o->a->rel) {
		vt_op_set_env(o, "VETRO_RELATIONSHIP", vt_tosca_text(o->t, o->a->rel->name));
		set_node_env(o, "VETRO_SOURCE", o->a->rel->source);
		set_node_env(o, "VETRO_TARGET", o->a->rel->target);
	}
	free(inputs);
	free(ctx);
	set_attempt_env(o);
	set_changed_env(o);
	vt_op_ctx_environment(o);
	return true;
}

/*
 * iface.c - interfaces, operations and artifacts of types and templates as rows.
 *
 * A template's interface is that of its type with what the template assigns: an implementation
 * replaces that of the type, inputs are laid over its defaults, operations it does not mention
 * stay.
 */
#include "compiler/tosca/front.h"

#include <string.h>

/* ---- artifacts ---- */

/*
 * Where the file of an artifact is.  Before 2.0 a template's artifact has no file of its own when
 * it leaves it to the type.
 */
static uint32_t
artifact_path(struct tosca *t, const te *e, const te *type)
{
	const te *from = te_str(e, "file") || e->unit->version & VT_TV_2_0 || !type ? e : NULL;
	if (from && !te_str(from, "file"))
		from = type;
	const char *file = from ? te_str(from, "file") : NULL,
		   *name = from ? te_str(from, "repository") : NULL;
	if (!file || file[0] == '/' || strstr(file, "://"))
		return tm_str(t->m, file);
	te *repository = name ? tn_find(from->unit, TN_REPOSITORY, name) : NULL;
	const char *base = repository ? te_str(repository, "url") : name ? NULL : from->unit->path;
	if (!base)
		return tm_str(t->m, file);
	size_t n = strlen(base);
	if (repository)
		n -= n && base[n - 1] == '/';
	else
		while (n && base[n - 1] != '/')
			n--;
	return tm_str(t->m, vc_format(t->c, "%.*s%s%s", (int)n, base, repository ? "/" : "", file));
}

/* Yorc's plugins run artifacts of types that no file declares. */
static ty_type *
artifact_type(const te *e)
{
	const char *name = te_str(e, "type");
	tosca_unit *u = e->unit;
	if (!name)
		return NULL;
	if (!(u->keys & TK_A4C) || u->incomplete || tn_find_type(u, TN_ARTIFACT, name))
		return tn_type(u, TN_ARTIFACT, name, te_y(e, "type")->span);
	if (tosca_tells(u, name)) {
		vc_report(u->t->c, VC_W2042, te_y(e, "type")->span,
			"there is no artifact type '%s': it must be one of a plugin", name);
		vc_hint(u->t->c, "import the file that declares it; it is told once in a file");
	}
	return NULL;
}

static vt_tartifact
artifact_row(struct tosca *t, const ty_def *d, const te *e)
{
	vt_tartifact a = {.name = tm_str(t->m, e->name), .place = tm_place(t, te_span(e))};
	ty_type *own = artifact_type(e);
	for (const ty_def *p = d; p && !own; p = p->parent)
		own = p->type;
	if (own)
		ty_complete(own);
	a.type = tm_type_row(t, own);
	const te *from[2] = {e, d && d->e != e ? d->e : NULL};
	for (int i = 0; i < 2 && from[i]; i++) {
		if (!a.file)
			a.file = tm_text(t, from[i], "file");
		if (!a.repository)
			a.repository = tm_text(t, from[i], "repository");
		if (!a.deploy_path)
			a.deploy_path = tm_text(t, from[i], "deploy_path");
		if (!a.description)
			a.description = tm_text(t, from[i], "description");
		if (!a.version)
			a.version = tm_text(t, from[i], "artifact_version");
		if (!a.checksum)
			a.checksum = tm_text(t, from[i], "checksum");
		if (!a.algorithm)
			a.algorithm = tm_text(t, from[i], "checksum_algorithm");
	}
	a.path = artifact_path(t, e, from[1]);
	if (own)
		a.props = tm_assigns(t, e, "properties",
			((vt_ttype *)tm_at(t->m, TM_type, a.type))->props,
			vc_format(t->c, "the artifact '%s'", e->name ? e->name : "(unnamed)"),
			false);
	return a;
}

static void
check_artifact(struct tosca *t, const te *e, const vt_tartifact *a)
{
	if (e->bad)
		return;
	if (!a->file)
		vc_report(t->c, VC_E2003, te_span(e), "the artifact '%s' needs the keyname 'file'",
			e->name ? e->name : "(unnamed)");
	if (e->unit->version & VT_TV_2_0 && e->name && !te_get(e, "type"))
		vc_report(t->c, VC_E2003, te_span(e), "the artifact '%s' needs the keyname 'type'",
			e->name);
	if (te_get(e, "checksum") && !a->algorithm)
		ty_loose(e->unit, te_get(e, "checksum")->key->span, "no checksum_algorithm",
			"a checksum needs the keyname 'checksum_algorithm'");
	const char *repository = te_str(e, "repository");
	if (repository && !tn_find(e->unit, TN_REPOSITORY, repository)) {
		vc_report(t->c, VC_E2014, te_y(e, "repository")->span,
			"there is no repository '%s'", repository);
		te_hint_near(e->unit->file, "repositories", repository);
	}
}

vt_tspan
tm_artifacts(struct tosca *t, const ty_defs *defs, tosca_unit *u, const te *e)
{
	vt_tartifact *row = NULL;
	uint32_t n = 0, nown;
	te **own = te_all(e, "artifacts", &nown);
	(void)u;
	for (uint32_t i = 0; defs && i < defs->n; i++) {
		const te *over = e ? te_named(e, "artifacts", defs->d[i]->name) : NULL;
		vt_tartifact a = artifact_row(t, defs->d[i], over ? over : defs->d[i]->e);
		vc_push(t->c, row, n) = a;
	}
	for (uint32_t i = 0; i < nown; i++) {
		if (defs && ty_find(defs, own[i]->name))
			continue;
		vt_tartifact a = artifact_row(t, NULL, own[i]);
		check_artifact(t, own[i], &a);
		vc_push(t->c, row, n) = a;
	}
	vt_tspan span = {tm_count(t->m, TM_artifact), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_artifact(t->m, row[i]);
	return n ? span : (vt_tspan){0, 0};
}

/* ---- implementations ---- */

static uint32_t
find_artifact(struct tosca *t, vt_tspan artifacts, uint32_t name)
{
	for (uint32_t i = 0; i < artifacts.n; i++)
		if (((vt_tartifact *)tm_at(t->m, TM_artifact, artifacts.first + i))->name == name)
			return artifacts.first + i;
	return 0;
}

/* The name of an artifact of the owner, or a file. */
static uint32_t
one_file(struct tosca *t, const te *artifact, vt_tspan artifacts, uint32_t *row)
{
	uint32_t file = tm_text(t, artifact, "file");
	*row = find_artifact(t, artifacts, file);
	if (!*row && (te_str(artifact, "type") || te_str(artifact, "repository")))
		*row = tm_add_artifact(t->m, artifact_row(t, NULL, artifact));
	return file;
}

/* Its expression; 0: nothing is said. */
static uint32_t
number_in(const te *impl, const char *keyname)
{
	ynode *y = te_y(impl, keyname);
	return y ? tx_value(impl->unit, y, 0) : 0;
}

static void
implementation(struct tosca *t, const te *impl, vt_tspan artifacts, vt_top *op)
{
	if (!impl)
		return;
	te *primary = te_one(impl, "primary");
	uint32_t n, ignored;
	te **deps = te_all(impl, "dependencies", &n);
	if (primary) {
		op->primary = one_file(t, primary, artifacts, &op->artifact);
		op->script = tm_place(t, primary->y->span);
	}
	op->from = impl->unit->index;
	uint32_t *list = vc_alloc(t->c, (n + 1) * sizeof *list);
	for (uint32_t i = 0; i < n; i++)
		list[i] = one_file(t, deps[i], artifacts, &ignored);
	op->dependencies = tm_indexes(t->m, list, n);
	op->timeout = number_in(impl, "timeout");
	op->retries = number_in(impl, "max_retries");
	op->pause = number_in(impl, "retry_interval");
	op->host = tm_text(t, impl, "operation_host");
}

/* ---- inputs and outputs of operations ---- */

static vt_tassign
default_assign(struct tosca *t, const ty_def *d)
{
	vt_tslot slot = {.name = tm_str(t->m, d->name),
		.schema = tm_schema_row(t, d->schema),
		.flags = (d->required ? VT_TS_REQUIRED : 0u) | (d->fixed ? VT_TS_FIXED : 0u) |
			 (d->secret ? VT_TS_PRIVATE : 0u),
		.place = tm_place(t, te_span(d->e))};
	slot.dflt = d->dflt ? tx_value(d->dflt_unit, d->dflt, 0) : 0;
	return (vt_tassign){slot.name, tm_add_slot(t->m, slot), slot.dflt, slot.place};
}

static void
put_assign(struct tosca *t, vt_tassign **list, uint32_t *n, vt_tassign a)
{
	for (uint32_t i = 0; i < *n; i++)
		if ((*list)[i].name == a.name) {
			(*list)[i].expr = a.expr;
			(*list)[i].place = a.place;
			return;
		}
	vc_push(t->c, *list, *n) = a;
}

static vt_tspan
add_assigns(struct tosca *t, const vt_tassign *list, uint32_t n)
{
	vt_tspan span = {tm_count(t->m, TM_assign), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_assign(t->m, list[i]);
	return n ? span : (vt_tspan){0, 0};
}

static void
template_inputs(struct tosca *t, const te *e, vt_tassign **list, uint32_t *n)
{
	const ynode *y = te_y(e, "inputs");
	if (e && (e->kind == TE_INTERFACE || e->kind == TE_OPERATION || e->kind == TE_NOTIFICATION))
		for (uint32_t i = 0; y && i < y->n; i++) {
			if (!te_text(y->key[i]))
				continue;
			vt_tassign a = {tm_str(t->m, y->key[i]->text), 0,
				tx_value(e->unit, y->item[i], 0), tm_place(t, y->key[i]->span)};
			put_assign(t, list, n, a);
		}
}

/* An operation may be given inputs that nobody declares; one that is nearly the name of a declared
 * one, which has no value there, was meant to be that. */
static void
near_inputs(struct tosca *t, const te *e, const vt_tassign *list, uint32_t n)
{
	const ynode *y = e ? te_y(e, "inputs") : NULL;
	const char **names = NULL;
	size_t count = 0;
	if (!y || y->kind != YN_MAP || (e->kind != TE_INTERFACE && e->kind != TE_OPERATION))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (!yn_key(y, tm_text_of(t->m, list[i].name)))
			vc_push(t->c, names, count) = tm_text_of(t->m, list[i].name);
	for (uint32_t i = 0; i < y->n; i++) {
		const char *name = te_text(y->key[i]), *near = NULL;
		bool declared = false;
		for (uint32_t k = 0; name && k < n; k++)
			declared |= !strcmp(name, tm_text_of(t->m, list[k].name));
		if (name && !declared && count)
			near = vt_nearest(name, names, count);
		if (!near)
			continue;
		vc_report(t->c, VC_W2009, y->key[i]->span, "nobody declares the input '%s'", name);
		vc_did_you_mean(t->c, "'%s'", near);
	}
}

/* Inputs of the interface, of the operation, and what the template gives for both. */
static vt_tspan
inputs(struct tosca *t, const ty_def *iface, const ty_def *op, const te *iface_e, const te *op_e)
{
	vt_tassign *list = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; iface && i < iface->inputs.n; i++)
		put_assign(t, &list, &n, default_assign(t, iface->inputs.d[i]));
	for (uint32_t i = 0; op && i < op->inputs.n; i++)
		put_assign(t, &list, &n, default_assign(t, op->inputs.d[i]));
	if (op_e || !op)
		near_inputs(t, op_e ? op_e : iface_e, list, n);
	template_inputs(t, iface_e, &list, &n);
	template_inputs(t, op_e, &list, &n);
	return add_assigns(t, list, n);
}

/* name: [ SELF, attribute ] in 1.x; a parameter definition with `mapping` in 2.0. */
static void
output(struct tosca *t, const te *e, const ynode *key, const ynode *y, vt_tassign **list,
	uint32_t *n)
{
	const ynode *path = y;
	if (y->kind == YN_MAP && e->unit->version & VT_TV_2_0)
		path = yn_get(y, "mapping");
	if (path && path != y && yn_get(y, "value") && te_text(key))
		vc_report(t->c, VC_E2007, path->span,
			"the parameter '%s' has either a value or a mapping", key->text);
	if (!te_text(key) || (path && path->kind != YN_SEQ &&
				     !(path->kind == YN_SCALAR && path->type == YT_STR))) {
		vc_report(t->c, VC_E2056, y->span,
			"an output is mapped to an attribute: [ SELF, name ]");
		return;
	}
	vt_tassign a = {tm_str(t->m, key->text), 0, path ? tx_value(e->unit, path, TX_LITERAL) : 0,
		tm_place(t, key->span)};
	put_assign(t, list, n, a);
}

static vt_tspan
outputs(struct tosca *t, const ty_def *op, const te *op_e)
{
	vt_tassign *list = NULL;
	uint32_t n = 0;
	const te *chain[64];
	uint32_t depth = 0;
	if (op_e)
		chain[depth++] = op_e;
	for (const ty_def *d = op; d && depth < 64; d = d->parent)
		chain[depth++] = d->e;
	while (depth--) {
		const ynode *y = te_y(chain[depth], "outputs");
		if (y && y->kind != YN_MAP && y->kind != YN_ERROR)
			vc_report(t->c, VC_E2004, y->span, "outputs must be a map");
		for (uint32_t i = 0; y && y->kind == YN_MAP && i < y->n; i++)
			output(t, chain[depth], y->key[i], y->item[i], &list, &n);
	}
	return add_assigns(t, list, n);
}

/* ---- interfaces ---- */

static te *
assigned_op(const te *iface, const char *name)
{
	te *e = te_named(iface, "operations", name);
	if (!e)
		e = te_named(iface, "notifications", name);
	return e ? e : te_named(iface, "?", name);
}

static vt_top
op_row(struct tosca *t, const char *name, const ty_def *iface, const ty_def *d, const te *iface_e,
	const te *op_e, vt_tspan artifacts)
{
	const te *at = op_e ? op_e : d->e;
	vt_top op = {.name = tm_str(t->m, name),
		.description = tm_text(t, at, "description"),
		.place = tm_place(t, te_span(at))};
	te *impl = op_e ? te_one(op_e, "implementation") : NULL;
	implementation(t, impl ? impl : d ? d->impl : NULL, artifacts, &op);
	op.inputs = inputs(t, iface, d, iface_e, op_e);
	op.outputs = outputs(t, d, op_e);
	op.notification = at->kind == TE_NOTIFICATION || at->kind == TE_NOTIFICATION_DEF;
	return op;
}

static void
undeclared_op(struct tosca *t, const te *e, const ty_def *iface)
{
	vc_report(t->c, VC_E2050, te_span(e), "the interface '%s' has no %s '%s'", iface->name,
		e->kind == TE_NOTIFICATION ? "notification" : "operation", e->name);
	ty_hint_near(t->c, &iface->ops, e->name);
}

/* In a blueprint a node may have what its type does not declare; what is nearly declared is
 * told. */
static void
near_declared(
	struct tosca *t, const te *e, const ty_defs *defs, const char *owner, const char *noun)
{
	const char **names = NULL, *near;
	size_t n = 0;
	for (uint32_t i = 0; i < defs->n; i++)
		vc_push(t->c, names, n) = defs->d[i]->name;
	if (e->unit->embedded || !(near = vt_nearest(e->name, names, n)))
		return;
	vc_report(
		t->c, VC_W2009, te_span(e), "the type of %s has no %s '%s'", owner, noun, e->name);
	vc_did_you_mean(t->c, "'%s'", near);
}

static void
own_ops(struct tosca *t, const ty_def *iface, const te *e, const char *keyname, vt_tspan artifacts,
	vt_top **list, uint32_t *n)
{
	uint32_t count;
	te **all = te_all(e, keyname, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (iface && ty_find(&iface->ops, all[i]->name))
			continue;
		if (iface && !all[i]->bad && ty_is_unknown(iface))
			continue;
		if (iface && iface->type && !all[i]->bad)
			undeclared_op(t, all[i], iface);
		else if (!all[i]->bad) {
			if (iface && all[i]->unit->version & VT_TV_CLOUDIFY)
				near_declared(t, all[i], &iface->ops,
					vc_format(t->c, "the interface '%s'", iface->name),
					"operation");
			vc_push(t->c, *list, *n) =
				op_row(t, all[i]->name, iface, NULL, e, all[i], artifacts);
		}
	}
}

static vt_tiface
iface_row(struct tosca *t, const ty_def *d, const te *e, vt_tspan artifacts)
{
	const te *at = e ? e : d->e;
	vt_tiface r = {.name = tm_str(t->m, d ? d->name : e->name),
		.type = d ? tm_type_row(t, d->type) : 0,
		.description = tm_text(t, at, "description"),
		.place = tm_place(t, te_span(at))};
	vt_top *list = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; d && i < d->ops.n; i++) {
		vt_top op = op_row(t, d->ops.d[i]->name, d, d->ops.d[i], e,
			e ? assigned_op(e, d->ops.d[i]->name) : NULL, artifacts);
		vc_push(t->c, list, n) = op;
	}
	own_ops(t, d, e, "operations", artifacts, &list, &n);
	own_ops(t, d, e, "notifications", artifacts, &list, &n);
	own_ops(t, d, e, "?", artifacts, &list, &n);
	r.inputs = inputs(t, d, NULL, e, NULL);
	r.ops = (vt_tspan){n ? tm_count(t->m, TM_op) : 0, n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_op(t->m, list[i]);
	return r;
}

static void
undeclared_interface(struct tosca *t, const te *e, const ty_defs *defs, const tm_owner *owner)
{
	if (owner->e->unit->incomplete || ty_is_open(owner->e))
		return;
	if (owner->e->unit->version & VT_TV_CLOUDIFY) {
		near_declared(t, e, defs, owner->what, "interface");
		return;
	}
	bool rel = owner->e->kind == TE_RELATIONSHIP || owner->e->kind == TE_RELATIONSHIP_ASSIGN;
	vc_report(t->c, rel ? VC_W2009 : VC_E2050, te_span(e), "%s has no interface '%s'",
		owner->what, e->name);
	ty_hint_near(t->c, defs, e->name);
}

vt_tspan
tm_interfaces(struct tosca *t, const ty_defs *defs, const tm_owner *owner)
{
	vt_tiface *row = NULL;
	uint32_t n = 0, nown;
	te **own = te_all(owner->e, "interfaces", &nown);
	for (uint32_t i = 0; defs && i < defs->n; i++) {
		vt_tiface r = iface_row(t, defs->d[i],
			te_named(owner->e, "interfaces", defs->d[i]->name), owner->artifacts);
		vc_push(t->c, row, n) = r;
	}
	for (uint32_t i = 0; i < nown; i++) {
		if ((defs && ty_find(defs, own[i]->name)) || own[i]->bad)
			continue;
		undeclared_interface(t, own[i], defs ? defs : &(ty_defs){0}, owner);
		if (own[i]->unit->version & VT_TV_CLOUDIFY)
			vc_push(t->c, row, n) = iface_row(t, NULL, own[i], owner->artifacts);
	}
	vt_tspan span = {tm_count(t->m, TM_iface), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_iface(t->m, row[i]);
	return n ? span : (vt_tspan){0, 0};
}

/* class.c - MuranoPL packages to IR: classes, their properties and methods. */
#include "compiler/lower/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "compiler/lower/lower.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>

struct lw_names {
	const char **v;
	uint32_t n;
};

bool
lw_is_method_name(const lw *l, const char *name)
{
	/* Sorted once; binary search. */
	uint32_t lo = 0, hi = l->methods ? l->methods->n : 0;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		int c = strcmp(l->methods->v[mid], name);
		if (c == 0)
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static ir_meta *
lower_meta(lw *l, const ynode *meta, uint32_t *n)
{
	ir_meta *out = NULL;
	uint32_t items = meta == NULL ? 0 : meta->kind == YN_SEQ ? meta->n : 1;

	*n = 0;
	for (uint32_t i = 0; i < items; i++) {
		const ynode *m = meta->kind == YN_SEQ ? meta->item[i] : meta;
		for (uint32_t k = 0; k < (m->kind == YN_MAP ? m->n : m->kind == YN_SCALAR); k++) {
			const ynode *name = m->kind == YN_MAP ? m->key[k] : m;
			ir_meta x = {.name = vc_strndup(l->c, name->text, name->ntext)};
			if (m->kind == YN_MAP)
				x.properties = lw_code_of_value(l, m->item[k], "meta");
			vc_push(l->c, out, *n) = x;
		}
	}
	return out;
}

/* Fresh state for the code of one member; its functions are numbered from 1 below its name. */
static lw
member(const lw *l, const char *name, uint32_t *serial, ir_func *holder)
{
	lw in = *l;

	*serial = 0;
	*holder = (ir_func){.name = name, .kind = IF_CODE, .unit = l->unit};
	in.f = holder;
	in.base = NULL;
	in.serial = serial;
	in.floor = in.next = 0;
	in.handler = -1;
	in.late = NULL;
	return in;
}

/* A program may hold a package in several versions; the names of functions tell them apart. */
static const char *
versioned(vc *c, const char *name, const mpl_package *p)
{
	uint32_t n, same = 0;
	mpl_package **all = vc_packages(c, &n);

	for (uint32_t i = 0; i < n; i++)
		same += strcmp(all[i]->name, p->name) == 0;
	return same > 1 ? vc_format(c, "%s/%s", name, p->version) : name;
}

static ir_prop
lower_property(const lw *l, const mpl_property *p)
{
	uint32_t serial;
	ir_func holder;
	const char *name =
		vc_format(l->c, "%s.%s", versioned(l->c, p->cls->name, p->cls->pkg), p->name);
	lw in = member(l, name, &serial, &holder);
	ir_prop out = {.name = p->name, .usage = p->usage};

	vc_place(p->span.src, p->span.from, &out.line, &out.col);
	out.contract = lw_contract(&in, p->contract, name);
	if (p->dflt)
		out.dflt = lw_code_of_value(&in, p->dflt, "default");
	out.meta = lower_meta(&in, p->meta, &out.nmeta);
	return out;
}

static ir_func *
lower_method_body(const lw *l, const mpl_method *m, const char *name, uint32_t *serial)
{
	lw in = *l;

	in.f = lw_func(&in, IF_METHOD, name);
	in.f->boxed = l->c->boxed;
	in.base = NULL;
	in.serial = serial;
	in.handler = -1;
	in.late = NULL;
	in.f->leaf = true;
	for (uint32_t i = 0; i < m->nargs; i++)
		vc_push(l->c, in.f->vars, in.f->nvars) = m->args[i].name;
	in.f->nparams = m->nargs;
	vc_place(m->span.src, m->span.from, &in.f->line, &in.f->col);
	lw_declare_all(&in, m->body, m->nbody);
	lw_step_method(&in, m);
	lw_body(&in, m->body, m->nbody);
	lw_end_method(&in);
	return in.f;
}

static ir_method
lower_method(const lw *l, const mpl_method *m)
{
	uint32_t serial;
	ir_func holder;
	const char *name =
		vc_format(l->c, "%s::%s", versioned(l->c, m->cls->name, m->cls->pkg), m->name);
	lw in = member(l, name, &serial, &holder);
	ir_method out = {
		.name = m->name, .usage = m->usage, .is_public = m->is_public, .nparams = m->nargs};

	vc_place(m->span.src, m->span.from, &out.line, &out.col);
	out.params = vc_alloc(l->c, sizeof *out.params * (m->nargs + 1));
	for (uint32_t i = 0; i < m->nargs; i++) {
		const mpl_argument *a = &m->args[i];
		out.params[i] = (ir_param){.name = a->name, .usage = a->usage};
		out.params[i].contract = lw_contract(&in, a->contract, name);
		if (a->dflt)
			out.params[i].dflt = lw_code_of_value(&in, a->dflt, "default");
		out.params[i].meta = lower_meta(&in, a->meta, &out.params[i].nmeta);
	}
	out.meta = lower_meta(&in, m->meta, &out.nmeta);
	if (m->nbody)
		out.body = lower_method_body(&in, m, name, &serial);
	return out;
}

static const char *
path_of(const mpl_package *p)
{
	return p && p->path ? p->path : "";
}

static ir_class *
lower_class(const lw *outer, const mpl_class *c)
{
	lw l = *outer;
	ir_class *k = vc_alloc(l.c, sizeof *k);
	uint32_t serial;
	ir_func holder;

	l.unit = vc_alloc(l.c, sizeof *l.unit);
	*l.unit = *outer->unit;
	l.unit->file = c->src ? vc_output_name(l.c, c->src->name, path_of(c->pkg)) : "";
	l.unit->cls = k;
	l.unit->prefixes = c->prefixes;
	l.unit->nprefixes = c->nprefixes;
	l.cls = c;
	vc_push(l.c, l.m->units, l.m->nunits) = l.unit;
	*k = (ir_class){.name = c->name,
		.unit = l.unit,
		.parents = c->parents,
		.nparents = c->nparents,
		.imports = c->imports,
		.nimports = c->nimports,
		.is_meta = c->is_meta,
		.many = c->many,
		.inherited = c->inherited,
		.listed = c->listed,
		.applies = c->applies};
	for (uint32_t i = 0; i < c->nprops; i++)
		vc_push(l.c, k->props, k->nprops) = lower_property(&l, c->props[i]);
	for (uint32_t i = 0; i < c->nmethods; i++)
		if (!c->methods[i]->native || c->methods[i]->stub)
			vc_push(l.c, k->methods, k->nmethods) = lower_method(&l, c->methods[i]);
	lw in = member(&l, versioned(l.c, c->name, c->pkg), &serial, &holder);
	k->meta = lower_meta(&in, c->meta, &k->nmeta);
	return k;
}

static uint32_t
layers_of(const mpl_package *p)
{
	uint32_t base = VT_L_STD | VT_L_DSL | VT_L_ENGINE, format = p->format;

	if (strcmp(p->name, "io.murano") == 0)
		base |= VT_L_CORE;
	if (format <= 101)
		return base | VT_L_LEGACY | VT_L_DSL_OLD | VT_L_DSL_LEGACY | VT_L_ENGINE_LEGACY;
	return base | (format <= 103 ? VT_L_DSL_OLD : VT_L_DSL_NEW);
}

static ir_package *
lower_package(lw *l, mpl_package *p)
{
	ir_package *k = vc_alloc(l->c, sizeof *k);
	lw in = *l;
	uint32_t serial;
	ir_func holder;

	*k = (ir_package){.name = p->name,
		.version = p->version,
		.format = p->format,
		.require = p->require,
		.nrequire = p->nrequire,
		.dir = p->builtin ? NULL : vc_output_name(l->c, path_of(p), path_of(p))};
	k->resources = vc_resources(l->c, p, &k->nresources);
	in.unit = vc_alloc(l->c, sizeof *in.unit);
	*in.unit = (ir_unit){.file = vc_output_name(l->c, path_of(p), path_of(p)),
		.layers = layers_of(p),
		.version = p->format,
		.pkg = k,
		.opt = {.limit_iterators = -1,
			.memory_quota = -1,
			.tuples_to_lists = true,
			.sets_to_lists = true,
			.iterable_dicts = p->format <= 101,
			.convert_input = true,
			.convert_output = true}};
	k->unit = in.unit;
	vc_push(l->c, l->m->units, l->m->nunits) = in.unit;
	for (uint32_t i = 0; i < p->nclasses; i++)
		vc_push(l->c, k->classes, k->nclasses) = lower_class(&in, p->classes[i]);
	lw meta = member(&in, versioned(l->c, p->name, p), &serial, &holder);
	k->meta = lower_meta(&meta, p->meta, &k->nmeta);
	return k;
}

static struct lw_names *
method_names(vc *c, mpl_package **p, uint32_t n)
{
	struct lw_names *out = vc_alloc(c, sizeof *out);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < p[i]->nclasses; k++)
			for (uint32_t m = 0; m < p[i]->classes[k]->nmethods; m++)
				vc_push(c, out->v, out->n) = p[i]->classes[k]->methods[m]->name;
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, vt_compare_texts);
	return out;
}

/* The declarations of natives are for the checker alone where there is a library with the
 * classes. */
static bool
is_replaced(mpl_package *const *p, uint32_t n, const mpl_package *builtin)
{
	for (uint32_t i = 0; i < n; i++)
		if (p[i] != builtin && builtin->builtin && !strcmp(p[i]->name, builtin->name) &&
			!strcmp(p[i]->version, builtin->version))
			return true;
	return false;
}

ir_module *
vc_lower(vc *c)
{
	uint32_t n;
	mpl_package **packages = vc_packages(c, &n);
	lw l = {.c = c, .m = vc_alloc(c, sizeof *l.m), .handler = -1};

	l.methods = method_names(c, packages, n);
	for (uint32_t i = 0; i < n; i++)
		if (!is_replaced(packages, n, packages[i]))
			vc_push(c, l.m->packages, l.m->npackages) = lower_package(&l, packages[i]);
	return l.m;
}

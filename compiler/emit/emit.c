/*
 * emit.c - IR modules to C files: one a class, and main.c with the tables of the program.
 *
 * Emitted C includes vt.h only.  Names are mangled injectively and do not change between runs.
 */
#include "compiler/emit/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "compiler/emit/emit.h"
#include "compiler/murano/package.h"

#include <string.h>

static const char *const prelude =
	"/* Made by vetro " VETRO_VERSION
	"; the source is named at each function. */\n#include \"vt.h\"\n\n";

static void
append(vt_buf *to, vt_buf *from)
{
	vt_buf_put(to, from->p, from->n);
	vt_buf_free(from);
}

static void
array_proto(vt_buf *out, const char *what, const em_rows *r)
{
	if (r->n)
		vt_buf_printf(out, "static const %s[%u];\n", what, r->n);
}

static void
array(vt_buf *out, const char *what, em_rows *r)
{
	if (r->n == 0)
		return;
	vt_buf_printf(out, "static const %s[] = {\n", what);
	append(out, &r->b);
	vt_buf_puts(out, "};\n\n");
}

static void
finish(em *e, vt_buf *out)
{
	vt_buf_puts(out, prelude);
	if (e->is_query)
		vt_buf_puts(out, "#define IC(n) (&rt->ic[n])\n");
	else if (e->nics)
		vt_buf_printf(out, "static vt_ic ics[%u];\n#define IC(n) vt_ic_at(rt, &ics[n])\n",
			e->nics);
	append(out, &e->consts);
	array_proto(out, "vt_site sites", &e->sites);
	array_proto(out, "vt_at places", &e->places);
	for (uint32_t i = 0; i < e->nlists; i++)
		em_list_end(out, &e->lists[i], ";\n");
	append(out, &e->protos);
	append(out, &e->tables);
	array(out, "vt_site sites", &e->sites);
	array(out, "vt_at places", &e->places);
	append(out, &e->funcs);
	if (e->programs)
		vt_buf_puts(out, "static const void *const programs __attribute__((used)) = "
				 "vt_lambda_programs;\n");
}

/* A program may hold a package in several versions: then those are part of the names. */
static bool
in_versions(const em *e, const char *package)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->m->npackages; i++)
		n += strcmp(e->m->packages[i]->name, package) == 0;
	return n > 1;
}

/* With the version where the program has several of the package. */
static const char *
versioned(em *e, const ir_package *p, const char *name)
{
	return p && in_versions(e, p->name) ? vc_format(e->c, "%s/%s", name, p->version) : name;
}

static const char *
package_ref(em *e, const ir_package *p)
{
	return ct_name(e->c, "v_package_", versioned(e, p, p->name));
}

static const char *
class_ref(em *e, const ir_class *c)
{
	return ct_name(e->c, "v_class_", versioned(e, c->unit ? c->unit->pkg : NULL, c->name));
}

/* ---- tables of one unit ---- */

static void
unit_table(em *e, const ir_unit *u, const char *name)
{
	vt_buf *t = &e->tables, px = {0};
	const ir_options *o = &u->opt;
	const char *prefixes = "NULL";

	for (uint32_t i = 0; i < u->nprefixes; i++) {
		vt_buf_puts(&px, i ? ", {" : "{");
		ct_text(&px, u->prefixes[i].prefix);
		vt_buf_puts(&px, ", ");
		ct_text(&px, u->prefixes[i].ns);
		vt_buf_puts(&px, "}");
	}
	if (u->nprefixes)
		prefixes = em_table(e, "vt_prefix", "px", px);
	if (u->cls)
		em_declare(e, "extern const vt_class_decl", class_ref(e, u->cls));
	if (u->pkg)
		em_declare(e, "extern const vt_package_decl", package_ref(e, u->pkg));
	vt_buf_printf(t, "static const vt_unit %s = {", name);
	ct_text(t, u->file);
	vt_buf_printf(t, ", %u, %u, {%lld, %lld, %d, %d, %d, %d, %d}, %s%s, %s%s, %s, %u};\n",
		u->layers, u->version, (long long)o->limit_iterators, (long long)o->memory_quota,
		o->tuples_to_lists, o->sets_to_lists, o->iterable_dicts, o->convert_input,
		o->convert_output, u->cls ? "&" : "NULL", u->cls ? class_ref(e, u->cls) : "",
		u->pkg ? "&" : "NULL", u->pkg ? package_ref(e, u->pkg) : "", prefixes,
		u->nprefixes);
}

static void
note_ops(const ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_CCHECK)
			in->f->checks = true;
		if (in->op == IR_JFOUND && in->nlist > 0)
			in->site->named = true;
	}
}

void
em_chain_functions(ir_module *m)
{
	for (uint32_t i = 0; i < m->nfuncs; i++)
		m->funcs[i]->unit->funcs = NULL;
	for (uint32_t i = m->nfuncs; i-- > 0;) {
		ir_func *f = m->funcs[i];
		f->next = f->unit->funcs;
		f->unit->funcs = f;
		note_ops(f);
	}
}

static void
unit_functions(em *e, const ir_unit *u)
{
	for (ir_func *f = u->funcs; f; f = f->next)
		if (!f->idle)
			em_function(e, f);
}

static const char *
meta_table(em *e, const ir_meta *meta, uint32_t n)
{
	uint32_t k = e->serial++;
	vt_buf b = {0};

	if (n == 0)
		return "NULL, 0";
	vt_buf_printf(&b, "static const vt_meta_decl me%u[] = {", k);
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(&b, "%s{%s, %s, %s}", i ? ", " : "", em_str_ref(e, meta[i].name),
			em_code(e, meta[i].properties), e->unit);
	vt_buf_puts(&b, "};\n");
	append(&e->tables, &b);
	return vc_format(e->c, "me%u, %u", k, n);
}

static const char *
contract_ref(em *e, const ir_func *f)
{
	return f ? em_func_name(e, f) : "NULL";
}

static const char *
schema_ref(em *e, const ir_schema *s)
{
	const char *codes = "NULL";
	vt_buf k = {0}, b = {0};

	if (s == NULL)
		return "NULL";
	for (uint32_t i = 0; i < s->ncodes; i++)
		vt_buf_printf(&k, "%s%s", i ? ", " : "", em_code(e, s->codes[i]));
	if (s->ncodes)
		codes = em_table(e, "vt_code *const", "sk", k);
	vt_buf_puts(&b, "{");
	ct_text(&b, s->text);
	vt_buf_printf(&b, ", %s, %u}", codes, s->ncodes);
	return em_table(e, "vt_schema", "sj", b);
}

static const char *
strings_table(em *e, const char *const *s, uint32_t n)
{
	vt_buf b = {0};

	if (n == 0)
		return "NULL, 0";
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(&b, "%s%s", i ? ", " : "", em_str_ref(e, s[i]));
	return vc_format(e->c, "%s, %u", em_table(e, "vt_str *const", "sl", b), n);
}

static void
property_table(em *e, const ir_class *c, uint32_t local, uint32_t i)
{
	const ir_prop *p = &c->props[i];
	const char *name = em_str_ref(e, p->name), *meta = meta_table(e, p->meta, p->nmeta),
		   *schema = schema_ref(e, p->schema);

	vt_buf_printf(&e->tables,
		"static const vt_prop_decl p%u_%u = {%s, %u, %s, %s, &%s, %s, %u, %u, %s, 0x%xu, "
		"%s, %u, %s, %s};\n",
		local, i, name, p->usage, contract_ref(e, p->contract), em_code(e, p->dflt),
		class_ref(e, c), meta, p->line, p->col, schema, em_takes(p->contract),
		em_items(e, p->contract), em_pure_bits(p->contract), em_seen(e, p->contract),
		em_accept(e, p->contract));
}

static const char *
params_table(em *e, const ir_method *m)
{
	vt_buf b = {0};

	if (m->nparams == 0)
		return "NULL, 0";
	for (uint32_t i = 0; i < m->nparams; i++) {
		const ir_param *p = &m->params[i];
		const char *name = em_str_ref(e, p->name), *meta = meta_table(e, p->meta, p->nmeta);
		vt_buf_printf(&b, "%s{%s, %u, %s, %s, %s, %s, %s, 0x%xu, %s}", i ? ", " : "", name,
			p->usage, contract_ref(e, p->contract), em_code(e, p->dflt), meta,
			schema_ref(e, p->schema), em_omitted(e, p), em_takes(p->contract),
			em_seen(e, p->contract));
	}
	return vc_format(e->c, "%s, %u", em_table(e, "vt_param_decl", "pa", b), m->nparams);
}

static void
method_table(em *e, const ir_class *c, uint32_t local, uint32_t i)
{
	const ir_method *m = &c->methods[i];
	const char *name = em_str_ref(e, m->name), *params = params_table(e, m),
		   *meta = meta_table(e, m->meta, m->nmeta), *ints = em_int_method_ref(e, i);

	if (ints != NULL)
		em_declare(e, "static const vt_int_method", ints + 1);
	vt_buf_printf(&e->tables,
		"static const vt_method_decl md%u_%u = {%s, %u, %d, %s, NULL, %s, &%s, %s, %u, "
		"%u, %s, 0, %s%s%s%s};\n",
		local, i, name, m->usage, m->is_public,
		m->body ? em_table_name(e, m->body) : "NULL", params, class_ref(e, c), meta,
		m->line, m->col, em_has_entry(e, m) ? em_entry_name(e, m->body) : "NULL",
		m->body ? "(void (*)(void))" : "", m->body ? em_func_name(e, m->body) : "NULL",
		ints != NULL ? ", " : "", ints != NULL ? ints : "");
}

/* An array of pointers p0..pn-1, or NULL. */
static const char *
members(em *e, const char *type, const char *prefix, uint32_t local, uint32_t n)
{
	if (n == 0)
		return "NULL, 0";
	vt_buf_printf(&e->tables, "static const %s *const all_%s%u[] = {", type, prefix, local);
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(&e->tables, "%s&%s%u_%u", i ? ", " : "", prefix, local, i);
	vt_buf_puts(&e->tables, "};\n");
	return vc_format(e->c, "all_%s%u, %u", prefix, local, n);
}

/* "&ics[7], 5": those since `from`. */
static const char *
caches_since(em *e, uint32_t from)
{
	return e->nics == from ? "NULL, 0" : vc_format(e->c, "&ics[%u], %u", from, e->nics - from);
}

static const char *
number_ref(em *e, const ir_class *c)
{
	return vc_format(e->c, "v_number_%s", class_ref(e, c) + strlen("v_class_"));
}

/* "steps0, 12", or "NULL, 0": what emit_step() has put there. */
static const char *
steps_table(em *e, uint32_t local)
{
	if (e->nsteps == 0)
		return "NULL, 0";
	vt_buf_printf(&e->tables, "static const vt_step steps%u[] = {\n", local);
	append(&e->tables, &e->steps);
	vt_buf_puts(&e->tables, "};\n");
	return vc_format(e->c, "steps%u, %u", local, e->nsteps);
}

static void
class_table(em *e, const ir_class *c, uint32_t local, uint32_t from)
{
	const char *name = em_str_ref(e, c->name),
		   *parents = strings_table(e, c->parents, c->nparents);
	const char *imports = strings_table(e, c->imports, c->nimports), *props, *methods, *meta;

	for (uint32_t i = 0; i < c->nprops; i++)
		property_table(e, c, local, i);
	for (uint32_t i = 0; i < c->nmethods; i++)
		if (em_has_entry(e, &c->methods[i])) {
			em_declare(e, "static const vt_method_decl",
				vc_format(e->c, "md%u_%u", local, i));
			em_entry(e, &c->methods[i], i);
		}
	for (uint32_t i = 0; i < c->nmethods; i++)
		method_table(e, c, local, i);
	props = members(e, "vt_prop_decl", "p", local, c->nprops);
	methods = members(e, "vt_method_decl", "md", local, c->nmethods);
	meta = meta_table(e, c->meta, c->nmeta);
	em_declare(e, "extern const uint32_t", number_ref(e, c));
	vt_buf_printf(&e->tables,
		"const vt_class_decl %s = {%s, %s, %d, %d, %d, %u, %s, %s, %s, %s, %s, %d, "
		"NULL, &%s, %s, %s};\n",
		class_ref(e, c), name, e->unit, c->is_meta, c->many, c->inherited, c->applies,
		parents, imports, props, methods, meta, c->listed, number_ref(e, c),
		caches_since(e, from), steps_table(e, local));
}

static void
set_class(em *e, const ir_class *k)
{
	e->cls = k;
	e->names = vc_alloc(e->c, (k->nmethods + 1) * sizeof *e->names);
	e->named = vc_alloc(e->c, sizeof *e->named);
	for (uint32_t i = 0; i < k->nmethods; i++) {
		e->names[i] = k->methods[i].name;
		if (k->methods[i].body != NULL)
			k->methods[i].body->seen = i + 1;
	}
}

/* The local number tells the tables of one class from those of another in the same file. */
static void
put_class(em *e, const ir_class *k, uint32_t local)
{
	uint32_t from = e->nics;

	e->unit_number = local;
	e->unit = vc_format(e->c, "&unit%u", local);
	set_class(e, k);
	e->local = local;
	e->steps = (vt_buf){0};
	e->nsteps = 0;
	unit_table(e, k->unit, e->unit + 1);
	unit_functions(e, k->unit);
	class_table(e, k, local, from);
}

static void
free_arena(void *a)
{
	vc_arena_free(a);
}

/* What the emitter notes for a class is given back with it, unless it has something to say. */
static vc_cfile
class_file(em e, const ir_class *k, const ir_package *p)
{
	vc_cfile out = {.name = ct_file(e.c, 'c', versioned(&e, p, k->name))};
	vc_arena *own = vc_arena_new(), *old = vc_arena_use(e.c, own);

	put_class(&e, k, 0);
	finish(&e, &out.text);
	vc_arena_use(e.c, old);
	if (vc_errors(e.c) || e.c->noted)
		vc_defer(e.c, free_arena, own);
	else
		vc_arena_free(own);
	return out;
}

/* Declarations that vetro brings along have no code to speak of: one file holds them all. */
static vc_cfile
declarations_file(em e, const ir_package *p)
{
	vc_cfile out = {.name = ct_file(e.c, 'p', versioned(&e, p, p->name))};

	for (uint32_t k = 0; k < p->nclasses; k++)
		put_class(&e, p->classes[k], k);
	finish(&e, &out.text);
	return out;
}

/* ---- main.c ---- */

/* "re3, 2" or "NULL, 0": the files of Resources. */
static const char *
resource_table(em *e, const ir_package *p, uint32_t i)
{
	vt_buf b = {0};

	if (p->nresources == 0)
		return "NULL, 0";
	vt_buf_printf(&b, "static const vt_resource re%u[] = {", i);
	for (uint32_t k = 0; k < p->nresources; k++) {
		const vc_resource *r = &p->resources[k];
		bool text = vt_utf8_check(r->data, r->n) == r->n;
		vt_buf_puts(&b, k ? ",\n\t{" : "\n\t{");
		ct_text(&b, r->name);
		vt_buf_puts(&b, ",");
		ct_string(&b, r->data, r->n);
		vt_buf_printf(&b, ", %zu,", r->n);
		if (text)
			ct_text(&b, vc_resource_yaml(e->c, r));
		else
			vt_buf_puts(&b, " NULL");
		vt_buf_puts(&b, "}");
	}
	vt_buf_puts(&b, "};\n");
	append(&e->tables, &b);
	return vc_format(e->c, "re%u, %u", i, p->nresources);
}

static void
package_table(em *e, const ir_package *p, uint32_t i)
{
	uint32_t from = e->nics;
	const char *meta, *name = em_str_ref(e, p->name), *resources = resource_table(e, p, i);

	e->unit_number = i;
	e->unit = vc_format(e->c, "&unit%u", i);
	unit_table(e, p->unit, e->unit + 1);
	unit_functions(e, p->unit);
	meta = meta_table(e, p->meta, p->nmeta);
	for (uint32_t k = 0; k < p->nclasses; k++)
		em_declare(e, "extern const vt_class_decl", class_ref(e, p->classes[k]));
	vt_buf_printf(&e->tables, "static const vt_class_decl *const pc%u[] = {", i);
	for (uint32_t k = 0; k < p->nclasses; k++)
		vt_buf_printf(&e->tables, "&%s, ", class_ref(e, p->classes[k]));
	vt_buf_puts(&e->tables, "NULL};\n");
	if (p->nrequire) {
		vt_buf b = {0};
		vt_buf_printf(&b, "static const vt_requirement rq%u[] = {", i);
		for (uint32_t k = 0; k < p->nrequire; k++) {
			vt_buf_printf(
				&b, "%s{%s, ", k ? ", " : "", em_str_ref(e, p->require[k].name));
			ct_text(&b, p->require[k].spec);
			vt_buf_puts(&b, "}");
		}
		vt_buf_puts(&b, "};\n");
		append(&e->tables, &b);
	}
	vt_buf_printf(&e->tables, "const vt_package_decl %s = {%s, %s, %u, %s, %u, pc%u, %u, %s, ",
		package_ref(e, p), name, ct_literal(e->c, p->version), p->format,
		p->nrequire ? vc_format(e->c, "rq%u", i) : "NULL", p->nrequire, i, p->nclasses,
		meta);
	ct_text(&e->tables, p->dir);
	vt_buf_printf(&e->tables, ", %s, %s};\n", resources, caches_since(e, from));
}

static void
program_table(em *e, const char *lua)
{
	vt_buf *t = &e->tables;
	uint32_t n = 0;
	const char *natives = em_natives(e);

	vt_buf_puts(t, "static const vt_package_decl *const packages[] = {");
	for (uint32_t i = 0; i < e->m->npackages; i++)
		vt_buf_printf(t, "&%s, ", package_ref(e, e->m->packages[i]));
	vt_buf_puts(t, "NULL};\nstatic const vt_class_decl *const classes[] = {");
	for (uint32_t i = 0; i < e->m->npackages; i++)
		for (uint32_t k = 0; k < e->m->packages[i]->nclasses; k++, n++)
			vt_buf_printf(t, "&%s, ", class_ref(e, e->m->packages[i]->classes[k]));
	vt_buf_puts(t, "NULL};\n");
	for (uint32_t i = 0, at = 0; i < e->m->npackages; i++)
		for (uint32_t k = 0; k < e->m->packages[i]->nclasses; k++)
			em_declare(e, "const uint32_t",
				vc_format(e->c, "%s = %u",
					number_ref(e, e->m->packages[i]->classes[k]), at++));
	if (lua) {
		vt_buf_puts(t, "static const char lua[] =");
		ct_text(t, lua);
		vt_buf_puts(t, ";\n");
	}
	if (e->c->has_form)
		vt_buf_puts(t, "extern const vt_form_program vt_form_of_package;\n");
	vt_buf_printf(t,
		"static const vt_program program = {packages, %u, classes, %u, 0, %s, "
		"\"" VETRO_VERSION "\", NULL, %s, NULL, 0, %s, %s};\n",
		e->m->npackages, n, lua ? "lua" : "NULL", natives,
		e->c->has_form ? "&vt_form_of_package" : "NULL",
		e->c->steps ? "&vt_stepping" : "NULL");
	vt_buf_puts(&e->funcs, "int\nmain(int argc, char **argv)\n{\n\treturn vt_deploy_main(argc, "
			       "argv, &program);\n}\n");
}

void
vc_emit_each(vc *c, ir_module *m, const char *lua, bool lines, vc_file_taker *take, void *ctx)
{
	em e = {.c = c, .m = m, .lines = lines};
	vc_cfile main_file = {.name = "main.c"}, parts;

	vc_schemas(c, m);
	em_chain_functions(m);
	e.methods = em_methods(c, m);
	e.family = em_family(c, m, lua != NULL);
	for (uint32_t i = 0; i < m->npackages; i++) {
		const ir_package *p = m->packages[i];
		for (uint32_t k = 0; p->dir && k < p->nclasses; k++)
			take(ctx, class_file(e, p->classes[k], p));
		if (!p->dir && p->nclasses)
			take(ctx, declarations_file(e, p));
	}
	for (uint32_t i = 0; i < m->npackages; i++)
		package_table(&e, m->packages[i], i);
	program_table(&e, lua);
	finish(&e, &main_file.text);
	take(ctx, main_file);
	if (vc_emit_linked(c, m, lua, &parts))
		take(ctx, parts);
}

typedef struct collected {
	vc *c;
	vc_cfile *files;
	uint32_t n;
} collected;

static void
collect(void *ctx, vc_cfile f)
{
	collected *to = ctx;

	vc_push(to->c, to->files, to->n) = f;
}

vc_cfile *
vc_emit(vc *c, ir_module *m, const char *lua, bool lines, uint32_t *n)
{
	collected all = {.c = c};

	vc_emit_each(c, m, lua, lines, collect, &all);
	*n = all.n;
	return all.files;
}

/* `$1.set(...)` at the end of code: nothing looks at $1 afterwards. */
static void
mark_last(const ir_func *f)
{
	ir_ins *last = NULL;

	for (uint32_t i = 0; i < f->n && f->ins[i].op != IR_RET; i++)
		if (f->ins[i].op != IR_HANDLER && f->ins[i].op != IR_FREE)
			last = &f->ins[i];
	if (f->kind != IF_CODE || last == NULL || last->site == NULL || last->d < 0 ||
		(last->op != IR_CALLM && last->op != IR_ADD))
		return;
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_RET && in->a[0] != last->d)
			return;
		if (in->op == IR_LABEL && in < last)
			return;
		if (in->d == last->a[0] && in->op != IR_ARG)
			return;
		if (in->d == last->a[0] && in->op == IR_ARG && in->i[0] == 1)
			last->site->last = true;
	}
}

/* The lambdas of folds may change in place what has been made so far. */
static void
mark_folds(const ir_site *s)
{
	if (strcmp(s->name, "aggregate") != 0 && strcmp(s->name, "reduce") != 0)
		return;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code != NULL)
			mark_last(s->args[i].code);
}

uint32_t
em_number_caches(ir_module *m, uint32_t first)
{
	for (uint32_t i = 0; i < m->nfuncs; i++) {
		ir_func *f = m->funcs[i];

		f->serial = i;
		for (uint32_t k = 0; k < f->n; k++) {
			ir_ins *in = &f->ins[k];

			if (in->op == IR_MAP || in->op == IR_TYPEREF)
				in->ic = first++;
			if (in->site == NULL || in->site->numbered)
				continue;
			in->site->numbered = true;
			mark_folds(in->site);
			in->site->index = first++;
		}
	}
	return first;
}

/* The codes of an expression in their order; the number of the table. */
static uint32_t
codes_table(em *e)
{
	uint32_t n = e->serial++;

	vt_buf_printf(&e->tables, "static const vt_code *const g%u[] = {", n);
	for (uint32_t i = 0; i < e->m->nfuncs; i++)
		vt_buf_printf(&e->tables, "%s, ", em_code(e, e->m->funcs[i]));
	vt_buf_puts(&e->tables, "};\n");
	return n;
}

void
vc_emit_query(vc *c, ir_module *m, vt_buf *out)
{
	vc_emit_query_at(c, m, 0, out);
}

uint32_t
vc_emit_query_at(vc *c, ir_module *m, uint32_t nics, vt_buf *out)
{
	em e = {.c = c, .m = m, .is_query = true, .unit = "&unit"};

	e.nics = em_number_caches(m, nics);
	em_chain_functions(m);
	unit_table(&e, m->query->unit, "unit");
	unit_functions(&e, m->query->unit);
	nics = codes_table(&e);
	vt_buf_printf(&e.tables,
		"const vt_program vt_query_program = {NULL, 0, NULL, 0, %u, NULL, \"" VETRO_VERSION
		"\", %s, NULL, 0, g%u, %u};\n",
		e.nics, em_code(&e, m->query), nics, m->nfuncs);
	finish(&e, out);
	return e.nics;
}

/* ---- what `vetro build --shared` adds to a program, and what gives the program itself to whoever
 * has it in memory: the engine ---- */

/*
 * Archives for executables take the streams of libc by their addresses, which a shared object
 * cannot do with what is another's.  The linker gives them these instead (build/toolchain.c).
 */
static const char streams[] = "\nextern void *__real_stdin, *__real_stdout, *__real_stderr;\n"
			      "void *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;\n"
			      "__attribute__((constructor(101))) static void\n"
			      "take_streams(void)\n"
			      "{\n\t__wrap_stdin = __real_stdin;\n"
			      "\t__wrap_stdout = __real_stdout;\n"
			      "\t__wrap_stderr = __real_stderr;\n}\n";

static const char exported[] =
	"\n#include <stddef.h>\n"
	"#include <stdlib.h>\n"
	"#define API __attribute__((visibility(\"default\")))\n"
	"struct vetro_session;\n"
	"struct vetro_session *vt_embed_open(const vt_program *, const char *, char **);\n"
	"char *vt_embed_ask(struct vetro_session *, const char *, size_t);\n"
	"void vt_embed_close(struct vetro_session *);\n"
	"API int\n"
	"vetro_program_main(int argc, char **argv)\n"
	"{\n\treturn vt_deploy_main(argc, argv, &program);\n}\n"
	"API struct vetro_session *\n"
	"vetro_session_open(const char *expose, char **why)\n"
	"{\n\treturn vt_embed_open(&program, expose, why);\n}\n"
	"API char *\n"
	"vetro_session_ask(struct vetro_session *s, const char *request, size_t n)\n"
	"{\n\treturn vt_embed_ask(s, request, n);\n}\n"
	"API void\n"
	"vetro_session_free_text(char *text)\n"
	"{\n\tfree(text);\n}\n"
	"API void\n"
	"vetro_session_close(struct vetro_session *s)\n"
	"{\n\tvt_embed_close(s);\n}\n";

void
vc_emit_shared(vc_cfile *files, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(files[i].name, "main.c") == 0) {
			vt_buf_puts(&files[i].text, streams);
			vt_buf_puts(&files[i].text, exported);
		}
}

/* The name of the function that gives the program. */
const char vc_program_symbol[] = "vetro_the_program";

void
vc_emit_program_symbol(vc_cfile *files, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(files[i].name, "main.c") == 0)
			vt_buf_puts(&files[i].text, "__attribute__((visibility(\"default\")))\n"
						    "const vt_program *vetro_the_program(void);\n"
						    "const vt_program *\nvetro_the_program(void)\n"
						    "{\n\treturn &program;\n}\n");
}

/*
 * compile.c - the TOSCA front end from files to a model, and the engine's problems as diagnostics.
 */
#include "compiler/tosca/front.h"

#include <string.h>

/* Types that files of the author declare are checked also where no template uses them. */
static void
own_types(struct tosca *t)
{
	for (uint32_t i = 0; i < t->ntypes; i++)
		if (!t->types[i]->unit->embedded)
			tm_type_row(t, t->types[i]);
}

static void
own_functions(struct tosca *t)
{
	for (uint32_t i = 0; i < t->nunits; i++) {
		uint32_t n;
		te **all = te_all(t->units[i]->file, "functions", &n);
		for (uint32_t k = 0; k < n; k++)
			tosca_function_row(t, all[k]);
	}
}

const vt_tmodel *
tosca_model(struct tosca *t, tosca_unit *const *unit, uint32_t n)
{
	t->m = tm_new(t->c);
	for (uint32_t i = 0; i < t->nunits; i++)
		t->units[i]->index = tm_add_file(t->m, t->units[i]->src->name);
	tn_build(t);
	ty_complete_all(t);
	own_types(t);
	own_functions(t);
	tm_head(t->m)->version = t->root->version;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = tosca_render(unit[i]);
		if (i == 0)
			tm_head(t->m)->root = row;
	}
	return tm_done(t->m);
}

const vt_tmodel *
tosca_compile(struct tosca *t, const char *const *files, uint32_t n)
{
	tosca_unit **unit = NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++) {
		tosca_unit *u = tosca_load(t, files[i]);
		if (u)
			vc_push(t->c, unit, count) = u;
	}
	for (uint32_t i = 0; i < t->nothers; i++)
		vc_push(t->c, unit, count) = t->others[i];
	return t->root ? tosca_model(t, unit, count) : NULL;
}

/* ---- problems of the engine ---- */

static vc_source *
source_of(struct tosca *t, uint32_t file)
{
	for (uint32_t i = 0; i < t->nunits; i++)
		if (t->units[i]->index == file)
			return t->units[i]->src;
	return NULL;
}

static enum vc_code
code_of(const char *name)
{
	for (int i = 0; i < VC_NCODES; i++)
		if (!strcmp(vc_code_name((enum vc_code)i), name))
			return (enum vc_code)i;
	return VC_E0901;
}

/* The span of the word at a place: to the next blank, comma or bracket. */
vc_span
tosca_span(struct tosca *t, vt_tplace p)
{
	vc_source *src = source_of(t, p.file);
	if (!src || !p.line)
		return (vc_span){src, 0, 0};
	const char *s = src->text + vc_offset(src, p.line, p.col), *end = src->text + src->n;
	const char *to = s;
	while (to < end && !strchr(" \t\r\n,]}", *to))
		to++;
	return (vc_span){src, (uint32_t)(s - src->text), (uint32_t)(to - src->text)};
}

void
tosca_report(struct tosca *t, const vt_tosca *engine)
{
	for (uint32_t i = 0; i < engine->nproblems; i++) {
		const vt_tproblem *p = &engine->problems[i];
		if (t->lacks_types && strcmp(p->code, "E2060") == 0)
			continue;
		vc_report(t->c, code_of(p->code), tosca_span(t, p->place), "%s", p->message);
		if (p->hint)
			vc_hint(t->c, "%s", p->hint);
	}
}

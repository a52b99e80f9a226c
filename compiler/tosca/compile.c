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

/* ---- files: a place is an offset; the model has what shows it as line and column ---- */

static uint32_t
char_length(unsigned char c)
{
	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Lines end at \n, \r\n or \r, as compiler/base/source.c has it. */
static bool
ends_line(const vc_source *s, size_t i)
{
	return s->text[i] == '\n' ||
	       (s->text[i] == '\r' && (i + 1 == s->n || s->text[i + 1] != '\n'));
}

/* A byte order mark is no character of the first line: its three bytes count for none. */
static uint32_t
add_mark(tm *m, const vc_source *s, vt_tlines *l)
{
	if (s->n < 3 || memcmp(s->text, "\xef\xbb\xbf", 3) != 0)
		return 0;
	l->runs.n++;
	tm_add_run(m, (vt_trun){.from = 3, .to = 3, .before = 3, .length = 1});
	return 3;
}

static uint32_t
add_source(tm *m, const vc_source *s)
{
	vt_tlines l = {{tm_count(m, TM_start), 1}, {tm_count(m, TM_run), 0}};
	uint32_t extra = add_mark(m, s, &l);

	tm_add_start(m, 0);
	for (size_t i = extra; i < s->n;) {
		uint32_t length = char_length((unsigned char)s->text[i]);
		vt_trun run = {(uint32_t)i, (uint32_t)i, extra, length};
		if (length == 1) {
			if (ends_line(s, i)) {
				l.starts.n++;
				tm_add_start(m, (uint32_t)i + 1);
			}
			i++;
			continue;
		}
		while (i < s->n && char_length((unsigned char)s->text[i]) == length)
			i += length;
		run.to = (uint32_t)i;
		extra += (run.to - run.from) / length * (length - 1);
		l.runs.n++;
		tm_add_run(m, run);
	}
	tm_add_lines(m, l);
	return tm_add_file(m, s->name);
}

/* ---- the model ---- */

const vt_tmodel *
tosca_model(struct tosca *t, tosca_unit *const *unit, uint32_t n)
{
	t->m = tm_new(t->c);
	for (uint32_t i = 0; i < t->nunits; i++)
		t->units[i]->index = add_source(t->m, t->units[i]->src);
	tn_build(t);
	ty_complete_all(t);
	own_types(t);
	own_functions(t);
	tm_head(t->m)->version = t->root->version | (t->root->keys & VT_TV_ALIEN);
	for (uint32_t i = 0; i < n; i++)
		if (unit[i]->version & VT_TV_CLOUDIFY)
			tosca_take_imports(unit[i]);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = tosca_render(unit[i]);
		if (i == 0)
			tm_head(t->m)->root = row;
	}
	return tm_done(t->m);
}

/* TOSCA has it in the metadata, up to 1.3 beside them too; a version need not look like one. */
static const char *
identity(const struct tosca *t, const char *name)
{
	const te *file = t->root->file;
	const ynode *y = file ? te_y(file, name) : NULL, *m = file ? te_y(file, "metadata") : NULL;
	if (!y && m && m->kind == YN_MAP)
		y = yn_get(m, name);
	return y && y->kind == YN_SCALAR && y->ntext ? vc_strndup(t->c, y->text, y->ntext) : NULL;
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
	if (t->root) {
		t->title = identity(t, "template_name");
		t->version = identity(t, "template_version");
	}
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

/* The span of the word at a place: to the next blank, comma or bracket. */
vc_span
tosca_span(struct tosca *t, vt_tplace p)
{
	vc_source *src = source_of(t, p.file);
	if (!src)
		return (vc_span){NULL, 0, 0};
	const char *s = src->text + p.at, *end = src->text + src->n;
	const char *to = s;
	while (to < end && !strchr(" \t\r\n,]}", *to))
		to++;
	return (vc_span){src, (uint32_t)(s - src->text), (uint32_t)(to - src->text)};
}

bool
tosca_is_open(const struct tosca *t)
{
	return t->lacks_types || (t->root && t->root->incomplete);
}

bool
tosca_may_lack(const struct tosca *t)
{
	return t->root && t->root->keys & TK_A4C;
}

static enum vc_code
code_of(const struct tosca *t, const vt_tproblem *p)
{
	bool lacks = p->code == VT_E2051 || p->code == VT_E2060;
	return lacks && tosca_may_lack(t) ? VC_W2044 : (enum vc_code)p->code;
}

/* A map at that place that is nearly a call; it is told with the problem then. */
static void
hint_bare(struct tosca *t, vc_span at)
{
	for (uint32_t i = 0; i < t->nbare; i++)
		if (t->bare[i] && t->bare[i]->span.src == at.src &&
			t->bare[i]->span.from == at.from) {
			vc_did_you_mean(t->c, "'%s'", t->meant[i]);
			t->bare[i] = NULL;
		}
}

static void
tell_bare(struct tosca *t)
{
	for (uint32_t i = 0; i < t->nbare; i++) {
		if (!t->bare[i])
			continue;
		const ynode *key = t->bare[i]->key[0];
		vc_report(t->c, VC_W2033, key->span, "'%s' is no function, and the map stays a map",
			key->text);
		vc_did_you_mean(t->c, "'%s'", t->meant[i]);
	}
	t->nbare = t->nmeant = 0;
}

void
tosca_report(struct tosca *t, const vt_tosca *engine)
{
	for (uint32_t i = 0; i < engine->nleniencies; i++) {
		const vt_tproblem *p = &engine->leniencies[i];
		vc_report(t->c, (enum vc_code)p->code, tosca_span(t, p->place), "%s", p->message);
		if (p->code == VT_W2023)
			vc_hint(t->c, "put it in quotes");
		else if (p->code == VT_W2020)
			vc_hint(t->c, "write ''");
	}
	for (uint32_t i = 0; i < engine->nproblems; i++) {
		const vt_tproblem *p = &engine->problems[i];
		if (p->again || (tosca_is_open(t) && p->code == VT_E2060))
			continue;
		vc_report(t->c, code_of(t, p), tosca_span(t, p->place), "%s", p->message);
		if (p->hint)
			vc_hint(t->c, "%s", p->hint);
		if (t->nbare)
			hint_bare(t, tosca_span(t, p->place));
	}
	tell_bare(t);
}

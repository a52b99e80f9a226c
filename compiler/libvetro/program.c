/*
 * program.c - the code of an engine's expressions: found by text, and given up.
 *
 * A program that no query holds is idle.  The last MOST_IDLE of these are kept, for texts that come
 * again; what is older goes, at a time when nothing runs.  Inline caches are numbered through all
 * programs, and the numbers of those that went are given out again.
 *
 * What values may hold of a program: constants, which are in the engine's pool and stay; and the
 * code itself, by lambdas, iterators and contexts.  So a program is pinned, which is to stay, when
 * an evaluation of it left more of these behind than it found, when it gave one to a function of
 * the host, or when Lua is there, which may keep what it gets.  Code that was compiled by libtcc
 * has constants of its own: it stays as well, and there are at most MOST_HOT such.
 */
#include "compiler/libvetro/int.h"
#include "compiler/emit/image.h"
#include "runtime/call/call.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ICS = 1 << 26, MOST_IDLE = 256, MOST_HOT = 256 };

void
lv_programs_new(vetro_engine *e)
{
	e->keep = (qc_keep){im_pool_new(), MOST_HOT};
}

static void
free_program(program *p)
{
	qc_free(p->code);
	vetro_shared_free(p->shared);
	free(p->text);
	free(p);
}

void
lv_programs_free(vetro_engine *e)
{
	for (size_t i = 0; i < NBUCKETS; i++)
		for (program *p = e->programs[i], *next; p != NULL; p = next) {
			next = p->next;
			free_program(p);
		}
	for (size_t i = 0; i < e->noperators; i++)
		yq_operators_free(e->operators[i]);
	free(e->operators);
	free(e->gap);
	im_pool_free(e->keep.pool);
}

/* ---- numbers of inline caches that are free again ---- */

static void
add_gap(vetro_engine *e, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < e->ngaps;) {
		lv_gap g = e->gap[i];
		if (g.to != from && g.from != to) {
			i++;
			continue;
		}
		from = g.from < from ? g.from : from;
		to = g.to > to ? g.to : to;
		e->gap[i] = e->gap[--e->ngaps];
		i = 0;
	}
	if (to == e->nics) {
		e->nics = from;
		return;
	}
	if (e->ngaps == e->gaps_room) {
		e->gaps_room = e->gaps_room ? 2 * e->gaps_room : 16;
		e->gap = vt_xrealloc(e->gap, e->gaps_room * sizeof *e->gap);
	}
	e->gap[e->ngaps++] = (lv_gap){from, to};
}

/* Of the gaps, one that will do for a text of n bytes; NULL: there is none. */
static lv_gap *
gap_for(vetro_engine *e, size_t n)
{
	for (uint32_t i = 0; i < e->ngaps; i++)
		if (e->gap[i].to - e->gap[i].from >= 4 + n / 2)
			return &e->gap[i];
	return NULL;
}

/* ---- idle programs ---- */

static void
make_idle(vetro_engine *e, program *p)
{
	p->idle = true;
	p->older = e->newest;
	p->newer = NULL;
	*(e->newest != NULL ? &e->newest->newer : &e->oldest) = p;
	e->newest = p;
	e->nidle++;
}

static void
make_busy(vetro_engine *e, program *p)
{
	*(p->older != NULL ? &p->older->newer : &e->oldest) = p->newer;
	*(p->newer != NULL ? &p->newer->older : &e->newest) = p->older;
	p->idle = false;
	e->nidle--;
}

static void
give_up(vetro_engine *e, program *p)
{
	program **at = &e->programs[p->hash % NBUCKETS];

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	vt_found_forget(e->rt);
	memset(e->rt->ic + p->ics.from, 0, (p->ics.to - p->ics.from) * sizeof *e->rt->ic);
	add_gap(e, p->ics.from, p->ics.to);
	free_program(p);
}

static void
give_up_idle(vetro_engine *e)
{
	while (e->running == 0 && e->nidle > MOST_IDLE) {
		program *p = e->oldest;
		make_busy(e, p);
		if (!p->pinned && !qc_is_compiled(p->code))
			give_up(e, p);
	}
}

void
lv_program_hold(vetro_engine *e, program *p)
{
	if (p->idle)
		make_busy(e, p);
	p->holders++;
}

void
lv_program_drop(vetro_engine *e, program *p)
{
	if (--p->holders == 0)
		make_idle(e, p);
	give_up_idle(e);
}

/* ---- what evaluations leave behind ---- */

lv_mark
lv_mark_of(const vetro_engine *e)
{
	return (lv_mark){(int64_t)e->rt->s->heap->coded - e->coded_by_host, e->escapes};
}

void
lv_program_ran(const vetro_engine *e, program *p, lv_mark mark)
{
	lv_mark now = lv_mark_of(e);

	if (now.coded != mark.coded || now.escapes != mark.escapes || e->has_lua)
		p->pinned = true;
}

/* ---- texts ---- */

static program *
find_program(const vetro_engine *e, const lv_source *s)
{
	uint64_t hash = vt_sip(&e->seed, s->text, s->n);

	for (program *p = e->programs[hash % NBUCKETS]; p != NULL; p = p->next)
		if (p->hash == hash && p->n == s->n && memcmp(p->text, s->text, s->n) == 0 &&
			p->operators == s->operators && p->layers == s->layers &&
			memcmp(p->opt, s->opt, sizeof p->opt) == 0)
			return p;
	return NULL;
}

uint32_t
lv_layers(const vetro_engine *e)
{
	const int64_t *opt = e->opt;

	uint32_t layers = qr_layers(opt[VETRO_LEGACY] || opt[VETRO_LEGACY_FUNCTIONS],
		opt[VETRO_DELEGATES] || opt[VETRO_DELEGATE_FUNCTIONS]);

	if (opt[VETRO_CONVENTION] == VETRO_PYTHON_NAMES)
		layers |= VT_L_SNAKE | VT_L_CALLED;
	if (opt[VETRO_LEFT_OUT] != 0 || e->own_operators)
		layers |= VT_L_CALLED;
	if (opt[VETRO_GROUP_BY_FALLBACK] == 0)
		layers |= VT_L_NO_FALLBACK;
	return layers | (uint32_t)opt[VETRO_LEFT_OUT] << VT_L_LEFT_OUT;
}

qr_request
lv_request(const lv_source *s)
{
	const int64_t *opt = s->opt;
	qr_request r = {.expr = s->text,
		.n = s->n,
		.operators = s->operators,
		.layers = s->layers,
		.legacy = opt[VETRO_LEGACY],
		.delegates = opt[VETRO_DELEGATES],
		.opt = {.limit_iterators = opt[VETRO_LIMIT_ITERATORS],
			.memory_quota = opt[VETRO_MEMORY_QUOTA],
			.tuples_to_lists = opt[VETRO_TUPLES_TO_LISTS],
			.sets_to_lists = opt[VETRO_SETS_TO_LISTS],
			.iterable_dicts = opt[VETRO_ITERABLE_DICTS],
			.convert_input = opt[VETRO_CONVERT_INPUT],
			.convert_output = opt[VETRO_CONVERT_OUTPUT]}};

	if (r.legacy)
		qr_force_legacy(&r.opt);
	return r;
}

/* What sessions have in common is there already, or all of it is made here. */
static qc *
code_at(vetro_engine *e, const lv_source *s, uint32_t nics, const vt_program **made, qr_error *err)
{
	qr_request r = lv_request(s);
	qc *code = s->module != NULL ? qc_module_load(s->module, nics, &e->keep, made) : NULL;

	return code != NULL ? code : qc_compile_kept(&r, nics, &e->keep, made, err);
}

/* Into a gap, if it is large enough; else behind all others. */
static qc *
compile(vetro_engine *e, const lv_source *s, lv_gap *ics, const vt_program **made, qr_error *err)
{
	lv_gap *gap = gap_for(e, s->n);
	qc *code = gap != NULL ? code_at(e, s, gap->from, made, err) : NULL;

	if (code != NULL && (*made)->nics <= gap->to) {
		*ics = (lv_gap){gap->from, (*made)->nics};
		gap->from = (*made)->nics;
		return code;
	}
	if (gap != NULL && code == NULL)
		return NULL;
	qc_free(code);
	code = code_at(e, s, e->nics, made, err);
	if (code == NULL)
		return NULL;
	*ics = (lv_gap){e->nics, (*made)->nics};
	e->nics = (*made)->nics;
	return code;
}

static program *
new_program(vetro_engine *e, const lv_source *s, qr_error *err)
{
	const vt_program *made = NULL;
	program *p = vt_xmalloc(sizeof *p);

	*p = (program){.text = vt_xmalloc(s->n + 1),
		.n = s->n,
		.hash = vt_sip(&e->seed, s->text, s->n),
		.operators = s->operators,
		.shared = s->shared != NULL ? lv_shared_hold(s->shared) : NULL};
	memcpy(p->text, s->text, s->n);
	p->text[s->n] = '\0';
	memcpy(p->opt, s->opt, sizeof p->opt);
	p->layers = s->layers;
	p->code = compile(e, s, &p->ics, &made, err);
	if (p->code == NULL) {
		free_program(p);
		return NULL;
	}
	p->body = made->query;
	p->next = e->programs[p->hash % NBUCKETS];
	e->programs[p->hash % NBUCKETS] = p;
	if (e->rt->program == NULL) {
		e->rt->program = made;
		p->pinned = true;
	}
	make_idle(e, p);
	return p;
}

bool
lv_check_text(const char *text, size_t n, int64_t most, qr_error *err)
{
	if (n > (size_t)most)
		qr_error_set(err, "UsageError", 0, 0,
			"the expression is larger than VETRO_EXPRESSION_SIZE allows");
	else if (vt_utf8_check(text, n) != n)
		qr_error_set(
			err, "YaqlLexicalException", 0, 0, "the expression is not valid UTF-8");
	else
		return true;
	return false;
}

/* Caches do not move while something runs: then there is the room that enter made and no more. */
program *
lv_program_get(vetro_engine *e, const lv_source *s, qr_error *err)
{
	program *p = find_program(e, s);

	if (p != NULL || !lv_check_text(s->text, s->n, e->opt[VETRO_EXPRESSION_SIZE], err))
		return p;
	if (e->nics >= MOST_ICS || (e->running > 0 && e->nics + LV_SPARE_ICS / 2 > e->room)) {
		qr_error_set(
			err, "RuntimeError", 0, 0, "the engine has compiled too many expressions");
		return NULL;
	}
	p = new_program(e, s, err);
	if (e->nics <= e->room)
		return p;
	if (e->running == 0) {
		lv_make_room(e, 0);
		return p;
	}
	qr_error_set(err, "RuntimeError", 0, 0,
		"the expression is too large to be compiled while another one runs");
	return NULL;
}

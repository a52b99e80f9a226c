/* graph.c - the tasks of a workflow: which leads to which, which nothing leads to, who publishes
 * what. */
#include "compiler/workflow/int.h"

#include <string.h>

/* ---- what is collected ---- */

static bool
is_task(const wf_flow *f, const ynode *key)
{
	return key->kind == YN_SCALAR && !(f->no_task && !strcmp(key->text, f->no_task));
}

bool
wf_at(wf_flow *f, const ynode *tasks, uint32_t i)
{
	if (!is_task(f, tasks->key[i]))
		return false;
	f->task = wf_find(f->s->c, &f->tasks, tasks->key[i]->text);
	return true;
}

bool
wf_enter(wf_flow *f, const ynode *tasks, uint32_t i)
{
	if (!is_task(f, tasks->key[i]))
		return false;
	wf_add(f->s->c, &f->tasks, tasks->key[i]->text);
	if (f->nkeys < f->tasks.n)
		vc_push(f->s->c, f->key, f->nkeys) = tasks->key[i];
	return wf_at(f, tasks, i);
}

void
wf_give(wf_flow *f, const char *name, uint32_t task)
{
	vc *c = f->s->c;
	wf_add(c, &f->vars, name);
	vc_push(c, f->given, f->ngiven) = (struct wf_given){wf_find(c, &f->vars, name), task};
}

/* A name that with-items gives hides the variable. */
void
wf_used(wf_flow *f, const wf_names *keys, const char *name, vc_span at)
{
	vc *c = f->s->c;
	bool own = keys == &f->vars;
	if (f->task == WF_ALWAYS || (!own && keys->outer != &f->vars) ||
		(!own && wf_find(c, keys, name) != UINT32_MAX))
		return;
	vc_push(c, f->use, f->nuses) =
		(struct wf_use){wf_find(c, &f->vars, name), f->task, f->later, at};
}

void
wf_edge_add(wf_flow *g, uint32_t from, uint32_t to)
{
	vc_push(g->s->c, g->edge, g->nedges) = (struct wf_edge){from, to};
}

bool
wf_is_command(const wf_flow *f, const char *name)
{
	for (size_t i = 0; f->commands[i]; i++)
		if (!strcmp(f->commands[i], name))
			return true;
	return false;
}

uint32_t
wf_named_task(const wf_flow *f, const ynode *y, uint32_t from, uint32_t to)
{
	const char *name = vc_strndup(f->s->c, y->text + from, to - from);
	uint32_t at = wf_find(f->s->c, &f->tasks, name);
	if (at != UINT32_MAX || wf_is_command(f, name))
		return at;
	wf_say(f->s, VC_E5003, yn_subspan(y, from, to), "the workflow has no task '%s'", name);
	const char *near = wf_enough(f->s, f->tasks.n) || !f->tasks.n
				   ? NULL
				   : vt_nearest(name, f->tasks.v, f->tasks.n);
	if (near)
		vc_did_you_mean(f->s->c, "'%s'", near);
	return WF_ALWAYS;
}

/* ---- joins and starts ---- */

/* Of how many tasks each is the next.  Edges of one task stand together. */
static uint32_t *
inbound(const wf_flow *g)
{
	vc *c = g->s->c;
	uint32_t *count = vc_alloc(c, g->tasks.n * sizeof *count);
	uint32_t *last = vc_alloc(c, g->tasks.n * sizeof *last);
	for (uint32_t i = 0; i < g->nedges; i++) {
		uint32_t to = g->edge[i].to;
		count[to] += last[to] != g->edge[i].from + 1;
		last[to] = g->edge[i].from + 1;
	}
	return count;
}

void
wf_check_joins(wf_flow *f, const ynode *tasks,
	void (*check)(wf_flow *, const ynode *task, uint32_t inbound))
{
	uint32_t *count = inbound(f);
	for (uint32_t i = 0; i < tasks->n; i++)
		if (wf_at(f, tasks, i) && tasks->item[i]->kind == YN_MAP)
			check(f, tasks->item[i], count[f->task]);
	f->task = WF_ALWAYS;
}

/* Where the edges of each task begin; they are sorted by `from`. */
static uint32_t *
beginnings(vc *c, const wf_flow *g)
{
	uint32_t *at = vc_alloc(c, (g->tasks.n + 1) * sizeof *at);
	for (uint32_t i = 0; i < g->nedges; i++)
		at[g->edge[i].from + 1]++;
	for (uint32_t i = 0; i < g->tasks.n; i++)
		at[i + 1] += at[i];
	return at;
}

static void
mark_from_starts(vc *c, const wf_flow *g, bool *reached)
{
	uint32_t n = g->tasks.n, *at = beginnings(c, g), *queue = vc_alloc(c, n * sizeof *queue);
	uint32_t head = 0, tail = 0;
	bool *entered = vc_alloc(c, n);
	for (uint32_t i = 0; i < g->nedges; i++)
		entered[g->edge[i].to] = true;
	for (uint32_t i = 0; i < n; i++)
		if (!entered[i]) {
			reached[i] = true;
			queue[tail++] = i;
		}
	for (; head < tail; head++)
		for (uint32_t i = at[queue[head]]; i < at[queue[head] + 1]; i++)
			if (!reached[g->edge[i].to]) {
				reached[g->edge[i].to] = true;
				queue[tail++] = g->edge[i].to;
			}
}

/* "a, b and others" behind the first one that is lost. */
static const char *
others(vc *c, const wf_flow *g, const bool *reached, uint32_t first)
{
	enum { SHOWN = 5 };
	vt_buf b = {0};
	uint32_t shown = 0;
	for (uint32_t i = first + 1; i < g->tasks.n && shown < SHOWN; i++)
		if (!reached[i])
			vt_buf_printf(&b, "%s'%s'", shown++ ? ", " : "", g->tasks.v[i]);
	vt_buf_put(&b, "", 1);
	return vc_take(c, &b);
}

/* A task that nothing leads to begins the workflow; so what is not reached waits for itself, or for
 * what does. */
void
wf_check_reach(const wf_flow *g)
{
	const wf_scope *s = g->s;
	uint32_t n = g->tasks.n, lost = 0, first = 0;
	bool *reached = vc_alloc(s->c, n);
	mark_from_starts(s->c, g, reached);
	for (uint32_t i = n; i-- > 0;)
		if (!reached[i]) {
			first = i;
			lost++;
		}
	if (lost && lost == n)
		wf_say(s, VC_E5001, g->key[0]->span,
			"the workflow has no first task: each one waits for another");
	else if (lost == 1)
		wf_say(s, VC_W5002, g->key[first]->span,
			"task '%s' is never reached: only the task itself leads to it",
			g->tasks.v[first]);
	else if (lost)
		wf_say(s, VC_W5002, g->key[first]->span,
			"%u tasks are never reached, because they wait for each other: '%s', %s%s",
			lost, g->tasks.v[first], others(s->c, g, reached, first),
			lost > 6 ? "..." : "");
}

/* ---- the order of variables ---- */

/* The edges by the task to which they lead, and a walk against them. */
typedef struct back {
	const wf_flow *f;
	uint32_t *first, *from, *queue;
	bool *before; /* by task: does it lead to the task? */
	uint64_t steps;
} back;

static back
backwards(const wf_flow *f)
{
	vc *c = f->s->c;
	uint32_t n = f->tasks.n;
	back b = {.f = f,
		.first = vc_alloc(c, (n + 2) * sizeof *b.first),
		.from = vc_alloc(c, (f->nedges + 1) * sizeof *b.from),
		.queue = vc_alloc(c, (n + 1) * sizeof *b.queue),
		.before = vc_alloc(c, n + 1)};
	for (uint32_t i = 0; i < f->nedges; i++)
		b.first[f->edge[i].to + 2]++;
	for (uint32_t i = 0; i < n; i++)
		b.first[i + 2] += b.first[i + 1];
	for (uint32_t i = 0; i < f->nedges; i++)
		b.from[b.first[f->edge[i].to + 1]++] = f->edge[i].from;
	return b;
}

/* All tasks from which one comes to `task`; that may be the task itself. */
static void
mark_before(back *b, uint32_t task)
{
	uint32_t head = 0, tail = 0;
	memset(b->before, 0, b->f->tasks.n);
	b->queue[tail++] = task;
	for (; head < tail; head++) {
		uint32_t at = b->queue[head];
		for (uint32_t i = b->first[at]; i < b->first[at + 1]; i++) {
			if (!b->before[b->from[i]] && b->from[i] != task)
				b->queue[tail++] = b->from[i];
			b->before[b->from[i]] = true;
		}
		b->steps += b->first[at + 1] - b->first[at] + 1;
	}
	b->steps += b->f->tasks.n / 8;
}

/* Who publishes each variable, in a row; first[var] and first[var + 1] are its ends. */
static uint32_t *
givers(const wf_flow *f, uint32_t **first)
{
	vc *c = f->s->c;
	uint32_t *at = vc_alloc(c, (f->vars.n + 2) * sizeof *at);
	uint32_t *who = vc_alloc(c, (f->ngiven + 1) * sizeof *who);
	for (uint32_t i = 0; i < f->ngiven; i++)
		at[f->given[i].var + 2]++;
	for (uint32_t i = 0; i < f->vars.n; i++)
		at[i + 2] += at[i + 1];
	for (uint32_t i = 0; i < f->ngiven; i++)
		who[at[f->given[i].var + 1]++] = f->given[i].task;
	*first = at;
	return who;
}

static void
too_early(const wf_flow *f, const struct wf_use *u, const uint32_t *who, uint32_t n)
{
	const char *name = f->vars.v[u->var], *task = f->tasks.v[u->task];
	if (n == 1 && who[0] == u->task)
		wf_say(f->s, VC_W5005, u->at,
			"'%s' is not there yet: only task '%s' itself publishes it, when it has "
			"ended",
			name, task);
	else if (n == 1)
		wf_say(f->s, VC_W5005, u->at,
			"'%s' is not there yet: task '%s' publishes it, and does not lead to '%s'",
			name, f->tasks.v[who[0]], task);
	else
		wf_say(f->s, VC_W5005, u->at,
			"'%s' is not there yet: of the %u tasks that publish it, such as '%s', "
			"none leads to "
			"'%s'",
			name, n, f->tasks.v[who[0]], task);
}

static bool
always_there(const uint32_t *who, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (who[i] == WF_ALWAYS)
			return true;
	return false;
}

void
wf_check_order(const wf_flow *f)
{
	enum { MOST_STEPS = 200 * 1000 * 1000 };
	uint32_t *first, *who = givers(f, &first), marked = WF_ALWAYS;
	back b = backwards(f);
	for (uint32_t i = 0; i < f->nuses && b.steps < MOST_STEPS; i++) {
		const struct wf_use *u = &f->use[i];
		const uint32_t *by = who + first[u->var], n = first[u->var + 1] - first[u->var];
		bool there = always_there(by, n);
		if (!there && u->task != marked)
			mark_before(&b, marked = u->task);
		for (uint32_t k = 0; k < n && !there; k++)
			there = b.before[by[k]] || (u->later && by[k] == u->task);
		b.steps += n;
		if (!there && !wf_enough(f->s, f->tasks.n))
			too_early(f, u, by, n);
	}
	if (b.steps >= MOST_STEPS)
		vc_report(f->s->c, VC_W5004, f->key[0]->span,
			"the order of variables is not checked: the workflow is too large");
}

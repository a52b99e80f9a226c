/* graph.c - which task leads to which, and which tasks nothing leads to. */
#include "compiler/workflow/int.h"

void
wf_edge_add(vc *c, wf_graph *g, uint32_t from, uint32_t to)
{
	vc_push(c, g->edge, g->nedges) = (struct wf_edge){from, to};
}

/* Of how many tasks each is the next.  Edges of one task stand together. */
uint32_t *
wf_inbound(vc *c, const wf_graph *g)
{
	uint32_t *count = vc_alloc(c, g->tasks->n * sizeof *count);
	uint32_t *last = vc_alloc(c, g->tasks->n * sizeof *last);
	for (uint32_t i = 0; i < g->nedges; i++) {
		uint32_t to = g->edge[i].to;
		count[to] += last[to] != g->edge[i].from + 1;
		last[to] = g->edge[i].from + 1;
	}
	return count;
}

/* Where the edges of each task begin; they are sorted by `from`. */
static uint32_t *
beginnings(vc *c, const wf_graph *g)
{
	uint32_t *at = vc_alloc(c, (g->tasks->n + 1) * sizeof *at);
	for (uint32_t i = 0; i < g->nedges; i++)
		at[g->edge[i].from + 1]++;
	for (uint32_t i = 0; i < g->tasks->n; i++)
		at[i + 1] += at[i];
	return at;
}

static void
mark_from_starts(vc *c, const wf_graph *g, bool *reached)
{
	uint32_t n = g->tasks->n, *at = beginnings(c, g), *queue = vc_alloc(c, n * sizeof *queue);
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
others(vc *c, const wf_graph *g, const bool *reached, uint32_t first)
{
	enum { SHOWN = 5 };
	vt_buf b = {0};
	uint32_t shown = 0;
	for (uint32_t i = first + 1; i < g->tasks->n && shown < SHOWN; i++)
		if (!reached[i])
			vt_buf_printf(&b, "%s'%s'", shown++ ? ", " : "", g->tasks->v[i]);
	vt_buf_put(&b, "", 1);
	return vc_take(c, &b);
}

/* A task that nothing leads to begins the workflow; so what is not reached waits for itself, or for
 * what does. */
void
wf_check_reach(const wf_scope *s, const wf_graph *g)
{
	uint32_t n = g->tasks->n, lost = 0, first = 0;
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
			g->tasks->v[first]);
	else if (lost)
		wf_say(s, VC_W5002, g->key[first]->span,
			"%u tasks are never reached, because they wait for each other: '%s', %s%s",
			lost, g->tasks->v[first], others(s->c, g, reached, first),
			lost > 6 ? "..." : "");
}

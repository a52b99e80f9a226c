/*
 * dot.c - the topology as Graphviz draws it: `vetro tosca -f dot`, `vetro graph dot`.
 *
 * A box is a node template with its type, how many nodes it makes, and those of its capabilities
 * that something is related to; an arrow is a requirement, with the number of relationships where
 * there are several.  Groups are clusters; a node is drawn in the first group that has it, and a
 * dashed line leads to it from the others.  The inside of a substituted node is a cluster that a
 * dotted line leads to.  Templates stand in the order of the file, so a service always looks the
 * same.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"
#include "runtime/core/printable.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { MOST_NESTED = 100 };
#define NOBODY UINT32_MAX
#define TIMES "\xc3\x97"

typedef struct drawing {
	vt_tosca *t;
	const vt_tmodel *m;
	vt_buf *b;
	uint32_t *box;   /* by node: which box it is in */
	uint32_t *by;    /* by box: row of the group that draws it, or NOBODY */
	bool *is_drawn;  /* by box */
	uint32_t *nest;  /* by row of a group: of the group that draws it, or NOBODY */
	bool *is_nested; /* by row of a group: drawn */
	/* the service at hand: */
	vt_tservicei *s;
	uint32_t index, base; /* in t->services; its first box */
	int depth;
} drawing;

/* ---- texts ---- */

static void
put_label(vt_buf *b, const char *s, bool record)
{
	vt_put_dot(b, s, strlen(s), record);
}

static void
put_name(const drawing *w, uint32_t str)
{
	put_label(w->b, vt_tosca_text(w->t, str), false);
}

static void
put_name_and_type(const drawing *w, uint32_t str, uint32_t type)
{
	put_name(w, str);
	vt_buf_puts(w->b, "\\n");
	put_name(w, w->m->type[type].canon);
}

static void
indent(const drawing *w)
{
	for (int i = 0; i <= w->depth; i++)
		vt_buf_putc(w->b, '\t');
}

/* ---- nodes ---- */

static void
draw_capabilities(const drawing *w, uint32_t row)
{
	const vt_tnodei *first = w->s->first[row];
	bool any = false;
	for (uint32_t c = 0; c < first->ncaps; c++) {
		uint32_t used = 0;
		for (uint32_t k = 0; k < w->s->count[row]; k++)
			used += first[k].caps[c].used;
		if (!used)
			continue;
		vt_buf_printf(w->b, "%s<c%u> ", any ? "|" : "|{", c);
		put_label(w->b, vt_tosca_text(w->t, first->caps[c].def->name), true);
		any = true;
	}
	vt_buf_puts(w->b, any ? "}" : "");
}

static void
draw_node(const drawing *w, uint32_t row)
{
	const vt_tnode *n = &w->m->node[w->s->s->nodes.first + row];
	uint32_t count = w->s->count[row];
	if (w->is_drawn[w->base + row])
		return;
	w->is_drawn[w->base + row] = true;
	indent(w);
	vt_buf_printf(w->b, "n%u [label=\"{", w->base + row);
	put_label(w->b, vt_tosca_text(w->t, n->name), true);
	if (count != 1)
		vt_buf_printf(w->b, "\\ " TIMES "\\ %u", count);
	vt_buf_puts(w->b, "\\n");
	put_label(w->b, vt_tosca_text(w->t, w->m->type[n->type].canon), true);
	if (count)
		draw_capabilities(w, row);
	vt_buf_puts(w->b, count ? "}\"];\n" : "}\", style=\"rounded,dashed\"];\n");
}

/* ---- relationships ---- */

typedef struct arrow {
	uint32_t target, cap, name, type, n;
} arrow;

static int
by_end(const void *a, const void *b)
{
	const arrow *x = a, *y = b;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return x->cap < y->cap ? -1 : x->cap > y->cap;
}

static void
draw_arrow(const drawing *w, uint32_t from, const arrow *a)
{
	vt_buf_printf(w->b, "\tn%u -> n%u:c%u [label=\"", from, a->target, a->cap);
	put_name(w, a->name);
	if (a->n > 1)
		vt_buf_printf(w->b, " " TIMES " %u", a->n);
	vt_buf_puts(w->b, "\"");
	if (a->type) {
		vt_buf_puts(w->b, ", tooltip=\"");
		put_name(w, w->m->type[a->type].canon);
		vt_buf_puts(w->b, "\"");
	}
	vt_buf_puts(w->b, "];\n");
}

/* Those of all nodes of a template; equal ones are one arrow. */
static void
draw_arrows(const drawing *w, uint32_t row)
{
	const vt_tnodei *first = w->s->first[row];
	uint32_t n = 0, k = 0;
	for (uint32_t i = 0; i < w->s->count[row]; i++)
		n += first[i].nrels;
	arrow *all = vt_xmalloc((n + 1) * sizeof *all);
	for (uint32_t i = 0; i < w->s->count[row]; i++)
		for (uint32_t j = 0; j < first[i].nrels; j++) {
			const vt_treli *r = first[i].rels[j];
			all[k++] = (arrow){w->box[r->target->order],
				(uint32_t)(r->cap - r->target->caps), r->name, r->type, 1};
		}
	if (n > 1)
		qsort(all, n, sizeof *all, by_end);
	for (uint32_t i = 0; i < n; i += all[i].n) {
		for (k = i + 1; k < n && !by_end(&all[i], &all[k]); k++)
			all[i].n++;
		draw_arrow(w, w->base + row, &all[i]);
	}
	free(all);
}

/* ---- groups ---- */

/* The first group that names something draws it. */
static void
claim(const drawing *w)
{
	for (uint32_t i = 0; i < w->s->s->groups.n; i++) {
		uint32_t row = w->s->s->groups.first + i;
		const vt_tgroup *g = &w->m->group[row];
		for (uint32_t k = 0; k < g->members.n; k++) {
			uint32_t member = w->m->index[g->members.first + k],
				 other = member & ~VT_TMEMBER_GROUP;
			uint32_t *by = other != member
					       ? &w->nest[other]
					       : &w->by[w->base + member - w->s->s->nodes.first];
			if (*by == NOBODY && (other == member || other != row))
				*by = row;
		}
	}
}

static void draw_group(drawing *, uint32_t row);

static void
draw_own(drawing *w, uint32_t row, uint32_t member)
{
	uint32_t other = member & ~VT_TMEMBER_GROUP, box = w->base + member - w->s->s->nodes.first;
	if (other != member && w->nest[other] == row)
		draw_group(w, other);
	else if (other == member && w->by[box] == row)
		draw_node(w, member - w->s->s->nodes.first);
}

/* The invisible point is what lines from and to a cluster end at. */
static void
draw_group(drawing *w, uint32_t row)
{
	const vt_tgroup *g = &w->m->group[row];
	if (w->is_nested[row] || w->depth > MOST_NESTED)
		return;
	w->is_nested[row] = true;
	indent(w);
	vt_buf_printf(w->b, "subgraph cluster_g%u_%u {\n", w->index, row);
	w->depth++;
	indent(w);
	vt_buf_puts(w->b, "label=\"");
	put_name_and_type(w, g->name, g->type);
	vt_buf_puts(w->b, "\"; style=rounded;\n");
	indent(w);
	vt_buf_printf(w->b, "g%u_%u [shape=point, style=invis];\n", w->index, row);
	for (uint32_t k = 0; k < g->members.n; k++)
		draw_own(w, row, w->m->index[g->members.first + k]);
	w->depth--;
	indent(w);
	vt_buf_puts(w->b, "}\n");
}

/* From where a line begins, which is written, to a node or a group. */
static void
draw_line(const drawing *w, uint32_t member, const char *style)
{
	uint32_t other = member & ~VT_TMEMBER_GROUP;
	if (other != member)
		vt_buf_printf(w->b, " -> g%u_%u [lhead=cluster_g%u_%u, %s];\n", w->index, other,
			w->index, other, style);
	else
		vt_buf_printf(
			w->b, " -> n%u [%s];\n", w->base + member - w->s->s->nodes.first, style);
}

/* To members that are drawn elsewhere. */
static void
draw_members(const drawing *w, uint32_t row)
{
	const vt_tgroup *g = &w->m->group[row];
	for (uint32_t k = 0; k < g->members.n; k++) {
		uint32_t member = w->m->index[g->members.first + k],
			 other = member & ~VT_TMEMBER_GROUP;
		if ((other != member ? w->nest[other]
				     : w->by[w->base + member - w->s->s->nodes.first]) == row ||
			other == row)
			continue;
		char style[80];
		snprintf(style, sizeof style, "ltail=cluster_g%u_%u, style=dashed, arrowhead=none",
			w->index, row);
		vt_buf_printf(w->b, "\tg%u_%u", w->index, row);
		draw_line(w, member, style);
	}
}

static void
draw_policy(const drawing *w, uint32_t row)
{
	const vt_tgroup *p = &w->m->policy[row];
	vt_buf_printf(w->b, "\tp%u_%u [shape=note, style=solid, label=\"", w->index, row);
	put_name_and_type(w, p->name, p->type);
	vt_buf_puts(w->b, "\"];\n");
	for (uint32_t k = 0; k < p->members.n; k++) {
		vt_buf_printf(w->b, "\tp%u_%u", w->index, row);
		draw_line(w, w->m->index[p->members.first + k], "style=dashed");
	}
}

/* ---- services ---- */

static void
draw_boxes(drawing *w)
{
	vt_tspan groups = w->s->s->groups;
	for (uint32_t i = 0; i < groups.n; i++) {
		w->is_nested[groups.first + i] = false;
		w->nest[groups.first + i] = NOBODY;
	}
	claim(w);
	for (uint32_t i = 0; i < groups.n; i++)
		if (w->nest[groups.first + i] == NOBODY)
			draw_group(w, groups.first + i);
	for (uint32_t i = 0; i < groups.n; i++) /* groups within each other, or too deep */
		draw_group(w, groups.first + i);
	for (uint32_t i = 0; i < w->s->s->nodes.n; i++)
		draw_node(w, i);
}

static void
draw_lines(const drawing *w)
{
	for (uint32_t i = 0; i < w->s->s->nodes.n; i++)
		draw_arrows(w, i);
	for (uint32_t i = 0; i < w->s->s->groups.n; i++)
		draw_members(w, w->s->s->groups.first + i);
	for (uint32_t i = 0; i < w->s->s->policies.n; i++)
		draw_policy(w, w->s->s->policies.first + i);
}

/* The service that stands for a node. */
static void
draw_inside(drawing *w)
{
	const vt_tnodei *outside = w->s->outside;
	vt_buf_printf(w->b, "\tsubgraph cluster_s%u {\n\t\tlabel=\"inside of ", w->index);
	put_name(w, outside->t->name);
	if (outside->of > 1)
		vt_buf_printf(w->b, "_%u", outside->index);
	vt_buf_printf(w->b, "\"; style=dotted;\n\t\ts%u [shape=point, style=invis];\n", w->index);
	w->depth = 1;
	draw_boxes(w);
	w->depth = 0;
	vt_buf_printf(w->b,
		"\t}\n\tn%u -> s%u [lhead=cluster_s%u, style=dotted, arrowhead=none];\n",
		w->box[outside->order], w->index, w->index);
}

static uint32_t
number_boxes(drawing *w)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->t->nservices; i++) {
		const vt_tservicei *s = w->t->services[i];
		for (uint32_t row = 0; row < s->s->nodes.n; row++, n++)
			for (uint32_t k = 0; k < s->count[row]; k++)
				w->box[s->first[row][k].order] = n;
	}
	return n;
}

static void
draw(drawing *w)
{
	vt_buf_puts(
		w->b, "digraph tosca {\n\tcompound=true;\n\tnode [shape=record, style=rounded];\n");
	for (uint32_t i = 0; i < w->t->nservices; i++) {
		w->s = w->t->services[i];
		w->index = i;
		if (i)
			draw_inside(w);
		else
			draw_boxes(w);
		draw_lines(w);
		w->base += w->s->s->nodes.n;
	}
	vt_buf_puts(w->b, "}\n");
}

void
vt_tosca_dot(vt_tosca *t, vt_buf *b)
{
	drawing w = {.t = t, .m = t->m, .b = b};
	w.box = vt_xmalloc((t->nnodes + 1) * sizeof *w.box);
	uint32_t n = number_boxes(&w);
	w.by = vt_xmalloc((n + 1) * sizeof *w.by);
	memset(w.by, 0xff, (n + 1) * sizeof *w.by);
	w.is_drawn = vt_xzalloc(n + 1);
	w.nest = vt_xmalloc((t->m->n_group + 1) * sizeof *w.nest);
	w.is_nested = vt_xmalloc(t->m->n_group + 1);
	draw(&w);
	free(w.box);
	free(w.by);
	free(w.is_drawn);
	free(w.nest);
	free(w.is_nested);
}

/*
 * loops.c - loops over integers and floats: pass `unbox`.
 *
 * A loop gets a copy in which variables that can be expected to hold integers, or floats, are raw,
 * and with them what is computed from them.  The heads of loops go to the copy when they all do
 * hold such.  Giving up makes everything raw a value again, and the loop goes on in the code that
 * is right for all values; so does a failure that a handler takes.
 */
#include "compiler/emit/unbox.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MOST_OPS = 4000 };

/* ---- the loops of a function ----------------------------------------------------------------- */

/* The last op that jumps back to a label at or before it, from op i on: where the loop that begins
 * there ends. */
static uint32_t
loop_end(const ir_func *f, const uint32_t *place, uint32_t i)
{
	uint32_t end = 0;

	for (uint32_t k = i; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		uint32_t to = em_jumps(in) ? place[in->label] : UINT32_MAX;
		if (to >= i && to <= (end ? end : i) && to <= k)
			end = k;
	}
	return end;
}

uint8_t
em_loop_head(const ir_func *f, uint32_t label)
{
	bool each = label + 1 < f->n &&
		    (f->ins[label + 1].op == IR_EACH || f->ins[label + 1].op == IR_MORE);

	return each ? EM_SHORT_HEAD : EM_LOOP_HEAD;
}

/* It needs no way into a copy, nor a copy of its own. */
static bool
is_short(const ir_func *f, uint32_t label)
{
	return em_loop_head(f, label) == EM_SHORT_HEAD;
}

/* Labels that are jumped back to in the copy are entries. */
static void
note_heads(fn *x, const em_raw *w)
{
	for (uint32_t k = w->from; k <= w->to; k++) {
		const ir_ins *in = &x->f->ins[k];
		if (em_jumps(in) && em_raw_inside(w, in->label) && w->place[in->label] <= k &&
			(w->wanted[in->label] & 2) && !is_short(x->f, w->place[in->label]))
			x->loops->head[in->label] = (int32_t)w->number;
	}
}

/* One copy, with its own state of the function; the text goes to the side. */
static void
write_copy(const fn *x, em_raw *w)
{
	fn y = *x;
	em *e = x->e;
	size_t start = e->funcs.n;

	y.raw = w;
	y.handler = -1;
	for (uint32_t i = 0; i < w->from; i++)
		if (x->f->ins[i].op == IR_HANDLER)
			y.handler = x->f->ins[i].label;
	y.cells = vc_alloc(e->c, (em_flow_cells(x->flow) + 1) * sizeof *y.cells);
	y.alias = vc_alloc(e->c, ((size_t)x->f->ntemps + 1) * sizeof *y.alias);
	y.placed = vc_alloc(e->c, (size_t)x->f->nlabels + 1);
	y.here = true;
	em_raw_open(&y, w);
	em_raw_ops(&y);
	vt_buf_put(&x->loops->text, e->funcs.p + start, e->funcs.n - start);
	vt_buf_put(&x->loops->text, w->stubs.p, w->stubs.n);
	vt_buf_free(&w->stubs);
	e->funcs.n = start;
	note_heads(&y, w);
}

static struct em_loops *
no_loops(fn *x)
{
	vc *c = x->e->c;
	struct em_loops *l = vc_alloc(c, sizeof *l);

	l->comes_back = vc_alloc(c, (size_t)x->f->n + 1);
	l->t = vc_alloc(c, (size_t)x->f->ntemps + 1);
	l->v = vc_alloc(c, (size_t)x->f->nvars + 1);
	l->head = vc_alloc(c, ((size_t)x->f->nlabels + 1) * sizeof *l->head);
	memset(l->head, 0xff, ((size_t)x->f->nlabels + 1) * sizeof *l->head);
	return l;
}

struct em_loops *
em_loops_of(fn *x)
{
	const ir_func *f = x->f;
	uint32_t *place, end;

	if (!vc_pass_on(x->e->c, UNBOX) || f->kind != IF_METHOD || x->boxed || f->nlabels == 0 ||
		f->n > MOST_OPS)
		return NULL;
	place = em_label_places(x->e->c, f);
	x->loops = no_loops(x);
	x->loops->copies = vc_alloc(x->e->c, ((size_t)f->nlabels + 1) * sizeof *x->loops->copies);
	for (uint32_t i = 0; i < f->n; i++) {
		if (f->ins[i].op != IR_LABEL || is_short(f, i) ||
			(end = loop_end(f, place, i)) == 0)
			continue;
		em_raw *w = &x->loops->copies[x->loops->n];
		*w = (em_raw){.number = x->loops->n,
			.place = place,
			.from = i,
			.to = end,
			.ts = x->loops->t,
			.vs = x->loops->v,
			.var = em_raw_variables(x, i, end, true)};
		if (w->var) {
			x->loops->n++;
			write_copy(x, w);
		}
		i = end;
	}
	return x->loops->n ? x->loops : NULL;
}

void
em_loops_locals(fn *x, em_list *ints, em_list *reals)
{
	for (uint32_t k = 0; k < x->loops->n; k++)
		for (uint32_t v = 0; v < x->f->nvars; v++)
			x->loops->v[v] |= x->loops->copies[k].var[v] == 0         ? 0
					  : x->loops->copies[k].var[v] & RAW_REAL ? 2
										  : 1;
	em_raw_declare(x, x->loops->t, x->loops->v, ints, reals);
}

void
em_loops_label(fn *x, int32_t label)
{
	const em_raw *w;
	const char *sep = "\tif (";

	if (x->loops == NULL || x->loops->head[label] < 0)
		return;
	w = &x->loops->copies[x->loops->head[label]];
	for (uint32_t v = 0; v < x->f->nvars; v++)
		if (w->var[v]) {
			vt_buf_printf(x->b, "%s%s(v%u)", sep,
				w->var[v] & RAW_REAL ? "vt_is_float" : "vt_is_int", v);
			sep = " && ";
		}
	vt_buf_puts(x->b, ") {");
	for (uint32_t v = 0; v < x->f->nvars; v++)
		if (w->var[v])
			vt_buf_printf(x->b,
				w->var[v] & RAW_REAL ? " m%u = vt_float_of(v%u);"
						     : " n%u = vt_raw(v%u);",
				v, v);
	vt_buf_printf(x->b, " goto F%u_%d; }\n", w->number, label);
	vc_pass_note(x->e->c, VC_PASS_UNBOX, x->now, "an entry into the copy");
}

void
em_loops_op(fn *x, uint32_t i)
{
	if (x->loops && x->loops->comes_back[i])
		vt_buf_printf(x->b, "S%u:;\n", i);
}

void
em_loops_text(fn *x)
{
	if (x->loops == NULL)
		return;
	vt_buf_put(x->b, x->loops->text.p, x->loops->text.n);
	vt_buf_free(&x->loops->text);
}

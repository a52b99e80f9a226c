/*
 * temps.c - the numbers of a method's temporaries.
 *
 * Lowering numbers them like a stack, so that each statement begins with %0 again.  The emitter
 * asks of a number whether a value in it is ever used past a label: such a value has to be kept,
 * whatever stands in its way.  So that one value of this kind does not make all others of its
 * number the same, those that are used past a label get a number apart, a twin: those of all
 * regions of a number the same one, for their lives do not overlap.  A region begins with a
 * definition and ends with `free`.  Where the number is freed the twin is freed too.
 *
 * The item that `each` gives belongs to its list and must not be given back.  It has a second twin,
 * in which there is never anything else.
 */
#include "compiler/lower/int.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR, FAR, ITEM };

/* What a temporary has between a definition and `free`. */
typedef struct region {
	uint8_t kind;
	uint32_t block; /* of the last definition */
} region;

typedef struct temps {
	vc *c;
	ir_func *f;
	region *regions;
	uint32_t nregions;
	int32_t *open;       /* by temporary: its region, or -1 */
	int32_t *last;       /* the same, of one that is over; or -1 */
	int32_t *far, *item; /* twins: numbers; or -1 */
	uint32_t block;
	bool renames;
} temps;

/* ---- which regions are far ---- */

static void
define(temps *t, const ir_ins *in)
{
	region r = {.kind = in->op == IR_EACH ? ITEM : NEAR};

	if (t->open[in->d] < 0) {
		t->regions[t->nregions] = r;
		t->open[in->d] = (int32_t)t->nregions++;
	}
	t->regions[t->open[in->d]].block = t->block;
}

/* A use behind `free` is of another way through the code: the region goes on. */
static void
use(temps *t, int32_t n)
{
	region *r;

	if (n < 0)
		return;
	if (t->open[n] < 0)
		t->open[n] = t->last[n];
	if (t->open[n] < 0)
		return;
	r = &t->regions[t->open[n]];
	if (r->kind == NEAR && r->block != t->block)
		r->kind = FAR;
}

static void
release(temps *t, const ir_ins *in)
{
	for (int64_t n = in->i[0]; n < (in->i[1] < 0 ? t->f->ntemps : in->i[1]); n++) {
		if (t->open[n] >= 0)
			t->last[n] = t->open[n];
		t->open[n] = -1;
	}
}

static int32_t
region_of(const temps *t, int32_t n)
{
	return n < 0 ? -1 : t->open[n];
}

/* The region of each operand of each op, and of what it defines, in order. */
static void
find_regions(temps *t, int32_t *of)
{
	for (uint32_t i = 0; i < t->f->n; i++) {
		const ir_ins *in = &t->f->ins[i];
		t->block += in->op == IR_LABEL;
		if (in->op == IR_REFUSE)
			continue;
		for (uint32_t k = 0; k < in->na; k++) {
			use(t, in->a[k]);
			*of++ = region_of(t, in->a[k]);
		}
		for (uint32_t k = 0; k < in->nlist; k++) {
			use(t, in->list[k]);
			*of++ = region_of(t, in->list[k]);
		}
		if (in->d >= 0)
			define(t, in);
		*of++ = region_of(t, in->d);
		if (in->op == IR_FREE)
			release(t, in);
	}
}

/* ---- their numbers ---- */

/* Twins in the order of their temporaries, so that a range of these is a range of those. */
static void
give_numbers(temps *t, const int32_t *of)
{
	uint8_t *kinds = vc_alloc(t->c, (size_t)t->f->ntemps + 1);
	int32_t next = t->f->ntemps;

	for (uint32_t i = 0; i < t->f->n; i++) {
		const ir_ins *in = &t->f->ins[i];
		if (in->op == IR_REFUSE)
			continue;
		of += in->na + in->nlist;
		if (in->d >= 0)
			kinds[in->d] |= (uint8_t)(1 << t->regions[*of].kind);
		of++;
	}
	for (int32_t n = 0; n < t->f->ntemps; n++)
		t->far[n] = kinds[n] >> FAR & 1 ? next++ : -1;
	for (int32_t n = 0; n < t->f->ntemps; n++)
		t->item[n] = kinds[n] >> ITEM & 1 ? next++ : -1;
	t->renames = next > t->f->ntemps;
}

static int32_t
number(const temps *t, int32_t n, int32_t of)
{
	if (n < 0 || of < 0 || t->regions[of].kind == NEAR)
		return n;
	return t->regions[of].kind == FAR ? t->far[n] : t->item[n];
}

/* The twins of a range, or nothing. */
static bool
twins(const temps *t, const ir_ins *in, ir_ins *more)
{
	int32_t from = -1, to = -1;

	for (int64_t n = in->i[0]; n < (in->i[1] < 0 ? t->f->ntemps : in->i[1]); n++)
		if (t->far[n] >= 0) {
			from = from < 0 ? t->far[n] : from;
			to = t->far[n] + 1;
		}
	*more = *in;
	more->i[0] = from;
	more->i[1] = to;
	return from >= 0;
}

/* The receiver of a call whose argument failed is what the call says. */
static int32_t
receiver_of(const ir_ins *ins, uint32_t n, const ir_site *site, int32_t t)
{
	for (uint32_t i = 0; i < n; i++)
		if (ins[i].op == IR_CALLM && ins[i].site == site)
			return ins[i].a[0];
	return t;
}

/* Ops share lists of operands. */
static void
rename_list(const temps *t, ir_ins *in, const int32_t *of)
{
	int32_t *list;
	bool same = true;

	for (uint32_t k = 0; k < in->nlist; k++)
		same = same && number(t, in->list[k], of[k]) == in->list[k];
	if (same)
		return;
	list = vc_alloc(t->c, in->nlist * sizeof *list);
	for (uint32_t k = 0; k < in->nlist; k++)
		list[k] = number(t, in->list[k], of[k]);
	in->list = list;
}

static void
rename_all(temps *t, const int32_t *of)
{
	ir_ins *ins = vt_xmalloc(2 * (size_t)t->f->n * sizeof *ins), more;
	int32_t ntemps = t->f->ntemps;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->f->n; i++) {
		ir_ins in = t->f->ins[i];
		if (in.op == IR_REFUSE) {
			in.a[0] = receiver_of(ins, n, in.site, in.a[0]);
			ins[n++] = in;
			continue;
		}
		for (uint32_t k = 0; k < in.na; k++)
			in.a[k] = number(t, in.a[k], *of++);
		if (in.nlist)
			rename_list(t, &in, of);
		of += in.nlist;
		in.d = number(t, in.d, *of++);
		if (in.op == IR_FREE && in.i[1] < 0)
			in.i[1] = ntemps;
		ins[n++] = in;
		if (in.op == IR_FREE && twins(t, &in, &more))
			ins[n++] = more;
	}
	free(t->f->ins); /* not of the arena before the function is complete */
	t->f->ins = ins;
	t->f->n = n;
	for (int32_t k = 0; k < ntemps; k++)
		t->f->ntemps += (t->far[k] >= 0) + (t->item[k] >= 0);
}

void
lw_number_temps(vc *c, ir_func *f)
{
	size_t n = ((size_t)f->ntemps + 1) * sizeof(int32_t), operands = 1;
	temps t = {.c = c, .f = f, .open = vt_xmalloc(4 * n)};
	int32_t *of;

	for (uint32_t i = 0; i < f->n; i++)
		operands += f->ins[i].na + f->ins[i].nlist + 1;
	t.last = t.open + f->ntemps + 1;
	t.far = t.last + f->ntemps + 1;
	t.item = t.far + f->ntemps + 1;
	of = vt_xmalloc(operands * sizeof *of);
	t.regions = vt_xmalloc(operands * sizeof *t.regions);
	memset(t.open, 0xff, n);
	memset(t.last, 0xff, n);
	find_regions(&t, of);
	give_numbers(&t, of);
	if (t.renames)
		rename_all(&t, of);
	free(t.regions);
	free(t.open);
	free(of);
}

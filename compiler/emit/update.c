/*
 * update.c - lists and dicts that nobody else holds are changed where they are: pass `update`.
 *
 * `$d: $d.set(k, v)` assigns what a function makes of the variable's own value.  When the site has
 * found the library's function, and the variable (and the temporary that read it) are all that
 * holds the value, the function may as well change it: vt_update.  The same goes for a property of
 * $this, whose contract looks at what comes in alone.  `putin` writes below a target.
 *
 * Nothing is changed before it is certain that nothing fails, so an error leaves the old value.
 */
#include "compiler/emit/function.h"
#include "compiler/emit/unbox.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

/* What an update assigns, up to the op `end`. */
typedef struct target {
	const ir_ins *end;
	const ir_ins *turned; /* toList() of what the call makes, or NULL */
	int32_t var;          /* or -1: the property `name` of $this */
	const char *name;
} target;

/* The op that defines the temporary, in front of op i and behind the last label; or NULL. */
static const ir_ins *
definition(const ir_func *f, uint32_t i, int32_t t)
{
	while (i-- > 0 && f->ins[i].op != IR_LABEL)
		if (f->ins[i].d == t)
			return &f->ins[i];
	return NULL;
}

/* Is the temporary of no use behind op i? */
static bool
is_over(const ir_func *f, uint32_t i, int32_t t)
{
	for (uint32_t k = i + 1; k < f->n && f->ins[k].d != t && !em_frees(&f->ins[k], t); k++)
		if (em_uses(&f->ins[k], t) && f->ins[k].op != IR_REFUSE)
			return false;
	return true;
}

/* How many references a temporary has that repeats a variable, with the variable's; 0: it may be
 * something else. */
static int
holders(const fn *x, const ir_ins *in, int32_t t)
{
	const ir_ins *def;

	if (t < 0 || x->alias[t].kind == EM_ALIAS_SELF)
		return 0;
	if (x->alias[t].kind)
		return x->alias[t].kind == EM_ALIAS_VARIABLE;
	def = definition(x->f, (uint32_t)(in - x->f->ins), t);
	return def && def->op == IR_VAR ? 2 : 0;
}

/*
 * What the statement has read and needs no more goes now rather than at its end, for it may be what
 * is about to be changed.  Only of the block: an iterator is used again where its loop goes back.
 */
void
em_release_dead(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);

	if (!vc_pass_on(x->e->c, UPDATE) || x->f->kind != IF_METHOD)
		return;
	for (int32_t t = 0; t < x->f->ntemps; t++)
		if ((x->cells[t] & EM_HELD) && !x->alias[t].kind && in->d != t && !em_uses(in, t) &&
			definition(x->f, i, t) && is_over(x->f, i, t))
			vt_buf_printf(x->b, "\tvt_clear%s(&t%d);\n", x->raw ? "_hot" : "", t);
}

void
em_put_in(fn *x, const ir_ins *in)
{
	const char *to = em_target(x, in->label);

	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place where nobody else sees it");
	em_release_dead(x, in);
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "", em_temp(x, in->list[i]));
	vt_buf_printf(x->b, "}; if (vt_put_in(rt, %s, IC(%u), %s, %d, %u, av, %s)) goto %s; }\n",
		x->e->unit, x->e->nics, em_temp(x, in->a[0]), holders(x, in, in->a[0]), in->nlist,
		em_temp(x, in->a[1]), to);
	x->e->nics += in->nlist;
}

static bool
find_property(const fn *x, const ir_ins *put, int32_t value, target *g)
{
	const ir_ins *end = x->f->ins + x->f->n;
	int32_t self = -1;

	for (; put < end && (put->op == IR_POS || put->op == IR_SELF); put++)
		if (put->op == IR_SELF && x->borrowed[put - x->f->ins])
			self = put->d;
	if (put == end || put->op != IR_PUTATTR || self < 0 || put->a[0] != self ||
		put->a[1] != value)
		return false;
	g->end = put;
	g->name = put->name;
	return true;
}

/* Where what the call makes is assigned, evaluated. */
static bool
find_target(const fn *x, const ir_ins *in, target *g)
{
	const ir_ins *next = in + 1, *end = x->f->ins + x->f->n;
	int32_t t = in->d;

	*g = (target){.var = -1};
	if (next < end && next->op == IR_CALLM && next->a[0] == t && next->nlist == 0 &&
		strcmp(next->site->name, "toList") == 0) {
		g->turned = next;
		t = next++->d;
	}
	if (next < end && next->op == IR_FINAL && next->a[0] == t)
		t = next++->d;
	if (next < end && next->op == IR_SETVAR && next->a[0] == t) {
		g->end = next;
		g->var = next->var;
		return x->raw == NULL || x->raw->var[g->var] == 0;
	}
	return find_property(x, next, t, g);
}

/* Does the temporary repeat what is assigned? */
static bool
repeats(const fn *x, const ir_ins *in, int32_t t, const target *g)
{
	uint32_t i = (uint32_t)(in - x->f->ins);
	const ir_ins *def = t < 0 ? NULL : definition(x->f, i, t);

	if (def == NULL || !is_over(x->f, i, t))
		return false;
	if (g->var >= 0)
		return def->op == IR_VAR && def->var == g->var && holders(x, in, t) > 0;
	return def->op == IR_ATTR && em_is_self(x, def->a[0]) &&
	       strcmp(def->site->name, g->name) == 0;
}

static void
write_update(fn *x, const ir_ins *in, const char *recv, int32_t t, const target *g)
{
	const char *site = em_site(x->e, in->site), *v = em_temp(x, t);
	vt_buf *b = x->b;

	if (g->turned)
		(void)em_site(x->e, g->turned->site);
	em_release_dead(x, in);
	vt_buf_printf(b, "\tif (vt_updates(IC(%u))", in->site->index);
	if (g->turned)
		vt_buf_printf(b, " && vt_found(IC(%u), VT_IN_EATS)", g->turned->site->index);
	vt_buf_puts(b, ") { vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	for (uint32_t i = 0; in->op == IR_ADD && i < in->na; i++)
		vt_buf_printf(b, "%s, ", em_temp(x, in->a[i]));
	vt_buf_puts(b, "VT_UNDEF};\n");
	if (g->var >= 0)
		vt_buf_printf(b, "\tif (vt_update(rt, %s, %s, %s, %s, %d, av)) {", x->sc, site,
			recv, v, holders(x, in, t));
	else
		vt_buf_printf(b, "\tif (vt_update_prop(rt, %s, %s, IC(%u), self, %s, %s, av)) {",
			x->sc, site, x->grow_ic - 1, recv, v);
	if (!x->alias[t].kind)
		vt_buf_printf(b, " vt_clear(&t%d);", t);
	if (g->var < 0)
		vt_buf_printf(b, " t%d = VT_UNDEF;", g->end->d);
	vt_buf_printf(b, " goto Q%u; }\n\t}\n", x->skip);
}

void
em_update(fn *x, const ir_ins *in)
{
	bool call = in->op == IR_CALLM || in->op == IR_CALL;
	int32_t t = in->op != IR_CALL ? in->a[0] : in->nlist > 0 ? in->list[0] : -1;
	target g;

	if (!vc_pass_on(x->e->c, UPDATE) || x->f->kind != IF_METHOD || x->e->is_query ||
		x->skip_to || (!call && x->grow_ic) || !find_target(x, in, &g) ||
		!repeats(x, in, t, &g))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place where nobody else holds the value");
	x->skip = x->e->serial++;
	x->skip_to = g.end;
	if (g.var < 0)
		x->grow_ic = ++x->e->nics;
	write_update(x, in, in->op == IR_CALLM ? em_temp(x, t) : "VT_UNDEF", t, &g);
}

/* The temporary as C in front of the op that defines it, which only gives another name to a
 * variable, $this or a constant; or NULL. */
static const char *
named(fn *x, const ir_ins *from, const ir_ins *to, int32_t t)
{
	for (const ir_ins *k = from; k < to; k++) {
		uint8_t raw;
		if (k->d != t)
			continue;
		if (k->op == IR_SELF)
			return "self";
		if (k->op == IR_CONST)
			return k->k.kind == IK_BIG ? NULL : em_value(x->e, &k->k);
		if (k->op != IR_VAR)
			return NULL;
		raw = x->raw ? x->raw->var[k->var] : 0;
		return raw == 0         ? em_variable(x, k->var)
		       : raw & RAW_REAL ? NULL
					: vc_format(x->e->c, "vt_boxed(n%u)", (unsigned)k->var);
	}
	return NULL;
}

/* The assignment below a variable or property that takes the sum; or NULL. */
static const ir_ins *
find_put(const fn *x, const ir_ins *in)
{
	const ir_ins *next = in + 1, *end = x->f->ins + x->f->n;
	int32_t t = in->d;

	if (next < end && next->op == IR_FINAL && next->a[0] == t)
		t = next++->d;
	while (next < end && (next->op == IR_POS || next->op == IR_SELF || next->op == IR_CONST ||
				     next->op == IR_VAR))
		next++;
	if (next < end && next->op == IR_PUTINDEXV && next->a[1] == t)
		return next;
	return next < end && next->op == IR_PUTIN && next->a[1] == t && next->nlist <= 2 ? next
											 : NULL;
}

void
em_grow_in(fn *x, const ir_ins *in)
{
	const ir_ins *put = find_put(x, in);
	bool var = put && put->op == IR_PUTINDEXV;
	const char *root, *first, *second = "VT_UNDEF";
	uint32_t n = var ? 1 : put ? put->nlist : 0;
	int32_t a = in->a[0];

	if (n == 0 || !vc_pass_on(x->e->c, UPDATE) || x->f->kind != IF_METHOD || x->e->is_query ||
		x->skip_to || a < 0 || x->alias[a].kind || !(x->cells[a] & EM_HELD) ||
		!is_over(x->f, (uint32_t)(in - x->f->ins), a) ||
		(var && x->raw && x->raw->var[put->var]))
		return;
	root = var ? em_variable(x, put->var) : named(x, in, put, put->a[0]);
	first = named(x, in, put, var ? put->a[0] : put->list[0]);
	if (n > 1)
		second = named(x, in, put, put->list[1]);
	if (root == NULL || first == NULL || second == NULL)
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "appends where the list stands");
	em_release_dead(x, in);
	vt_buf_printf(x->b,
		"\t{ vt_value av[] = {%s, %s}; if (vt_grow_in(rt, %s, IC(%u), %s, %u, av, %s, %s)) "
		"{ vt_clear(&t%d); ",
		first, second, x->e->unit, x->e->nics, root, n, em_temp(x, a), em_temp(x, in->a[1]),
		a);
	x->e->nics += 2;
	if (var) {
		x->skip = x->e->serial++;
		x->skip_to = put;
		vt_buf_printf(x->b, "goto Q%u; } }\n", x->skip);
	} else
		vt_buf_printf(x->b, "goto %s; } }\n", em_target(x, put->label));
}

void
em_update_end(fn *x, const ir_ins *in)
{
	if (x->skip_to != in)
		return;
	vt_buf_printf(x->b, "Q%u:;\n", x->skip);
	x->skip_to = NULL;
}

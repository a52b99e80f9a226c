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
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

/* What an update assigns, up to the op `end`. */
typedef struct target {
	const ir_ins *end;
	const ir_ins *turned; /* toList() of what the call makes, or NULL */
	int32_t var;          /* or -1: the property `name` of $this, or what is returned */
	const char *name;     /* NULL: it is returned, the last that is done with a variable */
} target;

/* Is it defined in the block of op i? */
static bool
is_of_block(const ir_func *f, uint32_t i, int32_t t)
{
	while (i-- > 0 && f->ins[i].op != IR_LABEL)
		if (f->ins[i].d == t)
			return true;
	return false;
}

/* Is it $this where the op uses it?  Names of temporaries end at labels. */
static bool
is_self(const fn *x, const ir_ins *in, int32_t t)
{
	const ir_ins *def =
		em_is_self(x, t) || t < 0 ? NULL : em_definition(x, (uint32_t)(in - x->f->ins), t);

	return em_is_self(x, t) || (def && def->op == IR_SELF);
}

/* Is the temporary of no use behind op i? */
bool
em_is_over(const ir_func *f, uint32_t i, int32_t t)
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
	def = em_definition(x, (uint32_t)(in - x->f->ins), t);
	return def && def->op == IR_VAR ? 2 : 0;
}

/* What a comparison has made is nothing that could be changed. */
static bool
is_order(const fn *x, uint32_t i, int32_t t)
{
	const ir_ins *def = em_definition(x, i, t);

	return def && em_is_order(def->op);
}

/*
 * What the statement has read and needs no more goes now rather than at its end, for it may be what
 * is about to be changed.  Only of the block: an iterator is used again where its loop goes back.
 * always: no condition stands around it, and unless a jump leads over it, the temporaries are empty
 * from here on.
 */
static void
release_dead(fn *x, const ir_ins *in, bool always)
{
	uint32_t i = (uint32_t)(in - x->f->ins);
	const char *sep = "\t";

	if (!vc_pass_on(x->e->c, UPDATE) || x->f->kind != IF_METHOD)
		return;
	for (int32_t t = 0; t < x->f->ntemps; t++)
		if ((x->cells[t] & EM_HELD) && !x->alias[t].kind && in->d != t && !em_uses(in, t) &&
			is_of_block(x->f, i, t) && em_is_over(x->f, i, t) && !is_order(x, i, t)) {
			vt_buf_printf(x->b, "%svt_clear%s(&t%d);", sep, x->raw ? "_hot" : "", t);
			sep = " ";
			if (always && x->nskips == 0)
				x->cells[t] = EM_EMPTY;
		}
	vt_buf_puts(x->b, *sep == ' ' ? "\n" : "");
}

void
em_release_dead(fn *x, const ir_ins *in)
{
	release_dead(x, in, true);
}

void
em_release_now(fn *x, const ir_ins *in)
{
	release_dead(x, in, false);
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

/* Does the method return t, so that its variables are over?  `final` is what evaluates it. */
static bool
find_return(const fn *x, const ir_ins *final, target *g)
{
	if (final->op != IR_FINAL || final[1].op != IR_RET || final[1].a[0] != final->d ||
		x->handler >= 0 || !em_is_local(x) || x->raw != NULL)
		return false;
	g->end = final;
	return true;
}

/* toList() of what the op makes, or list() of that where it is an iterator; or NULL. */
const ir_ins *
em_turned_by(const fn *x, const ir_ins *in)
{
	static const char *const names[] = {"append", "skip", "take", "limit"};
	const ir_ins *next = in + 1;

	if (next >= x->f->ins + x->f->n)
		return NULL;
	if (next->op == IR_CALLM && next->a[0] == in->d && next->nlist == 0 &&
		strcmp(next->site->name, "toList") == 0)
		return next;
	if (next->op != IR_CALL || next->nlist != 1 || next->list[0] != in->d ||
		in->op != IR_CALLM || strcmp(next->site->name, "list") != 0)
		return NULL;
	for (uint32_t i = 0; i < VC_LEN(names); i++)
		if (strcmp(in->site->name, names[i]) == 0)
			return next;
	return NULL;
}

/* The condition that the library does that, as C behind the text. */
void
em_write_turned(fn *x, const char *text, const ir_ins *turned)
{
	(void)em_site(x->e, turned->site);
	vt_buf_printf(x->b,
		turned->op == IR_CALLM ? "%svt_turns(IC(%u))" : "%svt_found(IC(%u), VT_IN_LIST)",
		text, turned->site->index);
}

/* Where the temporary is assigned, evaluated, from the op on. */
static bool
find_target_of(const fn *x, const ir_ins *next, int32_t t, target *g)
{
	const ir_ins *end = x->f->ins + x->f->n;

	if (next < end && next->op == IR_FINAL && next->a[0] == t)
		t = next++->d;
	if (next < end && next->op == IR_SETVAR && next->a[0] == t) {
		g->end = next;
		g->var = next->var;
		return x->raw == NULL || x->raw->var[g->var] == 0;
	}
	return find_property(x, next, t, g) || find_return(x, next - 1, g);
}

/* Where what the call makes is assigned, evaluated. */
static bool
find_target(const fn *x, const ir_ins *in, target *g)
{
	*g = (target){.var = -1};
	g->turned = em_turned_by(x, in);
	return g->turned ? find_target_of(x, g->turned + 1, g->turned->d, g)
			 : find_target_of(x, in + 1, in->d, g);
}

/* Does the temporary repeat what is assigned? */
static bool
repeats(const fn *x, const ir_ins *in, int32_t t, const target *g)
{
	uint32_t i = (uint32_t)(in - x->f->ins);
	const ir_ins *def = t < 0 ? NULL : em_definition(x, i, t);

	if (def == NULL || !em_is_over(x->f, i, t))
		return false;
	if (g->var >= 0 || g->name == NULL)
		return def->op == IR_VAR && (g->var < 0 || def->var == g->var) &&
		       holders(x, in, t) > 0;
	return def->op == IR_ATTR && is_self(x, def, def->a[0]) &&
	       strcmp(def->site->name, g->name) == 0;
}

/* An argument of the call as C, where it is a temporary or an integer; or NULL. */
const char *
em_argument(fn *x, const ir_ins *in, uint32_t i)
{
	const ir_const *k = &in->site->args[i].k;

	if (in->list[i] >= 0)
		return em_temp(x, in->list[i]);
	return k->kind == IK_INT ? em_value(x->e, k) : NULL;
}

/* `$l: $l.replace(i, n)` of a list and integers is done in place. */
static void
write_replace(fn *x, const ir_ins *in, int32_t t, const target *g)
{
	const char *at, *by;

	if (in->op != IR_CALLM || strcmp(in->site->name, "replace") != 0 || in->nlist != 2 ||
		g->var < 0 || g->turned || holders(x, in, t) != 1)
		return;
	at = em_argument(x, in, 0);
	by = em_argument(x, in, 1);
	if (at != NULL && by != NULL)
		vt_buf_printf(x->b, "\tif (vt_replace_fast(IC(%u), %s, %s, %s)) goto Q%u;\n",
			in->site->index, em_temp(x, t), at, by, x->skip[x->nskips - 1].q);
}

static void
write_update(fn *x, const ir_ins *in, const char *recv, int32_t t, const target *g)
{
	const char *site = em_site(x->e, in->site), *v = em_temp(x, t), *given;
	vt_buf *b = x->b, args = {0};

	release_dead(x, in, false);
	write_replace(x, in, t, g);
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(
			&args, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	for (uint32_t i = 0; in->op == IR_ADD && i < in->na; i++)
		vt_buf_printf(&args, "%s, ", em_temp(x, in->a[i]));
	vt_buf_puts(&args, "VT_UNDEF");
	if (g->var >= 0 && !g->turned && x->alias[t].kind)
		em_update_both(x, in, g->end, args.p);
	vt_buf_printf(b, "\tif (vt_updates(IC(%u))", in->site->index);
	if (g->turned)
		em_write_turned(x, " && ", g->turned);
	vt_buf_printf(b, ") { vt_value av[] = {%s};", args.p);
	vt_buf_free(&args);
	if (g->var >= 0 || g->name == NULL)
		vt_buf_printf(b, " if (vt_update(rt, %s, %s, %s, %s, %d, av)) {", x->sc, site, recv,
			v, holders(x, in, t));
	else
		vt_buf_printf(b, " if (vt_update_prop(rt, %s, %s, IC(%u), self, %s, %s, av)) {",
			x->sc, site, x->grow_ic - 1, recv, v);
	if (!x->alias[t].kind)
		vt_buf_printf(b, " vt_clear(&t%d);", t);
	if (g->var < 0 && g->name != NULL && g->end->d >= 0)
		vt_buf_printf(b, " t%d = VT_UNDEF;", g->end->d);
	else if (g->var < 0 && g->name == NULL) {
		given = em_variable(x, em_definition(x, (uint32_t)(in - x->f->ins), t)->var);
		vt_buf_printf(b, " t%d = %s; %s = VT_NULL;", g->end->d, given, given);
	}
	vt_buf_printf(b, " goto Q%u; } }\n", x->skip[x->nskips - 1].q);
}

static bool
may_update(const fn *x)
{
	return vc_pass_on(x->e->c, UPDATE) && x->f->kind == IF_METHOD && !x->e->is_query &&
	       x->nskips < EM_MOST_SKIPS;
}

/* Does the library have a function of the name that changes what it is given in place? */
static bool
has_update(const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows && i < n; i++)
		if (rows[i].flags >> VT_FN_PLACE >= VT_IN_SET)
			return true;
	return false;
}

/* ---- what is there already ---- */

/* `l[i]` */
static bool
is_item(const ir_ins *in)
{
	return in->op == IR_CALL && in->nlist == 2 && strcmp(in->site->name, "#indexer") == 0 &&
	       (in->list[1] >= 0 || in->site->args[1].k.kind == IK_INT);
}

/* `l[i]` as C in front of op `from`, as vt_item_of has it; or NULL. */
static const char *
named_item(fn *x, const ir_ins *from, const ir_ins *in)
{
	const char *of = em_named(x, from, in, in->list[0]);
	const char *i = in->list[1] >= 0 ? em_named(x, from, in, in->list[1])
					 : em_value(x->e, &in->site->args[1].k);

	(void)em_site(x->e, in->site);
	return of && i ? vc_format(x->e->c, "vt_item_of(IC(%u), %s, %s)", in->site->index, of, i)
		       : NULL;
}

/* The temporary as C in front of the op that defines it, which only gives another name to a
 * variable, $this, a constant, or a member or item of one of these that is there; or NULL. */
const char *
em_named(fn *x, const ir_ins *from, const ir_ins *to, int32_t t)
{
	for (const ir_ins *k = from; k < to; k++) {
		uint8_t raw;
		const char *of;
		if (k->d != t)
			continue;
		if (k->op == IR_SELF)
			return "self";
		if (k->op == IR_CONST)
			return k->k.kind == IK_BIG ? NULL : em_value(x->e, &k->k);
		if (is_item(k))
			return named_item(x, from, k);
		if (k->op == IR_ATTR) {
			of = em_named(x, from, k, k->a[0]);
			(void)em_site(x->e, k->site);
			return of == NULL ? NULL
					  : vc_format(x->e->c, "vt_member_of(IC(%u), %s)",
						    k->site->index, of);
		}
		if (k->op != IR_VAR)
			return NULL;
		raw = x->raw ? x->raw->var[k->var] : 0;
		return raw == 0         ? em_variable(x, k->var)
		       : raw & RAW_REAL ? NULL
					: vc_format(x->e->c, "vt_boxed(n%u)", (unsigned)k->var);
	}
	return NULL;
}

/* Is it what a choice has come to, or a change before? It may be what the target holds. */
static bool
is_chosen(const fn *x, const ir_ins *in, int32_t t)
{
	const ir_ins *def = t < 0 ? NULL : em_definition(x, (uint32_t)(in - x->f->ins), t);

	return def == NULL || def->op == IR_COPY ||
	       (def->op == IR_CALLM && strcmp(def->site->name, "set") == 0);
}

static bool update_in(fn *, const ir_ins *, int32_t t, const char *recv);
static void update_chain(fn *, const ir_ins *);

static void
update(fn *x, const ir_ins *in)
{
	bool call = in->op == IR_CALLM || in->op == IR_CALL;
	int32_t t = in->op != IR_CALL ? in->a[0] : in->nlist > 0 ? in->list[0] : -1;
	target g;

	if (!may_update(x) || (call ? !has_update(in->site->name) : x->grow_ic != 0))
		return;
	if (!find_target(x, in, &g)) {
		if (!em_update_or(x, in) && call &&
			!update_in(x, in, t, in->op == IR_CALLM ? em_temp(x, t) : "VT_UNDEF"))
			em_update_early(x, in);
		em_update_made(x, in);
		em_update_last(x, in);
		return;
	}
	if (!repeats(x, in, t, &g)) {
		if (call && is_chosen(x, in, t))
			(void)update_in(x, in, t, in->op == IR_CALLM ? em_temp(x, t) : "VT_UNDEF");
		em_update_made(x, in);
		em_update_last(x, in);
		return;
	}
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place where nobody else holds the value");
	em_skip_to(x, g.end);
	if (g.var < 0 && g.name != NULL)
		x->grow_ic = ++x->e->nics;
	write_update(x, in, in->op == IR_CALLM ? em_temp(x, t) : "VT_UNDEF", t, &g);
}

void
em_update(fn *x, const ir_ins *in)
{
	if (may_update(x) && (in->op == IR_CALLM || in->op == IR_ADD))
		update_chain(x, in);
	update(x, in);
	if (in->op == IR_CALLM && may_update(x))
		em_at_once(x, in);
}

/* Ops between a value and the assignment below a target that it goes to: they name the levels. */
static const ir_ins *
find_put(const fn *x, const ir_ins *in)
{
	const ir_ins *next = in + 1, *end = x->f->ins + x->f->n;
	int32_t t = in->d;

	if (next < end && next->op == IR_FINAL && next->a[0] == t)
		t = next++->d;
	while (next < end && (next->op == IR_POS || next->op == IR_SELF || next->op == IR_CONST ||
				     next->op == IR_VAR || next->op == IR_ATTR ||
				     next->op == IR_TYPEREF || is_item(next)))
		next++;
	if (next < end && next->op == IR_PUTATTR && next->a[1] == t)
		return next;
	if (next < end && next->op == IR_PUTINDEXV && next->a[1] == t)
		return next;
	return next < end && (next->op == IR_PUTIN ? next->a[1] == t
						   : next->op == IR_PUTATTRV && next->a[0] == t)
		       ? next
		       : NULL;
}

/* `:Type.name: f(:Type.name)`, where t has read it: the type is there. */
static bool
name_static(fn *x, const ir_ins *in, int32_t t, em_below *g)
{
	uint32_t at = (uint32_t)(in - x->f->ins);
	const ir_ins *put = g->put, *to = put - 1, *read = em_definition(x, at, t), *from;

	while (to > in && to->d != put->a[0])
		to--;
	if (read == NULL || read->op != IR_ATTR || to->op != IR_TYPEREF ||
		strcmp(read->site->name, put->name) != 0)
		return false;
	from = em_definition(x, at, read->a[0]);
	if (from == NULL || from->op != IR_TYPEREF || strcmp(from->name, to->name) != 0)
		return false;
	g->root = em_temp(x, from->d);
	g->path[0] = vc_format(x->e->c, "vt_mkptr(%s)", em_str_ref(x->e, put->name));
	return true;
}

/* The levels of a target that has some, of what op `made` gives. */
bool
em_name_levels(fn *x, const ir_ins *in, const ir_ins *made, int32_t t, em_below *g)
{
	const ir_ins *put = g->put = find_put(x, made);

	g->n = put == NULL ? 0 : put->op == IR_PUTIN ? put->nlist : 1;
	if (g->n == 0 || g->n > EM_MOST_LEVELS)
		return false;
	if (put->op == IR_PUTATTR)
		return name_static(x, in, t, g);
	if (put->op == IR_PUTIN) {
		g->root = em_named(x, in, put, put->a[0]);
		for (uint32_t i = 0; i < g->n; i++)
			g->path[i] = em_named(x, in, put, put->list[i]);
	} else {
		if (x->raw && x->raw->var[put->var])
			return false;
		g->root = em_variable(x, put->var);
		g->path[0] = put->op == IR_PUTINDEXV ? em_named(x, in, put, put->a[0])
						     : vc_format(x->e->c, "vt_mkptr(%s)",
							       em_str_ref(x->e, put->name));
	}
	for (uint32_t i = 0; i < g->n; i++)
		if (g->path[i] == NULL)
			return false;
	return g->root != NULL;
}

/* The op that has the value, which may be one of a choice, and in which temporary. */
static const ir_ins *
user_of(const fn *x, const ir_ins *value, int32_t *t)
{
	const ir_ins *in = value + 1, *end = x->f->ins + x->f->n;

	*t = value->d;
	if (in + 1 < end && in->op == IR_COPY && in->a[0] == *t && in[1].op == IR_JMP)
		*t = in++->d;
	while (in < end && (in->op == IR_HANDLER || in->op == IR_LABEL ||
				   (in->op == IR_JMP && *t != value->d))) {
		const ir_ins *jump = in++;
		while (jump->op == IR_JMP && in < end &&
			(in->op != IR_LABEL || in->label != jump->label))
			in++;
	}
	return in < end ? in : NULL;
}

/* A variable, or a property of $this. */
bool
em_name_whole(fn *x, const ir_ins *made, em_below *g)
{
	target to = {.var = -1};
	int32_t t;
	const ir_ins *use = user_of(x, made, &t);

	if (use == NULL || em_turned_by(x, made) ||
		!find_target_of(x, t != made->d ? use : made + 1, t, &to) ||
		(to.var < 0 && to.name == NULL))
		return false;
	g->put = to.end;
	g->root = to.var < 0 ? "self" : em_variable(x, to.var);
	if (to.var < 0)
		g->path[g->n++] = vc_format(x->e->c, "vt_mkptr(%s)", em_str_ref(x->e, to.name));
	return true;
}

/* The call of set(k, v) or replace(i, v) that has the value for v; or NULL. */
const ir_ins *
em_put_by(const fn *x, const ir_ins *value)
{
	int32_t t;
	const ir_ins *call = user_of(x, value, &t);

	return call != NULL && call->op == IR_CALLM && call->nlist == 2 && call->site->nargs == 2 &&
			       call->list[1] == t &&
			       (strcmp(call->site->name, "set") == 0 ||
				       strcmp(call->site->name, "replace") == 0)
		       ? call
		       : NULL;
}

/* The key that set() is given, as C in front of op `in`; or NULL. */
const char *
em_named_key(fn *x, const ir_ins *in, const ir_ins *set)
{
	const ir_arg *key = &set->site->args[0];
	int32_t t = set->list[0];

	if (t < 0)
		return key->k.kind == IK_STR || key->k.kind == IK_INT ? em_value(x->e, &key->k)
								      : NULL;
	return em_definition(x, (uint32_t)(in - x->f->ins), t) ? em_temp(x, t) : NULL;
}

/* One more level: what the call puts something into.  A temporary is compared as it runs; what
 * repeats a variable has to repeat that of the target. */
bool
em_name_call(fn *x, const ir_ins *in, const ir_ins *call, const char *key, em_below *g)
{
	int32_t r = call->a[0];
	const ir_ins *def = em_definition(x, (uint32_t)(call - x->f->ins), r);

	if (g->n == EM_MOST_LEVELS || r == in->d ||
		!em_is_over(x->f, (uint32_t)(call - x->f->ins), r))
		return false;
	if (x->alias[r].kind == EM_ALIAS_NONE)
		g->held[g->n] = em_temp(x, r);
	else if (g->n > 0 || g->put->op != IR_SETVAR || def == NULL || def->op != IR_VAR ||
		 def->var != g->put->var)
		return false;
	(void)em_site(x->e, call->site);
	g->path[g->n] = key;
	return g->path[g->n++] != NULL;
}

/*
 * Where what op `in`, and those up to `made`, make of t goes: to a variable, to what stands below
 * one, and on the way there through calls, as in `$d: $d.set(k, $d.get(k, []) + [x])`.
 */
static bool
name_target(fn *x, const ir_ins *in, const ir_ins *made, int32_t t, em_below *g)
{
	const ir_ins *call;

	*g = (em_below){.put = NULL};
	if (made->op != IR_ADD && (g->turned = em_turned_by(x, made)) != NULL)
		made = g->turned;
	while (g->ncalls < EM_MOST_LEVELS && (call = em_put_by(x, made)) != NULL)
		made = g->call[g->ncalls++] = call;
	if (!em_name_whole(x, made, g) && !em_name_levels(x, in, made, t, g))
		return false;
	for (uint32_t i = g->ncalls; i-- > 0;)
		if (!em_name_call(x, in, g->call[i], em_named_key(x, in, g->call[i]), g))
			return false;
	return true;
}

/* Behind the update: t has repeated what stands there, and the assignment is done. */
static void
assigned(fn *x, int32_t t, const em_below *g)
{
	if (g->put->op == IR_PUTIN) {
		if (!x->alias[t].kind)
			vt_buf_printf(x->b, "vt_clear(&t%d); ", t);
		vt_buf_printf(x->b, "goto %s; } } }\n", em_target(x, g->put->label));
		return;
	}
	if (x->alias[t].kind && g->put->op != IR_PUTATTR) {
		vt_buf_printf(x->b, "goto Q%u; } } }\n", em_skip_to(x, g->put));
		return;
	}
	if (g->put->op == IR_PUTATTR && g->put->d >= 0)
		vt_buf_printf(x->b, "t%d = VT_UNDEF; ", g->put->d);
	if (!x->alias[t].kind)
		vt_buf_printf(x->b, "vt_clear(&t%d); ", t);
	vt_buf_printf(x->b, "goto Q%u; } } }\n", em_skip_to(x, g->put));
}

/* Is t what the statement has read of its target, for op `in` alone? */
bool
em_is_read_for(const fn *x, const ir_ins *in, int32_t t)
{
	return t >= 0 && x->alias[t].kind == 0 && (x->cells[t] & EM_HELD) &&
	       em_is_over(x->f, (uint32_t)(in - x->f->ins), t);
}

const ir_ins *
em_made_by(const ir_func *f, uint32_t i, int32_t t)
{
	while (i-- > 0)
		if (f->ins[i].d == t)
			return &f->ins[i];
	return NULL;
}

/* The calls are those of the library, of what they change in place. */
static void
write_conditions(fn *x, const em_below *g)
{
	bool any = g->ncalls > 0 || g->turned;

	vt_buf_puts(x->b, any ? "\tif (" : "\t{ ");
	for (uint32_t i = 0; i < g->ncalls; i++)
		vt_buf_printf(x->b, i ? " && vt_puts(IC(%u), %s)" : "vt_puts(IC(%u), %s)",
			g->call[i]->site->index, em_temp(x, g->call[i]->a[0]));
	if (g->turned)
		em_write_turned(x, g->ncalls ? " && " : "", g->turned);
	vt_buf_puts(x->b, any ? ") { " : "");
}

/* As two arrays; the name of the second, or NULL where no temporary holds a level. */
const char *
em_write_levels(fn *x, const em_below *g)
{
	bool held = false;

	vt_buf_puts(x->b, "vt_value pv[] = {");
	for (uint32_t i = 0; i < g->n; i++)
		vt_buf_printf(x->b, "%s, ", g->path[i]);
	vt_buf_puts(x->b, "VT_UNDEF}");
	for (uint32_t i = 0; i < g->n; i++)
		held = held || g->held[i] != NULL;
	for (uint32_t i = 0; held && i < g->n; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : ", hv[] = {",
			g->held[i] ? g->held[i] : "VT_UNDEF");
	vt_buf_puts(x->b, held ? "}; " : "; ");
	return held ? "hv" : "NULL";
}

/* `$q: $q.skip(n) + more` */
static void
skip_and_add(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0];
	const ir_ins *skip = t < 0 ? NULL : em_definition(x, (uint32_t)(in - x->f->ins), t);
	target to;

	if (!em_is_read_for(x, in, t) || skip == NULL || skip->op != IR_CALLM ||
		strcmp(skip->site->name, "skip") != 0 || !find_target(x, in, &to) || to.turned ||
		to.var < 0 || !repeats(x, skip, skip->a[0], &to))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "a queue");
	release_dead(x, in, false);
	vt_buf_printf(x->b, "\tif (vt_skip_and_add(rt, %s, 1, &t%d, %s)) goto Q%u;\n",
		em_variable(x, to.var), t, em_temp(x, in->a[1]), em_skip_to(x, to.end));
}

/* Where what the op makes of t goes, which it alone reads from there, or a variable that nobody
 * reads again has as well. */
static bool
name_place(fn *x, const ir_ins *in, int32_t t, em_below *g)
{
	bool only = em_is_read_for(x, in, t);

	if (!only && (t < 0 || x->alias[t].kind != EM_ALIAS_VARIABLE || em_last_read(x, in) < 0))
		return false;
	return name_target(x, in, in, t, g) && (only || g->n > 0);
}

/* What the function or sum makes of its receiver or first operand t, where that stands. */
static bool
update_in(fn *x, const ir_ins *in, int32_t t, const char *recv)
{
	em_below g;
	const char *site, *held;

	if (!name_place(x, in, t, &g))
		return false;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place where it stands");
	release_dead(x, in, false);
	site = em_site(x->e, in->site);
	write_conditions(x, &g);
	vt_buf_printf(x->b, "if (vt_updates(IC(%u))) { ", in->site->index);
	held = em_write_levels(x, &g);
	vt_buf_puts(x->b, "vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	for (uint32_t i = 0; in->op == IR_ADD && i < in->na; i++)
		vt_buf_printf(x->b, "%s, ", em_temp(x, in->a[i]));
	vt_buf_printf(x->b,
		"VT_UNDEF};\n\tif (vt_update_in(rt, %s, IC(%u), %s, %u, pv, %s, %s, %s, %s, %s, "
		"av)) "
		"{ ",
		x->e->unit, x->e->nics, g.root, g.n, held, x->sc, site, recv, em_temp(x, t));
	x->e->nics += g.n;
	assigned(x, t, &g);
	return true;
}

/* Is it a dict that is written in front of the op? */
static bool
is_display(const fn *x, const ir_ins *in, int32_t t)
{
	const ir_ins *def = t < 0 ? NULL : em_definition(x, (uint32_t)(in - x->f->ins), t);

	return def != NULL && def->op == IR_MAP;
}

void
em_grow_in(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0];
	em_below g;
	const char *held, *site;

	if (!may_update(x))
		return;
	skip_and_add(x, in);
	if (is_display(x, in, in->a[1])) {
		if (!update_in(x, in, t, "VT_UNDEF"))
			em_update_early(x, in);
		return;
	}
	if (!name_place(x, in, t, &g)) {
		if (em_is_read_for(x, in, t))
			em_update_early(x, in);
		return;
	}
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place where it stands");
	release_dead(x, in, false);
	write_conditions(x, &g);
	vt_buf_puts(x->b, "{ ");
	held = em_write_levels(x, &g);
	site = em_site(x->e, in->site);
	vt_buf_printf(x->b,
		"if (vt_grow_in(rt, %s, IC(%u), %s, %u, pv, %s, %s, %s) ||\n\t"
		"(vt_is_table(%s) && vt_updates(IC(%u)) && vt_update_in(rt, %s, IC(%u), %s, %u, "
		"pv, %s, %s, %s, VT_UNDEF, %s, (vt_value[]){%s, %s}))) { ",
		x->e->unit, x->e->nics, g.root, g.n, em_temp(x, t), em_temp(x, in->a[1]), held,
		em_temp(x, t), in->site->index, x->e->unit, x->e->nics, g.root, g.n, held, x->sc,
		site, em_temp(x, t), em_temp(x, t), em_temp(x, in->a[1]));
	x->e->nics += g.n;
	assigned(x, t, &g);
}

/* ---- chains of changes, as lower/change.c makes them ---- */

typedef struct chain {
	const ir_ins *link[VT_MOST_CHAIN];
	uint32_t n;
} chain;

/* A change whose result is the same, be it evaluated before the next one or not. */
static bool
is_even(const ir_ins *link)
{
	static const char *const names[] = {
		"set", "append", "add", "remove", "union", "difference"};

	for (uint32_t i = 0; link->op == IR_CALLM && i < VC_LEN(names); i++)
		if (strcmp(link->site->name, names[i]) == 0)
			return true;
	return link->op == IR_ADD;
}

/* The next one, of what the link gives, evaluated; or NULL.  Between them only names are read. */
static const ir_ins *
next_link(const fn *x, const ir_ins *link)
{
	const ir_ins *next = link + 1, *end = x->f->ins + x->f->n;
	bool final = next < end && next->op == IR_FINAL && next->a[0] == link->d;
	int32_t t = final ? next++->d : link->d;

	while (next < end && (next->op == IR_VAR || next->op == IR_CONST || next->op == IR_SELF ||
				     next->op == IR_HANDLER))
		next++;
	return next < end && next->a[0] == t && (final || (is_even(link) && is_even(next))) &&
			       (next->op == IR_ADD ||
				       (next->op == IR_CALLM && has_update(next->site->name))) &&
			       em_is_over(x->f, (uint32_t)(next - x->f->ins), t)
		       ? next
		       : NULL;
}

/* An argument of a link, as C in front of the first one; or NULL. */
static const char *
link_argument(fn *x, const ir_ins *first, const ir_ins *link, int32_t t)
{
	const char *named = t < 0 ? "VT_UNDEF" : em_named(x, first, link, t);

	return named != NULL || em_definition(x, (uint32_t)(first - x->f->ins), t) == NULL
		       ? named
		       : em_temp(x, t);
}

/* The arguments of all links; false: one is not there yet. */
static bool
chain_arguments(fn *x, const chain *c, const char *of, vt_buf *b)
{
	for (uint32_t k = 0; k < c->n; k++) {
		const ir_ins *in = c->link[k];
		const char *more;
		if (in->op == IR_ADD) {
			more = link_argument(x, c->link[0], in, in->a[1]);
			vt_buf_printf(b, "%s, %s, ", of, more ? more : "");
			if (more == NULL)
				return false;
		}
		for (uint32_t i = 0; in->op == IR_CALLM && i < in->nlist; i++) {
			more = link_argument(x, c->link[0], in, in->list[i]);
			if (more == NULL)
				return false;
			vt_buf_printf(b, "%s, ", more);
		}
	}
	return true;
}

static void
write_chain(fn *x, const chain *c, const em_below *g, int32_t t, const char *args)
{
	const char *held;
	vt_buf *b = x->b;

	vc_pass_note(x->e->c, VC_PASS_UPDATE, c->link[0], "a chain, where nobody else holds it");
	release_dead(x, c->link[0], false);
	write_conditions(x, g);
	vt_buf_puts(b, "if (");
	for (uint32_t k = 0; k < c->n; k++) {
		(void)em_site(x->e, c->link[k]->site);
		vt_buf_printf(b, "%svt_updates(IC(%u))", k ? " && " : "", c->link[k]->site->index);
	}
	vt_buf_puts(b, ") { ");
	held = em_write_levels(x, g);
	vt_buf_puts(b, "const vt_site *sv[] = {");
	for (uint32_t k = 0; k < c->n; k++)
		vt_buf_printf(b, k ? ", %s" : "%s", em_site(x->e, c->link[k]->site));
	vt_buf_printf(b,
		"}; vt_value av[] = {%sVT_UNDEF};\n\tif (vt_update_chain(rt, %s, IC(%u), %s, %u, "
		"pv, "
		"%s, %s, %u, sv, %s, %d, av)) { ",
		args, x->e->unit, x->e->nics, g->root, g->n, held, x->sc, c->n, em_temp(x, t),
		x->alias[t].kind ? 1 : 2);
	x->e->nics += g->n;
	assigned(x, t, g);
}

static void
update_chain(fn *x, const ir_ins *in)
{
	chain c = {{in}, 1};
	const ir_ins *next = in, *def;
	int32_t t = in->a[0];
	vt_buf args = {0};
	em_below g;

	while (c.n < VT_MOST_CHAIN && (next = next_link(x, next)) != NULL)
		c.link[c.n++] = next;
	if (c.n < 2 || t < 0 || !name_target(x, in, c.link[c.n - 1], t, &g))
		return;
	def = em_definition(x, (uint32_t)(in - x->f->ins), t);
	if (!em_is_read_for(x, in, t) &&
		(x->alias[t].kind != EM_ALIAS_VARIABLE || g.put->op != IR_SETVAR || g.n > 0 ||
			def == NULL || def->op != IR_VAR || def->var != g.put->var))
		return;
	if (chain_arguments(x, &c, em_temp(x, t), &args))
		write_chain(x, &c, &g, t, args.n ? args.p : "");
	vt_buf_free(&args);
}

int32_t
em_moved(fn *x, const ir_ins *in)
{
	int32_t found = -1;
	target g;

	if (!vc_pass_on(x->e->c, UPDATE) || x->f->kind != IF_METHOD || x->e->is_query ||
		x->handler >= 0 || !em_is_local(x) || (x->raw != NULL && x->raw->int_method))
		return -1;
	found = em_last_argument(x, in);
	if (found >= 0)
		return x->alias[in->list[found]].kind == EM_ALIAS_VARIABLE ? found : -1;
	if (!find_target(x, in, &g) || g.turned != NULL || g.var < 0)
		return -1;
	for (uint32_t i = 0; i < in->nlist; i++) {
		int32_t t = in->list[i];
		const ir_ins *def = t < 0 ? NULL : em_definition(x, (uint32_t)(in - x->f->ins), t);
		if (def == NULL || def->op != IR_VAR || def->var != g.var)
			continue;
		if (found >= 0 || x->alias[t].kind != EM_ALIAS_VARIABLE)
			return -1; /* given twice, or held by a temporary as well */
		found = (int32_t)i;
	}
	return found;
}

/* Does an operand of the sum behind its first one name the variable? It may move as it grows. */
static bool
adds_itself(const fn *x, const ir_ins *in, int32_t var)
{
	for (uint32_t i = 2; i < in->nlist; i++) {
		const ir_ins *def = em_definition(x, (uint32_t)(in - x->f->ins), in->list[i]);
		if (x->alias[in->list[i]].kind == EM_ALIAS_VARIABLE &&
			(def == NULL || def->op != IR_VAR || def->var == var))
			return true;
	}
	return false;
}

void
em_sum_grows(fn *x, const ir_ins *in, const char *before)
{
	int32_t t = in->list[1];
	uint32_t n = in->nlist - 2;
	target g;

	if (!may_update(x) || !find_target(x, in, &g) || g.turned || !repeats(x, in, t, &g) ||
		(g.var < 0 ? g.name == NULL || x->grow_ic != 0
			   : !em_is_local(x) || adds_itself(x, in, g.var)))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "texts go to the end of it");
	if (g.var >= 0 && x->alias[t].kind)
		vt_buf_printf(x->b,
			" if (%s == VT_UNDEF && vt_add_texts_reg(rt, &%s, %u, av + 1)) goto Q%u;",
			before, em_variable(x, g.var), n, em_skip_to(x, g.end));
	else if (g.var >= 0)
		vt_buf_printf(x->b,
			" if (%s == VT_UNDEF && vt_texts(%s, %u, av + 1)) { vt_clear(&t%d); "
			"(void)vt_add_texts_reg(rt, &%s, %u, av + 1); goto Q%u; }",
			before, em_variable(x, g.var), n, t, em_variable(x, g.var), n,
			em_skip_to(x, g.end));
	if (g.var >= 0)
		return;
	x->grow_ic = ++x->e->nics;
	vt_buf_printf(x->b,
		" if (%s == VT_UNDEF && vt_grow_text(rt, IC(%u), self, %s, %u, av + 1)) "
		"{ %s = VT_UNDEF; ",
		before, x->grow_ic - 1, em_temp(x, t), n, em_temp(x, t));
	if (g.end->d >= 0)
		vt_buf_printf(x->b, "t%d = VT_UNDEF; ", g.end->d);
	vt_buf_printf(x->b, "goto P%u; }", x->grow_ic);
}

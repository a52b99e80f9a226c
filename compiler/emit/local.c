/*
 * local.c - what a method makes for itself alone: passes `inplace` and `escape`.
 *
 * A list that is only walked, indexed, measured, searched or added to a variable lies on the C
 * stack, as `l<op>` with its items in `b<op>`: a tuple that is never freed.  Its items are given
 * back when its last holder is: a temporary, or the one variable that it is assigned to.  Whatever
 * takes it the long way is given a copy on the heap, so nothing that outlives the method ever
 * points to it.
 *
 * An iterator of a pipeline over a list lies there too, as `w<op>`, where it is evaluated at once
 * or goes to functions that are done with it when they return; and so does the list that comes of
 * it while it is short, if For walks it. The scope of its lambdas is `zs` where they can keep none.
 */
#include "compiler/emit/unbox.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MOST_ITEMS = 16, MOST_LISTS = 32, ROOM = 24, MOST_ROOMS = 4 };
/* The last op that is looked at may keep a list and a pipe with its rooms. */
enum { MOST_KEPT = MOST_LISTS + 1 + MOST_ROOMS };

/* ---- functions of the library in place ------------------------------------------------------- */

/* Is the argument a text that is written there? */
static bool
is_name(const ir_ins *in, uint32_t i)
{
	return i < in->nlist && in->list[i] < 0 && in->site->args[i].k.kind == IK_STR;
}

/* Which operand has to be a list; -1: the op has nothing in place. */
static int
list_operand(const ir_ins *in)
{
	if (in->op == IR_CALLM && (in->nlist == 1 || in->nlist == 2))
		return strcmp(in->site->name, "get") == 0 ||
				       (in->nlist == 1 &&
					       (strcmp(in->site->name, "join") == 0 ||
						       strcmp(in->site->name, "contains") == 0))
			       ? 0
			       : -1;
	if (in->op == IR_CALLM)
		return in->nlist == 0 && strcmp(in->site->name, "len") == 0 ? 0 : -1;
	if (in->op != IR_CALL)
		return -1;
	if (in->nlist == 1 && strcmp(in->site->name, "len") == 0)
		return 0;
	if (in->nlist == 2 && strcmp(in->site->name, "#indexer") == 0)
		return 0;
	if (is_name(in, 1) && strcmp(in->site->name, "#operator_is") == 0)
		return 0;
	return in->nlist == 2 && strcmp(in->site->name, "#operator_in") == 0 ? 1 : -1;
}

/* The temporary that has to be a list where the op is done in place, or -1. */
static int32_t
in_place(const em *e, const ir_func *f, const ir_ins *in)
{
	int k;

	if (!vc_pass_on(e->c, INPLACE) ||
		(f->kind != IF_METHOD && (f->kind != IF_CODE || e->is_query)) ||
		f->unit->opt.limit_iterators >= 0 || f->unit->opt.memory_quota > 0 ||
		(k = list_operand(in)) < 0)
		return -1;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->site->args[i].code || in->site->args[i].keyword ||
			in->site->args[i].kind == VT_A_NOVALUE ||
			(in->list[i] < 0 && in->site->args[i].k.kind == IK_BIG))
			return -1;
	return in->op == IR_CALLM ? in->a[0] : in->list[k];
}

const char *
em_operand(fn *x, const ir_ins *in, uint32_t i)
{
	return in->list[i] < 0 ? em_value(x->e, &in->site->args[i].k) : em_temp(x, in->list[i]);
}

static const char *
condition(fn *x, const ir_ins *in, const char *list)
{
	vc *c = x->e->c;

	(void)em_site(x->e, in->site); /* gives it a cache */
	if (strcmp(in->site->name, "len") == 0)
		return vc_format(c, "vt_len_fast(IC(%u), %s, &t%d)", in->site->index, list, in->d);
	if (strcmp(in->site->name, "join") == 0)
		return vc_format(c, "vt_join_fast(rt, IC(%u), %s, %s, &t%d)", in->site->index, list,
			em_operand(x, in, 0), in->d);
	if (is_name(in, 0) && strcmp(in->site->name, "get") == 0)
		return vc_format(c, "vt_named_fast(IC(%u), IC(%u), %s, %s, %s, &t%d)",
			in->site->index, x->e->nics++, list, em_operand(x, in, 0),
			in->nlist > 1 ? em_operand(x, in, 1) : "VT_NULL", in->d);
	if (strcmp(in->site->name, "get") == 0)
		return vc_format(c, "vt_get_fast(IC(%u), %s, %s, %s, &t%d)", in->site->index, list,
			em_operand(x, in, 0), in->nlist > 1 ? em_operand(x, in, 1) : "VT_NULL",
			in->d);
	if (strcmp(in->site->name, "#operator_is") == 0)
		return vc_format(c, "vt_isa_fast(rt, %s, IC(%u), IC(%u), %s, &t%d)",
			em_site(x->e, in->site), in->site->index, x->e->nics++, list, in->d);
	if (in->site->name[1] == 'i' && is_name(in, 1))
		return vc_format(c, "vt_named_fast(IC(%u), IC(%u), %s, %s, VT_UNDEF, &t%d)",
			in->site->index, x->e->nics++, list, em_operand(x, in, 1), in->d);
	if (in->site->name[1] == 'i')
		return vc_format(c, "vt_index_%s(IC(%u), %s, %s, &t%d)", x->raw ? "hot" : "fast",
			in->site->index, list, em_operand(x, in, 1), in->d);
	return vc_format(c, "vt_in_fast(IC(%u), %s, %s, &t%d)", in->site->index,
		em_operand(x, in, 0), list, in->d); /* or contains() */
}

/* The function that the site has found may let go of the temporary: hp holds what it may not. */
static void
hold(fn *x, const ir_ins *in, int32_t t, em_alias *was)
{
	vt_buf_printf(x->b, "\tvt_move(&hp, vt_borrow_for(rt, IC(%u), %s));\n", in->site->index,
		em_temp(x, t));
	*was = x->alias[t];
	x->alias[t] = (em_alias){EM_ALIAS_HOLDER, "hp"};
}

bool
em_in_place_open(fn *x, const ir_ins *in, em_alias *was)
{
	int32_t t = in_place(x->e, x->f, in);

	if (t < 0)
		return false;
	vc_pass_note(x->e->c, VC_PASS_INPLACE, in, "in place for a list");
	/* in a lambda, def() may have made a function of that name */
	vt_buf_printf(x->b, "\tif (!%s%s%s) {\n",
		x->f->kind == IF_CODE ? "(vt_scope_is_bare(sc) && " : "",
		condition(x, in, em_temp(x, t)), x->f->kind == IF_CODE ? ")" : "");
	if (x->local->stacked[in - x->f->ins])
		hold(x, in, t, was);
	return true;
}

/* A variable that is only named, in front of the op that names it; NULL: it is none. */
static const char *
variable_name(fn *x, const ir_ins *in)
{
	if (in->op != IR_VAR || !em_is_alias(x, in))
		return NULL;
	if (x->raw == NULL || x->raw->var[in->var] == 0)
		return em_variable(x, in->var);
	return x->raw->var[in->var] & RAW_REAL ? NULL
					       : vc_format(x->e->c, "vt_boxed(n%d)", in->var);
}

/* Is it an attribute of what t has, by the place that its site remembers? */
static bool
is_attribute(const fn *x, const ir_ins *in, int32_t t)
{
	return in->op == IR_ATTR && !in->site->seen && vc_pass_on(x->e->c, RECORDS) &&
	       (t < 0 || in->a[0] == t);
}

/* The op that reads what this one gives, and is done in place or an attribute; NULL: there is none,
 * or more than names stands between. */
static const ir_ins *
reader_of(fn *x, const ir_ins *in)
{
	const ir_ins *deep = in + 1, *end = x->f->ins + x->f->n;
	uint32_t uses = 0;

	while (deep < end && deep - in < 4 &&
		(deep->op == IR_HANDLER || (em_is_alias(x, deep) && deep->d != in->d &&
						   (deep->op == IR_VAR || deep->op == IR_CONST))))
		deep++;
	if (deep >= end || em_reads_again(x->f, (uint32_t)(deep - x->f->ins), in->d, true) ||
		(x->local != NULL && x->local->stacked[deep - x->f->ins]))
		return NULL;
	for (uint32_t k = 0; k < deep->na; k++)
		uses += deep->a[k] == in->d;
	for (uint32_t k = 0; k < deep->nlist; k++)
		uses += deep->list[k] == in->d;
	return uses == 1 && (is_attribute(x, deep, in->d) || in_place(x->e, x->f, deep) == in->d)
		       ? deep
		       : NULL;
}

/* `$.names.len()`, `$l[$i].name`: what the op gives goes to the next one alone, so it is not held,
 * where both have found what they read. */
void
em_read_on(fn *x, const ir_ins *in)
{
	em_alias was[4];
	const ir_ins *deep;
	const char *text = NULL, *name;
	uint32_t n = 0;

	if (x->f->kind != IF_METHOD || x->e->is_query || x->nskips >= EM_MOST_SKIPS ||
		!vc_pass_on(x->e->c, INPLACE) || (deep = reader_of(x, in)) == NULL)
		return;
	for (; in + 1 + n < deep; n++) {
		const ir_ins *b = in + 1 + n;
		if (b->op == IR_HANDLER)
			continue;
		was[n] = x->alias[b->d];
		name = b->op == IR_VAR ? variable_name(x, b) : em_alias_of(x, b).c;
		if (name == NULL)
			break;
		x->alias[b->d] = (em_alias){EM_ALIAS_VARIABLE, name};
	}
	if (in + 1 + n == deep) {
		(void)em_site(x->e, deep->site);
		text = deep->op != IR_ATTR ? condition(x, deep, "peek")
					   : vc_format(x->e->c, "vt_attr_fast(IC(%u), peek, &t%d)",
						     deep->site->index, deep->d);
	}
	while (n-- > 0)
		if (in[1 + n].op != IR_HANDLER)
			x->alias[in[1 + n].d] = was[n];
	if (text == NULL)
		return;
	vc_pass_note(x->e->c, VC_PASS_INPLACE, in, "not held for what reads it");
	(void)em_site(x->e, in->site);
	vt_buf_printf(x->b, "\t{ vt_value peek = ");
	if (in->op == IR_ATTR)
		vt_buf_printf(
			x->b, "vt_member_of(IC(%u), %s)", in->site->index, em_temp(x, in->a[0]));
	else
		vt_buf_printf(x->b, "vt_item_of(IC(%u), %s, %s)", in->site->index,
			em_operand(x, in, 0), em_operand(x, in, 1));
	vt_buf_printf(
		x->b, "; if (peek != VT_UNDEF && %s) goto Q%u; }\n", text, em_skip_to(x, deep));
}

/* `a[i][k]`: what a[i] is nobody else sees, so it is not held; the second op has its own cache. */
void
em_index_two(fn *x, const ir_ins *in)
{
	const ir_ins *var = in + 1, *deep = in + 2, *end = x->f->ins + x->f->n;
	const char *key = NULL;

	if (in->op != IR_CALL || x->f->kind != IF_METHOD || x->e->is_query || var >= end ||
		x->nskips >= EM_MOST_SKIPS || strcmp(in->site->name, "#indexer") != 0)
		return;
	if (var->op == IR_CALL) {
		deep = var;
		var = NULL;
	}
	if (in_place(x->e, x->f, in) >= 0 && deep < end &&
		(deep->op != IR_CALL || strcmp(deep->site->name, "#indexer") != 0))
		em_read_on(x, in);
	if (deep >= end || deep->op != IR_CALL || deep->nlist != 2 || deep->list[0] != in->d ||
		strcmp(deep->site->name, "#indexer") != 0 || deep->list[1] == in->d ||
		in_place(x->e, x->f, in) < 0 || in_place(x->e, x->f, deep) != in->d ||
		em_reads_again(x->f, (uint32_t)(deep - x->f->ins), in->d, true))
		return;
	if (var == NULL)
		key = em_operand(x, deep, 1);
	else if (var->d == deep->list[1] &&
		 !em_reads_again(x->f, (uint32_t)(deep - x->f->ins), var->d, true))
		key = variable_name(x, var);
	if (key == NULL)
		return;
	vc_pass_note(x->e->c, VC_PASS_INPLACE, in, "not held for its own item");
	(void)em_site(x->e, in->site);
	(void)em_site(x->e, deep->site);
	vt_buf_printf(x->b, "\tif (vt_index_two(IC(%u), IC(%u), %s, %s, %s, &t%d)) goto Q%u;\n",
		in->site->index, deep->site->index, em_operand(x, in, 0), em_operand(x, in, 1), key,
		deep->d, em_skip_to(x, deep));
}

/* May what the call makes be evaluated at once, if nobody looks at it before? */
static bool
may_evaluate(const fn *x)
{
	return x->f->kind == IF_METHOD && !x->e->is_query && x->nskips < EM_MOST_SKIPS &&
	       vc_pass_on(x->e->c, INPLACE) && x->f->unit->opt.limit_iterators < 0;
}

/* Does the op read what that one makes, and nothing behind it? */
static bool
alone_reads(const fn *x, const ir_ins *in, int32_t t)
{
	return !em_reads_again(x->f, (uint32_t)(in - x->f->ins), t, true);
}

/* Is what the call makes only evaluated, by the op behind it? */
static bool
is_final_next(const fn *x, const ir_ins *in)
{
	const ir_ins *final = in + 1;

	return may_evaluate(x) && final < x->f->ins + x->f->n && final->op == IR_FINAL &&
	       final->a[0] == in->d && alone_reads(x, final, in->d);
}

/* Does the sum go to where it may be made in place of what is there? */
static bool
is_put(fn *x, const ir_ins *add)
{
	const ir_ins *in = add + 1, *end = x->f->ins + x->f->n;

	while (in < end && (in->op == IR_FINAL || in->op == IR_POS))
		in++;
	if (in < end && in->op == IR_SETVAR &&
		strcmp(em_variable(x, in->var), x->alias[add->a[0]].c) == 0)
		return true;
	while (in < end && (in->op == IR_FINAL || in->op == IR_POS || in->op == IR_SELF ||
				   in->op == IR_CONST || in->op == IR_VAR || in->op == IR_ATTR ||
				   in->op == IR_TYPEREF || in->op == IR_CALL))
		in++;
	return in == end || in->op == IR_PUTATTR || in->op == IR_PUTATTRV ||
	       in->op == IR_PUTINDEX || in->op == IR_PUTINDEXV || in->op == IR_PUTIN;
}

/* `$a + [x]` makes one list, without the one that is written there. */
void
em_list_with(fn *x, const ir_ins *in)
{
	const ir_ins *add = in + 1, *last = add, *end = x->f->ins + x->f->n;
	int32_t last_var;
	const char *v;
	bool grows;

	if (add >= end || add->op != IR_ADD || add->a[0] < 0 || add->a[0] == in->d ||
		add->a[1] != in->d || !may_evaluate(x) || in->nlist == 0 ||
		strcmp(x->sc, "NULL") != 0 || !alone_reads(x, add, in->d) ||
		x->alias[add->a[0]].kind != EM_ALIAS_VARIABLE || is_put(x, add) ||
		em_updates_or(x, add))
		return;
	for (uint32_t k = 0; k < in->nlist; k++)
		if (in->list[k] < 0)
			return;
	last_var = em_last_read(x, add);
	if (add + 1 < end && is_final_next(x, add))
		last = add + 1;
	vc_pass_note(x->e->c, VC_PASS_INPLACE, in, "one list of the sum");
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t k = 0; k < in->nlist; k++)
		vt_buf_printf(x->b, "%s%s", k ? ", " : "", em_temp(x, in->list[k]));
	v = last_var >= 0 ? em_variable(x, last_var) : NULL;
	grows = v && (in->nlist > 1 || em_put_by(x, add) != NULL);
	if (v != NULL && !grows) {
		vt_buf_printf(x->b,
			"};\n\tif (vt_has_room(%s) && vt_push_in_place(rt, %s, &%s, av[0])) { t%d "
			"= "
			"%s; %s = VT_NULL; goto Q%u; }\n\t{ ",
			v, em_site(x->e, add->site), v, last->d, v, v, em_skip_to(x, last));
	} else
		vt_buf_puts(x->b, "}; ");
	/* an argument that was given away grows where it is, and what is long enough where it
	 * stands */
	vt_buf_printf(x->b, "if (%svt_list_with(rt, %s, %s, %u, av, &t%d)) goto Q%u; }\n",
		grows ? vc_format(x->e->c, "vt_is_short(%s) && ", v)
		: last + 1 < end && last[1].op == IR_RET
			? vc_format(x->e->c, "!vt_alone(%s) && ", em_temp(x, add->a[0]))
			: "",
		em_site(x->e, add->site), em_temp(x, add->a[0]), in->nlist, last->d,
		em_skip_to(x, last));
	vt_buf_puts(x->b, v != NULL && !grows ? "\t}\n" : "");
}

/* `d.get(k, {})`: what is there needs no default, which is made for this call alone. */
void
em_get_before(fn *x, const ir_ins *in)
{
	const ir_ins *get = in + 1;
	uint32_t i;
	const char *key, *at;

	while (get < x->f->ins + x->f->n && get->op == IR_HANDLER)
		get++;
	i = (uint32_t)(get - x->f->ins);
	if (x->f->kind != IF_METHOD || x->e->is_query || x->nskips >= EM_MOST_SKIPS ||
		get >= x->f->ins + x->f->n || get->op != IR_CALLM || get->nlist != 2 ||
		strcmp(get->site->name, "get") != 0 || get->list[1] != in->d ||
		get->list[0] == in->d || get->a[0] == in->d ||
		in_place(x->e, x->f, get) != get->a[0] || x->local->stacked[i] ||
		em_reads_again(x->f, i, in->d, true))
		return;
	vc_pass_note(x->e->c, VC_PASS_INPLACE, in, "made where there is nothing else");
	(void)em_site(x->e, get->site);
	key = em_operand(x, get, 0);
	at = em_temp(x, get->a[0]);
	if (is_name(get, 0))
		vt_buf_printf(x->b, "\tif (vt_named_fast(IC(%u), IC(%u), %s, %s, VT_UNDEF, &t%d)) ",
			get->site->index, x->e->nics++, at, key, get->d);
	else
		vt_buf_printf(x->b, "\tif (vt_get_fast(IC(%u), %s, %s, VT_UNDEF, &t%d)) ",
			get->site->index, at, key, get->d);
	vt_buf_printf(x->b, "goto Q%u;\n", em_skip_to(x, get));
}

/* Is it only an item of a list that is evaluated as it is, `[.., $l.delete(i)]`? */
static bool
is_final_item(const fn *x, const ir_ins *in)
{
	const ir_ins *end = x->f->ins + x->f->n - 1, *list = in + 1, *user;

	while (list < end && !em_uses(list, in->d) && list->op != IR_LABEL && !em_jumps(list))
		list++;
	user = list + 1;
	return may_evaluate(x) && list < end && list->op == IR_LIST && em_uses(list, in->d) &&
	       alone_reads(x, list, in->d) && user->a[0] == list->d &&
	       (user->op == IR_ADDV || user->op == IR_FINAL) && alone_reads(x, user, list->d);
}

/* `$m: $l.delete(i)`, append(x) and their like make the list that comes of it, without the iterator
 * between. */
static void
edited_list(fn *x, const ir_ins *in)
{
	bool one = in->nlist == 1 &&
		   (strcmp(in->site->name, "delete") == 0 || strcmp(in->site->name, "append") == 0),
	     two = in->nlist == 2 && (strcmp(in->site->name, "insert") == 0 ||
					     strcmp(in->site->name, "replace") == 0),
	     next;

	next = one || two ? is_final_next(x, in) : false;
	if ((!one && !two) || in->op != IR_CALLM || in->a[0] < 0 ||
		(!next && !is_final_item(x, in)))
		return;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->site->args[i].code || in->site->args[i].keyword)
			return;
	vc_pass_note(x->e->c, VC_PASS_INPLACE, in, "the list that comes of it");
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	vt_buf_printf(x->b, "}; if (vt_edited_list(rt, %s, %s, av, &t%d)) goto Q%u; }\n",
		em_site(x->e, in->site), em_temp(x, in->a[0]), in[next].d,
		em_skip_to(x, in + next));
}

/* `For` over `d.keys()`: those of a dict with a shape are there, as a tuple.  Its values become one
 * without an iterator. */
void
em_walk_keys(fn *x, const ir_ins *in)
{
	const ir_ins *final = in + 1;
	bool keys = strcmp(in->site->name, "keys") == 0;

	edited_list(x, in);
	if (in->nlist != 0 || in->a[0] < 0 || !is_final_next(x, in) ||
		(!keys && strcmp(in->site->name, "values") != 0) ||
		final + 1 >= x->f->ins + x->f->n || final[1].op != IR_ITER ||
		final[1].a[0] != final->d)
		return;
	vc_pass_note(x->e->c, VC_PASS_INPLACE, in, "walks the keys where they are");
	(void)em_site(x->e, in->site);
	vt_buf_printf(x->b, "\tif (vt_%s_of(rt, IC(%u), %s, &t%d)) goto Q%u;\n",
		keys ? "names" : "values", in->site->index, em_temp(x, in->a[0]), final->d,
		em_skip_to(x, final));
}

bool
em_only_measures(const fn *x, const ir_ins *in, int32_t t)
{
	return in->op == IR_CALLM && strcmp(in->site->name, "len") == 0 &&
	       in_place(x->e, x->f, in) == t && !x->local->stacked[in - x->f->ins] &&
	       !em_reads_again(x->f, (uint32_t)(in - x->f->ins), t, true);
}

void
em_in_place_close(fn *x, const ir_ins *in, em_alias was)
{
	if (x->local->stacked[in - x->f->ins]) {
		x->alias[in_place(x->e, x->f, in)] = was;
		vt_buf_puts(x->b, "\tvt_clear(&hp);\n");
	}
	vt_buf_puts(x->b, "\t}\n");
}

/* ---- which lists nobody else sees ------------------------------------------------------------ */

typedef struct trace {
	em *e;
	const ir_func *f;
	const uint8_t *far;
	uint8_t *stacked;  /* of struct em_local; NULL: only asks */
	int32_t temp, var; /* where it ends: the last holder */
	int32_t of; /* the variable that it was read from, or -1: then it may be assigned to one */
} trace;

/* Is the variable assigned while the loop that begins at op i, an `iter`, walks what it held? */
static bool
assigned_within(const ir_func *f, uint32_t i, int32_t var)
{
	int32_t end = -1;

	for (uint32_t k = i + 1; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (in->op == IR_NEXT && in->a[0] == f->ins[i].d && end < 0)
			end = in->label;
		if (in->op == IR_LABEL && end >= 0 && in->label == end)
			return false;
		if (in->op == IR_SETVAR && in->var == var)
			return true;
	}
	return true;
}

/* Is the sum that op k makes written below a variable or property, where what is added to a list
 * goes to its end? */
static bool
is_grown(const ir_func *f, uint32_t k)
{
	int32_t sum = f->ins[k].d;

	if (f->ins[k].op != IR_ADD || f->ins[k].a[0] == f->ins[k].a[1])
		return false;
	for (k++; k < f->n; k++)
		switch (f->ins[k].op) {
		case IR_FINAL:
			if (f->ins[k].a[0] == sum)
				sum = f->ins[k].d;
			break;
		case IR_POS:
		case IR_SELF:
		case IR_CONST:
		case IR_VAR: break;
		case IR_PUTINDEXV:
		case IR_PUTIN:
		case IR_PUTATTR: return f->ins[k].a[1] == sum;
		default: return false;
		}
	return false;
}

/* Does a use that is none of an operator's leave the list where it is? Where it goes is noted. */
static bool
passes_on(trace *w, uint32_t k, int32_t t)
{
	const ir_ins *in = &w->f->ins[k];

	switch (in->op) {
	case IR_ITER: w->temp = in->d; return w->of < 0 || !assigned_within(w->f, k, w->of);
	case IR_SETVAR:
		w->var = in->var;
		w->temp = -1;
		return w->of < 0;
	}
	if (w->stacked)
		w->stacked[k] = 1;
	return in->op == IR_ADDV ||
	       ((is_grown(w->f, k) || em_adds_to_made(w->f, k)) && in->a[1] == t) ||
	       in_place(w->e, w->f, in) == t;
}

/* Follows the list that op i has put into temporary t. False: somebody else may come to see it. */
static bool
follow(trace *w, uint32_t i, int32_t t)
{
	const ir_func *f = w->f;

	for (uint32_t k = i + 1; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (in->op == IR_LABEL)
			break;
		if (em_uses(in, t) && in->op == IR_FINAL) {
			if (em_reads_again(f, k, t, false) || w->far[t])
				return false;
			t = in->d;
			continue;
		}
		if (em_uses(in, t) && !passes_on(w, k, t))
			return false;
		if (em_uses(in, t) && (in->op == IR_ITER || in->op == IR_SETVAR))
			return !w->far[t] && !em_reads_again(f, k, t, false);
		if (in->d == t || em_frees(in, t) || (ir_ops[in->op].flags & IR_TERM))
			break;
	}
	w->temp = t;
	return !w->far[t];
}

/* May the variable hold such a list? Then it is read, and assigned as a whole, and that is all. */
static bool
may_hold(const trace *w, int32_t var, uint8_t *stacked)
{
	const ir_func *f = w->f;
	const uint8_t *captured = em_captured(w->e, f);

	if (em_boxed(w->e, f) || (uint32_t)var < f->nparams || (captured && captured[var]))
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		trace r = *w;
		r.of = var;
		r.stacked = stacked;
		if (f->ins[i].var == var && f->ins[i].op != IR_SETVAR &&
			(f->ins[i].op != IR_VAR || !follow(&r, i, f->ins[i].d)))
			return false;
	}
	return true;
}

/* Where the temporary that is defined at op k or behind gets something else. */
static uint32_t
defined_again(const ir_func *f, uint32_t k, int32_t t)
{
	while (k < f->n && f->ins[k].d != t)
		k++;
	for (k++; k < f->n && f->ins[k].d != t; k++)
		;
	return k;
}

/* Op i makes what lies on the stack; its last holder is the temporary, which is defined at op k or
 * behind, or -1. */
static void
keep(struct em_local *l, const ir_func *f, uint32_t i, uint32_t k, int32_t temp, int32_t var)
{
	uint32_t at;

	l->temp[i] = temp;
	l->var[i] = var;
	l->until[i] = temp < 0 ? 0 : defined_again(f, k, temp);
	for (at = l->n; at > 0 && l->kept[at - 1] >= i; at--)
		if (l->kept[at - 1] == i)
			return;
	memmove(&l->kept[at + 1], &l->kept[at], (l->n - at) * sizeof *l->kept);
	l->kept[at] = i;
	l->n++;
}

/* Asks first, and notes then. */
static void
consider(struct em_local *l, trace *w, uint32_t i)
{
	const ir_ins *in = &w->f->ins[i];

	w->temp = w->var = w->of = -1;
	w->stacked = NULL;
	if (in->op != IR_LIST || in->nlist == 0 || in->nlist > MOST_ITEMS || !follow(w, i, in->d) ||
		(w->var >= 0 && !may_hold(w, w->var, NULL)))
		return;
	w->stacked = l->stacked;
	(void)follow(w, i, in->d);
	if (w->var >= 0)
		(void)may_hold(w, w->var, l->stacked);
	l->list[i] = (uint8_t)in->nlist;
	keep(l, w->f, i, i, w->temp, w->var);
}

/* ---- which pipelines ------------------------------------------------------------------------- */

/* The temporary that has what the pipe makes, and the calls that stand for it. */
static int32_t
made_by(const ir_func *f, uint32_t i)
{
	return f->ins[i].label < 0 ? f->ins[i].d : f->ins[i + 1].d;
}

/* Where that is used: behind the label that the calls, which stand between, come to as well. */
static uint32_t
behind_pipe(const ir_func *f, uint32_t i)
{
	const ir_ins *copy = &f->ins[i + 1], *jump = copy + 1;

	if (f->ins[i].label < 0)
		return i + 1;
	if (i + 2 >= f->n || copy->op != IR_COPY || copy->a[0] != f->ins[i].d || jump->op != IR_JMP)
		return 0;
	for (uint32_t k = i + 3; k < f->n; k++)
		if (f->ins[k].op == IR_LABEL && f->ins[k].label == jump->label)
			return k;
	return 0;
}

/* The last holder of what op k evaluates, where For alone sees that; or -1. */
static int32_t
walked(const ir_func *f, uint32_t k)
{
	const ir_ins *iter = &f->ins[k] + 1;

	return k + 1 < f->n && iter->op == IR_ITER && iter->a[0] == f->ins[k].d &&
			       !em_reads_again(f, k + 1, f->ins[k].d, false)
		       ? iter->d
		       : -1;
}

static bool
takes_receiver(const ir_ins *in, int32_t t)
{
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->list[i] == t)
			return false;
	return in->op == IR_CALLM && in->a[0] == t;
}

/* The `final` of a pipe whose items For alone sees. */
static void
make_room(struct em_local *l, const ir_func *f, uint32_t k)
{
	int32_t t = walked(f, k);

	if (f->ins[k].op != IR_FINAL || t < 0 || l->rooms == MOST_ROOMS)
		return;
	l->rooms++;
	l->list[k] = ROOM;
	keep(l, f, k, k, t, -1);
}

/* Is every use of the pipe's value evaluated, or the receiver of a call? Notes them in l, unless
 * that is NULL. */
static bool
is_eaten(struct em_local *l, const ir_func *f, uint32_t i)
{
	int32_t t = made_by(f, i);

	for (uint32_t k = behind_pipe(f, i); k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (em_uses(in, t) && in->op != IR_FINAL && !takes_receiver(in, t))
			return false;
		if (em_uses(in, t) && l) {
			l->stacked[k] = 1;
			make_room(l, f, k);
		}
		if (em_frees(in, t) || in->d == t || (ir_ops[in->op].flags & IR_TERM))
			return true;
	}
	return false;
}

static void
consider_pipe(struct em_local *l, em *e, const ir_func *f, uint32_t i)
{
	if (f->ins[i].op != IR_PIPE || em_behind_few(f, i) || behind_pipe(f, i) == 0 ||
		!is_eaten(NULL, f, i))
		return;
	(void)is_eaten(l, f, i);
	l->pipe[i] = 1;
	keep(l, f, i, behind_pipe(f, i) - 1, made_by(f, i), -1);
	for (uint32_t k = 0; k < f->ins[i].nfs; k++)
		if (em_direct_args(e, f->ins[i].fs[k]) < 0)
			return;
	l->pipe[i] = em_captured(e, f) ? 2 : 1;
	l->scope |= l->pipe[i] == 2;
}

struct em_local *
em_local_of(em *e, const ir_func *f)
{
	struct em_local *l = vc_alloc(e->c, sizeof *l);
	size_t n = (size_t)f->n + 1;
	trace w = {.e = e, .f = f};

	l->list = vc_alloc(e->c, n);
	l->pipe = vc_alloc(e->c, n);
	l->stacked = vc_alloc(e->c, n);
	if (f->kind != IF_METHOD || !vc_pass_on(e->c, ESCAPE))
		return l;
	l->temp = vc_alloc(e->c, n * sizeof *l->temp);
	l->var = vc_alloc(e->c, n * sizeof *l->var);
	l->until = vc_alloc(e->c, n * sizeof *l->until);
	l->kept = vc_alloc(e->c, MOST_KEPT * sizeof *l->kept);
	w.far = em_far(e->c, f);
	for (uint32_t i = 0; i < f->n && l->n < MOST_LISTS; i++) {
		consider(l, &w, i);
		consider_pipe(l, e, f, i);
	}
	return l;
}

/* ---- their C --------------------------------------------------------------------------------- */

/* Is the list of op i only there to be added to a variable, which a C variable stands for? */
static bool
is_pushed(fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i], *add = in + 1;

	return i + 1 < x->f->n && in->nlist == 1 && add->op == IR_ADDV && add->a[0] == in->d &&
	       em_is_local(x) && (x->raw == NULL || x->raw->var[add->var] == 0) &&
	       !em_goes_to_property(x, add);
}

bool
em_is_pushed(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);

	return in->op == IR_ADDV && i > 0 && x->local->list[i - 1] && is_pushed(x, i - 1);
}

bool
em_local_list(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);

	if (!x->local->list[i])
		return false;
	vc_pass_note(x->e->c, VC_PASS_ESCAPE, in, "on the stack");
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t k = 0; k < in->nlist; k++)
		vt_buf_printf(x->b, "%s%s", k ? ", " : "", em_temp(x, in->list[k]));
	if (is_pushed(x, i)) {
		vt_buf_printf(x->b,
			"}; t%d = vt_push_in_place(rt, %s, &%s, av[0]) ? VT_UNDEF : "
			"vt_local_list(rt, &l%u, b%u, 1, av); }\n",
			in->d, em_site(x->e, in[1].site), em_variable(x, in[1].var), i, i);
		return true;
	}
	vt_buf_printf(
		x->b, "}; t%d = vt_local_list(rt, &l%u, b%u, %u, av); }\n", in->d, i, i, in->nlist);
	return true;
}

/* Is the op that is written a `free` of what op i has put into its last holder? */
static bool
is_freed(const fn *x, uint32_t i, int64_t from, int64_t to)
{
	const struct em_local *l = x->local;
	uint32_t now = (uint32_t)(x->now - x->f->ins);

	return l->temp[i] >= from && l->temp[i] < to && now > i && now < l->until[i] &&
	       (x->cells[l->temp[i]] & ~(uint32_t)EM_EMPTY);
}

static const char *
drop(fn *x, uint32_t i)
{
	return vc_format(
		x->e->c, x->local->list[i] ? "vt_local_drop(&l%u);" : "vt_pipe_drop(&w%u);", i);
}

void
em_local_freed(fn *x, int64_t from, int64_t to)
{
	const struct em_local *l = x->local;

	for (uint32_t k = 0; k < l->n; k++) {
		uint32_t i = l->kept[k];

		if (is_freed(x, i, from, to))
			vt_buf_printf(x->b, "\tif (t%d != VT_UNDEF) %s\n", l->temp[i], drop(x, i));
	}
}

void
em_local_assigned(fn *x, int32_t var)
{
	const struct em_local *l = x->local;

	for (uint32_t k = 0; k < l->n; k++) {
		uint32_t i = l->kept[k];

		if (l->list[i] && l->var[i] == var)
			vt_buf_printf(x->b, "\tif (v%d != vt_mkptr(&l%u)) vt_local_drop(&l%u);\n",
				var, i, i);
	}
}

void
em_local_end(fn *x, em_list *last)
{
	const struct em_local *l = x->local;

	for (uint32_t k = 0; k < l->n; k++)
		em_listed(last, drop(x, l->kept[k]));
	if (l->n)
		em_listed(last, "vt_release(hp);");
}

bool
em_local_pipe(fn *x, const ir_ins *in)
{
	if (!x->local->pipe[in - x->f->ins])
		return false;
	vc_pass_note(x->e->c, VC_PASS_ESCAPE, in, "the iterator over a list is on the stack");
	return true;
}

void
em_pipe_method(fn *x, const ir_ins *in, const char *ops)
{
	uint32_t i = (uint32_t)(in - x->f->ins), kind = x->local->pipe[i];
	const char *a = em_temp(x, in->a[0]), *it = kind ? vc_format(x->e->c, "&w%u", i) : "NULL";

	if (x->cells[in->d] & EM_HELD)
		vt_buf_printf(x->b, "\tvt_clear(&t%d);\n", in->d);
	vt_buf_puts(x->b, "\t{ ");
	em_captured_array(x);
	if (in->site)
		vt_buf_printf(x->b, "st = vt_pipe_call(rt, &sc, self, %s, %s, %s, %s, &r); }",
			x->captured ? "vars" : "NULL", ops, a, em_site(x->e, in->site));
	else
		vt_buf_printf(x->b, "st = vt_pipe_method(rt, &sc, %s, self, %s, %s, %s, %s, &r); }",
			kind == 2 ? "&zs.s" : "NULL", x->captured ? "vars" : "NULL", ops, a, it);
	em_take(x, in->d);
}

/* The `final` of a pipeline that For walks: a short list needs no heap. */
bool
em_local_collect(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);
	const char *a = em_temp(x, in->a[0]);

	if (!x->local->list[i])
		return false;
	vc_pass_note(x->e->c, VC_PASS_ESCAPE, in, "up to %d items are on the stack", ROOM);
	vt_buf_printf(x->b,
		"\tst = vt_on_stack(%s) ? vt_pipe_collect(rt, %s, %s, &l%u, b%u, %d, &r) : "
		"vt_final_fast(rt, %s, %s, &r);",
		a, x->e->unit, a, i, i, ROOM, x->e->unit, a);
	return true;
}

/* A pipeline as a receiver. */
bool
em_borrows(const fn *x, const ir_ins *in)
{
	return in->op == IR_CALLM && x->local->stacked[in - x->f->ins] &&
	       in_place(x->e, x->f, in) < 0;
}

bool
em_borrow_open(fn *x, const ir_ins *in, em_alias *was)
{
	if (!em_borrows(x, in))
		return false;
	(void)em_site(x->e, in->site);
	hold(x, in, in->a[0], was);
	return true;
}

void
em_borrow_close(fn *x, const ir_ins *in, em_alias was)
{
	x->alias[in->a[0]] = was;
	vt_buf_puts(x->b, "\tvt_clear(&hp);\n");
}

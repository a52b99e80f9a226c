/*
 * parts.c - what a variable has been given before, and what is read for the last time, changes in
 * place.
 *
 * `$o: $r[k]`, `$o: $o.set(..)`, `$r: $r.replace(k, $o)`: $o and $r[k] are one value, so $o could
 * not change where it is.  But on each way from there on $r[k] is written, or $r is, before anybody
 * looks at it.  So what stands there goes where a statement begins that changes $o, which then
 * holds it alone: null stays in its place for as long.  Whether it is so, and $r nobody else's, is
 * asked as it runs.
 */
#include "compiler/emit/unbox.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MOST_PARTS = 64, MOST_WALKED = 400, MOST_WAYS = 48, MOST_PUTS = 4, MOST_TAKEN = 3 };

/* Where an element is: a constant, a variable, or an element of one. */
typedef struct place {
	ir_const k;
	int32_t var;      /* or -1 */
	const ir_ins *by; /* the op that reads the element, whose key k is; or NULL */
} place;

/* A variable has been given what another one has there, or is put there. */
typedef struct part {
	int32_t var, of;
	place at;
	bool whole; /* all of it, that is */
} part;

struct em_parts {
	int32_t *handler; /* by op: where it goes when it fails */
	uint32_t n;
	part part[MOST_PARTS];
};

/* What is to be seen of a variable: all, or what it has at the place. */
typedef struct watch {
	fn *x;
	int32_t var;
	const place *at; /* or NULL */
	uint32_t left;   /* ops that may still be looked at */
	uint32_t nways, nlabels, nkept, nputs;
	uint32_t way[MOST_WAYS], kept[MOST_PUTS]; /* assignments of what still has the place */
	int32_t label[MOST_WAYS];
	const ir_ins *put[MOST_PUTS]; /* calls that have to be, or jumps that find, the library's */
} watch;

static const ir_ins *
made_of(const fn *x, const ir_ins *in, int32_t t)
{
	const ir_ins *def = t < 0 ? NULL : em_made_by(x->f, (uint32_t)(in - x->f->ins), t);

	return def != NULL && def->op == IR_FINAL ? made_of(x, def, def->a[0]) : def;
}

/* What op k reads an element of, and where: the temporary; or -1. */
static int32_t
element_read(const ir_ins *k, int32_t *key, const ir_arg **written)
{
	*key = -1;
	*written = NULL;
	if (k->op == IR_ATTR)
		return k->a[0];
	if (k->op == IR_CALL && k->nlist == 2 && strcmp(k->site->name, "#indexer") == 0) {
		*key = k->list[1];
		*written = &k->site->args[1];
		return k->list[0];
	}
	if (k->op != IR_CALLM || strcmp(k->site->name, "get") != 0 || k->nlist < 1 ||
		k->nlist > 2 || k->site->args[0].keyword != NULL)
		return -1;
	*key = k->list[0];
	*written = &k->site->args[0];
	return k->a[0];
}

static ir_const
member_name(const ir_ins *k)
{
	return (ir_const){.kind = IK_STR, .n = (uint32_t)strlen(k->site->name), .s = k->site->name};
}

/* A key that the op is given, as a place; false: it is something else. */
static bool
key_place(const fn *x, const ir_ins *in, int32_t t, const ir_arg *written, place *p)
{
	const ir_ins *def = made_of(x, in, t), *of;
	const ir_arg *inner;
	int32_t key, from;

	*p = (place){.k = em_constant_at(x, in, t, written), .var = -1};
	if (p->k.kind == IK_INT || p->k.kind == IK_STR)
		return true;
	if (def == NULL)
		return false;
	if (def->op == IR_VAR) {
		p->var = def->var;
		return true;
	}
	from = element_read(def, &key, &inner);
	of = def->op == IR_CALLM ? NULL : made_of(x, def, from);
	if (of == NULL || of->op != IR_VAR)
		return false;
	p->var = of->var;
	p->by = def;
	p->k = def->op == IR_ATTR ? member_name(def) : em_constant_at(x, def, key, inner);
	return p->k.kind == IK_INT || p->k.kind == IK_STR;
}

static bool
is_same_place(const place *a, const place *b)
{
	if (a->var != b->var || (a->by == NULL) != (b->by == NULL))
		return false;
	if (a->by != NULL && a->by->op != b->by->op)
		return false;
	return (a->var >= 0 && a->by == NULL) || em_compare(&a->k, &b->k) == EM_SAME;
}

static bool
is_other_place(const place *a, const place *b)
{
	return a->var < 0 && b->var < 0 && em_compare(&a->k, &b->k) == EM_OTHER;
}

static bool
is_put(const ir_ins *k)
{
	return k->op == IR_CALLM && k->nlist == 2 && k->site->nargs == 2 &&
	       (strcmp(k->site->name, "set") == 0 || strcmp(k->site->name, "replace") == 0);
}

static void
note_part(struct em_parts *l, int32_t var, const ir_ins *of, const place *at)
{
	if (of == NULL || of->op != IR_VAR || of->var == var || l->n == MOST_PARTS)
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->part[i].var == var && l->part[i].of == of->var &&
			is_same_place(&l->part[i].at, at))
			return;
	l->part[l->n++] = (part){.var = var, .of = of->var, .at = *at};
}

/* One variable has been given what the other one has. */
static void
note_same(struct em_parts *l, int32_t var, int32_t of)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->part[i].var == var && l->part[i].of == of && l->part[i].whole)
			return;
	if (var != of && l->n < MOST_PARTS)
		l->part[l->n++] = (part){.var = var, .of = of, .whole = true};
}

/* The op gives a variable an element, or puts one's value there. */
static void
find_part(const fn *x, const ir_ins *in, struct em_parts *l)
{
	const ir_ins *def;
	const ir_arg *written = NULL;
	int32_t key = -1, from;
	place at;

	if (in->op == IR_SETVAR) {
		def = made_of(x, in, in->a[0]);
		from = def == NULL ? -1 : element_read(def, &key, &written);
		if (def != NULL && def->op == IR_VAR) {
			note_same(l, in->var, def->var);
			note_same(l, def->var, in->var);
		}
		if (from >= 0 && def->op == IR_ATTR)
			note_part(l, in->var, made_of(x, def, from),
				&(place){.k = member_name(def), .var = -1});
		else if (from >= 0 && key_place(x, def, key, written, &at))
			note_part(l, in->var, made_of(x, def, from), &at);
	} else if (is_put(in)) {
		def = made_of(x, in, in->list[1]);
		if (def != NULL && def->op == IR_VAR &&
			key_place(x, in, in->list[0], &in->site->args[0], &at))
			note_part(l, def->var, made_of(x, in, in->a[0]), &at);
	} else if (in->op == IR_PUTINDEXV) {
		def = made_of(x, in, in->a[1]);
		if (def != NULL && def->op == IR_VAR && key_place(x, in, in->a[0], NULL, &at))
			note_part(l, def->var, &(ir_ins){.op = IR_VAR, .var = in->var}, &at);
	} else if (in->op == IR_PUTATTRV) {
		def = made_of(x, in, in->a[0]);
		at = (place){.k = {.kind = IK_STR, .n = (uint32_t)strlen(in->name), .s = in->name},
			.var = -1};
		if (def != NULL && def->op == IR_VAR)
			note_part(l, def->var, &(ir_ins){.op = IR_VAR, .var = in->var}, &at);
	}
}

static struct em_parts *
parts_of(fn *x)
{
	struct em_parts *l = x->parts;
	int32_t handler = -1;

	if (l != NULL)
		return l;
	x->parts = l = vc_alloc(x->e->c, sizeof *l);
	for (uint32_t i = 0; i < x->f->n; i++)
		find_part(x, &x->f->ins[i], l);
	l->handler = vc_alloc(x->e->c, ((size_t)x->f->n + 1) * sizeof *l->handler);
	for (uint32_t i = 0; i < x->f->n; i++) {
		if (x->f->ins[i].op == IR_HANDLER)
			handler = x->f->ins[i].label;
		l->handler[i] = handler;
	}
	return l;
}

static bool
has_code(const ir_ins *in)
{
	if (in->f != NULL || (in->fs != NULL && in->nlist == 0 && in->nfs > 0) ||
		in->op == IR_PIPE || in->op == IR_CONTEXT || in->op == IR_PARALLEL)
		return true;
	for (uint32_t i = 0; in->site != NULL && i < in->site->nargs; i++)
		if (in->site->args[i].code != NULL ||
			(in->site->args[i].key != NULL && in->site->args[i].key->code != NULL))
			return true;
	return false;
}

/* May what the call or sum gives still have the place, and does only the variable get it, which
 * keeps it then? */
static bool
goes_back(watch *w, const ir_ins *made)
{
	const ir_ins *k = em_next_user(w->x, made);
	place at;

	if (k == NULL || !em_is_over(w->x->f, (uint32_t)(k - w->x->f->ins), made->d))
		return false;
	if (k->op == IR_FINAL)
		return goes_back(w, k);
	if (is_put(k) && k->a[0] == made->d && k->list[1] != made->d && k->list[0] != made->d &&
		w->nputs < MOST_PUTS) {
		w->put[w->nputs++] = k;
		return (key_place(w->x, k, k->list[0], &k->site->args[0], &at) &&
			       is_same_place(&at, w->at)) ||
		       goes_back(w, k);
	}
	if (k->op != IR_SETVAR || k->var != w->var || w->nkept == MOST_PUTS)
		return false;
	w->kept[w->nkept++] = (uint32_t)(k - w->x->f->ins);
	return true;
}

/* Does the op that uses the value of the variable see nothing of the place? */
static bool
looks_past(watch *w, const ir_ins *k, int32_t t)
{
	const ir_arg *written;
	int32_t key;
	place at;

	if (is_put(k) && k->a[0] == t && k->list[0] != t && k->list[1] != t) {
		if (w->nputs == MOST_PUTS)
			return false;
		w->put[w->nputs++] = k;
		return (key_place(w->x, k, k->list[0], &k->site->args[0], &at) &&
			       is_same_place(&at, w->at)) ||
		       goes_back(w, k);
	}
	if (k->op == IR_JOTHER)
		return true;
	if (k->op == IR_REFUSE) /* the call's receiver, of which it asks for the kind */
		return strcmp(k->site->name, "set") == 0 || strcmp(k->site->name, "replace") == 0;
	if (k->op == IR_CALLM || element_read(k, &key, &written) != t || key == t)
		return false;
	if (k->op == IR_ATTR)
		at = (place){.k = member_name(k), .var = -1};
	else if (!key_place(w->x, k, key, written, &at))
		return false;
	return is_other_place(&at, w->at);
}

/* The same of all ops that use what op i has read of the variable. */
static bool
reads_past(watch *w, uint32_t i)
{
	const ir_func *f = w->x->f;
	int32_t t = f->ins[i].d;
	uint32_t most = i + 60;

	for (uint32_t k = i + 1; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (k == most || (em_uses(in, t) && !looks_past(w, in, t)))
			return false;
		if (in->d == t || em_frees(in, t))
			return true;
	}
	return true;
}

enum seen { PAST, OVER, SEEN };

/* What op i does with what is watched. */
static enum seen
sees(watch *w, uint32_t i)
{
	const ir_ins *in = &w->x->f->ins[i];
	bool assigns = (ir_ops[in->op].flags & IR_ASSIGNS) != 0;
	place at;

	if (w->x->captured != NULL && w->x->captured[w->var] && has_code(in))
		return SEEN;
	if (w->at != NULL && assigns && w->at->var == in->var)
		return SEEN;
	if (in->op == IR_DYN || in->op == IR_JTEXTS)
		return SEEN;
	if ((!assigns && in->op != IR_VAR) || in->var != w->var)
		return PAST;
	if (in->op == IR_SETVAR) {
		for (uint32_t k = 0; k < w->nkept; k++)
			if (w->kept[k] == i)
				return PAST;
		return OVER;
	}
	if (w->at == NULL)
		return SEEN;
	if (in->op == IR_VAR)
		return reads_past(w, i) ? PAST : SEEN;
	if (in->op == IR_PUTATTRV)
		at = (place){.k = {.kind = IK_STR, .n = (uint32_t)strlen(in->name), .s = in->name},
			.var = -1};
	else if (in->op != IR_PUTINDEXV || !key_place(w->x, in, in->a[0], NULL, &at))
		return PAST; /* it is written to, and not looked at */
	return is_same_place(&at, w->at) ? OVER : PAST;
}

static bool
go_on_at(watch *w, int32_t label)
{
	if (label < 0)
		return true;
	for (uint32_t k = 0; k < w->nlabels; k++)
		if (w->label[k] == label)
			return true;
	if (w->nlabels == MOST_WAYS || w->nways == MOST_WAYS)
		return false;
	w->label[w->nlabels++] = label;
	w->way[w->nways++] = (uint32_t)(em_place_of_label(w->x, label) - w->x->f->ins) + 1;
	return true;
}

/* Does the way go on where the jump leads, for that is asked before the place is emptied?  What is
 * called in its stead reads it from codes. */
static bool
finds(watch *w, const ir_ins *in)
{
	if (in->op != IR_JFOUND || in->nlist > 0 || w->at == NULL || w->nputs == MOST_PUTS)
		return false;
	w->put[w->nputs++] = in;
	return true;
}

/* Does the jump ask whether what is watched is a dict?  That is asked as well. */
static bool
asks(const watch *w, const ir_ins *in)
{
	const ir_ins *def = in->op == IR_JOTHER && in->i[0] == 0 && w->at != NULL
				    ? em_definition(w->x, (uint32_t)(in - w->x->f->ins), in->a[0])
				    : NULL;

	return def != NULL && def->op == IR_VAR && def->var == w->var;
}

/* Is what is watched seen by nobody behind op i, before it is written? */
static bool
is_unseen_behind(watch *w, uint32_t i)
{
	const ir_func *f = w->x->f;
	const int32_t *handler = parts_of(w->x)->handler;

	w->left = MOST_WALKED;
	w->way[w->nways++] = i + 1;
	while (w->nways > 0) {
		for (i = w->way[--w->nways]; i < f->n; i++) {
			const ir_ins *in = &f->ins[i];
			enum seen seen = sees(w, i);
			bool ends = (ir_ops[in->op].flags & IR_TERM) != 0;
			if (seen == SEEN || w->left-- == 0 ||
				(in->op == IR_LABEL && !go_on_at(w, in->label)))
				return false;
			if (ir_ops[in->op].flags & (IR_FAIL | IR_LEAVES) &&
				!go_on_at(w, handler[i]))
				return false;
			if (em_jumps(in) && !asks(w, in) && !go_on_at(w, in->label))
				return false;
			if (seen == OVER || ends || in->op == IR_LABEL || finds(w, in))
				break; /* a label is a way of its own, walked once */
		}
	}
	return true;
}

/* Does a temporary repeat the variable in front of op i, and is used behind it? */
static bool
is_repeated(const fn *x, uint32_t i, int32_t var)
{
	for (uint32_t k = i; k-- > 0 && x->f->ins[k].op != IR_LABEL;) {
		const ir_ins *in = &x->f->ins[k];
		if (in->op == IR_FREE)
			return false; /* of the statement in front */
		if (i - k > 60 ||
			(in->op == IR_VAR && in->var == var && !em_is_over(x->f, i, in->d)))
			return true;
	}
	return false;
}

/* The key of the place as C; VT_UNDEF where there is none. */
static const char *
place_text(fn *x, const place *p)
{
	uint8_t raw = p->var >= 0 && x->raw ? x->raw->var[p->var] : 0;
	const char *v;

	if (p->var < 0)
		return em_value(x->e, &p->k);
	if (raw)
		return raw & RAW_REAL || p->by ? NULL : vc_format(x->e->c, "vt_boxed(n%d)", p->var);
	v = em_variable(x, p->var);
	if (p->by == NULL)
		return v;
	(void)em_site(x->e, p->by->site);
	if (p->by->op == IR_ATTR)
		return vc_format(x->e->c, "vt_member_of_dict(IC(%u), %s)", p->by->site->index, v);
	return vc_format(x->e->c, "vt_item_of(IC(%u), %s, %s)", p->by->site->index, v,
		em_value(x->e, &p->k));
}

const char *
em_found_as(const ir_ins *in)
{
	const ir_site *s = in->site;

	if (in->nlist > 0)
		return "VT_IN_LET";
	if (s->nargs > 0 && (s->args[0].kind == VT_A_MAPPING || s->args[0].keyword != NULL))
		return "VT_IN_CHOICE";
	if (strcmp(s->name, "#operator_-") == 0)
		return "VT_IN_SUBTRACT";
	if (strcmp(s->name, "set") == 0 && s->nargs == 2)
		return "VT_IN_SET";
	return strcmp(s->name, "set") == 0 || strcmp(s->name, "#operator_+") == 0 ? "VT_IN_MERGE"
										  : "VT_IN_CHOICE";
}

static void
write_taken(fn *x, const watch *w, const char *key, int32_t var)
{
	const char *of = em_variable(x, w->var);

	vt_buf_puts(x->b, "\t");
	for (uint32_t k = 0; k < w->nputs; k++) {
		(void)em_site(x->e, w->put[k]->site);
		vt_buf_puts(x->b, k ? " && " : "if (");
		if (w->put[k]->op == IR_JFOUND)
			vt_buf_printf(x->b, "vt_is_a(%s, VT_K_DICT) && vt_found(IC(%u), %s)", of,
				w->put[k]->site->index, em_found_as(w->put[k]));
		else
			vt_buf_printf(x->b, "vt_puts(IC(%u), %s)", w->put[k]->site->index, of);
	}
	vt_buf_printf(x->b, "%svt_take_part(rt, %s, %s, %s);\n", w->nputs ? ") " : "", of, key,
		em_variable(x, var));
}

/* May the variable hold a list, dict or set, or who knows what? */
static bool
may_have_parts(const fn *x, int32_t var)
{
	return (x->raw == NULL || x->raw->var[var] == 0) &&
	       (x->cells[x->f->ntemps + var] &
		       ~(uint32_t)(EM_INT | EM_BIG | EM_FLOAT | EM_STR | EM_BOOL | EM_NULL |
				   EM_HELD | EM_EMPTY)) != 0;
}

/* May the variable hold a list that lies on the stack? */
static bool
is_on_stack(const fn *x, int32_t var)
{
	const struct em_local *l = x->local;

	for (uint32_t k = 0; k < l->n; k++)
		if (l->list[l->kept[k]] && l->var[l->kept[k]] == var)
			return true;
	return false;
}

/* The other variable lets go of what both hold, where nobody reads it again. */
static void
leave(fn *x, uint32_t i, int32_t var, int32_t other)
{
	watch w = {.x = x, .var = other};

	if (may_have_parts(x, other) && !(x->captured != NULL && x->captured[other]) &&
		!is_on_stack(x, other) && !is_repeated(x, i, other) && is_unseen_behind(&w, i))
		vt_buf_printf(x->b, "\tif (%s == %s) vt_clear(&%s);\n", em_variable(x, var),
			em_variable(x, other), em_variable(x, other));
}

/* What the variable holds goes from where it stands, in front of op i; and what it stands in goes
 * from where that stands. */
static void
take_parts(fn *x, const ir_ins *pos, int32_t var, uint32_t depth)
{
	const struct em_parts *l = parts_of(x);
	uint32_t i = (uint32_t)(pos - x->f->ins), taken = 0;

	for (uint32_t k = 0; k < l->n && taken < MOST_TAKEN; k++) {
		const part *p = &l->part[k];
		watch w = {.x = x, .var = p->of, .at = &p->at};
		const char *key = p->whole ? NULL : place_text(x, &p->at);
		if (p->var == var && p->whole)
			leave(x, i, var, p->of);
		if (p->var != var || key == NULL || !may_have_parts(x, p->of) ||
			is_repeated(x, i, p->of) || !is_unseen_behind(&w, i))
			continue;
		vc_pass_note(x->e->c, VC_PASS_UPDATE, pos, "$%s leaves $%s", x->f->vars[var],
			x->f->vars[p->of]);
		if (depth < MOST_TAKEN)
			take_parts(x, pos, p->of, depth + 1);
		for (uint32_t q = 0; q < l->n; q++)
			if (l->part[q].of == p->of && l->part[q].var != var && !l->part[q].whole)
				leave(x, i, var, l->part[q].var);
		write_taken(x, &w, key, var);
		taken++;
	}
}

/* Is what the op gives the same, be it evaluated or not, or is it evaluated at once? */
static bool
gives_whole(const fn *x, const ir_ins *in)
{
	static const char *const names[] = {"set", "union", "difference", "add", "remove"};
	const ir_ins *next = em_next_user(x, in);

	for (uint32_t i = 0; i < VC_LEN(names); i++)
		if (in->op == IR_CALLM && strcmp(in->site->name, names[i]) == 0)
			return true;
	return (next != NULL && next->op == IR_FINAL) ||
	       (in->op == IR_ADD && em_is_only(x, in->a[1], EM_TUPLE | EM_DICT | EM_LAX));
}

/* Does nothing but t, for the op, repeat the variable, and no lambda? */
static bool
is_free_of_others(const fn *x, const ir_ins *in, int32_t t, int32_t var)
{
	uint32_t i = (uint32_t)(in - x->f->ins);

	return may_have_parts(x, var) && em_is_over(x->f, i, t) &&
	       !(x->captured != NULL && x->captured[var]) && !is_on_stack(x, var) &&
	       !is_repeated(x, i, var);
}

/* The variable that the op changes, and that nobody reads behind it; or -1. */
int32_t
em_last_read(fn *x, const ir_ins *in)
{
	int32_t t = in->op == IR_CALLM || in->op == IR_ADD ? in->a[0] : -1;
	uint32_t i = (uint32_t)(in - x->f->ins);
	const ir_ins *def = t < 0 ? NULL : em_definition(x, i, t);
	watch w = {.x = x};

	if (def == NULL || def->op != IR_VAR || !em_is_local(x) || in->d < 0 ||
		!is_free_of_others(x, in, t, def->var) || (in->op == IR_ADD && in->a[1] == t))
		return -1;
	for (uint32_t k = 0; k < in->nlist; k++)
		if (in->list[k] == t)
			return -1;
	w.var = def->var;
	return is_unseen_behind(&w, i) ? def->var : -1;
}

void
em_update_last(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0], var;
	bool held = t >= 0 && x->alias[t].kind == EM_ALIAS_NONE;
	const char *v, *site;
	const ir_ins *turned = em_turned_by(x, in);
	vt_buf *b = x->b;

	if (in->d < 0 || t < 0 || (!turned && !gives_whole(x, in)) ||
		(var = em_last_read(x, in)) < 0)
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place, the last time that $%s is read",
		x->f->vars[var]);
	em_release_now(x, in);
	site = em_site(x->e, in->site);
	v = em_variable(x, var);
	vt_buf_printf(b, "\tif (vt_updates(IC(%u))", in->site->index);
	if (turned)
		em_write_turned(x, " && ", turned);
	vt_buf_puts(b, ") { vt_value av[] = {");
	for (uint32_t i = 0; in->op == IR_CALLM && i < in->nlist; i++)
		vt_buf_printf(b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	for (uint32_t i = 0; in->op == IR_ADD && i < in->na; i++)
		vt_buf_printf(b, "%s, ", em_temp(x, in->a[i]));
	vt_buf_printf(b, "VT_UNDEF}; if (vt_update(rt, %s, %s, %s, %s, %d, av)) { ", x->sc, site,
		in->op == IR_CALLM ? v : "VT_UNDEF", v, held ? 2 : 1);
	if (held)
		vt_buf_printf(b, "vt_clear(&t%d); ", t);
	if (turned)
		in = turned;
	vt_buf_printf(b, "t%d = %s; %s = VT_NULL; goto Q%u; } }\n", in->d, v, v, em_skip_to(x, in));
}

/* Has the variable been given a part, or what another one has? */
static bool
is_given(fn *x, int32_t var)
{
	const struct em_parts *l = parts_of(x);
	uint32_t k = 0;

	while (k < l->n && l->part[k].var != var)
		k++;
	return k < l->n;
}

/* The argument of the call that repeats such a variable, which nobody reads behind it; or -1. */
int32_t
em_last_argument(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);

	for (uint32_t k = 0; in->op == IR_CALLM && em_is_local(x) && k < in->nlist; k++) {
		int32_t t = in->list[k];
		const ir_ins *def = t < 0 ? NULL : em_definition(x, i, t);
		watch w = {.x = x};
		if (def == NULL || def->op != IR_VAR || !is_given(x, def->var) ||
			!is_free_of_others(x, in, t, def->var))
			continue;
		w.var = def->var;
		for (uint32_t n = 0; n < in->nlist; n++)
			if (n != k && in->list[n] == t)
				return -1;
		if (is_unseen_behind(&w, i))
			return (int32_t)k;
	}
	return -1;
}

/* `d.set(k, v).set(l, w)`: the second call changes what the first one has made.  Only of functions
 * that give a dict or set for one. */
void
em_update_made(fn *x, const ir_ins *in)
{
	static const char *const names[] = {"set", "union", "difference", "add", "remove"};
	const char *name = in->site->name, *site;
	int32_t t = in->a[0];
	uint32_t k = 0;
	const ir_ins *def;

	while (k < sizeof names / sizeof *names && strcmp(name, names[k]) != 0)
		k++;
	if (in->op != IR_CALLM || k == sizeof names / sizeof *names || x->nskips >= EM_MOST_SKIPS ||
		!em_is_read_for(x, in, t) || in->d < 0)
		return;
	def = em_definition(x, (uint32_t)(in - x->f->ins), t);
	if (def == NULL || (def->op != IR_CALLM && def->op != IR_CALL && def->op != IR_MAP))
		return;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->list[i] == t)
			return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place: nobody else has seen it");
	em_release_now(x, in);
	site = em_site(x->e, in->site);
	vt_buf_printf(x->b, "\tif (vt_updates(IC(%u)) && vt_final_now(t%d)) { vt_value av[] = {",
		in->site->index, t);
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	vt_buf_printf(x->b,
		"VT_UNDEF}; if (vt_update(rt, %s, %s, t%d, t%d, 1, av)) { t%d = t%d; t%d = "
		"VT_UNDEF; goto Q%u; } }\n",
		x->sc, site, t, t, in->d, t, t, em_skip_to(x, in));
}

/* Does an op of the statement in front of `end` read the variable? */
static bool
is_read_between(const ir_ins *from, const ir_ins *end, int32_t var)
{
	while (from < end && (from->op != IR_VAR || from->var != var))
		from++;
	return from < end;
}

void
em_take_parts(fn *x, const ir_ins *pos)
{
	const ir_ins *end = x->f->ins + x->f->n;
	int32_t taken = -1;

	if (!vc_pass_on(x->e->c, UPDATE) || !em_is_local(x) || x->e->is_query ||
		(x->raw != NULL && x->raw->int_method) || parts_of(x)->n == 0)
		return;
	for (const ir_ins *k = pos + 1; k < end && k->op != IR_FREE && k - pos < 60; k++) {
		int32_t last = em_is_link(k, k->na > 0 ? k->a[0] : -1) ? em_last_read(x, k) : -1;
		int32_t given = last < 0 ? em_last_argument(x, k) : -1;
		if (given >= 0)
			last = em_made_by(x->f, (uint32_t)(k - x->f->ins), k->list[given])->var;
		if (last >= 0 && last != taken)
			take_parts(x, pos, taken = last, 0);
		if (ir_ops[k->op].flags & IR_TERM)
			return;
		if (!(ir_ops[k->op].flags & IR_ASSIGNS))
			continue;
		if (k->var != taken && may_have_parts(x, k->var) &&
			(k->op != IR_SETVAR || is_read_between(pos, k, k->var)))
			take_parts(x, pos, k->var, 0);
		return;
	}
}

/* ---- a variable whose value a property has as well ------------------------------------------ */

/*
 * `$l: $.list`, `$l: $l + [x]`, `$.list: $l`: what fails, or runs, between the change and the last
 * of these could see the property, so nothing may.  Then both change at once, as far as the
 * contract of the property takes that.
 */

/* The read of a property of $this that is written back: the temporary of `self`, or -1. */
static bool
reads_self(const fn *x, const ir_ins *k)
{
	const ir_ins *def = k->op == IR_ATTR ? made_of(x, k, k->a[0]) : NULL;

	return def != NULL && def->op == IR_SELF;
}

/* Ops between the change and the put, which nobody sees and which do not fail. */
static bool
is_silent(const fn *x, const ir_ins *k)
{
	const ir_ins *def;

	switch (k->op) {
	case IR_POS:
	case IR_SELF:
	case IR_VAR:
	case IR_FREE: return true;
	case IR_CONST: return k->k.kind != IK_BIG;
	case IR_FINAL:
		def = made_of(x, k, k->a[0]);
		return def != NULL && (def->op == IR_VAR || is_put(def));
	case IR_ATTR: return reads_self(x, k);
	default: return false;
	}
}

/* The call that puts the variable into what a property has: the op that reads that; or NULL. */
static const ir_ins *
put_from(const fn *x, const ir_ins *k, int32_t var)
{
	const ir_ins *v = is_put(k) ? made_of(x, k, k->list[1]) : NULL,
		     *of = v != NULL && v->op == IR_VAR && v->var == var ? made_of(x, k, k->a[0])
									 : NULL;

	return of != NULL && reads_self(x, of) && em_next_user(x, of) == k ? of : NULL;
}

static bool
is_variable(const fn *x, const ir_ins *k, int32_t t, int32_t var)
{
	const ir_ins *def = made_of(x, k, t);

	return def != NULL && def->op == IR_VAR && def->var == var;
}

/* A level of the way, as C; the key has to be the same in front of the change. */
static const char *
level_text(fn *x, const ir_ins *k, int32_t t, const ir_arg *written, int32_t var)
{
	place at;

	if (!key_place(x, k, t, written, &at) || at.by != NULL || at.var == var)
		return NULL;
	return place_text(x, &at);
}

/* Where the variable, which op `in` or one behind it changes, goes behind that: the way from $this.
 */
static bool
name_property(fn *x, const ir_ins *put, const ir_ins *call, int32_t var, em_below *g)
{
	const char *name;

	g->root = "self";
	if (put->op == IR_PUTIN) {
		g->n = put->nlist;
		if (g->n > EM_MOST_LEVELS || !is_variable(x, put, put->a[1], var))
			return false;
		for (uint32_t i = 0; i < g->n; i++)
			if ((g->path[i] = level_text(x, put, put->list[i], NULL, var)) == NULL)
				return false;
		return made_of(x, put, put->a[0])->op == IR_SELF;
	}
	name = vc_format(x->e->c, "vt_mkptr(%s)", em_str_ref(x->e, put->name));
	g->path[g->n++] = name;
	if (is_variable(x, put, put->a[1], var))
		return call == NULL;
	if (call == NULL || made_of(x, put, put->a[1]) != call ||
		strcmp(g->call[0]->site->name, put->name) != 0)
		return false;
	g->path[g->n] = level_text(x, call, call->list[0], &call->site->args[0], var);
	return g->path[g->n++] != NULL;
}

/* Behind the assignment `set` of the variable: does it go to a property, and nothing is done in
 * between?  call[0] reads what call[1] puts it into, where there is one. */
static bool
goes_to_property(fn *x, const ir_ins *set, em_below *g)
{
	const ir_ins *end = x->f->ins + x->f->n, *call = NULL;

	*g = (em_below){.put = NULL};
	if (x->handler >= 0 || !em_is_local(x) || !may_have_parts(x, set->var))
		return false;
	for (const ir_ins *k = set + 1; k < end && k - set < 40; k++) {
		if (k->op == IR_PUTATTR || k->op == IR_PUTIN) {
			g->put = k;
			return made_of(x, k, k->a[0]) != NULL &&
			       made_of(x, k, k->a[0])->op == IR_SELF &&
			       name_property(x, k, call, set->var, g);
		}
		if (call == NULL && (g->call[0] = put_from(x, k, set->var)) != NULL)
			call = g->call[1] = k;
		else if (!is_silent(x, k))
			return false;
	}
	return false;
}

/* The condition for it in front of the way, and the way. */
static void
open_property(fn *x, const em_below *g, const char *v, const char *more)
{
	vt_buf_printf(x->b, "\tif (vt_is_ptr(%s) && vt_head_of(%s)->rc == 2%s", v, v, more);
	if (g->call[1] != NULL) {
		(void)em_site(x->e, g->call[0]->site);
		(void)em_site(x->e, g->call[1]->site);
		vt_buf_printf(x->b, " && vt_puts(IC(%u), vt_member_of(IC(%u), self))",
			g->call[1]->site->index, g->call[0]->site->index);
	}
	vt_buf_puts(x->b, ") { ");
	(void)em_write_levels(x, g);
}

bool
em_goes_to_property(fn *x, const ir_ins *set)
{
	em_below g;

	return vc_pass_on(x->e->c, UPDATE) && goes_to_property(x, set, &g);
}

/* `$v: $v + more` */
void
em_grow_both(fn *x, const ir_ins *in)
{
	em_below g;
	const char *v = em_variable(x, in->var);

	if (!vc_pass_on(x->e->c, UPDATE) || x->nskips >= EM_MOST_SKIPS ||
		!goes_to_property(x, in, &g))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "both, the variable and the property");
	open_property(x, &g, v, "");
	vt_buf_printf(x->b,
		"if (vt_grow_in(rt, %s, IC(%u), self, %u, pv, %s, %s, NULL)) goto Q%u; }\n",
		x->e->unit, x->e->nics, g.n, v, em_temp(x, in->a[0]), em_skip_to(x, in));
	x->e->nics += g.n;
}

/* The call changes the variable, which `set` assigns. */
void
em_update_both(fn *x, const ir_ins *in, const ir_ins *set, const char *args)
{
	em_below g;
	const char *v = em_variable(x, set->var);

	if (!goes_to_property(x, set, &g))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "both, the variable and the property");
	open_property(x, &g, v, vc_format(x->e->c, " && vt_updates(IC(%u))", in->site->index));
	vt_buf_printf(x->b,
		"vt_value av[] = {%s};\n\tif (vt_update_in(rt, %s, IC(%u), self, %u, pv, "
		"NULL, %s, %s, %s, %s, av)) goto Q%u; }\n",
		args, x->e->unit, x->e->nics, g.n, x->sc, em_site(x->e, in->site),
		in->op == IR_CALLM ? v : "VT_UNDEF", v, em_skip_to(x, set));
	x->e->nics += g.n;
}

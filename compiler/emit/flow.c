/*
 * flow.c - what each temporary and each variable of a method can hold, at each op.
 *
 * A forward analysis over sets of kinds of values.  Its rows belong to labels, for between two of
 * them the order of the text is the order of execution; the last row is for the exit after a
 * failure.  An op that fails leaves what it would have defined as it was.  What is known this way
 * need not be emptied, tested for being final, or asked for its truth; and what no branch leads to
 * is not emitted.
 *
 * Temporaries that the C code never counts (constants, what the caller holds) are never HELD.
 */
#include "compiler/emit/int.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 22 };

static const uint32_t numbers = EM_INT | EM_BIG;

struct em_flow {
	const ir_func *f;
	const uint8_t *held;    /* by temporary, bit 0: may an op give it a count? */
	const uint8_t *aliased; /* by op */
	const uint8_t *asked;   /* by op: enum em_asked */
	bool on;
	uint32_t nvars, n; /* temporaries, then variables */
	uint32_t *at;      /* n cells a label, and those of the exit */
	bool *seen;        /* by label: a branch leads there */
	bool changed;
};

static uint32_t *
row(const em_flow *w, int32_t label)
{
	if (!w->on)
		return w->at; /* all are the same */
	return w->at + (size_t)(label < 0 ? w->f->nlabels : label) * w->n;
}

static uint32_t
of(const em_flow *w, const uint32_t *s, int32_t t)
{
	return t < 0 ? EM_NULL : s[t] & ~(EM_HELD | EM_EMPTY);
}

static uint32_t *
variable(const em_flow *w, uint32_t *s, int32_t v)
{
	return v >= 0 && (uint32_t)v < w->nvars ? &s[w->f->ntemps + v] : NULL;
}

static uint32_t
of_const(const ir_const *k)
{
	switch ((enum ir_const_kind)k->kind) {
	case IK_NULL: return EM_NULL;
	case IK_TRUE:
	case IK_FALSE: return EM_BOOL;
	case IK_INT: return EM_INT;
	case IK_BIG: return EM_BIG;
	case IK_FLOAT: return EM_FLOAT;
	case IK_STR: return EM_STR;
	case IK_NOVALUE:
	case IK_STAMP: break;
	}
	return EM_ANY;
}

/* Text or a collection: no operator makes a number of it. */
static bool
is_container(uint32_t a)
{
	return a && (a & ~(EM_STR | EM_TUPLE | EM_DICT | EM_LAX)) == 0;
}

static uint32_t
of_arith(uint32_t a, uint32_t b)
{
	if (is_container(a) || is_container(b))
		return EM_ANY & ~(numbers | EM_FLOAT | EM_NULL | EM_BOOL);
	if ((a | b) & ~(numbers | EM_FLOAT))
		return EM_ANY;
	return a == EM_FLOAT || b == EM_FLOAT ? EM_FLOAT : numbers | ((a | b) & EM_FLOAT);
}

static uint32_t
of_variable(const em_flow *w, uint32_t *s, int32_t v)
{
	const uint32_t *cell = variable(w, s, v);

	return cell ? *cell : EM_ANY;
}

/* What the op makes can be: in its temporary, or in the variable that it assigns. */
static uint32_t
makes(const em_flow *w, uint32_t *s, const ir_ins *in)
{
	uint32_t a = in->na ? of(w, s, in->a[0]) : 0, b = in->na > 1 ? of(w, s, in->a[1]) : 0;

	if (w->asked && w->asked[in - w->f->ins] != EM_ASKED_NOT)
		return EM_BOOL;
	if (in->op == IR_ADDV)
		b = of_variable(w, s, in->var);
	switch ((enum ir_result)ir_ops[in->op].result) {
	case IR_R_CONST: return of_const(&in->k);
	case IR_R_VAR: return of_variable(w, s, in->var);
	case IR_R_SAME: return a;
	case IR_R_ARITH: return of_arith(a, b);
	case IR_R_ORDER:
		return (a | b) & ~(numbers | EM_NULL | EM_BOOL | EM_FLOAT | EM_STR) ? EM_ANY
										    : EM_BOOL;
	case IR_R_BOOL: return EM_BOOL;
	case IR_R_INT: return EM_INT;
	case IR_R_TUPLE: return EM_TUPLE | EM_LAX;
	case IR_R_DICT: return EM_DICT | EM_LAX;
	case IR_R_FINAL: return a & EM_LAX && !is_container(a) ? EM_ANY & ~EM_LAX : a & ~EM_LAX;
	case IR_R_REST: return EM_ANY | EM_EMPTY;
	case IR_R_NONE:
	case IR_R_ANY:
	case IR_R_TYPE:
	case IR_R_C_INT: /* contracts are not followed here */
	case IR_R_C_STR:
	case IR_R_C_BOOL:
	case IR_R_C_OBJECT:
	case IR_R_C_SET: break;
	}
	return EM_ANY;
}

void
em_flow_step(const em_flow *w, uint32_t i, uint32_t *s)
{
	const ir_ins *in = &w->f->ins[i];
	const ir_opinfo *op = &ir_ops[in->op];
	uint32_t made = w->on ? makes(w, s, in) : EM_ANY, *v;

	if (in->op == IR_FREE)
		for (int64_t t = in->i[0]; t < (in->i[1] < 0 ? w->f->ntemps : in->i[1]); t++)
			s[t] = EM_EMPTY;
	if (op->flags & IR_ASSIGNS && (v = variable(w, s, in->var)) != NULL)
		*v = made;
	if (op->flags & IR_GIVES && in->a[0] >= 0)
		s[in->a[0]] = EM_EMPTY;
	/* it takes a value that is final already, where it may */
	if (in->op == IR_FINAL && w->aliased[i] && (w->held[in->a[0]] & 1) && w->on &&
		(s[in->a[0]] & EM_LAX) == 0)
		s[in->a[0]] = EM_EMPTY;
	if (in->d < 0)
		return;
	s[in->d] = w->on ? made : EM_ANY | EM_EMPTY;
	if ((w->held[in->d] & 1) && (made & EM_HEAP) && !(w->aliased[i] && !em_moves(in)) &&
		in->op != IR_TYPEREF && (in->op != IR_CONST || in->k.kind == IK_BIG))
		s[in->d] |= EM_HELD;
}

/* May it go to the handler? A constant does when it has to be made. */
static bool
fails(const ir_ins *in)
{
	return ir_ops[in->op].flags & (IR_FAIL | IR_LEAVES) ||
	       (in->op == IR_CONST && in->k.kind == IK_BIG);
}

bool
em_jumps(const ir_ins *in)
{
	return in->label >= 0 && ir_ops[in->op].group == IR_G_BRANCH &&
	       strchr(ir_ops[in->op].sig, 'l') != NULL;
}

static void
join(em_flow *w, int32_t label, const uint32_t *s)
{
	uint32_t *to = row(w, label);
	bool *seen = &w->seen[label < 0 ? w->f->nlabels : label];

	w->changed |= !*seen;
	*seen = true;
	for (uint32_t i = 0; i < w->n; i++)
		if (s[i] & ~to[i]) {
			to[i] |= s[i];
			w->changed = true;
		}
}

/* The cells that have changed since all were joined to the handler: most ops can fail and change
 * one, and a method can have thousands of either. */
enum { CHANGED = 256 };
typedef struct changes {
	bool any; /* all are to be joined */
	uint32_t n, cell[CHANGED];
} changes;

static void
note(changes *c, uint32_t cell)
{
	if (c->n == CHANGED)
		c->any = true;
	else
		c->cell[c->n++] = cell;
}

/* Those that the op is about to change: em_flow_step. */
static void
note_step(const em_flow *w, changes *c, uint32_t i, const uint32_t *s)
{
	const ir_ins *in = &w->f->ins[i];

	if (in->op == IR_FREE)
		for (int64_t t = in->i[0]; t < (in->i[1] < 0 ? w->f->ntemps : in->i[1]); t++)
			if (s[t] != EM_EMPTY)
				note(c, (uint32_t)t);
	if (ir_ops[in->op].flags & IR_ASSIGNS && in->var >= 0 && (uint32_t)in->var < w->nvars)
		note(c, (uint32_t)(w->f->ntemps + in->var));
	if (in->na > 0 && in->a[0] >= 0)
		note(c, (uint32_t)in->a[0]);
	if (in->d >= 0)
		note(c, (uint32_t)in->d);
}

static void
join_handler(em_flow *w, changes *c, int32_t handler, const uint32_t *s)
{
	uint32_t *to = row(w, handler);

	if (c->any)
		join(w, handler, s);
	for (uint32_t k = 0; k < c->n && !c->any; k++)
		if (s[c->cell[k]] & ~to[c->cell[k]]) {
			to[c->cell[k]] |= s[c->cell[k]];
			w->changed = true;
		}
	c->any = false;
	c->n = 0;
}

static void
go(em_flow *w, uint32_t *s)
{
	bool here = true;
	int32_t handler = -1;
	changes c = {.any = true};

	for (uint32_t i = 0; i < w->f->n; i++) {
		const ir_ins *in = &w->f->ins[i];
		if (in->op == IR_HANDLER)
			handler = in->label;
		if (in->op == IR_LABEL) {
			if (here)
				join(w, in->label, s);
			here = w->seen[in->label];
			memcpy(s, row(w, in->label), w->n * sizeof *s);
		}
		c.any |= in->op == IR_HANDLER || in->op == IR_LABEL;
		if (!here)
			continue;
		if (fails(in))
			join_handler(w, &c, handler, s);
		if (in->op == IR_CAUGHT)
			join(w, -1, s);
		note_step(w, &c, i, s);
		em_flow_step(w, i, s);
		if (in->op == IR_FEW) { /* jumps with something */
			join(w, in->label, s);
			s[in->d] = EM_EMPTY;
		} else if (em_jumps(in)) {
			uint32_t made = in->d >= 0 ? s[in->d] : 0;
			if (in->d >= 0)
				s[in->d] = EM_EMPTY;
			join(w, in->label, s);
			if (in->d >= 0)
				s[in->d] = made;
		}
		here = (ir_ops[in->op].flags & IR_TERM) == 0;
	}
}

/* Where nothing is known: whatever is ever held can be anything, everywhere. */
static void
assume(em_flow *w)
{
	memset(w->seen, 1, (size_t)w->f->nlabels + 1);
	for (int32_t t = 0; t < w->f->ntemps; t++)
		w->at[t] = w->held[t] & 1 ? EM_ANY | EM_EMPTY | EM_HELD : EM_ANY | EM_EMPTY;
	for (uint32_t v = 0; v < w->nvars; v++)
		w->at[(uint32_t)w->f->ntemps + v] = EM_ANY;
}

/* What a contract makes of its input; null may always come past it. */
static uint32_t
of_contract(const ir_func *f)
{
	uint32_t set = EM_ANY;

	for (uint32_t i = 0; f && i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		const ir_opinfo *op = &ir_ops[in->op];
		if (in->op == IR_RET)
			return set | EM_NULL;
		if (op->result == IR_R_C_INT)
			set = EM_INT | EM_BIG;
		else if (op->result == IR_R_C_STR)
			set = EM_STR;
		else if (op->result == IR_R_C_BOOL)
			set = EM_BOOL;
		else if (op->result != IR_R_C_SET && in->op != IR_INPUT && in->op != IR_FINAL &&
			 in->op != IR_FREE)
			return EM_ANY;
	}
	return EM_ANY;
}

const ir_method *
em_method_of(const em *e, const ir_func *f)
{
	const ir_class *k = e->cls;
	uint32_t i = f->kind == IF_METHOD ? f->seen - 1 : UINT32_MAX;

	return k && i < k->nmethods && k->methods[i].body == f ? &k->methods[i] : NULL;
}

void
em_flow_start(const em *e, const em_flow *w, uint32_t *s)
{
	const ir_method *m = w->nvars ? em_method_of(e, w->f) : NULL;

	for (int32_t t = 0; t < w->f->ntemps; t++)
		s[t] = EM_EMPTY;
	for (uint32_t v = 0; v < w->nvars; v++) {
		uint32_t *cell = &s[(uint32_t)w->f->ntemps + v];
		*cell = v >= w->f->nparams || !w->on ? EM_NULL : EM_ANY;
		if (w->on && m && v < m->nparams && m->params[v].usage == VT_PARAM_STANDARD)
			*cell = of_contract(m->params[v].contract);
		if (!w->on)
			*cell = EM_ANY;
	}
}

static bool
frees(const ir_ins *in, int32_t t)
{
	return in->op == IR_FREE && in->i[0] <= t && (in->i[1] < 0 || t < in->i[1]);
}

/* Does it most likely give a bool?  The others are better tested as they are. */
static bool
may_be_bool(const em *e, const ir_ins *in)
{
	static const char *const names[] = {"#operator_in", "#operator_=~", "#operator_!~", "any",
		"all", "contains", "containsKey", "containsValue", "startsWith", "endsWith",
		"isEmpty", "matches", "isString", "isList", "isDict", "isInteger", "isNumber",
		"isBoolean"};
	const char *name = in->site ? in->site->name : "";
	uint32_t n;

	for (uint32_t i = 0; in->op == IR_ATTR && e->cls && i < e->cls->nprops; i++)
		if (strcmp(e->cls->props[i].name, name) == 0)
			return (of_contract(e->cls->props[i].contract) & ~EM_NULL) == EM_BOOL;
	for (size_t i = 0; i < VC_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return in->op != IR_ATTR && vt_fn_find(name, &n) == NULL;
}

/* Is what the call or property gives only asked for its truth, evaluated first or as it is?  Then a
 * bool does, which needs no count: what gives another value makes one of it. */
static enum em_asked
is_asked(const ir_func *f, const uint32_t *label_at, const ir_ins *in)
{
	const ir_ins *end = f->ins + f->n, *next = in + 1, *there;
	int32_t t = in->d;

	if ((in->op != IR_CALL && in->op != IR_CALLM && in->op != IR_ATTR) || t < 0)
		return EM_ASKED_NOT;
	for (; next < end && (next->op == IR_NOT || next->op == IR_FINAL) && next->a[0] == t;
		next++)
		t = next->d;
	if (next == in + 1 || next + 1 >= end || next->a[0] != t ||
		(next->op != IR_JTRUE && next->op != IR_JFALSE))
		return EM_ASKED_NOT;
	there = f->ins + label_at[next->label] + 1;
	for (const ir_ins *made = in; made < next; made++)
		if (!frees(next + 1, made->d) || there >= end || !frees(there, made->d))
			return EM_ASKED_NOT;
	return in[1].op == IR_FINAL ? EM_ASKED_FINAL : EM_ASKED_RAW;
}

/* By op; NULL: none of them. */
static const uint8_t *
asked_of(em *e, const ir_func *f)
{
	uint32_t *label_at = vt_xmalloc(((size_t)f->nlabels + 1) * sizeof *label_at);
	uint8_t *asked = NULL;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_LABEL)
			label_at[f->ins[i].label] = i;
	for (uint32_t i = 0; i < f->n; i++) {
		enum em_asked how = is_asked(f, label_at, &f->ins[i]);
		if (how == EM_ASKED_NOT || !may_be_bool(e, &f->ins[i]))
			continue;
		if (asked == NULL) {
			asked = vc_alloc(e->c, (size_t)f->n + 1);
			memset(asked, EM_ASKED_NOT, (size_t)f->n + 1);
		}
		asked[i] = (uint8_t)how;
	}
	free(label_at);
	return asked;
}

enum em_asked
em_flow_asked(const em_flow *w, uint32_t op)
{
	return w->asked ? (enum em_asked)w->asked[op] : EM_ASKED_NOT;
}

em_flow *
em_flow_unasked(em *e, const em_flow *w)
{
	em_flow *c = vc_alloc(e->c, sizeof *c);

	*c = *w;
	c->asked = NULL;
	return c;
}

em_flow *
em_flow_of(em *e, const ir_func *f, const uint8_t *held, const uint8_t *aliased)
{
	em_flow *w = vc_alloc(e->c, sizeof *w);
	uint32_t *s;

	*w = (em_flow){.f = f, .held = held, .aliased = aliased};
	w->nvars = f->kind == IF_METHOD && !em_boxed(e, f) ? f->nvars : 0;
	w->n = (uint32_t)f->ntemps + w->nvars;
	w->on = vc_pass_on(e->c, FLOW) && ((uint64_t)f->nlabels + 1) * w->n <= MOST_CELLS;
	w->at = vc_alloc(e->c, (w->on ? (size_t)f->nlabels + 1 : 1) * (w->n + 1) * sizeof *w->at);
	w->seen = vc_alloc(e->c, (size_t)f->nlabels + 1);
	s = vc_alloc(e->c, (w->n + 1) * sizeof *s);
	w->asked = w->on && f->kind == IF_METHOD ? asked_of(e, f) : NULL;
	if (!w->on)
		assume(w);
	do {
		w->changed = false;
		em_flow_start(e, w, s);
		if (w->on)
			go(w, s);
	} while (w->changed);
	return w;
}

bool
em_flow_at(const em_flow *w, int32_t label, uint32_t *s)
{
	memcpy(s, row(w, label), w->n * sizeof *s);
	return w->seen[label < 0 ? w->f->nlabels : label];
}

uint32_t
em_flow_cells(const em_flow *w)
{
	return w->n;
}

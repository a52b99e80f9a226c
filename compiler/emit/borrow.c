/*
 * borrow.c - which temporaries of a method need not exist.
 *
 * Most of them repeat a variable, $this or a constant for the one op that follows. Where no other
 * branch than from that definition leads to a use, and the variable is not assigned before the last
 * use, the use can name the variable itself: nothing is copied, counted or emptied. Only variables
 * that are C locals are used so; nobody else can assign those.
 *
 * The receiver of a call may be used once more, by the `refuse` that stands for a failed argument.
 * What repeats something at the call does so there too, for nothing is assigned between:
 * ir_site.receiver.
 */
#include "compiler/emit/int.h"

bool
em_uses(const ir_ins *in, int32_t t)
{
	for (uint32_t i = 0; i < in->na; i++)
		if (in->a[i] == t)
			return true;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->list[i] == t)
			return true;
	return false;
}

bool
em_reads_again(const ir_func *f, uint32_t i, int32_t t, bool past_labels)
{
	for (uint32_t k = i + 1; k < f->n && (past_labels || f->ins[k].op != IR_LABEL); k++) {
		if (em_uses(&f->ins[k], t))
			return true;
		if (f->ins[k].d == t || em_frees(&f->ins[k], t))
			return false;
	}
	return false;
}

bool
em_frees(const ir_ins *in, int32_t t)
{
	return in->op == IR_FREE && t >= in->i[0] && (in->i[1] < 0 || t < in->i[1]);
}

static bool
assigns(const ir_ins *in, int32_t var)
{
	return in->var == var && ir_ops[in->op].flags & IR_ASSIGNS;
}

/* May control leave for a label of this function? */
static bool
jumps(const ir_ins *in)
{
	return em_jumps(in) || ir_ops[in->op].flags & IR_FAIL;
}

static void
use(const uint32_t *defined, uint8_t *far, int32_t t, uint32_t block)
{
	if (t >= 0 && defined[t] != block)
		far[t] = 1;
}

uint8_t *
em_far(vc *c, const ir_func *f)
{
	uint8_t *far = vc_alloc(c, (size_t)f->ntemps + 1);
	uint32_t *defined = vc_alloc(c, ((size_t)f->ntemps + 1) * sizeof(uint32_t)), block = 1;

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		block += in->op == IR_LABEL;
		for (uint32_t k = 0; k < in->na && in->op != IR_REFUSE; k++)
			use(defined, far, in->a[k], block);
		for (uint32_t k = 0; k < in->nlist; k++)
			use(defined, far, in->list[k], block);
		if (in->d >= 0)
			defined[in->d] = block;
	}
	return far;
}

/* Of each temporary: how often ops use it, the first that defines it, and whether `loop` counts it
 * down. */
typedef struct census {
	uint32_t *uses, *first;
	uint32_t
		*back; /* by op: the last label up to it to which something behind it jumps, or 0 */
	bool *counted;
} census;

/* A label that is jumped back to by several is that of the last one.  Loops stand in each other
 * only so deep as their text does. */
static void
note_jumps_back(vc *c, census *n, const ir_func *f)
{
	uint32_t *from = vc_alloc(c, ((size_t)f->nlabels + 1) * sizeof *from);

	for (uint32_t i = 0; i < f->n; i++)
		if (em_jumps(&f->ins[i]))
			from[f->ins[i].label] = i;
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t k = i; f->ins[i].op == IR_LABEL && k < from[f->ins[i].label]; k++)
			n->back[k] = i;
}

static census
count(vc *c, const ir_func *f)
{
	census n = {vc_alloc(c, ((size_t)f->ntemps + 1) * sizeof(uint32_t)),
		vc_alloc(c, ((size_t)f->ntemps + 1) * sizeof(uint32_t)),
		vc_alloc(c, ((size_t)f->n + 1) * sizeof(uint32_t)),
		vc_alloc(c, ((size_t)f->ntemps + 1) * sizeof(bool))};

	for (uint32_t i = f->n; i-- > 0;) {
		const ir_ins *in = &f->ins[i];
		for (uint32_t k = 0; k < in->na; k++)
			n.uses[in->a[k] < 0 ? f->ntemps : in->a[k]]++;
		for (uint32_t k = 0; k < in->nlist; k++)
			n.uses[in->list[k] < 0 ? f->ntemps : in->list[k]]++;
		if (in->d >= 0)
			n.first[in->d] = i;
		if (in->op == IR_LOOP)
			n.counted[in->a[0]] = true;
	}
	note_jumps_back(c, &n, f);
	return n;
}

static uint32_t
count_uses(const ir_ins *in, int32_t t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < in->na; i++)
		n += in->a[i] == t;
	for (uint32_t i = 0; i < in->nlist; i++)
		n += in->list[i] == t;
	return n;
}

/*
 * Does every use of what op i defines stand behind it, without a label between? `var`, or -1, must
 * not be assigned before the last of them. Any op that can fail may go to a handler.  A literal of
 * thousands of items has each item's temporary to its end, so nothing is walked that need not be.
 */
static bool
stays(const ir_func *f, const uint8_t *far, const census *n, uint32_t i, int32_t t, int32_t var)
{
	bool jumped = false, assigned = false;
	uint32_t left = n->uses[t];

	if (var < 0 && !far[t] && !n->counted[t])
		return true;
	for (uint32_t k = i + 1; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (in->op == IR_LABEL || (left == 0 && !far[t]))
			return !far[t];
		uint32_t uses = count_uses(in, t);
		if (uses > 0 && (assigned || in->op == IR_LOOP ||
					(var >= 0 && assigns(in, var) && in->op != IR_SETVAR)))
			return false;
		left -= uses;
		jumped |= in->op == IR_JMP;
		if (in->d == t || em_frees(in, t) || (ir_ops[in->op].flags & IR_TERM))
			return !jumped || !far[t];
		assigned |= var >= 0 && assigns(in, var);
		jumped |= jumps(in);
	}
	return !far[t];
}

/* Is the temporary that op i takes used by nothing else behind it? */
static bool
is_last_use(const ir_func *f, const uint8_t *far, uint32_t i, int32_t t)
{
	for (uint32_t k = i + 1; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (in->op == IR_LABEL)
			break;
		if (em_uses(in, t))
			return false;
		if (in->d == t)
			return true;
	}
	return !far[t];
}

/*
 * Is op i the only one that uses t, each time after another definition?  A jump back from behind i
 * to between would come by without one.
 */
static bool
is_only_use(const census *n, uint32_t i, int32_t t)
{
	return n->uses[t] == 1 && n->first[t] < i && n->back[i] <= n->first[t];
}

/* Does nothing use behind op i what its statement has put into t?  The number may be that of other
 * statements' temporaries too. */
static bool
ends_statement_of(const ir_func *f, const census *n, uint32_t i, int32_t t)
{
	uint32_t from = i;

	for (uint32_t k = i; k-- > 0 && f->ins[k].op != IR_POS;)
		if (f->ins[k].d == t)
			from = k;
	for (uint32_t k = i + 1; k < f->n && f->ins[k].d != t; k++)
		if (em_uses(&f->ins[k], t))
			return false;
	return from < i && n->back[i] <= from;
}

/* Does the op take what it uses away from the temporary? */
static bool
takes(const ir_func *f, const uint8_t *far, const census *n, uint32_t i)
{
	int32_t t = f->ins[i].a[0];

	if (t < 0 || t == f->ins[i].d)
		return false;
	return far[t] ? is_only_use(n, i, t) || ends_statement_of(f, n, i, t)
		      : is_last_use(f, far, i, t);
}

/* Is what the op copies made right in front, on the heap, or by a loop over few items?  Lists and
 * pipelines may be on the stack. */
static bool
is_fresh(const ir_func *f, uint32_t i)
{
	const ir_ins *made = &f->ins[i > 0 ? i - 1 : 0];

	if (made->d == f->ins[i].a[0])
		return made->op == IR_MAP || made->op == IR_CALL || made->op == IR_CALLM ||
		       made->op == IR_TURN || made->op == IR_SORT || made->op == IR_ATTR;
	while (made > f->ins && made->d != f->ins[i].a[0])
		made--;
	return made->op == IR_ROOM && made->d == f->ins[i].a[0];
}

uint8_t *
em_borrowed(em *e, const ir_func *f, int direct)
{
	uint8_t *b = vc_alloc(e->c, (size_t)f->n + 1);
	const uint8_t *far;
	census n;

	if (!vc_pass_on(e->c, BORROW) || (f->kind != IF_METHOD && (direct < 0 || e->is_query)))
		return b;
	far = em_far(e->c, f);
	n = count(e->c, f);
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (f->kind != IF_METHOD)
			b[i] = ((in->op == IR_ARG && in->i[0] > 0 && in->i[0] <= direct) ||
				       (in->op == IR_CONST && in->k.kind != IK_BIG)) &&
			       stays(f, far, &n, i, in->d, -1);
		else if (in->op == IR_SELF || (in->op == IR_CONST && in->k.kind != IK_BIG))
			b[i] = stays(f, far, &n, i, in->d, -1);
		else if (in->op == IR_VAR && !em_boxed(e, f))
			b[i] = stays(f, far, &n, i, in->d, in->var);
		else if (in->op == IR_FINAL || (in->op == IR_COPY && is_fresh(f, i)))
			b[i] = takes(f, far, &n, i);
	}
	return b;
}

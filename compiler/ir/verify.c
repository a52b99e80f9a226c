/* verify.c - the table of ops and the verifier.  The text form is text.c. */
#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "runtime/abi/vt.h"

#include <string.h>

const ir_opinfo ir_ops[IR_NOPS] = {
#define OP(sym, name, operands, group, result, flags, doc) \
	{name, operands, IR_G_##group, IR_R_##result, flags, doc},
#include "compiler/ir/ops.def"
#undef OP
};

const char *const ir_stages[IR_NSTAGES] = {
	[IR_STAGE_WHERE] = "where", [IR_STAGE_SELECT] = "select"};

/* One function under scrutiny. */
typedef struct check {
	vc *c;
	const ir_module *m;
	const ir_func *f;
	const uint8_t *labels; /* which labels are placed */
	uint32_t at;
	bool ok;
} check;

static void
fault(check *k, const char *what, long n)
{
	k->ok = false;
	vc_report(k->c, VC_E0901, (vc_span){0}, "invalid IR in %s, op %u (%s): %s %ld", k->f->name,
		k->at, k->at < k->f->n ? ir_ops[k->f->ins[k->at].op].name : "end", what, n);
}

static void
check_temp(check *k, int32_t t, bool absent_ok)
{
	if (t < (absent_ok ? -1 : 0) || t >= k->f->ntemps)
		fault(k, "no such temporary", t);
}

static void
check_label(check *k, int32_t l)
{
	bool leave = k->f->ins[k->at].op == IR_HANDLER && l == -1;

	if (!leave && (l < 0 || l >= k->f->nlabels || !k->labels[l]))
		fault(k, "no such label", l);
}

static void
check_func(check *k, const ir_func *f, bool absent_ok)
{
	if (f == NULL && !absent_ok)
		fault(k, "function is missing", 0);
}

/* Stages of a pipeline: known ones, each with its lambda. */
static void
check_pipe(check *k, const ir_ins *in)
{
	if (in->nstages != in->nfs || in->nstages == 0)
		fault(k, "stages without lambdas", in->nstages);
	for (uint32_t i = 0; i < in->nfs; i++)
		if (in->fs[i] != NULL && in->fs[i]->kind != IF_CODE)
			fault(k, "stage is no code", i);
}

/* A part of a sum: in front of its operands stands the sum so far. */
static bool
is_sum(const ir_ins *in)
{
	return in->op == IR_ADDON || in->op == IR_ADDUP;
}

/* Operands against the op's signature. */
static void
check_ins(check *k, const ir_ins *in)
{
	uint32_t na = 0;

	if (in->nlist > 0 && in->nfs > 0)
		fault(k, "temporaries beside functions", in->nfs);
	for (const char *s = ir_ops[in->op].sig; *s; s++)
		switch (*s) {
		case 'd': check_temp(k, in->d, false); break;
		case 'a':
			check_temp(k, in->a[na++],
				in->op == IR_CCHECK || in->op == IR_CCLASS ||
					in->op == IR_CTEMPLATE || in->op == IR_THROW ||
					in->op == IR_PARALLEL);
			break;
		case '*':
			for (uint32_t i = 0; i < in->nlist; i++)
				check_temp(k, in->list[i],
					in->op == IR_CALL || in->op == IR_CALLM ||
						(i == 0 && is_sum(in)));
			if (is_sum(in) && (in->nlist < 3 || in->nlist > VT_SUMMED + 1))
				fault(k, "operands of a sum", in->nlist);
			break;
		case 'v':
			if (in->var < 0 ||
				(uint32_t)in->var >= (k->f->base ? k->f->base : k->f)->nvars)
				fault(k, "no such variable", in->var);
			break;
		case 'l': check_label(k, in->label); break;
		case 'f': check_func(k, in->f, false); break;
		case 'F':
			for (uint32_t i = 0; i < in->nfs; i++)
				check_func(k, in->fs[i], in->op == IR_CLIST || in->op == IR_CDICT);
			break;
		case 's':
			if (in->site == NULL)
				fault(k, "call site is missing", 0);
			break;
		case 'n':
			if (in->name == NULL)
				fault(k, "name is missing", 0);
			break;
		}
	if (in->op == IR_PIPE)
		check_pipe(k, in);
	if (in->op == IR_CCHECK && in->nnames != in->nfs)
		fault(k, "a pattern needs a name and code", in->nnames);
	if (na != in->na)
		fault(k, "wrong number of operands", in->na);
}

static bool
check_body(vc *c, const ir_module *m, const ir_func *f)
{
	uint8_t *labels = vc_alloc(c, (size_t)f->nlabels + 1);
	check k = {.c = c, .m = m, .f = f, .labels = labels, .ok = true};

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_LABEL && f->ins[i].label >= 0 &&
			f->ins[i].label < f->nlabels)
			labels[f->ins[i].label]++;
	for (k.at = 0; k.at < f->n; k.at++) {
		if (f->ins[k.at].op >= IR_NOPS) {
			fault(&k, "unknown op", f->ins[k.at].op);
			return false;
		}
		check_ins(&k, &f->ins[k.at]);
	}
	for (int32_t l = 0; l < f->nlabels; l++)
		if (labels[l] > 1)
			fault(&k, "label placed twice", l);
	k.at = f->n ? f->n - 1 : 0;
	if (f->n == 0 || !(ir_ops[f->ins[f->n - 1].op].flags & IR_TERM))
		fault(&k, "function does not end in a terminator", f->n);
	for (int i = 0; i < 2; i++)
		if ((f->sides[0] == NULL) != (f->sides[i] == NULL) ||
			(f->sides[i] != NULL && f->sides[i]->kind != IF_CODE))
			fault(&k, "sides of an equation that are no code", i);
	if (f->kind == IF_METHOD && f->nparams > f->nvars)
		fault(&k, "more parameters than variables", f->nparams);
	return k.ok;
}

/* ---- nesting ----------------------------------------------------------------------------- */

/* Code is nested as its text was: expressions and YAML end far below that.  Code in itself, which
 * only IR that was written by hand can have, is deeper than anything. */
enum { MAX_NESTING = 500 };

static bool nests(ir_func *f, uint32_t level);

static bool
nests_within(ir_func *inner, uint32_t level, uint32_t *depth)
{
	if (inner == NULL)
		return true;
	if (!nests(inner, level + 1))
		return false;
	if (inner->depth >= *depth)
		*depth = inner->depth + 1;
	return true;
}

/* Sets the depth, and what is a stage; false: it is too deep.  What has its depth is not looked at
 * again. */
static bool
nests(ir_func *f, uint32_t level)
{
	uint32_t depth = 1;
	bool ok = level <= MAX_NESTING;

	if (f->depth > 0)
		return level + f->depth <= MAX_NESTING;
	for (uint32_t i = 0; i < f->n && ok; i++) {
		const ir_ins *in = &f->ins[i];
		ok = nests_within(in->f, level, &depth);
		for (uint32_t k = 0; k < in->nfs && ok; k++) {
			if (in->op == IR_PIPE && in->fs[k] != NULL)
				in->fs[k]->stage = true;
			ok = nests_within(in->fs[k], level, &depth);
		}
		for (uint32_t k = 0; in->site && k < in->site->nargs && ok; k++)
			ok = nests_within(in->site->args[k].code, level, &depth);
	}
	for (int i = 0; i < 2 && ok; i++)
		ok = nests_within(f->sides[i], level, &depth);
	if (ok)
		f->depth = depth;
	return ok;
}

static bool
check_nesting(vc *c, const ir_module *m)
{
	for (uint32_t i = 0; i < m->nfuncs; i++)
		m->funcs[i]->depth = 0;
	for (uint32_t i = 0; i < m->nfuncs; i++) {
		check k = {.c = c, .m = m, .f = m->funcs[i]};
		if (nests(m->funcs[i], 0))
			continue;
		fault(&k, "code nested in itself, or deeper than", MAX_NESTING);
		return false;
	}
	return true;
}

bool
ir_verify(vc *c, const ir_module *m)
{
	bool ok = true;

	for (uint32_t i = 0; i < m->nfuncs; i++)
		ok &= check_body(c, m, m->funcs[i]);
	return ok && check_nesting(c, m);
}

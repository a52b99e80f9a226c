/*
 * pipe.c - a chain of where() and select() as one iterator, whose stages are a table; see
 * runtime/seq/pipe.c.
 *
 * A `pipe` jumps to calls of its stages where the pipeline could be told from them.  In C it has no
 * second way: the table has the sites of the calls too, and the runtime makes them.
 */
#include "compiler/emit/int.h"
#include "runtime/core/value.h"

/* Whoever wants many items gets them by the table: are all stages lambda programs?  The last one
 * may be one for those who read all of its result. */
static bool
are_programs(em *e, const ir_ins *in)
{
	for (uint32_t i = 0; i < in->nstages; i++)
		if (!em_has_lambda_program(e, in->fs[i]) &&
			(i + 1 < in->nstages || !em_has_lambda_many(e, in->fs[i])))
			return false;
	return true;
}

static const char *
put_stages(em *e, const ir_ins *in)
{
	vt_buf b = {0};

	for (uint32_t i = 0; i < in->nstages; i++)
		vt_buf_printf(&b, "%s{%s, %d, %u, %s}", i ? ", " : "", em_code(e, in->fs[i]),
			in->stages[i] == IR_STAGE_WHERE, em_stage_lists(e, in, i),
			in->sites ? em_site(e, in->sites[i]) : "NULL");
	return em_table(e, "vt_pipe_stage", "pt", b);
}

/* Methods have a C function for each stage; libtcc would make slow code of those of an
 * expression. */
const char *
em_pipe(em *e, const ir_ins *in, const char *names)
{
	const char *name = in->stages[in->nstages - 1] == IR_STAGE_WHERE ? "filter" : "map";
	const char *stages = put_stages(e, in);
	bool bulk = vc_pass_on(e->c, LAMBDA_PROGRAMS) && are_programs(e, in);
	uint32_t n = e->serial++;

	if (e->is_query)
		vt_buf_printf(&e->tables,
			"static const vt_pipe_ops po%u = {{NULL, NULL, \"%s\", 0, NULL}, %u, "
			"%s};\n",
			n, name, in->nstages, stages);
	else
		vt_buf_printf(&e->tables,
			"static const vt_pipe_ops po%u = {{vt_pipe_each, %s, \"%s\", 0, %s}, %u, "
			"%s, "
			"%s, %s};\n",
			n, bulk ? "vt_pipe_drop_pull" : "NULL", name,
			bulk ? "vt_pipe_bulk" : "NULL", in->nstages, stages, e->unit,
			names ? names : "NULL");
	return vc_format(e->c, "&po%u", n);
}

/* The calls of a pipe's stages from op i on, each on what the one before has made: where what the
 * last one makes is copied; or 0. */
static uint32_t
behind_calls(const ir_func *f, const ir_ins *pipe, uint32_t i, ir_site **sites)
{
	int32_t at = pipe->a[0];

	for (uint32_t k = 0; k < pipe->nstages; k++, i++) {
		const ir_ins *in = &f->ins[i];
		if (i >= f->n || in->op != IR_CALLM || in->a[0] != at || in->nlist != 1 ||
			in->list[0] >= 0 || in->site->args[0].code != pipe->fs[k])
			return 0;
		sites[k] = in->site;
		at = in->d;
	}
	return i + 1 < f->n && f->ins[i].op == IR_COPY && f->ins[i].a[0] == at ? i : 0;
}

/* How many ops lead to each label. */
static uint32_t *
count_jumps(em *e, const ir_func *f)
{
	uint32_t *jumps = vc_alloc(e->c, ((size_t)f->nlabels + 1) * sizeof *jumps);

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op != IR_LABEL && f->ins[i].label >= 0)
			jumps[f->ins[i].label]++;
	return jumps;
}

/* Does a jump lead to the label from outside of the ops [from, to)? */
static bool
is_joined(const ir_func *f, const uint32_t *jumps, int32_t label, uint32_t from, uint32_t to)
{
	uint32_t inside = 0;

	for (uint32_t i = from; i < to; i++)
		inside += f->ins[i].op != IR_LABEL && f->ins[i].label == label;
	return jumps[label] > inside;
}

/* %1 = pipe ... or l0; %0 = copy %1; jmp l1; label l0; calls; %0 = copy %3; label l1: where the
 * last label is; or 0. Makes one op of them. */
static uint32_t
one_way(em *e, const ir_func *f, const uint32_t *jumps, uint32_t i, ir_ins *made)
{
	const ir_ins *in = &f->ins[i];
	uint32_t end;

	if (in->op != IR_PIPE || i + 4 >= f->n || in[1].op != IR_COPY || in[1].a[0] != in->d ||
		in[2].op != IR_JMP || in[3].op != IR_LABEL || in[3].label != in->label)
		return 0;
	*made = *in;
	made->sites = vc_alloc(e->c, in->nstages * sizeof *made->sites);
	made->label = -1;
	made->d = in[1].d;
	end = behind_calls(f, in, i + 4, made->sites) + 1;
	if (end > 1 && end < f->n && f->ins[end].op == IR_LABEL && f->ins[end - 1].d == made->d &&
		f->ins[end].label == in[2].label && !is_joined(f, jumps, in->label, i, end) &&
		!is_joined(f, jumps, in[2].label, i, end))
		return end;
	*made = *in;
	return 0;
}

bool
em_behind_few(const ir_func *f, uint32_t i)
{
	if (i > 0 && f->ins[i - 1].op == IR_LABEL)
		i--;
	return i > 0 && f->ins[i - 1].op == IR_FEW;
}

/* %0 = pipe ...; %1 = callm %0 [_..] ..; %2 = copy %1, beside a loop for few items, and nothing
 * that is evaluated goes along: the copy; or 0.  The pipe makes the call too. */
static uint32_t
with_call(const ir_func *f, uint32_t i, uint32_t end, ir_ins *made)
{
	const ir_ins *call = &f->ins[end + 1], *copy = call + 1;

	if (!em_behind_few(f, i) || end + 2 >= f->n || call->op != IR_CALLM ||
		call->a[0] != made->d || copy->op != IR_COPY || copy->a[0] != call->d ||
		call->nlist > VT_MOST_CONSTANT)
		return 0;
	for (uint32_t k = 0; k < call->nlist; k++)
		if (call->list[k] >= 0 || call->site->args[k].code)
			return 0;
	made->d = copy->d;
	made->site = call->site;
	return end + 2;
}

/* %1 = putattr ...; jdone %1, l0; badthis; label l0: a write below $this, which leaves nothing to
 * assign.  Where the label is; or 0. */
static uint32_t
last_put(em *e, const ir_func *f, const uint32_t *jumps, uint32_t i, ir_ins *made)
{
	const ir_ins *in = &f->ins[i];

	if (in->op != IR_PUTATTR || i + 3 >= f->n || in[1].op != IR_JDONE || in[1].a[0] != in->d ||
		in[2].op != IR_BADTHIS || in[3].op != IR_LABEL || in[3].label != in[1].label ||
		is_joined(f, jumps, in[1].label, i, i + 3))
		return 0;
	made->d = -1;
	made->names = vc_alloc(e->c, sizeof *made->names);
	made->names[0] = in[2].name;
	return i + 3;
}

ir_body
em_one_way(em *e, ir_func *f)
{
	ir_body was = {f->ins, f->n}, now = {vc_alloc(e->c, (was.n + 1) * sizeof *f->ins), 0};
	uint32_t end, more, *jumps;

	if (e->is_query || e->c->noted) /* the notes of a pass are about the ops that there are */
		return was;
	jumps = count_jumps(e, f);
	for (uint32_t i = 0; i < was.n; i++) {
		now.ins[now.n] = was.ins[i];
		end = one_way(e, f, jumps, i, &now.ins[now.n]);
		if (end > 0 && (more = with_call(f, i, end, &now.ins[now.n])) > 0)
			end = more;
		end = end ? end : last_put(e, f, jumps, i, &now.ins[now.n]);
		now.n++;
		if (end > 0)
			i = end;
	}
	f->ins = now.ins;
	f->n = now.n;
	return was;
}

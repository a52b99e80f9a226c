/* pipe.c - a chain of where() and select() as one iterator whose next() is one loop; see
 * runtime/seq/pipe.c. */
#include "compiler/emit/int.h"

/* x is the item, h what keeps it alive unless the list does. */
static void
put_stage(em *e, enum ir_stage stage, const ir_func *f)
{
	vt_buf *b = &e->pipes;
	int n = em_direct_args(e, f);

	if (n == 0 || n == 1)
		vt_buf_printf(b, "\t\tif ((st = %s(rt, sc, &x, &y)) != VT_OK) break;\n",
			em_direct_name(e, f));
	else
		vt_buf_printf(b,
			"\t\tif ((st = vt_code_apply(rt, %s, sc, x, &y)) != VT_OK) break;\n",
			em_code(e, f));
	if (stage == IR_STAGE_WHERE)
		vt_buf_puts(b, "\t\tif (!vt_is_true(y)) { vt_release(y); vt_clear(&h); continue; } "
			       "vt_release(y);\n");
	else
		vt_buf_puts(b, "\t\tvt_release(h); h = x = y;\n");
}

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

static void
put_stages(em *e, const ir_ins *in, uint32_t n)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "static const vt_pipe_stage pt%u[] = {", n);
	for (uint32_t i = 0; i < in->nstages; i++)
		vt_buf_printf(&b, "%s{%s, %d}", i ? ", " : "", em_code(e, in->fs[i]),
			in->stages[i] == IR_STAGE_WHERE);
	vt_buf_puts(&b, "};\n");
	vt_buf_put(&e->tables, b.p, b.n);
	vt_buf_free(&b);
}

static void
put_loop(em *e, const ir_ins *in, uint32_t n)
{
	vt_buf *b = &e->pipes;

	vt_buf_printf(
		&e->protos, "static vt_status p%u(vt_rt *rt, vt_iter *it, vt_value *out);\n", n);
	vt_buf_printf(b,
		"static vt_status p%u(vt_rt *rt, vt_iter *it, vt_value *out) {\n"
		"\tvt_scope *sc = (vt_scope *)(uintptr_t)it->v[1];\n"
		"\tvt_value x = VT_UNDEF, h = VT_UNDEF, y; vt_status st;\n"
		"\twhile ((st = vt_pipe_next(rt, it, &h, &x)) == VT_OK && x != VT_UNDEF) {\n",
		n);
	for (uint32_t i = 0; i < in->nstages; i++)
		put_stage(e, in->stages[i], in->fs[i]);
	vt_buf_puts(b, "\t\t*out = h == VT_UNDEF ? vt_copy(x) : h; return VT_OK;\n\t}\n"
		       "\tvt_release(h); *out = VT_UNDEF; return st;\n}\n\n");
}

/* libtcc would make slow code of the loop of an expression. */
const char *
em_pipe(em *e, const ir_ins *in)
{
	uint32_t n = e->serial++;
	bool table = vc_pass_on(e->c, LAMBDA_PROGRAMS) && (e->is_query || are_programs(e, in)),
	     loop = !table || !e->is_query;
	const char *name = in->stages[in->nstages - 1] == IR_STAGE_WHERE ? "filter" : "map";

	if (loop)
		put_loop(e, in, n);
	if (table)
		put_stages(e, in, n);
	vt_buf_printf(&e->tables,
		"static const vt_pipe_ops po%u = {{%s, %s, \"%s\", 0, %s}, %u, %s};\n", n,
		loop ? vc_format(e->c, "p%u", n) : "NULL",
		loop && table ? "vt_pipe_drop_pull" : "NULL", name,
		loop && table ? "vt_pipe_bulk" : "NULL", table ? in->nstages : 0,
		table ? vc_format(e->c, "pt%u", n) : "NULL");
	return vc_format(e->c, "&po%u.ops", n);
}

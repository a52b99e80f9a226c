/*
 * emit_code.c - the functions of lower.c as C: one function an expression, called by
 * the engine where it would walk the expression's rows.
 *
 * All temporaries are evaluated, whether others before them are known or not, so that each call
 * reports its problems as it does when rows are walked; what is unknown is VT_UNDEF and makes what
 * uses it unknown.
 */
#include "compiler/emit/int.h"
#include "compiler/tosca/emit.h"

#include <string.h>

/* C functions by row of vt_tfuncs. */
static const char *const symbols[] = {
	"",
#define GROUP(title)
#define FN(name, versions, clause, min, max, flags, fn, args, doc, example) #fn,
#include "runtime/tosca/fn.def"
#undef FN
#undef GROUP
};

typedef struct unit {
	em e; /* constants only */
	const vt_tmodel *m;
	const ir_func *f;
	uint32_t file; /* of the function, in model->file */
	vt_buf *b;
	bool *declared; /* by row of vt_tfuncs */
} unit;

static void
put_operands(unit *u, const ir_ins *in)
{
	if (!in->nlist) {
		vt_buf_puts(u->b, "\t\t");
		return;
	}
	vt_buf_puts(u->b, "\t\tvt_value a[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(u->b, "%sv[%d]", i ? ", " : "", in->list[i]);
	vt_buf_puts(u->b, "};\n\t\t");
}

static const char *
operands(const ir_ins *in)
{
	return in->nlist ? "a" : "NULL";
}

static void
put_call(unit *u, const ir_ins *in)
{
	uint32_t fn = (uint32_t)in->i[0], at = (uint32_t)in->i[1];
	bool custom = fn & VT_TX_CUSTOM || fn >= VC_LEN(symbols);
	vt_buf_puts(u->b, "\t{ ");
	ct_comment(u->b, in->name, 0);
	vt_buf_printf(u->b, "\t\tstatic const vt_tcall c = {%u, {%u, %u}};\n", fn, u->file, at);
	put_operands(u, in);
	vt_buf_printf(u->b, "vt_tosca_call(t, ctx, &c, %s, %s, %u, &v[%d]);\n\t}\n",
		custom ? "NULL" : symbols[fn], operands(in), in->nlist, in->d);
}

static void
put_ins(unit *u, const ir_ins *in)
{
	switch (in->op) {
	case IR_CONST:
		vt_buf_printf(u->b, "\tv[%d] = %s;\n", in->d, em_value(&u->e, &in->k));
		return;
	case IR_TCALL: put_call(u, in); return;
	case IR_LIST:
		vt_buf_puts(u->b, "\t{\n");
		put_operands(u, in);
		vt_buf_printf(u->b, "vt_tosca_make_list(t, %s, %u, &v[%d]);\n\t}\n", operands(in),
			in->nlist, in->d);
		return;
	case IR_MAP:
		vt_buf_puts(u->b, "\t{\n\t\tvt_tplace at = {");
		vt_buf_printf(u->b, "%u, %u};\n", u->file, u->f->at);
		put_operands(u, in);
		vt_buf_printf(u->b, "vt_tosca_make_map(t, at, %s, %u, &v[%d]);\n\t}\n",
			operands(in), in->nlist, in->d);
		return;
	case IR_RET:
		vt_buf_printf(u->b, "\t*out = v[%d];\n\tv[%d] = VT_UNDEF;\n", in->a[0], in->a[0]);
		return;
	}
	vc_report(u->e.c, VC_E0901, (vc_span){0}, "no code for the op %s", ir_ops[in->op].name);
}

static void
put_prototypes(unit *u)
{
	for (uint32_t i = 0; i < u->f->n; i++) {
		const ir_ins *in = &u->f->ins[i];
		if (in->op != IR_TCALL || in->i[0] >= (int64_t)VC_LEN(symbols) ||
			u->declared[in->i[0]])
			continue;
		u->declared[in->i[0]] = true;
		vt_buf_printf(u->b,
			"_Bool %s(struct vt_tosca *, const struct vt_tctx *, const vt_value *, "
			"uint32_t, vt_value *);\n",
			symbols[in->i[0]]);
	}
}

static void
put_function(unit *u, uint32_t number)
{
	const ir_func *f = u->f;
	put_prototypes(u);
	ct_comment(u->b, f->name, 0);
	vt_buf_printf(u->b,
		"static _Bool\nx%u(struct vt_tosca *t, const struct vt_tctx *ctx, vt_value "
		"*out)\n{\n",
		number);
	vt_buf_printf(u->b,
		"\tvt_value v[%d];\n\tfor (int i = 0; i < %d; i++)\n\t\tv[i] = VT_UNDEF;\n",
		f->ntemps, f->ntemps);
	for (uint32_t i = 0; i < f->n; i++)
		put_ins(u, &f->ins[i]);
	vt_buf_printf(
		u->b, "\tvt_tosca_release(v, %d);\n\treturn *out != VT_UNDEF;\n}\n", f->ntemps);
}

void
tosca_emit_code(struct tosca *t, const vt_tmodel *m, tosca_code *code, vt_buf *out)
{
	vt_buf body = {0};
	unit u = {.e = {.c = t->c}, .m = m, .b = &body};
	u.declared = vc_alloc(t->c, VC_LEN(symbols) * sizeof *u.declared);
	for (uint32_t i = 0; i < code->n; i++) {
		u.f = code->fn[i];
		u.file = u.f->unit->index;
		put_function(&u, i);
	}
	for (uint32_t i = 0; i < m->n_expr; i++)
		if (code->by_expr[i])
			code->n_coded = i + 1;
	vt_buf_put(out, u.e.consts.p ? u.e.consts.p : "", u.e.consts.n);
	vt_buf_put(out, body.p ? body.p : "", body.n);
	vt_buf_puts(out, "static const vt_tcode code[] = {");
	for (uint32_t i = 0; i < code->n; i++)
		vt_buf_printf(out, "x%u, ", i);
	vt_buf_puts(out, "NULL};\nstatic const uint32_t coded[] = {");
	for (uint32_t i = 0; i < code->n_coded; i++)
		vt_buf_printf(out, "%u,%s", code->by_expr[i], i % 32 == 31 ? "\n" : "");
	vt_buf_puts(out, "0};\n");
	vt_buf_free(&u.e.consts);
	vt_buf_free(&body);
}

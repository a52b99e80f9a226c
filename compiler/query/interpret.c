/*
 * interpret.c - runs the image of an expression (emit/image.h): one function an op.
 *
 * An op does what its C would do (emit/op.c, emit/call.c), with the same calls of the runtime.
 * Temporaries hold a count each; what is left of them goes when the code ends.
 */
#include "compiler/query/interpret.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

enum {
	ON_STACK = 64,    /* temporaries that the frame has room for */
	HOT_AFTER = 20000 /* instructions; then compiling would have paid */
};

struct im_frame {
	vt_rt *rt;
	vt_scope *sc;
	const vt_value *args; /* of a direct call; or NULL */
	vt_value *t, *out;
	const im_ins *first, *next; /* next: NULL when the code has returned */
	const vt_unit *unit;
	uint32_t ntemps;
};

static inline vt_ic *
cache(const im_frame *f, const im_ins *in)
{
	return vt_ic_at(f->rt, in->ic);
}

static inline vt_value
temp(const im_frame *f, int32_t t)
{
	return t < 0 ? VT_NULL : f->t[t];
}

/* A temporary may be defined again where two ways meet. */
static inline vt_status
define(im_frame *f, const im_ins *in, vt_value v)
{
	vt_move(&f->t[in->d], v);
	return VT_OK;
}

static inline vt_status
jump(im_frame *f, const im_ins *in)
{
	f->next = f->first + in->to;
	return VT_OK;
}

/* ---- marks and values ---- */

static vt_status
op_none(im_frame *f, const im_ins *in)
{
	(void)f;
	(void)in;
	return VT_OK;
}

static vt_status
op_free(im_frame *f, const im_ins *in)
{
	int64_t end = in->u.range[1];

	if (end < 0 || end > f->ntemps)
		end = f->ntemps;
	for (int64_t t = in->u.range[0]; t < end; t++)
		vt_clear(&f->t[t]);
	return VT_OK;
}

static vt_status
op_const(im_frame *f, const im_ins *in)
{
	vt_value v = in->k;

	if (v == VT_UNDEF)
		VT_TRY(vt_big_const(f->rt, in->u.digits, &v));
	return define(f, in, v);
}

static vt_status
op_self(im_frame *f, const im_ins *in)
{
	return define(f, in, vt_copy(f->sc->self));
}

static vt_status
op_arg(im_frame *f, const im_ins *in)
{
	return define(f, in, vt_copy(f->args ? f->args[in->n - 1] : vt_scope_arg(f->sc, in->n)));
}

static vt_status
op_dyn(im_frame *f, const im_ins *in)
{
	return define(f, in, vt_copy(vt_scope_get(f->rt, f->sc, in->u.name)));
}

static vt_status
op_copy(im_frame *f, const im_ins *in)
{
	return define(f, in, vt_copy(temp(f, in->a[0])));
}

static vt_status
op_attr(im_frame *f, const im_ins *in)
{
	vt_value a = temp(f, in->a[0]), v = VT_UNDEF;

	if (!vt_attr_fast(cache(f, in), a, &v))
		VT_TRY(vt_attr(f->rt, f->sc, in->u.site, a, &v));
	return define(f, in, v);
}

static vt_status
op_typeref(im_frame *f, const im_ins *in)
{
	vt_value v = VT_UNDEF;

	VT_TRY(vt_typeref_ic(f->rt, f->unit, in->u.name, cache(f, in), &v));
	return define(f, in, v);
}

static vt_status
op_final(im_frame *f, const im_ins *in)
{
	vt_value v = VT_UNDEF;

	VT_TRY(vt_final_fast(f->rt, f->unit, temp(f, in->a[0]), &v));
	return define(f, in, v);
}

/* ---- what takes many temporaries ---- */

enum { LISTED = 16 };

typedef struct listed {
	vt_value few[LISTED], *v;
} listed;

/* The values of the list, borrowed; `absent` where there is none. */
static vt_value *
values(const im_frame *f, const im_ins *in, vt_value absent, listed *l)
{
	l->v = in->n <= LISTED ? l->few : vt_xmalloc(in->n * sizeof *l->v);
	for (uint32_t i = 0; i < in->n; i++)
		l->v[i] = in->list[i] < 0 ? absent : f->t[in->list[i]];
	return l->v;
}

static vt_status
made_of(im_frame *f, const im_ins *in, listed *l, vt_status st, vt_value v)
{
	if (l->v != l->few)
		free(l->v);
	return st == VT_OK ? define(f, in, v) : st;
}

static vt_status
op_list(im_frame *f, const im_ins *in)
{
	listed l;
	vt_value v = VT_UNDEF;
	vt_status st = vt_tuple_of(f->rt, in->n, values(f, in, VT_NULL, &l), &v);

	return made_of(f, in, &l, st, v);
}

static vt_status
op_map(im_frame *f, const im_ins *in)
{
	listed l;
	vt_value v = VT_UNDEF, *pairs = values(f, in, VT_NULL, &l);
	vt_status st = in->k == VT_TRUE ? vt_record_of(f->rt, cache(f, in), in->n / 2, pairs, &v)
					: vt_dict_of(f->rt, in->n / 2, pairs, &v);

	return made_of(f, in, &l, st, v);
}

static vt_status
call(im_frame *f, const im_ins *in, vt_value receiver)
{
	listed l;
	vt_value v = VT_UNDEF, *args = values(f, in, VT_UNDEF, &l);
	vt_status st = vt_call(f->rt, f->sc, in->u.site, receiver, args, &v);

	return made_of(f, in, &l, st, v);
}

static vt_status
op_call(im_frame *f, const im_ins *in)
{
	return call(f, in, VT_UNDEF);
}

static vt_status
op_callm(im_frame *f, const im_ins *in)
{
	return call(f, in, temp(f, in->a[0]));
}

static vt_status
op_context(im_frame *f, const im_ins *in)
{
	vt_value v = VT_UNDEF;

	VT_TRY(vt_with_context(f->rt, f->sc, in->u.site, temp(f, in->a[0]), in->code, &v));
	return define(f, in, v);
}

static vt_status
op_refuse(im_frame *f, const im_ins *in)
{
	return vt_refuse(f->rt, f->sc, in->u.site, temp(f, in->a[0]));
}

/* ---- operators ---- */

static vt_status
binary(im_frame *f, const im_ins *in, enum vt_binop op)
{
	vt_value v = VT_UNDEF;

	VT_TRY(vt_binary(f->rt, f->sc, op, in->u.site, temp(f, in->a[0]), temp(f, in->a[1]), &v));
	return define(f, in, v);
}

#define ARITHMETIC(name, fast, op) \
	static vt_status op_##name(im_frame *f, const im_ins *in) \
	{ \
		vt_value a = temp(f, in->a[0]), b = temp(f, in->a[1]), v = VT_UNDEF; \
		return fast(a, b, &v) ? define(f, in, v) : binary(f, in, op); \
	}
ARITHMETIC(add, vt_add_fast, VT_OP_ADD)
ARITHMETIC(sub, vt_sub_fast, VT_OP_SUB)
ARITHMETIC(mul, vt_mul_fast, VT_OP_MUL)
ARITHMETIC(div, vt_div_fast, VT_OP_DIV)
ARITHMETIC(mod, vt_mod_fast, VT_OP_MOD)

#define COMPARISON(name, sign, op) \
	static vt_status op_##name(im_frame *f, const im_ins *in) \
	{ \
		vt_value a = temp(f, in->a[0]), b = temp(f, in->a[1]); \
		return vt_both_int(a, b) ? define(f, in, vt_mkbool((int64_t)a sign(int64_t) b)) \
					 : binary(f, in, op); \
	}
COMPARISON(lt, <, VT_OP_LT)
COMPARISON(le, <=, VT_OP_LE)
COMPARISON(gt, >, VT_OP_GT)
COMPARISON(ge, >=, VT_OP_GE)

static bool
are_equal(const im_frame *f, const im_ins *in)
{
	vt_value a = temp(f, in->a[0]), b = temp(f, in->a[1]);

	return vt_both_int(a, b) ? a == b : vt_equal(f->rt, a, b);
}

static vt_status
op_eq(im_frame *f, const im_ins *in)
{
	return define(f, in, vt_mkbool(are_equal(f, in)));
}

static vt_status
op_ne(im_frame *f, const im_ins *in)
{
	return define(f, in, vt_mkbool(!are_equal(f, in)));
}

static vt_status
op_not(im_frame *f, const im_ins *in)
{
	vt_value v = temp(f, in->a[0]);

	return define(f, in, vt_mkbool(!vt_is_true(v)));
}

/* ---- where control goes ---- */

static vt_status
op_jmp(im_frame *f, const im_ins *in)
{
	return jump(f, in);
}

static vt_status
op_jtrue(im_frame *f, const im_ins *in)
{
	vt_value v = temp(f, in->a[0]);

	return vt_is_true(v) ? jump(f, in) : VT_OK;
}

static vt_status
op_jfalse(im_frame *f, const im_ins *in)
{
	vt_value v = temp(f, in->a[0]);

	return vt_is_true(v) ? VT_OK : jump(f, in);
}

static vt_status
op_jnull(im_frame *f, const im_ins *in)
{
	return temp(f, in->a[0]) == VT_NULL ? jump(f, in) : VT_OK;
}

static vt_status
op_pipe(im_frame *f, const im_ins *in)
{
	vt_value v = VT_UNDEF;

	VT_TRY(vt_pipe(f->rt, f->sc, f->unit, in->u.pipe, temp(f, in->a[0]), &v));
	(void)define(f, in, v);
	return v == VT_UNDEF ? jump(f, in) : VT_OK;
}

static vt_status
op_ret(im_frame *f, const im_ins *in)
{
	*f->out = f->t[in->a[0]];
	f->t[in->a[0]] = VT_UNDEF;
	f->next = NULL;
	return VT_OK;
}

static im_op *const ops[IR_NOPS] = {
	[IR_LABEL] = op_none,
	[IR_FREE] = op_free,
	[IR_POS] = op_none,
	[IR_HANDLER] = op_none,
	[IR_CONST] = op_const,
	[IR_SELF] = op_self,
	[IR_ARG] = op_arg,
	[IR_DYN] = op_dyn,
	[IR_ADD] = op_add,
	[IR_SUB] = op_sub,
	[IR_MUL] = op_mul,
	[IR_DIV] = op_div,
	[IR_MOD] = op_mod,
	[IR_LT] = op_lt,
	[IR_LE] = op_le,
	[IR_GT] = op_gt,
	[IR_GE] = op_ge,
	[IR_EQ] = op_eq,
	[IR_NE] = op_ne,
	[IR_NOT] = op_not,
	[IR_COPY] = op_copy,
	[IR_ATTR] = op_attr,
	[IR_LIST] = op_list,
	[IR_MAP] = op_map,
	[IR_CALL] = op_call,
	[IR_CALLM] = op_callm,
	[IR_REFUSE] = op_refuse,
	[IR_CONTEXT] = op_context,
	[IR_TYPEREF] = op_typeref,
	[IR_FINAL] = op_final,
	[IR_JMP] = op_jmp,
	[IR_JTRUE] = op_jtrue,
	[IR_JFALSE] = op_jfalse,
	[IR_JNULL] = op_jnull,
	[IR_PIPE] = op_pipe,
	[IR_RET] = op_ret,
};

/* ---- one code ---- */

static vt_status
steps(im_frame *f)
{
	vt_status st = VT_OK;

	while (f->next != NULL) {
		const im_ins *in = f->next++;

		st = in->run(f, in);
		if (likely(st == VT_OK))
			continue;
		if (in->fail == IM_OUT)
			break;
		f->next = f->first + in->fail;
	}
	for (uint32_t t = 0; t < f->ntemps; t++)
		vt_release(f->t[t]);
	return st;
}

/* Once, and never again: whatever comes of it. */
static void
report_work(im_image *m, uint32_t n)
{
	void (*hot)(im_image *) = m->hot;

	m->work += n;
	if (likely(m->work < HOT_AFTER) || hot == NULL)
		return;
	m->hot = NULL;
	hot(m);
}

static vt_status
run(vt_rt *rt, const vt_code *code, vt_scope *sc, const vt_value *args, vt_value *out)
{
	const im_body *b = (const im_body *)code->body;
	vt_value few[ON_STACK];
	im_frame f = {.rt = rt,
		.sc = sc,
		.args = args,
		.t = b->ntemps <= ON_STACK ? few : vt_xmalloc(b->ntemps * sizeof *f.t),
		.out = out,
		.first = b->ins,
		.next = b->ins,
		.unit = code->unit,
		.ntemps = b->ntemps};
	vt_status st;

	for (uint32_t t = 0; t < b->ntemps; t++)
		f.t[t] = VT_UNDEF;
	report_work(b->image, b->n);
	st = steps(&f);
	if (f.t != few)
		free(f.t);
	return st;
}

const im_interpreter qi_interpreter = {ops, {run}};

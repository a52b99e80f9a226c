/*
 * emit_expr.c - one expression of Yay as C: whole numbers inline, texts through helpers, the
 * rest left to the rows.
 *
 * A function has the labels fail, for what failed with a message, and rows, for what it was not
 * made for.  Values that it owns are variables of their own and released at its end, wherever it
 * goes there from.
 */
#include "compiler/yay/emit.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100, HEAVIEST = 400 };

static yx_val
fresh(yx *x, bool shape, bool owned, uint32_t row)
{
	yx_val v = {shape, owned, row, ""};
	uint32_t n = shape ? ++x->nshapes : owned ? ++x->nvalues : ++x->nborrowed;

	snprintf(v.name, sizeof v.name, "%c%u", shape ? 't' : owned ? 'v' : 'b', n);
	return v;
}

/* A shape by a call that may fail. */
static yx_val VT_PRINTF(3, 4) called(yx *x, uint32_t row, const char *fmt, ...)
{
	yx_val v = fresh(x, true, false, row);
	va_list ap;

	yx_put(x, "%s = ", v.name);
	va_start(ap, fmt);
	yx_vput(x, fmt, ap);
	va_end(ap);
	yx_put(x, ";\nif (!%s) goto %s;\n", v.name, x->fail);
	return v;
}

static yx_val
by_rows(yx *x, uint32_t row)
{
	return called(x, row, "vt_yay_rows(s, d, %u, f)", row);
}

/* The scalar of a shape: not secret, or the rows see to it. */
static yx_val
scalar(yx *x, yx_val v)
{
	yx_val b;

	if (!v.shape)
		return v;
	b = fresh(x, false, false, v.row);
	yx_put(x, "if (!vt_yay_plain(%s)) goto rows;\n%s = %s->value;\n", v.name, b.name, v.name);
	return b;
}

yx_val
yx_shape(yx *x, yx_val v)
{
	yx_val t;

	if (v.shape)
		return v;
	t = fresh(x, true, false, v.row);
	if (v.owned)
		yx_put(x, "%s = vt_yay_box(s, d, %u, %s); %s = VT_UNDEF;\n", t.name, v.row, v.name,
			v.name);
	else
		yx_put(x, "%s = vt_yay_box(s, d, %u, vt_copy(%s));\n", t.name, v.row, v.name);
	yx_put(x, "if (%s == VT_YAY_UNUSUAL) goto rows;\n", t.name);
	return t;
}

/* ---- names, members, constants ---- */

static void
frame(char *to, size_t room, uint32_t hops)
{
	size_t n = (size_t)snprintf(to, room, "f");

	while (hops-- > 0 && n + 5 < room)
		n += (size_t)snprintf(to + n, room - n, "->up");
}

static yx_val
name(yx *x, uint32_t row)
{
	const yay_bind *b = &x->bind[row];
	char f[160];
	yx_val v;

	if (b->kind == YB_NONE || b->hops > 30)
		return called(x, row, "vt_yay_name(s, d, %u, f)", row);
	frame(f, sizeof f, b->hops);
	if (b->kind == YB_VAR)
		return called(x, row, "vt_yay_var(s, d, %u, f, %s, %u)", row, f, b->slot);
	v = called(x, row, "vt_yay_set(s, d, %u, %s, %u)", row, f, b->slot);
	yx_put(x, "if (%s == VT_YAY_UNUSUAL) goto rows;\n", v.name);
	return v;
}

/* Numbers that are immediate; the others are one shape a document. */
static yx_val
number(yx *x, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	const uint32_t *at = &x->d->str[r->a];
	uint32_t n = at[1] - at[0];
	yx_val v = {false, false, row, ""};

	if ((r->flag & YAY_FLOAT) || n > 17 || n == 0)
		return called(x, row, "vt_yay_const(s, d, %u)", row);
	snprintf(v.name, sizeof v.name, "vt_mkint(%lld)",
		strtoll(vc_strndup(x->c, x->d->chars + at[0], n), NULL, 10));
	return v;
}

static yx_val
text(yx *x, uint32_t row)
{
	yx_val v = fresh(x, false, false, row);

	yx_put(x, "%s = vt_yay_str(s, d, %u);\n", v.name, YROW(x, row)->a);
	return v;
}

static yx_val
member(yx *x, uint32_t row)
{
	yx_val of = yx_shape(x, yx_expr(x, YROW(x, row)->a));

	return called(x, row, "vt_yay_attr(s, d, %u, %s)", row, of.name);
}

static yx_val
item(yx *x, uint32_t row)
{
	yx_val of = yx_shape(x, yx_expr(x, YROW(x, row)->a)),
	       key = scalar(x, yx_expr(x, YROW(x, row)->b));

	return called(x, row, "vt_yay_item(s, d, %u, %s, %s)", row, of.name, key.name);
}

/* ---- operators ---- */

static yx_val
sum(yx *x, uint32_t row, yx_val a, yx_val b)
{
	yx_val p = scalar(x, a), q = scalar(x, b), out = fresh(x, false, true, row);

	yx_put(x,
		"if (!vt_add_fast(%s, %s, &%s) && !vt_yay_plus(s, %s, %s, %s, %s, &%s)) goto "
		"rows;\n",
		p.name, q.name, out.name, a.shape ? a.name : "0", p.name, b.shape ? b.name : "0",
		q.name, out.name);
	return out;
}

static const char *
inline_of(int op)
{
	switch (op) {
	case '-': return "vt_sub_fast";
	case '*': return "vt_yay_mul";
	case '%': return "vt_yay_mod";
	case YAY_OP_FLOORDIV: return "vt_yay_floordiv";
	}
	return NULL;
}

static yx_val
binary(yx *x, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	yx_val a = yx_expr(x, r->a), b = yx_expr(x, r->b), out;

	if (r->op == '+')
		return sum(x, row, a, b);
	a = scalar(x, a), b = scalar(x, b);
	out = fresh(x, false, true, row);
	yx_put(x, "if (");
	if (inline_of(r->op))
		yx_put(x, "!%s(%s, %s, &%s) && ", inline_of(r->op), a.name, b.name, out.name);
	yx_put(x, "!vt_yay_arith(s, %u, %s, %s, &%s)) goto rows;\n", r->op, a.name, b.name,
		out.name);
	return out;
}

static yx_val
unary(yx *x, uint32_t row)
{
	yx_val a = scalar(x, yx_expr(x, YROW(x, row)->a)), out = fresh(x, false, true, row);

	yx_put(x, "if (!vt_yay_unary(s, %u, %s, &%s)) goto rows;\n", YROW(x, row)->op, a.name,
		out.name);
	return out;
}

/* What is a number; whole ones need nobody. */
static yx_val
numeric(yx *x, yx_val v, uint32_t row)
{
	yx_val a = scalar(x, v), out = fresh(x, false, true, row);

	yx_put(x, "if (vt_yay_int(%s)) %s = %s;\nelse if (!vt_yay_num(s, %s, &%s)) goto rows;\n",
		a.name, out.name, a.name, a.name, out.name);
	return out;
}

static yx_val
junction(yx *x, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	yx_val a = numeric(x, yx_expr(x, r->a), row), b;

	yx_put(x, "if (%svt_is_true(%s)) {\n", r->kind == YAY_OR ? "!" : "", a.name);
	b = numeric(x, yx_expr(x, r->b), row);
	yx_put(x, "vt_release(%s); %s = %s; %s = VT_UNDEF;\n}\n", a.name, a.name, b.name, b.name);
	return a;
}

static yx_val
negation(yx *x, uint32_t row)
{
	yx_val a = numeric(x, yx_expr(x, YROW(x, row)->a), row), out = fresh(x, false, false, row);

	yx_put(x, "%s = vt_mkbool(!vt_is_true(%s));\n", out.name, a.name);
	return out;
}

static const char *
c_operator(int op)
{
	switch (op) {
	case YAY_OP_EQ: return "==";
	case YAY_OP_NE: return "!=";
	case YAY_OP_LE: return "<=";
	case YAY_OP_GE: return ">=";
	}
	return op == '<' ? "<" : ">";
}

/* Tagged whole numbers compare as they are. */
static void
compare(yx *x, int op, yx_val a, yx_val b, const char *out)
{
	bool same = op == YAY_OP_EQ || op == YAY_OP_NE;

	yx_put(x, "if (vt_yay_int(%s & %s)) %s = vt_mkbool((int64_t)%s %s (int64_t)%s);\n", a.name,
		b.name, out, a.name, c_operator(op), b.name);
	if (same) {
		yx_put(x, "else %s = vt_mkbool(%svt_yay_same(%s, %s));\n", out,
			op == YAY_OP_NE ? "!" : "", a.name, b.name);
		return;
	}
	yx_put(x,
		"else {\nint k = vt_yay_order(s, %d, %s, %s);\nif (k < 0) goto rows;\n%s = "
		"vt_mkbool(k);\n}\n",
		op, a.name, b.name, out);
}

static yx_val
comparison(yx *x, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	yx_val a, b, out;
	uint32_t label = ++x->nlabels;

	if (!yay_is_plain_compare(x->d, r))
		return by_rows(x, row);
	a = yx_expr(x, r->a);
	out = fresh(x, false, false, row);
	for (uint32_t l = r->b; l; l = YROW(x, l)->next, a = b) {
		b = yx_expr(x, YROW(x, l)->a);
		a = scalar(x, a), b = scalar(x, b);
		compare(x, YROW(x, l)->op, a, b, out.name);
		if (YROW(x, l)->next)
			yx_put(x, "if (%s == VT_FALSE) goto m%u;\n", out.name, label);
	}
	yx_put(x, "m%u:;\n", label);
	return out;
}

/* ---- choices ---- */

static yx_val
conditional(yx *x, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	yx_val c = yx_expr(x, r->b), out = fresh(x, true, false, row), v;

	if (c.shape)
		yx_put(x,
			"{\nint k = vt_yay_true(s, %s);\nif (k < 0) goto rows;\n%s = k ? %s : "
			"0;\n}\nif (%s) {\n",
			c.name, out.name, c.name, out.name);
	else
		yx_put(x, "if (vt_is_true(%s)) {\n", c.name);
	v = yx_shape(x, yx_expr(x, r->a));
	yx_put(x, "%s = %s;\n} else {\n", out.name, v.name);
	v = yx_shape(x, yx_expr(x, r->c));
	yx_put(x, "%s = %s;\n}\n", out.name, v.name);
	return out;
}

static yx_val
fallback(yx *x, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	yx_val out = fresh(x, true, false, row), v;
	const char *outer = x->fail;
	uint32_t label = ++x->nlabels, end = ++x->nlabels;

	x->fail = vc_format(x->c, "m%u", label);
	v = yx_shape(x, yx_expr(x, r->a));
	x->fail = outer;
	yx_put(x, "%s = %s;\ngoto m%u;\nm%u:\nif (!vt_yay_missing(s)) goto %s;\n", out.name, v.name,
		end, label, outer);
	v = yx_shape(x, yx_expr(x, r->b));
	yx_put(x, "%s = %s;\nm%u:;\n", out.name, v.name, end);
	return out;
}

/* ---- texts ---- */

static void
part(yx *x, vt_buf *b, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	yx_val v;

	if (r->kind == YAY_TEXT || r->kind == YAY_STR) {
		uint32_t from = x->d->str[r->a], n = x->d->str[r->a + 1] - from;
		vt_buf_puts(b, "{");
		ct_string(b, x->d->chars + from, n);
		vt_buf_printf(b, ", %u, 0, 0}, ", n);
		return;
	}
	v = yx_expr(x, row);
	if (v.shape)
		vt_buf_printf(b, "{0, 0, %s, 0}, ", v.name);
	else
		vt_buf_printf(b, "{0, 0, 0, %s}, ", v.name);
}

static yx_val
merged(yx *x, uint32_t row)
{
	vt_buf parts = {0};
	uint32_t n = 0;
	yx_val out;

	for (uint32_t p = YROW(x, row)->a; p; p = YROW(x, p)->next, n++)
		part(x, &parts, p);
	out = fresh(x, true, false, row);
	yx_put(x, "{\nconst vt_ypart p[] = {%.*s};\n", (int)parts.n, parts.p ? parts.p : "");
	yx_put(x, "%s = vt_yay_merge(s, d, %u, %u, p);\n}\nif (%s == VT_YAY_UNUSUAL) goto rows;\n",
		out.name, row, n, out.name);
	vt_buf_free(&parts);
	return out;
}

/* ---- all of them ---- */

static yx_val
expr(yx *x, uint32_t row)
{
	switch ((enum vt_yay_kind)YROW(x, row)->kind) {
	case YAY_TEXT:
	case YAY_BOOL: return called(x, row, "vt_yay_const(s, d, %u)", row);
	case YAY_STR: return text(x, row);
	case YAY_NUM: return number(x, row);
	case YAY_MERGED: return merged(x, row);
	case YAY_IDENT: return name(x, row);
	case YAY_ATTR: return member(x, row);
	case YAY_INDEX: return item(x, row);
	case YAY_UNARY: return unary(x, row);
	case YAY_BINARY: return binary(x, row);
	case YAY_AND:
	case YAY_OR: return junction(x, row);
	case YAY_NOT: return negation(x, row);
	case YAY_NUMBER: return numeric(x, yx_expr(x, YROW(x, row)->a), row);
	case YAY_CHOSEN: return yx_expr(x, YROW(x, row)->a);
	case YAY_COMPARE: return comparison(x, row);
	case YAY_TERNARY: return conditional(x, row);
	case YAY_ELSE: return fallback(x, row);
	case YAY_EMPTYDICT:
	case YAY_EMPTYLIST:
	case YAY_SLICE:
	case YAY_INVOKE:
	case YAY_TUPLE:
	case YAY_DISPLAY:
	case YAY_DICT:
	case YAY_SETOF:
	case YAY_COMP:
	case YAY_LAMBDA:
	case YAY_REPR:
	case YAY_NONE:
	case YAY_BODY:
	YAY_STATEMENT_CASES:
	YAY_PART_CASES:
		break;
	}
	return by_rows(x, row);
}

yx_val
yx_expr(yx *x, uint32_t row)
{
	yx_val v = {true, false, row, "0"};

	if (++x->weight > HEAVIEST || x->depth >= DEEPEST) {
		x->too_big = true;
		return v;
	}
	x->depth++;
	v = expr(x, row);
	x->depth--;
	return v;
}

/*
 * emit.c - the expressions of a Yay document as C functions, its loops as C loops, and the
 * table by row through which the evaluator finds them.
 *
 * What a document is stays a table of rows: places, blocks and decisions are the evaluator's.  Code
 * is what a row comes to.  docs/yay.md, "Binaries", has the design.
 */
#include "compiler/yay/emit.h"

#include <stdio.h>
#include <string.h>

/*
 * cc needs five milliseconds a function and more.  What lies beyond these is evaluated by its rows,
 * and what is evaluated once has the smaller share: code saves less there than it costs.
 */
enum { MOST_FUNCTIONS = 1500, MOST_ONCE = 200 };

void
yx_vput(yx *x, const char *fmt, va_list ap)
{
	char line[1024], *more = line;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(line, sizeof line, fmt, ap);
	if (n >= (int)sizeof line) {
		more = vc_alloc(x->c, (size_t)n + 1);
		vsnprintf(more, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	vt_buf_put(&x->body, more, (size_t)n);
}

void
yx_put(yx *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	yx_vput(x, fmt, ap);
	va_end(ap);
}

/* ---- functions ---- */

/* Where a debugger is to stop: all lines of C are one of the document. */
static void
put_lines(yx *x, uint32_t line, const char *text, size_t n)
{
	if (x->lines)
		ct_lines(x->out, line, x->d->name, text, n);
	else
		vt_buf_put(x->out, text, n);
}

static void
put_variables(vt_buf *b, const char *type, char letter, uint32_t n, const char *value)
{
	for (uint32_t i = 1; i <= n; i++)
		vt_buf_printf(b, "%s%c%u = %s;\n", type, letter, i, value);
}

/* Goes as far as `out`, which releases what the function owns. */
static void
finish_expr(yx *x, uint32_t row)
{
	const vt_yrow *r = YROW(x, row);
	vt_buf f = {0};

	vt_buf_printf(&f,
		"static vt_yshape *\ny%u_%u_%u(vt_yay *s, vt_yopened *d, vt_yscope *f)\n{\n", x->at,
		r->line, row);
	put_variables(&f, "vt_yshape *", 't', x->nshapes, "0");
	put_variables(&f, "vt_value ", 'v', x->nvalues, "VT_UNDEF");
	put_variables(&f, "vt_value ", 'b', x->nborrowed, "VT_UNDEF");
	vt_buf_puts(&f, "vt_yshape *r = 0;\n");
	vt_buf_put(&f, x->body.p, x->body.n);
	vt_buf_puts(&f, "goto out;\nrows: r = VT_YAY_UNUSUAL;\ngoto out;\nfail: r = 0;\nout:\n");
	for (uint32_t i = 1; i <= x->nvalues; i++)
		vt_buf_printf(&f, "vt_release(v%u);\n", i);
	vt_buf_puts(&f, "return r;\n}\n");
	put_lines(x, r->line, f.p, f.n);
	vt_buf_free(&f);
}

static void
begin(yx *x)
{
	x->body.n = 0;
	x->nshapes = x->nvalues = x->nborrowed = x->nlabels = 0;
	x->depth = x->weight = 0;
	x->fail = "fail";
	x->too_big = false;
}

/* Constants are one shape a document already; what only looks something up gains nothing, but a
 * line. */
static bool
worth_it(const yx *x, uint32_t row)
{
	switch (YROW(x, row)->kind) {
	case YAY_MERGED:
	case YAY_ATTR:
	case YAY_INDEX:
	case YAY_UNARY:
	case YAY_BINARY:
	case YAY_AND:
	case YAY_OR:
	case YAY_NOT:
	case YAY_NUMBER:
	case YAY_CHOSEN:
	case YAY_TERNARY:
	case YAY_ELSE: return true;
	case YAY_COMPARE: return x->lines || yay_is_plain_compare(x->d, YROW(x, row));
	case YAY_IDENT: return x->lines || x->bind[row].kind != YB_NONE;
		YAY_PLAIN_CASES:
	case YAY_BODY: return false;
	}
	return x->lines;
}

static void
visit_expr(void *ctx, uint32_t row, bool again)
{
	yx *x = ctx;
	yx_val v;

	if (x->has[row] || x->n >= MOST_FUNCTIONS || (!again && x->nonce >= MOST_ONCE) ||
		!worth_it(x, row))
		return;
	begin(x);
	v = yx_shape(x, yx_expr(x, row));
	yx_put(x, "r = %s;\n", v.name);
	if (x->too_big)
		return;
	x->nonce += !again;
	finish_expr(x, row);
	x->has[row] = 1;
	x->n++;
}

/* ---- loops ---- */

/* Lists and loops one after the other: false, something else is in it. */
static bool
plain_body(const yx *x, uint32_t body)
{
	if (YROW(x, body)->b)
		return false;
	for (uint32_t r = YROW(x, body)->a; r; r = YROW(x, r)->next)
		if (YROW(x, r)->kind != YAY_LIST && (YROW(x, r)->kind != YAY_FOR || !x->has[r]))
			return false;
	return true;
}

static void
body_items(yx *x, uint32_t body)
{
	if (!plain_body(x, body)) {
		yx_put(x, "ok = vt_yay_body_items(s, d, %u, v, out);\n", body);
		return;
	}
	for (uint32_t r = YROW(x, body)->a; r; r = YROW(x, r)->next)
		if (YROW(x, r)->kind == YAY_FOR)
			yx_put(x, "ok = ok && y%u_for%u_%u(s, d, v, out);\n", x->at,
				YROW(x, r)->line, r);
		else
			for (uint32_t i = YROW(x, r)->a; i; i = YROW(x, i)->next)
				yx_put(x, "ok = ok && vt_yay_push(s, d, %u, v, out);\n",
					YROW(x, i)->a);
}

static void
visit_loop(void *ctx, uint32_t row)
{
	yx *x = ctx;
	const vt_yrow *r = YROW(x, row);

	if (x->has[row] || x->n >= MOST_FUNCTIONS)
		return;
	begin(x);
	yx_put(x,
		"static int\ny%u_for%u_%u(vt_yay *s, vt_yopened *d, vt_yscope *f, vt_yitems "
		"*out)\n{\n",
		x->at, r->line, row);
	yx_put(x, "vt_yloop l;\nvt_yscope *v;\nint ok = vt_yay_loop(s, d, %u, f, &l);\n", row);
	yx_put(x, "while (ok && (v = vt_yay_next(s, d, %u, f, &l, &ok))) {\n", row);
	if (VT_YAY_D(*r))
		yx_put(x,
			"int k = vt_yay_filter(s, d, %u, v);\nif (k == 0) continue;\nok = k > "
			"0;\nif (!ok) break;\n",
			VT_YAY_D(*r));
	body_items(x, r->c);
	yx_put(x, "}\nvt_yay_loop_end(&l);\nreturn ok;\n}\n");
	put_lines(x, r->line, x->body.p, x->body.n);
	x->has[row] = 1;
	x->n++;
}

/* ---- a document ---- */

bool
yay_emit_code(vc *c, vt_buf *out, const vt_ydoc *d, uint32_t at, bool lines)
{
	yx x = {.c = c, .d = d, .at = at, .lines = lines, .out = out};
	const yay_visitor v = {&x, visit_expr, visit_loop};

	x.bind = yay_bind_names(c, d);
	x.has = vc_alloc(c, d->nrows);
	yay_walk(c, d, &v);
	vt_buf_free(&x.body);
	if (!x.n)
		return false;
	if (lines)
		ct_own_lines(out, "main.c");
	vt_buf_printf(out, "static const vt_ycode y%u[%u] = {\n", at, d->nrows);
	for (uint32_t r = 1; r < d->nrows; r++)
		if (x.has[r] && d->row[r].kind == YAY_FOR)
			vt_buf_printf(
				out, "[%u] = {.loop = y%u_for%u_%u},\n", r, at, d->row[r].line, r);
		else if (x.has[r])
			vt_buf_printf(out, "[%u] = {y%u_%u_%u},\n", r, at, d->row[r].line, r);
	vt_buf_puts(out, "};\n");
	return true;
}

/*
 * results.c - runs the code of a session and writes what it gives: JSON, YAML, tables, raw texts.
 */
#include "compiler/query/run_int.h"
#include "runtime/core/base.h"
#include "runtime/core/diag.h"
#include "runtime/core/exception.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

static bool
write_json(qr *q, vt_value v, int form, vt_buf *b, qr_error *e)
{
	int flags = form / QR_FLAGS;

	if (form & QR_TAGGED) {
		vt_json_write(q->rt, b, v, VT_JSON_TAGGED | VT_JSON_TUPLES);
		return true;
	}
	if (vt_json_write_finite(q->rt, b, v, flags) || form & QR_NULLS)
		return true;
	qr_error_set(e, "ValueError", 0, 0,
		"JSON has no number for infinity and not-a-number; --non-finite=null takes null");
	return false;
}

/* One result, without a line's end where its form has none. */
static bool
write_result(qr *q, vt_value v, int form, vt_buf *b, qr_error *e)
{
	vt_buf plain = {NULL, 0, 0};
	bool ok;

	if (form & (QR_CSV | QR_TSV))
		return qr_put_table(q->rt, b, v, form & QR_TSV, e);
	if (form & QR_RAW && vt_is(v, STR)) {
		vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
		return true;
	}
	if (form & QR_YAML) {
		vt_yaml_write(q->rt, b, v);
		return true;
	}
	if (!(form & QR_COLOUR))
		return write_json(q, v, form, b, e);
	ok = write_json(q, v, form, &plain, e);
	if (ok)
		qr_put_coloured(b, plain.p, plain.n);
	vt_buf_free(&plain);
	return ok;
}

/* What results go to. */
typedef struct sink {
	qr *q;
	int form;
	qr_put *put;
	void *ctx;
	qr_error *e;
	vt_buf b;
	bool done; /* nobody wants more */
} sink;

static bool
give(sink *s, vt_value v)
{
	bool ok;

	s->b.n = 0;
	ok = write_result(s->q, v, s->form, &s->b, s->e);
	if (ok)
		s->done = !s->put(
			s->ctx, s->b.p ? s->b.p : "", s->b.n, v != VT_NULL && v != VT_FALSE);
	return ok;
}

static bool
has_elements(vt_value v)
{
	return vt_is_sequence(v) || vt_is(v, SET) || vt_is(v, ITER) || vt_is(v, VIEW) ||
	       vt_is(v, ORDERING) || vt_is(v, MEMO);
}

/* Each element as soon as it is there; v is borrowed. */
static bool
give_each(sink *s, const vt_unit *u, vt_value v)
{
	vt_rt *rt = s->q->rt;
	vt_value iter = VT_UNDEF, item = VT_UNDEF, out = VT_UNDEF;
	vt_status st = vt_iterate_limited(rt, u, v, &iter);
	bool ok = true;

	while (st == VT_OK && ok && !s->done) {
		st = vt_next(rt, iter, &item);
		if (st != VT_OK || item == VT_UNDEF)
			break;
		st = qr_finish(rt, u, item, &out);
		if (st != VT_OK)
			break;
		ok = give(s, out);
		vt_release(out);
	}
	vt_release(iter);
	if (st != VT_OK)
		qr_take_exception(rt, s->e);
	return st == VT_OK && ok;
}

/* Takes the value. */
static bool
give_all(sink *s, const vt_unit *u, vt_value v)
{
	vt_value out = VT_UNDEF;
	bool ok;

	if (s->form & QR_EACH && has_elements(v)) {
		ok = give_each(s, u, v);
		vt_release(v);
		return ok;
	}
	if (qr_finish(s->q->rt, u, v, &out) != VT_OK) {
		qr_take_exception(s->q->rt, s->e);
		return false;
	}
	if (s->form & QR_FOLD) {
		vt_clear(&s->q->acc);
		s->q->acc = vt_copy(out);
		vt_dict_set_c(s->q->rt, vt_as_dict(s->q->own), "acc", out);
		return true;
	}
	ok = give(s, out);
	vt_release(out);
	return ok;
}

bool
qr_results(qr *q, const vt_program *p, int form, qr_put *put, void *ctx, qr_error *e)
{
	sink s = {.q = q, .form = form, .put = put, .ctx = ctx, .e = e};
	const vt_code *code = p->query;
	vt_value v = VT_UNDEF;
	vt_scope *scope;
	bool ok = false;

	if (form & QR_FOLD)
		s.form &= ~QR_EACH;
	qr_attach(q, p);
	if (qr_begin(q->rt, code, q->data, q->converted, q->vars, &scope, &v) == VT_OK)
		ok = give_all(&s, code->unit, v);
	else
		qr_take_exception(q->rt, e);
	if (scope)
		vt_scope_drop(scope);
	vt_buf_free(&s.b);
	return ok;
}

bool
qr_folded(qr *q, int form, qr_put *put, void *ctx, qr_error *e)
{
	sink s = {.q = q, .form = form & ~QR_FOLD, .put = put, .ctx = ctx, .e = e};
	static const vt_unit plain = {.opt = {.limit_iterators = -1}};
	bool ok = give_all(&s, &plain, vt_copy(q->acc));

	vt_buf_free(&s.b);
	return ok;
}

static bool
keep(void *ctx, const char *p, size_t n, bool truth)
{
	(void)truth;
	vt_buf_put(ctx, p, n);
	return true;
}

char *
qr_run(qr *q, const vt_program *p, int form, size_t *n, qr_error *e)
{
	vt_buf b = {NULL, 0, 0};

	if (!qr_results(q, p, form, keep, &b, e)) {
		vt_buf_free(&b);
		return NULL;
	}
	*n = b.n;
	vt_buf_putc(&b, 0);
	return b.p;
}

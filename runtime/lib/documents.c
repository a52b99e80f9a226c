/* documents.c - rows of lib/documents.fn: JSON as text, the environment, documents, try(). */
#define _GNU_SOURCE
#include "runtime/core/args.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- JSON as text ---- */

vt_status
vt_lib_to_json(vt_args *a, vt_value *out)
{
	vt_buf b = {NULL, 0, 0};
	vt_value v = VT_UNDEF;
	bool ok;

	VT_TRY(vt_final_fast(a->rt, a->unit, a->v[0], &v));
	ok = vt_json_write_finite(a->rt, &b, v, 0);
	vt_release(v);
	if (ok) {
		*out = vt_str_take(a->rt, &b);
		return VT_OK;
	}
	vt_buf_free(&b);
	return vt_raise(a->rt, VT_E_VALUE, "JSON has no number for infinity and not-a-number");
}

vt_status
vt_lib_from_json(vt_args *a, vt_value *out)
{
	const vt_str *s = vt_as_str(a->v[0]);
	char *message = NULL;
	vt_status st;

	if (vt_json_read(a->rt, s->s, s->bytes, 0, 0, out, &message))
		return VT_OK;
	st = vt_raise(a->rt, VT_E_VALUE, "%s", message ? message : "not JSON");
	free(message);
	return st;
}

/* ---- the environment ---- */

/* A variable that is no UTF-8 is none that a text could hold. */
vt_status
vt_lib_env(vt_args *a, vt_value *out)
{
	vt_dict *d = vt_dict_new(a->rt, true);

	for (char **p = environ; *p; p++) {
		const char *end = strchr(*p, '=');
		size_t n = strlen(*p);
		vt_value name;
		if (end == NULL || vt_utf8_check(*p, n) != n)
			continue;
		name = vt_str_new(a->rt, *p, (size_t)(end - *p));
		vt_dict_set_c(a->rt, d, vt_as_str(name)->s,
			vt_str_new(a->rt, end + 1, n - (size_t)(end + 1 - *p)));
		vt_release(name);
	}
	*out = vt_mkptr(d);
	return VT_OK;
}

/* ---- documents ---- */

static vt_status
next_document(vt_rt *rt, vt_value *out)
{
	const struct vt_documents *from = rt->s->documents;

	*out = VT_UNDEF;
	return from ? from->next(rt, rt->s->documents_ctx, out) : VT_OK;
}

static vt_status
next_input(vt_rt *rt, vt_iter *it, vt_value *out)
{
	(void)it;
	return next_document(rt, out);
}

static const vt_iter_ops input_ops = {next_input, NULL, "generator", 112, NULL};

vt_status
vt_lib_inputs(vt_args *a, vt_value *out)
{
	*out = vt_mkptr(vt_iter_new(a->rt, &input_ops));
	return VT_OK;
}

vt_status
vt_lib_input(vt_args *a, vt_value *out)
{
	VT_TRY(next_document(a->rt, out));
	return *out == VT_UNDEF
		       ? vt_raise(a->rt, VT_E_STOP_ITERATION, "there is no further document")
		       : VT_OK;
}

static const char *
place_of(vt_rt *rt, unsigned long *line)
{
	const char *file = NULL;

	if (rt->s->documents)
		rt->s->documents->place(rt->s->documents_ctx, &file, line);
	return file;
}

vt_status
vt_lib_input_name(vt_args *a, vt_value *out)
{
	unsigned long line;
	const char *file = place_of(a->rt, &line);

	*out = file && strcmp(file, "<stdin>") != 0 &&
			       vt_utf8_check(file, strlen(file)) == strlen(file)
		       ? vt_str_c(a->rt, file)
		       : VT_NULL;
	return VT_OK;
}

vt_status
vt_lib_input_line(vt_args *a, vt_value *out)
{
	unsigned long line = 0;

	*out = place_of(a->rt, &line) ? vt_mkint((int64_t)line) : VT_NULL;
	return VT_OK;
}

/* ---- try() ---- */

/* Also what a lazy list would raise later. */
static vt_status
evaluate(vt_args *a, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_status st;

	VT_TRY(vt_apply(a->rt, a->v[0], 0, NULL, &v));
	st = vt_final_fast(a->rt, a->unit, v, out);
	vt_release(v);
	return st;
}

vt_status
vt_lib_try(vt_args *a, vt_value *out)
{
	vt_status st = evaluate(a, out);
	const vt_exc *x = st == VT_ERROR ? vt_pending(a->rt) : NULL;

	if (x == NULL || x->type == VT_E_MEMORY_QUOTA)
		return st;
	vt_exc_clear(a->rt);
	if (a->v[1] == VT_NULL) {
		*out = VT_NULL;
		return VT_OK;
	}
	return vt_apply(a->rt, a->v[1], 0, NULL, out);
}

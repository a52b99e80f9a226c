/*
 * Fuzz target: any bytes are a form with a model, complaints, or an error with a place inside of the
 * text; what the reader accepts can be described.  driver.c says how it is run.
 */
#include "compiler/form/form.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
judge(vt_rt *rt, const form_ui *ui, vt_form_answer *a)
{
	vt_buf b = {NULL, 0, 0};

	if (a->expression >= (int32_t)ui->nexpr)
		abort();
	switch (a->end) {
	case VT_FORM_DONE: vt_json_write(rt, &b, a->value, 0); break;
	case VT_FORM_COMPLAINED:
		if (!vt_is_sequence(a->value) || vt_as_list(a->value)->n == 0)
			abort();
		break;
	case VT_FORM_WRONG:
		if (a->why == NULL)
			abort();
		break;
	case VT_FORM_RAISED:
		if (vt_pending(rt) == NULL)
			abort();
		vt_exc_clear(rt);
		break;
	}
	vt_buf_free(&b);
	vt_release(a->value);
	free(a->why);
}

static void
run(vc *c, const form_ui *ui)
{
	vt_form_ask ask = {
		.answers = VT_NULL, .environment = VT_NULL, .parameters = VT_NULL, .seeded = true};
	vt_rt *rt = vt_rt_new(NULL);
	form_run *run = form_open(c, ui, rt);
	vt_form_answer a;

	if (run == NULL) {
		vt_rt_free(rt);
		return;
	}
	a = vt_form_describe(rt, form_definition(run), &ask);
	judge(rt, ui, &a);
	a = vt_form_model(rt, form_definition(run), &ask);
	judge(rt, ui, &a);
	form_close(run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vc *c = vc_new();
	char *text = vc_strndup(c, (const char *)data, n);
	vc_source *src = vc_source_take(c, "ui.yaml", text, n);
	form_ui *ui = src != NULL ? form_read(c, src) : NULL;
	vc_first e = vc_first_error(c);

	if (ui == NULL && src != NULL &&
		(e.text == NULL || e.span.src == NULL || e.span.from > src->n))
		abort();
	if (ui != NULL)
		run(c, ui);
	vc_free(c);
	return 0;
}

/*
 * batch.c - `vetro form --batch`: one request a line, one answer a line.
 *
 * {"ui": text, ...} -> {"value": model or description} or {"error": ...}; docs/forms.md lists the
 * members.
 */
#include "compiler/form/form.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct request {
	vc *c;
	vt_rt *rt;
	form_run *run; /* or NULL */
	vt_value ask;
	form_ui *ui;
	vt_buf out;
} request;

/* ---- answers ---- */

static void
put_error(request *r, const char *type, const char *message, vc_span at)
{
	uint32_t line = 0, col = 0;

	r->out.n = 0;
	vt_buf_puts(&r->out, "{\"error\":{\"type\":");
	vt_json_str(&r->out, type, strlen(type));
	vt_buf_puts(&r->out, ",\"message\":");
	vt_json_str(&r->out, message, strlen(message));
	if (at.src != NULL && at.src->text != NULL) {
		vc_place(at.src, at.from, &line, &col);
		vt_buf_printf(&r->out, ",\"line\":%u,\"col\":%u", line, col);
	}
	vt_buf_puts(&r->out, "}}");
}

static void
put_definition_error(request *r)
{
	vc_first e = vc_first_error(r->c);
	const char *type = e.code == VC_E0301   ? "YaqlLexicalException"
			   : e.code == VC_E0302 ? "YaqlGrammarException"
						: "DefinitionError";

	put_error(r, type, e.text != NULL ? e.text : "the definition cannot be used", e.span);
}

static void
put_exception(request *r, int32_t expression)
{
	vt_rt *rt = r->rt;
	vt_value v = vt_exc_take(rt);
	vt_exc *x = VT_AS(vt_exc, v);
	vt_buf b = {NULL, 0, 0};

	vt_exc_str(rt, &b, x);
	vt_buf_puts(&b, "");
	put_error(
		r, vt_exc_shown_type(x), b.p, form_place(r->c, r->ui, expression, x->line, x->col));
	vt_buf_free(&b);
	vt_release(v);
}

static void
put_complaints(request *r, vt_value fields)
{
	uint32_t n = vt_as_list(fields)->n;

	vt_buf_printf(&r->out,
		"{\"error\":{\"type\":\"ValidationError\",\"message\":\"%u answer%s refused\","
		"\"fields\":",
		n, n == 1 ? " is" : "s are");
	vt_json_write(r->rt, &r->out, fields, 0);
	vt_buf_puts(&r->out, "}}");
}

static void
put_answer(request *r, vt_form_answer *a)
{
	switch (a->end) {
	case VT_FORM_DONE:
		vt_buf_puts(&r->out, "{\"value\":");
		vt_json_write(r->rt, &r->out, a->value, 0);
		vt_buf_putc(&r->out, '}');
		break;
	case VT_FORM_COMPLAINED: put_complaints(r, a->value); break;
	case VT_FORM_WRONG:
		put_error(r, "DefinitionError", a->why,
			a->expression < 0 ? (vc_span){0}
					  : form_place(r->c, r->ui, a->expression, 0, 0));
		break;
	case VT_FORM_RAISED: put_exception(r, a->expression); break;
	}
	vt_release(a->value);
	free(a->why);
}

/* ---- requests ---- */

static vt_value
field(const request *r, const char *name)
{
	vt_value v = vt_dict_get_c(vt_as_dict(r->ask), name);

	return v == VT_UNDEF ? VT_NULL : v;
}

static bool
bad(request *r, const char *message)
{
	put_error(r, "RequestError", message, (vc_span){0});
	return false;
}

/* Members that have to be objects where they are. */
static bool
read_ask(request *r, vt_form_ask *ask)
{
	vt_value package = field(r, "package"), seed = field(r, "seed");
	int64_t n = 0;

	*ask = (vt_form_ask){.answers = field(r, "answers"),
		.environment = field(r, "environment"),
		.parameters = field(r, "parameters"),
		.package = vt_is(package, STR) ? vt_as_str(package)->s : "App"};
	if (ask->answers != VT_NULL && !vt_is(ask->answers, DICT))
		return bad(r, "answers is no object");
	if (ask->environment != VT_NULL && !vt_is(ask->environment, DICT))
		return bad(r, "environment is no object");
	if (package != VT_NULL && !vt_is(package, STR))
		return bad(r, "package is no text");
	if (seed == VT_NULL)
		return true;
	if (!vt_is_int(seed) || !vt_int_fits(seed, &n))
		return bad(r, "seed is no integer");
	ask->seeded = true;
	ask->seed = (uint64_t)n;
	return true;
}

static void
run(request *r, const vt_form_ask *ask)
{
	vt_form_answer a;

	r->run = form_open(r->c, r->ui, r->rt);
	if (r->run == NULL) {
		put_definition_error(r);
		return;
	}
	a = vt_truth(field(r, "describe")) ? vt_form_describe(r->rt, form_definition(r->run), ask)
					   : vt_form_model(r->rt, form_definition(r->run), ask);
	put_answer(r, &a);
}

static void
ask_form(request *r)
{
	vt_value ui = field(r, "ui");
	vt_form_ask ask;
	char *text;
	vc_source *src;

	if (!vt_is(ui, STR)) {
		bad(r, "the request has no ui, or it is no text");
		return;
	}
	if (!read_ask(r, &ask))
		return;
	text = vc_strndup(r->c, vt_as_str(ui)->s, vt_as_str(ui)->bytes);
	src = vc_source_take(r->c, "ui.yaml", text, vt_as_str(ui)->bytes);
	r->ui = src != NULL ? form_read(r->c, src) : NULL;
	if (r->ui == NULL)
		put_definition_error(r);
	else
		run(r, &ask);
}

static void
answer(void *ctx, const char *line, size_t n)
{
	request r = {.c = vc_new(), .rt = vt_rt_new(NULL), .ask = VT_UNDEF};
	char *why = NULL;

	(void)ctx;
	if (!vt_json_read(r.rt, line, n, VT_JSON_MUTABLE, 0, &r.ask, &why))
		bad(&r, why);
	else if (!vt_is(r.ask, DICT))
		bad(&r, "a request is an object");
	else
		ask_form(&r);
	vt_buf_putc(&r.out, '\n');
	fwrite(r.out.p, 1, r.out.n, stdout);
	fflush(stdout);
	vt_buf_free(&r.out);
	free(why);
	vt_release(r.ask);
	if (r.run != NULL)
		form_close(r.run);
	else
		vt_rt_free(r.rt);
	vc_free(r.c);
}

int
form_batch(void)
{
	return vc_each_line(answer, NULL);
}

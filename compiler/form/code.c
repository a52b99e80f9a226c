/*
 * code.c - a session for a definition: its expressions as images that compiler/query interprets.
 */
#include "compiler/form/int.h"
#include "compiler/query/compile.h"
#include "runtime/call/call.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 10000, MOST_BYTES = 1000000 };

struct form_run {
	vt_rt *rt;
	vt_form_def def;
	qc **code;
	const vt_code **body;
	const char **source;
	uint32_t n;
};

qr_request
form_request(const form_expr *x)
{
	qr_request r = {.expr = x->node->text,
		.n = x->node->ntext,
		.layers = VT_L_STD | VT_L_LEGACY | (x->bare ? 0 : VT_L_FORM),
		.opt = qr_default_options};

	r.opt.limit_iterators = MOST_ITEMS;
	r.opt.memory_quota = MOST_BYTES;
	r.opt.sets_to_lists = true;
	return r;
}

static bool
compile(vc *c, form_run *run, const form_ui *ui)
{
	const vt_program *p = NULL, *first = NULL;
	uint32_t nics = 0;

	for (uint32_t i = 0; i < ui->nexpr; i++) {
		qr_request r = form_request(&ui->expr[i]);
		qr_error e = {.type = NULL};
		run->code[i] = qc_compile(&r, nics, &p, &e);
		if (run->code[i] == NULL) {
			vc_report(c, VC_E1205, ui->expr[i].node->span,
				"the expression cannot be used: %s", e.message);
			qr_error_free(&e);
			return false;
		}
		run->n = i + 1;
		run->body[i] = p->query;
		run->source[i] = ui->expr[i].node->text;
		nics = p->nics;
		first = first == NULL ? p : first;
	}
	run->rt->program = first;
	free(run->rt->ic);
	run->rt->ic = vt_xzalloc((nics + 1) * sizeof *run->rt->ic);
	return true;
}

static void
drop_code(form_run *run)
{
	for (uint32_t i = 0; i < run->n; i++)
		qc_free(run->code[i]);
	free(run->code);
	free(run->body);
	free(run->source);
	free(run);
}

form_run *
form_open(vc *c, const form_ui *ui, vt_rt *rt)
{
	form_run *run = vt_xzalloc(sizeof *run);

	run->rt = rt;
	run->code = vt_xzalloc((ui->nexpr + 1) * sizeof *run->code);
	run->body = vt_xzalloc((ui->nexpr + 1) * sizeof *run->body);
	run->source = vt_xzalloc((ui->nexpr + 1) * sizeof *run->source);
	run->def = (vt_form_def){.text = ui->text,
		.n = ui->n,
		.codes = run->body,
		.sources = run->source,
		.ncodes = ui->nexpr};
	if (compile(c, run, ui))
		return run;
	drop_code(run);
	return NULL;
}

/* Values point into code, so the session goes first. */
void
form_close(form_run *run)
{
	vt_rt_free(run->rt);
	drop_code(run);
}

const vt_form_def *
form_definition(const form_run *run)
{
	return &run->def;
}

/* Byte of the line and column in code points. */
static uint32_t
offset_of(const char *text, uint32_t line, uint32_t col)
{
	const char *p = text;

	for (; line > 1 && strchr(p, '\n') != NULL; line--)
		p = strchr(p, '\n') + 1;
	for (; col > 1 && *p != '\0' && *p != '\n'; col--)
		do
			p++;
		while (((unsigned char)*p & 0xc0) == 0x80);
	return (uint32_t)(p - text);
}

vc_span
form_place(vc *c, const form_ui *ui, int32_t expression, uint32_t line, uint32_t col)
{
	const ynode *n;
	uint32_t at;

	(void)c;
	if (expression < 0 || (uint32_t)expression >= ui->nexpr)
		return (vc_span){ui->src, 0, 0};
	n = ui->expr[expression].node;
	if (line == 0)
		return n->span;
	at = offset_of(n->text, line, col);
	return yn_subspan(n, at < n->ntext ? at : n->ntext, n->ntext);
}

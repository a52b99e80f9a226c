/*
 * code.c - a session for a definition: its expressions as images that compiler/query interprets.
 */
#include "compiler/form/int.h"
#include "compiler/query/compile.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_ITEMS = 10000,
	MOST_BYTES = 1000000,
	/* Of what is evaluated while a form is checked. */
	CHECKED_ITEMS = 100,
	CHECKED_DEPTH = 3
};

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

static vt_value
constant(vt_rt *rt, const ynode *n)
{
	if (n->type == YT_INT && n->fits)
		return vt_int_new(rt, n->i);
	if (n->type == YT_BOOL)
		return n->i ? VT_TRUE : VT_FALSE;
	return vt_str_new(rt, n->text, n->ntext);
}

/* How deep calls stand in each other: each may go through a list for each item of an outer one. */
static uint32_t
nesting(const yq_node *e)
{
	uint32_t most = 0, one;

	for (uint32_t i = 0; i < e->n; i++)
		if ((one = nesting(e->kid[i])) > most)
			most = one;
	return most + (e->kind == YQ_CALL);
}

/* What needs more than a check may take says nothing about the value. */
static bool
too_much(const qr_error *e)
{
	return e->type != NULL && (strstr(e->type, "TooLarge") || strstr(e->type, "Quota"));
}

bool
form_holds(const ynode *expr, const ynode *value, char **why)
{
	qr_request r = form_request(&(form_expr){expr, true});
	qr_error e = {.type = NULL};
	const vt_program *p = NULL;
	qc *code = NULL;
	vt_value out = VT_UNDEF, given;
	bool holds = true; /* what cannot be compiled is reported elsewhere */
	vt_rt *rt;

	r.opt.limit_iterators = CHECKED_ITEMS;
	if (nesting(expr->expr) <= CHECKED_DEPTH)
		code = qc_compile(&r, 0, &p, &e);
	rt = vt_rt_new(p);
	rt->s->quota = MOST_BYTES;
	given = constant(rt, value);
	if (code != NULL && qr_evaluate(rt, p->query, given, true, VT_UNDEF, NULL, &out) == VT_OK)
		holds = vt_truth(out);
	else if (code != NULL) {
		qr_take_exception(rt, &e);
		holds = too_much(&e);
		*why = holds ? NULL : strdup(e.message != NULL ? e.message : "");
	}
	qr_error_free(&e);
	vt_release(out);
	vt_release(given);
	vt_rt_free(rt);
	if (code != NULL)
		qc_free(code);
	return holds;
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

/*
 * emit.c - a form as C for the binary of its package: a file an expression, and one with the rest.
 *
 * A binary has no interpreter, so expressions become code as those of classes do.  Their inline
 * caches are numbered through, for they run in one session of their own.
 */
#include "compiler/emit/ctext.h"
#include "compiler/form/form.h"
#include "compiler/form/int.h"
#include "compiler/query/compile.h"

#include <string.h>

static bool
is_same(const form_expr *x, const form_expr *y)
{
	return x->bare == y->bare && x->node->ntext == y->node->ntext &&
	       memcmp(x->node->text, y->node->text, x->node->ntext) == 0;
}

/* The expression that stands for each: those of one text share their code. */
static uint32_t *
distinct(vc *c, const form_ui *ui)
{
	uint32_t *of = vc_alloc(c, (ui->nexpr + 1) * sizeof *of), room = 16, *slot;

	while (room < 2 * ui->nexpr)
		room *= 2;
	slot = vc_alloc(c, room * sizeof *slot); /* one up; 0: free */
	for (uint32_t i = 0; i < ui->nexpr; i++) {
		const form_expr *x = &ui->expr[i];
		uint32_t at = (uint32_t)vc_hash(c, x->node->text, x->node->ntext) & (room - 1);
		while (slot[at] != 0 && !is_same(x, &ui->expr[slot[at] - 1]))
			at = (at + 1) & (room - 1);
		if (slot[at] == 0)
			slot[at] = i + 1;
		of[i] = slot[at] - 1;
	}
	return of;
}

static ir_module *
lower(vc *c, const form_expr *x)
{
	qr_error e = {.type = NULL};
	qr_request r = form_request(x);
	const yq_node *tree = qc_parse(c, &r, false, &e);
	ir_module *m = tree ? qc_lower(c, &r, tree, &e) : NULL;

	if (m == NULL) {
		vc_report(
			c, VC_E1205, x->node->span, "the expression cannot be used: %s", e.message);
		qr_error_free(&e);
	}
	return m;
}

bool
form_lower(vc *program, vc *c, const form_ui *ui)
{
	const uint32_t *of = distinct(c, ui);

	for (uint32_t i = 0; i < ui->nexpr; i++) {
		ir_module *m = of[i] == i ? lower(c, &ui->expr[i]) : NULL;
		if (of[i] == i && m == NULL)
			return false;
		if (m != NULL)
			vc_push(program, program->also, program->nalso) = m;
	}
	program->has_form = true;
	return true;
}

static void
put_tables(vt_buf *b, const form_ui *ui, const uint32_t *of, uint32_t nics)
{
	vt_buf_puts(b, "#include \"vt.h\"\n\n");
	for (uint32_t i = 0; i < ui->nexpr; i++)
		if (of[i] == i)
			vt_buf_printf(b, "extern const vt_program vt_form_x%u;\n", i);
	vt_buf_puts(b, "static const vt_program *const expressions[] = {");
	for (uint32_t i = 0; i < ui->nexpr; i++)
		vt_buf_printf(b, "&vt_form_x%u, ", of[i]);
	vt_buf_puts(b, "NULL};\nstatic const char *const sources[] = {");
	for (uint32_t i = 0; i < ui->nexpr; i++) {
		ct_text(b, ui->expr[i].node->text);
		vt_buf_puts(b, ", ");
	}
	vt_buf_puts(b, "NULL};\nstatic const char text[] =");
	ct_text(b, ui->text);
	vt_buf_printf(b,
		";\nconst vt_form_program vt_form_of_package = {text, %zu, expressions, sources, "
		"%u, %u, &vt_form_serving};\n",
		ui->n, ui->nexpr, nics);
}

vc_cfile *
form_emit(vc *program, vc *c, const form_ui *ui, vc_cfile *before, uint32_t *n)
{
	const uint32_t *of = distinct(c, ui);
	uint32_t nics = 0, k = 0;
	vc_cfile *all = vc_alloc(program, (*n + program->nalso + 1) * sizeof *all);

	memcpy(all, before, *n * sizeof *all);
	for (uint32_t i = 0; i < ui->nexpr; i++) {
		vc_cfile f = {.name = vc_format(program, "form%u.c", i)};
		if (of[i] != i)
			continue;
		vt_buf_printf(&f.text, "#define vt_query_program vt_form_x%u\n", i);
		nics = vc_emit_query_at(c, program->also[k++], nics, &f.text);
		all[(*n)++] = f;
	}
	all[*n] = (vc_cfile){.name = "form.c"};
	put_tables(&all[(*n)++].text, ui, of, nics);
	return all;
}

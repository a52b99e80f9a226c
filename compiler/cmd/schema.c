/*
 * schema.c - `vetro schema SOURCE CLASS [METHOD...]`: what the binary of SOURCE answers to
 * `schema`.
 *
 * check() may ask the program for the values it allows, so the program is run, from the same cache
 * as `vetro run`, and both commands always agree.
 */
#include "compiler/cmd/cmd.h"

int
cmd_schema(cmd_options *o)
{
	const vt_cli_list *w = &o->line.words;
	const char *source = w->v[0];

	w->v[0] = "schema"; /* the words are the arguments of the program */
	return cmd_run_program(o, &source, 1, w->v, w->n);
}

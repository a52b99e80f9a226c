/*
 * query_vars.c - the variables that the command line of `vetro query` gives: --arg, --argjson,
 * --slurpfile, --rawfile, --args, --jsonargs and --fold.
 */
#include "compiler/cmd/query_int.h"
#include "runtime/core/base.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <string.h>

static size_t
most_bytes(const query_args *a)
{
	return (size_t)((a->document > 0 ? a->document : 1024) * 1048576);
}

static int
set_rawfile(const query_args *a, qr *q, const vt_cli_use *u, qr_error *e)
{
	vt_buf b = {NULL, 0, 0};
	int st = VC_OK;

	if (!vt_read_file(u->more, most_bytes(a), &b))
		st = vt_cli_usage(
			a->line, "--rawfile %s: %s: %s", u->text, u->more, strerror(errno));
	else if (!qr_var(q, u->text, b.p ? b.p : "", b.n, false, e))
		st = vt_cli_usage(a->line, "--rawfile %s: %s: %s", u->text, u->more, e->message);
	vt_buf_free(&b);
	return st;
}

static void
before_read(void *ctx)
{
	(void)ctx;
}

/* The documents of the file, which may be YAML as any other; what is wrong with them was said. */
static int
set_slurpfile(const query_args *a, qr *q, const vt_cli_use *u)
{
	query_args plain = {.document = a->document};
	query_input *in = query_input_new(&plain, &u->more, 1, q, true, before_read, NULL);
	enum query_got got;
	int st = VC_OK;

	while ((got = query_input_next(in)) == QUERY_DOC)
		qr_collect(q);
	if (query_input_missing(in))
		st = VC_EUSAGE;
	else if (got == QUERY_BROKEN)
		st = VC_EINPUT;
	qr_var_documents(q, u->text);
	query_input_free(in);
	return st;
}

static int
set_var(const query_args *a, qr *q, const vt_cli_use *u, qr_error *e)
{
	const char *option = u->option->names;

	if (strcmp(option, "--rawfile") == 0)
		return set_rawfile(a, q, u, e);
	if (strcmp(option, "--slurpfile") == 0)
		return set_slurpfile(a, q, u);
	return qr_var(q, u->text, u->more, strlen(u->more), !strcmp(option, "--argjson"), e)
		       ? VC_OK
		       : vt_cli_usage(a->line, "%s %s: %s", option, u->text, e->message);
}

/* The last of --args and --jsonargs before a word says what it is. */
static int
set_positional(const query_args *a, qr *q, uint32_t i, qr_error *e)
{
	bool json = false;

	for (uint32_t k = 0; k < a->marks.n && a->marks.v[k].words <= a->first_positional + i; k++)
		json = strcmp(a->marks.v[k].option->names, "--jsonargs") == 0;
	return qr_positional(q, a->positional.v[i], json, e)
		       ? VC_OK
		       : vt_cli_usage(a->line, "%s %s: %s", json ? "--jsonargs" : "--args",
				 a->positional.v[i], e->message);
}

int
query_set_vars(const query_args *a, qr *q)
{
	qr_error e = {.type = NULL};
	int st = VC_OK;

	qr_no_arguments(q);
	for (uint32_t i = 0; i < a->vars.n && st == VC_OK; i++)
		st = set_var(a, q, &a->vars.v[i], &e);
	for (uint32_t i = 0; i < a->positional.n && st == VC_OK; i++)
		st = set_positional(a, q, i, &e);
	if (st == VC_OK && a->fold && !qr_fold(q, a->fold, &e))
		st = vt_cli_usage(a->line, "--fold: %s", e.message);
	qr_error_free(&e);
	return st;
}

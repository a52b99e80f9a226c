/*
 * input.c - the documents of `vetro query`, one after another, of all files.
 *
 * Input is read in blocks.  The end of a JSON value is found before it is parsed, 64 bytes at a
 * time, so that nothing is parsed twice and no more is held than the running value.  YAML is cut at
 * its "---" lines, which cannot stand inside of a document.
 */
#include "compiler/query/input_int.h"
#include "compiler/yaml/yaml.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- files ---- */

static enum query_kind
kind_of(const char *name)
{
	static const struct {
		const char *tail;
		enum query_kind kind;
	} rows[] = {{".yaml", QUERY_YAML}, {".yml", QUERY_YAML}, {".json", QUERY_JSON},
		{".jsonl", QUERY_JSON}, {".ndjson", QUERY_JSON}};

	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (vt_ends_with(name, rows[i].tail))
			return rows[i].kind;
	return QUERY_UNKNOWN;
}

/* What is said of a file that is not there: the others are read all the same. */
static void
report_missing(query_input *in)
{
	vt_report r = {.code = vt_diag_name(VT_E0101),
		.at = {.file = in->name},
		.message = strerror(errno),
		.hint = errno == ENOENT && strpbrk(in->name, "$(")
				? "the expression comes first, and files behind it"
				: NULL};

	in->before_read(in->ctx);
	vt_report_print(&r, stderr);
	in->missing = true;
}

static enum query_got
open_next(query_input *in)
{
	const char *name;

	if (in->fd > STDIN_FILENO)
		close(in->fd);
	do {
		in->fd = -1;
		if (in->nopened == in->nfiles)
			return QUERY_END;
		name = in->files[in->nopened++];
		in->name = strcmp(name, "-") ? name : "<stdin>";
		in->fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
		if (in->fd < 0)
			report_missing(in);
	} while (in->fd < 0);
	in->eof = false;
	in->doc = in->pos = in->n = in->scanned = in->counted = 0;
	in->line = in->col = 1;
	in->kind = in->a->kind ? in->a->kind : kind_of(in->name);
	if (in->kind == QUERY_UNKNOWN && in->a->stream)
		in->kind = QUERY_JSON;
	in->named = in->kind != QUERY_UNKNOWN;
	query_input_drop_yaml(in);
	query_input_drop_stream(in);
	if (query_input_have(in, 1) == QUERY_BROKEN ||
		(in->n > 0 && in->p[0] == '\xef' && query_input_have(in, 3) == QUERY_BROKEN))
		return QUERY_BROKEN;
	if (in->n >= 3 && !memcmp(in->p, "\xef\xbb\xbf", 3))
		in->doc = in->pos = in->scanned = in->counted = 3;
	return QUERY_DOC;
}

static enum query_got
next_of_file(query_input *in)
{
	if (in->a->stream && in->kind != QUERY_JSON)
		return query_input_broken_at(in, VT_E4021, 1, 1, "--stream reads JSON only");
	if (in->a->stream)
		return query_input_next_event(in);
	switch (in->kind) {
	case QUERY_UNKNOWN: return query_input_next_unknown(in);
	case QUERY_JSON: return query_input_next_json(in);
	case QUERY_YAML: return query_input_next_yaml(in);
	case QUERY_TEXT: return query_input_next_line(in);
	}
	return QUERY_BROKEN;
}

enum query_got
query_input_next(query_input *in)
{
	enum query_got got = QUERY_END;

	if (in->broken)
		return QUERY_BROKEN;
	do {
		got = in->fd < 0 ? QUERY_END : next_of_file(in);
		if (got != QUERY_END)
			return got;
	} while ((got = open_next(in)) == QUERY_DOC);
	return got;
}

bool
query_input_missing(const query_input *in)
{
	return in->missing;
}

bool
query_input_is_broken(const query_input *in)
{
	return in->broken;
}

query_place
query_input_place(query_input *in)
{
	query_place p = {.file = in->name, .ordinal = in->ordinal};
	size_t i = in->pos;

	query_input_count_to(in, in->doc);
	p.line = in->line;
	p.col = in->col;
	if (in->next_doc) {
		uint32_t line, col;
		vc_place(in->src, in->docs[in->next_doc - 1]->span.from, &line, &col);
		p.col = line > 1 ? col : p.col + col - 1;
		p.line += line - 1;
	}
	while (i < in->n && input_is_blank(in->p[i]))
		i++;
	p.alone = in->ordinal == 1 && i == in->n && in->next_doc == in->ndocs && in->nfiles < 2;
	return p;
}

query_input *
query_input_new(const query_args *a, const char *const *files, uint32_t nfiles, qr *q, bool convert,
	void (*before_read)(void *), void *ctx)
{
	static const char *const standard[] = {"-"};
	query_input *in = calloc(1, sizeof *in);

	if (in == NULL)
		vt_no_memory();
	in->a = a;
	in->files = nfiles ? files : standard;
	in->nfiles = nfiles ? nfiles : 1;
	in->q = q;
	in->convert = convert;
	in->before_read = before_read;
	in->ctx = ctx;
	in->most = (size_t)((a->document > 0 ? a->document : 1024) * 1048576);
	in->fd = -1;
	return in;
}

void
query_input_free(query_input *in)
{
	if (in == NULL)
		return;
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	query_input_drop_yaml(in);
	query_input_drop_stream(in);
	free(in->p);
	free(in);
}

/*
 * input_read.c - the bytes of the documents of `vetro query`: blocks, places, errors.
 */
#include "compiler/query/input_int.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 18 };

/* ---- errors ---- */

/* Moves the known place to an offset that is not before it. */
void
query_input_count_to(query_input *in, size_t to)
{
	const char *p = in->p + in->counted, *end = in->p + to, *nl;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		in->line++;
		in->col = 1;
		p = nl + 1;
	}
	for (; p < end; p++)
		in->col += ((unsigned char)*p & 0xc0) != 0x80;
	in->counted = to;
}

enum query_got
query_input_broken(query_input *in, enum vt_diag code, const char *message)
{
	vt_report r = {.code = vt_diag_name(code), .at = {.file = in->name}, .message = message};

	in->before_read(in->ctx);
	vt_report_print(&r, stderr);
	in->broken = true;
	return QUERY_BROKEN;
}

/* The byte at a place of the running document. */
static size_t
offset_of(const query_input *in, uint32_t line, uint32_t col)
{
	size_t i = in->doc;

	for (; line > 1 && i < in->n; i++)
		line -= in->p[i] == '\n';
	for (; col > 1 && i < in->n && in->p[i] != '\n'; col--)
		do
			i++;
		while (i < in->n && ((unsigned char)in->p[i] & 0xc0) == 0x80);
	return i;
}

/* `tru`: the beginning of a word of JSON. */
static bool
is_cut_word(const char *p, size_t left)
{
	static const char *const own[] = {"true", "false", "null"};
	size_t n = 0;

	while (n < left && p[n] >= 'a' && p[n] <= 'z')
		n++;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (n <= strlen(own[i]) && memcmp(p, own[i], n) == 0)
			return true;
	return false;
}

/* What was likely meant where JSON broke off; or NULL. */
static const char *
json_hint(const query_input *in, size_t at)
{
	static const char *const words[] = {
		"NaN", "Infinity", "-Infinity", "None", "True", "False", "undefined"};
	const char *p = in->p + at;
	size_t left = in->n - at, before = at;

	while (before > in->doc && strchr(" \t\r\n", in->p[before - 1]))
		before--;
	if (left >= 2 && (!memcmp(p, "\xff\xfe", 2) || !memcmp(p, "\xfe\xff", 2)))
		return "this is UTF-16: iconv -f UTF-16 -t UTF-8 gives what vetro reads";
	if (left == 0)
		return before > in->doc ? "the text ends too early: is it cut off?" : NULL;
	if ((*p == '}' || *p == ']') && before > in->doc && in->p[before - 1] == ',')
		return "JSON has no comma before a closing bracket";
	if (*p == '\'')
		return "texts and keys of JSON stand in double quotes";
	if (*p == '#' || (left > 1 && *p == '/' && (p[1] == '/' || p[1] == '*')))
		return "JSON has no comments";
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (left >= strlen(words[i]) && !memcmp(p, words[i], strlen(words[i])))
			return "JSON has null, true and false, and no other words";
	if ((((*p | 32) >= 'a' && (*p | 32) <= 'z') || *p == '_') && before > in->doc &&
		strchr("{:", in->p[before - 1]) && !is_cut_word(p, left))
		return "texts and keys of JSON stand in double quotes";
	return NULL;
}

/* line and col are a place in the running document. */
enum query_got
query_input_broken_at(
	query_input *in, enum vt_diag code, uint32_t line, uint32_t col, const char *message)
{
	vt_report r = {.code = vt_diag_name(code), .message = message};

	if (code == VT_E4021)
		r.hint = json_hint(in, offset_of(in, line, col));
	if (code == VT_E4021 && r.hint == NULL && !in->named && in->ordinal <= 1)
		r.hint = "what begins as JSON has to be JSON; --input yaml reads it as YAML";
	query_input_count_to(in, in->doc);
	r.at = (vt_place){.file = in->name,
		.line = (uint32_t)in->line + line - 1,
		.col = line > 1 ? col : (uint32_t)in->col + col - 1,
		.text = in->p,
		.n = in->n,
		.from = offset_of(in, line, col)};
	in->before_read(in->ctx);
	vt_report_print(&r, stderr);
	in->broken = true;
	return QUERY_BROKEN;
}

/* ---- reading ---- */

/* Room behind the text: what was used goes, or the block grows. */
static bool
make_room(query_input *in)
{
	size_t cap = in->cap ? in->cap * 2 : BLOCK;
	char *p;

	if (in->n < in->cap)
		return true;
	if (in->doc >= in->cap / 2 && in->cap > 0) {
		query_input_count_to(in, in->doc);
		memmove(in->p, in->p + in->doc, in->n - in->doc);
		in->n -= in->doc;
		in->pos -= in->doc;
		in->scanned -= in->doc;
		in->doc = in->counted = 0;
		return true;
	}
	p = realloc(in->p, cap);
	if (p == NULL) {
		query_input_broken_at(in, VT_E0990, 1, 1, "there is no memory for the document");
		return false;
	}
	in->p = p;
	in->cap = cap;
	return true;
}

/* QUERY_DOC: there is more text; QUERY_END: there is none.  Who asks has found no end of the
 * document in what is there. */
enum query_got
query_input_fill(query_input *in)
{
	ssize_t k;

	if (in->eof)
		return QUERY_END;
	if (in->n - in->doc > in->most) {
		query_input_broken_at(
			in, VT_E0102, 1, 1, "the document is larger than --max-document allows");
		return QUERY_BROKEN;
	}
	if (!make_room(in))
		return QUERY_BROKEN;
	in->before_read(in->ctx);
	do
		k = read(in->fd, in->p + in->n, in->cap - in->n);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return query_input_broken(in, VT_E0101, strerror(errno));
	in->n += (size_t)k;
	in->eof = k == 0;
	return k ? QUERY_DOC : QUERY_END;
}

/* Makes at least `want` bytes stand behind pos, if the file has them. */
enum query_got
query_input_have(query_input *in, size_t want)
{
	enum query_got got = QUERY_DOC;

	while (in->n - in->pos < want && (got = query_input_fill(in)) == QUERY_DOC)
		;
	return got == QUERY_BROKEN ? got : in->n - in->pos < want ? QUERY_END : QUERY_DOC;
}

enum query_got
query_input_skip_blanks(query_input *in)
{
	do {
		while (in->pos < in->n &&
			(input_is_blank(in->p[in->pos]) || (in->a->seq && in->p[in->pos] == 0x1e)))
			in->pos++;
		in->doc = in->scanned = in->pos;
		if (in->pos < in->n)
			return QUERY_DOC;
	} while (query_input_fill(in) == QUERY_DOC);
	return in->eof ? QUERY_END : QUERY_BROKEN;
}

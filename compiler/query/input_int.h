/*
 * input_int.h - what the files that read documents share: input.c (files), input_read.c (bytes),
 * input_json.c, input_yaml.c, input_text.c (lines) and input_stream.c (events).
 */
#ifndef QUERY_INPUT_INT_H
#define QUERY_INPUT_INT_H

#include "compiler/query/int.h"

#include "runtime/core/diag.h"

#include <string.h>

/* Where a scan of nested JSON stands; all of it is about the bytes before. */
typedef struct input_scan {
	uint64_t depth;
	uint64_t in_string; /* all ones, or 0 */
	bool escaped;       /* the first byte is behind a backslash */
} input_scan;

typedef struct input_stream input_stream;
struct query_input {
	const query_args *a;
	qr *q;
	bool convert;
	void (*before_read)(void *);
	void *ctx;
	size_t most; /* bytes of a document */

	const char *const *files; /* "-" is standard input */
	uint32_t nfiles, nopened;
	const char *name;
	int fd; /* -1: none */
	bool eof;
	bool named;   /* the kind is known from the name, or from --input */
	bool missing; /* a file could not be opened */
	bool broken;
	enum query_kind kind;

	char *p; /* text[pos, n) is not used yet, text[doc, pos) the running document */
	size_t doc, pos, n, cap;
	size_t scanned; /* behind pos: how far the end of the document has been looked for */
	input_scan scan;

	size_t counted; /* up to here the place is known: */
	unsigned long line, col;
	unsigned long ordinal;

	vc *c; /* of the YAML documents, or NULL */
	vc_source *src;
	struct ynode **docs;
	uint32_t ndocs, next_doc;

	input_stream *stream; /* --stream: where the running document stands */
};

/* Unlike strchr, knows of NUL bytes. */
static inline bool
input_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static inline bool
input_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* A line that is "---" or "..." and no more, or a blank and more. */
static inline bool
input_is_marker(const char *p, size_t n, const char *marker)
{
	return n >= 3 && !memcmp(p, marker, 3) && (n == 3 || input_is_blank(p[3]));
}

/* ---- input_read.c ---- */

/* Moves the known place to an offset that is not before it. */
void query_input_count_to(query_input *, size_t to);
enum query_got query_input_broken(query_input *, enum vt_diag, const char *message);
/* line and col are a place in the running document. */
enum query_got query_input_broken_at(
	query_input *, enum vt_diag, uint32_t line, uint32_t col, const char *message);
/* QUERY_DOC: there is more text; QUERY_END: there is none. Who asks has found no end of the
 * document in what is there. */
enum query_got query_input_fill(query_input *);
/* Makes at least `want` bytes stand behind pos, if the file has them. */
enum query_got query_input_have(query_input *, size_t want);
/* A document begins at the next byte that is no blank. */
enum query_got query_input_skip_blanks(query_input *);

/* ---- input_json.c ---- */

/* Where the value at pos ends: QUERY_END when it goes on to the end of the file, at least. */
enum query_got query_input_find_end(query_input *, size_t *end);
enum query_got query_input_next_json(query_input *);
enum query_got query_input_next_unknown(query_input *);

/* ---- input_yaml.c ---- */

enum query_got query_input_next_yaml(query_input *);
void query_input_drop_yaml(query_input *);

/* ---- input_text.c ---- */

enum query_got query_input_next_line(query_input *);

/* ---- input_stream.c ---- */

enum query_got query_input_next_event(query_input *);
void query_input_drop_stream(query_input *);

#endif

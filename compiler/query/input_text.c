/*
 * input_text.c - lines of text as documents of `vetro query`: -R and --input=text.
 */
#include "compiler/query/input_int.h"
#include "runtime/core/value.h"

/* A text that is no UTF-8 is refused as it is in JSON. */
static enum query_got
take_text(query_input *in, size_t end, size_t used)
{
	const char *p = in->p + in->doc;
	size_t n = end - in->doc, good = vt_utf8_check(p, n);
	uint32_t line = 1, col = 1;

	in->ordinal++;
	if (good == n) {
		qr_text(in->q, p, n);
		in->pos = used;
		return QUERY_DOC;
	}
	for (size_t i = 0; i < good; i++)
		if (p[i] == '\n')
			line++, col = 1;
		else
			col += ((unsigned char)p[i] & 0xc0) != 0x80;
	return query_input_broken_at(in, VT_E4021, line, col, "the text is not UTF-8");
}

/* The next line without its end, or with -s all that is left of the file. */
enum query_got
query_input_next_line(query_input *in)
{
	char *end = NULL;
	enum query_got got = QUERY_DOC;

	in->doc = in->scanned = in->pos;
	do {
		if (!in->a->slurp && in->n > in->scanned)
			end = memchr(in->p + in->scanned, '\n', in->n - in->scanned);
		in->scanned = in->n;
	} while (end == NULL && (got = query_input_fill(in)) == QUERY_DOC);
	if (got == QUERY_BROKEN)
		return got;
	if (end)
		return take_text(in, (size_t)(end - in->p), (size_t)(end - in->p) + 1);
	return in->n == in->doc ? QUERY_END : take_text(in, in->n, in->n);
}

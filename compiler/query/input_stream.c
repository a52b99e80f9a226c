/*
 * input_stream.c - JSON as a stream of events: --stream.
 *
 * An event is [PATH, LEAF], where a leaf is a scalar or an empty container, or [PATH] where a
 * container ends behind the member at PATH; the order is jq's. Not more is held than one event.
 */
#include "compiler/query/input_int.h"
#include "runtime/core/base.h"

#include <stdlib.h>

enum want { VALUE, FIRST_ITEM, FIRST_KEY, KEY, COLON, COMMA };
enum { MAX_DEPTH = 1000 };

struct input_stream {
	enum want want;
	uint32_t depth;
	vt_buf path; /* the text of it, without brackets */
	struct level {
		bool list;
		size_t from;   /* where its part of the path begins */
		uint64_t next; /* LIST: the number of the item */
	} level[MAX_DEPTH];
};

static enum query_got
refuse(query_input *in, const char *message)
{
	return query_input_broken_at(in, VT_E4021, 1, 1, message);
}

/* The last part of the path becomes another one. */
static void
set_part(input_stream *s, const char *p, size_t n)
{
	struct level *l = &s->level[s->depth - 1];

	s->path.n = l->from;
	if (s->depth > 1)
		vt_buf_putc(&s->path, ',');
	vt_buf_put(&s->path, p, n);
}

static void
set_index(input_stream *s)
{
	char number[24];
	int n = snprintf(
		number, sizeof number, "%llu", (unsigned long long)s->level[s->depth - 1].next++);

	set_part(s, number, (size_t)n);
}

/* The event of a leaf, or with n = 0 of an end. */
static enum query_got
give(query_input *in, const char *leaf, size_t n)
{
	input_stream *s = in->stream;
	vt_buf b = {NULL, 0, 0};
	qr_error e = {.type = NULL};
	size_t used;
	bool ok;

	vt_buf_puts(&b, "[[");
	if (s->path.n)
		vt_buf_put(&b, s->path.p, s->path.n);
	vt_buf_puts(&b, n ? "]," : "]");
	vt_buf_put(&b, leaf, n);
	vt_buf_putc(&b, ']');
	ok = qr_document(in->q, b.p, b.n, in->convert, &used, &e);
	vt_buf_free(&b);
	if (ok)
		return QUERY_DOC;
	qr_error_free(&e);
	if (n && !qr_document(in->q, leaf, n, in->convert, &used, &e)) /* the place in the leaf */
		query_input_broken_at(
			in, VT_E4021, e.line ? e.line : 1, e.line ? e.col : 1, e.message);
	else
		refuse(in, "this is no JSON value");
	qr_error_free(&e);
	return QUERY_BROKEN;
}

/* Behind a value: its event, or that of the container which ended with it. */
static void
ended_value(input_stream *s)
{
	s->want = s->depth ? COMMA : VALUE;
}

static enum query_got
end_container(query_input *in, bool empty)
{
	input_stream *s = in->stream;
	bool list = s->level[s->depth - 1].list;
	size_t from = s->level[s->depth - 1].from;
	enum query_got got;

	in->pos++;
	if (empty)
		s->path.n = from;
	got = give(in, list ? "[]" : "{}", empty ? 2 : 0);
	s->path.n = from;
	s->depth--;
	ended_value(s);
	return got;
}

static enum query_got
begin_container(query_input *in, bool list)
{
	input_stream *s = in->stream;

	if (s->depth == MAX_DEPTH)
		return refuse(in, "nested too deeply");
	s->level[s->depth++] = (struct level){list, s->path.n, 0};
	s->want = list ? FIRST_ITEM : FIRST_KEY;
	in->pos++;
	return QUERY_END; /* no event yet */
}

static enum query_got
take_value(query_input *in)
{
	input_stream *s = in->stream;
	char c = in->p[in->pos];
	size_t end, from = in->pos;
	enum query_got got;

	if (s->depth == 0)
		in->ordinal++;
	else if (s->level[s->depth - 1].list)
		set_index(s);
	if (c == '{' || c == '[')
		return begin_container(in, c == '[');
	got = query_input_find_end(in, &end);
	if (got == QUERY_BROKEN)
		return got;
	from = in->pos;
	if (end == from)
		return refuse(in, "this is no JSON value");
	got = give(in, in->p + from, end - from);
	in->pos = end;
	ended_value(s);
	return got;
}

static enum query_got
take_key(query_input *in)
{
	qr_error e = {.type = NULL};
	size_t end, used;
	enum query_got got;

	if (in->p[in->pos] != '"')
		return refuse(in, "a key is expected, which is a string");
	got = query_input_find_end(in, &end);
	if (got == QUERY_BROKEN)
		return got;
	if (!qr_document(in->q, in->p + in->pos, end - in->pos, in->convert, &used, &e)) {
		got = query_input_broken_at(
			in, VT_E4021, e.line ? e.line : 1, e.line ? e.col : 1, e.message);
		qr_error_free(&e);
		return got;
	}
	set_part(in->stream, in->p + in->pos, end - in->pos);
	in->pos = end;
	in->stream->want = COLON;
	return QUERY_END;
}

/* QUERY_END: no event yet. */
static enum query_got
step(query_input *in)
{
	input_stream *s = in->stream;
	char c = in->p[in->pos];
	bool list = s->depth && s->level[s->depth - 1].list;

	switch (s->want) {
	case VALUE: return take_value(in);
	case FIRST_ITEM: return c == ']' ? end_container(in, true) : take_value(in);
	case FIRST_KEY: return c == '}' ? end_container(in, true) : take_key(in);
	case KEY: return take_key(in);
	case COLON:
		if (c != ':')
			return refuse(in, "a ':' is expected");
		s->want = VALUE;
		break;
	case COMMA:
		if (c == (list ? ']' : '}'))
			return end_container(in, false);
		if (c != ',')
			return refuse(
				in, list ? "',' or ']' is expected" : "',' or '}' is expected");
		s->want = list ? VALUE : KEY;
		break;
	}
	in->pos++;
	return QUERY_END;
}

enum query_got
query_input_next_event(query_input *in)
{
	enum query_got got;

	if (in->stream == NULL)
		in->stream = vt_xzalloc(sizeof *in->stream);
	do {
		got = query_input_skip_blanks(in);
		if (got == QUERY_END && in->stream->depth)
			return refuse(in, "the document ends inside of a list or an object");
		if (got == QUERY_DOC) {
			got = step(in);
			if (got == QUERY_END)
				continue;
		}
		return got;
	} while (true);
}

void
query_input_drop_stream(query_input *in)
{
	if (in->stream)
		vt_buf_free(&in->stream->path);
	free(in->stream);
	in->stream = NULL;
}

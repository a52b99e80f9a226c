/*
 * map.c - where each byte of a scalar's decoded text stands in the file.
 *
 * libyaml has decoded the scalar; this walks its bytes and the decoded text side by side, so
 * nothing is decided here: what to skip follows from the style, and when the two do not match the
 * map ends early. A piece {at, src} says that text[at..] is the bytes from src on, up to the next
 * piece; a piece begins wherever the two run apart: behind a quote pair, an escape, a folded line
 * end, an indentation.
 */
#include "compiler/yaml/int.h"

#include <string.h>

typedef struct walk {
	vc *c;
	ynode *n;
	const char *s;   /* the file */
	uint32_t p, end; /* in the file */
	uint32_t v;      /* in the decoded text */
	int64_t shift;   /* p - v of the piece that is open; a new piece begins when it changes */
} walk;

static void
mark(walk *w)
{
	int64_t shift = (int64_t)w->p - w->v;
	if (w->n->nmap && shift == w->shift)
		return;
	if (w->n->nmap && w->n->map[w->n->nmap - 1].at == w->v) {
		w->n->map[w->n->nmap - 1].src = w->p;
	} else {
		yn_piece piece = {w->v, w->p};
		vc_push(w->c, w->n->map, w->n->nmap) = piece;
	}
	w->shift = shift;
}

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

/* Length of the line break at p: LF, CR, CRLF, NEL, LS or PS, as YAML 1.1 has them; 0 when there is
 * none. */
static uint32_t
break_length(const char *s, uint32_t p, uint32_t end)
{
	if (p >= end)
		return 0;
	if (s[p] == '\r')
		return p + 1 < end && s[p + 1] == '\n' ? 2 : 1;
	if (s[p] == '\n')
		return 1;
	if (end - p >= 2 && !memcmp(s + p, "\xc2\x85", 2))
		return 2;
	if (end - p >= 3 &&
		(!memcmp(s + p, "\xe2\x80\xa8", 3) || !memcmp(s + p, "\xe2\x80\xa9", 3)))
		return 3;
	return 0;
}

/* Blanks and line ends from p on; the number of line ends, and where the run stops. */
static uint32_t
blank_run(const walk *w, uint32_t *stop)
{
	uint32_t p = w->p, breaks = 0;
	while (p < w->end) {
		uint32_t n = break_length(w->s, p, w->end);
		if (!n && !is_blank(w->s[p]))
			break;
		breaks += n != 0;
		p += n ? n : 1;
	}
	*stop = p;
	return breaks;
}

/* What a line end of a quoted or plain scalar became: one space, or one \n less than there were. */
static void
skip_fold(walk *w, uint32_t stop)
{
	mark(w);
	if (w->v < w->n->ntext && w->n->text[w->v] == ' ')
		w->v++;
	else
		while (w->v < w->n->ntext && w->n->text[w->v] == '\n')
			w->v++;
	w->p = stop;
}

static uint32_t
hex_value(const char *s, uint32_t n)
{
	uint32_t x = 0;
	for (uint32_t i = 0; i < n; i++)
		x = x << 4 | (uint32_t)vt_hex_digit(s[i]);
	return x;
}

static uint32_t
utf8_size(uint32_t ch)
{
	return ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
}

/* A backslash escape: its bytes in the file, and in the text. */
static void
skip_escape(walk *w)
{
	uint32_t left = w->end - w->p;
	char kind = left > 1 ? w->s[w->p + 1] : 0;
	uint32_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
	uint32_t size = kind == 'N' || kind == '_' ? 2 : kind == 'L' || kind == 'P' ? 3 : 1;
	if (digits && left >= 2 + digits)
		size = utf8_size(hex_value(w->s + w->p + 2, digits));
	mark(w);
	w->p += 2 + digits;
	w->v += size;
	mark(w);
}

/* An escaped line end is nothing; blank lines behind it are still \n, the next indentation is not.
 */
static void
skip_escaped_break(walk *w)
{
	uint32_t stop;
	w->p += 1 + break_length(w->s, w->p + 1, w->end);
	blank_run(w, &stop);
	mark(w);
	while (w->v < w->n->ntext && w->n->text[w->v] == '\n')
		w->v++;
	w->p = stop;
}

/* Bytes that stand for themselves; a run at a time, or long runs of blanks would be looked through
 * again and again. */
static bool
copy_run(walk *w, uint32_t stop)
{
	mark(w);
	while (w->p < stop && w->v < w->n->ntext && w->s[w->p] == w->n->text[w->v]) {
		w->p++;
		w->v++;
	}
	return w->p == stop;
}

static void
map_flow(walk *w, enum ys_style style)
{
	while (w->v < w->n->ntext && w->p < w->end) {
		uint32_t stop;
		char ch = w->s[w->p];
		if (style == YS_DOUBLE && ch == '\\') {
			if (break_length(w->s, w->p + 1, w->end))
				skip_escaped_break(w);
			else
				skip_escape(w);
		} else if (style == YS_SINGLE && ch == '\'') {
			mark(w);
			w->p += 2;
			w->v++;
		} else if (is_blank(ch) || break_length(w->s, w->p, w->end)) {
			if (blank_run(w, &stop))
				skip_fold(w, stop);
			else if (!copy_run(w, stop))
				return;
		} else if (!copy_run(w, w->p + 1)) {
			return;
		}
	}
}

static void
skip_line(walk *w)
{
	while (w->p < w->end && !break_length(w->s, w->p, w->end))
		w->p++;
	w->p += break_length(w->s, w->p, w->end);
}

static uint32_t
spaces_at(const char *s, uint32_t p, uint32_t end)
{
	uint32_t n = 0;
	while (p + n < end && s[p + n] == ' ')
		n++;
	return n;
}

/* The indentation is what the first line with text has in the file and not in the decoded text. */
static uint32_t
block_indent(const walk *w)
{
	uint32_t p = w->p, v = 0;
	for (; p < w->end;) {
		uint32_t n = spaces_at(w->s, p, w->end), b = break_length(w->s, p + n, w->end);
		if (!b) {
			while (v < w->n->ntext && w->n->text[v] == '\n')
				v++;
			uint32_t own = spaces_at(w->n->text, v, w->n->ntext);
			return n > own ? n - own : 0;
		}
		p += n + b;
	}
	return 0;
}

/* A line of a block scalar without its end. */
static void
map_block_line(walk *w, uint32_t indent)
{
	uint32_t n = spaces_at(w->s, w->p, w->end);
	w->p += n < indent ? n : indent;
	mark(w);
	while (w->p < w->end && w->v < w->n->ntext && w->s[w->p] == w->n->text[w->v] &&
		!break_length(w->s, w->p, w->end)) {
		w->p++;
		w->v++;
	}
}

/* Literal keeps each line end; folded makes a space of one, or keeps those of blank and indented
 * lines. */
static void
map_block(walk *w, enum ys_style style)
{
	skip_line(w);
	uint32_t indent = block_indent(w);
	while (w->v < w->n->ntext && w->p < w->end) {
		map_block_line(w, indent);
		uint32_t n = break_length(w->s, w->p, w->end);
		if (!n || w->v >= w->n->ntext)
			return;
		char ch = w->n->text[w->v];
		if (ch == '\n' || (style == YS_FOLDED && ch == ' '))
			w->v++;
		else if (style == YS_LITERAL || w->v == 0)
			return;
		w->p += n;
	}
}

void
ys_make_map(vc *c, ynode *n, enum ys_style style, uint32_t from, uint32_t to)
{
	walk w = {c, n, n->span.src->text, from, to, 0, 0};
	/* Most scalars: nothing was decoded. */
	n->verbatim = style == YS_PLAIN && from == n->span.from && n->ntext <= to - from &&
		      !memcmp(n->text, w.s + from, n->ntext);
	if (n->verbatim)
		return;
	switch (style) {
	case YS_SINGLE:
	case YS_DOUBLE:
		w.p++;
		/* fall through */
	case YS_PLAIN:
		mark(&w);
		map_flow(&w, style);
		break;
	case YS_LITERAL:
	case YS_FOLDED: map_block(&w, style); break;
	}
}

/* ---- the map's users ---- */

/* Index of the piece that holds a byte of the text. */
static uint32_t
piece_of(const ynode *n, uint32_t at)
{
	uint32_t low = 0, high = n->nmap;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (n->map[mid].at <= at)
			low = mid;
		else
			high = mid;
	}
	return low;
}

uint32_t
yn_offset(const ynode *n, uint32_t at)
{
	if (n->verbatim)
		return at < n->span.to - n->span.from ? n->span.from + at : n->span.to;
	if (!n->nmap)
		return n->span.from;
	uint32_t i = piece_of(n, at);
	const yn_piece *p = &n->map[i];
	uint32_t offset = at > p->at ? p->src + (at - p->at) : p->src;
	if (i + 1 < n->nmap && offset > p[1].src)
		offset = p[1].src;
	return offset < n->span.to || n->span.to < n->span.from ? offset : n->span.to;
}

/* The end is one byte behind the last byte, since the place of `to` may be on the next line. */
vc_span
yn_subspan(const ynode *n, uint32_t from, uint32_t to)
{
	vc_span s = {n->span.src, yn_offset(n, from), 0};
	s.to = s.from;
	if (to > from && n->verbatim) {
		s.to = yn_offset(n, to - 1) + 1;
	} else if (to > from) {
		uint32_t i = piece_of(n, to - 1);
		s.to = yn_offset(n, to - 1) + 1;
		bool escape = n->nmap && n->span.src->text[n->map[i].src] == '\\';
		if (escape && i + 1 < n->nmap && n->map[i + 1].at == to &&
			n->text[n->map[i].at] != '\\')
			s.to = n->map[i + 1].src;
	}
	if (s.to > n->span.to && n->span.to >= s.from)
		s.to = n->span.to;
	return s;
}

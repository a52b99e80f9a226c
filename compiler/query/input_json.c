/*
 * input_json.c - JSON documents of `vetro query`, and what is JSON.
 */
#include "compiler/query/input_int.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- the end of a JSON value ---- */

/* One bit for each of 64 bytes. */
typedef struct masks {
	uint64_t quote, backslash, open, close;
} masks;

static masks
look(const char *p)
{
	masks m = {0, 0, 0, 0};
#ifdef __SSE2__
	for (int i = 0; i < 4; i++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * i));
		__m128i low = _mm_or_si128(v, _mm_set1_epi8(0x20)); /* [ and { alike */
#define MASK(v, c) \
	((uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8((v), _mm_set1_epi8(c))) << 16 * i)
		m.quote |= MASK(v, '"');
		m.backslash |= MASK(v, '\\');
		m.open |= MASK(low, '{');
		m.close |= MASK(low, '}');
#undef MASK
	}
#else
	for (int i = 0; i < 64; i++) {
		m.quote |= (uint64_t)(p[i] == '"') << i;
		m.backslash |= (uint64_t)(p[i] == '\\') << i;
		m.open |= (uint64_t)(p[i] == '{' || p[i] == '[') << i;
		m.close |= (uint64_t)(p[i] == '}' || p[i] == ']') << i;
	}
#endif
	return m;
}

/* Quotes behind a backslash are none. */
static uint64_t
real_quotes(input_scan *s, masks m)
{
	uint64_t hidden = s->escaped, left = m.backslash & ~hidden;

	s->escaped = false;
	while (left) {
		uint64_t next = (left & -left) << 1;
		s->escaped = next == 0;
		hidden |= next;
		left &= left - 1;
		left &= ~next;
	}
	return m.quote & ~hidden;
}

/* Each bit becomes the parity of itself and those below: set between an opening quote and its
 * closing one. */
static uint64_t
parity(uint64_t x)
{
	for (int i = 1; i < 64; i *= 2)
		x ^= x << i;
	return x;
}

/* Behind the last byte of the value among these 64, or 0 when it does not end here. */
static unsigned
scan_block(input_scan *s, const char *p)
{
	masks m = look(p);
	uint64_t inside = parity(real_quotes(s, m)) ^ s->in_string, both;

	s->in_string = -(inside >> 63);
	m.open &= ~inside;
	m.close &= ~inside;
	if (s->depth > (uint64_t)__builtin_popcountll(m.close)) {
		s->depth += (uint64_t)__builtin_popcountll(m.open) -
			    (uint64_t)__builtin_popcountll(m.close);
		return 0;
	}
	for (both = m.open | m.close; both; both &= both - 1) {
		uint64_t bit = both & -both;
		s->depth += m.open & bit ? 1 : (uint64_t)-1;
		if (s->depth == 0)
			return (unsigned)__builtin_ctzll(bit) + 1;
	}
	return 0;
}

/* The text that there is; the last bytes are looked at once more when others have come. */
static bool
scan_nested(query_input *in, size_t *end)
{
	char tail[64];
	input_scan s;
	unsigned k;

	for (; in->n - in->scanned >= 64; in->scanned += 64)
		if ((k = scan_block(&in->scan, in->p + in->scanned))) {
			*end = in->scanned + k;
			return true;
		}
	memset(tail, ' ', sizeof tail);
	memcpy(tail, in->p + in->scanned, in->n - in->scanned);
	s = in->scan;
	k = scan_block(&s, tail);
	*end = in->scanned + k;
	return k != 0;
}

static bool
scan_string(query_input *in, size_t *end)
{
	size_t i = in->scanned == in->pos ? in->pos + 1 : in->scanned;

	for (; i < in->n && in->p[i] != '"'; i++)
		if (in->p[i] == '\\' && ++i >= in->n) {
			i--;
			break;
		}
	in->scanned = i;
	*end = i + 1;
	return i < in->n && in->p[i] == '"';
}

static bool
scan_word(query_input *in, size_t *end)
{
	size_t i = in->scanned == in->pos ? in->pos + 1 : in->scanned;

	while (i < in->n && !input_is_blank(in->p[i]) && !input_one_of(in->p[i], "[]{}:,\""))
		i++;
	in->scanned = *end = i;
	return i < in->n;
}

/* Where the value at pos ends: QUERY_END when it goes on to the end of the file, at least. */
enum query_got
query_input_find_end(query_input *in, size_t *end)
{
	bool (*find)(query_input *, size_t *) = in->p[in->pos] == '{' || in->p[in->pos] == '['
							? scan_nested
						: in->p[in->pos] == '"' ? scan_string
									: scan_word;
	enum query_got got = QUERY_DOC;

	in->scan = (input_scan){0, 0, false};
	in->scanned = in->pos;
	while (!find(in, end) && (got = query_input_fill(in)) == QUERY_DOC)
		;
	if (got == QUERY_END)
		*end = in->n;
	return got;
}

/* ---- JSON values ---- */

/* The value at pos. Text that begins no value reads as a bad one. */
static bool
take_json(query_input *in, size_t end, qr_error *e)
{
	size_t used = 0, n = end - in->pos;

	if (!qr_document(in->q, in->p + in->pos, n, in->convert, &used, e))
		return false;
	if (used < n && !input_one_of(in->p[in->pos], "{[")) {
		const char *p = in->p + in->pos;
		uint32_t col = 1;
		for (size_t i = 0; i < used; i++)
			col += ((unsigned char)p[i] & 0xc0) != 0x80;
		qr_error_set(e, "RequestError", 1, col, "text after the value");
		qr_forget(in->q);
		return false;
	}
	in->pos += used;
	return true;
}

/* Is it the "---" of a stream of YAML that began as JSON? */
static bool
turns_yaml(query_input *in)
{
	return !in->named && in->p[in->pos] == '-' && query_input_have(in, 2) == QUERY_DOC &&
	       in->p[in->pos + 1] == '-' && query_input_have(in, 4) != QUERY_BROKEN &&
	       input_is_marker(in->p + in->pos, in->n - in->pos, "---");
}

enum query_got
query_input_next_json(query_input *in)
{
	qr_error e = {.type = NULL};
	size_t end;
	enum query_got got = query_input_skip_blanks(in);

	if (got != QUERY_DOC)
		return got;
	if (turns_yaml(in)) {
		in->kind = QUERY_YAML;
		return query_input_next_yaml(in);
	}
	if (in->broken || query_input_find_end(in, &end) == QUERY_BROKEN)
		return QUERY_BROKEN;
	in->ordinal++;
	if (take_json(in, end, &e))
		return QUERY_DOC;
	got = query_input_broken_at(
		in, VT_E4021, e.line ? e.line : 1, e.line ? e.col : 1, e.message);
	qr_error_free(&e);
	return got;
}

/* ---- is it JSON, or YAML? ---- */

/* A number of JSON, or one of its words. */
static bool
is_json_word(const char *p, size_t n)
{
	const char *end = p + n, *from;

	if ((n == 4 && (!memcmp(p, "true", 4) || !memcmp(p, "null", 4))) ||
		(n == 5 && !memcmp(p, "false", 5)))
		return true;
	p += p < end && *p == '-';
	for (from = p; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (p == from || (*from == '0' && p > from + 1))
		return false;
	if (p < end && *p == '.')
		for (from = ++p; p < end && *p >= '0' && *p <= '9'; p++)
			;
	if (p == from)
		return false;
	if (p < end && (*p | 32) == 'e') {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		for (from = p; p < end && *p >= '0' && *p <= '9'; p++)
			;
	}
	return p == end && p > from;
}

/* Moves on in the text without using it: the next byte behind blanks, from *i on. */
static enum query_got
peek(query_input *in, size_t *i, const char *blanks)
{
	do {
		while (*i < in->n - in->pos && input_one_of(in->p[in->pos + *i], blanks))
			++*i;
		if (*i < in->n - in->pos)
			return QUERY_DOC;
	} while (query_input_fill(in) == QUERY_DOC);
	return in->eof ? QUERY_END : QUERY_BROKEN;
}

/* The word at *i as far as it goes. */
static enum query_got
peek_word(query_input *in, size_t i, size_t *end)
{
	*end = i;
	do {
		while (*end < in->n - in->pos && !input_is_blank(in->p[in->pos + *end]) &&
			!input_one_of(in->p[in->pos + *end], "[]{}:,\""))
			++*end;
		if (*end < in->n - in->pos)
			return QUERY_DOC;
	} while (query_input_fill(in) == QUERY_DOC);
	return in->eof ? QUERY_DOC : QUERY_BROKEN;
}

/* Behind [ or {: would JSON begin so? A list of YAML, [a, b], and a mapping, {a: 1}, do not. */
static enum query_got
nested_begins(query_input *in, bool *json)
{
	size_t i = 0, end;
	enum query_got got;
	char c, open;

	do {
		open = in->p[in->pos + i++];
		got = peek(in, &i, " \t\r\n");
		if (got != QUERY_DOC) {
			*json = got == QUERY_END;
			return got == QUERY_BROKEN ? got : QUERY_DOC;
		}
		c = in->p[in->pos + i];
	} while (open == '[' && (c == '[' || c == '{'));
	*json = c == '"' || c == (open == '[' ? ']' : '}');
	if (*json || open == '{')
		return QUERY_DOC;
	if (peek_word(in, i, &end) == QUERY_BROKEN)
		return QUERY_BROKEN;
	*json = is_json_word(in->p + in->pos + i, end - i);
	return QUERY_DOC;
}

/* "a": 1 is YAML. What else begins with a quote is JSON. */
static enum query_got
text_begins(query_input *in, bool *json)
{
	size_t end, i;
	enum query_got got = query_input_find_end(in, &end);

	if (got == QUERY_BROKEN)
		return got;
	i = end - in->pos;
	*json = true;
	if (got == QUERY_END || i >= in->n - in->pos || in->p[in->pos + i] == '\n')
		return QUERY_DOC;
	got = peek(in, &i, " \t");
	*json = got != QUERY_DOC || in->p[in->pos + i] != ':';
	return got == QUERY_BROKEN ? got : QUERY_DOC;
}

/* A number or a word: 2 apples and 1: one are YAML. */
static enum query_got
word_begins(query_input *in, bool *json)
{
	size_t i = 0, end;
	char c;

	if (peek_word(in, 0, &end) == QUERY_BROKEN)
		return QUERY_BROKEN;
	*json = is_json_word(in->p + in->pos, end);
	i = end;
	if (!*json || (i < in->n - in->pos && in->p[in->pos + i] == '\n'))
		return QUERY_DOC;
	if (peek(in, &i, " \t\r") != QUERY_DOC)
		return in->eof ? QUERY_DOC : QUERY_BROKEN;
	c = in->p[in->pos + i];
	if (c == '\n' || input_one_of(c, "[{\""))
		return QUERY_DOC;
	if (peek_word(in, i, &end) == QUERY_BROKEN)
		return QUERY_BROKEN;
	*json = is_json_word(in->p + in->pos + i, end - i);
	return QUERY_DOC;
}

/* The first document decides. */
enum query_got
query_input_next_unknown(query_input *in)
{
	bool json = false;
	enum query_got got = query_input_skip_blanks(in);
	char c;

	if (got != QUERY_DOC)
		return got;
	c = in->p[in->pos];
	got = c == '{' || c == '[' ? nested_begins(in, &json)
	      : c == '"'           ? text_begins(in, &json)
				   : word_begins(in, &json);
	if (got == QUERY_BROKEN)
		return got;
	in->kind = json ? QUERY_JSON : QUERY_YAML;
	if (json)
		return query_input_next_json(in);
	/* YAML counts the blanks in front. */
	in->pos = in->doc;
	while (in->pos > in->counted && in->p[in->pos - 1] == ' ')
		in->pos--;
	in->doc = in->pos;
	return query_input_next_yaml(in);
}

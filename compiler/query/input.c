/*
 * input.c - the documents of `vetro query`, one after another.
 *
 * Input is read in blocks.  The end of a JSON value is found before it is parsed, 64 bytes at a
 * time, so that nothing is parsed twice and no more is held than the running value.  YAML is cut at
 * its "---" lines, which cannot stand inside of a document.
 */
#include "compiler/query/int.h"
#include "runtime/core/diag.h"
#include "runtime/text/report.h"
#include "runtime/text/text.h"
#include "compiler/yaml/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 1 << 18 };
enum format { UNKNOWN, JSON, YAML };

/* Where a scan of nested JSON stands; all of it is about the bytes before. */
typedef struct scan {
	uint64_t depth;
	uint64_t in_string; /* all ones, or 0 */
	bool escaped;       /* the first byte is behind a backslash */
} scan;

struct query_input {
	const query_args *a;
	qr *q;
	bool convert;
	void (*before_read)(void *);
	void *ctx;
	size_t most; /* bytes of a document */

	uint32_t nopened; /* files */
	const char *name;
	int fd; /* -1: none */
	bool eof, named;
	enum format format;

	char *p; /* text[pos, n) is not used yet, text[doc, pos) the running document */
	size_t doc, pos, n, cap;
	size_t scanned; /* behind pos: how far the end of the document has been looked for */
	scan scan;

	size_t counted; /* up to here the place is known: */
	unsigned long line, col;
	unsigned long ordinal;

	vc *c; /* of the YAML documents, or NULL */
	vc_source *src;
	ynode **docs;
	uint32_t ndocs, next_doc;
};

/* ---- errors ---- */

/* Moves the known place to an offset that is not before it. */
static void
count_to(query_input *in, size_t to)
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

static enum query_got
broken(const query_input *in, enum vt_diag code, const char *message)
{
	vt_report r = {.code = vt_diag_name(code), .at = {.file = in->name}, .message = message};

	vt_report_print(&r, stderr);
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

/* line and col are a place in the running document. */
static enum query_got
broken_at(query_input *in, enum vt_diag code, uint32_t line, uint32_t col, const char *message)
{
	vt_report r = {.code = vt_diag_name(code), .message = message};

	count_to(in, in->doc);
	r.at = (vt_place){.file = in->name,
		.line = (uint32_t)in->line + line - 1,
		.col = line > 1 ? col : (uint32_t)in->col + col - 1,
		.text = in->p,
		.n = in->n,
		.from = offset_of(in, line, col)};
	vt_report_print(&r, stderr);
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
		count_to(in, in->doc);
		memmove(in->p, in->p + in->doc, in->n - in->doc);
		in->n -= in->doc;
		in->pos -= in->doc;
		in->scanned -= in->doc;
		in->doc = in->counted = 0;
		return true;
	}
	p = realloc(in->p, cap);
	if (p == NULL) {
		broken_at(in, VT_E0990, 1, 1, "there is no memory for the document");
		return false;
	}
	in->p = p;
	in->cap = cap;
	return true;
}

/* QUERY_DOC: there is more text; QUERY_END: there is none.  Who asks has found no end of the
 * document in what is there. */
static enum query_got
fill(query_input *in)
{
	ssize_t k;

	if (in->eof)
		return QUERY_END;
	if (in->n - in->doc > in->most) {
		broken_at(in, VT_E0102, 1, 1, "the document is larger than --max-document allows");
		return QUERY_BROKEN;
	}
	if (!make_room(in))
		return QUERY_BROKEN;
	in->before_read(in->ctx);
	do
		k = read(in->fd, in->p + in->n, in->cap - in->n);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return broken(in, VT_E0101, strerror(errno));
	in->n += (size_t)k;
	in->eof = k == 0;
	return k ? QUERY_DOC : QUERY_END;
}

/* Makes at least `want` bytes stand behind pos, if the file has them. */
static enum query_got
have(query_input *in, size_t want)
{
	enum query_got got = QUERY_DOC;

	while (in->n - in->pos < want && (got = fill(in)) == QUERY_DOC)
		;
	return got == QUERY_BROKEN ? got : in->n - in->pos < want ? QUERY_END : QUERY_DOC;
}

/* Unlike strchr, knows of NUL bytes. */
static bool
one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static enum query_got
skip_blanks(query_input *in)
{
	do {
		while (in->pos < in->n && is_blank(in->p[in->pos]))
			in->pos++;
		in->doc = in->scanned = in->pos;
		if (in->pos < in->n)
			return QUERY_DOC;
	} while (fill(in) == QUERY_DOC);
	return in->eof ? QUERY_END : QUERY_BROKEN;
}

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
real_quotes(scan *s, masks m)
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
scan_block(scan *s, const char *p)
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
	scan s;
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

	while (i < in->n && !is_blank(in->p[i]) && !one_of(in->p[i], "[]{}:,\""))
		i++;
	in->scanned = *end = i;
	return i < in->n;
}

/* Where the value at pos ends: QUERY_END when it goes on to the end of the file, at least. */
static enum query_got
find_end(query_input *in, size_t *end)
{
	bool (*find)(query_input *, size_t *) = in->p[in->pos] == '{' || in->p[in->pos] == '['
							? scan_nested
						: in->p[in->pos] == '"' ? scan_string
									: scan_word;
	enum query_got got = QUERY_DOC;

	in->scan = (scan){0, 0, false};
	in->scanned = in->pos;
	while (!find(in, end) && (got = fill(in)) == QUERY_DOC)
		;
	if (got == QUERY_END)
		*end = in->n;
	return got;
}

/* ---- YAML to values ---- */

/* Tags as the suite's value encoding has them; only a document that needs one is read as tagged. */
static void
put_float(vt_buf *b, double f, bool *tagged)
{
	if (f != f || f > 1.7976931348623157e308 || f < -1.7976931348623157e308) {
		*tagged = true;
		vt_buf_printf(b, "{\"$float\":\"%s\"}", f != f ? "nan" : f > 0 ? "inf" : "-inf");
	} else {
		size_t from = b->n;
		vt_buf_printf(b, "%.17g", f);
		for (char *p = b->p + from; p < b->p + b->n; p++)
			*p = (char)(*p == ',' ? '.' : *p); /* a Lua hook may have set a locale */
		if (!memchr(b->p + from, '.', b->n - from) &&
			!memchr(b->p + from, 'e', b->n - from))
			vt_buf_puts(b, ".0");
	}
}

static void
put_scalar(vt_buf *b, const ynode *y, bool *tagged)
{
	switch ((enum yn_type)y->type) {
	case YT_NULL: vt_buf_puts(b, "null"); return;
	case YT_BOOL: vt_buf_puts(b, y->i ? "true" : "false"); return;
	case YT_INT:
		if (y->fits)
			vt_buf_printf(b, "%lld", (long long)y->i);
		else
			vt_buf_puts(b, y->digits);
		return;
	case YT_FLOAT: put_float(b, y->f, tagged); return;
	/* datetime() reads the text of a date */
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: vt_json_str(b, y->text, y->ntext); return;
	}
}

static bool
plain_keys(const ynode *y)
{
	for (uint32_t i = 0; i < y->n; i++)
		if (y->key[i]->kind != YN_SCALAR || y->key[i]->type != YT_STR)
			return false;
	return true;
}

/* Recursion is bounded by the depth limit of the YAML reader. */
static void
put_yaml(vt_buf *b, const ynode *y, bool *tagged)
{
	bool plain = y->kind != YN_MAP || plain_keys(y);

	if (y->kind == YN_SCALAR) {
		put_scalar(b, y, tagged);
		return;
	}
	*tagged |= !plain;
	vt_buf_puts(b, y->kind == YN_SEQ ? "[" : plain ? "{" : "{\"$dict\":[");
	for (uint32_t i = 0; i < y->n; i++) {
		vt_buf_puts(b, i ? "," : "");
		if (y->kind == YN_MAP) {
			vt_buf_puts(b, plain ? "" : "[");
			put_yaml(b, y->key[i], tagged);
			vt_buf_puts(b, plain ? ":" : ",");
		}
		put_yaml(b, y->item[i], tagged);
		vt_buf_puts(b, plain ? "" : "]");
	}
	vt_buf_puts(b, y->kind == YN_SEQ ? "]" : plain ? "}" : "]}");
}

static bool
put_document(query_input *in, const ynode *doc)
{
	vt_buf b = {NULL, 0, 0};
	qr_error e = {.type = NULL};
	bool tagged = false, ok;

	put_yaml(&b, doc, &tagged);
	qr_forget(in->q);
	ok = qr_data(in->q, b.p, b.n, tagged, in->convert, &e);
	if (!ok)
		broken(in, VT_E0207, e.message);
	qr_error_free(&e);
	vt_buf_free(&b);
	return ok;
}

/* A line that is "---" or "..." and no more, or a blank and more. */
static bool
is_marker(const char *p, size_t n, const char *marker)
{
	return n >= 3 && !memcmp(p, marker, 3) && (n == 3 || is_blank(p[3]));
}

enum line_kind { LINE_START, LINE_END, LINE_ASIDE, LINE_TEXT };

static enum line_kind
line_kind(const char *p, size_t n)
{
	size_t i = 0;

	if (is_marker(p, n, "---"))
		return LINE_START;
	if (is_marker(p, n, "..."))
		return LINE_END;
	while (i < n && is_blank(p[i]))
		i++;
	return i == n || p[i] == '#' || p[0] == '%' ? LINE_ASIDE : LINE_TEXT;
}

/* One document's text: [doc, *end). A marker begins a new one when anything was said before. */
static enum query_got
find_chunk(query_input *in, size_t *end)
{
	bool said = false, last = false;

	in->scanned = in->pos;
	while (!last) {
		char *line = in->p + in->scanned, *nl;
		size_t left = in->n - in->scanned;
		nl = memchr(line, '\n', left);
		if (nl == NULL) {
			enum query_got got = fill(in);
			if (got == QUERY_BROKEN)
				return got;
			if (got == QUERY_DOC)
				continue;
			last = true;
		}
		line = in->p + in->scanned;
		left = nl ? (size_t)(nl - line) + 1 : in->n - in->scanned;
		switch (line_kind(line, left)) {
		case LINE_START:
			if (said) {
				*end = in->scanned;
				return QUERY_DOC;
			}
			said = true;
			break;
		case LINE_END: last |= said; break;
		case LINE_TEXT: said = true; break;
		case LINE_ASIDE: break;
		}
		in->scanned += left;
	}
	*end = in->scanned;
	return *end > in->doc ? QUERY_DOC : QUERY_END;
}

static void
drop_yaml(query_input *in)
{
	if (in->c)
		vc_free(in->c);
	in->c = NULL;
	in->docs = NULL;
	in->ndocs = in->next_doc = 0;
}

/* Empty lines in front give the text the lines of its file. */
static bool
parse_chunk(query_input *in, size_t end, unsigned long above)
{
	size_t n = end - in->doc;
	char *text;

	drop_yaml(in);
	in->c = vc_new();
	in->c->limit.max_file = in->most;
	text = vc_alloc(in->c, above + n + 1);
	memset(text, '\n', above);
	memcpy(text + above, in->p + in->doc, n);
	in->src = vc_source_take(in->c, in->name, text, above + n);
	if (in->src)
		in->docs = vc_yaml_parse(in->c, in->src,
			&(vc_yaml_opts){.keep_empty = true, .flags = YQ_F_MURANO}, &in->ndocs);
	return in->src && vc_errors(in->c) == 0;
}

static enum query_got
bad_yaml(query_input *in, size_t end)
{
	count_to(in, in->doc);
	parse_chunk(in, end, in->line - 1);
	vc_print_diags(in->c, VC_TEXT, stderr);
	drop_yaml(in);
	return QUERY_BROKEN;
}

/* json: what was wrong with the text as JSON, when it begins like JSON. */
static enum query_got
next_yaml(query_input *in, const qr_error *json)
{
	size_t end;
	enum query_got got;

	while (in->next_doc == in->ndocs) {
		drop_yaml(in);
		in->doc = in->pos;
		got = find_chunk(in, &end);
		if (got != QUERY_DOC)
			return got;
		in->pos = end;
		if (end - in->doc > UINT32_MAX / 2)
			return broken_at(
				in, VT_E0102, 1, 1, "a YAML document cannot be larger than 2 GiB");
		if (parse_chunk(in, end, 0))
			continue;
		if (json)
			return broken_at(in, VT_E4021, json->line ? json->line : 1,
				json->line ? json->col : 1, json->message);
		return bad_yaml(in, end);
	}
	in->ordinal++;
	return put_document(in, in->docs[in->next_doc++]) ? QUERY_DOC : QUERY_BROKEN;
}

/* ---- JSON, and which of both it is ---- */

static bool
begins_value(const char *p, size_t n)
{
	if (n == 0)
		return false;
	if (*p == '-')
		return n > 1 && p[1] >= '0' && p[1] <= '9';
	return one_of(*p, "{[\"0123456789") || (n >= 4 && !memcmp(p, "true", 4)) ||
	       (n >= 4 && !memcmp(p, "null", 4)) || (n >= 5 && !memcmp(p, "false", 5));
}

/* Asks for no more bytes than the answer needs: a slow stream need not have them yet. */
static enum query_got
have_begin(query_input *in)
{
	char c = in->p[in->pos];
	enum query_got got = have(in, c == 't' || c == 'n' ? 4 : c == 'f' ? 5 : c == '-' ? 2 : 1);

	return got == QUERY_BROKEN ? got : QUERY_DOC;
}

/* The value at pos. Text that begins no value reads as a bad one. */
static bool
take_json(query_input *in, size_t end, qr_error *e)
{
	size_t used = 0, n = end - in->pos;

	if (!qr_document(in->q, in->p + in->pos, n, in->convert, &used, e))
		return false;
	if (used < n && !one_of(in->p[in->pos], "{[")) {
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

static enum query_got
next_json(query_input *in)
{
	qr_error e = {.type = NULL};
	size_t end;
	enum query_got got = skip_blanks(in);

	if (got != QUERY_DOC)
		return got;
	if (!in->named && in->p[in->pos] == '-' && have(in, 2) == QUERY_DOC &&
		in->p[in->pos + 1] == '-' && (got = have(in, 4)) != QUERY_BROKEN &&
		is_marker(in->p + in->pos, in->n - in->pos, "---")) {
		in->format = YAML;
		return next_yaml(in, NULL);
	}
	if (got == QUERY_BROKEN || find_end(in, &end) == QUERY_BROKEN)
		return QUERY_BROKEN;
	in->ordinal++;
	if (take_json(in, end, &e))
		return QUERY_DOC;
	got = broken_at(in, VT_E4021, e.line ? e.line : 1, e.line ? e.col : 1, e.message);
	qr_error_free(&e);
	return got;
}

/* Does the rest of the line let the first value be JSON? "a": 1 and 2 apples are YAML. */
static enum query_got
line_goes_on(query_input *in, bool *json)
{
	enum query_got got;

	do {
		got = have(in, 1);
		if (got == QUERY_DOC &&
			(in->p[in->pos] == ' ' || in->p[in->pos] == '\t' || in->p[in->pos] == '\r'))
			in->pos++;
		else
			break;
	} while (true);
	if (got == QUERY_DOC && in->p[in->pos] != '\n')
		got = have_begin(in);
	*json = in->pos == in->n || in->p[in->pos] == '\n' ||
		begins_value(in->p + in->pos, in->n - in->pos);
	return got;
}

/* The first document decides. What is no JSON is tried as YAML, which flow collections are too. */
static enum query_got
next_unknown(query_input *in)
{
	qr_error e = {.type = NULL};
	bool json = false, nested;
	size_t end;
	enum query_got got = skip_blanks(in);

	if (got != QUERY_DOC)
		return got;
	if (have_begin(in) == QUERY_BROKEN)
		return QUERY_BROKEN;
	nested = one_of(in->p[in->pos], "{[\"");
	in->format = YAML;
	if (begins_value(in->p + in->pos, in->n - in->pos)) {
		if (find_end(in, &end) == QUERY_BROKEN)
			return QUERY_BROKEN;
		json = take_json(in, end, &e);
		if (json && line_goes_on(in, &json) == QUERY_BROKEN)
			return QUERY_BROKEN;
	}
	if (json) {
		in->format = JSON;
		in->ordinal++;
		return QUERY_DOC;
	}
	/* YAML counts the blanks in front. */
	in->pos = in->doc;
	while (in->pos > in->counted && in->p[in->pos - 1] == ' ')
		in->pos--;
	in->doc = in->pos;
	got = next_yaml(in, nested && e.message ? &e : NULL);
	qr_error_free(&e);
	return got;
}

/* ---- files ---- */

static enum format
format_of(const char *name)
{
	static const struct {
		const char *tail;
		enum format format;
	} rows[] = {{".yaml", YAML}, {".yml", YAML}, {".json", JSON}, {".jsonl", JSON},
		{".ndjson", JSON}};

	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (vt_ends_with(name, rows[i].tail))
			return rows[i].format;
	return UNKNOWN;
}

static enum query_got
open_next(query_input *in)
{
	const char *name;

	if (in->nopened == (in->a->files.n ? in->a->files.n : 1))
		return QUERY_END;
	name = in->a->files.n ? in->a->files.v[in->nopened] : "-";
	in->nopened++;
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->name = strcmp(name, "-") ? name : "<stdin>";
	in->fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0)
		return broken(in, VT_E0101, strerror(errno));
	in->eof = false;
	in->doc = in->pos = in->n = in->scanned = in->counted = 0;
	in->line = in->col = 1;
	in->format = format_of(in->name);
	in->named = in->format != UNKNOWN;
	drop_yaml(in);
	if (have(in, 1) == QUERY_BROKEN ||
		(in->n > 0 && in->p[0] == '\xef' && have(in, 3) == QUERY_BROKEN))
		return QUERY_BROKEN;
	if (in->n >= 3 && !memcmp(in->p, "\xef\xbb\xbf", 3))
		in->doc = in->pos = in->scanned = in->counted = 3;
	return QUERY_DOC;
}

enum query_got
query_input_next(query_input *in)
{
	enum query_got got = QUERY_END;

	do {
		if (in->fd < 0)
			got = QUERY_END;
		else
			switch (in->format) {
			case UNKNOWN: got = next_unknown(in); break;
			case JSON: got = next_json(in); break;
			case YAML: got = next_yaml(in, NULL); break;
			}
		if (got != QUERY_END)
			return got;
	} while ((got = open_next(in)) == QUERY_DOC);
	return got;
}

query_place
query_input_place(query_input *in)
{
	query_place p = {.file = in->name, .ordinal = in->ordinal};
	size_t i = in->pos;

	count_to(in, in->doc);
	p.line = in->line;
	p.col = in->col;
	if (in->next_doc) {
		uint32_t line, col;
		vc_place(in->src, in->docs[in->next_doc - 1]->span.from, &line, &col);
		p.col = line > 1 ? col : p.col + col - 1;
		p.line += line - 1;
	}
	while (i < in->n && is_blank(in->p[i]))
		i++;
	p.alone = in->ordinal == 1 && i == in->n && in->next_doc == in->ndocs && in->a->files.n < 2;
	return p;
}

query_input *
query_input_new(const query_args *a, qr *q, bool convert, void (*before_read)(void *), void *ctx)
{
	query_input *in = calloc(1, sizeof *in);

	if (in == NULL)
		vt_no_memory();
	in->a = a;
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
	drop_yaml(in);
	free(in->p);
	free(in);
}

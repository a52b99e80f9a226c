/*
 * frame.c - messages: "Content-Length: N\r\n\r\n" and as many bytes; and their members, where what
 * is not there, or of another type, is told from what is.
 *
 * The input is hostile.  A body that is too large is passed over without being kept; a header that
 * has no length, or is endless, ends the conversation, since nobody knows where the next begins.
 */
#include "compiler/lsp/int.h"
#include "runtime/core/number.h"
#include "runtime/text/report.h"
#include "runtime/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Where the body begins; 0: the header is not there yet. */
static size_t
header_end(const char *s, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (s[i] == '\n' && s[i + 1] == '\n')
			return i + 2;
		if (i + 3 < n && memcmp(s + i, "\r\n\r\n", 4) == 0)
			return i + 4;
	}
	return 0;
}

/* Digits only, and not so many that the number could run over. */
static bool
read_length(const char *s, const char *end, size_t *n)
{
	size_t digits = 0;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	for (*n = 0; s < end && *s >= '0' && *s <= '9' && digits < 18; s++, digits++)
		*n = *n * 10 + (size_t)(*s - '0');
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
		s++;
	return digits && s == end;
}

static bool
content_length(const char *s, size_t n, size_t *length)
{
	static const char name[] = "Content-Length:";
	bool found = false;

	for (const char *end = s + n; s < end;) {
		const char *line = s, *stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		s = stop + 1;
		if ((size_t)(stop - line) > sizeof name - 1 &&
			strncasecmp(line, name, sizeof name - 1) == 0) {
			if (found || !read_length(line + sizeof name - 1, stop, length))
				return false;
			found = true;
		}
	}
	return found;
}

enum lsp_framed
lsp_frame_next(lsp_frames *f, const char **body, size_t *n, size_t *used)
{
	size_t skip = f->skip < f->in.n ? f->skip : f->in.n, from, length;

	f->skip -= skip;
	lsp_frame_done(f, skip);
	from = header_end(f->in.p ? f->in.p : "", f->in.n);
	if (from > LSP_MAX_HEADER || (!from && f->in.n > LSP_MAX_HEADER))
		return LSP_FRAME_BAD;
	if (!from)
		return LSP_FRAME_NONE;
	if (!content_length(f->in.p, from, &length))
		return LSP_FRAME_BAD;
	if (length > LSP_MAX_MESSAGE) {
		f->skip = length;
		lsp_frame_done(f, from);
		return LSP_FRAME_LARGE;
	}
	if (f->in.n - from < length)
		return LSP_FRAME_NONE;
	*body = f->in.p + from;
	*n = length;
	*used = from + length;
	return LSP_FRAME;
}

void
lsp_frame_done(lsp_frames *f, size_t used)
{
	if (used)
		memmove(f->in.p, f->in.p + used, f->in.n - used);
	f->in.n -= used;
}

void
lsp_put_frame(vt_buf *b, const char *body, size_t n)
{
	vt_buf_printf(b, "Content-Length: %zu\r\n\r\n", n);
	vt_buf_put(b, body, n);
}

/* ---- members ---- */

vt_value
lsp_get(vt_value v, const char *name)
{
	return vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), name) : VT_UNDEF;
}

vt_value
lsp_at(vt_value v, const char *a, const char *b)
{
	return lsp_get(lsp_get(v, a), b);
}

const char *
lsp_text(vt_value v, const char *name)
{
	vt_value t = lsp_get(v, name);

	return vt_is(t, STR) ? vt_as_str(t)->s : NULL;
}

int64_t
lsp_int(vt_value v, const char *name, int64_t absent)
{
	vt_value t = lsp_get(v, name);
	int64_t n;

	return vt_is_integer(t) && vt_int_fits(t, &n) ? n : absent;
}

bool
lsp_read_position(vt_value v, lsp_position *p)
{
	int64_t line = lsp_int(v, "line", -1), character = lsp_int(v, "character", -1);

	if (line < 0 || character < 0)
		return false;
	p->line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
	p->character = character > UINT32_MAX ? UINT32_MAX : (uint32_t)character;
	return true;
}

void
lsp_put_text(vt_buf *b, const char *text)
{
	vt_put_json_repaired(b, text, strlen(text));
	vt_buf_put(b, "", 0); /* closes the text */
}

void
lsp_put_id(vt_buf *b, vt_value id)
{
	int64_t n;

	if (vt_is(id, STR))
		vt_json_str(b, vt_as_str(id)->s, vt_as_str(id)->bytes);
	else if (vt_is_integer(id) && vt_int_fits(id, &n))
		vt_buf_printf(b, "%" PRId64, n);
	else
		vt_buf_puts(b, "null");
	vt_buf_put(b, "", 0); /* closes the text */
}

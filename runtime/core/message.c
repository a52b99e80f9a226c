/*
 * message.c - messages to a person on standard error.  They quote files and other machines, so
 * nothing that a terminal would obey gets there.
 */
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>
#include <stdio.h>

/* How many bytes from here on are such a character, or 0: C0 without tab and line feed, DEL, C1 (C2
 * 80..9F in UTF-8), and what changes the direction of text (U+200E, 200F, 202A..202E, 2066..2069).
 */
static size_t
control_at(const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;

	if ((*s < 0x20 && *s != '\t' && *s != '\n') || *s == 0x7f)
		return 1;
	if (*s == 0xc2 && n > 1 && s[1] < 0xa0)
		return 2;
	if (*s != 0xe2 || n < 3)
		return 0;
	if (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xaa && s[2] <= 0xae)))
		return 3;
	return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9 ? 3 : 0;
}

static void
put(vt_buf *b)
{
	vt_buf clean = {0};

	for (size_t i = 0; i < b->n;) {
		size_t n = control_at(b->p + i, b->n - i);
		vt_buf_putc(&clean, n ? '?' : b->p[i]);
		i += n ? n : 1;
	}
	fwrite(clean.p ? clean.p : "", 1, clean.n, stderr);
	vt_buf_free(&clean);
	vt_buf_free(b);
}

void
vt_tell(vt_buf *b)
{
	vt_buf_putc(b, '\n');
	put(b);
}

void
vt_vsay(const char *fmt, va_list ap)
{
	vt_buf b = {0};

	vt_buf_vprintf(&b, fmt, ap);
	put(&b);
}

void
vt_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vt_vsay(fmt, ap);
	va_end(ap);
}

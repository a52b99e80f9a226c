/* base64.c - base 64 with the alphabet of RFC 4648, section 4. */
#include "runtime/core/base.h"

#include <stdint.h>
#include <string.h>

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes, or the `left` ones at the end, as four digits. */
static void
put_group(vt_buf *b, const unsigned char *p, size_t left)
{
	char *to = vt_buf_room(b, 4);
	uint32_t w = (uint32_t)p[0] << 16;

	w |= left > 1 ? (uint32_t)p[1] << 8 : 0;
	w |= left > 2 ? p[2] : 0;
	to[0] = ALPHABET[w >> 18];
	to[1] = ALPHABET[w >> 12 & 63];
	to[2] = left > 1 ? ALPHABET[w >> 6 & 63] : '=';
	to[3] = left > 2 ? ALPHABET[w & 63] : '=';
	to[4] = '\0';
	b->n += 4;
}

void
vt_base64(vt_buf *b, const void *bytes, size_t n, size_t line)
{
	const unsigned char *p = bytes;

	vt_buf_room(b, (n + 2) / 3 * 4 + (line ? n / line + 1 : 0));
	for (size_t i = 0; i < n; i += 3) {
		put_group(b, p + i, n - i);
		if (line && ((i + 3) % line == 0 || i + 3 >= n))
			vt_buf_putc(b, '\n');
	}
}

static int
sextet(char c)
{
	const char *p = c != '\0' ? strchr(ALPHABET, c) : NULL;
	return p ? (int)(p - ALPHABET) : -1;
}

/* The bytes of the last, incomplete group of n digits. */
static void
put_rest(vt_buf *b, uint32_t w, uint32_t n)
{
	if (n >= 2)
		vt_buf_putc(b, (char)(w >> (n == 2 ? 4 : 10)));
	if (n == 3)
		vt_buf_putc(b, (char)(w >> 2));
}

bool
vt_base64_decode(vt_buf *b, const char *s, size_t size)
{
	uint32_t w = 0, n = 0, pads = 0;
	bool done = false;

	for (size_t i = 0; i < size && !done; i++) {
		int v = sextet(s[i]);
		if (s[i] == '=')
			done = n >= 2 && n + ++pads >= 4;
		if (v < 0)
			continue;
		pads = 0;
		w = w << 6 | (uint32_t)v;
		if (++n < 4)
			continue;
		vt_buf_putc(b, (char)(w >> 16));
		vt_buf_putc(b, (char)(w >> 8));
		vt_buf_putc(b, (char)w);
		n = w = 0;
	}
	put_rest(b, w, n);
	return n == 0 || done;
}

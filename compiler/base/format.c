/*
 * format.c - what vc_printf and vc_format print: the formats that emitted C is made of by hand, all
 * else by the C library.  Translation spent a third of its time in vsnprintf, which goes over
 * everything twice.
 */
#include "compiler/base/vc.h"

#include <string.h>

static void
put_number(vc_buf *b, uint64_t u, bool minus, unsigned base)
{
	char digits[24], *p = digits + sizeof digits;

	do
		*--p = "0123456789abcdef"[u % base];
	while ((u /= base) != 0);
	if (minus)
		*--p = '-';
	vc_put(b, p, (size_t)(digits + sizeof digits - p));
}

static void
put_signed(vc_buf *b, int64_t i)
{
	put_number(b, i < 0 ? -(uint64_t)i : (uint64_t)i, i < 0, 10);
}

static void
put_some(vc_buf *b, const char *s, int most)
{
	if (s == NULL)
		s = "(null)";
	vc_put(b, s, most < 0 ? strlen(s) : strnlen(s, (size_t)most));
}

/* A conversion behind its %; how long it is, or 0: not one of these. Their order is that of
 * va_arg's types only. */
static size_t
put_one(vc_buf *b, const char *f, va_list *ap)
{
	switch (f[0]) {
	case 's': put_some(b, va_arg(*ap, const char *), -1); return 1;
	case 'u': put_number(b, va_arg(*ap, unsigned), false, 10); return 1;
	case 'd': put_signed(b, va_arg(*ap, int)); return 1;
	case 'x': put_number(b, va_arg(*ap, unsigned), false, 16); return 1;
	case 'c': vc_put(b, (const char[]){(char)va_arg(*ap, int)}, 1); return 1;
	case '%': vc_put(b, f, 1); return 1;
	default: break;
	}
	if (strncmp(f, ".*s", 3) == 0) {
		int most = va_arg(*ap, int);
		put_some(b, va_arg(*ap, const char *), most);
		return 3;
	}
	if (strncmp(f, "zu", 2) == 0)
		return put_number(b, va_arg(*ap, size_t), false, 10), 2;
	if (strncmp(f, "lld", 3) == 0)
		return put_signed(b, va_arg(*ap, long long)), 3;
	if (strncmp(f, "llu", 3) == 0)
		return put_number(b, va_arg(*ap, unsigned long long), false, 10), 3;
	return 0;
}

static bool
put_simple(vc_buf *b, const char *fmt, va_list *ap)
{
	for (const char *next; *fmt; fmt = next) {
		size_t n;
		next = strchr(fmt, '%');
		if (next == NULL)
			return vc_puts(b, fmt), true;
		vc_put(b, fmt, (size_t)(next - fmt));
		n = put_one(b, next + 1, ap);
		if (n == 0)
			return false;
		next += 1 + n;
	}
	return true;
}

static void
put_any(vc_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	vc_reserve(b, (size_t)n);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void
vc_vprintf(vc_buf *b, const char *fmt, va_list ap)
{
	size_t from = b->n;
	va_list simple;
	bool done;

	va_copy(simple, ap);
	vc_reserve(b, 0);
	done = put_simple(b, fmt, &simple);
	va_end(simple);
	if (done)
		return;
	b->n = from;
	put_any(b, fmt, ap);
}

void
vc_printf(vc_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vc_vprintf(b, fmt, ap);
	va_end(ap);
}

char *
vc_format(vc *c, const char *fmt, ...)
{
	va_list ap;

	c->scratch.n = 0;
	va_start(ap, fmt);
	vc_vprintf(&c->scratch, fmt, ap);
	va_end(ap);
	return vc_strndup(c, c->scratch.p, c->scratch.n);
}

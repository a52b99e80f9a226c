/*
 * base.c - memory of the C library, growing byte buffers and the clock.
 *
 * Formatting does by hand the formats that emitted C is made of; all else goes to the C library.
 * Translation spent a third of its time in vsnprintf, which goes over everything twice.
 */
#include "runtime/core/base.h"
#include "runtime/core/bytes.h"
#include "runtime/core/printable.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST = 64 };

/* ---- memory ---- */

static const char out_of_memory[] = "vetro: error[E0990]: out of memory\n";
static struct {
	const char *text;
	size_t n;
	int status;
} last = {out_of_memory, sizeof out_of_memory - 1, 3};

void
vt_no_memory_is_told(void)
{
	last.n = 0;
	last.status = 3;
}

void
vt_no_memory_says(const char *text, size_t n, int status)
{
	last.text = text;
	last.n = n;
	last.status = status;
}

_Noreturn void
vt_no_memory(void)
{
	if (write(2, last.text, last.n) < 0)
		_exit(last.status);
	_exit(last.status);
}

void *
vt_xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);
	if (p == NULL)
		vt_no_memory();
	return p;
}

void *
vt_xzalloc(size_t n)
{
	void *p = calloc(n ? n : 1, 1);
	if (p == NULL)
		vt_no_memory();
	return p;
}

void *
vt_xrealloc(void *old, size_t n)
{
	void *p = realloc(old, n ? n : 1);
	if (p == NULL)
		vt_no_memory();
	return p;
}

/* Capacities are 4, 8, 16...: the array is full exactly when n is 0 or a power of two from 4 on. */
size_t
vt_grown(size_t n, size_t size)
{
	if (n && (n < 4 || (n & (n - 1))))
		return 0;
	if (n > SIZE_MAX / 4 / size)
		vt_no_memory();
	return (n ? n * 2 : 4) * size;
}

void *
vt_grow(void *vec, size_t n, size_t size)
{
	size_t bytes = vt_grown(n, size);

	return bytes ? vt_xrealloc(vec, bytes) : vec;
}

char *
vt_xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(vt_xmalloc(n), s, n);
}

char *
vt_xstrndup(const void *p, size_t n)
{
	char *s = vt_xmalloc(n + 1);
	if (n > 0)
		memcpy(s, p, n);
	s[n] = '\0';
	return s;
}

void
vt_free_secret(char *s)
{
	if (s)
		explicit_bzero(s, strlen(s));
	free(s);
}

/* ---- buffers ---- */

char *
vt_buf_room(vt_buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : FIRST;

	if (n < b->cap - b->n)
		return b->p + b->n;
	if (n > SIZE_MAX / 4 - b->n)
		vt_no_memory();
	while (cap - b->n <= n)
		cap *= 2;
	b->p = vt_xrealloc(b->p, cap);
	b->cap = cap;
	return b->p + b->n;
}

/* This file is compiled for size, but not what pieces of texts go through one by one. */
#if defined(__GNUC__) && !defined(__clang__)
#define FAST __attribute__((optimize("O2")))
#else
#define FAST
#endif

FAST void
vt_buf_put(vt_buf *b, const void *p, size_t n)
{
	char *to = n < b->cap - b->n ? b->p + b->n : vt_buf_room(b, n);

	vt_copy_short(to, p, n);
	to[n] = '\0';
	b->n += n;
}

void
vt_buf_puts(vt_buf *b, const char *s)
{
	vt_buf_put(b, s, strlen(s));
}

FAST void
vt_buf_putc(vt_buf *b, char c)
{
	char *to = b->cap - b->n > 1 ? b->p + b->n : vt_buf_room(b, 1);

	to[0] = c;
	to[1] = '\0';
	b->n++;
}

void
vt_buf_free(vt_buf *b)
{
	free(b->p);
	b->p = NULL;
	b->n = b->cap = 0;
}

void
vt_buf_print(vt_buf *b, FILE *f)
{
	if (b->n > 0)
		fwrite(b->p, 1, b->n, f);
	vt_buf_free(b);
}

/* ---- formatting ---- */

static void
put_number(vt_buf *b, uint64_t u, bool minus, unsigned base)
{
	char digits[24], *p = digits + sizeof digits;

	do
		*--p = "0123456789abcdef"[u % base];
	while ((u /= base) != 0);
	if (minus)
		*--p = '-';
	vt_buf_put(b, p, (size_t)(digits + sizeof digits - p));
}

static void
put_signed(vt_buf *b, int64_t i)
{
	put_number(b, i < 0 ? -(uint64_t)i : (uint64_t)i, i < 0, 10);
}

static void
put_some(vt_buf *b, const char *s, int most)
{
	if (s == NULL)
		s = "(null)";
	vt_buf_put(b, s, most < 0 ? strlen(s) : strnlen(s, (size_t)most));
}

/* A conversion behind its %; how long it is, or 0: not one of these. Their order is that of
 * va_arg's types only.  cut: texts are values in a message. */
static size_t
put_one(vt_buf *b, const char *f, va_list *ap, bool cut)
{
	const char *s;

	switch (f[0]) {
	case 's':
		s = va_arg(*ap, const char *);
		if (cut && s)
			vt_put_cut(b, s, strlen(s));
		else
			put_some(b, s, -1);
		return 1;
	case 'u': put_number(b, va_arg(*ap, unsigned), false, 10); return 1;
	case 'd': put_signed(b, va_arg(*ap, int)); return 1;
	case 'x': put_number(b, va_arg(*ap, unsigned), false, 16); return 1;
	case 'c': vt_buf_put(b, (const char[]){(char)va_arg(*ap, int)}, 1); return 1;
	case '%': vt_buf_put(b, f, 1); return 1;
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
put_simple(vt_buf *b, const char *fmt, va_list *ap, bool cut)
{
	for (const char *next; *fmt; fmt = next) {
		size_t n;
		next = strchr(fmt, '%');
		if (next == NULL)
			return vt_buf_puts(b, fmt), true;
		vt_buf_put(b, fmt, (size_t)(next - fmt));
		n = put_one(b, next + 1, ap, cut);
		if (n == 0)
			return false;
		next += 1 + n;
	}
	return true;
}

static void
put_any(vt_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	vt_buf_room(b, (size_t)n);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void
vt_buf_vprintf(vt_buf *b, const char *fmt, va_list ap)
{
	size_t from = b->n;
	va_list simple;
	bool done;

	va_copy(simple, ap);
	*vt_buf_room(b, 0) = 0;
	done = put_simple(b, fmt, &simple, false);
	va_end(simple);
	if (done)
		return;
	b->n = from;
	put_any(b, fmt, ap);
}

void
vt_buf_vmessage(vt_buf *b, const char *fmt, va_list ap)
{
	size_t from = b->n;
	va_list simple;
	bool done;

	va_copy(simple, ap);
	*vt_buf_room(b, 0) = 0;
	done = put_simple(b, fmt, &simple, strcmp(fmt, "%s") != 0);
	va_end(simple);
	if (!done) { /* numbers in columns or with a point: no message with those quotes a text */
		b->n = from;
		put_any(b, fmt, ap);
	}
	vt_cut_message(b, from);
}

void
vt_buf_printf(vt_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vt_buf_vprintf(b, fmt, ap);
	va_end(ap);
}

char *
vt_asprintf(const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	vt_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return b.p;
}

/* ---- the clock, comparison ---- */

int64_t
vt_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double
vt_clock(void)
{
	return (double)vt_clock_ns() / 1e9;
}

int
vt_compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool
vt_ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

#ifdef __GLIBC__
/* What the start of glibc asserts. The one that it has would bring messages of all languages and
 * wide characters, 30 KiB in each program. */
void
__assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	vt_say("%s:%u: %s: %s does not hold\n", file, line, function, what);
	abort();
}
#endif

/*
 * base.h - what both halves of vetro stand on: memory of the C library, text buffers and what is
 * formatted into them, base 64, a clock.
 *
 * A buffer starts as {0} and is freed by vt_buf_free; whoever takes `p` over frees it.  After each
 * of these functions but vt_buf_room() a NUL stands behind the bytes, which n does not count, so
 * that p is C text when the bytes are.  Running out of memory ends the process (vt_no_memory).
 */
#ifndef VT_BASE_H
#define VT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VT_PRINTF(a, b) __attribute__((format(printf, a, b)))

_Noreturn void vt_no_memory(void); /* says so and ends the process with status 3 */
void vt_no_memory_is_told(void);   /* by who waits for this process: it ends silently */
/* What it says instead; the text is kept. */
void vt_no_memory_says(const char *text, size_t n, int status);
void *vt_xmalloc(size_t);
void *vt_xzalloc(size_t); /* zeroed */
void *vt_xrealloc(void *, size_t);
/*
 * Appends to an array that doubles: vec is a T *, NULL at first, n its count.  Evaluates to the new
 * element's lvalue.  The capacity follows from n alone: what is pushed to is grown by nothing else.
 */
#define vt_push(vec, n) (*((vec) = vt_grow((vec), (n), sizeof *(vec)), &(vec)[(n)++]))
void *vt_grow(void *vec, size_t n, size_t size); /* room for element n; the (moved) array */
size_t vt_grown(size_t n, size_t size);          /* its bytes then; 0: the room is there */
char *vt_xstrdup(const char *);
char *vt_xstrndup(const void *, size_t); /* all n bytes, and a NUL */
void vt_free_secret(char *);             /* overwritten first; NULL is none */

typedef struct vt_buf {
	char *p;
	size_t n, cap;
} vt_buf;

/* Room for so many bytes and a NUL at p + n, which is returned; n stays. */
char *vt_buf_room(vt_buf *, size_t);
void vt_buf_put(vt_buf *, const void *, size_t);
void vt_buf_puts(vt_buf *, const char *);
void vt_buf_putc(vt_buf *, char);
/* The formats of the C library.  %s, %.*s, %c, %d, %u, %x, %zu, %lld and %llu do not go through
 * it. */
void vt_buf_printf(vt_buf *, const char *, ...) VT_PRINTF(2, 3);
void vt_buf_vprintf(vt_buf *, const char *, va_list);
void vt_buf_free(vt_buf *);
void vt_buf_print(vt_buf *, FILE *); /* and frees it */

char *vt_asprintf(const char *, ...) VT_PRINTF(1, 2); /* malloc'd */

/* 0 to 15; -1: no hexadecimal digit. */
static inline int
vt_hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* base64.c. Encodes; a line feed follows every `line` bytes of input and the end, 0: none. */
void vt_base64(vt_buf *, const void *, size_t n, size_t line);
/* Decodes as Python's binascii does: what is no digit is skipped.  false: the padding is wrong. */
bool vt_base64_decode(vt_buf *, const char *, size_t n);

int64_t vt_clock_ns(void); /* nanoseconds since some moment; settings of the date do not move it */
double vt_clock(void);     /* the same in seconds */

int vt_compare_texts(const void *, const void *); /* for qsort() of const char * */
bool vt_ends_with(const char *, const char *end);

/*
 * Where members of the runtime's own structs stand, for debuggers: templates/gdb.py reads these
 * arrays by their names, so that it needs no debug information of the library.  The linker keeps
 * them.
 */
#if defined __has_attribute
#if __has_attribute(retain)
#define VT_LAYOUT __attribute__((used, retain))
#endif
#endif
#ifndef VT_LAYOUT
#define VT_LAYOUT __attribute__((used))
#endif

#endif

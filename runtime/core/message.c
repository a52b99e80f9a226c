/* message.c - messages to a person on standard error, without what a terminal would obey. */
#include "runtime/core/printable.h"

static void
put(vt_buf *b)
{
	vt_buf clean = {0};

	vt_put_lines(&clean, b->p ? b->p : "", b->n);
	vt_buf_print(&clean, stderr);
	vt_buf_free(b);
}

void
vt_report_line(vt_buf *b)
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

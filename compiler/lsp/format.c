/* format.c - the layout of `vetro fmt`, as the one change that makes it. */
#include "compiler/fmt/fmt.h"
#include "compiler/lsp/int.h"

#include <string.h>

/* How many bytes of whole lines both texts begin with. */
static size_t
same_front(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0, line = 0;

	while (n < na && n < nb && a[n] == b[n])
		if (a[n++] == '\n')
			line = n;
	return line;
}

/* And end with, of what is left of them. */
static size_t
same_back(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0, lines = 0;

	while (n < na && n < nb && a[na - n - 1] == b[nb - n - 1]) {
		n++;
		if ((n == na || a[na - n - 1] == '\n') && (n == nb || b[nb - n - 1] == '\n'))
			lines = n;
	}
	return lines;
}

/* textDocument/formatting; a text that cannot be read has no layout, and diagnostics say why. */
void
lsp_format(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vc *c = vc_new();
	vt_buf laid = {0};
	vc_source *src = d ? vc_source_take(c, d->path ? d->path : d->uri,
				     vc_strndup(c, d->text, d->n), d->n)
			   : NULL;

	(void)params;
	if (src && fmt_source(c, src, fmt_kind_of(src), &laid)) {
		const char *text = laid.p ? laid.p : "";
		size_t front = same_front(d->text, d->n, text, laid.n);
		size_t back =
			same_back(d->text + front, d->n - front, text + front, laid.n - front);
		vt_buf_puts(out, "[");
		if (d->n != laid.n || front < d->n) {
			vt_buf_puts(out, "{\"range\":");
			lsp_put_range(out, w->s, d->text, d->n, front, d->n - back);
			vt_buf_puts(out, ",\"newText\":");
			lsp_put_text(out, vc_strndup(c, text + front, laid.n - front - back));
			vt_buf_puts(out, "}");
		}
		vt_buf_puts(out, "]");
	}
	vt_buf_free(&laid);
	vc_free(c);
}

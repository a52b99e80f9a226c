/* fmt.c - a source in its layout: which one, and that it means the same. */
#include "compiler/fmt/fmt.h"
#include "compiler/fmt/int.h"
#include "compiler/yaql/yaql.h"
#include "runtime/core/value.h"

#include <string.h>

/* A line of a class: top-level keys that no other kind has. */
static bool
looks_like_class(const vc_source *src)
{
	static const char *const keys[] = {"Methods:", "Properties:", "Extends:", "Namespaces:"};
	const char *line = src->text, *end = src->text + src->n;

	for (; line < end;
		line = memchr(line, '\n', (size_t)(end - line)), line = line ? line + 1 : end)
		for (size_t i = 0; i < VC_LEN(keys); i++)
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				return true;
	return false;
}

enum fmt_kind
fmt_kind_of(const vc_source *src)
{
	if (vt_ends_with(src->name, ".yay"))
		return FMT_YAY;
	if (vt_ends_with(src->name, ".yaql"))
		return FMT_YAQL;
	return looks_like_class(src) ? FMT_CLASS : FMT_YAML;
}

static bool
has_mark(const vc_source *src)
{
	return src->n >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0;
}

/* Line ends are \n, also that of the last line, and there is no byte order mark.  In Yay blanks
 * behind the last line end are no line. */
static vc_source *
plain_lines(vc *c, const vc_source *src, enum fmt_kind kind)
{
	char *text = vc_alloc(c, src->n + 2), *to = text;
	const char *p = src->text, *end = p + src->n;

	if (has_mark(src))
		p += 3;
	for (; p < end; p++) {
		if (*p == '\r' && p[1] == '\n')
			continue;
		*to++ = *p == '\r' ? '\n' : *p;
	}
	char *last = to;
	while (last > text && (last[-1] == ' ' || last[-1] == '\t'))
		last--;
	if (kind == FMT_YAY && (last == text || last[-1] == '\n'))
		to = last;
	if (to > text && to[-1] != '\n')
		*to++ = '\n';
	return vc_source_new(c, src->name, text, (size_t)(to - text));
}

static void
refuse(vc *c, const vc_source *src, vt_buf *out, size_t at)
{
	vc_report(c, VC_E0213, vc_file_span(c, src->name),
		"in its layout the text would mean something else; the file stays as it is");
	out->n = at;
}

/* Whether the layout means the same and has the same comments. */
static bool
keeps_all(vc *c, const vc_source *src, const fmt_file *file, const char *laid, size_t n,
	unsigned flags)
{
	char *text = vc_strndup(c, laid, n);
	fmt_file again = {0};

	return fmt_same_yaml(c, src->text, src->n, text, n, flags) &&
	       fmt_read(c, vc_source_new(c, src->name, text, n), &again) &&
	       again.comments == file->comments;
}

/* A block text that the file ends in the middle of has no line end, which a last one would give. */
static bool
ends_in_text(vc *c, const vc_source *written, const vc_source *src)
{
	size_t mark = has_mark(written) ? 3 : 0;

	return written->n && written->text[written->n - 1] != '\n' &&
	       !fmt_same_yaml(c, written->text + mark, written->n - mark, src->text, src->n, 0);
}

static bool
fmt_yaml(vc *c, const vc_source *written, vc_source *src, bool has_code, vt_buf *out)
{
	const unsigned flags = has_code ? YQ_F_MURANO : 0;
	fmt_file file = {0};
	size_t at = out->n;

	if (!fmt_read(c, src, &file))
		return false;
	if (has_code)
		fmt_mark_code(&file);
	fmt_write(c, out, &file, flags);
	if (keeps_all(c, src, &file, out->p ? out->p + at : "", out->n - at, flags)) {
		out->n -= out->n > at && ends_in_text(c, written, src);
		return true;
	}
	refuse(c, src, out, at);
	return false;
}

static bool
fmt_yaql(vc *c, vc_source *src, vt_buf *out)
{
	if (!yq_parse_source(c, src) || !yq_layout(c, out, src->text, src->n, 0))
		return false;
	vt_buf_putc(out, '\n');
	return true;
}

bool
fmt_source(vc *c, vc_source *src, enum fmt_kind kind, vt_buf *out)
{
	vc_source *plain = plain_lines(c, src, kind);

	switch (kind) {
	case FMT_YAQL: return fmt_yaql(c, plain, out);
	case FMT_YAY: return fmt_yay(c, plain, out);
	default: return fmt_yaml(c, src, plain, kind == FMT_CLASS, out);
	}
}

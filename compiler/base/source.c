/*
 * source.c - files, and places in them.
 *
 * A text is UTF-8 without NUL bytes or it does not become a source: everything behind this file
 * relies on that.  Lines end at \n, \r\n or \r.
 */
#include "compiler/base/base.h"
#include "runtime/core/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

vc_source *
vc_source_new(vc *c, const char *name, const char *text, size_t n)
{
	vc_source *s = vc_alloc(c, sizeof *s);
	s->owner = c;
	s->name = vc_strdup(c, name);
	s->text = vc_strndup(c, text, n);
	s->n = n;
	return s;
}

vc_span
vc_file_span(vc *c, const char *name)
{
	vc_source *s = vc_alloc(c, sizeof *s);
	s->owner = c;
	s->name = vc_strdup(c, name);
	return (vc_span){s, 0, 0};
}

static bool
check_text(vc *c, vc_source *s)
{
	const unsigned char *p = (const unsigned char *)s->text;
	size_t good = vt_utf8_check(s->text, strnlen(s->text, s->n));
	vc_span at = {s, (uint32_t)good, (uint32_t)good + 1};

	if (good == s->n)
		return true;
	if (s->n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff))) {
		vc_report(c, VC_E0109, at, "the text is UTF-16; vetro reads UTF-8");
		vc_hint(c, "iconv -f UTF-16 -t UTF-8 gives it");
	} else if (s->n >= 2 && p[0] == 0x1f && p[1] == 0x8b) {
		vc_report(c, VC_E0109, at, "this is compressed with gzip");
		vc_hint(c, "zcat gives the text");
	} else {
		vc_report(c, VC_E0109, at, "byte 0x%02x at offset %zu is not UTF-8 text", p[good],
			good);
		vc_hint(c, "save the file as UTF-8");
	}
	return false;
}

vc_source *
vc_source_take(vc *c, const char *name, char *text, size_t n)
{
	vc_source *s = vc_alloc(c, sizeof *s);
	s->owner = c;
	s->name = vc_strdup(c, name);
	s->text = text;
	s->n = n;
	return check_text(c, s) ? s : NULL;
}

static bool
too_large(vc *c, const char *path)
{
	vc_report(c, VC_E0102, vc_file_span(c, path), "the file is larger than %zu MiB",
		c->limit.max_file >> 20);
	if (c->limit.max_file_given)
		vc_hint(c, "--max-file sets the limit, in MiB");
	return false;
}

static bool
unreadable(vc *c, const char *path, int error)
{
	vc_report(c, VC_E0101, vc_file_span(c, path), "cannot read the file: %s", strerror(error));
	return false;
}

/* Pipes have no size, so the limit is also watched while reading. False: reported. */
static bool
read_stream(vc *c, const char *path, FILE *f, vt_buf *b)
{
	char block[1 << 16];
	size_t got;
	while (b->n <= c->limit.max_file && (got = fread(block, 1, sizeof block, f)) > 0)
		vt_buf_put(b, block, got);
	if (ferror(f))
		unreadable(c, path, errno);
	else if (b->n > c->limit.max_file)
		too_large(c, path);
	else
		return true;
	vt_buf_free(b);
	return false;
}

/* ---- what an editor holds ---- */

static const vc_held *held;
static uint32_t nheld;

void
vc_hold(const vc_held *texts, uint32_t n)
{
	held = texts;
	nheld = n;
}

static const vc_held *
held_for(const char *path)
{
	char *real = nheld ? realpath(path, NULL) : NULL;
	const char *name = real ? real : path;
	const vc_held *found = NULL;
	for (uint32_t i = 0; i < nheld && !found; i++)
		if (strcmp(held[i].path, name) == 0)
			found = &held[i];
	free(real);
	return found;
}

FILE *
vc_source_open(const char *path)
{
	struct stat st;
	const vc_held *h = held_for(path);
	if (h && h->n)
		return fmemopen((void *)(uintptr_t)h->text, h->n, "rb");
	return !h && stat(path, &st) == 0 && !S_ISREG(st.st_mode)
		       ? NULL
		       : fopen(h ? "/dev/null" : path, "rb");
}

static bool
read_held(vc *c, const char *path, const vc_held *h, vt_buf *b)
{
	if (h->n > c->limit.max_file)
		return too_large(c, path);
	vt_buf_put(b, h->text, h->n);
	return true;
}

static bool
read_path(vc *c, const char *path, vt_buf *b)
{
	struct stat st;
	if (!strcmp(path, "-"))
		return read_stream(c, "<stdin>", stdin, b);
	const vc_held *h = held_for(path);
	if (h)
		return read_held(c, path, h, b);
	if (stat(path, &st))
		return unreadable(c, path, errno);
	if (S_ISDIR(st.st_mode))
		return unreadable(c, path, EISDIR);
	if (S_ISREG(st.st_mode) && (uintmax_t)st.st_size > c->limit.max_file)
		return too_large(c, path);
	FILE *f = fopen(path, "rb");
	if (!f)
		return unreadable(c, path, errno);
	bool ok = read_stream(c, path, f, b);
	fclose(f);
	return ok;
}

char *
vc_bytes_read(vc *c, const char *path, size_t *n)
{
	vt_buf b = {0};
	if (!read_path(c, path, &b))
		return NULL;
	char *copy = vc_alloc(c, b.n + 1);
	if (b.n)
		memcpy(copy, b.p, b.n);
	*n = b.n;
	vt_buf_free(&b);
	vc_input_note(c, path, copy, *n);
	return copy;
}

vc_source *
vc_source_read(vc *c, const char *path)
{
	size_t n;
	char *text = vc_bytes_read(c, path, &n);
	return text ? vc_source_take(c, strcmp(path, "-") ? path : "<stdin>", text, n) : NULL;
}

/* ---- places ---- */

static bool
is_line_end(const vc_source *s, size_t i)
{
	return s->text[i] == '\n' || (s->text[i] == '\r' && s->text[i + 1] != '\n');
}

/* Counted first, then stored; a source without text has the one line that starts at 0. */
static void
make_lines(vc_source *s)
{
	uint32_t count = 1;
	for (size_t i = 0; i < s->n; i++)
		count += is_line_end(s, i);
	s->lines = vc_alloc(s->owner, count * sizeof *s->lines);
	s->nlines = 1;
	for (size_t i = 0; i < s->n; i++)
		if (is_line_end(s, i))
			s->lines[s->nlines++] = (uint32_t)i + 1;
}

/* Index of the last line that starts at or before the offset. */
static uint32_t
line_of(const vc_source *s, uint32_t offset)
{
	uint32_t low = s->last_line, high = s->nlines;
	if (high - low > 1 && s->lines[low] <= offset) {
		/* mostly a few lines on */
		uint32_t near = low + 8 < high ? low + 8 : high;
		while (low + 1 < near && s->lines[low + 1] <= offset)
			low++;
		if (low + 1 == high || s->lines[low + 1] > offset)
			return low;
	} else if (s->lines[low] > offset) {
		high = low;
		low = 0;
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (s->lines[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static bool
has_mark(const vc_source *s)
{
	return s->n >= 3 && !memcmp(s->text, "\xef\xbb\xbf", 3);
}

/* Lines and the last place are a cache: a source counts as constant for who only asks. */
void
vc_place(const vc_source *src, uint32_t offset, uint32_t *line, uint32_t *col)
{
	vc_source *s = (vc_source *)src;
	if (!s->lines)
		make_lines(s);
	if (offset > s->n)
		offset = (uint32_t)s->n;
	uint32_t i = line_of(s, offset), at = s->lines[i];
	*line = i + 1;
	*col = 1;
	/* From the last place if it is nearer than the beginning of the line; an expression asks
	 * for its operators before what stands left of them. */
	if (s->last_col && s->last_line == i && offset >= 3 &&
		s->last_at - at < 2 * (offset - at)) {
		at = s->last_at;
		*col = s->last_col;
	} else if (i == 0 && has_mark(s)) {
		at = offset < 3 ? offset : 3;
	}
	for (; at < offset; at++)
		*col += (s->text[at] & 0xc0) != 0x80;
	for (; at > offset; at--)
		*col -= (s->text[at - 1] & 0xc0) != 0x80;
	s->last_line = i;
	s->last_at = offset;
	s->last_col = *col;
}

/* What follows the folder of n bytes; NULL: the path does not lie below it. */
static const char *
below(const char *path, const char *folder, size_t n)
{
	while (n > 0 && folder[n - 1] == '/')
		n--;
	return strncmp(path, folder, n) == 0 && path[n] == '/' && path[n + 1] ? path + n + 1 : NULL;
}

const char *
vc_output_name(vc *c, const char *path, const char *root)
{
	char here[4096];
	const char *name = NULL;
	size_t n;

	if (*path != '/')
		return path;
	n = strlen(root);
	if (getcwd(here, sizeof here) != NULL && strcmp(here, "/") != 0)
		name = below(path, here, strlen(here));
	while (n > 0 && root[n - 1] == '/')
		n--;
	while (n > 0 && root[n - 1] != '/')
		n--;
	if (name == NULL)
		name = below(path, root, n);
	return name ? name : strrchr(path, '/') + 1;
}

int
vc_each_line(void (*each)(void *ctx, const char *line, size_t n), void *ctx)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			n--;
		each(ctx, line, (size_t)n);
	}
	free(line);
	return VC_OK;
}

/* ---- what may be brought along ---- */

char *
vc_real_path(vc *c, const char *path)
{
	char *p = realpath(path, NULL);
	char *copy = p ? vc_strdup(c, p) : NULL;
	free(p);
	return copy;
}

/* A directory that is not there allows nothing. */
static void
allow_dir(vc *c, const char *dir)
{
	const char *real = vc_real_path(c, *dir ? dir : ".");
	if (real)
		vc_push(c, c->allowed, c->nallowed) = real;
}

void
vc_allow_dirs(vc *c, const char *const *dirs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		allow_dir(c, dirs[i]);
}

/* The folder as it is named: where a link to a file stands is the user's choice. */
void
vc_allow_beside(vc *c, const char *file)
{
	struct stat st;
	const char *slash = strrchr(file, '/');
	if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
		allow_dir(c, file);
	else
		allow_dir(c, !slash          ? "."
			     : slash == file ? "/"
					     : vc_strndup(c, file, (size_t)(slash - file)));
}

const char *
vc_allowed(vc *c, const char *path, bool *outside)
{
	const char *real = vc_real_path(c, path);
	*outside = false;
	for (uint32_t i = 0; real && i < c->nallowed; i++) {
		size_t n = strlen(c->allowed[i]);
		if (!strcmp(c->allowed[i], "/") ||
			(!strncmp(c->allowed[i], real, n) && (real[n] == '/' || !real[n])))
			return real;
	}
	*outside = real != NULL;
	return NULL;
}

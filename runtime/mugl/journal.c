/*
 * journal.c - a snapshot in progress: steps are appended to a file, each whole or not at all.
 *
 * A record is one line of JSON: {"crc":"xxxxxxxx","seq":N,"op":...}, the CRC-32 being that of the
 *bytes between the comma behind it and the end of the line.  The operations:
 *
 *	start   base: digest of the snapshot that the journal goes on from
 *	begin   vertex, step: something is about to happen to it
 *	fail    vertex, why: that did not work
 *	set     vertex, value, ref where another tag than #ref was needed: what it is now
 *	remove  vertex
 *	commit  digest: of the snapshot that is being written from all of this
 *
 * A last line that is broken was being written when the power went: it is cut off.  Broken lines
 *before the last are an error.  When the process ends between writing the snapshot and emptying the
 *journal, the commit says that the snapshot has it all.
 */
#include "runtime/mugl/int.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct mugl_journal {
	mugl *g;
	char *path;
	int fd;
	uint64_t seq, size;
	uint8_t *begun; /* by id: 1 + kind of the step, 0: none */
	uint32_t nbegun;
	mugl_pending *pending;
};

#define HEAD "{\"crc\":\""
enum { NHEAD = 8, NCRC = 8, NBODY = NHEAD + NCRC + 2 };

static uint32_t
crc32_of(const char *p, size_t n)
{
	uint32_t c = 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		c ^= (unsigned char)p[i];
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (0xedb88320 & (0 - (c & 1)));
	}
	return ~c;
}

static bool
trouble(mugl_problems *out, enum mugl_code code, const char *what, uint64_t record)
{
	if (record)
		mugl_add(out, NULL, code, UINT64_MAX, "%s: record %llu", what,
			(unsigned long long)record);
	else
		mugl_add(out, NULL, code, UINT64_MAX, "%s", what);
	return false;
}

static void
set_begun(mugl_journal *j, mugl_id id, int kind)
{
	if (id >= j->nbegun) {
		uint32_t n = j->g->nv * 2;
		j->begun = vt_xrealloc(j->begun, n);
		memset(j->begun + j->nbegun, 0, n - j->nbegun);
		j->nbegun = n;
	}
	j->begun[id] = (uint8_t)kind;
}

/* ---- replay ---- */

/* A line that is as it was written. */
static bool
is_whole(const char *p, size_t n)
{
	char crc[NCRC + 1];

	if (n <= NBODY || memcmp(p, HEAD, NHEAD) != 0 || memcmp(p + NHEAD + NCRC, "\",", 2) != 0)
		return false;
	snprintf(crc, sizeof crc, "%08x", crc32_of(p + NBODY, n - NBODY));
	return memcmp(crc, p + NHEAD, NCRC) == 0;
}

typedef struct replay {
	mugl_journal *j;
	mugl *t; /* the record that is read */
	mugl_node rec;
	char base[65]; /* of the snapshot as it was read */
	bool stale;    /* the snapshot has all of the journal */
	bool other;    /* it was begun for another */
} replay;

static const mugl_node *
text_of(const replay *r, const char *name)
{
	const mugl_node *v = mugl_get(&r->rec, name, strlen(name));

	return v && v->kind == MUGL_STR ? v : NULL;
}

static int
step_number(const mugl_node *v)
{
	for (int k = MUGL_CREATE; v && k <= MUGL_DELETE; k++)
		if (mugl_is(mugl_c(mugl_step_name(k)), v->s, v->n))
			return k;
	return MUGL_UPDATE;
}

static bool
replay_set(replay *r, mugl_id id)
{
	const mugl_node *v = mugl_get(&r->rec, "value", 5), *ref = text_of(r, "ref");
	mugl_node body;

	if (v == NULL || v->kind != MUGL_OBJECT)
		return false;
	body = mugl_copy_node(r->j->g, r->t, v);
	mugl_retag_node(r->j->g, &body, (mugl_text){NULL, 0},
		ref ? (mugl_text){ref->s, ref->n} : mugl_c(MUGL_TAG));
	if (body.kind != MUGL_OBJECT)
		return false;
	*mugl_define(r->j->g, id) = body;
	return true;
}

static bool
replay_vertex(replay *r, const mugl_node *op, const mugl_node *name)
{
	mugl_id id = mugl_intern(r->j->g, name->s, name->n);

	if (mugl_is(mugl_c("begin"), op->s, op->n)) {
		set_begun(r->j, id, 1 + step_number(text_of(r, "step")));
		return true;
	}
	set_begun(r->j, id, 0);
	if (mugl_is(mugl_c("set"), op->s, op->n))
		return replay_set(r, id);
	if (mugl_is(mugl_c("remove"), op->s, op->n))
		mugl_remove(r->j->g, id);
	else
		return mugl_is(mugl_c("fail"), op->s, op->n);
	return true;
}

/* False: it is not understood. */
static bool
replay_record(replay *r)
{
	const mugl_node *op = text_of(r, "op"), *seq = mugl_get(&r->rec, "seq", 3), *v;

	if (op == NULL || seq == NULL || seq->kind != MUGL_INT || seq->i != (int64_t)r->j->seq)
		return false;
	r->j->seq++;
	if (mugl_is(mugl_c("start"), op->s, op->n) && seq->i == 0) {
		v = text_of(r, "base");
		r->other = !v || !mugl_is(mugl_c(r->base), v->s, v->n);
		return v != NULL;
	}
	if (seq->i == 0)
		return false;
	if (mugl_is(mugl_c("commit"), op->s, op->n)) {
		v = text_of(r, "digest");
		if (r->other && v && mugl_is(mugl_c(r->base), v->s, v->n)) {
			r->stale = true; /* what follows goes on from there */
			r->other = false;
		}
		return v != NULL;
	}
	r->stale = false;
	v = text_of(r, "vertex");
	if (v == NULL || v->n == 0)
		return false;
	return r->other || replay_vertex(r, op, v);
}

static bool
replay_line(replay *r, const char *p, size_t n)
{
	mugl_options o = {.max_depth = 1000};
	mugl_problems quiet = {0};
	bool good;

	r->t = mugl_new(&o);
	good = mugl_read_json(r->t, p, n, &r->rec, &quiet) && r->rec.kind == MUGL_OBJECT &&
	       quiet.errors == 0 && replay_record(r);
	mugl_free(r->t);
	mugl_problems_free(&quiet);
	return good;
}

/* *good is how many bytes are records. */
static bool
replay_all(replay *r, const char *text, size_t n, size_t *good, mugl_problems *out)
{
	for (*good = 0; *good < n;) {
		const char *p = text + *good, *end = memchr(p, '\n', n - *good);
		if (end == NULL)
			return true;
		if (!is_whole(p, (size_t)(end - p)))
			return end + 1 == text + n ||
			       trouble(out, MUGL_BAD_JOURNAL, "the journal is damaged",
				       r->j->seq + 1);
		if (!replay_line(r, p, (size_t)(end - p)))
			return trouble(out, MUGL_BAD_JOURNAL,
				"the journal has a record that is not understood", r->j->seq + 1);
		*good = (size_t)(end + 1 - text);
	}
	return true;
}

/* ---- writing ---- */

static bool
put_bytes(mugl_journal *j, const char *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t k = pwrite(j->fd, p + done, n - done, (off_t)(j->size + done));
		if (k < 0 && errno != EINTR)
			return false;
		done += k > 0 ? (size_t)k : 0;
	}
	return fdatasync(j->fd) == 0;
}

/* rest: what follows the operation's name, with its comma. */
static bool
append(mugl_journal *j, const char *op, const vt_buf *rest, mugl_problems *out)
{
	vt_buf b = {0};
	char crc[NCRC + 1];
	bool good;

	vt_buf_puts(&b, HEAD "00000000\",");
	vt_buf_printf(&b, "\"seq\":%llu,\"op\":\"%s\"", (unsigned long long)j->seq, op);
	vt_buf_put(&b, rest->n ? rest->p : "", rest->n);
	vt_buf_putc(&b, '}');
	snprintf(crc, sizeof crc, "%08x", crc32_of(b.p + NBODY, b.n - NBODY));
	memcpy(b.p + NHEAD, crc, NCRC);
	vt_buf_putc(&b, '\n');
	good = put_bytes(j, b.p, b.n);
	if (good) {
		j->size += b.n;
		j->seq++;
	} else {
		int err = errno;
		if (ftruncate(j->fd, (off_t)j->size) != 0)
			err = errno;
		mugl_add(out, NULL, MUGL_IO, UINT64_MAX, "the journal cannot be written: %s",
			strerror(err));
	}
	vt_buf_free(&b);
	return good;
}

static void
put_field(vt_buf *b, const char *name, const char *s, size_t n)
{
	vt_buf_printf(b, ",\"%s\":", name);
	vt_json_str(b, s, n);
}

/* Empties the file and begins again for the graph as it is. */
static bool
restart(mugl_journal *j, mugl_problems *out)
{
	char digest[65];
	vt_buf b = {0};
	bool good;

	if (ftruncate(j->fd, 0) != 0)
		return trouble(out, MUGL_IO, "the journal cannot be emptied", 0);
	j->size = j->seq = 0;
	mugl_digest(j->g, digest);
	put_field(&b, "base", digest, 64);
	good = append(j, "start", &b, out);
	vt_buf_free(&b);
	return good;
}

/* ---- opening ---- */

static char *
read_all(int fd, size_t *n)
{
	struct stat st;
	char *p;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > UINT32_MAX)
		return NULL;
	p = vt_xmalloc((size_t)st.st_size + 1);
	for (*n = 0; *n < (size_t)st.st_size;) {
		ssize_t k = pread(fd, p + *n, (size_t)st.st_size - *n, (off_t)*n);
		if (k == 0)
			break;
		if (k < 0 && errno != EINTR) {
			free(p);
			return NULL;
		}
		*n += k > 0 ? (size_t)k : 0;
	}
	return p;
}

static bool
take_up(mugl_journal *j, mugl_problems *out)
{
	replay r = {.j = j};
	size_t n, good;
	char *text = read_all(j->fd, &n);
	bool fine;

	if (text == NULL)
		return trouble(out, MUGL_IO, "the journal cannot be read", 0);
	if (n > 0 && memcmp(text, HEAD, n < NHEAD ? n : NHEAD) != 0) {
		free(text);
		return trouble(out, MUGL_BAD_JOURNAL, "the file is no journal", 0);
	}
	mugl_digest(j->g, r.base);
	fine = replay_all(&r, text, n, &good, out);
	free(text);
	if (!fine)
		return false;
	if (j->seq == 0 || r.stale)
		return restart(j, out);
	if (r.other)
		return trouble(out, MUGL_BAD_JOURNAL, "the journal belongs to another snapshot", 0);
	j->size = good;
	if (good < n && ftruncate(j->fd, (off_t)good) != 0)
		return trouble(out, MUGL_IO, "the journal cannot be cut", 0);
	return true;
}

mugl_journal *
mugl_journal_open(const char *path, mugl *g, mugl_problems *out)
{
	mugl_journal *j = vt_xmalloc(sizeof *j);
	bool good;

	*j = (mugl_journal){.g = g, .path = vt_xstrdup(path)};
	j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (j->fd < 0) {
		mugl_add(out, NULL, MUGL_IO, UINT64_MAX, "the journal cannot be opened: %s",
			strerror(errno));
		good = false;
	} else if (flock(j->fd, LOCK_EX | LOCK_NB) != 0)
		good = trouble(out, MUGL_BAD_JOURNAL, "another process uses the journal", 0);
	else
		good = take_up(j, out);
	if (good)
		return j;
	mugl_journal_close(j);
	return NULL;
}

void
mugl_journal_close(mugl_journal *j)
{
	if (j == NULL)
		return;
	if (j->fd >= 0)
		close(j->fd);
	free(j->path);
	free(j->begun);
	free(j->pending);
	free(j);
}

/* ---- steps ---- */

bool
mugl_journal_begin(mugl_journal *j, const char *moniker, size_t n, enum mugl_step_kind kind,
	mugl_problems *out)
{
	vt_buf b = {0};
	bool good;

	put_field(&b, "vertex", moniker, n);
	put_field(&b, "step", mugl_step_name(kind), strlen(mugl_step_name(kind)));
	good = append(j, "begin", &b, out);
	vt_buf_free(&b);
	if (good)
		set_begun(j, mugl_intern(j->g, moniker, n), 1 + (int)kind);
	return good;
}

bool
mugl_journal_fail(
	mugl_journal *j, const char *moniker, size_t n, const char *why, mugl_problems *out)
{
	vt_buf b = {0};
	bool good;

	put_field(&b, "vertex", moniker, n);
	put_field(&b, "why", why, strlen(why));
	good = append(j, "fail", &b, out);
	vt_buf_free(&b);
	if (good)
		set_begun(j, mugl_intern(j->g, moniker, n), 0);
	return good;
}

bool
mugl_journal_step(mugl_journal *j, const char *moniker, size_t n, mugl_problems *out)
{
	mugl_id id = mugl_find(j->g, moniker, n);
	vt_buf b = {0}, tag = {0};
	bool good;

	put_field(&b, "vertex", moniker, n);
	if (id != MUGL_NONE) {
		if (mugl_tag_for(mugl_body(j->g, id), &tag))
			put_field(&b, "ref", tag.p, tag.n);
		vt_buf_puts(&b, ",\"value\":");
		vt_buf_putc(&tag, '\0');
		mugl_write_node(j->g, &b, mugl_body(j->g, id), tag.p);
	}
	good = append(j, id == MUGL_NONE ? "remove" : "set", &b, out);
	vt_buf_free(&b);
	vt_buf_free(&tag);
	if (good)
		set_begun(j, mugl_intern(j->g, moniker, n), 0);
	return good;
}

bool
mugl_journal_save(mugl_journal *j, const char *snapshot, int flags, mugl_problems *out)
{
	vt_buf text = {0}, b = {0};
	char digest[65];
	bool good;

	mugl_digest(j->g, digest);
	put_field(&b, "digest", digest, 64);
	good = mugl_write(j->g, flags, &text, out) && append(j, "commit", &b, out) &&
	       mugl_replace_file(snapshot, text.p, text.n, out) && restart(j, out);
	vt_buf_free(&text);
	vt_buf_free(&b);
	return good;
}

const mugl_pending *
mugl_journal_pending(const mugl_journal *journal, uint32_t *n)
{
	mugl_journal *j = (mugl_journal *)(uintptr_t)journal;

	*n = 0;
	j->pending = vt_xrealloc(j->pending, ((size_t)j->nbegun + 1) * sizeof *j->pending);
	for (mugl_id id = 0; id < j->nbegun; id++)
		if (j->begun[id])
			j->pending[(*n)++] = (mugl_pending){
				mugl_name(j->g, id), (enum mugl_step_kind)(j->begun[id] - 1)};
	return j->pending;
}

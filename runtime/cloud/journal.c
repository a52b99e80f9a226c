/*
 * journal.c - effects that an interrupted run has begun and done (cloud.h).
 *
 * The file's first line describes the run; then come, a line of JSON each,
 *     {"begun": KEY, "on": ..., "id": ..., "stamp": ...}    before an effect, when the snapshot has
 * been written
 *     {"done": KEY, "result": ...}               after it; on the disk with the next one begun
 * KEY is a digest of the kind, the target, the content and the stack of MuranoPL calls, and how
 * many such there were before.  An object is reported by its id if it belongs to the model, so that
 * ids are the same in the run that goes on.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"
#include "runtime/object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

typedef struct vt_journal {
	char *path;
	const char *self;
	int fd;
	bool cut;       /* the last line may not be whole: no room on the disk */
	vt_dict *known; /* of the run before: KEY -> {"id", "stamp", "result"?, "target"} */
	vt_dict *seen;  /* of this run: digest -> how many */
	vt_status (*save)(vt_rt *, void *);
	void *ctx;
	/* effects that want a snapshot, and those that the last one was for */
	uint64_t asked, saved;
	uint64_t drawn;           /* vt_draw, when it was made */
	uint64_t written, synced; /* lines, and those of them that are on the disk */
} vt_journal;

/* ---- keys -------------------------------------------------------------------------------- */

/* Two hashes of 64 bits: one alone could meet by chance. */
typedef struct digest {
	uint64_t a, b;
} digest;

static void
add(digest *d, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		d->a = (d->a ^ (unsigned char)s[i]) * 0x100000001b3u;
		d->b = (d->b + (unsigned char)s[i] + 1) * 0x9e3779b97f4a7c15u;
		d->b ^= d->b >> 29;
	}
	d->a = (d->a ^ 0xff) * 0x100000001b3u;
	d->b = (d->b + 0x1ff) * 0x9e3779b97f4a7c15u;
}

static bool
is_of_model(vt_rt *rt, const vt_object *o)
{
	for (; o != NULL; o = o->owner)
		if (vt_mkptr(o) == rt->s->root)
			return true;
	return false;
}

static void
add_stack(vt_rt *rt, digest *d)
{
	for (const vt_act *a = rt->act; a != NULL; a = a->up) {
		const vt_method_decl *m = a->hold.method;
		vt_value self = a->hold.self;
		uint64_t pos = a->at ? a->at->pos : 0;
		if (m == NULL)
			continue;
		add(d, m->cls->name->s, m->cls->name->bytes);
		add(d, m->name->s, m->name->bytes);
		add(d, (const char *)&pos, sizeof pos);
		if ((vt_is(self, OBJECT) || vt_is(self, CAST)) && is_of_model(rt, vt_obj_of(self)))
			add(d, vt_as_str(vt_obj_of(self)->id)->s,
				vt_as_str(vt_obj_of(self)->id)->bytes);
	}
}

static vt_value
key_of(vt_rt *rt, vt_journal *j, const char *kind, const char *target, vt_value content)
{
	digest d = {0xcbf29ce484222325u, 0x243f6a8885a308d3u};
	vt_buf b = {0};
	vt_value base, n, key;
	int64_t count;
	vt_json_write(rt, &b, content, VT_JSON_SORT);
	add(&d, kind, strlen(kind));
	add(&d, target, strlen(target));
	add(&d, b.p, b.n);
	add_stack(rt, &d);
	vt_buf_free(&b);
	base = vt_str_printf(
		rt, "%016llx%016llx", (unsigned long long)d.a, (unsigned long long)d.b);
	n = vt_dict_get(j->seen, base);
	count = (vt_is_int(n) ? vt_toint(n) : 0) + 1;
	(void)vt_dict_set(rt, j->seen, base, vt_mkint(count));
	key = vt_str_printf(rt, "%s-%s-%lld", kind, vt_as_str(base)->s, (long long)count);
	vt_release(base);
	return key;
}

/* ---- lines ------------------------------------------------------------------------------- */

static bool
write_line(vt_journal *j, vt_buf *b)
{
	size_t at = 0;
	vt_buf_putc(b, '\n');
	if (j->cut && write(j->fd, "\n", 1) != 1)
		return false;
	j->cut = true;
	while (at < b->n) {
		ssize_t k = write(j->fd, b->p + at, b->n - at);
		if (k < 0 && errno != EINTR)
			return false;
		at += k > 0 ? (size_t)k : 0;
	}
	j->cut = false;
	j->written++;
	return true;
}

/* Onto the disk, with all lines that are there by now. */
static bool
sync_lines(vt_journal *j)
{
	if (j->synced == j->written)
		return true;
	if (fdatasync(j->fd) != 0 && errno != EINVAL)
		return false;
	j->synced = j->written;
	return true;
}

static vt_status
cannot(vt_rt *rt, const vt_journal *j)
{
	return vt_raise(rt, VT_E_OS, "%s: %s", j->path, strerror(errno));
}

static vt_status
put_line(vt_rt *rt, vt_dict *line)
{
	vt_journal *j = rt->s->journal;
	vt_buf b = {0};
	bool ok;
	vt_json_write(rt, &b, vt_mkptr(line), 0);
	ok = write_line(j, &b);
	vt_buf_free(&b);
	vt_release(vt_mkptr(line));
	return ok ? VT_OK : cannot(rt, j);
}

/* ---- effects ----------------------------------------------------------------------------- */

vt_status
vt_journal_begin(vt_rt *rt, const char *kind, const char *target, vt_value content, vt_done *out)
{
	vt_journal *j = rt->s->journal;
	vt_value old, v;
	*out = (vt_done){.target = target,
		.key = VT_NULL,
		.id = VT_NULL,
		.stamp = VT_NULL,
		.result = VT_UNDEF};
	if (j == NULL)
		return VT_OK;
	out->key = key_of(rt, j, kind, target, content);
	old = vt_dict_get(j->known, out->key);
	if (!vt_is(old, DICT))
		return VT_OK;
	out->again = true;
	v = vt_dict_get_c(vt_as_dict(old), "id");
	out->id = v == VT_UNDEF ? VT_NULL : vt_copy(v);
	v = vt_dict_get_c(vt_as_dict(old), "stamp");
	out->stamp = v == VT_UNDEF ? VT_NULL : vt_copy(v);
	v = vt_dict_get_c(vt_as_dict(old), "result");
	out->result = vt_copy(v);
	return VT_OK;
}

/*
 * A snapshot holds what a run that goes on would not come to by itself.  Where nothing of the kind
 * came up since the last one, methods that run again from there ask for the same effects, which the
 * journal knows; so a plan after another costs a line and not the whole model.  One snapshot is for
 * all tasks that are about to do something.
 */
static bool
is_due(vt_rt *rt, const vt_journal *j)
{
	return j->drawn != rt->s->drawn || rt->s->draws || rt->s->lua != NULL ||
	       rt->s->host != NULL;
}

static vt_status
save(vt_rt *rt, vt_journal *j)
{
	uint64_t drawn = rt->s->drawn;
	if (!sync_lines(j)) /* it may hold what came of effects whose end is not on the disk */
		return cannot(rt, j);
	VT_TRY(j->save(rt, j->ctx));
	j->drawn = drawn;
	return VT_OK;
}

static vt_status
save_if_due(vt_rt *rt, vt_journal *j)
{
	uint64_t mine = ++j->asked, all;
	VT_TRY(vt_sleep(rt, 0));
	if (j->saved >= mine || !is_due(rt, j))
		return VT_OK;
	all = j->asked;
	VT_TRY(save(rt, j));
	j->saved = all;
	return VT_OK;
}

/* All tasks that are about to do something wait for one writing to the disk. */
vt_status
vt_journal_note(vt_rt *rt, const vt_done *d, vt_value id, vt_value stamp)
{
	vt_journal *j = rt->s->journal;
	uint64_t mine;
	vt_dict *line;
	if (j == NULL)
		return VT_OK;
	VT_TRY(save_if_due(rt, j));
	line = vt_dict_new(rt, false);
	vt_dict_set_c(rt, line, "begun", vt_copy(d->key));
	vt_dict_set_c(rt, line, "on", vt_str_c(rt, d->target));
	vt_dict_set_c(rt, line, "id", vt_copy(id));
	vt_dict_set_c(rt, line, "stamp", vt_copy(stamp));
	VT_TRY(put_line(rt, line));
	mine = j->written;
	VT_TRY(vt_sleep(rt, 0));
	return j->synced >= mine || sync_lines(j) ? VT_OK : cannot(rt, j);
}

/* The effect is done whether this can be written or not.  It reaches the disk before what follows
 * it begins. */
void
vt_journal_end(vt_rt *rt, const vt_done *d, vt_value result)
{
	vt_value pending;
	vt_dict *line;
	if (rt->s->journal == NULL)
		return;
	pending = vt_pending(rt) ? vt_exc_take(rt) : VT_UNDEF;
	line = vt_dict_new(rt, false);
	vt_dict_set_c(rt, line, "done", vt_copy(d->key));
	vt_dict_set_c(rt, line, "result", vt_copy(result));
	if (put_line(rt, line) != VT_OK) {
		vt_say("%s: %s\n", rt->s->journal->self, vt_as_str(vt_pending(rt)->message)->s);
		vt_exc_clear(rt);
	}
	if (pending != VT_UNDEF)
		vt_exc_set(rt, pending);
}

void
vt_journal_drop(vt_done *d)
{
	vt_clear(&d->key);
	vt_clear(&d->id);
	vt_clear(&d->stamp);
	vt_clear(&d->result);
}

bool
vt_journal_left(vt_rt *rt, const char *kind, const char *target)
{
	vt_journal *j = rt->s->journal;
	vt_value key, v;
	size_t n = strlen(kind);
	for (uint32_t i = 0; j != NULL && vt_dict_at(j->known, &i, &key, &v);)
		if (strncmp(vt_as_str(key)->s, kind, n) == 0 && vt_as_str(key)->s[n] == '-' &&
			vt_dict_get_c(vt_as_dict(v), "result") == VT_UNDEF &&
			vt_is(vt_dict_get_c(vt_as_dict(v), "on"), STR) &&
			strcmp(vt_as_str(vt_dict_get_c(vt_as_dict(v), "on"))->s, target) == 0) {
			vt_dict_set_c(rt, vt_as_dict(v), "result", VT_NULL);
			return true;
		}
	return false;
}

/* ---- the file ---------------------------------------------------------------------------- */

static void
take_line(vt_rt *rt, vt_journal *j, vt_value line)
{
	vt_value key = vt_is(line, DICT) ? vt_dict_get_c(vt_as_dict(line), "begun") : VT_UNDEF, old;
	vt_dict *d;
	bool begun = key != VT_UNDEF;
	if (!begun && vt_is(line, DICT))
		key = vt_dict_get_c(vt_as_dict(line), "done");
	if (!vt_is(key, STR))
		return;
	old = vt_dict_get(j->known, key);
	d = vt_is(old, DICT) ? vt_as_dict(old) : vt_dict_new_hashed(rt, false);
	if (begun) {
		vt_dict_set_c(rt, d, "on", vt_copy(vt_dict_get_c(vt_as_dict(line), "on")));
		vt_dict_set_c(rt, d, "id", vt_copy(vt_dict_get_c(vt_as_dict(line), "id")));
		vt_dict_set_c(rt, d, "stamp", vt_copy(vt_dict_get_c(vt_as_dict(line), "stamp")));
	} else {
		vt_dict_set_c(rt, d, "result", vt_copy(vt_dict_get_c(vt_as_dict(line), "result")));
	}
	if (!vt_is(old, DICT)) {
		(void)vt_dict_set(rt, j->known, key, vt_mkptr(d));
		vt_release(vt_mkptr(d));
	}
}

/* How many lines were whole; the last may have been cut. *first is the description, from malloc. */
static uint64_t
read_lines(vt_rt *rt, vt_journal *j, vt_buf *b, char **first)
{
	uint64_t n = 0;
	char *end;
	for (char *p = b->p;
		p < b->p + b->n && (end = memchr(p, '\n', (size_t)(b->p + b->n - p))) != NULL;
		p = end + 1) {
		vt_value line = VT_UNDEF;
		char *err = NULL;
		if (n++ == 0) {
			*first = vt_asprintf("%.*s", (int)(end - p), p);
		} else if (vt_json_read(
				   rt, p, (size_t)(end - p), VT_JSON_MUTABLE, 0, &line, &err)) {
			take_line(rt, j, line);
			vt_release(line);
		}
		free(err);
	}
	return n;
}

static bool
read_whole(int fd, vt_buf *b)
{
	for (;;) {
		char *to = vt_buf_room(b, 1 << 16);
		ssize_t k = read(fd, to, 1 << 16);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0 || b->n > MOST_BYTES)
			return k == 0;
		b->n += (size_t)k;
	}
}

static void
close_journal(vt_rt *rt)
{
	vt_journal *j = rt->s->journal;
	if (j == NULL)
		return;
	if (j->fd >= 0)
		close(j->fd);
	vt_release(vt_mkptr(j->known));
	vt_release(vt_mkptr(j->seen));
	free(j->path);
	free(j);
	rt->s->journal = NULL;
}

/* Also what a line that was cut leaves behind: the next one begins on a line of its own. */
static bool
begin_file(vt_rt *rt, vt_journal *j, const char *what, const vt_buf *old, char *first)
{
	vt_buf b = {0};
	bool ok = true;
	if (first != NULL && strcmp(first, what) != 0) {
		vt_say("%s: %s is what an interrupted run left, and that was another one:\n  "
		       "%s\nEnd that one first: give "
		       "its command again.  To forget it, remove the file.\n",
			j->self, j->path, first);
		return false;
	}
	if (first == NULL) { /* now that no other run is at it */
		if (save(rt, j) != VT_OK)
			return false;
		ok = ftruncate(j->fd, 0) == 0;
		vt_buf_puts(&b, what);
	}
	if (first == NULL || old->p[old->n - 1] != '\n')
		ok = ok && write_line(j, &b) && sync_lines(j);
	vt_buf_free(&b);
	if (!ok)
		vt_say("%s: %s: %s\n", j->self, j->path, strerror(errno));
	return ok;
}

bool
vt_journal_waits(const char *path)
{
	char *name = vt_asprintf("%s.journal", path), c;
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool whole = false;
	while (fd >= 0 && !whole && read(fd, &c, 1) == 1)
		whole = c == '\n';
	if (fd >= 0)
		close(fd);
	free(name);
	return whole;
}

/* One run at a time: what another one is writing is not what an interrupted one left. */
static bool
lock(const vt_journal *j)
{
	struct stat s;
	bool taken = flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (!taken && fstat(j->fd, &s) == 0 && s.st_nlink > 0)
		return true;
	vt_say("%s: %s belongs to a run that %s\n", j->self, j->path,
		taken ? "is still under way; wait for its end" : "has just ended; try again");
	return false;
}

bool
vt_journal_open(vt_rt *rt, const char *path, const char *what, const char *self,
	vt_status (*save)(vt_rt *, void *), void *ctx)
{
	vt_journal *j = vt_xmalloc(sizeof *j);
	vt_buf b = {0};
	char *first = NULL;
	bool ok;
	*j = (vt_journal){.path = vt_asprintf("%s.journal", path),
		.self = self,
		.save = save,
		.ctx = ctx,
		.drawn = UINT64_MAX,
		.known = vt_dict_new_hashed(rt, false),
		.seen = vt_dict_new_hashed(rt, false)};
	rt->s->journal = j;
	rt->s->draws = false;
	j->fd = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	ok = j->fd >= 0;
	if (!ok)
		vt_say("%s: %s: %s\n", self, j->path, strerror(errno));
	ok = ok && lock(j);
	if (ok && !(ok = read_whole(j->fd, &b)))
		vt_say("%s: %s: %s\n", self, j->path,
			b.n > MOST_BYTES ? "too large for a journal" : strerror(errno));
	if (ok && b.n > 0)
		(void)read_lines(rt, j, &b, &first);
	ok = ok && begin_file(rt, j, what, &b, first);
	free(first);
	vt_buf_free(&b);
	if (!ok)
		close_journal(rt);
	return ok;
}

void
vt_journal_close(vt_rt *rt, bool remove_it)
{
	vt_journal *j = rt->s->journal;
	if (j != NULL && remove_it && unlink(j->path) != 0)
		vt_say("%s: %s: %s\n", j->self, j->path, strerror(errno));
	close_journal(rt);
}

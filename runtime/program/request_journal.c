/*
 * request_journal.c - what a journal is of, and the journals of `session` and `serve`.
 *
 * A session that goes on is asked the same again, from its first request on: the journal has a
 * digest of each, and what they drew and did.  An answer leaves when the journal is on the disk, so
 * the client never knows more than the session that goes on.
 *
 * `serve` keeps a journal for each request in a folder: KEY of an Idempotency-Key, which stays with
 * the answer, or one of its own, which goes when the request has been answered.
 */
#define _GNU_SOURCE
#include "runtime/cloud/cloud.h"
#include "runtime/program/deploy.h"
#include "runtime/program/program.h"
#include "runtime/program/serve.h"
#include "runtime/call/call.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- what a journal is of ---- */

static void
put_what(vt_buf *b, const char *name, const char *text)
{
	if (text == NULL)
		return;
	vt_buf_printf(b, "%s\"%s\":", b->n > 1 ? "," : "", name);
	vt_json_str(b, text, strlen(text));
}

static void
put_hex(vt_buf *b, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vt_buf_printf(b, "%x%x", p[i] >> 4, p[i] & 15);
}

/* The linker's digest of this program stands in its notes: name, content and kind, in words. */
static int
find_build(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const unsigned char *p = (const unsigned char *)(info->dlpi_addr + h->p_vaddr),
				    *end = p + h->p_memsz;
		while (h->p_type == PT_NOTE && (size_t)(end - p) >= sizeof(ElfW(Nhdr))) {
			ElfW(Nhdr) note;
			memcpy(&note, p, sizeof note);
			p += sizeof note + ((note.n_namesz + 3) & ~3u);
			if (note.n_type == NT_GNU_BUILD_ID && p + note.n_descsz <= end) {
				put_hex(out, p, note.n_descsz);
				return 1;
			}
			p += (note.n_descsz + 3) & ~3u;
		}
	}
	return 1; /* the program comes first; libraries do not matter */
}

bool
vt_deploy_journal(vt_deploy *c, vt_rt *rt, const char *path, const char *const *is)
{
	vt_buf what = {0}, build = {0};
	bool ok;
	(void)dl_iterate_phdr(find_build, &build);
	vt_buf_putc(&what, '{');
	put_what(&what, "build", build.p);
	for (; *is != NULL; is += 2)
		put_what(&what, is[0], is[1]);
	vt_buf_putc(&what, '}');
	vt_buf_putc(&what, '\0');
	ok = vt_journal_open(rt, path, what.p, c->self);
	vt_buf_free(&build);
	vt_buf_free(&what);
	return ok;
}

/* ---- sessions ---- */

static bool
note_request(vt_rt *rt, void *cli, const char *request, size_t n)
{
	const vt_deploy *c = cli;
	if (vt_journal_asked(rt, request, n))
		return true;
	vt_say("%s: the session that was interrupted was asked something else here\n  hint: give "
	       "its requests again, all of them and in their order; to forget it, remove the "
	       "journal\n",
		c->self);
	return false;
}

static bool
sync_answer(vt_rt *rt, void *cli)
{
	(void)cli;
	if (vt_journal_sync(rt) == VT_OK)
		return true;
	vt_say("%s\n", vt_as_str(vt_pending(rt)->message)->s);
	vt_exc_clear(rt);
	return false;
}

/* Of a program that does something outside; else there is nothing to keep. */
static char *
session_path(const vt_deploy *c)
{
	const char *snapshot = c->o->snapshot;
	if (c->o->journal != NULL)
		return vt_xstrdup(c->o->journal);
	return snapshot != NULL && c->program->nnatives > 0 && !vt_is_special(snapshot)
		       ? vt_asprintf("%s.journal", snapshot)
		       : NULL;
}

bool
vt_session_journal(vt_deploy *c, vt_rt *rt)
{
	const char *const is[] = {"session", c->o->expose ? c->o->expose : "", NULL};
	char *path = session_path(c);
	vt_value model = VT_UNDEF, graph = VT_UNDEF;
	bool ok;
	if (path == NULL)
		return true;
	ok = vt_deploy_journal(c, rt, path, is);
	if (ok && c->o->snapshot != NULL)
		vt_deploy_find_stamp(c, rt);
	if (ok && (c->resumes = vt_journal_model(rt, &model, &graph)))
		vt_say("%s: goes on with the session that was interrupted, from %s\n", c->self,
			path);
	else if (ok)
		ok = vt_journal_start(rt, VT_NULL, NULL, 0);
	rt->s->asked = note_request;
	rt->s->answered = sync_answer;
	vt_release(model);
	free(path);
	return ok;
}

int
vt_session_forget(vt_deploy *c, vt_rt *rt, int rc)
{
	uint32_t left = vt_journal_unasked(rt);
	if (rc == DONE && left > 0 && !vt_interrupt_caught()) {
		vt_say("%s: the session that was interrupted was asked %u request%s more: its "
		       "journal is kept\n",
			c->self, left, left == 1 ? "" : "s");
		rc = FAILED;
	}
	vt_journal_close(rt, rc == DONE && vt_interrupt_over() == 0);
	return rc;
}

/* ---- serve ---- */

static const char of_key[] = "key-", of_request[] = "request-", suffix[] = ".journal";
enum { KEPT_SECONDS = 24 * 3600 }; /* answers to keys */
enum { LOOK_REQUESTS = 100 };      /* after so many a server looks for old ones */

static char *
request_path(const vt_deploy *c, const char *key)
{
	static unsigned count;
	vt_buf hex = {0};
	char *path;
	if (key == NULL)
		return vt_asprintf("%s/%s%ld-%u%s", c->o->journal, of_request, (long)getpid(),
			count++, suffix);
	put_hex(&hex, (const unsigned char *)key, strlen(key));
	path = vt_asprintf("%s/%s%.*s%s", c->o->journal, of_key, (int)hex.n, hex.p, suffix);
	vt_buf_free(&hex);
	return path;
}

/* Whatever was asked: what `serve` does at its start must be able to open it. */
static bool
open_request(vt_deploy *c, vt_rt *rt, const char *path)
{
	static const char *const is[] = {"serve", "action", NULL};
	return vt_deploy_journal(c, rt, path, is);
}

static bool
give_told(vt_rt *rt, vt_answer *a)
{
	vt_value text = VT_UNDEF;
	int status;
	if (!vt_journal_told(rt, &status, &text))
		return false;
	a->status = status;
	a->body.n = 0;
	vt_buf_put(&a->body, vt_as_str(text)->s, vt_as_str(text)->bytes);
	vt_release(text);
	return true;
}

static bool
is_text(vt_value v, const char *s, size_t n)
{
	return vt_is(v, STR) && vt_as_str(v)->bytes == n && memcmp(vt_as_str(v)->s, s, n) == 0;
}

/* A request that is new, one that was interrupted, or one that has its answer. */
static bool
begin_known(vt_deploy *c, vt_rt *rt, const char *body, size_t n, vt_answer *a)
{
	vt_value asked = VT_UNDEF, graph = VT_UNDEF;
	bool same;
	if (!vt_journal_model(rt, &asked, &graph)) {
		asked = vt_str_new(rt, body, n);
		same = vt_journal_start(rt, asked, NULL, 0);
		vt_release(asked);
		if (!same)
			vt_serve_refuse_as(500, "the journal cannot be written", a);
		return same;
	}
	same = is_text(asked, body, n);
	vt_release(asked);
	if (!same)
		vt_serve_refuse_as(409, "this Idempotency-Key is that of another request", a);
	(void)c;
	return same && !give_told(rt, a);
}

/* One that was interrupted is not over: the next server ends it. */
void
vt_action_end(void *cli, vt_rt *rt, const char *key, vt_answer *a)
{
	bool told = rt->s->interrupt == 0 &&
		    vt_journal_tell(rt, a->status, a->body.p ? a->body.p : "", a->body.n);
	(void)cli;
	vt_journal_close(rt, told && key == NULL);
}

static bool
is_old(const char *path)
{
	struct stat st;
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_mtim.tv_sec + KEPT_SECONDS < now.tv_sec;
}

/* What a server that was killed has left of one request: ends it, if it may. */
static void
end_request(vt_deploy *c, const char *path, bool keyed, bool may_run)
{
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	vt_value asked = VT_UNDEF, graph = VT_UNDEF;
	vt_answer a = {.status = 200};
	if (rt == NULL || !open_request(c, rt, path)) {
		if (rt != NULL)
			vt_rt_free(rt);
		return;
	}
	if (!vt_journal_model(rt, &asked, &graph) || !vt_is(asked, STR)) {
		vt_journal_close(rt, asked == VT_UNDEF);
	} else if (give_told(rt, &a)) {
		vt_journal_close(rt, !keyed || is_old(path));
	} else if (!may_run) {
		vt_journal_close(rt, false);
	} else {
		vt_say("%s: goes on with a request that was interrupted, from %s\n", c->self, path);
		vt_interrupt_watch(rt);
		vt_serve_act(rt, vt_as_str(asked)->s, vt_as_str(asked)->bytes, &a);
		vt_action_end(c, rt, keyed ? "" : NULL, &a);
		vt_interrupt_end(rt);
		vt_say("%s: that request has ended with %d\n", c->self, a.status);
	}
	vt_buf_free(&a.body);
	vt_release(asked);
	vt_rt_free(rt);
}

static bool
is_journal(const struct dirent *e)
{
	size_t n = strlen(e->d_name), k = sizeof suffix - 1;
	return n > k && strcmp(e->d_name + n - k, suffix) == 0 &&
	       (strncmp(e->d_name, of_key, sizeof of_key - 1) == 0 ||
		       strncmp(e->d_name, of_request, sizeof of_request - 1) == 0);
}

/* Nobody else may write there: what stands in a journal is done. */
static bool
make_folder(const vt_deploy *c, const char *path)
{
	struct stat st;
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		vt_say("%s: --journal %s: %s\n", c->self, path, strerror(errno));
		return false;
	}
	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
		!(st.st_mode & 022))
		return true;
	vt_say("%s: --journal %s: it is not a directory that only you can write to\n", c->self,
		path);
	return false;
}

/* What somebody left is ended, and old answers go; only_old: no more than that. */
static void
end_requests(vt_deploy *c, bool only_old)
{
	DIR *all = opendir(c->o->journal);
	for (struct dirent *e; all != NULL && (e = readdir(all)) != NULL;) {
		bool keyed = strncmp(e->d_name, of_key, sizeof of_key - 1) == 0;
		char *path;
		if (!is_journal(e) || vt_interrupt_caught())
			continue;
		path = vt_asprintf("%s/%s", c->o->journal, e->d_name);
		if (!only_old || (keyed && is_old(path)))
			end_request(c, path, keyed, !only_old);
		free(path);
	}
	if (all != NULL)
		closedir(all);
}

bool
vt_actions_resume(vt_deploy *c)
{
	if (!make_folder(c, c->o->journal))
		return false;
	end_requests(c, false);
	return !vt_interrupt_caught();
}

static void
forget_old(vt_deploy *c)
{
	static unsigned count; /* a process has one server */
	if (++count % LOOK_REQUESTS == 0)
		end_requests(c, true);
}

bool
vt_action_begin(void *cli, vt_rt *rt, const char *key, const char *body, size_t n, vt_answer *a)
{
	vt_deploy *c = cli;
	char *path;
	bool opened, runs = false;
	forget_old(c);
	path = request_path(c, key);
	opened = open_request(c, rt, path);
	free(path);
	if (vt_utf8_check(body, n) != n)
		vt_serve_refuse_as(400, "the body is no UTF-8", a);
	else if (!opened)
		vt_serve_refuse_as(409,
			"the journal of this request cannot be opened; the log of the server says "
			"why",
			a);
	else
		runs = begin_known(c, rt, body, n, a);
	if (!runs)
		vt_journal_close(rt, false);
	return runs;
}

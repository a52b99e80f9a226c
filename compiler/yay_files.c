/*
 * yay_files.c - the openers of Yay: files, mem://, package://, and .gpg through gpg.
 */
#include "yay_run.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool
is_encrypted(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".gpg") == 0;
}

static void
refuse(yay_world *w, yay_fault *f, const char *fmt, const char *name, const char *why)
{
	*f = (yay_fault){"NotFound", vc_format(w->c, fmt, name, why), NULL, 0, 0, 0, 0, VC_E3009};
}

/* ---- gpg ---- */

static bool
read_pipe(int fd, vc_buf *b, size_t limit)
{
	char part[65536];
	ssize_t n;

	while ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0)
			vc_put(b, part, (size_t)n);
		if (b->n > limit)
			return false;
	}
	return n == 0;
}

/* What gpg makes of the file. Its own messages go to standard error; it asks its agent for keys. */
static char *
decrypt(yay_world *w, const char *path, size_t *n, yay_fault *f)
{
	char *argv[] = {(char *)(uintptr_t)(w->gpg ? w->gpg : "gpg"), "--batch", "--quiet",
		"--decrypt", "--", (char *)(uintptr_t)path, NULL};
	posix_spawn_file_actions_t act;
	vc_buf b = {0};
	int fd[2], status = -1, rc;
	bool good;
	char *text = NULL;
	pid_t pid;

	if (pipe(fd) != 0) {
		refuse(w, f, "'%s' could not be decrypted: %s", path, strerror(errno));
		return NULL;
	}
	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_adddup2(&act, fd[1], 1);
	posix_spawn_file_actions_addclose(&act, fd[0]);
	posix_spawn_file_actions_addclose(&act, fd[1]);
	rc = posix_spawnp(&pid, argv[0], &act, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&act);
	close(fd[1]);
	good = rc == 0 && read_pipe(fd[0], &b, w->c->limit.max_file);
	close(fd[0]);
	if (rc == 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	if (good && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		text = vc_strndup(w->c, b.p ? b.p : "", *n = b.n);
	else
		refuse(w, f, "'%s' could not be decrypted: %s", path,
			rc ? strerror(rc) : "gpg failed");
	if (b.p)
		explicit_bzero(b.p, b.n);
	vc_buf_free(&b);
	return text;
}

/* ---- names ---- */

/* The path of a name in the file system, or NULL: it is none. */
static const char *
path_of(yay_world *w, const char *name, yay_fault *f)
{
	if (starts(name, "file://"))
		return name + 7;
	if (starts(name, "home://"))
		return vc_format(w->c, "%s/%s", getenv("HOME") ? getenv("HOME") : ".", name + 7);
	if (starts(name, "http://") || starts(name, "https://")) {
		refuse(w, f, "'%s' is on the network, which is not asked%s", name, "");
		return NULL;
	}
	if (strstr(name, "://")) {
		refuse(w, f, "'%s' has a scheme that nothing opens%s", name, "");
		return NULL;
	}
	return name;
}

static char *
text_of(yay_world *w, const char *name, size_t *n, yay_fault *f)
{
	const char *path;
	vt_value v;

	if (w->files != VT_NULL) {
		v = vt_dict_get_c(vt_as_dict(w->files), name);
		if (v == VT_UNDEF || !vt_is(v, STR))
			return NULL;
		*n = vt_as_str(v)->bytes;
		return vc_strndup(w->c, vt_as_str(v)->s, *n);
	}
	if (!(path = path_of(w, name, f)))
		return NULL;
	if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			refuse(w, f, "'%s' cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	if (is_encrypted(path))
		return decrypt(w, path, n, f);
	char *text = vc_bytes_read(w->c, path, n);
	if (!text)
		refuse(w, f, "'%s' cannot be read%s", path, "");
	return text;
}

static bool
is_secret(const yay_world *w, const char *name)
{
	return is_encrypted(name) ||
	       (w->secret != VT_NULL && vt_dict_get_c(vt_as_dict(w->secret), name) != VT_UNDEF);
}

/* Old spellings mean the same as the new ones, but a user should know. */
static void
warn_old(yay_world *w, const char *name, char *text, size_t n, const yay_old *old, uint32_t nold)
{
	vc_source *src;

	if (!nold || w->files != VT_NULL || is_secret(w, name))
		return;
	src = vc_source_new(w->c, name, text, n);
	for (uint32_t i = 0; i < nold; i++) {
		vc_report(w->c, VC_W3001, (vc_span){src, old[i].from, old[i].to},
			"this is an old spelling");
		vc_hint(w->c, "write %s", old[i].better);
	}
}

const vt_ydoc *
yay_world_open(yay_world *w, const char *name, bool *secret, yay_fault *f)
{
	const yay_old *old = NULL;
	const vt_ydoc *d;
	uint32_t nold = 0;
	size_t n = 0;
	char *text;

	*f = (yay_fault){0};
	for (uint32_t i = 0; i < w->nopened; i++)
		if (strcmp(w->opened[i].name, name) == 0) {
			*secret = w->opened[i].secret;
			return w->opened[i].doc;
		}
	*secret = is_secret(w, name);
	if (!(text = text_of(w, name, &n, f)))
		return NULL;
	name = vc_strdup(w->c, name);
	if (!(d = yay_read(w->c, name, text, n, false, f, &old, &nold))) {
		if (*secret) { /* words of it are not shown */
			f->message = vc_strdup(w->c, "the decrypted text is no Yay");
			f->hint = NULL;
		}
		return NULL;
	}
	warn_old(w, name, text, n, old, nold);
	vc_push(w->c, w->opened, w->nopened) = (struct yay_opened){name, d, *secret};
	return d;
}

bool
yay_world_shows(const yay_world *w, const vt_ydoc *d, const char *name)
{
	for (uint32_t i = 0; d && i < w->nopened; i++)
		if (w->opened[i].doc == d)
			return !w->opened[i].secret;
	return name && !is_secret(w, name);
}

/* ---- the evaluator's host ---- */

static const char *
beside(yay_world *w, const char *name, const vt_ydoc *from)
{
	const char *slash = strrchr(from->name, '/');

	if (!slash || *name == '/' || strstr(name, "://"))
		return NULL;
	return vc_format(w->c, "%.*s/%s", (int)(slash - from->name), from->name, name);
}

/* A file beside the one that includes it, then as it is called. */
static const vt_ydoc *
host_open(void *ctx, vt_yay *y, const char *name, const vt_ydoc *from, bool *secret)
{
	yay_world *w = ctx;
	const char *tries[] = {beside(w, name, from), name};
	yay_fault f = {0};
	const vt_ydoc *d = NULL;

	for (size_t i = 0; i < VC_LEN(tries) && !d && !f.type; i++)
		if (tries[i] && (d = yay_world_open(w, tries[i], secret, &f)) == NULL)
			name = tries[i];
	if (!d && f.type)
		vt_yay_refuse(y, f.type, f.message,
			(vt_yplace){NULL, f.line ? vc_strdup(w->c, name) : NULL, f.line, f.col});
	return d;
}

/* ---- class bindings ---- */

bool
yay_load_lua(yay_world *w, const char *const *files, uint32_t n, char **why)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t size;
		char *text = vc_bytes_read(w->c, files[i], &size);
		if (!text) {
			*why = vt_asprintf("%s cannot be read", files[i]);
			return false;
		}
		if (!vt_lua_load(w->rt, text, size, files[i], why))
			return false;
	}
	return true;
}

static bool
host_has_class(void *ctx, const char *name)
{
	yay_world *w = ctx;

	return vt_host_defined(w->rt, name);
}

static const vt_unit lua_unit = {.file = "", .layers = VT_L_STD, .opt = {-1, -1, 0, 0, 0, 0, 0}};

/* The function of that name gets the parameters and gives the members. */
static vt_status
host_make(void *ctx, vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	vt_scope *scope = vt_scope_root(rt, &lua_unit, VT_NULL);
	vt_status st = vt_call_name(rt, scope, &lua_unit, name, 1, &params, out);

	vt_scope_drop(scope);
	return st;
}

vt_yay_host
yay_host_of(yay_world *w)
{
	return (vt_yay_host){w, host_open, host_has_class, host_make};
}

void
yay_default_layer(yay_world *w, vt_yay *y)
{
	vt_dict *top = vt_dict_new_hashed(w->rt, false), *yay = vt_dict_new_hashed(w->rt, false);

	vt_dict_set_c(w->rt, yay, "searchpath", vt_mkptr(vt_list_grow(w->rt, VT_K_LIST, 0)));
	vt_dict_set_c(w->rt, top, "yay", vt_mkptr(yay));
	vt_yay_layer(y, vt_mkptr(top));
	vt_release(vt_mkptr(top));
}

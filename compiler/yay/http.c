/*
 * http.c - documents from the network, with copies on disk.
 *
 * A copy is a file named after the URL's digest: lines about it, an empty one, then the bytes. The
 * server is asked each time whether the copy still holds (ETag, Last-Modified), and only then is it
 * taken; --offline takes it unasked.  Copies appear by rename and are readable by their owner only,
 * for a URL may have been told a password; they hold no URL with one.
 */
#define _GNU_SOURCE
#include "compiler/yay/run.h"

#include "runtime/text/digest.h"
#include "runtime/net/http.h"
#include "runtime/call/call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "vetro copy 1\n"

typedef struct copy {
	char *etag, *modified, *base; /* arena, or NULL */
	const char *body;
	size_t n;
	bool there;
} copy;

static void
refuse(yay_world *w, yay_fault *f, const char *hint, const char *fmt, const char *a, const char *b)
{
	*f = (yay_fault){"NotFound", vc_format(w->c, fmt, a, b),
		hint ? vc_strdup(w->c, hint) : NULL, 0, 0, 0, 0, VC_E3009};
}

/* ---- copies ---- */

/* NULL: there is no place for copies. One that others may write to is none. */
static const char *
folder(yay_world *w)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const char *base, *dirs[3];
	struct stat st;

	if (w->no_cache || (!(xdg && *xdg == '/') && !(home && *home)))
		return NULL;
	base = xdg && *xdg == '/' ? xdg : vc_format(w->c, "%s/.cache", home);
	dirs[0] = base;
	dirs[1] = vc_format(w->c, "%s/vetro", base);
	dirs[2] = vc_format(w->c, "%s/vetro/http", base);
	for (size_t i = 0; i < VC_LEN(dirs); i++)
		(void)mkdir(dirs[i], 0700);
	if (lstat(dirs[2], &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
		(st.st_mode & 022))
		return NULL;
	return dirs[2];
}

static const char *
path_of(yay_world *w, const char *url)
{
	const char *dir = folder(w);
	char hex[VT_DIGEST_TEXT];

	if (!dir || !vt_digest("sha256", url, strlen(url), hex))
		return NULL;
	return vc_format(w->c, "%s/%s", dir, hex);
}

static void
set_line(yay_world *w, copy *k, const char *line, size_t n, char digest[VT_DIGEST_TEXT])
{
	const struct {
		const char *name;
		char **to;
	} known[] = {{"etag: ", &k->etag}, {"modified: ", &k->modified}, {"base: ", &k->base}};

	for (size_t i = 0; i < VC_LEN(known); i++)
		if (n > strlen(known[i].name) &&
			!memcmp(line, known[i].name, strlen(known[i].name)))
			*known[i].to = vc_strndup(
				w->c, line + strlen(known[i].name), n - strlen(known[i].name));
	if (n > 8 && n < VT_DIGEST_TEXT && memcmp(line, "sha256: ", 8) == 0)
		snprintf(digest, VT_DIGEST_TEXT, "%.*s", (int)(n - 8), line + 8);
}

/* A copy that was damaged is not there. */
static copy
read_copy(yay_world *w, const char *path)
{
	copy k = {0};
	char want[VT_DIGEST_TEXT] = "", have[VT_DIGEST_TEXT];
	size_t n = 0;
	const char *p, *end, *eol;

	if (!path || access(path, R_OK) != 0 || !(p = vc_bytes_read(w->c, path, &n)))
		return k;
	end = p + n;
	if (n < sizeof MAGIC - 1 || memcmp(p, MAGIC, sizeof MAGIC - 1) != 0)
		return k;
	for (p += sizeof MAGIC - 1; (eol = memchr(p, '\n', (size_t)(end - p))) && eol > p;
		p = eol + 1)
		set_line(w, &k, p, (size_t)(eol - p), want);
	if (!eol)
		return k;
	k.body = eol + 1;
	k.n = (size_t)(end - k.body);
	k.there = vt_digest("sha256", k.body, k.n, have) && strcmp(have, want) == 0;
	return k;
}

static bool
write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t put = write(fd, p, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
	}
	return true;
}

static void
put_line(vt_buf *b, const char *name, const char *value)
{
	if (value && !strpbrk(value, "\r\n"))
		vt_buf_printf(b, "%s: %s\n", name, value);
}

/* A copy that cannot be written is missed next time, and no more. */
static void
write_copy(yay_world *w, const char *path, const vt_net_response *r, const char *url)
{
	char *tmp = vc_format(w->c, "%s.%ld.tmp", path, (long)getpid()), hex[VT_DIGEST_TEXT];
	const char *control = vt_net_get(r, "Cache-Control");
	vt_buf b = {0};
	int fd;

	if ((control && strcasestr(control, "no-store")) ||
		!vt_digest("sha256", r->body, r->nbody, hex))
		return;
	vt_buf_puts(&b, MAGIC);
	put_line(&b, "etag", vt_net_get(r, "ETag"));
	put_line(&b, "modified", vt_net_get(r, "Last-Modified"));
	if (strcmp(r->url, url) != 0 && !strpbrk(r->url, "@?"))
		put_line(&b, "base", r->url);
	put_line(&b, "sha256", hex);
	vt_buf_puts(&b, "\n");
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0) {
		bool good = write_all(fd, b.p, b.n) && write_all(fd, r->body, r->nbody);
		if (close(fd) != 0 || !good || rename(tmp, path) != 0)
			unlink(tmp);
	}
	vt_buf_free(&b);
}

/* ---- asking ---- */

static vt_net *
session(yay_world *w)
{
	if (!w->net) {
		w->net_rt = vt_rt_new(NULL);
		w->net = vt_net_new(w->net_rt);
	}
	return w->net;
}

void
yay_world_close(yay_world *w)
{
	if (!w->net)
		return;
	vt_net_free(w->net);
	vt_rt_free(w->net_rt);
	w->net = NULL;
}

static void
ask(yay_world *w, const char *url, const copy *k, vt_net_response *r)
{
	vt_net_field f[3] = {{"User-Agent", "vetro/" VETRO_VERSION, false}};
	vt_net_request q = {.url = url,
		.field = f,
		.nfields = 1,
		.max_redirects = 5,
		.connect_timeout = 10,
		.timeout = w->http_timeout > 0 ? w->http_timeout : 60,
		.ca_file = w->ca_file,
		.max_body = w->c->limit.max_file};

	if (k->there && k->etag)
		f[q.nfields++] = (vt_net_field){"If-None-Match", k->etag, false};
	if (k->there && k->modified)
		f[q.nfields++] = (vt_net_field){"If-Modified-Since", k->modified, false};
	(void)vt_net_run(w->net_rt, session(w), &q, r); /* no other task cancels this one */
}

static char *
from_copy(yay_world *w, const copy *k, size_t *n, const char **base)
{
	if (k->base)
		*base = k->base;
	return vc_strndup(w->c, k->body, *n = k->n);
}

static char *
offline(yay_world *w, const char *shown, const copy *k, size_t *n, const char **base, yay_fault *f)
{
	if (k->there)
		return from_copy(w, k, n, base);
	refuse(w, f, "ask for it once without --offline",
		"'%s' is on the network, and there is no copy of it%s", shown, "");
	return NULL;
}

static const char *
hint_of(const vt_net_response *r, const copy *k)
{
	if (r->error == VT_NET_E_TLS)
		return "--cacert FILE names authorities to trust besides those of the machine";
	if (r->error == VT_NET_E_UNAVAILABLE && !k->there)
		return "the other openers need no libcurl";
	return k->there ? "--offline takes the copy of the last time" : NULL;
}

/* NULL with no fault: the server says that it is not there. */
static char *
answered(yay_world *w, const char *url, const char *path, const copy *k, vt_net_response *r,
	size_t *n, const char **base, yay_fault *f)
{
	if (r->error != VT_NET_OK) {
		refuse(w, f, hint_of(r, k), "%s%s", r->message, "");
		return NULL;
	}
	if (r->status == 304 && k->there)
		return from_copy(w, k, n, base);
	if (r->status == 404 || r->status == 410) {
		if (path)
			unlink(path);
		return NULL;
	}
	if (r->status != 200) {
		char *shown = vt_net_shown(url);
		refuse(w, f, r->status == 401 ? "a URL may hold USER:PASSWORD@" : NULL,
			"'%s' is refused by its server with status %s", shown,
			vc_format(w->c, "%d", r->status));
		free(shown);
		return NULL;
	}
	if (path)
		write_copy(w, path, r, url);
	*base = vc_strdup(w->c, r->url);
	return vc_strndup(w->c, r->body, *n = r->nbody);
}

char *
yay_fetch(yay_world *w, const char *url, size_t *n, const char **base, yay_fault *f)
{
	const char *path = path_of(w, url);
	copy k = read_copy(w, path);
	char *shown = vt_net_shown(url), *text;
	vt_net_response r;

	*base = vc_strdup(w->c, url);
	if (w->offline) {
		text = offline(w, shown, &k, n, base, f);
	} else {
		session(w);
		ask(w, url, &k, &r);
		text = answered(w, url, path, &k, &r, n, base, f);
		vt_net_response_free(&r);
	}
	free(shown);
	return text;
}

/*
 * http_url.c - URLs as text: what may be shown of one, and one seen from another.  Knows no
 * library, so that a program that only names URLs needs none.
 */
#define _GNU_SOURCE
#include "runtime/net/http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool
vt_net_is_url(const char *s)
{
	return strncasecmp(s, "http://", 7) == 0 || strncasecmp(s, "https://", 8) == 0;
}

/* The parts of a reference: each from its first byte; a part that is not there is empty and absent.
 */
typedef struct url {
	const char *scheme, *host, *path, *query, *fragment; /* NULL: absent; path never is */
	size_t nscheme, nhost, npath, nquery;
} url;

static size_t
scheme_length(const char *s)
{
	size_t n = 0;

	while ((s[n] | 32) >= 'a' && (s[n] | 32) <= 'z')
		n++;
	while (n && (((s[n] | 32) >= 'a' && (s[n] | 32) <= 'z') || (s[n] >= '0' && s[n] <= '9') ||
			    s[n] == '+' || s[n] == '-' || s[n] == '.'))
		n++;
	return n && s[n] == ':' ? n : 0;
}

static url
parts(const char *s)
{
	url u = {0};

	if ((u.nscheme = scheme_length(s))) {
		u.scheme = s;
		s += u.nscheme + 1;
	}
	if (s[0] == '/' && s[1] == '/') {
		u.host = s + 2;
		u.nhost = strcspn(u.host, "/?#");
		s = u.host + u.nhost;
	}
	u.path = s;
	u.npath = strcspn(s, "?#");
	s += u.npath;
	if (*s == '?') {
		u.query = s;
		u.nquery = strcspn(s, "#");
		s += u.nquery;
	}
	u.fragment = *s ? s : NULL;
	return u;
}

static const char *
behind_user(const url *u, size_t *n)
{
	const char *at = u->nhost ? memrchr(u->host, '@', u->nhost) : NULL;

	*n = at ? u->nhost - (size_t)(at + 1 - u->host) : u->nhost;
	return at ? at + 1 : u->host;
}

char *
vt_net_shown(const char *text)
{
	url u = parts(text);
	vt_buf b = {0};
	size_t n;
	const char *host = behind_user(&u, &n);

	if (u.scheme)
		vt_buf_printf(&b, "%.*s:", (int)u.nscheme, u.scheme);
	if (u.host)
		vt_buf_printf(&b, "//%.*s", (int)n, host);
	vt_buf_put(&b, u.path, u.npath);
	if (u.query)
		vt_buf_puts(&b, "?...");
	vt_buf_putc(&b, 0);
	return b.p;
}

/* Section 5.2.4: . and .. go away; those that lead above the root too. */
static void
put_path(vt_buf *b, const char *p, size_t n)
{
	size_t from = b->n, i = 0;

	while (i < n) {
		size_t len = i;
		while (len < n && p[len] != '/')
			len++;
		len -= i;
		if (len == 2 && p[i] == '.' && p[i + 1] == '.') {
			if (b->n > from + 1 && b->p[b->n - 1] == '/')
				b->n--;
			while (b->n > from && b->p[b->n - 1] != '/')
				b->n--;
		} else if (!(len == 1 && p[i] == '.')) {
			vt_buf_put(b, p + i, len);
			if (i + len < n)
				vt_buf_putc(b, '/');
		}
		i += len + 1;
		if (b->n == from && p[0] == '/')
			vt_buf_putc(b, '/');
	}
}

static void
put_merged(vt_buf *b, const url *base, const url *ref)
{
	vt_buf whole = {0};
	const char *slash = base->npath ? memrchr(base->path, '/', base->npath) : NULL;

	if (ref->npath && ref->path[0] == '/') {
		put_path(b, ref->path, ref->npath);
		return;
	}
	if (slash)
		vt_buf_put(&whole, base->path, (size_t)(slash - base->path) + 1);
	else if (base->host)
		vt_buf_putc(&whole, '/');
	vt_buf_put(&whole, ref->path, ref->npath);
	put_path(b, whole.p ? whole.p : "", whole.n);
	vt_buf_free(&whole);
}

char *
vt_net_join(const char *base, const char *ref)
{
	url u = parts(base), r = parts(ref);
	vt_buf b = {0};

	if (r.scheme)
		return vt_xstrdup(ref);
	vt_buf_printf(&b, "%.*s:", (int)u.nscheme, u.scheme ? u.scheme : "");
	if (r.host) {
		vt_buf_puts(&b, ref);
		vt_buf_putc(&b, 0);
		return b.p;
	}
	if (u.host)
		vt_buf_printf(&b, "//%.*s", (int)u.nhost, u.host);
	if (r.npath)
		put_merged(&b, &u, &r);
	else
		vt_buf_put(&b, u.path, u.npath);
	if (r.query || !r.npath)
		vt_buf_put(&b,
			r.query   ? r.query
			: u.query ? u.query
				  : "",
			r.query ? r.nquery : u.nquery);
	if (r.fragment)
		vt_buf_puts(&b, r.fragment);
	vt_buf_putc(&b, 0);
	return b.p;
}

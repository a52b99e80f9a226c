/*
 * serve_http.c - requests of HTTP/1.1 (RFC 9112), as little of it as a form needs.
 *
 * Our own, because the libraries of Debian do not fit a static binary: libmicrohttpd.a wants
 * GnuTLS, libevent's HTTP wants the resolver that a static glibc has not, and http-parser is no
 * longer kept.  One request a connection and no transfer codings leave little to get wrong;
 * t/fuzz/http.c tries.
 */
#define _GNU_SOURCE /* memmem */
#include "runtime/program/serve.h"

#include <stdlib.h>
#include <string.h>

static bool
is_token(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static int
lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* A text in any case, as far as n. */
static bool
is_word(const char *p, size_t n, const char *word)
{
	if (strlen(word) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (lower((unsigned char)p[i]) != word[i])
			return false;
	return true;
}

/* %41 is A, and in a query + is a blank. NULL: malformed, or no text. */
static char *
decode(const char *p, size_t n, bool query)
{
	char *s = vt_xmalloc(n + 1);
	size_t k = 0;
	for (size_t i = 0; i < n; i++, k++) {
		s[k] = query && p[i] == '+' ? ' ' : p[i];
		if (p[i] != '%')
			continue;
		int a = i + 2 < n ? vt_hex_digit(p[i + 1]) : -1,
		    b = i + 2 < n ? vt_hex_digit(p[i + 2]) : -1;
		if (a < 0 || b < 0 || a + b == 0)
			goto bad;
		s[k] = (char)(a << 4 | b);
		i += 2;
	}
	s[k] = '\0';
	if (vt_utf8_check(s, k) == k)
		return s;
bad:
	free(s);
	return NULL;
}

/* ---- the first line ---------------------------------------------------------------------- */

static int
read_path(vt_http *r, const char *p, size_t n)
{
	const char *end = p + n;
	for (p++;; p++) {
		size_t len = 0;
		while (p + len < end && p[len] != '/')
			len++;
		if (r->nsegments == VT_HTTP_SEGMENTS)
			return 404;
		if ((r->segment[r->nsegments] = decode(p, len, false)) == NULL)
			return 400;
		r->nsegments++;
		p += len;
		if (p == end)
			return 0;
	}
}

static int
read_target(vt_http *r, const char *p, size_t n)
{
	const char *mark = memchr(p, '?', n);
	size_t path = mark ? (size_t)(mark - p) : n;
	if (n == 0 || p[0] != '/')
		return 400;
	for (size_t i = 0; i < n; i++)
		if (p[i] <= ' ' || p[i] >= 127 || p[i] == '#')
			return 400;
	r->query = mark ? vt_xstrndup(mark + 1, n - path - 1) : vt_xstrndup("", 0);
	return read_path(r, p, path);
}

static int
read_first(vt_http *r, const char *p, size_t n)
{
	const char *blank = memchr(p, ' ', n), *second;
	size_t len;
	if (blank == NULL || blank == p || blank - p > 20)
		return 400;
	for (const char *c = p; c < blank; c++)
		if (!is_token((unsigned char)*c))
			return 400;
	r->method = vt_xstrndup(p, (size_t)(blank - p));
	len = n - (size_t)(blank + 1 - p);
	second = memchr(blank + 1, ' ', len);
	if (second == NULL)
		return 400;
	len = n - (size_t)(second + 1 - p);
	if (len != 8 || memcmp(second + 1, "HTTP/", 5) != 0)
		return 400;
	if (memcmp(second + 6, "1.1", 3) != 0 && memcmp(second + 6, "1.0", 3) != 0)
		return 505;
	return read_target(r, blank + 1, (size_t)(second - blank - 1));
}

/* ---- the other lines ---- */

/* What decides how long a request is may be said once only, or two readers could differ. */
struct seen {
	bool length, host, key;
};

static int
read_length(vt_http *r, struct seen *s, const char *p, size_t n)
{
	if (s->length || n == 0 || n > 18)
		return 400;
	s->length = true;
	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return 400;
		r->body = r->body * 10 + (size_t)(p[i] - '0');
	}
	return r->body > VT_HTTP_BODY_MAX ? 413 : 0;
}

static bool
accepts_gzip(const char *p, size_t n)
{
	while (n > 0) {
		size_t word = 0, item = 0;
		while (item < n && p[item] != ',')
			item++;
		while (word < item && is_token((unsigned char)p[word]))
			word++;
		if (is_word(p, word, "gzip"))
			return memchr(p, ';', item) == NULL; /* q=0 and the like: no */
		item += item < n;
		while (item < n && p[item] == ' ')
			item++;
		p += item;
		n -= item;
	}
	return false;
}

static int
read_field(vt_http *r, struct seen *s, const char *name, size_t nname, const char *p, size_t n)
{
	if (is_word(name, nname, "content-length"))
		return read_length(r, s, p, n);
	if (is_word(name, nname, "transfer-encoding"))
		return 501;
	if (is_word(name, nname, "expect"))
		return 417;
	if (is_word(name, nname, "idempotency-key")) {
		if (s->key || n == 0 || n > VT_HTTP_KEY_MAX)
			return 400;
		s->key = true;
		r->key = vt_xstrndup(p, n);
	} else if (is_word(name, nname, "host")) {
		if (s->host)
			return 400;
		s->host = true;
		r->host = vt_xstrndup(p, n);
	} else if (is_word(name, nname, "content-type")) {
		size_t k = 0;
		while (k < n && p[k] != ';' && p[k] != ' ')
			k++;
		r->json = is_word(p, k, "application/json");
	} else if (is_word(name, nname, "accept-encoding"))
		r->gzip = accepts_gzip(p, n);
	return 0;
}

static int
read_line(vt_http *r, struct seen *s, const char *p, size_t n)
{
	size_t name = 0, from;
	while (name < n && is_token((unsigned char)p[name]))
		name++;
	if (name == 0 || name == n || p[name] != ':')
		return 400;
	for (from = name + 1; from < n && (p[from] == ' ' || p[from] == '\t'); from++)
		;
	while (n > from && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	for (size_t i = from; i < n; i++)
		if (((unsigned char)p[i] < ' ' && p[i] != '\t') || p[i] == 127)
			return 400;
	return read_field(r, s, p, name, p + from, n - from);
}

/* The length of a line without its CRLF, or -1. A lone CR or LF ends no line and stands in none. */
static long
line_length(const char *p, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (p[i] == '\r' && p[i + 1] == '\n')
			return (long)i;
		if (p[i] == '\r' || p[i] == '\n')
			return -1;
	}
	return -1;
}

static int
read_head(const char *p, size_t n, vt_http *r)
{
	struct seen s = {false, false, false};
	long len = line_length(p, n);
	int status = len < 0 ? 400 : read_first(r, p, (size_t)len);
	bool old;
	if (status != 0)
		return status;
	old = p[len - 1] == '0';
	for (int lines = 0; status == 0; lines++) {
		p += len + 2;
		n -= (size_t)len + 2;
		len = line_length(p, n);
		if (len == 0)
			break;
		status = len < 0                      ? 400
			 : lines == VT_HTTP_LINES_MAX ? 431
						      : read_line(r, &s, p, (size_t)len);
	}
	if (status == 0 && !s.host && !old)
		return 400;
	if (status == 0 && !s.length && strcmp(r->method, "POST") == 0)
		return 411;
	return status;
}

int
vt_http_parse(const char *p, size_t n, vt_http *r)
{
	const char *end = n < 4 ? NULL : memmem(p, n, "\r\n\r\n", 4);
	int status;
	*r = (vt_http){0};
	if (end == NULL)
		return n > VT_HTTP_HEAD_MAX ? 431 : 0;
	r->head = (size_t)(end - p) + 4;
	if (r->head > VT_HTTP_HEAD_MAX)
		return 431;
	status = read_head(p, r->head, r);
	if (status == 0 && n - r->head >= r->body)
		return 200;
	vt_http_free(r);
	return status;
}

void
vt_http_free(vt_http *r)
{
	free(r->method);
	free(r->query);
	free(r->host);
	free(r->key);
	for (uint32_t i = 0; i < r->nsegments; i++)
		free(r->segment[i]);
	*r = (vt_http){0};
}

bool
vt_http_param(const vt_http *r, const char *name, char **out)
{
	size_t len = strlen(name);
	*out = NULL;
	for (const char *p = r->query; *p != '\0';) {
		size_t n = strcspn(p, "&");
		if (n > len && p[len] == '=' && memcmp(p, name, len) == 0) {
			free(*out);
			*out = decode(p + len + 1, n - len - 1, true);
			if (*out == NULL)
				return false;
		}
		p += n + (p[n] == '&');
	}
	return true;
}

const char *
vt_http_reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} rows[] = {{200, "OK"}, {400, "Bad Request"}, {404, "Not Found"},
		{405, "Method Not Allowed"}, {408, "Request Timeout"}, {409, "Conflict"},
		{411, "Length Required"}, {413, "Content Too Large"},
		{415, "Unsupported Media Type"}, {417, "Expectation Failed"},
		{421, "Misdirected Request"}, {431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"}, {501, "Not Implemented"},
		{505, "HTTP Version Not Supported"}};
	for (size_t i = 0; i < VT_LEN(rows); i++)
		if (rows[i].status == status)
			return rows[i].reason;
	return "Unknown";
}

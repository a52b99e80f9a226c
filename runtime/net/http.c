/*
 * http.c - requests through libcurl's multi interface, and the one file that names libcurl.
 *
 * The library is loaded when the first request starts: it costs milliseconds and thirty shared
 * objects, which a command that asks no network should not pay.  A static binary cannot load it.
 *
 * libcurl says which descriptors it waits for; they are in an epoll set, whose own descriptor one
 * task, the leader, waits for on the scheduler's poll.  The others sleep until the leader finds
 * their answer, or ends and wakes one of them to lead.  In virtual time a request takes no time:
 * nothing else runs until the answer is there.  No task changes while libcurl is on the stack.
 *
 * Redirects are followed here and not by libcurl, which would send fields such as X-Auth-Token on
 * to any host.
 */
#define _GNU_SOURCE
#include "runtime/net/http.h"
#include "runtime/core/printable.h"
#include "runtime/task/int.h"
#include "runtime/core/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<curl/curl.h>)
#define HAVE_CURL
#endif
#endif

/* ---- names ---- */

static const char *const error_name[] = {"",
#define X(sym, name, again) name,
	VT_NET_ERRORS(X)
#undef X
};
static const bool error_again[] = {false,
#define X(sym, name, again) again,
	VT_NET_ERRORS(X)
#undef X
};

const char *
vt_net_error_name(enum vt_net_error e)
{
	return error_name[e];
}

bool
vt_net_may_retry(enum vt_net_error e)
{
	return error_again[e];
}

/* Fields of an answer may be tokens. */
static void
drop_fields(vt_net_response *r)
{
	for (uint32_t i = 0; i < r->nfields; i++) {
		free((char *)(uintptr_t)r->field[i].name);
		vt_free_secret((char *)(uintptr_t)r->field[i].value);
	}
	r->nfields = 0;
}

void
vt_net_response_free(vt_net_response *r)
{
	drop_fields(r);
	free(r->field);
	free(r->message);
	free(r->body);
	free(r->url);
	*r = (vt_net_response){0};
}

const char *
vt_net_get(const vt_net_response *r, const char *name)
{
	for (uint32_t i = 0; i < r->nfields; i++)
		if (strcasecmp(r->field[i].name, name) == 0)
			return r->field[i].value;
	return NULL;
}

static void
fail(vt_net_response *r, enum vt_net_error e, const char *url, const char *fmt, ...)
{
	va_list ap;
	vt_buf b = {0};
	char *shown = vt_net_shown(url);

	vt_buf_printf(&b, "%s: ", shown);
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_repair(&b);
	vt_buf_putc(&b, 0);
	free(shown);
	vt_net_response_free(r);
	r->error = e;
	r->message = b.p;
}

vt_status
vt_net_run(vt_rt *rt, vt_net *h, const vt_net_request *q, vt_net_response *out)
{
	vt_net *own = h ? NULL : vt_net_new(rt);
	vt_status st = vt_net_wait(vt_net_start(h ? h : own, q), out);

	vt_net_free(own);
	return st;
}

#ifdef HAVE_CURL

#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_multi_setopt
#undef curl_easy_getinfo

/* What is used of it. */
#define API(X) \
	X(global_init) \
	X(multi_init) \
	X(multi_cleanup) \
	X(multi_add_handle) \
	X(multi_remove_handle) \
	X(multi_socket_action) \
	X(multi_info_read) \
	X(multi_setopt) \
	X(easy_init) \
	X(easy_cleanup) \
	X(easy_setopt) \
	X(easy_getinfo) \
	X(easy_strerror) \
	X(slist_append) \
	X(slist_free_all)
struct api {
#define X(name) __typeof__(&curl_##name) name;
	API(X)
#undef X
};

struct vt_net {
	vt_rt *rt;
	struct api api;
	void *library; /* NULL: not loaded yet */
	CURLM *multi;
	int epoll;
	int64_t due; /* when libcurl wants to be called, nanoseconds; -1: it does not */
	bool led;    /* a task waits for the descriptors */
	vt_net_call *calls;
};

/* The request as it was copied: all texts are freed with it. */
struct vt_net_call {
	vt_net *h;
	vt_net_call *next, **back; /* among those of h */
	CURL *easy;
	struct curl_slist *fields;
	char *method, *url, *body, *user, *password, *ca_file, *cert_file, *key_file, *proxy;
	size_t nbody;
	vt_net_field *field;
	uint32_t nfields;
	vt_net_request opt;    /* its numbers */
	int64_t until;         /* nanoseconds; -1: for ever */
	bool sends_body, away; /* away: redirected to another origin */
	bool done, in_multi;
	vt_task *waiter;
	vt_buf got;
	uint64_t field_bytes;
	enum vt_net_error why; /* what a callback saw */
	vt_net_response out;
	char detail[CURL_ERROR_SIZE];
};

/* ---- the library ---- */

#ifdef VT_LINK_CLOUD
/* `vetro build --static`: the library is in the binary. */
static const char *
load(vt_net *h)
{
	if (h->library)
		return NULL;
#define X(name) h->api.name = curl_##name;
	API(X)
#undef X
	h->library = h;
	h->api.global_init(CURL_GLOBAL_DEFAULT);
	return NULL;
}
#else
static bool
find_all(struct api *a, void *library)
{
	bool good = true;

#define X(name) good &= (*(void **)&a->name = dlsym(library, "curl_" #name)) != NULL;
	API(X)
#undef X
	return good;
}

/* NULL, or why there is none.  It stays loaded: what TLS libraries leave for the end of a process
 * needs it. */
static const char *
load(vt_net *h)
{
	static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};

	if (h->library)
		return NULL;
	if (getauxval(AT_BASE) == 0)
		return "a static binary cannot ask the network unless it was built with --static";
	for (size_t i = 0; i < VT_LEN(names) && !h->library; i++) {
		h->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		if (h->library && !find_all(&h->api, h->library)) {
			dlclose(h->library);
			h->library = NULL;
		}
	}
	if (!h->library)
		return "libcurl is not on this machine (Debian package libcurl4)";
	h->api.global_init(CURL_GLOBAL_DEFAULT);
	return NULL;
}
#endif

/* ---- descriptors and time, as libcurl wants them ---- */

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *known)
{
	vt_net *h = data;
	struct epoll_event e = {.data.fd = fd,
		.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) |
			  (what & CURL_POLL_OUT ? EPOLLOUT : 0u)};

	(void)easy, (void)known;
	if (what == CURL_POLL_REMOVE)
		(void)epoll_ctl(h->epoll, EPOLL_CTL_DEL, fd, NULL);
	else if (epoll_ctl(h->epoll, EPOLL_CTL_MOD, fd, &e) != 0)
		(void)epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &e);
	return 0;
}

static int
on_timer(CURLM *multi, long ms, void *data)
{
	vt_net *h = data;

	(void)multi;
	h->due = ms < 0 ? -1 : vt_clock_ns() + (int64_t)ms * 1000000;
	return 0;
}

static const char *
open_multi(vt_net *h)
{
	const char *why = load(h);

	if (why || h->multi)
		return why;
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (h->epoll < 0)
		return strerror(errno);
	if (!(h->multi = h->api.multi_init()))
		return "libcurl does not start";
	h->api.multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	h->api.multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	h->api.multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	h->api.multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	return NULL;
}

/* ---- an answer comes ---- */

static size_t
on_body(char *p, size_t one, size_t n, void *data)
{
	vt_net_call *r = data;

	(void)one;
	if (r->got.n + n > r->opt.max_body) {
		r->why = VT_NET_E_TOO_LARGE;
		return n + 1;
	}
	vt_buf_put(&r->got, p, n);
	return n;
}

/* A status line begins a new set: those of 100 Continue and of a proxy are not the answer's. */
static size_t
on_field(char *p, size_t one, size_t n, void *data)
{
	vt_net_call *r = data;
	vt_net_response *o = &r->out;
	const char *colon = memchr(p, ':', n), *from, *end = p + n;

	(void)one;
	if ((r->field_bytes += n) > r->opt.max_fields) {
		r->why = VT_NET_E_TOO_LARGE;
		return n + 1;
	}
	if (n > 5 && memcmp(p, "HTTP/", 5) == 0) {
		drop_fields(o);
		return n;
	}
	if (!colon)
		return n;
	for (from = colon + 1; from < end && (*from == ' ' || *from == '\t'); from++)
		;
	while (end > from && (unsigned char)end[-1] <= ' ')
		end--;
	vt_push(o->field, o->nfields) = (vt_net_field){.name = vt_xstrndup(p, (size_t)(colon - p)),
		.value = vt_xstrndup(from, (size_t)(end - from))};
	return n;
}

/* ---- the request ---- */

static char *
copy(const char *s)
{
	return s ? vt_xstrdup(s) : NULL;
}

static void
set_defaults(vt_net_request *q)
{
	q->connect_timeout = q->connect_timeout > 0 ? q->connect_timeout : 20;
	q->timeout = q->timeout == 0 ? 300 : q->timeout;
	q->stall_timeout = q->stall_timeout == 0 ? 60 : q->stall_timeout;
	q->max_body = q->max_body ? q->max_body : 64 << 20;
	q->max_fields = q->max_fields ? q->max_fields : 256 << 10;
}

static vt_net_call *
copy_request(vt_net *h, const vt_net_request *q)
{
	vt_net_call *r = vt_xmalloc(sizeof *r);
	const char *method = q->method ? q->method : q->body ? "POST" : "GET";

	memset(r, 0, sizeof *r);
	r->h = h;
	r->opt = *q;
	set_defaults(&r->opt);
	r->method = vt_xstrdup(method);
	r->url = vt_xstrdup(q->url);
	r->body = q->body ? vt_xstrndup(q->body, q->nbody) : NULL;
	r->nbody = q->body ? q->nbody : 0;
	r->sends_body = q->body || !strcmp(method, "POST") || !strcmp(method, "PUT") ||
			!strcmp(method, "PATCH");
	r->user = copy(q->user);
	r->password = copy(q->password);
	r->ca_file = copy(q->ca_file);
	r->cert_file = copy(q->cert_file);
	r->key_file = copy(q->key_file);
	r->proxy = copy(q->proxy);
	r->field = vt_xmalloc((q->nfields + 1) * sizeof *r->field);
	for (uint32_t i = 0; i < q->nfields; i++)
		r->field[i] = (vt_net_field){
			copy(q->field[i].name), copy(q->field[i].value), q->field[i].secret};
	r->nfields = q->nfields;
	r->until = r->opt.timeout < 0 ? -1 : vt_clock_ns() + (int64_t)(r->opt.timeout * 1e9);
	if ((r->next = h->calls))
		h->calls->back = &r->next;
	h->calls = r;
	r->back = &h->calls;
	return r;
}

static void
leave(vt_net_call *r)
{
	if (r->in_multi)
		r->h->api.multi_remove_handle(r->h->multi, r->easy);
	r->in_multi = false;
}

void
vt_net_drop(vt_net_call *r)
{
	if (!r)
		return;
	leave(r);
	if (r->easy)
		r->h->api.easy_cleanup(r->easy);
	if (r->fields)
		r->h->api.slist_free_all(r->fields);
	if ((*r->back = r->next))
		r->next->back = r->back;
	for (uint32_t i = 0; i < r->nfields; i++) {
		free((char *)(uintptr_t)r->field[i].name);
		vt_free_secret((char *)(uintptr_t)r->field[i].value);
	}
	free(r->field);
	free(r->method);
	vt_free_secret(r->url);
	vt_free_secret(r->body);
	vt_free_secret(r->user);
	vt_free_secret(r->password);
	free(r->ca_file);
	free(r->cert_file);
	free(r->key_file);
	free(r->proxy);
	vt_buf_free(&r->got);
	vt_net_response_free(&r->out);
	free(r);
}

static bool
is_token(const char *s)
{
	size_t n = strspn(s, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return n && !s[n];
}

/* A line break in a field would begin another one, or another request. */
static bool
is_sound(const vt_net_call *r)
{
	for (uint32_t i = 0; i < r->nfields; i++)
		if (!is_token(r->field[i].name) || strpbrk(r->field[i].value, "\r\n"))
			return false;
	return is_token(r->method);
}

static bool
is_secret(const vt_net_field *f)
{
	return f->secret || !strcasecmp(f->name, "Authorization") || !strcasecmp(f->name, "Cookie");
}

static void
add_field(vt_net_call *r, const char *name, const char *value)
{
	/* libcurl takes "Name:" for leaving it out */
	char *line = vt_asprintf(*value ? "%s: %s" : "%s;", name, value);

	r->fields = r->h->api.slist_append(r->fields, line);
	vt_free_secret(line);
}

static void
set_fields(vt_net_call *r)
{
	bool typed = false;

	if (r->fields)
		r->h->api.slist_free_all(r->fields);
	r->fields = NULL;
	for (uint32_t i = 0; i < r->nfields; i++) {
		if (r->away && is_secret(&r->field[i]))
			continue;
		typed |= !strcasecmp(r->field[i].name, "Content-Type");
		add_field(r, r->field[i].name, r->field[i].value);
	}
	if (!typed)
		r->fields = r->h->api.slist_append(r->fields, "Content-Type:");
	r->fields = r->h->api.slist_append(r->fields, "Expect:");
	r->h->api.easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->fields);
}

static void
set_method(vt_net_call *r)
{
	const struct api *a = &r->h->api;

	a->easy_setopt(r->easy, CURLOPT_HTTPGET, 1L);
	a->easy_setopt(r->easy, CURLOPT_CUSTOMREQUEST, NULL);
	if (r->sends_body) {
		a->easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->nbody);
		a->easy_setopt(r->easy, CURLOPT_POSTFIELDS, r->body ? r->body : "");
	}
	if (!strcmp(r->method, "HEAD"))
		a->easy_setopt(r->easy, CURLOPT_NOBODY, 1L);
	else
		a->easy_setopt(r->easy, CURLOPT_CUSTOMREQUEST, r->method);
}

static void
set_trust(vt_net_call *r)
{
	const struct api *a = &r->h->api;

	a->easy_setopt(r->easy, CURLOPT_SSL_VERIFYPEER, r->opt.insecure ? 0L : 1L);
	a->easy_setopt(r->easy, CURLOPT_SSL_VERIFYHOST, r->opt.insecure ? 0L : 2L);
	if (r->ca_file)
		a->easy_setopt(r->easy, CURLOPT_CAINFO, r->ca_file);
	if (r->cert_file && !r->away) {
		a->easy_setopt(r->easy, CURLOPT_SSLCERT, r->cert_file);
		a->easy_setopt(r->easy, CURLOPT_SSLKEY, r->key_file ? r->key_file : r->cert_file);
	}
	a->easy_setopt(r->easy, CURLOPT_USERNAME, r->away ? NULL : r->user);
	a->easy_setopt(r->easy, CURLOPT_PASSWORD, r->away ? NULL : r->password);
	if (r->proxy)
		a->easy_setopt(r->easy, CURLOPT_PROXY, r->proxy);
}

static void
set_limits(vt_net_call *r)
{
	const struct api *a = &r->h->api;
	int64_t left = r->until < 0 ? 0 : (r->until - vt_clock_ns()) / 1000000;

	a->easy_setopt(r->easy, CURLOPT_TIMEOUT_MS, r->until < 0 ? 0L : left < 1 ? 1L : (long)left);
	a->easy_setopt(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(r->opt.connect_timeout * 1000));
	if (r->opt.stall_timeout > 0) {
		long s = (long)r->opt.stall_timeout;
		a->easy_setopt(r->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
		a->easy_setopt(r->easy, CURLOPT_LOW_SPEED_TIME, s < 1 ? 1L : s);
	}
	a->easy_setopt(r->easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	a->easy_setopt(r->easy, CURLOPT_NOSIGNAL, 1L);
}

static void
set_callbacks(vt_net_call *r)
{
	const struct api *a = &r->h->api;

	a->easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, on_body);
	a->easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
	a->easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, on_field);
	a->easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
	a->easy_setopt(r->easy, CURLOPT_PRIVATE, r);
	a->easy_setopt(r->easy, CURLOPT_ERRORBUFFER, r->detail);
}

/* One hop; false: it ended at once. */
static void
send_request(vt_net_call *r)
{
	r->got.n = 0;
	r->field_bytes = 0;
	r->detail[0] = 0;
	drop_fields(&r->out);
	r->h->api.easy_setopt(r->easy, CURLOPT_URL, r->url);
	set_method(r);
	set_fields(r);
	set_trust(r);
	set_limits(r);
	set_callbacks(r);
	r->in_multi = r->h->api.multi_add_handle(r->h->multi, r->easy) == CURLM_OK;
	if (r->in_multi)
		return;
	fail(&r->out, VT_NET_E_OTHER, r->url, "libcurl refuses the request");
	r->done = true;
}

vt_net_call *
vt_net_start(vt_net *h, const vt_net_request *q)
{
	vt_net_call *r = copy_request(h, q);
	const char *why;

	r->done = true;
	if (!vt_net_is_url(r->url))
		fail(&r->out, VT_NET_E_URL, r->url, "no URL of http or https");
	else if (!is_sound(r))
		fail(&r->out, VT_NET_E_PROTOCOL, r->url, "the method or a field is none");
	else if ((why = open_multi(h)))
		fail(&r->out, VT_NET_E_UNAVAILABLE, r->url, "%s", why);
	else if (!(r->easy = h->api.easy_init()))
		fail(&r->out, VT_NET_E_OTHER, r->url, "no memory");
	else {
		r->done = false;
		send_request(r);
	}
	return r;
}

/* ---- the end of a hop ---- */

static size_t
origin_length(const char *url)
{
	const char *host = strstr(url, "://");

	return host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/?#") : strlen(url);
}

/* The same scheme, host and port as written: with a port that is the default, another. */
static bool
same_origin(const char *a, const char *b)
{
	size_t n = origin_length(a), m = origin_length(b);
	const char *x = memrchr(a, '@', n), *y = memrchr(b, '@', m);
	const char *ha = strstr(a, "://"), *hb = strstr(b, "://");

	if (!ha || !hb || ha - a != hb - b || strncasecmp(a, b, (size_t)(ha - a)) != 0)
		return false;
	x = x ? x + 1 : ha + 3;
	y = y ? y + 1 : hb + 3;
	return a + n - x == b + m - y && strncasecmp(x, y, (size_t)(a + n - x)) == 0;
}

static void
change_method(vt_net_call *r, int status)
{
	bool get = status == 303 ? strcmp(r->method, "HEAD") != 0
				 : !r->opt.keep_method && (status == 301 || status == 302) &&
					   strcmp(r->method, "POST") == 0;

	if (!get)
		return;
	free(r->method);
	r->method = vt_xstrdup("GET");
	r->sends_body = false;
	vt_free_secret(r->body);
	r->body = NULL;
	r->nbody = 0;
}

/* False: what came is the answer. */
static bool
redirected(vt_net_call *r, int status)
{
	const char *to = NULL;

	if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308)
		return false;
	r->h->api.easy_getinfo(r->easy, CURLINFO_REDIRECT_URL, &to);
	if (!to || !r->opt.max_redirects)
		return false;
	if (r->out.redirects == r->opt.max_redirects)
		fail(&r->out, VT_NET_E_REDIRECT, r->url, "more than %u redirects",
			r->opt.max_redirects);
	else if (!vt_net_is_url(to))
		fail(&r->out, VT_NET_E_REDIRECT, r->url, "a redirect to where none may lead");
	else if (!strncasecmp(r->url, "https:", 6) && strncasecmp(to, "https:", 6) != 0 &&
		 !r->opt.allow_downgrade)
		fail(&r->out, VT_NET_E_REDIRECT, r->url, "a redirect from https to http");
	else {
		char *url = vt_xstrdup(to);
		r->out.redirects++;
		r->away |= !same_origin(r->url, url);
		vt_free_secret(r->url);
		r->url = url;
		change_method(r, status);
		send_request(r);
		return true;
	}
	r->done = true;
	return true;
}

static enum vt_net_error
kind_of(const vt_net_call *r, CURLcode code)
{
	if (r->why)
		return r->why;
	switch ((int)code) {
	case CURLE_URL_MALFORMAT: return VT_NET_E_URL;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY: return VT_NET_E_RESOLVE;
	case CURLE_COULDNT_CONNECT: return VT_NET_E_CONNECT;
	case CURLE_OPERATION_TIMEDOUT: return VT_NET_E_TIMEOUT;
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_HTTP2_STREAM: return VT_NET_E_TRUNCATED;
	case CURLE_FILESIZE_EXCEEDED: return VT_NET_E_TOO_LARGE;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_INVALIDCERTSTATUS:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return VT_NET_E_TLS;
	case CURLE_UNSUPPORTED_PROTOCOL: /* of the answer: HTTP/0.9 */
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_HTTP2:
	case CURLE_BAD_CONTENT_ENCODING: return VT_NET_E_PROTOCOL;
	}
	return VT_NET_E_OTHER;
}

static void
report(vt_net_call *r, CURLcode code)
{
	enum vt_net_error e = kind_of(r, code);
	const char *what = r->detail[0] ? r->detail : r->h->api.easy_strerror(code);

	switch (e) {
	case VT_NET_OK:
	case VT_NET_E_UNAVAILABLE:
	case VT_NET_E_REDIRECT: break;
	case VT_NET_E_URL: what = "no URL"; break;
	case VT_NET_E_RESOLVE: what = "there is no such host"; break;
	case VT_NET_E_TIMEOUT: what = "no answer in time"; break;
	case VT_NET_E_TRUNCATED: what = "the connection ended before the answer did"; break;
	case VT_NET_E_TOO_LARGE: what = "the answer is too large"; break;
	case VT_NET_E_CONNECT:
	case VT_NET_E_TLS:
	case VT_NET_E_PROTOCOL:
	case VT_NET_E_OTHER: break;
	}
	fail(&r->out, e, r->url, "%s", what);
}

/* One that was cancelled is awake already. */
static bool
wake(vt_net_call *r)
{
	vt_task *t = r->waiter;

	r->waiter = NULL;
	if (!t || t->waiting != WAIT_TIMER)
		return false;
	vt_wake(vt_sched_of(r->h->rt), t);
	return true;
}

static void
finish(vt_net_call *r, CURLcode code)
{
	long status = 0;

	leave(r);
	if (code != CURLE_OK) {
		report(r, code);
		r->done = true;
	} else {
		r->h->api.easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
		if (!redirected(r, (int)status)) {
			r->out.status = (int)status;
			r->out.nbody = r->got.n;
			vt_buf_putc(&r->got, 0);
			r->out.body = r->got.p;
			r->got = (vt_buf){0};
			r->out.url = vt_xstrdup(r->url);
			r->done = true;
		}
	}
	if (r->done)
		wake(r);
}

/* ---- waiting ---- */

static void
collect(vt_net *h)
{
	CURLMsg *m;
	int left;

	while ((m = h->api.multi_info_read(h->multi, &left)))
		if (m->msg == CURLMSG_DONE) {
			CURLcode code = m->data.result;
			char *r = NULL;
			h->api.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &r);
			finish((vt_net_call *)(void *)r, code);
		}
}

/* What is ready now. */
static void
drive(vt_net *h)
{
	enum { MOST = 64 };
	struct epoll_event ev[MOST];
	int n = epoll_wait(h->epoll, ev, MOST, 0), running;

	for (int i = 0; i < n; i++)
		h->api.multi_socket_action(h->multi, ev[i].data.fd,
			(ev[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
				(ev[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
				(ev[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0),
			&running);
	if (h->due >= 0 && vt_clock_ns() >= h->due) {
		h->due = -1;
		h->api.multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	collect(h);
}

static double
seconds_left(const vt_net *h)
{
	int64_t left = h->due < 0 ? -1 : h->due - vt_clock_ns();

	return h->due < 0 ? -1 : left > 0 ? (double)left / 1e9 : 0;
}

static vt_status
wait_alone(vt_net *h)
{
	enum { MOST = 200 }; /* milliseconds until a signal is heard at the latest */
	double left = seconds_left(h);
	struct pollfd p = {.fd = h->epoll, .events = POLLIN};

	(void)poll(&p, 1, left < 0 || left > MOST / 1e3 ? MOST : (int)(left * 1e3) + 1);
	return h->rt->s->interrupt ? vt_interrupt_raise(h->rt) : VT_OK;
}

static void
hand_on(vt_net *h)
{
	vt_net_call *r = h->calls;

	h->led = false;
	while (r && (r->done || !wake(r)))
		r = r->next;
}

static vt_status
lead(vt_net_call *r)
{
	vt_net *h = r->h;
	vt_status st = VT_OK;
	int ready;

	h->led = true;
	drive(h);
	while (!r->done && st == VT_OK) {
		st = vt_is_virtual_time(h->rt)
			     ? wait_alone(h)
			     : vt_wait_fd(h->rt, h->epoll, VT_FD_READ, seconds_left(h), &ready);
		if (st == VT_OK)
			drive(h);
	}
	hand_on(h);
	return st;
}

static vt_status
follow(vt_net_call *r)
{
	vt_status st;

	r->waiter = vt_sched_of(r->h->rt)->current;
	st = vt_sleep(r->h->rt, 1e10);
	r->waiter = NULL;
	return st;
}

vt_status
vt_net_wait(vt_net_call *r, vt_net_response *out)
{
	vt_status st = VT_OK;

	*out = (vt_net_response){0};
	while (!r->done && st == VT_OK)
		st = r->h->led ? follow(r) : lead(r);
	if (st == VT_OK) {
		*out = r->out;
		r->out = (vt_net_response){0};
	}
	vt_net_drop(r);
	return st;
}

vt_net *
vt_net_new(vt_rt *rt)
{
	vt_net *h = vt_xmalloc(sizeof *h);

	*h = (vt_net){.rt = rt, .epoll = -1, .due = -1};
	return h;
}

void
vt_net_free(vt_net *h)
{
	if (!h)
		return;
	while (h->calls)
		vt_net_drop(h->calls);
	if (h->multi)
		h->api.multi_cleanup(h->multi);
	if (h->epoll >= 0)
		close(h->epoll);
	free(h);
}

#else /* built without libcurl's headers */

struct vt_net {
	vt_net_call *calls;
};
struct vt_net_call {
	vt_net_response out;
};

vt_net *
vt_net_new(vt_rt *rt)
{
	(void)rt;
	return vt_xmalloc(sizeof(vt_net));
}

void
vt_net_free(vt_net *h)
{
	free(h);
}

vt_net_call *
vt_net_start(vt_net *h, const vt_net_request *q)
{
	vt_net_call *r = vt_xmalloc(sizeof *r);

	(void)h;
	*r = (vt_net_call){0};
	fail(&r->out, VT_NET_E_UNAVAILABLE, q->url, "this vetro was built without libcurl");
	return r;
}

vt_status
vt_net_wait(vt_net_call *r, vt_net_response *out)
{
	*out = r->out;
	free(r);
	return VT_OK;
}

void
vt_net_drop(vt_net_call *r)
{
	if (r)
		vt_net_response_free(&r->out);
	free(r);
}

#endif

/*
 * serve.c - the sockets of `deploy serve`: one poll loop, one answer at a time.
 *
 * Reading and writing never wait for one client: each connection has its own bytes and its own
 * deadline.  A method that is asked for runs to its end before anybody else gets an answer.  One
 * request a connection.
 *
 * Who may ask: a server answers only requests whose Host is the address that was reached, localhost
 * on a loopback address, or a name of --host, so that a page of another site cannot reach it under
 * a name of its own.
 */
#define _GNU_SOURCE /* accept4 */
#include "runtime/program/serve.h"
#include "runtime/task/task.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <stdio.h>

enum { CLIENTS = 64, SECONDS = 30, CHUNK = 64 << 10 };
enum { LISTENER, SIGNALS, FIRST, FDS = FIRST + CLIENTS }; /* places in what is polled */

struct client {
	int fd;        /* -1: free */
	int64_t until; /* milliseconds */
	vt_buf in, out;
	size_t sent;
	bool answering;
};
struct serve {
	const vt_server *server;
	int fd, signals;     /* listener; what SIGINT and SIGTERM can be read from */
	bool full;           /* that clients wait has been said */
	int64_t rests_until; /* before that no client is taken; milliseconds of the clock */
	bool loopback, stopping;
	char host[64]; /* ADDRESS, as a client writes it */
	uint16_t port;
	uint32_t nclients; /* so many of: */
	struct client client[CLIENTS];
};

/* ---- the address ------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool
read_port(const char *s, uint16_t *out)
{
	unsigned n = 0;
	if (*s == '\0' || strlen(s) > 5)
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (unsigned)(*s - '0');
	*out = (uint16_t)n;
	return *s == '\0' && n <= 65535;
}

/* 127.0.0.1:8080, [::1]:8080, localhost:8080. Names need a resolver, which a static binary has not.
 */
static bool
read_address(struct serve *s, const char *where, union address *a, socklen_t *n)
{
	const char *colon = strrchr(where, ':');
	size_t len = colon ? (size_t)(colon - where) : 0;
	memset(a, 0, sizeof *a);
	if (len == 0 || len >= sizeof s->host || !read_port(colon + 1, &s->port))
		return false;
	memcpy(s->host, where, len);
	s->host[len] = '\0';
	if (strcmp(s->host, "localhost") == 0)
		memcpy(s->host, "127.0.0.1", sizeof "127.0.0.1");
	if (s->host[0] == '[' && s->host[len - 1] == ']') {
		char inner[sizeof s->host];
		memcpy(inner, s->host + 1, len - 2);
		inner[len - 2] = '\0';
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons(s->port);
		*n = sizeof a->v6;
		s->loopback = strcmp(inner, "::1") == 0;
		return inet_pton(AF_INET6, inner, &a->v6.sin6_addr) == 1;
	}
	a->v4.sin_family = AF_INET;
	a->v4.sin_port = htons(s->port);
	*n = sizeof a->v4;
	if (inet_pton(AF_INET, s->host, &a->v4.sin_addr) != 1)
		return false;
	s->loopback = ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
	return true;
}

/* Port 0 becomes the one that the system chose. */
static bool
open_socket(struct serve *s, const union address *a, socklen_t n)
{
	union address bound;
	int on = 1;
	s->fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return false;
	(void)setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(s->fd, &a->any, n) != 0 || listen(s->fd, CLIENTS) != 0 ||
		getsockname(s->fd, &bound.any, &n) != 0)
		return false;
	s->port = ntohs(a->any.sa_family == AF_INET ? bound.v4.sin_port : bound.v6.sin6_port);
	return true;
}

/* ---- answers ---- */

static void
put_answer(struct client *c, const vt_answer *a, bool head_only)
{
	vt_buf *b = &c->out;
	vt_buf_printf(b,
		"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		"Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: "
		"nosniff\r\n",
		a->status, vt_http_reason(a->status), a->type, a->body.n);
	if (a->allow)
		vt_buf_printf(b, "Allow: %s\r\n", a->allow);
	if (a->gzip)
		vt_buf_puts(b, "Content-Encoding: gzip\r\n");
	if (a->policy) /* a page, compressed for who takes that */
		vt_buf_printf(b,
			"Vary: Accept-Encoding\r\nContent-Security-Policy: %s\r\n"
			"Referrer-Policy: no-referrer\r\n",
			a->policy);
	vt_buf_puts(b, "\r\n");
	if (!head_only)
		vt_buf_put(b, a->body.p, a->body.n);
	c->answering = true;
	c->until = (vt_clock_ns() / 1000000) + SECONDS * 1000;
}

/* ---- whom the client means ---- */

static unsigned char
small_letter(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Without regard to case. strncasecmp() would bring 24 KiB into each program, a form of it for each
 * processor. */
static bool
is_same(const char *host, size_t n, const char *name)
{
	if (strlen(name) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (small_letter(host[i]) != small_letter(name[i]))
			return false;
	return true;
}

/* The address that the client has reached, as a Host would write it. */
static bool
is_reached(const struct client *c, const char *host, size_t n)
{
	union address a;
	socklen_t size = sizeof a;
	char text[INET6_ADDRSTRLEN], inner[INET6_ADDRSTRLEN + 2];
	if (getsockname(c->fd, &a.any, &size) != 0)
		return false;
	if (a.any.sa_family == AF_INET)
		return inet_ntop(AF_INET, &a.v4.sin_addr, text, sizeof text) &&
		       is_same(host, n, text);
	if (!inet_ntop(AF_INET6, &a.v6.sin6_addr, text, sizeof text))
		return false;
	snprintf(inner, sizeof inner, "[%s]", text);
	return is_same(host, n, inner) || (IN6_IS_ADDR_V4MAPPED(&a.v6.sin6_addr) &&
						  is_same(host, n, text + strlen("::ffff:")));
}

/* A name of the address, or one that --host gives.  A page of another site that has its own name
 * mean our address is neither. */
static bool
is_our_name(const struct serve *s, const struct client *c, const char *host)
{
	size_t n;
	if (host == NULL) /* no browser */
		return true;
	n = host[0] == '[' ? strcspn(host, "]") + (strchr(host, ']') != NULL) : strcspn(host, ":");
	if (is_same(host, n, s->host) || is_reached(c, host, n) ||
		(s->loopback && is_same(host, n, "localhost")))
		return true;
	for (uint32_t i = 0; i < s->server->nhosts; i++)
		if (is_same(host, n, s->server->host[i]))
			return true;
	return false;
}

static void
answer(struct serve *s, struct client *c)
{
	vt_http r;
	vt_answer a = {0};
	int status = vt_http_parse(c->in.p ? c->in.p : "", c->in.n, &r);
	if (status == 0)
		return;
	if (status != 200) {
		vt_serve_refuse(status, &a);
		put_answer(c, &a, false);
	} else {
		if (is_our_name(s, c, r.host))
			vt_serve_answer(s->server, &r, c->in.p + r.head, &a);
		else
			vt_serve_refuse(421, &a);
		put_answer(c, &a, strcmp(r.method, "HEAD") == 0);
		vt_http_free(&r);
	}
	vt_buf_free(&a.body);
}

/* ---- connections ---- */

static void
hang_up(struct serve *s, struct client *c)
{
	close(c->fd);
	s->rests_until = 0; /* its descriptor is free */
	c->fd = -1;
	vt_buf_free(&c->in);
	vt_buf_free(&c->out);
	c->in = c->out = (vt_buf){0};
}

/* poll() would come back at once for a client that cannot be taken. So nobody is asked for until
 * a client leaves, or a second has passed. */
static void
rest(struct serve *s, int why)
{
	if (!s->full)
		vt_say("%s: clients wait, because no more can be taken: %s\n", s->server->self,
			strerror(why));
	s->full = true;
	s->rests_until = vt_clock_ns() / 1000000 + 1000;
}

static void
take_clients(struct serve *s)
{
	for (uint32_t i = 0; i < s->nclients; i++) {
		struct client *c = &s->client[i];
		int fd;
		if (c->fd >= 0)
			continue;
		do
			fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
		if (fd < 0) {
			if (errno != EAGAIN)
				rest(s, errno);
			return;
		}
		s->full = false;
		*c = (struct client){.fd = fd, .until = (vt_clock_ns() / 1000000) + SECONDS * 1000};
	}
}

static void
read_some(struct serve *s, struct client *c)
{
	char chunk[CHUNK];
	ssize_t n = recv(c->fd, chunk, sizeof chunk, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(s, c);
		return;
	}
	if (c->answering) /* refused: the rest is read and dropped, or the answer would be lost */
		return;
	vt_buf_put(&c->in, chunk, (size_t)n);
	answer(s, c);
}

static void
write_some(struct serve *s, struct client *c)
{
	ssize_t n = send(c->fd, c->out.p + c->sent, c->out.n - c->sent, MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		hang_up(s, c);
		return;
	}
	c->sent += (size_t)n;
	if (c->sent < c->out.n)
		return;
	/* The client closes when it has all; until then what it still sends is dropped. */
	(void)shutdown(c->fd, SHUT_WR);
	c->until = (vt_clock_ns() / 1000000) + 1000;
	c->out.n = c->sent = 0;
}

static void
time_out(struct serve *s, struct client *c)
{
	vt_answer a = {0};
	if (c->answering || c->in.n == 0) {
		hang_up(s, c);
		return;
	}
	vt_serve_refuse(408, &a);
	put_answer(c, &a, false);
	vt_buf_free(&a.body);
}

/* Fills p; how long to wait at most. */
static int
gather(struct serve *s, struct pollfd *p)
{
	int64_t now = vt_clock_ns() / 1000000, until = now + 3600 * 1000;
	bool room = false;
	for (uint32_t i = 0; i < s->nclients; i++) {
		struct client *c = &s->client[i];
		p[FIRST + i] = (struct pollfd){.fd = c->fd, .events = POLLIN};
		if (c->fd < 0) {
			room = true;
			continue;
		}
		if (c->out.n > 0)
			p[FIRST + i].events |= POLLOUT;
		if (c->until < until)
			until = c->until;
	}
	if (room && s->rests_until > now) {
		room = false;
		until = s->rests_until < until ? s->rests_until : until;
	}
	p[LISTENER] = (struct pollfd){.fd = room && !s->stopping ? s->fd : -1, .events = POLLIN};
	p[SIGNALS] = (struct pollfd){.fd = s->stopping ? -1 : s->signals, .events = POLLIN};
	until -= (vt_clock_ns() / 1000000);
	return until < 0 ? 0 : (int)until;
}

static bool
is_idle(const struct serve *s)
{
	for (uint32_t i = 0; i < s->nclients; i++)
		if (s->client[i].fd >= 0 && s->client[i].answering)
			return false;
	return true;
}

static void
turn(struct serve *s, const struct pollfd *p)
{
	for (uint32_t i = 0; i < s->nclients; i++) {
		struct client *c = &s->client[i];
		if (c->fd < 0 || p[FIRST + i].fd != c->fd)
			continue;
		if (p[FIRST + i].revents & POLLOUT)
			write_some(s, c);
		if (c->fd >= 0 && p[FIRST + i].revents & (POLLIN | POLLHUP | POLLERR))
			read_some(s, c);
		if (c->fd >= 0 && (vt_clock_ns() / 1000000) >= c->until)
			time_out(s, c);
	}
	if (p[LISTENER].revents & POLLIN)
		take_clients(s);
	if (p[SIGNALS].revents & POLLIN)
		s->stopping = true;
}

/* Answers that have begun are finished. */
static void
loop(struct serve *s)
{
	struct pollfd p[FDS];
	while (!s->stopping || !is_idle(s)) {
		int ms = gather(s, p);
		if (poll(p, FIRST + s->nclients, ms) >= 0)
			turn(s, p);
		else if (errno != EINTR)
			break;
		if (vt_interrupt_caught())
			s->stopping = true;
	}
}

static bool
catch_signals(struct serve *s)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	s->signals = sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? signalfd(-1, &set, SFD_CLOEXEC) : -1;
	return s->signals >= 0;
}

/* poll() takes no more places than there may be descriptors. */
static uint32_t
most_clients(void)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= FDS)
		return CLIENTS;
	return r.rlim_cur > FIRST ? (uint32_t)r.rlim_cur - FIRST : 0;
}

static void
say_why(const vt_server *server, const char *where, int why)
{
	const char *hint = why == EADDRINUSE ? "another program listens there; port 0 is a free one"
			   : why == EACCES   ? "ports below 1024 are the administrator's"
			   : why == EADDRNOTAVAIL ? "no such address is this machine's"
			   : why == EMFILE || why == ENFILE
				   ? "ulimit -n says how many descriptors a process may have"
				   : NULL;
	vt_say("%s: --listen %s: %s%s%s\n", server->self, where, strerror(why),
		hint ? "\nhint: " : "", hint ? hint : "");
}

int
vt_serve(vt_server *server, const char *where)
{
	struct serve *s = vt_xmalloc(sizeof *s);
	union address a;
	socklen_t n;
	char *beyond = NULL;
	int rc = 1;
	memset(s, 0, sizeof *s);
	s->server = server;
	s->fd = s->signals = -1;
	s->nclients = most_clients();
	for (uint32_t i = 0; i < CLIENTS; i++)
		s->client[i].fd = -1;
	if (!read_address(s, where, &a, &n)) {
		vt_say("%s: --listen %s: ADDRESS:PORT is expected, such as 127.0.0.1:8080\n",
			server->self, where);
		rc = 2;
	} else if (!open_socket(s, &a, n) || !catch_signals(s)) {
		say_why(server, where, errno);
	} else {
		vt_say("%s: http://%s:%u/\n", server->self, s->host, s->port);
		if (!s->loopback) {
			server->beyond = beyond = vt_asprintf("%s:%u", s->host, s->port);
			vt_say("%s: warning: %s is not only this machine's, and there is no "
			       "password: everybody who reaches it can run the public methods\n",
				server->self, beyond);
		}
		loop(s);
		rc = 0;
	}
	for (uint32_t i = 0; i < s->nclients; i++)
		if (s->client[i].fd >= 0)
			hang_up(s, &s->client[i]);
	if (server->program->form != NULL)
		server->program->form->serving->stop();
	if (s->fd >= 0)
		close(s->fd);
	if (s->signals >= 0)
		close(s->signals);
	free(beyond);
	free(s);
	return rc;
}

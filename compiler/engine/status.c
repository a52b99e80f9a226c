/*
 * status.c - what an engine says of itself: metrics for Prometheus, and `vetro engine --status`.
 */
#define _GNU_SOURCE
#include "compiler/engine/supervisor.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const methods[] = {"handle_task", "call_static_action", "generate_schema"};

/* ---- metrics ----------------------------------------------------------------------------- */

static void
put_by_method(vt_buf *b, const char *name, const char *help, const uint64_t *v)
{
	vt_buf_printf(
		b, "# HELP vetro_engine_%s %s\n# TYPE vetro_engine_%s counter\n", name, help, name);
	for (int i = 0; i < 3; i++)
		vt_buf_printf(b, "vetro_engine_%s{method=\"%s\"} %llu\n", name, methods[i],
			(unsigned long long)v[i]);
}

static void
put_one(vt_buf *b, const char *name, const char *kind, const char *help, double v)
{
	vt_buf_printf(b,
		"# HELP vetro_engine_%s %s\n# TYPE vetro_engine_%s %s\n"
		"vetro_engine_%s %.6g\n",
		name, help, name, kind, name, v);
}

static void
put_metrics(vt_buf *b, const eng_counts *c)
{
	const struct {
		const char *name, *kind, *help;
		double v;
	} rows[] = {
		{"tasks_running", "gauge", "Tasks that have a worker.", c->running},
		{"tasks_waiting", "gauge", "Tasks before their worker.", c->waiting},
		{"tasks_telling", "gauge", "Tasks whose result is on its way.", c->sending},
		{"queue_depth", "gauge", "Tasks in the queue at the last connection.", c->queued},
		{"programs", "gauge", "Programs in memory.", c->hosts},
		{"programs_compiled_total", "counter", "Programs that were compiled.",
			(double)c->programs},
		{"programs_found_total", "counter", "Tasks whose program was there.",
			(double)c->programs_found},
		{"programs_native_total", "counter", "Programs taken over from cc.",
			(double)c->programs_native},
		{"notifications_total", "counter", "Notifications that were sent.",
			(double)c->reports},
		{"results_repeated_total", "counter", "Results sent again.", (double)c->repeated},
		{"tasks_resumed_total", "counter", "Tasks taken up from the spool.",
			(double)c->resumed},
		{"tasks_crashed_total", "counter", "Workers that ended without a result.",
			(double)c->crashed},
		{"messages_rejected_total", "counter", "Messages that were no task.",
			(double)c->rejected},
		{"connected", "gauge", "1 while the broker is there.", c->connected},
		{"reconnections_total", "counter", "Connections after the first.",
			c->reconnections},
		{"uptime_seconds", "gauge", "Seconds since the engine began.",
			vt_clock() - c->began},
	};
	put_by_method(b, "tasks_taken_total", "Tasks that arrived.", c->taken);
	put_by_method(b, "tasks_ended_total", "Tasks that were answered.", c->ended);
	put_by_method(b, "tasks_failed_total", "Tasks that the engine itself failed.", c->failed);
	vt_buf_puts(b, "# HELP vetro_engine_task_seconds_total From arrival to answer.\n"
		       "# TYPE vetro_engine_task_seconds_total counter\n");
	for (int i = 0; i < 3; i++)
		vt_buf_printf(b, "vetro_engine_task_seconds_total{method=\"%s\"} %.3f\n",
			methods[i], c->seconds[i]);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		put_one(b, rows[i].name, rows[i].kind, rows[i].help, rows[i].v);
}

static bool
is_loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET) {
		const unsigned char *ip = (const unsigned char *)a + 4;
		return ip[0] == 127;
	}
	return a->sa_family == AF_INET6; /* looked at by its text */
}

int
eng_status_listen(const eng_conf *c)
{
	const char *where = eng_conf_text(c, "vetro", "listen"), *colon;
	struct addrinfo want = {.ai_socktype = SOCK_STREAM,
				.ai_flags = AI_PASSIVE | AI_NUMERICHOST},
			*found = NULL;
	char *host;
	int fd = -1, one = 1;
	if (where == NULL || *where == '\0')
		return -1;
	colon = strrchr(where, ':');
	host = vt_xstrndup(where, colon ? (size_t)(colon - where) : 0);
	if (colon && getaddrinfo(host, colon + 1, &want, &found) == 0 &&
		(strcmp(host, "::1") == 0 ||
			(found->ai_family == AF_INET && is_loopback(found->ai_addr)))) {
		fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
				       bind(fd, found->ai_addr, found->ai_addrlen) != 0 ||
				       listen(fd, 16) != 0)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0)
		eng_log(ENG_ERROR, NULL,
			"[vetro] listen = %s: no metrics: a loopback address and a free port are "
			"expected",
			where);
	if (found)
		freeaddrinfo(found);
	free(host);
	return fd;
}

/* One that asks has its question ready; who has not waits in vain. */
static void
read_question(int fd)
{
	char text[4096];
	struct pollfd p = {.fd = fd, .events = POLLIN};
	if (poll(&p, 1, 20) > 0)
		(void)!read(fd, text, sizeof text);
}

void
eng_status_answer(int listener, const eng_counts *c)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	vt_buf body = {0}, b = {0};
	if (fd < 0)
		return;
	read_question(fd);
	put_metrics(&body, c);
	vt_buf_printf(&b,
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
		"Content-Length: %zu\r\nConnection: close\r\n\r\n",
		body.n);
	vt_buf_put(&b, body.p, body.n);
	(void)send(fd, b.p, b.n, MSG_NOSIGNAL);
	close(fd);
	vt_buf_free(&b);
	vt_buf_free(&body);
}

/* ---- --status ---------------------------------------------------------------------------- */

static const char prefix[] = "engine-", suffix[] = ".socket";

/* One that nobody listens to was left by an engine that was killed. */
static bool
is_left(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool left = false;
	if (fd >= 0 && strlen(path) < sizeof a.sun_path) {
		memcpy(a.sun_path, path, strlen(path) + 1);
		left = connect(fd, (struct sockaddr *)&a, sizeof a) != 0 && errno == ECONNREFUSED;
	}
	if (fd >= 0)
		close(fd);
	return left;
}

static bool
is_control(const char *name)
{
	return strncmp(name, prefix, sizeof prefix - 1) == 0 && vt_ends_with(name, suffix);
}

static void
remove_left(const eng_spool *s)
{
	DIR *all = opendir(s->folder);
	for (struct dirent *e; all != NULL && (e = readdir(all)) != NULL;)
		if (is_control(e->d_name)) {
			char *path = vt_asprintf("%s/%s", s->folder, e->d_name);
			if (is_left(path))
				unlink(path);
			free(path);
		}
	if (all != NULL)
		closedir(all);
}

int
eng_control_listen(const eng_spool *s, char **path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd;
	remove_left(s);
	*path = vt_asprintf("%s/%s%d%s", s->folder, prefix, (int)getpid(), suffix);
	if (strlen(*path) >= sizeof a.sun_path) {
		eng_log(ENG_WARNING, NULL, "[vetro] spool is a path too long for --status");
		return -1;
	}
	memcpy(a.sun_path, *path, strlen(*path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unlink(*path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 16) != 0)
		eng_log(ENG_WARNING, NULL, "%s: %s", *path, strerror(errno));
	return fd;
}

static const char *
state_name(enum eng_state s)
{
	switch (s) {
	case ENG_LOCKED: return "has another process";
	case ENG_PREPARING: return "looks for packages";
	case ENG_HOSTING: return "is compiled";
	case ENG_RUNNING: return "runs";
	case ENG_TELLING: return "is told";
	case ENG_ENDED: break;
	}
	return "has ended";
}

static void
put_tasks(const engine *e, vt_buf *b)
{
	for (const eng_task *t = e->tasks; t; t = t->next) {
		const char *env = t->request.environment;
		vt_buf_printf(b, "  %s %s %8.1f s  %s  ", t->request.id, t->request.name,
			vt_clock() - t->arrived, state_name(t->state));
		if (env)
			vt_put_printable(b, env, strlen(env));
		vt_buf_putc(b, '\n');
	}
}

void
eng_control_answer(const engine *e)
{
	const eng_counts *c = &e->counts;
	int fd = accept4(e->control, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	vt_buf b = {0};
	if (fd < 0)
		return;
	vt_buf_printf(&b, "engine %d: %s%s, %.0f s, %u tasks run, %u wait, %u are told; ",
		(int)getpid(), c->connected ? "connected" : "without a broker",
		e->stopping ? ", stops" : "", vt_clock() - c->began, c->running, c->waiting,
		c->sending);
	vt_buf_printf(&b, "%llu deployments, %llu static actions, %llu schemas; %u programs\n",
		(unsigned long long)c->ended[0], (unsigned long long)c->ended[1],
		(unsigned long long)c->ended[2], c->hosts);
	put_tasks(e, &b);
	(void)send(fd, b.p, b.n, MSG_NOSIGNAL);
	close(fd);
	vt_buf_free(&b);
}

/* False: nobody listens there. */
static bool
show(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	char text[4096];
	ssize_t n;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (strlen(path) >= sizeof a.sun_path)
		return false;
	memcpy(a.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
		close(fd);
		return false;
	}
	while ((n = read(fd, text, sizeof text)) > 0)
		fwrite(text, 1, (size_t)n, stdout);
	close(fd);
	return true;
}

int
eng_status(const eng_start *o)
{
	eng_conf c;
	const char *folder;
	DIR *all;
	int found = 0;
	if (!eng_conf_read(&c, o)) {
		eng_conf_complain(&c);
		eng_conf_free(&c);
		return 1;
	}
	folder = eng_conf_text(&c, "vetro", "spool");
	all = opendir(folder);
	for (struct dirent *e; all != NULL && (e = readdir(all)) != NULL;)
		if (is_control(e->d_name)) {
			char *path = vt_asprintf("%s/%s", folder, e->d_name);
			found += show(path);
			free(path);
		}
	if (all == NULL)
		vt_say("vetro engine: %s: %s\n", folder, strerror(errno));
	else if (found == 0)
		vt_say("vetro engine: no engine runs with the spool %s\n", folder);
	if (all != NULL)
		closedir(all);
	eng_conf_free(&c);
	return found > 0 ? 0 : 1;
}

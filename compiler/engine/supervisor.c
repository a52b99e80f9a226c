/*
 * supervisor.c - the loop of an engine: sockets, times and signals.
 */
#define _GNU_SOURCE
#include "compiler/engine/supervisor.h"
#include "runtime/call/call.h"
#include "runtime/core/printable.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SCAN_SECONDS = 10, SWEEP_SECONDS = 3600, FILES = 8192 };

/* ---- systemd ----------------------------------------------------------------------------- */

static void
notify(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t n = path ? strlen(path) : 0;
	int fd;
	if (n == 0 || n >= sizeof to.sun_path)
		return;
	memcpy(to.sun_path, path, n);
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

/* ---- the beginning ----------------------------------------------------------------------- */

static void
read_times(engine *e)
{
	e->hold = (double)eng_conf_number(&e->conf, "vetro", "hold") / 1000;
	e->task_seconds = (double)eng_conf_number(&e->conf, "vetro", "timeout");
	if (e->start->seconds > 0)
		e->task_seconds = e->start->seconds;
	e->call_seconds = 15;
	e->consumer_timeout = (double)eng_conf_number(&e->conf, "vetro", "consumer_timeout");
	if (e->consumer_timeout <= 0)
		e->consumer_timeout = 1e12;
}

/* --memory is the file's option, so that hosts find it. */
static void
take_line_of_command(engine *e)
{
	if (e->start->memory > 0)
		eng_conf_set(&e->conf, "vetro", "memory", (int64_t)e->start->memory);
}

static bool
read_conf(const eng_start *o, eng_conf *c)
{
	bool ok = eng_conf_read(c, o);
	ok = eng_conf_fits(c) && ok;
	eng_conf_complain(c);
	return ok;
}

static void
register_secrets(const eng_conf *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const eng_option *o = eng_option_find(c->v[i].group, c->v[i].name);
		if (o && o->kind == ENG_SECRET && strcmp(c->v[i].value, "guest") != 0)
			vt_secret_add(c, c->v[i].value, strlen(c->v[i].value));
	}
}

static int
watch_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void
raise_files(void)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= FILES)
		return;
	r.rlim_cur = r.rlim_max < FILES ? r.rlim_max : FILES;
	(void)setrlimit(RLIMIT_NOFILE, &r);
}

static bool
open_engine(engine *e, const eng_start *o)
{
	eng_events on = {.task = eng_take_delivery,
		.reply = eng_take_reply,
		.confirmed = eng_take_confirm,
		.ctx = e};
	*e = (engine){.start = o, .courier_fd = -1, .signals = -1, .listener = -1, .control = -1};
	if (!read_conf(o, &e->conf))
		return false;
	take_line_of_command(e);
	register_secrets(&e->conf);
	eng_log_open(&e->conf);
	raise_files();
	e->notify = eng_notifies(&e->conf);
	if (e->notify == ENG_NOTIFY_NONE)
		eng_log(ENG_WARNING, NULL, "%s", ENG_NO_REPORTS);
	read_times(e);
	if (!eng_spool_open(&e->spool, &e->conf))
		return false;
	e->rt = vt_rt_new(NULL);
	e->signals = watch_signals();
	if (!eng_courier_start(e))
		return false;
	e->listener = eng_status_listen(&e->conf);
	e->control = eng_control_listen(&e->spool, &e->control_path);
	e->broker = eng_broker_new(&e->conf, &on);
	e->counts.began = vt_clock();
	return true;
}

/* ---- signals ----------------------------------------------------------------------------- */

/* Programs that run go on with what they were started with; new ones have the new options. */
static void
read_again(engine *e)
{
	eng_conf c;
	eng_log_again();
	if (!read_conf(e->start, &c)) {
		eng_log(ENG_ERROR, NULL, "the configuration is not taken: it has errors");
		eng_conf_free(&c);
		return;
	}
	eng_conf_free(&e->conf);
	e->conf = c;
	take_line_of_command(e);
	register_secrets(&e->conf);
	eng_log_open(&e->conf);
	e->notify = eng_notifies(&e->conf);
	read_times(e);
	for (eng_host *h = e->hosts; h; h = h->next)
		h->old = true;
	eng_courier_retire(e);
	eng_log(ENG_INFO, NULL, "the configuration was read again");
}

static void
stop(engine *e)
{
	if (e->stopping) {
		e->stop_at = 0;
		return;
	}
	e->stopping = true;
	e->stop_at = vt_clock() + (double)eng_conf_number(&e->conf, "vetro", "drain");
	eng_broker_stop_tasks(e->broker);
	eng_log(ENG_INFO, NULL, "stops: no new tasks, %u at work", e->counts.running);
	notify("STOPPING=1");
}

static void
take_signals(engine *e)
{
	struct signalfd_siginfo s;
	while (read(e->signals, &s, sizeof s) == (ssize_t)sizeof s) {
		if (s.ssi_signo == SIGTERM || s.ssi_signo == SIGINT)
			stop(e);
		else if (s.ssi_signo == SIGHUP)
			read_again(e);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0) /* sockets say what has ended */
		;
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void
count_tasks(engine *e)
{
	eng_counts *c = &e->counts;
	c->running = c->waiting = c->sending = c->hosts = 0;
	for (const eng_task *t = e->tasks; t; t = t->next)
		switch (t->state) {
		case ENG_RUNNING: c->running++; break;
		case ENG_TELLING: c->sending++; break;
		case ENG_LOCKED:
		case ENG_PREPARING:
		case ENG_HOSTING: c->waiting++; break;
		case ENG_ENDED: break;
		}
	for (const eng_host *h = e->hosts; h; h = h->next)
		c->hosts++;
	c->connected = eng_broker_up(e->broker);
	c->reconnections = eng_broker_reconnections(e->broker);
	c->queued = eng_broker_waiting(e->broker);
}

static void
keep_connected(engine *e, double now)
{
	if (eng_broker_up(e->broker) || e->next_connect > now)
		return;
	eng_tasks_reconnected(e);
	if (eng_broker_connect(e->broker)) {
		notify("READY=1\nSTATUS=connected");
		if (e->stopping)
			eng_broker_stop_tasks(e->broker);
	} else {
		e->next_connect = vt_clock() + eng_broker_pause(e->broker);
	}
}

static void
go_on(engine *e)
{
	double now = vt_clock();
	keep_connected(e, now);
	if (e->courier_fd < 0 && e->next_courier <= now)
		eng_courier_start(e);
	if (e->next_scan <= now && !e->stopping) {
		e->next_scan = now + SCAN_SECONDS;
		eng_spool_each(&e->spool, eng_take_spooled, e);
		notify("WATCHDOG=1");
	}
	if (e->next_sweep <= now) {
		e->next_sweep = now + SWEEP_SECONDS;
		eng_spool_sweep(&e->spool);
	}
	for (eng_task **t = &e->tasks; *t;) {
		if (eng_task_go_on(e, *t)) {
			t = &(*t)->next;
		} else {
			eng_task *gone = *t;
			*t = gone->next;
			eng_task_drop(e, gone);
		}
	}
	count_tasks(e);
}

typedef struct watched {
	struct pollfd *p;
	uint32_t n;
} watched;

static void
watch(watched *w, int fd)
{
	vt_push(w->p, w->n) = (struct pollfd){.fd = fd, .events = POLLIN};
}

static bool
is_ready(const watched *w, int fd)
{
	for (uint32_t i = 0; fd >= 0 && i < w->n; i++)
		if (w->p[i].fd == fd)
			return w->p[i].revents != 0;
	return false;
}

/* Until the first task has something to do by the clock; sockets wake us besides.  Heartbeats and
 * the watchdog need a look every few seconds. */
static int
pause_of(const engine *e)
{
	enum { IDLE = 5, LEAST = 1 };
	double now = vt_clock(), next = now + (e->stopping ? 0.1 : IDLE);
	if (!eng_broker_up(e->broker) && e->next_connect < next)
		next = e->next_connect;
	if (e->courier_fd < 0 && e->next_courier < next)
		next = e->next_courier;
	for (const eng_task *t = e->tasks; t; t = t->next) {
		double at = eng_task_next(e, t);
		next = at < next ? at : next;
	}
	return next <= now ? LEAST : (int)((next - now) * 1000) + LEAST;
}

static void
wait_for_events(engine *e, watched *w)
{
	w->n = 0;
	free(w->p);
	w->p = NULL;
	watch(w, e->signals);
	watch(w, e->courier_fd);
	watch(w, eng_broker_fd(e->broker));
	watch(w, e->listener);
	watch(w, e->control);
	for (const eng_host *h = e->hosts; h; h = h->next)
		watch(w, h->fd);
	for (const eng_task *t = e->tasks; t; t = t->next)
		watch(w, t->wake);
	if (poll(w->p, w->n, pause_of(e)) < 0)
		w->n = 0;
}

static void
serve_events(engine *e, const watched *w)
{
	if (is_ready(w, e->signals))
		take_signals(e);
	for (eng_task *t = e->tasks; t; t = t->next)
		if (is_ready(w, t->wake))
			eng_task_woken(e, t);
	for (eng_host *h = e->hosts; h; h = h->next)
		if (is_ready(w, h->fd))
			eng_host_read(e, h);
	if (is_ready(w, e->courier_fd))
		eng_courier_read(e);
	eng_broker_read(e->broker);
	if (is_ready(w, e->listener))
		eng_status_answer(e->listener, &e->counts);
	if (is_ready(w, e->control))
		eng_control_answer(e);
	go_on(e);
}

static bool
has_ended(const engine *e)
{
	if (!e->stopping)
		return false;
	for (const eng_task *t = e->tasks; t; t = t->next)
		if (t->state != ENG_LOCKED)
			return e->stop_at <= vt_clock();
	return true;
}

/* What runs is killed: its journal stands in the spool, and the broker gives it to the next. */
static void
close_engine(engine *e)
{
	for (eng_host *h = e->hosts; h; h = h->next)
		eng_host_kill(h);
	if (e->tasks != NULL)
		eng_log(ENG_WARNING, NULL, "%u tasks are handed over",
			e->counts.running + e->counts.waiting + e->counts.sending);
	while (e->tasks) {
		eng_task *t = e->tasks;
		e->tasks = t->next;
		t->host = NULL;
		eng_task_drop(e, t);
	}
	eng_hosts_trim(e, 0);
	if (e->courier > 0)
		kill(e->courier, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	eng_broker_free(e->broker);
	if (e->control_path)
		unlink(e->control_path);
	free(e->control_path);
	free(e->spool.folder);
	close(e->spool.fd);
	vt_buf_free(&e->courier_in);
	vt_rt_free(e->rt);
	eng_conf_free(&e->conf);
}

int
eng_serve(const eng_start *o)
{
	engine *e = vt_xzalloc(sizeof *e);
	watched w = {0};
	if (!open_engine(e, o)) {
		if (e->courier > 0)
			kill(e->courier, SIGKILL);
		return 1;
	}
	eng_log(ENG_INFO, NULL, "vetro engine %s begins", VETRO_VERSION);
	go_on(e);
	while (!has_ended(e)) {
		wait_for_events(e, &w);
		serve_events(e, &w);
	}
	eng_log(ENG_INFO, NULL, "vetro engine ends");
	close_engine(e);
	free(w.p);
	free(e);
	return 0;
}

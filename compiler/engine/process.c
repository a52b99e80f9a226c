/*
 * process.c - the processes of an engine: the courier, and a host for each program.
 *
 * Each has a socket to the supervisor, and none has a descriptor of anything else: what a child
 * does not need is closed when it begins.
 */
#define _GNU_SOURCE
#include "compiler/engine/supervisor.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 64 << 20 };

static eng_task *
task_numbered(engine *e, uint64_t number)
{
	for (eng_task *t = e->tasks; t; t = t->next)
		if (t->number == number && t->state != ENG_ENDED)
			return t;
	return NULL;
}

/* Descriptor 3 is the child's socket; standard input is empty. */
static int
become_child(int fd)
{
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t all;
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGTERM,
		SIG_IGN); /* a terminal or systemd sends it to all: the supervisor decides */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (none >= 0)
		(void)dup2(none, STDIN_FILENO);
	if (dup2(fd, 3) < 0)
		_exit(1);
	(void)fcntl(3, F_SETFD, FD_CLOEXEC);
	return 3;
}

/* The log goes on by its file: the descriptor is closed with the others. */
static void
close_others(const engine *e)
{
	(void)close_range(4, ~0u, 0);
	eng_log_forget();
	eng_log_open(&e->conf);
}

static pid_t
start_child(int type, int *ours, int *theirs)
{
	pid_t parent = getpid(), pid;
	int fd[2];
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fd) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		*theirs = become_child(fd[1]);
		if (getppid() != parent)
			_exit(1);
		return 0;
	}
	close(fd[1]);
	if (pid < 0)
		close(fd[0]);
	else
		*ours = fd[0];
	return pid;
}

/* ---- the courier ------------------------------------------------------------------------- */

bool
eng_courier_start(engine *e)
{
	int fd;
	pid_t pid;
	e->next_courier = vt_clock() + 1;
	pid = start_child(SOCK_STREAM, &e->courier_fd, &fd);
	if (pid == 0) {
		close_others(e);
		eng_courier_main(&e->conf, fd);
	}
	e->courier = pid;
	e->courier_in.n = 0;
	if (pid < 0)
		eng_log(ENG_ERROR, NULL, "no process for the courier: %s", strerror(errno));
	return pid > 0;
}

void
eng_courier_send(engine *e, vt_buf *line)
{
	if (e->courier_fd < 0)
		eng_courier_start(e);
	if (e->courier_fd >= 0 && !vt_write_all(e->courier_fd, line->p, line->n))
		eng_log(ENG_ERROR, NULL, "the courier does not listen: %s", strerror(errno));
	vt_buf_free(line);
}

static void
take_line(engine *e, const char *s, size_t n)
{
	vt_value answer = VT_UNDEF, number;
	eng_task *t;
	char *why = NULL;
	if (!vt_json_read(e->rt, s, n, VT_JSON_MUTABLE, 0, &answer, &why)) {
		free(why);
		return;
	}
	number = eng_member(answer, "n");
	t = vt_is_int(number) ? task_numbered(e, (uint64_t)vt_toint(number)) : NULL;
	if (t != NULL)
		eng_task_prepared(e, t, answer);
	vt_release(answer);
}

/* A courier that died is replaced; what it was asked fails, so that nothing asks for ever. */
static void
courier_died(engine *e)
{
	eng_log(ENG_ERROR, NULL, "the courier has died: a new one is started in a second");
	close(e->courier_fd);
	e->courier_fd = -1;
	if (e->courier > 0)
		kill(e->courier, SIGKILL);
	e->next_courier = vt_clock() + 1;
	for (eng_task *t = e->tasks; t; t = t->next)
		if (t->state == ENG_PREPARING)
			eng_task_fail(e, t, "Exception", "builtins",
				"the packages of the task could not be read");
		else {
			t->checking = false;
			t->untrusted |= t->untrusting;
		}
}

/* What the old one was asked is asked again. */
void
eng_courier_retire(engine *e)
{
	close(e->courier_fd);
	e->courier_fd = -1;
	if (e->courier > 0)
		kill(e->courier, SIGKILL);
	eng_courier_start(e);
	for (eng_task *t = e->tasks; t; t = t->next)
		if (t->state == ENG_PREPARING)
			eng_task_prepare(e, t);
		else {
			t->checking = false;
			t->untrusted |= t->untrusting;
		}
}

void
eng_courier_read(engine *e)
{
	char *room = vt_buf_room(&e->courier_in, 65536), *end;
	ssize_t n = read(e->courier_fd, room, 65536);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0 || e->courier_in.n > LINE_MAX_BYTES) {
		courier_died(e);
		return;
	}
	e->courier_in.n += (size_t)n;
	while (e->courier_in.n > 0 &&
		(end = memchr(e->courier_in.p, '\n', e->courier_in.n)) != NULL) {
		size_t k = (size_t)(end - e->courier_in.p);
		char *line = vt_xstrndup(e->courier_in.p, k);
		memmove(e->courier_in.p, end + 1, e->courier_in.n - k - 1);
		e->courier_in.n -= k + 1;
		take_line(e, line, k);
		free(line);
	}
}

/* ---- hosts ------------------------------------------------------------------------------- */

static const char *const *
files_of(const eng_task *t, const char *name, uint32_t *n)
{
	vt_value all = eng_member(t->prepared, name);
	const char **v;
	*n = 0;
	v = vt_xmalloc((vt_is_sequence(all) ? vt_as_list(all)->n + 1 : 1) * sizeof *v);
	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++)
		if (vt_is(vt_as_list(all)->v[i], STR))
			v[(*n)++] = vt_as_str(vt_as_list(all)->v[i])->s;
	return v;
}

static eng_host *
start_host(engine *e, const eng_task *t, const char *key)
{
	eng_host *h;
	int ours, theirs;
	pid_t pid = start_child(SOCK_SEQPACKET, &ours, &theirs);
	if (pid == 0) {
		eng_packages p;
		p.file = files_of(t, "files", &p.n);
		p.core = files_of(t, "cores", &p.ncores);
		p.ncores = p.ncores < ENG_CORES ? p.ncores : ENG_CORES;
		close_others(e);
		eng_host_main(&e->conf, theirs, &p);
	}
	if (pid < 0) {
		eng_log(ENG_ERROR, NULL, "no process for a program: %s", strerror(errno));
		return NULL;
	}
	h = vt_xzalloc(sizeof *h);
	*h = (eng_host){.next = e->hosts,
		.key = vt_xstrdup(key),
		.pid = pid,
		.fd = ours,
		.used = vt_clock()};
	e->hosts = h;
	e->counts.programs++;
	return h;
}

/* ---- orders ------------------------------------------------------------------------------ */

static void
put_member(engine *e, vt_buf *b, const char *name, vt_value v)
{
	vt_buf_printf(b, ", \"%s\": ", name);
	vt_json_write(e->rt, b, v == VT_UNDEF ? VT_NULL : v, 0);
}

static void
put_text(vt_buf *b, const char *name, const char *s)
{
	vt_buf_printf(b, ", \"%s\": ", name);
	vt_json_str(b, s, strlen(s));
}

static int
order_file(engine *e, const eng_task *t)
{
	const eng_request *r = &t->request;
	vt_buf b = {0};
	int fd = memfd_create("order", MFD_CLOEXEC);
	vt_buf_puts(&b, "{\"version\": 1");
	put_text(&b, "method", r->name);
	put_text(&b, "id", r->id);
	put_text(&b, "token", r->token);
	put_text(&b, "project", r->project);
	put_member(e, &b, "trust", eng_member(t->prepared, "trust"));
	put_member(e, &b, "by_name", eng_member(t->prepared, "by_name"));
	put_member(e, &b, "task", r->task);
	if (t->lock >= 0) {
		char *path = eng_spool_path(&e->spool, r->id, "journal");
		put_text(&b, "journal", path);
		free(path);
	}
	vt_buf_putc(&b, '}');
	if (fd >= 0 && !vt_write_all(fd, b.p, b.n)) {
		close(fd);
		fd = -1;
	}
	explicit_bzero(b.p, b.n); /* it has the token */
	vt_buf_free(&b);
	return fd;
}

static bool
send_order(const eng_host *h, const eng_task *t, const int *fds, int n)
{
	union {
		char room[CMSG_SPACE(ENG_ORDER_FDS * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	eng_order o = {.number = t->number, .deploys = t->request.method == ENG_HANDLE_TASK};
	struct iovec v = {&o, sizeof o};
	size_t size = (size_t)n * sizeof(int);
	struct msghdr m = {.msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = CMSG_SPACE(size)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), fds, size);
	return sendmsg(h->fd, &m, MSG_NOSIGNAL) == (ssize_t)sizeof o;
}

static void
run_task(engine *e, eng_host *h, eng_task *t)
{
	int wake[2] = {-1, -1}, order = order_file(e, t);
	bool ok = order >= 0 && pipe2(wake, O_CLOEXEC) == 0;
	if (ok) {
		int fds[ENG_ORDER_FDS] = {order, t->out, wake[1], t->lock};
		(void)fcntl(wake[0], F_SETFL, O_NONBLOCK);
		ok = send_order(h, t, fds, t->lock >= 0 ? 4 : 3);
	}
	if (order >= 0)
		close(order);
	if (wake[1] >= 0)
		close(wake[1]);
	t->starts++;
	t->host = h;
	h->users++;
	h->used = vt_clock();
	t->wake = wake[0];
	t->state = ENG_RUNNING;
	if (!ok)
		eng_task_ended(e, t, -1);
}

/* Which host a task wants is in what the courier found. */
static bool
wants(const eng_task *t, const char *key)
{
	const char *k = t->prepared == VT_UNDEF ? NULL : eng_text(t->prepared, "key");
	return t->state == ENG_HOSTING && k && strcmp(k, key) == 0;
}

void
eng_host_want(engine *e, eng_task *t)
{
	const char *key = eng_text(t->prepared, "key");
	eng_host *h = e->hosts;
	while (h != NULL && (h->old || strcmp(h->key, key ? key : "") != 0))
		h = h->next;
	if (h != NULL) {
		e->counts.programs_found++;
		if (h->ready)
			run_task(e, h, t);
		return;
	}
	eng_hosts_trim(e, (uint32_t)eng_conf_number(&e->conf, "vetro", "hosts"));
	if (start_host(e, t, key ? key : "") == NULL)
		eng_task_fail(e, t, "Exception", "builtins", "no process could be started");
}

/* ---- what hosts say ---------------------------------------------------------------------- */

static void
fail_waiting(engine *e, const char *key, const char *why)
{
	for (eng_task *t = e->tasks; t; t = t->next)
		if (wants(t, key)) {
			const eng_about a = eng_about_task(t);
			eng_log(ENG_ERROR, &a, "the packages do not compile");
			eng_task_fail(e, t, "PackageLoadError", "murano.dsl.exceptions", why);
		}
}

static void
become_ready(engine *e, eng_host *h)
{
	h->ready = true;
	for (eng_task *t = e->tasks; t; t = t->next)
		if (wants(t, h->key))
			run_task(e, h, t);
}

void
eng_host_kill(eng_host *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	if (h->pid > 0)
		kill(h->pid, SIGKILL);
	h->pid = 0;
	h->old = true;
	h->ready = false;
}

static void
host_died(engine *e, eng_host *h)
{
	bool compiled = h->ready;
	eng_host_kill(h);
	for (eng_task *t = e->tasks; t; t = t->next)
		if (t->host == h)
			eng_task_ended(e, t, ENG_HOST_DIED);
	if (!compiled)
		fail_waiting(e, h->key, "the packages of the task cannot be compiled");
}

void
eng_host_read(engine *e, eng_host *h)
{
	char buffer[ENG_SAID_MAX + 1];
	eng_said s;
	ssize_t n = recv(h->fd, buffer, sizeof buffer - 1, MSG_DONTWAIT);
	eng_task *t;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < (ssize_t)sizeof s) {
		host_died(e, h);
		return;
	}
	buffer[n] = '\0';
	memcpy(&s, buffer, sizeof s);
	t = task_numbered(e, s.number);
	if (s.what == 'R')
		become_ready(e, h);
	else if (s.what == 'E') {
		fail_waiting(e, h->key, buffer + sizeof s);
		eng_host_kill(h);
	} else if (s.what == 'N') {
		e->counts.programs_native++;
		eng_log(ENG_INFO, NULL, "a program of packages is cc's from now on");
	} else if (s.what == 'P' && t && t->host == h)
		t->pid = s.pid;
	else if (s.what == 'X' && t && t->host == h)
		eng_task_ended(e, t, s.status);
}

/* The ones that nobody uses and that were used longest ago go; those that are dead, always. */
void
eng_hosts_trim(engine *e, uint32_t most)
{
	for (;;) {
		eng_host **oldest = NULL;
		uint32_t n = 0;
		for (eng_host **h = &e->hosts; *h;) {
			if ((*h)->fd < 0 && (*h)->users == 0) {
				eng_host *dead = *h;
				*h = dead->next;
				free(dead->key);
				free(dead);
				continue;
			}
			n++;
			if ((*h)->users == 0 && (*h)->ready &&
				(!oldest || (*h)->used < (*oldest)->used))
				oldest = h;
			h = &(*h)->next;
		}
		if (n < most || oldest == NULL)
			return;
		eng_host_kill(*oldest);
	}
}

/*
 * host.c - the process that has one program in memory, and forks a worker for each task.
 *
 * It compiles the packages it was given, says so, and then does nothing but fork: whatever a task
 * does happens in its worker.  Workers die with it, and it dies with the supervisor.
 */
#define _GNU_SOURCE
#include "compiler/engine/work.h"
#include "compiler/engine/native.h"
#include "compiler/build/build.h"
#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/lower/lower.h"
#include "compiler/murano/package.h"
#include "compiler/query/compile.h"
#include "runtime/core/number.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct host {
	const eng_conf *conf;
	const eng_packages *packages;
	bool without[ENG_CORES]; /* what does not compile of its core libraries */
	const vt_program *program;
	eng_native native;
	vc_tcc *code; /* libtcc's, while the program is in it */
	int fd, signals;
	struct running {
		pid_t pid;
		uint64_t number;
	} * running;
	uint32_t nrunning;
} host;

static void
say(const host *h, char what, pid_t pid, int status, uint64_t number, const vt_buf *more)
{
	eng_said s = {.what = what, .pid = pid, .status = status, .number = number};
	vt_buf b = {0};
	vt_buf_put(&b, &s, sizeof s);
	if (more)
		vt_buf_put(&b, more->p, more->n < ENG_SAID_MAX / 2 ? more->n : ENG_SAID_MAX / 2);
	if (send(h->fd, b.p, b.n, MSG_NOSIGNAL) < 0)
		_exit(1); /* nobody is there any more */
	vt_buf_free(&b);
}

/* ---- the program ------------------------------------------------------------------------- */

static bool
goes_without(const host *h, const char *path)
{
	for (uint32_t i = 0; i < h->packages->ncores; i++)
		if (h->without[i] && strcmp(h->packages->core[i], path) == 0)
			return true;
	return false;
}

static ir_module *
front_end(const host *h, vc *c)
{
	const eng_packages *p = h->packages;
	ir_module *m;
	c->whole_core = true;
	for (uint32_t i = 0; i < p->n; i++)
		if (!goes_without(h, p->file[i]))
			vc_package_load(c, p->file[i], true);
	vc_packages_resolve(c);
	c->bad_pattern = qc_bad_pattern;
	mpl_check(c);
	m = vc_errors(c) || !vc_packages_complete(c, false) ? NULL : vc_lower(c);
	return m && !vc_errors(c) && ir_verify(c, m) ? m : NULL;
}

/* The C of the packages; NULL: reported. */
static vc_cfile *
emit(const host *h, vc *c, uint32_t *n)
{
	vc_cfile *emitted;
	ir_module *m = front_end(h, c);
	if (m == NULL)
		return NULL;
	c->passes_off |= 1u << VC_PASS_SUBSET;
	emitted = vc_emit(c, m, NULL, false, n);
	vc_emit_program_symbol(emitted, *n);
	return emitted;
}

/* False: reported. */
static bool
compile_now(host *h, vc *c, const vc_cfile *files, uint32_t n)
{
	const vc_build_opts opts = {.opt = 0};
	const vt_program *(*get)(void) = NULL;
	*(void **)&get = vc_jit_symbol(c, files, n, &opts, vc_program_symbol, &h->code);
	h->program = get ? get() : NULL;
	return h->program != NULL;
}

/* The program as cc made it at another time, or libtcc's until cc has made it. */
static bool
take_program(host *h, vc *c, const vc_cfile *files, uint32_t n)
{
	if (!eng_conf_flag(h->conf, "vetro", "native"))
		return compile_now(h, c, files, n);
	eng_native_plan(
		&h->native, c, files, n, (double)eng_conf_number(h->conf, "vetro", "native_after"));
	h->program = eng_native_find(&h->native, c);
	return h->program != NULL || compile_now(h, c, files, n);
}

static bool
compile(host *h, vc *c)
{
	uint32_t n;
	vc_cfile *emitted = emit(h, c, &n);
	bool ok = emitted != NULL && take_program(h, c, emitted, n);
	for (uint32_t i = 0; emitted != NULL && i < n; i++)
		vt_buf_free(&emitted[i].text);
	return ok;
}

/* Another process makes the C once more: kept, it would take more memory than the program. */
static void
start_native(host *h)
{
	uint32_t n;
	vc *c;
	vc_cfile *emitted;
	h->native.pid = fork();
	if (h->native.pid < 0)
		h->native.pid = 0;
	if (h->native.pid != 0)
		return;
	eng_native_become();
	c = vc_new();
	emitted = emit(h, c, &n);
	if (emitted == NULL)
		_exit(1);
	eng_native_compile(&h->native, c, emitted, n);
}

/*
 * The core library of the catalogue that the first error is in, or one of those that are left, is
 * done without.  False: none is left.  The first error is enough to find the others: `vetro check`
 * shows them.
 */
static bool
drop_core(host *h, vc *c)
{
	const eng_packages *p = h->packages;
	const char *error, *path;
	uint32_t which = p->ncores;
	vt_buf b = {0};
	vc_put_diags(c, VC_TEXT, false, &b);
	vt_buf_putc(&b, '\0');
	for (uint32_t i = 0; i < p->ncores; i++)
		if (!h->without[i] && (which == p->ncores || strstr(b.p, p->core[i])))
			which = i;
	if (which < p->ncores) {
		h->without[which] = true;
		path = p->core[which];
		error = strstr(b.p, "error[");
		eng_log(ENG_ERROR, NULL,
			"packages do not compile with the catalogue's core library %s: vetro's own "
			"is used in its place.  The first error: %.*s",
			path, error ? (int)strcspn(error, "\n") : 0, error ? error : "");
	}
	vt_buf_free(&b);
	return which < p->ncores;
}

/* Says what is wrong where there is no program. */
static void
make_program(host *h)
{
	vc *c = vc_new();
	vt_buf b = {0};
	int turn = eng_turn_wait(c, h->packages);
	bool ok = compile(h, c);
	while (!ok && drop_core(h, c)) {
		vc_free(c);
		c = vc_new();
		ok = compile(h, c);
	}
	if (!ok)
		vc_put_diags(c, VC_TEXT, false, &b);
	vc_free(c);
	if (turn >= 0)
		close(turn);
	say(h, ok ? 'R' : 'E', 0, 0, 0, &b);
	if (!ok)
		_exit(0);
	vt_buf_free(&b);
}

/* ---- workers ----------------------------------------------------------------------------- */

static void
limit(int what, rlim_t most)
{
	const struct rlimit r = {most, most};
	if (most > 0)
		(void)setrlimit(what, &r);
}

static void
set_limits(const eng_conf *c)
{
	enum { FILES = 256, MERCY = 5 /* from SIGXCPU to SIGKILL */ };
	const struct rlimit none = {0, 0};
	struct rlimit cpu;
#if !defined(__SANITIZE_ADDRESS__) /* the sanitizers reserve more than any limit */
	limit(RLIMIT_AS, (rlim_t)eng_conf_number(c, "vetro", "memory") << 20);
#endif
	cpu.rlim_cur = (rlim_t)eng_conf_number(c, "vetro", "processor_seconds");
	cpu.rlim_max = cpu.rlim_cur + MERCY;
	if (cpu.rlim_cur > 0)
		(void)setrlimit(RLIMIT_CPU, &cpu);
	limit(RLIMIT_NOFILE, FILES);
	(void)setrlimit(RLIMIT_CORE, &none);
}

/* fd: request, out, wake, lock. The lock is held as long as the process is there. */
static _Noreturn void
begin_worker(host *h, const int *fd)
{
	struct stat st;
	sigset_t none;
	char *order;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGTERM, SIG_DFL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || dup2(fd[2], STDOUT_FILENO) < 0 ||
		dup2(fd[2], STDERR_FILENO) < 0)
		_exit(1);
	if (fstat(fd[0], &st) != 0 || st.st_size <= 0)
		_exit(1);
	order = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd[0], 0);
	if (order == MAP_FAILED)
		_exit(1);
	close(h->fd);
	close(h->signals);
	set_limits(h->conf);
	_exit(eng_work(vt_rt_new(h->program), h->conf, order, (size_t)st.st_size, fd[1], fd[2]));
}

static void
start(host *h, const eng_order *o, const int *fd)
{
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		if (getppid() != parent)
			_exit(1);
		begin_worker(h, fd);
	}
	if (pid < 0) {
		say(h, 'X', 0, -1, o->number, NULL);
		return;
	}
	say(h, 'P', pid, 0, o->number, NULL);
	for (uint32_t i = 0; i < h->nrunning; i++)
		if (h->running[i].pid == 0) {
			h->running[i] = (struct running){pid, o->number};
			return;
		}
	vt_push(h->running, h->nrunning) = (struct running){pid, o->number};
}

/* One order with its descriptors. False: the supervisor is gone. */
static bool
take_order(host *h)
{
	union {
		char room[CMSG_SPACE(ENG_ORDER_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	eng_order o;
	struct iovec v = {&o, sizeof o};
	struct msghdr m = {.msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof control.room};
	ssize_t n = recvmsg(h->fd, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	int fd[ENG_ORDER_FDS], k = 0;
	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	if (c != NULL && c->cmsg_type == SCM_RIGHTS) {
		k = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fd, CMSG_DATA(c), (size_t)k * sizeof(int));
	}
	if (n == sizeof o && k >= ENG_ORDER_FDS - 1)
		start(h, &o, fd);
	for (int i = 0; i < k; i++)
		close(fd[i]);
	return true;
}

/* Workers that run keep the old program, as every page of this process. */
static void
take_native(host *h, int status)
{
	const vt_program *program = eng_native_take(&h->native, status);
	if (program == NULL)
		return;
	h->program = program;
	vc_tcc_free(h->code);
	h->code = NULL;
	say(h, 'N', 0, 0, 0, NULL);
}

static double
seconds_of(const struct rusage *r)
{
	const struct timeval *u = &r->ru_utime, *s = &r->ru_stime;
	return (double)(u->tv_sec + s->tv_sec) + (double)(u->tv_usec + s->tv_usec) / 1e6;
}

static void
reap(host *h)
{
	struct signalfd_siginfo info;
	struct rusage used;
	bool native = false;
	int status;
	pid_t pid;
	(void)!read(h->signals, &info, sizeof info);
	while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
		if (pid == h->native.pid)
			take_native(h, status);
		for (uint32_t i = 0; i < h->nrunning; i++)
			if (h->running[i].pid == pid) {
				say(h, 'X', pid, status, h->running[i].number, NULL);
				h->running[i].pid = 0;
				native |= eng_native_spend(&h->native, seconds_of(&used));
			}
	}
	if (native)
		start_native(h);
}

_Noreturn void
eng_host_main(const eng_conf *c, int fd, const eng_packages *p)
{
	host h = {.conf = c, .fd = fd, .packages = p};
	sigset_t child;
	vt_no_memory_is_told();
	vt_big_own_memory();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL); /* cc may end before anybody looks */
	make_program(&h);
	h.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		struct pollfd w[2] = {
			{.fd = fd, .events = POLLIN}, {.fd = h.signals, .events = POLLIN}};
		if (poll(w, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		if (w[1].revents)
			reap(&h);
		if (w[0].revents && !take_order(&h))
			_exit(0);
	}
}

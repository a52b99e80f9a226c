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

static ir_module *
front_end(vc *c, const char *const *files, uint32_t n, const char *without)
{
	ir_module *m;
	c->whole_core = true;
	for (uint32_t i = 0; i < n; i++)
		if (without == NULL || strcmp(files[i], without) != 0)
			vc_package_load(c, files[i], true);
	vc_packages_resolve(c);
	c->bad_pattern = qc_bad_pattern;
	mpl_check(c);
	m = vc_errors(c) || !vc_packages_complete(c, false) ? NULL : vc_lower(c);
	return m && !vc_errors(c) && ir_verify(c, m) ? m : NULL;
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
	eng_native_plan(&h->native, c, files, n);
	h->program = eng_native_find(&h->native, c);
	if (h->program != NULL)
		return true;
	if (!compile_now(h, c, files, n))
		return false;
	eng_native_start(&h->native, c);
	return true;
}

static bool
compile(host *h, vc *c, const char *const *files, uint32_t n, const char *without)
{
	uint32_t nfiles;
	vc_cfile *emitted;
	bool ok;
	ir_module *m = front_end(c, files, n, without);
	if (m == NULL)
		return false;
	c->passes_off |= 1u << VC_PASS_SUBSET;
	emitted = vc_emit(c, m, NULL, false, &nfiles);
	vc_emit_program_symbol(emitted, nfiles);
	ok = take_program(h, c, emitted, nfiles);
	for (uint32_t i = 0; i < nfiles; i++)
		vt_buf_free(&emitted[i].text);
	return ok;
}

/* The first error is enough to find the others: `vetro check` shows them. */
static void
complain_of_core(vc *c, const char *path)
{
	vt_buf b = {0};
	const char *error;
	vc_put_diags(c, VC_TEXT, false, &b);
	vt_buf_putc(&b, '\0');
	error = strstr(b.p, "error[");
	eng_log(ENG_ERROR, NULL,
		"io.murano of the catalogue does not compile: vetro's own is used in its place.  "
		"vetro check %s says: %.*s",
		path, error ? (int)strcspn(error, "\n") : 0, error ? error : "");
	vt_buf_free(&b);
}

/* Says what is wrong where there is no program. */
static void
make_program(host *h, const char *const *files, uint32_t n, const char *core)
{
	vc *c = vc_new();
	vt_buf b = {0};
	bool ok = compile(h, c, files, n, NULL);
	if (!ok && core != NULL) {
		complain_of_core(c, core);
		vc_free(c);
		c = vc_new();
		ok = compile(h, c, files, n, core);
	}
	if (!ok)
		vc_put_diags(c, VC_TEXT, false, &b);
	vc_free(c);
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

static void
reap(host *h)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;
	(void)!read(h->signals, &info, sizeof info);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == h->native.pid)
			take_native(h, status);
		for (uint32_t i = 0; i < h->nrunning; i++)
			if (h->running[i].pid == pid) {
				say(h, 'X', pid, status, h->running[i].number, NULL);
				h->running[i].pid = 0;
			}
	}
}

_Noreturn void
eng_host_main(const eng_conf *c, int fd, const char *const *files, uint32_t n, const char *core)
{
	host h = {.conf = c, .fd = fd};
	sigset_t child;
	vt_no_memory_is_told();
	vt_big_own_memory();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL); /* cc may end before anybody looks */
	make_program(&h, files, n, core);
	h.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		struct pollfd p[2] = {
			{.fd = fd, .events = POLLIN}, {.fd = h.signals, .events = POLLIN}};
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		if (p[1].revents)
			reap(&h);
		if (p[0].revents && !take_order(&h))
			_exit(0);
	}
}

/*
 * native.c - the program of a host through cc.
 *
 * Emitted C has no state, so a host may take the new program for the next worker while others run
 * with the old one.  A machine without a C compiler keeps libtcc's.
 */
#define _GNU_SOURCE
#include "compiler/engine/int.h"
#include "compiler/engine/native.h"
#include "compiler/base/base.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOWEST = 19, FAILED = 1 };
/* What cc -O1 takes for emitted C: seconds for the linker, and for each byte. */
static const double LEAST = 0.5, SECONDS_A_BYTE = 5e-6;

static vc_build_opts
options(const char *path)
{
	return (vc_build_opts){.out = path, .opt = 1, .shared = true, .hosted = true, .kept = true};
}

void
eng_native_plan(eng_native *p, vc *c, const vc_cfile *files, uint32_t n, double percent)
{
	const vc_build_opts o = options(NULL);
	const char *why, *dir = vc_cache_dir(c, &why);
	*p = (eng_native){0};
	if (!vc_loads_code())
		why = "this vetro is static";
	if (dir == NULL || !vc_loads_code()) {
		eng_log(ENG_INFO, NULL, "packages are not compiled with cc: %s", why);
		return;
	}
	p->path = vt_asprintf("%s/%s.so", dir, vc_toolchain_key(c, files, n, &o));
	p->enough = (LEAST + SECONDS_A_BYTE * (double)vc_toolchain_missing(c, files, n, &o)) *
		    percent / 100;
}

static const vt_program *
load(const char *path)
{
	const vt_program *(*get)(void) = NULL;
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (so != NULL)
		*(void **)&get = dlsym(so, vc_program_symbol);
	if (get == NULL)
		eng_log(ENG_WARNING, NULL, "a compiled program cannot be loaded: %s", dlerror());
	return get ? get() : NULL;
}

const vt_program *
eng_native_find(eng_native *p, vc *c)
{
	return p->path && vc_cache_has(c, p->path) ? load(p->path) : NULL;
}

/* One process of the machine at a time; who waited may find it done. */
static void
wait_for_turn(const char *path)
{
	char *lock = vt_asprintf("%.*s/native.lock", (int)(strrchr(path, '/') - path), path);
	int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
		;
	free(lock); /* the descriptor has the lock until the process ends */
}

static void
log_diagnostics(vc *c)
{
	vt_buf b = {0};
	vc_put_diags(c, VC_TEXT, false, &b);
	vt_buf_putc(&b, '\0');
	eng_log(ENG_WARNING, NULL, "packages stay as libtcc has compiled them: %s", b.p);
	vt_buf_free(&b);
}

bool
eng_native_spend(eng_native *p, double seconds)
{
	p->spent += seconds;
	if (p->path == NULL || p->tried || p->spent < p->enough)
		return false;
	p->tried = true;
	return true;
}

void
eng_native_become(void)
{
	sigset_t none;
	sigemptyset(&none);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* so that its folder is removed */
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)!nice(LOWEST);
}

_Noreturn void
eng_native_compile(const eng_native *p, vc *c, vc_cfile *files, uint32_t n)
{
	const vc_build_opts o = options(p->path);
	wait_for_turn(p->path);
	if (vc_cache_has(c, p->path) || vc_toolchain_build(c, files, n, &o) == VC_OK)
		_exit(0);
	log_diagnostics(c);
	_exit(FAILED);
}

const vt_program *
eng_native_take(eng_native *p, int status)
{
	p->pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? load(p->path) : NULL;
}

/*
 * Fuzz target: requests of `deploy session` to a program with a model (t/data/murano/model, through
 * libtcc); a
 * '|' of the input stands for the end of a line.  Whatever is asked, each line has an answer of one
 * line, which is JSON, and the session ends well. driver.c says how it is run, in the directory of
 * the sources.
 */
#define _GNU_SOURCE
#include "compiler/cmd/cmd.h"
#include "runtime/call/call.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
must(bool good)
{
	if (!good)
		abort();
}

static vc_main_fn *
program(void)
{
	static cmd_program p;
	static const char *const source = "t/data/murano/model";
	cmd_options o = {.opt = -1, .jit = VC_JIT_MEMORY, .no_cache = true};
	int rc = 0;

	if (p.main == NULL)
		must(cmd_make_program(
			vc_new(), &o, &source, 1, &p, &rc)); /* kept: the code is in it */
	return p.main;
}

static int
file_of(const uint8_t *data, size_t n)
{
	int fd = memfd_create("session", 0);
	char *text = malloc(n + 1);

	must(fd >= 0 && text != NULL);
	for (size_t i = 0; i < n; i++)
		text[i] = data[i] == '|' ? '\n' : (char)data[i];
	must(write(fd, text, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
	free(text);
	return fd;
}

/* What the session wrote: lines of JSON. */
static void
judge(int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)n + 1), *end;
	vt_rt *rt = vt_rt_new(NULL);

	must(n >= 0 && text != NULL && pread(fd, text, (size_t)n, 0) == n);
	for (char *p = text; p < text + n; p = end + 1) {
		vt_value v = VT_UNDEF;
		char *err = NULL;
		end = memchr(p, '\n', (size_t)(text + n - p));
		must(end != NULL);
		must(vt_json_read(rt, p, (size_t)(end - p), 0, 2000, &v, &err));
		vt_release(v);
	}
	vt_rt_free(rt);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char name[] = "model", op[] = "session", expose[] = "--expose", all[] = "*",
		    time[] = "--virtual-time";
	char *argv[] = {name, op, expose, all, time, NULL};
	vc_main_fn *main = program();
	int in = file_of(data, n), out = memfd_create("answers", 0), kept = dup(1), rc;

	must(out >= 0 && kept >= 0 && dup2(in, 0) == 0);
	rewind(stdin);
	fflush(stdout);
	must(dup2(out, 1) == 1);
	rc = main(5, argv);
	fflush(stdout);
	must(dup2(kept, 1) == 1);
	must(rc == 0 || rc == 1);
	judge(out);
	close(in);
	close(out);
	close(kept);
	return 0;
}

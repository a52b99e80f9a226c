/*
 * deploy.c - main() of a deploy binary: its tables of commands and options, and exit statuses.
 *
 * 0 done, 1 the input has errors or the run failed, 2 bad usage, 3 a fault of vetro itself.
 */
#include "runtime/program/deploy.h"
#include "runtime/program/program.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"
#include "runtime/program/serve.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

enum { STACK_BYTES = 64 << 20 };

static const vt_cli_command commands[] = {
#define COMMAND(function, ...) {__VA_ARGS__},
#include "runtime/program/commands.def"
};
/* in the same order */
static int (*const functions[])(vt_deploy *) = {
#define COMMAND(function, ...) function,
#include "runtime/program/commands.def"
};
static const vt_cli_option options[] = {
#define OPTION(kind, field, ...) {VT_CLI_##kind, offsetof(vt_deploy_options, field), __VA_ARGS__},
#include "runtime/program/options.def"
};
const vt_cli vt_deploy_cli = {
	.about = "runs, checks and shows the program that was built into it",
	.notes = "Exit status: 0 done, 1 the run failed or its input has errors, 2 bad usage, 3 a "
		 "fault "
		 "of vetro itself.",
	.commands = commands,
	.options = options,
	.ncommands = VT_LEN(commands),
	.noptions = VT_LEN(options),
};

int
vt_deploy_help(vt_deploy *c)
{
	return vt_cli_help(&c->o->line);
}

int
vt_deploy_completion(vt_deploy *c)
{
	return vt_cli_completion(&c->o->line, c->o->line.words.v[0]);
}

int
vt_deploy_version(vt_deploy *c)
{
	const vt_program *p = c->program;
	printf("%s %s (built by vetro %s)\n", p->npackages ? p->packages[0]->name->s : c->self,
		p->npackages ? p->packages[0]->version : "", p->built_by ? p->built_by : "?");
	return DONE;
}

static vt_rt *
open_for_request(void *cli)
{
	int rc;
	return vt_deploy_open(cli, &rc);
}

/* The options are tried on a first session, so that a mistake is told at once. */
int
vt_deploy_serve(vt_deploy *c)
{
	vt_server server = {c->program, open_for_request, c};
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	vt_rt_free(rt);
	return vt_serve(&server, c->self, c->o->listen);
}

/* Deep MuranoPL recursion needs more stack than the usual 8 MB; the kernel grows it on demand up to
 * the limit in force at that time. */
static void
raise_stack(void)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur == RLIM_INFINITY ||
		r.rlim_cur >= STACK_BYTES)
		return;
	r.rlim_cur =
		r.rlim_max == RLIM_INFINITY || r.rlim_max > STACK_BYTES ? STACK_BYTES : r.rlim_max;
	(void)setrlimit(RLIMIT_STACK, &r);
}

/* What was printed has come to where it should. */
static int
all_written(const char *self, int rc)
{
	if (fflush(stdout) == 0)
		return rc;
	vt_say("%s: standard output: %s\n", self, strerror(errno));
	return rc ? rc : FAILED;
}

int
vt_deploy_main(int argc, char **argv, const vt_program *program)
{
	vt_deploy_options o = {.line = {.cli = NULL}};
	vt_deploy c = {.program = program, .self = vt_cli_self(argc, argv, "deploy"), .o = &o};
	int rc;
	signal(SIGPIPE, SIG_IGN);
	vt_big_own_memory();
	rc = vt_cli_read(&o.line, &vt_deploy_cli, c.self, argc, argv);
	if (rc == VT_CLI_RUN) {
		raise_stack();
		rc = functions[o.line.command - commands](&c);
	}
	vt_cli_free(&o.line);
	return vt_interrupt_caught() ? 128 + vt_interrupt_caught() : all_written(c.self, rc);
}

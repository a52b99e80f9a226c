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

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { STACK_BYTES = 64 << 20 };

static const vt_cli_command commands[] = {
#define COMMAND(function, ...) {__VA_ARGS__},
#include "runtime/program/commands.def"
	VT_CLI_COMMON,
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
	.notes = VT_CLI_STATUSES,
	.commands = commands,
	.options = options,
	.ncommands = VT_LEN(commands),
	.noptions = VT_LEN(options),
};

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

int
vt_deploy_main(int argc, char **argv, const vt_program *program)
{
	const char *self = vt_cli_self(argc, argv, "deploy");
	char *version = vt_asprintf("%s %s (built by vetro %s)",
		program->npackages ? program->packages[0]->name->s : self,
		program->npackages ? program->packages[0]->version : "",
		program->built_by ? program->built_by : "?");
	vt_deploy_options o = {.line = {.self = self, .version = version}};
	vt_deploy c = {.program = program, .self = self, .o = &o};
	int rc;
	signal(SIGPIPE, SIG_IGN);
	vt_big_own_memory();
	rc = vt_cli_read(&o.line, &vt_deploy_cli, argc, argv);
	vt_set_colour(o.colour);
	if (rc == VT_CLI_RUN) {
		raise_stack();
		rc = functions[o.line.command - commands](&c);
	}
	free(version);
	rc = vt_cli_end(&o.line, rc);
	return vt_interrupt_caught() ? 128 + vt_interrupt_caught() : rc;
}

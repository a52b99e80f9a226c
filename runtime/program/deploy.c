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
#include "runtime/text/limit.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

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
#define ALSO OPTION
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

/* The command, which deep recursion of MuranoPL lets need more stack than the usual 8 MB. */
static int
run_command(void *deploy)
{
	vt_deploy *c = deploy;
	return functions[c->o->line.command - commands](c);
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
	rc = vt_cli_main(&o.line, &vt_deploy_cli, argc, argv, STACK_BYTES, run_command, &c);
	free(version);
	return vt_limit_status(vt_interrupt_caught() ? 128 + vt_interrupt_caught() : rc);
}

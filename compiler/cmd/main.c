/*
 * main.c - the process: which command it is, from commands.def and options.def, and its status.
 *
 * The process never calls setlocale: text is UTF-8 and numbers have points everywhere.
 */
#include "compiler/cmd/cmd.h"

#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/task/task.h"
#include "runtime/tosca/tosca.h"
#include "runtime/yay/yay.h"

#include <signal.h>
#include <stddef.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const vt_cli_command commands[] = {
#define GROUP(name, about, more) {name, NULL, about, more},
#define COMMAND(function, ...) {__VA_ARGS__},
#include "compiler/cmd/commands.def"
	VT_CLI_COMMON,
};
/* in the same order */
static int (*const functions[])(cmd_options *) = {
#define GROUP(...) NULL,
#define COMMAND(function, ...) function,
#include "compiler/cmd/commands.def"
};
static const vt_cli_option options[] = {
#define OPTION(kind, field, ...) {VT_CLI_##kind, offsetof(cmd_options, field), __VA_ARGS__},
#define ALSO OPTION
#define HEADING(where, about) {VT_CLI_HEADING, 0, where, "", NULL, NULL, NULL, about},
#define EXCLUSIVE(where, names) {VT_CLI_EXCLUSIVE, 0, where, names, NULL, NULL, NULL, NULL},
#define NEEDS(where, names) {VT_CLI_NEEDS, 0, where, names, NULL, NULL, NULL, NULL},
#include "compiler/cmd/options.def"
};
const vt_cli cmd_cli = {
	.about = "translates MuranoPL packages, TOSCA services, Yay configurations and YAQL "
		 "expressions to C and to standalone binaries",
	.notes = "SOURCE is a MuranoPL package (a directory with manifest.yaml, or its .zip), a "
		 "TOSCA service (a .yaml, a .csar or a directory with the files of one) or a .yay "
		 "file.\n"
		 "Exit status: 0 done, 1 errors in the input, 2 bad usage, 3 a fault of vetro, 4 "
		 "the C compiler failed, 5 --memory is used up, 6 --timeout is over.",
	.commands = commands,
	.options = options,
	.ncommands = VC_LEN(commands),
	.noptions = VC_LEN(options),
};

enum { STACK_BYTES = 8 << 20 }; /* what walks over deep input are made for */

static int
run_command(void *options)
{
	cmd_options *o = options;

	int (*command)(cmd_options *) = functions[o->line.command - commands];

	return o->watch ? cmd_watch(o, command) : command(o);
}

void
cmd_limit_files(vc *c, const cmd_options *o)
{
	if (o->max_file)
		c->limit.max_file = (size_t)o->max_file << 20;
	c->limit.max_file_given = true;
}

int
main(int argc, char **argv)
{
	cmd_options o = {.line = {.self = "vetro", .version = "vetro " VETRO_VERSION}};

#ifdef __GLIBC__
	/* Tables that grow move their pages and leave no holes; else glibc raises this with each
	 * that is freed.  What libtcc takes for a text (768 KiB) is less, and stays. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
	vt_big_own_memory();
	signal(SIGCHLD, SIG_DFL); /* where it is ignored, nobody learns how a compiler ended */
	return vt_cli_main(&o.line, &cmd_cli, argc, argv, STACK_BYTES, run_command, &o);
}

/*
 * service.c - main() of the binary of a service: its tables of commands and options.
 *
 * docs/tosca-deploy.md is the user's side; exit statuses are those of deploy.c.
 */
#include "runtime/program/service.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"
#include "runtime/text/limit.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 8 << 20 };

static const vt_cli_command commands[] = {
#define COMMAND(function, ...) {__VA_ARGS__},
#include "runtime/program/service_commands.def"
	VT_CLI_COMMON,
};
/* in the same order */
static int (*const functions[])(vt_service *) = {
#define COMMAND(function, ...) function,
#include "runtime/program/service_commands.def"
};
static const vt_cli_option options[] = {
#define OPTION(kind, field, ...) {VT_CLI_##kind, offsetof(vt_service_options, field), __VA_ARGS__},
#define ALSO OPTION
#include "runtime/program/service_options.def"
};
const vt_cli vt_service_cli = {
	.about = "deploys, changes and shows the service that was built into it",
	.notes = VT_CLI_STATUSES,
	.commands = commands,
	.options = options,
	.ncommands = VT_LEN(commands),
	.noptions = VT_LEN(options),
};

static int
run_command(void *service)
{
	vt_service *c = service;
	int rc;
	c->rt = vt_rt_new(NULL);
	c->dry = c->o->dry_run;
	c->began = vt_clock();
	if (c->dry && c->o->form && !strcmp(c->o->form, "json"))
		c->steps = vt_list_grow(c->rt, VT_K_TUPLE, 16);
	if (c->o->html && !c->dry)
		c->did = vt_list_grow(c->rt, VT_K_TUPLE, 16);
	if (c->o->html && c->dry) {
		vt_say("%s: --html does not go with --dry-run\n  hint: `%s plan --html FILE` is "
		       "the page of what a run would do\n",
			c->self, c->self);
		rc = USAGE;
	} else {
		rc = functions[c->o->line.command - commands](c);
	}
	if (c->did)
		vt_release(vt_mkptr(c->did));
	if (c->steps)
		vt_release(vt_mkptr(c->steps));
	if (c->inputs)
		vt_release(vt_mkptr(c->inputs));
	if (c->t)
		vt_tosca_free(c->t);
	vt_rt_free(c->rt);
	return rc;
}

int
vt_tosca_main(int argc, char **argv, const vt_tprogram *p)
{
	const char *self = vt_cli_self(argc, argv, "deploy");
	char *version = vt_asprintf("%s (built by vetro %s)", p->name, p->built_by);
	vt_service_options o = {.line = {.self = self, .version = version}};
	vt_service c = {.p = p, .self = self, .o = &o};
	int rc;
	signal(SIGPIPE, SIG_IGN);
	vt_big_own_memory();
	rc = vt_cli_main(&o.line, &vt_service_cli, argc, argv, STACK_BYTES, run_command, &c);
	free(version);
	return vt_limit_status(vt_interrupt_caught() ? 128 + vt_interrupt_caught() : rc);
}

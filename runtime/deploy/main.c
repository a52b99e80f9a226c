/*
 * main.c - main() of a deploy binary of a service: its commands, options and exit statuses,
 * which are those of deploy.c.  docs/tosca-deploy.md is the user's side.
 */
#define _GNU_SOURCE
#include "runtime/text/report.h"
#include "runtime/mugl/mugl.h"
#include "runtime/text/outfile.h"
#include "runtime/deploy/deploy.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, USAGE = 2 };
enum { MOST_WORKERS = 1000, WORKERS = 8, MOST_LOG = 64 };

enum option {
	O_INPUTS,
	O_INPUT,
	O_FORMAT,
	O_OUTPUT,
	O_SNAPSHOT,
	O_DRY_RUN,
	O_WORKERS,
	O_TIMEOUT,
	O_WORKDIR,
	O_PROGRESS,
	O_QUIET,
	O_KEEP,
	O_FORCE,
	O_RECREATE,
	O_MAX_LOG,
	O_LOCAL,
	O_SSH_USER,
	O_SSH_KEY,
	O_SSH_PORT,
	O_SSH_KNOWN,
	O_SSH_NEW,
	O_COUNT
};
static const struct {
	const char *name;
	bool flag;
} options[O_COUNT] = {
	[O_INPUTS] = {"--inputs", false},
	[O_INPUT] = {"--input", false},
	[O_FORMAT] = {"-f", false},
	[O_OUTPUT] = {"--output", false},
	[O_SNAPSHOT] = {"--snapshot", false},
	[O_DRY_RUN] = {"--dry-run", true},
	[O_WORKERS] = {"--workers", false},
	[O_TIMEOUT] = {"--timeout", false},
	[O_WORKDIR] = {"--workdir", false},
	[O_PROGRESS] = {"--progress", true},
	[O_QUIET] = {"--quiet", true},
	[O_KEEP] = {"--keep", true},
	[O_FORCE] = {"--force", true},
	[O_RECREATE] = {"--recreate", true},
	[O_MAX_LOG] = {"--max-log", false},
	[O_LOCAL] = {"--local", true},
	[O_SSH_USER] = {"--ssh-user", false},
	[O_SSH_KEY] = {"--ssh-key", false},
	[O_SSH_PORT] = {"--ssh-port", false},
	[O_SSH_KNOWN] = {"--ssh-known-hosts", false},
	[O_SSH_NEW] = {"--ssh-accept-new", true},
};
#define BIT(o) (1u << (o))
#define GIVEN (BIT(O_INPUTS) | BIT(O_INPUT))
#define RUNNING \
	(BIT(O_SNAPSHOT) | BIT(O_DRY_RUN) | BIT(O_WORKERS) | BIT(O_TIMEOUT) | BIT(O_WORKDIR) | \
		BIT(O_PROGRESS) | BIT(O_QUIET) | BIT(O_KEEP) | BIT(O_FORCE) | BIT(O_OUTPUT) | \
		BIT(O_MAX_LOG) | BIT(O_LOCAL) | BIT(O_SSH_USER) | BIT(O_SSH_KEY) | \
		BIT(O_SSH_PORT) | BIT(O_SSH_KNOWN) | BIT(O_SSH_NEW))

typedef struct cli {
	const vt_tprogram *p;
	const char *self;
	const char *option[O_COUNT]; /* NULL: not given; the last one counts */
	struct {
		enum option which;
		const char *text;
	} * given; /* --inputs and --input in their order */
	uint32_t ngiven;
	vt_rt *rt;
	vt_tosca *t;
	vt_dict *inputs;
	const char *word;     /* of `workflow`: its name; of `notify`: the event */
	vt_tspan more_inputs; /* and its inputs */
	bool notifies;        /* the workflow is what triggers do at the event */
} cli;

/* ---- help ---- */

static void
usage(FILE *f, const char *self)
{
	fprintf(f,
		"usage: %s topology [--inputs FILE] [--input NAME=VALUE]... [-f FORMAT] "
		"[--snapshot FILE] [--output FILE]\n"
		"       %s run [--inputs FILE] [--input NAME=VALUE]... [--dry-run] [--snapshot "
		"FILE] [--workers N] [--timeout SECONDS]\n"
		"       %s undeploy [--dry-run] [--snapshot FILE] [--workers N] [--timeout "
		"SECONDS]\n"
		"       %s workflow NAME [--inputs FILE] [--input NAME=VALUE]... [--dry-run] "
		"[--snapshot FILE]\n"
		"       %s notify EVENT [--dry-run] [--snapshot FILE]\n"
		"       %s outputs [--snapshot FILE] [--output FILE]\n"
		"       %s info | help | --version\n",
		self, self, self, self, self, self, self);
}

static const char help_text[] =
	"\n"
	"topology  checks the inputs and prints the nodes, their relationships and values\n"
	"run       creates, configures and starts the nodes, those that others need first; goes on "
	"where an earlier\n"
	"          run ended; with other inputs it takes away, adds and changes what they ask for\n"
	"undeploy  stops and deletes the nodes, those that others need last\n"
	"workflow  runs the steps of a workflow that the service declares\n"
	"notify    does what the triggers of policies ask for at an event\n"
	"outputs   prints the outputs of the service as it runs\n"
	"info      prints inputs, outputs, nodes and files of this program\n"
	"\n"
	"--inputs FILE       a JSON object of values, or lines 'name: value'; - is standard input\n"
	"--input NAME=VALUE  one value: JSON, or a text where the input is one\n"
	"--snapshot FILE     the state of the service (NAME.state.mugl in the working directory)\n"
	"--dry-run           prints the steps and what each waits for, and does nothing\n"
	"--workers N         so many operations at a time (8)\n"
	"--timeout SECONDS   for operations that have no time-out of their own\n"
	"--workdir DIR       where operations work (beside the snapshot); --keep leaves it there\n"
	"--max-log MIB       of an operation's log, whose end is kept (64)\n"
	"--local             scripts run on this machine, also those of machines with an address\n"
	"--ssh-user NAME, --ssh-key FILE, --ssh-port N, --ssh-known-hosts FILE, --ssh-accept-new\n"
	"                    how scripts and playbooks get to such machines; else as ssh is "
	"configured\n"
	"--force             goes on with the state of another build\n"
	"--recreate          run: what has changed, and what needs it, is undeployed and made "
	"anew\n"
	"--progress          tells each step; so does a terminal without --quiet\n"
	"Exit status: 0 done, 1 the run failed or its input has errors, 2 bad usage, 3 a fault of "
	"vetro itself.\n";

/* What was printed has come to where it should. */
static int
flushed(const cli *c)
{
	if (fflush(stdout) == 0)
		return DONE;
	vt_say("%s: standard output: %s\n", c->self, strerror(errno));
	return FAILED;
}

static int
cmd_help(cli *c)
{
	usage(stdout, c->self);
	fputs(help_text, stdout);
	return flushed(c);
}

static int
bad_usage(const cli *c, const char *what, const char *which)
{
	vt_say("%s: %s%s%s\n", c->self, what, which ? " " : "", which ? which : "");
	usage(stderr, c->self);
	return USAGE;
}

/* ---- answers ---- */

/* Frees the buffer. */
static int
put_output(cli *c, vt_buf *b)
{
	bool ok = vt_put_output(c->self, c->option[O_OUTPUT], b, VT_FILE_PRIVATE);
	vt_buf_free(b);
	return ok ? DONE : FAILED;
}

static int
put_value(cli *c, vt_value owned)
{
	vt_buf b = {NULL, 0, 0};
	vt_json_write(c->rt, &b, owned, VT_JSON_PRETTY);
	vt_buf_putc(&b, '\n');
	vt_release(owned);
	return put_output(c, &b);
}

/* FAILED when there are any from `from` on. */
static int
tell_problems(const cli *c, uint32_t from)
{
	for (uint32_t i = from; i < c->t->nproblems; i++) {
		const vt_tproblem *p = &c->t->problems[i];
		vt_report r = {.code = vt_diag_name(p->code),
			.self = c->self,
			.message = p->message,
			.hint = p->hint};
		if (vt_tosca_locate(c->p->model, p->place, &r.at.line, &r.at.col))
			r.at.file = c->p->model->file[p->place.file];
		vt_report_print(&r, stderr);
	}
	return c->t->nproblems > from ? FAILED : DONE;
}

/* ---- the engine ---- */

static int
read_inputs(cli *c)
{
	const vt_tmodel *m = c->p->model;
	vt_tinputs in = {.rt = c->rt,
		.m = m,
		.self = c->self,
		.slots = {m->service[m->root].inputs, c->more_inputs},
		.values = vt_dict_new(c->rt, false)};
	bool ok = true;
	c->inputs = in.values;
	for (uint32_t i = 0; i < c->ngiven; i++)
		ok &= c->given[i].which == O_INPUTS ? vt_tinputs_file(&in, c->given[i].text)
						    : vt_tinputs_word(&in, c->given[i].text);
	return ok ? DONE : FAILED;
}

static int
evaluate(cli *c, vt_dict *inputs)
{
	vt_value key, v;
	uint32_t pos = 0;
	c->t = vt_tosca_new(c->rt, c->p->model);
	c->t->yaql = vt_tosca_find_yaql;
	c->t->yaql_ctx = (void *)(uintptr_t)c->p;
	while (vt_dict_at(inputs, &pos, &key, &v))
		if (vt_is(key, STR))
			(void)vt_tosca_input(c->t, vt_as_str(key), v);
	vt_tosca_run(c->t);
	return tell_problems(c, 0);
}

static char *
state_path(const cli *c)
{
	return c->option[O_SNAPSHOT] ? vt_xstrdup(c->option[O_SNAPSHOT])
				     : vt_asprintf("%s.state.mugl", c->p->name);
}

/* The path of the snapshot with another end. */
static char *
beside(const char *state, const char *end)
{
	size_t n = strlen(state);
	if (n > 5 && !strcmp(state + n - 5, ".mugl"))
		n -= 5;
	return vt_asprintf("%.*s.%s", (int)n, state, end);
}

/* *out NULL: there is none. False: told. */
static bool
open_state(cli *c, const char *path, vt_tstate **out)
{
	*out = NULL;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return true;
	*out = vt_tstate_open(c->rt, c->self, path);
	return *out != NULL;
}

/* ---- topology, outputs ---- */

static int
live(cli *c, vt_tstate *s)
{
	uint32_t before = c->t->nproblems;
	vt_tosca_go_live(c->t);
	if (s)
		vt_tstate_apply(s, c->t);
	return tell_problems(c, before);
}

static vt_value
outputs_of(cli *c)
{
	vt_tservicei *s = c->t->services[0];
	vt_tctx ctx = vt_tosca_service_ctx(s);
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < s->outputs.n; i++) {
		vt_value v = vt_tosca_cell(c->t, &ctx, &s->outputs.cell[i]), shown = VT_NULL;
		if (v != VT_UNDEF && v != VT_NOVALUE)
			shown = vt_tosca_shown(c->t, v);
		vt_dict_set(c->rt, d, vt_tosca_str(c->t, s->outputs.cell[i].name), shown);
		vt_release(shown);
	}
	return vt_mkptr(d);
}

static int
print_topology(cli *c, vt_tstate *s, const vt_tformat *f)
{
	vt_buf b = {NULL, 0, 0};
	char *why = NULL;
	uint32_t before = c->t->nproblems;
	if (s && live(c, s) != DONE)
		return FAILED;
	if (s)
		vt_tosca_values(c->t);
	if (tell_problems(c, before) != DONE)
		return FAILED;
	if (f->put(c->t, &b, true, &why))
		return put_output(c, &b);
	vt_say("%s: the service cannot be told as %s: %s\n", c->self, f->name, why);
	vt_buf_free(&b);
	free(why);
	return FAILED;
}

static int
unknown_format(const cli *c)
{
	vt_buf b = {NULL, 0, 0};
	vt_buf_puts(&b, "-f knows ");
	vt_tosca_format_names(&b);
	vt_buf_puts(&b, ", not");
	vt_buf_putc(&b, 0);
	bad_usage(c, b.p, c->option[O_FORMAT]);
	vt_buf_free(&b);
	return USAGE;
}

static int
cmd_topology(cli *c)
{
	const vt_tformat *f =
		c->option[O_FORMAT] ? vt_tosca_find_format(c->option[O_FORMAT]) : vt_tformats;
	char *path = c->option[O_SNAPSHOT] ? state_path(c) : NULL;
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (!f)
		return unknown_format(c);
	if (path && !open_state(c, path, &s)) {
		free(path);
		return FAILED;
	}
	if (read_inputs(c) == DONE) {
		vt_value stored = s && !c->ngiven ? vt_tstate_inputs(s) : VT_UNDEF;
		rc = evaluate(c, stored != VT_UNDEF ? vt_as_dict(stored) : c->inputs);
		vt_release(stored);
	}
	if (rc == DONE)
		rc = print_topology(c, s, f);
	vt_tstate_close(s);
	free(path);
	return rc;
}

static int
cmd_outputs(cli *c)
{
	char *path = state_path(c);
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (open_state(c, path, &s) && (!s || vt_tstate_empty(s)))
		vt_say("%s: nothing is deployed: there is no state in %s\n", c->self, path);
	else if (s) {
		vt_value inputs = vt_tstate_inputs(s);
		rc = evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		if (rc == DONE && live(c, s) == DONE)
			rc = put_value(c, outputs_of(c));
	}
	vt_tstate_close(s);
	free(path);
	return rc;
}

/* ---- run, undeploy ---- */

static bool
number(const cli *c, enum option o, double most, double *out)
{
	const char *s = c->option[o];
	char *end;
	if (!s)
		return true;
	*out = strtod(s, &end);
	if (end != s && !*end && *out > 0 && *out <= most)
		return true;
	bad_usage(c, "not a number that will do:", s);
	return false;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	(void)remove(path);
	return 0;
}

/* Absolute, and nobody else can put anything there; NULL: told. */
static char *
make_dir(const cli *c, const char *path, bool empty)
{
	struct stat st;
	char *real = NULL;
	if (empty)
		(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		vt_say("%s: %s: %s\n", c->self, path, strerror(errno));
	else if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
		 (st.st_mode & 022))
		vt_say("%s: %s is not a directory that only you can write to\n", c->self, path);
	else if ((real = realpath(path, NULL)) == NULL)
		vt_say("%s: %s: %s\n", c->self, path, strerror(errno));
	return real;
}

static vt_value
node_states(cli *c, vt_tstate *s)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < c->t->nnodes; i++) {
		vt_buf name = {NULL, 0, 0};
		char *state = vt_tstate_of(s, c->t, c->t->nodes[i]);
		vt_tosca_path(&name, c->t, c->t->nodes[i]);
		vt_buf_putc(&name, 0);
		if (state)
			vt_dict_set_c(c->rt, d, name.p, vt_str_c(c->rt, state));
		free(state);
		vt_buf_free(&name);
	}
	return vt_mkptr(d);
}

/* {"outputs", "nodes"}: what there is now, whatever came of the run. */
static int
put_result(cli *c, vt_tstate *s, bool undo, int rc)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	uint32_t before = c->t->nproblems;
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, c->p->name));
	vt_dict_set_c(c->rt, d, "status",
		vt_str_c(c->rt, vt_interrupt_caught() ? "interrupted"
				: rc                  ? "failed"
				: undo                ? "undeployed"
						      : "deployed"));
	if (!undo)
		vt_dict_set_c(c->rt, d, "outputs", outputs_of(c));
	vt_dict_set_c(c->rt, d, "nodes", node_states(c, s));
	if (put_value(c, vt_mkptr(d)) != DONE || tell_problems(c, before) != DONE)
		return FAILED;
	return rc;
}

/* Where operations work and write their logs; false: told. */
static bool
make_room(cli *c, vt_tdeploy *d, const char *path)
{
	char *logs = beside(path, "logs"),
	     *work = c->option[O_WORKDIR]
			     ? vt_asprintf("%s/%s.work", c->option[O_WORKDIR], c->p->name)
			     : beside(path, "work");
	d->logs = make_dir(c, logs, false);
	d->work = d->logs ? make_dir(c, work, true) : NULL;
	free(logs);
	free(work);
	return d->work != NULL;
}

static void
drop_room(vt_tdeploy *d)
{
	if (d->work && !d->keep)
		(void)nftw(d->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(d->work);
	free(d->logs);
	d->work = d->logs = NULL;
}

/* Does the plan. */
static int
execute(cli *c, vt_tdeploy *d)
{
	int rc;
	vt_interrupt_watch(c->rt);
	rc = vt_tosca_execute(d);
	vt_interrupt_end(c->rt);
	vt_interrupt_block(true);
	if (!vt_tstate_save(d->state))
		rc = FAILED;
	vt_interrupt_block(false);
	return rc;
}

static vt_tplan *
make_plan(cli *c, bool undo, const uint8_t *update)
{
	char *loop = NULL;
	vt_tplan *p = vt_tplan_new(c->t, undo, update, &loop);
	if (!p)
		vt_say("%s: there is no order for this service: %s\n", c->self, loop);
	free(loop);
	return p;
}

static int
show(cli *c, vt_buf *b, uint32_t steps)
{
	if (!steps)
		vt_buf_puts(b, "nothing is left to do\n");
	return put_output(c, b);
}

/* Another program than the one the state was made with. */
static bool
is_ours(cli *c, vt_tstate *s, const char *path)
{
	char *name = vt_tstate_service(s);
	bool other = !name || strcmp(name, c->p->name) != 0;
	if (other) {
		vt_buf b = {NULL, 0, 0};
		mugl_put_plain(
			&b, (mugl_text){name ? name : "?", name ? (uint32_t)strlen(name) : 1});
		vt_say("%s: %s is the state of another service, '%.*s'\n  hint: --snapshot names "
		       "the "
		       "state of this one\n",
			c->self, path, (int)b.n, b.p);
		vt_buf_free(&b);
	}
	free(name);
	if (other)
		return false;
	if (vt_tstate_is_of(s, c->p->digest) || c->option[O_FORCE])
		return true;
	vt_say("%s: %s was made by another build of the service\n", c->self, path);
	vt_say("  hint: undeploy it first with the program that made it, or go on with "
	       "--force: what this build has not got is left alone\n");
	return false;
}

/* What the values are of: those of the state, and over them those given now. Owned. */
static vt_value
effective_inputs(cli *c, vt_tstate *s)
{
	vt_value base = VT_UNDEF, key, v;
	uint32_t pos = 0;
	if (!s || vt_tstate_empty(s))
		return vt_copy(vt_mkptr(c->inputs));
	base = vt_tstate_wanted(s);
	if (base == VT_UNDEF)
		base = vt_tstate_inputs(s);
	vt_dict *d = vt_dict_copy(c->rt, vt_as_dict(base), false);
	while (vt_dict_at(c->inputs, &pos, &key, &v))
		vt_dict_set(c->rt, d, key, v);
	vt_release(base);
	return vt_mkptr(d);
}

/* ---- undeploy ---- */

static int
undo(cli *c, vt_tdeploy *d, const char *path)
{
	vt_value inputs = vt_tstate_inputs(d->state);
	int rc = evaluate(c, vt_as_dict(inputs));
	vt_release(inputs);
	if (rc != DONE || live(c, d->state) != DONE)
		return FAILED;
	d->t = c->t;
	d->plan = make_plan(c, true, NULL);
	rc = FAILED;
	if (d->plan && c->option[O_DRY_RUN]) {
		vt_buf b = {NULL, 0, 0};
		vt_tstate_mark(d->state, d->plan);
		rc = show(c, &b, vt_tosca_show_plan(d->plan, &b, 0));
	} else if (d->plan && make_room(c, d, path)) {
		vt_tstate_mark(d->state, d->plan);
		rc = execute(c, d);
		rc = put_result(c, d->state, true, rc);
		if (rc == DONE && vt_tstate_empty(d->state))
			vt_tstate_remove(d->state);
	}
	drop_room(d);
	vt_tplan_free(d->plan);
	return rc;
}

/* ---- run ---- */

typedef struct update {
	vt_tosca *now, *old; /* with the new inputs, with those of the state */
	vt_value inputs;     /* the new ones */
	vt_dict **parts;
	vt_tplan *away; /* of old */
	uint32_t steps; /* shown so far */
	vt_buf shown;
} update;

/* Nodes that nobody wants, by the engine that knows them. *told: there is something to do. */
static int
find_away(cli *c, vt_tdeploy *d, update *u)
{
	vt_value stored;
	char *loop = NULL;
	bool again = c->option[O_RECREATE] != NULL, same;
	int rc;
	if (!d->state || vt_tstate_empty(d->state) || !vt_tstate_is_of(d->state, c->p->digest))
		return DONE;
	stored = vt_tstate_inputs(d->state);
	same = vt_eq(stored, u->inputs);
	if (same && !again) {
		vt_release(stored);
		return DONE;
	}
	rc = evaluate(c, vt_as_dict(stored));
	u->old = c->t;
	c->t = u->now;
	vt_release(stored);
	if (rc != DONE)
		return FAILED;
	vt_tosca_go_live(u->old);
	vt_tstate_apply(d->state, u->old);
	u->away = vt_tupdate_away(d->state, u->old, u->now, again ? u->parts : NULL, &loop);
	if (loop)
		vt_say("%s: there is no order for what is there: %s\n", c->self, loop);
	rc = loop ? FAILED : DONE;
	free(loop);
	return rc;
}

static int
take_away(cli *c, vt_tdeploy *d, update *u)
{
	int rc;
	d->t = u->old;
	d->plan = u->away;
	if (c->option[O_DRY_RUN]) {
		uint32_t *order = vt_tplan_order(u->away);
		vt_tupdate_show_away(u->away, &u->shown);
		u->steps = vt_tosca_show_plan(u->away, &u->shown, 0);
		for (uint32_t i = 0; i < u->away->n; i++)
			if (!u->away->a[order[i]].off)
				(void)vt_tstate_done(d->state, u->away, &u->away->a[order[i]]);
		free(order);
		return DONE;
	}
	if (!vt_tstate_want(d->state, u->away, u->inputs))
		return FAILED;
	c->t = u->old; /* whose nodes the result tells, if this is the end */
	rc = execute(c, d);
	if (rc != DONE || vt_interrupt_caught())
		rc = put_result(c, d->state, false, FAILED);
	c->t = u->now;
	return rc;
}

static int
bring_up(cli *c, vt_tdeploy *d, update *u)
{
	bool dry = c->option[O_DRY_RUN] != NULL, was = !vt_tstate_empty(d->state);
	uint8_t *changes;
	int rc = FAILED;
	if (!vt_tstate_adopt(d->state, c->p, u->now, u->inputs))
		return FAILED;
	changes = vt_tupdate_begin(d->state, u->now, u->parts);
	if (live(c, d->state) == DONE)
		d->plan = make_plan(c, false, changes);
	free(changes);
	d->t = u->now;
	if (!d->plan)
		return FAILED;
	vt_tstate_mark(d->state, d->plan);
	if (dry) {
		if (was)
			vt_tupdate_show(d->state, u->now, &u->shown);
		u->steps += vt_tosca_show_plan(d->plan, &u->shown, u->steps);
		rc = show(c, &u->shown, u->steps);
	} else if (vt_tstate_keep(d->state)) {
		rc = put_result(c, d->state, false, execute(c, d));
	}
	vt_tplan_free(d->plan);
	return rc;
}

static int
bring(cli *c, vt_tdeploy *d, const char *path)
{
	update u = {.inputs = effective_inputs(c, d->state)};
	int rc = evaluate(c, vt_as_dict(u.inputs));
	u.now = c->t;
	if (c->option[O_DRY_RUN])
		vt_tstate_pretend(d->state);
	if (rc == DONE) {
		u.parts = vt_tupdate_parts(u.now, c->p);
		rc = find_away(c, d, &u);
	}
	if (rc == DONE && !c->option[O_DRY_RUN] && !make_room(c, d, path))
		rc = FAILED;
	if (rc == DONE && u.away)
		rc = take_away(c, d, &u);
	d->plan = NULL;
	if (rc == DONE)
		rc = bring_up(c, d, &u);
	drop_room(d);
	vt_tupdate_free(u.parts, u.now->nnodes);
	vt_tplan_free(u.away);
	if (u.old)
		vt_tosca_free(u.old);
	vt_release(u.inputs);
	vt_buf_free(&u.shown);
	return rc;
}

/* Operations work in directories of their own.  malloc'd; NULL for NULL. */
static char *
absolute(const char *path)
{
	char *here = path && *path != '/' ? getcwd(NULL, 0) : NULL,
	     *out = here   ? vt_asprintf("%s/%s", here, path)
		    : path ? vt_xstrdup(path)
			   : NULL;
	free(here);
	return out;
}

static void
end_deploy(vt_tdeploy *d)
{
	free((void *)(uintptr_t)d->ssh.key);
	free((void *)(uintptr_t)d->ssh.known_hosts);
}

/* What the options say of the run. */
static bool
begin_deploy(cli *c, vt_tdeploy *d)
{
	double workers = WORKERS, log = MOST_LOG, port = 0;
	char *const file[] = {absolute(c->option[O_SSH_KEY]), absolute(c->option[O_SSH_KNOWN])};
	*d = (vt_tdeploy){.p = c->p,
		.rt = c->rt,
		.self = c->self,
		.keep = c->option[O_KEEP] != NULL,
		.progress =
			c->option[O_PROGRESS] || (isatty(STDERR_FILENO) && !c->option[O_QUIET])};
	bool ok = number(c, O_WORKERS, MOST_WORKERS, &workers) &&
		  number(c, O_TIMEOUT, 1e9, &d->timeout);
	ok = ok && number(c, O_MAX_LOG, 1e6, &log) && number(c, O_SSH_PORT, 65535, &port);
	d->most_log = (uint64_t)(log * (1 << 20));
	d->ssh = (vt_tssh){.user = c->option[O_SSH_USER],
		.key = file[0],
		.known_hosts = file[1],
		.port = c->option[O_SSH_PORT],
		.accept_new = c->option[O_SSH_NEW] != NULL,
		.local = c->option[O_LOCAL] != NULL};
	d->workers = workers < 1 ? 1 : (uint32_t)workers;
	return ok;
}

static int
run(cli *c, bool undoing)
{
	vt_tdeploy d = {0};
	char *path = state_path(c);
	int rc = USAGE;
	bool ok = begin_deploy(c, &d);
	if (ok) {
		rc = FAILED;
		ok = read_inputs(c) == DONE && open_state(c, path, &d.state);
	}
	if (ok && !d.state && !undoing)
		ok = (d.state = c->option[O_DRY_RUN]
					? vt_tstate_none(c->rt, c->self, path)
					: vt_tstate_open(c->rt, c->self, path)) != NULL;
	if (ok && undoing && d.state &&
		vt_tstate_empty(
			d.state)) { /* an earlier one was interrupted behind its last step */
		vt_tstate_remove(d.state);
		rc = DONE;
	} else if (ok && undoing && !d.state)
		vt_say("%s: nothing is deployed: there is no state in %s\n", c->self, path);
	else if (ok && (vt_tstate_empty(d.state) || is_ours(c, d.state, path)))
		rc = undoing ? undo(c, &d, path) : bring(c, &d, path);
	vt_tstate_close(d.state);
	end_deploy(&d);
	free(path);
	return rc;
}

static int
cmd_run(cli *c)
{
	return run(c, false);
}

static int
cmd_undeploy(cli *c)
{
	return run(c, true);
}

/* ---- workflow ---- */

static vt_tspan
workflows_of(const cli *c)
{
	const vt_tservice *s = &c->p->model->service[c->p->model->root];
	return c->notifies ? s->events : s->workflows;
}

static int
unknown_workflow(cli *c)
{
	const vt_tmodel *m = c->p->model;
	vt_tspan all = workflows_of(c);
	if (!c->word)
		vt_say("%s: %s; ", c->self,
			c->notifies ? "notify wants an event" : "workflow wants a name");
	else
		vt_say("%s: %s %s; ", c->self,
			c->notifies ? "no trigger waits for" : "there is no workflow", c->word);
	for (uint32_t i = 0; i < all.n; i++)
		vt_say("%s%s", i ? ", " : "the service has ",
			m->str[m->workflow[all.first + i].name]->s);
	fputs(all.n ? "\n" : "the service has none\n", stderr);
	return USAGE;
}

/* The name in the state of what runs.  malloc'd. */
static const char event_prefix[] = "notify ";
static char *
running_name(const cli *c)
{
	return vt_asprintf("%s%s", c->notifies ? event_prefix : "", c->word);
}

static bool
is_event(const char *name)
{
	return strncmp(name, event_prefix, sizeof event_prefix - 1) == 0;
}

/* Does it go on with the one that was interrupted? Its inputs count then. */
static bool
may_begin(cli *c, vt_tdeploy *d, vt_value *inputs)
{
	vt_value old;
	char *name = vt_tstate_workflow(d->state, &old), *mine = running_name(c);
	bool same = !name || !strcmp(name, mine), ok = same || c->option[O_FORCE];
	free(mine);
	if (!ok)
		vt_say("%s: %s'%s' has not ended\n  hint: go on with '%s %s%s', or "
		       "forget it with --force\n",
			c->self, is_event(name) ? "" : "the workflow ", name, c->self,
			is_event(name) ? "" : "workflow ", name);
	if (name && !same && ok)
		vt_tstate_set_workflow(d->state, c->t, NULL, VT_UNDEF);
	if (name && same && !c->ngiven && old != VT_UNDEF)
		vt_move(inputs, vt_copy(old));
	vt_clear(&old);
	free(name);
	return ok;
}

static int
run_workflow(cli *c, vt_tdeploy *d, const vt_tworkflow *w, vt_value *inputs, const char *path)
{
	char *why = NULL;
	uint32_t before = c->t->nproblems;
	bool dry = c->option[O_DRY_RUN] != NULL, resumed = false;
	vt_value old;
	int holds = 1, rc = FAILED;
	if (!may_begin(c, d, inputs))
		return FAILED;
	char *name = vt_tstate_workflow(d->state, &old);
	resumed = name != NULL;
	vt_clear(&old);
	free(name);
	if (w->precondition && !resumed)
		holds = vt_tosca_holds(c->t, NULL, w->precondition, &why);
	if (holds == 1)
		d->plan = vt_tworkflow_plan(c->t, w, *inputs, &why);
	if (c->t->nproblems > before)
		;
	else if (holds == 0)
		vt_say("%s: the precondition of the workflow '%s' does not hold\n", c->self,
			c->word);
	else if (!d->plan)
		vt_say("%s: the %s '%s' cannot be run: %s\n", c->self,
			c->notifies ? "triggers of" : "workflow", c->word, why ? why : "?");
	free(why);
	if (tell_problems(c, before) != DONE || !d->plan)
		return FAILED;
	if (dry) {
		vt_buf b = {NULL, 0, 0};
		vt_tstate_mark(d->state, d->plan);
		return show(c, &b, vt_tosca_show_plan(d->plan, &b, 0));
	}
	name = running_name(c);
	vt_tstate_set_workflow(d->state, c->t, name, *inputs);
	free(name);
	if (!vt_tstate_keep(d->state) || !make_room(c, d, path))
		return FAILED;
	vt_tstate_mark(d->state, d->plan);
	rc = execute(c, d);
	if (rc == DONE && !vt_interrupt_caught()) {
		vt_tstate_set_workflow(d->state, c->t, NULL, VT_UNDEF);
		if (!vt_tstate_save(d->state))
			rc = FAILED;
	}
	return put_result(c, d->state, false, rc);
}

/* Inputs of the workflow, and where nothing is deployed yet those of the service. */
static void
split_inputs(cli *c, vt_dict *service, vt_dict *flow)
{
	const vt_tmodel *m = c->p->model;
	vt_value key, v;
	uint32_t pos = 0;
	while (vt_dict_at(c->inputs, &pos, &key, &v)) {
		bool own = false;
		for (uint32_t i = 0; i < c->more_inputs.n; i++)
			own |= vt_str_eq(
				m->str[m->slot[c->more_inputs.first + i].name], vt_as_str(key));
		vt_dict_set(c->rt, own ? flow : service, key, v);
	}
}

static int
with_workflow(cli *c, vt_tdeploy *d, const vt_tworkflow *w, const char *path)
{
	vt_value flow = vt_mkptr(vt_dict_new(c->rt, false)),
		 service = vt_mkptr(vt_dict_new(c->rt, false));
	bool fresh = vt_tstate_empty(d->state);
	int rc = FAILED;
	split_inputs(c, vt_as_dict(service), vt_as_dict(flow));
	if (!fresh && vt_dict_len(vt_as_dict(service))) {
		vt_say("%s: only inputs of the workflow can be given once the service is "
		       "there\n  hint: '%s run' with them changes the service\n",
			c->self, c->self);
	} else {
		if (!fresh)
			vt_move(&service, vt_tstate_inputs(d->state));
		rc = evaluate(c, vt_as_dict(service));
		if (rc == DONE && c->option[O_DRY_RUN])
			vt_tstate_pretend(d->state);
		if (rc == DONE && fresh) {
			vt_dict **parts = vt_tupdate_parts(c->t, c->p);
			if (!vt_tstate_adopt(d->state, c->p, c->t, service))
				rc = FAILED;
			else
				free(vt_tupdate_begin(d->state, c->t, parts));
			vt_tupdate_free(parts, c->t->nnodes);
		}
		if (rc == DONE && live(c, d->state) != DONE)
			rc = FAILED;
		d->t = c->t;
		if (rc == DONE)
			rc = run_workflow(c, d, w, &flow, path);
	}
	drop_room(d);
	vt_tplan_free(d->plan);
	vt_release(flow);
	vt_release(service);
	return rc;
}

static int
run_declared(cli *c)
{
	const vt_tworkflow *w =
		c->word ? vt_tworkflow_in(c->p->model, workflows_of(c), c->word) : NULL;
	vt_tdeploy d = {0};
	char *path = NULL;
	int rc = FAILED;
	if (!w && c->word && !c->notifies &&
		(!strcmp(c->word, "deploy") || !strcmp(c->word, "undeploy")))
		return run(c, !strcmp(c->word, "undeploy"));
	if (!w)
		return unknown_workflow(c);
	c->more_inputs = w->inputs;
	if (!begin_deploy(c, &d)) {
		end_deploy(&d);
		return USAGE;
	}
	path = state_path(c);
	if (read_inputs(c) == DONE && open_state(c, path, &d.state)) {
		if (!d.state && c->notifies)
			vt_say("%s: nothing is deployed: there is no state in %s\n", c->self, path);
		else if (!d.state)
			d.state = c->option[O_DRY_RUN] ? vt_tstate_none(c->rt, c->self, path)
						       : vt_tstate_open(c->rt, c->self, path);
		if (d.state && (vt_tstate_empty(d.state) || is_ours(c, d.state, path)))
			rc = with_workflow(c, &d, w, path);
	}
	vt_tstate_close(d.state);
	end_deploy(&d);
	free(path);
	return rc;
}

static int
cmd_workflow(cli *c)
{
	return run_declared(c);
}

/* Somebody else watches, and tells of an event: what triggers do then is a workflow. */
static int
cmd_notify(cli *c)
{
	c->notifies = true;
	return run_declared(c);
}

/* ---- info ---- */

static vt_value
text(const cli *c, uint32_t str)
{
	return str ? vt_copy(vt_mkptr(c->p->model->str[str])) : VT_NULL;
}

static vt_value
parameters(cli *c, vt_tspan slots, bool inputs)
{
	const vt_tmodel *m = c->p->model;
	vt_dict *all = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < slots.n; i++) {
		const vt_tslot *s = &m->slot[slots.first + i];
		vt_dict *d = vt_dict_new(c->rt, true);
		uint32_t type = s->schema ? m->schema[s->schema].type : 0;
		vt_dict_set_c(c->rt, d, "type", type ? text(c, m->data[type].name) : VT_NULL);
		if (inputs)
			vt_dict_set_c(c->rt, d, "required",
				vt_mkbool((s->flags & VT_TS_REQUIRED) && !s->dflt));
		vt_dict_set_c(c->rt, all, m->str[s->name]->s, vt_mkptr(d));
	}
	return vt_mkptr(all);
}

static vt_value
node_types(cli *c)
{
	const vt_tmodel *m = c->p->model;
	const vt_tservice *s = &m->service[m->root];
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < s->nodes.n; i++) {
		const vt_tnode *n = &m->node[s->nodes.first + i];
		vt_dict_set_c(c->rt, d, m->str[n->name]->s,
			text(c, m->type[n->type].canon ? m->type[n->type].canon
						       : m->type[n->type].name));
	}
	return vt_mkptr(d);
}

static vt_value
files(cli *c)
{
	vt_list *l = vt_list_grow(c->rt, VT_K_TUPLE, c->p->nblobs);
	for (uint32_t i = 0; i < c->p->nblobs; i++) {
		vt_dict *d = vt_dict_new(c->rt, true);
		vt_dict_set_c(c->rt, d, "path", vt_str_c(c->rt, c->p->blobs[i].path));
		vt_dict_set_c(c->rt, d, "bytes", vt_mkint(c->p->blobs[i].n));
		vt_list_push(c->rt, l, vt_mkptr(d));
	}
	return vt_mkptr(l);
}

static int
cmd_info(cli *c)
{
	const vt_tmodel *m = c->p->model;
	const vt_tservice *s = &m->service[m->root];
	vt_dict *d = vt_dict_new(c->rt, true);
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, c->p->name));
	vt_dict_set_c(c->rt, d, "description", text(c, s->description));
	vt_dict_set_c(c->rt, d, "digest", vt_str_c(c->rt, c->p->digest));
	vt_dict_set_c(c->rt, d, "built_by", vt_str_c(c->rt, c->p->built_by));
	vt_dict_set_c(c->rt, d, "inputs", parameters(c, s->inputs, true));
	vt_dict_set_c(c->rt, d, "outputs", parameters(c, s->outputs, false));
	vt_dict_set_c(c->rt, d, "nodes", node_types(c));
	vt_dict_set_c(c->rt, d, "files", files(c));
	return put_value(c, vt_mkptr(d));
}

static int
cmd_version(cli *c)
{
	printf("%s (built by vetro %s)\n", c->p->name, c->p->built_by);
	return flushed(c);
}

/* ---- the command line ---- */

static const struct command {
	const char *name;
	int (*fn)(cli *);
	uint32_t options;
} commands[] = {
	{"topology", cmd_topology, GIVEN | BIT(O_FORMAT) | BIT(O_OUTPUT) | BIT(O_SNAPSHOT)},
	{"run", cmd_run, GIVEN | RUNNING | BIT(O_RECREATE)},
	{"undeploy", cmd_undeploy, RUNNING},
	{"workflow", cmd_workflow, GIVEN | RUNNING},
	{"notify", cmd_notify, RUNNING},
	{"outputs", cmd_outputs, BIT(O_SNAPSHOT) | BIT(O_OUTPUT)},
	{"info", cmd_info, BIT(O_OUTPUT)},
	{"help", cmd_help, 0},
	{"--help", cmd_help, 0},
	{"-h", cmd_help, 0},
	{"--version", cmd_version, 0},
	{"version", cmd_version, 0},
};

/* How many words it took, or -1. */
static int
read_option(cli *c, const struct command *cmd, char **argv)
{
	const char *eq = strchr(argv[0], '=');
	size_t n = eq ? (size_t)(eq - argv[0]) : strlen(argv[0]);
	for (int o = 0; o < O_COUNT; o++) {
		const char *v = eq ? eq + 1 : argv[1];
		if (strlen(options[o].name) != n || strncmp(options[o].name, argv[0], n) != 0 ||
			!(cmd->options & BIT(o)))
			continue;
		if (options[o].flag)
			v = "";
		if (!v || (options[o].flag && eq))
			return -1;
		c->option[o] = v;
		if (o == O_INPUTS || o == O_INPUT) {
			c->given[c->ngiven].which = (enum option)o;
			c->given[c->ngiven++].text = v;
		}
		return options[o].flag || eq ? 1 : 2;
	}
	return -1;
}

/* What stands without an option: the name of a workflow; whatever is behind help. */
static bool
takes_word(cli *c, const struct command *cmd, const char *word)
{
	bool named = cmd->fn == cmd_workflow || cmd->fn == cmd_notify;
	if (cmd->fn != cmd_help && (!named || c->word))
		return false;
	c->word = word;
	return true;
}

static int
run_command(cli *c, const struct command *cmd, int argc, char **argv)
{
	int rc;
	for (int i = 2; i < argc;) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return cmd_help(c);
		int took = argv[i][0] == '-' ? read_option(c, cmd, argv + i)
					     : takes_word(c, cmd, argv[i]);
		if (took < 0)
			return bad_usage(c, "unknown option, or one without its value:", argv[i]);
		if (!took)
			return bad_usage(c, "unexpected argument:", argv[i]);
		i += took;
	}
	c->rt = vt_rt_new(NULL);
	rc = cmd->fn(c);
	if (c->inputs)
		vt_release(vt_mkptr(c->inputs));
	if (c->t)
		vt_tosca_free(c->t);
	vt_rt_free(c->rt);
	return vt_interrupt_caught() ? 128 + vt_interrupt_caught() : rc;
}

int
vt_tosca_main(int argc, char **argv, const vt_tprogram *p)
{
	cli c = {.p = p, .self = argc > 0 ? argv[0] : "deploy"};
	const char *slash = strrchr(c.self, '/');
	int rc;
	c.self = slash ? slash + 1 : c.self;
	signal(SIGPIPE, SIG_IGN);
	vt_big_own_memory();
	if (argc < 2)
		return bad_usage(&c, "a command is missing", NULL);
	for (size_t i = 0; i < VT_LEN(commands); i++)
		if (!strcmp(commands[i].name, argv[1])) {
			c.given = vt_xmalloc((size_t)argc * sizeof *c.given);
			rc = run_command(&c, &commands[i], argc, argv);
			free(c.given);
			return rc;
		}
	return bad_usage(&c, "unknown command:", argv[1]);
}

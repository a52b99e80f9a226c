/*
 * tosca_main.c - main() of a deploy binary of a service: its commands, options and exit statuses,
 * which are those of deploy.c.  docs/tosca-deploy.md is the user's side.
 */
#define _GNU_SOURCE
#include "mugl.h"
#include "tosca_deploy.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, USAGE = 2 };
enum { MOST_WORKERS = 1000, WORKERS = 8 };

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
};
#define BIT(o) (1u << (o))
#define GIVEN (BIT(O_INPUTS) | BIT(O_INPUT))
#define RUNNING                                                                                    \
	(BIT(O_SNAPSHOT) | BIT(O_DRY_RUN) | BIT(O_WORKERS) | BIT(O_TIMEOUT) | BIT(O_WORKDIR) |     \
		BIT(O_PROGRESS) | BIT(O_QUIET) | BIT(O_KEEP) | BIT(O_FORCE) | BIT(O_OUTPUT))

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
		"       %s outputs [--snapshot FILE] [--output FILE]\n"
		"       %s info | help | --version\n",
		self, self, self, self, self);
}

static const char help_text[] =
	"\n"
	"topology  checks the inputs and prints the nodes, their relationships and values\n"
	"run       creates, configures and starts the nodes, those that others need first; goes on "
	"where an earlier\n"
	"          run of the same program ended\n"
	"undeploy  stops and deletes the nodes, those that others need last\n"
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
	"--force             goes on with other inputs, or with the state of another build\n"
	"--progress          tells each step; so does a terminal without --quiet\n"
	"Exit status: 0 done, 1 the run failed or its input has errors, 2 bad usage, 3 a fault of "
	"vetro itself.\n";

static int
cmd_help(cli *c)
{
	usage(stdout, c->self);
	fputs(help_text, stdout);
	return DONE;
}

static int
bad_usage(const cli *c, const char *what, const char *which)
{
	fprintf(stderr, "%s: %s%s%s\n", c->self, what, which ? " " : "", which ? which : "");
	usage(stderr, c->self);
	return USAGE;
}

/* ---- answers ---- */

static bool
put_file(const char *path, const vt_buf *b)
{
	struct stat st;
	mugl_problems bad = {0};
	bool ok;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		FILE *f = fopen(path, "wb");
		ok = f && fwrite(b->p, 1, b->n, f) == b->n;
		return f ? fclose(f) == 0 && ok : false;
	}
	vt_interrupt_block(true);
	ok = mugl_replace_file(path, b->p, b->n, &bad);
	vt_interrupt_block(false);
	mugl_problems_free(&bad);
	return ok;
}

/* Frees the buffer. */
static int
put_output(cli *c, vt_buf *b)
{
	const char *path = c->option[O_OUTPUT];
	bool ok;
	if (!path || !strcmp(path, "-")) {
		path = "standard output";
		ok = fwrite(b->p, 1, b->n, stdout) == b->n && fflush(stdout) == 0;
	} else {
		ok = put_file(path, b);
	}
	if (!ok)
		fprintf(stderr, "%s: %s: %s\n", c->self, path, strerror(errno));
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

static void
put_printable(const char *s)
{
	for (; *s; s++)
		fputc((unsigned char)*s < 32 ? '?' : *s, stderr);
}

/* FAILED when there are any from `from` on. */
static int
tell_problems(const cli *c, uint32_t from)
{
	for (uint32_t i = from; i < c->t->nproblems; i++) {
		const vt_tproblem *p = &c->t->problems[i];
		const char *file = p->place.file < c->p->model->n_file
					   ? c->p->model->file[p->place.file]
					   : NULL;
		if (file)
			fprintf(stderr, "%s:%u:%u: ", file, p->place.line, p->place.col);
		fputs("error: ", stderr);
		put_printable(p->message);
		fprintf(stderr, " [%s]\n", p->code);
		if (p->hint) {
			fputs("  hint: ", stderr);
			put_printable(p->hint);
			fputc('\n', stderr);
		}
	}
	return c->t->nproblems > from ? FAILED : DONE;
}

/* ---- the engine ---- */

static int
read_inputs(cli *c)
{
	vt_tinputs in = {c->rt, c->p->model, c->self, vt_dict_new(c->rt, false)};
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
	if (s && live(c, s) != DONE)
		return FAILED;
	if (f->put(c->t, &b, true, &why))
		return put_output(c, &b);
	fprintf(stderr, "%s: the service cannot be told as %s: %s\n", c->self, f->name, why);
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
		fprintf(stderr, "%s: nothing is deployed: there is no state in %s\n", c->self,
			path);
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
		fprintf(stderr, "%s: %s: %s\n", c->self, path, strerror(errno));
	else if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
		 (st.st_mode & 022))
		fprintf(stderr, "%s: %s is not a directory that only you can write to\n", c->self,
			path);
	else if ((real = realpath(path, NULL)) == NULL)
		fprintf(stderr, "%s: %s: %s\n", c->self, path, strerror(errno));
	return real;
}

static vt_value
node_states(cli *c, vt_tstate *s)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < c->t->nnodes; i++) {
		vt_buf name = {NULL, 0, 0};
		char *state = vt_tstate_of(s, c->t, c->t->nodes[i]);
		vt_tplan_node_name(&name, c->t, c->t->nodes[i]);
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

static int
execute(cli *c, vt_tdeploy *d, const char *path)
{
	char *logs = beside(path, "logs"),
	     *work = c->option[O_WORKDIR]
			     ? vt_asprintf("%s/%s.work", c->option[O_WORKDIR], c->p->name)
			     : beside(path, "work");
	char *real_logs = make_dir(c, logs, false),
	     *real_work = real_logs ? make_dir(c, work, true) : NULL;
	int rc = FAILED;
	if (real_work) {
		d->work = real_work;
		d->logs = real_logs;
		vt_interrupt_watch(c->rt);
		rc = vt_tosca_execute(d);
		vt_interrupt_end(c->rt);
		if (!d->keep)
			(void)nftw(real_work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		vt_interrupt_block(true);
		if (!vt_tstate_save(d->state))
			rc = FAILED;
		rc = put_result(c, d->state, d->plan->undo, rc);
		if (rc == DONE && d->plan->undo && vt_tstate_empty(d->state))
			vt_tstate_remove(d->state);
		vt_interrupt_block(false);
	}
	free(logs);
	free(work);
	free(real_logs);
	free(real_work);
	return rc;
}

static vt_tplan *
make_plan(cli *c, bool undo)
{
	char *loop = NULL;
	vt_tplan *p = vt_tplan_new(c->t, undo, &loop);
	if (!p)
		fprintf(stderr, "%s: there is no order for this service: %s\n", c->self, loop);
	free(loop);
	return p;
}

static int
show(cli *c, const vt_tplan *p)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_show_plan(p, &b);
	return put_output(c, &b);
}

/* Other inputs, or another program, than those the state was made with. */
static bool
is_same(cli *c, vt_tstate *s, const char *path)
{
	vt_value stored = vt_tstate_inputs(s);
	bool inputs = !c->ngiven || vt_eq(stored, vt_mkptr(c->inputs)),
	     program = vt_tstate_is_of(s, c->p->digest);
	vt_release(stored);
	if ((inputs && program) || c->option[O_FORCE])
		return true;
	fprintf(stderr, "%s: %s was made %s\n", c->self, path,
		!program ? "by another build of the service" : "with other inputs");
	fprintf(stderr,
		"  hint: undeploy it first%s, or go on with --force: steps that were done are not "
		"done again\n",
		!program ? " with the program that made it" : "");
	return false;
}

/* What the values are of: those given now, else those of the state. Owned. */
static vt_value
effective_inputs(cli *c, vt_tstate *s)
{
	if (s && !vt_tstate_empty(s) && !c->ngiven)
		return vt_tstate_inputs(s);
	return vt_copy(vt_mkptr(c->inputs));
}

static int
deploy(cli *c, vt_tdeploy *d, const char *path, vt_value inputs)
{
	int rc = FAILED;
	d->t = c->t;
	d->plan = make_plan(c, d->undo);
	if (!d->plan)
		return FAILED;
	if (c->option[O_DRY_RUN]) {
		if (d->state)
			vt_tstate_mark(d->state, d->plan);
		rc = show(c, d->plan);
	} else if (d->undo || vt_tstate_adopt(d->state, c->p, c->t, inputs)) {
		vt_tstate_mark(d->state, d->plan);
		rc = execute(c, d, path);
	}
	vt_tplan_free(d->plan);
	return rc;
}

static int
with_state(cli *c, vt_tdeploy *d, const char *path)
{
	vt_value inputs = effective_inputs(c, d->state);
	int rc = evaluate(c, vt_as_dict(inputs));
	if (rc == DONE && live(c, d->state) == DONE)
		rc = deploy(c, d, path, inputs);
	vt_release(inputs);
	return rc;
}

static int
run(cli *c, bool undo)
{
	vt_tdeploy d = {.p = c->p,
		.rt = c->rt,
		.self = c->self,
		.undo = undo,
		.keep = c->option[O_KEEP] != NULL,
		.progress =
			c->option[O_PROGRESS] || (isatty(STDERR_FILENO) && !c->option[O_QUIET])};
	char *path = state_path(c);
	double workers = WORKERS;
	int rc = USAGE;
	bool ok = number(c, O_WORKERS, MOST_WORKERS, &workers) &&
		  number(c, O_TIMEOUT, 1e9, &d.timeout);
	d.workers = workers < 1 ? 1 : (uint32_t)workers;
	if (ok) {
		rc = FAILED;
		ok = read_inputs(c) == DONE && open_state(c, path, &d.state);
	}
	if (ok && !d.state && !undo && !c->option[O_DRY_RUN])
		ok = (d.state = vt_tstate_open(c->rt, c->self, path)) != NULL;
	if (ok && undo && d.state &&
		vt_tstate_empty(
			d.state)) { /* an earlier one was interrupted behind its last step */
		vt_tstate_remove(d.state);
		rc = DONE;
	} else if (ok && undo && !d.state)
		fprintf(stderr, "%s: nothing is deployed: there is no state in %s\n", c->self,
			path);
	else if (ok && (!d.state || vt_tstate_empty(d.state) || is_same(c, d.state, path)))
		rc = with_state(c, &d, path);
	vt_tstate_close(d.state);
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
	return fflush(stdout) == 0 ? DONE : FAILED;
}

/* ---- the command line ---- */

static const struct command {
	const char *name;
	int (*fn)(cli *);
	uint32_t options;
} commands[] = {
	{"topology", cmd_topology, GIVEN | BIT(O_FORMAT) | BIT(O_OUTPUT) | BIT(O_SNAPSHOT)},
	{"run", cmd_run, GIVEN | RUNNING},
	{"undeploy", cmd_undeploy, RUNNING},
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

static int
run_command(cli *c, const struct command *cmd, int argc, char **argv)
{
	int rc;
	for (int i = 2; i < argc;) {
		int took = argv[i][0] == '-' ? read_option(c, cmd, argv + i) : 0;
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

/*
 * service_run.c - `run` and `undeploy` of the binary of a service: plans, the places where they
 * work, and what an update takes away and brings.
 */
#define _GNU_SOURCE
#include "runtime/program/service.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path of the snapshot with another end. */
static char *
beside(const char *state, const char *end)
{
	size_t n = strlen(state) - (vt_ends_with(state, ".mugl") ? strlen(".mugl") : 0);
	return vt_asprintf("%.*s.%s", (int)n, state, end);
}

char *
vt_service_logs_of(const char *state)
{
	return beside(state, "logs");
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	(void)remove(path);
	return 0;
}

/* Absolute, and nobody else can put anything there; NULL: reported. */
static char *
make_dir(const vt_service *c, const char *path, bool empty)
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

vt_value
vt_service_states(vt_service *c, vt_tstate *s)
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

static const char *
ended_as(bool undo, int rc)
{
	return vt_interrupt_caught() ? "interrupted"
	       : rc                  ? "failed"
	       : undo                ? "undeployed"
				     : "deployed";
}

/* The page of a run: what there is, and each step with its time. */
static int
put_run_page(vt_service *c, vt_tstate *s, const char *status)
{
	vt_dict *run = vt_dict_new(c->rt, true);
	int rc;
	vt_dict_set_c(c->rt, run, "status", vt_str_c(c->rt, status));
	vt_dict_set_c(c->rt, run, "seconds", vt_float_new(c->rt, vt_clock() - c->began));
	vt_dict_set_c(c->rt, run, "steps", vt_copy(vt_mkptr(c->did)));
	rc = vt_service_put_page(c, s, "run", vt_mkptr(run));
	vt_release(vt_mkptr(run));
	return rc;
}

/* {"outputs", "nodes"}: what there is now, whatever came of the run. */
int
vt_service_result(vt_service *c, vt_tstate *s, bool undo, int rc)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	uint32_t before = c->t->nproblems;
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, vt_service_name(c->p)));
	vt_dict_set_c(c->rt, d, "status", vt_str_c(c->rt, ended_as(undo, rc)));
	if (!undo)
		vt_dict_set_c(c->rt, d, "outputs", vt_service_outputs_of(c));
	vt_dict_set_c(c->rt, d, "nodes", vt_service_states(c, s));
	if (c->o->html && put_run_page(c, s, ended_as(undo, rc)) != DONE)
		rc = FAILED;
	if ((vt_service_is_json(c) ? vt_service_put_value(c, vt_mkptr(d))
				   : vt_service_put_summary(c, vt_mkptr(d))) != DONE ||
		vt_service_report(c, before) != DONE)
		return FAILED;
	return rc;
}

/* Where operations work and write their logs; false: reported. */
bool
vt_service_make_room(vt_service *c, vt_tdeploy *d, const char *path)
{
	if (!vt_tstate_end_left(d->state))
		return false;
	char *logs = vt_service_logs_of(path),
	     *work = c->o->workdir ? vt_asprintf("%s/%s.work", c->o->workdir, c->p->name)
				   : beside(path, "work");
	d->logs = make_dir(c, logs, false);
	d->work = d->logs ? make_dir(c, work, true) : NULL;
	free(logs);
	free(work);
	return d->work != NULL;
}

void
vt_service_drop_room(vt_tdeploy *d)
{
	if (d->work && !d->keep)
		(void)nftw(d->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(d->work);
	free(d->logs);
	d->work = d->logs = NULL;
}

bool
vt_service_ready(vt_service *c, vt_tdeploy *d)
{
	uint32_t before = d->t->nproblems;
	vt_tplan_check_inputs(d->plan);
	return vt_service_report(c, before) == DONE;
}

/* Does the plan. */
int
vt_service_execute(vt_service *c, vt_tdeploy *d)
{
	int rc;
	vt_interrupt_watch(c->rt);
	d->ran = 0;
	rc = vt_tosca_execute(d);
	c->ran += d->ran;
	if (c->did)
		vt_tosca_put_steps(d, c->began, c->did);
	vt_interrupt_end(c->rt);
	vt_interrupt_block(true);
	if (!vt_tstate_save(d->state))
		rc = FAILED;
	vt_interrupt_block(false);
	return rc;
}

static vt_tplan *
make_plan(vt_service *c, bool undo, const uint8_t *update)
{
	char *loop = NULL;
	vt_tplan *p = vt_tplan_new(c->t, undo, update, &loop);
	if (!p)
		vt_say("%s: there is no order for this service: %s\n", c->self, loop);
	free(loop);
	return p;
}

int
vt_service_show(vt_service *c, vt_buf *b, uint32_t steps)
{
	if (c->steps && !c->changes) {
		vt_dict *d = vt_dict_new(c->rt, true);
		vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, vt_service_name(c->p)));
		vt_dict_set_c(c->rt, d, "steps", vt_copy(vt_mkptr(c->steps)));
		vt_buf_free(b);
		return vt_service_put_value(c, vt_mkptr(d));
	}
	if (!steps)
		vt_buf_puts(b, "nothing is left to do\n");
	return vt_service_put(c, b);
}

/* What the values are of: those of the state, and over them those given now. Owned. */
static vt_value
effective_inputs(vt_service *c, vt_tstate *s)
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
undo(vt_service *c, vt_tdeploy *d, const char *path)
{
	vt_value inputs = vt_tstate_inputs(d->state);
	int rc = vt_service_evaluate(c, vt_as_dict(inputs));
	vt_release(inputs);
	if (rc != DONE || vt_service_live(c, d->state) != DONE ||
		!vt_service_knows_all(c, d->state, NULL, path))
		return FAILED;
	d->t = c->t;
	d->plan = make_plan(c, true, NULL);
	rc = FAILED;
	if (d->plan && c->dry) {
		vt_buf b = {NULL, 0, 0};
		vt_tstate_mark(d->state, d->plan);
		rc = vt_service_show(c, &b, vt_tosca_show_plan(d->plan, &b, c->steps, 0));
	} else if (d->plan && vt_service_make_room(c, d, path)) {
		vt_tstate_mark(d->state, d->plan);
		rc = vt_service_execute(c, d);
		rc = vt_service_result(c, d->state, true, rc);
		vt_service_drop_room(d);
		if (rc == DONE && vt_tstate_empty(d->state))
			vt_tstate_remove(d->state); /* last: nobody comes back for the rest */
	}
	vt_service_drop_room(d);
	vt_tplan_free(d->plan);
	return rc;
}

/* ---- run ---- */

typedef struct update {
	vt_tosca *now, *old; /* with the new inputs, with those of the state */
	vt_value inputs;     /* the new ones */
	vt_tparts *parts;
	vt_tplan *away; /* of old */
	char *again;    /* what a run that was killed was making anew, or NULL */
	uint32_t steps; /* shown so far */
	vt_buf shown;
} update;

/* The inputs that the state was made with.  Another build may want some that this one had not: they
 * are as they will be.  Owned. */
static vt_value
inputs_before(vt_service *c, vt_tstate *s, vt_value now)
{
	vt_value stored = vt_tstate_inputs(s), key, v;
	uint32_t pos = 0;
	vt_dict *d;
	if (vt_tstate_is_of(s, c->p->digest))
		return stored;
	d = vt_dict_copy(c->rt, vt_as_dict(now), false);
	while (vt_dict_at(vt_as_dict(stored), &pos, &key, &v))
		vt_dict_set(c->rt, d, key, v);
	vt_release(stored);
	return vt_mkptr(d);
}

/* What is made anew: for what was asked now, and for what a run that was killed was asked. */
static bool *
made_anew(vt_service *c, vt_tstate *s, const update *u)
{
	bool first = c->heals || c->o->recreate;
	bool *which = vt_tupdate_again(s, u->now, u->parts,
		first                   ? c->heals
		: u->again && *u->again ? u->again
					: NULL);
	if (!first || !u->again)
		return which;
	bool *more = vt_tupdate_again(s, u->now, u->parts, *u->again ? u->again : NULL);
	for (uint32_t i = 0; i < u->now->nnodes; i++)
		which[i] |= more[i];
	free(more);
	return which;
}

/* Nodes that nobody wants, by the engine that knows them. *reported: there is something to do. */
static int
find_away(vt_service *c, vt_tdeploy *d, update *u)
{
	vt_value stored;
	char *loop = NULL;
	bool again, same, *which;
	int rc;
	if (!d->state || vt_tstate_empty(d->state)) {
		if (c->heals)
			vt_say("%s: nothing is deployed\n", c->self);
		return c->heals ? FAILED : DONE;
	}
	u->again = vt_tstate_again(d->state);
	again = c->o->recreate || c->heals || u->again;
	stored = inputs_before(c, d->state, u->inputs);
	same = vt_eq(stored, u->inputs);
	if (same && !again) {
		vt_release(stored);
		return DONE;
	}
	rc = vt_service_evaluate(c, vt_as_dict(stored));
	u->old = c->t;
	c->t = u->now;
	vt_release(stored);
	if (rc != DONE)
		return FAILED;
	vt_tosca_go_live(u->old);
	vt_tstate_apply(d->state, u->old);
	which = again ? made_anew(c, d->state, u) : NULL;
	if (c->heals && !memchr(which, true, u->now->nnodes)) {
		vt_say("%s: the service has no node '%s'\n", c->self, c->heals);
		free(which);
		return FAILED;
	}
	u->away = vt_tupdate_away(d->state, u->old, u->now, which, &loop);
	free(which);
	if (loop)
		vt_say("%s: there is no order for what is there: %s\n", c->self, loop);
	rc = loop ? FAILED : DONE;
	free(loop);
	return rc;
}

static int
take_away(vt_service *c, vt_tdeploy *d, update *u)
{
	int rc;
	d->t = u->old;
	d->plan = u->away;
	if (c->dry) {
		uint32_t *order = vt_tplan_order(u->away);
		vt_tupdate_show_away(u->away, &u->shown, c->changes);
		u->steps = vt_tosca_show_plan(u->away, &u->shown, c->steps, 0);
		for (uint32_t i = 0; i < u->away->n; i++)
			if (!u->away->a[order[i]].off)
				(void)vt_tstate_done(d->state, u->away, &u->away->a[order[i]]);
		free(order);
		return DONE;
	}
	if (!vt_tstate_want(d->state, u->away, u->inputs,
		    c->heals         ? c->heals
		    : u->again       ? u->again
		    : c->o->recreate ? ""
				     : NULL))
		return FAILED;
	c->t = u->old; /* whose nodes the result has, if this is the end */
	rc = vt_service_execute(c, d);
	if (rc != DONE || vt_interrupt_caught())
		rc = vt_service_result(c, d->state, false, FAILED);
	c->t = u->now;
	return rc;
}

/* For the plan: what nodes were made of, before the state learns what they will be. */
static void
note_old(vt_service *c, vt_tstate *s, const update *u)
{
	vt_tchanges *k = c->changes;
	if (!k)
		return;
	k->now = u->parts;
	k->old = vt_xmalloc((u->now->nnodes + 1) * sizeof *k->old);
	for (uint32_t i = 0; i < u->now->nnodes; i++)
		k->old[i] = vt_tstate_made(s, u->now, u->now->nodes[i]);
}

static void
forget_old(vt_service *c, const update *u)
{
	vt_tchanges *k = c->changes;
	for (uint32_t i = 0; k && k->old && i < u->now->nnodes; i++)
		vt_release(k->old[i]);
	if (k) {
		free(k->old);
		k->old = NULL;
		k->now = NULL;
	}
}

static int
bring_up(vt_service *c, vt_tdeploy *d, update *u)
{
	bool dry = c->dry, was = !vt_tstate_empty(d->state);
	vt_towner owner = vt_service_owner(c->p);
	uint8_t *changes;
	int rc = FAILED;
	if (!vt_tstate_adopt(d->state, &owner, u->now, u->inputs))
		return FAILED;
	note_old(c, d->state, u);
	changes = vt_tupdate_begin(d->state, u->now, u->parts);
	if (vt_service_live(c, d->state) == DONE)
		d->plan = make_plan(c, false, changes);
	free(changes);
	d->t = u->now;
	if (!d->plan)
		return FAILED;
	vt_tstate_mark(d->state, d->plan);
	if (!vt_service_ready(c, d)) {
		vt_tplan_free(d->plan);
		return FAILED;
	}
	if (dry) {
		if (was || c->changes)
			vt_tupdate_show(d->state, u->now, &u->shown, c->changes);
		u->steps += vt_tosca_show_plan(d->plan, &u->shown, c->steps, u->steps);
		rc = c->changes ? vt_service_put_plan(c, d->state, &u->shown, u->steps)
				: vt_service_show(c, &u->shown, u->steps);
	} else if (vt_tstate_keep(d->state)) {
		rc = vt_service_result(c, d->state, false, vt_service_execute(c, d));
	}
	vt_tplan_free(d->plan);
	return rc;
}

/* Before anything is taken away: what comes behind that must be able to run. */
static bool
may_come(vt_service *c, const update *u)
{
	vt_tdeploy later = {.t = u->now};
	bool ok;
	if (!u->away)
		return true;
	later.plan = make_plan(c, false, NULL);
	ok = later.plan && vt_service_ready(c, &later);
	vt_tplan_free(later.plan);
	return ok;
}

static int
bring(vt_service *c, vt_tdeploy *d, const char *path)
{
	update u = {.inputs = effective_inputs(c, d->state)};
	int rc = vt_service_evaluate(c, vt_as_dict(u.inputs));
	u.now = c->t;
	if (c->dry)
		vt_tstate_pretend(d->state);
	if (rc == DONE) {
		u.parts = vt_tupdate_parts(u.now, c->p);
		rc = find_away(c, d, &u);
	}
	if (rc == DONE && !vt_service_knows_all(c, d->state, u.old, path))
		rc = FAILED;
	if (rc == DONE && !c->dry && !vt_service_make_room(c, d, path))
		rc = FAILED;
	if (rc == DONE && !may_come(c, &u))
		rc = FAILED;
	if (rc == DONE && u.away)
		rc = take_away(c, d, &u);
	d->plan = NULL;
	if (rc == DONE)
		rc = bring_up(c, d, &u);
	vt_service_drop_room(d);
	forget_old(c, &u);
	vt_tupdate_free(u.parts, u.now->nnodes);
	vt_tplan_free(u.away);
	if (u.old)
		vt_tosca_free(u.old);
	vt_release(u.inputs);
	vt_buf_free(&u.shown);
	free(u.again);
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

void
vt_service_end(vt_tdeploy *d)
{
	free((void *)(uintptr_t)d->ssh.key);
	free((void *)(uintptr_t)d->ssh.known_hosts);
}

void
vt_service_begin(vt_service *c, vt_tdeploy *d)
{
	*d = (vt_tdeploy){.p = c->p,
		.rt = c->rt,
		.self = c->self,
		.keep = c->o->keep,
		.progress = !c->o->quiet,
		.wants_live = !c->o->quiet && !c->o->progress,
		.timeout = c->o->operation_timeout,
		.retries = (double)c->o->retries,
		.pause = c->o->retry_interval,
		.most_log = (uint64_t)(c->o->max_log * (1 << 20)),
		.workers = (uint32_t)c->o->workers,
		.ssh = {.user = c->o->ssh_user,
			.key = absolute(c->o->ssh_key),
			.known_hosts = absolute(c->o->ssh_known_hosts),
			.port = (uint32_t)c->o->ssh_port,
			.accept_new = c->o->ssh_accept_new,
			.local = c->o->local}};
}

int
vt_service_deploy(vt_service *c, bool undoing)
{
	vt_tdeploy d = {0};
	char *path = vt_service_state_path(c);
	int rc = FAILED;
	bool ok;
	vt_service_begin(c, &d);
	ok = (c->inputs || vt_service_inputs(c) == DONE) &&
	     (c->dry ? vt_service_look_state : vt_service_open_state)(c, path, &d.state);
	if (ok && !d.state && !undoing)
		ok = (d.state = c->dry ? vt_tstate_none(c->rt, c->self, path)
				       : vt_tstate_open(c->rt, c->self, path)) != NULL;
	if (ok && undoing && !d.state)
		vt_say_undeployed(c->self, path);
	else if (ok && (vt_tstate_empty(d.state) || vt_service_is_ours(c, d.state, path)))
		rc = undoing ? undo(c, &d, path) : bring(c, &d, path);
	vt_tstate_close(d.state);
	vt_service_end(&d);
	free(path);
	return rc;
}

int
vt_service_run(vt_service *c)
{
	return vt_service_deploy(c, false);
}

int
vt_service_undeploy(vt_service *c)
{
	return vt_service_deploy(c, true);
}

/*
 * operate.c - what operators do with the binary of a package: `plan`, `status`, `logs`, `undeploy`,
 * `drift`, and the state that a deployment leaves.
 *
 * The state is a snapshot, NAME-VERSION.state.mugl of the package in the working directory, or that
 * of --snapshot.  Its header says how the run ended (`outcome`) and which stacks there should be
 * (`stacks`).  The log of the last run and of the last undeployment stand beside it.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/program/deploy.h"
#include "runtime/program/exception.h"
#include "runtime/program/logs.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/text/outfile.h"
#include "runtime/text/record_log.h"
#include "runtime/text/text.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only a program that reaches for a cloud has these. */
#pragma weak vt_heat_kept
#pragma weak vt_heat_drift

#define KEY(s) s, sizeof s - 1

/* ---- the state ---- */

const char *
vt_deploy_name(const vt_deploy *c)
{
	return c->program->npackages ? c->program->packages[0]->name->s : "program";
}

static const char *
package_version(const vt_deploy *c)
{
	return c->program->npackages ? c->program->packages[0]->version : "";
}

char *
vt_deploy_state_path(const vt_deploy *c)
{
	vt_buf b = {0};
	if (c->o->snapshot)
		return vt_xstrdup(c->o->snapshot);
	vt_buf_printf(&b, "%s-%s", vt_deploy_name(c), package_version(c));
	for (size_t i = 0; i < b.n; i++)
		if (b.p[i] == '/' || (unsigned char)b.p[i] <= ' ' || (b.p[i] == '.' && i == 0))
			b.p[i] = '_';
	vt_buf_puts(&b, ".state.mugl");
	vt_buf_putc(&b, '\0');
	return b.p;
}

char *
vt_deploy_logs_of(const char *state)
{
	size_t n = strlen(state) - (vt_ends_with(state, ".mugl") ? strlen(".mugl") : 0);
	return vt_asprintf("%.*s.logs", (int)n, state);
}

/* NULL: there is none, or *broken, which was reported. */
static mugl *
read_state(const vt_deploy *c, const char *path, bool *broken)
{
	mugl_options options = {.snapshot = true, .max_depth = 1000};
	mugl_problems bad = {0};
	mugl *g = NULL;
	*broken = false;
	if (access(path, F_OK) == 0)
		g = mugl_read_file(path, &options, &bad);
	if (bad.errors) {
		vt_say("%s: the state cannot be read:\n", c->self);
		mugl_problems_print(&bad, path, NULL, 0, stderr);
		mugl_free(g);
		g = NULL;
		*broken = true;
	}
	mugl_problems_free(&bad);
	return g;
}

static void
put_text(mugl *g, mugl_node *to, const char *key, const char *text)
{
	mugl_put(g, to, key, strlen(key), mugl_str(g, text, strlen(text)));
}

/* How it ended, for `status`. */
static void
put_outcome(const vt_deploy *c, mugl *g, bool good, const char *why)
{
	mugl_node *o = mugl_put(g, mugl_header(g), KEY("outcome"), mugl_object());
	put_text(g, o, "package", vt_deploy_name(c));
	put_text(g, o, "version", package_version(c));
	put_text(g, o, "status", good ? "deployed" : "failed");
	if (!good && why)
		put_text(g, o, "why", why);
}

static void
put_stacks(vt_rt *rt, mugl *g)
{
	vt_value stacks = &vt_heat_kept != NULL ? vt_heat_kept(rt) : VT_UNDEF;
	const char *why;
	mugl_node n;
	if (stacks != VT_UNDEF && mugl_from_value(g, rt, stacks, NULL, &n, &why))
		mugl_put(g, mugl_header(g), KEY("stacks"), n);
	vt_release(stacks);
}

/* Nobody should find a file without having heard of it; who has named it knows. */
static void
say_state(const vt_deploy *c, const char *path)
{
	if (!c->o->snapshot && !c->o->quiet && !vt_deploy_is_for_people(c))
		vt_say("%s: the state of this deployment is in %s: plan, status and undeploy read "
		       "it\n  --snapshot FILE keeps it elsewhere\n",
			c->self, path);
}

/* A deployment is known by its state; where that cannot be written, which is said, its result is
 * still the caller's. */
void
vt_deploy_keep_state(vt_deploy *c, vt_rt *rt, bool good, const char *why)
{
	char *path;
	mugl *g;
	if (!c->keeps || rt->s->dry_run || rt->s->root == VT_NULL)
		return;
	g = mugl_from_model(rt, rt->s->root);
	if (g == NULL) {
		vt_exc_clear(rt);
		return;
	}
	path = vt_deploy_state_path(c);
	bool is_new = access(path, F_OK) != 0;
	vt_deploy_put_stamp(rt, g);
	put_outcome(c, g, good, why);
	put_stacks(rt, g);
	if (vt_deploy_put_rest(rt, g) && vt_deploy_save(path, g)) {
		if (is_new)
			say_state(c, path);
	} else
		vt_say("%s: plan, status and undeploy will not know of this run\n", path);
	mugl_free(g);
	free(path);
}

/* ---- a run's result ---- */

/* What would be done outside: lines, or nothing. */
static void
put_effects(vt_rt *rt, vt_buf *b)
{
	vt_value all = vt_effects(rt), kind, list;
	for (uint32_t i = 0; vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &i, &kind, &list);) {
		uint32_t n = vt_is_sequence(list) ? vt_as_list(list)->n : 0;
		for (uint32_t k = 0; k < n; k++) {
			vt_buf line = {0};
			vt_buf_printf(&line, "%s: ", vt_as_str(kind)->s);
			vt_json_write(rt, &line, vt_as_list(list)->v[k], 0);
			vt_redact(&line, 0);
			vt_put_cut(b, line.p, line.n);
			vt_buf_putc(b, '\n');
			vt_buf_free(&line);
		}
	}
	vt_release(all);
}

bool
vt_deploy_is_for_people(const vt_deploy *c)
{
	return c->began > 0 && !c->o->output && !c->o->compact && !c->o->tab && c->o->indent < 0 &&
	       !vt_deploy_is_json(c) && ((c->o->form && !c->o->diff) || isatty(STDOUT_FILENO));
}

const char *
vt_deploy_ended_as(const vt_deploy *c, bool good)
{
	if (vt_interrupt_caught())
		return "interrupted";
	if (!good)
		return "failed";
	if (c->undoes)
		return "undeployed";
	return c->o->call ? "done" : "deployed";
}

static void
put_state_line(const vt_deploy *c, vt_buf *b)
{
	char *path = vt_deploy_state_path(c);

	vt_buf_printf(b, "  state: %s\n", path);
	free(path);
}

void
vt_deploy_put_summary(
	const vt_deploy *c, vt_rt *rt, vt_buf *b, bool good, const char *result, size_t n)
{
	const vt_dict *ids;
	vt_buf text = {0};
	vt_store_settle(rt);
	ids = vt_store_ids(rt);
	vt_buf_printf(b, "%s %s: %s in %.1f s%s\n", vt_deploy_name(c), package_version(c),
		vt_deploy_ended_as(c, good), vt_clock() - c->began,
		rt->s->dry_run ? ", in a simulated cloud" : "");
	if (result && !(n == 4 && memcmp(result, "null", 4) == 0)) {
		vt_buf_puts(b, "  result: ");
		vt_buf_put(&text, result, n);
		vt_redact(&text, 0);
		vt_put_cut(b, text.p, text.n);
		vt_buf_putc(b, '\n');
		vt_buf_free(&text);
	}
	if (good && rt->s->dry_run)
		put_effects(rt, b);
	vt_buf_printf(b, "  objects: %u\n", ids ? vt_dict_len(ids) : 0);
	if (c->keeps && !rt->s->dry_run)
		vt_buf_puts(b, "  'status' shows them, 'undeploy' takes them down; -f json prints "
			       "them\n");
	if (c->keeps && !rt->s->dry_run)
		put_state_line(c, b);
}

/* ---- the log ---- */

/* What the run reports goes to VERB.log too; it is held as long as the run is under way. */
void
vt_deploy_begin_log(vt_deploy *c, const char *verb)
{
	char *state = vt_deploy_state_path(c), *dir = vt_deploy_logs_of(state),
	     *path = vt_asprintf("%s/%s.log", dir, verb);
	int fd = -1;
	if (vt_is_special(state))
		;
	else if (mkdir(dir, 0700) == 0 || errno == EEXIST)
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		c->log = fdopen(fd, "w");
	else if (fd >= 0)
		close(fd);
	if (c->log)
		setvbuf(c->log, NULL, _IOLBF, 0);
	vt_report_log(c->log);
	free(path);
	free(dir);
	free(state);
}

void
vt_deploy_end_log(vt_deploy *c)
{
	vt_report_log(NULL);
	if (c->log)
		fclose(c->log);
	c->log = NULL;
}

/* The objects that are there stand on it too; they may be gone. */
static int
put_logs_page(vt_deploy *c, const char *state, const char *word)
{
	bool broken;
	mugl *g = read_state(c, state, &broken);
	vt_buf log = {0};
	int rc;
	vt_deploy_log_end(c, NULL, word, &log);
	rc = vt_deploy_put_page(c, g, &log, ",\"view\":\"logs\"");
	vt_buf_free(&log);
	mugl_free(g);
	return rc;
}

int
vt_deploy_logs(vt_deploy *c)
{
	char *state = vt_deploy_state_path(c), *dir = vt_deploy_logs_of(state),
	     *lock = vt_asprintf("%s/run.log", dir);
	vt_logs o = {.self = c->self,
		.dir = dir,
		.state = state,
		.lock = lock,
		.word = c->o->line.words.n ? c->o->line.words.v[0] : NULL,
		.follow = c->o->follow};
	int rc = vt_logs_print(&o);
	if (c->o->html && rc == DONE)
		rc = put_logs_page(c, state, o.word);
	free(lock);
	free(dir);
	free(state);
	return rc;
}

/* ---- plan ---- */

struct counts {
	uint32_t create, change, replace, remove;
};

static struct counts
count(const mugl_plan *p)
{
	struct counts k = {0};
	for (uint32_t i = 0; i < p->nsteps; i++)
		switch (p->step[i].kind) {
		case MUGL_CREATE: k.create++; break;
		case MUGL_UPDATE: k.change++; break;
		case MUGL_CREATE_REPLACEMENT: k.replace++; break;
		case MUGL_DELETE: k.remove++; break;
		case MUGL_DELETE_REPLACED: break;
		}
	return k;
}

static mugl_text
name_of(const mugl_plan *p, const mugl_step *s)
{
	return s->is == MUGL_NONE ? mugl_name(p->from, s->was) : mugl_name(p->to, s->is);
}

/* "changes": {name: what happens to it}, "objects" and "steps", as pages read them. */
static void
put_objects(const mugl_plan *p, vt_buf *b)
{
	static const char *const words[] = {[MUGL_CREATE] = "is new",
		[MUGL_UPDATE] = "changes",
		[MUGL_CREATE_REPLACEMENT] = "is replaced",
		[MUGL_DELETE_REPLACED] = "is replaced",
		[MUGL_DELETE] = "goes"};
	vt_buf_puts(b, "\"objects\":[");
	for (uint32_t i = 0; i < p->nsteps; i++) {
		mugl_text name = name_of(p, &p->step[i]);
		vt_buf_puts(b, i ? ",{\"name\":" : "{\"name\":");
		vt_json_str(b, name.p, name.n);
		vt_buf_printf(
			b, ",\"action\":\"%s\",\"parts\":[]}", mugl_step_name(p->step[i].kind));
	}
	vt_buf_puts(b, "],\"changes\":{");
	for (uint32_t i = 0, n = 0; i < p->nsteps; i++) {
		mugl_text name = name_of(p, &p->step[i]);
		if (p->step[i].kind == MUGL_DELETE_REPLACED)
			continue;
		vt_buf_puts(b, n++ ? "," : "");
		vt_json_str(b, name.p, name.n);
		vt_buf_printf(b, ":\"%s\"", words[p->step[i].kind]);
	}
	vt_buf_puts(b, "},\"steps\":[]");
}

static void
put_summary(const struct counts *k, vt_buf *b)
{
	vt_buf_printf(b, "\"summary\":{\"create\":%u,\"change\":%u,\"replace\":%u,\"delete\":%u}",
		k->create, k->change, k->replace, k->remove);
}

static int
put_json(vt_deploy *c, vt_rt *rt, const mugl_plan *p, bool good)
{
	const struct counts k = count(p);
	vt_value effects = vt_effects(rt);
	vt_buf b = {0};
	bool ok;
	vt_buf_puts(&b, "{\"package\":");
	vt_json_str(&b, vt_deploy_name(c), strlen(vt_deploy_name(c)));
	vt_buf_puts(&b, ",\"version\":");
	vt_json_str(&b, package_version(c), strlen(package_version(c)));
	vt_buf_putc(&b, ',');
	put_summary(&k, &b);
	vt_buf_putc(&b, ',');
	put_objects(p, &b);
	vt_buf_puts(&b, ",\"diff\":");
	mugl_plan_json(p, &b);
	vt_buf_puts(&b, ",\"effects\":");
	vt_encode_result(rt, &b, effects);
	if (!good) {
		vt_buf_putc(&b, ',');
		vt_deploy_put_error(c, rt, &b);
	}
	vt_buf_putc(&b, '}');
	vt_release(effects);
	ok = vt_deploy_put(c, &b, VT_FILE_PRIVATE);
	vt_buf_free(&b);
	return ok && good ? DONE : FAILED;
}

static int
put_plan_text(vt_deploy *c, vt_rt *rt, const mugl_plan *p, bool good)
{
	const struct counts k = count(p);
	vt_buf b = {0};
	bool ok;
	if (!good) {
		vt_exception_print(c->self, NULL, "the run would fail", vt_pending(rt));
		vt_exc_clear(rt);
	}
	if (p->nsteps == 0)
		vt_buf_puts(&b, "nothing is left to do\n");
	else
		mugl_plan_text(p, &b, c->o->output == NULL && vt_wants_colour(stdout));
	put_effects(rt, &b);
	vt_buf_printf(&b, "plan: %u to create, %u to change, %u to replace, %u to delete", k.create,
		k.change, k.replace, k.remove);
	ok = vt_deploy_put(c, &b, VT_FILE_PRIVATE);
	vt_buf_free(&b);
	return ok && good ? DONE : FAILED;
}

static int
compare(vt_deploy *c, vt_rt *rt, const mugl *old, mugl *new, bool good)
{
	mugl_plan *p = mugl_diff_by_id(old, new, false);
	const struct counts k = count(p);
	vt_buf more = {0};
	int rc = DONE;
	if (c->o->html) {
		vt_buf_puts(&more, ",\"plan\":{");
		put_summary(&k, &more);
		vt_buf_putc(&more, ',');
		put_objects(p, &more);
		vt_buf_puts(&more, "}");
		vt_buf_putc(&more, '\0');
		rc = vt_deploy_put_page(c, new, NULL, more.p);
		vt_buf_free(&more);
	}
	rc |= vt_deploy_is_json(c) ? put_json(c, rt, p, good) : put_plan_text(c, rt, p, good);
	mugl_plan_free(p);
	return rc == DONE ? DONE : FAILED;
}

/* The run in a simulated cloud: what it would leave, against what there is. */
static int
plan(vt_deploy *c, vt_rt *rt, vt_value model)
{
	char *path = vt_deploy_state_path(c);
	bool broken, loaded, good;
	mugl *old = read_state(c, path, &broken), *new = NULL;
	int rc = FAILED;
	if (!broken && old == NULL)
		old = mugl_new(NULL);
	if (!broken) {
		good = vt_deploy_try(c, rt, model, &loaded);
		if (loaded) {
			vt_value pending = good ? VT_UNDEF : vt_exc_take(rt);
			vt_store_sweep(rt, rt->s->root);
			new = mugl_from_model(rt, rt->s->root);
			if (new == NULL)
				vt_exc_clear(rt);
			else
				mugl_drop_new_ids(rt, new, model);
			if (!good)
				vt_exc_set(rt, pending);
		}
		if (new != NULL)
			rc = compare(c, rt, old, new, good);
		else if (!good)
			vt_exception_print(c->self, NULL, NULL, vt_pending(rt));
		vt_exc_clear(rt);
	}
	mugl_free(old);
	mugl_free(new);
	free(path);
	return rc;
}

int
vt_deploy_plan(vt_deploy *c)
{
	vt_value model = VT_UNDEF;
	vt_rt *rt;
	int rc;
	c->plans = true;
	rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	rc = FAILED;
	if (vt_deploy_read_model(c, rt, c->o->model, &model))
		rc = plan(c, rt, model);
	vt_release(model);
	mugl_free(c->marks);
	vt_rt_free(rt);
	return rc;
}

/* ---- status ---- */

static void
put_printable(vt_buf *b, mugl_text t)
{
	vt_put_printable(b, t.p, t.n);
}

/* A text of the outcome; otherwise: where it says none. */
static mugl_text
outcome(mugl *g, const char *key, const char *otherwise)
{
	const mugl_node *o = mugl_get(mugl_header(g), KEY("outcome")),
			*v = o && o->kind == MUGL_OBJECT ? mugl_get(o, key, strlen(key)) : NULL;
	if (v && v->kind == MUGL_STR)
		return (mugl_text){v->s, v->n};
	return (mugl_text){otherwise, otherwise ? (uint32_t)strlen(otherwise) : 0};
}

static mugl_text
text_in(const mugl *g, mugl_id id, const char *key)
{
	const mugl_node *body = mugl_body(g, id), *v = body ? mugl_get(body, key, strlen(key)) : 0;
	return v && v->kind == MUGL_STR ? (mugl_text){v->s, v->n} : (mugl_text){"", 0};
}

static int
put_status(vt_deploy *c, mugl *g, bool running)
{
	mugl_text status = outcome(g, "status", "deployed"), why = outcome(g, "why", NULL);
	vt_buf b = {0}, json = {0};
	uint32_t at = 0, n = 0;
	mugl_id id;
	bool ok;
	if (running)
		status = (mugl_text){"running", 7};
	vt_buf_printf(&b, "%s %s: ", vt_deploy_name(c), package_version(c));
	put_printable(&b, status);
	vt_buf_puts(&json, "{\"package\":");
	vt_json_str(&json, vt_deploy_name(c), strlen(vt_deploy_name(c)));
	vt_buf_puts(&json, ",\"version\":");
	vt_json_str(&json, package_version(c), strlen(package_version(c)));
	vt_buf_puts(&json, ",\"status\":");
	vt_json_str(&json, status.p, status.n);
	if (why.p && !running) {
		vt_buf_puts(&b, ": ");
		put_printable(&b, why);
		vt_buf_puts(&json, ",\"why\":");
		vt_json_str(&json, why.p, why.n);
	}
	vt_buf_puts(&json, ",\"objects\":[");
	while ((id = mugl_next(g, &at)) != MUGL_NONE) {
		mugl_text name = mugl_name(g, id), type = text_in(g, id, "type"),
			  own = text_in(g, id, "id");
		vt_buf_puts(&b, "\n  ");
		put_printable(&b, name);
		vt_buf_puts(&b, ": ");
		put_printable(&b, type);
		vt_buf_puts(&json, n++ ? ",{\"name\":" : "{\"name\":");
		vt_json_str(&json, name.p, name.n);
		vt_buf_puts(&json, ",\"id\":");
		vt_json_str(&json, own.p, own.n);
		vt_buf_puts(&json, ",\"type\":");
		vt_json_str(&json, type.p, type.n);
		vt_buf_putc(&json, '}');
	}
	vt_buf_puts(&json, "]}");
	ok = vt_deploy_put(c, vt_deploy_is_json(c) ? &json : &b, VT_FILE_PRIVATE);
	vt_buf_free(&b);
	vt_buf_free(&json);
	return ok ? DONE : FAILED;
}

static int
put_nothing(vt_deploy *c, bool running)
{
	const char *status = running ? "running" : "undeployed";
	vt_buf b = {0};
	bool ok;
	if (vt_deploy_is_json(c)) {
		vt_buf_puts(&b, "{\"package\":");
		vt_json_str(&b, vt_deploy_name(c), strlen(vt_deploy_name(c)));
		vt_buf_puts(&b, ",\"version\":");
		vt_json_str(&b, package_version(c), strlen(package_version(c)));
		vt_buf_printf(&b, ",\"status\":\"%s\",\"objects\":[]}", status);
	} else {
		vt_buf_printf(&b, "%s %s: %s", vt_deploy_name(c), package_version(c), status);
	}
	ok = vt_deploy_put(c, &b, 0);
	vt_buf_free(&b);
	return ok ? DONE : FAILED;
}

static bool
is_running(const char *state)
{
	char *dir = vt_deploy_logs_of(state), *run = vt_asprintf("%s/run.log", dir),
	     *undeploy = vt_asprintf("%s/undeploy.log", dir);
	bool held = vt_log_is_held(run) || vt_log_is_held(undeploy);
	free(undeploy);
	free(run);
	free(dir);
	return held;
}

/* The page says how the last run ended, as the text does. */
static int
put_status_page(vt_deploy *c, mugl *g, bool running)
{
	mugl_text status = outcome(g, "status", "deployed"), why = outcome(g, "why", NULL);
	vt_buf line = {0}, more = {0};
	int rc;
	vt_buf_printf(&line, "%s: ", package_version(c));
	vt_buf_put(&line, running ? "running" : status.p, running ? strlen("running") : status.n);
	if (why.p && !running) {
		vt_buf_puts(&line, ": ");
		vt_buf_put(&line, why.p, why.n);
	}
	vt_buf_puts(&more, ",\"summary\":");
	vt_put_json_repaired(&more, line.p, line.n);
	vt_buf_putc(&more, '\0');
	rc = vt_deploy_put_page(c, g, NULL, more.p);
	vt_buf_free(&line);
	vt_buf_free(&more);
	return rc;
}

int
vt_deploy_status(vt_deploy *c)
{
	char *path = vt_deploy_state_path(c);
	bool broken, running = is_running(path);
	mugl *g = read_state(c, path, &broken);
	int rc = broken ? FAILED : DONE;
	if (g == NULL && !broken) {
		if (c->o->html)
			vt_say("%s: nothing is deployed: there is no page to be made\n", c->self);
		if (!running)
			vt_say_no_state(c->self, c->o->snapshot);
		rc = put_nothing(c, running) == DONE && !c->o->html ? DONE : FAILED;
	} else if (g != NULL) {
		if (c->o->html)
			rc = put_status_page(c, g, running);
		rc |= put_status(c, g, running);
	}
	mugl_free(g);
	free(path);
	return rc == DONE ? DONE : FAILED;
}

/* ---- undeploy ---- */

/* What there is becomes what there was: loading such a model takes all of it down. */
static vt_status
without_objects(vt_rt *rt, const mugl *g, vt_value *out)
{
	vt_value model = VT_UNDEF;
	vt_dict *d;
	VT_TRY(mugl_to_model(rt, g, &model));
	d = vt_dict_copy(rt, vt_as_dict(model), false);
	vt_dict_set_c(rt, d, "ObjectsCopy", vt_copy(vt_dict_get_c(vt_as_dict(model), "Objects")));
	vt_dict_set_c(rt, d, "Objects", VT_NULL);
	vt_release(model);
	*out = vt_mkptr(d);
	return VT_OK;
}

static int
take_down(vt_deploy *c, const mugl *g, const char *path)
{
	vt_value model = VT_UNDEF;
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	rc = FAILED;
	vt_deploy_take_stamp(rt, g);
	if (without_objects(rt, g, &model) == VT_OK) {
		vt_deploy_take_rest(rt, g, model);
		c->undoes = true;
		rc = vt_deploy_undo(c, rt, model);
		if (rc == DONE && !rt->s->dry_run && unlink(path) != 0) {
			vt_say("%s: %s: %s\n", c->self, path, strerror(errno));
			rc = FAILED;
		}
	} else {
		vt_exception_print(c->self, path, NULL, vt_pending(rt));
		vt_exc_clear(rt);
	}
	vt_release(model);
	vt_rt_free(rt);
	return rc;
}

int
vt_deploy_undeploy(vt_deploy *c)
{
	char *path = vt_deploy_state_path(c);
	bool broken;
	mugl *g = read_state(c, path, &broken);
	int rc = FAILED;
	if (g == NULL && !broken) {
		vt_say_undeployed(c->self, path);
	} else if (g != NULL) {
		if (!c->o->dry_run && c->o->scenario == NULL)
			vt_deploy_begin_log(c, "undeploy");
		rc = take_down(c, g, path);
		vt_deploy_end_log(c);
	}
	mugl_free(g);
	free(path);
	return rc;
}

/* ---- drift ---- */

static int
put_drift_page(vt_deploy *c, vt_rt *rt, vt_value found, const mugl *g)
{
	vt_buf more = {0};
	int rc;
	vt_buf_puts(&more, ",\"stacks\":");
	vt_json_write(rt, &more, found, 0);
	vt_buf_putc(&more, '\0');
	rc = vt_deploy_put_page(c, g, NULL, more.p);
	vt_buf_free(&more);
	return rc;
}

static int
put_drift(vt_deploy *c, vt_rt *rt, vt_value found, const mugl *g)
{
	const uint32_t nobjects = mugl_count(g);
	const vt_list *l = vt_as_list(found);
	uint32_t drifted = 0;
	vt_buf b = {0};
	bool ok;
	for (uint32_t i = 0; i < l->n; i++) {
		const vt_dict *one = vt_as_dict(l->v[i]);
		vt_value why = vt_dict_get_c(one, "why"), name = vt_dict_get_c(one, "name");
		uint32_t n = vt_as_list(why)->n;
		drifted += n > 0;
		vt_buf_puts(&b, "stack ");
		vt_put_printable(&b, vt_as_str(name)->s, vt_as_str(name)->bytes);
		vt_buf_puts(&b, n ? ": has drifted\n" : ": as it should be\n");
		for (uint32_t k = 0; k < n; k++) {
			const vt_str *s = vt_as_str(vt_as_list(why)->v[k]);
			vt_buf_puts(&b, "    ");
			vt_put_printable(&b, s->s, s->bytes);
			vt_buf_putc(&b, '\n');
		}
	}
	vt_redact(&b, 0);
	vt_buf_printf(&b, "drift: %u drifted, %u as they should be", drifted, l->n - drifted);
	if (l->n == 0)
		vt_buf_printf(&b, "; %u %s no stack to compare with", nobjects,
			nobjects == 1 ? "object has" : "objects have");
	if (vt_deploy_is_json(c)) {
		b.n = 0;
		vt_buf_printf(&b, "{\"status\":\"%s\",\"stacks\":",
			drifted ? "drifted"
			: l->n  ? "in sync"
				: "unchecked");
		vt_json_write(rt, &b, found, 0);
		vt_buf_putc(&b, '}');
	}
	ok = vt_deploy_put(c, &b, VT_FILE_PRIVATE);
	vt_buf_free(&b);
	if (c->o->html)
		ok &= put_drift_page(c, rt, found, g) == DONE;
	return ok && !drifted ? DONE : FAILED;
}

static int
look(vt_deploy *c, mugl *g)
{
	const mugl_node *kept = mugl_get(mugl_header(g), KEY("stacks"));
	vt_value stacks, found = VT_UNDEF;
	vt_status st = VT_OK;
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	stacks = kept && kept->kind == MUGL_ARRAY ? mugl_to_value(g, rt, kept, "#ref")
						  : vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, 0));
	vt_interrupt_watch(rt);
	if (&vt_heat_drift != NULL)
		st = vt_heat_drift(rt, stacks, &found);
	else
		found = vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, 0));
	vt_interrupt_end(rt);
	if (st == VT_OK) {
		rc = put_drift(c, rt, found, g);
	} else {
		vt_exception_print(c->self, NULL, NULL, vt_pending(rt));
		vt_exc_clear(rt);
		rc = FAILED;
	}
	vt_release(found);
	vt_release(stacks);
	vt_rt_free(rt);
	return rc;
}

int
vt_deploy_drift(vt_deploy *c)
{
	char *path = vt_deploy_state_path(c);
	bool broken;
	mugl *g = read_state(c, path, &broken);
	int rc = FAILED;
	if (g != NULL)
		rc = look(c, g);
	else if (!broken)
		vt_say_undeployed(c->self, path);
	mugl_free(g);
	free(path);
	return rc;
}

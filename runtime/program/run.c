/* run.c - `run`, `call` and `session` of a deploy binary: methods of a model, or of none. */
#include "runtime/cloud/cloud.h"
#include "runtime/program/deploy.h"
#include "runtime/program/program.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"
#include "runtime/text/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- run ---- */

vt_status
vt_deploy_target(vt_deploy *c, vt_rt *rt, vt_value *out)
{
	const char *id = c->o->object;
	vt_value text;
	vt_object *o;
	if (id == NULL) {
		*out = vt_copy(rt->s->root);
		return *out != VT_NULL || c->o->call == NULL
			       ? VT_OK
			       : vt_raise(rt, VT_E_VALUE,
					 "the model has no Objects: there is nothing to call");
	}
	text = vt_str_c(rt, id);
	o = vt_store_find(rt, vt_as_str(text));
	vt_release(text);
	if (o != NULL)
		*out = vt_copy(vt_mkptr(o));
	return o != NULL ? VT_OK
			 : vt_raise(rt, VT_E_NO_OBJECT,
				   "Object \"%s\" is not found in object store", id);
}

/* The snapshot while the run is under way is what it began with. */
static vt_status
save_beginning(vt_deploy *c, vt_rt *rt)
{
	mugl *g = mugl_from_model(rt, rt->s->root);
	bool ok;
	if (g == NULL)
		return VT_ERROR;
	vt_deploy_mark(c, g, NULL);
	vt_deploy_put_stamp(rt, g);
	ok = vt_deploy_put_rest(rt, g) && vt_deploy_save(c->o->snapshot, g);
	mugl_free(g);
	return ok ? VT_OK : vt_raise(rt, VT_E_OS, "%s cannot be written", c->o->snapshot);
}

/* Beside a snapshot, where the program has something to do outside. */
static bool
is_journaled(const vt_deploy *c)
{
	return c->o->snapshot != NULL && c->program->nnatives > 0 && !vt_is_special(c->o->snapshot);
}

static bool
open_journal(vt_deploy *c, vt_rt *rt)
{
	const char *const is[] = {"model", c->o->model, "call", c->o->call, "object", c->o->object,
		"args", c->o->args, NULL};
	char *path;
	bool ok;
	if (!is_journaled(c))
		return true;
	path = vt_asprintf("%s.journal", c->o->snapshot);
	ok = vt_deploy_journal(c, rt, path, is);
	free(path);
	return ok;
}

/* What the run that was killed began with; NULL graph: it had no marks. */
static bool
go_on(vt_deploy *c, vt_value graph)
{
	mugl *g;
	vt_say("%s: goes on with the run that was interrupted, from %s.journal\n", c->self,
		c->o->snapshot);
	c->resumes = true;
	if (graph == VT_UNDEF)
		return true;
	g = vt_deploy_graph(c->o->snapshot, vt_as_str(graph)->s, vt_as_str(graph)->bytes);
	if (g != NULL)
		c->marks = mugl_clone(g);
	mugl_free(g);
	return c->marks != NULL;
}

void
vt_deploy_find_stamp(vt_deploy *c, vt_rt *rt)
{
	mugl_options options = {.snapshot = true, .max_depth = 1000};
	mugl_problems quiet = {0};
	mugl *g = rt->s->dry_run || access(c->o->snapshot, R_OK) != 0
			  ? NULL
			  : mugl_read_file(c->o->snapshot, &options, &quiet);
	if (g != NULL)
		vt_deploy_take_stamp(rt, g);
	mugl_problems_free(&quiet);
	mugl_free(g);
}

static bool
begin_journal(vt_deploy *c, vt_rt *rt, vt_value model)
{
	mugl_problems bad = {0};
	vt_buf marks = {0};
	bool ok;
	if (!is_journaled(c))
		return true;
	ok = c->marks == NULL || mugl_write(c->marks, 0, &marks, &bad);
	mugl_problems_print(&bad, c->o->model, NULL, 0, stderr);
	mugl_problems_free(&bad);
	ok = ok && vt_journal_start(rt, model, marks.p, marks.n);
	vt_buf_free(&marks);
	return ok;
}

/* Of the run that was interrupted, or the one that is given. */
static bool
find_model(vt_deploy *c, vt_rt *rt, vt_value *model)
{
	vt_value graph = VT_UNDEF;
	if (!open_journal(c, rt))
		return false;
	if (is_journaled(c))
		vt_deploy_find_stamp(c, rt);
	if (vt_journal_model(rt, model, &graph))
		return go_on(c, graph);
	return vt_deploy_read_model(c, rt, c->o->model, model) && begin_journal(c, rt, *model);
}

/*
 * What the model lost since the last run.  The reference goes on when that fails and forgets it,
 * stacks included; where the cloud did not answer, the next run may do better.
 */
static vt_status
take_down(vt_rt *rt)
{
	vt_store_take_down(rt);
	if (rt->s->dry_run || !rt->s->cloud_left)
		return VT_OK;
	return vt_raise(rt, VT_E_CLOUD,
		"what the model has no more could not be taken down: the lines above say why; run "
		"it again, the model is unchanged");
}

/* The methods that may be called, for who has asked for another. */
static void
name_methods(vt_deploy *c, vt_rt *rt, vt_value target)
{
	vt_buf b = {0};
	uint32_t n = 0;
	if (!vt_is(target, OBJECT) || vt_pending(rt)->type != VT_E_NO_METHOD_NAME)
		return;
	const vt_class_decl *k = vt_obj_of(target)->cls->decl;
	for (uint32_t i = 0; i < k->nmethods; i++)
		if (k->methods[i]->is_public)
			vt_buf_printf(&b, "%s%s",
				n++ ? ", " : "public methods: ", k->methods[i]->name->s);
	if (n == 0)
		vt_buf_printf(&b, "%s has no public method", k->name->s);
	vt_buf_putc(&b, '\0');
	c->hint = b.p;
}

static int
run_model(vt_deploy *c, vt_rt *rt, vt_value model)
{
	vt_value args = VT_NULL, kwargs = VT_NULL, target = VT_UNDEF, out = VT_UNDEF;
	const char *method = c->o->call ? c->o->call : "deploy";
	vt_status st;
	bool loaded;
	int rc;
	if (!vt_deploy_arguments(c, rt, &args, &kwargs)) {
		vt_journal_close(rt, !c->resumes);
		return USAGE;
	}
	loaded = vt_load_model(rt, model, VT_NULL);
	st = loaded ? VT_OK : VT_ERROR;
	if (st == VT_OK && c->o->diff && (c->before = mugl_from_model(rt, rt->s->root)) == NULL)
		st = VT_ERROR;
	if (st == VT_OK)
		st = vt_deploy_target(c, rt, &target);
	if (st == VT_OK && (st = take_down(rt)) != VT_OK)
		loaded = false; /* the model is what it was */
	if (st == VT_OK && is_journaled(c) && !c->resumes)
		st = save_beginning(c, rt);
	if (st == VT_OK && target == VT_NULL &&
		vt_dict_get_c(vt_as_dict(model), "Objects") == VT_UNDEF)
		vt_say("%s: %s has no Objects, so no method is called\n", c->self, c->o->model);
	if (st == VT_OK && target == VT_NULL)
		out = VT_NULL; /* that was all: the whole of it is gone */
	else if (st == VT_OK)
		st = vt_deploy_call_public(rt, target, method, args, kwargs, &out);
	if (st != VT_OK && !loaded && strcmp(c->o->model, "-") != 0)
		c->hint = vt_asprintf(
			"`vetro check PACKAGE --model %s` finds all that is wrong", c->o->model);
	else if (st != VT_OK && target != VT_UNDEF)
		name_methods(c, rt, target);
	vt_release(target);
	rc = vt_deploy_finish(c, rt, st, out, model, loaded);
	mugl_free(c->before);
	free(c->hint);
	vt_release(args);
	vt_release(kwargs);
	return rc;
}

static void
put_method(vt_buf *b, const vt_hold *h)
{
	const char *name = h->method->name->s, *cls = h->method->cls->name->s;
	const char *dot = strrchr(cls, '.');
	vt_buf_printf(b, "%s.%s", dot ? dot + 1 : cls, name);
	if (vt_is(h->self, OBJECT)) {
		const vt_object *o = vt_obj_of(h->self);
		vt_value known = vt_is(o->name, STR) ? o->name : o->id;
		if (vt_is(known, STR))
			vt_buf_printf(b, " of %s", vt_as_str(known)->s);
	}
}

/* Of tasks: only one may be in one method of one object. */
static void
tell_waiting(vt_rt *rt, const vt_hold *waits, const vt_hold *for_it)
{
	vt_buf b = {0};
	if (rt->s->counts_from > 0)
		vt_buf_printf(
			&b, "[%u, %.0f s] ", ++rt->s->events, vt_clock() - rt->s->counts_from);
	if (waits != NULL)
		put_method(&b, waits);
	else
		vt_buf_puts(&b, "a task");
	vt_buf_puts(&b, " waits for ");
	put_method(&b, for_it);
	vt_buf_puts(&b, ", which another task runs");
	vt_report_event(&b);
}

/* A terminal gets all there is to know, with a count and seconds; else an event is one line. */
static void
show_progress(const vt_deploy *c, vt_rt *rt)
{
	bool terminal = isatty(STDERR_FILENO);
	if (c->o->quiet || (c->program->nnatives == 0 && !terminal))
		return;
	rt->s->waits = tell_waiting;
	rt->s->progress |= terminal;
	rt->s->tells = !rt->s->dry_run;
	rt->s->counts_from = terminal ? c->began : 0;
}

int
vt_deploy_undo(vt_deploy *c, vt_rt *rt, vt_value model)
{
	int rc;
	c->resumes = true; /* no journal, and nothing is written before the end */
	c->began = vt_clock();
	show_progress(c, rt);
	rt->s->noticed = vt_keep_notice;
	vt_interrupt_watch(rt);
	rc = run_model(c, rt, model);
	return rc;
}

bool
vt_deploy_try(vt_deploy *c, vt_rt *rt, vt_value model, bool *loaded)
{
	vt_value args = VT_NULL, kwargs = VT_NULL, target = VT_UNDEF, out = VT_UNDEF;
	vt_status st = VT_ERROR;
	*loaded = false;
	vt_interrupt_watch(rt);
	if (vt_deploy_arguments(c, rt, &args, &kwargs) &&
		(*loaded = vt_load_model(rt, model, VT_NULL)))
		st = vt_deploy_target(c, rt, &target);
	if (st == VT_OK && target != VT_NULL)
		st = vt_deploy_call_public(
			rt, target, c->o->call ? c->o->call : "deploy", args, kwargs, &out);
	vt_interrupt_end(rt);
	vt_release(target);
	vt_release(out);
	vt_release(args);
	vt_release(kwargs);
	return st == VT_OK;
}

int
vt_deploy_run(vt_deploy *c)
{
	vt_value model = VT_UNDEF;
	vt_rt *rt;
	int rc;
	rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	rc = FAILED;
	c->began = vt_clock();
	c->keeps = !rt->s->dry_run && !c->o->snapshot && !c->o->call && !c->o->object;
	if (!rt->s->dry_run && (c->keeps || c->o->snapshot) && c->program->nnatives > 0)
		vt_deploy_begin_log(c, "run");
	show_progress(c, rt);
	rt->s->noticed = vt_keep_notice;
	vt_interrupt_watch(rt);
	if (find_model(c, rt, &model))
		rc = run_model(c, rt, model);
	vt_journal_close(rt, false);
	vt_deploy_end_log(c);
	mugl_free(c->marks);
	vt_release(model);
	vt_rt_free(rt);
	return rc;
}

/* ---- call, session ---- */

static int
call_static(vt_deploy *c, vt_rt *rt)
{
	vt_value args = VT_NULL, kwargs = VT_NULL, out = VT_UNDEF;
	vt_status st = VT_ERROR;
	vt_class *cls;
	int rc;
	if (!vt_deploy_arguments(c, rt, &args, &kwargs))
		return USAGE;
	cls = vt_class_named(rt, c->o->line.words.v[0]);
	if (cls != NULL)
		st = vt_deploy_call_public(
			rt, cls->typeref, c->o->line.words.v[1], args, kwargs, &out);
	rc = vt_deploy_finish(c, rt, st, out, VT_UNDEF, false);
	vt_release(args);
	vt_release(kwargs);
	return rc;
}

int
vt_deploy_call(vt_deploy *c)
{
	int rc;
	vt_rt *rt;
	rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	rt->s->noticed = vt_keep_notice;
	vt_interrupt_watch(rt);
	rc = call_static(c, rt);
	vt_rt_free(rt);
	return rc;
}

static bool
keep_after_call(vt_rt *rt, void *cli)
{
	vt_deploy *c = cli;
	return c->o->snapshot == NULL || vt_deploy_keep(c, rt, NULL);
}

int
vt_deploy_session(vt_deploy *c)
{
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	rt->s->after_call = c->o->snapshot != NULL ? keep_after_call : NULL;
	rt->s->after_call_ctx = c;
	vt_interrupt_watch(rt);
	rc = FAILED;
	if (vt_session_journal(c, rt)) {
		rc = vt_session_loop(rt, stdin, stdout);
		rc = vt_session_forget(c, rt, rc);
	}
	vt_interrupt_end(rt);
	vt_rt_free(rt);
	return rc;
}

/*
 * answer.c - what the commands of a deploy binary answer: results, errors, the model after a run,
 * its snapshot and what it changed.
 *
 * Results go to standard output or to --output, which is written beside its place and renamed, so
 * that a reader never sees half of it; everything else goes to standard error.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/program/deploy.h"
#include "runtime/program/exception.h"
#include "runtime/program/program.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MODEL_PIECE = 256 << 10, /* of a model's text; the whole may have gigabytes */
	RESULT_AT = sizeof "{\"result\":" - 1
};

/* The answer of a command, with a line's end. What shows objects is private: nobody knows which
 * properties are passwords. */
bool
vt_deploy_put(vt_deploy *c, vt_buf *b, unsigned flags)
{
	vt_buf_putc(b, '\n');
	return vt_put_output(c->self, c->o->output, b, flags);
}

/* ---- snapshots ---- */

/* What there is to write has the marks of what was read. */
bool
vt_deploy_mark(const vt_deploy *c, mugl *g, mugl_problems *bad)
{
	if (c->marks == NULL)
		return true;
	mugl_carry_flags(c->marks, g);
	return bad == NULL || mugl_flags_allow(c->marks, g, bad);
}

bool
vt_deploy_save(const char *path, const mugl *g)
{
	mugl_problems bad = {0};
	vt_buf b = {0};
	bool ok = mugl_write(g, MUGL_DIGEST, &b, &bad);
	vt_interrupt_block(true);
	if (ok && vt_is_special(path) && !(ok = vt_write_special(path, b.p, b.n)))
		vt_say("%s: %s\n", path, strerror(errno));
	else if (ok && !vt_is_special(path))
		ok = mugl_replace_file(path, b.p, b.n, &bad);
	vt_interrupt_block(false);
	mugl_problems_print(&bad, path, NULL, 0, stderr);
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	return ok;
}

bool
vt_deploy_is_json(const vt_deploy *c)
{
	return c->o->form != NULL && strcmp(c->o->form, "json") == 0;
}

static void
put_changes(vt_deploy *c, const mugl *after, vt_buf *answer)
{
	mugl_plan *plan = mugl_diff_by_id(c->before, after, false);
	vt_buf text = {0};
	if (vt_deploy_is_json(c)) {
		vt_buf_puts(answer, ",\"diff\":");
		mugl_plan_json(plan, answer);
	} else {
		mugl_plan_text(plan, &text, vt_wants_colour(stderr));
		vt_buf_print(&text, stderr);
	}
	mugl_plan_free(plan);
}

static const char stamp_name[] = "stamp";

/* Of plans for agents, which drop those that are not newer: for the run that comes next. */
void
vt_deploy_put_stamp(const vt_rt *rt, mugl *g)
{
	int64_t n = rt->s->stamp > rt->s->stamp_before ? rt->s->stamp : rt->s->stamp_before;
	if (n > 0 && !rt->s->dry_run)
		mugl_put(g, mugl_header(g), stamp_name, sizeof stamp_name - 1, mugl_int(n));
}

static const char system_name[] = "system";

/* What of a model is not objects goes into the header. */
bool
vt_deploy_put_rest(vt_rt *rt, mugl *g)
{
	const char *why = "";
	mugl_node n;
	if (rt->s->kept == VT_NULL)
		return true;
	if (!mugl_from_value(g, rt, rt->s->kept, NULL, &n, &why)) {
		vt_say("SystemData cannot be in a snapshot: %s\n", why);
		return false;
	}
	mugl_put(g, mugl_header(g), system_name, sizeof system_name - 1, n);
	return true;
}

void
vt_deploy_take_rest(vt_rt *rt, const mugl *g, vt_value model)
{
	const mugl_node *n =
		mugl_get(mugl_header((mugl *)(uintptr_t)g), system_name, sizeof system_name - 1);
	vt_value rest;
	if (n == NULL)
		return;
	rest = mugl_to_value(g, rt, n, "#ref");
	vt_model_rest(rt, rest, vt_as_dict(model));
	vt_release(rest);
}

void
vt_deploy_take_stamp(vt_rt *rt, const mugl *g)
{
	const mugl_node *n =
		mugl_get(mugl_header((mugl *)(uintptr_t)g), stamp_name, sizeof stamp_name - 1);
	if (n != NULL && n->kind == MUGL_INT && n->i > rt->s->stamp_before)
		rt->s->stamp_before = n->i;
}

/* The objects as they are now: --snapshot and --diff. */
bool
vt_deploy_keep(vt_deploy *c, vt_rt *rt, vt_buf *answer)
{
	mugl_problems bad = {0};
	mugl *g;
	bool ok;
	if (c->o->snapshot == NULL && c->before == NULL)
		return true;
	g = mugl_from_model(rt, rt->s->root);
	if (g == NULL) {
		vt_exception_print(c->self, NULL, "no snapshot", vt_pending(rt));
		vt_exc_clear(rt);
		return false;
	}
	vt_deploy_put_stamp(rt, g);
	ok = vt_deploy_put_rest(rt, g);
	ok &= vt_deploy_mark(c, g, &bad);
	mugl_problems_print(&bad, c->o->model, NULL, 0, stderr);
	mugl_problems_free(&bad);
	if (c->o->snapshot != NULL)
		ok &= vt_deploy_save(c->o->snapshot, g);
	if (c->before != NULL)
		put_changes(c, g, answer);
	mugl_free(g);
	return ok;
}

/* ---- answers ---- */

/* The pending exception: its JSON into b, its text to standard error. */
void
vt_deploy_put_error(vt_deploy *c, vt_rt *rt, vt_buf *b)
{
	vt_buf_puts(b, "\"error\":");
	vt_encode_error(rt, b, vt_pending(rt));
	vt_exception_print_with(c->self, c->hint, vt_pending(rt));
	vt_exc_clear(rt);
}

/* After vt_end_run().  A run that fails loses no model: what was not loaded, or cannot be written,
 * stays as it was given. */
static void
put_model(vt_rt *rt, vt_buf *b, vt_value given, bool loaded, const vt_sink *sink)
{
	vt_buf_puts(b, ",\"model\":");
	if (!loaded) {
		vt_json_write(rt, b, given, 0);
		return;
	}
	rt->act = NULL;
	rt->depth = 0;
	if (vt_write_model(rt, rt->s->root, b, sink) != VT_OK) {
		vt_json_write(rt, b, given, 0);
		vt_buf_puts(b, ",\"model_error\":");
		vt_encode_error(rt, b, vt_pending(rt));
		vt_exc_clear(rt);
	}
}

static void
put_traces(vt_rt *rt, vt_buf *b)
{
	vt_lua_drain_traces(rt);
	if (vt_as_list(rt->s->traces)->n == 0)
		return;
	vt_buf_puts(b, ",\"traces\":");
	vt_encode_traces(rt, b);
}

/*
 * The end of a run as the reference has it: objects that the model does not hold are destroyed, and
 * hosts are waited for.  What fails there fails a run that was good so far.
 */
vt_status
vt_end_run(vt_rt *rt, vt_status st, bool loaded)
{
	vt_value pending = st == VT_OK ? VT_UNDEF : vt_exc_take(rt);
	vt_status end = VT_OK;
	rt->act = NULL;
	rt->depth = 0;
	if (loaded)
		vt_store_sweep(rt, rt->s->root);
	if (rt->s->cloud_finish != NULL)
		end = rt->s->cloud_finish(rt);
	if (st == VT_OK)
		return end;
	vt_exc_clear(rt);
	vt_exc_set(rt, pending);
	return st;
}

static void
put_effects(vt_rt *rt, vt_buf *b)
{
	vt_value v;
	if (!rt->s->dry_run)
		return;
	v = vt_effects(rt);
	vt_buf_puts(b, ",\"effects\":");
	vt_encode_result(rt, b, v);
	vt_release(v);
}

/* What murano-api would have been told. */
static void
put_notices(vt_rt *rt, vt_buf *b)
{
	if (rt->s->notices == VT_UNDEF)
		return;
	vt_buf_puts(b, ",\"notifications\":");
	vt_encode_result(rt, b, rt->s->notices);
}

/* Where an answer goes: in one line, or laid out as somebody asked for. */
struct answer {
	bool people; /* a terminal gets a summary instead */
	vt_output to;
	vt_json_pieces pieces;
};

static void
put_piece(void *answer, const char *p, size_t n)
{
	struct answer *a = answer;
	vt_buf b = {0};
	if (a->people)
		return;
	if (a->pieces.flags) {
		vt_json_lay_out(&a->pieces, &b, p, n);
		p = b.p;
		n = b.n;
	}
	if (n > 0)
		vt_output_put(&a->to, p, n);
	vt_buf_free(&b);
}

/* "TYPE: TEXT" of what is pending, without secrets; malloc'd. */
static char *
message_of(vt_rt *rt)
{
	vt_buf b = {0};
	vt_exc_str(rt, &b, vt_pending(rt));
	vt_redact(&b, 0);
	vt_buf_putc(&b, '\0');
	return b.p;
}

/* {"result" or "error", "model", "effects", "notifications", "traces"}; gives out up.  given: the
 * model to begin with, or VT_UNDEF. */
int
vt_deploy_finish(vt_deploy *c, vt_rt *rt, vt_status st, vt_value out, vt_value given, bool loaded)
{
	vt_buf b = {0}, summary = {0}, result = {0};
	bool asked = c->o->tab || c->o->indent >= 0;
	struct answer a = {.people = vt_deploy_is_for_people(c),
		.to = {.self = c->self,
			.path = c->o->output,
			.flags = VT_FILE_PRIVATE | VT_FILE_DURABLE},
		.pieces = {vt_json_layout(c->o->compact || !asked, c->o->tab, c->o->indent)}};
	const vt_sink sink = {.piece = MODEL_PIECE, .put = put_piece, .ctx = &a};
	bool written, kept = true;
	char *why = NULL;
	vt_interrupt_end(rt);
	bool good = st == VT_OK;
	st = vt_end_run(rt, st, loaded);
	if (good && st != VT_OK)
		vt_clear(&out);
	vt_buf_putc(&b, '{');
	if (st == VT_OK) {
		vt_buf_puts(&b, "\"result\":");
		vt_encode_result(rt, &b, out);
		if (a.people)
			vt_deploy_put_summary(
				c, rt, &summary, true, b.p + RESULT_AT, b.n - RESULT_AT);
		if (c->o->html)
			vt_buf_put(&result, b.p + RESULT_AT, b.n - RESULT_AT);
		vt_release(out);
	} else {
		if (a.people)
			vt_deploy_put_summary(c, rt, &summary, false, NULL, 0);
		why = message_of(rt);
		vt_deploy_put_error(c, rt, &b);
	}
	if (given != VT_UNDEF)
		put_model(rt, &b, given, loaded, &sink);
	if (loaded) {
		kept = vt_deploy_keep(c, rt, &b);
		vt_deploy_keep_state(c, rt, st == VT_OK, why);
	}
	if (c->o->html)
		kept &= vt_deploy_put_run_page(c, rt, why, &result);
	free(why);
	vt_buf_free(&result);
	put_effects(rt, &b);
	put_notices(rt, &b);
	put_traces(rt, &b);
	vt_buf_puts(&b, "}\n");
	put_piece(&a, b.p, b.n);
	if (summary.n)
		vt_output_put(&a.to, summary.p, summary.n);
	vt_buf_free(&summary);
	written = vt_output_end(&a.to);
	/* last of all: until here a kill would leave somebody who does not know */
	vt_journal_close(rt, kept && written && vt_interrupt_over() == 0);
	vt_buf_free(&b);
	return st == VT_OK && written && kept ? DONE : FAILED;
}

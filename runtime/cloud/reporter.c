/*
 * reporter.c - io.murano.system.StatusReporter (muranopl-engine.md, appendix A).
 *
 * The reference gives reports to its message bus, where its API and dashboard listen.  A program
 * has its reports as lines on standard error, in its answer, and as effects of a dry run.
 */
#include "runtime/cloud/native_class.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void
drop_reporter(void *data)
{
	vt_release((vt_value)(uintptr_t)data);
}

/* The environment's id: of the object, or the text that was given. */
vt_status vt_reporter_new(vt_args *, vt_value *out);
vt_status
vt_reporter_new(vt_args *a, vt_value *out)
{
	vt_value env = vt_new_arg(a, "environment");
	vt_object *o = vt_obj_of(a->self);
	if (!vt_is(env, STR) && !vt_is(env, OBJECT) && !vt_is(env, CAST))
		return env == VT_NULL ? vt_no_arg(a, "environment")
				      : vt_no_attribute(a->rt, env, "id");
	vt_object_set_native(o,
		(void *)(uintptr_t)vt_copy(vt_is(env, STR) ? env : vt_obj_of(env)->id),
		drop_reporter);
	*out = VT_NULL;
	return VT_OK;
}

static void
write_line(vt_rt *rt, const char *level, vt_value id, vt_value text)
{
	vt_buf b = {0};
	if (rt->s->dry_run && !rt->s->progress)
		return;
	vt_buf_printf(&b, "%s ", level);
	vt_pystr(rt, &b, id);
	vt_buf_puts(&b, ": ");
	vt_pystr(rt, &b, text);
	vt_report_record(&b);
}

/* UTC, as Python's isoformat() has it. */
static vt_value
timestamp(vt_rt *rt)
{
	struct timespec t;
	struct tm tm;
	char text[64];
	size_t n;
	vt_wall_clock(rt, &t);
	gmtime_r(&t.tv_sec, &tm);
	n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (t.tv_nsec >= 1000)
		snprintf(text + n, sizeof text - n, ".%06ld", t.tv_nsec / 1000);
	return vt_str_c(rt, text);
}

/* As murano-api gets it. */
static void
notify(vt_rt *rt, vt_value env, const vt_value row[3], bool again)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "id", vt_copy(row[1]));
	vt_dict_set_c(rt, d, "text", vt_copy(row[2]));
	vt_dict_set_c(rt, d, "details", VT_NULL);
	vt_dict_set_c(rt, d, "level", vt_copy(row[0]));
	vt_dict_set_c(rt, d, "environment_id", env == 0 ? VT_NULL : vt_copy(env));
	vt_dict_set_c(rt, d, "timestamp", timestamp(rt));
	vt_notice(rt, "murano.report_notification", vt_mkptr(d), again);
}

static vt_status
report(vt_args *a, const char *level)
{
	vt_value who = a->v[0], row[3], effect = VT_UNDEF;
	vt_value env = (vt_value)(uintptr_t)vt_obj_of(a->self)->more->native;
	vt_done done;
	vt_status st;
	bool again;
	if (who != VT_NULL && !vt_is(who, OBJECT) && !vt_is(who, CAST))
		return vt_no_attribute(a->rt, who, "id");
	row[0] = vt_str_c(a->rt, level);
	row[1] = who != VT_NULL ? vt_obj_of(who)->id : env;
	row[2] = vt_redacted(a->rt, vt_copy(a->v[1]));
	if (row[1] == 0)
		row[1] = VT_NULL;
	st = vt_journal_begin(a->rt, "report", level, row[2], &done);
	again = done.result != VT_UNDEF;
	if (st == VT_OK && !again) {
		vt_journal_end(a->rt, &done, VT_NULL); /* rather lost than reported twice */
		write_line(a->rt, level, row[1], row[2]);
		st = vt_tuple_of(a->rt, 3, row, &effect);
		if (st == VT_OK)
			vt_effect(a->rt, VT_EFFECT_REPORT, effect);
	}
	vt_journal_drop(&done);
	if (st == VT_OK)
		notify(a->rt, env, row, again);
	vt_release(row[0]);
	vt_release(row[2]);
	return st;
}

vt_status vt_reporter_report(vt_args *, vt_value *out);
vt_status
vt_reporter_report(vt_args *a, vt_value *out)
{
	*out = VT_NULL;
	return report(a, "info");
}

vt_status vt_reporter_report_error(vt_args *, vt_value *out);
vt_status
vt_reporter_report_error(vt_args *a, vt_value *out)
{
	*out = VT_NULL;
	return report(a, "error");
}

#define VT_NATIVE_StatusReporter
#include "natives.h"

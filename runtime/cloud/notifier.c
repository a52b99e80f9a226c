/*
 * notifier.c - io.murano.system.InstanceNotifier (muranopl-engine.md, appendix A).
 *
 * murano-api keeps a row for each application and machine that runs, for its statistics.  The
 * engine tells it by notifications; a program has them in its answer, and as effects of a dry run.
 */
#include "runtime/cloud/native_class.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"

/* Of murano's engine: instance_type of a row. */
enum { APPLICATION = 100, CLOUD_INSTANCE = 200 };

static void
drop_notifier(void *data)
{
	vt_release((vt_value)(uintptr_t)data);
}

vt_status vt_notifier_new(vt_args *, vt_value *out);
vt_status
vt_notifier_new(vt_args *a, vt_value *out)
{
	vt_value env = vt_new_arg(a, "environment");
	vt_object *o = vt_obj_of(a->self);
	if (!vt_is(env, OBJECT) && !vt_is(env, CAST))
		return env == VT_NULL ? vt_no_arg(a, "environment")
				      : vt_no_attribute(a->rt, env, "id");
	vt_object_set_native(o, (void *)(uintptr_t)vt_copy(vt_obj_of(env)->id), drop_notifier);
	*out = VT_NULL;
	return VT_OK;
}

/* What names a row. */
static vt_dict *
row_of(vt_args *a, int kind)
{
	vt_value env = (vt_value)(uintptr_t)vt_obj_of(a->self)->more->native;
	vt_dict *d = vt_dict_new(a->rt, false);
	vt_dict_set_c(a->rt, d, "instance", vt_copy(vt_obj_of(a->v[0])->id));
	vt_dict_set_c(a->rt, d, "environment", env == 0 ? VT_NULL : vt_copy(env));
	vt_dict_set_c(a->rt, d, "instance_type", vt_mkint(kind));
	return d;
}

/* An effect is the payload and what is done with the row. */
static void
keep_effect(vt_rt *rt, const char *op, vt_value payload)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_value key, v;
	vt_dict_set_c(rt, d, "op", vt_str_c(rt, op));
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(payload), &i, &key, &v);)
		vt_dict_set_c(rt, d, vt_as_str(key)->s, vt_copy(v));
	vt_effect(rt, VT_EFFECT_INSTANCE, vt_mkptr(d));
}

/* A run that goes on says again in its answer what the one before it had no time to answer. */
static vt_status
tell(vt_args *a, const char *op, const char *event, vt_dict *row)
{
	vt_value payload = vt_mkptr(row);
	vt_done done;
	vt_status st = vt_journal_begin(a->rt, "instance", op, payload, &done);
	const bool again = done.result != VT_UNDEF;
	if (st == VT_OK && !again) {
		vt_journal_end(a->rt, &done, VT_NULL); /* rather lost than counted twice */
		if (a->rt->s->progress)                /* the answer has it */
			vt_progress(a->rt, "%s %s", op, vt_as_str(vt_obj_of(a->v[0])->id)->s);
		keep_effect(a->rt, op, payload);
	}
	vt_journal_drop(&done);
	if (st == VT_OK)
		vt_notice(a->rt, event, payload, again);
	else
		vt_release(payload);
	return st;
}

static vt_status
check_instance(vt_args *a, vt_value *out)
{
	*out = VT_NULL;
	return vt_is(a->v[0], OBJECT) || vt_is(a->v[0], CAST)
		       ? VT_OK
		       : vt_no_attribute(a->rt, a->v[0], "id");
}

static vt_status
track(vt_args *a, int kind, vt_value title, vt_value units)
{
	vt_dict *d = row_of(a, kind);
	vt_value type = vt_mkptr((vt_str *)(uintptr_t)vt_obj_of(a->v[0])->cls->decl->name);
	vt_dict_set_c(a->rt, d, "type_name", vt_copy(type));
	vt_dict_set_c(a->rt, d, "type_title", vt_redacted(a->rt, vt_copy(title)));
	vt_dict_set_c(a->rt, d, "unit_count", vt_copy(units));
	return tell(a, "track", "murano.track_instance", d);
}

vt_status vt_notifier_track_application(vt_args *, vt_value *out);
vt_status
vt_notifier_track_application(vt_args *a, vt_value *out)
{
	VT_TRY(check_instance(a, out));
	return track(a, APPLICATION, a->v[1], a->v[2]);
}

vt_status vt_notifier_track_instance(vt_args *, vt_value *out);
vt_status
vt_notifier_track_instance(vt_args *a, vt_value *out)
{
	VT_TRY(check_instance(a, out));
	return track(a, CLOUD_INSTANCE, VT_NULL, vt_mkint(1));
}

vt_status vt_notifier_untrack_application(vt_args *, vt_value *out);
vt_status
vt_notifier_untrack_application(vt_args *a, vt_value *out)
{
	VT_TRY(check_instance(a, out));
	return tell(a, "untrack", "murano.untrack_instance", row_of(a, APPLICATION));
}

vt_status vt_notifier_untrack_instance(vt_args *, vt_value *out);
vt_status
vt_notifier_untrack_instance(vt_args *a, vt_value *out)
{
	VT_TRY(check_instance(a, out));
	return tell(a, "untrack", "murano.untrack_instance", row_of(a, CLOUD_INSTANCE));
}

#define VT_NATIVE_InstanceNotifier
#include "natives.h"

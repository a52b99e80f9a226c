/*
 * notifier.c - io.murano.system.InstanceNotifier (muranopl-engine.md, appendix A).
 *
 * The reference counts running instances for its statistics by these; nobody collects them from a
 * program, so the arguments are checked and that is all.
 */
#include "runtime/cloud/native_class.h"

vt_status vt_notifier_new(vt_args *, vt_value *out);
vt_status
vt_notifier_new(vt_args *a, vt_value *out)
{
	vt_value env = vt_new_arg(a, "environment");
	if (!vt_is(env, OBJECT) && !vt_is(env, CAST))
		return env == VT_NULL ? vt_no_arg(a, "environment")
				      : vt_no_attribute(a->rt, env, "id");
	*out = VT_NULL;
	return VT_OK;
}

static vt_status
note(vt_args *a, const char *what, vt_value *out)
{
	vt_value instance = a->v[0];
	if (!vt_is(instance, OBJECT) && !vt_is(instance, CAST))
		return vt_no_attribute(a->rt, instance, "id");
	vt_progress(a->rt, "%s %s", what, vt_as_str(vt_obj_of(instance)->id)->s);
	*out = VT_NULL;
	return VT_OK;
}

vt_status vt_notifier_track_application(vt_args *, vt_value *out);
vt_status
vt_notifier_track_application(vt_args *a, vt_value *out)
{
	return note(a, "application runs:", out);
}

vt_status vt_notifier_track_instance(vt_args *, vt_value *out);
vt_status
vt_notifier_track_instance(vt_args *a, vt_value *out)
{
	return note(a, "instance runs:", out);
}

vt_status vt_notifier_untrack(vt_args *, vt_value *out);
vt_status
vt_notifier_untrack(vt_args *a, vt_value *out)
{
	return note(a, "gone:", out);
}

#define VT_NATIVE_InstanceNotifier
#include "natives.h"

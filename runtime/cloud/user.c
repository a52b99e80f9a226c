/*
 * user.c - io.murano.User (muranopl-engine.md, appendix A).  Who runs a program is also who
 * owns its environment.
 */
#include "runtime/cloud/identity.h"

vt_status vt_user_current(vt_args *, vt_value *out);
vt_status
vt_user_current(vt_args *a, vt_value *out)
{
	static const char *const fields[][2] = {{"id", "id"}, {"name", "name"},
		{"domain", "domain_id"}, {"email", "email"}, {NULL, NULL}};
	static const char *const hidden[] = {"links", "enabled", "default_project_id", NULL};
	static const vt_identity user = {"user", "/v3/users/", fields, hidden};
	return vt_identity_object(a, &user, out);
}

#define VT_NATIVE_User
#include "natives.h"

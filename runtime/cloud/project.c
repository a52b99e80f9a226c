/*
 * project.c - io.murano.Project (muranopl-engine.md, appendix A).
 */
#include "runtime/cloud/identity.h"

vt_status vt_project_current(vt_args *, vt_value *out);
vt_status
vt_project_current(vt_args *a, vt_value *out)
{
	static const char *const fields[][2] = {{"id", "id"}, {"name", "name"},
		{"domain", "domain_id"}, {"description", "description"}, {NULL, NULL}};
	static const char *const hidden[] = {"links", "parent_id", "enabled", NULL};
	static const vt_identity project = {"project", "/v3/projects/", fields, hidden};
	return vt_identity_object(a, &project, out);
}

#define VT_NATIVE_Project
#include "natives.h"

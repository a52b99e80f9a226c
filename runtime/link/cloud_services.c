/*
 * cloud_services.c - who answers requests to OpenStack's services.  Only what needs them names this
 * file, and by way of it the real ones.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/core/session.h"

vt_status
vt_services(vt_rt *rt, vt_cloud **out)
{
	vt_cloud *c = vt_cloud_of(rt);
	if (c->request == NULL)
		VT_TRY(rt->s->dry_run ? vt_sim_open(rt, c) : vt_services_real(rt, c));
	*out = c;
	return VT_OK;
}

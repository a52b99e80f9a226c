/*
 * cloud_queues.c - who carries messages to agents and back.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/core/session.h"

#include <stdlib.h>

vt_status
vt_queues_of(vt_rt *rt, vt_cloud **out)
{
	vt_cloud *c = vt_cloud_of(rt);
	if (c->queues == NULL)
		VT_TRY(rt->s->dry_run ? vt_sim_open(rt, c) : vt_queues_real(rt, c));
	*out = c;
	return VT_OK;
}

void
vt_message_drop(vt_message *m)
{
	free((char *)(uintptr_t)m->id);
	m->id = NULL;
	vt_clear(&m->body);
}

/*
 * cloud_queues.c - who carries messages to agents and back.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/core/session.h"

vt_status
vt_queues_of(vt_rt *rt, vt_cloud **out)
{
	vt_cloud *c = vt_cloud_of(rt);
	if (c->queues == NULL)
		VT_TRY(rt->s->dry_run
				? vt_sim_open(rt, c)
				: vt_amqp_queues(rt, &c->queues, &c->queue_ctx, &c->drop_queues));
	*out = c;
	return VT_OK;
}

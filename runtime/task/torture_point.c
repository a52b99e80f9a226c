/*
 * torture_point.c - in a build with CONFIG=torture tasks change at each lock, host function and
 * start of a branch; the file is empty in all others.
 *
 * VETRO_TORTURE_SEED=N, not 0, turns it on and takes one of the first tasks that are ready instead
 * of the first.
 */
#include "runtime/task/int.h"

typedef int vt_torture_point_file; /* an empty file is no C */

#ifdef VT_TORTURE
#include <stdlib.h>

/* xorshift64: the same seed gives the same run. */
uint64_t
vt_torture_random(vt_sched *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random >> 16;
}

void
vt_torture_seed(vt_sched *s)
{
	const char *seed = getenv("VETRO_TORTURE_SEED");
	s->random = seed ? strtoull(seed, NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) : 0;
	if (s->random != 0)
		s->rt->nlocks++; /* no call skips vt_lock, where tasks change */
}

/* Where tasks may change although nothing has to wait. */
vt_status
vt_torture_point(vt_rt *rt)
{
	vt_sched *s = rt->s->sched;
	if (s == NULL || s->random == 0 || s->ready.head == NULL || s->current->cancelled ||
		vt_torture_random(s) % 2 == 0)
		return VT_OK;
	vt_queue_put(&s->ready, &s->current->item);
	return vt_block(s, WAIT_NONE);
}
#endif

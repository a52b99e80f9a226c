/* check.h - operations that say whether what is there is what should be: check.c. */
#ifndef VT_TCHECK_H
#define VT_TCHECK_H

#include "runtime/deploy/deploy.h"

/* The checks of all nodes that are started.  What it runs changes the state in memory: it must have
 * been opened to look, or pretend. */
vt_tplan *vt_tcheck_plan(vt_tosca *, vt_tstate *);
uint32_t vt_tcheck_count(const vt_tplan *, const vt_tnodei *); /* of the node */
bool vt_tcheck_failed(const vt_tplan *, const vt_tnodei *); /* one of them, when all have ended */

#endif

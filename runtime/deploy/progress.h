/* progress.h - what people see of a run while it goes on: run.c tells it, nothing comes back. */
#ifndef VT_TPROGRESS_H
#define VT_TPROGRESS_H

#include "runtime/deploy/deploy.h"

/* Is there something to do for it, other than a mark that is reached? */
bool vt_tprogress_counts(const vt_taction *);
/* A plan begins and ends.  Nothing is left of the display then. */
void vt_tprogress_begin(vt_tdeploy *);
void vt_tprogress_end(vt_tdeploy *);
/* An event of a step: a line behind which the display goes on; more: or NULL. */
void vt_tprogress_event(vt_tdeploy *, const vt_taction *, const char *what, const char *more);
/* On a terminal the seconds go on: draws anew. */
void vt_tprogress_draw(vt_tdeploy *);

#endif

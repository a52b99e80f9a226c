/*
 * workdir.h - a directory for a while: $TMPDIR/vetro-build-XXXXXX, or below /tmp.
 *
 * Its process holds a lock on it.  One that nobody holds is what a killed process has left, and
 * goes when the next one is made.
 */
#ifndef VT_WORKDIR_H
#define VT_WORKDIR_H

#include "runtime/core/base.h"

typedef struct vt_workdir {
	char *path;
	int lock;
} vt_workdir;
/* False: errno; path says where, until vt_workdir_remove. */
bool vt_workdir_make(vt_workdir *);
/* With all that is in it. */
void vt_workdir_remove(vt_workdir *);

#endif

/* logs.h - what runs have printed: files of a folder beside a state. */
#ifndef VT_LOGS_H
#define VT_LOGS_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

typedef struct vt_logs {
	const char *self, *dir;
	const char *state; /* without it nothing was begun yet */
	const char *lock;  /* a file that a run holds as long as it is under way: vt_log_is_held */
	const char *file;  /* what the names of files begin with; or NULL */
	const char *word;  /* what their lines have; or NULL */
	bool follow;       /* until the run has ended that is under way, or the first one */
} vt_logs;
/* To standard output, without secrets, and for a terminal without what it could act on.  The exit
 * status. */
int vt_logs_print(const vt_logs *);
/* Puts the ends of those called OF.STEP, or of all (of NULL); how many logs there are. */
uint32_t vt_logs_ends(const vt_logs *, const char *of, vt_buf *);

#endif

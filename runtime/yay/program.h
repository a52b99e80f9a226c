/* program.h - inside of the binary of a configuration: main.c, and what operators do: operate.c. */
#ifndef VT_YAY_PROGRAM_H
#define VT_YAY_PROGRAM_H

#include "runtime/text/cli.h"
#include "runtime/yay/yay.h"

typedef struct vt_yoptions {
	vt_cli_line line;
#define OPTION(kind, field, ...) VT_CLI_FIELD(kind, field);
#define ALSO(...)
#include "runtime/yay/options.def"
} vt_yoptions;

typedef struct vt_yrun {
	const vt_yprogram *p;
	const vt_yoptions *o;
	vt_rt *rt;
	vt_yay *y;
	const char *self; /* what it was called as */
	vt_buf tried;     /* the names that were looked for last, in quotes */
	char *sought;     /* the include that they are for */
} vt_yrun;

/* ---- main.c ---- */
void vt_yrun_report(const vt_yrun *, const vt_yfault *);

/* ---- operate.c ---- */
/* The commands: the exit status. */
int vt_yrun_plan(vt_yrun *);
int vt_yrun_run(vt_yrun *);
int vt_yrun_status(vt_yrun *);
int vt_yrun_logs(vt_yrun *);
int vt_yrun_undeploy(vt_yrun *);
int vt_yrun_drift(vt_yrun *);

#endif

/* notify.h - notifications of interfaces, which others report: op_outputs.c. */
#ifndef VT_TNOTIFY_H
#define VT_TNOTIFY_H

#include "runtime/deploy/deploy.h"

/* Attributes of the node become what the outputs of its notification say. False: *why, malloc'd, or
 * NULL when the engine has a problem. */
bool vt_tnotified(vt_tdeploy *, vt_tnodei *, const vt_tiface *, const vt_top *,
	struct vt_dict *outputs, char **why);

#endif

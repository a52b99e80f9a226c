/* yay_run.h - cmd_yay.c, yay_batch.c, yay_files.c and yay_show.c: running documents on behalf of a user. */
#ifndef YAY_RUN_H
#define YAY_RUN_H

#include "yay.h"

#include "../runtime/yay.h"

/* Where documents come from: a table of texts (the whole world then), or the file system. */
typedef struct yay_world {
	vc *c;
	vt_rt *rt;
	vt_value files;          /* DICT of texts, or VT_NULL: the file system */
	vt_value secret;         /* DICT of names that are secret, or VT_NULL */
	bool http;               /* may ask the network */
	const char *gpg;         /* the program; NULL: gpg */
	struct yay_opened { const char *name; const vt_ydoc *doc; bool secret; } *opened;
	uint32_t nopened;
} yay_world;

vt_yay_host yay_host_of(yay_world *);
/* NULL: *fault says why, with fault->type NULL where there is no such file. */
const vt_ydoc *yay_world_open(yay_world *, const char *name, bool *secret, yay_fault *fault);
bool yay_world_shows(const yay_world *, const vt_ydoc * /* or NULL */, const char *name); /* may its lines be printed? */
void yay_default_layer(yay_world *, vt_yay *); /* what a host of a search path defines */

/* Functions that --lua files register are class bindings: Lua's are told to *why, malloc'd. */
bool yay_load_lua(yay_world *, const char *const *files, uint32_t n, char **why);
int yay_batch(const char *const *lua, uint32_t nlua);
/* Graphviz's language: the places of a document and what they hold. */
void yay_put_dot(vt_buf *, const vt_ydoc *);

#endif

/* run.h - cmd/yay.c, batch.c, show.c and the openers (files.c, http.c, gpg.c): running documents on
 * behalf of a user. */
#ifndef YAY_RUN_H
#define YAY_RUN_H

#include "compiler/yay/front.h"

#include "runtime/yay/yay.h"

/* A document that was opened: as it was asked for, and the URL that names in it are relative to, or
 * NULL (a file). */
typedef struct yay_opened {
	const char *name;
	const vt_ydoc *doc;
	bool secret;
	const char *base;
} yay_opened;

/* Where documents come from: a table of texts (the whole world then), or the file system and the
 * network. */
typedef struct yay_world {
	vc *c;
	vt_rt *rt;
	vt_value files;     /* DICT of texts, or VT_NULL: the file system */
	vt_value secret;    /* DICT of names that are secret, or VT_NULL */
	const char *gpg;    /* the program; NULL: gpg */
	double gpg_timeout; /* seconds; 0: 120 */
	const char *const *mem;
	uint32_t nmem; /* NAME=TEXT: mem://NAME */
	const char *const *dirs;
	uint32_t ndirs; /* where package:// looks first */
	bool offline, no_cache;
	bool contained;      /* files are those that vc_allowed() gives */
	bool led_out;        /* one was not */
	double http_timeout; /* 0: 60 */
	const char *ca_file;
	struct vt_net *net;
	vt_rt *net_rt;    /* once the network was asked */
	const char *path; /* of the file that was read last; NULL: it was none */
	yay_opened *opened;
	uint32_t nopened;
	const char *hint; /* of the fault that opening ended with last, or NULL */
} yay_world;

vt_yay_host yay_host_of(yay_world *);
/* NULL: *fault says why, with fault->type NULL where there is no such file. */
const vt_ydoc *yay_world_open(yay_world *, const char *name, bool *secret, yay_fault *fault);
/* may its lines be printed? */
bool yay_world_shows(const yay_world *, const vt_ydoc * /* or NULL */, const char *name);
/* how a document was opened, or NULL */
const yay_opened *yay_world_opened(const yay_world *, const vt_ydoc *);
void yay_default_layer(yay_world *, vt_yay *); /* what a host of a search path defines */

/* hint.c: what was likely meant, or NULL */
const char *yay_hint(vc *, const yay_world *, const vt_yfault *);
void yay_world_close(yay_world *); /* http.c: connections */

/* The bytes of a place; text: of the document, or NULL; it stays as it is for the whole run.
 * files.c */
vc_span yay_span(vc *, const char *name, const char *text, uint32_t line, uint32_t col);
/* The same bytes without passwords of URLs, so that places stay where they are; made once. */
const char *yay_shown(vc *, const char *name, const char *text);
/* missing.c: the text of a constant name that a row includes, or NULL. */
const char *yay_included(vc *, const vt_ydoc *, uint32_t row);
bool yay_is_search_path(const vt_ydoc *, uint32_t row);
/* Warns of files that these documents include by a constant name and that are not there; not where
 * `reported` (or NULL) says that somebody has said so. dirs: the search path. */
typedef bool yay_reported_fn(void *ctx, const vt_ydoc *, uint32_t line, uint32_t col);
void yay_warn_missing(const yay_world *, const vt_ydoc *const *docs, uint32_t n,
	const char *const *dirs, uint32_t ndirs, yay_reported_fn *, void *ctx);

/* gpg.c: arena; NULL: *why. path: of the text, or NULL */
char *yay_decrypt(
	yay_world *, const char *path, const char *text, size_t n, size_t *size, const char **why);
/* http.c: arena; NULL: *fault says why, or it is not there. *base: what names in it are relative
 * to. */
char *yay_fetch(yay_world *, const char *url, size_t *n, const char **base, yay_fault *fault);

/* Functions that --lua files register are class bindings: Lua's are reported in *why, malloc'd. */
bool yay_load_lua(yay_world *, const char *const *files, uint32_t n, char **why);
int yay_batch(const char *const *lua, uint32_t nlua, uint32_t passes_off);
/*
 * The configuration, or the part at a place, as a MuGL graph: a mapping is a vertex, whose moniker
 * is its path below `name`, and a mapping in another one, or in several, an edge.  False: the
 * session's fault, or *why, says.
 */
bool yay_put_mugl(vt_rt *, vt_yay *, vt_ynode *, const char *name, bool show_secrets, vt_buf *,
	const char **why);
/* Graphviz's language: the places of a document and what they hold. */
void yay_put_dot(vt_buf *, const vt_ydoc *);

#endif

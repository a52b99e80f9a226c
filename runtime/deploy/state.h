/* state.h - the inside of the state: what state.c, state_update.c and state_steps.c share. */
#ifndef VT_STATE_H
#define VT_STATE_H

#include "runtime/deploy/deploy.h"
#include "runtime/mugl/mugl.h"

struct vt_tstate {
	vt_rt *rt;
	const char *self;
	char *path, *journal_path;
	mugl *g;
	mugl_journal *j;
	mugl_problems bad;
	bool dry; /* nothing is written */
};

#define KEY(s) s, sizeof s - 1

/* ---- state.c ---- */
bool vt_state_report(vt_tstate *s, bool good);
/* Texts that were read are not closed by NUL. */
bool vt_state_is_text(const mugl_node *v, const char *text);
const mugl_node *vt_state_header(
	const vt_tstate *s, const char *key, size_t n, enum mugl_kind kind);
/* The buffer is the caller's to free. */
vt_buf vt_state_moniker(const vt_tosca *t, const vt_tnodei *n);
mugl_id vt_state_find(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n);
mugl_node *vt_state_properties(vt_tstate *s, const vt_tosca *t, const vt_tnodei *n);
/* The properties of a vertex, or NULL. */
const mugl_node *vt_state_read(const vt_tstate *s, mugl_id id);
/* A member that is an object, made when there is none. */
mugl_node *vt_state_section(vt_tstate *s, mugl_node *p, const char *key);
void vt_state_put_text(vt_tstate *s, mugl_node *p, const char *key, size_t n, const char *text);

/* ---- state_update.c ---- */
/* Does the step's name end with the operation of one of these roles? */
bool vt_state_is_one_of(const mugl_node *step, uint8_t first, uint8_t last);
/* Was the node begun at all? What an undoing leaves out was not. */
bool vt_state_was_begun(const mugl_node *p);
void vt_state_end_update(vt_tstate *s, mugl_node *p);

#endif

/* render.h - between render.c, node.c, group.c and subst.c: one service template. */
#ifndef TOSCA_RENDER_H
#define TOSCA_RENDER_H

#include "compiler/tosca/front.h"

/* A service template on its way to rows; its templates have row numbers before their rows are
 * made. */
typedef struct render {
	struct tosca *t;
	tosca_unit *u;
	te *service;
	te **node;
	uint32_t nnodes, node0; /* node0 + i is the row of node[i] */
	te **rel;
	uint32_t nrels, rel0;
	te **group;
	uint32_t ngroups, group0;
	struct {
		uint32_t *slot, n;
	} names; /* hash of node templates: index + 1 */
	vt_treq *req;
	uint32_t nreqs;   /* of the node at hand */
	const te *source; /* that one */
	/* what it is called in messages, and what a part of it is */
	vt_buf owner, part;
	struct render_copies *copies; /* node.c; or NULL */
	vt_tservice row;
} render;

uint32_t render_find_node(const render *, const char *name); /* row, or 0 */
void render_nodes(render *);                                 /* node.c */
void render_rels(render *);
/* group.c: groups and policies */
void render_groups(render *);
void render_workflows(render *);    /* flow.c */
void render_substitution(render *); /* subst.c */
/* Row of a node template or, with VT_TMEMBER_GROUP, a group; 0: none of that name. */
uint32_t render_member(const render *, const char *name);
/* reports; 0 */
uint32_t render_unknown_member(render *, const char *name, vc_span at, const char *what);
/* after the policies */
void render_events(render *);
vt_tspan render_triggers(render *, ty_type *, te *, const char *keyname); /* flow.c: policies */

#endif

/* clout.h - clout.c makes the graph of a Clout, clout_value.c the notation of
 * values in it. */
#ifndef VT_TOSCA_CLOUT_H
#define VT_TOSCA_CLOUT_H

#include "runtime/tosca/mem.h"

/* Where a value stands, for the path of a call: node_templates["a"].properties["b"]; name 0: the
 * label alone. */
typedef struct vt_cplace {
	const struct vt_cplace *up;
	const char *label;
	uint32_t name;
} vt_cplace;

/* What is the same wherever it is reported is made once: by row of the model, VT_UNDEF: not made
 * yet.
 */
typedef struct vt_clout {
	vt_tosca *t;
	vt_rt *rt;
	const vt_tmodel *m;
	vt_value *types;         /* by type: {name: {parent...}} of it and its ancestors */
	vt_value *meta;          /* by schema */
	vt_value *ifaces, *caps; /* by type: those that say nothing of the node */
	vt_value *ids;           /* by node: of its vertex */
	const vt_tservicei *
		*workflow_of; /* by text: the last service with a workflow of that name */
	vt_value vertexes;    /* dict: keys of those that are written */
	const struct vt_tstream *to;
	vt_value empty_map, empty_list, empty_text;
	vt_value metadata[32]; /* by enum kind of clout.c */
} vt_clout;

vt_value vt_clout_text(const vt_clout *, uint32_t str); /* "" for 0; owned */
void vt_clout_put(const vt_clout *, vt_dict *, uint32_t name, vt_value owned);
/* An expression as it was written: literals, and calls that nothing answers yet. */
vt_value vt_clout_expr(const vt_clout *, const vt_cplace *, uint32_t expr);
/* {name: value}; all: also cells that nobody gave a value. */
vt_value vt_clout_bag(vt_clout *, const vt_cplace *, const vt_tbag *, bool all);
/* The same of values that are reported when they are needed: of operations, artifacts,
 * activities. */
vt_value vt_clout_assigns(vt_clout *, const vt_cplace *, const vt_tctx *, vt_tspan);
vt_value vt_clout_location(const vt_clout *, vt_tplace);
/* A map that does not depend on anything, as plain data: metadata. */
vt_value vt_clout_plain(vt_clout *, uint32_t expr);

#endif

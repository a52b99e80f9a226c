/* relate.h - relationships of a node while its requirements are resolved: relate.c, resolve.c. */
#ifndef VT_TOSCA_RELATE_H
#define VT_TOSCA_RELATE_H

#include "runtime/tosca/mem.h"

/* Of the node at hand: what this turn adds; `later`: turns that some node has something for. */
typedef struct vt_related {
	vt_treli **rel;
	uint32_t n;
	uint32_t turn, later;
	uint32_t *count; /* by name: of the node at hand, else 0 */
} vt_related;

uint32_t vt_tosca_rel_type(const vt_tmodel *, const vt_treq *); /* resolve.c */
void vt_tosca_add_rel(vt_related *, vt_treli *);
void vt_tosca_merge_rels(vt_tosca *, vt_tnodei *, const vt_related *);
void vt_tosca_turn_round(vt_tnodei *);
/* Cloudify: the instances of the target that belong to this one. False: it has one instance, and
 * so has the source. */
bool vt_tosca_pair(vt_tosca *, vt_tnodei *, const vt_treq *, vt_related *);

#endif

/* search.h - what a requirement looks for: resolve.c, and unmet.c where it found nothing. */
#ifndef VT_TOSCA_SEARCH_H
#define VT_TOSCA_SEARCH_H

#include "runtime/tosca/mem.h"

typedef struct vt_twant {
	uint32_t node_type, cap_type, cap_name, rel_type,
		source;  /* source: type of the node that asks */
	uint32_t filter; /* of the definition: shared by many */
	uint32_t node; /* node template, where several representations of one are asked for amounts
			*/
} vt_twant;
/* What one requirement looks for, and why it found nothing. */
typedef struct vt_tsearch {
	vt_tosca *t;
	vt_tnodei *n;
	const vt_treq *q;
	vt_twant w;
	vt_tdemand demand;
	uint32_t must, may;     /* where the search goes on */
	const vt_tnodei *avoid; /* of several relationships each goes to another node, if it can */
	bool wrong;             /* reported */
	bool few;               /* these candidates are not asked again */
	uint32_t seen, with_cap, filtered, full, small;
} vt_tsearch;

/* May a node of that type be the target? */
bool vt_tosca_suits(const vt_tmodel *, const vt_twant *, uint32_t type);
vt_tcapi *vt_tosca_choose_in(vt_tsearch *, vt_tnodei *); /* the best capability of one node */
void vt_tosca_unmet(vt_tsearch *);                       /* unmet.c: reports */

#endif

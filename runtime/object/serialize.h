/*
 * serialize.h - the inner side of serialize.c, for the model's text that is written without a tree
 * (model_text.c).
 */
#ifndef VT_SERIALIZE_H
#define VT_SERIALIZE_H

#include "runtime/core/value.h"
#include "runtime/object/object.h"

struct ser {
	vt_rt *rt;
	enum vt_dump kind;
	bool refs;     /* ids may name objects outside of what is written */
	bool designer; /* "?" carries the _attributes of designers */
	bool actions, dependencies;
	bool again;   /* references were left: another walk is needed */
	vt_set *done; /* ids that were written */
};

/* "?" of an object, seen as that class. Owned. */
vt_status vt_header_of(struct ser *, const vt_object *, const vt_class *, vt_dict **out);
/* Is there anything to call on its objects? */
bool vt_class_has_actions(vt_rt *, const vt_class *);
enum { VT_ENCODE_DEPTH = 1000 }; /* containers in each other that a result may have */

#endif

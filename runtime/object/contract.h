/* contract.h - what the files of contracts share. */
#ifndef VT_CONTRACT_H
#define VT_CONTRACT_H

#include "runtime/object/object.h"

/* ContractViolationException: "before value after", the value as the reference's format_scalar
 * shows it. cx: the path begins here; or NULL. */
vt_status vt_c_violated(vt_rt *, vt_cx *, const char *before, vt_value, const char *after);
/* Is it worth while to evaluate the list or dict and ask vt_accepted? */
bool vt_may_accept(const vt_accept *, vt_value);
/* Is it, or does it become, evaluated in its place?  Only data has it. */
bool vt_settles_whole(vt_value);
/* The running load is about to make so many objects: its table of ids has the room at once. */
void vt_load_expect(vt_rt *, uint32_t n);
/* Is it being initialized, and what a second pass would find again? */
bool vt_load_knows(const vt_rt *, const vt_object *);
/* template_data.c: what template() makes of an object that holds data only, without the properties
 * that the list names; false: it is another. */
bool vt_plain_data(vt_rt *, const vt_object *, vt_value exclude, vt_value *out);
void vt_data_plan_free(struct vt_data_plan *); /* NULL too */

#endif

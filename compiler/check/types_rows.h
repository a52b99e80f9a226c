/* types_rows.h - calls, as types_rows.c and types_call.c see them. */
#ifndef TYPES_ROWS_H
#define TYPES_ROWS_H

#include "compiler/check/types.h"
#include "runtime/core/value.h"

enum { TY_MAX_ARGS = 64 };

/* The arguments of a call; lazy ones are left to the function. */
typedef struct ty_args {
	const yq_node *call;
	yq_node *const *v;
	uint32_t n;
	vc_type type[TY_MAX_ARGS];
	vc_type recv;
	bool method;
	bool lazy[TY_MAX_ARGS];
} ty_args;

/* The rows of a name. */
typedef struct ty_overloads {
	const vt_fnrow *row;
	uint32_t n;
	bool exclusive;
} ty_overloads;

const yq_node *ty_keyword(const yq_node *arg);  /* of `name => value`, or NULL */
const yq_node *ty_argument(const yq_node *arg); /* the value of it, or the argument itself */
ty_overloads ty_find_rows(const vc_typing *, const char *name);
bool ty_visible(const vc_typing *, const ty_overloads *, uint32_t i, bool method);
bool ty_takes(const vc_typing *, const vt_fnparam *, vc_type);
void ty_type_arguments(vc_typing *, const ty_overloads *, ty_args *, const char *name);
/* True when a row takes the call. *f says what is wrong with the nearest one; no name: there is no
 * row. */
bool ty_try_rows(vc_typing *, const ty_overloads *, const ty_args *, vc_type *out, ty_fault *f);
const mpl_class *ty_named_class(
	vc_typing *, const ty_args *, uint32_t at); /* ns:Name, :Name or a text */

static inline vc_type
ty_anything(void)
{
	return ty_make(VC_K_ALL);
}

#endif

/*
 * native_class.h - what the files of native classes that need a cloud share.
 */
#ifndef VT_NATIVE_CLASS_H
#define VT_NATIVE_CLASS_H

#include "runtime/cloud/cloud.h"
#include "runtime/core/exception.h"
#include "runtime/core/args.h"
#include "runtime/object/object.h"

/* An argument of a constructor, borrowed; VT_NULL when it was not given. */
static inline vt_value
vt_new_arg(const vt_args *a, const char *name)
{
	vt_value v = vt_is(a->kw, DICT) ? vt_dict_get_c(vt_as_dict(a->kw), name) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

static inline const char *
vt_text_or(vt_value v, const char *otherwise)
{
	return vt_is(v, STR) ? vt_as_str(v)->s : otherwise;
}

/* A member of a dict, borrowed; VT_NULL when there is none. */
static inline vt_value
vt_member(vt_value dict, const char *name)
{
	vt_value v = vt_is(dict, DICT) ? vt_dict_get_c(vt_as_dict(dict), name) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

/* "Missing argument": what the reference's constructors say is Python's, and names __init__. */
static inline vt_status
vt_no_arg(const vt_args *a, const char *name)
{
	return vt_raise(a->rt, VT_E_NO_MATCHING_METHOD, "%s needs the argument %s",
		vt_obj_of(a->self)->cls->decl->name->s, name);
}

static inline vt_status
vt_no_attribute(vt_rt *rt, vt_value v, const char *name)
{
	return vt_raise(
		rt, VT_E_ATTRIBUTE, "'%s' object has no attribute '%s'", vt_py_type(v), name);
}

/* The nearest owner of that class: find_owner. NULL: none, or a program without the class. */
vt_object *vt_owner_named(vt_rt *, vt_object *, const char *fqn);
/* Calls a method without arguments. */
vt_status vt_send(vt_rt *, vt_value object, const char *method, vt_value *out);
/* A property's value as its own class sees it; VT_NULL when there is none. Owned. */
vt_value vt_peek(vt_rt *, vt_object *, const char *name);
/* Characters that a path may not have as they are become %XX. */
void vt_path_escape(vt_buf *, const char *);
/* The region that an object belongs to: what it was given, else that of its owner. Borrowed, or
 * NULL. */
const char *vt_region_of(vt_rt *, vt_object *, vt_value given, vt_value *held);
/* One request whose answer must be a good one. */
/* What the constructor left in v.native, if it is of the class that frees it so; else NULL, and
 * AttributeError says `missing`. */
void *vt_native_of(vt_rt *, vt_value v, void (*free_native)(void *), const char *missing);
vt_status vt_ask(vt_rt *, const vt_service_request *, vt_value *body);
/* The same whatever the journal has. */
vt_status vt_ask_now(vt_rt *, const vt_service_request *, vt_value *body);

#endif

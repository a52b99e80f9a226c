/*
 * maker.h - new() without a load: what a call site knows of the objects that it makes.
 */
#ifndef VT_MAKER_H
#define VT_MAKER_H

#include "runtime/object/object.h"

enum { VT_MADE_ARGS = 8 }; /* parameters of one .init that are given */

/* A property as new() makes it: of the argument `given`, or -1. */
struct vt_made_prop {
	struct vt_planned *p;
	vt_class *part;
	int32_t given;
};

/* An .init that runs once all properties are set, with what `given` has for its parameters. */
struct vt_made_init {
	const vt_method_decl *m;
	uint32_t n;
	struct {
		const vt_str *name;
		uint32_t given;
	} arg[VT_MADE_ARGS];
};

/* A property that is given to a copy of the image: argument `arg` of the site. */
struct vt_quick_prop {
	uint32_t slot, arg, takes;
	const vt_ic *seen;
	const vt_accept *accept;
};

/* How new() of a class makes objects with these properties given, without a load; made once a call
 * site.  vt_make: VT_OK, VT_ERROR, or -1 where that does not do. */
typedef struct vt_maker {
	vt_class *cls; /* NULL: it takes a load */
	vt_ic row;     /* of its users: resolve.c */
	uint32_t n, cap;
	struct vt_made_prop *props;
	uint32_t ninits;
	struct vt_made_init *inits;   /* .init of the classes, in the order that they run */
	vt_object *image;             /* what objects are copied from: vt_make_copy; or NULL */
	uint32_t size, nquick, first; /* the site's first argument that is a property */
	struct vt_quick_prop *quick;  /* what is given to a copy */
} vt_maker;
enum { VT_QUICK_PROPS = 16 }; /* properties of a class that is copied from an image */
/* For a site that gives n properties from its argument `first` on; constants[i]: the i-th, where it
 * is none that the caller evaluates. */
vt_maker *vt_maker_new(vt_rt *, vt_class *, uint32_t first, uint32_t n, const vt_str *const *names,
	const vt_value *constants);
void vt_maker_free(vt_maker *);
int vt_make(vt_rt *, const vt_maker *, const vt_unit *caller, vt_object *owner,
	const vt_value *given, vt_value *out);
/* The call at the site: a copy of the image where that does and what is given needs no contract,
 * else by vt_call. */
vt_status vt_make_copy(vt_rt *, vt_scope *, const vt_site *, const vt_maker *, const vt_value *argv,
	vt_value *out);
/* new({model}, owner); the model is evaluated, the owner may be NULL. */
vt_status vt_new_of_model(
	vt_rt *, const vt_unit *caller, vt_value model, vt_object *owner, vt_value *out);
/* store.c: the one for a site, or a shape, and the class; NULL: none was made. */
vt_maker *vt_maker_at(vt_rt *, const void *site, vt_value type);
void vt_maker_keep(vt_rt *, const void *site, vt_value type, vt_maker *);

#endif

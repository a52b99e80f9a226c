/*
 * image.h - an expression as tables in memory, which an interpreter runs at once: no C is made.
 *
 * The tables are those that emitted C has: call sites, arguments, codes.  What is a C function
 * there is a list of ops here.  Both number their inline caches in the same way
 * (em_number_caches), so that code which is compiled later goes on with what the interpreter has
 * found.
 */
#ifndef VC_EMIT_IMAGE_H
#define VC_EMIT_IMAGE_H

#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "vt.h"

typedef struct im_frame im_frame;
typedef struct im_ins im_ins;
/* Does one op; a failure goes to the handler of the op. */
typedef vt_status im_op(im_frame *, const im_ins *);

enum { IM_OUT = -1 }; /* the handler that leaves the code */

struct im_ins {
	im_op *run;
	int32_t d, a[2]; /* temporaries: what it defines and reads; -1 is none */
	int32_t to;      /* the instruction that it may jump to */
	int32_t fail;    /* that of the handler; or IM_OUT */
	uint32_t n;
	const int32_t *list; /* temporaries; n of them */
	union {
		const vt_site *site;
		const vt_str *name;
		const char *digits;
		const vt_iter_ops *pipe;
		int64_t range[2];
	} u;
	const vt_code *code;
	const void *ic; /* place of the inline cache; see vt_ic_at */
	vt_value k;
};

typedef struct im_image im_image;

/*
 * Constants that live longer than the images that have them, for who gives images up while values
 * are left: texts and numbers, each of them once.
 */
typedef struct im_pool im_pool;
im_pool *im_pool_new(void);
void im_pool_free(im_pool *); /* after the session */

/* The ops of one code, in the order of its instructions. */
typedef struct im_body {
	vt_body b;
	im_image *image;
	const im_ins *ins;
	uint32_t n, ntemps;
} im_body;

struct im_image {
	vt_program program;
	vt_unit unit;
	vt_code *codes; /* in the order of the module's functions, as in vt_program of emitted C */
	uint32_t ncodes;
	uint32_t size; /* instructions of all codes */
	uint64_t work; /* instructions run so far, about */
	/* Called once, when the work would have paid for compiling; or NULL. */
	void (*hot)(im_image *);
	void *owner;             /* for hot() */
	struct im_chunk *chunks; /* the memory of all of it */
	im_pool *pool;           /* where its constants are; NULL: in that memory */
};

/* What runs the ops: one function each, NULL for those that no expression has. */
typedef struct im_interpreter {
	im_op *const *ops; /* by enum ir_op */
	vt_body body;
} im_interpreter;

/*
 * The module of one expression as an image; its inline caches take the numbers from `nics` on.
 * NULL: it has something that only C can do.
 */
im_image *im_image_new(vc *, ir_module *, uint32_t nics, const im_interpreter *, im_pool *);
/* Lets the codes of the image run the compiled ones, of the same module. */
void im_image_use(im_image *, const vt_program *compiled);
void im_image_free(im_image *);

#endif

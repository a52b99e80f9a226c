/*
 * unmade.h - tuples and records that one loop gives to another without making them.
 */
#ifndef VT_UNMADE_H
#define VT_UNMADE_H

#include "runtime/seq/lambda_program.h"

/* Tuples or records that nobody has made: their members, column by column. */
enum { VT_UNMADE_MOST = 16 };
struct vt_unmade {
	uint32_t n, m;             /* so many, with so many members; m 0: there are none */
	const vt_str *const *keys; /* of records; NULL: tuples, or what `kind` says */
	const vt_value *col[VT_UNMADE_MOST];
	const vt_lambda_program *t;
	vt_batch *s, *store; /* the program's; where columns lie; or NULL */
	enum vt_kind kind;
	bool counted;       /* the values are; else they are borrowed, from the batch say */
	bool view;          /* s is another's */
	const vt_str *cut;  /* not NULL: lists that split() by it makes of the texts in col[0] */
	vt_batch *below[2]; /* what columns lie in besides; or NULL */
	bool rooted;        /* they lie in what the source has as well */
};
/* None; what is in its columns does not matter, and takes long to clear. */
static inline void
vt_unmade_none(vt_unmade *u)
{
	u->n = u->m = 0;
	u->keys = NULL;
	u->t = NULL;
	u->s = u->store = u->below[0] = u->below[1] = NULL;
	u->kind = VT_K_TUPLE;
	u->counted = u->view = u->rooted = false;
	u->cut = NULL;
}
/* Does the program read nothing of its items but members of such?  The first asks for any. */
bool vt_program_reads_members(const vt_lambda_program *);
bool vt_program_takes(const vt_lambda_program *, const vt_unmade *);
/* Of rows that a program makes: what vt_program_takes() is asked with.  False: it makes none. */
bool vt_unmade_kind(const vt_lambda_program *, vt_batch *, vt_unmade *);
/* Which steps need not be done for them, by bits. */
uint64_t vt_unmade_skips(const vt_lambda_program *, const vt_unmade *);
/* A program that takes them, over them. */
uint32_t vt_batch_fill_unmade(vt_batch *, const vt_lambda_program *, const vt_unmade *);
/* What the program has worked out for n items, which takes the batch over. */
void vt_unmade_open(vt_unmade *, vt_batch *, const vt_lambda_program *, uint32_t n);
/* Room for VT_BULK of m members each, column by column; who fills it counts them, and sets n. */
vt_value *vt_unmade_columns(vt_unmade *, vt_rt *, uint32_t m, enum vt_kind);
/* As many pairs of the dict, from *pos (of vt_dict_at) on, as still have room.  They are not
 * counted yet: that is for who holds the dict meanwhile. */
void vt_unmade_items(vt_unmade *, const vt_dict *, uint32_t *pos);
/* Of those that are borrowed, the ones for which that is true. */
void vt_unmade_keep(vt_unmade *, vt_rt *, const bool *);
/* Those from there on are made, and are no more among them.  vt_output: or NULL. */
void vt_unmade_make(vt_unmade *, vt_rt *, uint32_t from, vt_value *out, vt_output *);
void vt_unmade_close(vt_unmade *);
/* From now on the values are counted, and lie in columns of their own. */
void vt_unmade_own(vt_unmade *, vt_rt *);
/* The same of no program, counted. */
void vt_unmade_copy(vt_unmade *, vt_rt *, const vt_unmade *);
/* For a bulk(): where such may go; NULL: they have to be made. */
vt_unmade *vt_unmade_wanted(vt_rt *, const vt_iter *);

/* As in lambda_program.h: who uses them does not make the linker take them. */
#ifndef VT_BATCH_INSIDE
#pragma weak vt_batch_fill_unmade
#pragma weak vt_program_reads_members
#pragma weak vt_program_takes
#pragma weak vt_unmade_close
#pragma weak vt_unmade_columns
#pragma weak vt_unmade_copy
#pragma weak vt_unmade_items
#pragma weak vt_unmade_kind
#pragma weak vt_unmade_keep
#pragma weak vt_unmade_make
#pragma weak vt_unmade_open
#pragma weak vt_unmade_own
#pragma weak vt_unmade_skips
#endif

#endif

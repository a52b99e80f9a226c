/*
 * batch.h - inside of lambda_program.c, batch_member.c and batch_result.c: the columns of a batch.
 */
#ifndef VT_BATCH_H
#define VT_BATCH_H

#include "runtime/core/bytes.h"
#include "runtime/seq/lambda_program.h"

/* FEW_ROWS: so many are worth a slab. MANY: when more follow, they will hardly be in the cache. */
enum { FEW_ROWS = 16, MANY = 1024 };

static inline vt_value *
vt_batch_values(vt_batch *s, uint32_t r)
{
	vt_value *v = s->v + (size_t)r * s->cap;

	s->col[r] = v;
	s->text[r] = NULL;
	return v;
}

static inline bool
vt_all_ints(const vt_value *v, uint32_t n)
{
	vt_value all = 1;

	for (uint32_t i = 0; i < n; i++)
		all &= v[i];
	return vt_is_int(all);
}

/* Short ones are copied by blocks that overlap. */
static inline void
vt_copy_text(char *to, const char *p, size_t n)
{
	if (n >= VT_BLOCK) {
		vt_copy16(to, p, n);
	} else if (n >= 8) {
		uint64_t a = vt_load8(p), b = vt_load8(p + n - 8);
		vt_store8(to, a);
		vt_store8(to + n - 8, b);
	} else {
		for (size_t i = 0; i < n; i++)
			to[i] = p[i];
	}
}

/* The texts of a column become strings. */
void vt_make_texts(vt_batch *s, const vt_lambda_program *t, uint8_t r, uint32_t n, bool slab);

/* Steps: a member; an item of a list. */
void vt_batch_member(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_index(vt_batch *s, const vt_lambda_step *t, uint32_t r);

#endif

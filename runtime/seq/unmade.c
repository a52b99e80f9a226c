/*
 * unmade.c - tuples and records that a loop gives to another without making them (vt_unmade): who
 * reads nothing but their members gets the columns that they would be made of.
 */
#include "runtime/seq/batch.h"
#include "runtime/core/dict.h"
#include "runtime/seq/fold.h"
#include "runtime/seq/seq.h"

/* Which column the step reads, of m with those keys; m: none, or another. */
static uint32_t
column_of(const vt_lambda_step *x, uint32_t m, const vt_str *const *keys)
{
	uint32_t k = m;

	if (keys == NULL && x->op == VT_STEP_INDEX && (x->c == 0 || x->c == m))
		k = vt_toint(x->k) >= 0 && vt_toint(x->k) < m ? (uint32_t)vt_toint(x->k) : m;
	else if (keys != NULL && x->op == VT_STEP_ATTR)
		for (k = 0; k < m && !vt_str_eq(keys[k], x->heap);)
			k++;
	return k;
}

bool
vt_program_takes(const vt_lambda_program *t, uint32_t m, const vt_str *const *keys)
{
	uint64_t rows = 0;

	if (t->nargs > 1)
		return false;
	for (uint32_t r = 0; r < t->n; r++) {
		const vt_lambda_step *x = &t->t[r];
		if (x->op == VT_STEP_ITEM)
			rows |= UINT64_C(1) << r;
		else if (vt_fold_operands(x) & rows && column_of(x, m, keys) == m)
			return false;
	}
	for (uint32_t k = 0; k < t->nout; k++)
		if (rows >> t->out[k] & 1)
			return false;
	return true;
}

bool
vt_program_reads_members(const vt_lambda_program *t)
{
	uint64_t rows = 0;

	for (uint32_t r = 0; r < t->n; r++) {
		const vt_lambda_step *x = &t->t[r];
		if (x->op == VT_STEP_ITEM)
			rows |= UINT64_C(1) << r;
		else if (vt_fold_operands(x) & rows && x->op != VT_STEP_ATTR &&
			 x->op != VT_STEP_INDEX)
			return false;
	}
	for (uint32_t k = 0; k < t->nout; k++)
		if (rows >> t->out[k] & 1)
			return false;
	return t->nargs < 2;
}

bool
vt_unmade_step(vt_batch *s, const vt_lambda_program *t, uint32_t r)
{
	const vt_lambda_step *x = &t->t[r];
	const vt_unmade *u = s->unmade;

	if (x->op != VT_STEP_ITEM && ((x->op != VT_STEP_ATTR && x->op != VT_STEP_INDEX) ||
					     t->t[x->a].op != VT_STEP_ITEM))
		return false;
	s->col[r] = x->op == VT_STEP_ITEM ? NULL : u->col[column_of(x, u->m, u->keys)];
	s->text[r] = NULL;
	return true;
}

bool
vt_unmade_open(vt_unmade *u, vt_batch *s, const vt_lambda_program *t, uint32_t n)
{
	if (t->kind == VT_PROGRAM_VALUE || t->nout == 0 || t->nout > VT_UNMADE_MOST ||
		(t->kind == VT_PROGRAM_RECORD && vt_batch_shape(s, t) == NULL))
		return false;
	for (uint32_t k = 0; k < t->nout; k++) {
		vt_batch_strings(s, t, UINT64_C(1) << t->out[k]);
		u->col[k] = s->col[t->out[k]];
	}
	u->n = n;
	u->m = t->nout;
	u->keys = t->kind == VT_PROGRAM_RECORD ? t->keys : NULL;
	u->s = s;
	u->t = t;
	u->store = NULL;
	u->kind = VT_K_TUPLE;
	u->counted = u->view = false;
	return true;
}

vt_value *
vt_unmade_columns(vt_unmade *u, vt_rt *rt, uint32_t m, enum vt_kind kind)
{
	vt_batch *s = vt_batch_new(rt, NULL);

	u->n = 0;
	u->m = m;
	u->keys = NULL;
	u->s = NULL;
	u->t = NULL;
	u->store = s;
	u->kind = kind;
	u->counted = true;
	u->view = false;
	for (uint32_t k = 0; k < m; k++)
		u->col[k] = s->v + (size_t)k * VT_BULK;
	return s->v;
}

void
vt_unmade_items(vt_unmade *u, vt_rt *rt, const vt_dict *d, uint32_t *pos)
{
	vt_value *key = u->store->v + u->n;
	uint32_t room = VT_BULK - u->n, at = *pos;

	vt_dict_read(rt, d, VT_VIEW_KEYS, &at, room, key);
	u->n += vt_dict_read(rt, d, VT_VIEW_VALUES, pos, room, key + VT_BULK);
}

void
vt_unmade_keep(vt_unmade *u, vt_rt *rt, const bool *yes)
{
	uint32_t kept = 0;

	if (u->store == NULL)
		u->store = vt_batch_new(rt, NULL);
	for (uint32_t k = 0; k < u->m; k++) {
		vt_value *to = u->store->v + (size_t)k * VT_BULK;
		const vt_value *from = u->col[k];
		kept = 0;
		for (uint32_t i = 0; i < u->n; i++) {
			to[kept] = from[i];
			kept += yes[i];
		}
		u->col[k] = to;
	}
	u->n = kept;
}

static vt_value
row_of(vt_rt *rt, const vt_unmade *u, uint32_t i)
{
	vt_list *l = vt_list_grow(rt, u->kind, u->m);
	bool final = u->kind == VT_K_TUPLE;

	for (uint32_t k = 0; k < u->m; k++) {
		l->v[k] = u->counted ? u->col[k][i] : vt_copy(u->col[k][i]);
		final = final && vt_is_final(l->v[k]);
	}
	l->n = u->m;
	if (final)
		l->h.flags |= VT_F_FINAL;
	return vt_mkptr(l);
}

void
vt_unmade_make(vt_unmade *u, vt_rt *rt, uint32_t from, vt_value *out, vt_output *o)
{
	if (u->t == NULL) {
		for (uint32_t i = from; i < u->n; i++)
			*out++ = row_of(rt, u, i);
		u->n = from;
		return;
	}
	for (uint32_t k = 0; k < u->m; k++)
		u->s->col[u->t->out[k]] = u->col[k] + from;
	(void)vt_batch_make(u->s, u->t, u->n - from, out, o);
	u->n = from;
}

void
vt_unmade_close(vt_unmade *u)
{
	for (uint32_t k = 0; u->counted && k < u->m; k++)
		for (uint32_t i = 0; i < u->n; i++)
			vt_release(u->col[k][i]);
	if (u->store != NULL)
		vt_batch_free(u->store);
	if (u->s != NULL && !u->view)
		vt_batch_free(u->s);
	u->m = 0;
}

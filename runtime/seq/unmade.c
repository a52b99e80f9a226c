/*
 * unmade.c - tuples and records that a loop gives to another without making them (vt_unmade): who
 * reads nothing but their members gets the columns that they would be made of.
 */
#include "runtime/seq/batch.h"
#include "runtime/core/dict.h"
#include "runtime/seq/seq.h"
#include "runtime/seq/unmade.h"

#include <string.h>

/* The last step of a program, where that is split() by a text that is written; or NULL. */
static const vt_lambda_step *
split_of(const vt_lambda_program *t)
{
	const vt_lambda_step *x = t->n > 0 ? &t->t[t->n - 1] : NULL;
	const vt_site *site = x != NULL && x->op == VT_STEP_CALL ? x->by : NULL;
	const vt_head *by = site != NULL && site->nargs == 1 ? site->args[0].value : NULL;

	if (t->kind != VT_PROGRAM_VALUE || t->out[0] + 1 != t->n || by == NULL ||
		by->kind != VT_K_STR || x->a == VT_STEP_K || x->c != VT_STEP_K || x->n != 1 ||
		x->args[0] != VT_STEP_K || x->guard != VT_STEP_K || x->flags & VT_STEP_SOFT)
		return NULL;
	return site->kind == VT_SITE_METHOD && site->args[0].keyword == NULL &&
			       strcmp(site->name->s, "split") == 0 &&
			       vt_as_str(vt_mkptr(by))->bytes > 0
		       ? x
		       : NULL;
}

/* Does the step read one of the pieces, or how many there are? */
static bool
reads_piece(const vt_lambda_step *x)
{
	return (x->op == VT_STEP_INDEX && x->c == 0 && vt_toint(x->k) >= 0 &&
		       !(x->flags & VT_STEP_SOFT)) ||
	       (x->op == VT_STEP_LEN && x->guard == VT_STEP_K);
}

/* Which column the step reads; m: none, or another. */
static uint32_t
column_of(const vt_lambda_step *x, const vt_unmade *u)
{
	uint32_t k = u->m;

	if (u->cut != NULL)
		return reads_piece(x) ? 0 : u->m;
	if (u->keys == NULL && x->op == VT_STEP_INDEX && (x->c == 0 || x->c == u->m))
		k = vt_toint(x->k) >= 0 && vt_toint(x->k) < u->m ? (uint32_t)vt_toint(x->k) : u->m;
	else if (u->keys != NULL && x->op == VT_STEP_ATTR)
		for (k = 0; k < u->m && !vt_str_eq(u->keys[k], x->heap);)
			k++;
	return k;
}

/* Pieces are texts: not so good for what asks whether something is true. */
static bool
asks_truth(const vt_lambda_step *x)
{
	return x->op >= VT_STEP_NOT && x->op <= VT_STEP_OR;
}

bool
vt_program_takes(const vt_lambda_program *t, const vt_unmade *u)
{
	uint64_t rows = 0, pieces = 0;

	if (t->nargs > 1)
		return false;
	for (uint32_t r = 0; r < t->n; r++) {
		const vt_lambda_step *x = &t->t[r];
		uint64_t of = x->op != VT_STEP_ITEM ? vt_step_operands(x) : 0;
		if (x->op == VT_STEP_ITEM)
			rows |= UINT64_C(1) << r;
		else if (of & rows && column_of(x, u) == u->m)
			return false;
		if (u->cut != NULL && of & rows && x->op == VT_STEP_INDEX)
			pieces |= UINT64_C(1) << r;
		if (of & pieces && asks_truth(x))
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
		else if (vt_step_operands(x) & rows && x->op != VT_STEP_ATTR &&
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
	bool len = u->cut != NULL && x->op == VT_STEP_LEN;

	if (x->op != VT_STEP_ITEM && ((x->op != VT_STEP_ATTR && x->op != VT_STEP_INDEX && !len) ||
					     t->t[x->a].op != VT_STEP_ITEM))
		return false;
	if (u->cut != NULL && x->op != VT_STEP_ITEM) {
		vt_batch_pieces(s, r, u->col[0], u->cut, len ? -1 : vt_toint(x->k));
		return true;
	}
	s->col[r] = x->op == VT_STEP_ITEM ? NULL : u->col[column_of(x, u)];
	s->text[r] = NULL;
	return true;
}

bool
vt_unmade_kind(const vt_lambda_program *t, vt_batch *s, vt_unmade *u)
{
	const vt_lambda_step *x = split_of(t);

	if (x == NULL && (t->kind == VT_PROGRAM_VALUE || t->nout == 0 || t->nout > VT_UNMADE_MOST))
		return false;
	if (t->kind == VT_PROGRAM_RECORD && vt_batch_shape(s, t) == NULL)
		return false;
	u->m = x != NULL ? 1 : t->nout;
	u->keys = t->kind == VT_PROGRAM_RECORD ? t->keys : NULL;
	u->cut = x != NULL ? ((const vt_site *)x->by)->args[0].value : NULL;
	return true;
}

uint64_t
vt_unmade_skips(const vt_lambda_program *t, const vt_unmade *u)
{
	return u->cut != NULL ? UINT64_C(1) << t->out[0] : 0;
}

void
vt_unmade_open(vt_unmade *u, vt_batch *s, const vt_lambda_program *t, uint32_t n)
{
	for (uint32_t k = 0; k < u->m; k++) {
		uint8_t r = u->cut != NULL ? t->t[t->out[0]].a : t->out[k];
		vt_batch_strings(s, t, UINT64_C(1) << r);
		u->col[k] = s->col[r];
	}
	u->n = n;
	u->s = s;
	u->t = t;
	u->store = u->below[0] = u->below[1] = NULL;
	u->kind = VT_K_TUPLE;
	u->counted = u->view = u->rooted = false;
}

vt_value *
vt_unmade_columns(vt_unmade *u, vt_rt *rt, uint32_t m, enum vt_kind kind)
{
	vt_batch *s = vt_batch_new(rt, NULL);

	vt_unmade_none(u);
	u->m = m;
	u->store = s;
	u->kind = kind;
	u->counted = true;
	for (uint32_t k = 0; k < m; k++)
		u->col[k] = s->v + (size_t)k * VT_BULK;
	return s->v;
}

void
vt_unmade_own(vt_unmade *u, vt_rt *rt)
{
	vt_batch *store = vt_batch_new(rt, NULL);

	for (uint32_t k = 0; k < u->m; k++) {
		vt_value *to = store->v + (size_t)k * VT_BULK;
		for (uint32_t i = 0; i < u->n; i++)
			to[i] = vt_copy(u->col[k][i]);
		u->col[k] = to;
	}
	if (u->store != NULL)
		vt_batch_free(u->store);
	u->store = store;
	u->counted = true;
}

void
vt_unmade_copy(vt_unmade *u, vt_rt *rt, const vt_unmade *of)
{
	vt_value *to = vt_unmade_columns(u, rt, of->m, of->kind);

	for (uint32_t k = 0; k < of->m; k++, to += VT_BULK)
		for (uint32_t i = 0; i < of->n; i++)
			to[i] = vt_copy(of->col[k][i]);
	u->n = of->n;
}

void
vt_unmade_items(vt_unmade *u, const vt_dict *d, uint32_t *pos)
{
	vt_value *key = u->store->v + u->n, *value = key + VT_BULK;
	uint32_t room = VT_BULK - u->n, n = 0;

	if (d->shape != NULL && *pos == 0 && d->n <= room) {
		vt_spill(key, room, vt_values_of_dict(d, true));
		vt_spill(value, room, vt_values_of_dict(d, false));
		*pos = n = d->n;
	} else {
		while (n < room && vt_dict_at(d, pos, &key[n], &value[n]))
			n++;
	}
	u->n += n;
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

/* What split() makes of the texts from there on, in its register. */
static void
split_now(vt_unmade *u, uint32_t from)
{
	uint32_t r = u->t->out[0];
	vt_batch *s = u->s;

	s->n = u->n - from;
	s->col[u->t->t[r].a] = u->col[0] + from;
	vt_batch_step(s, u->t, r, NULL, NULL);
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
	for (uint32_t k = 0; k < u->m && u->cut == NULL; k++)
		u->s->col[u->t->out[k]] = u->col[k] + from;
	if (u->cut != NULL)
		split_now(u, from);
	(void)vt_batch_make(u->s, u->t, u->n - from, out, o);
	for (uint32_t k = 0; u->counted && k < u->m; k++)
		for (uint32_t i = from; i < u->n; i++)
			vt_release(u->col[k][i]);
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
	for (uint32_t k = 0; k < VT_LEN(u->below); k++)
		if (u->below[k] != NULL)
			vt_batch_free(u->below[k]);
	u->m = 0;
}

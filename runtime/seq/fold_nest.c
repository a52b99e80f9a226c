/*
 * fold_nest.c - folds whose lambda is a fold over a list of the item, into the same `$1`:
 * `aggregate($2.tags.aggregate($1.set($2, ..), $1), {})`.
 *
 * The lists of all items of a batch are one list to the lambda inside: its program is done for many
 * at once, and what the item brings is its part of that.  So `$1` is handed on, and changed in its
 * place.  Where the program inside fails in the middle of an item, what `$1` was before is gone:
 * the fold is lost, and who runs it goes back to where it kept a copy (vt_fold_nests).
 */
#include "runtime/seq/fold.h"

#include "runtime/core/heap.h"
#include "runtime/core/session.h"

#include <stdlib.h>

/* The fold inside, and those of its items that are at hand. */
struct vt_fold_inside {
	vt_fold *f; /* NULL: it is no such program */
	const vt_lambda_step *t;
	uint32_t at, n; /* the next of them, and how many there are */
	uint32_t place; /* of the next one, in its list */
	uint8_t of[VT_BULK];
	vt_value v[VT_BULK];
};

/* The step that the lambda is: a fold that begins with $1; or NULL. */
static const vt_lambda_step *
whole_fold(const vt_fold *f)
{
	const vt_lambda_program *t = f->t;
	const vt_lambda_step *x = t->kind == VT_PROGRAM_VALUE ? &t->t[t->out[0]] : NULL;
	const vt_nest *nest = x != NULL && x->op == VT_STEP_NEST ? x->by : NULL;

	if (nest == NULL || nest->reduce != VT_NEST_FOLDED || nest->n != 1 || nest->skip != 0 ||
		nest->most != UINT32_MAX || x->guard != VT_STEP_K || x->c == VT_STEP_K ||
		t->t[x->c].op != VT_STEP_ITEM || t->t[x->c].a != 0 || f->needs >> x->a & 1)
		return NULL;
	for (uint32_t k = 0; k < x->n; k++)
		if (x->args[k] != VT_STEP_K && f->needs >> x->args[k] & 1)
			return NULL;
	return x;
}

void
vt_fold_look_inside(vt_fold *f)
{
	const vt_lambda_step *x = whole_fold(f);

	if (x == NULL)
		return;
	f->inside = vt_xmalloc(sizeof *f->inside);
	f->inside->t = x;
	f->inside->at = f->inside->n = 0;
	f->inside->f =
		vt_fold_of(f->s->rt, ((const vt_nest *)x->by)->stage[0].program, f->s->scope);
	if (f->inside->f != NULL)
		vt_fold_nest(f->inside->f, f->s, x->args, f->inside->of);
}

void
vt_fold_leave_inside(vt_fold *f)
{
	if (f->inside == NULL)
		return;
	vt_fold_free(f->inside->f);
	free(f->inside);
}

void
vt_fold_begin_inside(vt_fold *f)
{
	if (f->inside == NULL)
		return;
	f->inside->at = f->inside->n = 0;
	if (f->inside->f != NULL)
		f->inside->f->s->still = f->s->still;
}

bool
vt_fold_nests(const vt_fold *f)
{
	return f->inside != NULL && f->inside->f != NULL;
}

bool
vt_fold_is_lost(const vt_fold *f)
{
	return f->lost;
}

static const vt_list *
list_of(const vt_fold *f, uint32_t i)
{
	const vt_value *v = f->s->col[f->inside->t->a];

	return v != NULL && v[i] != VT_UNDEF && vt_is_sequence(v[i]) ? vt_as_list(v[i]) : NULL;
}

/* Reads what follows the first k of the i-th item's list, and the lists behind it; false: none. */
static bool
read_on(vt_fold *f, uint32_t i, uint32_t k)
{
	struct vt_fold_inside *w = f->inside;
	uint32_t n = 0, place = k;
	const vt_list *l;

	for (uint32_t j = i; j < f->s->n && n < VT_BULK && (l = list_of(f, j)) != NULL; j++, k = 0)
		for (; k < l->n && n < VT_BULK; k++) {
			w->v[n] = l->v[k];
			w->of[n++] = (uint8_t)j;
		}
	w->at = 0;
	w->n = vt_fold_fill(w->f, n, w->v);
	w->place = place;
	return w->n > 0;
}

/* So many of those at hand, which are of one list: how many it was for. */
static uint32_t
run(vt_fold *f, uint32_t n, vt_value *sum)
{
	struct vt_fold_inside *w = f->inside;
	vt_session *session = f->s->rt->s;
	uint32_t to = w->at + n, i;
	vt_value next;

	for (i = w->at + vt_fold_run(w->f, w->at, to, sum, NULL); i < to;
		i += 1 + vt_fold_run(w->f, i + 1, to, sum, NULL)) {
		session->spare = vt_is_ptr(*sum) ? *sum : VT_UNDEF;
		if (vt_fold_change(w->f, i, sum))
			continue;
		if (!vt_fold_step(w->f, i, *sum, &next))
			break;
		vt_move(sum, next);
	}
	n = i - w->at;
	w->at = i;
	w->place = i < w->n && i > 0 && w->of[i] == w->of[i - 1] ? w->place + n : 0;
	return n;
}

/* All of the i-th item's list; how many it was for. */
static uint32_t
run_list(vt_fold *f, uint32_t i, const vt_list *l, vt_value *sum)
{
	struct vt_fold_inside *w = f->inside;
	uint32_t done = 0;

	while (done < l->n) {
		uint32_t n = l->n - done, m;
		if ((w->at == w->n || w->of[w->at] != i || w->place != done) &&
			!read_on(f, i, done))
			break;
		n = n < w->n - w->at ? n : w->n - w->at;
		m = run(f, n, sum);
		done += m;
		if (m < n)
			break;
	}
	return done;
}

bool
vt_fold_change_inside(vt_fold *f, uint32_t i, vt_value *sum)
{
	const vt_list *l = list_of(f, i);
	vt_session *session = f->s->rt->s;
	vt_value spare = session->spare, was = VT_UNDEF;
	bool owned = vt_is_ptr(*sum) && spare == *sum && vt_head_of(*sum)->rc == 1;
	uint32_t done;

	if (l == NULL || f->lost)
		return false;
	if (l->n == 0)
		return true;
	if (!vt_is_ptr(*sum) || vt_is(*sum, FLOAT))
		was = vt_copy(*sum);
	else if (!owned)
		return false;
	done = run_list(f, i, l, sum);
	session->spare = spare;
	if (done < l->n && was != VT_UNDEF) {
		vt_move(sum, was);
		return false;
	}
	vt_release(was);
	f->lost = done < l->n && (done > 0 || f->inside->f->lost);
	return done == l->n;
}

/*
 * pull.c - vt_pull: the items of an iterator, many at a time where it has a bulk(); a consumer may
 * stop anywhere.
 */
#include "runtime/seq/lambda_program.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/seq/unmade.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Below these an iterator is asked one by one for a while: what its programs cannot do would be
 * tried twice. */
enum { FEW = 4 };

/* Room for the items of a pull: the session keeps what was given back. */
typedef struct vt_pull_items {
	struct vt_pull_items *next;
	vt_value item[VT_BULK];
} vt_pull_items;

static vt_value *
take_items(vt_rt *rt)
{
	vt_pull_items *x = rt->s->pull_items;

	if (x == NULL)
		return ((vt_pull_items *)vt_xmalloc(sizeof *x))->item;
	rt->s->pull_items = x->next;
	return x->item;
}

void
vt_pull_give(vt_pull *p)
{
	vt_pull_items *x;

	if (p->item == NULL)
		return;
	x = (vt_pull_items *)(void *)((char *)p->item - offsetof(vt_pull_items, item));
	x->next = p->rt->s->pull_items;
	p->rt->s->pull_items = x;
	p->item = NULL;
}

void
vt_pull_free(vt_pull *p)
{
	if (p == NULL)
		return;
	while (p->at < p->n)
		vt_release(p->item[p->at++]);
	vt_pull_give(p);
	free(p);
}

void
vt_pulls_drop(vt_rt *rt)
{
	for (vt_pull_items *x = rt->s->pull_items, *next; x != NULL; x = next) {
		next = x->next;
		free(x);
	}
	rt->s->pull_items = NULL;
}

uint32_t
vt_pull_most(const vt_pull *p)
{
	const vt_iter *it = VT_AS(vt_iter, p->iter);
	bool list = it->ops->bulk != NULL && vt_is(p->iter, ITER) && vt_is_sequence(it->v[0]);

	return list && vt_as_list(it->v[0])->n > it->i[0]
		       ? vt_as_list(it->v[0])->n - (uint32_t)it->i[0]
		       : 8;
}

vt_status
vt_pull_more(vt_pull *p, vt_value *out)
{
	vt_rt *rt = p->rt;

	if (p->singly || vt_pull_ahead(p) == 0)
		return vt_next(rt, p->iter, out);
	*out = p->item[p->at++];
	return VT_OK;
}

static uint32_t
ahead(vt_pull *p, vt_unmade *u)
{
	vt_iter *it = VT_AS(vt_iter, p->iter);
	vt_rt *rt = p->rt;

	if (p->at < p->n)
		return p->n - p->at;
	if (p->singly || (p->singly = vt_pipe_is_short(it)))
		return 0;
	p->at = p->n = 0;
	if (it->ops->bulk != NULL && rt->stack_limit == 0 && rt->depth < rt->max_depth &&
		!vt_patience_waits(&p->lean)) {
		if (p->item == NULL)
			p->item = take_items(rt);
		memcpy(p->from, it->i, sizeof p->from);
		it->h.aux = (uint16_t)((p->wants_plain ? VT_WANTS_PLAIN : 0) |
				       (p->shares ? VT_SHARES : 0) | (p->still ? VT_STILL : 0) |
				       (p->counts ? VT_WANTS_COUNT : 0) |
				       (u != NULL ? VT_WANTS_UNMADE : 0));
		rt->s->unmade = u;
		p->n = it->ops->bulk(rt, it, VT_BULK, p->item);
		rt->s->unmade = NULL;
		p->plain = (it->h.aux & VT_GAVE_PLAIN) != 0;
		p->one_way |= (it->h.aux & VT_ONE_WAY) != 0;
		vt_patience_tell(&p->lean, p->n >= FEW);
		p->singly = (it->h.aux & VT_NO_MORE) != 0;
		it->h.aux = 0;
	}
	return p->n;
}

uint32_t
vt_pull_ahead(vt_pull *p)
{
	return ahead(p, NULL);
}

vt_unmade *
vt_unmade_wanted(vt_rt *rt, const vt_iter *it)
{
	return it->h.aux & VT_WANTS_UNMADE ? rt->s->unmade : NULL;
}

uint32_t
vt_pull_unmade(vt_pull *p, vt_unmade *u)
{
	uint32_t n;

	u->m = 0;
	n = ahead(p, u);
	if (u->m > 0)
		p->n = 0;
	return n;
}

void
vt_pull_settle(vt_pull *p, vt_unmade *u, uint32_t done)
{
	uint32_t n = u->n;

	if (done < n)
		vt_unmade_make(u, p->rt, done, p->item + done, NULL);
	p->at = done;
	p->n = n;
	vt_unmade_close(u);
}

void
vt_pull_to_list(vt_pull *p, vt_list *l, bool closed)
{
	const vt_value *item = p->item + p->at;
	uint32_t n = p->n - p->at, i = 0;

	if (n == 0 || n > VT_MOST_ITEMS - l->n)
		return;
	while (closed && i < n && !vt_is(item[i], ITER) && !vt_is(item[i], MEMO))
		i++;
	n = closed ? i : n;
	vt_list_append(p->rt, l, n, item);
	p->at += n;
}

/* What was pulled is pulled again from where the last bulk began: that gives the same, and stops
 * where it should.  Code that runs meanwhile must not see what the consumer has raised. */
void
vt_pull_close(vt_pull *p)
{
	vt_iter *it = VT_AS(vt_iter, p->iter);
	vt_value raised = VT_UNDEF;
	uint32_t used = p->at;

	if (p->at < p->n) {
		raised = vt_exc_take(p->rt);
		while (p->n > p->at)
			vt_release(p->item[--p->n]);
		if (!p->one_way)
			memcpy(it->i, p->from, sizeof p->from);
		while (!p->one_way && used > 0) {
			uint32_t n = it->ops->bulk(p->rt, it, used, p->item);
			if (n == 0 && vt_next(p->rt, p->iter, &p->item[n]) != VT_OK)
				break;
			n += n == 0;
			used -= n;
			while (n > 0)
				vt_release(p->item[--n]);
		}
		if (raised != VT_UNDEF)
			vt_exc_set(p->rt, raised);
	}
	vt_pull_give(p);
}

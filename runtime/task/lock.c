/*
 * lock.c - one task at a time in a method of an object: muranopl-engine.md M9.
 *
 * A call links a vt_hold into rt->holds and is done.  Only a task that is about to wait makes what
 * it holds visible, in a table that others consult; so a program without tasks pays for a list of
 * records, and a task puts each of its records there once at most.
 *
 * Invariants: rt->nlocks is the number of locks in the table; a lock has an owner; its count is the
 * number of the owner's holds that point to it (calls are re-entrant within a task).  A lock is
 * handed to the first who waits, so that nobody else can come between.
 */
#include "runtime/task/int.h"
#include "runtime/core/session.h"
#include "runtime/core/kind.h"

#include <stdlib.h>
#include <string.h>

typedef struct vt_lock {
	struct vt_lock *next; /* in its bucket */
	vt_value self, key;   /* as in vt_hold; key is counted */
	const vt_method_decl *method;
	vt_task *owner;
	uint32_t count;
	vt_queue waiters; /* tasks */
} lock;

struct vt_locks {
	lock **bucket;
	uint32_t n, mask;
};

/* Of the objects and texts among the arguments: other values may equal one that has another
 * form. */
static uint64_t
hash_key(vt_value key)
{
	uint64_t sum = 0;
	vt_value name, v;
	for (uint32_t i = 0; vt_is(key, DICT) && vt_dict_at(vt_as_dict(key), &i, &name, &v);)
		sum += vt_is(v, OBJECT) || vt_is(v, CAST) ? (uint64_t)(uintptr_t)vt_obj_of(v) >> 4
		       : vt_is(v, STR)                    ? vt_hash(v)
							  : 0;
	return sum;
}

static size_t
hash(const vt_hold *h)
{
	uint64_t x = h->self ^ ((uint64_t)(uintptr_t)h->method << 16);
	if (h->key != VT_UNDEF)
		x += hash_key(h->key);
	return (size_t)(x * UINT64_C(0x9e3779b97f4a7c15) >> 24);
}

static lock **
find(struct vt_locks *t, const vt_hold *h)
{
	lock **p = &t->bucket[hash(h) & t->mask];
	for (; *p != NULL; p = &(*p)->next)
		if ((*p)->self == h->self && (*p)->method == h->method &&
			((*p)->key == h->key || ((*p)->key != VT_UNDEF && h->key != VT_UNDEF &&
							vt_eq((*p)->key, h->key))))
			break;
	return p;
}

static void
resize(struct vt_locks *t, uint32_t size)
{
	lock **old = t->bucket;
	uint32_t n = old ? t->mask + 1 : 0;
	t->bucket = vt_xzalloc(size * sizeof *t->bucket);
	t->mask = size - 1;
	for (uint32_t i = 0; i < n; i++)
		for (lock *l = old[i], *next; l != NULL; l = next) {
			vt_hold h = {.self = l->self, .key = l->key, .method = l->method};
			lock **to = &t->bucket[hash(&h) & t->mask];
			next = l->next;
			l->next = *to;
			*to = l;
		}
	free(old);
}

static struct vt_locks *
table(vt_sched *s)
{
	if (s->locks == NULL) {
		s->locks = vt_xzalloc(sizeof *s->locks);
		resize(s->locks, 64);
	}
	if (s->locks->n > s->locks->mask)
		resize(s->locks, 2 * (s->locks->mask + 1));
	return s->locks;
}

static lock *
add(vt_sched *s, const vt_hold *h, lock **at)
{
	lock *l = vt_xmalloc(sizeof *l);
	*l = (lock){
		.self = h->self, .key = vt_copy(h->key), .method = h->method, .owner = s->current};
	l->waiters.tail = &l->waiters.head;
	l->next = *at;
	*at = l;
	s->locks->n++;
	s->rt->nlocks++;
	return l;
}

/* Records without a lock stand between; those below one that is visible are visible. */
void
vt_locks_publish(vt_sched *s)
{
	for (vt_hold *h = s->rt->holds; h != NULL && h->lock == NULL; h = h->up) {
		lock **at;
		if (h->self == VT_UNDEF)
			continue;
		at = find(table(s), h);
		h->lock = *at ? *at : add(s, h, at);
		h->lock->count++;
	}
}

struct search {
	vt_task *head, **tail;
	uint64_t id;
};

static void
note(struct search *q, vt_task *t, vt_task *via)
{
	if (t == NULL || t->search == q->id)
		return;
	t->search = q->id;
	t->via = via;
	t->todo = NULL;
	*q->tail = t;
	q->tail = &t->todo;
}

/*
 * Does `owner` wait, in the end, for the current task? A task waits for the one that has its lock,
 * and for all of the branches that it started; so from the current task the search goes to its
 * parent and to those that wait for a lock of its, and so on. Who runs, sleeps or waits for a
 * descriptor waits for nobody.
 */
static bool
closes_ring(vt_sched *s, vt_task *owner)
{
	struct search q = {.tail = &q.head, .id = ++s->last_search};
	if (owner->waiting != WAIT_LOCK && owner->waiting != WAIT_JOIN)
		return false;
	note(&q, s->current, NULL);
	for (vt_task *t = q.head; t != NULL && owner->search != q.id; t = t->todo) {
		const vt_hold *h = t == s->current ? s->rt->holds : t->local.holds;
		note(&q, vt_task_parent(t), t);
		for (; h != NULL; h = h->up)
			for (vt_item *i = h->lock ? h->lock->waiters.head : NULL; i != NULL;
				i = i->next)
				note(&q, (vt_task *)i, t);
	}
	return owner->search == q.id;
}

vt_status
vt_lock_wait(vt_rt *rt, vt_hold *h)
{
	vt_sched *s = rt->s->sched;
	vt_task *t = s->current;
	lock *l = *find(table(s), h);
	vt_status st;
	if (l == NULL || l->owner == t)
		return VT_OK;
	t->lock = l;
	t->hold = h;
	if (closes_ring(s, l->owner)) {
		st = vt_deadlock(s, l->owner);
	} else {
		const vt_act *act = rt->act && &rt->act->hold == h ? rt->act->up : rt->act;
		if (rt->s->waits != NULL)
			rt->s->waits(rt, act ? &act->hold : NULL, h);
		vt_queue_put(&l->waiters, &t->item);
		st = vt_block(s, WAIT_LOCK); /* the lock is ours afterwards, or forgotten */
	}
	t->lock = NULL;
	return st;
}

static void
drop(vt_sched *s, lock *l)
{
	vt_hold h = {.self = l->self, .key = l->key, .method = l->method};
	*find(s->locks, &h) = l->next;
	vt_release(l->key);
	free(l);
	s->locks->n--;
	s->rt->nlocks--;
}

void
vt_lock_release(vt_rt *rt, vt_hold *h)
{
	vt_sched *s = rt->s->sched;
	lock *l = h->lock;
	vt_task *t;
	h->lock = NULL;
	if (--l->count > 0)
		return;
	t = (vt_task *)vt_queue_take(&l->waiters);
	if (t == NULL) {
		drop(s, l);
		return;
	}
	l->owner = t;
	l->count = 1;
	/* its key may be another one that is equal; the lock keeps its own */
	t->hold->lock = l;
	vt_wake(s, t);
}

void
vt_lock_forget(vt_sched *s, vt_task *t)
{
	vt_item **p = &t->lock->waiters.head;
	while (*p != &t->item)
		p = &(*p)->next;
	*p = t->item.next;
	if (*p == NULL)
		t->lock->waiters.tail = p;
	t->lock = NULL;
}

__attribute__((cold)) void
vt_lock_report(vt_sched *s, vt_buf *b, const vt_task *t)
{
	const lock *l = t->lock;
	vt_buf_printf(b, "%s.%s", l->method->cls->name->s, l->method->name->s);
	if (vt_is(l->self, OBJECT)) {
		vt_buf_puts(b, " of object ");
		vt_kinds[VT_K_OBJECT].label(b, l->self);
	}
	vt_buf_printf(b, ", which task %llu runs", (unsigned long long)l->owner->id);
}

void
vt_locks_destroy(vt_sched *s)
{
	if (s->locks != NULL)
		free(s->locks->bucket);
	free(s->locks);
}

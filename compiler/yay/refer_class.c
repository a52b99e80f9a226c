/*
 * refer_class.c - classes of values, with a slot for each name and one class for all items.
 *
 * Uniting two classes unites their slots of one name, and so on; a union-find over classes and over
 * slots does it.
 */
#include "compiler/yay/refer_int.h"

#include <stdlib.h>
#include <string.h>

uint32_t
rf_class(yay_refer *r)
{
	if (!r->nclasses)
		vc_push(r->c, r->class, r->nclasses) = (class){0}; /* 0 is none */
	uint32_t k = r->nclasses;
	vc_push(r->c, r->class, r->nclasses) = (class){.up = k};
	return k;
}

uint32_t
rf_root(yay_refer *r, uint32_t k)
{
	while (r->class[k].up != k)
		k = r->class[k].up = r->class[r->class[k].up].up;
	return k;
}

uint32_t
rf_slot_root(yay_refer *r, uint32_t s)
{
	while (r->slot[s].up != s)
		s = r->slot[s].up = r->slot[r->slot[s].up].up;
	return s;
}

uint32_t
rf_find(yay_refer *r, uint32_t k, const char *name)
{
	for (uint32_t s = k ? r->class[rf_root(r, k)].slots : 0; s; s = r->slot[s].next)
		if (strcmp(r->slot[s].name, name) == 0)
			return s;
	return 0;
}

uint32_t
rf_slot(yay_refer *r, uint32_t k, const char *name)
{
	uint32_t s = rf_find(r, k, name), of = rf_root(r, k), value;

	if (s)
		return s;
	value = rf_class(r);
	if (!r->nslots)
		vc_push(r->c, r->slot, r->nslots) = (slot){0};
	s = r->nslots;
	vc_push(r->c, r->slot, r->nslots) = (slot){
		.up = s, .owner = of, .value = value, .name = name, .next = r->class[of].slots};
	r->class[of].slots = s;
	return s;
}

uint32_t
rf_value(yay_refer *r, uint32_t s)
{
	return r->slot[rf_slot_root(r, s)].value;
}

uint32_t
rf_items(yay_refer *r, uint32_t k)
{
	uint32_t of = rf_root(r, k);

	if (!r->class[of].items) {
		uint32_t items = rf_class(r);
		r->class[of].items = items;
	}
	return r->class[of].items;
}

typedef struct pairs {
	uint32_t (*of)[2];
	uint32_t n, cap;
} pairs;

static void
push_pair(pairs *p, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return;
	if (p->n == p->cap)
		p->of = vt_xrealloc(p->of, (p->cap = p->cap ? 2 * p->cap : 64) * sizeof *p->of);
	p->of[p->n][0] = a;
	p->of[p->n++][1] = b;
}

/* Slots of b become slots of a; those of one name are one. */
static void
take_slots(yay_refer *r, uint32_t a, uint32_t b, pairs *todo)
{
	uint32_t next;

	for (uint32_t s = r->class[b].slots; s; s = next) {
		uint32_t other = rf_find(r, a, r->slot[s].name);
		next = r->slot[s].next;
		if (other) {
			uint32_t x = rf_slot_root(r, other), y = rf_slot_root(r, s);
			if (x != y) {
				push_pair(todo, r->slot[x].value, r->slot[y].value);
				r->slot[y].up = x;
				r->slot[x].alone |= r->slot[y].alone;
			}
		} else {
			r->slot[s].owner = a;
			r->slot[s].next = r->class[a].slots;
			r->class[a].slots = s;
		}
	}
}

void
rf_unite(yay_refer *r, uint32_t first, uint32_t second)
{
	pairs todo = {0};

	push_pair(&todo, first, second);
	while (todo.n > 0) {
		uint32_t a = rf_root(r, todo.of[todo.n - 1][0]),
			 b = rf_root(r, todo.of[todo.n - 1][1]);
		todo.n--;
		if (a == b)
			continue;
		r->class[b].up = a;
		take_slots(r, a, b, &todo);
		push_pair(&todo, r->class[a].items, r->class[b].items);
		push_pair(&todo, r->class[a].arguments, r->class[b].arguments);
		if (!r->class[a].items)
			r->class[a].items = r->class[b].items;
		if (!r->class[a].arguments)
			r->class[a].arguments = r->class[b].arguments;
		r->class[a].walked |= r->class[b].walked;
	}
	free(todo.of);
}

void
rf_unite_slots(yay_refer *r, uint32_t a, uint32_t b)
{
	uint32_t x = rf_slot_root(r, a), y = rf_slot_root(r, b);

	if (x == y)
		return;
	rf_unite(r, r->slot[x].value, r->slot[y].value);
	r->slot[x].alone |= r->slot[y].alone;
	r->slot[y].up = x;
}

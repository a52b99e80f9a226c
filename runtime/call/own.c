/*
 * own.c - types of parameters that a host made: checks and conversions by callback, alone or in
 * sums and chains with those of the library.
 *
 * even|str takes either, and what the first that fits makes of the value; small&even takes what all
 * of a chain take, and each makes something of what the one before it made; any-even takes all but
 * that.  null passes by the ? of the parameter only, as everywhere.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

const vt_named_type *
vt_type_named(vt_rt *rt, const char *name)
{
	const vt_named_type *t = rt->s->host_types;

	while (t != NULL && strcmp(t->name, name) != 0)
		t = t->next;
	return t;
}

static bool
is_word(const char *s)
{
	return *s != '\0' && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_") == strlen(s);
}

bool
vt_type_define(vt_rt *rt, const char *name, const vt_named_type *given)
{
	vt_named_type *t;

	if (!is_word(name) || vt_type_named(rt, name) != NULL)
		return false;
	for (int i = 0; i < VT_T_COUNT; i++)
		if (strcmp(vt_type_name((enum vt_type)i), name) == 0)
			return false;
	t = vt_xmalloc(sizeof *t);
	*t = *given;
	t->name = vt_xstrdup(name);
	t->next = rt->s->host_types;
	rt->s->host_types = t;
	return true;
}

void
vt_types_forget(vt_rt *rt)
{
	for (vt_named_type *t = rt->s->host_types, *next; t != NULL; t = next) {
		next = t->next;
		if (t->drop != NULL)
			t->drop(t->data);
		free(t->name);
		free(t);
	}
	rt->s->host_types = NULL;
}

/* ---- values ---- */

static bool
part_takes(vt_rt *rt, const vt_unit *u, const vt_own_part *p, vt_value v)
{
	if (p->named != NULL)
		return p->named->check(rt, p->named->data, v);
	return vt_type_takes(u, p->type, v);
}

/* The chain that begins at i takes the value; *end is where the next one begins. */
static bool
chain_takes(
	vt_rt *rt, const vt_unit *u, const vt_own_type *t, uint32_t i, vt_value v, uint32_t *end)
{
	bool takes = part_takes(rt, u, &t->part[i], v);

	for (i++; i < t->n && t->part[i].how == VT_OWN_AND; i++)
		takes = takes && part_takes(rt, u, &t->part[i], v);
	*end = i;
	return takes;
}

/* Where the first chain begins that takes the value; t->n: none, or one that must not. */
static uint32_t
chain_for(vt_rt *rt, const vt_unit *u, const vt_own_type *t, vt_value v)
{
	uint32_t found = t->n, end;

	for (uint32_t i = 0; i < t->n; i = end) {
		bool but = t->part[i].how == VT_OWN_BUT;
		if (!but && found < t->n) {
			for (end = i + 1; end < t->n && t->part[end].how == VT_OWN_AND;)
				end++;
			continue;
		}
		if (!chain_takes(rt, u, t, i, v, &end))
			continue;
		if (but)
			return t->n;
		found = i;
	}
	return found;
}

bool
vt_own_takes(vt_rt *rt, const vt_unit *u, const vt_own_type *t, vt_value v)
{
	return v != VT_NOVALUE && chain_for(rt, u, t, v) < t->n;
}

vt_status
vt_own_convert(vt_rt *rt, const vt_unit *u, const vt_own_type *t, vt_value v, vt_value *out)
{
	uint32_t i = v == VT_NULL ? t->n : chain_for(rt, u, t, v);
	vt_value made;

	*out = vt_copy(v);
	if (i == t->n)
		return VT_OK;
	do {
		const vt_named_type *named = t->part[i].named;
		if (named == NULL || named->convert == NULL)
			continue;
		made = VT_UNDEF;
		if (named->convert(rt, named->data, *out, &made) != VT_OK) {
			vt_clear(out);
			return VT_ERROR;
		}
		vt_move(out, made);
	} while (++i < t->n && t->part[i].how == VT_OWN_AND);
	return VT_OK;
}

/* ---- which is more special ---- */

bool
vt_own_above(const vt_fnparam *a, const vt_fnparam *b)
{
	const vt_named_type *x = a->own && a->own->n == 1 ? a->own->part[0].named : NULL;
	const char *other = b->own == NULL ? vt_type_name((enum vt_type)b->type)
			    : b->own->n == 1 && b->own->part[0].named ? b->own->part[0].named->name
								      : NULL;

	return x != NULL && x->above != NULL && other != NULL && x->above(x->data, other);
}

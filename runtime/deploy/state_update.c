/*
 * state_update.c - what nodes were made of, and updates that have not reached their end.
 */
#include "runtime/deploy/state.h"

#include <stdlib.h>
#include <string.h>

/* Does the step's name end with the operation of one of these roles? */
bool
vt_state_is_one_of(const mugl_node *step, uint8_t first, uint8_t last)
{
	const char *dot = NULL;
	for (size_t i = 0; step->kind == MUGL_STR && i < step->n; i++)
		if (step->s[i] == '.')
			dot = step->s + i + 1;
	for (uint8_t r = first; dot && r <= last; r++) {
		const char *name[] = {vt_troles[r].op, vt_troles[r].cloudify};
		for (size_t k = 0; k < VT_LEN(name) && name[k]; k++)
			if (strlen(name[k]) == (size_t)(step->s + step->n - dot) &&
				!memcmp(dot, name[k], strlen(name[k])))
				return true;
	}
	return false;
}

/* Was the node begun at all? What an undoing leaves out was not. */
bool
vt_state_was_begun(const mugl_node *p)
{
	const mugl_node *done = p ? mugl_get(p, KEY("done")) : NULL,
			*state = p ? mugl_get(p, KEY("state")) : NULL;
	return p && ((done && done->n > 0) || mugl_get(p, KEY("begun")) ||
			    !vt_state_is_text(state, "initial"));
}

static const mugl_node *
made_of(const mugl_node *p, const char *part)
{
	const mugl_node *made = p ? mugl_get(p, KEY("made")) : NULL;
	return made && made->kind == MUGL_OBJECT ? mugl_get(made, part, strlen(part)) : NULL;
}

static bool
is_same_part(const mugl_node *p, vt_value part, vt_value hash)
{
	const mugl_node *old = made_of(p, vt_as_str(part)->s);
	return old && vt_state_is_text(old, vt_as_str(hash)->s);
}

/* Names of what is other than it was, has come or has gone. */
static uint32_t
parts_that_differ(vt_tstate *s, const mugl_node *p, vt_dict *now, mugl_node *list)
{
	const mugl_node *made = mugl_get(p, KEY("made"));
	vt_value key, v;
	uint32_t pos = 0, n = 0;
	while (vt_dict_at(now, &pos, &key, &v))
		if (!is_same_part(p, key, v)) {
			mugl_push(s->g, list,
				mugl_str(s->g, vt_as_str(key)->s, vt_as_str(key)->bytes));
			n++;
		}
	for (uint32_t i = 0; i < made->n; i++) {
		vt_value name = vt_str_new(s->rt, made->member[i].key, made->member[i].nkey);
		if (vt_dict_get(now, name) == VT_UNDEF) {
			mugl_push(s->g, list,
				mugl_str(s->g, made->member[i].key, made->member[i].nkey));
			n++;
		}
		vt_release(name);
	}
	return n;
}

static void
put_made(vt_tstate *s, mugl_node *p, vt_dict *now)
{
	mugl_node *made = mugl_put(s->g, p, KEY("made"), mugl_object());
	vt_value key, v;
	uint32_t pos = 0;
	while (vt_dict_at(now, &pos, &key, &v))
		mugl_put(s->g, made, vt_as_str(key)->s, vt_as_str(key)->bytes,
			mugl_str(s->g, vt_as_str(v)->s, vt_as_str(v)->bytes));
}

/* For people; what cannot be kept is left out. */
static void
put_values(vt_tstate *s, mugl_node *p, const vt_dict *values)
{
	const char *why;
	mugl_node v;
	if (mugl_from_value(s->g, s->rt, vt_mkptr(values), NULL, &v, &why))
		mugl_put(s->g, p, KEY("values"), v);
}

vt_value
vt_tstate_made(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	const mugl_node *p = vt_state_read(s, vt_state_find(s, t, n)),
			*v = p && vt_state_was_begun(p) ? mugl_get(p, KEY("values")) : NULL;
	return v && v->kind == MUGL_OBJECT ? mugl_to_value(s->g, s->rt, v, "#ref") : VT_UNDEF;
}

static bool
has_been_made(const mugl_node *p)
{
	const mugl_node *done = mugl_get(p, KEY("done")), *begun = mugl_get(p, KEY("begun"));
	for (uint32_t i = 0; done && done->kind == MUGL_ARRAY && i < done->n; i++)
		if (vt_state_is_one_of(&done->item[i], VT_TL_PRE_SOURCE, VT_TL_ESTABLISH_TARGET))
			return true;
	return begun && vt_state_is_one_of(begun, VT_TL_PRE_SOURCE, VT_TL_ESTABLISH_TARGET);
}

/* "requirements/db[0]" of a part that says where a relationship leads. */
static bool
is_of_part(const mugl_node *step, const mugl_node *parts)
{
	static const char lead[] = "requirements/";
	for (uint32_t i = 0; i < parts->n; i++) {
		const mugl_node *part = &parts->item[i];
		const char *name = part->s + sizeof lead - 1;
		size_t n = part->n - (sizeof lead - 1), bare;
		if (part->n < sizeof lead || memcmp(part->s, lead, sizeof lead - 1) != 0 ||
			memchr(name, '/', n))
			continue;
		for (bare = n; bare && name[bare - 1] != '['; bare--)
			;
		bare = bare ? bare - 1 : n;
		if ((step->n > n && !memcmp(step->s, name, n) && step->s[n] == '.') ||
			(step->n > bare && !memcmp(step->s, name, bare) && step->s[bare] == '.'))
			return true;
	}
	return false;
}

/* Begins an update of a node: what is to be done again is not done any more. */
static void
begin_update(vt_tstate *s, mugl_node *p, mugl_node parts)
{
	const mugl_node *old = mugl_get(p, KEY("done"));
	mugl_node list = mugl_array(), *u;
	for (uint32_t i = 0; old && old->kind == MUGL_ARRAY && i < old->n; i++) {
		const mugl_node *step = &old->item[i];
		if (vt_state_is_one_of(step, VT_TL_PRE_SOURCE, VT_TL_POSTSTART) ||
			vt_state_is_one_of(step, VT_TL_PRESTOP, VT_TL_STOP) ||
			(vt_state_is_one_of(step, VT_TL_ADD_TARGET, VT_TL_UNLINK_TARGET) &&
				is_of_part(step, &parts)))
			continue;
		mugl_push(s->g, &list, *step);
	}
	mugl_put(s->g, p, KEY("done"), list);
	u = mugl_put(s->g, p, KEY("update"), mugl_object());
	mugl_put(s->g, u, KEY("parts"), parts);
}

void
vt_state_end_update(vt_tstate *s, mugl_node *p)
{
	const mugl_node *old = mugl_get(p, KEY("done"));
	mugl_node list = mugl_array();
	for (uint32_t i = 0; old && old->kind == MUGL_ARRAY && i < old->n; i++)
		if (!vt_state_is_one_of(&old->item[i], VT_TL_PRESTOP, VT_TL_STOP) &&
			!vt_state_is_one_of(
				&old->item[i], VT_TL_TARGET_CHANGED, VT_TL_TARGET_CHANGED))
			mugl_push(s->g, &list, old->item[i]);
	mugl_put(s->g, p, KEY("done"), list);
	mugl_drop(p, KEY("update"));
}

void
vt_tstate_remake(vt_tstate *s, vt_tosca *t, vt_tnodei *n, const vt_tparts *now)
{
	mugl_node *p = vt_state_properties(s, t, n), parts = mugl_array();
	const mugl_node *made = mugl_get(p, KEY("made")), *old = mugl_get(p, KEY("update"));
	const mugl_node *more = old ? mugl_get(old, KEY("parts")) : NULL;
	bool differs =
		made && made->kind == MUGL_OBJECT && parts_that_differ(s, p, now->hash, &parts);
	if (differs && has_been_made(p)) {
		for (uint32_t i = 0; more && more->kind == MUGL_ARRAY && i < more->n; i++)
			if (more->item[i].kind == MUGL_STR)
				mugl_push(s->g, &parts, more->item[i]);
		begin_update(s, p, parts);
	}
	if (differs || !made)
		put_made(s, vt_state_properties(s, t, n), now->hash);
	put_values(s, vt_state_properties(s, t, n), now->value);
}

void
vt_tstate_notify(vt_tstate *s, vt_tosca *t, vt_tnodei *n)
{
	mugl_node *p = vt_state_properties(s, t, n), *u;
	if (mugl_get(p, KEY("update")))
		return;
	u = mugl_put(s->g, p, KEY("update"), mugl_object());
	mugl_put(s->g, u, KEY("told"), mugl_bool(true));
}

uint8_t
vt_tstate_update(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n, vt_buf *parts)
{
	const mugl_node *p = vt_state_read(s, vt_state_find(s, t, n)),
			*u = p ? mugl_get(p, KEY("update")) : NULL,
			*list = u ? mugl_get(u, KEY("parts")) : NULL;
	if (!u)
		return 0;
	if (!list || list->kind != MUGL_ARRAY)
		return VT_TU_NOTIFIED;
	for (uint32_t i = 0; parts && i < list->n; i++)
		if (list->item[i].kind == MUGL_STR) {
			if (i)
				vt_buf_putc(parts, ' ');
			vt_buf_put(parts, list->item[i].s, list->item[i].n);
		}
	return VT_TU_CHANGED;
}

bool
vt_tstate_differs(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n, vt_dict *now)
{
	const mugl_node *p = vt_state_read(s, vt_state_find(s, t, n)),
			*made = p ? mugl_get(p, KEY("made")) : NULL;
	vt_value key, v;
	uint32_t pos = 0;
	if (!made || made->kind != MUGL_OBJECT || !vt_state_was_begun(p))
		return false;
	while (vt_dict_at(now, &pos, &key, &v))
		if (!is_same_part(p, key, v))
			return true;
	return made->n != vt_dict_len(now);
}

bool
vt_tstate_knows(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	return vt_state_find(s, t, n) != MUGL_NONE;
}

bool
vt_tstate_has(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	return vt_state_was_begun(vt_state_read(s, vt_state_find(s, t, n)));
}

/*
 * context.c - contexts that a host makes: levels of variables and functions, and views of others.
 *
 * A context is a scope with one slot for $, whose other variables hang behind `ext`.  A view stands
 * for other contexts at one level (its parts), below a parent of its own; views of views have the
 * parts of these.  Evaluations in a context run in a child of it.
 */
#include "runtime/seq/seq.h"
#include "runtime/core/session.h"

#include <stdio.h>
#include <stdlib.h>

static const vt_scope_ext nothing;

static const vt_scope_ext *
ext_of(const vt_scope *s)
{
	return s->ext != NULL ? s->ext : &nothing;
}

static void
enlist(vt_rt *rt, vt_scope *s)
{
	vt_scope_ext *e = vt_scope_ext_of(s);

	e->next = rt->s->contexts;
	e->link = &rt->s->contexts;
	if (e->next != NULL)
		((vt_scope_ext *)e->next->ext)->link = &e->next;
	rt->s->contexts = s;
}

static void
delist(vt_scope_ext *e)
{
	if (e->link == NULL)
		return;
	*e->link = e->next;
	if (e->next != NULL)
		((vt_scope_ext *)e->next->ext)->link = e->link;
	e->link = NULL;
}

vt_scope *
vt_context_new(vt_rt *rt, const vt_unit *unit, vt_scope *parent)
{
	vt_scope *s;

	if (parent == NULL) {
		s = vt_scope_root(rt, unit, VT_NULL);
		s->v[0] = VT_UNDEF;
	} else {
		s = vt_scope_child(rt, parent, 1, &(vt_value){VT_UNDEF});
	}
	s->h.aux = VT_SCOPE_CONTEXT;
	enlist(rt, s);
	return s;
}

void
vt_contexts_break(vt_rt *rt)
{
	vt_scope *s;

	while ((s = rt->s->contexts) != NULL) {
		vt_scope_ext *e = s->ext;
		vt_dict *vars = e->vars;
		vt_value first = s->v[0];
		delist(e);
		s->v[0] = VT_UNDEF;
		e->vars = NULL;
		if (vars != NULL)
			vt_release(vt_mkptr(vars));
		vt_release(first);
	}
}

/* A context is in a part once, however many ways lead there. */
static void
add_part(vt_scope_ext *e, vt_scope *s)
{
	for (uint32_t i = 0; i < e->nparts; i++)
		if (e->part[i] == s)
			return;
	e->part[e->nparts++] = s;
	vt_retain(vt_mkptr(s));
}

vt_scope *
vt_context_view(vt_rt *rt, const vt_unit *unit, vt_scope *parent, vt_scope *const *of, uint32_t n)
{
	vt_scope *s = vt_context_new(rt, unit, parent);
	vt_scope_ext *e = vt_scope_ext_of(s);
	uint32_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all += ext_of(of[i])->nparts ? ext_of(of[i])->nparts : 1;
	e->part = vt_xmalloc(all * sizeof *e->part);
	for (uint32_t i = 0; i < n; i++) {
		const vt_scope_ext *x = ext_of(of[i]);
		for (uint32_t k = 0; k < x->nparts; k++)
			add_part(e, x->part[k]);
		if (x->nparts == 0)
			add_part(e, of[i]);
	}
	return s;
}

vt_scope *
vt_context_first(vt_scope *s)
{
	return ext_of(s)->nparts ? ext_of(s)->part[0] : s;
}

void
vt_context_name_as(vt_scope *s, uint8_t names_as)
{
	vt_scope_ext_of(vt_context_first(s))->names_as = (uint8_t)(names_as + 1);
}

/* That of the context, or of the next one around it that has one. */
uint8_t
vt_context_names_as(const vt_rt *rt, const vt_scope *s)
{
	for (; s != NULL; s = s->parent)
		for (uint32_t i = 0; vt_context_part(s, i) != NULL; i++)
			if (ext_of(vt_context_part(s, i))->names_as != 0)
				return (uint8_t)(ext_of(vt_context_part(s, i))->names_as - 1);
	return rt->s->names_as;
}

const vt_scope *
vt_context_part(const vt_scope *s, uint32_t i)
{
	const vt_scope_ext *e = ext_of(s);

	if (e->nparts == 0)
		return i == 0 ? s : NULL;
	return i < e->nparts ? e->part[i] : NULL;
}

void **
vt_context_table(vt_scope *s, void (*drop)(void *))
{
	vt_scope_ext *e = vt_scope_ext_of(s);

	e->drop = drop;
	return &e->table;
}

void *
vt_context_has_table(const vt_scope *s)
{
	return ext_of(s)->table;
}

void
vt_context_fini(vt_scope_ext *e)
{
	delist(e);
	if (e->table != NULL)
		e->drop(e->table);
	for (uint32_t i = 0; i < e->nparts; i++)
		vt_release(vt_mkptr(e->part[i]));
	free(e->part);
}

/* ---- variables ---- */

static vt_value
own_arg(const vt_scope *s, uint32_t n)
{
	const vt_scope_ext *e = ext_of(s);
	char text[16];

	if (n > 0 && n <= s->nargs)
		return s->v[n - 1];
	if (e->vars == NULL || snprintf(text, sizeof text, "%u", n) < 1)
		return VT_UNDEF;
	return vt_dict_get_c(e->vars, text);
}

vt_value
vt_context_arg(const vt_scope *s, uint32_t n)
{
	const vt_scope *p;
	vt_value v = VT_UNDEF;

	for (uint32_t i = 0; v == VT_UNDEF && (p = vt_context_part(s, i)) != NULL; i++)
		v = own_arg(p, n);
	return v;
}

static vt_value
named(const vt_scope *s, const vt_str *name)
{
	const vt_scope_ext *e = ext_of(s);
	vt_value v = e->vars != NULL ? vt_dict_get_str(e->vars, name) : VT_UNDEF;

	for (uint32_t i = 0; v == VT_UNDEF && s->names != NULL && i < s->names->n; i++)
		if (vt_str_eq(s->names->name[i], name))
			v = s->v[s->nargs + i];
	return v;
}

vt_value
vt_context_of_parts(const vt_scope *s, const vt_str *name)
{
	const vt_scope_ext *e = ext_of(s);
	vt_value v = VT_UNDEF;

	for (uint32_t i = 0; v == VT_UNDEF && i < e->nparts; i++)
		v = named(e->part[i], name);
	return v;
}

vt_value
vt_context_function(const vt_scope *s, const vt_str *name)
{
	const vt_scope_ext *e = ext_of(s);
	vt_value v = VT_UNDEF;

	for (uint32_t i = 0; v == VT_UNDEF && i < e->nparts; i++)
		if (ext_of(e->part[i])->fname != NULL && vt_str_eq(ext_of(e->part[i])->fname, name))
			v = ext_of(e->part[i])->function;
	return v;
}

vt_value
vt_context_own(const vt_scope *s, const vt_str *name)
{
	uint32_t n = vt_scope_position(name);
	const vt_scope *p;
	vt_value v = VT_UNDEF;

	for (uint32_t i = 0; v == VT_UNDEF && (p = vt_context_part(s, i)) != NULL; i++)
		v = n > 0 ? own_arg(p, n) : named(p, name);
	return v;
}

void
vt_context_set(vt_rt *rt, vt_scope *s, const vt_str *name, vt_value v)
{
	uint32_t n = vt_scope_position(name);

	s = vt_context_first(s);
	if (n > 0 && n <= s->nargs)
		vt_move(&s->v[n - 1], vt_copy(v));
	else
		vt_scope_set(rt, s, name, v);
}

/* In all parts, as the reference has it. */
bool
vt_context_unset(vt_rt *rt, vt_scope *s, const vt_str *name)
{
	uint32_t n = vt_scope_position(name);
	bool any = false;
	vt_scope *p;

	for (uint32_t i = 0; (p = (vt_scope *)vt_context_part(s, i)) != NULL; i++) {
		vt_scope_ext *e = p->ext;
		if (n > 0 && n <= p->nargs && p->v[n - 1] != VT_UNDEF) {
			vt_move(&p->v[n - 1], VT_UNDEF);
			any = true;
		} else if (e != NULL && e->vars != NULL) {
			any |= vt_dict_del(rt, e->vars, vt_mkptr(name));
		}
	}
	return any;
}

static void
add_name(vt_rt *rt, vt_dict *d, vt_value key)
{
	(void)vt_dict_set(rt, d, key, VT_NULL);
}

vt_value
vt_context_names(vt_rt *rt, const vt_scope *s)
{
	vt_dict *d = vt_dict_new(rt, false);
	const vt_scope *p;
	vt_value key, v;

	for (uint32_t i = 0; (p = vt_context_part(s, i)) != NULL; i++) {
		const vt_scope_ext *e = ext_of(p);
		for (uint32_t k = 0; k < p->nargs; k++) {
			key = vt_str_printf(rt, "%u", k + 1);
			if (p->v[k] != VT_UNDEF)
				add_name(rt, d, key);
			vt_release(key);
		}
		for (uint32_t k = 0; p->names != NULL && k < p->names->n; k++)
			if (p->v[p->nargs + k] != VT_UNDEF)
				add_name(rt, d, vt_mkptr(p->names->name[k]));
		for (uint32_t pos = 0; e->vars && vt_dict_at(e->vars, &pos, &key, &v);)
			add_name(rt, d, key);
	}
	return vt_mkptr(d);
}

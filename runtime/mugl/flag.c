/*
 * flag.c - the lists `taint` and `protect` of the front matter: changed, and taken along from
 * one snapshot to the next.
 */
#include "runtime/mugl/int.h"

static const char *const lists[] = {"taint", "protect"};

static mugl_node *
list_of(mugl *g, const char *list)
{
	return (mugl_node *)(uintptr_t)mugl_get(mugl_header(g), list, strlen(list));
}

/* Its place, or the end of the list. */
static uint32_t
place_in(const mugl_node *l, mugl_text name)
{
	uint32_t i = 0;

	while (i < l->n &&
		!(l->item[i].kind == MUGL_STR &&
			mugl_is((mugl_text){l->item[i].s, l->item[i].n}, name.p, name.n)))
		i++;
	return i;
}

static void
put_on(mugl *g, const char *list, mugl_text name)
{
	mugl_node *l = list_of(g, list);

	if (l == NULL)
		l = mugl_put(g, mugl_header(g), list, strlen(list), mugl_array());
	if (place_in(l, name) == l->n)
		mugl_push(g, l, mugl_str(g, name.p, name.n));
}

/* An empty list says nothing and goes. */
static void
take_off(mugl *g, const char *list, uint32_t i)
{
	mugl_node *l = list_of(g, list);

	memmove(&l->item[i], &l->item[i + 1], (l->n - i - 1) * sizeof *l->item);
	l->grown = 0; /* as in mugl_drop */
	if (--l->n == 0)
		mugl_drop(mugl_header(g), list, strlen(list));
}

static bool
wrong(mugl_problems *bad, const mugl *g, enum mugl_code code, const char *fmt, mugl_text name)
{
	vt_buf b = {0};

	mugl_put_shown(&b, name);
	mugl_add(bad, g, code, UINT64_MAX, fmt, (int)b.n, b.p ? b.p : "");
	vt_buf_free(&b);
	return false;
}

bool
mugl_flag(mugl *g, const char *list, const char *moniker, size_t n, bool on, mugl_problems *bad)
{
	mugl_text name = {moniker, (uint32_t)n};
	mugl_node *l = list_of(g, list);
	uint32_t i;

	if (l && l->kind != MUGL_ARRAY)
		return wrong(bad, g, MUGL_BAD_FLAGS,
			"%.*s of the front matter is no list of monikers", mugl_c(list));
	i = l ? place_in(l, name) : 0;
	if (!on && l && i < l->n)
		return take_off(g, list, i), true;
	if (mugl_find(g, moniker, n) == MUGL_NONE)
		return wrong(bad, g, MUGL_BAD_FLAGS, "%.*s is no vertex", name);
	if (on)
		put_on(g, list, name);
	return true;
}

bool
mugl_has_flags(const mugl *g)
{
	for (size_t k = 0; k < VT_LEN(lists); k++) {
		const mugl_node *l = mugl_get(&g->header, lists[k], strlen(lists[k]));
		if (l && l->kind == MUGL_ARRAY && l->n)
			return true;
	}
	return false;
}

static void
warn(mugl_problems *bad, const mugl *g, const char *list, const mugl_node *v)
{
	vt_buf b = {0};

	mugl_put_shown(&b, (mugl_text){v->s, v->n});
	mugl_add(bad, g, MUGL_BAD_FLAGS, mugl_place_of(g, v->s),
		"%.*s on the list '%s' is no vertex", (int)b.n, b.p ? b.p : "", list)
		->warning = true;
	bad->errors--;
	vt_buf_free(&b);
}

/* What is no list of texts is front matter like any other. */
void
mugl_flags_look(const mugl *g, mugl_problems *bad)
{
	for (size_t k = 0; k < VT_LEN(lists); k++) {
		const mugl_node *l = mugl_get(&g->header, lists[k], strlen(lists[k]));
		for (uint32_t i = 0; l && l->kind == MUGL_ARRAY && i < l->n; i++) {
			const mugl_node *v = &l->item[i];
			if (v->kind == MUGL_STR && mugl_find(g, v->s, v->n) == MUGL_NONE)
				warn(bad, g, lists[k], v);
		}
	}
}

/* What was replaced has no taint any more, but it is protected as its predecessor was. */
static void
carry(mugl *g, const mugl_plan *p, const char *list)
{
	const mugl_node *l = mugl_get(&p->from->header, list, strlen(list));
	mugl_id was, is;

	for (uint32_t i = 0; l && l->kind == MUGL_ARRAY && i < l->n; i++) {
		if (l->item[i].kind != MUGL_STR ||
			(was = mugl_find(p->from, l->item[i].s, l->item[i].n)) == MUGL_NONE ||
			(is = p->is[was]) == MUGL_NONE)
			continue;
		if (strcmp(list, "protect") == 0 || mugl_is_same_resource(p, was, is))
			put_on(g, list, mugl_name(g, is));
	}
}

void
mugl_carry_flags(const mugl *from, mugl *to)
{
	mugl_plan *p;

	if (!mugl_has_flags(from))
		return;
	p = mugl_diff_by_id(from, to, false);
	for (size_t k = 0; k < VT_LEN(lists); k++)
		carry(to, p, lists[k]);
	mugl_plan_free(p);
}

/* The plan without the taint, which asks for a replacement that nobody can see afterwards. */
bool
mugl_flags_allow(const mugl *from, const mugl *to, mugl_problems *bad)
{
	mugl *plain;
	mugl_plan *p;
	bool ok;

	if (!mugl_has_flags(from))
		return true;
	plain = mugl_clone(from);
	mugl_drop(mugl_header(plain), "taint", 5);
	p = mugl_diff_by_id(plain, to, false);
	ok = mugl_plan_allowed(p, bad);
	mugl_plan_free(p);
	mugl_free(plain);
	return ok;
}

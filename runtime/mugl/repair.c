/*
 * repair.c - makes a damaged graph valid: removes what cannot stay, sorts the rest.
 *
 * Each removal is reported.  The order is stable: what is in order stays where it is.
 */
#include "runtime/mugl/int.h"

typedef struct mender {
	mugl *g;
	mugl_problems *out;
	mugl_id vertex;
	vt_buf label;
} mender;

static mugl_problem *
reported(mender *m, enum mugl_code code, uint64_t place, const char *what, mugl_text which)
{
	vt_buf b = {0};
	mugl_problem *p;

	mugl_put_shown(&b, mugl_name(m->g, m->vertex));
	vt_buf_printf(&b, " loses %s ", what);
	mugl_put_shown(&b, which);
	p = mugl_add(m->out, m->g, code, place, "%.*s", (int)b.n, b.p);
	p->warning = true;
	m->out->errors--;
	mugl_at(p, m->g, m->vertex);
	vt_buf_free(&b);
	return p;
}

/* ---- edges that lead nowhere ---- */

static bool
leads_nowhere(mender *m, const mugl_node *v)
{
	vt_buf b = {0};

	if (v->kind != MUGL_EDGE || m->g->v[v->n].defined)
		return false;
	vt_buf_puts(&b, "its edge at ");
	mugl_put_plain(&b, (mugl_text){m->label.n ? m->label.p : "", (uint32_t)m->label.n});
	vt_buf_puts(&b, " to");
	vt_buf_putc(&b, '\0');
	reported(m, MUGL_UNKNOWN_REF, v->place, b.p, mugl_name(m->g, v->n))->ref =
		mugl_said(mugl_name(m->g, v->n));
	vt_buf_free(&b);
	return true;
}

static void
prune(mender *m, mugl_node *v)
{
	size_t n = m->label.n;
	uint32_t kept = 0;

	if (v->kind != MUGL_ARRAY && v->kind != MUGL_OBJECT)
		return;
	for (uint32_t i = 0; i < v->n; i++) {
		mugl_node *w = v->kind == MUGL_ARRAY ? &v->item[i] : &v->member[i].value;
		if (w->kind >= MUGL_ARRAY) {
			if (v->kind == MUGL_ARRAY)
				vt_buf_printf(&m->label, "[%u]", i);
			else {
				if (n)
					vt_buf_putc(&m->label, '.');
				vt_buf_put(&m->label, v->member[i].key, v->member[i].nkey);
			}
			if (leads_nowhere(m, w)) {
				m->label.n = n;
				continue;
			}
			prune(m, w);
			m->label.n = n;
		}
		if (v->kind == MUGL_ARRAY)
			v->item[kept] = v->item[i];
		else
			v->member[kept] = v->member[i];
		kept++;
	}
	v->grown = v->grown && kept == v->n;
	v->n = kept;
}

/* ---- resources ---- */

static bool
is_field(const mugl_member *m)
{
	static const char *const known[] = {"id", "type", "aliases", "properties"};

	for (size_t i = 0; i < VT_LEN(known); i++)
		if (mugl_is(mugl_c(known[i]), m->key, m->nkey))
			return true;
	return false;
}

static void
drop_fields(mender *m, mugl_node *body)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < body->n; i++) {
		const mugl_member *f = &body->member[i];
		uint64_t place = mugl_quote_of(m->g, f->key);
		if (is_field(f))
			body->member[kept++] = *f;
		else
			reported(m, MUGL_UNKNOWN_FIELD, place, "the field",
				(mugl_text){f->key, f->nkey})
				->field = mugl_said((mugl_text){f->key, f->nkey});
	}
	body->grown = body->grown && kept == body->n;
	body->n = kept;
}

/* First come, first served: who claims an alias again loses it. */
static void
drop_aliases(mender *m, mugl_node *body, mugl *claimed)
{
	mugl_node *a = (mugl_node *)(uintptr_t)mugl_get(body, "aliases", 7);
	uint32_t kept = 0;

	if (a == NULL || a->kind != MUGL_ARRAY)
		return;
	for (uint32_t i = 0; i < a->n; i++) {
		const mugl_node *s = &a->item[i];
		bool text = s->kind == MUGL_STR && s->n > 0;
		if (text && mugl_find(m->g, s->s, s->n) == MUGL_NONE &&
			mugl_find(claimed, s->s, s->n) == MUGL_NONE) {
			mugl_define(claimed, mugl_intern(claimed, s->s, s->n));
			a->item[kept++] = *s;
		} else
			reported(m, text ? MUGL_ALIAS_CONFLICT : MUGL_BAD_ALIASES, UINT64_MAX,
				"the alias",
				text ? (mugl_text){s->s, s->n} : mugl_c("that is no text"))
				->alias = mugl_said(text ? (mugl_text){s->s, s->n} : mugl_c(""));
	}
	a->grown = a->grown && kept == a->n;
	a->n = kept;
}

static void
mend_resources(mender *m)
{
	mugl *claimed = mugl_new(NULL);
	mugl_id id;

	for (uint32_t i = 0; (id = mugl_next(m->g, &i)) != MUGL_NONE;) {
		m->vertex = id;
		drop_fields(m, &m->g->v[id].body);
		drop_aliases(m, &m->g->v[id].body, claimed);
	}
	mugl_free(claimed);
}

/* ---- order ---- */

/* In a graph with cycles some edge leads forward whatever the order: then what is there stays
 * unless it is a snapshot. */
static void
sort(mugl *g)
{
	mugl_id *order = mugl_order(g, true);

	for (uint32_t i = 0; i < g->ndefined; i++) {
		g->order[i] = order[i];
		g->v[order[i]].pos = i;
	}
	g->norder = g->ndefined;
	free(order);
}

/* What the reader left out of the graph is removed as well. */
static void
already_gone(mugl_problems *removed)
{
	for (uint32_t i = 0; i < removed->n; i++) {
		mugl_problem *p = &removed->p[i];
		if (p->code != MUGL_DUPLICATE_KEY && p->code != MUGL_BAD_VERTEX &&
			p->code != MUGL_EMPTY_MONIKER)
			continue;
		removed->errors -= !p->warning;
		p->warning = true;
	}
}

bool
mugl_repair(mugl *g, bool snapshot, mugl_problems *removed, mugl_problems *left)
{
	mender m = {.g = g, .out = removed};
	mugl_id id;

	already_gone(removed);
	if (!mugl_check_digest(g, removed)) { /* the writer makes another */
		removed->p[removed->n - 1].warning = true;
		removed->errors--;
	}
	for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;) {
		m.vertex = id;
		prune(&m, &g->v[id].body);
	}
	vt_buf_free(&m.label);
	if (snapshot)
		mend_resources(&m);
	sort(g);
	return mugl_check_graph(g, snapshot, left) && removed->errors == 0;
}

/* unmet.c - why nothing was found for a requirement, and what would have done. */
#include "runtime/tosca/search.h"
#include "runtime/core/session.h"
#include "runtime/text/nearest.h"

#include <stdlib.h>
#include <string.h>

static void
put_type(vt_buf *b, const vt_tosca *t, const char *what, uint32_t type)
{
	if (type)
		vt_buf_printf(b, "%s'%s'", what, vt_tosca_text(t, t->m->type[type].name));
}

static void
put_wish(vt_buf *b, const vt_tsearch *s)
{
	put_type(b, s->t, " of type ", s->w.cap_type);
	if (s->w.cap_name)
		vt_buf_printf(b, " '%s'", vt_tosca_text(s->t, s->w.cap_name));
	put_type(b, s->t, " for a relationship of type ", s->w.rel_type);
}

/* Looks once more, at everything, and counts what each condition leaves: not for each of 100,000
 * problems. */
enum { LOOK_MAX = 100 << 20 };

static void
count_all(vt_tsearch *s, vt_tnodei **near, uint32_t *nnear)
{
	vt_tservicei *v = s->n->service;
	s->seen = s->with_cap = s->filtered = s->full = s->small = 0;
	s->t->mem->looked += v->s->nodes.n;
	for (uint32_t i = 0; i < v->s->nodes.n; i++) {
		uint32_t row = v->sorted[i];
		if (!v->count[row] || (s->q->node && s->q->node != row + v->s->nodes.first))
			continue;
		if (!vt_tosca_suits(s->t->m, &s->w, v->first[row]->t->type))
			continue;
		vt_tosca_choose_in(s, v->first[row]);
		if (*nnear < 3)
			near[(*nnear)++] = v->first[row];
	}
}

/* Nodes that would have done in the place of the one that is named. */
static uint32_t
others(vt_tsearch *s, vt_tnodei **near, uint32_t most)
{
	vt_tservicei *v = s->n->service;
	uint32_t n = 0;
	s->t->mem->looked += v->s->nodes.n;
	for (uint32_t i = 0; i < v->s->nodes.n && n < most; i++) {
		uint32_t row = v->sorted[i];
		if (v->count[row] && v->first[row] != s->n &&
			vt_tosca_suits(s->t->m, &s->w, v->first[row]->t->type) &&
			vt_tosca_choose_in(s, v->first[row]))
			near[n++] = v->first[row];
	}
	s->seen = n;
	return n;
}

static void
say_candidates(const vt_tsearch *s, vt_tnodei **near, uint32_t n, const char *why)
{
	vt_buf b = {NULL, 0, 0};
	for (uint32_t i = 0; i < n; i++) {
		vt_buf_puts(&b, i ? ", " : "");
		vt_buf_putc(&b, '\'');
		vt_tosca_name(&b, s->t, near[i]);
		vt_buf_putc(&b, '\'');
	}
	if (n)
		vt_tosca_hint(s->t, "%s: %.*s%s", why, (int)b.n, b.p, s->seen > n ? ", ..." : "");
	vt_buf_free(&b);
}

/* Why nothing does; what is said of the candidates that are named. */
static const char *
put_reason(vt_buf *b, const vt_tsearch *s, const char *wish)
{
	if (!s->seen && s->q->node) {
		vt_buf_printf(b, ": '%s' is no node of type '%s'",
			vt_tosca_text(s->t, s->t->m->node[s->q->node].name),
			s->w.node_type ? vt_tosca_text(s->t, s->t->m->type[s->w.node_type].name)
				       : "any");
	} else if (!s->with_cap && s->q->node) {
		vt_buf_printf(b, ": '%s' has no capability%s",
			vt_tosca_text(s->t, s->t->m->node[s->q->node].name), wish);
	} else if (!s->seen) {
		vt_buf_printf(b, ": there is no node of type '%s'",
			s->w.node_type ? vt_tosca_text(s->t, s->t->m->type[s->w.node_type].name)
				       : "any");
	} else if (!s->with_cap) {
		vt_buf_printf(b, ": no node has a capability%s", wish);
	} else if (s->filtered) {
		vt_buf_puts(b, ": the node filter rejects every candidate");
		return "rejected";
	} else if (s->small) {
		vt_buf_printf(b, ": no capability%s has left what the requirement allocates", wish);
	} else {
		vt_buf_printf(b, ": every capability%s has all relationships that it takes", wish);
		return "full";
	}
	return "looked at";
}

/* ---- filters ---- */

/* A property that a filter asks for: of the candidate, or of a capability of it. */
typedef struct asked {
	uint32_t expr; /* its name: where it stands */
	uint32_t cap, name;
} asked;

static bool
is_property_call(const vt_texpr *e)
{
	return e->kind == VT_TX_CALL && !(e->u.k.fn & VT_TX_CUSTOM) &&
	       (vt_tfuncs[e->u.k.fn].fn == vt_tf_get_property ||
		       vt_tfuncs[e->u.k.fn].fn == vt_tf_get_attribute);
}

static bool
is_keyword(const vt_tosca *t, uint32_t str)
{
	const char *s = vt_tosca_text(t, str);
	return !strcmp(s, "SELF") || !strcmp(s, "TARGET") || !strcmp(s, "CAPABILITY");
}

/* [SELF, name], [SELF, capability, name]; longer paths lead elsewhere. */
static bool
read_asked(const vt_tosca *t, const vt_texpr *e, asked *out)
{
	uint32_t word[2], n = 0;
	*out = (asked){0};
	for (uint32_t i = 0; i < e->n; i++) {
		uint32_t at = t->m->index[e->u.k.at + i];
		if (t->m->expr[at].kind != VT_TX_STR)
			return false;
		if (is_keyword(t, t->m->expr[at].u.str))
			continue;
		if (n == 2)
			return false;
		word[n++] = t->m->expr[at].u.str;
		out->expr = at;
	}
	out->name = n ? word[n - 1] : 0;
	out->cap = n == 2 ? word[0] : 0;
	return n > 0;
}

static bool
bag_has(const vt_tbag *props, const vt_tbag *attrs, uint32_t name)
{
	return vt_tosca_find(props, name) || vt_tosca_find(attrs, name);
}

static bool
is_there(const vt_tnodei *n, const asked *a)
{
	if (!a->cap && bag_has(&n->props, &n->attrs, a->name))
		return true;
	for (uint32_t i = 0; i < n->ncaps; i++)
		if ((!a->cap && n->caps[i].def->name == a->name) ||
			(n->caps[i].def->name == a->cap &&
				bag_has(&n->caps[i].props, &n->caps[i].attrs, a->name)))
			return true;
	return false;
}

/* Is it of none of the nodes that the search goes over? */
static bool
is_of_none(vt_tsearch *s, const asked *a)
{
	vt_tservicei *v = s->n->service;
	if (s->t->mem->looked >= LOOK_MAX)
		return false;
	s->t->mem->looked += v->s->nodes.n;
	for (uint32_t i = 0; i < v->s->nodes.n; i++) {
		uint32_t row = v->sorted[i];
		if (v->count[row] && vt_tosca_suits(s->t->m, &s->w, v->first[row]->t->type) &&
			is_there(v->first[row], a))
			return false;
	}
	return true;
}

static void
say_near(vt_tosca *t, const vt_tnodei *n, const asked *a)
{
	const char **names = NULL, *best;
	size_t count = 0;
	const vt_tbag *bag = a->cap ? NULL : &n->props;
	for (uint32_t i = 0; i < n->ncaps; i++)
		if (n->caps[i].def->name == a->cap)
			bag = &n->caps[i].props;
	for (uint32_t i = 0; bag && i < bag->n; i++)
		vt_push(names, count) = vt_tosca_text(t, bag->cell[i].name);
	for (uint32_t i = 0; !bag && i < n->ncaps; i++)
		vt_push(names, count) = vt_tosca_text(t, n->caps[i].def->name);
	best = count ? vt_nearest(vt_tosca_text(t, bag ? a->name : a->cap), names, count) : NULL;
	if (best)
		vt_tosca_hint(t, "did you mean '%s'?", best);
	free(names);
}

/* A filter that asks for what no candidate has rejects all of them: that is told, at its place. */
static bool
asks_for_nothing(vt_tsearch *s, const vt_tnodei *candidate, uint32_t filter)
{
	const vt_texpr *e = &s->t->m->expr[filter];
	asked a;
	if (!filter || e->kind != VT_TX_CALL)
		return false;
	if (is_property_call(e)) {
		if (s->t->open || !read_asked(s->t, e, &a) || !is_of_none(s, &a))
			return false;
		const vt_texpr *at = &s->t->m->expr[a.expr];
		vt_tosca_problem(s->t, VT_E2060, (vt_tplace){at->file, at->at},
			"no node that the requirement '%s' may lead to has %s%s%s '%s', for which "
			"its filter asks",
			vt_tosca_text(s->t, s->t->m->reqdef[s->q->def].name),
			a.cap ? "a capability '" : "a property",
			a.cap ? vt_tosca_text(s->t, a.cap) : "", a.cap ? "' with a property" : "",
			vt_tosca_text(s->t, a.name));
		say_near(s->t, candidate, &a);
		return true;
	}
	for (uint32_t i = 0; i < e->n; i++)
		if (asks_for_nothing(s, candidate, s->t->m->index[e->u.k.at + i]))
			return true;
	return false;
}

static bool
asks_in_vain(vt_tsearch *s, const vt_tnodei *candidate)
{
	return s->filtered && s->with_cap == s->filtered &&
	       (asks_for_nothing(s, candidate, s->q->filter) ||
		       asks_for_nothing(s, candidate, s->w.filter));
}

void
vt_tosca_unmet(vt_tsearch *s)
{
	vt_tnodei *near[3];
	uint32_t n = 0;
	vt_buf b = {NULL, 0, 0}, wish = {NULL, 0, 0};
	const char *said = "looked at";
	bool looks = s->t->mem->looked < LOOK_MAX;
	if (looks)
		count_all(s, near, &n);
	if (looks && n && asks_in_vain(s, near[0]))
		return;
	put_wish(&wish, s);
	vt_buf_putc(&wish, 0);
	vt_buf_printf(&b, "nothing satisfies the requirement '%s' of '",
		vt_tosca_text(s->t, s->t->m->reqdef[s->q->def].name));
	vt_tosca_name(&b, s->t, s->n);
	vt_buf_putc(&b, '\'');
	if (looks) {
		said = put_reason(&b, s, wish.p);
		if (s->q->node && (!s->seen || !s->with_cap)) {
			n = others(s, near, 3);
			said = "would do";
		}
	}
	vt_buf_putc(&b, 0);
	vt_tosca_problem(s->t, VT_E2060, s->q->node && s->q->named.at ? s->q->named : s->q->place,
		"%s", b.p);
	say_candidates(s, near, n, said);
	vt_buf_free(&wish);
	vt_buf_free(&b);
}

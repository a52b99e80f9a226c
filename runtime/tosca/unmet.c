/* unmet.c - why nothing was found for a requirement, and what would have done. */
#include "runtime/tosca/search.h"
#include "runtime/core/session.h"

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

void
vt_tosca_unmet(vt_tsearch *s)
{
	vt_tnodei *near[3];
	uint32_t n = 0;
	vt_buf b = {NULL, 0, 0}, wish = {NULL, 0, 0};
	const char *said = "looked at";
	put_wish(&wish, s);
	vt_buf_putc(&wish, 0);
	vt_buf_printf(&b, "nothing satisfies the requirement '%s' of '",
		vt_tosca_text(s->t, s->t->m->reqdef[s->q->def].name));
	vt_tosca_name(&b, s->t, s->n);
	vt_buf_putc(&b, '\'');
	if (s->t->mem->looked < LOOK_MAX) {
		count_all(s, near, &n);
		said = put_reason(&b, s, wish.p);
		if (s->q->node && (!s->seen || !s->with_cap)) {
			n = others(s, near, 3);
			said = "would do";
		}
	}
	vt_buf_putc(&b, 0);
	vt_tosca_problem(s->t, VT_E2060, s->q->place, "%s", b.p);
	say_candidates(s, near, n, said);
	vt_buf_free(&wish);
	vt_buf_free(&b);
}

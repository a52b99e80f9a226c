/*
 * node.c - places and what they expand to: bodies, lists, for, and the directives in them.
 */
#include "runtime/yay/int.h"

#include <stdlib.h>
#include <string.h>

void
yay_push(vt_yay *s, yvec *v, vt_ynode *n)
{
	vt_push(v->v, v->n) = n;
}

static yshape *
list_of(vt_yay *s, ydoc *d, uint32_t row, yvec *v)
{
	yshape *sh = yay_shape(s, Y_LIST, d, row);

	sh->item = yay_alloc(s, v->n * sizeof *sh->item);
	if (v->n)
		memcpy(sh->item, v->v, v->n * sizeof *sh->item);
	sh->n = v->n;
	s->nodes += v->n;
	free(v->v);
	return sh;
}

/* ---- items of what is iterated ---- */

static bool
key_items(vt_yay *s, ymap *m, yvec *v)
{
	if (!yay_map_keys(s, m))
		return false;
	for (uint32_t i = 0; i < m->nkeys; i++)
		yay_push(s, v,
			yay_node_shape(
				s, yay_scalar(s, m->s.doc, m->s.row, vt_copy(s->sym[m->key[i]]))));
	return true;
}

bool
yay_items(vt_yay *s, yshape *sh, yvec *v, const char *what)
{
	if (sh->kind == Y_MAP)
		return key_items(s, (ymap *)sh, v);
	if (sh->kind != Y_LIST)
		return yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "%s", what);
	for (uint32_t i = 0; i < sh->n; i++)
		yay_push(s, v, sh->item[i]);
	return true;
}

/* ---- directives ---- */

/* The value that a select has chosen, or a branch. */
static yshape *
chosen(vt_yay *s, ypiece *p, ymap **publish)
{
	ydoc *d = p->doc;
	uint32_t r = p->choice;

	if (ROW(d, r)->kind == YAY_ENTRY)
		r = ROW(d, r)->b;
	if (!r)
		return yay_scalar(s, d, p->choice, vt_str_c(s->rt, ""));
	if (ROW(d, r)->kind == YAY_BODY)
		return yay_body(s, d, r, yay_frame_body(s, p->env, d, r), NULL, p, publish);
	return yay_eval(s, d, r, p->env);
}

static yshape *
includes_shape(vt_yay *s, ypiece *p)
{
	yvec v = {0};
	uint32_t row;

	if (p->ndocs == 1)
		return yay_body(s, p->docs[0], p->docs[0]->d->root, p->frames[0], NULL, p, &p->map);
	for (uint32_t i = 0; i < p->ndocs; i++)
		if (yay_body_kind(p->docs[i], p->docs[i]->d->root, &row) == B_LIST)
			for (uint32_t k = 0; k < p->ndocs; k++)
				if (!yay_list_body(
					    s, p->docs[k], p->docs[k]->d->root, p->frames[k], &v))
					return free(v.v), NULL;
	if (v.n)
		return list_of(s, p->doc, p->row, &v);
	p->map = yay_map(s, p->doc, p->row);
	p->map->outer = p;
	for (uint32_t i = 0; i < p->ndocs; i++)
		yay_map_body(s, p->map, p->docs[i], p->docs[i]->d->root, p->frames[i], 0);
	return &p->map->s;
}

static bool
in_circle(vt_yay *s, ypiece *p)
{
	return yay_fail(s, VT_YE_CYCLE, p->doc, p->row,
		"A cyclic dependency was detected in your configuration and processing "
		"cannot continue");
}

/* Nothing but the directive itself could have defined what it calls. */
static bool
calls_itself(vt_yay *s, const ypiece *p)
{
	const vt_yfault *f = &s->fault;
	const vt_yrow *called = ROW(p->doc, ROW(p->doc, p->row)->a);

	return p->skipped && f->kind == VT_YE_NO_MATCHING && f->nplaces &&
	       f->place[0].doc == p->doc->d && f->place[0].line == called->line &&
	       f->place[0].col == called->col;
}

/* Not guarded: who comes back to it while it is made goes in a circle. */
static bool
enter_plain(vt_yay *s, ypiece *p)
{
	if (p->state == S_BUSY)
		return in_circle(s, p);
	p->state = S_BUSY;
	p->skipped = false;
	return yay_step(s, p->doc, p->row);
}

static yshape *
plain_shape(vt_yay *s, ypiece *p)
{
	const vt_yrow *r = ROW(p->doc, p->row);
	yshape *sh = NULL, *code;
	ymap *m;

	if (!enter_plain(s, p))
		return NULL;
	if (r->kind == YAY_CALL) {
		if ((code = yay_find_macro(s, p->doc, p->row, p->env))) {
			m = yay_map(s, p->doc, r->b);
			yay_map_body(s, m, p->doc, r->b, p->env, 0);
			sh = yay_call_macro(s, code, m, p->env, p, &p->map);
		}
	} else {
		m = yay_new(s, p, p->doc, p->row, p->env);
		sh = m ? &m->s : NULL;
	}
	p->state = sh ? S_DONE : S_NEW;
	if (!sh && calls_itself(s, p)) {
		yay_forgive(s);
		in_circle(s, p);
	}
	return sh;
}

/* What a directive is by itself; *good and NULL: nothing. */
static yshape *
yay_piece_shape(vt_yay *s, ypiece *p, bool *good)
{
	uint32_t outer = s->taint;

	*good = true;
	if (p->shaped)
		return p->shape;
	if (yay_is_guard(p)) {
		if (!yay_decide(s, p))
			return *good = false, NULL;
		if (ROW(p->doc, p->row)->kind == YAY_INCLUDE)
			p->shape = p->ndocs ? includes_shape(s, p) : NULL;
		else
			p->shape = p->choice ? chosen(s, p, &p->map) : NULL;
	} else {
		p->shape = p->mapped && p->map ? &p->map->s : plain_shape(s, p);
	}
	yay_tainted(s, outer);
	*good = !yay_failed(s);
	/* What taints a shape taints the place that it is part of; a directive within is decided
	 * again by itself. */
	p->shaped = *good && s->taint == NO_TAINT;
	return p->shape;
}

/* A body as part of a map: nothing of it is decided yet. */
static ymap *
body_map(vt_yay *s, ypiece *p, ydoc *d, uint32_t body, yframe *env)
{
	uint32_t row;
	ymap *m;

	if (yay_body_kind(d, body, &row) == B_LIST) {
		yay_fail(s, VT_YE_TYPE, d, row, "Expecting dictionary");
		return NULL;
	}
	m = yay_map(s, d, ROW(d, body)->a ? ROW(d, body)->a : body);
	m->outer = p;
	yay_map_body(s, m, d, body, env, 0);
	return m;
}

static ymap *
as_map(vt_yay *s, yshape *sh)
{
	if (sh && sh->kind != Y_MAP) {
		yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expecting dictionary");
		return NULL;
	}
	return (ymap *)sh;
}

static ymap *
guarded_map(vt_yay *s, ypiece *p)
{
	ydoc *d = p->doc;
	uint32_t r = p->choice;
	ymap *m;

	if (ROW(d, p->row)->kind != YAY_INCLUDE) {
		if (r && ROW(d, r)->kind == YAY_ENTRY && !(r = ROW(d, r)->b))
			return NULL;
		if (r && ROW(d, r)->kind == YAY_BODY)
			return body_map(s, p, d, r, yay_frame_body(s, p->env, d, r));
		return r ? as_map(s, yay_eval(s, d, r, p->env)) : NULL;
	}
	if (!p->ndocs)
		return NULL;
	m = yay_map(s, d, p->row);
	m->outer = p;
	for (uint32_t i = 0; i < p->ndocs; i++) {
		uint32_t row, root = p->docs[i]->d->root;
		if (yay_body_kind(p->docs[i], root, &row) == B_LIST) {
			yay_fail(s, VT_YE_TYPE, p->docs[i], row, "Expecting dictionary");
			return NULL;
		}
		yay_map_body(s, m, p->docs[i], root, p->frames[i], 0);
	}
	return m;
}

/* What a directive contributes to the map that it stands in; *good and NULL: nothing. */
ymap *
yay_piece_map(vt_yay *s, ypiece *p, bool *good)
{
	*good = true;
	if (p->mapped && p->state == S_DONE)
		return p->map;
	if (yay_is_guard(p)) {
		if (!yay_decide(s, p))
			return *good = false, NULL;
		if (p->mapped)
			return p->map;
		p->map = guarded_map(s, p);
	} else {
		p->map = as_map(s, p->shaped ? p->shape : plain_shape(s, p));
	}
	*good = !yay_failed(s);
	p->mapped = *good;
	return p->map;
}

/* ---- for ---- */

static void
add_var(vt_yay *s, yframe *f, uint32_t sym, vt_ynode *n)
{
	uint32_t *names = yay_alloc(s, (f->n + 1) * sizeof *names);
	vt_ynode **vars = yay_alloc(s, (f->n + 1) * sizeof *vars);

	if (f->n) {
		memcpy(names, f->name, f->n * sizeof *names);
		memcpy(vars, f->var, f->n * sizeof *vars);
	}
	names[f->n] = sym, vars[f->n++] = n;
	f->name = names, f->var = vars;
}

static bool
unpack(vt_yay *s, ydoc *d, uint32_t row, vt_ynode *n, yframe *vars)
{
	yvec v = {0};
	yshape *sh = yay_expand(s, n);
	uint32_t want = 0, i = 0;
	bool good = sh && yay_items(s, sh, &v, "Expected iterable");

	for (uint32_t t = ROW(d, row)->a; t; t = ROW(d, t)->next)
		want++;
	if (good && want != v.n)
		good = yay_fail(s, VT_YE_TYPE, d, row, "%u names for %u values", want, v.n);
	for (uint32_t t = ROW(d, row)->a; t && good; t = ROW(d, t)->next)
		good = yay_bind(s, d, t, v.v[i++], vars);
	free(v.v);
	return good;
}

bool
yay_bind(vt_yay *s, ydoc *d, uint32_t target, vt_ynode *n, yframe *vars)
{
	const vt_yrow *r = ROW(d, target);

	if (!yay_step(s, d, target))
		return false;
	if (r->kind == YAY_TUPLE || r->kind == YAY_DISPLAY)
		return unpack(s, d, target, n, vars);
	if (r->kind != YAY_IDENT)
		return yay_fail(s, VT_YE_TYPE, d, target, "only a name can be bound here");
	if (vars->n == 0) { /* the usual case in one piece */
		struct {
			vt_ynode *v;
			uint32_t name;
		} *one = yay_alloc(s, sizeof *one);
		one->v = n, one->name = yay_sym(s, d, r->a);
		vars->var = &one->v, vars->name = &one->name, vars->n = 1;
		return true;
	}
	add_var(s, vars, yay_sym(s, d, r->a), n);
	return true;
}

static bool
for_item(vt_yay *s, ydoc *d, const vt_yrow *r, yframe *env, vt_ynode *item, yvec *out)
{
	yframe *vars = yay_frame(s, F_VARS, env);
	yshape *sh;
	bool yes = true;

	if (!yay_bind(s, d, r->a, item, vars))
		return false;
	if (VT_YAY_D(*r) && (!(sh = yay_eval(s, d, VT_YAY_D(*r), vars)) || !yay_truth(s, sh, &yes)))
		return false;
	if (ROW(d, r->c)->b)
		vars = yay_frame_body(s, vars, d, r->c);
	return !yes || yay_list_body(s, d, r->c, vars, out);
}

static bool
yay_for_items(vt_yay *s, ydoc *d, uint32_t row, yframe *env, yvec *out)
{
	if (d->d->code && d->d->code[row].loop)
		return d->d->code[row].loop(s, d, (vt_yscope *)env, out);
	const vt_yrow *r = ROW(d, row);
	yvec v = {0};
	yshape *sh = yay_eval(s, d, r->b, env);
	bool good = sh && yay_items(s, sh, &v, "Expected iterable");

	for (uint32_t i = 0; i < v.n && good; i++)
		good = for_item(s, d, r, env, v.v[i], out);
	free(v.v);
	return good;
}

/* ---- lists ---- */

static bool
stanza_items(vt_yay *s, ydoc *d, uint32_t row, yframe *env, yvec *out)
{
	ypiece *p = yay_piece(s, NULL, P_STANZA, d, row, env);
	bool good;
	yshape *sh = yay_piece_shape(s, p, &good);

	return good && (!sh || yay_items(s, sh, out, "Expected iterable"));
}

static bool
map_items(vt_yay *s, ydoc *d, uint32_t row, yframe *env, yvec *out)
{
	ymap *m = yay_map(s, d, row);

	yay_piece(s, m, P_ROWS, d, row, env);
	return key_items(s, m, out);
}

/* The stanzas of a body one after the other, as a list. */
bool
yay_list_body(vt_yay *s, ydoc *d, uint32_t body, yframe *env, yvec *out)
{
	bool good = true;

	for (uint32_t r = ROW(d, body)->a; r && good; r = ROW(d, r)->next) {
		switch (ROW(d, r)->kind) {
		case YAY_LIST:
			for (uint32_t i = ROW(d, r)->a; i; i = ROW(d, i)->next)
				yay_push(s, out, yay_node(s, d, ROW(d, i)->a, env));
			good = yay_step(s, d, r);
			break;
		case YAY_FOR: good = yay_step(s, d, r) && yay_for_items(s, d, r, env, out); break;
		case YAY_MAP: good = map_items(s, d, r, env, out); break;
		case YAY_SET:
		case YAY_SEARCH:
		case YAY_CONFIGURE:
		case YAY_MACRO:
		case YAY_PROTOTYPE: break;
		default: good = stanza_items(s, d, r, env, out);
		}
	}
	return good;
}

/* ---- bodies ---- */

/* Would a branch of a directive that contributes nothing have been a list? */
static bool
looks_like_list(ydoc *d, uint32_t body)
{
	uint32_t row, b;

	for (uint32_t r = ROW(d, body)->a; r; r = ROW(d, r)->next)
		if (ROW(d, r)->kind == YAY_IF) {
			b = ROW(d, r)->b;
			return yay_body_kind(d, b, &row) == B_LIST || looks_like_list(d, b);
		}
	return false;
}

static uint32_t
first_row(ydoc *d, uint32_t body)
{
	uint32_t r = ROW(d, body)->a;

	return r ? r : body;
}

/* A body of directives only: what the newest of them that comes to something is. */
static yshape *
stanzas_shape(vt_yay *s, ydoc *d, uint32_t body, vt_ynode *of, ymap *m)
{
	yvec v = {0};
	yshape *last = NULL;
	vt_ynode *pred;
	bool good;

	for (uint32_t i = m->n; i-- > 0 && !last;)
		if (!(last = yay_piece_shape(s, m->piece[i], &good)) && !good)
			return NULL;
	if (last && last->kind == Y_MAP)
		return &m->s;
	if (last && last->kind != Y_LIST)
		return last;
	for (uint32_t i = 0; i < m->n && last; i++) {
		yshape *sh = yay_piece_shape(s, m->piece[i], &good);
		if (!good || (sh && !yay_items(s, sh, &v, "Expected iterable")))
			return free(v.v), NULL;
	}
	if (last)
		return list_of(s, d, first_row(d, body), &v);
	if ((pred = of ? yay_pred(s, of) : NULL))
		return yay_expand(s, pred);
	if (yay_failed(s))
		return NULL;
	return looks_like_list(d, body) ? list_of(s, d, first_row(d, body), &v) : &m->s;
}

/*
 * of: the place whose value it is, for its predecessor; outer: the directive that it is a part of.
 * *publish gets what is known before all of it is.
 */
yshape *
yay_body(
	vt_yay *s, ydoc *d, uint32_t body, yframe *env, vt_ynode *of, ypiece *outer, ymap **publish)
{
	uint32_t row;
	yvec v = {0};
	ymap *m;

	if (!yay_step(s, d, body))
		return NULL;
	enum ybody kind = yay_body_kind(d, body, &row);
	if (kind == B_LIST) {
		if (!yay_list_body(s, d, body, env, &v))
			return free(v.v), NULL;
		return list_of(s, d, first_row(d, body), &v);
	}
	m = yay_map(s, d, first_row(d, body));
	m->of = of;
	m->outer = outer;
	yay_map_body(s, m, d, body, env, 0);
	if (publish)
		*publish = m;
	return kind == B_STANZAS ? stanzas_shape(s, d, body, of, m) : &m->s;
}

/* ---- places ---- */

static yshape *
extended(vt_yay *s, vt_ynode *n, yshape *own)
{
	yvec v = {0};
	vt_ynode *pred = yay_pred(s, n);
	yshape *before = pred ? yay_expand(s, pred) : NULL;

	if (yay_failed(s) || (before && !yay_items(s, before, &v, "Expected iterable")) ||
		!yay_items(s, own, &v, "Expected iterable"))
		return free(v.v), NULL;
	return list_of(s, own->doc, own->row, &v);
}

static yshape *
value_shape(vt_yay *s, vt_ynode *n)
{
	ydoc *d = n->doc;
	yframe *f;
	ymap *m;

	if (!n->row)
		return yay_scalar(s, d, n->of_piece ? n->entry : 0, vt_str_c(s->rt, ""));
	switch (ROW(d, n->row)->kind) {
	case YAY_BODY:
		f = yay_frame_body(s, n->env, d, n->row);
		if (n->kind == N_ENTRY)
			f->place = yay_sym(s, d, ROW(d, n->entry)->a);
		else
			f->here_node = n;
		return yay_body(s, d, n->row, f,
			n->kind == N_ENTRY && !(ROW(d, n->entry)->flag & YAY_EXTEND) ? n : NULL,
			NULL, &n->busy_map);
	case YAY_EMPTYDICT:
		m = yay_map(s, d, n->row);
		m->of = n->kind == N_ENTRY ? n : NULL;
		return &m->s;
	}
	return yay_eval(s, d, n->row, n->env);
}

static yshape *
root_shape(vt_yay *s)
{
	yvec v = {0};
	struct layer *l = s->layer;
	bool good;

	for (uint32_t i = 0; s->rootlist && i < s->nlayers; i++)
		if (l[i].doc && !yay_list_body(s, l[i].doc, l[i].doc->d->root, l[i].frame, &v))
			return free(v.v), NULL;
	if (s->rootlist)
		return list_of(s, s->root->doc, first_row(s->root->doc, s->root->row), &v);
	/* a document that is one directive may be a list all the same */
	for (uint32_t i = s->rootmap->n; i-- > 0;) {
		ypiece *p = s->rootmap->piece[i];
		yshape *sh;
		if (p->kind != P_STANZA)
			return &s->rootmap->s;
		if (!(sh = yay_piece_shape(s, p, &good)) && !good)
			return NULL;
		if (sh)
			return sh->kind == Y_MAP ? &s->rootmap->s : sh;
	}
	return &s->rootmap->s;
}

static yshape *
cycle(vt_yay *s, vt_ynode *n)
{
	uint32_t i = s->nbusy;

	if (n->guess) {
		n->used_guess = true;
		return n->guess;
	}
	yay_fail(s, VT_YE_CYCLE, n->doc, n->row,
		"A cyclic dependency was detected in your configuration and processing cannot "
		"continue");
	while (i > 0 && s->busy[i - 1] != n)
		i--;
	for (; i < s->nbusy; i++)
		yay_led(s, s->busy[i]->doc, s->busy[i]->row);
	return NULL;
}

/* A guess that was used must have been right. */
static bool
guessed_right(vt_yay *s, vt_ynode *n, yshape *sh)
{
	vt_value a = VT_UNDEF, b = VT_UNDEF;
	bool good = n->guess == sh ||
		    (yay_resolve(s, n->guess, &a) && yay_resolve(s, sh, &b) && vt_eq(a, b));

	vt_release(a);
	vt_release(b);
	if (!good)
		yay_fail(s, VT_YE_PARADOX, n->doc, n->row, "Inconsistent configuration detected");
	return good;
}

static yshape *
expand_new(vt_yay *s, vt_ynode *n)
{
	yshape *sh;

	if (n->kind == N_ROOT)
		return root_shape(s);
	sh = value_shape(s, n);
	if (sh && n->kind == N_ENTRY && (ROW(n->doc, n->entry)->flag & YAY_EXTEND))
		sh = extended(s, n, sh);
	if (sh && n->used_guess && !guessed_right(s, n, sh))
		sh = NULL;
	return sh;
}

yshape *
yay_expand(vt_yay *s, vt_ynode *n)
{
	uint32_t outer = s->taint;
	yshape *sh;

	if (n->state == S_DONE)
		return n->shape;
	if (n->state == S_BUSY)
		return n->kind == N_ROOT ? &s->rootmap->s
		       : n->busy_map     ? &n->busy_map->s
					 : cycle(s, n);
	if (!yay_step(s, n->doc, n->row))
		return NULL;
	if (s->nbusy == s->capbusy)
		s->busy = vt_xrealloc(
			s->busy, (s->capbusy = s->capbusy ? 2 * s->capbusy : 64) * sizeof *s->busy);
	s->busy[s->nbusy++] = n;
	n->state = S_BUSY;
	n->used_guess = false;
	s->taint = NO_TAINT;
	sh = expand_new(s, n);
	s->nbusy--;
	n->busy_map = NULL;
	n->state = sh ? S_DONE : S_NEW;
	n->shape = sh;
	if (sh)
		yay_remember(s, n, T_NODE);
	yay_tainted(s, outer);
	return sh;
}

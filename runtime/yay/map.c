/*
 * map.c - mappings: pieces, keys, and who came before.
 */
#include "runtime/yay/int.h"

#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

ypiece *
yay_piece(vt_yay *s, ymap *m, enum ypiece_kind kind, ydoc *d, uint32_t row, yframe *env)
{
	ypiece *p = yay_alloc(s, sizeof *p);

	s->nodes++;
	p->kind = (uint8_t)kind;
	p->owner = m;
	p->doc = d, p->row = row, p->env = env;
	p->shown = p->values = VT_UNDEF;
	p->all = s->pieces;
	s->pieces = p;
	if (!m)
		return p;
	if ((m->n & (m->n - 1)) == 0) { /* doubles */
		ypiece **more = yay_alloc(s, (m->n ? 2 * (size_t)m->n : 1) * sizeof *more);
		if (m->n)
			memcpy(more, m->piece, m->n * sizeof *more);
		m->piece = more;
	}
	m->piece[m->n++] = p;
	return p;
}

void
yay_map_values(vt_yay *s, ymap *m, ydoc *d, uint32_t row, vt_value dict)
{
	yay_piece(s, m, P_VALUES, d, row, NULL)->values = vt_copy(dict);
}

/* What of a body contributes keys. */
void
yay_map_body(vt_yay *s, ymap *m, ydoc *d, uint32_t body, yframe *env, int only)
{
	for (uint32_t r = ROW(d, body)->a; r; r = ROW(d, r)->next) {
		switch (ROW(d, r)->kind) {
		case YAY_MAP: yay_piece(s, m, P_ROWS, d, r, env)->only = (uint8_t)only; break;
		case YAY_SET:
		case YAY_SEARCH:
		case YAY_CONFIGURE:
		case YAY_MACRO:
		case YAY_PROTOTYPE: break;
		default:
			if (only != 2)
				yay_piece(s, m, P_STANZA, d, r, env);
		}
	}
}

/* What a body is, as far as it can be seen: a list where a list, an item or a `for` stands in it.
 */
enum ybody
yay_body_kind(ydoc *d, uint32_t body, uint32_t *list_row)
{
	enum ybody k = B_EMPTY;

	for (uint32_t r = ROW(d, body)->a; r; r = ROW(d, r)->next) {
		uint8_t kind = ROW(d, r)->kind;
		if (kind == YAY_LIST || kind == YAY_FOR) {
			k = B_LIST;
			*list_row = r;
		} else if (kind == YAY_MAP && k != B_LIST) {
			k = B_MAP;
		} else if (k == B_EMPTY &&
			   (kind == YAY_IF || kind == YAY_SELECT || kind == YAY_INCLUDE ||
				   kind == YAY_CALL || kind == YAY_NEW || kind == YAY_CREATE)) {
			k = B_STANZAS;
		}
	}
	return k;
}

/* ---- entries of a MAP row ---- */

/* Where an entry of that name is or would be. */
static uint32_t *
entry_place(ydoc *d, ymaptab *t, uint32_t str)
{
	uint32_t i = (str * 0x9e3779b1u) >> 7;

	while (t->entry[i & t->mask] && ROW(d, t->entry[i & t->mask])->a != str)
		i++;
	return &t->entry[i & t->mask];
}

static ymaptab *
index_map(vt_yay *s, ydoc *d, uint32_t map)
{
	uint32_t n = 16;
	ymaptab *t;

	while (n < ROW(d, map)->b + ROW(d, map)->b / 2)
		n *= 2;
	t = yay_alloc(s, sizeof *t + n * sizeof *t->entry);
	t->mask = n - 1;
	for (uint32_t e = ROW(d, map)->a; e; e = ROW(d, e)->next)
		if (ROW(d, e)->kind == YAY_ENTRY)
			*entry_place(d, t, ROW(d, e)->a) = e;
	ytab_put(s, &d->index, map, t);
	return t;
}

/* The last entry of that name; entries know those before them. Large MAPs have a table. */
static uint32_t
yay_find_entry(vt_yay *s, ydoc *d, uint32_t map, uint32_t sym)
{
	uint32_t found = 0, str;
	ymaptab *t;

	if (ROW(d, map)->b <= 8) {
		for (uint32_t e = ROW(d, map)->a; e; e = ROW(d, e)->next)
			if (ROW(d, e)->kind == YAY_ENTRY && yay_sym(s, d, ROW(d, e)->a) == sym)
				found = e;
		return found;
	}
	if (!(str = yay_str_of(s, d, sym)))
		return 0;
	t = ytab_get(&d->index, map);
	return *entry_place(d, t ? t : index_map(s, d, map), str);
}

static bool
counts(const ypiece *p, uint32_t entry)
{
	bool extends = ROW(p->doc, entry)->flag & YAY_EXTEND;

	return p->only == 0 || (p->only == 2) == extends;
}

static uint32_t
usable(const ypiece *p, uint32_t entry)
{
	while (entry && !counts(p, entry))
		entry = ROW(p->doc, entry)->c;
	return entry;
}

static vt_ynode *
new_place(vt_yay *s, ypiece *p, uint32_t entry)
{
	vt_ynode *n = yay_node_of(s, p, p->doc, ROW(p->doc, entry)->b, p->env, entry);

	n->kind = N_ENTRY;
	return n;
}

/* Entries of a large map whose rows lie close together are an array. */
static bool
has_array(vt_yay *s, ypiece *p)
{
	const vt_yrow *m = ROW(p->doc, p->row);
	uint32_t range = m->c - m->a + 1;

	if (p->at || m->b < 16 || m->c < m->a || range > 4 * m->b)
		return p->at != NULL;
	p->first = m->a;
	p->at = yay_alloc(s, range * sizeof *p->at);
	return true;
}

vt_ynode *
yay_place_of(vt_yay *s, ypiece *p, uint32_t entry)
{
	vt_ynode *n, **at;

	if (has_array(s, p)) {
		at = &p->at[entry - p->first];
		return *at ? *at : (*at = new_place(s, p, entry));
	}
	if ((n = ytab_get(&p->place, entry)))
		return n;
	ytab_put(s, &p->place, entry, n = new_place(s, p, entry));
	return n;
}

/* ---- may a directive define the key? what cannot is not looked into ---- */

static bool yay_may_define(vt_yay *, ydoc *, uint32_t row, uint32_t sym);

static bool
body_may(vt_yay *s, ydoc *d, uint32_t body, uint32_t sym)
{
	if (!body)
		return false;
	if (ROW(d, body)->kind == YAY_IF)
		return yay_may_define(s, d, body, sym);
	if (ROW(d, body)->kind != YAY_BODY)
		return true; /* a scalar: whatever it stands for */
	for (uint32_t r = ROW(d, body)->a; r; r = ROW(d, r)->next)
		if (ROW(d, r)->kind == YAY_MAP ? yay_find_entry(s, d, r, sym) != 0
					       : yay_may_define(s, d, r, sym))
			return true;
	return false;
}

static bool
yay_may_define(vt_yay *s, ydoc *d, uint32_t row, uint32_t sym)
{
	const vt_yrow *r = ROW(d, row);

	switch (r->kind) {
	case YAY_IF: return body_may(s, d, r->b, sym) || body_may(s, d, r->c, sym);
	case YAY_SELECT:
		for (uint32_t e = r->b; e; e = ROW(d, e)->next)
			if (body_may(s, d, ROW(d, e)->b, sym))
				return true;
		return false;
	case YAY_INCLUDE:
	case YAY_NEW:
	case YAY_CREATE:
	case YAY_CALL: return true;
	}
	return false;
}

/* ---- lookup ---- */

static vt_ynode *search(vt_yay *, ymap *, uint32_t from, uint32_t sym);

static vt_ynode *
value_place(vt_yay *s, ypiece *p, uint32_t sym)
{
	vt_ynode *n = ytab_get(&p->place, sym);
	vt_value v = vt_dict_get(vt_as_dict(p->values), s->sym[sym]);
	yshape *sh;

	if (n || v == VT_UNDEF)
		return n;
	sh = yay_from_value(s, p->doc, p->row, v);
	n = yay_node_of(s, p, sh->doc, sh->row, NULL, sym);
	n->kind = N_SHAPE, n->state = S_DONE, n->shape = sh;
	if (sh->kind == Y_MAP)
		((ymap *)sh)->of = n;
	ytab_put(s, &p->place, sym, n);
	return n;
}

/* What a call or `new` makes is not what it calls, which may be in a document included above. */
static bool
is_called(vt_yay *s, const ypiece *p, uint32_t sym)
{
	const vt_yrow *r = ROW(p->doc, p->row);

	return (r->kind == YAY_CALL || r->kind == YAY_NEW) &&
	       ROW(p->doc, r->a)->kind == YAY_IDENT &&
	       yay_sym(s, p->doc, ROW(p->doc, r->a)->a) == sym;
}

/* The piece's own newest place of the key. */
static vt_ynode *
in_piece(vt_yay *s, ypiece *p, uint32_t sym)
{
	uint32_t e;
	ymap *m;
	bool good;

	if (p->kind == P_ROWS)
		return (e = usable(p, yay_find_entry(s, p->doc, p->row, sym)))
			       ? yay_place_of(s, p, e)
			       : NULL;
	if (p->kind == P_VALUES)
		return value_place(s, p, sym);
	if (!yay_may_define(s, p->doc, p->row, sym))
		return NULL;
	if (p->state == S_BUSY && yay_is_guard(p)) {
		p->skipped = true;
		yay_tainted(s, p->level);
		return NULL;
	}
	if (p->state == S_BUSY && is_called(s, p, sym))
		return p->skipped = true, NULL;
	m = yay_piece_map(s, p, &good);
	return good && m ? yay_map_get(s, m, sym) : NULL;
}

/* The shape of what lies below a map, or NULL: nothing does, or failed. */
static yshape *
below(vt_yay *s, ymap *m)
{
	vt_ynode *pred = m->of ? yay_pred(s, m->of) : NULL;
	yshape *sh = pred ? yay_expand(s, pred) : NULL;

	if (sh && sh->kind != Y_MAP) {
		yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expecting dictionary");
		yay_led(s, m->s.doc, m->s.row);
		return NULL;
	}
	return sh;
}

static vt_ynode *
search(vt_yay *s, ymap *m, uint32_t from, uint32_t sym)
{
	vt_ynode *n;
	yshape *sh;

	for (uint32_t i = from; i-- > 0;)
		if ((n = in_piece(s, m->piece[i], sym)) || yay_failed(s))
			return n;
	if (m->params && (n = yay_map_get(s, m->params, sym)))
		return n;
	if (m->params && !yay_failed(s) && yay_object_made(s, m))
		return yay_map_get(s, m->members, sym);
	return !yay_failed(s) && (sh = below(s, m)) ? yay_map_get(s, (ymap *)sh, sym) : NULL;
}

vt_ynode *
yay_map_get(vt_yay *s, ymap *m, uint32_t sym)
{
	uintptr_t at;

	if (m->keyed)
		return (at = (uintptr_t)ytab_get(&m->byname, sym)) ? m->node[at - 1] : NULL;
	if (!yay_step(s, m->s.doc, m->s.row))
		return NULL;
	return search(s, m, m->n, sym);
}

/* ---- predecessors ---- */

static uint32_t
index_of(const ymap *m, const ypiece *p)
{
	uint32_t i = m->n;

	while (i > 0 && m->piece[i - 1] != p)
		i--;
	return i ? i - 1 : 0;
}

/* The place that the key had before: in the same piece, in older ones, and in those of the maps
 * around. */
static vt_ynode *
find_pred(vt_yay *s, vt_ynode *n)
{
	ypiece *p = n->piece;
	uint32_t sym, e;
	vt_ynode *found;
	yshape *sh;

	sym = n->kind == N_ENTRY ? yay_sym(s, n->doc, ROW(n->doc, n->entry)->a) : n->entry;
	if (n->kind == N_ENTRY && (e = usable(p, ROW(n->doc, n->entry)->c)))
		return yay_place_of(s, p, e);
	for (; p && p->owner; p = p->owner->outer) {
		ymap *m = p->owner;
		for (uint32_t i = index_of(m, p); i-- > 0;)
			if ((found = in_piece(s, m->piece[i], sym)) || yay_failed(s))
				return found;
		if (m->of && (sh = below(s, m)))
			return yay_map_get(s, (ymap *)sh, sym);
		if (yay_failed(s))
			return NULL;
	}
	return NULL;
}

vt_ynode *
yay_pred(vt_yay *s, vt_ynode *n)
{
	uint32_t outer = s->taint;
	vt_ynode *found;

	if (!n->of_piece)
		return NULL;
	if (n->pred_known)
		return n->pred;
	if (!yay_step(s, n->doc, n->row))
		return NULL;
	s->taint = NO_TAINT;
	found = find_pred(s, n);
	if (s->taint == NO_TAINT && !yay_failed(s)) {
		n->pred = found;
		n->pred_known = true;
	}
	yay_tainted(s, outer);
	return found;
}

/* ---- keys ---- */

typedef struct predecessor {
	vt_ynode *n, *pred;
} predecessor;
typedef struct keys {
	uint32_t *key;
	vt_ynode **node;
	uint32_t n;
	ytab at;    /* 1 + the position */
	bool preds; /* places come in the order of predecessors: what one replaces is its own */
	predecessor *pred;
	uint32_t npreds;
} keys;

static void
add_pred(keys *k, vt_ynode *n, vt_ynode *pred)
{
	if (!k->preds || !n->of_piece || n->pred_known)
		return;
	vt_push(k->pred, k->npreds) = (predecessor){n, pred};
}

/* A later place takes the position of the first. */
static void
add_key(vt_yay *s, keys *k, uint32_t sym, vt_ynode *n)
{
	uintptr_t at = (uintptr_t)ytab_get(&k->at, sym);

	if (!at) {
		k->node = vt_grow(k->node, k->n, sizeof *k->node);
		vt_push(k->key, k->n) = sym;
		at = k->n;
		ytab_put(s, &k->at, sym, (void *)at);
	} else if (k->node[at - 1] != n) {
		add_pred(k, n, k->node[at - 1]);
	}
	k->node[at - 1] = n;
}

static void
add_keyed(vt_yay *s, keys *k, const ymap *m)
{
	for (uint32_t i = 0; i < m->nkeys; i++)
		add_key(s, k, m->key[i], m->node[i]);
}

static bool
add_map(vt_yay *s, keys *k, ymap *m)
{
	if (!yay_map_keys(s, m))
		return false;
	add_keyed(s, k, m);
	return true;
}

static bool collect(vt_yay *, ymap *, keys *);

static bool
add_values(vt_yay *s, keys *k, ypiece *p)
{
	vt_value key, v;
	uint32_t pos = 0;

	while (vt_dict_at(vt_as_dict(p->values), &pos, &key, &v))
		if (vt_is(key, STR)) {
			uint32_t sym = yay_sym_value(s, key);
			add_key(s, k, sym, value_place(s, p, sym));
		}
	return !yay_failed(s);
}

static bool
add_piece(vt_yay *s, keys *k, ypiece *p)
{
	ymap *m;
	bool good;

	if (p->kind == P_VALUES)
		return add_values(s, k, p);
	if (p->kind == P_STANZA) {
		if (p->state == S_BUSY && yay_is_guard(p)) {
			p->skipped = true;
			yay_tainted(s, p->level);
			return true;
		}
		/* a map in a map is not asked for its keys: in a chain of includes each would copy
		 * those of all below it */
		m = yay_piece_map(s, p, &good);
		return good && (!m || collect(s, m, k));
	}
	for (uint32_t e = ROW(p->doc, p->row)->a; e; e = ROW(p->doc, e)->next)
		if (ROW(p->doc, e)->kind == YAY_ENTRY && counts(p, e))
			add_key(s, k, yay_sym(s, p->doc, ROW(p->doc, e)->a), yay_place_of(s, p, e));
	return true;
}

/* Directives are decided from the newest on, as lookups do it; then the keys are collected from the
 * oldest on. */
static bool
decide_all(vt_yay *s, ymap *m)
{
	bool good = true;

	for (uint32_t i = m->n; i-- > 0 && good;)
		if (m->piece[i]->kind == P_STANZA &&
			!(m->piece[i]->state == S_BUSY && yay_is_guard(m->piece[i])))
			yay_piece_map(s, m->piece[i], &good);
	return good;
}

static bool
add_own(vt_yay *s, keys *k, ymap *m)
{
	bool preds = k->preds && !m->params;

	k->preds = preds;
	if (m->params &&
		(!add_map(s, k, m->params) || !yay_object_made(s, m) || !add_map(s, k, m->members)))
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		if (!add_piece(s, k, m->piece[i]))
			return false;
	return true;
}

/* The maps below come first. They are not asked for their keys: each would copy those of all below
 * it. */
static bool
collect(vt_yay *s, ymap *m, keys *k)
{
	ymap **chain = NULL;
	uint32_t n = 0;
	bool good = true;

	for (ymap *x = m; x && good; x = (ymap *)below(s, x)) {
		vt_push(chain, n) = x;
		if (x->keyed)
			break;
		good = yay_step(s, x->s.doc, x->s.row) && decide_all(s, x);
	}
	good = good && !yay_failed(s);
	while (good && n > 0) {
		ymap *x = chain[--n];
		if (x->keyed)
			add_keyed(s, k, x);
		else
			good = add_own(s, k, x);
	}
	free(chain);
	return good;
}

static void
keep_keys(vt_yay *s, ymap *m, const keys *k)
{
	m->nkeys = k->n;
	m->key = yay_alloc(s, k->n * sizeof *m->key);
	m->node = yay_alloc(s, k->n * sizeof *m->node);
	if (k->n) {
		memcpy(m->key, k->key, k->n * sizeof *m->key);
		memcpy(m->node, k->node, k->n * sizeof *m->node);
	}
	m->byname = k->at;
	for (uint32_t i = 0; i < k->npreds && s->taint == NO_TAINT; i++) {
		k->pred[i].n->pred = k->pred[i].pred;
		k->pred[i].n->pred_known = true;
	}
	m->keyed = true;
	yay_remember(s, m, T_KEYS);
}

bool
yay_map_keys(vt_yay *s, ymap *m)
{
	keys k = {.preds = true};
	uint32_t outer = s->taint;
	bool good;

	if (m->keyed)
		return true;
	if (!yay_step(s, m->s.doc, m->s.row))
		return false;
	s->taint = NO_TAINT;
	good = collect(s, m, &k);
	if (good)
		keep_keys(s, m, &k);
	s->taint = outer < s->taint ? outer : s->taint;
	free(k.key);
	free(k.node);
	free(k.pred);
	return good;
}

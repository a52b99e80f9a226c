/*
 * guard.c - if, select and include decide what stands there, by what else stands there.
 *
 * While one is being decided, lookups go past it.  Once it is decided it must still be decided
 * alike with its result in place: else the configuration contradicts itself.
 */
#include "runtime/net/http.h"
#include "runtime/core/printable.h"
#include "runtime/yay/int.h"

#include <stdlib.h>
#include <string.h>

bool
yay_is_guard(const ypiece *p)
{
	uint8_t k = ROW(p->doc, p->row)->kind;

	return p->kind == P_STANZA && (k == YAY_IF || k == YAY_SELECT || k == YAY_INCLUDE);
}

void
yay_tainted(vt_yay *s, uint32_t level)
{
	if (level < s->taint)
		s->taint = level;
}

void
yay_remember(vt_yay *s, void *what, int kind)
{
	if (s->taint == NO_TAINT)
		return;
	vt_push(s->taints, s->ntaints) = (struct ytaint){what, s->taint, (uint8_t)kind};
}

static void
forget_one(const struct ytaint *t)
{
	vt_ynode *n = t->what;
	yshape *sh = t->what;

	switch (t->kind) {
	case T_NODE:
		if (n->state == S_DONE) {
			n->guess = n->shape;
			n->state = S_NEW;
		}
		return;
	case T_KEYS: ((ymap *)t->what)->keyed = false; return;
	case T_VALUE: vt_clear(&sh->value); return;
	}
}

static void
forget(vt_yay *s, uint32_t level)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < s->ntaints; i++)
		if (s->taints[i].level >= level)
			forget_one(&s->taints[i]);
		else
			s->taints[k++] = s->taints[i];
	s->ntaints = k;
}

/* ---- what a guard comes to ---- */

typedef struct verdict {
	uint32_t choice;
	vt_value shown; /* owned: compared and shown */
} verdict;

static bool
judge_if(vt_yay *s, ypiece *p, verdict *v)
{
	ydoc *d = p->doc;
	uint32_t r = p->row, n = 0;
	bool yes = false;

	for (; r && ROW(d, r)->kind == YAY_IF; r = ROW(d, r)->c, n++) {
		yshape *sh = yay_eval(s, d, ROW(d, r)->a, p->env);
		if (!sh || !yay_truth(s, sh, &yes))
			return false;
		if (yes)
			break;
	}
	v->choice = yes ? ROW(d, r)->b : r;
	v->shown = n < 2 && !ROW(d, p->row)->c ? vt_mkbool(yes) : vt_mkint(yes ? (int64_t)n : -1);
	return true;
}

static bool
judge_select(vt_yay *s, ypiece *p, verdict *v)
{
	ydoc *d = p->doc;
	yshape *sh = yay_eval(s, d, ROW(d, p->row)->a, p->env);
	vt_value key = sh ? yay_text(s, sh, false) : VT_UNDEF;

	if (key == VT_UNDEF)
		return false;
	for (uint32_t e = ROW(d, p->row)->b; e; e = ROW(d, e)->next)
		if (ROW(d, e)->kind == YAY_ENTRY &&
			vt_str_eq(vt_as_str(yay_str_value(s, d, ROW(d, e)->a)), vt_as_str(key)))
			v->choice = e;
	v->shown = key;
	if (v->choice)
		return true;
	yay_fail(s, VT_YE_NO_MATCHING, d, p->row, "Select does not have key '%s'",
		sh->secret ? "*****" : vt_as_str(key)->s);
	return false;
}

/* ---- include ---- */

static bool
put_path(vt_yay *s, vt_list *l, yshape *sh)
{
	vt_value t;

	if (sh->kind == Y_LIST) {
		for (uint32_t i = 0; i < sh->n; i++) {
			yshape *item = yay_expand(s, sh->item[i]);
			if (!item || !put_path(s, l, item))
				return false;
		}
		return true;
	}
	if ((t = yay_text(s, sh, false)) == VT_UNDEF)
		return false;
	vt_list_push(s->rt, l, t);
	return true;
}

/* The expression or, in the old spelling, the value. */
static bool
put_paths(vt_yay *s, vt_list *l, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh;

	if (!row)
		return true;
	sh = ROW(d, row)->kind == YAY_BODY ? yay_body(s, d, row, env, NULL, NULL, NULL)
					   : yay_eval(s, d, row, env);
	return sh && put_path(s, l, sh);
}

static bool
judge_include(vt_yay *s, ypiece *p, verdict *v)
{
	vt_list *l = vt_list_grow(s->rt, VT_K_LIST, 1);

	if (!put_paths(s, l, p->doc, ROW(p->doc, p->row)->a, p->env)) {
		vt_release(vt_mkptr(l));
		return false;
	}
	v->shown = vt_mkptr(l);
	return true;
}

/* The entries of yay.searchpath, then those of the directives, then those of the command. */
static bool
search_path(vt_yay *s, vt_list *l)
{
	vt_ynode *n = yay_map_get(s, s->rootmap, s->s_yay);
	yshape *sh = n ? yay_expand(s, n) : NULL;

	if (sh && sh->kind == Y_MAP && (n = yay_map_get(s, (ymap *)sh, s->s_searchpath)))
		sh = yay_expand(s, n);
	else
		sh = NULL;
	if (yay_failed(s) || (sh && !put_path(s, l, sh)))
		return false;
	for (uint32_t i = 0; i < s->nsearches; i++)
		if (!put_paths(s, l, s->searches[i].doc,
			    ROW(s->searches[i].doc, s->searches[i].row)->a, s->searches[i].env))
			return false;
	for (uint32_t i = 0; i < s->nsearch; i++)
		vt_list_push(s->rt, l, vt_str_c(s->rt, s->search[i]));
	return true;
}

static bool
has_scheme(const char *name)
{
	return *name == '/' || strstr(name, "://") != NULL;
}

static char *
joined(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return vt_asprintf("%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

/* What was relied on before must still be in front. */
static bool
same_path(vt_yay *s, const vt_list *now, uint32_t need)
{
	vt_list *used = vt_as_list(s->used_path);

	for (uint32_t i = 0; i < used->n; i++)
		if (i >= now->n || !vt_eq(used->v[i], now->v[i]))
			return yay_fail(s, VT_YE_PARADOX, NULL, 0,
				"Searchpath changed after we started depending on it");
	for (uint32_t i = used->n; i < need && i < now->n; i++)
		vt_list_push(s->rt, used, vt_copy(now->v[i]));
	return true;
}

static const vt_ydoc *
open_at(vt_yay *s, ydoc *from, const char *dir, const char *name, bool *secret)
{
	char *path = dir ? joined(dir, name) : NULL;
	const vt_ydoc *d = s->host.open(s->host.ctx, s, path ? path : name, from->d, secret);

	free(path);
	return d;
}

static const vt_ydoc *
open_searched(vt_yay *s, ydoc *from, const char *name, bool *secret)
{
	vt_list *l = vt_list_grow(s->rt, VT_K_LIST, 4);
	const vt_ydoc *d = NULL;
	uint32_t i = 0;

	if (search_path(s, l) && same_path(s, l, 0))
		for (; i < l->n && !d && !yay_failed(s); i++)
			d = open_at(s, from, vt_as_str(l->v[i])->s, name, secret);
	if (!yay_failed(s))
		same_path(s, l, i);
	vt_release(vt_mkptr(l));
	return yay_failed(s) ? NULL : d;
}

/* A URL is reported without what it holds of passwords, a name that was made of secrets not at
 * all. */
static void
fail_to_find(vt_yay *s, ypiece *p, const char *name)
{
	char *shown = s->secret             ? vt_xstrdup("*****")
		      : vt_net_is_url(name) ? vt_net_shown(name)
					    : vt_xstrdup(name);

	yay_fail(s, VT_YE_NOT_FOUND, p->doc, p->row, "'%s' could not be found", shown);
	free(shown);
}

static const vt_ydoc *
open_document(vt_yay *s, ypiece *p, const char *name, bool *secret)
{
	const vt_ydoc *d = NULL;

	if (s->host.open)
		d = open_at(s, p->doc, NULL, name, secret);
	if (!d && !yay_failed(s) && s->host.open && !has_scheme(name))
		d = open_searched(s, p->doc, name, secret);
	if (!d)
		fail_to_find(s, p, name);
	return d;
}

/* A document that includes itself never ends. */
static bool
is_open(vt_yay *s, ypiece *p, const vt_ydoc *d)
{
	uint32_t depth = 0;

	for (const yframe *f = p->env; f; f = f->up)
		if (f->kind == F_BODY && f->doc && f->body == f->doc->d->root) {
			if (f->doc->d == d)
				return !yay_fail(s, VT_YE_CYCLE, p->doc, p->row,
					"'%s' includes itself", d->name);
			depth++;
		}
	if (depth > 500)
		return !yay_fail(s, VT_YE_LIMIT, p->doc, p->row,
			"documents include each other more than 500 deep");
	return false;
}

static void
add_document(vt_yay *s, ypiece *p, const vt_ydoc *d, bool secret)
{
	yframe *f = yay_frame_body(s, p->env, yay_doc(s, d, secret || p->doc->secret), d->root),
	       *home = p->env;
	ydoc **docs = yay_alloc(s, (p->ndocs + 1) * sizeof *docs);
	yframe **frames = yay_alloc(s, (p->ndocs + 1) * sizeof *frames);

	if (p->ndocs) {
		memcpy(docs, p->docs, p->ndocs * sizeof *docs);
		memcpy(frames, p->frames, p->ndocs * sizeof *frames);
	}
	docs[p->ndocs] = f->doc, frames[p->ndocs++] = f;
	p->docs = docs, p->frames = frames;
	while (home->kind != F_BODY)
		home = home->up;
	f->sibling = home->included;
	home->included = f;
}

/* Text that is empty includes nothing. */
static bool
open_all(vt_yay *s, ypiece *p, vt_value names)
{
	vt_list *l = vt_as_list(names);

	p->ndocs = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		bool secret = false;
		const char *name = vt_as_str(l->v[i])->s;
		const vt_ydoc *d;
		if (!*name)
			continue;
		if (s->ndocs > s->limit.includes)
			return yay_fail(s, VT_YE_LIMIT, p->doc, p->row, "more than %u documents",
				s->limit.includes);
		if (!(d = open_document(s, p, name, &secret))) {
			yay_led(s, p->doc, p->row);
			return false;
		}
		if (is_open(s, p, d))
			return false;
		add_document(s, p, d, secret);
	}
	return true;
}

/* With its documents in place an include must still find its way. */
static bool
check_path(vt_yay *s)
{
	vt_list *l;
	bool good;

	if (vt_as_list(s->used_path)->n == 0)
		return true;
	l = vt_list_grow(s->rt, VT_K_LIST, 4);
	good = search_path(s, l) && same_path(s, l, 0);
	vt_release(vt_mkptr(l));
	return good;
}

/* ---- deciding ---- */

static bool
judge(vt_yay *s, ypiece *p, verdict *v)
{
	*v = (verdict){0, VT_UNDEF};
	switch (ROW(p->doc, p->row)->kind) {
	case YAY_IF: return judge_if(s, p, v);
	case YAY_SELECT: return judge_select(s, p, v);
	}
	return judge_include(s, p, v);
}

static void
put_shown(vt_yay *s, vt_buf *b, vt_value v)
{
	if (s->secret)
		vt_buf_puts(b, "*****");
	else if (vt_is(v, LIST) && vt_as_list(v)->n == 1)
		vt_repr_cut(s->rt, b, vt_as_list(v)->v[0]);
	else
		vt_repr_cut(s->rt, b, v);
}

static bool
paradox(vt_yay *s, ypiece *p, vt_value from, vt_value to)
{
	vt_buf b = {0};
	bool plain = !vt_is_int(from) && !vt_is_int(to);

	vt_buf_puts(&b, "Inconsistent configuration detected");
	if (plain) {
		vt_buf_puts(&b, " - changed from ");
		put_shown(s, &b, from);
		vt_buf_puts(&b, " to ");
		put_shown(s, &b, to);
	} else {
		vt_buf_puts(&b, " - another branch is taken once this one is in place");
	}
	vt_buf_putc(&b, 0);
	yay_fail(s, VT_YE_PARADOX, p->doc, ROW(p->doc, p->row)->a, "%s", b.p);
	vt_buf_free(&b);
	return false;
}

/* Decides again, with everything in place. */
static bool
verify(vt_yay *s, ypiece *p)
{
	verdict v;
	bool good;

	if (!judge(s, p, &v)) {
		if (v.shown != VT_UNDEF &&
			!vt_eq(v.shown, p->shown)) { /* a select without such a case */
			yay_forgive(s);
			paradox(s, p, p->shown, v.shown);
		}
		vt_release(v.shown);
		return false;
	}
	good = v.choice == p->choice && vt_eq(v.shown, p->shown);
	if (!good)
		paradox(s, p, p->shown, v.shown);
	vt_release(v.shown);
	return good && (ROW(p->doc, p->row)->kind != YAY_INCLUDE || check_path(s));
}

static void
add_prov(vt_yay *s, ypiece *p, uint32_t level)
{
	vt_push(s->provs, s->nprovs) = (struct yprov){p, level};
}

/* Decisions that were made while `p` was passed by. */
static bool
verify_all(vt_yay *s, ypiece *p, uint32_t level)
{
	for (uint32_t i = 0; i < s->nprovs; i++) {
		ypiece *q = s->provs[i].p;
		uint32_t outer = s->taint;
		bool good;
		if (s->provs[i].level < level || q == p || q->state != S_DONE)
			continue;
		s->provs[i] = s->provs[--s->nprovs];
		i--;
		s->taint = NO_TAINT;
		good = verify(s, q);
		if (s->taint != NO_TAINT)
			add_prov(s, q, s->taint);
		yay_tainted(s, outer);
		if (!good)
			return false;
	}
	return verify(s, p);
}

static void
undecide(vt_yay *s, ypiece *p, uint32_t level)
{
	uint32_t k = 0;

	p->state = S_NEW;
	for (uint32_t i = 0; i < s->nprovs; i++)
		if (s->provs[i].level >= level)
			s->provs[i].p->state = S_NEW,
			s->provs[i].p->mapped = s->provs[i].p->shaped = false;
		else
			s->provs[k++] = s->provs[i];
	s->nprovs = k;
	forget(s, level);
}

static bool
decide_at(vt_yay *s, ypiece *p, uint32_t level)
{
	verdict v;
	bool good = judge(s, p, &v) &&
		    (ROW(p->doc, p->row)->kind != YAY_INCLUDE || open_all(s, p, v.shown));

	s->guards--;
	vt_move(&p->shown, v.shown);
	p->choice = v.choice;
	if (!good) {
		undecide(s, p, level);
		return false;
	}
	p->state = S_DONE;
	p->mapped = p->shaped = false;
	forget(s, level);
	if (s->taint >= level)
		s->taint = NO_TAINT;
	if (s->taint != NO_TAINT)
		add_prov(s, p, s->taint);
	if (p->skipped && !verify_all(s, p, level)) {
		undecide(s, p, level);
		p->state = S_NEW;
		return false;
	}
	return true;
}

bool
yay_decide(vt_yay *s, ypiece *p)
{
	uint32_t outer = s->taint;
	bool good;

	if (p->state == S_DONE)
		return true;
	if (p->state == S_BUSY)
		return yay_fail(s, VT_YE_CYCLE, p->doc, p->row,
			"A cyclic dependency was detected: this directive is decided by itself");
	if (!yay_step(s, p->doc, p->row))
		return false;
	p->state = S_BUSY;
	p->level = ++s->guards;
	p->skipped = false;
	s->taint = NO_TAINT;
	good = decide_at(s, p, p->level);
	yay_tainted(s, outer);
	return good;
}

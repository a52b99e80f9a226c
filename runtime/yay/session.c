/*
 * session.c - a session of Yay: memory, symbols, failures, layers, and what names mean.
 */
#include "runtime/yay/int.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

/* ---- memory ---- */

typedef struct chunk {
	struct chunk *next;
} chunk;
enum { CHUNK = 256 << 10 };

void *
yay_alloc(vt_yay *s, size_t n)
{
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (n > (size_t)(s->end - s->at)) {
		size_t size = n > CHUNK / 4 ? n + sizeof(chunk) + 16 : CHUNK;
		chunk *c = vt_xmalloc(size);
		c->next = s->chunks;
		s->chunks = c;
		if (size != CHUNK) {
			p = (char *)c + 16;
			return memset(p, 0, n);
		}
		s->at = (char *)c + 16;
		s->end = (char *)c + size;
	}
	p = s->at;
	s->at += n;
	return memset(p, 0, n);
}

static uint64_t
mixed(uint64_t k)
{
	k *= 0x9e3779b97f4a7c15u;
	return k ^ k >> 29;
}

void *
ytab_get(const ytab *t, uint64_t key)
{
	uint32_t i;

	if (!t->n)
		return NULL;
	for (i = (uint32_t)mixed(key) & (t->cap - 1); t->key[i]; i = (i + 1) & (t->cap - 1))
		if (t->key[i] == key)
			return t->val[i];
	return NULL;
}

/* Room for one more. */
static void
ytab_room(vt_yay *s, ytab *t)
{
	ytab old = *t;

	if (2 * ((uint64_t)t->n + 1) <= t->cap)
		return;
	t->cap = old.cap ? 2 * old.cap : 8;
	t->key = yay_alloc(s, t->cap * sizeof *t->key);
	t->val = yay_alloc(s, t->cap * sizeof *t->val);
	t->n = 0;
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.key[i])
			ytab_put(s, t, old.key[i], old.val[i]);
}

void
ytab_put(vt_yay *s, ytab *t, uint64_t key, void *val)
{
	uint32_t i;

	ytab_room(s, t);
	for (i = (uint32_t)mixed(key) & (t->cap - 1); t->key[i] && t->key[i] != key;
		i = (i + 1) & (t->cap - 1))
		;
	t->n += t->key[i] == 0;
	t->key[i] = key;
	t->val[i] = val;
}

/* ---- symbols ---- */

uint32_t
yay_sym_value(vt_yay *s, vt_value str)
{
	vt_value k = vt_dict_get(s->symbols, str);

	if (k != VT_UNDEF)
		return (uint32_t)vt_toint(k);
	vt_dict_set(s->rt, s->symbols, str, vt_mkint(s->nsyms));
	vt_push(s->sym, s->nsyms) = vt_copy(str);
	return s->nsyms - 1;
}

static uint32_t
yay_sym_of(vt_yay *s, const char *p, size_t n)
{
	vt_value v = vt_str_new(s->rt, p, n);
	uint32_t k = yay_sym_value(s, v);

	vt_release(v);
	return k;
}

vt_value
yay_doc_text(vt_yay *s, ydoc *d, uint32_t str)
{
	const uint32_t *at = d->d->str;

	if (!d->text)
		d->text = yay_alloc(s, (d->d->nstrs + 1) * sizeof *d->text);
	if (!d->text[str]) /* no value is 0 */
		d->text[str] = vt_str_new(s->rt, d->d->chars + at[str], at[str + 1] - at[str]);
	return d->text[str];
}

uint32_t
yay_sym(vt_yay *s, ydoc *d, uint32_t str)
{
	if (!d->sym)
		d->sym = yay_alloc(s, (d->d->nstrs + 1) * sizeof *d->sym);
	if (!d->sym[str])
		d->sym[str] = yay_sym_value(s, yay_doc_text(s, d, str));
	return d->sym[str];
}

/* Where a text is or would be among the strings of the document. */
static uint32_t *
string_place(vt_yay *s, ydoc *d, const char *text, size_t n)
{
	const uint32_t *at = d->d->str;
	uint32_t i = (uint32_t)vt_sip(&s->seed, text, n), k;

	for (;; i++) {
		k = d->str[i & (d->nstr - 1)];
		if (!k || (at[k + 1] - at[k] == n && !memcmp(d->d->chars + at[k], text, n)))
			return &d->str[i & (d->nstr - 1)];
	}
}

static void
index_strings(vt_yay *s, ydoc *d)
{
	const uint32_t *at = d->d->str;

	for (d->nstr = 8; d->nstr < d->d->nstrs + d->d->nstrs / 2; d->nstr *= 2)
		;
	d->str = yay_alloc(s, d->nstr * sizeof *d->str);
	for (uint32_t k = 1; k < d->d->nstrs; k++)
		*string_place(s, d, d->d->chars + at[k], at[k + 1] - at[k]) = k;
}

uint32_t
yay_str_of(vt_yay *s, ydoc *d, uint32_t sym)
{
	const vt_str *text = vt_as_str(s->sym[sym]);
	uintptr_t known = (uintptr_t)ytab_get(&d->str_of, sym + 1ull);

	if (known)
		return (uint32_t)known - 1;
	if (!d->str)
		index_strings(s, d);
	known = *string_place(s, d, text->s, text->bytes);
	ytab_put(s, &d->str_of, sym + 1ull, (void *)(known + 1));
	return (uint32_t)known;
}

vt_value
yay_str_value(vt_yay *s, ydoc *d, uint32_t str)
{
	uint32_t k = yay_sym(s, d, str); /* which may move sym */

	return s->sym[k];
}

/* ---- failures ---- */

static const char *const names[] = {"",
#define X(sym, name, code) name,
	VT_YAY_ERRORS(X)
#undef X
};
static const uint16_t codes[] = {VT_E3002,
#define X(sym, name, code) VT_##code,
	VT_YAY_ERRORS(X)
#undef X
};

enum vt_diag
vt_yay_diag(const vt_yfault *f)
{
	if (f->kind == VT_YE_SYNTAX && strcmp(f->type, names[VT_YE_NOT_FOUND]) == 0)
		return VT_E3009;
	return (enum vt_diag)codes[f->kind];
}

bool
yay_failed(const vt_yay *s)
{
	return s->fault.kind != VT_YE_NONE;
}

void
yay_forgive(vt_yay *s)
{
	free(s->fault.message);
	memset(&s->fault, 0, sizeof s->fault);
}

void
yay_led(vt_yay *s, ydoc *d, uint32_t row)
{
	vt_yfault *f = &s->fault;
	const vt_yrow *r;

	if (!d || !row || f->nplaces == VT_YAY_PLACES)
		return;
	r = ROW(d, row);
	for (uint32_t i = 0; i < f->nplaces; i++)
		if (f->place[i].doc == d->d && f->place[i].line == r->line &&
			f->place[i].col == r->col)
			return;
	f->place[f->nplaces++] = (vt_yplace){d->d, d->d->name, r->line, r->col};
}

static bool
fail_as(vt_yay *s, enum vt_yay_error kind, const char *type, char *message, ydoc *d, uint32_t row)
{
	if (yay_failed(s)) {
		free(message);
		return false;
	}
	s->fault.kind = kind;
	s->fault.message = message;
	snprintf(s->fault.type, sizeof s->fault.type, "%s", type);
	yay_led(s, d, row);
	return false;
}

bool
yay_fail(vt_yay *s, enum vt_yay_error kind, ydoc *d, uint32_t row, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, 0);
	return fail_as(s, kind, names[kind], b.p, d, row);
}

bool
yay_fail_rt(vt_yay *s, ydoc *d, uint32_t row)
{
	vt_buf b = {0};
	vt_exc *e = vt_pending(s->rt);

	if (e && s->secret)
		vt_buf_puts(&b, "an operation on a secret failed"); /* its message may show it */
	else if (e)
		vt_exc_str(s->rt, &b, e);
	vt_buf_putc(&b, 0);
	vt_exc_clear(s->rt);
	return fail_as(s, VT_YE_TYPE, names[VT_YE_TYPE], b.p, d, row);
}

void
vt_yay_refuse(vt_yay *s, const char *type, const char *message, vt_yplace p)
{
	if (yay_failed(s))
		return;
	fail_as(s, VT_YE_SYNTAX, type, vt_xstrdup(message), NULL, 0);
	if (p.name)
		s->fault.place[s->fault.nplaces++] = p;
}

const vt_yfault *
vt_yay_fault(const vt_yay *s)
{
	return &s->fault;
}

/* What every row and every place costs: the session's limits. */
bool
yay_step(vt_yay *s, ydoc *d, uint32_t row)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (unlikely(++s->steps > s->limit.steps))
		return yay_fail(s, VT_YE_LIMIT, d, row, "more than %llu steps",
			(unsigned long long)s->limit.steps);
	if (unlikely(s->nodes > s->limit.nodes))
		return yay_fail(s, VT_YE_LIMIT, d, row, "the configuration has more than %u places",
			s->limit.nodes);
	if (unlikely(s->stack - here > s->limit.stack && s->stack > here))
		return yay_fail(s, VT_YE_LIMIT, d, row,
			"this depends on itself without an end, or through too many steps");
	return true;
}

/* ---- places, shapes, frames ---- */

vt_ynode *
yay_node(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	vt_ynode *n = yay_alloc(s, offsetof(vt_ynode, piece));

	s->nodes++;
	n->doc = d, n->row = row, n->env = env;
	return n;
}

vt_ynode *
yay_node_of(vt_yay *s, ypiece *p, ydoc *d, uint32_t row, yframe *env, uint32_t entry)
{
	vt_ynode *n = yay_alloc(s, sizeof *n);

	s->nodes++;
	n->of_piece = true;
	n->doc = d, n->row = row, n->env = env;
	n->piece = p, n->entry = entry;
	return n;
}

vt_ynode *
yay_node_shape(vt_yay *s, yshape *sh)
{
	vt_ynode *n = yay_node(s, sh->doc, sh->row, NULL);

	n->kind = N_SHAPE, n->state = S_DONE, n->shape = sh;
	return n;
}

static void
keep_shape(vt_yay *s, yshape *sh, enum yshape_kind kind, ydoc *d, uint32_t row)
{
	s->nodes++;
	sh->kind = (uint8_t)kind;
	sh->doc = d, sh->row = row;
	sh->value = sh->text = sh->safe = VT_UNDEF;
	sh->all = s->shapes;
	s->shapes = sh;
}

yshape *
yay_shape(vt_yay *s, enum yshape_kind kind, ydoc *d, uint32_t row)
{
	yshape *sh = yay_alloc(s, kind == Y_SCALAR ? offsetof(yshape, item) : sizeof *sh);

	keep_shape(s, sh, kind, d, row);
	return sh;
}

ymap *
yay_map(vt_yay *s, ydoc *d, uint32_t row)
{
	ymap *m = yay_alloc(s, sizeof *m);

	keep_shape(s, &m->s, Y_MAP, d, row);
	return m;
}

yshape *
yay_scalar(vt_yay *s, ydoc *d, uint32_t row, vt_value owned)
{
	yshape *sh = yay_shape(s, Y_SCALAR, d, row);

	sh->value = owned;
	sh->secret = s->secret;
	return sh;
}

yframe *
yay_frame(vt_yay *s, enum yframe_kind kind, yframe *up)
{
	yframe *f = yay_alloc(s, kind == F_VARS   ? offsetof(yframe, here)
				 : kind == F_BODY ? sizeof *f
						  : offsetof(yframe, doc));

	s->nodes++;
	f->kind = (uint8_t)kind;
	f->up = up;
	return f;
}

yframe *
yay_frame_body(vt_yay *s, yframe *up, ydoc *d, uint32_t body)
{
	yframe *f = yay_frame(s, F_BODY, up);

	f->doc = d, f->body = body;
	return f;
}

/* ---- sessions and layers ---- */

vt_yay *
vt_yay_new(vt_rt *rt, const vt_yay_host *host, const vt_yay_limits *limits)
{
	vt_yay *s = vt_xzalloc(sizeof *s);
	s->rt = rt;
	if (host)
		s->host = *host;
	s->limit = limits ? *limits : (vt_yay_limits){50000000, 20000000, 4 << 20, 10000, 64 << 20};
	s->symbols = vt_dict_new_hashed(rt, false);
	s->seed = vt_seed_new();
	s->taint = NO_TAINT;
	s->used_path = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4));
	yay_sym_of(s, "", 0); /* so that no other is 0 */
	s->s_here = yay_sym_of(s, "here", 4);
	s->s_self = yay_sym_of(s, "self", 4);
	s->s_yay = yay_sym_of(s, "yay", 3);
	s->s_searchpath = yay_sym_of(s, "searchpath", 10);
	s->top = yay_frame(s, F_BODY, NULL);
	return s;
}

static void
release_texts(const ydoc *d)
{
	for (uint32_t i = 0; d->text && i < d->d->nstrs; i++)
		if (d->text[i])
			vt_release(d->text[i]);
}

static void
release_values(vt_yay *s)
{
	for (uint32_t i = 0; i < s->docs.cap; i++)
		if (s->docs.key[i])
			release_texts(s->docs.val[i]);
	for (yshape *sh = s->shapes; sh; sh = sh->all) {
		vt_release(sh->value);
		vt_release(sh->text);
		vt_release(sh->safe);
	}
	for (ypiece *p = s->pieces; p; p = p->all) {
		vt_release(p->shown);
		vt_release(p->values);
	}
	for (uint32_t i = 0; i < s->nlayers; i++)
		vt_release(s->layer[i].values);
	for (uint32_t i = 0; i < s->nsyms; i++)
		vt_release(s->sym[i]);
	vt_release(s->used_path);
	vt_release(vt_mkptr(s->symbols));
}

void
vt_yay_free(vt_yay *s)
{
	release_values(s);
	for (chunk *c = s->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	for (uint32_t i = 0; i < s->nsearch; i++)
		free(s->search[i]);
	yay_forgive(s);
	free(s->search);
	free(s->searches);
	free(s->sym);
	free(s->layer);
	free(s->taints);
	free(s->provs);
	free(s->busy);
	free(s);
}

ydoc *
yay_doc(vt_yay *s, const vt_ydoc *d, bool secret)
{
	ydoc *x = ytab_get(&s->docs, (uintptr_t)d);

	if (x)
		return x;
	x = yay_alloc(s, sizeof *x);
	x->d = d;
	x->secret = secret;
	ytab_put(s, &s->docs, (uintptr_t)d, x);
	s->ndocs++;
	return x;
}

static bool
add_layer(vt_yay *s, struct layer l)
{
	if (s->root)
		return yay_fail(s, VT_YE_LIMIT, NULL, 0, "a layer comes before the first question");
	vt_push(s->layer, s->nlayers) = l;
	return true;
}

bool
vt_yay_load(vt_yay *s, const vt_ydoc *d, bool secret)
{
	ydoc *x = yay_doc(s, d, secret);
	yframe *f = yay_frame_body(s, s->top, x, d->root);

	f->sibling = s->top->included;
	s->top->included = f;
	return add_layer(s, (struct layer){x, f, VT_UNDEF});
}

bool
vt_yay_layer(vt_yay *s, vt_value dict)
{
	return add_layer(s, (struct layer){NULL, NULL, vt_copy(dict)});
}

void
vt_yay_search(vt_yay *s, const char *dir)
{
	vt_push(s->search, s->nsearch) = vt_xstrdup(dir);
}

/* ---- the root ---- */

static const vt_yrow no_row[1];
static const uint32_t no_str[2];
static const vt_ydoc no_doc = {"", NULL, no_row, 1, 0, no_str, "", 1, NULL};

static void
note_searches(vt_yay *s, ydoc *d, uint32_t body, yframe *env)
{
	for (uint32_t r = ROW(d, body)->a; r; r = ROW(d, r)->next)
		if (ROW(d, r)->kind == YAY_SEARCH)
			vt_push(s->searches, s->nsearches) = (struct ysearch){d, r, env};
}

static bool
yay_root_map(vt_yay *s)
{
	ydoc *d = s->nlayers && s->layer[s->nlayers - 1].doc ? s->layer[s->nlayers - 1].doc
							     : yay_doc(s, &no_doc, false);
	uint32_t row;

	if (s->rootmap)
		return true;
	s->rootmap = yay_map(s, d, d->d->root);
	s->top->here = s->rootmap;
	s->nothing = yay_node_shape(s, yay_scalar(s, d, 0, vt_str_c(s->rt, "")));
	s->root = yay_node(s, d, d->d->root, s->top);
	s->root->kind = N_ROOT;
	for (uint32_t i = 0; i < s->nlayers; i++) {
		struct layer *l = &s->layer[i];
		if (!l->doc) {
			yay_map_values(s, s->rootmap, d, 0, l->values);
			continue;
		}
		yay_map_body(s, s->rootmap, l->doc, l->doc->d->root, l->frame, 0);
		note_searches(s, l->doc, l->doc->d->root, l->frame);
		s->rootlist |= yay_body_kind(l->doc, l->doc->d->root, &row) == B_LIST;
	}
	return true;
}

/* ---- names ---- */

static bool
is_target(vt_yay *s, ydoc *d, uint32_t row, uint32_t sym)
{
	const vt_yrow *r = ROW(d, row);

	if (r->kind == YAY_IDENT)
		return yay_sym(s, d, r->a) == sym;
	if (r->kind == YAY_TUPLE || r->kind == YAY_DISPLAY)
		for (uint32_t k = r->a; k; k = ROW(d, k)->next)
			if (is_target(s, d, k, sym))
				return true;
	return false;
}

/* The value of a SET, for its name: itself, or what unpacking gives the name. */
bool
yay_set_place(vt_yay *s, yframe *f, uint32_t row, uint32_t sym, yfound *out)
{
	ydoc *d = f->doc;
	const vt_yrow *r = ROW(d, row);
	vt_ynode *n = ytab_get(&f->sets, row);
	yframe *vars;

	if (!n)
		ytab_put(s, &f->sets, row, n = yay_node(s, d, r->b, f));
	out->node = n;
	if (r->c)
		return true;
	vars = yay_frame(s, F_VARS, NULL);
	if (!yay_bind(s, d, r->a, n, vars))
		return false;
	for (uint32_t i = 0; i < vars->n; i++)
		if (vars->name[i] == sym)
			out->node = vars->var[i];
	return true;
}

static void
put_names(vt_yay *s, ydoc *d, uint32_t target, uint32_t row, ytab *t)
{
	const vt_yrow *r = ROW(d, target);

	if (r->kind == YAY_IDENT)
		ytab_put(s, t, yay_sym(s, d, r->a), (void *)(uintptr_t)row);
	else if (r->kind == YAY_TUPLE || r->kind == YAY_DISPLAY)
		for (uint32_t k = r->a; k; k = ROW(d, k)->next)
			put_names(s, d, k, row, t);
}

/* Of a body that defines many: the last definition by name. */
static const ytab *
definitions(vt_yay *s, ydoc *d, uint32_t body)
{
	ytab *t = ytab_get(&d->index, body);

	if (t)
		return t;
	t = yay_alloc(s, sizeof *t);
	for (uint32_t r = ROW(d, body)->b; r; r = VT_YAY_D(*ROW(d, r))) {
		const vt_yrow *p = ROW(d, r);
		if (p->kind == YAY_SET && !p->c)
			put_names(s, d, p->a, r, t);
		else
			ytab_put(s, t, yay_sym(s, d, p->kind == YAY_SET ? p->c : p->a),
				(void *)(uintptr_t)r);
	}
	ytab_put(s, &d->index, body, t);
	return t;
}

/* The last definition of the name in the frame's body. */
static uint32_t
find_definition(vt_yay *s, yframe *f, uint32_t sym)
{
	enum { FEW = 8 };
	ydoc *d = f->doc;
	uint32_t found = 0, n = 0;

	if (!d)
		return 0;
	for (uint32_t r = ROW(d, f->body)->b; r; r = VT_YAY_D(*ROW(d, r))) {
		const vt_yrow *p = ROW(d, r);
		if (n++ == FEW)
			return (uint32_t)(uintptr_t)ytab_get(definitions(s, d, f->body), sym);
		if (p->kind != YAY_SET ? yay_sym(s, d, p->a) == sym
			: p->c         ? yay_sym(s, d, p->c) == sym
				       : is_target(s, d, p->a, sym))
			found = r;
	}
	return found;
}

static bool
take_definition(vt_yay *s, yframe *f, uint32_t row, uint32_t sym, yfound *out)
{
	if (ROW(f->doc, row)->kind == YAY_SET)
		return yay_set_place(s, f, row, sym, out);
	return (out->shape = yay_code(s, f->doc, row, f)) != NULL;
}

/* Documents that were included below the frame. The newest stands first. */
static bool
find_included(vt_yay *s, yframe *f, uint32_t sym, int depth, yfound *out)
{
	for (yframe *k = f->included; k && depth < 100; k = k->sibling) {
		uint32_t row = find_definition(s, k, sym);
		if (row)
			return take_definition(s, k, row, sym, out);
		if (find_included(s, k, sym, depth + 1, out))
			return true;
	}
	return false;
}

static bool
find_in_frame(vt_yay *s, yframe *f, uint32_t sym, yfound *out)
{
	uint32_t row;

	switch ((enum yframe_kind)f->kind) {
	case F_VARS:
		for (uint32_t i = 0; i < f->n; i++)
			if (f->name[i] == sym)
				return out->node = f->var[i], true;
		return false;
	case F_ARGS: return (out->node = yay_map_get(s, f->here, sym)) != NULL;
	case F_SELF: return sym == s->s_self ? out->shape = &f->here->s, true : false;
	case F_BODY: break;
	}
	row = find_definition(s, f, sym);
	return row && take_definition(s, f, row, sym, out);
}

static yshape *yay_here(vt_yay *s, ydoc *d, uint32_t row, yframe *env);

bool
yay_lookup(vt_yay *s, ydoc *d, uint32_t row, yframe *env, uint32_t sym, yfound *out)
{
	uint32_t at;

	*out = (yfound){0};
	if (sym == s->s_here)
		return (out->shape = yay_here(s, d, row, env)) != NULL;
	for (yframe *f = env; f; f = f->up)
		if (find_in_frame(s, f, sym, out) || yay_failed(s))
			return !yay_failed(s);
	yay_root_map(s);
	for (uint32_t i = s->nlayers; i-- > 0 && s->rootlist;)
		if (s->layer[i].doc &&
			yay_body_kind(s->layer[i].doc, s->layer[i].doc->d->root, &at) == B_LIST)
			return yay_fail(s, VT_YE_TYPE, s->layer[i].doc, at,
				"Expected an integer, '%s' is not an integer",
				vt_as_str(s->sym[sym])->s);
	if ((out->node = yay_map_get(s, s->rootmap, sym)) || yay_failed(s))
		return !yay_failed(s);
	for (yframe *f = env; f; f = f->up)
		if (f->kind == F_BODY && find_included(s, f, sym, 0, out))
			return true;
	return false;
}

static yshape *
here_of(vt_yay *s, yframe *f, ydoc *d, uint32_t row)
{
	vt_ynode *n;
	yshape *up;

	for (; f; f = f->up) {
		if (f->kind != F_BODY)
			continue;
		if (f->here)
			return &f->here->s;
		if (f->here_node)
			return yay_expand(s, f->here_node);
		if (!f->place)
			continue;
		if (!yay_step(s, d, row) || !(up = here_of(s, f->up, d, row)))
			return NULL;
		if (up->kind != Y_MAP)
			return up;
		if ((n = yay_map_get(s, (ymap *)up, f->place)))
			return yay_expand(s, n);
		return yay_failed(s) ? NULL : up;
	}
	yay_root_map(s);
	return &s->rootmap->s;
}

static yshape *
yay_here(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yay_root_map(s);
	return here_of(s, env, d, row);
}

/* ---- reading ---- */

/* The stack's limit counts from the call that came in. */
static void
enter(vt_yay *s)
{
	yay_forgive(s);
	s->stack = (uintptr_t)__builtin_frame_address(0);
	s->secret = false;
	yay_root_map(s);
}

vt_ynode *
vt_yay_root(vt_yay *s)
{
	enter(s);
	return s->root;
}

static vt_ynode *
step_into(vt_yay *s, vt_ynode *at, vt_value key, bool is_attr)
{
	yshape *sh = yay_expand(s, at);

	if (!sh || !(sh = yay_get(s, sh, NULL, 0, key, is_attr)))
		return NULL;
	return yay_node_shape(s, sh);
}

/* One step of a path from *p on; VT_UNDEF: it is none. */
static vt_value
path_key(vt_yay *s, const char **p, const char *end, bool *is_attr)
{
	const char *from = *p, *q;
	vt_value v;

	*is_attr = *from != '[';
	if (*from == '[') {
		q = memchr(from, ']', (size_t)(end - from));
		if (!q)
			return VT_UNDEF;
		*p = q + 1;
		if (q - from >= 3 && (from[1] == '"' || from[1] == '\'') && q[-1] == from[1])
			return vt_str_new(s->rt, from + 2, (size_t)(q - from - 3));
		if (vt_int_parse(s->rt, from + 1, (size_t)(q - from - 1), 10, &v) == VT_OK)
			return v;
		vt_exc_clear(s->rt);
		return VT_UNDEF;
	}
	for (q = from; q < end && *q != '.' && *q != '['; q++)
		;
	*p = q;
	return q > from ? vt_str_new(s->rt, from, (size_t)(q - from)) : VT_UNDEF;
}

vt_ynode *
vt_yay_at(vt_yay *s, vt_ynode *at, const char *path, size_t n)
{
	const char *p = path, *end = path + n;
	bool is_attr;

	enter(s);
	while (at && p < end) {
		vt_value key = path_key(s, &p, end, &is_attr);
		if (key == VT_UNDEF) {
			yay_fail(s, VT_YE_TYPE, NULL, 0, "the path '%.*s' is none",
				(int)(n > 200 ? 200 : n), path);
			return NULL;
		}
		at = step_into(s, at, key, is_attr);
		vt_release(key);
		if (p < end && *p == '.')
			p++;
	}
	return at;
}

vt_ynode *
vt_yay_expression(vt_yay *s, const vt_ydoc *d)
{
	ydoc *x = yay_doc(s, d, false);

	enter(s);
	return yay_node(s, x, d->root,
		s->nlayers && s->layer[s->nlayers - 1].frame ? s->layer[s->nlayers - 1].frame
							     : s->top);
}

vt_yplace
vt_yay_anchor(vt_yay *s, vt_ynode *n)
{
	ydoc *d = n->state == S_DONE ? n->shape->doc : n->doc;
	uint32_t row = n->state == S_DONE ? n->shape->row : n->row;

	if (!d || !row)
		return (vt_yplace){0};
	return (vt_yplace){d->d, d->d->name, ROW(d, row)->line, ROW(d, row)->col};
}

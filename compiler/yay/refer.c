/*
 * refer.c - which words of documents are one name: see refer.h.
 *
 * Each value is a class, and classes are united where one value may be the other: what a name is
 * set to, what is merged, what a loop goes through.  A class has slots, its members by name, and
 * one class for all its items.  Uniting two classes unites their slots of one name, and so on; a
 * union-find over both does it.
 */
#include "compiler/yay/refer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEEP = 1000 };

typedef struct slot {
	uint32_t up; /* of the union-find; itself at the root */
	uint32_t owner, value, next, first; /* classes; the owner's next slot; a place + 1 */
	const char *name;
	bool alone; /* it is used without something before a dot */
} slot;
typedef struct class {
	uint32_t up, slots, items, arguments;
	bool walked; /* its keys are read as texts */
} class;
typedef struct include {
	const char *name;
	uint32_t row, into; /* into: the class that the file's keys come into */
} include;
typedef struct document {
	const char *path;
	const vt_ydoc *d;
	const yay_bytes *at;
	uint32_t top, sets; /* classes: of its keys, of what it sets at the top */
	include *include;
	uint32_t nincludes;
} document;

/* Where names are looked for: the variables and `set` lines of a block. */
typedef struct frame {
	const struct frame *up;
	uint32_t of; /* a class whose slots are the names */
} frame;
typedef struct walk {
	yay_refer *r;
	uint32_t doc, here, self;
	const char *macro; /* whose block it is, or NULL */
	uint32_t arguments; /* of the macro: a class */
	uint32_t depth;
} walk;

struct yay_refer {
	vc *c;
	slot *slot;
	class *class;
	document *doc;
	yay_place *place;
	uint32_t nslots, nclasses, ndocs, nplaces;
	struct argument {
		const char *macro, *name;
	} * argument; /* that some call gives */
	uint32_t narguments;
	bool lost; /* something was too deep */
};

/* ---- classes and slots ---- */

static uint32_t
new_class(yay_refer *r)
{
	if (!r->nclasses)
		vc_push(r->c, r->class, r->nclasses) = (class){0}; /* 0 is none */
	uint32_t k = r->nclasses;
	vc_push(r->c, r->class, r->nclasses) = (class){.up = k};
	return k;
}

static uint32_t
root(yay_refer *r, uint32_t k)
{
	while (r->class[k].up != k)
		k = r->class[k].up = r->class[r->class[k].up].up;
	return k;
}

static uint32_t
slot_root(yay_refer *r, uint32_t s)
{
	while (r->slot[s].up != s)
		s = r->slot[s].up = r->slot[r->slot[s].up].up;
	return s;
}

static uint32_t
find_slot(yay_refer *r, uint32_t k, const char *name)
{
	for (uint32_t s = k ? r->class[root(r, k)].slots : 0; s; s = r->slot[s].next)
		if (strcmp(r->slot[s].name, name) == 0)
			return s;
	return 0;
}

static uint32_t
get_slot(yay_refer *r, uint32_t k, const char *name)
{
	uint32_t s = find_slot(r, k, name), of = root(r, k), value;

	if (s)
		return s;
	value = new_class(r);
	if (!r->nslots)
		vc_push(r->c, r->slot, r->nslots) = (slot){0};
	s = r->nslots;
	vc_push(r->c, r->slot, r->nslots) = (slot){.up = s,
		.owner = of,
		.value = value,
		.name = name,
		.next = r->class[of].slots};
	r->class[of].slots = s;
	return s;
}

static uint32_t
value_of(yay_refer *r, uint32_t s)
{
	return r->slot[slot_root(r, s)].value;
}

static uint32_t
items_of(yay_refer *r, uint32_t k)
{
	uint32_t of = root(r, k);

	if (!r->class[of].items) {
		uint32_t items = new_class(r);
		r->class[of].items = items;
	}
	return r->class[of].items;
}

typedef struct pairs {
	uint32_t (*of)[2];
	uint32_t n, cap;
} pairs;

static void
push_pair(pairs *p, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return;
	if (p->n == p->cap)
		p->of = vt_xrealloc(p->of, (p->cap = p->cap ? 2 * p->cap : 64) * sizeof *p->of);
	p->of[p->n][0] = a;
	p->of[p->n++][1] = b;
}

/* Slots of b become slots of a; those of one name are one. */
static void
take_slots(yay_refer *r, uint32_t a, uint32_t b, pairs *todo)
{
	uint32_t next;

	for (uint32_t s = r->class[b].slots; s; s = next) {
		uint32_t other = find_slot(r, a, r->slot[s].name);
		next = r->slot[s].next;
		if (other) {
			uint32_t x = slot_root(r, other), y = slot_root(r, s);
			if (x != y) {
				push_pair(todo, r->slot[x].value, r->slot[y].value);
				r->slot[y].up = x;
				r->slot[x].alone |= r->slot[y].alone;
			}
		} else {
			r->slot[s].owner = a;
			r->slot[s].next = r->class[a].slots;
			r->class[a].slots = s;
		}
	}
}

static void
unite(yay_refer *r, uint32_t first, uint32_t second)
{
	pairs todo = {0};

	push_pair(&todo, first, second);
	while (todo.n > 0) {
		uint32_t a = root(r, todo.of[todo.n - 1][0]), b = root(r, todo.of[todo.n - 1][1]);
		todo.n--;
		if (a == b)
			continue;
		r->class[b].up = a;
		take_slots(r, a, b, &todo);
		push_pair(&todo, r->class[a].items, r->class[b].items);
		push_pair(&todo, r->class[a].arguments, r->class[b].arguments);
		if (!r->class[a].items)
			r->class[a].items = r->class[b].items;
		if (!r->class[a].arguments)
			r->class[a].arguments = r->class[b].arguments;
		r->class[a].walked |= r->class[b].walked;
	}
	free(todo.of);
}

/* ---- places ---- */

static const vt_yrow *
row_of(const walk *w, uint32_t row)
{
	return &w->r->doc[w->doc].d->row[row];
}

static const char *
text_of(const walk *w, uint32_t str)
{
	const vt_ydoc *d = w->r->doc[w->doc].d;

	return vc_strndup(w->r->c, d->chars + d->str[str], d->str[str + 1] - d->str[str]);
}

static void
add_place(const walk *w, uint32_t row, uint32_t s, bool declares)
{
	yay_bytes at = w->r->doc[w->doc].at[row];

	if (at.to)
		vc_push(w->r->c, w->r->place, w->r->nplaces) =
			(yay_place){w->doc, at.from, at.to, s, declares};
}

/* ---- expressions: the class of what they come to; 0: a text, or nobody knows ---- */

static uint32_t eval(walk *, uint32_t row, const frame *);
static void fill(walk *, uint32_t into, uint32_t body, const frame *);

static uint32_t
either(walk *w, uint32_t a, uint32_t b)
{
	unite(w->r, a, b);
	return a ? a : b;
}

static bool
is_given(const walk *w, const char *name)
{
	for (uint32_t i = 0; w->macro && i < w->r->narguments; i++)
		if (strcmp(w->r->argument[i].macro, w->macro) == 0 &&
			strcmp(w->r->argument[i].name, name) == 0)
			return true;
	return false;
}

/* The slot of a name: blocks around, arguments, keys at the top, what is set at the top. */
static uint32_t
look_up(walk *w, const char *name, const frame *f)
{
	yay_refer *r = w->r;
	const document *d = &r->doc[w->doc];
	uint32_t s = 0;

	for (; f && !s; f = f->up)
		s = find_slot(r, f->of, name);
	if (!s && is_given(w, name)) {
		s = get_slot(r, w->arguments, name);
		/* a call that does not give it takes the key */
		uint32_t key = find_slot(r, d->top, name), x = slot_root(r, s);
		if (key && slot_root(r, key) != x) {
			unite(r, r->slot[x].value, value_of(r, key));
			r->slot[x].alone |= r->slot[slot_root(r, key)].alone;
			r->slot[slot_root(r, key)].up = x;
		}
	}
	if (!s && !find_slot(r, d->top, name))
		s = find_slot(r, d->sets, name);
	return s ? s : get_slot(r, d->top, name);
}

static uint32_t
ident(walk *w, uint32_t row, const frame *f)
{
	const char *name = text_of(w, row_of(w, row)->a);

	if (strcmp(name, "here") == 0)
		return w->here;
	if (strcmp(name, "self") == 0 && w->self)
		return w->self;
	uint32_t s = look_up(w, name, f);
	w->r->slot[slot_root(w->r, s)].alone = true;
	add_place(w, row, s, false);
	return value_of(w->r, s);
}

static uint32_t
member(walk *w, uint32_t row, uint32_t of, uint32_t str)
{
	uint32_t s = of ? get_slot(w->r, of, text_of(w, str)) : 0;

	add_place(w, row, s, false);
	return s ? value_of(w->r, s) : 0;
}

/* a["key"], a[0], a[x]: an item; of a mapping nobody knows which key. */
static uint32_t
index_of(walk *w, const vt_yrow *p, const frame *f)
{
	uint32_t of = eval(w, p->a, f);
	const vt_yrow *i = row_of(w, p->b);

	if (i->kind == YAY_STR)
		return member(w, p->b, of, i->a);
	eval(w, p->b, f);
	if (of && i->kind != YAY_NUM && i->kind != YAY_UNARY)
		w->r->class[root(w->r, of)].walked = true;
	return of ? items_of(w->r, of) : 0;
}

static uint32_t
all(walk *w, uint32_t first, const frame *f)
{
	uint32_t k = new_class(w->r);

	for (uint32_t e = first; e; e = row_of(w, e)->next)
		unite(w->r, items_of(w->r, k), eval(w, e, f));
	return k;
}

static uint32_t
dict(walk *w, uint32_t first, const frame *f)
{
	uint32_t k = new_class(w->r);

	for (uint32_t p = first; p; p = row_of(w, p)->next) {
		uint32_t key = row_of(w, p)->a, value = eval(w, row_of(w, p)->b, f);
		if (row_of(w, key)->kind != YAY_STR) {
			eval(w, key, f);
			unite(w->r, items_of(w->r, k), value);
			continue;
		}
		uint32_t s = get_slot(w->r, k, text_of(w, row_of(w, key)->a));
		add_place(w, key, s, true);
		unite(w->r, value_of(w->r, s), value);
	}
	return k;
}

/* Variables of a loop or a lambda; several of them take an item apart. */
static void
bind(walk *w, uint32_t of, uint32_t target, uint32_t value)
{
	const vt_yrow *t = row_of(w, target);

	if (t->kind == YAY_IDENT) {
		uint32_t s = get_slot(w->r, of, text_of(w, t->a));
		w->r->slot[slot_root(w->r, s)].alone = true;
		add_place(w, target, s, true);
		unite(w->r, value_of(w->r, s), value);
	} else if (t->kind == YAY_TUPLE || t->kind == YAY_DISPLAY) {
		for (uint32_t e = t->a; e; e = row_of(w, e)->next)
			bind(w, of, e, value ? items_of(w->r, value) : 0);
	}
}

/* What a loop goes through: items of a list, or keys of a mapping. */
static uint32_t
walked(walk *w, uint32_t row, const frame *f)
{
	uint32_t of = eval(w, row, f);

	if (!of)
		return 0;
	w->r->class[root(w->r, of)].walked = true;
	return items_of(w->r, of);
}

static uint32_t
comprehension(walk *w, uint32_t step, uint32_t what, const frame *f)
{
	const vt_yrow *p = row_of(w, step);
	frame own = {f, 0};

	if (!step)
		return row_of(w, what)->kind == YAY_PAIR
			       ? (eval(w, row_of(w, what)->a, f), eval(w, row_of(w, what)->b, f))
			       : eval(w, what, f);
	if (p->kind == YAY_CIF) {
		eval(w, p->a, f);
		return comprehension(w, p->next, what, f);
	}
	own.of = new_class(w->r);
	bind(w, own.of, p->a, walked(w, p->b, f));
	return comprehension(w, row_of(w, step)->next, what, &own);
}

static uint32_t
lambda(walk *w, const vt_yrow *p, const frame *f)
{
	frame own = {f, new_class(w->r)};
	uint32_t first = p->a, body = p->b;

	for (uint32_t q = first; q; q = row_of(w, q)->next)
		bind(w, own.of, row_of(w, q)->a, eval(w, row_of(w, q)->b, f));
	eval(w, body, &own);
	return 0;
}

/* Functions that give the items that they get. */
static bool
keeps_items(const char *name)
{
	static const char *const names[] = {"sorted", "reversed", "list", "filter", "flatten"};

	for (size_t i = 0; i < VC_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static uint32_t
method(walk *w, uint32_t of, const char *name, uint32_t arg)
{
	yay_refer *r = w->r;

	if (of && strcmp(name, "get") == 0 && arg && row_of(w, arg)->kind == YAY_STR)
		return member(w, arg, of, row_of(w, arg)->a);
	if (of && (strcmp(name, "keys") == 0 || strcmp(name, "items") == 0 ||
			  strcmp(name, "get") == 0))
		r->class[root(r, of)].walked = true;
	return 0;
}

static uint32_t
arguments_of(walk *w, uint32_t k)
{
	uint32_t of = root(w->r, k);

	if (!w->r->class[of].arguments) {
		uint32_t made = new_class(w->r);
		w->r->class[of].arguments = made;
	}
	return w->r->class[of].arguments;
}

static uint32_t
invoke(walk *w, const vt_yrow *p, const frame *f)
{
	uint32_t callee = p->a, first = p->b, of = 0, items = 0;
	const vt_yrow *c = row_of(w, callee);
	const char *name = c->kind == YAY_IDENT ? text_of(w, c->a) : NULL;
	const char *called = c->kind == YAY_ATTR ? text_of(w, c->b) : NULL;

	if (called)
		of = eval(w, c->a, f);
	else
		of = eval(w, callee, f);
	for (uint32_t a = first; a; a = row_of(w, a)->next) {
		bool named = row_of(w, a)->kind == YAY_KWARG;
		uint32_t value = eval(w, named ? row_of(w, a)->b : a, f);
		if (named && of && !called) {
			uint32_t s = get_slot(w->r, arguments_of(w, of),
				text_of(w, row_of(w, a)->a));
			add_place(w, a, s, true);
			unite(w->r, value_of(w->r, s), value);
		}
		items = items ? items : value;
	}
	if (called)
		return method(w, of, called, first);
	return name && keeps_items(name) ? items : of;
}

static uint32_t
eval_deep(walk *w, uint32_t row, const frame *f)
{
	const vt_yrow *p = row_of(w, row);
	uint32_t a, b;

	switch ((enum vt_yay_kind)p->kind) {
	case YAY_IDENT: return ident(w, row, f);
	case YAY_ATTR:
		b = p->b;
		a = eval(w, p->a, f);
		return member(w, row, a, b);
	case YAY_INDEX: return index_of(w, p, f);
	case YAY_SLICE:
		a = eval(w, p->a, f);
		eval(w, p->b, f), eval(w, p->c, f), eval(w, p->d, f);
		return a;
	case YAY_INVOKE: return invoke(w, p, f);
	case YAY_MERGED:
		for (uint32_t e = p->a; e; e = row_of(w, e)->next)
			eval(w, e, f);
		return 0;
	case YAY_BINARY:
		a = eval(w, p->a, f);
		b = eval(w, p->b, f);
		return p->op == '+' ? either(w, a, b) : 0;
	case YAY_AND:
	case YAY_OR:
	case YAY_ELSE:
		a = eval(w, p->a, f);
		return either(w, a, eval(w, p->b, f));
	case YAY_TERNARY:
		a = eval(w, p->a, f);
		eval(w, p->b, f);
		return either(w, a, eval(w, p->c, f));
	case YAY_UNARY:
	case YAY_NOT:
	case YAY_NUMBER:
	case YAY_REPR: eval(w, p->a, f); return 0;
	case YAY_CHOSEN: return eval(w, p->a, f);
	case YAY_COMPARE:
		eval(w, p->a, f);
		for (uint32_t l = p->b; l; l = row_of(w, l)->next)
			if ((a = eval(w, row_of(w, l)->a, f)) != 0 &&
				row_of(w, l)->op >= YAY_OP_IN && row_of(w, l)->op <= YAY_OP_NOT_IN)
				w->r->class[root(w->r, a)].walked = true; /* "key" in mapping */
		return 0;
	case YAY_TUPLE:
	case YAY_DISPLAY:
	case YAY_SETOF: return all(w, p->a, f);
	case YAY_DICT: return dict(w, p->a, f);
	case YAY_COMP:
		a = new_class(w->r);
		unite(w->r, items_of(w->r, a), comprehension(w, p->b, p->a, f));
		return a;
	case YAY_LAMBDA: return lambda(w, p, f);
	case YAY_BODY:
		a = new_class(w->r);
		fill(w, a, row, f);
		return a;
	case YAY_NONE:
	YAY_STATEMENT_CASES:
	case YAY_TEXT:
	case YAY_EMPTYDICT:
	case YAY_EMPTYLIST:
	case YAY_STR:
	case YAY_NUM:
	case YAY_BOOL:
	YAY_PART_CASES:
		break;
	}
	return 0;
}

static uint32_t
eval(walk *w, uint32_t row, const frame *f)
{
	uint32_t k = 0;

	if (!row)
		return 0;
	if (w->depth == MOST_DEEP) {
		w->r->lost = true;
		return 0;
	}
	w->depth++;
	k = eval_deep(w, row, f);
	w->depth--;
	return k;
}

/* ---- blocks ---- */

/* A value that comes to a class: a block, or an expression. */
static void
put(walk *w, uint32_t into, uint32_t row, const frame *f)
{
	if (row && row_of(w, row)->kind == YAY_BODY)
		fill(w, into, row, f);
	else
		unite(w->r, into, eval(w, row, f));
}

static void
entry(walk *w, uint32_t into, uint32_t row, const frame *f)
{
	const vt_yrow *p = row_of(w, row);
	uint32_t s = get_slot(w->r, into, text_of(w, p->a));

	add_place(w, row, s, true);
	put(w, value_of(w->r, s), p->b, f);
}

/* What is made with `self`; what it is made of has the same keys. */
static void
object(walk *w, uint32_t into, uint32_t of, uint32_t body, const frame *f)
{
	uint32_t before = w->self;

	unite(w->r, into, of);
	w->self = into;
	fill(w, into, body, f);
	w->self = before;
}

static void
call(walk *w, uint32_t into, const vt_yrow *p, const frame *f)
{
	uint32_t body = p->b, of = eval(w, p->a, f);

	unite(w->r, into, of);
	fill(w, of ? arguments_of(w, of) : new_class(w->r), body, f);
}

static void
loop(walk *w, uint32_t into, const vt_yrow *p, const frame *f)
{
	frame own = {f, new_class(w->r)};
	uint32_t body = p->c, filter = p->d;

	bind(w, own.of, p->a, walked(w, p->b, f));
	eval(w, filter, &own);
	/* a mapping below it is one item */
	fill(w, row_of(w, row_of(w, body)->a)->kind == YAY_LIST ||
			     row_of(w, row_of(w, body)->a)->kind == YAY_FOR
			? into
			: items_of(w->r, into),
		body, &own);
}

static void
macro(walk *w, uint32_t row, uint32_t s)
{
	walk inner = *w;
	uint32_t k = value_of(w->r, s);

	inner.macro = w->r->slot[s].name;
	inner.arguments = arguments_of(w, k);
	inner.self = inner.here = 0;
	fill(&inner, k, row_of(w, row)->b, NULL);
}

static void
include_file(walk *w, uint32_t into, uint32_t row, const frame *f)
{
	const document *d = &w->r->doc[w->doc];

	for (uint32_t i = 0; i < d->nincludes; i++)
		if (d->include[i].row == row) {
			unite(w->r, into, d->include[i].into);
			return;
		}
	put(w, new_class(w->r), row_of(w, row)->a, f);
}

static void
stanza(walk *w, uint32_t into, uint32_t row, const frame *f)
{
	const vt_yrow *p = row_of(w, row);
	uint32_t s;

	switch (p->kind) {
	case YAY_MAP:
	case YAY_LIST:
		for (uint32_t e = p->a; e; e = row_of(w, e)->next)
			if (row_of(w, e)->kind == YAY_ENTRY)
				entry(w, into, e, f);
			else if (row_of(w, e)->kind == YAY_ITEM)
				put(w, items_of(w->r, into), row_of(w, e)->a, f);
			else
				stanza(w, into, e, f);
		break;
	case YAY_INCLUDE: include_file(w, into, row, f); break;
	case YAY_SEARCH: eval(w, p->a, f); break;
	case YAY_NEW: object(w, into, eval(w, p->a, f), row_of(w, row)->b, f); break;
	case YAY_CREATE: eval(w, p->a, f), object(w, into, 0, row_of(w, row)->b, f); break;
	case YAY_CONFIGURE: fill(w, new_class(w->r), p->b, f); break;
	case YAY_PROTOTYPE:
		s = look_up(w, text_of(w, p->a), f);
		object(w, value_of(w->r, s), 0, row_of(w, row)->b, f);
		break;
	case YAY_MACRO: macro(w, row, look_up(w, text_of(w, p->a), f)); break;
	case YAY_CALL: call(w, into, p, f); break;
	case YAY_FOR: loop(w, into, p, f); break;
	case YAY_IF:
		for (; row && row_of(w, row)->kind == YAY_IF; row = row_of(w, row)->c) {
			eval(w, row_of(w, row)->a, f);
			put(w, into, row_of(w, row)->b, f);
		}
		put(w, into, row, f);
		break;
	case YAY_SELECT:
		eval(w, p->a, f);
		for (uint32_t e = row_of(w, row)->b; e; e = row_of(w, e)->next)
			put(w, into, row_of(w, e)->b, f);
		break;
	}
}

/* Names that a block declares, before anything in it is looked at. */
static void
declare(walk *w, uint32_t body, uint32_t of, bool values, const frame *f)
{
	for (uint32_t e = row_of(w, body)->b; e; e = row_of(w, e)->d) {
		const vt_yrow *p = row_of(w, e);
		if (p->kind != YAY_SET) {
			uint32_t s = get_slot(w->r, of, text_of(w, p->a));
			if (!values)
				add_place(w, e, s, true);
		} else if (values) {
			bind(w, of, p->a, eval(w, p->b, f));
		} else if (p->c) {
			get_slot(w->r, of, text_of(w, p->c));
		} else {
			for (uint32_t t = row_of(w, p->a)->a; t; t = row_of(w, t)->next)
				if (row_of(w, t)->kind == YAY_IDENT)
					get_slot(w->r, of, text_of(w, row_of(w, t)->a));
		}
	}
}

/* `set a.b = c`: no name is declared. */
static void
set_members(walk *w, uint32_t first, const frame *f)
{
	for (uint32_t e = first; e; e = row_of(w, e)->next) {
		const vt_yrow *p = row_of(w, e);
		uint8_t kind = p->kind == YAY_SET ? row_of(w, p->a)->kind : YAY_NONE;
		if (p->kind != YAY_SET || kind == YAY_IDENT || kind == YAY_TUPLE)
			continue;
		uint32_t a = eval(w, p->a, f);
		unite(w->r, a, eval(w, row_of(w, e)->b, f));
	}
}

static void
fill(walk *w, uint32_t into, uint32_t body, const frame *f)
{
	frame own = {f, 0};
	uint32_t here = w->here;

	if (!body || w->depth == MOST_DEEP) {
		w->r->lost |= body != 0;
		return;
	}
	w->depth++;
	w->here = into;
	if (row_of(w, body)->b) {
		own.of = w->depth == 1 ? w->r->doc[w->doc].sets : new_class(w->r);
		declare(w, body, own.of, false, NULL);
		declare(w, body, own.of, true, &own);
		f = &own;
	}
	for (uint32_t e = row_of(w, body)->a; e; e = row_of(w, e)->next)
		stanza(w, into, e, f);
	set_members(w, row_of(w, body)->a, f);
	w->here = here;
	w->depth--;
}

/* ---- the documents ---- */

yay_refer *
yay_refer_new(vc *c)
{
	yay_refer *r = vc_alloc(c, sizeof *r);

	*r = (yay_refer){.c = c};
	new_class(r);
	return r;
}

static const char *
called(const yay_refer *r, const vt_ydoc *d, uint32_t row)
{
	const vt_yrow *p = &d->row[row];
	uint32_t s = p->kind == YAY_IDENT ? p->a : p->kind == YAY_ATTR ? p->b : 0;

	return s ? vc_strndup(r->c, d->chars + d->str[s], d->str[s + 1] - d->str[s]) : NULL;
}

static void
add_argument(yay_refer *r, const char *macro, const vt_ydoc *d, uint32_t str)
{
	if (macro)
		vc_push(r->c, r->argument, r->narguments) = (struct argument){macro,
			vc_strndup(r->c, d->chars + d->str[str], d->str[str + 1] - d->str[str])};
}

/* What calls give by name, by the name of what is called. */
static void
collect_arguments(yay_refer *r, const vt_ydoc *d)
{
	for (uint32_t i = 1; i < d->nrows; i++) {
		const vt_yrow *p = &d->row[i];
		const char *name = p->kind == YAY_CALL || p->kind == YAY_INVOKE ? called(r, d, p->a)
										 : NULL;
		for (uint32_t a = p->kind == YAY_INVOKE ? p->b : 0; a; a = d->row[a].next)
			if (d->row[a].kind == YAY_KWARG)
				add_argument(r, name, d, d->row[a].a);
		for (uint32_t s = p->kind == YAY_CALL ? d->row[p->b].a : 0; s; s = d->row[s].next)
			for (uint32_t e = d->row[s].kind == YAY_MAP ? d->row[s].a : 0; e;
				e = d->row[e].next)
				if (d->row[e].kind == YAY_ENTRY)
					add_argument(r, name, d, d->row[e].a);
	}
}

static void
collect_includes(yay_refer *r, document *x)
{
	const vt_ydoc *d = x->d;

	for (uint32_t i = 1; i < d->nrows; i++) {
		const vt_yrow *a = &d->row[d->row[i].a];
		if (d->row[i].kind != YAY_INCLUDE || !d->row[i].a ||
			(a->kind != YAY_STR && a->kind != YAY_TEXT))
			continue;
		const char *name = vc_strndup(
			r->c, d->chars + d->str[a->a], d->str[a->a + 1] - d->str[a->a]);
		uint32_t into = new_class(r);
		vc_push(r->c, x->include, x->nincludes) = (include){name, i, into};
	}
}

uint32_t
yay_refer_add(yay_refer *r, const char *path, const char *text, size_t n)
{
	yay_fault fault;
	const vt_ydoc *d = yay_read(r->c, path, text, n, false, &fault, NULL, NULL);
	yay_bytes *at = d ? yay_refer_rows(r->c, d, n) : NULL;

	if (!at || d->row[d->root].kind != YAY_BODY)
		return UINT32_MAX;
	document *doc = &vc_push(r->c, r->doc, r->ndocs);
	*doc = (document){.path = path, .d = d, .at = at};
	uint32_t top = new_class(r), sets = new_class(r);
	r->doc[r->ndocs - 1].top = top;
	r->doc[r->ndocs - 1].sets = sets;
	collect_arguments(r, d);
	collect_includes(r, &r->doc[r->ndocs - 1]);
	return r->ndocs - 1;
}

const char *
yay_refer_include(const yay_refer *r, uint32_t doc, uint32_t i)
{
	return i < r->doc[doc].nincludes ? r->doc[doc].include[i].name : NULL;
}

void
yay_refer_join(yay_refer *r, uint32_t a, uint32_t b, uint32_t i)
{
	unite(r, r->doc[a].include[i].into, r->doc[b].top);
	unite(r, r->doc[a].sets, r->doc[b].sets);
}

const char *
yay_refer_path(const yay_refer *r, uint32_t doc)
{
	return r->doc[doc].path;
}

static int
by_offset(const void *a, const void *b)
{
	const yay_place *x = a, *y = b;

	return x->doc != y->doc     ? (x->doc > y->doc) - (x->doc < y->doc)
	       : x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				    : y->declares - x->declares;
}

/* Classes at the top are known first, so that a name finds them wherever it stands. */
static void
declare_top(yay_refer *r, uint32_t doc)
{
	walk w = {.r = r, .doc = doc};
	const vt_ydoc *d = r->doc[doc].d;

	declare(&w, d->root, r->doc[doc].sets, false, NULL);
	r->nplaces = 0;
	for (uint32_t s = d->row[d->root].a; s; s = d->row[s].next)
		for (uint32_t e = d->row[s].kind == YAY_MAP ? d->row[s].a : 0; e; e = d->row[e].next)
			if (d->row[e].kind == YAY_ENTRY)
				get_slot(r, r->doc[doc].top, text_of(&w, d->row[e].a));
}

void
yay_refer_finish(yay_refer *r)
{
	for (uint32_t i = 0; i < r->ndocs; i++)
		declare_top(r, i);
	for (uint32_t i = 0; i < r->ndocs; i++) {
		walk w = {.r = r, .doc = i};
		fill(&w, r->doc[i].top, r->doc[i].d->root, NULL);
	}
	if (r->nplaces)
		qsort(r->place, r->nplaces, sizeof *r->place, by_offset);
	for (uint32_t i = 0; i < r->nplaces; i++) {
		uint32_t s = r->place[i].declares && r->place[i].name
				     ? slot_root(r, r->place[i].name)
				     : 0;
		if (s && !r->slot[s].first)
			r->slot[s].first = i + 1;
	}
}

/* ---- answers ---- */

const yay_place *
yay_refer_at(const yay_refer *r, uint32_t doc, size_t at)
{
	uint32_t low = 0, high = r->nplaces;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const yay_place *p = &r->place[mid];
		if (p->doc < doc || (p->doc == doc && p->to < at))
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->nplaces && r->place[low].doc == doc && r->place[low].from <= at
		       ? &r->place[low]
		       : NULL;
}

const yay_place *
yay_refer_declaration(yay_refer *r, const yay_place *p)
{
	uint32_t first = p->name ? r->slot[slot_root(r, p->name)].first : 0;

	return first ? &r->place[first - 1] : NULL;
}

const char *
yay_refer_is_data(yay_refer *r, const yay_place *p)
{
	if (r->lost)
		return "something here is nested too deeply";
	if (p->name && r->class[root(r, r->slot[slot_root(r, p->name)].owner)].walked)
		return vc_format(r->c, "the keys beside '%s' are read as texts somewhere, so it is "
				       "not a name alone", r->slot[p->name].name);
	return NULL;
}

static bool
is_in(yay_refer *r, uint32_t s, uint32_t doc)
{
	for (uint32_t i = 0; i < r->nplaces; i++)
		if (r->place[i].doc == doc && r->place[i].name && slot_root(r, r->place[i].name) == s)
			return true;
	return false;
}

bool
yay_refer_is_taken(yay_refer *r, const yay_place *p, const char *name)
{
	uint32_t s = slot_root(r, p->name);

	if (find_slot(r, r->slot[s].owner, name))
		return true;
	for (uint32_t i = 0; r->slot[s].alone && i < r->nplaces; i++) {
		uint32_t other = r->place[i].name ? slot_root(r, r->place[i].name) : 0;
		if (other && r->slot[other].alone && strcmp(r->slot[other].name, name) == 0 &&
			is_in(r, s, r->place[i].doc))
			return true;
	}
	return false;
}

/* The names that lead from the top to the slot, the last one first; 0: none do. */
static uint32_t
way_to(yay_refer *r, uint32_t top, uint32_t owner, uint32_t *way, uint32_t most)
{
	uint32_t *seen = vt_xzalloc((r->nclasses + 1) * sizeof *seen), *queue, head = 0, n = 0;
	uint32_t found = 0;

	queue = vt_xmalloc((r->nclasses + 1) * sizeof *queue);
	top = root(r, top), owner = root(r, owner);
	seen[top] = UINT32_MAX;
	queue[n++] = top;
	while (head < n && !found) {
		uint32_t k = queue[head++], items = r->class[k].items;
		if (k == owner)
			found = k;
		for (uint32_t s = r->class[k].slots; s; s = r->slot[s].next) {
			uint32_t v = root(r, value_of(r, s));
			if (!seen[v])
				seen[v] = s, queue[n++] = v;
		}
		if (items && !seen[root(r, items)])
			seen[root(r, items)] = UINT32_MAX - k, queue[n++] = root(r, items);
	}
	uint32_t count = 0;
	for (uint32_t k = found; k && k != top && count < most;) {
		way[count++] = seen[k];
		k = seen[k] > r->nslots ? UINT32_MAX - seen[k] : root(r, r->slot[seen[k]].owner);
	}
	free(seen);
	free(queue);
	return found ? count + 1 : 0;
}

uint32_t
yay_refer_twin(yay_refer *r, const yay_place *p)
{
	uint32_t way[64], n, s = slot_root(r, p->name), top = root(r, r->doc[p->doc].top);

	n = way_to(r, top, r->slot[s].owner, way, VC_LEN(way));
	for (uint32_t i = 0; n && i < r->ndocs; i++) {
		uint32_t k = root(r, r->doc[i].top);
		if (k == top)
			continue;
		for (uint32_t w = n - 1; w-- > 0 && k;) {
			uint32_t next = way[w] > r->nslots ? 0 : find_slot(r, k, r->slot[way[w]].name);
			k = way[w] > r->nslots ? r->class[root(r, k)].items
			    : next             ? value_of(r, next)
					       : 0;
		}
		if (k && find_slot(r, k, r->slot[s].name))
			return i;
	}
	return UINT32_MAX;
}

/*
 * refer.c - what the names of a document of Yay belong to: see refer.h.
 *
 * Each value is a class (refer_class.c), and classes are united where one value may be the other:
 * what a name is set to, what is merged, what a loop goes through.
 */
#include "compiler/yay/refer_int.h"

#include <string.h>

enum { MOST_DEEP = 1000 };

/* Where names are looked for: the variables and `set` lines of a block. */
typedef struct frame {
	const struct frame *up;
	uint32_t of; /* a class whose slots are the names */
} frame;
typedef struct walk {
	yay_refer *r;
	uint32_t doc, here, self;
	const char *macro;  /* whose block it is, or NULL */
	uint32_t arguments; /* of the macro: a class */
	uint32_t depth;
} walk;

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
	rf_unite(w->r, a, b);
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
		s = rf_find(r, f->of, name);
	if (!s && is_given(w, name)) {
		s = rf_slot(r, w->arguments, name);
		/* a call that does not give it takes the key */
		uint32_t key = rf_find(r, d->top, name);
		if (key)
			rf_unite_slots(r, s, key);
	}
	if (!s && !rf_find(r, d->top, name))
		s = rf_find(r, d->sets, name);
	return s ? s : rf_slot(r, d->top, name);
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
	w->r->slot[rf_slot_root(w->r, s)].alone = true;
	add_place(w, row, s, false);
	return rf_value(w->r, s);
}

static uint32_t
member(walk *w, uint32_t row, uint32_t of, uint32_t str)
{
	uint32_t s = of ? rf_slot(w->r, of, text_of(w, str)) : 0;

	add_place(w, row, s, false);
	return s ? rf_value(w->r, s) : 0;
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
		w->r->class[rf_root(w->r, of)].walked = true;
	return of ? rf_items(w->r, of) : 0;
}

static uint32_t
all(walk *w, uint32_t first, const frame *f)
{
	uint32_t k = rf_class(w->r);

	for (uint32_t e = first; e; e = row_of(w, e)->next)
		rf_unite(w->r, rf_items(w->r, k), eval(w, e, f));
	return k;
}

static uint32_t
dict(walk *w, uint32_t first, const frame *f)
{
	uint32_t k = rf_class(w->r);

	for (uint32_t p = first; p; p = row_of(w, p)->next) {
		uint32_t key = row_of(w, p)->a, value = eval(w, row_of(w, p)->b, f);
		if (row_of(w, key)->kind != YAY_STR) {
			eval(w, key, f);
			rf_unite(w->r, rf_items(w->r, k), value);
			continue;
		}
		uint32_t s = rf_slot(w->r, k, text_of(w, row_of(w, key)->a));
		add_place(w, key, s, true);
		rf_unite(w->r, rf_value(w->r, s), value);
	}
	return k;
}

/* Variables of a loop or a lambda; several of them take an item apart. */
static void
bind(walk *w, uint32_t of, uint32_t target, uint32_t value)
{
	const vt_yrow *t = row_of(w, target);

	if (t->kind == YAY_IDENT) {
		uint32_t s = rf_slot(w->r, of, text_of(w, t->a));
		w->r->slot[rf_slot_root(w->r, s)].alone = true;
		add_place(w, target, s, true);
		rf_unite(w->r, rf_value(w->r, s), value);
	} else if (t->kind == YAY_TUPLE || t->kind == YAY_DISPLAY) {
		for (uint32_t e = t->a; e; e = row_of(w, e)->next)
			bind(w, of, e, value ? rf_items(w->r, value) : 0);
	}
}

/* What a loop goes through: items of a list, or keys of a mapping. */
static uint32_t
walked(walk *w, uint32_t row, const frame *f)
{
	uint32_t of = eval(w, row, f);

	if (!of)
		return 0;
	w->r->class[rf_root(w->r, of)].walked = true;
	return rf_items(w->r, of);
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
	own.of = rf_class(w->r);
	bind(w, own.of, p->a, walked(w, p->b, f));
	return comprehension(w, row_of(w, step)->next, what, &own);
}

static uint32_t
lambda(walk *w, const vt_yrow *p, const frame *f)
{
	frame own = {f, rf_class(w->r)};
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
		r->class[rf_root(r, of)].walked = true;
	return 0;
}

static uint32_t
arguments_of(walk *w, uint32_t k)
{
	uint32_t of = rf_root(w->r, k);

	if (!w->r->class[of].arguments) {
		uint32_t made = rf_class(w->r);
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
			uint32_t s =
				rf_slot(w->r, arguments_of(w, of), text_of(w, row_of(w, a)->a));
			add_place(w, a, s, true);
			rf_unite(w->r, rf_value(w->r, s), value);
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
		eval(w, p->b, f), eval(w, p->c, f), eval(w, VT_YAY_D(*p), f);
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
	case YAY_ELSE: a = eval(w, p->a, f); return either(w, a, eval(w, p->b, f));
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
				w->r->class[rf_root(w->r, a)].walked = true; /* "key" in mapping */
		return 0;
	case YAY_TUPLE:
	case YAY_DISPLAY:
	case YAY_SETOF: return all(w, p->a, f);
	case YAY_DICT: return dict(w, p->a, f);
	case YAY_COMP:
		a = rf_class(w->r);
		rf_unite(w->r, rf_items(w->r, a), comprehension(w, p->b, p->a, f));
		return a;
	case YAY_LAMBDA: return lambda(w, p, f);
	case YAY_BODY:
		a = rf_class(w->r);
		fill(w, a, row, f);
		return a;
	case YAY_NONE:
	YAY_STATEMENT_CASES:
	YAY_PLAIN_CASES:
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
		rf_unite(w->r, into, eval(w, row, f));
}

static void
entry(walk *w, uint32_t into, uint32_t row, const frame *f)
{
	const vt_yrow *p = row_of(w, row);
	uint32_t s = rf_slot(w->r, into, text_of(w, p->a));

	add_place(w, row, s, true);
	put(w, rf_value(w->r, s), p->b, f);
}

/* What is made with `self`; what it is made of has the same keys. */
static void
object(walk *w, uint32_t into, uint32_t of, uint32_t body, const frame *f)
{
	uint32_t before = w->self;

	rf_unite(w->r, into, of);
	w->self = into;
	fill(w, into, body, f);
	w->self = before;
}

static void
call(walk *w, uint32_t into, const vt_yrow *p, const frame *f)
{
	uint32_t body = p->b, of = eval(w, p->a, f);

	rf_unite(w->r, into, of);
	fill(w, of ? arguments_of(w, of) : rf_class(w->r), body, f);
}

static void
loop(walk *w, uint32_t into, const vt_yrow *p, const frame *f)
{
	frame own = {f, rf_class(w->r)};
	uint32_t body = p->c, filter = VT_YAY_D(*p);

	bind(w, own.of, p->a, walked(w, p->b, f));
	eval(w, filter, &own);
	/* a mapping below it is one item */
	fill(w,
		row_of(w, row_of(w, body)->a)->kind == YAY_LIST ||
				row_of(w, row_of(w, body)->a)->kind == YAY_FOR
			? into
			: rf_items(w->r, into),
		body, &own);
}

static void
macro(walk *w, uint32_t row, uint32_t s)
{
	walk inner = *w;
	uint32_t k = rf_value(w->r, s);

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
			rf_unite(w->r, into, d->include[i].into);
			return;
		}
	put(w, rf_class(w->r), row_of(w, row)->a, f);
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
				put(w, rf_items(w->r, into), row_of(w, e)->a, f);
			else
				stanza(w, into, e, f);
		break;
	case YAY_INCLUDE: include_file(w, into, row, f); break;
	case YAY_SEARCH: eval(w, p->a, f); break;
	case YAY_NEW: object(w, into, eval(w, p->a, f), row_of(w, row)->b, f); break;
	case YAY_CREATE: eval(w, p->a, f), object(w, into, 0, row_of(w, row)->b, f); break;
	case YAY_CONFIGURE: fill(w, rf_class(w->r), p->b, f); break;
	case YAY_PROTOTYPE:
		s = look_up(w, text_of(w, p->a), f);
		object(w, rf_value(w->r, s), 0, row_of(w, row)->b, f);
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
	for (uint32_t e = row_of(w, body)->b; e; e = VT_YAY_D(*row_of(w, e))) {
		const vt_yrow *p = row_of(w, e);
		if (p->kind != YAY_SET) {
			uint32_t s = rf_slot(w->r, of, text_of(w, p->a));
			if (!values)
				add_place(w, e, s, true);
		} else if (values) {
			bind(w, of, p->a, eval(w, p->b, f));
		} else if (p->c) {
			rf_slot(w->r, of, text_of(w, p->c));
		} else {
			for (uint32_t t = row_of(w, p->a)->a; t; t = row_of(w, t)->next)
				if (row_of(w, t)->kind == YAY_IDENT)
					rf_slot(w->r, of, text_of(w, row_of(w, t)->a));
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
		rf_unite(w->r, a, eval(w, row_of(w, e)->b, f));
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
		own.of = w->depth == 1 ? w->r->doc[w->doc].sets : rf_class(w->r);
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

/* Classes at the top are known first, so that a name finds them wherever it stands. */
void
rf_declare(yay_refer *r, uint32_t doc)
{
	walk w = {.r = r, .doc = doc};
	const vt_ydoc *d = r->doc[doc].d;

	declare(&w, d->root, r->doc[doc].sets, false, NULL);
	r->nplaces = 0;
	for (uint32_t s = d->row[d->root].a; s; s = d->row[s].next)
		for (uint32_t e = d->row[s].kind == YAY_MAP ? d->row[s].a : 0; e;
			e = d->row[e].next)
			if (d->row[e].kind == YAY_ENTRY)
				rf_slot(r, r->doc[doc].top, text_of(&w, d->row[e].a));
}

void
rf_walk(yay_refer *r, uint32_t doc)
{
	walk w = {.r = r, .doc = doc};

	fill(&w, r->doc[doc].top, r->doc[doc].d->root, NULL);
}

/*
 * emit_terms.c - lambdas of expressions that a table says as well as code (vt_terms in vt.h): a
 * member of $1, compared or computed with an integer, or a dict of such.
 *
 * Only for expressions: a package's C compiler makes better code of them than a table is.
 */
#include "emit.h"
#include "vt.h"

#include <stdlib.h>

enum { MOST = VT_TERMS_MOST };

/* What a temporary is. */
enum is { IS_OTHER, IS_ITEM, IS_INT, IS_NAME, IS_TERM };
typedef struct cell {
	enum is is;
	int op; /* of IS_TERM: enum vt_binop, or VT_TERM_NONE */
	const ir_ins *attr, *right;
	const ir_ins *at; /* IS_INT, IS_NAME: the constant */
} cell;

typedef struct terms {
	uint32_t n;
	bool record;
	cell t[MOST];
	const char *keys[MOST];
} terms;

static int
op_of(const ir_ins *in)
{
	switch (in->op) {
	case IR_ADD: return VT_OP_ADD;
	case IR_SUB: return VT_OP_SUB;
	case IR_MUL: return VT_OP_MUL;
	case IR_LT: return VT_OP_LT;
	case IR_LE: return VT_OP_LE;
	case IR_GT: return VT_OP_GT;
	case IR_GE: return VT_OP_GE;
	}
	return VT_TERM_NONE;
}

static cell
constant(const ir_ins *in)
{
	cell c = {.is = IS_OTHER, .at = in};

	if (in->k.kind == IK_STR)
		c.is = IS_NAME;
	else if (in->k.kind == IK_INT)
		c.is = IS_INT;
	return c;
}

static cell
cell_of(const cell *cells, const ir_ins *in)
{
	const cell *a = in->na > 0 && in->a[0] >= 0 ? &cells[in->a[0]] : NULL;
	const cell *b = in->na > 1 && in->a[1] >= 0 ? &cells[in->a[1]] : NULL;
	cell c = {.is = IS_OTHER, .op = VT_TERM_NONE};

	if (in->op == IR_ARG && in->i[0] == 1)
		c.is = IS_ITEM;
	else if (in->op == IR_CONST)
		c = constant(in);
	else if (in->op == IR_ATTR && a && a->is == IS_ITEM)
		c = (cell){.is = IS_TERM, .op = VT_TERM_NONE, .attr = in};
	else if (op_of(in) != VT_TERM_NONE && a && b && b->is == IS_INT &&
		 (a->is == IS_ITEM || (a->is == IS_TERM && a->op == VT_TERM_NONE)))
		c = (cell){.is = IS_TERM, .op = op_of(in), .attr = a->attr, .right = b->at};
	return c;
}

static bool
is_term(const cell *c)
{
	return c->is == IS_TERM || c->is == IS_ITEM;
}

static bool
take_record(terms *t, const cell *cells, const ir_ins *map)
{
	if (map->nlist == 0 || map->nlist / 2 > MOST)
		return false;
	t->record = true;
	for (uint32_t i = 0; i + 1 < map->nlist; i += 2) {
		const cell *key = &cells[map->list[i]], *value = &cells[map->list[i + 1]];
		if (key->is != IS_NAME || !is_term(value))
			return false;
		t->keys[t->n] = key->at->k.s;
		t->t[t->n++] = *value;
	}
	return true;
}

/* Every instruction must be one that the table stands for, and none may be left over after `ret`.
 */
static bool
find(em *e, const ir_func *f, terms *t)
{
	cell *cells;
	const ir_ins *last = NULL, *ret = f->n ? &f->ins[f->n - 1] : NULL;
	bool ok = ret && ret->op == IR_RET && f->kind == IF_CODE && f->ntemps > 0;

	*t = (terms){.n = 0};
	if (!ok || !e->is_query || !vc_pass_on(e->c, TERMS) || !vc_pass_on(e->c, RECORDS) ||
		em_direct_args(e, f) != 1)
		return false;
	cells = vc_alloc(e->c, (size_t)f->ntemps * sizeof *cells);
	for (uint32_t i = 0; ok && i + 1 < f->n; i++) {
		const ir_ins *in = last = &f->ins[i];
		bool map = in->op == IR_MAP && i + 2 == f->n;
		if (in->d < 0 || in->d >= f->ntemps)
			return false;
		if (!map)
			cells[in->d] = cell_of(cells, in);
		ok = map ? take_record(t, cells, in) : cells[in->d].is != IS_OTHER;
	}
	if (!ok || !last || ret->na < 1 || ret->a[0] != last->d)
		return false;
	if (!t->record) {
		t->t[t->n++] = cells[last->d];
		ok = is_term(&t->t[0]);
	}
	return ok;
}

bool
em_has_terms(em *e, const ir_func *f)
{
	terms t;

	return find(e, f, &t);
}

static void
put_term(em *e, vc_buf *b, const cell *c)
{
	vc_printf(b, "{%d, %d, ", c->is == IS_ITEM ? VT_TERM_NONE : c->op, c->attr == NULL);
	if (c->attr)
		vc_printf(b, "VT_IC_NUMBER(%u), ", c->attr->site->index);
	else
		vc_puts(b, "NULL, ");
	vc_printf(b, "%s}", c->right ? em_value(e, &c->right->k) : "VT_UNDEF");
}

/* After the code of f, which numbers the caches. */
void
em_terms(em *e, const ir_func *f)
{
	const char *name = em_mangle(e->c, "q_", f->name);
	vc_buf b = {0};
	terms t;

	if (!find(e, f, &t))
		return;
	vc_printf(&b, "static const vt_term t%s[] = {", name);
	for (uint32_t i = 0; i < t.n; i++) {
		vc_puts(&b, i ? ", " : "");
		put_term(e, &b, &t.t[i]);
	}
	vc_puts(&b, "};\n");
	if (t.record) {
		vc_printf(&b, "static const vt_str *const k%s[] = {", name);
		for (uint32_t i = 0; i < t.n; i++)
			vc_printf(&b, "%s%s", i ? ", " : "", em_str_ref(e, t.keys[i]));
		vc_puts(&b, "};\n");
	}
	vc_printf(&b, "static const vt_terms %s = {%u, t%s, ", name, t.n, name);
	if (t.record)
		vc_printf(&b, "k%s, VT_IC_NUMBER(%u)};\n", name, e->nics++);
	else
		vc_puts(&b, "NULL, NULL};\n");
	vc_put(&e->tables, b.p, b.n);
	vc_buf_free(&b);
}

/* site.c - call sites, their arguments and code descriptors as constant tables. */
#include "compiler/emit/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

const char *
em_code(em *e, const ir_func *f)
{
	if (f && !f->declared) {
		em_declare(e, "static const vt_code", ct_name(e->c, "c_", f->name));
		((ir_func *)f)->declared = true;
	}
	return f ? vc_format(e->c, "&%s", ct_name(e->c, "c_", f->name)) : "NULL";
}

static const char *const kind_name[] = {
	[VT_A_EXPR] = "VT_A_EXPR",
	[VT_A_STRING] = "VT_A_STRING",
	[VT_A_NUMBER] = "VT_A_NUMBER",
	[VT_A_BOOL] = "VT_A_BOOL",
	[VT_A_NULL] = "VT_A_NULL",
	[VT_A_KEYWORD] = "VT_A_KEYWORD",
	[VT_A_MAPPING] = "VT_A_MAPPING",
	[VT_A_NOVALUE] = "VT_A_NOVALUE",
	[VT_A_CALL] = "VT_A_CALL",
};

/* {kind, keyword, value, imm, code, key}; heap constants go through `value`, which tcc can
 * initialise. */
static void
argument(em *e, vt_buf *b, const ir_arg *a)
{
	const char *key = "NULL";
	const char *heap = em_on_heap(&a->k) ? em_value(e, &a->k) : NULL;

	if (a->key) {
		vt_buf t = {0};
		uint32_t n = e->serial++;
		vt_buf_printf(&t, "static const vt_arg k%u = ", n);
		argument(e, &t, a->key);
		vt_buf_puts(&t, ";\n");
		vt_buf_put(&e->tables, t.p, t.n);
		vt_buf_free(&t);
		key = vc_format(e->c, "&k%u", n);
	}
	vt_buf_printf(b, "{%s, %s, ", kind_name[a->kind], em_str_ref(e, a->keyword));
	/* vt_mkptr(&s1) -> &s1 */
	if (heap)
		vt_buf_printf(b, "%.*s, VT_UNDEF", (int)strlen(heap) - 10, heap + 9);
	else
		vt_buf_printf(b, "NULL, %s", a->k.kind == IK_BIG ? "VT_UNDEF" : em_value(e, &a->k));
	vt_buf_printf(b, ", %s, %s}", em_code(e, a->code), key);
}

const char *
em_cache(em *e, uint32_t number)
{
	return vc_format(e->c, e->is_query ? "VT_IC_NUMBER(%u)" : "&ics[%u]", number);
}

/* The row of an expression, whose caches have numbers. */
static vt_buf
numbered_row(em *e, const ir_site *s, const char *args)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "{%s, %s, %d, %u, %s, %s, %s, %u, %u}", em_str_ref(e, s->name),
		s->method ? "VT_SITE_METHOD" : "VT_SITE_FUNCTION", s->last, s->nargs,
		em_cache(e, s->index), args, e->unit, s->line, s->col);
	return b;
}

/* The row of a file of a package.  A lambda that stands in a loop as well has its sites once. */
static void
shared_row(em *e, ir_site *s, const char *args)
{
	vt_buf b = {0};
	uint32_t name = em_str_number(e, s->name), row;

	vt_buf_printf(&b, "VT_%c%s(%u,%u,%s,%u,%u,%u,", s->method ? 'M' : 'F', s->last ? "L" : "",
		name, s->nargs, args, e->unit_number, s->line, s->col);
	if (em_shared_site(e, &b, &row, &s->index)) {
		s->table = row + 1;
		vt_buf_free(&b);
		return;
	}
	vt_buf_printf(&b, "%u)", s->index);
	s->table = em_row(&e->sites, b) + 1;
}

const char *
em_site(em *e, ir_site *s)
{
	const char *args = "NULL";
	vt_buf items = {0};

	if (s->table)
		return vc_format(e->c, "&sites[%u]", s->table - 1);
	if (!s->numbered && e->is_query)
		s->index = e->nics++;
	for (uint32_t i = 0; i < s->nargs; i++) {
		vt_buf_puts(&items, i ? ", " : "");
		argument(e, &items, &s->args[i]);
	}
	if (s->nargs)
		args = em_table(e, "vt_arg", "a", items);
	if (e->is_query)
		s->table = em_row(&e->sites, numbered_row(e, s, args)) + 1;
	else
		shared_row(e, s, args);
	return vc_format(e->c, "&sites[%u]", s->table - 1);
}

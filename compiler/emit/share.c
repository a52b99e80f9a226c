/* share.c - tables and contracts that are equal stand once in a file. */
#include "compiler/emit/int.h"

#include <string.h>

/* Open addressing over texts, of what kind they are first. */
typedef struct em_shared {
	const char *text; /* NULL: the place is free */
	size_t n;
	uint32_t number;   /* of a table, or the row of a call site */
	uint32_t cache;    /* of a call site */
	const ir_func *of; /* of a contract */
} em_shared;

static em_shared *
find(const em *e, const char *text, size_t n)
{
	uint32_t h = (uint32_t)vc_hash(e->c, text, n), mask = e->shared_cap - 1;

	for (;; h++) {
		em_shared *s = &e->shared[h & mask];
		if (s->text == NULL || (s->n == n && memcmp(s->text, text, n) == 0))
			return s;
	}
}

static void
make_room(em *e)
{
	em_shared *old = e->shared;
	uint32_t cap = e->shared_cap;

	if (e->nshared * 2 < cap)
		return;
	e->shared_cap = cap ? cap * 2 : 64;
	e->shared = vc_alloc(e->c, e->shared_cap * sizeof *e->shared);
	for (uint32_t i = 0; i < cap; i++)
		if (old[i].text)
			*find(e, old[i].text, old[i].n) = old[i];
}

/* The place of the text, which is new where it has no number and no contract yet. */
static em_shared *
place(em *e, const char *text, size_t n)
{
	em_shared *s;

	make_room(e);
	s = find(e, text, n);
	if (s->text == NULL) {
		*s = (em_shared){vc_strndup(e->c, text, n), n, UINT32_MAX, 0, NULL};
		e->nshared++;
	}
	return s;
}

const char *
em_table(em *e, const char *type, const char *prefix, vt_buf items)
{
	vt_buf key = {0};
	em_shared *s;

	vt_buf_printf(&key, "%s %s ", type, prefix); /* both stand where it is made */
	vt_buf_put(&key, items.p, items.n);
	s = place(e, key.p, key.n);
	if (s->number == UINT32_MAX) {
		s->number = e->serial++;
		vt_buf_printf(&e->tables, "static const %s %s%u[] = {", type, prefix, s->number);
		vt_buf_put(&e->tables, items.p, items.n);
		vt_buf_puts(&e->tables, "};\n");
	}
	vt_buf_free(&key);
	vt_buf_free(&items);
	return vc_format(e->c, "%s%u", prefix, s->number);
}

bool
em_shared_site(em *e, const vt_buf *text, uint32_t *row, uint32_t *cache)
{
	em_shared *s = place(e, text->p, text->n);
	bool known = s->number != UINT32_MAX;

	if (!known) {
		s->number = e->sites.n;
		s->cache = e->nics++;
	}
	*row = s->number;
	*cache = s->cache;
	return known;
}

enum { COLUMNS = 100, TAB = 8 };

uint32_t
em_row(em_rows *r, vt_buf row)
{
	bool fits = r->n > 0 && r->b.n - r->line + row.n + 2 + TAB <= COLUMNS;

	vt_buf_puts(&r->b, r->n == 0 ? "" : fits ? ", " : ",\n");
	if (!fits) {
		r->line = r->b.n;
		vt_buf_puts(&r->b, "\t");
	}
	vt_buf_put(&r->b, row.p, row.n);
	vt_buf_free(&row);
	return r->n++;
}

/* ---- declarations: those of one type are one list ---- */

void
em_listed(em_list *l, const char *item)
{
	size_t n = strlen(item), tabs = l->head[0] == '\t' ? 2 : 1;
	const char *sep = l->sep ? l->sep : ",";

	if (l->n == 0) {
		vt_buf_printf(&l->b, "%s%s", l->head, item);
		l->line = 0 - (tabs - 1) * (TAB - 1); /* as wide as it looks */
	} else if (l->b.n - l->line + n + 3 <= COLUMNS) {
		vt_buf_printf(&l->b, "%s %s", sep, item);
	} else {
		vt_buf_printf(&l->b, "%s\n%.*s", sep, (int)tabs, "\t\t");
		l->line = l->b.n - tabs * TAB;
		vt_buf_puts(&l->b, item);
	}
	l->n++;
}

void
em_list_end(vt_buf *to, em_list *l, const char *end)
{
	if (l->n)
		vt_buf_printf(to, "%.*s%s", (int)l->b.n, l->b.p, end);
	vt_buf_free(&l->b);
	l->n = 0;
}

void
em_declare(em *e, const char *type, const char *name)
{
	const char *key = vc_format(e->c, "%s %s;", type, name);
	em_shared *s = place(e, key, strlen(key));
	uint32_t i = 0;

	if (s->number != UINT32_MAX)
		return;
	s->number = 0;
	type = vc_format(e->c, "%s ", type);
	while (i < e->nlists && strcmp(e->lists[i].head, type) != 0)
		i++;
	if (i == e->nlists)
		vc_push(e->c, e->lists, e->nlists) = (em_list){.head = type};
	em_listed(&e->lists[i], name);
}

const ir_func *
em_same_contract(em *e, const ir_func *f, size_t body)
{
	em_shared *s = place(e, e->funcs.p + body, e->funcs.n - body);

	if (s->of)
		return s->of;
	s->of = f;
	return NULL;
}

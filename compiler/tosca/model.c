/*
 * model.c - the model under construction: tables that grow, strings that are unique.
 *
 * Row 0 of every table is the empty row that means "none".  Two equal strings are one row of
 * model->str, so the engine compares names by their numbers.
 */
#include "compiler/tosca/front.h"

#include <stdlib.h>
#include <string.h>

typedef struct table {
	void *rows;
	uint32_t n;
} table;

struct tosca_tables {
	vc *c;
	vt_tmodel model;
#define X(type, name) table name;
	VT_TMODEL_TABLES(X)
#undef X
	uint32_t *hash, nslots; /* open addressing over str: row numbers */
};

#define X(type, name) \
	uint32_t tm_add_##name(tm *m, type row) \
	{ \
		table *t = &m->name; \
		t->rows = vt_grow(t->rows, t->n, sizeof(type)); \
		((type *)t->rows)[t->n] = row; \
		return t->n++; \
	}
VT_TMODEL_TABLES(X)
#undef X

static void
tm_free(void *p)
{
	tm *m = p;
#define X(type, name) free(m->name.rows);
	VT_TMODEL_TABLES(X)
#undef X
	free(m->hash);
}

tm *
tm_new(vc *c)
{
	tm *m = vc_alloc(c, sizeof *m);
	m->c = c;
#define X(type, name) (void)tm_add_##name(m, (type){0});
	VT_TMODEL_TABLES(X)
#undef X
	vc_defer(c, tm_free, m);
	return m;
}

const vt_tmodel *
tm_done(tm *m)
{
#define X(type, name) m->model.name = m->name.rows, m->model.n_##name = m->name.n;
	VT_TMODEL_TABLES(X)
#undef X
	return &m->model;
}

vt_tmodel *
tm_head(tm *m)
{
	return &m->model;
}

/* ---- strings ---- */

static const vt_str *
str_at(const tm *m, uint32_t i)
{
	return ((const vt_str *const *)m->str.rows)[i];
}

/* Immortal, with its hash: what emitted constants are, so that the engine sees no difference. */
static const vt_str *
make_str(tm *m, const char *s, size_t n, uint64_t hash)
{
	vt_str *v = vc_alloc(m->c, sizeof *v + n + 1);
	uint32_t points = 0;
	vt_utf8_count(s, n, &points);
	v->h = (vt_head){
		.rc = VT_IMMORTAL, .kind = VT_K_STR, .flags = points == n ? VT_F_ASCII : 0};
	v->bytes = (uint32_t)n;
	v->points = points;
	v->hash = hash;
	memcpy(v->s, s, n);
	return v;
}

static void
rehash(tm *m)
{
	uint32_t n = m->nslots ? m->nslots * 2 : 1024;
	m->hash = vt_xrealloc(m->hash, n * sizeof *m->hash);
	memset(m->hash, 0, n * sizeof *m->hash);
	m->nslots = n;
	for (uint32_t i = 1; i < m->str.n; i++) {
		const vt_str *s = str_at(m, i);
		uint32_t at = (uint32_t)vc_hash(m->c, s->s, s->bytes) & (n - 1);
		while (m->hash[at])
			at = (at + 1) & (n - 1);
		m->hash[at] = i;
	}
}

uint32_t
tm_strn(tm *m, const char *s, size_t n)
{
	if (m->str.n * 2 >= m->nslots)
		rehash(m);
	uint32_t at = (uint32_t)vc_hash(m->c, s, n) & (m->nslots - 1);
	for (; m->hash[at]; at = (at + 1) & (m->nslots - 1)) {
		const vt_str *old = str_at(m, m->hash[at]);
		if (old->bytes == n && !memcmp(old->s, s, n))
			return m->hash[at];
	}
	return m->hash[at] = tm_add_str(m, make_str(m, s, n, vt_hash_bytes(s, n)));
}

uint32_t
tm_str(tm *m, const char *s)
{
	return s ? tm_strn(m, s, strlen(s)) : 0;
}

/* ---- the rest ---- */

vt_tplace
tm_place(struct tosca *t, vc_span s)
{
	vt_tplace p = {0};
	if (!s.src)
		return p;
	for (uint32_t i = 0; i < t->nunits && !p.file; i++)
		if (t->units[i]->src == s.src)
			p.file = t->units[i]->index;
	p.at = s.from;
	return p;
}

vt_tspan
tm_indexes(tm *m, const uint32_t *v, uint32_t n)
{
	vt_tspan span = {m->index.n, n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_index(m, v[i]);
	return n ? span : (vt_tspan){0, 0};
}

uint32_t
tm_count(const tm *m, enum tm_table which)
{
	switch (which) {
#define X(type, name) \
	case TM_##name: return m->name.n;
		VT_TMODEL_TABLES(X)
#undef X
	}
	return 0;
}

void *
tm_at(tm *m, enum tm_table which, uint32_t row)
{
	switch (which) {
#define X(type, name) \
	case TM_##name: return (type *)m->name.rows + row;
		VT_TMODEL_TABLES(X)
#undef X
	}
	return NULL;
}

const char *
tm_text_of(tm *m, uint32_t str)
{
	return (*(const vt_str *const *)tm_at(m, TM_str, str))->s;
}

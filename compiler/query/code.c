/*
 * code.c - the code of one expression and of those that come up while it runs.
 */
#include "compiler/query/int.h"
#include "compiler/emit/emit.h"
#include "runtime/core/base.h"

#include "compiler/query/compile.h"

#include <stdlib.h>
#include <string.h>

struct query_code {
	qr_request r;
	qc *code;
	const struct vt_program *program;
	/* Expressions that the host's functions bring while the query runs. Their code stays to the
	 * end. */
	uint32_t njoined;
	qc *joined[QR_MAX_JOINED];
};

static const struct vt_program *
join(void *data, const char *expr, size_t n, uint32_t nics, qr_error *e)
{
	query_code *k = data;
	const struct vt_program *program = NULL;
	qr_request r = k->r;

	if (k->njoined == QR_MAX_JOINED) {
		qr_error_set(e, "RuntimeError", 0, 0,
			"too many expressions were compiled by functions of the host");
		return NULL;
	}
	r.expr = expr;
	r.n = n;
	k->joined[k->njoined++] = qc_compile(&r, nics, &program, e);
	return program;
}

query_code *
query_code_new(const qr_request *r, qr_error *e)
{
	query_code *k = vt_xmalloc(sizeof *k);

	k->r = *r;
	k->njoined = 0;
	k->code = qc_compile(r, 0, &k->program, e);
	if (k->code)
		return k;
	query_code_free(k);
	return NULL;
}

char *
query_code_run(query_code *k, qr *q, int form, size_t *n, qr_error *e)
{
	qr_on_compile(q, join, k);
	return qr_run(q, k->program, form, n, e);
}

bool
query_code_results(query_code *k, qr *q, int form, qr_put *put, void *ctx, qr_error *e)
{
	qr_on_compile(q, join, k);
	return qr_results(q, k->program, form, put, ctx, e);
}

void
query_code_rest(query_code *k)
{
	while (k->njoined > 0)
		qc_free(k->joined[--k->njoined]);
}

void
query_code_free(query_code *k)
{
	if (k == NULL)
		return;
	query_code_rest(k);
	qc_free(k->code);
	free(k);
}

/* ---- the last texts ---- */

enum { CACHED = 256 };

struct query_cache {
	uint64_t clock;
	struct cached {
		query_code *k; /* its request has a text of its own; or NULL */
		uint64_t used;
	} row[CACHED];
};

query_cache *
query_cache_new(void)
{
	return vt_xzalloc(sizeof(query_cache));
}

static bool
is_same(const qr_request *a, const qr_request *b)
{
	return a->n == b->n && a->legacy == b->legacy && a->delegates == b->delegates &&
	       a->layers == b->layers && a->jit == b->jit && a->passes_off == b->passes_off &&
	       a->opt.limit_iterators == b->opt.limit_iterators &&
	       a->opt.memory_quota == b->opt.memory_quota &&
	       a->opt.tuples_to_lists == b->opt.tuples_to_lists &&
	       a->opt.sets_to_lists == b->opt.sets_to_lists &&
	       a->opt.iterable_dicts == b->opt.iterable_dicts &&
	       a->opt.convert_input == b->opt.convert_input &&
	       a->opt.convert_output == b->opt.convert_output &&
	       memcmp(a->expr, b->expr, a->n) == 0;
}

static void
drop(struct cached *row)
{
	if (row->k)
		free((char *)row->k->r.expr);
	query_code_free(row->k);
	*row = (struct cached){NULL, 0};
}

/* Where the request is, or where it may come: the row that was used least of late. */
static struct cached *
row_of(query_cache *c, const qr_request *r)
{
	struct cached *least = c->row;

	for (struct cached *row = c->row; row < c->row + CACHED; row++) {
		if (row->k && is_same(&row->k->r, r))
			return row;
		if (row->used < least->used)
			least = row;
	}
	drop(least);
	return least;
}

query_code *
query_cache_get(query_cache *c, const qr_request *r, qr_error *e)
{
	struct cached *row = row_of(c, r);
	qr_request own = *r;

	row->used = ++c->clock;
	if (row->k)
		return row->k;
	own.expr = vt_xstrndup(r->expr, r->n);
	row->k = query_code_new(&own, e);
	if (row->k == NULL)
		free((char *)own.expr);
	return row->k;
}

void
query_cache_free(query_cache *c)
{
	for (uint32_t i = 0; i < CACHED; i++)
		drop(&c->row[i]);
	free(c);
}

/* ---- forms of an expression ---- */

bool
query_emit(vc *c, const query_args *a, const qr_request *r, vt_buf *b, qr_error *e)
{
	const yq_node *tree;
	ir_module *m;

	if (a->emit == EMIT_TOKENS) {
		yq_tokens(c, b, r->expr, r->n, qc_dialect(r, a->murano));
		return true;
	}
	if (!(tree = qc_parse(c, r, a->murano, e)))
		return false;
	if (a->emit == EMIT_AST) {
		yq_dump(b, tree);
		vt_buf_puts(b, "\n");
		return true;
	}
	if (!(m = qc_lower(c, r, tree, e)))
		return false;
	if (a->emit == EMIT_IR)
		ir_print(c, b, m);
	else
		vc_emit_query(c, m, b);
	return true;
}

/* ---- functions of the host ---- */

bool
query_load_lua(qr *q, const query_args *a, qr_error *e)
{
	qr_lua_limits(q, a->lua_steps, a->lua_memory, a->lua_unsafe);
	for (uint32_t i = 0; i < a->lua.n; i++) {
		vc *c = vc_new();
		vc_source *src = vc_source_read(c, a->lua.v[i]);
		bool ok = src && qr_lua(q, src->text, src->n, src->name, e);
		if (!src)
			qr_error_set(e, "LuaError", 0, 0,
				vc_format(c, "%s cannot be read", a->lua.v[i]));
		vc_free(c);
		if (!ok)
			return false;
	}
	return true;
}

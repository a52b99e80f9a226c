/*
 * session.c - an engine: its memory, its problems, and the run from inputs to the last cell.
 *
 * Memory comes in chunks that die with the engine; cells come from chunks of their own, because
 * their values are counted.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

typedef struct vt_tchunk {
	struct vt_tchunk *up;
	size_t used, size;
	max_align_t data[];
} chunk;
typedef struct vt_tcells {
	struct vt_tcells *up;
	uint32_t used, size;
	vt_tcell cell[];
} cells;
enum { CHUNK = 64 << 10, CELLS = 512 };

void *
vt_tosca_alloc(vt_tosca *t, size_t n)
{
	chunk *c = t->mem->chunk;
	n = (n + 7) & ~(size_t)7;
	if (!c || c->size - c->used < n) {
		size_t size = n > CHUNK ? n : CHUNK;
		c = vt_xmalloc(sizeof *c + size);
		*c = (chunk){t->mem->chunk, 0, size};
		t->mem->chunk = c;
	}
	void *p = (char *)c->data + c->used;
	c->used += n;
	return memset(p, 0, n);
}

vt_tcell *
vt_tosca_cells(vt_tosca *t, uint32_t n)
{
	cells *c = t->mem->cells;
	if (!n)
		return NULL;
	if (!c || c->size - c->used < n) {
		uint32_t size = n > CELLS ? n : CELLS;
		c = vt_xmalloc(sizeof *c + size * sizeof *c->cell);
		*c = (cells){t->mem->cells, 0, size};
		t->mem->cells = c;
	}
	vt_tcell *p = c->cell + c->used;
	c->used += n;
	for (uint32_t i = 0; i < n; i++)
		p[i] = (vt_tcell){.value = VT_UNDEF};
	return p;
}

/* ---- names ---- */

const char *
vt_tosca_text(const vt_tosca *t, uint32_t str)
{
	return str ? t->m->str[str]->s : "";
}

static uint32_t
str_place(const struct vt_tosca_mem *mem, const vt_str *s)
{
	return (uint32_t)vt_sip(&mem->seed, s->s, s->bytes) & (mem->nstrs - 1);
}

static void
index_strs(const vt_tosca *t)
{
	struct vt_tosca_mem *mem = t->mem;
	mem->nstrs = 64;
	while (mem->nstrs < t->m->n_str * 2)
		mem->nstrs *= 2;
	mem->strs = vt_xzalloc(mem->nstrs * sizeof *mem->strs);
	for (uint32_t i = 1; i < t->m->n_str; i++) {
		uint32_t at = str_place(mem, t->m->str[i]);
		while (mem->strs[at])
			at = (at + 1) & (mem->nstrs - 1);
		mem->strs[at] = i;
	}
}

uint32_t
vt_tosca_find_str(const vt_tosca *t, const vt_str *s)
{
	const struct vt_tosca_mem *mem = t->mem;
	if (!mem->strs)
		index_strs(t);
	for (uint32_t at = str_place(mem, s); mem->strs[at]; at = (at + 1) & (mem->nstrs - 1))
		if (vt_str_eq(t->m->str[mem->strs[at]], s))
			return mem->strs[at];
	return 0;
}

bool
vt_tosca_is(const vt_tmodel *m, uint32_t type, uint32_t ancestor)
{
	if (!type || !ancestor)
		return false;
	while (type != ancestor && m->type[type].depth > m->type[ancestor].depth)
		type = m->type[type].parent;
	return type == ancestor;
}

/* ---- problems: each once ---- */

enum { MOST_LENIENCIES = 200 };

static uint64_t
problem_hash(const vt_tosca *t, const vt_tproblem *p)
{
	uint64_t h = vt_sip(&t->mem->seed, p->message, strlen(p->message));
	h = (h ^ p->place.file) * 0x9e3779b97f4a7c15u;
	return ((h ^ p->place.at) * 0x9e3779b97f4a7c15u) ^ (uint64_t)p->code << 20;
}

static bool
same_problem(const vt_tproblem *a, const vt_tproblem *b)
{
	return a->code == b->code && a->place.file == b->place.file && a->place.at == b->place.at &&
	       !strcmp(a->message, b->message);
}

static void
rehash(vt_tosca *t)
{
	struct vt_tosca_mem *mem = t->mem;
	mem->nseen = mem->nseen ? mem->nseen * 2 : 64;
	mem->seen = vt_xrealloc(mem->seen, mem->nseen * sizeof *mem->seen);
	memset(mem->seen, 0, mem->nseen * sizeof *mem->seen);
	for (uint32_t i = 0; i < t->nproblems; i++) {
		uint32_t at = (uint32_t)problem_hash(t, &t->problems[i]) & (mem->nseen - 1);
		while (mem->seen[at])
			at = (at + 1) & (mem->nseen - 1);
		mem->seen[at] = i + 1;
	}
}

/* The message with `*` for the node whose value is being computed. */
static char *
without_name(const vt_tosca *t, const char *message)
{
	const vt_tbusy *busy = t->mem->busy;
	const vt_tnodei *node = busy ? busy->ctx->node : NULL;
	vt_buf name = {0}, out = {0};
	if (!node)
		return NULL;
	vt_buf_putc(&name, '\'');
	vt_tosca_name(&name, t, node);
	vt_buf_puts(&name, "'");
	vt_buf_putc(&name, 0);
	const char *at, *from = message;
	for (; (at = strstr(from, name.p)) != NULL; from = at + name.n - 1) {
		vt_buf_put(&out, from, (size_t)(at - from));
		vt_buf_putc(&out, '*');
	}
	vt_buf_puts(&out, from);
	vt_buf_putc(&out, 0);
	vt_buf_free(&name);
	return out.p;
}

static void
grow_told(struct vt_tosca_mem *mem)
{
	uint64_t *old = mem->told;
	uint32_t n = mem->told_cap;
	mem->told_cap = n ? n * 2 : 64;
	mem->told = vt_xzalloc(mem->told_cap * sizeof *mem->told);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)old[i] & (mem->told_cap - 1);
		while (old[i] && mem->told[at])
			at = (at + 1) & (mem->told_cap - 1);
		if (old[i])
			mem->told[at] = old[i];
	}
	free(old);
}

/* One mistake in a type, or in a template of several nodes, is told of one node. */
static bool
is_told_of_another(vt_tosca *t, const vt_tproblem *p)
{
	struct vt_tosca_mem *mem = t->mem;
	char *plain = without_name(t, p->message);
	if (!plain)
		return false;
	uint64_t h = problem_hash(t, &(vt_tproblem){p->code, p->place, plain, NULL, false}) | 1;
	free(plain);
	if (mem->ntold * 2 >= mem->told_cap)
		grow_told(mem);
	uint32_t at = (uint32_t)h & (mem->told_cap - 1);
	for (; mem->told[at]; at = (at + 1) & (mem->told_cap - 1))
		if (mem->told[at] == h)
			return true;
	mem->told[at] = h;
	mem->ntold++;
	return false;
}

/* Takes the message. */
static void
keep(vt_tosca *t, vt_tproblem p)
{
	struct vt_tosca_mem *mem = t->mem;
	if (t->nproblems * 2 >= mem->nseen)
		rehash(t);
	uint32_t at = (uint32_t)problem_hash(t, &p) & (mem->nseen - 1);
	for (; mem->seen[at]; at = (at + 1) & (mem->nseen - 1))
		if (same_problem(&t->problems[mem->seen[at] - 1], &p)) {
			mem->dropped = true;
			free(p.message);
			return;
		}
	p.again = is_told_of_another(t, &p);
	vt_push(t->problems, t->nproblems) = p;
	mem->seen[at] = t->nproblems;
	mem->dropped = false;
}

void
vt_tosca_problem(vt_tosca *t, enum vt_diag code, vt_tplace place, const char *fmt, ...)
{
	va_list ap;
	vt_buf b = {NULL, 0, 0};
	if (t->mem->quiet) {
		t->mem->silenced++;
		t->mem->dropped = true;
		return;
	}
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, 0);
	keep(t, (vt_tproblem){.code = code, .place = place, .message = b.p});
}

void
vt_tosca_lenient(vt_tosca *t, enum vt_diag code, vt_tplace place, const char *fmt, ...)
{
	va_list ap;
	vt_buf b = {NULL, 0, 0};
	if (!t->keeps_leniencies || t->mem->quiet)
		return;
	for (uint32_t i = 0; i < t->nleniencies; i++) /* few, or the file is strange */
		if (t->leniencies[i].place.at == place.at &&
			t->leniencies[i].place.file == place.file)
			return;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, 0);
	if (t->nleniencies < MOST_LENIENCIES)
		vt_push(t->leniencies, t->nleniencies) =
			(vt_tproblem){.code = code, .place = place, .message = b.p};
	else
		free(b.p);
}

void
vt_tosca_hint(vt_tosca *t, const char *fmt, ...)
{
	va_list ap;
	vt_buf b = {NULL, 0, 0};
	if (t->mem->dropped || !t->nproblems)
		return;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, 0);
	free(t->problems[t->nproblems - 1].hint);
	t->problems[t->nproblems - 1].hint = b.p;
}

/* ---- life ---- */

vt_tosca *
vt_tosca_new(vt_rt *rt, const vt_tmodel *m)
{
	vt_tosca *t = vt_xmalloc(sizeof *t);
	*t = (vt_tosca){.rt = rt, .m = m, .limit = {1000000, 500, 1000000000, 64 << 20}};
	t->mem = vt_xmalloc(sizeof *t->mem);
	*t->mem = (struct vt_tosca_mem){.seed = vt_seed_new()};
	if (m->root)
		vt_tosca_service(t, m->root, NULL);
	return t;
}

static void
free_problems(vt_tosca *t)
{
	for (uint32_t i = 0; i < t->nproblems; i++) {
		free(t->problems[i].message);
		free(t->problems[i].hint);
	}
	free(t->problems);
	for (uint32_t i = 0; i < t->nleniencies; i++)
		free(t->leniencies[i].message);
	free(t->leniencies);
	free(t->mem->seen);
	free(t->mem->told);
}

void
vt_tosca_free(vt_tosca *t)
{
	struct vt_tosca_mem *mem = t->mem;
	vt_tosca_drop_outputs(t);
	if (t->counts)
		vt_release(vt_mkptr(t->counts));
	for (cells *c = mem->cells, *up; c; c = up) {
		up = c->up;
		for (uint32_t i = 0; i < c->used; i++)
			vt_release(c->cell[i].value);
		free(c);
	}
	for (chunk *c = mem->chunk, *up; c; c = up) {
		up = c->up;
		free(c);
	}
	free_problems(t);
	vt_tosca_drop_sets(t);
	free(mem->strs);
	free(mem->counts);
	free(mem->why);
	free(mem->shared);
	free(mem->link);
	free(t->services);
	free(t->nodes);
	free(mem);
	free(t);
}

bool
vt_tosca_input(vt_tosca *t, const vt_str *name, vt_value v)
{
	vt_value key = vt_mkptr(name);
	vt_tcell *c = t->nservices ? vt_tosca_lookup(t, &t->services[0]->inputs, key) : NULL;
	if (!c)
		return false;
	if (c->slot && t->m->slot[c->slot].flags & VT_TS_FIXED) {
		vt_tosca_problem(t, VT_E2052, c->place,
			"the input '%s' has a fixed value: none can be given", name->s);
		return true;
	}
	c->given = VT_TG_INPUT;
	vt_move(&c->value, vt_copy(v));
	return true;
}

/* ---- the run ---- */

static void
all_cells(vt_tosca *t, const vt_tctx *ctx, const vt_tbag *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		vt_tosca_cell(t, ctx, &b->cell[i]);
}

/* Values of operations are reported when they run, and checked now. */
static void
check_assigns(vt_tosca *t, const vt_tctx *ctx, vt_tspan s)
{
	for (uint32_t i = 0; i < s.n; i++) {
		const vt_tassign *a = &t->m->assign[s.first + i];
		vt_value v = VT_UNDEF, typed = VT_UNDEF;
		uint32_t schema = a->slot ? t->m->slot[a->slot].schema : 0;
		if (!a->expr || (t->m->expr[a->expr].constant && !schema))
			continue;
		vt_tctx at = *ctx;
		at.place = a->place;
		if (vt_tosca_eval(t, &at, a->expr, &v) && schema && v != VT_NOVALUE)
			vt_tosca_type(t, &at, schema, a->expr, v, NULL, &typed);
		vt_clear(&typed);
		vt_clear(&v);
	}
}

static void
check_ifaces(vt_tosca *t, const vt_tctx *ctx, vt_tspan ifaces)
{
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &t->m->iface[ifaces.first + i];
		check_assigns(t, ctx, f->inputs);
		for (uint32_t k = 0; k < f->ops.n; k++)
			check_assigns(t, ctx, t->m->op[f->ops.first + k].inputs);
	}
}

static void
run_node(vt_tosca *t, vt_tnodei *n)
{
	vt_tctx ctx = vt_tosca_node_ctx(n);
	all_cells(t, &ctx, &n->props);
	all_cells(t, &ctx, &n->attrs);
	for (uint32_t i = 0; i < n->ncaps; i++) {
		all_cells(t, &ctx, &n->caps[i].props);
		all_cells(t, &ctx, &n->caps[i].attrs);
	}
	for (uint32_t i = 0; i < n->nrels; i++) {
		vt_tctx rel = vt_tosca_rel_ctx(n->rels[i]);
		all_cells(t, &rel, &n->rels[i]->props);
		all_cells(t, &rel, &n->rels[i]->attrs);
		check_ifaces(t, &rel, n->rels[i]->req->ifaces);
	}
	check_ifaces(t, &ctx, n->t->ifaces);
}

static void
run_service(vt_tosca *t, vt_tservicei *s)
{
	vt_tctx ctx = vt_tosca_service_ctx(s);
	all_cells(t, &ctx, &s->inputs);
	for (uint32_t i = 0; i < s->s->groups.n; i++)
		all_cells(t, &ctx, &s->groups[i]);
	for (uint32_t i = 0; i < s->s->policies.n; i++)
		all_cells(t, &ctx, &s->policies[i]);
	all_cells(t, &ctx, &s->outputs);
}

/* Relationship templates that no requirement names: only what speaks of nothing can be looked at.
 */
static void
check_rels(vt_tosca *t, vt_tservicei *s)
{
	vt_tctx ctx = vt_tosca_service_ctx(s);
	for (uint32_t i = 0; i < s->s->rels.n; i++) {
		const vt_trel *r = &t->m->rel[s->s->rels.first + i];
		vt_tbag b = vt_tosca_bag(t, t->m->type[r->type].props, r->props);
		for (uint32_t k = 0; k < b.n; k++)
			if (t->m->expr[b.cell[k].expr].constant && b.cell[k].state != VT_TC_DONE)
				vt_tosca_cell(t, &ctx, &b.cell[k]);
	}
}

/* Values mostly flow from those that are needed to those that need them, and recursion stays short.
 */
static void
run_nodes(vt_tosca *t)
{
	vt_tnodei **order = vt_xmalloc((t->nnodes + 1) * sizeof *order);
	vt_tosca_order(t, order);
	for (uint32_t i = 0; i < t->nnodes; i++)
		run_node(t, order[i]);
	free(order);
}

void
vt_tosca_values(vt_tosca *t)
{
	t->mem->base = (uintptr_t)__builtin_frame_address(0);
	run_nodes(t);
	for (uint32_t i = 0; i < t->nservices; i++)
		run_service(t, t->services[i]);
}

void
vt_tosca_run(vt_tosca *t)
{
	if (!t->nservices)
		return;
	t->mem->base = (uintptr_t)__builtin_frame_address(0);
	vt_tosca_nodes(t);
	vt_tosca_resolve(t);
	run_nodes(t);
	for (uint32_t i = 0; i < t->nservices; i++) {
		run_service(t, t->services[i]);
		check_rels(t, t->services[i]);
	}
}

/* ---- types ---- */

static void
say_default(vt_buf *b, const vt_tosca *t, const vt_titem *item)
{
	vt_buf_printf(b, "the default of '%s'", vt_tosca_text(t, item->n));
}

static void
say_given(vt_buf *b, const vt_tosca *t, const vt_titem *item)
{
	vt_buf_printf(b, "the input '%s'", vt_tosca_text(t, item->n));
}

void
vt_tosca_check_types(vt_tosca *t)
{
	vt_tctx ctx = {.value = VT_UNDEF};
	t->mem->base = (uintptr_t)__builtin_frame_address(0);
	t->mem->only_types = true;
	for (uint32_t i = 1; i < t->m->n_slot; i++) {
		const vt_tslot *s = &t->m->slot[i];
		vt_titem item = {
			s->flags & VT_TS_GIVEN ? say_given : say_default, NULL, NULL, s->name};
		vt_value v = VT_UNDEF, typed = VT_UNDEF;
		if (!s->dflt || !s->schema || !t->m->expr[s->dflt].constant)
			continue;
		ctx.place = s->place;
		if (vt_tosca_eval(t, &ctx, s->dflt, &v))
			vt_tosca_type(t, &ctx, s->schema, s->dflt, v, &item, &typed);
		vt_clear(&typed);
		vt_clear(&v);
	}
	t->mem->only_types = false;
}

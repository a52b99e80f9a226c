/* image.c - an expression as tables in memory: see image.h. */
#include "compiler/emit/image.h"
#include "compiler/emit/int.h"
#include "compiler/emit/lambda.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory: it goes as a whole ---- */

enum { CHUNK = 2048, ALIGNED = 16 };

typedef struct im_chunk {
	struct im_chunk *next;
	size_t used, size;
	_Alignas(ALIGNED) char bytes[];
} im_chunk;

static void *
take_from(im_chunk **chunks, size_t n)
{
	im_chunk *k = *chunks;
	void *p;

	n = (n + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
	if (k == NULL || k->size - k->used < n) {
		size_t size = n > CHUNK / 2 ? n : CHUNK;

		k = vt_xmalloc(sizeof *k + size);
		*k = (im_chunk){*chunks, 0, size};
		*chunks = k;
	}
	p = k->bytes + k->used;
	k->used += n;
	return memset(p, 0, n);
}

static void
free_chunks(im_chunk *k)
{
	for (im_chunk *next; k != NULL; k = next) {
		next = k->next;
		free(k);
	}
}

/* Zeroed. */
static void *
take(im_image *m, size_t n)
{
	return take_from(&m->chunks, n);
}

static const char *
text_of(im_image *m, const char *s)
{
	size_t n = s ? strlen(s) + 1 : 0;

	return s ? memcpy(take(m, n), s, n) : NULL;
}

/* ---- constants ---- */

struct im_pool {
	im_chunk *chunks;
	const vt_head **at; /* by hash, probed linearly; `room` of them, NULL: empty */
	uint32_t n, room;
};

im_pool *
im_pool_new(void)
{
	im_pool *pool = vt_xzalloc(sizeof *pool);

	pool->room = 64;
	pool->at = vt_xzalloc(pool->room * sizeof *pool->at);
	return pool;
}

void
im_pool_free(im_pool *pool)
{
	if (pool == NULL)
		return;
	free_chunks(pool->chunks);
	free(pool->at);
	free(pool);
}

static uint64_t
hash_of_float(double d)
{
	return vt_hash_bytes((const char *)&d, sizeof d);
}

static uint64_t
pooled_hash(const vt_head *h)
{
	return h->kind == VT_K_STR ? vt_as_str(vt_mkptr(h))->hash
				   : hash_of_float(vt_float_of(vt_mkptr(h)));
}

static void
put_pooled(im_pool *pool, const vt_head *h)
{
	uint64_t at = pooled_hash(h);

	while (pool->at[at & (pool->room - 1)] != NULL)
		at++;
	pool->at[at & (pool->room - 1)] = h;
}

static void *
add_pooled(im_pool *pool, const void *value)
{
	const vt_head **old = pool->at;
	uint32_t room = pool->room;

	if (2 * ++pool->n > room) {
		pool->room *= 2;
		pool->at = vt_xzalloc(pool->room * sizeof *pool->at);
		for (uint32_t i = 0; i < room; i++)
			if (old[i] != NULL)
				put_pooled(pool, old[i]);
		free(old);
	}
	put_pooled(pool, value);
	return (void *)(uintptr_t)value;
}

/* The text of the pool; NULL: it has none yet. */
static const vt_str *
pooled_text(const im_pool *pool, const char *s, size_t n, uint64_t hash)
{
	const vt_head *h;

	for (uint64_t at = hash; (h = pool->at[at & (pool->room - 1)]) != NULL; at++) {
		const vt_str *v = vt_as_str(vt_mkptr(h));
		if (h->kind == VT_K_STR && v->hash == hash && v->bytes == n &&
			memcmp(v->s, s, n) == 0)
			return v;
	}
	return NULL;
}

static const vt_float *
pooled_float(const im_pool *pool, double d)
{
	const vt_head *h;

	for (uint64_t at = hash_of_float(d); (h = pool->at[at & (pool->room - 1)]) != NULL; at++) {
		const vt_float *f = (const vt_float *)(const void *)h;
		if (h->kind == VT_K_FLOAT && memcmp(&f->d, &d, sizeof d) == 0)
			return f;
	}
	return NULL;
}

static void *
take_constant(im_image *m, size_t n)
{
	return take_from(m->pool != NULL ? &m->pool->chunks : &m->chunks, n);
}

static const vt_str *
string_of(im_image *m, const char *s, size_t n)
{
	uint64_t hash;
	const vt_str *known;
	vt_str *v;
	uint32_t points = 0;

	if (n == 1 && (unsigned char)*s < 128)
		return (const vt_str *)&vt_one_character[(unsigned char)*s];
	hash = vt_hash_bytes(s, n);
	known = m->pool != NULL ? pooled_text(m->pool, s, n, hash) : NULL;
	if (known != NULL)
		return known;
	v = take_constant(m, sizeof *v + n + 1);
	for (size_t i = 0; i < n; i++)
		points += ((unsigned char)s[i] & 0xc0) != 0x80;
	v->h = (vt_head){
		.rc = VT_IMMORTAL, .kind = VT_K_STR, .flags = points == n ? VT_F_ASCII : 0};
	v->bytes = (uint32_t)n;
	v->points = points;
	v->hash = hash;
	memcpy(v->s, s, n);
	return m->pool != NULL ? add_pooled(m->pool, v) : v;
}

static const vt_str *
name_of(im_image *m, const char *s)
{
	return s ? string_of(m, s, strlen(s)) : NULL;
}

static const vt_float *
float_of(im_image *m, double d)
{
	const vt_float *known = m->pool != NULL ? pooled_float(m->pool, d) : NULL;
	vt_float *f;

	if (known != NULL)
		return known;
	f = take_constant(m, sizeof *f);
	f->h = (vt_head){.rc = VT_IMMORTAL, .kind = VT_K_FLOAT};
	f->d = d;
	return m->pool != NULL ? add_pooled(m->pool, f) : f;
}

/* VT_UNDEF: a constant that has to be made when it is wanted. */
static vt_value
constant_of(im_image *m, const ir_const *k)
{
	switch ((enum ir_const_kind)k->kind) {
	case IK_NULL: return VT_NULL;
	case IK_TRUE: return VT_TRUE;
	case IK_FALSE: return VT_FALSE;
	case IK_NOVALUE: return VT_NOVALUE;
	case IK_INT: return vt_mkint(k->i);
	case IK_STR: return vt_mkptr(string_of(m, k->s, k->n));
	case IK_FLOAT: return em_on_heap(k) ? vt_mkptr(float_of(m, k->f)) : vt_float_word(k->f);
	case IK_BIG:
	case IK_STAMP: break;
	}
	return VT_UNDEF;
}

/* ---- tables ---- */

typedef struct loader {
	em e;
	im_image *m;
	const im_interpreter *with;
	const ir_func *now;
	int32_t *at; /* the instruction of each label of the function */
	bool failed; /* there is something that only C can do */
} loader;

static const vt_code *
code_of(const loader *l, const ir_func *f)
{
	return f ? &l->m->codes[f->serial] : NULL;
}

static void
load_argument(loader *l, vt_arg *to, const ir_arg *a)
{
	vt_arg *key = NULL;
	vt_value v = constant_of(l->m, &a->k);
	bool heap = vt_is_ptr(v);

	if (a->key) {
		key = take(l->m, sizeof *key);
		load_argument(l, key, a->key);
	}
	*to = (vt_arg){a->kind, name_of(l->m, a->keyword), heap ? vt_head_of(v) : NULL,
		heap ? VT_UNDEF : v, code_of(l, a->code), key};
}

static const vt_site *
site_of(loader *l, ir_site *s)
{
	vt_site *to;
	vt_arg *args;

	if (s == NULL)
		return NULL;
	if (s->loaded)
		return s->loaded;
	if (!s->numbered) /* a call that is not written: em_site() */
		s->index = l->e.nics++;
	args = take(l->m, sizeof *args * (s->nargs + 1));
	for (uint32_t i = 0; i < s->nargs; i++)
		load_argument(l, &args[i], &s->args[i]);
	to = take(l->m, sizeof *to);
	*to = (vt_site){name_of(l->m, s->name), s->method ? VT_SITE_METHOD : VT_SITE_FUNCTION,
		s->last, (uint16_t)s->nargs, VT_IC_NUMBER(s->index), s->nargs ? args : NULL,
		&l->m->unit, s->line, s->col};
	s->loaded = to;
	return to;
}

static const vt_iter_ops *
pipe_of(loader *l, const ir_ins *in)
{
	vt_pipe_ops *ops = take(l->m, sizeof *ops);
	vt_pipe_stage *stages = take(l->m, sizeof *stages * in->nstages);
	bool filter = in->stages[in->nstages - 1] == IR_STAGE_WHERE;

	for (uint32_t i = 0; i < in->nstages; i++)
		stages[i] = (vt_pipe_stage){code_of(l, in->fs[i]), in->stages[i] == IR_STAGE_WHERE,
			em_stage_lists(&l->e, in, i), NULL};
	*ops = (vt_pipe_ops){
		.ops = {.name = filter ? "filter" : "map"}, .n = in->nstages, .stages = stages};
	return &ops->ops;
}

/* What stands beside the temporaries of an op. */
static void
operands(loader *l, im_ins *to, const ir_ins *in)
{
	switch (in->op) {
	case IR_CONST:
		to->k = constant_of(l->m, &in->k);
		if (to->k == VT_UNDEF)
			to->u.digits = text_of(l->m, in->k.s);
		l->failed |= in->k.kind == IK_STAMP;
		break;
	case IR_ARG: to->n = (uint32_t)in->i[0]; break;
	case IR_DYN:
	case IR_TYPEREF: to->u.name = name_of(l->m, in->name); break;
	case IR_FREE:
		to->u.range[0] = in->i[0];
		to->u.range[1] = in->i[1];
		break;
	case IR_MAP: to->k = em_makes_record(&l->e, l->now, in) ? VT_TRUE : VT_FALSE; break;
	case IR_PIPE: to->u.pipe = pipe_of(l, in); break;
	default: to->u.site = site_of(l, in->site); break;
	}
}

static void
instruction(loader *l, im_ins *to, const ir_ins *in, int32_t handler)
{
	*to = (im_ins){.run = l->with->ops[in->op],
		.d = in->d,
		.a = {in->na > 0 ? in->a[0] : -1, in->na > 1 ? in->a[1] : -1},
		.to = in->label >= 0 && in->op != IR_HANDLER ? l->at[in->label] : 0,
		.fail = handler < 0 ? IM_OUT : l->at[handler],
		.n = in->nlist,
		.code = code_of(l, in->f),
		.ic = VT_IC_NUMBER(in->op == IR_MAP || in->op == IR_TYPEREF ? in->ic
				   : in->site                               ? in->site->index
									    : 0)};
	l->failed |= to->run == NULL;
	if (in->nlist) {
		int32_t *list = take(l->m, sizeof *list * in->nlist);

		memcpy(list, in->list, sizeof *list * in->nlist);
		to->list = list;
	}
	operands(l, to, in);
}

static void
body(loader *l, vt_code *code, const ir_func *f)
{
	im_body *b = take(l->m, sizeof *b);
	im_ins *ins = take(l->m, sizeof *ins * (f->n + 1));
	int32_t handler = -1;

	l->at = vc_alloc(l->e.c, sizeof *l->at * ((size_t)f->nlabels + 1));
	l->now = f;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_LABEL)
			l->at[f->ins[i].label] = (int32_t)i;
	for (uint32_t i = 0; i < f->n; i++) {
		if (f->ins[i].op == IR_HANDLER)
			handler = f->ins[i].label;
		instruction(l, &ins[i], &f->ins[i], handler);
	}
	*b = (im_body){l->with->body, l->m, ins, f->n, (uint32_t)f->ntemps};
	code->body = &b->b;
	l->m->size += f->n;
}

/* ---- lambda programs: the tables of lambda_table.c, and its numbers of caches ---- */

static const void *
heap_of(loader *l, const ir_const *k)
{
	if (k == NULL || !em_on_heap(k))
		return NULL;
	return vt_head_of(constant_of(l->m, k));
}

static const vt_str *const *
names_of(loader *l, uint32_t n, const char *const *names)
{
	const vt_str **to = take(l->m, sizeof *to * (n + 1));

	for (uint32_t i = 0; i < n; i++)
		to[i] = name_of(l->m, names[i]);
	return to;
}

static const void *
next_cache(loader *l)
{
	return VT_IC_NUMBER(l->e.nics++);
}

static const vt_lambda_program *program_of(loader *, lp_program *);

static const vt_nest *
nest_of(loader *l, const lp_program *t, const lp_step *s)
{
	const lp_nest *nest = s->nest;
	vt_nest_stage *stages = take(l->m, sizeof *stages * (nest->n + 1u));
	vt_nest *to = take(l->m, sizeof *to);

	for (uint32_t i = 0; i < nest->n; i++)
		stages[i] = (vt_nest_stage){program_of(l, nest->program[i]), nest->filter[i]};
	*to = (vt_nest){nest->reduce, nest->n, nest->generates, nest->iterator, lp_apart(t, s),
		nest->falls, nest->skip, nest->most, stages};
	return to;
}

static void
step_of(loader *l, vt_lambda_step *to, const lp_program *t, const lp_step *s)
{
	uint8_t *args = s->n ? take(l->m, s->n) : NULL;

	*to = (vt_lambda_step){.op = s->op,
		.a = s->a,
		.b = s->b,
		.c = s->c,
		.guard = s->guard,
		.flags = s->flags,
		.n = s->n,
		.heap = heap_of(l, s->k),
		.by = heap_of(l, s->by),
		.k = s->k && !em_on_heap(s->k) ? constant_of(l->m, s->k) : VT_UNDEF,
		.args = args};
	if (args)
		memcpy(args, s->args, s->n);
	if (s->op == VT_STEP_ATTR || (s->op == VT_STEP_NEST && s->ins != NULL)) {
		to->ic = VT_IC_NUMBER(s->ins->site->index);
		to->heap = name_of(l->m, s->ins->site->args[1].k.s);
	}
	if (lp_has_site(s))
		to->by = site_of(l, s->ins->site);
	else if (s->op == VT_STEP_DYN)
		to->heap = name_of(l->m, s->name);
	else if (s->op == VT_STEP_NEST)
		to->by = nest_of(l, t, s);
	else if (s->op == VT_STEP_DEFINED)
		to->by = s->callee != NULL ? program_of(l, s->callee) : NULL;
	else if (s->op == VT_STEP_MAP) {
		to->by = names_of(l, s->n, s->names);
		to->ic = next_cache(l);
	} else if (s->op == VT_STEP_EDIT)
		to->by = names_of(l, s->n, s->names);
	if (s->op == VT_STEP_PIECE || s->op == VT_STEP_SPAN || s->op == VT_STEP_PART ||
		s->op == VT_STEP_FIND || s->op == VT_STEP_GROUP)
		to->k = vt_mkint(s->index);
}

static const vt_lambda_program *
program_of(loader *l, lp_program *t)
{
	vt_lambda_step *steps = take(l->m, sizeof *steps * (t->n + 1));
	uint8_t *out = take(l->m, t->nout + 1u);
	vt_lambda_program *to = take(l->m, sizeof *to);

	for (uint32_t i = 0; i < t->n; i++)
		step_of(l, &steps[i], t, &t->t[i]);
	memcpy(out, t->out, t->nout);
	*to = (vt_lambda_program){.kind = t->kind,
		.n = (uint8_t)t->n,
		.nargs = t->nargs,
		.nout = t->nout,
		.calls = t->calls,
		.mixed = t->mixed,
		.iterates = t->iterates,
		.parts = t->made_parts,
		.t = steps,
		.out = out};
	if (t->kind == VT_PROGRAM_RECORD) {
		to->keys = names_of(l, t->nout, t->keys);
		to->ic = next_cache(l);
	}
	return to;
}

static const vt_join *
join_of(loader *l, lp_join *j)
{
	vt_join *to = take(l->m, sizeof *to);

	to->left = program_of(l, j->left);
	to->right = program_of(l, j->right);
	to->rest = j->rest ? program_of(l, j->rest) : NULL;
	to->all_left = j->all_left ? program_of(l, j->all_left) : NULL;
	to->all_right = j->all_right ? program_of(l, j->all_right) : NULL;
	return to;
}

static void
programs(loader *l, vt_code *to, const ir_func *f)
{
	bool has = em_has_lambda_program(&l->e, f);

	if (l->e.many)
		to->many = program_of(l, l->e.many);
	if (!has)
		return;
	to->program = program_of(l, l->e.program);
	if (l->e.join)
		to->join = join_of(l, l->e.join);
}

static void
code(loader *l, const ir_func *f)
{
	vt_code *to = &l->m->codes[f->serial];
	int direct = em_direct_args(&l->e, f);

	*to = (vt_code){.unit = &l->m->unit,
		.flags = em_code_flags(f) | (direct >= 0 ? VT_CODE_DIRECT | em_direct_reads(f) : 0),
		.line = f->line,
		.col = f->col,
		.source = text_of(l->m, f->source),
		.direct_args = direct >= 0 ? (uint32_t)direct : 0,
		.left = code_of(l, f->sides[0]),
		.right = code_of(l, f->sides[1])};
	body(l, to, f);
	programs(l, to, f);
}

static void
unit(im_image *m, const ir_unit *u)
{
	m->unit = (vt_unit){.file = text_of(m, u->file),
		.layers = u->layers,
		.version = u->version,
		.opt = {u->opt.limit_iterators, u->opt.memory_quota, u->opt.tuples_to_lists,
			u->opt.sets_to_lists, u->opt.iterable_dicts, u->opt.convert_input,
			u->opt.convert_output}};
}

/* A module may be loaded more than once. */
static void
forget_sites(const ir_module *m)
{
	for (uint32_t i = 0; i < m->nfuncs; i++)
		for (uint32_t k = 0; k < m->funcs[i]->n; k++) {
			ir_site *s = m->funcs[i]->ins[k].site;
			if (s != NULL) {
				s->numbered = false;
				s->loaded = NULL;
			}
		}
}

im_image *
im_image_new(vc *c, ir_module *module, uint32_t nics, const im_interpreter *with, im_pool *pool)
{
	im_image *m = vt_xmalloc(sizeof *m);
	loader l = {.e = {.c = c, .m = module, .is_query = true}, .m = m, .with = with};

	*m = (im_image){.ncodes = module->nfuncs, .pool = pool};
	m->codes = take(m, sizeof *m->codes * module->nfuncs);
	unit(m, module->query->unit);
	forget_sites(module);
	em_chain_functions(module);
	l.e.nics = em_number_caches(module, nics);
	for (uint32_t i = 0; i < module->nfuncs && !l.failed; i++)
		code(&l, module->funcs[i]);
	m->program = (vt_program){
		.nics = l.e.nics, .built_by = VETRO_VERSION, .query = code_of(&l, module->query)};
	if (!l.failed)
		return m;
	im_image_free(m);
	return NULL;
}

/* Codes that run already go on as they are. */
void
im_image_use(im_image *m, const vt_program *compiled)
{
	if (m->ncodes != compiled->ncodes || m->program.nics != compiled->nics)
		return; /* the caches of one are not those of the other */
	for (uint32_t i = 0; i < m->ncodes; i++) {
		m->codes[i].fn = compiled->codes[i]->fn;
		m->codes[i].direct = compiled->codes[i]->direct;
	}
}

void
im_image_free(im_image *m)
{
	if (m == NULL)
		return;
	free_chunks(m->chunks);
	free(m);
}

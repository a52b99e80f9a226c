/*
 * compile.c - parse, lower, emit, libtcc: an expression becomes code in memory.
 *
 * libtcc works on global variables, so one thread at a time may be in it: the one lock of the
 * process. All before it works on a compilation of its own.
 */
#include "compiler/query/compile.h"
#include "compiler/build/build.h"
#include "compiler/emit/emit.h"
#include "compiler/lower/lower.h"
#include "compiler/query/interpret.h"
#include "runtime/core/base.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* It has an image, code in memory, or the one and then the other. */
struct qc {
	im_image *image; /* or NULL */
	vc_tcc *tcc;     /* or NULL */
	qr_request r;    /* of the image, with a text of its own */
	uint32_t nics;   /* where its inline caches begin */
	qc_keep *keep;   /* or NULL */
};

/* Instructions of an expression that is compiled when it is hot: libtcc takes minutes for one that
 * a program has written. */
enum { MOST_HOT = 8192 };

static pthread_mutex_t tcc_lock = PTHREAD_MUTEX_INITIALIZER;

unsigned
qc_dialect(const qr_request *r, bool murano)
{
	return (r->legacy ? YQ_F_LEGACY : 0) | (r->delegates ? YQ_F_DELEGATES : 0) |
	       (murano ? YQ_F_MURANO : 0);
}

const yq_node *
qc_parse(vc *c, const qr_request *r, bool murano, qr_error *e)
{
	uint32_t line, col;
	yq_error err;
	yq_node *tree = yq_parse_with(c, r->expr, r->n, qc_dialect(r, murano), r->operators, &err);

	if (tree && (!(r->layers & VT_L_QUERY) || qc_rewrite_paths(c, tree, &err)))
		return tree;
	vc_place(vc_source_new(c, "<expression>", r->expr, r->n), err.at, &line, &col);
	qr_error_set(e,
		err.escape    ? "UnicodeDecodeError"
		: err.lexical ? "YaqlLexicalException"
			      : "YaqlGrammarException",
		line, col, err.message);
	return NULL;
}

/* Diagnostics of the later phases, as one message. */
static void
take_diagnostics(vc *c, const char *type, qr_error *e)
{
	vt_buf b = {NULL, 0, 0};

	vc_put_diags(c, VC_TEXT, false, &b);
	while (b.n && b.p[b.n - 1] == '\n')
		b.n--;
	vt_buf_putc(&b, '\0');
	qr_error_set(e, type, 0, 0, b.n > 1 ? b.p : "the expression cannot be compiled");
	vt_buf_free(&b);
}

/* ---- what nobody else holds ---- */

/* Does it give an iterator that may read others ahead, where nobody else has them? */
static bool
reads_ahead(const ir_ins *in)
{
	return (in->op == IR_CALL || in->op == IR_CALLM) &&
	       (strcmp(in->site->name, "zip") == 0 || strcmp(in->site->name, "zipLongest") == 0);
}

static bool
reads(const ir_ins *in, int32_t t)
{
	bool is = false;

	for (uint32_t i = 0; i < in->na; i++)
		is |= in->a[i] == t;
	for (uint32_t i = 0; i < in->nlist; i++)
		is |= in->list[i] == t;
	return is;
}

/* Is the temporary read behind the i-th op?  `refuse` stands for a call that was not made.  All
 * jumps of an expression go forward. */
static bool
is_read_behind(const ir_func *f, uint32_t i, int32_t t)
{
	while (++i < f->n)
		if (f->ins[i].op != IR_REFUSE && reads(&f->ins[i], t))
			return true;
	return false;
}

static ir_ins
let_go(int32_t from, int32_t to)
{
	return (ir_ins){.op = IR_FREE, .d = -1, .var = -1, .label = -1, .i = {from, to}};
}

/* Behind the i-th op: those that were read and are read no more. */
static void
let_go_behind(vc *c, const ir_func *f, uint32_t i, ir_ins **ins, uint32_t *n)
{
	int32_t from = 0, t = 0, most = f->ins[i].d;

	for (; t < most; t++) {
		if (!is_read_behind(f, i, t))
			continue;
		if (t > from)
			vc_push(c, *ins, *n) = let_go(from, t);
		from = t + 1;
	}
	if (t > from)
		vc_push(c, *ins, *n) = let_go(from, t);
}

/* Temporaries hold their values to the end of the code, and so iterators would seem to be read by
 * others. */
static void
let_go_of_iterators(vc *c, ir_func *f)
{
	ir_ins *ins = NULL;
	uint32_t n = 0, found = 0;

	for (uint32_t i = 0; i < f->n; i++)
		found += reads_ahead(&f->ins[i]);
	for (uint32_t i = 0; found > 0 && i < f->n; i++) {
		vc_push(c, ins, n) = f->ins[i];
		if (reads_ahead(&f->ins[i]))
			let_go_behind(c, f, i, &ins, &n);
	}
	if (found == 0)
		return;
	f->ins = ins;
	f->n = n;
}

ir_module *
qc_lower(vc *c, const qr_request *r, const yq_node *tree, qr_error *e)
{
	vc_query_opts o = {.layers = r->layers,
		.file = "<expression>",
		.passes_off = r->passes_off,
		.opt = {.limit_iterators = r->opt.limit_iterators,
			.memory_quota = r->opt.memory_quota,
			.tuples_to_lists = r->opt.tuples_to_lists,
			.sets_to_lists = r->opt.sets_to_lists,
			.iterable_dicts = r->opt.iterable_dicts,
			.convert_input = r->opt.convert_input,
			.convert_output = r->opt.convert_output}};
	ir_module *m = vc_lower_query(c, tree, r->expr, r->n, &o);

	if (m && vc_errors(c) == 0 && ir_verify(c, m)) {
		for (uint32_t i = 0; i < m->nfuncs; i++)
			let_go_of_iterators(c, m->funcs[i]);
		return m;
	}
	take_diagnostics(c, "CompileError", e);
	return NULL;
}

static vc_tcc *
generate(vc *c, ir_module *m, uint32_t nics, void **address, qr_error *e)
{
	vt_buf text = {NULL, 0, 0};
	vc_tcc *t;

	vc_emit_query_at(c, m, nics, &text);
	pthread_mutex_lock(&tcc_lock);
	t = vc_tcc_compile(c, text.p, "vt_query_program", address);
	pthread_mutex_unlock(&tcc_lock);
	vt_buf_free(&text);
	if (!t)
		take_diagnostics(c, "CompilerError", e);
	return t;
}

/* ---- images ---- */

/* What the interpreter has run so often that it is worth it. Without a compiler it goes on. */
static void
compile_hot(im_image *image)
{
	qc *q = image->owner;
	vc *c = vc_new();
	void *address = NULL;
	qr_error e = {.type = NULL};
	bool may = q->keep == NULL || q->keep->hot > 0;
	const yq_node *tree = may ? qc_parse(c, &q->r, false, &e) : NULL;
	ir_module *m = tree ? qc_lower(c, &q->r, tree, &e) : NULL;

	c->jit = VC_JIT_MEMORY;
	q->tcc = m ? generate(c, m, q->nics, &address, &e) : NULL;
	if (q->tcc && q->keep != NULL)
		q->keep->hot--;
	if (q->tcc)
		im_image_use(image, address);
	qr_error_free(&e);
	vc_free(c);
}

static void
own_request(qc *q, const qr_request *r)
{
	char *text = vt_xmalloc(r->n + 1);

	memcpy(text, r->expr, r->n);
	text[r->n] = '\0';
	q->r = *r;
	q->r.expr = text;
}

static bool
load_image(vc *c, qc *q, const qr_request *r, ir_module *m)
{
	q->image = im_image_new(
		c, m, q->nics, &qi_interpreter, q->keep != NULL ? q->keep->pool : NULL);
	if (q->image == NULL)
		return false;
	q->image->owner = q;
	if (r->jit == VC_JIT_NONE || q->image->size > MOST_HOT)
		return true;
	own_request(q, r);
	q->image->hot = compile_hot;
	return true;
}

qc *
qc_compile(const qr_request *r, uint32_t nics, const struct vt_program **program, qr_error *e)
{
	return qc_compile_kept(r, nics, NULL, program, e);
}

bool
qc_is_compiled(const qc *q)
{
	return q->tcc != NULL;
}

qc *
qc_compile_kept(const qr_request *r, uint32_t nics, qc_keep *keep,
	const struct vt_program **program, qr_error *e)
{
	vc *c = vc_new();
	void *address = NULL;
	const yq_node *tree = qc_parse(c, r, false, e);
	ir_module *m = tree ? qc_lower(c, r, tree, e) : NULL;
	qc *q = vt_xmalloc(sizeof *q);

	*q = (qc){.nics = nics, .keep = keep};
	c->jit = r->jit;
	if (m && (r->jit == VC_JIT_AUTO || r->jit == VC_JIT_NONE) && load_image(c, q, r, m))
		*program = &q->image->program;
	else if (m && (q->tcc = generate(c, m, nics, &address, e)) != NULL)
		*program = address;
	else {
		free(q);
		q = NULL;
	}
	vc_free(c);
	return q;
}

/* ---- modules -------------------------------------------------------------------------------- */

/* Loading numbers the inline caches in the module itself, hence the lock; nothing of an image
 * refers to it. */
struct qc_module {
	vc *c;
	ir_module *m;
	qr_request r; /* with a text of its own */
	pthread_mutex_t lock;
};

qc_module *
qc_module_new(const qr_request *r, qr_error *e)
{
	qc_module *made = vt_xmalloc(sizeof *made);
	const yq_node *tree;

	*made = (qc_module){.c = vc_new(), .r = *r};
	made->r.expr = vc_strndup(made->c, r->expr, r->n);
	tree = qc_parse(made->c, &made->r, false, e);
	made->m = tree ? qc_lower(made->c, &made->r, tree, e) : NULL;
	if (made->m == NULL) {
		vc_free(made->c);
		free(made);
		return NULL;
	}
	pthread_mutex_init(&made->lock, NULL);
	return made;
}

qc *
qc_module_load(qc_module *from, uint32_t nics, qc_keep *keep, const struct vt_program **program)
{
	vc *c = vc_new();
	qc *q = vt_xmalloc(sizeof *q);
	bool loaded;

	*q = (qc){.nics = nics, .keep = keep};
	pthread_mutex_lock(&from->lock);
	loaded = load_image(c, q, &from->r, from->m);
	pthread_mutex_unlock(&from->lock);
	vc_free(c);
	if (loaded) {
		*program = &q->image->program;
		return q;
	}
	free(q);
	return NULL;
}

void
qc_module_free(qc_module *m)
{
	if (m == NULL)
		return;
	pthread_mutex_destroy(&m->lock);
	vc_free(m->c);
	free(m);
}

void
qc_free(qc *q)
{
	if (q == NULL)
		return;
	im_image_free(q->image);
	pthread_mutex_lock(&tcc_lock);
	vc_tcc_free(q->tcc);
	pthread_mutex_unlock(&tcc_lock);
	free((char *)q->r.expr);
	free(q);
}

/*
 * read.c - reads the text form of the IR, which docs/IR.md describes.  print.c prints it.
 *
 * An op is read by its operands in ops.def.  Texts are hostile: what is read is verified (verify.c)
 * before anything looks at it.
 */
#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/yaml/yaml.h"
#include "compiler/ir/text.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum token { T_END, T_WORD, T_STRING, T_INT, T_PUNCT };
typedef struct reader {
	vc *c;
	vc_source *src;
	const char *p, *end;
	enum token kind;
	const char *text;
	size_t n; /* word or decoded string */
	const char *start;
	int64_t value;
	bool failed;
	ir_module *m;
	ir_func **known;
	uint32_t nknown; /* by name, placed or only mentioned */
} reader;

static void
complain(reader *r, const char *what)
{
	uint32_t at = (uint32_t)(r->start - r->src->text);

	if (!r->failed)
		vc_report(r->c, VC_E0904, (vc_span){r->src, at, at + (uint32_t)(r->p - r->start)},
			"IR text: %s", what);
	r->failed = true;
	r->kind = T_END;
	r->p = r->end;
}

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

static void
read_string(reader *r)
{
	vt_buf b = {0};
	bool closed = false;

	for (r->p++; r->p < r->end && !(closed = *r->p == '"'); r->p++) {
		if (*r->p != '\\' || r->p + 1 >= r->end) {
			vt_buf_put(&b, r->p, 1);
			continue;
		}
		r->p++;
		if (*r->p == 'x' && r->end - r->p > 2 && vt_hex_digit(r->p[1]) >= 0 &&
			vt_hex_digit(r->p[2]) >= 0) {
			char c = (char)(vt_hex_digit(r->p[1]) * 16 + vt_hex_digit(r->p[2]));
			vt_buf_put(&b, &c, 1);
			r->p += 2;
		} else
			vt_buf_put(&b, r->p, 1);
	}
	r->kind = T_STRING;
	r->n = b.n;
	r->text = vc_take(r->c, &b);
	if (closed)
		r->p++;
	else
		complain(r, "a string that is not closed");
}

static void
next(reader *r)
{
	if (r->failed)
		return;
	while (r->p < r->end &&
		(*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r' || *r->p == '#'))
		if (*r->p++ == '#') /* a comment */
			while (r->p < r->end && *r->p != '\n')
				r->p++;
	r->start = r->p;
	if (r->p >= r->end)
		r->kind = T_END;
	else if (*r->p == '"')
		read_string(r);
	else if (is_word_char(*r->p)) {
		char *stop;
		while (r->p < r->end && is_word_char(*r->p))
			r->p++;
		r->text = vc_strndup(r->c, r->start, r->n = (size_t)(r->p - r->start));
		errno = 0;
		r->value = strtoll(r->text, &stop, 10);
		r->kind = *stop == '\0' && r->n > 0 && errno == 0 ? T_INT : T_WORD;
	} else {
		r->kind = T_PUNCT;
		r->text = vc_strndup(r->c, r->p++, 1);
		r->n = 1;
	}
}

static bool
at(reader *r, const char *text)
{
	return (r->kind == T_WORD || r->kind == T_PUNCT || r->kind == T_INT) &&
	       strcmp(r->text, text) == 0;
}

static bool
accept(reader *r, const char *text)
{
	if (!at(r, text))
		return false;
	next(r);
	return true;
}

static void
expect(reader *r, const char *text)
{
	if (!accept(r, text))
		complain(r, vc_format(r->c, "expected `%s`", text));
}

/* "text=" */
static void
name(reader *r, const char *text)
{
	expect(r, text);
	expect(r, "=");
}

static bool
accept_name(reader *r, const char *text)
{
	if (!accept(r, text))
		return false;
	expect(r, "=");
	return true;
}

static int64_t
get_int(reader *r)
{
	int64_t v = r->value;

	if (r->kind != T_INT) {
		complain(r, "expected a number");
		return 0;
	}
	next(r);
	return v;
}

static const char *
get_string(reader *r)
{
	const char *s = r->text;

	if (r->kind != T_STRING) {
		complain(r, "expected a string");
		return "";
	}
	next(r);
	return s;
}

static int64_t
field(reader *r, const char *what)
{
	name(r, what);
	return get_int(r);
}

/* %n, or _ for an absent one. */
static int32_t
get_temp(reader *r)
{
	if (accept(r, "_"))
		return -1;
	expect(r, "%");
	return (int32_t)get_int(r);
}

static int32_t
get_label(reader *r)
{
	int32_t v = r->kind == T_WORD && r->text[0] == 'L' ? atoi(r->text + 1) : -2;

	if (v < -1)
		complain(r, "expected a label");
	else
		next(r);
	return v;
}

static ir_func *
func_named(reader *r, const char *name)
{
	ir_func *f;

	for (uint32_t i = r->nknown; i-- > 0;)
		if (strcmp(r->known[i]->name, name) == 0)
			return r->known[i];
	f = vc_alloc(r->c, sizeof *f);
	f->name = name;
	vc_push(r->c, r->known, r->nknown) = f;
	return f;
}

static ir_func *
get_ref(reader *r)
{
	if (accept(r, "any") || accept(r, "none"))
		return NULL;
	expect(r, "@");
	return func_named(r, get_string(r));
}

/* What the printer writes: a decimal literal, or inf and nan. */
static bool
read_float(const char *s, size_t n, double *d)
{
	bool minus = n > 0 && *s == '-';

	if (strcmp(s + minus, "inf") == 0 || strcmp(s + minus, "nan") == 0) {
		*d = s[minus] == 'n' ? __builtin_nan("") : __builtin_inf();
		*d = minus ? -*d : *d;
		return true;
	}
	return vt_float_parse(s, n, d);
}

static ir_const
get_const(reader *r)
{
	ir_const k = {.kind = IK_NULL};

	if (accept(r, "null"))
		return k;
	if (accept(r, "true"))
		return (ir_const){.kind = IK_TRUE};
	if (accept(r, "false"))
		return (ir_const){.kind = IK_FALSE};
	if (accept(r, "novalue"))
		return (ir_const){.kind = IK_NOVALUE};
	if (accept(r, "big")) {
		k.kind = IK_BIG;
		k.s = get_string(r);
		k.n = (uint32_t)strlen(k.s);
	} else if (accept(r, "stamp")) {
		k.kind = IK_STAMP;
		k.n = (uint32_t)r->n;
		k.s = get_string(r);
		if (!vc_read_stamp(k.s, &(vc_stamp){0}))
			complain(r, "bad stamp");
	} else if (accept(r, "float")) {
		k.kind = IK_FLOAT;
		if (!read_float(r->text, r->n, &k.f))
			complain(r, "bad float");
		get_string(r);
	} else if (r->kind == T_STRING) {
		k.kind = IK_STR;
		k.n = (uint32_t)r->n;
		k.s = get_string(r);
	} else {
		k.kind = IK_INT;
		k.i = get_int(r);
	}
	return k;
}

static ir_arg
get_arg(reader *r, int depth)
{
	ir_arg a = {0};
	uint32_t kind = 0;

	expect(r, "{");
	while (kind < IR_NARG_KINDS && !at(r, ir_arg_kinds[kind]))
		kind++;
	if (kind == IR_NARG_KINDS || depth > 50) {
		complain(r, "unknown kind of argument");
		return a;
	}
	a.kind = (uint8_t)kind;
	next(r);
	if (accept_name(r, "name")) {
		a.keyword = get_string(r);
	}
	if (accept_name(r, "value")) {
		a.k = get_const(r);
	}
	if (accept_name(r, "code")) {
		a.code = get_ref(r);
	}
	if (accept_name(r, "key")) {
		a.key = vc_alloc(r->c, sizeof *a.key);
		*a.key = get_arg(r, depth + 1);
	}
	expect(r, "}");
	return a;
}

static ir_site *
get_site(reader *r)
{
	ir_site *s = vc_alloc(r->c, sizeof *s);

	s->method = at(r, "method");
	if (!accept(r, "method"))
		expect(r, "function");
	s->name = get_string(r);
	expect(r, "at");
	s->line = (uint32_t)get_int(r);
	expect(r, ":");
	s->col = (uint32_t)get_int(r);
	expect(r, "(");
	while (!r->failed && !at(r, ")"))
		vc_push(r->c, s->args, s->nargs) = get_arg(r, 0);
	expect(r, ")");
	return s;
}

static uint8_t
get_stage(reader *r)
{
	const char *name = get_string(r);

	for (uint8_t i = IR_STAGE_NONE + 1; i < IR_NSTAGES; i++)
		if (strcmp(name, ir_stages[i]) == 0)
			return i;
	complain(r, "unknown stage");
	return IR_STAGE_NONE;
}

#define LIST(r, vec, n, item) \
	do { \
		expect(r, "["); \
		while (!(r)->failed && !at(r, "]")) \
			vc_push((r)->c, vec, n) = (item); \
		expect(r, "]"); \
	} while (0)

static void
get_operand(reader *r, char letter, ir_ins *in, uint32_t *ni)
{
	switch (letter) {
	case 'a': in->a[in->na++] = get_temp(r); break;
	case '*': LIST(r, in->list, in->nlist, get_temp(r)); break;
	case 'v':
		expect(r, "$");
		in->var = (int32_t)get_int(r);
		break;
	case 'n': in->name = get_string(r); break;
	case 'k': in->k = get_const(r); break;
	case 'l': in->label = get_label(r); break;
	case 'f': in->f = get_ref(r); break;
	case 'F': LIST(r, in->fs, in->nfs, get_ref(r)); break;
	case 's': in->site = get_site(r); break;
	case 'i': in->i[(*ni)++] = get_int(r); break;
	case 'N': LIST(r, in->names, in->nnames, get_string(r)); break;
	case 'K': LIST(r, in->ks, in->nks, get_const(r)); break;
	case 'P': LIST(r, in->stages, in->nstages, get_stage(r)); break;
	}
}

static ir_ins
get_ins(reader *r)
{
	ir_ins in = {.d = -1, .label = -1, .var = -1};
	uint32_t op = 0, ni = 0;

	if (at(r, "%")) {
		in.d = get_temp(r);
		expect(r, "=");
	}
	while (op < IR_NOPS && !at(r, ir_ops[op].name))
		op++;
	if (op == IR_NOPS) {
		complain(r, "unknown op");
		return in;
	}
	next(r);
	in.op = (uint8_t)op;
	for (const char *s = ir_ops[op].sig; *s && !r->failed; s++)
		if (*s != 'd')
			get_operand(r, *s, &in, &ni);
	if (op == IR_POS)
		in.name = get_string(r);
	return in;
}

static ir_unit *
get_unit_ref(reader *r)
{
	int64_t n = field(r, "unit");

	if (n < 0 || n >= r->m->nunits) {
		complain(r, "no such unit");
		return r->m->nunits ? r->m->units[0] : vc_alloc(r->c, sizeof(ir_unit));
	}
	return r->m->units[n];
}

/* The call site that refuses is that of the call: what stands for its receiver is noted there. */
static void
share_sites(reader *r, ir_func *f)
{
	for (uint32_t i = 0; i < f->n && !r->failed; i++) {
		ir_ins *in = &f->ins[i];
		uint32_t k = 0;
		if (in->op != IR_REFUSE || in->site == NULL)
			continue;
		while (k < f->n && !(f->ins[k].op == IR_CALLM && f->ins[k].site &&
					   f->ins[k].a[0] == in->a[0] &&
					   f->ins[k].site->line == in->site->line &&
					   f->ins[k].site->col == in->site->col &&
					   f->ins[k].site->nargs == in->site->nargs &&
					   strcmp(f->ins[k].site->name, in->site->name) == 0))
			k++;
		if (k == f->n)
			complain(r, "refuse without the call that it belongs to");
		else
			in->site = f->ins[k].site;
	}
}

static void
read_func(reader *r)
{
	ir_func *f = get_ref(r);
	uint32_t kind = 0;

	if (f == NULL || f->n) {
		complain(r, "a function without a name, or given twice");
		return;
	}
	while (kind < IR_NFUNC_KINDS && !accept(r, ir_func_kinds[kind]))
		kind++;
	if (kind == IR_NFUNC_KINDS) {
		complain(r, "unknown kind of function");
		return;
	}
	f->kind = (uint8_t)kind;
	f->unit = get_unit_ref(r);
	f->nparams = (uint32_t)field(r, "params");
	f->ntemps = (int32_t)field(r, "temps");
	f->nlabels = (int32_t)field(r, "labels");
	f->boxed = field(r, "boxed");
	f->leaf = field(r, "leaf");
	f->line = (uint32_t)field(r, "line");
	f->col = (uint32_t)field(r, "col");
	name(r, "vars");
	LIST(r, f->vars, f->nvars, get_string(r));
	if (accept_name(r, "base")) {
		f->base = get_ref(r);
	}
	if (accept_name(r, "left")) {
		f->sides[0] = get_ref(r);
		name(r, "right");
		f->sides[1] = get_ref(r);
	}
	if (accept_name(r, "source")) {
		f->source = get_string(r);
	}
	if (f->ntemps < 0 || f->nlabels < 0 || f->ntemps > 1000000 || f->nlabels > 10000000)
		complain(r, "temps or labels out of range");
	expect(r, "{");
	while (!r->failed && !at(r, "}"))
		vc_push(r->c, f->ins, f->n) = get_ins(r);
	expect(r, "}");
	share_sites(r, f);
	vc_push(r->c, r->m->funcs, r->m->nfuncs) = f;
}

static void
read_unit(reader *r)
{
	ir_unit *u = vc_alloc(r->c, sizeof *u);

	u->index = (uint32_t)get_int(r);
	name(r, "file");
	u->file = get_string(r);
	u->layers = (uint32_t)field(r, "layers");
	u->version = (uint32_t)field(r, "version");
	u->opt.limit_iterators = field(r, "limit");
	u->opt.memory_quota = field(r, "quota");
	u->opt.tuples_to_lists = field(r, "tuples");
	u->opt.sets_to_lists = field(r, "sets");
	u->opt.iterable_dicts = field(r, "dicts");
	u->opt.convert_input = field(r, "input");
	u->opt.convert_output = field(r, "output");
	name(r, "prefixes");
	expect(r, "[");
	while (!r->failed && !at(r, "]")) {
		mpl_prefix p = {.prefix = get_string(r)};
		p.ns = get_string(r);
		vc_push(r->c, u->prefixes, u->nprefixes) = p;
	}
	expect(r, "]");
	if (u->index != r->m->nunits)
		complain(r, "units are numbered from 0 without gaps");
	vc_push(r->c, r->m->units, r->m->nunits) = u;
}

static ir_meta *
read_meta(reader *r, uint32_t *n)
{
	ir_meta *out = NULL;

	while (accept(r, "meta")) {
		ir_meta m = {.name = get_string(r)};
		m.properties = get_ref(r);
		vc_push(r->c, out, *n) = m;
	}
	return out;
}

/* Of a property or a parameter, to its end. */
static void
read_member(reader *r, ir_func **contract, ir_func **dflt, ir_meta **meta, uint32_t *nmeta)
{
	name(r, "contract");
	*contract = get_ref(r);
	name(r, "default");
	*dflt = get_ref(r);
	expect(r, "{");
	*meta = read_meta(r, nmeta);
	expect(r, "}");
}

static ir_prop
read_property(reader *r)
{
	ir_prop p = {.name = get_string(r)};

	p.usage = (uint8_t)field(r, "usage");
	p.line = (uint32_t)field(r, "line");
	p.col = (uint32_t)field(r, "col");
	read_member(r, &p.contract, &p.dflt, &p.meta, &p.nmeta);
	return p;
}

static ir_param
read_param(reader *r)
{
	ir_param p = {.name = get_string(r)};

	p.usage = (uint8_t)field(r, "usage");
	read_member(r, &p.contract, &p.dflt, &p.meta, &p.nmeta);
	return p;
}

static ir_method
read_method(reader *r)
{
	ir_method m = {.name = get_string(r)};

	m.usage = (uint8_t)field(r, "usage");
	m.is_public = field(r, "public");
	m.line = (uint32_t)field(r, "line");
	m.col = (uint32_t)field(r, "col");
	name(r, "body");
	m.body = get_ref(r);
	expect(r, "{");
	m.meta = read_meta(r, &m.nmeta);
	while (accept(r, "param"))
		vc_push(r->c, m.params, m.nparams) = read_param(r);
	expect(r, "}");
	return m;
}

static ir_class *
read_class(reader *r, ir_package *p)
{
	ir_class *k = vc_alloc(r->c, sizeof *k);

	k->name = get_string(r);
	k->unit = get_unit_ref(r);
	k->unit->cls = k;
	k->unit->pkg = p;
	k->is_meta = field(r, "meta");
	k->many = field(r, "many");
	k->inherited = field(r, "inherited");
	k->listed = field(r, "listed");
	k->applies = (uint16_t)field(r, "applies");
	name(r, "parents");
	LIST(r, k->parents, k->nparents, get_string(r));
	name(r, "imports");
	LIST(r, k->imports, k->nimports, get_string(r));
	expect(r, "{");
	k->meta = read_meta(r, &k->nmeta);
	while (accept(r, "property"))
		vc_push(r->c, k->props, k->nprops) = read_property(r);
	while (accept(r, "method"))
		vc_push(r->c, k->methods, k->nmethods) = read_method(r);
	expect(r, "}");
	return k;
}

/* Sorted by name, as vt_resource wants it. */
static void
read_resource(reader *r, ir_package *p)
{
	vc_resource f = {.name = get_string(r), .data = r->text, .n = r->n};

	get_string(r);
	if (p->nresources && strcmp(p->resources[p->nresources - 1].name, f.name) >= 0)
		complain(r, "resources are sorted by name, and each is given once");
	vc_push(r->c, p->resources, p->nresources) = f;
}

static void
read_package(reader *r)
{
	ir_package *p = vc_alloc(r->c, sizeof *p);

	p->name = get_string(r);
	name(r, "version");
	p->version = get_string(r);
	p->format = (uint32_t)field(r, "format");
	p->unit = get_unit_ref(r);
	p->unit->pkg = p;
	name(r, "dir");
	p->dir = get_string(r);
	p->dir = *p->dir ? p->dir : NULL;
	name(r, "require");
	expect(r, "[");
	while (!r->failed && !at(r, "]")) {
		mpl_require q = {.name = get_string(r)};
		q.spec = get_string(r);
		vc_push(r->c, p->require, p->nrequire) = q;
	}
	expect(r, "]");
	expect(r, "{");
	p->meta = read_meta(r, &p->nmeta);
	while (accept(r, "resource"))
		read_resource(r, p);
	while (accept(r, "class"))
		vc_push(r->c, p->classes, p->nclasses) = read_class(r, p);
	expect(r, "}");
	vc_push(r->c, r->m->packages, r->m->npackages) = p;
}

/* Functions that are mentioned and never given. */
static void
check_known(reader *r)
{
	for (uint32_t i = 0; i < r->nknown && !r->failed; i++)
		if (r->known[i]->n == 0)
			complain(r, vc_format(r->c, "function %s is used but not given",
					    r->known[i]->name));
}

ir_module *
ir_read(vc *c, vc_source *src)
{
	reader r = {.c = c,
		.src = src,
		.p = src->text,
		.end = src->text + src->n,
		.m = vc_alloc(c, sizeof *r.m)};

	next(&r);
	expect(&r, "vetro-ir");
	expect(&r, "1");
	while (!r.failed && r.kind != T_END) {
		if (accept(&r, "unit"))
			read_unit(&r);
		else if (accept(&r, "func"))
			read_func(&r);
		else if (accept(&r, "package"))
			read_package(&r);
		else if (accept(&r, "query"))
			r.m->query = get_ref(&r);
		else
			complain(&r, "expected unit, func, package or query");
	}
	check_known(&r);
	return r.failed ? NULL : r.m;
}

/*
 * text.c - the text form of the IR: printer and reader.  docs/IR.md describes it.
 *
 * Both are driven by the operands in ops.def, so that an op added there is printed and read.
 */
#include "compiler/base/vc.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- printer ---- */

static void
put_string(vt_buf *b, const char *s, size_t n)
{
	vt_buf_puts(b, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c == '"' || c == '\\')
			vt_buf_printf(b, "\\%c", c);
		else if (c < 32 || c == 127)
			vt_buf_printf(b, "\\x%02x", c);
		else
			vt_buf_put(b, s + i, 1);
	}
	vt_buf_puts(b, "\"");
}

static void
put_name(vt_buf *b, const char *s)
{
	put_string(b, s ? s : "", s ? strlen(s) : 0);
}

static void
put_ref(vt_buf *b, const ir_func *f)
{
	if (f == NULL) {
		vt_buf_puts(b, "any");
		return;
	}
	vt_buf_puts(b, "@");
	put_name(b, f->name);
}

static void
put_const(vt_buf *b, const ir_const *k)
{
	vt_buf r = {0};

	switch ((enum ir_const_kind)k->kind) {
	case IK_NULL: vt_buf_puts(b, "null"); break;
	case IK_TRUE: vt_buf_puts(b, "true"); break;
	case IK_FALSE: vt_buf_puts(b, "false"); break;
	case IK_NOVALUE: vt_buf_puts(b, "novalue"); break;
	case IK_INT: vt_buf_printf(b, "%lld", (long long)k->i); break;
	case IK_BIG:
		vt_buf_puts(b, "big ");
		put_string(b, k->s, k->n);
		break;
	case IK_FLOAT:
		vt_float_repr(&r, k->f);
		vt_buf_puts(b, "float ");
		put_string(b, r.p, r.n);
		vt_buf_free(&r);
		break;
	case IK_STR: put_string(b, k->s, k->n); break;
	case IK_STAMP:
		vt_buf_puts(b, "stamp ");
		put_string(b, k->s, k->n);
		break;
	}
}

static const char *const arg_kinds[] = {
	"expr", "string", "number", "bool", "nullarg", "keyword", "mapping", "omitted", "call"};

static void
put_arg(vt_buf *b, const ir_arg *a)
{
	vt_buf_printf(b, "{%s", arg_kinds[a->kind]);
	if (a->keyword) {
		vt_buf_puts(b, " name=");
		put_name(b, a->keyword);
	}
	if (a->k.kind != IK_NULL) {
		vt_buf_puts(b, " value=");
		put_const(b, &a->k);
	}
	if (a->code) {
		vt_buf_puts(b, " code=");
		put_ref(b, a->code);
	}
	if (a->key) {
		vt_buf_puts(b, " key=");
		put_arg(b, a->key);
	}
	vt_buf_puts(b, "}");
}

static void
put_site(vt_buf *b, const ir_site *s)
{
	vt_buf_puts(b, s->method ? "method " : "function ");
	put_name(b, s->name);
	vt_buf_printf(b, " at %u:%u (", s->line, s->col);
	for (uint32_t i = 0; i < s->nargs; i++) {
		vt_buf_puts(b, i ? " " : "");
		put_arg(b, &s->args[i]);
	}
	vt_buf_puts(b, ")");
}

static void
put_temp(vt_buf *b, int32_t t)
{
	if (t < 0)
		vt_buf_puts(b, "_");
	else
		vt_buf_printf(b, "%%%d", t);
}

static void
put_operand(vt_buf *b, char letter, const ir_ins *in, uint32_t *na, uint32_t *ni)
{
	switch (letter) {
	case 'a': put_temp(b, in->a[(*na)++]); break;
	case '*':
		vt_buf_puts(b, "[");
		for (uint32_t i = 0; i < in->nlist; i++) {
			vt_buf_puts(b, i ? " " : "");
			put_temp(b, in->list[i]);
		}
		vt_buf_puts(b, "]");
		break;
	case 'v': vt_buf_printf(b, "$%d", in->var); break;
	case 'n': put_name(b, in->name); break;
	case 'k': put_const(b, &in->k); break;
	case 'l': vt_buf_printf(b, "L%d", in->label); break;
	case 'f': put_ref(b, in->f); break;
	case 'F':
		vt_buf_puts(b, "[");
		for (uint32_t i = 0; i < in->nfs; i++) {
			vt_buf_puts(b, i ? " " : "");
			put_ref(b, in->fs[i]);
		}
		vt_buf_puts(b, "]");
		break;
	case 's': put_site(b, in->site); break;
	case 'i': vt_buf_printf(b, "%lld", (long long)in->i[(*ni)++]); break;
	case 'N':
		vt_buf_puts(b, "[");
		for (uint32_t i = 0; i < in->nnames; i++) {
			vt_buf_puts(b, i ? " " : "");
			put_name(b, in->names[i]);
		}
		vt_buf_puts(b, "]");
		break;
	case 'P':
		vt_buf_puts(b, "[");
		for (uint32_t i = 0; i < in->nstages; i++) {
			vt_buf_puts(b, i ? " " : "");
			put_name(b, ir_stages[in->stages[i]]);
		}
		vt_buf_puts(b, "]");
		break;
	case 'K':
		vt_buf_puts(b, "[");
		for (uint32_t i = 0; i < in->nks; i++) {
			vt_buf_puts(b, i ? " " : "");
			put_const(b, &in->ks[i]);
		}
		vt_buf_puts(b, "]");
		break;
	}
}

/* What a pass has to say, as a comment; ends the line. */
static void
put_notes(vc *c, vt_buf *b, const void *what)
{
	const char *text, *sep = " # ";

	for (uint32_t k = 0; (text = vc_pass_noted(c, what, &k)) != NULL; sep = "; ")
		vt_buf_printf(b, "%s%s", sep, text);
	vt_buf_puts(b, "\n");
}

static void
put_ins(vc *c, vt_buf *b, const ir_ins *in)
{
	uint32_t na = 0, ni = 0;

	if (in->op == IR_LABEL) {
		vt_buf_printf(b, "label L%d", in->label);
		put_notes(c, b, in);
		return;
	}
	vt_buf_puts(b, "\t");
	if (in->d >= 0)
		vt_buf_printf(b, "%%%d = ", in->d);
	vt_buf_puts(b, ir_ops[in->op].name);
	for (const char *s = ir_ops[in->op].sig; *s; s++) {
		if (*s == 'd')
			continue;
		vt_buf_puts(b, " ");
		put_operand(b, *s, in, &na, &ni);
	}
	if (in->op == IR_POS) {
		vt_buf_puts(b, " ");
		put_name(b, in->name);
	}
	put_notes(c, b, in);
}

static const char *const func_kinds[] = {"method", "code", "contract"};

static void
put_func(vc *c, vt_buf *b, const ir_func *f)
{
	vt_buf_puts(b, "func ");
	put_ref(b, f);
	vt_buf_printf(b,
		" %s unit=%u params=%u temps=%d labels=%d boxed=%d leaf=%d line=%u col=%u vars=[",
		func_kinds[f->kind], f->unit->index, f->nparams, f->ntemps, f->nlabels, f->boxed,
		f->leaf, f->line, f->col);
	for (uint32_t i = 0; i < f->nvars; i++) {
		vt_buf_puts(b, i ? " " : "");
		put_name(b, f->vars[i]);
	}
	vt_buf_puts(b, "]");
	if (f->base) {
		vt_buf_puts(b, " base=");
		put_ref(b, f->base);
	}
	if (f->sides[0]) {
		vt_buf_puts(b, " left=");
		put_ref(b, f->sides[0]);
		vt_buf_puts(b, " right=");
		put_ref(b, f->sides[1]);
	}
	if (f->source) {
		vt_buf_puts(b, " source=");
		put_name(b, f->source);
	}
	vt_buf_puts(b, " {");
	put_notes(c, b, f);
	for (uint32_t i = 0; i < f->n; i++)
		put_ins(c, b, &f->ins[i]);
	vt_buf_puts(b, "}\n");
}

static void
put_meta(vt_buf *b, const char *indent, const ir_meta *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		vt_buf_printf(b, "%smeta ", indent);
		put_name(b, m[i].name);
		vt_buf_puts(b, " ");
		put_ref(b, m[i].properties);
		vt_buf_puts(b, "\n");
	}
}

static void
put_names(vt_buf *b, const char *what, const char *const *s, uint32_t n)
{
	vt_buf_printf(b, " %s=[", what);
	for (uint32_t i = 0; i < n; i++) {
		vt_buf_puts(b, i ? " " : "");
		put_name(b, s[i]);
	}
	vt_buf_puts(b, "]");
}

/* `default` is told apart from `any`: a missing default is `none`. */
static void
put_default(vt_buf *b, const ir_func *f)
{
	if (f)
		put_ref(b, f);
	else
		vt_buf_puts(b, "none");
}

static void
put_member(vt_buf *b, const ir_func *contract, const ir_func *dflt)
{
	vt_buf_puts(b, " contract=");
	put_ref(b, contract);
	vt_buf_puts(b, " default=");
	put_default(b, dflt);
}

static void
put_class(vt_buf *b, const ir_class *c)
{
	vt_buf_puts(b, "\tclass ");
	put_name(b, c->name);
	vt_buf_printf(b, " unit=%u meta=%d many=%d inherited=%d listed=%d applies=%u",
		c->unit->index, c->is_meta, c->many, c->inherited, c->listed, c->applies);
	put_names(b, "parents", c->parents, c->nparents);
	put_names(b, "imports", c->imports, c->nimports);
	vt_buf_puts(b, " {\n");
	put_meta(b, "\t\t", c->meta, c->nmeta);
	for (uint32_t i = 0; i < c->nprops; i++) {
		const ir_prop *p = &c->props[i];
		vt_buf_puts(b, "\t\tproperty ");
		put_name(b, p->name);
		vt_buf_printf(b, " usage=%u line=%u col=%u", p->usage, p->line, p->col);
		put_member(b, p->contract, p->dflt);
		vt_buf_puts(b, " {\n");
		put_meta(b, "\t\t\t", p->meta, p->nmeta);
		vt_buf_puts(b, "\t\t}\n");
	}
	for (uint32_t i = 0; i < c->nmethods; i++) {
		const ir_method *m = &c->methods[i];
		vt_buf_puts(b, "\t\tmethod ");
		put_name(b, m->name);
		vt_buf_printf(b, " usage=%u public=%d line=%u col=%u body=", m->usage, m->is_public,
			m->line, m->col);
		put_default(b, m->body);
		vt_buf_puts(b, " {\n");
		put_meta(b, "\t\t\t", m->meta, m->nmeta);
		for (uint32_t k = 0; k < m->nparams; k++) {
			const ir_param *p = &m->params[k];
			vt_buf_puts(b, "\t\t\tparam ");
			put_name(b, p->name);
			vt_buf_printf(b, " usage=%u", p->usage);
			put_member(b, p->contract, p->dflt);
			vt_buf_puts(b, " {\n");
			put_meta(b, "\t\t\t\t", p->meta, p->nmeta);
			vt_buf_puts(b, "\t\t\t}\n");
		}
		vt_buf_puts(b, "\t\t}\n");
	}
	vt_buf_puts(b, "\t}\n");
}

static void
put_unit(vt_buf *b, const ir_unit *u)
{
	const ir_options *o = &u->opt;

	vt_buf_printf(b, "unit %u file=", u->index);
	put_name(b, u->file);
	vt_buf_printf(b,
		" layers=%u version=%u limit=%lld quota=%lld tuples=%d sets=%d dicts=%d input=%d "
		"output=%d prefixes=[",
		u->layers, u->version, (long long)o->limit_iterators, (long long)o->memory_quota,
		o->tuples_to_lists, o->sets_to_lists, o->iterable_dicts, o->convert_input,
		o->convert_output);
	for (uint32_t i = 0; i < u->nprefixes; i++) {
		vt_buf_puts(b, i ? " " : "");
		put_name(b, u->prefixes[i].prefix);
		vt_buf_puts(b, " ");
		put_name(b, u->prefixes[i].ns);
	}
	vt_buf_puts(b, "]\n");
}

/* As text where it is UTF-8, which leaves it readable; else each byte as \xhh. */
static void
put_resource(vt_buf *b, const vc_resource *r)
{
	bool text = vt_utf8_check(r->data, r->n) == r->n;

	vt_buf_puts(b, "\tresource ");
	put_name(b, r->name);
	vt_buf_puts(b, " ");
	if (text) {
		put_string(b, r->data, r->n);
	} else {
		vt_buf_puts(b, "\"");
		for (size_t i = 0; i < r->n; i++)
			vt_buf_printf(b, "\\x%02x", (unsigned)(unsigned char)r->data[i]);
		vt_buf_puts(b, "\"");
	}
	vt_buf_puts(b, "\n");
}

static void
put_package(vt_buf *b, const ir_package *p)
{
	vt_buf_puts(b, "package ");
	put_name(b, p->name);
	vt_buf_puts(b, " version=");
	put_name(b, p->version);
	vt_buf_printf(b, " format=%u unit=%u dir=", p->format, p->unit->index);
	put_name(b, p->dir ? p->dir : "");
	vt_buf_puts(b, " require=[");
	for (uint32_t i = 0; i < p->nrequire; i++) {
		vt_buf_puts(b, i ? " " : "");
		put_name(b, p->require[i].name);
		vt_buf_puts(b, " ");
		put_name(b, p->require[i].spec);
	}
	vt_buf_puts(b, "] {\n");
	put_meta(b, "\t", p->meta, p->nmeta);
	for (uint32_t i = 0; i < p->nresources; i++)
		put_resource(b, &p->resources[i]);
	for (uint32_t i = 0; i < p->nclasses; i++)
		put_class(b, p->classes[i]);
	vt_buf_puts(b, "}\n");
}

void
ir_print(vc *c, vt_buf *b, const ir_module *m)
{
	vt_buf_puts(b, "vetro-ir 1\n");
	for (uint32_t i = 0; i < m->nunits; i++) {
		m->units[i]->index = i;
		put_unit(b, m->units[i]);
	}
	for (uint32_t i = 0; i < m->nfuncs; i++)
		put_func(c, b, m->funcs[i]);
	for (uint32_t i = 0; i < m->npackages; i++)
		put_package(b, m->packages[i]);
	if (m->query) {
		vt_buf_puts(b, "query ");
		put_ref(b, m->query);
		vt_buf_puts(b, "\n");
	}
}

/* ---- reader ---- */

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
	r->text = vc_strndup(r->c, b.p ? b.p : "", b.n);
	r->n = b.n;
	vt_buf_free(&b);
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
		r->value = strtoll(r->text, &stop, 10);
		r->kind = *stop == '\0' && r->n > 0 && r->n < 20 ? T_INT : T_WORD;
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
field(reader *r, const char *name)
{
	expect(r, name);
	expect(r, "=");
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
	while (kind < VC_LEN(arg_kinds) && !at(r, arg_kinds[kind]))
		kind++;
	if (kind == VC_LEN(arg_kinds) || depth > 50) {
		complain(r, "unknown kind of argument");
		return a;
	}
	a.kind = (uint8_t)kind;
	next(r);
	if (accept(r, "name")) {
		expect(r, "=");
		a.keyword = get_string(r);
	}
	if (accept(r, "value")) {
		expect(r, "=");
		a.k = get_const(r);
	}
	if (accept(r, "code")) {
		expect(r, "=");
		a.code = get_ref(r);
	}
	if (accept(r, "key")) {
		expect(r, "=");
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

static void
read_func(reader *r)
{
	ir_func *f = get_ref(r);
	uint32_t kind = 0;

	if (f == NULL || f->n) {
		complain(r, "a function without a name, or given twice");
		return;
	}
	while (kind < VC_LEN(func_kinds) && !accept(r, func_kinds[kind]))
		kind++;
	if (kind == VC_LEN(func_kinds)) {
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
	expect(r, "vars");
	expect(r, "=");
	LIST(r, f->vars, f->nvars, get_string(r));
	if (accept(r, "base")) {
		expect(r, "=");
		f->base = get_ref(r);
	}
	if (accept(r, "left")) {
		expect(r, "=");
		f->sides[0] = get_ref(r);
		expect(r, "right");
		expect(r, "=");
		f->sides[1] = get_ref(r);
	}
	if (accept(r, "source")) {
		expect(r, "=");
		f->source = get_string(r);
	}
	if (f->ntemps < 0 || f->nlabels < 0 || f->ntemps > 1000000 || f->nlabels > 10000000)
		complain(r, "temps or labels out of range");
	expect(r, "{");
	while (!r->failed && !at(r, "}"))
		vc_push(r->c, f->ins, f->n) = get_ins(r);
	expect(r, "}");
	vc_push(r->c, r->m->funcs, r->m->nfuncs) = f;
}

static void
read_unit(reader *r)
{
	ir_unit *u = vc_alloc(r->c, sizeof *u);

	u->index = (uint32_t)get_int(r);
	expect(r, "file");
	expect(r, "=");
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
	expect(r, "prefixes");
	expect(r, "=");
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

static void
read_member(reader *r, ir_func **contract, ir_func **dflt)
{
	expect(r, "contract");
	expect(r, "=");
	*contract = get_ref(r);
	expect(r, "default");
	expect(r, "=");
	*dflt = get_ref(r);
	expect(r, "{");
}

static ir_prop
read_property(reader *r)
{
	ir_prop p = {.name = get_string(r)};

	p.usage = (uint8_t)field(r, "usage");
	p.line = (uint32_t)field(r, "line");
	p.col = (uint32_t)field(r, "col");
	read_member(r, &p.contract, &p.dflt);
	p.meta = read_meta(r, &p.nmeta);
	expect(r, "}");
	return p;
}

static ir_param
read_param(reader *r)
{
	ir_param p = {.name = get_string(r)};

	p.usage = (uint8_t)field(r, "usage");
	read_member(r, &p.contract, &p.dflt);
	p.meta = read_meta(r, &p.nmeta);
	expect(r, "}");
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
	expect(r, "body");
	expect(r, "=");
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
	expect(r, "parents");
	expect(r, "=");
	LIST(r, k->parents, k->nparents, get_string(r));
	expect(r, "imports");
	expect(r, "=");
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
	expect(r, "version");
	expect(r, "=");
	p->version = get_string(r);
	p->format = (uint32_t)field(r, "format");
	p->unit = get_unit_ref(r);
	p->unit->pkg = p;
	expect(r, "dir");
	expect(r, "=");
	p->dir = get_string(r);
	p->dir = *p->dir ? p->dir : NULL;
	expect(r, "require");
	expect(r, "=");
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

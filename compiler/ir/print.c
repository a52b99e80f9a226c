/*
 * print.c - prints the text form of the IR, which docs/IR.md describes.  read.c reads it.
 *
 * An op is printed by its operands in ops.def.
 */
#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/text.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <string.h>

static void
put_name(vt_buf *b, const char *s)
{
	vc_put_quoted(b, s ? s : "", s ? strlen(s) : 0);
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
		vc_put_quoted(b, k->s, k->n);
		break;
	case IK_FLOAT:
		vt_float_repr(&r, k->f);
		vt_buf_puts(b, "float ");
		vc_put_quoted(b, r.p, r.n);
		vt_buf_free(&r);
		break;
	case IK_STR: vc_put_quoted(b, k->s, k->n); break;
	case IK_STAMP:
		vt_buf_puts(b, "stamp ");
		vc_put_quoted(b, k->s, k->n);
		break;
	}
}

const char *const ir_arg_kinds[IR_NARG_KINDS] = {
	"expr", "string", "number", "bool", "nullarg", "keyword", "mapping", "omitted", "call"};

static void
put_arg(vt_buf *b, const ir_arg *a)
{
	vt_buf_printf(b, "{%s", ir_arg_kinds[a->kind]);
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

const char *const ir_func_kinds[IR_NFUNC_KINDS] = {"method", "code", "contract"};

static void
put_func(vc *c, vt_buf *b, const ir_func *f)
{
	vt_buf_puts(b, "func ");
	put_ref(b, f);
	vt_buf_printf(b,
		" %s unit=%u params=%u temps=%d labels=%d boxed=%d leaf=%d line=%u col=%u vars=[",
		ir_func_kinds[f->kind], f->unit->index, f->nparams, f->ntemps, f->nlabels, f->boxed,
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

/* `default` is distinguished from `any`: a missing default is `none`. */
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
		vc_put_quoted(b, r->data, r->n);
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

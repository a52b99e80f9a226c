/*
 * form_schema.c - contracts as JSON schema, draft 4: muranopl-forms.txt, "Schema generation".
 *
 * A contract's IR is read with another meaning: each op takes the schema made so far and gives the
 *next. What comes out is text, constant data of the binary.  A value that only the running program
 *knows (check($ in $this.choices())) is left as an entry of
 *
 *	"$codes": [[KEY, NUMBER, ADD, {MORE}], ...]
 *
 * the binary puts what code NUMBER gives, plus ADD, under KEY, and the members of MORE beside it;
 *or leaves the entry out when the code fails.  runtime/program/form_schema.c does that, and adds
 *what metadata says.
 */
#include "compiler/base/base.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"
#include "compiler/murano/ast.h"
#include "runtime/text/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
	const char *key, *text;
} member;

/* One schema under construction. */
typedef struct node {
	const char *type; /* or NULL: anything */
	bool compound;    /* object, array: no null */
	bool not_null;
	member *members;
	uint32_t n;
	const char **codes; /* entries of "$codes" */
	uint32_t ncodes;
	const char **names; /* context: members of an object, and what is known of them */
	struct node **kids;
	uint32_t nkids, nnames;
} node;

/* The schema of one property or parameter. */
typedef struct maker {
	vc *c;
	const ir_module *m;
	ir_schema *out;
	uint32_t depth;
	const ir_func *of; /* whose definitions `at` has */
	const ir_ins **at;
} maker;

static node *of_contract(maker *, const ir_func *);
static void put_node(maker *, vt_buf *, const node *);

static const char *
json(vc *c, const char *s)
{
	vt_buf b = {0};

	vt_put_json_repaired(&b, s, strlen(s));
	return vc_take(c, &b);
}

/* ---- constants --------------------------------------------------------------------------- */

enum value_kind { V_NONE, V_NULL, V_BOOL, V_INT, V_NUMBER, V_STR, V_LIST, V_MAP };

static bool
put_float(vt_buf *b, double d)
{
	char s[40];
	int digits = 15;

	if (d != d || d - d != 0)
		return false;
	do
		snprintf(s, sizeof s, "%.*g", digits, d);
	while (strtod(s, NULL) != d && ++digits <= 17);
	vt_buf_puts(b, s);
	vt_buf_puts(b, strpbrk(s, ".e") ? "" : ".0");
	return true;
}

static enum value_kind
put_const(vt_buf *b, const ir_const *k)
{
	switch ((enum ir_const_kind)k->kind) {
	case IK_NULL: return vt_buf_puts(b, "null"), V_NULL;
	case IK_TRUE: return vt_buf_puts(b, "true"), V_BOOL;
	case IK_FALSE: return vt_buf_puts(b, "false"), V_BOOL;
	case IK_NOVALUE: return V_NONE;
	case IK_INT: return vt_buf_printf(b, "%lld", (long long)k->i), V_INT;
	case IK_BIG: return vt_buf_put(b, k->s, k->n), V_INT;
	case IK_FLOAT: return put_float(b, k->f) ? V_NUMBER : V_NONE;
	case IK_STR: return vt_put_json_repaired(b, k->s, k->n), V_STR;
	case IK_STAMP: return V_NONE;
	}
	return V_NONE;
}

/* A table of the ops that define a body's temporaries, where only one can have; NULL for bodies
 * with jumps. */
static const ir_ins **
definitions(vc *c, const ir_func *f)
{
	const ir_ins **at = vc_alloc(c, sizeof *at * ((size_t)f->ntemps + 1));
	static const ir_ins twice = {.op = IR_NOPS};

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_LABEL)
			return NULL;
		if (in->d >= 0)
			at[in->d] = at[in->d] ? &twice : in;
	}
	return at;
}

static const ir_ins *
origin(maker *k, const ir_func *f, int32_t t)
{
	if (k->of != f) {
		k->of = f;
		k->at = definitions(k->c, f);
	}
	return t >= 0 && k->at ? k->at[t] : NULL;
}

static enum value_kind put_temp(maker *, vt_buf *, const ir_func *, int32_t t);

static enum value_kind
put_list(maker *k, vt_buf *b, const ir_func *f, const ir_ins *in)
{
	vt_buf_puts(b, "[");
	for (uint32_t i = 0; i < in->nlist; i++) {
		vt_buf_puts(b, i ? "," : "");
		if (!put_temp(k, b, f, in->list[i]))
			return V_NONE;
	}
	vt_buf_puts(b, "]");
	return V_LIST;
}

/* JSON knows text as keys only, and readers dislike a key twice. */
static enum value_kind
put_map(maker *k, vt_buf *b, const ir_func *f, const ir_ins *in)
{
	vt_buf_puts(b, "{");
	for (uint32_t i = 0; i + 1 < in->nlist; i += 2) {
		const ir_ins *key = origin(k, f, in->list[i]);
		vt_buf_puts(b, i ? "," : "");
		if (key == NULL || key->op != IR_CONST || put_const(b, &key->k) != V_STR)
			return V_NONE;
		vt_buf_puts(b, ":");
		if (!put_temp(k, b, f, in->list[i + 1]))
			return V_NONE;
	}
	vt_buf_puts(b, "}");
	return V_MAP;
}

/* V_NONE, with rubbish in b: the temporary is no constant. */
static enum value_kind
put_temp(maker *k, vt_buf *b, const ir_func *f, int32_t t)
{
	const ir_ins *in = origin(k, f, t);
	enum value_kind v = V_NONE;

	if (in == NULL || ++k->depth > k->c->limit.max_depth)
		return V_NONE;
	if (in->op == IR_CONST)
		v = put_const(b, &in->k);
	else if (in->op == IR_FINAL)
		v = put_temp(k, b, f, in->a[0]);
	else if (in->op == IR_LIST)
		v = put_list(k, b, f, in);
	else if (in->op == IR_MAP)
		v = put_map(k, b, f, in);
	k->depth--;
	return v;
}

/* What a body returns, as JSON; NULL when it is no constant. */
static const char *
constant(maker *k, const ir_func *f, enum value_kind *kind)
{
	vt_buf b = {0};
	const char *text;

	k->depth = 0;
	*kind = f->n && f->ins[f->n - 1].op == IR_RET ? put_temp(k, &b, f, f->ins[f->n - 1].a[0])
						      : V_NONE;
	text = vc_take(k->c, &b);
	return *kind ? text : NULL;
}

/* ---- nodes ---- */

static void
set(maker *k, node *s, const char *key, const char *text)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (strcmp(s->members[i].key, key) == 0) {
			s->members[i].text = text;
			return;
		}
	vc_push(k->c, s->members, s->n) = (member){key, text};
}

static void
put_type(vt_buf *b, const node *s)
{
	if (s->compound || s->not_null)
		vt_buf_printf(b, "\"type\":\"%s\"", s->type);
	else
		vt_buf_printf(b, "\"type\":[\"%s\",\"null\"]", s->type);
}

static void
put_kids(maker *k, vt_buf *b, const node *s)
{
	vt_buf_puts(b, "\"properties\":{");
	for (uint32_t i = 0; i < s->nkids; i++) {
		vt_buf_printf(b, "%s%s:", i ? "," : "", json(k->c, s->names[i]));
		put_node(k, b, s->kids[i]);
	}
	vt_buf_puts(b, "}");
}

static void
put_node(maker *k, vt_buf *b, const node *s)
{
	const char *comma = "";

	vt_buf_puts(b, "{");
	if (s->type) {
		put_type(b, s);
		comma = ",";
	}
	for (uint32_t i = 0; i < s->n; i++, comma = ",")
		vt_buf_printf(b, "%s\"%s\":%s", comma, s->members[i].key, s->members[i].text);
	if (s->ncodes) {
		vt_buf_printf(b, "%s\"$codes\":[", comma);
		for (uint32_t i = 0; i < s->ncodes; i++)
			vt_buf_printf(b, "%s%s", i ? "," : "", s->codes[i]);
		vt_buf_puts(b, "]");
		comma = ",";
	}
	if (s->nkids) {
		vt_buf_printf(b, s->type ? "%s\"context\":{" : "%s", comma);
		put_kids(k, b, s);
		vt_buf_puts(b, s->type ? "}" : "");
	}
	vt_buf_puts(b, "}");
}

static const char *
node_text(maker *k, const node *s)
{
	vt_buf b = {0};

	put_node(k, &b, s);
	return vc_take(k->c, &b);
}

static const char *
schema_text(maker *k, const ir_func *contract)
{
	return node_text(k, of_contract(k, contract));
}

/* ---- check() ---- */

static const struct pattern {
	const char *op;
	bool len;
	const char *key;
	int add;
	const char *more_key, *more;
	uint16_t kinds;
} patterns[] = {
#define NUMBERS (1 << V_INT | 1 << V_NUMBER)
	{">", false, "minimum", 0, "exclusiveMinimum", "true", NUMBERS},
	{">=", false, "minimum", 0, "exclusiveMinimum", "false", NUMBERS},
	{"<", false, "maximum", 0, "exclusiveMaximum", "true", NUMBERS},
	{"<=", false, "maximum", 0, "exclusiveMaximum", "false", NUMBERS},
	{">", true, "minLength", 1, NULL, NULL, 1 << V_INT},
	{">=", true, "minLength", 0, NULL, NULL, 1 << V_INT},
	{"<", true, "maxLength", -1, NULL, NULL, 1 << V_INT},
	{"<=", true, "maxLength", 0, NULL, NULL, 1 << V_INT},
	{"in", false, "enum", 0, NULL, NULL, 1 << V_LIST},
	{"matches", false, "pattern", 0, NULL, NULL, 1 << V_STR},
#undef NUMBERS
};

static const struct pattern *
find_pattern(const char *op, bool len)
{
	for (size_t i = 0; i < VC_LEN(patterns); i++)
		if (patterns[i].len == len && strcmp(patterns[i].op, op) == 0)
			return &patterns[i];
	return NULL;
}

static node *
kid(maker *k, node *s, const char *name, size_t n)
{
	node *x;

	for (uint32_t i = 0; i < s->nkids; i++)
		if (strlen(s->names[i]) == n && memcmp(s->names[i], name, n) == 0)
			return s->kids[i];
	x = vc_alloc(k->c, sizeof *x);
	vc_push(k->c, s->names, s->nnames) = vc_strndup(k->c, name, n);
	vc_push(k->c, s->kids, s->nkids) = x;
	return x;
}

/* The node that `$.a.b` means: the value's own, or one of its context. */
static node *
at_path(maker *k, node *s, const char *path, size_t n)
{
	while (n > 1 && *path != '\0') {
		const char *name = path + 2; /* behind "$." or "x." */
		size_t len = strcspn(name, ". )");
		s = kid(k, s, name, len);
		n -= len + 1;
		path = name + len - 1;
	}
	return s;
}

static void
set_constant(maker *k, node *s, const struct pattern *p, const char *text, enum value_kind kind)
{
	if (!(p->kinds >> kind & 1))
		return;
	if (p->len) {
		long long n = strlen(text) < 18 ? atoll(text) + p->add : -1;
		if (n < 0)
			return;
		text = vc_format(k->c, "%lld", n);
	}
	if (strcmp(p->key, "enum") == 0 && strcmp(text, "[]") == 0)
		return; /* which draft 4 does not allow */
	set(k, s, p->key, text);
	if (p->more)
		set(k, s, p->more_key, p->more);
}

static void
set_code(maker *k, node *s, const struct pattern *p, ir_func *f)
{
	const char *more = p->more ? vc_format(k->c, "{\"%s\":%s}", p->more_key, p->more) : "{}";

	vc_push(k->c, s->codes, s->ncodes) =
		vc_format(k->c, "[\"%s\",%u,%d,%s]", p->key, k->out->ncodes, p->add, more);
	vc_push(k->c, k->out->codes, k->out->ncodes) = f;
	f->idle = false;
}

/* `TARGET OP` of lower/form_check.c. */
static void
apply_pattern(maker *k, node *s, const char *name, ir_func *f)
{
	bool len = strncmp(name, "len(", 4) == 0;
	const char *path = len ? name + 4 : name, *op = strrchr(name, ' ');
	const struct pattern *p = op ? find_pattern(op + 1, len) : NULL;
	size_t n = strcspn(path, " )");
	enum value_kind kind;
	const char *text;

	if (p == NULL || path[0] != '$' ||
		(n > 1 && !(s->type && strcmp(s->type, "muranoObject") == 0)))
		return;
	if (n == 1 && p->len && s->type && strcmp(s->type, "string") != 0)
		return;
	s = at_path(k, s, path, n);
	text = constant(k, f, &kind);
	if (text)
		set_constant(k, s, p, text, kind);
	else
		set_code(k, s, p, f);
}

/* ---- class(), template() ---- */

static const char *
namespace_of(const ir_unit *u, const char *prefix, size_t n)
{
	for (uint32_t i = 0; i < u->nprefixes; i++)
		if (strlen(u->prefixes[i].prefix) == n &&
			memcmp(u->prefixes[i].prefix, prefix, n) == 0)
			return u->prefixes[i].ns;
	return NULL;
}

/* ns:Name, :Name or Name as written in the unit; NULL when the prefix is unknown. */
static const char *
full_name(vc *c, const ir_unit *u, const char *name)
{
	const char *colon = strchr(name, ':'), *local = colon ? colon + 1 : name, *ns;

	if (colon && colon != name)
		ns = namespace_of(u, name, (size_t)(colon - name));
	else if (!colon && strchr(name, '.'))
		return name;
	else if ((ns = namespace_of(u, "=", 1)) == NULL)
		ns = "";
	if (ns == NULL)
		return NULL;
	return *ns ? vc_format(c, "%s.%s", ns, local) : local;
}

static const char *
type_name(maker *k, const ir_func *f, int32_t t)
{
	const ir_ins *in = origin(k, f, t);

	if (in && in->op == IR_TYPEREF)
		return full_name(k->c, f->unit, in->name);
	return in && in->op == IR_CONST && in->k.kind == IK_STR ? full_name(k->c, f->unit, in->k.s)
								: NULL;
}

static bool
declares(const ir_package *p, const char *name)
{
	for (uint32_t i = 0; i < p->nclasses; i++)
		if (strcmp(p->classes[i]->name, name) == 0)
			return true;
	return false;
}

/* What the manifest says of the package that has the class; NULL for one's own package, or when it
 * says nothing. */
static const char *
required_version(maker *k, const ir_unit *u, const char *name)
{
	const ir_package *own = u->pkg;

	if (own == NULL || declares(own, name))
		return NULL;
	for (uint32_t i = 0; i < own->nrequire; i++) {
		const mpl_require *r = &own->require[i];
		for (uint32_t j = 0; r->spec && *r->spec && j < k->m->npackages; j++)
			if (strcmp(k->m->packages[j]->name, r->name) == 0 &&
				declares(k->m->packages[j], name))
				return r->spec;
	}
	return NULL;
}

static void
make_object(maker *k, node *s, const ir_func *f, const ir_ins *in)
{
	const char *name = type_name(k, f, in->a[1]), *version = NULL;
	const ir_ins *given = origin(k, f, in->a[3]);
	vt_buf b = {0};

	s->type = "muranoObject";
	if (name) {
		set(k, s, "muranoType", json(k->c, name));
		version = required_version(k, f->unit, name);
	}
	if (given && given->op == IR_CONST && given->k.kind == IK_STR)
		version = given->k.s;
	if (version)
		set(k, s, "version", json(k->c, version));
	if (in->op != IR_CTEMPLATE)
		return;
	set(k, s, "owned", "true");
	if (put_temp(k, &b, f, in->a[4]) == V_LIST)
		set(k, s, "excludedProperties", vc_strndup(k->c, b.p, b.n));
	vt_buf_free(&b);
}

/* ---- the ops ---- */

static void
make_list(maker *k, node *s, const ir_ins *in)
{
	const char *last = NULL;
	vt_buf b = {0};

	s->type = "array";
	s->compound = true;
	for (uint32_t i = 0; i < in->nfs; i++) {
		last = schema_text(k, in->fs[i]);
		vt_buf_printf(&b, "%s%s", i ? "," : "", last);
	}
	const char *all = vc_take(k->c, &b);
	if (in->nfs == 1)
		set(k, s, "items", all);
	if (in->nfs > 1) {
		set(k, s, "items", vc_format(k->c, "[%s]", all));
		set(k, s, "additionalItems", last);
	}
	if (in->i[0] > 0)
		set(k, s, "minItems", vc_format(k->c, "%lld", (long long)in->i[0]));
	if (in->i[1] >= 0)
		set(k, s, "maxItems", vc_format(k->c, "%lld", (long long)in->i[1]));
}

static void
make_dict(maker *k, node *s, const ir_ins *in)
{
	vt_buf b = {0};
	uint32_t n = 0;

	s->type = "object";
	s->compound = true;
	vt_buf_puts(&b, "{");
	for (uint32_t i = 0; i < in->nks; i++) {
		if (in->ks[i].kind != IK_STR)
			continue; /* a key that JSON does not know */
		vt_buf_puts(&b, n++ ? "," : "");
		vt_put_json_repaired(&b, in->ks[i].s, in->ks[i].n);
		vt_buf_printf(&b, ":%s", schema_text(k, in->fs[i]));
	}
	vt_buf_puts(&b, "}");
	set(k, s, "properties", vc_take(k->c, &b));
	/* {} lets every dict through; a key that is an expression says what its values are */
	set(k, s, "additionalProperties",
		in->i[0] && in->nfs == in->nks + 2 ? schema_text(k, in->fs[in->nks + 1])
		: in->nks == 0 && in->i[0] == 0    ? "true"
						   : "false");
}

static void
make_const(maker *k, node *s, const ir_ins *in)
{
	vt_buf b = {0};

	if (put_const(&b, &in->k))
		set(k, s, "enum", vc_format(k->c, "[%.*s]", (int)b.n, b.p));
	vt_buf_free(&b);
}

static node *
base_of(maker *k, node **at, const ir_func *f, const ir_ins *in)
{
	int32_t t = in->a[0];

	return t >= 0 && t < f->ntemps && at[t] ? at[t] : vc_alloc(k->c, sizeof(node));
}

/* Each op changes its node in place: a chain has no other user. */
static void
apply(maker *k, node **at, const ir_func *f, const ir_ins *in)
{
	bool known =
		ir_ops[in->op].group == IR_G_CONTRACT || in->op == IR_INPUT || in->op == IR_FINAL;
	node *s;

	if (!known)
		return; /* ops of expressions: nothing is known of what they give */
	s = base_of(k, at, f, in);
	switch (in->op) {
	case IR_CSTRING: s->type = "string"; break;
	case IR_CINT: s->type = "integer"; break;
	case IR_CBOOL: s->type = "boolean"; break;
	case IR_CNOTNULL: s->not_null = true; break;
	case IR_COWNED: set(k, s, "owned", "true"); break;
	case IR_CNOTOWNED: set(k, s, "owned", "false"); break;
	case IR_CCHECK:
		for (uint32_t i = 0; i < in->nfs; i++)
			apply_pattern(k, s, in->names[i], in->fs[i]);
		break;
	case IR_CCLASS:
	case IR_CTEMPLATE: make_object(k, s, f, in); break;
	case IR_CCONST: make_const(k, s, in); break;
	case IR_CLIST: make_list(k, s, in); break;
	case IR_CDICT: make_dict(k, s, in); break;
	case IR_INPUT:
	case IR_FINAL: break;
	}
	if (in->d >= 0)
		at[in->d] = s;
}

static node *
of_contract(maker *k, const ir_func *f)
{
	const ir_ins *ret;
	node **at;

	if (f == NULL)
		return vc_alloc(k->c, sizeof(node));
	at = vc_alloc(k->c, sizeof *at * ((size_t)f->ntemps + 1));
	for (uint32_t i = 0; i < f->n; i++)
		apply(k, at, f, &f->ins[i]);
	ret = f->n ? &f->ins[f->n - 1] : NULL;
	return ret && ret->op == IR_RET ? base_of(k, at, f, ret) : vc_alloc(k->c, sizeof(node));
}

/* A form is filled in once: what makes objects, waits, or is another thing each time is left to the
 * program. */
static bool
is_repeatable(const ir_func *f)
{
	static const char *const others[] = {
		"new", "now", "random", "randoms", "randomName", "sleep", "call", "decryptData"};

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		for (size_t k = 0; in->site && k < VC_LEN(others); k++)
			if (strcmp(in->site->name, others[k]) == 0)
				return false;
		for (uint32_t k = 0; in->site && k < in->site->nargs; k++)
			if (in->site->args[k].code && !is_repeatable(in->site->args[k].code))
				return false;
		for (uint32_t k = 0; k < in->nfs; k++)
			if (in->fs[k] && !is_repeatable(in->fs[k]))
				return false;
		if (in->f && !is_repeatable(in->f))
			return false;
	}
	return true;
}

static ir_schema *
make_schema(vc *c, const ir_module *m, const ir_func *contract, ir_func *dflt)
{
	maker k = {.c = c, .m = m, .out = vc_alloc(c, sizeof(ir_schema))};
	node *s = of_contract(&k, contract);
	enum value_kind kind;
	const char *text = dflt ? constant(&k, dflt, &kind) : NULL;

	if (text) {
		set(&k, s, "default", text);
	} else if (dflt && is_repeatable(dflt)) {
		vc_push(c, s->codes, s->ncodes) =
			vc_format(c, "[\"default\",%u,0,{}]", k.out->ncodes);
		vc_push(c, k.out->codes, k.out->ncodes) = dflt;
	}
	k.out->text = node_text(&k, s);
	return k.out;
}

static void
class_schemas(vc *c, const ir_module *m, ir_class *x)
{
	for (uint32_t i = 0; i < x->nprops; i++)
		if (x->props[i].usage == MPL_IN || x->props[i].usage == MPL_INOUT)
			x->props[i].schema =
				make_schema(c, m, x->props[i].contract, x->props[i].dflt);
	for (uint32_t i = 0; i < x->nmethods; i++) {
		ir_method *f = &x->methods[i];
		for (uint32_t j = 0; j < f->nparams; j++)
			if (f->is_public || f->usage == MPL_M_ACTION)
				f->params[j].schema =
					make_schema(c, m, f->params[j].contract, f->params[j].dflt);
	}
}

/* Only schemas use these codes; set_code() takes back those that it leaves to the program. */
static void
park_patterns(ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t j = 0; f->ins[i].op == IR_CCHECK && j < f->ins[i].nfs; j++)
			f->ins[i].fs[j]->idle = true;
}

void
vc_schemas(vc *c, ir_module *m)
{
	for (uint32_t i = 0; i < m->nfuncs; i++)
		park_patterns(m->funcs[i]);
	for (uint32_t i = 0; i < m->npackages; i++)
		for (uint32_t j = 0; j < m->packages[i]->nclasses; j++)
			class_schemas(c, m, m->packages[i]->classes[j]);
}

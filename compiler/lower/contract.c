/*
 * contract.c - contracts to IR: muranopl-engine.md 6.
 *
 * A contract becomes a function from the given value to the checked one.  The functions of a chain
 * ($.int().notNull()) are ops; what else stands in a contract is ordinary YAQL.
 */
#include "compiler/lower/int.h"

#include <string.h>

static const struct {
	const char *name;
	enum ir_op op;
} simple[] = {
	{"string", IR_CSTRING},
	{"int", IR_CINT},
	{"bool", IR_CBOOL},
	{"notNull", IR_CNOTNULL},
	{"owned", IR_COWNED},
	{"notOwned", IR_CNOTOWNED},
};

bool
lw_is_contract_name(const char *name)
{
	for (size_t i = 0; i < VC_LEN(simple); i++)
		if (strcmp(name, simple[i].name) == 0)
			return true;
	return strcmp(name, "check") == 0 || strcmp(name, "class") == 0 ||
	       strcmp(name, "template") == 0;
}

/* The argument at a position or under a keyword; NULL when it is not given. */
static const yq_node *
argument(const yq_node *call, uint32_t pos, const char *keyword)
{
	for (uint32_t i = 0; i < call->n; i++) {
		const yq_node *a = call->kid[i];
		if (a->kind == YQ_MAPPING) {
			if (a->kid[0]->kind == YQ_KEYWORD && strcmp(a->kid[0]->text, keyword) == 0)
				return a->kid[1];
		} else if (i == pos)
			return a->kind == YQ_EMPTY ? NULL : a;
	}
	return NULL;
}

/* A type: a reference, or a name to resolve in the namespaces of the class. */
static int32_t
type_argument(lw *l, const yq_node *e)
{
	if (e == NULL)
		return -1;
	if (e->kind == YQ_KEYWORD || e->kind == YQ_STRING)
		return lw_typeref(l, e->text);
	return lw_expr(l, e);
}

static int32_t
check_call(lw *l, const yq_node *call, int32_t value)
{
	const yq_node *predicate = argument(call, 0, "predicate"),
		      *message = argument(call, 1, "msg");
	int32_t m, d;
	ir_func *f;
	ir_ins *in, patterns = {0};
	lw outer = *l;

	if (predicate == NULL)
		return -1;
	outer.contract = false; /* a predicate sees what a method sees */
	f = lw_code(&outer, predicate, false);
	lw_check_patterns(&outer, predicate, &patterns);
	m = message ? lw_expr(l, message) : -1;
	d = lw_temp(l);
	in = lw_emit(l, IR_CCHECK);
	in->d = d;
	in->a[0] = value;
	in->a[1] = m;
	in->na = 2;
	in->f = f;
	in->names = patterns.names;
	in->nnames = patterns.nnames;
	in->fs = patterns.fs;
	in->nfs = patterns.nfs;
	return d;
}

static int32_t
class_call(lw *l, const yq_node *call, int32_t value, bool template)
{
	const yq_node *type = argument(call, 0, template ? "type" : "name");
	const yq_node *dflt = argument(call, 1, template ? "defaultType" : "defaultName");
	const yq_node *version = argument(call, 2, "versionSpec");
	const yq_node *exclude = template ? argument(call, 3, "excludeProperties") : NULL;
	int32_t t, def, ver, ex, d;
	ir_ins *in;

	if (type == NULL)
		return -1;
	t = type_argument(l, type);
	def = type_argument(l, dflt);
	ver = version ? lw_expr(l, version) : -1;
	ex = exclude ? lw_expr(l, exclude) : -1;
	d = lw_temp(l);
	in = lw_emit(l, template ? IR_CTEMPLATE : IR_CCLASS);
	in->d = d;
	in->a[0] = value;
	in->a[1] = t;
	in->a[2] = def;
	in->a[3] = ver;
	in->a[4] = ex;
	in->na = template ? 5 : 4;
	return d;
}

int32_t
lw_contract_call(lw *l, const yq_node *call, int32_t value)
{
	for (size_t i = 0; i < VC_LEN(simple); i++)
		if (strcmp(call->text, simple[i].name) == 0)
			return call->n == 0 ? lw_op1(l, simple[i].op, value) : -1;
	if (strcmp(call->text, "check") == 0)
		return check_call(l, call, value);
	return class_call(l, call, value, strcmp(call->text, "template") == 0);
}

/* ---- templates --------------------------------------------------------------------------- */

static int32_t template_of(lw *, const ynode *, const char *name);

static bool
is_any(const ynode *n)
{
	return n->kind == YN_SCALAR && n->is_expr && n->expr->kind == YQ_VAR && n->expr->ntext == 0;
}

static bool
is_bound(const ynode *n)
{
	return n->kind == YN_SCALAR && !n->is_expr && n->type == YT_INT && n->fits;
}

static int32_t
list_template(lw *l, const ynode *n, int32_t value, const char *name)
{
	uint32_t items = n->n;
	int64_t min = 0, max = -1;
	int32_t d;

	if (items && is_bound(n->item[items - 1])) {
		min = n->item[--items]->i;
		if (items && is_bound(n->item[items - 1])) {
			max = min;
			min = n->item[--items]->i;
		}
	}
	ir_func **fs = vc_alloc(l->c, sizeof *fs * (items + 1));
	for (uint32_t i = 0; i < items; i++)
		fs[i] = lw_contract(l, n->item[i], name);
	d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_CLIST);
	in->d = d;
	in->a[0] = value;
	in->na = 1;
	in->i[0] = min;
	in->i[1] = max;
	in->fs = fs;
	in->nfs = items;
	return d;
}

static int32_t
dict_template(lw *l, const ynode *n, int32_t value, const char *name)
{
	ir_const *keys = vc_alloc(l->c, sizeof *keys * (n->n + 1));
	ir_func **fs = vc_alloc(l->c, sizeof *fs * (n->n + 2));
	uint32_t nkeys = 0, nrest = 0;
	const ynode *rest = NULL, *rest_value = NULL;
	int32_t d;

	for (uint32_t i = 0; i < n->n; i++) {
		if (n->key[i]->is_expr) {
			rest = n->key[i];
			rest_value = n->item[i];
			nrest++;
			continue;
		}
		keys[nkeys] = lw_scalar(l, n->key[i]);
		fs[nkeys++] = lw_contract(l, n->item[i], name);
	}
	if (rest) {
		fs[nkeys] = lw_contract(l, rest, name);
		fs[nkeys + 1] = lw_contract(l, rest_value, name);
	}
	d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_CDICT);
	in->d = d;
	in->a[0] = value;
	in->na = 1;
	in->i[0] = nrest;
	in->ks = keys;
	in->nks = nkeys;
	in->fs = fs;
	in->nfs = nkeys + (rest ? 2 : 0);
	return d;
}

static int32_t
template_of(lw *l, const ynode *n, const char *name)
{
	int32_t value, d;
	ir_ins *in;

	if (n->kind == YN_SCALAR && n->is_expr) {
		d = lw_expr_node(l, n);
		return lw_op1(l, IR_FINAL, d);
	}
	value = lw_temp(l);
	lw_emit(l, IR_INPUT)->d = value;
	if (n->kind == YN_SEQ)
		return list_template(l, n, value, name);
	if (n->kind == YN_MAP)
		return dict_template(l, n, value, name);
	d = lw_temp(l);
	in = lw_emit(l, IR_CCONST);
	in->d = d;
	in->a[0] = value;
	in->na = 1;
	in->k = lw_scalar(l, n);
	return d;
}

ir_func *
lw_contract(lw *l, const ynode *n, const char *name)
{
	lw in = *l;

	if (n == NULL || is_any(n))
		return NULL;
	in.f = lw_func(l, IF_CONTRACT, name);
	in.f->leaf = true;
	in.base = NULL;
	in.contract = true;
	in.floor = in.next = 0;
	in.handler = -1;
	in.late = NULL;
	in.exit = NULL;
	vc_place(n->span.src, n->span.from, &in.line, &in.col);
	in.f->line = in.line;
	in.f->col = in.col;
	in.f->source = n->kind == YN_SCALAR ? vc_strndup(l->c, n->text, n->ntext) : NULL;
	lw_end(&in, template_of(&in, n, name));
	return in.f;
}

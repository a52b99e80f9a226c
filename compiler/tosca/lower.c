/*
 * lower.c - the types of a service as IR: classes with their checks.
 *
 * A node, capability, relationship, group, policy, interface, artifact or data type is a class
 * named after its kind
 * ("node_type Machine"); its properties, attributes, capabilities and requirements are properties,
 * its operations methods.  A constraint or validation clause and a default that is no constant
 * become functions of tcall; a check is a contract that chains them with c.check.  What a value
 * must be (texts as numbers with units, versions...) is the runtime's, by the tables: c.string,
 * c.class and the like say which.  Templates stay tables.
 */
#include "compiler/tosca/emit.h"
#include "compiler/tosca/front.h"

#include <string.h>

typedef struct low {
	struct tosca *t;
	vc *c;
	const vt_tmodel *m;
	ir_module *mod;
	tosca_code *code;
	ir_package *package;
	ir_class **class; /* by row of types */
	uint32_t ncontracts;
} low;

static const char *const kinds[VT_TT_KINDS] = {
	[VT_TT_NODE] = "node_type",
	[VT_TT_CAPABILITY] = "capability_type",
	[VT_TT_RELATIONSHIP] = "relationship_type",
	[VT_TT_GROUP] = "group_type",
	[VT_TT_POLICY] = "policy_type",
	[VT_TT_INTERFACE] = "interface_type",
	[VT_TT_ARTIFACT] = "artifact_type",
};

static const char *
text(const low *l, uint32_t str)
{
	return l->m->str[str] ? l->m->str[str]->s : "";
}

static const char *
type_name(low *l, uint32_t row)
{
	const vt_ttype *ty = &l->m->type[row];
	return vc_format(l->c, "%s %s", kinds[ty->kind], text(l, ty->canon ? ty->canon : ty->name));
}

static const char *
data_name(low *l, uint32_t row)
{
	const vt_tdata *d = &l->m->data[row];
	return vc_format(l->c, "data_type %s", text(l, d->canon ? d->canon : d->name));
}

/* ---- functions ---- */

static ir_unit *
unit_of(low *l, uint32_t file)
{
	return l->mod->units[file < l->mod->nunits ? file : 0];
}

/* IR has lines and columns, as every text of it shows them. */
static void
locate(const low *l, vt_tplace at, uint32_t *line, uint32_t *col)
{
	vc_span s = tosca_span(l->t, at);

	if (s.src)
		vc_place(s.src, s.from, line, col);
}

static ir_func *
begin(low *l, enum ir_func_kind kind, const char *name, vt_tplace at)
{
	ir_func *f = vc_alloc(l->c, sizeof *f);
	*f = (ir_func){.kind = (uint8_t)kind,
		.name = name,
		.unit = unit_of(l, at.file),
		.leaf = true,
		.at = at.at};
	locate(l, at, &f->line, &f->col);
	return f;
}

static ir_ins *
put(low *l, ir_func *f, enum ir_op op)
{
	vc_push(l->c, f->ins, f->n) = (ir_ins){.op = (uint8_t)op, .d = -1, .var = -1, .label = -1};
	return &f->ins[f->n - 1];
}

static int32_t
define(ir_func *f, ir_ins *in)
{
	return in->d = f->ntemps++;
}

static void
end(low *l, ir_func *f, int32_t result)
{
	ir_ins *in = put(l, f, IR_RET);
	in->a[in->na++] = result;
	vc_push(l->c, l->mod->funcs, l->mod->nfuncs) = f;
}

static int32_t expression(low *, ir_func *, uint32_t row);

static int32_t
constant(low *l, ir_func *f, const vt_texpr *x)
{
	ir_ins *in = put(l, f, IR_CONST);
	switch ((enum vt_tx_kind)x->kind) {
	case VT_TX_BOOL: in->k.kind = x->u.i ? IK_TRUE : IK_FALSE; break;
	case VT_TX_INT: in->k = (ir_const){.kind = IK_INT, .i = x->u.i}; break;
	case VT_TX_FLOAT: in->k = (ir_const){.kind = IK_FLOAT, .f = x->u.f}; break;
	case VT_TX_BIG:
	case VT_TX_STR:
		in->k = (ir_const){.kind = x->kind == VT_TX_BIG ? IK_BIG : IK_STR,
			.s = l->m->str[x->u.str]->s,
			.n = l->m->str[x->u.str]->bytes};
		break;
	case VT_TX_NONE:
	case VT_TX_NULL:
	case VT_TX_LIST:
	case VT_TX_MAP:
	case VT_TX_CALL: break; /* IK_NULL */
	}
	return define(f, in);
}

static const char *
function_name(low *l, uint32_t fn)
{
	return fn & VT_TX_CUSTOM ? text(l, l->m->function[fn & (VT_TX_CUSTOM - 1)].name)
				 : vt_tfuncs[fn].name;
}

static int32_t
compound(low *l, ir_func *f, const vt_texpr *x)
{
	uint32_t n = x->kind == VT_TX_MAP ? 2 * x->n : x->n;
	int32_t *list = vc_alloc(l->c, (n + 1) * sizeof *list);
	for (uint32_t i = 0; i < n; i++)
		list[i] = expression(l, f, l->m->index[x->u.k.at + i]);
	ir_ins *in = put(l, f,
		x->kind == VT_TX_LIST  ? IR_LIST
		: x->kind == VT_TX_MAP ? IR_MAP
				       : IR_TCALL);
	in->list = list;
	in->nlist = n;
	if (x->kind == VT_TX_CALL) {
		in->name = function_name(l, x->u.k.fn);
		in->i[0] = x->u.k.fn;
		in->i[1] = x->at;
	}
	return define(f, in);
}

static int32_t
expression(low *l, ir_func *f, uint32_t row)
{
	const vt_texpr *x = &l->m->expr[row];
	bool deep = x->kind == VT_TX_LIST || x->kind == VT_TX_MAP || x->kind == VT_TX_CALL;
	return deep ? compound(l, f, x) : constant(l, f, x);
}

/* What reading found unreadable, numbers of any size, and what comes from several files stay the
 * tables'. */
static bool
is_plain(const low *l, uint32_t row, uint32_t file, uint32_t *budget)
{
	const vt_texpr *x = &l->m->expr[row];
	bool deep = x->kind == VT_TX_LIST || x->kind == VT_TX_MAP || x->kind == VT_TX_CALL;
	if (!*budget || x->kind == VT_TX_NONE || x->kind == VT_TX_BIG ||
		(x->kind == VT_TX_CALL && x->file != file))
		return false;
	--*budget;
	for (uint32_t i = 0; deep && i < (x->kind == VT_TX_MAP ? 2 * x->n : x->n); i++)
		if (!is_plain(l, l->m->index[x->u.k.at + i], file, budget))
			return false;
	return true;
}

/* The function of an expression; NULL: it has none. Made once. */
static ir_func *
code_of(low *l, uint32_t row, const char *name)
{
	const vt_texpr *x = &l->m->expr[row];
	uint32_t budget =
		10000; /* a function of its own takes the C compiler longer the longer it is */
	if (!row)
		return NULL;
	if (l->code->by_expr[row])
		return l->code->fn[l->code->by_expr[row] - 1];
	if (!is_plain(l, row, x->file, &budget))
		return NULL;
	ir_func *f = begin(l, IF_CODE, vc_format(l->c, "%s#%u", name, l->code->n + 1),
		(vt_tplace){x->file, x->at});
	end(l, f, expression(l, f, row));
	vc_push(l->c, l->code->fn, l->code->n) = f;
	l->code->by_expr[row] = l->code->n;
	return f;
}

/* ---- contracts ---- */

static int32_t
check(low *l, ir_func *f, int32_t v, vt_tspan checks, const char *name)
{
	for (uint32_t i = 0; i < checks.n; i++) {
		ir_func *clause = code_of(
			l, l->m->index[checks.first + i], vc_format(l->c, "%s check", name));
		if (!clause)
			continue;
		ir_ins *in = put(l, f, IR_CCHECK);
		in->a[0] = v;
		in->a[1] = -1;
		in->na = 2;
		in->f = clause;
		v = define(f, in);
	}
	return v;
}

static ir_func *contract(low *, uint32_t schema, const char *name, unsigned depth);

static int32_t
one_operand(low *l, ir_func *f, enum ir_op op, int32_t v)
{
	ir_ins *in = put(l, f, op);
	in->a[in->na++] = v;
	return define(f, in);
}

static int32_t
collection(low *l, ir_func *f, int32_t v, bool map, ir_func *key, ir_func *entry)
{
	ir_func **fs = vc_alloc(l->c, 2 * sizeof(ir_func *));
	ir_ins *in = put(l, f, map ? IR_CDICT : IR_CLIST);
	in->a[in->na++] = v;
	in->fs = fs;
	in->nfs = map ? 2 : 1;
	fs[0] = map ? key : entry;
	fs[1] = entry;
	in->i[0] = map ? 1 : 0;
	in->i[1] = -1;
	return define(f, in);
}

static int32_t
of_class(low *l, ir_func *f, int32_t v, const char *class)
{
	ir_ins *in = put(l, f, IR_TYPEREF);
	int32_t type = define(f, in);
	in->name = class;
	in = put(l, f, IR_CCLASS);
	in->a[0] = v;
	in->a[1] = type;
	in->a[2] = in->a[3] = -1;
	in->na = 4;
	return define(f, in);
}

static int32_t
of_data(low *l, ir_func *f, int32_t v, const vt_tdata *d, uint32_t row, const vt_tschema *s,
	const char *name, unsigned depth)
{
	uint32_t key = s->key ? s->key : d->key, entry = s->entry ? s->entry : d->entry;
	switch ((enum vt_tbase)d->base) {
	case VT_TB_STRING:
	case VT_TB_JSON:
	case VT_TB_XML: return one_operand(l, f, IR_CSTRING, v);
	case VT_TB_INTEGER: return one_operand(l, f, IR_CINT, v);
	case VT_TB_BOOLEAN: return one_operand(l, f, IR_CBOOL, v);
	case VT_TB_LIST:
		return collection(l, f, v, false, NULL,
			contract(l, entry, vc_format(l->c, "%s entry", name), depth + 1));
	case VT_TB_MAP:
		return collection(l, f, v, true,
			contract(l, key, vc_format(l->c, "%s key", name), depth + 1),
			contract(l, entry, vc_format(l->c, "%s entry", name), depth + 1));
	case VT_TB_COMPLEX:
	case VT_TB_SCALAR:
	case VT_TB_FLOAT:
	case VT_TB_NULL:
	case VT_TB_BYTES:
	case VT_TB_TIMESTAMP:
	case VT_TB_VERSION:
	case VT_TB_HEAT_STRING:
	case VT_TB_HEAT_NUMBER:
	case VT_TB_HEAT_LIST:
	case VT_TB_HEAT_JSON:
	case VT_TB_HEAT_BOOLEAN:
	case VT_TB_RANGE: return of_class(l, f, v, data_name(l, row));
	case VT_TB_ANY: break;
	}
	return v;
}

/* NULL: anything. */
static ir_func *
contract(low *l, uint32_t schema, const char *name, unsigned depth)
{
	const vt_tschema *s = &l->m->schema[schema];
	const vt_tdata *d = &l->m->data[s->type];
	if (!schema || (!s->type && !s->checks.n) || depth > 20)
		return NULL;
	ir_func *f =
		begin(l, IF_CONTRACT, vc_format(l->c, "%s#%u", name, ++l->ncontracts), d->place);
	int32_t v = define(f, put(l, f, IR_INPUT));
	if (s->type) {
		v = of_data(l, f, v, d, s->type, s, name, depth);
		v = check(l, f, v, d->checks, data_name(l, s->type));
	}
	end(l, f, check(l, f, v, s->checks, name));
	f->idle = true;
	return f;
}

/* ---- classes ---- */

static void
add_prop(low *l, ir_class *k, const char *name, uint8_t usage, ir_func *contract_fn, ir_func *dflt,
	vt_tplace at)
{
	ir_prop p = {.name = name, .usage = usage, .contract = contract_fn, .dflt = dflt};

	locate(l, at, &p.line, &p.col);
	vc_push(l->c, k->props, k->nprops) = p;
}

static void
add_slots(low *l, ir_class *k, const char *owner, vt_tspan slots, uint8_t usage)
{
	for (uint32_t i = 0; i < slots.n; i++) {
		const vt_tslot *s = &l->m->slot[slots.first + i];
		const char *name = vc_format(l->c, "%s.%s", owner, text(l, s->name));
		ir_func *f = contract(l, s->schema, name, 0), *dflt = NULL;
		if (s->dflt && !l->m->expr[s->dflt].constant)
			dflt = code_of(l, s->dflt, vc_format(l->c, "%s default", name));
		if (k)
			add_prop(l, k, text(l, s->name), usage, f, dflt, s->place);
	}
}

static ir_func *
class_contract(low *l, const char *name, const char *class, vt_tplace at)
{
	ir_func *f = begin(l, IF_CONTRACT, vc_format(l->c, "%s#%u", name, ++l->ncontracts), at);
	int32_t v = define(f, put(l, f, IR_INPUT));
	end(l, f, of_class(l, f, v, class));
	f->idle = true;
	return f;
}

static void
add_capabilities(low *l, ir_class *k, const vt_ttype *ty)
{
	for (uint32_t i = 0; i < ty->caps.n; i++) {
		const vt_tcapdef *c = &l->m->capdef[ty->caps.first + i];
		const char *name = vc_format(l->c, "%s.%s", k->name, text(l, c->name));
		if (c->type)
			add_prop(l, k, text(l, c->name), VT_P_CONST,
				class_contract(l, name, type_name(l, c->type), c->place), NULL,
				c->place);
		add_slots(l, NULL, name, c->props, VT_P_IN);
		add_slots(l, NULL, name, c->attrs, VT_P_OUT);
	}
}

static void
add_requirements(low *l, ir_class *k, const vt_ttype *ty)
{
	for (uint32_t i = 0; i < ty->reqs.n; i++) {
		const vt_treqdef *r = &l->m->reqdef[ty->reqs.first + i];
		const char *name = vc_format(l->c, "%s.%s", k->name, text(l, r->name));
		ir_func *item = r->node_type ? class_contract(l, vc_format(l->c, "%s node", name),
						       type_name(l, r->node_type), r->place)
					     : NULL;
		ir_func *f = begin(
			l, IF_CONTRACT, vc_format(l->c, "%s#%u", name, ++l->ncontracts), r->place);
		int32_t v = define(f, put(l, f, IR_INPUT));
		v = collection(l, f, v, false, NULL, item);
		f->ins[f->n - 1].i[0] = r->lo;
		f->ins[f->n - 1].i[1] = r->hi == VT_TUNBOUNDED ? -1 : (int64_t)r->hi;
		end(l, f, v);
		f->idle = true;
		add_prop(l, k, text(l, r->name), VT_P_IN, f, NULL, r->place);
		if (r->filter)
			(void)code_of(l, r->filter, vc_format(l->c, "%s filter", name));
	}
}

static void
add_operations(low *l, ir_class *k, vt_tspan ifaces)
{
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &l->m->iface[ifaces.first + i];
		for (uint32_t n = 0; n < f->ops.n; n++) {
			const vt_top *o = &l->m->op[f->ops.first + n];
			ir_method meth = {.name = vc_format(l->c, "%s.%s", text(l, f->name),
						  text(l, o->name)),
				.usage = VT_M_RUNTIME,
				.is_public = true};
			locate(l, o->place, &meth.line, &meth.col);
			for (uint32_t p = 0; p < o->inputs.n; p++) {
				const vt_tassign *a = &l->m->assign[o->inputs.first + p];
				const char *name = vc_format(
					l->c, "%s.%s.%s", k->name, meth.name, text(l, a->name));
				ir_func *dflt =
					a->expr && !l->m->expr[a->expr].constant
						? code_of(l, a->expr,
							  vc_format(l->c, "%s default", name))
						: NULL;
				vc_push(l->c, meth.params, meth.nparams) =
					(ir_param){.name = text(l, a->name),
						.contract = contract(
							l, l->m->slot[a->slot].schema, name, 0),
						.dflt = dflt};
			}
			vc_push(l->c, k->methods, k->nmethods) = meth;
		}
	}
}

static ir_class *
add_class(low *l, const char *name, const char *parent, vt_tplace at)
{
	ir_class *k = vc_alloc(l->c, sizeof *k);
	*k = (ir_class){.name = name, .unit = unit_of(l, at.file), .listed = true};
	if (parent)
		vc_push(l->c, k->parents, k->nparents) = parent;
	vc_push(l->c, l->package->classes, l->package->nclasses) = k;
	return k;
}

static void
add_type(low *l, uint32_t row)
{
	const vt_ttype *ty = &l->m->type[row];
	ir_class *k = add_class(
		l, type_name(l, row), ty->parent ? type_name(l, ty->parent) : NULL, ty->place);
	add_slots(l, k, k->name, ty->props, VT_P_IN);
	add_slots(l, k, k->name, ty->attrs, VT_P_OUT);
	add_capabilities(l, k, ty);
	add_requirements(l, k, ty);
	add_operations(l, k, ty->ifaces);
}

static void
add_data(low *l, uint32_t row)
{
	const vt_tdata *d = &l->m->data[row];
	ir_class *k = add_class(
		l, data_name(l, row), d->parent ? data_name(l, d->parent) : NULL, d->place);
	for (uint32_t i = 0; i < d->checks.n; i++)
		(void)code_of(
			l, l->m->index[d->checks.first + i], vc_format(l->c, "%s check", k->name));
	add_slots(l, k, k->name, d->props, VT_P_IN);
}

/* What is given to a service is checked as a property is. */
static void
add_service(low *l, uint32_t row, const char *name)
{
	const vt_tservice *s = &l->m->service[row];
	ir_class *k = add_class(l, row == l->m->root ? name : vc_format(l->c, "%s %u", name, row),
		NULL, (vt_tplace){s->file, 0});
	add_slots(l, k, k->name, s->inputs, VT_P_IN);
}

static void
add_units(low *l)
{
	for (uint32_t i = 0; i < l->m->n_file || i == 0; i++) {
		ir_unit *u = vc_alloc(l->c, sizeof *u);
		*u = (ir_unit){.file = i < l->m->n_file && l->m->file[i] ? l->m->file[i] : "",
			.version = 100,
			.pkg = l->package,
			.index = i,
			.opt = {.limit_iterators = -1, .memory_quota = -1}};
		vc_push(l->c, l->mod->units, l->mod->nunits) = u;
	}
}

ir_module *
vc_lower_tosca(struct tosca *t, const vt_tmodel *m, const char *name, tosca_code *code)
{
	low l = {.t = t, .c = t->c, .m = m, .code = code};
	l.mod = vc_alloc(l.c, sizeof *l.mod);
	l.package = vc_alloc(l.c, sizeof *l.package);
	*l.package = (ir_package){.name = name, .version = "0.0.0", .format = 100};
	add_units(&l);
	l.package->unit = l.mod->units[0];
	vc_push(l.c, l.mod->packages, l.mod->npackages) = l.package;
	code->by_expr = vc_alloc(l.c, (m->n_expr + 1) * sizeof *code->by_expr);
	for (uint32_t i = 1; i < m->n_data; i++)
		add_data(&l, i);
	for (uint32_t i = 1; i < m->n_type; i++)
		add_type(&l, i);
	for (uint32_t i = 1; i < m->n_service; i++)
		add_service(&l, i, name);
	return l.mod;
}

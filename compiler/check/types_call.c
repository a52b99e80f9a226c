/*
 * types_call.c - calls of methods and functions, properties, new().
 *
 * A call is faulty only when no overload of the library, no method of a class and no extension
 * could take it whatever the values are.
 */
#include "compiler/check/types.h"
#include "compiler/check/types_rows.h"

#include <string.h>

static vc_type ty_property_type(vc_typing *t, vc_type recv, const yq_node *e);

void
ty_report(vc_typing *t, const ty_fault *f)
{
	if (t->fault && t->grown)
		t->fault(t->who, t->node, f);
}

/* ---- methods of classes ---- */

/* The argument that takes the rest, or NULL. */
static const mpl_argument *
rest_argument(const mpl_method *m, uint8_t usage)
{
	for (uint32_t i = 0; i < m->nargs; i++)
		if (m->args[i].usage == usage)
			return &m->args[i];
	return NULL;
}

static const mpl_argument *
find_argument(const mpl_method *m, const char *name)
{
	for (uint32_t i = 0; i < m->nargs; i++)
		if (m->args[i].usage == MPL_STANDARD && strcmp(m->args[i].name, name) == 0)
			return &m->args[i];
	return NULL;
}

static const mpl_argument *
nth_argument(const mpl_method *m, uint32_t n)
{
	for (uint32_t i = 0; i < m->nargs; i++)
		if (m->args[i].usage == MPL_VARARGS ||
			(m->args[i].usage == MPL_STANDARD && n-- == 0))
			return &m->args[i];
	return NULL;
}

static ty_value
constant_argument(const yq_node *e, vc_type type)
{
	bool constant = e->kind <= YQ_KEYWORD;

	return (ty_value){.type = type, .q = constant ? e : NULL};
}

/* Does the argument's contract surely refuse the value? */
static bool
refused(vc_typing *t, const mpl_method *m, const mpl_argument *p, const yq_node *e, vc_type type,
	ty_fault *f)
{
	ty_misfit why;

	if (type.kinds == 0 || p->contract == NULL ||
		ty_contract(t->p, m->cls, p->contract, constant_argument(e, type), &why).kinds)
		return false;
	f->kind = TF_TYPE;
	f->at = e;
	f->got = type;
	f->param = p->name;
	f->want = why.what;
	return true;
}

static bool
needs_value(vc_typing *t, const mpl_method *m, const mpl_argument *p)
{
	ty_misfit why;

	return p->usage == MPL_STANDARD && !p->dflt &&
	       (m->native || !ty_contract(t->p, m->cls, p->contract,
				     (ty_value){.type = {.kinds = VC_K_NULL}}, &why)
				      .kinds);
}

static void
method_range(vc_typing *t, const mpl_method *m, ty_fault *f)
{
	f->least = f->most = 0;
	for (uint32_t i = 0; i < m->nargs; i++) {
		f->least += needs_value(t, m, &m->args[i]);
		f->most += m->args[i].usage == MPL_STANDARD;
	}
	if (rest_argument(m, MPL_VARARGS))
		f->most = UINT32_MAX;
}

static bool
missing(vc_typing *t, const mpl_method *m, const ty_args *a, uint32_t positional, ty_fault *f)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < m->nargs; i++) {
		const mpl_argument *p = &m->args[i];
		bool given = p->usage == MPL_STANDARD && at++ < positional;
		for (uint32_t k = 0; k < a->n && !given; k++)
			given = ty_keyword(a->v[k]) &&
				strcmp(ty_keyword(a->v[k])->text, p->name) == 0;
		if (given || !needs_value(t, m, p))
			continue;
		f->kind = TF_MISSING;
		f->param = p->name;
		return true;
	}
	return false;
}

/* Was the keyword's argument given by its place already? */
static bool
given_twice(const mpl_method *m, const ty_args *a, const mpl_argument *p, uint32_t shift)
{
	uint32_t positional = shift;

	for (uint32_t i = 0; i < a->n; i++)
		positional += ty_keyword(a->v[i]) == NULL && a->v[i]->kind != YQ_EMPTY;
	for (uint32_t i = 0; i < m->nargs && positional; i++)
		if (m->args[i].usage == MPL_STANDARD) {
			if (&m->args[i] == p)
				return true;
			positional--;
		}
	return false;
}

/* Can the method be called so? shift: an extension's first argument is the receiver. */
static bool
method_takes(vc_typing *t, const mpl_method *m, const ty_args *a, uint32_t shift, ty_fault *f)
{
	uint32_t positional = shift;

	f->method = m;
	f->given = a->n;
	if ((m->native && m->nargs == 0) || a->n > TY_MAX_ARGS)
		return true; /* what it takes is not known */
	for (uint32_t i = 0; i < a->n; i++) {
		const yq_node *kw = ty_keyword(a->v[i]);
		const mpl_argument *p;
		if (a->v[i]->kind == YQ_MAPPING && !kw)
			return true;
		p = kw ? find_argument(m, kw->text) : nth_argument(m, positional++);
		if (p == NULL && kw)
			p = rest_argument(m, MPL_KWARGS);
		if (p && p->usage == MPL_STANDARD && kw && !m->native &&
			given_twice(m, a, p, shift)) {
			*f = (ty_fault){.kind = TF_KEYWORD,
				.at = kw,
				.param = kw->text,
				.want = "twice",
				.method = m};
			return false;
		}
		if (p == NULL) {
			f->kind = kw ? TF_KEYWORD : TF_COUNT;
			f->at = kw ? kw : a->v[i];
			f->param = kw ? kw->text : NULL;
			method_range(t, m, f);
			return false;
		}
		if (a->v[i]->kind != YQ_EMPTY &&
			refused(t, m, p, ty_argument(a->v[i]), a->type[i], f))
			return false;
	}
	return !missing(t, m, a, positional, f);
}

/* A class that extends the receiver's may declare the method again, with other arguments. */
static bool
heir_takes(vc_typing *t, const mpl_class *cls, const char *name, const ty_args *a)
{
	ty_fault ignored = {0};
	uint32_t n = 0;
	mpl_class **heirs = ty_heirs(t->p, cls, &n);
	bool takes = heirs == NULL;

	for (uint32_t i = 0; i < n && !takes; i++) {
		const void **slot = ty_slot(t->c, &t->p->names, heirs[i], TS_METHOD, name, false);
		takes = slot && method_takes(t, *slot, a, 0, &ignored);
	}
	return takes;
}

/* May objects or types of this kind be called so? *f is filled when not. */
static bool
object_takes(vc_typing *t, const ty_args *a, const char *name, ty_fault *f)
{
	const mpl_method *m;

	if (!(a->recv.kinds & (VC_K_OBJECT | VC_K_TYPE)))
		return false;
	if (a->recv.cls == NULL)
		return t->open || ty_any(t->p, TS_ANY_METHOD, name) || a->recv.kinds == VC_K_OBJECT;
	m = ty_method(t->p, a->recv.cls, name);
	f->cls = a->recv.cls;
	if (m == NULL) {
		f->kind = TF_METHOD;
		return t->open || ty_may_have(t->p, a->recv.cls, a->recv.exact, name, true);
	}
	if (a->recv.kinds == VC_K_TYPE && !m->native &&
		(m->usage == MPL_M_RUNTIME || m->usage == MPL_M_ACTION)) {
		f->kind = TF_RECEIVER;
		f->method = m;
		return false;
	}
	return method_takes(t, m, a, 0, f) ||
	       (!a->recv.exact && heir_takes(t, a->recv.cls, name, a));
}

/* Null has no methods of objects, so a call that gives something was on an object. */
static vc_type
object_result(vc_typing *t, const ty_args *a, const char *name)
{
	const uint32_t others = ~(uint32_t)(VC_K_OBJECT | VC_K_TYPE | VC_K_NULL);
	const mpl_method *m = a->recv.cls && !(a->recv.kinds & others)
				      ? ty_method(t->p, a->recv.cls, name)
				      : NULL;

	return m && !t->open ? ty_result(t->p, m, a->recv, name) : ty_anything();
}

bool
ty_certain(vc_typing *t, const yq_node *receiver, vc_type recv)
{
	uint32_t n = 0;

	if (t->p->closed || recv.exact || !(recv.kinds & VC_K_OBJECT) || recv.cls == NULL)
		return true;
	if (receiver == NULL || receiver->kind != YQ_VAR)
		return false;
	if (strcmp(receiver->text, "this") == 0 ||
		(receiver->ntext == 0 && t->dollar.cls == t->cls))
		return true;
	return receiver->ntext == 0 && ty_heirs(t->p, recv.cls, &n) && n == 1;
}

/* ---- keys of dicts that a contract made ---- */

/* What the contract makes of the key's value; NULL: it names no such key. */
static const ynode *
contract_of_key(const vc_keys *keys, const char *name)
{
	const ynode *c = keys->contract;

	for (uint32_t i = 0; i < c->n; i++)
		if (strcmp(c->key[i]->text, name) == 0)
			return c->item[i];
	return NULL;
}

/* e: the key. */
static vc_type
value_of_key(vc_typing *t, vc_type recv, const yq_node *e, bool certain)
{
	const ynode *c = contract_of_key(recv.keys, e->text);

	if (c)
		return vc_contract_type(t->c, recv.keys->cls, c);
	ty_report(t, &(ty_fault){.kind = TF_KEY,
			     .at = e,
			     .name = e->text,
			     .recv = recv,
			     .certain = certain});
	return ty_anything();
}

static bool
names_a_key(vc_type recv, const yq_node *e)
{
	return recv.keys && recv.kinds == VC_K_DICT &&
	       (e->kind == YQ_KEYWORD || e->kind == YQ_STRING);
}

static vc_type
call_method(vc_typing *t, const yq_node *call, vc_type recv)
{
	ty_args a = {.call = call, .v = call->kid, .n = call->n, .recv = recv, .method = true};
	ty_fault row = {.at = call}, object = {.at = call};
	ty_overloads o = ty_find_rows(t, call->text);
	vc_type out;
	bool by_row, by_object;
	const yq_node *receiver = t->receiver;

	/* as() of the old formats gives names to what follows. */
	t->broken |= t->layers & VT_L_LEGACY && strcmp(call->text, "as") == 0;

	ty_type_arguments(t, &o, &a, call->text);
	if (recv.kinds == 0)
		return recv;
	if (a.n > TY_MAX_ARGS)
		return ty_anything();
	by_row = ty_try_rows(t, &o, &a, &out, &row);
	by_object = !t->outside && object_takes(t, &a, call->text, &object);
	if (by_object && !by_row && !ty_any(t->p, TS_EXTENSION, call->text))
		return object_result(t, &a, call->text);
	if (by_object || ty_any(t->p, TS_EXTENSION, call->text))
		return ty_anything();
	if (by_row && a.n && strcmp(call->text, "get") == 0 && names_a_key(recv, call->kid[0]))
		value_of_key(t, recv, call->kid[0], false);
	if (by_row)
		return out;
	if (recv.kinds & VC_K_OTHER &&
		(!row.name || row.kind == TF_RECEIVER || ty_any(t->p, TS_ANY_METHOD, call->text)))
		return ty_anything(); /* a value of the host, or nobody knows what */
	if (recv.kinds == VC_K_NULL)
		return ty_anything();
	if (!t->outside && recv.kinds & (VC_K_OBJECT | VC_K_TYPE) &&
		(row.name == NULL || row.kind == TF_RECEIVER || object.method))
		row = object;
	else if (row.name == NULL)
		row.kind = ty_any(t->p, TS_ANY_METHOD, call->text) ? TF_RECEIVER : TF_METHOD;
	row.name = call->text;
	row.recv = recv;
	row.is_method = true;
	row.certain = ty_certain(t, receiver, recv);
	ty_report(t, &row);
	return ty_anything();
}

vc_type
ty_member(vc_typing *t, const yq_node *e, vc_type recv)
{
	if (e->kind == YQ_CALL)
		return call_method(t, e, recv);
	if (e->kind == YQ_KEYWORD)
		return ty_property_type(t, recv, e);
	vc_type_of(t, t->node, e);
	return ty_anything();
}

/* ---- properties ---- */

static bool
is_library_property(vc_typing *t, const char *name, vc_type recv)
{
	ty_overloads o = ty_find_rows(t, vc_format(t->c, "#property#%s", name));

	for (uint32_t i = 0; o.row && i < o.n; i++)
		if ((o.row[i].layer & t->layers) && o.row[i].nparams &&
			ty_takes(t, &o.row[i].params[0], recv))
			return true;
	return false;
}

/*
 * The rules of access: code of a class that the object belongs to sees what its own class declares,
 * or a private field that its own class wrote; anybody else sees what the object's class declares.
 */
static vc_type
object_property(vc_typing *t, vc_type recv, const yq_node *e)
{
	const mpl_class *cls = recv.cls;
	const mpl_property *own;
	bool self;

	if (cls == NULL)
		return ty_anything();
	self = ty_extends(t->p, cls, t->cls);
	own = ty_property(t->p, self ? t->cls : cls, e->text);
	if (own)
		return vc_contract_type(t->c, own->cls, own->contract);
	if (self && ty_slot(t->c, &t->p->names, t->cls, TS_WRITTEN, e->text, false))
		return ty_field(t->p, t->cls, e->text);
	if (!self && ty_any(t->p, TS_WRITTEN, e->text))
		return ty_anything();
	if (t->open)
		return ty_anything();
	if (self ? !ty_whole(t->p, t->cls) : ty_may_have(t->p, cls, recv.exact, e->text, false))
		return ty_anything();
	ty_report(t, &(ty_fault){.kind = TF_PROPERTY,
			     .at = e,
			     .name = e->text,
			     .recv = recv,
			     .certain = self || ty_certain(t, t->receiver, recv),
			     .cls = self ? t->cls : cls});
	return ty_anything();
}

/* :Class.name: of a type there are static properties only. */
static vc_type
static_property(vc_typing *t, vc_type recv, const yq_node *e)
{
	const mpl_property *p = ty_property(t->p, recv.cls, e->text);

	if (p && p->usage == MPL_STATIC)
		return vc_contract_type(t->c, p->cls, p->contract);
	for (uint32_t i = 0; p && p->cls->parent && i < p->cls->nparents; i++)
		if (p->cls->parent[i] && ty_property(t->p, p->cls->parent[i], e->text))
			return ty_anything(); /* the static one may be further up */
	if (t->open || !ty_whole(t->p, recv.cls) || is_library_property(t, e->text, recv))
		return ty_anything();
	ty_report(t, &(ty_fault){.kind = TF_PROPERTY,
			     .at = e,
			     .name = e->text,
			     .recv = recv,
			     .certain = true,
			     .cls = recv.cls,
			     .property = p});
	return ty_anything();
}

/* A property of a list is read of each item. */
static vc_type
of_each(vc_typing *t, vc_type recv, const yq_node *e)
{
	vc_type *item = vc_alloc(t->c, sizeof *item);

	*item = ty_property_type(t, *recv.item, e);
	return (vc_type){.kinds = VC_K_ITER | VC_K_LIST, .item = item->kinds ? item : NULL};
}

static vc_type
ty_property_type(vc_typing *t, vc_type recv, const yq_node *e)
{
	const uint32_t open = VC_K_DICT | VC_K_LIST | VC_K_ITER | VC_K_SET | VC_K_OTHER | VC_K_TYPE;

	if (recv.kinds == 0)
		return recv;
	if (!(recv.kinds & ~(uint32_t)(VC_K_OBJECT | VC_K_NULL)) && recv.kinds & VC_K_OBJECT)
		return object_property(t, recv, e);
	if (recv.kinds == VC_K_TYPE && recv.cls)
		return static_property(t, recv, e);
	if (names_a_key(recv, e))
		return value_of_key(t, recv, e, true);
	if (recv.kinds == VC_K_LIST && recv.item)
		return of_each(t, recv, e);
	if (recv.kinds & (open | VC_K_OBJECT) || recv.kinds == VC_K_NULL ||
		is_library_property(t, e->text, recv))
		return ty_anything();
	ty_report(t, &(ty_fault){.kind = TF_PROPERTY,
			     .at = e,
			     .name = e->text,
			     .recv = recv,
			     .certain = true});
	return ty_anything();
}

/* ---- new ---- */

static bool
made_from_init(vc_typing *t, const mpl_class *cls, const char *name)
{
	const mpl_method *m = ty_method(t->p, cls, ".init");

	return m && find_argument(m, name);
}

/* Keywords are properties or arguments of .init; those of other names vanish without a word. */
static void
new_keyword(vc_typing *t, const mpl_class *cls, const yq_node *kw, const yq_node *e, vc_type type)
{
	const mpl_property *p = ty_property(t->p, cls, kw->text);
	ty_misfit why;

	if (made_from_init(t, cls, kw->text))
		return;
	if (p == NULL) {
		if (ty_whole(t->p, cls))
			ty_report(t, &(ty_fault){.kind = TF_IGNORED,
					     .at = kw,
					     .name = kw->text,
					     .cls = cls});
		return;
	}
	if (p->usage == MPL_RUNTIME || p->usage == MPL_CONFIG || p->usage == MPL_STATIC) {
		ty_report(t, &(ty_fault){.kind = TF_IGNORED,
				     .at = kw,
				     .name = kw->text,
				     .cls = cls,
				     .property = p});
		return;
	}
	if (type.kinds &&
		!ty_contract(t->p, p->cls, p->contract, constant_argument(e, type), &why).kinds)
		ty_report(t, &(ty_fault){.kind = TF_TYPE,
				     .at = e,
				     .name = cls->name,
				     .got = type,
				     .param = p->name,
				     .want = why.what,
				     .property = p,
				     .cls = cls});
}

static bool
given(const ty_args *a, const char *name)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (ty_keyword(a->v[i]) && strcmp(ty_keyword(a->v[i])->text, name) == 0)
			return true;
	return false;
}

static void
check_new(vc_typing *t, const ty_args *a)
{
	const mpl_class *cls = ty_named_class(t, a, 0);

	if (cls == NULL || a->n > TY_MAX_ARGS || t->open || ty_keyword(a->v[0]) || !t->fault)
		return;
	if (a->n > 1 && !ty_keyword(a->v[1]) && a->type[1].kinds != VC_K_NULL &&
		!(a->type[1].kinds == VC_K_OBJECT))
		return; /* the properties may be in a dict */
	if (given(a, "parameters") || given(a, "typeName") || given(a, "owner"))
		return;
	for (uint32_t i = 1; i < a->n; i++) {
		const yq_node *kw = ty_keyword(a->v[i]);
		if (kw && kw->text[0] != '_')
			new_keyword(t, cls, kw, a->v[i]->kid[1], a->type[i]);
	}
	for (uint32_t i = 0; i < cls->nprops; i++) {
		const mpl_property *p = cls->props[i];
		ty_misfit why;
		if (p->dflt || p->usage > MPL_INOUT || p->usage == MPL_OUT || cls->native ||
			given(a, p->name) || made_from_init(t, cls, p->name) ||
			ty_contract(t->p, p->cls, p->contract,
				(ty_value){.type = {.kinds = VC_K_NULL}}, &why)
				.kinds)
			continue;
		ty_report(t, &(ty_fault){.kind = TF_REQUIRED,
				     .at = a->call,
				     .name = p->name,
				     .cls = cls,
				     .property = p});
	}
}

/* cast() to a class that no object of the other can be of. */
static void
check_cast(vc_typing *t, const ty_args *a)
{
	const mpl_class *to = a->n > 1 ? ty_named_class(t, a, 1) : NULL;
	vc_type from = a->n > 1 ? a->type[0] : ty_anything();

	if (to == NULL || from.cls == NULL || from.kinds & ~(uint32_t)(VC_K_OBJECT | VC_K_NULL) ||
		t->open || !ty_whole(t->p, from.cls) || ty_meet(t->p, from.cls, to) ||
		ty_versions_meet(t->p, from.cls, to, NULL))
		return;
	ty_report(t, &(ty_fault){.kind = TF_CAST,
			     .at = a->call,
			     .name = to->name,
			     .recv = from,
			     .cls = from.cls});
}

/* ---- functions and operators ---- */

vc_type
ty_function(vc_typing *t, const yq_node *call, const char *name, yq_node *const *v, uint32_t n)
{
	ty_args a = {.call = call, .v = v, .n = n, .recv = {.kinds = VC_K_ALL}};
	ty_fault f = {.at = call};
	ty_overloads o = ty_find_rows(t, name);
	bool operator= name[0] == '#', known = false;
	vc_type out;

	if (t->outside && t->outside->hosts && t->outside->hosts(t->outside->who, name))
		o = (ty_overloads){0};

	ty_type_arguments(t, &o, &a, name);
	for (uint32_t i = 0; i < n && i < TY_MAX_ARGS; i++)
		if (a.type[i].kinds == 0 && !a.lazy[i])
			return ty_make(0);
	for (uint32_t i = 0; o.row && i < o.n; i++)
		known |= ty_visible(t, &o, i, false);
	if (!known || n > TY_MAX_ARGS)
		return ty_anything();
	if (!ty_try_rows(t, &o, &a, &out, &f)) {
		f.kind = operator? strcmp(name, "#indexer") == 0 ? TF_INDEX : TF_OPERATOR
			 : f.kind == TF_RECEIVER ? TF_COUNT
						 : f.kind;
		f.name = call->kind == YQ_CALL ? call->text : call->text ? call->text : "[]";
		f.recv = n ? a.type[0] : ty_anything();
		f.got = f.kind == TF_TYPE ? f.got : n > 1 ? a.type[1] : ty_anything();
		if (operator)
			f.at = call;
		ty_report(t, &f);
		return t->grown ? ty_anything() : ty_make(0); /* nothing comes back */
	}
	if (strcmp(name, "#operator_in") == 0 && n == 2 && a.type[1].item)
		ty_unequal(t, call, a.type[0], *a.type[1].item);
	if (strcmp(name, "#indexer") == 0 && n == 2 && names_a_key(a.type[0], v[1]))
		return value_of_key(t, a.type[0], v[1], true);
	if (strcmp(name, "new") == 0)
		check_new(t, &a);
	if (strcmp(name, "cast") == 0)
		check_cast(t, &a);
	return out.kinds ? out : ty_anything();
}

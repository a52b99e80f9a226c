/*
 * entry.c - method calls that go straight to a C function.
 *
 * A method that takes its arguments one by one, or the last of them as VarArgs or KwArgs, gets an
 * entry besides the function of its table: the
 * entry looks whether every argument is one that its contract hands on as it is and nothing stands
 * in the way of the call, and if so runs the body; else it leaves all to vt_invoke_plain, which
 * does the same in the order and with the errors of the language.  A site calls through its inline
 * cache, so that overriding, mocks and classes that nobody has seen yet stay what they are; where
 * the receiver is $this, the method of the class itself is expected, and gcc may inline it.
 */
#include "compiler/emit/function.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MOST_PARAMS = 12, MOST_CHECKS = 4 }; /* parameters: as for vt_method_is_plain */

/* What no contract at all hands on: whatever is final. A cast may not be. */
static const uint32_t any_value = VT_TAKES_ANY;

/* The part of a set that an op of a contract hands on; 0 where that needs more than a look. */
static uint32_t
narrow(uint32_t set, const ir_ins *in)
{
	switch ((enum ir_result)ir_ops[in->op].result) {
	case IR_R_C_INT: return set & (VT_TAKES_INT | VT_TAKES_NULL | VT_TAKES_KIND(VT_K_BIGINT));
	case IR_R_C_STR: return set & (VT_TAKES_NULL | VT_TAKES_KIND(VT_K_STR));
	case IR_R_C_BOOL: return set & (VT_TAKES_NULL | VT_TAKES_BOOL);
	case IR_R_C_SET: return set & ~VT_TAKES_NULL;
	case IR_R_C_OBJECT: return set & (VT_TAKES_NULL | VT_TAKES_KIND(VT_K_OBJECT));
	case IR_R_NONE:
	case IR_R_ANY:
	case IR_R_CONST:
	case IR_R_VAR:
	case IR_R_SAME:
	case IR_R_ARITH:
	case IR_R_ORDER:
	case IR_R_BOOL:
	case IR_R_INT:
	case IR_R_TUPLE:
	case IR_R_DICT:
	case IR_R_TYPE:
	case IR_R_FINAL:
	case IR_R_REST: break;
	}
	return ir_ops[in->op].flags & IR_ASIDE ? set : 0;
}

/* What a contract hands on as it is. */
typedef struct taken {
	uint32_t set; /* VT_TAKES_* */
	bool seen; /* objects are in the set only as far as class() has seen their class before */
	uint32_t nchecks;
	const ir_func *check[MOST_CHECKS]; /* and all of these must hold */
} taken;

/* Code of a predicate: operators, and functions that the library has. */
static bool
only_looks(const ir_func *f)
{
	uint32_t n;

	for (uint32_t i = 0; f && i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_CONTEXT || in->op == IR_PIPE)
			return false;
		if ((in->op == IR_CALL || in->op == IR_CALLM) &&
			(vt_fn_find(in->site->name, &n) == NULL ||
				strcmp(in->site->name, "new") == 0))
			return false;
	}
	return true;
}

/* Does a call of that name give the same each time? What methods have in place of a function does,
 * new() aside. */
static bool
is_repeatable(const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows && i < n; i++) {
		uint32_t place = rows[i].flags >> VT_FN_PLACE;
		if (!(rows[i].flags & VT_FN_PURE) && (place == 0 || place == VT_IN_NEW))
			return false;
	}
	return rows != NULL;
}

/* Does code only compute, with functions that give the same each time and no lambdas? */
bool
em_only_looks(const ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->f != NULL || in->nfs > 0 || in->op == IR_STEP)
			return false;
		if (in->op != IR_CALL && in->op != IR_CALLM)
			continue;
		if (!is_repeatable(in->site->name) || in->nlist != in->site->nargs)
			return false;
		for (uint32_t k = 0; k < in->nlist; k++)
			if (in->list[k] < 0 && in->site->args[k].code != NULL)
				return false;
	}
	return only_looks(f);
}

/* Does code of a predicate ask for nothing but the value, so that it needs no scope around it, and
 * may be asked twice? */
static bool
only_asks_value(const em *e, const ir_func *f)
{
	if (em_direct_args(e, f) < 0 || em_direct_args(e, f) > 1 || !only_looks(f))
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_SELF || in->op == IR_DYN || in->op == IR_VAR)
			return false;
		if ((in->op == IR_CALL || in->op == IR_CALLM) && !is_repeatable(in->site->name))
			return false;
	}
	return true;
}

/* e: NULL where nobody asks whether the checks hold: then a contract with one takes nothing. */
static taken
takes(const em *e, const ir_func *f)
{
	static const taken none;
	taken t = {.set = any_value};
	int32_t value = -1;

	for (uint32_t i = 0; f && t.set && i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		bool aside = in->op == IR_TYPEREF || in->op == IR_CONST;
		if (in->op != IR_INPUT && in->na && in->a[0] != value)
			return none;
		if (in->op == IR_CCLASS && !em_remembers(f, in))
			return none;
		t.seen |= in->op == IR_CCLASS;
		if (in->op == IR_CCHECK && e && t.nchecks < MOST_CHECKS &&
			only_asks_value(e, in->f))
			t.check[t.nchecks++] = in->f;
		else
			t.set = narrow(t.set, in);
		if (in->op == IR_RET)
			break;
		if (in->d >= 0 && !aside)
			value = in->d;
	}
	/* behind class() string() makes a text of each object */
	t.seen = t.seen && (t.set & VT_TAKES_KIND(VT_K_OBJECT)) != 0;
	return t;
}

uint32_t
em_takes(const ir_func *f)
{
	taken t = takes(NULL, f);

	return t.seen ? t.set & ~VT_TAKES_KIND(VT_K_OBJECT) : t.set;
}

/* Contracts nest as their YAML does. */
static unsigned
is_pure(const ir_func *f)
{
	unsigned pure = 3;

	for (uint32_t i = 0; f && i < f->n && pure; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_CTEMPLATE || in->op == IR_COWNED || in->op == IR_CNOTOWNED)
			return 0;
		if (in->op == IR_CCHECK && !only_looks(in->f))
			return 0;
		if (in->op == IR_CCLASS)
			pure &= em_remembers(f, in) ? 2 : 0;
		if (in->op == IR_CALL || in->op == IR_CALLM || in->op == IR_PIPE ||
			in->op == IR_CONTEXT)
			return 0;
		if (in->op != IR_CLIST && in->op != IR_CDICT)
			continue;
		for (uint32_t k = 0; k < in->nfs; k++)
			pure &= is_pure(in->fs[k]) == 3 ? 1 : 0;
	}
	return pure;
}

/* The one op of a contract that is nothing but a list or dict; or NULL. */
static const ir_ins *
container(const ir_func *f)
{
	const ir_ins *found = NULL;

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if ((in->op == IR_CLIST || in->op == IR_CDICT) && found == NULL)
			found = in;
		else if (in->op != IR_INPUT && in->op != IR_FINAL && in->op != IR_FREE &&
			 in->op != IR_RET)
			return NULL;
	}
	return found;
}

/* A list of any length with one contract for its items; any dict, or one with one expression key.
 * *key: whose keys. */
static bool
elements(const ir_ins *in, const ir_func **key, const ir_func **item)
{
	*key = *item = NULL;
	if (in->op == IR_CLIST && in->nfs == 1 && in->i[0] <= 0 && in->i[1] < 0) {
		*item = in->fs[0];
		return true;
	}
	if (in->op != IR_CDICT || in->nks > 0 || in->i[0] > 1)
		return false;
	if (in->i[0] == 1) {
		*key = in->fs[in->nfs - 2];
		*item = in->fs[in->nfs - 1];
	}
	return true;
}

/* Is it one whose elements have a contract that makes no objects? */
static bool
looks_at_items(const ir_func *f)
{
	const ir_func *key, *item;
	const ir_ins *in = f ? container(f) : NULL;

	return in && elements(in, &key, &item) && item && (is_pure(item) & 1);
}

/* Is what its elements may be no list whose length or order counts? */
static bool
items_are_alike(const ir_func *f)
{
	const ir_func *key, *item;
	const ir_ins *in = container(f), *below;

	if (!elements(in, &key, &item))
		return false;
	below = container(item);
	return below == NULL || below->op != IR_CLIST || elements(below, &key, &item);
}

unsigned
em_pure_bits(const ir_func *f)
{
	return is_pure(f) | (!looks_at_items(f) ? 0 : items_are_alike(f) ? 12 : 4);
}

/* vt_prop_decl.items, keys and item. */
const char *
em_items(em *e, const ir_func *f)
{
	const ir_func *key = NULL, *item = NULL;
	const ir_ins *in = f ? container(f) : NULL;
	uint32_t set, keys;
	taken k = {0}, t;

	if (!vc_pass_on(e->c, GROW) || (f && (in == NULL || !elements(in, &key, &item))))
		return "0, 0, NULL";
	t = takes(NULL, item);
	set = t.set;
	if (in == NULL || in->op == IR_CDICT)
		k = takes(NULL, key);
	keys = k.seen ? k.set & ~VT_TAKES_KIND(VT_K_OBJECT) : k.set;
	if (t.seen && set)
		set |= VT_TAKES_LIKE;
	return vc_format(e->c, "0x%xu, 0x%xu, %s", set, keys,
		set & VT_TAKES_LIKE || looks_at_items(f) ? em_func_name(e, item) : "NULL");
}

/* Is the temporary, if there is one, the same in every run? */
static bool
is_fixed(const ir_func *f, int32_t t)
{
	bool fixed = t < 0;

	for (uint32_t i = 0; t >= 0 && i < f->n; i++)
		if (f->ins[i].d == t) {
			if (f->ins[i].op != IR_TYPEREF && f->ins[i].op != IR_CONST)
				return false;
			fixed = true;
		}
	return fixed;
}

bool
em_remembers(const ir_func *f, const ir_ins *in)
{
	return in->op == IR_CCLASS && is_fixed(f, in->a[1]) && is_fixed(f, in->a[2]) &&
	       is_fixed(f, in->a[3]);
}

/* The same without objects, whose class counts. */
static uint32_t
takes_by_kind(const ir_func *f)
{
	const taken t = takes(NULL, f);

	return t.seen ? 0 : t.set;
}

/* Does the list or dict pass as it is when all its elements do, by their kinds alone?  The op. */
static const ir_ins *
by_element(const ir_func *contract)
{
	const ir_func *key, *item;
	const ir_ins *in = contract ? container(contract) : NULL;

	return in && elements(in, &key, &item) && takes_by_kind(item) != 0 &&
			       (key == NULL || takes_by_kind(key) != 0)
		       ? in
		       : NULL;
}

/* ---- vt_accept: what needs no contract, as a table ------------------------------------------- */

/* Can a table say it? `$` is NULL. */
static bool
is_told(const em *e, const ir_func *f)
{
	const taken t = takes(e, f);
	const ir_func *key, *item;
	const ir_ins *in;

	if (t.set != 0)
		return t.nchecks <= VT_ACCEPT_CHECKS;
	in = container(f);
	if (in == NULL)
		return false;
	if (in->op == IR_CDICT && in->nks > 0) {
		for (uint32_t i = 0; i < in->nks; i++)
			if (in->ks[i].kind != IK_STR || !is_told(e, in->fs[i]))
				return false;
		return in->i[0] == 0 && in->nks < UINT8_MAX;
	}
	return elements(in, &key, &item) && is_told(e, key) && is_told(e, item);
}

/* VarArgs, KwArgs or both in this order, behind all others: the entry gets them as a tuple and a
 * dict. */
static bool
is_rest(const ir_method *m, uint32_t i)
{
	const ir_param *p = &m->params[i];

	return (i + 1 == m->nparams && p->usage != VT_PARAM_STANDARD) ||
	       (i + 2 == m->nparams && p[0].usage == VT_PARAM_VARARGS &&
		       p[1].usage == VT_PARAM_KWARGS);
}

bool
em_has_rest(const ir_method *m)
{
	return m->nparams > 0 && is_rest(m, m->nparams - 1);
}

bool
em_has_entry(const em *e, const ir_method *m)
{
	if (!vc_pass_on(e->c, CALLS) || m->body == NULL || m->nmeta || m->nparams > MOST_PARAMS ||
		(m->usage != VT_M_RUNTIME && m->usage != VT_M_ACTION && m->usage != VT_M_STATIC &&
			m->usage != VT_M_EXTENSION))
		return false;
	for (uint32_t i = 0; i < m->nparams; i++) {
		const ir_param *p = &m->params[i];
		if (is_rest(m, i) ? takes_by_kind(p->contract) == 0
				  : p->usage != VT_PARAM_STANDARD ||
					    (takes(e, p->contract).set == 0 &&
						    by_element(p->contract) == NULL &&
						    !is_told(e, p->contract)))
			return false;
	}
	return true;
}

const char *
em_entry_name(em *e, const ir_func *body)
{
	return ct_name(e->c, "e_", body->name);
}

/* The contract whose C is there. */
static const ir_func *
emitted(const ir_func *contract)
{
	return contract && contract->same ? contract->same : contract;
}

/* One up, the cache in which class() keeps whose objects the contract hands on; 0: none. */
static uint32_t
seen_by(const ir_func *contract)
{
	const taken t = takes(NULL, contract);

	return t.seen ? emitted(contract)->seen : 0;
}

const char *
em_seen(em *e, const ir_func *contract)
{
	uint32_t seen = seen_by(contract);

	return seen ? em_cache(e, seen - 1) : "NULL";
}

/* The rows of such a table. */
static void put_accept(em *, vt_buf *, const ir_func *);

/* "ac7", the rows of what the container holds; *keys: of a record, or NULL. */
static const char *
accept_rows(em *e, const ir_ins *in, const char **keys)
{
	const ir_func *two[2];
	bool record = in->op == IR_CDICT && in->nks > 0;
	uint32_t n = record ? in->nks : in->op == IR_CDICT ? 2 : 1;
	vt_buf rows = {0}, names = {0};

	if (!record)
		(void)elements(in, &two[0], &two[1]);
	for (uint32_t i = 0; i < n; i++) {
		vt_buf_puts(&rows, i ? ", " : "");
		put_accept(e, &rows, record ? in->fs[i] : n == 1 ? two[1] : two[i]);
		if (record)
			vt_buf_printf(&names, "%s%s", i ? ", " : "", em_str_ref(e, in->ks[i].s));
	}
	*keys = record ? em_table(e, "vt_str *const", "sl", names) : "NULL";
	return em_table(e, "vt_accept", "ac", rows);
}

static void
put_accept(em *e, vt_buf *b, const ir_func *contract)
{
	const ir_func *f = emitted(contract);
	const taken t = takes(e, f);
	const ir_ins *in = t.set ? NULL : container(f);
	uint32_t set = t.seen ? t.set & ~VT_TAKES_KIND(VT_K_OBJECT) : t.set;
	const char *keys = "NULL", *rows = "NULL";
	unsigned kind = in == NULL           ? VT_ACCEPT_VALUE
			: in->op == IR_CLIST ? VT_ACCEPT_LIST
			: in->nks > 0        ? VT_ACCEPT_RECORD
					     : VT_ACCEPT_DICT;

	if (in != NULL)
		rows = accept_rows(e, in, &keys);
	vt_buf_printf(b, "{0x%xu, %u, %u, %s, {", set, kind, in ? in->nks : 0,
		seen_by(f) ? em_cache(e, f->seen - 1) : "NULL");
	for (uint32_t i = 0; i < t.nchecks; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : "", em_direct_name(e, t.check[i]));
	vt_buf_printf(b, "%s}, %s, %s}", t.nchecks ? "" : "NULL", rows, keys);
}

/* "ac7", or NULL where `takes` and `seen` say it as well, or nothing does. */
const char *
em_accept(em *e, const ir_func *contract)
{
	const taken t = takes(e, emitted(contract));
	vt_buf row = {0};

	if (!vc_pass_on(e->c, CALLS) || contract == NULL || (t.set != 0 && t.nchecks == 0) ||
		!is_told(e, emitted(contract)))
		return "NULL";
	put_accept(e, &row, contract);
	return em_table(e, "vt_accept", "ac", row);
}

/* "vt_takes_items(args[0], 0x1u)": of a list or dict with a contract by element. */
static const char *
takes_elements(em *e, const ir_func *contract, uint32_t k)
{
	const ir_func *key, *item;
	const ir_ins *in = by_element(emitted(contract));

	(void)elements(in, &key, &item);
	if (in->op == IR_CLIST)
		return vc_format(e->c, "vt_takes_items(args[%u], 0x%xu)", k, takes_by_kind(item));
	return vc_format(e->c, "vt_takes_entries(args[%u], 0x%xu, 0x%xu)", k, takes_by_kind(key),
		takes_by_kind(item));
}

/* The condition under which an argument needs no contract. */
static const char *
takes_argument(em *e, const ir_func *contract, uint32_t k)
{
	const taken t = takes(e, emitted(contract));
	uint32_t set = t.seen ? t.set & ~VT_TAKES_KIND(VT_K_OBJECT) : t.set;
	const char *all;

	if (t.set == 0)
		return by_element(emitted(contract))
			       ? takes_elements(e, contract, k)
			       : vc_format(e->c, "vt_accepted(rt, %s, args[%u])",
					 em_accept(e, contract), k);
	all = vc_format(e->c, "vt_takes(args[%u], 0x%xu)", k, set);
	if (t.seen && emitted(contract)->seen)
		all = vc_format(e->c, "(%s || vt_sees_one(IC(%u), args[%u]))", all,
			emitted(contract)->seen - 1, k);
	for (uint32_t i = 0; i < t.nchecks; i++)
		all = vc_format(e->c, "%s && vt_holds(rt, %s, args[%u])", all,
			em_direct_name(e, t.check[i]), k);
	return all;
}

static const char *
takes_rest(em *e, const ir_param *p, uint32_t k)
{
	uint32_t set = takes_by_kind(emitted(p->contract));

	if (p->usage == VT_PARAM_VARARGS)
		return vc_format(e->c, "vt_takes_items(args[%u], 0x%xu)", k, set);
	return vc_format(
		e->c, "vt_takes_entries(args[%u], 0x%xu, 0x%xu)", k, VT_TAKES_KIND(VT_K_STR), set);
}

/* Can the argument be a list, dict or set?  What the caller has moved is the body's alone then, so
 * that the body may change it. */
static bool
may_grow(const ir_func *contract)
{
	return (takes(NULL, contract).set & VT_TAKES_FINAL) != 0 || container(contract) != NULL;
}

enum { COLUMNS = 100, TAB = 8 };

/* Goes on with the call of a macro, in a new line where this one is full.  A debugger has all of it
 * in one line. */
static void
put_piece(const em *e, vt_buf *b, size_t *line, const char *piece)
{
	if (!e->lines && b->n - *line + strlen(piece) + 3 > COLUMNS) {
		vt_buf_puts(b, ",\n\t");
		*line = b->n - TAB;
	} else {
		vt_buf_puts(b, ", ");
	}
	vt_buf_puts(b, piece);
}

static void
put_arguments(em *e, const ir_method *m, vt_buf *b, size_t *line)
{
	const char *all = "";

	for (uint32_t k = 0; k < m->nparams; k++)
		all = vc_format(e->c, "%s%s%s", all, k ? " && " : "",
			is_rest(m, k) ? takes_rest(e, &m->params[k], k)
				      : takes_argument(e, m->params[k].contract, k));
	put_piece(e, b, line, m->nparams ? all : "1");
	put_piece(e, b, line, em_func_name(e, m->body));
	for (uint32_t k = 0; k < m->nparams; k++)
		put_piece(e, b, line,
			vc_format(e->c,
				!is_rest(m, k) && may_grow(m->params[k].contract)
					? "vt_take(rt, &args[%u])"
					: "vt_copy(args[%u])",
				k));
}

void
em_entry(em *e, const ir_method *m, uint32_t i)
{
	const char *name = em_entry_name(e, m->body), *ints = em_int_method_call(e, m, i);
	vt_buf *b = &e->funcs;
	size_t start = b->n, line = start;

	em_declare(e, "static vt_entry_c", name);
	vt_buf_printf(b, "VT_ENTRY%s(%s, %s, md%u_%u", ints ? "_INTS" : "", name,
		em_has_rest(m) ? "spread" : "plain", e->local, i);
	if (ints)
		put_piece(e, b, &line, ints);
	put_arguments(e, m, b, &line);
	vt_buf_puts(b, ")\n");
	em_mark_lines(e, m->body, m->line, start);
}

/* The constant that code only returns, or NULL. */
static const ir_const *
constant_code(const ir_func *f)
{
	const ir_const *k = NULL;

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_RET)
			return k;
		if (in->op == IR_CONST ? k != NULL : in->op != IR_FINAL && in->op != IR_FREE)
			return NULL;
		if (in->op == IR_CONST)
			k = &in->k;
	}
	return NULL;
}

static uint32_t
set_of(const ir_const *k)
{
	switch ((enum ir_const_kind)k->kind) {
	case IK_NULL: return VT_TAKES_NULL;
	case IK_TRUE:
	case IK_FALSE: return VT_TAKES_BOOL;
	case IK_INT: return VT_TAKES_INT;
	case IK_FLOAT: return VT_TAKES_KIND(VT_K_FLOAT);
	case IK_STR: return VT_TAKES_KIND(VT_K_STR);
	case IK_NOVALUE:
	case IK_BIG:
	case IK_STAMP: break;
	}
	return 0;
}

const char *
em_omitted(em *e, const ir_param *p)
{
	static const ir_const null = {.kind = IK_NULL};
	const ir_const *k = p->dflt ? constant_code(p->dflt) : &null;
	const char *v;

	if (!vc_pass_on(e->c, CALLS) || k == NULL || (em_takes(p->contract) & set_of(k)) == 0)
		return "NULL, 0";
	v = em_value(e, k);
	/* vt_mkptr(&s1) -> &s1 */
	return em_on_heap(k) ? vc_format(e->c, "%.*s, 0", (int)strlen(v) - 10, v + 9)
			     : vc_format(e->c, "NULL, %s", v);
}

/* ---- which calls can arrive at one ------------------------------------------------------- */

/* Open addressing over methods with an entry: names and numbers of arguments, once each. */
struct em_methods {
	const vc *c;
	const ir_method **v;
	uint32_t mask;
	const char **extension; /* names of extension methods */
	uint32_t nextension;
};

static const ir_method **
find(const struct em_methods *t, const char *name, uint32_t nargs)
{
	uint32_t i = (uint32_t)vc_hash(t->c, name, strlen(name)) + nargs * 0x9e3779b9u;

	for (;; i++) {
		const ir_method **m = &t->v[i & t->mask];
		if (*m == NULL || ((*m)->nparams == nargs && strcmp((*m)->name, name) == 0))
			return m;
	}
}

static void
note_method(struct em_methods *t, const em *e, const ir_method *m)
{
	if (em_has_entry(e, m) && !em_has_rest(m) && m->usage != VT_M_EXTENSION)
		*find(t, m->name, m->nparams) = m;
	if (m->usage == VT_M_EXTENSION)
		t->extension[t->nextension++] = m->name;
}

bool
em_is_extension(const em *e, const char *name)
{
	const struct em_methods *t = e->methods;

	if (t == NULL)
		return e->m->npackages > 0;
	for (uint32_t i = 0; i < t->nextension; i++)
		if (strcmp(t->extension[i], name) == 0)
			return true;
	return false;
}

struct em_methods *
em_methods(vc *c, const ir_module *m)
{
	struct em_methods *t = vc_alloc(c, sizeof *t);
	const em e = {.c = c, .m = m};
	uint32_t n = 0, size = 16;

	memset(t, 0, sizeof *t);
	t->c = c;
	for (uint32_t i = 0; i < m->npackages; i++)
		for (uint32_t k = 0; k < m->packages[i]->nclasses; k++)
			n += m->packages[i]->classes[k]->nmethods;
	while (size < 2 * n)
		size *= 2;
	t->v = vc_alloc(c, size * sizeof(ir_method *));
	t->mask = size - 1;
	t->extension = vc_alloc(c, (n + 1) * sizeof *t->extension);
	for (uint32_t i = 0; i < m->npackages; i++)
		for (uint32_t k = 0; k < m->packages[i]->nclasses; k++) {
			const ir_class *cls = m->packages[i]->classes[k];
			for (uint32_t j = 0; j < cls->nmethods; j++)
				note_method(t, &e, &cls->methods[j]);
		}
	return t;
}

/* Every argument is a value by now. */
static bool
is_plain(const ir_ins *in)
{
	const ir_site *s = in->site;

	if (s->nargs != in->nlist)
		return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].keyword || s->args[i].key || s->args[i].code ||
			s->args[i].kind == VT_A_NOVALUE || s->args[i].kind == VT_A_MAPPING ||
			(in->list[i] < 0 && s->args[i].k.kind == IK_BIG))
			return false;
	return true;
}

bool
em_calls_entry(const em *e, const ir_ins *in, bool on_self, int32_t *m)
{
	const ir_site *s = in->site;
	uint32_t i;

	*m = -1;
	if (in->op != IR_CALLM || e->methods == NULL || !vc_pass_on(e->c, CALLS) || !is_plain(in) ||
		*find(e->methods, s->name, s->nargs) == NULL)
		return false;
	if (e->cls == NULL || !on_self)
		return true;
	i = vc_index_of(e->c, e->named, e->names, e->cls->nmethods, s->name);
	/* $this of a static method is the type, so it is not called as those of an object are. */
	if (i != UINT32_MAX && e->cls->methods[i].usage != VT_M_STATIC &&
		e->cls->methods[i].usage != VT_M_EXTENSION &&
		e->cls->methods[i].nparams == s->nargs && !em_has_rest(&e->cls->methods[i]) &&
		em_has_entry(e, &e->cls->methods[i]))
		*m = (int32_t)i;
	return true;
}

/*
 * eval.c - expressions to values, and cells.
 *
 * A cell is evaluated when somebody asks for it.  Values may depend on each other over as many
 * nodes as there are, so the recursion goes on in another segment of stack where one is nearly used
 * up (docs/internals/runtime-task.md); only what is nested within one value is limited.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

static vt_tplace
place_of(const vt_texpr *x)
{
	return (vt_tplace){x->file, x->at};
}

/* ---- literals ---- */

/* The limits of one evaluation; what they end is unknown. */
static bool
enter(vt_tosca *t, const vt_texpr *x)
{
	if (++t->steps > t->limit.max_steps) {
		if (t->steps == t->limit.max_steps + 1) {
			/* also where a filter is asked, whose own problems nobody hears of */
			uint32_t quiet = t->mem->quiet;
			t->mem->quiet = 0;
			vt_tosca_problem(t, VT_E2090, place_of(x),
				"the service takes more than %llu steps to evaluate",
				(unsigned long long)t->limit.max_steps);
			t->mem->quiet = quiet;
		}
		return false;
	}
	if (t->depth >= t->limit.max_depth) {
		vt_tosca_problem(t, VT_E2073, place_of(x),
			"values and calls are nested more than %u deep", t->limit.max_depth);
		return false;
	}
	return true;
}

static bool
list_of(vt_tosca *t, const vt_tctx *ctx, const vt_texpr *x, vt_value *out)
{
	vt_list *l = vt_list_grow(t->rt, VT_K_TUPLE, x->n);
	bool known = true;
	for (uint32_t i = 0; i < x->n; i++) {
		vt_value v;
		if (!vt_tosca_eval(t, ctx, t->m->index[x->u.k.at + i], &v))
			known = false;
		else if (v != VT_NOVALUE) /* an `if` without a branch for it */
			vt_list_push(t->rt, l, v);
	}
	if (!known) {
		vt_release(vt_mkptr(l));
		return false;
	}
	return vt_tosca_give(out, vt_mkptr(l));
}

static bool
put_pair(vt_tosca *t, const vt_tctx *ctx, const vt_texpr *x, uint32_t i, vt_dict *d)
{
	vt_value key, v;
	uint32_t at = x->u.k.at + 2 * i;
	bool known = vt_tosca_eval(t, ctx, t->m->index[at], &key);
	known &= vt_tosca_eval(t, ctx, t->m->index[at + 1], &v);
	if (known && !vt_hashable(key)) {
		vt_tosca_problem(t, VT_E2040, place_of(&t->m->expr[t->m->index[at]]),
			"this cannot be the key of a map");
		known = false;
	}
	if (known && v != VT_NOVALUE)
		vt_dict_set(t->rt, d, key, v);
	vt_clear(&key);
	vt_clear(&v);
	return known;
}

static bool
map_of(vt_tosca *t, const vt_tctx *ctx, const vt_texpr *x, vt_value *out)
{
	vt_dict *d = vt_dict_new_cap(t->rt, true, x->n);
	bool known = true;
	for (uint32_t i = 0; i < x->n; i++)
		known &= put_pair(t, ctx, x, i, d);
	if (!known) {
		vt_release(vt_mkptr(d));
		return false;
	}
	return vt_tosca_give(out, vt_mkptr(d));
}

/* ---- custom functions ---- */

static uint32_t
parameter(const vt_tsignature *s, uint32_t i)
{
	return s->args.first + (i < s->args.n ? i : s->args.n - 1);
}

static bool
takes(const vt_tsignature *s, uint32_t n)
{
	return n >= s->nrequired && (n <= s->args.n || s->variadic);
}

/* The arguments as the signature wants them, in typed[]; false: it does not take them. */
static bool
type_arguments(vt_tosca *t, const vt_tctx *ctx, const vt_tsignature *s, const vt_value *args,
	uint32_t n, vt_value *typed)
{
	bool ok = true;
	for (uint32_t i = 0; i < n; i++) {
		typed[i] = VT_UNDEF;
		uint32_t schema = s->args.n ? t->m->slot[parameter(s, i)].schema : 0;
		if (schema)
			ok &= vt_tosca_type(t, ctx, schema, 0, args[i], NULL, &typed[i]);
		else
			typed[i] = vt_copy(args[i]);
	}
	return ok;
}

static void
release_all(vt_value *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vt_clear(&v[i]);
}

static bool
run_body(vt_tosca *t, const vt_tctx *ctx, const vt_tsignature *s, const vt_value *typed, uint32_t n,
	vt_value *out)
{
	vt_tctx inner = *ctx;
	vt_value v;
	if (!s->body) {
		if (!t->partial)
			vt_tosca_fail(t, ctx,
				"it has no implementation that is an expression, and others cannot "
				"run here");
		return false;
	}
	inner.args = typed, inner.nargs = n;
	if (!vt_tosca_eval(t, &inner, s->body, &v))
		return false;
	if (!s->result)
		return vt_tosca_give(out, v);
	bool ok = vt_tosca_type(t, ctx, s->result, s->body, v, NULL, out);
	vt_release(v);
	return ok;
}

/* The first signature that takes the arguments; where there is only one, its objections are
 * reported.
 */
static const vt_tsignature *
signature_of(vt_tosca *t, const vt_tctx *ctx, const vt_tfunction *f, const vt_value *args,
	uint32_t n, vt_value *typed)
{
	const vt_tsignature *s = &t->m->signature[f->signatures.first];
	for (uint32_t i = 0; i < f->signatures.n; i++) {
		uint32_t before = t->mem->silenced;
		bool alone = f->signatures.n == 1;
		if (!takes(&s[i], n))
			continue;
		t->mem->quiet += !alone;
		bool ok = type_arguments(t, ctx, &s[i], args, n, typed);
		t->mem->quiet -= !alone;
		if (ok || alone)
			return ok ? &s[i] : NULL;
		release_all(typed, n);
		if (!t->mem->quiet)
			t->mem->silenced = before;
	}
	vt_tosca_fail(t, ctx, "no signature takes %s arguments", n == 0 ? "no" : "these");
	return NULL;
}

static bool
call_custom(vt_tosca *t, const vt_tctx *ctx, uint32_t fn, const vt_value *args, uint32_t n,
	vt_value *out)
{
	const vt_tfunction *f = &t->m->function[fn & (VT_TX_CUSTOM - 1)];
	vt_tctx named = *ctx;
	named.fn = vt_tosca_text(t, f->name);
	if (!f->signatures.n)
		return t->partial ? false : vt_tosca_fail(t, &named, "it has no signatures");
	vt_value *typed = vt_xmalloc((n + 1) * sizeof *typed);
	for (uint32_t i = 0; i < n; i++)
		typed[i] = VT_UNDEF;
	const vt_tsignature *s = signature_of(t, &named, f, args, n, typed);
	bool ok = s && run_body(t, &named, s, typed, n, out);
	release_all(typed, n);
	free(typed);
	return ok;
}

/* ---- calls ---- */

/* False: one is unknown. All are evaluated, so that each reports its problems. */
static bool
arguments(vt_tosca *t, const vt_tctx *ctx, const vt_texpr *x, uint32_t flags, vt_value *args)
{
	bool known = true;
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t e = t->m->index[x->u.k.at + i];
		if (flags & VT_TF_LAZY)
			args[i] = vt_mkint(e);
		else
			known &= vt_tosca_eval(t, ctx, e, &args[i]);
	}
	return known || flags & VT_TF_UNKNOWN;
}

/* One that is new, and so was made here: what others hold too has been looked at. */
static bool
is_small(vt_tosca *t, vt_tplace place, vt_value *v)
{
	uint64_t left = t->limit.max_value;
	if (!vt_is_ptr(*v) || vt_head_of(*v)->rc != 1 || vt_takes_at_most(*v, &left))
		return true;
	vt_clear(v);
	vt_tosca_problem(t, VT_E2091, place, "the value has more than %llu MiB",
		(unsigned long long)(t->limit.max_value >> 20));
	vt_tosca_hint(t, "a value that is made of an earlier one twice grows twofold with each "
			 "step; --max-value allows more");
	return false;
}

/* Of a call whose arguments are known. */
static bool
run_call(vt_tosca *t, const vt_tctx *ctx, const vt_tcall *c, vt_tfn fn, const vt_value *args,
	uint32_t n, vt_value *out)
{
	const vt_tfunc_row *f = c->fn & VT_TX_CUSTOM ? NULL : &vt_tfuncs[c->fn];
	vt_tctx at = *ctx;
	at.place = c->place;
	at.fn = f ? f->name : NULL;
	if (!f)
		return call_custom(t, &at, c->fn, args, n, out);
	if ((int)n < f->min || (f->max >= 0 && (int)n > f->max))
		return false; /* the front end says so */
	if (f->flags & VT_TF_GRAPH && !ctx->service)
		return !t->mem->only_types &&
		       vt_tosca_fail(t, &at, "it asks for nodes, and here there are none");
	return fn(t, &at, args, n, out);
}

static bool
call_row(vt_tosca *t, const vt_tctx *ctx, const vt_texpr *x, vt_value *args, vt_value *out)
{
	vt_tcall c = {x->u.k.fn, place_of(x)};
	const vt_tfunc_row *f = c.fn & VT_TX_CUSTOM ? NULL : &vt_tfuncs[c.fn];
	if (!arguments(t, ctx, x, f ? f->flags : 0, args))
		return false;
	return run_call(t, ctx, &c, f ? f->fn : NULL, args, x->n, out);
}

static bool
call(vt_tosca *t, const vt_tctx *ctx, const vt_texpr *x, vt_value *out)
{
	vt_value few[8], *args = x->n <= VT_LEN(few) ? few : vt_xmalloc(x->n * sizeof *args);
	for (uint32_t i = 0; i < x->n; i++)
		args[i] = VT_UNDEF;
	bool ok = call_row(t, ctx, x, args, out);
	if (!ok)
		vt_clear(out);
	release_all(args, x->n);
	if (args != few)
		free(args);
	return ok;
}

/* ---- what compiled expressions call (vt_tosca.h) ---- */

bool
vt_tosca_call(vt_tosca *t, const vt_tctx *ctx, const vt_tcall *c, vt_tfn fn, const vt_value *args,
	uint32_t n, vt_value *out)
{
	vt_texpr x = {.kind = VT_TX_CALL, .file = (uint16_t)c->place.file, .at = c->place.at};
	bool unknown = !(c->fn & VT_TX_CUSTOM) && vt_tfuncs[c->fn].flags & VT_TF_UNKNOWN, ok;
	*out = VT_UNDEF;
	for (uint32_t i = 0; i < n && !unknown; i++)
		if (args[i] == VT_UNDEF)
			return false;
	if (!enter(t, &x))
		return false;
	t->depth++;
	ok = run_call(t, ctx, c, fn, args, n, out);
	t->depth--;
	if (!ok)
		vt_clear(out);
	return ok && is_small(t, c->place, out);
}

bool
vt_tosca_make_list(vt_tosca *t, const vt_value *items, uint32_t n, vt_value *out)
{
	*out = VT_UNDEF;
	for (uint32_t i = 0; i < n; i++)
		if (items[i] == VT_UNDEF)
			return false;
	vt_list *l = vt_list_grow(t->rt, VT_K_TUPLE, n);
	for (uint32_t i = 0; i < n; i++)
		if (items[i] != VT_NOVALUE)
			vt_list_push(t->rt, l, vt_copy(items[i]));
	return vt_tosca_give(out, vt_mkptr(l));
}

bool
vt_tosca_make_map(vt_tosca *t, vt_tplace place, const vt_value *pairs, uint32_t n, vt_value *out)
{
	vt_dict *d = vt_dict_new_cap(t->rt, true, n / 2);
	bool known = true;
	*out = VT_UNDEF;
	for (uint32_t i = 0; i + 1 < n; i += 2) {
		if (pairs[i] == VT_UNDEF || pairs[i + 1] == VT_UNDEF) {
			known = false;
		} else if (!vt_hashable(pairs[i])) {
			vt_tosca_problem(t, VT_E2040, place, "this cannot be the key of a map");
			known = false;
		} else if (pairs[i + 1] != VT_NOVALUE) {
			vt_dict_set(t->rt, d, pairs[i], pairs[i + 1]);
		}
	}
	if (known)
		return vt_tosca_give(out, vt_mkptr(d));
	vt_release(vt_mkptr(d));
	return false;
}

void
vt_tosca_release(vt_value *v, uint32_t n)
{
	release_all(v, n);
}

/* ---- expressions ---- */

typedef struct task {
	vt_tosca *t;
	const vt_tctx *ctx;
	uint32_t expr;
	vt_value *out;
	bool ok;
} task;

static vt_status
eval_task(vt_rt *rt, void *data)
{
	task *k = data;
	(void)rt;
	k->ok = vt_tosca_eval(k->t, k->ctx, k->expr, k->out);
	return VT_OK;
}

static bool
no_stack(vt_tosca *t, vt_tplace place)
{
	vt_exc_clear(t->rt);
	vt_tosca_problem(t, VT_E2073, place,
		"there is no memory to evaluate what depends on so many others");
	return false;
}

static bool
compound(vt_tosca *t, const vt_tctx *ctx, uint32_t expr, vt_value *out)
{
	const vt_texpr *x = &t->m->expr[expr];
	bool ok = false;
	if (!enter(t, x))
		return false;
	if (vt_tosca_low(t)) {
		task k = {t, ctx, expr, out, false};
		return vt_on_segment(t->rt, eval_task, &k) == VT_OK ? k.ok
								    : no_stack(t, place_of(x));
	}
	t->depth++;
	if (expr < t->m->n_coded && t->m->coded[expr])
		ok = t->m->code[t->m->coded[expr] - 1](t, ctx, out);
	else if (x->kind == VT_TX_LIST)
		ok = list_of(t, ctx, x, out);
	else if (x->kind == VT_TX_MAP)
		ok = map_of(t, ctx, x, out);
	else
		ok = call(t, ctx, x, out);
	t->depth--;
	return ok && is_small(t, place_of(x), out);
}

bool
vt_tosca_eval(vt_tosca *t, const vt_tctx *ctx, uint32_t expr, vt_value *out)
{
	const vt_texpr *x = &t->m->expr[expr];
	*out = VT_UNDEF;
	switch ((enum vt_tx_kind)x->kind) {
	case VT_TX_NONE: return false;
	case VT_TX_NULL: return vt_tosca_give(out, VT_NULL);
	case VT_TX_BOOL: return vt_tosca_give(out, vt_mkbool(x->u.i));
	case VT_TX_INT: return vt_tosca_give(out, vt_int_new(t->rt, x->u.i));
	case VT_TX_BIG: {
		const vt_str *s = t->m->str[x->u.str];
		return vt_int_parse(t->rt, s->s, s->bytes, 10, out) == VT_OK;
	}
	case VT_TX_FLOAT: return vt_tosca_give(out, vt_float_new(t->rt, x->u.f));
	case VT_TX_STR: return vt_tosca_give(out, vt_copy(vt_tosca_str(t, x->u.str)));
	case VT_TX_LIST:
	case VT_TX_MAP:
	case VT_TX_CALL: break;
	}
	return compound(t, ctx, expr, out);
}

bool
vt_tosca_count(vt_tosca *t, const vt_tctx *ctx, uint32_t expr, const char *what, uint32_t *out)
{
	vt_value v = VT_UNDEF;
	bool ok = vt_tosca_eval(t, ctx, expr, &v);
	if (ok && (!vt_is_int(v) || vt_toint(v) < 0 || vt_toint(v) >= VT_TUNBOUNDED)) {
		vt_tosca_problem(t, VT_E2040, place_of(&t->m->expr[expr]),
			"%s must be an integer from 0 on", what);
		ok = false;
	}
	if (ok)
		*out = (uint32_t)vt_toint(v);
	vt_clear(&v);
	return ok;
}

/* ---- bags ---- */

static void
fill(vt_tosca *t, vt_tcell *c, vt_tspan slots)
{
	for (uint32_t i = 0; i < slots.n; i++) {
		const vt_tslot *s = &t->m->slot[slots.first + i];
		c[i].name = s->name;
		c[i].slot = slots.first + i;
		c[i].expr = s->dflt;
		c[i].place = s->place;
	}
}

static vt_tcell *
cell_for(const vt_tbag *b, uint32_t name)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->cell[i].name == name)
			return &b->cell[i];
	return NULL;
}

/* The cells that all have who assign nothing; NULL: a default speaks of the node, so each has its
 * own. */
static vt_tcell *
shared_cells(vt_tosca *t, vt_tspan slots)
{
	static const vt_tcell none;
	struct vt_tosca_mem *mem = t->mem;
	if (!mem->shared) {
		mem->shared = vt_xzalloc(t->m->n_slot * sizeof(vt_tcell *));
	}
	vt_tcell **c = &mem->shared[slots.first];
	if (!*c) {
		bool constant = true;
		for (uint32_t i = 0; i < slots.n; i++)
			constant &= !t->m->slot[slots.first + i].dflt ||
				    t->m->expr[t->m->slot[slots.first + i].dflt].constant;
		*c = constant ? vt_tosca_cells(t, slots.n) : (vt_tcell *)(uintptr_t)&none;
		if (constant)
			fill(t, *c, slots);
	}
	return *c == &none ? NULL : *c;
}

static uint32_t
count_undeclared(const vt_tmodel *m, vt_tspan slots, const vt_tspan *assigns, uint32_t n)
{
	uint32_t more = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < assigns[i].n; k++) {
			const vt_tassign *a = &m->assign[assigns[i].first + k];
			bool found = a->slot - slots.first < slots.n && a->slot;
			for (uint32_t s = 0; s < slots.n && !found; s++)
				found = m->slot[slots.first + s].name == a->name;
			more += !found;
		}
	return more;
}

vt_tbag
vt_tosca_bag_of(vt_tosca *t, vt_tspan slots, const vt_tspan *assigns, uint32_t nassigns)
{
	vt_tbag b = {NULL, slots.n};
	uint32_t total = 0;
	for (uint32_t i = 0; i < nassigns; i++)
		total += assigns[i].n;
	if (!total && slots.n && (b.cell = shared_cells(t, slots)))
		return b;
	b.cell = vt_tosca_cells(t, slots.n + count_undeclared(t->m, slots, assigns, nassigns));
	fill(t, b.cell, slots);
	for (uint32_t i = 0; i < nassigns; i++)
		for (uint32_t k = 0; k < assigns[i].n; k++) {
			const vt_tassign *a = &t->m->assign[assigns[i].first + k];
			bool direct = a->slot && a->slot - slots.first < slots.n;
			vt_tcell *c =
				direct ? &b.cell[a->slot - slots.first] : cell_for(&b, a->name);
			if (!c) {
				c = &b.cell[b.n++];
				c->name = a->name;
			}
			c->expr = a->expr;
			c->place = a->place;
		}
	return b;
}

vt_tbag
vt_tosca_bag_own(vt_tosca *t, vt_tspan slots)
{
	vt_tbag b = {vt_tosca_cells(t, slots.n), slots.n};
	fill(t, b.cell, slots);
	return b;
}

vt_tbag
vt_tosca_bag(vt_tosca *t, vt_tspan slots, vt_tspan assigns)
{
	return vt_tosca_bag_of(t, slots, &assigns, 1);
}

vt_tcell *
vt_tosca_find(const vt_tbag *b, uint32_t name)
{
	return name ? cell_for(b, name) : NULL;
}

vt_tcell *
vt_tosca_find_own(vt_tosca *t, vt_tbag *b, uint32_t name)
{
	if (b->n && b->cell[0].slot && t->mem->shared &&
		t->mem->shared[b->cell[0].slot] == b->cell) {
		vt_tcell *own = vt_tosca_cells(t, b->n);
		for (uint32_t i = 0; i < b->n; i++) {
			own[i] = b->cell[i];
			vt_retain(own[i].value);
		}
		b->cell = own;
	}
	return vt_tosca_find(b, name);
}

vt_tcell *
vt_tosca_lookup(const vt_tosca *t, const vt_tbag *b, vt_value name)
{
	return vt_is(name, STR) ? vt_tosca_find(b, vt_tosca_find_str(t, vt_as_str(name))) : NULL;
}

void
vt_tosca_link(vt_tosca *t, vt_tcell *c, vt_tctx ctx, vt_tcell *to)
{
	struct vt_tosca_mem *mem = t->mem;
	vt_push(mem->link, mem->nlinks) = (vt_tlink){ctx, to};
	vt_clear(&c->value);
	c->given = VT_TG_LINK;
	c->state = VT_TC_NEW;
	c->expr = mem->nlinks - 1;
}

/* ---- cells ---- */

static void
say_owner(vt_buf *b, const vt_tosca *t, const vt_tctx *ctx)
{
	if (ctx->rel) {
		vt_buf_printf(
			b, " of the relationship '%s' of '", vt_tosca_text(t, ctx->rel->name));
		vt_tosca_name(b, t, ctx->rel->source);
		vt_buf_putc(b, '\'');
	} else if (ctx->node) {
		vt_buf_puts(b, " of '");
		vt_tosca_name(b, t, ctx->node);
		vt_buf_putc(b, '\'');
	}
}

/* Defaults are those of a type, whoever asks first. */
static void
say_cell(vt_buf *b, const vt_tosca *t, const vt_titem *item)
{
	const vt_tcell *c = item->b;
	bool dflt = !c->given && c->slot && c->expr == t->m->slot[c->slot].dflt;
	vt_buf_printf(b, "%s'%s'", dflt ? "the default of " : "", vt_tosca_text(t, c->name));
	if (!dflt)
		say_owner(b, t, item->a);
}

static void
say_loop(vt_tosca *t, const vt_tctx *ctx, const vt_tcell *cell)
{
	vt_buf b = {NULL, 0, 0};
	uint32_t n = 0, line, col;
	vt_buf_printf(&b, "'%s'", vt_tosca_text(t, cell->name));
	say_owner(&b, t, ctx);
	vt_tosca_problem(
		t, VT_E2072, cell->place, "the value of %.*s depends on itself", (int)b.n, b.p);
	b.n = 0;
	for (const vt_tbusy *k = t->mem->busy; k && k->cell != cell; k = k->up) {
		if (++n > 8)
			continue;
		vt_buf_printf(&b, "%s'%s'", n > 1 ? ", " : "", vt_tosca_text(t, k->cell->name));
		say_owner(&b, t, k->ctx);
		if (vt_tosca_locate(t->m, k->cell->place, &line, &col))
			vt_buf_printf(&b, " at %s:%u", t->m->file[k->cell->place.file], line);
	}
	if (n)
		vt_tosca_hint(t, "it is needed by %.*s%s", (int)b.n, b.p, n > 8 ? " and more" : "");
	vt_buf_free(&b);
}

static void
no_input(vt_tosca *t, const vt_tcell *c)
{
	if (t->partial)
		return;
	vt_tosca_problem(
		t, VT_E2081, c->place, "the input '%s' has no value", vt_tosca_text(t, c->name));
	vt_tosca_hint(t, "give one with --input %s=VALUE", vt_tosca_text(t, c->name));
}

static bool
is_input(const vt_tctx *ctx, const vt_tcell *c)
{
	const vt_tbag *in = ctx->service ? &ctx->service->inputs : NULL;
	return in && in->n && c >= in->cell && c < in->cell + in->n;
}

/* What the cell has, before it is typed; false: unknown. */
static bool
raw_value(vt_tosca *t, const vt_tctx *ctx, vt_tcell *c, vt_value *out)
{
	if (c->given == VT_TG_INPUT)
		return vt_tosca_give(out, vt_copy(c->value));
	if (c->given == VT_TG_LINK) {
		vt_tlink k = t->mem->link[c->expr];
		vt_value v = vt_tosca_cell(t, &k.ctx, k.cell);
		*out = vt_copy(v);
		return v != VT_UNDEF;
	}
	if (c->expr)
		return vt_tosca_eval(t, ctx, c->expr, out);
	*out = VT_NOVALUE;
	if (!is_input(ctx, c) || !(t->m->slot[c->slot].flags & VT_TS_REQUIRED))
		return true;
	no_input(t, c);
	return false;
}

static vt_value
compute(vt_tosca *t, const vt_tctx *ctx, vt_tcell *c)
{
	vt_tctx at = *ctx;
	vt_value raw = VT_UNDEF, typed = VT_UNDEF;
	uint32_t schema = c->slot ? t->m->slot[c->slot].schema : 0;
	at.place = c->place;
	at.value = VT_UNDEF;
	if (!raw_value(t, &at, c, &raw))
		return raw;
	if (c->slot && t->m->slot[c->slot].flags & VT_TS_PRIVATE)
		vt_secret_add_value(t->rt, t->rt->s, raw);
	if (raw == VT_NOVALUE || !schema)
		return raw;
	vt_titem item = {say_cell, &at, c, 0};
	if (!vt_tosca_type(t, &at, schema, c->given ? 0 : c->expr, raw, &item, &typed))
		vt_clear(&typed);
	vt_release(raw);
	return typed;
}

typedef struct cell_task {
	vt_tosca *t;
	const vt_tctx *ctx;
	vt_tcell *c;
	vt_value v;
} cell_task;

static vt_status
compute_task(vt_rt *rt, void *data)
{
	cell_task *k = data;
	(void)rt;
	k->v = compute(k->t, k->ctx, k->c);
	return VT_OK;
}

/* What was wrong while nobody was to hear of it is reported by evaluating once more. */
static bool
is_current(const vt_tosca *t, const vt_tcell *c)
{
	return c->state == VT_TC_DONE && (!c->epoch || c->epoch == t->epoch) &&
	       (!c->hushed || t->mem->quiet);
}

vt_value
vt_tosca_cell(vt_tosca *t, const vt_tctx *ctx, vt_tcell *c)
{
	if (is_current(t, c)) {
		t->touched |= c->epoch != 0;
		t->mem->silenced += c->hushed;
		return c->value;
	}
	if (c->state == VT_TC_BUSY) {
		say_loop(t, ctx, c);
		return VT_UNDEF;
	}
	vt_tbusy busy = {t->mem->busy, c, ctx};
	cell_task k = {t, ctx, c, VT_UNDEF};
	uint32_t depth = t->depth, before = t->mem->silenced;
	bool touched = t->touched;
	t->mem->busy = &busy;
	t->depth = 0;
	t->touched = false;
	c->state = VT_TC_BUSY;
	if (!vt_tosca_low(t))
		k.v = compute(t, ctx, c);
	else if (vt_on_segment(t->rt, compute_task, &k) != VT_OK)
		no_stack(t, c->place);
	t->depth = depth;
	t->mem->busy = busy.up;
	c->hushed = t->mem->quiet && t->mem->silenced != before;
	c->epoch = t->touched || c->live ? t->epoch : 0;
	t->touched |= touched || c->live;
	if (c->hushed && c->given == VT_TG_INPUT) { /* its value is still to be typed */
		c->state = VT_TC_NEW;
		vt_clear(&k.v);
		return VT_UNDEF;
	}
	c->state = VT_TC_DONE;
	vt_move(&c->value, k.v);
	return c->value;
}

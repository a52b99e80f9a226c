/* lambda_table.c - lambda programs as constant tables: the order of their steps, their C. */
#include "compiler/emit/lambda.h"

#include <string.h>

/* ---- the order of steps ---- */

static bool
is_binary(const lp_step *s)
{
	return s->op >= VT_STEP_ADD && s->op <= VT_STEP_OR && s->op != VT_STEP_NOT;
}

static bool
makes(const lp_step *s)
{
	return s->op >= VT_STEP_LIST && s->op <= VT_STEP_DICT;
}

static bool
has_left(const lp_step *s)
{
	return s->op != VT_STEP_ITEM && s->op != VT_STEP_CONST && s->op != VT_STEP_DYN &&
	       s->op != VT_STEP_OUTER && !makes(s);
}

uint32_t
lp_operands(lp_step *s, uint8_t *of[LP_OPERANDS])
{
	uint32_t n = 0;

	if (has_left(s))
		of[n++] = &s->a;
	if (is_binary(s) || s->op == VT_STEP_CHOOSE)
		of[n++] = &s->b;
	if (s->op == VT_STEP_CHOOSE || s->op == VT_STEP_NEST)
		of[n++] = &s->c;
	of[n++] = &s->guard;
	for (uint32_t i = 0; i < s->n; i++)
		of[n++] = &s->args[i];
	return n;
}

/* What a nested program reads of this one belongs to the step that it is nested in. */
static bool
take_outer(lp_program *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		lp_step *s = &t->t[i];
		uint32_t n = 0;
		if (s->op != VT_STEP_NEST)
			continue;
		for (uint32_t k = 0; k < s->nest->n; k++)
			n += s->nest->program[k]->nouter;
		if (n > LP_ARGS)
			return false;
		s->args = vc_alloc(t->e->c, n + 1);
		for (uint32_t k = 0; k < s->nest->n; k++) {
			lp_program *p = s->nest->program[k];
			for (uint32_t j = 0; j < p->n; j++)
				if (p->t[j].op == VT_STEP_OUTER)
					p->t[j].a = (uint8_t)(p->t[j].a + s->n);
			memcpy(s->args + s->n, p->outer, p->nouter);
			s->n = (uint8_t)(s->n + p->nouter);
		}
	}
	return true;
}

static void
use(lp_program *t, uint8_t r)
{
	if (r < t->n)
		t->t[r].uses++;
}

/* A text may change where it is, so it is used once, by a step that takes texts. */
static bool
is_for_texts(const lp_step *s)
{
	return s->op <= VT_STEP_UNMATCH && !(s->flags & VT_STEP_SOFT) &&
	       !(s->flags & VT_STEP_PLAIN);
}

/* It becomes a string like what other calls give. */
static bool
make_plain(lp_step *s)
{
	s->text = false;
	if (s->op == VT_STEP_ADD) {
		s->flags |= VT_STEP_PLAIN;
		return true;
	}
	if (s->op == VT_STEP_REPLACE && strcmp(s->ins->site->name, "replace") != 0)
		return false;
	s->op = VT_STEP_CALL;
	s->n = (uint8_t)s->ins->nlist;
	s->b = s->c = VT_STEP_K;
	return true;
}

static bool
settle_texts(lp_program *t)
{
	uint8_t *of[LP_OPERANDS];

	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = lp_operands(&t->t[i], of); k-- > 0;)
			use(t, *of[k]);
	for (uint32_t i = 0; i < t->nout; i++)
		use(t, t->out[i]);
	for (uint32_t i = 0; i < t->n; i++) {
		lp_step *s = &t->t[i];
		bool wanted = s->text && s->uses > 1 && s->op < VT_STEP_PIECE;
		for (uint32_t k = i + 1; s->text && s->op < VT_STEP_PIECE && !wanted && k < t->n;
			k++)
			for (uint32_t j = lp_operands(&t->t[k], of); j-- > 0;)
				wanted |= *of[j] == i && !is_for_texts(&t->t[k]);
		if (!wanted)
			continue;
		if (s->op == VT_STEP_UPPER || s->op == VT_STEP_LOWER || s->op == VT_STEP_REPLACE) {
			s->args = vc_alloc(t->e->c, s->ins->nlist + 1);
			memset(s->args, VT_STEP_K, s->ins->nlist + 1);
		}
		if (!make_plain(s))
			return false;
	}
	return true;
}

/* Those that nobody reads and that cannot fail need not be done. */
static void
find_dead(lp_program *t, bool dead[LP_MOST])
{
	uint8_t *of[LP_OPERANDS];
	uint32_t uses[LP_MOST + 1] = {0};

	for (uint32_t i = 0; i < t->nout; i++)
		uses[t->out[i]]++;
	for (uint32_t i = t->n; i-- > 0;) {
		const lp_step *s = &t->t[i];
		dead[i] = uses[i] == 0 &&
			  (s->op == VT_STEP_LIST || s->op == VT_STEP_MAP ||
				  s->op == VT_STEP_CONST || s->op == VT_STEP_ITEM || s->may_drop);
		for (uint32_t k = dead[i] ? 0 : lp_operands(&t->t[i], of); k-- > 0;)
			if (*of[k] != VT_STEP_K)
				uses[*of[k]]++;
	}
}

/* Texts, and what hangs on them, go behind all else. */
bool
lp_settle(lp_program *t)
{
	lp_step made[LP_MOST];
	uint8_t to[LP_MOST], n = 0, *of[LP_OPERANDS];
	bool late[LP_MOST], dead[LP_MOST];

	if (!take_outer(t) || !settle_texts(t))
		return false;
	find_dead(t, dead);
	for (uint32_t i = 0; i < t->n; i++) {
		late[i] = t->t[i].text;
		for (uint32_t k = lp_operands(&t->t[i], of); k-- > 0;)
			late[i] |= *of[k] < i && late[*of[k]];
	}
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < t->n; i++)
			if (!dead[i] && late[i] == (pass == 1))
				to[i] = n, made[n++] = t->t[i];
	t->n = n;
	for (uint32_t i = 0; i < t->n; i++) {
		for (uint32_t k = lp_operands(&made[i], of); k-- > 0;)
			if (*of[k] != VT_STEP_K)
				*of[k] = to[*of[k]];
		t->t[i] = made[i];
	}
	for (uint32_t i = 0; i < t->nout; i++)
		t->out[i] = to[t->out[i]];
	return true;
}

/* ---- tables ---- */

/* vt_mkptr(&s1) -> &s1 */
static const char *
heap_const(em *e, const ir_const *k)
{
	const char *v;

	if (k == NULL || (k->kind != IK_STR && k->kind != IK_FLOAT))
		return "NULL";
	v = em_value(e, k);
	return vc_format(e->c, "%.*s", (int)strlen(v) - 10, v + 9);
}

static const char *
put_args(em *e, uint32_t n, const uint8_t *r)
{
	vt_buf b = {0};

	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(&b, "%s%u", i ? ", " : "", r[i]);
	return n > 0 ? em_table(e, "uint8_t", "sa", b) : "NULL";
}

static const char *
put_nest(lp_program *t, const lp_nest *nest)
{
	em *e = t->e;
	const char *stages = "NULL";
	vt_buf b = {0};

	for (uint32_t i = 0; i < nest->n; i++)
		vt_buf_printf(&b, "%s{%s, %d}", i ? ", " : "", lp_emit(nest->program[i]),
			nest->filter[i]);
	if (nest->n > 0)
		stages = em_table(e, "vt_nest_stage", "ns", b);
	b = (vt_buf){0};
	vt_buf_printf(&b, "{%u, %u, %uu, %uu, %s}", nest->reduce, nest->n, nest->skip, nest->most,
		stages);
	return em_table(e, "vt_nest", "ne", b);
}

static const char *
put_names(em *e, uint32_t n, const char *const *names)
{
	vt_buf b = {0};

	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(&b, "%s%s", i ? ", " : "", em_str_ref(e, names[i]));
	return n > 0 ? em_table(e, "vt_str *const", "nk", b) : "NULL";
}

bool
lp_has_site(const lp_step *s)
{
	return s->op == VT_STEP_ATTR || (s->op >= VT_STEP_ADD && s->op <= VT_STEP_GE) ||
	       s->op == VT_STEP_CALL || s->op == VT_STEP_GET || s->op == VT_STEP_IN ||
	       ((s->op == VT_STEP_LEN || s->op == VT_STEP_SUM || s->op == VT_STEP_INDEX) &&
		       s->ins != NULL);
}

static void
put_step(lp_program *t, vt_buf *b, const lp_step *s)
{
	em *e = t->e;
	const char *ic = "NULL", *heap = heap_const(e, s->k), *by = heap_const(e, s->by),
		   *args = put_args(e, s->n, s->args), *k = "VT_UNDEF";

	if (s->k && s->k->kind != IK_STR && s->k->kind != IK_FLOAT)
		k = em_value(e, s->k);

	if (lp_has_site(s))
		by = em_site(e, s->ins->site);
	if (s->op == VT_STEP_ATTR) {
		ic = em_cache(e, s->ins->site->index);
		heap = em_str_ref(e, s->ins->site->args[1].k.s);
	} else if (s->op == VT_STEP_DYN && s->name != NULL) {
		heap = em_str_ref(e, s->name);
	} else if (s->op == VT_STEP_NEST) {
		by = put_nest(t, s->nest);
	} else if (s->op == VT_STEP_DEFINED && s->callee != NULL) {
		by = lp_emit(s->callee);
	} else if (s->op == VT_STEP_MAP) {
		by = put_names(e, s->n, s->names);
		ic = em_cache(e, e->nics++);
	}
	if (s->op == VT_STEP_DYN && s->name == NULL)
		k = vc_format(e->c, "vt_mkint(%lldLL)", (long long)s->index);
	if (s->op == VT_STEP_PIECE || s->op == VT_STEP_SPAN || s->op == VT_STEP_PART)
		k = vc_format(e->c, "vt_mkint(%lldLL)", (long long)s->index);
	vt_buf_printf(b, "{%u, %u, %u, %u, %u, %u, %u, %s, %s, %s, %s, %s}", s->op, s->a, s->b,
		s->c, s->guard, s->flags, s->n, ic, heap, by, k, args);
}

const char *
lp_emit(lp_program *t)
{
	em *e = t->e;
	vt_buf b = {0};
	const char *keys = "NULL", *ic = "NULL", *steps = "NULL",
		   *out = put_args(e, t->nout, t->out);

	for (uint32_t i = 0; i < t->n; i++) {
		vt_buf_puts(&b, i ? ", " : "");
		put_step(t, &b, &t->t[i]);
	}
	if (t->n > 0)
		steps = em_table(e, "vt_lambda_step", "t", b);
	if (t->kind == VT_PROGRAM_RECORD) {
		keys = put_names(e, t->nout, t->keys);
		ic = em_cache(e, e->nics++);
	}
	e->programs = !e->is_query;
	b = (vt_buf){0};
	vt_buf_printf(&b, "{%u, %u, %u, %u, %d, %d, %s, %s, %s, %s}", t->kind, t->n, t->nargs,
		t->nout, t->calls, t->mixed, steps, out, keys, ic);
	return em_table(e, "vt_lambda_program", "q", b);
}

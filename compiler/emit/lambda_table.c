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
static void
make_plain(lp_step *s)
{
	s->text = false;
	if (s->op == VT_STEP_ADD) {
		s->flags |= VT_STEP_PLAIN;
		return;
	}
	s->op = VT_STEP_CALL;
	s->n = (uint8_t)s->ins->nlist;
	s->b = s->c = VT_STEP_K;
}

/* How often each step's value is used, by steps and as a result. */
static void
count_uses(lp_program *t)
{
	uint8_t *of[LP_OPERANDS];

	for (uint32_t i = 0; i < t->n; i++)
		t->t[i].uses = 0;
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = lp_operands(&t->t[i], of); k-- > 0;)
			use(t, *of[k]);
	for (uint32_t i = 0; i < t->nout; i++)
		use(t, t->out[i]);
}

static void
settle_texts(lp_program *t)
{
	uint8_t *of[LP_OPERANDS];

	count_uses(t);
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
		make_plain(s);
	}
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

/* ---- dicts that are changed ---- */

/* A step as one that sets keys that are written: what its names and values are. */
static bool
sets_keys(const lp_program *t, const lp_step *s, const char ***names, uint8_t **args, uint8_t *n)
{
	const ir_arg *key;
	const lp_step *map;

	if (s->op == VT_STEP_EDIT)
		return false;
	if (s->op == VT_STEP_CALL && s->a != VT_STEP_K && is_call_of(s->ins, "set", 2)) {
		key = &s->ins->site->args[0];
		if (s->args[0] != VT_STEP_K || s->args[1] == VT_STEP_K || key->keyword ||
			key->key || (key->kind != VT_A_STRING && key->kind != VT_A_KEYWORD) ||
			key->k.kind != IK_STR || strlen(key->k.s) != key->k.n)
			return false;
		*names = vc_alloc(t->e->c, sizeof **names);
		(*names)[0] = key->k.s;
		*args = s->args + 1;
		*n = 1;
		return true;
	}
	if (s->op == VT_STEP_ADD && !s->text && s->b != VT_STEP_K)
		map = &t->t[s->b];
	else if (s->op == VT_STEP_CALL && s->a != VT_STEP_K && is_call_of(s->ins, "set", 1) &&
		 s->args[0] != VT_STEP_K)
		map = &t->t[s->args[0]];
	else
		return false;
	*names = map->names;
	*args = map->args;
	*n = map->n;
	return map->op == VT_STEP_MAP && map->n > 0 && map->n <= LP_ARGS;
}

/* One change after another is one. */
static void
join_edits(lp_program *t, lp_step *s)
{
	lp_step *of = &t->t[s->a];
	uint32_t n = s->n;
	const char **names;
	uint8_t *args;

	if (of->op != VT_STEP_EDIT || of->uses != 1 || of->guard != s->guard ||
		of->flags != s->flags || of->n + n > LP_ARGS)
		return;
	n += of->n;
	names = vc_alloc(t->e->c, n * sizeof *names);
	args = vc_alloc(t->e->c, n);
	memcpy(names, of->names, of->n * sizeof *names);
	memcpy(args, of->args, of->n);
	memcpy(names + of->n, s->names, s->n * sizeof *names);
	memcpy(args + of->n, s->args, s->n);
	s->names = names;
	s->args = args;
	s->n = (uint8_t)n;
	s->a = of->a;
	of->may_drop = true;
}

/* Not in folds, which change $1 where it is. */
static void
settle_edits(lp_program *t)
{
	if (t->nargs > 1 || t->folds)
		return;
	count_uses(t);
	for (uint32_t i = 0; i < t->n; i++) {
		lp_step *s = &t->t[i];
		const char **names;
		uint8_t *args, n;
		if (sets_keys(t, s, &names, &args, &n)) {
			s->op = VT_STEP_EDIT;
			s->b = VT_STEP_K;
			s->c = 0;
			s->flags &= (uint8_t)~VT_STEP_PLAIN;
			s->names = names;
			s->args = args;
			s->n = n;
		}
		if (s->op == VT_STEP_EDIT)
			join_edits(t, s);
	}
}

/* Is the item of the program read by its place alone? */
static bool
takes_apart(lp_program *t)
{
	uint8_t *of[LP_OPERANDS];
	bool apart = true;

	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = lp_operands(&t->t[i], of); k-- > 0;)
			apart &= *of[k] == VT_STEP_K || t->t[*of[k]].op != VT_STEP_ITEM ||
				 t->t[i].op == VT_STEP_INDEX;
	for (uint32_t i = 0; i < t->nout; i++)
		apart &= t->t[t->out[i]].op != VT_STEP_ITEM;
	return apart;
}

static bool
takes_pairs_apart(const lp_nest *nest)
{
	if (nest->generates || nest->reduce == VT_NEST_FOLDED ||
		nest->reduce == VT_NEST_ACCUMULATED || nest->reduce >= VT_NEST_LEAST)
		return false;
	for (uint32_t k = 0; k < nest->n; k++) {
		if (!takes_apart(nest->program[k]))
			return false;
		if (!nest->filter[k])
			return true;
	}
	return nest->reduce == VT_NEST_COUNT;
}

uint8_t
lp_apart(const lp_program *t, const lp_step *s)
{
	const lp_step *of = s->a != VT_STEP_K ? &t->t[s->a] : NULL;

	if (of != NULL && of->op == VT_STEP_LISTED &&
		(of->c == VT_LIST_NUMBERS || of->c == VT_LIST_SIDES))
		return VT_NEST_COLUMNS;
	return takes_pairs_apart(s->nest) ? VT_NEST_PAIRS : VT_NEST_WHOLE;
}

/* Pairs of enumerate() or zip() that only a pipeline reads which takes them apart are not made. */
static void
give_columns(lp_step *of, const lp_step *s)
{
	if (of->op != VT_STEP_LISTED || of->uses != 1 || s->op != VT_STEP_NEST ||
		!takes_pairs_apart(s->nest))
		return;
	if (of->c == VT_LIST_ENUMERATE)
		of->c = VT_LIST_NUMBERS;
	else if (of->c == VT_LIST_ZIP && of->n == 1)
		of->c = VT_LIST_SIDES;
}

/* A list that a step has made for another one alone may be changed by that. */
static void
settle_lists(lp_program *t)
{
	count_uses(t);
	for (uint32_t i = 0; i < t->n; i++) {
		lp_step *s = &t->t[i];
		lp_step *of = has_left(s) && s->a != VT_STEP_K ? &t->t[s->a] : NULL;
		if (s->op == VT_STEP_LISTED && of != NULL && of->uses == 1 &&
			(of->op == VT_STEP_LISTED || of->op == VT_STEP_NEST))
			s->b = 0;
		if (of != NULL)
			give_columns(of, s);
	}
}

/* What several read can be no iterator, which a member of a list is too: the first of them would
 * leave nothing to the others.  Of a pipeline that is known, of the others it is seen.  False:
 * there is such a pipeline. */
static bool
share_calls(lp_program *t)
{
	count_uses(t);
	for (uint32_t i = 0; i < t->n; i++) {
		lp_step *s = &t->t[i];
		if (s->uses > 1 && s->op == VT_STEP_NEST && s->nest->iterator)
			return false;
		if (s->uses > 1 &&
			(s->op == VT_STEP_CALL || s->op == VT_STEP_ADD || s->op == VT_STEP_ATTR))
			s->flags |= VT_STEP_SHARED;
	}
	return true;
}

/* Texts, and what hangs on them, go behind all else: those that lie in others first, and those that
 * are put together last, one behind the other. */
bool
lp_settle(lp_program *t)
{
	lp_step made[LP_MOST];
	uint8_t to[LP_MOST], n = 0, *of[LP_OPERANDS], late[LP_MOST];
	bool dead[LP_MOST];

	if (!take_outer(t))
		return false;
	settle_edits(t);
	settle_lists(t);
	settle_texts(t);
	if (!share_calls(t))
		return false;
	find_dead(t, dead);
	for (uint32_t i = 0; i < t->n; i++) {
		late[i] = !t->t[i].text ? 0 : t->t[i].op < VT_STEP_PIECE ? 2 : 1;
		for (uint32_t k = lp_operands(&t->t[i], of); k-- > 0;)
			if (*of[k] < i && late[*of[k]] > late[i])
				late[i] = late[*of[k]];
	}
	for (uint8_t pass = 0; pass <= 2; pass++)
		for (uint32_t i = 0; i < t->n; i++)
			if (!dead[i] && late[i] == pass)
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

	if (k == NULL || !em_on_heap(k))
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
put_nest(lp_program *t, const lp_step *s)
{
	em *e = t->e;
	const lp_nest *nest = s->nest;
	const char *stages = "NULL";
	vt_buf b = {0};

	for (uint32_t i = 0; i < nest->n; i++)
		vt_buf_printf(&b, "%s{%s, %d}", i ? ", " : "", lp_emit(nest->program[i]),
			nest->filter[i]);
	if (nest->n > 0)
		stages = em_table(e, "vt_nest_stage", "ns", b);
	b = (vt_buf){0};
	vt_buf_printf(&b, "{%u, %u, %u, %u, %d, %u, %uu, %uu, %s}", nest->reduce, nest->n,
		nest->generates, nest->iterator, lp_apart(t, s), nest->falls, nest->skip,
		nest->most, stages);
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
	       s->op == VT_STEP_LISTED ||
	       ((s->op == VT_STEP_LEN || s->op == VT_STEP_SUM || s->op == VT_STEP_INDEX) &&
		       s->ins != NULL);
}

static void
put_step(lp_program *t, vt_buf *b, const lp_step *s)
{
	em *e = t->e;
	const char *ic = "NULL", *heap = heap_const(e, s->k), *by = heap_const(e, s->by),
		   *args = put_args(e, s->n, s->args), *k = "VT_UNDEF";

	if (s->k && !em_on_heap(s->k))
		k = em_value(e, s->k);

	if (lp_has_site(s))
		by = em_site(e, s->ins->site);
	if (s->op == VT_STEP_ATTR) {
		ic = em_cache(e, s->ins->site->index);
		heap = em_str_ref(e, s->ins->site->args[1].k.s);
	} else if (s->op == VT_STEP_DYN && s->name != NULL) {
		heap = em_str_ref(e, s->name);
	} else if (s->op == VT_STEP_NEST) {
		by = put_nest(t, s);
		if (s->ins != NULL) {
			ic = em_cache(e, s->ins->site->index);
			heap = em_str_ref(e, s->ins->site->args[1].k.s);
		}
	} else if (s->op == VT_STEP_DEFINED && s->callee != NULL) {
		by = lp_emit(s->callee);
	} else if (s->op == VT_STEP_MAP) {
		by = put_names(e, s->n, s->names);
		ic = em_cache(e, e->nics++);
	} else if (s->op == VT_STEP_EDIT) {
		by = put_names(e, s->n, s->names);
	}
	if (s->op == VT_STEP_DYN && s->name == NULL)
		k = vc_format(e->c, "vt_mkint(%lldLL)", (long long)s->index);
	if (s->op == VT_STEP_PIECE || s->op == VT_STEP_SPAN || s->op == VT_STEP_PART ||
		s->op == VT_STEP_FIND || s->op == VT_STEP_GROUP)
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
	vt_buf_printf(&b, "{%u, %u, %u, %u, %d, %d, %d, %d, %s, %s, %s, %s}", t->kind, t->n,
		t->nargs, t->nout, t->calls, t->mixed, t->iterates, t->made_parts, steps, out, keys,
		ic);
	return em_table(e, "vt_lambda_program", "q", b);
}

/* ---- joins: `left = right and rest`, where left depends on $1 alone and right on $2 alone ---- */

typedef struct part {
	const lp_program *of;
	lp_program *to;
	int equation;         /* the register that is left out; -1: none */
	bool side;            /* of an equation: so is all that stands in front of it */
	uint8_t reg[LP_MOST]; /* what became of a register; VT_STEP_K: nothing yet */
} part;

static int copy_register(part *p, uint8_t r);

static bool
holds(const lp_program *t, uint8_t r, int equation)
{
	while (r != equation && t->t[r].op == VT_STEP_AND)
		r = t->t[r].a;
	return r == equation;
}

/* What is left of a conjunction without its equation; -1: nothing. */
static int
copy_rest(part *p, uint8_t r)
{
	const lp_step *s = &p->of->t[r];
	int a, b;
	lp_step and = {.op = VT_STEP_AND, .guard = VT_STEP_K};

	if (r == p->equation)
		return -1;
	a = copy_rest(p, s->a);
	b = copy_register(p, s->b);
	if (a < 0 || b < 0)
		return b;
	and.a = (uint8_t)a;
	and.b = (uint8_t)b;
	p->to->guard = VT_STEP_K;
	p->to->flags = 0;
	return lp_push(p->to, and);
}

static int
copy_guard(part *p, uint8_t r)
{
	if (p->equation >= 0 && holds(p->of, r, p->equation))
		return p->side ? -1 : copy_rest(p, r);
	return copy_register(p, r);
}

static int
copy_register(part *p, uint8_t r)
{
	lp_step s = p->of->t[r];
	uint8_t *of[LP_OPERANDS], *args = vc_alloc(p->to->e->c, (size_t)s.n + 1);
	int g = s.guard == VT_STEP_K ? -1 : copy_guard(p, s.guard), k;

	if (p->reg[r] != VT_STEP_K)
		return p->reg[r];
	if (s.n > 0)
		memcpy(args, s.args, s.n);
	s.args = args;
	s.guard = VT_STEP_K;
	for (uint32_t i = lp_operands(&s, of); i-- > 0;) {
		if (*of[i] == VT_STEP_K)
			continue;
		if ((k = copy_register(p, *of[i])) < 0)
			return -1;
		*of[i] = (uint8_t)k;
	}
	p->to->guard = g < 0 ? VT_STEP_K : (uint8_t)g;
	p->to->flags = 0;
	if (g < 0)
		s.flags &= (uint8_t) ~(VT_STEP_SOFT | VT_STEP_UNLESS);
	k = lp_push(p->to, s);
	if (k >= 0)
		p->reg[r] = (uint8_t)k;
	return k;
}

static lp_program *
new_program(const lp_program *t, uint8_t nargs)
{
	lp_program *made = vc_alloc(t->e->c, sizeof *made);

	memset(made, 0, sizeof *made);
	made->e = t->e;
	made->nargs = nargs;
	made->calls = t->calls;
	made->mixed = t->mixed;
	made->guard = VT_STEP_K;
	return made;
}

static part
begin(const lp_program *t, int equation, uint8_t nargs)
{
	part p = {.of = t, .to = new_program(t, nargs), .equation = equation};

	memset(p.reg, VT_STEP_K, sizeof p.reg);
	return p;
}

static lp_program *
end(part *p, int r)
{
	if (r < 0)
		return NULL;
	p->to->out[0] = (uint8_t)r;
	p->to->nout = 1;
	return lp_settle(p->to) ? p->to : NULL;
}

/* The value of a register as a program of one argument. */
static lp_program *
side(const lp_program *t, uint8_t r)
{
	part p = begin(t, -1, 1);
	int out = copy_register(&p, r);

	for (uint32_t i = 0; i < p.to->n; i++)
		if (p.to->t[i].op == VT_STEP_ITEM)
			p.to->t[i].a = 0;
	return end(&p, out);
}

/* Which of $1 and $2 a register depends on, as bits; where the equation (-1: none) is true. */
static uint32_t
depends(const lp_program *t, int equation, uint8_t r)
{
	lp_step s = t->t[r];
	uint8_t *of[LP_OPERANDS];
	uint32_t bits = s.op == VT_STEP_ITEM ? 1u << s.a : 0;

	for (uint32_t i = lp_operands(&s, of); i-- > 0;)
		if (*of[i] != VT_STEP_K &&
			(of[i] != &s.guard || equation < 0 || !holds(t, s.guard, equation)))
			bits |= depends(t, equation, *of[i]);
	return bits;
}

/* Is it an equation of something of $1 and something of $2? */
static bool
has_sides(const lp_program *t, int equation, const lp_step *s)
{
	uint32_t a, b;

	if (s->op != VT_STEP_EQ || s->b == VT_STEP_K)
		return false;
	a = depends(t, equation, s->a);
	b = depends(t, equation, s->b);
	return a + b == 3 && a != 0 && b != 0;
}

/* The equations that the predicate begins with, from the first one on: their registers, how
 * many. */
static uint32_t
leading(const lp_program *t, uint8_t of[LP_KEYS])
{
	uint8_t chain[LP_MOST], r = t->out[0];
	uint32_t n = 0, found = 0;

	for (; t->t[r].op == VT_STEP_AND; r = t->t[r].a)
		chain[n++] = t->t[r].b;
	chain[n++] = r;
	while (n > 0 && found < LP_KEYS) {
		const lp_step *s = &t->t[chain[--n]];
		if (!has_sides(t, found > 0 ? of[0] : -1, s))
			break;
		of[found++] = chain[n];
	}
	return found;
}

/* A list of what stands on one side of all of them: 1 is that of $1, 2 that of $2. */
static lp_program *
all_sides(const lp_program *t, uint32_t n, const uint8_t *equations, uint32_t which)
{
	part p = begin(t, equations[0], 1);
	lp_step list = {.op = VT_STEP_LIST, .guard = VT_STEP_K, .n = (uint8_t)n};

	p.side = true;
	list.args = vc_alloc(t->e->c, n);
	for (uint32_t i = 0; i < n; i++) {
		const lp_step *s = &t->t[equations[i]];
		int r = copy_register(&p, depends(t, equations[0], s->a) == which ? s->a : s->b);
		if (r < 0)
			return NULL;
		list.args[i] = (uint8_t)r;
	}
	for (uint32_t i = 0; i < p.to->n; i++)
		if (p.to->t[i].op == VT_STEP_ITEM)
			p.to->t[i].a = 0;
	p.to->guard = VT_STEP_K;
	p.to->flags = 0;
	return end(&p, lp_push(p.to, list));
}

lp_join *
lp_join_of(const lp_program *t)
{
	uint8_t equations[LP_KEYS];
	uint32_t n;
	lp_join *j = vc_alloc(t->e->c, sizeof *j);
	uint8_t r = t->out[0];
	const lp_step *s;
	bool swapped, rest;
	part p;

	memset(j, 0, sizeof *j);
	if (t->kind != VT_PROGRAM_VALUE || t->nargs != 2 || t->n == 0)
		return NULL;
	while (t->t[r].op == VT_STEP_AND)
		r = t->t[r].a;
	s = &t->t[r];
	rest = r != t->out[0];
	if (!has_sides(t, -1, s))
		return NULL;
	swapped = depends(t, -1, s->a) == 2;
	j->left = side(t, swapped ? s->b : s->a);
	j->right = side(t, swapped ? s->a : s->b);
	if (rest) {
		p = begin(t, r, 2);
		j->rest = end(&p, copy_rest(&p, t->out[0]));
	}
	if (rest && (n = leading(t, equations)) > 1) {
		j->all_left = all_sides(t, n, equations, 1);
		j->all_right = all_sides(t, n, equations, 2);
	}
	return j->left != NULL && j->right != NULL && (!rest || j->rest != NULL) ? j : NULL;
}

const char *
lp_emit_join(lp_join *j)
{
	em *e = j->left->e;
	const char *left = lp_emit(j->left), *right = lp_emit(j->right),
		   *rest = j->rest != NULL ? lp_emit(j->rest) : "NULL";
	vt_buf b = {0};

	vt_buf_printf(&b, "{%s, %s, %s, %s, %s}", left, right, rest,
		j->all_left != NULL ? lp_emit(j->all_left) : "NULL",
		j->all_right != NULL ? lp_emit(j->all_right) : "NULL");
	return em_table(e, "vt_join", "j", b);
}

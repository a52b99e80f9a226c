/*
 * lambda_text.c - steps of lambda programs that make texts, or look into them: methods that are
 * loops over texts, the pieces of split(), and format().
 */
#include "compiler/emit/lambda.h"

/* ---- texts ---- */

static bool
replacement(lp_program *t, const ir_ins *in, int32_t of, const ir_const *old, const ir_const *by)
{
	if (!old || !by || !lp_unary(t, in, of, VT_STEP_REPLACE, old))
		return false;
	t->t[t->n - 1].by = by;
	return true;
}

/* The text that `in` looks for, where it is written and not empty; or NULL. */
static const ir_const *
looked_for(const lp_program *t, const ir_ins *in)
{
	const ir_arg *a = &in->site->args[0];
	const lp_cell *c = in->list[0] >= 0 ? &t->cells[in->list[0]] : NULL;

	if (c != NULL)
		return c->is == LP_CONST && c->k->kind == IK_STR && c->k->n > 0 ? c->k : NULL;
	return (a->kind == VT_A_STRING || a->kind == VT_A_KEYWORD) && !a->keyword && !a->key &&
			       a->k.kind == IK_STR && a->k.n > 0
		       ? &a->k
		       : NULL;
}

/* substring() with numbers that are written, and trim(). */
static bool
part(lp_program *t, const ir_ins *in)
{
	bool trim = is_call_of(in, "trim", 0), two = is_call_of(in, "substring", 2);
	int64_t from = small_int(in, 0), n = two ? small_int(in, 1) : VT_STEP_K;
	int r = lp_reg(t, in->a[0]);

	if (r < 0 || (!trim && (!(two || is_call_of(in, "substring", 1)) || from < 0 || n < 0 ||
				       (two && n >= VT_STEP_K))))
		return false;
	t->calls = true;
	return lp_define(t, in->d,
		(lp_step){.op = trim ? VT_STEP_TRIM : VT_STEP_PART,
			.a = (uint8_t)r,
			.b = VT_STEP_K,
			.c = (uint8_t)n,
			.text = true,
			.index = trim ? 0 : from,
			.ins = in});
}

/* replace() of one written text by another, as a call that stands nowhere. */
static const ir_ins *
call_of_replace(lp_program *t, const ir_ins *in, const ir_const *old, const ir_const *by)
{
	ir_ins *made = vc_alloc(t->e->c, sizeof *made);

	*made = *lp_call_of(t, in, "replace", 2, true);
	made->d = in->d;
	made->site->args[0].kind = made->site->args[1].kind = VT_A_STRING;
	made->site->args[0].k = *old;
	made->site->args[1].k = *by;
	made->nlist = 2;
	made->list = vc_alloc(t->e->c, 2 * sizeof *made->list);
	made->list[0] = made->list[1] = -1;
	return made;
}

/* split(x).join(y) is replace(x, y); so is what skip() and limit() leave. */
static bool
join(lp_program *t, const ir_ins *in)
{
	lp_cell *c = &t->cells[in->a[0]], pieces = *c;
	const ir_arg *arg = &in->site->args[0];
	const ir_ins *call;
	bool all = pieces.skip == 0 && pieces.most == VT_STEP_K;

	if (c->is != LP_PIECES || arg->kind != VT_A_STRING || arg->keyword || arg->key)
		return false;
	*c = (lp_cell){.is = LP_REGISTER, .reg = pieces.reg};
	call = call_of_replace(t, in, pieces.k, &arg->k);
	if (all)
		return replacement(t, call, in->a[0], pieces.k, &arg->k);
	t->calls = true;
	if (!lp_define(t, in->d,
		    (lp_step){.op = VT_STEP_SPAN,
			    .a = pieces.reg,
			    .b = VT_STEP_K,
			    .c = (uint8_t)pieces.most,
			    .text = true,
			    .k = pieces.k,
			    .index = pieces.skip,
			    .ins = in}))
		return false;
	if (arg->k.n == pieces.k->n && memcmp(arg->k.s, pieces.k->s, arg->k.n) == 0)
		return true;
	return replacement(t, call, in->d, pieces.k, &arg->k);
}

static bool
is_index(const ir_ins *in)
{
	const ir_arg *k = in->site->nargs == 2 ? &in->site->args[1] : NULL;

	return k != NULL && strcmp(in->site->name, "#indexer") == 0 && k->kind == VT_A_NUMBER &&
	       k->k.kind == IK_INT && k->k.i >= 0 && k->k.i < 1000;
}

/* limit() or skip() by a number that is written. */
static bool
is_cut(const ir_ins *in)
{
	int64_t n = is_limit(in) || is_call_of(in, "skip", 1) ? small_int(in, 0) : -1;

	return n >= 0 && (n < VT_STEP_K || !is_limit(in));
}

static bool
cut(lp_program *t, const ir_ins *in)
{
	lp_cell c = t->cells[in->a[0]];
	uint32_t n = (uint32_t)small_int(in, 0);

	if (is_limit(in)) {
		c.most = n < c.most ? n : c.most;
	} else {
		c.skip += n;
		c.most -= c.most == VT_STEP_K ? 0 : n < c.most ? n : c.most;
	}
	t->cells[in->d] = c;
	return true;
}

/* One of the pieces, or how many there are. */
bool
lp_is_of_pieces(const ir_ins *in)
{
	return is_call_of(in, "len", 0) || is_call_of(in, "count", 0) ||
	       is_call_of(in, "first", 0) || is_call_of(in, "last", 0);
}

/* Are the pieces only joined, counted, looked for one text, or asked for one of them?  By the next
 * instruction, so nothing else can have them. */
static bool
has_pieces_in_place(lp_program *t, const ir_ins *in)
{
	const ir_ins *next = in + 1;

	if (next->op == IR_CALLM && next->a[0] == in->d && lp_is_of_pieces(next))
		return true;
	for (; next->op == IR_CALLM && next->a[0] == in->d && is_cut(next); next++)
		in = next;
	if (next->op == IR_CALLM)
		return next->a[0] == in->d && is_call_of(next, "join", 1) &&
		       next->site->args[0].kind == VT_A_STRING && !next->site->args[0].keyword;
	if (next->op != IR_CALL || is_cut(in))
		return false;
	if (is_index(next))
		return next->list[0] == in->d;
	return is_call_of(next, "#operator_in", 2) && next->list[1] == in->d &&
	       looked_for(t, next) != NULL;
}

bool
lp_piece(lp_program *t, const ir_ins *in, lp_cell *c)
{
	bool counts = is_call_of(in, "len", 0) || is_call_of(in, "count", 0);
	lp_step s = {.op = counts ? VT_STEP_PIECES : VT_STEP_PIECE,
		.a = c->reg,
		.b = VT_STEP_K,
		.c = VT_STEP_K,
		.text = !counts,
		.k = c->k,
		.ins = in};

	if (is_index(in)) {
		s.index = in->site->args[1].k.i;
	} else if (lp_is_of_pieces(in)) {
		s.index = is_call_of(in, "last", 0) ? -1 : 0;
	} else {
		s.by = looked_for(t, in);
		s.text = false;
	}
	t->calls = true;
	return lp_define(t, in->d, s);
}

static bool
split(lp_program *t, const ir_ins *in)
{
	int r = lp_reg(t, in->a[0]);

	if (r < 0 || !text_arg(in, 0) || !has_pieces_in_place(t, in))
		return false;
	t->cells[in->d] = (lp_cell){
		.is = LP_PIECES, .reg = (uint8_t)r, .k = &in->site->args[0].k, .most = VT_STEP_K};
	return true;
}

/* replace({old => new, ..}) of texts that are written: one after the other. */
static bool
replacements(lp_program *t, const ir_ins *in)
{
	int of = lp_reg(t, in->a[0]), map = lp_given(t, in, 0);
	const lp_step *m = map >= 0 ? &t->t[map] : NULL;

	if (of < 0 || m == NULL || m->op != VT_STEP_MAP || m->n == 0 || m->n > LP_ARGS ||
		m->names == NULL || t->n + m->n > LP_MOST)
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		if (t->t[m->args[i]].op != VT_STEP_CONST || t->t[m->args[i]].k->kind != IK_STR ||
			m->names[i][0] == '\0')
			return false;
	for (uint32_t i = 0; i < m->n; i++) {
		ir_const *old = vc_alloc(t->e->c, sizeof *old);
		const ir_const *by = t->t[m->args[i]].k;
		memset(old, 0, sizeof *old);
		old->kind = IK_STR;
		old->s = m->names[i];
		old->n = strlen(m->names[i]);
		of = lp_push(t, (lp_step){.op = VT_STEP_REPLACE,
					.a = (uint8_t)of,
					.b = VT_STEP_K,
					.k = old,
					.by = by,
					.text = true,
					.ins = call_of_replace(t, in, old, by)});
		if (of < 0)
			return false;
	}
	t->calls = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)of};
	return true;
}

/* Where it is a loop over texts; else it is a call like any. */
bool
lp_text_method(lp_program *t, const ir_ins *in)
{
	if (t->flags & VT_STEP_SOFT)
		return false;
	if (t->cells[in->a[0]].is == LP_PIECES && is_cut(in))
		return cut(t, in);
	if (is_call_of(in, "toUpper", 0))
		return lp_unary(t, in, in->a[0], VT_STEP_UPPER, NULL);
	if (is_call_of(in, "toLower", 0))
		return lp_unary(t, in, in->a[0], VT_STEP_LOWER, NULL);
	if (is_call_of(in, "split", 1))
		return split(t, in);
	if (is_call_of(in, "trim", 0) || is_call_of(in, "substring", 1) ||
		is_call_of(in, "substring", 2))
		return part(t, in);
	if (is_call_of(in, "join", 1))
		return join(t, in);
	if (is_call_of(in, "replace", 2))
		return replacement(t, in, in->a[0], text_arg(in, 0), text_arg(in, 1));
	if (is_call_of(in, "replace", 1) && in->d >= 0)
		return replacements(t, in);
	if (is_call_of(in, "startsWith", 1) && text_arg(in, 0))
		return lp_unary(t, in, in->a[0], VT_STEP_STARTS, text_arg(in, 0));
	if (is_call_of(in, "endsWith", 1) && text_arg(in, 0))
		return lp_unary(t, in, in->a[0], VT_STEP_ENDS, text_arg(in, 0));
	return false;
}

/* split().len(), where it is not known what is split: no pieces need be made. */
bool
lp_counts_pieces(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = &t->cells[in->a[0]];
	lp_step s;

	if (c->is != LP_REGISTER || !is_call_of(in, "len", 0))
		return false;
	s = t->t[c->reg];
	if (s.op != VT_STEP_CALL || s.a == VT_STEP_K || s.c != VT_STEP_K || s.n != 1 ||
		!is_call_of(s.ins, "split", 1) || !lp_plain_args(s.ins, false))
		return false;
	s.c = VT_CALL_PIECES;
	s.flags = 0;
	t->t[c->reg].may_drop = true;
	return lp_define(t, in->d, s);
}

/* ---- format() with names ---- */

static bool
ends_field_name(char c)
{
	return c == '}' || c == ':' || c == '!' || c == '.' || c == '[' || c == '{';
}

/* Which keyword the n bytes at p are; -1: none. */
static int
keyword_at(const ir_ins *in, const char *p, size_t n)
{
	for (uint32_t i = 0; i < in->site->nargs; i++)
		if (strlen(in->site->args[i].keyword) == n &&
			memcmp(in->site->args[i].keyword, p, n) == 0)
			return (int)i;
	return -1;
}

/* The format string with positions in place of names; NULL: it has other fields, too. */
static const ir_const *
with_positions(lp_program *t, const ir_ins *in, const ir_const *k)
{
	ir_const *made = vc_alloc(t->e->c, sizeof *made);
	char *to = vc_alloc(t->e->c, k->n + 1);
	size_t n = 0, i = 0;

	while (i < k->n) {
		size_t from;
		int at;
		if (k->s[i] == '}') /* that of a field is read with it */
			return NULL;
		to[n++] = k->s[i];
		if (k->s[i++] != '{')
			continue;
		for (from = i; i < k->n && !ends_field_name(k->s[i]);)
			i++;
		if (i == k->n || (at = keyword_at(in, k->s + from, i - from)) < 0 || at > 9)
			return NULL;
		to[n++] = (char)('0' + at);
		while (i < k->n && k->s[i] != '}' && k->s[i] != '{')
			to[n++] = k->s[i++];
		if (i == k->n || k->s[i] == '{')
			return NULL;
		to[n++] = k->s[i++];
	}
	*made = *k;
	made->s = to;
	made->n = n;
	return made;
}

/* The register of the text that follows another one; `left` < 0: the first of them. */
static int
add_text(lp_program *t, const ir_ins *plus, int left, int right)
{
	lp_step s = {.op = VT_STEP_ADD, .a = (uint8_t)left, .text = true, .ins = plus};

	if (left < 0 || right < 0)
		return left < 0 ? right : -1;
	s.b = (uint8_t)right;
	if (t->t[right].op == VT_STEP_CONST) {
		s.k = t->t[right].k;
		s.b = VT_STEP_K;
	}
	return lp_push(t, s);
}

static int
text_between(lp_program *t, const ir_const *k, size_t from, size_t to)
{
	ir_const *made = vc_alloc(t->e->c, sizeof *made);
	char *text = vc_alloc(t->e->c, to - from + 1);

	memcpy(text, k->s + from, to - from);
	text[to - from] = 0;
	*made = *k;
	made->s = text;
	made->n = to - from;
	return lp_const(t, made);
}

/* Is the argument the text of another call or written? Then it is a piece as it is. */
static int
text_of_argument(lp_program *t, const ir_ins *in, uint32_t i)
{
	int r = lp_given(t, in, i);
	const ir_ins *str;

	if (r < 0 || t->t[r].text || (t->t[r].op == VT_STEP_CONST && t->t[r].k->kind == IK_STR))
		return r;
	str = lp_call_of(t, in, "str", 1, false);
	return lp_push(t, (lp_step){.op = VT_STEP_STR,
				  .a = (uint8_t)r,
				  .b = VT_STEP_K,
				  .c = 1,
				  .text = true,
				  .ins = str});
}

/* Fields without a description, {0} or {name}: the pieces of a text in turn.  False: it has others.
 * Of each place in pieces[]: the argument, or -1 and a part of the format string. */
typedef struct format_piece {
	int argument;
	size_t from, to;
} format_piece;

static uint32_t
format_pieces(const ir_ins *in, const ir_const *k, uint32_t most, format_piece *pieces)
{
	bool names = in->site->args[0].keyword != NULL;
	uint32_t n = 0;

	for (size_t i = 0, from = 0; i <= k->n && n + 2 < most; i++) {
		if (i < k->n && k->s[i] == '}')
			return 0;
		if (i < k->n && k->s[i] != '{')
			continue;
		if (i > from)
			pieces[n++] = (format_piece){-1, from, i};
		if (i == k->n)
			return n;
		for (from = ++i; i < k->n && !ends_field_name(k->s[i]);)
			i++;
		if (i == k->n || k->s[i] != '}' || i == from)
			return 0;
		pieces[n] = (format_piece){
			names ? keyword_at(in, k->s + from, i - from) : k->s[from] - '0', 0, 0};
		if ((!names && i != from + 1) || pieces[n].argument < 0 ||
			pieces[n].argument >= (int)in->site->nargs)
			return 0;
		n++;
		from = i + 1;
	}
	return 0;
}

static bool
gathered(lp_program *t, const ir_ins *in, const ir_const *k)
{
	enum { MOST = 16 };
	format_piece pieces[MOST];
	uint32_t n = format_pieces(in, k, MOST, pieces), start = t->n;
	const ir_ins *plus = lp_call_of(t, in, "#operator_+", 2, false);
	int of[MOST], r = -1;

	if (n < 2 || t->flags & VT_STEP_SOFT || t->n + 2 * n + 4 > LP_MOST)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		of[i] = pieces[i].argument < 0
				? text_between(t, k, pieces[i].from, pieces[i].to)
				: text_of_argument(t, in, (uint32_t)pieces[i].argument);
		if (of[i] < 0) {
			t->n = start;
			return false;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if ((r = add_text(t, plus, i > 0 ? r : -1, of[i])) < 0)
			return false;
	t->calls = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* All arguments by names, or all by position. */
static bool
has_plain_fields(const ir_ins *in, bool *names)
{
	*names = in->site->args[0].keyword != NULL;
	for (uint32_t i = 0; i < in->site->nargs; i++)
		if ((in->site->args[i].keyword != NULL) != *names ||
			(!*names && in->site->args[i].key != NULL))
			return false;
	return true;
}

/* A written format string whose fields are keywords: the same by positions, which needs no dict. */
bool
lp_formats(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = &t->cells[in->a[0]];
	lp_step s = {.op = VT_STEP_CALL, .b = VT_STEP_K, .c = VT_STEP_K};
	const ir_const *k;
	bool names;
	int r;

	if (strcmp(in->site->name, "format") != 0 || c->is != LP_CONST || c->k->kind != IK_STR ||
		in->site->nargs == 0 || in->site->nargs > LP_ARGS || in->d < 0 ||
		!has_plain_fields(in, &names))
		return false;
	/* an expression that is worked out once calls it */
	if (t->code != t->e->m->query && gathered(t, in, c->k))
		return true;
	if (!names)
		return false;
	if ((k = with_positions(t, in, c->k)) == NULL || (r = lp_const(t, k)) < 0)
		return false;
	s.a = (uint8_t)r;
	s.n = (uint8_t)in->site->nargs;
	s.args = vc_alloc(t->e->c, s.n);
	for (uint32_t i = 0; i < s.n; i++) {
		if ((r = lp_given(t, in, i)) < 0)
			return false;
		s.args[i] = (uint8_t)r;
	}
	s.ins = lp_call_of(t, in, "format", s.n, true);
	t->calls = t->mixed = true;
	return lp_define(t, in->d, s);
}

/* ---- str() ---- */

bool
lp_writes(lp_program *t, const ir_ins *in)
{
	int r;

	if (t->flags & VT_STEP_SOFT || !is_call_of(in, "str", 1) || in->d < 0 ||
		in->site->args[0].keyword || in->site->args[0].key || (r = lp_given(t, in, 0)) < 0)
		return false;
	t->calls = true;
	return lp_define(t, in->d,
		(lp_step){.op = VT_STEP_STR,
			.a = (uint8_t)r,
			.b = VT_STEP_K,
			.text = true,
			.ins = in});
}

/* ---- regex().search() ---- */

/* How many groups the expression has, the match itself too; 0: it has what this does not know. */
static uint32_t
groups_in(const ir_const *k)
{
	uint32_t n = 1;
	bool class = false;

	for (size_t i = 0; i < k->n; i++) {
		char c = k->s[i], next = i + 1 < k->n ? k->s[i + 1] : 0;
		if (c == '\\') {
			i++;
		} else if (class) {
			class = c != ']';
		} else if (c == '[') {
			i += next == '^';
			next = i + 1 < k->n ? k->s[i + 1] : 0;
			if (next == ']' || next == '[') /* read otherwise elsewhere */
				return 0;
			class = true;
		} else if (c == '(' && next == '?' &&
			   (i + 2 >= k->n || !strchr(":=!", k->s[i + 2]))) {
			return 0;
		} else {
			n += c == '(' && next != '?';
		}
	}
	return n <= VT_GROUPS_MOST ? n : 0;
}

/* The call that makes the value of the step, here or in a let() around it; or NULL. */
static const ir_site *
site_of(const lp_program *t, const lp_step *s)
{
	const ir_ins *in = s->op == VT_STEP_CALL && s->a == VT_STEP_K ? s->ins
			   : s->op == VT_STEP_DYN && s->name != NULL  ? lp_call_brought(t, s->name)
								      : NULL;

	return in != NULL ? in->site : NULL;
}

/* The flags of regex() as it is written; -1: it is none. */
static int64_t
flags_of(const ir_site *site)
{
	static const struct {
		const char *name;
		int64_t flag;
	} flags[] = {{"ignoreCase", 2}, {"multiLine", 8}, {"dotAll", 16}};
	int64_t of = 32; /* Unicode: vt_lib_regex() */

	if (site == NULL || strcmp(site->name, "regex") != 0 || site->nargs == 0 ||
		site->args[0].kind != VT_A_STRING || site->args[0].keyword || site->args[0].key)
		return -1;
	for (uint32_t i = 1; i < site->nargs; i++) {
		const ir_arg *a = &site->args[i];
		int64_t flag = 0;
		for (size_t k = 0; k < sizeof flags / sizeof *flags && a->keyword; k++)
			flag |= strcmp(a->keyword, flags[k].name) == 0 ? flags[k].flag : 0;
		if (flag == 0 || a->kind != VT_A_BOOL)
			return -1;
		of |= a->k.kind == IK_TRUE ? flag : 0;
	}
	return of;
}

static int
group(lp_program *t, uint8_t found, uint32_t k)
{
	return lp_push(t, (lp_step){.op = VT_STEP_GROUP,
				  .a = found,
				  .b = VT_STEP_K,
				  .text = !(t->flags & VT_STEP_SOFT),
				  .index = k});
}

bool
lp_group_value(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = in->a[0] >= 0 ? &t->cells[in->a[0]] : NULL;
	int a = c != NULL && c->is == LP_REGISTER ? c->reg : -1, r;

	if (a < 0 || !t->t[a].stands || in->d < 0 || strcmp(in->site->args[1].k.s, "value") != 0)
		return false;
	if (t->t[a].op == VT_STEP_GROUP)
		r = group(t, t->t[a].a, (uint32_t)t->t[a].index);
	else if (t->t[a].index) /* the item is this group */
		r = t->t[a].a;
	else
		r = lp_push(t, (lp_step){.op = VT_STEP_INDEX,
				       .a = t->t[a].a,
				       .b = VT_STEP_K,
				       .k = t->t[a].k});
	if (r < 0)
		return false;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

bool
lp_reads_texts(lp_program *t, uint32_t from, int result, bool texts)
{
	uint8_t *of[LP_OPERANDS];

	if (t->t[result].stands)
		return false;
	for (uint32_t i = from; i < t->n; i++) {
		lp_step *s = &t->t[i];
		for (uint32_t k = lp_operands(s, of); k-- > 0;)
			if (*of[k] != VT_STEP_K && t->t[*of[k]].stands)
				return false;
		if (texts && s->op != VT_STEP_GROUP && s->op != VT_STEP_CONST &&
			!(s->op >= VT_STEP_ADD && s->text) && s->op != VT_STEP_LIST &&
			s->op != VT_STEP_MAP)
			return false;
	}
	return true;
}

/* The lambda for what was found.  Where it only puts texts together it is done for all, and what is
 * not found gives empty ones; else for those that are found. */
static int
selected(lp_program *t, const ir_func *code, uint8_t found, uint32_t ngroups)
{
	lp_env *env = vc_alloc(t->e->c, sizeof *env);
	uint8_t guard = t->guard, flags = t->flags;
	uint32_t n, nopen = t->nopen;
	int r = -1;

	memset(env, 0, sizeof *env);
	env->up = t->env;
	env->of = t;
	env->has_args = true;
	env->nargs = ngroups;
	for (uint32_t k = 0; k < ngroups; k++) {
		if (t->n == LP_MOST)
			return -1;
		env->arg[k] = (uint8_t)t->n;
		t->t[t->n++] = (lp_step){.op = VT_STEP_GROUP,
			.a = found,
			.b = VT_STEP_K,
			.guard = VT_STEP_K,
			.index = k,
			.may_drop = true,
			.stands = true};
	}
	n = t->n;
	for (int texts = 1; texts >= 0; texts--) {
		if (!texts) {
			t->guard = found;
			t->flags = VT_STEP_SOFT;
		}
		r = lp_inline(t, code, env);
		if (r >= 0 && !lp_reads_texts(t, n, r, texts))
			r = -1;
		t->nopen = nopen;
		t->guard = guard;
		t->flags = flags;
		if (r >= 0)
			return r;
		t->n = n;
	}
	return -1;
}

bool
lp_searches(lp_program *t, const ir_ins *in)
{
	static const ir_const null = {.kind = IK_NULL};
	const lp_cell *c = &t->cells[in->a[0]];
	const ir_arg *a = in->site->args;
	uint32_t n = in->site->nargs, ngroups, start = t->n;
	int64_t flags;
	lp_step s = {.op = VT_STEP_FIND, .b = VT_STEP_K};
	int text, found, r, none;

	if (strcmp(in->site->name, "search") != 0 || n < 1 || n > 2 || in->d < 0 ||
		t->flags & VT_STEP_SOFT || c->is != LP_REGISTER || a[0].keyword || a[0].key ||
		(n == 2 && (a[1].keyword || a[1].key || a[1].code == NULL)) ||
		(flags = flags_of(site_of(t, &t->t[c->reg]))) < 0)
		return false;
	s.k = &site_of(t, &t->t[c->reg])->args[0].k;
	s.index = flags;
	if (s.k->n == 0 || (ngroups = groups_in(s.k)) == 0 || (text = lp_given(t, in, 0)) < 0)
		return false;
	s.a = (uint8_t)text;
	s.c = (uint8_t)ngroups;
	t->t[c->reg].may_drop = true;
	none = lp_const(t, &null);
	found = lp_push(t, s);
	r = found < 0 ? -1
	    : n == 2  ? selected(t, a[1].code, (uint8_t)found, ngroups)
		      : group(t, (uint8_t)found, 0);
	if (r < 0 || (r = lp_choose(t, found, r, none)) < 0) {
		t->n = start;
		return false;
	}
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* ---- regex().searchAll() and replaceBy() ---- */

static bool
is_expression(const lp_program *t, uint8_t reg)
{
	return reg != VT_STEP_K && flags_of(site_of(t, &t->t[reg])) >= 0;
}

bool
lp_is_alone(const lp_program *t, int32_t temp)
{
	const lp_step *s = &t->t[t->cells[temp].reg];

	return s->op == VT_STEP_CALL && s->ins >= t->code->ins &&
	       s->ins < t->code->ins + t->code->n && s->ins->d == temp;
}

/* Each match makes a piece at least, so no more matches than pieces have to be found. */
uint8_t
lp_split_less(lp_program *t, uint8_t reg, uint64_t pieces)
{
	const lp_step *was = &t->t[reg];
	lp_step s = *was;
	int most, r;

	if (was->op != VT_STEP_CALL || !is_call_of(was->ins, "split", 1) || was->a == VT_STEP_K ||
		was->n != 1 || was->args[0] == VT_STEP_K || pieces == 0 || pieces > 1000 ||
		(!is_expression(t, was->a) && !is_expression(t, was->args[0])) ||
		(most = lp_const(t, lp_number(t, (int64_t)pieces))) < 0)
		return reg;
	s.ins = lp_call_of(t, was->ins, "split", 2, true);
	s.args = vc_alloc(t->e->c, 2);
	s.args[0] = was->args[0];
	s.args[1] = (uint8_t)most;
	s.n = 2;
	s.flags = 0;
	if ((r = lp_push(t, s)) < 0)
		return reg;
	t->t[reg].may_drop = true;
	return (uint8_t)r;
}

/* The only group that the program reads of its rows; -1: it reads several. */
static int
group_read(const lp_program *p)
{
	int64_t only = 0;
	bool any = false;

	for (uint32_t i = 0; i < p->n; i++) {
		if (p->t[i].op != VT_STEP_INDEX || p->t[p->t[i].a].op != VT_STEP_ITEM)
			continue;
		if (any && p->t[i].k->i != only)
			return -1;
		only = p->t[i].k->i;
		any = true;
	}
	return (int)only;
}

/* The expression whose method is called, or that is an argument: its register, and how many groups
 * it has; -1: it is not known. */
static int
expression(lp_program *t, const ir_ins *in, bool receives, uint32_t *ngroups)
{
	int r = receives ? (t->cells[in->a[0]].is == LP_REGISTER ? t->cells[in->a[0]].reg : -1)
			 : lp_given(t, in, 0);
	const ir_site *site = r >= 0 ? site_of(t, &t->t[r]) : NULL;

	if (site == NULL || flags_of(site) < 0)
		return -1;
	*ngroups = groups_in(&site->args[0].k);
	return site->args[0].k.n > 0 && *ngroups > 0 ? r : -1;
}

static int
listed(lp_program *t, const ir_ins *in, uint8_t how, int of, int first, int second, int third)
{
	int r[] = {of, first, second, third};
	lp_step s = {.op = VT_STEP_LISTED, .b = VT_STEP_K, .c = how, .n = 3, .ins = in};

	s.args = vc_alloc(t->e->c, 3);
	for (uint32_t i = 0; i <= 3; i++) {
		if (r[i] < 0)
			return -1;
		*(i == 0 ? &s.a : &s.args[i - 1]) = (uint8_t)r[i];
	}
	return lp_push(t, s);
}

/* A call of searchAll() or replaceBy(): registers of the expression and the text, the number of
 * groups. */
typedef struct finding {
	const ir_ins *in;
	const ir_arg *by; /* the lambda, or NULL */
	int re, text, groups;
	uint32_t ngroups;
} finding;

/* What the lambda gives for all matches, as a list; *spans: where these are, or NULL. */
static int
found(lp_program *t, finding *f, int *spans)
{
	lp_program *p = f->by != NULL ? lp_nested_match(t, f->by->code, f->ngroups, -1) : NULL;
	int only = p != NULL ? group_read(p) : 0, r, what;

	if (p != NULL && only >= 0)
		p = lp_nested_match(t, f->by->code, f->ngroups, only);
	if (f->by != NULL && p == NULL)
		return -1;
	what = lp_const(t, lp_number(t, only));
	f->groups = lp_const(t, lp_number(t, f->ngroups));
	if (spans != NULL) {
		r = lp_const(t, lp_number(t, VT_MATCH_SPANS));
		*spans = listed(t, f->in, VT_LIST_FOUND, f->text, f->re, f->groups, r);
		r = listed(t, f->in, VT_LIST_MATCHES, *spans, f->text, f->groups, what);
	} else {
		r = listed(t, f->in, VT_LIST_FOUND, f->text, f->re, f->groups, what);
	}
	if (p == NULL || r < 0)
		return r;
	r = lp_reduced(
		t, &(lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r}, VT_NEST_LIST, NULL, VT_STEP_K);
	if (r >= 0)
		t->t[r].nest->program[t->t[r].nest->n++] = p;
	return r;
}

/* Also with the text in front: text.replaceBy(regex, ..). */
static bool
is_finding(lp_program *t, const ir_ins *in, bool all, finding *f)
{
	uint32_t n = in->site->nargs;

	*f = (finding){.in = in, .by = n == 2 ? &in->site->args[1] : NULL};
	if (!t->e->is_query || in->d < 0 || n < 1 || n > 2 || (!all && n < 2) ||
		in->site->args[0].keyword || in->site->args[0].key ||
		(f->by != NULL && (f->by->keyword || f->by->key || !f->by->code)))
		return false;
	if ((f->re = expression(t, in, true, &f->ngroups)) >= 0)
		f->text = lp_given(t, in, 0);
	else if (!all && (f->re = expression(t, in, false, &f->ngroups)) >= 0)
		f->text = lp_reg(t, in->a[0]);
	return f->re >= 0 && f->text >= 0;
}

bool
lp_finds_all(lp_program *t, const ir_ins *in)
{
	bool all = strcmp(in->site->name, "searchAll") == 0;
	uint32_t start = t->n;
	int spans = -1, r = -1;
	finding f;

	if (!all && strcmp(in->site->name, "replaceBy") != 0)
		return false;
	if (is_finding(t, in, all, &f))
		r = found(t, &f, all ? NULL : &spans);
	if (r >= 0 && !all)
		r = listed(t, in, VT_LIST_PUT, r, spans, f.text, f.groups);
	if (r < 0) {
		t->n = start;
		return false;
	}
	t->calls = t->mixed = true;
	if (all)
		return lp_fresh_list(t, in, r);
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

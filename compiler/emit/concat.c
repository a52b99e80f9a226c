/*
 * concat.c - sums that are made at once: of several texts, and of a dict and a literal.  Pass
 * `update`.
 *
 * `a + b + c` would make a text for each `+`.  Where an operand is a text for sure the sum is one,
 * or an error; so the ops of the chain, which stand one behind the other, become one call that
 * makes the text at once.  Anything else is added as it is written, each `+` with its own place.
 * `str($i)` in such a sum makes no text of its own: its temporary holds the integer, as VT_LATER.
 *
 * `$d + {k => v}` needs no dict for the literal, where the sum is a new one for sure: update.c
 * looks after those that change a dict where it is.
 */
#include "compiler/emit/function.h"
#include "compiler/emit/unbox.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MOST = VT_SUMMED }; /* operands */

/* Does the op go on with the sum that the one in front of it makes? */
static bool
goes_on(const fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i], *before = in - 1;

	return i > 0 && in->op == IR_ADD && before->op == IR_ADD && in->a[0] == before->d &&
	       in->a[1] != before->d && !x->local->stacked[i] && !x->local->stacked[i - 1] &&
	       !em_reads_again(x->f, i, before->d, true);
}

/* Is it a call of str() that may leave the digits to what makes the sum? */
static bool
is_str(const fn *x, const ir_ins *in)
{
	const ir_unit *u = x->f->unit;

	return in->op == IR_CALL && strcmp(in->site->name, "str") == 0 && in->nlist == 1 &&
	       in->list[0] >= 0 && strcmp(x->sc, "NULL") == 0 && u->opt.memory_quota <= 0 &&
	       !(u->layers & VT_L_CALLED);
}

/* The op in front of i that makes the temporary, the last one in the text; NULL: there is none. */
static const ir_ins *
maker(const fn *x, uint32_t i, int32_t t)
{
	for (uint32_t k = i; k-- > 0;)
		if (x->f->ins[k].d == t)
			return &x->f->ins[k];
	return NULL;
}

static bool
from_str(const fn *x, uint32_t i, int32_t t)
{
	const ir_ins *in = maker(x, i, t);
	return in != NULL && is_str(x, in);
}

/* Is the operand of op i written as a text? What is known of its kind besides is known only when
 * the op is emitted. */
static bool
is_written(const fn *x, uint32_t i, int32_t t)
{
	const ir_ins *in = maker(x, i, t);
	return in != NULL && ((in->op == IR_CONST && in->k.kind == IK_STR) || is_str(x, in));
}

/* How many ops go on with op i, with it. */
static uint32_t
length(const fn *x, uint32_t i)
{
	uint32_t n = 1;
	while (i + n < x->f->n && n + 1 < MOST && goes_on(x, i + n))
		n++;
	return n;
}

/* How many ops the chain that begins with op i has, at least two, or one with a str(); 0: none
 * does.  ahead: op i has yet to be emitted, so the chain may be one then all the same. */
static uint32_t
chain(const fn *x, uint32_t i, bool ahead)
{
	const ir_ins *ins = x->f->ins;
	uint32_t n;
	bool text = false, str = false;

	if (x->f->kind != IF_METHOD || !vc_pass_on(x->e->c, UPDATE) || ins[i].op != IR_ADD ||
		goes_on(x, i))
		return 0;
	n = length(x, i);
	for (uint32_t k = 0; k <= n; k++) {
		uint32_t at = i + (k > 0 ? k - 1 : 0);
		int32_t t = k > 0 ? ins[at].a[1] : ins[i].a[0];
		text = text || is_written(x, at, t) || (!ahead && em_is_only(x, t, EM_STR));
		str = str || from_str(x, at, t);
	}
	return text && (n > 1 || str) ? n : 0;
}

/* Is op k, which reads the temporary, a part of a sum of texts? */
static bool
sums_texts(const fn *x, uint32_t k)
{
	uint32_t first = k;

	switch (x->f->ins[k].op) {
	case IR_JTEXTS:
	case IR_ADDV:
	case IR_ADDON:
	case IR_ADDUP: return true;
	}
	while (goes_on(x, first))
		first--;
	return k < first + chain(x, first, true);
}

bool
em_is_later(const fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);
	bool read = false;

	if (x->f->kind != IF_METHOD || !vc_pass_on(x->e->c, UPDATE) || !is_str(x, in))
		return false;
	for (uint32_t k = i + 1; k < x->f->n && x->f->ins[k].d != in->d; k++) {
		bool uses = em_uses(&x->f->ins[k], in->d);
		if (uses && !sums_texts(x, k))
			return false;
		read = read || uses;
		if (em_frees(&x->f->ins[k], in->d))
			return read;
	}
	return false;
}

static void
put_operands(fn *x, const ir_ins *in, uint32_t n)
{
	vt_buf_printf(x->b, "\t{ vt_value av[] = {%s", em_temp(x, in->a[0]));
	for (uint32_t k = 0; k < n; k++)
		vt_buf_printf(x->b, ", %s", em_temp(x, in[k].a[1]));
	vt_buf_puts(x->b, "};");
}

/* `$.name: $.name + a + b`: to the end of the text that the property has. */
static void
grow_text(fn *x, const ir_ins *in, uint32_t n)
{
	const ir_ins *put = em_written_back(x, in, &in[n - 1]);

	if (put == NULL)
		return;
	vc_pass_note(x->e->c, VC_PASS_GROW, in, "appends to what the property has");
	x->grow_ic = ++x->e->nics;
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t k = 0; k < n; k++)
		vt_buf_printf(x->b, "%s%s", k ? ", " : "", em_temp(x, in[k].a[1]));
	vt_buf_printf(x->b, "}; if (vt_grow_text(rt, IC(%u), self, %s, %u, av)) { %s = VT_UNDEF; ",
		x->grow_ic - 1, em_temp(x, in->a[0]), n, em_temp(x, in->a[0]));
	if (put->d >= 0)
		vt_buf_printf(x->b, "t%d = VT_UNDEF; ", put->d);
	vt_buf_printf(x->b, "goto P%u; } }\n", x->grow_ic);
}

/* `(a + b).len()`: the text itself is not made. */
static void
measure(fn *x, const ir_ins *in, uint32_t n)
{
	const ir_ins *len = in + n;

	if (len >= x->f->ins + x->f->n || x->nskips == EM_MOST_SKIPS ||
		!em_only_measures(x, len, in[n - 1].d))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "only measured");
	(void)em_site(x->e, len->site); /* gives it a cache */
	vt_buf_printf(x->b,
		"\tif (vt_len_of_sum(IC(%u), %u, av, &t%d)) { t%d = VT_UNDEF; goto Q%u; }\n",
		len->site->index, n + 1, len->d, in[n - 1].d, em_skip_to(x, len));
}

bool
em_concat(fn *x, const ir_ins *in)
{
	uint32_t n = x->summed > 0 ? 0 : chain(x, (uint32_t)(in - x->f->ins), false);
	int32_t d;

	if (x->summed > 0) {
		x->summed--;
		return true;
	}
	if (n == 0)
		return false;
	x->summed = n - 1;
	d = in[n - 1].d;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "one text of %u", n + 1);
	grow_text(x, in, n);
	put_operands(x, in, n);
	measure(x, in, n);
	vt_buf_printf(x->b, " if (!vt_concat_reg(rt, %u, av, &t%d)) {\n\tconst vt_site *at[] = {",
		n + 1, d);
	for (uint32_t k = 0; k < n; k++)
		vt_buf_printf(x->b, "%s%s", k ? ", " : "", em_site(x->e, in[k].site));
	vt_buf_puts(x->b, "};");
	em_try(x, "vt_add_all(rt, %s, %u, av, at, %s)", x->sc, n + 1, em_made(x, d));
	vt_buf_puts(x->b, "\t} }\n");
	return true;
}

/* The operands of `addon` stand behind the sum so far. */
static void
put_parts(fn *x, const ir_ins *in)
{
	vt_buf_puts(x->b, "{ vt_value av[] = {");
	for (uint32_t i = 1; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s%s", i > 1 ? ", " : "", em_temp(x, in->list[i]));
	vt_buf_puts(x->b, "};");
}

static void
add_as_written(fn *x, const ir_ins *in, const char *before)
{
	vt_buf_printf(x->b, " st = vt_add_on(rt, %s, %s, %s, %u, av, %s); VT_TAKE(t%d, %s); }",
		x->sc, em_site(x->e, in->site), before, in->nlist - 1, em_made(x, in->d), in->d,
		em_handler_label(x));
	x->result = -1;
}

static void
add_up(fn *x, const ir_ins *in, const char *before)
{
	vt_buf_puts(x->b, "\t");
	put_parts(x, in);
	em_sum_grows(x, in, before);
	vt_buf_printf(x->b, " if (%s != VT_UNDEF || !vt_concat_reg(rt, %u, av, &t%d)) {", before,
		in->nlist - 1, in->d);
	add_as_written(x, in, before);
	vt_buf_puts(x->b, " }\n");
}

/* Are all operands so far written as texts, so that nothing is ever added yet? */
static bool
pends(const fn *x, uint32_t i, int32_t sum)
{
	const ir_ins *in = sum < 0 ? NULL : maker(x, i, sum);

	if (in == NULL)
		return true;
	for (uint32_t k = 1; k < in->nlist; k++)
		if (!is_written(x, (uint32_t)(in - x->f->ins), in->list[k]))
			return false;
	return true;
}

/* Nothing has to be added yet where all operands so far are texts. */
void
em_add_on(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins), n = in->nlist;
	bool pending = pends(x, i, in->list[0]);
	const char *before = pending ? "VT_UNDEF" : em_temp(x, in->list[0]), *sep = "";

	if (in->op == IR_ADDUP) {
		add_up(x, in, before);
		return;
	}
	if (pending && is_written(x, i, in->list[n - 1]) &&
		(n > 3 || is_written(x, i, in->list[1])))
		return;
	vt_buf_printf(x->b, "\tt%d = VT_UNDEF; if (", in->d);
	if (!pending) {
		vt_buf_printf(x->b, "%s != VT_UNDEF", before);
		sep = " || ";
	}
	for (uint32_t k = n == 3 ? 1 : n - 1; k < n; k++)
		if (!is_written(x, i, in->list[k]) && !em_is_only(x, in->list[k], EM_STR)) {
			vt_buf_printf(x->b, "%s!vt_is_part(%s)", sep, em_temp(x, in->list[k]));
			sep = " || ";
		}
	vt_buf_puts(x->b, *sep ? ") " : "0) ");
	put_parts(x, in);
	add_as_written(x, in, before);
	vt_buf_puts(x->b, "\n");
}

/* The ops behind it add the list to the variable one by one. */
void
em_add_texts(fn *x, const ir_ins *in)
{
	uint32_t n = 0;
	bool local = em_is_local(x) && (x->raw == NULL || x->raw->var[in->var] == 0);

	while (local && n < in->nlist && in + n + 1 < x->f->ins + x->f->n &&
		in[n + 1].op == IR_ADDV && in[n + 1].var == in->var &&
		in[n + 1].a[0] == in->list[n])
		n++;
	x->summed = n == in->nlist ? n : 0;
	if (x->summed)
		em_release_dead(x, in + 1);
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "", em_temp(x, in->list[i]));
	vt_buf_printf(x->b, "}; if (!%s(%s%s, %u, av)) goto %s; }\n",
		x->summed ? "vt_add_texts_reg" : "vt_texts", x->summed ? "rt, &" : "",
		em_variable(x, in->var), in->nlist, em_target(x, in->label));
}

/* The variable that the temporary has read, or -1. */
static int32_t
variable_of(const fn *x, uint32_t i, int32_t t)
{
	for (uint32_t k = i; k-- > 0;)
		if (x->f->ins[k].d == t)
			return x->f->ins[k].op == IR_VAR ? x->f->ins[k].var : -1;
	return -1;
}

/* Does the sum of op i go to where nothing can be changed in place? */
static bool
is_new(const fn *x, uint32_t i)
{
	const ir_ins *add = &x->f->ins[i], *next = add + 1, *end = x->f->ins + x->f->n;

	if (next < end && next->op == IR_FINAL && next->a[0] == add->d)
		next++;
	if (next >= end)
		return false;
	if (next->op == IR_SETVAR)
		return next->var != variable_of(x, i, add->a[0]);
	return next->op == IR_LIST || next->op == IR_CALL || next->op == IR_CALLM;
}

bool
em_record_sum(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);
	const ir_ins *add = in + 1;
	uint32_t ic = x->e->nics;

	if (x->f->kind != IF_METHOD || !vc_pass_on(x->e->c, UPDATE) || i + 1 >= x->f->n ||
		add->op != IR_ADD || add->a[1] != in->d || add->a[0] == in->d ||
		!em_makes_record(x->e, x->f, in) || em_reads_again(x->f, i + 1, in->d, true) ||
		x->local->stacked[i + 1] || !is_new(x, i + 1))
		return false;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "no dict for what is added");
	x->e->nics++;
	x->summed = 1;
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t k = 0; k < in->nlist; k++)
		vt_buf_printf(x->b, "%s%s", k ? ", " : "", em_temp(x, in->list[k]));
	vt_buf_puts(x->b, "};");
	em_try(x, "vt_add_record(rt, %s, %s, IC(%u), %s, %u, av, %s)", x->sc,
		em_site(x->e, add->site), ic, em_temp(x, add->a[0]), in->nlist / 2,
		em_made(x, add->d));
	vt_buf_puts(x->b, " }\n");
	return true;
}

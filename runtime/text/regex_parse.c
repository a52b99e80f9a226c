/*
 * regex_parse.c - translates Python's regular expressions (re of 3.11, text patterns) into PCRE2's.
 *
 * The grammar is read here completely, errors and their positions included; PCRE2 gets only
 * constructs that mean the same to both.  What is written out is one atom an item, so that a
 * quantifier can follow:
 *
 *	a    \x{..}, letters and digits as they are      ^ $      \A \Z, multi-line (?m:^) (?m:$)
 *	.    . or (?s:.)                                  \Z       \z
 *	\w   [\p{L}\p{N}_]                                \B       not in an empty text
 *	(?P<n>..)  (..): names are kept aside             (?P=n)   \g{k}
 *
 * Flags but i are resolved here.  \N{NAME} and repetitions beyond 65535 are refused.
 */
#include "runtime/text/regex_int.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing: characters and classes --------------------------------------------------------- */

/* White space as Python sees it, and the rest. */
#define SPACES \
	"\\x{9}-\\x{d}\\x{1c}-\\x{20}\\x{85}\\x{a0}\\x{1680}" \
	"\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define NOT_SPACES \
	"\\x{0}-\\x{8}\\x{e}-\\x{1b}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{" \
	"1fff}" \
	"\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-" \
	"\\x{10ffff}"
#define A_WORD "0-9A-Z_a-z"

/* Members of a class. \W relies on PCRE2_UCP: letters, numbers and the underscore, as Python has
 * it. */
static const char *
category(uint32_t c, bool ascii)
{
	switch (c) {
	case 'd': return ascii ? "0-9" : "\\p{Nd}";
	case 'D': return ascii ? "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}" : "\\P{Nd}";
	case 's': return ascii ? "\\x{9}-\\x{d}\\x{20}" : SPACES;
	case 'S': return ascii ? "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}" : NOT_SPACES;
	case 'w': return ascii ? A_WORD : "\\p{L}\\p{N}_";
	default:
		return ascii ? "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{"
			       "10ffff}"
			     : "\\W";
	}
}

static void
put_char(vt_buf *b, uint32_t c)
{
	if (re_letter(c) || (c >= '0' && c <= '9'))
		vt_buf_putc(b, (char)c);
	else
		vt_buf_printf(b, "\\x{%x}", c);
}

/* Without regard to case Python takes the four i, with and without a dot, for one. */
static bool
is_i(uint32_t c)
{
	return c == 'i' || c == 'I' || c == 0x130 || c == 0x131;
}

static void
put_literal(parser *p, uint32_t c)
{
	bool icase = p->flags & F_I;
	if (icase && (p->flags & F_A) && re_letter(c))
		vt_buf_printf(re_out(p), "(?-i:[%c%c])", (char)(c | 32), (char)(c & ~32u));
	else if (icase && (p->flags & F_A) && c >= 128)
		vt_buf_printf(re_out(p), "(?-i:\\x{%x})", c);
	else if (icase && is_i(c))
		vt_buf_puts(re_out(p), "[i\\x{130}\\x{131}]");
	else
		put_char(re_out(p), c);
}

/* The part of [lo, hi] within [from, to], moved by so much. */
static void
put_moved(vt_buf *b, uint32_t lo, uint32_t hi, uint32_t from, uint32_t to, int by)
{
	lo = lo > from ? lo : from;
	hi = hi < to ? hi : to;
	if (lo <= hi)
		vt_buf_printf(b, "%c-%c", (char)((int)lo + by), (char)((int)hi + by));
}

static void
put_range(parser *p, vt_buf *b, uint32_t lo, uint32_t hi)
{
	put_char(b, lo);
	if (hi != lo) {
		vt_buf_putc(b, '-');
		put_char(b, hi);
	}
	if (!(p->flags & F_I))
		return;
	if (p->flags & F_A) {
		put_moved(b, lo, hi, 'a', 'z', -32);
		put_moved(b, lo, hi, 'A', 'Z', 32);
	} else if ((lo <= 'i' && hi >= 'i') || (lo <= 'I' && hi >= 'I') ||
		   (lo <= 0x131 && hi >= 0x130)) {
		vt_buf_puts(b, "i\\x{130}\\x{131}");
	}
}

/* Of ASCII only, s and k must not bring the long s and the sign of Kelvin with them. */
static void
put_category(parser *p, uint32_t c)
{
	bool plain = (p->flags & F_I) && (p->flags & F_A);
	vt_buf_printf(re_out(p), plain ? "(?-i:[%s])" : "[%s]", category(c, p->flags & F_A));
}

/* One member, or a range of two; *end: the class is closed. */
static vt_status
class_member(parser *p, vt_buf *b, token t, uint32_t start, bool *end)
{
	code lo = {LITERAL, t.c[0]}, hi;
	token u;
	bool range, ascii = p->flags & F_A;
	if (t.n == 2)
		VT_TRY(re_read_escape(p, t, true, &lo));
	VT_TRY(re_match(p, '-', &range));
	if (range) {
		VT_TRY(re_get(p, &u));
		if (u.n == 0)
			return re_fail(p, re_tell(p) - start, "unterminated character set");
		*end = u.n == 1 && u.c[0] == ']';
	}
	if (!range || *end) {
		if (lo.what == CATEGORY)
			vt_buf_puts(b, category(lo.c, ascii));
		else
			put_range(p, b, lo.c, lo.c);
		vt_buf_puts(b, range ? "\\x{2d}" : "");
		return VT_OK;
	}
	hi = (code){LITERAL, u.c[0]};
	if (u.n == 2)
		VT_TRY(re_read_escape(p, u, true, &hi));
	if (lo.what != LITERAL || hi.what != LITERAL || hi.c < lo.c) {
		escape e = {{t.c[0], t.c[1]}, t.n};
		e.c[e.n++] = '-';
		memcpy(e.c + e.n, u.c, sizeof u.c);
		e.n += u.n;
		return re_fail_citing(p, e.n, "bad character range %s", e.c, e.n);
	}
	put_range(p, b, lo.c, hi.c);
	return VT_OK;
}

/* Behind the opening bracket. */
static vt_status
read_class(parser *p, vt_buf *b)
{
	uint32_t start = re_tell(p) - 1;
	bool negate, end = false;
	token t;
	VT_TRY(re_match(p, '^', &negate));
	vt_buf_puts(b, negate ? "[^" : "[");
	for (bool first = true; !end; first = false) {
		VT_TRY(re_get(p, &t));
		if (t.n == 0)
			return re_fail(p, re_tell(p) - start, "unterminated character set");
		if (t.n == 1 && t.c[0] == ']' && !first)
			break;
		VT_TRY(class_member(p, b, t, start, &end));
	}
	vt_buf_putc(b, ']');
	return VT_OK;
}

static vt_status
put_class(parser *p)
{
	bool plain = (p->flags & F_I) && (p->flags & F_A);
	vt_buf_puts(re_out(p), plain ? "(?-i:" : "");
	VT_TRY(read_class(p, re_out(p)));
	vt_buf_puts(re_out(p), plain ? ")" : "");
	return VT_OK;
}

static void
put_place(parser *p, uint32_t c)
{
	bool ascii = p->flags & F_A, multi = p->flags & F_M;
	switch (c) {
	case '^': vt_buf_puts(re_out(p), multi ? "(?m:^)" : "\\A"); break;
	case '$': vt_buf_puts(re_out(p), multi ? "(?m:$)" : "\\Z"); break;
	case 'A': vt_buf_puts(re_out(p), "\\A"); break;
	case 'Z': vt_buf_puts(re_out(p), "\\z"); break;
	case 'b':
		vt_buf_puts(re_out(p), ascii ? "(?-i:(?<=[" A_WORD "])(?![" A_WORD "])|(?<![" A_WORD
					       "])(?=[" A_WORD "]))"
					     : "\\b");
		break;
	default:
		vt_buf_puts(re_out(p), ascii ? "(?-i:(?:(?<=[" A_WORD "])(?=[" A_WORD
					       "])|(?<![" A_WORD "])(?![" A_WORD "]))(?!\\A\\z))"
					     : "(?:\\B(?!\\A\\z))");
		break;
	}
}

/* ---- sequences ------------------------------------------------------------------------------- */

enum kind { NOTHING, PLACE_ITEM, REPEATED, ASSERTION, ORDINARY };

/* A run of items being read. The last one, text from `start`, may still get a quantifier. */
typedef struct run {
	bool verbose, first;
	enum kind last;
	size_t start;
	width before, w;
} run;

static uint64_t
limited(uint64_t n)
{
	return n > UNLIMITED ? UNLIMITED : n;
}

/* The text from `start` on is an item. */
static void
item(run *r, enum kind kind, size_t start, width w)
{
	r->before.lo = limited(r->before.lo + r->w.lo);
	r->before.hi = limited(r->before.hi + r->w.hi);
	r->last = kind;
	r->start = start;
	r->w = w;
}

static const width one = {1, 1}, none = {0, 0};

static vt_status
read_count(parser *p, uint64_t *n, bool *given)
{
	*given = false;
	for (*n = 0; re_one_of(p->next, DECIMAL); *given = true) {
		*n = *n >= UNLIMITED ? *n : *n * 10 + re_digit(p->next.c[0]);
		VT_TRY(re_advance(p));
	}
	if (*n >= UNLIMITED)
		return vt_raise(p->rt, VT_E_OVERFLOW, "the repetition number is too large");
	return VT_OK;
}

/* Behind `{`. *literal: it was no quantifier, and reading goes on behind the brace. */
static vt_status
read_braces(parser *p, width *n, bool *literal)
{
	uint32_t here = re_tell(p);
	bool lo, hi, comma, closed;
	*n = (width){0, UNLIMITED};
	*literal = re_next_is(p, '}');
	if (*literal)
		return VT_OK;
	uint64_t low, high;
	VT_TRY(read_count(p, &low, &lo));
	VT_TRY(re_match(p, ',', &comma));
	high = low;
	hi = lo;
	if (comma)
		VT_TRY(read_count(p, &high, &hi));
	VT_TRY(re_match(p, '}', &closed));
	if (!closed) {
		*literal = true;
		p->index = here;
		return re_advance(p);
	}
	n->lo = lo ? low : 0;
	n->hi = hi ? high : UNLIMITED;
	if (hi && n->hi < n->lo)
		return re_fail(p, re_tell(p) - here, "min repeat greater than max repeat");
	return VT_OK;
}

/* PCRE2 ignores most counts behind an assertion: in a group it is an item like others. */
static void
wrap(vt_buf *b, size_t start)
{
	vt_buf_puts(b, "(?:)");
	memmove(b->p + start + 3, b->p + start, b->n - 4 - start);
	memcpy(b->p + start, "(?:", 3);
}

static vt_status
put_quantifier(parser *p, width n)
{
	bool lazy, greedy = false;
	if (n.lo > MAX_REPEAT || (n.hi != UNLIMITED && n.hi > MAX_REPEAT))
		return re_fail(p, 0, "repetition counts beyond %d are not supported", MAX_REPEAT);
	if (n.hi == UNLIMITED)
		vt_buf_printf(re_out(p), "{%u,}", (unsigned)n.lo);
	else
		vt_buf_printf(re_out(p), "{%u,%u}", (unsigned)n.lo, (unsigned)n.hi);
	VT_TRY(re_match(p, '?', &lazy));
	if (!lazy)
		VT_TRY(re_match(p, '+', &greedy));
	vt_buf_puts(re_out(p), lazy ? "?" : greedy ? "+" : "");
	return VT_OK;
}

static uint64_t
times(uint64_t a, uint64_t b)
{
	return a != 0 && b > UNLIMITED / a ? UNLIMITED : a * b;
}

static vt_status
quantifier(parser *p, run *r, uint32_t c)
{
	uint32_t here = re_tell(p) - 1;
	width n = {c == '+', c == '?' ? 1 : UNLIMITED};
	bool literal = false;
	if (c == '{')
		VT_TRY(read_braces(p, &n, &literal));
	if (literal) {
		item(r, ORDINARY, re_out(p)->n, one);
		put_literal(p, '{');
		return VT_OK;
	}
	if (r->last == NOTHING || r->last == PLACE_ITEM)
		return re_fail(p, re_tell(p) - here, "nothing to repeat");
	if (r->last == REPEATED)
		return re_fail(p, re_tell(p) - here, "multiple repeat");
	if (r->last == ASSERTION)
		wrap(re_out(p), r->start);
	r->last = REPEATED;
	r->w.lo = times(r->w.lo, n.lo);
	r->w.hi = times(r->w.hi, n.hi);
	return put_quantifier(p, n);
}

static vt_status read_alternatives(parser *p, bool verbose, bool top, width *w);
static vt_status read_run(parser *p, bool verbose, bool first, width *w);

/* ---- groups ---------------------------------------------------------------------------------- */

static vt_status
close_paren(parser *p, uint32_t start)
{
	bool closed;
	VT_TRY(re_match(p, ')', &closed));
	if (!closed)
		return re_fail(p, re_tell(p) - start, "missing ), unterminated subpattern");
	vt_buf_putc(re_out(p), ')');
	return VT_OK;
}

static uint32_t
group_named(const parser *p, vt_value name)
{
	for (uint32_t i = 0; i < p->out->nnames; i++)
		if (vt_str_eq(vt_as_str(p->out->names[i].name), vt_as_str(name)))
			return p->out->names[i].group;
	return 0;
}

static vt_status
open_group(parser *p, uint32_t *g)
{
	*g = p->ngroups;
	if (p->ngroups >= MAX_GROUPS)
		return re_fail(p, 0, "too many groups");
	vt_push(p->groups, p->ngroups) = (group){.closed = false};
	return VT_OK;
}

/* Takes the name over. */
static vt_status
name_group(parser *p, vt_value name, uint32_t len, uint32_t g)
{
	vt_regex_source *o = p->out;
	uint32_t was = group_named(p, name);
	if (was != 0) {
		vt_buf b = {0};
		vt_buf_puts(&b, "redefinition of group name ");
		vt_repr_cut(p->rt, &b, name);
		vt_buf_printf(&b, " as group %u; was group %u", g, was);
		vt_release(name);
		return re_fail_at(p, re_tell(p) - len - 1, &b);
	}
	vt_push(o->names, o->nnames) = (vt_regex_name){name, g};
	return VT_OK;
}

/* A name that must be an identifier. Owned. */
static vt_status
read_name(parser *p, uint32_t terminator, vt_value *name, uint32_t *len)
{
	VT_TRY(re_get_until(p, terminator, "group name", name, len));
	if (vt_is_identifier(vt_as_str(*name)))
		return VT_OK;
	(void)re_fail_name(p, *len + 1, "bad character in group name ", *name);
	vt_clear(name);
	return VT_ERROR;
}

static vt_status
capture(parser *p, run *r, vt_value name, uint32_t len, uint32_t start)
{
	size_t at = re_out(p)->n;
	uint32_t g;
	width w;
	vt_status st = open_group(p, &g);
	if (name != VT_UNDEF && st == VT_OK)
		st = name_group(p, name, len, g);
	else
		vt_release(name);
	VT_TRY(st);
	vt_buf_putc(re_out(p), '(');
	VT_TRY(read_alternatives(p, r->verbose, false, &w));
	VT_TRY(close_paren(p, start));
	p->groups[g] = (group){w, true};
	item(r, ORDINARY, at, w);
	return VT_OK;
}

static vt_status
put_backref(parser *p, run *r, uint32_t g)
{
	item(r, ORDINARY, re_out(p)->n, p->groups[g].w);
	vt_buf_printf(re_out(p), "\\g{%u}", g);
	return VT_OK;
}

static vt_status
named_backref(parser *p, run *r)
{
	vt_value name = VT_UNDEF;
	uint32_t len, g;
	vt_status st;
	VT_TRY(read_name(p, ')', &name, &len));
	g = group_named(p, name);
	st = g == 0 ? re_fail_name(p, len + 1, "unknown group name ", name)
		    : re_check_reference(p, g, len + 1);
	vt_release(name);
	VT_TRY(st);
	VT_TRY(re_check_behind(p, g));
	return put_backref(p, r, g);
}

/* (?P */
static vt_status
python_group(parser *p, run *r, uint32_t start)
{
	vt_value name = VT_UNDEF;
	uint32_t len;
	token t;
	VT_TRY(re_get(p, &t));
	if (t.n == 0)
		return re_fail(p, 0, "unexpected end of pattern");
	if (re_one_of(t, "="))
		return named_backref(p, r);
	if (!re_one_of(t, "<"))
		return re_fail_citing(p, t.n + 2, "unknown extension ?P%s", t.c, t.n);
	VT_TRY(read_name(p, '>', &name, &len));
	return capture(p, r, name, len, start);
}

static vt_status
assertion(parser *p, run *r, const char *open, bool behind, uint32_t start)
{
	size_t at = re_out(p)->n;
	uint32_t outer = p->behind;
	width w;
	vt_buf_puts(re_out(p), open);
	if (behind && outer == 0)
		p->behind = p->ngroups;
	VT_TRY(read_alternatives(p, r->verbose, false, &w));
	p->behind = outer;
	if (behind && w.lo != w.hi)
		p->uneven = true;
	VT_TRY(close_paren(p, start));
	item(r, ASSERTION, at, none);
	return VT_OK;
}

static vt_status
look_behind(parser *p, run *r, uint32_t start)
{
	token t;
	VT_TRY(re_get(p, &t));
	if (t.n == 0)
		return re_fail(p, 0, "unexpected end of pattern");
	if (!re_one_of(t, "=!"))
		return re_fail_citing(p, t.n + 2, "unknown extension ?<%s", t.c, t.n);
	return assertion(p, r, t.c[0] == '=' ? "(?<=" : "(?<!", true, start);
}

static vt_status
comment(parser *p, uint32_t start)
{
	token t;
	do {
		if (p->next.n == 0)
			return re_fail(p, re_tell(p) - start, "missing ), unterminated comment");
		VT_TRY(re_get(p, &t));
	} while (!re_one_of(t, ")"));
	return VT_OK;
}

static void
remember_reference(parser *p, uint32_t g, uint32_t pos)
{
	vt_push(p->refs, p->nrefs) = (reference){g, pos};
}

/* The group that a condition names. */
static vt_status
condition_group(parser *p, vt_value name, uint32_t len, uint32_t *g)
{
	uint64_t n;
	if (vt_is_identifier(vt_as_str(name))) {
		*g = group_named(p, name);
		return *g ? VT_OK : re_fail_name(p, len + 1, "unknown group name ", name);
	}
	if (!re_number_of(vt_as_str(name), &n))
		return re_fail_name(p, len + 1, "bad character in group name ", name);
	if (n == 0)
		return re_fail(p, len + 1, "bad group number");
	if (n >= MAX_GROUPS)
		return re_fail(p, len + 1, "invalid group reference %llu", (unsigned long long)n);
	*g = (uint32_t)n;
	remember_reference(p, *g, re_tell(p) - len - 1);
	return VT_OK;
}

static vt_status
condition(parser *p, run *r, uint32_t start)
{
	vt_value name = VT_UNDEF;
	uint32_t len, g = 0;
	size_t at = re_out(p)->n;
	width yes, no = none;
	vt_status st;
	bool more;
	VT_TRY(re_get_until(p, ')', "group name", &name, &len));
	st = condition_group(p, name, len, &g);
	vt_release(name);
	VT_TRY(st);
	VT_TRY(re_check_behind(p, g));
	vt_buf_printf(re_out(p), "(?(%u)", g);
	VT_TRY(read_run(p, r->verbose, false, &yes));
	VT_TRY(re_match(p, '|', &more));
	if (more) {
		vt_buf_putc(re_out(p), '|');
		VT_TRY(read_run(p, r->verbose, false, &no));
		if (re_next_is(p, '|'))
			return re_fail(p, 0, "conditional backref with more than two branches");
	}
	VT_TRY(close_paren(p, start));
	item(r, ORDINARY, at,
		(width){yes.lo < no.lo ? yes.lo : no.lo, yes.hi > no.hi ? yes.hi : no.hi});
	return VT_OK;
}

static int64_t
flag_of(token t)
{
	static const struct {
		char c;
		int64_t flag;
	} table[] = {{'i', F_I}, {'L', F_L}, {'m', F_M}, {'s', F_S}, {'x', F_X}, {'a', F_A},
		{'t', F_T}, {'u', F_U}};
	for (size_t i = 0; i < VT_LEN(table); i++)
		if (t.n == 1 && t.c[0] == (uint32_t)table[i].c)
			return table[i].flag;
	return 0;
}

static vt_status
bad_flag(parser *p, token t, const char *missing)
{
	bool alpha = t.n == 1 && vt_is_word(t.c[0]) && t.c[0] != '_' && vt_digit_value(t.c[0]) < 0;
	return re_fail(p, t.n, "%s", alpha ? "unknown flag" : missing);
}

/* Flags to set; *t is what ended them: one of ) - : */
static vt_status
flags_on(parser *p, token *t, int64_t *add)
{
	for (;;) {
		int64_t flag = flag_of(*t);
		if (flag == F_L)
			return re_fail(
				p, 0, "bad inline flags: cannot use 'L' flag with a str pattern");
		*add |= flag;
		if ((flag & TYPE_FLAGS) && (*add & TYPE_FLAGS) != flag)
			return re_fail(
				p, 0, "bad inline flags: flags 'a', 'u' and 'L' are incompatible");
		VT_TRY(re_get(p, t));
		if (t->n == 0)
			return re_fail(p, 0, "missing -, : or )");
		if (re_one_of(*t, ")-:"))
			return VT_OK;
		if (flag_of(*t) == 0)
			return bad_flag(p, *t, "missing -, : or )");
	}
}

static vt_status
flags_off(parser *p, int64_t *del)
{
	token t;
	VT_TRY(re_get(p, &t));
	if (t.n == 0)
		return re_fail(p, 0, "missing flag");
	if (flag_of(t) == 0)
		return bad_flag(p, t, "missing flag");
	for (;;) {
		if (flag_of(t) & TYPE_FLAGS)
			return re_fail(
				p, 0, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
		*del |= flag_of(t);
		VT_TRY(re_get(p, &t));
		if (t.n == 0)
			return re_fail(p, 0, "missing :");
		if (re_one_of(t, ":"))
			return VT_OK;
		if (flag_of(t) == 0)
			return bad_flag(p, t, "missing :");
	}
}

/* A group with flags of its own: (?i-s:..), (?:..), (?>..). */
static vt_status
flag_group(parser *p, run *r, const char *open, int64_t add, int64_t del, uint32_t start)
{
	int64_t outer = p->flags;
	size_t at = re_out(p)->n;
	bool verbose = (r->verbose || (add & F_X)) && !(del & F_X);
	width w;
	p->flags = ((outer & (add & TYPE_FLAGS ? ~(int64_t)TYPE_FLAGS : -1)) | add) & ~del;
	vt_buf_puts(re_out(p), open);
	if ((outer ^ p->flags) & F_I)
		vt_buf_puts(re_out(p), p->flags & F_I ? "(?i)" : "(?-i)");
	VT_TRY(read_alternatives(p, verbose, false, &w));
	p->flags = outer;
	VT_TRY(close_paren(p, start));
	item(r, ORDINARY, at, w);
	return VT_OK;
}

static vt_status
flags(parser *p, run *r, token t, uint32_t start)
{
	int64_t add = 0, del = 0;
	if (!re_one_of(t, "-"))
		VT_TRY(flags_on(p, &t, &add));
	if (re_one_of(t, ")")) {
		if (!r->first || r->last != NOTHING)
			return re_fail(p, re_tell(p) - start,
				"global flags not at the start of the expression");
		p->flags |= add;
		p->out->flags |= add;
		r->verbose = p->flags & F_X;
		return VT_OK;
	}
	if (add & F_T)
		return re_fail(p, 1, "bad inline flags: cannot turn on global flag");
	if (re_one_of(t, "-"))
		VT_TRY(flags_off(p, &del));
	if (del & F_T)
		return re_fail(p, 1, "bad inline flags: cannot turn off global flag");
	if (add & del)
		return re_fail(p, 1, "bad inline flags: flag turned on and off");
	return flag_group(p, r, "(?:", add, del, start);
}

/* Behind (? */
static vt_status
extension(parser *p, run *r, uint32_t start)
{
	token t;
	VT_TRY(re_get(p, &t));
	if (t.n == 0)
		return re_fail(p, 0, "unexpected end of pattern");
	if (re_one_of(t, "P"))
		return python_group(p, r, start);
	if (re_one_of(t, ":>"))
		return flag_group(p, r, t.c[0] == ':' ? "(?:" : "(?>", 0, 0, start);
	if (re_one_of(t, "#"))
		return comment(p, start);
	if (re_one_of(t, "=!"))
		return assertion(p, r, t.c[0] == '=' ? "(?=" : "(?!", false, start);
	if (re_one_of(t, "<"))
		return look_behind(p, r, start);
	if (re_one_of(t, "("))
		return condition(p, r, start);
	if (re_one_of(t, "-") || flag_of(t) != 0)
		return flags(p, r, t, start);
	return re_fail_citing(p, t.n + 1, "unknown extension ?%s", t.c, t.n);
}

static vt_status
paren(parser *p, run *r)
{
	uint32_t start = re_tell(p) - 1;
	vt_status st;
	bool extended;
	if (p->depth >= MAX_DEPTH)
		return re_fail(p, 1, "groups are nested too deep");
	p->depth++;
	VT_TRY(re_match(p, '?', &extended));
	st = extended ? extension(p, r, start) : capture(p, r, VT_UNDEF, 0, start);
	p->depth--;
	return st;
}

/* ---- the pattern ----------------------------------------------------------------------------- */

static vt_status
put_escape(parser *p, run *r, token t)
{
	size_t at = re_out(p)->n;
	code c;
	VT_TRY(re_read_escape(p, t, false, &c));
	switch (c.what) {
	case LITERAL: put_literal(p, c.c); break;
	case CATEGORY: put_category(p, c.c); break;
	case PLACE: put_place(p, c.c); break;
	case BACKREF: return put_backref(p, r, c.c);
	}
	item(r, c.what == PLACE ? PLACE_ITEM : ORDINARY, at, c.what == PLACE ? none : one);
	return VT_OK;
}

static vt_status
skip_line(parser *p)
{
	token t;
	do
		VT_TRY(re_get(p, &t));
	while (t.n != 0 && !re_one_of(t, "\n"));
	return VT_OK;
}

static vt_status
special(parser *p, run *r, token t)
{
	size_t at = re_out(p)->n;
	if (re_one_of(t, "*+?{"))
		return quantifier(p, r, t.c[0]);
	if (re_one_of(t, "("))
		return paren(p, r);
	if (re_one_of(t, "^$")) {
		put_place(p, t.c[0]);
		item(r, PLACE_ITEM, at, none);
		return VT_OK;
	}
	if (re_one_of(t, "["))
		VT_TRY(put_class(p));
	else if (re_one_of(t, "."))
		vt_buf_puts(re_out(p), p->flags & F_S ? "(?s:.)" : ".");
	else
		put_literal(p, t.c[0]);
	item(r, ORDINARY, at, one);
	return VT_OK;
}

/* Items up to | or ) or the end. */
static vt_status
read_run(parser *p, bool verbose, bool first, width *w)
{
	run r = {.verbose = verbose, .first = first, .last = NOTHING};
	token t;
	while (p->next.n != 0 && !re_one_of(p->next, "|)")) {
		VT_TRY(re_get(p, &t));
		if (r.verbose && re_one_of(t, " \t\n\r\v\f"))
			continue;
		if (r.verbose && re_one_of(t, "#")) {
			VT_TRY(skip_line(p));
			continue;
		}
		VT_TRY(t.n == 2 ? put_escape(p, &r, t) : special(p, &r, t));
	}
	item(&r, NOTHING, 0, none);
	*w = r.before;
	return VT_OK;
}

static vt_status
read_alternatives(parser *p, bool verbose, bool top, width *w)
{
	bool more = true;
	*w = (width){UNLIMITED, 0};
	for (bool first = true; more; first = false) {
		width each;
		VT_TRY(read_run(p, verbose, top && first, &each));
		w->lo = each.lo < w->lo ? each.lo : w->lo;
		w->hi = each.hi > w->hi ? each.hi : w->hi;
		VT_TRY(re_match(p, '|', &more));
		vt_buf_puts(re_out(p), more ? "|" : "");
		if (top)
			verbose = p->flags & F_X;
	}
	return VT_OK;
}

static vt_status
read_pattern(parser *p)
{
	width w;
	VT_TRY(re_advance(p));
	VT_TRY(read_alternatives(p, p->flags & F_X, true, &w));
	if ((p->out->flags & F_A) && (p->out->flags & F_U))
		return vt_raise(p->rt, VT_E_VALUE, "ASCII and UNICODE flags are incompatible");
	if (p->next.n != 0)
		return re_fail(p, 0, "unbalanced parenthesis");
	for (uint32_t i = 0; i < p->nrefs; i++)
		if (p->refs[i].group >= p->ngroups) {
			vt_buf b = {0};
			vt_buf_printf(&b, "invalid group reference %u", p->refs[i].group);
			return re_fail_at(p, p->refs[i].pos, &b);
		}
	if (p->uneven)
		return vt_raise(p->rt, VT_E_RE, "look-behind requires fixed-width pattern");
	return VT_OK;
}

void
vt_regex_source_free(vt_regex_source *s)
{
	for (uint32_t i = 0; i < s->nnames; i++)
		vt_release(s->names[i].name);
	free(s->names);
	vt_buf_free(&s->text);
	*s = (vt_regex_source){.flags = 0};
}

vt_status
vt_regex_translate(vt_rt *rt, const vt_str *pattern, int64_t flags, vt_regex_source *out)
{
	uint32_t *cp = vt_xmalloc(pattern->points * sizeof *cp + 1), i = 0;
	parser p = {.rt = rt, .cp = cp, .n = pattern->points, .out = out, .flags = flags};
	vt_status st;
	for (const char *s = pattern->s; s < pattern->s + pattern->bytes;)
		cp[i++] = vt_utf8_next(&s);
	*out = (vt_regex_source){.flags = flags};
	vt_push(p.groups, p.ngroups) = (group){.closed = false}; /* the whole */
	st = read_pattern(&p);
	out->ngroups = p.ngroups - 1;
	if (!(out->flags & F_A))
		out->flags |= F_U;
	free(p.groups);
	free(p.refs);
	free(cp);
	if (st != VT_OK)
		vt_regex_source_free(out);
	return st;
}

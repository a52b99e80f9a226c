/*
 * regex.c - rows of lib/regex.fn.
 *
 * Searching goes on where the last match ended; after an empty match, another empty one at the same
 * place does not count.  That is how Python's finditer, sub and split walk, and how the cursor
 * below does.
 */
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"
#include "registry.h"
#include "runtime/core/args.h"

#include <stdlib.h>
#include <string.h>

typedef struct cursor {
	vt_rt *rt;
	vt_regex *re;
	const vt_str *s;
	size_t at;    /* where the search goes on */
	size_t begin; /* where the last one began */
	bool was_empty;
	const size_t *spans; /* of the match: start and end of each group */
	/* a byte that `points` code points lie before: the start of a search */
	size_t origin;
	int64_t points;
} cursor;

static int64_t
points_between(const vt_str *s, size_t from, size_t to)
{
	int64_t n = 0;
	if (s->h.flags & VT_F_ASCII)
		return (int64_t)(to - from);
	for (; from < to; from++)
		n += ((unsigned char)s->s[from] & 0xc0) != 0x80;
	return n;
}

/* spans is NULL when there is no further match. */
static vt_status
find(cursor *c)
{
	c->begin = c->at;
	VT_TRY(vt_regex_match(c->rt, c->re, c->s, c->at, c->was_empty, &c->spans));
	if (c->spans != NULL) {
		c->at = c->spans[1];
		c->was_empty = c->spans[0] == c->spans[1];
	}
	return VT_OK;
}

static vt_value
part(vt_rt *rt, const vt_str *s, size_t from, size_t to)
{
	return vt_str_part(rt, s, s->s + from, to - from);
}

/* ---- does it match? -------------------------------------------------------------------------- */

/* A regex, or a pattern to be compiled without flags. Owned. */
static vt_status
regex_of(vt_args *a, vt_value v, vt_value *re)
{
	if (vt_is(v, STR))
		return vt_regex_make(a->rt, v, 0, re);
	*re = vt_copy(v);
	return VT_OK;
}

static vt_status
matches(vt_args *a, vt_value s, vt_value regexp, bool wanted, vt_value *out)
{
	const vt_str *text = vt_as_str(s);
	vt_value re = VT_UNDEF;
	bool found = false;
	vt_status st;
	VT_TRY(regex_of(a, regexp, &re));
	st = vt_regex_test(a->rt, VT_AS(vt_regex, re), text->s, text->bytes,
		(text->h.flags & VT_F_ASCII) != 0, &found);
	if (st == VT_OK)
		*out = vt_mkbool(found == wanted);
	vt_release(re);
	return st;
}

vt_status
vt_lib_re_matches(vt_args *a, vt_value *out)
{
	return matches(a, a->v[0], a->v[1], true, out);
}

vt_status
vt_lib_re_matches_regex(vt_args *a, vt_value *out)
{
	return matches(a, a->v[1], a->v[0], true, out);
}

vt_status
vt_lib_re_not_matches(vt_args *a, vt_value *out)
{
	return matches(a, a->v[0], a->v[1], false, out);
}

vt_status
vt_lib_regex(vt_args *a, vt_value *out)
{
	int64_t flags = VT_RE_UNICODE;
	flags |= vt_truth(a->v[1]) ? VT_RE_IGNORECASE : 0;
	flags |= vt_truth(a->v[2]) ? VT_RE_MULTILINE : 0;
	flags |= vt_truth(a->v[3]) ? VT_RE_DOTALL : 0;
	return vt_regex_make(a->rt, a->v[0], flags, out);
}

vt_status
vt_lib_is_regex(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is(a->v[0], REGEX));
	return VT_OK;
}

vt_status
vt_lib_escape_regex(vt_args *a, vt_value *out)
{
	const vt_str *s = vt_as_str(a->v[0]);
	vt_buf b = {0};
	for (uint32_t i = 0; i < s->bytes; i++) {
		if (s->s[i] != '\0' && strchr("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", s->s[i]) != NULL)
			vt_buf_putc(&b, '\\');
		vt_buf_putc(&b, s->s[i]);
	}
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

/* ---- matches for selectors ------------------------------------------------------------------- */

/* A group inside a lookbehind may lie before the search's start. */
static int64_t
point(const cursor *c, size_t byte)
{
	if (byte == VT_RE_UNSET)
		return -1;
	return byte < c->origin ? points_between(c->s, 0, byte)
				: c->points + points_between(c->s, c->origin, byte);
}

enum { VALUE, START, END, MEMBERS };

static vt_dict *
record_of(vt_rt *rt, const vt_value *owned)
{
	static const char *const names[MEMBERS] = {"value", "start", "end"};
	vt_dict *d;
	if (likely(rt->s->group_shape != NULL))
		return vt_dict_shaped(rt, false, rt->s->group_shape, owned);
	d = vt_dict_new(rt, false);
	for (int i = 0; i < MEMBERS; i++)
		vt_dict_set_c(rt, d, names[i], owned[i]);
	rt->s->group_shape = d->shape;
	return d;
}

/* {value, start, end} of a group. */
static vt_value
record(const cursor *c, uint32_t group)
{
	size_t from = c->spans[2 * group], to = c->spans[2 * group + 1];
	vt_value v[MEMBERS] = {from == VT_RE_UNSET ? VT_NULL : part(c->rt, c->s, from, to),
		vt_mkint(point(c, from)), vt_mkint(point(c, to))};
	return vt_mkptr(record_of(c->rt, v));
}

static uint32_t
group_named(const vt_regex *re, const char *p, size_t n)
{
	for (uint32_t i = 0; i < re->nnames; i++) {
		const vt_str *s = vt_as_str(re->names[i].name);
		if (s->bytes == n && memcmp(s->s, p, n) == 0)
			return re->names[i].group;
	}
	return 0;
}

/*
 * The reference takes each named group's text apart, as if it were a pair of a name and a value:
 * two characters, of which the second must be a group's name.  Anything else is an error.  sc is
 * NULL for a selector that looks at nothing.
 */
static vt_status
set_named(const cursor *c, vt_scope *sc, uint32_t group)
{
	size_t from = c->spans[2 * group], to = c->spans[2 * group + 1];
	const char *p = c->s->s + from, *q = p;
	vt_value text, name, v;
	uint32_t points, g;
	if (from == VT_RE_UNSET)
		return vt_raise(c->rt, VT_E_TYPE, "cannot unpack non-iterable NoneType object");
	text = part(c->rt, c->s, from, to);
	points = vt_as_str(text)->points;
	vt_release(text);
	if (points > 2)
		return vt_raise(c->rt, VT_E_VALUE, "too many values to unpack (expected 2)");
	if (points < 2)
		return vt_raise(c->rt, VT_E_VALUE,
			"not enough values to unpack (expected 2, got %u)", points);
	vt_utf8_next(&q);
	g = group_named(c->re, q, to - from - (size_t)(q - p));
	if (g == 0)
		return vt_raise(c->rt, VT_E_INDEX, "no such group");
	name = vt_str_new(c->rt, p, (size_t)(q - p));
	v = record(c, g);
	vt_dict_set_c(
		c->rt, vt_as_dict(v), "value", vt_str_new(c->rt, q, to - from - (size_t)(q - p)));
	if (sc != NULL)
		vt_scope_set(c->rt, sc, vt_as_str(name), v);
	vt_release(v);
	vt_release(name);
	return VT_OK;
}

static vt_status
select_named(const cursor *c, vt_value lambda, const vt_list *args, vt_value *out)
{
	vt_scope *parent = VT_AS(vt_lambda, lambda)->scope, *sc = NULL;
	vt_status st = VT_OK;
	if (parent != NULL)
		sc = vt_scope_child(c->rt, parent, 0, NULL);
	for (uint32_t i = 0; st == VT_OK && i < c->re->nnames; i++)
		st = set_named(c, sc, c->re->names[i].group);
	if (st == VT_OK)
		st = sc ? vt_apply_in(c->rt, lambda, sc, args->n, args->v, out)
			: vt_apply(c->rt, lambda, args->n, args->v, out);
	if (sc != NULL)
		vt_scope_drop(sc);
	return st;
}

/* May the selector get the groups alone that it reads?  Nothing in it can look at the others. */
static bool
reads_few(const cursor *c, vt_value lambda)
{
	const vt_lambda *l = VT_AS(vt_lambda, lambda);
	return c->re->nnames == 0 && l->code != NULL && l->scope != NULL && !c->rt->s->host_hides &&
	       vt_code_is_direct(l->code) && l->code->direct_args <= c->re->ngroups + 1;
}

static vt_status
select_few(const cursor *c, vt_value lambda, vt_value *out)
{
	const vt_code *code = VT_AS(vt_lambda, lambda)->code;
	vt_value v[VT_DIRECT_MOST];
	vt_status st;
	for (uint32_t i = 0; i < code->direct_args; i++) {
		bool reads = (code->flags & VT_CODE_READS(i + 1)) != 0;
		v[i] = reads ? record(c, i) : VT_NULL;
	}
	st = vt_apply(c->rt, lambda, code->direct_args, v, out);
	for (uint32_t i = 0; i < code->direct_args; i++)
		vt_release(v[i]);
	return st;
}

/* The selector with $1 the whole match, $2 the first group and so on. */
static vt_status
select_match(const cursor *c, vt_value lambda, vt_value *out)
{
	vt_list *args;
	vt_status st;
	if (reads_few(c, lambda))
		return select_few(c, lambda, out);
	args = vt_list_new(c->rt, VT_K_TUPLE, c->re->ngroups + 1);
	for (uint32_t i = 0; i <= c->re->ngroups; i++)
		args->v[i] = record(c, i);
	if (c->re->nnames > 0)
		st = select_named(c, lambda, args, out);
	else
		st = vt_apply(c->rt, lambda, args->n, args->v, out);
	vt_release(vt_mkptr(args));
	return st;
}

static vt_status
result(const cursor *c, vt_value lambda, vt_value *out)
{
	if (lambda != VT_NULL)
		return select_match(c, lambda, out);
	*out = part(c->rt, c->s, c->spans[0], c->spans[1]);
	return VT_OK;
}

vt_status
vt_lib_re_search(vt_args *a, vt_value *out)
{
	cursor c = {.rt = a->rt, .re = VT_AS(vt_regex, a->v[0]), .s = vt_as_str(a->v[1])};
	VT_TRY(find(&c));
	if (c.spans != NULL)
		return result(&c, a->v[2], out);
	*out = VT_NULL;
	return VT_OK;
}

/* v: regex, string, selector; i: place, twice its code point plus 1 when the last match was empty,
 * is it over. */
static vt_status
next_match(vt_rt *rt, vt_iter *it, vt_value *out)
{
	cursor c = {.rt = rt,
		.re = VT_AS(vt_regex, it->v[0]),
		.s = vt_as_str(it->v[1]),
		.at = (size_t)it->i[0],
		.was_empty = it->i[1] & 1,
		.origin = (size_t)it->i[0],
		.points = it->i[1] >> 1};
	*out = VT_UNDEF;
	if (it->i[2])
		return VT_OK;
	it->i[2] = 1;
	VT_TRY(find(&c));
	if (c.spans == NULL)
		return VT_OK;
	it->i[0] = (int64_t)c.at;
	it->i[1] = point(&c, c.at) * 2 + c.was_empty;
	VT_TRY(result(&c, it->v[2], out));
	it->i[2] = 0;
	return VT_OK;
}

static const vt_iter_ops match_ops = {next_match, NULL, "generator", 256, NULL};

vt_status
vt_lib_re_search_all(vt_args *a, vt_value *out)
{
	vt_iter *it = vt_iter_new(a->rt, &match_ops);
	for (uint32_t i = 0; i < 3; i++)
		it->v[i] = vt_copy(a->v[i]);
	*out = vt_mkptr(it);
	return VT_OK;
}

/* ---- split ----------------------------------------------------------------------------------- */

/* A count of matches: 0 is all of them, less than 0 none. */
static vt_status
count_of(vt_rt *rt, vt_value v, int64_t *n)
{
	if (!vt_int_fits(v, n))
		return vt_raise(rt, VT_E_OVERFLOW, "Python int too large to convert to C ssize_t");
	return VT_OK;
}

static vt_status
split(vt_args *a, vt_value regexp, vt_value s, vt_value *out)
{
	cursor c = {.rt = a->rt, .re = VT_AS(vt_regex, regexp), .s = vt_as_str(s)};
	size_t last = 0;
	vt_list *l;
	int64_t most;
	VT_TRY(count_of(a->rt, a->v[2], &most));
	l = vt_list_grow(a->rt, VT_K_LIST, 8);
	for (int64_t n = 0; most == 0 || n < most; n++) {
		if (find(&c) != VT_OK) {
			vt_release(vt_mkptr(l));
			return VT_ERROR;
		}
		if (c.spans == NULL)
			break;
		vt_list_push(a->rt, l, part(a->rt, c.s, last, c.spans[0]));
		for (uint32_t g = 1; g <= c.re->ngroups; g++) {
			const size_t *x = &c.spans[2 * g];
			vt_list_push(a->rt, l,
				x[0] == VT_RE_UNSET ? VT_NULL : part(a->rt, c.s, x[0], x[1]));
		}
		last = c.spans[1];
	}
	vt_list_push(a->rt, l, part(a->rt, c.s, last, c.s->bytes));
	*out = vt_mkptr(l);
	return VT_OK;
}

vt_status
vt_lib_re_split(vt_args *a, vt_value *out)
{
	return split(a, a->v[0], a->v[1], out);
}

vt_status
vt_lib_re_split_string(vt_args *a, vt_value *out)
{
	return split(a, a->v[1], a->v[0], out);
}

/* ---- templates of replace: \1 \g<name> \n ---------------------------------------------------- */

/* A template while it is read: text in between goes to `text`, groups[i].at is where a group is put
 * in. */
typedef struct insertion {
	size_t at;
	uint32_t group;
} insertion;
typedef struct template
{
	vt_rt *rt;
	const vt_regex *re;
	const char *start, *p, *end;
	const char *whole; /* of nwhole bytes: the text without groups */
	size_t nwhole;
	vt_buf text;
	insertion *groups;
	uint32_t ngroups;
}
template;

static void
template_free(template *t)
{
	vt_buf_free(&t->text);
	free(t->groups);
}

/* message, then the place: code points from the start to `at`. */
static vt_status
template_error(template *t, const char *at, vt_buf *message)
{
	uint32_t pos = 0, line = 1, column = 1;
	for (const char *p = t->start; p < at; pos++) {
		column = *p == '\n' ? 1 : column + 1;
		line += *p == '\n';
		vt_utf8_next(&p);
	}
	vt_buf_printf(message, " at position %u", pos);
	if (memchr(t->start, '\n', (size_t)(t->end - t->start)) != NULL)
		vt_buf_printf(message, " (line %u, column %u)", line, column);
	return vt_raise_value(t->rt, VT_E_RE, vt_str_take(t->rt, message));
}

static vt_status VT_PRINTF(3, 4) bad_template(template *t, const char *at, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	return template_error(t, at, &b);
}

static vt_status
insert(template *t, uint64_t group, const char *at)
{
	if (group > t->re->ngroups)
		return bad_template(
			t, at, "invalid group reference %llu", (unsigned long long)group);
	vt_push(t->groups, t->ngroups) = (insertion){t->text.n, (uint32_t)group};
	return VT_OK;
}

static bool
octal(const template *t, const char *p)
{
	return p < t->end && *p >= '0' && *p <= '7';
}

static bool
decimal(const template *t, const char *p)
{
	return p < t->end && *p >= '0' && *p <= '9';
}

/* The escapes are read as code points: behind the first backslash is a digit. */
static vt_status
digits(template *t)
{
	const char *from = t->p - 1, *d = t->p;
	uint32_t c;
	t->p++;
	if (*d == '0') {
		for (c = 0; t->p < d + 3 && octal(t, t->p); t->p++)
			c = c * 8 + (uint32_t)(*t->p - '0');
		vt_utf8_put(&t->text, c);
		return VT_OK;
	}
	if (!decimal(t, t->p))
		return insert(t, (uint64_t)(*d - '0'), from + 1);
	t->p++;
	if (!octal(t, d) || !octal(t, d + 1) || !octal(t, t->p))
		return insert(t, (uint64_t)(d[0] - '0') * 10 + (uint64_t)(d[1] - '0'), from + 1);
	t->p++;
	c = (uint32_t)((d[0] - '0') * 64 + (d[1] - '0') * 8 + (d[2] - '0'));
	if (c > 0377)
		return bad_template(
			t, from, "octal escape value %.4s outside of range 0-0o377", from);
	vt_utf8_put(&t->text, c);
	return VT_OK;
}

static vt_status
name_error(template *t, const char *at, const char *what, vt_value name)
{
	vt_buf b = {0};
	vt_buf_puts(&b, what);
	vt_repr_cut(t->rt, &b, name);
	return template_error(t, at, &b);
}

static vt_status
insert_named(template *t, vt_value name, const char *at)
{
	const vt_str *s = vt_as_str(name);
	uint64_t n = 0;
	vt_buf b = {0};
	if (vt_is_identifier(s)) {
		uint32_t g = group_named(t->re, s->s, s->bytes);
		if (g != 0)
			return insert(t, g, at);
		vt_buf_puts(&b, "unknown group name ");
		vt_repr_cut(t->rt, &b, name);
		return vt_raise_value(t->rt, VT_E_INDEX, vt_str_take(t->rt, &b));
	}
	for (uint32_t i = 0; i < s->bytes; i++) {
		if (s->s[i] < '0' || s->s[i] > '9')
			return name_error(t, at, "bad character in group name ", name);
		n = n > (uint64_t)1e17 ? n : n * 10 + (uint64_t)(s->s[i] - '0');
	}
	return insert(t, n, at);
}

/* Behind \g */
static vt_status
named(template *t)
{
	const char *from = ++t->p, *close;
	vt_value name;
	vt_status st;
	if (t->p == t->end || *t->p != '<')
		return bad_template(t, t->p, "missing <");
	from++;
	close = memchr(from, '>', (size_t)(t->end - from));
	if (close == NULL)
		return bad_template(t, from,
			from == t->end ? "missing group name" : "missing >, unterminated name");
	if (close == from)
		return bad_template(t, from, "missing group name");
	t->p = close + 1;
	name = vt_str_new(t->rt, from, (size_t)(close - from));
	st = insert_named(t, name, from);
	vt_release(name);
	return st;
}

/* t->p is behind a backslash that is not the last character. */
static vt_status
template_escape(template *t)
{
	static const char letters[] = "abfnrtv\\", codes[] = "\a\b\f\n\r\t\v\\";
	const char *known = strchr(letters, *t->p), *from = t->p - 1;
	if (decimal(t, t->p))
		return digits(t);
	if (*t->p == 'g')
		return named(t);
	if (*t->p != '\0' && known != NULL) {
		vt_buf_putc(&t->text, codes[known - letters]);
		t->p++;
		return VT_OK;
	}
	if ((*t->p >= 'a' && *t->p <= 'z') || (*t->p >= 'A' && *t->p <= 'Z'))
		return bad_template(t, from, "bad escape \\%c", *t->p);
	vt_utf8_next(&t->p);
	vt_buf_put(&t->text, from, (size_t)(t->p - from));
	return VT_OK;
}

static vt_status
read_template(template *t)
{
	t->whole = t->p;
	t->nwhole = (size_t)(t->end - t->p);
	if (t->nwhole == 0 || memchr(t->p, '\\', t->nwhole) == NULL)
		return VT_OK;
	while (t->p < t->end) {
		const char *slash = memchr(t->p, '\\', (size_t)(t->end - t->p));
		const char *stop = slash ? slash : t->end;
		vt_buf_put(&t->text, t->p, (size_t)(stop - t->p));
		t->p = stop;
		if (slash == NULL)
			break;
		if (++t->p == t->end)
			return bad_template(t, slash, "bad escape (end of pattern)");
		VT_TRY(template_escape(t));
	}
	t->whole = t->text.p;
	t->nwhole = t->text.n;
	return VT_OK;
}

static void
put_template(const template *t, const cursor *c, vt_buf *b)
{
	size_t at = 0;
	for (uint32_t i = 0; i < t->ngroups; i++) {
		const size_t *x = &c->spans[2 * t->groups[i].group];
		if (t->groups[i].at > at) /* an empty template has no text at all */
			vt_buf_put(b, t->whole + at, t->groups[i].at - at);
		at = t->groups[i].at;
		if (x[0] != VT_RE_UNSET)
			vt_buf_put(b, c->s->s + x[0], x[1] - x[0]);
	}
	if (t->nwhole > at)
		vt_buf_put(b, t->whole + at, t->nwhole - at);
}

enum { MATCHES = 16 };

/* ---- replace --------------------------------------------------------------------------------- */

/* What stands for a match: a template, or a selector. */
typedef struct replacer {
	const template *t;
	vt_value lambda;
	uint64_t pieces; /* of the result so far, as Python would join them at the end */
	int64_t bad;     /* the first that is no string, or -1 */
	const char *bad_type;
	bool singly; /* the selector does not take many at once */
} replacer;

/* What a selector gave; takes it. */
static void
put_value(replacer *r, vt_value v, vt_buf *b)
{
	if (vt_is(v, STR)) {
		vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
		r->pieces++;
	} else if (v != VT_NULL) {
		if (r->bad < 0) {
			r->bad = (int64_t)r->pieces;
			r->bad_type = vt_py_type(v);
		}
		r->pieces++;
	}
	vt_release(v);
}

static void
count_points(cursor *c)
{
	c->points += points_between(c->s, c->origin, c->begin);
	c->origin = c->begin;
}

static vt_status
put_selected(replacer *r, cursor *c, vt_buf *b)
{
	vt_value v = VT_UNDEF;
	count_points(c);
	VT_TRY(select_match(c, r->lambda, &v));
	put_value(r, v, b);
	return VT_OK;
}

/* Matches that are found before the selector is asked for one of them, which must notice nothing of
 * that. */
typedef struct ahead {
	uint32_t n;
	cursor before[MATCHES +
		      1]; /* where each of them was looked for, and the next one will be */
	size_t from[MATCHES], to[MATCHES];
	vt_value match[MATCHES], made[MATCHES];
} ahead;

/* What cannot be found is looked for again when it is its turn, and then fails. */
static void
find_ahead(cursor c, int64_t most, ahead *x)
{
	x->before[0] = c;
	for (x->n = 0; x->n < MATCHES && (most == 0 || x->n < most); x->before[x->n] = c) {
		if (find(&c) != VT_OK) {
			vt_exc_clear(c.rt);
			return;
		}
		if (c.spans == NULL)
			return;
		count_points(&c);
		x->from[x->n] = c.spans[0];
		x->to[x->n] = c.spans[1];
		x->match[x->n++] = record(&c, 0);
	}
}

/* The next ones, where the selector takes many at once; how many, and *last is where they end.  The
 * cursor then stands behind them. */
static uint32_t
put_many(replacer *r, cursor *c, int64_t most, size_t *last, vt_buf *b)
{
	ahead x;
	uint32_t done;
	if (r->t != NULL || r->singly || c->re->nnames > 0 ||
		vt_lambda_program_of(c->rt, r->lambda, 1) == NULL)
		return 0;
	find_ahead(*c, most, &x);
	done = vt_apply_many(c->rt, r->lambda, x.n, x.match, x.made);
	r->singly = done == 0;
	for (uint32_t i = 0; i < done; i++) {
		r->pieces += x.from[i] > *last;
		vt_buf_put(b, c->s->s + *last, x.from[i] - *last);
		*last = x.to[i];
		put_value(r, x.made[i], b);
	}
	for (uint32_t i = 0; i < x.n; i++)
		vt_release(x.match[i]);
	*c = x.before[done];
	return done;
}

static vt_status
put_all(replacer *r, cursor *c, int64_t most, vt_buf *b)
{
	size_t last = 0;
	if (r->t != NULL && r->t->ngroups == 0 &&
		vt_regex_replace_letters(c->rt, c->re, c->s, most, r->t->whole, r->t->nwhole, b))
		last = c->s->bytes, most = -1;
	for (int64_t n = 0; most == 0 || n < most; n++) {
		n += put_many(r, c, most == 0 ? 0 : most - n, &last, b);
		if (most != 0 && n == most)
			break;
		VT_TRY(find(c));
		if (c->spans == NULL)
			break;
		r->pieces += c->spans[0] > last;
		vt_buf_put(b, c->s->s + last, c->spans[0] - last);
		last = c->spans[1];
		if (r->t != NULL)
			put_template(r->t, c, b);
		else
			VT_TRY(put_selected(r, c, b));
		if (b->n > INT32_MAX)
			break;
	}
	vt_buf_put(b, c->s->s + last, c->s->bytes - last);
	if (b->n > INT32_MAX)
		return vt_raise(c->rt, VT_E_MEMORY_QUOTA, "a string of more than 2 GiB");
	return VT_OK;
}

static vt_status
substitute(vt_args *a, vt_value regexp, vt_value s, replacer *r, vt_value *out)
{
	cursor c = {.rt = a->rt, .re = VT_AS(vt_regex, regexp), .s = vt_as_str(s)};
	vt_buf b;
	vt_status st;
	int64_t most;
	r->bad = -1;
	VT_TRY(count_of(a->rt, a->v[3], &most));
	b = vt_regex_take_room(a->rt);
	st = put_all(r, &c, most, &b);
	if (st == VT_OK && r->bad >= 0)
		st = vt_raise(a->rt, VT_E_TYPE,
			"sequence item %lld: expected str instance, %s found", (long long)r->bad,
			r->bad_type);
	if (st == VT_OK)
		*out = vt_str_new(a->rt, b.p, b.n);
	vt_regex_give_room(a->rt, &b);
	return st;
}

static vt_status
replace(vt_args *a, vt_value regexp, vt_value s, vt_value *out)
{
	const vt_str *text = vt_as_str(a->v[2]);
	template t = {.rt = a->rt,
		.re = VT_AS(vt_regex, regexp),
		.start = text->s,
		.p = text->s,
		.end = text->s + text->bytes};
	vt_status st = read_template(&t);
	if (st == VT_OK)
		st = substitute(a, regexp, s, &(replacer){.t = &t}, out);
	template_free(&t);
	return st;
}

vt_status
vt_lib_re_replace(vt_args *a, vt_value *out)
{
	return replace(a, a->v[0], a->v[1], out);
}

vt_status
vt_lib_re_replace_string(vt_args *a, vt_value *out)
{
	return replace(a, a->v[1], a->v[0], out);
}

vt_status
vt_lib_re_replace_by(vt_args *a, vt_value *out)
{
	return substitute(a, a->v[0], a->v[1], &(replacer){.lambda = a->v[2]}, out);
}

vt_status
vt_lib_re_replace_by_string(vt_args *a, vt_value *out)
{
	return substitute(a, a->v[1], a->v[0], &(replacer){.lambda = a->v[2]}, out);
}

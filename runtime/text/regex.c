/*
 * regex.c - regular expressions as values, on PCRE2.
 *
 * Compiled expressions are kept in a direct-mapped table of the session, since `=~ "text"` and
 * regex() in a loop ask for the same one again and again.  Matching is bounded in steps and memory:
 * a pattern may come from outside, and some take exponential time.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/text/text.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { CACHED = 128, MOST_STEPS = 10000000, MOST_KIB = 256 * 1024 };

/* context and limits are made with the first expression. */
typedef struct vt_regex_cache {
	pcre2_compile_context *context;
	pcre2_match_context *limits;
	vt_value slot[CACHED]; /* VT_UNDEF: empty */
	vt_buf room;           /* for what is put together; no text stays in it */
} vt_regex_cache;

static void *
checked(void *p)
{
	if (p == NULL)
		vt_no_memory();
	return p;
}

static vt_regex_cache *
cache(vt_rt *rt)
{
	vt_regex_cache *c = rt->s->regexes;
	if (c != NULL)
		return c;
	c = vt_xmalloc(sizeof *c);
	c->context = checked(pcre2_compile_context_create(NULL));
	pcre2_set_newline(c->context, PCRE2_NEWLINE_LF);
	pcre2_set_compile_extra_options(c->context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	c->limits = checked(pcre2_match_context_create(NULL));
	pcre2_set_match_limit(c->limits, MOST_STEPS);
	pcre2_set_heap_limit(c->limits, MOST_KIB);
	for (size_t i = 0; i < CACHED; i++)
		c->slot[i] = VT_UNDEF;
	c->room = (vt_buf){0};
	return rt->s->regexes = c;
}

vt_buf
vt_regex_take_room(vt_rt *rt)
{
	vt_buf b = cache(rt)->room;

	cache(rt)->room = (vt_buf){0};
	return b;
}

void
vt_regex_give_room(vt_rt *rt, vt_buf *b)
{
	enum { KEPT = 1 << 16 };
	vt_regex_cache *c = cache(rt);

	if (b->cap > KEPT || c->room.p != NULL) {
		vt_buf_free(b);
		return;
	}
	b->n = 0;
	c->room = *b;
	*b = (vt_buf){0};
}

void
vt_regex_drop(vt_rt *rt)
{
	vt_regex_cache *c = rt->s->regexes;
	if (c == NULL)
		return;
	rt->s->regexes = NULL;
	for (size_t i = 0; i < CACHED; i++)
		vt_release(c->slot[i]);
	vt_buf_free(&c->room);
	pcre2_match_context_free(c->limits);
	pcre2_compile_context_free(c->context);
	free(c);
}

void
vt_regex_free(vt_head *h)
{
	vt_regex *r = (vt_regex *)h;
	for (uint32_t i = 0; i < r->nnames; i++)
		vt_release(r->names[i].name);
	free(r->names);
	vt_release(r->pattern);
	pcre2_match_data_free(r->match);
	pcre2_code_free(r->code);
	vt_dfa_free(r->dfa);
	free(r->letters);
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* The translation is right, so PCRE2 refuses what it cannot do: its own limits. */
static vt_status
refused(vt_rt *rt, int error)
{
	char text[200];
	if (pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text) < 0)
		snprintf(text, sizeof text, "error %d", error);
	return vt_raise(rt, VT_E_RE, "not supported by the regular expression engine: %s", text);
}

static vt_status
compile(vt_rt *rt, const vt_regex_source *src, pcre2_code **code)
{
	uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK | PCRE2_ALT_CIRCUMFLEX |
			   PCRE2_NEVER_BACKSLASH_C;
	PCRE2_SIZE at;
	int error;
	if (src->flags & VT_RE_IGNORECASE)
		options |= PCRE2_CASELESS;
	*code = pcre2_compile((PCRE2_SPTR)(src->text.p ? src->text.p : ""), src->text.n, options,
		&error, &at, cache(rt)->context);
	return *code != NULL ? VT_OK : refused(rt, error);
}

static vt_status
make(vt_rt *rt, vt_value pattern, int64_t flags, vt_value *out)
{
	vt_regex_source src;
	pcre2_code *code;
	vt_regex *r;
	VT_TRY(vt_regex_translate(rt, vt_as_str(pattern), flags, &src));
	if (compile(rt, &src, &code) != VT_OK) {
		vt_regex_source_free(&src);
		return VT_ERROR;
	}
	r = vt_alloc(rt, sizeof *r, VT_K_REGEX);
	r->flags = src.flags;
	r->pattern = vt_copy(pattern);
	r->ngroups = src.ngroups;
	r->nnames = src.nnames;
	r->names = src.names;
	r->code = code;
	r->used = 0;
	r->dfa = NULL;
	r->letters = NULL;
	r->matches = 0;
	r->match = checked(pcre2_match_data_create(src.ngroups + 1, NULL));
	src.names = NULL;
	src.nnames = 0;
	vt_regex_source_free(&src);
	*out = vt_mkptr(r);
	return VT_OK;
}

/* The flags asked for are a slot's key, not those that the pattern adds; h.aux keeps them. */
static bool
same(vt_value slot, vt_value pattern, int64_t flags)
{
	return slot != VT_UNDEF && vt_head_of(slot)->aux == (uint16_t)flags &&
	       vt_str_eq(vt_as_str(VT_AS(vt_regex, slot)->pattern), vt_as_str(pattern));
}

vt_status
vt_regex_make(vt_rt *rt, vt_value pattern, int64_t flags, vt_value *out)
{
	vt_value *slot =
		&cache(rt)->slot[(vt_str_hash(vt_as_str(pattern)) + (uint64_t)flags * 31) % CACHED];
	if (!same(*slot, pattern, flags)) {
		vt_value v = VT_UNDEF;
		VT_TRY(make(rt, pattern, flags, &v));
		vt_head_of(v)->aux = (uint16_t)flags;
		vt_move(slot, v);
	}
	*out = vt_copy(*slot);
	return VT_OK;
}

/* ---- matching -------------------------------------------------------------------------------- */

/*
 * Machine code pays from the tenth match on.  Where memory may not be executable there is none.
 * Is there such code?
 */
static bool
is_compiled(vt_regex *r)
{
	enum { ENOUGH = 10, TRIED, COMPILED };
	if (r->used < TRIED && r->used++ == ENOUGH &&
		pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE) == 0)
		r->used = COMPILED;
	return r->used == COMPILED;
}

static vt_status
run(vt_rt *rt, vt_regex *r, const char *p, size_t bytes, size_t from, uint32_t options,
	const size_t **spans)
{
	pcre2_match_context *limits = cache(rt)->limits;
	int n;
	options |= PCRE2_NO_UTF_CHECK;
	if (is_compiled(r))
		n = pcre2_jit_match(r->code, (PCRE2_SPTR)p, bytes, from, options, r->match, limits);
	else
		n = pcre2_match(r->code, (PCRE2_SPTR)p, bytes, from, options, r->match, limits);
	if (n == PCRE2_ERROR_JIT_STACKLIMIT) /* the interpreter has the heap */
		n = pcre2_match(r->code, (PCRE2_SPTR)p, bytes, from, options | PCRE2_NO_JIT,
			r->match, limits);
	*spans = NULL;
	if (n > 0)
		*spans = pcre2_get_ovector_pointer(r->match);
	else if (n == PCRE2_ERROR_MATCHLIMIT || n == PCRE2_ERROR_HEAPLIMIT ||
		 n == PCRE2_ERROR_DEPTHLIMIT)
		return vt_raise(rt, VT_E_RUNTIME, "a regular expression took too many steps");
	else if (n != PCRE2_ERROR_NOMATCH)
		return refused(rt, n);
	return VT_OK;
}

/*
 * An expression that is one class of characters, or a run of such, needs no engine.  Which
 * characters are in it PCRE2 is asked, once each, so there is no second opinion about that.
 */
enum { NO_ASCII, OTHER, MEMBER };
typedef struct vt_letters {
	bool runs;         /* as many as there are */
	uint8_t kind[256]; /* of bytes */
	uint32_t near[64]; /* by the last bits: others that were asked for, 0: none */
	bool near_is[64];
	size_t spans[2];
} vt_letters;

/* Where a class ends that begins at p; NULL: it is none. */
static const char *
class_end(const char *p, const char *end)
{
	const char *first;

	if (end - p >= 2 && *p == '\\' && strchr("dDsSwW", p[1]) != NULL)
		return p + 2;
	if (p == end || *p != '[')
		return NULL;
	first = ++p < end && *p == '^' ? p + 1 : p;
	for (p = first; p < end; p++) {
		if (*p == ']' && p > first)
			return p + 1;
		if (*p == ']' || *p == '[' || *p == '\0')
			return NULL;
		p += *p == '\\';
	}
	return NULL;
}

static bool
is_letter(vt_rt *rt, vt_regex *r, const char *p, size_t n)
{
	const size_t *spans = NULL;

	return run(rt, r, p, n, 0, 0, &spans) == VT_OK && spans != NULL;
}

static vt_letters *
letters_of(vt_rt *rt, vt_regex *r)
{
	const vt_str *pattern = vt_as_str(r->pattern);
	const char *end = pattern->s + pattern->bytes, *p = class_end(pattern->s, end);
	bool runs = p != NULL && p < end && *p == '+';
	vt_letters *l;

	if (p == NULL || p + runs != end || r->ngroups > 0 || (r->flags & VT_RE_VERBOSE))
		return NULL;
	l = vt_xmalloc(sizeof *l);
	memset(l, 0, sizeof *l);
	l->runs = runs;
	for (int c = 0; c < 128; c++) {
		char text = (char)c;
		l->kind[c] = is_letter(rt, r, &text, 1) ? MEMBER : OTHER;
	}
	return l;
}

/* Behind the character at p, which is (*is) in the class, or not. */
static inline const char *
next_letter(vt_rt *rt, vt_regex *r, const char *p, bool *is)
{
	vt_letters *l = r->letters;
	const char *from = p;
	uint32_t c;

	if (likely((unsigned char)*p < 0x80)) {
		*is = l->kind[(unsigned char)*p] == MEMBER;
		return p + 1;
	}
	c = vt_utf8_next(&p);
	if (l->near[c % VT_LEN(l->near)] != c) {
		l->near[c % VT_LEN(l->near)] = c;
		l->near_is[c % VT_LEN(l->near)] = is_letter(rt, r, from, (size_t)(p - from));
	}
	*is = l->near_is[c % VT_LEN(l->near)];
	return p;
}

static const size_t *
find_letters(vt_rt *rt, vt_regex *r, const vt_str *s, size_t from)
{
	vt_letters *l = r->letters;
	const char *p = s->s + from, *end = s->s + s->bytes, *next;
	bool is = false;

	for (; p < end; p = next) {
		next = next_letter(rt, r, p, &is);
		if (is)
			break;
	}
	if (!is || p >= end)
		return NULL;
	l->spans[0] = (size_t)(p - s->s);
	l->spans[1] = (size_t)(next - s->s);
	for (p = next; l->runs && is && p < end; p = next) {
		next = next_letter(rt, r, p, &is);
		if (is)
			l->spans[1] = (size_t)(next - s->s);
	}
	return l->spans;
}

/* ASCII that is not in the class. */
static inline const char *
copy_others(const vt_letters *l, const char *p, const char *end, char **out)
{
	char *to = *out;

	while (p < end && l->kind[(uint8_t)*p] == OTHER)
		*to++ = *p++;
	*out = to;
	return p;
}

/* ASCII of the class, in a run whose first character was replaced. */
static inline const char *
skip_run(const vt_letters *l, const char *p, const char *end)
{
	while (p < end && l->kind[(uint8_t)*p] == MEMBER)
		p++;
	return p;
}

static inline char *
put_few(char *to, const char *p, size_t n)
{
	if (n == 1)
		*to = *p;
	else if (n > 1)
		memcpy(to, p, n);
	return to + n;
}

bool
vt_regex_replace_letters(vt_rt *rt, vt_regex *r, const vt_str *s, int64_t most, const char *with,
	size_t n, vt_buf *b)
{
	enum { MOST = 1 << 20 };
	const vt_letters *l = r->letters;
	const char *p = s->s, *end = s->s + s->bytes, *next;
	bool is = false, was = false;
	char *to;

	if (l == NULL || (n > 1 && s->bytes > MOST / n))
		return false;
	to = vt_buf_room(b, s->bytes * (n > 1 ? n : 1));
	for (int64_t found = 0; p < end; p = next) {
		const char *from = p;
		p = copy_others(l, p, end, &to);
		was = was && p == from;
		if (p == end)
			break;
		next = next_letter(rt, r, p, &is);
		if (is && was && l->runs)
			continue;
		was = is && (most == 0 || found < most);
		if (!was) {
			to = put_few(to, p, (size_t)(next - p));
			continue;
		}
		found++;
		to = put_few(to, with, n);
		if (l->runs)
			next = skip_run(l, next, end);
	}
	b->n = (size_t)(to - b->p);
	return true;
}

vt_status
vt_regex_match(vt_rt *rt, vt_regex *r, const vt_str *s, size_t from, bool no_empty_first,
	const size_t **spans)
{
	enum { ENOUGH = 64 };

	if (r->letters != NULL) {
		*spans = find_letters(rt, r, s, from);
		return VT_OK;
	}
	if (r->matches <= ENOUGH && r->matches++ == ENOUGH)
		r->letters = letters_of(rt, r);
	return run(rt, r, s->s, s->bytes, from, no_empty_first ? PCRE2_NOTEMPTY_ATSTART : 0, spans);
}

/* Runs of letters of the class, or letters. */
static int64_t
count_letters(vt_rt *rt, vt_regex *r, const vt_str *s)
{
	const vt_letters *l = r->letters;
	int64_t n = 0;
	bool is = false, was = false;

	for (const char *p = s->s, *end = p + s->bytes; p < end; was = is) {
		p = next_letter(rt, r, p, &is);
		n += is && !(was && l->runs);
	}
	return n;
}

int64_t
vt_regex_pieces(vt_rt *rt, vt_regex *r, const vt_str *s)
{
	const size_t *spans;
	size_t at = 0;
	bool was_empty = false;
	int64_t n = 0;

	if (r->letters != NULL)
		return 1 + count_letters(rt, r, s);
	for (;; n++) {
		if (vt_regex_match(rt, r, s, at, was_empty, &spans) != VT_OK) {
			vt_exc_clear(rt);
			return -1;
		}
		if (spans == NULL)
			return 1 + n * (1 + r->ngroups);
		at = spans[1];
		was_empty = spans[0] == spans[1];
	}
}

/* An automaton of our own, where there is one, from the second time on. */
static int
test_simple(vt_regex *r, const char *p, uint32_t n)
{
	enum { ENOUGH = 2 };
	int answer;
	if (r->used < ENOUGH && r->used++ == 0)
		return -1;
	if (r->dfa == NULL && r->used == ENOUGH && (r->flags & ~(int64_t)VT_RE_UNICODE) == 0)
		r->dfa = vt_dfa_new(vt_as_str(r->pattern));
	if (r->dfa == NULL)
		return -1;
	answer = vt_dfa_test(r->dfa, p, n);
	if (answer < 0) {
		vt_dfa_free(r->dfa);
		r->dfa = NULL;
	}
	return answer;
}

vt_status
vt_regex_test(vt_rt *rt, vt_regex *r, const char *p, uint32_t n, bool ascii, bool *found)
{
	const size_t *spans;
	int answer = ascii ? test_simple(r, p, n) : -1;
	if (answer >= 0) {
		*found = answer;
		return VT_OK;
	}
	VT_TRY(run(rt, r, p, n, 0, 0, &spans));
	*found = spans != NULL;
	return VT_OK;
}

/* For seq/lambda_program.c: as far as nothing fails. */
void
vt_regex_texts(vt_rt *rt, const vt_str *pattern, bool wanted, uint32_t n, const vt_value *v,
	const vt_text *t, vt_value *out, uint32_t *done)
{
	vt_value re = VT_UNDEF;
	bool found = false;
	vt_status st = vt_regex_make(rt, vt_mkptr(pattern), 0, &re);
	for (*done = 0; st == VT_OK && *done < n;) {
		vt_regex *r = VT_AS(vt_regex, re);
		const vt_value *at = v != NULL ? v + *done : NULL;
		vt_text x;
		if (r->dfa != NULL)
			*done += vt_dfa_column(r->dfa, wanted, n - *done, at,
				t != NULL ? t + *done : NULL, out + *done);
		if (*done == n || (v != NULL && !vt_is(v[*done], STR)))
			break;
		x = v != NULL ? vt_text_of(vt_as_str(v[*done])) : t[*done];
		st = vt_regex_test(rt, r, x.p, x.n, x.n == x.points, &found);
		if (st == VT_OK)
			out[(*done)++] = vt_mkbool(found == wanted);
	}
	if (st != VT_OK)
		vt_exc_clear(rt);
	vt_release(re);
}

uint32_t
vt_regex_spans(vt_rt *rt, const vt_str *pattern, int64_t flags, uint32_t n, const vt_text *t,
	uint32_t most, uint32_t *spans)
{
	vt_value re = VT_UNDEF;
	uint32_t done = 0, groups = 0;
	vt_status st = vt_regex_make(rt, vt_mkptr(pattern), flags, &re);

	if (st == VT_OK)
		groups = VT_AS(vt_regex, re)->ngroups + 1;
	for (; st == VT_OK && done < n; done++, spans += (size_t)2 * most) {
		const size_t *found;
		st = run(rt, VT_AS(vt_regex, re), t[done].p, t[done].n, 0, 0, &found);
		for (uint32_t k = 0; st == VT_OK && k < 2 * most; k++)
			spans[k] = found != NULL && k < 2 * groups && found[k] != VT_RE_UNSET
					   ? (uint32_t)found[k]
					   : VT_SPAN_NONE;
		if (st != VT_OK)
			break;
	}
	if (st != VT_OK)
		vt_exc_clear(rt);
	vt_release(re);
	return done;
}

/* ---- all matches ---- */

/* After an empty match another empty one at the same place does not count, as Python walks. */
typedef struct walk {
	vt_rt *rt;
	vt_regex *re;
	const vt_str *s;
	size_t at;
	bool was_empty, failed;
} walk;

/* NULL: there is none, or it fails. */
static const size_t *
next(walk *w)
{
	const size_t *spans = NULL;

	if (vt_regex_match(w->rt, w->re, w->s, w->at, w->was_empty, &spans) != VT_OK) {
		vt_exc_clear(w->rt);
		w->failed = true;
		return NULL;
	}
	if (spans != NULL) {
		w->at = spans[1];
		w->was_empty = spans[0] == spans[1];
	}
	return spans;
}

static vt_value
group_text(const walk *w, const size_t *spans, uint32_t group)
{
	const size_t *x = &spans[2 * group];

	return x[0] == VT_RE_UNSET ? VT_NULL
				   : vt_str_part(w->rt, w->s, w->s->s + x[0], x[1] - x[0]);
}

static vt_value
row_of_groups(const walk *w, const size_t *spans)
{
	vt_list *row = vt_list_new(w->rt, VT_K_TUPLE, w->re->ngroups + 1);

	for (uint32_t g = 0; g <= w->re->ngroups; g++)
		row->v[g] = group_text(w, spans, g);
	row->h.flags |= VT_F_FINAL;
	return vt_mkptr(row);
}

bool
vt_regex_all(vt_rt *rt, vt_regex *re, const vt_str *s, uint32_t groups, int64_t what, vt_list *to)
{
	walk w = {.rt = rt, .re = re, .s = s};
	const size_t *spans;

	if (groups != re->ngroups + 1)
		return false;
	while ((spans = next(&w)) != NULL) {
		vt_value v[2 * VT_GROUPS_MOST];
		if (what != VT_MATCH_SPANS) {
			vt_list_push(rt, to,
				what == VT_MATCH_ROWS ? row_of_groups(&w, spans)
						      : group_text(&w, spans, (uint32_t)what));
			continue;
		}
		for (uint32_t k = 0; k < 2 * groups; k++)
			v[k] = vt_mkint(spans[k] == VT_RE_UNSET ? -1 : (int64_t)spans[k]);
		vt_list_extend(rt, to, 2 * groups, v);
	}
	return !w.failed;
}

/* ---- as a value ------------------------------------------------------------------------------ */

bool
vt_regex_equal(vt_value va, vt_value vb)
{
	const vt_head *a = vt_head_of(va), *b = vt_head_of(vb);
	const vt_regex *x = (const vt_regex *)a, *y = (const vt_regex *)b;
	return x->flags == y->flags && vt_str_eq(vt_as_str(x->pattern), vt_as_str(y->pattern));
}

uint64_t
vt_regex_hash(vt_value v, const vt_seed *seed)
{
	const vt_head *h = vt_head_of(v);
	const vt_regex *r = (const vt_regex *)h;
	uint64_t of = seed ? vt_hash_keyed(seed, r->pattern) : vt_str_hash(vt_as_str(r->pattern));
	return of * 31 + (uint64_t)r->flags;
}

static void
put_flags(vt_buf *b, int64_t flags)
{
	static const char *const names[] = {"TEMPLATE", "IGNORECASE", "LOCALE", "MULTILINE",
		"DOTALL", "UNICODE", "VERBOSE", "DEBUG", "ASCII"};
	const char *before = ", ";
	if (!(flags & VT_RE_ASCII))
		flags &= ~(int64_t)VT_RE_UNICODE;
	for (size_t i = 0; i < VT_LEN(names); i++) {
		if (!(flags & (INT64_C(1) << i)))
			continue;
		vt_buf_printf(b, "%sre.%s", before, names[i]);
		before = "|";
	}
}

/* Python shows the first 200 characters of a pattern's repr. */
void
vt_regex_repr(vt_buf *b, vt_value v)
{
	const vt_head *h = vt_head_of(v);
	const vt_regex *r = (const vt_regex *)h;
	vt_buf t = {0};
	uint32_t points = 0;
	size_t n = 0;
	vt_repr(NULL, &t, r->pattern);
	for (; n < t.n && points <= 200; n++)
		points += (t.p[n] & 0xc0) != 0x80;
	vt_buf_puts(b, "re.compile(");
	vt_buf_put(b, t.p, points > 200 ? n - 1 : n);
	put_flags(b, r->flags);
	vt_buf_putc(b, ')');
	vt_buf_free(&t);
}

void
vt_regex_json(vt_buf *b, const vt_head *h)
{
	const vt_regex *r = (const vt_regex *)h;
	vt_buf_puts(b, "{\"$regex\":");
	vt_json_str(b, vt_as_str(r->pattern)->s, vt_as_str(r->pattern)->bytes);
	vt_buf_printf(b, ",\"flags\":%lld}", (long long)r->flags);
}

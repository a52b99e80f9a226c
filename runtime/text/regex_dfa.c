/*
 * regex_dfa.c - does an expression match anywhere in a text?  For simple expressions and ASCII
 * texts.
 *
 * Where nobody asks for the place or the groups, an expression of characters, sets, repetitions,
 * groups and alternatives is a set of texts, and an automaton that reads each byte once decides.
 * Its positions are the characters and sets as written (Glushkov's construction): at most 62, so
 * that a state is a word of those that were just read.  States are made as texts lead to them, at
 * most STATES; what needs more, or is written otherwise, is for PCRE2.
 *
 * An expression has passed vt_regex_translate before it comes here: it is well-formed.
 */
#include "runtime/core/blocks.h"
#include "runtime/text/text.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 62, STATES = 96, DEPTH = 16, MOST_COPIES = 16, PREFIX = 16 };
/* ACCEPTED, without $: what comes behind does not matter. UNKNOWN: not made yet, or there are too
 * many.  What reads on in one of these, or in DEAD, stays there. */
enum { DEAD = 0, START = 1, ACCEPTED = STATES, UNKNOWN, ROWS };
/* PAST stands for a character where the text has ended: the state stays. */
enum { PAST = 128, CHARS, WIDTH = 128 };
_Static_assert((int)ROWS <= (int)WIDTH, "states are columns");

typedef struct chars {
	uint64_t bit[2];
} chars;

struct vt_dfa {
	uint8_t next[CHARS][WIDTH]; /* by character, then by state: that one comes last */
	uint64_t set[STATES];       /* positions; START's is empty, and so is DEAD's */
	bool accepts[ROWS];
	uint32_t nstates;
	chars at[POSITIONS]; /* what a position reads */
	uint64_t follow[POSITIONS], first, last;
	uint32_t n;
	bool empty;              /* the empty text matches */
	bool from_start, to_end; /* ^ in front, $ behind */
	char prefix[PREFIX];     /* with ^: what every match begins with */
	uint32_t nprefix, after; /* after: the state behind it */
	uint64_t word, mask;     /* its first eight bytes, and which of these there are */
};

/* ---- reading ----------------------------------------------------------------------------- */

/* A piece of the expression: where it may begin and end. */
typedef struct piece {
	uint64_t first, last;
	bool empty;
} piece;

typedef struct reader {
	struct vt_dfa *d;
	const char *p, *end;
	uint32_t depth;
	bool failed; /* not of the simple kind */
} reader;

static piece alternatives(reader *);

static piece
failed(reader *r)
{
	r->failed = true;
	return (piece){0, 0, false};
}

static bool
more(const reader *r)
{
	return !r->failed && r->p < r->end;
}

static void
add_char(chars *c, unsigned char x)
{
	c->bit[x >> 6] |= UINT64_C(1) << (x & 63);
}

static void
add_range(chars *c, unsigned from, unsigned to)
{
	for (; from <= to; from++)
		add_char(c, (unsigned char)from);
}

static bool
has_char(const chars *c, unsigned char x)
{
	return (c->bit[x >> 6] >> (x & 63) & 1) != 0;
}

static void
turn_round(chars *c)
{
	c->bit[0] = ~c->bit[0];
	c->bit[1] = ~c->bit[1];
}

/* \d, \w, \s and their opposites, of ASCII texts. */
static bool
add_named(chars *c, char name)
{
	chars x = {{0, 0}};

	switch (name | 0x20) {
	case 'd': add_range(&x, '0', '9'); break;
	case 'w':
		add_range(&x, '0', '9');
		add_range(&x, 'a', 'z');
		add_range(&x, 'A', 'Z');
		add_char(&x, '_');
		break;
	case 's':
		add_range(&x, 9, 13);
		add_range(&x, 28, 32);
		break;
	default: return false;
	}
	if (name < 'a')
		turn_round(&x);
	c->bit[0] |= x.bit[0];
	c->bit[1] |= x.bit[1];
	return true;
}

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Behind a backslash: *one is the character, or -1 where it was a set. */
static bool
escape(reader *r, chars *c, int *one)
{
	static const char from[] = "ntrfv", to[] = "\n\t\r\f\v";
	const char *known;
	char x;

	if (!more(r))
		return false;
	x = *r->p++;
	*one = -1;
	if (add_named(c, x))
		return true;
	known = strchr(from, x);
	if (known != NULL && x != 0)
		x = to[known - from];
	else if (is_alnum(x) || x < ' ' || x > '~')
		return false;
	*one = (unsigned char)x;
	add_char(c, (unsigned char)x);
	return true;
}

/* One character of a set, or one of the sets behind a backslash. */
static bool
set_item(reader *r, chars *c, int *one)
{
	char x = *r->p++;

	if (x == '\\')
		return escape(r, c, one);
	if (x == '[' || x < ' ' || x > '~')
		return false;
	*one = (unsigned char)x;
	add_char(c, (unsigned char)x);
	return true;
}

/* Signs that a later Python may give a meaning stand for themselves only where they are single. */
static bool
set(reader *r, chars *c)
{
	bool turned = more(r) && *r->p == '^';
	int from, to;

	r->p += turned;
	if (more(r) && *r->p == ']')
		return false;
	while (more(r) && *r->p != ']') {
		if (r->end - r->p > 1 && r->p[0] == r->p[1] && strchr("&|~-", *r->p) != NULL)
			return false;
		if (!set_item(r, c, &from))
			return false;
		if (r->end - r->p < 2 || r->p[0] != '-' || r->p[1] == ']')
			continue;
		r->p++;
		if (!set_item(r, c, &to) || from < 0 || to < from)
			return false;
		add_range(c, (unsigned)from, (unsigned)to);
	}
	if (!more(r))
		return false;
	r->p++;
	if (turned)
		turn_round(c);
	return true;
}

static piece
position(reader *r, chars c)
{
	struct vt_dfa *d = r->d;
	uint64_t bit;

	if (d->n == POSITIONS)
		return failed(r);
	d->at[d->n] = c;
	d->follow[d->n] = 0;
	bit = UINT64_C(1) << d->n++;
	return (piece){bit, bit, false};
}

static piece
group(reader *r)
{
	piece x;

	if (r->end - r->p > 1 && r->p[0] == '?') {
		if (r->p[1] != ':')
			return failed(r);
		r->p += 2;
	}
	if (++r->depth > DEPTH)
		return failed(r);
	x = alternatives(r);
	r->depth--;
	if (!more(r) || *r->p != ')')
		return failed(r);
	r->p++;
	return x;
}

static piece
atom(reader *r)
{
	chars c = {{0, 0}};
	char x = *r->p++;
	int one;
	bool ok = true;

	switch (x) {
	case '(': return group(r);
	case '[': ok = set(r, &c); break;
	case '\\': ok = escape(r, &c, &one); break;
	case '.':
		add_char(&c, '\n');
		turn_round(&c);
		break;
	case '^':
	case '$':
	case '*':
	case '+':
	case '?':
	case '{':
	case ')': ok = false; break;
	default:
		ok = (x >= ' ' && x <= '~') || x == '\n' || x == '\t';
		add_char(&c, (unsigned char)(ok ? x : 0));
	}
	return ok ? position(r, c) : failed(r);
}

static void
link_pieces(struct vt_dfa *d, uint64_t from, uint64_t to)
{
	for (; from != 0; from &= from - 1)
		d->follow[__builtin_ctzll(from)] |= to;
}

static piece
behind(struct vt_dfa *d, piece a, piece b)
{
	link_pieces(d, a.last, b.first);
	return (piece){a.first | (a.empty ? b.first : 0), b.last | (b.empty ? a.last : 0),
		a.empty && b.empty};
}

static uint32_t
number(reader *r, bool *any)
{
	uint32_t n = 0;

	*any = false;
	for (; more(r) && *r->p >= '0' && *r->p <= '9' && n <= MOST_COPIES; *any = true)
		n = n * 10 + (uint32_t)(*r->p++ - '0');
	return n;
}

/* {m}, {m,} and {m,n}: the text of the atom is read again for each copy, which gives it positions
 * of its own. */
static piece
copies(reader *r, const char *text, piece x)
{
	bool any, limit = true;
	uint32_t least = number(r, &any), most = least;
	const char *go_on;

	if (!any)
		return failed(r);
	if (more(r) && *r->p == ',') {
		r->p++;
		most = number(r, &limit);
	}
	if (!more(r) || *r->p++ != '}' ||
		(limit && (most == 0 || most > MOST_COPIES || most < least)) || least > MOST_COPIES)
		return failed(r);
	go_on = r->p;
	if (!limit)
		most = least > 0 ? least : 1;
	for (uint32_t i = 0;; i++) {
		piece y = x;
		if (i > 0) {
			r->p = text;
			y = atom(r);
			r->p = go_on;
		}
		y.empty |= i >= least;
		if (i + 1 == most && !limit)
			link_pieces(r->d, y.last, y.first);
		x = i > 0 ? behind(r->d, x, y) : y;
		if (r->failed || i + 1 >= most)
			return x;
	}
}

static piece
repeated(reader *r)
{
	const char *text = r->p;
	piece x = atom(r);
	char sign = more(r) ? *r->p : 0;

	if (r->failed || (sign != '*' && sign != '+' && sign != '?' && sign != '{'))
		return x;
	r->p++;
	if (sign == '{')
		x = copies(r, text, x);
	if (sign == '*' || sign == '+')
		link_pieces(r->d, x.last, x.first);
	x.empty |= sign == '*' || sign == '?';
	if (more(r) && *r->p == '?')
		r->p++; /* as few as can be: where it ends does not matter here */
	if (more(r) && (*r->p == '+' || *r->p == '*' || *r->p == '{'))
		return failed(r);
	return x;
}

static piece
sequence(reader *r)
{
	piece x = {0, 0, true};

	while (more(r) && *r->p != '|' && *r->p != ')') {
		if (*r->p == '$' && r->p + 1 == r->end && r->depth == 0) {
			r->d->to_end = true;
			r->p++;
			break;
		}
		x = behind(r->d, x, repeated(r));
	}
	return x;
}

/* An anchor belongs to one alternative: with others beside it the expression is not simple. */
static piece
alternatives(reader *r)
{
	piece x = sequence(r);

	while (more(r) && *r->p == '|') {
		piece y;
		if (r->depth == 0 && (r->d->from_start || r->d->to_end))
			return failed(r);
		r->p++;
		y = sequence(r);
		x = (piece){x.first | y.first, x.last | y.last, x.empty || y.empty};
		if (r->depth == 0 && r->d->to_end)
			return failed(r);
	}
	return x;
}

/* ---- states ------------------------------------------------------------------------------ */

static bool
is_end(const struct vt_dfa *d, uint64_t set)
{
	return (set & d->last) != 0;
}

/* Whatever is read in the state leads to that one. */
static void
all_next(struct vt_dfa *d, uint32_t s, uint32_t to)
{
	for (uint32_t c = 0; c < PAST; c++)
		d->next[c][s] = (uint8_t)to;
}

static uint8_t
state_of(struct vt_dfa *d, uint64_t set)
{
	uint32_t s;

	if (set == 0)
		return d->from_start ? DEAD : START;
	if (!d->to_end && ((d->empty && !d->from_start) || is_end(d, set)))
		return ACCEPTED;
	for (s = START + 1; s < d->nstates; s++)
		if (d->set[s] == set)
			return (uint8_t)s;
	if (s == STATES)
		return UNKNOWN;
	d->set[s] = set;
	d->accepts[s] = (d->empty && !d->from_start) || is_end(d, set);
	all_next(d, s, UNKNOWN);
	d->nstates++;
	return (uint8_t)s;
}

/* UNKNOWN: there are too many states. */
static __attribute__((noinline)) uint8_t
step(struct vt_dfa *d, uint8_t from, unsigned char c)
{
	uint64_t may = from == START || !d->from_start ? d->first : 0, to = 0;

	for (uint64_t s = d->set[from]; s != 0; s &= s - 1)
		may |= d->follow[__builtin_ctzll(s)];
	for (; may != 0; may &= may - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(may);
		if (has_char(&d->at[i], c))
			to |= UINT64_C(1) << i;
	}
	return d->next[c][from] = state_of(d, to);
}

static bool
only_char(const chars *c, char *x)
{
	if (__builtin_popcountll(c->bit[0]) + __builtin_popcountll(c->bit[1]) != 1)
		return false;
	*x = (char)(c->bit[0] ? __builtin_ctzll(c->bit[0]) : 64 + __builtin_ctzll(c->bit[1]));
	return true;
}

/* What every match begins with is compared at once. */
static void
find_prefix(struct vt_dfa *d)
{
	uint64_t may = d->first;

	d->after = START;
	while (d->from_start && d->after != ACCEPTED && d->nprefix < PREFIX && !d->empty &&
		__builtin_popcountll(may) == 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(may);
		if (is_end(d, d->set[d->after]) || !only_char(&d->at[i], &d->prefix[d->nprefix]))
			return;
		d->after = step(d, (uint8_t)d->after, (unsigned char)d->prefix[d->nprefix++]);
		may = d->follow[i];
	}
}

static void
prefix_word(struct vt_dfa *d)
{
	char w[8] = {0}, m[8] = {0};

	for (uint32_t i = 0; i < d->nprefix && i < sizeof w; i++) {
		w[i] = d->prefix[i];
		m[i] = (char)0xff;
	}
	d->word = vt_load8(w);
	d->mask = vt_load8(m);
}

struct vt_dfa *
vt_dfa_new(const vt_str *pattern)
{
	struct vt_dfa *d = vt_xmalloc(sizeof *d);
	reader r = {.d = d, .p = pattern->s, .end = pattern->s + pattern->bytes};
	piece x;

	memset(d, 0, sizeof *d);
	d->from_start = more(&r) && *r.p == '^';
	r.p += d->from_start;
	x = alternatives(&r);
	if (r.failed || r.p != r.end) {
		free(d);
		return NULL;
	}
	d->first = x.first;
	d->last = x.last;
	d->empty = x.empty;
	d->nstates = START + 1;
	d->accepts[START] = d->empty;
	all_next(d, START, UNKNOWN);
	all_next(d, UNKNOWN, UNKNOWN);
	all_next(d, ACCEPTED, ACCEPTED);
	for (uint32_t k = 0; k < ROWS; k++)
		d->next[PAST][k] = (uint8_t)k;
	d->accepts[ACCEPTED] = true;
	find_prefix(d);
	prefix_word(d);
	return d;
}

void
vt_dfa_free(struct vt_dfa *d)
{
	free(d);
}

/* ---- matching ---------------------------------------------------------------------------- */

/* With $: at the end, or in front of a newline that ends the text. */
static bool
ends_well(const struct vt_dfa *d, uint32_t before, uint32_t last, const char *p, uint32_t n)
{
	return d->accepts[last] || (n > 0 && p[n - 1] == '\n' && d->accepts[before]);
}

static inline __attribute__((always_inline)) bool
has_prefix(const struct vt_dfa *d, const char *p, uint32_t n)
{
	if (n < sizeof d->word)
		return n >= d->nprefix && memcmp(p, d->prefix, d->nprefix) == 0;
	if ((vt_load8(p) & d->mask) != d->word)
		return false;
	return d->nprefix <= sizeof d->word ||
	       (n >= d->nprefix && memcmp(p, d->prefix, d->nprefix) == 0);
}

static inline __attribute__((always_inline)) int
walk(struct vt_dfa *d, const char *p, uint32_t n)
{
	uint32_t s = d->after, before = s;

	if (!has_prefix(d, p, n))
		return 0;
	if (s == ACCEPTED || (!d->to_end && d->accepts[s]))
		return 1;
	for (uint32_t i = d->nprefix; i < n; i++) {
		before = s;
		s = d->next[(unsigned char)p[i]][before];
		if (likely(s - 1 < STATES - 1))
			continue;
		if (s == UNKNOWN)
			s = step(d, (uint8_t)before, (unsigned char)p[i]);
		if (s == UNKNOWN)
			return -1;
		if (s == ACCEPTED)
			return 1;
		if (s == DEAD)
			return d->to_end && i + 1 == n && ends_well(d, before, s, p, n);
	}
	return d->to_end ? ends_well(d, before, s, p, n) : d->accepts[s];
}

int
vt_dfa_test(struct vt_dfa *d, const char *p, uint32_t n)
{
	return walk(d, p, n);
}

/*
 * Many texts: how far one has to be read, and what it comes to, nobody can foretell, and a state
 * waits for the one before it.  So LANES texts are read in step to the end of the longest, without
 * a branch that hangs on what they say.  What leads to a state that is not made yet is read again,
 * by itself.
 */
/* EARLY: so many bytes of a block tell most of what begins with ^ */
enum { LANES = 8, MOST = 64, EARLY = 4 };

/* The state to begin with, and *i: where. */
static uint8_t
first_state(const struct vt_dfa *d, uint32_t *i)
{
	bool whole = d->nprefix <= sizeof d->word;
	uint32_t s = whole ? d->after : START;

	*i = whole ? d->nprefix : 0;
	return (uint8_t)(!d->to_end && d->accepts[s] ? ACCEPTED : s);
}

/* The next VT_BLOCK bytes of the text, PAST where it has none. */
static inline void
next_block(const vt_text *t, uint32_t from, char *block)
{
	static const char past[2 * VT_BLOCK] = {-128, -128, -128, -128, -128, -128, -128, -128,
		-128, -128, -128, -128, -128, -128, -128, -128};
	uint32_t n = t->n > from ? t->n - from : 0, k = n < VT_BLOCK ? n : VT_BLOCK;
	const char *p = n > 0 ? t->p + from : past;

	if (vt_may_overread(p, VT_BLOCK)) {
		vt_block_until(block, p, k, PAST);
	} else {
		memset(block, PAST, VT_BLOCK);
		memcpy(block, p, k);
	}
}

/* Can what follows still change one of them? */
static inline bool
is_open(const uint32_t *s)
{
	bool open = false;

#pragma GCC unroll 8
	for (uint32_t k = 0; k < LANES; k++)
		open |= s[k] - 1 < STATES - 1;
	return open;
}

static void
walk_lanes(const struct vt_dfa *d, const vt_text *t, uint8_t *state)
{
	uint32_t i, s[LANES], longest = 0;
	uint8_t first = first_state(d, &i);
	char block[LANES][VT_BLOCK];

	for (uint32_t k = 0; k < LANES; k++) {
		bool begins = vt_may_overread(t[k].p, sizeof d->word)
				      ? (vt_first8(t[k].p, t[k].n) & d->mask) == d->word
				      : has_prefix(d, t[k].p, t[k].n);
		s[k] = first & -(uint32_t)begins;
		longest = longest > t[k].n ? longest : t[k].n;
	}
	for (; i < longest; i += VT_BLOCK) {
		uint32_t n = longest - i < VT_BLOCK ? longest - i : VT_BLOCK;
		for (uint32_t k = 0; k < LANES; k++)
			next_block(&t[k], i, block[k]);
		for (uint32_t j = 0; j < n; j++) {
			if (j == EARLY && !is_open(s)) {
				i = longest - 1; /* the last round */
				break;
			}
#pragma GCC unroll 8
			for (uint32_t k = 0; k < LANES; k++)
				s[k] = d->next[(unsigned char)block[k][j]][s[k]];
		}
	}
	for (uint32_t k = 0; k < LANES; k++)
		state[k] = (uint8_t)s[k];
}

/* What the texts come to, as far as they are for this: how many, from the first on. */
static uint32_t
test_all(struct vt_dfa *d, bool wanted, uint32_t n, const vt_text *t, vt_value *out)
{
	uint8_t state[MOST + LANES];
	uint32_t done = 0, ascii = 0;

	while (ascii < n && t[ascii].n == t[ascii].points)
		ascii++;
	for (; done + LANES <= ascii; done += LANES)
		walk_lanes(d, t + done, state + done);
	memset(state + done, UNKNOWN, LANES);
	for (uint32_t i = 0; i < ascii; i++) {
		bool again = state[i] == UNKNOWN ||
			     (d->to_end && t[i].n > 0 && t[i].p[t[i].n - 1] == '\n');
		int x = again ? walk(d, t[i].p, t[i].n) : d->accepts[state[i]];
		if (x < 0)
			return i;
		out[i] = vt_mkbool(x == wanted);
	}
	return ascii;
}

static inline uint32_t
place_of(vt_value text)
{
	return (uint32_t)(text >> 4 ^ text >> 8) % MOST;
}

/* The different ones of a column by where they lie: records share texts that come again.  How many
 * there are; which[i]: the place of the i-th among them. */
static uint32_t
find_different(uint32_t n, const vt_value *v, vt_value *out, uint8_t *which)
{
	vt_value last[MOST] = {0}; /* 0: none; of those that come to lie there */
	uint8_t at[MOST];
	uint32_t m = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = place_of(v[i]);
		bool met = last[k] == v[i];
		uint8_t place = met ? at[k] : (uint8_t)m;
		which[i] = at[k] = place;
		last[k] = out[m] = v[i];
		m += !met;
	}
	return m;
}

static uint32_t
strings_column(struct vt_dfa *d, bool wanted, uint32_t n, const vt_value *v, vt_value *out)
{
	uint8_t which[MOST];
	vt_value different[MOST + 1], answer[MOST];
	vt_text text[MOST];
	uint32_t m = find_different(n, v, different, which), k = 0;

	text[0] = (vt_text){NULL, 0, 0};
	answer[0] = VT_UNDEF;
	for (; k < m && vt_is(different[k], STR); k++)
		text[k] = vt_text_of(vt_as_str(different[k]));
	k = test_all(d, wanted, k, text, answer);
	for (uint32_t i = 0; i < n; i++) {
		if (which[i] >= k)
			return i;
		out[i] = answer[which[i]];
	}
	return n;
}

uint32_t
vt_dfa_column(struct vt_dfa *d, bool wanted, uint32_t n, const vt_value *v, const vt_text *t,
	vt_value *out)
{
	uint32_t i = 0, some, made;

	for (; i < n; i += some) {
		some = n - i < MOST ? n - i : MOST;
		made = v != NULL ? strings_column(d, wanted, some, v + i, out + i)
				 : test_all(d, wanted, some, t + i, out + i);
		if (made < some)
			return i + made;
	}
	return n;
}

/*
 * pattern.c - Lua's patterns (Lua 5.4 manual, 6.4.1): what Lua's own matcher does, but counted.
 *
 * A pattern can try ways whose number grows with a power of the text's length, and Lua's hook does
 * not see what happens inside of a C function.  Here each character that is looked at is a step,
 * and who asks says how many there may be.
 */
#include "runtime/lua/pattern.h"

#include <ctype.h>
#include <string.h>

enum { ESCAPE = '%', MAX_DEPTH = 200 };

static const char *
fail(vt_pattern *m, const char *why)
{
	if (m->error == NULL)
		m->error = why;
	return NULL;
}

/* ---- one character ---- */

/* Behind the class that begins at p, or NULL. */
static const char *
class_end(vt_pattern *m, const char *p)
{
	char first = *p++;

	if (first == ESCAPE)
		return p < m->pend ? p + 1 : fail(m, "malformed pattern (ends with '%')");
	if (first != '[')
		return p;
	p += *p == '^';
	do { /* a ] that comes first is one of the set */
		if (p >= m->pend)
			return fail(m, "malformed pattern (missing ']')");
		if (*p++ == ESCAPE && p < m->pend)
			p++;
	} while (*p != ']' || p >= m->pend);
	return p + 1;
}

static bool
in_class(int c, int class)
{
	bool in;

	switch (tolower(class)) {
	case 'a': in = isalpha(c); break;
	case 'c': in = iscntrl(c); break;
	case 'd': in = isdigit(c); break;
	case 'g': in = isgraph(c); break;
	case 'l': in = islower(c); break;
	case 'p': in = ispunct(c); break;
	case 's': in = isspace(c); break;
	case 'u': in = isupper(c); break;
	case 'w': in = isalnum(c); break;
	case 'x': in = isxdigit(c); break;
	case 'z': in = c == 0; break; /* Lua still has it, though its manual has not */
	default: return class == c;
	}
	return in != (isupper(class) != 0);
}

/* p is at the [, last at the ]. */
static bool
in_set(int c, const char *p, const char *last)
{
	bool found = true;

	if (p[1] == '^') {
		found = false;
		p++;
	}
	while (++p < last) {
		if (*p == ESCAPE) {
			p++;
			if (in_class(c, (unsigned char)*p))
				return found;
		} else if (p[1] == '-' && p + 2 < last) {
			p += 2;
			if ((unsigned char)p[-2] <= c && c <= (unsigned char)*p)
				return found;
		} else if ((unsigned char)*p == c) {
			return found;
		}
	}
	return !found;
}

/* Every step is counted here.  False: they are used up, and the match ends with the error "". */
static bool
spend(vt_pattern *m, uint64_t steps)
{
	if (m->error != NULL)
		return false;
	m->steps += steps;
	if (m->steps > m->limit)
		fail(m, "");
	return m->error == NULL;
}

static bool
matches_one(vt_pattern *m, const char *s, const char *p, const char *pend)
{
	int c;

	if (!spend(m, *p == '[' ? 1 + (uint64_t)(pend - p) : 1) || s >= m->end)
		return false;
	c = (unsigned char)*s;
	switch (*p) {
	case '.': return true;
	case ESCAPE: return in_class(c, (unsigned char)p[1]);
	case '[': return in_set(c, p, pend - 1);
	}
	return (unsigned char)*p == c;
}

/* ---- what is longer ---- */

static const char *match(vt_pattern *, const char *s, const char *p);

/* As often as it can, then back. */
static const char *
most(vt_pattern *m, const char *s, const char *p, const char *pend)
{
	ptrdiff_t n = 0;

	while (matches_one(m, s + n, p, pend))
		n++;
	for (; n >= 0 && !m->error; n--) {
		const char *end = match(m, s + n, pend + 1);
		if (end)
			return end;
	}
	return NULL;
}

static const char *
fewest(vt_pattern *m, const char *s, const char *p, const char *pend)
{
	for (;; s++) {
		const char *end = match(m, s, pend + 1);
		if (end || !matches_one(m, s, p, pend))
			return end;
	}
}

/* %bxy */
static const char *
balanced(vt_pattern *m, const char *s, const char *p)
{
	int open = 1;

	if (p + 1 >= m->pend)
		return fail(m, "malformed pattern (missing arguments to '%b')");
	if (s >= m->end || *s != *p)
		return NULL;
	while (++s < m->end) {
		if (!spend(m, 1))
			return NULL;
		if (*s == p[1]) {
			if (--open == 0)
				return s + 1;
		} else if (*s == p[0]) {
			open++;
		}
	}
	return NULL;
}

static const char *
begin_capture(vt_pattern *m, const char *s, const char *p, ptrdiff_t what)
{
	const char *end;

	if (m->n >= VT_PATTERN_CAPTURES)
		return fail(m, "too many captures");
	m->capture[m->n].at = s;
	m->capture[m->n++].n = what;
	end = match(m, s, p);
	m->n -= end == NULL;
	return end;
}

static const char *
end_capture(vt_pattern *m, const char *s, const char *p)
{
	uint32_t i = m->n;
	const char *end;

	while (i > 0 && m->capture[i - 1].n != VT_PATTERN_OPEN)
		i--;
	if (i == 0)
		return fail(m, "invalid pattern capture");
	m->capture[i - 1].n = s - m->capture[i - 1].at;
	end = match(m, s, p);
	if (end == NULL)
		m->capture[i - 1].n = VT_PATTERN_OPEN;
	return end;
}

/* %1: the text of a capture again. */
static const char *
again(vt_pattern *m, const char *s, char digit)
{
	uint32_t i = (uint32_t)(digit - '1');
	ptrdiff_t n;

	if (digit < '1' || i >= m->n || m->capture[i].n == VT_PATTERN_OPEN)
		return fail(m, "invalid capture index in the pattern");
	if ((n = m->capture[i].n) == VT_PATTERN_PLACE)
		return NULL;
	return spend(m, (uint64_t)n) && n <= m->end - s &&
			       memcmp(m->capture[i].at, s, (size_t)n) == 0
		       ? s + n
		       : NULL;
}

/* %f[set]: the first character of such, behind one that is none. */
static bool
is_frontier(vt_pattern *m, const char *s, const char *p, const char **behind)
{
	int before = s == m->s ? 0 : (unsigned char)s[-1],
	    here = s < m->end ? (unsigned char)*s : 0;

	if (p >= m->pend || *p != '[') {
		fail(m, "missing '[' after '%f' in pattern");
		return false;
	}
	*behind = class_end(m, p);
	return *behind && spend(m, (uint64_t)(*behind - p)) && !in_set(before, p, *behind - 1) &&
	       in_set(here, p, *behind - 1);
}

/* A class with what says how often; *s and *p go on, or the answer is *out. */
static bool
repeated(vt_pattern *m, const char **s, const char **p, const char **out)
{
	const char *pend = class_end(m, *p);
	bool one;

	*out = NULL;
	if (pend == NULL)
		return false;
	switch (pend < m->pend ? *pend : '\0') {
	case '*': *out = most(m, *s, *p, pend); return false;
	case '-': *out = fewest(m, *s, *p, pend); return false;
	case '+':
		if (matches_one(m, *s, *p, pend))
			*out = most(m, *s + 1, *p, pend);
		return false;
	case '?':
		if (matches_one(m, *s, *p, pend) && (*out = match(m, *s + 1, pend + 1)) != NULL)
			return false;
		*p = pend + 1;
		return true;
	}
	one = matches_one(m, *s, *p, pend);
	++*s;
	*p = pend;
	return one;
}

/* What begins with %, if it is no class; false: it is one. */
static bool
special(vt_pattern *m, const char **s, const char **p)
{
	char what = *p + 1 < m->pend ? (*p)[1] : '\0';
	const char *behind = NULL;

	if (what == 'b') {
		*s = balanced(m, *s, *p + 2);
		*p += 4;
	} else if (what == 'f') {
		*s = is_frontier(m, *s, *p + 2, &behind) ? *s : NULL;
		*p = behind;
	} else if (what >= '0' && what <= '9') {
		*s = again(m, *s, what);
		*p += 2;
	} else {
		return false;
	}
	return true;
}

static const char *
match_here(vt_pattern *m, const char *s, const char *p)
{
	const char *out;

	while (s && !m->error && p < m->pend) {
		if (*p == '(')
			return p[1] == ')' ? begin_capture(m, s, p + 2, VT_PATTERN_PLACE)
					   : begin_capture(m, s, p + 1, VT_PATTERN_OPEN);
		if (*p == ')')
			return end_capture(m, s, p + 1);
		if (*p == '$' && p + 1 == m->pend)
			return s == m->end ? s : NULL;
		if (*p == ESCAPE && special(m, &s, &p))
			continue;
		if (!repeated(m, &s, &p, &out))
			return m->error ? NULL : out;
	}
	return m->error ? NULL : s;
}

static const char *
match(vt_pattern *m, const char *s, const char *p)
{
	const char *end;

	if (m->depth >= MAX_DEPTH)
		return fail(m, "pattern too complex");
	if (!spend(m, 1))
		return NULL;
	m->depth++;
	end = match_here(m, s, p);
	m->depth--;
	return end;
}

const char *
vt_pattern_match(vt_pattern *m, const char *from, const char *p)
{
	m->n = 0;
	m->depth = 0;
	return match(m, from, p);
}

bool
vt_pattern_is_plain(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != '\0' && strchr("^$*+?.([%-", p[i]))
			return false;
	return true;
}

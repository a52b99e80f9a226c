/*
 * Fuzz target: flags (a digit, bits of `im s`), a pattern, a tab and a text. The translator refuses
 * a pattern with its own error or PCRE2 takes what it writes; matching ends, and what it finds lies
 * inside the text, on characters; the automaton for simple patterns agrees. driver.c says how it is
 * run.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_MATCHES = 20, LONGEST = 2000 };

/* What is valid of the text; the rest is dropped. */
static vt_value
text_of(vt_rt *rt, const char *p, size_t n)
{
	size_t k = vt_utf8_check(p, n);
	return vt_str_new(rt, p, k < LONGEST ? k : vt_utf8_check(p, LONGEST));
}

static void
judge_span(const vt_str *s, size_t from, size_t to)
{
	if (from == VT_RE_UNSET && to == VT_RE_UNSET)
		return;
	if (from > to || to > s->bytes)
		abort();
	if (((unsigned char)s->s[from] & 0xc0) == 0x80 || ((unsigned char)s->s[to] & 0xc0) == 0x80)
		abort();
}

/* Walks as finditer does; every step goes on or ends. */
static void
walk(vt_rt *rt, vt_regex *re, const vt_str *s)
{
	const size_t *spans;
	size_t at = 0, before;
	bool was_empty = false, empty_before;

	for (int i = 0; i < MOST_MATCHES; i++) {
		before = at;
		empty_before = was_empty;
		if (vt_regex_match(rt, re, s, at, was_empty, &spans) != VT_OK) {
			vt_exc_clear(rt);
			return;
		}
		if (spans == NULL)
			return;
		for (uint32_t g = 0; g <= re->ngroups; g++)
			judge_span(s, spans[2 * g], spans[2 * g + 1]);
		at = spans[1];
		was_empty = spans[0] == spans[1];
		if (spans[0] < before || at < before ||
			(at == before && (empty_before || !was_empty)))
			abort();
	}
}

/* The beginnings of the text as a column: all are answered, or what the answers end at has none by
 * itself. */
static void
judge_column(vt_rt *rt, struct vt_dfa *d, const vt_str *s)
{
	enum { ROWS = 70 };
	vt_value string[ROWS], out[ROWS];
	vt_text text[ROWS];
	uint32_t n, m;

	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t bytes = (i * 7 + s->bytes) % (s->bytes + 1);
		text[i] = (vt_text){s->s, bytes, bytes};
		string[i] =
			i > 0 && i % 5 == 0 ? vt_copy(string[i - 1]) : vt_str_new(rt, s->s, bytes);
	}
	n = vt_dfa_column(d, true, ROWS, string, NULL, out);
	for (uint32_t i = 0; i < n; i++)
		if (vt_dfa_test(d, vt_as_str(string[i])->s, vt_as_str(string[i])->bytes) !=
			(out[i] == VT_TRUE))
			abort();
	if (n < ROWS && vt_dfa_test(d, vt_as_str(string[n])->s, vt_as_str(string[n])->bytes) >= 0)
		abort();
	m = vt_dfa_column(d, false, ROWS, NULL, text, out);
	for (uint32_t i = 0; i < m; i++)
		if (vt_dfa_test(d, text[i].p, text[i].n) != (out[i] == VT_FALSE))
			abort();
	for (uint32_t i = 0; i < ROWS; i++)
		vt_release(string[i]);
}

/* Where there is an automaton for the pattern, it finds what PCRE2 finds. */
static void
judge_automaton(vt_rt *rt, vt_regex *re, const vt_str *s)
{
	const size_t *spans;
	struct vt_dfa *d;
	int answer;

	if ((re->flags & ~(int64_t)VT_RE_UNICODE) != 0 || s->bytes != s->points ||
		(d = vt_dfa_new(vt_as_str(re->pattern))) == NULL)
		return;
	answer = vt_dfa_test(d, s->s, s->bytes);
	judge_column(rt, d, s);
	vt_dfa_free(d);
	if (vt_regex_match(rt, re, s, 0, false, &spans) != VT_OK)
		vt_exc_clear(rt); /* it gave up */
	else if (answer >= 0 && answer != (spans != NULL))
		abort();
}

static void
try(vt_rt *rt, vt_value pattern, int64_t flags, vt_value text)
{
	vt_value re = VT_UNDEF;
	vt_buf b = {0};

	if (vt_regex_make(rt, pattern, flags, &re) != VT_OK) {
		if (!vt_pending(rt))
			abort();
		vt_exc_clear(rt);
		return;
	}
	walk(rt, VT_AS(vt_regex, re), vt_as_str(text));
	judge_automaton(rt, VT_AS(vt_regex, re), vt_as_str(text));
	vt_repr(rt, &b, re);
	vt_buf_free(&b);
	vt_release(re);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *p = (const char *)data + 1, *tab;
	vt_value pattern, text;
	vt_rt *rt;
	int64_t flags = VT_RE_UNICODE;

	if (n == 0)
		return 0;
	tab = memchr(p, '\t', n - 1);
	rt = vt_rt_new(NULL);
	pattern = text_of(rt, p, tab ? (size_t)(tab - p) : n - 1);
	text = text_of(rt, tab ? tab + 1 : "", tab ? n - 2 - (size_t)(tab - p) : 0);
	flags |= data[0] & 1 ? VT_RE_IGNORECASE : 0;
	flags |= data[0] & 2 ? VT_RE_MULTILINE : 0;
	flags |= data[0] & 4 ? VT_RE_DOTALL : 0;
	try(rt, pattern, flags, text);
	vt_release(pattern);
	vt_release(text);
	vt_rt_free(rt);
	return 0;
}

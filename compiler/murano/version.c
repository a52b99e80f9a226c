/*
 * version.c - versions of packages and what is required of them (K4, K9).
 *
 * A specification is a list of clauses joined by commas, all of which must hold.  A version with
 * parts left out stands for a range: ">1" begins at 2.0.0, "1.2" is everything from 1.2.0
 * below 1.3.0.  A version with a pre-release never satisfies "<" of the version it comes before,
 * so 1.0.0-beta is not below 1.0.0 here.
 */
#include "compiler/murano/package_int.h"

#include <string.h>

static bool
is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static bool
is_word(char ch)
{
	return is_digit(ch) || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '-' ||
	       ch == '.';
}

/* Up to three numbers with dots between them; how many, 0 when there is none or one is too large.
 */
static unsigned
take_numbers(const char **p, uint64_t n[3])
{
	unsigned parts = 0;
	const char *s = *p;
	n[0] = n[1] = n[2] = 0;
	while (parts < 3 && is_digit(*s)) {
		for (; is_digit(*s); s++)
			if (__builtin_mul_overflow(n[parts], UINT64_C(10), &n[parts]) ||
				__builtin_add_overflow(n[parts], (uint64_t)(*s - '0'), &n[parts]) ||
				n[parts] > UINT64_MAX / 2)
				return 0;
		parts++;
		*p = s;
		if (*s != '.')
			break;
		s++;
	}
	return parts;
}

/* What follows the numbers is a pre-release up to a '+' and build data behind it; a '.' or '+'
 * begins build data. */
char *
pk_version_text(vc *c, const char *text)
{
	uint64_t n[3];
	if (!take_numbers(&text, n))
		return NULL;
	char *base = vc_format(c, "%llu.%llu.%llu", (unsigned long long)n[0],
		(unsigned long long)n[1], (unsigned long long)n[2]);
	if (!*text)
		return base;
	char *rest = vc_strdup(c, text);
	for (char *p = rest; *p; p++)
		if (!is_word(*p) && *p != '+')
			*p = '-';
	char *build = *rest == '.' ? rest : strchr(rest, '+');
	if (build)
		*build++ = 0;
	for (char *p = build; p && *p; p++)
		if (*p == '+')
			*p = '.';
	const char *pre = build == rest + 1 ? "" : *rest == '-' ? rest + 1 : rest;
	return vc_format(c, "%s%s%s%s%s", base, *pre ? "-" : "", pre, build && *build ? "+" : "",
		build ? build : "");
}

bool
pk_version_parse(const char *text, pk_version *v)
{
	*v = (pk_version){.pre = ""};
	if (take_numbers(&text, v->n) == 0)
		return false;
	if (*text == '-')
		v->pre = text + 1;
	return true;
}

static size_t
pre_length(const char *pre)
{
	return strcspn(pre, "+");
}

/* Identifiers of digits come before others and compare as numbers; a longer list wins. */
static int
compare_pre(const char *a, const char *b)
{
	size_t left_a = pre_length(a), left_b = pre_length(b);
	if (!left_a || !left_b)
		return (left_a == 0) - (left_b == 0);
	for (;;) {
		size_t na = strcspn(a, ".+"), nb = strcspn(b, ".+");
		bool num_a = na && strspn(a, "0123456789") == na,
		     num_b = nb && strspn(b, "0123456789") == nb;
		if (num_a != num_b)
			return num_a ? -1 : 1;
		if (num_a && na != nb)
			return na < nb ? -1 : 1;
		int order = memcmp(a, b, na < nb ? na : nb);
		if (order || na != nb)
			return order ? (order < 0 ? -1 : 1) : na < nb ? -1 : 1;
		bool more_a = a[na] == '.', more_b = b[nb] == '.';
		if (!more_a || !more_b)
			return more_a - more_b;
		a += na + 1;
		b += nb + 1;
	}
}

static int
compare_numbers(const uint64_t *a, const uint64_t *b)
{
	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

int
pk_version_compare(const pk_version *a, const pk_version *b)
{
	int order = compare_numbers(a->n, b->n);
	return order ? order : compare_pre(a->pre, b->pre);
}

/* ---- specifications ---- */

enum op { OP_ANY, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_CARET, OP_TILDE, OP_NEAR };
typedef struct clause {
	enum op op;
	unsigned parts;
	pk_version v;
} clause;

static enum op
take_op(const char **p)
{
	static const struct {
		const char *text;
		enum op op;
	} ops[] = {
		{"==", OP_EQ},
		{">=", OP_GE},
		{"<=", OP_LE},
		{"!=", OP_NE},
		{"~=", OP_NEAR},
		{"=", OP_EQ},
		{">", OP_GT},
		{"<", OP_LT},
		{"~", OP_TILDE},
		{"^", OP_CARET},
	};
	for (size_t i = 0; i < VC_LEN(ops); i++)
		if (!strncmp(*p, ops[i].text, strlen(ops[i].text))) {
			*p += strlen(ops[i].text);
			return ops[i].op;
		}
	return OP_EQ;
}

/* Spaces count nowhere: the caller has removed them. A part may be '*': the rest is open then. */
static bool
parse_clause(const char *s, clause *k)
{
	*k = (clause){.op = take_op(&s), .v.pre = ""};
	if (!strcmp(s, "*")) {
		k->op = OP_ANY;
		return true;
	}
	k->parts = take_numbers(&s, k->v.n);
	if (!k->parts)
		return false;
	if (k->parts < 3)
		return !*s || !strcmp(s, ".*") || !strcmp(s, ".*.*");
	if (*s == '-')
		k->v.pre = s + 1;
	else if (*s && *s != '+')
		return false;
	return strspn(s, "-+.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
	       strlen(s);
}

/* The first version behind all that start with the first `parts` numbers. */
static void
next_after(const clause *k, unsigned parts, uint64_t out[3])
{
	out[0] = k->v.n[0];
	out[1] = parts > 1 ? k->v.n[1] : 0;
	out[2] = 0;
	out[parts > 1]++;
}

static bool
below(const pk_version *v, const uint64_t limit[3])
{
	return compare_numbers(v->n, limit) < 0;
}

/* A pre-release of the next version still comes before it. */
static bool
behind_all(const pk_version *v, const uint64_t first[3])
{
	int order = compare_numbers(v->n, first);
	return order > 0 || (order == 0 && !*v->pre);
}

static bool
match_partial(const clause *k, const pk_version *v)
{
	uint64_t behind[3];
	next_after(k, k->parts, behind);
	bool from = pk_version_compare(v, &k->v) >= 0;
	switch (k->op) {
	case OP_ANY: return true;
	case OP_EQ: return from && below(v, behind);
	case OP_NE: return below(v, k->v.n) || behind_all(v, behind);
	case OP_LT: return below(v, k->v.n);
	case OP_LE: return below(v, behind);
	case OP_GT: return behind_all(v, behind);
	case OP_GE: return from;
	case OP_CARET:
		next_after(k, k->v.n[0] || k->parts == 1 ? 1 : 2, behind);
		return from && below(v, behind);
	case OP_TILDE: return from && below(v, behind);
	case OP_NEAR: next_after(k, 1, behind); return from && below(v, behind);
	}
	return false;
}

static bool
match_caret(const clause *k, const pk_version *v)
{
	uint64_t behind[3];
	next_after(k, k->v.n[0] ? 1 : 2, behind);
	if (!k->v.n[0] && !k->v.n[1]) {
		memcpy(behind, k->v.n, sizeof behind);
		behind[2]++;
	}
	return pk_version_compare(v, &k->v) >= 0 && below(v, behind);
}

static bool
match_full(const clause *k, const pk_version *v)
{
	uint64_t behind[3];
	int order = pk_version_compare(v, &k->v);
	bool early = !*k->v.pre && *v->pre && !compare_numbers(v->n, k->v.n);
	switch (k->op) {
	case OP_ANY: return true;
	case OP_EQ: return order == 0;
	case OP_NE: return order != 0 && !early;
	case OP_LT: return order < 0 && !early;
	case OP_LE: return order <= 0;
	case OP_GT: return order > 0;
	case OP_GE: return order >= 0;
	case OP_CARET: return match_caret(k, v);
	case OP_TILDE:
	case OP_NEAR: next_after(k, 2, behind); return order >= 0 && below(v, behind);
	}
	return false;
}

/* Nothing is the same as 0. v == NULL only asks whether the specification is one. */
static bool
match_all(vc *c, const char *spec, const pk_version *v)
{
	char *s = vc_strdup(c, spec), *to = s;
	for (const char *p = spec; *p; p++)
		if (!strchr(" \t\r\n\f\v", *p))
			*to++ = *p;
	*to = 0;
	if (!*s)
		s = vc_strdup(c, "0");
	for (char *end; s; s = end) {
		clause k;
		end = strchr(s, ',');
		if (end)
			*end++ = 0;
		if (!parse_clause(s, &k))
			return false;
		if (v && !(k.parts == 3 ? match_full(&k, v) : match_partial(&k, v)))
			return false;
	}
	return true;
}

bool
pk_spec_valid(vc *c, const char *spec)
{
	return match_all(c, spec, NULL);
}

bool
pk_spec_match(vc *c, const char *spec, const pk_version *v)
{
	return match_all(c, spec, v);
}

bool
vc_version_in(vc *c, const char *version, const char *spec)
{
	pk_version v;

	return pk_version_parse(version, &v) && match_all(c, spec, &v);
}

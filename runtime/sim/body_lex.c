/*
 * body_lex.c - tokens of a plan's Body.
 *
 * The agent puts the body below a line `def`: tabs become stops of four columns, the indent that
 * all lines have goes away, and four blanks come in front.  So the first line of the body is the
 * second of what Python reads, and messages count so.
 */
#include "runtime/sim/body.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

enum { TAB = 4, LEVELS = 100 };

typedef struct lexer {
	body *b;
	const char *p, *end;
	uint32_t line, open, indent[LEVELS], nindent;
	uint32_t open_line[LEVELS];
	char brackets[LEVELS];
	bool bol; /* at the beginning of a line that counts */
	size_t ntokens;
} lexer;

/* ---- the indent -------------------------------------------------------------------------- */

static void
expand(vt_buf *to, const char *s, size_t n)
{
	size_t column = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\t') {
			size_t more = TAB - column % TAB;
			column += more;
			while (more-- > 0)
				vt_buf_putc(to, ' ');
			continue;
		}
		/* bytes that go on in a character take no column */
		column = s[i] == '\n' || s[i] == '\r'
				 ? 0
				 : column + (((unsigned char)s[i] & 0xc0) != 0x80);
		vt_buf_putc(to, s[i]);
	}
	vt_buf_putc(to, '\n');
}

static size_t
common_indent(const vt_buf *t)
{
	size_t least = SIZE_MAX, from = 0;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = from;
		if (t->p[i] != '\n')
			continue;
		while (at < i && t->p[at] == ' ')
			at++;
		if (at < i && at - from < least)
			least = at - from;
		from = i + 1;
	}
	return least;
}

static char *
unindent(body *b, const char *s, size_t n, size_t *size)
{
	vt_buf t = {0}, out = {0};
	size_t least, from = 0;
	char *text;
	expand(&t, s, n);
	least = common_indent(&t);
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] != '\n')
			continue;
		vt_buf_puts(&out, "    ");
		if (i - from > least)
			vt_buf_put(&out, t.p + from + least, i - from - least);
		vt_buf_putc(&out, '\n');
		from = i + 1;
	}
	text = body_alloc(b, out.n + 1);
	if (out.n > 0)
		memcpy(text, out.p, out.n);
	*size = out.n;
	vt_buf_free(&out);
	vt_buf_free(&t);
	return text;
}

/* ---- tokens ------------------------------------------------------------------------------ */

static bool
wrong(lexer *l, const char *message, uint32_t line)
{
	if (l->b->syntax == NULL && l->b->unable == NULL)
		l->b->syntax = vt_asprintf("%s (<string>, line %u)", message, line);
	return false;
}

static body_token *
add(lexer *l, enum body_token_kind kind, const char *s, size_t n)
{
	body_token *t = &l->b->tokens[l->b->ntokens++];
	*t = (body_token){.kind = kind, .s = s, .n = (uint32_t)n, .line = l->line};
	return t;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- numbers ----------------------------------------------------------------------------- */

static bool
whole_number(lexer *l, const char *s, size_t n)
{
	vt_buf t = {0};
	int base = 10;
	vt_value v = VT_UNDEF;
	bool good;
	if (n > 1 && s[0] == '0' && strchr("xXoObB", s[1]) != NULL)
		base = strchr("xX", s[1]) ? 16 : strchr("oO", s[1]) ? 8 : 2;
	for (size_t i = base == 10 ? 0 : 2; i < n; i++)
		if (s[i] != '_')
			vt_buf_putc(&t, s[i]);
	if (base == 10 && t.n > 1 && t.p[0] == '0' && strspn(t.p, "0") != t.n) {
		vt_buf_free(&t);
		return wrong(l,
			"leading zeros in decimal integer literals are not permitted; use "
			"an 0o prefix for octal integers",
			l->line);
	}
	good = t.n > 0 && t.n <= 400;
	for (size_t i = 0; i < t.n && good; i++)
		good = vt_hex_digit(t.p[i]) >= 0 && vt_hex_digit(t.p[i]) < base;
	good = good && vt_int_parse(l->b->rt, t.p, t.n, base, &v) == VT_OK;
	if (!good && vt_pending(l->b->rt) != NULL)
		vt_exc_clear(l->b->rt);
	if (good)
		add(l, TOK_VALUE, s, n)->value = body_scalar(l->b, v);
	vt_buf_free(&t);
	return good || wrong(l, "invalid decimal literal", l->line);
}

static bool
fraction(lexer *l, const char *s, size_t n)
{
	vt_buf t = {0};
	double d = 0;
	bool good;
	if (*s == '.')
		vt_buf_putc(&t, '0');
	for (size_t i = 0; i < n; i++) {
		if (s[i] != '_')
			vt_buf_putc(&t, s[i]);
		if (s[i] == '.' && (i + 1 == n || !is_digit(s[i + 1])))
			vt_buf_putc(&t, '0');
	}
	good = vt_float_parse(t.p, t.n, &d);
	vt_buf_free(&t);
	if (!good)
		return wrong(l, "invalid decimal literal", l->line);
	add(l, TOK_VALUE, s, n)->value = body_scalar(l->b, vt_float_new(l->b->rt, d));
	return true;
}

static bool
number(lexer *l)
{
	const char *s = l->p, *p = s;
	bool real = false, prefixed = p[0] == '0' && p[1] != '\0' && strchr("xXoObB", p[1]) != NULL;
	for (p += prefixed ? 2 : 0; is_letter(*p) || is_digit(*p) || *p == '.'; p++) {
		real |= !prefixed && (*p == '.' || *p == 'e' || *p == 'E');
		if (!prefixed && (*p == 'e' || *p == 'E') && (p[1] == '-' || p[1] == '+'))
			p++;
	}
	l->p = p;
	return real ? fraction(l, s, (size_t)(p - s)) : whole_number(l, s, (size_t)(p - s));
}

/* ---- texts ------------------------------------------------------------------------------- */

static bool
coded(lexer *l, vt_buf *t, const char **at, int digits)
{
	uint32_t c = 0;
	const char *p = *at;
	for (int i = 0; i < digits; i++, p++) {
		if (p >= l->end || vt_hex_digit(*p) < 0)
			return wrong(l, "(unicode error) truncated escape", l->line);
		c = c << 4 | (uint32_t)vt_hex_digit(*p);
	}
	*at = p;
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return wrong(l, "(unicode error) illegal Unicode character", l->line);
	vt_utf8_put(t, c);
	return true;
}

/* Behind a backslash. */
static bool
escape(lexer *l, vt_buf *t, const char **at)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	char c = *(*at)++;
	const char *known = c != '\0' ? strchr(from, c) : NULL;
	if (known != NULL) {
		vt_buf_putc(t, to[known - from]);
	} else if (c == '\n') {
		l->line++;
	} else if (c >= '0' && c <= '7') {
		uint32_t code = (uint32_t)(c - '0');
		for (int i = 0; i < 2 && **at >= '0' && **at <= '7'; i++)
			code = code << 3 | (uint32_t)(*(*at)++ - '0');
		vt_utf8_put(t, code);
	} else if (c == 'x' || c == 'u' || c == 'U') {
		return coded(l, t, at, c == 'x' ? 2 : c == 'u' ? 4 : 8);
	} else if (c == 'N') {
		l->b->line = l->line - 1;
		(void)body_unable(l->b, "%s", "\\N{...}");
		return false;
	} else {
		vt_buf_putc(t, '\\');
		vt_buf_putc(t, c);
	}
	return true;
}

/* From the quote on. */
static bool
text(lexer *l, const char *from, bool raw)
{
	const char *p = l->p;
	char q = *p;
	bool three = p[1] == q && p[2] == q, good = true;
	uint32_t line = l->line;
	vt_buf t = {0};
	for (p += three ? 3 : 1; good; p++) {
		if (p >= l->end || (*p == '\n' && !three)) {
			good = wrong(l,
				three ? "unterminated triple-quoted string literal"
				      : "unterminated string literal",
				line);
			break;
		}
		if (*p == q && (!three || (p[1] == q && p[2] == q)))
			break;
		if (*p == '\\' && p + 1 < l->end && !raw) {
			p++;
			good = escape(l, &t, &p);
			p--;
			continue;
		}
		if (*p == '\\' && p + 1 < l->end)
			vt_buf_putc(&t, *p++);
		l->line += *p == '\n';
		vt_buf_putc(&t, *p);
	}
	if (good) {
		body_token *k = add(l, TOK_VALUE, from, (size_t)(p - from));
		l->p = p + (three ? 3 : 1);
		k->value = body_text(l->b, t.n ? t.p : "", t.n);
	}
	vt_buf_free(&t);
	return good;
}

/* r'', u'' and plain texts; b'' and f'' are not simulated. *taken: there was one. */
static bool
prefixed_text(lexer *l, bool *taken)
{
	const char *p = l->p, *from;
	bool raw = false;
	*taken = false;
	while (p - l->p < 3 && *p != '\0' && strchr("rRuUbBfF", *p) != NULL)
		p++;
	if (*p != '\'' && *p != '"')
		return true;
	*taken = true;
	for (const char *c = l->p; c < p; c++) {
		raw |= *c == 'r' || *c == 'R';
		if (strchr("bBfF", *c) != NULL) {
			l->b->line = l->line - 1;
			(void)body_unable(l->b, "%s", *c == 'b' || *c == 'B' ? "bytes b''" : "f''");
			return false;
		}
	}
	from = l->p;
	l->p = p;
	return text(l, from, raw);
}

/* ---- operators and lines ----------------------------------------------------------------- */

static bool
bracket(lexer *l, char c)
{
	static const char opens[] = "([{", closes[] = ")]}";
	const char *o = strchr(opens, c), *x = strchr(closes, c);
	if (o != NULL) {
		if (l->open == LEVELS)
			return wrong(l, "too many nested parentheses", l->line);
		l->open_line[l->open] = l->line;
		l->brackets[l->open++] = c;
	} else if (x != NULL) {
		if (l->open == 0)
			return wrong(l, "unmatched bracket", l->line);
		if (l->brackets[--l->open] != opens[x - closes])
			return wrong(l, "a closing parenthesis does not match", l->line);
	}
	return true;
}

static bool
op(lexer *l)
{
	static const char *const all[] = {"**=", "//=", ">>=", "<<=", "...",
		"!=", "==", "<=", ">=", "->",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "**", "//", "<<", ">>",
		"(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "@", "=", "+", "-", "*", "/", "%",
		"&", "|", "^", "~", "<", ">"};
	for (size_t i = 0; i < VT_LEN(all); i++) {
		size_t n = strlen(all[i]);
		if (strncmp(l->p, all[i], n) == 0) {
			add(l, TOK_OP, all[i], n);
			l->p += n;
			return n > 1 || bracket(l, all[i][0]);
		}
	}
	return wrong(l, "invalid syntax", l->line);
}

/* The blanks in front of a line that has something. */
static bool
indentation(lexer *l)
{
	uint32_t n = 0;
	while (l->p[n] == ' ')
		n++;
	if (l->p[n] == '\n' || l->p[n] == '#' || l->p[n] == '\r' || l->p + n >= l->end) {
		l->p += n;
		return true;
	}
	l->p += n;
	l->bol = false;
	if (n > l->indent[l->nindent - 1]) {
		if (l->nindent == LEVELS)
			return wrong(l, "too many levels of indentation", l->line);
		l->indent[l->nindent++] = n;
		add(l, TOK_INDENT, l->p, 0);
		return true;
	}
	while (l->nindent > 1 && n < l->indent[l->nindent - 1]) {
		l->nindent--;
		add(l, TOK_DEDENT, l->p, 0);
	}
	return n == l->indent[l->nindent - 1] ||
	       wrong(l, "unindent does not match any outer indentation level", l->line);
}

static bool
line_end(lexer *l)
{
	if (l->p[0] == '\r' && l->p[1] == '\n')
		l->p++;
	if (l->open == 0 && !l->bol)
		add(l, TOK_LINE, l->p, 0);
	l->bol = l->open == 0;
	l->p++;
	l->line++;
	return true;
}

static bool
word(lexer *l)
{
	const char *s = l->p;
	bool taken;
	if (!prefixed_text(l, &taken) || taken)
		return taken && l->b->syntax == NULL && l->b->unable == NULL;
	while (is_letter(*l->p) || is_digit(*l->p))
		l->p++;
	add(l, TOK_NAME, s, (size_t)(l->p - s));
	return true;
}

static bool
next(lexer *l)
{
	char c = *l->p;
	if (l->bol && l->open == 0 && c != '\n' && c != '\r' && c != '#' && !indentation(l))
		return false;
	c = *l->p;
	if (l->p >= l->end)
		return true;
	if (c == '\n' || c == '\r')
		return line_end(l);
	if (c == ' ' || c == '\f') {
		l->p++;
	} else if (c == '#') {
		while (l->p < l->end && *l->p != '\n' && *l->p != '\r')
			l->p++;
	} else if (c == '\\' && (l->p[1] == '\n' || (l->p[1] == '\r' && l->p[2] == '\n'))) {
		l->p += l->p[1] == '\r' ? 3 : 2;
		l->line++;
	} else if (is_letter(c) || c == '\'' || c == '"') {
		return word(l);
	} else if (is_digit(c) || (c == '.' && is_digit(l->p[1]))) {
		return number(l);
	} else {
		return op(l);
	}
	return true;
}

bool
body_lex(body *b, const char *s, size_t n)
{
	lexer l = {.b = b, .line = 2, .nindent = 1, .bol = true};
	size_t size;
	if (n > BODY_BYTES) {
		(void)body_unable(b, "a Body of more than %d bytes", BODY_BYTES);
		return false;
	}
	if (memchr(s, '\0', n) != NULL) {
		b->syntax = vt_xstrdup("source code string cannot contain null bytes");
		return false;
	}
	b->text = unindent(b, s, n, &size);
	/* a byte gives at most a token, but for those that begin and end blocks */
	b->tokens = body_alloc(b, (2 * n + LEVELS + 4) * sizeof *b->tokens);
	l.p = b->text;
	l.end = b->text + size;
	while (l.p < l.end)
		if (b->unable != NULL || !next(&l))
			return false;
	if (l.open > 0) {
		char message[] = "'(' was never closed";
		message[1] = l.brackets[l.open - 1];
		return wrong(&l, message, l.open_line[l.open - 1]);
	}
	if (!l.bol)
		add(&l, TOK_LINE, l.p, 0);
	while (l.nindent-- > 1)
		add(&l, TOK_DEDENT, l.p, 0);
	add(&l, TOK_END, l.p, 0);
	return b->unable == NULL;
}

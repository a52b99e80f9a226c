/*
 * yaql.re - the lexer of YAQL expressions.
 *
 * The alternatives of yaql.md section 1 in their order; words and numbers are scanned by hand
 * because their letters and digits are those of Unicode.  A token remembers its text for the
 * messages of the grammar.
 */
#include "yaql_parse.h"

int yqy_lex(YQY_STYPE *, YQY_LTYPE *, yq_ctx *);

#include <string.h>

static int
tok_at(yq_ctx *x, int kind, const unsigned char *from)
{
	const unsigned char *text = (const unsigned char *)x->text;

	x->kind = kind;
	x->loc = (yq_loc){ (uint32_t)(from - text), (uint32_t)(x->cur - text) };
	x->tok.at = x->loc.from;
	x->after_value = false;
	return kind;
}

/* A token whose text is from..cur, without skip bytes in front and drop behind. */
static int
tok_raw(yq_ctx *x, int kind, const unsigned char *from, int skip, int drop)
{
	x->tok = (yq_tok){ (const char *)from + skip, (uint32_t)(x->cur - from - skip - drop), 0,
		false };
	return tok_at(x, kind, from);
}

/* The same for a token that may end a value. */
static int
tok_value(yq_ctx *x, int kind, const unsigned char *from, int skip, int drop)
{
	tok_raw(x, kind, from, skip, drop);
	x->after_value = true;
	return kind;
}

static int
lex_error(yq_ctx *x, const unsigned char *at)
{
	uint32_t cp, n = yq_decode(at, x->lim, &cp);
	uint32_t off = (uint32_t)(at - (const unsigned char *)x->text);
	char *shown;

	if (n == 0) {
		yq_fail(x, off, NULL,
			vc_format(x->c, "Lexical error: byte 0x%02x at position %u is not UTF-8",
				at[0], yq_points(x->text, off)));
	} else {
		shown = vc_strndup(x->c, (const char *)at, n);
		yq_fail(x, off, shown,
			vc_format(x->c, "Lexical error: illegal character '%s' at position %u",
				shown, yq_points(x->text, off)));
	}
	x->err->lexical = true;
	return YQY_error;
}

static int
open_bracket(yq_ctx *x, int kind, const unsigned char *from)
{
	tok_raw(x, kind, from, 0, kind == FUNC);
	if (++x->nest > x->c->limit.max_depth) {
		yq_fail_depth(x, x->loc.from);
		return YQY_error;
	}
	return kind;
}

static int
close_bracket(yq_ctx *x, int kind, const unsigned char *from)
{
	if (x->nest)
		x->nest--;
	return tok_value(x, kind, from, 0, 0);
}

static const unsigned char *
skip_word(yq_ctx *x, const unsigned char *p)
{
	uint32_t cp, n;

	while ((n = yq_decode(p, x->lim, &cp)) && vt_is_word(cp))
		p += n;
	return p;
}

static const unsigned char *
skip_digits(yq_ctx *x, const unsigned char *p)
{
	uint32_t cp, n;

	while ((n = yq_decode(p, x->lim, &cp)) && vt_digit_value(cp) >= 0)
		p += n;
	return p;
}

/* Digits of any script become ASCII ones. */
static int
number(yq_ctx *x, const unsigned char *from)
{
	char *text = vc_alloc(x->c, (size_t)(x->cur - from) + 1);
	const unsigned char *p = from;
	uint32_t cp, n = 0, len;
	bool dot = false;

	for (; p < x->cur; p += len) {
		len = yq_decode(p, x->cur, &cp);
		dot |= cp == '.';
		text[n++] = cp == '.' ? '.' : (char)('0' + vt_digit_value(cp));
	}
	tok_value(x, NUMBER, from, 0, 0);
	x->tok.text = text;
	x->tok.n = n;
	x->tok.is_float = dot;
	return NUMBER;
}

/* \d+(\.?\d+)?\b: the fraction belongs to the number only when no letter follows it. */
static int
scan_number(yq_ctx *x, const unsigned char *from)
{
	const unsigned char *end = skip_digits(x, from), *frac;

	if (skip_word(x, end) != end)
		return lex_error(x, from);
	x->cur = end;
	if (end < x->lim && *end == '.') {
		frac = skip_digits(x, end + 1);
		if (frac > end + 1 && skip_word(x, frac) == frac)
			x->cur = frac;
	}
	return number(x, from);
}

static const struct { const char *word; int kind; unsigned flags; } words[] = {
	{ "true", TRUE, 0 }, { "false", FALSE, 0 }, { "null", NULLCONST, 0 },
	{ "and", AND, 0 }, { "or", OR, 0 }, { "not", NOT, 0 },
	{ "mod", MULTIPLY, 0 }, { "in", COMPARE, 0 }, { "is", COMPARE, YQ_F_MURANO },
};

static int
word_kind(yq_ctx *x, const unsigned char *from, size_t n)
{
	for (size_t i = 0; i < VC_LEN(words); i++)
		if (strlen(words[i].word) == n && !memcmp(words[i].word, from, n) &&
			(words[i].flags & x->flags) == words[i].flags)
			return words[i].kind;
	return KEYWORD;
}

/* A function's name when '(' follows at once, whatever the word is; else an operator, a constant or
 * a keyword. */
static int
scan_word(yq_ctx *x, const unsigned char *from)
{
	const unsigned char *end = skip_word(x, from);
	int kind;

	if (end < x->lim && *end == '(') {
		x->cur = end + 1;
		return open_bracket(x, FUNC, from);
	}
	if (end - from >= 2 && from[0] == '_' && from[1] == '_')
		return lex_error(x, from);
	x->cur = end;
	kind = word_kind(x, from, (size_t)(end - from));
	if (kind == AND || kind == OR || kind == NOT || kind == MULTIPLY || kind == COMPARE)
		return tok_raw(x, kind, from, 0, 0);
	return tok_value(x, kind, from, 0, 0);
}

static int
scan_unicode(yq_ctx *x, const unsigned char *from)
{
	uint32_t cp;

	if (!yq_decode(from, x->lim, &cp) || !vt_is_word(cp))
		return lex_error(x, from);
	return vt_digit_value(cp) >= 0 ? scan_number(x, from) : scan_word(x, from);
}

/* The first byte that is not UTF-8, or NULL. */
static const unsigned char *
bad_utf8(const unsigned char *p, const unsigned char *end)
{
	uint32_t cp, n;

	for (; p < end; p += n)
		if ((n = yq_decode(p, end, &cp)) == 0)
			return p;
	return NULL;
}

/* cur stands behind the opening quote. A backslash takes any character with it but a newline. */
static int
scan_string(yq_ctx *x, const unsigned char *from)
{
	const unsigned char *p = x->cur, *body = p, *bad;

	for (; p < x->lim && *p != *from; p++)
		if (*p == '\\' && (++p >= x->lim || *p == '\n'))
			return lex_error(x, from);
	if (p >= x->lim)
		return lex_error(x, from);
	if ((bad = bad_utf8(body, p)))
		return lex_error(x, bad);
	x->cur = p + 1;
	tok_value(x, STRING, from, 1, 1);
	if (*from != '`')
		x->tok.text = yq_unescape(x, (const char *)body, (size_t)(p - body),
			x->loc.from + 1, &x->tok.n);
	else
		x->tok.text = yq_verbatim(x, (const char *)body, (size_t)(p - body), &x->tok.n);
	return x->tok.text ? STRING : YQY_error;
}

/* Characters that depend on the dialect. */
static int
arrow(yq_ctx *x, const unsigned char *from)
{
	return tok_raw(x, x->flags & YQ_F_LEGACY ? ARROW : MAPPING, from, 0, 0);
}

static int
colon(yq_ctx *x, const unsigned char *from)
{
	return x->flags & YQ_F_MURANO ? tok_raw(x, COLON, from, 0, 0) : lex_error(x, from);
}

static int
parenthesis(yq_ctx *x, const unsigned char *from)
{
	return open_bracket(x, x->after_value && x->flags & YQ_F_DELEGATES ? CALL : '(', from);
}

static int
scan(yq_ctx *x)
{
	const unsigned char *from;
again:
	from = x->cur;
	/*!re2c
	re2c:define:YYCTYPE = "unsigned char";
	re2c:define:YYCURSOR = "x->cur";
	re2c:define:YYLIMIT = "x->lim";
	re2c:define:YYMARKER = "x->mark";
	re2c:yyfill:enable = 0;
	re2c:eof = 0;

	[ \t\r\n]+       { goto again; }
	$                { return tok_raw(x, YQY_EOF, from, 0, 0); }
	"$"              { x->cur = skip_word(x, x->cur); return tok_value(x, DOLLAR, from, 1, 0); }
	[0-9]            { return scan_number(x, from); }
	[A-Za-z_]        { return scan_word(x, from); }
	[\x80-\xff]      { return scan_unicode(x, from); }
	['"`]            { return scan_string(x, from); }
	"?." | "."       { return tok_raw(x, DOT, from, 0, 0); }
	"=~" | "!~"      { return tok_raw(x, MATCH, from, 0, 0); }
	"->"             { return tok_raw(x, SEND, from, 0, 0); }
	"=>"             { return arrow(x, from); }
	"*" | "/"        { return tok_raw(x, MULTIPLY, from, 0, 0); }
	"+" | "-"        { return tok_raw(x, ADD, from, 0, 0); }
	[<>!]"=" | [<>=] { return tok_raw(x, COMPARE, from, 0, 0); }
	":"              { return colon(x, from); }
	"("              { return parenthesis(x, from); }
	"[" | "{"        { return open_bracket(x, *from, from); }
	")" | "]" | "}"  { return close_bracket(x, *from, from); }
	","              { return tok_raw(x, ',', from, 0, 0); }
	*                { return lex_error(x, from); }
	*/
}

int
yqy_lex(YQY_STYPE *value, YQY_LTYPE *loc, yq_ctx *x)
{
	int kind = scan(x);

	value->tok = x->tok;
	*loc = x->loc;
	return kind;
}

void
yq_lex_symbol(yq_ctx *x, int kind, uint32_t n, bool ends_value)
{
	const unsigned char *from = x->cur;

	x->cur += n;
	tok_raw(x, kind, from, 0, 0);
	x->after_value = ends_value;
}

int
yq_lex(yq_ctx *x)
{
	int kind = scan(x);

	return kind == YQY_error ? -1 : kind;
}

/*
 * yay.re - the lexer of Yay.
 *
 * Line by line, with a state for each part of one: INITIAL (a key or a directive's word), VALUE
 * (behind a key or '-'), QVALUE (inside "..."), CVALUE (a value's rest behind a template), TEMPLATE
 * ({{ }}), COMMAND (a directive's rest) and BLOCK (the text of | and >).  All tokens of a text are
 * made before the grammar sees the first: INDENT and DEDENT need lines as a whole.
 */
#include "yay_parse.h"

#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

enum state { TEMPLATE, COMMAND };

/* ---- places and tokens ---- */

/* Columns count code points; a line is counted once from left to right. */
static yay_loc
loc_at(yay_ctx *x, const unsigned char *from, const unsigned char *to)
{
	const unsigned char *text = (const unsigned char *)x->text;

	if (from < x->counted || x->counted < x->bol)
		x->counted = x->bol, x->points = 0;
	for (; x->counted < from; x->counted++)
		x->points += (*x->counted & 0xc0) != 0x80;
	return (yay_loc){(uint32_t)(from - text), (uint32_t)(to - text), x->line, x->points + 1};
}

static yay_token *
put_text(yay_ctx *x, int kind, const unsigned char *from, const char *text, size_t n)
{
	yay_token *t;

	if (x->ntok == x->captok) {
		x->captok = x->captok ? 2 * x->captok : 64;
		x->tok = vt_xrealloc(x->tok, x->captok * sizeof *x->tok);
	}
	t = &x->tok[x->ntok++];

	*t = (yay_token){kind, loc_at(x, from, x->cur), text, (uint32_t)n};
	return t;
}

/* A token whose value are the bytes from..to. */
static void
put_span(yay_ctx *x, int kind, const unsigned char *from, const unsigned char *to)
{
	put_text(x, kind, from, (const char *)from, (size_t)(to - from))->loc.to =
		(uint32_t)((const char *)to - x->text);
}

static bool
put(yay_ctx *x, int kind, const unsigned char *from)
{
	put_span(x, kind, from, x->cur);
	return true;
}

static bool
lex_error(yay_ctx *x, const char *type, const unsigned char *at, const char *what)
{
	yr_fail(x, type, loc_at(x, at, at < x->lim ? at + 1 : at), VC_E3001, "%s", what);
	return false;
}

static bool
is_eol(const yay_ctx *x, const unsigned char *p)
{
	return p >= x->lim || *p == '\n' || *p == '\r';
}

static bool
is_blank(unsigned char ch)
{
	return ch == ' ' || ch == '\t';
}

static const unsigned char *
skip_blanks(const yay_ctx *x, const unsigned char *p)
{
	while (p < x->lim && is_blank(*p))
		p++;
	return p;
}

/* Behind the line end at p. */
static const unsigned char *
next_line(const yay_ctx *x, const unsigned char *p)
{
	if (p < x->lim && *p == '\r' && p + 1 < x->lim && p[1] == '\n')
		return p + 2;
	return p < x->lim ? p + 1 : p;
}

static void
begin_line(yay_ctx *x, const unsigned char *p)
{
	x->cur = x->bol = p;
	x->line++;
}

/* The text of a NEWLINE: a \n for each line end. */
static const char *
line_ends(yay_ctx *x, uint32_t n)
{
	static const char few[] = "\n\n\n\n\n\n\n\n";
	char *text;

	if (n < sizeof few)
		return few + sizeof few - 1 - n;
	text = vc_alloc(x->c, n + 1);
	memset(text, '\n', n);
	return text;
}

/* The line end at cur and the empty lines behind it become one NEWLINE. */
static bool
newline(yay_ctx *x)
{
	const unsigned char *from = x->cur, *p = from;
	yay_token *t = put_text(x, NEWLINE, from, "\n", 1);
	uint32_t n = 0, lines = 0;
	const unsigned char *bol = x->bol;

	while (p < x->lim && is_eol(x, p)) {
		bol = next_line(x, p);
		n++, lines++;
		p = skip_blanks(x, bol);
	}
	t->n = n ? n : 1;
	t->text = line_ends(x, t->n);
	t->loc.to = t->loc.from;
	x->line += lines;
	x->cur = x->bol = n ? bol : x->lim;
	return true;
}

/* ---- TEMPLATE and COMMAND: Python's tokens ---- */

static const struct word { const char *word; int kind; } words[] = {
	{"and", AND}, {"as", AS}, {"else", ELSE}, {"for", FOR}, {"if", IF}, {"in", IN}, {"is", IS},
	{"lambda", LAMBDA}, {"not", NOT}, {"or", OR},
}, directives[] = {
	{"call", CALL}, {"else", ELSE}, {"elif", ELIF}, {"for", FOR}, {"if", IF},
	{"include", INCLUDE}, {"macro", MACRO}, {"new", NEW}, {"prototype", PROTOTYPE},
	{"search", SEARCH}, {"select", SELECT}, {"set", SET},
	{"and", AND}, {"as", AS}, {"in", IN}, {"is", IS}, {"lambda", LAMBDA}, {"not", NOT},
	{"or", OR},
};

static int
word_of(const struct word *w, size_t nw, const unsigned char *s, size_t n)
{
	for (size_t i = 0; i < nw; i++)
		if (strlen(w[i].word) == n && !memcmp(w[i].word, s, n))
			return w[i].kind;
	return 0;
}

bool
yay_is_word(const char *s)
{
	const unsigned char *at = (const unsigned char *)s;
	size_t n = strlen(s);

	return word_of(words, VT_LEN(words), at, n) || strcmp(s, "here") == 0 ||
	       word_of(directives, VT_LEN(directives), at, n);
}

static uint32_t
hex_digits(const unsigned char **p, const unsigned char *end, int n, bool *good)
{
	uint32_t v = 0;

	for (; n > 0; n--, (*p)++) {
		int d = *p < end ? **p | 0x20 : 0;
		if (d >= '0' && d <= '9')
			v = v << 4 | (uint32_t)(d - '0');
		else if (d >= 'a' && d <= 'f')
			v = v << 4 | (uint32_t)(d - 'a' + 10);
		else
			return *good = false, 0;
	}
	return v;
}

/* One escape behind its backslash; an unknown one stays as it is. */
static bool
put_escape(vt_buf *b, const unsigned char **p, const unsigned char *end)
{
	static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
	const char *k;
	unsigned char ch = *(*p)++;
	bool good = true;
	uint32_t v = 0;

	if (ch == '\n')
		return true;
	if ((k = strchr(from, ch)) && ch) {
		vt_buf_putc(b, to[k - from]);
		return true;
	}
	if (ch >= '0' && ch <= '7') {
		v = (uint32_t)(ch - '0');
		for (int i = 0; i < 2 && *p < end && **p >= '0' && **p <= '7'; i++)
			v = v * 8 + (uint32_t)(*(*p)++ - '0');
	} else if (ch == 'x' || ch == 'u' || ch == 'U') {
		v = hex_digits(p, end, ch == 'x' ? 2 : ch == 'u' ? 4 : 8, &good);
	} else {
		vt_buf_putc(b, '\\');
		vt_buf_putc(b, (char)ch);
		return true;
	}
	if (!good || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return false;
	vt_utf8_put(b, v);
	return true;
}

/* The text of a string literal whose quotes are q bytes each. */
static bool
string(yay_ctx *x, const unsigned char *from, const unsigned char *body, const unsigned char *end,
	bool raw)
{
	vt_buf b = {0};
	bool good = true;

	for (const unsigned char *p = body; p < end && good;) {
		if (*p == '\\' && !raw && p + 1 < end) {
			p++;
			good = put_escape(&b, &p, end);
		} else {
			vt_buf_putc(&b, (char)*p++);
		}
	}
	if (good)
		put_text(x, STRING, from, vc_strndup(x->c, b.p ? b.p : "", b.n), b.n);
	vt_buf_free(&b);
	return good ||
	       lex_error(x, "LexerError", from, "a string with an escape that means no character");
}

/* cur is behind the opening quote, `from` at the prefix. */
static bool
scan_string(yay_ctx *x, const unsigned char *from)
{
	const unsigned char *q = x->cur - 1, *p = x->cur, *body;
	bool triple = p + 1 < x->lim && p[0] == *q && p[1] == *q, raw = false;

	for (const unsigned char *k = from; k < q; k++)
		raw |= *k == 'r' || *k == 'R';
	if (triple)
		p += 2;
	for (body = p; !is_eol(x, p); p++) {
		if (*p == '\\' && p + 1 < x->lim && !is_eol(x, p + 1)) {
			p++;
		} else if (*p == *q && (!triple || (p + 2 < x->lim && p[1] == *q && p[2] == *q))) {
			x->cur = p + (triple ? 3 : 1);
			return string(x, from, body, p, raw);
		}
	}
	return lex_error(x, "LexerError", from, "this string does not end on its line");
}

static bool
scan_radix(yay_ctx *x, const unsigned char *from)
{
	const unsigned char *end = x->cur - (x->cur[-1] == 'L' || x->cur[-1] == 'l');
	unsigned bits = (from[1] | 0x20) == 'x' ? 4 : (from[1] | 0x20) == 'o' ? 3 : 1;
	uint64_t v = 0;

	for (const unsigned char *p = from + 2; p < end; p++) {
		if (v >> (64 - bits))
			return lex_error(x, "LexerError", from, "a number of more than 64 bits");
		v = v << bits | (unsigned)(*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
	}
	char *text = vc_format(x->c, "%llu", (unsigned long long)v);
	put_text(x, INTEGER, from, text, strlen(text));
	return true;
}

/* One token, or the line's end, which stays. nest counts the brackets of a template. */
static bool
scan_token(yay_ctx *x, enum state state, uint32_t *nest)
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

	letter = [A-Za-z_\x80-\xff];
	[ \t]+           { goto again; }
	"\\" "\r"? "\n"  { begin_line(x, x->cur); goto again; }
	[\r\n]           { x->cur = from; return true; }
	$                { x->cur = from; return true; }
	"#" [^\r\n]*     {
		if (state == COMMAND)
			goto again;
		x->cur = from + 1;
		return put(x, BAD, from);
	}
	letter (letter | [0-9])* {
		int kind = word_of(words, VT_LEN(words), from, (size_t)(x->cur - from));
		/* A reserved word may be one. */
		bool attribute = x->ntok && x->tok[x->ntok - 1].kind == '.';
		return put(x, kind && !attribute ? kind : IDENTIFIER, from);
	}
	"0"+ | [1-9][0-9]* [lL]? {
		bool marked = x->cur[-1] == 'L' || x->cur[-1] == 'l';
		put_span(x, INTEGER, *from == '0' ? x->cur - 1 : from, x->cur - marked);
		x->tok[x->ntok - 1].loc = loc_at(x, from, x->cur);
		return true;
	}
	"0" [0-9]+       {
		return lex_error(x, "LexerError", from, "a number does not begin with 0");
	}
	"0" [xX] [0-9A-Fa-f]+ [lL]? | "0" [oO] [0-7]+ [lL]? | "0" [bB] [01]+ [lL]? {
		return scan_radix(x, from);
	}
	[0-9]+ ("." [0-9]+)? [eE] [+-]? [0-9]+ | [0-9]+ "." [0-9]+ { return put(x, FLOAT, from); }
	[uUrRbB]{0,2} ['"] { return scan_string(x, from); }
	"**"             { return put(x, POW, from); }
	"//"             { return put(x, FLOORDIV, from); }
	"<<"             { return put(x, SHL, from); }
	">>"             { return put(x, SHR, from); }
	"<="             { return put(x, LE, from); }
	">="             { return put(x, GE, from); }
	"=="             { return put(x, EQ, from); }
	"!=" | "<>"      { return put(x, NE, from); }
	"}}"             {
		if (state == TEMPLATE && *nest == 0)
			return put(x, RDBRACE, from);
		x->cur = from + 1;
		*nest -= *nest > 0;
		return put(x, '}', from);
	}
	[([{]            {
		if (++*nest > x->c->limit.max_depth)
			return lex_error(x, "ParseError", from, "brackets nest too deeply");
		return put(x, *from, from);
	}
	[)\]}]           { *nest -= *nest > 0; return put(x, *from, from); }
	[-+*/%&|^~<>=.,:`;] { return put(x, *from, from); }
	*                { return put(x, BAD, from); }
	*/
}

/* A template from its {{ to its }}; a line end within ends it and is the grammar's to refuse. */
static bool
scan_template(yay_ctx *x)
{
	const unsigned char *from = x->cur;
	uint32_t nest = 0, before;

	x->cur += 2;
	put(x, LDBRACE, from);
	do {
		before = x->ntok;
		if (!scan_token(x, TEMPLATE, &nest))
			return false;
	} while (x->ntok > before && x->tok[x->ntok - 1].kind != RDBRACE);
	return true;
}

/* A directive's rest. An old one may lack its colon. */
static bool
scan_command(yay_ctx *x, bool add_colon)
{
	uint32_t nest = 0, before;

	do {
		before = x->ntok;
		if (!scan_token(x, COMMAND, &nest))
			return false;
	} while (x->ntok > before);
	if (add_colon && x->tok[x->ntok - 1].kind != ':')
		put_text(x, ':', x->cur, ":", 1);
	return newline(x);
}

/* ---- BLOCK ---- */

/* The texts of a line that begins at cur. */
static bool
block_line(yay_ctx *x)
{
	const unsigned char *from = x->cur, *p = from;
	bool templated = false;

	while (!is_eol(x, p)) {
		if (*p != '{' || p + 1 >= x->lim || p[1] != '{') {
			/* Blanks behind a template are a text of their own. */
			if (templated && p == from && is_blank(*p)) {
				x->cur = p = skip_blanks(x, p);
				put_span(x, VALUE, from, p);
				from = p;
			} else {
				p++;
			}
			continue;
		}
		x->cur = p;
		if (p > from)
			put_span(x, VALUE, from, p);
		if (!scan_template(x))
			return false;
		from = p = x->cur;
		templated = true;
	}
	while (!templated && p > from && is_blank(p[-1]))
		p--;
	x->cur = p;
	if (p > from)
		put_span(x, VALUE, from, p);
	x->cur = skip_blanks(x, p);
	return true;
}

/* cur is behind the style. The first line says how far the text is indented. */
static bool
scan_block(yay_ctx *x)
{
	uint32_t indent = 0;
	const unsigned char *p, *end;

	x->cur = skip_blanks(x, x->cur);
	if (x->cur < x->lim)
		begin_line(x, next_line(x, x->cur));
	for (end = x->cur; x->cur < x->lim; end = x->cur) {
		for (p = x->cur; p < x->lim && *p == ' '; p++)
			;
		if (is_eol(x, skip_blanks(x, p))) {
			if ((x->cur = skip_blanks(x, p)) < x->lim)
				newline(x);
			continue;
		}
		if ((uint32_t)(p - x->cur) <= x->line_indent || (uint32_t)(p - x->cur) < indent)
			break;
		if (!indent)
			indent = (uint32_t)(p - x->cur);
		x->cur += indent;
		if (!block_line(x))
			return false;
		newline(x);
	}
	x->cur = end;
	put_text(x, MULTILINE_END, end, NULL, 0);
	put_text(x, NEWLINE, end, "\n", 1);
	return true;
}

/* ---- VALUE, QVALUE, CVALUE ---- */

/* A key's colon has a blank or the line's end behind it. */
static bool
is_colon(const yay_ctx *x, const unsigned char *p)
{
	return *p == ':' && (is_eol(x, p + 1) || is_blank(p[1]));
}

static bool
is_template(const yay_ctx *x, const unsigned char *p)
{
	return *p == '{' && p + 1 < x->lim && p[1] == '{';
}

/* Does the rest of the line hold nothing but a comment? */
static bool
ends_here(const yay_ctx *x, const unsigned char *p)
{
	const unsigned char *q = skip_blanks(x, p);

	return is_eol(x, q) || (*q == '#' && q > p);
}

/* What stands between quotes; cur is behind the first. */
static bool
scan_quoted(yay_ctx *x)
{
	const unsigned char *open = x->cur - 1, *from = x->cur, *p = from;
	bool any = false;

	for (;; p++) {
		if (is_eol(x, p))
			return lex_error(
				x, "LexerError", open, "this quote is not closed on its line");
		if (*p != '"' && !is_template(x, p))
			continue;
		x->cur = p;
		if (p > from || (*p == '"' && !any))
			put_span(x, VALUE, from, p);
		any = true;
		if (*p == '"') {
			x->cur = p + 1;
			return true;
		}
		if (!scan_template(x))
			return false;
		if (x->tok[x->ntok - 1].kind != RDBRACE)
			return true;
		from = x->cur;
		p = from - 1;
	}
}

/* Plain text up to a template, a key's colon or the line's end; blanks at its end are no part. */
static void
scan_plain(yay_ctx *x, bool behind_template)
{
	const unsigned char *from = x->cur, *p = from, *end;

	while (!is_eol(x, p) && !is_template(x, p) && !is_colon(x, p)) {
		if (behind_template && *p == '#' && p > (const unsigned char *)x->text &&
			is_blank(p[-1]))
			break;
		p++;
	}
	end = p;
	if (is_eol(x, p) || *p == '#' || is_colon(x, p))
		while (end > from && is_blank(end[-1]) &&
			!(behind_template && is_eol(x, p) && skip_blanks(x, from) == p))
			end--;
	x->cur = p;
	if (end > from)
		put_span(x, VALUE, from, end);
}

/* One style of a block at cur? */
static bool
block_style(yay_ctx *x, const unsigned char *from)
{
	const unsigned char *p = from + 1;

	if (*from != '|' && *from != '>')
		return false;
	if (p < x->lim && (*p == '+' || *p == '-'))
		p++;
	if (!is_eol(x, skip_blanks(x, p)))
		return false;
	x->cur = p;
	put_span(x, MULTILINE, from, p);
	return true;
}

/* {} or [] as a whole. */
static bool
empty_literal(yay_ctx *x, const unsigned char *p)
{
	if (p + 1 >= x->lim || !((p[0] == '{' && p[1] == '}') || (p[0] == '[' && p[1] == ']')) ||
		!ends_here(x, p + 2))
		return false;
	x->cur = p + 2;
	return put(x, *p == '{' ? EMPTYDICT : EMPTYLIST, p);
}

static bool
scan_value(yay_ctx *x)
{
	bool start = true, behind_template = false;

	for (;;) {
		const unsigned char *p = x->cur;
		if (is_eol(x, p))
			return newline(x);
		if (start && is_blank(*p)) {
			x->cur = skip_blanks(x, p);
		} else if (*p == '#' && (start || is_blank(p[-1]))) {
			while (!is_eol(x, x->cur))
				x->cur++;
		} else if (is_colon(x, p)) {
			x->cur++;
			put(x, COLON, p);
			x->blank_key = false;
			start = true, behind_template = false;
		} else if (start && block_style(x, p)) {
			return scan_block(x);
		} else if (start && empty_literal(x, p)) {
			start = false;
		} else if (*p == '"' && !behind_template) {
			x->cur++;
			if (!scan_quoted(x))
				return false;
			start = false;
			if (ends_here(x, x->cur))
				x->cur = skip_blanks(x, x->cur);
		} else if (is_template(x, p)) {
			if (!scan_template(x))
				return false;
			start = false, behind_template = true;
		} else {
			scan_plain(x, behind_template);
			start = false;
		}
	}
}

/* ---- INITIAL ---- */

static bool
note_old(yay_ctx *x, const unsigned char *from, const char *better)
{
	yay_loc l = loc_at(x, from, x->cur);

	vc_push(x->c, x->old, x->nold) = (yay_old){l.from, l.to, better};
	return true;
}

static bool
is_word(const unsigned char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}

/* Words that are directives only where what follows fits: as keys they are common. */
static int
soft_directive(yay_ctx *x, const unsigned char *from, size_t n, bool old)
{
	const unsigned char *p = skip_blanks(x, x->cur), *q = p;

	if (old && is_word(from, n, "let"))
		return SET;
	if (old && is_word(from, n, "import"))
		return IMPORT;
	if (p == x->cur || is_eol(x, p))
		return 0;
	if (is_word(from, n, "create") && (*p == '"' || *p == '\''))
		return CREATE;
	while (!is_eol(x, q) && !is_blank(*q) && !is_colon(x, q))
		q++;
	if (!is_word(from, n, "configure") || q <= p || !is_colon(x, q))
		return 0;
	return is_eol(x, skip_blanks(x, q + 1)) ? CONFIGURE : 0;
}

/* A key and what follows. */
static bool
scan_key(yay_ctx *x, const unsigned char *from)
{
	const unsigned char *p = skip_blanks(x, x->cur);

	put(x, VALUE, from);
	if (is_eol(x, p)) {
		x->cur = p;
		return newline(x);
	}
	if (!is_colon(x, p)) { /* which no line of data is; the blanks are shown */
		put_span(x, VALUE, x->cur, p);
		while (!is_eol(x, p) && !is_colon(x, p))
			p++;
		x->tok[x->ntok - 1].n = (uint32_t)((const char *)p - x->tok[x->ntok - 1].text);
		x->cur = p;
		return scan_value(x);
	}
	x->cur = p + 1;
	put(x, COLON, p);
	x->blank_key = ends_here(x, x->cur) || *skip_blanks(x, x->cur) == '#';
	return scan_value(x);
}

/* Block directives of the old spelling may stand without a colon. */
static bool
opens_block(int kind)
{
	return kind == FOR || kind == IF || kind == ELIF || kind == ELSE || kind == SELECT ||
	       kind == MACRO || kind == CALL || kind == NEW || kind == PROTOTYPE;
}

static bool
scan_directive(yay_ctx *x, const unsigned char *from, int kind, bool old)
{
	put(x, kind, from);
	if (kind == CREATE) /* errors point behind the word, where the reference's do */
		x->tok[x->ntok - 1].loc = loc_at(x, x->cur, x->cur);
	if (kind == IMPORT)
		return scan_value(x);
	if (kind == CONFIGURE) {
		x->cur = skip_blanks(x, x->cur);
		return scan_value(x);
	}
	return scan_command(x, old && opens_block(kind));
}

static bool
scan_initial(yay_ctx *x, bool old)
{
	const unsigned char *from;
	int kind;
again:
	from = x->cur;
	if (is_template(x, from))
		return scan_value(x);
	if (from < x->lim && *from == '-') { /* blank or not: -1 is an item, and no key begins so */
		x->cur = from + 1;
		put(x, HYPHEN, from);
		x->item_col = (uint32_t)(skip_blanks(x, x->cur) - x->bol);
		return scan_value(x);
	}
	/*!re2c
	"%" [ \t]*       { note_old(x, from, "the directive without %"); old = true; goto again; }
	$                { return true; }
	([^: \r\n] | ":"+ [^: \t\r\n])+ {
		size_t n = (size_t)(x->cur - from);
		if ((kind = word_of(directives, VT_LEN(directives), from, n)) ||
			(kind = soft_directive(x, from, n, old)))
			return scan_directive(x, from, kind, old);
		if (is_word(from, n, "extend") && !is_colon(x, skip_blanks(x, x->cur))) {
			put(x, EXTEND, from);
			x->cur = skip_blanks(x, x->cur);
			goto extended;
		}
		return scan_key(x, from);
	}
	*                { x->cur = from; return scan_value(x); }
	*/
extended:
	from = x->cur;
	/*!re2c
	$                { return newline(x); }
	([^: \r\n] | ":"+ [^: \t\r\n])+ {
		kind = word_of(directives, VT_LEN(directives), from, (size_t)(x->cur - from));
		if (!kind && is_word(from, (size_t)(x->cur - from), "extend"))
			kind = EXTEND;
		return kind ? scan_directive(x, from, kind, false) : scan_key(x, from);
	}
	*                { x->cur = from; return scan_value(x); }
	*/
}

/* ---- lines ---- */

static bool
push_level(yay_ctx *x, uint32_t col, uint32_t item_col, bool of_list, const unsigned char *at)
{
	if (x->nlevels > x->c->limit.max_depth)
		return lex_error(x, "WhitespaceError", at, "blocks nest too deeply");
	vc_push(x->c, x->level, x->nlevels) = (struct yay_level){col, item_col, of_list};
	if (x->nlevels > 1)
		put_text(x, INDENT, at, NULL, 0);
	return true;
}

static void
pop_level(yay_ctx *x, const unsigned char *at)
{
	x->nlevels--;
	put_text(x, DEDENT, at, NULL, 0);
}

/*
 * A list may stand at its key's column: that is a level of the same column.  Behind the block of
 * the first key of an item others may follow at that key's column: that is a level of their own.
 */
static bool
indent(yay_ctx *x, uint32_t col, bool hyphen)
{
	bool blank_item = x->ntok > 1 && x->tok[x->ntok - 2].kind == COLON;
	struct yay_level *top;
	uint32_t item = blank_item ? x->item_col : 0, left = 0;
	bool blank_key = x->blank_key, back = false;

	x->blank_key = false;
	x->item_col = 0;
	x->line_indent = col;
	if (x->nlevels == 0)
		return push_level(x, col, 0, false, x->cur);
	while (top = &x->level[x->nlevels - 1],
		x->nlevels > 1 &&
			(col < top->col || (top->of_list && col == top->col && !hyphen))) {
		left = top->item_col;
		pop_level(x, x->cur);
		back = true;
	}
	if (!back && (col > top->col ||
			     (col == top->col && hyphen && blank_key && !top->of_list)))
		return push_level(x, col, item, col == top->col, x->cur);
	if (col > top->col && left == col && !hyphen)
		return push_level(x, col, 0, false, x->cur);
	return col == top->col ||
	       lex_error(x, "WhitespaceError", x->cur, "inconsistent indentation");
}

static bool
lex_line(yay_ctx *x)
{
	const unsigned char *p = x->cur;

	while (p < x->lim && *p == ' ')
		p++;
	if (is_eol(x, skip_blanks(x, p)) || *p == '#') {
		while (!is_eol(x, p))
			p++;
		x->cur = p;
		if (p < x->lim)
			begin_line(x, next_line(x, p));
		return true;
	}
	x->cur = p;
	return indent(x, (uint32_t)(p - x->bol), *p == '-') && scan_initial(x, false);
}

void
yr_lex_begin(yay_ctx *x, bool expression)
{
	x->line = 1;
	x->bol = x->counted = x->cur;
	x->expression = expression;
	put_text(x, expression ? EXPRESSION_START : DOCUMENT_START, x->cur, NULL, 0);
}

static bool
lex_expression(yay_ctx *x)
{
	uint32_t nest = 0, before;

	do {
		before = x->ntok;
		if (!scan_token(x, COMMAND, &nest))
			return false;
	} while (x->ntok > before);
	return newline(x);
}

/* How many tokens behind the window's end are looked at: by indent(), and by messages. */
enum { BEHIND = 2 };

/* Gives up what the grammar had. Messages look at the tokens of the line that ends with the last:
 * these are given up a line later. */
static void
forget(yay_ctx *x)
{
	uint32_t from = x->ntok > BEHIND ? x->ntok - BEHIND : 0;

	if (x->at < x->ntok)
		return;
	while (from > 0 && x->tok[from].kind != NEWLINE)
		from--;
	memmove(x->tok, x->tok + from, (x->ntok - from) * sizeof *x->tok);
	x->ntok -= from;
	x->at -= from;
}

bool
yr_lex_more(yay_ctx *x)
{
	uint32_t before;
	bool good = true;

	forget(x);
	before = x->ntok;
	if (x->expression)
		good = lex_expression(x);
	while (!x->expression && good && x->ntok == before && x->cur < x->lim)
		good = lex_line(x);
	if (good && x->ntok > before && !x->expression)
		return true;
	while (x->nlevels > 1)
		pop_level(x, x->cur);
	put_text(x, YAYY_EOF, x->cur, NULL, 0);
	x->whole = true;
	x->broken = !good;
	return good;
}

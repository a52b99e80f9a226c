/*
 * rows.c - rows and strings of a Yay document under construction, and what the grammar's
 * actions make of lists of them.
 */
#include "runtime/text/nearest.h"
#include "yay_parse.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <stdarg.h>

void
yr_fail(yay_ctx *x, const char *type, yay_loc l, enum vc_code code, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (x->fault->type)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	*x->fault =
		(yay_fault){type, vc_strdup(x->c, text), NULL, l.from, l.to, l.line, l.col, code};
}

/* ---- tokens that do not fit ---- */

static const struct name {
	int kind;
	const char *name, *word;
} names[] = {
	{VALUE, "VALUE", NULL},
	{COLON, "COLON", NULL},
	{HYPHEN, "HYPHEN", NULL},
	{NEWLINE, "NEWLINE", NULL},
	{INDENT, "INDENT", NULL},
	{DEDENT, "DEDENT", NULL},
	{LDBRACE, "LDBRACE", NULL},
	{RDBRACE, "RDBRACE", NULL},
	{EMPTYDICT, "EMPTYDICT", NULL},
	{EMPTYLIST, "EMPTYLIST", NULL},
	{MULTILINE, "MULTILINE", NULL},
	{MULTILINE_END, "MULTILINE_END", NULL},
	{IDENTIFIER, "IDENTIFIER", NULL},
	{STRING, "STRING", NULL},
	{INTEGER, "INTEGER", NULL},
	{FLOAT, "FLOAT", NULL},
	{EXTEND, "EXTEND", "extend"},
	{INCLUDE, "INCLUDE", "include"},
	{SEARCH, "SEARCH", "search"},
	{NEW, "NEW", "new"},
	{PROTOTYPE, "PROTOTYPE", "prototype"},
	{FOR, "FOR", "for"},
	{SET, "SET", "set"},
	{IF, "IF", "if"},
	{ELIF, "ELIF", "elif"},
	{ELSE, "ELSE", "else"},
	{SELECT, "SELECT", "select"},
	{MACRO, "MACRO", "macro"},
	{CALL, "CALL", "call"},
	{CREATE, "CREATE", "create"},
	{CONFIGURE, "CONFIGURE", "configure"},
	{IMPORT, "INCLUDE", "import"},
	{AS, "AS", "as"},
	{IN, "IN", "in"},
	{AND, "AND", "and"},
	{OR, "OR", "or"},
	{NOT, "NOT", "not"},
	{IS, "IS", "is"},
	{LAMBDA, "LAMBDA", "lambda"},
	{EQ, "EQ", "=="},
	{NE, "NE", "!="},
	{LE, "LE", "<="},
	{GE, "GE", ">="},
	{SHL, "LSHIFT", "<<"},
	{SHR, "RSHIFT", ">>"},
	{POW, "POW", "**"},
	{FLOORDIV, "FLOORDIV", "//"},
	{'=', "=", "="},
	{':', ":", ":"},
	{',', ",", ","},
	{'.', ".", "."},
	{'(', "(", "("},
	{')', ")", ")"},
	{'[', "[", "["},
	{']', "]", "]"},
	{'{', "{", "{"},
	{'}', "}", "}"},
	{'+', "+", "+"},
	{'-', "-", "-"},
	{'*', "*", "*"},
	{'/', "/", "/"},
	{'%', "%", "%"},
	{'&', "&", "&"},
	{'|', "|", "|"},
	{'^', "^", "^"},
	{'~', "~", "~"},
	{'<', "<", "<"},
	{'>', ">", ">"},
	{'`', "`", "`"},
	{';', ";", ";"},
};

static const struct name *
name_of(int kind)
{
	for (size_t i = 0; i < VC_LEN(names); i++)
		if (names[i].kind == kind)
			return &names[i];
	return NULL;
}

const char *
yr_token_name(int kind)
{
	const struct name *n = name_of(kind);

	return n ? n->name : "BAD";
}

/* The directive that the token's line begins with, or what else. */
static int
line_kind(const yay_ctx *x, const yay_token *t)
{
	while (t > x->tok && t[-1].kind != NEWLINE && t[-1].kind != INDENT &&
		t[-1].kind != DEDENT && t[-1].kind != DOCUMENT_START)
		t--;
	return t->kind;
}

/* Is a bracket of that kind open before the token, on its line? */
static bool
is_open(const yay_ctx *x, const yay_token *t, int open, int close)
{
	int n = 0;

	for (; t > x->tok && t[-1].kind != NEWLINE; t--)
		n += (t[-1].kind == close) - (t[-1].kind == open);
	return n < 0;
}

static bool
is_text(const yay_token *t, const char *word)
{
	return t->text && t->n == strlen(word) && memcmp(t->text, word, t->n) == 0;
}

/* A directive with a slip in it is taken for a key without a colon too. */
static const char *
hint_of_directive(const yay_token *first)
{
	static const char *const names[] = {"include", "macro", "call", "select", "search", "for",
		"set", "elif", "else", "new"};
	static const char *const hints[] = {"did you mean include?", "did you mean macro?",
		"did you mean call?", "did you mean select?", "did you mean search?",
		"did you mean for?", "did you mean set?", "did you mean elif?",
		"did you mean else?", "did you mean new?"};
	char word[32] = "";
	const char *near;

	if (!first->text || first->n >= sizeof word)
		return NULL;
	memcpy(word, first->text, first->n);
	near = vt_nearest(word, names, VC_LEN(names));
	for (size_t i = 0; near && i < VC_LEN(names); i++)
		if (names[i] == near)
			return hints[i];
	return NULL;
}

/* Lines of other languages, whose first word is taken for a key without a colon. */
static const char *
hint_of_line(const yay_token *first, const yay_token *rest)
{
	static const struct {
		const char *word, *hint;
	} rows[] = {
		{"let", "it is written set NAME = EXPRESSION"},
		{"import", "it is written include \"FILE.yay\""},
		{"def", "a block with open names is written macro NAME: and used with call NAME:"},
		{"function",
			"a block with open names is written macro NAME: and used with call NAME:"},
		{"while", "the only loop is for NAME in LIST:"},
		{"foreach", "a loop is written for NAME in LIST:"},
		{"elsif", "it is written elif CONDITION:"},
		{"switch", "it is written select EXPRESSION: with a key for each case"},
		{"{%", "there are no {% %}: a directive has a line of its own, as if CONDITION:"},
	};

	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (is_text(first, rows[i].word))
			return rows[i].hint;
	if (rest->n > 1 && rest->text[0] == ' ' && rest->text[1] == '=')
		return "a key is written NAME: VALUE, and a name that is not in the result set "
		       "NAME = EXPRESSION";
	const char *hint = hint_of_directive(first);
	return hint ? hint : "a key has no blanks, and ': ' behind it";
}

/* Operators that Yay writes with words, and what is missing in an expression. */
static const char *
hint_in_expression(const yay_ctx *x, const yay_token *t)
{
	const yay_token *before = t > x->tok ? t - 1 : t;

	if ((t->kind == '}' || t->kind == RDBRACE || t->kind == NEWLINE) && is_open(x, t, '(', ')'))
		return "the ( before it is not closed";
	if ((t->kind == '}' || t->kind == RDBRACE || t->kind == NEWLINE) && is_open(x, t, '[', ']'))
		return "the [ before it is not closed";
	if (t->kind == '}')
		return "a template ends with }}";
	if (t->kind == '.' && before->kind == '.')
		return "the numbers from 1 to 3 are range(1, 4)";
	if (t->kind == BAD && t->n && *t->text == '?')
		return "it is written A if CONDITION else B";
	if (t->kind == BAD && t->n && *t->text == '$')
		return "a name stands there without a dollar";
	if (t->kind == BAD && t->n && *t->text == '!')
		return "it is written not CONDITION, and unequal is !=";
	if (t->kind == STRING && before->kind == IDENTIFIER)
		return "values stand in templates of the text itself: key: text {{ name }}";
	if ((t->kind == '&' || t->kind == '|') && before->kind == t->kind)
		return t->kind == '&' ? "it is written and" : "it is written or";
	if (t->kind == RDBRACE && is_open(x, t, IF, ELSE))
		return "A if CONDITION needs what else it is: A if CONDITION else B";
	return NULL;
}

static const char *
hint_of(const yay_ctx *x, const yay_token *t)
{
	const yay_token *before = t > x->tok ? t - 1 : t;
	const char *hint = hint_in_expression(x, t);

	if (hint)
		return hint;
	if (t->kind == '=')
		return "equality is ==";
	if (t->kind == '(' && line_kind(x, t) == MACRO)
		return "a macro names no parameters: in its block every name is known that a call "
		       "gives";
	if (t->kind == ELSE || t->kind == ELIF)
		return "it stands at the column of its if, right behind the block of that";
	if (t->kind == ':' && line_kind(x, t) == SET)
		return "it is written set NAME = EXPRESSION";

	if (t->kind == NEWLINE && before->kind == VALUE)
		return "a line is `key: value`, `- item` or a directive";
	if (t->kind == COLON && before->kind == VALUE && before->n > 0 && before->text[0] == '{')
		return "a mapping has no braces: each key stands on a line of its own, indented "
		       "below";
	if (t->kind == COLON && before->kind == VALUE)
		return "a value with ': ' in it stands between double quotes";
	if (t->kind == VALUE && before->kind == VALUE)
		return hint_of_line(before, t);
	if (t->kind == NEWLINE)
		return "something is missing at the end of this line, as the ':' of a directive or "
		       "a closing }}";
	if (t->kind == INDENT)
		return "only what follows a key, an item or a directive that ends with ':' is "
		       "indented";
	return NULL;
}

void
yr_unexpected(yay_ctx *x, const yay_token *t)
{
	const struct name *n = name_of(t->kind);
	int len = t->n > 60 ? 60 : (int)t->n;

	if (t->kind == NEWLINE)
		yr_fail(x, "EOLParseError", t->loc, VC_E3003, "Unexpected end of line");
	else if (t->kind == YAYY_EOF)
		yr_fail(x, "EOFParseError", t->loc, VC_E3003, "Unexpected end of file");
	else if (t->kind == ELSE && t > x->tok &&
		 (t[-1].kind == NEWLINE || t[-1].kind == DEDENT || t[-1].kind == DOCUMENT_START))
		yr_fail(x, "SyntaxError", t->loc, VC_E3002, "Unmatched else");
	else if (n && n->word)
		yr_fail(x, "UnexpectedSymbolError", t->loc, VC_E3002, "Unexpected '%s'", n->word);
	else if (t->kind == BAD)
		yr_fail(x, "UnexpectedSymbolError", t->loc, VC_E3002, "Unexpected '%.*s'", len,
			t->text);
	else {
		char low[32] = "";
		for (size_t i = 0; n && n->name[i] && i < sizeof low - 1; i++)
			low[i] = (char)(n->name[i] | 0x20);
		if (t->text)
			yr_fail(x, "UnexpectedSymbolError", t->loc, VC_E3002,
				"Unexpected %s ('%.*s')", low, len, t->text);
		else
			yr_fail(x, "UnexpectedSymbolError", t->loc, VC_E3002, "Unexpected %s", low);
	}
	x->fault->hint = (char *)(uintptr_t)hint_of(x, t);
}

/* ---- strings ---- */

static void
rehash(yay_ctx *x)
{
	uint32_t n = x->nhash ? 2 * x->nhash : 64;

	free(x->hash);
	x->hash = vt_xzalloc(n * sizeof *x->hash);
	x->nhash = n;
	for (uint32_t i = 1; i < x->nstrs; i++) {
		uint32_t len = x->str[i + 1] - x->str[i];
		uint32_t k = (uint32_t)vc_hash(x->c, x->chars + x->str[i], len) & (n - 1);
		while (x->hash[k])
			k = (k + 1) & (n - 1);
		x->hash[k] = i;
	}
}

/* Equal strings have one number; str has one offset more than there are strings. */
uint32_t
yr_str(yay_ctx *x, const char *s, size_t n)
{
	uint32_t k, i;

	if (2 * (x->nstrs + 1) > x->nhash)
		rehash(x);
	k = (uint32_t)vc_hash(x->c, s, n) & (x->nhash - 1);
	for (; (i = x->hash[k]); k = (k + 1) & (x->nhash - 1))
		if (x->str[i + 1] - x->str[i] == n && !memcmp(x->chars + x->str[i], s, n))
			return i;
	if (x->nstrs + 2 > x->capstrs)
		x->str = vt_xrealloc(x->str, (size_t)(x->capstrs *= 2) * sizeof *x->str);
	if (x->nchars + n + 1 > x->capchars) {
		while (x->nchars + n + 1 > x->capchars)
			x->capchars *= 2;
		x->chars = vt_xrealloc(x->chars, x->capchars);
	}
	memcpy(x->chars + x->nchars, s, n);
	x->nchars += (uint32_t)n;
	x->str[x->nstrs + 1] = x->nchars;
	return x->hash[k] = x->nstrs++;
}

/* ---- rows ---- */

uint32_t
yr_row(yay_ctx *x, enum vt_yay_kind kind, yay_loc l, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	uint32_t row = x->nrows, n = VT_YAY_HAS_D(kind) ? 2 : 1;
	uint32_t line = l.line < VT_YAY_MOST_LINE ? l.line : VT_YAY_MOST_LINE,
		 col = l.col < VT_YAY_MOST_COL ? l.col : VT_YAY_MOST_COL;

	if (row + n > x->caprows)
		x->row = vt_xrealloc(x->row, (size_t)(x->caprows *= 2) * sizeof *x->row);
	x->row[row] = (vt_yrow){.kind = kind & 127,
		.line = line & VT_YAY_MOST_LINE,
		.col = col & VT_YAY_MOST_COL,
		.a = a,
		.b = b,
		.c = c};
	if (n == 2)
		x->row[row + 1] = (vt_yrow){.kind = YAY_MORE,
			.line = line & VT_YAY_MOST_LINE,
			.col = col & VT_YAY_MOST_COL,
			.a = d};
	x->nrows += n;
	return row;
}

uint32_t
yr_op(yay_ctx *x, enum vt_yay_kind kind, yay_loc l, int op, uint32_t a, uint32_t b)
{
	uint32_t r = yr_row(x, kind, l, a, b, 0, 0);

	x->row[r].op = (uint8_t)op;
	return r;
}

uint32_t
yr_name(yay_ctx *x, enum vt_yay_kind kind, const yay_token *t)
{
	return yr_row(x, kind, t->loc, yr_str(x, t->text, t->n), 0, 0, 0);
}

yay_chain
yr_one(uint32_t row)
{
	return (yay_chain){row, row, 1};
}

/* row may be the head of a chain itself. */
yay_chain
yr_add(yay_ctx *x, yay_chain c, uint32_t row)
{
	if (!c.first)
		c.first = row;
	else
		x->row[c.last].next = row;
	for (c.last = row, c.n++; x->row[c.last].next; c.n++)
		c.last = x->row[c.last].next;
	return c;
}

static yay_loc
loc_of(const yay_ctx *x, uint32_t r)
{
	return (yay_loc){0, 0, x->row[r].line, x->row[r].col};
}

/* A MAP keeps its last entry in c while it grows, a LIST its last item. */
static yay_chain
join(yay_ctx *x, yay_chain c, enum vt_yay_kind kind, uint32_t row)
{
	if (c.last && x->row[c.last].kind == kind) {
		vt_yrow *m = &x->row[c.last];
		x->row[m->c].next = row;
		m->c = row;
		m->b++;
		return c;
	}
	return yr_add(x, c, yr_row(x, kind, loc_of(x, row), row, 1, row, 0));
}

yay_chain
yr_stanza(yay_ctx *x, yay_chain c, uint32_t row)
{
	if (x->row[row].kind == YAY_ENTRY)
		return join(x, c, YAY_MAP, row);
	if (x->row[row].kind == YAY_ITEM)
		return join(x, c, YAY_LIST, row);
	return yr_add(x, c, row);
}

/* The target's name of a SET, for lookups; several names are a chain of SETs that share the
 * expression. */
static uint32_t
define(yay_ctx *x, uint32_t last, uint32_t row)
{
	vt_yrow *r = &x->row[row], *t;

	if (r->kind == YAY_SET) {
		t = &x->row[r->a];
		if (t->kind != YAY_IDENT && t->kind != YAY_TUPLE)
			return last; /* an attribute: nothing to see */
		r->c = t->kind == YAY_IDENT ? t->a : 0;
	}
	if (last)
		VT_YAY_D(x->row[last]) = row;
	return row;
}

uint32_t
yr_body(yay_ctx *x, yay_loc l, yay_chain c)
{
	uint32_t first = 0, last = 0;

	for (uint32_t r = c.first; r; r = x->row[r].next) {
		uint8_t k = x->row[r].kind;
		if (k == YAY_SET || k == YAY_MACRO || k == YAY_PROTOTYPE) {
			last = define(x, last, r);
			if (!first)
				first = last;
		}
	}
	return yr_row(x, YAY_BODY, l, c.first, first, c.last, 0);
}

uint32_t
yr_scalar(yay_ctx *x, yay_loc l, yay_chain parts)
{
	return parts.n == 1 ? parts.first : yr_row(x, YAY_MERGED, l, parts.first, 0, 0, 0);
}

/* ---- blocks of text ---- */

static void
set_text(yay_ctx *x, uint32_t row, const char *s, size_t n)
{
	x->row[row].kind = YAY_TEXT;
	x->row[row].flag = YAY_BLOCK;
	x->row[row].a = yr_str(x, s, n);
}

uint32_t
yr_block(yay_ctx *x, yay_loc l, const yay_token *style, yay_chain parts)
{
	char how = style->n > 1 ? style->text[1] : 0;
	bool folded = style->text[0] == '>';

	for (uint32_t r = parts.first; r; r = x->row[r].next) {
		vt_yrow *p = &x->row[r];
		if (p->kind == YAY_TEXT)
			p->flag = YAY_BLOCK;
		if (p->kind != YAY_NONE)
			continue;
		size_t n = p->a ? p->a : 1;
		char *s = vc_alloc(x->c, n + 1);
		memset(s, folded ? ' ' : '\n', n);
		if (!p->next)
			n = folded || how == '-' ? 0 : how == '+' ? n : 1;
		set_text(x, r, s, n);
	}
	uint32_t r = yr_row(x, YAY_MERGED, l, parts.first, 0, 0, 0);
	x->row[r].flag = YAY_BLOCK;
	return r;
}

/* Errors of what a template holds point at its braces. */
uint32_t
yr_template(yay_ctx *x, yay_loc l, uint32_t expr)
{
	x->row[expr].line = l.line;
	x->row[expr].col = l.col;
	return expr;
}

/* ---- items and entries ---- */

uint32_t
yr_item(yay_ctx *x, yay_loc l, uint32_t value)
{
	x->row[value].line = l.line;
	x->row[value].col = l.col;
	return yr_row(x, YAY_ITEM, l, value, 0, 0, 0);
}

uint32_t
yr_item_map(yay_ctx *x, yay_loc l, uint32_t entry, yay_chain rest)
{
	yay_chain all = yr_stanza(x, (yay_chain){0, 0, 0}, entry);
	uint32_t next;

	for (uint32_t r = rest.first; r; r = next) {
		next = x->row[r].next;
		if (x->row[r].kind == YAY_MAP && x->row[all.last].kind == YAY_MAP) {
			x->row[x->row[all.last].c].next = x->row[r].a;
			x->row[all.last].b += x->row[r].b;
			x->row[all.last].c = x->row[r].c;
		} else {
			x->row[r].next = 0;
			all = yr_add(x, all, r);
		}
	}
	return yr_row(x, YAY_ITEM, l, yr_body(x, loc_of(x, entry), all), 0, 0, 0);
}

static bool
is_key(const yay_token *t, const char *name)
{
	return t->n == strlen(name) && !memcmp(t->text, name, t->n);
}

/* `.include:` and its plural are the oldest spelling of `include`. */
uint32_t
yr_entry(yay_ctx *x, yay_loc l, const yay_token *key, uint32_t value, int flag)
{
	uint32_t r;

	if (is_key(key, ".include") || is_key(key, ".includes") || is_key(key, ".search")) {
		r = yr_row(x, key->text[1] == 's' ? YAY_SEARCH : YAY_INCLUDE, l, value, 0, 0, 0);
		vc_push(x->c, x->old, x->nold) = (yay_old){
			key->loc.from, key->loc.to, key->text[1] == 's' ? "search" : "include"};
		flag = YAY_OLD;
	} else {
		r = yr_row(x, YAY_ENTRY, l, yr_str(x, key->text, key->n), value, 0, 0);
	}
	x->row[r].flag = (uint8_t)flag;
	return r;
}

/* `new X as name` is an entry whose value is a body with the `new`. */
uint32_t
yr_new(yay_ctx *x, yay_loc l, uint32_t expr, uint32_t body, uint32_t name)
{
	uint32_t r = yr_row(x, YAY_NEW, l, expr, body, name, 0);

	if (!name)
		return r;
	return yr_row(x, YAY_ENTRY, l, name, yr_body(x, l, yr_one(r)), 0, 0);
}

/* Several expressions, or one with a comma behind it, are a list. */
uint32_t
yr_tuple(yay_ctx *x, yay_loc l, yay_chain c, bool comma)
{
	return comma ? yr_row(x, YAY_TUPLE, l, c.first, 0, 0, 0) : c.first;
}

uint32_t
yr_slice(yay_ctx *x, yay_loc l, uint32_t of, uint32_t slice)
{
	x->row[slice].a = of;
	x->row[slice].line = l.line;
	x->row[slice].col = l.col;
	return slice;
}

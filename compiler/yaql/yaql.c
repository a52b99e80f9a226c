/*
 * yaql.c - YAQL expressions: the parse, the constructors of its tree, escapes, and the text forms.
 *
 * No function here recurses on its input without a bound: a tree deeper than c->limit.max_depth is
 * never made, so walkers of yq_node may recurse.  Each node is allocated with its depth behind it.
 */
#include "compiler/yaql/int.h"
#include "yaql_parse.h"

#include <stdlib.h>
#include <ctype.h>
#include <string.h>

/* ---- errors ---- */

uint32_t
yq_points(const char *s, size_t n)
{
	uint32_t points = 0;

	for (size_t i = 0; i < n; i++)
		points += ((unsigned char)s[i] & 0xc0) != 0x80;
	return points;
}

void
yq_fail(yq_ctx *x, uint32_t at, const char *value, const char *message)
{
	if (x->failed)
		return;
	x->failed = true;
	*x->err = (yq_error){.at = at, .value = value, .message = (char *)message};
}

void
yq_fail_depth(yq_ctx *x, uint32_t at)
{
	yq_fail(x, at, NULL,
		vc_format(x->c,
			"Parse error: expression is nested deeper than %u levels at position %u",
			x->c->limit.max_depth, yq_points(x->text, at)));
}

/* A number as Python prints its value: no leading zeros, and repr() of a float of up to 15
 * digits. */
static char *
shown_number(yq_ctx *x)
{
	const char *s = x->tok.text, *dot = memchr(s, '.', x->tok.n);
	size_t whole, n = x->tok.n;

	while (n > 1 && *s == '0' && s[1] != '.')
		s++, n--;
	if (!dot)
		return vc_strndup(x->c, s, n);
	whole = (size_t)(dot - s);
	while (n > whole + 2 && s[n - 1] == '0')
		n--;
	return vc_strndup(x->c, s, n);
}

static const char *
shown_token(yq_ctx *x)
{
	switch (x->kind) {
	case NUMBER: return shown_number(x);
	case TRUE: return "True";
	case FALSE: return "False";
	case NULLCONST: return "None";
	case DOLLAR: return vc_format(x->c, "$%.*s", (int)x->tok.n, x->tok.text);
	default: return vc_strndup(x->c, x->tok.text, x->tok.n);
	}
}

void
yq_fail_token(yq_ctx *x)
{
	const char *shown;

	if (x->kind == YQY_EOF) {
		yq_fail(x, (uint32_t)x->n, NULL,
			vc_strdup(x->c, "Parse error: unexpected end of statement"));
		return;
	}
	shown = shown_token(x);
	yq_fail(x, x->tok.at, shown,
		vc_format(x->c, "Parse error: unexpected '%s' at position %u of expression '%s'",
			shown, yq_points(x->text, x->tok.at), x->text));
}

/* ---- UTF-8 and strings ---- */

uint32_t
yq_decode(const unsigned char *p, const unsigned char *lim, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t n, v;

	if (p >= lim)
		return 0;
	if (*p < 0x80) {
		*cp = *p;
		return 1;
	}
	n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	if (*p < 0xc2 || *p > 0xf4 || (size_t)(lim - p) < n)
		return 0;
	v = *p & (0x7fu >> n);
	for (uint32_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 0;
	*cp = v;
	return n;
}

static char *
encode(char *out, uint32_t cp)
{
	if (cp < 0x80) {
		*out++ = (char)cp;
	} else if (cp < 0x800) {
		*out++ = (char)(0xc0 | cp >> 6);
		*out++ = (char)(0x80 | (cp & 0x3f));
	} else {
		if (cp < 0x10000) {
			*out++ = (char)(0xe0 | cp >> 12);
		} else {
			*out++ = (char)(0xf0 | cp >> 18);
			*out++ = (char)(0x80 | (cp >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (cp >> 6 & 0x3f));
		*out++ = (char)(0x80 | (cp & 0x3f));
	}
	return out;
}

/* One string's decoding. p stands at a backslash when an escape is tried. */
typedef struct escape {
	yq_ctx *x;
	const char *body, *p, *end;
	uint32_t at;
	char *out;
} escape;

/* Python's words; `to` is the last byte of the escape that its codec looked at. */
static bool
bad_escape(escape *e, size_t to, const char *why)
{
	yq_fail(e->x, e->at + (uint32_t)(e->p - e->body), NULL,
		vc_format(e->x->c, "'unicodeescape' codec can't decode bytes in position 0-%zu: %s",
			to, why));
	e->x->err->lexical = e->x->err->escape = true;
	return false;
}

/* `width` characters other than a newline follow the letter: only then it is an escape at all. */
static bool
has_chars(const escape *e, int width)
{
	const char *p = e->p + 2;

	for (; width > 0 && p < e->end && *p != '\n'; width--)
		do
			p++;
		while (p < e->end && ((unsigned char)*p & 0xc0) == 0x80);
	return width == 0;
}

static int
read_hex(const char *p, int width, uint32_t *cp)
{
	int i = 0;

	for (*cp = 0; i < width && vt_hex_digit(p[i]) >= 0; i++)
		*cp = *cp << 4 | (uint32_t)vt_hex_digit(p[i]);
	return i;
}

/* UTF-8 holds no half of a surrogate pair: two halves become their character, a lone one is
 * refused. */
static bool
join_surrogates(escape *e, uint32_t *cp)
{
	uint32_t low;

	if (*cp < 0xd800 || *cp > 0xdfff)
		return true;
	if (*cp > 0xdbff || e->end - e->p < 12 || e->p[6] != '\\' || e->p[7] != 'u' ||
		read_hex(e->p + 8, 4, &low) != 4 || low < 0xdc00 || low > 0xdfff)
		return bad_escape(e, 5, "a lone surrogate is no character");
	*cp = 0x10000 + ((*cp - 0xd800) << 10 | (low - 0xdc00));
	e->p += 6;
	return true;
}

static bool
hex_escape(escape *e, int width)
{
	static const char *const truncated[] = {
		[2] = "truncated \\xXX escape",
		[4] = "truncated \\uXXXX escape",
		[8] = "truncated \\UXXXXXXXX escape",
	};
	uint32_t cp;
	int n = read_hex(e->p + 2, width, &cp);

	if (n < width)
		return bad_escape(e, (size_t)n + 1, truncated[width]);
	if (cp > 0x10ffff)
		return bad_escape(e, 9, "illegal Unicode character");
	if (width == 8 && cp >= 0xd800 && cp < 0xe000)
		return bad_escape(e, 9, "a lone surrogate is no character");
	if (!join_surrogates(e, &cp))
		return false;
	e->p += 2 + width;
	e->out = encode(e->out, cp);
	return true;
}

static bool
name_escape(escape *e, const char *close)
{
	const char *name = e->p + 3;
	uint32_t cp;

	if (!yq_uniname(name, (size_t)(close - name), &cp))
		return bad_escape(e, (size_t)(close - e->p), "unknown Unicode character name");
	e->p = close + 1;
	e->out = encode(e->out, cp);
	return true;
}

static bool
octal_escape(escape *e)
{
	uint32_t cp = 0;
	const char *p = e->p + 1, *end = e->end - p > 3 ? p + 3 : e->end;

	while (p < end && *p >= '0' && *p <= '7')
		cp = cp << 3 | (uint32_t)(*p++ - '0');
	e->p = p;
	e->out = encode(e->out, cp);
	return true;
}

/* What is no escape stays as it is written, backslash and all. */
static bool
one_escape(escape *e)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	char ch = e->p[1];
	int width = ch == 'U' ? 8 : ch == 'u' ? 4 : ch == 'x' ? 2 : 0;
	const char *found, *close;

	if (width && has_chars(e, width))
		return hex_escape(e, width);
	if (ch >= '0' && ch <= '7')
		return octal_escape(e);
	if (ch == 'N' && e->end - e->p > 4 && e->p[2] == '{' && e->p[3] != '}' &&
		(close = memchr(e->p, '}', (size_t)(e->end - e->p))))
		return name_escape(e, close);
	if (ch && (found = strchr(from, ch))) {
		*e->out++ = to[found - from];
		e->p += 2;
		return true;
	}
	*e->out++ = *e->p++;
	return true;
}

/* Every escape is at least as long as what it stands for, so n bytes suffice. */
const char *
yq_unescape(yq_ctx *x, const char *body, size_t n, uint32_t at, uint32_t *out_n)
{
	char *out = vc_alloc(x->c, n + 1);
	escape e = {x, body, body, body + n, at, out};

	while (e.p < e.end)
		if (*e.p != '\\')
			*e.out++ = *e.p++;
		else if (!one_escape(&e))
			return NULL;
	*out_n = (uint32_t)(e.out - out);
	return out;
}

const char *
yq_verbatim(yq_ctx *x, const char *body, size_t n, uint32_t *out_n)
{
	char *out = vc_alloc(x->c, n + 1), *o = out;

	for (size_t i = 0; i < n; i++) {
		if (body[i] == '\\' && i + 1 < n && body[i + 1] == '`')
			i++;
		*o++ = body[i];
	}
	*out_n = (uint32_t)(o - out);
	return out;
}

/* ---- constructors ---- */

typedef struct deep_node {
	yq_node node;
	uint32_t depth;
} deep_node;

static uint32_t
depth_of(const yq_node *n)
{
	return ((const deep_node *)n)->depth;
}

yq_node *
yq_branch(yq_ctx *x, enum yq_kind kind, yq_loc loc, yq_tok tok, yq_vec kids)
{
	deep_node *d;
	uint32_t depth = 0;

	for (uint32_t i = 0; i < kids.n; i++)
		if (depth_of(kids.v[i]) > depth)
			depth = depth_of(kids.v[i]);
	if (depth >= x->c->limit.max_depth) {
		yq_fail_depth(x, loc.from);
		return NULL;
	}
	d = vc_alloc(x->c, sizeof *d);
	d->depth = depth + 1;
	d->node = (yq_node){
		.kind = (uint8_t)kind,
		.is_float = tok.is_float,
		.from = loc.from,
		.to = loc.to,
		.op_at = tok.at,
		.text = tok.text ? vc_strndup(x->c, tok.text, tok.n) : "",
		.ntext = tok.n,
		.kid = kids.v,
		.n = kids.n,
	};
	return &d->node;
}

yq_node *
yq_leaf(yq_ctx *x, enum yq_kind kind, yq_loc loc, yq_tok tok)
{
	return yq_branch(x, kind, loc, tok, (yq_vec){NULL, 0});
}

yq_node *
yq_binary(yq_ctx *x, yq_loc loc, yq_tok op, yq_node *a, yq_node *b)
{
	return yq_branch(x, YQ_BINARY, loc, op, yq_add(x, yq_vec1(x, a), b));
}

yq_node *
yq_unary(yq_ctx *x, yq_loc loc, yq_tok op, yq_node *a)
{
	return yq_branch(x, YQ_UNARY, loc, op, yq_vec1(x, a));
}

yq_node *
yq_pair(yq_ctx *x, yq_loc loc, yq_tok op, yq_node *key, yq_node *value)
{
	return yq_branch(x, YQ_MAPPING, loc, op, yq_add(x, yq_vec1(x, key), value));
}

yq_node *
yq_wrap(yq_ctx *x, yq_loc loc, yq_node *a)
{
	return yq_branch(x, YQ_WRAP, loc, (yq_tok){.at = loc.from}, yq_vec1(x, a));
}

yq_vec
yq_add(yq_ctx *x, yq_vec vec, yq_node *node)
{
	vc_push(x->c, vec.v, vec.n) = node;
	return vec;
}

yq_vec
yq_vec1(yq_ctx *x, yq_node *node)
{
	return yq_add(x, (yq_vec){NULL, 0}, node);
}

yq_vec
yq_skip(yq_ctx *x, yq_vec vec, uint32_t holes, uint32_t at)
{
	for (uint32_t i = 0; i < holes; i++)
		vec = yq_add(x, vec, yq_leaf(x, YQ_EMPTY, (yq_loc){at, at}, (yq_tok){.at = at}));
	return vec;
}

yq_vec
yq_join(yq_ctx *x, yq_vec a, yq_vec b)
{
	for (uint32_t i = 0; i < b.n; i++)
		a = yq_add(x, a, b.v[i]);
	return a;
}

yq_vec
yq_front(yq_ctx *x, yq_node *first, yq_vec rest)
{
	return yq_join(x, yq_vec1(x, first), rest);
}

/* ---- the parse ---- */

void
yq_ctx_init(yq_ctx *x, vc *c, const char *text, size_t n, unsigned flags, yq_error *err)
{
	*x = (yq_ctx){.c = c, .text = vc_strndup(c, text, n), .n = n, .flags = flags, .err = err};
	*err = (yq_error){.message = NULL};
	x->cur = (const unsigned char *)x->text;
	x->lim = x->cur + n;
}

yq_node *
yq_parse(vc *c, const char *text, size_t n, unsigned flags, yq_error *err)
{
	return yq_parse_with(c, text, n, flags, NULL, err);
}

yq_node *
yq_parse_with(
	vc *c, const char *text, size_t n, unsigned flags, const yq_operators *table, yq_error *err)
{
	yq_ctx x;

	if (n > c->limit.max_file) {
		*err = (yq_error){
			.message = vc_format(c, "Parse error: expression is longer than %zu bytes",
				c->limit.max_file)};
		return NULL;
	}
	yq_ctx_init(&x, c, text, n, flags, err);
	if (table != NULL)
		return yq_parse_own(&x, table);
	if (yqy_parse(&x) != 0 || x.failed)
		return NULL;
	return x.result;
}

const yq_node *
yq_unwrap(const yq_node *e)
{
	while (e->kind == YQ_WRAP && e->n == 1)
		e = e->kid[0];
	return e;
}

/* ---- text forms ---- */

static void
put_kids(vt_buf *b, const char *head, const yq_node *n, bool text)
{
	vt_buf_printf(b, "(%s", head);
	if (text) {
		vt_buf_puts(b, " ");
		vt_buf_put(b, n->text, n->ntext);
	}
	for (uint32_t i = 0; i < n->n; i++) {
		vt_buf_puts(b, " ");
		yq_dump(b, n->kid[i]);
	}
	vt_buf_puts(b, ")");
}

/* Recursion is bounded by the depth limit of the parse. */
void
yq_dump(vt_buf *b, const yq_node *n)
{
	switch ((enum yq_kind)n->kind) {
	case YQ_NULL: vt_buf_puts(b, "null"); return;
	case YQ_TRUE: vt_buf_puts(b, "true"); return;
	case YQ_FALSE: vt_buf_puts(b, "false"); return;
	case YQ_NUMBER: vt_buf_put(b, n->text, n->ntext); return;
	case YQ_STRING: vc_put_quoted(b, n->text, n->ntext); return;
	case YQ_KEYWORD: put_kids(b, "keyword", n, true); return;
	case YQ_VAR:
		vt_buf_puts(b, "$");
		vt_buf_put(b, n->text, n->ntext);
		return;
	case YQ_CALL: put_kids(b, "call", n, true); return;
	case YQ_INVOKE: put_kids(b, "invoke", n, false); return;
	case YQ_BINARY: put_kids(b, "binary", n, true); return;
	case YQ_UNARY: put_kids(b, "unary", n, true); return;
	case YQ_INDEX: put_kids(b, "index", n, false); return;
	case YQ_LIST: put_kids(b, "list", n, false); return;
	case YQ_MAP: put_kids(b, "map", n, false); return;
	case YQ_MAPPING: put_kids(b, "=>", n, false); return;
	case YQ_WRAP: put_kids(b, "wrap", n, false); return;
	case YQ_EMPTY: vt_buf_puts(b, "empty"); return;
	case YQ_ERROR: vt_buf_puts(b, "error"); return;
	}
}

static const char *
token_name(const yq_ctx *x)
{
	switch (x->kind) {
	case STRING: return "string";
	case NUMBER: return x->tok.is_float ? "float" : "integer";
	case TRUE:
	case FALSE:
	case NULLCONST: return "constant";
	case KEYWORD: return "keyword";
	case DOLLAR: return "variable";
	case FUNC: return "function";
	case MAPPING: return "mapping";
	case SEND:
	case ARROW:
	case OR:
	case AND:
	case NOT:
	case COMPARE:
	case ADD:
	case MULTIPLY:
	case MATCH:
	case DOT:
	case COLON: return "operator";
	default: return "punctuation";
	}
}

yq_node *
yq_parse_source(vc *c, vc_source *src)
{
	bool marked = src->n >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0;
	uint32_t from = marked ? 3 : 0, at, n = (uint32_t)src->n;
	yq_error e = {0};
	yq_node *tree = yq_parse(c, src->text + from, src->n - from, 0, &e);

	if (tree)
		return tree;
	at = e.at < n - from ? from + e.at : n;
	vc_report(c, e.lexical ? VC_E0301 : VC_E0302, (vc_span){src, at, at + (at < n)}, "%s",
		e.message);
	return NULL;
}

/* Of the token that x has; -1: it is punctuation, or text where no word is meant. */
static int
token_of(const yq_ctx *x, bool behind_dot)
{
	char first = x->text[x->loc.from];
	bool word = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');

	switch (x->kind) {
	case STRING: return YQ_T_STRING;
	case NUMBER: return YQ_T_NUMBER;
	case DOLLAR: return YQ_T_VARIABLE;
	case FUNC: return behind_dot ? YQ_T_METHOD : YQ_T_FUNCTION;
	case KEYWORD: return behind_dot ? YQ_T_MEMBER : -1;
	case TRUE:
	case FALSE:
	case NULLCONST:
	case OR:
	case AND:
	case NOT: return YQ_T_WORD;
	case COMPARE:
	case ADD:
	case MULTIPLY:
	case MATCH:
	case MAPPING:
	case SEND:
	case ARROW: return word ? YQ_T_WORD : YQ_T_OPERATOR;
	default: return -1;
	}
}

void
yq_each_token(vc *c, const char *text, size_t n, unsigned flags, yq_token_fn *each, void *ctx)
{
	char *own = vc_strndup(c, text, n);
	bool dot = false;
	yq_error err;
	yq_ctx x;

	for (yq_ctx_init(&x, c, own, n, flags, &err); yq_lex(&x) > 0; dot = x.kind == DOT) {
		int token = token_of(&x, dot);
		if (token >= 0)
			each(ctx, (enum yq_token)token, x.loc.from, x.loc.to - (x.kind == FUNC));
	}
}

void
yq_tokens(vc *c, vt_buf *b, const char *text, size_t n, unsigned flags)
{
	yq_error err;
	yq_ctx x;
	int kind;

	yq_ctx_init(&x, c, text, n, flags, &err);
	while ((kind = yq_lex(&x)) > 0) {
		vt_buf_printf(b, "%u-%u\t%s\t", x.loc.from, x.loc.to, token_name(&x));
		vc_put_quoted(b, x.tok.text, x.tok.n);
		vt_buf_puts(b, "\n");
	}
	if (kind < 0)
		vt_buf_printf(b, "%u\terror\t%s\n", err.at, err.message);
}

static bool
is_word_byte(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '.';
}

const char *
yq_bare_name(vc *c, const char *text, size_t n, size_t at)
{
	static const char *const constants[] = {"null.", "true.", "false."};
	size_t from = at, to = at;

	if (at > n)
		return NULL;
	while (to < n && is_word_byte(text[to]))
		to++;
	while (from > 0 && is_word_byte(text[from - 1]))
		from--;
	while (to > from && text[to - 1] == '.')
		to--;
	if (from == to || !isalpha((unsigned char)text[from]) ||
		!memchr(text + from, '.', to - from) || (to < n && strchr("([", text[to])) ||
		(from > 0 && strchr("$)]}\"'`", text[from - 1])))
		return NULL;
	for (size_t i = 0; i < VC_LEN(constants); i++)
		if (strncmp(text + from, constants[i], strlen(constants[i])) == 0)
			return NULL;
	return vc_strndup(c, text + from, to - from);
}

/*
 * spot.c - the way from the top of a YAML text to a place in it.
 *
 * The text is read from its beginning, line by line and by indentation, since it is often broken
 * where one types.  What the parser would refuse is taken as it looks.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"

#include <string.h>

enum kind { BLOCK_MAP, BLOCK_LIST, FLOW_MAP, FLOW_LIST };
typedef struct level {
	enum kind kind;
	size_t column;  /* of a block */
	size_t key, to; /* its text; to is 0: none yet */
	uint32_t index; /* of a list */
	bool pair;      /* a map of one key in a list, [key: value], without brackets of its own */
} level;

typedef struct scan {
	const char *text;
	size_t n, at; /* at: the place */
	size_t i, line;
	level level[LSP_DEEP];
	uint32_t depth;
	size_t literal; /* column that the lines of a block text stand behind; SIZE_MAX: none */
	size_t scalar;
	size_t plain; /* where a text without quotes began, which may go on; SIZE_MAX: none did */
	bool key, comment, deep;
	bool inside; /* of quotes or brackets that go over several lines */
} scan;

static size_t
column(const scan *s)
{
	return s->i - s->line;
}

static bool
is_end(const scan *s, size_t i)
{
	return i >= s->n || s->text[i] == '\n' || s->text[i] == '\r';
}

static bool
is_gap(const scan *s, size_t i)
{
	return is_end(s, i) || s->text[i] == ' ' || s->text[i] == '\t';
}

static void
skip_blanks(scan *s)
{
	while (s->i < s->at && (s->text[s->i] == ' ' || s->text[s->i] == '\t'))
		s->i++;
}

static void
push(scan *s, level l)
{
	if (s->depth == LSP_DEEP)
		s->deep = true;
	else
		s->level[s->depth++] = l;
}

/* What a line at that column ends. `item`: it begins with a dash, so a list there goes on. */
static void
leave(scan *s, size_t col, bool item)
{
	while (s->depth > 0) {
		const level *l = &s->level[s->depth - 1];
		if (l->column < col || (item && l->column == col))
			break;
		s->depth--;
	}
	/* a list may stand at the column of its key: the key stays, for it is its value */
}

/* ---- values ---- */

/* Brackets and quotes that nobody has closed end where a line stands no deeper than the block that
 * they are in. */
static bool
is_left_open(const scan *s)
{
	uint32_t base = s->depth;
	size_t i = s->i + 1;

	while (base > 0 && s->level[base - 1].kind >= FLOW_MAP)
		base--;
	if (base == 0 || s->text[s->i] != '\n')
		return false;
	i += strspn(s->text + i, " ");
	return i < s->n && !strchr("\r\n#]}", s->text[i]) &&
	       i - s->i - 1 <= s->level[base - 1].column;
}

/* From a quote to behind the other one, or to the place. */
static void
pass_quoted(scan *s)
{
	char quote = s->text[s->i++];

	s->scalar = s->i;
	while (s->i < s->at && !is_left_open(s)) {
		char ch = s->text[s->i++];
		if (ch == '\\' && quote == '"' && s->i < s->at)
			s->i++;
		else if (ch == quote && quote == '\'' && s->i < s->at && s->text[s->i] == '\'')
			s->i++;
		else if (ch == quote)
			return;
	}
	s->inside = s->i == s->at;
}

static bool
in_flow(const scan *s)
{
	return s->depth > 0 && s->level[s->depth - 1].kind >= FLOW_MAP;
}

static bool
is_flow_key_end(const scan *s)
{
	return s->text[s->i] == ':' && in_flow(s) && !s->level[s->depth - 1].to &&
	       (is_gap(s, s->i + 1) || strchr(",[]{}", s->text[s->i + 1]) ||
		       (s->i > 0 && strchr("\"'", s->text[s->i - 1])));
}

/* In a list a key begins a map, which ends with the item. */
static void
end_flow_key(scan *s, size_t from)
{
	if (s->level[s->depth - 1].kind == FLOW_LIST)
		push(s, (level){.kind = FLOW_MAP, .column = SIZE_MAX, .pair = true});
	level *l = &s->level[s->depth - 1];

	l->key = from;
	l->to = s->i;
	while (l->to > l->key && s->text[l->to - 1] == ' ')
		l->to--;
}

static void
leave_pair(scan *s)
{
	s->depth -= s->level[s->depth - 1].pair;
}

/* Brackets to their end, or to the place. */
static void
pass_flow(scan *s)
{
	size_t token = SIZE_MAX;
	uint32_t base = s->depth;

	while (s->i < s->at && !s->deep) {
		char ch = s->text[s->i];
		if (is_left_open(s)) {
			s->depth = base;
			return;
		}
		if (ch == '{' || ch == '[') {
			push(s, (level){.kind = ch == '{' ? FLOW_MAP : FLOW_LIST,
					.column = SIZE_MAX});
			token = SIZE_MAX;
		} else if (ch == '}' || ch == ']') {
			leave_pair(s);
			s->depth--;
			token = SIZE_MAX;
		} else if (ch == ',' || is_flow_key_end(s)) {
			if (ch == ':') {
				end_flow_key(s, token == SIZE_MAX ? s->i : token);
			} else {
				leave_pair(s);
				s->level[s->depth - 1].to = 0, s->level[s->depth - 1].index++;
			}
			token = SIZE_MAX;
		} else if (ch == '"' || ch == '\'') {
			if (token == SIZE_MAX) {
				token = s->i;
				pass_quoted(s);
				continue;
			}
		} else if (ch == '#' && s->i > 0 && is_gap(s, s->i - 1)) {
			while (s->i < s->at && !is_end(s, s->i))
				s->i++;
			s->comment = s->i == s->at && !is_end(s, s->i);
			continue;
		} else if (!is_gap(s, s->i) && token == SIZE_MAX) {
			token = s->scalar = s->i;
		}
		s->i++;
		if (s->depth == base)
			return;
	}
	s->inside = true;
	if (token == SIZE_MAX)
		s->scalar = s->i;
}

/* `|` or `>` with what may follow it: the lines below are text. */
static bool
opens_literal(const scan *s)
{
	size_t i = s->i + 1;

	if (s->text[s->i] != '|' && s->text[s->i] != '>')
		return false;
	while (i < s->n && strchr("+-0123456789", s->text[i]) && s->text[i])
		i++;
	while (i < s->n && (s->text[i] == ' ' || s->text[i] == '\t'))
		i++;
	return is_end(s, i) || s->text[i] == '#';
}

/* Behind a key or a dash, to the end of the line. */
static void
pass_value(scan *s, size_t col)
{
	skip_blanks(s);
	s->scalar = s->i;
	while (s->i < s->at && strchr("&!", s->text[s->i]) && s->text[s->i]) { /* anchor, tag */
		while (s->i < s->at && !is_gap(s, s->i))
			s->i++;
		skip_blanks(s);
		s->scalar = s->i;
	}
	if (s->i < s->n && s->i < s->at && opens_literal(s))
		s->literal = col;
	else if (s->i < s->at && strchr("{[", s->text[s->i]))
		pass_flow(s);
	else if (s->i < s->at && strchr("\"'", s->text[s->i]))
		pass_quoted(s);
	else if (!is_end(s, s->i) && s->text[s->i] != '#')
		s->plain = s->i;
	while (s->i < s->at && !is_end(s, s->i)) {
		if (s->text[s->i] == '#' && is_gap(s, s->i - 1))
			s->comment = true;
		s->i++;
	}
	s->comment &= s->i == s->at;
}

/* ---- lines ---- */

/* Where a key ends that begins at i: its colon; SIZE_MAX: none does. */
static size_t
key_end(const scan *s, size_t i)
{
	if (i < s->n && strchr("\"'", s->text[i])) {
		char quote = s->text[i++];
		while (!is_end(s, i) && s->text[i] != quote)
			i++;
		i += !is_end(s, i);
	} else if (i < s->n && strchr("{[#&!|>", s->text[i])) {
		return SIZE_MAX;
	}
	for (; !is_end(s, i); i++) {
		if (s->text[i] == ':' && is_gap(s, i + 1))
			return i;
		if (s->text[i] == '#' && is_gap(s, i - 1))
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

/* `- ` as often as it stands there; true: the place is reached. */
static bool
pass_dashes(scan *s)
{
	while (s->i < s->at && s->text[s->i] == '-' && is_gap(s, s->i + 1)) {
		size_t col = column(s);
		s->plain = SIZE_MAX;
		leave(s, col, true);
		level *l = s->depth ? &s->level[s->depth - 1] : NULL;
		if (l && l->kind == BLOCK_LIST && l->column == col)
			l->index++;
		else
			push(s, (level){.kind = BLOCK_LIST, .column = col});
		s->i++;
		skip_blanks(s);
	}
	return s->i >= s->at;
}

static void
pass_content(scan *s)
{
	size_t col = column(s), end = key_end(s, s->i);

	s->scalar = s->i;
	if (end == SIZE_MAX && s->i < s->at && s->plain != SIZE_MAX && s->depth &&
		col > s->level[s->depth - 1].column) { /* the text above goes on */
		s->scalar = s->plain;
		while (s->i < s->at && !is_end(s, s->i))
			s->i++;
		return;
	}
	s->plain = SIZE_MAX;
	if (end == SIZE_MAX && s->i < s->at) {
		if (!strchr("{[\"'&!|>#", s->text[s->i]))
			s->plain = s->i;
		if (strchr("{[\"'&!|>#", s->text[s->i]))
			pass_value(s, s->depth ? s->level[s->depth - 1].column : 0);
		while (s->i < s->at && !is_end(s, s->i))
			s->i++;
		if (s->i == s->at && !in_flow(s)) {
			leave(s, col, false);
			s->key = true;
		}
		return;
	}
	leave(s, col, false);
	if (end == SIZE_MAX || s->at <= end) {
		s->key = true;
		s->i = s->at;
		return;
	}
	push(s, (level){.kind = BLOCK_MAP, .column = col, .key = s->i, .to = end});
	s->i = end + 1;
	pass_value(s, col);
}

static void
next_line(scan *s)
{
	while (s->i < s->at && s->text[s->i] != '\n')
		s->i++;
	if (s->i < s->at)
		s->line = ++s->i;
}

static bool
is_mark(const scan *s)
{
	return s->n - s->i >= 3 && is_gap(s, s->i + 3) &&
	       (!memcmp(s->text + s->i, "---", 3) || !memcmp(s->text + s->i, "...", 3));
}

static void
pass_line(scan *s)
{
	if (is_mark(s)) {
		s->depth = 0;
		s->literal = SIZE_MAX;
		return;
	}
	skip_blanks(s);
	s->scalar = s->i;
	if (s->i == s->at) { /* nothing stands there yet, or the place is before it */
		if (s->literal != SIZE_MAX && column(s) > s->literal)
			return;
		leave(s, column(s), false);
		s->key = true;
		return;
	}
	if (is_end(s, s->i))
		return;
	if (s->literal != SIZE_MAX && column(s) > s->literal) {
		while (s->i < s->at && !is_end(s, s->i))
			s->i++;
		return;
	}
	s->literal = SIZE_MAX;
	if (s->text[s->i] == '#') {
		while (s->i < s->at && !is_end(s, s->i))
			s->i++;
		s->comment = s->i == s->at;
		return;
	}
	if (pass_dashes(s)) {
		s->key = true;
		s->scalar = s->i;
		return;
	}
	pass_content(s);
}

/* ---- the answer ---- */

static bool
is_long_word(const char *text, size_t i)
{
	return lsp_is_word(text[i]) || (text[i] && strchr("-.$/", text[i])) ||
	       (text[i] == ':' && text[i + 1] && !strchr(" \t\r\n,]}", text[i + 1]));
}

static void
find_word(lsp_spot *p)
{
	const char *text = p->d->text;

	p->from = p->to = p->at;
	while (p->from > p->line && is_long_word(text, p->from - 1))
		p->from--;
	while (p->to < p->d->n && is_long_word(text, p->to))
		p->to++;
	if (p->from < p->scalar && p->scalar <= p->at)
		p->from = p->scalar;
	while (p->to > p->at && text[p->to - 1] == '.')
		p->to--;
}

/* A key without its quotes. */
static const char *
key_text(vc *c, const scan *s, const level *l)
{
	size_t from = l->key, to = l->to;

	while (to > from && s->text[to - 1] == ' ')
		to--;
	if (to - from >= 2 && strchr("\"'", s->text[from]) && s->text[to - 1] == s->text[from])
		from++, to--;
	return vc_strndup(c, s->text + from, to - from);
}

bool
lsp_spot_at(lsp_worker *w, const lsp_document *d, size_t at, lsp_spot *p)
{
	scan s = {.text = d->text, .n = d->n, .at = at, .literal = SIZE_MAX, .plain = SIZE_MAX};

	*p = (lsp_spot){.w = w, .d = d, .at = at};
	while (s.i < s.at && !s.deep) {
		pass_line(&s);
		if (s.i < s.at)
			next_line(&s);
		if (s.i == s.at && s.i > 0 && s.text[s.i - 1] == '\n' && !s.inside)
			pass_line(&s);
	}
	s.key |= at == 0;
	for (uint32_t i = 0, k = 0; i < s.depth && !s.deep; i++) {
		const level *l = &s.level[i];
		if (l->kind >= FLOW_MAP && !l->pair)
			memmove(p->close + 1, p->close, k++);
		if (l->kind >= FLOW_MAP && !l->pair)
			p->close[0] = l->kind == FLOW_MAP ? '}' : ']';
		bool list = l->kind == BLOCK_LIST || l->kind == FLOW_LIST;
		if (l->kind == FLOW_MAP && !l->to)
			p->key = i + 1 == s.depth;
		else
			p->step[p->n++] = (lsp_step){
				list ? NULL : key_text(w->c, &s, l), list ? l->index : 0};
	}
	p->key |= s.key;
	p->comment = s.comment;
	p->scalar = s.scalar < at ? s.scalar : at;
	p->line = at;
	while (p->line > 0 && d->text[p->line - 1] != '\n')
		p->line--;
	find_word(p);
	return !s.deep;
}

const char *
lsp_step_key(const lsp_spot *p, uint32_t from_end)
{
	return from_end <= p->n ? p->step[p->n - from_end].key : NULL;
}

const char *
lsp_spot_word(const lsp_spot *p)
{
	return vc_strndup(p->w->c, p->d->text + p->from, p->to - p->from);
}

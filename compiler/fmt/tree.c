/*
 * tree.c - YAML with what means nothing to it: comments, empty lines, where a line ends.
 *
 * libyaml's events say what there is and where it stands; between them are blanks, line ends,
 * comments and indicators (- ? : , and brackets) only, which are walked over here.  A comment
 * belongs to what follows it, or to the collection whose items stand where it stands.
 */
#define _GNU_SOURCE /* strchrnul */
#include "compiler/fmt/int.h"
#include "compiler/yaml/yaml.h"

#include <string.h>
#include <yaml.h>

typedef struct reader {
	vc *c;
	vc_source *src;
	const char *s; /* the text; closed by NUL */
	uint32_t n, at;
	uint32_t lines; /* line ends since the last token or comment */
	bool on_line;   /* none since the last token */
	uint64_t comments;
	fmt_comments pending; /* comments that belong to nothing yet */
	yaml_parser_t parser;
	yaml_event_t e;
	bool has_event, failed;
	uint32_t at_char, at_byte; /* the same place: libyaml counts characters */
} reader;

static fmt_node *read_node(reader *, uint32_t depth, int indent, bool flow);

/* ---- places and events ---- */

/* Marks go forward, or back within a line. */
static uint32_t
byte_at(reader *r, const yaml_mark_t *m)
{
	while (r->at_char < m->index && r->at_byte < r->n) {
		do
			r->at_byte++;
		while ((r->s[r->at_byte] & 0xc0) == 0x80);
		r->at_char++;
	}
	while (r->at_char > m->index) {
		do
			r->at_byte--;
		while ((r->s[r->at_byte] & 0xc0) == 0x80);
		r->at_char--;
	}
	return r->at_byte;
}

static uint32_t
column(const reader *r)
{
	uint32_t p = r->at;

	while (p > 0 && r->s[p - 1] != '\n')
		p--;
	return r->at - p;
}

/* Once for a file: what stands here was read otherwise than libyaml reads it. */
static void
lost(reader *r)
{
	if (!r->failed)
		vc_report(r->c, VC_E0213, (vc_span){r->src, r->at, r->at + (r->at < r->n)},
			"the layout of this cannot be told apart; the file stays as it is");
	r->failed = true;
}

/* Said as the reader of all other commands says it. */
static void
syntax_error(reader *r)
{
	uint32_t said = (uint32_t)vc_errors(r->c), n;

	if (r->failed)
		return;
	vc_yaml_parse(r->c, r->src, &(vc_yaml_opts){.core = true}, &n);
	if ((uint32_t)vc_errors(r->c) == said)
		lost(r);
	r->failed = true;
}

/* The next event is r->e, also after a failure: the end of the stream. */
static void
next(reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->e);
	r->has_event = !r->failed && yaml_parser_parse(&r->parser, &r->e);
	if (!r->has_event) {
		syntax_error(r);
		memset(&r->e, 0, sizeof r->e);
		r->e.type = YAML_STREAM_END_EVENT;
	}
}

/* ---- between tokens ---- */

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

static void
step(reader *r, uint32_t n)
{
	r->at += n;
	r->lines = 0;
	r->on_line = true;
}

/* A comment at r->at, to the end of its line. */
static fmt_comment
take_comment(reader *r)
{
	const char *from = r->s + r->at, *end = strchr(from, '\n');
	fmt_comment c = {.col = column(r), .own_line = r->lines > 0, .after_empty = r->lines > 1};
	size_t n = end ? (size_t)(end - from) : strlen(from);

	r->at += (uint32_t)n;
	while (n && is_blank(from[n - 1]))
		n--;
	c.text = (fmt_slice){from, n};
	r->comments += vc_hash(r->c, from, n);
	r->lines = 0;
	return c;
}

/* To the next token; what stands before it goes to the pending comments. */
static void
gap(reader *r)
{
	for (;; r->at++) {
		char ch = r->s[r->at];
		if (ch == '#') {
			vc_push(r->c, r->pending.v, r->pending.n) = take_comment(r);
			ch = r->s[r->at];
		}
		if (ch == '\n') {
			r->lines++;
			r->on_line = false;
		} else if (!is_blank(ch)) {
			return;
		}
	}
}

static fmt_comments
take_pending(reader *r)
{
	fmt_comments all = r->pending;

	r->pending = (fmt_comments){NULL, 0};
	return all;
}

/* A comment on the line of what was just read. */
static void
take_trailing(reader *r, fmt_comments *to)
{
	uint32_t p = r->at;

	while (is_blank(r->s[p]))
		p++;
	if (r->s[p] != '#' || r->lines)
		return;
	r->at = p;
	vc_push(r->c, to->v, to->n) = take_comment(r);
	to->v[to->n - 1].own_line = false;
}

/* Below the last item: comments that stand where the items do, or deeper. */
static void
take_tail(reader *r, fmt_node *node, uint32_t col)
{
	fmt_comments *p = &r->pending;
	uint32_t n = 0;

	while (n < p->n && (!p->v[n].own_line || p->v[n].col >= col))
		vc_push(r->c, node->tail.v, node->tail.n) = p->v[n++];
	p->v += n;
	p->n -= n;
	if (p->n == 0)
		p->v = NULL;
	else if (n)
		p->v = memcpy(vc_alloc(r->c, p->n * 2 * sizeof *p->v), p->v, p->n * sizeof *p->v);
}

/* ---- nodes ---- */

static fmt_node *
new_node(reader *r, enum fmt_shape shape)
{
	fmt_node *node = vc_alloc(r->c, sizeof *node);

	node->shape = (uint8_t)shape;
	node->own_line = !r->on_line;
	return node;
}

static bool
is_empty(const yaml_event_t *e)
{
	return e->type == YAML_SCALAR_EVENT && e->start_mark.index == e->end_mark.index;
}

/* How many of anchor and tag the node of an event has. */
static uint32_t
count_props(const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (e->type == YAML_SCALAR_EVENT) {
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
	} else if (e->type == YAML_SEQUENCE_START_EVENT) {
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
	} else if (e->type == YAML_MAPPING_START_EVENT) {
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
	}
	return (anchor != NULL) + (tag != NULL);
}

/* Names of anchors are letters, digits, - and _ to libyaml. */
static bool
is_prop(const reader *r, uint32_t p, bool flow)
{
	char ch = r->s[p];

	if (r->s[r->at] == '&')
		return (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') ||
		       (ch >= 'a' && ch <= 'z') || ch == '-' || ch == '_';
	return ch && ch != '\n' && !is_blank(ch) && !(flow && strchr(",[]{}", ch));
}

static uint32_t
end_of_prop(const reader *r, bool flow)
{
	uint32_t p = r->at + 1;

	if (r->s[r->at] == '!' && r->s[p] == '<')
		return (uint32_t)(strchrnul(r->s + p, '>') - r->s) + 1;
	while (is_prop(r, p, flow))
		p++;
	return p;
}

/* Anchor and tag, and the comments behind them. `end` is where an empty scalar ends.  What follows
 * may be the first key with its own. */
static void
read_props(reader *r, fmt_node *node, bool flow, uint32_t end)
{
	uint32_t n = count_props(&r->e);
	vt_buf all = {0};

	if (n == 0)
		return;
	for (; n && (r->s[r->at] == '&' || r->s[r->at] == '!'); n--) {
		uint32_t to = end_of_prop(r, flow);
		if (to > r->n) {
			lost(r);
			break;
		}
		if (all.n)
			vt_buf_putc(&all, ' ');
		vt_buf_put(&all, r->s + r->at, to - r->at);
		step(r, to - r->at);
		if (r->at >= end)
			break;
		gap(r);
	}
	node->props.n = all.n;
	node->props.p = vc_take(r->c, &all);
	for (fmt_comments more = take_pending(r); more.n; more.n--)
		vc_push(r->c, node->head.v, node->head.n) = *more.v++;
	node->own_line |= !r->on_line;
}

/* ---- block texts ---- */

/* How far the text of | and > is indented, as libyaml finds it out. */
static uint32_t
text_indent(const reader *r, uint32_t p, int indent)
{
	uint32_t most = 0;

	for (; p < r->n; p++) {
		uint32_t from = p;
		while (r->s[p] == ' ')
			p++;
		if (p - from > most)
			most = p - from;
		if (r->s[p] != '\n')
			break;
	}
	if ((int)most < indent + 1)
		most = (uint32_t)(indent + 1);
	return most ? most : 1;
}

/* The header in its layout: an indentation that is told becomes 2. *told is what it was. */
static fmt_slice
read_header(reader *r, uint32_t *told, bool *keeps)
{
	uint32_t p = r->at + 1;
	char sign = 0;
	fmt_comments comment = {0};
	vt_buf b = {0};
	fmt_slice s;

	for (*told = 0; strchr("+-123456789", r->s[p]) && r->s[p]; p++) {
		if (r->s[p] == '+' || r->s[p] == '-')
			sign = r->s[p];
		else
			*told = (uint32_t)(r->s[p] - '0');
	}
	vt_buf_putc(&b, r->s[r->at]);
	if (*told)
		vt_buf_putc(&b, '2');
	if (sign)
		vt_buf_putc(&b, sign);
	*keeps = sign == '+';
	step(r, p - r->at);
	while (is_blank(r->s[r->at]))
		r->at++;
	if (r->s[r->at] == '#') {
		vc_push(r->c, comment.v, comment.n) = take_comment(r);
		vt_buf_putc(&b, ' ');
		vt_buf_put(&b, comment.v[0].text.p, comment.v[0].text.n);
	}
	s.n = b.n;
	s.p = vc_take(r->c, &b);
	return s;
}

/* r->at is left at the line end behind the last line. */
static void
read_block_text(reader *r, fmt_node *node, int indent)
{
	uint32_t told, in, p, filled = 0, filled_end;
	bool keeps;

	node->raw = read_header(r, &told, &keeps);
	filled_end = r->at;
	p = r->at + (r->s[r->at] == '\n');
	in = told ? told + (indent > 0 ? (uint32_t)indent : 0) : text_indent(r, p, indent);
	while (p < r->n) {
		uint32_t q = p, end = (uint32_t)(strchrnul(r->s + p, '\n') - r->s);
		while (q - p < in && r->s[q] == ' ')
			q++;
		if (q < end && q - p < in)
			break;
		vc_push(r->c, node->lines, node->nlines) = (fmt_slice){r->s + q, end - q};
		if (q < end || keeps) {
			filled = node->nlines;
			filled_end = end;
		}
		p = end + 1;
	}
	node->nlines = filled;
	r->at = filled_end;
	r->lines = 0;
	r->on_line = true;
}

/* ---- scalars ---- */

static fmt_node *
read_scalar(reader *r, int indent, bool flow)
{
	const yaml_event_t *e = &r->e;
	bool alias = e->type == YAML_ALIAS_EVENT;
	yaml_scalar_style_t style = alias ? YAML_PLAIN_SCALAR_STYLE : e->data.scalar.style;
	bool block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
	fmt_node *node = new_node(r, block ? FMT_BLOCK_TEXT : FMT_SCALAR);
	uint32_t end = byte_at(r, &e->end_mark);

	node->plain = style == YAML_PLAIN_SCALAR_STYLE && !alias;
	node->quote = style == YAML_SINGLE_QUOTED_SCALAR_STYLE   ? '\''
		      : style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? '"'
								 : 0;
	if (is_empty(e)) {
		node->raw = (fmt_slice){"", 0};
		node->own_line = false;
		return node;
	}
	read_props(r, node, flow, end);
	if (r->failed)
		return node;
	if (block) {
		read_block_text(r, node, indent);
		return node;
	}
	if (end < r->at) {
		lost(r);
		return node;
	}
	node->raw = (fmt_slice){r->s + r->at, end - r->at};
	node->broken = memchr(node->raw.p, '\n', node->raw.n) != NULL;
	step(r, end - r->at);
	return node;
}

/* ---- collections in brackets ---- */

/* Comments that were read before the node did are the first of its head. */
static void
put_before(reader *r, fmt_node *node, fmt_comments head)
{
	for (uint32_t i = 0; i < node->head.n; i++)
		vc_push(r->c, head.v, head.n) = node->head.v[i];
	node->head = head;
}

/* What stands behind a key or a - : comments and the node of the event r->e. */
static fmt_node *
read_here(reader *r, uint32_t depth, int indent, bool flow)
{
	fmt_comments head = {NULL, 0};
	fmt_node *node;

	if (!is_empty(&r->e)) {
		gap(r);
		head = take_pending(r);
	}
	node = read_node(r, depth, indent, flow);
	put_before(r, node, head);
	if (!flow && (node->shape == FMT_SCALAR || node->flow))
		take_trailing(r, &node->tail);
	return node;
}

/* A `?`, behind which the key of the event r->e stands; "?" can be a key as well. */
static bool
at_mark(reader *r)
{
	return r->s[r->at] == '?' && byte_at(r, &r->e.start_mark) > r->at;
}

/* The colon that belongs to a `?`: below it, and with a blank behind it. */
static bool
is_value_mark(const reader *r, int indent)
{
	const char *p = r->s + r->at;

	return *p == ':' && (int)column(r) == indent &&
	       (p[1] == 0 || p[1] == '\n' || is_blank(p[1]));
}

/* Key and value; the event of the key is there, and what stands before it was read. */
static void
read_pair(reader *r, fmt_item *item, uint32_t depth, int indent, bool flow)
{
	if ((item->marked = at_mark(r))) {
		step(r, 1);
		item->key = read_here(r, depth, indent, flow);
	} else {
		item->key = read_node(r, depth, indent, flow);
	}
	if (item->marked || flow)
		gap(r);
	while (is_blank(r->s[r->at]))
		r->at++;
	item->valued = item->marked && !flow ? is_value_mark(r, indent) : r->s[r->at] == ':';
	if (item->valued)
		step(r, 1);
	next(r);
	item->value = read_here(r, depth, indent, flow);
}

static bool
breaks(const fmt_node *node)
{
	return node->broken || node->head.n || node->tail.n || node->own_line;
}

/* The line end in a collection that lies in brackets. */
static void
note_breaks(fmt_node *node)
{
	node->broken = node->closes_line || node->inner.n > 0;
	for (uint32_t i = 0; i < node->n; i++) {
		const fmt_item *it = &node->items[i];
		node->broken |= it->own_line || it->lead.n || (it->key && breaks(it->key)) ||
				it->value->broken || it->value->head.n || it->value->tail.n;
	}
}

static fmt_item *
add_item(reader *r, fmt_node *node)
{
	fmt_item *it = &vc_push(r->c, node->items, node->n);

	it->lead = take_pending(r);
	it->after_empty = r->lines > 1;
	it->own_line = !r->on_line;
	return it;
}

static void
read_flow(reader *r, fmt_node *node, uint32_t depth, int indent)
{
	const yaml_event_type_t end =
		node->shape == FMT_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;

	for (step(r, 1);;) {
		next(r);
		gap(r);
		if (r->e.type == end || r->failed)
			break;
		fmt_item *it = add_item(r, node);
		if (node->shape == FMT_MAP)
			read_pair(r, it, depth + 1, indent, true);
		else
			it->value = read_node(r, depth + 1, indent, true);
		gap(r);
		if (r->s[r->at] == ',') {
			step(r, 1);
			take_trailing(r, &it->value->tail);
		}
	}
	node->inner = take_pending(r);
	node->closes_line = !r->on_line;
	if (r->s[r->at] != ']' && r->s[r->at] != '}')
		lost(r);
	else
		step(r, 1);
	note_breaks(node);
}

/* [a: 1]: a map of one pair without braces. */
static void
read_bare(reader *r, fmt_node *node, uint32_t depth, int indent)
{
	node->bare = true;
	next(r);
	gap(r);
	read_pair(r, add_item(r, node), depth + 1, indent, true);
	next(r);
	if (r->e.type != YAML_MAPPING_END_EVENT)
		lost(r);
	note_breaks(node);
}

/* ---- collections by indentation ---- */

static void
read_items(reader *r, fmt_node *node, uint32_t depth, int indent)
{
	const bool map = node->shape == FMT_MAP;
	const yaml_event_type_t end = map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
	const uint32_t col = column(r);
	/* a list that stands where the keys around it do */
	const bool level = !map && indent >= 0 && (uint32_t)indent == col;

	for (;;) {
		next(r);
		gap(r);
		if (r->e.type == end || r->failed)
			break;
		fmt_item *it = add_item(r, node);
		if (map) {
			read_pair(r, it, depth + 1, (int)col, false);
			continue;
		}
		if (r->s[r->at] != '-') {
			lost(r);
			break;
		}
		step(r, 1);
		it->value = read_here(r, depth + 1, (int)col, false);
	}
	take_tail(r, node, col + level);
}

static fmt_node *
read_collection(reader *r, uint32_t depth, int indent, bool in_flow)
{
	const yaml_event_t *e = &r->e;
	const bool map = e->type == YAML_MAPPING_START_EVENT;
	fmt_node *node = new_node(r, map ? FMT_MAP : FMT_SEQ);

	node->flow = map ? e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
			 : e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	read_props(r, node, in_flow, UINT32_MAX);
	if (r->failed)
		return node;
	if (depth > r->c->limit.max_depth) {
		vc_report(r->c, VC_E0202, (vc_span){r->src, r->at, r->at + 1},
			"lists and maps nest deeper than %u levels", r->c->limit.max_depth);
		r->failed = true;
		return node;
	}
	if (!node->flow)
		read_items(r, node, depth, indent);
	else if (map && r->s[r->at] != '{')
		read_bare(r, node, depth, indent);
	else
		read_flow(r, node, depth, indent);
	return node;
}

/* The node of the event r->e; libyaml's indentation around it, which is -1 for a document. */
static fmt_node *
read_node(reader *r, uint32_t depth, int indent, bool flow)
{
	fmt_node *node;

	switch (r->e.type) {
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT: node = read_scalar(r, indent, flow); break;
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT: node = read_collection(r, depth, indent, flow); break;
	default: lost(r); return new_node(r, FMT_SCALAR);
	}
	return node;
}

/* ---- documents ---- */

static void
read_directives(reader *r, fmt_document *d)
{
	while (r->s[r->at] == '%') {
		uint32_t end = (uint32_t)(strchrnul(r->s + r->at, '\n') - r->s), to = end;
		while (to > r->at && is_blank(r->s[to - 1]))
			to--;
		vc_push(r->c, d->directives, d->ndirectives) =
			(fmt_slice){r->s + r->at, to - r->at};
		step(r, end - r->at);
		gap(r);
	}
	for (fmt_comments more = take_pending(r); more.n; more.n--)
		vc_push(r->c, d->lead.v, d->lead.n) = *more.v++;
}

static void
read_document(reader *r, fmt_document *d)
{
	gap(r);
	d->lead = take_pending(r);
	d->after_empty = r->lines > 1;
	d->opened = !r->e.data.document_start.implicit;
	if (d->opened) {
		read_directives(r, d);
		if (strncmp(r->s + r->at, "---", 3) != 0)
			lost(r);
		else
			step(r, 3);
	}
	next(r);
	d->root = read_here(r, 1, -1, false);
	next(r);
	d->closed = r->e.type == YAML_DOCUMENT_END_EVENT && !r->e.data.document_end.implicit;
	if (d->closed) {
		gap(r);
		if (strncmp(r->s + r->at, "...", 3) != 0)
			lost(r);
		else
			step(r, 3);
	}
}

bool
fmt_read(vc *c, vc_source *src, fmt_file *file)
{
	reader r = {.c = c, .src = src, .s = src->text, .n = (uint32_t)src->n, .lines = 1};

	if (!yaml_parser_initialize(&r.parser))
		vt_no_memory();
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)src->text, src->n);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	next(&r);
	for (next(&r); r.e.type == YAML_DOCUMENT_START_EVENT; next(&r))
		read_document(&r, &vc_push(c, file->documents, file->n));
	gap(&r);
	file->tail = take_pending(&r);
	file->comments = r.comments;
	if (r.e.type != YAML_STREAM_END_EVENT || r.at < r.n)
		lost(&r);
	if (r.has_event)
		yaml_event_delete(&r.e);
	yaml_parser_delete(&r.parser);
	return !r.failed;
}

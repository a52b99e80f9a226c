/*
 * yaml.c - libyaml's events become nodes.
 *
 * An anchored node is built once and shared by its aliases.  What a document would be with all
 * aliases expanded is counted while building, so neither a bomb of aliases nor a chain of them gets
 * to whoever walks the tree: a node's size is known when its end is seen, and an alias adds the
 * size and the height of its target.  A syntax error ends the file, since nothing behind it can be
 * trusted; everything else marks one node as YN_ERROR and goes on.
 */
#include "compiler/yaml/int.h"
#include "runtime/text/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef struct extent {
	uint64_t size;
	uint32_t height;
} extent;
typedef struct anchor {
	const char *name;
	ynode *node;
	extent extent;
	bool open;
} anchor;

enum { TEXTS = 1024, TEXT_MAX = 32 };
typedef struct builder {
	vc *c;
	vc_source *src;
	yaml_parser_t parser;
	vc_yaml_opts opts;
	bool failed;
	bool ascii;                /* no character has more bytes than one */
	uint32_t at_char, at_byte; /* the same place: libyaml counts characters, spans are bytes */
	/* bytes of a byte order mark, which libyaml would take for a column */
	uint32_t bom;
	uint64_t size; /* of the document so far, aliases expanded */
	anchor *anchors;
	uint32_t nanchors;
	uint32_t *slot, nslots; /* hash of their names to index + 1 */
	/* arrays of 1 << i that were outgrown or copied: linked by their first */
	ynode **spare[32];
	struct {
		const char *text;
		size_t n;
	} seen[TEXTS]; /* short texts, by hash: keys and names come again soon */
} builder;

static ynode *build(builder *, yaml_event_t *, uint32_t depth, extent *);

/* Marks mostly go forward; walking from the last one keeps this linear. */
static uint32_t
byte_at(builder *b, size_t chars)
{
	const char *s = b->src->text;
	if (b->ascii)
		return chars < b->src->n - b->bom ? b->bom + (uint32_t)chars : (uint32_t)b->src->n;
	while (b->at_char < chars && b->at_byte < b->src->n) {
		do
			b->at_byte++;
		while ((s[b->at_byte] & 0xc0) == 0x80);
		b->at_char++;
	}
	while (b->at_char > chars) {
		do
			b->at_byte--;
		while ((s[b->at_byte] & 0xc0) == 0x80);
		b->at_char--;
	}
	return b->at_byte;
}

static vc_span
span_of(builder *b, const yaml_mark_t *from, const yaml_mark_t *to)
{
	vc_span s = {b->src, byte_at(b, from->index), 0};
	s.to = byte_at(b, to->index);
	return s;
}

/* ---- errors ---- */

static const char *
syntax_hint(const char *problem)
{
	static const struct {
		const char *part, *hint;
	} hints[] = {
		{"cannot start any token", "indentation is made of spaces, never of tabs; text "
					   "that begins with @, ` or % wants quotes"},
		{"tab character", "indentation is made of spaces, never of tabs"},
		{"mapping values are not allowed", "quote text that holds ': ', or check the "
						   "indentation of this line and the one before"},
		{"did not find expected key",
			"check the indentation, and quotes or brackets that are not closed above"},
		{"could not find expected ':'",
			"a key ends with ': '; a scalar of several lines cannot be a key"},
		{"did not find expected ',' or", "a bracket is not closed, or a comma is missing"},
		{"unexpected end of stream", "a quote is not closed"},
		{"unknown escape", "inside of double quotes a backslash begins an escape: write "
				   "\\\\ or use single quotes"},
		{"control characters", "remove the control character, or write it as an escape "
				       "inside of double quotes"},
	};
	for (size_t i = 0; i < VC_LEN(hints); i++)
		if (strstr(problem, hints[i].part))
			return hints[i].hint;
	return NULL;
}

/* An expression that begins with a quote or bracket and goes on behind it: `'a' + $b`, `[1].len()`.
 */
static bool
goes_on_behind(const builder *b, const char *problem, uint32_t at)
{
	const char *text = b->src->text;

	if (!strstr(problem, "did not find expected") || at >= b->src->n)
		return false;
	while (at > 0 && text[at - 1] == ' ')
		at--;
	return at > 0 && strchr("'\"]}", text[at - 1]);
}

/* An expression with ': ' in it, which YAML takes for the end of a key. */
static bool
is_behind_expression(const builder *b, uint32_t at)
{
	const char *text = b->src->text;
	uint32_t line = at < b->src->n ? at : b->src->n;

	while (line > 0 && text[line - 1] != '\n')
		line--;
	line += (uint32_t)strspn(text + line, " -");
	if (text[line] != '$')
		return false;
	for (uint32_t i = line; i <= at && i + 1 < b->src->n; i++)
		if (text[i] == ':' && text[i + 1] == ' ' && memchr(text + line, '(', i - line))
			return true;
	return false;
}

static void
syntax_error(builder *b)
{
	yaml_parser_t *p = &b->parser;
	const char *problem = p->problem ? p->problem : "the text cannot be read";
	uint32_t at = p->error == YAML_READER_ERROR ? b->bom + (uint32_t)p->problem_offset
						    : byte_at(b, p->problem_mark.index);
	vc_span s = {b->src, at, at < b->src->n ? at + 1 : at};
	b->failed = true;
	if (p->error == YAML_MEMORY_ERROR)
		vt_no_memory();
	vc_report(b->c, VC_E0201, s, "YAML: %s", problem);
	if (p->context && p->context_mark.index != p->problem_mark.index) {
		uint32_t from = byte_at(b, p->context_mark.index);
		vc_note(b->c, (vc_span){b->src, from, from + 1}, "%s that begins here", p->context);
	}
	const char *hint = syntax_hint(problem);
	if (is_behind_expression(b, at))
		hint = "': ' ends a plain text: a dict of an expression is {key => value}, an "
		       "argument by name is name => value, and what has ': ' in it stands in "
		       "quotes behind !yaql";
	else if (goes_on_behind(b, problem, at))
		hint = "a value that begins with a quote or a bracket ends with it: put all of it "
		       "in quotes, or begin with another word";
	if (hint)
		vc_hint(b->c, "%s", hint);
}

static bool
next(builder *b, yaml_event_t *e)
{
	if (b->failed)
		return false;
	if (yaml_parser_parse(&b->parser, e))
		return true;
	syntax_error(b);
	return false;
}

/* ---- nodes ---- */

static ynode *
node_new(builder *b, enum yn_kind kind, vc_span span)
{
	ynode *n = vc_alloc(b->c, sizeof *n);
	n->kind = (uint8_t)kind;
	n->span = span;
	return n;
}

/* Arrays under construction double as those of vc_push do, but what they outgrow is used again. */
static ynode **
array_take(builder *b, unsigned size)
{
	ynode **v = b->spare[size];
	if (!v)
		return vc_alloc(b->c, ((size_t)1 << size) * sizeof *v);
	b->spare[size] = (ynode **)v[0];
	return v;
}

static void
array_give(builder *b, ynode **v, unsigned size)
{
	v[0] = (ynode *)b->spare[size];
	b->spare[size] = v;
}

/* log2 of the room that an array of n has: at least 4. */
static unsigned
array_size(uint32_t n)
{
	return n <= 4 ? 2 : 32 - (unsigned)__builtin_clz(n - 1);
}

static void
array_push(builder *b, ynode ***v, uint32_t *n, ynode *item)
{
	if (!*n) {
		*v = array_take(b, 2);
	} else if (*n >= 4 && !(*n & (*n - 1))) {
		unsigned size = array_size(*n);
		ynode **more = array_take(b, size + 1);
		memcpy(more, *v, *n * sizeof **v);
		array_give(b, *v, size);
		*v = more;
	}
	(*v)[(*n)++] = item;
}

/* Complete: as large as it has to be. */
static ynode **
array_done(builder *b, ynode **v, uint32_t n)
{
	unsigned size = array_size(n);
	if (!n || n == 1u << size)
		return v;
	ynode **exact = vc_alloc(b->c, n * sizeof *exact);
	memcpy(exact, v, n * sizeof *exact);
	array_give(b, v, size);
	return exact;
}

/* Texts are constant, so that nodes may have them together. */
static const char *
text_of(builder *b, const char *s, size_t n)
{
	uint32_t h = 2166136261u;
	if (n > TEXT_MAX)
		return vc_strndup(b->c, s, n);
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	h = (h ^ h >> 15) % TEXTS;
	if (!b->seen[h].text || b->seen[h].n != n || memcmp(b->seen[h].text, s, n) != 0) {
		b->seen[h].text = vc_strndup(b->c, s, n);
		b->seen[h].n = n;
	}
	return b->seen[h].text;
}

static bool
count(builder *b, uint64_t more, vc_span span)
{
	b->size += more;
	if (b->size <= b->c->limit.max_nodes || b->failed)
		return !b->failed;
	b->failed = true;
	vc_report(b->c, VC_E0203, span,
		"the document has more than %u nodes, counting what aliases repeat",
		b->c->limit.max_nodes);
	return false;
}

static bool
check_depth(builder *b, uint32_t depth, vc_span span)
{
	if (depth <= b->c->limit.max_depth || b->failed)
		return !b->failed;
	b->failed = true;
	vc_report(b->c, VC_E0202, span, "nested deeper than %u levels", b->c->limit.max_depth);
	return false;
}

/* The slot that holds the name, or the free one where it belongs. */
static uint32_t *
anchor_slot(const builder *b, const char *name)
{
	uint32_t i = (uint32_t)vc_hash(b->c, name, strlen(name)) & (b->nslots - 1);
	while (b->slot[i] && strcmp(b->anchors[b->slot[i] - 1].name, name) != 0)
		i = (i + 1) & (b->nslots - 1);
	return &b->slot[i];
}

static anchor *
find_anchor(const builder *b, const char *name)
{
	uint32_t at = b->nslots ? *anchor_slot(b, name) : 0;
	return at ? &b->anchors[at - 1] : NULL;
}

static anchor *
add_anchor(builder *b, const char *name)
{
	anchor fresh = {.name = vc_strdup(b->c, name)};
	if (b->nanchors * 2 >= b->nslots) {
		b->nslots = b->nslots ? b->nslots * 2 : 64;
		b->slot = vc_alloc(b->c, b->nslots * sizeof *b->slot);
		for (uint32_t i = 0; i < b->nanchors; i++)
			*anchor_slot(b, b->anchors[i].name) = i + 1;
	}
	vc_push(b->c, b->anchors, b->nanchors) = fresh;
	*anchor_slot(b, fresh.name) = b->nanchors;
	return &b->anchors[b->nanchors - 1];
}

/* The index of the anchor a node opens, or UINT32_MAX; a name given again hides the older one. */
static uint32_t
open_anchor(builder *b, const yaml_char_t *name, ynode *n)
{
	if (!name)
		return UINT32_MAX;
	anchor *a = find_anchor(b, (const char *)name);
	if (!a)
		a = add_anchor(b, (const char *)name);
	a->node = n;
	a->open = true;
	return (uint32_t)(a - b->anchors);
}

/* The name may have been given to another node inside of this one. */
static void
close_anchor(builder *b, uint32_t i, const ynode *n, extent x)
{
	if (i != UINT32_MAX && b->anchors[i].node == n) {
		b->anchors[i].extent = x;
		b->anchors[i].open = false;
	}
}

static const char *
nearest_anchor(builder *b, const char *name)
{
	const char **names = vc_alloc(b->c, (b->nanchors + 1u) * sizeof *names);
	for (uint32_t i = 0; i < b->nanchors; i++)
		names[i] = b->anchors[i].name;
	return vt_nearest(name, names, b->nanchors);
}

static ynode *
build_alias(builder *b, yaml_event_t *e, uint32_t depth, extent *x)
{
	vc_span span = span_of(b, &e->start_mark, &e->end_mark);
	const char *name = (const char *)e->data.alias.anchor;
	anchor *a = find_anchor(b, name);
	*x = (extent){1, 1};
	if (!a) {
		vc_report(b->c, VC_E0204, span, "there is no anchor &%s above this alias", name);
		const char *near = nearest_anchor(b, name);
		if (near)
			vc_did_you_mean(b->c, "*%s", near);
		return node_new(b, YN_ERROR, span);
	}
	if (a->open) {
		vc_report(b->c, VC_E0205, span, "the alias *%s stands inside of the node it names",
			name);
		vc_note(b->c, a->node->span, "the anchor is here");
		return node_new(b, YN_ERROR, span);
	}
	*x = a->extent;
	if (!check_depth(b, depth + x->height - 1, span) || !count(b, x->size, span))
		return NULL;
	return a->node;
}

static void
unknown_tag(builder *b, ynode *n, const char *tag, const char *what)
{
	n->kind = YN_ERROR;
	if (!strncmp(tag, "tag:yaml.org,2002:", 18))
		tag = vc_format(b->c, "!!%s", tag + 18);
	vc_report(b->c, VC_E0206, n->span, "the tag %s is not known for a %s", tag, what);
	vc_hint(b->c, "known are !yaql, !!str, !!int, !!float, !!bool, !!null, !!timestamp, "
		      "!!binary, !!map and !!seq");
}

static const char *
tag_text(builder *b, const yaml_char_t *tag)
{
	return tag && *tag ? vc_strdup(b->c, (const char *)tag) : NULL;
}

/* Behind tag and anchor, where the scalar itself begins. */
static uint32_t
behind_properties(const vc_source *s, uint32_t at, uint32_t end)
{
	while (at < end && (s->text[at] == '!' || s->text[at] == '&')) {
		while (at < end && !strchr(" \t\r\n", s->text[at]))
			at++;
		while (at < end && strchr(" \t\r\n", s->text[at]))
			at++;
	}
	return at;
}

/* libyaml ends a block scalar behind its last line end, and a plain one may have blanks behind it.
 */
static uint32_t
trim_end(const vc_source *s, uint32_t from, uint32_t to)
{
	while (to > from && strchr(" \t\r\n", s->text[to - 1]))
		to--;
	return to;
}

static enum ys_style
style_of(yaml_scalar_style_t style)
{
	return style == YAML_SINGLE_QUOTED_SCALAR_STYLE   ? YS_SINGLE
	       : style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? YS_DOUBLE
	       : style == YAML_LITERAL_SCALAR_STYLE       ? YS_LITERAL
	       : style == YAML_FOLDED_SCALAR_STYLE        ? YS_FOLDED
							  : YS_PLAIN;
}

static void
type_scalar(builder *b, ynode *n, const char *tag)
{
	if (tag) {
		if (!ys_resolve_tag(b->c, n, tag, b->opts.flags))
			unknown_tag(b, n, tag, "scalar");
	} else if (n->plain && b->opts.core) {
		ys_resolve_core(b->c, n);
	} else if (n->plain) {
		ys_resolve_plain(b->c, n);
		if (b->opts.expressions && n->kind == YN_SCALAR && n->type == YT_STR)
			ys_try_expression(b->c, n, b->opts.flags);
	}
}

static ynode *
build_scalar(builder *b, yaml_event_t *e)
{
	ynode *n = node_new(b, YN_SCALAR, span_of(b, &e->start_mark, &e->end_mark));
	enum ys_style style = style_of(e->data.scalar.style);
	uint32_t from = n->span.from, to = n->span.to;
	if (e->data.scalar.tag || e->data.scalar.anchor)
		from = behind_properties(b->src, from, to);
	n->text = text_of(b, (const char *)e->data.scalar.value, e->data.scalar.length);
	n->ntext = (uint32_t)e->data.scalar.length;
	const char *tag = tag_text(b, e->data.scalar.tag);
	n->plain = style == YS_PLAIN && e->data.scalar.plain_implicit;
	if (tag && !strcmp(tag, "!")) {
		/* says nothing, but makes PyYAML resolve quoted text as well */
		tag = NULL;
		n->plain = true;
	}
	if (style == YS_PLAIN || style == YS_LITERAL || style == YS_FOLDED)
		n->span.to = trim_end(b->src, from, to);
	n->merge = tag && !strcmp(tag, "tag:yaml.org,2002:merge");
	ys_make_map(b->c, n, style, from, to);
	type_scalar(b, n, tag);
	return n;
}

/* Where a collection ends is where its last child does: libyaml says where the next token begins.
 */
static void
end_at_child(ynode *n, const ynode *child)
{
	if (child->span.from >= n->span.from && child->span.to > n->span.to)
		n->span.to = child->span.to;
}

static void
grow_extent(extent *x, extent child)
{
	x->size += child.size;
	if (child.height + 1 > x->height)
		x->height = child.height + 1;
}

static bool
close_collection(builder *b, ynode *n, yaml_event_t *end, uint32_t anchor_at, extent x)
{
	if (n->flow)
		n->span.to = byte_at(b, end->end_mark.index);
	yaml_event_delete(end);
	close_anchor(b, anchor_at, n, x);
	return true;
}

static ynode *
build_sequence(builder *b, yaml_event_t *e, uint32_t depth, extent *x)
{
	ynode *n = node_new(b, YN_SEQ, span_of(b, &e->start_mark, &e->end_mark));
	uint32_t anchor_at = open_anchor(b, e->data.sequence_start.anchor, n);
	n->flow = e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	const char *tag = tag_text(b, e->data.sequence_start.tag);
	if (!check_depth(b, depth, n->span))
		return NULL;
	yaml_event_t child;
	while (next(b, &child)) {
		extent cx;
		if (child.type == YAML_SEQUENCE_END_EVENT) {
			close_collection(b, n, &child, anchor_at, *x);
			n->item = array_done(b, n->item, n->n);
			if (tag && strcmp(tag, "tag:yaml.org,2002:seq") != 0)
				unknown_tag(b, n, tag, "sequence");
			return n;
		}
		ynode *item = build(b, &child, depth + 1, &cx);
		if (!item)
			return NULL;
		array_push(b, &n->item, &n->n, item);
		end_at_child(n, item);
		grow_extent(x, cx);
	}
	return NULL;
}

/* ---- mappings: keys are equal when Python says so ---- */

static bool
is_number(const ynode *k)
{
	return k->type == YT_INT || k->type == YT_BOOL || k->type == YT_FLOAT;
}

/* Is the number a double, and no integer that none of them is? */
static bool
is_double(const ynode *k, double *d)
{
	char text[400]; /* more than the digits of any double */
	*d = k->type == YT_FLOAT ? k->f : k->fits ? (double)k->i : strtod(k->digits, NULL);
	if (k->type == YT_FLOAT)
		return true;
	if (k->fits)
		return *d < 0x1p63 && (int64_t)*d == k->i;
	return isfinite(*d) && snprintf(text, sizeof text, "%.0f", *d) > 0 &&
	       !strcmp(text, k->digits);
}

/* Expressions are objects of their own in Python: two with the same text are two keys. */
static bool
key_equal(const ynode *a, const ynode *b)
{
	if (a == b)
		return true;
	if (a->kind != YN_SCALAR || b->kind != YN_SCALAR || a->is_expr || b->is_expr)
		return false;
	if (is_number(a) && is_number(b)) {
		double x, y;
		bool is_x = is_double(a, &x), is_y = is_double(b, &y);
		if (is_x || is_y)
			return is_x && is_y && x == y;
		return a->fits == b->fits &&
		       (a->fits ? a->i == b->i : !strcmp(a->digits, b->digits));
	}
	if (a->type != b->type)
		return false;
	return a->type == YT_NULL || (a->ntext == b->ntext && !memcmp(a->text, b->text, a->ntext));
}

/* What equals only itself is recognised by its address: NaN too. */
static uint32_t
key_hash(const vc *c, const ynode *k)
{
	double d;
	if (k->kind != YN_SCALAR || k->is_expr)
		return (uint32_t)((uintptr_t)k >> 4) * 2654435761u;
	if (k->type == YT_NULL)
		return 0;
	if (!is_number(k))
		return (uint32_t)vc_hash(c, k->text, k->ntext);
	if (!is_double(k, &d))
		return (uint32_t)vc_hash(c, k->digits, strlen(k->digits));
	if (isnan(d))
		return (uint32_t)((uintptr_t)k >> 4) * 2654435761u;
	d += 0.0; /* -0.0 is 0 */
	return (uint32_t)vc_hash(c, (const char *)&d, sizeof d);
}

/* Open addressing over the indices of a mapping's keys; small mappings do without. */
typedef struct keyset {
	uint32_t *slot, cap;
} keyset;
enum { SMALL_MAP = 8 };

static void
keyset_add(const vc *c, keyset *ks, const ynode *m, uint32_t index)
{
	uint32_t i = key_hash(c, m->key[index]) & (ks->cap - 1);
	while (ks->slot[i])
		i = (i + 1) & (ks->cap - 1);
	ks->slot[i] = index + 1;
}

static void
keyset_fit(builder *b, keyset *ks, const ynode *m)
{
	if (m->n < SMALL_MAP || m->n * 2 < ks->cap)
		return;
	ks->cap = ks->cap ? ks->cap * 2 : SMALL_MAP * 4;
	ks->slot = vc_alloc(b->c, ks->cap * sizeof *ks->slot);
	for (uint32_t i = 0; i < m->n; i++)
		keyset_add(b->c, ks, m, i);
}

static uint32_t
find_key(const vc *c, const keyset *ks, const ynode *m, const ynode *key)
{
	if (!ks->slot) {
		for (uint32_t i = 0; i < m->n; i++)
			if (key_equal(m->key[i], key))
				return i;
		return UINT32_MAX;
	}
	for (uint32_t i = key_hash(c, key) & (ks->cap - 1); ks->slot[i];
		i = (i + 1) & (ks->cap - 1))
		if (key_equal(m->key[ks->slot[i] - 1], key))
			return ks->slot[i] - 1;
	return UINT32_MAX;
}

/* The first place of a key keeps, its last value wins. Keys and items grow in step. */
static void
map_put(builder *b, keyset *ks, ynode *m, ynode *key, ynode *value, uint32_t quiet_below)
{
	uint32_t at = find_key(b->c, ks, m, key);
	if (at != UINT32_MAX) {
		if (at >= quiet_below) {
			const char *old = m->key[at]->text ? m->key[at]->text : "",
				   *name = key->text ? key->text : "";
			if (b->opts.core)
				vc_report(b->c, VC_E0212, key->span,
					"the key '%s' stands in this mapping twice", name);
			else
				vc_report_as(b->c, b->opts.keys_once ? VC_FAULT : VC_WARNING,
					VC_W1001, key->span,
					strcmp(old, name)
						? "the key '%s' equals another one, '%s'; the "
						  "last value counts"
						: "the key '%s' stands in this mapping twice; "
						  "the last value counts",
					name, old);
			vc_note(b->c, m->key[at]->span, "it was given here");
		}
		m->item[at] = value;
		return;
	}
	keyset_fit(b, ks, m);
	uint32_t n = m->n;
	array_push(b, &m->key, &n, key);
	array_push(b, &m->item, &m->n, value);
	if (ks->slot)
		keyset_add(b->c, ks, m, m->n - 1);
}

static void
merge_map(builder *b, keyset *ks, ynode *into, const ynode *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		map_put(b, ks, into, from->key[i], from->item[i], UINT32_MAX);
}

static bool
is_mergeable(builder *b, const ynode *v)
{
	if (v->kind == YN_MAP)
		return true;
	if (v->kind != YN_ERROR)
		vc_report(b->c, VC_E0209, v->span, "<< wants a mapping or a list of mappings");
	return false;
}

/* Of a list, earlier mappings win: they are merged last. */
static void
merge_value(builder *b, keyset *ks, ynode *into, const ynode *v)
{
	if (v->kind == YN_SEQ) {
		for (uint32_t i = v->n; i--;)
			if (is_mergeable(b, v->item[i]))
				merge_map(b, ks, into, v->item[i]);
	} else if (is_mergeable(b, v)) {
		merge_map(b, ks, into, v);
	}
}

/* What << brings comes first, the mapping's own pairs override it. */
static void
apply_merges(builder *b, ynode *m, ynode **merges, uint32_t n)
{
	ynode own = *m;
	keyset ks = {0};
	m->key = m->item = NULL;
	m->n = 0;
	for (uint32_t i = 0; i < n; i++)
		merge_value(b, &ks, m, merges[i]);
	merge_map(b, &ks, m, &own);
}

static bool
is_merge_key(const ynode *k)
{
	return k->kind == YN_SCALAR && (k->merge || (k->plain && !strcmp(k->text, "<<")));
}

static bool
build_pair(builder *b, ynode *m, keyset *ks, yaml_event_t *e, uint32_t depth, extent *x,
	ynode ***merges, uint32_t *nmerges)
{
	extent kx, vx;
	yaml_event_t second;
	ynode *key = build(b, e, depth + 1, &kx);
	if (!key || !next(b, &second))
		return false;
	ynode *value = build(b, &second, depth + 1, &vx);
	if (!value)
		return false;
	grow_extent(x, kx);
	grow_extent(x, vx);
	end_at_child(m, key);
	end_at_child(m, value);
	if (!b->opts.core && (key->kind == YN_SEQ || key->kind == YN_MAP)) {
		vc_report(b->c, VC_E0208, key->span, "a %s cannot be a key",
			key->kind == YN_SEQ ? "list" : "mapping");
	} else if (is_merge_key(key)) {
		vc_push(b->c, *merges, *nmerges) = value;
	} else {
		map_put(b, ks, m, key, value, 0);
	}
	return true;
}

static ynode *
build_mapping(builder *b, yaml_event_t *e, uint32_t depth, extent *x)
{
	ynode *n = node_new(b, YN_MAP, span_of(b, &e->start_mark, &e->end_mark)), **merges = NULL;
	uint32_t anchor_at = open_anchor(b, e->data.mapping_start.anchor, n), nmerges = 0;
	keyset ks = {0};
	n->flow = e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	const char *tag = tag_text(b, e->data.mapping_start.tag);
	if (!check_depth(b, depth, n->span))
		return NULL;
	yaml_event_t child;
	while (next(b, &child)) {
		if (child.type == YAML_MAPPING_END_EVENT) {
			close_collection(b, n, &child, anchor_at, *x);
			if (nmerges)
				apply_merges(b, n, merges, nmerges);
			n->key = array_done(b, n->key, n->n);
			n->item = array_done(b, n->item, n->n);
			if (tag && strcmp(tag, "tag:yaml.org,2002:map") != 0)
				unknown_tag(b, n, tag, "mapping");
			return n;
		}
		if (!build_pair(b, n, &ks, &child, depth, x, &merges, &nmerges))
			return NULL;
	}
	return NULL;
}

/* Takes the event. NULL only when the whole file is given up. */
static ynode *
build(builder *b, yaml_event_t *e, uint32_t depth, extent *x)
{
	ynode *n = NULL;
	*x = (extent){1, 1};
	vc_span at = span_of(b, &e->start_mark, &e->end_mark);
	if (e->type == YAML_ALIAS_EVENT) {
		n = build_alias(b, e, depth, x);
	} else if (count(b, 1, at)) {
		if (e->type == YAML_SCALAR_EVENT) {
			n = build_scalar(b, e);
			close_anchor(b, open_anchor(b, e->data.scalar.anchor, n), n, *x);
		} else if (e->type == YAML_SEQUENCE_START_EVENT) {
			n = build_sequence(b, e, depth, x);
		} else if (e->type == YAML_MAPPING_START_EVENT) {
			n = build_mapping(b, e, depth, x);
		}
	}
	yaml_event_delete(e);
	return n;
}

/* ---- documents ---- */

/* What is false to Python does not count as a document. */
static bool
is_empty(const ynode *n)
{
	double d;
	if (n->kind == YN_SEQ || n->kind == YN_MAP)
		return n->n == 0;
	if (n->kind == YN_ERROR || n->is_expr)
		return false;
	if (is_number(n))
		return is_double(n, &d) && d == 0;
	return n->type == YT_NULL || ((n->type == YT_STR || n->type == YT_BINARY) && n->ntext == 0);
}

static ynode **
build_stream(builder *b, uint32_t *n)
{
	ynode **docs = NULL;
	yaml_event_t e;
	while (next(b, &e)) {
		yaml_event_type_t type = e.type;
		bool node = type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
			    type == YAML_MAPPING_START_EVENT || type == YAML_ALIAS_EVENT;
		if (!node) {
			yaml_event_delete(&e);
			if (type == YAML_STREAM_END_EVENT)
				break;
			b->nanchors = 0;
			b->anchors = NULL;
			b->nslots = 0;
			b->size = 0;
			continue;
		}
		extent x;
		ynode *doc = build(b, &e, 1, &x);
		if (doc && (b->opts.keep_empty || !is_empty(doc)))
			vc_push(b->c, docs, *n) = doc;
	}
	return docs;
}

static bool
is_ascii(const char *s, size_t n)
{
	unsigned char all = 0;
	for (size_t i = 0; i < n; i++)
		all |= (unsigned char)s[i];
	return all < 0x80;
}

ynode **
vc_yaml_parse(vc *c, vc_source *src, const vc_yaml_opts *opts, uint32_t *n)
{
	builder b = {.c = c, .src = src, .opts = *opts};
	*n = 0;
	if (!yaml_parser_initialize(&b.parser))
		vt_no_memory();
	b.bom = b.at_byte = src->n >= 3 && !memcmp(src->text, "\xef\xbb\xbf", 3) ? 3 : 0;
	b.ascii = is_ascii(src->text + b.bom, src->n - b.bom);
	yaml_parser_set_input_string(
		&b.parser, (const unsigned char *)src->text + b.bom, src->n - b.bom);
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	ynode **docs = build_stream(&b, n);
	yaml_parser_delete(&b.parser);
	if (b.failed) {
		*n = 0;
		return NULL;
	}
	return docs;
}

/* ---- for the users of nodes ---- */

static uint32_t
index_of(const ynode *map, const char *key)
{
	if (!map || map->kind != YN_MAP)
		return UINT32_MAX;
	size_t n = strlen(key);
	for (uint32_t i = 0; i < map->n; i++) {
		const ynode *k = map->key[i];
		if (yn_is_str(k) && k->ntext == n && !memcmp(k->text, key, n))
			return i;
	}
	return UINT32_MAX;
}

ynode *
yn_get(const ynode *map, const char *key)
{
	uint32_t i = index_of(map, key);
	return i == UINT32_MAX ? NULL : map->item[i];
}

ynode *
yn_key(const ynode *map, const char *key)
{
	uint32_t i = index_of(map, key);
	return i == UINT32_MAX ? NULL : map->key[i];
}

bool
yn_is_str(const ynode *n)
{
	return n && n->kind == YN_SCALAR && n->type == YT_STR && !n->is_expr;
}

static void
dump_place(vt_buf *b, vc_span s)
{
	uint32_t line, col, end_line, end_col;
	vc_place(s.src, s.from, &line, &col);
	vc_place(s.src, s.to, &end_line, &end_col);
	vt_buf_printf(b, " @%u:%u-%u:%u", line, col, end_line, end_col);
}

static void
dump_scalar(vt_buf *b, const ynode *n)
{
	static const char *const types[] = {
		"str", "null", "bool", "int", "float", "date", "datetime", "binary"};
	vt_buf_puts(b, n->is_expr ? "yaql" : types[n->type]);
	vt_buf_puts(b, " ");
	if (n->type == YT_BOOL)
		vt_buf_puts(b, n->i ? "true" : "false");
	else if (n->type == YT_INT)
		vt_buf_puts(b, n->digits);
	else if (n->type == YT_FLOAT)
		vt_buf_printf(b, "%.17g", n->f);
	else if (n->type == YT_NULL)
		b->n--;
	else
		vt_put_json_repaired(b, n->text, n->ntext);
}

static void
dump_children(vt_buf *b, const ynode *n, int indent)
{
	for (uint32_t i = 0; i < n->n; i++) {
		if (n->kind == YN_MAP) {
			vt_buf_printf(b, "%*s? ", indent, "");
			yn_dump(b, n->key[i], indent + 2);
		}
		vt_buf_printf(b, "%*s%s ", indent, "", n->kind == YN_MAP ? ":" : "-");
		yn_dump(b, n->item[i], indent + 2);
	}
}

/* One line a node: kind, value, place. Items begin with "- ", keys with "? ", their values with ":
 * ". */
void
yn_dump(vt_buf *b, const ynode *n, int indent)
{
	switch ((enum yn_kind)n->kind) {
	case YN_SCALAR: dump_scalar(b, n); break;
	case YN_SEQ: vt_buf_puts(b, n->flow ? "flow seq" : "seq"); break;
	case YN_MAP: vt_buf_puts(b, n->flow ? "flow map" : "map"); break;
	case YN_ERROR: vt_buf_puts(b, "error"); break;
	}
	dump_place(b, n->span);
	vt_buf_puts(b, "\n");
	if (n->kind == YN_SEQ || n->kind == YN_MAP)
		dump_children(b, n, indent);
}

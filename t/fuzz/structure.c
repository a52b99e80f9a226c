/*
 * structure.c - a YAML document as a tree, a few changes of the tree, and the document again: keys
 * become other keys of the language, references lead to other names of the document, subtrees move,
 * repeat, vanish or grow deep.  What cannot be read is changed as bytes.
 */
#include "t/fuzz/structure.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_NODES = 4000, MAX_DEPTH = 60, MAX_CHANGES = 4, MAX_COPIES = 12 };
enum kind { SCALAR, LIST, MAP };

/* A map's children are key, value, key, value.  Nodes and texts live until the change is made. */
typedef struct node {
	enum kind kind;
	bool plain; /* a scalar without quotes */
	char *text; /* of a scalar */
	char *tag;  /* "!yaql", or NULL */
	struct node **child;
	uint32_t n, room;
} node;

typedef struct doc {
	node *all[MAX_NODES];
	uint32_t n;
	node *root;
} doc;

static uint64_t state;

static uint32_t
dice(uint32_t sides)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % (sides ? sides : 1));
}

/* ---- trees ---- */

static node *
new_node(doc *d, enum kind kind)
{
	node *k;

	if (d->n == MAX_NODES)
		return NULL;
	k = d->all[d->n++] = calloc(1, sizeof *k);
	if (k == NULL)
		abort();
	k->kind = kind;
	return k;
}

static node *
new_scalar(doc *d, const char *text, bool plain)
{
	node *k = new_node(d, SCALAR);

	if (k) {
		k->text = strdup(text);
		k->plain = plain;
	}
	return k;
}

static void
insert_child(node *parent, uint32_t at, node *k)
{
	if (k == NULL)
		return;
	if (parent->n == parent->room) {
		parent->room = parent->room ? 2 * parent->room : 4;
		parent->child = realloc(parent->child, parent->room * sizeof(node *));
		if (parent->child == NULL)
			abort();
	}
	memmove(parent->child + at + 1, parent->child + at, (parent->n - at) * sizeof(node *));
	parent->child[at] = k;
	parent->n++;
}

static void
remove_children(node *parent, uint32_t at, uint32_t n)
{
	parent->n -= n;
	memmove(parent->child + at, parent->child + at + n, (parent->n - at) * sizeof(node *));
}

static node *
copy_of(doc *d, const node *k, uint32_t depth)
{
	node *c = new_node(d, k->kind);

	if (c == NULL)
		return NULL;
	c->plain = k->plain;
	c->text = k->text ? strdup(k->text) : NULL;
	c->tag = k->tag ? strdup(k->tag) : NULL;
	for (uint32_t i = 0; i < k->n && depth < MAX_DEPTH; i++) {
		node *part = copy_of(d, k->child[i], depth + 1);
		if (part == NULL && k->kind == MAP) { /* no half pair */
			c->n -= i % 2;
			break;
		}
		insert_child(c, c->n, part);
	}
	return c;
}

static void
free_doc(doc *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		free(d->all[i]->text);
		free(d->all[i]->tag);
		free(d->all[i]->child);
		free(d->all[i]);
	}
	free(d);
}

/* ---- reading ---- */

static node *read_node(doc *d, yaml_parser_t *p, yaml_event_t *e, uint32_t depth);

/* What stands between a start and its end. */
static bool
read_children(doc *d, yaml_parser_t *p, node *k, yaml_event_type_t end, uint32_t depth)
{
	for (;;) {
		yaml_event_t e;
		node *part;
		if (!yaml_parser_parse(p, &e))
			return false;
		if (e.type == end) {
			yaml_event_delete(&e);
			return k->kind == LIST || k->n % 2 == 0;
		}
		part = read_node(d, p, &e, depth + 1);
		yaml_event_delete(&e);
		if (part == NULL)
			return false;
		insert_child(k, k->n, part);
	}
}

static node *
read_node(doc *d, yaml_parser_t *p, yaml_event_t *e, uint32_t depth)
{
	node *k;

	if (depth > MAX_DEPTH)
		return NULL;
	switch ((int)e->type) {
	case YAML_SCALAR_EVENT:
		k = new_scalar(d, (char *)e->data.scalar.value,
			e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
		if (k && e->data.scalar.tag)
			k->tag = strdup((char *)e->data.scalar.tag);
		return k;
	case YAML_SEQUENCE_START_EVENT:
		k = new_node(d, LIST);
		return k && read_children(d, p, k, YAML_SEQUENCE_END_EVENT, depth) ? k : NULL;
	case YAML_MAPPING_START_EVENT:
		k = new_node(d, MAP);
		return k && read_children(d, p, k, YAML_MAPPING_END_EVENT, depth) ? k : NULL;
	}
	return NULL; /* an alias: such a document is changed as bytes */
}

/* The first document of a text; NULL: it is not one that this knows. */
static doc *
read_doc(const uint8_t *data, size_t n)
{
	doc *d = calloc(1, sizeof *d);
	yaml_parser_t p;
	bool begun = false;

	if (d == NULL || !yaml_parser_initialize(&p))
		abort();
	yaml_parser_set_input_string(&p, data, n);
	while (!begun) {
		yaml_event_t e;
		if (!yaml_parser_parse(&p, &e))
			break;
		begun = e.type != YAML_STREAM_START_EVENT && e.type != YAML_DOCUMENT_START_EVENT;
		if (begun)
			d->root = read_node(d, &p, &e, 0);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&p);
	if (d->root && d->root->kind == MAP && d->root->n)
		return d;
	free_doc(d);
	return NULL;
}

/* ---- writing ---- */

typedef struct sink {
	char *p;
	size_t n, room;
} sink;

static void
put(sink *s, const char *text, size_t n)
{
	if (n > s->room - s->n)
		n = s->room - s->n;
	memcpy(s->p + s->n, text, n);
	s->n += n;
}

static void
puts_to(sink *s, const char *text)
{
	put(s, text, strlen(text));
}

static bool
may_be_plain(const char *t)
{
	return *t && !strpbrk(t, ",[]{}\n\"'") && !strstr(t, ": ") && !strstr(t, " #") &&
	       t[strlen(t) - 1] != ':' && t[strlen(t) - 1] != ' ' && !strchr("-?:#&*!|>%@` ", *t);
}

static void
write_scalar(sink *s, const node *k)
{
	if (k->tag && k->tag[0] == '!') {
		puts_to(s, k->tag);
		puts_to(s, " ");
	}
	if (k->plain && may_be_plain(k->text)) {
		puts_to(s, k->text);
		return;
	}
	puts_to(s, "\"");
	for (const char *p = k->text; *p; p++) {
		char hex[8];
		if (*p == '"' || *p == '\\')
			put(s, (char[]){'\\', *p}, 2);
		else if ((unsigned char)*p < ' ')
			put(s, hex, (size_t)snprintf(hex, sizeof hex, "\\x%02x", (unsigned)*p));
		else
			put(s, p, 1);
	}
	puts_to(s, "\"");
}

static void
write_flow(sink *s, const node *k)
{
	if (k->kind == SCALAR) {
		write_scalar(s, k);
		return;
	}
	puts_to(s, k->kind == MAP ? "{" : "[");
	for (uint32_t i = 0; i < k->n; i++) {
		write_flow(s, k->child[i]);
		if (i + 1 < k->n)
			puts_to(s, k->kind == MAP && i % 2 == 0 ? ": " : ", ");
	}
	puts_to(s, k->kind == MAP ? "}" : "]");
}

/* Two levels of lines, so that a target that cuts out bad lines loses little; then flow. */
static void
write_map(sink *s, const node *k, uint32_t depth)
{
	for (uint32_t i = 0; i < k->n; i += 2) {
		const node *v = k->child[i + 1];
		for (uint32_t b = 0; b < depth; b++)
			puts_to(s, "  ");
		write_flow(s, k->child[i]);
		puts_to(s, ":");
		if (depth < 3 && v->kind == MAP && v->n) {
			puts_to(s, "\n");
			write_map(s, v, depth + 1);
			continue;
		}
		puts_to(s, " ");
		write_flow(s, v);
		puts_to(s, "\n");
	}
}

static size_t
write_doc(const doc *d, uint8_t *out, size_t max)
{
	sink s = {(char *)out, 0, max};

	write_map(&s, d->root, 0);
	return s.n;
}

/* ---- changes ---- */

static uint32_t
length(const char *const *words)
{
	uint32_t n = 0;

	while (words[n])
		n++;
	return n;
}

static node *
any(doc *d)
{
	return d->all[dice(d->n)];
}

static node *
any_of(doc *d, enum kind kind)
{
	for (int i = 0; i < 30; i++) {
		node *k = any(d);
		if (k->kind == kind && (kind == SCALAR || k->n))
			return k;
	}
	return NULL;
}

static void
set_text(node *k, const char *text, bool plain)
{
	char *t = strdup(text);

	free(k->text);
	k->text = t;
	k->plain = plain;
}

static void
change_number(node *k)
{
	static const char *const edges[] = {"0", "-1", "1", "9223372036854775807",
		"9223372036854775808", "-9223372036854775808", "1e308", "1e-400", ".inf", ".nan",
		"0x7fffffff", "2147483648", "1000000", "''", "null", "true", "~", "2024-02-30"};

	set_text(k, edges[dice(sizeof edges / sizeof *edges)], true);
}

static void
change_scalar(doc *d)
{
	node *k = any_of(d, SCALAR), *other = any_of(d, SCALAR);

	if (k == NULL || other == NULL)
		return;
	switch (dice(4)) {
	case 0: change_number(k); return;
	case 1: set_text(k, fuzz_values[dice(length(fuzz_values))], true); return;
	default: set_text(k, other->text, other->plain); return;
	}
}

static void
change_key(doc *d)
{
	node *m = any_of(d, MAP), *other = any_of(d, MAP), *k, *from;

	if (m == NULL)
		return;
	k = m->child[dice(m->n / 2) * 2];
	if (k->kind != SCALAR)
		return;
	from = other ? other->child[dice(other->n / 2) * 2] : NULL;
	if (from && from->kind == SCALAR && dice(3) == 0)
		set_text(k, from->text, from->plain);
	else
		set_text(k, fuzz_keys[dice(length(fuzz_keys))], true);
}

static void
add_pair(doc *d)
{
	node *m = any_of(d, MAP), *from = any(d);
	node *key = new_scalar(d, fuzz_keys[dice(length(fuzz_keys))], true);
	node *value = from ? copy_of(d, from, 0) : NULL;

	if (m == NULL || key == NULL || value == NULL)
		return;
	insert_child(m, m->n, key);
	insert_child(m, m->n, value);
}

/* A subtree in place of another. */
static void
replace(doc *d)
{
	node *m = dice(2) ? any_of(d, MAP) : any_of(d, LIST), *k = copy_of(d, any(d), 0);
	uint32_t at;

	if (m == NULL || k == NULL)
		return;
	at = m->kind == MAP ? dice(m->n / 2) * 2 + 1 : dice(m->n);
	m->child[at] = k;
}

static void
drop(doc *d)
{
	node *m = dice(3) ? any_of(d, MAP) : any_of(d, LIST);

	if (m && m->kind == MAP)
		remove_children(m, dice(m->n / 2) * 2, 2);
	else if (m)
		remove_children(m, dice(m->n), 1);
}

/* An entry again, in a map under a name of its own or under the same. */
static void
repeat(doc *d)
{
	node *m = dice(2) ? any_of(d, MAP) : any_of(d, LIST);
	uint32_t times = 1 + (dice(4) ? 0 : dice(MAX_COPIES)), step = m && m->kind == MAP ? 2 : 1;
	uint32_t at = m ? dice(m->n / step) * step : 0;

	for (uint32_t i = 0; m && i < times; i++) {
		node *key = step == 2 ? copy_of(d, m->child[at], 0) : NULL;
		node *value = copy_of(d, m->child[at + step - 1], 0);
		if (value == NULL || (step == 2 && key == NULL))
			return;
		if (key && key->kind == SCALAR && dice(4)) {
			char name[80];
			snprintf(name, sizeof name, "%.60s%u", key->text, i);
			set_text(key, name, key->plain);
		}
		insert_child(m, m->n, key ? key : value);
		if (key)
			insert_child(m, m->n, value);
	}
}

static void
swap_entries(doc *d)
{
	node *m = dice(2) ? any_of(d, MAP) : any_of(d, LIST);
	uint32_t a, b;
	node *t;

	if (m == NULL)
		return;
	a = m->kind == MAP ? dice(m->n / 2) * 2 + 1 : dice(m->n);
	b = m->kind == MAP ? dice(m->n / 2) * 2 + 1 : dice(m->n);
	t = m->child[a];
	m->child[a] = m->child[b];
	m->child[b] = t;
}

/* A value becomes a list or a map with just it, some levels deep. */
static void
wrap(doc *d)
{
	node *m = dice(2) ? any_of(d, MAP) : any_of(d, LIST);
	uint32_t at, levels = dice(5) ? 1 : 1 + dice(MAX_DEPTH / 2);

	if (m == NULL)
		return;
	at = m->kind == MAP ? dice(m->n / 2) * 2 + 1 : dice(m->n);
	for (uint32_t i = 0; i < levels; i++) {
		node *w = new_node(d, dice(2) ? MAP : LIST);
		node *key = w && w->kind == MAP
				    ? new_scalar(d, fuzz_keys[dice(length(fuzz_keys))], true)
				    : NULL;
		if (w == NULL || (w->kind == MAP && key == NULL))
			return;
		insert_child(w, 0, key);
		insert_child(w, w->n, m->child[at]);
		m->child[at] = w;
	}
}

static void
unwrap(doc *d)
{
	node *m = any_of(d, MAP), *v;
	uint32_t at;

	if (m == NULL)
		return;
	at = dice(m->n / 2) * 2 + 1;
	v = m->child[at];
	if (v->n)
		m->child[at] = v->child[v->n - 1];
}

static void
change(doc *d)
{
	static void (*const changes[])(doc *) = {change_scalar, change_scalar, change_key, add_pair,
		replace, drop, repeat, swap_entries, wrap, unwrap};

	for (uint32_t i = 1 + dice(MAX_CHANGES); i > 0; i--)
		changes[dice(sizeof changes / sizeof *changes)](d);
}

/* ---- what the engines call ---- */

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned int seed)
{
	doc *d;

	state = seed * 2654435761u + 88172645463325252u;
	if (dice(5) == 0 || (d = read_doc(data, n)) == NULL)
		return LLVMFuzzerMutate(data, n, max);
	change(d);
	n = write_doc(d, data, max);
	free_doc(d);
	return n;
}

/* A part of one document in another. */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out,
	size_t max, unsigned int seed)
{
	doc *to = read_doc(a, na), *from = to ? read_doc(b, nb) : NULL;
	size_t n = 0;
	node *m, *k;

	state = seed * 2654435761u + 88172645463325252u;
	if (from) {
		m = any_of(to, MAP);
		k = copy_of(to, any(from), 0);
		if (m && k)
			m->child[dice(m->n / 2) * 2 + 1] = k;
		n = write_doc(to, out, max);
	}
	if (to)
		free_doc(to);
	if (from)
		free_doc(from);
	return n;
}

/*
 * read.c - text to graph: JSON as RFC 8259 has it, strict, in one pass.
 *
 * An object of one member, the tag with a text, becomes an edge while it is read; what it names may
 * come later.  The tag is known as long as `ref` stands before `vertices`, as the writer has it;
 * where it comes behind, mugl_retag goes over the vertices once more.  Items and members wait on
 * one stack until their number is known.
 *
 * Errors of syntax end the reading.  Others are collected, and what is wrong is left out of the
 * graph. A function that reads gives false after an error of syntax.
 */
#include "runtime/core/bytes.h"
#include "runtime/mugl/int.h"
#include "runtime/core/number.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAIRWISE = 12, MAX_VERTICES = 20000000 };
#define MAX_BYTES (UINT64_C(1) << 30)

typedef struct reader {
	mugl *g;
	mugl_problems *out;
	const char *text, *p, *end;
	uint32_t depth, max_depth;
	bool lenient, edges; /* edges: a vertex is being read */
	mugl_text tag;
	mugl_id vertex; /* that one */
	char *stack;
	size_t top, cap;
	const struct mugl_way *path; /* inside of the vertex */
	uint32_t *keys;              /* table of the keys of a large object */
	uint32_t nkeys;
	vt_buf buf;
} reader;

static __attribute__((cold)) bool
bad(reader *r, enum mugl_code code, const char *at, const char *why)
{
	mugl_add(r->out, r->g, code, (uint64_t)(at - r->text), "%s", why);
	return false;
}

static __attribute__((cold)) bool
syntax(reader *r, const char *at, const char *why)
{
	return bad(r, MUGL_BAD_JSON, at, why);
}

static inline void
blanks(reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
}

static inline bool
next_is(const reader *r, char c)
{
	return r->p < r->end && *r->p == c;
}

/* ---- the stack --------------------------------------------------------------------------- */

static void *
push(reader *r, size_t size)
{
	if (unlikely(r->cap - r->top < size)) {
		r->cap *= 2;
		r->stack = vt_xrealloc(r->stack, r->cap);
	}
	r->top += size;
	return r->stack + r->top - size;
}

/* What stands on the stack from `base` on, in the arena. */
static void *
pop(reader *r, size_t base)
{
	size_t n = r->top - base;
	void *p = NULL;

	if (n)
		p = memcpy(mugl_alloc(r->g, n), r->stack + base, n);
	r->top = base;
	return p;
}

/* ---- strings ---- */

static bool
hex4(reader *r, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++, r->p++) {
		int digit = r->p < r->end ? vt_hex_digit(*r->p) : -1;
		if (digit < 0)
			return syntax(r, r->p, "a \\u escape needs four hexadecimal digits");
		v = v * 16 + (uint32_t)digit;
	}
	*out = v;
	return true;
}

static __attribute__((cold)) bool
unicode(reader *r, const char *start)
{
	uint32_t cp, low;

	if (!hex4(r, &cp))
		return false;
	if (cp >= 0xd800 && cp < 0xdc00) {
		if (r->end - r->p < 2 || r->p[0] != '\\' || r->p[1] != 'u')
			return syntax(r, start, "half of a surrogate pair");
		r->p += 2;
		if (!hex4(r, &low))
			return false;
		if (low < 0xdc00 || low > 0xdfff)
			return syntax(r, start, "half of a surrogate pair");
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
	} else if (cp >= 0xdc00 && cp < 0xe000)
		return syntax(r, start, "half of a surrogate pair");
	vt_utf8_put(&r->buf, cp);
	return true;
}

static __attribute__((cold)) bool
escape(reader *r)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *start = r->p++, *k;

	if (r->p >= r->end)
		return syntax(r, start, "a string that is not closed");
	if (*r->p == 'u') {
		r->p++;
		return unicode(r, start);
	}
	k = *r->p ? strchr(from, *r->p) : NULL;
	if (k == NULL)
		return syntax(r, start, "an escape that does not exist");
	vt_buf_putc(&r->buf, to[k - from]);
	r->p++;
	return true;
}

/* Up to a byte that does not stand for itself. */
static void
plain(reader *r)
{
	const char *p = r->p, *end = r->end;

	for (; end - p >= VT_BLOCK; p += VT_BLOCK) {
		uint32_t stop = vt_marks16(p).stop;
		if (stop) {
			r->p = p + __builtin_ctz(stop);
			return;
		}
	}
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 32)
		p++;
	r->p = p;
}

/* At the opening quote. The text as a whole is known to be UTF-8. */
static bool
string(reader *r, const char **s, uint32_t *n)
{
	const char *quote = r->p++, *start = r->p;

	plain(r);
	if (likely(next_is(r, '"'))) {
		*s = start;
		*n = (uint32_t)(r->p++ - start);
		return true;
	}
	r->buf.n = 0;
	while (r->p < r->end && *r->p == '\\') {
		vt_buf_put(&r->buf, start, (size_t)(r->p - start));
		if (!escape(r))
			return false;
		start = r->p;
		plain(r);
	}
	if (r->p >= r->end)
		return syntax(r, quote, "a string that is not closed");
	if (*r->p != '"')
		return syntax(r, r->p, "a control character in a string");
	vt_buf_put(&r->buf, start, (size_t)(r->p++ - start));
	*s = mugl_keep(r->g, r->buf.n ? r->buf.p : "", r->buf.n, (uint64_t)(quote + 1 - r->text));
	*n = (uint32_t)r->buf.n;
	return true;
}

/* ---- numbers ---- */

static uint32_t
digits(reader *r)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return (uint32_t)(r->p - start);
}

static void
integer(const char *p, uint32_t n, mugl_node *out)
{
	bool minus = *p == '-';
	uint64_t u = 0;

	for (uint32_t i = minus; i < n; i++)
		u = u * 10 + (uint64_t)(p[i] - '0');
	if (n - minus <= 18)
		*out = mugl_int(minus ? -(int64_t)u : (int64_t)u);
	else if (n - minus == 19 && u <= (uint64_t)INT64_MAX + minus)
		*out = mugl_int(minus ? (int64_t)(~u + 1) : (int64_t)u);
	else
		*out = (mugl_node){.kind = MUGL_NUMBER, .n = n, .s = p};
}

/* One that overflows keeps its digits. */
static void
floating(const char *p, uint32_t n, mugl_node *out)
{
	double d;

	*out = (mugl_node){.kind = MUGL_NUMBER, .n = n, .s = p};
	if (vt_float_parse(p, n, &d) && d - d == 0)
		*out = mugl_float(d);
}

static bool
number(reader *r, mugl_node *out)
{
	const char *start = r->p, *first;
	bool whole = true;
	uint32_t n;

	r->p += *r->p == '-';
	first = r->p;
	n = digits(r);
	if (n == 0)
		return syntax(r, start, "a minus without a number");
	if (n > 1 && *first == '0')
		return syntax(r, start, "a number that begins with 0");
	if (next_is(r, '.')) {
		whole = false;
		r->p++;
		if (digits(r) == 0)
			return syntax(r, start, "a number that ends with its point");
	}
	if (r->p < r->end && (*r->p | 32) == 'e') {
		whole = false;
		r->p++;
		r->p += next_is(r, '+') || next_is(r, '-');
		if (digits(r) == 0)
			return syntax(r, start, "an exponent without digits");
	}
	n = (uint32_t)(r->p - start);
	(whole ? integer : floating)(start, n, out);
	return true;
}

/* ---- keys that come twice ---- */

static __attribute__((cold)) void
duplicate(reader *r, const char *key, uint32_t n)
{
	vt_buf b = {0};
	mugl_problem *p;

	mugl_put_shown(&b, (mugl_text){key, n});
	vt_buf_puts(&b, " comes twice in one object");
	if (r->edges && r->path) {
		vt_buf_puts(&b, ", at ");
		mugl_put_way(&b, r->path);
	}
	p = mugl_add(r->out, r->g, MUGL_DUPLICATE_KEY, mugl_quote_of(r->g, key), "the key %.*s",
		(int)b.n, b.p);
	p->key = mugl_said((mugl_text){key, n});
	if (r->edges)
		mugl_at(p, r->g, r->vertex);
	vt_buf_free(&b);
}

static bool
same_key(const mugl_member *a, const mugl_member *b)
{
	return a->nkey == b->nkey && memcmp(a->key, b->key, a->nkey) == 0;
}

/* Members that are new, in front; their number. */
static uint32_t
pairwise(reader *r, mugl_member *m, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = 0;
		while (j < kept && !same_key(&m[j], &m[i]))
			j++;
		if (j < kept)
			duplicate(r, m[i].key, m[i].nkey);
		else
			m[kept++] = m[i];
	}
	return kept;
}

static uint32_t
through_table(reader *r, mugl_member *m, uint32_t n)
{
	uint32_t size = 32, kept = 0;

	while (size < n * 2)
		size *= 2;
	if (size > r->nkeys) {
		r->keys = vt_xrealloc(r->keys, size * sizeof *r->keys);
		r->nkeys = size;
	}
	memset(r->keys, 0, size * sizeof *r->keys);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = mugl_hash(r->g, m[i].key, m[i].nkey) & (size - 1);
		while (r->keys[at] && !same_key(&m[r->keys[at] - 1], &m[i]))
			at = (at + 1) & (size - 1);
		if (r->keys[at]) {
			duplicate(r, m[i].key, m[i].nkey);
			continue;
		}
		r->keys[at] = kept + 1;
		m[kept++] = m[i];
	}
	return kept;
}

/* The members from `base` on as an object. */
static void
finish_object(reader *r, size_t base, mugl_node *out)
{
	mugl_member *m = (mugl_member *)(void *)(r->stack + base);
	uint32_t n = (uint32_t)((r->top - base) / sizeof *m);

	if (n > 1)
		n = n <= PAIRWISE ? pairwise(r, m, n) : through_table(r, m, n);
	r->top = base + n * sizeof *m;
	*out = (mugl_node){.kind = MUGL_OBJECT, .n = n};
	out->member = pop(r, base);
}

/* ---- values ---- */

static bool value(reader *, mugl_node *);

/* Behind an item or member: true, and *more says whether another follows. */
static bool
separator(reader *r, char close, bool *more)
{
	const char *comma;

	blanks(r);
	*more = false;
	if (next_is(r, close)) {
		r->p++;
		return true;
	}
	if (!next_is(r, ','))
		return syntax(r, r->p,
			r->p >= r->end ? "the text ends within a value"
			: close == '}' ? "a comma or } is missing here"
				       : "a comma or ] is missing here");
	comma = r->p++;
	blanks(r);
	*more = true;
	if (!next_is(r, close))
		return true;
	if (!r->lenient)
		return syntax(r, comma, "a comma that nothing follows (--lenient reads over it)");
	*more = false;
	r->p++;
	return true;
}

/* Behind the bracket; *more: there is something before the closing one. */
static bool
enter(reader *r, char close, bool *more)
{
	if (++r->depth > r->max_depth)
		return bad(r, MUGL_TOO_DEEP, r->p, "values are nested too deep here");
	r->p++;
	blanks(r);
	*more = !next_is(r, close);
	r->p += !*more;
	return true;
}

static bool
array(reader *r, mugl_node *out)
{
	struct mugl_way step = {r->path, NULL, 0};
	size_t base = r->top;
	bool more;

	if (!enter(r, ']', &more))
		return false;
	for (r->path = &step; more; step.n++) {
		mugl_node item;
		if (!value(r, &item))
			return false;
		memcpy(push(r, sizeof item), &item, sizeof item);
		if (!separator(r, ']', &more))
			return false;
	}
	r->depth--;
	r->path = step.up;
	*out = (mugl_node){
		.kind = MUGL_ARRAY, .n = (uint32_t)((r->top - base) / sizeof(mugl_node))};
	out->item = pop(r, base);
	return true;
}

/* A key and the colon behind it. */
static bool
key_and_colon(reader *r, const char **key, uint32_t *n)
{
	blanks(r);
	if (!next_is(r, '"'))
		return syntax(r, r->p,
			r->p >= r->end ? "the text ends within an object"
				       : "a key in double quotes is missing here");
	if (!string(r, key, n))
		return false;
	blanks(r);
	if (!next_is(r, ':'))
		return syntax(r, r->p, "a colon is missing here");
	r->p++;
	return true;
}

/* The last member of the object at `base` is the only one and makes it an edge. */
static bool
is_edge(const reader *r, size_t base)
{
	const mugl_member *m;

	if (!r->edges || r->top - base != sizeof *m)
		return false;
	m = (const mugl_member *)(const void *)(r->stack + base);
	return m->value.kind == MUGL_STR && mugl_is(r->tag, m->key, m->nkey);
}

static void
make_edge(reader *r, size_t base, mugl_node *out)
{
	const mugl_member *m = (const mugl_member *)(const void *)(r->stack + base);
	const mugl_node to = m->value;

	r->top = base;
	*out = (mugl_node){.kind = MUGL_EDGE, .place = mugl_quote_of(r->g, to.s)};
	out->n = mugl_intern(r->g, to.s, to.n);
}

static bool
object(reader *r, mugl_node *out)
{
	struct mugl_way step = {r->path, NULL, 0};
	size_t base = r->top;
	bool more;

	if (!enter(r, '}', &more))
		return false;
	while (more) {
		mugl_member m = {0};
		if (!key_and_colon(r, &m.key, &m.nkey))
			return false;
		step.key = m.key, step.n = m.nkey;
		r->path = &step;
		if (!value(r, &m.value))
			return false;
		r->path = step.up;
		memcpy(push(r, sizeof m), &m, sizeof m);
		if (!separator(r, '}', &more))
			return false;
	}
	r->depth--;
	if (is_edge(r, base))
		make_edge(r, base, out);
	else
		finish_object(r, base, out);
	return true;
}

static bool
word(reader *r, mugl_node *out)
{
	static const struct {
		const char *text;
		uint8_t kind;
	} words[] = {{"null", MUGL_NULL}, {"true", MUGL_TRUE}, {"false", MUGL_FALSE}};

	for (size_t i = 0; i < VT_LEN(words); i++) {
		size_t n = strlen(words[i].text);
		if ((size_t)(r->end - r->p) >= n && memcmp(r->p, words[i].text, n) == 0) {
			r->p += n;
			*out = (mugl_node){.kind = words[i].kind};
			return true;
		}
	}
	return syntax(r, r->p,
		r->p >= r->end ? "the text ends where a value is missing"
			       : "there is no value here");
}

static __attribute__((noinline)) bool
value(reader *r, mugl_node *out)
{
	blanks(r);
	switch (r->p < r->end ? *r->p : 0) {
	case '{': return object(r, out);
	case '[': return array(r, out);
	case '"': *out = (mugl_node){.kind = MUGL_STR}; return string(r, &out->s, &out->n);
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9': return number(r, out);
	}
	return word(r, out);
}

/* ---- vertices ---- */

static __attribute__((cold)) void
bad_vertex(reader *r, mugl_text name, uint64_t place, bool is_edge_to)
{
	vt_buf b = {0};

	mugl_put_shown(&b, name);
	mugl_add(r->out, r->g, MUGL_BAD_VERTEX, place, "the vertex %.*s is %s", (int)b.n, b.p,
		is_edge_to ? "an edge" : "no object")
		->at = mugl_said(name);
	vt_buf_free(&b);
}

/* False: the name is none; reported. */
static bool
new_vertex(reader *r, const char *key, uint32_t n)
{
	r->vertex = mugl_intern(r->g, key, n);
	if (n == 0)
		mugl_add(r->out, r->g, MUGL_EMPTY_MONIKER, mugl_quote_of(r->g, key),
			"a moniker is empty")
			->at = mugl_said(mugl_name(r->g, r->vertex));
	else if (r->g->v[r->vertex].defined) {
		r->edges = false;
		duplicate(r, key, n);
	} else
		return true;
	return false;
}

static void
define(reader *r, mugl_text name, const mugl_node *body, uint64_t place)
{
	if (body->kind == MUGL_OBJECT || body->kind == MUGL_EDGE) {
		*mugl_define(r->g, r->vertex) = *body;
		r->g->v[r->vertex].name = name.p; /* where it is defined is its place */
	} else
		bad_vertex(r, name, place, false);
}

static __attribute__((noinline)) bool
vertices(reader *r)
{
	uint32_t max = r->g->o.max_vertices ? r->g->o.max_vertices : MAX_VERTICES;
	bool more;

	if (!enter(r, '}', &more))
		return false;
	while (more) {
		const char *key, *at;
		uint32_t n;
		mugl_node body;
		bool good;
		if (!key_and_colon(r, &key, &n))
			return false;
		good = new_vertex(r, key, n);
		if (good && r->g->ndefined >= max)
			return bad(r, MUGL_TOO_LARGE, key, "there are too many vertices");
		blanks(r);
		at = r->p;
		r->edges = good;
		if (!value(r, &body))
			return false;
		r->edges = false;
		if (good)
			define(r, (mugl_text){key, n}, &body, (uint64_t)(at - r->text));
		if (!separator(r, '}', &more))
			return false;
	}
	r->depth--;
	return true;
}

/* Bodies that are edges are known as such only when the tag is. */
static __attribute__((cold)) void
edges_as_bodies(reader *r)
{
	mugl_id id;

	for (uint32_t i = 0; (id = mugl_next(r->g, &i)) != MUGL_NONE;)
		if (r->g->v[id].body.kind == MUGL_EDGE) {
			bad_vertex(r, mugl_name(r->g, id), mugl_quote_of(r->g, r->g->v[id].name),
				true);
			mugl_remove(r->g, id);
		}
}

static __attribute__((cold)) bool
tree_vertices(reader *r, const mugl_node *tree)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		const mugl_member *m = &tree->member[i];
		if (new_vertex(r, m->key, m->nkey))
			define(r, (mugl_text){m->key, m->nkey}, &m->value,
				mugl_quote_of(r->g, m->key));
	}
	return true;
}

static void mugl_retag(mugl *g, mugl_text from, mugl_text to);

__attribute__((cold)) bool
mugl_read_vertices(mugl *g, const mugl_node *tree, const char *tag, mugl_problems *out)
{
	reader r = {.g = g, .out = out};
	uint32_t before = out->errors;

	if (tree->kind != MUGL_OBJECT) {
		mugl_add(out, g, MUGL_BAD_VERTICES, UINT64_MAX, "vertices are no object");
		return false;
	}
	tree_vertices(&r, tree);
	mugl_retag(g, (mugl_text){NULL, 0}, mugl_c(tag));
	edges_as_bodies(&r);
	return out->errors == before;
}

/* ---- edges under another tag ---- */

__attribute__((cold)) void
mugl_retag_node(mugl *g, mugl_node *v, mugl_text from, mugl_text to)
{
	mugl_text name;

	if (v->kind == MUGL_EDGE && from.p) {
		uint64_t place = v->place;
		name = mugl_name(g, v->n);
		*v = mugl_object();
		v->n = 1;
		v->member = mugl_alloc(g, sizeof *v->member);
		*v->member = (mugl_member){from.p, from.n, {.kind = MUGL_STR, .n = name.n}};
		v->member->value.s = mugl_keep(g, name.p, name.n, place + 1);
		v->member->key = mugl_keep(g, from.p, from.n, UINT64_MAX);
	} else if (mugl_is_edge_object(v, to)) {
		const mugl_node text = v->member[0].value;
		*v = mugl_edge(g, text.s, text.n);
		v->place = mugl_quote_of(g, text.s);
	} else if (v->kind == MUGL_ARRAY)
		for (uint32_t i = 0; i < v->n; i++)
			mugl_retag_node(g, &v->item[i], from, to);
	else if (v->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < v->n; i++)
			mugl_retag_node(g, &v->member[i].value, from, to);
}

/* Turns {from: text} edges into data and {to: text} into edges; the vertices of the graph. */
static __attribute__((cold)) void
mugl_retag(mugl *g, mugl_text from, mugl_text to)
{
	mugl_id id;

	for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;) {
		mugl_node body = g->v[id].body; /* names may move while edges are made */
		mugl_retag_node(g, &body, from, to);
		g->v[id].body = body;
	}
}

/* ---- the document ---- */

typedef struct seen {
	bool vertices, ref;
	const char *resources; /* the key, where it was before any vertices */
} seen;

static __attribute__((cold)) bool
read_ref(reader *r, seen *s)
{
	mugl_node v;
	const char *at;

	blanks(r);
	at = r->p;
	if (!value(r, &v))
		return false;
	s->ref = true;
	if (v.kind != MUGL_STR || v.n == 0)
		return bad(r, MUGL_BAD_REF_TAG, at,
			       v.kind == MUGL_STR ? "ref is empty" : "ref is no text") ||
		       true;
	if (s->vertices)
		mugl_retag(r->g, r->tag, (mugl_text){v.s, v.n});
	r->tag = r->g->ref = (mugl_text){v.s, v.n};
	return true;
}

static bool
read_vertices(reader *r, seen *s)
{
	mugl_node v;
	const char *at;

	blanks(r);
	at = r->p;
	s->vertices = true;
	if (next_is(r, '{'))
		return vertices(r);
	return value(r, &v) && (bad(r, MUGL_BAD_VERTICES, at, "vertices are no object") || true);
}

static __attribute__((cold)) bool
read_member(reader *r, seen *s)
{
	mugl_member m = {0};
	bool ref, vs;

	if (!key_and_colon(r, &m.key, &m.nkey))
		return false;
	ref = m.nkey == 3 && memcmp(m.key, "ref", 3) == 0;
	vs = m.nkey == 8 && memcmp(m.key, "vertices", 8) == 0;
	if ((ref && s->ref) || (vs && s->vertices)) {
		duplicate(r, m.key, m.nkey);
		return value(r, &m.value);
	}
	if (ref)
		return read_ref(r, s);
	if (vs)
		return read_vertices(r, s);
	if (m.nkey == 9 && memcmp(m.key, "resources", 9) == 0)
		s->resources = m.key;
	if (!value(r, &m.value))
		return false;
	memcpy(push(r, sizeof m), &m, sizeof m);
	return true;
}

/* M9: a snapshot of old calls its vertices resources. */
static __attribute__((cold)) void
old_name(reader *r, const seen *s)
{
	mugl_node tree = {0};
	const mugl_node *v = mugl_get(&r->g->header, "resources", 9);

	if (v == NULL || v->kind != MUGL_OBJECT) {
		bad(r, MUGL_NO_VERTICES, r->text, "there are no vertices");
		return;
	}
	mugl_add(r->out, r->g, MUGL_OLD_NAME, (uint64_t)(s->resources - r->text) - 1,
		"resources is what snapshots of old call their vertices");
	tree = *v;
	mugl_drop(&r->g->header, "resources", 9);
	tree_vertices(r, &tree);
	mugl_retag(r->g, (mugl_text){NULL, 0}, r->tag);
}

static __attribute__((cold)) bool
document(reader *r)
{
	size_t base = r->top;
	seen s = {0};
	bool more = true;

	r->depth++;
	r->p++;
	blanks(r);
	if (next_is(r, '}')) {
		r->p++;
		more = false;
	}
	while (more)
		if (!read_member(r, &s) || !separator(r, '}', &more))
			return false;
	r->depth--;
	finish_object(r, base, &r->g->header);
	if (!s.vertices)
		old_name(r, &s);
	edges_as_bodies(r);
	return true;
}

static __attribute__((cold)) bool
at_end(reader *r)
{
	blanks(r);
	return r->p == r->end || syntax(r, r->p, "something follows the end of the document");
}

/* The document, or, where `out` is there, any value. */
static __attribute__((cold)) bool
whole(reader *r, mugl_node *out)
{
	const char *at;
	mugl_node v;

	blanks(r);
	at = r->p;
	if (out == NULL && next_is(r, '{'))
		return document(r) && at_end(r);
	if (!value(r, &v) || !at_end(r))
		return false;
	if (out == NULL)
		return bad(r, MUGL_NOT_OBJECT, at, "the document is no object");
	*out = v;
	return true;
}

/* ---- texts and files ---- */

static __attribute__((cold)) bool
fits(mugl *g, size_t n, mugl_problems *out)
{
	uint64_t max = g->o.max_bytes ? g->o.max_bytes : MAX_BYTES;

	if (n <= max && n < UINT32_MAX)
		return true;
	mugl_add(out, g, MUGL_TOO_LARGE, UINT64_MAX, "the text is larger than %llu bytes",
		(unsigned long long)max);
	return false;
}

/* g->text is there. */
static bool
run(mugl *g, mugl_node *out, mugl_problems *problems)
{
	reader r = {.g = g,
		.out = problems,
		.text = g->text,
		.p = g->text,
		.end = g->text + g->ntext,
		.max_depth = mugl_depth_limit(g),
		.lenient = g->o.lenient,
		.tag = mugl_c(MUGL_TAG)};
	size_t valid = vt_utf8_check(g->text, g->ntext);
	bool good;

	r.cap = 1 << 14; /* there from the beginning, for the members of {} are looked at too */
	r.stack = vt_xmalloc(r.cap);
	if (valid < g->ntext)
		good = syntax(&r, g->text + valid, "bytes that are not UTF-8");
	else
		good = whole(&r, out);
	free(r.stack);
	free(r.keys);
	vt_buf_free(&r.buf);
	return good;
}

bool
mugl_read_json(mugl *g, const char *text, size_t n, mugl_node *out, mugl_problems *problems)
{
	const char *before = g->text;
	uint64_t nbefore = g->ntext;
	char *copy;
	bool good;

	if (!fits(g, n, problems))
		return false;
	copy = mugl_alloc(g, n + 1); /* a graph may get several values so */
	memcpy(copy, text, n);
	g->text = copy;
	g->ntext = n;
	good = run(g, out, problems);
	g->text = before;
	g->ntext = nbefore;
	return good;
}

/* Takes the text, from malloc. */
static __attribute__((cold)) mugl *
read_owned(mugl *g, char *text, size_t n, mugl_problems *out)
{
	uint32_t before = out->errors;
	bool good;

	g->text = text;
	g->ntext = n;
	good = run(g, NULL, out);
	if (!good) {
		mugl_free(g);
		return NULL;
	}
	if (out->errors == before && !g->o.unchecked)
		mugl_check(g, g->o.snapshot, out);
	return g;
}

mugl *
mugl_read(const char *text, size_t n, const mugl_options *o, mugl_problems *out)
{
	mugl *g = mugl_new(o);
	char *copy;

	if (!fits(g, n, out)) {
		mugl_free(g);
		return NULL;
	}
	copy = vt_xmalloc(n + 1);
	if (n)
		memcpy(copy, text, n);
	return read_owned(g, copy, n, out);
}

/* All of a descriptor, up to one byte more than the limit; the size of a pipe is not known before.
 */
static __attribute__((cold)) char *
slurp(int fd, uint64_t max, size_t *n)
{
	size_t cap = 1 << 16;
	struct stat st;
	char *p;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size < max)
		cap = (size_t)st.st_size + 1;
	p = vt_xmalloc(cap);
	for (*n = 0; *n <= max;) {
		ssize_t k;
		if (*n == cap)
			p = vt_xrealloc(p, cap *= 2);
		k = read(fd, p + *n, cap - *n);
		if (k == 0)
			return p;
		if (k < 0 && errno != EINTR) {
			free(p);
			return NULL;
		}
		*n += k > 0 ? (size_t)k : 0;
	}
	return p;
}

__attribute__((cold)) char *
mugl_read_text(const char *path, const mugl_options *o, size_t *n, mugl_problems *out)
{
	uint64_t max = o && o->max_bytes ? o->max_bytes : MAX_BYTES;
	bool in = strcmp(path, "-") == 0;
	int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : slurp(fd, max, n);
	int err = errno;

	if (fd >= 0 && !in)
		close(fd);
	if (text == NULL)
		mugl_add(out, NULL, MUGL_IO, UINT64_MAX, "cannot be read: %s", strerror(err));
	return text;
}

__attribute__((cold)) mugl *
mugl_read_file(const char *path, const mugl_options *o, mugl_problems *out)
{
	size_t n = 0;
	char *text = mugl_read_text(path, o, &n, out);
	mugl *g;

	if (text == NULL)
		return NULL;
	g = mugl_new(o);
	if (fits(g, n, out))
		return read_owned(g, text, n, out);
	free(text);
	mugl_free(g);
	return NULL;
}

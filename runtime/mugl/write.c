/*
 * write.c - the canonical text of a graph, its digest, and files that are replaced as a whole.
 *
 * Four blanks a level, members in their order, `ref` first where there is one and `vertices` last;
 * characters as themselves but for quotes, backslashes and controls; numbers in their shortest
 * form.
 */
#define _GNU_SOURCE
#include "runtime/core/bytes.h"
#include "runtime/text/digest.h"
#include "runtime/mugl/int.h"
#include "runtime/text/outfile.h"
#include "runtime/core/number.h"

#include <errno.h>

enum { ONE_LINE = -1 };

/* ---- values ---- */

static char *
put_escape(char *to, unsigned char c)
{
	static const char hex[] = "0123456789abcdef", special[] = "\"\\\b\f\n\r\t",
			  letter[] = "\"\\bfnrt";
	const char *k = c ? strchr(special, c) : NULL;

	*to++ = '\\';
	if (k) {
		*to++ = letter[k - special];
		return to;
	}
	memcpy(to, "u00", 3);
	to[3] = hex[c >> 4];
	to[4] = hex[c & 15];
	return to + 5;
}

/* As many bytes as stand for themselves. */
static uint32_t
plain_part(const char *s, uint32_t n)
{
	uint32_t i = 0;

	for (; n - i >= VT_BLOCK; i += VT_BLOCK) {
		uint32_t stop = vt_marks16(s + i).stop;
		if (stop)
			return i + (uint32_t)__builtin_ctz(stop);
	}
	while (i < n && (unsigned char)s[i] >= 32 && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

static void
put_string(vt_buf *b, const char *s, uint32_t n)
{
	uint32_t k = plain_part(s, n);
	char *to = vt_buf_room(b, k == n ? (size_t)n + 2 : (size_t)n * 6 + 2);

	*to++ = '"';
	for (;;) {
		if (k)
			memcpy(to, s, k);
		to += k;
		s += k;
		n -= k;
		if (n == 0)
			break;
		to = put_escape(to, (unsigned char)*s++);
		n--;
		k = plain_part(s, n);
	}
	*to++ = '"';
	b->n = (size_t)(to - b->p);
}

static void
line(vt_buf *b, int indent)
{
	char *to;

	if (indent == ONE_LINE)
		return;
	to = vt_buf_room(b, (size_t)indent * 4 + 1);
	*to = '\n';
	memset(to + 1, ' ', (size_t)indent * 4);
	b->n += (size_t)indent * 4 + 1;
}

static inline int
deeper(int indent)
{
	return indent == ONE_LINE ? ONE_LINE : indent + 1;
}

static void
put_key(vt_buf *b, const char *key, uint32_t n, int indent)
{
	put_string(b, key, n);
	vt_buf_puts(b, indent == ONE_LINE ? ":" : ": ");
}

/* tag: of edges, quoted as it stands in the text, with its colon. */
static void put_value(const mugl *, vt_buf *, const mugl_node *, const vt_buf *tag, int indent);

static void
put_array(const mugl *g, vt_buf *b, const mugl_node *v, const vt_buf *tag, int indent)
{
	vt_buf_putc(b, '[');
	for (uint32_t i = 0; i < v->n; i++) {
		if (i)
			vt_buf_putc(b, ',');
		line(b, deeper(indent));
		put_value(g, b, &v->item[i], tag, deeper(indent));
	}
	if (v->n)
		line(b, indent);
	vt_buf_putc(b, ']');
}

static void
put_object(const mugl *g, vt_buf *b, const mugl_node *v, const vt_buf *tag, int indent)
{
	vt_buf_putc(b, '{');
	for (uint32_t i = 0; i < v->n; i++) {
		if (i)
			vt_buf_putc(b, ',');
		line(b, deeper(indent));
		put_key(b, v->member[i].key, v->member[i].nkey, indent);
		put_value(g, b, &v->member[i].value, tag, deeper(indent));
	}
	if (v->n)
		line(b, indent);
	vt_buf_putc(b, '}');
}

static void
put_int(vt_buf *b, int64_t i)
{
	char *to = vt_buf_room(b, 21), *end;

	if (i < 0)
		*to = '-';
	end = vt_decimal_put(to + (i < 0), i < 0 ? ~(uint64_t)i + 1 : (uint64_t)i);
	b->n = (size_t)(end - b->p);
}

static void
put_value(const mugl *g, vt_buf *b, const mugl_node *v, const vt_buf *tag, int indent)
{
	switch ((enum mugl_kind)v->kind) {
	case MUGL_NULL: vt_buf_put(b, "null", 4); break;
	case MUGL_FALSE: vt_buf_put(b, "false", 5); break;
	case MUGL_TRUE: vt_buf_put(b, "true", 4); break;
	case MUGL_INT: put_int(b, v->i); break;
	case MUGL_FLOAT: vt_float_repr(b, v->d); break;
	case MUGL_NUMBER: vt_buf_put(b, v->s, v->n); break;
	case MUGL_STR: put_string(b, v->s, v->n); break;
	case MUGL_ARRAY: put_array(g, b, v, tag, indent); break;
	case MUGL_OBJECT: put_object(g, b, v, tag, indent); break;
	case MUGL_EDGE:
		/* An edge stays on its line: that is how people write them. */
		vt_buf_puts(b, indent == ONE_LINE ? "{" : "{ ");
		vt_buf_put(b, tag->p, tag->n);
		vt_buf_puts(b, indent == ONE_LINE ? ":" : ": ");
		put_string(b, g->v[v->n].name, g->v[v->n].n);
		vt_buf_puts(b, indent == ONE_LINE ? "}" : " }");
		break;
	}
}

static void
mugl_write_bag(
	const mugl *g, vt_buf *b, const mugl_node *v, const char *tag, size_t ntag, int indent)
{
	vt_buf quoted = {0};

	put_string(&quoted, tag, (uint32_t)ntag);
	put_value(g, b, v, &quoted, indent);
	vt_buf_free(&quoted);
}

void
mugl_write_node(const mugl *g, vt_buf *b, const mugl_node *v, const char *tag)
{
	mugl_write_bag(g, b, v, tag, strlen(tag), ONE_LINE);
}

/* ---- a tag that no data looks like ---- */

/*
 * @@ref, @@ref1, @@ref2 ...: which of them data uses.  There are no more numbers to try than
 * objects that look so, and no bit beyond `room` matters.
 */
typedef struct used {
	mugl_text fixed;     /* or p NULL */
	bool hash, conflict; /* #ref; the fixed one */
	uint8_t *bit;        /* NULL while counting */
	uint32_t n, room;
} used;

/* The number of a tag of ours, 0 for @@ref itself; -1: none of them. */
static int64_t
tag_number(const char *key, uint32_t n)
{
	int64_t k = 0;

	if (n < 5 || n > 13 || memcmp(key, "@@ref", 5) != 0 || (n > 5 && key[5] == '0'))
		return -1;
	for (uint32_t i = 5; i < n; i++) {
		if (key[i] < '0' || key[i] > '9')
			return -1;
		k = k * 10 + (key[i] - '0');
	}
	return k;
}

static void
look(used *u, const mugl_node *v)
{
	if (v->kind == MUGL_ARRAY)
		for (uint32_t i = 0; i < v->n; i++)
			look(u, &v->item[i]);
	else if (v->kind == MUGL_OBJECT && v->n == 1 && v->member[0].value.kind == MUGL_STR) {
		const mugl_member *m = &v->member[0];
		int64_t k = tag_number(m->key, m->nkey);
		u->hash |= mugl_is(mugl_c(MUGL_TAG), m->key, m->nkey);
		u->conflict |= u->fixed.p && mugl_is(u->fixed, m->key, m->nkey);
		if (u->bit && k >= 0 && k < u->room)
			u->bit[k] = 1;
		u->n += k >= 0;
	} else if (v->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < v->n; i++)
			look(u, &v->member[i].value);
}

static void
look_all(used *u, const mugl *g)
{
	mugl_id id;

	for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE; mugl_leave(g))
		look(u, mugl_enter(g, id));
}

static void
look_also(void *u, const mugl_node *body)
{
	look(u, body);
}

static void
put_free_tag(used *u, vt_buf *tag)
{
	uint32_t k = 0;

	while (u->bit[k])
		k++;
	vt_buf_puts(tag, "@@ref");
	if (k)
		vt_buf_printf(tag, "%u", k);
}

static void
make_room(used *u)
{
	u->room = u->n + 1;
	u->bit = vt_xzalloc(u->room);
}

bool
mugl_tag_for(const mugl_node *v, vt_buf *tag)
{
	used u = {0};

	look(&u, v);
	if (!u.hash) {
		vt_buf_puts(tag, MUGL_TAG);
		return false;
	}
	make_room(&u);
	look(&u, v);
	put_free_tag(&u, tag);
	free(u.bit);
	return true;
}

/* The tag, and whether `ref` has to say it; all bodies were looked at. */
static bool
choose_tag(const mugl *g, used u, vt_buf *tag, bool *tagged, mugl_problems *out)
{
	*tagged = g->ref.p || u.hash;
	if (u.conflict) {
		vt_buf b = {0};
		mugl_put_shown(&b, g->ref);
		mugl_add(out, NULL, MUGL_REF_CONFLICT, UINT64_MAX,
			"there are data that look like edges tagged %.*s", (int)b.n, b.p)
			->ref = mugl_said(g->ref);
		vt_buf_free(&b);
		return false;
	}
	if (g->ref.p)
		vt_buf_put(tag, g->ref.p, g->ref.n);
	else if (!u.hash)
		vt_buf_puts(tag, MUGL_TAG);
	else {
		make_room(&u);
		look_all(&u, g);
		put_free_tag(&u, tag);
		free(u.bit);
	}
	return true;
}

/* ---- the document ---- */

static void
put_header(const mugl *g, vt_buf *b, int flags, int indent)
{
	const vt_buf none = {0};
	bool done = false;
	char digest[65] = "";

	for (uint32_t i = 0; i < g->header.n; i++) {
		const mugl_member *m = &g->header.member[i];
		bool own = m->nkey == 9 && memcmp(m->key, "integrity", 9) == 0 &&
			   m->value.kind == MUGL_STR && m->value.n >= strlen(MUGL_INTEGRITY) &&
			   memcmp(m->value.s, MUGL_INTEGRITY, strlen(MUGL_INTEGRITY)) == 0;
		if (mugl_is(mugl_c("ref"), m->key, m->nkey) ||
			mugl_is(mugl_c("vertices"), m->key, m->nkey))
			continue;
		done |= m->nkey == 9 && memcmp(m->key, "integrity", 9) == 0;
		line(b, indent);
		put_key(b, m->key, m->nkey, indent);
		if (own) {
			mugl_digest(g, digest);
			vt_buf_printf(b, "\"%s%s\"", MUGL_INTEGRITY, digest);
		} else
			put_value(g, b, &m->value, &none, indent);
		vt_buf_putc(b, ',');
	}
	if (flags & MUGL_DIGEST && !done) {
		mugl_digest(g, digest);
		line(b, indent);
		put_key(b, "integrity", 9, indent);
		vt_buf_printf(b, "\"%s%s\",", MUGL_INTEGRITY, digest);
	}
}

static void
put_vertices(const mugl *g, vt_buf *b, const mugl_id *order, const vt_buf *tag, int indent)
{
	vt_buf_putc(b, '{');
	for (uint32_t i = 0; i < g->ndefined; i++) {
		const mugl_vertex *v = &g->v[order[i]];
		if (i)
			vt_buf_putc(b, ',');
		line(b, deeper(indent));
		put_key(b, v->name, v->n, indent);
		put_value(g, b, mugl_enter(g, order[i]), tag, deeper(indent));
		mugl_leave(g);
	}
	if (g->ndefined)
		line(b, indent);
	vt_buf_putc(b, '}');
}

static void
put_document(
	const mugl *g, int flags, const mugl_id *order, const vt_buf *tag, bool tagged, vt_buf *b)
{
	int indent = flags & MUGL_COMPACT ? ONE_LINE : 1;
	vt_buf quoted = {0};

	put_string(&quoted, tag->p, (uint32_t)tag->n);
	vt_buf_putc(b, '{');
	if (tagged) {
		line(b, indent);
		put_key(b, "ref", 3, indent);
		vt_buf_put(b, quoted.p, quoted.n);
		vt_buf_putc(b, ',');
	}
	put_header(g, b, flags, indent);
	line(b, indent);
	put_key(b, "vertices", 8, indent);
	put_vertices(g, b, order, &quoted, indent);
	if (indent == ONE_LINE)
		vt_buf_putc(b, '}');
	else
		vt_buf_puts(b, "\n}\n");
	vt_buf_free(&quoted);
}

bool
mugl_write(const mugl *g, int flags, vt_buf *b, mugl_problems *out)
{
	vt_buf tag = {0};
	bool tagged, good;
	mugl_links l;
	mugl_id *order, *cycle = NULL;
	used u = {.fixed = g->ref};
	uint32_t n;

	mugl_links_seen(g, &l, look_also, &u);
	for (uint64_t e = 0; e < l.start[g->nv]; e++)
		if (!g->v[l.to[e]].defined) {
			mugl_links_free(&l);
			return mugl_check(g, false, out) && !g->make;
		}
	if (g->o.snapshot)
		cycle = mugl_find_cycle(g, &l, &n);
	if (cycle)
		mugl_report_cycle(g, cycle, n, out);
	good = !cycle && choose_tag(g, u, &tag, &tagged, out);
	free(cycle);
	if (good) {
		vt_buf_room(b,
			g->ntext + g->ntext / (flags & MUGL_COMPACT ? 8 : 2)); /* about as much */
		order = mugl_order_by(g, &l, flags & MUGL_KEEP);
		put_document(g, flags, order, &tag, tagged, b);
		free(order);
	}
	mugl_links_free(&l);
	vt_buf_free(&tag);
	return good;
}

bool
mugl_write_made(mugl *g, int flags, mugl_make *make, void *ctx, vt_buf *b, mugl_problems *out)
{
	bool good;

	g->make = make;
	g->make_ctx = ctx;
	good = mugl_write(g, flags, b, out);
	g->make = NULL;
	return good;
}

/* ---- the digest ---- */

static int
by_key(const void *a, const void *b)
{
	const mugl_member *x = *(const mugl_member *const *)a, *y = *(const mugl_member *const *)b;

	return mugl_text_cmp((mugl_text){x->key, x->nkey}, (mugl_text){y->key, y->nkey});
}

static void put_sorted(const mugl *, vt_buf *, const mugl_node *);

static void
put_sorted_members(const mugl *g, vt_buf *b, const mugl_node *v)
{
	enum { FEW = 16 };
	const mugl_member *few[FEW], **m = v->n <= FEW ? few : vt_xmalloc(v->n * sizeof *m);

	for (uint32_t i = 0; i < v->n; i++)
		m[i] = &v->member[i];
	qsort(m, v->n, sizeof *m, by_key);
	vt_buf_putc(b, '{');
	for (uint32_t i = 0; i < v->n; i++) {
		put_string(b, m[i]->key, m[i]->nkey);
		put_sorted(g, b, &m[i]->value);
	}
	vt_buf_putc(b, '}');
	if (m != few)
		free(m);
}

/* No JSON: an edge is @"moniker", whatever the tag. */
static void
put_sorted(const mugl *g, vt_buf *b, const mugl_node *v)
{
	if (v->kind == MUGL_OBJECT)
		put_sorted_members(g, b, v);
	else if (v->kind == MUGL_EDGE) {
		vt_buf_putc(b, '@');
		put_string(b, g->v[v->n].name, g->v[v->n].n);
	} else if (v->kind == MUGL_ARRAY) {
		vt_buf_putc(b, '[');
		for (uint32_t i = 0; i < v->n; i++) {
			put_sorted(g, b, &v->item[i]);
			vt_buf_putc(b, ',');
		}
		vt_buf_putc(b, ']');
	} else
		put_value(g, b, v, NULL, ONE_LINE);
}

static int
by_name(const void *a, const void *b, void *g)
{
	return mugl_text_cmp(mugl_name(g, *(const mugl_id *)a), mugl_name(g, *(const mugl_id *)b));
}

void
mugl_digest(const mugl *g, char out[65])
{
	mugl_id id, *sorted = vt_xmalloc(((size_t)g->ndefined + 1) * sizeof *sorted);
	vt_buf b = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;)
		sorted[n++] = id;
	qsort_r(sorted, n, sizeof *sorted, by_name, (void *)(uintptr_t)g);
	for (uint32_t i = 0; i < n; i++) {
		put_string(&b, g->v[sorted[i]].name, g->v[sorted[i]].n);
		put_sorted(g, &b, mugl_enter(g, sorted[i]));
		mugl_leave(g);
		vt_buf_putc(&b, '\n');
	}
	char hex[VT_DIGEST_TEXT];
	vt_digest("sha256", b.n ? b.p : "", b.n, hex);
	memcpy(out, hex, 65);
	vt_buf_free(&b);
	free(sorted);
}

/* ---- files ---- */

/* A new one is the owner's alone: it may hold secrets. */
bool
mugl_replace_file(const char *path, const char *p, size_t n, mugl_problems *out)
{
	bool good = vt_replace_file(path, p, n, VT_FILE_PRIVATE);

	if (!good)
		mugl_add(out, NULL, MUGL_IO, UINT64_MAX, "cannot be written: %s", strerror(errno));
	return good;
}

bool
mugl_save(const mugl *g, const char *path, int flags, mugl_problems *out)
{
	vt_buf b = {0};
	bool good = mugl_write(g, flags, &b, out) && mugl_replace_file(path, b.p, b.n, out);

	vt_buf_free(&b);
	return good;
}

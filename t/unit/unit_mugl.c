/*
 * Graphs at random: what is written is read again, byte by byte the same; orders are valid; plans
 * lead from one graph to the other; what is shuffled is repaired; what is cut off is refused; a
 * journal that is cut off gives a state that was.  `unit_mugl ROUNDS SEED` runs more of it.
 */
#include "runtime/mugl/mugl.h"
#include "runtime/call/call.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned tests, failures;
static uint64_t state = 88172645463325252u;

static void
report(bool good, const char *what)
{
	failures += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", ++tests, what);
}

/* The first round that breaks a property is told. */
typedef struct property {
	const char *name;
	bool broken;
	uint32_t n;
} property;
enum {
	SAME_AGAIN,
	BYTES,
	ORDER,
	EMPTY_DIFF,
	APPLIED,
	GENERAL,
	FLIPPED,
	PERMUTED,
	STEPS,
	DELETE_FIRST,
	TRUNCATED,
	REPAIRED,
	IDEMPOTENT,
	VALUES,
	JOURNAL,
	TORN,
	SNAPSHOT,
	NPROPERTIES
};
static property all[NPROPERTIES] = {
	[SAME_AGAIN] = {.name = "what is written is read as the same graph"},
	[BYTES] = {.name = "and written as the same bytes"},
	[ORDER] = {.name = "a graph without cycles is written in order"},
	[EMPTY_DIFF] = {.name = "a graph does not differ from itself"},
	[APPLIED] = {.name = "the plan from a to b makes b of a"},
	[GENERAL] = {.name = "also between graphs with cycles"},
	[FLIPPED] =
		{.name = "a text with a digest of which a bit was changed is refused or the same"},
	[PERMUTED] = {.name = "the order of vertices and members changes neither digest nor plan"},
	[STEPS] = {.name = "its steps can be done in their order"},
	[DELETE_FIRST] = {.name = "also when replacements are deleted first"},
	[TRUNCATED] = {.name = "a text that is cut off is refused"},
	[REPAIRED] = {.name = "a shuffled snapshot with holes is repaired"},
	[IDEMPOTENT] = {.name = "and then there is nothing to repair"},
	[VALUES] = {.name = "values of a session come back"},
	[JOURNAL] = {.name = "a journal gives what was journalled"},
	[TORN] = {.name = "also when it is cut off anywhere"},
	[SNAPSHOT] = {.name = "the snapshot of a graph of objects is valid and stable"}};

static void
must(int which, bool good, uint32_t round, const char *note)
{
	all[which].n++;
	if (good || all[which].broken)
		return;
	all[which].broken = true;
	printf("# %s: round %u: %s\n", all[which].name, round, note);
}

static uint32_t
dice(uint32_t sides)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % (sides ? sides : 1));
}

/* ---- random graphs ---- */

enum { MOST = 14 };
static const char *const words[] = {"a", "b", "#ref", "@@ref", "@@ref1", "ref", "key with blanks",
	"\xc3\xa9\xe2\x82\xac", "quote\"back\\slash", "tab\tline\n\x01", "", "vertices", "$edge",
	"x.y[0]/z"};

static mugl_node
any_text(mugl *g)
{
	const char *s = words[dice(VT_LEN(words))];

	return mugl_str(g, s, strlen(s));
}

static mugl_node
any_number(mugl *g)
{
	static const char *const big[] = {
		"123456789012345678901234567890", "1e999", "-99999999999999999999"};
	mugl_node v;
	const char *s;

	switch (dice(4)) {
	case 0: return mugl_int((int64_t)dice(20) - 10);
	case 1: return mugl_int(dice(2) ? INT64_MAX : INT64_MIN);
	case 2: return mugl_float((double)dice(1000) / 7 + 0.1);
	}
	s = big[dice(3)];
	v = mugl_str(g, s, strlen(s));
	v.kind = MUGL_NUMBER;
	return v;
}

/* Edges to names below `edges` of those there are; data that look like edges are among it. */
static mugl_node
any_value(mugl *g, uint32_t edges, int depth)
{
	mugl_node v;
	char name[16];

	switch (dice(depth > 0 ? 9 : 5)) {
	case 0: return dice(2) ? mugl_null() : mugl_bool(dice(2));
	case 1: return any_number(g);
	case 2:
	case 3: return any_text(g);
	case 4:
		if (edges == 0)
			return mugl_null();
		return mugl_edge(g, name, (size_t)snprintf(name, sizeof name, "v%u", dice(edges)));
	case 5:
	case 6:
		v = mugl_array();
		for (uint32_t n = dice(4); n > 0; n--)
			mugl_push(g, &v, any_value(g, edges, depth - 1));
		return v;
	}
	v = mugl_object();
	for (uint32_t n = dice(4); n > 0; n--) {
		const char *k = words[dice(VT_LEN(words))];
		mugl_node w = any_value(g, edges, depth - 1);
		mugl_put(g, &v, k, strlen(k), w);
	}
	return v;
}

static void
any_resource(mugl *g, mugl_id id, uint32_t edges)
{
	static const char *const types[] = {"t:A", "t:B"};
	mugl_node p = mugl_object(), type = mugl_str(g, types[dice(4) == 0], 3);
	mugl_node *body;

	for (uint32_t n = dice(4); n > 0; n--) {
		const char *k = words[dice(VT_LEN(words))];
		mugl_node v = any_value(g, edges, 2);
		mugl_put(g, &p, k, strlen(k), v);
	}
	body = mugl_define(g, id);
	mugl_put(g, body, "type", 4, type);
	mugl_put(g, body, "properties", 10, p);
}

static mugl_id
vertex(mugl *g, uint32_t i)
{
	char name[16];

	return mugl_intern(g, name, (size_t)snprintf(name, sizeof name, "v%u", i));
}

/* A snapshot has edges to vertices of a smaller number only; they are defined in any order. */
static mugl *
any_graph(bool snapshot)
{
	mugl_options o = {.snapshot = snapshot};
	mugl *g = mugl_new(&o);
	uint32_t n = dice(MOST), order[MOST];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = dice(i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		mugl_id id = vertex(g, order[i]);
		if (snapshot)
			any_resource(g, id, order[i]);
		else {
			mugl_node v = any_value(g, n, 3);
			*mugl_define(g, id) = v.kind == MUGL_OBJECT ? v : mugl_object();
		}
	}
	/* Circles that nothing leads to. */
	for (uint32_t i = 0; i < n && !snapshot && dice(2); i += 2) {
		mugl_id a = vertex(g, i), b = vertex(g, i + 1);
		mugl_node to_a = {.kind = MUGL_EDGE, .n = a, .place = UINT64_MAX};
		mugl_node to_b = {.kind = MUGL_EDGE, .n = b, .place = UINT64_MAX};
		mugl_put(g, mugl_define(g, a), "x", 1, to_b);
		mugl_put(g, mugl_define(g, b), "y", 1, to_a);
	}
	if (dice(3) == 0) {
		mugl_node v = any_value(g, 0, 2);
		mugl_put(g, mugl_header(g), "package", 7, v);
	}
	return g;
}

/* Every edge of a value leads to the vertex `to`. */
static void
retarget(mugl_node *v, mugl_id to)
{
	if (v->kind == MUGL_EDGE)
		v->n = to;
	else if (v->kind == MUGL_ARRAY)
		for (uint32_t i = 0; i < v->n; i++)
			retarget(&v->item[i], to);
	else if (v->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < v->n; i++)
			retarget(&v->member[i].value, to);
}

/* Some vertices changed, some gone, some new; of some the edges alone. */
static mugl *
changed(const mugl *from)
{
	mugl *g = mugl_clone(from);

	for (uint32_t i = 0; i < MOST; i++) {
		mugl_id id = vertex(g, i);
		uint32_t what = dice(8);
		if (what == 0 || (what == 1 && mugl_defined(g, id)))
			any_resource(g, id, i);
		else if (what == 2 && i > 0 && mugl_defined(g, id))
			retarget(mugl_bag(g, id), vertex(g, dice(i)));
	}
	/* Edges to what is not there become what is. */
	for (uint32_t i = 0; i < MOST; i++)
		if (!mugl_defined(g, vertex(g, i)))
			any_resource(g, vertex(g, i), 0);
	return g;
}

/* ---- writing and reading ---- */

static bool
same_graph(const mugl *a, const mugl *b)
{
	char x[65], y[65];

	mugl_digest(a, x);
	mugl_digest(b, y);
	return strcmp(x, y) == 0 && mugl_same_node(a, mugl_header((mugl *)(uintptr_t)a), b,
					    mugl_header((mugl *)(uintptr_t)b));
}

static void
written(uint32_t round, const mugl *g, bool snapshot)
{
	vt_buf a = {0}, b = {0};
	mugl_problems bad = {0};
	mugl_options o = {.snapshot = snapshot};
	mugl *h = NULL;
	bool good = mugl_write(g, round % 3 == 0 ? MUGL_COMPACT : 0, &a, &bad);

	if (good)
		h = mugl_read(a.p, a.n, &o, &bad);
	must(SAME_AGAIN, h && bad.errors == 0 && same_graph(g, h), round,
		bad.n ? bad.p[0].message : "another graph");
	if (h) {
		mugl_write(h, round % 3 == 0 ? MUGL_COMPACT : 0, &b, &bad);
		must(BYTES, a.n == b.n && memcmp(a.p, b.p, a.n) == 0, round, "other bytes");
		if (mugl_is_dag(g))
			must(ORDER, mugl_in_order(h), round, "not in order");
	}
	for (size_t n = 0; h && n + 1 < a.n; n += 1 + a.n / 400) {
		mugl_problems cut = {0};
		mugl *part = mugl_read(a.p, n, &o, &cut);
		must(TRUNCATED, cut.errors > 0, round, "taken");
		mugl_free(part);
		mugl_problems_free(&cut);
	}
	mugl_free(h);
	mugl_problems_free(&bad);
	vt_buf_free(&a);
	vt_buf_free(&b);
}

/* ---- plans ---- */

typedef struct ready {
	const mugl_plan *p;
	const uint8_t *made, *gone;
	bool good;
} ready;

static void
needs(void *ctx, mugl_text label, mugl_id to)
{
	ready *r = ctx;

	(void)label;
	r->good &= r->made[to] || r->p->fate[to] == MUGL_SAME;
}

typedef struct blocks {
	const mugl_plan *p;
	const uint8_t *made, *gone;
	mugl_id target;
	mugl_id of;
	bool good;
} blocks;

/* `of` depended on the target, which goes. */
static void
blocked(void *ctx, mugl_text label, mugl_id to)
{
	blocks *b = ctx;
	mugl_id is = b->p->is[b->of];

	(void)label;
	if (to != b->target || b->gone[b->of])
		return;
	/* One that stays the same refers to what comes in its place. */
	b->good &= is != MUGL_NONE && (b->made[is] || b->p->fate[is] == MUGL_SAME);
}

static bool
can_go(const mugl_plan *p, const uint8_t *made, const uint8_t *gone, mugl_id was)
{
	blocks b = {p, made, gone, was, 0, true};

	for (uint32_t i = 0; (b.of = mugl_next(p->from, &i)) != MUGL_NONE;)
		mugl_each_edge(p->from, b.of, blocked, &b);
	return b.good;
}

static bool
can_be_done(const mugl_plan *p, bool delete_first)
{
	uint8_t made[256] = {0}, gone[256] = {0};
	bool good = true;

	for (uint32_t i = 0; i < p->nsteps; i++) {
		const mugl_step *s = &p->step[i];
		ready r = {p, made, gone, true};
		if (s->kind == MUGL_DELETE || s->kind == MUGL_DELETE_REPLACED) {
			good &= gone[s->was] == 0;
			if (!delete_first)
				good &= can_go(p, made, gone, s->was);
			if (s->kind == MUGL_DELETE_REPLACED)
				good &= delete_first ? !made[s->is] : made[s->is];
			gone[s->was] = 1;
			continue;
		}
		mugl_each_edge(p->to, s->is, needs, &r);
		if (s->kind == MUGL_CREATE_REPLACEMENT && delete_first)
			good &= gone[s->was];
		good &= r.good && !made[s->is];
		made[s->is] = 1;
	}
	return good;
}

static void
planned(uint32_t round, const mugl *a, const mugl *b)
{
	mugl_plan *p = mugl_diff(a, a, false);

	must(EMPTY_DIFF, mugl_plan_empty(p) && p->nsteps == 0, round, "there are steps");
	mugl_plan_free(p);
	for (int first = 0; first < 2; first++) {
		vt_buf text = {0};
		mugl *done;
		p = mugl_diff(a, b, first);
		done = mugl_plan_apply(p);
		must(APPLIED, same_graph(done, b), round, "another graph");
		must(first ? DELETE_FIRST : STEPS, can_be_done(p, first), round,
			"not in this order");
		mugl_plan_json(p, &text);
		mugl_plan_text(p, &text, true);
		vt_buf_free(&text);
		mugl_free(done);
		mugl_plan_free(p);
	}
}

/* General graphs: no order of steps is promised, the result is. */
static void
planned_general(uint32_t round, const mugl *a, const mugl *b)
{
	mugl_plan *p = mugl_diff(a, a, false);
	mugl *done;

	must(GENERAL, mugl_plan_empty(p), round, "it differs from itself");
	mugl_plan_free(p);
	p = mugl_diff(a, b, round % 2);
	done = mugl_plan_apply(p);
	must(GENERAL, same_graph(done, b), round, "another graph");
	mugl_free(done);
	mugl_plan_free(p);
}

/* ---- a bit that was changed, an order that was ---- */

static void
flipped(uint32_t round, const mugl *g)
{
	vt_buf a = {0};
	mugl_problems bad = {0};
	char was[65], is[65];

	mugl_digest(g, was);
	if (!mugl_write(g, MUGL_DIGEST | MUGL_COMPACT, &a, &bad))
		must(FLIPPED, false, round, "cannot be written");
	for (int i = 0; i < 20 && a.n; i++) {
		size_t at = dice((uint32_t)a.n);
		mugl_problems told = {0};
		mugl *h;
		a.p[at] ^= (char)(1 << dice(8));
		h = mugl_read(a.p, a.n, NULL, &told);
		if (h && told.errors == 0) {
			mugl_digest(h, is);
			must(FLIPPED, strcmp(was, is) == 0, round, "taken");
		}
		mugl_free(h);
		mugl_problems_free(&told);
		mugl_problems_free(&bad);
		a.n = 0;
		mugl_write(g, MUGL_DIGEST | MUGL_COMPACT, &a, &bad);
	}
	mugl_problems_free(&bad);
	vt_buf_free(&a);
}

static void
reversed(mugl_node *v)
{
	for (uint32_t i = 0; v->kind == MUGL_ARRAY && i < v->n; i++)
		reversed(&v->item[i]);
	for (uint32_t i = 0; v->kind == MUGL_OBJECT && i < v->n; i++)
		reversed(&v->member[i].value);
	for (uint32_t i = 0, n = v->n; v->kind == MUGL_OBJECT && i < n / 2; i++) {
		mugl_member t = v->member[i];
		v->member[i] = v->member[n - 1 - i];
		v->member[n - 1 - i] = t;
	}
}

static void
permuted(uint32_t round, const mugl *g)
{
	mugl *h = mugl_new(NULL), *other;
	mugl_id id[64], k;
	uint32_t n = 0;
	mugl_plan *p;

	for (uint32_t i = 0; (k = mugl_next(g, &i)) != MUGL_NONE;)
		id[n++] = k;
	while (n-- > 0) {
		mugl_text name = mugl_name(g, id[n]);
		mugl_node body = mugl_copy_node(h, g, mugl_body(g, id[n]));
		reversed(&body);
		*mugl_define(h, mugl_intern(h, name.p, name.n)) = body;
	}
	other = mugl_clone(g);
	*mugl_header(other) = mugl_object();
	must(PERMUTED, same_graph(other, h), round, "another digest");
	p = mugl_diff(g, h, false);
	must(PERMUTED, mugl_plan_empty(p), round, "a plan");
	mugl_plan_free(p);
	mugl_free(other);
	mugl_free(h);
}

/* ---- repair ---- */

/* A text with the vertices in any order, some left out. */
static void
shuffled(const mugl *g, vt_buf *b)
{
	mugl_id id[64];
	uint32_t n = 0;
	bool any = false;

	for (uint32_t i = 0; (id[n] = mugl_next(g, &i)) != MUGL_NONE; n++) {
		uint32_t j = dice(n + 1);
		mugl_id t = id[n];
		id[n] = id[j];
		id[j] = t;
	}
	vt_buf_puts(b, "{\"ref\":\"<->\",\"vertices\":{");
	for (uint32_t i = 0; i < n; i++) {
		if (dice(5) == 0)
			continue;
		vt_buf_printf(b, "%s\"%s\":", any ? "," : "", mugl_name(g, id[i]).p);
		mugl_write_node(g, b, mugl_body(g, id[i]), "<->");
		any = true;
	}
	vt_buf_puts(b, any && dice(2) ? ",}}" : "}}");
}

static void
repaired(uint32_t round, const mugl *g)
{
	mugl_options lax = {.lenient = true, .unchecked = true, .snapshot = true},
		     strict = {.snapshot = true};
	mugl_problems removed = {0}, left = {0}, none = {0};
	vt_buf text = {0}, out = {0};
	mugl *h, *again;
	bool good;

	shuffled(g, &text);
	h = mugl_read(text.p, text.n, &lax, &removed);
	good = h && mugl_repair(h, true, &removed, &left) && mugl_write(h, MUGL_KEEP, &out, &left);
	again = good ? mugl_read(out.p, out.n, &strict, &left) : NULL;
	must(REPAIRED, again && left.n == 0 && mugl_in_order(again) && same_graph(h, again), round,
		left.n ? left.p[0].message : "not valid");
	if (again)
		must(IDEMPOTENT, mugl_repair(again, true, &none, &left) && none.n == 0, round,
			"something goes");
	mugl_free(h);
	mugl_free(again);
	mugl_problems_free(&removed);
	mugl_problems_free(&left);
	mugl_problems_free(&none);
	vt_buf_free(&text);
	vt_buf_free(&out);
}

/* ---- values of a session ---- */

static void
values(uint32_t round, vt_rt *rt)
{
	mugl *g = mugl_new(NULL);
	mugl_node v, back;
	vt_value x;
	const char *why = "";

	do
		v = any_value(g, 3, 3);
	while (v.kind == MUGL_NUMBER);
	x = mugl_to_value(g, rt, &v, "~edge");
	if (mugl_from_value(g, rt, x, "~edge", &back, &why))
		must(VALUES, mugl_same_node(g, &v, g, &back), round, "another value");
	else
		must(VALUES, strstr(why, "infinity") != NULL, round, why);
	vt_release(x);
	mugl_free(g);
}

/* ---- journals ---- */

enum { STEPS_MOST = 6 };

static bool
journal_to(mugl_journal *j, mugl *g, char digests[][65], uint32_t n)
{
	mugl_problems bad = {0};
	bool good = true;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = dice(MOST);
		mugl_id id = vertex(g, k);
		mugl_text name = mugl_name(g, id);
		good &= mugl_journal_begin(j, name.p, name.n, MUGL_UPDATE, &bad);
		if (dice(4) == 0)
			mugl_remove(g, id);
		else
			any_resource(g, id, k);
		good &= mugl_journal_step(j, name.p, name.n, &bad);
		mugl_digest(g, digests[i + 1]);
	}
	mugl_problems_free(&bad);
	return good;
}

static char *
contents(const char *path, size_t *n)
{
	mugl_problems bad = {0};
	char *p = mugl_read_text(path, NULL, n, &bad);

	mugl_problems_free(&bad);
	return p;
}

/* The state after some of the steps. */
static bool
is_state(const mugl *g, char digests[][65], uint32_t n)
{
	char now[65];

	mugl_digest(g, now);
	for (uint32_t i = 0; i <= n; i++)
		if (strcmp(now, digests[i]) == 0)
			return true;
	return false;
}

static void
torn(uint32_t round, const char *path, const mugl *base, char digests[][65])
{
	size_t n;
	char *whole = contents(path, &n);

	for (size_t k = 0; k < n; k += 1 + dice(40)) {
		mugl_problems bad = {0};
		mugl *g = mugl_clone(base);
		mugl_journal *j;
		FILE *f = fopen(path, "wb");
		fwrite(whole, 1, k, f);
		fclose(f);
		j = mugl_journal_open(path, g, &bad);
		must(TORN, j && is_state(g, digests, STEPS_MOST), round,
			bad.n ? bad.p[0].message : "a state that never was");
		mugl_journal_close(j);
		mugl_free(g);
		mugl_problems_free(&bad);
	}
	free(whole);
}

static void
journals(uint32_t round, const mugl *base, const char *dir)
{
	char *path = vt_asprintf("%s/journal", dir), *snapshot = vt_asprintf("%s/snapshot", dir);
	char digests[STEPS_MOST + 1][65];
	mugl_problems bad = {0};
	mugl *g = mugl_clone(base), *again = mugl_clone(base);
	mugl_journal *j;
	uint32_t pending = 1;

	unlink(path);
	mugl_digest(g, digests[0]);
	j = mugl_journal_open(path, g, &bad);
	must(JOURNAL, j && journal_to(j, g, digests, STEPS_MOST), round, "cannot be written");
	mugl_journal_close(j);
	j = mugl_journal_open(path, again, &bad);
	if (j)
		mugl_journal_pending(j, &pending);
	must(JOURNAL, j && same_graph(g, again) && pending == 0, round,
		bad.n ? bad.p[0].message : "another graph");
	mugl_journal_close(j);
	torn(round, path, base, digests);
	mugl_free(g);
	mugl_free(again);
	mugl_problems_free(&bad);
	unlink(path);
	unlink(snapshot);
	free(path);
	free(snapshot);
}

/* ---- snapshots of objects ---- */

static void
snapshots(uint32_t round)
{
	mugl *g = any_graph(false), *s, *more;
	mugl_problems bad = {0};
	mugl_node *root = mugl_define(g, mugl_intern(g, "root", 4));
	char x[65] = "", y[65] = "";

	for (uint32_t i = 0; i < MOST; i++)
		if (mugl_defined(g, vertex(g, i)) && dice(2)) {
			mugl_id id = vertex(g, i);
			mugl_put(g, mugl_bag(g, id), "type", 4, mugl_str(g, "t:A", 3));
		}
	root = mugl_bag(g, mugl_intern(g, "root", 4));
	for (uint32_t i = 0; i < MOST; i++) {
		char label[16];
		if (mugl_defined(g, vertex(g, i)))
			mugl_put(g, root, label, (size_t)snprintf(label, sizeof label, "p%u", i),
				(mugl_node){
					.kind = MUGL_EDGE, .n = vertex(g, i), .place = UINT64_MAX});
	}
	mugl_root(g, mugl_intern(g, "root", 4));
	more = mugl_clone(g);
	mugl_define(more, mugl_intern(more, "unrelated", 9));
	s = mugl_snapshot(g, &bad);
	if (s) {
		mugl *t = mugl_snapshot(more, &bad);
		mugl_digest(s, x);
		if (t)
			mugl_digest(t, y);
		mugl_free(t);
	}
	must(SNAPSHOT,
		s ? mugl_check(s, true, &bad) && strcmp(x, y) == 0
		  : bad.errors > 0 && bad.p[0].code == MUGL_CYCLE,
		round, bad.n ? bad.p[0].message : "another snapshot");
	mugl_free(s);
	mugl_free(g);
	mugl_free(more);
	mugl_problems_free(&bad);
}

int
main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 300;
	char dir[] = "/tmp/unit_mugl.XXXXXX";
	vt_rt *rt = vt_rt_new(NULL);

	if (argc > 2)
		state += strtoull(argv[2], NULL, 0) * 2654435761u;
	if (!mkdtemp(dir))
		return 2;
	for (uint32_t i = 0; i < rounds; i++) {
		mugl *g = any_graph(false), *a = any_graph(true), *b = changed(a), *c = changed(b);
		mugl *h = any_graph(false);
		written(i, g, false);
		written(i, a, true);
		planned(i, a, b);
		planned(i, b, c);
		planned(i, c, a);
		planned_general(i, g, h);
		planned_general(i, a, h);
		flipped(i, g);
		permuted(i, g);
		permuted(i, c);
		repaired(i, c);
		values(i, rt);
		if (i % 8 == 0)
			journals(i, c, dir);
		snapshots(i);
		mugl_free(g);
		mugl_free(h);
		mugl_free(a);
		mugl_free(b);
		mugl_free(c);
	}
	rmdir(dir);
	vt_rt_free(rt);
	for (int i = 0; i < NPROPERTIES; i++)
		report(!all[i].broken && all[i].n > 0, all[i].name);
	printf("1..%u\n", tests);
	return failures != 0;
}

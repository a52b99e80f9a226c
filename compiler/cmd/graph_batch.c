/*
 * graph_batch.c - `vetro graph --batch`: one request a line, one answer a line.
 *
 * {"op", ...} -> {"value": ...} or {"error": {"type", "message", ...}}; docs/mugl.md lists the
 * operations.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/graph_int.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct request {
	const mugl_options *o;
	mugl *line; /* what was read; owns root */
	mugl_node root;
	mugl_problems bad;
	vt_buf out;          /* the value */
	const char *refused; /* a request that means nothing */
} request;

static const mugl_node *
field(const request *r, const char *name)
{
	return mugl_get(&r->root, name, strlen(name));
}

static bool
field_is(const request *r, const char *name, const char *text)
{
	const mugl_node *v = field(r, name);

	return v && v->kind == MUGL_STR && v->n == strlen(text) && memcmp(v->s, text, v->n) == 0;
}

static bool
flag(const request *r, const char *name)
{
	const mugl_node *v = field(r, name);

	return v && v->kind == MUGL_TRUE;
}

static bool
refuse(request *r, const char *why)
{
	r->refused = why;
	return false;
}

static mugl_options
options(const request *r)
{
	mugl_options o = *r->o;

	o.snapshot |= field_is(r, "kind", "snapshot");
	o.lenient |= flag(r, "lenient");
	return o;
}

/* ---- graphs of requests ---- */

static bool
take_roots(request *r, mugl *g, const mugl_node *roots)
{
	if (roots == NULL)
		return true;
	for (uint32_t i = 0; roots->kind == MUGL_ARRAY && i < roots->n; i++) {
		const mugl_node *v = &roots->item[i];
		mugl_id id = v->kind == MUGL_STR ? mugl_find(g, v->s, v->n) : MUGL_NONE;
		if (id == MUGL_NONE)
			return refuse(r, "roots are names of vertices");
		mugl_root(g, id);
	}
	return roots->kind == MUGL_ARRAY || refuse(r, "roots are a list");
}

static bool
fill(request *r, mugl *g, const mugl_node *from)
{
	const mugl_node *vertices = mugl_get(from, "vertices", 8),
			*header = mugl_get(from, "header", 6);
	const mugl_node *ref = mugl_get(from, "ref", 3);
	mugl_node tree;

	if (vertices == NULL)
		return refuse(r, "the graph has no vertices");
	if (header && header->kind != MUGL_OBJECT)
		return refuse(r, "the header is no object");
	if (header)
		*mugl_header(g) = mugl_copy_node(g, r->line, header);
	if (ref && (ref->kind != MUGL_STR || !mugl_set_ref(g, ref->s, ref->n)))
		return refuse(r, "ref is no text");
	tree = mugl_copy_node(g, r->line, vertices);
	return mugl_read_vertices(g, &tree, "$edge", &r->bad) &&
	       take_roots(r, g, mugl_get(from, "roots", 5));
}

/* {"roots"?, "ref"?, "header"?, "vertices"}, edges as {"$edge": moniker}. */
static mugl *
graph_of(request *r)
{
	const mugl_node *from = field(r, "graph");
	mugl_options o = options(r);
	mugl *g;

	if (from == NULL || from->kind != MUGL_OBJECT) {
		refuse(r, "graph is missing");
		return NULL;
	}
	g = mugl_new(&o);
	if (fill(r, g, from))
		return g;
	mugl_free(g);
	return NULL;
}

/* A MuGL text, or the document itself. */
static mugl *
text_of(request *r, const char *name, const mugl_options *o)
{
	const mugl_node *v = field(r, name);
	vt_buf b = {0};
	mugl *g;

	if (v == NULL || (v->kind != MUGL_STR && v->kind != MUGL_OBJECT)) {
		refuse(r, "a text is missing");
		return NULL;
	}
	if (v->kind == MUGL_STR)
		return mugl_read(v->s, v->n, o, &r->bad);
	mugl_write_node(r->line, &b, v, "");
	g = mugl_read(b.p, b.n, o, &r->bad);
	vt_buf_free(&b);
	return g;
}

/* ---- operations ---- */

static bool
serialize(request *r)
{
	mugl *g = graph_of(r);
	bool good = g && mugl_check(g, options(r).snapshot, &r->bad) &&
		    mugl_write(g, MUGL_COMPACT, &r->out, &r->bad);

	mugl_free(g);
	return good;
}

typedef struct lister {
	const mugl *g;
	vt_buf *b;
	mugl_id from;
	bool any;
} lister;

static void
put_text(vt_buf *b, mugl_text t)
{
	vt_json_str(b, t.p, t.n);
}

static void
list_edge(void *ctx, mugl_text label, mugl_id to)
{
	lister *l = ctx;

	vt_buf_puts(l->b, l->any ? ",[" : "[");
	l->any = true;
	put_text(l->b, mugl_name(l->g, l->from));
	vt_buf_putc(l->b, ',');
	put_text(l->b, label);
	vt_buf_putc(l->b, ',');
	put_text(l->b, mugl_name(l->g, to));
	vt_buf_putc(l->b, ']');
}

static bool
load(request *r)
{
	mugl_options o = options(r);
	mugl *g = text_of(r, "text", &o);
	lister l = {.g = g, .b = &r->out};

	if (g == NULL || r->bad.errors) {
		mugl_free(g);
		return false;
	}
	vt_buf_puts(&r->out, "{\"edges\":[");
	for (uint32_t i = 0; (l.from = mugl_next(g, &i)) != MUGL_NONE;)
		mugl_each_edge(g, l.from, list_edge, &l);
	vt_buf_printf(&r->out, "],\"dag\":%s,\"forward_refs\":%u}",
		mugl_is_dag(g) ? "true" : "false", mugl_forward_refs(g));
	mugl_free(g);
	return true;
}

static void
put_moniker(vt_buf *b, const mugl *g, const mugl_moniker *m)
{
	put_text(b, mugl_name(g, m->vertex));
	vt_buf_puts(b, ":{\"moniker\":");
	put_text(b, m->moniker);
	vt_buf_puts(b, ",\"aliases\":[");
	for (uint32_t i = 0; i < m->naliases; i++) {
		if (i)
			vt_buf_putc(b, ',');
		put_text(b, m->alias[i]);
	}
	vt_buf_puts(b, "]}");
}

static bool
monikers(request *r)
{
	mugl *g = graph_of(r);
	mugl_moniker *m;
	uint32_t n;
	bool good = g && mugl_check(g, false, &r->bad) && mugl_monikers(g, &m, &n, &r->bad);

	vt_buf_putc(&r->out, '{');
	for (uint32_t i = 0; good && i < n; i++) {
		if (i)
			vt_buf_putc(&r->out, ',');
		put_moniker(&r->out, g, &m[i]);
	}
	vt_buf_putc(&r->out, '}');
	mugl_free(g);
	return good;
}

static bool
snapshot(request *r)
{
	mugl *g = graph_of(r), *s = NULL;
	bool good = g && mugl_check(g, false, &r->bad) && (s = mugl_snapshot(g, &r->bad)) != NULL &&
		    mugl_write(s, MUGL_COMPACT, &r->out, &r->bad);

	mugl_free(s);
	mugl_free(g);
	return good;
}

static bool
plan(request *r, bool apply)
{
	mugl_options o = options(r);
	mugl *from = text_of(r, "old", &o), *to = from ? text_of(r, "new", &o) : NULL, *done;
	bool good = from && to && r->bad.errors == 0;

	if (good) {
		mugl_plan *p = mugl_diff(from, to, field_is(r, "replace", "delete-before-replace"));
		if (apply) {
			done = mugl_plan_apply(p);
			good = mugl_write(done, MUGL_COMPACT, &r->out, &r->bad);
			mugl_free(done);
		} else
			mugl_plan_json(p, &r->out);
		mugl_plan_free(p);
	}
	mugl_free(from);
	mugl_free(to);
	return good;
}

static bool
diff(request *r)
{
	return plan(r, false);
}

static bool
apply(request *r)
{
	return plan(r, true);
}

static bool
put_document(request *r, const mugl *g, int flags)
{
	vt_buf text = {0};
	bool good = mugl_write(g, flags, &text, &r->bad);

	if (good)
		vt_json_str(&r->out, text.p, text.n);
	vt_buf_free(&text);
	return good;
}

static bool
format(request *r)
{
	mugl_options o = options(r);
	mugl *g = text_of(r, "text", &o);
	int flags = (flag(r, "compact") ? MUGL_COMPACT : 0) | (flag(r, "digest") ? MUGL_DIGEST : 0);
	bool good = g && r->bad.errors == 0 && put_document(r, g, flags);

	mugl_free(g);
	return good;
}

static bool
repair(request *r)
{
	mugl_options o = options(r);
	mugl_problems removed = {0};
	mugl *g;
	bool good;

	o.lenient = o.unchecked = true;
	g = text_of(r, "text", &o);
	removed = r->bad;
	r->bad = (mugl_problems){0};
	good = g && mugl_repair(g, o.snapshot, &removed, &r->bad);
	if (good) {
		vt_buf_puts(&r->out, "{\"text\":");
		good = put_document(r, g, MUGL_KEEP);
		vt_buf_puts(&r->out, ",\"removed\":[");
		for (uint32_t i = 0; i < removed.n; i++) {
			if (i)
				vt_buf_putc(&r->out, ',');
			mugl_problem_json(&r->out, &removed.p[i]);
		}
		vt_buf_puts(&r->out, "]}");
	} else if (r->bad.errors == 0) { /* the reader's are why */
		mugl_problems none = r->bad;
		r->bad = removed;
		removed = none;
	}
	mugl_problems_free(&removed);
	mugl_free(g);
	return good;
}

/* ---- lines ---- */

static const struct {
	const char *name;
	bool (*run)(request *);
} operations[] = {{"serialize", serialize}, {"load", load}, {"monikers", monikers}, {"diff", diff},
	{"snapshot", snapshot}, {"apply", apply}, {"fmt", format}, {"repair", repair}};

static bool
run(request *r, const char *line, size_t n)
{
	if (!mugl_read_json(r->line, line, n, &r->root, &r->bad) || r->bad.errors ||
		r->root.kind != MUGL_OBJECT)
		return refuse(r, r->bad.n ? r->bad.p[0].message : "a request is an object");
	for (size_t i = 0; i < VC_LEN(operations); i++)
		if (field_is(r, "op", operations[i].name))
			return operations[i].run(r);
	return refuse(r,
		"op is none of serialize, load, monikers, diff, snapshot, apply, fmt and repair");
}

static void
put_error(const request *r, vt_buf *b)
{
	const mugl_problem *p = NULL;

	for (uint32_t i = 0; i < r->bad.n && p == NULL; i++)
		if (!r->bad.p[i].warning)
			p = &r->bad.p[i];
	vt_buf_puts(b, "{\"error\":");
	if (r->refused || p == NULL) {
		const char *why = r->refused ? r->refused : "the request failed";
		vt_buf_puts(b, "{\"type\":\"bad_request\",\"message\":");
		vt_json_str(b, why, strlen(why));
		vt_buf_putc(b, '}');
	} else
		mugl_problem_json(b, p);
	vt_buf_puts(b, "}\n");
}

static void
answer(void *ctx, const char *line, size_t n)
{
	const mugl_options *o = ctx;
	request r = {.o = o};
	vt_buf b = {0};

	r.line = mugl_new(o);
	if (run(&r, line, n)) {
		vt_buf_puts(&b, "{\"value\":");
		vt_buf_put(&b, r.out.p, r.out.n);
		vt_buf_puts(&b, "}\n");
	} else
		put_error(&r, &b);
	fwrite(b.p, 1, b.n, stdout);
	fflush(stdout);
	vt_buf_free(&b);
	vt_buf_free(&r.out);
	mugl_problems_free(&r.bad);
	mugl_free(r.line);
}

int
graph_batch(const mugl_options *o)
{
	return vc_each_line(answer, (void *)(uintptr_t)o);
}

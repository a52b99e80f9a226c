/* show.c - plans as JSON and as a tree for people; graphs as DOT. */
#include "runtime/mugl/int.h"
#include "runtime/core/printable.h"
#include "runtime/text/text.h"

/* ---- JSON ---- */

/* An edge is the object {"#ref": moniker} here, whatever tags the two texts have. */
typedef struct seen_as {
	mugl_node node;
	mugl_member member;
} seen_as;

static const mugl_node *
as_object(const mugl *g, const mugl_node *v, seen_as *s)
{
	if (v->kind != MUGL_EDGE)
		return v;
	s->member = (mugl_member){MUGL_TAG, 4, {.kind = MUGL_STR, .n = g->v[v->n].n}};
	s->member.value.s = g->v[v->n].name;
	s->node = (mugl_node){.kind = MUGL_OBJECT, .n = 1};
	s->node.member = &s->member;
	return &s->node;
}

static void
put_name(vt_buf *b, mugl_text t)
{
	vt_json_str(b, t.p, t.n);
}

/* Opens "NAME":{ or goes on in it. */
static void
part(vt_buf *b, const char *name, bool *open, bool *any)
{
	if (*open) {
		vt_buf_putc(b, ',');
		return;
	}
	vt_buf_printf(b, "%s\"%s\":{", *any ? "," : "", name);
	*open = *any = true;
}

static void
end_part(vt_buf *b, bool open)
{
	if (open)
		vt_buf_putc(b, '}');
}

static void json_change(const mugl_plan *, vt_buf *, const mugl_node *a, const mugl_node *c);

/* Members that are in `x` and not in `y`. */
static void
json_only(const mugl *g, vt_buf *b, const char *name, const mugl_node *x, const mugl_index *y,
	bool *any)
{
	bool open = false;

	for (uint32_t i = 0; i < x->n; i++) {
		const mugl_member *m = &x->member[i];
		if (mugl_index_get(y, m->key, m->nkey, i))
			continue;
		part(b, name, &open, any);
		put_name(b, (mugl_text){m->key, m->nkey});
		vt_buf_putc(b, ':');
		mugl_write_node(g, b, &m->value, MUGL_TAG);
	}
	end_part(b, open);
}

static void
json_object(const mugl_plan *p, vt_buf *b, const mugl_node *a, const mugl_node *c)
{
	seen_as sa, sc;
	const mugl_node *x = as_object(p->from, a, &sa), *y = as_object(p->to, c, &sc);
	bool edges = a->kind == MUGL_EDGE && c->kind == MUGL_EDGE, any = false, open = false;
	mugl_index ix, iy;

	mugl_index_make(&ix, x);
	mugl_index_make(&iy, y);
	vt_buf_putc(b, '{');
	json_only(p->to, b, "adds", y, &ix, &any);
	json_only(p->from, b, "deletes", x, &iy, &any);
	for (uint32_t i = 0; i < x->n; i++) {
		const mugl_member *m = &x->member[i], *n = mugl_index_get(&iy, m->key, m->nkey, i);
		if (n == NULL || (!edges && mugl_same(p, p->from, &m->value, p->to, &n->value)))
			continue;
		part(b, "updates", &open, &any);
		put_name(b, (mugl_text){m->key, m->nkey});
		vt_buf_putc(b, ':');
		json_change(p, b, &m->value, &n->value);
	}
	end_part(b, open);
	vt_buf_putc(b, '}');
	mugl_index_free(&ix);
	mugl_index_free(&iy);
}

static void
json_items(const mugl *g, vt_buf *b, const char *name, const mugl_node *v, uint32_t from, bool *any)
{
	bool open = false;

	for (uint32_t i = from; i < v->n; i++) {
		part(b, name, &open, any);
		vt_buf_printf(b, "\"%u\":", i);
		mugl_write_node(g, b, &v->item[i], MUGL_TAG);
	}
	end_part(b, open);
}

static void
json_array(const mugl_plan *p, vt_buf *b, const mugl_node *a, const mugl_node *c)
{
	uint32_t both = a->n < c->n ? a->n : c->n;
	bool any = false, open = false;

	vt_buf_putc(b, '{');
	json_items(p->to, b, "adds", c, both, &any);
	json_items(p->from, b, "deletes", a, both, &any);
	for (uint32_t i = 0; i < both; i++) {
		if (mugl_same(p, p->from, &a->item[i], p->to, &c->item[i]))
			continue;
		part(b, "updates", &open, &any);
		vt_buf_printf(b, "\"%u\":", i);
		json_change(p, b, &a->item[i], &c->item[i]);
	}
	end_part(b, open);
	vt_buf_putc(b, '}');
}

static bool
is_object(const mugl_node *v)
{
	return v->kind == MUGL_OBJECT || v->kind == MUGL_EDGE;
}

static void
json_change(const mugl_plan *p, vt_buf *b, const mugl_node *a, const mugl_node *c)
{
	if (is_object(a) && is_object(c)) {
		vt_buf_puts(b, "{\"object\":");
		json_object(p, b, a, c);
	} else if (a->kind == MUGL_ARRAY && c->kind == MUGL_ARRAY) {
		vt_buf_puts(b, "{\"array\":");
		json_array(p, b, a, c);
	} else {
		vt_buf_puts(b, "{\"old\":");
		mugl_write_node(p->from, b, a, MUGL_TAG);
		vt_buf_puts(b, ",\"new\":");
		mugl_write_node(p->to, b, c, MUGL_TAG);
	}
	vt_buf_putc(b, '}');
}

static void
json_names(const mugl_plan *p, vt_buf *b, const char *name, enum mugl_fate fate)
{
	bool any = false;

	vt_buf_printf(b, "\"%s\":[", name);
	for (uint32_t i = 0; i < p->nto; i++) {
		if (p->fate[p->to_order[i]] != fate)
			continue;
		if (any)
			vt_buf_putc(b, ',');
		any = true;
		put_name(b, mugl_name(p->to, p->to_order[i]));
	}
	vt_buf_putc(b, ']');
}

static void
json_updates(const mugl_plan *p, vt_buf *b)
{
	bool any = false;

	vt_buf_puts(b, "\"updates\":{");
	for (uint32_t i = 0; i < p->nto; i++) {
		mugl_id is = p->to_order[i];
		const mugl_node *x, *y;
		if (p->fate[is] != MUGL_CHANGED)
			continue;
		if (any)
			vt_buf_putc(b, ',');
		any = true;
		put_name(b, mugl_name(p->to, is));
		vt_buf_putc(b, ':');
		mugl_compared_pair(p, p->was[is], is, &x, &y);
		if (is_object(x) && is_object(y))
			json_object(p, b, x, y);
		else
			json_change(p, b, x, y);
	}
	vt_buf_putc(b, '}');
}

static void
json_deletes(const mugl_plan *p, vt_buf *b)
{
	bool any = false;

	vt_buf_puts(b, "\"deletes\":[");
	for (uint32_t i = 0; i < p->nfrom; i++) {
		if (p->is[p->from_order[i]] != MUGL_NONE)
			continue;
		if (any)
			vt_buf_putc(b, ',');
		any = true;
		put_name(b, mugl_name(p->from, p->from_order[i]));
	}
	vt_buf_putc(b, ']');
}

static mugl_text
step_moniker(const mugl_plan *p, const mugl_step *s)
{
	return s->is == MUGL_NONE ? mugl_name(p->from, s->was) : mugl_name(p->to, s->is);
}

static void
json_steps(const mugl_plan *p, vt_buf *b)
{
	vt_buf_puts(b, "\"steps\":[");
	for (uint32_t i = 0; i < p->nsteps; i++) {
		vt_buf_printf(b, "%s[\"%s\",", i ? "," : "", mugl_step_name(p->step[i].kind));
		put_name(b, step_moniker(p, &p->step[i]));
		vt_buf_putc(b, ']');
	}
	vt_buf_putc(b, ']');
}

static bool
renamed(const mugl_plan *p, mugl_id is)
{
	return p->was[is] != MUGL_NONE &&
	       mugl_text_cmp(mugl_name(p->from, p->was[is]), mugl_name(p->to, is)) != 0;
}

static void
json_renames(const mugl_plan *p, vt_buf *b)
{
	bool any = false;

	for (uint32_t i = 0; i < p->nto; i++) {
		mugl_id is = p->to_order[i];
		if (!renamed(p, is))
			continue;
		vt_buf_puts(b, any ? "," : ",\"renames\":{");
		any = true;
		put_name(b, mugl_name(p->from, p->was[is]));
		vt_buf_putc(b, ':');
		put_name(b, mugl_name(p->to, is));
	}
	end_part(b, any);
}

void
mugl_plan_json(const mugl_plan *p, vt_buf *b)
{
	vt_buf_putc(b, '{');
	json_names(p, b, "creates", MUGL_NEW);
	vt_buf_putc(b, ',');
	json_updates(p, b);
	vt_buf_putc(b, ',');
	json_names(p, b, "replaces", MUGL_REPLACED);
	vt_buf_putc(b, ',');
	json_deletes(p, b);
	vt_buf_putc(b, ',');
	json_names(p, b, "sames", MUGL_SAME);
	vt_buf_putc(b, ',');
	json_steps(p, b);
	json_renames(p, b);
	vt_buf_putc(b, '}');
}

/* ---- a tree for people ---- */

typedef struct reporter {
	const mugl_plan *p;
	vt_buf *b;
	bool colour;
} reporter;
/* + - ~ and, for replacements, ! */
static void
paint(const reporter *t, char sign)
{
	static const char signs[] = "+-~!", *const codes[] = {"32", "31", "33", "35"};
	const char *k = strchr(signs, sign);

	if (t->colour && k && *k)
		vt_buf_printf(t->b, "\033[%sm", codes[k - signs]);
}

static void
unpaint(const reporter *t)
{
	if (t->colour)
		vt_buf_puts(t->b, "\033[0m");
}

static void
indent(const reporter *t, int depth)
{
	for (int i = 0; i < depth; i++)
		vt_buf_puts(t->b, "    ");
}

/* One line of JSON whose strings a terminal can bear; edges as arrows. */
static void
report_value(const reporter *t, const mugl *g, const mugl_node *v)
{
	vt_buf text = {0};

	if (v->kind == MUGL_EDGE) {
		vt_buf_puts(t->b, "-> ");
		mugl_put_plain(t->b, mugl_name(g, v->n));
		return;
	}
	mugl_write_node(g, &text, v, MUGL_TAG);
	mugl_put_plain(t->b, (mugl_text){text.p, (uint32_t)text.n});
	vt_buf_free(&text);
}

static void
report_start(const reporter *t, char sign, mugl_text name, int depth)
{
	indent(t, depth);
	paint(t, sign);
	vt_buf_printf(t->b, "%c ", sign);
	mugl_put_plain(t->b, name);
	vt_buf_putc(t->b, ':');
}

static void
report_one(
	const reporter *t, char sign, const mugl *g, mugl_text name, const mugl_node *v, int depth)
{
	report_start(t, sign, name, depth);
	vt_buf_putc(t->b, ' ');
	report_value(t, g, v);
	unpaint(t);
	vt_buf_putc(t->b, '\n');
}

static void report_change(
	const reporter *, mugl_text name, const mugl_node *a, const mugl_node *c, int depth);

static void
report_members(const reporter *t, const mugl_node *a, const mugl_node *c, int depth)
{
	mugl_index ia, ic;

	mugl_index_make(&ia, a);
	mugl_index_make(&ic, c);
	for (uint32_t i = 0; i < a->n; i++) {
		const mugl_member *m = &a->member[i], *n = mugl_index_get(&ic, m->key, m->nkey, i);
		if (n == NULL)
			report_one(
				t, '-', t->p->from, (mugl_text){m->key, m->nkey}, &m->value, depth);
		else if (!mugl_same(t->p, t->p->from, &m->value, t->p->to, &n->value))
			report_change(t, (mugl_text){m->key, m->nkey}, &m->value, &n->value, depth);
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (!mugl_index_get(&ia, c->member[i].key, c->member[i].nkey, i))
			report_one(t, '+', t->p->to,
				(mugl_text){c->member[i].key, c->member[i].nkey},
				&c->member[i].value, depth);
	mugl_index_free(&ia);
	mugl_index_free(&ic);
}

static void
report_items(const reporter *t, const mugl_node *a, const mugl_node *c, int depth)
{
	for (uint32_t i = 0; i < a->n || i < c->n; i++) {
		char name[16];
		mugl_text label = {name, (uint32_t)snprintf(name, sizeof name, "[%u]", i)};
		if (i >= c->n)
			report_one(t, '-', t->p->from, label, &a->item[i], depth);
		else if (i >= a->n)
			report_one(t, '+', t->p->to, label, &c->item[i], depth);
		else if (!mugl_same(t->p, t->p->from, &a->item[i], t->p->to, &c->item[i]))
			report_change(t, label, &a->item[i], &c->item[i], depth);
	}
}

static void
report_change(const reporter *t, mugl_text name, const mugl_node *a, const mugl_node *c, int depth)
{
	bool nested = a->kind == c->kind && (a->kind == MUGL_OBJECT || a->kind == MUGL_ARRAY);

	report_start(t, '~', name, depth);
	if (!nested) {
		vt_buf_putc(t->b, ' ');
		report_value(t, t->p->from, a);
		vt_buf_puts(t->b, " => ");
		report_value(t, t->p->to, c);
	}
	unpaint(t);
	vt_buf_putc(t->b, '\n');
	if (nested)
		(a->kind == MUGL_OBJECT ? report_members : report_items)(t, a, c, depth + 1);
}

static void
report_all(const reporter *t, const mugl *g, const mugl_node *bag, char sign)
{
	if (bag->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < bag->n; i++)
			report_one(t, sign, g, (mugl_text){bag->member[i].key, bag->member[i].nkey},
				&bag->member[i].value, 1);
}

static void
report_head(const reporter *t, const mugl_step *s)
{
	static const char *const marks[] = {"+", "~", "+-", "-+", "-"};
	static const char colours[] = "+~!!-";
	const mugl *g = s->is == MUGL_NONE ? t->p->from : t->p->to;
	const mugl_node *type =
		mugl_get(mugl_body(g, s->is == MUGL_NONE ? s->was : s->is), "type", 4);
	const mugl_node *old =
		s->was == MUGL_NONE ? NULL : mugl_get(mugl_body(t->p->from, s->was), "type", 4);

	paint(t, colours[s->kind]);
	vt_buf_printf(t->b, "%s ", marks[s->kind]);
	mugl_put_plain(t->b, step_moniker(t->p, s));
	if (type && type->kind == MUGL_STR) {
		vt_buf_puts(t->b, " (");
		if (s->kind == MUGL_CREATE_REPLACEMENT && old && old->kind == MUGL_STR) {
			mugl_put_plain(t->b, (mugl_text){old->s, old->n});
			vt_buf_puts(t->b, " => ");
		}
		if (s->kind == MUGL_DELETE_REPLACED && old && old->kind == MUGL_STR)
			type = old;
		mugl_put_plain(t->b, (mugl_text){type->s, type->n});
		vt_buf_putc(t->b, ')');
	}
	vt_buf_printf(t->b, ": %s", mugl_step_name(s->kind));
	unpaint(t);
	vt_buf_putc(t->b, '\n');
}

static void
report_step(const reporter *t, const mugl_step *s)
{
	const mugl_node *a, *c;

	report_head(t, s);
	switch (s->kind) {
	case MUGL_CREATE:
		report_all(t, t->p->to, mugl_compared(mugl_body(t->p->to, s->is)), '+');
		break;
	case MUGL_UPDATE:
	case MUGL_CREATE_REPLACEMENT:
		mugl_compared_pair(t->p, s->was, s->is, &a, &c);
		if (a->kind == MUGL_OBJECT && c->kind == MUGL_OBJECT)
			report_members(t, a, c, 1);
		else
			report_change(t, mugl_c("properties"), a, c, 1);
		break;
	case MUGL_DELETE_REPLACED:
	case MUGL_DELETE: break;
	}
}

static void
report_counts(const reporter *t)
{
	uint32_t n[5] = {0}, gone = 0;

	for (uint32_t i = 0; i < t->p->nto; i++)
		n[t->p->fate[t->p->to_order[i]]]++;
	for (uint32_t i = 0; i < t->p->nfrom; i++)
		gone += t->p->is[t->p->from_order[i]] == MUGL_NONE;
	vt_buf_printf(t->b,
		"%u to create, %u to update, %u to replace, %u to delete, %u unchanged\n",
		n[MUGL_NEW], n[MUGL_CHANGED], n[MUGL_REPLACED], gone, n[MUGL_SAME]);
}

void
mugl_plan_text(const mugl_plan *p, vt_buf *b, bool colour)
{
	reporter t = {p, b, colour};

	for (uint32_t i = 0; i < p->nto; i++) {
		mugl_id is = p->to_order[i];
		if (!renamed(p, is))
			continue;
		vt_buf_puts(b, "= ");
		mugl_put_plain(b, mugl_name(p->from, p->was[is]));
		vt_buf_puts(b, " is now ");
		mugl_put_plain(b, mugl_name(p->to, is));
		vt_buf_putc(b, '\n');
	}
	for (uint32_t i = 0; i < p->nsteps; i++)
		report_step(&t, &p->step[i]);
	report_counts(&t);
}

/* ---- DOT ---- */

static void
dot_text(vt_buf *b, mugl_text t)
{
	vt_put_dot(b, t.p, t.n, false);
}

typedef struct dots {
	const mugl *g;
	vt_buf *b;
	mugl_id from;
} dots;

static void
dot_edge(void *ctx, mugl_text label, mugl_id to)
{
	const dots *d = ctx;
	size_t skip = label.n > 11 && memcmp(label.p, "properties.", 11) == 0 ? 11 : 0;

	vt_buf_puts(d->b, "\t\"");
	dot_text(d->b, mugl_name(d->g, d->from));
	vt_buf_puts(d->b, "\" -> \"");
	dot_text(d->b, mugl_name(d->g, to));
	vt_buf_puts(d->b, "\" [label=\"");
	dot_text(d->b, (mugl_text){label.p + skip, label.n - (uint32_t)skip});
	vt_buf_puts(d->b, "\"];\n");
}

void
mugl_dot(const mugl *g, vt_buf *b)
{
	dots d = {.g = g, .b = b};
	mugl_id id;

	vt_buf_puts(b, "digraph mugl {\n\tnode [shape=box, style=rounded];\n");
	for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;) {
		const mugl_node *type = mugl_get(mugl_body(g, id), "type", 4);
		vt_buf_puts(b, "\t\"");
		dot_text(b, mugl_name(g, id));
		vt_buf_puts(b, "\" [label=\"");
		dot_text(b, mugl_name(g, id));
		if (type && type->kind == MUGL_STR) {
			vt_buf_puts(b, "\\n");
			dot_text(b, (mugl_text){type->s, type->n});
		}
		vt_buf_puts(b, "\"];\n");
	}
	for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;) {
		d.from = id;
		mugl_each_edge(g, id, dot_edge, &d);
	}
	vt_buf_puts(b, "}\n");
}

/*
 * model.c - object models of MuranoPL as snapshots, and back.
 *
 * An object is a resource: its id, its type with version and package, its properties.  What "?" has
 * beside id and type, and the attributes of the object, are the member "?" of the properties.  The
 * moniker is the path by which objects own each other, Main/items[0]/disk.
 *
 * Snapshots have no cycles, models may.  Owners refer to what they own, which is a tree; any other
 * reference that lies on a cycle stays what it is in a model, the id as text.  Which these are does
 * not depend on the order of anything, so two snapshots of one model agree.
 */
#include "runtime/mugl/int.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"

#define KEY(s) s, sizeof(s) - 1
enum { DEEPEST = 1000 };
static const char attributes_key[] = "attributes";

/* ---- objects to resources ---- */

typedef struct maker {
	vt_rt *rt;
	mugl *g;
	vt_list *found; /* dicts with "?", in the order of the walk: moniker, or null: plain data */
	uint32_t taken; /* of these, while resources are made */
	vt_dict *names; /* moniker by object id */
	vt_dict *ids;   /* the other way round */
	vt_dict *rows;  /* [first, end) in `attributes` by object id */
	vt_value attributes;
	mugl_id *owner; /* by vertex */
	uint32_t nowners;
} maker;

/* Of an object; data that look like one seldom have all of these, see name_object. */
static vt_value
header_of(const vt_dict *d)
{
	vt_value h = vt_dict_get_c(d, "?");

	if (!vt_is(h, DICT) || !vt_is(vt_dict_get_c(vt_as_dict(h), "id"), STR) ||
		!vt_is(vt_dict_get_c(vt_as_dict(h), "type"), STR) ||
		vt_dict_get_c(vt_as_dict(h), "name") == VT_UNDEF ||
		vt_dict_get_c(vt_as_dict(h), "metadata") == VT_UNDEF)
		return VT_UNDEF;
	return h;
}

/* main of "a.b.main/1.0.0@pkg". */
static void
put_short_name(vt_buf *b, const vt_str *type)
{
	const char *end = memchr(type->s, '/', type->bytes), *p;

	end = end ? end : type->s + type->bytes;
	for (p = end; p > type->s && p[-1] != '.' && p[-1] != ':';)
		p--;
	if (p == end)
		vt_buf_puts(b, "root");
	else
		vt_buf_put(b, p, (size_t)(end - p));
}

/* Two paths may read alike, since keys may hold "/": then the id tells them apart. */
static vt_value
moniker_of(maker *s, const vt_buf *path, vt_value id)
{
	vt_value name = vt_str_new(s->rt, path->p, path->n);
	vt_buf b = {0};

	vt_buf_put(&b, path->p, path->n);
	while (vt_dict_get(s->ids, name) != VT_UNDEF) {
		vt_buf_putc(&b, '#');
		vt_buf_put(&b, vt_as_str(id)->s, vt_as_str(id)->bytes);
		vt_move(&name, vt_str_new(s->rt, b.p, b.n));
	}
	vt_buf_free(&b);
	return name;
}

static vt_status name_objects(maker *, vt_value, vt_buf *path, size_t label);

static vt_status
name_members(maker *s, const vt_dict *d, vt_buf *path, size_t label)
{
	size_t n = path->n;
	vt_value key, v;
	vt_status st = VT_OK;

	for (uint32_t i = 0; st == VT_OK && vt_dict_at(d, &i, &key, &v);) {
		if (!vt_is(v, DICT) && !vt_is_sequence(v))
			continue;
		if (n > label)
			vt_buf_putc(path, '.');
		if (vt_is(key, STR))
			vt_buf_put(path, vt_as_str(key)->s, vt_as_str(key)->bytes);
		st = name_objects(s, v, path, label);
		path->n = n;
	}
	return st;
}

/*
 * Data that look like an object are kept like one, or have the id of one that came before.  The
 * moniker begins with the path, which is as it was in the end.
 */
static vt_status
name_object(maker *s, const vt_dict *d, vt_value header, vt_buf *path)
{
	vt_value id = vt_dict_get_c(vt_as_dict(header), "id"), name;
	size_t n = path->n;
	vt_status st;

	name = moniker_of(s, path, id);
	st = vt_dict_set(s->rt, s->names, id, name);
	if (st == VT_OK)
		st = vt_dict_set(s->rt, s->ids, name, id);
	vt_list_push(s->rt, s->found, name);
	path->n = 0;
	vt_buf_put(path, vt_as_str(name)->s, vt_as_str(name)->bytes);
	vt_buf_putc(path, '/');
	if (st == VT_OK)
		st = name_members(s, d, path, path->n);
	path->n = n;
	return st;
}

static vt_status
name_dict(maker *s, const vt_dict *d, vt_buf *path, size_t label)
{
	vt_value header = header_of(d);

	if (header == VT_UNDEF)
		return name_members(s, d, path, label);
	if (vt_dict_get(s->names, vt_dict_get_c(vt_as_dict(header), "id")) == VT_UNDEF)
		return name_object(s, d, header, path);
	vt_list_push(s->rt, s->found, VT_NULL);
	return name_members(s, d, path, label);
}

/* path: the moniker of the object that holds the value, "/", and from `label` on where in it. */
static vt_status
name_objects(maker *s, vt_value v, vt_buf *path, size_t label)
{
	size_t n = path->n;
	vt_status st = VT_OK;

	if (vt_too_deep(s->rt))
		return vt_raise_depth(s->rt);
	s->rt->depth++;
	if (vt_is(v, DICT))
		st = name_dict(s, vt_as_dict(v), path, label);
	else if (vt_is_sequence(v))
		for (uint32_t i = 0; st == VT_OK && i < vt_as_list(v)->n; i++) {
			vt_buf_printf(path, "[%u]", i);
			st = name_objects(s, vt_as_list(v)->v[i], path, label);
			path->n = n;
		}
	s->rt->depth--;
	return st;
}

static vt_status give(maker *, vt_value, mugl_id in, uint32_t depth, mugl_node *out);

/* A float that JSON has no number for is written as in the answer of a run. */
static vt_status
give_plain(maker *s, vt_value v, mugl_node *out)
{
	const char *why = NULL;
	mugl_problems bad = {0};
	vt_buf b = {0};
	bool good = mugl_from_value(s->g, s->rt, v, NULL, out, &why);

	if (!good) {
		vt_encode_result(s->rt, &b, v);
		good = mugl_read_json(s->g, b.p, b.n, out, &bad);
		vt_buf_free(&b);
		mugl_problems_free(&bad);
	}
	return good ? VT_OK
		    : vt_raise(s->rt, VT_E_VALUE, "a snapshot cannot hold a value: %s", why);
}

static vt_status
give_list(maker *s, const vt_list *l, mugl_id in, uint32_t depth, mugl_node *out)
{
	*out = mugl_array();
	for (uint32_t i = 0; i < l->n; i++) {
		mugl_node v;
		VT_TRY(give(s, l->v[i], in, depth, &v));
		mugl_push(s->g, out, v);
	}
	return VT_OK;
}

/* {"$dict": [[key, value]...]}, as in answers: some key is no text. */
static vt_status
give_pairs(maker *s, const vt_dict *d, mugl_id in, uint32_t depth, mugl_node *out)
{
	mugl_node all = mugl_array();
	vt_value key, v;

	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);) {
		mugl_node pair = mugl_array(), part;
		VT_TRY(give_plain(s, key, &part));
		mugl_push(s->g, &pair, part);
		VT_TRY(give(s, v, in, depth + 2, &part));
		mugl_push(s->g, &pair, part);
		mugl_push(s->g, &all, pair);
	}
	*out = mugl_object();
	mugl_put(s->g, out, KEY("$dict"), all);
	return VT_OK;
}

static vt_status
give_members(maker *s, const vt_dict *d, bool header, mugl_id in, uint32_t depth, mugl_node *out)
{
	vt_value key, v;

	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);) {
		const vt_str *k = vt_as_str(key);
		mugl_node made;
		if (header && k->bytes == 1 && k->s[0] == '?')
			continue;
		VT_TRY(give(s, v, in, depth, &made));
		mugl_append(s->g, out, k->s, k->bytes, made);
	}
	return VT_OK;
}

/* {class: {key: value}} */
static vt_status
give_attributes(maker *s, vt_value id, mugl_node *out)
{
	vt_value range = vt_dict_get(s->rows, id);
	mugl_node all = mugl_object();

	if (range == VT_UNDEF)
		return VT_OK;
	for (int64_t i = vt_toint(vt_as_list(range)->v[0]); i < vt_toint(vt_as_list(range)->v[1]);
		i++) {
		const vt_value *row = vt_as_list(vt_as_list(s->attributes)->v[i])->v;
		const vt_str *cls = vt_as_str(row[1]),
			     *key = vt_is(row[2], STR) ? vt_as_str(row[2]) : NULL;
		mugl_node *of = (mugl_node *)(uintptr_t)mugl_get(&all, cls->s, cls->bytes), v;
		if (key == NULL)
			return vt_raise(
				s->rt, VT_E_VALUE, "a snapshot holds attributes by name only");
		VT_TRY(give_plain(s, row[3], &v));
		if (of == NULL)
			of = mugl_put(s->g, &all, cls->s, cls->bytes, mugl_object());
		mugl_put(s->g, of, key->s, key->bytes, v);
	}
	mugl_put(s->g, out, attributes_key, sizeof attributes_key - 1, all);
	return VT_OK;
}

static bool
is_one_of(const vt_str *s, const char *a, const char *b)
{
	return strcmp(s->s, a) == 0 || strcmp(s->s, b) == 0;
}

/* What "?" has beside id and type; names and metadata that are null say nothing. */
static vt_status
give_header(maker *s, const vt_dict *h, mugl_id in, mugl_node *props)
{
	mugl_node out = mugl_object(), v;
	vt_value key, value;

	for (uint32_t i = 0; vt_dict_at(h, &i, &key, &value);) {
		const vt_str *k = vt_as_str(key);
		if (is_one_of(k, "id", "type") ||
			(value == VT_NULL && is_one_of(k, "name", "metadata")))
			continue;
		VT_TRY(give(s, value, in, 2, &v));
		mugl_put(s->g, &out, k->s, k->bytes, v);
	}
	VT_TRY(give_attributes(s, vt_dict_get_c(h, "id"), &out));
	if (out.n)
		mugl_put(s->g, props, KEY("?"), out);
	return VT_OK;
}

static void
set_owner(maker *s, mugl_id v, mugl_id owner)
{
	while (s->nowners <= v)
		vt_push(s->owner, s->nowners) = MUGL_NONE;
	s->owner[v] = owner;
}

/* Its resource, behind those of what it owns. */
static vt_status
give_object(maker *s, const vt_dict *d, const vt_str *moniker, mugl_id owner)
{
	const vt_dict *h = vt_as_dict(header_of(d));
	const vt_str *id = vt_as_str(vt_dict_get_c(h, "id"));
	mugl_node props = mugl_object(), *p;
	mugl_id v = mugl_intern(s->g, moniker->s, moniker->bytes);

	set_owner(s, v, owner);
	VT_TRY(give_header(s, h, v, &props));
	VT_TRY(give_members(s, d, true, v, 1, &props));
	mugl_put(s->g, mugl_define(s->g, v), KEY("id"), mugl_str(s->g, id->s, id->bytes));
	p = mugl_properties(
		s->g, moniker->s, moniker->bytes, vt_as_str(vt_dict_get_c(h, "type"))->s);
	*p = props;
	return VT_OK;
}

static vt_status
give_dict(maker *s, const vt_dict *d, mugl_id in, uint32_t depth, mugl_node *out)
{
	vt_value name = header_of(d) == VT_UNDEF ? VT_NULL : s->found->v[s->taken++];

	if (name != VT_NULL) {
		*out = mugl_edge(s->g, vt_as_str(name)->s, vt_as_str(name)->bytes);
		return give_object(s, d, vt_as_str(name), in);
	}
	if (!vt_has_text_keys(d))
		return give_pairs(s, d, in, depth, out);
	*out = mugl_object();
	return give_members(s, d, false, in, depth, out);
}

static vt_status
give_ref(maker *s, vt_value object, mugl_node *out)
{
	vt_value id = vt_object_id(vt_obj_of(object)), name = vt_dict_get(s->names, id);

	*out = name == VT_UNDEF ? mugl_str(s->g, vt_as_str(id)->s, vt_as_str(id)->bytes)
				: mugl_edge(s->g, vt_as_str(name)->s, vt_as_str(name)->bytes);
	return VT_OK;
}

/* A value that object `in` holds. */
static vt_status
give(maker *s, vt_value v, mugl_id in, uint32_t depth, mugl_node *out)
{
	vt_status st;

	if (vt_is(v, OBJECT))
		return give_ref(s, v, out);
	if (!vt_is(v, DICT) && !vt_is_sequence(v))
		return give_plain(s, v, out);
	if (depth >= DEEPEST)
		return vt_raise(s->rt, VT_E_VALUE, "a snapshot holds values nested %d levels deep",
			(int)DEEPEST);
	if (vt_too_deep(s->rt))
		return vt_raise_depth(s->rt);
	s->rt->depth++;
	st = vt_is(v, DICT) ? give_dict(s, vt_as_dict(v), in, depth + 1, out)
			    : give_list(s, vt_as_list(v), in, depth + 1, out);
	s->rt->depth--;
	return st;
}

/* ---- references on cycles ---- */

/* Tarjan's components, without recursion: those of vertices that reach each other are the same. */
typedef struct knots {
	const mugl_links *l;
	uint32_t *seen, *low, *part; /* 0: not yet */
	uint64_t *next;
	mugl_id *path, *open;
	uint32_t npath, nopen, count, parts;
} knots;

static void
enter(knots *k, mugl_id v)
{
	k->seen[v] = k->low[v] = ++k->count;
	k->next[v] = k->l->start[v];
	k->path[k->npath++] = v;
	k->open[k->nopen++] = v;
}

static void
leave(knots *k, mugl_id v)
{
	k->npath--;
	if (k->npath > 0 && k->low[v] < k->low[k->path[k->npath - 1]])
		k->low[k->path[k->npath - 1]] = k->low[v];
	if (k->low[v] != k->seen[v])
		return;
	k->parts++;
	do
		k->part[k->open[--k->nopen]] = k->parts;
	while (k->open[k->nopen] != v);
}

static void
visit(knots *k, mugl_id from)
{
	enter(k, from);
	while (k->npath > 0) {
		mugl_id v = k->path[k->npath - 1], to;
		if (k->next[v] == k->l->start[v + 1]) {
			leave(k, v);
			continue;
		}
		to = k->l->to[k->next[v]++];
		if (k->seen[to] == 0)
			enter(k, to);
		else if (k->part[to] == 0 && k->seen[to] < k->low[v])
			k->low[v] = k->seen[to];
	}
}

static void
cut_node(const maker *s, const uint32_t *part, mugl_id in, mugl_node *v)
{
	const mugl_node *id;

	if (v->kind == MUGL_ARRAY)
		for (uint32_t i = 0; i < v->n; i++)
			cut_node(s, part, in, &v->item[i]);
	else if (v->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < v->n; i++)
			cut_node(s, part, in, &v->member[i].value);
	if (v->kind != MUGL_EDGE || part[v->n] != part[in] || s->owner[v->n] == in)
		return;
	id = mugl_get(mugl_body(s->g, v->n), "id", 2);
	*v = *id;
}

/* References within a component become ids; only what owners have stays, and that is a tree. */
static void
cut_cycles(maker *s)
{
	size_t n = (size_t)s->g->nv + 1;
	mugl_links l;
	knots k = {.l = &l};
	mugl_id id;

	mugl_links_of(s->g, &l);
	k.seen = vt_xzalloc(n * 3 * sizeof *k.seen);
	k.low = k.seen + n;
	k.part = k.low + n;
	k.next = vt_xmalloc(n * sizeof *k.next);
	k.path = vt_xmalloc(n * 2 * sizeof *k.path);
	k.open = k.path + n;
	for (mugl_id v = 0; v < s->g->nv; v++)
		if (k.seen[v] == 0)
			visit(&k, v);
	if (k.parts < s->g->nv || l.start[s->g->nv] > 0)
		for (uint32_t i = 0; (id = mugl_next(s->g, &i)) != MUGL_NONE;)
			cut_node(s, k.part, id, mugl_bag(s->g, id));
	free(k.seen);
	free(k.next);
	free(k.path);
	mugl_links_free(&l);
}

/* ---- a model ---- */

/* Rows of one object stand together. */
static vt_status
index_rows(maker *s)
{
	const vt_list *l = vt_as_list(s->attributes);

	for (uint32_t i = 0, end; i < l->n; i = end) {
		vt_value id = vt_as_list(l->v[i])->v[0], range[2], pair = VT_UNDEF;
		vt_status st;
		for (end = i; end < l->n && vt_eq(vt_as_list(l->v[end])->v[0], id); end++)
			;
		range[0] = vt_int_new(s->rt, i);
		range[1] = vt_int_new(s->rt, end);
		VT_TRY(vt_tuple_of(s->rt, 2, range, &pair));
		st = vt_dict_set(s->rt, s->rows, id, pair);
		vt_release(pair);
		VT_TRY(st);
	}
	return VT_OK;
}

static vt_status
make_graph(maker *s, vt_value tree)
{
	vt_buf path = {0};
	mugl_node edge;
	vt_status st;

	put_short_name(
		&path, vt_as_str(vt_dict_get_c(vt_as_dict(header_of(vt_as_dict(tree))), "type")));
	st = name_objects(s, tree, &path, 0);
	vt_buf_free(&path);
	if (st == VT_OK)
		st = index_rows(s);
	if (st == VT_OK)
		st = give(s, tree, MUGL_NONE, 0, &edge);
	if (st == VT_OK)
		cut_cycles(s);
	return st;
}

static void
put_program(mugl *g, const vt_program *p)
{
	mugl_node d = mugl_object();

	if (p == NULL || p->npackages == 0)
		return;
	mugl_put(g, &d, KEY("package"),
		mugl_str(g, p->packages[0]->name->s, p->packages[0]->name->bytes));
	mugl_put(g, &d, KEY("version"),
		mugl_str(g, p->packages[0]->version, strlen(p->packages[0]->version)));
	mugl_put(g, mugl_header(g), KEY("murano"), d);
}

mugl *
mugl_from_model(vt_rt *rt, vt_value root)
{
	mugl_options options = {.snapshot = true, .max_depth = DEEPEST};
	maker s = {.rt = rt, .g = mugl_new(&options), .attributes = VT_UNDEF};
	vt_value tree = VT_UNDEF;
	vt_status st = VT_OK;

	put_program(s.g, rt->program);
	if (root == VT_NULL || root == VT_UNDEF)
		return s.g;
	s.found = vt_list_grow(rt, VT_K_LIST, 16);
	s.names = vt_dict_new_hashed(rt, false);
	s.ids = vt_dict_new_hashed(rt, false);
	s.rows = vt_dict_new_hashed(rt, false);
	st = vt_serialize_objects(rt, root, &tree, &s.attributes);
	if (st == VT_OK)
		st = make_graph(&s, tree);
	vt_release(tree);
	vt_release(s.attributes);
	vt_release(vt_mkptr(s.found));
	vt_release(vt_mkptr(s.names));
	vt_release(vt_mkptr(s.ids));
	vt_release(vt_mkptr(s.rows));
	free(s.owner);
	if (st == VT_OK)
		return s.g;
	mugl_free(s.g);
	return NULL;
}

/* ---- resources to objects ---- */

/* Which edge of a vertex holds an object: the n-th of `from`. */
typedef struct place {
	mugl_id from;
	uint32_t edge;
	bool exact; /* its moniker says so */
} place;
typedef struct taker {
	vt_rt *rt;
	const mugl *g;
	place *place; /* by vertex */
	vt_value *id; /* by vertex */
	vt_list *rows;
	bool copy;    /* ObjectsCopy is made */
	mugl_id from; /* while edges are looked at */
	uint32_t edge;
} taker;

static const mugl_node *
part_of(const mugl *g, mugl_id v, const char *key, enum mugl_kind kind)
{
	const mugl_node *n = mugl_get(mugl_body(g, v), key, strlen(key));

	return n && n->kind == kind ? n : NULL;
}

/* Is that the name of what `from` has at that label, with the id behind it perhaps? */
static bool
is_path(const mugl *g, mugl_id from, mugl_text label, mugl_id to)
{
	mugl_text name = mugl_name(g, to), up = mugl_name(g, from);
	const mugl_node *id = part_of(g, to, "id", MUGL_STR);
	uint64_t n = (uint64_t)up.n + 1 + label.n;

	if (name.n < n || memcmp(name.p, up.p, up.n) != 0 || name.p[up.n] != '/' ||
		memcmp(name.p + up.n + 1, label.p, label.n) != 0)
		return false;
	return name.n == n || (id && name.n == n + 1 + id->n && name.p[n] == '#' &&
				      memcmp(name.p + n + 1, id->s, id->n) == 0);
}

static void
look_at_edge(void *ctx, mugl_text label, mugl_id to)
{
	static const char skip[] = "properties.";
	taker *s = ctx;
	place here = {s->from, s->edge++, false};

	if (label.n > sizeof skip - 1 && memcmp(label.p, skip, sizeof skip - 1) == 0)
		label = (mugl_text){
			label.p + sizeof skip - 1, label.n - (uint32_t)(sizeof skip - 1)};
	here.exact = is_path(s->g, s->from, label, to);
	if (s->place[to].from == MUGL_NONE || (here.exact && !s->place[to].exact))
		s->place[to] = here;
}

/* The one vertex that nothing refers to; MUGL_NONE: there is none, or an exception is pending. */
static vt_status
find_root(const taker *s, mugl_id *root)
{
	mugl_id v;

	*root = MUGL_NONE;
	for (uint32_t i = 0; (v = mugl_next(s->g, &i)) != MUGL_NONE;) {
		vt_buf b = {0};
		vt_status st;
		if (s->place[v].from != MUGL_NONE)
			continue;
		if (*root == MUGL_NONE) {
			*root = v;
			continue;
		}
		mugl_put_shown(&b, mugl_name(s->g, *root));
		vt_buf_puts(&b, " and ");
		mugl_put_shown(&b, mugl_name(s->g, v));
		st = vt_raise(s->rt, VT_E_VALUE,
			"the snapshot is no model: it has more than one root, %.*s", (int)b.n, b.p);
		vt_buf_free(&b);
		return st;
	}
	return VT_OK;
}

static vt_status take_object(taker *, mugl_id, vt_value *out);

static vt_status take(taker *, mugl_id in, uint32_t *edge, const mugl_node *, vt_value *out);

static vt_status
take_list(taker *s, mugl_id in, uint32_t *edge, const mugl_node *v, vt_value *out)
{
	vt_list *l = vt_list_grow(s->rt, VT_K_LIST, v->n);
	vt_status st = VT_OK;

	for (uint32_t i = 0; st == VT_OK && i < v->n; i++) {
		vt_value item = VT_UNDEF;
		st = take(s, in, edge, &v->item[i], &item);
		if (st == VT_OK)
			vt_list_push(s->rt, l, item);
	}
	return vt_settle(st, vt_mkptr(l), out);
}

static vt_status
take_member(taker *s, vt_dict *d, mugl_id in, uint32_t *edge, const mugl_member *m)
{
	vt_value key, v = VT_UNDEF;
	vt_status st;

	VT_TRY(take(s, in, edge, &m->value, &v));
	key = vt_str_new(s->rt, m->key, m->nkey);
	st = vt_dict_set(s->rt, d, key, v);
	vt_release(key);
	vt_release(v);
	return st;
}

static bool
is_key(const mugl_member *m, const char *key)
{
	return mugl_is((mugl_text){m->key, m->nkey}, key, strlen(key));
}

static vt_status
take_members(taker *s, vt_dict *d, mugl_id in, uint32_t *edge, const mugl_node *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		VT_TRY(take_member(s, d, in, edge, &v->member[i]));
	return VT_OK;
}

static vt_status
take(taker *s, mugl_id in, uint32_t *edge, const mugl_node *v, vt_value *out)
{
	vt_dict *d;
	uint32_t k;

	switch ((enum mugl_kind)v->kind) {
	case MUGL_EDGE:
		k = (*edge)++;
		if (s->place[v->n].from == in && s->place[v->n].edge == k)
			return take_object(s, v->n, out);
		*out = vt_copy(s->id[v->n]);
		return VT_OK;
	case MUGL_ARRAY: return take_list(s, in, edge, v, out);
	case MUGL_OBJECT:
		d = vt_dict_new(s->rt, false);
		return vt_settle(take_members(s, d, in, edge, v), vt_mkptr(d), out);
	case MUGL_NULL:
	case MUGL_FALSE:
	case MUGL_TRUE:
	case MUGL_INT:
	case MUGL_FLOAT:
	case MUGL_NUMBER:
	case MUGL_STR: *out = mugl_to_value(s->g, s->rt, v, MUGL_TAG); return VT_OK;
	}
	return VT_OK;
}

static vt_status
bad_attributes(const taker *s, mugl_id in)
{
	vt_buf b = {0};
	vt_status st;

	mugl_put_shown(&b, mugl_name(s->g, in));
	st = vt_raise(s->rt, VT_E_VALUE,
		"%.*s: the member \"?\" of the properties is an object, its attributes are {class: "
		"{key: "
		"value}}",
		(int)b.n, b.p);
	vt_buf_free(&b);
	return st;
}

static vt_status
take_row(taker *s, mugl_id in, uint32_t *edge, const mugl_member *cls, const mugl_member *m)
{
	vt_value row[4] = {s->id[in], VT_UNDEF, VT_UNDEF, VT_UNDEF}, made = VT_UNDEF;
	vt_status st;

	VT_TRY(take(s, in, edge, &m->value, &row[3]));
	row[1] = vt_str_new(s->rt, cls->key, cls->nkey);
	row[2] = vt_str_new(s->rt, m->key, m->nkey);
	st = vt_tuple_of(s->rt, 4, row, &made);
	for (int i = 1; i < 4; i++)
		vt_release(row[i]);
	if (st != VT_OK)
		return st;
	if (s->copy)
		vt_release(made);
	else
		vt_list_push(s->rt, s->rows, made);
	return VT_OK;
}

static vt_status
take_attributes(taker *s, mugl_id in, uint32_t *edge, const mugl_node *all)
{
	if (all->kind != MUGL_OBJECT)
		return bad_attributes(s, in);
	for (uint32_t i = 0; i < all->n; i++) {
		const mugl_member *cls = &all->member[i];
		if (cls->value.kind != MUGL_OBJECT)
			return bad_attributes(s, in);
		for (uint32_t k = 0; k < cls->value.n; k++)
			VT_TRY(take_row(s, in, edge, cls, &cls->value.member[k]));
	}
	return VT_OK;
}

/* What designers keep is not in ObjectsCopy. */
static vt_status
take_header(taker *s, vt_dict *h, mugl_id in, uint32_t *edge, const mugl_node *v)
{
	if (v->kind != MUGL_OBJECT)
		return bad_attributes(s, in);
	for (uint32_t i = 0; i < v->n; i++) {
		const mugl_member *m = &v->member[i];
		vt_value dropped = VT_UNDEF;
		if (is_key(m, attributes_key)) {
			VT_TRY(take_attributes(s, in, edge, &m->value));
		} else if (is_key(m, "id") || is_key(m, "type") ||
			   (s->copy && m->nkey && m->key[0] == '_')) {
			VT_TRY(take(s, in, edge, &m->value, &dropped)); /* its edges count */
			vt_release(dropped);
		} else {
			VT_TRY(take_member(s, h, in, edge, m));
		}
	}
	return VT_OK;
}

static vt_status
take_all(taker *s, vt_dict *d, vt_dict *h, mugl_id v)
{
	const mugl_node *type = part_of(s->g, v, "type", MUGL_STR);
	const mugl_node *p = part_of(s->g, v, "properties", MUGL_OBJECT);
	uint32_t edge = 0;

	vt_dict_set_c(s->rt, h, "type", vt_str_new(s->rt, type->s, type->n));
	vt_dict_set_c(s->rt, h, "id", vt_copy(s->id[v]));
	vt_dict_set_c(s->rt, h, "name", VT_NULL);
	vt_dict_set_c(s->rt, h, "metadata", VT_NULL);
	for (uint32_t i = 0; p && i < p->n; i++) {
		if (is_key(&p->member[i], "?"))
			VT_TRY(take_header(s, h, v, &edge, &p->member[i].value));
		else
			VT_TRY(take_member(s, d, v, &edge, &p->member[i]));
	}
	return VT_OK;
}

static vt_status
take_object(taker *s, mugl_id v, vt_value *out)
{
	vt_dict *d, *h;
	vt_status st;

	if (vt_too_deep(s->rt))
		return vt_raise_depth(s->rt);
	s->rt->depth++;
	d = vt_dict_new(s->rt, false);
	h = vt_dict_new(s->rt, false);
	vt_dict_set_c(s->rt, d, "?", VT_NULL); /* comes first */
	st = take_all(s, d, h, v);
	vt_dict_set_c(s->rt, d, "?", vt_mkptr(h));
	s->rt->depth--;
	return vt_settle(st, vt_mkptr(d), out);
}

static void
begin_taking(taker *s)
{
	mugl_id v;

	s->place = vt_xmalloc(((size_t)s->g->nv + 1) * sizeof *s->place);
	s->id = vt_xmalloc(((size_t)s->g->nv + 1) * sizeof *s->id);
	for (mugl_id i = 0; i < s->g->nv; i++) {
		s->place[i] = (place){.from = MUGL_NONE};
		s->id[i] = VT_UNDEF;
	}
	for (uint32_t i = 0; (v = mugl_next(s->g, &i)) != MUGL_NONE;) {
		const mugl_node *id = part_of(s->g, v, "id", MUGL_STR);
		s->id[v] = id ? vt_str_new(s->rt, id->s, id->n) : vt_new_uuid(s->rt);
		s->from = v;
		s->edge = 0;
		mugl_each_edge(s->g, v, look_at_edge, s);
	}
}

static vt_status
take_model(taker *s, vt_dict *d)
{
	mugl_id root;
	vt_value objects = VT_NULL, copy = VT_NULL;

	VT_TRY(find_root(s, &root));
	if (root != MUGL_NONE)
		VT_TRY(take_object(s, root, &objects));
	vt_dict_set_c(s->rt, d, "Objects", objects);
	s->copy = true;
	if (root != MUGL_NONE)
		VT_TRY(take_object(s, root, &copy));
	vt_dict_set_c(s->rt, d, "ObjectsCopy", copy);
	vt_dict_set_c(s->rt, d, "Attributes", vt_copy(vt_mkptr(s->rows)));
	return VT_OK;
}

vt_status
mugl_to_model(vt_rt *rt, const mugl *g, vt_value *out)
{
	taker s = {.rt = rt, .g = g, .rows = vt_list_grow(rt, VT_K_LIST, 0)};
	vt_dict *d = vt_dict_new(rt, false);
	vt_status st;

	begin_taking(&s);
	st = take_model(&s, d);
	for (mugl_id i = 0; i < g->nv; i++)
		vt_release(s.id[i]);
	free(s.id);
	free(s.place);
	vt_release(vt_mkptr(s.rows));
	return vt_settle(st, vt_mkptr(d), out);
}

/* ---- comparing ---- */

static vt_status
gather_ids(vt_rt *rt, vt_value v, vt_dict *ids)
{
	vt_value key, item, id;
	vt_status st = VT_OK;

	if (!vt_is(v, DICT) && !vt_is_sequence(v))
		return VT_OK;
	if (vt_too_deep(rt))
		return VT_ERROR;
	rt->depth++;
	for (uint32_t i = 0; vt_is_sequence(v) && i < vt_as_list(v)->n; i++)
		st = gather_ids(rt, vt_as_list(v)->v[i], ids);
	for (uint32_t i = 0; vt_is(v, DICT) && vt_dict_at(vt_as_dict(v), &i, &key, &item);) {
		st = gather_ids(rt, item, ids);
		id = vt_is(item, DICT) ? vt_dict_get_c(vt_as_dict(item), "id") : VT_UNDEF;
		if (vt_is(id, STR))
			(void)vt_dict_set(rt, ids, id, VT_TRUE);
	}
	rt->depth--;
	return st;
}

void
mugl_drop_new_ids(vt_rt *rt, mugl *g, vt_value model)
{
	vt_dict *ids = vt_dict_new_hashed(rt, false);
	mugl_id v;

	(void)gather_ids(rt, model, ids);
	for (uint32_t i = 0; (v = mugl_next(g, &i)) != MUGL_NONE;) {
		const mugl_node *id = part_of(g, v, "id", MUGL_STR);
		vt_value text = id ? vt_str_new(rt, id->s, id->n) : VT_UNDEF;
		if (id && vt_dict_get(ids, text) == VT_UNDEF)
			mugl_drop(mugl_bag(g, v), KEY("id"));
		vt_release(text);
	}
	vt_release(vt_mkptr(ids));
}

bool
mugl_looks_like(vt_value v)
{
	return vt_is(v, DICT) && vt_is(vt_dict_get_c(vt_as_dict(v), "vertices"), DICT) &&
	       vt_dict_get_c(vt_as_dict(v), "Objects") == VT_UNDEF &&
	       vt_dict_get_c(vt_as_dict(v), "?") == VT_UNDEF;
}

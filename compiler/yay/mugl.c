/*
 * mugl.c - configurations as MuGL graphs, to be kept and compared.
 *
 * What a configuration shares, by naming a mapping in several places, it shares in the graph.  A
 * vertex is called by the first path that leads to it in the order of the configuration; that of
 * the place where it is written comes before those where it is named, as a rule.
 */
#include "compiler/yay/run.h"

#include "runtime/mugl/mugl.h"
#include "runtime/yay/api.h"

#include <stdlib.h>
#include <string.h>

enum { DEEP = 500 };

typedef struct known {
	const void *what;
	mugl_id vertex;
} known;
typedef struct maker {
	vt_rt *rt;
	vt_yay *y;
	mugl *g;
	vt_buf path;
	known *known; /* open addressing */
	uint32_t nknown, room;
	enum vt_yay_as as;
	uint32_t depth;
	const char **why;
} maker;

static known *
slot_of(maker *m, const void *what)
{
	uint32_t at = (uint32_t)(((uintptr_t)what >> 4) * 0x9e3779b1u) & (m->room - 1);

	while (m->known[at].what && m->known[at].what != what)
		at = (at + 1) & (m->room - 1);
	return &m->known[at];
}

static void
grow(maker *m)
{
	maker old = *m;

	m->room = old.room ? old.room * 2 : 256;
	m->known = vt_xzalloc(m->room * sizeof *m->known);
	for (uint32_t i = 0; i < old.room; i++)
		if (old.known[i].what)
			*slot_of(m, old.known[i].what) = old.known[i];
	free(old.known);
}

static bool
refuse(maker *m, const char *why)
{
	*m->why = why;
	return false;
}

static bool give(maker *, vt_ynode *, mugl_node *out);

static bool
give_scalar(maker *m, vt_ynode *at, mugl_node *out)
{
	const char *why = NULL;
	vt_value v = VT_UNDEF;
	bool good;

	if (!vt_yay_value(m->y, at, m->as, &v))
		return false;
	good = mugl_from_value(m->g, m->rt, v, NULL, out, &why);
	vt_release(v);
	return good || refuse(m, why);
}

static bool
give_list(maker *m, vt_ynode *at, uint32_t n, mugl_node *out)
{
	mugl_node list = mugl_array(), item;
	size_t path = m->path.n;
	vt_value key;

	for (uint32_t i = 0; i < n; i++) {
		vt_ynode *part = vt_yay_part(m->y, at, i, &key);
		vt_buf_printf(&m->path, "[%u]", i);
		if (!part || !give(m, part, &item))
			return false;
		m->path.n = path;
		mugl_push(m->g, &list, item);
	}
	*out = list;
	return true;
}

/* Text that reads like another path is made longer. */
static mugl_id
new_vertex(maker *m)
{
	mugl_id id;

	while (mugl_defined(m->g, id = mugl_intern(m->g, m->path.p, m->path.n)))
		vt_buf_putc(&m->path, '\'');
	mugl_define(m->g, id);
	return id;
}

static bool
give_mapping(maker *m, vt_ynode *at, uint32_t n, const void *what, mugl_node *out)
{
	mugl_node bag = mugl_object(), item;
	size_t path = m->path.n;
	mugl_id id;

	if (m->nknown * 2 >= m->room)
		grow(m);
	if (slot_of(m, what)->what) {
		mugl_text to = mugl_name(m->g, slot_of(m, what)->vertex);
		*out = mugl_edge(m->g, to.p, to.n);
		return true;
	}
	id = new_vertex(m);
	*slot_of(m, what) = (known){what, id};
	m->nknown++;
	for (uint32_t i = 0, base = (uint32_t)m->path.n; i < n; i++) {
		vt_value key;
		vt_ynode *part = vt_yay_part(m->y, at, i, &key);
		if (!part)
			return false;
		vt_buf_printf(&m->path, "%s%s", m->depth > 1 ? "." : "/", vt_as_str(key)->s);
		if (!give(m, part, &item))
			return false;
		m->path.n = base;
		mugl_put(m->g, &bag, vt_as_str(key)->s, vt_as_str(key)->bytes, item);
	}
	*mugl_bag(m->g, id) = bag;
	mugl_text name = mugl_name(m->g, id);
	*out = mugl_edge(m->g, name.p, name.n);
	m->path.n = path;
	return true;
}

static bool
give(maker *m, vt_ynode *at, mugl_node *out)
{
	enum vt_yshape_kind kind;
	const void *what;
	uint32_t n;
	bool good = false;

	if (m->depth >= DEEP)
		return refuse(m, "the configuration is nested too deep for a graph");
	if (!vt_yay_shape(m->y, at, &kind, &n) || !(what = vt_yay_identity(m->y, at)))
		return false;
	m->depth++;
	switch (kind) {
	case VT_YS_SCALAR: good = give_scalar(m, at, out); break;
	case VT_YS_LIST: good = give_list(m, at, n, out); break;
	case VT_YS_MAP: good = give_mapping(m, at, n, what, out); break;
	}
	m->depth--;
	return good;
}

bool
yay_put_mugl(vt_rt *rt, vt_yay *y, vt_ynode *at, const char *name, bool show_secrets, vt_buf *out,
	const char **why)
{
	maker m = {.rt = rt,
		.y = y,
		.g = mugl_new(NULL),
		.why = why,
		.as = show_secrets ? VT_YAS_VALUE : VT_YAS_SAFE_VALUE};
	mugl_problems bad = {0};
	enum vt_yshape_kind kind;
	mugl_node root;
	uint32_t n;
	bool good;

	*why = NULL;
	vt_buf_puts(&m.path, name);
	good = vt_yay_shape(y, at, &kind, &n);
	if (good && kind != VT_YS_MAP)
		good = refuse(&m, "only a mapping is a graph");
	good = good && give(&m, at, &root);
	if (good) {
		mugl_root(m.g, root.n);
		good = mugl_write(m.g, 0, out, &bad) || refuse(&m, "the graph cannot be written");
	}
	mugl_problems_free(&bad);
	mugl_free(m.g);
	vt_buf_free(&m.path);
	free(m.known);
	return good;
}

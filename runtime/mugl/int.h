/* int.h - the inside of runtime/mugl. */
#ifndef MUGL_INT_H
#define MUGL_INT_H

#include "runtime/mugl/mugl.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

typedef struct mugl_chunk mugl_chunk;
/* A name, and the vertex of that name once it is defined. */
typedef struct mugl_vertex {
	const char *name;
	uint32_t n, hash;
	bool defined;
	uint32_t pos; /* in mugl.order; meaningless until defined */
	mugl_node body;
} mugl_vertex;
struct mugl {
	mugl_options o;
	vt_seed seed;
	mugl_chunk *chunks;
	char *free, *end; /* of the newest chunk */
	mugl_make *make;  /* mugl_write_made: who makes the bodies */
	void *make_ctx;
	mugl_node made; /* the body at hand */
	struct {
		mugl_chunk *chunks;
		char *free, *end;
	} mark;           /* what was there before it */
	const char *text; /* what was read, or NULL; strings point into it */
	uint64_t ntext;
	mugl_vertex *v; /* by id */
	uint32_t nv;
	mugl_id *table; /* 1 + id by hash; 0 is empty */
	uint32_t mask;
	/* Ids by definition.  An entry counts while its vertex is defined and has this position. */
	mugl_id *order;
	uint32_t norder, ndefined;
	mugl_id *root;
	uint32_t nroots;
	mugl_node header;
	mugl_text ref; /* p NULL: not fixed */
};

#define MUGL_TAG "#ref"
#define MUGL_INTEGRITY "sha256:"

void *mugl_alloc(mugl *, size_t);
char *mugl_keep(
	mugl *, const char *, size_t, uint64_t place); /* place: as mugl_place_of gives it */
char *mugl_keep_room(mugl *, size_t);                  /* to be filled */
/* mugl_put of a key that the object does not have. */
mugl_node *mugl_append(mugl *, mugl_node *object, const char *key, size_t, mugl_node);
static inline mugl_text
mugl_c(const char *s)
{
	return (mugl_text){s, (uint32_t)strlen(s)};
}
static inline bool
mugl_is(mugl_text t, const char *s, size_t n)
{
	return t.n == n && memcmp(t.p, s, n) == 0;
}
/* Where a string of this graph stood in the text, or UINT64_MAX. */
uint64_t mugl_place_of(const mugl *, const char *);
/* Where its quote stood. */
static inline uint64_t
mugl_quote_of(const mugl *g, const char *s)
{
	uint64_t place = mugl_place_of(g, s);

	return place == UINT64_MAX ? place : place - 1;
}
uint32_t mugl_hash(const mugl *, const char *, size_t);
/* The body of a vertex, which mugl_write_made has made until it is left: one at a time. */
const mugl_node *mugl_enter(const mugl *, mugl_id);
void mugl_leave(const mugl *);
/* Room for one more in a malloc'd array whose capacity doubles. */
int mugl_text_cmp(mugl_text, mugl_text); /* bytes */
bool mugl_is_edge_object(const mugl_node *, mugl_text tag);
uint32_t mugl_depth_limit(const mugl *);

/* problems: the last one added, to be filled; never NULL. */
mugl_problem *mugl_add(mugl_problems *, const mugl *, enum mugl_code, uint64_t place,
	const char *fmt, ...) VT_PRINTF(5, 6);
mugl_text mugl_said(mugl_text); /* a copy that a problem owns */
/* The way to a value inside of a vertex: a key, or without one an index. */
struct mugl_way {
	const struct mugl_way *up;
	const char *key;
	uint32_t n;
};
void mugl_put_way(vt_buf *, const struct mugl_way *); /* properties.p[0].q */
void mugl_put_shown(vt_buf *, mugl_text); /* in quotes, what could act on a terminal escaped */
void mugl_at(mugl_problem *, const mugl *, mugl_id);

/* All edges: those of vertex v are to[start[v]] .. to[start[v + 1] - 1], in property order. */
typedef struct mugl_links {
	uint64_t *start;
	mugl_id *to;
} mugl_links;
void mugl_links_of(const mugl *, mugl_links *);
/* The same; `also` sees each body. */
void mugl_links_seen(
	const mugl *, mugl_links *, void (*also)(void *, const mugl_node *), void *ctx);
void mugl_links_free(mugl_links *);
mugl_id *mugl_order_by(const mugl *, const mugl_links *, bool stable);
/* The path of a cycle, its first vertex again at the end, malloc'd; NULL: there is none. */
mugl_id *mugl_find_cycle(const mugl *, const mugl_links *, uint32_t *n);
void mugl_report_cycle(const mugl *, const mugl_id *, uint32_t n, mugl_problems *);
typedef void (*mugl_place_fn)(void *ctx, const mugl_node *edge, mugl_text label);

bool mugl_tag_for(
	const mugl_node *, vt_buf *tag); /* of one value: true when another than #ref was needed */

/* mugl_check in its two halves. */
bool mugl_check_graph(const mugl *, bool snapshot, mugl_problems *);
bool mugl_check_digest(const mugl *, mugl_problems *);
void mugl_retag_node(mugl *, mugl_node *, mugl_text from, mugl_text to);

/* What a resource is compared by: its properties, or all of a bag that has no type. */
const mugl_node *mugl_compared(const mugl_node *body);
/* Edges of `a` in `from` and of `b` in `to` are the same when the plan pairs their vertices; plan
 * NULL: by name. */
bool mugl_same(const mugl_plan *, const mugl *, const mugl_node *, const mugl *, const mugl_node *);
/* A pair of one type, and of one id where ids count. */
bool mugl_is_same_resource(const mugl_plan *, mugl_id was, mugl_id is);
void mugl_compared_pair(
	const mugl_plan *, mugl_id was, mugl_id is, const mugl_node **a, const mugl_node **b);
/* For objects that are large: members by key. */
typedef struct mugl_index {
	const mugl_node *object;
	const mugl_member **sorted; /* NULL: small */
} mugl_index;
void mugl_index_make(mugl_index *, const mugl_node *);
void mugl_index_free(mugl_index *);
const mugl_member *mugl_index_get(const mugl_index *, const char *, uint32_t n, uint32_t hint);

#endif

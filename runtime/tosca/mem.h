/* mem.h - what the files that own the graph share: session.c, eval.c, graph.c, path.c, out.c... */
#ifndef VT_TOSCA_MEM_H
#define VT_TOSCA_MEM_H

#include "runtime/tosca/int.h"

enum {
	VT_TG_NONE,
	VT_TG_INPUT,
	VT_TG_LINK
}; /* vt_tcell.given: its value; row expr of vt_tosca_mem.link */
/* A cell that has the value of another one: of the inside of a substituted node, or of its outside.
 */
typedef struct vt_tlink {
	vt_tctx ctx;
	vt_tcell *cell;
} vt_tlink;

/* Cells that are being evaluated, the innermost first: they report a value that depends on itself.
 */
typedef struct vt_tbusy {
	struct vt_tbusy *up;
	const vt_tcell *cell;
	const vt_tctx *ctx;
} vt_tbusy;

struct vt_tchunk;
struct vt_tcells;
struct vt_tsets;
struct vt_tosca_mem {
	struct vt_tchunk *chunk;
	struct vt_tcells *cells;
	vt_tcell **shared;     /* by first slot of a span: cells of those that assign nothing */
	uint32_t *strs, nstrs; /* hash of model->str; made when first asked for */
	uint32_t *seen, nseen; /* hash of problems: index + 1 */
	uint64_t *told;        /* hashes of problems, the name of the node left out */
	uint32_t ntold, told_cap;
	vt_seed seed; /* of both hashes */
	vt_tlink *link;
	uint32_t nlinks;
	vt_tbusy *busy;
	struct vt_tsets *sets; /* resolve.c: candidates */
	uint32_t *counts;      /* resolve.c: by row of a text; 0 but for the node at hand */
	uint32_t quiet;        /* above 0: problems are counted, not kept */
	uint32_t silenced;     /* so many were */
	bool dropped;          /* the last one was not kept: nor is its hint */
	bool resolved;         /* relationships are known */
	bool only_types; /* defaults are checked: no service is there that a function could ask */
	uint32_t marks;
	uint64_t nrels;
	char *why;       /* what the constraint that was violated last has to say of it; or NULL */
	uint64_t looked; /* nodes that were looked at to explain problems */
	uintptr_t base;  /* of the main stack */
};

vt_tcell *vt_tosca_cells(vt_tosca *, uint32_t n); /* zeroed; their values are released at the end */
/* Later assignments win. */
vt_tbag vt_tosca_bag_of(vt_tosca *, vt_tspan slots, const vt_tspan *assigns, uint32_t nassigns);
vt_tbag vt_tosca_bag_own(
	vt_tosca *, vt_tspan slots); /* of parameters: cells that nobody else has */
vt_tcell *vt_tosca_lookup(const vt_tosca *, const vt_tbag *, vt_value name);
void vt_tosca_link(vt_tosca *, vt_tcell *, vt_tctx, vt_tcell *to);
/* An expression's value where it must be known now: a count, an index. False: unknown or reported.
 */
bool vt_tosca_count(vt_tosca *, const vt_tctx *, uint32_t expr, const char *what, uint32_t *out);
/* Is the machine's stack nearly used up? Then vt_on_segment goes on. */
static inline bool
vt_tosca_low(const vt_tosca *t)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	return t->rt->stack_limit ? here < t->rt->stack_limit
				  : t->mem->base - here > (1u << 20) && t->mem->base > here;
}
/* alloc.c: allocations. Of a demand, the amounts of one relationship that a requirement asks
 * for. */
enum { VT_TD_NONE, VT_TD_UNKNOWN, VT_TD_KNOWN, VT_TD_WRONG };
typedef struct vt_tpart {
	uint32_t name, data; /* data type in whose canonical unit `number` is, once typed */
	vt_value value, number;
	bool typed;
} vt_tpart;
typedef struct vt_tdemand {
	vt_tosca *t;
	vt_tnodei *source;
	const vt_treq *req;
	uint32_t rel_type, index;
	vt_tpart *part;
	uint32_t n;
	uint8_t state;
	bool each; /* every candidate is asked for an amount of its own */
} vt_tdemand;
void vt_tosca_demand(
	vt_tosca *, vt_tdemand *, vt_tnodei *source, const vt_treq *, uint32_t rel_type);
void vt_tosca_demand_next(vt_tdemand *, uint32_t index); /* the relationship of that number */
void vt_tosca_demand_end(vt_tdemand *);
bool vt_tosca_fits(vt_tdemand *, vt_tcapi *);
void vt_tosca_take(vt_tdemand *, vt_tcapi *);
/* What has not been taken of a property that has `all`. Owned; false: no numbers. */
bool vt_tosca_left(vt_tosca *, const vt_tcapi *, uint32_t name, vt_value all, vt_value *out);
/* Candidates in the order in which they are looked at; rooms find the next one that has enough. */
typedef struct vt_tcandidate {
	vt_tcapi *cap;
	uint8_t passes; /* the definition's filter */
} vt_tcandidate;
typedef struct vt_tcandidates {
	vt_tcandidate *c;
	const uint32_t *order;
	uint32_t n;
} vt_tcandidates;
struct vt_trooms *vt_tosca_rooms(uint32_t n);
void vt_tosca_drop_rooms(struct vt_trooms *);
/* n: none */
uint32_t vt_tosca_next_room(
	vt_tdemand *, struct vt_trooms *, const vt_tcandidates *, uint32_t from);
/* What is being evaluated depends on relationships; until all are known it is evaluated again when
 * asked for again. */
static inline void
vt_tosca_depends(vt_tosca *t)
{
	t->touched |= !t->mem->resolved;
}
/* ---- graph.c, resolve.c ---- */
vt_tservicei *vt_tosca_service(vt_tosca *, uint32_t service,
	vt_tnodei *outside); /* with inputs and outputs, without nodes */
void vt_tosca_drop_sets(vt_tosca *);
vt_treli *vt_tosca_next_rel(
	const vt_tnodei *, uint32_t name, vt_treli *after); /* of a requirement; NULL: none left */
uint32_t vt_tosca_find_node(const vt_tservicei *, const vt_tmodel *,
	uint32_t name);                           /* index in the service + 1; 0: none */
void vt_tosca_order(vt_tosca *, vt_tnodei **out); /* all nodes, those that others need first */
void vt_tosca_fill_service(vt_tosca *, vt_tservicei *);    /* its nodes, groups and policies */
void vt_tosca_resolve_service(vt_tosca *, vt_tservicei *); /* its requirements */
/* One more relationship to the capability; the caller puts it among the node's. */
vt_treli *vt_tosca_relate(vt_tosca *, vt_tnodei *, const vt_treq *, vt_tcapi *);
bool vt_tosca_is_optional(vt_tosca *, const vt_tctx *, const vt_treq *);
/* What is not known yet does not speak against the candidate; lenient: neither does what it has
 * not. */
bool vt_tosca_filter_passes(vt_tosca *, uint32_t filter, vt_tnodei *candidate, bool lenient);
/* ---- keyed.c: filters that ask for one value ---- */
bool vt_tosca_same_expr(const vt_tmodel *, uint32_t a, uint32_t b);
typedef struct vt_tkey {
	uint32_t asked, constant; /* expressions */
} vt_tkey;
bool vt_tosca_key(const vt_tmodel *, uint32_t filter, vt_tkey *);
typedef struct vt_tkeyed {
	uint64_t hash;
	uint32_t at;
} vt_tkeyed;
/* Numbers of those who were added, by what they give for an expression; zeroed at first. */
typedef struct vt_tindex {
	vt_tkeyed *keyed;
	uint32_t *rest;
	uint32_t n, nrest;
} vt_tindex;
void vt_tosca_index_add(vt_tosca *, vt_tindex *, const vt_tctx *, uint32_t expr, uint32_t at);
void vt_tosca_index_done(vt_tindex *);
void vt_tosca_index_free(vt_tindex *);
/* Who may give the constant; or, of constants that were added, which may be what the expression
 * gives (false: that is not plain). In order, malloc'd. */
uint32_t *vt_tosca_index_find(vt_tosca *, const vt_tindex *, uint32_t constant, uint32_t *n);
bool vt_tosca_index_ask(
	vt_tosca *, const vt_tindex *, const vt_tctx *, uint32_t expr, uint32_t **out, uint32_t *n);
/* ---- ranged.c: filters that ask for values of a range ---- */
/* Constants (0: no bound); strict: the bound itself is out. */
typedef struct vt_trange {
	uint32_t asked, lower, upper;
	bool strict;
} vt_trange;
uint32_t vt_tosca_ranges(const vt_tmodel *, uint32_t filter, vt_trange *out, uint32_t most);
/* Candidates by what they give for an expression; `which`: one of two orders. */
struct vt_tline *vt_tosca_line(uint32_t ncandidates);
void vt_tosca_line_add(
	vt_tosca *, struct vt_tline *, const vt_tctx *, uint32_t expr, uint32_t candidate);
void vt_tosca_line_order(struct vt_tline *, int which, const uint32_t *order, uint32_t n);
void vt_tosca_line_done(vt_tosca *, struct vt_tline *);
void vt_tosca_line_free(struct vt_tline *);
/* Who is in the range, as a part of the line; false: the bounds are of another kind. */
bool vt_tosca_line_find(
	vt_tosca *, const struct vt_tline *, const vt_trange *, uint32_t *from, uint32_t *to);
uint32_t vt_tosca_line_rest(const struct vt_tline *); /* who is always asked */
enum vt_ttaking { VT_TAKES, VT_TAKES_NOT_NOW, VT_TAKES_NEVER };
typedef enum vt_ttaking vt_ttakes(void *asks, uint32_t candidate, int which);
/* The first that is taken, or UINT32_MAX. */
uint32_t vt_tosca_line_choose(
	struct vt_tline *, uint32_t from, uint32_t to, int which, vt_ttakes *, void *asks);
/* ---- inside.c ---- */
bool vt_tosca_index_of(vt_value, uint32_t *out);
bool vt_tosca_inside(
	vt_tosca *, const vt_tctx *, const vt_value *words, uint32_t n, vt_value, vt_value *out);
bool vt_tosca_inside_type(
	vt_tosca *, const vt_tctx *, const vt_value *words, uint32_t n, uint32_t schema);
/* ---- substitute.c ---- */
void vt_tosca_substitute_all(vt_tosca *);

#endif

/*
 * mugl.h - graphs of objects that can be stored, compared and repaired: the MuGL format.
 *
 * docs/mugl.md describes the format and the rules.  A graph has nothing to do with a session and
 * its store: it owns an arena that goes with it, and its values are mugl_nodes, plain data.  Only
 * the two functions of value.c know vt_values.
 *
 * Strings are bytes with a length (UTF-8; a NUL may be among them).  What a function takes is
 * copied, what it gives belongs to the graph.  Running out of memory ends the process, as
 * everywhere.
 *
 *	mugl *g = mugl_new(NULL);
 *	mugl_node *p = mugl_properties(g, "db", 2, "acme:Server");
 *	mugl_put(g, p, "size", 4, mugl_int(20));
 *	mugl_put(g, p, "net", 3, mugl_edge(g, "net", 3));      the vertex may come later
 *	mugl_problems bad = {0};
 *	if (!mugl_check(g, true, &bad) || !mugl_save(g, "state.mugl", 0, &bad))
 *		mugl_problems_print(&bad, "state.mugl", NULL, 0, stderr);
 */
#ifndef MUGL_H
#define MUGL_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include <stdio.h>
#include "runtime/text/report.h"

typedef struct mugl mugl;
typedef uint32_t mugl_id; /* a vertex, within one graph */
#define MUGL_NONE UINT32_MAX

typedef struct mugl_text {
	const char *p;
	uint32_t n;
} mugl_text;

/* ---- problems: problem.c ------------------------------------------------------------------- */

/* codes.def has them. */
enum mugl_code {
#define MUGL_CODE(sym, name, title, hint) MUGL_##sym,
#include "runtime/mugl/codes.def"
#undef MUGL_CODE
	MUGL_NCODES
};
const char *mugl_code_name(enum mugl_code);
const char *mugl_code_hint(enum mugl_code); /* or NULL */
void mugl_put_plain(vt_buf *, mugl_text);   /* with what a terminal could act on escaped */

typedef struct mugl_problem {
	enum mugl_code code;
	bool warning;
	uint32_t line, col; /* 1-based, in code points; 0: no place */
	uint64_t offset;    /* in bytes; UINT64_MAX: no place */
	char *message;
	/* What it is about; p is NULL where that means nothing for the code. */
	mugl_text at, ref, key, field, alias;
	mugl_text *path; /* a cycle, its first vertex again at the end */
	uint32_t npath;
} mugl_problem;
/* Starts as {0}. Problems behind the limit are counted only; max 0 is 100. */
typedef struct mugl_problems {
	mugl_problem *p;
	uint32_t n, max;
	uint32_t errors; /* all of them, without warnings */
	bool over;       /* p[n] is taken as well */
} mugl_problems;
void mugl_problems_free(mugl_problems *);
/* As runtime/text/report.h shows it.  The text is that of the file, for the excerpt, or NULL. */
vt_report mugl_problem_report(const mugl_problem *, const char *file, const char *text, size_t);
void mugl_problems_print(const mugl_problems *, const char *file, const char *text, size_t, FILE *);
/* {"type","message","line","col", and what it is about}: the error of a batch. */
void mugl_problem_json(vt_buf *, const mugl_problem *);

/* ---- graphs: mugl.c ---- */

/* Zero is the default of each. */
typedef struct mugl_options {
	bool lenient;          /* a comma before a closing bracket is read over */
	bool snapshot;         /* mugl_read checks as for a snapshot */
	bool unchecked;        /* mugl_read does not check: for mugl_repair */
	uint32_t max_depth;    /* nesting of values: 200; at most 1000 */
	uint64_t max_bytes;    /* of a text: 1 GiB */
	uint32_t max_vertices; /* 20 million */
} mugl_options;

enum mugl_kind {
	MUGL_NULL,
	MUGL_FALSE,
	MUGL_TRUE,
	MUGL_INT,
	MUGL_FLOAT,  /* finite */
	MUGL_NUMBER, /* one that neither int64 nor double holds, as its digits in `s` */
	MUGL_STR,
	MUGL_ARRAY,
	MUGL_OBJECT,
	MUGL_EDGE
};
typedef struct mugl_member mugl_member;
typedef struct mugl_node mugl_node;
struct mugl_node {
	uint8_t kind;
	uint8_t grown; /* its array has room up to the next power of two */
	uint32_t n;    /* bytes, items or members; EDGE: the vertex */
	union {
		int64_t i;
		double d;
		const char *s;
		mugl_node *item;
		mugl_member *member;
		uint64_t place; /* EDGE: offset in the text that was read, or UINT64_MAX */
	};
};
struct mugl_member {
	const char *key;
	uint32_t nkey;
	mugl_node value;
};

mugl *mugl_new(const mugl_options *); /* NULL: the defaults */
void mugl_free(mugl *);
mugl *mugl_clone(const mugl *);

/* Vertices.  A name that edges mention has an id; it is a vertex once it is defined. */
mugl_id mugl_intern(mugl *, const char *, size_t);
mugl_id mugl_find(const mugl *, const char *, size_t); /* MUGL_NONE: there is no such vertex */
mugl_text mugl_name(const mugl *, mugl_id);
bool mugl_defined(const mugl *, mugl_id);
uint32_t mugl_count(const mugl *);
/* In order of definition: for (i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;) */
mugl_id mugl_next(const mugl *, uint32_t *i);
/* Defines it, or changes what it is, with an empty bag, which is yours until the next vertex is
 * made. */
mugl_node *mugl_define(mugl *, mugl_id);
/* A resource; its properties, empty or as they were, are yours until the next vertex is made. */
mugl_node *mugl_properties(mugl *, const char *moniker, size_t, const char *type);
void mugl_remove(mugl *, mugl_id);
const mugl_node *mugl_body(const mugl *, mugl_id);
mugl_node *mugl_bag(mugl *, mugl_id); /* the same, to be changed */
/* the order in which roots are named is the order of writing */
void mugl_root(mugl *, mugl_id);

/* Values. */
mugl_node mugl_null(void);
mugl_node mugl_bool(bool);
mugl_node mugl_int(int64_t);
mugl_node mugl_float(double); /* what JSON has no number for becomes null */
mugl_node mugl_str(mugl *, const char *, size_t);
mugl_node mugl_array(void);
mugl_node mugl_object(void);
mugl_node mugl_edge(mugl *, const char *moniker, size_t);
mugl_node *mugl_push(mugl *, mugl_node *array, mugl_node);
mugl_node *mugl_put(mugl *, mugl_node *object, const char *key, size_t, mugl_node); /* replaces */
void mugl_drop(mugl_node *object, const char *key, size_t);
const mugl_node *mugl_get(const mugl_node *object, const char *key, size_t); /* or NULL */
/*
 * Edges of a kind between two vertices, with properties of their own: the list `label` of from's
 * bag (a resource's properties) gets the edge, or, when there are properties, {"to": edge,
 * ...properties}.
 */
void mugl_link(mugl *, mugl_id from, const char *label, mugl_id to, const mugl_node *properties);
mugl_node mugl_copy_node(mugl *to, const mugl *from, const mugl_node *);
/* whatever the order of members */
bool mugl_same_node(const mugl *, const mugl_node *, const mugl *, const mugl_node *);

/* The front matter: members beside vertices, ref excepted. */
mugl_node *mugl_header(mugl *);
/* Fixes the tag of edges; without it the writer finds one that no data looks like. False: empty. */
bool mugl_set_ref(mugl *, const char *, size_t);

/* ---- value.c: the values of a session ---- */

/*
 * A value as a node: what is an object of one member, named tag, with a text is an edge (tag NULL:
 * none is). False: JSON cannot hold it, or it is too deep; *why then says so and is static.
 */
bool mugl_from_value(mugl *, vt_rt *, vt_value, const char *tag, mugl_node *out, const char **why);
/* Edges become {tag: moniker}. Owned; frozen dicts and tuples. */
vt_value mugl_to_value(const mugl *, vt_rt *, const mugl_node *, const char *tag);

/* ---- model.c: object models of MuranoPL, as docs/mugl.md has them ---- */

/* The snapshot of the model with that root object, or null.  NULL: an exception is pending. */
mugl *mugl_from_model(vt_rt *, vt_value root);
/* {"Objects", "ObjectsCopy", "Attributes"} of a valid snapshot; owned. */
vt_status mugl_to_model(vt_rt *, const mugl *, vt_value *out);
/* Removes ids of resources that the model, as it was written, does not have: loading has made them
 * up. */
void mugl_drop_new_ids(vt_rt *, mugl *, vt_value model);
bool mugl_looks_like(vt_value); /* is what was read as JSON a MuGL document, and no model? */

/* ---- read.c ---- */

/*
 * Reads a text.  NULL when it is no JSON object; else the graph, without what was wrong in it: look
 * at problems->errors.  Edges are found while reading, in one pass, unless `ref` comes behind the
 * vertices.
 */
mugl *mugl_read(const char *, size_t, const mugl_options *, mugl_problems *);
mugl *mugl_read_file(const char *path, const mugl_options *, mugl_problems *);
/* A file, or standard input for "-", from malloc; one byte more than max_bytes at most. NULL:
 * reported. */
char *mugl_read_text(const char *path, const mugl_options *, size_t *, mugl_problems *);
/* A graph from a tree of another: vertices, {tag: moniker} is an edge. For who embeds graphs in
 * requests. */
bool mugl_read_vertices(mugl *, const mugl_node *vertices, const char *tag, mugl_problems *);
/* any JSON, no edges */
bool mugl_read_json(mugl *, const char *, size_t, mugl_node *out, mugl_problems *);

/* ---- check.c ---- */

/* Edges that lead nowhere and, in a snapshot, schema, order, cycles, aliases.  True: nothing
 * found. */
bool mugl_check(const mugl *, bool snapshot, mugl_problems *);
bool mugl_is_dag(const mugl *);
bool mugl_in_order(const mugl *); /* every edge leads to a vertex defined before */
uint32_t mugl_forward_refs(const mugl *);
/*
 * All vertices, malloc'd: dependencies before dependents where there is no cycle.  Post-order,
 * edges in property order, from the roots: those named, or vertices without edges to them in order
 * of definition; then what these do not reach, from the smallest moniker on.  stable: from each
 * vertex in order of definition; a valid order stays.
 */
mugl_id *mugl_order(const mugl *, bool stable);
/* Calls it for every edge of a vertex in property order; label is its path in the bag: children[0],
 * a.b. */
typedef void (*mugl_edge_fn)(void *ctx, mugl_text label, mugl_id to);
void mugl_each_edge(const mugl *, mugl_id, mugl_edge_fn, void *ctx);

/* ---- write.c ---- */

enum {
	MUGL_COMPACT = 1, /* one line */
	MUGL_DIGEST = 2,  /* writes "integrity" also where there was none */
	MUGL_KEEP = 4     /* vertices as mugl_order(stable) has them */
};
/* The canonical text.  False: the fixed tag marks data as well (ref_conflict), a name leads
 * nowhere, a snapshot cycles. */
bool mugl_write(const mugl *, int flags, vt_buf *, mugl_problems *);
/* The same into a file that is replaced as a whole, or stays what it was. */
bool mugl_save(const mugl *, const char *path, int flags, mugl_problems *);
/*
 * The same for a graph that is too large to be held: its vertices are defined, and `make` makes the
 * body of one as often as it is asked. It defines no vertex, and edges lead to those that there
 * are.
 */
typedef void mugl_make(void *ctx, mugl *, mugl_id, mugl_node *body);
bool mugl_write_made(mugl *, int flags, mugl_make *, void *ctx, vt_buf *, mugl_problems *);
bool mugl_replace_file(const char *path, const char *, size_t, mugl_problems *);
/* One value; edges as {tag: moniker}. */
void mugl_write_node(const mugl *, vt_buf *, const mugl_node *, const char *tag);
/* SHA-256 of the vertices whatever their order and that of their members: 64 hexadecimal digits and
 * NUL. */
void mugl_digest(const mugl *, char out[65]);

/* ---- moniker.c ---- */

typedef struct mugl_moniker {
	mugl_id vertex;
	mugl_text moniker;
	mugl_text *alias;
	uint32_t naliases;
} mugl_moniker;
/*
 * Stable names: the path from a root, as app/vms[0]; the shortest, among these the first in bytes;
 * one alias for each other edge that leads there.  For vertices with a type, in order of
 * definition; memory of the graph.  False: one of them is not reached, or two get the same name.
 */
bool mugl_monikers(mugl *, mugl_moniker **, uint32_t *n, mugl_problems *);
/*
 * The snapshot of a graph of objects: vertices with a type become resources under their monikers;
 * what they have beside id and type are properties, and objects without a type are written where
 * they are referred to.  NULL: problems.
 */
mugl *mugl_snapshot(mugl *, mugl_problems *);

/* ---- diff.c, show.c ------------------------------------------------------------------------- */

enum mugl_step_kind {
	MUGL_CREATE,
	MUGL_UPDATE,
	MUGL_CREATE_REPLACEMENT,
	MUGL_DELETE_REPLACED,
	MUGL_DELETE
};
typedef struct mugl_step {
	enum mugl_step_kind kind;
	mugl_id was, is; /* in old and new; MUGL_NONE where it is not there */
} mugl_step;
enum mugl_fate { MUGL_GONE, MUGL_SAME, MUGL_NEW, MUGL_CHANGED, MUGL_REPLACED };
typedef struct mugl_plan {
	const mugl *from, *to; /* not owned */
	mugl_step *step;       /* in the order in which they can be done */
	uint32_t nsteps;
	mugl_id *was, *is; /* of a vertex of `to`, of `from`: its partner or MUGL_NONE */
	uint8_t *fate;     /* of a vertex of `to`: enum mugl_fate */
	mugl_id *from_order, *to_order;
	uint32_t nfrom, nto;
	bool by_id;
} mugl_plan;
const char *mugl_step_name(enum mugl_step_kind);
/* What makes `from` into `to`. Vertices are matched by moniker, then by alias; both graphs must
 * outlive the plan. */
mugl_plan *mugl_diff(const mugl *from, const mugl *to, bool delete_first);
/* The same where ids are identities: they pair before monikers do, and a pair with two of them is a
 * replacement. */
mugl_plan *mugl_diff_by_id(const mugl *from, const mugl *to, bool delete_first);
void mugl_plan_free(mugl_plan *);
bool mugl_plan_empty(const mugl_plan *);
/*
 * The front matter of `from` may list monikers: `taint`, what is replaced although nothing differs,
 * and `protect`, what must not be deleted.  False: the plan does so nevertheless, which is
 * reported.
 */
bool mugl_plan_allowed(const mugl_plan *, mugl_problems *);
/* A new graph: `from` with the steps done. A resource that `to` gives no id keeps the one it
 * had. */
mugl *mugl_plan_apply(const mugl_plan *);
/* {"creates","updates","replaces","deletes","sames","steps"} and "renames" where there are any. */
void mugl_plan_json(const mugl_plan *, vt_buf *);
/* For people: the steps with their properties, then the counts. */
void mugl_plan_text(const mugl_plan *, vt_buf *, bool colour);
void mugl_dot(const mugl *, vt_buf *);

/* ---- flag.c: taint and protect ---- */

/* Puts a vertex on the list, or takes a name off it.  False: there is no such vertex, or no such
 * list can be; reported. */
bool mugl_flag(mugl *, const char *list, const char *moniker, size_t, bool on, mugl_problems *);
bool mugl_has_flags(const mugl *);
/* Warns of what is on the lists and names no vertex. */
void mugl_flags_look(const mugl *, mugl_problems *);
/* The lists of `from` for what there is of it in `to`; pairs as mugl_diff_by_id makes them. */
void mugl_carry_flags(const mugl *from, mugl *to);
/* Is all that `from` protects still there in `to`?  Else it is reported. */
bool mugl_flags_allow(const mugl *from, const mugl *to, mugl_problems *);

/* ---- repair.c ---- */

/*
 * Sorts, and removes what cannot stay: edges that lead nowhere, in a snapshot also unknown fields
 * and aliases that are none.  What goes is listed, a warning each, behind what the reader has
 * found: read with unchecked and lenient set. True: the graph is valid now.  Write it with
 * MUGL_KEEP.
 */
bool mugl_repair(mugl *, bool snapshot, mugl_problems *removed, mugl_problems *left);

/* ---- journal.c: a snapshot in progress ---- */

/*
 * A file beside a snapshot to which each step is appended, with a checksum, and synced.  Opening
 * one that is there brings `g`, which must be the snapshot it was begun for, to where it ended; a
 * record that was not written whole is cut off.  Every function gives false and the reason in
 * problems.
 */
typedef struct mugl_journal mugl_journal;
mugl_journal *mugl_journal_open(const char *path, mugl *g, mugl_problems *);
/* Brings `g` to where the journal is now, which another process may be writing; no journal: as it
 * is. */
bool mugl_journal_look(const char *path, mugl *g, mugl_problems *);
bool mugl_journal_begin(
	mugl_journal *, const char *moniker, size_t, enum mugl_step_kind, mugl_problems *);
bool mugl_journal_fail(
	mugl_journal *, const char *moniker, size_t, const char *why, mugl_problems *);
/* What the graph has for it now, or that it is gone; ends what was begun. */
bool mugl_journal_step(mugl_journal *, const char *moniker, size_t, mugl_problems *);
/* Writes the snapshot, then starts the journal anew. */
bool mugl_journal_save(mugl_journal *, const char *snapshot, int flags, mugl_problems *);
/* What began and did not end. */
typedef struct mugl_pending {
	mugl_text moniker;
	enum mugl_step_kind kind;
} mugl_pending;
const mugl_pending *mugl_journal_pending(const mugl_journal *, uint32_t *n);
void mugl_journal_close(mugl_journal *); /* the file stays */

#endif

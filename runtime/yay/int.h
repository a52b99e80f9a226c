/*
 * int.h - inside the evaluator of Yay.
 *
 *   session.c        sessions, layers, names, failures, reading
 *   map.c    mappings: stanzas as pieces, lookup, predecessors, keys
 *   guard.c  if, select and include: peeking behind oneself, and being held to it
 *   node.c   places: expansion, bodies, lists, for
 *   expr.c   expressions; op.c: operators; fn.c: functions
 *   make.c   macros, prototypes, class bindings
 *   value.c  values of what was expanded; plain.c: of what need not be
 *   code.c   what expressions that were compiled to C call
 *
 * A *place* (vt_ynode) is a value row with the frame that it is written in; expanding it gives a
 * *shape*: a scalar, a list of places, or a map.  A map is a sequence of *pieces*, one a stanza:
 * rows whose keys are plain to see, or a directive that becomes a map when it is looked into.  Keys
 * are looked up from the newest piece to the oldest, and a key's place knows where to go on: its
 * predecessor.
 *
 * A guarded piece (if, select, include) that is being decided is passed by as if it were not there.
 * Whatever was computed that way is *tainted* by its level, forgotten once it is decided, and every
 * decision that rests on it is made again then: it must come out the same.
 *
 * All memory is the session's and is freed with it; values are counted.  false and NULL mean
 * failure, which the session's fault describes.
 */
#ifndef YAY_INT_H
#define YAY_INT_H

#include "runtime/yay/yay.h"

typedef struct ytab {
	uint64_t *key;
	void **val;
	uint32_t n, cap;
} ytab; /* keys are not 0 */

typedef struct yframe yframe;
typedef struct ymap ymap;
typedef struct ypiece ypiece;
typedef struct yshape yshape;

/* The entries of a large MAP: the last of each name, by its string. */
typedef struct ymaptab {
	uint32_t mask, entry[];
} ymaptab;

/* A document in a session. */
typedef struct ydoc {
	const vt_ydoc *d;
	uint32_t *sym;  /* by string; NULL, 0: not asked for yet */
	vt_value *text; /* by string, owned; NULL, 0: not asked for yet */
	/* 0, or a string: by its text, and by its symbol where that was asked for (1 + it) */
	uint32_t *str, nstr; /* nstr: a power of two */
	ytab str_of;
	ytab index; /* MAP row -> ymaptab; BODY row -> ytab of symbol -> last definition */
	/* by row in pages, of TEXT, STR, NUM and BOOL: its shape; NULL: none was asked for */
	yshape ***consts;
	uint8_t *missed; /* by row: how often its code did not know what to do */
	uint8_t *plain;  /* plain.c: a bit a row; NULL: nobody asked yet */
	bool secret;
} ydoc;

enum yframe_kind { F_BODY, F_VARS, F_ARGS, F_SELF };
/* An item of a loop costs a frame: each kind takes the memory of its own fields only, up to the
 * next comment. */
struct yframe {
	yframe *up;   /* NULL: the root's */
	uint8_t kind; /* enum yframe_kind */
	/* of a prototype's body: `new` in it makes a part of the same object */
	bool prototype;
	uint32_t n;
	const uint32_t *name;
	vt_ynode **var; /* F_VARS */
	/* F_BODY: `here` itself; F_ARGS, F_SELF: the arguments, the object */
	ymap *here;
	/* F_BODY only */
	ydoc *doc;
	uint32_t body; /* whose definitions are seen */
	/* the key under which the body stands: `here` is that key of the `here` above */
	uint32_t place;
	vt_ynode *here_node; /* `here` is what this place expands to */
	ytab sets;           /* SET row -> place */
	/* frames of documents that were included here, linked by sibling */
	yframe *included;
	yframe *sibling;
};

enum yshape_kind { Y_SCALAR, Y_LIST, Y_MAP, Y_CODE /* lambda, macro, prototype */, Y_CLASS };
struct yshape {
	uint8_t kind; /* enum yshape_kind */
	bool secret, busy;
	uint32_t row;
	ydoc *doc;      /* where errors about it point */
	vt_value value; /* SCALAR: it; others: once it was asked for, else VT_UNDEF */
	vt_value text;  /* SCALAR: as written, or VT_UNDEF */
	vt_value safe;  /* SCALAR: with secrets masked, or VT_UNDEF */
	yshape *all;    /* linked: values are released at the end */
	/* a SCALAR ends here */
	uint64_t weight; /* parts of value, each as often as it is in it */
	vt_ynode **item;
	uint32_t n;      /* LIST */
	yframe *env;     /* CODE */
	const char *cls; /* CLASS */
};

enum ypiece_kind { P_ROWS, P_STANZA, P_VALUES };
enum ypiece_state { S_NEW, S_BUSY, S_DONE };
struct ypiece {
	uint8_t kind, state;
	/* P_ROWS: 0 all entries, 1 those that do not extend, 2 those that do */
	uint8_t only;
	bool skipped; /* somebody went by while it was S_BUSY */
	ymap *owner;  /* or NULL, in a list */
	ydoc *doc;
	uint32_t row;
	yframe *env;
	uint32_t level; /* S_BUSY: of its guard */
	ytab place;     /* P_ROWS: entry -> place; P_VALUES: symbol -> place */
	vt_ynode **at;
	uint32_t first;  /* P_ROWS of a large map instead: by entry, less first */
	uint32_t choice; /* IF, SELECT: the body or value that was chosen; 0: none */
	vt_value shown;  /* what the guard came to */
	ydoc **docs;
	yframe **frames;
	uint32_t ndocs; /* INCLUDE */
	/* what it contributes to a map; NULL: nothing (known when mapped) */
	ymap *map;
	bool mapped;
	yshape *shape; /* what it is by itself */
	bool shaped;
	vt_value values; /* P_VALUES: a dict */
	ypiece *all;
};

struct ymap {
	yshape s;
	ypiece **piece;
	uint32_t n;
	vt_ynode *of;  /* whose predecessor lies below; or NULL */
	ypiece *outer; /* the piece that this map is of; or NULL */
	bool keyed;
	uint32_t nkeys;
	uint32_t *key;
	vt_ynode **node;
	ytab byname; /* when keyed: symbol -> 1 + its number among the keys */
	/* objects of class bindings */
	const char *cls;
	ymap *params;
	uint8_t made;
	ymap *members;
};

enum ynode_kind { N_ROW, N_ENTRY, N_SHAPE, N_ROOT };
struct vt_ynode {
	uint8_t kind, state; /* enum ynode_kind, ypiece_state */
	bool used_guess;
	bool of_piece : 1; /* it has what stands last, too */
	bool given : 1; /* its value was made from the rows; who asks again gets one that is kept */
	uint32_t row;
	ydoc *doc;
	yframe *env;
	yshape *shape;  /* S_DONE */
	ymap *busy_map; /* S_BUSY: a body of directives only, as far as it is known */
	yshape *guess;  /* what it was while tainted */
	/* a place of a piece: N_ENTRY, and N_SHAPE of P_VALUES, where entry is the symbol */
	ypiece *piece;
	uint32_t entry;
	bool pred_known;
	vt_ynode *pred;
};

struct vt_yay {
	vt_rt *rt;
	vt_yay_host host;
	vt_yay_limits limit;
	vt_yfault fault;
	struct chunk *chunks;
	char *at, *end;
	uint64_t steps, nodes;
	uintptr_t stack;
	vt_seed seed;
	/* symbols: number by text, texts by number */
	vt_dict *symbols;
	vt_value *sym;
	uint32_t nsyms;
	uint32_t s_here, s_self, s_yay, s_searchpath;
	struct layer {
		ydoc *doc;
		yframe *frame;
		vt_value values;
	} * layer;
	uint32_t nlayers;
	yframe *top; /* the root's frame */
	vt_ynode *root;
	ymap *rootmap;
	bool rootlist;
	yshape *shapes;
	ypiece *pieces;
	ytab docs;
	uint32_t ndocs; /* vt_ydoc -> ydoc */
	char **search;
	uint32_t nsearch;
	/* search directives seen */
	struct ysearch {
		ydoc *doc;
		uint32_t row;
		yframe *env;
	} * searches;
	uint32_t nsearches;
	vt_value used_path; /* LIST: entries of the search path that were relied on */
	/* guards */
	uint32_t guards, taint;
	struct ytaint {
		void *what;
		uint32_t level;
		uint8_t kind;
	} * taints;
	uint32_t ntaints;
	struct yprov {
		ypiece *p;
		uint32_t level;
	} * provs;
	uint32_t nprovs;
	vt_ynode **busy;
	uint32_t nbusy, capbusy;
	bool secret;     /* something secret was read */
	bool masked;     /* and shown as ***** */
	uint64_t weight; /* parts of the value under way */
	uint32_t nparts; /* iterators of parts that were made for writers: plain.c */
	vt_ynode *nothing;
};
#define NO_TAINT UINT32_MAX
enum { T_NODE, T_KEYS, T_VALUE };

#define ROW(doc, r) (&(doc)->d->row[r])

/* session.c */
void *yay_alloc(vt_yay *, size_t); /* zeroed; ends with the session */
void *ytab_get(const ytab *, uint64_t key);
void ytab_put(vt_yay *, ytab *, uint64_t key, void *);
uint32_t yay_sym(vt_yay *, ydoc *, uint32_t str);
uint32_t yay_str_of(vt_yay *, ydoc *, uint32_t sym);   /* 0: the document has no such string */
vt_value yay_doc_text(vt_yay *, ydoc *, uint32_t str); /* borrowed */
uint32_t yay_sym_value(vt_yay *, vt_value str);
/* false */
bool yay_fail(vt_yay *, enum vt_yay_error, ydoc *, uint32_t row, const char *fmt, ...)
	VT_PRINTF(5, 6);
void yay_led(vt_yay *, ydoc *, uint32_t row);     /* one more place of the failure */
bool yay_fail_rt(vt_yay *, ydoc *, uint32_t row); /* the session's exception becomes the failure */
bool yay_step(vt_yay *, ydoc *, uint32_t row);
bool yay_failed(const vt_yay *);
void yay_forgive(vt_yay *);
yframe *yay_frame(vt_yay *, enum yframe_kind, yframe *up);
yframe *yay_frame_body(vt_yay *, yframe *up, ydoc *, uint32_t body);
vt_ynode *yay_node(vt_yay *, ydoc *, uint32_t row, yframe *);
vt_ynode *yay_node_of(vt_yay *, ypiece *, ydoc *, uint32_t row, yframe *, uint32_t entry);
vt_ynode *yay_node_shape(vt_yay *, yshape *);
yshape *yay_shape(vt_yay *, enum yshape_kind, ydoc *, uint32_t row);
yshape *yay_scalar(vt_yay *, ydoc *, uint32_t row, vt_value owned);
ydoc *yay_doc(vt_yay *, const vt_ydoc *, bool secret);
/* What a name means where a frame is. *node, or *code (a MACRO or PROTOTYPE row with its frame);
 * false: nothing, or failed. */
typedef struct yfound {
	vt_ynode *node;
	yshape *shape;
} yfound;
bool yay_set_place(vt_yay *, yframe *, uint32_t set, uint32_t sym, yfound *);
bool yay_lookup(vt_yay *, ydoc *, uint32_t row, yframe *, uint32_t sym, yfound *);

/* map.c */
ymap *yay_map(vt_yay *, ydoc *, uint32_t row);
ypiece *yay_piece(vt_yay *, ymap *owner, enum ypiece_kind, ydoc *, uint32_t row, yframe *);
void yay_map_body(vt_yay *, ymap *, ydoc *, uint32_t body, yframe *, int only);
void yay_map_values(vt_yay *, ymap *, ydoc *, uint32_t row, vt_value dict);
/* The newest place of a key; NULL: none, or failed. */
vt_ynode *yay_map_get(vt_yay *, ymap *, uint32_t sym);
vt_ynode *yay_pred(vt_yay *, vt_ynode *);
bool yay_map_keys(vt_yay *, ymap *);
vt_ynode *yay_place_of(vt_yay *, ypiece *, uint32_t entry); /* of a P_ROWS */
enum ybody { B_EMPTY, B_MAP, B_LIST, B_STANZAS };
enum ybody yay_body_kind(ydoc *, uint32_t body, uint32_t *list_row);

/* guard.c */
bool yay_decide(vt_yay *, ypiece *); /* S_DONE, or failed */
bool yay_is_guard(const ypiece *);
void yay_tainted(vt_yay *, uint32_t level);
void yay_remember(vt_yay *, void *what, int kind); /* computed just now: forgotten with the taint */

/* node.c */
yshape *yay_expand(vt_yay *, vt_ynode *);
yshape *yay_body(
	vt_yay *, ydoc *, uint32_t body, yframe *, vt_ynode *of, ypiece *outer, ymap **publish);
typedef struct yvec {
	vt_ynode **v;
	uint32_t n;
} yvec;
void yay_push(vt_yay *, yvec *, vt_ynode *);
bool yay_items(vt_yay *, yshape *, yvec *, const char *what); /* as an iterable */
bool yay_list_body(vt_yay *, ydoc *, uint32_t body, yframe *, yvec *);
bool yay_bind(vt_yay *, ydoc *, uint32_t target, vt_ynode *, yframe *vars); /* a for's target */
ymap *yay_piece_map(vt_yay *, ypiece *, bool *good);

/* expr.c */
yshape *yay_eval(vt_yay *, ydoc *, uint32_t row, yframe *);
yshape *yay_eval_rows(vt_yay *, ydoc *, uint32_t row, yframe *); /* without the row's code */
yshape *yay_constant(vt_yay *, ydoc *, uint32_t row);
yshape *yay_identifier(vt_yay *, ydoc *, uint32_t row, yframe *);
/* x.key, x[key] */
yshape *yay_get(vt_yay *, yshape *, ydoc *, uint32_t row, vt_value key, bool is_attr);
bool yay_truth(vt_yay *, yshape *, bool *out); /* of a guard */
bool yay_plain_truth(vt_yay *, yshape *, bool *out);
vt_value yay_str_value(vt_yay *, ydoc *, uint32_t str); /* borrowed */

/* op.c */
bool yay_number(vt_yay *, yshape *, vt_value *out); /* owned */
vt_value yay_text(vt_yay *, yshape *, bool safe);   /* owned; VT_UNDEF: failed */
yshape *yay_unary(vt_yay *, ydoc *, uint32_t row, yshape *);
vt_status yay_compute(vt_yay *, int op, vt_value, vt_value, vt_value *out);
bool yay_too_many_bits(vt_yay *, int op, vt_value, vt_value);
yshape *yay_binary(vt_yay *, ydoc *, uint32_t row, yshape *, yshape *);
bool yay_compare(vt_yay *, ydoc *, uint32_t row, int op, yshape *, yshape *, bool *out);
/* Most texts are no numbers, which the first byte says. */
bool yay_may_be_number(const char *text, size_t);
/* int() or float() of a text, as Python has it; false: none */
bool yay_text_number(vt_yay *, vt_value str, vt_value *out);

/* fn.c */
bool yay_is_function(const vt_str *);
yshape *yay_function(vt_yay *, ydoc *, uint32_t row, const vt_str *, yframe *);

/* make.c */
yshape *yay_code(vt_yay *, ydoc *, uint32_t row, yframe *);
yshape *yay_call_macro(
	vt_yay *, yshape *code, ymap *args, yframe *site, ypiece *outer, ymap **publish);
ymap *yay_new(vt_yay *, ypiece *, ydoc *, uint32_t row, yframe *);
yshape *yay_invoke(vt_yay *, ydoc *, uint32_t row, yframe *);
bool yay_object_made(vt_yay *, ymap *); /* members are there */
ymap *yay_fixed_map(
	vt_yay *, ydoc *, uint32_t row, uint32_t n, const uint32_t *key, vt_ynode *const *node);
yshape *yay_find_macro(vt_yay *, ydoc *, uint32_t row, yframe *); /* of a CALL */

/* plain.c */
/* Of a value's row, 0 for a blank: is it what is written, whatever the configuration around it is?
 * Secret documents have no such rows. */
bool yay_is_plain(vt_yay *, ydoc *, uint32_t row);
bool yay_is_simple(vt_yay *, ydoc *, uint32_t map); /* each key stands once and extends nothing */
/* A dict that n keys will be put into. Small ones with equal keys share them. */
vt_dict *yay_dict_for(vt_yay *, uint32_t n);
void yay_dict_put(vt_yay *, vt_dict *, vt_value key, vt_value owned);
bool yay_given(vt_value owned, bool good, vt_value *out); /* good; if it is not: released */
/* owned; passing: it is for vt_yay_print(), see vt_yay_shown(); false: the session's limits */
bool yay_plain_value(vt_yay *, ydoc *, uint32_t row, bool passing, vt_value *out);
/* A value of so many parts or more is an iterator of them, where it passes by. */
enum { YAY_LONG = 16 };
bool yay_counts(vt_yay *, ydoc *, uint32_t row); /* plain: false: the session's limits */
/* Such iterators: of a MAP or LIST row, of the items of a list. given: a list, owned, of the values
 * of those that are not plain; VT_UNDEF: all are. */
vt_value yay_parts(vt_yay *, ydoc *, uint32_t row, vt_value given);
vt_value yay_parts_of_items(vt_yay *, yshape *list, vt_value given);
/* An item of a list that is plain whatever happened to it. */
static inline bool
yay_is_plain_item(vt_yay *s, const vt_ynode *n)
{
	return n->kind == N_ROW && yay_is_plain(s, n->doc, n->row);
}

/* value.c */
bool yay_resolve(vt_yay *, yshape *, vt_value *out); /* owned */
bool yay_resolve_node(vt_yay *, vt_ynode *, vt_value *out);
yshape *yay_from_value(vt_yay *, ydoc *, uint32_t row, vt_value); /* lists and maps of places */

#endif

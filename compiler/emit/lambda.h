/* lambda.h - inside lambda_program.c, lambda_call.c and lambda_table.c: a program under
 * construction. */
#ifndef VC_EMIT_LAMBDA_H
#define VC_EMIT_LAMBDA_H

#include "compiler/emit/int.h"
#include "vt.h"

#include <string.h>

#define LP_ALL UINT32_MAX
enum { LP_MOST = VT_STEPS_MOST, LP_NESTED = 8, LP_ARGS = 16, LP_STAGES = 4, LP_DEPTH = 6 };

/* What a temporary is: a register, a constant, the pieces of a text on their way to join(), a
 * pipeline over a list, or variables for the expression behind `->`. */
enum lp_is { LP_NOTHING, LP_REGISTER, LP_CONST, LP_PIECES, LP_PIPE, LP_NAMES };
typedef struct lp_cell {
	enum lp_is is;
	uint8_t reg;       /* LP_PIPE: its source */
	const ir_const *k; /* LP_CONST; LP_PIECES: the separator */
	const ir_ins *ins; /* LP_PIPE, LP_NAMES: what made it */
	uint8_t order;     /* LP_PIPE: enum vt_nest_reduce of first(), or 0 */
	bool values;       /* LP_PIPE: only those of the source's items that are not null */
	const ir_ins *cut; /* LP_PIPE: the call that gives the same as an iterator, or NULL */
	bool fresh;        /* LP_PIPE: its source is a list that nobody else has */
	bool ordering;     /* LP_PIPE: it stands for what orderBy() gives, which has no len() */
	bool alone;        /* LP_PIPE: nothing else reads its source */
	bool set;          /* LP_PIPE: for a set, which is no list where it is a value */
	bool attr;         /* LP_REGISTER, or a source: `x.name`, which nobody else has */
	bool position;     /* LP_REGISTER: surely a position that is not negative */
	/* LP_PIECES; LP_PIPE, of its source: those that are left out in front; how many there are
	 * then, LP_ALL: the others */
	uint32_t skip, most;
	const struct lp_order
		*by; /* LP_PIPE: what orderBy() and thenBy() have put in order; or NULL */
	const struct lp_bound *bound; /* LP_PIPE: it is read from a variable; or NULL */
} lp_cell;

/* What is put in order, by which keys; falls: bits of those from the greatest to the least. */
enum { LP_KEYS = 4 };
typedef struct lp_order {
	lp_cell source;
	const ir_arg *key[LP_KEYS];
	uint8_t n, falls;
} lp_order;

typedef struct lp_program lp_program;
typedef struct lp_nest {
	uint8_t reduce, n, generates, iterator, falls;
	uint32_t skip, most; /* of the list */
	lp_program *program[LP_STAGES + 1];
	uint8_t filter[LP_STAGES + 1]; /* enum vt_nest_filter */
} lp_nest;

/* What a list stands for: an iterator gives its items once, what orderBy() gives any time. */
enum lp_walked { LP_NO_ITERATOR, LP_ITERATOR, LP_ORDERING };

typedef struct lp_step {
	uint8_t op, a, b, c, guard, flags;
	bool text;      /* makes a text */
	bool may_drop;  /* need not be done where nobody reads it */
	bool stands;    /* GROUP: for the dict of the group, and never done */
	uint8_t walked; /* a list that stands for an iterator: enum lp_walked */
	uint8_t uses, n;
	uint8_t *args;
	const ir_const *k, *by;
	const ir_ins *ins;  /* ATTR; of calls */
	int64_t index;      /* PIECE, SPAN, PART; DYN without a name: where in the scope */
	const char *name;   /* DYN: of a context; or NULL */
	const char **names; /* MAP: the keys */
	lp_nest *nest;
	lp_program *callee; /* DEFINED: NULL is the program around */
	lp_program *values; /* of one that gives lists: what the code gives; or NULL */
} lp_step;

/* An `and`, an `or` or a `?.` whose right side is being read. */
typedef struct lp_junction {
	int32_t label, d;
	uint8_t op, left, guard, flags, was_guard, was_flags;
} lp_junction;

/* What let() binds is an iterator that is read once, or what orderBy() gives: a list stands for it.
 * other: the register of what the code gives, VT_STEP_K: there is none. */
typedef struct lp_bound {
	lp_program *of;
	uint8_t list, other;
	bool ordering;
} lp_bound;

/* What `$1` and names stand for in code that is read in place: registers of the program. */
typedef struct lp_env {
	const struct lp_env *up;
	lp_program *of; /* whose registers they are */
	uint32_t nnames, nargs;
	bool has_args; /* $1... are args[]; else those of `up` */
	bool closed;   /* no argument beyond it may be read: what a function of def() sees */
	const char *name[LP_ARGS];
	uint8_t reg[LP_ARGS], arg[LP_ARGS];
	lp_bound *bound[LP_ARGS]; /* of the names; or NULL */
} lp_env;

struct lp_program {
	em *e;
	lp_program *up;         /* the program that this one is nested in */
	uint8_t outer[LP_ARGS]; /* registers of `up` that it reads */
	uint32_t nouter, depth;
	const lp_env *env;
	const ir_func *code;    /* that is being read */
	uint32_t ncalled;       /* functions of def() that stand in it and what is nested in it */
	const ir_func *defines; /* the function of def() that it is; or NULL */
	uint32_t least;         /* so many arguments has each call of itself */
	lp_cell *cells;
	lp_step t[LP_MOST];
	uint32_t n;
	uint8_t nargs, kind, nout, out[LP_MOST];
	const char *keys[LP_MOST];
	bool calls, mixed, iterates;
	bool opens; /* the step that holds what is being nested comes last, and is not made yet */
	uint32_t layers;    /* of the functions that it sees */
	bool folds;         /* called with what was made so far and an item */
	bool whole;         /* of the expression itself */
	uint8_t many;       /* enum lp_many: the result may be a pipeline, or hold some */
	bool made_many;     /* and does */
	bool made_parts;    /* it holds some */
	uint8_t flat;       /* enum lp_many, of the lambda of a selectMany() that is being read */
	bool has_iterators; /* not `many`, and it would be lists where it now has iterators */
	/* what the code that is being read gives is the result; that of the one read next */
	bool tail, next_tail;
	uint8_t guard, flags; /* of the steps that are made now */
	lp_junction open[LP_NESTED];
	uint32_t nopen;
};

/* ---- calls as they are written ---- */
static inline bool
is_call_of(const ir_ins *in, const char *name, uint32_t nargs)
{
	return in->site->nargs == nargs && strcmp(in->site->name, name) == 0;
}

/* The i-th argument, when it is written as a text that is not empty. */
static inline const ir_const *
text_arg(const ir_ins *in, uint32_t i)
{
	const ir_arg *a = i < in->site->nargs ? &in->site->args[i] : NULL;

	return a && a->kind == VT_A_STRING && !a->keyword && !a->key && a->k.n > 0 ? &a->k : NULL;
}

static inline int64_t
small_int(const ir_ins *in, uint32_t i)
{
	const ir_arg *a = i < in->site->nargs ? &in->site->args[i] : NULL;

	return a != NULL && a->kind == VT_A_NUMBER && !a->keyword && a->k.kind == IK_INT &&
			       a->k.i >= 0 && a->k.i < 1000000
		       ? a->k.i
		       : -1;
}

/* set() and delete() of a dict: what it gives holds what the dict and the arguments are. */
static inline bool
lp_is_edit(const ir_ins *in)
{
	return in->op == IR_CALLM &&
	       (strcmp(in->site->name, "set") == 0 || strcmp(in->site->name, "delete") == 0);
}

static inline bool
is_limit(const ir_ins *in)
{
	return is_call_of(in, "limit", 1) || is_call_of(in, "take", 1);
}

/* ---- lambda_program.c ---- */
int lp_push(lp_program *, lp_step);
int lp_reg(lp_program *, int32_t temp); /* the register of a temporary; -1: there is none */
bool lp_define(lp_program *, int32_t d, lp_step);
bool lp_unary(lp_program *, const ir_ins *, int32_t of, uint8_t op, const ir_const *);
int lp_inline(lp_program *, const ir_func *, const lp_env *); /* its result; -1: none */
int lp_part_of(lp_program *, const ir_ins *, int32_t temp, bool sum);
/* Is what the instruction gives the program's result or a part of it, and read nowhere else? */
bool lp_is_tail(const lp_program *, const ir_ins *);
/* What stands for an iterator as a list: the result, for who walks it at once; what lies in the
 * result too, for who reads all of it, and nobody that can tell the one from the other. */
enum lp_many { LP_MANY_NONE, LP_MANY_RESULT, LP_MANY_PARTS };
/* The program of a lambda over items of lists of `up`; NULL: there is none.  `many`: its result may
 * be a list where the code gives an iterator. */
lp_program *lp_nested(lp_program *up, const ir_func *, enum lp_many);
/* The same of two arguments. */
lp_program *lp_nested_fold(lp_program *up, const ir_func *);
/* The program of a function of def() that calls itself; NULL: there is none.  *lists: one that
 * gives a list where the code gives an iterator; or NULL. */
lp_program *lp_of_function(em *, const ir_func *, lp_program **lists);
/* One that makes a row of each item: what an argument gives for it, or for that part of it. */
enum { LP_WHOLE = -1 };
typedef struct lp_field {
	const ir_arg *of; /* NULL: the part itself */
	int part;         /* LP_WHOLE: the item */
} lp_field;
lp_program *lp_nested_row(lp_program *up, uint32_t n, const lp_field *);
/* Of an item: is it the same as that register of `up`? */
lp_program *lp_nested_same(lp_program *up, int reg);
/* One of a lambda that gets the n groups of a match: the item is a row of their texts, or the text
 * of group `only`; -1: none. */
lp_program *lp_nested_match(lp_program *up, const ir_func *, uint32_t n, int only);
int lp_const(lp_program *, const ir_const *);

/* x.name */
bool lp_attribute(lp_program *, const ir_ins *);

/* ---- lambda_list.c ---- */
/* `<=` or `>=` of a set that is written and keys().toSet(). */
bool lp_has_keys(lp_program *, const ir_ins *);
/* Calls that make lists: generate(), takeWhile() and skipWhile(), list(). */
bool lp_generate(lp_program *, const ir_ins *);
bool lp_cut_by(lp_program *, const ir_ins *);
bool lp_lists(lp_program *, const ir_ins *);
/* How often the program walks each of the results of `made` that stand for iterators is added to
 * walks[].  False: it does something else with one of them. */
bool lp_only_walks(lp_program *, const lp_program *made, uint8_t walks[LP_MOST]);
/* Are these results, as far as they stand for iterators, nothing else in `made`, and walked once?
 */
bool lp_may_list(lp_program *made, const uint8_t walks[LP_MOST]);

/* ---- lambda_call.c ---- */
bool lp_method(lp_program *, const ir_ins *);
bool lp_function(lp_program *, const ir_ins *);
/* An argument that is evaluated where it is wanted: its register; -1: there is none. */
int lp_lazily(lp_program *, const ir_arg *);
/* Are there arguments, and all of them mappings, or none? */
bool lp_plain_args(const ir_ins *, bool mappings);
/* One of two registers by a third; `no` VT_STEP_K: the item is not for the program.  -1: none. */
int lp_choose(lp_program *, int cond, int yes, int no);
const ir_const *lp_number(lp_program *, int64_t);
/* Does the function give the same whenever it is called, and nothing else? */
bool lp_only_computes(const char *name);
/* Is the name that of functions of YAQL's own library, and of nothing else? */
bool lp_is_of_library(const lp_program *, const char *name);
/* skip(), limit() and the like as a call: its register; -1: there is none. */
int lp_cut(lp_program *, const ir_ins *);
/* The stages of a chain of where() and select(). */
bool lp_pipe(lp_program *, const ir_ins *);
/* What comes out of one, as a list: its register; -1: there is none. */
int lp_collect(lp_program *, const lp_cell *);
/* The same where the code gives an iterator. */
int lp_stand_in(lp_program *, const lp_cell *);
/* filter: enum vt_nest_filter. */
bool lp_add_stage(lp_program *, lp_nest *, const ir_func *, uint8_t filter, enum lp_many);
/* A step that uses up an iterator must not be done where its list is not read after all. */
int lp_droppable(lp_program *, int r);
/* The same as the iterator that the code gives. */
int lp_iterate(lp_program *, const lp_cell *);
/* The list in the register stands for the iterator that the call gives, for what reads all. */
bool lp_fresh_list(lp_program *, const ir_ins *, int r);
/* What comes out of one, or of the list in the register, and is reduced so. */
int lp_reduced(lp_program *, const lp_cell *, uint8_t how, const ir_func *last, uint8_t start);

/* ---- lambda_list.c ---- */
/* set(), delete() and deleteAll() of keys that are written; set() of those of a fold. */
bool lp_edit(lp_program *, const ir_ins *);
/* dict(key => value, ..). */
bool lp_record(lp_program *, const ir_ins *);
/* replace(), zip() and the like of a collection. */
bool lp_makes_list(lp_program *, const ir_ins *);
bool lp_or_default(lp_program *, const ir_ins *);
bool lp_folds(lp_program *, const ir_ins *);
bool lp_parts(lp_program *, const ir_ins *);
/* thenBy() */
bool lp_then_by(lp_program *, const ir_ins *);
bool lp_groups(lp_program *, const ir_ins *);
/* x in a list that is written, or in a pipeline; false: the call has to look. */
bool lp_among(lp_program *, const ir_ins *);
/* dict() of pairs, and toDict(). */
bool lp_makes_dict(lp_program *, const ir_ins *);

/* ---- lambda_scope.c ---- */
/* Is it a method that takes a list and what a pipeline gives in the same way? */
bool lp_walks(const lp_program *, const ir_ins *);
/* The same of its i-th argument. */
bool lp_walks_argument(const lp_program *, const ir_ins *, uint32_t i);
/* Is the argument of such a method a lambda that needs nothing of the program? */
bool lp_stands_alone(const lp_program *, const ir_ins *, const ir_arg *);
/* Is it the lambda of a fold, which may change what it is given as $1? */
bool lp_is_folded(em *, const ir_func *);
/* A call of a function that def() brings where the call is written. */
bool lp_defined(lp_program *, const ir_ins *);
/* May a def() around the code that is read stand before the library's function of that name? */
bool lp_is_hidden(const lp_program *, const char *name);
/* The call that the variable is, which a let() around the code brings; NULL: that is not known. */
const ir_ins *lp_call_brought(const lp_program *, const char *name);
/* Is it then that function which the call means?  Else it may be ambiguous. */
bool lp_stands_before_library(const ir_ins *);
/* The call of such a function whose list is in the register, as what the code gives. */
int lp_value_of(lp_program *, uint8_t reg);
/* The i-th argument, which is a value: its register; -1: there is none. */
int lp_given(lp_program *, const ir_ins *, uint32_t i);
/* let() and with(); unpack(); what stands behind their `->`. */
bool lp_brings_names(lp_program *, const ir_ins *);
bool lp_unpacks(lp_program *, const ir_ins *);
bool lp_context(lp_program *, const ir_ins *);
/* A call that is not written: n arguments without code. */
const ir_ins *lp_call_of(lp_program *, const ir_ins *, const char *name, uint32_t n, bool method);
/* assert(); examine() and selectAllCases(); call() by a name that is written. */
bool lp_assertion(lp_program *, const ir_ins *);
bool lp_all_cases(lp_program *, const ir_ins *);
bool lp_by_name(lp_program *, const ir_ins *);

/* ---- lambda_text.c ---- */
/* A method of a text that is a loop over texts. */
bool lp_text_method(lp_program *, const ir_ins *);
/* What is asked of the pieces that split() makes. */
bool lp_is_of_pieces(const ir_ins *);
bool lp_piece(lp_program *, const ir_ins *, lp_cell *);
bool lp_counts_pieces(lp_program *, const ir_ins *);
/* format() of a written text. */
bool lp_formats(lp_program *, const ir_ins *);
/* str() */
bool lp_writes(lp_program *, const ir_ins *);
/* search() by a regular expression that is written; .value of a group of what was found. */
/* Does the temporary hold what a call in the code at hand has given, and not a variable? */
bool lp_is_alone(const lp_program *, int32_t temp);
/* What of split() by an expression gives its first pieces alone; else the register itself. */
uint8_t lp_split_less(lp_program *, uint8_t reg, uint64_t pieces);
/* regex().searchAll() and replaceBy(). */
bool lp_finds_all(lp_program *, const ir_ins *);
/* Do the steps from `from` on read groups by their text alone, and (texts) only put texts
 * together? */
bool lp_reads_texts(lp_program *, uint32_t from, int result, bool texts);
bool lp_searches(lp_program *, const ir_ins *);
bool lp_group_value(lp_program *, const ir_ins *);

/* ---- lambda_table.c, joins ---- */
typedef struct lp_join {
	lp_program *all_left, *all_right; /* or NULL */
	lp_program *left, *right, *rest;  /* rest: or NULL */
} lp_join;
lp_join *lp_join_of(const lp_program *); /* NULL: it is no such predicate */
const char *lp_emit_join(lp_join *);     /* the C of its address */

/* ---- lambda_table.c ---- */
/* The registers that a step reads, as places in it; how many. */
enum { LP_OPERANDS = LP_ARGS + LP_MOST + 4 };
uint32_t lp_operands(lp_step *, uint8_t *of[LP_OPERANDS]);
bool lp_settle(lp_program *); /* the order of its steps */
/* The tables of a program, those that are nested in it first; the C of its address. */
const char *lp_emit(lp_program *);
/* Does the step name a call site, as `by`? */
bool lp_has_site(const lp_step *);
/* How the step, which is a pipeline, reads items that are pairs: enum vt_nest_apart. */
uint8_t lp_apart(const lp_program *, const lp_step *);

#endif

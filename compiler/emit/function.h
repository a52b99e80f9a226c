/*
 * function.h - one C function under construction, and the branches that code takes through it.
 *
 * op.c and call.c write every op as C that is right for all values.  unbox.c writes some of them
 * again for integers that are no values but machine words ("raw"): the body of a loop, or all of a
 * method.
 */
#ifndef EMIT_FUNC_H
#define EMIT_FUNC_H

#include "compiler/emit/int.h"

/* ops that fill a temporary give it a count; or repeat what the caller holds */
enum { HELD = 1, BORROWED = 2 };

typedef struct em_raw em_raw;

/* updates in place within each other */
enum { EM_MOST_SKIPS = 4 };

/* What stands for a temporary that is not made. */
enum em_alias_kind {
	EM_ALIAS_NONE,
	EM_ALIAS_SELF,
	EM_ALIAS_VARIABLE,
	EM_ALIAS_CONST,
	EM_ALIAS_ARGUMENT, /* of a direct call */
	EM_ALIAS_RAW,      /* a machine word, made a value where it is used */
	EM_ALIAS_HOLDER    /* hp: what the caller of a function that may let go of it holds */
};
typedef struct em_alias {
	enum em_alias_kind kind;
	const char *c;
} em_alias;

typedef struct fn {
	em *e;
	const ir_func *f;
	vt_buf *b;
	em_flow *flow;
	uint32_t *cells;     /* what each temporary and variable can hold here */
	bool here;           /* a branch leads here */
	const bool *repeats; /* by op: it stands in a loop */
	bool has_loop;
	uint32_t summed; /* so many ops that follow are done already: concat.c */
	/* of the write that a list may get past, one up; it jumps to P and this number */
	uint32_t grow_ic;
	/* what updates in place jump to behind of, the innermost last: Q and a number */
	struct em_skip {
		const ir_ins *to;
		uint32_t q;
	} skip[EM_MOST_SKIPS];
	uint32_t nskips;
	struct em_sources
		*sources;    /* of each label, the first and last op that jumps there; or NULL */
	bool open;           /* a brace behind the next op closes what this one began */
	const uint8_t *ever; /* what any op does to it: HELD, BORROWED */
	const uint8_t *borrowed; /* by op: see em_borrowed */
	em_alias *alias;         /* of each temporary: what stands for it */
	int32_t result;          /* the temporary that gets r after a call, or -1 */
	int32_t handler;
	uint8_t *placed;    /* labels that stand above: EM_LOOP_HEAD.. */
	const bool *jumped; /* labels that anything goes to */
	uint32_t *at;       /* by op: one up, the number of the statement's table */
	/* arguments that stand in the C parameter `args`, borrowed; -1: it has none */
	int direct;
	const char *sc;          /* C expression of the scope, "NULL" where there is none */
	bool boxed;              /* variables live in it */
	const uint8_t *captured; /* em_captured */
	const char *names;       /* of the variables, "&vs3", where there is a scope */
	const ir_ins *now;       /* the op that is written */
	uint32_t line;           /* of the statement */
	uint32_t *label_line;    /* of labels that stand above: em_mark_label */
	uint32_t *label_at;      /* where each label stands, once somebody has asked; early.c */
	struct em_parts *parts;  /* of variables, once somebody has asked; early.c */
	em_raw *raw;             /* what is raw here, or NULL */
	struct em_loops *loops;  /* of the function, or NULL */
	struct em_local *local;
} fn;

/* C of what the temporary or variable holds: a value. */
const char *em_temp(fn *, int32_t t);
const char *em_variable(fn *, int32_t v);
/* Does $this stand for the temporary? */
bool em_is_self(const fn *, int32_t t);
bool em_is_alias(const fn *, const ir_ins *); /* gives only a name to something: see em_borrowed */
em_alias em_alias_of(fn *, const ir_ins *);
const char *em_at(fn *, const ir_ins *pos); /* "&at7": the statement */
void em_ins(fn *, const ir_ins *);          /* one op */
void em_free_range(fn *, int64_t from, int64_t to);
/* lines for debuggers, since the place in e->funcs */
void em_mark(fn *, size_t from);
void em_mark_label(fn *, uint32_t label_at);
void em_statement(fn *, const ir_ins *pos);

/* Where a call puts what it makes in temporary t; em_taken moves it on. */
const char *em_made(fn *, int32_t t);
void em_taken(fn *);
void em_close_block(fn *); /* "}" behind the line that has just ended */
void em_locals(fn *);      /* tidy.c: the declarations of locals */
/* A call that may fail, as C of it; and on the line of one whose result, for t, is in r. */
void em_try(fn *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void em_take(fn *, int32_t t);
/* Where failures go, and where a jump to the label goes. */
const char *em_handler_label(fn *);
const char *em_target(fn *, int32_t label);
/* Can the temporary only hold what is in the set? */
bool em_is_only(const fn *, int32_t t, uint32_t set);
bool em_is_local(const fn *); /* are the variables C locals? */
/* Gives a temporary away: `to` is what takes it. */
void em_give(fn *, int32_t t, const char *to);
/* Leaves the function; what was given away is not emptied. */
void em_leave(fn *, const char *status, int32_t given);
/* The list of an op as the array av around a call. */
void em_open_list(fn *, const ir_ins *, const char *absent);
void em_close_list(fn *);
/* Tables of names; of contracts, or of code. */
const char *em_names_table(fn *, const ir_ins *);
const char *em_funcs_table(fn *, const ir_ins *, bool code);

/* ---- call.c ---- */
/* "as3, ": the class that the receiver is seen as; "" where it is no such cast. */
const char *em_as(fn *, const ir_ins *);
void em_op_call(fn *, const ir_ins *);
void em_op_context(fn *, const ir_ins *);
void em_op_put(fn *, const ir_ins *);
void em_op_contract(fn *, const ir_ins *);
void em_op_parallel(fn *, const ir_ins *);

/* capture.c: in front of an op: the scope that it hands on, if any */
void em_capture(fn *, const ir_ins *);
/* At a position: the scope lets go of the variables whose values change behind it. */
void em_captured_go(fn *, const ir_ins *);

/* ---- update.c: lists and dicts in place ---------------------------------------------------- */

void em_put_in(fn *, const ir_ins *);
/* in front of an op that may change a value in place */
void em_release_dead(fn *, const ir_ins *);
void em_release_now(fn *, const ir_ins *); /* where a condition stands around it */
/* The op that defines the temporary, in front of op i, which all ways to i come by; or NULL. */
const ir_ins *em_definition(const fn *, uint32_t i, int32_t t); /* tidy.c */
/* In front of a call or sum: what it makes of a variable or property, assigned to the same. */
void em_update(fn *, const ir_ins *);
void em_at_once(fn *, const ir_ins *); /* at_once.c */
/* Is the temporary of no use behind op i? */
bool em_is_over(const ir_func *, uint32_t i, int32_t t);
/* An argument of the call as C, where it is a temporary or an integer; or NULL. */
const char *em_argument(fn *, const ir_ins *, uint32_t i);
/* The temporary as C in front of the op `from`, which is before the one that defines it; or
 * NULL. */
const char *em_named(fn *, const ir_ins *from, const ir_ins *to, int32_t t);
/* The same for a list that stands below what is assigned. */
void em_grow_in(fn *, const ir_ins *);
/* Is the op a sum whose left side a call or another sum has made? */
bool em_adds_to_made(const ir_func *, uint32_t i);
/* What nobody else has seen gets the right side at its end: false, it is none such. */
bool em_add_to_made(fn *, const ir_ins *);
void em_update_end(fn *, const ir_ins *); /* behind each op */
/* The number of a label Q behind the op; there is room for it among x->skip. */
uint32_t em_skip_to(fn *, const ir_ins *end);

enum { EM_MOST_LEVELS = 8 };
/* A target below a variable, $this or a type, or a variable, named in front of the op that makes
 * what is assigned. */
typedef struct em_below {
	const ir_ins *put;
	const ir_ins *turned; /* toList() of what the op makes, or NULL */
	const ir_ins
		*call[EM_MOST_LEVELS]; /* those that put it into what holds it, from inside out */
	uint32_t ncalls;
	const char *held[EM_MOST_LEVELS]; /* a temporary that holds the level as well, or NULL */
	const char *root, *path[EM_MOST_LEVELS];
	uint32_t n;
} em_below;

/* The target of what op `made` is assigned to: a variable, or a property of $this; with levels. */
bool em_name_whole(fn *, const ir_ins *made, em_below *);
bool em_name_levels(fn *, const ir_ins *in, const ir_ins *made, int32_t t, em_below *);
/* One more level: what the call or sum puts something into, under the key, which is C or NULL. */
bool em_name_call(fn *, const ir_ins *in, const ir_ins *call, const char *key, em_below *);
/* The key that set() is given, as C in front of op `in`; or NULL. */
const char *em_named_key(fn *, const ir_ins *in, const ir_ins *set);
/* The levels as two arrays; the name of the second, or NULL where no temporary holds a level. */
const char *em_write_levels(fn *, const em_below *);
/* The call of set(k, v) or replace(i, v) that has the value for v; or NULL. */
const ir_ins *em_put_by(const fn *, const ir_ins *value);
/* Is t what the statement has read of its target, for op `in` alone? */
bool em_is_read_for(const fn *, const ir_ins *, int32_t t);
/* The last op before op i that defines the temporary, or NULL. */
const ir_ins *em_made_by(const ir_func *, uint32_t i, int32_t t);
/* toList() of what the op makes, or list() of that where it is an iterator; or NULL.  The condition
 * that the library does that, as C behind the text. */
const ir_ins *em_turned_by(const fn *, const ir_ins *);
void em_write_turned(fn *, const char *text, const ir_ins *turned);
/* early.c: where the label stands; the op that takes next what `made` has made; is `use` a change
 * of the temporary? */
const ir_ins *em_place_of_label(fn *, int32_t label);
const ir_ins *em_next_user(const fn *, const ir_ins *made);
bool em_is_link(const ir_ins *use, int32_t t);
/* What of the library the site of a `jfound` has to have found, as C. */
const char *em_found_as(const ir_ins *);
/* What the temporary is in front of the op, or the argument as it is written: a constant, or
 * nothing. */
ir_const em_constant_at(const fn *, const ir_ins *, int32_t t, const ir_arg *);
enum em_how { EM_OTHER, EM_SAME, EM_ANYWHERE };
enum em_how em_compare(const ir_const *, const ir_const *);
/* parts.c */
/* At a position: what a variable that the statement changes has been given leaves its place. */
void em_take_parts(fn *, const ir_ins *pos);
/* The variable that the call or sum changes, and that nobody reads behind it; or -1.  It changes
 * there. */
int32_t em_last_read(fn *, const ir_ins *);
/* The argument that is a variable's value, which nobody reads again; or -1. */
int32_t em_last_argument(fn *, const ir_ins *);
void em_update_made(fn *, const ir_ins *); /* what a call has made, which nobody has seen */
/* Does the variable that the op assigns go to a property at once?  Both change then. */
bool em_goes_to_property(fn *, const ir_ins *set);
void em_grow_both(fn *, const ir_ins *);
void em_update_both(fn *, const ir_ins *, const ir_ins *set, const char *args);
void em_update_last(fn *, const ir_ins *);
/* The call or sum changes a part of the target before the statement's end: early.c. */
void em_update_early(fn *, const ir_ins *);
/* The whole of it changes where `and` and `or` choose; false: they do not. */
bool em_update_or(fn *, const ir_ins *);
bool em_updates_or(fn *, const ir_ins *);
/* Of a call of a method: the argument that repeats the variable which takes what the call makes,
 * when nothing can see the variable before that; or -1. */
int32_t em_moved(fn *, const ir_ins *);

/* ---- local.c: what nobody else sees -------------------------------------------------------- */

/* concat.c: an op of a sum of texts; false: it is none. */
bool em_concat(fn *, const ir_ins *);
void em_add_texts(fn *, const ir_ins *); /* `jtexts` */
void em_add_on(fn *, const ir_ins *);    /* `addon`, `addup` */
/* The same for what is written back to a variable or property, as long as nothing is added yet. */
void em_sum_grows(fn *, const ir_ins *, const char *before);
/* op.c: the write of `$.name: $.name + ..`, a sum of these ops; or NULL */
const ir_ins *em_written_back(const fn *, const ir_ins *first, const ir_ins *last);
/* Is it a call of str() whose result only sums of texts read? */
bool em_is_later(const fn *, const ir_ins *);
/* a `map` that is added to something, with the op that does it; false: it is none */
bool em_record_sum(fn *, const ir_ins *);

struct em_local *em_local_of(em *, const ir_func *);
/* a `list` on the stack; false: it is none */
bool em_local_list(fn *, const ir_ins *);
/* The i-th of the list of a call as C: a constant, or the temporary. */
const char *em_operand(fn *, const ir_ins *, uint32_t i);
/* Is it an IR_ADDV of such a list of one item, which has tried to put that into the variable? */
bool em_is_pushed(fn *, const ir_ins *);
void em_local_freed(fn *, int64_t from, int64_t to); /* temporaries that are freed */
void em_local_assigned(fn *, int32_t var);           /* behind an assignment */
void em_local_end(fn *, em_list *last);              /* goes on with what `done` does */
/* is the iterator there? */
bool em_local_pipe(fn *, const ir_ins *);
/* the call that makes it, of a pipe in one way */
void em_pipe_method(fn *, const ir_ins *, const char *ops);
bool em_local_collect(fn *, const ir_ins *); /* the same for the `final` of one */
/* Around a call that is done in place for a list, and around one that may take a pipeline.  False:
 * it is none, and is not closed.  What stood for the list is given to close. */
bool em_in_place_open(fn *, const ir_ins *, em_alias *was);
void em_index_two(fn *, const ir_ins *);
void em_read_on(fn *, const ir_ins *); /* an attribute */
void em_list_with(fn *, const ir_ins *);
void em_get_before(fn *, const ir_ins *);
void em_walk_keys(fn *, const ir_ins *);
void em_in_place_close(fn *, const ir_ins *, em_alias was);
/* Is the op a len() of the temporary, which nothing reads after it? */
bool em_only_measures(const fn *, const ir_ins *, int32_t t);
bool em_borrows(const fn *, const ir_ins *); /* is it one that may? */
bool em_borrow_open(fn *, const ir_ins *, em_alias *was);
void em_borrow_close(fn *, const ir_ins *, em_alias was);
/* before or behind a call: For over range() goes from here */
void em_range(fn *, const ir_ins *, bool called);
void em_range_end(fn *, const ir_ins *); /* to behind its `iter` */
int64_t em_counts_by(
	const fn *, const ir_ins *next); /* the step of the range that it walks, or 1 */

/* ---- unbox.c: integers as machine words ------------------------------------------------------ */

/* The loops of the function that have a raw copy, written; NULL: none has. */
/* What a label is to the jumps back to it: the head of a loop over few items, which need not ask
 * whether the session has been stopped, or of any other. */
enum { EM_LOOP_HEAD = 1, EM_SHORT_HEAD };
uint8_t em_loop_head(const ir_func *, uint32_t label);
struct em_loops *em_loops_of(fn *);
void em_loops_locals(fn *, em_list *ints, em_list *reals); /* what they need declared */
/* behind a label: the branch into the copy, where it is the head of a loop */
void em_loops_label(fn *, int32_t label);
void em_loops_op(fn *, uint32_t i); /* before an op: where the copy comes back */
void em_loops_text(fn *);           /* the copies */
const char *em_raw_target(fn *, int32_t label, bool failed); /* where a jump in a copy goes */
/*
 * A method of integers, or of nothing, that gives an integer, a truth or null, changes nothing and
 * calls only such methods, has an integer method p_NAME. That gives VT_UNDEF
 * where anything is not as expected, and the method is called as ever. False: it has none.
 */
bool em_has_int_method(em *, const ir_class *, uint32_t method);
void em_int_method(fn *);
/* Its table, the condition for it, and its call, for the entry of method number i; NULL: it has
 * none. */
const char *em_int_method_call(em *, const ir_method *, uint32_t i);

/* ---- local.c: what a method makes for itself alone ------------------------------------------- */

/* Of a function; all by op. */
struct em_local {
	/* by op: room for so many items on the stack, for a `list`, or the `final` of a pipeline */
	uint8_t *list;
	/* by op: a `pipe` whose iterator lies there; 2: so does the scope of its lambdas */
	uint8_t *pipe;
	int32_t *temp;    /* by op: the temporary that holds it last, or -1 */
	uint32_t *until;  /* by op: where something else is put into that temporary */
	int32_t *var;     /* by op: the variable that holds it, or -1 */
	uint8_t *stacked; /* by op: a temporary that it takes may hold such a list */
	uint32_t *kept;   /* the ops that keep something on the stack, in their order */
	uint32_t n, rooms;
	bool scope; /* `zs` is used */
};

/* capture.c: what lambdas read of the variables, as the array `vars` by variable. */
void em_captured_array(fn *);

#endif

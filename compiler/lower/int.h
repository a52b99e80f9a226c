/* int.h - what the lowering of statements, expressions and contracts share. */
#ifndef VC_LOWER_INT_H
#define VC_LOWER_INT_H

#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/murano/ast.h"
#include "compiler/yaml/yaml.h"
#include "compiler/yaql/yaql.h"

/* Where Return, Break and Continue lead from the statement being lowered. */
enum lw_exit_kind { LW_LOOP, LW_FINALLY, LW_BRANCH };
typedef struct lw_exit {
	struct lw_exit *up;
	uint8_t kind;      /* enum lw_exit_kind */
	int32_t brk, cont; /* LW_LOOP: labels */
	/* LW_FINALLY: label; temporaries: what is pending, Return's value */
	int32_t fin, pending, value;
	int32_t floor; /* temporaries from here on die at the exit */
} lw_exit;

/* The exception that Rethrow raises again. */
typedef struct lw_rethrow {
	int32_t exc;
} lw_rethrow;

/* What is placed behind the end of a function: a call site refuses. */
typedef struct lw_late {
	struct lw_late *next;
	int32_t label, handler, recv;
	ir_site *site;
} lw_late;

/* What For and Catch set in a branch of Parallel: it has variables of these names for itself. */
typedef struct lw_own {
	const struct lw_own *up; /* of the branch around */
	const char **names;
	uint32_t n;
} lw_own;

/* What `let`, `with` or `def` in front of an arrow has given a name, or a number. */
typedef struct lw_let {
	const struct lw_let *up;
	const char *name;    /* or NULL */
	uint32_t n;          /* without a name: of $1.. */
	int32_t temp, var;   /* var: of the method, where lambdas read it; or -1 */
	const int32_t *part; /* temporaries of both parts of a pair; or NULL */
	const char *function;
	const yq_node *body; /* of the function */
} lw_let;

/* The lowering of one function body. */
typedef struct lw {
	vc *c;
	ir_module *m;
	ir_unit *unit;
	ir_func *f; /* being filled */
	/* method or contract whose variables are visible; or NULL */
	ir_func *base;
	uint32_t *serial;               /* numbers the codes of the base */
	const mpl_class *cls;           /* or NULL for a query */
	const struct lw_names *methods; /* names of all methods of all classes */
	bool contract;                  /* contract functions are known */
	bool dynamic;                   /* below `->`: variables are looked up by name */
	bool branch;                    /* body of a branch of Parallel */
	bool outline;                   /* the calls of a pipeline that a loop stands for */
	bool inlined;                   /* a lambda in a loop: the library's functions are found */
	int32_t again;                  /* label: the calls, where such a loop is not for a value */
	const lw_own *own;              /* of this branch and those around it; or NULL */
	const lw_let *lets;             /* around the expression, innermost first; or NULL */
	int32_t floor;                  /* first temporary free at the start of a statement */
	int32_t next;                   /* next temporary */
	int32_t handler;                /* current handler label */
	lw_late *late;
	lw_exit *exit;
	const lw_rethrow *rethrow;  /* inside Catch; or NULL */
	struct lw_written *written; /* what stays as it is written; or NULL */
	const ynode *node;          /* scalar that holds the expression; or NULL */
	const char *text;
	size_t ntext; /* the expression's text */
	/* the same as a source when the expression is a program by itself; or NULL */
	vc_source *lone;
	uint32_t line, col; /* of the statement or expression */
} lw;

/* lower.c */
ir_ins *lw_emit(lw *, enum ir_op);
int32_t lw_temp(lw *);
/* temporaries from the first up to below the second are over; -1: all above */
void lw_free_temps(lw *, int32_t from, int32_t to);
int32_t lw_label(lw *);
void lw_set_handler(lw *, int32_t label);
/* returns the temporary, or -1 where its last op returns; the function is complete and joins the
 * module */
void lw_end(lw *, int32_t result);
void lw_end_method(lw *); /* the same of one that returns null where it comes to its end */
void lw_place(lw *, int32_t label);
void lw_jump(lw *, int32_t label);
void lw_jump_if(lw *, enum ir_op, int32_t a, int32_t label);
/* the same value into a temporary that may be full */
void lw_copy_into(lw *, int32_t into, int32_t from);
int32_t lw_op1(lw *, enum ir_op, int32_t a);
int32_t lw_const(lw *, ir_const);
/* an evaluated YAML value: expressions inside, finalized */
int32_t lw_value(lw *, const ynode *);
ir_const lw_scalar(lw *, const ynode *);     /* constant of a plain or quoted scalar */
int32_t lw_variable(lw *, const char *name); /* index of a method's variable or -1 */
/* may a branch of Parallel have a variable of the name? */
bool lw_is_own(const lw *, const char *name);
ir_func *lw_func(lw *, enum ir_func_kind, const char *name);
void lw_set_variable(lw *, int32_t var, int32_t from);
/* A stack trace names the expression that runs, with its own place. */
void lw_position(lw *, vc_span at, const char *text);
/* steps.c: what a program with steps counts and shows; without, nothing */
void lw_step_method(lw *, const mpl_method *);
void lw_step(lw *, const mpl_stmt *);
/* The way that a statement goes here, and what decided it. */
void lw_step_branch(lw *, const mpl_stmt *, const char *way);
void lw_show(lw *, const char *name, int32_t value);
bool lw_has_steps(const lw *);
/* Variables that the statements assign, below them too. */
void lw_declare_all(lw *, mpl_stmt *const *body, uint32_t n);
void lw_body(lw *, mpl_stmt *const *body, uint32_t n);
/* The same while the temporaries made so far stay alive. */
void lw_nested(lw *, mpl_stmt *const *body, uint32_t n);

/* Where a chosen value goes: as an expression, or where that is NULL as a temporary. */
typedef struct lw_chosen {
	void (*put)(lw *, const struct lw_chosen *, const yq_node *, int32_t temp);
	const void *of;
} lw_chosen;

/* assign.c */
void lw_assign(lw *, const mpl_stmt *);
/* The same of a value of a statement of a method. */
bool lw_choose_value(lw *, const ynode *, const char *var, const lw_chosen *to);
/* The same of what is in the temporary. */
void lw_assign_temp(lw *, const mpl_stmt *, int32_t value);

/* change.c */
/* `$x: $x.f(..).g(..)` as several assignments, at most LW_MOST_LINKS; 0: it is no such thing. */
enum { LW_MOST_LINKS = 9 };
uint32_t lw_split_assign(lw *, const mpl_stmt *, const mpl_stmt **parts);
/* Is a list, dict or set changed in it? */
bool lw_has_edit(const yq_node *);
/* The same as one, its arguments first; false: it is no such thing. */
bool lw_assign_chain(lw *, const mpl_stmt *);

/* class.c */
bool lw_is_method_name(const lw *, const char *name);

/* call.c */
enum lw_how { LW_EAGER, LW_LAZY, LW_UNKNOWN }; /* how an argument is handed over */
int32_t lw_call(
	lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n, const yq_node *at);
int32_t lw_op2(lw *l, enum ir_op op, int32_t a, int32_t b);
bool lw_metered(const lw *l);
/* switch(c => v, ...), selectCase(c, ...), coalesce(v, ...) and $n.switchCase(v, ...) of a method:
 * is it a choice that jumps can make? */
bool lw_is_choice(const lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n);
/* The same choice, each value of which goes where `to` says, where one changes what the variable
 * holds (NULL: any of the method's).  False: it is none. */
bool lw_choose_to(lw *, const yq_node *, const char *var, const lw_chosen *to);
/* dict(k => v, ...) of a method, each name once: what `{k => v}` is? */
bool lw_is_record(const lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n);
uint8_t lw_arg_kind(const yq_node *e);
void lw_classify(
	lw *l, const char *name, bool method, yq_node *const *args, uint32_t n, uint8_t *how);
ir_const lw_const_of(lw *l, const yq_node *e);
void lw_fill_arg(lw *l, ir_arg *a, const yq_node *e, bool as_keyword, uint8_t how, bool dynamic,
	int32_t *temp);
void lw_needs_scope(lw *l);
ir_site *lw_new_site(lw *l, const char *name, bool method, uint32_t n, const yq_node *at);

/* rules.c */
/* A call that stays as it is written, and its site once it is lowered. */
typedef struct lw_site_of {
	const yq_node *at;
	ir_site *site; /* or NULL */
	bool link;     /* it is changed with the call behind it */
	/* what has to be a dict or a set for the same, and if not fails otherwise; or NULL */
	const yq_node *from;
} lw_site_of;
typedef struct lw_written {
	lw_site_of of[4];
	uint32_t n;
} lw_written;
/* `x.set(k => v, ..)` of a method, with values where the library's function is found: its
 * temporary, or -1 where it is no such thing. */
int32_t lw_rules(lw *, const yq_node *);
/* The value goes where `to` says, with the changes of the variable (NULL: any) made in that way;
 * false: there are none, or too many. */
bool lw_rules_to(lw *, const yq_node *, const char *var, const lw_chosen *to);
/* Is it `x + {k => v}`, which lw_rules_to() takes? */
bool lw_sets_one(const lw *, const yq_node *);
/* The site is for that node. */
void lw_note_written(lw *, ir_site *, const yq_node *at);

/* yaql.c */
/* Does the library make a lambda of it: an expression, or a constant that is not null? */
/* conditions.c: the conditions of where() as stages one behind the other, at most so many; how
 * many. */
uint32_t lw_conditions(lw *, const yq_node *, uint32_t most, const yq_node **stages);
bool lw_is_lambda(const yq_node *);
bool lw_is_word(const yq_node *e, const char *s);
int32_t lw_expr(lw *, const yq_node *);
/* The same of what is evaluated at once, down to its last part. */
int32_t lw_closed_expr(lw *, const yq_node *);
/* left -> right of the arrow e: the right side in the context that is in the temporary. */
int32_t lw_in_context(lw *, const yq_node *e, int32_t left);
bool lw_reads_variable(const yq_node *, const char *name);
/* `$x: $x + e`, e not reading $x: one op that may work in place. False: it is no such thing. */
bool lw_add_to_variable(lw *, int32_t var, const char *name, const yq_node *);
/* The expression of a scalar, in its own text, for an IR_FINAL. */
int32_t lw_expr_node(lw *, const ynode *);
ir_func *lw_code(lw *, const yq_node *, bool dynamic);
/* Default, Meta: a value in the object's context */
ir_func *lw_code_of_value(lw *, const ynode *, const char *suffix);
int32_t lw_typeref(lw *, const char *name); /* a type by its name as written */
ir_const lw_number(lw *, const yq_node *);
ir_const lw_string(const char *s, uint32_t n);

/* inline.c */
/* A node for what has a name that no expression could have, in place of e. */
yq_node *lw_known(lw *, const yq_node *e, const char *name);
/* e.f(..) over a list, where a loop stands for the lambdas; -1: it is nothing of the kind. */
int32_t lw_inline(lw *, const yq_node *);
/* The same for a value of which nobody sees the iterator: it is a list. */
int32_t lw_inline_value(lw *, const yq_node *);
/* The same for a part of such a value, which is asked for its items after the parts behind it have
 * been evaluated: only where nobody could tell. */
int32_t lw_inline_part(lw *, const yq_node *);

/* parallel.c */
/* A branch as code, in a scope of its own within that of the method. */
ir_func *lw_branch(lw *, mpl_stmt *);
/* Parallel whose branches can run one after another.  False: nothing is done. */
bool lw_in_turn(lw *, const mpl_stmt *parallel);

/* super.c */
/* super(object, e) that can be written out where it is walked at once? */
bool lw_is_super(lw *, const yq_node *);
/* Such a one in front of a method that walks it at once; *first: no further than the first? */
bool lw_is_super_used(lw *, const yq_node *dot, bool *first);
int32_t lw_super(lw *, const yq_node *, bool first);

/* temps.c */
/* At the end of a method: what is used past a label has a temporary apart. */
void lw_number_temps(vc *, ir_func *);

/* let.c */
/* May e be evaluated with a temporary for `$`: nothing in it looks at its context or makes one, and
 * expressions that are evaluated elsewhere have a `$` of their own? */
bool lw_is_blind(lw *, const yq_node *);
/* The same of a lambda that stands in a loop. */
bool lw_fits_loop(lw *, const yq_node *);
/* Does e, of which that holds, call no methods of the program? */
bool lw_only_looks(lw *, const yq_node *);
/* Otherwise, may it call them later, when what it gives is asked for its items? */
bool lw_defers(lw *, const yq_node *);
/* Does it use `$` otherwise than as `$[0]` and `$[1]`? */
bool lw_uses_whole(lw *, const yq_node *);
/* The part of a pair that `$[0]` or `$[1]` is; -1: it is something else. */
int32_t lw_part_of(const lw *, const yq_node *);
/* An arrow behind let() or with(), whose names need no context? */
bool lw_is_let(lw *, const yq_node *arrow);
int32_t lw_let_in_place(lw *, const yq_node *arrow);
const lw_let *lw_let_of(const lw *, const char *name, int64_t n);
/* What a function gives that def() has made around here; -1: there is none of the name. */
int32_t lw_let_call(lw *, const char *name, yq_node *const *args, uint32_t n);
/* value.assert(e, ..) with an e that only looks? */
bool lw_is_assert(lw *, const yq_node *call);
int32_t lw_assert_in_place(lw *, const yq_node *call, int32_t recv);

/* contract.c */
ir_func *lw_contract(lw *, const ynode *, const char *name); /* NULL for `$` */
/* A contract function applied to the temporary `in`; -1 when `name` is none of them. */
int32_t lw_contract_call(lw *, const yq_node *call, int32_t in);
bool lw_is_contract_name(const char *);

/* form_check.c: what a form can know of a predicate, into names and fs of the op */
void lw_check_patterns(lw *, const yq_node *predicate, ir_ins *);

#endif

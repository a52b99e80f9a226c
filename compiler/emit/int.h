/* int.h - inside the emitter: one C file under construction. */
#ifndef VC_EMIT_INT_H
#define VC_EMIT_INT_H

#include "compiler/base/base.h"
#include "compiler/emit/ctext.h"
#include "compiler/ir/ir.h"

/* The rows of an array: several in a line. */
typedef struct em_rows {
	vt_buf b;
	size_t line; /* where the last line begins */
	uint32_t n;
} em_rows;

/* "static vt_contract_c a, b": a declaration of several. */
typedef struct em_list {
	const char *head; /* "static vt_contract_c " */
	const char *sep;  /* NULL: a comma */
	vt_buf b;
	size_t line; /* where the last line begins, so that b.n - line is its width */
	uint32_t n;
} em_list;

typedef struct em_str {
	const char *s;
	uint32_t n;
} em_str;

/*
 * A file is put together from sections, because tables name functions and functions name tables:
 * constants, declarations, prototypes, tables, functions.
 */
typedef struct em {
	vc *c;
	const ir_module *m;
	vt_buf consts, protos, tables, funcs;
	em_list *lists; /* of declarations, one a type: stand before the prototypes */
	uint32_t nlists;
	em_rows sites, places; /* of call sites and statements */
	vt_buf steps;          /* rows of the class under construction */
	uint32_t nsteps;       /* of them */
	em_str *strs;
	uint32_t nstrs;
	uint32_t *hash;
	uint32_t nhash; /* open addressing over strs; 0 is free, else index + 1 */
	double *floats;
	uint32_t nfloats;
	struct em_shared *shared; /* what stands there once: share.c */
	uint32_t nshared, shared_cap;
	uint32_t serial;  /* numbers tables */
	uint32_t nics;    /* inline caches of the file */
	bool is_query;    /* an expression: its caches are numbers, see vt_ic_at */
	bool programs;    /* it has lambda programs: the binary needs what runs them */
	bool lines;       /* #line for debuggers */
	const char *unit; /* C expression of the unit's address: &unit<number> */
	uint32_t unit_number;
	const ir_class *cls; /* the class under construction, or NULL */
	const char **names;  /* of its methods */
	vc_index *named;
	uint32_t local;                     /* its number in the file */
	const struct em_family *family;     /* of the program: bind.c; or NULL */
	struct em_int_methods *int_methods; /* of that class: int_method.c */
	const struct em_methods *methods;   /* of the program, by name: entry.c; or NULL */
	const ir_func *captures;            /* the method that em_captured was asked about last, */
	const uint8_t *captured;            /* and the answer */
	struct em_codes *bases;             /* capture.c; or NULL */
	const ir_func *program_of;          /* the same of em_has_lambda_program */
	struct lp_program *program;
	struct lp_places *codes;        /* lambda_scope.c; or NULL */
	struct lp_functions *functions; /* the last ones of def() that call themselves; or NULL */
	uint32_t functions_open;        /* how many of these are being made */
	struct lp_join *join;           /* of that, or NULL */
	struct lp_program *many;        /* vt_code.many, or NULL */
} em;

/* emit.c */
/* Numbers the inline caches of an expression, from `first` on; where the next one comes. */
uint32_t em_number_caches(ir_module *, uint32_t first);
/* Chains the functions of each unit, in their order (ir_unit.funcs). */
void em_chain_functions(ir_module *);

/* const.c */
const char *em_str_ref(em *, const char *s); /* "(const vt_str *)&s12", or "NULL" */
uint32_t em_str_number(em *, const char *s); /* 1 of s1 */
/* C expression of a vt_value; not for IK_BIG */
const char *em_value(em *, const ir_const *);
/* Is it a pointer, `vt_mkptr(&..)`? */
bool em_on_heap(const ir_const *);
const char *em_big(em *, const ir_const *);
/* native_classes.c: "natives, 3", or "NULL, 0" */
const char *em_natives(em *);

/* op.c */
/* The row of a step in the table of the class (class_table), and its number. */
uint32_t em_step_row(em *, const ir_ins *);
/* Is the dict of the op a record: are its keys names that stand there? */
bool em_makes_record(const em *, const ir_func *, const ir_ins *);

/* function.c */
uint32_t em_code_flags(const ir_func *); /* VT_CODE_* */
bool em_only_looks(const ir_func *);     /* VT_CODE_LOOKS */
void em_function(em *, ir_func *);
const char *em_func_name(em *, const ir_func *);
/* Gives every line of C since `from` the line of its statement, so that none counts on into the
 * next one. */
void em_mark_lines(em *, const ir_func *, uint32_t line, size_t from);
/* of a method: what its table has, a vt_method_fn */
const char *em_table_name(em *, const ir_func *);

/* capture.c: code without a scope */
const char *em_direct_name(em *, const ir_func *); /* vt_code.direct */
/* vt_code.direct_args, or -1: needs a scope of its own */
int em_direct_args(const em *, const ir_func *);
/* Of such code: VT_CODE_READS of each argument that it reads. */
uint32_t em_direct_reads(const ir_func *);

/* entry.c */
struct em_methods *em_methods(vc *, const ir_module *); /* what may be called straight */
/* May a method of that name be called on what is no object? */
bool em_is_extension(const em *, const char *name);
/* VT_TAKES_*: what the contract hands on as it is */
uint32_t em_takes(const ir_func *contract);
unsigned em_pure_bits(const ir_func *contract);       /* vt_prop_decl.pure */
const char *em_seen(em *, const ir_func *contract);   /* vt_prop_decl.seen, once it is emitted */
const char *em_accept(em *, const ir_func *contract); /* vt_prop_decl.accept, as em_seen */
/* vt_prop_decl.items, keys, item */
const char *em_items(em *, const ir_func *contract);
/* A class() that always takes the same objects: its inline cache remembers the class of the
 * last. */
bool em_remembers(const ir_func *contract, const ir_ins *);
bool em_has_entry(const em *, const ir_method *);
/* Is its last parameter VarArgs or KwArgs? Then the entry gets a tuple or dict for it. */
bool em_has_rest(const ir_method *);
const char *em_entry_name(em *, const ir_func *body);
const char *em_omitted(em *, const ir_param *); /* vt_param_decl.value and imm */
/* of the method number i of the class */
void em_entry(em *, const ir_method *, uint32_t i);
/* Can the call arrive at one? *m: the method of the class that is expected there, or -1: any. */
bool em_calls_entry(const em *, const ir_ins *, bool on_self, int32_t *m);
/* "&im0_3", the table of the class's method i; NULL: it has no integer method. */
const char *em_int_method_ref(em *, uint32_t i);

/* bind.c: how the classes of the program hang together; NULL: nothing is bound. */
struct em_family *em_family(vc *, const ir_module *, bool lua);
/* Does a call of this name on $this, in the function, find the method of the class, whatever the
 * object is? */
bool em_is_bound(const em *, const ir_func *, const char *name);
/* Notes the casts that are only called and asked for properties: ir_site.seen. */
void em_see_casts(const em *, const ir_func *);
bool em_sees(const ir_ins *); /* is it one of them? */

/* capture.c: by variable of a method, is it read by lambdas, which look for it in a scope? NULL:
 * there are none, or all of its variables live in a scope. */
const uint8_t *em_captured(em *, const ir_func *);
bool em_boxed(em *, const ir_func *); /* do the variables live in a scope? */

/* em_borrowed marks these when they take a value from the temporary that they use, and all others
 * when they only give a name to something. */
static inline bool
em_moves(const ir_ins *in)
{
	return in->op == IR_FINAL || in->op == IR_COPY;
}
/* borrow.c: by op. A definition that need not happen, for every use can name what it repeats;
 * IR_FINAL: its operand may be emptied, nothing else uses it. */
/* direct: em_direct_args */
uint8_t *em_borrowed(em *, const ir_func *, int direct);
bool em_uses(const ir_ins *, int32_t temp);
bool em_frees(const ir_ins *, int32_t temp); /* a `free` that empties it */
/* Is it used behind op i, before anything else is in it: up to the next label, or beyond? */
bool em_reads_again(const ir_func *, uint32_t i, int32_t temp, bool past_labels);
/* by temporary: is it used beyond a label behind its definition? */
uint8_t *em_far(vc *, const ir_func *);

/* flow.c: sets of what a temporary or variable can hold; the bits of kinds are those of
 * VT_TAKES_KIND. */
enum {
	EM_INT = 1,
	EM_NULL = 2,
	EM_BOOL = 12,
	EM_EMPTY = 16, /* nothing */
	EM_HELD = 32,  /* a value that the temporary has to give back */
	EM_LAX = 64,   /* one that may not be final */
	EM_FLOAT = 1 << 8,
	EM_BIG = 1 << 9,
	EM_STR = 1 << 10,
	EM_TUPLE = 1 << 11,
	EM_DICT = 1 << 13
};
#define EM_HEAP 0xffffff40u
#define EM_ANY (EM_HEAP | EM_INT | EM_NULL | EM_BOOL)
typedef struct em_flow em_flow;
/* of the class under construction, or NULL */
const ir_method *em_method_of(const em *, const ir_func *body);
em_flow *em_flow_of(em *, const ir_func *, const uint8_t *held, const uint8_t *aliased);
/* temporaries, then the variables of a method */
/* Is what the op makes asked for its truth alone: once it is evaluated, or as it is? */
enum em_asked { EM_ASKED_NOT, EM_ASKED_FINAL, EM_ASKED_RAW };
enum em_asked em_flow_asked(const em_flow *, uint32_t op);
em_flow *em_flow_unasked(em *, const em_flow *); /* the same for code that does not ask */
uint32_t em_flow_cells(const em_flow *);
void em_flow_start(const em *, const em_flow *, uint32_t *cells); /* as the function begins */
void em_flow_step(const em_flow *, uint32_t op, uint32_t *cells); /* what the op does to them */
/* at a label, or with -1 after a failure; false: no branch leads there */
bool em_flow_at(const em_flow *, int32_t label, uint32_t *cells);

bool em_jumps(const ir_ins *); /* may it go to its label? */

/* lambda_program.c: lambdas of expressions as programs, &q_name */
bool em_has_lambda_program(em *, const ir_func *);
bool em_has_lambda_many(em *, const ir_func *);
/* enum vt_stage_lists of the i-th stage of a pipeline. */
uint8_t em_stage_lists(em *, const ir_ins *, uint32_t i);
/* The C of vt_code's program, join and many.  After the code of the function, which numbers the
 * caches. */
const char *em_lambda_program(em *, const ir_func *);
const char *em_lambda_join(em *, const ir_func *);
const char *em_lambda_many(em *, const ir_func *);

/* pipe.c */
/* "&po3": its table; names: of the method's variables, or NULL */
const char *em_pipe(em *, const ir_ins *, const char *names);
/* Makes one op of each pipe and the calls that stand for it. The ops that were there before. */
ir_body em_one_way(em *, ir_func *);
/* Is op i the first of the calls beside a loop for few items? */
bool em_behind_few(const ir_func *, uint32_t i);

/* tidy.c */
/* Labels of the function whose body stands in e->funcs since `from`, where they belong. */
void em_tidy(em *, size_t from);

/* share.c */
/* Puts a row, which it frees; its number. */
uint32_t em_row(em_rows *, vt_buf row);
/* The row and the cache of a call site; false: it is the first of this text, and has the next row.
 */
bool em_shared_site(em *, const vt_buf *text, uint32_t *row, uint32_t *cache);
/* An array of the type with what stands in the buffer, which it frees; its name. Equal ones are
 * one. */
const char *em_table(em *, const char *type, const char *prefix, vt_buf items);
/* Declares the name with that type, once: "extern const vt_class_decl" and "v_class_x". */
void em_declare(em *, const char *type, const char *name);
/* Goes on with a declaration, in a new line where this one is full; and the end of it. */
void em_listed(em_list *, const char *item);
void em_list_end(vt_buf *to, em_list *, const char *end);
/* The contract whose C this one's is too, from `body` on in e->funcs; NULL: it is the first. */
const ir_func *em_same_contract(em *, const ir_func *, size_t body);

/* site.c */
/* The inline cache of that number, as the tables have it (vt_ic_at). */
const char *em_cache(em *, uint32_t number);
const char *em_code(em *, const ir_func *); /* "&c_name", or "NULL" */
/* "&st7"; numbers its inline cache, IC(s->index) */
const char *em_site(em *, ir_site *);

#endif

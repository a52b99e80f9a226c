/*
 * unbox.h - code that is written again for integers without the bit that tells them from other
 * values, and for floats that are not in memory.
 *
 * A raw integer is twice the number, which is the word of vt_mkint less its lowest bit: sums,
 * differences and remainders of such words are again such words, and the processor's overflow is
 * that of vt_value.
 *
 * A copy covers ops of a function: those of a loop (loops.c) or all (int_method.c).  What turns out
 * not to be an integer, or overflows, leaves the copy in front of the op that found it.
 */
#ifndef EMIT_RAW_H
#define EMIT_RAW_H

#include "compiler/emit/function.h"

enum { RAW_READ = 1, RAW_SET = 2, RAW_REAL = 4 }; /* of a variable; a float, or else an integer */
/* Of a temporary: a bool is 0 or 1; RAW_EITHER is a double in y<t>, which stands for the integer in
 * i<t> where that is even. */
enum { RAW_NOT, RAW_INT, RAW_BOOL, RAW_FLOAT, RAW_EITHER };

struct em_raw {
	uint32_t number;    /* of the copy in its function */
	uint32_t from, to;  /* the ops that are copied */
	uint8_t *var;       /* by variable */
	bool int_method;    /* gives up by returning nothing */
	const uint8_t *far; /* by op: what it makes is used behind a label, so never raw */
	const char **t;     /* by temporary: C of what is raw, or NULL */
	uint8_t *kind;
	bool *named; /* the temporary is a name in the other code too: see em_borrowed */
	/* by temporary and variable: it is raw somewhere; 1 as an integer, 2 as a float */
	uint8_t *ts, *vs;
	const uint32_t *place; /* by label: its op */
	/* by label: branches with several statements lead there, and each reports its own */
	bool *mixed;
	uint8_t *wanted;  /* by label: a jump of the copy goes there; 2: it stands there */
	uint8_t *exits;   /* by label: leaving for it is written */
	uint8_t *back;    /* by op: coming back to it is written */
	uint8_t *failed;  /* by op: leaving for its handler is written */
	uint32_t counted; /* the op behind a `next` that has a way of its own for ranges; 0: none */
	const char *at;   /* of the statement, when it has not been emitted yet, or NULL */
	const char *last_at;
	vt_buf stubs;
	uint8_t *boxed; /* integer method, by temporary: t is used */
};

/* The copies of a function. */
struct em_loops {
	em_raw *copies;
	uint32_t n;
	uint8_t *comes_back; /* by op */
	int32_t *head;       /* by label: the copy that may be entered there, or -1 */
	uint8_t *t, *v;      /* raw temporaries and variables that are declared */
	vt_buf text;
};

/* Opens the state of a copy, whose fields up to `place` are there. */
void em_raw_open(fn *, em_raw *);
/* Writes its ops to x->b. */
void em_raw_ops(fn *);
/* One op; false: it is as in the other code. */
bool em_raw_op(fn *, const ir_ins *, uint32_t i);
/* The temporary as a raw integer: C. Gives up at op i where it holds something else. */
const char *em_raw_of(fn *, int32_t t, uint32_t i);
void em_raw_made(fn *, int32_t t, int kind);   /* i<t> or y<t> has been computed */
bool em_raw_arrive(fn *, const ir_ins *label); /* false: no branch of the copy leads there */
void em_raw_forget(fn *, const ir_ins *free);
const char *em_raw_jump(fn *, const ir_ins *);     /* where it goes */
bool em_raw_inside(const em_raw *, int32_t label); /* does the copy have the label? */
bool em_is_arith(int op);
bool em_is_order(int op);
/* What the ops do to variables: RAW_READ, RAW_SET and RAW_REAL (if `reals`) of those worth it;
 * NULL: of none. */
uint8_t *em_raw_variables(fn *, uint32_t from, uint32_t to, bool reals);
uint32_t *em_label_places(vc *, const ir_func *); /* by label: its op */
/* i<t> and n<v>, y<t> and m<v> */
void em_raw_declare(fn *, const uint8_t *t, const uint8_t *v, em_list *ints, em_list *reals);

#endif

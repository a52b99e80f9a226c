/* chain.h - a pipeline of a method as it is written, for the loops that stand for it. */
#ifndef VC_LOWER_CHAIN_H
#define VC_LOWER_CHAIN_H

#include "compiler/lower/int.h"

/* What a call of the chain does with the items. */
enum step_kind {
	/* item by item */
	STEP_WHERE,
	STEP_SELECT,
	STEP_TAKE_WHILE,
	STEP_SKIP_WHILE,
	STEP_LIMIT,
	STEP_SKIP,
	STEP_DISTINCT,
	STEP_ENUMERATE,
	STEP_ZIP,
	STEP_MANY,
	STEP_FLAT,
	STEP_SCAN, /* accumulate() */
	/* with all of them: one loop ends, and another one begins */
	STEP_LIST,
	STEP_BACK,
	STEP_ORDER,
	STEP_ORDER_DOWN,
	STEP_THEN, /* right behind an order */
	STEP_THEN_DOWN,
	STEP_GROUP
};

/* What takes the items in the end. */
enum sink {
	NO_SINK,
	TO_LIST,  /* a list of what is final already: the value of an expression */
	TO_ITEMS, /* a list that a function then takes */
	TO_PLAIN, /* the same without a function */
	TO_IN,    /* is there one equal to a value */
	TO_COUNT,
	TO_SUM,
	TO_MIN,
	TO_MAX,
	TO_ANY,
	TO_ALL,
	TO_FIRST,
	TO_LAST,
	TO_INDEX,      /* of an item or by a lambda */
	TO_LAST_INDEX, /* the same */
	TO_SINGLE,
	TO_FOLD,
	TO_DICT,  /* by lambdas for key and value */
	TO_PAIRS, /* a dict of pairs */
	/* at the end of a loop with another one behind it */
	TO_KEYS,  /* a list of what an order goes by */
	TO_GROUPS /* a dict of lists */
};

typedef struct chain_step {
	uint8_t kind; /* enum step_kind */
	const yq_node *call;
	const yq_node *lambda, *value, *total; /* or NULL; the others of groupBy() */
	const yq_node *arg; /* a count, what zip() takes, a first value; or NULL */
	/* of the loop: temporary of `arg`, or -1; its counter, flag or value, and whether there is
	 * one; list of what it has seen */
	int32_t given, var, some, list;
} chain_step;

enum { MOST_STEPS = 8 };

typedef struct chain {
	const yq_node *whole, *call; /* call: of the sink, or NULL */
	const yq_node *source;       /* what is asked for its items: enum vt_few_of */
	uint8_t few;
	chain_step step[MOST_STEPS];
	uint32_t n;
	uint8_t sink;
	yq_node *const *args; /* of the sink, without what it is called on */
	uint32_t nargs;
	uint8_t lambdas;     /* so many of them, in front, are such */
	const yq_node *left; /* of `in`; or NULL */
	/* What is done and fails in the loops might come later in the calls, or not at all, but
	 * nothing else can be seen of it: when the loops fail the calls are made. */
	bool again;
} chain;

/* e as a chain that a sink ends; false: it is none, or no loop may stand for it. */
bool lw_find_chain(lw *, const yq_node *e, chain *);
/* The same of a chain that is a value, and of one whose items something else takes. */
bool lw_find_value_chain(lw *, const yq_node *e, chain *);
bool lw_find_open_chain(lw *, const yq_node *e, chain *);
/* The same of a part of a value. */
bool lw_find_part_chain(lw *, const yq_node *e, chain *);

bool lw_is_then(uint8_t kind); /* one more key of an order? */
/* range(..): an iterator that may be of words. */
bool lw_is_range(const yq_node *);
/* A list of two values, as it is written? */
bool lw_is_pair(const yq_node *);

#endif

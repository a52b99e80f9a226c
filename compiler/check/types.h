/*
 * types.h - what the parts of type inference share with the checker.
 *
 * types.c has the lattice and the index of the program's names, types_contract.c what contracts do
 * to types, types_result.c what methods return, types_expr.c the walk over expressions and
 * statements, types_call.c calls and their arguments.
 */
#ifndef TYPES_H
#define TYPES_H

#include "compiler/murano/murano.h"
#include "compiler/check/check.h"
#include "compiler/murano/package.h"

/* ---- names of the program, by class ---- */

enum ty_symkind {
	TS_PROPERTY,
	TS_METHOD,
	TS_ANY_PROPERTY,
	TS_ANY_METHOD,
	TS_WRITTEN,
	TS_WRITTEN_HERE, /* by a package, and not by the core library alone */
	TS_EXTENSION,
	TS_NUMBER,
	TS_WHOLE,
	TS_SAME_NAME,
	TS_FIELD,
	TS_FIELDS,
	TS_RESULT,
	TS_IN_LINE /* added to the first two: the nearest one of the hierarchy */
};
typedef struct ty_sym {
	const void *scope;
	const char *name;
	uint32_t kind;
	const void *value;
} ty_sym;
typedef struct ty_map {
	ty_sym *v;
	uint32_t n, cap;
} ty_map;

typedef struct vc_types {
	vc *c;
	ty_map names;
	mpl_class **all;
	uint32_t nall;
	uint32_t **child, *nchild; /* by number: numbers of the classes that extend it */
	uint32_t *mark, round;     /* by number */
	mpl_class **queue;         /* nall long */
	const mpl_class *object, *logger, *exception;
	bool mocked;    /* a package has tests: they may replace any method */
	uint32_t chain; /* methods whose results are being worked out */
	bool core;      /* the index is being made, of a class of the core library */
	bool closed;    /* no class comes from elsewhere: --closed */
} vc_types;

vc_types *ty_program(vc *); /* made on the first call, after the parents are resolved */
/* NULL: absent */
const void **ty_slot(vc *, ty_map *, const void *scope, uint32_t kind, const char *name, bool add);
/* The nearest declaration of the hierarchy, or NULL. */
const mpl_property *ty_property(vc_types *, const mpl_class *, const char *name);
const mpl_method *ty_method(vc_types *, const mpl_class *, const char *name);
bool ty_any(vc_types *, enum ty_symkind, const char *name);
bool ty_whole(vc_types *, const mpl_class *); /* all ancestors are known with their members */
bool ty_extends(vc_types *, const mpl_class *, const mpl_class *base); /* or is it */
/* Does an object of the class stand for one of `base` in another version that `from` (NULL: any)
 * admits? */
bool ty_versions_meet(
	vc_types *, const mpl_class *, const mpl_class *base, const mpl_package *from);
mpl_class **ty_heirs(vc_types *, const mpl_class *, uint32_t *n);
/*
 * Is the object surely of the type that was inferred?  An object of another class may be of an heir
 * from elsewhere; $this is at hand, and so is an item that nobody in sight extends.
 */
bool ty_certain(vc_typing *, const yq_node *receiver, vc_type recv);
/* May a known class extend both? */
bool ty_meet(vc_types *, const mpl_class *, const mpl_class *);
/* May an object of the class have the member, as far as the program shows? */
bool ty_may_have(vc_types *, const mpl_class *, bool exact, const char *name, bool method);
/* a member with nearly that name */
const char *ty_near(vc_types *, const mpl_class *, const char *name, bool method);
/* a name the class writes, but does not declare */
vc_type ty_field(vc_types *, const mpl_class *, const char *name);
/* What a call of the method on such a receiver gives: types_result.c. */
vc_type ty_result(vc_types *, const mpl_method *, vc_type recv, const char *name);
/* as written in the class */
mpl_class *ty_class(vc_types *, const mpl_class *from, const char *name);

/* ---- contracts ---- */

/* A value on its way through a contract; y or q is the constant, when it is one. */
typedef struct ty_value {
	vc_type type;
	const ynode *y;
	const yq_node *q;
} ty_value;
typedef struct ty_misfit {
	const char *what; /* "int()", "a constant", ... */
	/* the item of a list or dict that does not fit, or NULL */
	const ynode *at;
	const char *detail;
} ty_misfit;
/* What comes out; no kinds when the contract takes no such value, and then *m says why. */
vc_type ty_contract(
	vc_types *, const mpl_class *, const ynode *contract, ty_value in, ty_misfit *m);

/* ---- inference ---- */

enum ty_fault_kind {
	TF_METHOD,   /* the class has none of that name */
	TF_RECEIVER, /* no overload takes such a receiver */
	TF_COUNT,
	TF_KEYWORD,
	TF_MISSING,
	TF_TYPE,
	TF_OPERATOR, /* no overload takes such operands */
	TF_INDEX,
	TF_PROPERTY,
	TF_VARIABLE,
	TF_IGNORED,
	TF_CAST,
	TF_REQUIRED,
	TF_KEY,    /* the contract of a dict names no such key */
	TF_MEMBER, /* what stands behind a dot is no name */
	TF_LOOP,   /* For does not go through such a value */
	TF_TIMES,  /* Repeat takes no such value */
	TF_UNEQUAL /* values of such types never equal each other */
};
typedef struct ty_fault {
	enum ty_fault_kind kind;
	const yq_node *at; /* NULL: the whole value */
	const char *name;
	vc_type recv, got;
	const char *want, *param; /* TF_TYPE, TF_KEYWORD, TF_MISSING */
	uint32_t least, most;     /* TF_COUNT; most UINT32_MAX: any number */
	uint32_t given;
	bool is_method;           /* else a function */
	bool certain;             /* no class from elsewhere makes it good */
	const mpl_method *method; /* the declaration, or NULL */
	const mpl_property *property;
	const mpl_class *cls;
} ty_fault;

struct vc_typing {
	vc *c;
	vc_types *p;
	const mpl_class *cls;
	const mpl_method *method; /* NULL: a Default */
	uint32_t layers;
	bool iterable_dicts;
	ty_map index; /* variables by name: number + 1 */
	struct ty_var {
		const char *name;
		vc_type type;
		bool read, assigned, argument, loop;
		bool opened; /* a key of it is assigned: it may have any */
		const ynode *node;
		const yq_node *at;
	} * vars;
	uint32_t nvars;
	vc_type dollar, self;
	const ynode *node;         /* the expression that is walked is in it */
	uint32_t dynamic;          /* above 0: variables may come from elsewhere */
	const yq_node *receiver;   /* what stands before the dot of the member that is looked at */
	bool changed, grown;       /* grown: types are final */
	bool open;                 /* a required package is missing */
	const vc_outside *outside; /* NULL: the expression is in a class */
	/* a statement could not be read: it may have assigned anything */
	bool broken;
	/* Called for what is certainly wrong; NULL while types are still growing. */
	void (*fault)(void *, const ynode *, const ty_fault *);
	/* Called for each member behind a dot, with the type of what stands before it. */
	void (*member)(void *, const yq_node *, vc_type);
	/* Called for every assignment, with the type that is assigned. */
	void (*assign)(void *, const mpl_stmt *, vc_type);
	void *who;
};
void ty_statements(vc_typing *, mpl_stmt *const *, uint32_t n);
vc_type ty_value_type(vc_typing *, const ynode *);
vc_type ty_member(vc_typing *, const yq_node *e, vc_type recv); /* e: the right side of a dot */
vc_type ty_function(
	vc_typing *, const yq_node *call, const char *name, yq_node *const *args, uint32_t n);
void ty_report(vc_typing *, const ty_fault *);
/* Reports that such values never equal each other, where that is so; e NULL: a case of Match. */
void ty_unequal(vc_typing *, const yq_node *e, vc_type, vc_type);
const char *ty_text(vc *, vc_type);

static inline vc_type
ty_make(uint32_t kinds)
{
	return (vc_type){.kinds = kinds};
}

#endif

/*
 * int.h - what the parts of the checker share.
 *
 * Grades: an error is what the reference refuses to load.  A fault is what fails whenever it is
 * reached: shown as an error, but packages with such dormant spots exist and work, so they are
 * made.  What fails for some values or in some worlds is a warning, and taste a note.
 */
#ifndef VC_CHECK_INT_H
#define VC_CHECK_INT_H

#include "compiler/murano/murano.h"
#include "compiler/murano/package.h"

typedef struct ck_place {
	const char *name, *hint, *near; /* near: or NULL */
	vc_span span;
	uint32_t count;
} ck_place;
typedef struct ck_list {
	const char **v;
	size_t n;
} ck_list;

/* A method by its name; i: where the class has it. */
typedef struct ck_named {
	const char *name;
	uint32_t i;
} ck_named;

/* What a method calls on $this: locks.c. */
typedef struct ck_calls {
	struct ck_call *v;
	uint32_t n;
} ck_calls;

typedef struct ck {
	vc *c;
	mpl_package **pkgs;
	uint32_t npkgs;
	ck_list class_names, short_names; /* of all packages; the same without name spaces */
	ck_list method_names;             /* of all classes of all packages, sorted */
	ck_place *unknown;                /* functions nobody has: the first place in the package */
	uint32_t nunknown;
	ck_list defined;          /* names that def() makes */
	uint32_t ntyped;          /* how many reports types have led to */
	size_t searched;          /* bytes of text that were looked through for names */
	struct ck_thrown *thrown; /* what the program raises; made when it is asked for */
	mpl_class **all;
	uint32_t nall;         /* classes by address; a class's number is its place */
	uint32_t *mark, round; /* one a class */
	/* where the walk is */
	mpl_package *pkg;
	bool open; /* a required package is missing, which was reported */
	mpl_class *cls;
	ck_named *named; /* the methods of named_of, sorted: locks.c */
	const mpl_class *named_of;
	ck_calls *calls; /* of each of its methods, or NULL */
	ck_list tasks;   /* what Parallel and pselect() call; made when it is asked for: locks.c */
	vc_index in_tasks;
	mpl_class **line;
	uint32_t nline;           /* the class and its ancestors, breadth first */
	bool whole;               /* all ancestors are known with their members */
	const mpl_method *method; /* or NULL */
	bool contract;            /* contract functions are known */
	bool guarded;             /* below a Try with Catch: failure may be meant */
	bool lambda;              /* $ may be something else than $this */
} ck;

/* How sure it is that a class must exist: the class does not load without it; it is a written name;
 * it is a text in quotes. */
enum ck_need { CK_LOAD, CK_LITERAL, CK_TEXT };

/* check.c */
mpl_class *ck_find(ck *, const char *name, vc_span, enum ck_need);
const mpl_property *ck_property(const ck *, const char *name); /* nearest declaration in the line */
bool ck_has(const ck_list *sorted, const char *name);

/* names.c */
void ck_value(ck *, const ynode *); /* a value as statements evaluate it */
void ck_expr(ck *, const ynode *, const yq_node *);
void ck_type_argument(ck *, const ynode *, const yq_node *, enum ck_need);
void ck_unknown_functions(ck *); /* reports what the package collected */
bool ck_is_registry_method(const ck *, const char *name);
bool ck_is_this(const ck *, const yq_node *); /* $this, or $ where it is the same */
bool ck_keyword_is(const yq_node *, const char *);

bool ck_is_registry_function(const ck *, const char *name);
bool ck_is_of_other_format(const ck *, const char *name);

/* report_types.c */
struct vc_typing;
struct ty_fault;
void ck_fault(ck *, const struct vc_typing *, const ynode *, const struct ty_fault *);
void ck_method_types(ck *, const mpl_method *);
void ck_declared_value(
	ck *, const ynode *contract, const ynode *dflt, const char *what, const char *name);
void ck_override(ck *, const mpl_method *);
void ck_meta_values(ck *, const mpl_class *meta, const ynode *values);

/* throw.c */
void ck_caught_name(ck *, const char *fqn, vc_span);

/* fixture.c: tests of the class at hand that would not run */
void ck_tests(ck *);

/* contract.c */
void ck_contract(ck *, const ynode *, bool argument);
bool ck_is_contract_function(const char *name);

/* flow.c */
void ck_flow(ck *, const mpl_method *);
bool ck_contradicts(const yq_node *, const yq_node **at); /* no value makes it true */

/* uses.c */
struct vc_typing;
void ck_uses(ck *, const mpl_method *, struct vc_typing *);
void ck_class_names(ck *, bool first_of_file);

/* sites.c: a pattern, an extension: one place of an expression */
void ck_site(ck *, struct vc_typing *, const ynode *, const yq_node *);

/* locks.c */
void ck_locks(ck *, const mpl_method *, struct vc_typing *);

/* stmt.c */
void ck_method_body(ck *, const mpl_method *);

#endif

/*
 * check.h - the checker, and what a value may be.
 */
#ifndef VC_CHECK_CHECK_H
#define VC_CHECK_CHECK_H

#include "compiler/base/base.h"
#include "compiler/murano/ast.h"
#include "compiler/yaml/yaml.h"
#include "compiler/yaql/yaql.h"
#include "runtime/call/call.h"

/* ---- names.c ---- */
/* vt_nearest() among the functions of the library; layers: VT_L_*, flags: one of VT_FN_*.
 * check/names.c */
const char *vc_nearest_function(const char *name, uint32_t layers, uint32_t flags);
/* types_rows.c: the parameter that a positional argument or a keyword binds to; NULL: none. */
const vt_fnparam *vc_parameter(const vt_fnrow *, uint32_t pos, const char *keyword);

/* ---- check.c: names, inheritance, usages, calls ---- */
void mpl_check(vc *); /* all loaded main packages */
/* model.c: an object model against the first main package; after mpl_check */
void mpl_check_model(vc *, const char *path);

/* What a form makes: a model with expressions.  value gives what one of them may be, one after
 * another: a scalar that the user picks, or an object's mapping; NULL when there is no more. */
typedef struct mpl_template {
	void *ctx;
	const ynode *(*value)(void *ctx, const ynode *expression, uint32_t i);
	bool named; /* the dashboard adds a name to the root object */
	bool whole; /* the root is all that is made, and no part that goes somewhere */
} mpl_template;
/* after mpl_check */
void mpl_check_template(vc *, const mpl_package *, const ynode *root, const mpl_template *);

/* ---- types.c, types_contract.c, types_expr.c ---- */
/* Sets of kinds: the value is of one of them. A type says what is certain, VC_K_ALL that nothing is
 * known. */
enum vc_kinds {
	VC_K_NULL = 1,
	VC_K_BOOL = 2,
	VC_K_INT = 4,
	VC_K_FLOAT = 8,
	VC_K_STR = 16,
	VC_K_LIST = 32,
	VC_K_ITER = 64,
	VC_K_DICT = 128,
	VC_K_SET = 256,
	VC_K_DATE = 512,
	VC_K_SPAN = 1024,
	VC_K_REGEX = 2048,
	VC_K_OBJECT = 4096,
	VC_K_TYPE = 8192 /* a type reference */,
	VC_K_REFLECT = 16384,
	VC_K_OTHER = 32768,
	VC_K_ALL = 65535
};
/* The keys of a dict that a contract made: those that it names, and no others. */
typedef struct vc_keys {
	const mpl_class *cls; /* whose names the contract uses */
	const ynode *contract;
} vc_keys;
typedef struct vc_type {
	uint32_t kinds;             /* enum vc_kinds; 0: no value ever comes here */
	bool exact;                 /* objects are of this class, not of one that extends it */
	const mpl_class *cls;       /* of objects and type references; NULL: any */
	const struct vc_type *item; /* of lists and iterators; NULL: anything */
	const vc_keys *keys;        /* of dicts; NULL: any */
} vc_type;
/* The types of one method: variables have one type each, the join of all that is assigned. After
 * mpl_check. */
typedef struct vc_typing vc_typing;
/* method NULL: for a Default or Contract */
vc_typing *vc_typing_new(vc *, const mpl_class *, const mpl_method *);
vc_type vc_type_of(vc_typing *, const ynode *, const yq_node *);
vc_type vc_type_join(vc *, vc_type, vc_type);
/* types_outside.c: an expression that stands in no class, in YAQL's own library.  What certainly
 * fails in it is reported; but not that there is no such method. */
typedef struct vc_outside {
	uint32_t layers; /* VT_L_* */
	/* nothing is known of what these give: functions of a host */
	bool (*hosts)(void *who, const char *name);
	void *who;
} vc_outside;
/* What a literal is (enum vc_kinds); VC_K_ALL: the expression is none. */
uint32_t vc_literal_kinds(const yq_node *);
vc_type vc_outside_type(vc *, const ynode *, const yq_node *, const vc_outside *);
const char *vc_type_text(vc *, vc_type); /* in words */
/* of what passed the contract */
vc_type vc_contract_type(vc *, const mpl_class *, const ynode *contract);

#endif

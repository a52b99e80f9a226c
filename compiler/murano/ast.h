/*
 * ast.h - MuranoPL classes as they are written.
 */
#ifndef VC_MURANO_AST_H
#define VC_MURANO_AST_H

#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/yaml/yaml.h"

typedef struct mpl_package mpl_package;
typedef struct mpl_class mpl_class;
typedef struct mpl_property mpl_property;
typedef struct mpl_method mpl_method;
typedef struct mpl_argument mpl_argument;
typedef struct mpl_stmt mpl_stmt;

/* ---- class_file.c, dump.c: MuranoPL classes ---- */
/* = vt_prop_usage */
enum mpl_usage { MPL_IN, MPL_OUT, MPL_INOUT, MPL_CONST, MPL_RUNTIME, MPL_CONFIG, MPL_STATIC };
/* = vt_param_usage */
enum mpl_arg_usage { MPL_STANDARD, MPL_VARARGS, MPL_KWARGS };
/* = vt_method_usage */
enum mpl_method_usage { MPL_M_RUNTIME, MPL_M_ACTION, MPL_M_STATIC, MPL_M_EXTENSION };
struct mpl_class {
	mpl_package *pkg;
	vc_source *src;
	vc_span span;     /* of the Name */
	const char *name; /* FQN */
	mpl_prefix *prefixes;
	uint32_t nprefixes;
	const char **parents;
	vc_span *parent_spans;
	uint32_t nparents;  /* FQNs */
	mpl_class **parent; /* resolved, by package.c/check.c; NULL when unknown */
	const char **imports;
	vc_span *import_spans;
	uint32_t nimports;
	mpl_property **props;
	uint32_t nprops;
	mpl_method **methods;
	uint32_t nmethods;
	ynode *meta;
	bool is_meta, many, inherited, listed;
	uint16_t applies; /* bits as vt_class_decl.applies */
	/* no YAML: the runtime or Lua supplies it (declared without bodies) */
	bool native;
};
struct mpl_property {
	mpl_class *cls;
	const char *name;
	uint8_t usage;                 /* enum mpl_usage */
	ynode *contract, *dflt, *meta; /* dflt, meta: or NULL */
	vc_span span;
};
struct mpl_argument {
	const char *name;
	uint8_t usage;
	ynode *contract, *dflt, *meta;
	vc_span span;
};
struct mpl_method {
	mpl_class *cls;
	const char *name; /* initialize and destroy are already .init and .destroy */
	uint8_t usage;
	bool is_public;
	mpl_argument *args;
	uint32_t nargs;
	mpl_stmt **body;
	uint32_t nbody;
	ynode *meta;
	vc_span span;
	bool native;   /* declared by a native class: no body to compile */
	bool stub;     /* native, and what runs when nobody brings it is in body */
	bool abstract; /* declared without a Body; an empty one is a body that does nothing */
};
enum mpl_stmt_kind {
	MS_EXPR,   /* a: value */
	MS_ASSIGN, /* a: target expression (ynode with expr), b: value */
	MS_DO,     /* body */
	MS_RETURN, /* a: value or NULL */
	MS_BREAK,
	MS_CONTINUE,
	MS_IF,       /* a: condition, body, orelse */
	MS_WHILE,    /* a: condition, body */
	MS_FOR,      /* name, a: collection, body */
	MS_REPEAT,   /* a: count, body */
	MS_MATCH,    /* a: value, cases (key: constant), orelse = Default */
	MS_SWITCH,   /* cases (key: expression), orelse = Default */
	MS_PARALLEL, /* body: branches, a: Limit or NULL */
	MS_TRY,      /* body, catches, orelse = Else, finally */
	/* a: names value, b: Message, c: Extra (not evaluated), d: Cause; all but a may be NULL */
	MS_THROW,
	MS_RETHROW,
	MS_ERROR
};
typedef struct mpl_case {
	ynode *key;
	mpl_stmt **body;
	uint32_t nbody;
} mpl_case;
typedef struct mpl_catch {
	const char **with;
	vc_span *with_spans;
	uint32_t nwith; /* FQNs; 0: all */
	const char *as;
	vc_span span;
	mpl_stmt **body;
	uint32_t nbody;
} mpl_catch;
struct mpl_stmt {
	uint8_t kind; /* enum mpl_stmt_kind */
	vc_span span; /* of the statement, for positions and stack traces */
	ynode *a, *b, *c, *d;
	const char *name;
	mpl_stmt **body;
	uint32_t nbody;
	mpl_stmt **orelse;
	uint32_t norelse;
	bool has_else;
	mpl_stmt **finally;
	uint32_t nfinally;
	bool has_finally;
	mpl_case *cases;
	uint32_t ncases;
	mpl_catch *catches;
	uint32_t ncatches;
};
/* All classes of one class file (multi-document rules C2). wanted is the manifest's name for a
 * nameless one. */
void mpl_parse_file(vc *, mpl_package *, vc_source *, const char *wanted);
/* ns:Name -> FQN; reports an unknown prefix */
char *mpl_resolve(vc *, const mpl_class *, const char *name, vc_span);
void mpl_dump(vt_buf *, const mpl_package *); /* --emit=ast */

#endif

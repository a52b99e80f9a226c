/*
 * ir.h - the intermediate representation; docs/IR.md.
 */
#ifndef VC_IR_IR_H
#define VC_IR_IR_H

#include "compiler/base/base.h"

typedef struct mpl_prefix {
	const char *prefix, *ns;
} mpl_prefix;
typedef struct mpl_require {
	const char *name, *spec;
	vc_span span;
} mpl_require;
/* name: below Resources/ */
typedef struct vc_resource {
	const char *name, *data;
	size_t n;
} vc_resource;

/* ---- ops: a row each in compiler/ir/ops.def ---- */
enum {
	IR_FAIL = 1,     /* may end in the current handler */
	IR_TERM = 2,     /* ends a block */
	IR_LEAVES = 4,   /* its C may go to the handler, as when the session is stopped */
	IR_BLIND = 8,    /* does not look at the scope it runs in; what it calls may */
	IR_WHOLE = 16,   /* no iterator is in its result: it is final */
	IR_INTS = 32,    /* an integer method may have it */
	IR_ASIDE = 64,   /* in a contract it changes nothing of the value */
	IR_GIVES = 128,  /* its operand is empty afterwards */
	IR_ASSIGNS = 256 /* assigns a variable */
};
/* What an op is about; the emitter has a function for each. */
enum ir_group {
	IR_G_MARK, /* places and bookkeeping */
	IR_G_VALUE,
	IR_G_OPERATOR,
	IR_G_BRANCH, /* where control goes; with a label: jumps there */
	IR_G_ERROR,
	IR_G_CALL,
	IR_G_TARGET, /* targets of assignments */
	IR_G_PARALLEL,
	IR_G_CONTRACT,
	IR_G_SERVICE /* of TOSCA */
};
/* What the temporary can be that it defines, or the variable that it assigns. */
enum ir_result {
	IR_R_NONE,
	IR_R_ANY,
	IR_R_CONST, /* what its constant is, */
	IR_R_VAR,   /* its variable, */
	IR_R_SAME,  /* its operand */
	IR_R_ARITH, /* a number, when the operands are */
	IR_R_ORDER, /* a bool, when the operands can be ordered */
	IR_R_BOOL,
	IR_R_INT, /* immediate */
	IR_R_TUPLE,
	IR_R_DICT,
	IR_R_TYPE,
	IR_R_FINAL, /* the operand without iterators */
	IR_R_REST,  /* something, or nothing is left */
	/* Contracts: the operand as far as it is that, null included */
	IR_R_C_INT,
	IR_R_C_STR,
	IR_R_C_BOOL,
	IR_R_C_OBJECT,
	IR_R_C_SET /* and the operand but for null */
};
enum ir_op {
#define OP(sym, name, operands, group, result, flags, doc) IR_##sym,
#include "compiler/ir/ops.def"
#undef OP
	IR_NOPS
};
typedef struct ir_opinfo {
	const char *name, *sig;
	uint8_t group, result; /* enum ir_group, enum ir_result */
	uint16_t flags;
	const char *doc;
} ir_opinfo;
extern const ir_opinfo ir_ops[IR_NOPS];

/* What a pipe does with an item; the text form has the names. */
enum ir_stage { IR_STAGE_NONE, IR_STAGE_WHERE, IR_STAGE_SELECT, IR_NSTAGES };
extern const char *const ir_stages[IR_NSTAGES];

/* What `room` makes. */
enum ir_room {
	IR_ROOM_LIST,
	IR_ROOM_FINAL, /* a list of items that are final */
	IR_ROOM_DICT,
	IR_ROOM_FROZEN /* a FrozenDict */
};

enum ir_const_kind {
	IK_NULL,
	IK_TRUE,
	IK_FALSE,
	IK_NOVALUE,
	IK_INT,
	IK_BIG,
	IK_FLOAT,
	IK_STR,
	IK_STAMP /* a YAML date or time as text */
};
typedef struct ir_const {
	uint8_t kind;
	uint32_t n; /* of s */
	union {
		int64_t i;
		double f;
		const char *s; /* IK_BIG: decimal text */
	};
} ir_const;

typedef struct ir_func ir_func;
/* An argument as written; mirrors vt_arg. */
typedef struct ir_arg {
	uint8_t kind;        /* enum vt_arg_kind */
	const char *keyword; /* or NULL */
	ir_const k;
	ir_func *code;      /* or NULL */
	struct ir_arg *key; /* or NULL */
} ir_arg;
typedef struct ir_site {
	const char *name;
	ir_arg *args;
	const struct vt_site *loaded; /* its table in an image (emit/image.c), or NULL */
	const char *receiver; /* what stands for the receiver's temporary, or NULL: the same */
	uint32_t nargs;
	uint32_t line, col;
	/* inline cache number and, one up, table number: given by the emitter */
	uint32_t index, table;
	bool method : 1;
	bool numbered : 1; /* of an expression: the index is given (em_number_caches) */
	/* Given by the emitter: */
	bool last : 1;  /* VT_SITE_LAST */
	bool seen : 1;  /* of a cast that nobody else sees, and of its uses */
	bool named : 1; /* of a `jfound` with values: its code knows them by name */
} ir_site;

/* The counts stand together, because a program has millions of ops. */
typedef struct ir_ins {
	uint8_t op; /* enum ir_op */
	uint8_t na; /* temporaries read; -1 is an absent one */
	int32_t d;  /* temporary defined, or -1 */
	int32_t a[5];
	int32_t var;
	int32_t label;
	uint32_t nlist;
	union { /* no op has two of them */
		uint32_t nnames, nstages, nks;
	};
	uint32_t nfs; /* a NULL in fs is the contract `$` */
	union {       /* no op has both, and where one count is 0 nobody reads by it */
		int32_t *list;
		ir_func **fs;
	};
	union {
		int64_t i[2];
		uint32_t ic; /* of an expression: the inline cache of `map` and `typeref` */
	};
	union {
		const char *name;
		ir_site **sites; /* of a pipe, in the emitter: the calls of its stages; else NULL */
	};
	union {
		const char **names;
		uint8_t *stages; /* of a pipe: enum ir_stage */
		ir_const *ks;
	};
	ir_const k;
	ir_func *f;
	ir_site *site; /* of a pipe, in the emitter: the call of what it makes; or NULL */
} ir_ins;
/* The ops of a function. */
typedef struct ir_body {
	ir_ins *ins;
	uint32_t n;
} ir_body;

enum ir_func_kind {
	IF_METHOD, /* a MuranoPL method */
	/* an argument, a lambda, a default, a branch of Parallel: runs in a scope it is given */
	IF_CODE,
	IF_CONTRACT /* a contract: input to value */
};
/* Programs of a thousand classes have 50,000 of these: no room between the fields. */
struct ir_func {
	uint8_t kind;
	bool boxed;    /* variables live in a scope on the heap because code captures them */
	bool leaf;     /* captures no scope itself */
	bool checks;   /* a check() of a contract asks it: given by the emitter */
	bool idle;     /* made for schemas and folded into them: not emitted */
	bool stage;    /* of a pipeline; verify.c */
	bool declared; /* code: its table stands above, or is said to come; by the emitter */
	/* contract: one up, the inline cache of its class(); method: one up, its place in its
	 * class: given by the emitter */
	uint32_t seen;
	/* unique in the module, stable between runs: p.Probe::testInt, ...#2 for the second code in
	 * it */
	const char *name;
	struct ir_unit *unit;
	uint32_t nparams; /* methods: the first nparams variables are the parameters */
	uint32_t nvars;
	const char **vars;
	vc_index index; /* of vars */
	ir_ins *ins;
	uint32_t n;
	int32_t ntemps, nlabels;
	uint32_t line, col;
	uint32_t at;        /* TOSCA: the place in the file, as the engine keeps it */
	const char *source; /* YAQL text of code, or NULL */
	uint32_t serial;    /* of an expression: its number in the module */
	uint32_t depth;     /* of the code nested in it, from 1; verify.c */
	ir_func *next;      /* of its unit, for the emitter */
	/* code that is an equation over $1 and $2: see vt_code.left; or NULL */
	ir_func *sides[2];
	/* code: the method or contract whose variables it reads; or NULL */
	ir_func *base;
	const ir_func *same; /* contract: the one whose C function stands for it; or NULL */
};
/* The JSON schema of a contract; made by vc_schemas, no part of the text form. */
typedef struct ir_schema {
	const char *text;
	ir_func **codes;
	uint32_t ncodes;
} ir_schema;
typedef struct ir_meta {
	const char *name;
	ir_func *properties;
} ir_meta;
typedef struct ir_param {
	const char *name;
	uint8_t usage;
	ir_func *contract, *dflt;
	ir_meta *meta;
	uint32_t nmeta;
	ir_schema *schema;
} ir_param;
typedef struct ir_prop {
	const char *name;
	uint8_t usage;
	ir_func *contract, *dflt;
	ir_meta *meta;
	uint32_t nmeta;
	uint32_t line, col;
	ir_schema *schema;
} ir_prop;
typedef struct ir_method {
	const char *name;
	uint8_t usage;
	bool is_public;
	ir_param *params;
	uint32_t nparams;
	ir_func *body; /* NULL: empty */
	ir_meta *meta;
	uint32_t nmeta;
	uint32_t line, col;
} ir_method;
typedef struct ir_class {
	const char *name;
	struct ir_unit *unit;
	const char **parents;
	uint32_t nparents;
	const char **imports;
	uint32_t nimports;
	ir_prop *props;
	uint32_t nprops;
	ir_method *methods;
	uint32_t nmethods;
	ir_meta *meta;
	uint32_t nmeta;
	bool is_meta, many, inherited, listed;
	uint16_t applies;
} ir_class;
typedef struct ir_package {
	const char *name, *version;
	uint32_t format;
	mpl_require *require;
	uint32_t nrequire;
	ir_meta *meta;
	uint32_t nmeta;
	struct ir_unit *unit;
	ir_class **classes;
	uint32_t nclasses;
	const char *dir;
	vc_resource *resources;
	uint32_t nresources;
} ir_package;
/* Mirror vt_options and vt_unit. */
typedef struct ir_options {
	int64_t limit_iterators, memory_quota;
	bool tuples_to_lists, sets_to_lists, iterable_dicts, convert_input, convert_output;
} ir_options;
typedef struct ir_unit {
	const char *file;
	uint32_t layers, version;
	ir_options opt;
	ir_class *cls;
	ir_package *pkg;
	mpl_prefix *prefixes;
	uint32_t nprefixes;
	uint32_t index;
	ir_func *funcs; /* chained by `next`, for the emitter */
} ir_unit;
typedef struct ir_module {
	ir_package **packages;
	uint32_t npackages;
	ir_unit **units;
	uint32_t nunits;
	ir_func **funcs;
	uint32_t nfuncs; /* in order of emission: callees of code first */
	ir_func *query;  /* a lone expression, or NULL */
} ir_module;
/* Every problem is reported as a fault of vetro; false when there was one. */
bool ir_verify(vc *, const ir_module *);
/* --emit=ir; with the notes of a pass as comments */
void ir_print(vc *, vt_buf *, const ir_module *);
ir_module *ir_read(vc *, vc_source *); /* --from=ir; reports */

#endif

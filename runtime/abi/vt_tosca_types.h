/*
 * vt_tosca_types.h - the first half of vt_tosca.h: rows of expressions, schemas and types, and what
 * names a span of rows or a place.
 */
#ifndef VT_TOSCA_TYPES_H
#define VT_TOSCA_TYPES_H

typedef struct vt_tspan {
	uint32_t first, n;
} vt_tspan;

/* Where something stands: a byte of model->file[file].  file 0: nowhere. */
typedef struct vt_tplace {
	uint32_t file, at;
} vt_tplace;
/* What turns places of a file into lines and columns when one is shown (runtime/tosca/place.c). */
typedef struct vt_tlines {
	vt_tspan starts; /* model->start[]: offsets at which lines begin */
	vt_tspan runs;   /* model->run[]: of characters that have several bytes, in order */
} vt_tlines;
typedef struct vt_trun {
	uint32_t from, to; /* offsets */
	uint32_t before;   /* so many bytes in front of `from` are no first ones of a character */
	uint32_t length;   /* bytes of each character of the run */
} vt_trun;

/* ---- expressions: values as written ---- */
enum vt_tx_kind {
	VT_TX_NONE,
	VT_TX_NULL,
	VT_TX_BOOL,
	VT_TX_INT,   /* i */
	VT_TX_BIG,   /* str: decimal digits that do not fit an int64 */
	VT_TX_FLOAT, /* f */
	VT_TX_STR,   /* str */
	VT_TX_LIST,  /* n items: index[at ..] are expressions */
	/* n pairs: index[at ..] are key, value, key, value... */
	VT_TX_MAP,
	/* n arguments; fn: row of vt_tfunctions, or custom function + VT_TX_CUSTOM */
	VT_TX_CALL
};
#define VT_TX_CUSTOM 0x10000
typedef struct vt_texpr {
	uint8_t kind;     /* enum vt_tx_kind */
	uint8_t constant; /* no call anywhere below */
	uint16_t file;
	uint32_t at; /* its place */
	uint32_t n;
	union {
		int64_t i;
		double f;
		uint32_t str;
		struct {
			uint32_t at, fn;
		} k;
	} u;
} vt_texpr;

/* ---- data types and schemas ---- */
enum vt_tbase {
	VT_TB_ANY,
	VT_TB_STRING,
	VT_TB_INTEGER,
	VT_TB_FLOAT,
	VT_TB_BOOLEAN,
	VT_TB_NULL,
	VT_TB_BYTES,
	VT_TB_TIMESTAMP,
	VT_TB_VERSION,
	VT_TB_RANGE,
	VT_TB_LIST,
	VT_TB_MAP,
	VT_TB_SCALAR, /* a number with a unit: units, of the data type */
	VT_TB_JSON,
	VT_TB_XML,     /* strings whose text is checked */
	VT_TB_COMPLEX, /* a map whose keys are the type's properties */
	/* Of Heat's parameters, which turn what is given into what they want */
	VT_TB_HEAT_STRING,
	VT_TB_HEAT_NUMBER,
	VT_TB_HEAT_LIST,
	VT_TB_HEAT_JSON,
	VT_TB_HEAT_BOOLEAN
};
/* value in canonical units = number * factor */
typedef struct vt_tunit {
	uint32_t name;
	double factor;
} vt_tunit;
typedef struct vt_tdata {
	uint32_t name, canon; /* as printed */
	uint32_t parent;      /* data type */
	uint8_t base;         /* enum vt_tbase */
	/* SCALAR: 1: the number as written is an integer; 2: in canonical units it is rounded to
	 * one */
	uint8_t integral;
	uint8_t fold; /* SCALAR: units compare without case */
	/* SCALAR: a blank between number and unit is mandatory, a sign is allowed (TOSCA 2.0) */
	uint8_t spaced;
	uint32_t key, entry; /* schemas of LIST and MAP */
	vt_tspan props;      /* slots of COMPLEX */
	/* index[] -> expressions over $value; those of the ancestors come first */
	vt_tspan checks;
	vt_tspan units;
	uint32_t unit;   /* canonical unit */
	uint32_t number; /* SCALAR: schema of the number in canonical units, or 0 */
	vt_tplace place;
} vt_tdata;
typedef struct vt_tschema {
	uint32_t type;       /* data type; 0: anything */
	uint32_t key, entry; /* schemas; 0: those of the type */
	/* index[] -> expressions over $value, besides those of the type */
	vt_tspan checks;
} vt_tschema;
enum {
	VT_TS_REQUIRED = 1,
	VT_TS_FIXED = 2 /* dflt is the value, none may be assigned */,
	VT_TS_MAPPED = 4,
	VT_TS_DEPRECATED = 8,
	VT_TS_PRIVATE = 16 /* its value is a secret in messages */,
	VT_TS_GIVEN = 32 /* dflt is what an activity gives: a row to be checked, of no list */
};
/* A declared property, attribute, input, output or parameter. */
typedef struct vt_tslot {
	uint32_t name, schema;
	uint32_t dflt;  /* expression: default, or with FIXED the value */
	uint32_t flags; /* VT_TS_* */
	vt_tplace place;
} vt_tslot;
/* name: value of a template; slot names the declaration, 0 for values without one (operation
 * inputs). */
typedef struct vt_tassign {
	uint32_t name, slot, expr;
	vt_tplace place;
} vt_tassign;

/* ---- types ---- */
enum vt_ttype_kind {
	VT_TT_NODE,
	VT_TT_CAPABILITY,
	VT_TT_RELATIONSHIP,
	VT_TT_GROUP,
	VT_TT_POLICY,
	VT_TT_INTERFACE,
	VT_TT_ARTIFACT,
	VT_TT_KINDS
};
#define VT_TUNBOUNDED UINT32_MAX
typedef struct vt_ttype {
	uint8_t kind;          /* enum vt_ttype_kind */
	uint32_t name, canon;  /* as written; as printed: tosca::Compute */
	uint32_t parent;       /* type of the same kind */
	uint32_t depth;        /* of derivation, for fast tests of ancestry */
	vt_tspan props, attrs; /* slots */
	vt_tspan caps;         /* capdefs, by name */
	vt_tspan reqs;         /* reqdefs, in the order of declaration */
	vt_tspan ifaces;       /* interfaces */
	vt_tspan artifacts;    /* artifacts */
	/* RELATIONSHIP: index[] -> capability types that may be targets; POLICY, GROUP: node and
	 * group types */
	vt_tspan targets;
	/* RELATIONSHIP, CAPABILITY: index[] -> node types that may be sources */
	vt_tspan sources;
	/* RELATIONSHIP: index[] -> node types that may be targets; CAPABILITY: relationship
	 * types */
	vt_tspan nodes;
	uint32_t description, metadata; /* text; expression (a MAP) */
	uint32_t mime, ext;             /* ARTIFACT: text; expression (a LIST) */
	vt_tplace place;
} vt_ttype;
typedef struct vt_tcapdef {
	uint32_t name, type;
	vt_tspan props, attrs; /* slots: of the capability type, refined */
	uint32_t lo, hi;       /* occurrences (1.x): relationships that it must and may have */
	vt_tspan sources, relations; /* index[] -> types */
	vt_tplace place;
} vt_tcapdef;
typedef struct vt_treqdef {
	uint32_t name;
	/* a capability type, or the name of a capability of the node type */
	uint32_t cap_type, cap_name;
	uint32_t node_type, rel_type;
	uint32_t lo, hi;
	uint32_t filter; /* expression: boolean over the candidate (SELF) */
	vt_tspan props;  /* assigns of the definition's relationship */
	vt_tspan ifaces; /* interfaces of the relationship that the definition refines */
	vt_tplace place;
} vt_treqdef;
typedef struct vt_top {
	uint32_t name, description;
	uint32_t primary;  /* text: artifact name or file; 0: not implemented */
	uint32_t artifact; /* artifact that primary names; or 0 */
	/* model->file: where primary and dependencies are written, which is what they are relative
	 * to */
	uint32_t from;
	vt_tspan dependencies;   /* index[] -> texts */
	uint32_t timeout, host;  /* expression; text */
	uint32_t retries, pause; /* expressions: how often again, after how many seconds */
	vt_tspan inputs;         /* assigns: defaults of the type and values of the template */
	/* assigns: name -> expression, a LIST that is the path of the attribute */
	vt_tspan outputs;
	uint8_t notification;
	vt_tplace place, script; /* script: where primary is named */
} vt_top;
typedef struct vt_tiface {
	uint32_t name, type, description;
	vt_tspan inputs;
	vt_tspan ops;
	vt_tplace place;
} vt_tiface;
typedef struct vt_tartifact {
	uint32_t name, type, file, repository, deploy_path, description, version, checksum,
		algorithm;
	/* where the file is: in its repository, or beside the template that names it */
	uint32_t path;
	vt_tspan props; /* assigns */
	vt_tplace place;
} vt_tartifact;

#endif

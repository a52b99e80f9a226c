/*
 * vt_yay.h - a Yay document as constant tables: what the compiler's front end makes of a text and
 * what the evaluator (runtime/yay) works on, in `vetro yay` and in a deploy binary alike.
 *
 * A document is one array of rows; rows refer to rows and strings by number, so the tables need no
 * relocation and are the syntax tree itself.  Row 0 and string 0 mean "none".  Lists are chains
 * through `next`.
 */
#ifndef VT_YAY_H
#define VT_YAY_H

/*
 * kind, then what a, b, c and d hold.  "name" is a string, "expr" an expression row, "value" an
 * expression, a BODY or 0 for a blank; "first" is the head of a chain.
 */
/* clang-format off */
#define VT_YAY_ROWS(X) \
	/* blocks */ \
	X(BODY, "body")           /* a: first stanza, b: first definition (through d), c: last */ \
	X(MAP, "map")             /* a: first ENTRY, b: how many */ \
	X(ENTRY, "entry")         /* a: name, b: value; c: one before of this name; YAY_EXTEND */ \
	X(LIST, "list")           /* a: first ITEM */ \
	X(ITEM, "item")           /* a: value */ \
	/* directives */ \
	X(INCLUDE, "include")     /* a: expr, or value with YAY_OLD */ \
	X(SEARCH, "search")       /* a: expr */ \
	X(CONFIGURE, "configure") /* a: name, b: BODY */ \
	X(NEW, "new")             /* a: expr, b: BODY, c: name after `as` */ \
	X(CREATE, "create")       /* a: expr, b: BODY */ \
	X(PROTOTYPE, "prototype") /* a: name, b: BODY, d: next definition */ \
	X(MACRO, "macro")         /* a: name, b: BODY, d: next definition */ \
	X(SET, "set")             /* a: target, b: expr, c: name, d: next definition */ \
	X(CALL, "call")           /* a: expr, b: BODY */ \
	X(FOR, "for")             /* a: target, b: expr, c: BODY, d: filter */ \
	X(IF, "if")               /* a: expr, b: BODY, c: IF or BODY of else */ \
	X(SELECT, "select")       /* a: expr, b: first ENTRY */ \
	/* scalars */ \
	X(TEXT, "text")           /* a: name: a number where it looks like one */ \
	X(EMPTYDICT, "{}") \
	X(EMPTYLIST, "[]") \
	X(MERGED, "merged")       /* a: first part: several scalars in a row */ \
	/* expressions */ \
	X(IDENT, "name")          /* a: name */ \
	X(STR, "string")          /* a: name */ \
	X(NUM, "number")          /* a: name: decimal digits, or a float with YAY_FLOAT */ \
	X(BOOL, "bool")           /* b: 0 or 1: what folding leaves of a comparison */ \
	X(NUMBER, "number-of")    /* a: expr: it, if a number: of folded `and` and `or` */ \
	X(CHOSEN, "chosen")       /* a: expr: what it is: folding knows the condition before it */ \
	X(ATTR, "attr")           /* a: expr, b: name */ \
	X(INDEX, "index")         /* a: expr, b: expr */ \
	X(SLICE, "slice")         /* a: expr, b: from, c: to, d: step */ \
	X(INVOKE, "invoke")       /* a: expr, b: first argument */ \
	X(KWARG, "kwarg")         /* a: name, b: expr */ \
	X(UNARY, "unary")         /* op, a: expr */ \
	X(BINARY, "binary")       /* op, a: expr, b: expr */ \
	X(AND, "and")             /* a, b */ \
	X(OR, "or")               /* a, b */ \
	X(NOT, "not")             /* a */ \
	X(COMPARE, "compare")     /* a: expr, b: first LINK */ \
	X(LINK, "link")           /* op, a: expr */ \
	X(TERNARY, "ternary")     /* a: if true, b: condition, c: else */ \
	X(ELSE, "else")           /* a, b */ \
	X(TUPLE, "tuple")         /* a: first expr */ \
	X(DISPLAY, "display")     /* a: first expr: [..] */ \
	X(DICT, "dict")           /* a: first PAIR */ \
	X(SETOF, "set-display")   /* a: first expr */ \
	X(PAIR, "pair")           /* a: expr, b: expr */ \
	X(COMP, "comprehension")  /* a: expr or PAIR, b: first CFOR or CIF; op: '[', '(', '{' */ \
	X(CFOR, "comp-for")       /* a: target, b: expr */ \
	X(CIF, "comp-if")         /* a: expr */ \
	X(LAMBDA, "lambda")       /* a: first PARAM, b: expr */ \
	X(PARAM, "param")         /* a: target, b: default */ \
	X(REPR, "repr")           /* a: expr */ \
	X(MORE, "more")           /* a: d of the row before */
/* clang-format on */

enum vt_yay_kind {
	YAY_NONE,
#define X(sym, name) YAY_##sym,
	VT_YAY_ROWS(X)
#undef X
		YAY_NKINDS
};
/* For switches over all kinds: parts of expressions, which are none themselves, and YAY_NKINDS,
 * which no row has; */
#define YAY_PART_CASES \
	case YAY_KWARG: \
	case YAY_LINK: \
	case YAY_PAIR: \
	case YAY_CFOR: \
	case YAY_CIF: \
	case YAY_PARAM: \
	case YAY_MORE: \
	case YAY_NKINDS
/* parts of a document. */
#define YAY_STATEMENT_CASES \
	case YAY_MAP: \
	case YAY_ENTRY: \
	case YAY_LIST: \
	case YAY_ITEM: \
	case YAY_INCLUDE: \
	case YAY_SEARCH: \
	case YAY_CONFIGURE: \
	case YAY_NEW: \
	case YAY_CREATE: \
	case YAY_PROTOTYPE: \
	case YAY_MACRO: \
	case YAY_SET: \
	case YAY_CALL: \
	case YAY_FOR: \
	case YAY_IF: \
	case YAY_SELECT
/* what has its value in its row. */
#define YAY_PLAIN_CASES \
	case YAY_TEXT: \
	case YAY_STR: \
	case YAY_NUM: \
	case YAY_BOOL: \
	case YAY_EMPTYDICT: \
	case YAY_EMPTYLIST
enum {
	YAY_EXTEND = 1,
	YAY_FLOAT = 2,
	YAY_OLD = 4,
	YAY_BLOCK = 8 /* MERGED, TEXT: of a block, never a number */
};

/* Operators of UNARY, BINARY and LINK; single characters stand for themselves. */
enum {
	YAY_OP_FLOORDIV = 128,
	YAY_OP_POW,
	YAY_OP_SHL,
	YAY_OP_SHR,
	YAY_OP_EQ,
	YAY_OP_NE,
	YAY_OP_LE,
	YAY_OP_GE,
	YAY_OP_IN,
	YAY_OP_NOT_IN,
	YAY_OP_IS,
	YAY_OP_IS_NOT
};

/* A large configuration is a row for each few bytes, so rows are small. */
enum { VT_YAY_MOST_LINE = (1 << 27) - 1, VT_YAY_MOST_COL = (1 << 18) - 1 };
typedef struct vt_yrow {
	unsigned long long kind : 7; /* enum vt_yay_kind */
	unsigned long long flag : 4;
	unsigned long long op : 8;
	/* where errors point: 1-based, col in code points; what is beyond the most is the most */
	unsigned long long col : 18;
	unsigned long long line : 27;
	uint32_t a, b, c;
	uint32_t next;
} vt_yrow;
/* Of those that have a d: it is in the row behind. */
#define VT_YAY_D(row) ((&(row))[1].a)
#define VT_YAY_HAS_D(kind) \
	((kind) == YAY_FOR || (kind) == YAY_SLICE || (kind) == YAY_SET || (kind) == YAY_MACRO || \
		(kind) == YAY_PROTOTYPE)

/*
 * Expressions as C.  What evaluates the rows of a document asks first whether it has code for a
 * row: a function that gives what the row comes to, or NULL after a failure, or VT_YAY_UNUSUAL:
 * this is none of the usual cases, the rows must be evaluated.  Code has no messages of its own,
 * and keeps nothing.  The structures are those of yay/int.h, as far as code looks into them;
 * yay/code.c compares the two.
 */
typedef struct vt_yay vt_yay;
typedef struct ydoc vt_yopened; /* a document in a session */
typedef struct vt_yscope vt_yscope;
typedef struct vt_yshape vt_yshape;
typedef struct yvec vt_yitems;
#define VT_YAY_UNUSUAL ((vt_yshape *)1)

typedef union vt_ycode {
	vt_yshape *(*expr)(vt_yay *, vt_yopened *, vt_yscope *);
	/* of a FOR: its items; 0: failed */
	int (*loop)(vt_yay *, vt_yopened *, vt_yscope *, vt_yitems *);
} vt_ycode;

typedef struct vt_ydoc {
	const char *name; /* as shown */
	const char *text; /* the source, for excerpts; or NULL */
	const vt_yrow *row;
	uint32_t nrows, root; /* root: a BODY, or an expression */
	const uint32_t *str;  /* str[i] .. str[i + 1]: the bytes of string i in chars */
	const char *chars;
	uint32_t nstrs;
	const vt_ycode *code; /* by row; or NULL */
} vt_ydoc;

/* What a binary holds: layers first, then what they may include. Secret documents are not put into
 * binaries. */
typedef struct vt_yprogram {
	const vt_ydoc *const *docs;
	uint32_t ndocs, nlayers;
	const char *const *search; /* directories, as documents are called; closed by NULL */
	const char *lua;           /* class bindings, or NULL */
	/* By document: how it is found, and what names in it are relative to; NULL: its name. */
	const char *const *key, *const *base;
} vt_yprogram;
int vt_yay_main(int argc, char **argv, const vt_yprogram *);

#ifdef VT_UNDEF /* behind vt.h only */
typedef struct vt_yvar {
	uint8_t kind, state;
	uint8_t flag[2];
	uint32_t row;
	void *doc, *env;
	vt_yshape *shape;
} vt_yvar;
struct vt_yscope {
	vt_yscope *up;
	uint8_t kind, flag;
	uint32_t n;
	const uint32_t *name;
	vt_yvar **var;
};
struct vt_yshape {
	uint8_t kind, secret, busy;
	uint32_t row;
	void *doc;
	vt_value value;
};

/* ---- what code calls: yay/code.c.  NULL: failed ---- */
vt_yshape *vt_yay_name(vt_yay *, vt_yopened *, uint32_t row, vt_yscope *);
vt_yshape *vt_yay_seen(vt_yay *, vt_yopened *, uint32_t row, vt_yvar *);
vt_yshape *vt_yay_set(vt_yay *, vt_yopened *, uint32_t row, vt_yscope *of, uint32_t set);
vt_yshape *vt_yay_const(vt_yay *, vt_yopened *, uint32_t row);
vt_yshape *vt_yay_attr(vt_yay *, vt_yopened *, uint32_t row, vt_yshape *of);
vt_yshape *vt_yay_item(vt_yay *, vt_yopened *, uint32_t row, vt_yshape *of, vt_value key);
vt_yshape *vt_yay_rows(vt_yay *, vt_yopened *, uint32_t row, vt_yscope *);   /* evaluates them */
vt_yshape *vt_yay_box(vt_yay *, vt_yopened *, uint32_t row, vt_value owned); /* or VT_YAY_UNUSUAL */
vt_value vt_yay_str(vt_yay *, vt_yopened *, uint32_t str);                   /* borrowed */
/* the failure is that something is not there: forgotten */
int vt_yay_missing(vt_yay *);
int vt_yay_true(vt_yay *, vt_yshape *); /* -1: rows */
/* Of scalars that are not secret; 0: rows.  Results are owned.  A shape, where there is one, has
 * the text as it was written. */
int vt_yay_arith(vt_yay *, int op, vt_value a, vt_value b, vt_value *out);
int vt_yay_plus(vt_yay *, vt_yshape *, vt_value a, vt_yshape *, vt_value b, vt_value *out);
int vt_yay_unary(vt_yay *, int op, vt_value a, vt_value *out);
int vt_yay_num(vt_yay *, vt_value a, vt_value *out);
int vt_yay_same(vt_value a, vt_value b);
int vt_yay_order(vt_yay *, int op, vt_value a, vt_value b); /* -1: rows */
/* A text of parts: bytes, or a shape, or a value. */
typedef struct vt_ypart {
	const char *s;
	uint32_t n;
	vt_yshape *shape;
	vt_value value;
} vt_ypart;
/* or VT_YAY_UNUSUAL */
vt_yshape *vt_yay_merge(vt_yay *, vt_yopened *, uint32_t row, uint32_t n, const vt_ypart *);

/* A loop over one name. */
typedef struct vt_yloop {
	vt_yitems *in;
	uint32_t at;
} vt_yloop;
int vt_yay_loop(vt_yay *, vt_yopened *, uint32_t row, vt_yscope *, vt_yloop *);
/* NULL at the end */
vt_yscope *vt_yay_next(vt_yay *, vt_yopened *, uint32_t row, vt_yscope *, vt_yloop *, int *ok);
void vt_yay_loop_end(vt_yloop *);
int vt_yay_filter(vt_yay *, vt_yopened *, uint32_t row, vt_yscope *); /* -1: failed */
int vt_yay_push(vt_yay *, vt_yopened *, uint32_t row, vt_yscope *, vt_yitems *);
int vt_yay_body_items(vt_yay *, vt_yopened *, uint32_t body, vt_yscope *, vt_yitems *);

#define vt_yay_int(v) ((int)((v)&1))
#define vt_yay_plain(sh) (((sh)->kind | (sh)->secret) == 0)
/* A variable of the frame that lies at f. */
static inline vt_yshape *
vt_yay_var(vt_yay *s, vt_yopened *d, uint32_t row, vt_yscope *env, vt_yscope *f, uint32_t slot)
{
	if (!f || f->kind != 1 || slot >= f->n)
		return vt_yay_name(s, d, row, env);
	return f->var[slot]->state == 2 ? f->var[slot]->shape
					: vt_yay_seen(s, d, row, f->var[slot]);
}
static inline int
vt_yay_mul(vt_value a, vt_value b, vt_value *out)
{
	int64_t x = vt_toint(a), y = vt_toint(b);
	if (!(a & b & 1) || x != (int32_t)x || y != (int32_t)y)
		return 0;
	*out = vt_mkint(x * y);
	return 1;
}
/* Python's // and %, by what is above zero. */
static inline int
vt_yay_floordiv(vt_value a, vt_value b, vt_value *out)
{
	int64_t x = vt_toint(a), y = vt_toint(b);
	if (!(a & b & 1) || y <= 0)
		return 0;
	*out = vt_mkint(x / y - (x % y < 0));
	return 1;
}
static inline int
vt_yay_mod(vt_value a, vt_value b, vt_value *out)
{
	int64_t x = vt_toint(a), y = vt_toint(b);
	if (!(a & b & 1) || y <= 0)
		return 0;
	x %= y;
	*out = vt_mkint(x < 0 ? x + y : x);
	return 1;
}

#endif

#endif

/*
 * vt_yay.h - a Yay document as constant tables: what the compiler's front end makes of a text and what the
 * evaluator (yay*.c) works on, in `vetro yay` and in a deploy binary alike.
 *
 * A document is one array of rows; rows refer to rows and strings by number, so the tables need no relocation
 * and are the syntax tree itself.  Row 0 and string 0 mean "none".  Lists are chains through `next`.
 */
#ifndef VT_YAY_H
#define VT_YAY_H

/*
 * kind, then what a, b, c and d hold.  "name" is a string, "expr" an expression row, "value" an expression, a
 * BODY or 0 for a blank; "first" is the head of a chain.
 */
#define VT_YAY_ROWS(X) \
	/* blocks */ \
	X(BODY, "body")           /* a: first stanza, b: first of SET, MACRO and PROTOTYPE (chained through d), c: last */ \
	X(MAP, "map")             /* a: first ENTRY, b: how many */ \
	X(ENTRY, "entry")         /* a: name, b: value; c: the entry before with this name; flag: YAY_EXTEND */ \
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
	X(REPR, "repr")           /* a: expr */

enum vt_yay_kind {
	YAY_NONE,
#define X(sym, name) YAY_##sym,
	VT_YAY_ROWS(X)
#undef X
	YAY_NKINDS
};
enum { YAY_EXTEND = 1, YAY_FLOAT = 2, YAY_OLD = 4, YAY_BLOCK = 8 /* MERGED, TEXT: of a block, never a number */ };

/* Operators of UNARY, BINARY and LINK; single characters stand for themselves. */
enum { YAY_OP_FLOORDIV = 128, YAY_OP_POW, YAY_OP_SHL, YAY_OP_SHR, YAY_OP_EQ, YAY_OP_NE, YAY_OP_LE, YAY_OP_GE,
	YAY_OP_IN, YAY_OP_NOT_IN, YAY_OP_IS, YAY_OP_IS_NOT };

typedef struct vt_yrow {
	uint8_t kind;             /* enum vt_yay_kind */
	uint8_t flag;
	uint8_t op;
	uint8_t unused;
	uint32_t line, col;       /* where errors point: 1-based, col in code points */
	uint32_t a, b, c, d;
	uint32_t next;
} vt_yrow;

typedef struct vt_ydoc {
	const char *name;         /* as shown */
	const char *text;         /* the source, for excerpts; or NULL */
	const vt_yrow *row;
	uint32_t nrows, root;     /* root: a BODY, or an expression */
	const uint32_t *str;      /* str[i] .. str[i + 1]: the bytes of string i in chars */
	const char *chars;
	uint32_t nstrs;
} vt_ydoc;

/* What a binary holds: layers first, then what they may include. Secret documents are not put into binaries. */
typedef struct vt_yprogram {
	const vt_ydoc *const *docs;
	uint32_t ndocs, nlayers;
	const char *const *search; /* directories, as documents are called; closed by NULL */
	const char *lua;           /* class bindings, or NULL */
} vt_yprogram;
int vt_yay_main(int argc, char **argv, const vt_yprogram *);

#endif

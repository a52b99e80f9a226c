/*
 * front.h - the front end of Yay: text -> tokens -> rows (runtime/abi/vt_yay.h), and the commands
 * over them.
 *
 *   yay.re        the lexer: states INITIAL, VALUE, QVALUE, CVALUE, TEMPLATE, COMMAND, BLOCK;
 *   INDENT and DEDENT yay.y         the grammar; its actions call the constructors of rows.c
 *   rows.c    rows, strings, bodies; finishing a document
 *   front.c   one text to a document; --emit=tokens, --emit=ast
 *   files.c   openers of a command: files, mem, package; http.c: URLs and their copies; gpg.c:
 *   decrypting cmd/yay.c     `vetro yay`; batch.c: its JSON lines; show.c: YAML and dot
 *
 * Names that begin with yr_ make rows.  The evaluator is runtime/yay/yay.h.  A text stops at its
 * first error: what follows it in an indented language is rarely worth a message.
 */
#ifndef YAY_H
#define YAY_H

#include "compiler/base/base.h"
#include "vt_yay.h"

/* What is wrong with a text; type is the reference's exception class. */
typedef struct yay_fault {
	const char *type;     /* NULL: nothing is */
	char *message, *hint; /* arena; hint or NULL */
	uint32_t from, to;    /* bytes of the text */
	uint32_t line, col;
	enum vc_code code;
} yay_fault;

typedef struct yay_loc {
	uint32_t from, to, line, col;
} yay_loc;
typedef struct yay_token {
	int kind;
	yay_loc loc;
	/* the value of VALUE, IDENTIFIER, STRING..., arena or source; else NULL */
	const char *text;
	uint32_t n;
} yay_token;
typedef struct yay_chain {
	uint32_t first, last, n;
} yay_chain; /* rows linked by next */

/* An old spelling that the text uses, for a warning. */
typedef struct yay_old {
	uint32_t from, to;
	const char *better;
} yay_old;

/* One text under way; shared by the lexer and the grammar. */
typedef struct yay_ctx {
	vc *c;
	const char *name, *text;
	const unsigned char *cur, *lim, *mark;
	/* lexer */
	uint32_t line;
	const unsigned char *bol, *counted; /* start of the line; how far its columns are counted */
	uint32_t points;
	/* item_col: of the key of `- key:` that it is the block of; or 0 */
	struct yay_level {
		uint32_t col, item_col;
		bool of_list;
	} * level;
	uint32_t nlevels, line_indent, item_col; /* item_col: as above, of the line before */
	/* the line before ended with a key that has no value: a list may follow at its column */
	bool blank_key;
	/* The tokens of the lines that the grammar has not had yet, and of the one before them:
	 * malloc'd. at: the next one that it gets. */
	yay_token *tok;
	uint32_t ntok, captok, at;
	/* whole: the last token is there, or none can follow, for the text is broken */
	bool expression, whole, broken;
	yay_old *old;
	uint32_t nold;
	/* rows, characters, offsets and hash: malloc'd, so that no smaller selves stay behind */
	vt_yrow *row;
	uint32_t nrows, caprows;
	char *chars;
	uint32_t nchars, capchars;
	uint32_t *str;
	uint32_t nstrs, capstrs;
	uint32_t *hash, nhash; /* strings by their text */
	uint32_t result;
	yay_fault *fault;
} yay_ctx;

/* yay.re; false: fault is set. A line more, or the end; what the grammar had is given up, but for
 * the line that it is in. */
void yr_lex_begin(yay_ctx *, bool expression);
bool yr_lex_more(yay_ctx *);
void yr_fail(yay_ctx *, const char *type, yay_loc, enum vc_code, const char *fmt, ...)
	VT_PRINTF(5, 6);
void yr_unexpected(yay_ctx *, const yay_token *);
const char *yr_token_name(int kind); /* rows.c: "VALUE", "=" */

uint32_t yr_str(yay_ctx *, const char *, size_t);
uint32_t yr_row(
	yay_ctx *, enum vt_yay_kind, yay_loc, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
uint32_t yr_op(yay_ctx *, enum vt_yay_kind, yay_loc, int op, uint32_t a, uint32_t b);
uint32_t yr_name(yay_ctx *, enum vt_yay_kind, const yay_token *);
yay_chain yr_one(uint32_t row);
yay_chain yr_add(yay_ctx *, yay_chain, uint32_t row);
/* neighbouring entries become one MAP, items one LIST */
yay_chain yr_stanza(yay_ctx *, yay_chain, uint32_t row);
uint32_t yr_body(yay_ctx *, yay_loc, yay_chain);
uint32_t yr_scalar(yay_ctx *, yay_loc, yay_chain parts);
uint32_t yr_block(yay_ctx *, yay_loc, const yay_token *style, yay_chain parts);
uint32_t yr_template(yay_ctx *, yay_loc, uint32_t expr);
uint32_t yr_item(yay_ctx *, yay_loc, uint32_t value);
uint32_t yr_item_map(yay_ctx *, yay_loc, uint32_t entry, yay_chain rest);
uint32_t yr_entry(yay_ctx *, yay_loc, const yay_token *key, uint32_t value, int flag);
uint32_t yr_new(yay_ctx *, yay_loc, uint32_t expr, uint32_t body, uint32_t name);
uint32_t yr_tuple(yay_ctx *, yay_loc, yay_chain, bool comma);
uint32_t yr_slice(yay_ctx *, yay_loc, uint32_t of, uint32_t slice);
int yr_parse(yay_ctx *); /* yay.y; 0: result is there */

/* One text. NULL: *fault says why. With `expression` the root is an expression. */
const vt_ydoc *yay_read(vc *, const char *name, const char *text, size_t n, bool expression,
	yay_fault *fault, const yay_old **old, uint32_t *nold);
/* Does the language keep the word, so that no key and no variable has that name?  yay.re */
bool yay_is_word(const char *);
/* Its tokens; their texts last as long as the compilation and the text. */
yay_token *yay_tokens(vc *, const char *name, const char *text, size_t n, uint32_t *ntok);
void yay_put_tokens(vc *, vt_buf *, const char *name, const char *text, size_t n, yay_fault *);
void yay_put_ast(vt_buf *, const vt_ydoc *);

#endif

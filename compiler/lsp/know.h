/*
 * know.h - what may stand at a spot of a document, language by language, for all but MuranoPL.
 *
 * A language offers what may stand at a spot, with what is known of it.  Completion shows what is
 * offered, hover and definition take what has the name of the word there, and references are the
 * words for which the same declaration is offered.
 */
#ifndef VC_LSP_KNOW_H
#define VC_LSP_KNOW_H

#include "compiler/lsp/int.h"

/* Kinds of completion items, as the protocol has them. */
enum lsp_item_kind {
	LSP_I_METHOD = 2,
	LSP_I_FUNCTION = 3,
	LSP_I_FIELD = 5,
	LSP_I_VARIABLE = 6,
	LSP_I_CLASS = 7,
	LSP_I_MODULE = 9,
	LSP_I_PROPERTY = 10,
	LSP_I_VALUE = 12,
	LSP_I_KEYWORD = 14,
	LSP_I_FILE = 17,
	LSP_I_STRUCT = 22
};

/* ---- spot.c: the way from the top of a YAML text to a place in it ---- */
typedef struct lsp_step {
	const char *key; /* NULL: an item of a list */
	uint32_t index;  /* of the item */
} lsp_step;
enum { LSP_DEEP = 64 };
/*
 * The text counts, not the tree: it may be broken as it is typed.  `step` leads to the map or list
 * or value in which the place is; a key at the place itself is no step.
 */
typedef struct lsp_spot {
	lsp_worker *w;
	const lsp_document *d;
	size_t at, line; /* bytes; where its line begins */
	lsp_step step[LSP_DEEP];
	uint32_t n;
	bool key;        /* a key stands there, or could */
	bool comment;    /* it is in a comment */
	size_t from, to; /* the word, dots and colons inside of it included; may be empty */
	size_t scalar;   /* where the scalar begins that the place is in */
	char close[LSP_DEEP + 1]; /* what closes the brackets around it */
	struct lsp_view *view;
} lsp_spot;
/* False: it lies too deep. */
bool lsp_spot_at(lsp_worker *, const lsp_document *, size_t at, lsp_spot *);
const char *lsp_step_key(const lsp_spot *, uint32_t from_end); /* 1: the last; NULL: no key */
const char *lsp_spot_word(const lsp_spot *);                   /* whole */

/* ---- view.c: what a language made of the newest text that could be read ---- */
typedef struct lsp_view {
	const lsp_document *d;
	vc *c;
	const char *text; /* that was read */
	size_t n, mended; /* the place for which it was mended; SIZE_MAX: it was not */
	ynode **doc;
	uint32_t ndocs;
	void *of; /* what the language keeps */
} lsp_view;
/* NULL: no text of it could ever be read. */
lsp_view *lsp_view_of(const lsp_spot *);
/* The node that a step of the spot leads to, in the tree that was read; or NULL. */
const ynode *lsp_node_at(const lsp_spot *, uint32_t steps);
/* A place of the text that was read in the text that the editor has, and the other way round. */
size_t lsp_from_known(const char *known, size_t nknown, const lsp_document *, size_t at);
size_t lsp_to_known(const char *known, size_t nknown, const lsp_document *, size_t at);

/* ---- offers ---- */
typedef struct lsp_item {
	const char *name, *detail, *doc; /* the last two or NULL; doc: Markdown */
	vc_span at;                      /* of its declaration */
	vc_span type;                    /* of the declaration of its type */
	enum lsp_item_kind kind;
	bool key;          /* ": " is written behind it */
	bool declared;     /* the author names something here: nothing to complete */
	bool part;         /* stands for the last part of the word, behind a dot or a $ */
	const char *fixed; /* why nobody may rename it; or NULL */
} lsp_item;
typedef struct lsp_offers {
	const lsp_spot *s;
	vc *c; /* texts of items */
	/* others need not be offered: the whole word, and its part at the spot; NULL: all are */
	const char *wanted, *part;
	void (*take)(struct lsp_offers *, const lsp_item *);
	void *ctx;
} lsp_offers;
/* Is something of that name asked for?  Asked before its description is made. */
bool lsp_wants(const lsp_offers *, const char *name);
void lsp_offer(lsp_offers *, const lsp_item *);
/* Words, parted by blanks, without a description. */
void lsp_offer_words(lsp_offers *, const char *words, enum lsp_item_kind, bool key);
/* Scalars of a list or keys of a map, with their places. */
void lsp_offer_keys(lsp_offers *, const ynode *map, enum lsp_item_kind, const char *what);
/* A schema in words: type, description, default and so on, as they are written. */
const char *lsp_schema_text(vc *, const char *head, const ynode *schema);
/* Functions of YAQL, `behind` a dot or not; `part` of items is set. */
void lsp_offer_yaql(lsp_offers *, bool behind);
/* The YAQL name that ends at the spot: where it begins, and what stands before it ('.', '$', or
 * something else). */
size_t lsp_yaql_word(const lsp_spot *, char *before);
/* Names that stand before the dot at text[dot], the first one first: `$.a.b.` has "a" and "b".
 * UINT32_MAX: something else stands there. */
uint32_t lsp_yaql_chain(const lsp_spot *, size_t dot, const char **name, uint32_t most);

typedef struct lsp_language {
	void (*offer)(lsp_offers *); /* all that may stand at o->s */
	bool yaml;                   /* a view has its tree */
	/* May the word there be a name although nothing of that name is offered? Or NULL. */
	bool (*is_blind)(const lsp_spot *);
} lsp_language;
extern const lsp_language lsp_tosca_language, lsp_heat_language, lsp_yay_language,
	lsp_workflow_language, lsp_form_language;
/* NULL: the document is MuranoPL, or nothing that is known. */
const lsp_language *lsp_language_of(const lsp_worker *, const lsp_document *);
/* What is known of the word at a place, without what is on offer beside it. False: nothing. */
typedef struct lsp_known {
	lsp_item item;
	size_t from, to;
} lsp_known;
bool lsp_known_at(lsp_worker *, const lsp_document *, const lsp_language *, size_t at, lsp_known *);
/* The same of the position of a request; languages other than MuranoPL. hover.c */
bool lsp_known_asked(lsp_worker *, const lsp_document *, vt_value params, lsp_known *);
typedef void lsp_known_use(void *ctx, const lsp_document *, const lsp_known *);
void lsp_each_known(lsp_worker *, const lsp_document *, const lsp_language *, const lsp_known *of,
	lsp_known_use *, void *ctx);
/* Would a declaration of that name be meant at the place? */
bool lsp_is_taken(
	lsp_worker *, const lsp_document *, const lsp_language *, size_t at, const char *name);

/* ---- workspace.c: the same in all files of the workspace ---- */
void lsp_each_file(
	lsp_worker *, const lsp_language *, void (*)(void *, const lsp_document *), void *ctx);
void lsp_each_known_use(lsp_worker *, const lsp_document *, const lsp_language *,
	const lsp_known *of, lsp_known_use *, void *ctx);
/* The name itself, of so many bytes, behind what stands before it: a prefix. */
void lsp_known_place(const lsp_known *, size_t n, size_t *from, size_t *to);
void lsp_complete_known(
	lsp_worker *, const lsp_document *, const lsp_language *, size_t at, vt_buf *out);

/* ---- yays.c ---- */
void lsp_names_end(lsp_worker *); /* of a request: files may change before the next one */

/* ---- tosca.c ---- */
enum lsp_relation { LSP_ITSELF, LSP_PARENTS, LSP_HEIRS, LSP_ALL_HEIRS };
/* The type that the place names, or what it is derived from, or what is derived from it: at once,
 * or at all. */
void lsp_tosca_relatives(lsp_worker *, const lsp_document *, size_t at, enum lsp_relation,
	void (*)(void *, const char *name, const char *noun, vc_span), void *ctx);

/* ---- complete.c: an item of an answer ---- */
typedef struct lsp_put {
	const char *name, *detail, *doc;
	int kind;
	size_t from, to; /* what it takes the place of */
	const char *text;
} lsp_put;
void lsp_put_item(vt_buf *, bool comma, const lsp_server *, const lsp_document *, const lsp_put *);

#endif

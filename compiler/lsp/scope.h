/*
 * scope.h - what stands at a place of a document: the class and method around it, the word under
 * it, and what that names.
 */
#ifndef VC_LSP_SCOPE_H
#define VC_LSP_SCOPE_H

#include "compiler/check/types.h"
#include "compiler/lsp/int.h"

/* A place of a document.  The text counts, not the tree: it may be broken as it is typed. */
typedef struct lsp_place {
	lsp_worker *w;
	const lsp_document *d;
	size_t at;             /* bytes */
	size_t line, from, to; /* where the line begins; the word, which may be empty */
	mpl_class *cls;        /* around it, or NULL */
	const mpl_method *method;
} lsp_place;
/* False: there is no document, or no position. */
bool lsp_place_of(lsp_worker *, const lsp_document *, vt_value params, lsp_place *);

void lsp_place_at(lsp_worker *, const lsp_document *, size_t at, lsp_place *);

/* ---- scope.c ---- */
/* Classes of a document, in their order. */
mpl_class **lsp_classes_of(lsp_worker *, const lsp_document *, uint32_t *n);
/* A row of the registry: runtime/lib/NAME.fn. */
typedef struct lsp_function {
	const char *signature, *doc, *example; /* of the compilation; the last two may be "" */
	const char *name;
	const char *layer;     /* of the library: which expressions see it */
	bool method, function; /* may be called on a value; without one */
} lsp_function;
/* Calls for each function of the library that is no operator. */
void lsp_each_function(vc *, void (*)(void *, const lsp_function *), void *);
/* Do expressions of the document see it?  Others are those of `vetro query`. */
bool lsp_sees(const lsp_worker *, const lsp_document *, const lsp_function *);

/* What the word names. */
typedef struct lsp_named {
	const mpl_class *cls; /* itself, or that of the member */
	const mpl_property *property;
	const mpl_method *method;
	const char *function; /* of the library */
	bool on_value;        /* it is called on a value */
	const char *variable; /* without its $ */
	/* whose argument it is, then cls is its class; else NULL */
	const mpl_method *argument_of;
	vc_type type; /* of the variable */
	bool found;
} lsp_named;
lsp_named lsp_name_at(const lsp_place *);
const mpl_argument *lsp_argument_of(const lsp_named *); /* that is named; or NULL */
/* goto.c: of the class of such a value, or of its items; no source: it has none. */
vc_span lsp_type_place(vc_type);
/* The type of the expression that stands before text[end], a dot; false: nobody knows. */
bool lsp_receiver(const lsp_place *, size_t end, vc_type *);
vc_typing *lsp_typing(const lsp_place *); /* of the method or class around; NULL: there is none */
size_t lsp_expression_start(const lsp_place *);
/* Calls for the class and all that it extends. */
void lsp_each_class(const mpl_class *, void (*)(void *, const mpl_class *), void *);
/* The keys above a line, the nearest first; of the compilation. */
uint32_t lsp_keys_above(const lsp_place *, const char **key, uint32_t most);
bool lsp_is_word(char);
/* refer.c: calls for each place that names the target of the word at `from`, in that document or in
 * all packages at hand; `family`: members that it overrides or that override it are the same. */
typedef void lsp_use(void *ctx, const lsp_place *);
void lsp_each_use(const lsp_place *from, const lsp_named *target, bool family, bool here, lsp_use *,
	void *ctx);

/* ---- outline.c: lines of any language ---- */
typedef struct lsp_line {
	size_t from, to;  /* without what ends it */
	size_t text, end; /* without blanks and a comment; the same when it is blank */
} lsp_line;
lsp_line lsp_line_at(const lsp_document *, size_t at);
/* What stands behind one `- `; the same where there is none. */
size_t lsp_behind_dash(const lsp_document *, const lsp_line *, size_t at);
/* Calls for each name that the text declares. */
typedef void lsp_symbol(void *ctx, const lsp_document *, const char *name, int kind, const char *in,
	size_t, size_t);
void lsp_each_symbol(lsp_worker *, const lsp_document *, lsp_symbol *, void *ctx);

/* ---- entries.c: what the references say ---- */
typedef struct lsp_entry {
	const char *names, *chapter; /* names: one or several, with commas between */
	size_t nnames, nchapter;
	const char *text, *end;
} lsp_entry;
/* Calls for each entry of language.txt, yay-language.txt or tosca-keynames.txt. */
void lsp_each_entry(const char *asset, void (*)(void *, const lsp_entry *), void *ctx);
/* What is said of a name, as Markdown without the examples; NULL: nothing. */
const char *lsp_entry_text(vc *, const char *asset, const char *name);

/* ---- describe.c: Markdown ---- */
void lsp_describe_class(vt_buf *, const mpl_class *);
void lsp_describe_property(vt_buf *, vc *, const mpl_property *);
void lsp_describe_method(vt_buf *, vc *, const mpl_method *);
void lsp_describe_argument(vt_buf *, vc *, const mpl_method *, const mpl_argument *);
void lsp_describe_function(vt_buf *, const lsp_place *, const char *name, bool on_value);
/* "deploy(name, size)" */
const char *lsp_signature_of(vc *, const mpl_method *);
/* An item of a contract, as it is written. */
const char *lsp_contract_text(vc *, const ynode *);

#endif

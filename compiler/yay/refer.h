/*
 * refer.h - which words of some documents of Yay are one name: keys at any depth, in items of lists
 * too, variables, macros with what they are called with, prototypes with what is made of them.
 *
 * Values are classes: what may come from one place or another is one class.  A name belongs to the
 * class of the mapping that it is a key of, or to the block that declares it.  So two words are one
 * name where any run could take one for the other.
 */
#ifndef YAY_REFER_H
#define YAY_REFER_H

#include "compiler/yay/front.h"

typedef struct yay_refer yay_refer;
yay_refer *yay_refer_new(vc *);
/* The number of the document; UINT32_MAX: the text cannot be read.  It has to last. */
uint32_t yay_refer_add(yay_refer *, const char *path, const char *text, size_t n);
/* Includes that name a file by a constant: what they say, document by document. */
const char *yay_refer_include(const yay_refer *, uint32_t doc, uint32_t i); /* NULL: no more */
/* One of the two includes the other, at the top or deeper. */
void yay_refer_join(yay_refer *, uint32_t a, uint32_t b, uint32_t include);
void yay_refer_finish(yay_refer *); /* all documents are there */

/* A word that is a name. */
typedef struct yay_place {
	uint32_t doc, from, to; /* bytes */
	uint32_t name;          /* a slot; 0: nobody can tell what it is a key of */
	bool declares;
} yay_place;
/* The place at an offset, or NULL. */
const yay_place *yay_refer_at(const yay_refer *, uint32_t doc, size_t at);
/* The oldest declaration of the same name; NULL: it has none. */
const yay_place *yay_refer_declaration(yay_refer *, const yay_place *);
/* Why the name is data as well; NULL: it is not. */
const char *yay_refer_is_data(yay_refer *, const yay_place *);
/* Would another name there be taken for the first, or hide it? */
bool yay_refer_is_taken(yay_refer *, const yay_place *, const char *name);
/* A document that is not joined with that of the place and has the same key at the same depth, as
 * a layer would have it; UINT32_MAX: there is none. */
uint32_t yay_refer_twin(yay_refer *, const yay_place *);
/* A document with an include whose name is no constant, where another document has the same word
 * under another name: the include may join them. UINT32_MAX: there is none. */
uint32_t yay_refer_computed(yay_refer *, const yay_place *);
const char *yay_refer_path(const yay_refer *, uint32_t doc);

/* ---- refer_places.c: where in the text the rows are that have a name ---- */
/* Bytes of the name by row; to is 0: it has none. NULL: the text and its rows do not fit. */
typedef struct yay_bytes {
	uint32_t from, to;
} yay_bytes;
yay_bytes *yay_refer_rows(vc *, const vt_ydoc *, size_t n);

#endif

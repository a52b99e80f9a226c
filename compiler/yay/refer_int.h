/*
 * refer_int.h - between refer_class.c, which has classes and slots, refer.c, which walks documents,
 * and refer_answer.c, which adds them and answers.
 */
#ifndef YAY_REFER_INT_H
#define YAY_REFER_INT_H

#include "compiler/yay/refer.h"

typedef struct slot {
	uint32_t up;                        /* of the union-find; itself at the root */
	uint32_t owner, value, next, first; /* classes; the owner's next slot; a place + 1 */
	const char *name;
	bool alone; /* it is used without something before a dot */
} slot;
typedef struct class
{
	uint32_t up, slots, items, arguments;
	bool walked; /* its keys are read as texts */
} class;
typedef struct include {
	const char *name;
	uint32_t row, into; /* into: the class that the file's keys come into */
} include;
typedef struct document {
	const char *path;
	const vt_ydoc *d;
	const yay_bytes *at;
	uint32_t top, sets; /* classes: of its keys, of what it sets at the top */
	include *include;
	uint32_t nincludes;
	bool computed; /* it includes a file whose name is no constant */
} document;

struct yay_refer {
	vc *c;
	slot *slot;
	class *class;
	document *doc;
	yay_place *place;
	uint32_t nslots, nclasses, ndocs, nplaces;
	struct argument {
		const char *macro, *name;
	} * argument; /* that some call gives */
	uint32_t narguments;
	bool lost; /* something was too deep */
};

/* ---- refer_class.c ---- */
uint32_t rf_class(yay_refer *); /* a new one; 0 is none */
uint32_t rf_root(yay_refer *, uint32_t of_class);
uint32_t rf_slot_root(yay_refer *, uint32_t slot);
uint32_t rf_find(yay_refer *, uint32_t of_class, const char *name); /* a slot, or 0 */
uint32_t rf_slot(yay_refer *, uint32_t of_class, const char *name); /* made where there is none */
uint32_t rf_value(yay_refer *, uint32_t slot);                      /* the class of what it holds */
uint32_t rf_items(yay_refer *, uint32_t of_class);                  /* the class of its items */
void rf_unite(yay_refer *, uint32_t, uint32_t);
void rf_unite_slots(yay_refer *, uint32_t, uint32_t);

/* ---- refer.c ---- */
void rf_declare(yay_refer *, uint32_t doc); /* what stands at its top */
void rf_walk(yay_refer *, uint32_t doc);

#endif

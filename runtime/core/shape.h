/*
 * shape.h - what a file of settings or a scenario may say, as tables, and the checker that says
 * where one does not.
 */
#ifndef VT_SHAPE_H
#define VT_SHAPE_H

#include "runtime/core/value.h"

enum vt_shape_type {
	T_ANY,
	T_TEXT,
	T_WORD,
	T_NUMBER,
	T_COUNT,
	T_STATUS,
	T_BOOL,
	T_LIST,
	T_ITEMS,
	T_MAP,
	T_OBJECT,
	T_ERROR,  /* a text, or an object */
	T_AMOUNT, /* a number from 0 on, also as a text */
	T_PORT,
	T_FLAG,  /* true or false, also as murano.conf writes it */
	T_TEXTS, /* a text, or a list of texts */
	T_EXIT   /* the status of a process */
};

typedef struct vt_field {
	const char *name; /* NULL: the last one */
	enum vt_shape_type type;
	const struct vt_field *fields; /* T_OBJECT; of the items of T_ITEMS, the values of T_MAP
				      (NULL: texts) */
	const char *words;             /* T_WORD: "create update delete" */
	bool open; /* T_OBJECT: others may stand there too, if none of ours looks like them */
} vt_field;

/* Else *err (malloc'd) gives the place in the text, the names that lead there, why, and what would
 * be right. */
bool vt_shape_check(const char *text, size_t n, vt_value, const vt_field *whole, char **err);

#endif

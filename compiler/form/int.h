/*
 * int.h - between read.c, field.c and write.c: a definition on its way from nodes to text.
 */
#ifndef FORM_READ_H
#define FORM_READ_H

#include "compiler/form/form.h"
#include "compiler/query/run.h"

typedef struct reader {
	vc *c;
	form_ui *ui;
	vt_buf out;
	vt_rt *rt; /* regular expressions are tried in it */
	bool bare; /* expressions are those of a field's validators */
	const char *form;
	bool snake; /* keys are written in snake_case, as attributes are */
} reader;

/* ---- write.c ---- */
char *form_snake(vc *, const char *); /* "minValue" is "min_value" */
void form_put(reader *, const ynode *);
void form_put_text(reader *, const char *);
/* A text that Python would make of a scalar. */
char *form_scalar_text(vc *, const ynode *);
bool form_is_text(const ynode *); /* a text and no expression */

/* ---- code.c ---- */
qr_request form_request(const form_expr *); /* its dialect and limits */
/* Does a field's validator hold for a constant?  *why is malloc'd, and why it failed; or NULL. */
bool form_holds(const ynode *expr, const ynode *value, char **why);

/* ---- read.c ---- */
/* Reports the keys that are none of these, by any spelling; where: "a validator". */
void form_unread_keys(
	reader *, const ynode *map, const char *where, const char *const *known, size_t n);

/* ---- field.c ---- */
bool form_is_type(const char *); /* is it a type of fields, and no class? */
/* The entry of a mapping by any spelling of its words; the last one counts. */
const ynode *form_member(vc *, const ynode *map, const char *name);
/* "/re/flags" or the expression itself; NULL: it is neither. */
const char *form_pattern(vc *, const ynode *, int64_t *flags);
void form_read_fields(reader *, const ynode *fields);
/* Checks that a field's or a form's validators are. */
void form_read_form_validators(reader *, const ynode *);

#endif

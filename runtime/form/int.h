/*
 * int.h - what the files of the room share: a run of a form, its fields and their lists.
 */
#ifndef FORM_INT_H
#define FORM_INT_H

#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/form/form.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

#include <string.h>

enum { MOST_DEEP = 120, MOST_NODES = 2000000 };

/* One run; values are owned. */
typedef struct vt_form {
	vt_rt *rt;
	const vt_form_def *def;
	const vt_form_ask *ask;
	vt_value root;       /* the definition */
	vt_value data;       /* {form: {field: value}} */
	vt_value parameters; /* evaluated */
	vt_value refs;       /* {"#name": what ref() has made} */
	vt_value made;       /* ids that ref() gave: {id: true} */
	vt_value name;       /* of the application, or null */
	vt_value complaints; /* LIST */
	vt_scope *scope;     /* parameters, and templates when the model is made */
	uint64_t random;
	uint32_t hosts;
	uint32_t depth, nodes;
	bool wrong; /* why is said */
	char *why;
	int32_t expression;
	struct vt_form *outer; /* the session's before this one */
} vt_form;

/* ---- evaluate.c ---- */
/* Reads the definition. */
bool vt_form_open(vt_form *, vt_rt *, const vt_form_def *, const vt_form_ask *);
void vt_form_close(vt_form *);
/* What the run came to; takes the value. */
vt_form_answer vt_form_end(vt_form *, vt_status, vt_value);
/* Expressions in it are evaluated until none is left. */
vt_status vt_form_evaluate(vt_form *, vt_scope *, vt_value, vt_value *out);
/* One expression, with its $. */
vt_status vt_form_run(vt_form *, vt_scope *, vt_value expression, vt_value self, vt_value *out);
bool vt_form_is_expression(vt_value);
const char *vt_form_source_of(const vt_form *, vt_value expression);
vt_scope *vt_form_bare_scope(vt_form *); /* knows neither parameters nor templates */
vt_status vt_form_parameters(vt_form *);
vt_status vt_form_application(vt_form *, vt_value *out);
/* The definition cannot be used: VT_ERROR. */
vt_status vt_form_wrong(vt_form *, const char *, ...) VT_PRINTF(2, 3);
/* of a dict; VT_NULL when it is not there, borrowed */
vt_value vt_form_get(vt_value dict, const char *key);
vt_value vt_form_text(vt_rt *, vt_value); /* Python's str(), owned */
vt_value vt_form_new_id(vt_form *);
uint64_t vt_form_random(vt_form *);

/* ---- field.c ---- */
enum vt_field_kind {
#define FIELD(sym, name, ...) VT_FIELD_##sym,
#include "runtime/form/fields.def"
#undef FIELD
	VT_FIELD_CLASS /* any other type */
};

typedef struct vt_field {
	enum vt_field_kind kind;
	vt_value spec; /* borrowed; DICT */
	vt_value form; /* its form's name, and its own; borrowed */
	vt_value name;
	bool clone; /* the second field of a password */
} vt_field;

vt_field vt_field_of(vt_value form, vt_value spec);
/* An attribute, evaluated; VT_UNDEF when it is not there. Owned. */
vt_status vt_field_attribute(vt_form *, const vt_field *, const char *name, vt_value *out);
vt_status vt_field_flag(vt_form *, const vt_field *, const char *name, bool otherwise, bool *out);
/* Text for people: one that cannot be evaluated is shown as it is written. null: none. */
vt_value vt_field_words(vt_form *, const vt_field *, const char *name);
vt_value vt_field_label(vt_form *, const vt_field *);
vt_status vt_field_required(vt_form *, const vt_field *, bool *out);
bool vt_field_is_boolean(const vt_field *);
bool vt_field_has_list(const vt_field *);
bool vt_field_is_empty(vt_value); /* as Django has it */
/* What the page would send that nobody has touched. */
vt_status vt_field_untouched(vt_form *, const vt_field *, vt_value *out);
/* Answers of all fields of a form into data; complaints are collected. */
vt_status vt_form_clean(vt_form *, vt_value form);
void vt_form_complain(vt_form *, vt_value form, vt_value field, const char *code, vt_value message);

/* ---- clean.c ---- */
/* The value of what was sent. *good: false when there was a complaint. */
vt_status vt_field_clean(vt_form *, const vt_field *, vt_value sent, vt_value *out, bool *good);

/* ---- list.c ---- */
/* What can be chosen: a LIST of [key, title, ready], group members in their order; VT_UNDEF when
 * the environment does not say. */
vt_status vt_field_list(vt_form *, const vt_field *, vt_value *out);
vt_status vt_field_shown(vt_form *, const vt_field *, vt_value list, vt_value *out);
/* The place in the list, or -1. */
int64_t vt_field_find(vt_rt *, vt_value list, vt_value key);

#endif

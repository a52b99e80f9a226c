/*
 * form.h - the form that a package brings, at work: answers become an object model or complaints.
 *
 * compiler/form reads and checks UI/ui.yaml and gives the definition: here nothing of the text is
 * known any more.  The same code runs in vetro and in the page of a binary.
 */
#ifndef VT_FORM_FORM_H
#define VT_FORM_FORM_H

#include "vt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A definition.  text is JSON in which a mapping is ["d", KEY, VALUE, ...], a list ["l", ITEM,
 * ...] and the n-th expression ["x", n]; compiler/form/write.c says what stands where.
 */
typedef struct vt_form_def {
	const char *text;
	size_t n;
	const vt_code *const *codes;
	const char *const *sources; /* the expressions as they are written */
	uint32_t ncodes;
} vt_form_def;

typedef struct vt_form_ask {
	/* DICTs, or VT_NULL: what was answered, the cloud, what ParametersSource returned */
	vt_value answers, environment, parameters;
	const char *package; /* its FullName; NULL: the Application's type stands for it */
	bool seeded;
	uint64_t seed;    /* of ids and host names */
	const char *upto; /* the last form to look at, or NULL: all of them and the model */
} vt_form_ask;

enum vt_form_end {
	VT_FORM_DONE,
	VT_FORM_COMPLAINED, /* value: [{form, field, code, message}] */
	VT_FORM_WRONG,      /* the definition cannot be used: why */
	VT_FORM_RAISED      /* an exception is pending */
};

typedef struct vt_form_answer {
	enum vt_form_end end;
	vt_value value;     /* the caller's */
	char *why;          /* malloc'd, or NULL */
	int32_t expression; /* the one that failed; -1: none */
} vt_form_answer;

/* The application's model. */
vt_form_answer vt_form_model(vt_rt *, const vt_form_def *, const vt_form_ask *);
/* Its forms and fields: a list. */
vt_form_answer vt_form_describe(vt_rt *, const vt_form_def *, const vt_form_ask *);
/* The model in an environment, as `run --model` takes it. Owned. */
vt_value vt_form_environment(vt_rt *, vt_value model, vt_value environment, const vt_form_ask *);
/* Does it ask for a name of the application? */
bool vt_form_asks_name(const vt_form_def *);
/* The static method that gives parameters: class and method, "" is the package's own class.  false:
 * there is none. */
bool vt_form_source(
	vt_rt *, const vt_form_def *, const char *package, vt_value *cls, vt_value *method);

#endif

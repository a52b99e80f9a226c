/*
 * form.h - the form that a package brings: UI/ui.yaml is read, checked and asked.
 */
#ifndef VC_FORM_FORM_H
#define VC_FORM_FORM_H

#include "compiler/base/base.h"
#include "compiler/emit/emit.h"
#include "compiler/yaml/yaml.h"
#include "runtime/core/value.h"
#include "runtime/form/form.h"

/* An expression of a definition. */
typedef struct form_expr {
	const ynode *node;
	bool bare; /* of a field's validator: it sees the standard functions only */
} form_expr;

/* A field, as answers name it. */
typedef struct form_name {
	const char *form, *field;
	vc_span at;
	const ynode *node;
} form_name;

/* A definition that has been read; in the compilation's arena. */
typedef struct form_ui {
	vc_source *src;
	const char *text; /* as vt_form_def has it */
	size_t n;
	form_expr *expr;
	uint32_t nexpr;
	form_name *name;
	uint32_t nname;
	const ynode *source;  /* ParametersSource, or NULL */
	const ynode *version; /* or NULL */
	bool named;           /* it asks for the application's name */
	const ynode *root;    /* the document */
} form_ui;

/* ---- read.c ---- */
/* NULL when it cannot be used; all that is wrong is reported. */
form_ui *form_read(vc *, vc_source *);

/* ---- code.c: a session with the code of its expressions ---- */
typedef struct form_run form_run;
/* Takes the session over, in which answers may have been read. NULL: reported; it stays. */
form_run *form_open(vc *, const form_ui *, vt_rt *);
void form_close(form_run *); /* with the session */
const vt_form_def *form_definition(const form_run *);
/* Where the pending exception of an expression happened, in the file of the definition. */
vc_span form_place(vc *, const form_ui *, int32_t expression, uint32_t line, uint32_t col);

/* ---- package.c ---- */
struct mpl_package;
/* The form of a loaded package, or NULL: it has none, or that is reported. */
vc_source *form_of_package(vc *, const struct mpl_package *);
/* The text of a file, or of the package's; its FullName, or NULL.  NULL: reported. */
vc_source *form_find(vc *, const char *path, const char **package);

/* ---- check.c: names, first values and choices; objects against the classes ---- */
void form_check(vc *, const struct mpl_package *, const form_ui *);

/* ---- field.c: for who writes a form ---- */
const char *form_type_name(size_t i); /* NULL: there are no more */
/* Attributes of a field of that type in snake_case, parted by blanks; NULL: of a class. */
const char *form_attributes(vc *, const char *type);

/* ---- emit.c: for the binary of the package ---- */
/* Before the program is emitted, of a definition that c has read.  False: reported to c. */
bool form_lower(vc *program, vc *c, const form_ui *);
/* The files of the program, and those of the form behind them. */
vc_cfile *form_emit(vc *program, vc *c, const form_ui *, vc_cfile *files, uint32_t *n);

/* ---- batch.c ---- */
/* `vetro form --batch`: an exit status. */
int form_batch(void);

#endif

/*
 * fmt.h - sources in one layout: YAML of any kind, YAQL and Yay.
 *
 * Only what means nothing changes: blanks, empty lines, indentation, line ends, and the blanks of
 * expressions.  The bytes of a scalar are copied, comments stay, and what comes out is read again:
 * a text that would mean something else is never given.
 */
#ifndef FMT_FMT_H
#define FMT_FMT_H

#include "compiler/base/base.h"

enum fmt_kind {
	FMT_YAML,  /* TOSCA, HOT, workflows, forms, models, what is no class */
	FMT_CLASS, /* MuranoPL: the expressions of methods and properties are laid out as well */
	FMT_YAQL,
	FMT_YAY
};

/* What a file is, by its name and its text. */
enum fmt_kind fmt_kind_of(const vc_source *);
/* Appends the source in its layout.  False: it is no such text, which is reported. */
bool fmt_source(vc *, vc_source *, enum fmt_kind, vt_buf *);

#endif

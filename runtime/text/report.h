/*
 * report.h - how every command and every binary shows what is wrong.
 *
 * As text:
 *
 *	FILE:LINE:COL: error[CODE]: MESSAGE
 *	    1 | the line of the place
 *	      |     ^~~~
 *	FILE:LINE:COL: note: TEXT
 *	  hint: TEXT
 *
 * As JSON it is the object that `vetro check --format json` prints.  All texts may come from
 * outside: they are escaped when they are shown.
 */
#ifndef VT_REPORT_H
#define VT_REPORT_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

enum vt_severity { VT_SEVERITY_ERROR, VT_SEVERITY_WARNING, VT_SEVERITY_NOTE };
extern const char *const vt_severity_name[];

/* file NULL: no place.  line 0: the file as a whole.  Columns are code points. */
typedef struct vt_place {
	const char *file;
	uint32_t line, col, end_line, end_col; /* from 1 on; the end matters to JSON only */
	/* The excerpt: text[from..to) of n bytes gets the caret.  text NULL: there is none. */
	const char *text;
	size_t n, from, to;
} vt_place;
typedef struct vt_remark {
	vt_place at;
	const char *text;
} vt_remark;
typedef struct vt_report {
	enum vt_severity severity;
	const char *code; /* what `vetro explain` answers; NULL: none */
	const char *self; /* who speaks, where there is no place */
	vt_place at;
	const char *message;
	const vt_remark *notes;
	uint32_t nnotes;
	const char *hint; /* NULL: none */
} vt_report;

/* --color of every program. Colours are for a terminal that has them, unless somebody does not want
 * them (NO_COLOR); or always, or never. */
enum vt_colour { VT_COLOUR_AUTO, VT_COLOUR_ALWAYS, VT_COLOUR_NEVER }; /* -1: auto */
#define VT_COLOURS "auto|always|never"
void vt_set_colour(int when); /* of this process */
bool vt_wants_colour(FILE *);
void vt_report_text(vt_buf *, const vt_report *, bool colour);
/* {"code",...,"hint"} without a line's end */
void vt_report_json(vt_buf *, const vt_report *);
/* The text form. */
void vt_report_print(const vt_report *, FILE *);
/* Of a binary that is asked for what a run would have left at `path`. */
void vt_say_undeployed(const char *self, const char *path);
/* A state that was named and is not there: status answers, but a slip should not go unseen. */
void vt_say_no_state(const char *self, const char *named);
/* A JSON string; bytes that are no UTF-8 become U+FFFD. */
void vt_put_json_repaired(vt_buf *, const char *, size_t);

#endif

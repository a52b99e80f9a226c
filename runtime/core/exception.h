/*
 * exception.h - exceptions: their kinds, raising, what they report.
 */
#ifndef VT_CORE_EXCEPTION_H
#define VT_CORE_EXCEPTION_H

#include "vt.h"

#include "runtime/core/base.h"

/* ---- exception.c: exceptions ---- */
enum vt_etype {
#define EXCEPTION(sym, code, shown, fqn) VT_E_##sym,
#include "runtime/core/exceptions.def"
#undef EXCEPTION
	VT_E_COUNT
};
const char *vt_etype_shown(enum vt_etype);
const char *vt_etype_fqn(enum vt_etype);
/* Its qualified name as the only one, as a Catch sees it: owned.  The session keeps them. */
vt_value vt_etype_names(vt_rt *, enum vt_etype);
void vt_etype_names_free(vt_value *);           /* NULL too */
const char *vt_fqn_of_class(const char *shown); /* the same text when it is no class of these */

/* A running method where an exception was raised: constants of the program, which outlive it. */
typedef struct vt_trace {
	const vt_method_decl *method;
	const vt_at *at; /* or NULL: before its first statement */
} vt_trace;
/* The same as it is shown; texts of the program. */
typedef struct vt_frame {
	const char *file;
	uint32_t line, col;
	const char *method, *type, *instruction;
} vt_frame;
enum { VT_FEW_FRAMES = 4 };
/* An exception. A MuranoPL Throw has type VT_E_MURANO_PL and its names; any other one gets its fqn
 * as only name when vt_caught wraps it. */
typedef struct vt_exc {
	vt_head h;
	enum vt_etype type;
	vt_value message; /* str */
	/* tuple of str: Throw's names, resolved; VT_NULL for others until wrapped */
	vt_value names;
	vt_value extra, cause; /* VT_NULL or value; cause is an exception */
	vt_trace *frames;      /* outermost first: few, or malloc'd */
	uint32_t nframes;
	uint32_t line, col; /* in the expression, for YAQL errors; 0 unknown */
	uint8_t traced;     /* frames have been taken */
	/* the offending value where the reference keeps one (KeyError's key); or VT_UNDEF */
	vt_value arg;
	vt_trace few[VT_FEW_FRAMES];
} vt_exc;
vt_frame vt_exc_frame(const vt_exc *, uint32_t i);
/* UnicodeDecodeError for bytes that are UTF-8 up to `at`, as Python words it. */
vt_status vt_raise_utf8(vt_rt *, const char *, size_t n, size_t at);
/* Sets the session's exception (frames taken from rt->act) and returns VT_ERROR. */
vt_status vt_raise(vt_rt *, enum vt_etype, const char *fmt, ...) VT_PRINTF(3, 4);
vt_status vt_raise_value(vt_rt *, enum vt_etype, vt_value owned_message);
vt_status vt_raise_long_text(vt_rt *);
vt_status vt_raise_key(vt_rt *, vt_value key); /* KeyError that knows its key */
/* One result, or the error and no value left behind. */
static inline vt_status
vt_settle(vt_status st, vt_value owned, vt_value *out)
{
	if (st == VT_OK)
		*out = owned;
	else
		vt_release(owned);
	return st;
}
vt_exc *vt_pending(vt_rt *); /* borrowed; NULL when none */
void vt_exc_clear(vt_rt *);
vt_value vt_exc_take(vt_rt *); /* an owned exception */
void vt_exc_set(vt_rt *, vt_value owned_exc);
const char *vt_exc_raised_type(vt_exc *);     /* that of the host with its dots */
const char *vt_exc_shown_type(vt_exc *);      /* "ValueError"; for Throw its first name */
void vt_exc_str(vt_rt *, vt_buf *, vt_exc *); /* str(): [n1, n2]: message */
/* list of {"file","line","col","method","type","instruction"} */
vt_value vt_exc_frames(vt_rt *, vt_exc *);
/* traceback text, muranopl-engine.md 13 */
void vt_exc_format(vt_rt *, vt_buf *, vt_exc *);

#endif

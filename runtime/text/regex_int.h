/*
 * regex_int.h - the inner side of the translation of Python's regular expressions: what
 * regex_token.c reads for regex_parse.c.
 */
#ifndef VT_TEXT_REGEX_INT_H
#define VT_TEXT_REGEX_INT_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"

enum {
	F_I = VT_RE_IGNORECASE,
	F_M = VT_RE_MULTILINE,
	F_S = VT_RE_DOTALL,
	F_U = VT_RE_UNICODE,
	F_X = VT_RE_VERBOSE,
	F_A = VT_RE_ASCII,
	F_T = 1,
	F_L = 4,
	TYPE_FLAGS = F_A | F_L | F_U
};
enum { MAX_REPEAT = 65535, MAX_GROUPS = 10000, MAX_DEPTH = 200 };
#define UNLIMITED ((uint64_t)0xffffffff)

/* One code point, or a backslash and the one behind it; n is 0 at the end. */
typedef struct token {
	uint32_t c[2];
	uint32_t n;
} token;

/* How many characters something matches. */
typedef struct width {
	uint64_t lo, hi;
} width;
typedef struct group {
	width w;
	bool closed;
} group;
typedef struct reference {
	uint32_t group, pos;
} reference;

typedef struct parser {
	vt_rt *rt;
	const uint32_t *cp; /* the pattern; Python's positions count these */
	uint32_t n, index;  /* index: behind next */
	token next;
	vt_regex_source *out;
	int64_t flags;    /* in force here; out->flags are those of the whole pattern */
	group *groups;    /* [0] is not used */
	uint32_t ngroups; /* counts [0] */
	reference *refs;  /* conditions on numbers: groups that may come later */
	uint32_t nrefs;
	uint32_t behind; /* groups opened before the outermost running lookbehind, or 0 */
	bool uneven;     /* a lookbehind is not of fixed width */
	uint32_t depth;
} parser;

static inline vt_buf *
re_out(parser *p)
{
	return &p->out->text;
}

/* ---- regex_token.c ---- */

#define DECIMAL "0123456789"

enum what { LITERAL, CATEGORY, PLACE, BACKREF };
/* CATEGORY and PLACE: c is the letter; BACKREF: the group. */
typedef struct code {
	enum what what;
	uint32_t c;
} code;

/* What was read of an escape, for messages. */
typedef struct escape {
	uint32_t c[12], n;
} escape;

uint32_t re_tell(const parser *p);
/* The message, then the place as re.error shows it. */
vt_status re_fail_at(parser *p, uint32_t pos, vt_buf *message);
/* fmt has one %s for the text of the code points. */
vt_status re_fail_citing(
	parser *p, uint32_t before, const char *fmt, const uint32_t *c, uint32_t n);
vt_status re_fail_name(parser *p, uint32_t before, const char *what, vt_value name);
vt_status re_advance(parser *p);
bool re_next_is(const parser *p, uint32_t c);
vt_status re_match(parser *p, uint32_t c, bool *yes);
vt_status re_get(parser *p, token *t);
bool re_one_of(token t, const char *set);
bool re_letter(uint32_t c);
uint32_t re_digit(uint32_t c);
vt_status re_get_until(
	parser *p, uint32_t terminator, const char *what, vt_value *name, uint32_t *len);
bool re_number_of(const vt_str *s, uint64_t *n);
vt_status re_check_reference(parser *p, uint32_t g, uint32_t before);
vt_status re_check_behind(parser *p, uint32_t g);
vt_status re_read_escape(parser *p, token t, bool in_class, code *c);
vt_status re_fail(parser *, uint32_t before, const char *fmt, ...) VT_PRINTF(3, 4);

#endif

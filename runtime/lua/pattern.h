/*
 * pattern.h - Lua's patterns, with a bound on the steps a match may take.
 */
#ifndef VT_PATTERN_H
#define VT_PATTERN_H

#include "runtime/core/value.h"

enum { VT_PATTERN_CAPTURES = 32 };

typedef struct vt_pattern {
	const char *s, *end;   /* the subject */
	const char *pend;      /* of the pattern; a NUL stands there */
	uint64_t steps, limit; /* taken, and those that may be */
	const char *error;     /* why there is no match, or NULL; "" when the steps are used up */
	uint32_t depth;
	uint32_t n; /* captures */
	struct {
		const char *at;
		ptrdiff_t n; /* bytes; VT_PATTERN_OPEN, VT_PATTERN_PLACE */
	} capture[VT_PATTERN_CAPTURES];
} vt_pattern;
enum { VT_PATTERN_OPEN = -1, VT_PATTERN_PLACE = -2 };

/* The end of the match that begins there, or NULL.  p is behind an anchor. */
const char *vt_pattern_match(vt_pattern *, const char *from, const char *p);
/* Has it none of the characters that mean something? */
bool vt_pattern_is_plain(const char *p, size_t n);

#endif

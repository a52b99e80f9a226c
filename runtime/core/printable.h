/* printable.h - text from outside, made harmless for a terminal. */
#ifndef VT_PRINTABLE_H
#define VT_PRINTABLE_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

/* One character and its length.  A byte that is no UTF-8 is U+FFFD of length 1. */
uint32_t vt_next_char(const char *, size_t left, unsigned *length);
/* Puts one character as it may be shown; returns the cells it takes on a terminal. */
unsigned vt_put_shown(vt_buf *, uint32_t ch, const char *bytes, unsigned length);
/* Control and direction characters as \u{..}, line ends as \n: the text stays in its line. */
void vt_put_printable(vt_buf *, const char *, size_t);
/* The same, but line ends and tabs stay. */
void vt_put_lines(vt_buf *, const char *, size_t);
/* Is it a line that is shown as it is: no controls, no direction marks, only UTF-8? */
bool vt_is_visible(const char *, size_t);

#endif

/* explain.h - between explain.c, which has diagnostics, and explain_word.c, which has the rest. */
#ifndef CMD_EXPLAIN_H
#define CMD_EXPLAIN_H

#include "compiler/base/base.h"

/* Prints all that has the name. False: nothing has. */
bool cmd_explain_word(vc *, const char *);
/* The names that it knows. */
const char **cmd_explained_words(vc *, size_t *n);

#endif

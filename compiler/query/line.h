/*
 * line.h - lines that a user edits on a terminal, with a history and completion.
 */
#ifndef VC_QUERY_LINE_H
#define VC_QUERY_LINE_H

#include "runtime/core/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct query_line query_line;

/* Texts, each malloc'd. */
typedef struct query_words {
	char **v;
	size_t n;
} query_words;
void query_words_add(query_words *, const char *, size_t n);
void query_words_free(query_words *);

/* Words that may stand where text[word..at) does, in any order; those that do not begin with it are
 * left out. */
typedef void query_complete(
	void *ctx, const char *text, size_t word, size_t at, query_words *found);

/* NULL: the terminal cannot do it. What is typed from now on is for the first line. */
query_line *query_line_new(query_complete *, void *ctx);
void query_line_free(query_line *);
/* Makes the text the newest of the history; its line ends become blanks. */
void query_line_remember(query_line *, const char *text, size_t n);

enum query_line_got { QUERY_LINE, QUERY_LINE_END, QUERY_LINE_CANCELLED };
/* One line, without its end, behind what *to has. */
enum query_line_got query_line_read(query_line *, const char *prompt, vt_buf *to);

#endif

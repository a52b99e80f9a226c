/*
 * ctext.h - text from outside in emitted C.  Every emitter goes this way, those of other rooms too:
 * t/project/emitters.t holds that no name, path or source text is printed as it is.
 */
#ifndef VC_EMIT_CTEXT_H
#define VC_EMIT_CTEXT_H

#include "compiler/base/base.h"

/* A string literal; it holds any bytes, and is cut into several where it is long. */
void ct_string(vt_buf *, const char *, size_t);
/* The same of a C string; "NULL" where there is none. */
void ct_text(vt_buf *, const char *);
const char *ct_literal(vc *, const char *);
/* An identifier behind the prefix. No two names give the same one. */
const char *ct_name(vc *, const char *prefix, const char *name);
/* The name of a C file, which objects keep: no two names give the same one, and what else is in the
 * program does not count. A long name is cut, and its digest follows. */
const char *ct_file(vc *, char kind, const char *name);
/* What is said about the C that follows: a line of its own, which nothing in the text ends. */
void ct_comment(vt_buf *, const char *name, uint32_t line);
/* Puts the lines of C, each behind a #line of the one line of a source file. A line that has one
 * keeps it: a copy of a loop has lines of its own. */
void ct_lines(vt_buf *, uint32_t line, const char *file, const char *text, size_t n);
/* Lines behind this one are the C file's own again. */
void ct_own_lines(vt_buf *, const char *cfile);
/* Bytes of a table that this machine reads, where ct_string would be slow for cc. */
void ct_bytes(vt_buf *, const void *, size_t);

#endif

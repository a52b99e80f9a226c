/* printable.h - text from outside, made harmless for terminals, DOT, XML and shells. */
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

/*
 * Between the quotes of a label or name of DOT: characters that nobody sees become U+XXXX.  Of a
 * record, what divides its fields is escaped as well.
 */
void vt_put_dot(vt_buf *, const char *, size_t, bool record);
/* Content or an attribute of XML 1.0: line ends and tabs stay, other controls become \u{..}. */
void vt_put_xml(vt_buf *, const char *, size_t);
/* A part of a file's name, of at most so many bytes: letters, digits, - and _, dots but for a first
 * one, and what is not ASCII; everything else becomes _. */
void vt_put_file_name(vt_buf *, const char *, size_t most);
/* One word of a POSIX shell, with its quotes. */
void vt_put_sh(vt_buf *, const char *, size_t);
/* The same between quotes that stand there. */
void vt_put_sh_inside(vt_buf *, const char *, size_t);

/* ---- message.c: what messages show ---- */

/*
 * What nobody may read in a message, a log, a trace or a report, until its owner lets go of it: a
 * password, a token, a key.  All threads share the list.  Something shorter than VT_SECRET_MIN
 * bytes is not looked for: too much would look like it.
 */
enum { VT_SECRET_MIN = 4 };
void vt_secret_add(const void *owner, const char *, size_t);
/* The texts and numbers in a value. */
void vt_secret_add_value(vt_rt *, const void *owner, vt_value);
/* What decryptData() of a host gives. */
void vt_secret_of_call(vt_rt *, const char *function, vt_value);
void vt_secrets_forget(const void *owner);
/* Covers them since `from`, also as JSON, a URL, HTML, a shell, Python or base64 writes them. */
void vt_redact(vt_buf *, size_t from);
bool vt_has_secret(const char *, size_t);
/* The same in a text, which is given back. */
vt_value vt_redacted(vt_rt *, vt_value owned);

enum { VT_SHOWN_MAX = 200, VT_MESSAGE_MAX = 16 << 10 };
/* vt_repr() of no more items once the buffer has so many bytes; false: some are left out. */
bool vt_repr_some(vt_rt *, vt_buf *, vt_value, size_t most);
/* A value in a message: VT_SHOWN_MAX characters of it, and how many are left out: of a collection
 * at least so many. */
void vt_put_cut(vt_buf *, const char *, size_t);
/* The texts up to NULL, one behind the other. */
vt_value vt_message_of(vt_rt *, const char *const *parts);
/* The same of a value's repr(), and of its str(). */
void vt_repr_cut(vt_rt *, vt_buf *, vt_value);
void vt_pystr_cut(vt_rt *, vt_buf *, vt_value);
/* The message since `from` has VT_MESSAGE_MAX bytes at most. */
void vt_cut_message(vt_buf *, size_t from);
/*
 * A message.  Each %s is a value and is cut; a text that was made as a message goes by "%.*s" and
 * VT_WHOLE, or is the whole format "%s".
 */
void vt_buf_vmessage(vt_buf *, const char *fmt, va_list);
#define VT_WHOLE(s) (int)strlen(s), (s)

#endif

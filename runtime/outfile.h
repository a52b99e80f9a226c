/*
 * outfile.h - files that are replaced as a whole or not at all.
 */
#ifndef VT_OUTFILE_H
#define VT_OUTFILE_H

#include "vti.h"

bool vt_write_all(int fd, const char *, size_t);
bool vt_is_special(
	const char *path); /* a device or a pipe: renaming would put a file in its place */
bool vt_write_special(const char *path, const char *, size_t);
/* By renaming: a link stays one, what is replaced keeps owner, group and mode; a new file is the
 * owner's alone when it is private, else as the umask says. errno tells why not. */
bool vt_replace_file(const char *path, const char *, size_t, bool private);
/* The answer of a command: to the file, or to standard output where path is NULL or "-". What goes
 * wrong is told behind `self`. */
bool vt_put_output(const char *self, const char *path, const vt_buf *, bool private);

#endif

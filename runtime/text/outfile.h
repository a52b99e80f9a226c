/*
 * outfile.h - files that are read as a whole, and replaced as a whole or not at all.
 */
#ifndef VT_OUTFILE_H
#define VT_OUTFILE_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <stdio.h>

/* What is left of a stream, which may be NULL.  False: errno; EFBIG where there is more than
 * `most`. */
bool vt_read_all(FILE *, size_t most, vt_buf *);
bool vt_read_file(const char *path, size_t most, vt_buf *);
bool vt_write_file(const char *path, const char *, size_t); /* of ours: not by renaming */
/* The folders on the way to the file, from the byte `from` of its path on; the owner's alone.
 * False: errno.  The path is changed in between. */
bool vt_make_folders(char *path, size_t from);
bool vt_write_all(int fd, const char *, size_t);
/* Whether this process waits where a disk is full, instead of failing.  It says so once. */
void vt_wait_for_room(bool);
/* errno is that of a write.  True, after a pause: the disk was full, and the write is to be tried
 * again. */
bool vt_room_may_come(void);
bool vt_is_special(
	const char *path); /* a device or a pipe: renaming would put a file in its place */
bool vt_write_special(const char *path, const char *, size_t);
/* Of a file: its name is on the disk then. */
void vt_sync_folder(const char *path);
enum {
	VT_FILE_PRIVATE = 1, /* a new file is the owner's alone, else as the umask says */
	/* whole after the process was killed, but perhaps not after the machine was */
	VT_FILE_HASTY = 2,
	/* standard output that is a file is on the disk when vt_output_end() says yes */
	VT_FILE_DURABLE = 4
};
/* What processes that were killed have left of files that were to replace this one. */
void vt_sweep_unfinished(const char *path);
/* Removes what this process has begun and not ended. Safe in a handler of signals. */
void vt_outfile_abandon(void);
/* By renaming: a link of ours or of root stays one. A file of ours keeps group and permissions,
 * without setuid and the like; else the file is as new. errno says why not. */
bool vt_replace_file(const char *path, const char *, size_t, unsigned flags);
/* The same in pieces: begin, put, end, which gives the result. Nobody sees the file before its end;
 * what fails is reported there. */
typedef struct vt_outfile {
	char *real, *tmp;
	const char *to;
	int fd, why;
	unsigned flags;
	struct vt_outfile *outer; /* one that was begun before and is not at its end */
} vt_outfile;
/* The answer of a command: to the file, or to standard output where path is NULL or "-". What goes
 * wrong is reported behind `self`. */
bool vt_put_output(const char *self, const char *path, const vt_buf *, unsigned flags);
/* The same in pieces. */
typedef struct vt_output {
	const char *self, *path;
	unsigned flags;
	bool open;
	int fd, why;
	vt_outfile file;
} vt_output;
void vt_output_put(vt_output *, const char *, size_t); /* the first one opens */
bool vt_output_end(vt_output *);

#endif

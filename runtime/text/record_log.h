/*
 * record_log.h - files of numbered records that survive a kill at any moment: journals.
 *
 * A record is one line of JSON: {"crc":"xxxxxxxx","seq":N,...}.  The CRC-32 is that of the bytes
 * between the comma behind it and the end of the line; seq counts from 0, so line N + 1 has N.
 *
 * A last line without its end was being written when the process died.  What it announces was not
 * begun, so it is dropped.  Any other line that is not as it was written is damage, and is told
 * with its place.
 */
#ifndef VT_RECORD_LOG_H
#define VT_RECORD_LOG_H

#include "runtime/core/base.h"

typedef struct vt_record_log {
	char *path;
	int fd;
	uint64_t seq;   /* of the next record */
	uint64_t size;  /* bytes of the records in the file */
	vt_buf waiting; /* records that are not in the file yet */
	bool unsynced;  /* the file has some that may not be on the disk */
	bool looks;     /* only to be read, while another process may write it */
} vt_record_log;

/*
 * Opens or makes the file, for one process at a time.  False: *why (malloc'd) says it without the
 * path; nothing is to be closed.
 */
bool vt_log_open(vt_record_log *, const char *path, char **why);
/* The same for who only reads, whoever has it; to be closed.  errno is ENOENT: there is none. */
bool vt_log_look(vt_record_log *, const char *path, char **why);
bool vt_log_is_held(const char *path); /* by a process that writes it */
/*
 * Gives each record to `take`: the text between its braces, from "seq" on; false from there: it is
 * not understood.  False: *why as above, with the place of the damage and a way out.
 */
typedef bool vt_log_take(void *ctx, uint64_t seq, const char *record, size_t n);
bool vt_log_read(vt_record_log *, vt_log_take *, void *ctx, char **why);
/* fields: what follows "seq", as `"op":"begin","of":"web"`.  It waits until the next vt_log_write.
 */
void vt_log_add(vt_record_log *, const char *fields, size_t n);
/* Into the file: a kill does not lose them any more.  False: errno; they wait on. */
bool vt_log_write(vt_record_log *);
/* The same, and onto the disk: nor does a machine that loses its power. */
bool vt_log_sync(vt_record_log *);
/* Empties the file; the next record has number 0. */
bool vt_log_restart(vt_record_log *);
/* remove: the file goes, for good.  False: it could not. */
bool vt_log_close(vt_record_log *, bool remove);

#endif

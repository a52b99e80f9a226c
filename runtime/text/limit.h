/*
 * limit.h - what a process may take: --memory and --timeout of every program.
 *
 * Memory is the address space (RLIMIT_AS), time is the wall's. Who takes more ends with a message
 * and a status of its own. To what it does outside that is a signal like SIGTERM: journals and
 * snapshots are written as then.
 */
#ifndef VT_LIMIT_H
#define VT_LIMIT_H

enum { VT_LIMIT_MEMORY = 5, VT_LIMIT_TIME = 6 }; /* exit statuses */

/* 0: none; VETRO_MEMORY and VETRO_TIMEOUT count where they are stricter. */
void vt_limit_begin(const char *self, double mib, double seconds);
/* The status of a process that ends in order: its time may have been over. */
int vt_limit_status(int status);
/* Before execv(): the next program has what is left. */
void vt_limit_hand_over(void);
/* The most memory that it has had.  What the system counts for a child includes who started it. */
long vt_peak_bytes(void);

#endif

/* status.h - exit statuses of binaries. */
#ifndef VT_STATUS_H
#define VT_STATUS_H

enum { DONE = 0, FAILED = 1, USAGE = 2, FAULT = 3 };

#endif

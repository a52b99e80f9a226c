/* nearest.h - the name that was likely meant. */
#ifndef VT_NEAREST_H
#define VT_NEAREST_H

#include <stddef.h>

/* That of the n names which is a slip away from `name`, or NULL. Names may be NULL. */
const char *vt_nearest(const char *name, const char *const *names, size_t n);
/* The same of options with their dashes, which may also have another name in other tools. */
const char *vt_nearest_option(const char *name, const char *const *names, size_t n);

#endif

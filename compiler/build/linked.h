/*
 * linked.h - what a binary is made of besides its sources: libraries, with what is known of them.
 */
#ifndef VC_BUILD_LINKED_H
#define VC_BUILD_LINKED_H

#include "compiler/base/base.h"
#include "compiler/build/build.h"

/* In the binary; loaded when it starts; loaded when it needs it, wherever it runs. */
enum vc_linkage { VC_ARCHIVE, VC_NEEDED, VC_LOADED };
typedef struct vc_library {
	const char *name, *version, *licence; /* version, licence: or NULL */
	enum vc_linkage how;
	const char **file; /* in order */
	uint32_t nfiles;
} vc_library;
typedef struct vc_linked {
	vc_library *v; /* by name */
	uint32_t n;
} vc_linked;
/* map: the linker's; dirs: where libraries are */
vc_linked vc_linked_of(vc *, const char *binary, const char *map, const char *dirs);
const char *vc_file_sha256(vc *, const char *path); /* NULL: errno */

#endif

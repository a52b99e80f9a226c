/* build.h - a service as C files. */
#ifndef TOSCA_BUILD_H
#define TOSCA_BUILD_H

#include "compiler/base/base.h"
#include "compiler/emit/emit.h"

typedef struct tosca_source {
	const char *const *files;
	uint32_t nfiles;
	const char *const *paths;
	uint32_t npaths; /* -I */
	const char *const *maps;
	uint32_t nmaps; /* --map */
	const char *const *environments;
	uint32_t nenvironments; /* --environment: of Heat's templates */
	/* or NULL: gets the IR of the types, and no file is made */
	vt_buf *ir;
} tosca_source;
typedef struct tosca_identity {
	const char *name;
	const char *version; /* what its metadata say; or NULL */
} tosca_identity;
/* NULL: reported, unless there is `ir`. */
vc_cfile *tosca_translate(vc *, const tosca_source *, tosca_identity *, uint32_t *n);

#endif

/* diag.c - names of codes. */
#include "runtime/core/diag.h"

static const char names[][6] = {
#define DIAG(code, severity, title) #code,
#include "runtime/core/diag.def"
#undef DIAG
};

const char *
vt_diag_name(enum vt_diag code)
{
	return names[code];
}

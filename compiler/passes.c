/* passes.c - the optimisations by name, so that each can be switched off: -fno-NAME. */
#include "vc.h"

#include <string.h>

static const char *const names[] = {
#define X(sym, name, doc) name,
	VC_PASSES(X)
#undef X
};

bool
vc_pass_option(const char *arg, uint32_t *off)
{
	bool no = strncmp(arg, "-fno-", 5) == 0;
	const char *name = arg + (no ? 5 : 2);

	if (strncmp(arg, "-f", 2) != 0)
		return false;
	for (uint32_t i = 0; i < VC_LEN(names); i++)
		if (strcmp(name, names[i]) == 0) {
			*off = no ? *off | 1u << i : *off & ~(1u << i);
			return true;
		}
	if (strcmp(name, "passes") != 0)
		return false;
	*off = no ? ~0u : 0;
	return true;
}

/* asset.c - files embedded at build time; lua/build/embed.lua makes the table. */
#include "compiler/base/base.h"

#include <string.h>

const char *
vc_asset(const char *name, size_t *n)
{
	for (const vc_asset_row *a = vc_assets; a->name; a++)
		if (!strcmp(a->name, name)) {
			*n = a->n;
			return a->text;
		}
	*n = 0;
	return NULL;
}

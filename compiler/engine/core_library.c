/*
 * core_library.c - is a package io.murano that of murano 14, which vetro's own stands for?
 *
 * Vetro's own is written anew, so texts cannot be compared with it.  The files of murano 14 are
 * known by their digests instead: a package with another content was changed by its operator.
 */
#include "compiler/engine/courier.h"
#include "compiler/murano/package.h"
#include "runtime/text/digest.h"

#include <string.h>

enum { DIGITS = 16, SHOWN = 5 };
#define CORE(path, digest) {path, digest},
static const struct known {
	const char *path, *digest;
} known[] = {
#include "compiler/engine/core.def"
};
#undef CORE

static const struct known *
known_file(const char *path)
{
	for (size_t i = 0; i < VT_LEN(known); i++)
		if (strcmp(known[i].path, path) == 0)
			return &known[i];
	return NULL;
}

static bool
is_as_known(vc *c, vc_files *files, const struct known *k)
{
	char hex[VT_DIGEST_TEXT];
	size_t n;
	const char *bytes = vc_files_bytes(c, files, k->path, &n);
	return bytes != NULL && vt_digest("sha256", bytes, n, hex) &&
	       memcmp(hex, k->digest, DIGITS) == 0;
}

static void
note(vt_buf *other, uint32_t *n, const char *path)
{
	if ((*n)++ < SHOWN)
		vt_buf_printf(other, "%s%s", *n > 1 ? ", " : "", path);
}

bool
eng_core_differs(const char *path, vt_buf *other)
{
	static const char *const folders[] = {"Classes", "Resources"};
	vc *c = vc_new();
	vc_files *files = vc_files_open(c, path);
	uint32_t differ = 0;
	for (size_t i = 0; i < VT_LEN(known); i++)
		if (!files || !is_as_known(c, files, &known[i]))
			note(other, &differ, known[i].path);
	for (size_t i = 0; files && i < VT_LEN(folders); i++) {
		size_t n;
		const char *const *all = vc_files_list(c, files, folders[i], &n);
		for (size_t k = 0; k < n; k++)
			if (known_file(all[k]) == NULL)
				note(other, &differ, all[k]);
	}
	if (differ > SHOWN)
		vt_buf_printf(other, " and %u more", differ - SHOWN);
	vc_free(c);
	return differ > 0;
}

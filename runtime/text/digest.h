/* digest.h - hashes of bytes, for HOT's digest and the integrity of MuGL. */
#ifndef VT_DIGEST_H
#define VT_DIGEST_H

#include "runtime/core/value.h"

enum { VT_DIGEST_TEXT = 129 };
/* md5, sha1, sha224, sha256, sha384 or sha512 in hexadecimal; false: another name. */
bool vt_digest(const char *algorithm, const char *, size_t, char hex[VT_DIGEST_TEXT]);

#endif

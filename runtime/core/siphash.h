/*
 * siphash.h - a hash of bytes under a secret, for tables whose keys come from outside.
 */
#ifndef VT_SIPHASH_H
#define VT_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct vt_seed {
	uint64_t k[2];
} vt_seed;

vt_seed vt_seed_new(void); /* random */
uint64_t vt_sip(const vt_seed *, const void *, size_t);

#endif

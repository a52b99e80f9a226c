/*
 * structure.h - changes of YAML documents that know what a document is made of: valid by grammar,
 * wrong in meaning.  A target that includes this gives its language's words and is linked with
 * structure.c, which brings LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver.
 */
#ifndef T_FUZZ_STRUCTURE_H
#define T_FUZZ_STRUCTURE_H

#include <stddef.h>
#include <stdint.h>

/* Words of the language: plain scalars that may stand as they are.  Both lists end with NULL. */
extern const char *const fuzz_keys[];
extern const char *const fuzz_values[];

/* A new text in `data`, at most `max` bytes; the length.  `seed` decides everything. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
	uint8_t *out, size_t max, unsigned int seed);
/* A change of bytes; libFuzzer's or driver.c's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);

#endif

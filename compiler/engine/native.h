/*
 * native.h - programs of hosts through cc, in the background.
 *
 * libtcc's program answers at once.  Meanwhile a process of the lowest priority compiles the same
 * C with cc to a shared object of the cache.  Engines of one machine share it: one compiles, the
 * others find it.
 */
#ifndef VC_ENGINE_NATIVE_H
#define VC_ENGINE_NATIVE_H

#include "compiler/build/build.h"

#include "vt.h"

#include <sys/types.h>

typedef struct eng_native {
	const vc_cfile *files;
	uint32_t n;
	char *path; /* in the cache; NULL: there is none, or it is not wanted */
	pid_t pid;  /* of what compiles; 0: nothing does */
} eng_native;

/* The C of a program, borrowed. */
void eng_native_plan(eng_native *, vc *, const vc_cfile *files, uint32_t n);
/* The program of the cache, or NULL. */
const vt_program *eng_native_find(eng_native *, vc *);
/* Compiles what is not there.  SIGCHLD tells of its end. */
void eng_native_start(eng_native *, vc *);
/* After its end: the program, or NULL. */
const vt_program *eng_native_take(eng_native *, int status);

#endif

/*
 * native.h - programs of hosts through cc, in the background.
 *
 * libtcc's program answers at once.  When the tasks of a program have taken as much processor time
 * as cc will take, a process of the lowest priority compiles the same C with cc to a shared object
 * of the cache: whatever comes then, both together take at most twice what the better of the two
 * would have taken alone.  Engines of one machine share the object: one compiles, the others find
 * it.
 */
#ifndef VC_ENGINE_NATIVE_H
#define VC_ENGINE_NATIVE_H

#include "compiler/build/build.h"
#include "compiler/engine/int.h"

#include "vt.h"

#include <sys/types.h>

typedef struct eng_native {
	char *path;           /* in the cache; NULL: there is none, or it is not wanted */
	double spent, enough; /* processor seconds: of the tasks; from when on cc is worth it */
	pid_t pid;            /* of what compiles; 0: nothing does */
	bool tried;
} eng_native;

/* percent: of the time that cc takes */
void eng_native_plan(eng_native *, vc *, const vc_cfile *files, uint32_t n, double percent);
/* The program of the cache, or NULL. */
const vt_program *eng_native_find(eng_native *, vc *);
/* A task has ended, which took so many seconds.  True: cc is worth it now. */
bool eng_native_spend(eng_native *, double seconds);
/* The beginning of the process that compiles. */
void eng_native_become(void);
/* The rest of it: compiles what is not there. */
_Noreturn void eng_native_compile(const eng_native *, vc *, vc_cfile *files, uint32_t n);
/* After its end: the program, or NULL. */
const vt_program *eng_native_take(eng_native *, int status);

/* turn.c: this process alone of the machine compiles the packages, until it closes what is
 * returned, which may be -1. */
int eng_turn_wait(vc *, const eng_packages *);

#endif

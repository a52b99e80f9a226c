/*
 * work.h - what a worker does: it runs the program of its host.
 */
#ifndef VC_ENGINE_WORK_H
#define VC_ENGINE_WORK_H

#include "compiler/engine/int.h"

#include "vt.h"

/* The exit status. order: what the supervisor made; out: frames go there; wake: it is told. */
int eng_work(const eng_conf *, const vt_program *, const char *order, size_t n, int out, int wake);

#endif

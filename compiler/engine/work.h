/*
 * work.h - what a worker does: it runs the program of its host.
 */
#ifndef VC_ENGINE_WORK_H
#define VC_ENGINE_WORK_H

#include "compiler/engine/int.h"

#include "vt.h"

/* The exit status. The session is the caller's: a worker leaves it to the system, which takes
 * memory back faster.  order: what the supervisor made; out: frames go there; wake: it is told. */
int eng_work(vt_rt *, const eng_conf *, const char *order, size_t n, int out, int wake);

/* class_config.c: what the files say, for the session; VT_ERROR: a file cannot be read */
vt_status eng_class_configs(vt_rt *, const eng_conf *);

#endif

/*
 * tcc.c - what libtcc takes from libc by address, which a shared library cannot: see
 * libtcc-shared.a in GNUmakefile.
 *
 * libtcc wants stdout and stderr for what it prints (nothing here: errors go to a function) and
 * environ for running programs (never here).
 */
#include "compiler/libvetro/int.h"

#include <stdio.h>

extern FILE *lv_tcc_stdout, *lv_tcc_stderr;
extern char **lv_tcc_environ;
FILE *lv_tcc_stdout, *lv_tcc_stderr;
char **lv_tcc_environ;

static void __attribute__((constructor)) give_streams(void)
{
	lv_tcc_stdout = stdout;
	lv_tcc_stderr = stderr;
}

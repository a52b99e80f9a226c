/* cmd.h - what the commands share. */
#ifndef CMD_H
#define CMD_H

#include "vc.h"

/* --emit=tokens|yaml|ast: prints the stage of the sources; exit status as of the command. */
int cmd_emit_stage(const char *what, const char *const *sources, uint32_t n, const char *const *paths, uint32_t npaths);

/* The value of `-x V`, `--name V` or `--name=V` at argv[*i]; NULL: it is another option, or *missing is true. */
const char *cmd_option_value(const char *name, int argc, char **argv, int *i, bool *missing);

/* Tells what is wrong with the command line; arg, or NULL, is shown behind it. VC_EUSAGE. */
int cmd_usage(const char *command, const char *what, const char *arg);
double cmd_now(void); /* seconds of a clock that only goes on */

/*
 * The binary of the sources, made if it is not in the cache; argv is as for `run`, without what goes to the
 * program. NULL: *rc is the exit status; diagnostics are told either way. The text is c's.
 */
const char *cmd_cached_binary(vc *c, int argc, char **argv, int *rc);

#endif

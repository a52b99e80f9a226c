/* cmd.h - what the commands share. */
#ifndef CMD_H
#define CMD_H

#include "vc.h"

/* --emit=tokens|yaml|ast: prints the stage of the sources; exit status as of the command. */
int cmd_emit_stage(const char *what, const char *const *sources, uint32_t n, const char *const *paths, uint32_t npaths);

#endif

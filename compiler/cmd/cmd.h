/* cmd.h - what the commands share. */
#ifndef CMD_H
#define CMD_H

#include "compiler/base/vc.h"

/* --emit=tokens|yaml|ast: prints the stage of the sources; exit status as of the command. */
int cmd_emit_stage(const char *what, const char *const *sources, uint32_t n,
	const char *const *paths, uint32_t npaths);

/* The value of `-x V`, `--name V` or `--name=V` at argv[*i]; NULL: it is another option, or
 * *missing is true. */
const char *cmd_option_value(const char *name, int argc, char **argv, int *i, bool *missing);

/* Tells what is wrong with the command line; arg, or NULL, is shown behind it. VC_EUSAGE. */
int cmd_usage(const char *command, const char *what, const char *arg);
/* with what was likely meant, from the command's help */
int cmd_unknown_option(const char *command, const char *arg);
const char *cmd_help_text(const char *command);    /* main.c: its options; or NULL */
bool cmd_mebibytes(const char *text, size_t *mib); /* 1 to 1024; false: it is no such number */
/* text, json, sarif; false: it is none of these */
bool cmd_diag_format(const char *name, enum vc_diag_format *);
/* Calls for each line of standard input, without its end, as `--batch` has it. VC_OK. */
int cmd_each_line(void (*)(void *ctx, const char *line, size_t n), void *ctx);

bool cmd_jit(const char *name, enum vc_jit *); /* auto, memory, cc; false: it is none of these */

/* A program that is to run at once: in this process, or as a file. The name is the
 * compilation's. */
typedef struct cmd_program {
	const char *name;   /* what to call it */
	const char *binary; /* a file in the cache; or NULL: */
	vc_main_fn *main;
	vc_tcc *code; /* of main */
} cmd_program;
/* argv is as for `run`, without what goes to the program. false: *rc is the exit status;
 * diagnostics are told either way. */
bool cmd_make_program(vc *, int argc, char **argv, cmd_program *, int *rc);
/* The process becomes the program; the exit status when it cannot, which is told. */
int cmd_become(const cmd_program *, char **argv);
/* The same as a file in any case; NULL: *rc is the exit status. The text is the compilation's. */
const char *cmd_cached_binary(vc *c, int argc, char **argv, int *rc);
/* tosca/build.c: a service as C files, and what it is called. NULL: reported. */
typedef struct cmd_tosca_source {
	const char *const *files;
	uint32_t nfiles;
	const char *const *paths;
	uint32_t npaths; /* -I */
	const char *const *maps;
	uint32_t nmaps; /* --map */
	/* or NULL: gets the IR of the types, and no file is made */
	vt_buf *ir;
} cmd_tosca_source;
vc_cfile *cmd_tosca_translate(vc *, const cmd_tosca_source *, const char **name, uint32_t *n);

/* yay/build.c: a configuration, its layers in order, as C files. NULL: reported. paths: files and
 * folders that may be included. */
vc_cfile *cmd_yay_translate(vc *, const char *const *files, uint32_t nfiles,
	const char *const *paths, uint32_t npaths, const char *lua, bool lines, const char **name,
	uint32_t *n);

/* yay.c: everything that is wrong in a configuration, its layers in order, with the files it
 * includes. */
void cmd_check_yay(vc *, const char *const *files, uint32_t nfiles, const char *const *dirs,
	uint32_t ndirs, const char *const *lua, uint32_t nlua);

/* tosca.c: everything that can be said about a service without its inputs, reported to c. */
void cmd_check_tosca(vc *c, const char *path, const char *const *paths, uint32_t npaths,
	const char *const *maps, uint32_t nmaps);
/* A service drawn for Graphviz, also without its inputs. Exit status. */
int cmd_tosca_dot(vc *, const char *path);

#endif

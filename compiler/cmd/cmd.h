/* cmd.h - what the commands share: their options, and programs that are made and run. */
#ifndef CMD_H
#define CMD_H

#include "compiler/base/base.h"
#include "compiler/build/build.h"
#include "compiler/lsp/lsp.h"

#include "runtime/text/cli.h"

#include <signal.h>

/* The command line: a field for each row of options.def. */
typedef struct cmd_options {
	vt_cli_line line;
#define OPTION(kind, field, ...) VT_CLI_FIELD(kind, field);
#define ALSO(...)
#define HEADING(...)
#define EXCLUSIVE(...)
#define NEEDS(...)
#include "compiler/cmd/options.def"
} cmd_options;

/* The exit status, or VC_EUSAGE after vt_cli_usage(). */
#define GROUP(...)
#define COMMAND(function, ...) int function(cmd_options *);
#include "compiler/cmd/commands.def"

/* What a source is: by --kind, else by its name or by what is in it. */
bool cmd_is_yay(const cmd_options *, const char *path);
bool cmd_is_tosca(vc *, const cmd_options *, const char *path);

/* --emit=tokens|yaml|ast: prints the stage of the sources; exit status as of the command. */
int cmd_emit_stage(const cmd_options *);

/* A program that is to run at once: in this process, or as a file. The name is the
 * compilation's. */
typedef struct cmd_program {
	const char *name;   /* what to call it */
	const char *binary; /* a file in the cache; or NULL: */
	vc_main_fn *main;
	vc_tcc *code; /* of main */
} cmd_program;
/* Of the sources, with the options of `run`. false: *rc is the exit status; diagnostics are
 * reported either way. */
bool cmd_make_program(
	vc *, cmd_options *, const char *const *sources, uint32_t n, cmd_program *, int *rc);
/* The process becomes the program; the exit status when it cannot, which is reported. */
int cmd_become(const cmd_program *, char **argv);
/* The program as a file, built at -O2; NULL: *rc is the exit status. The text is the
 * compilation's. */
const char *cmd_cached_binary(
	vc *c, cmd_options *, const char *const *sources, uint32_t n, int *rc);
/* Makes the program of the sources and runs it with these arguments. */
int cmd_run_program(cmd_options *, const char *const *sources, uint32_t n, const char *const *args,
	uint32_t nargs);

/* check.c: what `vetro check` reports of the sources of the line, and what a file is to it. */
void cmd_check_all(vc *, const cmd_options *);
enum lsp_kind cmd_kind_of(vc *, const char *path, const cmd_options *);

/* yay.c: everything that is wrong in a configuration, its layers in order, with the files it
 * includes. */
void cmd_check_yay(vc *, const char *const *files, uint32_t nfiles, const cmd_options *);

/* tosca.c: everything that can be said about a service without its inputs, reported to c. */
void cmd_check_tosca(vc *c, const char *path, const cmd_options *);
/* A service drawn for Graphviz, also without its inputs. Exit status. */
/* How large a file may be, and that messages name the option. */
void cmd_limit_files(vc *, const cmd_options *);
int cmd_tosca_dot(vc *, const char *path);
/* The service as far as it is known without inputs, in a format of -f; not printed. */
int cmd_tosca_view(vc *, const char *path, const char *form, vt_buf *out);

/* wrapped.c: the service that a TOSCA.CSAR package wraps, or the source itself; NULL, reported: it
 * wraps none. The path and what it names are the compilation's. */
const char *cmd_unwrapped(vc *, const char *source);
/* The templates that the packages' classes are made of, by their own rules. */
void cmd_check_wrapped(vc *, const cmd_options *);

/* watch.c: runs the command again when a file changes that it is about, until a signal comes. */
int cmd_watch(cmd_options *, int (*command)(cmd_options *));
/* As if the signal, which is blocked, had not been held up; then the mask is that one. */
int cmd_die_of(int signal_number, const sigset_t *mask);

/* main.c: the tables. */
extern const vt_cli cmd_cli;

#endif

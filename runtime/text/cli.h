/*
 * cli.h - command lines from tables: parsing, usage, help, completion.
 *
 * A program has a table of commands and one of options. An option is a row and nothing else: the
 * row makes the field that holds its value (VT_CLI_FIELD), the parser fills that field, and help,
 * manual page and completion read the row. compiler/cmd/options.def shows the form of the tables.
 *
 * Options are `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`. Letters that take no value
 * may stand together: -rc. Behind `--` nothing is an option. The last flag, number or choice
 * counts. A text, file or directory may be given once, unless its kind is a list.
 */
#ifndef VT_CLI_H
#define VT_CLI_H

#include "runtime/core/base.h"
#include "runtime/text/report.h"

enum vt_cli_kind {
	VT_CLI_HEADING,   /* no option but a line of help: `about` */
	VT_CLI_EXCLUSIVE, /* no option: the first of `names` and any other exclude one another */
	VT_CLI_NEEDS,     /* no option: the first of `names` wants one of the others */
	VT_CLI_FLAG,
	VT_CLI_TEXT,
	VT_CLI_PATH,
	VT_CLI_DIR,
	VT_CLI_WORD,     /* one of `values`, as it was written */
	VT_CLI_CHOICE,   /* the same as a number from 0 on; -1: not given */
	VT_CLI_NUMBER,   /* whole; `values` are its limits: "1..1000", "1.." */
	VT_CLI_REAL,     /* the same with a fraction */
	VT_CLI_SWITCHES, /* -fNAME, -fno-NAME: clears, sets a bit; the last of `values` is all */
	VT_CLI_TEXTS,    /* and the next two: may be given again */
	VT_CLI_PATHS,
	VT_CLI_DIRS,
	VT_CLI_PAIRS, /* texts NAME=VALUE */
	VT_CLI_USES,  /* several options with one order; a metavariable "NAME TEXT" is two values */
	VT_CLI_MARKS, /* flags that say what the words behind them are: uses with `words` */
};

typedef struct vt_cli_option {
	enum vt_cli_kind kind;
	unsigned at;        /* of its field in the struct of options */
	const char *where;  /* commands: "build, run, graph fmt"; "graph" is all that begins so */
	const char *names;  /* "-o --output", as help shows them; of rules also "--emit=ir" */
	const char *meta;   /* of the value: "FILE" */
	const char *values; /* "json|yaml"; limits of a number; NULL: any */
	const char *dflt;   /* as it would be written; NULL: none */
	const char *about;
} vt_cli_option;

typedef struct vt_cli_list {
	const char **v;
	uint32_t n;
} vt_cli_list;
typedef struct vt_cli_use {
	const vt_cli_option *option;
	const char *text, *more; /* more: the second value */
	uint32_t words;          /* that stand before it */
} vt_cli_use;
typedef struct vt_cli_uses {
	vt_cli_use *v;
	uint32_t n;
} vt_cli_uses;

/* How kinds are declared: OPTION(FLAG, raw, ...) makes `bool raw;`. */
#define VT_CLI_FIELD(kind, name) VT_CLI_##kind##_T name
#define VT_CLI_FLAG_T bool
#define VT_CLI_TEXT_T const char *
#define VT_CLI_PATH_T const char *
#define VT_CLI_DIR_T const char *
#define VT_CLI_WORD_T const char *
#define VT_CLI_CHOICE_T int
#define VT_CLI_NUMBER_T uint64_t
#define VT_CLI_REAL_T double
#define VT_CLI_TEXTS_T vt_cli_list
#define VT_CLI_PATHS_T vt_cli_list
#define VT_CLI_DIRS_T vt_cli_list
#define VT_CLI_PAIRS_T vt_cli_list
#define VT_CLI_USES_T vt_cli_uses
#define VT_CLI_MARKS_T vt_cli_uses
#define VT_CLI_SWITCHES_T uint32_t

typedef struct vt_cli_command {
	/* Other names for it stand behind commas: "help,--help,-h". A name of two words is in a
	 * group, which has a row too, without args. "" is what a program does without a command. */
	const char *name;
	/* "SOURCE... [FILE]..." as usage shows it; lines are alternatives. How many there may be
	 * follows: what is not in [] has to be there. "json|yaml" is one of these. A line with an
	 * option holds when that is given; the one without, else. */
	const char *args;
	const char *about; /* one line; NULL: help does not show the command */
	const char *more;  /* paragraphs of help; NULL: none */
} vt_cli_command;

typedef struct vt_cli {
	const char *about, *notes; /* above and below the commands */
	const vt_cli_command *commands;
	const vt_cli_option *options;
	uint32_t ncommands, noptions;
} vt_cli;

/* What a struct of options begins with. */
typedef struct vt_cli_line {
	const char *self;    /* what the program is called */
	const char *version; /* what `--version` prints */
	const vt_cli *cli;
	const vt_cli_command *command;
	vt_cli_list words; /* arguments that are no options */
	uint32_t behind;   /* of these, the first that stood behind `--`; words.n: none */
	/* --memory MIB and --timeout SECONDS, where they are the process's; vt_cli_main() sets
	 * them */
	double memory, seconds;
	int colour; /* --color, which is set as well */
} vt_cli_line;

enum { VT_CLI_RUN = -1, VT_CLI_USAGE = 2 };
/* Fills the options, which are all zero but for `self` and `version`, and runs the command on a
 * stack of so many bytes, unless the line is wrong or asks for what all programs have.  The exit
 * status, which is 1 instead of 0 when not all that was printed came to where it should. */
int vt_cli_main(vt_cli_line *, const vt_cli *, int argc, char **argv, size_t stack,
	int (*run)(void *), void *arg);
const char *vt_cli_self(int argc, char **argv, const char *otherwise); /* argv[0] without folders */
/* Says what is wrong with the command line, and where help is. VT_CLI_USAGE. */
int vt_cli_usage(const vt_cli_line *, const char *fmt, ...) VT_PRINTF(2, 3);
/* A script that completes commands, to standard output. The exit status. */
int vt_cli_completion(const vt_cli_line *, const char *shell);
#define VT_CLI_SHELLS "bash|zsh|fish"
#define VT_CLI_INDENTS "0|1|2|3|4|5|6|7" /* of --indent */
#define VT_CLI_STATUSES \
	"Exit status: 0 done, 1 the run failed or its input has errors, 2 bad usage, 3 a fault " \
	"of vetro itself, 5 --memory is used up, 6 --timeout is over."
#define VT_CLI_MEMORY_ABOUT "what the process may use, and each one that it starts"
#define VT_CLI_TIMEOUT_ABOUT "gives up when it takes longer; a run ends as after SIGTERM"
#define VT_CLI_MEMORIES "1..1000000"
#define VT_CLI_TIMEOUTS "0.001..1000000"
/* The last commands of a table: vt_cli_main() runs them. */
#define VT_CLI_COMMON \
	{"help,--help,-h", "[COMMAND]...", "explains a command", NULL}, \
		{"completion", VT_CLI_SHELLS, "prints a script that completes commands", \
			"For bash or zsh, in ~/.bashrc or ~/.zshrc: eval \"$(PROGRAM completion " \
			"SHELL)\". For fish: PROGRAM completion fish > " \
			"~/.config/fish/completions/PROGRAM.fish."}, \
	{ \
		"--version,version,-V", "", "prints the version", NULL \
	}

/* ---- for those that read the tables ---- */

int vt_cli_help(const vt_cli_line *); /* `help [COMMAND]`: of the first word, or of all */

/* The next part of a list: *p moves behind it; an empty one is left out. False: there is none. */
bool vt_cli_part(const char **p, const char *separators, const char **part, size_t *n);
bool vt_cli_is_at(const vt_cli_option *, const vt_cli_command *);
bool vt_cli_is_option(const vt_cli_option *);
bool vt_cli_is_group(const vt_cli_command *);
bool vt_cli_is_in(const vt_cli_command *, const char *group, size_t n);
/* " build SOURCE... [option]..." and a line's end, for one alternative; *args begins as those of
 * the command. False: there are no more. */
bool vt_cli_put_usage(vt_buf *, const vt_cli *, const vt_cli_command *, const char **args);
/* "text, json or sarif" */
void vt_cli_put_values(vt_buf *, const char *values);
/* "--format=FORMAT": all names, and the value */
void vt_cli_put_names(vt_buf *, const vt_cli_option *);
/* What it is about, with values and default. */
void vt_cli_put_about(vt_buf *, const vt_cli_option *);

#endif

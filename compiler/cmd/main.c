/*
 * main.c - the commands: one row a command, which is all that dispatch and help know.
 *
 * The process never calls setlocale: text is UTF-8 and numbers have points everywhere.
 */
#include "compiler/cmd/cmd.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* NULL: not part of this version */
	const char *usage, *about;
	const char *options; /* lines of `help COMMAND`, or NULL */
} command;

static const char build_options[] =
	"  -o FILE          the binary; the last part of the package's name without it\n"
	"  -O0, -O1, -O2    how hard the C compiler tries\n"
	"  -g               debugger information: gdb shows the YAML\n"
	"  -fno-NAME        leave out the optimisation NAME (fuse, direct, joins, records, calls,\n"
	"                   borrow, flow, arith, grow, local, bind, unbox, int-method, terms, "
	"subset,\n"
	"                   yay-fold, yay-code), -fno-passes all of them\n"
	"  --no-cache       compile every file again, and keep no object\n"
	"  --static         everything in one file, libraries for a cloud too (make static-deps), "
	"or an error\n"
	"  --shared         a shared object for programs in C (vetro_program.h) instead of a "
	"binary\n"
	"  --with-yay       the binary reads models and inputs in Yay too\n"
	"  --emit-c DIR     keep the C files in DIR\n"
	"  --emit=STAGE     print tokens, yaml, ast, ir or c instead of building\n"
	"  --after=NAME     with --emit=ir: what the optimisation NAME did, as comments; "
	"--before=NAME: without it\n"
	"  --from=ir        SOURCE is IR text\n"
	"  -I PACKAGE       where required packages are: a package, its .zip, or a directory of "
	"them\n"
	"  --lua FILE       host functions in Lua, put into the binary\n"
	"  --kind=KIND      muranopl, tosca or yay, where the content is not to decide\n"
	"  --map URL=PATH   the file that a TOSCA import of the URL (or profile, or of what is "
	"below the URL) means\n"
	"  --max-resources=MIB  how much embedded files (a package's Resources, a service's "
	"scripts) may be together; 16\n"
	"  -v, --verbose    print what is run and how long it takes\n";

static const char run_options[] = "ARGS are those of the binary that `vetro build` would make: run "
				  "--model FILE, session, info...\n\n"
				  "  --jit=WAY        memory: libtcc compiles into this process; "
				  "cc: the C compiler makes a binary, which is kept in the\n"
				  "                   cache and executed; auto (without it): "
				  "memory, or cc where the system lets no memory become\n"
				  "                   executable or an option asks for it\n"
				  "  -O0, -O1, -O2    cc, and how hard it tries\n"
				  "  -g               cc, with debugger information\n"
				  "  --static         cc, everything in one file\n"
				  "  --no-cache       compile every file again, and keep nothing\n"
				  "  -fno-NAME, -I PACKAGE, --lua FILE, --kind=KIND, --map "
				  "URL=PATH, --emit-c DIR, --from=ir, --max-resources=MIB,\n"
				  "  -v               as of build\n";

static const char check_options[] =
	"  -I PACKAGE       where required packages are: a package, its .zip, or a directory of "
	"them\n"
	"  --format=FORMAT  text (on standard error), json (one object a line) or sarif\n"
	"  --emit=STAGE     print tokens, yaml or ast of the sources; a lone YAML file will do\n"
	"  -Werror          warnings count as errors\n"
	"  --lua FILE       class bindings of a Yay configuration, whose FILEs are layers\n"
	"  --kind=KIND      muranopl, tosca or yay, where the content is not to decide\n"
	"  --map URL=PATH   the file that a TOSCA import of the URL (or profile, or of what is "
	"below the URL) means\n"
	"  --max-errors=N   how many are shown; 100\n"
	"  --max-depth=N    how deep YAML and expressions may nest; 200\n";

static const char tosca_options[] =
	"FILE is a template (.yaml, or - for standard input), a CSAR (.csar or .zip) or a "
	"directory with the files of one.\n"
	"The first FILE is the service; nodes that others may substitute are substituted by the "
	"others.\n\n"
	"  --input NAME=VALUE   an input; VALUE is YAML\n"
	"  --inputs FILE        a map of inputs in YAML or JSON\n"
	"  -f FORMAT            topology (JSON), clout, mugl, yaml (the topology in YAML) or dot\n"
	"  --list               print the inputs and outputs that the service declares instead\n"
	"  --service FILE       one more service that may substitute; as another FILE\n"
	"  -I DIR               where imported profiles and repositories are: any directory above "
	"them\n"
	"  --map URL=PATH       the file that an import of the URL (or profile, or of what is "
	"below the URL) means\n"
	"  -c, -p               JSON in one line, in many lines; many on a terminal only\n"
	"  --format=FORMAT      problems as text, json (one object a line) or sarif, on standard "
	"error\n"
	"  -Werror              warnings count as errors\n"
	"  --max-errors=N       how many are shown; 100\n"
	"  --max-depth=N        how deep YAML may nest; 200\n"
	"  --max-yaml-nodes=N   of one document, with aliases expanded; 2000000\n"
	"  --max-nodes=N        nodes of the topology; 1000000\n"
	"  --max-nesting=N      how deep values and function calls may nest; 500\n"
	"  --max-steps=N        expressions that are evaluated; 1000000000\n";

static const char yay_options[] =
	"Several FILEs are layers, of which a later one wins. - is standard input.\n\n"
	"  --select PATH        a part of it, as network.proxies[0].host; the rest is not looked "
	"at\n"
	"  --as TYPE            int, float, number, bool, string, list, iterable, dict, keys, "
	"labels or type\n"
	"  --default VALUE      what to print when the part is not defined\n"
	"  --expression EXPR    the value of an expression instead\n"
	"  --set PATH=VALUE     an override; VALUE is JSON or else a text\n"
	"  --lua FILE           class bindings in Lua: functions that take the parameters and give "
	"the members\n"
	"  --search DIR         where included files are, besides yay.searchpath\n"
	"  -f FORMAT            json, yaml, mugl (a graph, for `vetro graph diff`), or dot for "
	"Graphviz; `vetro yay dot FILE` is the latter\n"
	"  -c, -r               JSON in one line; a text without quotes\n"
	"  --show-secrets       print what encrypted files hold, which is masked otherwise\n"
	"  --gpg PROGRAM        what decrypts .gpg files; gpg\n"
	"  --gpg-timeout=N      seconds that it may take; 120\n"
	"  --mem NAME=TEXT      what mem://NAME includes\n"
	"  --offline            included URLs are taken from the copies of the last time; "
	"--no-cache keeps none\n"
	"  --http-timeout=N     seconds that a URL may take; 60\n"
	"  --cacert FILE        authorities to trust instead of the machine's\n"
	"  --emit=STAGE         print tokens, ast or folded (ast with its constants worked out) of "
	"FILE\n"
	"  --format=FORMAT      problems as text, json (one object a line) or sarif, on standard "
	"error\n"
	"  --max-steps=N        rows that are evaluated; 50000000\n"
	"  --max-places=N       places of the graph, and parts of what is printed; 20000000\n"
	"  --max-documents=N    included documents; 10000\n"
	"  --max-text=MIB       of one text; 64\n"
	"  --batch              JSON lines in, JSON lines out: docs/yay.md\n";

static const char bench_options[] =
	"A package runs with a model, built at -O2, beside murano 14.0.0; an expression (--query) "
	"beside python yaql and, with --jq, jq\n"
	"and gojq; a TOSCA service beside tosca-parser; a .yay configuration alone. Who is not "
	"installed is left out with a line.\n"
	"Results, and of a package the model after the call, are compared before a time counts.\n\n"
	"  --model FILE     the object model that each run loads anew\n"
	"  --call METHOD    the public method that is called; deploy\n"
	"  --object ID      the object whose method it is; the root\n"
	"  --args JSON      its arguments: an object by name, or an array in order\n"
	"  -n N             calls in one run; 1. For a method that is over in no time\n"
	"  --query EXPR     measures the expression over the document of FILE, which is in memory\n"
	"  --jq PROGRAM     what jq is to be given for the same\n"
	"  --legacy         the older dialect of expressions\n"
	"  --time SECONDS   what a contestant may take in a round; 0.3. At least one run is made\n"
	"  --rounds N       in each of which everybody has a turn; 3. The median counts\n"
	"  --timeout SECONDS  after which a contestant is given up; 120\n"
	"  --json           the figures as an array, as `make bench` writes them\n"
	"  -I PACKAGE       where required packages are: a package, its .zip, or a directory of "
	"them\n"
	"  --lua FILE       host functions in Lua\n"
	"  --kind=KIND      muranopl, tosca or yay, where the content is not to decide\n"
	"  -v, --verbose    tell how long the build took\n";

static const char test_options[] =
	"  PATTERN          runs only what it names: a method, a class, or CLASS.METHOD; * and ? "
	"as in a "
	"shell\n"
	"  --only PATTERN   the same, for one that is also the name of a file\n"
	"  -j N             tests that run at a time; the number of processors\n"
	"  --timeout N      seconds that one test may take; 60, 0 for no limit\n"
	"  --format=FORMAT  tap (for prove and its like) or junit\n"
	"  --list           tells the tests and runs none\n"
	"  --config FILE    JSON: values of Config properties by class\n"
	"  --virtual-time   sleep() takes no time\n"
	"  -I PACKAGE       where required packages are: a package, its .zip, or a directory of "
	"them\n"
	"  --lua FILE       host functions in Lua\n"
	"  --jit=WAY        as of run\n"
	"  --max-resources=MIB  how much a package's Resources may be; 16\n"
	"  -v, --verbose    tell how long each test took\n";

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const command commands[] = {
	{"build", cmd_build,
		"build SOURCE... [-o FILE] [-O0|-O1|-O2] [-g] [--shared] [--static] [--emit-c DIR] "
		"[-I PACKAGE]... "
		"[--lua FILE]... [--with-yay]",
		"makes a binary of a MuranoPL package, a TOSCA service or a Yay configuration",
		build_options},
	{"run", cmd_run, "run SOURCE... [-- ARGS]",
		"translates and runs at once, in memory where that can be", run_options},
	{"check", cmd_check, "check SOURCE... [-I PACKAGE]... [--format text|json|sarif]",
		"reports every error of a package, a TOSCA service or a Yay configuration",
		check_options},
	{"query", cmd_query,
		"query EXPR [FILE]... [--legacy] [--options JSON] [--lua FILE] [-r] [-c]",
		"evaluates YAQL over JSON and YAML documents", NULL},
	{"yay", cmd_yay,
		"yay FILE... [--select PATH] [--as TYPE] [-f json|yaml|mugl|dot] [--search DIR]... "
		"[--set PATH=VALUE]... | --batch",
		"evaluates a Yay configuration", yay_options},
	{"tosca", cmd_tosca,
		"tosca FILE... [--input NAME=VALUE]... [--inputs FILE]... [-f "
		"topology|clout|mugl|yaml|dot] [--list] [-I DIR]... [--map URL=PATH]...",
		"resolves a TOSCA service template", tosca_options},
	{"graph", cmd_graph, "graph check|fmt|diff|dot|repair|snapshot|replay FILE... | --batch",
		"works on MuGL graphs", NULL},
	{"schema", cmd_schema, "schema SOURCE CLASS [METHOD...] [-I PACKAGE]... [--lua FILE]...",
		"prints the JSON schema of a MuranoPL class",
		"CLASS and, when no METHOD is named, its model builders; '' as METHOD is the class "
		"itself.\n\n"
		"  -I PACKAGE       where required packages are: a package, its .zip, or a "
		"directory of them\n"
		"  --lua FILE       host functions in Lua\n"
		"  --jit=WAY        as of run\n"},
	{"test", cmd_test,
		"test SOURCE... [PATTERN]... [-j N] [--timeout SECONDS] [--format tap|junit] [-I "
		"PACKAGE]... [--lua FILE]...",
		"runs a package's TestFixture classes", test_options},
	{"bench", cmd_bench,
		"bench SOURCE... --model FILE [--call METHOD] [--object ID] [--args JSON] [-n N] "
		"[--time SECONDS] [--json]\n"
		"vetro bench --query EXPR FILE [--jq PROGRAM]",
		"measures a package or an expression beside what else runs it", bench_options},
	{"explain", cmd_explain, "explain [CODE]", "tells about a diagnostic, or lists them all",
		NULL},
	{"help", cmd_help, "help [COMMAND]", "tells about a command", NULL},
	{"--version", cmd_version, "--version", "prints the version", NULL},
};

static bool
asks(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-h");
}

static const command *
find(const char *name)
{
	if (asks(name))
		name = "help";
	else if (!strcmp(name, "version") || !strcmp(name, "-V"))
		name = "--version";
	for (size_t i = 0; i < VC_LEN(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int
unknown(const char *name)
{
	const char *names[VC_LEN(commands)];
	for (size_t i = 0; i < VC_LEN(commands); i++)
		names[i] = commands[i].name;
	const char *near = vc_nearest(name, names, VC_LEN(names));
	vt_buf b = {0};
	vt_buf_puts(&b, "vetro: there is no command ");
	vc_put_printable(&b, name, strlen(name));
	vt_buf_printf(
		&b, near ? "\nhint: did you mean '%s'?\n" : "\nhint: see 'vetro help'\n", near);
	fwrite(b.p, 1, b.n, stderr);
	vt_buf_free(&b);
	return VC_EUSAGE;
}

static int
absent(const command *k)
{
	fprintf(stderr,
		"vetro: the command %s is not part of this version\nhint: 'vetro help' lists what "
		"is\n",
		k->name);
	return VC_EUSAGE;
}

static void
usage(FILE *f)
{
	fputs("vetro translates MuranoPL packages, TOSCA services, Yay configurations and YAQL "
	      "expressions to C and to standalone\n"
	      "binaries.\n\nusage:\n",
		f);
	for (size_t i = 0; i < VC_LEN(commands); i++)
		if (commands[i].run)
			fprintf(f, "  vetro %-10s %s\n", commands[i].name, commands[i].about);
	fputs("\n'vetro help COMMAND' tells more. SOURCE is a MuranoPL package (a directory with "
	      "manifest.yaml, or its .zip), a TOSCA\n"
	      "service (a .yaml, a .csar or a directory with the files of one) or a .yay file.\n"
	      "Exit status: 0 done, 1 errors in the input, 2 bad usage, 3 a fault of vetro, 4 the "
	      "C compiler failed.\n",
		f);
}

static int
cmd_help(int argc, char **argv)
{
	if (argc < 2)
		return usage(stdout), VC_OK;
	const command *k = find(argv[1]);
	if (!k)
		return unknown(argv[1]);
	if (k->run == cmd_query)
		return cmd_query(2, (char *[]){"query", "--help", NULL});
	if (k->run == cmd_graph)
		return cmd_graph(2, (char *[]){"graph", "--help", NULL});
	printf("vetro %s\n\n%s%s\n", k->usage, k->about,
		k->run ? "" : " (not part of this version)");
	if (k->options)
		printf("\n%s", k->options);
	return VC_OK;
}

static int
cmd_version(int argc, char **argv)
{
	puts("vetro " VETRO_VERSION);
	return VC_OK;
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || (i == 2 && asks(argv[i])))
			return true;
	return false;
}

const char *
cmd_help_text(const char *name)
{
	const command *k = find(name);
	size_t n;

	if (k && k->options == NULL && (k->run == cmd_query || k->run == cmd_graph))
		return vc_asset(k->run == cmd_query ? "query.txt" : "graph.txt", &n);
	return k ? k->options : NULL;
}

/* What was printed has come to where it should. */
static int
all_written(int rc)
{
	bool lost = ferror(stdout);

	errno = 0;
	if (fflush(stdout) == 0 && !lost)
		return rc;
	fprintf(stderr, "vetro: cannot write to standard output%s%s\n", errno ? ": " : "",
		errno ? strerror(errno) : "");
	return rc ? rc : VC_EINPUT;
}

int
main(int argc, char **argv)
{
#ifdef __GLIBC__
	/* Tables that grow move their pages and leave no holes; else glibc raises this with each
	 * that is freed. */
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
	signal(SIGCHLD, SIG_DFL); /* where it is ignored, nobody learns how a compiler ended */
	if (argc < 2) {
		usage(stderr);
		return VC_EUSAGE;
	}
	const command *k = find(argv[1]);
	if (!k)
		return unknown(argv[1]);
	if (k->run != cmd_help && asks_for_help(argc, argv))
		return all_written(cmd_help(2, argv));
	if (!k->run)
		return absent(k);
	return all_written(k->run(argc - 1, argv + 1));
}

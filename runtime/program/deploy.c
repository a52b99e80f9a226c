/*
 * deploy.c - main() of a deploy binary: its commands, options and exit statuses (CLI.md).
 *
 * 0 done, 1 the input has errors or the run failed, 2 bad usage, 3 a fault of vetro itself. Results
 * go to standard output or to --output, which is written beside its place and renamed, so that a
 * reader never sees half of it; everything else goes to standard error.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/mugl/mugl.h"
#include "runtime/text/outfile.h"
#include "runtime/program/exception.h"
#include "runtime/program/serve.h"
#include "runtime/yay/api.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/program/program.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Only a program with a class that needs a cloud has it, or `vetro run`, which has everything. */
#pragma weak vt_yaml_read
#pragma weak vt_settings_environment

enum { DONE = 0, FAILED = 1, USAGE = 2, FAULT = 3 };
enum { MAX_WORDS = 64, STACK_BYTES = 64 << 20 };
static const size_t file_limit = (size_t)1 << 30;

enum option {
	O_MODEL,
	O_CALL,
	O_OBJECT,
	O_ARGS,
	O_OUTPUT,
	O_SNAPSHOT,
	O_DRY_RUN,
	O_SCENARIO,
	O_EXPOSE,
	O_LISTEN,
	O_VIRTUAL_TIME,
	O_LUA_STEPS,
	O_LUA_MEMORY,
	O_CONFIG,
	O_REPORT,
	O_DIFF,
	O_FORMAT,
	O_EXIT_CODE,
	O_SETTINGS,
	O_PROGRESS,
	O_REPEAT,
	O_SECONDS,
	O_COUNT
};
static const struct {
	const char *name;
	bool flag;
} options[O_COUNT] = {
	[O_MODEL] = {"--model", false},
	[O_CALL] = {"--call", false},
	[O_OBJECT] = {"--object", false},
	[O_ARGS] = {"--args", false},
	[O_OUTPUT] = {"--output", false},
	[O_SNAPSHOT] = {"--snapshot", false},
	[O_DRY_RUN] = {"--dry-run", true},
	[O_SCENARIO] = {"--scenario", false},
	[O_EXPOSE] = {"--expose", false},
	[O_LISTEN] = {"--listen", false},
	[O_VIRTUAL_TIME] = {"--virtual-time", true},
	[O_LUA_STEPS] = {"--lua-steps", false},
	[O_LUA_MEMORY] = {"--lua-memory", false},
	[O_CONFIG] = {"--config", false},
	[O_REPORT] = {"--report-fd", false},
	[O_DIFF] = {"--diff", true},
	[O_FORMAT] = {"-f", false},
	[O_EXIT_CODE] = {"--exit-code", true},
	[O_SETTINGS] = {"--settings", false},
	[O_PROGRESS] = {"--progress", true},
	[O_REPEAT] = {"--repeat", false},
	[O_SECONDS] = {"--seconds", false},
};
#define BIT(o) (1u << (o))
#define RUNNING (BIT(O_VIRTUAL_TIME) | BIT(O_LUA_STEPS) | BIT(O_LUA_MEMORY))
/* What may reach for a cloud. */
#define HOSTED (BIT(O_DRY_RUN) | BIT(O_SCENARIO) | BIT(O_SETTINGS) | BIT(O_PROGRESS))

struct cli {
	const vt_program *program;
	const char *self;            /* argv[0] */
	const char *option[O_COUNT]; /* NULL: not given */
	const char *word[MAX_WORDS];
	int nwords;
	mugl *before; /* --diff: the model as it was loaded; or NULL */
	mugl *marks;  /* the snapshot that was the model, where it has taint or protect; or NULL */
	bool simulated; /* without being asked: tests */
	bool asks;      /* --help behind a command */
	bool resumes;   /* --snapshot holds what an interrupted run left */
};

/* ---- help ---- */

static void
usage(FILE *f, const char *self)
{
	fprintf(f,
		"usage: %s run --model FILE [--call METHOD] [--object ID] [--args JSON] [--output "
		"FILE]\n"
		"           [--snapshot FILE] [--diff [-f text|json]] [--dry-run [--scenario "
		"FILE]]\n"
		"       %s diff OLD NEW [-f text|json] [--exit-code] [--output FILE]\n"
		"       %s session [--expose PATTERN] [--snapshot FILE]\n"
		"       %s call CLASS METHOD [--args JSON] [--output FILE]\n"
		"       %s schema CLASS [METHOD...] [--output FILE]\n"
		"       %s serve [--listen ADDRESS:PORT]\n"
		"       %s info | help | --version\n",
		self, self, self, self, self, self, self);
}

static const char help_text[] =
	"\n"
	"run       loads the object model (FILE, or - for standard input), calls METHOD (deploy) "
	"on the root\n"
	"          object or on ID, and prints {\"result\": ..., \"model\": ...}; FILE may be a "
	"snapshot, or,\n"
	"          where the program was built --with-yay, Yay\n"
	"diff      tells what makes model or snapshot OLD into NEW; --exit-code: 1 when they "
	"differ\n"
	"session   answers requests in JSON lines; PATTERN names methods that may be called from "
	"outside\n"
	"          although they are not public\n"
	"call      calls a public static method and prints its result\n"
	"schema    prints the JSON schemas of a class ('') and its model builders, or of METHODs\n"
	"serve     answers HTTP on ADDRESS:PORT (127.0.0.1:8080): schemas, public static methods, "
	"a "
	"page with forms\n"
	"time      runs again and again for --seconds N (0.3), --repeat N calls each time, and "
	"prints how long it took:\n"
	"          see `vetro bench`\n"
	"test      lists the tests of this program; with CLASS METHOD runs one: see `vetro test`\n"
	"info      prints the packages and classes of this program\n"
	"\n"
	"--snapshot FILE: the objects after the run, or after each call of a session, failed or "
	"not, "
	"as a\n"
	"          MuGL snapshot that is replaced as a whole. It holds every property as it is: "
	"keep it "
	"private.\n"
	"--diff tells on standard error what the run changed, with -f json in the answer as "
	"\"diff\".\n"
	"--dry-run: nothing outside is touched; a simulated cloud answers, and the answer has "
	"\"effects\".\n"
	"          --scenario FILE scripts its failures. --settings FILE: what hosts need to know, "
	"as JSON or YAML.\n"
	"          --progress tells on standard error what is done. run, session, call, serve and "
	"test take them.\n"
	"--args is a JSON object of arguments by name, or an array of arguments in order.\n"
	"--virtual-time: sleep() takes no time; a clock of the program's own jumps ahead instead.\n"
	"--lua-steps N and --lua-memory BYTES limit what one call of a host function may use.\n"
	"Exit status: 0 done, 1 the run failed or its input has errors, 2 bad usage, 3 a fault of "
	"vetro itself.\n";

/* What was printed has come to where it should. */
static int
flushed(const struct cli *c)
{
	if (fflush(stdout) == 0)
		return DONE;
	vt_say("%s: standard output: %s\n", c->self, strerror(errno));
	return FAILED;
}

static int
cmd_help(struct cli *c)
{
	usage(stdout, c->self);
	fputs(help_text, stdout);
	return flushed(c);
}

static int
bad_usage(struct cli *c, const char *what, const char *which)
{
	vt_say("%s: %s%s%s\n", c->self, what, which ? " " : "", which ? which : "");
	usage(stderr, c->self);
	return USAGE;
}

/* ---- files ---- */

static bool
read_file(struct cli *c, const char *path, vt_buf *b)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	bool ok = vt_read_all(f, file_limit, b);
	int why = errno;
	if (f != NULL && f != stdin)
		fclose(f);
	if (!ok)
		vt_say("%s: %s: %s\n", c->self, path, strerror(why));
	return ok;
}

enum { MODEL_PIECE = 256 << 10 }; /* of a model's text; the whole may have gigabytes */

/* The answer of a command, with a line's end. What shows objects is private: nobody knows which
 * properties are passwords. */
static bool
put_output(struct cli *c, vt_buf *b, unsigned flags)
{
	vt_buf_putc(b, '\n');
	return vt_put_output(c->self, c->option[O_OUTPUT], b, flags);
}

/* ---- the session of a command ---- */

static bool
number_option(struct cli *c, enum option o, uint64_t *out)
{
	const char *s = c->option[o];
	char *end;
	if (s == NULL)
		return true;
	errno = 0;
	*out = strtoull(s, &end, 10);
	if (s[0] < '0' || s[0] > '9' || *end != '\0' || errno != 0 || *out == 0) {
		bad_usage(c, "not a positive number:", s);
		return false;
	}
	return true;
}

static bool
read_json(struct cli *c, vt_rt *rt, const char *text, size_t n, const char *where, vt_value *out)
{
	char *err = NULL;
	if (vt_json_read(rt, text ? text : "", n, VT_JSON_MUTABLE, 0, out, &err))
		return true;
	vt_say("%s: %s: %s\n", c->self, where, err);
	free(err);
	return false;
}

/* --settings and --scenario: an object of the file's JSON, or YAML where its name says so. */
static bool
read_object(struct cli *c, vt_rt *rt, const char *path, vt_buf *text, vt_value *out)
{
	size_t n = strlen(path);
	bool yaml = (n > 5 && strcmp(path + n - 5, ".yaml") == 0) ||
		    (n > 4 && strcmp(path + n - 4, ".yml") == 0);
	char *err = NULL;
	if (!read_file(c, path, text))
		return false;
	if (yaml && (c->program->nnatives == 0 || &vt_yaml_read == NULL)) {
		vt_say("%s: %s: this program reaches for no cloud and reads no YAML; JSON will "
		       "do\n",
			c->self, path);
		return false;
	}
	if (yaml && !vt_yaml_read(rt, text->p ? text->p : "", text->n, out, &err)) {
		vt_say("%s: %s: %s\n", c->self, path, err);
		free(err);
		return false;
	}
	if (!yaml && !read_json(c, rt, text->p, text->n, path, out))
		return false;
	if (vt_is(*out, DICT))
		return true;
	vt_say("%s: %s: an object is expected: {...}\n", c->self, path);
	return false;
}

/* {group: {name: value}}, as murano.conf has them. */
static bool
read_settings(struct cli *c, vt_rt *rt)
{
	const char *path = c->option[O_SETTINGS];
	vt_buf text = {0};
	vt_value v = VT_UNDEF, key, group;
	char *err = NULL;
	bool ok = path == NULL || read_object(c, rt, path, &text, &v);
	for (uint32_t i = 0; ok && path != NULL && vt_dict_at(vt_as_dict(v), &i, &key, &group);)
		if (!vt_is(group, DICT)) {
			vt_say("%s: %s: %s is no group of settings: {\"%s\": {name: value}} is "
			       "expected\n",
				c->self, path, vt_as_str(key)->s, vt_as_str(key)->s);
			ok = false;
		}
	if (ok && path != NULL && c->program->nnatives > 0 && &vt_settings_check != NULL &&
		!vt_settings_check(text.p ? text.p : "", text.n, v, &err)) {
		vt_say("%s: %s:%s\n", c->self, path, err);
		free(err);
		ok = false;
	}
	vt_buf_free(&text);
	if (ok && path != NULL)
		vt_move(&rt->s->settings, v);
	else
		vt_release(v);
	return ok;
}

/* Only a program that reaches for a cloud has the function. */
static bool
read_environment(struct cli *c, vt_rt *rt)
{
	if (c->program->nnatives == 0 || &vt_settings_environment == NULL ||
		vt_settings_environment(rt) == VT_OK)
		return true;
	vt_say("%s: %s\n", c->self, vt_as_str(vt_pending(rt)->message)->s);
	vt_exc_clear(rt);
	return false;
}

static bool
read_scenario(struct cli *c, vt_rt *rt)
{
	const char *path = c->option[O_SCENARIO];
	vt_buf text = {0};
	vt_value v = VT_UNDEF;
	char *err = NULL;
	bool ok = path == NULL || read_object(c, rt, path, &text, &v);
	if (ok && path != NULL && &vt_scenario_check != NULL &&
		!vt_scenario_check(text.p ? text.p : "", text.n, v, &err)) {
		vt_say("%s: %s:%s\n", c->self, path, err);
		free(err);
		ok = false;
	}
	vt_buf_free(&text);
	if (ok && path != NULL)
		vt_move(&rt->s->scenario, v);
	else
		vt_release(v);
	return ok;
}

/* NULL: *rc says why not. */
static vt_rt *
open_session(struct cli *c, int *rc)
{
	vt_rt *rt = vt_rt_new(c->program);
	char *err = NULL;
	*rc = USAGE;
	rt->s->expose = c->option[O_EXPOSE];
	rt->s->dry_run =
		c->simulated || c->option[O_DRY_RUN] != NULL || c->option[O_SCENARIO] != NULL;
	rt->s->progress = c->option[O_PROGRESS] != NULL;
	vt_virtual_time(rt, (rt->s->dry_run && !c->simulated) || c->option[O_VIRTUAL_TIME] != NULL);
	if (!read_settings(c, rt) || !read_environment(c, rt) || !read_scenario(c, rt)) {
		vt_rt_free(rt);
		*rc = FAILED;
		return NULL;
	}
	if (!number_option(c, O_LUA_STEPS, &rt->s->lua_steps) ||
		!number_option(c, O_LUA_MEMORY, &rt->s->lua_memory)) {
		vt_rt_free(rt);
		return NULL;
	}
	if (c->program->lua != NULL && !vt_lua_load_files(rt, c->program->lua, &err)) {
		vt_say("%s: %s\n", c->self, err);
		free(err);
		vt_rt_free(rt);
		*rc = FAILED;
		return NULL;
	}
	return rt;
}

/* ---- snapshots ---- */

static const char *
shown_path(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* NULL: told. The graph needs the text. */
static mugl *
read_snapshot(const char *path, const vt_buf *text)
{
	mugl_options options = {.snapshot = true, .max_depth = 1000};
	mugl_problems bad = {0};
	mugl *g = mugl_read(text->p ? text->p : "", text->n, &options, &bad);
	mugl_problems_print(&bad, shown_path(path), text->p, text->n, stderr);
	if (bad.errors > 0) {
		mugl_free(g);
		g = NULL;
	}
	mugl_problems_free(&bad);
	return g;
}

static bool
is_named_mugl(const char *path)
{
	size_t n = strlen(path);
	return n > 5 && strcmp(path + n - 5, ".mugl") == 0;
}

/* The reader opens the file itself, but for standard input. */
static bool
read_yay(struct cli *c, vt_rt *rt, const char *path, const vt_buf *text, vt_value *model)
{
	char *why = NULL;
	if (&vt_yay_reader == NULL)
		vt_say("%s: %s: " VT_YAY_NO_READER "\n", c->self, path);
	else if (vt_yay_reader.model(rt, path, text->p ? text->p : "", text->n, model, &why))
		return true;
	else
		vt_say("%s: %s\n", c->self, why);
	free(why);
	return false;
}

/* One of both: *g of a snapshot, *model of any other JSON, or of Yay. False: told. */
static bool
read_model_or_snapshot(
	struct cli *c, vt_rt *rt, const char *path, vt_buf *text, vt_value *model, mugl **g)
{
	*g = NULL;
	if (vt_yay_is_named(path))
		return read_yay(c, rt, path, text, model);
	if (!read_file(c, path, text))
		return false;
	if (vt_yay_is_begun(path, text->p ? text->p : "", text->n))
		return read_yay(c, rt, path, text, model);
	if (!is_named_mugl(path)) {
		if (!read_json(c, rt, text->p, text->n, path, model))
			return false;
		if (!mugl_looks_like(*model))
			return true;
		vt_release(*model);
		*model = VT_UNDEF;
	}
	*g = read_snapshot(path, text);
	return *g != NULL;
}

static bool
read_model(struct cli *c, vt_rt *rt, const char *path, vt_value *model)
{
	vt_buf text = {0};
	mugl *g;
	bool ok = read_model_or_snapshot(c, rt, path, &text, model, &g);
	if (ok && g != NULL && mugl_to_model(rt, g, model) != VT_OK) {
		vt_exception_print(c->self, shown_path(path), NULL, vt_pending(rt));
		vt_exc_clear(rt);
		ok = false;
	}
	if (ok && g != NULL && mugl_has_flags(g) && (c->option[O_SNAPSHOT] || c->option[O_DIFF]))
		c->marks = mugl_clone(g);
	mugl_free(g);
	vt_buf_free(&text);
	return ok;
}

/* What there is to write has the marks of what was read. */
static bool
mark(const struct cli *c, mugl *g, mugl_problems *bad)
{
	if (c->marks == NULL)
		return true;
	mugl_carry_flags(c->marks, g);
	return bad == NULL || mugl_flags_allow(c->marks, g, bad);
}

static bool
save_snapshot(const char *path, const mugl *g)
{
	mugl_problems bad = {0};
	vt_buf b = {0};
	bool ok = mugl_write(g, MUGL_DIGEST, &b, &bad);
	vt_interrupt_block(true);
	if (ok && vt_is_special(path) && !(ok = vt_write_special(path, b.p, b.n)))
		vt_say("%s: %s\n", path, strerror(errno));
	else if (ok && !vt_is_special(path))
		ok = mugl_replace_file(path, b.p, b.n, &bad);
	vt_interrupt_block(false);
	mugl_problems_print(&bad, path, NULL, 0, stderr);
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	return ok;
}

static bool
may_colour(int fd)
{
	const char *no = getenv("NO_COLOR");
	return isatty(fd) && !(no && *no);
}

static bool
is_json_format(const struct cli *c)
{
	return c->option[O_FORMAT] != NULL && strcmp(c->option[O_FORMAT], "json") == 0;
}

static bool
good_format(struct cli *c)
{
	const char *f = c->option[O_FORMAT];
	if (f == NULL || strcmp(f, "json") == 0 || strcmp(f, "text") == 0)
		return true;
	bad_usage(c, "-f knows text and json, not", f);
	return false;
}

static void
put_changes(struct cli *c, const mugl *after, vt_buf *answer)
{
	mugl_plan *plan = mugl_diff_by_id(c->before, after, false);
	vt_buf text = {0};
	if (is_json_format(c)) {
		vt_buf_puts(answer, ",\"diff\":");
		mugl_plan_json(plan, answer);
	} else {
		mugl_plan_text(plan, &text, may_colour(STDERR_FILENO));
		fwrite(text.p, 1, text.n, stderr);
		vt_buf_free(&text);
	}
	mugl_plan_free(plan);
}

/* The objects as they are now: --snapshot and --diff. */
static bool
keep_snapshot(struct cli *c, vt_rt *rt, vt_buf *answer)
{
	mugl_problems bad = {0};
	mugl *g;
	bool ok;
	if (c->option[O_SNAPSHOT] == NULL && c->before == NULL)
		return true;
	g = mugl_from_model(rt, rt->s->root);
	if (g == NULL) {
		vt_exception_print(c->self, NULL, "no snapshot", vt_pending(rt));
		vt_exc_clear(rt);
		return false;
	}
	ok = mark(c, g, &bad);
	mugl_problems_print(&bad, c->option[O_MODEL], NULL, 0, stderr);
	mugl_problems_free(&bad);
	if (c->option[O_SNAPSHOT] != NULL)
		ok &= save_snapshot(c->option[O_SNAPSHOT], g);
	if (c->before != NULL)
		put_changes(c, g, answer);
	mugl_free(g);
	return ok;
}

static bool
keep_after_call(vt_rt *rt, void *cli)
{
	return keep_snapshot(cli, rt, NULL);
}

/* --args: an object is arguments by name, an array arguments by position. */
static bool
read_arguments(struct cli *c, vt_rt *rt, vt_value *args, vt_value *kwargs)
{
	const char *text = c->option[O_ARGS];
	vt_value v = VT_UNDEF;
	*args = *kwargs = VT_NULL;
	if (text != NULL && !read_json(c, rt, text, strlen(text), "--args", &v))
		return false;
	if (vt_is(v, DICT)) {
		*kwargs = v;
	} else if (vt_is_sequence(v)) {
		*args = v;
	} else if (v != VT_UNDEF) {
		vt_say("%s: --args: a JSON object or array is expected\n", c->self);
		vt_release(v);
		return false;
	}
	if (*args == VT_NULL)
		*args = vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, 0));
	return true;
}

static vt_status
call_public(vt_rt *rt, vt_value target, const char *method, vt_value args, vt_value kwargs,
	vt_value *out)
{
	vt_value name = vt_str_c(rt, method), raw = VT_UNDEF;
	vt_status st = vt_invoke_public(rt, target, vt_as_str(name), args, kwargs, &raw);
	if (st == VT_OK)
		st = vt_final(rt, vt_cls_of(target)->decl->unit, raw, out);
	vt_release(raw);
	vt_release(name);
	return st;
}

/* ---- answers ---- */

/* The pending exception: its JSON into b, its text to standard error. */
static void
put_error(struct cli *c, vt_rt *rt, vt_buf *b)
{
	vt_buf_puts(b, "\"error\":");
	vt_encode_error(rt, b, vt_pending(rt));
	vt_exception_print(c->self, NULL, NULL, vt_pending(rt));
	vt_exc_clear(rt);
}

/* A run that fails loses no model: what was not loaded, or cannot be written, stays as it was
 * given. */
static void
put_model(vt_rt *rt, vt_buf *b, vt_value given, bool loaded, const vt_sink *sink)
{
	vt_buf_puts(b, ",\"model\":");
	if (!loaded) {
		vt_json_write(rt, b, given, 0);
		return;
	}
	rt->act = NULL;
	rt->depth = 0;
	vt_store_sweep(rt, rt->s->root);
	if (vt_write_model(rt, rt->s->root, b, sink) != VT_OK) {
		vt_json_write(rt, b, given, 0);
		vt_buf_puts(b, ",\"model_error\":");
		vt_encode_error(rt, b, vt_pending(rt));
		vt_exc_clear(rt);
	}
}

static void
put_traces(vt_rt *rt, vt_buf *b)
{
	vt_lua_drain_traces(rt);
	if (vt_as_list(rt->s->traces)->n == 0)
		return;
	vt_buf_puts(b, ",\"traces\":");
	vt_encode_traces(rt, b);
}

/*
 * The end of a run as the reference has it: objects that the model does not hold are destroyed, and
 * hosts are waited for.  What fails there fails a run that was good so far.
 */
static vt_status
settle(vt_rt *rt, vt_status st, vt_value *out, bool loaded)
{
	vt_value pending = st == VT_OK ? VT_UNDEF : vt_exc_take(rt);
	vt_status end = VT_OK;
	rt->act = NULL;
	rt->depth = 0;
	if (loaded)
		vt_store_sweep(rt, rt->s->root);
	if (rt->s->cloud_finish != NULL)
		end = rt->s->cloud_finish(rt);
	if (st != VT_OK) {
		vt_exc_clear(rt);
		vt_exc_set(rt, pending);
	} else if (end != VT_OK) {
		vt_clear(out);
	}
	return st == VT_OK ? end : st;
}

static void
put_effects(vt_rt *rt, vt_buf *b)
{
	vt_value v;
	if (!rt->s->dry_run)
		return;
	v = vt_effects(rt);
	vt_buf_puts(b, ",\"effects\":");
	vt_encode_result(rt, b, v);
	vt_release(v);
}

static void
put_piece(void *output, const char *p, size_t n)
{
	vt_output_put(output, p, n);
}

/* {"result" or "error", "model", "effects", "traces"}; gives out up. given: the model to begin
 * with, or VT_UNDEF. */
static int
finish(struct cli *c, vt_rt *rt, vt_status st, vt_value out, vt_value given, bool loaded)
{
	vt_buf b = {0};
	vt_output to = {.self = c->self, .path = c->option[O_OUTPUT], .flags = VT_FILE_PRIVATE};
	const vt_sink sink = {.piece = MODEL_PIECE, .put = put_piece, .ctx = &to};
	bool written, kept = true;
	vt_interrupt_end(rt);
	st = settle(rt, st, &out, loaded);
	vt_buf_putc(&b, '{');
	if (st == VT_OK) {
		vt_buf_puts(&b, "\"result\":");
		vt_encode_result(rt, &b, out);
		vt_release(out);
	} else {
		put_error(c, rt, &b);
	}
	if (given != VT_UNDEF)
		put_model(rt, &b, given, loaded, &sink);
	if (loaded)
		kept = keep_snapshot(c, rt, &b);
	vt_journal_close(rt, kept && !vt_interrupt_caught());
	put_effects(rt, &b);
	put_traces(rt, &b);
	vt_buf_puts(&b, "}\n");
	vt_output_put(&to, b.p, b.n);
	written = vt_output_end(&to);
	vt_buf_free(&b);
	return st == VT_OK && written && kept ? DONE : FAILED;
}

/* ---- run ---- */

static vt_status
run_target(struct cli *c, vt_rt *rt, vt_value *out)
{
	const char *id = c->option[O_OBJECT];
	vt_value text;
	vt_object *o;
	if (id == NULL) {
		*out = vt_copy(rt->s->root);
		return *out != VT_NULL || c->option[O_CALL] == NULL
			       ? VT_OK
			       : vt_raise(rt, VT_E_VALUE,
					 "the model has no Objects: there is nothing to call");
	}
	text = vt_str_c(rt, id);
	o = vt_store_find(rt, vt_as_str(text));
	vt_release(text);
	if (o != NULL)
		*out = vt_copy(vt_mkptr(o));
	return o != NULL ? VT_OK
			 : vt_raise(rt, VT_E_NO_OBJECT,
				   "Object \"%s\" is not found in object store", id);
}

/* The snapshot while the run is under way: only whole ones, and before anything that it does not
 * know is done. */
static vt_status
save_on_the_way(vt_rt *rt, void *cli)
{
	struct cli *c = cli;
	mugl *g = mugl_from_model(rt, rt->s->root);
	bool ok;
	if (g == NULL)
		return VT_ERROR;
	mark(c, g, NULL);
	ok = save_snapshot(c->option[O_SNAPSHOT], g);
	mugl_free(g);
	return ok ? VT_OK : vt_raise(rt, VT_E_OS, "%s cannot be written", c->option[O_SNAPSHOT]);
}

static void
put_what(vt_buf *b, const char *name, const char *text)
{
	if (text == NULL)
		return;
	vt_buf_printf(b, "%s\"%s\":", b->n > 1 ? "," : "", name);
	vt_json_str(b, text, strlen(text));
}

/* Beside a snapshot, where the program has something to do outside. */
static bool
is_journaled(const struct cli *c)
{
	return c->option[O_SNAPSHOT] != NULL && c->program->nnatives > 0 &&
	       !vt_is_special(c->option[O_SNAPSHOT]);
}

static vt_status
open_journal(struct cli *c, vt_rt *rt)
{
	vt_buf what = {0};
	bool ok;
	if (!is_journaled(c))
		return VT_OK;
	vt_buf_putc(&what, '{');
	put_what(&what, "model", c->option[O_MODEL]);
	put_what(&what, "call", c->option[O_CALL]);
	put_what(&what, "object", c->option[O_OBJECT]);
	put_what(&what, "args", c->option[O_ARGS]);
	vt_buf_putc(&what, '}');
	vt_buf_putc(&what, '\0');
	ok = vt_journal_open(rt, c->option[O_SNAPSHOT], what.p, c->self, save_on_the_way, c);
	vt_buf_free(&what);
	return ok               ? VT_OK
	       : vt_pending(rt) ? VT_ERROR
				: vt_raise(rt, VT_E_OS, "the journal beside %s cannot be used",
					  c->option[O_SNAPSHOT]);
}

/*
 * What the model lost since the last run.  The reference goes on when that fails and forgets it,
 * stacks included; where the cloud did not answer, the next run may do better.
 */
static vt_status
take_down(vt_rt *rt)
{
	vt_store_collect(rt);
	if (rt->s->dry_run || !rt->s->cloud_left)
		return VT_OK;
	return vt_raise(rt, VT_E_CLOUD,
		"what the model has no more could not be taken down: the lines above tell why; run "
		"it again, the model is unchanged");
}

static int
run_model(struct cli *c, vt_rt *rt, vt_value model)
{
	vt_value args = VT_NULL, kwargs = VT_NULL, target = VT_UNDEF, out = VT_UNDEF;
	const char *method = c->option[O_CALL] ? c->option[O_CALL] : "deploy";
	vt_status st;
	bool loaded;
	int rc;
	if (!read_arguments(c, rt, &args, &kwargs))
		return USAGE;
	loaded = vt_load_model(rt, model, VT_NULL);
	st = loaded ? VT_OK : VT_ERROR;
	if (st == VT_OK && c->option[O_DIFF] != NULL &&
		(c->before = mugl_from_model(rt, rt->s->root)) == NULL)
		st = VT_ERROR;
	if (st == VT_OK)
		st = run_target(c, rt, &target);
	if (st == VT_OK && ((st = take_down(rt)) != VT_OK || (st = open_journal(c, rt)) != VT_OK))
		loaded = false; /* the model is what it was */
	if (st == VT_OK && target == VT_NULL &&
		vt_dict_get_c(vt_as_dict(model), "Objects") == VT_UNDEF)
		vt_say("%s: %s has no Objects, so no method is called\n", c->self,
			c->option[O_MODEL]);
	if (st == VT_OK && target == VT_NULL)
		out = VT_NULL; /* that was all: the whole of it is gone */
	else if (st == VT_OK)
		st = call_public(rt, target, method, args, kwargs, &out);
	vt_release(target);
	rc = finish(c, rt, st, out, model, loaded);
	mugl_free(c->before);
	vt_release(args);
	vt_release(kwargs);
	return rc;
}

static int
cmd_run(struct cli *c)
{
	vt_value model = VT_UNDEF;
	vt_rt *rt;
	int rc;
	if (!good_format(c))
		return USAGE;
	if (c->option[O_MODEL] == NULL)
		return bad_usage(c, "run needs", "--model FILE");
	rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	rc = FAILED;
	rt->s->progress |= may_colour(STDERR_FILENO) && c->program->nnatives > 0;
	c->resumes = is_journaled(c) && vt_journal_waits(c->option[O_SNAPSHOT]);
	if (c->resumes)
		vt_say("%s: goes on with the run that was interrupted, from %s\n", c->self,
			c->option[O_SNAPSHOT]);
	vt_interrupt_watch(rt);
	if (read_model(c, rt, c->option[c->resumes ? O_SNAPSHOT : O_MODEL], &model))
		rc = run_model(c, rt, model);
	mugl_free(c->marks);
	vt_release(model);
	vt_rt_free(rt);
	return rc;
}

/* ---- time: the run of a model again and again, for `vetro bench` ---- */

enum { MOST_RUNS = 10000 };
struct timing {
	double load, call; /* seconds */
};

struct clocks {
	double wall, cpu;
};

static double
clock_seconds(clockid_t which)
{
	struct timespec t;
	clock_gettime(which, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reading the processor's clock is slow and stays outside of the elapsed time. */
static struct clocks
clocks_start(void)
{
	double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
	return (struct clocks){clock_seconds(CLOCK_MONOTONIC), cpu};
}

/* The smaller of elapsed and processor time: on a busy machine the first grows with what others
 * do. */
static double
clocks_since(struct clocks start)
{
	double wall = clock_seconds(CLOCK_MONOTONIC) - start.wall;
	double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu;
	return cpu > 0 && cpu < wall ? cpu : wall;
}

static vt_status
call_repeatedly(struct cli *c, vt_rt *rt, vt_value args, vt_value kwargs, double times)
{
	const char *method = c->option[O_CALL] ? c->option[O_CALL] : "deploy";
	vt_value target = VT_UNDEF, out = VT_UNDEF;
	vt_status st = run_target(c, rt, &target);
	if (st == VT_OK && target == VT_NULL)
		return vt_raise(
			rt, VT_E_VALUE, "the model has no Objects: there is nothing to call");
	for (double i = 0; st == VT_OK && i < times; i++) {
		st = call_public(rt, target, method, args, kwargs, &out);
		vt_clear(&out);
	}
	vt_release(target);
	return st;
}

/* A session of its own: an earlier run has left nothing that this one could find done. */
static int
time_once(struct cli *c, double times, struct timing *t)
{
	vt_value model = VT_UNDEF, args = VT_NULL, kwargs = VT_NULL;
	struct clocks begin;
	int rc;
	vt_rt *rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	rc = read_model(c, rt, c->option[O_MODEL], &model) ? DONE : FAILED;
	if (rc == DONE && !read_arguments(c, rt, &args, &kwargs))
		rc = USAGE;
	if (rc == DONE) {
		vt_status st;
		begin = clocks_start();
		st = vt_load_model(rt, model, VT_NULL) ? VT_OK : VT_ERROR;
		t->load = clocks_since(begin);
		begin = clocks_start();
		if (st == VT_OK)
			st = call_repeatedly(c, rt, args, kwargs, times);
		t->call = clocks_since(begin);
		if (st != VT_OK) {
			vt_exception_print(c->self, NULL, NULL, vt_pending(rt));
			vt_exc_clear(rt);
			rc = FAILED;
		}
	}
	vt_release(model);
	vt_release(args);
	vt_release(kwargs);
	vt_rt_free(rt);
	return rc;
}

static int
by_load(const void *a, const void *b)
{
	double x = ((const struct timing *)a)->load, y = ((const struct timing *)b)->load;
	return (x > y) - (x < y);
}

static int
by_call(const void *a, const void *b)
{
	double x = ((const struct timing *)a)->call, y = ((const struct timing *)b)->call;
	return (x > y) - (x < y);
}

/* As strtod() does, without what that brings along. */
static bool
read_number(const char *s, double *out)
{
	char digits[40], *end = "";
	size_t n = 0;
	int64_t e = 0;
	bool fraction = false;
	for (; (*s >= '0' && *s <= '9' && n < sizeof digits) || (*s == '.' && !fraction); s++) {
		if (*s == '.') {
			fraction = true;
			continue;
		}
		digits[n++] = *s;
		e -= fraction;
	}
	if (*s == 'e')
		e += strtol(s + 1, &end, 10);
	else if (*s != '\0')
		return false;
	*out = vt_big_decimal(digits, n, e);
	return n > 0 && *end == '\0';
}

static bool
positive_option(struct cli *c, enum option o, double most, double *n)
{
	if (c->option[o] == NULL)
		return true;
	if (read_number(c->option[o], n) && *n > 0 && *n <= most)
		return true;
	vt_say("%s: %s takes a number above 0, at most %g\n", c->self, options[o].name, most);
	return false;
}

/* Of this program alone: what the system counts for a child includes who started it. */
static long
peak_bytes(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			kb = atol(line + 6);
	if (f != NULL)
		fclose(f);
	return kb * 1024;
}

static int
cmd_time(struct cli *c)
{
	double repeat = 1, seconds = 0.3, begin = clock_seconds(CLOCK_MONOTONIC), load;
	struct timing *t;
	int n = 0, rc;
	if (c->option[O_MODEL] == NULL)
		return bad_usage(c, "time needs", "--model FILE");
	if (!positive_option(c, O_REPEAT, 1e12, &repeat) ||
		!positive_option(c, O_SECONDS, 3600, &seconds))
		return USAGE;
	t = vt_xmalloc(MOST_RUNS * sizeof *t);
	rc = time_once(c, repeat, t); /* warms up, and is not counted */
	while (rc == DONE && n < MOST_RUNS &&
		(n == 0 || clock_seconds(CLOCK_MONOTONIC) - begin < seconds))
		rc = time_once(c, repeat, &t[n++]);
	if (rc == DONE) {
		qsort(t, (size_t)n, sizeof *t, by_load);
		load = t[n / 2].load;
		qsort(t, (size_t)n, sizeof *t, by_call);
		printf("{\"runs\":%d,\"load\":%.9g,\"call\":%.9g,\"peak\":%ld}\n", n, load,
			t[n / 2].call / repeat, peak_bytes());
		rc = fflush(stdout) == 0 ? DONE : FAILED;
	}
	free(t);
	return rc;
}

/* ---- call, session ---- */

static int
call_static(struct cli *c, vt_rt *rt)
{
	vt_value args = VT_NULL, kwargs = VT_NULL, out = VT_UNDEF;
	vt_status st = VT_ERROR;
	vt_class *cls;
	int rc;
	if (!read_arguments(c, rt, &args, &kwargs))
		return USAGE;
	cls = vt_class_named(rt, c->word[0]);
	if (cls != NULL)
		st = call_public(rt, cls->typeref, c->word[1], args, kwargs, &out);
	rc = finish(c, rt, st, out, VT_UNDEF, false);
	vt_release(args);
	vt_release(kwargs);
	return rc;
}

static int
cmd_call(struct cli *c)
{
	int rc;
	vt_rt *rt;
	if (c->nwords != 2)
		return bad_usage(c, "call needs", "CLASS METHOD");
	rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	vt_interrupt_watch(rt);
	rc = call_static(c, rt);
	vt_rt_free(rt);
	return rc;
}

static int
cmd_session(struct cli *c)
{
	int rc;
	vt_rt *rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	if (c->option[O_SNAPSHOT] != NULL) {
		rt->s->after_call = keep_after_call;
		rt->s->after_call_ctx = c;
	}
	vt_interrupt_watch(rt);
	rc = vt_session_loop(rt, stdin, stdout);
	vt_interrupt_end(rt);
	vt_rt_free(rt);
	return rc;
}

/* ---- diff ---- */

struct side {
	vt_buf text;
	mugl *g;
};

/* A model with the values that contracts and defaults give it; nothing of it runs. */
static mugl *
graph_of_model(struct cli *c, vt_rt *rt, const char *path, vt_value model)
{
	vt_value root = VT_UNDEF;
	mugl *g = NULL;
	if (vt_look_at_model(rt, model, &root) == VT_OK)
		g = mugl_from_model(rt, root);
	if (g != NULL) {
		mugl_drop_new_ids(rt, g, model);
	} else {
		vt_exception_print(c->self, shown_path(path), NULL, vt_pending(rt));
		vt_exc_clear(rt);
	}
	vt_release(root);
	return g;
}

/* DONE, or the status after telling why not. */
static int
open_side(struct cli *c, const char *path, struct side *s)
{
	vt_value model = VT_UNDEF;
	int rc;
	vt_rt *rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	if (read_model_or_snapshot(c, rt, path, &s->text, &model, &s->g) && s->g == NULL)
		s->g = graph_of_model(c, rt, path, model);
	vt_release(model);
	vt_rt_free(rt);
	return s->g != NULL ? DONE : FAILED;
}

static int
put_diff(struct cli *c, const mugl *from, const mugl *to)
{
	mugl_plan *plan = mugl_diff_by_id(from, to, false);
	mugl_problems bad = {0};
	vt_buf b = {0};
	bool same = mugl_plan_empty(plan), ok, allowed = mugl_plan_allowed(plan, &bad);
	if (is_json_format(c))
		mugl_plan_json(plan, &b);
	else
		mugl_plan_text(plan, &b, c->option[O_OUTPUT] == NULL && may_colour(STDOUT_FILENO));
	while (b.n > 0 && b.p[b.n - 1] == '\n')
		b.n--;
	ok = put_output(c, &b, VT_FILE_PRIVATE);
	mugl_problems_print(&bad, c->word[0], NULL, 0, stderr);
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	mugl_plan_free(plan);
	return ok && allowed && (same || c->option[O_EXIT_CODE] == NULL) ? DONE : FAILED;
}

static int
cmd_diff(struct cli *c)
{
	struct side side[2] = {{.g = NULL}, {.g = NULL}};
	int rc;
	if (c->nwords != 2)
		return bad_usage(c, "diff needs", "OLD NEW");
	if (!good_format(c))
		return USAGE;
	rc = open_side(c, c->word[0], &side[0]);
	if (rc == DONE)
		rc = open_side(c, c->word[1], &side[1]);
	if (rc == DONE)
		rc = put_diff(c, side[0].g, side[1].g);
	for (int i = 0; i < 2; i++) {
		mugl_free(side[i].g);
		vt_buf_free(&side[i].text);
	}
	return rc;
}

/* ---- schema ---- */

/* The schemas, or the error as `call` shows it; gives *out up. */
static int
put_schema(struct cli *c, vt_rt *rt, vt_status st, vt_value out)
{
	vt_buf b = {0};
	bool written;
	if (st == VT_OK) {
		vt_json_write(rt, &b, out, VT_JSON_PRETTY);
		vt_release(out);
	} else {
		vt_buf_putc(&b, '{');
		put_error(c, rt, &b);
		vt_buf_putc(&b, '}');
	}
	written = put_output(c, &b, 0);
	vt_buf_free(&b);
	return st == VT_OK && written ? DONE : FAILED;
}

/* ---- test ---- */

/* --config: {class: {property: value}} as `session` takes it. */
static bool
read_config(struct cli *c, vt_rt *rt)
{
	const char *path = c->option[O_CONFIG];
	vt_buf text = {0};
	vt_value v = VT_UNDEF;
	bool ok = path == NULL ||
		  (read_file(c, path, &text) && read_json(c, rt, text.p, text.n, path, &v));
	vt_buf_free(&text);
	if (ok && path != NULL && !vt_is(v, DICT)) {
		vt_say("%s: %s: a JSON object of classes is expected\n", c->self, path);
		ok = false;
	}
	if (ok && path != NULL)
		vt_move(&rt->s->config, v);
	else
		vt_release(v);
	return ok;
}

/* The result for people goes to standard output, for `vetro test` to a descriptor of its own. */
static bool
put_report(struct cli *c, const vt_buf *b)
{
	uint64_t fd = 1;
	if (!number_option(c, O_REPORT, &fd) || fd > 1000)
		return false;
	fflush(NULL);
	return vt_write_all((int)fd, b->p, b->n);
}

static int
cmd_test(struct cli *c)
{
	vt_buf b = {0};
	int rc;
	bool ok;
	vt_rt *rt;
	if (c->nwords == 1)
		return bad_usage(c, "test needs", "CLASS METHOD, or nothing");
	c->simulated = true;
	rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	ok = read_config(c, rt);
	if (ok && c->nwords == 2) {
		ok = vt_test_run(rt, c->word[0], c->word[1], &b);
	} else if (ok && !vt_test_list(rt, &b)) {
		put_error(c, rt, &b);
		ok = false;
		b.n = 0;
	}
	if (b.n > 0 && !put_report(c, &b))
		ok = false;
	vt_buf_free(&b);
	vt_rt_free(rt);
	return ok ? DONE : FAILED;
}

static int
cmd_schema(struct cli *c)
{
	vt_value names = VT_UNDEF, out = VT_UNDEF;
	vt_status st = VT_ERROR;
	vt_class *cls;
	vt_list *l;
	vt_rt *rt;
	int rc;
	if (c->nwords == 0)
		return bad_usage(c, "schema needs", "CLASS [METHOD...]");
	rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	l = vt_list_grow(rt, VT_K_TUPLE, (uint32_t)c->nwords);
	for (int i = 1; i < c->nwords; i++)
		vt_list_push(rt, l, vt_str_c(rt, c->word[i]));
	names = vt_mkptr(l);
	cls = vt_schema_class(rt, c->word[0], NULL, NULL);
	if (cls != NULL)
		st = vt_schema_generate(rt, cls, names, &out);
	vt_release(names);
	rc = put_schema(c, rt, st, out);
	vt_rt_free(rt);
	return rc;
}

static vt_rt *
open_for_request(void *cli)
{
	int rc;
	return open_session(cli, &rc);
}

/* The options are tried on a first session, so that a mistake is told at once. */
static int
cmd_serve(struct cli *c)
{
	vt_server server = {c->program, open_for_request, c};
	int rc;
	vt_rt *rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	vt_rt_free(rt);
	return vt_serve(
		&server, c->self, c->option[O_LISTEN] ? c->option[O_LISTEN] : "127.0.0.1:8080");
}

/* ---- info ---- */

static void
put_member(vt_buf *b, const char *key, const char *text)
{
	vt_buf_printf(b, "\"%s\": ", key);
	vt_json_str(b, text, strlen(text));
}

static void
put_public_methods(vt_buf *b, const vt_class_decl *d)
{
	bool first = true;
	vt_buf_puts(b, ", \"public\": [");
	for (uint32_t i = 0; i < d->nmethods; i++) {
		if (!d->methods[i]->is_public && d->methods[i]->usage != VT_M_ACTION)
			continue;
		vt_buf_puts(b, first ? "" : ", ");
		vt_json_str(b, d->methods[i]->name->s, d->methods[i]->name->bytes);
		first = false;
	}
	vt_buf_putc(b, ']');
}

static void
put_class(vt_buf *b, const vt_class_decl *d)
{
	vt_buf_puts(b, "\n        {");
	put_member(b, "name", d->name->s);
	vt_buf_printf(b, ", \"usage\": \"%s\", \"listed\": %s, \"extends\": [",
		d->is_meta ? "Meta" : "Class", d->listed ? "true" : "false");
	for (uint32_t i = 0; i < d->nparents; i++) {
		vt_buf_puts(b, i ? ", " : "");
		vt_json_str(b, d->parents[i]->s, d->parents[i]->bytes);
	}
	vt_buf_putc(b, ']');
	put_public_methods(b, d);
	vt_buf_putc(b, '}');
}

static void
put_package(vt_buf *b, const vt_package_decl *p)
{
	vt_buf_puts(b, "\n    {");
	put_member(b, "name", p->name->s);
	vt_buf_puts(b, ", ");
	put_member(b, "version", p->version);
	vt_buf_printf(b, ", \"format\": \"MuranoPL/%u.%u\", \"requires\": {",
		p->runtime_version / 100, p->runtime_version % 100);
	for (uint32_t i = 0; i < p->nrequires; i++) {
		vt_buf_puts(b, i ? ", " : "");
		put_member(
			b, p->requires[i].name->s, p->requires[i].spec ? p->requires[i].spec : "");
	}
	vt_buf_puts(b, "}, \"classes\": [");
	for (uint32_t i = 0; i < p->nclasses; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_class(b, p->classes[i]);
	}
	vt_buf_puts(b, p->nclasses ? "\n      ]}" : "]}");
}

void
vt_deploy_info(const vt_program *p, vt_buf *b)
{
	vt_buf_puts(b, "{\n  ");
	put_member(b, "program", p->npackages ? p->packages[0]->name->s : "");
	vt_buf_puts(b, ",\n  ");
	put_member(b, "version", p->npackages ? p->packages[0]->version : "");
	vt_buf_puts(b, ",\n  ");
	put_member(b, "built_by", p->built_by ? p->built_by : "");
	vt_buf_printf(b, ",\n  \"host\": %s,\n  \"packages\": [", p->lua ? "true" : "false");
	for (uint32_t i = 0; i < p->npackages; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_package(b, p->packages[i]);
	}
	vt_buf_puts(b, "\n  ]\n}");
}

static int
cmd_info(struct cli *c)
{
	vt_buf b = {0};
	bool ok;
	vt_deploy_info(c->program, &b);
	ok = put_output(c, &b, 0);
	vt_buf_free(&b);
	return ok ? DONE : FAILED;
}

static int
cmd_version(struct cli *c)
{
	const vt_program *p = c->program;
	printf("%s %s (built by vetro %s)\n", p->npackages ? p->packages[0]->name->s : c->self,
		p->npackages ? p->packages[0]->version : "", p->built_by ? p->built_by : "?");
	return flushed(c);
}

/* ---- the command line ---- */

static const struct command {
	const char *name;
	int (*fn)(struct cli *);
	uint32_t options;
	int words; /* at most */
} commands[] = {
	{"run", cmd_run,
		BIT(O_MODEL) | BIT(O_CALL) | BIT(O_OBJECT) | BIT(O_ARGS) | BIT(O_OUTPUT) |
			BIT(O_SNAPSHOT) | BIT(O_DIFF) | BIT(O_FORMAT) | HOSTED | RUNNING,
		0},
	{"diff", cmd_diff, BIT(O_FORMAT) | BIT(O_EXIT_CODE) | BIT(O_OUTPUT) | RUNNING, 2},
	{"time", cmd_time,
		BIT(O_MODEL) | BIT(O_CALL) | BIT(O_OBJECT) | BIT(O_ARGS) | BIT(O_EXPOSE) |
			BIT(O_REPEAT) | BIT(O_SECONDS) | HOSTED | RUNNING,
		0},
	{"session", cmd_session, BIT(O_EXPOSE) | BIT(O_SNAPSHOT) | HOSTED | RUNNING, 0},
	{"call", cmd_call, BIT(O_ARGS) | BIT(O_OUTPUT) | HOSTED | RUNNING, 2},
	{"test", cmd_test, BIT(O_CONFIG) | BIT(O_REPORT) | HOSTED | RUNNING, 2},
	{"schema", cmd_schema, BIT(O_OUTPUT) | RUNNING, MAX_WORDS},
	{"serve", cmd_serve, BIT(O_LISTEN) | HOSTED | RUNNING, 0},
	{"info", cmd_info, BIT(O_OUTPUT), 0},
	{"help", cmd_help, 0, MAX_WORDS},
	{"--help", cmd_help, 0, MAX_WORDS},
	{"-h", cmd_help, 0, MAX_WORDS},
	{"--version", cmd_version, 0, 0},
	{"version", cmd_version, 0, 0},
};

/* "--name VALUE" or "--name=VALUE": how many arguments it took, or -1. */
static int
read_option(struct cli *c, const struct command *cmd, char **argv)
{
	const char *eq = strchr(argv[0], '=');
	size_t n = eq ? (size_t)(eq - argv[0]) : strlen(argv[0]);
	for (int o = 0; o < O_COUNT; o++) {
		if (strlen(options[o].name) != n || strncmp(options[o].name, argv[0], n) != 0)
			continue;
		if (!(cmd->options & BIT(o)))
			break;
		if (options[o].flag) {
			c->option[o] = "";
			return eq ? -1 : 1;
		}
		c->option[o] = eq ? eq + 1 : argv[1];
		return c->option[o] == NULL ? -1 : eq ? 1 : 2;
	}
	return -1;
}

/* USAGE, after telling why, or DONE. */
static int
read_words(struct cli *c, const struct command *cmd, int argc, char **argv)
{
	bool options_end = false;
	for (int i = 0; i < argc;) {
		int took = 1;
		if (!options_end && strcmp(argv[i], "--") == 0) {
			options_end = true;
		} else if (!options_end &&
			   (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
			c->asks = true;
			break;
		} else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0') {
			took = read_option(c, cmd, argv + i);
			if (took < 0)
				return bad_usage(
					c, "unknown option, or one without its value:", argv[i]);
		} else if (c->nwords == cmd->words || c->nwords == MAX_WORDS) {
			return bad_usage(c, "unexpected argument:", argv[i]);
		} else {
			c->word[c->nwords++] = argv[i];
		}
		i += took;
	}
	return DONE;
}

/* Deep MuranoPL recursion needs more stack than the usual 8 MB; the kernel grows it on demand up to
 * the limit in force at that time. */
static void
raise_stack(void)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur == RLIM_INFINITY ||
		r.rlim_cur >= STACK_BYTES)
		return;
	r.rlim_cur =
		r.rlim_max == RLIM_INFINITY || r.rlim_max > STACK_BYTES ? STACK_BYTES : r.rlim_max;
	(void)setrlimit(RLIMIT_STACK, &r);
}

int
vt_deploy_main(int argc, char **argv, const vt_program *program)
{
	struct cli c = {.program = program, .self = argc > 0 ? argv[0] : "deploy"};
	const char *slash = strrchr(c.self, '/');
	int rc;
	c.self = slash ? slash + 1 : c.self;
	signal(SIGPIPE, SIG_IGN);
	vt_big_own_memory();
	if (argc < 2)
		return bad_usage(&c, "a command is missing", NULL);
	for (size_t i = 0; i < VT_LEN(commands); i++) {
		if (strcmp(commands[i].name, argv[1]) != 0)
			continue;
		if (read_words(&c, &commands[i], argc - 2, argv + 2) != DONE)
			return USAGE;
		if (c.asks)
			return cmd_help(&c);
		raise_stack();
		rc = commands[i].fn(&c);
		return vt_interrupt_caught() ? 128 + vt_interrupt_caught() : rc;
	}
	return bad_usage(&c, "unknown command:", argv[1]);
}

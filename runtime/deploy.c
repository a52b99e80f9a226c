/*
 * deploy.c - main() of a deploy binary: its commands, options and exit statuses (CLI.md).
 *
 * 0 done, 1 the input has errors or the run failed, 2 bad usage, 3 a fault of vetro itself. Results
 * go to standard output or to --output, which is written beside its place and renamed, so that a
 * reader never sees half of it; everything else goes to standard error.
 */
#include "mugl.h"
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
};
#define BIT(o) (1u << (o))
#define RUNNING (BIT(O_VIRTUAL_TIME) | BIT(O_LUA_STEPS) | BIT(O_LUA_MEMORY))

struct cli {
	const vt_program *program;
	const char *self;            /* argv[0] */
	const char *option[O_COUNT]; /* NULL: not given */
	const char *word[MAX_WORDS];
	int nwords;
	mugl *before; /* --diff: the model as it was loaded; or NULL */
};

/* ---- help ---- */

static void
usage(FILE *f, const char *self)
{
	fprintf(f,
		"usage: %s run --model FILE [--call METHOD] [--object ID] [--args JSON] [--output "
		"FILE]\n"
		"           [--snapshot FILE] [--diff [-f text|json]]\n"
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
	"snapshot\n"
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
	"--args is a JSON object of arguments by name, or an array of arguments in order.\n"
	"--virtual-time: sleep() takes no time; a clock of the program's own jumps ahead instead.\n"
	"--lua-steps N and --lua-memory BYTES limit what one call of a host function may use.\n"
	"Exit status: 0 done, 1 the run failed or its input has errors, 2 bad usage, 3 a fault of "
	"vetro itself.\n";

static int
cmd_help(struct cli *c)
{
	usage(stdout, c->self);
	fputs(help_text, stdout);
	return DONE;
}

static int
bad_usage(struct cli *c, const char *what, const char *which)
{
	fprintf(stderr, "%s: %s%s%s\n", c->self, what, which ? " " : "", which ? which : "");
	usage(stderr, c->self);
	return USAGE;
}

static int
not_yet(struct cli *c, const char *what)
{
	fprintf(stderr, "%s: %s is not there yet in this version of vetro\n", c->self, what);
	return USAGE;
}

/* ---- files ---- */

static bool
read_all(FILE *f, vt_buf *b)
{
	char chunk[65536];
	size_t n;
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0) {
		if (b->n + n > file_limit) {
			errno = EFBIG;
			return false;
		}
		vt_buf_put(b, chunk, n);
	}
	return !ferror(f);
}

static bool
read_file(struct cli *c, const char *path, vt_buf *b)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	bool ok = f != NULL && read_all(f, b);
	int why = errno;
	if (f != NULL && f != stdin)
		fclose(f);
	if (!ok)
		fprintf(stderr, "%s: %s: %s\n", c->self, path, strerror(why));
	return ok;
}

static bool
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

/* A device or a pipe is written as it is: renaming would put a file in its place. */
static bool
is_special(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool
write_special(const char *path, const vt_buf *b)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write_all(fd, b->p, b->n);
	if (fd >= 0 && close(fd) != 0)
		ok = false;
	return ok;
}

static bool
write_renamed(const char *path, const vt_buf *b)
{
	char *tmp = vt_asprintf("%s.XXXXXX", path);
	int fd, why;
	mode_t mask = umask(0);
	bool ok;
	umask(mask);
	vt_interrupt_block(true);
	fd = mkstemp(tmp);
	ok = fd >= 0 && write_all(fd, b->p, b->n) && fchmod(fd, 0666 & ~mask) == 0 &&
	     fsync(fd) == 0;
	if (fd >= 0 && close(fd) != 0)
		ok = false;
	ok = ok && rename(tmp, path) == 0;
	why = errno;
	if (!ok && fd >= 0)
		unlink(tmp);
	vt_interrupt_block(false);
	free(tmp);
	errno = why;
	return ok;
}

/* The answer of a command, with a line's end. */
static bool
put_output(struct cli *c, vt_buf *b)
{
	const char *path = c->option[O_OUTPUT];
	bool ok;
	vt_buf_putc(b, '\n');
	if (path == NULL || strcmp(path, "-") == 0) {
		path = "standard output";
		ok = fwrite(b->p, 1, b->n, stdout) == b->n && fflush(stdout) == 0;
	} else {
		ok = is_special(path) ? write_special(path, b) : write_renamed(path, b);
	}
	if (!ok)
		fprintf(stderr, "%s: %s: %s\n", c->self, path, strerror(errno));
	return ok;
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

/* NULL: *rc says why not. */
static vt_rt *
open_session(struct cli *c, int *rc)
{
	vt_rt *rt = vt_rt_new(c->program);
	char *err = NULL;
	*rc = USAGE;
	rt->s->expose = c->option[O_EXPOSE];
	vt_virtual_time(rt, c->option[O_VIRTUAL_TIME] != NULL);
	if (!number_option(c, O_LUA_STEPS, &rt->s->lua_steps) ||
		!number_option(c, O_LUA_MEMORY, &rt->s->lua_memory)) {
		vt_rt_free(rt);
		return NULL;
	}
	if (c->program->lua != NULL &&
		!vt_lua_load(rt, c->program->lua, strlen(c->program->lua), "host.lua", &err)) {
		fprintf(stderr, "%s: %s\n", c->self, err);
		free(err);
		vt_rt_free(rt);
		*rc = FAILED;
		return NULL;
	}
	return rt;
}

static bool
read_json(struct cli *c, vt_rt *rt, const char *text, size_t n, const char *where, vt_value *out)
{
	char *err = NULL;
	if (vt_json_read(rt, text ? text : "", n, VT_JSON_MUTABLE, 0, out, &err))
		return true;
	fprintf(stderr, "%s: %s: %s\n", c->self, where, err);
	free(err);
	return false;
}

static void
tell_exception(struct cli *c, vt_rt *rt, const char *where)
{
	vt_buf text = {0};
	if (vt_pending(rt)->nframes > 0)
		vt_exc_format(rt, &text, vt_pending(rt));
	else
		vt_buf_printf(&text, "%s: %s", vt_exc_shown_type(vt_pending(rt)),
			vt_as_str(vt_pending(rt)->message)->s);
	fprintf(stderr, "%s: %s%s%.*s\n", c->self, where, *where ? ": " : "", (int)text.n,
		text.p ? text.p : "");
	vt_buf_free(&text);
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

/* One of both: *g of a snapshot, *model of any other JSON. False: told. */
static bool
read_model_or_snapshot(
	struct cli *c, vt_rt *rt, const char *path, vt_buf *text, vt_value *model, mugl **g)
{
	*g = NULL;
	if (!read_file(c, path, text))
		return false;
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
read_model(struct cli *c, vt_rt *rt, vt_value *model)
{
	const char *path = c->option[O_MODEL];
	vt_buf text = {0};
	mugl *g;
	bool ok = read_model_or_snapshot(c, rt, path, &text, model, &g);
	if (ok && g != NULL && mugl_to_model(rt, g, model) != VT_OK) {
		tell_exception(c, rt, shown_path(path));
		vt_exc_clear(rt);
		ok = false;
	}
	mugl_free(g);
	vt_buf_free(&text);
	return ok;
}

static bool
save_snapshot(const char *path, const mugl *g)
{
	mugl_problems bad = {0};
	vt_buf b = {0};
	bool ok = mugl_write(g, MUGL_DIGEST, &b, &bad);
	vt_interrupt_block(true);
	if (ok && is_special(path) && !(ok = write_special(path, &b)))
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	else if (ok && !is_special(path))
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
	mugl *g;
	bool ok = true;
	if (c->option[O_SNAPSHOT] == NULL && c->before == NULL)
		return true;
	g = mugl_from_model(rt, rt->s->root);
	if (g == NULL) {
		tell_exception(c, rt, "no snapshot");
		vt_exc_clear(rt);
		return false;
	}
	if (c->option[O_SNAPSHOT] != NULL)
		ok = save_snapshot(c->option[O_SNAPSHOT], g);
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
		fprintf(stderr, "%s: --args: a JSON object or array is expected\n", c->self);
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
	tell_exception(c, rt, "");
	vt_exc_clear(rt);
}

/* A run that fails loses no model: what was not loaded, or cannot be written, stays as it was
 * given. */
static void
put_model(vt_rt *rt, vt_buf *b, vt_value given, bool loaded)
{
	vt_value model = VT_UNDEF;
	vt_buf_puts(b, ",\"model\":");
	if (!loaded) {
		vt_json_write(rt, b, given, 0);
		return;
	}
	rt->act = NULL;
	rt->depth = 0;
	vt_store_sweep(rt, rt->s->root);
	if (vt_serialize_model(rt, rt->s->root, &model) == VT_OK) {
		vt_encode_result(rt, b, model);
		vt_release(model);
	} else {
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

/* {"result" or "error", "model", "traces"}; gives out up. given: the model to begin with, or
 * VT_UNDEF. */
static int
finish(struct cli *c, vt_rt *rt, vt_status st, vt_value out, vt_value given, bool loaded)
{
	vt_buf b = {0};
	bool written, kept = true;
	vt_interrupt_end(rt);
	vt_buf_putc(&b, '{');
	if (st == VT_OK) {
		vt_buf_puts(&b, "\"result\":");
		vt_encode_result(rt, &b, out);
		vt_release(out);
	} else {
		put_error(c, rt, &b);
	}
	if (given != VT_UNDEF)
		put_model(rt, &b, given, loaded);
	if (loaded)
		kept = keep_snapshot(c, rt, &b);
	put_traces(rt, &b);
	vt_buf_putc(&b, '}');
	written = put_output(c, &b);
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
		return *out != VT_NULL
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
	if (st == VT_OK)
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
	if (c->option[O_DRY_RUN] != NULL || c->option[O_SCENARIO] != NULL)
		return not_yet(c, "--dry-run");
	if (c->option[O_MODEL] == NULL)
		return bad_usage(c, "run needs", "--model FILE");
	rt = open_session(c, &rc);
	if (rt == NULL)
		return rc;
	rc = FAILED;
	vt_interrupt_watch(rt);
	if (read_model(c, rt, &model))
		rc = run_model(c, rt, model);
	vt_release(model);
	vt_rt_free(rt);
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
		tell_exception(c, rt, shown_path(path));
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
	vt_buf b = {0};
	bool same = mugl_plan_empty(plan), ok;
	if (is_json_format(c))
		mugl_plan_json(plan, &b);
	else
		mugl_plan_text(plan, &b, c->option[O_OUTPUT] == NULL && may_colour(STDOUT_FILENO));
	while (b.n > 0 && b.p[b.n - 1] == '\n')
		b.n--;
	ok = put_output(c, &b);
	vt_buf_free(&b);
	mugl_plan_free(plan);
	return ok && (same || c->option[O_EXIT_CODE] == NULL) ? DONE : FAILED;
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
	written = put_output(c, &b);
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
		fprintf(stderr, "%s: %s: a JSON object of classes is expected\n", c->self, path);
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
	return write_all((int)fd, b->p, b->n);
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
	ok = put_output(c, &b);
	vt_buf_free(&b);
	return ok ? DONE : FAILED;
}

static int
cmd_version(struct cli *c)
{
	const vt_program *p = c->program;
	printf("%s %s (built by vetro %s)\n", p->npackages ? p->packages[0]->name->s : c->self,
		p->npackages ? p->packages[0]->version : "", p->built_by ? p->built_by : "?");
	return fflush(stdout) == 0 ? DONE : FAILED;
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
			BIT(O_SNAPSHOT) | BIT(O_DIFF) | BIT(O_FORMAT) | BIT(O_DRY_RUN) |
			BIT(O_SCENARIO) | RUNNING,
		0},
	{"diff", cmd_diff, BIT(O_FORMAT) | BIT(O_EXIT_CODE) | BIT(O_OUTPUT) | RUNNING, 2},
	{"session", cmd_session, BIT(O_EXPOSE) | BIT(O_SNAPSHOT) | RUNNING, 0},
	{"call", cmd_call, BIT(O_ARGS) | BIT(O_OUTPUT) | RUNNING, 2},
	{"test", cmd_test, BIT(O_CONFIG) | BIT(O_REPORT) | RUNNING, 2},
	{"schema", cmd_schema, BIT(O_OUTPUT) | RUNNING, MAX_WORDS},
	{"serve", cmd_serve, BIT(O_LISTEN) | RUNNING, 0},
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
		raise_stack();
		rc = commands[i].fn(&c);
		return vt_interrupt_caught() ? 128 + vt_interrupt_caught() : rc;
	}
	return bad_usage(&c, "unknown command:", argv[1]);
}

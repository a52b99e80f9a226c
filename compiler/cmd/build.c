/* build.c - `vetro build` and `vetro run`. */
#include "compiler/cmd/cmd.h"
#include "runtime/core/printable.h"
#include "compiler/emit/ctext.h"
#include "compiler/tosca/build.h"
#include "compiler/tosca/front.h"
#include "compiler/yay/build.h"
#include "runtime/yay/api.h"
#include "runtime/text/limit.h"
#include "runtime/call/call.h"
#include "runtime/lua/lua.h"
#include "compiler/check/check.h"
#include "compiler/form/form.h"
#include "compiler/lower/lower.h"
#include "compiler/murano/package.h"
#include "compiler/query/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct build {
	const cmd_options *o;
	const char *const *sources;
	uint32_t nsources;
	vc_build_opts opts;
	bool takes_form; /* of the package, for `serve` */
} build;

/* Statements are where the source has them: nothing is left out or put together.  So it is for a
 * debugger where nothing is to be optimised; what Yay has as C has lines only so.  Lists and dicts
 * still grow where they stand: no variable is another then, and a loop that appends is linear. */
static void
add_steps(vc *c, const cmd_options *o)
{
	c->steps = o->trace || o->coverage;
	c->lines = o->debug;
	if (c->steps)
		c->passes_off |= ~(1u << VC_PASS_SUBSET);
	else if (o->debug && o->opt == 0)
		c->passes_off |=
			~(1u << VC_PASS_SUBSET | 1u << VC_PASS_YAY_CODE | 1u << VC_PASS_UPDATE);
}

static build
build_of(const cmd_options *o, const char *const *sources, uint32_t n)
{
	return (build){.o = o,
		.sources = sources,
		.nsources = n,
		.opts = {.out = o->out,
			.target = o->target,
			.emit_dir = o->emit_dir,
			.opt = o->opt,
			.debug = o->debug,
			.verbose = o->verbose,
			.no_cache = o->no_cache,
			.shared = o->shared,
			.is_static = o->is_static,
			.with_yay = o->with_yay,
			.sbom = {.file = o->sbom,
				.source = n ? sources[0] : "",
				.is_library = o->shared}}};
}

/* Better known now than when the binary starts. */
static bool
is_lua(vc *c, const vc_source *s)
{
	char *why = vt_lua_syntax(s->text, s->n, s->name);

	if (why)
		vc_report(c, VC_E0114, (vc_span){0}, "%s", why);
	free(why);
	return why == NULL;
}

/* The text of all --lua files, one after the other, as vt_lua_load_files wants it. */
static char *
lua_text(vc *c, const build *b)
{
	vt_buf t = {0};

	if (b->o->lua.n == 0)
		return NULL;
	for (uint32_t i = 0; i < b->o->lua.n; i++) {
		vc_source *s = vc_source_read(c, b->o->lua.v[i]);
		if (s && is_lua(c, s)) {
			vt_buf_printf(
				&t, VT_LUA_FILE "%.*s\n", (int)strcspn(s->name, "\n"), s->name);
			vt_buf_put(&t, s->text, s->n);
			vt_buf_puts(&t, "\n");
		}
	}
	return vc_take(c, &t);
}

static ir_module *
front_end(vc *c, const build *b)
{
	if (b->o->from) {
		vc_source *s = vc_source_read(c, b->sources[0]);
		return s ? ir_read(c, s) : NULL;
	}
	for (uint32_t i = 0; i < b->o->paths.n; i++)
		vc_package_path(c, b->o->paths.v[i]);
	for (uint32_t i = 0; i < b->nsources; i++)
		vc_package_load(c, b->sources[i], true);
	vc_packages_resolve(c);
	c->bad_pattern = qc_bad_pattern;
	mpl_check(c);
	return vc_errors(c) || !vc_packages_complete(c, false) ? NULL : vc_lower(c);
}

/* A file is printed when it is there, so that not all of them are in memory. */
static void
print_file(void *ctx, vc_cfile f)
{
	vt_buf out = {0};

	ct_comment(&out, vc_format(ctx, "---- %s ----", f.name), 0);
	vt_buf_print(&out, stdout);
	vt_buf_print(&f.text, stdout);
}

static void
forget_file(void *ctx, vc_cfile f)
{
	(void)ctx;
	vt_buf_free(&f.text);
}

static int
emit_stage(vc *c, const build *b, ir_module *m)
{
	vt_buf out = {0};
	bool ir = strcmp(b->o->emit, "ir") == 0;

	/* passes of the emitter speak while it works */
	if (!ir || c->noted)
		vc_emit_each(c, m, NULL, b->opts.debug, ir ? forget_file : print_file, c);
	if (ir)
		ir_print(c, &out, m);
	vt_buf_print(&out, stdout);
	return VC_OK;
}

/* The last part of the package's name: what the binary is called without -o. */
static const char *
default_out(vc *c, const ir_module *m)
{
	const char *name = m->npackages ? m->packages[0]->name : "deploy",
		   *dot = strrchr(name, '.');

	return vc_strdup(c, dot ? dot + 1 : name);
}

/* By its main package, as a package that requires it would name it. */
static void
name_application(vc *c, build *b, const ir_module *m)
{
	uint32_t n = 0;
	mpl_package **p = c->packages ? vc_packages(c, &n) : NULL;

	b->opts.sbom.name = m->npackages ? m->packages[0]->name : "deploy";
	for (uint32_t i = 0; i < n && !b->opts.sbom.version; i++)
		if (p[i]->is_main)
			b->opts.sbom.version = p[i]->version;
}

static bool
is_stage(const char *s)
{
	return strcmp(s, "ir") == 0 || strcmp(s, "c") == 0;
}

static void
free_files(vc_cfile *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vt_buf_free(&f[i].text);
}

bool
cmd_is_yay(const cmd_options *o, const char *path)
{
	return o->kind ? strcmp(o->kind, "yay") == 0 : o->from == NULL && vt_yay_is_named(path);
}

bool
cmd_is_tosca(vc *c, const cmd_options *o, const char *path)
{
	return o->kind ? strcmp(o->kind, "tosca") == 0
		       : o->from == NULL && tosca_is_source(c, path);
}

/* What was translated, under its own name unless another is given; --emit prints it. */
static vc_cfile *
named_files(build *b, vc_cfile *files, uint32_t n, const char *name, int *rc)
{
	*rc = VC_EINPUT;
	b->opts.sbom.name = name;
	if (files && b->o->emit) {
		*rc = VC_OK;
		fwrite(files[0].text.p, 1, files[0].text.n, stdout);
		free_files(files, n);
		return NULL;
	}
	if (files && b->opts.out == NULL && b->opts.emit_dir == NULL)
		b->opts.out = name;
	return files;
}

static vc_cfile *
translate_tosca(vc *c, build *b, uint32_t *n, int *rc)
{
	vt_buf ir = {0};
	tosca_source s = {.files = b->sources,
		.nfiles = b->nsources,
		.paths = b->o->paths.v,
		.npaths = b->o->paths.n,
		.maps = b->o->maps.v,
		.nmaps = b->o->maps.n,
		.environments = b->o->environments.v,
		.nenvironments = b->o->environments.n,
		.ir = b->o->emit && strcmp(b->o->emit, "ir") == 0 ? &ir : NULL};
	tosca_identity is;
	double t0 = vt_clock();
	vc_cfile *files;

	files = tosca_translate(c, &s, &is, n);
	if (s.ir) {
		*rc = vc_errors(c) ? VC_EINPUT : VC_OK;
		vt_buf_print(&ir, stdout);
		return NULL;
	}
	if (b->opts.verbose)
		fprintf(stderr, "vetro: translation %.3f s\n", vt_clock() - t0);
	b->opts.sbom.version = is.version;
	return named_files(b, files, *n, is.name, rc);
}

static vc_cfile *
translate_yay(vc *c, build *b, uint32_t *n, int *rc)
{
	const char *name;
	vc_cfile *files = yay_translate(c, b->sources, b->nsources, b->o->paths.v, b->o->paths.n,
		lua_text(c, b), b->opts.debug, &name, n);

	return named_files(b, files, *n, name, rc);
}

/* Whose files may become part of the binary. */
static void
allow_dirs(vc *c, const build *b)
{
	for (uint32_t i = 0; i < b->nsources; i++)
		vc_allow_beside(c, b->sources[i]);
	vc_allow_dirs(c, b->o->paths.v, b->o->paths.n);
	vc_allow_dirs(c, b->o->allow_dir.v, b->o->allow_dir.n);
}

static void
free_compilation(void *c)
{
	vc_free(c);
}

/*
 * What the package brings for people to fill in.  A form that is wrong is said so, and the binary
 * is made without it: nothing but its page needs it.
 */
static const form_ui *
read_form(vc *c, const build *b, vc **of)
{
	uint32_t n = 0;
	mpl_package **all = b->takes_form ? vc_packages(c, &n) : NULL;
	form_ui *ui = NULL;

	*of = vc_new();
	vc_defer(c, free_compilation, *of);
	for (uint32_t i = 0; i < n && ui == NULL; i++) {
		vc_source *src = all[i]->is_main ? form_of_package(c, all[i]) : NULL;
		if (src)
			ui = form_read(*of, vc_source_new(*of, src->name, src->text, src->n));
	}
	if (ui != NULL && !form_lower(c, *of, ui))
		ui = NULL;
	vc_print_diags(*of, VC_TEXT, stderr);
	return ui;
}

/* Sources to C files; NULL with the exit status in *rc when there is nothing to build. */
static vc_cfile *
translate(vc *c, build *b, uint32_t *n, int *rc)
{
	char *lua;
	double t0 = vt_clock();
	ir_module *m;
	vc_cfile *files;
	const form_ui *form;
	const char **sources = vc_alloc(c, (b->nsources + 1) * sizeof *sources);
	vc *of;

	*rc = VC_EINPUT;
	for (uint32_t i = 0; i < b->nsources; i++)
		if ((sources[i] = cmd_unwrapped(c, b->sources[i])) == NULL)
			return NULL;
	b->sources = sources;
	cmd_limit_files(c, b->o);
	if (b->o->max_resources)
		c->limit.max_resources = b->o->max_resources << 20;
	allow_dirs(c, b);
	add_steps(c, b->o);
	if (cmd_is_yay(b->o, b->sources[0]))
		return translate_yay(c, b, n, rc);
	if (cmd_is_tosca(c, b->o, b->sources[0]))
		return translate_tosca(c, b, n, rc);
	c->lua = lua = lua_text(c, b);
	m = front_end(c, b);
	*rc = VC_EINPUT;
	if (m == NULL || vc_errors(c))
		return NULL;
	if (!ir_verify(c, m)) {
		*rc = b->o->from ? VC_EINPUT : VC_EFAULT;
		return NULL;
	}
	if (b->o->emit) {
		*rc = emit_stage(c, b, m);
		return NULL;
	}
	form = read_form(c, b, &of);
	files = vc_emit(c, m, lua, b->opts.debug, n);
	if (form != NULL)
		files = form_emit(c, of, form, files, n);
	if (b->opts.verbose)
		fprintf(stderr, "vetro: translation %.3f s\n", vt_clock() - t0);
	if (b->opts.out == NULL && b->opts.emit_dir == NULL)
		b->opts.out = vc_format(c, "%s%s", default_out(c, m), b->opts.shared ? ".so" : "");
	name_application(c, b, m);
	if (b->opts.shared)
		vc_emit_shared(files, *n);
	return files;
}

static const char *
why_not(vc *c, const build *b, const char *out)
{
	const char *slash = strrchr(out, '/');
	const char *dir = slash == NULL  ? "."
			  : slash == out ? "/"
					 : vc_format(c, "%.*s", (int)(slash - out), out);
	struct stat st, source;

	if (slash && slash[1] == '\0')
		return "it is the name of a directory";
	if (stat(out, &st) != 0)
		return errno == ENOENT && access(dir, W_OK | X_OK) == 0 ? NULL : strerror(errno);
	if (S_ISDIR(st.st_mode))
		return "it is a directory";
	/* the linker's file takes its place, and a device would be gone */
	if (!S_ISREG(st.st_mode))
		return "it is no file that can be replaced";
	for (uint32_t i = 0; i < b->nsources; i++)
		if (stat(b->sources[i], &source) == 0 && source.st_dev == st.st_dev &&
			source.st_ino == st.st_ino)
			return "it is what is built from";
	return access(dir, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

/* By their names too, for they need not be there yet. */
static bool
is_same_file(vc *c, const char *a, const char *b)
{
	const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
	const char *dir_a = slash_a ? vc_strndup(c, a, (size_t)(slash_a - a) + 1) : ".";
	const char *dir_b = slash_b ? vc_strndup(c, b, (size_t)(slash_b - b) + 1) : ".";
	struct stat x, y;

	if (stat(a, &x) == 0 && stat(b, &y) == 0)
		return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	return strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 &&
	       stat(dir_a, &x) == 0 && stat(dir_b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static bool
is_input(vc *c, const char *path)
{
	for (uint32_t i = 0; i < c->ninputs; i++)
		if (is_same_file(c, path, c->inputs[i].path))
			return true;
	return false;
}

/* Before the C compiler works for nothing, and what nobody wanted to lose is replaced. */
static bool
can_be_written(vc *c, const build *b)
{
	const char *why = b->opts.out ? why_not(c, b, b->opts.out) : NULL;
	const char *sbom = b->opts.sbom.file;

	if (why == NULL && sbom) {
		why = b->opts.out && is_same_file(c, sbom, b->opts.out) ? "it is the binary"
		      : is_input(c, sbom)                               ? "it is what is built from"
									: why_not(c, b, sbom);
		if (why)
			vc_report(c, VC_E0905, (vc_span){0}, "%s cannot be written: %.*s", sbom,
				VT_WHOLE(why));
		return why == NULL;
	}
	if (why == NULL)
		return true;
	vc_report(c, VC_E0905, (vc_span){0}, "the binary cannot become %s: %.*s", b->opts.out,
		VT_WHOLE(why));
	vc_hint(c, "-o FILE names another");
	return false;
}

/* Is a source of the line something else than a package?  --trace needs statements. */
static bool
has_no_statements(cmd_options *o)
{
	vc *c = vc_new();
	bool has = cmd_is_yay(o, o->line.words.v[0]) || cmd_is_tosca(c, o, o->line.words.v[0]);

	vc_free(c);
	return has;
}

int
cmd_build(cmd_options *o)
{
	build b = build_of(o, o->line.words.v, o->line.words.n);
	int rc = VC_EUSAGE;
	uint32_t n = 0;
	vc_cfile *files = NULL;
	vc *c;

	b.takes_form = !o->shared && !o->from;
	if (o->opt < 0)
		b.opts.opt = 1;
	if (o->line.behind < o->line.words.n)
		return vt_cli_usage(&o->line, "arguments behind -- are those of run, as %s",
			o->line.words.v[o->line.behind]);
	if (o->target && !vc_is_target(o->target))
		return vt_cli_usage(
			&o->line, "--target is a machine as aarch64-linux-gnu, not %s", o->target);
	if (o->emit && !is_stage(o->emit))
		return cmd_emit_stage(o);
	c = vc_new();
	c->passes_off = o->passes_off | (o->before < 0 ? 0 : 1u << o->before);
	c->noted = o->after + 1;
	c->keeps_inputs = o->sbom != NULL;
	c->verbose = o->verbose;
	c->werror = o->werror;
	if (o->shared && cmd_is_tosca(c, o, b.sources[0]))
		vt_cli_usage(&o->line, "--shared is for MuranoPL packages");
	else if (o->trace && has_no_statements(o))
		vt_cli_usage(&o->line, "--trace is for MuranoPL packages");
	else
		files = translate(c, &b, &n, &rc);
	if (files) {
		rc = can_be_written(c, &b) ? vc_toolchain_build(c, files, n, &b.opts) : VC_EINPUT;
		free_files(files, n);
	}
	vc_print_diags(c, VC_TEXT, stderr);
	vc_free(c);
	return rc;
}

/* ---- what is run at once ---- */

/* NULL, reported, when there is no place that is safe. */
static const char *
cache_dir(vc *c)
{
	const char *why, *dir = vc_cache_dir(c, &why);

	if (dir)
		return dir;
	vc_report(c, VC_E0903, (vc_span){0}, "%s", why);
	vc_hint(c, "remove it or mend its owner and mode, set HOME or XDG_CACHE_HOME, or use "
		   "`vetro build`");
	return NULL;
}

static const char *
cached_binary(vc *c, build *b, vc_cfile *files, uint32_t n, int *rc)
{
	const char *dir = cache_dir(c);

	if (b->opts.opt < 0)
		b->opts.opt = 0;
	*rc = VC_ECC;
	if (dir == NULL)
		return NULL;
	b->opts.out = vc_format(c, "%s/%s", dir, vc_toolchain_key(c, files, n, &b->opts));
	b->opts.kept = true;
	*rc = !b->opts.no_cache && vc_cache_has(c, b->opts.out)
		      ? VC_OK
		      : vc_toolchain_build(c, files, n, &b->opts);
	return *rc == VC_OK ? b->opts.out : NULL;
}

static bool
in_memory(vc *c, const build *b, vc_cfile *files, uint32_t n, cmd_program *p, int *rc)
{
	vc_build_opts o = b->opts;

	*rc = VC_ECC;
	o.out = NULL; /* only --emit-c */
	if (o.emit_dir && vc_toolchain_build(c, files, n, &o) != VC_OK)
		return false;
	p->main = vc_jit_program(c, files, n, &b->opts, &p->code);
	*rc = p->main ? VC_OK : VC_ECC;
	return p->main != NULL;
}

/* Diagnostics are reported. */
static bool
make_program(vc *c, build *b, cmd_program *p, int *rc)
{
	const char *keep = b->opts.emit_dir;
	uint32_t n = 0;
	vc_cfile *files;
	bool ok = false, jit = b->o->jit == VC_JIT_MEMORY ||
			       (b->o->jit == VC_JIT_AUTO &&
				       !(b->opts.opt >= 0 || b->opts.debug || b->opts.is_static) &&
				       vc_tcc_possible());

	*p = (cmd_program){NULL, NULL, NULL, NULL};
	c->passes_off |= b->o->passes_off;
	if (jit) /* it runs with the library of vetro itself */
		c->passes_off |= 1u << VC_PASS_SUBSET;
	c->verbose = b->opts.verbose;
	b->opts.out = b->opts.emit_dir = NULL; /* so that it gets its name */
	files = translate(c, b, &n, rc);
	b->opts.emit_dir = keep;
	p->name = b->opts.out ? b->opts.out : "deploy";
	if (files && jit)
		ok = in_memory(c, b, files, n, p, rc);
	else if (files)
		ok = (p->binary = cached_binary(c, b, files, n, rc)) != NULL;
	if (files)
		free_files(files, n);
	vc_print_diags(c, VC_TEXT, stderr);
	return ok;
}

bool
cmd_make_program(
	vc *c, cmd_options *o, const char *const *sources, uint32_t n, cmd_program *p, int *rc)
{
	const vt_cli_list *w = &o->line.words;
	build b = build_of(o, sources, n);

	/* Whoever builds a binary asks for the reader of Yay; here it costs nothing. */
	b.opts.with_yay = true;
	/* Only the page of `serve` shows the form. */
	for (uint32_t i = o->line.behind; i < w->n; i++)
		b.takes_form |= strcmp(w->v[i], "serve") == 0;
	return make_program(c, &b, p, rc);
}

const char *
cmd_cached_binary(vc *c, cmd_options *o, const char *const *sources, uint32_t n, int *rc)
{
	build b = build_of(o, sources, n);
	cmd_program p;

	b.opts.opt = 2;
	return make_program(c, &b, &p, rc) ? p.binary : NULL;
}

int
cmd_become(const cmd_program *p, char **argv)
{
	if (p->main) {
		int n = 0;
		while (argv[n])
			n++;
		exit(p->main(n, argv));
	}
	vt_limit_hand_over();
	execv(p->binary, argv);
	vt_say("vetro: cannot execute %s: %s\n", p->binary, strerror(errno));
	return VC_EFAULT;
}

/* What a program of our own and what one in a file is given; it outlives the compilation. */
static char **
program_args(const char *name, const char *const *given, uint32_t n)
{
	char **args = vt_xmalloc(((size_t)n + 2) * sizeof *args);

	args[0] = vt_xstrdup(name);
	if (n)
		memcpy(args + 1, given, n * sizeof *args);
	args[n + 1] = NULL;
	return args;
}

int
cmd_run_program(cmd_options *o, const char *const *sources, uint32_t n, const char *const *given,
	uint32_t ngiven)
{
	cmd_program p;
	vc *c = vc_new();
	int rc = VC_EUSAGE;

	c->werror = o->werror;
	if (cmd_make_program(c, o, sources, n, &p, &rc)) {
		char **args = program_args(p.name, given, ngiven);
		if (p.main)
			vc_free(c);
		rc = cmd_become(&p, args);
	}
	vc_free(c);
	return rc;
}

/* The program shows what it was built to show when its command is told to. */
static int
run_traced(cmd_options *o)
{
	const vt_cli_list *w = &o->line.words;
	const char **args = vt_xmalloc((w->n + 1) * sizeof *args);
	uint32_t n = 0;
	int rc;

	for (uint32_t i = o->line.behind; i < w->n; i++) {
		args[n++] = w->v[i];
		if (i == o->line.behind)
			args[n++] = "--trace";
	}
	rc = cmd_run_program(o, w->v, o->line.behind, args, n);
	free(args);
	return rc;
}

int
cmd_run(cmd_options *o)
{
	const vt_cli_list *w = &o->line.words;

	if (o->trace && has_no_statements(o))
		return vt_cli_usage(&o->line, "--trace is for MuranoPL packages");
	if (o->trace)
		return run_traced(o);
	return cmd_run_program(
		o, w->v, o->line.behind, w->v + o->line.behind, w->n - o->line.behind);
}

/*
 * main.c - the binary of a Yay configuration: prints it or a part of it, with overrides.
 */
#include "runtime/net/http.h"
#include "runtime/text/report.h"
#include "runtime/yay/yay.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

typedef struct run {
	const vt_yprogram *p;
	vt_rt *rt;
	vt_yay *y;
	const char *self; /* what it was called as */
	const char *select, *as, *format, *dflt;
	bool raw, compact;
} run;

/* ---- documents and classes ---- */

static const vt_ydoc *
named(const run *r, const char *name, size_t n)
{
	for (uint32_t i = 0; i < r->p->ndocs; i++) {
		const char *key = r->p->key[i] ? r->p->key[i] : r->p->docs[i]->name;
		if (strlen(key) == n && memcmp(key, name, n) == 0)
			return r->p->docs[i];
	}
	return NULL;
}

/* The URL that names of a document are relative to; NULL: it is a file. */
static const char *
base_of(const run *r, const vt_ydoc *from)
{
	for (uint32_t i = 0; i < r->p->ndocs; i++)
		if (r->p->docs[i] == from)
			return r->p->base[i];
	return NULL;
}

static const vt_ydoc *
of_url(const run *r, const char *base, const char *name)
{
	char *url = base ? vt_net_join(base, name) : vt_xstrdup(name), *key = vt_yay_url_key(url);
	const vt_ydoc *d = named(r, key, strlen(key));

	free(url);
	free(key);
	return d;
}

static const vt_ydoc *
of_file(const run *r, const char *name, const char *from)
{
	const char *slash = strrchr(from, '/');
	const vt_ydoc *d = NULL;
	vt_buf b = {0};

	if (slash && *name != '/') {
		vt_buf_put(&b, from, (size_t)(slash - from) + 1);
		vt_buf_puts(&b, name);
		d = named(r, b.p, b.n);
		vt_buf_free(&b);
	}
	return d ? d : named(r, name, strlen(name));
}

/* Beside the document that includes it, then as it is called. */
static const vt_ydoc *
open_document(void *ctx, vt_yay *y, const char *name, const vt_ydoc *from, bool *secret)
{
	const char *base = base_of(ctx, from);

	*secret = false;
	if (vt_yay_is_encrypted(name)) {
		vt_yay_refuse(
			y, "NotFound", "a binary holds no encrypted documents", (vt_yplace){0});
		return NULL;
	}
	return base || vt_net_is_url(name) ? of_url(ctx, base, name)
					   : of_file(ctx, name, from->name);
}

static bool
has_class(void *ctx, const char *name)
{
	return vt_yay_has_class(((run *)ctx)->rt, name);
}

static vt_status
make(void *ctx, vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	return vt_yay_make_object(rt, name, params, out);
}

/* ---- the command line ---- */

static const char help[] =
	"usage: %s [PATH] [--set PATH=VALUE]... [--as TYPE] [--default VALUE] [-f json|yaml] [-c] "
	"[-r]\n"
	"       %s help | --version\n\n"
	"Prints the configuration, or the part at PATH (as sites[0].url) without looking at the "
	"rest.\n\n"
	"  --set PATH=VALUE  an override; VALUE is JSON or else a text\n"
	"  --as TYPE         int, float, number, bool, string, list, iterable, dict, keys or type\n"
	"  --default VALUE   what to print when the part is not defined\n"
	"  -f FORMAT         json or yaml\n"
	"  -c, -r            JSON in one line; a text without quotes\n"
	"Exit status: 0 done, 1 the configuration has errors or the part is not defined, 2 bad "
	"usage.\n";

static int
usage(const run *r, const char *what, const char *arg)
{
	vt_say("%s: %s %s\nhint: see '%s help'\n", r->self, what, arg, r->self);
	return 2;
}

/* "-x VALUE", "--name VALUE" or "--name=VALUE" at argv[*i]; NULL: another option, or *missing is
 * true. */
static const char *
option_value(const char *name, int argc, char **argv, int *i, bool *missing)
{
	size_t n = strlen(name);

	if (strncmp(argv[*i], name, n) == 0 && argv[*i][n] == '=' && name[1] == '-')
		return argv[*i] + n + 1;
	if (strcmp(argv[*i], name) != 0)
		return NULL;
	*missing = *i + 1 >= argc;
	return *missing ? NULL : argv[++*i];
}

static int
read_arg(run *r, int argc, char **argv, int *i)
{
	const struct {
		const char *name;
		const char **to;
	} options[] = {{"--as", &r->as}, {"--default", &r->dflt}, {"-f", &r->format},
		{"--select", &r->select}};
	const char *a = argv[*i], *v;
	bool missing = false;

	for (size_t k = 0; k < VT_LEN(options) && !missing; k++)
		if ((v = option_value(options[k].name, argc, argv, i, &missing)) != NULL)
			return *options[k].to = v, 0;
	if (!missing && (v = option_value("--set", argc, argv, i, &missing)) != NULL)
		return vt_yay_override(r->rt, r->y, v) ? 0
						       : usage(r, "--set takes PATH=VALUE, not", v);
	if (missing)
		return usage(r, "a value is missing after", a);
	if (!strcmp(a, "-c"))
		r->compact = true;
	else if (!strcmp(a, "-r"))
		r->raw = true;
	else if (a[0] == '-')
		return usage(r, "unknown option", a);
	else
		r->select = a;
	return 0;
}

static int
read_args(run *r, int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc && rc == 0; i++)
		rc = read_arg(r, argc, argv, &i);
	if (rc == 0 && r->format && strcmp(r->format, "json") && strcmp(r->format, "yaml"))
		return usage(r, "-f is json or yaml, not", r->format);
	return rc;
}

/* ---- results ---- */

static vt_place
place_of(const vt_yplace *p)
{
	return (vt_place){.file = p->name,
		.line = p->line,
		.col = p->col,
		.end_line = p->line,
		.end_col = p->col};
}

/* Without excerpts: a configuration may hold what was encrypted. */
static void
tell(const run *r, const vt_yfault *f)
{
	vt_remark notes[VT_YAY_PLACES];
	vt_report report = {.code = vt_diag_name(vt_yay_diag(f)),
		.self = r->self,
		.message = f->message ? f->message : f->type,
		.notes = notes};
	char hint[48];

	if (f->nplaces)
		report.at = place_of(&f->place[0]);
	for (uint32_t i = 1; i < f->nplaces; i++)
		notes[report.nnotes++] = (vt_remark){place_of(&f->place[i]),
			f->kind == VT_YE_CYCLE ? "which needs this" : "through this"};
	snprintf(hint, sizeof hint, "'vetro explain %s' says more", report.code);
	report.hint = hint;
	vt_report_print(&report, stderr);
}

static void
print(const run *r, vt_value v)
{
	vt_buf b = {0};

	if (r->raw && vt_is(v, STR))
		vt_buf_put(&b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (r->format && !strcmp(r->format, "yaml"))
		vt_yaml_write(r->rt, &b, v);
	else
		vt_json_write(r->rt, &b, v, r->compact ? 0 : VT_JSON_PRETTY);
	if (!b.n || b.p[b.n - 1] != '\n')
		vt_buf_putc(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
	vt_buf_free(&b);
}

static int
answer(run *r)
{
	int as = 0;
	vt_ynode *n;
	vt_value v = VT_UNDEF;
	bool good;

	while (r->as && as < VT_YAS_COUNT && strcmp(r->as, vt_yay_as_names[as]))
		as++;
	if (as == VT_YAS_COUNT)
		return usage(r, "--as knows no type", r->as);
	n = vt_yay_root(r->y);
	if (r->select)
		n = vt_yay_at(r->y, n, r->select, strlen(r->select));
	good = n && vt_yay_value(r->y, n, (enum vt_yay_as)as, &v);
	if (!good && r->dflt && vt_yay_fault(r->y)->kind == VT_YE_NO_MATCHING) {
		v = vt_yay_given_value(r->rt, r->dflt);
		good = true;
	}
	if (good)
		print(r, v);
	else
		tell(r, vt_yay_fault(r->y));
	vt_release(v);
	return !good;
}

static bool
load(run *r)
{
	char *why = NULL;

	if (r->p->lua && !vt_lua_load_files(r->rt, r->p->lua, &why)) {
		vt_report report = {
			.code = vt_diag_name(VT_E0114), .self = r->self, .message = why};
		vt_report_print(&report, stderr);
		free(why);
		return false;
	}
	for (uint32_t i = 0; i < r->p->nlayers; i++)
		vt_yay_load(r->y, r->p->docs[i], false);
	for (const char *const *d = r->p->search; *d; d++)
		vt_yay_search(r->y, *d);
	return true;
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") ||
			(i == 1 && (!strcmp(argv[i], "help") || !strcmp(argv[i], "-h"))))
			return true;
	return false;
}

/* What was printed has come to where it should. */
static int
written(const run *r, int rc)
{
	bool lost = ferror(stdout);

	if (fflush(stdout) == 0 && !lost)
		return rc;
	vt_say("%s: standard output: %s\n", r->self, strerror(errno));
	return rc ? rc : 1;
}

int
vt_yay_main(int argc, char **argv, const vt_yprogram *p)
{
	run r = {.p = p};
	vt_yay_host host = {&r, open_document, has_class, make};
	int rc = 1;

	r.self = argc > 0 ? argv[0] : "config";
	r.self = strrchr(r.self, '/') ? strrchr(r.self, '/') + 1 : r.self;
	if (argc > 1 && !strcmp(argv[1], "--version"))
		return printf("%s (built by vetro " VETRO_VERSION ")\n", r.self), written(&r, 0);
	if (asks_for_help(argc, argv))
		return printf(help, r.self, r.self), written(&r, 0);
	r.rt = vt_rt_new(NULL);
	r.y = vt_yay_new(r.rt, &host, NULL);
	if (load(&r) && (rc = read_args(&r, argc, argv)) == 0)
		rc = answer(&r);
	vt_yay_free(r.y);
	vt_rt_free(r.rt);
	return written(&r, rc);
}

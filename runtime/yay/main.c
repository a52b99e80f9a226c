/*
 * main.c - the binary of a Yay configuration: prints it or a part of it, with overrides.
 */
#include "runtime/net/http.h"
#include "runtime/task/task.h"
#include "runtime/text/report.h"
#include "runtime/yay/program.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"
#include "runtime/core/printable.h"
#include "runtime/text/nearest.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { STACK_BYTES = 8 << 20 };

static const vt_cli_command commands[] = {
	{"", "[PATH]", NULL,
		"A part that is called as a command is printed, not the command done."},
	{"plan", "", "says what a run would change: old and new values", NULL},
	{"run", "", "puts the configuration in force: writes it, and keeps it as the state", NULL},
	{"status", "", "prints what is in force", NULL},
	{"logs", "[WORD]", "prints what runs have changed; lines with WORD alone", NULL},
	{"undeploy", "", "removes what was written, and the state", NULL},
	{"drift", "", "is the file what was written? The status is 1 when it is not", NULL},
	{"help,--help,-h", "[COMMAND]...", "shows this help", NULL},
	{"--version", "", "prints the version", NULL},
};
static const vt_cli_option rows[] = {
#define OPTION(kind, field, ...) {VT_CLI_##kind, offsetof(vt_yoptions, field), __VA_ARGS__},
#define ALSO OPTION
#include "runtime/yay/options.def"
};
const vt_cli vt_yay_cli = {
	.about = "prints the configuration, or the part at PATH (as sites[0].url) without looking "
		 "at the rest",
	.notes =
		"Exit status: 0 done, 1 the configuration has errors or the part is not defined, 2 "
		"bad usage, 5 --memory is used up, 6 --timeout is over.",
	.commands = commands,
	.options = rows,
	.ncommands = VT_LEN(commands),
	.noptions = VT_LEN(rows),
};

/* ---- documents and classes ---- */

static bool
is_same(const char *key, const char *name, size_t n)
{
	vt_buf a = {0}, b = {0};
	bool same = strlen(key) == n && memcmp(key, name, n) == 0;

	if (!same && !strstr(key, "://")) {
		vt_yay_put_plain(&a, key, strlen(key));
		vt_yay_put_plain(&b, name, n);
		same = a.n && a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
	}
	vt_buf_free(&a);
	vt_buf_free(&b);
	return same;
}

static const vt_ydoc *
named(const vt_yrun *r, const char *name, size_t n)
{
	for (uint32_t i = 0; i < r->p->ndocs; i++)
		if (is_same(r->p->key[i] ? r->p->key[i] : r->p->docs[i]->name, name, n))
			return r->p->docs[i];
	return NULL;
}

/* The URL that names of a document are relative to; NULL: it is a file. */
static const char *
base_of(const vt_yrun *r, const vt_ydoc *from)
{
	for (uint32_t i = 0; i < r->p->ndocs; i++)
		if (r->p->docs[i] == from)
			return r->p->base[i];
	return NULL;
}

static const vt_ydoc *
of_url(const vt_yrun *r, const char *base, const char *name)
{
	char *url = base ? vt_net_join(base, name) : vt_xstrdup(name), *key = vt_yay_url_key(url);
	const vt_ydoc *d = named(r, key, strlen(key));

	free(url);
	free(key);
	return d;
}

enum { MOST_TRIED = 2000 };

/* For the hint: a search path tries "DIR/NAME" after NAME. */
static const vt_ydoc *
attempt(vt_yrun *r, const char *name, size_t n)
{
	const vt_ydoc *d = named(r, name, n);
	vt_buf plain = {0};

	vt_yay_put_plain(&plain, name, n);
	if (d)
		r->tried.n = 0;
	else if (r->tried.n < MOST_TRIED)
		vt_buf_printf(&r->tried, "%s'%.*s'", r->tried.n ? ", " : "", (int)plain.n,
			plain.n ? plain.p : "");
	vt_buf_free(&plain);
	return d;
}

static void
begin_attempts(vt_yrun *r, const char *name)
{
	size_t n = strlen(name), of = r->sought ? strlen(r->sought) : 0;

	if (of && n >= of && strcmp(name + n - of, r->sought) == 0)
		return;
	free(r->sought);
	r->sought = vt_xstrdup(name);
	r->tried.n = 0;
}

static const vt_ydoc *
of_file(vt_yrun *r, const char *name, const char *from)
{
	const char *slash = strrchr(from, '/');
	const vt_ydoc *d = NULL;
	vt_buf b = {0};

	begin_attempts(r, name);
	if (slash && *name != '/') {
		vt_buf_put(&b, from, (size_t)(slash - from) + 1);
		vt_buf_puts(&b, name);
		d = attempt(r, b.p, b.n);
		vt_buf_free(&b);
	}
	return d ? d : attempt(r, name, strlen(name));
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
	return vt_yay_has_class(((vt_yrun *)ctx)->rt, name);
}

static vt_status
make(void *ctx, vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	return vt_yay_make_object(rt, name, params, out);
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
put_report(const vt_yrun *r, const vt_yfault *f, const char *meant)
{
	vt_remark notes[VT_YAY_PLACES];
	vt_report report = {.code = vt_diag_name(vt_yay_diag(f)),
		.self = r->self,
		.message = f->message ? f->message : f->type,
		.notes = notes};
	char *hint;

	if (f->nplaces)
		report.at = place_of(&f->place[0]);
	for (uint32_t i = 1; i < f->nplaces; i++)
		notes[report.nnotes++] = (vt_remark){place_of(&f->place[i]),
			f->kind == VT_YE_CYCLE ? "which needs this" : "through this"};
	/* a name that was made of secrets is in no message */
	if (meant)
		hint = vt_asprintf("did you mean %s?", meant);
	else if (f->kind == VT_YE_NOT_FOUND && r->tried.n && !strstr(report.message, "*****"))
		hint = vt_asprintf("looked for as %.*s among the %u documents that were there "
				   "when it was built",
			(int)r->tried.n, r->tried.p, r->p->ndocs);
	else
		hint = vt_asprintf("'vetro explain %s' says more", report.code);
	report.hint = hint;
	vt_report_print(&report, stderr);
	free(hint);
}

void
vt_yrun_report(const vt_yrun *r, const vt_yfault *f)
{
	put_report(r, f, NULL);
}

/* In the order of the table, behind "". */
static int (*const verbs[])(vt_yrun *) = {
	vt_yrun_plan, vt_yrun_run, vt_yrun_status, vt_yrun_logs, vt_yrun_undeploy, vt_yrun_drift};

/* What a path that leads nowhere was to be: a key beside it, or at the root a command. */
static char *
near_path(vt_yrun *r, const char *path)
{
	const char *names[VT_LEN(verbs)];

	for (size_t i = 0; i < VT_LEN(verbs); i++)
		names[i] = commands[i + 1].name;
	return vt_yay_near_path(r->y, path, names, VT_LEN(names));
}

/* Of the command that is no part of the configuration. */
static int (*verb_of(const vt_yrun *r))(vt_yrun *)
{
	size_t i = (size_t)(r->o->line.command - commands);
	const char *name = commands[i].name;
	vt_ynode *n;
	if (i == 0 || i > VT_LEN(verbs))
		return NULL;
	n = vt_yay_root(r->y);
	return n && vt_yay_at(r->y, n, name, strlen(name)) ? NULL : verbs[i - 1];
}

static bool
override(vt_yrun *r)
{
	for (uint32_t i = 0; i < r->o->inputs.n; i++)
		if (!vt_yay_input(r->rt, r->y, r->o->inputs.v[i])) {
			(void)vt_cli_usage(
				&r->o->line, "--input takes NAME=VALUE, not %s", r->o->inputs.v[i]);
			return false;
		}
	return true;
}

/* Of a path that is not there what was meant is looked for, which may fail anew. */
static void
report_path(vt_yrun *r, const char *path)
{
	vt_yfault f = *vt_yay_fault(r->y);
	char *message = f.message ? vt_asprintf("%s", f.message) : NULL, *meant = NULL;
	if (path && f.kind == VT_YE_NO_MATCHING && f.nplaces == 0)
		meant = near_path(r, path);
	f.message = message;
	put_report(r, &f, meant);
	free(meant);
	free(message);
}

static void
load_documents(const vt_yrun *r, vt_yay *y)
{
	for (uint32_t i = 0; i < r->p->nlayers; i++)
		vt_yay_load(y, r->p->docs[i], false);
	for (const char *const *d = r->p->search; *d; d++)
		vt_yay_search(y, *d);
}

/* What --set and --input name that the configuration does not have. */
static void
note_new_keys(vt_yrun *r, const vt_yay_host *host)
{
	const vt_yoptions *o = r->o;
	vt_yay *before;

	if (o->sets.n + o->inputs.n == 0)
		return;
	before = vt_yay_new(r->rt, host, NULL);
	load_documents(r, before);
	for (uint32_t i = 0; i < o->sets.n; i++)
		vt_yay_note_new(before, r->self, "--set", o->sets.v[i]);
	for (uint32_t i = 0; i < o->inputs.n; i++)
		vt_yay_note_new(before, r->self, "--input", o->inputs.v[i]);
	vt_yay_free(before);
}

static int
answer(vt_yrun *r)
{
	const vt_cli_list *words = &r->o->line.words;
	const char *path = words->n ? words->v[0] : r->o->select;
	int (*verb)(vt_yrun *);
	enum vt_yay_as as = (enum vt_yay_as)(r->o->as < 0 ? 0 : r->o->as);
	bool yaml = r->o->form && !strcmp(r->o->form, "yaml"), good;
	vt_ynode *n;
	vt_value v = VT_UNDEF;

	for (uint32_t i = 0; i < r->o->sets.n; i++)
		if (!vt_yay_override(r->rt, r->y, r->o->sets.v[i]))
			return vt_cli_usage(
				&r->o->line, "--set takes PATH=VALUE, not %s", r->o->sets.v[i]);
	if (!override(r))
		return VT_CLI_USAGE;
	verb = verb_of(r);
	if (verb)
		return verb(r);
	if (*r->o->line.command->name)
		path = r->o->line.command->name;
	n = vt_yay_root(r->y);
	if (path)
		n = vt_yay_at(r->y, n, path, strlen(path));
	good = n && (as == VT_YAS_VALUE && !yaml ? vt_yay_shown(r->y, n, false, &v)
						 : vt_yay_value(r->y, n, as, &v));
	if (!good && r->o->otherwise && vt_yay_fault(r->y)->kind == VT_YE_NO_MATCHING) {
		v = vt_yay_given_value(r->rt, r->o->otherwise);
		good = true;
	}
	if (good)
		vt_yay_print(r->rt, v, r->o->raw, yaml,
			vt_json_layout(r->o->compact, r->o->tab, r->o->indent));
	else
		report_path(r, path);
	vt_release(v);
	return !good;
}

static bool
load(vt_yrun *r)
{
	char *why = NULL;

	if (r->p->lua && !vt_lua_load_files(r->rt, r->p->lua, &why)) {
		vt_report report = {
			.code = vt_diag_name(VT_E0114), .self = r->self, .message = why};
		vt_report_print(&report, stderr);
		free(why);
		return false;
	}
	load_documents(r, r->y);
	return true;
}

static int
print_answer(void *of)
{
	vt_yrun *r = of;
	vt_yay_host host = {r, open_document, has_class, make};
	int rc = 1;

	if (r->o->completion)
		return vt_cli_completion(&r->o->line, r->o->completion);
	r->rt = vt_rt_new(NULL);
	r->y = vt_yay_new(r->rt, &host, NULL);
	if (load(r)) {
		note_new_keys(r, &host);
		rc = answer(r);
	}
	vt_yay_free(r->y);
	vt_rt_free(r->rt);
	vt_buf_free(&r->tried);
	free(r->sought);
	return rc;
}

int
vt_yay_main(int argc, char **argv, const vt_yprogram *p)
{
	char *version = vt_asprintf(
		"%s (built by vetro " VETRO_VERSION ")", vt_cli_self(argc, argv, "config"));
	vt_yoptions o = {.line = {.self = vt_cli_self(argc, argv, "config"), .version = version}};
	vt_yrun r = {.p = p, .o = &o, .self = o.line.self};
	int rc = vt_cli_main(&o.line, &vt_yay_cli, argc, argv, STACK_BYTES, print_answer, &r);

	free(version);
	return rc;
}

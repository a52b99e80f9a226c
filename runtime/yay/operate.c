/*
 * operate.c - what operators do with the binary of a configuration: `plan`, `run`, `status`,
 * `logs`, `undeploy`, `drift`.
 *
 * To deploy a configuration is to put it in force: `run` resolves it, writes it to --output if that
 * is given, and keeps it as the state, NAME-VERSION.state.json.  `name` and `version` are those of
 * the configuration; without a name its first file has one.  The state is one JSON object:
 *
 *	service, version  whose it is
 *	value             the configuration
 *	output            the file it was written to, absolute; or null
 *	text              what was written there
 */
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"
#include "runtime/yay/program.h"
#include "runtime/call/call.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_STATE = 1 << 30, MOST_NAME = 150 };

/* ---- who it is ---- */

typedef struct identity {
	char *name, *version; /* version: or NULL */
	char *path;           /* of the state */
} identity;

static char *
text_member(vt_value v, const char *key)
{
	vt_value m = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), key) : VT_UNDEF;
	return vt_is(m, STR) && vt_as_str(m)->bytes ? vt_xstrdup(vt_as_str(m)->s) : NULL;
}

/* A version may be a number. */
static char *
version_member(vt_rt *rt, vt_value v)
{
	vt_value m = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), "version") : VT_UNDEF;
	vt_buf b = {NULL, 0, 0};
	if (m == VT_UNDEF || m == VT_NULL || vt_is(m, DICT) || vt_is_sequence(m))
		return NULL;
	if (vt_is(m, STR))
		return text_member(v, "version");
	vt_json_write(rt, &b, m, 0);
	vt_buf_putc(&b, 0);
	return b.p;
}

/* The name of the first layer, without folders and its end. */
static char *
file_name(const vt_yrun *r)
{
	const char *name = r->p->docs[0]->name, *slash = strrchr(name, '/'),
		   *from = slash ? slash + 1 : name, *dot = strrchr(from, '.');
	return vt_asprintf(
		"%.*s", (int)(dot && dot > from ? (size_t)(dot - from) : strlen(from)), from);
}

static identity
who(const vt_yrun *r, vt_value v)
{
	identity w = {.name = text_member(v, "name"), .version = version_member(r->rt, v)};
	vt_buf b = {NULL, 0, 0};
	if (!w.name) {
		free(w.version);
		w.version = NULL;
		w.name = file_name(r);
	}
	vt_put_file_name(&b, w.name, MOST_NAME);
	if (w.version) {
		vt_buf_putc(&b, '-');
		vt_put_file_name(&b, w.version, MOST_NAME);
	}
	vt_buf_puts(&b, ".state.json");
	vt_buf_putc(&b, 0);
	w.path = r->o->snapshot ? vt_xstrdup(r->o->snapshot) : vt_xstrdup(b.p);
	vt_buf_free(&b);
	return w;
}

static void
drop_who(identity *w)
{
	free(w->name);
	free(w->version);
	free(w->path);
}

static void
put_who(vt_buf *b, const identity *w)
{
	vt_put_printable(b, w->name, strlen(w->name));
	if (w->version) {
		vt_buf_putc(b, ' ');
		vt_put_printable(b, w->version, strlen(w->version));
	}
}

/* ---- the state ---- */

/* VT_NULL: there is none.  False: reported. */
static bool
read_state(vt_yrun *r, const identity *w, vt_value *out)
{
	vt_buf b = {NULL, 0, 0};
	char *why = NULL, *name = NULL;
	bool ok;
	*out = VT_NULL;
	if (access(w->path, F_OK) != 0 && errno == ENOENT)
		return true;
	ok = vt_read_file(w->path, MOST_STATE, &b);
	if (!ok)
		vt_say("%s: %s: %s\n", r->self, w->path, strerror(errno));
	else if (!(ok = vt_json_read(r->rt, b.n ? b.p : "", b.n, 0, 0, out, &why)))
		vt_say("%s: %s is no state: %s\n", r->self, w->path, why);
	else if (!(ok = (name = text_member(*out, "service")) != NULL &&
			 vt_dict_get_c(vt_as_dict(*out), "value") != VT_UNDEF))
		vt_say("%s: %s is no state of a configuration\n", r->self, w->path);
	else if (!(ok = strcmp(name, w->name) == 0))
		vt_say("%s: %s is the state of another configuration, '%s'\n  hint: --snapshot "
		       "names the state of this one\n",
			r->self, w->path, name);
	if (!ok) {
		vt_release(*out);
		*out = VT_NULL;
	}
	free(why);
	free(name);
	vt_buf_free(&b);
	return ok;
}

static vt_value
member(vt_value state, const char *key)
{
	vt_value v = vt_is(state, DICT) ? vt_dict_get_c(vt_as_dict(state), key) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

static bool
write_state(vt_yrun *r, const identity *w, vt_value v, const char *output, const vt_buf *text)
{
	vt_rt *rt = r->rt;
	vt_dict *d = vt_dict_new(rt, true);
	vt_buf b = {NULL, 0, 0};
	bool ok;
	vt_dict_set_c(rt, d, "service", vt_str_c(rt, w->name));
	vt_dict_set_c(rt, d, "version", w->version ? vt_str_c(rt, w->version) : VT_NULL);
	vt_dict_set_c(rt, d, "output", output ? vt_str_c(rt, output) : VT_NULL);
	vt_dict_set_c(rt, d, "text", output ? vt_str_new(rt, text->p, text->n) : VT_NULL);
	vt_dict_set_c(rt, d, "value", vt_copy(v));
	vt_json_write(rt, &b, vt_mkptr(d), 0);
	vt_buf_putc(&b, '\n');
	ok = vt_replace_file(w->path, b.p, b.n, VT_FILE_PRIVATE);
	if (!ok)
		vt_say("%s: %s: %s\n", r->self, w->path, strerror(errno));
	vt_release(vt_mkptr(d));
	vt_buf_free(&b);
	return ok;
}

/* ---- old => new ---- */

typedef struct changes {
	vt_rt *rt;
	vt_buf text;
	vt_list *objects; /* {path, action, old, new} */
	uint32_t create, change, remove;
} changes;

static void
put_value(changes *k, vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	vt_json_write(k->rt, &b, v, 0);
	vt_put_cut(&k->text, b.p, b.n);
	vt_buf_free(&b);
}

/* VT_UNDEF: it is not there. */
static void
put_change(changes *k, const vt_buf *path, vt_value old, vt_value new)
{
	vt_rt *rt = k->rt;
	vt_dict *d = vt_dict_new(rt, true);
	vt_value name = vt_str_new(rt, path->p ? path->p : "", path->n);
	const char *action = old == VT_UNDEF ? "create" : new == VT_UNDEF ? "delete" : "change";
	vt_buf_putc(&k->text, *action == 'd' ? '-' : action[1] == 'r' ? '+' : '~');
	vt_buf_putc(&k->text, ' ');
	vt_put_printable(&k->text, path->n ? path->p : "(all)", path->n ? path->n : 5);
	vt_buf_puts(&k->text, ": ");
	if (old != VT_UNDEF)
		put_value(k, old);
	if (old != VT_UNDEF && new != VT_UNDEF)
		vt_buf_puts(&k->text, " => ");
	if (new != VT_UNDEF)
		put_value(k, new);
	vt_buf_putc(&k->text, '\n');
	k->create += old == VT_UNDEF;
	k->remove += new == VT_UNDEF;
	k->change += old != VT_UNDEF && new != VT_UNDEF;
	vt_dict_set_c(rt, d, "name", vt_copy(name));
	vt_dict_set_c(rt, d, "action", vt_str_c(rt, action));
	vt_dict_set_c(rt, d, "old", old == VT_UNDEF ? VT_NULL : vt_copy(old));
	vt_dict_set_c(rt, d, "new", new == VT_UNDEF ? VT_NULL : vt_copy(new));
	vt_list_push(rt, k->objects, vt_mkptr(d));
	vt_release(name);
}

static void compare(changes *, vt_buf *path, vt_value old, vt_value new);

static void
compare_member(changes *k, vt_buf *path, vt_value key, vt_value old, vt_value new)
{
	size_t n = path->n;
	if (vt_is(key, STR)) {
		vt_buf_puts(path, n ? "." : "");
		vt_buf_put(path, vt_as_str(key)->s, vt_as_str(key)->bytes);
	} else {
		vt_buf_puts(path, n ? "." : "");
		vt_json_write(k->rt, path, key, 0);
	}
	compare(k, path, old, new);
	path->n = n;
}

static void
compare_dicts(changes *k, vt_buf *path, const vt_dict *old, const vt_dict *new)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(new, &i, &key, &v);)
		compare_member(k, path, key, vt_dict_get(old, key), v);
	for (uint32_t i = 0; vt_dict_at(old, &i, &key, &v);)
		if (vt_dict_get(new, key) == VT_UNDEF)
			compare_member(k, path, key, v, VT_UNDEF);
}

static void
compare_lists(changes *k, vt_buf *path, const vt_list *old, const vt_list *new)
{
	uint32_t most = old->n > new->n ? old->n : new->n;
	size_t n = path->n;
	for (uint32_t i = 0; i < most; i++) {
		vt_buf_printf(path, "[%u]", i);
		compare(k, path, i < old->n ? old->v[i] : VT_UNDEF,
			i < new->n ? new->v[i] : VT_UNDEF);
		path->n = n;
	}
}

static void
compare(changes *k, vt_buf *path, vt_value old, vt_value new)
{
	if (vt_is(old, DICT) && vt_is(new, DICT))
		compare_dicts(k, path, vt_as_dict(old), vt_as_dict(new));
	else if (vt_is_sequence(old) && vt_is_sequence(new))
		compare_lists(k, path, vt_as_list(old), vt_as_list(new));
	else if (old == VT_UNDEF || new == VT_UNDEF || !vt_eq(old, new))
		put_change(k, path, old, new);
}

/* What nobody has put in force yet is new, member by member. */
static changes
compare_all(vt_yrun *r, vt_value state, vt_value v)
{
	changes k = {.rt = r->rt, .objects = vt_list_grow(r->rt, VT_K_TUPLE, 8)};
	vt_buf path = {NULL, 0, 0};
	vt_dict *none = vt_dict_new(r->rt, false);
	compare(&k, &path,
		state != VT_NULL ? member(state, "value")
		: vt_is(v, DICT) ? vt_mkptr(none)
				 : VT_UNDEF,
		v);
	vt_release(vt_mkptr(none));
	vt_buf_free(&path);
	return k;
}

static void
drop_changes(changes *k)
{
	vt_buf_free(&k->text);
	vt_release(vt_mkptr(k->objects));
}

/* ---- the configuration ---- */

/* All of it, as JSON would hold it. False: reported. */
static bool
resolve(vt_yrun *r, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_buf b = {NULL, 0, 0};
	char *why = NULL;
	vt_ynode *n = vt_yay_root(r->y);
	bool ok = n && vt_yay_value(r->y, n, 0, &v);
	if (!ok) {
		vt_yrun_report(r, vt_yay_fault(r->y));
		return false;
	}
	vt_json_write(r->rt, &b, v, 0);
	vt_release(v);
	ok = vt_json_read(r->rt, b.p, b.n, 0, 0, out, &why);
	if (!ok)
		vt_say("%s: %s\n", r->self, why);
	free(why);
	vt_buf_free(&b);
	return ok;
}

typedef struct view {
	vt_value v, state;
	identity w;
} view;

/* What there is and what should be.  False: reported. */
static bool
open_view(vt_yrun *r, view *a)
{
	*a = (view){.v = VT_NULL, .state = VT_NULL};
	if (!resolve(r, &a->v))
		return false;
	a->w = who(r, a->v);
	return read_state(r, &a->w, &a->state);
}

static void
close_view(view *a)
{
	vt_release(a->v);
	vt_release(a->state);
	drop_who(&a->w);
}

/* ---- answers ---- */

static bool
is_json(const vt_yrun *r, bool elsewhere)
{
	const char *form = r->o->form;
	return form ? strcmp(form, "json") == 0 : elsewhere && !isatty(STDOUT_FILENO);
}

static int
put_text(vt_yrun *r, vt_buf *b)
{
	(void)r;
	vt_buf_print(b, stdout);
	return 0;
}

/* Gives d up. */
static int
put_json(vt_yrun *r, vt_dict *d)
{
	vt_buf b = {NULL, 0, 0};
	vt_json_write(
		r->rt, &b, vt_mkptr(d), vt_json_layout(r->o->compact, r->o->tab, r->o->indent));
	vt_buf_putc(&b, '\n');
	vt_release(vt_mkptr(d));
	return put_text(r, &b);
}

static vt_dict *
answer_of(vt_yrun *r, const identity *w, const char *status)
{
	vt_dict *d = vt_dict_new(r->rt, true);
	vt_dict_set_c(r->rt, d, "service", vt_str_c(r->rt, w->name));
	vt_dict_set_c(r->rt, d, "version", w->version ? vt_str_c(r->rt, w->version) : VT_NULL);
	if (status)
		vt_dict_set_c(r->rt, d, "status", vt_str_c(r->rt, status));
	return d;
}

static vt_value
summary(vt_yrun *r, const changes *k)
{
	vt_dict *d = vt_dict_new(r->rt, true);
	vt_dict_set_c(r->rt, d, "create", vt_mkint(k->create));
	vt_dict_set_c(r->rt, d, "change", vt_mkint(k->change));
	vt_dict_set_c(r->rt, d, "delete", vt_mkint(k->remove));
	return vt_mkptr(d);
}

/* A page of it: v, what there is; more: what the command has to say, its owner's. */
static int
put_page(vt_yrun *r, const identity *w, vt_value v, vt_dict *more)
{
	vt_dict *d = vt_dict_new(r->rt, true);
	vt_buf data = {NULL, 0, 0}, page = {NULL, 0, 0};
	vt_value key, m;
	bool ok;
	vt_dict_set_c(r->rt, d, "title", vt_str_c(r->rt, w->name));
	vt_dict_set_c(r->rt, d, "configuration",
		vt_is(v, DICT) ? vt_copy(v) : vt_mkptr(vt_dict_new(r->rt, true)));
	for (uint32_t i = 0; vt_dict_at(more, &i, &key, &m);)
		vt_dict_set(r->rt, d, key, m);
	vt_json_write(r->rt, &data, vt_mkptr(d), 0);
	vt_put_graph_page(&page, data.p, data.n);
	ok = vt_put_output(r->self, r->o->html, &page, VT_FILE_PRIVATE);
	vt_release(vt_mkptr(d));
	vt_release(vt_mkptr(more));
	vt_buf_free(&data);
	vt_buf_free(&page);
	return ok ? 0 : 1;
}

static int
put_plan_page(vt_yrun *r, const identity *w, vt_value v, const changes *k)
{
	vt_dict *more = vt_dict_new(r->rt, true), *plan = vt_dict_new(r->rt, true);
	vt_dict_set_c(r->rt, plan, "summary", summary(r, k));
	vt_dict_set_c(r->rt, plan, "values", vt_copy(vt_mkptr(k->objects)));
	vt_dict_set_c(r->rt, plan, "steps", vt_mkptr(vt_list_grow(r->rt, VT_K_TUPLE, 0)));
	vt_dict_set_c(r->rt, more, "plan", vt_mkptr(plan));
	return put_page(r, w, v, more);
}

/* A line about it: a status, and the file it stands in. output: VT_NULL, or a text. */
static vt_dict *
said(vt_yrun *r, const identity *w, const char *status, vt_value output)
{
	vt_dict *more = vt_dict_new(r->rt, true);
	vt_buf b = {NULL, 0, 0};
	if (w->version)
		vt_buf_printf(&b, "%s: ", w->version);
	vt_buf_puts(&b, status);
	if (vt_is(output, STR)) {
		vt_buf_puts(&b, ", ");
		vt_buf_put(&b, vt_as_str(output)->s, vt_as_str(output)->bytes);
	}
	vt_dict_set_c(r->rt, more, "summary", vt_str_take(r->rt, &b));
	return more;
}

/* ---- plan ---- */

int
vt_yrun_plan(vt_yrun *r)
{
	view a;
	int rc = 1;
	if (open_view(r, &a)) {
		changes k = compare_all(r, a.state, a.v);
		rc = r->o->html ? put_plan_page(r, &a.w, a.v, &k) : 0;
		if (is_json(r, false)) {
			vt_dict *d = answer_of(r, &a.w, NULL);
			vt_dict_set_c(r->rt, d, "summary", summary(r, &k));
			vt_dict_set_c(r->rt, d, "objects", vt_copy(vt_mkptr(k.objects)));
			(void)put_json(r, d);
		} else {
			if (k.create + k.change + k.remove == 0)
				vt_buf_puts(&k.text, "nothing is left to do\n");
			vt_buf_printf(&k.text, "plan: %u to create, %u to change, %u to delete\n",
				k.create, k.change, k.remove);
			(void)put_text(r, &k.text);
		}
		drop_changes(&k);
	}
	close_view(&a);
	return rc;
}

/* ---- run ---- */

static char *
log_path(const identity *w)
{
	return vt_asprintf("%s.log", w->path);
}

/* A line of the log: when, and what changed. */
static void
note(vt_yrun *r, const identity *w, const char *verb, const changes *k)
{
	char *path = log_path(w), when[40];
	time_t now = time(NULL);
	struct tm t;
	FILE *f;
	gmtime_r(&now, &t);
	snprintf(when, sizeof when, "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900,
		t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
	f = fopen(path, "ae");
	if (!f) {
		vt_say("%s: %s: %s\n", r->self, path, strerror(errno));
	} else {
		fprintf(f, "%s %s: %u new, %u changed, %u gone\n", when, verb, k->create, k->change,
			k->remove);
		fwrite(k->text.p ? k->text.p : "", 1, k->text.n, f);
		fclose(f);
	}
	free(path);
}

static char *
absolute(const char *path)
{
	char *here = path && *path != '/' ? getcwd(NULL, 0) : NULL,
	     *out = here   ? vt_asprintf("%s/%s", here, path)
		    : path ? vt_xstrdup(path)
			   : NULL;
	free(here);
	return out;
}

static bool
wants_yaml(const char *path)
{
	return path && (vt_ends_with(path, ".yaml") || vt_ends_with(path, ".yml"));
}

/* The file that --output names: YAML where it is called so, else JSON. */
static vt_buf
text_of(vt_yrun *r, vt_value v, bool yaml)
{
	vt_buf b = {NULL, 0, 0};
	if (yaml)
		vt_yaml_write(r->rt, &b, v);
	else
		vt_json_write(r->rt, &b, v, vt_json_layout(r->o->compact, r->o->tab, r->o->indent));
	if (!b.n || b.p[b.n - 1] != '\n')
		vt_buf_putc(&b, '\n');
	return b;
}

static int
put_result(vt_yrun *r, const view *a, const changes *k, const char *output)
{
	vt_buf b = {NULL, 0, 0};
	if (!output && is_json(r, true)) {
		b = text_of(r, a->v, false);
		return put_text(r, &b);
	}
	if (is_json(r, true)) {
		vt_dict *d = answer_of(r, &a->w, "deployed");
		vt_dict_set_c(r->rt, d, "summary", summary(r, k));
		vt_dict_set_c(r->rt, d, "output", vt_str_c(r->rt, output));
		return put_json(r, d);
	}
	put_who(&b, &a->w);
	vt_buf_printf(
		&b, ": deployed, %u new, %u changed, %u gone\n", k->create, k->change, k->remove);
	vt_buf_put(&b, k->text.p ? k->text.p : "", k->text.n);
	if (output) {
		vt_buf_puts(&b, "  written to ");
		vt_put_printable(&b, output, strlen(output));
		vt_buf_putc(&b, '\n');
	}
	return put_text(r, &b);
}

static int
put_run_page(vt_yrun *r, const view *a, const changes *k, const char *output)
{
	vt_value path = output ? vt_str_c(r->rt, output) : VT_NULL;
	vt_dict *more = said(r, &a->w, "deployed", path);
	vt_dict_set_c(r->rt, more, "values", vt_copy(vt_mkptr(k->objects)));
	vt_release(path);
	return put_page(r, &a->w, a->v, more);
}

int
vt_yrun_run(vt_yrun *r)
{
	view a;
	int rc = 1;
	if (open_view(r, &a)) {
		changes k = compare_all(r, a.state, a.v);
		char *output = absolute(r->o->output);
		vt_buf text = {NULL, 0, 0};
		if (!output && vt_is(member(a.state, "output"), STR))
			output = vt_xstrdup(vt_as_str(member(a.state, "output"))->s);
		if (output)
			text = text_of(r, a.v, wants_yaml(output));
		if ((!output || vt_put_output(r->self, output, &text, 0)) &&
			write_state(r, &a.w, a.v, output, &text)) {
			note(r, &a.w, "run", &k);
			rc = put_result(r, &a, &k, output);
			if (r->o->html)
				rc |= put_run_page(r, &a, &k, output);
		}
		vt_buf_free(&text);
		free(output);
		drop_changes(&k);
	}
	close_view(&a);
	return rc;
}

/* ---- status, logs ---- */

int
vt_yrun_status(vt_yrun *r)
{
	view a;
	int rc = 1;
	if (open_view(r, &a)) {
		const char *status = a.state == VT_NULL ? "undeployed" : "deployed";
		if (a.state == VT_NULL)
			vt_say_no_state(r->self, r->o->snapshot);
		vt_value value = member(a.state, "value"), output = member(a.state, "output");
		vt_buf b = {NULL, 0, 0};
		rc = 0;
		if (r->o->html)
			rc = put_page(r, &a.w, value, said(r, &a.w, status, output));
		put_who(&b, &a.w);
		vt_buf_printf(&b, ": %s\n", status);
		if (vt_is(output, STR)) {
			vt_buf_puts(&b, "  written to ");
			vt_put_printable(&b, vt_as_str(output)->s, vt_as_str(output)->bytes);
			vt_buf_putc(&b, '\n');
		}
		if (is_json(r, false)) {
			vt_dict *d = answer_of(r, &a.w, status);
			vt_dict_set_c(r->rt, d, "output", vt_copy(output));
			vt_dict_set_c(r->rt, d, "value", vt_copy(value));
			vt_buf_free(&b);
			(void)put_json(r, d);
		} else {
			(void)put_text(r, &b);
		}
	}
	close_view(&a);
	return rc;
}

/* What runs have changed; nothing runs for long, so --follow waits for nothing. */
int
vt_yrun_logs(vt_yrun *r)
{
	const char *word = r->o->line.words.n ? r->o->line.words.v[0] : NULL;
	vt_buf b = {NULL, 0, 0}, out = {NULL, 0, 0};
	char *path = NULL;
	view a;
	int rc = 1;
	if (open_view(r, &a)) {
		path = log_path(&a.w);
		if (!vt_read_file(path, MOST_STATE, &b))
			vt_say("%s: there is no log: %s: %s\n", r->self, path, strerror(errno));
		for (const char *p = b.p, *end = b.p + b.n, *next; p && p < end; p = next) {
			const char *nl = memchr(p, '\n', (size_t)(end - p));
			next = nl ? nl + 1 : end;
			char *line = vt_asprintf("%.*s", (int)(next - p), p);
			if (!word || strstr(line, word))
				vt_put_lines(&out, p, (size_t)(next - p));
			free(line);
		}
		if (b.n && !out.n)
			vt_say("%s: the log says nothing of '%s'\n", r->self, word ? word : "");
		rc = !out.n;
		if (r->o->html && out.n) {
			vt_dict *more = vt_dict_new(r->rt, true);
			vt_dict_set_c(r->rt, more, "view", vt_str_c(r->rt, "logs"));
			vt_dict_set_c(r->rt, more, "log", vt_str_new(r->rt, out.p, out.n));
			rc = put_page(r, &a.w, member(a.state, "value"), more);
		}
		(void)put_text(r, &out);
	}
	free(path);
	vt_buf_free(&b);
	close_view(&a);
	return rc;
}

/* ---- undeploy, drift ---- */

enum there { SAME, OTHER, GONE };

/* Is what was written to the file still there? */
static enum there
look(vt_value state)
{
	vt_value output = member(state, "output"), text = member(state, "text");
	vt_buf b = {NULL, 0, 0};
	enum there t = GONE;
	if (!vt_is(output, STR) || !vt_is(text, STR))
		return SAME;
	if (vt_read_file(vt_as_str(output)->s, MOST_STATE, &b))
		t = b.n == vt_as_str(text)->bytes &&
				    memcmp(b.n ? b.p : "", vt_as_str(text)->s, b.n) == 0
			    ? SAME
			    : OTHER;
	vt_buf_free(&b);
	return t;
}

static bool
is_deployed(const vt_yrun *r, const view *a)
{
	if (a->state == VT_NULL)
		vt_say_undeployed(r->self, a->w.path);
	return a->state != VT_NULL;
}

int
vt_yrun_undeploy(vt_yrun *r)
{
	view a;
	int rc = 1;
	if (open_view(r, &a) && is_deployed(r, &a)) {
		vt_value output = member(a.state, "output");
		bool other = look(a.state) == OTHER && !r->o->force;
		changes none = {0};
		if (other) {
			vt_say("%s: %s is not what was written there\n  hint: --force removes it\n",
				r->self, vt_as_str(output)->s);
		} else if (vt_is(output, STR) && unlink(vt_as_str(output)->s) != 0 &&
			   errno != ENOENT) {
			vt_say("%s: %s: %s\n", r->self, vt_as_str(output)->s, strerror(errno));
		} else if (unlink(a.w.path) != 0) {
			vt_say("%s: %s: %s\n", r->self, a.w.path, strerror(errno));
		} else {
			vt_buf b = {NULL, 0, 0};
			note(r, &a.w, "undeploy", &none);
			if (is_json(r, true))
				rc = put_json(r, answer_of(r, &a.w, "undeployed"));
			else {
				put_who(&b, &a.w);
				vt_buf_puts(&b, ": undeployed\n");
				rc = put_text(r, &b);
			}
			if (r->o->html)
				rc |= put_page(
					r, &a.w, VT_NULL, said(r, &a.w, "undeployed", VT_NULL));
		}
	}
	close_view(&a);
	return rc;
}

/* The text of the file as values; VT_UNDEF: it is neither JSON nor YAML. */
static vt_value
parse(vt_yrun *r, const char *path)
{
	vt_buf b = {NULL, 0, 0};
	vt_value v = VT_UNDEF;
	char *why = NULL;
	bool ok = vt_read_file(path, MOST_STATE, &b) &&
		  (wants_yaml(path) ? vt_yaml_read(r->rt, b.p ? b.p : "", b.n, &v, &why)
				    : vt_json_read(r->rt, b.p ? b.p : "", b.n, 0, 0, &v, &why));
	free(why);
	vt_buf_free(&b);
	return ok ? v : VT_UNDEF;
}

static int
put_drift(vt_yrun *r, const view *a, enum there t)
{
	vt_value output = member(a->state, "output");
	vt_value now = t == OTHER ? parse(r, vt_as_str(output)->s) : VT_UNDEF;
	const char *status = !vt_is(output, STR) ? "unchecked" : t == SAME ? "in sync" : "drifted";
	changes k = {.rt = r->rt, .objects = vt_list_grow(r->rt, VT_K_TUPLE, 4)};
	vt_buf path = {NULL, 0, 0}, b = {NULL, 0, 0};
	int rc = 0;
	if (now != VT_UNDEF)
		compare(&k, &path, member(a->state, "value"), now);
	if (is_json(r, false)) {
		vt_dict *d = answer_of(r, &a->w, status);
		vt_dict_set_c(r->rt, d, "output", vt_copy(output));
		vt_dict_set_c(r->rt, d, "objects", vt_copy(vt_mkptr(k.objects)));
		(void)put_json(r, d);
	} else {
		if (!vt_is(output, STR))
			vt_buf_puts(&b, "no file was written: run --output FILE has one");
		else {
			vt_put_printable(&b, vt_as_str(output)->s, vt_as_str(output)->bytes);
			vt_buf_puts(&b, t == SAME   ? ": as it should be"
					: t == GONE ? ": is gone"
						    : ": has drifted");
		}
		vt_buf_putc(&b, '\n');
		vt_buf_put(&b, k.text.p ? k.text.p : "", k.text.n);
		(void)put_text(r, &b);
	}
	if (r->o->html) {
		vt_dict *more = said(r, &a->w, t == GONE ? "drifted: is gone" : status, output);
		vt_dict_set_c(r->rt, more, "values", vt_copy(vt_mkptr(k.objects)));
		rc = put_page(r, &a->w, member(a->state, "value"), more);
	}
	vt_release(now);
	vt_buf_free(&path);
	drop_changes(&k);
	return t == SAME ? rc : 1;
}

int
vt_yrun_drift(vt_yrun *r)
{
	view a;
	int rc = 1;
	if (open_view(r, &a) && is_deployed(r, &a))
		rc = put_drift(r, &a, look(a.state));
	close_view(&a);
	return rc;
}

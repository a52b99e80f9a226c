/*
 * op.c - one operation: its files in a directory of its own, its inputs in the environment,
 * its process, and what it gave.
 *
 * The directory has the files below `files/` under their own relative paths, so that scripts find
 * each other, and beside them inputs.json, context.json and outputs; it goes when the operation has
 * ended.  Values never go to the terminal: what is told is names, and at a failure the end of the
 * operation's own log.
 */
#define _GNU_SOURCE
#include "runtime/text/outfile.h"
#include "runtime/tosca/deploy.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { MOST_OUTPUT = 16 << 20, MOST_NAME = 200 };

typedef struct list {
	char **v;
	uint32_t n, cap;
} list;
typedef struct operation {
	vt_tdeploy *d;
	const vt_taction *a;
	vt_tosca *t;
	vt_rt *rt;
	vt_tctx ctx;
	char *dir, *files, *outputs, *log;
	char *primary;                /* absolute path of what runs */
	const vt_tartifact *artifact; /* that the primary is, or NULL */
	vt_dict *inputs;              /* those that are known */
	list env, argv;
	char **why;
	/* For another machine: */
	char *host; /* its address; NULL: it runs here */
	list told;  /* what `env` has besides the environment of this program */
	const vt_tblob **blobs;
	uint32_t nblobs;
	char *payload; /* path of what goes there */
} operation;

static vt_status perform(operation *);

static bool fail(operation *o, const char *fmt, ...) VT_PRINTF(2, 3);
static bool
fail(operation *o, const char *fmt, ...)
{
	va_list ap;
	vt_buf b = {NULL, 0, 0};
	va_start(ap, fmt);
	vt_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, 0);
	free(*o->why);
	*o->why = b.p;
	return false;
}

static void
push(list *l, char *owned)
{
	if (l->n + 1 >= l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->v = vt_xrealloc(l->v, l->cap * sizeof *l->v);
	}
	l->v[l->n++] = owned;
	l->v[l->n] = NULL;
}

static void
free_list(list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

vt_tctx
vt_tplan_ctx(const vt_taction *a)
{
	return a->rel ? vt_tosca_rel_ctx(a->rel) : vt_tosca_node_ctx(a->node);
}

/* ---- files ---- */

static bool
write_new(const char *path, const char *p, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	bool ok = fd >= 0;
	while (ok && n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		ok = k > 0;
		p += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	if (fd >= 0 && close(fd) != 0)
		ok = false;
	return ok;
}

static bool
make_folders(char *path, size_t from)
{
	for (char *p = path + from; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
		*p = '/';
		if (!ok)
			return false;
	}
	return true;
}

/* Who built the binary gave paths that stay below; a binary that somebody changed must not get out
 * either. */
static bool
is_safe(const char *path)
{
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		if (n == 0 || (n == 1 && *p == '.') || (n == 2 && !memcmp(p, "..", 2)))
			return false;
		p += n + (p[n] == '/');
	}
	return *path != '\0';
}

const vt_tblob *
vt_tosca_blob(const vt_tprogram *p, uint32_t file, uint32_t name)
{
	uint32_t lo = 0, hi = p->nrefs;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const vt_tblobref *r = &p->refs[mid];
		if (r->file == file && r->name == name)
			return &p->blobs[r->blob];
		if (r->file < file || (r->file == file && r->name < name))
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Its path, malloc'd; NULL: reported. A file that is there already is the same. */
static char *
unpack(operation *o, const vt_tblob *b)
{
	char *path = vt_asprintf("%s/%s", o->files, b->path);
	o->blobs = vt_xrealloc(o->blobs, (o->nblobs + 1) * sizeof *o->blobs);
	o->blobs[o->nblobs++] = b;
	if (!is_safe(b->path)) {
		fail(o, "the file '%s' has no path that may be used", b->path);
	} else if (!make_folders(path, strlen(o->files) + 1) ||
		   (!write_new(path, b->data, b->n, b->executable ? 0700 : 0600) &&
			   errno != EEXIST)) {
		fail(o, "%s cannot be written: %s", path, strerror(errno));
	} else {
		return path;
	}
	free(path);
	return NULL;
}

static const vt_tartifact *
find_artifact(const vt_tosca *t, const vt_tnodei *n, uint32_t name)
{
	vt_tspan spans[] = {n->t->artifacts, t->m->type[n->t->type].artifacts};
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++)
			if (t->m->artifact[spans[k].first + i].name == name)
				return &t->m->artifact[spans[k].first + i];
	return NULL;
}

/* A file, or the name of an artifact of the node. *missing: there is no such file in the binary. */
static char *
unpack_named(operation *o, uint32_t name, const vt_tartifact **artifact, bool *missing)
{
	const vt_tartifact *a = find_artifact(o->t, o->a->node, name);
	const vt_tblob *b = a ? vt_tosca_blob(o->d->p, a->place.file, a->file)
			      : vt_tosca_blob(o->d->p, o->a->op->from, name);
	if (artifact)
		*artifact = a;
	*missing = b == NULL;
	return b ? unpack(o, b) : NULL;
}

static bool
unpack_artifacts(operation *o)
{
	const vt_tnodei *n = o->a->node;
	vt_tspan spans[] = {n->t->artifacts, o->t->m->type[n->t->type].artifacts};
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++) {
			const vt_tartifact *a = &o->t->m->artifact[spans[k].first + i];
			const vt_tblob *b = vt_tosca_blob(o->d->p, a->place.file, a->file);
			char *path = b ? unpack(o, b) : NULL;
			if (b && !path)
				return false;
			free(path);
		}
	return true;
}

static bool
unpack_all(operation *o)
{
	const vt_top *op = o->a->op;
	bool missing;
	if (op->artifact) {
		const vt_tblob *b;
		o->artifact = &o->t->m->artifact[op->artifact];
		b = vt_tosca_blob(o->d->p, o->artifact->place.file, o->artifact->file);
		missing = b == NULL;
		o->primary = b ? unpack(o, b) : NULL;
	} else {
		o->primary = unpack_named(o, op->primary, &o->artifact, &missing);
	}
	if (missing)
		return fail(o, "the file '%s' was not there when this program was built",
			vt_tosca_text(o->t, op->primary));
	for (uint32_t i = 0; o->primary && i < op->dependencies.n; i++) {
		uint32_t name = o->t->m->index[op->dependencies.first + i];
		char *path = unpack_named(o, name, NULL, &missing);
		free(path);
		if (missing)
			return fail(o, "the file '%s' was not there when this program was built",
				vt_tosca_text(o->t, name));
		if (!path)
			return false;
	}
	return o->primary && unpack_artifacts(o);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	(void)remove(path);
	return 0;
}

static void
remove_tree(const char *dir)
{
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- values for a process ---- */

static bool
plain_form(vt_rt *rt, vt_buf *b, vt_value v)
{
	vt_value text, number, unit;
	if (!vt_is(v, DICT))
		return false;
	number = vt_dict_get_c(vt_as_dict(v), "scalar");
	unit = vt_dict_get_c(vt_as_dict(v), "unit");
	if (vt_is_number(number) && vt_is(unit, STR) && vt_dict_len(vt_as_dict(v)) == 4) {
		vt_json_write(rt, b, number, 0);
		vt_buf_putc(b, ' ');
		vt_buf_puts(b, vt_as_str(unit)->s);
		return true;
	}
	text = vt_dict_get_c(vt_as_dict(v), "$string");
	if (!vt_is(text, STR) || vt_dict_len(vt_as_dict(v)) > 2)
		return false;
	vt_buf_puts(b, vt_as_str(text)->s);
	return true;
}

/* A text as it is, numbers with units as they are written, the rest as JSON. */
void
vt_tosca_plain(vt_rt *rt, vt_buf *b, vt_value v)
{
	if (vt_is(v, STR))
		vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (!plain_form(rt, b, v))
		vt_json_write(rt, b, v, 0);
}

/* The problems since `before` are this operation's; they are told with it. */
static bool
had_problem(operation *o, uint32_t before, const char *what, uint32_t name)
{
	if (o->t->nproblems == before)
		return false;
	const vt_tproblem *p = &o->t->problems[o->t->nproblems - 1];
	fail(o, "%s '%s': %s", what, vt_tosca_text(o->t, name), p->message);
	return true;
}

/* False: reported. An input that is not known yet is left out. */
static bool
one_input(operation *o, const vt_tassign *a)
{
	vt_tosca *t = o->t;
	vt_value v = VT_UNDEF, typed = VT_UNDEF;
	uint32_t before = t->nproblems, schema = a->slot ? t->m->slot[a->slot].schema : 0;
	bool ok = true;
	if (!a->expr)
		return true;
	vt_tctx ctx = o->ctx;
	ctx.place = a->place;
	bool known = vt_tosca_eval(t, &ctx, a->expr, &v) && v != VT_UNDEF && v != VT_NOVALUE;
	if (known && schema)
		known = vt_tosca_type(t, &ctx, schema, a->expr, v, NULL, &typed);
	else
		typed = vt_copy(v);
	if (had_problem(o, before, "input", a->name)) {
		ok = false;
	} else if (known && typed != VT_UNDEF && typed != VT_NOVALUE) {
		vt_value shown = vt_tosca_shown(t, typed);
		vt_dict_set(o->rt, o->inputs, vt_tosca_str(t, a->name), shown);
		vt_release(shown);
	}
	vt_clear(&typed);
	vt_clear(&v);
	return ok;
}

/* Those that a workflow gives speak of its own inputs too, and are of the types that the operation
 * declares. */
static bool
activity_inputs(operation *o)
{
	const vt_tspan given = o->a->activity ? o->a->activity->inputs : (vt_tspan){0, 0},
		       declared[] = {o->a->iface->inputs, o->a->op->inputs};
	vt_tctx own = o->ctx;
	bool ok = true;
	if (o->a->inputs)
		o->ctx.service = o->a->inputs;
	for (uint32_t i = 0; i < given.n && ok; i++) {
		vt_tassign a = o->t->m->assign[given.first + i];
		for (size_t k = 0; k < VT_LEN(declared); k++)
			for (uint32_t j = 0; j < declared[k].n; j++)
				if (o->t->m->assign[declared[k].first + j].name == a.name)
					a.slot = o->t->m->assign[declared[k].first + j].slot;
		ok = one_input(o, &a);
	}
	o->ctx = own;
	return ok;
}

static bool
all_inputs(operation *o)
{
	const vt_tspan spans[] = {o->a->iface->inputs, o->a->op->inputs};
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++)
			if (!one_input(o, &o->t->m->assign[spans[k].first + i]))
				return false;
	return activity_inputs(o);
}

/* ---- what a process is told of its node ---- */

static void
put_bag(operation *o, vt_dict *to, const char *key, const vt_tctx *ctx, vt_tbag *b)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	for (uint32_t i = 0; i < b->n; i++) {
		vt_value v = vt_tosca_cell(o->t, ctx, &b->cell[i]);
		if (v == VT_UNDEF || v == VT_NOVALUE)
			continue;
		vt_value shown = vt_tosca_shown(o->t, v);
		vt_dict_set(o->rt, d, vt_tosca_str(o->t, b->cell[i].name), shown);
		vt_release(shown);
	}
	vt_dict_set_c(o->rt, to, key, vt_mkptr(d));
}

static vt_value
node_text(operation *o, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_path(&b, o->t, n);
	return vt_str_take(o->rt, &b);
}

static vt_value
describe(operation *o, vt_tnodei *n)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	vt_tctx ctx = vt_tosca_node_ctx(n);
	vt_dict_set_c(o->rt, d, "name", node_text(o, n));
	vt_dict_set_c(
		o->rt, d, "type", vt_copy(vt_tosca_str(o->t, o->t->m->type[n->t->type].name)));
	put_bag(o, d, "properties", &ctx, &n->props);
	put_bag(o, d, "attributes", &ctx, &n->attrs);
	return vt_mkptr(d);
}

static vt_value
context(operation *o)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	const vt_treli *r = o->a->rel;
	vt_dict_set_c(o->rt, d, "service", vt_str_c(o->rt, o->d->p->name));
	vt_dict_set_c(o->rt, d, "interface", vt_copy(vt_tosca_str(o->t, o->a->iface->name)));
	vt_dict_set_c(o->rt, d, "operation", vt_copy(vt_tosca_str(o->t, o->a->op->name)));
	vt_dict_set_c(o->rt, d, "node", describe(o, o->a->node));
	if (r) {
		vt_dict_set_c(o->rt, d, "relationship", vt_copy(vt_tosca_str(o->t, r->name)));
		vt_dict_set_c(o->rt, d, "source", describe(o, r->source));
		vt_dict_set_c(o->rt, d, "target", describe(o, r->target));
	}
	return vt_mkptr(d);
}

static bool
write_json(operation *o, const char *name, vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	char *path = vt_asprintf("%s/%s", o->dir, name);
	vt_json_write(o->rt, &b, v, 0);
	vt_buf_putc(&b, '\n');
	bool ok = write_new(path, b.p, b.n, 0600) ||
		  fail(o, "%s cannot be written: %s", path, strerror(errno));
	vt_buf_free(&b);
	free(path);
	return ok;
}

/* ---- the environment ---- */

static void
set_env(operation *o, const char *name, const char *value)
{
	size_t n = strlen(name);
	push(&o->told, vt_asprintf("%s=%s", name, value));
	for (uint32_t i = 0; i < o->env.n; i++)
		if (!strncmp(o->env.v[i], name, n) && o->env.v[i][n] == '=') {
			free(o->env.v[i]);
			o->env.v[i] = vt_asprintf("%s=%s", name, value);
			return;
		}
	push(&o->env, vt_asprintf("%s=%s", name, value));
}

static void
set_node_env(operation *o, const char *name, const vt_tnodei *n)
{
	vt_value v = node_text(o, n);
	set_env(o, name, vt_as_str(v)->s);
	vt_release(v);
}

/* During an update: what has changed of the node, or of the target that a relationship leads to. */
static void
set_changed_env(operation *o)
{
	const vt_tnodei *n = o->a->role == VT_TL_TARGET_CHANGED ? o->a->rel->target : o->a->node;
	vt_buf parts = {NULL, 0, 0};
	(void)vt_tstate_update(o->d->state, o->t, n, &parts);
	vt_buf_putc(&parts, 0);
	if (parts.n > 1)
		set_env(o, "VETRO_CHANGED", parts.p);
	vt_buf_free(&parts);
}

/* Our own names last: an input cannot pretend to be one of them. */
static bool
environment(operation *o)
{
	vt_value key, v;
	uint32_t pos = 0;
	for (char **e = environ; *e; e++)
		push(&o->env, vt_xstrdup(*e));
	while (vt_dict_at(o->inputs, &pos, &key, &v)) {
		vt_buf b = {NULL, 0, 0};
		vt_tosca_plain(o->rt, &b, v);
		const char *name = vt_as_str(key)->s;
		if (memchr(b.n ? b.p : "", 0, b.n) || strchr(name, '=') || !*name) {
			vt_buf_free(&b);
			return fail(o,
				"input '%s': its name or value cannot be that of an environment "
				"variable",
				name);
		}
		vt_buf_putc(&b, 0);
		set_env(o, name, b.p);
		vt_buf_free(&b);
	}
	char *inputs = vt_asprintf("%s/inputs.json", o->dir),
	     *ctx = vt_asprintf("%s/context.json", o->dir);
	set_env(o, "VETRO_SERVICE", o->d->p->name);
	set_node_env(o, "VETRO_NODE", o->a->node);
	set_env(o, "VETRO_INTERFACE", vt_tosca_text(o->t, o->a->iface->name));
	set_env(o, "VETRO_OPERATION", vt_tosca_text(o->t, o->a->op->name));
	set_env(o, "VETRO_DIR", o->files);
	set_env(o, "VETRO_OUTPUTS", o->outputs);
	set_env(o, "VETRO_INPUTS", inputs);
	set_env(o, "VETRO_CONTEXT", ctx);
	if (o->a->rel) {
		set_env(o, "VETRO_RELATIONSHIP", vt_tosca_text(o->t, o->a->rel->name));
		set_node_env(o, "VETRO_SOURCE", o->a->rel->source);
		set_node_env(o, "VETRO_TARGET", o->a->rel->target);
	}
	free(inputs);
	free(ctx);
	set_changed_env(o);
	return true;
}

/* ---- the command ---- */

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcasecmp(s + n - k, end);
}

static bool
is_playbook(const operation *o)
{
	for (uint32_t ty = o->artifact ? o->artifact->type : 0; ty; ty = o->t->m->type[ty].parent)
		if (strcasestr(vt_tosca_text(o->t, o->t->m->type[ty].name), "ansible"))
			return true;
	return ends_with(o->primary, ".yml") || ends_with(o->primary, ".yaml");
}

/* operation_host, or "". */
static const char *
where(const operation *o)
{
	return vt_tosca_text(
		o->t, o->a->step && o->a->step->host ? o->a->step->host : o->a->op->host);
}

static vt_tnodei *
whose(const operation *o)
{
	const vt_treli *r = o->a->rel;
	if (!r)
		return o->a->node;
	if (!strcmp(where(o), "SOURCE"))
		return r->source;
	if (!strcmp(where(o), "TARGET"))
		return r->target;
	return o->a->role == VT_TL_PRE_TARGET || o->a->role == VT_TL_POST_TARGET ? r->target
										 : r->source;
}

/* The address of the node, unless `below`, or of what it stands on: an attribute that an operation
 * of Compute has set. */
static vt_value
address_of(operation *o, bool below)
{
	vt_value name = vt_str_c(o->rt, "public_address"), found = VT_UNDEF;
	uint32_t str = vt_tosca_find_str(o->t, vt_as_str(name));
	vt_tnodei *n = whose(o);
	vt_release(name);
	for (uint32_t hops = 0; n && found == VT_UNDEF && hops < 64; hops++) {
		vt_tcell *c = str && !(below && hops == 0) ? vt_tosca_find(&n->attrs, str) : NULL;
		vt_tctx ctx = vt_tosca_node_ctx(n);
		vt_value v = c ? vt_tosca_cell(o->t, &ctx, c) : VT_UNDEF;
		vt_tnodei *host = NULL;
		if (vt_is(v, STR) && vt_as_str(v)->bytes)
			found = vt_copy(v);
		for (uint32_t i = 0; i < n->nrels && !host; i++)
			if (!strcmp(vt_tosca_text(o->t, n->rels[i]->name), "host"))
				host = n->rels[i]->target;
		n = host;
	}
	return found;
}

/* What tells the outputs of set_stats: a callback of ansible's, which any version calls. */
static const char callback[] = "import json, os\n"
			       "from ansible.plugins.callback import CallbackBase\n"
			       "\n"
			       "class CallbackModule(CallbackBase):\n"
			       "    CALLBACK_VERSION = 2.0\n"
			       "    CALLBACK_TYPE = 'aggregate'\n"
			       "    CALLBACK_NAME = 'vetro_outputs'\n"
			       "\n"
			       "    def v2_playbook_on_stats(self, stats):\n"
			       "        values = {}\n"
			       "        for host, custom in stats.custom.items():\n"
			       "            values.update(custom)\n"
			       "        if values:\n"
			       "            with open(os.environ['VETRO_OUTPUTS'], 'w') as f:\n"
			       "                json.dump(values, f, default=str)\n";

static bool
is_here(const operation *o)
{
	return o->d->ssh.local || !strcmp(where(o), "ORCHESTRATOR") ||
	       !strcmp(where(o), "localhost");
}

static bool
playbook(operation *o)
{
	vt_value address = address_of(o, false);
	const char *host = vt_is(address, STR) ? vt_as_str(address)->s : "localhost";
	const vt_tssh *ssh = &o->d->ssh;
	char *plugins = vt_asprintf("%s/callbacks", o->dir),
	     *file = vt_asprintf("%s/vetro_outputs.py", plugins);
	bool local, ok;
	if (is_here(o) || !vt_tssh_may_name(host))
		host = "localhost";
	local = vt_tssh_is_local(host);
	push(&o->argv, vt_xstrdup("ansible-playbook"));
	push(&o->argv, vt_xstrdup("-i"));
	push(&o->argv, vt_asprintf("%s,", host));
	if (local) {
		push(&o->argv, vt_xstrdup("-c"));
		push(&o->argv, vt_xstrdup("local"));
	} else {
		char *common = vt_tssh_for_ansible(ssh);
		if (ssh->user)
			push(&o->argv, vt_asprintf("--user=%s", ssh->user));
		if (ssh->key)
			push(&o->argv, vt_asprintf("--private-key=%s", ssh->key));
		if (*common)
			push(&o->argv, vt_asprintf("--ssh-common-args=%s", common));
		free(common);
	}
	push(&o->argv, vt_xstrdup("--extra-vars"));
	push(&o->argv, vt_asprintf("@%s/inputs.json", o->dir));
	push(&o->argv, vt_xstrdup(o->primary));
	ok = (mkdir(plugins, 0700) == 0 && write_new(file, callback, sizeof callback - 1, 0600)) ||
	     fail(o, "%s cannot be written: %s", file, strerror(errno));
	set_env(o, "ANSIBLE_CALLBACK_PLUGINS", plugins);
	set_env(o, "ANSIBLE_NOCOLOR", "1");
	set_env(o, "ANSIBLE_RETRY_FILES_ENABLED", "0");
	vt_release(address);
	free(plugins);
	free(file);
	return ok;
}

/* A file that says with #! what runs it, or is a program; other texts are the shell's. */
static bool
starts_itself(const char *path)
{
	char head[4] = {0};
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(head, 1, sizeof head, f) : 0;
	if (f)
		fclose(f);
	return n >= 2 &&
	       ((head[0] == '#' && head[1] == '!') || (n == 4 && !memcmp(head, "\177ELF", 4)));
}

/* The machine of a script.  What makes a machine cannot be on it: operations of a node that has an
 * address of its own go there only when they say SELF. */
static bool
find_host(operation *o)
{
	vt_value v =
		is_here(o) ? VT_UNDEF : address_of(o, !o->a->rel && strcmp(where(o), "SELF") != 0);
	const char *host = vt_is(v, STR) ? vt_as_str(v)->s : "localhost";
	bool ok = vt_tssh_may_name(host);
	if (!ok)
		fail(o, "the public_address of the machine, '%s', is none", host);
	else if (!vt_tssh_is_local(host))
		o->host = vt_xstrdup(host);
	vt_clear(&v);
	return ok;
}

static void
push_word(void *l, char *owned)
{
	push(l, owned);
}

/* Everything is prepared here as if it ran here, and then goes there. */
static bool
send_away(operation *o)
{
	const vt_tremote r = {.host = o->host,
		.dir = o->dir,
		.primary = o->primary + strlen(o->files) + 1,
		.by_shell = !starts_itself(o->primary),
		.file = o->blobs,
		.nfiles = o->nblobs,
		.set = o->told.v,
		.nset = o->told.n};
	char *command;
	o->payload = vt_asprintf("%s/payload", o->dir);
	command = vt_tssh_pack(&r, o->payload);
	if (!command)
		return fail(o, "%s cannot be written: %s", o->payload, strerror(errno));
	vt_tssh_words(&o->d->ssh, push_word, &o->argv);
	push(&o->argv, vt_xstrdup(o->host));
	push(&o->argv, command);
	return true;
}

static bool
command(operation *o)
{
	if (is_playbook(o))
		return playbook(o);
	if (!find_host(o))
		return false;
	if (o->host)
		return true;
	if (starts_itself(o->primary))
		(void)chmod(o->primary, 0700);
	else
		push(&o->argv, vt_xstrdup("/bin/sh"));
	push(&o->argv, vt_xstrdup(o->primary));
	return true;
}

/* ---- what it gave ---- */

/* Of an operation, which may have put anything there: no pipe is waited for, no link followed. */
static FILE *
open_plain(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	FILE *f = NULL;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		f = fdopen(fd, "rb");
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

static char *
read_file(const char *path, size_t *n)
{
	FILE *f = open_plain(path);
	vt_buf b = {NULL, 0, 0};
	/* a file with more shows that it has more */
	(void)vt_read_all(f, MOST_OUTPUT + (64 << 10), &b);
	if (f)
		fclose(f);
	vt_buf_repair(&b);
	*n = b.n;
	vt_buf_putc(&b, 0);
	return b.p;
}

/* NAME=VALUE; a name that comes twice has the last value. Blank lines and those without a name are
 * left out. */
static void
read_lines(operation *o, char *p, vt_dict *out)
{
	for (char *next; *p; p = next) {
		size_t n = strcspn(p, "\n");
		next = p + n + (p[n] == '\n');
		p[n] = '\0';
		if (n && p[n - 1] == '\r')
			p[n - 1] = '\0';
		char *eq = strchr(p, '=');
		if (!eq || eq == p)
			continue;
		*eq = '\0';
		vt_dict_set_c(o->rt, out, p, vt_str_c(o->rt, eq + 1));
	}
}

/* What another machine sent behind the line that begins the outputs. */
static char *
behind_mark(char *text)
{
	size_t n = strlen(vt_tssh_mark);
	for (char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, vt_tssh_mark, n) && p[n] == '\n')
			return p + n + 1;
	return text + strlen(text);
}

/* Lines, or one JSON object. */
static bool
read_outputs(operation *o, vt_dict **out)
{
	size_t n;
	char *all = read_file(o->outputs, &n), *text = o->host ? behind_mark(all) : all,
	     *err = NULL;
	vt_value v = VT_UNDEF;
	bool ok = true;
	n -= (size_t)(text - all);
	*out = NULL;
	if (n > MOST_OUTPUT) {
		ok = fail(o, "it gave more than %d MiB of outputs", MOST_OUTPUT >> 20);
	} else if (text[strspn(text, " \t\r\n")] == '{') {
		ok = vt_json_read(o->rt, text, n, 0, 0, &v, &err) ||
		     fail(o, "its outputs are no JSON: %s", err);
		free(err);
		*out = ok ? vt_as_dict(v) : NULL;
	} else {
		*out = vt_dict_new(o->rt, false);
		read_lines(o, text, *out);
	}
	free(all);
	return ok;
}

static char *
rel_key(const vt_tosca *t, const vt_treli *r, const char *rest)
{
	return vt_asprintf("%s[%u]/%s", vt_tosca_text(t, r->name), r->index, rest);
}

static void
keep_output(operation *o, const char *name, vt_value v)
{
	const char *iface = vt_tosca_text(o->t, o->a->iface->name),
		   *op = vt_tosca_text(o->t, o->a->op->name);
	vt_treli *r = o->a->rel;
	vt_tnodei *n = r ? r->source : o->a->node;
	char *plain = vt_asprintf("%s/%s/%s", iface, op, name),
	     *key = r ? rel_key(o->t, r, plain) : vt_xstrdup(plain);
	vt_tosca_put_output(o->t, n, r, iface, op, name, v);
	vt_tstate_set(o->d->state, o->t, n, "outputs", key, v);
	free(plain);
	free(key);
}

static bool
map_output(operation *o, const vt_tassign *m, vt_value v)
{
	vt_tattr a;
	char *why = NULL, *key;
	uint32_t before = o->t->nproblems;
	vt_tnodei *n;
	if (!m->expr)
		return true;
	if (!vt_tosca_find_attribute(o->t, &o->ctx, m->expr, &a, &why)) {
		fail(o, "its output '%s' leads nowhere: %s", vt_tosca_text(o->t, m->name), why);
		free(why);
		return false;
	}
	if (!vt_tosca_put_attribute(o->t, &a, v))
		return had_problem(o, before, "output", m->name)
			       ? false
			       : fail(o, "its output '%s' does not suit the attribute",
					 vt_tosca_text(o->t, m->name));
	n = a.rel ? a.rel->source : a.node ? a.node : a.cap->node;
	key = a.rel   ? rel_key(o->t, a.rel, vt_tosca_text(o->t, a.name))
	      : a.cap ? vt_asprintf("%s/%s", vt_tosca_text(o->t, a.cap->def->name),
				vt_tosca_text(o->t, a.name))
		      : vt_xstrdup(vt_tosca_text(o->t, a.name));
	vt_tstate_set(o->d->state, o->t, n,
		a.rel   ? "relationships"
		: a.cap ? "capabilities"
			: "attributes",
		key, v);
	free(key);
	/* The record of the step has its own node; that of another one goes into the journal by
	 * itself. */
	return n == o->a->node || vt_tstate_touch(o->d->state, o->t, n);
}

static bool
take_outputs(operation *o)
{
	vt_dict *d;
	vt_value key, v;
	uint32_t pos = 0;
	bool ok = read_outputs(o, &d);
	const vt_tspan mapped = o->a->op->outputs;
	while (ok && vt_dict_at(d, &pos, &key, &v))
		if (vt_is(key, STR))
			keep_output(o, vt_as_str(key)->s, v);
	for (uint32_t i = 0; ok && i < mapped.n; i++) {
		const vt_tassign *m = &o->t->m->assign[mapped.first + i];
		v = vt_dict_get_str(d, o->t->m->str[m->name]);
		if (v != VT_UNDEF)
			ok = map_output(o, m, v);
	}
	if (d)
		vt_release(vt_mkptr(d));
	return ok;
}

/* ---- all of it ---- */

/* Letters, digits and a few signs of it. */
static char *
file_name(const operation *o)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_path(&b, o->t, o->a->node);
	vt_buf_putc(&b, '.');
	vt_tplan_step_name(&b, o->d->plan, o->a);
	for (size_t i = 0; i < b.n; i++) {
		unsigned char c = (unsigned char)b.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			    c == '.' || c == '-' || c == '_' || c >= 128) ||
			(c == '.' && i == 0))
			b.p[i] = '_';
	}
	if (b.n > MOST_NAME)
		b.n = MOST_NAME;
	vt_buf_putc(&b, 0);
	return b.p;
}

static double
time_limit(operation *o)
{
	vt_value v = VT_UNDEF;
	double seconds = o->d->timeout;
	vt_value number = VT_UNDEF;
	if (o->a->op->timeout && vt_tosca_eval(o->t, &o->ctx, o->a->op->timeout, &v) &&
		vt_tosca_number(v, &number))
		(void)vt_num_double(o->rt, number, &seconds);
	vt_clear(&v);
	return seconds > 0 ? seconds : 0;
}

static void
put_tail(operation *o, vt_buf *b)
{
	enum { LINES = 10, BYTES = 4000 };
	char text[BYTES + 1], *p;
	FILE *f = open_plain(o->log);
	size_t n;
	int lines = 0;
	if (!f)
		return;
	if (fseek(f, -BYTES, SEEK_END) != 0)
		rewind(f);
	n = fread(text, 1, BYTES, f);
	fclose(f);
	while (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	for (p = text + n; p > text && lines < LINES; p--)
		lines += p[-1] == '\n';
	if (lines == LINES)
		p++;
	for (char *next; *p; p = next) {
		size_t k = strcspn(p, "\n");
		next = p + k + (p[k] == '\n');
		vt_buf_puts(b, "\n  | ");
		for (size_t i = 0; i < k; i++)
			vt_buf_putc(b, (unsigned char)p[i] < 32 && p[i] != '\t' ? '?' : p[i]);
	}
	vt_buf_repair(b);
}

static bool
judge(operation *o, const vt_child_result *r, double limit)
{
	vt_buf b = {NULL, 0, 0};
	switch (r->end) {
	case VT_CHILD_EXIT:
		if (r->code == 0)
			return true;
		if (o->host)
			vt_buf_printf(&b, "on %s: ", o->host);
		if (o->host && r->code == VT_TSSH_LOST)
			vt_buf_puts(&b, "ssh could not get there, or lost it");
		else if (o->host && r->code == VT_TSSH_NO_ROOM)
			vt_buf_puts(&b, "no room for the files (it needs mktemp, head and tar)");
		else
			vt_buf_printf(&b, "exit status %d", r->code);
		break;
	case VT_CHILD_SIGNAL:
		vt_buf_printf(&b, "killed by signal %d (%s)", r->code, strsignal(r->code));
		break;
	case VT_CHILD_TIMEOUT: vt_buf_printf(&b, "it took more than %g seconds", limit); break;
	case VT_CHILD_FAILED:
		if (r->code == ENOENT && !strcmp(o->argv.v[0], "ansible-playbook"))
			return fail(o, "it is a playbook, and there is no ansible-playbook in PATH "
				       "(install ansible-core)");
		if (r->code == ENOENT && o->host)
			return fail(o,
				"it runs on %s, and there is no ssh in PATH (install "
				"openssh-client)",
				o->host);
		return fail(o, "%s cannot be started: %s", o->argv.v[0], strerror(r->code));
	}
	vt_buf_printf(&b, "; its log is %s", o->log);
	put_tail(o, &b);
	fail(o, "%.*s", (int)b.n, b.p);
	vt_buf_free(&b);
	return false;
}

static bool
prepare(operation *o)
{
	if (mkdir(o->dir, 0700) != 0 || mkdir(o->files, 0700) != 0)
		return fail(o, "%s cannot be made: %s", o->dir, strerror(errno));
	(void)unlink(o->log);
	vt_value c = VT_UNDEF;
	bool ok = unpack_all(o) && all_inputs(o) &&
		  write_json(o, "inputs.json", vt_mkptr(o->inputs)) && environment(o) && command(o);
	if (ok) {
		c = context(o);
		ok = write_json(o, "context.json", c) &&
		     (write_new(o->outputs, "", 0, 0600) ||
			     fail(o, "%s: %s", o->outputs, strerror(errno))) &&
		     (!o->host || send_away(o));
	}
	vt_release(c);
	return ok;
}

static vt_status
perform(operation *o)
{
	vt_child_result r;
	vt_child child = {.dir = o->files, .log = o->log};
	if (!prepare(o))
		return VT_OK;
	child.argv = o->argv.v;
	child.env = o->env.v;
	child.timeout = time_limit(o);
	child.most_log = o->d->most_log;
	if (o->host) {
		child.in = o->payload;
		child.out = o->outputs;
	}
	VT_TRY(vt_child_run(o->rt, &child, &r));
	if (judge(o, &r, child.timeout))
		(void)take_outputs(o);
	return VT_OK;
}

/* The first action of a step and node asks for all of them, unless the step is passed that inlines
 * it. */
static bool
ask_filter(vt_tdeploy *d, vt_taction *gate, char **why)
{
	const vt_tstep *s = gate->step;
	int holds = !d->plan->a[gate->outer].passed;
	if (holds && s->filter)
		holds = vt_tosca_filter_holds(d->t, s, s->target ? gate->node : NULL, why);
	gate->passed = holds == 0;
	if (gate->passed)
		vt_tstate_passed(d->state, d->plan, gate);
	return holds >= 0;
}

bool
vt_tosca_passes(vt_tdeploy *d, vt_taction *a, char **why)
{
	vt_taction *gate = &d->plan->a[a->gate];
	*why = NULL;
	if (!d->plan->workflow || !a->step || (a == gate && !ask_filter(d, gate, why)))
		return false;
	a->passed = gate->passed;
	return a->passed;
}

/* Of a workflow: an activity that runs nothing. */
static bool
is_quiet(vt_tdeploy *d, const vt_taction *a)
{
	if (a->role == VT_TL_STATE)
		vt_tstate_set_state(
			d->state, d->t, a->node, vt_tosca_text(d->t, a->activity->name));
	return a->role == VT_TL_STATE || a->op == NULL;
}

vt_status
vt_tosca_perform(vt_tdeploy *d, const vt_taction *a, char **why)
{
	*why = NULL;
	if (d->plan->workflow && is_quiet(d, a))
		return VT_OK;
	operation o = {.d = d, .a = a, .t = d->t, .rt = d->rt, .ctx = vt_tplan_ctx(a), .why = why};
	char *name;
	vt_status st;
	*why = NULL;
	name = file_name(&o);
	o.dir = vt_asprintf(
		"%s/%s%u", d->work, d->plan->undo ? "undo-" : "", (unsigned)(a - d->plan->a));
	o.files = vt_asprintf("%s/files", o.dir);
	o.outputs = vt_asprintf("%s/outputs", o.dir);
	o.log = vt_asprintf("%s/%s.log", d->logs, name);
	o.inputs = vt_dict_new(d->rt, false);
	st = perform(&o);
	if (!d->keep)
		remove_tree(o.dir);
	vt_release(vt_mkptr(o.inputs));
	free_list(&o.env);
	free_list(&o.argv);
	free_list(&o.told);
	free(o.blobs);
	free(o.host);
	free(o.payload);
	free(o.primary);
	free(o.dir);
	free(o.files);
	free(o.outputs);
	free(o.log);
	free(name);
	return st;
}

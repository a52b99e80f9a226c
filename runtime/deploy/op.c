/*
 * op.c - one operation: its files in a directory of its own, its inputs in the environment,
 * its process, and what it gave.
 *
 * The directory has the files below `files/` under their own relative paths, so that scripts find
 * each other, and beside them inputs.json, context.json and outputs; it goes when the operation has
 * ended.  Values never go to the terminal: what is reported is names, and at a failure the end of
 * the operation's own log.
 */
#define _GNU_SOURCE
#include "runtime/text/outfile.h"
#include "runtime/core/printable.h"
#include "runtime/core/number.h"
#include "runtime/object/object.h"
#include "runtime/deploy/op.h"
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

enum { MOST_NAME = 200 };

static vt_status perform(vt_operation *);

bool
vt_op_fail(vt_operation *o, const char *fmt, ...)
{
	va_list ap;
	vt_buf b = {NULL, 0, 0};
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, 0);
	free(*o->why);
	*o->why = b.p;
	return false;
}

void
vt_op_push(vt_words *l, char *owned)
{
	vt_push(l->v, l->n) = owned;
	l->v = vt_grow(l->v, l->n, sizeof *l->v);
	l->v[l->n] = NULL;
}

static void
free_list(vt_words *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

static vt_tctx
context_of(const vt_taction *a)
{
	return a->rel ? vt_tosca_rel_ctx(a->rel) : vt_tosca_node_ctx(a->node);
}

/* ---- the command ---- */

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcasecmp(s + n - k, end);
}

static bool
is_playbook(const vt_operation *o)
{
	for (uint32_t ty = o->artifact ? o->artifact->type : 0; ty; ty = o->t->m->type[ty].parent)
		if (strcasestr(vt_tosca_text(o->t, o->t->m->type[ty].name), "ansible"))
			return true;
	return ends_with(o->primary, ".yml") || ends_with(o->primary, ".yaml");
}

/* operation_host, or "". */
static const char *
where(const vt_operation *o)
{
	return vt_tosca_text(
		o->t, o->a->step && o->a->step->host ? o->a->step->host : o->a->op->host);
}

static vt_tnodei *
whose(const vt_operation *o)
{
	const vt_treli *r = o->a->rel;
	if (!r)
		return o->a->node;
	if (!strcmp(where(o), "SOURCE"))
		return r->source;
	if (!strcmp(where(o), "TARGET"))
		return r->target;
	return vt_troles[o->a->role].end == VT_TLE_TARGET ? r->target : r->source;
}

static vt_value
property(vt_operation *o, vt_tnodei *n, const char *name)
{
	vt_tctx ctx = vt_tosca_node_ctx(n);
	vt_value text = vt_str_c(o->rt, name);
	uint32_t str = vt_tosca_find_str(o->t, vt_as_str(text));
	vt_tcell *c = str ? vt_tosca_find(&n->props, str) : NULL;
	vt_release(text);
	return c ? vt_tosca_cell(o->t, &ctx, c) : VT_UNDEF;
}

/* Does Cloudify have an agent on the machine, which runs what is contained in it? */
static bool
has_agent(vt_operation *o, vt_tnodei *n)
{
	vt_value config = property(o, n, "agent_config"), old = property(o, n, "install_agent"),
		 how = vt_is(config, DICT) ? vt_dict_get_c(vt_as_dict(config), "install_method")
					   : VT_UNDEF;
	bool none = vt_is(how, STR) && !strcmp(vt_as_str(how)->s, "none");
	bool off = old == VT_FALSE || (vt_is(old, STR) && !strcmp(vt_as_str(old)->s, "false"));
	return vt_is(config, DICT) && !none && !off;
}

/* The `ip` of a Compute of Cloudify: what an operation has set, else the property; owned. */
static vt_value
agent_address(vt_operation *o, vt_tnodei *n)
{
	vt_value runtime, v;
	if (!(o->t->m->version & VT_TV_CLOUDIFY) || !has_agent(o, n))
		return VT_UNDEF;
	runtime = vt_op_runtime(o, n);
	v = vt_copy(vt_dict_get_c(vt_as_dict(runtime), "ip"));
	vt_release(runtime);
	if (v == VT_UNDEF)
		v = vt_copy(property(o, n, "ip"));
	if (vt_is(v, STR) && vt_as_str(v)->bytes)
		return v;
	vt_clear(&v);
	return VT_UNDEF;
}

/* The address of the node, unless `below`, or of what it stands on: an attribute that an operation
 * of Compute has set.  Whatever it is: who cannot use it must not take another machine for it.
 * VT_NULL: it has an expression, and is not known. */
static vt_value
address_of(vt_operation *o, bool below)
{
	vt_value name = vt_str_c(o->rt, "public_address"), found = VT_UNDEF;
	uint32_t str = vt_tosca_find_str(o->t, vt_as_str(name));
	vt_tnodei *n = whose(o);
	vt_release(name);
	for (uint32_t hops = 0; n && found == VT_UNDEF && hops < 64; hops++) {
		vt_tcell *c = str && !(below && hops == 0) ? vt_tosca_find(&n->attrs, str) : NULL;
		vt_tctx ctx = vt_tosca_node_ctx(n);
		vt_value v = c ? vt_tosca_cell(o->t, &ctx, c) : VT_UNDEF;
		if (v == VT_UNDEF && hops > 0 && c && c->expr)
			found = VT_NULL;
		else if (v != VT_UNDEF && v != VT_NULL && v != VT_NOVALUE)
			found = vt_copy(v);
		else if (!(below && hops == 0))
			found = agent_address(o, n);
		n = vt_tosca_host(o->t, n);
	}
	return found;
}

/* What reports the outputs of set_stats: a callback of ansible's, which any version calls. */
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
is_here(const vt_operation *o)
{
	return o->d->ssh.local || !strcmp(where(o), "ORCHESTRATOR") ||
	       !strcmp(where(o), "localhost");
}

/* A word that nobody knows is no machine, and so not this one. */
static bool
knows_where(vt_operation *o)
{
	static const char *const known[] = {
		"", "SELF", "HOST", "SOURCE", "TARGET", "ORCHESTRATOR", "localhost"};
	for (size_t i = 0; i < VT_LEN(known); i++)
		if (!strcmp(where(o), known[i]))
			return true;
	return vt_op_fail(o,
		"operation_host is '%s'; it can be SELF, HOST, SOURCE, TARGET or ORCHESTRATOR",
		where(o));
}

/* The machine: *host is NULL when it is this one, because there is no address or it is ours.  An
 * address that cannot be one is refused. */
static bool
find_machine(vt_operation *o, bool below, char **host)
{
	vt_value v;
	bool ok = true;
	*host = NULL;
	if (!knows_where(o))
		return false;
	v = is_here(o) ? VT_UNDEF : address_of(o, below);
	if (v == VT_NULL)
		ok = vt_op_fail(o, "the public_address of the machine is not known");
	else if (v != VT_UNDEF && !vt_is(v, STR))
		ok = vt_op_fail(o, "the public_address of the machine is no text");
	else if (v != VT_UNDEF && !vt_tssh_may_name(vt_as_str(v)->s, vt_as_str(v)->bytes))
		ok = vt_op_fail(
			o, "the public_address of the machine, '%s', is none", vt_as_str(v)->s);
	else if (v != VT_UNDEF && !vt_tssh_is_local(vt_as_str(v)->s))
		*host = vt_xstrdup(vt_as_str(v)->s);
	vt_clear(&v);
	return ok;
}

static bool
playbook(vt_operation *o)
{
	const vt_tssh *ssh = &o->d->ssh;
	char *plugins, *file, *host;
	bool ok;
	if (!find_machine(o, false, &host))
		return false;
	plugins = vt_asprintf("%s/callbacks", o->dir);
	file = vt_asprintf("%s/vetro_outputs.py", plugins);
	vt_op_push(&o->argv, vt_xstrdup("ansible-playbook"));
	vt_op_push(&o->argv, vt_xstrdup("-i"));
	vt_op_push(&o->argv, vt_asprintf("%s,", host ? host : "localhost"));
	if (!host) {
		vt_op_push(&o->argv, vt_xstrdup("-c"));
		vt_op_push(&o->argv, vt_xstrdup("local"));
	} else {
		char *common = vt_tssh_for_ansible(ssh);
		if (ssh->user)
			vt_op_push(&o->argv, vt_asprintf("--user=%s", ssh->user));
		if (ssh->key)
			vt_op_push(&o->argv, vt_asprintf("--private-key=%s", ssh->key));
		if (*common)
			vt_op_push(&o->argv, vt_asprintf("--ssh-common-args=%s", common));
		free(common);
	}
	vt_op_push(&o->argv, vt_xstrdup("--extra-vars"));
	vt_op_push(&o->argv, vt_asprintf("@%s/inputs.json", o->dir));
	vt_op_push(&o->argv, vt_xstrdup(o->primary));
	ok = (mkdir(plugins, 0700) == 0 &&
		     vt_op_write(file, callback, sizeof callback - 1, 0600)) ||
	     vt_op_fail(o, "%s cannot be written: %s", file, strerror(errno));
	vt_op_set_env(o, "ANSIBLE_CALLBACK_PLUGINS", plugins);
	vt_op_set_env(o, "ANSIBLE_NOCOLOR", "1");
	vt_op_set_env(o, "ANSIBLE_RETRY_FILES_ENABLED", "0");
	free(host);
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

static bool
is_python(const vt_operation *o)
{
	return ends_with(o->primary, ".py");
}

static void
push_word(void *l, char *owned)
{
	vt_op_push(l, owned);
}

/* Everything is prepared here as if it ran here, and then goes there. */
static bool
send_away(vt_operation *o)
{
	const vt_tremote r = {.host = o->host,
		.dir = o->dir,
		.primary = o->primary + strlen(o->files) + 1,
		.has_ctx = o->ctx_folder != NULL,
		.by = starts_itself(o->primary) ? ""
		      : is_python(o)            ? "python3 "
						: "/bin/sh ",
		.file = o->blobs,
		.nfiles = o->nblobs,
		.set = o->added.v,
		.nset = o->added.n};
	char *command;
	o->payload = vt_asprintf("%s/payload", o->dir);
	command = vt_tssh_pack(&r, o->payload);
	if (!command)
		return vt_op_fail(o, "%s cannot be written: %s", o->payload, strerror(errno));
	vt_tssh_words(&o->d->ssh, push_word, &o->argv);
	vt_op_push(&o->argv, vt_xstrdup(o->host));
	vt_op_push(&o->argv, command);
	return true;
}

static bool
command(vt_operation *o)
{
	o->playbook = is_playbook(o);
	if (o->playbook)
		return playbook(o);
	/* What makes a machine cannot be on it: operations of a node that has an address of its own
	 * go there only when they say SELF. */
	if (!find_machine(o, !o->a->rel && strcmp(where(o), "SELF") != 0, &o->host))
		return false;
	if (o->host)
		return true;
	if (starts_itself(o->primary))
		(void)chmod(o->primary, 0700);
	else
		vt_op_push(&o->argv, vt_xstrdup(is_python(o) ? "python3" : "/bin/sh"));
	vt_op_push(&o->argv, vt_xstrdup(o->primary));
	return true;
}

/* Cloudify's `process` input: more words, and variables of the environment. */
static bool
process_words(vt_operation *o)
{
	vt_value args = vt_op_process(o, "args");
	for (uint32_t i = 0; vt_is_sequence(args) && i < vt_as_list(args)->n; i++) {
		char *word = vt_op_text(o, vt_as_list(args)->v[i]);
		if (o->host) {
			free(word);
			return vt_op_fail(
				o, "process.args are only given to scripts on this machine");
		}
		vt_op_push(&o->argv, word);
	}
	return true;
}

/* ---- all of it ---- */

/* Letters, digits and a few signs of it. */
char *
vt_tosca_log_name(const char *text)
{
	vt_buf b = {NULL, 0, 0};
	vt_buf_puts(&b, text);
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

static char *
file_name(const vt_operation *o)
{
	vt_buf b = {NULL, 0, 0};
	char *name;
	vt_tosca_path(&b, o->t, o->a->node);
	vt_buf_putc(&b, '.');
	vt_tplan_step_name(&b, o->d->plan, o->a);
	vt_buf_putc(&b, 0);
	name = vt_tosca_log_name(b.p);
	vt_buf_free(&b);
	return name;
}

/* What an operation says of how it is run, or what the command line does. */
static double
number_of(vt_operation *o, uint32_t expr, double otherwise)
{
	vt_value v = VT_UNDEF, number = VT_UNDEF;
	double d = otherwise;
	if (expr && vt_tosca_eval(o->t, &o->ctx, expr, &v) && vt_tosca_number(v, &number))
		(void)vt_num_double(o->rt, number, &d);
	vt_clear(&v);
	return d;
}

/* More than is shown: a secret that the beginning cuts is not known as one. */
static void
read_end(const char *path, vt_buf *out)
{
	enum { READ = 256 << 10 };
	FILE *f = vt_op_open_plain(path);
	char *to = vt_buf_room(out, READ);
	if (!f)
		return;
	if (fseek(f, -READ, SEEK_END) != 0)
		rewind(f);
	out->n = fread(to, 1, READ, f);
	fclose(f);
}

/* The end of the log, for a message: made harmless, without secrets. */
static void
put_tail(vt_operation *o, vt_buf *b)
{
	enum { LINES = 10, BYTES = 4000 };
	vt_buf text = {NULL, 0, 0};
	const char *p, *end;
	int lines = 0;
	read_end(o->log, &text);
	vt_redact(&text, 0);
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	p = end = text.p + text.n;
	for (; p > text.p && p > end - BYTES && lines < LINES; p--)
		lines += p[-1] == '\n';
	if (lines == LINES)
		p++;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t k = (size_t)((nl ? nl : end) - p), shown = k;
		while (shown && p[shown - 1] == '\r')
			shown--;
		vt_buf_puts(b, "\n  | ");
		vt_put_lines(b, p, shown);
		p += k + (nl != NULL);
	}
	vt_buf_free(&text);
}

/* Of a script that is there ENOENT means the program that its first line names. */
static bool
no_start(vt_operation *o, int code)
{
	const char *script = o->argv.v[0];
	char line[256] = "";
	FILE *f = code == ENOENT ? fopen(script, "re") : NULL;
	bool read = f && fgets(line, sizeof line, f);
	size_t n = strcspn(line, "\r\n"), name = 2 + strspn(line + 2, " \t");
	if (f)
		fclose(f);
	if (!read || strncmp(line, "#!", 2) != 0)
		return vt_op_fail(o, "%s cannot be started: %s", script, strerror(code));
	if (line[n] == '\r')
		return vt_op_fail(o,
			"%s cannot be started: its lines end as those of DOS do, with a carriage "
			"return; `sed -i 's/\\r$//' FILE` takes them away",
			script);
	line[name + strcspn(line + name, " \t\r\n")] = '\0';
	for (char *p = line + name; *p; p++)
		*p = *p < ' ' || *p == 127 ? '?' : *p;
	return vt_op_fail(o, "%s cannot be started: its first line names %s, which is not there",
		script, line + name);
}

static bool
judge(vt_operation *o, const vt_child_result *r, double limit)
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
			return vt_op_fail(o,
				"it is a playbook, and there is no ansible-playbook in PATH "
				"(install ansible-core)");
		if (r->code == ENOENT && o->host)
			return vt_op_fail(o,
				"it runs on %s, and there is no ssh in PATH (install "
				"openssh-client)",
				o->host);
		return no_start(o, r->code);
	}
	vt_buf_printf(&b, "; its log is %s", o->log);
	put_tail(o, &b);
	vt_op_fail(o, "%.*s", (int)b.n, b.p);
	vt_buf_free(&b);
	return false;
}

static bool
prepare(vt_operation *o)
{
	if (mkdir(o->dir, 0700) != 0 || mkdir(o->files, 0700) != 0)
		return vt_op_fail(o, "%s cannot be made: %s", o->dir, strerror(errno));
	(void)unlink(o->log);
	vt_value c = VT_UNDEF;
	bool ok = vt_op_unpack(o) && vt_op_inputs(o) &&
		  vt_op_write_json(o, "inputs.json", vt_mkptr(o->inputs)) && vt_op_environment(o) &&
		  command(o) && process_words(o);
	if (ok) {
		c = vt_op_context(o);
		ok = vt_op_write_json(o, "context.json", c) &&
		     (vt_op_write(o->outputs, "", 0, 0600) ||
			     vt_op_fail(o, "%s: %s", o->outputs, strerror(errno))) &&
		     (!o->host || send_away(o));
	}
	vt_release(c);
	return ok;
}

/* The journal has the process before it does anything. */
static bool
note_process(void *ctx, pid_t pid)
{
	vt_operation *o = ctx;
	vt_group g;
	errno = ESRCH;
	return vt_group_note(&g, pid, o->id) &&
	       vt_tstate_process(o->d->state, o->d->plan, o->a, &g);
}

/* The folder of a path; malloc'd. */
static char *
dirname_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return vt_asprintf("%.*s", (int)(slash - path), path);
}

static vt_status
perform(vt_operation *o)
{
	vt_child_result r;
	vt_child child = {.dir = o->files, .log = o->log, .begins = note_process, .ctx = o};
	if (!prepare(o))
		return VT_OK;
	if (o->playbook) /* what it names is looked for beside it */
		child.dir = o->folder = dirname_of(o->primary);
	child.argv = o->argv.v;
	child.env = o->env.v;
	child.timeout = number_of(o, o->a->op->timeout, o->d->timeout);
	child.timeout = child.timeout > 0 ? child.timeout : 0;
	child.most_log = o->d->most_log;
	if (o->host) {
		child.in = o->payload;
		child.out = o->outputs;
	}
	VT_TRY(vt_child_run(o->rt, &child, &r));
	if (judge(o, &r, child.timeout))
		(void)vt_op_take_outputs(o);
	else
		vt_op_take_told(o);
	return VT_OK;
}

/* Seconds until it is tried again; below 0: it is not. */
static double
try_again(vt_operation *o, uint32_t tries)
{
	double most = number_of(o, o->a->op->retries, o->d->retries),
	       pause = number_of(o, o->a->op->pause, o->d->pause);
	if (!*o->why || o->never || (most >= 0 && tries > most))
		return -1;
	return o->pause > 0 ? o->pause : pause > 0 ? pause : 0;
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
vt_tosca_perform(vt_tdeploy *d, const vt_taction *a, uint32_t tries, char **why, double *again)
{
	*why = NULL;
	*again = -1;
	if (d->plan->workflow && is_quiet(d, a))
		return VT_OK;
	vt_operation o = {.d = d, .a = a, .t = d->t, .rt = d->rt, .ctx = context_of(a), .why = why};
	char *name;
	vt_value id;
	vt_status st;
	*why = NULL;
	id = vt_new_uuid(d->rt);
	snprintf(o.id, sizeof o.id, "%s", vt_as_str(id)->s);
	vt_release(id);
	name = file_name(&o);
	o.dir = vt_asprintf(
		"%s/%s%u", d->work, d->plan->undo ? "undo-" : "", (unsigned)(a - d->plan->a));
	o.files = vt_asprintf("%s/files", o.dir);
	o.outputs = vt_asprintf("%s/outputs", o.dir);
	o.log = vt_asprintf("%s/%s.log", d->logs, name);
	o.inputs = vt_dict_new(d->rt, false);
	st = perform(&o);
	*again = try_again(&o, tries);
	if (!d->keep)
		vt_op_remove(o.dir);
	vt_release(vt_mkptr(o.inputs));
	free_list(&o.env);
	free_list(&o.argv);
	free_list(&o.added);
	free(o.blobs);
	for (uint32_t i = 0; i < o.nown; i++) {
		free((char *)(uintptr_t)o.own[i]->path);
		free(o.own[i]);
	}
	free(o.own);
	free(o.folder);
	free(o.ctx_folder);
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

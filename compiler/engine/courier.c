/*
 * courier.c - the process for HTTP: takes requests of the supervisor, a line of JSON each, and
 * answers each with a line.
 *
 * Each request is a green thread.  What a server may mend by itself is tried again for a while:
 * deployments wait longer than calls, which have 15 s in all.
 */
#define _GNU_SOURCE
#include "compiler/engine/courier.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALL_PATIENCE = 8, TASK_PATIENCE = 600, LINE_MAX_BYTES = 64 << 20 };

/* ---- what is missing --------------------------------------------------------------------- */

static void
free_lack(lack *l)
{
	free(l->cls);
	free(l->module);
	free(l->message);
	*l = (lack){0};
}

bool
eng_lacks(lack *l, bool later, const char *cls, const char *module, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	free_lack(l);
	va_start(ap, fmt);
	vt_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	vt_buf_repair(&b);
	vt_redact(&b, 0);
	vt_buf_putc(&b, '\0');
	*l = (lack){vt_xstrdup(cls), vt_xstrdup(module), b.p, later};
	return false;
}

/* ---- requests over HTTP ------------------------------------------------------------------ */

static bool
is_insecure(const eng_conf *c)
{
	return eng_conf_flag(c, "murano_auth", "insecure") ||
	       eng_conf_flag(c, "keystone_authtoken", "insecure") ||
	       eng_conf_flag(c, "murano", "insecure");
}

bool
eng_ask(courier *c, const char *method, const char *url, const char *token, const vt_buf *body,
	vt_net_response *r, lack *why)
{
	const vt_net_field fields[] = {{"Accept", "*/*", false}, {"User-Agent", "vetro", false},
		{"Content-Type", "application/json", false}, {"X-Auth-Token", token, true}};
	const vt_net_request q = {.method = method,
		.url = url,
		.field = fields,
		.nfields = token ? 4 : 3,
		.body = body ? body->p : NULL,
		.nbody = body ? body->n : 0,
		.connect_timeout = 5,
		.timeout = 60,       /* of Keystone, whose work would be in vain */
		.stall_timeout = -1, /* libcurl looks once a second for that, in each request */
		.insecure = is_insecure(c->conf),
		.ca_file = eng_conf_auth(c->conf, "cafile"),
		.max_redirects = 3};
	*r = (vt_net_response){0};
	if (vt_net_run(c->rt, c->net, &q, r) != VT_OK) {
		vt_exc_clear(c->rt);
		return eng_lacks(why, false, "Exception", "builtins", "%s was cancelled", method);
	}
	if (r->message != NULL) {
		char *message = vt_xstrdup(r->message);
		bool later = vt_net_may_retry(r->error);
		vt_net_response_free(r);
		(void)eng_lacks(why, later, "ServiceUnavailable", "keystoneauth1.exceptions.http",
			"%s %s", method, message);
		free(message);
		return false;
	}
	return true;
}

/* ---- requests of the supervisor ---------------------------------------------------------- */

typedef struct errand {
	courier *c;
	vt_value request;
} errand;

static void
answer(courier *c, vt_buf *b)
{
	vt_buf_putc(b, '\n');
	if (!vt_write_all(c->fd, b->p, b->n))
		_exit(0);
	vt_buf_free(b);
}

static void
put_number(vt_buf *b, vt_value request)
{
	vt_value n = eng_member(request, "n");
	vt_buf_printf(b, "{\"n\": %lld", vt_is_int(n) ? (long long)vt_toint(n) : 0LL);
}

static void
put_text(vt_buf *b, const char *name, const char *s)
{
	vt_buf_printf(b, ", \"%s\": ", name);
	vt_json_str(b, s, strlen(s));
}

static bool
find_out(courier *c, vt_value q, vt_buf *b, lack *why)
{
	const char *token = eng_text(q, "token"), *trust = eng_text(q, "trust");
	identity who = {0};
	bool ok = true;
	if (trust)
		ok = eng_trusted(c, token, eng_text(q, "project"), trust, &who, NULL, NULL, why);
	else
		who.token = vt_xstrdup(token ? token : "");
	ok = ok && eng_handled(c, q, &who, b, why);
	eng_identity_free(&who);
	return ok;
}

/* Before anything else: an engine that is killed now must not make another one. */
static void
tell_trust(void *errand_, const char *trust)
{
	const errand *e = errand_;
	vt_buf b = {0};
	/* a second try has it too */
	vt_dict_set_c(e->c->rt, vt_as_dict(e->request), "trust", vt_str_c(e->c->rt, trust));
	put_number(&b, e->request);
	put_text(&b, "made", trust);
	vt_buf_putc(&b, '}');
	answer(e->c, &b);
}

static bool
prepare(courier *c, vt_value q, vt_buf *b, lack *why)
{
	const char *token = eng_text(q, "token"), *trust = eng_text(q, "trust");
	identity who = {0};
	bool trusts = eng_member(q, "trusts") == VT_TRUE, ok = true;
	if (trusts)
		ok = eng_trusted(c, token, eng_text(q, "project"), trust, &who, tell_trust,
			&(errand){c, q}, why);
	else
		who.token = vt_xstrdup(token ? token : "");
	ok = ok && eng_prepare(c, q, &who, b, why);
	if (ok && who.trust)
		put_text(b, "trust", who.trust);

	eng_identity_free(&who);
	return ok;
}

static bool
serve(courier *c, vt_value q, vt_buf *b, lack *why)
{
	const char *op = eng_text(q, "op");
	b->n = 0;
	put_number(b, q);
	if (op != NULL && strcmp(op, "prepare") == 0)
		return prepare(c, q, b, why);
	if (op != NULL && strcmp(op, "handled") == 0 && eng_text(q, "environment"))
		return find_out(c, q, b, why);
	if (op != NULL && strcmp(op, "untrust") == 0 && eng_text(q, "trust"))
		return eng_untrust(c, eng_text(q, "trust"), why);
	return eng_lacks(why, false, "Exception", "builtins", "an errand that nobody knows");
}

static vt_status
run_errand(vt_rt *rt, void *data, uint32_t index, vt_value *out)
{
	errand *e = data;
	courier *c = e->c;
	double pause = 0.5, patience = eng_member(e->request, "calls") == VT_TRUE ? CALL_PATIENCE
										  : TASK_PATIENCE;
	double end = vt_clock() + patience;
	lack why = {0};
	vt_buf b = {0};
	bool ok;
	(void)index, (void)out;
	while (!(ok = serve(c, e->request, &b, &why)) && why.later && vt_clock() < end) {
		eng_log(ENG_WARNING, NULL, "%s: tried again in %.1f s", why.message, pause);
		if (vt_sleep(rt, pause) != VT_OK)
			break;
		pause = pause < 8 ? pause * 2 : 8;
	}
	if (!ok) {
		put_text(&b, "class", why.cls);
		put_text(&b, "module", why.module);
		put_text(&b, "message", why.message);
	}
	vt_buf_putc(&b, '}');
	free_lack(&why);
	answer(c, &b);
	return VT_OK;
}

static void
end_errand(void *data)
{
	errand *e = data;
	vt_release(e->request);
	free(e);
}

static void
take_line(courier *c, const char *s, size_t n)
{
	errand *e = vt_xmalloc(sizeof *e);
	char *why = NULL;
	const char *token;
	*e = (errand){c, VT_UNDEF};
	if (!vt_json_read(c->rt, s, n, VT_JSON_MUTABLE, 0, &e->request, &why)) {
		free(why);
		free(e);
		return;
	}
	token = eng_text(e->request, "token");
	if (token)
		vt_secret_add(c, token, strlen(token));
	if (vt_spawn(c->rt, run_errand, e, end_errand) != VT_OK) {
		vt_exc_clear(c->rt);
		end_errand(e);
	}
}

static int
listen_for_lines(void *data)
{
	courier *c = data;
	vt_buf in = {0};
	for (;;) {
		int ready;
		char *room = vt_buf_room(&in, 65536), *end;
		ssize_t n;
		if (vt_wait_fd(c->rt, c->fd, VT_FD_READ, -1, &ready) != VT_OK)
			return 1;
		n = read(c->fd, room, 65536);
		if (n <= 0 && errno != EINTR)
			return 0;
		in.n += n > 0 ? (size_t)n : 0;
		while (in.n > 0 && (end = memchr(in.p, '\n', in.n)) != NULL) {
			size_t k = (size_t)(end - in.p);
			take_line(c, in.p, k);
			memmove(in.p, end + 1, in.n - k - 1);
			in.n -= k + 1;
		}
		if (in.n > LINE_MAX_BYTES)
			return 1;
	}
}

static char *
packages_folder(const eng_conf *c)
{
	const char *own = eng_conf_text(c, "engine", "packages_cache");
	char *path = own && *own ? vt_asprintf("%s/vetro", own)
				 : vt_asprintf("%s/packages", eng_conf_text(c, "vetro", "spool"));
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			(void)mkdir(path, 0755);
			*p = '/';
		}
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		eng_log(ENG_ERROR, NULL, "%s: %s", path, strerror(errno));
	return path;
}

_Noreturn void
eng_courier_main(const eng_conf *conf, int fd)
{
	enum { STACK = 8 << 20 };
	courier c = {.conf = conf, .fd = fd, .most_making = ENG_MOST_ASKING};
	vt_no_memory_is_told();
	c.rt = vt_rt_new(NULL);
	c.net = vt_net_new(c.rt);
	c.folder = packages_folder(conf);
	_exit(vt_with_stack(STACK, listen_for_lines, &c));
}

/*
 * trust.c - tokens and trusts of Keystone, as murano-engine asks for them.
 *
 * A token that a trust gave is kept until a minute before it expires, so a later task of an
 * environment costs no request.
 */
#define _GNU_SOURCE
#include "compiler/engine/courier.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BEFORE = 60, MOST_KNOWN = 4096 };

typedef struct trusted {
	struct trusted *next;
	char *trust, *token;
	int64_t until;
} trusted;

const char *
eng_auth_url(const eng_conf *c)
{
	const char *url = eng_conf_auth(c, "auth_url");
	return url && *url ? url : eng_conf_auth(c, "www_authenticate_uri");
}

void
eng_identity_free(identity *i)
{
	vt_free_secret(i->token);
	free(i->trust);
	*i = (identity){0};
}

/* An address below Keystone's version 3. */
static char *
below(const courier *c, const char *path)
{
	const char *base = eng_auth_url(c->conf);
	int n = base ? (int)strlen(base) : 0;
	while (n > 0 && base[n - 1] == '/')
		n--;
	return vt_asprintf("%.*s%s%s", n, base ? base : "",
		n > 2 && !memcmp(base + n - 3, "/v3", 3) ? "" : "/v3", path);
}

static void
put(vt_buf *b, const char *before, const char *text)
{
	vt_buf_puts(b, before);
	vt_json_str(b, text, strlen(text));
}

static void
put_domain(vt_buf *b, const char *id, const char *name)
{
	vt_buf_puts(b, ", \"domain\": {");
	if (id)
		put(b, "\"id\": ", id);
	else if (name)
		put(b, "\"name\": ", name);
	else
		vt_buf_puts(b, "\"id\": \"default\"");
	vt_buf_putc(b, '}');
}

static void
put_password(const eng_conf *c, vt_buf *b)
{
	const char *id = eng_conf_auth(c, "user_id"), *name = eng_conf_auth(c, "username");
	const char *password = eng_conf_auth(c, "password");
	vt_buf_puts(b, "{\"auth\": {\"identity\": {\"methods\": [\"password\"], \"password\": "
		       "{\"user\": {");
	put(b, id ? "\"id\": " : "\"name\": ", id ? id : name ? name : "");
	if (!id)
		put_domain(b, eng_conf_auth(c, "user_domain_id"),
			eng_conf_auth(c, "user_domain_name"));
	put(b, ", \"password\": ", password ? password : "");
	vt_buf_puts(b, "}}}");
}

static void
put_own_project(const eng_conf *c, vt_buf *b)
{
	const char *id = eng_conf_auth(c, "project_id"), *name = eng_conf_auth(c, "project_name");
	if (!id && !name)
		return;
	vt_buf_puts(b, ", \"scope\": {\"project\": {");
	put(b, id ? "\"id\": " : "\"name\": ", id ? id : name);
	if (!id)
		put_domain(b, eng_conf_auth(c, "project_domain_id"),
			eng_conf_auth(c, "project_domain_name"));
	vt_buf_puts(b, "}}");
}

/* ---- tokens ------------------------------------------------------------------------------ */

/* What Keystone says of a token that it has given. */
typedef struct token {
	char *text;
	int64_t until;
	vt_value body; /* {"user", "project", "roles", "catalog"}, or VT_NULL */
} token;

static void
free_token(token *t)
{
	vt_free_secret(t->text);
	vt_release(t->body);
}

static int64_t
time_of(const char *s)
{
	struct tm t = {0};
	const char *end = s ? strptime(s, "%Y-%m-%dT%H:%M:%S", &t) : NULL;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return end ? (int64_t)timegm(&t) : (int64_t)now.tv_sec + 300;
}

/* Keystone's message, or the status alone. */
static bool
refused(courier *c, const char *what, const vt_net_response *r, lack *why)
{
	vt_value doc = VT_UNDEF;
	char *err = NULL;
	const char *said = NULL;
	if (r->nbody && vt_json_read(c->rt, r->body, r->nbody, 0, 100, &doc, &err))
		said = eng_text(eng_member(doc, "error"), "message");
	free(err);
	(void)eng_lacks(why, r->status >= 500 || r->status == 429,
		r->status == 401 ? "Unauthorized" : "Forbidden", "keystoneauth1.exceptions.http",
		"%s (HTTP %d)%s%s", what, r->status, said ? ": " : "", said ? said : "");
	if (doc != VT_UNDEF)
		vt_release(doc);
	return false;
}

static bool
take_token(courier *c, const vt_net_response *r, token *t, lack *why)
{
	const char *text = vt_net_get(r, "X-Subject-Token");
	vt_value doc = VT_UNDEF;
	char *err = NULL;
	if (r->status / 100 != 2 || text == NULL)
		return refused(c, "Keystone gives no token", r, why);
	if (!vt_json_read(c->rt, r->body, r->nbody, 0, 200, &doc, &err)) {
		free(err);
		return eng_lacks(why, false, "Exception", "builtins",
			"what Keystone says of a token is no JSON");
	}
	t->text = vt_xstrdup(text);
	t->body = vt_copy(eng_member(doc, "token"));
	t->until = time_of(eng_text(t->body, "expires_at"));
	vt_secret_add(c, text, strlen(text));
	vt_release(doc);
	return true;
}

static bool
post_token(courier *c, vt_buf *body, token *t, lack *why)
{
	char *url = below(c, "/auth/tokens");
	vt_net_response r;
	bool ok;
	*t = (token){.body = VT_NULL};
	vt_buf_puts(body, "}}");
	ok = eng_ask(c, "POST", url, NULL, body, &r, why);
	if (ok) {
		ok = take_token(c, &r, t, why);
		vt_net_response_free(&r);
	}
	explicit_bzero(body->p, body->n);
	vt_buf_free(body);
	free(url);
	return ok;
}

/* ---- trusts ------------------------------------------------------------------------------ */

/* Who the engine is, which never changes. */
static bool
find_own_user(courier *c, lack *why)
{
	vt_buf b = {0};
	token t;
	const char *id;
	if (c->own_user != NULL)
		return true;
	put_password(c->conf, &b);
	put_own_project(c->conf, &b);
	if (!post_token(c, &b, &t, why))
		return false;
	id = eng_text(eng_member(t.body, "user"), "id");
	c->own_user = id ? vt_xstrdup(id) : NULL;
	free_token(&t);
	return c->own_user != NULL || eng_lacks(why, false, "Exception", "builtins",
					      "Keystone does not say who the engine is");
}

static bool
exchange(courier *c, const char *given, const char *project, token *t, lack *why)
{
	vt_buf b = {0};
	put(&b, "{\"auth\": {\"identity\": {\"methods\": [\"token\"], \"token\": {\"id\": ",
		given ? given : "");
	put(&b, "}}, \"scope\": {\"project\": {\"id\": ", project ? project : "");
	vt_buf_puts(&b, "}}");
	return post_token(c, &b, t, why);
}

static void
put_roles(vt_buf *b, vt_value roles)
{
	bool first = true;
	vt_buf_puts(b, ", \"roles\": [");
	for (uint32_t i = 0; vt_is_sequence(roles) && i < vt_as_list(roles)->n; i++) {
		const char *name = eng_text(vt_as_list(roles)->v[i], "name");
		if (name == NULL)
			continue;
		put(b, first ? "{\"name\": " : ", {\"name\": ", name);
		vt_buf_putc(b, '}');
		first = false;
	}
	vt_buf_puts(b, "]}}");
}

static bool
take_trust(courier *c, const vt_net_response *r, char **id, lack *why)
{
	vt_value doc = VT_UNDEF;
	char *err = NULL;
	const char *s = NULL;
	if (r->status / 100 != 2)
		return refused(c, "Keystone makes no trust", r, why);
	if (vt_json_read(c->rt, r->body, r->nbody, 0, 100, &doc, &err))
		s = eng_text(eng_member(doc, "trust"), "id");
	free(err);
	*id = s ? vt_xstrdup(s) : NULL;
	if (doc != VT_UNDEF)
		vt_release(doc);
	return *id != NULL ||
	       eng_lacks(why, false, "Exception", "builtins", "Keystone's trust has no id");
}

static bool
make_trust(courier *c, const char *given, const char *project, char **id, lack *why)
{
	vt_net_response r;
	vt_buf b = {0};
	char *url;
	token t;
	const char *trustor;
	bool ok;
	if (!find_own_user(c, why) || !exchange(c, given, project, &t, why))
		return false;
	trustor = eng_text(eng_member(t.body, "user"), "id");
	put(&b, "{\"trust\": {\"impersonation\": true, \"trustor_user_id\": ",
		trustor ? trustor : "");
	put(&b, ", \"trustee_user_id\": ", c->own_user);
	put(&b, ", \"project_id\": ", project);
	put_roles(&b, eng_member(t.body, "roles"));
	url = below(c, "/OS-TRUST/trusts");
	ok = eng_ask(c, "POST", url, t.text, &b, &r, why);
	if (ok) {
		ok = take_trust(c, &r, id, why);
		vt_net_response_free(&r);
	}
	free(url);
	vt_buf_free(&b);
	free_token(&t);
	return ok;
}

static trusted **
find(courier *c, const char *trust)
{
	trusted **t = &c->known;
	while (*t != NULL && strcmp((*t)->trust, trust) != 0)
		t = &(*t)->next;
	return t;
}

static void
drop(trusted **t)
{
	trusted *gone = *t;
	*t = gone->next;
	vt_free_secret(gone->token);
	free(gone->trust);
	free(gone);
}

void
eng_forget_token(courier *c, const char *trust)
{
	trusted **t = find(c, trust);
	if (*t != NULL)
		drop(t);
}

static void
keep(courier *c, const char *trust, const token *t)
{
	trusted *n;
	uint32_t count = 0;
	for (trusted **x = &c->known; *x != NULL;) {
		if (++count > MOST_KNOWN)
			drop(x);
		else
			x = &(*x)->next;
	}
	n = vt_xmalloc(sizeof *n);
	*n = (trusted){c->known, vt_xstrdup(trust), vt_xstrdup(t->text), t->until};
	c->known = n;
}

/* One that still lives for a while. */
static bool
known_token(courier *c, const char *trust, char **text)
{
	trusted **known = find(c, trust);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (*known != NULL && (*known)->until > (int64_t)now.tv_sec + BEFORE) {
		*text = vt_xstrdup((*known)->token);
		return true;
	}
	if (*known != NULL)
		drop(known);
	return false;
}

static bool
token_by_trust(courier *c, const char *trust, char **text, lack *why)
{
	vt_buf b = {0};
	token t;
	if (known_token(c, trust, text))
		return true;
	put_password(c->conf, &b);
	put(&b, ", \"scope\": {\"OS-TRUST:trust\": {\"id\": ", trust);
	vt_buf_puts(&b, "}}");
	if (!post_token(c, &b, &t, why))
		return false;
	*text = vt_xstrdup(t.text);
	eng_forget_token(c, trust); /* another task may have got one meanwhile */
	keep(c, trust, &t);
	free_token(&t);
	return true;
}

/* A task in line for a place, in its own stack; the first of them gets what becomes free. */
typedef struct maker {
	struct maker *next;
	vt_event turn;
} maker;

static void
leave_line(courier *c, const maker *m)
{
	maker **p = &c->makers;
	while (*p != NULL && *p != m)
		p = &(*p)->next;
	if (*p != NULL)
		*p = m->next;
}

/* Those in line come before whoever comes now. */
static void
end_turn(courier *c)
{
	c->making--;
	while (c->makers != NULL && c->making < c->most_making) {
		maker *first = c->makers;
		c->makers = first->next;
		c->making++;
		vt_event_set(c->rt, &first->turn);
	}
}

/* False: cancelled. */
static bool
wait_for_turn(courier *c)
{
	maker me = {0}, **last = &c->makers;
	if (c->makers == NULL && c->making < c->most_making) {
		c->making++;
		return true;
	}
	while (*last != NULL)
		last = &(*last)->next;
	*last = &me;
	if (vt_event_wait(c->rt, &me.turn, -1) == VT_OK && me.turn.set)
		return true;
	vt_exc_clear(c->rt);
	if (me.turn.set)
		end_turn(c);
	else
		leave_line(c, &me);
	return false;
}

/*
 * Keystone takes its time: of many at once some are there soon, rather than all of them late.  What
 * is not answered in time is work of Keystone's all the same, and is asked for again; so fewer ask
 * at a time then.
 */
static void
learn(courier *c, bool ok, const lack *why)
{
	if (ok && c->most_making < ENG_MOST_ASKING)
		c->most_making++;
	else if (!ok && why->later)
		c->most_making = c->most_making > 1 ? c->most_making / 2 : 1;
}

typedef struct errand_trust {
	const char *given, *project;
	void (*made)(void *ctx, const char *trust);
	void *ctx;
} errand_trust;

/* The trust where there is none yet, then a token by it. */
static bool
obtain(courier *c, const errand_trust *e, identity *who, lack *why)
{
	if (who->trust == NULL) {
		if (!make_trust(c, e->given, e->project, &who->trust, why))
			return false;
		if (e->made != NULL)
			e->made(e->ctx, who->trust);
	}
	return token_by_trust(c, who->trust, &who->token, why);
}

bool
eng_trusted(courier *c, const char *given, const char *project, const char *trust, identity *who,
	void (*made)(void *ctx, const char *trust), void *ctx, lack *why)
{
	const errand_trust e = {given, project, made, ctx};
	bool ok;
	who->trust = trust ? vt_xstrdup(trust) : NULL;
	if (trust != NULL && known_token(c, trust, &who->token))
		return true;
	if (!wait_for_turn(c))
		return eng_lacks(why, false, "Exception", "builtins", "no trust was made");
	ok = obtain(c, &e, who, why);
	learn(c, ok, why);
	end_turn(c);
	return ok;
}

bool
eng_untrust(courier *c, const char *trust, lack *why)
{
	char *token = NULL, *path = vt_asprintf("/OS-TRUST/trusts/%s", trust),
	     *url = below(c, path);
	vt_net_response r;
	bool ok = strspn(trust, "0123456789abcdefABCDEF-") == strlen(trust) &&
		  token_by_trust(c, trust, &token, why);
	ok = ok && eng_ask(c, "DELETE", url, token, NULL, &r, why);
	if (ok) {
		if (r.status / 100 != 2 && r.status != 404)
			ok = refused(c, "Keystone keeps a trust", &r, why);
		vt_net_response_free(&r);
	}
	eng_forget_token(c, trust);
	vt_free_secret(token);
	free(path);
	free(url);
	return ok;
}

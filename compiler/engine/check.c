/*
 * check.c - `vetro engine --check-config`: which options count, which do not, what is wrong.
 */
#include "compiler/engine/conf.h"
#include "compiler/engine/int.h"
#include "runtime/core/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_in(const char *const *groups, const char *group)
{
	for (; *groups; groups++)
		if (strcmp(*groups, group) == 0)
			return true;
	return false;
}

static void
put_name(vt_buf *b, const eng_setting *s)
{
	vt_put_printable(b, s->file, strlen(s->file));
	vt_buf_printf(b, ":%u: [", s->line);
	vt_put_printable(b, s->group, strlen(s->group));
	vt_buf_puts(b, "] ");
	vt_put_printable(b, s->name, strlen(s->name));
}

/* Groups of murano-api and of its libraries: not an engine's. */
static const char *
why_unknown(const eng_setting *s)
{
	static const char *const others[] = {"database", "paste_deploy", "oslo_policy",
		"oslo_middleware", "cors", "stats", "oslo_concurrency", "cfapi", "artifacts",
		"packages_opts", NULL};
	return is_in(others, s->group) ? "is murano-api's" : "is no option of an engine";
}

static void
show(const eng_conf *c, const eng_setting *s, FILE *f)
{
	const eng_option *o = eng_option_find(s->group, s->name);
	const char *value = eng_conf_text(c, s->group, s->name);
	vt_buf b = {0};
	put_name(&b, s);
	if (s->over)
		vt_buf_puts(&b, ": a later line has it");
	else if (o == NULL)
		vt_buf_printf(&b, ": %s", why_unknown(s));
	else if (!o->used)
		vt_buf_printf(&b, ": has no effect: %s", o->about);
	else if (o->kind == ENG_SECRET)
		vt_buf_printf(&b, " = ***: %s", o->about);
	else {
		vt_buf_puts(&b, " = ");
		vt_put_printable(&b, value, strlen(value));
		vt_buf_printf(&b, ": %s", o->about);
	}
	vt_buf_putc(&b, '\n');
	vt_buf_print(&b, f);
}

static void
say(eng_conf *c, const eng_setting *s, const char *why)
{
	vt_buf b = {0};
	put_name(&b, s);
	vt_buf_printf(&b, ": %s", why);
	vt_push(c->wrong, c->nwrong) = b.p;
}

static void
miss(eng_conf *c, const char *why)
{
	vt_push(c->wrong, c->nwrong) = vt_xstrdup(why);
}

/* What an engine cannot begin with. */
bool
eng_conf_fits(eng_conf *c)
{
	const char *service = eng_conf_text(c, "engine", "packages_service");
	char *why = NULL;
	for (uint32_t i = 0; i < c->n; i++) {
		const eng_option *o = eng_option_find(c->v[i].group, c->v[i].name);
		const char *bad =
			o && o->used && !c->v[i].over
				? eng_value_is_wrong(o, eng_conf_text(c, o->group, o->name))
				: NULL;
		if (bad)
			say(c, &c->v[i], bad);
	}
	if (!eng_url_good(eng_conf_text(c, "DEFAULT", "transport_url"), &why)) {
		vt_push(c->wrong, c->nwrong) = vt_asprintf("[DEFAULT] transport_url: %s", why);
		free(why);
	}
	if (strcmp(service, "murano") != 0)
		miss(c, "[engine] packages_service: packages come from murano-api; murano is "
			"expected");
	if (eng_auth_url(c) == NULL)
		miss(c, "[murano_auth] auth_url is not set: where is Keystone?");
	if (eng_conf_auth(c, "username") == NULL && eng_conf_auth(c, "user_id") == NULL)
		miss(c, "[murano_auth] username is not set: who is the engine?");
	if (eng_conf_auth(c, "password") == NULL)
		miss(c, "[murano_auth] password is not set");
	return c->nwrong == 0;
}

void
eng_conf_complain(const eng_conf *c)
{
	for (uint32_t i = 0; i < c->nwrong; i++)
		vt_say("vetro engine: %s\n", c->wrong[i]);
}

static bool
sends_notifications(const eng_conf *c)
{
	return eng_notifies(c) != ENG_NOTIFY_NONE;
}

int
eng_check_config(const eng_start *o)
{
	eng_conf c;
	bool ok = eng_conf_read(&c, o);
	for (uint32_t i = 0; i < c.n; i++)
		show(&c, &c.v[i], stdout);
	printf("the core library: io.murano of the catalogue where it is not murano 14's, as the "
	       "log "
	       "then says; else vetro's own\n");
	ok = eng_conf_fits(&c) && ok;
	eng_conf_complain(&c);
	if (!sends_notifications(&c))
		vt_say("vetro engine: %s\n", ENG_NO_REPORTS);
	eng_conf_free(&c);
	return ok ? 0 : 1;
}

/*
 * settings_env.c - settings that the environment gives: AMQP_URL is the group rabbitmq, unless
 * --settings has it.
 */
#define _GNU_SOURCE
#include "runtime/net/settings.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* s[0..n) with its %XX decoded; VT_UNDEF: no UTF-8, or a wrong escape. */
static vt_value
decoded(vt_rt *rt, const char *s, size_t n)
{
	vt_buf b = {0};
	bool good = true;
	for (size_t i = 0; i < n && good; i++) {
		unsigned c = (unsigned char)s[i];
		if (c == '%') {
			good = n - i > 2 && strspn(s + i + 1, "0123456789abcdefABCDEF") >= 2;
			c = good ? (unsigned)strtoul((char[]){s[i + 1], s[i + 2], 0}, NULL, 16) : 0;
			i += 2;
		}
		good = good && c != 0;
		vt_buf_putc(&b, (char)c);
	}
	if (good && vt_utf8_check(b.p ? b.p : "", b.n) == b.n)
		return vt_str_take(rt, &b);
	vt_buf_free(&b);
	return VT_UNDEF;
}

static bool
put(vt_rt *rt, vt_dict *d, const char *name, const char *s, size_t n)
{
	vt_value v = decoded(rt, s, n);
	if (v == VT_UNDEF)
		return false;
	vt_dict_set_c(rt, d, name, v);
	return true;
}

/* LOGIN:PASSWORD@HOST:PORT; the login may be left out. */
static bool
put_authority(vt_rt *rt, vt_dict *d, const char *s, size_t n, bool ssl)
{
	const char *at = memrchr(s, '@', n), *host = at ? at + 1 : s, *end = s + n;
	const char *colon = at ? memchr(s, ':', (size_t)(at - s)) : NULL, *port;
	char *rest;
	bool six = host < end && *host == '[';
	const char *close = six ? memchr(host, ']', (size_t)(end - host)) : NULL;
	unsigned long number = ssl ? 5671 : 5672;
	if (six && close == NULL)
		return false;
	port = memchr(close ? close : host, ':', (size_t)(end - (close ? close : host)));
	if (port != NULL) {
		number = strtoul(port + 1, &rest, 10);
		if (rest != end || rest == port + 1 || number == 0 || number > 65535)
			return false;
	}
	vt_dict_set_c(rt, d, "port", vt_mkint((int64_t)number));
	vt_dict_set_c(rt, d, "ssl", vt_mkbool(ssl));
	if (at != NULL && !put(rt, d, "login", s, (size_t)((colon ? colon : at) - s)))
		return false;
	if (colon != NULL && !put(rt, d, "password", colon + 1, (size_t)(at - colon - 1)))
		return false;
	host += six;
	if (host == (close ? close : port ? port : end))
		return false;
	return put(rt, d, "host", host, (size_t)((close ? close : port ? port : end) - host));
}

/* amqp://LOGIN:PASSWORD@HOST:PORT/VHOST, as RabbitMQ's URI specification has it. */
static bool
put_url(vt_rt *rt, vt_dict *d, const char *url)
{
	bool ssl = strncmp(url, "amqps://", 8) == 0;
	const char *s, *slash;
	if (!ssl && strncmp(url, "amqp://", 7) != 0)
		return false;
	s = url + (ssl ? 8 : 7);
	slash = strchrnul(s, '/');
	if (!put_authority(rt, d, s, (size_t)(slash - s), ssl))
		return false;
	/* "/": the default virtual host is what the URL of every library means by nothing. */
	if (slash[0] == '\0' || slash[1] == '\0')
		return put(rt, d, "virtual_host", "/", 1);
	return put(rt, d, "virtual_host", slash + 1, strlen(slash + 1));
}

vt_status
vt_settings_environment(vt_rt *rt)
{
	const char *url = getenv("AMQP_URL");
	vt_dict *d;
	if (url == NULL || *url == '\0' || vt_setting(rt, "rabbitmq", "host") != VT_UNDEF)
		return VT_OK;
	d = vt_dict_new(rt, false);
	if (!put_url(rt, d, url)) {
		vt_release(vt_mkptr(d));
		return vt_raise(rt, VT_E_CLOUD,
			"AMQP_URL is not of the form amqp://LOGIN:PASSWORD@HOST:PORT/VHOST");
	}
	if (rt->s->settings == VT_NULL)
		rt->s->settings = vt_mkptr(vt_dict_new(rt, false));
	vt_dict_set_c(rt, vt_as_dict(rt->s->settings), "rabbitmq", vt_mkptr(d));
	return VT_OK;
}

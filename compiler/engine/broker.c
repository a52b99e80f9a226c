/*
 * broker.c - the connection to RabbitMQ; through runtime/net/rabbitmq.h it names librabbitmq.
 *
 * One connection with two channels: on the first tasks arrive and are acknowledged, on the second
 * messages leave, are confirmed, and replies arrive.  What is declared at the start is waited for;
 * after it frames are taken as they come, so the supervisor waits for nothing but its poll().
 *
 * Exchanges and queues that murano-api may have made are asked for passively first: a declaration
 * that differs from what is there closes the channel.
 */
#define _GNU_SOURCE
#include "compiler/engine/int.h"
#include "runtime/core/printable.h"
#include "runtime/net/rabbitmq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TASKS = 1,
	LETTERS = 2,
	FIRST_TRIAL = 3, /* channels of declarations that may fail */
	FRAME = 131072,
	CONNECT_SECONDS = 5,
	ANSWER_SECONDS = 10,
	REFUSED_SECONDS = 1,
	TOLD_AGAIN = 30, /* a refusal of so many */
	MESSAGE_MAX = 128 << 20,
	HOSTS_MAX = 32,
};

typedef struct address {
	char *host, *user, *password;
	int port;
} address;

/* A message that is arriving on a channel. */
typedef struct arriving {
	bool open, again, skip;
	uint64_t tag, size;
	vt_buf body;
} arriving;

struct eng_broker {
	struct api a;
	eng_events on;
	address host[HOSTS_MAX];
	uint32_t nhosts, turn;
	char *vhost, *ca, *cert, *key, *control;
	bool ssl, durable, auto_delete, quorum, everywhere;
	int heartbeat, replies_ttl, prefetch;
	double pause, first_pause, more_pause, longest_pause;
	enum eng_notify notify;
	char replies[48], consumer[48];
	amqp_connection_state_t c; /* NULL: closed */
	amqp_channel_t trial;
	uint64_t epoch, sent;
	uint32_t connections, queued;
	uint32_t refusals; /* one after the other: nobody listens there */
	arriving in[LETTERS + 1];
	char why[400];
};

static amqp_bytes_t
bytes_of(const char *s)
{
	return (amqp_bytes_t){strlen(s), (char *)(uintptr_t)s};
}
static const amqp_table_t nothing = {0, NULL};

/* ---- where the broker is ----------------------------------------------------------------- */

static char *
decoded(const char *s, size_t n)
{
	vt_buf b = {0};
	for (size_t i = 0; i < n; i++) {
		int high = s[i] == '%' && n - i > 2 ? vt_hex_digit(s[i + 1]) : -1;
		int low = high >= 0 ? vt_hex_digit(s[i + 2]) : -1;
		vt_buf_putc(&b, low >= 0 ? (char)(high * 16 + low) : s[i]);
		i += low >= 0 ? 2 : 0;
	}
	return b.p ? b.p : vt_xstrdup("");
}

/* USER:PASSWORD@HOST:PORT; what is missing is RabbitMQ's default. */
static bool
read_address(const char *s, size_t n, address *a)
{
	const char *at = memrchr(s, '@', n), *host = at ? at + 1 : s, *end = s + n;
	const char *colon = at ? memchr(s, ':', (size_t)(at - s)) : NULL;
	const char *six =
		host < end && *host == '[' ? memchr(host, ']', (size_t)(end - host)) : NULL;
	const char *port = memrchr(six ? six : host, ':', (size_t)(end - (six ? six : host)));
	char *rest;
	*a = (address){.port = 5672};
	if (port != NULL) {
		long number = strtol(port + 1, &rest, 10);
		if (rest != end || number < 1 || number > 65535)
			return false;
		a->port = (int)number;
		end = port;
	}
	if (six != NULL) {
		host++;
		end = six;
	}
	a->host = host < end ? vt_xstrndup(host, (size_t)(end - host)) : vt_xstrdup("localhost");
	a->user = at ? decoded(s, (size_t)((colon ? colon : at) - s)) : vt_xstrdup("guest");
	a->password = colon ? decoded(colon + 1, (size_t)(at - colon - 1)) : vt_xstrdup("guest");
	return true;
}

static void
free_address(address *a)
{
	free(a->host);
	free(a->user);
	vt_free_secret(a->password);
}

/* rabbit://A,B/VHOST; false: why is malloc'd */
static bool
read_url(const char *url, address *to, uint32_t *n, char **vhost, char **why)
{
	static const char *const schemes[] = {"rabbit://", "kombu+amqp://", "amqp://", NULL};
	const char *s = NULL, *slash, *end;
	for (int i = 0; s == NULL && schemes[i]; i++)
		if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
			s = url + strlen(schemes[i]);
	if (s == NULL) {
		*why = vt_xstrdup("rabbit://USER:PASSWORD@HOST:PORT/VHOST is expected");
		return false;
	}
	end = s + strcspn(s, "?");
	slash = memchr(s, '/', (size_t)(end - s));
	*vhost = slash && slash + 1 < end ? decoded(slash + 1, (size_t)(end - slash - 1))
					  : vt_xstrdup("/");
	end = slash ? slash : end;
	for (*n = 0; *n < HOSTS_MAX; s++) {
		size_t k = 0;
		while (s + k < end && s[k] != ',')
			k++;
		if (!read_address(s, k, &to[(*n)++])) {
			*why = vt_asprintf("the port of host %u is no port", *n);
			return false;
		}
		s += k;
		if (s >= end)
			return true;
	}
	*why = vt_xstrdup("there are more hosts than 32");
	return false;
}

bool
eng_url_good(const char *url, char **why)
{
	address to[HOSTS_MAX] = {{0}};
	char *vhost = NULL;
	uint32_t n = 0;
	bool ok = read_url(url, to, &n, &vhost, why);
	for (uint32_t i = 0; i < n; i++)
		free_address(&to[i]);
	free(vhost);
	return ok;
}

enum eng_notify
eng_notifies(const eng_conf *c)
{
	char **drivers = eng_conf_list(c, "oslo_messaging_notifications", "driver");
	enum eng_notify how = ENG_NOTIFY_NONE;
	for (char **d = drivers; *d; d++)
		if (strcmp(*d, "messagingv2") == 0)
			how = ENG_NOTIFY_ENVELOPE;
		else if (strcmp(*d, "messaging") == 0 && how == ENG_NOTIFY_NONE)
			how = ENG_NOTIFY_BARE;
	free(drivers);
	return how;
}

static char *
own_text(const eng_conf *c, const char *group, const char *name)
{
	const char *s = eng_conf_text(c, group, name);
	return s && *s ? vt_xstrdup(s) : NULL;
}

static void
read_options(eng_broker *b, const eng_conf *c)
{
	static const char rabbit[] = "oslo_messaging_rabbit";
	b->ssl = eng_conf_flag(c, rabbit, "ssl");
	b->ca = own_text(c, rabbit, "ssl_ca_file");
	b->cert = own_text(c, rabbit, "ssl_cert_file");
	b->key = own_text(c, rabbit, "ssl_key_file");
	b->durable = eng_conf_flag(c, rabbit, "amqp_durable_queues");
	b->auto_delete = eng_conf_flag(c, rabbit, "amqp_auto_delete");
	b->quorum = eng_conf_flag(c, rabbit, "rabbit_quorum_queue");
	b->everywhere = eng_conf_flag(c, rabbit, "rabbit_ha_queues");
	b->heartbeat = (int)eng_conf_number(c, rabbit, "heartbeat_timeout_threshold");
	b->replies_ttl = (int)eng_conf_number(c, rabbit, "rabbit_transient_queues_ttl");
	b->first_pause = (double)eng_conf_number(c, rabbit, "rabbit_retry_interval");
	b->more_pause = (double)eng_conf_number(c, rabbit, "rabbit_retry_backoff");
	b->longest_pause = (double)eng_conf_number(c, rabbit, "rabbit_interval_max");
	b->prefetch = (int)eng_conf_number(c, "DEFAULT", "executor_thread_pool_size");
	b->control = own_text(c, "DEFAULT", "control_exchange");
	b->notify = eng_notifies(c);
}

/* Hosts are taken in turn, and engines begin with different ones. */
eng_broker *
eng_broker_new(const eng_conf *c, const eng_events *on)
{
	eng_broker *b = vt_xzalloc(sizeof *b);
	vt_buf id = {0};
	char *why = NULL;
	b->on = *on;
	read_options(b, c);
	if (!read_url(eng_conf_text(c, "DEFAULT", "transport_url"), b->host, &b->nhosts, &b->vhost,
		    &why))
		eng_log(ENG_ERROR, NULL, "transport_url: %s", why);
	free(why);
	for (uint32_t i = 0; i < b->nhosts; i++)
		if (strcmp(b->host[i].password, "guest") != 0)
			vt_secret_add(b, b->host[i].password, strlen(b->host[i].password));
	eng_put_hex(&id, 16);
	snprintf(b->replies, sizeof b->replies, "reply_%s", id.p);
	snprintf(b->consumer, sizeof b->consumer, "vetro.%s", id.p);
	b->turn = b->nhosts ? (uint32_t)(unsigned char)id.p[0] % b->nhosts : 0;
	vt_buf_free(&id);
	return b;
}

static void
hang_up(eng_broker *b)
{
	if (b->c != NULL)
		b->a.destroy_connection(b->c);
	b->c = NULL;
	for (int i = 0; i <= LETTERS; i++) {
		vt_buf_free(&b->in[i].body);
		b->in[i] = (arriving){0};
	}
}

void
eng_broker_free(eng_broker *b)
{
	hang_up(b);
	for (uint32_t i = 0; i < b->nhosts; i++)
		free_address(&b->host[i]);
	vt_secrets_forget(b);
	free(b->vhost);
	free(b->ca);
	free(b->cert);
	free(b->key);
	free(b->control);
	free(b);
}

/* ---- errors ------------------------------------------------------------------------------ */

static bool
failed(eng_broker *b, const char *what, const char *why)
{
	snprintf(b->why, sizeof b->why, "%s: %s", what, why);
	return false;
}

static bool
lost(eng_broker *b, const char *what, int status)
{
	failed(b, what, b->a.error_string2(status));
	eng_log(ENG_ERROR, NULL, "the connection to the broker is lost: %s", b->why);
	hang_up(b);
	return false;
}

static bool
good(eng_broker *b, const char *what, amqp_rpc_reply_t r)
{
	const amqp_channel_close_t *m = r.reply.decoded; /* both kinds begin alike */
	const amqp_connection_close_t *all = r.reply.decoded;
	switch (r.reply_type) {
	case AMQP_RESPONSE_NORMAL: return true;
	case AMQP_RESPONSE_LIBRARY_EXCEPTION:
		return failed(b, what, b->a.error_string2(r.library_error));
	case AMQP_RESPONSE_SERVER_EXCEPTION:
		if (r.reply.id == AMQP_CHANNEL_CLOSE_METHOD)
			snprintf(b->why, sizeof b->why, "%s: %d %.*s", what, m->reply_code,
				(int)m->reply_text.len, (const char *)m->reply_text.bytes);
		else if (r.reply.id == AMQP_CONNECTION_CLOSE_METHOD)
			snprintf(b->why, sizeof b->why, "%s: %d %.*s", what, all->reply_code,
				(int)all->reply_text.len, (const char *)all->reply_text.bytes);
		return false;
	case AMQP_RESPONSE_NONE: break;
	}
	return failed(b, what, "the connection is gone");
}

/* ---- connecting -------------------------------------------------------------------------- */

static amqp_socket_t *
make_socket(eng_broker *b)
{
	amqp_socket_t *s = b->ssl ? b->a.ssl_socket_new(b->c) : b->a.tcp_socket_new(b->c);
	if (s == NULL)
		failed(b, "connect", "no memory");
	if (s == NULL || !b->ssl)
		return s;
	b->a.ssl_socket_set_verify_peer(s, b->ca != NULL);
	b->a.ssl_socket_set_verify_hostname(s, b->ca != NULL);
	if (b->ca && b->a.ssl_socket_set_cacert(s, b->ca) != AMQP_STATUS_OK) {
		failed(b, b->ca, "is no file of certificates");
		return NULL;
	}
	if (b->cert &&
		b->a.ssl_socket_set_key(s, b->cert, b->key ? b->key : b->cert) != AMQP_STATUS_OK) {
		failed(b, b->cert, "is no certificate with its key");
		return NULL;
	}
	return s;
}

static amqp_table_entry_t
text_entry(const char *name, const char *value)
{
	return (amqp_table_entry_t){
		bytes_of(name), {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = bytes_of(value)}};
}
static amqp_table_entry_t
flag_entry(const char *name)
{
	return (amqp_table_entry_t){
		bytes_of(name), {.kind = AMQP_FIELD_KIND_BOOLEAN, .value.boolean = 1}};
}

static bool
log_in(eng_broker *b, const address *to)
{
	struct timeval wait = {ANSWER_SECONDS, 0};
	char name[80] = "";
	amqp_table_entry_t can[] = {
		flag_entry("authentication_failure_close"), flag_entry("consumer_cancel_notify")};
	amqp_table_entry_t client[] = {{bytes_of("capabilities"), {.kind = AMQP_FIELD_KIND_TABLE}},
		text_entry("connection_name", name), text_entry("product", "vetro")};
	amqp_table_t properties = {3, client};
	client[0].value.value.table = (amqp_table_t){2, can};
	snprintf(name, sizeof name, "vetro-engine:%d:%s", (int)getpid(), b->replies + 6);
	client[1] = text_entry("connection_name", name);
	if (!good(b, "log in",
		    b->a.login_with_properties(b->c, b->vhost, 0, FRAME, b->heartbeat, &properties,
			    AMQP_SASL_METHOD_PLAIN, to->user, to->password)))
		return false;
	b->a.set_rpc_timeout(b->c, &wait);
	return true;
}

static bool
open_channel(eng_broker *b, amqp_channel_t channel)
{
	b->a.channel_open(b->c, channel);
	return good(b, "open a channel", b->a.get_rpc_reply(b->c));
}

/* A channel that the broker has closed may be opened again once that is confirmed. */
static bool
close_trial(eng_broker *b, amqp_rpc_reply_t r)
{
	amqp_channel_close_ok_t ok = {0};
	if (r.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION ||
		r.reply.id != AMQP_CHANNEL_CLOSE_METHOD)
		return false;
	b->trial++;
	return b->a.send_method(b->c, (amqp_channel_t)(b->trial - 1), AMQP_CHANNEL_CLOSE_OK_METHOD,
		       &ok) == AMQP_STATUS_OK &&
	       open_channel(b, b->trial);
}

static bool
declare_exchange(eng_broker *b, const char *name)
{
	amqp_rpc_reply_t r;
	b->a.exchange_declare(
		b->c, b->trial, bytes_of(name), bytes_of("topic"), 1, 0, 0, 0, nothing);
	r = b->a.get_rpc_reply(b->c);
	if (good(b, name, r))
		return true;
	if (!close_trial(b, r))
		return false;
	b->a.exchange_declare(b->c, b->trial, bytes_of(name), bytes_of("topic"), 0, b->durable,
		b->auto_delete, 0, nothing);
	return good(b, name, b->a.get_rpc_reply(b->c));
}

static amqp_table_t
queue_arguments(const eng_broker *b, amqp_table_entry_t e[2])
{
	int n = 0;
	if (b->quorum)
		e[n++] = text_entry("x-queue-type", "quorum");
	if (b->everywhere && !b->quorum)
		e[n++] = text_entry("x-ha-policy", "all");
	return (amqp_table_t){n, e};
}

/* *count: messages in it */
static bool
declare_queue(eng_broker *b, const char *exchange, const char *name, uint32_t *count)
{
	amqp_table_entry_t e[2];
	amqp_queue_declare_ok_t *q;
	amqp_rpc_reply_t r;
	q = b->a.queue_declare(b->c, b->trial, bytes_of(name), 1, 0, 0, 0, nothing);
	r = b->a.get_rpc_reply(b->c);
	if (!good(b, name, r)) {
		if (!close_trial(b, r))
			return false;
		q = b->a.queue_declare(b->c, b->trial, bytes_of(name), 0, b->durable || b->quorum,
			0, b->auto_delete, queue_arguments(b, e));
		if (!good(b, name, b->a.get_rpc_reply(b->c)))
			return false;
	}
	if (count && q)
		*count = q->message_count;
	b->a.queue_bind(
		b->c, b->trial, bytes_of(name), bytes_of(exchange), bytes_of(name), nothing);
	return good(b, name, b->a.get_rpc_reply(b->c));
}

static bool
declare_replies(eng_broker *b)
{
	amqp_table_entry_t e[] = {{bytes_of("x-expires"),
		{.kind = AMQP_FIELD_KIND_I32, .value.i32 = b->replies_ttl * 1000}}};
	b->a.queue_declare(b->c, LETTERS, bytes_of(b->replies), 0, 0, 0, 0,
		b->replies_ttl > 0 ? (amqp_table_t){1, e} : nothing);
	return good(b, b->replies, b->a.get_rpc_reply(b->c));
}

static bool
consume(eng_broker *b, amqp_channel_t channel, const char *queue, bool no_ack)
{
	b->a.basic_consume(b->c, channel, bytes_of(queue), bytes_of(no_ack ? "" : b->consumer), 0,
		no_ack, 0, nothing);
	return good(b, queue, b->a.get_rpc_reply(b->c));
}

static bool
set_up(eng_broker *b)
{
	b->trial = FIRST_TRIAL;
	if (!open_channel(b, TASKS) || !open_channel(b, LETTERS) || !open_channel(b, b->trial) ||
		!declare_exchange(b, "murano") ||
		!declare_queue(b, "murano", "tasks", &b->queued) || !declare_replies(b))
		return false;
	if (b->notify != ENG_NOTIFY_NONE &&
		(!declare_exchange(b, b->control) ||
			!declare_queue(b, b->control, "murano.info", NULL)))
		return false;
	b->a.confirm_select(b->c, LETTERS);
	if (!good(b, "ask for confirms", b->a.get_rpc_reply(b->c)))
		return false;
	b->a.basic_qos(b->c, TASKS, 0, (uint16_t)b->prefetch, 0);
	return good(b, "set the prefetch", b->a.get_rpc_reply(b->c)) &&
	       consume(b, LETTERS, b->replies, true) && consume(b, TASKS, "tasks", false);
}

static bool
try_host(eng_broker *b, const address *to)
{
	struct timeval wait = {CONNECT_SECONDS, 0};
	amqp_socket_t *s;
	double began;
	int rc;
	b->c = b->a.new_connection();
	if (b->c == NULL)
		return failed(b, "connect", "no memory");
	b->a.set_handshake_timeout(b->c, &wait);
	if ((s = make_socket(b)) == NULL)
		return false;
	began = vt_clock();
	rc = b->a.socket_open_noblock(s, to->host, to->port, &wait);
	/* the library does not say ECONNREFUSED; what else fails takes its time */
	b->refusals =
		rc == AMQP_STATUS_SOCKET_ERROR && vt_clock() < began + 1 ? b->refusals + 1 : 0;
	if (rc != AMQP_STATUS_OK)
		return failed(b, "connect", b->a.error_string2(rc));
	return log_in(b, to) && set_up(b);
}

bool
eng_broker_connect(eng_broker *b)
{
	const address *to = &b->host[b->turn % b->nhosts];
	b->turn++;
	if (!load_library(&b->a)) {
		eng_log(ENG_ERROR, NULL, "librabbitmq.so.4 is not there: install librabbitmq4");
		return false;
	}
	if (!try_host(b, to)) {
		if (b->refusals % TOLD_AGAIN < 2)
			eng_log(ENG_ERROR, NULL, "no connection to the broker at %s:%d: %s",
				to->host, to->port, b->why);
		hang_up(b);
		return false;
	}
	b->epoch++;
	b->connections++;
	b->sent = 0;
	b->pause = 0;
	eng_log(ENG_INFO, NULL, "connected to the broker at %s:%d, up to %d tasks at a time",
		to->host, to->port, b->prefetch);
	return true;
}

double
eng_broker_pause(eng_broker *b)
{
	/* Until then what murano-api sends finds no queue, where queues are not durable. */
	if (b->refusals > 0)
		return b->first_pause < REFUSED_SECONDS ? b->first_pause : REFUSED_SECONDS;
	b->pause = b->pause > 0 ? b->pause + b->more_pause : b->first_pause;
	if (b->pause > b->longest_pause)
		b->pause = b->longest_pause;
	return b->pause < 0.1 ? 0.1 : b->pause;
}

bool
eng_broker_up(const eng_broker *b)
{
	return b->c != NULL;
}

uint64_t
eng_broker_epoch(const eng_broker *b)
{
	return b->epoch;
}

int
eng_broker_fd(const eng_broker *b)
{
	return b->c ? b->a.get_sockfd(b->c) : -1;
}

const char *
eng_broker_replies(const eng_broker *b)
{
	return b->replies;
}

uint32_t
eng_broker_reconnections(const eng_broker *b)
{
	return b->connections > 0 ? b->connections - 1 : 0;
}

uint32_t
eng_broker_waiting(const eng_broker *b)
{
	return b->queued;
}

/* ---- frames ------------------------------------------------------------------------------ */

static void
begin_message(eng_broker *b, const amqp_frame_t *f)
{
	const amqp_basic_deliver_t *d = f->payload.method.decoded;
	arriving *in = &b->in[f->channel];
	in->open = true;
	in->tag = d->delivery_tag;
	in->again = d->redelivered;
	in->body.n = 0;
}

static void
end_message(eng_broker *b, amqp_channel_t channel)
{
	arriving *in = &b->in[channel];
	vt_buf body = in->body;
	in->body = (vt_buf){0};
	in->open = false;
	if (in->skip) {
		eng_log(ENG_ERROR, NULL, "a message of %llu bytes is larger than %d MiB: rejected",
			(unsigned long long)in->size, MESSAGE_MAX >> 20);
		eng_broker_reject(b, b->epoch, channel == TASKS ? in->tag : 0, false);
	} else if (channel == TASKS) {
		b->on.task(b->on.ctx, body.p ? body.p : "", body.n, in->tag, in->again);
	} else {
		b->on.reply(b->on.ctx, body.p ? body.p : "", body.n);
	}
	vt_buf_free(&body);
}

static void
take_part(eng_broker *b, const amqp_frame_t *f)
{
	arriving *in = &b->in[f->channel];
	if (!in->open)
		return;
	if (f->frame_type == AMQP_FRAME_HEADER) {
		in->size = f->payload.properties.body_size;
		in->skip = in->size > MESSAGE_MAX;
	} else if (!in->skip) {
		vt_buf_put(&in->body, f->payload.body_fragment.bytes, f->payload.body_fragment.len);
	} else {
		in->body.n = 0;
		in->size -= f->payload.body_fragment.len < in->size ? f->payload.body_fragment.len
								    : in->size;
	}
	if (in->skip ? in->size == 0 : in->body.n >= in->size)
		end_message(b, f->channel);
}

/* The broker says why it closes; the library has no answer to that ready. */
static void
closed(eng_broker *b, const amqp_frame_t *f)
{
	const amqp_channel_close_t *m = f->payload.method.decoded;
	eng_log(ENG_ERROR, NULL, "the broker closes the %s: %d %.*s",
		f->payload.method.id == AMQP_CHANNEL_CLOSE_METHOD ? "channel" : "connection",
		m->reply_code, (int)m->reply_text.len, (const char *)m->reply_text.bytes);
	hang_up(b);
}

static void
take_method(eng_broker *b, const amqp_frame_t *f)
{
	const amqp_basic_ack_t *ack = f->payload.method.decoded;
	const amqp_basic_nack_t *nack = f->payload.method.decoded;
	switch (f->payload.method.id) {
	case AMQP_BASIC_DELIVER_METHOD: begin_message(b, f); break;
	case AMQP_BASIC_ACK_METHOD:
		b->on.confirmed(b->on.ctx, ack->delivery_tag, ack->multiple, true);
		break;
	case AMQP_BASIC_NACK_METHOD:
		b->on.confirmed(b->on.ctx, nack->delivery_tag, nack->multiple, false);
		break;
	case AMQP_CHANNEL_CLOSE_METHOD:
	case AMQP_CONNECTION_CLOSE_METHOD: closed(b, f); break;
	case AMQP_BASIC_CANCEL_METHOD:
		eng_log(ENG_ERROR, NULL, "the broker has deleted a queue of the engine");
		hang_up(b);
		break;
	default: break; /* basic.return and the like: whoever waited is gone */
	}
}

void
eng_broker_read(eng_broker *b)
{
	while (b->c != NULL) {
		struct timeval none = {0, 0};
		amqp_frame_t f;
		int rc = b->a.simple_wait_frame_noblock(b->c, &f, &none);
		if (rc == AMQP_STATUS_TIMEOUT)
			break;
		if (rc != AMQP_STATUS_OK) {
			lost(b, "read", rc);
			break;
		}
		if (f.frame_type == AMQP_FRAME_METHOD)
			take_method(b, &f);
		else if (f.channel <= LETTERS && f.frame_type != AMQP_FRAME_HEARTBEAT)
			take_part(b, &f);
	}
	if (b->c != NULL)
		b->a.maybe_release_buffers(b->c);
}

/* ---- sending ----------------------------------------------------------------------------- */

uint64_t
eng_broker_send(eng_broker *b, const eng_letter *l)
{
	amqp_basic_properties_t p = {
		._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_CONTENT_ENCODING_FLAG |
			  AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_PRIORITY_FLAG |
			  AMQP_BASIC_HEADERS_FLAG,
		.content_type = bytes_of("application/json"),
		.content_encoding = bytes_of("utf-8"),
		.delivery_mode = 2,
	};
	int rc;
	if (b->c == NULL)
		return 0;
	if (l->expiration) {
		p._flags |= AMQP_BASIC_EXPIRATION_FLAG;
		p.expiration = bytes_of(l->expiration);
	}
	rc = b->a.basic_publish(b->c, LETTERS, bytes_of(l->exchange), bytes_of(l->key), 0, 0, &p,
		(amqp_bytes_t){l->n, (char *)(uintptr_t)l->text});
	if (rc == AMQP_STATUS_OK)
		return ++b->sent;
	lost(b, "send", rc);
	return 0;
}

void
eng_broker_acknowledge(eng_broker *b, uint64_t epoch, uint64_t tag)
{
	int rc;
	if (b->c == NULL || epoch != b->epoch || tag == 0)
		return;
	rc = b->a.basic_ack(b->c, TASKS, tag, 0);
	if (rc != AMQP_STATUS_OK)
		lost(b, "acknowledge", rc);
}

void
eng_broker_reject(eng_broker *b, uint64_t epoch, uint64_t tag, bool again)
{
	int rc;
	if (b->c == NULL || epoch != b->epoch || tag == 0)
		return;
	rc = b->a.basic_reject(b->c, TASKS, tag, again);
	if (rc != AMQP_STATUS_OK)
		lost(b, "reject", rc);
}

void
eng_broker_stop_tasks(eng_broker *b)
{
	amqp_basic_cancel_t m = {.consumer_tag = bytes_of(b->consumer), .nowait = 1};
	if (b->c != NULL &&
		b->a.send_method(b->c, TASKS, AMQP_BASIC_CANCEL_METHOD, &m) != AMQP_STATUS_OK)
		lost(b, "stop", AMQP_STATUS_CONNECTION_CLOSED);
}

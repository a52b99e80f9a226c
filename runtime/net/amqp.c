/*
 * amqp.c - agents are reached over RabbitMQ (agent-protocol.md); the one file that names
 * librabbitmq.
 *
 * The library waits for answers where it stands, so it is only called on threads: each declaration
 * and message is a job of its own (task/thread_job.h) on the session's one connection for sending,
 * and each queue that is received from has a thread and a connection.  The session's thread sees
 * texts and nothing of the library.
 *
 * A message counts as sent when the broker has confirmed it.  A connection that is lost is made
 * again: when sending once, when receiving with growing pauses until it works or nobody wants it
 * any more.  The queue and what is in it stay at the broker meanwhile.  Messages are acknowledged
 * only when the session has settled them.
 */
#define _GNU_SOURCE
#include "runtime/net/queue.h"
#include "runtime/net/rabbitmq.h"
#include "runtime/net/settings.h"
#include "runtime/task/thread_job.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>
#include <stdio.h>

enum {
	CHANNEL = 1,
	FRAME = 131072,
	CONNECT_SECONDS = 20,
	ANSWER_SECONDS = 60,
	HEARTBEAT = 60,     /* of connections that receive */
	EXPIRES = 86400000, /* milliseconds after which an unused queue goes: what agents declare
			       too */
	LONGEST_PAUSE = 30,
	MESSAGE_MAX = 64 << 20,
	/* bytes that wait for the session before the queue keeps the rest */
	LETTERS_MAX = 64 << 20,
	WHY = 400,
};

static amqp_bytes_t
bytes_of(const char *s)
{
	return (amqp_bytes_t){strlen(s), (char *)(uintptr_t)s};
}

typedef struct address {
	char *host, *login, *password, *vhost, *ca, *cert, *key;
	int port;
	bool ssl, insecure;
} address;

typedef struct connection {
	struct api a; /* its own: a job may outlive the session */
	const address *to;
	amqp_connection_state_t c; /* NULL: closed */
	char why[WHY];             /* what went wrong last */
	bool refused; /* trying again is no use: login, vhost, a queue of another kind */
} connection;

/* ---- errors (any thread) ----------------------------------------------------------------- */

static bool
failed(connection *k, const char *what, const char *why)
{
	snprintf(k->why, sizeof k->why, "%s: %s", what, why);
	return false;
}

static bool
failed_at_server(connection *k, const char *what, const amqp_rpc_reply_t *r)
{
	if (r->reply.id == AMQP_CONNECTION_CLOSE_METHOD) {
		const amqp_connection_close_t *m = r->reply.decoded;
		k->refused = m->reply_code == 403 || m->reply_code == 530;
		snprintf(k->why, sizeof k->why, "%s: the broker closed the connection: %d %.*s",
			what, m->reply_code, (int)m->reply_text.len,
			(const char *)m->reply_text.bytes);
	} else if (r->reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
		const amqp_channel_close_t *m = r->reply.decoded;
		k->refused = m->reply_code == 406 || m->reply_code == 403;
		snprintf(k->why, sizeof k->why, "%s: the broker says %d %.*s", what, m->reply_code,
			(int)m->reply_text.len, (const char *)m->reply_text.bytes);
	} else
		return failed(k, what, "an answer that nobody asked for");
	return false;
}

static bool
good(connection *k, const char *what, amqp_rpc_reply_t r)
{
	switch (r.reply_type) {
	case AMQP_RESPONSE_NORMAL: return true;
	case AMQP_RESPONSE_LIBRARY_EXCEPTION:
		return failed(k, what, k->a.error_string2(r.library_error));
	case AMQP_RESPONSE_SERVER_EXCEPTION: return failed_at_server(k, what, &r);
	case AMQP_RESPONSE_NONE: break;
	}
	return failed(k, what, "the connection is gone");
}

/* ---- connections (any thread, one at a time) --------------------------------------------- */

static void
hang_up(connection *k)
{
	if (k->c != NULL)
		k->a.destroy_connection(k->c);
	k->c = NULL;
}

static amqp_socket_t *
make_socket(connection *k)
{
	const address *a = k->to;
	amqp_socket_t *s = a->ssl ? k->a.ssl_socket_new(k->c) : k->a.tcp_socket_new(k->c);
	if (s == NULL || !a->ssl)
		return s;
	k->a.ssl_socket_set_verify_peer(s, !a->insecure);
	k->a.ssl_socket_set_verify_hostname(s, !a->insecure);
	if (a->ca && k->a.ssl_socket_set_cacert(s, a->ca) != AMQP_STATUS_OK)
		failed(k, a->ca, "is no file of certificates");
	if (a->cert &&
		k->a.ssl_socket_set_key(s, a->cert, a->key ? a->key : a->cert) != AMQP_STATUS_OK)
		failed(k, a->cert, "is no certificate with its key");
	return s;
}

static bool
log_in(connection *k, int heartbeat)
{
	const address *a = k->to;
	struct timeval wait = {ANSWER_SECONDS, 0};
	bool ok = good(k, "log in",
		k->a.login(k->c, a->vhost, 0, FRAME, heartbeat, AMQP_SASL_METHOD_PLAIN, a->login,
			a->password));
	if (!ok) {
		/* A broker that does not know the user just hangs up. */
		if (strstr(k->why, "closed"))
			k->refused = true;
		return false;
	}
	k->a.set_rpc_timeout(k->c, &wait);
	k->a.channel_open(k->c, CHANNEL);
	return good(k, "open a channel", k->a.get_rpc_reply(k->c));
}

static bool
connect_to(connection *k, int heartbeat)
{
	struct timeval wait = {CONNECT_SECONDS, 0};
	amqp_socket_t *s;
	int rc;
	if (k->c != NULL)
		return true;
	k->refused = false;
	k->why[0] = '\0';
	if ((k->c = k->a.new_connection()) == NULL)
		return failed(k, "connect", "no memory");
	k->a.set_handshake_timeout(k->c, &wait);
	s = make_socket(k);
	if (s == NULL || k->why[0])
		return k->why[0] ? false : failed(k, "connect", "no memory");
	rc = k->a.socket_open_noblock(s, k->to->host, k->to->port, &wait);
	if (rc != AMQP_STATUS_OK)
		return failed(k, "connect", k->a.error_string2(rc));
	return log_in(k, heartbeat);
}

/* Exactly what agents expect: another kind of queue is an error of the channel (section 1). */
static bool
declare_queue(connection *k, const char *name)
{
	amqp_table_entry_t entries[2] = {
		{bytes_of("x-ha-policy"),
			{.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = bytes_of("all")}},
		{bytes_of("x-expires"), {.kind = AMQP_FIELD_KIND_I32, .value.i32 = EXPIRES}},
	};
	amqp_table_t arguments = {2, entries};
	char what[200];
	snprintf(what, sizeof what, "declare the queue %s", name);
	k->a.queue_declare(k->c, CHANNEL, bytes_of(name), 0, 1, 0, 0, arguments);
	return good(k, what, k->a.get_rpc_reply(k->c));
}

/* ---- sending: jobs on threads ------------------------------------------------------------ */

typedef struct sender {
	struct sender *next;
	connection k;
	bool confirms;
	pthread_mutex_t lock; /* one job at a time */
	int users;            /* the session and the jobs that run; the last one frees it */
	address to;
} sender;

typedef struct job {
	sender *s;
	char *queue, *id, *text, *signature; /* text NULL: only declare */
	size_t n, nsignature;
	bool ok, refused;
	char why[WHY];
} job;

static void
free_address(address *a)
{
	free(a->host);
	free(a->login);
	vt_free_secret(a->password);
	free(a->vhost);
	free(a->ca);
	free(a->cert);
	free(a->key);
}

static void
leave_sender(sender *s)
{
	if (__atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	hang_up(&s->k);
	pthread_mutex_destroy(&s->lock);
	free_address(&s->to);
	free(s);
}

static void
free_job(void *p)
{
	job *j = p;
	leave_sender(j->s);
	free(j->queue);
	free(j->id);
	free(j->text);
	free(j->signature);
	free(j);
}

static bool
ask_for_confirms(sender *s)
{
	if (s->confirms)
		return true;
	s->k.a.confirm_select(s->k.c, CHANNEL);
	return s->confirms = good(&s->k, "ask for confirmation", s->k.a.get_rpc_reply(s->k.c));
}

static bool
wait_for_confirm(connection *k)
{
	struct timeval wait = {ANSWER_SECONDS, 0};
	amqp_frame_t f;
	int rc;
	do {
		rc = k->a.simple_wait_frame_noblock(k->c, &f, &wait);
		if (rc != AMQP_STATUS_OK)
			return failed(k, "send", k->a.error_string2(rc));
	} while (f.frame_type != AMQP_FRAME_METHOD);
	if (f.payload.method.id == AMQP_BASIC_ACK_METHOD)
		return true;
	if (f.payload.method.id == AMQP_CHANNEL_CLOSE_METHOD ||
		f.payload.method.id == AMQP_CONNECTION_CLOSE_METHOD) {
		amqp_rpc_reply_t r = {
			.reply_type = AMQP_RESPONSE_SERVER_EXCEPTION, .reply = f.payload.method};
		return good(k, "send", r);
	}
	return failed(k, "send", "the broker did not take the message");
}

static bool
publish(sender *s, const job *j)
{
	amqp_table_entry_t header = {bytes_of("signature"),
		{.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = {j->nsignature, j->signature}}};
	amqp_basic_properties_t p = {
		._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_CONTENT_ENCODING_FLAG |
			  AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_PRIORITY_FLAG |
			  AMQP_BASIC_MESSAGE_ID_FLAG,
		.content_type = bytes_of("text/plain"),
		.content_encoding = bytes_of("utf-8"),
		.delivery_mode = AMQP_DELIVERY_PERSISTENT,
		.message_id = bytes_of(j->id),
	};
	int rc;
	if (j->signature) {
		p._flags |= AMQP_BASIC_HEADERS_FLAG;
		p.headers = (amqp_table_t){1, &header};
	}
	rc = s->k.a.basic_publish(s->k.c, CHANNEL, (amqp_bytes_t){0, NULL}, bytes_of(j->queue), 0,
		0, &p, (amqp_bytes_t){j->n, j->text});
	if (rc != AMQP_STATUS_OK)
		return failed(&s->k, "send", s->k.a.error_string2(rc));
	return wait_for_confirm(&s->k);
}

static bool
try_job(sender *s, const job *j)
{
	if (!connect_to(&s->k, 0))
		return false;
	s->k.a.maybe_release_buffers(s->k.c); /* what the answers before took */
	if (j->text == NULL)
		return declare_queue(&s->k, j->queue);
	return ask_for_confirms(s) && publish(s, j);
}

/* A connection that was idle may be dead without our knowing: one more try on a new one. */
static void
run_job(void *p)
{
	job *j = p;
	sender *s = j->s;
	pthread_mutex_lock(&s->lock);
	for (int round = 0; round < 2 && !j->ok; round++) {
		bool fresh = s->k.c == NULL;
		j->ok = try_job(s, j);
		if (j->ok)
			break;
		hang_up(&s->k);
		s->confirms = false;
		if (fresh || s->k.refused)
			break;
	}
	j->refused = s->k.refused;
	memcpy(j->why, s->k.why, sizeof j->why);
	pthread_mutex_unlock(&s->lock);
}

/* ---- receiving: a thread and a connection a queue ---------------------------------------- */

typedef struct letter {
	struct letter *next;
	char *id, *text;
	size_t n;
	struct delivery {
		uint64_t epoch, tag; /* of which connection; its number there */
	} delivery;
} letter;

typedef struct receiver {
	struct receiver *next;
	char *queue;
	connection k;
	address to;
	pthread_t thread;
	pthread_mutex_t lock;
	letter *first, **last; /* under the lock */
	size_t waiting;        /* under the lock: bytes of the letters */
	int readers;           /* tasks that wait for a letter: only the session's thread counts */
	char why[WHY];         /* under the lock: why it gave up; "": it has not */
	struct delivery taken; /* the newest that the session has; only its thread looks */
	struct delivery settled; /* under the lock: up to here it is acknowledged, or can be */
	struct delivery acked;   /* only the receiver's thread looks */
	uint64_t epoch;          /* the same: how many connections there were */
	int fd;                  /* readable when there is something under the lock */
	int wake;                /* readable when the thread has something to do */
	bool stop, ended;        /* atomic: it is to end; its thread does nothing more */
} receiver;

static void
signal_fd(int fd)
{
	uint64_t one = 1;
	while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

static void
drain_fd(int fd)
{
	uint64_t count;
	while (read(fd, &count, sizeof count) < 0 && errno == EINTR)
		;
}

static void
keep_letter(receiver *r, const amqp_envelope_t *e)
{
	letter *l = vt_xmalloc(sizeof *l);
	amqp_bytes_t id = e->message.properties.message_id;
	bool has = e->message.properties._flags & AMQP_BASIC_MESSAGE_ID_FLAG;
	*l = (letter){NULL, has ? vt_xstrndup(id.bytes, id.len) : vt_xstrdup(""),
		vt_xstrndup(e->message.body.bytes, e->message.body.len), e->message.body.len,
		{r->epoch, e->delivery_tag}};
	pthread_mutex_lock(&r->lock);
	*r->last = l;
	r->last = &l->next;
	r->waiting += l->n;
	pthread_mutex_unlock(&r->lock);
	signal_fd(r->fd);
}

static bool
is_full(receiver *r)
{
	pthread_mutex_lock(&r->lock);
	bool full = r->waiting >= LETTERS_MAX;
	pthread_mutex_unlock(&r->lock);
	return full;
}

static bool
begin_consuming(receiver *r)
{
	if (!connect_to(&r->k, HEARTBEAT) || !declare_queue(&r->k, r->queue))
		return false;
	r->epoch++;
	r->k.a.basic_qos(r->k.c, CHANNEL, 0, 16, 0);
	if (!good(&r->k, "set the prefetch", r->k.a.get_rpc_reply(r->k.c)))
		return false;
	r->k.a.basic_consume(r->k.c, CHANNEL, bytes_of(r->queue), (amqp_bytes_t){0, NULL}, 0, 0, 0,
		(amqp_table_t){0, NULL});
	return good(&r->k, "consume", r->k.a.get_rpc_reply(r->k.c));
}

/* What the session has settled; those of a connection that was lost come again. */
static bool
acknowledge(receiver *r)
{
	int rc;
	pthread_mutex_lock(&r->lock);
	struct delivery d = r->settled;
	pthread_mutex_unlock(&r->lock);
	if (d.epoch != r->epoch || (d.epoch == r->acked.epoch && d.tag == r->acked.tag))
		return true;
	r->acked = d;
	rc = r->k.a.basic_ack(r->k.c, CHANNEL, d.tag, 1);
	return rc == AMQP_STATUS_OK || failed(&r->k, "acknowledge", r->k.a.error_string2(rc));
}

/* Until the broker sends something or there is something to acknowledge; a second at most. */
static void
wait_for_work(receiver *r)
{
	enum { MILLISECONDS = 1000 };
	struct pollfd p[2] = {{.fd = r->k.a.get_sockfd(r->k.c), .events = POLLIN},
		{.fd = r->wake, .events = POLLIN}};
	if (poll(p, 2, MILLISECONDS) > 0 && (p[1].revents & POLLIN))
		drain_fd(r->wake);
}

/* What is too large for us is not kept; it would come again and again. */
static void
pass_over(receiver *r, const amqp_envelope_t *e)
{
	vt_say("vetro: a message in %s is larger than %d MiB and is passed over\n", r->queue,
		MESSAGE_MAX >> 20);
	r->k.a.basic_ack(r->k.c, CHANNEL, e->delivery_tag, 0);
}

/* Until the connection is lost or nobody wants it. What was not acknowledged goes back to the
 * broker then. */
static void
consume(receiver *r)
{
	while (acknowledge(r) && !__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
		struct timeval none = {0, 0};
		amqp_envelope_t e;
		amqp_rpc_reply_t a;
		/* the broker ends a connection that is silent for long: a new one is made then */
		if (is_full(r)) {
			usleep(100000);
			continue;
		}
		r->k.a.maybe_release_buffers(r->k.c);
		a = r->k.a.consume_message(r->k.c, &e, &none, 0);
		if (a.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION &&
			a.library_error == AMQP_STATUS_TIMEOUT) {
			wait_for_work(r);
			continue;
		}
		if (!good(&r->k, "receive", a))
			return;
		if (e.message.body.len <= MESSAGE_MAX)
			keep_letter(r, &e);
		else
			pass_over(r, &e);
		r->k.a.destroy_envelope(&e);
	}
}

static void
give_up(receiver *r)
{
	pthread_mutex_lock(&r->lock);
	memcpy(r->why, r->k.why, sizeof r->why);
	pthread_mutex_unlock(&r->lock);
	signal_fd(r->fd);
}

static void *
receive_main(void *p)
{
	receiver *r = p;
	bool worked = false;
	for (int pause = 1; !__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE);) {
		if (begin_consuming(r)) {
			worked = true;
			pause = 1;
			consume(r);
		}
		hang_up(&r->k);
		if (!worked || r->k.refused) {
			give_up(r);
			break;
		}
		for (int i = 0; i < 10 * pause && !__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE); i++)
			usleep(100000);
		pause = pause * 2 > LONGEST_PAUSE ? LONGEST_PAUSE : pause * 2;
	}
	hang_up(&r->k);
	__atomic_store_n(&r->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* ---- the session's side ------------------------------------------------------------------ */

typedef struct amqp {
	struct api a;
	sender *senders; /* one a broker */
	receiver *receivers;
	receiver *stopped; /* nobody wants them; their threads are about to end */
} amqp;

static void
copy_address(address *to, const address *from)
{
	*to = *from;
	to->host = vt_xstrdup(from->host);
	to->login = vt_xstrdup(from->login);
	to->password = vt_xstrdup(from->password);
	to->vhost = vt_xstrdup(from->vhost);
	to->ca = from->ca ? vt_xstrdup(from->ca) : NULL;
	to->cert = from->cert ? vt_xstrdup(from->cert) : NULL;
	to->key = from->key ? vt_xstrdup(from->key) : NULL;
}

static vt_status
raise_at(vt_rt *rt, const address *a, const char *why, bool refused)
{
	const char *hint = strstr(why, " 406 ") ? "; somebody has made the queue with other "
						  "arguments: delete it, it is made anew"
			   : refused ? "; AMQP_URL, or group rabbitmq of --settings, has the "
				       "address and the login"
				     : "; is the broker running there? AMQP_URL, or group rabbitmq "
				       "of --settings, names it";
	return vt_raise(
		rt, VT_E_CLOUD, "RabbitMQ at %s:%d%s, %s%s", a->host, a->port, a->vhost, why, hint);
}

/* ---- where the broker is ----------------------------------------------------------------- */

static vt_value
part_of(vt_rt *rt, vt_value broker, const char *name)
{
	vt_value v = vt_is(broker, DICT) ? vt_dict_get_c(vt_as_dict(broker), name) : VT_UNDEF;
	return v == VT_UNDEF || v == VT_NULL ? vt_setting(rt, "rabbitmq", name) : v;
}

static char *
text_of(vt_rt *rt, vt_value broker, const char *name, const char *otherwise)
{
	vt_value v = part_of(rt, broker, name);
	return v != VT_UNDEF && vt_is(v, STR) ? vt_xstrdup(vt_as_str(v)->s)
	       : otherwise                    ? vt_xstrdup(otherwise)
					      : NULL;
}

static bool
flag_of(vt_rt *rt, vt_value broker, const char *name)
{
	vt_value v = part_of(rt, broker, name);
	if (!vt_is(v, STR))
		return v == VT_TRUE;
	return vt_says_yes(vt_as_str(v)->s);
}

/* 0, to which nobody can connect, for what is no port. */
static int
port_of(int64_t n)
{
	return n > 0 && n <= 65535 ? (int)n : 0;
}

/* Names and defaults of murano.conf's group rabbitmq. */
static address
read_address(vt_rt *rt, vt_value broker)
{
	vt_value port = part_of(rt, broker, "port");
	return (address){.host = text_of(rt, broker, "host", "localhost"),
		.login = text_of(rt, broker, "login", "guest"),
		.password = vt_password(rt, text_of(rt, broker, "password", "guest")),
		.vhost = text_of(rt, broker, "virtual_host", "/"),
		.ca = text_of(rt, VT_NULL, "ca_certs", NULL),
		.cert = text_of(rt, VT_NULL, "cert", NULL),
		.key = text_of(rt, VT_NULL, "key", NULL),
		.port = vt_is_int(port) ? port_of(vt_toint(port)) : 5672,
		.ssl = flag_of(rt, broker, "ssl"),
		.insecure = flag_of(rt, broker, "insecure")};
}

static bool
same_address(const address *a, const address *b)
{
	return a->port == b->port && a->ssl == b->ssl && a->insecure == b->insecure &&
	       strcmp(a->host, b->host) == 0 && strcmp(a->vhost, b->vhost) == 0 &&
	       strcmp(a->login, b->login) == 0 && strcmp(a->password, b->password) == 0;
}

/* The connection for sending to that broker. */
static sender *
sender_to(vt_rt *rt, amqp *q, vt_value broker)
{
	address a = read_address(rt, broker);
	sender *s = q->senders;
	while (s != NULL && !same_address(&s->to, &a))
		s = s->next;
	if (s != NULL) {
		free_address(&a);
		return s;
	}
	s = vt_xzalloc(sizeof *s);
	s->to = a;
	s->k = (connection){.a = q->a, .to = &s->to};
	s->users = 1;
	pthread_mutex_init(&s->lock, NULL);
	s->next = q->senders;
	return q->senders = s;
}

static vt_status
run(vt_rt *rt, amqp *q, vt_value broker, job *j)
{
	vt_status st;
	j->s = sender_to(rt, q, broker);
	__atomic_add_fetch(&j->s->users, 1, __ATOMIC_ACQ_REL);
	VT_TRY(vt_offload(rt, run_job, j, free_job));
	st = j->ok ? VT_OK : raise_at(rt, &j->s->to, j->why, j->refused);
	free_job(j);
	return st;
}

static vt_status
declare(vt_rt *rt, void *ctx, vt_value broker, const char *queue)
{
	job *j = vt_xmalloc(sizeof *j);
	*j = (job){.queue = vt_xstrdup(queue)};
	return run(rt, ctx, broker, j);
}

static vt_status
send(vt_rt *rt, void *ctx, vt_value broker, const char *queue, const vt_message *m,
	const char *text, size_t n)
{
	job *j = vt_xmalloc(sizeof *j);
	*j = (job){.queue = vt_xstrdup(queue),
		.id = vt_xstrdup(m->id),
		.text = vt_xstrndup(text, n),
		.n = n,
		.signature = m->signature ? vt_xstrndup(m->signature, m->nsignature) : NULL,
		.nsignature = m->nsignature};
	return run(rt, ctx, broker, j);
}

static receiver *
find_receiver(amqp *q, const address *to, const char *queue)
{
	receiver *r = q->receivers;
	while (r != NULL && (strcmp(r->queue, queue) != 0 || !same_address(&r->to, to)))
		r = r->next;
	return r;
}

static void
free_receiver(receiver *r)
{
	for (letter *l = r->first, *next; l != NULL; l = next) {
		next = l->next;
		free(l->id);
		free(l->text);
		free(l);
	}
	if (r->fd >= 0)
		close(r->fd);
	if (r->wake >= 0)
		close(r->wake);
	pthread_mutex_destroy(&r->lock);
	free_address(&r->to);
	free(r->queue);
	free(r);
}

static void
tell_stop(receiver *r)
{
	__atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
	signal_fd(r->wake);
}

/* Waits for its thread. */
static void
end_receiver(receiver *r)
{
	tell_stop(r);
	pthread_join(r->thread, NULL);
	free_receiver(r);
}

/* Those whose threads have ended since they were stopped. */
static void
reap(amqp *q)
{
	for (receiver **p = &q->stopped; *p != NULL;) {
		receiver *r = *p;
		if (r->readers > 0 || !__atomic_load_n(&r->ended, __ATOMIC_ACQUIRE)) {
			p = &r->next;
			continue;
		}
		*p = r->next;
		end_receiver(r);
	}
}

static vt_status
start_receiver(vt_rt *rt, amqp *q, const address *to, const char *queue, receiver **out)
{
	receiver *r = vt_xmalloc(sizeof *r);
	int rc;
	reap(q);
	memset(r, 0, sizeof *r);
	r->queue = vt_xstrdup(queue);
	copy_address(&r->to, to);
	r->k = (connection){.a = q->a, .to = &r->to};
	r->last = &r->first;
	r->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); /* who shares it may have read it first */
	pthread_mutex_init(&r->lock, NULL);
	r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = r->fd < 0 || r->wake < 0 ? errno : vt_thread_start(&r->thread, false, receive_main, r);
	if (rc != 0) {
		free_receiver(r);
		return vt_raise(rt, VT_E_OS, "no thread can be started: %s", strerror(rc));
	}
	r->next = q->receivers;
	q->receivers = *out = r;
	return VT_OK;
}

static vt_status
receiver_of(vt_rt *rt, amqp *q, vt_value broker, const char *queue, receiver **out)
{
	address a = read_address(rt, broker);
	vt_status st = VT_OK;
	*out = find_receiver(q, &a, queue);
	if (*out == NULL)
		st = start_receiver(rt, q, &a, queue, out);
	free_address(&a);
	return st;
}

static letter *
take_letter(receiver *r, bool *dead)
{
	letter *l;
	pthread_mutex_lock(&r->lock);
	l = r->first;
	if (l != NULL && (r->first = l->next) == NULL)
		r->last = &r->first;
	if (l != NULL)
		r->waiting -= l->n;
	*dead = l == NULL && r->why[0] != '\0';
	pthread_mutex_unlock(&r->lock);
	return l;
}

static bool
read_letter(vt_rt *rt, const char *queue, letter *l, vt_message *out)
{
	char *err = NULL;
	bool ok = vt_json_read(rt, l->text, l->n, VT_JSON_PYTHON, 0, &out->body, &err);
	out->id = l->id;
	if (!ok) {
		vt_say("vetro: a message in %s is no JSON and is passed over: %s\n", queue, err);
		free(l->id);
	}
	free(err);
	free(l->text);
	free(l);
	return ok;
}

static void
settle_upto(receiver *r, struct delivery d)
{
	pthread_mutex_lock(&r->lock);
	r->settled = d;
	pthread_mutex_unlock(&r->lock);
	signal_fd(r->wake);
}

/* Until there is a letter that can be read; *out has none when the receiver was stopped
 * meanwhile, or nobody waits.  Those that cannot be read are acknowledged with the next one. */
static vt_status
receive_from(vt_rt *rt, receiver *r, bool wait, vt_message *out)
{
	struct delivery before = r->taken;
	while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
		int ready;
		bool dead;
		letter *l = take_letter(r, &dead);
		if (l != NULL)
			r->taken = l->delivery;
		if (l != NULL && read_letter(rt, r->queue, l, out))
			return VT_OK;
		if (dead)
			return raise_at(rt, &r->to, r->why, r->k.refused);
		if (l != NULL)
			continue;
		if (!wait)
			return VT_OK;
		/* none of those since the last settling was a message */
		if (r->taken.tag != before.tag || r->taken.epoch != before.epoch)
			settle_upto(r, before = r->taken);
		VT_TRY(vt_wait_fd(rt, r->fd, VT_FD_READ, -1, &ready));
		drain_fd(r->fd);
	}
	return VT_OK;
}

/* Who shares the queue with another that stops it goes on with a new receiver. */
static vt_status
receive(vt_rt *rt, void *ctx, vt_value broker, const char *queue, bool wait, vt_message *out)
{
	vt_status st = VT_OK;
	*out = (vt_message){.body = VT_UNDEF};
	do {
		receiver *r;
		VT_TRY(receiver_of(rt, ctx, broker, queue, &r));
		r->readers++;
		st = receive_from(rt, r, wait, out);
		r->readers--;
	} while (wait && st == VT_OK && out->body == VT_UNDEF);
	return st;
}

static void
settle(vt_rt *rt, void *ctx, vt_value broker, const char *queue)
{
	address a = read_address(rt, broker);
	receiver *r = find_receiver(ctx, &a, queue);
	free_address(&a);
	if (r != NULL)
		settle_upto(r, r->taken);
}

/* Its thread may be in a call of the library for a minute, for which no task should wait. */
static void
stop(vt_rt *rt, void *ctx, vt_value broker, const char *queue)
{
	amqp *q = ctx;
	address a = read_address(rt, broker);
	receiver *r = find_receiver(q, &a, queue), **p = &q->receivers;
	free_address(&a);
	if (r == NULL)
		return;
	while (*p != r)
		p = &(*p)->next;
	*p = r->next;
	tell_stop(r);
	if (r->readers > 0)
		signal_fd(r->fd);
	r->next = q->stopped;
	q->stopped = r;
}

static void
end_all(receiver **list)
{
	for (receiver *r = *list; r != NULL; r = r->next) /* they end at the same time */
		tell_stop(r);
	while (*list != NULL) {
		receiver *r = *list;
		*list = r->next;
		end_receiver(r);
	}
}

static void
drop(void *ctx)
{
	amqp *q = ctx;
	end_all(&q->receivers);
	end_all(&q->stopped);
	while (q->senders != NULL) {
		sender *s = q->senders;
		q->senders = s->next;
		leave_sender(s);
	}
	free(q);
}

static const vt_queues queues = {declare, send, receive, settle, stop};

vt_status
vt_amqp_queues(vt_rt *rt, const vt_queues **out, void **ctx, void (**dropper)(void *))
{
	amqp *q;
	VT_TRY(vt_settings_environment(rt));
	q = vt_xmalloc(sizeof *q);
	*q = (amqp){0};
	if (!load_library(&q->a)) {
		free(q);
		return vt_raise(rt, VT_E_CLOUD,
			"agents are reached by librabbitmq, which is not installed: install "
			"librabbitmq4, or build with --static");
	}
	*out = &queues;
	*ctx = q;
	*dropper = drop;
	return VT_OK;
}

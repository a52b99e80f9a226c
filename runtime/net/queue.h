/*
 * queue.h - queues of messages: what carries them to agents and back.
 */
#ifndef VT_QUEUE_H
#define VT_QUEUE_H

#include "vt.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct vt_message {
	const char *id;        /* message_id */
	const char *signature; /* raw bytes, or NULL */
	size_t nsignature;
	vt_value body; /* JSON; borrowed when sent, owned when received */
} vt_message;
/* Of a message that was received: its id (malloc'd) and body. */
void vt_message_drop(vt_message *);

typedef struct vt_queues {
	/*
	 * broker: a region's agentRabbitMq {host, port, login, password, virtual_host, ssl,
	 * insecure}, a DICT, borrowed; VT_NULL: the one of the settings.
	 *
	 * Declares a durable queue as agents expect it; idempotent.
	 */
	vt_status (*declare)(vt_rt *, void *ctx, vt_value broker, const char *queue);
	/* body is m->body as text, which is what was signed. */
	vt_status (*send)(vt_rt *, void *ctx, vt_value broker, const char *queue,
		const vt_message *m, const char *text, size_t n);
	/* The next message of a queue; without `wait` *out has no body where none is there. One
	 * task a queue. Cancelled with the task. */
	vt_status (*receive)(
		vt_rt *, void *ctx, vt_value broker, const char *queue, bool wait, vt_message *out);
	/* All that was received is kept: the queue may forget it.  Until then who comes after a
	 * kill gets it again. */
	void (*settle)(vt_rt *, void *ctx, vt_value broker, const char *queue);
	/* The task that receives goes away. */
	void (*stop)(vt_rt *, void *ctx, vt_value broker, const char *queue);
} vt_queues;

/*
 * amqp.c: those of RabbitMQ.  No connection is made yet; settings are read and checked.  *ctx is
 * what they get, and what `drop` frees.
 */
vt_status vt_amqp_queues(vt_rt *, const vt_queues **, void **ctx, void (**drop)(void *ctx));

#endif

/*
 * rabbitmq.h - what amqp.c, and the engine of the compiler, use of librabbitmq.  The library is
 * loaded when the first connection is made; a static binary is linked with it.
 */
#ifndef VT_NET_RABBITMQ_H
#define VT_NET_RABBITMQ_H

#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/ssl_socket.h>
#include <rabbitmq-c/tcp_socket.h>
#else /* before 0.12 */
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#endif
#include <dlfcn.h>
#include <stdbool.h>
#include <sys/time.h>

#define API(X) \
	X(new_connection) \
	X(destroy_connection) \
	X(set_handshake_timeout) \
	X(set_rpc_timeout) \
	X(tcp_socket_new) \
	X(ssl_socket_new) \
	X(ssl_socket_set_verify_peer) \
	X(ssl_socket_set_verify_hostname) \
	X(ssl_socket_set_cacert) \
	X(ssl_socket_set_key) \
	X(socket_open_noblock) \
	X(get_sockfd) \
	X(login) \
	X(login_with_properties) \
	X(send_method) \
	X(exchange_declare) \
	X(queue_bind) \
	X(basic_reject) \
	X(channel_open) \
	X(get_rpc_reply) \
	X(queue_declare) \
	X(confirm_select) \
	X(basic_publish) \
	X(simple_wait_frame_noblock) \
	X(basic_qos) \
	X(basic_consume) \
	X(maybe_release_buffers) \
	X(consume_message) \
	X(basic_ack) \
	X(destroy_envelope) \
	X(error_string2)
struct api {
#define X(name) __typeof__(&amqp_##name) name;
	API(X)
#undef X
	bool ready;
};

static bool
load_library(struct api *a)
{
#ifdef VT_LINK_CLOUD
#define X(name) a->name = amqp_##name;
	API(X)
#undef X
	a->ready = true;
#else
	void *library =
		a->ready ? NULL : dlopen("librabbitmq.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	bool good = library != NULL;
#define X(name) good = good && (*(void **)&a->name = dlsym(library, "amqp_" #name)) != NULL;
	API(X)
#undef X
	a->ready |= good;
#endif
	return a->ready;
}

#endif

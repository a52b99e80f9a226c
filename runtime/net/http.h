/*
 * http.h - requests over HTTP and HTTPS.  http.c is the one file that names libcurl, which it loads
 * when the first request is made: a program that makes none neither needs nor links it.
 *
 * A request waits as a task does: others run, and one that is cancelled ends with VT_ERROR.  What
 * goes wrong with a server or a network is no exception but in the answer, so that a caller may try
 * again.  Messages hold neither user, password nor query of a URL.
 */
#ifndef VT_NET_H
#define VT_NET_H

#include "runtime/core/value.h"

/* name: for programs; ok to try again later */
#define VT_NET_ERRORS(X) \
	X(UNAVAILABLE, "unavailable", false) /* there is no libcurl */ \
	X(URL, "url", false)                 /* not one, or not of http or https */ \
	X(RESOLVE, "resolve", true)          /* no such host */ \
	X(CONNECT, "connect", true)          /* refused, unreachable */ \
	X(TLS, "tls", false)                 /* the certificate or the handshake */ \
	X(TIMEOUT, "timeout", true) \
	X(TRUNCATED, "truncated", true) /* the connection ended before the answer did */ \
	X(TOO_LARGE, "too-large", false) \
	X(REDIRECT, "redirect", false) /* too many, or to where none may lead */ \
	X(PROTOCOL, "protocol", false) /* no HTTP */ \
	X(OTHER, "other", true)
enum vt_net_error {
	VT_NET_OK,
#define X(sym, name, again) VT_NET_E_##sym,
	VT_NET_ERRORS(X)
#undef X
};
const char *vt_net_error_name(enum vt_net_error);
bool vt_net_may_retry(enum vt_net_error);

typedef struct vt_net_field {
	const char *name, *value;
	bool secret; /* not sent on to another origin: X-Auth-Token. Authorization and Cookie never
			are */
} vt_net_field;

/* Zero is the default of everything but the URL. */
typedef struct vt_net_request {
	const char *method; /* GET, or POST where there is a body */
	const char *url;
	const vt_net_field *field;
	uint32_t nfields;
	const void *body; /* NULL: none */
	size_t nbody;
	const char *user, *password; /* of Basic authentication; else those of the URL */
	double connect_timeout;      /* seconds: 20 */
	double timeout;              /* for all of it, redirects included: 300; < 0: none */
	double stall_timeout;        /* without a byte of the answer: 60; < 0: none */
	uint64_t max_body;           /* bytes: 64 Mi */
	uint64_t max_fields;         /* bytes of the fields of an answer: 256 Ki */
	uint32_t max_redirects;      /* 0: a redirect is the answer */
	bool keep_method;     /* 301 and 302 repeat method and body too, not only 307 and 308 */
	bool allow_downgrade; /* from https to http */
	bool insecure;        /* certificates are not looked at */
	const char *ca_file;  /* instead of the machine's */
	const char *cert_file, *key_file; /* of the client */
	const char *proxy;                /* "": none; NULL: as the environment has it */
} vt_net_request;

typedef struct vt_net_response {
	enum vt_net_error error;
	char *message; /* NULL: there is an answer, which may be a 404 */
	int status;
	vt_net_field *field;
	uint32_t nfields;
	char *body; /* never NULL where there is an answer; a zero byte behind it */
	size_t nbody;
	char *url; /* where the answer came from */
	uint32_t redirects;
} vt_net_response;

void vt_net_response_free(vt_net_response *);
/* The value of a field whatever the case of its name, or NULL. */
const char *vt_net_get(const vt_net_response *, const char *name);

/* Connections that are kept, of one session. */
typedef struct vt_net vt_net;
typedef struct vt_net_call vt_net_call;
vt_net *vt_net_new(vt_rt *);
void vt_net_free(vt_net *); /* NULL too; calls that run are dropped */

/* Starts; nothing happens before somebody waits. The request is copied. */
vt_net_call *vt_net_start(vt_net *, const vt_net_request *);
/*
 * Until it has ended; the answer is moved to *out, and the call is gone.  VT_ERROR: the task was
 * cancelled, there is no answer.
 */
vt_status vt_net_wait(vt_net_call *, vt_net_response *out);
void vt_net_drop(vt_net_call *);

/* Both. h NULL: with a connection of its own. */
vt_status vt_net_run(vt_rt *, vt_net *h, const vt_net_request *, vt_net_response *out);

/* malloc'd: a URL as it may be shown, without user, password and what its query holds. */
char *vt_net_shown(const char *url);
bool vt_net_is_url(const char *);
/* malloc'd: `ref` seen from `base`, as RFC 3986 section 5 has it. */
char *vt_net_join(const char *base, const char *ref);

#endif

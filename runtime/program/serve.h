/* serve.h - the parts of `deploy serve`: serve_http.c (bytes), serve_api.c (answers), serve.c
 * (sockets). */
#ifndef VT_SERVE_H
#define VT_SERVE_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

enum {
	VT_HTTP_HEAD_MAX = 16 << 10,
	VT_HTTP_LINES_MAX = 64,
	VT_HTTP_BODY_MAX = 8 << 20,
	VT_HTTP_SEGMENTS = 4,
	VT_HTTP_KEY_MAX = 100 /* twice as many are part of a file's name */
};

/* One request. Texts are decoded, closed by NUL, valid UTF-8 and without NUL inside; vt_http_free
 * gives them back. */
typedef struct vt_http {
	char *method;
	char *segment[VT_HTTP_SEGMENTS]; /* of the path: "/a/b/" is "a", "b", "" */
	uint32_t nsegments;
	char *query;       /* as it came; vt_http_param decodes */
	char *host;        /* or NULL */
	char *key;         /* Idempotency-Key, or NULL */
	bool json, gzip;   /* the body is JSON; the answer may be compressed */
	size_t head, body; /* how long they are; the body begins at `head` */
} vt_http;

/*
 * Reads the request at the front of p.  0: more bytes are needed; 200: it is there; else the status
 * to refuse it with.  Strict: CRLF, no folded lines, origin-form targets, lengths only by one
 * Content-Length.
 */
int vt_http_parse(const char *p, size_t n, vt_http *out);
void vt_http_free(vt_http *);
/* false: malformed; *out is NULL when the parameter is not there, else malloc'd. */
bool vt_http_param(const vt_http *, const char *name, char **out);
const char *vt_http_reason(int status);

typedef struct vt_answer {
	int status;
	const char *type;  /* of the content */
	const char *allow; /* for 405; or NULL */
	bool gzip;
	const char *policy; /* of the page: Content-Security-Policy; or NULL */
	vt_buf body;
} vt_answer;
/* A session of its own for each call, so that requests cannot see each other. */
typedef vt_rt *(*vt_open_fn)(void *arg);
typedef struct vt_server {
	const vt_program *program;
	vt_open_fn open; /* NULL when it fails, after reporting why on standard error */
	void *arg;
	const char *self;        /* of messages */
	const char *const *host; /* names that clients may ask under, besides the address */
	uint32_t nhosts;
	const char *beyond; /* ADDRESS:PORT that is not only this machine's, or NULL */
	/* around an action, or NULL.  begin false: the answer is there, and nothing runs */
	bool (*begin)(void *arg, vt_rt *, const char *key, const char *body, size_t n, vt_answer *);
	void (*end)(void *arg, vt_rt *, const char *key, vt_answer *);
} vt_server;
/* What POST /actions does, to its end. */
void vt_serve_act(vt_rt *, const char *body, size_t n, vt_answer *);
/* An answer that says why not. */
void vt_serve_refuse_as(int status, const char *why, vt_answer *);
void vt_serve_answer(const vt_server *, const vt_http *, const char *body, vt_answer *out);
void vt_serve_refuse(int status, vt_answer *out);
/* A page of the binary, as the client takes it; policy: its Content-Security-Policy. */
void vt_serve_page(const vt_http *, const char *gzip, size_t n, const char *policy, vt_answer *);
/* inflate.c: what a gzip file without a name has in it, behind what `out` has; false: it is
 * damaged. */
bool vt_inflate(const char *gzip, size_t n, vt_buf *out);
/* Until SIGINT or SIGTERM; the exit status. where: ADDRESS:PORT, [ADDRESS]:PORT. */
int vt_serve(vt_server *, const char *where);

/* serve_form.c: what a program with a form answers besides; only such a program links it. */
struct vt_form_serving {
	/* false: it is no request about the form */
	bool (*answer)(const vt_server *, const vt_http *, const char *body, vt_answer *);
	void (*stop)(void); /* the server ends */
};

/* request_journal.c: begin and end of an action under --journal */
bool vt_action_begin(void *cli, vt_rt *, const char *key, const char *body, size_t, vt_answer *);
void vt_action_end(void *cli, vt_rt *, const char *key, vt_answer *);

/* deploy.c: what `info` prints */
void vt_deploy_info(const vt_program *, vt_buf *);

#endif

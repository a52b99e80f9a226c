/*
 * courier.h - the process that speaks HTTP: tokens and trusts of Keystone, packages of murano-api.
 */
#ifndef VC_ENGINE_COURIER_H
#define VC_ENGINE_COURIER_H

#include "compiler/engine/int.h"
#include "runtime/net/http.h"

#include "vt.h"

typedef struct courier {
	vt_rt *rt;
	vt_net *net;
	const eng_conf *conf;
	int fd;
	char *folder;          /* of packages */
	struct trusted *known; /* trust.c: tokens by trust */
	uint32_t making;       /* trust.c: tasks that ask Keystone */
	uint32_t most_making;  /* trust.c: how many may */
	struct maker *makers;  /* trust.c: tasks in line for that */
	char *own_user;        /* trust.c: the engine's user id */
	char *murano;          /* catalogue.c: where murano-api is */
	int64_t seen;          /* catalogue.c: the api's clock at its last answer; 0: none */
	struct core_class *core;
	struct core_seen *cores; /* catalogue.c: packages io.murano that were looked at */
	uint32_t ncores;
	struct local *local; /* catalogue.c: of load_packages_from */
	uint32_t nlocal;
	bool asked_local;
} courier;

enum { ENG_MOST_ASKING = 4 };

/* Why a task cannot begin, as murano-engine would say it. */
typedef struct lack {
	char *cls, *module, *message;
	bool later; /* it may be otherwise in a while */
} lack;
bool eng_lacks(lack *, bool later, const char *cls, const char *module, const char *fmt, ...)
	VT_PRINTF(5, 6);

/* courier.c: a request. token: or NULL; body: or NULL.  False: no answer came. */
bool eng_ask(courier *, const char *method, const char *url, const char *token, const vt_buf *body,
	vt_net_response *, lack *);

/* trust.c */
typedef struct identity {
	char *token;
	char *trust; /* or NULL */
} identity;
void eng_identity_free(identity *);
/* By the trust, which may be NULL: then one is made with the task's token, and `made` hears of it
 * before anything else is done with it. */
bool eng_trusted(courier *, const char *token, const char *project, const char *trust, identity *,
	void (*made)(void *ctx, const char *trust), void *ctx, lack *);
bool eng_untrust(courier *, const char *trust, lack *);
void eng_forget_token(courier *, const char *trust); /* a service did not take it */

/* core_library.c: is the package io.murano at the path another one than murano 14's?  The names of
 * files that differ, some of them. */
bool eng_core_differs(const char *path, vt_buf *names);

/* catalogue.c: what a task needs, as JSON: "files", "key", "by_name" */
/* Has murano-api handled the result of a task?  As JSON: "handled". */
bool eng_handled(courier *, vt_value request, const identity *, vt_buf *answer, lack *);
bool eng_prepare(courier *, vt_value request, const identity *, vt_buf *answer, lack *);

#endif

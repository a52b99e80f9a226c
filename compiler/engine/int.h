/*
 * int.h - what the files of the engine share.
 */
#ifndef VC_ENGINE_INT_H
#define VC_ENGINE_INT_H

#include "compiler/engine/conf.h"
#include "runtime/core/value.h"

#include <sys/types.h>

/* ---- check.c ---- */
bool eng_conf_fits(eng_conf *);           /* adds what is wrong */
void eng_conf_complain(const eng_conf *); /* on standard error */
#define ENG_NO_REPORTS \
	"[oslo_messaging_notifications] driver is not set: murano-api will see no report of a " \
	"deployment, and no reported error will fail one; messagingv2 is what murano's guides set"

/* ---- log.c ---- */
enum eng_level { ENG_DEBUG, ENG_INFO, ENG_WARNING, ENG_ERROR };
typedef struct eng_about {
	const char *request, *environment; /* NULL: none */
} eng_about;
void eng_log_open(const eng_conf *);
void eng_log_again(void);  /* after the file was renamed */
void eng_log_forget(void); /* its descriptor is no more */
/* One line of oslo's format, or of JSON. Secrets are covered. */
void eng_log(enum eng_level, const eng_about *, const char *fmt, ...) VT_PRINTF(3, 4);

/* ---- broker.c ---- */
enum eng_notify { ENG_NOTIFY_NONE, ENG_NOTIFY_BARE, ENG_NOTIFY_ENVELOPE };
enum eng_notify eng_notifies(const eng_conf *);
bool eng_url_good(const char *url, char **why); /* why: malloc'd */
typedef struct eng_broker eng_broker;
/* What arrives; texts are of the call alone. */
typedef struct eng_events {
	void (*task)(void *ctx, const char *body, size_t n, uint64_t tag, bool again);
	void (*reply)(void *ctx, const char *body, size_t n);
	/* all messages up to that number, or it alone; false: the broker did not take them */
	void (*confirmed)(void *ctx, uint64_t number, bool many, bool ok);
	void *ctx;
} eng_events;
eng_broker *eng_broker_new(const eng_conf *, const eng_events *);
void eng_broker_free(eng_broker *);
/* Waits up to some seconds. False: logged; eng_broker_pause says when to try again. */
bool eng_broker_connect(eng_broker *);
double eng_broker_pause(eng_broker *);
bool eng_broker_up(const eng_broker *);
uint64_t eng_broker_epoch(const eng_broker *); /* which connection it is; tags are its own */
int eng_broker_fd(const eng_broker *);
void eng_broker_read(eng_broker *); /* all that is there; it may lose the connection */
const char *eng_broker_replies(const eng_broker *); /* the queue of replies */
typedef struct eng_letter {
	const char *exchange, *key;
	const char *text;
	size_t n;
	const char *expiration; /* milliseconds, or NULL */
} eng_letter;
/* Its number, which is confirmed later; 0: the connection is lost. */
uint64_t eng_broker_send(eng_broker *, const eng_letter *);
void eng_broker_acknowledge(eng_broker *, uint64_t epoch, uint64_t tag);
void eng_broker_reject(eng_broker *, uint64_t epoch, uint64_t tag, bool again);
void eng_broker_stop_tasks(eng_broker *); /* no more deliveries */
uint32_t eng_broker_reconnections(const eng_broker *);
uint32_t eng_broker_waiting(const eng_broker *); /* tasks in the queue when it was declared */

/* ---- envelope.c ---- */
enum eng_method { ENG_HANDLE_TASK, ENG_STATIC_ACTION, ENG_SCHEMA, ENG_UNKNOWN_METHOD };
/* A request of the api. Texts are those of the value. */
typedef struct eng_request {
	enum eng_method method;
	vt_value message;             /* owned */
	const char *name;             /* of the method */
	const char *id;               /* _unique_id: 32 hexadecimal digits */
	const char *msg_id, *reply_q; /* NULL: nobody waits */
	vt_value args;                /* DICT, borrowed */
	vt_value task;                /* args.task, or args of a schema; borrowed */
	const char *environment, *token, *project, *user; /* or NULL */
} eng_request;
/* NULL, or why it is none, malloc'd. */
char *eng_request_read(vt_rt *, const char *body, size_t n, eng_request *);
void eng_request_free(eng_request *);
/* The text inside of {"oslo.version", "oslo.message"}; false: it is none */
bool eng_unwrap(vt_rt *, const char *body, size_t n, vt_value *message);
void eng_put_hex(vt_buf *, size_t bytes); /* random */
/* Of a call: result is JSON; or failure. */
void eng_put_reply(vt_buf *, const char *msg_id, const char *result, size_t n, const char *failure);
/* {"class", "module", "message", "tb", "args", "kwargs"} */
char *eng_failure(const char *cls, const char *module, const char *message);
void eng_put_result(vt_buf *, const char *environment, const char *result, size_t n,
	const char *msg_id, const char *reply_q);
/* payload: JSON */
void eng_put_notification(
	vt_buf *, enum eng_notify, const char *event, const char *payload, size_t n);
void eng_put_now(vt_buf *, char between);
vt_value eng_member(vt_value, const char *name);  /* VT_NULL where there is none */
const char *eng_text(vt_value, const char *name); /* NULL: no text */

/* ---- spool.c ---- */
typedef struct eng_spool {
	char *folder;
	int fd;
} eng_spool;
bool eng_spool_open(eng_spool *, const eng_conf *); /* false: logged */
enum eng_claim { ENG_CLAIMED, ENG_ELSEWHERE, ENG_DONE, ENG_FAULT };
/* *lock is open then. */
enum eng_claim eng_spool_claim(const eng_spool *, const char *id, int *lock);
bool eng_spool_keep(const eng_spool *, const char *id, const char *message, size_t n);
bool eng_spool_is_begun(const eng_spool *, const char *id); /* somebody had a worker for it */
int eng_spool_out(const eng_spool *, const char *id);       /* -1: logged */
char *eng_spool_path(const eng_spool *, const char *id, const char *kind);
bool eng_spool_read(const eng_spool *, const char *id, const char *kind, vt_buf *);
/* How far somebody came: notifications confirmed, times that the result was sent, when (seconds
 * since 1970; 0: it was refused), the api's clock when the task was prepared, and the trust that
 * was made for it; a file has that where it is too long. */
enum { ENG_TRUST_ROOM = 96 };
typedef struct eng_mark {
	uint64_t told, asked, asked_at, seen;
	char trust[ENG_TRUST_ROOM];
} eng_mark;
eng_mark eng_mark_read(int lock);
bool eng_mark_write(int lock, const eng_mark *); /* without a lock: true; false: logged */
/* answered: nobody runs it again; else nothing is left of it */
void eng_spool_end(const eng_spool *, const char *id, int lock, bool answered);
/* Calls for each task that stands there. */
void eng_spool_each(const eng_spool *, void (*)(void *ctx, const char *id), void *ctx);
void eng_spool_sweep(const eng_spool *); /* answers of yesterday */

/* ---- frames: between workers and the supervisor ---- */
/* GONE: a result, and nothing is left of the environment */
enum eng_frame {
	ENG_FRAME_NOTE = 'n',
	ENG_FRAME_RESULT = 'r',
	ENG_FRAME_GONE = 'g',
	ENG_FRAME_FAILURE = 'f'
};
enum { ENG_FRAME_HEAD = 5, ENG_FRAME_MAX = 256 << 20 };

/* ---- trust.c, catalogue.c, courier.c ---- */
const char *eng_auth_url(const eng_conf *); /* or NULL */
/* The process; it never returns. */
_Noreturn void eng_courier_main(const eng_conf *, int fd);

/* ---- host.c ---- */
enum { ENG_CORES = 2 /* io.murano and io.murano.applications */ };
typedef struct eng_packages {
	const char *const *file;
	uint32_t n;
	/* Those of them that stand for core libraries; the program goes without what does not
	 * compile. */
	const char *const *core;
	uint32_t ncores;
} eng_packages;
/* fd: to the supervisor. */
_Noreturn void eng_host_main(const eng_conf *, int fd, const eng_packages *);
/* How a worker ends that could not write what it did. */
enum { ENG_UNWRITTEN = 4 };
/* What the supervisor sends, with four descriptors: request, out, wake, lock. */
typedef struct eng_order {
	uint64_t number;
	bool deploys;
} eng_order;
enum { ENG_ORDER_FDS = 4 };
/* What a host says: 'R' ready, 'E' and why not, 'N' it has cc's program, 'P' a worker began, 'X'
 * one has ended. */
typedef struct eng_said {
	char what;
	int32_t pid, status;
	uint64_t number;
} eng_said;
enum { ENG_SAID_MAX = 64 << 10, ENG_HOST_DIED = -2 /* as a status */ };

/* ---- status.c ---- */
typedef struct eng_counts {
	uint64_t taken[3], ended[3], failed[3]; /* by enum eng_method */
	double seconds[3];
	uint32_t running, waiting, sending;
	uint64_t programs, programs_found, programs_native, reports, repeated, resumed, crashed,
		rejected;
	uint32_t hosts;
	double began;
	bool connected;
	uint32_t reconnections, queued;
} eng_counts;
int eng_status_listen(const eng_conf *); /* -1: not wanted, or logged */
void eng_status_answer(int listener, const eng_counts *);
/* A socket in the spool, for --status; *path malloc'd. */
int eng_control_listen(const eng_spool *, char **path);

#endif

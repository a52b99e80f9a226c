/*
 * supervisor.h - the tasks of an engine and its processes: between supervisor.c, task.c,
 * process.c and status.c.
 */
#ifndef VC_ENGINE_SUPERVISOR_H
#define VC_ENGINE_SUPERVISOR_H

#include "compiler/engine/int.h"

enum eng_state {
	ENG_LOCKED,    /* another process has it: tried again */
	ENG_PREPARING, /* the courier looks for its packages */
	ENG_HOSTING,   /* its program is compiled */
	ENG_RUNNING,   /* a worker has it */
	ENG_TELLING,   /* its result is there: reports, then the result, then its answer */
	ENG_ENDED,
};

typedef struct eng_note {
	char *text; /* the event, a NUL, the payload */
	size_t n;
	uint64_t sent; /* number at the broker; 0: not yet */
	bool confirmed;
} eng_note;

typedef struct eng_task {
	struct eng_task *next;
	uint64_t number;
	enum eng_state state;
	eng_request request;
	char *body; /* as it was delivered, for the spool; NULL: it stands there */
	size_t nbody;
	uint64_t epoch, tag; /* of its delivery; tag 0: there is none to acknowledge */
	double delivered, arrived, next_try;
	int lock, out, wake; /* -1: none */
	pid_t pid;
	struct eng_host *host;
	vt_value prepared; /* what the courier found; or VT_UNDEF */
	char *trust;       /* that was made for it; or NULL */
	bool gone;         /* nothing is left of the environment: its trust goes too */
	bool untrusting, untrusted;
	bool may_ask;  /* the result was not handled: it is sent again */
	bool checking; /* the courier asks whether its result was handled */
	int starts;    /* of workers */
	bool ran_out;  /* its time was over */
	uint64_t read_to;
	vt_buf log; /* a line of the worker that is not at its end */
	eng_note *notes;
	uint32_t nnotes;
	char *result; /* or NULL */
	size_t nresult;
	bool failed; /* of a call: result is a failure */
	eng_mark mark;
	char msg_id[33];
	double asked; /* when the result was sent last; 0: it was not */
	double pause, held_from;
} eng_task;

typedef struct eng_host {
	struct eng_host *next;
	char *key;
	pid_t pid;
	int fd;
	bool ready, old;
	double used;
	uint32_t users;
} eng_host;

typedef struct engine {
	const eng_start *start;
	eng_conf conf;
	vt_rt *rt;
	eng_broker *broker;
	eng_spool spool;
	eng_counts counts;
	enum eng_notify notify;
	eng_task *tasks;
	uint64_t numbers;
	eng_host *hosts;
	pid_t courier;
	int courier_fd;
	vt_buf courier_in;
	int signals, listener, control;
	char *control_path;
	bool stopping;
	double stop_at, next_connect, next_courier, next_scan, next_sweep;
	double hold, call_seconds, task_seconds, consumer_timeout;
} engine;

/* ---- task.c ---- */
void eng_take_delivery(void *engine, const char *body, size_t n, uint64_t tag, bool again);
void eng_take_reply(void *engine, const char *body, size_t n);
void eng_take_confirm(void *engine, uint64_t number, bool many, bool ok);
void eng_take_spooled(void *engine, const char *id);
/* The courier's answer; a value that the task may keep. */
void eng_task_prepared(engine *, eng_task *, vt_value answer);
void eng_task_prepare(engine *, eng_task *); /* asks the courier */
void eng_task_fail(engine *, eng_task *, const char *cls, const char *module, const char *message);
void eng_task_ended(engine *, eng_task *, int status); /* its worker has */
void eng_task_woken(engine *, eng_task *);             /* its worker has something to say */
/* What there is to do now; false: it has ended, and is to be dropped. */
bool eng_task_go_on(engine *, eng_task *);
void eng_task_drop(engine *, eng_task *);
void eng_tasks_reconnected(engine *);
eng_about eng_about_task(const eng_task *);

/* ---- when.c ---- */
enum { ENG_CALL_SECONDS = 15 };                         /* that a message of a call lives */
double eng_task_next(const engine *, const eng_task *); /* when there is something to do */
/* when murano-api may hear of it */
double eng_task_release(const engine *, const eng_task *);

/* ---- process.c ---- */
bool eng_courier_start(engine *);
void eng_courier_send(engine *, vt_buf *line); /* frees it */
void eng_courier_read(engine *);
void eng_host_want(engine *, eng_task *); /* finds or starts the one of its packages */
void eng_host_read(engine *, eng_host *);
void eng_hosts_trim(engine *, uint32_t most);
void eng_host_kill(eng_host *);
void eng_courier_retire(engine *); /* a new one has the new options */

/* ---- status.c ---- */
void eng_control_answer(const engine *);

#endif

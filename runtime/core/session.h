/*
 * session.h - a session: all that a running program has, each part a pointer that its room knows.
 */
#ifndef VT_CORE_SESSION_H
#define VT_CORE_SESSION_H

#include "vt.h"

#include "runtime/core/value.h"

#include <stdbool.h>

/* ---- session.c ---- */
typedef struct vt_session {
	vt_heap *heap;
	struct vt_shapes *shapes;
	vt_value exc;       /* pending EXC or VT_UNDEF */
	vt_value stashed;   /* Return of a Parallel branch */
	vt_class **classes; /* linked, by decl->index */
	struct vt_store *store;
	vt_value root;         /* root object, or VT_NULL */
	vt_value config;       /* {class FQN: {property: value}}, or VT_NULL */
	vt_value attributes;   /* {object id: {(class, key): value}}, or VT_NULL */
	vt_value objects_copy; /* ObjectsCopy as loaded, or VT_NULL */
	vt_value traces;       /* LIST: what trace() collected */
	struct vt_mock *mocks; /* testrun_mock.c */
	/* tuple: message, expected, observed of the last assertion that failed; or VT_UNDEF */
	vt_value mismatch;
	vt_dict *model_types;      /* ?.type as written -> TYPEREF; class.c */
	const char *expose;        /* glob of methods callable from outside, or NULL */
	struct vt_lua *lua;        /* lua/host.c, or NULL */
	struct vt_host_name *host; /* host.c, or NULL */
	struct vt_ordering *orderings;
	/* Compiles an expression for a function of the host; the code stays until the session ends.
	 * NULL: cannot. */
	vt_status (*compile)(vt_rt *, void *ctx, const vt_str *, const vt_code **out);
	void *compile_ctx;
	/* the host has functions with names of the registry; see vt_apply */
	bool host_hides;
	bool lua_unsafe; /* host code sees io, os, package, debug and load */
	/* limits of host code a call: instructions, bytes; 0: the defaults */
	uint64_t lua_steps, lua_memory;
	struct vt_linker *linker;            /* class.c */
	const vt_class_decl *const *natives; /* classes of the runtime: io.murano.Object ... */
	uint64_t next_id;
	struct vt_regex_cache *regexes; /* regex.c, or NULL */
	struct vt_batch *batch;         /* seq/lambda_table.c: those that nobody uses, or NULL */
	struct vt_sched *sched;         /* task.c, or NULL while there was one task only */
	bool virtual_time;
	int64_t began; /* when virtual time did, in nanoseconds since 1970 */
	int interrupt; /* the signal that ends the run; 0: none */
	/* protocol.c calls it when a call or the finalization has ended; false: what it does
	 * failed. NULL: nothing. */
	bool (*after_call)(vt_rt *, void *ctx);
	void *after_call_ctx;
	struct vt_cloud *cloud; /* cloud.h, or NULL while nothing asked for one */
	/* set with it: a session without a cloud does not link one */
	void (*cloud_drop)(struct vt_rt *);
	/* the same; joins what hosts left running: the end of a run */
	vt_status (*cloud_finish)(struct vt_rt *);
	bool cloud_busy;            /* it has something to do */
	struct vt_journal *journal; /* journal.c, or NULL */
	uint64_t drawn;             /* vt_draw: how often */
	bool draws;                 /* code of the program itself did */
	bool progress;              /* hosts tell on standard error what they do */
	bool dry_run;               /* the cloud is simulated */
	vt_value settings;          /* of hosts: {group: {name: value}}, or VT_NULL; cloud.h */
	vt_value scenario;          /* of the simulated cloud, or VT_NULL */
	vt_value effects[3];        /* LISTs by enum vt_effect_kind; VT_NULL: empty */
	uint32_t max_depth;         /* what rt->max_depth is without one */
	int64_t quota;              /* memoryQuota, in bytes as CPython counts them; 0: none */
} vt_session;

#endif

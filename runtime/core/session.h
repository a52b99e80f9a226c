/*
 * session.h - a session: all that a running program has, each part a pointer that its room knows.
 */
#ifndef VT_CORE_SESSION_H
#define VT_CORE_SESSION_H

#include "vt.h"

#include "runtime/core/args.h"
#include "runtime/core/value.h"

#include <stdbool.h>

/* What object/store.c and lua/host.c know of the running task.  The first task's is all zeroes. */
typedef struct vt_store_task {
	void *load;
	bool writes, dry;
} vt_store_task;
typedef struct vt_lua_task {
	void *running;
	const struct vt_args *frame;
	uint64_t steps;
	uint32_t nested;
} vt_lua_task;

/* What rooms below calls need of them; call/invoke.c has the one there is. */
/* How often a lambda program was not for what it got: seq/lambda_once.c. */
typedef struct vt_program_fails {
	const vt_lambda_program *program;
	uint32_t n;
} vt_program_fails;

/* A call of a row of the registry, ready to be made for values of the kinds in `tags`: those of the
 * call are v[0, n), a receiver first, and the row's defaults lie behind them. */
enum { VT_READY_VALUES = 25 };
typedef struct vt_ready_call {
	vt_args args;
	uint64_t tags; /* VT_TAG_BITS each, the first value's above the others' */
	vt_value (*quick)(vt_rt *, const vt_value *v); /* vt_fnrow.quick, where it is for them */
	uint32_t n;
	vt_value v[VT_READY_VALUES];
} vt_ready_call;

typedef struct vt_call_hooks {
	/* vt_invoke() of call.h */
	vt_status (*invoke)(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value self,
		uint32_t n, const vt_value *args, vt_value kwargs, vt_value *out);
	/* .init of an object that was made */
	vt_status (*init)(
		vt_rt *, const vt_method_decl *, vt_value self, vt_value kwargs, vt_value *out);
	/* a < b as YAQL's operator says, with overloads of the program */
	vt_status (*less)(vt_rt *, vt_scope *, const vt_unit *, vt_value a, vt_value b, bool *out);
	/* vt_binary() of vt.h */
	vt_status (*binary)(vt_rt *, vt_scope *, int op, const vt_site *, vt_value a, vt_value b,
		vt_value *out);
	/* vt_call() and vt_attr() of vt.h */
	vt_status (*call)(vt_rt *, vt_scope *, const vt_site *, vt_value recv, const vt_value *argv,
		vt_value *out);
	vt_status (*attr)(vt_rt *, vt_scope *, const vt_site *, vt_value, vt_value *out);
	vt_value (*learn)(vt_rt *, const vt_site *, vt_value); /* vt_attr_learn */
	/* Is the call at the site one that a cache knows for these values, and that takes them as
	 * they are?  It may be repeated while nothing else defines functions. */
	bool (*ready)(vt_rt *, vt_scope *, const vt_site *, vt_value recv, const vt_value *argv,
		vt_ready_call *);
} vt_call_hooks;

/* How inputs() and its like get at the documents. next: VT_UNDEF when there are no more. place: of
 * the document that was read last; the file is NULL when none was. */
struct vt_documents {
	vt_status (*next)(vt_rt *, void *ctx, vt_value *out);
	void (*place)(void *ctx, const char **file, unsigned long *line);
};

typedef struct vt_session {
	vt_heap *heap;
	struct vt_shapes *shapes;
	struct vt_shape *group_shape; /* lib/regex.c: of {value, start, end}; or NULL */
	vt_value exc;                 /* the pending exception or VT_UNDEF */
	vt_value stashed;             /* Return of a Parallel branch */
	vt_class **classes;           /* linked, by decl->index */
	struct vt_store *store;
	vt_store_task storing;             /* of the running task */
	vt_value spare;                    /* what a fold has made so far: see vt_fold_may_change */
	struct vt_merge_offer *offer;      /* what mergeWith() may change, or NULL: seq.h */
	const struct vt_call_hooks *calls; /* call/invoke.c: for the rooms below it */
	vt_value root;                     /* root object, or VT_NULL */
	vt_value config;                   /* {class FQN: {property: value}}, or VT_NULL */
	vt_value attributes;               /* {object id: {(class, key): value}}, or VT_NULL */
	vt_value objects_copy;             /* ObjectsCopy as loaded, or VT_NULL */
	vt_value kept;                     /* dict: what else of a model survives; or VT_NULL */
	vt_value traces;                   /* LIST: what trace() collected */
	struct vt_mock *mocks;             /* testrun_mock.c */
	/* tuple: message, expected, observed of the last assertion that failed; or VT_UNDEF */
	vt_value mismatch;
	vt_dict *model_types;             /* ?.type as written -> TYPEREF; class.c */
	const char *expose;               /* glob of methods callable from outside, or NULL */
	struct vt_lua *lua;               /* lua/host.c, or NULL */
	struct vt_host_name *host;        /* host.c, or NULL */
	struct vt_snake *snake;           /* convention.c, or NULL */
	uint8_t names_as;                 /* enum vt_names_as: what is registered from now on */
	struct vt_named_type *host_types; /* own.c, or NULL */
	vt_value applied_kw; /* while a function of the host is called as a value: its keywords */
	/* while a lambda of the host is called for a scope of the library's; borrowed, or NULL */
	const vt_scope *applied_in;
	struct vt_ordering *orderings;
	struct vt_scope *contexts; /* seq/context.c, or NULL */
	struct vt_places *places;  /* str.c, or NULL */
	struct vt_bigs *bigs;      /* const.c, or NULL */
	vt_value *etype_names;     /* exception.c, or NULL */
	struct vt_found *found;    /* call/resolve.c, or NULL */
	/* Compiles an expression for a function of the host; the code stays until the session ends.
	 * NULL: cannot. */
	vt_status (*compile)(vt_rt *, void *ctx, const vt_str *, const vt_code **out);
	void *compile_ctx;
	/* `vetro query`: the documents that are still to come; or NULL */
	const struct vt_documents *documents;
	void *documents_ctx;
	/* Names of def() in methods, constants that the functions have as they are; by place. */
	struct vt_def_name {
		const vt_str *name;
		const vt_unit *unit;
		uint8_t hides; /* enum vt_def_hides */
	} def_name[4];
	/* the host has functions with names of the registry; see vt_apply */
	bool host_hides;
	bool host_finalizes; /* one of them is #finalize: see qr_evaluate */
	bool lua_unsafe;     /* host code sees io, os, package, debug and load */
	/* limits of host code a call: instructions, bytes; 0: the defaults */
	uint64_t lua_steps, lua_memory;
	struct vt_linker *linker;            /* class.c */
	const vt_class_decl *const *natives; /* classes of the runtime: io.murano.Object ... */
	uint64_t next_id;
	struct vt_regex_cache *regexes; /* regex.c, or NULL */
	struct vt_batch *batch;         /* seq/lambda_program.c: those that nobody uses, or NULL */
	struct vt_lookups *lookups;     /* seq/lookup.c, or NULL */
	struct vt_unmade *unmade;       /* seq/unmade.c: of the pull that asks for it, or NULL */
	struct vt_pull_items *pull_items; /* seq/pull.c: those that nobody uses, or NULL */
	vt_program_fails fails[64];       /* by the program's address */
	struct vt_sched *sched;           /* task.c, or NULL while there was one task only */
	bool virtual_time;
	int64_t began;                     /* when virtual time did, in nanoseconds since 1970 */
	int interrupt;                     /* the signal that ends the run; 0: none */
	vt_status (*interrupted)(vt_rt *); /* raises what then unwinds the running task */
	/* protocol.c calls it when a call or the finalization has ended; false: what it does
	 * failed. NULL: nothing. */
	bool (*after_call)(vt_rt *, void *ctx);
	void *after_call_ctx;
	/* before a request, with its text, and before its answer is given; false: the session ends,
	 * which was reported.  NULL: nothing. */
	bool (*asked)(vt_rt *, void *ctx, const char *request, size_t n);
	bool (*answered)(vt_rt *, void *ctx);
	struct vt_cloud *cloud; /* cloud.h, or NULL while nothing asked for one */
	/* set with it: a session without a cloud does not link one */
	void (*cloud_drop)(struct vt_rt *);
	/* the same; joins what hosts left running: the end of a run */
	vt_status (*cloud_finish)(struct vt_rt *);
	bool cloud_busy;            /* it has something to do */
	bool cloud_left;            /* it could not be asked to take something down */
	struct vt_journal *journal; /* journal.c, or NULL */
	/* stamps of plans for agents: the newest of this run, and of runs before */
	int64_t stamp, stamp_before;
	/* with it: what vt_drawn() asks */
	vt_value (*drawn)(vt_rt *, vt_value fresh);
	/* told when a task begins to wait for the method of an object, which another task runs;
	 * `waits` is the innermost method that it is in itself, or NULL */
	void (*waits)(vt_rt *, const struct vt_hold *waits, const struct vt_hold *for_it);
	bool progress;       /* hosts report on standard error what they do, resources too */
	bool tells;          /* and what of that they know without asking for it */
	uint32_t events;     /* reported so far */
	double counts_from;  /* vt_clock() of the run; 0: seconds are not told */
	bool dry_run;        /* the cloud is simulated */
	vt_value settings;   /* of hosts: {group: {name: value}}, or VT_NULL; cloud.h */
	vt_value scenario;   /* of the simulated cloud, or VT_NULL */
	vt_value effects[4]; /* LISTs by enum vt_effect_kind; VT_NULL: empty */
	/* cloud.h: who hears notifications; NULL: nobody. The payload is borrowed. */
	void (*noticed)(vt_rt *, void *ctx, const char *event, vt_value payload, bool again);
	void *noticed_ctx;
	vt_value notices;       /* LIST of vt_keep_notice; VT_UNDEF: none was kept */
	struct vt_steps *steps; /* program/steps.c: what is counted and shown; or NULL */
	uint32_t max_depth;     /* what rt->max_depth is without one */
	struct vt_form *form;   /* form/evaluate.c: the one that runs, or NULL */
	int64_t quota;          /* memoryQuota, in bytes as CPython counts them; 0: none */
} vt_session;

/* ---- what the rest knows of Lua, by vt_linked: a program without Lua links none of it ---- */

typedef struct vt_lua_part {
	void (*want)(vt_rt *, const char *name);
	bool (*load)(vt_rt *, const char *text, size_t n, const char *chunk, char **err);
	bool (*has_methods)(vt_rt *, vt_value object);
	vt_status (*send)(vt_rt *, vt_value object, const char *name, uint32_t n,
		const vt_value *args, vt_value kwargs, vt_value *out);
	void (*free)(vt_rt *);
	void (*forget)(vt_rt *);
	const vt_class_decl *(*find_class)(vt_rt *, const char *fqn);
	void (*drain_traces)(vt_rt *);
	void (*switch_task)(vt_rt *, vt_lua_task *from, const vt_lua_task *to);
	void (*end_task)(vt_rt *, vt_lua_task *);
	void (*free_host)(vt_head *);
} vt_lua_part;
/* A name is looked up: loads the hooks that ship if they have it. */
static inline void
vt_lua_want(vt_rt *rt, const char *name)
{
	if (vt_linked.lua != NULL)
		vt_linked.lua->want(rt, name);
}
/* HOST objects that show their methods: those hide every other function. */
static inline bool
vt_lua_has_methods(vt_rt *rt, vt_value object)
{
	return vt_linked.lua != NULL && vt_linked.lua->has_methods(rt, object);
}
/* Only for what has methods. */
static inline vt_status
vt_lua_send(vt_rt *rt, vt_value object, const char *name, uint32_t n, const vt_value *args,
	vt_value kwargs, vt_value *out)
{
	return vt_linked.lua->send(rt, object, name, n, args, kwargs, out);
}
/* Closes the Lua state: before the store goes. */
static inline void
vt_lua_free(vt_rt *rt)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->free(rt);
}
/* Frees its rows and declarations: last of all. */
static inline void
vt_lua_forget(vt_rt *rt)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->forget(rt);
}
/* Methods that Lua supplies for a class, or NULL. */
static inline const vt_class_decl *
vt_lua_class(vt_rt *rt, const char *fqn)
{
	return vt_linked.lua != NULL ? vt_linked.lua->find_class(rt, fqn) : NULL;
}
/* Moves vetro.traces to session->traces. */
static inline void
vt_lua_drain_traces(vt_rt *rt)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->drain_traces(rt);
}
static inline void
vt_lua_switch(vt_rt *rt, vt_lua_task *from, const vt_lua_task *to)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->switch_task(rt, from, to);
	else if (from != NULL)
		*from = (vt_lua_task){0};
}
static inline void
vt_lua_task_end(vt_rt *rt, vt_lua_task *t)
{
	if (rt->s->lua != NULL)
		vt_linked.lua->end_task(rt, t);
}

#endif

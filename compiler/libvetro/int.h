/*
 * int.h - inside libvetro: libvetro.c (engines, queries, errors), program.c, shared.c, value.c,
 * host.c, context.c, object.c, member.c, library.c, tree.c, limit.c, yay.c.
 *
 * A vetro_value is the word of a vt_value, but NULL for VT_UNDEF and VT_NOVALUE.
 */
#ifndef LIBVETRO_INT_H
#define LIBVETRO_INT_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include "compiler/query/compile.h"
#include "compiler/libvetro/vetro.h"

#include <pthread.h>

enum { NOPTIONS = VETRO_CONVENTION + 1 };
enum { NCOMPILED = VETRO_DELEGATES + 1, NBUCKETS = 256 };

typedef struct lv_gap {
	uint32_t from, to; /* numbers of inline caches */
} lv_gap;

/* The code of one expression: program.c. */
typedef struct program {
	struct program *next;
	char *text;
	size_t n;
	uint64_t hash;
	int64_t opt[NCOMPILED]; /* options it was compiled with */
	uint32_t layers;        /* functions it sees: VT_L_* */
	const yq_operators *operators;
	vetro_shared *shared; /* whose operators these are, held; or NULL */
	qc *code;
	const vt_code *body;
	lv_gap ics;
	uint32_t holders;              /* queries */
	bool idle;                     /* in the list of those that nobody holds */
	bool pinned;                   /* values may refer to its code */
	struct program *older, *newer; /* of that list */
} program;

typedef struct watch watch;

struct vetro_engine {
	vt_rt *rt;
	int64_t opt[NOPTIONS];
	/* The table of the host, or NULL; earlier ones stay, for code that was made with them. */
	yq_operators **operators;
	size_t noperators;
	program *programs[NBUCKETS]; /* by hash */
	program *newest, *oldest;    /* those that nobody holds */
	uint32_t nidle;
	lv_gap *gap; /* numbers of inline caches that are free again */
	uint32_t ngaps, gaps_room;
	qc_keep keep;
	int64_t coded_by_host; /* values that refer to code, made and freed by functions in C */
	uint64_t escapes;      /* how often one was given to such a function */
	bool own_operators;    /* the host has functions with names of operators */
	bool has_lua;
	vt_seed seed;        /* of that hash */
	uint32_t nics, room; /* inline caches: taken, and those that rt->ic has */
	uint32_t running;    /* evaluations and calls that are going on, one in another */
	program *current;    /* the innermost of them: gives vetro.expr() its options */
	watch *watch;        /* or NULL */
	pthread_t thread;    /* whose stack `stack` is */
	const char *stack;   /* its lowest address; NULL before the first evaluation */
	vt_unit unit;        /* of calls of the library's functions: library.c */
};

struct vetro_error {
	qr_error e;
	struct lv_place {
		char *file;
		uint32_t line, col;
	} * place; /* malloc'd; or NULL */
	size_t nplaces;
	vetro_value value; /* owned, or NULL */
	char *token;       /* of a parse error: malloc'd, NULL at the end */
	size_t at;
	bool has_token;
};

static inline vt_value
word(vetro_value v)
{
	return v == NULL ? VT_UNDEF : (vt_value)(uintptr_t)v;
}
static inline vetro_value
handle(vt_value v)
{
	return v == VT_UNDEF || v == VT_NOVALUE ? NULL : (vetro_value)(uintptr_t)v;
}

/* Around everything that runs code of expressions. */
void lv_enter(vetro_engine *);
void lv_leave(vetro_engine *);
/* Gives *err the pending exception. With err NULL it stays for the function that is being called,
 * or goes. */
void lv_fail(vetro_engine *, vetro_error **err);
/* Makes *err of what has been filled, or forgets that where err is NULL. The new error, or NULL. */
vetro_error *lv_take_error(vetro_error **err, qr_error *);
/* The stack that is left to this thread, as far as it may be used. */
size_t lv_stack_left(vetro_engine *);
void lv_error(vetro_error **err, const char *type, const char *format, ...) VT_PRINTF(3, 4);
size_t lv_length(const char *, size_t n); /* resolves VETRO_ZSTR */
/* Room for so many more inline caches than are taken. */
enum { LV_SPARE_ICS = 4096 };
void lv_make_room(vetro_engine *, uint32_t spare);

/* ---- program.c ---- */

void lv_programs_new(vetro_engine *);
void lv_programs_free(vetro_engine *); /* after the session */
/* The program of the text with these options; NULL with the error filled. */
typedef struct lv_source {
	const char *text;
	size_t n;
	const int64_t *opt; /* NCOMPILED of them */
	uint32_t layers;    /* VT_L_* */
	const yq_operators *operators;
	vetro_shared *shared; /* whose operators these are; or NULL */
	qc_module *module;    /* what sessions have in common of it; or NULL */
} lv_source;
/* An evaluation below the scope of a context; NULL: below none. */
vetro_value lv_evaluate(
	vetro_query *, vetro_value data, vetro_value vars, vt_scope *context, vetro_error **);
program *lv_program_get(vetro_engine *, const lv_source *, qr_error *);
qr_request lv_request(const lv_source *);
/* The functions that expressions of the engine see now: VT_L_*. */
uint32_t lv_layers(const vetro_engine *);
const yq_operators *lv_operators(const vetro_engine *);
void lv_program_hold(vetro_engine *, program *);
void lv_program_drop(vetro_engine *, program *);
/* Around an evaluation: what it leaves behind. */
typedef struct lv_mark {
	int64_t coded;
	uint64_t escapes;
} lv_mark;
lv_mark lv_mark_of(const vetro_engine *);
void lv_program_ran(const vetro_engine *, program *, lv_mark);

/* ---- shared.c ---- */

/* The query of an engine with one more holder of the program. */
vetro_query *lv_query_new(vetro_engine *, program *);
const program *lv_query_program(const vetro_query *);
vetro_shared *lv_shared_hold(vetro_shared *);

/* ---- host.c ---- */

struct vetro_call {
	vetro_engine *engine;
	const struct vt_args *args;
};
/* A row of the engine (table NULL) or of the table of a context. */
int lv_register(vetro_engine *, void **table, uint8_t names_as, const char *name,
	const char *params, unsigned flags, vetro_function *, void *user, void (*drop)(void *),
	vetro_error **);

/* ---- library.c ---- */

/* The engine's options as rows look at them. */
const vt_unit *lv_unit(vetro_engine *);

bool lv_check_text(const char *, size_t n, int64_t most, qr_error *);

/* In the aux word of a tuple or a frozen dict, which has no other use for it: all below it is in
 * the form that the conversion of input makes. */
enum { LV_PREPARED = 0x7670 };
extern const vt_unit lv_plain; /* of values as JSON has them */
bool lv_is_prepared(vt_value);

/* Adds NUL; *len unless NULL is the length without it. */
char *lv_text(vt_buf *, size_t *len);

/* limit.c: from watch_start to watch_stop rt->max_depth may fall to 0, which ends whatever
 * runs. */
watch *lv_watch_new(vt_rt *);
void lv_watch_free(watch *);
void lv_watch_start(watch *, int64_t milliseconds);
bool lv_watch_stop(watch *); /* was the time over? */
bool lv_watch_over(watch *);

#endif

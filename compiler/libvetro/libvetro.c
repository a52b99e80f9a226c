/*
 * libvetro.c - engines, queries and errors of libvetro; vetro.h says what each function is to its
 * users.
 *
 * An engine is one session of the runtime whose expressions join it one after another, as those
 * that functions of the host bring to `vetro query` do; program.c keeps their code.
 *
 * Invariants: rt->ic does not move while something runs.  Outside of lv_enter and
 * lv_leave no exception is pending, but between a failed call with err NULL and the return of
 * the function that made it.
 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "compiler/libvetro/int.h"
#include "compiler/libvetro/vetro_host.h"
#include "runtime/core/printable.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ICS = 16384 };
enum { MOST_DEPTH = 2000, MOST_JSON_DEPTH = 10000 };
#if defined(__SANITIZE_ADDRESS__)
enum { STACK_PER_CALL = 96 * 1024 };
#else
enum { STACK_PER_CALL = 24 * 1024 };
#endif
enum { STACK_RESERVE = 512 * 1024, STACK_UNKNOWN = 256 * 1024 };

const char *
vetro_version(void)
{
	return VETRO_VERSION;
}

size_t
lv_length(const char *s, size_t n)
{
	return n == VETRO_ZSTR ? strlen(s) : n;
}

char *
lv_text(vt_buf *b, size_t *len)
{
	if (len != NULL)
		*len = b->n;
	vt_buf_putc(b, '\0');
	return b->p;
}

void
vetro_free_text(char *text)
{
	free(text);
}

/* ---- errors --------------------------------------------------------------------------------- */

static vetro_error *
new_error(vetro_error **err)
{
	*err = vt_xmalloc(sizeof **err);
	**err = (vetro_error){0};
	return *err;
}

void
lv_error(vetro_error **err, const char *type, const char *format, ...)
{
	vt_buf b = {NULL, 0, 0};
	va_list ap;

	if (err == NULL)
		return;
	va_start(ap, format);
	vt_buf_vmessage(&b, format, ap);
	va_end(ap);
	vt_buf_repair(&b);
	vt_buf_putc(&b, '\0');
	qr_error_set(&new_error(err)->e, type, 0, 0, b.p);
	vt_buf_free(&b);
}

void
lv_fail(vetro_engine *e, vetro_error **err)
{
	vt_value carried;
	char *type;

	if (err == NULL) {
		if (e->running == 0)
			vt_exc_clear(e->rt);
		return;
	}
	carried = vt_pending(e->rt) ? vt_copy(vt_pending(e->rt)->arg) : VT_UNDEF;
	type = vt_pending(e->rt) ? vt_xstrdup(vt_exc_raised_type(vt_pending(e->rt))) : NULL;
	qr_take_exception(e->rt, &new_error(err)->e);
	(*err)->value = handle(carried);
	if (type != NULL) {
		free((*err)->e.type);
		(*err)->e.type = type;
	}
}

vetro_error *
lv_take_error(vetro_error **err, qr_error *failed)
{
	if (err == NULL) {
		qr_error_free(failed);
		return NULL;
	}
	new_error(err)->e = *failed;
	return *err;
}

const char *
vetro_error_type(const vetro_error *e)
{
	return e->e.type;
}

const char *
vetro_error_class(const vetro_error *e)
{
	return vt_fqn_of_class(e->e.type);
}

const char *
vetro_error_message(const vetro_error *e)
{
	return e->e.message;
}

unsigned
vetro_error_line(const vetro_error *e)
{
	return e->e.line;
}

unsigned
vetro_error_column(const vetro_error *e)
{
	return e->e.col;
}

void
vetro_error_free(vetro_error *e)
{
	if (e == NULL)
		return;
	qr_error_free(&e->e);
	for (size_t i = 0; i < e->nplaces; i++)
		free(e->place[i].file);
	free(e->place);
	free(e->token);
	vetro_unref(e->value);
	free(e);
}

/* ---- engines -------------------------------------------------------------------------------- */

static vt_status join(vt_rt *, void *, const vt_str *, const vt_code **);

vetro_engine *
vetro_engine_new(void)
{
	static const int64_t defaults[NOPTIONS] = {
		[VETRO_LIMIT_ITERATORS] = -1,
		[VETRO_MEMORY_QUOTA] = -1,
		[VETRO_TUPLES_TO_LISTS] = 1,
		[VETRO_CONVERT_INPUT] = 1,
		[VETRO_CONVERT_OUTPUT] = 1,
		[VETRO_EXPRESSION_SIZE] = 256 << 10,
		[VETRO_JSON_DEPTH] = 1000,
		[VETRO_LUA_STEPS] = 200 * 1000 * 1000,
		[VETRO_LUA_MEMORY] = 256 << 20,
		[VETRO_YAY_STEPS] = 50 * 1000 * 1000,
		[VETRO_YAY_TEXT] = 64 << 20,
		[VETRO_GROUP_BY_FALLBACK] = 1,
	};
	vetro_engine *e = vt_xzalloc(sizeof *e);
	memcpy(e->opt, defaults, sizeof defaults);
	e->seed = vt_seed_new();
	e->rt = vt_rt_new(NULL);
	e->rt->s->compile = join;
	e->rt->s->compile_ctx = e;
	lv_programs_new(e);
	return e;
}

void
vetro_engine_free(vetro_engine *e)
{
	if (e == NULL)
		return;
	lv_watch_free(e->watch);
	vt_rt_free(e->rt);
	lv_programs_free(e);
	free(e);
}

static bool
in_range(vetro_option o, int64_t v)
{
	switch (o) {
	case VETRO_LIMIT_ITERATORS:
	case VETRO_MEMORY_QUOTA: return v >= -1;
	case VETRO_TUPLES_TO_LISTS:
	case VETRO_SETS_TO_LISTS:
	case VETRO_ITERABLE_DICTS:
	case VETRO_CONVERT_INPUT:
	case VETRO_CONVERT_OUTPUT:
	case VETRO_LEGACY:
	case VETRO_DELEGATES:
	case VETRO_LEGACY_FUNCTIONS:
	case VETRO_DELEGATE_FUNCTIONS:
	case VETRO_GROUP_BY_FALLBACK:
	case VETRO_LUA_UNSAFE: return v == 0 || v == 1;
	case VETRO_CONVENTION: return v >= 0 && v <= VETRO_PYTHON_NAMES;
	case VETRO_LEFT_OUT: return v >= 0 && v < 2 * VETRO_GROUP_DATETIME;
	case VETRO_EXPRESSION_SIZE: return v > 0 && v <= INT32_MAX;
	case VETRO_TIME_LIMIT: return v >= 0 && v <= INT32_MAX;
	case VETRO_JSON_DEPTH: return v > 0 && v <= MOST_JSON_DEPTH;
	case VETRO_LUA_STEPS:
	case VETRO_LUA_MEMORY:
	case VETRO_YAY_STEPS:
	case VETRO_YAY_TEXT: return v > 0;
	}
	return false;
}

int
vetro_engine_set(vetro_engine *e, vetro_option o, int64_t v)
{
	if (!in_range(o, v))
		return -1;
	e->opt[o] = v;
	e->rt->s->names_as = (uint8_t)e->opt[VETRO_CONVENTION];
	if ((o == VETRO_LEFT_OUT && v != 0) || (o == VETRO_CONVENTION && v == VETRO_PYTHON_NAMES))
		e->rt->s->host_hides = true; /* no way around the functions from now on */
	e->rt->s->lua_steps = (uint64_t)e->opt[VETRO_LUA_STEPS];
	e->rt->s->lua_memory = (uint64_t)e->opt[VETRO_LUA_MEMORY];
	e->rt->s->lua_unsafe = e->opt[VETRO_LUA_UNSAFE] != 0;
	return 0;
}

int64_t
vetro_engine_get(const vetro_engine *e, vetro_option o)
{
	return (unsigned)o < NOPTIONS ? e->opt[o] : INT64_MIN;
}

/* ---- what surrounds code that runs ------------------------------------------------------- */

/* The lowest address of this thread's stack; NULL when it cannot be known. */
static const char *
stack_end(void)
{
	pthread_attr_t attr;
	void *lowest = NULL;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return NULL;
	if (pthread_attr_getstack(&attr, &lowest, &size) != 0)
		lowest = NULL;
	pthread_attr_destroy(&attr);
	return lowest;
}

/* What is left of this thread's stack. A caller that brought a stack of his own (coroutines) gets a
 * careful guess. */
static size_t
stack_left(vetro_engine *e)
{
	const char *here = __builtin_frame_address(0);

	if (e->stack == NULL || !pthread_equal(e->thread, pthread_self())) {
		e->thread = pthread_self();
		e->stack = stack_end();
	}
	return e->stack != NULL && here > e->stack ? (size_t)(here - e->stack) : STACK_UNKNOWN;
}

size_t
lv_stack_left(vetro_engine *e)
{
	size_t left = stack_left(e);

	return left - (left / 4 < STACK_RESERVE ? left / 4 : STACK_RESERVE);
}

/* How deep calls may nest there. */
static uint32_t
depth_here(vetro_engine *e)
{
	size_t n = lv_stack_left(e) / STACK_PER_CALL;

	return n > MOST_DEPTH ? MOST_DEPTH : (uint32_t)n;
}

void
lv_make_room(vetro_engine *e, uint32_t spare)
{
	uint32_t room = e->room ? e->room : FIRST_ICS;
	vt_ic *ic;

	while (room < e->nics + spare)
		room *= 2;
	if (room == e->room)
		return;
	ic = calloc(room, sizeof *ic);
	if (ic == NULL)
		ic = vt_xmalloc(SIZE_MAX); /* ends the process as any lack of memory does */
	if (e->room)
		memcpy(ic, e->rt->ic, e->room * sizeof *ic);
	free(e->rt->ic);
	e->rt->ic = ic;
	e->room = room;
}

void
lv_enter(vetro_engine *e)
{
	if (e->running++ > 0)
		return;
	vt_exc_clear(e->rt);
	lv_make_room(e, LV_SPARE_ICS);
	e->rt->max_depth = depth_here(e);
	if (e->opt[VETRO_TIME_LIMIT] == 0)
		return;
	if (e->watch == NULL)
		e->watch = lv_watch_new(e->rt);
	if (e->watch != NULL)
		lv_watch_start(e->watch, e->opt[VETRO_TIME_LIMIT]);
}

/* The watch took the depth away, so what is pending says that calls nest too deep. */
static void
report_timeout(vetro_engine *e)
{
	static const char message[] = "the evaluation took longer than the time limit allows";

	if (vt_pending(e->rt) == NULL)
		return;
	vt_exc_clear(e->rt);
	(void)vt_host_raise(e->rt, "TimeoutError", message, sizeof message - 1);
}

void
lv_leave(vetro_engine *e)
{
	bool outermost = --e->running == 0;

	if (e->watch != NULL && (outermost ? lv_watch_stop(e->watch) : lv_watch_over(e->watch)))
		report_timeout(e);
}

/* ---- queries -------------------------------------------------------------------------------- */

const yq_operators *
lv_operators(const vetro_engine *e)
{
	return e->noperators ? e->operators[e->noperators - 1] : NULL;
}

static const char *
type_of_refusal(const char *why)
{
	if (strcmp(why, YQ_NO_OPERATOR) == 0)
		return "ValueError";
	return strcmp(why, YQ_TWO_OPERATORS) == 0 ? "InvalidOperatorTableException" : "UsageError";
}

/* From now on this is the table, unless there is a reason why not. */
static int
take_operators(
	vetro_engine *e, yq_operators *made, const char *why, const char *symbol, vetro_error **err)
{
	if (why != NULL) {
		lv_error(err, type_of_refusal(why), "%s: %s", symbol != NULL ? symbol : "", why);
		yq_operators_free(made);
		return -1;
	}
	e->operators = vt_xrealloc(e->operators, (e->noperators + 1) * sizeof *e->operators);
	e->operators[e->noperators++] = made;
	return 0;
}

int
vetro_insert_operator(vetro_engine *e, const char *existing, int binary, const char *symbol,
	vetro_operator_kind kind, int level, const char *alias, vetro_error **err)
{
	yq_operators *made = yq_operators_new(lv_operators(e));
	const char *why = e->running > 0 ? "operators cannot be added during an evaluation"
			  : symbol == NULL || (unsigned)kind > VETRO_BINARY_RIGHT
				  ? "an operator needs a symbol and a kind"
				  : yq_operators_insert(made, existing, binary, symbol,
					    (enum yq_fixity)kind, level, alias);

	return take_operators(
		e, made, why, why && !strcmp(why, YQ_NO_OPERATOR) ? existing : symbol, err);
}

int
vetro_keyword_operator(vetro_engine *e, const char *symbol, vetro_error **err)
{
	yq_operators *made = yq_operators_new(lv_operators(e));
	const char *why = e->running > 0 ? "operators cannot be changed during an evaluation"
			  : e->opt[VETRO_LEGACY] ? "the older dialect has no operator of keywords"
						 : yq_operators_keyword(made, symbol);

	return take_operators(e, made, why, symbol, err);
}

struct vetro_query {
	vetro_engine *engine;
	program *program; /* which stays as long as the query does */
};

vetro_query *
lv_query_new(vetro_engine *e, program *p)
{
	vetro_query *q = vt_xmalloc(sizeof *q);

	*q = (vetro_query){e, p};
	lv_program_hold(e, p);
	return q;
}

const program *
lv_query_program(const vetro_query *q)
{
	return q->program;
}

vetro_query *
vetro_compile(vetro_engine *e, const char *text, size_t n, vetro_error **err)
{
	qr_error failed = {.type = NULL};
	lv_source s = {.text = text,
		.n = lv_length(text, n),
		.opt = e->opt,
		.layers = lv_layers(e),
		.operators = lv_operators(e)};
	program *p = lv_program_get(e, &s, &failed);

	if (p == NULL) {
		(void)lv_take_error(err, &failed);
		return NULL;
	}
	return lv_query_new(e, p);
}

void
vetro_query_free(vetro_query *q)
{
	if (q == NULL)
		return;
	lv_program_drop(q->engine, q->program);
	free(q);
}

/* Expressions that Lua brings get the options of the one that runs. */
static vt_status
join(vt_rt *rt, void *ctx, const vt_str *text, const vt_code **out)
{
	vetro_engine *e = ctx;
	qr_error failed = {.type = NULL};
	lv_source s = {.text = text->s,
		.n = text->bytes,
		.opt = e->opt,
		.layers = lv_layers(e),
		.operators = lv_operators(e)};
	program *p;

	if (e->current != NULL) {
		s.opt = e->current->opt;
		s.layers = e->current->layers;
		s.operators = e->current->operators;
		s.shared = e->current->shared;
	}
	p = lv_program_get(e, &s, &failed);
	if (p != NULL) {
		p->pinned = true; /* how long the runtime has the code is not known */
		*out = p->body;
		return VT_OK;
	}
	(void)vt_host_raise(rt, failed.type, failed.message, strlen(failed.message));
	qr_error_free(&failed);
	return VT_ERROR;
}

/* ---- documents ------------------------------------------------------------------------------ */

/* Dates, timespans, regular expressions, objects: the conversion leaves them as they are. */
static bool
is_left_alone(vt_value v)
{
	const uint64_t kinds = UINT64_C(1) << VT_K_DATETIME | UINT64_C(1) << VT_K_TIMESPAN |
			       UINT64_C(1) << VT_K_REGEX | UINT64_C(1) << VT_K_HOST;

	return kinds >> vt_head_of(v)->kind & 1;
}

bool
lv_is_prepared(vt_value v)
{
	return !vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR || is_left_alone(v) ||
	       ((vt_is(v, TUPLE) || vt_is(v, DICT)) && vt_head_of(v)->aux == LV_PREPARED);
}

static vt_value
prepared(vt_value v)
{
	if (vt_is(v, TUPLE) || vt_is(v, DICT))
		vt_head_of(v)->aux = LV_PREPARED;
	return v;
}

/* The reader's message begins with the place. */
static void
json_error(vetro_error **err, const char *message)
{
	unsigned line = 0, col = 0;
	int at = 0;

	if (err == NULL)
		return;
	if (sscanf(message, "line %u column %u: %n", &line, &col, &at) < 2)
		line = col = 0, at = 0;
	qr_error_set(&new_error(err)->e, "ValueError", line, col, message + at);
}

vetro_value
vetro_parse_json(vetro_engine *e, const char *json, size_t n, vetro_error **err)
{
	bool convert = e->opt[VETRO_CONVERT_INPUT];
	char *message = NULL;
	vt_value v = VT_UNDEF;

	if (vt_json_read(e->rt, json, lv_length(json, n), convert ? 0 : VT_JSON_MUTABLE,
		    (uint32_t)e->opt[VETRO_JSON_DEPTH], &v, &message))
		return handle(convert ? prepared(v) : v);
	json_error(err, message != NULL ? message : "not JSON");
	free(message);
	return NULL;
}

vetro_value
vetro_prepare(vetro_engine *e, vetro_value given, vetro_error **err)
{
	vt_value v = VT_UNDEF;
	vt_status st;

	if (given == NULL) {
		lv_error(err, "UsageError", "there is no value to prepare");
		return NULL;
	}
	if (lv_is_prepared(word(given)))
		return vetro_ref(given);
	lv_enter(e);
	st = vt_convert_input(e->rt, NULL, word(given), &v);
	lv_leave(e);
	if (st == VT_OK)
		return handle(prepared(v));
	lv_fail(e, err);
	return NULL;
}

static int
json_flags(unsigned flags)
{
	return (flags & VETRO_PRETTY ? VT_JSON_PRETTY : 0) |
	       (flags & VETRO_SORT_KEYS ? VT_JSON_SORT : 0) |
	       (flags & VETRO_ASCII ? VT_JSON_ASCII : 0);
}

static char *
write_value(vetro_engine *e, vt_value v, unsigned flags, size_t *len)
{
	vt_buf b = {NULL, 0, 0};

	vt_json_write(e->rt, &b, v, json_flags(flags));
	return lv_text(&b, len);
}

const vt_unit lv_plain = {.layers = VT_L_STD,
	.opt = {.limit_iterators = -1,
		.memory_quota = -1,
		.tuples_to_lists = 1,
		.sets_to_lists = 1}};

char *
vetro_write_json(vetro_engine *e, vetro_value v, unsigned flags, size_t *len, vetro_error **err)
{
	vt_value made = VT_UNDEF;
	vt_status st;
	char *text;

	if (v == NULL) {
		lv_error(err, "UsageError", "there is no value to write");
		return NULL;
	}
	if (lv_is_prepared(word(v)))
		return write_value(e, word(v), flags, len);
	lv_enter(e);
	st = vt_convert_output(e->rt, &lv_plain, word(v), &made);
	lv_leave(e);
	if (st != VT_OK) {
		lv_fail(e, err);
		return NULL;
	}
	text = write_value(e, made, flags, len);
	vt_release(made);
	return text;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

static vt_status
evaluate(vetro_query *q, vt_value data, vt_value vars, vt_scope *context, vt_value *out)
{
	vetro_engine *e = q->engine;
	program *before = e->current;
	int64_t quota = e->rt->s->quota;
	lv_mark mark;
	vt_status st;

	lv_enter(e);
	mark = lv_mark_of(e);
	e->current = q->program;
	st = qr_evaluate(e->rt, q->program->body, data, data == VT_UNDEF || lv_is_prepared(data),
		vars, context, out);
	e->current = before;
	e->rt->s->quota = quota;
	lv_program_ran(e, q->program, mark);
	lv_leave(e);
	return st;
}

static bool
check_vars(vetro_value vars, vetro_error **err)
{
	if (vars == NULL || vt_is(word(vars), DICT))
		return true;
	lv_error(err, "UsageError", "the variables are no dict");
	return false;
}

vetro_value
lv_evaluate(
	vetro_query *q, vetro_value data, vetro_value vars, vt_scope *context, vetro_error **err)
{
	vt_value out = VT_UNDEF;

	if (!check_vars(vars, err))
		return NULL;
	if (evaluate(q, word(data), word(vars), context, &out) == VT_OK)
		return handle(out);
	lv_fail(q->engine, err);
	return NULL;
}

vetro_value
vetro_evaluate(vetro_query *q, vetro_value data, vetro_value vars, vetro_error **err)
{
	return lv_evaluate(q, data, vars, NULL, err);
}

char *
vetro_evaluate_json(vetro_query *q, const char *json, size_t n, vetro_value vars, unsigned flags,
	size_t *len, vetro_error **err)
{
	vetro_value data = vetro_parse_json(q->engine, json, n, err), result;
	char *text;

	if (data == NULL)
		return NULL;
	result = vetro_evaluate(q, data, vars, err);
	vetro_unref(data);
	if (result == NULL)
		return NULL;
	if (q->program->body->unit->opt.convert_output && !q->engine->rt->s->host_finalizes)
		text = write_value(q->engine, word(result), flags, len);
	else
		text = vetro_write_json(q->engine, result, flags, len, err);
	vetro_unref(result);
	return text;
}

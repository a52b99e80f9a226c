/*
 * run.c - runs a compiled YAQL expression: requests and documents in, values out.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"
#include "runtime/core/diag.h"

#include "compiler/query/run_int.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE_ICS = 4096 };

const qr_options qr_default_options = {
	.limit_iterators = -1,
	.memory_quota = -1,
	.tuples_to_lists = true,
	.convert_input = true,
	.convert_output = true,
};

/* ---- errors ------------------------------------------------------------------------------ */

void
qr_error_set(qr_error *e, const char *type, uint32_t line, uint32_t col, const char *message)
{
	enum vt_diag code = !strcmp(type, "CompilerError")   ? VT_E0903
			    : !strcmp(type, "InternalError") ? VT_E0901
			    : !strcmp(type, "RequestError")  ? VT_E4021
							     : vt_diag_of_class(type);

	*e = (qr_error){vt_xstrdup(type), vt_xstrdup(message), line, col, (uint16_t)code};
}

bool
qr_fail(qr_error *e, const char *type, const char *message)
{
	qr_error_set(e, type, 0, 0, message);
	return false;
}

void
qr_error_free(qr_error *e)
{
	free(e->type);
	free(e->message);
	*e = (qr_error){.type = NULL};
}

static void
put_place(vt_buf *b, const char *name, uint32_t n)
{
	if (n)
		vt_buf_printf(b, ",\"%s\":%u", name, n);
	else
		vt_buf_printf(b, ",\"%s\":null", name);
}

char *
qr_error_json(const qr_error *e)
{
	vt_buf b = {NULL, 0, 0};

	vt_buf_puts(&b, "{\"error\":{\"type\":");
	vt_json_str(&b, e->type, strlen(e->type));
	vt_buf_puts(&b, ",\"message\":");
	vt_json_str(&b, e->message, strlen(e->message));
	put_place(&b, "line", e->line);
	put_place(&b, "col", e->col);
	vt_buf_puts(&b, "}}");
	vt_buf_putc(&b, 0);
	return b.p;
}

/* ---- sessions ---- */

qr *
qr_open(void)
{
	qr *q = vt_xmalloc(sizeof *q);

	vt_big_own_memory();
	*q = (qr){.rt = vt_rt_new(NULL),
		.request = VT_UNDEF,
		.data = VT_UNDEF,
		.vars = VT_UNDEF,
		.own = VT_UNDEF,
		.all = VT_UNDEF,
		.acc = VT_UNDEF,
		.texts = VT_UNDEF};
	return q;
}

void
qr_close(qr *q)
{
#ifndef VT_DEBUG
	/* only memory of the heap, which goes as a whole: no walk through a large document */
	if (q->converted)
		q->data = VT_UNDEF;
#endif
	vt_clear(&q->data);
	vt_clear(&q->request);
	vt_clear(&q->own);
	vt_clear(&q->all);
	vt_clear(&q->acc);
	vt_clear(&q->texts);
	vt_rt_free(q->rt);
	free(q);
}

bool
qr_lua(qr *q, const char *text, size_t n, const char *name, qr_error *e)
{
	char *message = NULL;

	if (vt_lua_load(q->rt, text, n, name, &message))
		return true;
	qr_error_set(e, "LuaError", 0, 0, message ? message : "the Lua file failed");
	free(message);
	return false;
}

/* ---- requests ---- */

static bool
read_json(qr *q, const char *text, size_t n, int flags, vt_value *out, qr_error *e)
{
	char *message = NULL;
	bool ok;

	if (vt_json_read(q->rt, text, n, flags, 0, out, &message))
		return true;
	ok = qr_fail(e, "RequestError", message ? message : "not JSON");
	free(message);
	return ok;
}

bool
qr_data(qr *q, const char *json, size_t n, bool tagged, bool convert, qr_error *e)
{
	int flags = tagged ? VT_JSON_MUTABLE | VT_JSON_TAGGED : convert ? 0 : VT_JSON_MUTABLE;

	q->converted = flags == 0;
	return read_json(q, json, n, flags, &q->data, e);
}

/* ---- documents ---- */

/* The document, which is the caller's from here on. */
static vt_value
take_data(qr *q)
{
	vt_value v = q->data;

	q->data = VT_UNDEF;
	return v;
}

bool
qr_document(qr *q, const char *json, size_t n, bool convert, size_t *used, qr_error *e)
{
	char *message = NULL;
	const char *why;
	unsigned line = 0, col = 0;
	int skip = 0;

	qr_forget(q);
	q->converted = convert;
	if (vt_json_read_prefix(
		    q->rt, json, n, convert ? 0 : VT_JSON_MUTABLE, 0, &q->data, used, &message))
		return true;
	why = message ? message : "not JSON";
	if (sscanf(why, "line %u column %u: %n", &line, &col, &skip) == 2 && skip)
		why += skip;
	qr_error_set(e, "RequestError", line, col, why);
	free(message);
	return false;
}

void
qr_text(qr *q, const char *text, size_t n)
{
	qr_forget(q);
	q->converted = true;
	q->data = vt_str_new(q->rt, text, n);
}

bool
qr_read_aside(qr *q, bool (*read)(void *), void *ctx, uint64_t *out)
{
	vt_value kept = take_data(q), v;
	bool converted = q->converted;
	const vt_unit *u = q->rt->program->query->unit;
	vt_status st = VT_OK;

	*out = v = VT_UNDEF;
	q->aside = true;
	if (read(ctx))
		v = take_data(q);
	q->aside = false;
	if (v != VT_UNDEF && u->opt.convert_input && !q->converted) {
		st = vt_convert_input(q->rt, u, v, out);
		vt_release(v);
	} else
		*out = v;
	vt_clear(&q->data);
	q->data = kept;
	q->converted = converted;
	return st == VT_OK;
}

void
qr_documents(qr *q, const struct vt_documents *from, void *ctx)
{
	q->rt->s->documents = from;
	q->rt->s->documents_ctx = ctx;
}

void
qr_forget(qr *q)
{
	vt_clear(&q->data);
	if (!q->aside)
		vt_orderings_break(q->rt);
}

void
qr_collect(qr *q)
{
	if (q->all == VT_UNDEF) {
		q->all = vt_mkptr(vt_list_grow(q->rt, VT_K_TUPLE, 16));
		q->all_converted = true;
	}
	q->all_converted &= q->converted;
	vt_list_push(q->rt, vt_as_list(q->all), q->data);
	q->data = VT_UNDEF;
}

/* The texts of a list, one behind the other. */
static vt_value
joined(vt_rt *rt, const vt_list *l)
{
	vt_buf b = {NULL, 0, 0};

	for (uint32_t i = 0; i < l->n; i++)
		vt_buf_put(&b, vt_as_str(l->v[i])->s, vt_as_str(l->v[i])->bytes);
	return vt_str_take(rt, &b);
}

void
qr_collected(qr *q, bool join)
{
	qr_forget(q);
	if (q->all == VT_UNDEF)
		q->all = vt_mkptr(vt_list_grow(q->rt, VT_K_TUPLE, 0));
	q->data = join ? joined(q->rt, vt_as_list(q->all)) : vt_copy(q->all);
	vt_clear(&q->all);
	q->converted = q->all_converted;
}

/* ---- variables ---- */

static vt_dict *
own_vars(qr *q)
{
	if (q->own == VT_UNDEF)
		q->own = vt_mkptr(vt_dict_new(q->rt, false));
	q->vars = q->own;
	return vt_as_dict(q->own);
}

/* A member of $ARGS, which is made when it is not there. */
static vt_value
arguments(qr *q, const char *part)
{
	vt_dict *own = own_vars(q);
	vt_value args = vt_dict_get_c(own, "ARGS");

	if (args == VT_UNDEF) {
		args = vt_mkptr(vt_dict_new(q->rt, false));
		vt_dict_set_c(q->rt, vt_as_dict(args), "positional",
			vt_mkptr(vt_list_grow(q->rt, VT_K_TUPLE, 0)));
		vt_dict_set_c(
			q->rt, vt_as_dict(args), "named", vt_mkptr(vt_dict_new(q->rt, false)));
		vt_dict_set_c(q->rt, own, "ARGS", args);
	}
	return vt_dict_get_c(vt_as_dict(args), part);
}

void
qr_no_arguments(qr *q)
{
	arguments(q, "named");
}

static void
set_var(qr *q, const char *name, vt_value v)
{
	vt_value named = arguments(q, "named");

	vt_dict_set_c(q->rt, vt_as_dict(named), name, vt_copy(v));
	vt_dict_set_c(q->rt, own_vars(q), name, v);
}

static bool
read_var(qr *q, const char *text, size_t n, bool json, vt_value *v, qr_error *e)
{
	if (vt_utf8_check(text, n) != n)
		return qr_fail(e, "RequestError", "bytes that are not UTF-8");
	if (json)
		return read_json(q, text, n, 0, v, e);
	*v = vt_str_new(q->rt, text, n);
	return true;
}

bool
qr_var(qr *q, const char *name, const char *text, size_t n, bool json, qr_error *e)
{
	vt_value v = VT_UNDEF;

	if (vt_utf8_check(name, strlen(name)) != strlen(name))
		return qr_fail(e, "RequestError", "bytes that are not UTF-8");
	if (!read_var(q, text, n, json, &v, e))
		return false;
	set_var(q, name, v);
	return true;
}

void
qr_var_documents(qr *q, const char *name)
{
	qr_collected(q, false);
	set_var(q, name, take_data(q));
}

bool
qr_positional(qr *q, const char *text, bool json, qr_error *e)
{
	vt_value v = VT_UNDEF;

	if (!read_var(q, text, strlen(text), json, &v, e))
		return false;
	vt_list_push(q->rt, vt_as_list(arguments(q, "positional")), v);
	return true;
}

bool
qr_fold(qr *q, const char *json, qr_error *e)
{
	if (!read_var(q, json, strlen(json), true, &q->acc, e))
		return false;
	vt_dict_set_c(q->rt, own_vars(q), "acc", vt_copy(q->acc));
	return true;
}

void
qr_lua_limits(qr *q, uint64_t steps, uint64_t bytes, bool unsafe)
{
	q->rt->s->lua_steps = steps;
	q->rt->s->lua_memory = bytes;
	q->rt->s->lua_unsafe = unsafe;
}

static const struct {
	const char *name;
	size_t at;
	bool number;
} option_rows[] = {
	{"limitIterators", offsetof(qr_options, limit_iterators), true},
	{"memoryQuota", offsetof(qr_options, memory_quota), true},
	{"convertTuplesToLists", offsetof(qr_options, tuples_to_lists), false},
	{"convertSetsToLists", offsetof(qr_options, sets_to_lists), false},
	{"iterableDicts", offsetof(qr_options, iterable_dicts), false},
	{"convertInputData", offsetof(qr_options, convert_input), false},
	{"convertOutputData", offsetof(qr_options, convert_output), false},
};

/* 0: no such option; -1: a value of the wrong kind. */
static int
set_option(qr_options *o, const char *name, vt_value v)
{
	int64_t number;

	if (!strncmp(name, "yaql.", 5))
		name += 5;
	for (size_t i = 0; i < VT_LEN(option_rows); i++) {
		if (strcmp(name, option_rows[i].name))
			continue;
		if (option_rows[i].number) {
			if (!vt_is_int(v) || !vt_int_fits(v, &number))
				return -1;
			memcpy((char *)o + option_rows[i].at, &number, sizeof number);
		} else {
			*((bool *)o + option_rows[i].at) = vt_truth(v);
		}
		return 1;
	}
	return 0;
}

/* Unknown names are an error for the command; the reference's engine ignores them, and so does a
 * batch. */
static bool
take_options(vt_value v, bool strict, qr_options *o, qr_error *e)
{
	uint32_t pos = 0;
	vt_value key, value;
	char *message;
	int st;

	if (!vt_is(v, DICT))
		return qr_fail(e, "RequestError", "the options are no object");
	while (vt_dict_at(vt_as_dict(v), &pos, &key, &value)) {
		const char *name = vt_is(key, STR) ? vt_as_str(key)->s : "";
		st = set_option(o, name, value);
		if (st > 0 || (st == 0 && (!strict || !strcmp(name, "yaql.debug"))))
			continue;
		message =
			vt_asprintf(st ? "option %s wants an integer" : "unknown option %s", name);
		qr_fail(e, "RequestError", message);
		free(message);
		return false;
	}
	return true;
}

bool
qr_read_options(qr *q, const char *json, size_t n, qr_options *o, qr_error *e)
{
	vt_value v = VT_UNDEF;
	bool ok;

	if (!read_json(q, json, n, 0, &v, e))
		return false;
	ok = take_options(v, true, o, e);
	vt_clear(&v);
	return ok;
}

uint32_t
qr_layers(bool legacy, bool delegates)
{
	return VT_L_STD | (legacy ? VT_L_LEGACY : 0) | (delegates ? VT_L_DELEGATES : 0);
}

void
qr_force_legacy(qr_options *o)
{
	o->tuples_to_lists = false;
	o->iterable_dicts = true;
}

/* The context's own switches; without them it fits the parser's dialect. */
static uint32_t
context_layers(vt_value context, const qr_request *r)
{
	vt_value legacy, delegates;

	if (!vt_is(context, DICT))
		return qr_layers(r->legacy, r->delegates);
	legacy = vt_dict_get_c(vt_as_dict(context), "legacy");
	delegates = vt_dict_get_c(vt_as_dict(context), "delegates");
	return qr_layers(legacy != VT_UNDEF && vt_truth(legacy),
		delegates != VT_UNDEF && vt_truth(delegates));
}

static vt_value
field(qr *q, const char *name)
{
	vt_value v = vt_dict_get_c(vt_as_dict(q->request), name);

	return v == VT_NULL ? VT_UNDEF : v;
}

bool
qr_read_request(qr *q, const char *line, size_t n, qr_request *r, qr_error *e)
{
	vt_value v;

	if (!read_json(q, line, n, VT_JSON_MUTABLE | VT_JSON_TAGGED, &q->request, e))
		return false;
	if (!vt_is(q->request, DICT))
		return qr_fail(e, "RequestError", "the request is no object");
	v = field(q, "expr");
	if (!vt_is(v, STR))
		return qr_fail(e, "RequestError", "the request has no expr, or it is no string");
	*r = (qr_request){
		.expr = vt_as_str(v)->s, .n = vt_as_str(v)->bytes, .opt = qr_default_options};
	v = field(q, "mode");
	if (v != VT_UNDEF && !vt_is(v, STR))
		return qr_fail(e, "RequestError", "mode is no string");
	r->legacy = v != VT_UNDEF && !strcmp(vt_as_str(v)->s, "legacy");
	v = field(q, "delegates");
	r->delegates = v != VT_UNDEF && vt_truth(v);
	r->layers = context_layers(field(q, "context"), r);
	v = field(q, "options");
	if (v != VT_UNDEF && !take_options(v, false, &r->opt, e))
		return false;
	if (r->legacy)
		qr_force_legacy(&r->opt);
	q->vars = field(q, "vars");
	if (q->vars != VT_UNDEF && !vt_is(q->vars, DICT))
		return qr_fail(e, "RequestError", "vars is no object");
	v = field(q, "data");
	if (v != VT_UNDEF)
		q->data = vt_copy(v);
	return true;
}

/* ---- running ---- */

/* The session was made before the expression was compiled: a query needs nothing of its program but
 * the caches. */
void
qr_attach(qr *q, const vt_program *p)
{
	vt_rt *rt = q->rt;

	if (rt->program == p)
		return;
	q->nics = p->nics;
	q->room = p->nics + 1 + (rt->s->lua ? SPARE_ICS : 0);
	free(rt->ic);
	rt->ic = vt_xzalloc(q->room * sizeof *rt->ic);
	rt->program = p;
}

static vt_status
raise_error(vt_rt *rt, qr_error *e)
{
	enum vt_etype type = VT_E_HOST;
	vt_status st;

	for (int i = 0; i < VT_E_COUNT; i++)
		if (strcmp(vt_etype_shown((enum vt_etype)i), e->type) == 0)
			type = (enum vt_etype)i;
	st = vt_raise(rt, type, "%s", e->message);
	qr_error_free(e);
	return st;
}

/* Caches cannot move while a call is in progress, so there is room for so many and no more. */
static vt_status
join(vt_rt *rt, void *ctx, const vt_str *text, const vt_code **out)
{
	qr *q = ctx;
	qr_error e = {.type = NULL};
	const vt_program *p;
	vt_list *l;

	if (q->texts == VT_UNDEF)
		q->texts = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4));
	l = vt_as_list(q->texts);
	for (uint32_t i = 0; i < l->n; i++)
		if (vt_str_eq(vt_as_str(l->v[i]), text)) {
			*out = q->codes[i];
			return VT_OK;
		}
	p = q->compile(q->compile_ctx, text->s, text->bytes, q->nics, &e);
	if (!p)
		return raise_error(rt, &e);
	if (p->nics > q->room || l->n == QR_MAX_JOINED)
		return vt_raise(
			rt, VT_E_RUNTIME, "the expressions of the host's functions are too large");
	q->nics = p->nics;
	*out = q->codes[l->n] = p->query;
	vt_list_push(rt, l, vt_copy(vt_mkptr(text)));
	return VT_OK;
}

void
qr_on_compile(qr *q, qr_compile_fn *fn, void *ctx)
{
	q->compile = fn;
	q->compile_ctx = ctx;
	q->rt->s->compile = join;
	q->rt->s->compile_ctx = q;
}

/* Names may be written with their $. Values are not converted: they are the host's. */
static void
set_vars(vt_rt *rt, vt_scope *sc, vt_value vars)
{
	uint32_t pos = 0;
	vt_value key, value, name;

	if (vars == VT_UNDEF)
		return;
	while (vt_dict_at(vt_as_dict(vars), &pos, &key, &value)) {
		if (!vt_is(key, STR))
			continue;
		name = vt_str_c(rt, vt_as_str(key)->s + (vt_as_str(key)->s[0] == '$'));
		vt_scope_set(rt, sc, vt_as_str(name), value);
		vt_release(name);
	}
}

/* The scope in which the expression runs. In a context $ may be that of the context. */
static vt_scope *
scope_in(vt_rt *rt, const vt_unit *u, vt_scope *context, vt_value given, vt_value data)
{
	vt_scope *s;

	if (context == NULL)
		return vt_scope_root(rt, u, data);
	s = vt_scope_child(rt, context, given != VT_UNDEF, &data);
	s->unit = u;
	s->h.aux = VT_SCOPE_TOP;
	return s;
}

static vt_status
begin(vt_rt *rt, const vt_code *code, vt_value given, bool converted, vt_value vars,
	vt_scope *context, vt_scope **scope, vt_value *out)
{
	const vt_unit *u = code->unit;
	vt_value data = VT_UNDEF;
	vt_status st = VT_OK;

	*scope = NULL;
	*out = VT_UNDEF;
	if (given == VT_UNDEF)
		data = VT_NULL;
	else if (u->opt.convert_input && !converted)
		st = vt_convert_input(rt, u, given, &data);
	else
		data = vt_copy(given);
	if (st != VT_OK)
		return st;
	rt->s->quota = u->opt.memory_quota > 0 ? u->opt.memory_quota : 0;
	*scope = scope_in(rt, u, context, given, data);
	set_vars(rt, *scope, vars);
	if ((context != NULL && given == VT_UNDEF) ||
		!vt_program_of_whole(rt, code, *scope, data, out))
		st = vt_code_run(rt, code, *scope, out);
	vt_release(data);
	if (st == VT_OK && (st = vt_quota_value(rt, *out)) != VT_OK)
		vt_clear(out);
	return st;
}

vt_status
qr_begin(vt_rt *rt, const vt_code *code, vt_value given, bool converted, vt_value vars,
	vt_scope **scope, vt_value *out)
{
	return begin(rt, code, given, converted, vars, NULL, scope, out);
}

vt_status
qr_finish(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	vt_status st = VT_OK;

	*out = v;
	if (u->opt.convert_output)
		st = vt_convert_result(rt, u, v, out);
	if (st == VT_OK && (st = vt_quota_value(rt, *out)) != VT_OK)
		vt_clear(out);
	return st;
}

/* The last step of an evaluation is a call by name, as it is to the reference. */
static vt_status
finalize(vt_rt *rt, const vt_unit *u, vt_scope *sc, vt_value v, vt_value *out)
{
	vt_status st = vt_call_name(rt, sc, u, "#finalize", 1, &v, out);

	vt_release(v);
	return st;
}

vt_status
qr_evaluate(vt_rt *rt, const vt_code *code, vt_value given, bool converted, vt_value vars,
	vt_scope *context, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_scope *sc;
	vt_status st = begin(rt, code, given, converted, vars, context, &sc, &v);

	if (st == VT_OK)
		st = rt->s->host_finalizes ? finalize(rt, code->unit, sc, v, out)
					   : qr_finish(rt, code->unit, v, out);
	if (sc)
		vt_scope_drop(sc);
	if (rt->s->lookups != NULL)
		vt_lookups_forget(rt);
	return st;
}

void
qr_take_exception(vt_rt *rt, qr_error *e)
{
	vt_buf b = {NULL, 0, 0};
	vt_value v;
	vt_exc *x;

	if (!vt_pending(rt)) {
		qr_error_set(e, "InternalError", 0, 0, "evaluation failed without an exception");
		return;
	}
	v = vt_exc_take(rt);
	x = VT_AS(vt_exc, v);
	vt_exc_str(rt, &b, x);
	vt_buf_putc(&b, 0);
	qr_error_set(e, vt_exc_shown_type(x), x->line, x->col, b.p);
	e->code = (uint16_t)vt_etype_diag(x->type);
	vt_buf_free(&b);
	vt_release(v);
}

bool
qr_drop(qr *q, const struct vt_program *p, qr_error *e)
{
	vt_value v = VT_UNDEF;

	qr_attach(q, p);
	if (qr_evaluate(q->rt, p->query, q->data, q->converted, q->vars, NULL, &v) != VT_OK) {
		qr_take_exception(q->rt, e);
		return false;
	}
	vt_release(v);
	return true;
}

/*
 * protocol.c - a session driven from outside: JSON lines in, one JSON line out each, in order
 * (CLI.md).
 *
 * Whatever a request holds, it is answered and the session goes on.  A request that is not one gets
 * an error of type BadRequest; what the program raised carries its own type, names and stack.
 */
#define _GNU_SOURCE /* vasprintf */
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/program/program.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT_RESULTS = 256 };
static const size_t line_limit = (size_t)256 << 20;

struct session {
	vt_rt *rt;
	vt_value results[KEPT_RESULTS]; /* of the n-th request at n % KEPT_RESULTS, for {"$result":
					   n} */
	uint64_t nresults;
	char *bad;   /* why the request is none; or NULL */
	bool ran;    /* the request may have changed the model */
	bool failed; /* after_call did, once */
};

/* ---- what every answer has --------------------------------------------------------------- */

static void
put_text(vt_buf *b, const char *key, const char *text)
{
	vt_buf_printf(b, "\"%s\":", key);
	vt_json_str(b, text, strlen(text));
}

static void
put_names(vt_rt *rt, vt_buf *b, vt_exc *e)
{
	vt_buf_puts(b, ",\"names\":");
	if (vt_is_sequence(e->names)) {
		vt_encode_result(rt, b, e->names);
	} else {
		vt_buf_putc(b, '[');
		vt_json_str(b, vt_etype_fqn(e->type), strlen(vt_etype_fqn(e->type)));
		vt_buf_putc(b, ']');
	}
}

void
vt_encode_error(vt_rt *rt, vt_buf *b, vt_exc *e)
{
	vt_value frames = vt_exc_frames(rt, e);
	size_t start = b->n;
	vt_buf_putc(b, '{');
	put_text(b, "type", vt_exc_shown_type(e));
	vt_buf_puts(b, ",\"message\":");
	vt_json_str(b, vt_as_str(e->message)->s, vt_as_str(e->message)->bytes);
	vt_buf_puts(b, ",\"stack\":");
	vt_encode_result(rt, b, frames);
	put_names(rt, b, e);
	vt_buf_putc(b, ',');
	put_text(b, "fqn",
		e->type == VT_E_HOST && vt_is_sequence(e->names) && vt_as_list(e->names)->n > 0
			? vt_as_str(vt_as_list(e->names)->v[0])->s
			: vt_etype_fqn(e->type));
	vt_buf_putc(b, '}');
	vt_release(frames);
	vt_redact(b, start);
}

void
vt_encode_traces(vt_rt *rt, vt_buf *b)
{
	size_t start = b->n;
	vt_lua_drain_traces(rt);
	vt_encode_result(rt, b, rt->s->traces);
	vt_move(&rt->s->traces, vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0)));
	vt_redact(b, start);
}

/* ---- requests ---- */

static vt_status bad_request(struct session *s, const char *fmt, ...) VT_PRINTF(2, 3);

/* VT_ERROR without an exception in the session: s->bad says why. */
static vt_status
bad_request(struct session *s, const char *fmt, ...)
{
	va_list ap;
	free(s->bad);
	s->bad = NULL;
	va_start(ap, fmt);
	if (vasprintf(&s->bad, fmt, ap) < 0)
		s->bad = vt_xstrdup("bad request");
	va_end(ap);
	return VT_ERROR;
}

static vt_value
field(const vt_dict *req, const char *key)
{
	vt_value v = vt_dict_get_c(req, key);
	return v == VT_UNDEF ? VT_NULL : v;
}

static vt_status
no_object(vt_rt *rt, const char *id)
{
	return vt_raise(rt, VT_E_NO_OBJECT, "Object \"%s\" is not found in object store", id);
}

static vt_status substitute(struct session *, vt_value, vt_value *out);

static vt_status
substitute_list(struct session *s, vt_value v, vt_value *out)
{
	vt_list *l = vt_list_grow(s->rt, VT_K_LIST, vt_as_list(v)->n);
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
		vt_value item = VT_UNDEF;
		if (substitute(s, vt_as_list(v)->v[i], &item) != VT_OK) {
			vt_release(vt_mkptr(l));
			return VT_ERROR;
		}
		vt_list_push(s->rt, l, item);
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

static vt_status
substitute_dict(struct session *s, vt_value v, vt_value *out)
{
	vt_dict *d = vt_dict_new(s->rt, false);
	vt_value key, item, made;
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && vt_dict_at(vt_as_dict(v), &i, &key, &item);) {
		made = VT_UNDEF;
		st = substitute(s, item, &made);
		if (st == VT_OK)
			st = vt_dict_set(s->rt, d, key, made);
		vt_release(made);
	}
	if (st == VT_OK)
		*out = vt_mkptr(d);
	else
		vt_release(vt_mkptr(d));
	return st;
}

static vt_status
earlier_result(struct session *s, vt_value n, vt_value *out)
{
	int64_t i = vt_is_int(n) ? vt_toint(n) : -1;
	if (i < 0 || (uint64_t)i >= s->nresults || (uint64_t)i + KEPT_RESULTS < s->nresults)
		return bad_request(s, "$result names no earlier request (the last %d are kept)",
			(int)KEPT_RESULTS);
	*out = vt_copy(s->results[i % KEPT_RESULTS]);
	return VT_OK;
}

static vt_status
object_by_id(struct session *s, vt_value id, vt_value *out)
{
	vt_object *o;
	if (!vt_is(id, STR))
		return bad_request(s, "$ref is an object's id");
	o = vt_store_find(s->rt, vt_as_str(id));
	if (o == NULL)
		return no_object(s->rt, vt_as_str(id)->s);
	*out = vt_copy(vt_mkptr(o));
	return VT_OK;
}

/* {"$ref": id} and {"$result": n} inside of arguments, which arrive as lists and dicts, not frozen:
 * the reference's messages show them so. */
static vt_status
substitute(struct session *s, vt_value v, vt_value *out)
{
	vt_value what;
	if (vt_is_sequence(v))
		return substitute_list(s, v, out);
	if (!vt_is(v, DICT)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	if (vt_dict_len(vt_as_dict(v)) == 1) {
		if ((what = vt_dict_get_c(vt_as_dict(v), "$ref")) != VT_UNDEF)
			return object_by_id(s, what, out);
		if ((what = vt_dict_get_c(vt_as_dict(v), "$result")) != VT_UNDEF)
			return earlier_result(s, what, out);
	}
	return substitute_dict(s, v, out);
}

static void
keep_result(struct session *s, vt_value owned)
{
	vt_move(&s->results[s->nresults % KEPT_RESULTS], owned);
	s->nresults++;
}

/* ---- load, call ---- */

static vt_status
op_load(struct session *s, const vt_dict *req, vt_buf *b)
{
	if (s->rt->s->root != VT_NULL)
		return bad_request(s, "this session has its model already");
	if (!vt_load_model(s->rt, field(req, "model"), field(req, "config")))
		return VT_ERROR;
	vt_buf_puts(b, "\"ok\":true");
	return VT_OK;
}

/* From outside a class needs no version: the main package's own comes first, then what it was built
 * with. */
vt_class *
vt_class_named(vt_rt *rt, const char *fqn)
{
	const vt_program *p = rt->program;
	bool ok;
	for (uint32_t i = 0; p != NULL && i < p->npackages; i++)
		for (uint32_t k = 0; k < p->packages[i]->nclasses; k++) {
			const vt_class_decl *d = p->packages[i]->classes[k];
			if (d->listed && strcmp(d->name->s, fqn) == 0)
				return vt_class_link(rt, d, &ok);
		}
	return vt_find_class_model(rt, fqn);
}

static vt_status
find_class(struct session *s, const vt_str *name, vt_value *out)
{
	vt_class *c = vt_class_named(s->rt, name->s);
	if (c == NULL)
		return VT_ERROR;
	*out = c->typeref;
	return VT_OK;
}

/* null is the root object, a text the id of an object or else the name of a class. */
static vt_status
find_target(struct session *s, const vt_dict *req, vt_value *out)
{
	vt_value v = field(req, "target");
	vt_object *o;
	if (v == VT_NULL) {
		*out = vt_copy(s->rt->s->root);
		return *out == VT_NULL
			       ? bad_request(s, "no model is loaded: there is no root object")
			       : VT_OK;
	}
	if (!vt_is(v, STR))
		return bad_request(s, "target is null, an object's id or a class");
	o = vt_truth(field(req, "static")) ? NULL : vt_store_find(s->rt, vt_as_str(v));
	if (o == NULL)
		return find_class(s, vt_as_str(v), out);
	*out = vt_copy(vt_mkptr(o));
	return VT_OK;
}

static vt_status
call_arguments(struct session *s, const vt_dict *req, vt_value *args, vt_value *kwargs)
{
	vt_value a = field(req, "args"), k = field(req, "kwargs");
	vt_status st = VT_OK;
	if (!vt_is_sequence(a) && a != VT_NULL)
		return bad_request(s, "args is a list");
	if (!vt_is(k, DICT) && k != VT_NULL)
		return bad_request(s, "kwargs is a dictionary");
	if (a == VT_NULL)
		*args = vt_mkptr(vt_list_grow(s->rt, VT_K_TUPLE, 0));
	else
		st = substitute_list(s, a, args);
	if (st == VT_OK && k != VT_NULL)
		st = substitute_dict(s, k, kwargs);
	return st;
}

/* The reference hands results over as plain data, iterators limited as everywhere. */
static vt_status
call_method(struct session *s, vt_value target, const vt_str *name, vt_value args, vt_value kwargs,
	vt_value *out)
{
	vt_value raw = VT_UNDEF;
	vt_status st = vt_invoke_public(s->rt, target, name, args, kwargs, &raw);
	if (st == VT_OK)
		st = vt_final(s->rt, vt_cls_of(target)->decl->unit, raw, out);
	vt_release(raw);
	return st;
}

static vt_status
op_call(struct session *s, const vt_dict *req, vt_buf *b)
{
	vt_value target = VT_UNDEF, args = VT_UNDEF, kwargs = VT_NULL, out = VT_UNDEF;
	vt_value method = field(req, "method");
	vt_status st;
	if (!vt_is(method, STR))
		return bad_request(s, "method is missing");
	VT_TRY(find_target(s, req, &target));
	s->ran = true;
	st = call_arguments(s, req, &args, &kwargs);
	if (st == VT_OK)
		st = call_method(s, target, vt_as_str(method), args, kwargs, &out);
	vt_release(target);
	vt_release(args);
	vt_release(kwargs);
	if (st != VT_OK)
		return st;
	vt_buf_puts(b, "\"value\":");
	vt_encode_result(s->rt, b, out);
	keep_result(s, out);
	return VT_OK;
}

/* ---- serialization ---- */

static void
give(struct session *s, vt_buf *b, vt_value owned)
{
	vt_buf_puts(b, "\"value\":");
	vt_encode_result(s->rt, b, owned);
	vt_release(owned);
}

static vt_status
op_serialize_model(struct session *s, const vt_dict *req, vt_buf *b)
{
	vt_buf_puts(b, "\"value\":");
	return vt_write_model(s->rt, s->rt->s->root, b, NULL);
}

static vt_status
op_serialize_last_result(struct session *s, const vt_dict *req, vt_buf *b)
{
	vt_value kwargs = field(req, "kwargs"), refs = VT_UNDEF, out = VT_UNDEF;
	if (s->nresults == 0)
		return bad_request(s, "there is no result yet");
	if (vt_is(kwargs, DICT))
		refs = vt_dict_get_c(vt_as_dict(kwargs), "allow_refs");
	VT_TRY(vt_serialize_refs(s->rt, s->results[(s->nresults - 1) % KEPT_RESULTS],
		VT_DUMP_SERIALIZABLE, refs == VT_UNDEF || vt_truth(refs), &out));
	give(s, b, out);
	return VT_OK;
}

static vt_status
op_dump(struct session *s, const vt_dict *req, vt_buf *b)
{
	static const char *const kinds[] = {"Serializable", "Inline", "Mixed"};
	vt_value target = VT_UNDEF, out = VT_UNDEF, kind = field(req, "type");
	vt_status st;
	size_t k = 0;
	while (vt_is(kind, STR) && k < VT_LEN(kinds) && strcmp(kinds[k], vt_as_str(kind)->s) != 0)
		k++;
	if (k == VT_LEN(kinds))
		return bad_request(s, "type is Serializable, Inline or Mixed");
	VT_TRY(find_target(s, req, &target));
	st = vt_serialize(s->rt, target, (enum vt_dump)k, &out);
	vt_release(target);
	VT_TRY(st);
	give(s, b, out);
	return VT_OK;
}

/* G5: the end of a run. */
static vt_status
op_finalize(struct session *s, const vt_dict *req, vt_buf *b)
{
	s->ran = true;
	vt_store_sweep(s->rt, s->rt->s->root);
	if (s->rt->s->cloud_finish != NULL)
		VT_TRY(s->rt->s->cloud_finish(s->rt));
	vt_buf_puts(b, "\"ok\":true");
	return VT_OK;
}

/* A member under the first of its names that is there. */
static vt_value
member(const vt_dict *req, const char *a, const char *b)
{
	vt_value v = field(req, a);
	return v == VT_NULL ? field(req, b) : v;
}

static vt_status
text_or_null(struct session *s, vt_value v, const char *what, const char **out)
{
	*out = vt_is(v, STR) ? vt_as_str(v)->s : NULL;
	return vt_is(v, STR) || v == VT_NULL ? VT_OK : bad_request(s, "%s is a text", what);
}

/* {"class", "method_names"?: a name or a list, "class_version"?, "package_name"?} */
static vt_status
op_generate_schema(struct session *s, const vt_dict *req, vt_buf *b)
{
	vt_value names = member(req, "method_names", "methods"), one = VT_UNDEF, out = VT_UNDEF;
	const char *name, *version, *package;
	vt_class *c;
	vt_status st;
	VT_TRY(text_or_null(s, member(req, "class", "target"), "class", &name));
	VT_TRY(text_or_null(s, field(req, "class_version"), "class_version", &version));
	VT_TRY(text_or_null(s, field(req, "package_name"), "package_name", &package));
	if (name == NULL)
		return bad_request(s, "class is missing");
	if (!vt_is(names, STR) && !vt_is_sequence(names) && names != VT_NULL)
		return bad_request(s, "method_names is a name or a list of names");
	if ((c = vt_schema_class(s->rt, name, version, package)) == NULL)
		return VT_ERROR;
	if (vt_is(names, STR))
		VT_TRY(vt_tuple_of(s->rt, 1, &names, &one));
	st = vt_schema_generate(s->rt, c, one == VT_UNDEF ? names : one, &out);
	vt_release(one);
	if (st == VT_OK)
		give(s, b, out);
	return st;
}

/* ---- pure functions ---- */

static vt_status
arguments(struct session *s, const vt_dict *req, uint32_t from, uint32_t to, const vt_list **out)
{
	vt_value args = field(req, "args");
	if (!vt_is_sequence(args) || vt_as_list(args)->n < from || vt_as_list(args)->n > to)
		return bad_request(s, "args: %u to %u values expected", from, to);
	*out = vt_as_list(args);
	return VT_OK;
}

static vt_status
op_parse_version_spec(struct session *s, const vt_dict *req, vt_buf *b)
{
	const vt_list *a;
	vt_value out = VT_UNDEF;
	VT_TRY(arguments(s, req, 1, 1, &a));
	VT_TRY(vt_version_spec(s->rt, a->v[0], &out));
	give(s, b, out);
	return VT_OK;
}

static vt_status
op_merge_dicts(struct session *s, const vt_dict *req, vt_buf *b)
{
	const vt_list *a;
	vt_value out = VT_UNDEF;
	int levels;
	VT_TRY(arguments(s, req, 2, 3, &a));
	levels = a->n == 3 && vt_is_int(a->v[2]) && vt_toint(a->v[2]) < 1000
			 ? (int)vt_toint(a->v[2])
			 : 0;
	VT_TRY(vt_merge_dicts(s->rt, a->v[0], a->v[1], levels < 0 ? 0 : levels, &out));
	give(s, b, out);
	return VT_OK;
}

static vt_status
op_updated_dict(struct session *s, const vt_dict *req, vt_buf *b)
{
	const vt_list *a;
	vt_value out = VT_UNDEF;
	VT_TRY(arguments(s, req, 2, 2, &a));
	VT_TRY(vt_updated_dict(s->rt, a->v[0], a->v[1], &out));
	give(s, b, out);
	return VT_OK;
}

/* ---- the loop ---- */

typedef vt_status (*op_fn)(struct session *, const vt_dict *, vt_buf *);
static const struct op {
	const char *name;
	op_fn fn;
	bool counts;
} ops[] = {
	{"load", op_load, false},
	{"call", op_call, true},
	{"serialize_model", op_serialize_model, true},
	{"serialize_last_result", op_serialize_last_result, true},
	{"finalize", op_finalize, false},
	{"dump", op_dump, true},
	{"generate_schema", op_generate_schema, true},
	{"get_schema", op_generate_schema, true},
	{"parse_version_spec", op_parse_version_spec, true},
	{"merge_dicts", op_merge_dicts, true},
	{"updated_dict", op_updated_dict, true},
};

static const struct op *
find_op(struct session *s, const vt_dict *req)
{
	vt_value name = field(req, "op");
	if (!vt_is(name, STR)) {
		(void)bad_request(s, "op is missing");
		return NULL;
	}
	for (size_t i = 0; i < VT_LEN(ops); i++)
		if (strcmp(ops[i].name, vt_as_str(name)->s) == 0)
			return &ops[i];
	(void)bad_request(s, "unknown op \"%s\"", vt_as_str(name)->s);
	return NULL;
}

/* What a request left running is gone with it. */
static void
settle(struct session *s)
{
	s->rt->act = NULL;
	s->rt->depth = 0;
	vt_exc_clear(s->rt);
	vt_clear(&s->rt->s->stashed);
	free(s->bad);
	s->bad = NULL;
}

static void
end_of_call(struct session *s)
{
	vt_session *all = s->rt->s;
	if (s->ran && all->after_call != NULL && all->root != VT_NULL &&
		!all->after_call(s->rt, all->after_call_ctx))
		s->failed = true;
	s->ran = false;
}

static void
put_failure(struct session *s, vt_buf *b)
{
	vt_buf_puts(b, "\"error\":");
	if (s->bad == NULL && vt_pending(s->rt) != NULL) {
		vt_encode_error(s->rt, b, vt_pending(s->rt));
		return;
	}
	vt_buf_puts(b, "{\"type\":\"BadRequest\",");
	put_text(b, "message", s->bad ? s->bad : "the request failed without a reason");
	vt_buf_puts(b, ",\"stack\":[],\"names\":[],\"fqn\":null}");
}

static vt_status
dispatch(struct session *s, vt_value req, vt_buf *b)
{
	const struct op *op;
	uint64_t n = s->nresults;
	vt_status st;
	if (!vt_is(req, DICT))
		return bad_request(s, "a request is a JSON object");
	op = find_op(s, vt_as_dict(req));
	if (op == NULL)
		return VT_ERROR;
	st = op->fn(s, vt_as_dict(req), b);
	/* {"$result": n} counts what was asked, not what went well; serializing does not replace a
	 * result */
	if (op->counts && s->nresults == n)
		keep_result(s, n > 0 && st == VT_OK ? vt_copy(s->results[(n - 1) % KEPT_RESULTS])
						    : VT_NULL);
	return st;
}

/* Arguments of a call may hold tagged values (sets, dicts with other keys...); a model is taken as
 * it is. */
static bool
read_request(struct session *s, const char *line, size_t n, vt_value *req, char **err)
{
	vt_value op;
	if (!vt_json_read(s->rt, line, n, VT_JSON_MUTABLE, 0, req, err))
		return false;
	op = vt_is(*req, DICT) ? vt_dict_get_c(vt_as_dict(*req), "op") : VT_UNDEF;
	if (!vt_is(op, STR) || strcmp(vt_as_str(op)->s, "call") != 0)
		return true;
	vt_clear(req);
	return vt_json_read(s->rt, line, n, VT_JSON_MUTABLE | VT_JSON_TAGGED, 0, req, err);
}

static void
answer(struct session *s, const char *line, size_t n, vt_buf *b)
{
	vt_value req = VT_UNDEF;
	char *err = NULL;
	vt_status st;
	vt_buf body = {0};
	if (read_request(s, line, n, &req, &err)) {
		st = dispatch(s, req, &body);
	} else {
		st = bad_request(s, "%s", err);
		free(err);
	}
	vt_buf_putc(b, '{');
	if (st == VT_OK)
		vt_buf_put(b, body.p, body.n);
	else
		put_failure(s, b);
	vt_release(req);
	vt_buf_free(&body);
	settle(s);
	end_of_call(s);
	vt_buf_puts(b, ",\"traces\":");
	vt_encode_traces(s->rt, b);
	vt_buf_puts(b, "}\n");
}

/* ---- lines ---- */

enum line { LINE_END, LINE_OK, LINE_TOO_LONG };

/* What was read and not yet asked for: from..to of p. */
struct reader {
	vt_rt *rt;
	int fd;
	char *p;
	size_t from, to, cap;
	bool ended;
};

enum { PIPE_SIZE = 1 << 20, READ_MIN = 64 << 10 };

/* A pipe takes 64 KiB, after which its writer and this process wait for each other: a model comes
 * in one piece or few. */
static void
reader_begin(struct reader *r, vt_rt *rt, int fd)
{
	struct stat st;
	*r = (struct reader){.rt = rt, .fd = fd};
#ifdef F_SETPIPE_SZ
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
#else
	(void)st;
#endif
}

/* Room for as much again as there is: a long line is moved few times. */
static void
make_room(struct reader *r)
{
	if (r->from > 0)
		memmove(r->p, r->p + r->from, r->to - r->from);
	r->to -= r->from;
	r->from = 0;
	if (r->cap - r->to >= READ_MIN && r->cap - r->to >= r->cap / 2)
		return;
	r->cap = 2 * r->cap + 2 * READ_MIN;
	r->p = vt_xrealloc(r->p, r->cap);
}

static void
read_more(struct reader *r)
{
	ssize_t n;
	if (r->cap - r->to < READ_MIN)
		make_room(r);
	do
		n = read(r->fd, r->p + r->to, r->cap - r->to);
	while (n < 0 && errno == EINTR && r->rt->s->interrupt == 0);
	r->ended = n <= 0;
	r->to += n > 0 ? (size_t)n : 0;
}

/* The text stays until the next call. */
static enum line
read_line(struct reader *r, const char **line, size_t *n)
{
	enum line state = LINE_OK;
	size_t seen = 0;
	const char *end = NULL;
	while ((end = seen < r->to - r->from
			       ? memchr(r->p + r->from + seen, '\n', r->to - r->from - seen)
			       : NULL) == NULL &&
		!r->ended) {
		seen = r->to - r->from;
		if (seen > line_limit) {
			state = LINE_TOO_LONG;
			r->from = r->to;
			seen = 0;
		}
		read_more(r);
	}
	*line = r->p + r->from;
	*n = end != NULL ? (size_t)(end - *line) : r->to - r->from;
	r->from += *n + (end != NULL);
	if (*n > line_limit)
		state = LINE_TOO_LONG;
	return end == NULL && *n == 0 && state == LINE_OK ? LINE_END : state;
}

static bool
is_blank(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r')
			return false;
	return true;
}

static bool
serve_line(struct session *s, enum line state, const char *line, size_t n, FILE *out)
{
	vt_session *all = s->rt->s;
	vt_buf b = {0};
	bool ok;
	if (all->asked != NULL && !all->asked(s->rt, all->after_call_ctx, line, n))
		return false;
	if (state == LINE_TOO_LONG)
		vt_buf_puts(&b,
			"{\"error\":{\"type\":\"BadRequest\",\"message\":\"the line is too long\","
			"\"stack\":[],\"names\":[],\"fqn\":null},\"traces\":[]}\n");
	else
		answer(s, line, n, &b);
	ok = (all->answered == NULL || all->answered(s->rt, all->after_call_ctx)) &&
	     fwrite(b.p, 1, b.n, out) == b.n && fflush(out) == 0;
	vt_buf_free(&b);
	return ok;
}

struct session *
vt_session_begin(vt_rt *rt)
{
	struct session *s = vt_xzalloc(sizeof *s);
	s->rt = rt;
	for (int i = 0; i < KEPT_RESULTS; i++)
		s->results[i] = VT_UNDEF;
	return s;
}

void
vt_session_answer(struct session *s, const char *request, size_t n, vt_buf *b)
{
	answer(s, request, n, b);
}

/*
 * Nobody asked for the end of the run: what is under way is waited for all the same, as the engine
 * does it, for a cloud that was half told is in nobody's model.
 */
static bool
end_run(vt_rt *rt)
{
	bool ok = true;
	vt_buf b = {0};
	if (!rt->s->cloud_busy || rt->s->interrupt != 0)
		return true;
	if (rt->s->cloud_finish(rt) != VT_OK) {
		vt_buf_printf(&b,
			"the session was closed without finalize, and what was under way failed: "
			"%s",
			vt_as_str(vt_pending(rt)->message)->s);
		vt_buf_putc(&b, '\0');
		vt_say("%s\n", b.p);
		vt_buf_free(&b);
		vt_exc_clear(rt);
		ok = false;
	}
	return (rt->s->after_call == NULL || rt->s->after_call(rt, rt->s->after_call_ctx)) && ok;
}

bool
vt_session_end(struct session *s)
{
	bool good = end_run(s->rt) && !s->failed;
	for (int i = 0; i < KEPT_RESULTS; i++)
		vt_release(s->results[i]);
	free(s);
	return good;
}

int
vt_session_loop(vt_rt *rt, FILE *in, FILE *out)
{
	struct session *s = vt_session_begin(rt);
	struct reader r;
	const char *line;
	size_t n;
	enum line state;
	int rc = 0;
	reader_begin(&r, rt, fileno(in));
	while (rc == 0 && rt->s->interrupt == 0 && (state = read_line(&r, &line, &n)) != LINE_END)
		if (state == LINE_TOO_LONG || !is_blank(line, n))
			rc = serve_line(s, state, line, n, out) ? 0 : 1;
	free(r.p);
	return vt_session_end(s) ? rc : 1;
}

/*
 * body_value.c - values of a plan's Body: memory and limits, dicts, JSON, texts of values.
 */
#include "runtime/sim/body.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory and limits ------------------------------------------------------------------- */

typedef struct body_chunk {
	struct body_chunk *next;
	size_t used, size;
	_Alignas(16) char data[];
} body_chunk;

enum { CHUNK = 1 << 14, ALIGN = 16 };

void
body_open(body *b, vt_rt *rt)
{
	*b = (body){.rt = rt, .room = BODY_MEMORY, .steps = BODY_STEPS};
	b->slot_of = vt_mkptr(vt_dict_new_hashed(rt, false));
	b->scripts = VT_NULL;
}

void
body_close(body *b)
{
	for (body_chunk *c = b->chunks, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	for (size_t i = 0; i < b->nowned; i++)
		vt_release(b->owned[i]);
	free(b->owned);
	free(b->unable);
	free(b->syntax);
	vt_release(b->slot_of);
}

/* Callers bound what they ask for, so the arena itself never refuses. */
void *
body_alloc(body *b, size_t n)
{
	body_chunk *c = b->chunks;
	void *p;
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	(void)body_charge(b, n);
	if (c == NULL || c->size - c->used < n) {
		size_t size = n > CHUNK ? n : CHUNK;
		c = vt_xzalloc(sizeof *c + size);
		c->size = size;
		c->next = b->chunks;
		b->chunks = c;
	}
	p = c->data + c->used;
	c->used += n;
	return p;
}

bool
body_charge(body *b, size_t bytes)
{
	if (bytes <= b->room) {
		b->room -= bytes;
		return true;
	}
	b->room = 0;
	(void)body_unable(b, "the body takes more than %d bytes of memory", BODY_MEMORY);
	return false;
}

bool
body_step(body *b, size_t steps)
{
	if (steps <= b->steps) {
		b->steps -= (uint32_t)steps;
		return b->unable == NULL;
	}
	b->steps = 0;
	(void)body_unable(b, "the body takes more than %d steps", BODY_STEPS);
	return false;
}

bool
body_stopped(const body *b)
{
	return b->raised != NULL || b->unable != NULL;
}

bool
body_too_deep(body *b)
{
	if (!vt_stack_low(b->rt))
		return false;
	(void)body_unable(b, "a Body that is nested so deep");
	return true;
}

/* ---- making values ----------------------------------------------------------------------- */

body_value *
body_new(body *b, enum body_kind kind)
{
	body_value *v = body_alloc(b, sizeof *v);
	v->kind = kind;
	v->v = VT_NULL;
	return v;
}

body_value *
body_scalar(body *b, vt_value owned)
{
	body_value *v = body_new(b, BODY_SCALAR);
	v->v = owned;
	if (vt_is_ptr(owned)) {
		vt_push(b->owned, b->nowned) = owned;
		if (vt_is(owned, STR))
			(void)body_charge(b, vt_as_str(owned)->bytes);
	}
	return v;
}

body_value *
body_text(body *b, const char *s, size_t n)
{
	return body_scalar(b, vt_str_new(b->rt, s, n));
}

body_value *
body_int(body *b, int64_t n)
{
	return body_scalar(b, vt_int_new(b->rt, n));
}

body_value *
body_bool(body *b, bool x)
{
	return body_scalar(b, vt_mkbool(x));
}

body_value *
body_none(body *b)
{
	return body_scalar(b, VT_NULL);
}

body_value *
body_named(body *b, enum body_kind kind, const char *name)
{
	body_value *v = body_new(b, kind);
	v->name = name;
	return v;
}

/* Doubles the room of an array of values. */
static body_value **
grow(body *b, body_value **old, uint32_t n, uint32_t cap)
{
	body_value **p = body_alloc(b, cap * sizeof *p);
	if (n > 0)
		memcpy(p, old, n * sizeof *p);
	return p;
}

bool
body_push(body *b, body_value *list, body_value *item)
{
	if (list->n == list->cap) {
		uint32_t cap = list->cap ? list->cap * 2 : 4;
		if (b->room < cap * sizeof(body_value *))
			return body_charge(b, SIZE_MAX);
		list->item = grow(b, list->item, list->n, cap);
		if (list->key != NULL || list->kind == BODY_DICT || list->kind == BODY_RECORD)
			list->key = grow(b, list->key, list->n, cap);
		list->cap = cap;
	}
	list->item[list->n++] = item;
	return b->unable == NULL;
}

/* ---- exceptions -------------------------------------------------------------------------- */

body_value *
body_unable(body *b, const char *fmt, ...)
{
	vt_buf t = {0};
	va_list ap;
	if (b->unable != NULL)
		return NULL;
	va_start(ap, fmt);
	vt_buf_vprintf(&t, fmt, ap);
	va_end(ap);
	if (b->line > 0)
		vt_buf_printf(&t, " (line %u)", b->line);
	b->unable = t.p;
	return NULL;
}

static body_value *
raise_value(body *b, const char *type, vt_value owned)
{
	body_value *e = body_named(b, BODY_EXCEPTION, type);
	e->code = 1;
	(void)body_push(b, e, body_scalar(b, owned));
	if (b->unable == NULL)
		b->raised = e;
	return NULL;
}

body_value *
body_raise(body *b, const char *type, const char *fmt, ...)
{
	vt_buf t = {0};
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vprintf(&t, fmt, ap);
	va_end(ap);
	vt_buf_repair(&t);
	return raise_value(b, type, vt_str_take(b->rt, &t));
}

body_value *
body_raise_pending(body *b)
{
	vt_exc *e = vt_pending(b->rt);
	const char *type = e != NULL ? vt_exc_shown_type(e) : "Exception";
	vt_value message = e == NULL            ? vt_str_c(b->rt, "")
			   : e->arg != VT_UNDEF ? vt_copy(e->arg)
						: vt_copy(e->message);
	char *name = body_alloc(b, strlen(type) + 1);
	strcpy(name, type);
	vt_exc_clear(b->rt);
	return raise_value(b, name, message);
}

/* ---- questions --------------------------------------------------------------------------- */

bool
body_is_text(const body_value *v)
{
	return v->kind == BODY_SCALAR && vt_is(v->v, STR);
}

bool
body_is_none(const body_value *v)
{
	return v->kind == BODY_SCALAR && v->v == VT_NULL;
}

bool
body_is_sequence(const body_value *v)
{
	return v->kind == BODY_LIST || v->kind == BODY_TUPLE;
}

bool
body_is_dict(const body_value *v)
{
	return v->kind == BODY_DICT || v->kind == BODY_RECORD;
}

const char *
body_type(const body_value *v)
{
	switch (v->kind) {
	case BODY_SCALAR: return vt_py_type(v->v);
	case BODY_LIST: return "list";
	case BODY_TUPLE: return "tuple";
	case BODY_SET: return "set";
	case BODY_VIEW: return v->name;
	case BODY_DICT: return "dict";
	case BODY_RECORD: return "Bunch";
	case BODY_FUNCTION:
	case BODY_METHOD: return "builtin_function_or_method";
	case BODY_SCRIPT: return v->code == 0 ? "ScriptRunner" : "FunctionRunner";
	case BODY_CLASS: return "type";
	case BODY_EXCEPTION: return v->name;
	}
	return "object";
}

bool
body_true(const body_value *v)
{
	switch (v->kind) {
	case BODY_SCALAR:
		if (vt_is(v->v, STR))
			return vt_as_str(v->v)->bytes > 0;
		return v->v != VT_NULL && (!(vt_is_number(v->v) || v->v == VT_FALSE) ||
						  vt_num_cmp(v->v, vt_mkint(0)) != 0);
	case BODY_LIST:
	case BODY_TUPLE:
	case BODY_SET:
	case BODY_VIEW:
	case BODY_DICT:
	case BODY_RECORD: return v->n > 0;
	case BODY_FUNCTION:
	case BODY_METHOD:
	case BODY_SCRIPT:
	case BODY_CLASS:
	case BODY_EXCEPTION: break;
	}
	return true;
}

/* ---- dicts ------------------------------------------------------------------------------- */

bool
body_key(body *b, const body_value *v)
{
	if (v->kind == BODY_LIST || v->kind == BODY_SET || body_is_dict(v)) {
		(void)body_raise(b, "TypeError", "unhashable type: '%s'", body_type(v));
		return false;
	}
	for (uint32_t i = 0; v->kind == BODY_TUPLE && i < v->n; i++)
		if (!body_step(b, 1) || !body_key(b, v->item[i]))
			return false;
	return true;
}

static bool
find(body *b, const body_value *dict, const body_value *key, uint32_t *at)
{
	const body_value *const *all =
		(const body_value *const *)(dict->kind == BODY_SET ? dict->item : dict->key);
	for (uint32_t i = 0; i < dict->n; i++) {
		if (!body_step(b, 1))
			return false;
		if (body_equal(b, all[i], key)) {
			*at = i;
			return true;
		}
	}
	return false;
}

body_value *
body_get(body *b, const body_value *dict, const body_value *key)
{
	uint32_t i;
	return find(b, dict, key, &i) ? dict->item[i] : NULL;
}

body_value *
body_get_c(body *b, const body_value *dict, const char *key)
{
	for (uint32_t i = 0; i < dict->n; i++) {
		if (!body_step(b, 1))
			return NULL;
		if (body_is_text(dict->key[i]) && strcmp(vt_as_str(dict->key[i]->v)->s, key) == 0)
			return dict->item[i];
	}
	return NULL;
}

bool
body_set(body *b, body_value *dict, body_value *key, body_value *value)
{
	uint32_t i;
	if (!body_key(b, key))
		return false;
	if (find(b, dict, key, &i)) {
		dict->item[i] = dict->kind == BODY_SET ? dict->item[i] : value;
		return true;
	}
	if (body_stopped(b) || !body_push(b, dict, value))
		return false;
	if (dict->kind != BODY_SET)
		dict->key[dict->n - 1] = key;
	return true;
}

bool
body_set_c(body *b, body_value *dict, const char *key, body_value *value)
{
	return body_set(b, dict, body_text(b, key, strlen(key)), value);
}

bool
body_remove(body *b, body_value *dict, const body_value *key)
{
	uint32_t i;
	if (!find(b, dict, key, &i))
		return false;
	dict->n--;
	memmove(dict->item + i, dict->item + i + 1, (dict->n - i) * sizeof *dict->item);
	if (dict->key != NULL)
		memmove(dict->key + i, dict->key + i + 1, (dict->n - i) * sizeof *dict->key);
	return true;
}

/* ---- values of the plan, and back -------------------------------------------------------- */

static body_value *
read_value(body *b, vt_value v, bool record, int depth)
{
	body_value *to;
	vt_value key, item;
	if (depth > BODY_DEPTH)
		return body_unable(b, "parameters are nested deeper than %d", BODY_DEPTH);
	if (!body_step(b, 1))
		return NULL;
	if (vt_is(v, DICT)) {
		to = body_new(b, record ? BODY_RECORD : BODY_DICT);
		for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &item);) {
			body_value *x = read_value(b, item, false, depth + 1);
			if (x == NULL || !body_push(b, to, x))
				return NULL;
			to->key[to->n - 1] = body_scalar(b, vt_copy(key)); /* no key comes twice */
		}
		return to;
	}
	if (vt_is_sequence(v)) {
		to = body_new(b, BODY_LIST);
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
			body_value *x = read_value(b, vt_as_list(v)->v[i], false, depth + 1);
			if (x == NULL || !body_push(b, to, x))
				return NULL;
		}
		return to;
	}
	if (vt_is_ptr(v) && !vt_is(v, STR) && !vt_is_number(v))
		return body_unable(b, "a parameter is a %s", vt_py_type(v));
	return body_scalar(b, vt_copy(v));
}

body_value *
body_from(body *b, vt_value v, bool record)
{
	return read_value(b, v, record, 0);
}

/* `json`: keys become texts, and what JSON has not is refused. */
typedef struct writer {
	body *b;
	bool json;
	size_t room; /* one list may stand in many places: what is written is bounded by itself */
} writer;

static bool write_value(writer *, const body_value *, int depth, vt_value *out);

static bool
write_items(writer *w, const body_value *v, int depth, vt_value *out)
{
	vt_list *l = vt_list_grow(
		w->b->rt, v->kind == BODY_TUPLE && !w->json ? VT_K_TUPLE : VT_K_LIST, v->n);
	*out = vt_mkptr(l);
	for (uint32_t i = 0; i < v->n; i++) {
		vt_value item;
		if (!write_value(w, v->item[i], depth + 1, &item))
			return false;
		vt_list_push(w->b->rt, l, item);
	}
	return true;
}

/* A key as json.dumps() writes it. */
static bool
write_key(writer *w, const body_value *key, int depth, vt_value *out)
{
	vt_buf t = {0};
	if (!w->json || body_is_text(key))
		return write_value(w, key, depth, out);
	if (key->kind != BODY_SCALAR)
		return false;
	if (key->v == VT_NULL || vt_is_bool(key->v))
		vt_yaqlstr(w->b->rt, &t, key->v);
	else
		vt_pystr(w->b->rt, &t, key->v);
	*out = vt_str_take(w->b->rt, &t);
	return true;
}

static bool
write_dict(writer *w, const body_value *v, int depth, vt_value *out)
{
	vt_dict *d = vt_dict_new(w->b->rt, false);
	*out = vt_mkptr(d);
	for (uint32_t i = 0; i < v->n; i++) {
		vt_value key, item = VT_UNDEF;
		bool good = write_key(w, v->key[i], depth + 1, &key);
		if (!good)
			return false;
		good = write_value(w, v->item[i], depth + 1, &item) &&
		       vt_dict_set(w->b->rt, d, key, item) == VT_OK;
		vt_release(key);
		vt_release(item);
		if (!good)
			return false;
	}
	return true;
}

static bool
write_value(writer *w, const body_value *v, int depth, vt_value *out)
{
	size_t size = sizeof *v + (body_is_text(v) ? vt_as_str(v->v)->bytes : 0);
	bool good = false;
	*out = VT_UNDEF;
	if (depth > BODY_DEPTH || size > w->room)
		return false;
	w->room -= size;
	switch (v->kind) {
	case BODY_SCALAR: *out = vt_copy(v->v); return true;
	case BODY_LIST:
	case BODY_TUPLE: good = write_items(w, v, depth, out); break;
	case BODY_DICT:
	case BODY_RECORD: good = write_dict(w, v, depth, out); break;
	case BODY_SET:
	case BODY_VIEW:
	case BODY_FUNCTION:
	case BODY_METHOD:
	case BODY_SCRIPT:
	case BODY_CLASS:
	case BODY_EXCEPTION: return false;
	}
	if (!good)
		vt_clear(out);
	return good;
}

bool
body_to_json(body *b, const body_value *v, vt_value *out)
{
	writer w = {.b = b, .json = true, .room = BODY_MEMORY};
	return write_value(&w, v, 0, out);
}

/* ---- texts ------------------------------------------------------------------------------- */

vt_value
body_plain(body *b, const body_value *v)
{
	writer w = {.b = b, .room = BODY_MEMORY};
	vt_value plain;
	if (!write_value(&w, v, 0, &plain)) {
		(void)body_unable(b, "the text of a '%s'", body_type(v));
		return VT_UNDEF;
	}
	return plain;
}

/* KeyError('k') */
static vt_value
exception_repr(body *b, const body_value *e)
{
	body_value all = {.kind = BODY_TUPLE, .item = e->item, .n = e->n};
	vt_value inner = e->n == 1 ? body_repr(b, e->item[0]) : body_repr(b, &all), out;
	if (inner == VT_UNDEF)
		return VT_UNDEF;
	out = vt_str_printf(b->rt, e->n == 1 ? "%s(%s)" : "%s%s", e->name, vt_as_str(inner)->s);
	vt_release(inner);
	return out;
}

vt_value
body_repr(body *b, const body_value *v)
{
	vt_buf t = {0};
	vt_value plain;
	if (v->kind == BODY_EXCEPTION)
		return exception_repr(b, v);
	plain = body_plain(b, v);
	if (plain == VT_UNDEF)
		return VT_UNDEF;
	vt_repr(b->rt, &t, plain);
	vt_release(plain);
	return vt_str_take(b->rt, &t);
}

vt_value
body_str(body *b, const body_value *v)
{
	vt_buf t = {0};
	body_value all = {.kind = BODY_TUPLE, .item = v->item, .n = v->n};
	if (body_is_text(v))
		return vt_copy(v->v);
	if (v->kind == BODY_SCALAR) {
		vt_pystr(b->rt, &t, v->v);
		return vt_str_take(b->rt, &t);
	}
	if (v->kind != BODY_EXCEPTION)
		return body_repr(b, v);
	if (v->n == 0)
		return vt_str_c(b->rt, "");
	if (v->n > 1)
		return body_repr(b, &all);
	return strcmp(v->name, "KeyError") == 0 ? body_repr(b, v->item[0])
						: body_str(b, v->item[0]);
}

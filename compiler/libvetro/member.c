/*
 * member.c - objects of the host as values, and what expressions see of them.
 */
#include "compiler/libvetro/int.h"
#include "compiler/libvetro/vetro_host.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- objects ------------------------------------------------------------------------------ */

/* The first word of user data that libvetro adds: the host's own type. */
typedef struct hosted {
	const vetro_object_type *type;
	const vetro_members *members; /* or NULL */
	vetro_engine *engine;
	void *user;
} hosted;

struct vetro_text {
	vt_buf *b;
};

void
vetro_put(vetro_text *t, const char *s, size_t n)
{
	vt_buf_put(t->b, s, lv_length(s, n));
}

static const char *
hosted_type(void *data)
{
	hosted *h = data;
	const char *name = h->type->type ? h->type->type(h->user) : NULL;

	return name != NULL ? name : "object";
}

static bool
hosted_equal(void *a, void *b)
{
	hosted *x = a, *y = b;

	return x->type == y->type &&
	       (x->user == y->user || (x->type->equal && x->type->equal(x->user, y->user)));
}

static bool
hosted_hash(void *data, uint64_t *hash)
{
	hosted *h = data;

	if (h->type->hash != NULL)
		return h->type->hash(h->user, hash) == 0;
	*hash = (uint64_t)(uintptr_t)h->user;
	return true;
}

static void
hosted_text(void *data, bool repr, vt_buf *b)
{
	hosted *h = data;
	vetro_text to = {b};
	vt_buf own = {NULL, 0, 0};

	if (h->type->text == NULL) {
		vt_buf_printf(b, "<%s object>", hosted_type(data));
		return;
	}
	to.b = &own;
	h->type->text(h->user, repr, &to);
	vt_buf_repair(&own);
	if (own.n > 0)
		vt_buf_put(b, own.p, own.n);
	vt_buf_free(&own);
}

static bool
hosted_truth(void *data)
{
	hosted *h = data;

	return h->type->truth == NULL || h->type->truth(h->user) != 0;
}

static void
hosted_drop(void *data)
{
	hosted *h = data;

	if (h->type->drop != NULL)
		h->type->drop(h->user);
	free(h);
}

/* ---- members ------------------------------------------------------------------------------ */

static const vetro_rename *
rename_of(const vetro_members *m, const char *name)
{
	for (const vetro_rename *r = m->renames; r != NULL && r->shown != NULL; r++)
		if (strcmp(r->shown, name) == 0)
			return r;
	return NULL;
}

static bool
is_inner(const vetro_members *m, const char *name)
{
	for (const vetro_rename *r = m->renames; r != NULL && r->shown != NULL; r++)
		if (strcmp(r->inner, name) == 0)
			return true;
	return false;
}

static bool
is_listed(const char *const *list, const char *name)
{
	for (; list != NULL && *list != NULL; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static bool
is_shown(const hosted *h, const char *name)
{
	const vetro_members *m = h->members;
	bool white = m->white != NULL && m->white[0] != NULL;

	if (name[0] == '_' || (m->shows != NULL && m->shows(h->user, name) == 0))
		return false;
	if (white)
		return is_listed(m->white, name);
	return !is_listed(m->black, name) && (rename_of(m, name) != NULL || !is_inner(m, name));
}

static vt_status
hide(vt_rt *rt, enum vt_etype type, const char *name)
{
	return vt_raise(rt, type, "Cannot access %s", name);
}

/* The result of a callback; without one and without an error there is no such member. */
static vt_status
member(vt_rt *rt, hosted *h, vetro_value made, enum vt_etype type, const char *name, vt_value *out)
{
	h->engine->running--;
	rt->depth--;
	if (made != NULL) {
		vt_exc_clear(rt);
		*out = word(made);
		return VT_OK;
	}
	if (vt_pending(rt) != NULL)
		return VT_ERROR;
	if (type == VT_E_KEY)
		return vt_raise(rt, type, "%s", name);
	return vt_raise(rt, type, "'%s' object has no attribute '%s'", hosted_type(h), name);
}

static vt_status
enter(vt_rt *rt, hosted *h)
{
	if (rt->depth >= rt->max_depth)
		return vt_raise_depth(rt);
	rt->depth++;
	h->engine->running++;
	h->engine->escapes++;
	return VT_OK;
}

static vt_status
hosted_get(vt_rt *rt, void *data, const char *name, vt_value *out, bool *done)
{
	hosted *h = data;
	const vetro_members *m = h->members;
	const vetro_rename *r;

	*done = m != NULL && m->get != NULL && !(m->hidden & VETRO_NO_ATTRIBUTES);
	if (!*done)
		return VT_OK;
	if (!is_shown(h, name))
		return hide(rt, VT_E_ATTRIBUTE, name);
	VT_TRY(enter(rt, h));
	r = rename_of(m, name);
	return member(rt, h, m->get(h->engine, h->user, r != NULL ? r->inner : name),
		VT_E_ATTRIBUTE, name, out);
}

static vt_status
hosted_item(vt_rt *rt, void *data, vt_value key, vt_value *out)
{
	hosted *h = data;
	const vetro_members *m = h->members;
	vt_buf text = {NULL, 0, 0};
	vt_status st;

	if (m == NULL || m->item == NULL || m->hidden & VETRO_NO_ITEMS)
		return vt_raise(rt, VT_E_NO_MATCHING_FUNCTION,
			"No function \"#indexer\" matches supplied arguments");
	if (vt_is(key, STR) && !is_shown(h, vt_as_str(key)->s))
		return hide(rt, VT_E_KEY, vt_as_str(key)->s);
	VT_TRY(enter(rt, h));
	vt_pystr(rt, &text, key);
	vt_buf_putc(&text, '\0');
	st = member(rt, h, m->item(h->engine, h->user, handle(key)), VT_E_KEY, text.p, out);
	vt_buf_free(&text);
	return st;
}

static bool
hosted_has_methods(void *data)
{
	const hosted *h = data;
	const vetro_members *m = h->members;

	return m != NULL && m->call != NULL && !(m->hidden & VETRO_NO_METHODS);
}

static const char *
inner_keyword(const vetro_rename *r, const char *name)
{
	const char *const *pair = r != NULL ? r->keywords : NULL;

	for (; pair != NULL && pair[0] != NULL && pair[1] != NULL; pair += 2)
		if (strcmp(pair[0], name) == 0)
			return pair[1];
	return name;
}

/* The keywords by their inner names, owned; NULL: there are none. */
static vetro_value
inner_keywords(vetro_engine *e, const vetro_rename *r, vt_value kwargs)
{
	vetro_value d = NULL;
	vt_value key, v;

	if (!vt_is(kwargs, DICT) || vt_dict_len(vt_as_dict(kwargs)) == 0)
		return NULL;
	d = vetro_dict(e);
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(kwargs), &i, &key, &v);)
		(void)vetro_dict_put_name(
			e, d, inner_keyword(r, vt_as_str(key)->s), handle(vt_copy(v)));
	return d;
}

enum { FEW_ARGS = 16 };

static vt_status
hosted_send(vt_rt *rt, void *data, const char *name, uint32_t n, const vt_value *args,
	vt_value kwargs, vt_value *out)
{
	hosted *h = data;
	const vetro_members *m = h->members;
	const vetro_rename *r = rename_of(m, name);
	vetro_value few[FEW_ARGS], *v = few, kw, made;

	if (!is_shown(h, name))
		return hide(rt, VT_E_ATTRIBUTE, name);
	VT_TRY(enter(rt, h));
	if (n > FEW_ARGS)
		v = vt_xmalloc(n * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = handle(args[i]);
	kw = inner_keywords(h->engine, r, kwargs);
	made = m->call(h->engine, h->user, r != NULL ? r->inner : name, n, v, kw);
	vetro_unref(kw);
	if (v != few)
		free(v);
	return member(rt, h, made, VT_E_ATTRIBUTE, name, out);
}

static bool
hosted_has_items(void *data)
{
	const hosted *h = data;
	const vetro_members *m = h->members;

	return m != NULL && m->size >= sizeof *m && m->items != NULL;
}

static vt_status
hosted_iterate(vt_rt *rt, void *data, vt_value *iter)
{
	hosted *h = data;
	vt_value made = VT_UNDEF;
	vt_status st;

	VT_TRY(enter(rt, h));
	VT_TRY(member(rt, h, h->members->items(h->engine, h->user), VT_E_TYPE, "__iter__", &made));
	st = vt_iterate(rt, made, iter);
	vt_release(made);
	return st;
}

static const vt_foreign_ops hosted_ops = {
	.type = hosted_type,
	.equal = hosted_equal,
	.hash = hosted_hash,
	.text = hosted_text,
	.truth = hosted_truth,
	.drop = hosted_drop,
	.get = hosted_get,
	.item = hosted_item,
	.has_methods = hosted_has_methods,
	.send = hosted_send,
	.has_items = hosted_has_items,
	.iterate = hosted_iterate,
};

vetro_value
vetro_object_with(
	vetro_engine *e, const vetro_object_type *type, const vetro_members *members, void *user)
{
	vt_foreign *f;
	hosted *h;

	if (members != NULL && members->size < offsetof(vetro_members, items))
		return NULL; /* those who know no items have a smaller one */
	f = vt_alloc(e->rt, sizeof *f, VT_K_HOST);
	h = vt_xmalloc(sizeof *h);
	*h = (hosted){type, members, e, user};
	f->h.aux = VT_HOST_FOREIGN;
	f->ops = &hosted_ops;
	f->user = h;
	return handle(vt_mkptr(f));
}

vetro_value
vetro_object(vetro_engine *e, const vetro_object_type *type, void *user)
{
	return vetro_object_with(e, type, NULL, user);
}

void *
vetro_object_user(vetro_value v, const vetro_object_type *type)
{
	const vt_foreign *f = v != NULL ? vt_foreign_of(word(v)) : NULL;
	const hosted *h = f != NULL && f->ops == &hosted_ops ? f->user : NULL;

	return h != NULL && h->type == type ? h->user : NULL;
}

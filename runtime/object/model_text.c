/*
 * model_text.c - the model as JSON text, object by object (muranopl-engine.md 8).
 *
 * serialize.c makes a tree, in several walks, because a reference to an object that no owner holds
 * makes that object appear in its place.  Nearly always there is none: every object stands where
 * its owner holds it, and the first walk says all.  So a walk that makes nothing looks whether that
 * is so, and if it is, another one writes the text, in pieces. If not, or where there are values
 * that need thought, the tree is made.
 *
 * An object that was written has the mark of the walk; ids that are no texts might be two objects'
 * (store.h: odd_ids).
 *
 * ObjectsCopy is the same text but for the headers: while it is not too long it is put together
 * beside the first, so that the model is walked once.
 */
#include "runtime/object/serialize.h"
#include "runtime/object/store.h"
#include "runtime/core/exception.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* What the text of every object of a class has. */
struct vt_text_plan {
	struct text_prop {
		char *key;
		uint32_t n;
		int32_t slot;
	} * props; /* key: with a comma in front, quotes and colon */
	uint32_t nprops;
	bool has_actions;
	char *head; /* from the brace to the id's value */
	uint32_t head_n;
};

struct text {
	struct ser ser; /* for the header; `done` is not used */
	vt_rt *rt;
	vt_buf *b; /* NULL: the walk that looks */
	const vt_sink *sink;
	uint32_t mark;
	vt_object **left; /* references to what was not written yet */
	size_t nleft;
	/* ObjectsCopy, or NULL; what b has from `from` on has yet to come to it */
	vt_buf *copy;
	size_t from;
	bool no_objects; /* whoever meets one gives up */
};
enum { MOST_COPIED = 32 << 20 };

/* ---- plans ---- */

static bool
is_planned(const struct vt_text_plan *p, int32_t slot)
{
	for (uint32_t i = 0; i < p->nprops; i++)
		if (p->props[i].slot == slot)
			return true;
	return false;
}

/* Of a name that is declared twice the first place counts, and both mean one slot. */
static void
plan_declared(struct vt_text_plan *p, const vt_class *c, const vt_class_decl *decl)
{
	for (uint32_t i = 0; decl != NULL && i < decl->nprops; i++) {
		const vt_prop_decl *d = decl->props[i];
		vt_buf key = {0};
		int32_t slot = -1;
		if (d->usage == VT_P_RUNTIME || d->usage == VT_P_CONFIG || d->usage == VT_P_STATIC)
			continue;
		for (uint32_t k = 0; k < c->nslots && slot < 0; k++)
			if (vt_str_eq(c->slots[k].name, d->name))
				slot = (int32_t)k;
		if (slot < 0 || is_planned(p, slot))
			continue;
		vt_buf_putc(&key, ',');
		vt_json_str(&key, d->name->s, d->name->bytes);
		vt_buf_putc(&key, ':');
		p->props[p->nprops++] = (struct text_prop){key.p, (uint32_t)key.n, slot};
	}
}

static const char before_type[] = "{\"?\":{\"type\":", behind_type[] = ",\"id\":";

static struct vt_text_plan *
plan_of(struct text *t, vt_class *c)
{
	struct vt_text_plan *p = c->text;
	vt_buf head = {0}, type = {0};
	if (p != NULL)
		return p;
	p = c->text = vt_xmalloc(sizeof *p);
	*p = (struct vt_text_plan){.props = vt_xmalloc((c->nslots + 1) * sizeof *p->props)};
	for (uint32_t i = c->nlinear; i-- > 0;) {
		plan_declared(p, c, c->linear[i]->native);
		plan_declared(p, c, c->linear[i]->decl);
	}
	p->has_actions = vt_class_has_actions(t->rt, c);
	vt_type_string(&type, c->decl);
	vt_buf_puts(&head, before_type);
	vt_json_str(&head, type.p, type.n);
	vt_buf_puts(&head, behind_type);
	vt_buf_free(&type);
	p->head = head.p;
	p->head_n = (uint32_t)head.n;
	return p;
}

void
vt_text_plan_free(struct vt_text_plan *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; i < p->nprops; i++)
		free(p->props[i].key);
	free(p->props);
	free(p->head);
	free(p);
}

/* ---- the walk; false: the tree must be made ---- */

static bool walk(struct text *t, vt_value v, vt_object *parent, int depth);

static bool
walk_list(struct text *t, vt_value from, vt_object *parent, int depth)
{
	vt_value v;
	bool first = true;
	if (t->b != NULL)
		vt_buf_putc(t->b, '[');
	for (uint32_t i = 0; vt_is(from, SET)          ? vt_set_at(vt_as_set(from), &i, &v)
			     : i < vt_as_list(from)->n ? (v = vt_as_list(from)->v[i++], true)
						       : false;
		first = false) {
		if (t->b != NULL && !first)
			vt_buf_putc(t->b, ',');
		if (!walk(t, v, parent, depth + 1))
			return false;
	}
	if (t->b != NULL)
		vt_buf_putc(t->b, ']');
	return true;
}

static bool
walk_dict(struct text *t, const vt_dict *d, vt_object *parent, int depth)
{
	vt_value key, v;
	bool first = true;
	if (t->b != NULL)
		vt_buf_putc(t->b, '{');
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v); first = false) {
		if (!vt_is(key, STR))
			return false;
		if (t->b != NULL) {
			if (!first)
				vt_buf_putc(t->b, ',');
			vt_encode_result(t->rt, t->b, key);
			vt_buf_putc(t->b, ':');
		}
		if (!walk(t, v, parent, depth + 1))
			return false;
	}
	if (t->b != NULL)
		vt_buf_putc(t->b, '}');
	return true;
}

/* ---- ObjectsCopy beside it ---- */

static void
give_up_copy(struct text *t)
{
	if (t->copy != NULL)
		vt_buf_free(t->copy);
	t->copy = NULL;
}

/* What was written so far goes to the copy, too. */
static void
copy_until_here(struct text *t)
{
	if (t->copy == NULL)
		return;
	vt_buf_put(t->copy, t->b->p + t->from, t->b->n - t->from);
	t->from = t->b->n;
	if (t->copy->n > MOST_COPIED)
		give_up_copy(t);
}

/* Text that the copy does not have. */
static void
put_first_only(struct text *t, const char *text)
{
	copy_until_here(t);
	vt_buf_puts(t->b, text);
	t->from = t->b->n;
}

static bool write_made_header(struct text *, vt_object *, int depth);

/* The header as the copy has it. An object in it would be written a second time, which one walk
 * cannot do. */
static void
copy_header(struct text *t, vt_object *o, int depth)
{
	struct text own = *t;
	if (t->copy == NULL)
		return;
	own.b = t->copy;
	own.copy = NULL;
	own.sink = NULL;
	own.no_objects = true;
	own.ser.designer = own.ser.actions = false;
	if (!write_made_header(&own, o, depth))
		give_up_copy(t);
}

/* ---- headers ---- */

static bool
write_made_header(struct text *t, vt_object *o, int depth)
{
	vt_dict *h = NULL;
	bool ok;
	if (vt_header_of(&t->ser, o, o->cls, &h) != VT_OK) {
		vt_exc_clear(t->rt);
		return false;
	}
	if (t->b != NULL)
		vt_buf_puts(t->b, "{\"?\":");
	ok = walk(t, vt_mkptr(h), o, depth + 1);
	vt_release(vt_mkptr(h));
	return ok;
}

/* Where designers, actions or subscriptions have their part, it is made as serialize.c makes it. */
static bool
walk_header(struct text *t, vt_object *o, const struct vt_text_plan *p, int depth)
{
	bool ok;
	if (o->more->designer == VT_NULL && o->more->dependencies == VT_NULL &&
		!(p->has_actions && t->ser.actions)) {
		if (t->b == NULL)
			return walk(t, o->more->metadata, o, depth + 2);
		vt_buf_put(t->b, p->head, p->head_n);
		vt_encode_result(t->rt, t->b, vt_object_id(o));
		vt_buf_puts(t->b, ",\"name\":");
		vt_encode_result(t->rt, t->b, o->name);
		vt_buf_puts(t->b, ",\"metadata\":");
		ok = walk(t, o->more->metadata, o, depth + 2);
		vt_buf_puts(t->b, o->destroyed ? ",\"destroyed\":true" : "");
		if (t->ser.actions)
			put_first_only(t, ",\"_actions\":{}");
		vt_buf_putc(t->b, '}');
		return ok;
	}
	if (t->copy == NULL)
		return write_made_header(t, o, depth);
	copy_until_here(t);
	ok = write_made_header(t, o, depth);
	t->from = t->b->n;
	copy_header(t, o, depth);
	return ok;
}

static bool
put_out(struct text *t)
{
	if (t->b != NULL && t->sink != NULL && t->b->n >= t->sink->piece) {
		copy_until_here(t);
		t->sink->put(t->sink->ctx, t->b->p, t->b->n);
		t->b->n = t->from = 0;
	}
	return true;
}

static bool
write_object(struct text *t, vt_object *o, int depth)
{
	const struct vt_text_plan *p = plan_of(t, o->cls);
	o->mark = t->mark;
	if (!walk_header(t, o, p, depth))
		return false;
	for (uint32_t i = 0; i < p->nprops; i++) {
		vt_value v = o->v[p->props[i].slot];
		if (v == VT_UNDEF)
			continue;
		if (t->b != NULL)
			vt_buf_put(t->b, p->props[i].key, p->props[i].n);
		if (!walk(t, v, o, depth + 1))
			return false;
	}
	if (t->b != NULL)
		vt_buf_putc(t->b, '}');
	return put_out(t);
}

static bool
walk_object(struct text *t, vt_value v, vt_object *parent, int depth)
{
	vt_object *o = vt_obj_of(v);
	bool written = o->mark == t->mark;
	if (t->no_objects)
		return false;
	if (o->owner == parent && !written)
		return vt_is(v, OBJECT) && write_object(t, o, depth);
	if (t->b != NULL) {
		vt_encode_result(t->rt, t->b, vt_object_id(o));
	} else if (!written) {
		vt_push(t->left, t->nleft) = o;
	}
	return true;
}

/* What template() makes has its type as a value. */
static bool
walk_type(struct text *t, vt_class *c)
{
	const struct vt_text_plan *p;
	if (t->b == NULL)
		return true;
	p = plan_of(t, c);
	vt_buf_put(t->b, p->head + sizeof before_type - 1,
		p->head_n - (sizeof before_type - 1) - (sizeof behind_type - 1));
	return true;
}

static bool
walk_heap(struct text *t, vt_value v, vt_object *parent, int depth)
{
	switch (VT_KIND(v)) {
	case VT_K_OBJECT:
	case VT_K_CAST: return walk_object(t, v, parent, depth);
	case VT_K_DICT: return walk_dict(t, vt_as_dict(v), parent, depth);
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_SET: return walk_list(t, v, parent, depth);
	case VT_K_TYPEREF: return walk_type(t, VT_AS(vt_typeref_obj, v)->cls);
	case VT_K_REFLECT:
		return vt_head_of(v)->aux == VT_R_TYPE &&
		       walk_type(t, (vt_class *)(uintptr_t)VT_AS(vt_reflect_obj, v)->what);
	}
	return false;
}

static bool
walk(struct text *t, vt_value v, vt_object *parent, int depth)
{
	bool ok;
	if (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR) {
		if (t->b != NULL)
			vt_encode_result(t->rt, t->b, v == VT_NOVALUE ? VT_NULL : v);
		return true;
	}
	if (vt_too_deep(t->rt) || depth >= VT_ENCODE_DEPTH - 4)
		return false;
	t->rt->depth++;
	ok = walk_heap(t, v, parent, depth);
	t->rt->depth--;
	return ok;
}

/* ---- the parts of a model ---- */

static uint32_t
next_mark(vt_rt *rt)
{
	struct vt_store *s = vt_store_of(rt);
	if (++s->marks == 0) {
		for (vt_object *o = s->all; o != NULL; o = o->next)
			o->mark = 0;
		s->marks = 1;
	}
	return s->marks;
}

/* Does one walk say all? */
static bool
looks_whole(struct text *t, vt_object *root)
{
	bool ok;
	t->mark = next_mark(t->rt);
	ok = walk(t, vt_mkptr(root), root->owner, 1);
	for (size_t i = 0; ok && i < t->nleft; i++)
		ok = t->left[i]->mark == t->mark;
	free(t->left);
	t->left = NULL;
	t->nleft = 0;
	return ok;
}

static void
write_part(struct text *t, vt_object *root, vt_buf *b)
{
	t->b = b;
	t->mark = next_mark(t->rt);
	(void)walk(t, vt_mkptr(root), root->owner, 1);
	t->b = NULL;
}

/* As it was put together, or by a walk of its own. */
static void
write_copy(struct text *t, vt_object *root, vt_buf *b)
{
	vt_buf *copy = t->copy;
	t->ser.designer = t->ser.actions = false;
	t->copy = NULL;
	if (copy == NULL) {
		write_part(t, root, b);
		return;
	}
	if (t->sink != NULL) {
		t->sink->put(t->sink->ctx, b->p, b->n);
		t->sink->put(t->sink->ctx, copy->p, copy->n);
		b->n = 0;
	} else {
		vt_buf_put(b, copy->p, copy->n);
	}
	vt_buf_free(copy);
}

static bool
is_marked(vt_rt *rt, vt_value id, const void *mark)
{
	const vt_object *o = vt_is(id, STR) ? vt_store_peek(rt, vt_as_str(id)) : NULL;
	return o != NULL && o->mark == *(const uint32_t *)mark;
}

static void
write_rest(vt_rt *rt, vt_buf *b)
{
	vt_value key, v;
	for (uint32_t i = 0;
		rt->s->kept != VT_NULL && vt_dict_at(vt_as_dict(rt->s->kept), &i, &key, &v);) {
		vt_buf_putc(b, ',');
		vt_encode_result(rt, b, key);
		vt_buf_putc(b, ':');
		vt_encode_result(rt, b, v);
	}
}

static bool
write_whole(vt_rt *rt, vt_object *root, vt_buf *b, const vt_sink *sink)
{
	struct text t = {.rt = rt,
		.sink = sink,
		.ser = {.rt = rt,
			.kind = VT_DUMP_SERIALIZABLE,
			.designer = true,
			.actions = true,
			.dependencies = true}};
	vt_buf copy = {0};
	vt_value rows;
	if (vt_store_of(rt)->odd_ids || !looks_whole(&t, root))
		return false;
	vt_buf_puts(b, "{\"Objects\":");
	t.copy = &copy;
	t.from = b->n;
	write_part(&t, root, b);
	t.b = b;
	copy_until_here(&t);
	t.b = NULL;
	rows = vt_attribute_rows_of(rt, is_marked, &t.mark);
	vt_buf_puts(b, ",\"ObjectsCopy\":");
	write_copy(&t, root, b);
	vt_buf_puts(b, ",\"Attributes\":");
	vt_encode_result(rt, b, rows);
	write_rest(rt, b);
	vt_buf_putc(b, '}');
	vt_release(rows);
	return true;
}

vt_status
vt_write_model(vt_rt *rt, vt_value root, vt_buf *b, const vt_sink *sink)
{
	vt_value tree = VT_UNDEF;
	if (vt_is(root, OBJECT) && write_whole(rt, VT_AS(vt_object, root), b, sink))
		return VT_OK;
	VT_TRY(vt_serialize_model(rt, root, &tree));
	vt_encode_result(rt, b, tree);
	vt_release(tree);
	return VT_OK;
}

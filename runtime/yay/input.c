/*
 * input.c - Yay where a program takes JSON: object models of MuranoPL, inputs of services.
 *
 * An object of `create` is made once and may be used in several places, while a model has an object
 * once and refers to it elsewhere.  So objects get marks for ids at first, and when it is known
 * which are used more than once these get their path for an id, and the others none, as in a model
 * written by hand.
 */
#include "runtime/yay/api.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { MARK = 1, DEPTH = 500 };

/* ---- reading ---- */

static const char *
shown(const char *path)
{
	return strcmp(path, "-") ? path : "<stdin>";
}

static bool
refuse(vt_yconf *c, const char *path, char **why)
{
	const vt_yfault *f = vt_yay_reader.fault(c);
	vt_buf b = {0};

	if (!f->nplaces || !f->place[0].name)
		vt_buf_printf(&b, "%s: ", shown(path));
	for (uint32_t i = 0; i < f->nplaces && i < 1; i++)
		if (f->place[0].name && f->place[0].line)
			vt_buf_printf(&b, "%s:%u:%u: ", f->place[0].name, f->place[0].line,
				f->place[0].col);
		else if (f->place[0].name)
			vt_buf_printf(&b, "%s: ", f->place[0].name);
	vt_buf_printf(&b, "%s [%s]", f->message ? f->message : "", f->type);
	for (uint32_t i = 1; i < f->nplaces; i++)
		if (f->place[i].name)
			vt_buf_printf(&b, "\n%s:%u:%u: through this", f->place[i].name,
				f->place[i].line, f->place[i].col);
	vt_buf_putc(&b, '\0');
	*why = b.p;
	return false;
}

/* NULL: *why says. */
static vt_yconf *
open_input(vt_rt *rt, const vt_yconf_options *o, const char *path, const char *text, size_t n,
	char **why)
{
	vt_yconf *c;
	bool good;

	c = vt_yay_reader.open(rt, o);
	good = strcmp(path, "-") ? vt_yay_reader.load_file(c, path)
				 : vt_yay_reader.load_text(c, shown(path), text, n);
	if (good)
		return c;
	refuse(c, path, why);
	vt_yay_reader.close(c);
	return NULL;
}

/* ---- inputs ---- */

static bool
is_written(vt_value v)
{
	return vt_is(v, STR) || vt_is_int(v) || vt_is(v, BIGINT) || vt_is(v, FLOAT);
}

/* False with *failed: the configuration is to blame. */
static bool
give_part(vt_yconf *c, vt_ynode *root, uint32_t i, vt_yay_entry *entry, void *ctx, bool *failed)
{
	vt_value key, v = VT_UNDEF;
	vt_ynode *at = vt_yay_reader.part(c, root, i, &key);
	bool text, ok;

	*failed = !at || !vt_yay_reader.value(c, at, VT_YAS_VALUE, &v);
	if (*failed)
		return false;
	text = is_written(v);
	if (text) {
		vt_release(v);
		*failed = !vt_yay_reader.value(c, at, VT_YAS_STRING, &v);
		if (*failed)
			return false;
	}
	ok = entry(ctx, vt_as_str(key)->s, v, text);
	vt_release(v);
	return ok;
}

static bool
not_a_mapping(const char *path, char **why)
{
	*why = vt_asprintf("%s: a mapping is expected", shown(path));
	return false;
}

bool
vt_yay_entries(vt_rt *rt, const char *path, const char *text, size_t n, vt_yay_entry *entry,
	void *ctx, char **why)
{
	vt_yconf_options o = {.files = true};
	vt_yconf *c = open_input(rt, &o, path, text, n, why);
	enum vt_yshape_kind kind;
	uint32_t parts = 0;
	vt_ynode *root;
	bool ok = true, failed = false;

	*why = c ? NULL : *why;
	if (!c)
		return false;
	root = vt_yay_reader.at(c, NULL, "", 0);
	failed = !root || !vt_yay_reader.shape(c, root, &kind, &parts);
	if (!failed && kind != VT_YS_MAP)
		ok = not_a_mapping(path, why);
	for (uint32_t i = 0; i < parts && ok && !failed; i++)
		ok &= give_part(c, root, i, entry, ctx, &failed);
	if (failed)
		ok = refuse(c, path, why);
	vt_yay_reader.close(c);
	return ok;
}

/* ---- objects of the program's classes ---- */

struct classes {
	vt_rt *rt;
	uint32_t made;
};

/* Behind the name may stand a version and a package. */
static bool
has_class(void *ctx, const char *name)
{
	const vt_program *p = ((struct classes *)ctx)->rt->program;
	size_t n = strcspn(name, "/@");

	for (uint32_t i = 0; p && i < p->nclasses; i++)
		if (p->classes[i]->name->bytes == n && memcmp(p->classes[i]->name->s, name, n) == 0)
			return true;
	return false;
}

static vt_status
make(void *ctx, vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	struct classes *k = ctx;
	vt_dict *members = vt_dict_new_hashed(rt, false), *about = vt_dict_new_hashed(rt, false);
	char mark[24];

	snprintf(mark, sizeof mark, "%c%u", MARK, ++k->made);
	vt_dict_set_c(rt, about, "type", vt_str_c(rt, name));
	vt_dict_set_c(rt, about, "id", vt_str_c(rt, mark));
	vt_dict_set_c(rt, members, "?", vt_mkptr(about));
	*out = vt_mkptr(members);
	return VT_OK;
}

/* ---- a model of what was made ---- */

typedef struct pass {
	vt_rt *rt;
	vt_dict *used;  /* id -> how often */
	vt_dict *first; /* id -> what it was when it came first */
	vt_dict *final; /* mark -> id */
	vt_buf path;
	uint32_t depth;
	bool deep;
} pass;

static const vt_str *
id_of(vt_value v)
{
	vt_value about = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), "?") : VT_UNDEF, id;

	if (about == VT_UNDEF || !vt_is(about, DICT))
		return NULL;
	id = vt_dict_get_c(vt_as_dict(about), "id");
	return id != VT_UNDEF && vt_is(id, STR) ? vt_as_str(id) : NULL;
}

static vt_value
str_value(const vt_str *s)
{
	return vt_mkptr((void *)(uintptr_t)s);
}

static void
count(pass *p, vt_value v)
{
	const vt_str *id = id_of(v);
	vt_value key, item, n = vt_mkint(1);
	uint32_t pos = 0;

	if (p->depth >= DEPTH) {
		p->deep = true;
		return;
	}
	p->depth++;
	if (id) {
		n = vt_dict_get(p->used, str_value(id));
		n = vt_mkint(n == VT_UNDEF ? 1 : vt_toint(n) + 1);
		vt_dict_set(p->rt, p->used, str_value(id), n);
	}
	if (vt_is(v, DICT) && (!id || n == vt_mkint(1)))
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &item))
			count(p, item);
	else if (vt_is_sequence(v))
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			count(p, vt_as_list(v)->v[i]);
	p->depth--;
}

static vt_value rebuilt(pass *, vt_value);

/* ? of an object that `create` has made. */
static vt_value
about_made(pass *p, vt_value about, const vt_str *mark)
{
	vt_dict *d = vt_dict_new_hashed(p->rt, false);
	vt_value key, item;
	uint32_t pos = 0;
	bool again = vt_dict_get(p->used, str_value(mark)) != vt_mkint(1);

	while (vt_dict_at(vt_as_dict(about), &pos, &key, &item))
		if (strcmp(vt_as_str(key)->s, "id") != 0)
			vt_dict_set(p->rt, d, key, item);
	if (again) {
		vt_value id = p->path.n ? vt_str_new(p->rt, p->path.p, p->path.n)
					: vt_str_c(p->rt, "root");
		vt_dict_set(p->rt, p->final, str_value(mark), id);
		vt_dict_set_c(p->rt, d, "id", id);
	}
	return vt_mkptr(d);
}

static vt_value
rebuilt_dict(pass *p, vt_value v, const vt_str *id)
{
	vt_dict *d = vt_dict_new_hashed(p->rt, false);
	vt_value key, item, made;
	uint32_t pos = 0;
	size_t n = p->path.n;

	while (vt_dict_at(vt_as_dict(v), &pos, &key, &item)) {
		if (id && id->s[0] == MARK && vt_is(key, STR) && !strcmp(vt_as_str(key)->s, "?")) {
			made = about_made(p, item, id);
		} else {
			if (vt_is(key, STR))
				vt_buf_printf(&p->path, "%s%s", n ? "." : "", vt_as_str(key)->s);
			made = rebuilt(p, item);
			p->path.n = n;
		}
		vt_dict_set(p->rt, d, key, made);
		vt_release(made);
	}
	return vt_mkptr(d);
}

static vt_value
rebuilt_list(pass *p, vt_value v)
{
	const vt_list *from = vt_as_list(v);
	vt_list *l = vt_list_grow(p->rt, VT_K_LIST, from->n);
	size_t n = p->path.n;

	for (uint32_t i = 0; i < from->n; i++) {
		vt_buf_printf(&p->path, "[%u]", i);
		vt_list_push(p->rt, l, rebuilt(p, from->v[i]));
		p->path.n = n;
	}
	return vt_mkptr(l);
}

/* The value as it stands in the model, owned; ? comes first in an object that refers to itself
 * nowhere. */
static vt_value
rebuilt(pass *p, vt_value v)
{
	const vt_str *id = id_of(v);
	vt_value before = id ? vt_dict_get(p->first, str_value(id)) : VT_UNDEF;

	if (before != VT_UNDEF && id->s[0] == MARK)
		return vt_copy(vt_dict_get(p->final, str_value(id)));
	if (before != VT_UNDEF && vt_eq(before, v))
		return vt_copy(str_value(id));
	if (id && before == VT_UNDEF)
		vt_dict_set(p->rt, p->first, str_value(id), v);
	if (vt_is(v, DICT))
		return rebuilt_dict(p, v, id);
	return vt_is_sequence(v) ? rebuilt_list(p, v) : vt_copy(v);
}

/* A mapping with Objects is a model, of which the parts that a model has count; any other one is
 * the root object. */
static vt_value
as_model(vt_rt *rt, vt_value v)
{
	static const char *const parts[] = {
		"Objects", "ObjectsCopy", "Attributes", "SystemData", "project_id", "user_id"};
	vt_dict *d = vt_dict_new_hashed(rt, false);
	vt_value part;

	for (size_t i = 0; i < VT_LEN(parts); i++)
		if ((part = vt_dict_get_c(vt_as_dict(v), parts[i])) != VT_UNDEF)
			vt_dict_set_c(rt, d, parts[i], vt_copy(part));
	if (vt_dict_get_c(d, "Objects") == VT_UNDEF)
		vt_dict_set_c(rt, d, "Objects", vt_copy(v));
	return vt_mkptr(d);
}

static bool
to_model(vt_rt *rt, const char *path, vt_value v, vt_value *out, char **why)
{
	pass p = {.rt = rt,
		.used = vt_dict_new_hashed(rt, false),
		.first = vt_dict_new_hashed(rt, false),
		.final = vt_dict_new_hashed(rt, false)};
	vt_value model = as_model(rt, v);

	count(&p, model);
	if (p.deep)
		*why = vt_asprintf("%s: the model is nested too deep", shown(path));
	else
		*out = rebuilt(&p, model);
	vt_release(model);
	vt_release(vt_mkptr(p.used));
	vt_release(vt_mkptr(p.first));
	vt_release(vt_mkptr(p.final));
	vt_buf_free(&p.path);
	return !p.deep;
}

bool
vt_yay_model(vt_rt *rt, const char *path, const char *text, size_t n, vt_value *out, char **why)
{
	struct classes k = {rt, 0};
	vt_yconf_options o = {.files = true, .ctx = &k, .has_class = has_class, .make = make};
	vt_yconf *c = open_input(rt, &o, path, text, n, why);
	vt_value v = VT_UNDEF;
	vt_ynode *root;
	bool ok;

	if (!c)
		return false;
	root = vt_yay_reader.at(c, NULL, "", 0);
	ok = (root && vt_yay_reader.value(c, root, VT_YAS_VALUE, &v)) || refuse(c, path, why);
	if (ok)
		ok = vt_is(v, DICT) ? to_model(rt, path, v, out, why) : not_a_mapping(path, why);
	vt_release(v);
	vt_yay_reader.close(c);
	return ok;
}

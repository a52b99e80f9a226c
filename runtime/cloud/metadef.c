/*
 * metadef.c - io.murano.system.MetadefBrowser (muranopl-engine.md, appendix A): Glance's
 * metadata definitions.
 */
#include "runtime/cloud/native_class.h"
#include "runtime/core/exception.h"

#include <stdlib.h>
#include <string.h>

enum { PAGES = 1000 };

typedef struct browser {
	vt_value region;
	bool cache;
	vt_dict *namespaces, *objects; /* by what was asked for */
} browser;

static void
drop_browser(void *data)
{
	browser *b = data;
	vt_release(b->region);
	vt_release(vt_mkptr(b->namespaces));
	vt_release(vt_mkptr(b->objects));
	free(b);
}

vt_status vt_metadef_new(vt_args *, vt_value *out);
vt_status
vt_metadef_new(vt_args *a, vt_value *out)
{
	vt_value cache = vt_is(a->kw, DICT) ? vt_dict_get_c(vt_as_dict(a->kw), "cache") : VT_UNDEF;
	vt_object *o = vt_obj_of(a->self);
	browser *b = vt_xmalloc(sizeof *b);
	*b = (browser){.region = vt_copy(vt_new_arg(a, "regionName")),
		.cache = cache == VT_UNDEF || vt_is_true(cache),
		.namespaces = vt_dict_new_hashed(a->rt, false),
		.objects = vt_dict_new_hashed(a->rt, false)};
	vt_object_set_native(o, b, drop_browser);
	*out = VT_NULL;
	return VT_OK;
}

/* "/v2/metadefs/..." page by page: "next" is the path of the one that follows. */
static vt_status
list_all(vt_args *a, const char *region, const char *first, const char *member, vt_list *to)
{
	char *path = vt_xstrdup(first);
	vt_status st = VT_OK;
	for (int page = 0; path != NULL && page < PAGES && st == VT_OK; page++) {
		vt_service_request q = {.service = "image",
			.region = region,
			.method = "GET",
			.path = path,
			.body = VT_UNDEF};
		vt_value body = VT_UNDEF, items;
		const char *next;
		st = vt_ask(a->rt, &q, &body);
		free(path);
		path = NULL;
		if (st != VT_OK)
			break;
		items = vt_member(body, member);
		if (vt_is_sequence(items))
			vt_list_extend(a->rt, to, vt_as_list(items)->n, vt_as_list(items)->v);
		next = vt_text_or(vt_member(body, "next"), NULL);
		if (next != NULL && *next != '/') /* it would become part of the host's name */
			st = vt_raise(a->rt, VT_E_CLOUD,
				"GET %s (image): the next page is no path below the service",
				first);
		else
			path = next != NULL ? vt_xstrdup(next) : NULL;
		vt_release(body);
	}
	free(path);
	return st;
}

static vt_status
browse(vt_args *a, vt_dict *seen, browser *b, const char *path, const char *member, vt_value *out)
{
	vt_value known = b->cache ? vt_dict_get(seen, a->v[0]) : VT_UNDEF, held, made = VT_UNDEF;
	const char *region;
	vt_list *l;
	vt_status st;
	if (known != VT_UNDEF) {
		*out = vt_copy(known);
		return VT_OK;
	}
	region = vt_region_of(a->rt, vt_obj_of(a->self), b->region, &held);
	l = vt_list_grow(a->rt, VT_K_TUPLE, 0);
	st = list_all(a, region, path, member, l);
	vt_release(held);
	if (st == VT_OK)
		st = vt_final(a->rt, a->unit, vt_mkptr(l), &made);
	vt_release(vt_mkptr(l));
	if (st == VT_OK && b->cache)
		st = vt_dict_set(a->rt, seen, a->v[0], made);
	return vt_settle(st, made, out);
}

static browser *
browser_of(vt_args *a)
{
	vt_object *o = vt_obj_of(a->self);
	if (o->more->native != NULL && o->more->native_free == drop_browser && vt_is(a->v[0], STR))
		return o->more->native;
	(void)vt_raise(a->rt, VT_E_TYPE, "a name is a str, not a '%s'", vt_py_type(a->v[0]));
	return NULL;
}

static vt_status
browse_below(vt_args *a, bool objects, vt_value *out)
{
	browser *b = browser_of(a);
	vt_buf path = {0};
	vt_status st;
	if (b == NULL)
		return VT_ERROR;
	vt_buf_puts(&path,
		objects ? "/v2/metadefs/namespaces/" : "/v2/metadefs/namespaces?resource_types=");
	vt_path_escape(&path, vt_as_str(a->v[0])->s);
	vt_buf_puts(&path, objects ? "/objects" : "");
	vt_buf_putc(&path, '\0');
	st = browse(a, objects ? b->objects : b->namespaces, b, path.p,
		objects ? "objects" : "namespaces", out);
	vt_buf_free(&path);
	return st;
}

vt_status vt_metadef_namespaces(vt_args *, vt_value *out);
vt_status
vt_metadef_namespaces(vt_args *a, vt_value *out)
{
	return browse_below(a, false, out);
}

vt_status vt_metadef_objects(vt_args *, vt_value *out);
vt_status
vt_metadef_objects(vt_args *a, vt_value *out)
{
	return browse_below(a, true, out);
}

#define VT_NATIVE_MetadefBrowser
#include "natives.h"

/*
 * api.c - configurations for programs: runtime/yay/api.h over the front end, the openers of
 * files.c and the evaluator.
 *
 * A configuration has a compilation of its own, whose arena keeps documents and texts.
 */
#include "compiler/yay/run.h"
#include "compiler/yay/tree.h"

#include "runtime/yay/api.h"

#include <stdlib.h>
#include <string.h>

struct vt_yconf {
	vc *c;
	yay_world w;
	vt_yay *y;
	vt_yay_limits limits;
	vt_yconf_options options;
	vt_yay_host world; /* files, and classes of Lua */
	vt_value nothing;  /* DICT: the texts of a world without files */
	vt_yfault fault;   /* of a text; kind NONE: the session's counts */
};

static vt_yay_limits
limits_of(vt_yay_limits l)
{
	l.steps = l.steps ? l.steps : 50000000;
	l.nodes = l.nodes ? l.nodes : 20000000;
	l.stack = l.stack ? l.stack : 4 << 20;
	l.includes = l.includes ? l.includes : 10000;
	l.text = l.text ? l.text : 64 << 20;
	return l;
}

static bool
has_class(void *ctx, const char *name)
{
	vt_yconf *k = ctx;

	if (k->options.has_class && k->options.has_class(k->options.ctx, name))
		return true;
	return k->world.has_class(k->world.ctx, name);
}

static vt_status
make(void *ctx, vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	vt_yconf *k = ctx;

	if (k->options.has_class && k->options.has_class(k->options.ctx, name))
		return k->options.make(k->options.ctx, rt, name, params, out);
	return k->world.make(k->world.ctx, rt, name, params, out);
}

static const vt_ydoc *
open_document(void *ctx, vt_yay *y, const char *name, const vt_ydoc *from, bool *secret)
{
	vt_yconf *k = ctx;

	return k->world.open(k->world.ctx, y, name, from, secret);
}

static vt_yconf *
conf_open(vt_rt *rt, const vt_yconf_options *options)
{
	vt_yconf *k = vt_xmalloc(sizeof *k);
	vt_yay_host host = {k, open_document, has_class, make};

	*k = (vt_yconf){.c = vc_new(), .options = *options, .nothing = VT_NULL};
	k->limits = limits_of(options->limits);
	if (!options->files)
		k->nothing = vt_mkptr(vt_dict_new_hashed(rt, false));
	k->w = (yay_world){
		.c = k->c, .rt = rt, .files = k->nothing, .secret = VT_NULL, .gpg = options->gpg};
	k->world = yay_host_of(&k->w);
	k->y = vt_yay_new(rt, &host, &k->limits);
	return k;
}

static void
forgive(vt_yconf *k)
{
	free(k->fault.message);
	k->fault = (vt_yfault){0};
}

static void
conf_close(vt_yconf *k)
{
	if (!k)
		return;
	forgive(k);
	vt_yay_free(k->y);
	yay_world_close(&k->w);
	vt_release(k->nothing);
	vc_free(k->c);
	free(k);
}

static enum vt_yay_error
error_of(const yay_fault *f)
{
	return f->type && strcmp(f->type, "NotFound") ? VT_YE_SYNTAX : VT_YE_NOT_FOUND;
}

/* The fault of a text, in the form of those of the session. */
static bool
refuse(vt_yconf *k, const char *name, const yay_fault *f)
{
	forgive(k);
	k->fault.kind = error_of(f);
	snprintf(k->fault.type, sizeof k->fault.type, "%s", f->type ? f->type : "NotFound");
	k->fault.message =
		f->type ? vt_xstrdup(f->message) : vt_asprintf("'%s' could not be found", name);
	k->fault.place[0] = (vt_yplace){NULL, vc_strdup(k->c, name), f->line, f->col};
	k->fault.nplaces = 1;
	return false;
}

static bool
misused(vt_yconf *k, const char *message)
{
	forgive(k);
	k->fault.kind = VT_YE_TYPE;
	snprintf(k->fault.type, sizeof k->fault.type, "UsageError");
	k->fault.message = vt_xstrdup(message);
	return false;
}

/* Layers are what everything else rests on. */
static bool
loaded(vt_yconf *k, bool good)
{
	return good || misused(k, "a layer comes before the first question");
}

/* A question about a place that another one did not find keeps the fault of that. */
static bool
is_place(vt_yconf *k, const vt_ynode *n)
{
	if (!n && k->fault.kind == VT_YE_NONE && vt_yay_fault(k->y)->kind == VT_YE_NONE)
		return misused(k, "there is no place");
	if (n)
		forgive(k);
	return n != NULL;
}

static void
conf_search(vt_yconf *k, const char *dir)
{
	vt_yay_search(k->y, dir);
}

static const vt_ydoc *
read_text(vt_yconf *k, const char *name, const char *text, size_t n, bool expression)
{
	yay_fault f = {0};
	const char *kept = vc_strdup(k->c, name);
	const vt_ydoc *d =
		yay_read(k->c, kept, vc_strndup(k->c, text, n), n, expression, &f, NULL, NULL);

	forgive(k);
	if (!d)
		return refuse(k, kept, &f), NULL;
	return expression || !vc_pass_on(k->c, YAY_FOLD) ? d : yay_fold(k->c, d, NULL);
}

static bool
conf_provide(vt_yconf *k, const char *name, const char *text, size_t n)
{
	const vt_ydoc *d = read_text(k, name, text, n, false);

	if (!d)
		return false;
	vc_push(k->c, k->w.opened, k->w.nopened) = (struct yay_opened){.name = d->name, .doc = d};
	return true;
}

static bool
conf_load_file(vt_yconf *k, const char *path)
{
	bool secret = false;
	yay_fault f = {0};
	const vt_ydoc *d = yay_world_open(&k->w, path, &secret, &f);

	forgive(k);
	return d ? loaded(k, vt_yay_load(k->y, d, secret)) : refuse(k, path, &f);
}

static bool
conf_load_text(vt_yconf *k, const char *name, const char *text, size_t n)
{
	const vt_ydoc *d = read_text(k, name, text, n, false);

	return d && loaded(k, vt_yay_load(k->y, d, false));
}

static bool
conf_load_dict(vt_yconf *k, vt_value dict)
{
	forgive(k);
	return loaded(k, vt_yay_layer(k->y, dict));
}

static bool
conf_override(vt_yconf *k, const char *arg)
{
	yay_fault f = {.type = "ValueError", .message = "an override is PATH=VALUE"};

	forgive(k);
	if (!vt_yay_override(k->w.rt, k->y, arg))
		return refuse(k, "override", &f);
	return loaded(k, vt_yay_fault(k->y)->kind == VT_YE_NONE);
}

static vt_ynode *
conf_at(vt_yconf *k, vt_ynode *from, const char *path, size_t n)
{
	forgive(k);
	return vt_yay_at(k->y, from ? from : vt_yay_root(k->y), path, n);
}

static vt_ynode *
conf_expression(vt_yconf *k, const char *text, size_t n)
{
	const vt_ydoc *d = read_text(k, "<expression>", text, n, true);

	return d ? vt_yay_expression(k->y, d) : NULL;
}

static bool
conf_value(vt_yconf *k, vt_ynode *n, enum vt_yay_as as, vt_value *out)
{
	*out = VT_UNDEF;
	return is_place(k, n) && vt_yay_value(k->y, n, as, out);
}

static bool
conf_shape(vt_yconf *k, vt_ynode *n, enum vt_yshape_kind *kind, uint32_t *parts)
{
	return is_place(k, n) && vt_yay_shape(k->y, n, kind, parts);
}

static vt_ynode *
conf_part(vt_yconf *k, vt_ynode *n, uint32_t i, vt_value *key)
{
	*key = VT_UNDEF;
	return is_place(k, n) ? vt_yay_part(k->y, n, i, key) : NULL;
}

static vt_yplace
conf_anchor(vt_yconf *k, vt_ynode *n)
{
	return n ? vt_yay_anchor(k->y, n) : (vt_yplace){0};
}

static const vt_yfault *
conf_fault(const vt_yconf *k)
{
	return k->fault.kind != VT_YE_NONE ? &k->fault : vt_yay_fault(k->y);
}

static void
conf_stack(vt_yconf *k, size_t bytes)
{
	vt_yay_stack(k->y, bytes < k->limits.stack ? bytes : k->limits.stack);
}

const vt_yay_api vt_yay_reader = {conf_open, conf_close, conf_search, conf_provide, conf_load_file,
	conf_load_text, conf_load_dict, conf_override, conf_at, conf_expression, conf_value,
	conf_shape, conf_part, conf_anchor, conf_fault, conf_stack, vt_yay_model, vt_yay_entries};

const vt_yay_api *
vt_yay_front(void)
{
	return &vt_yay_reader;
}

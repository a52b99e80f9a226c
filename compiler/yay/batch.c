/*
 * batch.c - `vetro yay --batch`: one request a line, one answer a line.
 *
 * {"files": {name: text}, "main", ...} -> {"value": ...} or {"error": {"type", "message", "file",
 * "line", "col"}}; docs/yay.md lists the fields.  The files are the whole world.
 */
#include "compiler/yay/run.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct request {
	yay_world w;
	vt_value ask; /* DICT */
	vt_yay *y;
	vt_buf out;
} request;

static vt_value
field(const request *r, const char *name)
{
	vt_value v = vt_dict_get_c(vt_as_dict(r->ask), name);

	return v == VT_UNDEF ? VT_NULL : v;
}

static const char *
text_field(const request *r, const char *name)
{
	vt_value v = field(r, name);

	return vt_is(v, STR) ? vt_as_str(v)->s : NULL;
}

static bool
put_error(request *r, const char *type, const char *message, const char *file, uint32_t line,
	uint32_t col)
{
	vt_buf *b = &r->out;

	b->n = 0;
	vt_buf_puts(b, "{\"error\":{\"type\":");
	vt_json_str(b, type, strlen(type));
	vt_buf_puts(b, ",\"message\":");
	vt_json_str(b, message, strlen(message));
	vt_buf_puts(b, ",\"file\":");
	if (file)
		vt_json_str(b, file, strlen(file));
	else
		vt_buf_puts(b, "null");
	if (line)
		vt_buf_printf(b, ",\"line\":%u,\"col\":%u}}", line, col);
	else
		vt_buf_puts(b, ",\"line\":null,\"col\":null}}");
	return false;
}

static bool
put_fault(request *r, const yay_fault *f, const char *file)
{
	char *text = f->line ? vc_format(r->w.c, "%s in '%s' at line %u, column %u", f->message,
				       file, f->line, f->col)
			     : f->message;

	return put_error(r, f->type, text, file, f->line, f->col);
}

static bool
failed(request *r)
{
	const vt_yfault *f = vt_yay_fault(r->y);
	vt_yplace p = f->nplaces ? f->place[0] : (vt_yplace){0};

	return put_error(r, f->type, f->message ? f->message : "", p.name, p.line, p.col);
}

static const vt_ydoc *
open_file(request *r, const char *name, bool *secret)
{
	yay_fault f;
	const vt_ydoc *d = yay_world_open(&r->w, name, secret, &f);

	if (!d && f.type)
		put_fault(r, &f, name);
	else if (!d)
		put_error(r, "NotFound", vc_format(r->w.c, "'%s' could not be found", name), NULL,
			0, 0);
	return d;
}

static bool
load_one(request *r, const char *name)
{
	bool secret = false;
	const vt_ydoc *d = open_file(r, name, &secret);

	return d && vt_yay_load(r->y, d, secret);
}

/*
 * Who asks is a host, which has openers or just a folder of files.  One with openers defines the
 * search path that they look at; a world with names that only an opener takes has some.
 */
static bool
has_openers(const request *r)
{
	const char *opener = text_field(r, "opener");
	vt_value k, v;
	uint32_t pos = 0;

	if (opener)
		return strcmp(opener, "searchpath") == 0;
	while (vt_dict_at(vt_as_dict(r->w.files), &pos, &k, &v))
		if (vt_is(k, STR) && strstr(vt_as_str(k)->s, "://"))
			return true;
	return false;
}

static bool
load_all(request *r)
{
	vt_value list = field(r, "load"), dirs = field(r, "search");
	const char *main_file = text_field(r, "main");

	if (has_openers(r))
		yay_default_layer(&r->w, r->y);
	for (uint32_t i = 0; vt_is_sequence(dirs) && i < vt_as_list(dirs)->n; i++)
		if (vt_is(vt_as_list(dirs)->v[i], STR))
			vt_yay_search(r->y, vt_as_str(vt_as_list(dirs)->v[i])->s);
	if (!vt_is_sequence(list))
		return main_file ? load_one(r, main_file)
				 : put_error(r, "BadRequest", "main is missing", NULL, 0, 0);
	for (uint32_t i = 0; i < vt_as_list(list)->n; i++)
		if (!vt_is(vt_as_list(list)->v[i], STR) ||
			!load_one(r, vt_as_str(vt_as_list(list)->v[i])->s))
			return r->out.n
				       ? false
				       : put_error(r, "BadRequest", "load names files", NULL, 0, 0);
	return true;
}

static bool
read_as(request *r, enum vt_yay_as *as)
{
	const char *name = text_field(r, "as");

	*as = VT_YAS_VALUE;
	if (!name || !strcmp(name, "get"))
		return true;
	if (!strcmp(name, "iter"))
		return *as = VT_YAS_ITERABLE, true;
	for (int i = 0; i < VT_YAS_COUNT; i++)
		if (!strcmp(name, vt_yay_as_names[i]))
			return *as = (enum vt_yay_as)i, true;
	return put_error(r, "BadRequest", "as is none of the types", NULL, 0, 0);
}

static vt_ynode *
place(request *r)
{
	const char *expr = text_field(r, "expression"), *path = text_field(r, "select");
	vt_ynode *n = vt_yay_root(r->y);
	const vt_ydoc *d;
	yay_fault f;

	if (expr) {
		if (!(d = yay_read(
			      r->w.c, "<expression>", expr, strlen(expr), true, &f, NULL, NULL))) {
			put_fault(r, &f, "<expression>");
			return NULL;
		}
		n = vt_yay_expression(r->y, d);
	}
	return path ? vt_yay_at(r->y, n, path, strlen(path)) : n;
}

static bool
put_value(request *r, vt_value v)
{
	vt_buf_puts(&r->out, "{\"value\":");
	vt_json_write(r->w.rt, &r->out, v, VT_JSON_TAGGED);
	vt_buf_putc(&r->out, '}');
	return true;
}

static bool
answer_value(request *r)
{
	vt_value v = VT_UNDEF, dflt = vt_dict_get_c(vt_as_dict(r->ask), "default");
	enum vt_yay_as as;
	vt_ynode *n;
	bool good;

	if (!read_as(r, &as))
		return false;
	n = place(r);
	if (r->out.n)
		return false;
	good = n && vt_yay_value(r->y, n, as, &v);
	if (!good && dflt != VT_UNDEF && vt_yay_fault(r->y)->kind == VT_YE_NO_MATCHING)
		return put_value(r, dflt);
	if (!good)
		return failed(r);
	put_value(r, v);
	vt_release(v);
	return true;
}

static bool
run(request *r)
{
	const char *as = text_field(r, "as"), *main_file = text_field(r, "main");
	vt_value labels = field(r, "labels");
	vt_yay_host host;
	bool secret;

	r->w.files = field(r, "files");
	if (!vt_is(r->w.files, DICT))
		return put_error(r, "BadRequest", "files is missing", NULL, 0, 0);
	r->w.secret = vt_is(labels, DICT) ? labels : VT_NULL;
	if (as && !strcmp(as, "parse") && main_file)
		return open_file(r, main_file, &secret) && put_value(r, VT_TRUE);
	host = yay_host_of(&r->w);
	r->y = vt_yay_new(r->w.rt, &host, NULL);
	return load_all(r) && answer_value(r);
}

typedef struct classes {
	const char *const *lua;
	uint32_t nlua;
	uint32_t passes_off;
} classes;

static void
answer(void *ctx, const char *line, size_t n)
{
	const classes *k = ctx;
	request r = {
		.w = {.c = vc_new(), .rt = vt_rt_new(NULL), .files = VT_NULL, .secret = VT_NULL},
		.ask = VT_UNDEF};
	char *err = NULL;

	r.w.c->passes_off = k->passes_off;
	if (!yay_load_lua(&r.w, k->lua, k->nlua, &err))
		put_error(&r, "HostError", err, NULL, 0, 0);
	else if (!vt_json_read(r.w.rt, line, n, VT_JSON_MUTABLE | VT_JSON_TAGGED, 0, &r.ask, &err))
		put_error(&r, "BadRequest", err, NULL, 0, 0);
	else if (!vt_is(r.ask, DICT))
		put_error(&r, "BadRequest", "a request is an object", NULL, 0, 0);
	else
		run(&r);
	if (r.y)
		vt_yay_free(r.y);
	vt_release(r.ask);
	vt_buf_putc(&r.out, '\n');
	fwrite(r.out.p, 1, r.out.n, stdout);
	fflush(stdout);
	vt_buf_free(&r.out);
	free(err);
	vt_rt_free(r.w.rt);
	vc_free(r.w.c);
}

int
yay_batch(const char *const *lua, uint32_t nlua, uint32_t passes_off)
{
	return vc_each_line(answer, &(classes){lua, nlua, passes_off});
}

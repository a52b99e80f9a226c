/*
 * yay.c - Yay configurations of libvetro; the work is done by yay/api.c.
 *
 * A vetro_place is a vt_ynode.  Texts that are handed out live in a list of the configuration.
 */
#include "compiler/libvetro/int.h"

#include "runtime/yay/api.h"

#include <stdlib.h>
#include <string.h>

struct vetro_yay {
	vetro_engine *engine;
	const vt_yay_api *api;
	vt_yconf *conf;
	vt_list *texts;
};

/* ---- errors --------------------------------------------------------------------------------- */

const char *
vetro_error_file(const vetro_error *e)
{
	return e->nplaces ? e->place[0].file : NULL;
}

size_t
vetro_error_places(const vetro_error *e)
{
	return e->nplaces;
}

int
vetro_error_place(
	const vetro_error *e, size_t i, const char **file, unsigned *line, unsigned *column)
{
	if (i >= e->nplaces)
		return -1;
	if (file)
		*file = e->place[i].file;
	if (line)
		*line = e->place[i].line;
	if (column)
		*column = e->place[i].col;
	return 0;
}

/* Always -1. */
static int
fail(const vetro_yay *y, vetro_error **err)
{
	const vt_yfault *f = y->api->fault(y->conf);
	vetro_error *e;

	if (!err)
		return -1;
	lv_error(err, f->type, "%s", f->message ? f->message : f->type);
	e = *err;
	e->place = vt_xmalloc((f->nplaces + 1) * sizeof *e->place);
	for (uint32_t i = 0; i < f->nplaces; i++)
		if (f->place[i].name)
			e->place[e->nplaces++] = (struct lv_place){
				vt_xstrdup(f->place[i].name), f->place[i].line, f->place[i].col};
	if (e->nplaces) {
		e->e.line = e->place[0].line;
		e->e.col = e->place[0].col;
	}
	return -1;
}

/* ---- documents ------------------------------------------------------------------------------ */

vetro_yay *
vetro_yay_new(vetro_engine *e, unsigned flags)
{
	vetro_yay *y = vt_xmalloc(sizeof *y);
	vt_yconf_options o = {.files = !(flags & VETRO_YAY_TEXTS_ONLY),
		.limits = {.steps = (uint64_t)e->opt[VETRO_YAY_STEPS],
			.text = (uint64_t)e->opt[VETRO_YAY_TEXT]}};

	*y = (vetro_yay){e, vt_yay_front(), NULL, vt_list_grow(e->rt, VT_K_LIST, 4)};
	y->conf = y->api->open(e->rt, &o);
	return y;
}

void
vetro_yay_free(vetro_yay *y)
{
	if (y == NULL)
		return;
	y->api->close(y->conf);
	vt_release(vt_mkptr(y->texts));
	free(y);
}

void
vetro_yay_search(vetro_yay *y, const char *dir)
{
	y->api->search(y->conf, dir);
}

/* Around everything that evaluates: class bindings are calls of Lua. */
static void
enter(vetro_yay *y)
{
	lv_enter(y->engine);
	y->api->stack(y->conf, lv_stack_left(y->engine));
}

static int
leave(vetro_yay *y, bool good, vetro_error **err)
{
	lv_leave(y->engine);
	return good ? 0 : fail(y, err);
}

int
vetro_yay_provide(vetro_yay *y, const char *name, const char *text, size_t n, vetro_error **err)
{
	return y->api->provide(y->conf, name, text, lv_length(text, n)) ? 0 : fail(y, err);
}

int
vetro_yay_load_file(vetro_yay *y, const char *path, vetro_error **err)
{
	return y->api->load_file(y->conf, path) ? 0 : fail(y, err);
}

int
vetro_yay_load_text(vetro_yay *y, const char *name, const char *text, size_t n, vetro_error **err)
{
	return y->api->load_text(y->conf, name, text, lv_length(text, n)) ? 0 : fail(y, err);
}

int
vetro_yay_load_value(vetro_yay *y, vetro_value dict, vetro_error **err)
{
	if (vetro_kind_of(dict) != VETRO_DICT) {
		lv_error(err, "TypeError", "a layer is a dict");
		return -1;
	}
	return y->api->load_dict(y->conf, word(dict)) ? 0 : fail(y, err);
}

int
vetro_yay_override(vetro_yay *y, const char *setting, vetro_error **err)
{
	return y->api->override(y->conf, setting) ? 0 : fail(y, err);
}

/* ---- places --------------------------------------------------------------------------------- */

static vt_ynode *
node(vetro_place *p)
{
	return (vt_ynode *)p;
}

vetro_place *
vetro_yay_at(vetro_yay *y, vetro_place *from, const char *path, vetro_error **err)
{
	vt_ynode *n;

	enter(y);
	n = y->api->at(y->conf, node(from), path, strlen(path));
	leave(y, n != NULL, err);
	return (vetro_place *)n;
}

vetro_place *
vetro_yay_expression(vetro_yay *y, const char *text, size_t n, vetro_error **err)
{
	vt_ynode *at = y->api->expression(y->conf, text, lv_length(text, n));

	if (at == NULL)
		fail(y, err);
	return (vetro_place *)at;
}

/* The value at a path in one of the evaluator's types, owned: 0, 1 (not defined) or -1. */
static int
read_as(vetro_yay *y, vetro_place *from, const char *path, enum vt_yay_as as, vt_value *out,
	vetro_error **err)
{
	vt_ynode *n;
	bool good;

	*out = VT_UNDEF;
	enter(y);
	n = y->api->at(y->conf, node(from), path, strlen(path));
	good = n && y->api->value(y->conf, n, as, out);
	if (!good && y->api->fault(y->conf)->kind == VT_YE_NO_MATCHING) {
		leave(y, true, NULL);
		return 1;
	}
	return leave(y, good, err);
}

vetro_value
vetro_yay_value(vetro_yay *y, vetro_place *at, vetro_error **err)
{
	vt_value v = VT_UNDEF;
	bool good;

	enter(y);
	good = y->api->value(y->conf, node(at), VT_YAS_VALUE, &v);
	leave(y, good, err);
	return handle(v);
}

int
vetro_yay_get(
	vetro_yay *y, vetro_place *from, const char *path, vetro_value *out, vetro_error **err)
{
	vt_value v;
	int rc = read_as(y, from, path, VT_YAS_VALUE, &v, err);

	if (rc == 0)
		*out = handle(v);
	return rc;
}

int
vetro_yay_get_int(
	vetro_yay *y, vetro_place *from, const char *path, int64_t *out, vetro_error **err)
{
	vt_value v;
	int rc = read_as(y, from, path, VT_YAS_INT, &v, err);

	if (rc == 0 && vetro_get_int(handle(v), out)) {
		lv_error(err, "OverflowError", "the number at '%s' does not fit 64 bits", path);
		rc = -1;
	}
	vt_release(v);
	return rc;
}

int
vetro_yay_get_double(
	vetro_yay *y, vetro_place *from, const char *path, double *out, vetro_error **err)
{
	vt_value v;
	int rc = read_as(y, from, path, VT_YAS_FLOAT, &v, err);

	if (rc == 0)
		vetro_get_double(handle(v), out);
	vt_release(v);
	return rc;
}

int
vetro_yay_get_bool(vetro_yay *y, vetro_place *from, const char *path, int *out, vetro_error **err)
{
	vt_value v;
	int rc = read_as(y, from, path, VT_YAS_BOOL, &v, err);

	if (rc == 0)
		*out = v == VT_TRUE;
	return rc;
}

int
vetro_yay_get_text(
	vetro_yay *y, vetro_place *from, const char *path, const char **out, vetro_error **err)
{
	vt_value v;
	int rc = read_as(y, from, path, VT_YAS_STRING, &v, err);

	if (rc == 0) {
		*out = vt_as_str(v)->s;
		vt_list_push(y->engine->rt, y->texts, v);
	}
	return rc;
}

/* ---- parts ---------------------------------------------------------------------------------- */

int
vetro_yay_kind_of(vetro_yay *y, vetro_place *at, size_t *n, vetro_error **err)
{
	static const vetro_yay_kind kinds[] = {[VT_YS_SCALAR] = VETRO_YAY_SCALAR,
		[VT_YS_LIST] = VETRO_YAY_LIST,
		[VT_YS_MAP] = VETRO_YAY_MAPPING};
	enum vt_yshape_kind kind;
	uint32_t parts = 0;
	bool good;

	enter(y);
	good = y->api->shape(y->conf, node(at), &kind, &parts);
	if (leave(y, good, err))
		return -1;
	if (n)
		*n = parts;
	return (int)kinds[kind];
}

vetro_place *
vetro_yay_part(vetro_yay *y, vetro_place *at, size_t i, const char **key, vetro_error **err)
{
	vt_value name = VT_UNDEF;
	vt_ynode *n;

	enter(y);
	n = y->api->part(y->conf, node(at), i > UINT32_MAX ? UINT32_MAX : (uint32_t)i, &name);
	leave(y, n != NULL, err);
	if (n && key)
		*key = name != VT_UNDEF ? vt_as_str(name)->s : NULL;
	return (vetro_place *)n;
}

int
vetro_yay_anchor(vetro_yay *y, vetro_place *at, const char **file, unsigned *line, unsigned *column)
{
	vt_yplace p = y->api->anchor(y->conf, node(at));

	if (!p.name || !p.line)
		return -1;
	if (file)
		*file = p.name;
	if (line)
		*line = p.line;
	if (column)
		*column = p.col;
	return 0;
}

int
vetro_yay_is_secret(vetro_yay *y, vetro_place *at, vetro_error **err)
{
	vt_value v = VT_UNDEF;
	bool good;
	int yes;

	enter(y);
	good = y->api->value(y->conf, node(at), VT_YAS_LABELS, &v);
	if (leave(y, good, err))
		return -1;
	yes = vt_as_list(v)->n > 0;
	vt_release(v);
	return yes;
}

/*
 * show.c - what a deploy binary says of models and of itself: `diff`, `schema`, `test`, `info`,
 * `serve`, `help`.
 */
#include "runtime/program/deploy.h"
#include "runtime/program/exception.h"
#include "runtime/program/program.h"
#include "runtime/program/serve.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/text/text.h"
#include "runtime/text/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- diff ---- */

struct side {
	vt_buf text;
	mugl *g;
};

/* A model with the values that contracts and defaults give it; nothing of it runs. */
static mugl *
graph_of_model(vt_deploy *c, vt_rt *rt, const char *path, vt_value model)
{
	vt_value root = VT_UNDEF;
	mugl *g = NULL;
	if (vt_look_at_model(rt, model, &root) == VT_OK)
		g = mugl_from_model(rt, root);
	if (g != NULL) {
		mugl_drop_new_ids(rt, g, model);
	} else {
		vt_exception_print(c->self, vt_deploy_shown(path), NULL, vt_pending(rt));
		vt_exc_clear(rt);
	}
	vt_release(root);
	return g;
}

/* DONE, or the status after reporting why not. */
static int
open_side(vt_deploy *c, const char *path, struct side *s)
{
	vt_value model = VT_UNDEF;
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	if (vt_deploy_read(c, rt, path, &s->text, &model, &s->g) && s->g == NULL)
		s->g = graph_of_model(c, rt, path, model);
	vt_release(model);
	vt_rt_free(rt);
	return s->g != NULL ? DONE : FAILED;
}

static int
put_diff(vt_deploy *c, const mugl *from, const mugl *to)
{
	mugl_plan *plan = mugl_diff_by_id(from, to, false);
	mugl_problems bad = {0};
	vt_buf b = {0};
	bool same = mugl_plan_empty(plan), ok, allowed = mugl_plan_allowed(plan, &bad);
	if (vt_deploy_is_json(c))
		mugl_plan_json(plan, &b);
	else
		mugl_plan_text(plan, &b, c->o->output == NULL && vt_wants_colour(stdout));
	while (b.n > 0 && b.p[b.n - 1] == '\n')
		b.n--;
	ok = vt_deploy_put(c, &b, VT_FILE_PRIVATE);
	mugl_problems_print(&bad, c->o->line.words.v[0], NULL, 0, stderr);
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	mugl_plan_free(plan);
	return ok && allowed && (same || !c->o->exit_code) ? DONE : FAILED;
}

int
vt_deploy_diff(vt_deploy *c)
{
	struct side side[2] = {{.g = NULL}, {.g = NULL}};
	int rc;
	rc = open_side(c, c->o->line.words.v[0], &side[0]);
	if (rc == DONE)
		rc = open_side(c, c->o->line.words.v[1], &side[1]);
	if (rc == DONE)
		rc = put_diff(c, side[0].g, side[1].g);
	for (int i = 0; i < 2; i++) {
		mugl_free(side[i].g);
		vt_buf_free(&side[i].text);
	}
	return rc;
}

/* ---- schema ---- */

/* The schemas, or the error as `call` shows it; gives *out up. */
static int
put_schema(vt_deploy *c, vt_rt *rt, vt_status st, vt_value out)
{
	vt_buf b = {0};
	bool written;
	if (st == VT_OK) {
		vt_json_write(rt, &b, out, vt_json_layout(c->o->compact, c->o->tab, c->o->indent));
		vt_release(out);
	} else {
		vt_buf_putc(&b, '{');
		vt_deploy_put_error(c, rt, &b);
		vt_buf_putc(&b, '}');
	}
	written = vt_deploy_put(c, &b, 0);
	vt_buf_free(&b);
	return st == VT_OK && written ? DONE : FAILED;
}

int
vt_deploy_schema(vt_deploy *c)
{
	vt_value names = VT_UNDEF, out = VT_UNDEF;
	vt_status st = VT_ERROR;
	vt_class *cls;
	vt_list *l;
	vt_rt *rt;
	int rc;
	rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	l = vt_list_grow(rt, VT_K_TUPLE, c->o->line.words.n);
	for (uint32_t i = 1; i < c->o->line.words.n; i++)
		vt_list_push(rt, l, vt_str_c(rt, c->o->line.words.v[i]));
	names = vt_mkptr(l);
	cls = vt_schema_class(rt, c->o->line.words.v[0], NULL, NULL);
	if (cls != NULL)
		st = vt_schema_generate(rt, cls, names, &out);
	vt_release(names);
	rc = put_schema(c, rt, st, out);
	vt_rt_free(rt);
	return rc;
}

/* ---- test ---- */

/* The result for people goes to standard output, for `vetro test` to a descriptor of its own. */
static bool
put_report(vt_deploy *c, const vt_buf *b)
{
	fflush(NULL);
	return vt_write_all((int)c->o->report_fd, b->p, b->n);
}

int
vt_deploy_test(vt_deploy *c)
{
	vt_buf b = {0};
	int rc;
	bool ok;
	vt_rt *rt;
	if (c->o->line.words.n == 1)
		return vt_cli_usage(&c->o->line, "no METHOD given");
	c->simulated = true;
	rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	ok = true;
	if (c->o->steps && c->program->stepping != NULL) {
		c->program->stepping->list(c->program, &b);
	} else if (c->o->line.words.n == 2) {
		ok = vt_test_run(rt, c->o->line.words.v[0], c->o->line.words.v[1], &b);
	} else if (!vt_test_list(rt, &b)) {
		vt_deploy_put_error(c, rt, &b);
		ok = false;
		b.n = 0;
	}
	if (b.n > 0 && !put_report(c, &b))
		ok = false;
	vt_buf_free(&b);
	vt_rt_free(rt);
	return ok ? DONE : FAILED;
}

/* ---- info ---- */

static void
put_member(vt_buf *b, const char *key, const char *text)
{
	vt_buf_printf(b, "\"%s\": ", key);
	vt_json_str(b, text, strlen(text));
}

static void
put_public_methods(vt_buf *b, const vt_class_decl *d)
{
	bool first = true;
	vt_buf_puts(b, ", \"public\": [");
	for (uint32_t i = 0; i < d->nmethods; i++) {
		if (!d->methods[i]->is_public && d->methods[i]->usage != VT_M_ACTION)
			continue;
		vt_buf_puts(b, first ? "" : ", ");
		vt_json_str(b, d->methods[i]->name->s, d->methods[i]->name->bytes);
		first = false;
	}
	vt_buf_putc(b, ']');
}

static void
put_class(vt_buf *b, const vt_class_decl *d)
{
	vt_buf_puts(b, "\n        {");
	put_member(b, "name", d->name->s);
	vt_buf_printf(b, ", \"usage\": \"%s\", \"listed\": %s, \"extends\": [",
		d->is_meta ? "Meta" : "Class", d->listed ? "true" : "false");
	for (uint32_t i = 0; i < d->nparents; i++) {
		vt_buf_puts(b, i ? ", " : "");
		vt_json_str(b, d->parents[i]->s, d->parents[i]->bytes);
	}
	vt_buf_putc(b, ']');
	put_public_methods(b, d);
	vt_buf_putc(b, '}');
}

static void
put_package(vt_buf *b, const vt_package_decl *p)
{
	vt_buf_puts(b, "\n    {");
	put_member(b, "name", p->name->s);
	vt_buf_puts(b, ", ");
	put_member(b, "version", p->version);
	vt_buf_printf(b, ", \"format\": \"MuranoPL/%u.%u\", \"requires\": {",
		p->runtime_version / 100, p->runtime_version % 100);
	for (uint32_t i = 0; i < p->nrequires; i++) {
		vt_buf_puts(b, i ? ", " : "");
		put_member(
			b, p->requires[i].name->s, p->requires[i].spec ? p->requires[i].spec : "");
	}
	vt_buf_puts(b, "}, \"classes\": [");
	for (uint32_t i = 0; i < p->nclasses; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_class(b, p->classes[i]);
	}
	vt_buf_puts(b, p->nclasses ? "\n      ]}" : "]}");
}

void
vt_deploy_info(const vt_program *p, vt_buf *b)
{
	vt_buf_puts(b, "{\n  ");
	put_member(b, "program", p->npackages ? p->packages[0]->name->s : "");
	vt_buf_puts(b, ",\n  ");
	put_member(b, "version", p->npackages ? p->packages[0]->version : "");
	vt_buf_puts(b, ",\n  ");
	put_member(b, "built_by", p->built_by ? p->built_by : "");
	vt_buf_printf(b, ",\n  \"host\": %s,\n  \"packages\": [", p->lua ? "true" : "false");
	for (uint32_t i = 0; i < p->npackages; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_package(b, p->packages[i]);
	}
	vt_buf_puts(b, "\n  ]\n}");
}

int
vt_deploy_print_info(vt_deploy *c)
{
	vt_buf b = {0};
	bool ok;
	vt_deploy_info(c->program, &b);
	ok = vt_deploy_put(c, &b, 0);
	vt_buf_free(&b);
	return ok ? DONE : FAILED;
}

/* ---- serve ---- */

static vt_rt *
open_for_request(void *cli)
{
	int rc;
	return vt_deploy_open(cli, &rc);
}

/* The options are tried on a first session, so that a mistake is reported at once. */
int
vt_deploy_serve(vt_deploy *c)
{
	vt_server server = {.program = c->program,
		.open = open_for_request,
		.arg = c,
		.self = c->self,
		.host = c->o->host.v,
		.nhosts = c->o->host.n};
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	vt_rt_free(rt);
	if (c->o->journal != NULL) {
		server.begin = vt_action_begin;
		server.end = vt_action_end;
		if (!vt_actions_resume(c))
			return FAILED;
	}
	return vt_serve(&server, c->o->listen);
}

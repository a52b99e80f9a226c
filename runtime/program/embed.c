/*
 * embed.c - a program in a shared object: sessions for the process that loaded it.  What it calls
 * is in vetro_program.h; the wrappers that are seen from outside are emitted with the program.
 *
 * A request runs on a stack of its own, as tasks do: how much the calling thread has does not
 * matter.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/program/program.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

struct vetro_session {
	vt_rt *rt;
	struct session *s;
};
struct vetro_session *vt_embed_open(const vt_program *, const char *expose, char **why);
char *vt_embed_ask(struct vetro_session *, const char *request, size_t n);
void vt_embed_close(struct vetro_session *);

/* *why: from malloc. */
struct vetro_session *
vt_embed_open(const vt_program *program, const char *expose, char **why)
{
	struct vetro_session *v;
	vt_rt *rt = vt_rt_new(program);
	char *err = NULL;
	if (program->lua != NULL && !vt_lua_load_files(rt, program->lua, &err)) {
		if (why != NULL)
			*why = err;
		else
			free(err);
		vt_rt_free(rt);
		return NULL;
	}
	v = vt_xmalloc(sizeof *v);
	v->rt = rt;
	rt->s->expose = expose ? vt_xstrdup(expose) : NULL;
	v->s = vt_session_begin(rt);
	return v;
}

struct request {
	struct session *s;
	const char *text;
	size_t n;
	vt_buf answer;
};

static vt_status
run_request(vt_rt *rt, void *data)
{
	struct request *r = data;
	(void)rt;
	vt_session_answer(r->s, r->text, r->n, &r->answer);
	return VT_OK;
}

/* A line of JSON without its end, from malloc; NULL: there is no memory for a stack. */
char *
vt_embed_ask(struct vetro_session *v, const char *request, size_t n)
{
	struct request r = {v->s, request, n == SIZE_MAX ? strlen(request) : n, {NULL, 0, 0}};
	if (vt_on_segment(v->rt, run_request, &r) != VT_OK) {
		vt_exc_clear(v->rt);
		return NULL;
	}
	r.answer.p[r.answer.n - 1] = '\0';
	return r.answer.p;
}

void
vt_embed_close(struct vetro_session *v)
{
	const char *expose;
	if (v == NULL)
		return;
	expose = v->rt->s->expose;
	(void)vt_session_end(v->s);
	vt_rt_free(v->rt);
	free((void *)(uintptr_t)expose);
	free(v);
}

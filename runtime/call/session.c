/*
 * session.c - a session's life: what vt_rt_new makes, vt_rt_free gives back.
 *
 * Nothing here may grow with the program but two calloc'd tables, which the kernel hands out as
 * untouched pages: a deploy binary starts in under 2 ms whatever it holds.
 */
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>
#include <stdio.h>

/* One MuranoPL call nests several C frames; the sanitizers make each of them larger. */
#if defined(__SANITIZE_ADDRESS__)
enum { STACK_PER_CALL = 96 * 1024 };
#else
enum { STACK_PER_CALL = 24 * 1024 };
#endif
enum { DEPTH_MIN = 64, DEPTH_MAX = 2000, STACK_RESERVE = 512 * 1024 };

/* How deep calls may nest on the stack this process was given. */
static uint32_t
stack_depth(void)
{
	size_t size = vt_main_stack(),
	       n = size > STACK_RESERVE ? (size - STACK_RESERVE) / STACK_PER_CALL : 0;
	return n < DEPTH_MIN ? DEPTH_MIN : n > DEPTH_MAX ? DEPTH_MAX : (uint32_t)n;
}

static void *
zeroed(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);
	if (p == NULL)
		vt_no_memory();
	return p;
}

static void
widen(uintptr_t *from, uintptr_t *to, const vt_ic *ics, uint32_t n)
{
	if (n == 0)
		return;
	if (*to == 0 || (uintptr_t)ics < *from)
		*from = (uintptr_t)ics;
	if ((uintptr_t)(ics + n) > *to)
		*to = (uintptr_t)(ics + n);
}

/* The bytes that the caches take and, in *from, the place that stands for the first: see
 * vt_ic_at. */
static size_t
ics_of(const vt_program *p, uintptr_t *from)
{
	uintptr_t to = 0;

	*from = 0;
	for (uint32_t i = 0; p != NULL && i < p->nclasses; i++)
		widen(from, &to, p->classes[i]->ics, p->classes[i]->nics);
	for (uint32_t i = 0; p != NULL && i < p->npackages; i++)
		widen(from, &to, p->packages[i]->ics, p->packages[i]->nics);
	return to ? to - *from : p ? p->nics * sizeof(vt_ic) : 0;
}

static void
make_ics(vt_rt *rt)
{
	uintptr_t from;
	size_t n = ics_of(rt->program, &from);

	rt->ic = (vt_ic *)((uintptr_t)zeroed(n, 1) - from);
}

void
vt_ics_forget(vt_rt *rt)
{
	uintptr_t from;
	size_t n = ics_of(rt->program, &from);

	memset(vt_ic_at(rt, from), 0, n);
	vt_found_forget(rt);
}

void
vt_found_forget(vt_rt *rt)
{
	free(rt->s->found);
	rt->s->found = NULL;
}

static void
free_ics(vt_rt *rt)
{
	uintptr_t from;

	ics_of(rt->program, &from);
	free(vt_ic_at(rt, from));
}

vt_rt *
vt_rt_new(const vt_program *program)
{
	vt_rt *rt = zeroed(1, sizeof *rt);
	vt_session *s = zeroed(1, sizeof *s);
	rt->s = s;
	rt->program = program;
	rt->max_depth = stack_depth();
	make_ics(rt);
	s->heap = vt_heap_new();
	s->shapes = vt_shapes_new();
	s->exc = s->stashed = s->mismatch = s->applied_kw = VT_UNDEF;
	s->classes = zeroed(program ? program->nclasses : 0, sizeof *s->classes);
	s->root = s->config = s->attributes = s->objects_copy = s->kept = VT_NULL;
	s->notices = VT_UNDEF;
	s->settings = s->scenario = VT_NULL;
	for (size_t i = 0; i < VT_LEN(s->effects); i++)
		s->effects[i] = VT_NULL;
	s->traces = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0));
	s->natives = vt_native_classes;
	s->calls = &vt_call_hooks_of_sessions;
	s->spare = VT_UNDEF;
	return rt;
}

/* The order matters: Lua and objects hold counted values, classes hold objects' layouts, and class
 * declarations may come from Lua. */
static void
drop_values(vt_rt *rt)
{
	vt_session *s = rt->s;
	if (s->cloud_drop != NULL)
		s->cloud_drop(rt);
	vt_clear(&s->settings);
	vt_clear(&s->scenario);
	for (size_t i = 0; i < VT_LEN(s->effects); i++)
		vt_clear(&s->effects[i]);
	vt_clear(&s->notices);
	vt_lua_free(rt);
	if (vt_regex_drop)
		vt_regex_drop(rt);
	vt_exc_clear(rt);
	vt_contexts_break(rt);
	vt_orderings_break(rt);
	if (s->lookups != NULL)
		vt_lookups_forget(rt);
	vt_clear(&s->stashed);
	vt_clear(&s->mismatch);
	vt_mocks_drop(rt);
	vt_clear(&s->config);
	vt_clear(&s->attributes);
	vt_clear(&s->objects_copy);
	vt_clear(&s->kept);
	vt_clear(&s->traces);
	if (s->model_types != NULL)
		vt_release(vt_mkptr(s->model_types));
	vt_clear(&s->root);
	vt_places_free(s->places);
	s->places = NULL;
	vt_bigs_free(s->bigs);
	s->bigs = NULL;
	vt_etype_names_free(s->etype_names);
	s->etype_names = NULL;
	vt_statics_drop(rt);
	/* What may hold objects and type references is gone; now they themselves. */
	vt_store_destroy(rt);
	vt_classes_destroy(rt);
	s->root = VT_NULL;
	vt_host_forget(rt);
	vt_types_forget(rt);
	vt_snake_free(s->snake);
	s->snake = NULL;
}

__attribute__((cold)) void
vt_rt_free(vt_rt *rt)
{
	vt_session *s = rt->s;
	vt_tasks_cancel(rt);
	vt_tasks_destroy(rt);
	drop_values(rt);
	vt_shapes_destroy(s->shapes);
	vt_secrets_forget(s);
	vt_lua_forget(rt); /* names of its classes may be keys of shapes */
#ifdef VT_DEBUG
	if (vt_heap_live(s->heap) != 0) {
		fprintf(stderr, "vetro: %llu values leaked\n",
			(unsigned long long)vt_heap_live(s->heap));
		abort();
	}
#endif
	vt_heap_destroy(s->heap);
	free(s->found);
	free(s->classes);
	free_ics(rt);
	if (rt->s->batch != NULL)
		vt_batches_drop(rt);
	vt_pulls_drop(rt);
	free(s);
	free(rt);
}

/*
 * unit_object.c - objects of a class that is made by hand: TAP.
 *
 * Emitted code holds the receivers of what it calls, so no program shows whether the collector
 * finds those that nobody counts; here tasks enter a method of an object that only they know.
 */
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 20 };

static vt_class_decl thing;
static vt_prop_decl planned, computed;
static const vt_prop_decl *const properties[] = {&planned, &computed};
static vt_method_decl method;

/* How often each Default was worked out. */
static unsigned constants, others;

static vt_status
constant_default(vt_rt *rt, vt_scope *s, vt_value *out)
{
	(void)s;
	constants++;
	*out = vt_mkint(7);
	return VT_OK;
}

static vt_status
other_default(vt_rt *rt, vt_scope *s, vt_value *out)
{
	(void)s;
	others++;
	*out = vt_mkint(8);
	return VT_OK;
}

static const vt_code constant = {
	.fn = constant_default, .unit = &vt_core_unit, .flags = VT_CODE_CONST, .source = "7"};
static const vt_code other = {.fn = other_default, .unit = &vt_core_unit, .source = "8"};

/* The names of the declarations, which are immortal while the runtime lives. */
static vt_value names[4];
static int nnames;

static const vt_str *
immortal(vt_rt *rt, const char *s)
{
	vt_value v = names[nnames++] = vt_str_c(rt, s);
	vt_head_of(v)->rc = VT_IMMORTAL;
	return vt_as_str(v);
}

static void
release_names(void)
{
	while (nnames > 0) {
		vt_head_of(names[--nnames])->rc = 1;
		vt_release(names[nnames]);
	}
}

static void
declare(vt_rt *rt)
{
	planned = (vt_prop_decl){.name = immortal(rt, "planned"),
		.usage = VT_P_IN,
		.dflt = &constant,
		.cls = &thing,
		.takes = VT_TAKES_INT};
	computed = (vt_prop_decl){.name = immortal(rt, "computed"),
		.usage = VT_P_IN,
		.dflt = &other,
		.cls = &thing,
		.takes = VT_TAKES_INT};
	thing = (vt_class_decl){.name = immortal(rt, "t.Thing"),
		.unit = &vt_core_unit,
		.props = properties,
		.nprops = VT_LEN(properties)};
	method = (vt_method_decl){.name = immortal(rt, "naps"), .cls = &thing};
}

static vt_object *
made(vt_rt *rt)
{
	bool good;
	vt_class *c = vt_class_link(rt, &thing, &good);
	vt_value v = VT_UNDEF;
	if (!good ||
		vt_new_object(rt, NULL, c, VT_NULL, VT_NULL, VT_UNDEF, VT_UNDEF, &v) != VT_OK) {
		printf("Bail out! no object: %s\n", vt_as_str(vt_pending(rt)->message)->s);
		exit(1);
	}
	vt_release(v); /* the store has it; nobody holds it */
	return vt_obj_of(v);
}

static void
test_defaults(vt_rt *rt)
{
	bool right = true;
	for (int i = 0; i < OBJECTS; i++) {
		vt_object *o = made(rt);
		for (uint32_t k = 0; k < o->cls->nslots; k++)
			right = right && (o->v[k] == vt_mkint(7) || o->v[k] == vt_mkint(8));
	}
	ok(right, "properties have their Defaults");
	ok(constants == 1, "one that is constant is worked out once, for the plan of the class");
	ok(others >= OBJECTS, "another for every object");
}

/* ---- what the collector finds ---- */

struct room {
	vt_object *in[3]; /* tasks 0 and 1 are inside of a method of these; nobody is in the last */
	bool held[3];
};

static bool
nothing_else(const vt_object *o)
{
	(void)o;
	return false;
}

static void
look(vt_rt *rt, struct room *r)
{
	vt_find_held(rt, nothing_else);
	for (int i = 0; i < 3; i++)
		r->held[i] = r->in[i]->held;
}

static vt_status
inside(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct room *r = data;
	vt_act act;
	vt_status st;
	if (i == 2) { /* the others wait */
		VT_TRY(vt_sleep(rt, 0.01));
		look(rt, r);
		return VT_OK;
	}
	VT_TRY(vt_enter(rt, &act, &method, vt_mkptr(r->in[i])));
	st = vt_sleep(rt, 0.05);
	vt_leave(rt, &act);
	return st;
}

static void
test_held(vt_rt *rt)
{
	struct room r = {.in = {made(rt), made(rt), made(rt)}};
	vt_value out = VT_UNDEF;
	vt_act act;
	ok(vt_run_all(rt, 3, 0, inside, &r, &out) == VT_OK, "two tasks wait in methods");
	ok(r.held[0] && r.held[1], "the receivers of methods in which tasks wait are held");
	ok(!r.held[2], "another object is not");
	look(rt, &r);
	ok(!r.held[0] && !r.held[1], "nor are they when the methods are over");
	ok(vt_enter(rt, &act, &method, vt_mkptr(r.in[2])) == VT_OK, "a method runs");
	look(rt, &r);
	ok(r.held[2] && !r.held[0], "its receiver is held");
	ok(vt_run_all(rt, 3, 0, inside, &r, &out) == VT_OK && r.held[2],
		"so it is while tasks run that the method waits for");
	vt_leave(rt, &act);
}

static vt_status
beside(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	(void)i;
	(void)out;
	look(rt, data);
	return VT_OK;
}

static void
ended(void *data)
{
	(void)data;
}

/* A task that nobody waits for has no method around it: what the first task is in is held by that
 * task alone. */
static void
test_held_by_first(vt_rt *rt)
{
	struct room r = {.in = {made(rt), made(rt), made(rt)}};
	vt_act act;

	ok(vt_enter(rt, &act, &method, vt_mkptr(r.in[0])) == VT_OK,
		"the first task is in a method");
	ok(vt_spawn(rt, beside, &r, ended) == VT_OK && vt_sleep(rt, 0.01) == VT_OK,
		"another looks while it waits");
	ok(r.held[0] && !r.held[1], "its receiver is held, and nothing else");
	vt_leave(rt, &act);
}

int
main(void)
{
	vt_rt *rt = vt_rt_new(NULL);
	declare(rt);
	test_defaults(rt);
	test_held(rt);
	test_held_by_first(rt);
	ok(!vt_pending(rt), "no exception is left");
	release_names();
	vt_rt_free(rt);
	printf("1..%d\n", tests);
	return failures != 0;
}

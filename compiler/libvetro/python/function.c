/*
 * function.c - functions of Python that expressions call, and the types of their parameters.
 *
 * An argument is converted once, by the code in C or by the type of its parameter in Python, which
 * gets the context of the call.  Types of Python that C knows nothing of say by a callback what
 * they take.
 */
#include "int.h"

#include <stdlib.h>
#include <string.h>

/* What a place of a plan takes besides the number of an argument. */
enum { PLAN_CONTEXT = -1, PLAN_ENGINE = -2, PLAN_NOTHING = -3 };
enum { MOST_PLANNED = 32 };

/*
 * How a Python function gets its arguments.  plan is a tuple of a number each, or of the number and
 * a function that makes of the value what the parameter's type does; in the two places behind the
 * standard parameters such functions, or None, for *rest and **keywords.
 */
typedef struct function {
	Engine *engine; /* which owns this */
	PyObject *f, *plan;
	int nplan, from[MOST_PLANNED];
	PyObject *convert[MOST_PLANNED + 2]; /* borrowed from the plan, or NULL */
	size_t fixed;                        /* arguments of libvetro before the rest */
} function;

typedef struct type {
	Engine *engine;
	PyObject *check, *special; /* special: or None */
} type;

/* ---- calls -------------------------------------------------------------------------------- */

/* One call: the context is made when somebody asks for it, and is the same for all who do. */
typedef struct running {
	function *f;
	vetro_call *call;
	PyObject *context, *receiver;
} running;

static PyObject *
new_context(const running *r)
{
	vetro_value inner = vetro_call_variables(r->call);
	PyObject *vars, *made;

	if (inner == NULL) {
		vars = Py_None;
		Py_INCREF(vars);
	} else {
		vars = pv_to_python(r->f->engine, inner, true);
	}
	vetro_unref(inner);
	if (vars == NULL)
		return NULL;
	made = PyObject_CallFunctionObjArgs(pv.make_context,
		r->f->engine->context ? r->f->engine->context : Py_None, vars, NULL);
	Py_DECREF(vars);
	return made;
}

/* Borrowed. */
static PyObject *
context_of(running *r)
{
	if (r->context == NULL)
		r->context = new_context(r);
	return r->context;
}

static PyObject *
receiver_of(running *r)
{
	vetro_value v;

	if (r->receiver == NULL) {
		v = vetro_call_receiver(r->call);
		r->receiver = v != NULL ? pv_to_python(r->f->engine, v, true) : pv.no_value;
		if (v == NULL)
			Py_INCREF(r->receiver);
	}
	return r->receiver;
}

/* Takes over o, which may be NULL. */
static PyObject *
converted(running *r, PyObject *convert, PyObject *o)
{
	PyObject *made = NULL;

	if (convert == NULL || o == NULL)
		return o;
	if (context_of(r) != NULL && receiver_of(r) != NULL)
		made = PyObject_CallFunctionObjArgs(
			convert, o, r->receiver, r->context, r->f->engine->yaql, NULL);
	Py_DECREF(o);
	return made;
}

static PyObject *
given(running *r, int from, const vetro_value *args)
{
	PyObject *o;

	if (from >= 0)
		return pv_to_python(r->f->engine, args[from], true);
	o = from == PLAN_CONTEXT  ? context_of(r)
	    : from == PLAN_ENGINE ? r->f->engine->yaql
				  : Py_None;
	Py_XINCREF(o);
	return o;
}

static PyObject *
positional(running *r, size_t n, const vetro_value *args)
{
	function *f = r->f;
	size_t rest = n > f->fixed ? n - f->fixed : 0;
	PyObject *t = PyTuple_New((Py_ssize_t)((size_t)f->nplan + rest)), *o;

	for (int i = 0; t != NULL && i < f->nplan + (int)rest; i++) {
		if (i < f->nplan)
			o = converted(r, f->convert[i], given(r, f->from[i], args));
		else
			o = converted(r, f->convert[f->nplan],
				given(r, (int)f->fixed + i - f->nplan, args));
		if (o == NULL)
			Py_CLEAR(t);
		else
			PyTuple_SetItem(t, i, o);
	}
	return t;
}

static bool
convert_values(running *r, PyObject *convert, PyObject *d)
{
	PyObject *items = PyMapping_Items(d);
	bool ok = items != NULL;

	for (Py_ssize_t i = 0; ok && i < PyList_Size(items); i++) {
		PyObject *pair = PyList_GetItem(items, i), *o = PyTuple_GetItem(pair, 1);
		Py_INCREF(o);
		o = converted(r, convert, o);
		ok = o != NULL && PyDict_SetItem(d, PyTuple_GetItem(pair, 0), o) == 0;
		Py_XDECREF(o);
	}
	Py_XDECREF(items);
	return ok;
}

/* NULL without an exception: there are none. */
static PyObject *
keywords(running *r)
{
	vetro_value kw = vetro_call_keywords(r->call);
	PyObject *convert = r->f->convert[r->f->nplan + 1], *d = NULL,
		 *frozen = kw ? pv_to_python(r->f->engine, kw, true) : NULL;

	if (frozen != NULL)
		d = PyObject_CallFunctionObjArgs((PyObject *)&PyDict_Type, frozen, NULL);
	Py_XDECREF(frozen);
	if (d != NULL && convert != NULL && !convert_values(r, convert, d))
		Py_CLEAR(d);
	return d;
}

static vetro_value
run_function(vetro_call *call, size_t n, const vetro_value *args, void *user)
{
	running r = {.f = user, .call = call};
	PyGILState_STATE s = PyGILState_Ensure();
	PyObject *a = r.f->f ? positional(&r, n, args) : NULL, *k = a ? keywords(&r) : NULL,
		 *made = a && !PyErr_Occurred() ? PyObject_Call(r.f->f, a, k) : NULL;
	vetro_value v = made ? pv_from_python(r.f->engine, made, PV_AS_IS) : NULL;

	if (v == NULL)
		pv_raise(r.f->engine);
	Py_XDECREF(a);
	Py_XDECREF(k);
	Py_XDECREF(made);
	Py_XDECREF(r.context);
	Py_XDECREF(r.receiver);
	PyGILState_Release(s);
	return v;
}

/* ---- registration ------------------------------------------------------------------------- */

static void
drop_function(void *user)
{
	function *f = user;

	Py_XDECREF(f->f);
	Py_XDECREF(f->plan);
	free(f);
}

/* False with an exception. */
static bool
read_plan(function *f)
{
	Py_ssize_t n = PyTuple_Size(f->plan);

	f->nplan = (int)n - 2;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *o = PyTuple_GetItem(f->plan, i);
		if (i >= n - 2) {
			f->convert[i] = o == Py_None ? NULL : o;
			continue;
		}
		if (PyTuple_Check(o)) {
			f->convert[i] = PyTuple_GetItem(o, 1);
			o = PyTuple_GetItem(o, 0);
		}
		f->from[i] = o != NULL ? (int)PyLong_AsLong(o) : 0;
	}
	return !PyErr_Occurred();
}

static function *
new_function(Engine *e, PyObject *f, PyObject *plan, Py_ssize_t fixed)
{
	Py_ssize_t n = PyTuple_Size(plan);
	function *made = n >= 2 && n <= MOST_PLANNED + 2 ? calloc(1, sizeof *made) : NULL;

	if (made == NULL) {
		PyErr_SetString(PyExc_ValueError, "too many parameters");
		return NULL;
	}
	made->engine = e;
	made->f = f;
	made->plan = plan;
	made->fixed = (size_t)fixed;
	Py_INCREF(f);
	Py_INCREF(plan);
	if (read_plan(made))
		return made;
	drop_function(made);
	return NULL;
}

static void *
grown(void *list, size_t n)
{
	void *made = realloc(list, (n + 1) * sizeof(void *));

	if (made == NULL)
		Py_FatalError("out of memory");
	return made;
}

/* register(name, signature, flags, function, plan, number of fixed arguments) */
PyObject *
pv_register(PyObject *self, PyObject *args)
{
	Engine *e = (Engine *)self;
	const char *name, *signature;
	unsigned flags;
	PyObject *f, *plan;
	Py_ssize_t fixed;
	vetro_error *err = NULL;
	function *made;

	if (!PyArg_ParseTuple(
		    args, "ssIOO!n", &name, &signature, &flags, &f, &PyTuple_Type, &plan, &fixed))
		return NULL;
	made = new_function(e, f, plan, fixed);
	if (made == NULL)
		return NULL;
	e->hosted++; /* so evaluations keep the GIL */
	e->functions = grown(e->functions, e->nfunctions);
	if (vetro_register(e->e, name, signature, flags, run_function, made, drop_function, &err) !=
		0)
		return pv_set_error(e, err);
	e->functions[e->nfunctions++] = made;
	Py_RETURN_NONE;
}

/* ---- types -------------------------------------------------------------------------------- */

/* A check that raises takes nothing. */
static int
check_type(vetro_engine *ve, vetro_value v, void *user)
{
	type *t = user;
	Engine *e = t->engine;
	PyGILState_STATE s = PyGILState_Ensure();
	PyObject *o = pv_to_python(e, v, true), *r = NULL;
	int takes = 0;

	(void)ve;
	if (o != NULL && t->check != NULL)
		r = PyObject_CallFunctionObjArgs(
			t->check, o, e->context ? e->context : Py_None, e->yaql, NULL);
	if (r != NULL)
		takes = PyObject_IsTrue(r) > 0;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(o);
	PyGILState_Release(s);
	return takes;
}

static int
is_special(const char *other, void *user)
{
	type *t = user;
	PyGILState_STATE s = PyGILState_Ensure();
	PyObject *r = t->special != NULL && t->special != Py_None
			      ? PyObject_CallFunction(t->special, "s", other)
			      : NULL;
	int special = r != NULL ? PyObject_IsTrue(r) > 0 : 0;

	PyErr_Clear();
	Py_XDECREF(r);
	PyGILState_Release(s);
	return special;
}

static void
drop_type(void *user)
{
	type *t = user;

	Py_XDECREF(t->check);
	Py_XDECREF(t->special);
	free(t);
}

static const vetro_type value_type = {
	.size = sizeof value_type, .check = check_type, .is_special = is_special};
static const vetro_type lazy_type = {
	.size = sizeof lazy_type, .lazy = 1, .check = check_type, .is_special = is_special};

/* register_type(name, check(value, context, engine), special(name of another) or None, lazy) */
PyObject *
pv_register_type(PyObject *self, PyObject *args)
{
	Engine *e = (Engine *)self;
	const char *name;
	int lazy;
	type *made, t = {.engine = e};
	vetro_error *err = NULL;

	if (!PyArg_ParseTuple(args, "sOOp", &name, &t.check, &t.special, &lazy))
		return NULL;
	made = malloc(sizeof *made);
	if (made == NULL)
		return PyErr_NoMemory();
	*made = t;
	Py_INCREF(t.check);
	Py_INCREF(t.special);
	e->types = grown(e->types, e->ntypes);
	if (vetro_register_type(
		    e->e, name, lazy ? &lazy_type : &value_type, made, drop_type, &err) != 0)
		return pv_set_error(e, err);
	e->types[e->ntypes++] = made;
	Py_RETURN_NONE;
}

/* ---- the garbage collector ---------------------------------------------------------------- */

/* A function may lead to the context whose environment has the engine. */
int
pv_visit_functions(Engine *e, visitproc visit, void *arg)
{
	for (size_t i = 0; i < e->nfunctions; i++) {
		Py_VISIT(e->functions[i]->f);
		Py_VISIT(e->functions[i]->plan);
	}
	for (size_t i = 0; i < e->ntypes; i++) {
		Py_VISIT(e->types[i]->check);
		Py_VISIT(e->types[i]->special);
	}
	return 0;
}

void
pv_clear_functions(Engine *e)
{
	for (size_t i = 0; i < e->nfunctions; i++) {
		Py_CLEAR(e->functions[i]->f); /* so it is not called with what goes now */
		Py_CLEAR(e->functions[i]->plan);
	}
	for (size_t i = 0; i < e->ntypes; i++) {
		Py_CLEAR(e->types[i]->check);
		Py_CLEAR(e->types[i]->special);
	}
}

/*
 * engine.c - the module: engines and evaluations.
 */
#include "int.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *pv_engine_type;

/* ---- evaluation --------------------------------------------------------------------------- */

/* The data of an evaluation: what `$` is, and the variables that are set. */
typedef struct given {
	vetro_value data, vars;
} given;

static void
drop_given(given *g)
{
	vetro_unref(g->data);
	vetro_unref(g->vars);
}

static bool
take_data(Engine *e, PyObject *data, int how, PyObject *vars, given *g)
{
	*g = (given){NULL, NULL};
	if (data != pv.no_value && (g->data = pv_from_python(e, data, how)) == NULL)
		return false;
	if (vars != Py_None && (g->vars = pv_from_python(e, vars, PV_AS_IS)) == NULL) {
		drop_given(g);
		return false;
	}
	return true;
}

/* Nothing in it leads to Python: others may run meanwhile. */
static vetro_value
evaluate(Engine *e, vetro_query *q, const given *g, vetro_error **err)
{
	PyThreadState *t;
	vetro_value v;

	if (e->hosted > 0)
		return vetro_evaluate(q, g->data, g->vars, err);
	e->busy = true;
	t = PyEval_SaveThread();
	v = vetro_evaluate(q, g->data, g->vars, err);
	PyEval_RestoreThread(t);
	e->busy = false;
	return v;
}

/* evaluate(text, data, convert, vars, context, frozen sets, engine of Python) */
static PyObject *
engine_evaluate(PyObject *self, PyObject *args)
{
	Engine *e = (Engine *)self;
	PyObject *data, *vars, *context, *yaql, *o = NULL, *before = e->context, *outer = e->yaql;
	const char *text;
	Py_ssize_t n;
	int how, frozen;
	vetro_error *err = NULL;
	vetro_query *q;
	vetro_value v;
	given g;

	if (!PyArg_ParseTuple(
		    args, "s#OiOOpO", &text, &n, &data, &how, &vars, &context, &frozen, &yaql))
		return NULL;
	pv_wait(e);
	q = vetro_compile(e->e, text, (size_t)n, &err);
	if (q == NULL)
		return pv_set_error(e, err);
	if (!take_data(e, data, how, vars, &g)) {
		vetro_query_free(q);
		return NULL;
	}
	e->context = context;
	e->yaql = yaql;
	v = evaluate(e, q, &g, &err);
	e->context = before;
	e->yaql = outer;
	drop_given(&g);
	if (v == NULL)
		pv_set_error(e, err);
	else
		o = pv_to_python(e, v, frozen);
	vetro_unref(v);
	vetro_query_free(q);
	return o;
}

/* ---- the library -------------------------------------------------------------------------- */

static bool
values_of(Engine *e, PyObject *args, vetro_value *v, Py_ssize_t *n)
{
	for (*n = 0; *n < PyTuple_Size(args); ++*n) {
		PyObject *o = PyTuple_GetItem(args, *n);
		v[*n] = o == pv.no_value ? vetro_no_value() : pv_from_python(e, o, PV_AS_IS);
		if (v[*n] == NULL)
			return false;
	}
	return true;
}

/* call(i, args, kwargs): the i-th function of the library. */
static PyObject *
engine_call(PyObject *self, PyObject *args)
{
	Engine *e = (Engine *)self;
	PyObject *positional, *keywords, *o = NULL;
	Py_ssize_t i, n;
	vetro_value *v, kw = NULL, r = NULL;
	vetro_error *err = NULL;
	const vetro_builtin *b;

	if (!PyArg_ParseTuple(
		    args, "nO!O!", &i, &PyTuple_Type, &positional, &PyDict_Type, &keywords))
		return NULL;
	b = vetro_builtin_at((size_t)i);
	v = PyMem_Malloc((size_t)(PyTuple_Size(positional) + 1) * sizeof *v);
	if (b == NULL || v == NULL) {
		PyMem_Free(v);
		PyErr_SetString(PyExc_IndexError, "there is no such function");
		return NULL;
	}
	pv_wait(e);
	if (values_of(e, positional, v, &n) &&
		(PyDict_Size(keywords) == 0 ||
			(kw = pv_from_python(e, keywords, PV_AS_IS)) != NULL)) {
		r = vetro_builtin_call(e->e, b, (size_t)n, v, kw, &err);
		if (r == NULL)
			pv_set_error(e, err);
	}
	while (n-- > 0)
		vetro_unref(v[n]);
	vetro_unref(kw);
	PyMem_Free(v);
	if (r != NULL)
		o = pv_to_python(e, r, true);
	vetro_unref(r);
	return o;
}

static PyObject *
parameters_of(Engine *e, const vetro_builtin *b)
{
	PyObject *list = PyList_New(0);
	vetro_parameter p;

	for (size_t i = 0; list && vetro_builtin_parameter(e->e, b, i, &p) == 0; i++) {
		PyObject *value = p.value ? pv_to_python(e, p.value, true) : Py_None, *t;
		if (p.value == NULL)
			Py_INCREF(value);
		t = value ? Py_BuildValue("(ssiiNi)", p.name, p.type, p.nullable, p.kind, value,
				    p.value != NULL)
			  : NULL;
		vetro_unref(p.value);
		if (t == NULL || PyList_Append(list, t) != 0)
			Py_CLEAR(list);
		Py_XDECREF(t);
	}
	return list;
}

/* [(name, flags, layer, [(parameter, type, nullable, kind, default, has one)])] */
static PyObject *
engine_builtins(PyObject *self, PyObject *none)
{
	Engine *e = (Engine *)self;
	PyObject *list = PyList_New(0);
	const vetro_builtin *b;

	(void)none;
	for (size_t i = 0; list && (b = vetro_builtin_at(i)) != NULL; i++) {
		PyObject *t = Py_BuildValue("(sIIN)", vetro_builtin_name(b), vetro_builtin_flags(b),
			vetro_builtin_layer(b), parameters_of(e, b));
		if (t == NULL || PyList_Append(list, t) != 0)
			Py_CLEAR(list);
		Py_XDECREF(t);
	}
	return list;
}

static PyObject *
engine_parse(PyObject *self, PyObject *args)
{
	const char *text;
	Py_ssize_t n;

	if (!PyArg_ParseTuple(args, "s#", &text, &n))
		return NULL;
	pv_wait((Engine *)self);
	return pv_parse((Engine *)self, text, n);
}

/* ---- the type ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	vetro_option option;
} options[] = {
	{"limit_iterators", VETRO_LIMIT_ITERATORS},
	{"memory_quota", VETRO_MEMORY_QUOTA},
	{"tuples_to_lists", VETRO_TUPLES_TO_LISTS},
	{"sets_to_lists", VETRO_SETS_TO_LISTS},
	{"iterable_dicts", VETRO_ITERABLE_DICTS},
	{"convert_output", VETRO_CONVERT_OUTPUT},
	{"legacy", VETRO_LEGACY},
	{"delegates", VETRO_DELEGATES},
	{"legacy_functions", VETRO_LEGACY_FUNCTIONS},
	{"delegate_functions", VETRO_DELEGATE_FUNCTIONS},
	{"left_out", VETRO_LEFT_OUT},
	{"group_by_fallback", VETRO_GROUP_BY_FALLBACK},
	{"convention", VETRO_CONVENTION},
	{"time_limit", VETRO_TIME_LIMIT},
};

static int
set_option(Engine *e, PyObject *key, PyObject *value)
{
	const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
	long long n = PyLong_AsLongLong(value);

	if (name == NULL || (n == -1 && PyErr_Occurred()))
		return -1;
	if (strcmp(name, "opens") == 0) {
		e->opens = n != 0;
		return 0;
	}
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (!strcmp(options[i].name, name)) {
			if (vetro_engine_set(e->e, options[i].option, n) == 0)
				return 0;
			PyErr_Format(PyExc_ValueError, "%s: the value is out of range", name);
			return -1;
		}
	PyErr_Format(PyExc_ValueError, "there is no option %s", name);
	return -1;
}

static PyObject *
engine_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyObject *given, *yaql, *key, *value;
	Py_ssize_t at = 0;
	Engine *e;

	(void)type;
	(void)kwargs;
	if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &given, &yaql))
		return NULL;
	if (pv.no_value == NULL) {
		PyErr_SetString(PyExc_RuntimeError, "setup() was not called");
		return NULL;
	}
	e = PyObject_GC_New(Engine, pv_engine_type);
	if (e == NULL)
		return NULL;
	e->e = vetro_engine_new();
	e->functions = NULL;
	e->nfunctions = 0;
	e->types = NULL;
	e->ntypes = 0;
	e->context = NULL;
	e->yaql = yaql;
	Py_INCREF(yaql);
	e->hosted = 0;
	e->opens = false;
	e->busy = false;
	vetro_engine_set(e->e, VETRO_CONVERT_INPUT, 0);
	while (PyDict_Next(given, &at, &key, &value))
		if (set_option(e, key, value) != 0) {
			Py_DECREF(e);
			return NULL;
		}
	PyObject_GC_Track((PyObject *)e);
	return (PyObject *)e;
}

static void
engine_dealloc(PyObject *self)
{
	Engine *e = (Engine *)self;
	PyTypeObject *type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	vetro_engine_free(e->e);
	free(e->functions);
	free(e->types);
	Py_XDECREF(e->yaql);
	PyObject_GC_Del(self);
	Py_DECREF(type);
}

/* A function may lead to the context whose environment has the engine. */
static int
engine_traverse(PyObject *self, visitproc visit, void *arg)
{
	Engine *e = (Engine *)self;

	Py_VISIT(Py_TYPE(self));
	Py_VISIT(e->yaql);
	return pv_visit_functions(e, visit, arg);
}

static int
engine_clear(PyObject *self)
{
	Engine *e = (Engine *)self;

	Py_CLEAR(e->yaql);
	pv_clear_functions(e);
	return 0;
}

/* keyword_operator(symbol or None) */
static PyObject *
engine_keyword_operator(PyObject *self, PyObject *args)
{
	Engine *e = (Engine *)self;
	const char *symbol;
	vetro_error *err = NULL;

	if (!PyArg_ParseTuple(args, "z", &symbol))
		return NULL;
	pv_wait(e);
	if (vetro_keyword_operator(e->e, symbol, &err) != 0)
		return pv_set_error(e, err);
	Py_RETURN_NONE;
}

/* insert_operator(existing or None, is binary, symbol, kind, new level, alias or None) */
static PyObject *
engine_insert_operator(PyObject *self, PyObject *args)
{
	Engine *e = (Engine *)self;
	const char *existing, *symbol, *alias;
	int binary, kind, level;
	vetro_error *err = NULL;

	if (!PyArg_ParseTuple(args, "zpsipz", &existing, &binary, &symbol, &kind, &level, &alias))
		return NULL;
	pv_wait(e);
	if (vetro_insert_operator(e->e, existing, binary, symbol, (vetro_operator_kind)kind, level,
		    alias, &err) != 0)
		return pv_set_error(e, err);
	Py_RETURN_NONE;
}

static PyMethodDef engine_methods[] = {
	{"register", pv_register, METH_VARARGS, "Makes a Python function known."},
	{"register_type", pv_register_type, METH_VARARGS, "Makes a type of parameters known."},
	{"evaluate", engine_evaluate, METH_VARARGS, "Evaluates an expression."},
	{"call", engine_call, METH_VARARGS, "Calls a function of the library."},
	{"builtins", engine_builtins, METH_NOARGS, "The functions of the library."},
	{"parse", engine_parse, METH_VARARGS, "The tree of an expression."},
	{"insert_operator", engine_insert_operator, METH_VARARGS, "Adds an operator."},
	{"keyword_operator", engine_keyword_operator, METH_VARARGS,
		"What stands between the name and the value of an argument."},
	{NULL, NULL, 0, NULL},
};
static PyType_Slot engine_slots[] = {{Py_tp_new, (void *)engine_new},
	{Py_tp_dealloc, (void *)engine_dealloc}, {Py_tp_traverse, (void *)engine_traverse},
	{Py_tp_clear, (void *)engine_clear}, {Py_tp_methods, engine_methods}, {0, NULL}};
static PyType_Spec engine_spec = {"vetro._vetro.Engine", sizeof(Engine), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, engine_slots};

int
pv_engine_init(PyObject *m)
{
	PyObject *t = PyType_FromSpec(&engine_spec);

	if (t == NULL)
		return -1;
	pv_engine_type = (PyTypeObject *)t;
	Py_INCREF(t);
	return PyModule_AddObject(m, "Engine", t);
}

/* ---- the module --------------------------------------------------------------------------- */

static PyObject *
setup(PyObject *self, PyObject *args)
{
	static const struct {
		const char *name;
		PyObject **to;
	} known[] = {
		{"FrozenDict", &pv.frozen_dict},
		{"NO_VALUE", &pv.no_value},
		{"MappingRule", &pv.mapping_rule},
		{"datetime", &pv.datetime},
		{"date", &pv.date},
		{"timedelta", &pv.timedelta},
		{"Pattern", &pv.pattern},
		{"split_datetime", &pv.split_datetime},
		{"make_datetime", &pv.make_datetime},
		{"make_pattern", &pv.make_pattern},
		{"make_error", &pv.make_error},
		{"make_context", &pv.make_context},
		{"convert", &pv.convert},
		{"context_variables", &pv.context_variables},
		{"is_open", &pv.is_open},
		{"member", &pv.member},
		{"method", &pv.method},
		{"item", &pv.item},
		{"Context", &pv.context},
		{"Mapping", &pv.mapping},
		{"Sequence", &pv.sequence},
		{"Set", &pv.set},
		{"MutableSet", &pv.mutable_set},
		{"Iterable", &pv.iterable},
	};
	PyObject *d;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &d))
		return NULL;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		PyObject *o = PyDict_GetItemString(d, known[i].name);
		if (o == NULL) {
			PyErr_Format(PyExc_KeyError, "%s", known[i].name);
			return NULL;
		}
		Py_INCREF(o);
		Py_XDECREF(*known[i].to);
		*known[i].to = o;
	}
	if (pv.dict_name == NULL)
		pv.dict_name = PyUnicode_InternFromString("_d");
	Py_RETURN_NONE;
}

static PyMethodDef module_methods[] = {
	{"setup", setup, METH_VARARGS, "Tells the module of the classes that it makes."},
	{NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, "_vetro", NULL, -1, module_methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__vetro(void);

PyMODINIT_FUNC
PyInit__vetro(void)
{
	PyObject *m = PyModule_Create(&module);

	if (m == NULL || pv_values_init(m) != 0 || pv_tree_init(m) != 0 || pv_engine_init(m) != 0)
		return NULL;
	pv.foreign = PyErr_NewException("vetro._vetro.Foreign", NULL, NULL);
	Py_XINCREF(pv.foreign);
	if (pv.foreign == NULL || PyModule_AddObject(m, "Foreign", pv.foreign) != 0)
		return NULL;
	if (PyModule_AddStringConstant(m, "version", vetro_version()) != 0)
		return NULL;
	return m;
}

/* from.c - values of Python become values of libvetro. */
#include "int.h"

static vetro_value from(way *, PyObject *);

static vetro_value
from_text(way *w, PyObject *o)
{
	Py_ssize_t n;
	const char *s = PyUnicode_AsUTF8AndSize(o, &n);

	return s ? vetro_string(w->engine->e, s, (size_t)n) : NULL;
}

static vetro_value
from_key(way *w, PyObject *o)
{
	size_t i = pv_slot(o);
	vetro_value v;

	if (!PyUnicode_CheckExact(o))
		return from(w, o);
	if (w->key[i].from == o)
		return vetro_ref(w->key[i].to);
	v = from_text(w, o);
	if (v != NULL) {
		Py_INCREF(o);
		Py_XDECREF((PyObject *)(uintptr_t)w->key[i].from);
		vetro_unref(w->key[i].to);
		w->key[i].from = o;
		w->key[i].to = vetro_ref(v);
	}
	return v;
}

static vetro_value
from_int(way *w, PyObject *o)
{
	int over = 0;
	long long i = PyLong_AsLongLongAndOverflow(o, &over);
	PyObject *text;
	const char *s;
	vetro_value v;

	if (!over)
		return vetro_int(w->engine->e, i);
	text = PyObject_Str(o);
	s = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
	v = s ? vetro_bigint(w->engine->e, s, VETRO_ZSTR) : NULL;
	Py_XDECREF(text);
	return v;
}

enum { FEW = 32 };

/* Items that are converted become a collection; made NULL: an exception is set. */
typedef struct items {
	vetro_value few[FEW], *v;
	size_t n, room;
} items;

static bool
items_open(items *a, Py_ssize_t n)
{
	a->n = 0;
	a->room = n > FEW ? (size_t)n : FEW;
	a->v = a->room > FEW ? PyMem_Malloc(a->room * sizeof *a->v) : a->few;
	if (a->v == NULL)
		PyErr_NoMemory();
	return a->v != NULL;
}

static vetro_value
items_close(items *a, vetro_value made)
{
	if (a->v != a->few)
		PyMem_Free(a->v);
	if (made == NULL && !PyErr_Occurred())
		PyErr_SetString(PyExc_TypeError, "unhashable type");
	return made;
}

static vetro_value
items_fail(items *a)
{
	while (a->n > 0)
		vetro_unref(a->v[--a->n]);
	return items_close(a, NULL);
}

static vetro_value
from_tuple(way *w, PyObject *o)
{
	Py_ssize_t n = PyTuple_Size(o);
	items a;

	if (!items_open(&a, n))
		return NULL;
	for (Py_ssize_t i = 0; i < n; i++)
		if ((a.v[a.n] = from(w, PyTuple_GetItem(o, i))) != NULL)
			a.n++;
		else
			return items_fail(&a);
	return items_close(&a, vetro_tuple(w->engine->e, a.n, a.v));
}

/* Items may run Python code that changes the list. */
static vetro_value
from_list(way *w, PyObject *o)
{
	items a;

	if (!items_open(&a, PyList_Size(o)))
		return NULL;
	for (Py_ssize_t i = 0; i < PyList_Size(o) && a.n < a.room; i++)
		if ((a.v[a.n] = from(w, PyList_GetItem(o, i))) != NULL)
			a.n++;
		else
			return items_fail(&a);
	return items_close(&a, (w->how & PV_CONVERT) ? vetro_tuple(w->engine->e, a.n, a.v)
						     : vetro_list_of(w->engine->e, a.n, a.v));
}

static vetro_value
from_dict(way *w, PyObject *o, bool frozen)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	vetro_value d;
	items a;

	if (!items_open(&a, 2 * PyDict_Size(o)))
		return NULL;
	while (a.n + 2 <= a.room && PyDict_Next(o, &at, &key, &value)) {
		if ((a.v[a.n] = from_key(w, key)) == NULL)
			return items_fail(&a);
		a.n++;
		if ((a.v[a.n] = from(w, value)) == NULL)
			return items_fail(&a);
		a.n++;
	}
	if (frozen)
		return items_close(&a, vetro_frozen(w->engine->e, a.n / 2, a.v));
	d = vetro_dict(w->engine->e);
	for (size_t i = 0; i + 1 < a.n; i += 2)
		if (vetro_dict_put(w->engine->e, d, a.v[i], a.v[i + 1]) != 0)
			PyErr_SetString(PyExc_TypeError, "unhashable type");
	if (!PyErr_Occurred())
		return items_close(&a, d);
	vetro_unref(d);
	return items_close(&a, NULL);
}

static vetro_value
from_sequence_of(
	way *w, PyObject *o, vetro_value (*make)(vetro_engine *, size_t, const vetro_value *))
{
	PyObject *list = PySequence_List(o);
	items a;

	if (list == NULL || !items_open(&a, PyList_Size(list))) {
		Py_XDECREF(list);
		return NULL;
	}
	for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
		if ((a.v[a.n] = from(w, PyList_GetItem(list, i))) == NULL) {
			Py_DECREF(list);
			return items_fail(&a);
		}
		a.n++;
	}
	Py_DECREF(list);
	return items_close(&a, make(w->engine->e, a.n, a.v));
}

/* A mapping of its own: what its items() say. */
static vetro_value
from_mapping(way *w, PyObject *o)
{
	PyObject *pairs = PyMapping_Items(o), *d = pairs ? PyDict_New() : NULL;
	vetro_value v = NULL;

	if (d != NULL && PyDict_MergeFromSeq2(d, pairs, 1) == 0)
		v = from_dict(w, d, (w->how & PV_CONVERT) != 0);
	Py_XDECREF(pairs);
	Py_XDECREF(d);
	return v;
}

static vetro_value
from_frozen(way *w, PyObject *o)
{
	PyObject *d = PyObject_GetAttr(o, pv.dict_name);
	vetro_value v = d && PyDict_Check(d) ? from_dict(w, d, true) : NULL;

	Py_XDECREF(d);
	return v;
}

static vetro_value
from_date(way *w, PyObject *o)
{
	PyObject *parts = PyObject_CallFunctionObjArgs(pv.split_datetime, o, NULL), *offset;
	vetro_value v = NULL;

	if (parts == NULL)
		return NULL;
	offset = PyTuple_GetItem(parts, 1);
	v = vetro_datetime(w->engine->e, PyLong_AsLongLong(PyTuple_GetItem(parts, 0)),
		offset == Py_None ? 0 : (int32_t)PyLong_AsLong(offset), offset == Py_None);
	Py_DECREF(parts);
	return v;
}

/* What Python code has to evaluate with: nothing that ran may run twice. */
static vetro_value
foreign(void)
{
	PyErr_SetNone(pv.foreign);
	return NULL;
}

static vetro_value
from_object(way *w, PyObject *o)
{
	const vetro_members *members = NULL;
	int hidden = -1;

	if (w->engine->opens && PyObject_HasAttrString(o, "__yaqlization__"))
		hidden = pv_hidden(o);
	if (hidden == -1 && PyErr_Occurred())
		return NULL;
	if (!PyType_Check(o) && PyObject_IsInstance(o, pv.iterable) > 0)
		members = &pv_collections[hidden < 0 ? PV_HIDDEN : hidden];
	else if (hidden >= 0)
		members = &pv_members[hidden];
	return vetro_object_with(w->engine->e, &pv_object, members, pv_bridge(w->engine, o));
}

/* A context with the variables of one of Python's. */
static vetro_value
from_context(way *w, PyObject *o)
{
	PyObject *d = PyObject_CallFunctionObjArgs(pv.context_variables, o, NULL), *key, *value;
	vetro_value c = d && PyDict_Check(d) ? vetro_context(w->engine->e, NULL) : NULL, v;
	Py_ssize_t at = 0;

	if (d != NULL && c == NULL)
		foreign();
	while (c != NULL && PyDict_Next(d, &at, &key, &value)) {
		v = from(w, value);
		if (v == NULL || vetro_context_set(w->engine->e, c,
					 PyUnicode_AsUTF8AndSize(key, NULL), v) != 0) {
			vetro_unref(c);
			c = NULL;
		}
		vetro_unref(v);
	}
	Py_XDECREF(d);
	return c;
}

static vetro_value
from_timedelta(way *w, PyObject *o)
{
	static const char *const names[] = {"days", "seconds", "microseconds"};
	long long part[3] = {0, 0, 0};

	for (int i = 0; i < 3; i++) {
		PyObject *n = PyObject_GetAttrString(o, names[i]);
		part[i] = n != NULL ? PyLong_AsLongLong(n) : -1;
		Py_XDECREF(n);
		if (part[i] == -1 && PyErr_Occurred())
			return NULL;
	}
	return vetro_timespan_of(w->engine->e, part[0], 1000000 * part[1] + part[2]);
}

static vetro_value
from_pattern(way *w, PyObject *o)
{
	PyObject *text = PyObject_GetAttrString(o, "pattern"),
		 *flags = PyObject_GetAttrString(o, "flags");
	Py_ssize_t n;
	const char *s = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &n) : NULL;
	vetro_value v = NULL;

	if (s != NULL && flags != NULL)
		v = vetro_regex(w->engine->e, s, (size_t)n, PyLong_AsLongLong(flags), NULL);
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(flags);
	return v != NULL ? v : from_object(w, o);
}

static vetro_value
from_rule(way *w, PyObject *o)
{
	PyObject *source = PyObject_GetAttrString(o, "source"),
		 *destination = PyObject_GetAttrString(o, "destination");
	vetro_value a = source ? from(w, source) : NULL,
		    b = destination ? from(w, destination) : NULL;

	Py_XDECREF(source);
	Py_XDECREF(destination);
	if (a != NULL && b != NULL)
		return vetro_mapping(w->engine->e, a, b);
	vetro_unref(a);
	vetro_unref(b);
	return NULL;
}

/* A value of this engine comes home; those of others are iterated and called through Python. */
static vetro_value
from_held(way *w, PyObject *o)
{
	held *h = (held *)o;

	if (h->engine == w->engine)
		return vetro_ref(h->v);
	if (Py_TYPE(o) == pv_lambda_type)
		return vetro_callable(
			w->engine->e, pv_call_python, pv_bridge(w->engine, o), pv_drop_bridge);
	if (Py_TYPE(o) == pv_iterator_type || Py_TYPE(o) == pv_iterable_type)
		return vetro_lazy(w->engine->e, &pv_lazy, pv_bridge(w->engine, o));
	return from_object(w, o);
}

static vetro_value
from_iterator(way *w, PyObject *o)
{
	PyObject *items = w->how & PV_CONVERT ? PyObject_CallFunctionObjArgs(pv.convert, o, NULL)
					      : NULL,
		 *it = !(w->how & PV_CONVERT) ? PyObject_GetIter(o)
		       : items                ? PyObject_GetIter(items)
					      : NULL;
	vetro_value v;

	Py_XDECREF(items);
	if (it == NULL)
		return NULL;
	v = vetro_lazy(w->engine->e, w->how & PV_CONVERT ? &pv_mapped : &pv_lazy,
		pv_bridge(w->engine, it));
	Py_DECREF(it);
	return v;
}

static bool
is_a(PyObject *o, PyObject *type)
{
	int r = type != NULL ? PyObject_IsInstance(o, type) : 0;

	PyErr_Clear();
	return r > 0;
}

/* What has items in a way of its own; *made NULL: it has none, or there is an exception. */
static bool
has_items(way *w, PyObject *o, vetro_value *made)
{
	if (PyUnicode_Check(o) || PyType_Check(o))
		return false;
	if (is_a(o, pv.mapping))
		*made = from_mapping(w, o);
	else if (is_a(o, w->how & PV_CONVERT ? pv.mutable_set : pv.set))
		*made = from_sequence_of(w, o, vetro_set);
	else if (is_a(o, pv.sequence))
		*made = from_sequence_of(w, o, vetro_tuple);
	else if (is_a(o, pv.iterable) && (w->how & PV_CONVERT))
		*made = from_iterator(w, o);
	else
		return false;
	return true;
}

static vetro_value
from_unconverted(way *w, PyObject *o)
{
	vetro_value made = NULL;

	if (PyTuple_Check(o))
		return from_tuple(w, o);
	if (PyList_Check(o))
		return from_list(w, o);
	if (PyDict_Check(o))
		return from_mapping(w, o);
	if (PyIter_Check(o))
		return from_iterator(w, o);
	if (is_a(o, pv.context))
		return from_context(w, o);
	if (!(w->how & PV_CONVERT) && w->engine->opens &&
		PyObject_HasAttrString(o, "__yaqlization__"))
		return from_object(w, o);
	if (has_items(w, o, &made))
		return made;
	if (PyCallable_Check(o) && !PyType_Check(o))
		return vetro_callable(
			w->engine->e, pv_call_python, pv_bridge(w->engine, o), pv_drop_bridge);
	return from_object(w, o);
}

/* Subclasses and what only quacks. */
static vetro_value
from_other(way *w, PyObject *o)
{
	if (PyUnicode_Check(o))
		return from_text(w, o);
	if (PyLong_Check(o))
		return from_int(w, o);
	if (PyFloat_Check(o))
		return vetro_double(w->engine->e, PyFloat_AsDouble(o));
	if (o == pv.no_value)
		return vetro_no_value();
	if (pv_is_held(o))
		return from_held(w, o);
	if (is_a(o, pv.frozen_dict))
		return from_frozen(w, o);
	if (is_a(o, pv.datetime))
		return from_date(w, o);
	if (is_a(o, pv.timedelta))
		return from_timedelta(w, o);
	if (is_a(o, pv.pattern))
		return from_pattern(w, o);
	if (is_a(o, pv.mapping_rule))
		return from_rule(w, o);
	if ((w->how & PV_CONVERT) && is_a(o, pv.mapping))
		return from_mapping(w, o);
	if ((w->how & PV_CONVERT) && is_a(o, pv.sequence))
		return from_sequence_of(w, o, vetro_tuple);
	return from_unconverted(w, o);
}

static vetro_value
from_kind(way *w, PyObject *o)
{
	PyTypeObject *t = Py_TYPE(o);

	if (t == &PyTuple_Type)
		return from_tuple(w, o);
	if (t == &PyList_Type)
		return from_list(w, o);
	if (t == &PyDict_Type)
		return from_dict(w, o, (w->how & PV_CONVERT));
	if ((PyObject *)t == pv.frozen_dict)
		return from_frozen(w, o);
	return from_other(w, o);
}

static vetro_value
from(way *w, PyObject *o)
{
	PyTypeObject *t = Py_TYPE(o);
	vetro_value v;

	if (o == Py_None)
		return vetro_null();
	if (t == &PyUnicode_Type)
		return from_text(w, o);
	if (t == &PyBool_Type)
		return vetro_bool(o == Py_True);
	if (t == &PyLong_Type)
		return from_int(w, o);
	if (t == &PyFloat_Type)
		return vetro_double(w->engine->e, PyFloat_AsDouble(o));
	if (++w->depth > PV_MOST_DEPTH) {
		PyErr_SetString(PyExc_RecursionError, "data is nested too deep");
		return NULL;
	}
	v = from_kind(w, o);
	w->depth--;
	return v;
}

vetro_value
pv_from_python(Engine *e, PyObject *o, int how)
{
	way w = {.engine = e, .how = how};
	vetro_value v = from(&w, o);

	for (size_t i = 0; i < PV_KEYS; i++) {
		Py_XDECREF((PyObject *)(uintptr_t)w.key[i].from);
		vetro_unref(w.key[i].to);
	}
	if (v == NULL && !PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "the value cannot be converted");
	return v;
}

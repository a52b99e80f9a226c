/* to.c - values of libvetro become values of Python. */
#include "int.h"

static PyObject *to(way *, vetro_value);

static PyObject *
to_text(vetro_value v)
{
	size_t n;
	const char *s = vetro_get_string(v, &n);

	return PyUnicode_DecodeUTF8(s, (Py_ssize_t)n, "surrogatepass");
}

static PyObject *
to_key(way *w, vetro_value v)
{
	size_t i = pv_slot(v);
	PyObject *o;

	if (vetro_kind_of(v) != VETRO_STRING)
		return to(w, v);
	if (w->key[i].from != v) {
		if ((o = to_text(v)) == NULL)
			return NULL;
		Py_XDECREF((PyObject *)w->key[i].to);
		w->key[i].from = v;
		w->key[i].to = o;
	}
	o = w->key[i].to;
	Py_INCREF(o);
	return o;
}

static PyObject *
to_list(way *w, vetro_value v)
{
	Py_ssize_t n = (Py_ssize_t)vetro_length(v);
	bool tuple = vetro_form_of(v) == VETRO_FORM_TUPLE;
	PyObject *o = tuple ? PyTuple_New(n) : PyList_New(n);

	for (Py_ssize_t i = 0; o != NULL && i < n; i++) {
		PyObject *item = to(w, vetro_list_at(v, (size_t)i));
		if (item == NULL) {
			Py_DECREF(o);
			return NULL;
		}
		if (tuple)
			PyTuple_SetItem(o, i, item);
		else
			PyList_SetItem(o, i, item);
	}
	return o;
}

static PyObject *
to_dict(way *w, vetro_value v)
{
	PyObject *d = PyDict_New(), *frozen;
	vetro_value key, value;

	for (size_t at = 0; d != NULL && vetro_dict_next(v, &at, &key, &value);) {
		PyObject *k = to_key(w, key), *x = k ? to(w, value) : NULL;
		int st = x ? PyDict_SetItem(d, k, x) : -1;
		Py_XDECREF(k);
		Py_XDECREF(x);
		if (st != 0) {
			Py_DECREF(d);
			return NULL;
		}
	}
	if (d == NULL || vetro_form_of(v) != VETRO_FORM_FROZEN)
		return d;
	frozen = PyObject_CallFunctionObjArgs(pv.frozen_dict, d, NULL);
	Py_DECREF(d);
	return frozen;
}

static PyObject *
to_set(way *w, vetro_value v)
{
	PyObject *list = PyList_New(0), *s = NULL, *item;
	vetro_value x;

	for (size_t at = 0; list != NULL && vetro_set_next(v, &at, &x);) {
		item = to(w, x);
		if (item == NULL || PyList_Append(list, item) != 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	if (list != NULL)
		s = w->frozen_sets ? PyFrozenSet_New(list) : PySet_New(list);
	Py_XDECREF(list);
	return s;
}

static PyObject *
to_big(way *w, vetro_value v)
{
	char *text = vetro_to_text(w->engine->e, v, NULL);
	PyObject *o = PyLong_FromString(text, NULL, 10);

	vetro_free_text(text);
	return o;
}

static PyObject *
to_date(vetro_value v)
{
	int64_t us;
	int32_t offset;
	int naive;

	vetro_get_datetime(v, &us, &offset, &naive);
	if (naive)
		return PyObject_CallFunction(pv.make_datetime, "LOi", (long long)us, Py_None,
			vetro_form_of(v) == VETRO_FORM_DATE);
	return PyObject_CallFunction(pv.make_datetime, "Lii", (long long)us, (int)offset, 0);
}

static PyObject *
to_view(way *w, vetro_value v, const char *method)
{
	PyObject *d = to_dict(w, vetro_view_dict(v)),
		 *o = d ? PyObject_CallMethod(d, method, NULL) : NULL;

	Py_XDECREF(d);
	return o;
}

static PyObject *
to_lazy(way *w, vetro_value v)
{
	bridge *l = vetro_lazy_user(v, &pv_lazy);

	if (l == NULL)
		l = vetro_lazy_user(v, &pv_mapped);
	if (l != NULL) {
		Py_INCREF(l->object);
		return l->object;
	}
	switch (vetro_form_of(v)) {
	case VETRO_FORM_KEYS: return to_view(w, v, "keys");
	case VETRO_FORM_VALUES: return to_view(w, v, "values");
	case VETRO_FORM_ITEMS: return to_view(w, v, "items");
	case VETRO_FORM_ORDERING: return pv_hold(pv_ordering_type, w->engine, v);
	case VETRO_FORM_MEMO: return pv_hold(pv_iterable_type, w->engine, v);
	default: return pv_hold(pv_iterator_type, w->engine, v);
	}
}

static PyObject *
to_other(way *w, vetro_value v)
{
	bridge *l = vetro_object_user(v, &pv_object);
	int64_t flags;
	size_t n;
	const char *s;
	vetro_value key, value;
	PyObject *a, *b, *o;

	if (vetro_form_of(v) == VETRO_FORM_NO_VALUE)
		l = NULL, o = pv.no_value, Py_INCREF(o);
	else if (l != NULL)
		o = l->object, Py_INCREF(o);
	else if ((s = vetro_get_regex(v, &n, &flags)) != NULL)
		o = PyObject_CallFunction(
			pv.make_pattern, "s#L", s, (Py_ssize_t)n, (long long)flags);
	else if (vetro_mapping_parts(v, &key, &value) == 0) {
		a = to(w, key);
		b = a ? to(w, value) : NULL;
		o = b ? PyObject_CallFunctionObjArgs(pv.mapping_rule, a, b, NULL) : NULL;
		Py_XDECREF(a);
		Py_XDECREF(b);
	} else
		o = pv_hold(pv_opaque_type, w->engine, v);
	return o;
}

static PyObject *
to_lambda(way *w, vetro_value v)
{
	bridge *l = vetro_callable_user(v, pv_call_python);

	if (l == NULL)
		return pv_hold(pv_lambda_type, w->engine, v);
	Py_INCREF(l->object);
	return l->object;
}

static PyObject *
to_nested(way *w, vetro_value v, vetro_kind kind)
{
	PyObject *o;

	if (++w->depth > PV_MOST_DEPTH) {
		PyErr_SetString(PyExc_RecursionError, "the result is nested too deep");
		return NULL;
	}
	o = kind == VETRO_LIST ? to_list(w, v) : kind == VETRO_DICT ? to_dict(w, v) : to_set(w, v);
	w->depth--;
	return o;
}

static PyObject *
to(way *w, vetro_value v)
{
	int64_t i, days;
	double d;
	vetro_kind kind = vetro_kind_of(v);

	switch (kind) {
	case VETRO_NONE: Py_INCREF(pv.no_value); return pv.no_value; /* [1, , 2] */
	case VETRO_NULL: Py_INCREF(Py_None); return Py_None;
	case VETRO_BOOL: return PyBool_FromLong(vetro_truth(v));
	case VETRO_INT: vetro_get_int(v, &i); return PyLong_FromLongLong(i);
	case VETRO_BIGINT: return to_big(w, v);
	case VETRO_DOUBLE: vetro_get_double(v, &d); return PyFloat_FromDouble(d);
	case VETRO_STRING: return to_text(v);
	case VETRO_LIST:
	case VETRO_DICT:
	case VETRO_SET: return to_nested(w, v, kind);
	case VETRO_LAZY: return to_lazy(w, v);
	case VETRO_LAMBDA: return to_lambda(w, v);
	case VETRO_DATETIME: return to_date(v);
	case VETRO_TIMESPAN:
		vetro_get_timespan_of(v, &days, &i);
		return PyObject_CallFunction(pv.timedelta, "LLL", (long long)days,
			(long long)(i / 1000000), (long long)(i % 1000000));
	case VETRO_OTHER: break;
	}
	return to_other(w, v);
}

PyObject *
pv_to_python(Engine *e, vetro_value v, bool sets_are_frozen)
{
	way w = {.engine = e, .frozen_sets = sets_are_frozen};
	PyObject *o = to(&w, v);

	for (size_t i = 0; i < PV_KEYS; i++)
		Py_XDECREF((PyObject *)w.key[i].to);
	return o;
}

/*
 * values.c - values that lead to Python, and values that Python holds.
 *
 * Plain data is copied (from.c, to.c).  What is not, a generator, a function, any other object,
 * goes through as a value that leads back to the same object.  What Python cannot have as its own,
 * a lazy collection or a lambda, becomes an object of a type of this file.
 */
#include "int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

pv_known pv;
PyTypeObject *pv_iterator_type, *pv_iterable_type, *pv_ordering_type, *pv_lambda_type,
	*pv_opaque_type;

void
pv_wait(Engine *e)
{
	const struct timespec moment = {0, 50000};

	while (e->busy) {
		PyThreadState *t = PyEval_SaveThread();
		nanosleep(&moment, NULL);
		PyEval_RestoreThread(t);
	}
}

/* ---- values that lead to Python ----------------------------------------------------------- */

bridge *
pv_bridge(Engine *e, PyObject *o)
{
	bridge *l = malloc(sizeof *l);

	if (l == NULL)
		Py_FatalError("out of memory");
	Py_INCREF(o);
	*l = (bridge){e, o};
	e->hosted++;
	return l;
}

void
pv_drop_bridge(void *user)
{
	bridge *l = user;
	PyGILState_STATE s = PyGILState_Ensure();

	l->engine->hosted--;
	Py_DECREF(l->object);
	free(l);
	PyGILState_Release(s);
}

static PyObject *
object_of(void *user)
{
	return ((bridge *)user)->object;
}

static const char *
object_type(void *user)
{
	PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(object_of(user)), "__name__");
	static char kept[128];
	const char *s = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;

	PyErr_Clear();
	snprintf(kept, sizeof kept, "%s", s ? s : "object");
	Py_XDECREF(name);
	return kept;
}

static int
object_equal(void *a, void *b)
{
	int r = PyObject_RichCompareBool(object_of(a), object_of(b), Py_EQ);

	PyErr_Clear();
	return r > 0;
}

static int
object_hash(void *user, uint64_t *hash)
{
	Py_hash_t h = PyObject_Hash(object_of(user));

	if (h == -1 && PyErr_Occurred()) {
		PyErr_Clear();
		return -1;
	}
	*hash = (uint64_t)h;
	return 0;
}

static void
object_text(void *user, int repr, vetro_text *to)
{
	PyObject *s = repr ? PyObject_Repr(object_of(user)) : PyObject_Str(object_of(user));
	Py_ssize_t n;
	const char *p = s ? PyUnicode_AsUTF8AndSize(s, &n) : NULL;

	PyErr_Clear();
	if (p != NULL)
		vetro_put(to, p, (size_t)n);
	Py_XDECREF(s);
}

static int
object_truth(void *user)
{
	int r = PyObject_IsTrue(object_of(user));

	PyErr_Clear();
	return r != 0;
}

const vetro_object_type pv_object = {
	object_type, object_equal, object_hash, object_text, object_truth, pv_drop_bridge};

static PyObject *
arguments(Engine *e, size_t n, const vetro_value *args)
{
	PyObject *t = PyTuple_New((Py_ssize_t)n);

	for (size_t i = 0; t != NULL && i < n; i++) {
		PyObject *o = pv_to_python(e, args[i], true);
		if (o == NULL) {
			Py_DECREF(t);
			return NULL;
		}
		PyTuple_SetItem(t, (Py_ssize_t)i, o);
	}
	return t;
}

/* ---- objects that are open to expressions ------------------------------------------------- */

/* f(object, key, ...); rest is owned, and may be NULL. */
static vetro_value
ask(bridge *l, PyObject *f, PyObject *key, PyObject *args, PyObject *kwargs)
{
	PyObject *r =
		key ? PyObject_CallFunctionObjArgs(f, l->object, key, args, kwargs, NULL) : NULL;
	vetro_value v = r ? pv_from_python(l->engine, r, PV_AS_IS) : NULL;

	Py_XDECREF(key);
	Py_XDECREF(r);
	return v != NULL ? v : pv_raise(l->engine);
}

static vetro_value
member_get(vetro_engine *e, void *user, const char *name)
{
	PyGILState_STATE s = PyGILState_Ensure();
	vetro_value v = ask(user, pv.member, PyUnicode_FromString(name), NULL, NULL);

	(void)e;
	PyGILState_Release(s);
	return v;
}

static vetro_value
member_call(vetro_engine *e, void *user, const char *name, size_t n, const vetro_value *args,
	vetro_value kw)
{
	bridge *l = user;
	PyGILState_STATE s = PyGILState_Ensure();
	PyObject *a = arguments(l->engine, n, args),
		 *k = a && kw ? pv_to_python(l->engine, kw, true) : PyDict_New();
	vetro_value v = NULL;

	(void)e;
	if (a != NULL && k != NULL)
		v = ask(l, pv.method, PyUnicode_FromString(name), a, k);
	else
		pv_raise(l->engine);
	Py_XDECREF(a);
	Py_XDECREF(k);
	PyGILState_Release(s);
	return v;
}

static vetro_value
member_item(vetro_engine *e, void *user, vetro_value key)
{
	bridge *l = user;
	PyGILState_STATE s = PyGILState_Ensure();
	vetro_value v = ask(l, pv.item, pv_to_python(l->engine, key, true), NULL, NULL);

	(void)e;
	PyGILState_Release(s);
	return v;
}

static vetro_value
member_items(vetro_engine *e, void *user)
{
	bridge *l = user;
	PyGILState_STATE s = PyGILState_Ensure();
	PyObject *it = PyObject_GetIter(l->object);
	vetro_value v =
		it ? vetro_lazy(e, &pv_lazy, pv_bridge(l->engine, it)) : pv_raise(l->engine);

	Py_XDECREF(it);
	PyGILState_Release(s);
	return v;
}

#define MEMBERS(hide, of) \
	{ \
		.size = sizeof(vetro_members), .hidden = hide, .get = member_get, \
		.call = member_call, .item = member_item, .items = of \
	}
#define EIGHT(of) \
	{ \
		MEMBERS(0, of), MEMBERS(1, of), MEMBERS(2, of), MEMBERS(3, of), MEMBERS(4, of), \
			MEMBERS(5, of), MEMBERS(6, of), MEMBERS(PV_HIDDEN, of) \
	}
const vetro_members pv_members[] = EIGHT(NULL);
const vetro_members pv_collections[] = EIGHT(member_items);

int
pv_hidden(PyObject *o)
{
	PyObject *r = PyObject_CallFunctionObjArgs(pv.is_open, o, NULL);
	int hidden = r ? (int)PyLong_AsLong(r) : -1;

	Py_XDECREF(r);
	return hidden >= 0 && hidden <= PV_HIDDEN ? hidden : -1;
}

/* ---- errors ------------------------------------------------------------------------------- */

vetro_value
pv_raise(Engine *e)
{
	PyObject *type, *value, *trace, *text;
	const char *message;
	vetro_value carried;

	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	if (value == NULL) {
		Py_XDECREF(type);
		return vetro_fail(e->e, "RuntimeError", "a function of Python failed", NULL);
	}
	if (trace != NULL)
		PyException_SetTraceback(value, trace);
	text = PyObject_Str(value);
	message = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
	PyErr_Clear();
	carried = vetro_object(e->e, &pv_object, pv_bridge(e, value));
	vetro_fail(e->e, "PythonError", message ? message : "", carried);
	vetro_unref(carried);
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	return NULL;
}

PyObject *
pv_set_error(Engine *e, vetro_error *err)
{
	vetro_value v = vetro_error_value(err);
	bridge *l = v ? vetro_object_user(v, &pv_object) : NULL;
	PyObject *made, *value;

	if (l != NULL && strcmp(vetro_error_type(err), "PythonError") == 0) {
		made = l->object;
		Py_INCREF(made);
	} else {
		value = v ? pv_to_python(e, v, true) : NULL;
		PyErr_Clear();
		made = PyObject_CallFunction(pv.make_error, "ssO", vetro_error_type(err),
			vetro_error_message(err), value ? value : pv.no_value);
		Py_XDECREF(value);
	}
	vetro_error_free(err);
	if (made != NULL) {
		PyErr_SetObject((PyObject *)Py_TYPE(made), made);
		Py_DECREF(made);
	}
	return NULL;
}

vetro_value
pv_call(Engine *e, PyObject *f, size_t n, const vetro_value *args, vetro_value kw)
{
	PyObject *a = arguments(e, n, args), *k = NULL, *r = NULL;
	vetro_value v = NULL;

	if (a != NULL && kw != NULL) {
		PyObject *frozen = pv_to_python(e, kw, true);
		k = frozen ? PyObject_CallFunctionObjArgs((PyObject *)&PyDict_Type, frozen, NULL)
			   : NULL;
		Py_XDECREF(frozen);
	}
	if (a != NULL && (kw == NULL || k != NULL))
		r = PyObject_Call(f, a, k);
	if (r != NULL)
		v = pv_from_python(e, r, PV_AS_IS);
	Py_XDECREF(a);
	Py_XDECREF(k);
	Py_XDECREF(r);
	return v != NULL ? v : pv_raise(e);
}

vetro_value
pv_call_python(vetro_engine *e, size_t n, const vetro_value *args, vetro_value kw, void *user)
{
	bridge *l = user;
	PyGILState_STATE s = PyGILState_Ensure();
	vetro_value v = pv_call(l->engine, l->object, n, args, kw);

	(void)e;
	PyGILState_Release(s);
	return v;
}

static int
next_of_python(vetro_engine *e, void *user, vetro_value *item)
{
	bridge *l = user;
	PyGILState_STATE s = PyGILState_Ensure();
	PyObject *o = PyIter_Next(l->object);
	int r = o ? 1 : PyErr_Occurred() ? -1 : 0;

	(void)e;
	if (o != NULL)
		*item = pv_from_python(l->engine, o, PV_AS_IS);
	if (r < 0 || (o != NULL && *item == NULL)) {
		pv_raise(l->engine);
		r = -1;
	}
	Py_XDECREF(o);
	PyGILState_Release(s);
	return r;
}

const vetro_lazy_type pv_lazy = {"generator", next_of_python, pv_drop_bridge};
const vetro_lazy_type pv_mapped = {"map", next_of_python, pv_drop_bridge};

/* ---- values that Python holds ------------------------------------------------------------- */

PyObject *
pv_hold(PyTypeObject *type, Engine *e, vetro_value v)
{
	held *h = PyObject_New(held, type);

	if (h == NULL)
		return NULL;
	Py_INCREF(e);
	h->engine = e;
	h->v = vetro_ref(v);
	h->iter = NULL;
	return (PyObject *)h;
}

static void
held_dealloc(PyObject *self)
{
	held *h = (held *)self;
	PyTypeObject *type = Py_TYPE(self);

	pv_wait(h->engine);
	vetro_iter_free(h->iter);
	vetro_unref(h->v);
	Py_DECREF(h->engine);
	PyObject_Free(self);
	Py_DECREF(type);
}

bool
pv_is_held(PyObject *o)
{
	PyTypeObject *t = Py_TYPE(o);

	return t == pv_iterator_type || t == pv_iterable_type || t == pv_ordering_type ||
	       t == pv_lambda_type || t == pv_opaque_type;
}

static PyObject *
iterator_next(PyObject *self)
{
	held *h = (held *)self;
	vetro_error *err = NULL;
	vetro_value item = NULL;
	PyObject *o = NULL;
	int r;

	pv_wait(h->engine);
	if (h->iter == NULL)
		h->iter = vetro_iterate(h->engine->e, h->v, &err);
	r = h->iter ? vetro_next(h->iter, &item, &err) : -1;
	if (r < 0)
		return pv_set_error(h->engine, err);
	if (r > 0) {
		o = pv_to_python(h->engine, item, true);
		vetro_unref(item);
	}
	return o;
}

static PyObject *
iterable_iter(PyObject *self)
{
	held *h = (held *)self;

	return pv_hold(pv_iterator_type, h->engine, h->v);
}

static PyObject *
itself(PyObject *self)
{
	Py_INCREF(self);
	return self;
}

/* Calls the lambda; with is_method its first argument is what the lambda's call is made on. */
static PyObject *
apply(held *h, PyObject *args, PyObject *kwargs, bool is_method)
{
	Py_ssize_t n = PyTuple_Size(args), i;
	vetro_value few[16], *v = n <= 16 ? few : PyMem_Malloc((size_t)n * sizeof *v), r = NULL,
			     kw = NULL;
	vetro_error *err = NULL;
	size_t skip = is_method && n > 0;
	PyObject *o = NULL;

	pv_wait(h->engine);
	for (i = 0; i < n; i++)
		if ((v[i] = pv_from_python(h->engine, PyTuple_GetItem(args, i), PV_AS_IS)) == NULL)
			break;
	if (i == n && (kwargs == NULL || PyDict_Size(kwargs) == 0 ||
			      (kw = pv_from_python(h->engine, kwargs, PV_AS_IS)) != NULL)) {
		if (kw == NULL && !skip)
			r = vetro_apply(h->engine->e, h->v, (size_t)n, v, &err);
		else
			r = vetro_apply_in(h->engine->e, h->v, NULL, skip ? v[0] : NULL,
				(size_t)n - skip, v + skip, kw, &err);
		if (r == NULL)
			pv_set_error(h->engine, err);
	}
	if (r != NULL)
		o = pv_to_python(h->engine, r, true);
	vetro_unref(r);
	vetro_unref(kw);
	while (i-- > 0)
		vetro_unref(v[i]);
	if (v != few)
		PyMem_Free(v);
	return o;
}

static PyObject *
lambda_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return apply((held *)self, args, kwargs, false);
}

static PyObject *
lambda_on(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return apply((held *)self, args, kwargs, true);
}

/* The expression as it is written, or None. */
static PyObject *
lambda_text(PyObject *self, PyObject *none)
{
	held *h = (held *)self;
	size_t n;
	const char *s;

	(void)none;
	pv_wait(h->engine);
	s = vetro_lambda_text(h->v, &n);
	if (s == NULL)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(s, (Py_ssize_t)n, "surrogatepass");
}

static PyMethodDef lambda_methods[] = {
	{"on", (PyCFunction)(void (*)(void))lambda_on, METH_VARARGS | METH_KEYWORDS,
		"Calls what the lambda is, a call, on the first argument."},
	{"text", lambda_text, METH_NOARGS, "The expression as it is written."},
	{NULL, NULL, 0, NULL},
};

static PyObject *
held_repr(PyObject *self)
{
	return PyUnicode_FromFormat(
		"<%s object at %p>", vetro_type_name(((held *)self)->v), (void *)self);
}

#define SLOTS(name, ...) \
	static PyType_Slot name[] = {{Py_tp_dealloc, (void *)held_dealloc}, \
		{Py_tp_repr, (void *)held_repr}, __VA_ARGS__, {0, NULL}}
SLOTS(iterator_slots, {Py_tp_iter, (void *)itself}, {Py_tp_iternext, (void *)iterator_next});
SLOTS(iterable_slots, {Py_tp_iter, (void *)iterable_iter});
SLOTS(ordering_slots, {Py_tp_iter, (void *)iterable_iter});
SLOTS(lambda_slots, {Py_tp_call, (void *)lambda_call}, {Py_tp_methods, (void *)lambda_methods});
SLOTS(opaque_slots, {Py_tp_doc, (void *)"A value that only expressions can use."});

static PyTypeObject *
new_type(PyObject *module, const char *name, PyType_Slot *slots)
{
	PyType_Spec spec = {name, (int)sizeof(held), 0,
		Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
	PyObject *t = PyType_FromSpec(&spec);

	if (t != NULL) {
		Py_INCREF(t);
		PyModule_AddObject(module, strrchr(name, '.') + 1, t);
	}
	return (PyTypeObject *)t;
}

int
pv_values_init(PyObject *m)
{
	pv_iterator_type = new_type(m, "vetro._vetro.Iterator", iterator_slots);
	pv_iterable_type = new_type(m, "vetro._vetro.Iterable", iterable_slots);
	pv_ordering_type = new_type(m, "vetro._vetro.OrderingIterable", ordering_slots);
	pv_lambda_type = new_type(m, "vetro._vetro.Lambda", lambda_slots);
	pv_opaque_type = new_type(m, "vetro._vetro.Value", opaque_slots);
	return pv_iterator_type && pv_iterable_type && pv_ordering_type && pv_lambda_type &&
			       pv_opaque_type
		       ? 0
		       : -1;
}

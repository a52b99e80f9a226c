/*
 * tree.c - the syntax tree of an expression: what it names, found at once, and all of it as tuples
 * for who wants to walk it.
 */
#include "int.h"

#include <string.h>

PyTypeObject *pv_tree_type;

typedef struct Tree {
	PyObject_HEAD vetro_tree *tree;
	PyObject *names;     /* frozenset: functions that are called, "#property#x" for members */
	PyObject *variables; /* tuple: without $ */
} Tree;

/* ---- what it names ------------------------------------------------------------------------ */

static int
add_name(PyObject *set, const char *prefix, const vetro_node *n)
{
	size_t len;
	const char *s = vetro_node_text(n, &len);
	PyObject *before = PyUnicode_FromString(prefix), *own, *name;
	int st;

	while (*prefix == '\0' && len > 1 && s[len - 1] == '_')
		len--;
	own = PyUnicode_FromStringAndSize(s, (Py_ssize_t)len);
	name = before && own ? PyUnicode_Concat(before, own) : NULL;
	st = name ? PySet_Add(set, name) : -1;
	Py_XDECREF(before);
	Py_XDECREF(own);
	Py_XDECREF(name);
	return st;
}

static bool
is_member(const vetro_node *n)
{
	size_t len;
	const char *s = vetro_node_text(n, &len);

	return (len == 1 && *s == '.') || (len == 2 && !memcmp(s, "?.", 2));
}

static int
collect(const vetro_node *n, PyObject *names, PyObject *variables, int depth)
{
	vetro_node_kind kind = vetro_node_kind_of(n);
	int st = 0;

	if (depth > 1000) {
		PyErr_SetString(PyExc_RecursionError, "the expression is nested too deep");
		return -1;
	}
	if (kind == VETRO_NODE_CALL)
		st = add_name(names, "", n);
	else if (kind == VETRO_NODE_VARIABLE)
		st = add_name(variables, "", n);
	else if (kind == VETRO_NODE_BINARY && is_member(n) &&
		 vetro_node_kind_of(vetro_node_part(n, 1)) == VETRO_NODE_WORD)
		st = add_name(names, "#property#", vetro_node_part(n, 1));
	for (size_t i = 0; st == 0 && i < vetro_node_parts(n); i++)
		if (vetro_node_part(n, i) != NULL)
			st = collect(vetro_node_part(n, i), names, variables, depth + 1);
	return st;
}

PyObject *
pv_parse(Engine *e, const char *text, Py_ssize_t n)
{
	vetro_error *err = NULL;
	vetro_tree *parsed = vetro_parse(e->e, text, (size_t)n, &err);
	PyObject *names, *variables;
	Tree *t;

	if (parsed == NULL) {
		const char *token;
		size_t at;
		PyObject *value;
		if (vetro_error_token(err, &at, &token) != 0)
			return pv_set_error(e, err);
		value = Py_BuildValue("(szn)", vetro_error_message(err), token, (Py_ssize_t)at);
		if (value != NULL) {
			PyObject *x = PyObject_CallFunction(
				pv.make_error, "ssO", vetro_error_type(err), text, value);
			if (x != NULL)
				PyErr_SetObject((PyObject *)Py_TYPE(x), x);
			Py_XDECREF(x);
		}
		Py_XDECREF(value);
		vetro_error_free(err);
		return NULL;
	}
	t = PyObject_New(Tree, pv_tree_type);
	names = PySet_New(NULL);
	variables = PySet_New(NULL);
	t->tree = parsed;
	t->names = t->variables = NULL;
	if (names && variables && collect(vetro_tree_root(parsed), names, variables, 0) == 0) {
		t->names = PyFrozenSet_New(names);
		t->variables = PySequence_Tuple(variables);
	}
	Py_XDECREF(names);
	Py_XDECREF(variables);
	if (t->names != NULL && t->variables != NULL)
		return (PyObject *)t;
	Py_DECREF(t);
	return NULL;
}

/* ---- the type ----------------------------------------------------------------------------- */

/* (kind, text, parts, from, to, place of the operator); a part that is left out is None. */
static PyObject *export(const vetro_node *n)
{
	size_t len, from, to, at, parts = vetro_node_parts(n);
	const char *s = vetro_node_text(n, &len);
	PyObject *kids = PyTuple_New((Py_ssize_t)parts);

	for (size_t i = 0; kids != NULL && i < parts; i++) {
		const vetro_node *kid = vetro_node_part(n, i);
		PyObject *o = kid ? export(kid) : Py_None;
		if (kid == NULL)
			Py_INCREF(o);
		if (o == NULL)
			Py_CLEAR(kids);
		else
			PyTuple_SetItem(kids, (Py_ssize_t)i, o);
	}
	if (kids == NULL)
		return NULL;
	vetro_node_place(n, &from, &to, &at);
	return Py_BuildValue("(is#Nnnn)", (int)vetro_node_kind_of(n), s, (Py_ssize_t)len, kids,
		(Py_ssize_t)from, (Py_ssize_t)to, (Py_ssize_t)at);
}

static PyObject *
tree_export(PyObject *self, PyObject *none)
{
	(void)none;
	return export(vetro_tree_root(((Tree *)self)->tree));
}

static PyObject *
tree_names(PyObject *self, void *none)
{
	(void)none;
	Py_INCREF(((Tree *)self)->names);
	return ((Tree *)self)->names;
}

static PyObject *
tree_variables(PyObject *self, void *none)
{
	(void)none;
	Py_INCREF(((Tree *)self)->variables);
	return ((Tree *)self)->variables;
}

static void
tree_dealloc(PyObject *self)
{
	Tree *t = (Tree *)self;
	PyTypeObject *type = Py_TYPE(self);

	vetro_tree_free(t->tree);
	Py_XDECREF(t->names);
	Py_XDECREF(t->variables);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyMethodDef tree_methods[] = {
	{"export", tree_export, METH_NOARGS, "The nodes as nested tuples."}, {NULL, NULL, 0, NULL}};
static PyGetSetDef tree_members[] = {
	{"names", tree_names, NULL, "What the expression calls.", NULL},
	{"variables", tree_variables, NULL, "The variables that it reads.", NULL},
	{NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot tree_slots[] = {{Py_tp_dealloc, (void *)tree_dealloc},
	{Py_tp_methods, tree_methods}, {Py_tp_getset, tree_members}, {0, NULL}};
static PyType_Spec tree_spec = {"vetro._vetro.Tree", sizeof(Tree), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, tree_slots};

int
pv_tree_init(PyObject *m)
{
	PyObject *t = PyType_FromSpec(&tree_spec);

	if (t == NULL)
		return -1;
	pv_tree_type = (PyTypeObject *)t;
	Py_INCREF(t);
	return PyModule_AddObject(m, "Tree", t);
}

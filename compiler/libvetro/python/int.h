/*
 * int.h - what the files of the Python module _vetro share.
 *
 * The module uses the stable ABI of Python 3.10 and the two headers of libvetro, nothing else.
 * Python code above it (package vetro.yaql) has yaql's classes; setup() tells the module of those
 * it must know.
 *
 * Invariant: an Engine is used by one thread at a time.  Whoever touches one holds the GIL, or has
 * set `busy`, which every other one waits for (pe_wait).
 */
#ifndef VETRO_PYTHON_INT_H
#define VETRO_PYTHON_INT_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <stdbool.h>

#include "vetro_host.h"

/* What setup() was given. */
typedef struct pv_known {
	PyObject *frozen_dict, *no_value, *mapping_rule, *datetime, *date, *timedelta, *pattern;
	PyObject *foreign;           /* exception: only Python code can go on */
	PyObject *dict_name;         /* "_d": where a FrozenDict has its dict */
	PyObject *split_datetime;    /* datetime or date -> (us, offset or None) */
	PyObject *make_datetime;     /* us, offset or None, date? -> datetime */
	PyObject *make_pattern;      /* text, flags -> Pattern */
	PyObject *make_error;        /* type, message, value -> exception */
	PyObject *make_context;      /* context, variables or None -> context of a call */
	PyObject *convert;           /* convert_input_data */
	PyObject *context;           /* the class of contexts */
	PyObject *context_variables; /* context -> its variables and those around it, by name */
	/* Objects that are opened to expressions: what is hidden of one (-1: all), its parts. */
	PyObject *is_open, *member, *method, *item;
	PyObject *mapping; /* collections.abc.Mapping */
	PyObject *sequence, *set, *mutable_set, *iterable;
} pv_known;
extern pv_known pv;

typedef struct Engine {
	PyObject_HEAD vetro_engine *e;
	struct function **functions; /* what is registered: the garbage collector asks */
	size_t nfunctions;
	struct type **types;
	size_t ntypes;
	PyObject *context;  /* of the evaluation that runs, or NULL; borrowed */
	PyObject *yaql;     /* the engine of Python that functions get */
	long hosted;        /* values that lead to Python */
	bool opens;         /* expressions see the members of objects that were opened */
	volatile bool busy; /* runs without the GIL */
} Engine;

extern PyTypeObject *pv_engine_type;
/* A value of an engine as a Python object: see values.c. */
extern PyTypeObject *pv_iterator_type, *pv_iterable_type, *pv_ordering_type, *pv_lambda_type,
	*pv_opaque_type;

/* ---- from.c, to.c ---- */
/* PV_CONVERT: lists become tuples and dicts immutable, as convert_input_data does it. */
enum { PV_AS_IS = 0, PV_CONVERT = 1 };
/* NULL with a Python exception: something in it cannot be converted. */
vetro_value pv_from_python(Engine *, PyObject *, int how);
/* A new reference; NULL with an exception. sets_are_frozen: else `set` is made. */
PyObject *pv_to_python(Engine *, vetro_value, bool sets_are_frozen);
int pv_values_init(PyObject *module);
/* Waits until nobody else runs the engine. */
void pv_wait(Engine *);
/* The Python exception that is set becomes the error of what runs. Always NULL. */
vetro_value pv_raise(Engine *);
/* The error becomes a Python exception; frees it. Always NULL. */
PyObject *pv_set_error(Engine *, vetro_error *);
/* Calls a Python function with values; NULL after pv_raise. */
vetro_value pv_call(Engine *, PyObject *f, size_t n, const vetro_value *args, vetro_value kw);

/* ---- what the files of values share: values.c, from.c, to.c ---- */
/* A value that leads to Python: the user pointer of objects, functions and iterators. */
typedef struct bridge {
	Engine *engine; /* counts it in `hosted`; not owned: values go before their engine */
	PyObject *object;
} bridge;
bridge *pv_bridge(Engine *, PyObject *);
void pv_drop_bridge(void *);
extern const vetro_object_type pv_object;
extern const vetro_lazy_type pv_lazy, pv_mapped; /* mapped: of data that is converted */
/* By what is hidden, VETRO_NO_...; of what can be iterated over. */
enum { PV_HIDDEN = 7 };
extern const vetro_members pv_members[], pv_collections[];
/* What is hidden of an object; -1: it is not open, or an exception is set. */
int pv_hidden(PyObject *);
vetro_value pv_call_python(
	vetro_engine *, size_t, const vetro_value *, vetro_value keywords, void *bridge);
/* The object of a value that Python holds. */
typedef struct held {
	PyObject_HEAD Engine *engine;
	vetro_value v;
	vetro_iter *iter; /* or NULL: nobody has asked for an item */
} held;
PyObject *pv_hold(PyTypeObject *, Engine *, vetro_value);
bool pv_is_held(PyObject *);
/* One conversion.  Texts that come again and again, keys of records above all, are made once. */
enum { PV_MOST_DEPTH = 500, PV_KEYS = 64 };
typedef struct way {
	Engine *engine;
	int how, depth;
	bool frozen_sets;
	struct {
		const void *from;
		void *to;
	} key[PV_KEYS];
} way;
static inline size_t
pv_slot(const void *p)
{
	return ((uintptr_t)p >> 4 ^ (uintptr_t)p >> 10) % PV_KEYS;
}

/* ---- tree.c ---- */
extern PyTypeObject *pv_tree_type;
PyObject *pv_parse(Engine *, const char *text, Py_ssize_t n);
int pv_tree_init(PyObject *module);

/* ---- function.c ---- */
PyObject *pv_register(PyObject *engine, PyObject *args);
PyObject *pv_register_type(PyObject *engine, PyObject *args);
int pv_visit_functions(Engine *, visitproc, void *);
void pv_clear_functions(Engine *);

/* ---- engine.c ---- */
int pv_engine_init(PyObject *module);

#endif

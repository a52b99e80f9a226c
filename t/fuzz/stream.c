/*
 * Fuzz target: `vetro query --stream`.  Any bytes are events or an error.  What the events of a
 * document say is put together again and compared with the document as it is read without
 * --stream: both agree on the values, and on whether the input is JSON to its end.  driver.c says
 * how it is run.
 */
#define _GNU_SOURCE /* memfd_create */
#include "compiler/query/input_int.h"
#include "compiler/query/run_int.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_VALUES = 64 };
static FILE *errors; /* where messages go */

/* Called before something is said: reports of sanitizers have another way. */
static void
quiet(void *ctx)
{
	(void)ctx;
	stderr = errors;
}

static query_input *
open_input(const query_args *a, qr *q, const char *const *file)
{
	return query_input_new(a, file, 1, q, false, quiet, NULL);
}

/* ---- the documents as they are ---- */

static uint32_t
read_documents(const char *const *file, qr *q, vt_value *v, bool *whole)
{
	query_args a = {.kind = QUERY_JSON};
	query_input *in = open_input(&a, q, file);
	enum query_got got;
	uint32_t n = 0;

	while ((got = query_input_next(in)) == QUERY_DOC && n < MOST_VALUES)
		v[n++] = vt_copy(q->data);
	*whole = got == QUERY_END;
	query_input_free(in);
	return n;
}

/* ---- the documents that events make ---- */

/* The member of a container at that step; made when there is none. */
static vt_value *
member(vt_rt *rt, vt_value box, vt_value step)
{
	vt_value *at;

	if (vt_is(step, STR)) {
		if (vt_dict_get(vt_as_dict(box), step) == VT_UNDEF)
			(void)vt_dict_set(rt, vt_as_dict(box), step, VT_UNDEF);
		return vt_dict_slot(vt_as_dict(box), step);
	}
	if ((uint64_t)vt_toint(step) > vt_as_list(box)->n)
		abort(); /* an item was left out */
	if ((uint64_t)vt_toint(step) == vt_as_list(box)->n)
		vt_list_push(rt, vt_as_list(box), VT_NULL);
	at = &vt_as_list(box)->v[vt_toint(step)];
	return at;
}

static void
apply_event(vt_rt *rt, vt_value *root, const vt_list *path, vt_value leaf)
{
	vt_value *at = root;

	for (uint32_t i = 0; i < path->n; i++) {
		bool named = vt_is(path->v[i], STR);
		if (*at == VT_UNDEF || *at == VT_NULL)
			vt_move(at, named ? vt_mkptr(vt_dict_new(rt, false))
					  : vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4)));
		if (named ? !vt_is(*at, DICT) : !vt_is(*at, LIST))
			return; /* a key that came twice, with a value of another kind */
		at = member(rt, *at, path->v[i]);
	}
	vt_move(at, vt_copy(leaf));
}

/* A document is over with a leaf at its top, or with an end one level down. */
static uint32_t
read_events(const char *const *file, qr *q, vt_value *v, bool *whole)
{
	query_args a = {.kind = QUERY_JSON, .stream = true};
	query_input *in = open_input(&a, q, file);
	vt_value root = VT_UNDEF;
	enum query_got got;
	uint32_t n = 0;

	while ((got = query_input_next(in)) == QUERY_DOC && n < MOST_VALUES) {
		const vt_list *event = vt_as_list(q->data), *path;
		if (!vt_is_sequence(q->data) || event->n < 1 || event->n > 2 ||
			!vt_is_sequence(event->v[0]))
			abort();
		path = vt_as_list(event->v[0]);
		if (event->n == 2)
			apply_event(q->rt, &root, path, event->v[1]);
		if (path->n == (event->n == 2 ? 0 : 1)) {
			v[n++] = root;
			root = VT_UNDEF;
		}
	}
	*whole = got == QUERY_END;
	vt_release(root);
	query_input_free(in);
	return n;
}

/* ---- both ---- */

/* As many entries in dicts as the text has colons outside of strings: no key came twice. */
static uint64_t
entries(vt_value v)
{
	uint64_t n = 0;
	vt_value key, x;

	if (vt_is_sequence(v))
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			n += entries(vt_as_list(v)->v[i]);
	if (vt_is(v, DICT))
		for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &x);)
			n += 1 + entries(x);
	return n;
}

static uint64_t
colons(const uint8_t *p, size_t n)
{
	bool in_string = false;
	uint64_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (in_string && p[i] == '\\')
			i++;
		else if (p[i] == '"')
			in_string = !in_string;
		else
			found += !in_string && p[i] == ':';
	}
	return found;
}

static void
compare(const uint8_t *data, size_t n, const char *const *file, qr *q)
{
	vt_value a[MOST_VALUES], b[MOST_VALUES];
	bool whole_a, whole_b;
	uint32_t na = read_documents(file, q, a, &whole_a), nb = read_events(file, q, b, &whole_b);
	uint64_t keys = 0;

	for (uint32_t i = 0; i < na; i++)
		keys += entries(a[i]);
	if (na < MOST_VALUES && nb < MOST_VALUES && whole_a != whole_b)
		abort();
	if (whole_a && na < MOST_VALUES && keys == colons(data, n)) {
		if (na != nb)
			abort();
		for (uint32_t i = 0; i < na; i++)
			if (!vt_eq(a[i], b[i]))
				abort();
	}
	for (uint32_t i = 0; i < na; i++)
		vt_release(a[i]);
	for (uint32_t i = 0; i < nb; i++)
		vt_release(b[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("stream", 0);
	char name[40];
	const char *file = name;
	FILE *before = stderr;
	qr *q = qr_open();

	if (errors == NULL)
		errors = fopen("/dev/null", "w");
	if (fd < 0 || errors == NULL || write(fd, data, n) != (ssize_t)n)
		exit(2);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	compare(data, n, &file, q);
	stderr = before;
	qr_close(q);
	close(fd);
	return 0;
}

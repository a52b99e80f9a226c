/*
 * program.h - what a deploy binary does: the protocol of sessions, tests of packages, forms.
 */
#ifndef VT_PROGRAM_PROGRAM_H
#define VT_PROGRAM_PROGRAM_H

#include "vt.h"

#include "runtime/core/base.h"
#include "runtime/core/exception.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- form_schema.c ---- */
/* program/form_schema.c: {name: schema} of a class ("") and its methods. names: a list of texts;
 * VT_NULL: the class and all its model builders. */
vt_status vt_schema_generate(vt_rt *, vt_class *, vt_value names, vt_value *out);
/* The class of that name whose package fits: a version specification, a package's name; each NULL
 * when it does not matter. */
vt_class *vt_schema_class(vt_rt *, const char *name, const char *version, const char *package);

/* ---- protocol.c: JSON lines in, JSON lines out; pure operations: object/version_spec.c ---- */
/* until the end of input; exit status */
int vt_session_loop(vt_rt *, FILE *in, FILE *out);
/* The same a request at a time: the answer is a line. The end says whether after_call never
 * failed. */
struct session *vt_session_begin(vt_rt *);
void vt_session_answer(struct session *, const char *request, size_t, vt_buf *);
bool vt_session_end(struct session *);
/* {"type","message","names","fqn","stack"} */
void vt_encode_error(vt_rt *, vt_buf *, vt_exc *);
/* the array; empties the session's traces */
void vt_encode_traces(vt_rt *, vt_buf *);

/* ---- answer.c ---- */
/* The end of a run, loaded or not: dropped objects are destroyed, hosts are waited for. */
vt_status vt_end_run(vt_rt *, vt_status, bool loaded);

/* ---- testrun.c ---- */
/* The tests of the program, one "PACKAGE\tCLASS\tMETHOD" a line. False: an exception is pending. */
bool vt_test_list(vt_rt *, vt_buf *);
/* Runs one of them. First line: ok, fail or error; for the others then lines of YAML. False unless
 * it passed. */
bool vt_test_run(vt_rt *, const char *cls, const char *method, vt_buf *);

#endif

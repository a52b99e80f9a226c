/* int.h - what the files about values (type.c, scalar.c, text.c, fn.c...) share. */
#ifndef VT_TOSCA_INT_H
#define VT_TOSCA_INT_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/tosca/tosca.h"

/*
 * Values of types that JSON does not have are dicts with these keys, and nothing but their keys
 * tells them from maps of the user's: a map of exactly these keys is taken for one.
 *
 *	SCALAR     scalar, unit, $number, $string     as written; in canonical units; with it
 *	VERSION    $string
 *	TIMESTAMP  $number, $string                   nanoseconds since 1970; RFC 3339
 *	BYTES      $originalString, bytes             base64 as written; without line breaks
 *	RANGE      lower, upper
 */
enum vt_tform {
	VT_TO_PLAIN,
	VT_TO_SCALAR,
	VT_TO_VERSION,
	VT_TO_TIMESTAMP,
	VT_TO_BYTES,
	VT_TO_RANGE
};
enum vt_tform vt_tosca_form(vt_value);
#define VT_TOSCA_UNBOUNDED "18446744073709551615" /* upper of a range without one */

/* ---- text.c ---- */
/* Each: the value that a text stands for, or what is wrong with the text; the answer is constant or
 * NULL. */
const char *vt_tosca_read_version(vt_rt *, const vt_str *, vt_value *out);
const char *vt_tosca_read_timestamp(vt_rt *, const vt_str *, bool strict, vt_value *out);
const char *vt_tosca_read_bytes(vt_rt *, const vt_str *, vt_value *out);
int vt_tosca_cmp_versions(const vt_str *, const vt_str *);
int64_t vt_tosca_bytes_len(const vt_str *base64);
bool vt_tosca_xml(const char *, size_t, char **err); /* well-formed? *err is malloc'd */

/* ---- show.c: values and expressions in messages, cut where they are long ---- */
void vt_tosca_put_value(vt_buf *, const vt_tosca *, vt_value);
void vt_tosca_put_clause(vt_buf *, const vt_tosca *, uint32_t expr);
const char *vt_tosca_noun(vt_value); /* "a string", "an integer" ... */

/* ---- scalar.c ---- */
/* A number with a unit; false: *why is malloc'd. */
bool vt_tosca_read_scalar(vt_tosca *, const vt_tdata *, const vt_str *, vt_value *out, char **why);
/* The value in the units of a type again; false: it has another dimension. */
bool vt_tosca_rescale(vt_tosca *, const vt_tdata *, vt_value scalar, vt_value *out);
/* A scalar like `like` whose canonical number is `number` (given away). */
vt_value vt_tosca_like(vt_tosca *, vt_value like, vt_value number);
bool vt_tosca_same_unit(vt_value a, vt_value b);         /* are both scalars of one dimension? */
bool vt_tosca_equal(vt_tosca *, vt_value a, vt_value b); /* true and 1 differ, 1 and 1.0 do not */

/* equal for equal values, and only for them; owned, hashable */
vt_value vt_tosca_identity(vt_tosca *, vt_value);
/* false: reported */
bool vt_tosca_search(vt_tosca *, const vt_tctx *, vt_value text, vt_value pattern, vt_value *out);
/* hot.c: VT_TB_HEAT_*; false: it is none */
bool vt_tosca_heat(vt_tosca *, enum vt_tbase, vt_value, vt_value *out);

/* ---- functions: fn.def names them ---- */
#define VT_TFUNCTION(name) \
	bool name(vt_tosca *, const vt_tctx *, const vt_value *, uint32_t, vt_value *)
static inline bool
vt_tosca_give(vt_value *out, vt_value owned)
{
	*out = owned;
	return true;
}

/* ---- fn.def: functions of templates and constraints ---- */
#define GROUP(title)
#define FN(name, versions, clause, min, max, flags, fn, args, doc, example) VT_TFUNCTION(fn);
#include "runtime/tosca/fn.def"
#undef FN
#undef GROUP

#endif

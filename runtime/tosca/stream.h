/*
 * stream.h - what the formats of a service share: values that are made once, and a JSON
 * object that is written member by member.  The values of 100,000 nodes would take more room than
 * all else.
 */
#ifndef VT_TOSCA_STREAM_H
#define VT_TOSCA_STREAM_H

#include "runtime/tosca/mem.h"
#include "runtime/text/text.h"

#include <stdlib.h>

/* n values, none of them made. */
static inline vt_value *
vt_tmade_new(uint32_t n)
{
	vt_value *v = vt_xmalloc((n + 1) * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = VT_UNDEF;
	return v;
}

static inline void
vt_tmade_free(vt_value *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vt_clear(&v[i]);
	free(v);
}

enum { VT_TSTREAM_PART = 1 << 16 }; /* bytes of text that are worth to be written */
typedef struct vt_tstream {
	vt_tosca *t;
	vt_buf *b;
	int flags; /* of vt_json_write() */
} vt_tstream;

static inline void
vt_tstream_line(const vt_tstream *x, uint32_t depth)
{
	vt_json_line(x->b, x->flags, depth);
}

/* Takes the value; VT_UNDEF: the caller writes it. */
static inline void
vt_tstream_member(const vt_tstream *x, const vt_str *name, vt_value v, uint32_t depth, bool first)
{
	if (!first)
		vt_buf_putc(x->b, ',');
	vt_tstream_line(x, depth);
	vt_json_str(x->b, name->s, name->bytes);
	vt_buf_puts(x->b, x->flags & VT_JSON_PRETTY ? ": " : ":");
	if (v != VT_UNDEF)
		vt_json_write_at(x->t->rt, x->b, v, x->flags, depth);
	vt_release(v);
	if (x->t->full && x->b->n > VT_TSTREAM_PART)
		x->t->full(x->b);
}

/* Of the outermost object. */
static inline void
vt_tstream_part(const vt_tstream *x, const char *name, vt_value v, bool first)
{
	vt_value key = vt_str_c(x->t->rt, name);
	vt_tstream_member(x, vt_as_str(key), v, 1, first);
	vt_release(key);
}

#endif

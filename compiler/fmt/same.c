/*
 * same.c - whether two YAML texts mean the same: libyaml's events of both, side by side.
 *
 * Styles count as well, since a plain scalar may be a number where a quoted one is text.
 * Expressions may differ in blanks, which their trees do not show.
 */
#include "compiler/fmt/int.h"
#include "compiler/yaql/yaql.h"
#include "runtime/core/value.h"

#include <string.h>
#include <yaml.h>

static bool
same_text(const yaml_char_t *a, const yaml_char_t *b)
{
	return a == b || (a && b && strcmp((const char *)a, (const char *)b) == 0);
}

static bool
same_code(vc *c, const char *a, size_t na, const char *b, size_t nb, unsigned flags)
{
	vt_buf x = {0}, y = {0};
	yq_error e;
	const yq_node *p = yq_parse(c, a, na, flags, &e), *q = yq_parse(c, b, nb, flags, &e);
	bool same = p && q;

	if (same) {
		yq_dump(&x, p);
		yq_dump(&y, q);
		same = x.n == y.n && memcmp(x.p, y.p, x.n) == 0;
	}
	vt_buf_free(&x);
	vt_buf_free(&y);
	return same;
}

/* Text in quotes is text. */
static bool
may_be_code(const yaml_event_t *e)
{
	const char *tag = (const char *)e->data.scalar.tag;

	return tag ? strcmp(tag, "!yaql") == 0 : e->data.scalar.plain_implicit;
}

static bool
same_scalar(vc *c, const yaml_event_t *a, const yaml_event_t *b, unsigned flags)
{
	const char *x = (const char *)a->data.scalar.value, *y = (const char *)b->data.scalar.value;
	size_t nx = a->data.scalar.length, ny = b->data.scalar.length;

	if (!same_text(a->data.scalar.anchor, b->data.scalar.anchor) ||
		!same_text(a->data.scalar.tag, b->data.scalar.tag) ||
		a->data.scalar.style != b->data.scalar.style ||
		a->data.scalar.plain_implicit != b->data.scalar.plain_implicit ||
		a->data.scalar.quoted_implicit != b->data.scalar.quoted_implicit)
		return false;
	return (nx == ny && memcmp(x, y, nx) == 0) ||
	       (flags && may_be_code(a) && same_code(c, x, nx, y, ny, flags));
}

static bool
same_start(const yaml_event_t *a, const yaml_event_t *b)
{
	size_t n = (size_t)(a->data.document_start.tag_directives.end -
			    a->data.document_start.tag_directives.start);

	return a->data.document_start.implicit == b->data.document_start.implicit &&
	       !a->data.document_start.version_directive ==
		       !b->data.document_start.version_directive &&
	       n == (size_t)(b->data.document_start.tag_directives.end -
			     b->data.document_start.tag_directives.start);
}

static bool
same_event(vc *c, const yaml_event_t *a, const yaml_event_t *b, unsigned flags)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case YAML_DOCUMENT_START_EVENT: return same_start(a, b);
	case YAML_DOCUMENT_END_EVENT:
		return a->data.document_end.implicit == b->data.document_end.implicit;
	case YAML_ALIAS_EVENT: return same_text(a->data.alias.anchor, b->data.alias.anchor);
	case YAML_SCALAR_EVENT: return same_scalar(c, a, b, flags);
	case YAML_SEQUENCE_START_EVENT:
		return same_text(a->data.sequence_start.anchor, b->data.sequence_start.anchor) &&
		       same_text(a->data.sequence_start.tag, b->data.sequence_start.tag) &&
		       a->data.sequence_start.style == b->data.sequence_start.style;
	case YAML_MAPPING_START_EVENT:
		return same_text(a->data.mapping_start.anchor, b->data.mapping_start.anchor) &&
		       same_text(a->data.mapping_start.tag, b->data.mapping_start.tag) &&
		       a->data.mapping_start.style == b->data.mapping_start.style;
	default: return true;
	}
}

/* One step of both; *more: neither is at its end. */
static bool
same_step(vc *c, yaml_parser_t p[2], unsigned flags, bool *more)
{
	yaml_event_t a, b;
	bool first = yaml_parser_parse(&p[0], &a), second = yaml_parser_parse(&p[1], &b);
	bool same = first && second && same_event(c, &a, &b, flags);

	*more = same && a.type != YAML_STREAM_END_EVENT;
	if (first)
		yaml_event_delete(&a);
	if (second)
		yaml_event_delete(&b);
	return same;
}

bool
fmt_same_yaml(vc *c, const char *a, size_t na, const char *b, size_t nb, unsigned flags)
{
	yaml_parser_t p[2];
	bool same = true, more = true;

	if (!yaml_parser_initialize(&p[0]) || !yaml_parser_initialize(&p[1]))
		vt_no_memory();
	yaml_parser_set_input_string(&p[0], (const unsigned char *)a, na);
	yaml_parser_set_input_string(&p[1], (const unsigned char *)b, nb);
	yaml_parser_set_encoding(&p[0], YAML_UTF8_ENCODING);
	yaml_parser_set_encoding(&p[1], YAML_UTF8_ENCODING);
	while (same && more)
		same = same_step(c, p, flags, &more);
	yaml_parser_delete(&p[0]);
	yaml_parser_delete(&p[1]);
	return same;
}

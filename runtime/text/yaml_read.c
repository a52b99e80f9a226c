/*
 * yaml_read.c - small YAML documents as values: clouds.yaml and settings.  The one file of the
 * runtime that names libyaml; programs are read by the compiler's yaml.c, which keeps places and is
 * not linked here.
 *
 * Scalars mean what they mean to PyYAML's safe loader as far as such files go: null, booleans,
 * decimal integers, floats, text.  An alias is its anchor's value, shared.  Merge keys, tags and
 * several documents are refused.
 */
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 64, MAX_ANCHORS = 1000, MAX_NODES = 1000000 };

typedef struct anchor {
	char *name;
	vt_value value;
} anchor;
typedef struct reader {
	vt_rt *rt;
	yaml_parser_t parser;
	anchor *anchors;
	uint32_t nanchors, nodes;
	char *err;
	vt_yaml_entry *entry; /* who gets the members of the document; or NULL */
	void *ctx;
	bool as_text; /* a plain scalar is not looked into */
} reader;

static bool
fail(reader *r, yaml_mark_t at, const char *why)
{
	if (r->err == NULL)
		r->err = vt_asprintf("line %zu column %zu: %s", at.line + 1, at.column + 1, why);
	return false;
}

static bool
next(reader *r, yaml_event_t *e)
{
	if (yaml_parser_parse(&r->parser, e))
		return true;
	return fail(r, r->parser.problem_mark,
		r->parser.problem ? r->parser.problem : "this is no YAML");
}

static bool
one_of(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(s, *words) == 0)
			return true;
	return false;
}

static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};

static vt_value
plain_value(vt_rt *rt, const char *s, size_t n)
{
	static const char *const yes[] = {
		"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", NULL};
	static const char *const no[] = {
		"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", NULL};
	const char *digits = s + (*s == '-' || *s == '+');
	vt_value v;
	char *err = NULL;
	if (one_of(s, nulls))
		return VT_NULL;
	if (one_of(s, yes) || one_of(s, no))
		return vt_mkbool(one_of(s, yes));
	/* JSON's numbers; with a leading zero it is text here, an octal number nowhere. */
	if (strspn(digits, "0123456789.eE+-") == strlen(digits) && *s != '+' &&
		vt_json_read(rt, s, n, 0, 0, &v, &err))
		return v;
	free(err);
	return vt_str_new(rt, s, n);
}

static bool read_node(reader *, yaml_event_t *, uint32_t depth, vt_value *out);

static bool
read_list(reader *r, uint32_t depth, vt_value *out)
{
	vt_list *l = vt_list_grow(r->rt, VT_K_LIST, 0);
	yaml_event_t e;
	bool ok, end = false;
	*out = vt_mkptr(l);
	while ((ok = next(r, &e)) && !(end = e.type == YAML_SEQUENCE_END_EVENT)) {
		vt_value v = VT_UNDEF;
		ok = read_node(r, &e, depth, &v);
		if (!ok)
			break;
		vt_list_push(r->rt, l, v);
	}
	if (end)
		yaml_event_delete(&e);
	return ok;
}

static bool
read_pair(reader *r, yaml_event_t *e, uint32_t depth, vt_dict *d)
{
	vt_value key = VT_UNDEF, v = VT_UNDEF;
	yaml_mark_t at = e->start_mark;
	yaml_event_t of;
	bool ok = read_node(r, e, depth, &key), plain = false;
	if (ok && !vt_is(key, STR))
		ok = fail(r, at, "a key must be text");
	if (ok && strcmp(vt_as_str(key)->s, "<<") == 0)
		ok = fail(r, at, "merge keys are not read here: write the members out");
	if (ok && vt_dict_get(d, key) != VT_UNDEF)
		ok = fail(r, at, "the key stands twice");
	ok = ok && next(r, &of);
	if (ok && r->entry && depth == 1 && of.type == YAML_SCALAR_EVENT)
		plain = of.data.scalar.plain_implicit &&
			!one_of((const char *)of.data.scalar.value, nulls);
	r->as_text = plain;
	ok = ok && read_node(r, &of, depth, &v);
	r->as_text = false;
	ok = ok && vt_dict_set(r->rt, d, key, v) == VT_OK;
	if (ok && r->entry && depth == 1)
		r->entry(r->ctx, vt_as_str(key)->s, v, plain);
	vt_release(key);
	vt_release(v);
	return ok;
}

static bool
read_map(reader *r, uint32_t depth, vt_value *out)
{
	vt_dict *d = vt_dict_new(r->rt, false);
	yaml_event_t e;
	bool ok, end = false;
	*out = vt_mkptr(d);
	while ((ok = next(r, &e)) && !(end = e.type == YAML_MAPPING_END_EVENT))
		if (!(ok = read_pair(r, &e, depth, d)))
			break;
	if (end)
		yaml_event_delete(&e);
	return ok;
}

static bool
keep_anchor(reader *r, yaml_mark_t at, const char *name, vt_value v)
{
	if (name == NULL)
		return true;
	if (r->nanchors == MAX_ANCHORS)
		return fail(r, at, "too many anchors");
	vt_push(r->anchors, r->nanchors) = (anchor){vt_xstrdup(name), vt_copy(v)};
	return true;
}

static bool
read_alias(reader *r, yaml_mark_t at, const char *name, vt_value *out)
{
	for (uint32_t i = r->nanchors; i > 0; i--)
		if (strcmp(r->anchors[i - 1].name, name) == 0) {
			*out = vt_copy(r->anchors[i - 1].value);
			return true;
		}
	return fail(r, at, "the alias has no anchor before it");
}

static bool
read_scalar(reader *r, const yaml_event_t *e, vt_value *out)
{
	const char *s = (const char *)e->data.scalar.value;
	size_t n = e->data.scalar.length;
	if (strlen(s) != n)
		return fail(r, e->start_mark, "the text holds a zero byte");
	*out = e->data.scalar.plain_implicit && !r->as_text ? plain_value(r->rt, s, n)
							    : vt_str_new(r->rt, s, n);
	return true;
}

static const yaml_char_t *
anchor_of(const yaml_event_t *e)
{
	return e->type == YAML_SCALAR_EVENT           ? e->data.scalar.anchor
	       : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor
	       : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.anchor
						      : NULL;
}

/* The event is used up.  *out is VT_UNDEF or to be released even after a failure. */
static bool
read_node(reader *r, yaml_event_t *e, uint32_t depth, vt_value *out)
{
	bool ok = depth < MAX_DEPTH && ++r->nodes <= MAX_NODES;
	if (!ok)
		fail(r, e->start_mark,
			depth < MAX_DEPTH ? "the document is too large" : "nested too deeply");
	else if (e->type == YAML_ALIAS_EVENT)
		ok = read_alias(r, e->start_mark, (const char *)e->data.alias.anchor, out);
	else if (e->type == YAML_SCALAR_EVENT)
		ok = read_scalar(r, e, out);
	else if (e->type == YAML_SEQUENCE_START_EVENT)
		ok = read_list(r, depth + 1, out);
	else if (e->type == YAML_MAPPING_START_EVENT)
		ok = read_map(r, depth + 1, out);
	else
		ok = fail(r, e->start_mark, "there is no document");
	ok = ok && keep_anchor(r, e->start_mark, (const char *)anchor_of(e), *out);
	if (!ok)
		vt_clear(out);
	yaml_event_delete(e);
	return ok;
}

/* False: that is not what comes, or there is an error. */
static bool
skip(reader *r, yaml_event_type_t type, const char *otherwise)
{
	yaml_event_t e;
	bool ok = next(r, &e);
	if (!ok)
		return false;
	ok = e.type == type || (otherwise && fail(r, e.start_mark, otherwise));
	yaml_event_delete(&e);
	return ok;
}

static bool
read_document(reader *r, const char *text, size_t n, vt_value *out, char **err)
{
	yaml_event_t e;
	bool ok;
	*out = VT_UNDEF;
	*err = NULL;
	if (!yaml_parser_initialize(&r->parser))
		vt_no_memory();
	yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, n);
	ok = skip(r, YAML_STREAM_START_EVENT, NULL) &&
	     skip(r, YAML_DOCUMENT_START_EVENT, r->entry ? NULL : "there is no document") &&
	     next(r, &e) && read_node(r, &e, 0, out) && skip(r, YAML_DOCUMENT_END_EVENT, NULL) &&
	     skip(r, YAML_STREAM_END_EVENT, "one document is wanted, and here is another");
	if (!ok)
		vt_clear(out);
	for (uint32_t i = 0; i < r->nanchors; i++) {
		free(r->anchors[i].name);
		vt_release(r->anchors[i].value);
	}
	free(r->anchors);
	yaml_parser_delete(&r->parser);
	*err = r->err;
	return ok;
}

bool
vt_yaml_read(vt_rt *rt, const char *text, size_t n, vt_value *out, char **err)
{
	reader r = {.rt = rt};
	return read_document(&r, text, n, out, err);
}

/* An empty text has no members, and is no error. */
bool
vt_yaml_entries(vt_rt *rt, const char *text, size_t n, vt_yaml_entry *entry, void *ctx, char **err)
{
	reader r = {.rt = rt, .entry = entry, .ctx = ctx};
	vt_value v;
	bool ok = read_document(&r, text, n, &v, err) || *err == NULL;
	if (ok && v != VT_UNDEF && v != VT_NULL && !vt_is(v, DICT)) {
		*err = vt_xstrdup("line 1 column 1: members 'name: value' are expected");
		ok = false;
	}
	vt_release(v);
	return ok;
}

/*
 * schema.c - the constraint `schema` (TOSCA 1.2, 1.3): a text of JSON against a JSON schema.
 *
 * The standard's examples are of draft 4, so that is what is here: all its keywords but `format`
 * and `default`, which say something about a value and forbid none; of later drafts `const` and
 * exclusive bounds that are numbers. $ref leads into the schema itself.  Schemas and values come
 * from outside: their product is limited in depth and in steps.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/printable.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200, MOST_STEPS = 2000000, MOST_REFS = 100 };

/* Where in the value: reported only when something is wrong. */
typedef struct path {
	const struct path *up;
	vt_value key; /* a name or an index; VT_UNDEF: the value itself */
} path;
typedef struct check {
	vt_tosca *t;
	const vt_tctx *ctx;
	vt_value root;
	uint32_t depth, steps;
	uint32_t quiet; /* alternatives that may fail */
	bool broken;    /* the schema is wrong, or too much: reported */
	vt_buf why;
} check;

/* ---- what is wrong ---- */

static bool
broken(check *k, const char *fmt, const char *what)
{
	if (!k->broken)
		vt_tosca_fail(k->t, k->ctx, fmt, what);
	k->broken = true;
	return false;
}

static void
put_path(vt_buf *b, const path *w)
{
	if (!w->up)
		return;
	put_path(b, w->up);
	vt_buf_putc(b, '/');
	if (vt_is_int(w->key))
		vt_buf_printf(b, "%lld", (long long)vt_toint(w->key));
	else
		for (const char *s = vt_as_str(w->key)->s; *s; s++)
			vt_buf_puts(b, *s == '~' ? "~0" : *s == '/' ? "~1" : (char[]){*s, 0});
}

/* The first thing that is wrong. Always false. */
static bool
wrong(check *k, const path *w, const char *fmt, ...)
{
	va_list ap;
	if (k->quiet || k->why.n)
		return false;
	vt_buf_puts(&k->why, w->up ? "'" : "the value");
	put_path(&k->why, w);
	vt_buf_puts(&k->why, w->up ? "' " : " ");
	va_start(ap, fmt);
	vt_buf_vmessage(&k->why, fmt, ap);
	va_end(ap);
	return false;
}

static bool valid(check *, vt_value schema, vt_value v, const path *);

static vt_value
keyword(vt_value schema, const char *name)
{
	return vt_dict_get_c(vt_as_dict(schema), name);
}

/* A keyword that counts; false: there is none. */
static bool
count(check *k, vt_value schema, const char *name, vt_value *out)
{
	*out = keyword(schema, name);
	if (*out == VT_UNDEF)
		return false;
	if (vt_is_integer(*out) && vt_num_cmp(*out, vt_mkint(0)) >= 0)
		return true;
	return broken(k, "in the schema, '%s' must be an integer from 0 on", name);
}

static bool
bounded(check *k, vt_value schema, const char *least, const char *most, uint32_t n,
	const char *noun, const path *w)
{
	vt_value limit;
	if (count(k, schema, least, &limit) && vt_num_cmp(vt_mkint(n), limit) < 0)
		return wrong(k, w, "has %u %s, less than %s allows", n, noun, least);
	if (count(k, schema, most, &limit) && vt_num_cmp(vt_mkint(n), limit) > 0)
		return wrong(k, w, "has %u %s, more than %s allows", n, noun, most);
	return !k->broken;
}

/* ---- any value ---- */

static bool
is_whole(vt_value v)
{
	return vt_is_integer(v) || (vt_is(v, FLOAT) && floor(vt_as_float(v)) == vt_as_float(v));
}

static bool
is_type(check *k, vt_value v, vt_value name)
{
	static const char *const names[] = {
		"object", "array", "string", "number", "integer", "boolean", "null"};
	const char *s = vt_is(name, STR) ? vt_as_str(name)->s : "";
	size_t i = 0;
	while (i < VT_LEN(names) && strcmp(names[i], s) != 0)
		i++;
	switch (i) {
	case 0: return vt_is(v, DICT);
	case 1: return vt_is_sequence(v);
	case 2: return vt_is(v, STR);
	case 3: return vt_is_number(v);
	case 4: return vt_is_number(v) && is_whole(v);
	case 5: return vt_is_bool(v);
	case 6: return v == VT_NULL;
	}
	return broken(k, "in the schema, '%s' is no type", s);
}

static bool
types(check *k, vt_value schema, vt_value v, const path *w)
{
	vt_value type = keyword(schema, "type");
	bool any = type == VT_UNDEF;
	if (any)
		return true;
	for (uint32_t i = 0; vt_is_sequence(type) && i < vt_as_list(type)->n && !any; i++)
		any = is_type(k, v, vt_as_list(type)->v[i]);
	if (!vt_is_sequence(type))
		any = is_type(k, v, type);
	if (any || k->broken)
		return !k->broken;
	return vt_is(type, STR)
		       ? wrong(k, w, "is %s and not of type %s", vt_tosca_noun(v),
				 vt_as_str(type)->s)
		       : wrong(k, w, "is %s, which is none of the types", vt_tosca_noun(v));
}

static bool
values(check *k, vt_value schema, vt_value v, const path *w)
{
	vt_value all = keyword(schema, "enum"), one = keyword(schema, "const");
	bool found = all == VT_UNDEF;
	if (!found && !vt_is_sequence(all))
		return broken(k, "in the schema, '%s' must be a list", "enum");
	k->steps += found ? 0 : vt_as_list(all)->n;
	for (uint32_t i = 0; !found && i < vt_as_list(all)->n; i++)
		found = vt_tosca_equal(k->t, v, vt_as_list(all)->v[i]);
	if (!found)
		return wrong(k, w, "is none of the values of enum");
	return one == VT_UNDEF || vt_tosca_equal(k->t, v, one) ||
	       wrong(k, w, "is not the value of const");
}

/* ---- numbers and texts ---- */

static bool
bound(check *k, vt_value schema, bool lower, vt_value v, const path *w)
{
	const char *name = lower ? "minimum" : "maximum",
		   *strict = lower ? "exclusiveMinimum" : "exclusiveMaximum";
	vt_value limit = keyword(schema, name), other = keyword(schema, strict);
	int sign = lower ? 1 : -1;
	if (limit != VT_UNDEF && !vt_is_number(limit))
		return broken(k, "in the schema, '%s' must be a number", name);
	if (other != VT_UNDEF && !vt_is_number(other) && !vt_is_bool(other))
		return broken(k, "in the schema, '%s' must be a boolean or a number", strict);
	if (limit != VT_UNDEF && vt_num_cmp(v, limit) * sign < (other == VT_TRUE))
		return wrong(k, w, "is %s than %s allows", lower ? "less" : "more", name);
	if (vt_is_number(other) && vt_num_cmp(v, other) * sign <= 0)
		return wrong(k, w, "is not %s than %s", lower ? "more" : "less", strict);
	return true;
}

static double
rough(vt_value v)
{
	return vt_is(v, FLOAT) ? vt_as_float(v) : vt_is_int(v) ? (double)vt_toint(v) : NAN;
}

/* Whole numbers exactly; else the quotient must be one but for its rounding. */
static bool
multiple(check *k, vt_value schema, vt_value v, const path *w)
{
	vt_value of = keyword(schema, "multipleOf"), rest = VT_UNDEF;
	bool ok;
	if (of == VT_UNDEF)
		return true;
	if (!vt_is_number(of) || vt_num_cmp(of, vt_mkint(0)) <= 0)
		return broken(k, "in the schema, '%s' must be a number above 0", "multipleOf");
	if (vt_is_integer(v) && vt_is_integer(of)) {
		ok = vt_num_binary(k->t->rt, VT_OP_MOD, v, of, &rest) == VT_OK &&
		     rest == vt_mkint(0);
		vt_clear(&rest);
	} else {
		double q = rough(v) / rough(of);
		ok = fabs(q - nearbyint(q)) <= 1e-9 * (fabs(q) > 1 ? fabs(q) : 1) && fabs(q) < 9e15;
	}
	return ok || wrong(k, w, "is no multiple of multipleOf");
}

static bool
matches(check *k, vt_value text, vt_value pattern)
{
	vt_value found = VT_UNDEF;
	bool ok = vt_is(pattern, STR) ||
		  broken(k, "in the schema, '%s' must be a regular expression", "pattern");
	if (ok && !vt_tosca_search(k->t, k->ctx, text, pattern, &found)) {
		k->broken = true;
		return false;
	}
	return ok && found == VT_TRUE;
}

static bool
text(check *k, vt_value schema, vt_value v, const path *w)
{
	vt_value pattern = keyword(schema, "pattern");
	if (!bounded(k, schema, "minLength", "maxLength", vt_as_str(v)->points, "characters", w))
		return false;
	if (pattern == VT_UNDEF || matches(k, v, pattern))
		return true;
	return !k->broken && wrong(k, w, "does not match the pattern");
}

/* ---- lists ---- */

static bool
differ(check *k, const vt_list *l)
{
	vt_dict *seen = vt_dict_new_cap(k->t->rt, true, l->n);
	bool ok = true;
	k->steps += l->n;
	for (uint32_t i = 0; i < l->n && ok; i++) {
		vt_value id = vt_tosca_identity(k->t, l->v[i]);
		ok = vt_dict_get(seen, id) == VT_UNDEF;
		(void)vt_dict_set(k->t->rt, seen, id, VT_TRUE);
		vt_release(id);
	}
	vt_release(vt_mkptr(seen));
	return ok;
}

static bool
list(check *k, vt_value schema, vt_value v, const path *w)
{
	const vt_list *l = vt_as_list(v);
	vt_value items = keyword(schema, "items"), more = keyword(schema, "additionalItems");
	uint32_t n = vt_is_sequence(items) ? vt_as_list(items)->n : 0;
	if (!bounded(k, schema, "minItems", "maxItems", l->n, "items", w))
		return false;
	if (keyword(schema, "uniqueItems") == VT_TRUE && !differ(k, l))
		return wrong(k, w, "has an item twice");
	if (n && l->n > n && more == VT_FALSE)
		return wrong(k, w, "has more items than the schema lists");
	for (uint32_t i = 0; i < l->n; i++) {
		path at = {w, vt_mkint(i)};
		vt_value s = i < n ? vt_as_list(items)->v[i] : vt_is_sequence(items) ? more : items;
		if (s != VT_UNDEF && !valid(k, s, l->v[i], &at))
			return false;
	}
	return true;
}

/* ---- maps ---- */

static bool
is_map(check *k, vt_value schema, const char *name, vt_value *out)
{
	*out = keyword(schema, name);
	if (*out == VT_UNDEF || vt_is(*out, DICT))
		return *out != VT_UNDEF;
	return broken(k, "in the schema, '%s' must be a map", name);
}

static bool
has_all(check *k, vt_value names, vt_value v, const char *keyname, const path *w)
{
	if (names == VT_UNDEF)
		return true;
	if (!vt_is_sequence(names))
		return vt_is_bool(names) || broken(k, "in the schema, '%s' must be a list of names",
						    keyname); /* draft 3 */
	for (uint32_t i = 0; i < vt_as_list(names)->n; i++) {
		vt_value name = vt_as_list(names)->v[i];
		if (!vt_is(name, STR))
			return broken(k, "in the schema, '%s' must be a list of names", keyname);
		if (vt_dict_get(vt_as_dict(v), name) == VT_UNDEF)
			return wrong(k, w, "has no '%.80s'", vt_as_str(name)->s);
	}
	return true;
}

static bool
depends(check *k, vt_value schema, vt_value v, const path *w)
{
	vt_value all, key, what;
	uint32_t pos = 0;
	if (!is_map(k, schema, "dependencies", &all))
		return !k->broken;
	while (vt_dict_at(vt_as_dict(all), &pos, &key, &what)) {
		if (vt_dict_get(vt_as_dict(v), key) == VT_UNDEF)
			continue;
		if (vt_is(what, DICT) ? !valid(k, what, v, w)
				      : !has_all(k, what, v, "dependencies", w))
			return false;
	}
	return true;
}

/* One entry: by its name, by patterns, else what is said of others. */
static bool
entry(check *k, vt_value schema, vt_value key, vt_value v, const path *w)
{
	vt_value props, patterns, pattern, s, rest = keyword(schema, "additionalProperties");
	uint32_t pos = 0;
	bool known = false;
	if (is_map(k, schema, "properties", &props) &&
		(s = vt_dict_get(vt_as_dict(props), key)) != VT_UNDEF) {
		known = true;
		if (!valid(k, s, v, w))
			return false;
	}
	if (is_map(k, schema, "patternProperties", &patterns))
		while (vt_dict_at(vt_as_dict(patterns), &pos, &pattern, &s)) {
			k->steps++;
			if (!matches(k, key, pattern))
				continue;
			known = true;
			if (!valid(k, s, v, w))
				return false;
		}
	if (k->broken || known || rest == VT_UNDEF || rest == VT_TRUE)
		return !k->broken;
	return rest == VT_FALSE ? wrong(k, w, "is not among the properties of the schema")
				: valid(k, rest, v, w);
}

static bool
map(check *k, vt_value schema, vt_value v, const path *w)
{
	uint32_t pos = 0;
	vt_value key, item;
	if (!bounded(k, schema, "minProperties", "maxProperties", vt_dict_len(vt_as_dict(v)),
		    "properties", w) ||
		!has_all(k, keyword(schema, "required"), v, "required", w) ||
		!depends(k, schema, v, w))
		return false;
	while (vt_dict_at(vt_as_dict(v), &pos, &key, &item)) {
		path at = {w, key};
		if (!entry(k, schema, key, item, &at))
			return false;
	}
	return true;
}

/* ---- schemas of schemas ---- */

/* How many of the schemas suit; UINT32_MAX: it is no list of them. With `all` the first that does
 * not is reported. */
static uint32_t
suit(check *k, vt_value schema, const char *name, vt_value v, const path *w, bool all)
{
	vt_value l = keyword(schema, name);
	uint32_t n = 0;
	if (!vt_is_sequence(l) || !vt_as_list(l)->n) {
		broken(k, "in the schema, '%s' must be a list of schemas", name);
		return UINT32_MAX;
	}
	k->quiet += !all;
	for (uint32_t i = 0; i < vt_as_list(l)->n && !k->broken; i++)
		n += valid(k, vt_as_list(l)->v[i], v, w);
	k->quiet -= !all;
	return n;
}

static bool
combined(check *k, vt_value schema, vt_value v, const path *w)
{
	vt_value all = keyword(schema, "allOf"), not = keyword(schema, "not");
	if (all != VT_UNDEF && suit(k, schema, "allOf", v, w, true) !=
				       (vt_is_sequence(all) ? vt_as_list(all)->n : 0))
		return false;
	if (keyword(schema, "anyOf") != VT_UNDEF && !suit(k, schema, "anyOf", v, w, false))
		return !k->broken && wrong(k, w, "suits none of the schemas of anyOf");
	if (keyword(schema, "oneOf") != VT_UNDEF) {
		uint32_t n = suit(k, schema, "oneOf", v, w, false);
		if (n != 1)
			return !k->broken &&
			       wrong(k, w, "suits %u of the schemas of oneOf, and not one", n);
	}
	if (not == VT_UNDEF)
		return !k->broken;
	k->quiet++;
	bool suits = valid(k, not, v, w);
	k->quiet--;
	return !k->broken && (!suits || wrong(k, w, "suits the schema of not"));
}

/* ---- references ---- */

/* One name of a JSON pointer in a fragment of a URL. */
static vt_value
part(check *k, const char *s, const char *end)
{
	vt_buf b = {NULL, 0, 0};
	for (; s < end; s++) {
		char c = *s;
		if (c == '%' && end - s > 2 && vt_hex_digit(s[1]) >= 0 && vt_hex_digit(s[2]) >= 0) {
			c = (char)(vt_hex_digit(s[1]) * 16 + vt_hex_digit(s[2]));
			s += 2;
		}
		if (c == '~' && end - s > 1 && (s[1] == '0' || s[1] == '1'))
			c = *++s == '0' ? '~' : '/';
		vt_buf_putc(&b, c);
	}
	vt_buf_repair(&b);
	vt_value v = vt_str_take(k->t->rt, &b);
	vt_buf_free(&b);
	return v;
}

static vt_value
step(vt_value at, vt_value name)
{
	const char *s = vt_as_str(name)->s;
	char *end;
	if (vt_is(at, DICT))
		return vt_dict_get(vt_as_dict(at), name);
	if (!vt_is_sequence(at) || *s < '0' || *s > '9')
		return VT_UNDEF;
	unsigned long i = strtoul(s, &end, 10);
	return !*end && i < vt_as_list(at)->n ? vt_as_list(at)->v[i] : VT_UNDEF;
}

/* What $ref leads to; VT_UNDEF: reported. */
static vt_value
follow(check *k, vt_value ref)
{
	const char *s = vt_is(ref, STR) ? vt_as_str(ref)->s : "";
	vt_value at = k->root;
	if (s[0] != '#') {
		broken(k,
			"$ref leads to '%.80s', and only what is in the schema itself is read: "
			"#/...",
			s);
		return VT_UNDEF;
	}
	for (s++; *s == '/' && at != VT_UNDEF;) {
		const char *end = s + 1 + strcspn(s + 1, "/");
		vt_value name = part(k, s + 1, end);
		at = step(at, name);
		vt_release(name);
		s = end;
	}
	if (at == VT_UNDEF || *s)
		broken(k, "the schema has nothing at '%.80s', where $ref leads", vt_as_str(ref)->s);
	return k->broken ? VT_UNDEF : at;
}

static vt_value
resolved(check *k, vt_value schema)
{
	for (int i = 0; vt_is(schema, DICT); i++) {
		vt_value ref = keyword(schema, "$ref");
		if (ref == VT_UNDEF || vt_is(ref, DICT))
			return schema;
		if (i == MOST_REFS) {
			broken(k, "%s leads from one to the next without an end", "$ref");
			return VT_UNDEF;
		}
		schema = follow(k, ref);
	}
	return schema;
}

static bool
all_keywords(check *k, vt_value s, vt_value v, const path *w)
{
	if (!types(k, s, v, w) || !values(k, s, v, w))
		return false;
	if (vt_is_number(v) &&
		(!bound(k, s, true, v, w) || !bound(k, s, false, v, w) || !multiple(k, s, v, w)))
		return false;
	if (vt_is(v, STR) && !text(k, s, v, w))
		return false;
	if (vt_is_sequence(v) && !list(k, s, v, w))
		return false;
	if (vt_is(v, DICT) && !map(k, s, v, w))
		return false;
	return combined(k, s, v, w);
}

static bool
valid(check *k, vt_value schema, vt_value v, const path *w)
{
	bool ok;
	if (k->broken)
		return false;
	if (k->depth >= DEEPEST || ++k->steps > MOST_STEPS)
		return broken(k, "schema and value are %s",
			k->depth >= DEEPEST ? "nested too deep" : "too large for each other");
	schema = resolved(k, schema);
	if (vt_is_bool(schema))
		return schema == VT_TRUE || wrong(k, w, "is not allowed");
	if (!vt_is(schema, DICT))
		return broken(k, "in the schema, %s is no schema: that is a map",
			schema == VT_UNDEF ? "it" : vt_tosca_noun(schema));
	k->depth++;
	ok = all_keywords(k, schema, v, w);
	k->depth--;
	return ok && !k->broken;
}

/* ---- the constraint ---- */

static bool
read(vt_tosca *t, vt_value text, vt_value *out, char **err)
{
	return vt_json_read(
		t->rt, vt_as_str(text)->s, vt_as_str(text)->bytes, 0, t->limit.max_depth, out, err);
}

static void
remember(vt_tosca *t, const char *fmt, const char *why)
{
	free(t->mem->why);
	t->mem->why = vt_asprintf(fmt, why);
}

static bool
json(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, vt_value *out)
{
	check k = {.t = t, .ctx = ctx, .root = VT_UNDEF};
	path top = {NULL, VT_UNDEF};
	vt_value v = VT_UNDEF;
	char *err = NULL;
	if (!read(t, args[1], &k.root, &err)) {
		vt_tosca_fail(t, ctx, "the schema is no JSON: %s", err);
		free(err);
		return false;
	}
	bool ok = read(t, args[0], &v, &err);
	if (!ok)
		remember(t, "it is no JSON: %s", err);
	ok = ok && valid(&k, k.root, v, &top);
	if (!ok && k.why.n) {
		vt_buf_repair(&k.why);
		vt_buf_putc(&k.why, 0);
		remember(t, "%s", k.why.p);
	}
	free(err);
	vt_buf_free(&k.why);
	vt_clear(&v);
	vt_release(k.root);
	return !k.broken && vt_tosca_give(out, vt_mkbool(ok));
}

static bool
xml(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, vt_value *out)
{
	char *err = NULL;
	if (!vt_tosca_xml(vt_as_str(args[1])->s, vt_as_str(args[1])->bytes, &err)) {
		vt_tosca_fail(t, ctx, "the schema is no XML: %s", err);
		free(err);
		return false;
	}
	bool ok = vt_tosca_xml(vt_as_str(args[0])->s, vt_as_str(args[0])->bytes, &err);
	if (!ok)
		remember(t, "it is no XML: %s", err);
	free(err);
	return vt_tosca_give(out, vt_mkbool(ok));
}

bool
vt_tf_schema(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	if (!vt_is(args[1], STR) || !vt_is(args[0], STR))
		return vt_tosca_fail(t, ctx, "takes a text and the text of a schema, not %s",
			vt_tosca_noun(vt_is(args[0], STR) ? args[1] : args[0]));
	const char *s = vt_as_str(args[1])->s;
	return s[strspn(s, " \t\r\n")] == '<' ? xml(t, ctx, args, out) : json(t, ctx, args, out);
}

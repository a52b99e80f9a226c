/*
 * type.c - gives values their types and checks them.
 *
 * Values that are right are shared, not copied: a list or map is made anew only when something in
 * it changes. Where a value stands and how it is called is found out only for a problem: `at` is
 * the way from the value that was given to the one at hand, and is walked then.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/text/nearest.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct at {
	const struct at *up;
	vt_value key; /* of a map, or VT_UNDEF: entry i of a list */
	uint32_t i;
	bool itself;   /* the key, not its value */
	bool member;   /* of a data type with properties */
	uint32_t expr; /* without up, or of a default: where the value is written; or 0 */
} at;
/*
 * What one value may cost.  Data types that contain each other can ask for endlessly many defaults,
 * or for 2^30 of them, so the first limit that is reached ends the whole value.
 */
typedef struct budget {
	uint32_t filled; /* defaults */
	bool spent;
} budget;
enum { MOST_DEFAULTS = 1000000 };
typedef struct typing {
	vt_tosca *t;
	const vt_tctx *ctx;
	const vt_titem *item;
	bool checks;
	budget *budget;
} typing;
static bool typed(const typing *, const at *, uint32_t schema, vt_value, vt_value *out);

/* ---- problems ---- */

static bool
is_key(const typing *w, uint32_t expr, vt_value key)
{
	const vt_texpr *e = &w->t->m->expr[expr];
	if (e->kind == VT_TX_INT)
		return vt_is_int(key) && vt_toint(key) == e->u.i;
	return e->kind == VT_TX_STR && vt_is(key, STR) &&
	       vt_str_eq(w->t->m->str[e->u.str], vt_as_str(key));
}

/* One step further inside an expression; 0: the value there comes from a call. */
static uint32_t
step(const typing *w, const at *a, uint32_t expr)
{
	const vt_texpr *e = &w->t->m->expr[expr];
	const uint32_t *kid = w->t->m->index + e->u.k.at;
	if (e->kind == VT_TX_LIST && a->key == VT_UNDEF && a->i < e->n)
		return kid[a->i];
	for (uint32_t i = 0; e->kind == VT_TX_MAP && i < e->n; i++)
		if (is_key(w, kid[2 * i], a->key))
			return kid[2 * i + !a->itself];
	return 0;
}

/* The expression nearest to the value. *exact: it is that of the value itself. */
static uint32_t
nearest(const typing *w, const at *a, bool *exact)
{
	uint32_t expr, next;
	if (a->up == NULL || a->expr) {
		*exact = a->expr != 0;
		return a->expr;
	}
	expr = nearest(w, a->up, exact);
	next = *exact ? step(w, a, expr) : 0;
	*exact = next != 0;
	return next ? next : expr;
}

static vt_tplace
place(const typing *w, const at *a)
{
	bool exact;
	uint32_t expr = nearest(w, a, &exact);
	const vt_texpr *e = &w->t->m->expr[expr];
	return expr && e->file ? (vt_tplace){e->file, e->at} : w->ctx->place;
}

static void
put_path(vt_buf *b, const at *a)
{
	if (a->up == NULL)
		return;
	put_path(b, a->up);
	if (a->key == VT_UNDEF)
		vt_buf_printf(b, "[%u]", a->i);
	else if (vt_is(a->key, STR))
		vt_buf_printf(b, "%s%.80s", a->up->up ? "." : "", vt_as_str(a->key)->s);
	else if (vt_is_int(a->key))
		vt_buf_printf(b, "%s%lld", a->up->up ? "." : "", (long long)vt_toint(a->key));
	else
		vt_buf_puts(b, "[?]");
}

static void
put_subject(const typing *w, const at *a, vt_buf *b)
{
	if (w->item != NULL)
		w->item->say(b, w->t, w->item);
	else
		vt_buf_puts(b, "the value");
	if (a->up != NULL) {
		vt_buf_puts(b, a->itself ? ", key " : ", ");
		put_path(b, a);
	}
}

/* How a number or boolean is written that stands there, before 2.0; NULL: it is computed. */
static const vt_str *
written(const typing *w, const at *a)
{
	bool exact;
	uint32_t expr = nearest(w, a, &exact);
	const vt_texpr *e = &w->t->m->expr[expr];
	bool literal = e->kind == VT_TX_INT || e->kind == VT_TX_FLOAT || e->kind == VT_TX_BOOL;
	return exact && literal && e->n ? w->t->m->str[e->n] : NULL;
}

static bool
is_old(const typing *w)
{
	return !(w->t->m->version & (VT_TV_2_0 | VT_TV_HOT));
}

/* "SUBJECT " and the rest of the sentence. Always false. */
static bool VT_PRINTF(4, 5)
	problem(const typing *w, const at *a, enum vt_diag code, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	put_subject(w, a, &b);
	vt_buf_putc(&b, ' ');
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_repair(&b);
	vt_tosca_problem(w->t, code, place(w, a), "%.*s", (int)b.n, b.p);
	vt_buf_free(&b);
	return false;
}

static const char *
wanted(enum vt_tbase base)
{
	switch (base) {
	case VT_TB_ANY: return "a value";
	case VT_TB_STRING: return "a string";
	case VT_TB_INTEGER: return "an integer";
	case VT_TB_FLOAT: return "a float";
	case VT_TB_BOOLEAN: return "a boolean";
	case VT_TB_NULL: return "null";
	case VT_TB_BYTES: return "bytes";
	case VT_TB_TIMESTAMP: return "a timestamp";
	case VT_TB_VERSION: return "a version";
	case VT_TB_RANGE: return "a range";
	case VT_TB_LIST: return "a list";
	case VT_TB_MAP: return "a map";
	case VT_TB_SCALAR: return "a scalar";
	case VT_TB_JSON: return "a string of JSON";
	case VT_TB_XML: return "a string of XML";
	case VT_TB_COMPLEX: return "a map";
	case VT_TB_HEAT_STRING: return "a string";
	case VT_TB_HEAT_NUMBER: return "a number";
	case VT_TB_HEAT_LIST: return "a list, or a text with commas";
	case VT_TB_HEAT_JSON: return "a map or list, or a text of JSON that is one";
	case VT_TB_HEAT_BOOLEAN: return "a boolean";
	}
	return "";
}

static void
hint_wrong(const typing *w, enum vt_tbase base, vt_value v)
{
	bool text = base == VT_TB_STRING || base == VT_TB_VERSION || base == VT_TB_TIMESTAMP;
	if (text && (vt_is_number(v) || vt_is_bool(v)))
		vt_tosca_hint(w->t, "put it in quotes");
	else if (base == VT_TB_SCALAR && vt_is_number(v))
		vt_tosca_hint(w->t, "a scalar has a unit");
}

static bool
wrong(const typing *w, const at *a, const vt_tdata *d, vt_value v)
{
	vt_buf b = {0};
	bool plain = d->base != VT_TB_COMPLEX || !d->canon;
	if (v != VT_NULL && !vt_is_sequence(v)) {
		vt_buf_puts(&b, ": ");
		vt_tosca_put_value(&b, w->t, v);
	}
	vt_buf_putc(&b, '\0');
	problem(w, a, VT_E2040, "must be %s%s%s, not %s%s", wanted(d->base),
		plain ? "" : " of type ", plain ? "" : vt_tosca_text(w->t, d->canon),
		vt_tosca_noun(v), b.p);
	hint_wrong(w, d->base, v);
	vt_buf_free(&b);
	return false;
}

/* A text that is not what the type says. */
static bool
malformed(const typing *w, const at *a, const vt_tdata *d, vt_value v, const char *why)
{
	vt_buf b = {0};
	vt_tosca_put_value(&b, w->t, v);
	vt_buf_putc(&b, '\0');
	problem(w, a, VT_E2040, "is %s, which is not %s%s%s: %s", b.p, wanted(d->base),
		d->parent ? " of type " : "", d->parent ? vt_tosca_text(w->t, d->canon) : "", why);
	vt_buf_free(&b);
	return false;
}

/* ---- values that are texts ---- */

/* The number in canonical units meets the constraints of the type of numbers. Takes the scalar
 * over. */
static bool
number_fits(const typing *w, const at *a, const vt_tdata *d, vt_value scalar, vt_value *out)
{
	const vt_tmodel *m = w->t->m;
	vt_value number = VT_UNDEF;
	bool ok = true;
	if (d->number && m->data[m->schema[d->number].type].checks.n)
		ok = typed(w, a, d->number, vt_dict_get_c(vt_as_dict(scalar), "$number"), &number);
	vt_release(number);
	if (ok)
		*out = scalar;
	else
		vt_release(scalar);
	return ok;
}

static bool
as_scalar(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	char *why = NULL;
	vt_value scalar = VT_UNDEF;
	if (vt_tosca_form(v) == VT_TO_SCALAR) {
		if (!vt_tosca_rescale(w->t, d, v, &scalar))
			return malformed(w, a, d, v,
				"its unit is of another dimension, or its number is no integer");
	} else if (!vt_is(v, STR)) {
		return wrong(w, a, d, v);
	} else if (!vt_tosca_read_scalar(w->t, d, vt_as_str(v), &scalar, &why)) {
		malformed(w, a, d, v, why);
		free(why);
		return false;
	}
	return number_fits(w, a, d, scalar, out);
}

/* The first example of the standard has `version: 6.5`: 1.10 is that, and not 1.1. */
static bool
number_as_version(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	const vt_str *text = written(w, a);
	vt_buf b = {0};
	vt_value made;
	const char *why;
	if (text == NULL)
		vt_float_repr(&b, vt_as_float(v));
	made = vt_str_new(w->t->rt, text ? text->s : b.p, text ? text->bytes : b.n);
	why = vt_tosca_read_version(w->t->rt, vt_as_str(made), out);
	if (why != NULL)
		malformed(w, a, d, v, why);
	vt_release(made);
	vt_buf_free(&b);
	return why == NULL;
}

/* Versions, timestamps and bytes; what is one already stays. */
static bool
as_read(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	const char *why = NULL;
	enum vt_tform form = d->base == VT_TB_VERSION ? VT_TO_VERSION
			     : d->base == VT_TB_BYTES ? VT_TO_BYTES
						      : VT_TO_TIMESTAMP;
	if (vt_tosca_form(v) == form)
		return vt_tosca_give(out, vt_copy(v));
	if (form == VT_TO_VERSION && is_old(w) && vt_is(v, FLOAT))
		return number_as_version(w, a, d, v, out);
	if (!vt_is(v, STR))
		return wrong(w, a, d, v);
	if (form == VT_TO_VERSION)
		why = vt_tosca_read_version(w->t->rt, vt_as_str(v), out);
	else if (form == VT_TO_BYTES)
		why = vt_tosca_read_bytes(w->t->rt, vt_as_str(v), out);
	else
		why = vt_tosca_read_timestamp(
			w->t->rt, vt_as_str(v), (w->t->m->version & VT_TV_2_0) != 0, out);
	return why == NULL || malformed(w, a, d, v, why);
}

static bool
as_markup(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	char *err = NULL;
	vt_value read = VT_UNDEF;
	bool ok;
	if (!vt_is(v, STR))
		return wrong(w, a, d, v);
	if (d->base == VT_TB_XML)
		ok = vt_tosca_xml(vt_as_str(v)->s, vt_as_str(v)->bytes, &err);
	else
		ok = vt_json_read(w->t->rt, vt_as_str(v)->s, vt_as_str(v)->bytes, 0,
			w->t->limit.max_depth, &read, &err);
	vt_release(read);
	if (!ok)
		malformed(w, a, d, v, err);
	free(err);
	return ok && vt_tosca_give(out, vt_copy(v));
}

static bool
as_float(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	double x;
	if (vt_is(v, FLOAT))
		return vt_tosca_give(out, vt_copy(v));
	if (!vt_is_integer(v))
		return wrong(w, a, d, v);
	if (vt_num_double(w->t->rt, v, &x) != VT_OK) {
		vt_exc_clear(w->t->rt);
		return malformed(w, a, d, v, "the number is too large");
	}
	return vt_tosca_give(out, vt_float_new(w->t->rt, x));
}

/* ---- ranges ---- */

static bool
bound(const typing *w, vt_value v, bool upper, vt_value *out)
{
	static const char unbounded[] = VT_TOSCA_UNBOUNDED;
	if (upper && vt_is(v, STR) && strcmp(vt_as_str(v)->s, "UNBOUNDED") == 0)
		return vt_int_parse(w->t->rt, unbounded, sizeof unbounded - 1, 10, out) == VT_OK;
	if (!vt_is_integer(v) || vt_num_cmp(v, vt_mkint(0)) < 0)
		return false;
	return vt_tosca_give(out, vt_copy(v));
}

static bool
as_range(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	vt_value lo = VT_UNDEF, hi = VT_UNDEF;
	const vt_list *l = vt_as_list(v);
	vt_dict *o;
	if (vt_tosca_form(v) == VT_TO_RANGE)
		return vt_tosca_give(out, vt_copy(v));
	if (!vt_is_sequence(v))
		return wrong(w, a, d, v);
	if (l->n != 2 || !bound(w, l->v[0], false, &lo) || !bound(w, l->v[1], true, &hi) ||
		vt_num_cmp(lo, hi) > 0) {
		vt_release(lo);
		vt_release(hi);
		return malformed(w, a, d, v,
			"a range is [LOWER, UPPER], integers from 0 on; UPPER may be UNBOUNDED and "
			"is not below LOWER");
	}
	o = vt_dict_new_cap(w->t->rt, true, 2);
	vt_dict_set_c(w->t->rt, o, "lower", lo);
	vt_dict_set_c(w->t->rt, o, "upper", hi);
	return vt_tosca_give(out, vt_mkptr(o));
}

/* ---- lists and maps ---- */

static bool
as_list(const typing *w, const at *a, const vt_tdata *d, uint32_t entry, vt_value v, vt_value *out)
{
	const vt_list *l = vt_as_list(v);
	vt_list *o = NULL;
	bool ok = true;
	if (!vt_is_sequence(v))
		return wrong(w, a, d, v);
	for (uint32_t i = 0; entry && i < l->n; i++) {
		at here = {.up = a, .key = VT_UNDEF, .i = i};
		vt_value x = VT_UNDEF;
		if (!typed(w, &here, entry, l->v[i], &x))
			ok = false;
		if (ok && x != l->v[i] && o == NULL) {
			o = vt_list_grow(w->t->rt, VT_K_TUPLE, l->n);
			vt_list_extend(w->t->rt, o, i, l->v);
		}
		if (ok && o != NULL)
			vt_list_push(w->t->rt, o, x);
		else
			vt_release(x);
	}
	if (!ok)
		vt_release(o != NULL ? vt_mkptr(o) : VT_UNDEF);
	return ok && vt_tosca_give(out, o != NULL ? vt_mkptr(o) : vt_copy(v));
}

/* A map that is copied when the first entry changes. */
typedef struct changing {
	vt_value from;
	vt_dict *to;
} changing;

/* x is given away. */
static void
change(const typing *w, changing *c, vt_value key, vt_value x)
{
	if (c->to == NULL)
		c->to = vt_dict_copy(w->t->rt, vt_as_dict(c->from), true);
	(void)vt_dict_set(w->t->rt, c->to, key, x);
	vt_release(x);
}

static bool
changed(changing *c, bool ok, vt_value *out)
{
	if (!ok)
		vt_release(c->to != NULL ? vt_mkptr(c->to) : VT_UNDEF);
	return ok && vt_tosca_give(out, c->to != NULL ? vt_mkptr(c->to) : vt_copy(c->from));
}

/* Keys are strings also where no schema says so; the text of a key stays as it is. */
static bool
key_fits(const typing *w, const at *a, uint32_t schema, vt_value key)
{
	at here = {.up = a, .key = key, .itself = true};
	vt_value x = VT_UNDEF;
	bool ok;
	if (schema == 0 && is_old(w) && vt_is_integer(key)) {
		vt_tosca_lenient(w->t, VT_W2023, place(w, a),
			"an integer is taken for the string that a key is");
		return true;
	}
	if (schema == 0)
		return vt_is(key, STR) ||
		       problem(w, &here, VT_E2040, "must be a string, not %s", vt_tosca_noun(key));
	ok = typed(w, &here, schema, key, &x);
	vt_release(x);
	return ok;
}

static bool
as_map(const typing *w, const at *a, const vt_tdata *d, const vt_tschema *s, vt_value v,
	vt_value *out)
{
	uint32_t pos = 0, ks = s->key ? s->key : d->key, es = s->entry ? s->entry : d->entry;
	changing c = {v, NULL};
	vt_value key, value;
	bool ok = true;
	if (!vt_is(v, DICT))
		return wrong(w, a, d, v);
	while (vt_dict_at(vt_as_dict(v), &pos, &key, &value)) {
		at here = {.up = a, .key = key};
		vt_value x = VT_UNDEF;
		ok &= key_fits(w, a, ks, key);
		if (es == 0)
			continue;
		if (!typed(w, &here, es, value, &x))
			ok = false;
		else if (x != value)
			change(w, &c, key, x);
		else
			vt_release(x);
	}
	return changed(&c, ok, out);
}

/* ---- complex types ---- */

static bool
is_declared(const typing *w, const vt_tdata *d, vt_value key)
{
	const vt_tslot *slot = w->t->m->slot + d->props.first;
	for (uint32_t i = 0; i < d->props.n; i++)
		if (vt_is(key, STR) && vt_str_eq(vt_as_str(key), w->t->m->str[slot[i].name]))
			return true;
	return false;
}

static void
undeclared(const typing *w, const at *a, const vt_tdata *d, vt_value v)
{
	enum { SHOWN = 10 };
	uint32_t pos = 0;
	vt_value key, value;
	while (vt_dict_at(vt_as_dict(v), &pos, &key, &value)) {
		at here = {.up = a, .key = key, .itself = true};
		vt_buf b = {0};
		if (is_declared(w, d, key))
			continue;
		problem(w, &here, VT_E2050, "is not declared in data type '%s'",
			vt_tosca_text(w->t, d->canon));
		for (uint32_t i = 0; i < d->props.n && i < SHOWN; i++)
			vt_buf_printf(&b, "%s%s", i ? ", " : "",
				vt_tosca_text(w->t, w->t->m->slot[d->props.first + i].name));
		if (d->props.n)
			vt_tosca_hint(w->t, "it has: %.*s%s", (int)b.n, b.p,
				d->props.n > SHOWN ? "..." : "");
		vt_buf_free(&b);
	}
}

/* Is it given under a name that is nearly right? That is told. */
static bool
is_misspelt(const typing *w, const vt_tdata *d, const vt_tslot *slot, vt_value given)
{
	const char *name = vt_tosca_text(w->t, slot->name);
	uint32_t pos = 0;
	vt_value key, value;
	while (vt_dict_at(vt_as_dict(given), &pos, &key, &value))
		if (vt_is(key, STR) && !is_declared(w, d, key) &&
			vt_nearest(vt_as_str(key)->s, &name, 1))
			return true;
	return false;
}

/* Default or fixed value of a property that was not given. */
static bool
fill(const typing *w, const at *a, const vt_tdata *d, const vt_tslot *slot, changing *c)
{
	vt_value key = vt_tosca_str(w->t, slot->name), v = VT_UNDEF, x = VT_UNDEF;
	at here = {.up = a, .key = key, .expr = slot->dflt};
	bool ok;
	if (slot->dflt == 0) {
		if (slot->flags & VT_TS_REQUIRED && is_misspelt(w, d, slot, c->from))
			return false;
		if (slot->flags & VT_TS_REQUIRED)
			return problem(w, a, VT_E2051, "lacks '%s', which data type '%s' requires",
				vt_tosca_text(w->t, slot->name), vt_tosca_text(w->t, d->canon));
		return true;
	}
	if (++w->budget->filled > MOST_DEFAULTS && !w->budget->spent) {
		w->budget->spent = true;
		return problem(w, a, VT_E2090, "needs more than %d default values", MOST_DEFAULTS);
	}
	ok = vt_tosca_eval(w->t, w->ctx, slot->dflt, &v) && typed(w, &here, slot->schema, v, &x);
	vt_release(v);
	if (ok)
		change(w, c, key, x);
	return ok;
}

static bool
as_complex(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	changing c = {v, NULL};
	uint32_t found = 0;
	bool ok = true;
	if (!vt_is(v, DICT))
		return wrong(w, a, d, v);
	for (uint32_t i = 0; i < d->props.n; i++) {
		const vt_tslot *slot = &w->t->m->slot[d->props.first + i];
		vt_value key = vt_tosca_str(w->t, slot->name), x = VT_UNDEF;
		vt_value given = vt_dict_get_str(vt_as_dict(v), vt_as_str(key));
		at here = {.up = a, .key = key, .member = true};
		if (given == VT_UNDEF) {
			ok &= fill(w, a, d, slot, &c);
			continue;
		}
		found++;
		if (slot->flags & VT_TS_FIXED)
			ok = problem(w, &here, VT_E2052, "has a fixed value in data type '%s'",
				vt_tosca_text(w->t, d->canon));
		else if (!typed(w, &here, slot->schema, given, &x))
			ok = false;
		else if (x != given)
			change(w, &c, key, x);
		else
			vt_release(x);
	}
	if (found < vt_dict_len(vt_as_dict(v))) {
		undeclared(w, a, d, v);
		ok = false;
	}
	return changed(&c, ok, out);
}

/* ---- constraints ---- */

static bool
violated(const typing *w, const at *a, vt_value v, uint32_t clause)
{
	vt_buf value = {0}, text = {0};
	vt_tosca_put_value(&value, w->t, v);
	vt_buf_putc(&value, '\0');
	vt_tosca_put_clause(&text, w->t, clause);
	vt_buf_putc(&text, '\0');
	problem(w, a, VT_E2041, "is %s, which violates the constraint %s", value.p, text.p);
	if (w->t->mem->why)
		vt_tosca_hint(w->t, "%s", w->t->mem->why);
	free(w->t->mem->why);
	w->t->mem->why = NULL;
	vt_buf_free(&value);
	vt_buf_free(&text);
	return false;
}

static bool
check(const typing *w, const at *a, vt_tspan span, vt_value v)
{
	vt_tctx ctx;
	bool ok = true;
	if (span.n == 0 || !w->checks)
		return true;
	ctx = *w->ctx;
	ctx.value = v;
	for (uint32_t i = 0; i < span.n; i++) {
		uint32_t clause = w->t->m->index[span.first + i];
		vt_value got = VT_UNDEF;
		if (clause == 0 || !vt_tosca_eval(w->t, &ctx, clause, &got))
			continue; /* reported, or not known yet */
		if (got == VT_FALSE)
			ok = violated(w, a, v, clause);
		else if (got != VT_TRUE)
			ok = problem(w, a, VT_E2042,
				"has a constraint that gives %s instead of a boolean",
				vt_tosca_noun(got));
		vt_release(got);
	}
	return ok;
}

/* `KEY:` with nothing behind it, in a list or map of texts. */
static bool
is_left_empty(const typing *w, const at *a)
{
	bool exact;
	uint32_t expr = nearest(w, a, &exact);
	return a->up && !a->member && exact && w->t->m->expr[expr].kind == VT_TX_NULL;
}

/*
 * Before 2.0 a number or boolean stands for the text that it is written as; not in a data type with
 * properties, which OpenStack's parser refuses as well.
 */
static bool
as_string(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	const vt_str *text = is_old(w) && !vt_is(v, STR) ? written(w, a) : NULL;
	if (v == VT_NULL && is_old(w) && is_left_empty(w, a)) {
		vt_tosca_lenient(w->t, VT_W2020, place(w, a), "%s",
			"an entry is empty, and taken for the empty text");
		return vt_tosca_give(out, vt_str_new(w->t->rt, "", 0));
	}
	for (const at *p = a; p != NULL; p = p->up)
		text = p->member ? NULL : text;
	if (vt_is(v, STR))
		return vt_tosca_give(out, vt_copy(v));
	if (text == NULL)
		return wrong(w, a, d, v);
	vt_tosca_lenient(w->t, VT_W2023, place(w, a), "%s is taken for the string \"%s\"",
		vt_tosca_noun(v), text->s);
	return vt_tosca_give(out, vt_str_new(w->t->rt, text->s, text->bytes));
}

/* The booleans of 1.x are those of YAML 1.1. */
static bool
as_boolean(const typing *w, const at *a, const vt_tdata *d, vt_value v, vt_value *out)
{
	static const char *const words[] = {
		"yes", "Yes", "YES", "on", "On", "ON", "no", "No", "NO", "off", "Off", "OFF"};
	if (vt_is_bool(v))
		return vt_tosca_give(out, vt_copy(v));
	for (size_t i = 0; is_old(w) && vt_is(v, STR) && i < VT_LEN(words); i++)
		if (!strcmp(vt_as_str(v)->s, words[i]))
			return vt_tosca_give(out, i < VT_LEN(words) / 2 ? VT_TRUE : VT_FALSE);
	return wrong(w, a, d, v);
}

/* ---- any type ---- */

static bool
by_base(const typing *w, const at *a, const vt_tdata *d, const vt_tschema *s, vt_value v,
	vt_value *out)
{
	bool fits = true;
	switch ((enum vt_tbase)d->base) {
	case VT_TB_ANY: break;
	case VT_TB_STRING: return as_string(w, a, d, v, out);
	case VT_TB_INTEGER: fits = vt_is_integer(v); break;
	case VT_TB_BOOLEAN: return as_boolean(w, a, d, v, out);
	case VT_TB_NULL: fits = v == VT_NULL; break;
	case VT_TB_FLOAT: return as_float(w, a, d, v, out);
	case VT_TB_BYTES:
	case VT_TB_TIMESTAMP:
	case VT_TB_VERSION: return as_read(w, a, d, v, out);
	case VT_TB_RANGE: return as_range(w, a, d, v, out);
	case VT_TB_LIST: return as_list(w, a, d, s->entry ? s->entry : d->entry, v, out);
	case VT_TB_MAP: return as_map(w, a, d, s, v, out);
	case VT_TB_SCALAR: return as_scalar(w, a, d, v, out);
	case VT_TB_JSON:
	case VT_TB_XML: return as_markup(w, a, d, v, out);
	case VT_TB_COMPLEX: return as_complex(w, a, d, v, out);
	case VT_TB_HEAT_STRING:
	case VT_TB_HEAT_NUMBER:
	case VT_TB_HEAT_LIST:
	case VT_TB_HEAT_JSON:
	case VT_TB_HEAT_BOOLEAN: return vt_tosca_heat(w->t, d->base, v, out) || wrong(w, a, d, v);
	}
	return fits ? vt_tosca_give(out, vt_copy(v)) : wrong(w, a, d, v);
}

/* A number that is taken for a string may meet constraints that have numbers, too. */
static bool
fits_as_written(const typing *w, const at *a, const vt_tdata *d, const vt_tschema *s, vt_value v)
{
	bool fits;
	if (d->base != VT_TB_STRING || !vt_is_number(v))
		return false;
	w->t->mem->quiet++;
	fits = check(w, a, d->checks, v) && check(w, a, s->checks, v);
	w->t->mem->quiet--;
	return fits;
}

static bool
too_deep(const typing *w, const at *a)
{
	w->budget->spent = true;
	vt_tosca_problem(w->t, VT_E2073, place(w, a), "values are nested deeper than %u",
		w->t->limit.max_depth);
	return false;
}

static bool
typed(const typing *w, const at *a, uint32_t schema, vt_value v, vt_value *out)
{
	const vt_tmodel *m = w->t->m;
	const vt_tschema *s = &m->schema[schema];
	const vt_tdata *d = &m->data[s->type];
	vt_value x = VT_UNDEF;
	bool ok;
	if (v == VT_UNDEF || w->budget->spent)
		return false;
	if (s->type == 0 && s->checks.n == 0)
		return vt_tosca_give(out, vt_copy(v));
	if (w->t->depth >= w->t->limit.max_depth)
		return too_deep(w, a);
	w->t->depth++;
	ok = by_base(w, a, d, s, v, &x);
	if (ok && !fits_as_written(w, a, d, s, v)) {
		ok = check(w, a, d->checks, x);
		ok &= check(w, a, s->checks, x);
	}
	w->t->depth--;
	if (ok)
		*out = x;
	else
		vt_release(x);
	return ok;
}

static bool
type(vt_tosca *t, const vt_tctx *ctx, uint32_t schema, uint32_t expr, vt_value v,
	const vt_titem *item, bool checks, vt_value *out)
{
	budget budget = {0, false};
	typing w = {t, ctx, item, checks, &budget};
	at a = {.key = VT_UNDEF, .expr = expr};
	*out = VT_UNDEF;
	return typed(&w, &a, schema, v, out);
}

bool
vt_tosca_type(vt_tosca *t, const vt_tctx *ctx, uint32_t schema, uint32_t expr, vt_value v,
	const vt_titem *item, vt_value *out)
{
	return type(t, ctx, schema, expr, v, item, true, out);
}

bool
vt_tosca_shape(vt_tosca *t, const vt_tctx *ctx, uint32_t schema, uint32_t expr, vt_value v,
	const vt_titem *item, vt_value *out)
{
	return type(t, ctx, schema, expr, v, item, false, out);
}

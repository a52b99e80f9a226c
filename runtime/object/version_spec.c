/*
 * version_spec.c - version specifications and the merging of dicts, as murano's dsl/helpers.py
 * defines them (K9 and section 16 of muranopl-engine.md).
 *
 * A specification becomes a list of clauses over full versions, printed in the order of their text:
 * "<1.0.0,>=0.0.0".
 */
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

enum spec_op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };
/* parts says how many of major, minor, patch were written; rest is what follows: -alpha, +build */
struct partial {
	uint64_t n[3];
	int parts;
	const char *rest;
};
enum { CLAUSES = 64 };
struct clauses {
	char *text[CLAUSES];
	int n;
};

static void
add_clause(struct clauses *c, const char *op, uint64_t a, uint64_t b, uint64_t p, const char *rest)
{
	if (c->n < CLAUSES)
		c->text[c->n++] = vt_asprintf("%s%llu.%llu.%llu%s", op, (unsigned long long)a,
			(unsigned long long)b, (unsigned long long)p, rest);
}

/* The first version behind everything that the partial one covers. */
static void
add_behind(struct clauses *c, const char *op, const struct partial *v)
{
	if (v->parts < 2)
		add_clause(c, op, v->n[0] + 1, 0, 0, "");
	else
		add_clause(c, op, v->n[0], v->n[1] + 1, 0, "");
}

static void
add_partial(struct clauses *c, enum spec_op op, const struct partial *v)
{
	switch (op) {
	case OP_EQ:
		add_clause(c, ">=", v->n[0], v->n[1], 0, "");
		add_behind(c, "<", v);
		break;
	case OP_NE:
	case OP_GT: add_behind(c, ">=", v); break;
	case OP_LT: add_clause(c, "<", v->n[0], v->n[1], 0, ""); break;
	case OP_LE: add_behind(c, "<", v); break;
	case OP_GE: add_clause(c, ">=", v->n[0], v->n[1], 0, ""); break;
	}
}

static const char *
read_op(const char *p, enum spec_op *op)
{
	static const struct {
		const char *text;
		enum spec_op op;
	} table[] = {
		{"==", OP_EQ},
		{"!=", OP_NE},
		{"<=", OP_LE},
		{">=", OP_GE},
		{"<", OP_LT},
		{">", OP_GT},
		{"=", OP_EQ},
	};
	for (size_t i = 0; i < VT_LEN(table); i++)
		if (strncmp(p, table[i].text, strlen(table[i].text)) == 0) {
			*op = table[i].op;
			return p + strlen(table[i].text);
		}
	*op = OP_EQ;
	return p;
}

static bool
read_number(const char **p, uint64_t *out)
{
	uint64_t n = 0;
	const char *s = *p;
	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (n > 100000000000000000u)
			return false;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	*p = s;
	*out = n;
	return true;
}

static bool
read_version(const char *p, struct partial *v)
{
	memset(v, 0, sizeof *v);
	for (;;) {
		if (!read_number(&p, &v->n[v->parts]))
			return false;
		if (++v->parts == 3 || *p != '.')
			break;
		p++;
	}
	v->rest = p;
	return *p == '\0' || (v->parts == 3 && (*p == '-' || *p == '+'));
}

static const char *
op_text(enum spec_op op)
{
	static const char *const text[] = {"==", "!=", "<", "<=", ">", ">="};
	return text[op];
}

static bool
read_clause(struct clauses *c, const char *p)
{
	enum spec_op op;
	struct partial v;
	if (strcmp(p, "*") == 0)
		return true;
	if (!read_version(read_op(p, &op), &v) || c->n >= CLAUSES - 2)
		return false;
	if (v.parts == 3)
		add_clause(c, op_text(op), v.n[0], v.n[1], v.n[2], v.rest);
	else
		add_partial(c, op, &v);
	return true;
}

static void
join_clauses(struct clauses *c, vt_buf *b)
{
	qsort(c->text, (size_t)c->n, sizeof c->text[0], vt_compare_texts);
	for (int i = 0; i < c->n; i++) {
		if (i > 0)
			vt_buf_putc(b, ',');
		vt_buf_puts(b, c->text[i]);
	}
	if (c->n == 0)
		vt_buf_putc(b, '*');
}

/* The text without blanks; {"version": v} is that very version. */
static void
spec_text(vt_rt *rt, vt_value spec, vt_buf *b)
{
	vt_buf raw = {0};
	if (vt_is(spec, DICT)) {
		vt_value v = vt_dict_get_c(vt_as_dict(spec), "version");
		vt_buf_puts(&raw, "==");
		vt_pystr(rt, &raw, v == VT_UNDEF ? VT_NULL : v);
	} else if (vt_truth(spec)) {
		vt_pystr(rt, &raw, spec);
	} else {
		vt_buf_putc(&raw, '0');
	}
	for (size_t i = 0; i < raw.n; i++)
		if (strchr(" \t\r\n\f\v", raw.p[i]) == NULL || raw.p[i] == '\0')
			vt_buf_putc(b, raw.p[i]);
	vt_buf_putc(b, '\0');
	vt_buf_free(&raw);
}

static bool
read_spec(struct clauses *c, char *text)
{
	for (char *p = text, *next; p != NULL; p = next) {
		next = strchr(p, ',');
		if (next != NULL)
			*next++ = '\0';
		if (!read_clause(c, p))
			return false;
	}
	return true;
}

__attribute__((cold)) vt_status
vt_version_spec(vt_rt *rt, vt_value spec, vt_value *out)
{
	struct clauses c = {.n = 0};
	vt_buf text = {0}, made = {0};
	bool ok;
	spec_text(rt, spec, &text);
	ok = read_spec(&c, text.p);
	if (ok) {
		join_clauses(&c, &made);
		*out = vt_str_take(rt, &made);
	}
	for (int i = 0; i < c.n; i++)
		free(c.text[i]);
	vt_buf_free(&text);
	if (ok)
		return VT_OK;
	vt_buf_free(&made);
	return vt_raise(rt, VT_E_VALUE, "Invalid requirement specification");
}

/* ---- merging ---- */

static bool
text_or_null(vt_value v)
{
	return v == VT_NULL || vt_is(v, STR);
}

/* Python's type(): tuple and list are one here, as JSON knows but one array. */
static bool
same_type(vt_value a, vt_value b)
{
	if (vt_is_sequence(a) && vt_is_sequence(b))
		return true;
	return strcmp(vt_py_type(a), vt_py_type(b)) == 0 || (vt_is(a, DICT) && vt_is(b, DICT));
}

static void
add_unique(vt_rt *rt, vt_list *to, vt_value list)
{
	const vt_list *from = vt_as_list(list);
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t k = 0;
		while (k < to->n && !vt_eq(to->v[k], from->v[i]))
			k++;
		if (k == to->n)
			vt_list_push(rt, to, vt_copy(from->v[i]));
	}
}

static vt_status
merge_values(vt_rt *rt, vt_value a, vt_value b, int levels, vt_value *out)
{
	if (!same_type(a, b)) {
		if (!text_or_null(a) || !text_or_null(b))
			return vt_raise(rt, VT_E_TYPE, "cannot merge %s with %s", vt_py_type(a),
				vt_py_type(b));
		*out = vt_copy(a);
		return VT_OK;
	}
	if (levels != 1 && vt_is(b, DICT))
		return vt_merge_dicts(rt, a, b, levels == 0 ? 0 : levels - 1, out);
	if (levels != 1 && vt_is_sequence(b)) {
		vt_list *l = vt_list_grow(rt, VT_K_LIST, vt_as_list(a)->n + vt_as_list(b)->n);
		add_unique(rt, l, a);
		add_unique(rt, l, b);
		*out = vt_mkptr(l);
		return VT_OK;
	}
	*out = vt_copy(b);
	return VT_OK;
}

static vt_status
merge_into(vt_rt *rt, vt_dict *to, vt_value a, vt_value b, int levels)
{
	vt_value key, v, other, merged;
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && vt_dict_at(vt_as_dict(a), &i, &key, &v);) {
		merged = VT_UNDEF;
		other = vt_dict_get(vt_as_dict(b), key);
		if (other == VT_UNDEF)
			merged = vt_copy(v);
		else
			st = merge_values(rt, v, other, levels, &merged);
		if (st == VT_OK)
			st = vt_dict_set(rt, to, key, merged);
		vt_release(merged);
	}
	for (uint32_t i = 0; st == VT_OK && vt_dict_at(vt_as_dict(b), &i, &key, &v);)
		if (vt_dict_get(vt_as_dict(a), key) == VT_UNDEF)
			st = vt_dict_set(rt, to, key, v);
	return st;
}

vt_status
vt_merge_dicts(vt_rt *rt, vt_value a, vt_value b, int levels, vt_value *out)
{
	vt_dict *d;
	vt_status st;
	if (!vt_is(a, DICT) || !vt_is(b, DICT))
		return vt_raise(
			rt, VT_E_TYPE, "cannot merge %s with %s", vt_py_type(a), vt_py_type(b));
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	d = vt_dict_new(rt, false);
	rt->depth++;
	st = merge_into(rt, d, a, b, levels);
	rt->depth--;
	if (st == VT_OK)
		*out = vt_mkptr(d);
	else
		vt_release(vt_mkptr(d));
	return st;
}

static bool
has_item(const vt_list *l, uint32_t n, vt_value item)
{
	for (uint32_t i = 0; i < n; i++)
		if (vt_eq(l->v[i], item))
			return true;
	return false;
}

/* Is the union of both what a is already? */
static bool
adds_nothing(vt_value a, vt_value b)
{
	const vt_list *l = vt_as_list(a), *more = vt_as_list(b);
	for (uint32_t i = 0; i < more->n; i++)
		if (!has_item(l, l->n, more->v[i]))
			return false;
	for (uint32_t i = 1; i < l->n; i++)
		if (has_item(l, i, l->v[i]))
			return false;
	return true;
}

/* Would b change a? TypeError where they cannot be merged: before anything is written. */
static vt_status
look_at_merge(vt_rt *rt, vt_value a, vt_value b, bool *changes)
{
	vt_value key, v, old;
	vt_status st = VT_OK;
	if (!vt_is(a, DICT) || !vt_is(b, DICT))
		return vt_raise(
			rt, VT_E_TYPE, "cannot merge %s with %s", vt_py_type(a), vt_py_type(b));
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	rt->depth++;
	for (uint32_t i = 0; st == VT_OK && vt_dict_at(vt_as_dict(b), &i, &key, &v);) {
		old = vt_dict_get(vt_as_dict(a), key);
		if (old == VT_UNDEF)
			*changes = true;
		else if (vt_is(v, DICT) && vt_is(old, DICT))
			st = look_at_merge(rt, old, v, changes);
		else if (!same_type(old, v) && (!text_or_null(old) || !text_or_null(v)))
			st = vt_raise(rt, VT_E_TYPE, "cannot merge %s with %s", vt_py_type(old),
				vt_py_type(v));
		else if (same_type(old, v) &&
			 (vt_is_sequence(v) ? !adds_nothing(old, v) : !vt_eq(old, v)))
			*changes = true;
	}
	rt->depth--;
	return st;
}

static vt_value
union_of(vt_rt *rt, vt_value a, vt_value b)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, vt_as_list(a)->n + vt_as_list(b)->n);
	l->h.flags |= vt_head_of(a)->flags & vt_head_of(b)->flags & VT_F_FINAL;
	add_unique(rt, l, a);
	add_unique(rt, l, b);
	return vt_mkptr(l);
}

/* What cannot fail any more.  A child leaves its parent meanwhile, so that it is written in place
 * when nobody else has it. */
static void
apply_merge(vt_rt *rt, vt_value *slot, vt_value b)
{
	vt_dict *d = vt_as_dict(*slot);
	vt_value key, v, old;
	if (d->h.rc != 1 || !(d->h.flags & VT_F_FROZEN)) {
		d = vt_dict_copy(rt, d, true);
		vt_move(slot, vt_mkptr(d));
	}
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(b), &i, &key, &v);) {
		bool changes = false;
		vt_value child;
		old = vt_dict_get(d, key);
		if (old != VT_UNDEF && !same_type(old, v))
			continue;
		if (old == VT_UNDEF || (!vt_is(v, DICT) && !vt_is_sequence(v))) {
			(void)vt_dict_set(rt, d, key, v);
			continue;
		}
		if (vt_is_sequence(v)) {
			child = union_of(rt, old, v);
		} else if (look_at_merge(rt, old, v, &changes) == VT_OK && changes) {
			child = vt_copy(old);
			(void)vt_dict_set(rt, d, key, VT_NULL);
			apply_merge(rt, &child, v);
		} else {
			vt_exc_clear(rt);
			continue;
		}
		(void)vt_dict_set(rt, d, key, child);
		vt_release(child);
	}
}

vt_status
vt_merge_in(vt_rt *rt, vt_value *a, vt_value b, bool *changes)
{
	*changes = false;
	VT_TRY(look_at_merge(rt, *a, b, changes));
	if (*changes)
		apply_merge(rt, a, b);
	return VT_OK;
}

vt_status
vt_updated_dict(vt_rt *rt, vt_value d, vt_value by, vt_value *out)
{
	vt_dict *r;
	vt_value key, v;
	vt_status st = VT_OK;
	if ((d != VT_NULL && !vt_is(d, DICT)) || (by != VT_NULL && !vt_is(by, DICT)))
		return vt_raise(rt, VT_E_TYPE, "a dict is needed");
	r = d == VT_NULL ? vt_dict_new(rt, false) : vt_dict_copy(rt, vt_as_dict(d), false);
	if (by != VT_NULL)
		for (uint32_t i = 0; st == VT_OK && vt_dict_at(vt_as_dict(by), &i, &key, &v);)
			st = vt_dict_set(rt, r, key, v);
	if (st == VT_OK)
		*out = vt_mkptr(r);
	else
		vt_release(vt_mkptr(r));
	return st;
}

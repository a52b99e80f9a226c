/*
 * clout_value.c - values as Clout notes them: {$primitive}, {$list}, {$map: [{$key, ...}]},
 * or, where there is no value yet, {$functionCall}; with $meta, which gives the type.
 *
 * $meta describes what is inside of a list or map to DEEPEST levels and the fields of a complex
 * type by their types: types that contain each other would otherwise make it as long as a service
 * wants.
 */
#include "runtime/tosca/clout.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <string.h>

enum { DEEPEST = 3 };

static void expr_into(const vt_clout *, const vt_cplace *, vt_dict *, uint32_t expr);

vt_value
vt_clout_text(const vt_clout *o, uint32_t str)
{
	return str ? vt_copy(vt_tosca_str(o->t, str)) : vt_copy(o->empty_text);
}

void
vt_clout_put(const vt_clout *o, vt_dict *d, uint32_t name, vt_value owned)
{
	vt_dict_set(o->rt, d, vt_tosca_str(o->t, name), owned);
	vt_release(owned);
}

vt_value
vt_clout_location(const vt_clout *o, vt_tplace p)
{
	uint32_t line, col;
	if (!vt_tosca_locate(o->m, p, &line, &col))
		return VT_NULL;
	vt_dict *d = vt_dict_new_cap(o->rt, true, 3);
	vt_dict_set_c(o->rt, d, "url", vt_str_c(o->rt, o->m->file[p.file]));
	vt_dict_set_c(o->rt, d, "row", vt_mkint(line));
	vt_dict_set_c(o->rt, d, "column", vt_mkint(col));
	return vt_mkptr(d);
}

/* ---- what is known ---- */

static vt_value vt_clout_value(const vt_clout *o, vt_value v);

static void
value_into(const vt_clout *o, vt_dict *d, vt_value v)
{
	if (vt_is_sequence(v)) {
		const vt_list *l = vt_as_list(v);
		vt_list *items = vt_list_grow(o->rt, VT_K_TUPLE, l->n);
		for (uint32_t i = 0; i < l->n; i++)
			vt_list_push(o->rt, items, vt_clout_value(o, l->v[i]));
		vt_dict_set_c(o->rt, d, "$list", vt_mkptr(items));
	} else if (vt_is(v, DICT) && vt_tosca_form(v) == VT_TO_PLAIN) {
		vt_list *items = vt_list_grow(o->rt, VT_K_TUPLE, vt_dict_len(vt_as_dict(v)));
		vt_value key, item;
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &item);) {
			vt_dict *one = vt_dict_new_cap(o->rt, true, 2);
			vt_dict_set_c(o->rt, one, "$key", vt_clout_value(o, key));
			value_into(o, one, item);
			vt_list_push(o->rt, items, vt_mkptr(one));
		}
		vt_dict_set_c(o->rt, d, "$map", vt_mkptr(items));
	} else {
		vt_dict_set_c(o->rt, d, "$primitive",
			v == VT_UNDEF || v == VT_NOVALUE ? VT_NULL : vt_tosca_shown(o->t, v));
	}
}

/* A value that is known. */
static vt_value
vt_clout_value(const vt_clout *o, vt_value v)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, 2);
	value_into(o, d, v);
	return vt_mkptr(d);
}

/* ---- what is not ---- */

static void
put_place(const vt_clout *o, vt_buf *b, const vt_cplace *p)
{
	if (!p)
		return;
	put_place(o, b, p->up);
	vt_buf_printf(b, "%s%s", p->up ? "." : "", p->label);
	if (p->name) {
		const vt_str *s = o->m->str[p->name];
		vt_buf_putc(b, '[');
		vt_json_str(b, s->s, s->bytes);
		vt_buf_putc(b, ']');
	}
}

/* Scriptlets have these names in Puccini. */
static vt_value
call_name(const vt_clout *o, uint32_t fn)
{
	if (fn & VT_TX_CUSTOM)
		return vt_str_printf(o->rt, "tosca.function.%s",
			vt_tosca_text(o->t, o->m->function[fn & ~(uint32_t)VT_TX_CUSTOM].name));
	return vt_str_printf(o->rt, "tosca.%s.%s",
		vt_tfuncs[fn].flags & VT_TF_CHECK ? "validation" : "function", vt_tfuncs[fn].name);
}

static bool
is_value_call(const vt_clout *o, uint32_t expr)
{
	const vt_texpr *e = &o->m->expr[expr];
	return e->kind == VT_TX_CALL && !e->n && !(e->u.k.fn & VT_TX_CUSTOM) &&
	       !strcmp(vt_tfuncs[e->u.k.fn].name, "value");
}

/* The value that an operator is about is not among its arguments when it is the one that $meta
 * belongs to. */
static void
call_into(const vt_clout *o, const vt_cplace *at, vt_dict *d, const vt_texpr *e, bool checks)
{
	vt_dict *call = vt_dict_new_cap(o->rt, true, 6);
	vt_list *args = vt_list_grow(o->rt, VT_K_TUPLE, e->n);
	vt_tplace place = {e->file, e->at};
	vt_buf path = {NULL, 0, 0};
	uint32_t line, col;
	for (uint32_t i = 0; i < e->n; i++)
		if (i || !checks || !is_value_call(o, o->m->index[e->u.k.at]))
			vt_list_push(o->rt, args, vt_clout_expr(o, at, o->m->index[e->u.k.at + i]));
	vt_dict_set_c(o->rt, call, "name", call_name(o, e->u.k.fn));
	vt_dict_set_c(o->rt, call, "arguments", vt_mkptr(args));
	put_place(o, &path, at);
	if (path.n)
		vt_dict_set_c(o->rt, call, "path", vt_str_take(o->rt, &path));
	vt_buf_free(&path);
	if (vt_tosca_locate(o->m, place, &line, &col)) {
		vt_dict_set_c(o->rt, call, "url", vt_str_c(o->rt, o->m->file[place.file]));
		vt_dict_set_c(o->rt, call, "row", vt_mkint(line));
		vt_dict_set_c(o->rt, call, "column", vt_mkint(col));
	}
	vt_dict_set_c(o->rt, d, "$functionCall", vt_mkptr(call));
}

static vt_value
literal(const vt_clout *o, const vt_texpr *e)
{
	vt_value v = VT_NULL;
	switch ((enum vt_tx_kind)e->kind) {
	case VT_TX_NONE:
	case VT_TX_NULL:
	case VT_TX_LIST:
	case VT_TX_MAP:
	case VT_TX_CALL: break;
	case VT_TX_BOOL: return e->u.i ? VT_TRUE : VT_FALSE;
	case VT_TX_INT: return vt_int_new(o->rt, e->u.i);
	case VT_TX_FLOAT: return vt_float_new(o->rt, e->u.f);
	case VT_TX_STR: return vt_copy(vt_tosca_str(o->t, e->u.str));
	case VT_TX_BIG: {
		const vt_str *s = o->m->str[e->u.str];
		return vt_int_parse(o->rt, s->s, s->bytes, 10, &v) == VT_OK ? v : VT_NULL;
	}
	}
	return v;
}

static void
expr_into(const vt_clout *o, const vt_cplace *at, vt_dict *d, uint32_t expr)
{
	const vt_texpr *e = &o->m->expr[expr];
	if (e->kind == VT_TX_CALL) {
		call_into(o, at, d, e, false);
	} else if (e->kind == VT_TX_LIST) {
		vt_list *items = vt_list_grow(o->rt, VT_K_TUPLE, e->n);
		for (uint32_t i = 0; i < e->n; i++)
			vt_list_push(
				o->rt, items, vt_clout_expr(o, at, o->m->index[e->u.k.at + i]));
		vt_dict_set_c(o->rt, d, "$list", vt_mkptr(items));
	} else if (e->kind == VT_TX_MAP) {
		vt_list *items = vt_list_grow(o->rt, VT_K_TUPLE, e->n);
		for (uint32_t i = 0; i < e->n; i++) {
			vt_dict *one = vt_dict_new_cap(o->rt, true, 2);
			vt_dict_set_c(o->rt, one, "$key",
				vt_clout_expr(o, at, o->m->index[e->u.k.at + 2 * i]));
			expr_into(o, at, one, o->m->index[e->u.k.at + 2 * i + 1]);
			vt_list_push(o->rt, items, vt_mkptr(one));
		}
		vt_dict_set_c(o->rt, d, "$map", vt_mkptr(items));
	} else {
		vt_dict_set_c(o->rt, d, "$primitive", literal(o, e));
	}
}

vt_value
vt_clout_expr(const vt_clout *o, const vt_cplace *at, uint32_t expr)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, 2);
	expr_into(o, at, d, expr);
	return vt_mkptr(d);
}

/* ---- $meta ---- */

static vt_value
validators(const vt_clout *o, const vt_tschema *s)
{
	const vt_tspan spans[] = {o->m->data[s->type].checks, s->checks};
	vt_list *l = vt_list_grow(o->rt, VT_K_TUPLE, spans[0].n + spans[1].n);
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++) {
			const vt_texpr *e = &o->m->expr[o->m->index[spans[k].first + i]];
			vt_dict *d = vt_dict_new_cap(o->rt, true, 1);
			if (e->kind == VT_TX_CALL)
				call_into(o, NULL, d, e, true);
			else
				value_into(o, d, VT_NULL);
			vt_list_push(o->rt, l, vt_mkptr(d));
		}
	return vt_mkptr(l);
}

static uint32_t
type_name(const vt_tdata *d)
{
	return d->canon ? d->canon : d->name;
}

static vt_value
fields(const vt_clout *o, const vt_tdata *d)
{
	vt_dict *all = vt_dict_new_cap(o->rt, true, d->props.n);
	for (uint32_t i = 0; i < d->props.n; i++) {
		const vt_tslot *s = &o->m->slot[d->props.first + i];
		const vt_tdata *type = &o->m->data[o->m->schema[s->schema].type];
		vt_dict *one = vt_dict_new_cap(o->rt, true, 1);
		if (type_name(type))
			vt_dict_set_c(o->rt, one, "type", vt_clout_text(o, type_name(type)));
		vt_clout_put(o, all, s->name, vt_mkptr(one));
	}
	return vt_mkptr(all);
}

static vt_value
meta(const vt_clout *o, uint32_t schema, int depth)
{
	const vt_tschema *s = &o->m->schema[schema];
	const vt_tdata *type = &o->m->data[s->type];
	uint32_t key = s->key ? s->key : type->key, entry = s->entry ? s->entry : type->entry;
	vt_dict *d = vt_dict_new_cap(o->rt, true, 4);
	if (type_name(type))
		vt_dict_set_c(o->rt, d, "type", vt_clout_text(o, type_name(type)));
	if (depth && type->base == VT_TB_LIST && entry)
		vt_dict_set_c(o->rt, d, "element", meta(o, entry, depth - 1));
	if (depth && type->base == VT_TB_MAP && key)
		vt_dict_set_c(o->rt, d, "key", meta(o, key, depth - 1));
	if (depth && type->base == VT_TB_MAP && entry)
		vt_dict_set_c(o->rt, d, "value", meta(o, entry, depth - 1));
	if (depth == DEEPEST && type->base == VT_TB_COMPLEX && type->props.n)
		vt_dict_set_c(o->rt, d, "fields", fields(o, type));
	if (type->checks.n || s->checks.n)
		vt_dict_set_c(o->rt, d, "validators", validators(o, s));
	return vt_mkptr(d);
}

static void
put_meta(vt_clout *o, vt_dict *d, uint32_t slot)
{
	uint32_t schema = slot ? o->m->slot[slot].schema : 0;
	if (!schema)
		return;
	if (o->meta[schema] == VT_UNDEF)
		o->meta[schema] = meta(o, schema, DEEPEST);
	vt_dict_set_c(o->rt, d, "$meta", vt_copy(o->meta[schema]));
}

/* ---- maps of values ---- */

vt_value
vt_clout_bag(vt_clout *o, const vt_cplace *up, const vt_tbag *b, bool all)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->n; i++)
		n += all || b->cell[i].value != VT_NOVALUE;
	if (!n)
		return vt_copy(o->empty_map);
	vt_dict *d = vt_dict_new_cap(o->rt, true, n);
	for (uint32_t i = 0; i < b->n; i++) {
		const vt_tcell *c = &b->cell[i];
		if (!all && c->value == VT_NOVALUE)
			continue;
		vt_cplace at = *up;
		vt_dict *one = vt_dict_new_cap(o->rt, true, 2);
		at.name = c->name;
		put_meta(o, one, c->slot);
		if (c->value == VT_UNDEF && c->expr && !c->given)
			expr_into(o, &at, one, c->expr);
		else
			value_into(o, one, c->value);
		vt_clout_put(o, d, c->name, vt_mkptr(one));
	}
	return vt_mkptr(d);
}

/* Reported already, or nothing to report: what cannot be evaluated is reported as it was
 * written. */
static bool
evaluate(vt_clout *o, const vt_tctx *ctx, const vt_tassign *a, vt_value *out)
{
	uint32_t schema = a->slot ? o->m->slot[a->slot].schema : 0;
	vt_value v = VT_UNDEF;
	vt_tctx at = *ctx;
	at.place = a->place;
	o->t->mem->quiet++;
	bool good = vt_tosca_eval(o->t, &at, a->expr, &v);
	if (good && schema && v != VT_NOVALUE)
		good = vt_tosca_type(o->t, &at, schema, a->expr, v, NULL, out);
	else if (good)
		vt_move(out, vt_copy(v));
	o->t->mem->quiet--;
	vt_clear(&v);
	return good;
}

vt_value
vt_clout_assigns(vt_clout *o, const vt_cplace *up, const vt_tctx *ctx, vt_tspan s)
{
	if (!s.n)
		return vt_copy(o->empty_map);
	vt_dict *d = vt_dict_new_cap(o->rt, true, s.n);
	for (uint32_t i = 0; i < s.n; i++) {
		const vt_tassign *a = &o->m->assign[s.first + i];
		vt_cplace at = *up;
		vt_value v = VT_UNDEF;
		if (!a->expr)
			continue;
		vt_dict *one = vt_dict_new_cap(o->rt, true, 2);
		at.name = a->name;
		put_meta(o, one, a->slot);
		if (evaluate(o, ctx, a, &v))
			value_into(o, one, v);
		else
			expr_into(o, &at, one, a->expr);
		vt_clear(&v);
		vt_clout_put(o, d, a->name, vt_mkptr(one));
	}
	return vt_mkptr(d);
}

/* ---- metadata ---- */

vt_value
vt_clout_plain(vt_clout *o, uint32_t expr)
{
	vt_value v = VT_UNDEF, key, item;
	vt_tctx ctx = {.value = VT_UNDEF};
	o->t->mem->quiet++;
	bool good = expr && vt_tosca_eval(o->t, &ctx, expr, &v) && vt_is(v, DICT);
	o->t->mem->quiet--;
	if (!good) {
		vt_clear(&v);
		return vt_copy(o->empty_map);
	}
	vt_dict *d = vt_dict_new_cap(o->rt, true, vt_dict_len(vt_as_dict(v)));
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &item);) {
		/* a note of the embedded profiles, to nobody but the front end */
		if (vt_is(key, STR) && !strcmp(vt_as_str(key)->s, "vetro.name"))
			continue;
		vt_value shown = vt_tosca_shown(o->t, item);
		vt_dict_set(o->rt, d, key, shown);
		vt_release(shown);
	}
	vt_clear(&v);
	return vt_mkptr(d);
}

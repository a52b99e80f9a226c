/*
 * types_rows.c - functions of the library: which overloads can take the arguments, and what comes
 * back.
 *
 * The library's signatures are the registry's rows; what they give is the table below, for
 * functions that are not in it it is anything.  A call is faulty only when no overload, no method
 * and no extension could take it whatever the values are.
 */
#include "compiler/check/types.h"
#include "compiler/check/types_rows.h"
#include "runtime/call/call.h"

#include <stdlib.h>
#include <string.h>

enum result {
	R_BOOL = 1,
	R_INT,
	R_FLOAT,
	R_NUM,
	R_ARITH,
	R_STR,
	R_STRNULL,
	R_ITER,
	R_STRS,
	R_INTS,
	R_COLL,
	R_LIST,
	R_LISTOF,
	R_SAMELIST,
	R_SAMEITER,
	R_MAPPED,
	R_ITEM,
	R_ITEM0,
	R_PRESENT,
	R_DICT,
	R_SET,
	R_DATE,
	R_SPAN,
	R_REGEX,
	R_REFLECT,
	R_OBJECT,
	R_NEW,
	R_CAST,
	R_FIND,
	R_LOGGER,
	R_TYPE
};
/* By the C function of the row without its prefix; sorted. */
/* clang-format off */
static const struct result_row { const char *symbol; uint8_t result; } results[] = {
	{"abs", R_NUM}, {"accumulate", R_ITER}, {"add_iterables", R_COLL}, {"all", R_BOOL},
	{"any", R_BOOL}, {"append", R_ITER}, {"base64decode", R_STR}, {"base64encode", R_STR},
	{"bit_and", R_INT}, {"bit_not", R_INT}, {"bit_or", R_INT}, {"bit_xor", R_INT},
	{"bool", R_BOOL}, {"cast", R_CAST}, {"characters", R_COLL}, {"collection_attr", R_ITER},
	{"concat", R_ITER}, {"const_false", R_BOOL}, {"const_true", R_BOOL}, {"contains", R_BOOL},
	{"contains_key", R_BOOL}, {"contains_value", R_BOOL}, {"count", R_INT},
	{"cycle", R_SAMEITER},
	{"date_add_span", R_DATE}, {"date_date", R_DATE}, {"date_day", R_INT},
	{"date_format", R_STR},
	{"date_ge", R_BOOL}, {"date_gt", R_BOOL}, {"date_hour", R_INT}, {"date_le", R_BOOL},
	{"date_lt", R_BOOL}, {"date_microsecond", R_INT}, {"date_minute", R_INT},
	{"date_month", R_INT}, {"date_offset", R_SPAN}, {"date_second", R_INT},
	{"date_sub", R_SPAN},
	{"date_sub_span", R_DATE}, {"date_time", R_SPAN}, {"date_utc", R_DATE},
	{"date_weekday", R_INT}, {"date_year", R_INT}, {"datetime", R_DATE},
	{"datetime_from_string", R_DATE}, {"datetime_from_timestamp", R_DATE}, {"delete", R_COLL},
	{"descend", R_LIST},
	{"dict_delete", R_DICT}, {"dict_delete_all", R_DICT}, {"dict_of_pairs", R_DICT},
	{"dict_set", R_DICT}, {"dict_set_all", R_DICT}, {"dict_set_rules", R_DICT},
	{"distinct", R_SAMEITER}, {"ends_with", R_BOOL}, {"enumerate", R_ITER}, {"env", R_DICT},
	{"equal", R_BOOL},
	{"escape_regex", R_STR}, {"find", R_FIND}, {"first", R_ITEM}, {"flatten", R_ITER},
	{"float", R_FLOAT}, {"format", R_STR}, {"generate", R_ITER}, {"generate_many", R_ITER},
	{"group_by", R_ITER}, {"hex", R_STR}, {"id", R_STR}, {"in", R_BOOL}, {"index_of", R_INT},
	{"index_where", R_INT}, {"inputs", R_ITER}, {"insert", R_ITER},
	{"insert_many", R_ITER}, {"int", R_INT},
	{"int_by_list", R_COLL}, {"int_times_str", R_STR}, {"is", R_BOOL}, {"is_boolean", R_BOOL},
	{"is_datetime", R_BOOL}, {"is_dict", R_BOOL}, {"is_empty_str", R_BOOL},
	{"is_integer", R_BOOL}, {"is_iterable", R_BOOL}, {"is_list", R_BOOL}, {"is_number", R_BOOL},
	{"is_object", R_BOOL}, {"is_regex", R_BOOL}, {"is_set", R_BOOL}, {"is_string", R_BOOL},
	{"is_timespan", R_BOOL}, {"items", R_ITER}, {"join_collections", R_ITER}, {"keys", R_COLL},
	{"last", R_ITEM}, {"last_index_of", R_INT}, {"last_index_where", R_INT},
	{"legacy_range", R_INTS}, {"len", R_INT}, {"limit", R_SAMEITER}, {"list", R_LISTOF},
	{"list_by_int", R_COLL}, {"list_indexer", R_ITEM0}, {"list_insert", R_LIST},
	{"localtz", R_SPAN}, {"logger", R_LOGGER}, {"make_dict", R_DICT}, {"make_list", R_LISTOF},
	{"memorize", R_SAMEITER}, {"merge_with", R_DICT}, {"mul_span", R_SPAN}, {"new", R_NEW},
	{"new_from_dict", R_NEW}, {"new_from_model", R_OBJECT}, {"norm", R_STRNULL},
	{"not", R_BOOL},
	{"not_equal", R_BOOL}, {"now", R_DATE}, {"num_add", R_ARITH}, {"num_div", R_ARITH},
	{"num_ge", R_BOOL}, {"num_gt", R_BOOL}, {"num_le", R_BOOL}, {"num_lt", R_BOOL},
	{"num_mod", R_ARITH}, {"num_mul", R_ARITH}, {"num_neg", R_ARITH}, {"num_pos", R_ARITH},
	{"num_sub", R_ARITH}, {"object_name", R_STRNULL}, {"order_by", R_SAMEITER},
	{"order_by_descending", R_SAMEITER}, {"paths", R_LIST}, {"paths_of", R_LIST},
	{"random", R_FLOAT}, {"random_name", R_STR},
	{"range", R_INTS}, {"range_from", R_INTS}, {"re_matches", R_BOOL},
	{"re_matches_regex", R_BOOL}, {"re_not_matches", R_BOOL}, {"re_replace", R_STR},
	{"re_replace_by", R_STR}, {"re_replace_by_string", R_STR}, {"re_replace_string", R_STR},
	{"re_search_all", R_COLL}, {"re_split", R_STRS}, {"re_split_string", R_STRS},
	{"regex", R_REGEX}, {"repeat", R_ITER}, {"replace", R_ITER}, {"replace_date", R_DATE},
	{"replace_many", R_ITER}, {"require", R_PRESENT}, {"reverse", R_SAMEITER}, {"round", R_NUM},
	{"select", R_MAPPED},
	{"select_many", R_ITER}, {"sequence", R_INTS}, {"set", R_SET}, {"set_add", R_SET},
	{"set_difference", R_SET}, {"set_ge", R_BOOL}, {"set_gt", R_BOOL}, {"set_intersect", R_SET},
	{"set_le", R_BOOL}, {"set_lt", R_BOOL}, {"set_remove", R_SET},
	{"set_symmetric_difference", R_SET}, {"set_union", R_SET}, {"shift_left", R_INT},
	{"shift_right", R_INT}, {"sign", R_INT}, {"single", R_ITEM}, {"skip", R_SAMEITER},
	{"skip_while", R_SAMEITER}, {"slice", R_ITER}, {"slice_where", R_ITER},
	{"span_add", R_SPAN},
	{"span_add_date", R_DATE}, {"span_ge", R_BOOL}, {"span_gt", R_BOOL}, {"span_le", R_BOOL},
	{"span_lt", R_BOOL}, {"span_mul", R_SPAN}, {"span_neg", R_SPAN}, {"split_at", R_ITER},
	{"split_where", R_ITER}, {"starts_with", R_BOOL}, {"str", R_STR}, {"str_concat", R_STR},
	{"str_find", R_INT}, {"str_find_within", R_INT}, {"str_ge", R_BOOL}, {"str_gt", R_BOOL},
	{"str_in", R_BOOL}, {"str_join", R_STR}, {"str_join_by", R_STR}, {"str_le", R_BOOL},
	{"str_len", R_INT}, {"str_lt", R_BOOL}, {"str_replace", R_STR}, {"str_replace_dict", R_STR},
	{"str_rfind", R_INT}, {"str_rfind_within", R_INT}, {"str_rsplit", R_STRS},
	{"str_split", R_STRS}, {"str_times_int", R_STR}, {"substr", R_STR}, {"substring", R_STR},
	{"take_while", R_SAMEITER}, {"then_by", R_SAMEITER}, {"then_by_descending", R_SAMEITER},
	{"timespan", R_SPAN}, {"to_char_array", R_STRS}, {"to_dict", R_DICT},
	{"to_json", R_STR}, {"to_list", R_SAMELIST},
	{"to_lower", R_STR}, {"to_set", R_SET}, {"to_upper", R_STR}, {"trim", R_STR},
	{"trim_left", R_STR}, {"trim_right", R_STR}, {"type_ref", R_TYPE},
	{"typeinfo_of", R_REFLECT},
	{"utctz", R_SPAN}, {"values", R_COLL}, {"where", R_SAMEITER}, {"zip", R_ITER},
	{"zip_longest", R_ITER},
};
/* clang-format on */

const yq_node *
ty_keyword(const yq_node *arg)
{
	return arg->kind == YQ_MAPPING && arg->n == 2 && arg->kid[0]->kind == YQ_KEYWORD
		       ? arg->kid[0]
		       : NULL;
}

const yq_node *
ty_argument(const yq_node *arg)
{
	return ty_keyword(arg) ? arg->kid[1] : arg;
}

/* ---- results ---- */

static int
by_symbol(const void *key, const void *row)
{
	return strcmp(key, ((const struct result_row *)row)->symbol);
}

static vc_type
list_of(vc_typing *t, uint32_t kinds, vc_type item)
{
	vc_type *p;

	if (item.kinds == 0 || item.kinds == VC_K_ALL)
		return ty_make(kinds);
	p = vc_alloc(t->c, sizeof *p);
	*p = item;
	return (vc_type){.kinds = kinds, .item = p};
}

/* What the items of the first argument are. */
static vc_type
item_of(const vc_typing *t, vc_type v)
{
	const uint32_t listed = VC_K_LIST | VC_K_ITER | VC_K_SET | VC_K_NULL;

	if (v.kinds & VC_K_OTHER || !v.item || (t->iterable_dicts && v.kinds & VC_K_DICT))
		return ty_anything();
	return v.kinds & listed ? *v.item : ty_anything();
}

static vc_type
first_of(const ty_args *a)
{
	return a->method ? a->recv : a->n ? a->type[0] : ty_anything();
}

static vc_type
arithmetic(const ty_args *a)
{
	uint32_t kinds = 0;

	for (uint32_t i = 0; i < a->n; i++)
		kinds |= a->type[i].kinds;
	kinds &= VC_K_INT | VC_K_FLOAT;
	if (kinds != VC_K_INT && a->n == 2 &&
		(a->type[0].kinds == VC_K_FLOAT || a->type[1].kinds == VC_K_FLOAT))
		return ty_make(VC_K_FLOAT);
	return ty_make(kinds ? kinds : VC_K_INT | VC_K_FLOAT);
}

/* The class that an argument names: ns:Name, :Name or a text. */
const mpl_class *
ty_named_class(vc_typing *t, const ty_args *a, uint32_t at)
{
	const yq_node *e;

	if (at >= a->n)
		return NULL;
	e = ty_argument(a->v[at]);
	if (e->kind == YQ_STRING || e->kind == YQ_KEYWORD)
		return ty_class(t->p, t->cls, e->text);
	return a->type[at].kinds == VC_K_TYPE ? a->type[at].cls : NULL;
}

static vc_type
made(vc_typing *t, const ty_args *a)
{
	const mpl_class *cls = ty_named_class(t, a, 0);

	return (vc_type){.kinds = VC_K_OBJECT, .cls = cls, .exact = cls != NULL};
}

/* list() takes sequences apart, anything else becomes an item. */
static vc_type
list_of_arguments(vc_typing *t, const ty_args *a)
{
	const uint32_t listed = VC_K_LIST | VC_K_ITER | VC_K_SET | VC_K_OTHER;
	vc_type item = {0};

	for (uint32_t i = 0; i < a->n; i++)
		item = vc_type_join(
			t->c, item, a->type[i].kinds & listed ? ty_anything() : a->type[i]);
	return list_of(t, VC_K_LIST, item);
}

/* The argument itself, which was not null. */
static vc_type
present(const ty_args *a)
{
	vc_type out = first_of(a);

	out.kinds &= ~(uint32_t)VC_K_NULL;
	return out.kinds ? out : ty_anything();
}

static vc_type
first_or_default(vc_typing *t, const ty_args *a)
{
	vc_type out = item_of(t, first_of(a));

	for (uint32_t i = a->method ? 0 : 1; i < a->n; i++)
		out = vc_type_join(t->c, out, a->type[i]);
	return out;
}

static vc_type
result_of(vc_typing *t, const vt_fnrow *row, const ty_args *a)
{
	const struct result_row *r = row->symbol && strncmp(row->symbol, "vt_lib_", 7) == 0
					     ? bsearch(row->symbol + 7, results, VC_LEN(results),
						       sizeof *results, by_symbol)
					     : NULL;
	uint32_t shift = a->method ? 0 : 1;

	switch ((enum result)(r ? r->result : 0)) {
	case R_BOOL: return ty_make(VC_K_BOOL);
	case R_INT: return ty_make(VC_K_INT);
	case R_FLOAT: return ty_make(VC_K_FLOAT);
	case R_NUM: return ty_make(VC_K_INT | VC_K_FLOAT);
	case R_ARITH: return arithmetic(a);
	case R_STR: return ty_make(VC_K_STR);
	case R_STRNULL: return ty_make(VC_K_STR | VC_K_NULL);
	case R_ITER: return ty_make(VC_K_ITER | VC_K_LIST);
	case R_STRS: return list_of(t, VC_K_ITER | VC_K_LIST, ty_make(VC_K_STR));
	case R_INTS: return list_of(t, VC_K_ITER | VC_K_LIST, ty_make(VC_K_INT));
	case R_COLL: return ty_make(VC_K_ITER | VC_K_LIST | VC_K_SET);
	case R_LIST: return ty_make(VC_K_LIST);
	case R_LISTOF: return list_of_arguments(t, a);
	case R_SAMELIST: return list_of(t, VC_K_LIST, item_of(t, first_of(a)));
	case R_SAMEITER: return list_of(t, VC_K_ITER | VC_K_LIST, item_of(t, first_of(a)));
	case R_MAPPED:
		return list_of(t, VC_K_ITER | VC_K_LIST,
			shift < a->n ? a->type[shift]
			: a->n       ? a->type[0]
				     : ty_anything());
	case R_ITEM: return first_or_default(t, a);
	case R_ITEM0: return item_of(t, first_of(a));
	case R_PRESENT: return present(a);
	case R_DICT: return ty_make(VC_K_DICT);
	case R_SET: return ty_make(VC_K_SET);
	case R_DATE: return ty_make(VC_K_DATE);
	case R_SPAN: return ty_make(VC_K_SPAN);
	case R_REGEX: return ty_make(VC_K_REGEX);
	case R_REFLECT: return ty_make(VC_K_REFLECT);
	case R_OBJECT: return ty_make(VC_K_OBJECT);
	case R_NEW: return made(t, a);
	case R_CAST: return (vc_type){.kinds = VC_K_OBJECT, .cls = ty_named_class(t, a, shift)};
	case R_FIND:
		return (vc_type){
			.kinds = VC_K_OBJECT | VC_K_NULL, .cls = ty_named_class(t, a, shift)};
	case R_LOGGER: return (vc_type){.kinds = VC_K_OBJECT, .cls = t->p->logger};
	case R_TYPE: return (vc_type){.kinds = VC_K_TYPE, .cls = ty_named_class(t, a, 0)};
	}
	return ty_anything();
}

/* ---- what a parameter takes ---- */

/* Of types that are not here: all. */
static const uint32_t takes[VT_T_COUNT] = {[VT_T_STR] = VC_K_STR,
	[VT_T_INT] = VC_K_INT | VC_K_BOOL,
	[VT_T_INTEGER] = VC_K_INT,
	[VT_T_NUMBER] = VC_K_INT | VC_K_FLOAT,
	[VT_T_BOOL] = VC_K_BOOL,
	[VT_T_NULL] = VC_K_NULL,
	[VT_T_ITERABLE] = VC_K_LIST | VC_K_ITER | VC_K_SET | VC_K_OTHER,
	[VT_T_ITERATOR] = VC_K_ITER | VC_K_OTHER,
	[VT_T_ORDERING] = VC_K_ITER | VC_K_OTHER,
	[VT_T_SEQUENCE] = VC_K_LIST | VC_K_OTHER,
	[VT_T_TUPLE] = VC_K_LIST | VC_K_OTHER,
	[VT_T_MAPPING] = VC_K_DICT | VC_K_OTHER,
	[VT_T_SET] = VC_K_SET,
	[VT_T_DATETIME] = VC_K_DATE,
	[VT_T_TIMESPAN] = VC_K_SPAN,
	[VT_T_REGEX] = VC_K_REGEX,
	[VT_T_CONTEXT] = VC_K_OTHER,
	[VT_T_CALLABLE] = VC_K_OTHER,
	[VT_T_HOST] = VC_K_OTHER,
	[VT_T_RULE] = VC_K_OTHER,
	[VT_T_OBJECT] = VC_K_OBJECT,
	[VT_T_TYPE] = VC_K_TYPE | VC_K_STR,
	[VT_T_TYPEREF] = VC_K_TYPE,
	[VT_T_NOT_OBJECT] = VC_K_ALL & ~(uint32_t)VC_K_OBJECT,
	[VT_T_REFLECT_TYPE] = VC_K_REFLECT,
	[VT_T_REFLECT_METHOD] = VC_K_REFLECT,
	[VT_T_REFLECT_PROPERTY] = VC_K_REFLECT,
	[VT_T_REFLECT_ARGUMENT] = VC_K_REFLECT,
	[VT_T_REFLECT_PACKAGE] = VC_K_REFLECT,
	[VT_T_REFLECT_VERSION] = VC_K_REFLECT};

static uint32_t
taken(const vc_typing *t, uint8_t type)
{
	if (type == VT_T_ITERABLE && t->iterable_dicts)
		return takes[type] | VC_K_DICT;
	return takes[type] ? takes[type] : VC_K_ALL;
}

bool
ty_takes(const vc_typing *t, const vt_fnparam *p, vc_type v)
{
	uint32_t kinds = taken(t, p->type) & ~(uint32_t)VC_K_NULL;

	if (p->nullable || p->type == VT_T_NULL || (p->has_default && p->dflt == VT_NULL))
		kinds |= VC_K_NULL;
	return v.kinds == 0 || (v.kinds & kinds) != 0;
}

const vt_fnparam *
vc_parameter(const vt_fnrow *row, uint32_t pos, const char *kw)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < row->nparams; i++) {
		const vt_fnparam *p = &row->params[i];
		if (kw ? (p->kind == 0 && strcmp(p->name, kw) == 0) || p->kind == 2
		       : p->kind == 1 || (p->kind == 0 && n++ == pos))
			return p;
	}
	return NULL;
}

/* ---- rows ---- */

/* YAQL drops underscores at the end of a name. */
ty_overloads
ty_find_rows(const vc_typing *t, const char *name)
{
	ty_overloads o = {0};
	size_t n = strlen(name);

	if (n > 1 && name[n - 1] == '_' && name[0] != '#') {
		while (n > 1 && name[n - 1] == '_')
			n--;
		name = vc_strndup(t->c, name, n);
	}
	o.row = vt_fn_find(name, &o.n);
	for (uint32_t i = 0; o.row && i < o.n; i++)
		o.exclusive |= (o.row[i].flags & VT_FN_EXCLUSIVE) && (o.row[i].layer & t->layers);
	return o;
}

bool
ty_visible(const vc_typing *t, const ty_overloads *o, uint32_t i, bool method)
{
	const vt_fnrow *row = &o->row[i];

	return (row->layer & t->layers) &&
	       (row->flags & (method ? VT_FN_METHOD : VT_FN_FUNCTION)) &&
	       !(o->exclusive && row->layer == VT_L_STD);
}

/* How near a call comes to an overload: the further, the better it explains what is wrong. */
enum near { N_RECEIVER, N_COUNT, N_KEYWORD, N_TYPE, N_FITS };
typedef struct match {
	enum near near;
	const vt_fnparam *p;
	uint32_t arg;
} match;

static bool
fits(const vc_typing *t, const vt_fnrow *row, const vt_fnparam *p, const ty_args *a, uint32_t i)
{
	bool rule = a->v[i]->kind == YQ_MAPPING &&
		    (row->flags & VT_FN_NO_KWARGS || !ty_keyword(a->v[i]));

	if (a->v[i]->kind == YQ_EMPTY || a->lazy[i] || vt_is_lazy_type(p->type))
		return true;
	return ty_takes(t, p, rule ? ty_make(VC_K_OTHER) : a->type[i]);
}

static match
try_row(const vc_typing *t, const vt_fnrow *row, const ty_args *a)
{
	uint32_t shift = a->method, required = 0, given = 0;
	bool plain = row->flags & VT_FN_NO_KWARGS;
	match bad = {N_FITS, NULL, 0};

	if (a->method && (row->nparams == 0 || !ty_takes(t, &row->params[0], a->recv)))
		return (match){N_RECEIVER, NULL, 0};
	for (uint32_t i = 0; i < a->n; i++) {
		const yq_node *kw = plain ? NULL : ty_keyword(a->v[i]);
		const vt_fnparam *p = vc_parameter(row, i + shift, kw ? kw->text : NULL);
		if (p == NULL)
			return (match){kw ? N_KEYWORD : N_COUNT, NULL, i};
		given += p->kind == 0;
		if (bad.near == N_FITS && !fits(t, row, p, a, i))
			bad = (match){N_TYPE, p, i};
	}
	for (uint32_t i = shift; i < row->nparams; i++)
		required += row->params[i].kind == 0 && !row->params[i].has_default;
	return given < required ? (match){N_COUNT, NULL, a->n} : bad;
}

static void
count_range(const vt_fnrow *row, bool method, ty_fault *f)
{
	uint32_t least = 0, most = 0;

	for (uint32_t i = method; i < row->nparams; i++) {
		const vt_fnparam *p = &row->params[i];
		least += p->kind == 0 && !p->has_default;
		most = p->kind || most == UINT32_MAX ? UINT32_MAX : most + 1;
	}
	if (f->name == NULL || least < f->least)
		f->least = least;
	if (f->name == NULL || most > f->most)
		f->most = most;
	f->name = row->name;
}

static const char *
type_word(const vc_typing *t, const vt_fnparam *p)
{
	return ty_text(t->c, ty_make(taken(t, p->type) & ~(uint32_t)VC_K_OTHER));
}

/* All rows; true when one takes the call. *f says what is wrong with the nearest one; no name:
 * there is no row. */
bool
ty_try_rows(vc_typing *t, const ty_overloads *o, const ty_args *a, vc_type *out, ty_fault *f)
{
	match best = {N_RECEIVER, NULL, 0};
	const vt_fnrow *nearest = NULL;
	bool fits = false;

	*out = ty_make(0);
	for (uint32_t i = 0; o->row && i < o->n; i++) {
		match m;
		if (!ty_visible(t, o, i, a->method))
			continue;
		m = try_row(t, &o->row[i], a);
		if (m.near == N_FITS) {
			*out = vc_type_join(t->c, *out, result_of(t, &o->row[i], a));
			fits = true;
			continue;
		}
		if (m.near != N_RECEIVER)
			count_range(&o->row[i], a->method, f);
		if (nearest == NULL || m.near > best.near)
			nearest = &o->row[i], best = m;
	}
	if (fits || nearest == NULL)
		return fits;
	f->name = nearest->name;
	f->given = a->n;
	f->kind = best.near == N_TYPE      ? TF_TYPE
		  : best.near == N_KEYWORD ? TF_KEYWORD
		  : best.near == N_COUNT   ? TF_COUNT
					   : TF_RECEIVER;
	if (best.near == N_TYPE)
		f->at = ty_argument(a->v[best.arg]);
	if (best.near == N_KEYWORD) {
		f->at = ty_keyword(a->v[best.arg]);
		f->param = f->at->text;
	}
	if (best.near == N_TYPE) {
		f->got = a->type[best.arg];
		f->want = type_word(t, best.p);
		f->param = best.p->name;
	}
	return false;
}

/* ---- arguments ---- */

/* What $ is in a lambda: an item of the collection, what it was, the object as its class's parent
 * has it, or something else. */
enum dollar { D_OTHER, D_ITEM, D_SAME, D_PARENT };

static enum dollar
dollar_of(const char *name)
{
	static const char *const item[] = {"where", "filter", "select", "map", "any", "all",
		"takeWhile", "skipWhile", "distinct", "orderBy", "orderByDescending", "thenBy",
		"thenByDescending", "selectMany", "indexWhere", "lastIndexWhere", "splitWhere",
		"sliceWhere", "toDict", "pselect"};
	static const char *const same[] = {"coalesce", "selectCase", "selectAllCases", "examine",
		"switchCase", "switch", "#operator_and", "#operator_or"};

	if (strcmp(name, "super") == 0 || strcmp(name, "psuper") == 0)
		return D_PARENT;
	for (size_t i = 0; i < VC_LEN(item); i++)
		if (strcmp(item[i], name) == 0)
			return D_ITEM;
	for (size_t i = 0; i < VC_LEN(same); i++)
		if (strcmp(same[i], name) == 0)
			return D_SAME;
	return D_OTHER;
}

/* Is the argument left to the function? *dynamic: it may run with variables of its own. */
static bool
lazy_argument(
	const vc_typing *t, const ty_overloads *o, const ty_args *a, uint32_t i, bool *dynamic)
{
	bool lazy = false, some = false;
	const yq_node *kw = ty_keyword(a->v[i]);

	for (uint32_t r = 0; o->row && r < o->n; r++) {
		const vt_fnparam *p;
		if (!ty_visible(t, o, r, a->method))
			continue;
		some = true;
		p = vc_parameter(&o->row[r], i + a->method,
			kw && !(o->row[r].flags & VT_FN_NO_KWARGS) ? kw->text : NULL);
		if (p && vt_is_lazy_type(p->type)) {
			lazy = true;
			*dynamic |= p->type == VT_T_LAMBDA_CTX || p->type == VT_T_LAMBDA_CTX_METHOD;
		}
		*dynamic |= lazy && (o->row[r].flags & VT_FN_CONTEXT) != 0;
	}
	return some ? lazy : !a->method;
}

/* `key => value` where a function takes rules, and keyword arguments: the value counts. */
static void
type_argument(vc_typing *t, ty_args *a, uint32_t i)
{
	const yq_node *e = a->v[i];

	if (e->kind == YQ_MAPPING && e->n == 2) {
		if (!ty_keyword(e))
			vc_type_of(t, t->node, e->kid[0]);
		e = e->kid[1];
		if (!ty_keyword(a->v[i])) {
			vc_type_of(t, t->node, e);
			a->type[i] = ty_make(VC_K_OTHER);
			return;
		}
	}
	a->type[i] = e->kind == YQ_EMPTY ? ty_anything() : vc_type_of(t, t->node, e);
}

/* Of several parents nobody knows which one it is. */
static vc_type
as_parent(vc_type v)
{
	const mpl_class *k = v.kinds == VC_K_OBJECT ? v.cls : NULL;

	if (!k || !k->parent || k->nparents != 1 || !k->parent[0])
		return ty_anything();
	return (vc_type){.kinds = VC_K_OBJECT, .cls = k->parent[0]};
}

static vc_type
lambda_dollar(const vc_typing *t, const ty_args *a, enum dollar kind, bool has_first)
{
	if (!has_first)
		return ty_anything();
	return kind == D_ITEM     ? item_of(t, first_of(a))
	       : kind == D_PARENT ? as_parent(first_of(a))
				  : ty_anything();
}

void
ty_type_arguments(vc_typing *t, const ty_overloads *o, ty_args *a, const char *name)
{
	vc_type dollar = t->dollar;
	enum dollar kind = dollar_of(name);

	for (uint32_t i = 0; i < a->n && i < TY_MAX_ARGS; i++) {
		bool dynamic = o->row == NULL && !a->method;
		a->lazy[i] = lazy_argument(t, o, a, i, &dynamic);
		if (a->lazy[i] && kind != D_SAME)
			t->dollar = lambda_dollar(t, a, kind, a->method || i);
		t->dynamic += dynamic;
		type_argument(t, a, i);
		t->dynamic -= dynamic;
		t->dollar = dollar;
	}
	/* Too many to look at: their types are walked all the same. */
	for (uint32_t i = TY_MAX_ARGS; i < a->n; i++)
		vc_type_of(t, t->node, ty_argument(a->v[i]));
}

/*
 * evaluate.c - a run of a form: its definition, expressions, parameters, and the model that comes
 * of it.
 *
 * An expression of the definition is a lambda without a scope, so that YAQL sees a value in it that
 * no operator takes.  Whoever puts a value to use evaluates it until no expression is left.
 */
#include "runtime/form/int.h"

#include <stdlib.h>

static const vt_unit form_unit = {.file = "<form>",
	.layers = VT_L_STD | VT_L_LEGACY | VT_L_FORM,
	.opt = {.limit_iterators = 10000,
		.memory_quota = 1000000,
		.tuples_to_lists = true,
		.sets_to_lists = true,
		.convert_input = true,
		.convert_output = true}};

/* ---- small things ---- */

vt_value
vt_form_get(vt_value dict, const char *key)
{
	vt_value v = vt_is(dict, DICT) ? vt_dict_get_c(vt_as_dict(dict), key) : VT_UNDEF;

	return v == VT_UNDEF ? VT_NULL : v;
}

vt_value
vt_form_text(vt_rt *rt, vt_value v)
{
	vt_buf b = {NULL, 0, 0};

	if (vt_is(v, STR))
		return vt_copy(v);
	vt_pystr(rt, &b, v);
	return vt_str_take(rt, &b);
}

vt_status
vt_form_wrong(vt_form *f, const char *fmt, ...)
{
	vt_buf b = {NULL, 0, 0};
	va_list ap;

	va_start(ap, fmt);
	vt_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	free(f->why);
	f->why = b.p;
	f->wrong = true;
	return VT_ERROR;
}

/* splitmix64; its first state is the seed, or what the system gives. */
uint64_t
vt_form_random(vt_form *f)
{
	uint64_t z = f->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t
fresh_seed(vt_rt *rt)
{
	vt_value id = vt_new_uuid(rt);
	uint64_t n = vt_hash_bytes(vt_as_str(id)->s, 16) << 32 ^
		     vt_hash_bytes(vt_as_str(id)->s + 16, 16);

	vt_release(id);
	return n;
}

/* With its dashes, as the dashboard writes them. */
vt_value
vt_form_new_id(vt_form *f)
{
	vt_value plain = VT_UNDEF, id;
	char text[33];
	const char *p = text;

	if (f->ask->seeded) {
		snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)vt_form_random(f),
			(unsigned long long)vt_form_random(f));
		text[12] = '4';
		text[16] = "89ab"[vt_form_random(f) & 3];
	} else {
		plain = vt_new_uuid(f->rt);
		p = vt_as_str(plain)->s;
	}
	id = vt_str_printf(f->rt, "%.8s-%.4s-%.4s-%.4s-%.12s", p, p + 8, p + 12, p + 16, p + 20);
	vt_release(plain);
	return id;
}

/* ---- the definition ---- */

static vt_value decode(vt_form *, vt_value);

static vt_value
decode_dict(vt_form *f, const vt_list *l)
{
	vt_dict *d = vt_dict_new(f->rt, false);

	for (uint32_t i = 1; i + 1 < l->n; i += 2) {
		vt_value k = decode(f, l->v[i]), v = decode(f, l->v[i + 1]);
		if (vt_dict_set(f->rt, d, k, v) != VT_OK)
			vt_exc_clear(f->rt);
		vt_release(k);
		vt_release(v);
	}
	return vt_mkptr(d);
}

static vt_value
decode_list(vt_form *f, const vt_list *l)
{
	vt_list *made = vt_list_grow(f->rt, VT_K_LIST, l->n);

	for (uint32_t i = 1; i < l->n; i++)
		vt_list_push(f->rt, made, decode(f, l->v[i]));
	return vt_mkptr(made);
}

static vt_value
decode_expression(vt_form *f, vt_value index)
{
	int64_t i = -1;
	vt_value v;

	if (!vt_int_fits(index, &i) || i < 0 || i >= f->def->ncodes)
		return VT_NULL;
	v = vt_lambda_new(f->rt, f->def->codes[i], NULL);
	VT_AS(vt_lambda, v)->data = (void *)(uintptr_t)&f->def->sources[i];
	return v;
}

static vt_value
decode_float(vt_form *f, vt_value text)
{
	double d = 0;

	return vt_is(text, STR) && vt_float_from_str(vt_as_str(text), &d) ? vt_float_new(f->rt, d)
									  : VT_NULL;
}

/* A list is something else of which the first item says what: form.h. */
static vt_value
decode(vt_form *f, vt_value v)
{
	const vt_list *l;
	char what;

	if (!vt_is_sequence(v))
		return vt_copy(v);
	l = vt_as_list(v);
	what = l->n && vt_is(l->v[0], STR) ? vt_as_str(l->v[0])->s[0] : 0;
	if (what == 'd')
		return decode_dict(f, l);
	if (what == 'x' && l->n == 2)
		return decode_expression(f, l->v[1]);
	return what == 'f' && l->n == 2 ? decode_float(f, l->v[1]) : decode_list(f, l);
}

bool
vt_form_open(vt_form *f, vt_rt *rt, const vt_form_def *def, const vt_form_ask *ask)
{
	vt_value raw = VT_UNDEF;
	char *why = NULL;

	*f = (vt_form){.rt = rt,
		.def = def,
		.ask = ask,
		.root = VT_NULL,
		.data = vt_mkptr(vt_dict_new(rt, false)),
		.parameters = vt_mkptr(vt_dict_new(rt, false)),
		.refs = vt_mkptr(vt_dict_new(rt, false)),
		.made = vt_mkptr(vt_dict_new(rt, false)),
		.name = VT_NULL,
		.complaints = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4)),
		.scope = vt_scope_root(rt, &form_unit, VT_NULL),
		.random = ask->seeded ? ask->seed : fresh_seed(rt),
		.expression = -1,
		.outer = rt->s->form};
	rt->s->form = f;
	if (!vt_json_read(rt, def->text, def->n, VT_JSON_MUTABLE, 0, &raw, &why)) {
		(void)vt_form_wrong(f, "%s", why ? why : "the definition cannot be read");
		free(why);
		return false;
	}
	f->root = decode(f, raw);
	vt_release(raw);
	return true;
}

void
vt_form_close(vt_form *f)
{
	f->rt->s->form = f->outer;
	vt_scope_drop(f->scope);
	vt_release(f->root);
	vt_release(f->data);
	vt_release(f->parameters);
	vt_release(f->refs);
	vt_release(f->made);
	vt_release(f->name);
	vt_release(f->complaints);
	free(f->why);
}

vt_form_answer
vt_form_end(vt_form *f, vt_status st, vt_value v)
{
	vt_form_answer a = {.end = VT_FORM_DONE, .value = v, .expression = f->expression};

	if (st == VT_OK && vt_as_list(f->complaints)->n == 0)
		return a;
	vt_clear(&a.value);
	if (st == VT_OK) {
		a.end = VT_FORM_COMPLAINED;
		a.value = vt_copy(f->complaints);
	} else if (f->wrong) {
		a.end = VT_FORM_WRONG;
		a.why = f->why;
		f->why = NULL;
	} else {
		a.end = VT_FORM_RAISED;
	}
	return a;
}

/* ---- expressions ---- */

bool
vt_form_is_expression(vt_value v)
{
	const vt_lambda *l = VT_AS(vt_lambda, v);

	return vt_is(v, LAMBDA) && l->native == NULL && l->scope == NULL && l->data != NULL;
}

static int32_t
number_of(const vt_form *f, vt_value expression)
{
	const char *const *at = VT_AS(vt_lambda, expression)->data;

	return (int32_t)(at - f->def->sources);
}

const char *
vt_form_source_of(const vt_form *f, vt_value expression)
{
	return f->def->sources[number_of(f, expression)];
}

vt_scope *
vt_form_bare_scope(vt_form *f)
{
	return vt_scope_root(f->rt, &form_unit, VT_NULL);
}

static vt_status
run_code(vt_form *f, const vt_code *code, vt_scope *sc, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_status st = vt_code_run(f->rt, code, sc, &v);

	if (st == VT_OK && (st = vt_quota_value(f->rt, v)) != VT_OK)
		vt_clear(&v);
	if (st == VT_OK)
		st = vt_convert_output_own(f->rt, code->unit, v, out);
	if (st == VT_OK && (st = vt_quota_value(f->rt, *out)) != VT_OK)
		vt_clear(out);
	return st;
}

vt_status
vt_form_run(vt_form *f, vt_scope *around, vt_value expression, vt_value self, vt_value *out)
{
	const vt_code *code = VT_AS(vt_lambda, expression)->code;
	vt_scope *sc = vt_scope_child(f->rt, around, self == VT_UNDEF ? 0 : 1, &self);
	int64_t quota = f->rt->s->quota;
	vt_status st;

	f->rt->s->quota = code->unit->opt.memory_quota;
	st = run_code(f, code, sc, out);
	f->rt->s->quota = quota;
	vt_scope_drop(sc);
	if (st != VT_OK && f->expression < 0)
		f->expression = number_of(f, expression);
	return st;
}

static vt_status
evaluate_dict(vt_form *f, vt_scope *sc, vt_value v, vt_value *out)
{
	vt_dict *d = vt_dict_new(f->rt, false);
	vt_value key, value;
	vt_status st = VT_OK;

	for (uint32_t pos = 0; st == VT_OK && vt_dict_at(vt_as_dict(v), &pos, &key, &value);) {
		vt_value k = VT_UNDEF, x = VT_UNDEF;
		st = vt_form_evaluate(f, sc, key, &k);
		if (st == VT_OK)
			st = vt_form_evaluate(f, sc, value, &x);
		if (st == VT_OK)
			st = vt_dict_set(f->rt, d, k, x);
		vt_release(k);
		vt_release(x);
	}
	return vt_settle(st, vt_mkptr(d), out);
}

static vt_status
evaluate_list(vt_form *f, vt_scope *sc, vt_value v, vt_value *out)
{
	vt_list *l = vt_list_grow(f->rt, VT_KIND(v), vt_as_list(v)->n);
	vt_status st = VT_OK;

	for (uint32_t i = 0; st == VT_OK && i < vt_as_list(v)->n; i++) {
		vt_value x = VT_UNDEF;
		st = vt_form_evaluate(f, sc, vt_as_list(v)->v[i], &x);
		if (st == VT_OK)
			vt_list_push(f->rt, l, x);
	}
	return vt_settle(st, vt_mkptr(l), out);
}

static vt_status
evaluate_one(vt_form *f, vt_scope *sc, vt_value v, vt_value *out)
{
	vt_value made = VT_UNDEF;
	vt_status st;

	if (vt_is(v, DICT))
		return evaluate_dict(f, sc, v, out);
	if (vt_is_sequence(v))
		return evaluate_list(f, sc, v, out);
	if (!vt_form_is_expression(v)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	VT_TRY(vt_form_run(f, sc, v, VT_UNDEF, &made));
	st = vt_form_evaluate(f, sc, made, out);
	vt_release(made);
	return st;
}

/* Templates can insert one another without an end, and so many times that no memory would do. */
vt_status
vt_form_evaluate(vt_form *f, vt_scope *sc, vt_value v, vt_value *out)
{
	vt_status st;

	if (!vt_is_ptr(v)) {
		*out = v;
		return VT_OK;
	}
	if (f->depth == MOST_DEEP)
		return vt_raise(
			f->rt, VT_E_RECURSION, "templates insert one another without an end");
	if (++f->nodes > MOST_NODES)
		return vt_raise(f->rt, VT_E_MEMORY_QUOTA, "the model has more than %d parts",
			(int)MOST_NODES);
	f->depth++;
	st = evaluate_one(f, sc, v, out);
	f->depth--;
	return st;
}

/* ---- parameters ---- */

/* A name that begins with anything but a letter is none. */
static bool
is_name(vt_value key)
{
	const char *p;
	uint32_t cp;

	if (!vt_is(key, STR) || vt_as_str(key)->bytes == 0)
		return false;
	p = vt_as_str(key)->s;
	cp = vt_utf8_next(&p);
	return cp != '_' && vt_is_word(cp) && vt_digit_value(cp) < 0;
}

/* What ParametersSource returned goes over what the file says. */
static vt_value
all_parameters(vt_form *f)
{
	vt_value own = vt_form_get(f->root, "parameters"), given = f->ask->parameters, key, v;
	vt_dict *d = vt_is(own, DICT) ? vt_dict_copy(f->rt, vt_as_dict(own), false)
				      : vt_dict_new(f->rt, false);

	if (vt_form_get(f->root, "source") != VT_NULL && vt_is(given, DICT))
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(given), &pos, &key, &v);)
			vt_dict_set(f->rt, d, key, v);
	return vt_mkptr(d);
}

vt_status
vt_form_parameters(vt_form *f)
{
	vt_value all = all_parameters(f), key, value;
	vt_status st = VT_OK;

	for (uint32_t pos = 0; st == VT_OK && vt_dict_at(vt_as_dict(all), &pos, &key, &value);) {
		vt_value v = VT_UNDEF;
		if (!is_name(key))
			continue;
		st = vt_form_evaluate(f, f->scope, value, &v);
		if (st != VT_OK)
			break;
		vt_scope_set(f->rt, f->scope, vt_as_str(key), v);
		vt_dict_set(f->rt, vt_as_dict(f->parameters), key, v);
		vt_release(v);
	}
	vt_release(all);
	return st;
}

static const char *
last_dot(const char *text)
{
	const char *found = NULL;

	for (; *text != '\0'; text++)
		if (*text == '.')
			found = text;
	return found;
}

bool
vt_form_source(
	vt_rt *rt, const vt_form_def *def, const char *package, vt_value *cls, vt_value *method)
{
	vt_form_ask ask = {.answers = VT_NULL, .environment = VT_NULL, .parameters = VT_NULL};
	vt_value source, type;
	vt_form f;
	bool found = false;

	if (vt_form_open(&f, rt, def, &ask) && vt_is(source = vt_form_get(f.root, "source"), STR)) {
		const char *text = vt_as_str(source)->s, *dot = last_dot(text);
		type = vt_form_get(vt_form_get(vt_form_get(f.root, "application"), "?"), "type");
		*method = vt_str_c(rt, dot ? dot + 1 : text);
		*cls = dot                ? vt_str_new(rt, text, (size_t)(dot - text))
		       : vt_is(type, STR) ? vt_copy(type)
					  : vt_str_c(rt, package);
		found = true;
	}
	vt_form_close(&f);
	return found;
}

/* ---- the model ---- */

static bool
made_by_ref(const vt_form *f, vt_value head)
{
	vt_value id = vt_form_get(head, "id");

	return vt_is(id, STR) && vt_dict_get(vt_as_dict(f->made), id) != VT_UNDEF;
}

/* The head of an object with an id of its own, whatever it had. */
static vt_value
with_id(vt_form *f, vt_value head)
{
	vt_dict *d = vt_dict_copy(f->rt, vt_as_dict(head), false);

	vt_dict_set_c(f->rt, d, "id", vt_form_new_id(f));
	return vt_mkptr(d);
}

static bool
is_head(vt_value key, vt_value v)
{
	return vt_is(key, STR) && vt_as_str(key)->bytes == 1 && vt_as_str(key)->s[0] == '?' &&
	       vt_is(v, DICT);
}

/* A copy, of lists and dicts of JSON, in which each object has an id. */
static vt_value
with_ids(vt_form *f, vt_value v)
{
	vt_value key, value;
	vt_dict *d;
	vt_list *l;

	if (vt_is(v, DICT)) {
		d = vt_dict_new(f->rt, false);
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &value);) {
			vt_value x = is_head(key, value) && !made_by_ref(f, value)
					     ? with_id(f, value)
					     : with_ids(f, value);
			vt_dict_set(f->rt, d, key, x);
			vt_release(x);
		}
		return vt_mkptr(d);
	}
	if (!vt_is_sequence(v))
		return vt_copy(v);
	l = vt_list_grow(f->rt, VT_K_LIST, vt_as_list(v)->n);
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
		vt_list_push(f->rt, l, with_ids(f, vt_as_list(v)->v[i]));
	return vt_mkptr(l);
}

/* The name goes over one that stands there. */
static vt_status
put_name(vt_form *f, vt_value *model)
{
	vt_value head = vt_form_get(*model, "?");
	vt_dict *d, *named;

	if (!vt_is(head, DICT))
		return vt_form_wrong(f, "the Application has no `?` that could take its name");
	d = vt_dict_copy(f->rt, vt_as_dict(*model), false);
	named = vt_dict_copy(f->rt, vt_as_dict(head), false);
	vt_dict_set_c(f->rt, named, "name", vt_copy(f->name));
	vt_dict_set_c(f->rt, d, "?", vt_mkptr(named));
	vt_move(model, vt_mkptr(d));
	return VT_OK;
}

static vt_scope *
model_scope(vt_form *f)
{
	vt_scope *sc = vt_scope_child(f->rt, f->scope, 1, &f->data);
	vt_value templates = vt_form_get(f->root, "templates"), key, v;
	vt_value forms = vt_str_c(f->rt, "forms");

	vt_scope_set(f->rt, sc, vt_as_str(forms), f->data);
	vt_release(forms);
	for (uint32_t pos = 0;
		vt_is(templates, DICT) && vt_dict_at(vt_as_dict(templates), &pos, &key, &v);)
		if (vt_is(key, STR))
			vt_scope_set(f->rt, sc, vt_as_str(key), v);
	return sc;
}

vt_status
vt_form_application(vt_form *f, vt_value *out)
{
	vt_scope *sc = model_scope(f);
	vt_value model = VT_UNDEF;
	vt_status st = vt_form_evaluate(f, sc, vt_form_get(f->root, "application"), &model);

	vt_scope_end(sc);
	if (st == VT_OK && !vt_is(model, DICT))
		st = vt_form_wrong(f, "the Application is no mapping");
	if (st == VT_OK && vt_form_get(f->root, "named") == VT_TRUE)
		st = put_name(f, &model);
	if (st == VT_OK)
		*out = with_ids(f, model);
	vt_release(model);
	return st;
}

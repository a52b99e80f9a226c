/*
 * function.c - the intrinsic functions: which there are in a release, what their arguments look
 * like, and what they give where these are known.
 *
 * A map of one key is a call when the key is a function of the release, and a plain map otherwise.
 * Functions over known values run in the engine of services (runtime/tosca/hot.c), so that a check
 * and a deployment say the same.
 */
#include "compiler/heat/int.h"
#include "compiler/murano/package.h"

#include "compiler/workflow/workflow.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum shape { SHAPE_ANY, SHAPE_LIST, SHAPE_MAP };

typedef struct function function;
typedef const ynode *(*evaluator)(ht_template *, const ynode *call, const function *);
struct function {
	const char *name;
	uint8_t from, to;  /* enum ht_release: the first and the last that has it */
	uint8_t condition; /* the first in which conditions may call it; HT_NEVER */
	bool gone;         /* naming it in a later release is an error */
	uint8_t shape;     /* enum shape, of its arguments */
	uint8_t min, max;  /* of a list; max 0: any number */
	const char *need;  /* keys of a map, separated by blanks: these must be there */
	const char *also;  /* and these may be */
	evaluator eval;
	const char *run; /* the function of the engine, or NULL: the result is unknown */
	const char *usage;
};

static const ynode *eval_param(ht_template *, const ynode *, const function *);
static const ynode *eval_resource(ht_template *, const ynode *, const function *);
static const ynode *eval_attr(ht_template *, const ynode *, const function *);
static const ynode *eval_ref(ht_template *, const ynode *, const function *);
static const ynode *eval_file(ht_template *, const ynode *, const function *);
static const ynode *eval_facade(ht_template *, const ynode *, const function *);
static const ynode *eval_if(ht_template *, const ynode *, const function *);
static const ynode *eval_equals(ht_template *, const ynode *, const function *);
static const ynode *eval_logic(ht_template *, const ynode *, const function *);
static const ynode *eval_plain(ht_template *, const ynode *, const function *);

enum { LAST = HT_RELEASES - 1 };
#define ALWAYS HT_2013_05_23, LAST
#define FIRST HT_2013_05_23, HT_2013_05_23
#define IN_CONDITIONS HT_NEVER, HT_NEVER
#define ANY SHAPE_ANY, 0, 0, NULL, NULL
#define LIST(least, most) SHAPE_LIST, least, most, NULL, NULL
#define MAP(keys, others) SHAPE_MAP, 0, 0, keys, others

/* clang-format off */
static const function functions[] = {
	{"get_param", ALWAYS, HT_NEWTON, false, ANY, eval_param, NULL,
		"takes the name of a parameter, or [name, key...]"},
	{"get_resource", ALWAYS, HT_NEVER, false, ANY, eval_resource, NULL,
		"takes the name of a resource"},
	{"get_attr", ALWAYS, HT_NEVER, false, LIST(1, 0), eval_attr, NULL,
		"takes [resource, attribute, key...]"},
	{"get_file", ALWAYS, HT_NEVER, false, ANY, eval_file, NULL,
		"takes the path of a file"},
	{"resource_facade", ALWAYS, HT_NEVER, false, ANY, eval_facade, NULL,
		"takes metadata, deletion_policy or update_policy"},
	{"list_join", ALWAYS, HT_NEVER, false, LIST(2, 0), eval_plain, "list_join",
		"takes [separator, list], and more lists from 2015-10-15 on"},
	{"str_replace", ALWAYS, HT_NEVER, false, MAP("template params", ""), eval_plain,
		"str_replace", "takes { template, params }"},
	{"str_replace_strict", HT_OCATA, LAST, HT_NEVER, false, MAP("template params", ""),
		eval_plain, "str_replace_strict", "takes { template, params }"},
	{"str_replace_vstrict", HT_PIKE, LAST, HT_NEVER, false, MAP("template params", ""),
		eval_plain, "str_replace_vstrict", "takes { template, params }"},
	{"digest", HT_2015_04_30, LAST, HT_NEVER, false, LIST(2, 2), eval_plain,
		"digest", "takes [algorithm, text]"},
	{"repeat", HT_2015_04_30, LAST, HT_NEVER, false,
		MAP("template for_each", "permutations"), eval_plain, "repeat",
		"takes { template, for_each, permutations }"},
	{"str_split", HT_2015_10_15, LAST, HT_NEVER, false, LIST(2, 3), eval_plain,
		"str_split", "takes [separator, text, index]"},
	{"map_merge", HT_2016_04_08, LAST, HT_NEVER, false, LIST(0, 0), eval_plain,
		"map_merge", "takes a list of maps"},
	{"if", HT_NEWTON, LAST, HT_NEVER, false, LIST(2, 3), eval_if, NULL,
		"takes [condition, then, else]"},
	{"map_replace", HT_NEWTON, LAST, HT_NEVER, false, LIST(2, 2), eval_plain,
		"map_replace", "takes [map, { keys, values }]"},
	{"yaql", HT_NEWTON, LAST, HT_PIKE, false, MAP("expression", "data"), eval_plain,
		"yaql", "takes { expression, data }"},
	{"filter", HT_OCATA, LAST, HT_NEVER, false, LIST(2, 2), eval_plain, "filter",
		"takes [values to drop, list]"},
	{"contains", HT_PIKE, LAST, HT_PIKE, false, LIST(2, 2), eval_plain,
		"contains", "takes [value, list or text]"},
	{"list_concat", HT_PIKE, LAST, HT_NEVER, false, LIST(0, 0), eval_plain,
		"list_concat", "takes a list of lists"},
	{"list_concat_unique", HT_PIKE, LAST, HT_NEVER, false, LIST(0, 0), eval_plain,
		"list_concat_unique", "takes a list of lists"},
	{"make_url", HT_PIKE, LAST, HT_NEVER, false,
		MAP("", "scheme username password host port path query fragment"), eval_plain,
		"make_url",
		"takes { scheme, username, password, host, port, path, query, fragment }"},
	{"equals", IN_CONDITIONS, HT_NEWTON, false, LIST(2, 2), eval_equals,
		NULL, "takes [value, value]"},
	{"not", IN_CONDITIONS, HT_NEWTON, false, ANY, eval_logic, NULL,
		"takes a condition"},
	{"and", IN_CONDITIONS, HT_NEWTON, false, LIST(2, 0), eval_logic, NULL,
		"takes a list of two or more conditions"},
	{"or", IN_CONDITIONS, HT_NEWTON, false, LIST(2, 0), eval_logic, NULL,
		"takes a list of two or more conditions"},
	{"Ref", FIRST, HT_NEVER, true, ANY, eval_ref, NULL,
		"takes the name of a parameter or resource"},
	{"Fn::Base64", FIRST, HT_NEVER, true, ANY, eval_plain, "Fn::Base64",
		"takes a text"},
	{"Fn::GetAZs", FIRST, HT_NEVER, true, ANY, eval_plain, NULL,
		"takes a region"},
	{"Fn::Join", FIRST, HT_NEVER, true, LIST(2, 2), eval_plain, "list_join",
		"takes [separator, list]"},
	{"Fn::MemberListToMap", FIRST, HT_NEVER, true, LIST(3, 3), eval_plain, NULL,
		"takes [key name, value name, list]"},
	{"Fn::Replace", FIRST, HT_NEVER, true, LIST(2, 2), eval_plain, NULL,
		"takes [params, template]"},
	{"Fn::ResourceFacade", FIRST, HT_NEVER, true, ANY, eval_plain, NULL,
		"takes Metadata, DeletionPolicy or UpdatePolicy"},
	{"Fn::Select", HT_2013_05_23, HT_2015_04_30, HT_NEVER, false, LIST(2, 2),
		eval_plain, "Fn::Select", "takes [index, list]"},
	{"Fn::Split", FIRST, HT_NEVER, true, LIST(2, 2), eval_plain, "str_split",
		"takes [separator, text]"},
};
/* clang-format on */

static const ynode *
wrong(ht_template *t, vc_span at, const function *f, const char *more)
{
	ht_report(t, VC_E2070, at, "%s %s%s", f->name, f->usage, more);
	return NULL;
}

/* ---- shapes ---- */

static bool
has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = words; n && (p = strstr(p, word)) != NULL; p += n)
		if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}

/* yaql and make_url refuse keys that they do not know; the others do not look at them. */
static bool
is_strict(const function *f)
{
	return f->eval == eval_plain &&
	       (!f->run || !strcmp(f->run, "make_url") || !strcmp(f->run, "yaql"));
}

static void
idle_key(ht_template *t, const function *f, const ynode *key)
{
	const char *name = ht_text(key);
	if (name && (has_word(f->need, name) || has_word(f->also, name)))
		return;
	if (is_strict(f))
		ht_report(t, VC_E2002, key->span, "%s has no key '%s'", f->name,
			name ? name : "(no string)");
	else
		vc_report_as(t->h->c, VC_WARNING, VC_E2002, key->span,
			"%s has no key '%s', and nothing reads it", f->name,
			name ? name : "(no string)");
}

/* Keys that must be there are; others do nothing, and are worth a warning. */
static bool
keys_fit(ht_template *t, const function *f, const ynode *args)
{
	uint32_t found = 0, wanted = *f->need != 0;
	for (const char *p = f->need; *p; p++)
		wanted += *p == ' ';
	for (uint32_t i = 0; i < args->n; i++)
		found += ht_text(args->key[i]) && has_word(f->need, args->key[i]->text);
	for (uint32_t i = 0; found == wanted && i < args->n; i++)
		idle_key(t, f, args->key[i]);
	return found == wanted;
}

static bool
shape_fits(ht_template *t, const function *f, const ynode *args)
{
	uint32_t most = f->max;
	if (f->shape == SHAPE_ANY)
		return true;
	if (f->shape == SHAPE_MAP)
		return args->kind == YN_MAP && keys_fit(t, f, args);
	if (f->run && !strcmp(f->run, "list_join") && t->release < HT_2015_10_15)
		most = 2;
	return args->kind == YN_SEQ && args->n >= f->min && (!most || args->n <= most);
}

static bool
is_known(const ynode *y)
{
	if (!y)
		return false;
	for (uint32_t i = 0; y->kind != YN_SCALAR && i < y->n; i++)
		if (!is_known(y->item[i]))
			return false;
	return y->kind != YN_ERROR;
}

/* ---- functions over values ---- */

static const ynode *
run(ht_template *t, const ynode *call, const function *f, const ynode *args)
{
	heat *h = t->h;
	const vt_tfunc_row *row = &vt_tfuncs[vt_tfunc_find(f->run, VT_TV_HOT, false)];
	uint32_t n = f->shape == SHAPE_LIST ? args->n : 1, before = h->engine->nproblems;
	vt_value *v = vt_xmalloc((n + 1) * sizeof *v), out = VT_UNDEF;
	const ynode *result = NULL;
	/* the place keeps apart problems that read the same */
	vt_tctx ctx = {.value = VT_UNDEF, .place = {0, ++h->calls}, .fn = f->name};
	if ((int)n < row->min)
		return free(v), wrong(t, call->span, f, "");
	for (uint32_t i = 0; i < n; i++)
		v[i] = yn_value(h->rt, f->shape == SHAPE_LIST ? args->item[i] : args);
	if (row->fn(h->engine, &ctx, v, n, &out))
		result = ht_from_value(t, call, out);
	else if (h->engine->nproblems > before)
		(strcmp(f->run, "make_url") ? ht_report_create : ht_report)(t, VC_E2070, call->span,
			"%s", h->engine->problems[h->engine->nproblems - 1].message);
	for (uint32_t i = 0; i < n; i++)
		vt_release(v[i]);
	vt_clear(&out);
	free(v);
	return result;
}

/* Heat parses an expression when it validates; the rest it finds when it makes a stack. */
static void
say_yaql(void *who, enum vc_code code, vc_span at, const char *text)
{
	if (code == VC_E0301 || code == VC_E0302)
		ht_report(who, VC_E2070, at, "yaql: the expression is not YAQL: %s", text);
	else
		ht_report_create(who, code == VC_W5001 ? VC_E2070 : code, at, "yaql: %s", text);
}

/* $ has the one key `data`. */
static bool
check_yaql(ht_template *t, const ynode *args)
{
	vc *c = t->h->c;
	const ynode *y = yn_get(args, "expression"), *data = yn_get(args, "data");
	uint32_t before = vc_said(c);
	if (!y || !is_known(y))
		return false;
	if (!ht_text(y)) {
		ht_report(t, VC_E2070, y->span, "the expression of yaql is a text");
		return false;
	}
	wf_names dollar = {0}, keys = {0};
	wf_add(c, &dollar, "data");
	for (uint32_t i = 0; data && data->kind == YN_MAP && i < data->n; i++)
		if (data->key[i]->kind == YN_SCALAR)
			wf_add(c, &keys, data->key[i]->text);
	bool known = !yn_key(args, "data") || (data && data->kind == YN_MAP);
	wf_scope s = {.c = c,
		.keys = &dollar,
		.part = "data",
		.parts = known ? &keys : NULL,
		.nobody = "$ has data only, and keys of data are below it",
		.untyped = t->dead || t->h->depth > 0 || !t->complete || t->in_outputs,
		.say = say_yaql,
		.who = t};
	(void)wf_expression(&s, y, 0, y->ntext);
	return vc_said(c) == before;
}

/* Before 2015-10-15 a text could only be made of texts and numbers. */
static bool
old_params_fit(ht_template *t, const function *f, const ynode *args)
{
	const ynode *params = yn_get(args, "params");
	for (uint32_t i = 0;
		t->release < HT_2015_10_15 && params && params->kind == YN_MAP && i < params->n;
		i++)
		if (params->item[i] && params->item[i]->kind != YN_SCALAR) {
			ht_report_create(t, VC_E2070, params->key[i]->span,
				"%s %s; before 2015-10-15 the values are texts and numbers",
				f->name, f->usage);
			return false;
		}
	return true;
}

/* Maps count as the lists of their keys from newton on. */
static bool
old_loops_fit(ht_template *t, const function *f, const ynode *args)
{
	const ynode *all = yn_get(args, "for_each");
	if (all && all->kind != YN_MAP) {
		wrong(t, all->span, f, "; for_each is a map");
		return false;
	}
	for (uint32_t i = 0; t->release < HT_NEWTON && all && i < all->n; i++)
		if (all->item[i] && all->item[i]->kind == YN_MAP) {
			ht_report_create(t, VC_E2070, all->key[i]->span,
				"%s %s; before newton it goes through lists only", f->name,
				f->usage);
			return false;
		}
	return true;
}

static bool
extra_fits(ht_template *t, const function *f, const ynode *args)
{
	if (!strcmp(f->name, "yaql"))
		return check_yaql(t, args) && t->h->engine->yaql;
	if (!strncmp(f->name, "str_replace", 11)) {
		const ynode *params = yn_get(args, "params");
		if (params && params->kind != YN_MAP) {
			wrong(t, params->span, f, "; params is a map");
			return false;
		}
		return old_params_fit(t, f, args);
	}
	return strcmp(f->name, "repeat") != 0 || old_loops_fit(t, f, args);
}

/* Heat looks at the arguments of these only when it makes a stack. */
static bool
is_late(const function *f)
{
	static const char *const names[] = {
		"map_merge", "map_replace", "list_concat", "list_concat_unique", "digest"};
	for (size_t i = 0; i < VC_LEN(names); i++)
		if (!strcmp(names[i], f->name))
			return true;
	return false;
}

/* Is a key that must be there there under a name that is nearly right? Then that is told. */
static bool
has_misspelt(ht_template *t, const function *f, const ynode *args)
{
	vc *c = t->h->c;
	for (uint32_t i = 0; f->shape == SHAPE_MAP && args->kind == YN_MAP && i < args->n; i++) {
		const char *key = ht_text(args->key[i]);
		if (!key || has_word(f->need, key) || has_word(f->also, key))
			continue;
		for (const char *p = f->need; *p; p += strcspn(p, " "), p += *p == ' ') {
			const char *word = vc_strndup(c, p, strcspn(p, " "));
			if (yn_key(args, word) || !vt_nearest(key, &word, 1))
				continue;
			(is_late(f) ? ht_report_create : ht_report)(t, VC_E2002, args->key[i]->span,
				"%s has no key '%s'", f->name, key);
			vc_did_you_mean(c, "'%s'", word);
			return true;
		}
	}
	return false;
}

/* The function that a text would call without its quotes, or NULL. */
static const char *
quoted_call(ht_template *t, const ynode *y)
{
	const char *text = ht_text(y);
	size_t n;
	const char *name = text ? yn_called_in_text(text, &n) : NULL;
	if (!name || !memchr(name, '_', n))
		return NULL;
	name = vc_strndup(t->h->c, name, n);
	for (size_t i = 0; i < VC_LEN(functions); i++)
		if (functions[i].from <= t->release && functions[i].to >= t->release &&
			!strcmp(functions[i].name, name))
			return name;
	return NULL;
}

/* A call in quotes where list_join has a list: the one message says both. */
static bool
quoted_list(ht_template *t, const ynode *args, const function *f)
{
	for (uint32_t i = 1; args->kind == YN_SEQ && i < args->n; i++) {
		const char *name = quoted_call(t, args->item[i]);
		if (!name)
			continue;
		ht_report(t, VC_E2070, args->item[i]->span,
			"%s: takes lists, and this is a text that reads like a call of '%s'",
			f->name, name);
		vc_hint(t->h->c, "without the quotes it is one: { %s: ... }", name);
		return true;
	}
	return false;
}

/* list_join wants its lists to stand there, as Heat does; others may be given what gives a list. */
static const ynode *
eval_plain(ht_template *t, const ynode *call, const function *f)
{
	bool literal = f->run && !strcmp(f->run, "list_join");
	if (literal && quoted_list(t, call->item[0], f))
		return NULL;
	const ynode *args = ht_eval(t, call->item[0]), *v = NULL;
	if (!args) {
		if (literal && call->item[0]->kind != YN_ERROR)
			wrong(t, call->span, f, "");
		return NULL;
	}
	if (!shape_fits(t, f, args)) {
		if (has_misspelt(t, f, args))
			return NULL;
		if (!is_late(f))
			return wrong(t, call->span, f, "");
		ht_report_create(t, VC_E2070, call->span, "%s %s", f->name, f->usage);
		return NULL;
	}
	if (extra_fits(t, f, args) && f->run && is_known(args))
		v = run(t, call, f, args);
	return v;
}

/* ---- parameters and references ---- */

static const ynode *
inside(ht_template *t, const ynode *value, const ynode *step, const ynode *at)
{
	double d;
	uint32_t length = value->kind == YN_SCALAR ? value->ntext : value->n;
	bool sequence =
		value->kind == YN_SEQ || (value->kind == YN_SCALAR && value->type == YT_STR);
	if (value->kind == YN_MAP && ht_text(step)) {
		const ynode *v = yn_key(value, step->text) ? yn_get(value, step->text) : NULL;
		return yn_key(value, step->text) ? v : yn_make_text(t->h->c, at, "");
	}
	if (!sequence || !ht_number(step, &d) || d != (double)(int64_t)d)
		return yn_make_text(t->h->c, at, "");
	d += d < 0 ? length : 0;
	if (d < 0 || d >= length)
		return yn_make_text(t->h->c, at, "");
	if (value->kind == YN_SEQ)
		return value->item[(uint32_t)d];
	return yn_make_text(t->h->c, at, vc_strndup(t->h->c, value->text + (uint32_t)d, 1));
}

static const ynode *
param_named(ht_template *t, const ynode *name)
{
	const char *text = ht_text(name);
	if (ht_is_pseudo(text))
		return NULL;
	if (t->parameters && yn_key(t->parameters, text))
		return ht_parameter(t, text);
	if (ht_lacks(t, "parameters"))
		return NULL;
	ht_report(t, VC_E2050, name->span, "there is no parameter '%s'", text);
	if (t->parameters)
		ht_hint_near(t, text, t->parameters);
	else
		vc_hint(t->h->c, "it is declared below parameters: %s: { type: string }", text);
	return NULL;
}

/* A path of several steps into a default that is an empty map, and that nobody has replaced: who
 * uses the template gives the map, as TripleO does for all its templates.  One step alone is how a
 * template asks whether a key is there. */
static bool
stands_for_more(ht_template *t, const ynode *name, const ynode *v)
{
	return v->kind == YN_MAP && !v->n && !ht_given(t->h, name->text);
}

static const ynode *
eval_param(ht_template *t, const ynode *call, const function *f)
{
	const ynode *args = ht_eval(t, call->item[0]);
	if (!args)
		return NULL;
	const ynode *name = args->kind == YN_SEQ && args->n ? args->item[0] : args;
	if (!name)
		return NULL;
	if (!ht_text(name) || !*name->text)
		return wrong(t, call->span, f, "");
	const ynode *v = param_named(t, name);
	if (args->kind == YN_SEQ && args->n > 2 && v && stands_for_more(t, name, v))
		return NULL;
	for (uint32_t i = 1; v && args->kind == YN_SEQ && i < args->n; i++)
		v = args->item[i] ? inside(t, v, args->item[i], call) : NULL;
	return v;
}

static const ynode *
eval_resource(ht_template *t, const ynode *call, const function *f)
{
	const ynode *name = ht_eval(t, call->item[0]);
	if (name && !ht_text(name))
		return wrong(t, call->span, f, "");
	if (name && t->in_outputs && !ht_find_resource(t, name->text) && !ht_lacks(t, "resources"))
		ht_report_create(t, VC_E2020, name->span, "there is no resource '%s'", name->text);
	else if (name)
		(void)ht_refer(t, name);
	return NULL;
}

static const ynode *
eval_ref(ht_template *t, const ynode *call, const function *f)
{
	const ynode *name = ht_eval(t, call->item[0]);
	if (!name)
		return NULL;
	if (!ht_text(name))
		return wrong(t, call->span, f, "");
	if (t->parameters && yn_key(t->parameters, name->text))
		return ht_parameter(t, name->text);
	if (!ht_is_pseudo(name->text))
		(void)ht_refer(t, name);
	return NULL;
}

static void
check_attribute(ht_template *t, const ht_resource *r, const ynode *name)
{
	const ht_type *type = r->type;
	const char *text = ht_text(name);
	if (!type || type->any_attribute || !text)
		return;
	const ynode *schema = type->attributes ? yn_get(type->attributes, text) : NULL;
	const char *status =
		schema && schema->kind == YN_MAP ? ht_text(yn_get(schema, "status")) : NULL;
	if (status)
		ht_advise(
			t, name->span, "the attribute '%s' of %s is %s", text, type->shown, status);
	if (schema)
		return;
	ht_report(t, VC_E2050, name->span, "%s has no %s '%s'", type->shown,
		type->nested ? "output" : "attribute", text);
	ht_hint_near(t, text, type->attributes);
}

static const ynode *
eval_attr(ht_template *t, const ynode *call, const function *f)
{
	const ynode *args = ht_eval(t, call->item[0]);
	bool alone = t->release >= HT_2015_10_15;
	if (!args || args->kind != YN_SEQ || args->n < (alone ? 1u : 2u))
		return wrong(t, call->span, f,
			alone ? "" : "; the attribute may be left out from 2015-10-15 on");
	const ynode *name = args->item[0];
	if (!name)
		return NULL;
	if (!ht_text(name))
		return wrong(t, name->span, f, "");
	const ht_resource *r = ht_refer(t, name);
	if (r && args->n > 1 && args->item[1])
		check_attribute(t, r, args->item[1]);
	return NULL;
}

/* ---- files ---- */

/* A file outside of the template's folder: whoever runs the template says whether it may be read
 * (E2017), and nobody learns from a message whether it is there. */
static bool
leads_out(vc *c, const char *path)
{
	const char *normal = *path == '/' ? NULL : vc_path_normal(c, path);
	return !normal || !*normal;
}

static const ynode *
eval_file(ht_template *t, const ynode *call, const function *f)
{
	const ynode *name = ht_eval(t, call->item[0]);
	if (!name)
		return NULL;
	if (!ht_text(name))
		return wrong(t, call->span, f, "");
	if (strstr(name->text, "://") || !t->path || leads_out(t->h->c, name->text))
		return NULL;
	if (access(ht_beside(t->h->c, t->path, name->text), R_OK) != 0)
		ht_report(t, VC_E2058, name->span, "there is no file '%s' beside the template",
			name->text);
	return NULL;
}

static const ynode *
eval_facade(ht_template *t, const ynode *call, const function *f)
{
	const char *word = ht_text(call->item[0]);
	if (!word || !*word || !has_word("metadata deletion_policy update_policy", word))
		return wrong(t, call->span, f, "");
	return NULL;
}

/* ---- conditions ---- */

static const ynode *
branch(ht_template *t, const ynode *y, ht_truth taken)
{
	t->dead += taken == HT_FALSE;
	t->unsure += taken == HT_UNKNOWN;
	const ynode *v = ht_eval(t, y);
	t->dead -= taken == HT_FALSE;
	t->unsure -= taken == HT_UNKNOWN;
	return v;
}

static ht_truth
opposite(ht_truth b)
{
	return b == HT_UNKNOWN ? HT_UNKNOWN : b == HT_TRUE ? HT_FALSE : HT_TRUE;
}

static const ynode *
eval_if(ht_template *t, const ynode *call, const function *f)
{
	const ynode *args = call->item[0], *guard = t->guard;
	uint32_t least = t->release >= HT_WALLABY ? 2 : 3;
	if (args->kind != YN_SEQ || args->n < least || args->n > 3)
		return wrong(t, call->span, f,
			least == 3 && args->kind == YN_SEQ && args->n == 2
				? "; the last may be left out in wallaby"
				: "");
	ht_truth b = ht_truth_of(t, args->item[0]);
	t->guard = args->item[0];
	const ynode *yes = branch(t, args->item[1], b),
		    *no = args->n == 3 ? branch(t, args->item[2], opposite(b)) : &ht_absent;
	t->guard = guard;
	return b == HT_TRUE ? yes : b == HT_FALSE ? no : NULL;
}

static const ynode *
truth(ht_template *t, const ynode *at, bool b)
{
	return ht_from_value(t, at, vt_mkbool(b));
}

static const ynode *
eval_equals(ht_template *t, const ynode *call, const function *f)
{
	const ynode *args = ht_eval(t, call->item[0]);
	if (!args || args->kind != YN_SEQ || args->n != 2)
		return wrong(t, call->span, f, "");
	if (!is_known(args))
		return NULL;
	return truth(t, call, ht_same(args->item[0], args->item[1]));
}

/* not takes one condition, and and or a list of them. */
static const ynode *
eval_logic(ht_template *t, const ynode *call, const function *f)
{
	const ynode *args = call->item[0];
	bool is_or = f->name[0] == 'o', unknown = false, found = false;
	if (f->shape == SHAPE_ANY) {
		if (ht_is_null(args) || args->kind == YN_SEQ)
			return wrong(t, call->span, f, "");
		ht_truth b = ht_truth_of(t, args);
		return b == HT_UNKNOWN ? NULL : truth(t, call, b == HT_FALSE);
	}
	if (!shape_fits(t, f, args))
		return wrong(t, call->span, f, "");
	for (uint32_t i = 0; i < args->n; i++) {
		ht_truth b = ht_truth_of(t, args->item[i]);
		unknown |= b == HT_UNKNOWN;
		found |= b == (is_or ? HT_TRUE : HT_FALSE);
	}
	if (!found && unknown)
		return NULL;
	return truth(t, call, found == is_or);
}

/* ---- which function ---- */

const char *
ht_near_function(ht_template *t, const char *name)
{
	const char *names[VC_LEN(functions)];
	size_t n = 0;
	for (size_t i = 0; i < VC_LEN(functions); i++)
		if (functions[i].from <= t->release && functions[i].to >= t->release)
			names[n++] = functions[i].name;
	/* short words are near to many */
	return strlen(name) > 4 ? vt_nearest(name, names, n) : NULL;
}

static void
looks_like(ht_template *t, const ynode *key, const char *name)
{
	const char *near = ht_near_function(t, name);
	if (!near)
		return;
	vc_report(t->h->c, VC_W2033, key->span, "'%s' is no function, and stays a map", name);
	vc_did_you_mean(t->h->c, "'%s'", near);
}

/* "{ get_param: x }" in quotes is a text. */
void
ht_reads_like_call(ht_template *t, const ynode *y)
{
	const char *name = quoted_call(t, y);
	if (!name)
		return;
	vc_report(t->h->c, VC_W2046, y->span,
		"the text reads like a call of '%s', and stays a text", name);
	vc_hint(t->h->c, "without the quotes it is one: { %s: ... }", name);
}

static void
not_here(ht_template *t, const ynode *key, const function *f)
{
	uint8_t since = f->from == HT_NEVER ? f->condition : f->from;
	if (t->release < since) {
		vc_report(t->h->c, VC_W2033, key->span,
			"'%s' is no function in this version, and stays a map", f->name);
		vc_hint(t->h->c, "it came with heat_template_version: %s",
			ht_release_name((enum ht_release)since));
	} else if (f->from == HT_NEVER) {
		vc_report(t->h->c, VC_W2033, key->span,
			"'%s' is a function in conditions only, and stays a map here", f->name);
	} else {
		vc_report(t->h->c, VC_W2033, key->span,
			"'%s' is no function any more, and stays a map", f->name);
	}
}

static const function *
find(const char *name)
{
	for (size_t i = 0; i < VC_LEN(functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

static const ynode *
call_condition(ht_template *t, const ynode *call, const function *f)
{
	if (f->condition <= t->release)
		return f->eval(t, call, f);
	ht_report(t, VC_E2071, call->key[0]->span, "a condition cannot call %s", f->name);
	return NULL;
}

const char *
heat_function(const ynode *doc, const char *key, bool in_condition)
{
	const char *text = ht_text(yn_get(doc, "heat_template_version"));
	enum ht_release r = text ? ht_find_release(text) : HT_NEVER;
	const function *f = find(key);
	if (!f || r == HT_NEVER)
		return NULL;
	if ((in_condition && f->condition <= r) || (f->from <= r && r <= f->to))
		return f->run ? f->run : f->name;
	return NULL;
}

void
heat_each_function(
	const ynode *doc, void (*each)(void *, const char *name, const char *usage), void *ctx)
{
	const char *text = ht_text(yn_get(doc, "heat_template_version"));
	enum ht_release r = text ? ht_find_release(text) : HT_NEVER;

	for (size_t i = 0; i < VC_LEN(functions); i++)
		if (functions[i].from <= r && (r == HT_NEVER || r <= functions[i].to))
			each(ctx, functions[i].name, functions[i].usage);
}

const ynode *
ht_call(ht_template *t, const ynode *y, bool *is_call)
{
	const char *name = y->n == 1 ? ht_text(y->key[0]) : NULL;
	const function *f = name ? find(name) : NULL;
	*is_call = false;
	if (!name)
		return NULL;
	if (!f) {
		looks_like(t, y->key[0], name);
		return NULL;
	}
	bool here = f->from <= t->release && t->release <= f->to;
	*is_call = here || f->gone || (t->in_condition && f->condition <= t->release);
	if (!*is_call)
		not_here(t, y->key[0], f);
	else if (t->in_condition)
		return call_condition(t, y, f);
	else if (here)
		return f->eval(t, y, f);
	else
		ht_report(t, VC_E2071, y->key[0]->span,
			"the function %s went with heat_template_version: 2014-10-16", name);
	return NULL;
}

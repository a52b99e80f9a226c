/*
 * input.c - what the commands of a deploy binary read: files, settings, models and snapshots; and
 * the session that their options ask for.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/program/deploy.h"
#include "runtime/program/exception.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/text/nearest.h"
#include "runtime/text/text.h"
#include "runtime/text/outfile.h"
#include "runtime/yay/api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Only a program with a class that needs a cloud has it, or `vetro run`, which has everything. */
#pragma weak vt_yaml_read
#pragma weak vt_settings_environment

static const size_t file_limit = (size_t)1 << 30;

/* ---- files ---- */

static bool
read_file(vt_deploy *c, const char *path, vt_buf *b)
{
	bool ok = strcmp(path, "-") == 0 ? vt_read_all(stdin, file_limit, b)
					 : vt_read_file(path, file_limit, b);
	if (!ok)
		vt_say("%s: %s: %s\n", c->self, path, strerror(errno));
	return ok;
}

static bool
read_json(vt_deploy *c, vt_rt *rt, const char *text, size_t n, const char *where, vt_value *out)
{
	char *err = NULL;
	if (vt_json_read(rt, text ? text : "", n, VT_JSON_MUTABLE, 0, out, &err))
		return true;
	vt_say("%s: %s: %s%s\n", c->self, where, err,
		vt_ends_with(where, ".yaml") || vt_ends_with(where, ".yml")
			? "\n  hint: JSON is wanted here, and `vetro query '$' FILE` makes it of "
			  "YAML"
			: "\n  hint: JSON has double quotes, true, false and null in small "
			  "letters, "
			  "and no comma behind the last item");
	free(err);
	return false;
}

/* An object of the file's JSON, or YAML where its name says so. */
static bool
read_object(vt_deploy *c, vt_rt *rt, const char *path, vt_buf *text, vt_value *out)
{
	bool yaml = vt_ends_with(path, ".yaml") || vt_ends_with(path, ".yml");
	char *err = NULL;
	if (!read_file(c, path, text))
		return false;
	if (yaml && (c->program->nnatives == 0 || &vt_yaml_read == NULL)) {
		vt_say("%s: %s: this program reaches for no cloud and reads no YAML; JSON will "
		       "do\n",
			c->self, path);
		return false;
	}
	if (yaml && !vt_yaml_read(rt, text->p ? text->p : "", text->n, out, &err)) {
		vt_say("%s: %s: %s\n", c->self, path, err);
		free(err);
		return false;
	}
	if (!yaml && !read_json(c, rt, text->p, text->n, path, out))
		return false;
	if (vt_is(*out, DICT))
		return true;
	vt_say("%s: %s: an object is expected: {...}\n", c->self, path);
	return false;
}

/* NULL is none. Of a file's object, which passes `check` unless that is NULL. */
typedef bool object_check(const char *text, size_t n, vt_value, char **err);

static bool
take_object(vt_deploy *c, vt_rt *rt, const char *path, object_check *check, vt_value *to)
{
	vt_buf text = {0};
	vt_value v = VT_UNDEF;
	char *err = NULL;
	bool ok = path == NULL || read_object(c, rt, path, &text, &v);
	if (ok && path != NULL && check != NULL && !check(text.p ? text.p : "", text.n, v, &err)) {
		vt_say("%s: %s:%s\n", c->self, path, err);
		free(err);
		ok = false;
	}
	vt_buf_free(&text);
	if (ok && path != NULL)
		vt_move(to, v);
	else
		vt_release(v);
	return ok;
}

/* {group: {name: value}}, as murano.conf has them. */
static bool
are_groups(const char *text, size_t n, vt_value v, char **err)
{
	vt_value key, group;
	(void)text, (void)n;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &group);)
		if (!vt_is(group, DICT)) {
			*err = vt_asprintf(" %s is no group of settings: {\"%s\": {name: value}} "
					   "is expected",
				vt_as_str(key)->s, vt_as_str(key)->s);
			return false;
		}
	return true;
}

/* Only a program that reaches for a cloud has the function. */
static bool
are_settings(const char *text, size_t n, vt_value v, char **err)
{
	return are_groups(text, n, v, err) && vt_settings_check(text, n, v, err);
}

/* {class: {property: value}} */
static bool
are_classes(const char *text, size_t n, vt_value v, char **err)
{
	vt_value key, of;
	(void)text, (void)n;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &of);)
		if (!vt_is(of, DICT)) {
			*err = vt_asprintf(" %s has no mapping of Config properties: {\"%s\": "
					   "{property: value}} is expected",
				vt_as_str(key)->s, vt_as_str(key)->s);
			return false;
		}
	return true;
}

static bool
has_class(const vt_program *p, const char *fqn)
{
	for (uint32_t i = 0; i < p->npackages; i++)
		for (uint32_t k = 0; k < p->packages[i]->nclasses; k++)
			if (strcmp(p->packages[i]->classes[k]->name->s, fqn) == 0)
				return true;
	return false;
}

/* One file may serve several programs: of a class that this one lacks it only says so. */
static bool
read_config(vt_deploy *c, vt_rt *rt)
{
	vt_value key, of;
	if (!take_object(c, rt, c->o->config, are_classes, &rt->s->config))
		return false;
	for (uint32_t i = 0;
		vt_is(rt->s->config, DICT) && vt_dict_at(vt_as_dict(rt->s->config), &i, &key, &of);)
		if (!has_class(c->program, vt_as_str(key)->s))
			vt_say("%s: %s: the program has no class %s, so nothing reads this\n",
				c->self, c->o->config, vt_as_str(key)->s);
	return true;
}

/* Only a program that reaches for a cloud has the function. */
static bool
read_environment(vt_deploy *c, vt_rt *rt)
{
	if (c->program->nnatives == 0 || &vt_settings_environment == NULL ||
		vt_settings_environment(rt) == VT_OK)
		return true;
	vt_say("%s: %s\n", c->self, vt_as_str(vt_pending(rt)->message)->s);
	vt_exc_clear(rt);
	return false;
}

static bool
begin_steps(vt_deploy *c, vt_rt *rt)
{
	if (!c->o->trace && !c->o->counts_fd)
		return true;
	if (c->program->stepping != NULL)
		return c->program->stepping->begin(c, rt);
	vt_say("%s: this program was not built to show its statements\n"
	       "hint: vetro build --trace makes one that is\n",
		c->self);
	return false;
}

/* NULL: *rc says why not. */
vt_rt *
vt_deploy_open(vt_deploy *c, int *rc)
{
	vt_rt *rt = vt_rt_new(c->program);
	char *err = NULL;
	*rc = FAILED;
	rt->s->expose = c->o->expose;
	rt->s->dry_run = c->simulated || c->plans || c->o->dry_run || c->o->scenario != NULL;
	rt->s->progress = c->o->progress;
	vt_virtual_time(rt, (rt->s->dry_run && !c->simulated) || c->o->virtual_time);
	if (!take_object(c, rt, c->o->settings,
		    c->program->nnatives > 0 && &vt_settings_check != NULL ? are_settings
									   : are_groups,
		    &rt->s->settings) ||
		!read_environment(c, rt) || !read_config(c, rt) || !begin_steps(c, rt) ||
		!take_object(c, rt, c->o->scenario, vt_scenario_check, &rt->s->scenario)) {
		vt_rt_free(rt);
		return NULL;
	}
	rt->s->lua_steps = c->o->lua_steps;
	rt->s->lua_memory = c->o->lua_memory;
	if (c->program->lua != NULL && !vt_lua_load_files(rt, c->program->lua, &err)) {
		vt_say("%s: %s\n", c->self, err);
		free(err);
		vt_rt_free(rt);
		return NULL;
	}
	return rt;
}

/* ---- snapshots ---- */

const char *
vt_deploy_shown(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

mugl *
vt_deploy_graph(const char *name, const char *text, size_t n)
{
	mugl_options options = {.snapshot = true, .max_depth = 1000};
	mugl_problems bad = {0};
	mugl *g = mugl_read(text, n, &options, &bad);
	mugl_problems_print(&bad, name, text, n, stderr);
	if (bad.errors > 0) {
		mugl_free(g);
		g = NULL;
	}
	mugl_problems_free(&bad);
	return g;
}

/* The reader opens the file itself, but for standard input. */
static bool
read_yay(vt_deploy *c, vt_rt *rt, const char *path, const vt_buf *text, vt_value *model)
{
	char *why = NULL;
	if (&vt_yay_reader == NULL)
		vt_say("%s: %s: " VT_YAY_NO_READER "\n", c->self, path);
	else if (vt_yay_reader.model(rt, path, text->p ? text->p : "", text->n, model, &why))
		return true;
	else
		vt_say("%s: %s\n", c->self, why);
	free(why);
	return false;
}

/* One of both: *g of a snapshot, *model of any other JSON, or of Yay. False: reported. */
bool
vt_deploy_read(vt_deploy *c, vt_rt *rt, const char *path, vt_buf *text, vt_value *model, mugl **g)
{
	*g = NULL;
	if (vt_yay_is_named(path))
		return read_yay(c, rt, path, text, model);
	if (!read_file(c, path, text))
		return false;
	if (vt_yay_is_begun(path, text->p ? text->p : "", text->n))
		return read_yay(c, rt, path, text, model);
	if (!vt_ends_with(path, ".mugl")) {
		if (!read_json(c, rt, text->p, text->n, path, model))
			return false;
		if (!mugl_looks_like(*model))
			return true;
		vt_release(*model);
		*model = VT_UNDEF;
	}
	*g = vt_deploy_graph(vt_deploy_shown(path), text->p ? text->p : "", text->n);
	return *g != NULL;
}

static vt_value
entry(vt_value v, const char *key)
{
	vt_value found = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), key) : VT_UNDEF;
	return found == VT_UNDEF ? VT_NULL : found;
}

/* The API keeps the applications of an environment as its services, and hands them to the engine
 * under their own name; whoever has a model from there, or of a form, need not do it. */
static void
rename_services(vt_rt *rt, vt_value *model)
{
	static const char environment[] = "io.murano.Environment";
	vt_value objects = entry(*model, "Objects"), type = entry(entry(objects, "?"), "type");
	vt_value services = entry(objects, "services"), key;
	vt_dict *whole, *renamed;
	size_t n = sizeof environment - 1;
	if (!vt_is_sequence(services) || entry(objects, "applications") != VT_NULL ||
		!vt_is(type, STR) || strncmp(vt_as_str(type)->s, environment, n) != 0 ||
		(vt_as_str(type)->s[n] != '\0' && vt_as_str(type)->s[n] != '/'))
		return;
	whole = vt_dict_copy(rt, vt_as_dict(*model), false);
	renamed = vt_dict_copy(rt, vt_as_dict(objects), false);
	key = vt_str_c(rt, "services");
	vt_dict_set_c(rt, renamed, "applications", vt_copy(services));
	(void)vt_dict_del(rt, renamed, key);
	vt_dict_set_c(rt, whole, "Objects", vt_mkptr(renamed));
	vt_release(key);
	vt_move(model, vt_mkptr(whole));
}

/* What `run` prints has the model inside of it: nothing would be called on the whole. */
static bool
is_answer(vt_deploy *c, const char *path, vt_value v)
{
	vt_value inner = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), "model") : VT_UNDEF;
	if (inner == VT_UNDEF || vt_dict_get_c(vt_as_dict(v), "Objects") != VT_UNDEF ||
		!vt_is(inner, DICT) || vt_dict_get_c(vt_as_dict(inner), "Objects") == VT_UNDEF)
		return false;
	vt_say("%s: %s is the answer of a run; its model stands below \"model\": "
	       "vetro query '$.model' gives it\n",
		c->self, vt_deploy_shown(path));
	return true;
}

/* What a model is made of; the engine adds the last ones. */
static const char *const model_keys[] = {"Objects", "ObjectsCopy", "Attributes", "SystemData"};
enum { NMODEL_KEYS = sizeof model_keys / sizeof *model_keys };

static bool
is_model_key(const char *name)
{
	for (size_t i = 0; i < NMODEL_KEYS; i++)
		if (strcmp(model_keys[i], name) == 0)
			return true;
	return false;
}

static bool
has_model_key(vt_value v)
{
	vt_value key, value;
	for (uint32_t p = 0; vt_dict_at(vt_as_dict(v), &p, &key, &value);)
		if (vt_is(key, STR) && is_model_key(vt_as_str(key)->s))
			return true;
	return false;
}

/* A slip in the key of a part, which would be left out without a word. */
static const char *
misspelt(vt_value v, const char **meant)
{
	vt_value key, value;
	for (uint32_t p = 0; vt_dict_at(vt_as_dict(v), &p, &key, &value);) {
		const char *name = vt_is(key, STR) ? vt_as_str(key)->s : "";
		*meant = is_model_key(name) ? NULL : vt_nearest(name, model_keys, NMODEL_KEYS);
		if (*meant != NULL)
			return name;
	}
	return NULL;
}

/* Nothing would be loaded and nothing called. */
static bool
is_no_model(vt_deploy *c, const char *path, vt_value v)
{
	const char *meant = NULL, *written = NULL;
	bool lacks;
	if (!vt_is(v, DICT) || vt_dict_get_c(vt_as_dict(v), "?") != VT_UNDEF)
		return false; /* the root object alone */
	lacks = !has_model_key(v);
	written = misspelt(v, &meant);
	if (!lacks && written == NULL)
		return false;
	if (lacks)
		vt_say("%s: %s has no Objects, so it is no model\n", c->self,
			vt_deploy_shown(path));
	else
		vt_say("%s: %s: a model has no \"%.60s\"\n", c->self, vt_deploy_shown(path),
			written);
	if (written != NULL)
		vt_say("  hint: did you mean \"%s\"?\n", meant);
	else
		vt_say("  hint: a model is {\"Objects\": {\"?\": {\"type\": \"CLASS/VERSION\"}, "
		       "...}}\n");
	return true;
}

bool
vt_deploy_read_model(vt_deploy *c, vt_rt *rt, const char *path, vt_value *model)
{
	vt_buf text = {0};
	mugl *g;
	bool ok = vt_deploy_read(c, rt, path, &text, model, &g);
	if (ok && g != NULL && mugl_to_model(rt, g, model) != VT_OK) {
		vt_exception_print(c->self, vt_deploy_shown(path), NULL, vt_pending(rt));
		vt_exc_clear(rt);
		ok = false;
	}
	ok = ok && !is_answer(c, path, *model) && !is_no_model(c, path, *model);
	if (ok)
		rename_services(rt, model);
	if (ok && g != NULL) {
		vt_deploy_take_stamp(rt, g);
		vt_deploy_take_rest(rt, g, *model);
	}
	if (ok && g != NULL && mugl_has_flags(g) && (c->o->snapshot || c->o->diff))
		c->marks = mugl_clone(g);
	mugl_free(g);
	vt_buf_free(&text);
	return ok;
}

/* --args: an object is arguments by name, an array arguments by position. */
bool
vt_deploy_arguments(vt_deploy *c, vt_rt *rt, vt_value *args, vt_value *kwargs)
{
	const char *text = c->o->args;
	vt_value v = VT_UNDEF;
	*args = *kwargs = VT_NULL;
	if (text != NULL && !read_json(c, rt, text, strlen(text), "--args", &v))
		return false;
	if (vt_is(v, DICT)) {
		*kwargs = v;
	} else if (vt_is_sequence(v)) {
		*args = v;
	} else if (v != VT_UNDEF) {
		vt_say("%s: --args: a JSON object or array is expected\n", c->self);
		vt_release(v);
		return false;
	}
	if (*args == VT_NULL)
		*args = vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, 0));
	return true;
}

vt_status
vt_deploy_call_public(vt_rt *rt, vt_value target, const char *method, vt_value args,
	vt_value kwargs, vt_value *out)
{
	vt_value name = vt_str_c(rt, method), raw = VT_UNDEF;
	vt_status st = vt_invoke_public(rt, target, vt_as_str(name), args, kwargs, &raw);
	if (st == VT_OK)
		st = vt_final(rt, vt_cls_of(target)->decl->unit, raw, out);
	vt_release(raw);
	vt_release(name);
	return st;
}

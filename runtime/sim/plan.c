/*
 * plan.c - an execution plan, run by the simulated agent: its Body over what stands in for the
 * results of its scripts.
 *
 * Nothing is executed: a script gives what the scenario says of it.  The rest is as murano-agent
 * has it, with what its executors make of options, attributes and output.
 */
#define _GNU_SOURCE
#include "runtime/sim/plan.h"
#include "runtime/sim/body.h"
#include "runtime/sim/sim.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

typedef struct runner {
	vt_rt *rt;
	vt_value plan;
	sim_outcome_fn *outcome;
	void *ctx;
	sim_plan_answer *out;
} runner;

/* ---- what a script gives ----------------------------------------------------------------- */

/* An exception of the executor: code 100, with a record or null. */
static body_value *
fail(body *b, body_value *record, const char *fmt, ...)
{
	vt_buf t = {0};
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vprintf(&t, fmt, ap);
	va_end(ap);
	(void)body_raise(b, "CustomException", "%s", t.p);
	vt_buf_free(&t);
	if (b->raised != NULL) {
		b->raised->code = 100;
		b->raised->self = record != NULL ? record : body_none(b);
	}
	return NULL;
}

/* Any value counts as Python's truth says; false where an option is null. */
static bool
option(body *b, vt_value script, const char *name, bool otherwise)
{
	vt_value options = vt_member(script, "Options");
	vt_value v = vt_is(options, DICT) ? vt_dict_get_c(vt_as_dict(options), name) : VT_UNDEF;
	body_value *x = v == VT_UNDEF ? NULL : body_from(b, v, false);
	return x == NULL ? otherwise : body_true(x);
}

/* Without blanks at both ends; null where nothing was written. */
static body_value *
output(body *b, vt_value given, bool captured)
{
	static const body_args none = {.v = NULL};
	body_value *v;
	if (!captured || (given != VT_UNDEF && !vt_is(given, STR)))
		return body_none(b);
	if (given == VT_UNDEF) /* a stand-in that says nothing: what follows wants a text */
		return body_text(b, "", 0);
	v = body_scalar(b, vt_copy(given));
	return vt_as_str(given)->bytes == 0 ? body_none(b) : body_text_method(b, "strip", v, &none);
}

static vt_value
field(vt_value outcome, const char *name)
{
	return vt_is(outcome, DICT) ? vt_dict_get_c(vt_as_dict(outcome), name) : VT_UNDEF;
}

static void
note(runner *r, const char *name, const char *commandline)
{
	vt_dict *all = vt_as_dict(r->out->commandlines);
	vt_value l = vt_dict_get_c(all, name);
	if (l == VT_UNDEF) {
		l = vt_mkptr(vt_list_grow(r->rt, VT_K_LIST, 1));
		vt_dict_set_c(r->rt, all, name, l);
	}
	vt_list_push(r->rt, vt_as_list(l), vt_str_c(r->rt, commandline));
}

/* The lines of the output that hold ERROR follow what stands on stderr. */
static vt_value
errors_of(vt_rt *rt, vt_value out, vt_value err)
{
	vt_buf t = {0};
	const char *p = vt_text_or(out, ""), *end;
	vt_buf_puts(&t, vt_text_or(err, ""));
	for (; *p != '\0'; p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		if (memmem(p, (size_t)(end - p), "ERROR", 5) != NULL) {
			vt_buf_put(&t, p, (size_t)(end - p));
			vt_buf_putc(&t, '\n');
		}
	}
	return vt_str_take(rt, &t);
}

/* The record of a call; an exception where the code is not 0 and that matters. */
static body_value *
result(runner *r, body *b, vt_value script, const char *shown, vt_value outcome)
{
	bool shell = strcmp(vt_text_or(vt_member(script, "Type"), ""), "Application") == 0,
	     out = option(b, script, "captureStdout", true),
	     err = option(b, script, "captureStderr", true);
	vt_value code = field(outcome, "exitCode"), written = field(outcome, "stdout"),
		 said = field(outcome, "stderr"), seconds = field(outcome, "seconds"), both;
	body_value *record = body_new(b, BODY_RECORD);
	double more = 0;
	if (!shell && !out && err)
		return body_raise(
			b, "AttributeError", "'NoneType' object has no attribute 'splitlines'");
	if (vt_is_number(seconds) && vt_num_double(r->rt, seconds, &more) != VT_OK)
		vt_exc_clear(r->rt);
	r->out->seconds += more > 0 ? more : 0;
	body_set_c(b, record, "exitCode", body_int(b, vt_is_int(code) ? vt_toint(code) : 0));
	body_set_c(b, record, "stdout", output(b, written, out));
	both = shell || !vt_is(written, STR) ? VT_UNDEF : errors_of(r->rt, written, said);
	body_set_c(b, record, "stderr", output(b, both != VT_UNDEF ? both : said, err));
	if (both != VT_UNDEF)
		vt_release(both);
	if (b->unable != NULL)
		return NULL;
	if (vt_is_int(code) && vt_toint(code) != 0 && option(b, script, "verifyExitcode", true))
		return fail(b, record, "Script %s returned error code", shown);
	return record;
}

/* ---- executors --------------------------------------------------------------------------- */

static body_value *
run_application(runner *r, body *b, const char *name, vt_value script, const body_value *given)
{
	vt_value line = body_str(b, given), entry = vt_member(script, "EntryPoint"), outcome;
	body_value *out;
	if (line == VT_UNDEF)
		return NULL;
	if (vt_dict_get(vt_as_dict(vt_member(r->plan, "Files")), entry) == VT_UNDEF) {
		vt_release(line); /* a plan of format 1, whose entry nobody has looked at */
		return body_raise(b, "KeyError", "%s", vt_as_str(entry)->s);
	}
	if (memchr(vt_as_str(line)->s, '\0', vt_as_str(line)->bytes) != NULL) {
		vt_release(line);
		return body_raise(b, "ValueError", "embedded null byte");
	}
	note(r, name, vt_as_str(line)->s);
	outcome = r->outcome(r->ctx, name, vt_as_str(line)->s);
	out = result(r, b, script, name, outcome);
	vt_release(line);
	return out;
}

/* Can the attributes be written for Chef (JSON) and Puppet (a mapping with texts as keys)? */
static bool
attributes_fit(body *b, bool chef, const body_value *given)
{
	vt_value json = VT_UNDEF;
	bool good;
	if (body_is_none(given) || (chef && !body_true(given)))
		return true;
	good = (body_is_dict(given) || (chef && given->kind == BODY_LIST)) &&
	       body_to_json(b, given, &json);
	vt_release(json == VT_UNDEF ? VT_NULL : json);
	for (uint32_t i = 0; good && !chef && i < given->n; i++)
		good = body_is_text(given->key[i]);
	if (!good)
		(void)body_raise(
			b, "AttributeError", "'AttributeError' object has no attribute 'strerror'");
	return good;
}

/* Is the Berksfile among the script's files?  What is fetched may hold it. */
static bool
has_berksfile(runner *r, vt_value script, const char *path)
{
	vt_value files = vt_member(script, "Files"), all = vt_member(r->plan, "Files");
	for (uint32_t i = 0; vt_is_sequence(files) && i < vt_as_list(files)->n; i++) {
		vt_value key = vt_as_list(files)->v[i], file;
		if (vt_is(key, DICT))
			return true;
		file = vt_dict_get(vt_as_dict(all), key);
		if (file != VT_UNDEF &&
			(vt_member(file, "Type") != VT_NULL ||
				strcmp(vt_text_or(vt_member(file, "Name"), ""), path) == 0))
			return true;
	}
	return false;
}

static body_value *
vendor(runner *r, body *b, vt_value script, const char *module)
{
	vt_value given = vt_member(vt_member(script, "Options"), "berksfilePath");
	char *path = vt_is(given, STR) ? vt_xstrdup(vt_as_str(given)->s)
				       : vt_asprintf("%s/Berksfile", module);
	if (!has_berksfile(r, script, path))
		(void)fail(b, NULL, "Berskfile %s not found", path);
	free(path);
	return NULL;
}

static body_value *
run_recipe(runner *r, body *b, const char *name, vt_value script, const body_value *given)
{
	const char *entry = vt_text_or(vt_member(script, "EntryPoint"), ""),
		   *colons = strstr(entry, "::");
	bool chef = strcmp(vt_text_or(vt_member(script, "Type"), ""), "Chef") == 0;
	if (colons == NULL)
		return fail(b, NULL, "Module recipe name format %s is not valid", entry);
	if (chef && option(b, script, "useBerkshelf", false)) {
		char *module = vt_xstrndup(entry, (size_t)(colons - entry));
		(void)vendor(r, b, script, module);
		free(module);
	}
	if (body_stopped(b) || !attributes_fit(b, chef, given))
		return NULL;
	note(r, name, "");
	return result(r, b, script, entry, r->outcome(r->ctx, name, ""));
}

static body_value *
run_script(body *b, void *ctx, const char *name, body_value *given)
{
	runner *r = ctx;
	vt_value script = vt_dict_get_c(vt_as_dict(b->scripts), name);
	if (strcmp(vt_text_or(vt_member(script, "Type"), ""), "Application") == 0)
		return run_application(r, b, name, script, given);
	return run_recipe(r, b, name, script, given);
}

/* ---- the answer -------------------------------------------------------------------------- */

static void
answer_error(runner *r, int code, vt_value message, vt_value owned_info)
{
	vt_dict *d = vt_dict_new(r->rt, false);
	vt_dict_set_c(r->rt, d, "Message", message);
	vt_dict_set_c(r->rt, d, "AdditionalInfo", owned_info);
	r->out->code = code;
	r->out->body = vt_mkptr(d);
}

static void
answer_text(runner *r, int code, const char *message)
{
	vt_buf t = {0};
	vt_buf_puts(&t, message);
	vt_buf_repair(&t);
	answer_error(r, code, vt_str_take(r->rt, &t), VT_NULL);
}

static void
answer_exception(runner *r, body *b)
{
	vt_value text = body_str(b, b->raised), info = VT_NULL;
	if (b->raised->code != 1 && !body_to_json(b, b->raised->self, &info))
		info = VT_NULL;
	if (text == VT_UNDEF)
		text = vt_str_c(r->rt, b->raised->name);
	answer_error(r, b->raised->code, text, info);
}

static void
answer_body(runner *r, body *b)
{
	if (b->unable != NULL) {
		char *message = vt_asprintf("the simulated agent cannot run %s", b->unable);
		answer_text(r, 1, message);
		free(message);
	} else if (b->syntax != NULL) {
		answer_text(r, 1, b->syntax);
	} else if (b->raised != NULL) {
		answer_exception(r, b);
	} else if (!body_to_json(b, b->result, &r->out->body)) {
		r->out->sent = false;
		r->out->body = VT_NULL;
	}
}

static vt_status
run_body(vt_rt *rt, void *data)
{
	runner *r = data;
	vt_value text = vt_member(r->plan, "Body"), parameters = vt_member(r->plan, "Parameters");
	body b;
	body_node *block = NULL;
	body_open(&b, rt);
	b.scripts = vt_member(r->plan, "Scripts");
	b.call = run_script;
	b.ctx = r;
	b.args = vt_is(parameters, DICT) ? body_from(&b, parameters, true)
					 : body_new(&b, BODY_RECORD);
	if (b.args != NULL && body_lex(&b, vt_as_str(text)->s, vt_as_str(text)->bytes))
		block = body_parse(&b);
	if (block != NULL)
		body_run(&b, block);
	answer_body(r, &b);
	body_close(&b);
	return VT_OK;
}

/* Types that nobody has looked at in plans of format 1. */
static bool
have_executors(runner *r)
{
	vt_value key, v, scripts = vt_member(r->plan, "Scripts");
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(scripts), &i, &key, &v);) {
		const char *type = vt_text_or(vt_member(v, "Type"), "");
		char *message;
		if (strcmp(type, "Application") == 0 || strcmp(type, "Chef") == 0 ||
			strcmp(type, "Puppet") == 0)
			continue;
		message = vt_asprintf("The application type in %s is not a valid executor %s",
			vt_text_or(key, "?"), type);
		answer_text(r, 1, message);
		free(message);
		return false;
	}
	return true;
}

void
sim_plan_run(vt_rt *rt, vt_value plan, sim_outcome_fn *outcome, void *ctx, sim_plan_answer *out)
{
	runner r = {.rt = rt, .plan = plan, .outcome = outcome, .ctx = ctx, .out = out};
	vt_value body = vt_is(plan, DICT) ? vt_dict_get_c(vt_as_dict(plan), "Body") : VT_UNDEF;
	char *message = NULL;
	int code;
	*out = (sim_plan_answer){.sent = true, .body = VT_NULL};
	out->commandlines = vt_mkptr(vt_dict_new_hashed(rt, false));
	code = sim_plan_check(plan, &message);
	if (code != 0) {
		answer_text(&r, code, message);
	} else if (body == VT_UNDEF) {
		answer_text(&r, 1, "'Body'");
	} else if (!vt_is(body, STR)) {
		message =
			vt_asprintf("'%s' object has no attribute 'expandtabs'", vt_py_type(body));
		answer_text(&r, 1, message);
	} else if (have_executors(&r)) {
		(void)vt_on_segment(rt, run_body, &r);
	}
	free(message);
}

void
sim_plan_drop(sim_plan_answer *a)
{
	vt_release(a->body);
	vt_release(a->commandlines);
}

/*
 * form.c - `vetro form`: the form that a package brings, from answers to the object model.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/form/form.h"
#include "runtime/call/call.h"
#include "runtime/core/diag.h"
#include "runtime/core/exception.h"
#include "runtime/text/nearest.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct asking {
	vc *c;
	cmd_options *o;
	form_ui *ui;
	vt_rt *rt;
	form_run *run; /* or NULL: the session is our own */
	vt_value answers, environment, parameters;
	const char *package;
} asking;

/* ---- what is read ---- */

static bool
not_read(vc *c, const char *path, char *why)
{
	vc_report(c, VC_E0101, vc_file_span(c, path), "%s", why ? why : "it cannot be read");
	free(why);
	return false;
}

/* A mapping, of a file in JSON or YAML. */
static bool
read_mapping(asking *a, const char *path, vt_value *out)
{
	vc_source *src = vc_source_read(a->c, path);
	char *why = NULL;
	const char *p;
	bool good;

	if (src == NULL)
		return false;
	p = src->text + strspn(src->text, " \t\r\n");
	good = *p == '{' ? vt_json_read(a->rt, src->text, src->n, VT_JSON_MUTABLE, 0, out, &why)
			 : vt_yaml_read(a->rt, src->text, src->n, out, &why);
	if (!good)
		return not_read(a->c, path, why);
	if (*out == VT_NULL)
		return true;
	return vt_is(*out, DICT) || not_read(a->c, path, vt_xstrdup("it is no mapping"));
}

static vt_dict *
of_form(asking *a, const char *form, size_t n)
{
	vt_value name = vt_str_new(a->rt, form, n), v;
	vt_dict *d;

	if (a->answers == VT_NULL)
		a->answers = vt_mkptr(vt_dict_new(a->rt, false));
	v = vt_dict_get(vt_as_dict(a->answers), name);
	if (!vt_is(v, DICT)) {
		v = vt_mkptr(vt_dict_new(a->rt, false));
		vt_dict_set(a->rt, vt_as_dict(a->answers), name, v);
		vt_release(v);
	}
	d = vt_as_dict(v);
	vt_release(name);
	return d;
}

/* What is no YAML is the text that it is. */
static vt_value
read_value(asking *a, const char *text)
{
	vt_value v = VT_UNDEF;
	char *why = NULL;

	if (vt_yaml_read(a->rt, text, strlen(text), &v, &why) && (v != VT_NULL || *text != '#'))
		return v;
	free(why);
	return vt_str_c(a->rt, text);
}

static bool
take_set(asking *a, const char *set)
{
	const char *eq = strchr(set, '='), *dot = strchr(set, '.');
	vt_value field;

	if (eq == NULL || dot == NULL || dot > eq || dot == set || dot + 1 == eq) {
		vc_report(a->c, VC_E1207, (vc_span){0}, "--set=%s names no field", set);
		vc_hint(a->c, "write --set FORM.FIELD=VALUE");
		return false;
	}
	field = vt_str_new(a->rt, dot + 1, (size_t)(eq - dot - 1));
	vt_dict_set_c(a->rt, of_form(a, set, (size_t)(dot - set)), vt_as_str(field)->s,
		read_value(a, eq + 1));
	vt_release(field);
	return true;
}

static bool
read_answers(asking *a)
{
	const cmd_options *o = a->o;
	bool good = true;

	if (o->environment && !read_mapping(a, o->environment, &a->environment))
		return false;
	if (o->answers && !read_mapping(a, o->answers, &a->answers))
		return false;
	for (uint32_t i = 0; i < o->sets.n; i++)
		good &= take_set(a, o->sets.v[i]);
	if (o->name && a->ui->named)
		vt_dict_set_c(a->rt, of_form(a, "workflowManagement", 18), "application_name",
			vt_str_c(a->rt, o->name));
	if (o->name && !a->ui->named) {
		vc_report(a->c, VC_E1207, (vc_span){a->ui->src, 0, 0},
			"this form asks for no name of the application");
		vc_hint(a->c, "forms of version 2.2 and later do");
		good = false;
	}
	return good;
}

/* ---- answers to what is not there ---- */

static bool
is_field(const form_ui *ui, const char *form, const char *field)
{
	size_t n = strlen(field);

	if (n > 6 && strcmp(field + n - 6, "-clone") == 0)
		n -= 6;
	for (uint32_t i = 0; i < ui->nname; i++)
		if (strcmp(ui->name[i].form, form) == 0 &&
			(strcmp(ui->name[i].field, field) == 0 ||
				(strlen(ui->name[i].field) == n &&
					strncmp(ui->name[i].field, field, n) == 0)))
			return true;
	return ui->named && strcmp(form, "workflowManagement") == 0;
}

static void
no_field(asking *a, const char *form, const char *field)
{
	const char **all = vc_alloc(a->c, (a->ui->nname + 1) * sizeof *all), *near;

	vc_report(a->c, VC_E1207, (vc_span){a->ui->src, 0, 0}, "the form has no field %s.%s", form,
		field);
	for (uint32_t i = 0; i < a->ui->nname; i++)
		all[i] = vc_format(a->c, "%s.%s", a->ui->name[i].form, a->ui->name[i].field);
	near = vt_nearest(vc_format(a->c, "%s.%s", form, field), all, a->ui->nname);
	if (near != NULL)
		vc_hint(a->c, "did you mean %s?", near);
}

static bool
check_names(asking *a)
{
	vt_value form, field, fields, v;
	bool good = true;

	if (a->answers == VT_NULL)
		return true;
	for (uint32_t p = 0; vt_dict_at(vt_as_dict(a->answers), &p, &form, &fields);) {
		const char *name = vt_is(form, STR) ? vt_as_str(form)->s : "";
		if (!vt_is(fields, DICT)) {
			vc_report(a->c, VC_E1207, (vc_span){a->ui->src, 0, 0},
				"the answers to the form %s are no mapping of fields", name);
			good = false;
			continue;
		}
		for (uint32_t q = 0; vt_dict_at(vt_as_dict(fields), &q, &field, &v);) {
			const char *of = vt_is(field, STR) ? vt_as_str(field)->s : "";
			if (is_field(a->ui, name, of))
				continue;
			no_field(a, name, of);
			good = false;
		}
	}
	return good;
}

/* ---- ParametersSource ---- */

/* What `vetro run SOURCE call CLASS METHOD` prints. */
static bool
run_method(asking *a, const char *cls, const char *method, vt_buf *out)
{
	const char *source = a->o->line.words.v[0], *const words[] = {"call", cls, method};
	cmd_options o = {.line = a->o->line, .paths = a->o->paths};
	int fd[2], status = 0;
	ssize_t k = 1;
	pid_t pid;

	fflush(NULL);
	if (pipe(fd) != 0)
		return false;
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		close(fd[1]);
		exit(cmd_run_program(&o, &source, 1, words, VC_LEN(words)));
	}
	close(fd[1]);
	while (pid > 0 && (k > 0 || (k < 0 && errno == EINTR)))
		if ((k = read(fd[0], vt_buf_room(out, 4096), 4096)) > 0)
			out->n += (size_t)k;
	close(fd[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	vt_buf_puts(out, "");
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool
no_parameters(asking *a, const char *why, const char *hint)
{
	vc_report(a->c, VC_E1208, a->ui->source->span, "%s", why);
	if (hint != NULL)
		vc_hint(a->c, "%s", hint);
	return false;
}

static bool
take_parameters(asking *a, const char *text, size_t n)
{
	vt_value answer = VT_UNDEF, result;
	char *why = NULL;

	if (!vt_json_read(a->rt, text, n, VT_JSON_MUTABLE, 0, &answer, &why)) {
		no_parameters(a, why, NULL);
		free(why);
		return false;
	}
	result = vt_is(answer, DICT) ? vt_dict_get_c(vt_as_dict(answer), "result") : VT_UNDEF;
	if (vt_is(result, DICT))
		a->parameters = vt_copy(result);
	vt_release(answer);
	return true;
}

static bool
find_parameters(asking *a)
{
	vt_value given = a->environment != VT_NULL
				 ? vt_dict_get_c(vt_as_dict(a->environment), "parameters")
				 : VT_UNDEF,
		 cls, method;
	vt_buf out = {NULL, 0, 0};
	bool good;

	if (given != VT_UNDEF) {
		a->parameters = vt_copy(given);
		return true;
	}
	if (a->ui->source == NULL)
		return true;
	if (a->package == NULL)
		return no_parameters(a, "a form without its package has no method to ask",
			"give the package, or `parameters` in the file of --environment");
	if (!vt_form_source(a->rt, form_definition(a->run), a->package, &cls, &method))
		return true;
	good = run_method(a, vt_as_str(cls)->s, vt_as_str(method)->s, &out) ||
	       no_parameters(a, "the method that gives the parameters failed", NULL);
	good = good && take_parameters(a, out.n ? out.p : "", out.n);
	vt_release(cls);
	vt_release(method);
	vt_buf_free(&out);
	return good;
}

/* ---- what comes of it ---- */

static vc_span
span_of_field(const form_ui *ui, const char *form, const char *field)
{
	for (uint32_t i = 0; i < ui->nname; i++)
		if (strcmp(ui->name[i].form, form) == 0 && field != NULL &&
			strcmp(ui->name[i].field, field) == 0)
			return ui->name[i].at;
	return (vc_span){ui->src, 0, 0};
}

static const char *
text_of(asking *a, vt_value dict, const char *key)
{
	vt_value v = vt_dict_get_c(vt_as_dict(dict), key);

	return vt_is(v, STR) ? vc_strdup(a->c, vt_as_str(v)->s) : NULL;
}

/* As lines `FORM.FIELD: message`, or as diagnostics. */
static void
print_complaints(asking *a, vt_value list)
{
	for (uint32_t i = 0; i < vt_as_list(list)->n; i++) {
		vt_value one = vt_as_list(list)->v[i];
		const char *form = text_of(a, one, "form"), *field = text_of(a, one, "field"),
			   *message = text_of(a, one, "message");
		const char *text = vc_format(a->c, "%s%s%s: %s", form, field ? "." : "",
			field ? field : "", message ? message : "");
		vt_buf line = {NULL, 0, 0};
		if ((enum vc_diag_format)a->o->diags != VC_TEXT) {
			vc_report(a->c, VC_E1206, span_of_field(a->ui, form, field), "%s", text);
			continue;
		}
		vt_buf_puts(&line, text);
		vt_report_line(&line);
	}
}

static void
report_exception(asking *a, int32_t expression)
{
	vt_value v = vt_exc_take(a->rt);
	vt_exc *x = VT_AS(vt_exc, v);
	vt_buf b = {NULL, 0, 0};

	vt_exc_str(a->rt, &b, x);
	vc_report(a->c, (enum vc_code)vt_etype_diag(x->type),
		form_place(a->c, a->ui, expression, x->line, x->col), "%s: %.*s",
		vt_exc_shown_type(x), (int)b.n, b.n ? b.p : "");
	vt_buf_free(&b);
	vt_release(v);
}

static void
print_value(asking *a, vt_value v)
{
	vt_buf b = {NULL, 0, 0};

	vt_json_write(a->rt, &b, v, vt_json_layout(a->o->compact, false, -1));
	vt_buf_putc(&b, '\n');
	vt_buf_print(&b, stdout);
}

static void
finish(asking *a, vt_form_answer *got, const vt_form_ask *ask)
{
	vt_value whole;

	switch (got->end) {
	case VT_FORM_DONE:
		if (a->o->whole) {
			whole = vt_form_environment(a->rt, got->value, a->environment, ask);
			print_value(a, whole);
			vt_release(whole);
		} else {
			print_value(a, got->value);
		}
		break;
	case VT_FORM_COMPLAINED: print_complaints(a, got->value); break;
	case VT_FORM_WRONG:
		vc_report(a->c, VC_E1209, form_place(a->c, a->ui, got->expression, 0, 0), "%s",
			got->why);
		break;
	case VT_FORM_RAISED: report_exception(a, got->expression); break;
	}
	vt_release(got->value);
	free(got->why);
}

static bool
ask_form(asking *a)
{
	vt_form_ask ask;
	vt_form_answer got;
	bool done;

	if (!read_answers(a) || !check_names(a) || !find_parameters(a))
		return false;
	ask = (vt_form_ask){.answers = a->answers,
		.environment = a->environment,
		.parameters = a->parameters,
		.package = a->package,
		.seeded = a->o->seed > 0,
		.seed = a->o->seed};
	got = a->o->describe ? vt_form_describe(a->rt, form_definition(a->run), &ask)
			     : vt_form_model(a->rt, form_definition(a->run), &ask);
	done = got.end == VT_FORM_DONE;
	finish(a, &got, &ask);
	return done;
}

static int
one_form(vc *c, cmd_options *o)
{
	asking a = {
		.c = c, .o = o, .answers = VT_NULL, .environment = VT_NULL, .parameters = VT_NULL};
	vc_source *src = form_find(c, o->line.words.v[0], &a.package);
	bool good = false;

	a.ui = src != NULL ? form_read(c, src) : NULL;
	if (a.ui == NULL)
		return VC_EINPUT;
	a.rt = vt_rt_new(NULL);
	a.run = form_open(c, a.ui, a.rt);
	if (a.run != NULL)
		good = ask_form(&a);
	vt_release(a.answers);
	vt_release(a.environment);
	vt_release(a.parameters);
	if (a.run != NULL)
		form_close(a.run);
	else
		vt_rt_free(a.rt);
	return good ? VC_OK : VC_EINPUT;
}

int
cmd_form(cmd_options *o)
{
	vc *c;
	int rc;

	if (o->batch)
		return form_batch();
	c = vc_new();
	rc = one_form(c, o);
	vc_print_diags(c, (enum vc_diag_format)o->diags, stderr);
	vc_free(c);
	return rc;
}

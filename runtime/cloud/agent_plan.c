/*
 * agent_plan.c - execution plans (agent-protocol.md 3 and 4).
 */
#include "runtime/cloud/agent.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/native/native.h"
#include "runtime/object/object.h"

#include <string.h>
#include <time.h>

/* What a plan is made with. */
typedef struct plan {
	vt_rt *rt;
	const vt_unit *unit;
	vt_value resources;
	vt_dict *files; /* of the plan, by id */
	vt_dict *ids;   /* file name -> id */
} plan;

static vt_status
no_key(vt_rt *rt, const char *name)
{
	vt_value key = vt_str_c(rt, name);
	vt_status st = vt_raise_key(rt, key);
	vt_release(key);
	return st;
}

static vt_status
read_script(plan *p, const char *name, size_t n, bool base64, vt_value *out)
{
	vt_buf b = {0};
	vt_value path;
	vt_status st;
	if (*name != '/')
		vt_buf_puts(&b, "scripts/");
	vt_buf_put(&b, name, n);
	path = vt_str_take(p->rt, &b);
	st = vt_resource_read(p->rt, p->unit, p->resources, path, base64, out);
	vt_release(path);
	return st;
}

/* ---- names of files: "name", "<name>" (its bytes), a URL, or {name: one of these} -------- */

static bool
is_bytes(const vt_str *s)
{
	return s->bytes >= 2 && s->s[0] == '<' && s->s[s->bytes - 1] == '>';
}

/* A scheme and a host. */
static bool
is_url(const vt_str *s)
{
	const char *p = s->s;
	if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
		return false;
	while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
		*p == '+' || *p == '-' || *p == '.')
		p++;
	return strncmp(p, "://", 3) == 0 && p[3] != '\0' && strchr("/?#", p[3]) == NULL;
}

static vt_value
base_name(vt_rt *rt, const vt_str *s)
{
	const char *slash = strrchr(s->s, '/');
	if (is_url(s) && slash != NULL)
		return vt_str_c(rt, slash + 1);
	if (is_bytes(s))
		return vt_str_new(rt, s->s + 1, s->bytes - 2);
	return vt_copy(vt_mkptr(s));
}

/* The name and what stands for the content, both owned. */
static vt_status
read_file_entry(vt_rt *rt, vt_value file, vt_value *name, vt_value *content)
{
	vt_value key = file, v = file;
	uint32_t at = 0;
	if (vt_is(file, DICT) && !vt_dict_at(vt_as_dict(file), &at, &key, &v))
		return vt_raise(rt, VT_E_INDEX, "list index out of range");
	if (!vt_is(key, STR) || !vt_is(v, STR))
		return vt_no_attribute(rt, vt_is(key, STR) ? v : key, "startswith");
	*name = base_name(rt, vt_as_str(key));
	*content = vt_copy(v);
	return VT_OK;
}

static vt_status
describe(plan *p, vt_value name, const vt_str *content, vt_value *out)
{
	vt_dict *d = vt_dict_new(p->rt, false);
	vt_value body = VT_UNDEF;
	vt_status st = VT_OK;
	vt_dict_set_c(p->rt, d, "Name", vt_copy(name));
	if (is_url(content)) {
		vt_dict_set_c(p->rt, d, "URL", vt_copy(vt_mkptr(content)));
		vt_dict_set_c(p->rt, d, "Type", vt_str_c(p->rt, "Downloadable"));
	} else if (is_bytes(content)) {
		st = read_script(p, content->s + 1, content->bytes - 2, true, &body);
		if (st == VT_OK) {
			vt_dict_set_c(p->rt, d, "BodyType", vt_str_c(p->rt, "Base64"));
			vt_dict_set_c(
				p->rt, d, "Body", vt_str_printf(p->rt, "%s\n", vt_as_str(body)->s));
			vt_release(body);
		}
	} else if ((st = read_script(p, content->s, content->bytes, false, &body)) == VT_OK) {
		vt_dict_set_c(p->rt, d, "BodyType", vt_str_c(p->rt, "Text"));
		vt_dict_set_c(p->rt, d, "Body", body);
	}
	return vt_settle(st, vt_mkptr(d), out);
}

/* The id of a file that a script names; it joins the plan's files when it is not there. Owned. */
static vt_status
place(plan *p, vt_value file, vt_value *id)
{
	vt_value name = VT_UNDEF, content = VT_UNDEF, known, d = VT_UNDEF;
	vt_status st;
	VT_TRY(read_file_entry(p->rt, file, &name, &content));
	known = vt_dict_get(p->ids, name);
	if (known != VT_UNDEF) {
		*id = vt_copy(known);
		st = VT_OK;
	} else if ((st = describe(p, name, vt_as_str(content), &d)) == VT_OK) {
		*id = vt_drawn(p->rt, vt_new_uuid(p->rt));
		st = vt_dict_set(p->rt, p->files, *id, d);
		if (st == VT_OK)
			st = vt_dict_set(p->rt, p->ids, name, *id);
		vt_release(d);
	}
	vt_release(name);
	vt_release(content);
	return st;
}

/* ---- scripts ----------------------------------------------------------------------------- */

static vt_status
place_entry(plan *p, vt_dict *script, vt_value name)
{
	vt_value entry = vt_dict_get_c(script, "EntryPoint"), type = vt_dict_get_c(script, "Type"),
		 id = VT_UNDEF;
	if (entry == VT_UNDEF)
		return vt_raise(
			p->rt, VT_E_VALUE, "No entry point in script %s", vt_text_or(name, ""));
	if (type == VT_UNDEF)
		return no_key(p->rt, "Type");
	if (strcmp(vt_text_or(type, ""), "Application") != 0)
		return VT_OK;
	VT_TRY(place(p, entry, &id));
	vt_dict_set_c(p->rt, script, "EntryPoint", id);
	return VT_OK;
}

static vt_status
place_files(plan *p, vt_dict *script)
{
	vt_value files = vt_dict_get_c(script, "Files");
	vt_list *l;
	vt_status st = VT_OK;
	if (!vt_is_sequence(files))
		return VT_OK;
	l = vt_list_grow(p->rt, VT_K_LIST, vt_as_list(files)->n);
	for (uint32_t i = 0; st == VT_OK && i < vt_as_list(files)->n; i++) {
		vt_value id = VT_UNDEF;
		st = place(p, vt_as_list(files)->v[i], &id);
		if (st == VT_OK)
			vt_list_push(p->rt, l, id);
	}
	if (st == VT_OK)
		vt_dict_set_c(p->rt, script, "Files", vt_mkptr(l));
	else
		vt_release(vt_mkptr(l));
	return st;
}

static vt_status
place_scripts(plan *p, vt_value scripts, vt_value *out)
{
	vt_dict *all = vt_dict_new(p->rt, false);
	vt_value key, v;
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && vt_dict_at(vt_as_dict(scripts), &i, &key, &v);) {
		vt_dict *script;
		if (!vt_is(v, DICT)) {
			st = vt_raise(p->rt, VT_E_TYPE, "a script is a dictionary, not a '%s'",
				vt_py_type(v));
			break;
		}
		script = vt_dict_copy(p->rt, vt_as_dict(v), false);
		st = place_entry(p, script, key);
		if (st == VT_OK)
			st = place_files(p, script);
		if (st == VT_OK)
			st = vt_dict_set(p->rt, all, key, vt_mkptr(script));
		vt_release(vt_mkptr(script));
	}
	return vt_settle(st, vt_mkptr(all), out);
}

/* ---- format 2.x -------------------------------------------------------------------------- */

static vt_status
note_files(plan *p)
{
	vt_value id, d, name;
	for (uint32_t i = 0; vt_dict_at(p->files, &i, &id, &d);) {
		name = vt_is(d, DICT) ? vt_dict_get_c(vt_as_dict(d), "Name") : VT_UNDEF;
		if (name == VT_UNDEF)
			return no_key(p->rt, "Name");
		VT_TRY(vt_dict_set(p->rt, p->ids, name, id));
	}
	return VT_OK;
}

static vt_status
fill_v2(plan *p, vt_dict *out)
{
	vt_value scripts = vt_dict_get_c(out, "Scripts"), placed = VT_UNDEF;
	VT_TRY(note_files(p));
	if (scripts == VT_UNDEF)
		return VT_OK;
	if (!vt_is(scripts, DICT))
		return vt_no_attribute(p->rt, scripts, "items");
	VT_TRY(place_scripts(p, scripts, &placed));
	vt_dict_set_c(p->rt, out, "Scripts", placed);
	return VT_OK;
}

static vt_status
build_v2(plan *p, vt_dict *out, vt_value id, vt_value stamp)
{
	vt_value files = vt_dict_get_c(out, "Files");
	vt_status st;
	vt_dict_set_c(p->rt, out, "ID", vt_copy(id));
	vt_dict_set_c(p->rt, out, "Stamp", vt_copy(stamp));
	if (vt_dict_get_c(out, "Action") == VT_UNDEF)
		vt_dict_set_c(p->rt, out, "Action", vt_str_c(p->rt, "Execute"));
	if (files != VT_UNDEF && !vt_is(files, DICT))
		return vt_no_attribute(p->rt, files, "items");
	p->files = files == VT_UNDEF ? vt_dict_new(p->rt, false)
				     : vt_dict_copy(p->rt, vt_as_dict(files), false);
	p->ids = vt_dict_new_hashed(p->rt, false);
	st = fill_v2(p, out);
	if (st == VT_OK)
		vt_dict_set_c(p->rt, out, "Files", vt_copy(vt_mkptr(p->files)));
	vt_release(vt_mkptr(p->files));
	vt_release(vt_mkptr(p->ids));
	return st;
}

/* ---- format 1.x -------------------------------------------------------------------------- */

static vt_status
build_v1(plan *p, vt_dict *out, vt_value stamp)
{
	vt_value scripts = vt_dict_get_c(out, "Scripts");
	vt_list *l;
	vt_status st = VT_OK;
	if (scripts != VT_UNDEF && !vt_is_sequence(scripts))
		return vt_raise(p->rt, VT_E_TYPE,
			"Scripts of a plan of format 1 is a list, not a '%s'", vt_py_type(scripts));
	l = vt_list_grow(p->rt, VT_K_LIST, 0);
	for (uint32_t i = 0; st == VT_OK && scripts != VT_UNDEF && i < vt_as_list(scripts)->n;
		i++) {
		vt_value name = vt_as_list(scripts)->v[i], text = VT_UNDEF;
		st = vt_is(name, STR)
			     ? read_script(
				       p, vt_as_str(name)->s, vt_as_str(name)->bytes, true, &text)
			     : vt_raise(p->rt, VT_E_TYPE, "a script is named by a str, not a '%s'",
				       vt_py_type(name));
		if (st == VT_OK)
			vt_list_push(p->rt, l, text);
	}
	if (st != VT_OK) {
		vt_release(vt_mkptr(l));
		return st;
	}
	vt_dict_set_c(p->rt, out, "Scripts", vt_mkptr(l));
	vt_dict_set_c(p->rt, out, "Stamp", vt_copy(stamp));
	return VT_OK;
}

vt_status
vt_plan_build(vt_rt *rt, const vt_unit *unit, vt_value template, vt_value resources, vt_value id,
	vt_value stamp, vt_value *out)
{
	plan p = {.rt = rt, .unit = unit, .resources = resources};
	vt_value version;
	vt_dict *d;
	vt_status st;
	if (!vt_is(template, DICT))
		return vt_raise(rt, VT_E_VALUE, "Incorrect execution plan ");
	version = vt_dict_get_c(vt_as_dict(template), "FormatVersion");
	if (version != VT_UNDEF && vt_truth(version) && !vt_is(version, STR))
		return vt_no_attribute(rt, version, "startswith");
	d = vt_dict_copy(rt, vt_as_dict(template), false);
	if (version == VT_UNDEF || !vt_truth(version) ||
		strncmp(vt_as_str(version)->s, "1.", 2) == 0)
		st = build_v1(&p, d, stamp);
	else
		st = build_v2(&p, d, id, stamp);
	return vt_settle(st, vt_mkptr(d), out);
}

/* ---- results ----------------------------------------------------------------------------- */

/* How Python shows the details, each of them cut. */
static void
put_details(vt_rt *rt, vt_buf *b, const vt_dict *details)
{
	vt_value key, v;
	const char *between = "{";
	for (uint32_t i = 0; vt_dict_at(details, &i, &key, &v); between = ", ") {
		vt_buf_puts(b, between);
		vt_repr_cut(rt, b, key);
		vt_buf_puts(b, ": ");
		vt_repr_cut(rt, b, v);
	}
	vt_buf_putc(b, '}');
}

/* AgentException; `extra` of it has the whole details. */
static vt_status
agent_error(vt_rt *rt, vt_dict *details)
{
	vt_buf b = {0};
	vt_exc *e;
	put_details(rt, &b, details);
	(void)vt_raise_value(rt, VT_E_AGENT, vt_str_take(rt, &b));
	e = vt_pending(rt);
	if (e != NULL)
		vt_move(&e->arg, vt_copy(vt_mkptr(details)));
	vt_release(vt_mkptr(details));
	return VT_ERROR;
}

static vt_value
item(vt_value list, uint32_t i)
{
	return vt_is_sequence(list) && i < vt_as_list(list)->n ? vt_copy(vt_as_list(list)->v[i])
							       : VT_NULL;
}

static vt_value
now_text(vt_rt *rt)
{
	struct timespec t;
	struct tm tm;
	time_t seconds;
	vt_wall_clock(rt, &t);
	vt_drawn_time(rt, &t);
	seconds = t.tv_sec;
	gmtime_r(&seconds, &tm);
	return vt_str_printf(rt, "%04d-%02d-%02dT%02d:%02d:%02d.%06ld", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, t.tv_nsec / 1000);
}

static vt_status
error_v1(vt_rt *rt, vt_value data, const char *source)
{
	static const char *const name[] = {"type", "message", "command", "details"};
	vt_dict *d = vt_dict_new(rt, false);
	for (uint32_t i = 0; i < VT_LEN(name); i++)
		vt_dict_set_c(rt, d, name[i], item(data, i));
	vt_dict_set_c(rt, d, "timestamp", now_text(rt));
	vt_dict_set_c(rt, d, "source", vt_str_c(rt, source));
	return agent_error(rt, d);
}

static vt_status
result_v1(vt_rt *rt, vt_value result, vt_value *out)
{
	vt_value all = vt_member(result, "Result"), last;
	if (vt_dict_get_c(vt_as_dict(result), "IsException") == VT_UNDEF)
		return no_key(rt, "IsException");
	if (vt_is_true(vt_member(result, "IsException")))
		return error_v1(rt, all, "execution_plan");
	if (!vt_is_sequence(all) || vt_as_list(all)->n == 0)
		return vt_raise(rt, VT_E_INDEX, "list index out of range");
	last = vt_as_list(all)->v[vt_as_list(all)->n - 1];
	if (vt_is_true(vt_member(last, "IsException")))
		return error_v1(rt, vt_member(last, "Result"), "command");
	*out = vt_copy(vt_member(last, "Result"));
	return VT_OK;
}

static vt_status
error_v2(vt_rt *rt, vt_value result, vt_value code)
{
	vt_value body = vt_member(result, "Body"), key, v;
	vt_dict *d = vt_dict_new(rt, false), *extra = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "message", vt_copy(vt_member(body, "Message")));
	vt_dict_set_c(rt, d, "details", vt_copy(vt_member(body, "AdditionalInfo")));
	vt_dict_set_c(rt, d, "errorCode", vt_copy(code));
	vt_dict_set_c(rt, d, "time", vt_copy(vt_member(result, "Time")));
	for (uint32_t i = 0; vt_is(body, DICT) && vt_dict_at(vt_as_dict(body), &i, &key, &v);)
		if (strcmp(vt_text_or(key, ""), "Message") != 0 &&
			strcmp(vt_text_or(key, ""), "AdditionalInfo") != 0)
			(void)vt_dict_set(rt, extra, key, v);
	vt_dict_set_c(rt, d, "extra", vt_dict_len(extra) > 0 ? vt_copy(vt_mkptr(extra)) : VT_NULL);
	vt_release(vt_mkptr(extra));
	return agent_error(rt, d);
}

vt_status
vt_plan_result(vt_rt *rt, vt_value result, vt_value *out)
{
	vt_value version, code;
	if (!vt_is(result, DICT) || vt_dict_len(vt_as_dict(result)) == 0) {
		*out = VT_NULL;
		return VT_OK;
	}
	version = vt_dict_get_c(vt_as_dict(result), "FormatVersion");
	if (version == VT_UNDEF || strncmp(vt_text_or(version, ""), "1.", 2) == 0)
		return result_v1(rt, result, out);
	code = vt_member(result, "ErrorCode");
	if (vt_is_true(code))
		return error_v2(rt, result, code);
	*out = vt_copy(vt_member(result, "Body"));
	return VT_OK;
}

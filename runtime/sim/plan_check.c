/*
 * plan_check.c - is it a plan?  murano-agent looks before it runs anything, and refuses with code
 * 2, or 9 where the format is too new.
 */
#include "runtime/sim/plan.h"
#include "runtime/sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum { MALFORMED = 2, TOO_NEW = 9, EXCEPTION = 1 };

/* ---- versions ---------------------------------------------------------------------------- */

typedef struct version {
	const char *text;
	unsigned long part[3];
	bool pre; /* 2.2.0-beta comes before 2.2.0 */
} version;

static bool
read_version(const char *s, version *v)
{
	const char *p = s;
	v->text = s;
	for (int i = 0; i < 3; i++) {
		char *end;
		if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
			return false;
		v->part[i] = strtoul(p, &end, 10);
		if (i < 2 && *end++ != '.')
			return false;
		p = end;
	}
	v->pre = *p == '-';
	return *p == '\0' || ((*p == '-' || *p == '+') && p[1] != '\0');
}

/* Is it below that one?  `whole`: a version before the release counts as below. */
static bool
below(const version *v, unsigned long major, unsigned long minor)
{
	const unsigned long than[] = {major, minor, 0};
	for (int i = 0; i < 3; i++)
		if (v->part[i] != than[i])
			return v->part[i] < than[i];
	return v->pre;
}

static bool
above_2_2(const version *v)
{
	return !below(v, 2, 2) && (v->part[0] > 2 || v->part[1] > 2 || v->part[2] > 0);
}

/* ---- parts ------------------------------------------------------------------------------- */

static int
wrong(char **message, int code, const char *fmt, ...)
{
	vt_buf t = {0};
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vprintf(&t, fmt, ap);
	va_end(ap);
	*message = t.p;
	return code;
}

static bool
has(vt_value dict, const char *name)
{
	return vt_is(dict, DICT) && vt_dict_get_c(vt_as_dict(dict), name) != VT_UNDEF;
}

static bool
is_listed(vt_value files, vt_value name)
{
	return vt_is(files, DICT) && vt_hashable(name) &&
	       vt_dict_get(vt_as_dict(files), name) != VT_UNDEF;
}

static int
check_entry(const char *name, vt_value script, const version *v, vt_value files, char **message)
{
	vt_value entry = vt_member(script, "EntryPoint");
	const char *type = vt_text_or(vt_member(script, "Type"), "");
	bool application = strcmp(type, "Application") == 0;
	if (!below(v, 2, 0) && below(v, 2, 1) && !application)
		return wrong(
			message, MALFORMED, "Type %s is not valid for format %s", type, v->text);
	if (!below(v, 2, 1) && !application && strcmp(type, "Chef") != 0 &&
		strcmp(type, "Puppet") != 0)
		return wrong(message, MALFORMED, "Script has not a valid type %s", type);
	if (!below(v, 2, 0) && application && !is_listed(files, entry))
		return wrong(message, MALFORMED, "Script %s misses entry point %s", name,
			vt_as_str(entry)->s);
	if (!below(v, 2, 1) && !application && strstr(vt_as_str(entry)->s, "::") == NULL)
		return wrong(message, MALFORMED,
			"Wrong EntryPoint %s for Puppet/Chef executors. :: needed",
			vt_as_str(entry)->s);
	return 0;
}

static int
check_options(vt_value script, const version *v, char **message)
{
	static const char *const berkshelf[] = {"useBerkshelf", "berksfilePath"};
	const char *type = vt_text_or(vt_member(script, "Type"), "");
	vt_value options = vt_member(script, "Options");
	if (below(v, 2, 1))
		return 0;
	if (!has(script, "Options"))
		return wrong(message, EXCEPTION, "'Options'");
	if (options == VT_NULL)
		return wrong(message, EXCEPTION, "'NoneType' object is not iterable");
	for (size_t i = 0; i < VT_LEN(berkshelf); i++) {
		if (!has(options, berkshelf[i]))
			continue;
		if (below(v, 2, 2))
			return wrong(message, MALFORMED,
				"Script has an option %s invalid for version %s", berkshelf[i],
				v->text);
		if (strcmp(type, "Chef") != 0)
			return wrong(message, MALFORMED,
				"Script has an option %s invalid for type %s", berkshelf[i], type);
	}
	return 0;
}

/* A file is named, or is a dict of its name. */
static int
check_more_files(const char *name, vt_value script, vt_value files, char **message)
{
	vt_value more = vt_member(script, "Files");
	if (has(script, "Files") && !vt_is_sequence(more))
		return wrong(message, EXCEPTION, "'%s' object is not iterable", vt_py_type(more));
	for (uint32_t i = 0; vt_is_sequence(more) && i < vt_as_list(more)->n; i++) {
		vt_value file = vt_as_list(more)->v[i], key = file, v;
		uint32_t at = 0;
		if (vt_is(file, DICT))
			(void)vt_dict_at(vt_as_dict(file), &at, &key, &v);
		if (!is_listed(files, key))
			return wrong(message, MALFORMED, "Script %s misses file %s", name,
				vt_text_or(key, "?"));
	}
	return 0;
}

static int
check_script(const char *name, vt_value script, const version *v, vt_value files, char **message)
{
	static const char *const texts[] = {"Type", "EntryPoint"};
	int code;
	for (size_t i = 0; i < VT_LEN(texts); i++)
		if (!vt_is(vt_member(script, texts[i]), STR))
			return wrong(message, MALFORMED, "Incorrect %s entry in script %s",
				texts[i], name);
	code = check_entry(name, script, v, files, message);
	if (code == 0)
		code = check_options(script, v, message);
	return code != 0 ? code : check_more_files(name, script, files, message);
}

static int
check_file(const char *name, vt_value file, const version *v, char **message)
{
	static const char *const fetched[] = {"Type", "URL", "Name"}, *const written[] = {
									      "BodyType", "Body",
									      "Name"};
	bool from_elsewhere = has(file, "Type");
	if (!below(v, 2, 0) && below(v, 2, 1) && (from_elsewhere || has(file, "URL")))
		return wrong(message, MALFORMED,
			"Download file is %s not valid for this version %s", name, v->text);
	if (!from_elsewhere && !has(file, "Body"))
		return wrong(message, MALFORMED, "Invalid file %s", name);
	for (size_t i = 0; i < VT_LEN(fetched); i++) {
		const char *need = from_elsewhere ? fetched[i] : written[i];
		if (!has(file, need))
			return wrong(
				message, MALFORMED, "Incorrect %s entry in file %s", need, name);
	}
	if (!from_elsewhere) {
		const char *type = vt_text_or(vt_member(file, "BodyType"), "");
		if (strcmp(type, "Text") != 0 && strcmp(type, "Base64") != 0)
			return wrong(message, MALFORMED, "Incorrect BodyType in file %s", name);
	}
	return 0;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int
check_version(vt_value plan, version *v, char **message)
{
	vt_value given = has(plan, "FormatVersion") ? vt_member(plan, "FormatVersion") : VT_UNDEF;
	const char *s = given == VT_UNDEF ? "1.0.0" : vt_text_or(given, "");
	if (!read_version(s, v))
		return wrong(message, EXCEPTION, "Invalid version string: '%s'", s);
	if (above_2_2(v))
		return wrong(message, TOO_NEW,
			"Unsupported format version %s (I support versions <=2.2.0)", s);
	return 0;
}

int
sim_plan_check(vt_value plan, char **message)
{
	static const char *const needed[] = {"Scripts", "Files"}, *const dicts[] = {"Scripts",
									  "Files", "Options"};
	vt_value scripts = vt_member(plan, "Scripts"), files = vt_member(plan, "Files"), key, v;
	version format = {.text = ""};
	int code = check_version(plan, &format, message);
	*message = code != 0 ? *message : NULL;
	for (size_t i = 0; code == 0 && i < VT_LEN(needed); i++)
		if (!has(plan, needed[i]))
			code = wrong(
				message, MALFORMED, "%s is not in the execution plan", needed[i]);
	for (size_t i = 0; code == 0 && i < VT_LEN(dicts); i++)
		if (has(plan, dicts[i]) && !vt_is(vt_member(plan, dicts[i]), DICT))
			code = wrong(message, MALFORMED, "%s is not a dictionary", dicts[i]);
	for (uint32_t i = 0; code == 0 && vt_dict_at(vt_as_dict(scripts), &i, &key, &v);)
		code = check_script(vt_text_or(key, "?"), v, &format, files, message);
	for (uint32_t i = 0; code == 0 && vt_dict_at(vt_as_dict(files), &i, &key, &v);)
		code = check_file(vt_text_or(key, "?"), v, &format, message);
	return code;
}

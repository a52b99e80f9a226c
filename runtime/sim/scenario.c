/*
 * scenario.c - the file of --scenario (docs/dry-run.md): what it may say, and which rule is for
 * an event.
 */
#include "runtime/core/shape.h"
#include "runtime/sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* ---- shape ------------------------------------------------------------------------------- */

static const vt_field error_fields[] = {{"code", T_COUNT, NULL, NULL, false},
	{"message", T_TEXT, NULL, NULL, false}, {"details", T_ANY, NULL, NULL, false},
	{NULL, T_ANY, NULL, NULL, false}};
static const vt_field heat_fields[] = {{"stack", T_TEXT, NULL, NULL, false},
	{"op", T_WORD, NULL, "create update delete", false}, {"region", T_TEXT, NULL, NULL, false},
	{"n", T_COUNT, NULL, NULL, false}, {"from", T_COUNT, NULL, NULL, false},
	{"http", T_STATUS, NULL, NULL, false}, {"message", T_TEXT, NULL, NULL, false},
	{"reason", T_TEXT, NULL, NULL, false}, {"seconds", T_NUMBER, NULL, NULL, false},
	{NULL, T_ANY, NULL, NULL, false}};
static const vt_field agent_fields[] = {{"queue", T_TEXT, NULL, NULL, false},
	{"name", T_TEXT, NULL, NULL, false}, {"n", T_COUNT, NULL, NULL, false},
	{"from", T_COUNT, NULL, NULL, false}, {"silent", T_BOOL, NULL, NULL, false},
	{"answer", T_ANY, NULL, NULL, false}, {"error", T_ERROR, error_fields, NULL, false},
	{"seconds", T_NUMBER, NULL, NULL, false}, {NULL, T_ANY, NULL, NULL, false}};
static const vt_field script_fields[] = {{"name", T_TEXT, NULL, NULL, false},
	{"queue", T_TEXT, NULL, NULL, false}, {"plan", T_TEXT, NULL, NULL, false},
	{"commandline", T_TEXT, NULL, NULL, false}, {"n", T_COUNT, NULL, NULL, false},
	{"from", T_COUNT, NULL, NULL, false}, {"exitCode", T_EXIT, NULL, NULL, false},
	{"stdout", T_TEXT, NULL, NULL, false}, {"stderr", T_TEXT, NULL, NULL, false},
	{"seconds", T_NUMBER, NULL, NULL, false}, {NULL, T_ANY, NULL, NULL, false}};
static const vt_field network_fields[] = {{"routers", T_LIST, NULL, NULL, false},
	{"networks", T_LIST, NULL, NULL, false}, {"subnets", T_LIST, NULL, NULL, false},
	{"ports", T_LIST, NULL, NULL, false}, {"extensions", T_LIST, NULL, NULL, false},
	{NULL, T_ANY, NULL, NULL, false}};
static const vt_field region_fields[] = {
	{"network", T_OBJECT, network_fields, NULL, false}, {NULL, T_ANY, NULL, NULL, false}};
static const vt_field latency_fields[] = {{"create", T_NUMBER, NULL, NULL, false},
	{"update", T_NUMBER, NULL, NULL, false}, {"delete", T_NUMBER, NULL, NULL, false},
	{"agent", T_NUMBER, NULL, NULL, false}, {"request", T_NUMBER, NULL, NULL, false},
	{NULL, T_ANY, NULL, NULL, false}};
static const vt_field metadef_fields[] = {{"namespaces", T_LIST, NULL, NULL, false},
	{"objects", T_OBJECT, NULL, NULL, false}, {NULL, T_ANY, NULL, NULL, false}};
static const vt_field workflow_fields[] = {{"state", T_WORD, NULL, "SUCCESS ERROR", false},
	{"output", T_ANY, NULL, NULL, false}, {"seconds", T_NUMBER, NULL, NULL, false},
	{NULL, T_ANY, NULL, NULL, false}};
static const vt_field identity_fields[] = {{"user", T_OBJECT, NULL, NULL, false},
	{"project", T_OBJECT, NULL, NULL, false}, {NULL, T_ANY, NULL, NULL, false}};
static const vt_field stop_fields[] = {{"request", T_COUNT, NULL, NULL, false},
	{"effect", T_COUNT, NULL, NULL, false}, {"when", T_WORD, NULL, "before after", false},
	{NULL, T_ANY, NULL, NULL, false}};
static const vt_field top_fields[] = {
	{"heat", T_ITEMS, heat_fields, NULL, false},
	{"agents", T_ITEMS, agent_fields, NULL, false},
	{"network", T_OBJECT, network_fields, NULL, false},
	{"scripts", T_ITEMS, script_fields, NULL, false},
	{"regions", T_MAP, region_fields, NULL, false},
	{"images", T_LIST, NULL, NULL, false},
	{"flavors", T_LIST, NULL, NULL, false},
	{"keypairs", T_LIST, NULL, NULL, false},
	{"latency", T_OBJECT, latency_fields, NULL, false},
	{"metadefs", T_OBJECT, metadef_fields, NULL, false},
	{"workflows", T_MAP, workflow_fields, NULL, false},
	{"identity", T_OBJECT, identity_fields, NULL, false},
	{"secrets", T_MAP, NULL, NULL, false},
	{"state", T_TEXT, NULL, NULL, false},
	{"stop", T_OBJECT, stop_fields, NULL, false},
	{NULL, T_ANY, NULL, NULL, false},
};

static const vt_field whole = {"", T_OBJECT, top_fields, NULL, false};

bool
vt_scenario_check(const char *text, size_t n, vt_value scenario, char **err)
{
	return vt_shape_check(text, n, scenario, &whole, err);
}

/* ---- rules ------------------------------------------------------------------------------- */

/* '*' is any text, '?' one byte. */
static bool
sim_glob(const char *pattern, const char *text)
{
	const char *star = NULL, *back = NULL;
	while (*text != '\0') {
		if (*pattern == '*') {
			star = pattern++;
			back = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star + 1;
			text = ++back;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

static bool
fits(vt_value rule, uint32_t n, const char *const (*facts)[2])
{
	for (uint32_t i = 0; i < n; i++) {
		vt_value v = vt_member(rule, facts[i][0]);
		if (vt_is(v, STR) && !sim_glob(vt_as_str(v)->s, facts[i][1]))
			return false;
	}
	return true;
}

vt_value
sim_rule(vt_sim *s, const char *list, uint32_t n, const char *const (*facts)[2])
{
	vt_value all = vt_member(s->scenario, list), found = VT_NULL;
	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++) {
		vt_value rule = vt_as_list(all)->v[i], nth = vt_member(rule, "n"),
			 from = vt_member(rule, "from");
		char *name;
		int64_t seen;
		if (!fits(rule, n, facts))
			continue;
		name = vt_asprintf("%s[%u]", list, i);
		seen = sim_count(s, name);
		free(name);
		if (found == VT_NULL && (!vt_is_int(nth) || seen == vt_toint(nth)) &&
			(!vt_is_int(from) || seen >= vt_toint(from)))
			found = rule;
	}
	return found;
}

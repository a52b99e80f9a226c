/*
 * sim_scenario.c - the file of --scenario (docs/dry-run.md): what it may say, and which rule is for
 * an event.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

/* ---- shape
 * --------------------------------------------------------------------------------------------- */

enum type {
	T_ANY,
	T_TEXT,
	T_WORD,
	T_NUMBER,
	T_COUNT,
	T_STATUS,
	T_BOOL,
	T_LIST,
	T_ITEMS,
	T_MAP,
	T_OBJECT,
	T_ERROR
};

typedef struct field {
	const char *name; /* NULL: the last one */
	enum type type;
	const struct field *fields; /* T_OBJECT; of the items of T_ITEMS, the values of T_MAP */
	const char *words;          /* T_WORD: "create update delete" */
} field;

static const field error_fields[] = {{"code", T_COUNT, NULL, NULL}, {"message", T_TEXT, NULL, NULL},
	{"details", T_ANY, NULL, NULL}, {NULL, T_ANY, NULL, NULL}};
static const field heat_fields[] = {{"stack", T_TEXT, NULL, NULL},
	{"op", T_WORD, NULL, "create update delete"}, {"region", T_TEXT, NULL, NULL},
	{"n", T_COUNT, NULL, NULL}, {"from", T_COUNT, NULL, NULL}, {"http", T_STATUS, NULL, NULL},
	{"message", T_TEXT, NULL, NULL}, {"reason", T_TEXT, NULL, NULL},
	{"seconds", T_NUMBER, NULL, NULL}, {NULL, T_ANY, NULL, NULL}};
static const field agent_fields[] = {{"queue", T_TEXT, NULL, NULL}, {"name", T_TEXT, NULL, NULL},
	{"n", T_COUNT, NULL, NULL}, {"from", T_COUNT, NULL, NULL}, {"silent", T_BOOL, NULL, NULL},
	{"answer", T_ANY, NULL, NULL}, {"error", T_ERROR, error_fields, NULL},
	{"seconds", T_NUMBER, NULL, NULL}, {NULL, T_ANY, NULL, NULL}};
static const field network_fields[] = {{"routers", T_LIST, NULL, NULL},
	{"networks", T_LIST, NULL, NULL}, {"subnets", T_LIST, NULL, NULL},
	{"ports", T_LIST, NULL, NULL}, {"extensions", T_LIST, NULL, NULL},
	{NULL, T_ANY, NULL, NULL}};
static const field region_fields[] = {
	{"network", T_OBJECT, network_fields, NULL}, {NULL, T_ANY, NULL, NULL}};
static const field latency_fields[] = {{"create", T_NUMBER, NULL, NULL},
	{"update", T_NUMBER, NULL, NULL}, {"delete", T_NUMBER, NULL, NULL},
	{"agent", T_NUMBER, NULL, NULL}, {"request", T_NUMBER, NULL, NULL},
	{NULL, T_ANY, NULL, NULL}};
static const field metadef_fields[] = {{"namespaces", T_LIST, NULL, NULL},
	{"objects", T_OBJECT, NULL, NULL}, {NULL, T_ANY, NULL, NULL}};
static const field workflow_fields[] = {{"state", T_WORD, NULL, "SUCCESS ERROR"},
	{"output", T_ANY, NULL, NULL}, {"seconds", T_NUMBER, NULL, NULL},
	{NULL, T_ANY, NULL, NULL}};
static const field identity_fields[] = {{"user", T_OBJECT, NULL, NULL},
	{"project", T_OBJECT, NULL, NULL}, {NULL, T_ANY, NULL, NULL}};
static const field stop_fields[] = {{"request", T_COUNT, NULL, NULL},
	{"effect", T_COUNT, NULL, NULL}, {"when", T_WORD, NULL, "before after"},
	{NULL, T_ANY, NULL, NULL}};
static const field top_fields[] = {
	{"heat", T_ITEMS, heat_fields, NULL},
	{"agents", T_ITEMS, agent_fields, NULL},
	{"network", T_OBJECT, network_fields, NULL},
	{"regions", T_MAP, region_fields, NULL},
	{"latency", T_OBJECT, latency_fields, NULL},
	{"metadefs", T_OBJECT, metadef_fields, NULL},
	{"workflows", T_MAP, workflow_fields, NULL},
	{"identity", T_OBJECT, identity_fields, NULL},
	{"state", T_TEXT, NULL, NULL},
	{"stop", T_OBJECT, stop_fields, NULL},
	{NULL, T_ANY, NULL, NULL},
};

/* ---- places
 * --------------------------------------------------------------------------------------------- */

enum { DEEPEST = 8 };
typedef struct check {
	const char *text, *end;
	const char *key[DEEPEST]; /* the way down: a member's name, or NULL and an index */
	uint32_t index[DEEPEST], n;
	vt_buf why;
} check;

static const char *
skip_blank(const check *c, const char *p)
{
	while (p < c->end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

static const char *
skip_string(const check *c, const char *p)
{
	for (p++; p < c->end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < c->end)
			p++;
	return p < c->end ? p + 1 : p;
}

/* Behind a value; the text is known to be JSON. */
static const char *
skip_value(const check *c, const char *p)
{
	uint32_t depth = 0;
	for (p = skip_blank(c, p); p < c->end;) {
		if (*p == '"') {
			p = skip_string(c, p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
			continue;
		} else if (*p == '}' || *p == ']') {
			if (depth == 0)
				return p;
			depth--;
			p++;
		} else if (*p == ',' && depth == 0) {
			return p;
		} else {
			p++;
			continue;
		}
		if (depth == 0)
			return p;
	}
	return p;
}

/* Does the string at p say that?  One with escapes says nothing here: keys of scenarios need none.
 */
static bool
says(const check *c, const char *p, const char *key)
{
	size_t n = strlen(key);
	return (size_t)(c->end - p) > n + 1 && memcmp(p + 1, key, n) == 0 && p[n + 1] == '"';
}

static const char *
member_at(const check *c, const char *p, const char *key)
{
	for (p = skip_blank(c, p + 1); p < c->end && *p == '"';) {
		bool found = says(c, p, key);
		const char *name = p;
		p = skip_blank(c, skip_string(c, p));
		if (p < c->end && *p == ':')
			p = skip_blank(c, p + 1);
		if (found)
			return p < c->end ? p : name;
		p = skip_blank(c, skip_value(c, p));
		if (p < c->end && *p == ',')
			p = skip_blank(c, p + 1);
	}
	return c->text;
}

static const char *
item_at(const check *c, const char *p, uint32_t index)
{
	for (p = skip_blank(c, p + 1); p < c->end && index > 0; index--) {
		p = skip_blank(c, skip_value(c, p));
		if (p < c->end && *p == ',')
			p = skip_blank(c, p + 1);
	}
	return p;
}

static bool wrong(check *, const char *fmt, ...) VT_PRINTF(2, 3);
static bool
wrong(check *c, const char *fmt, ...)
{
	const char *at = skip_blank(c, c->text);
	unsigned line = 1, column = 1;
	va_list ap;
	for (uint32_t i = 0; i < c->n; i++)
		at = c->key[i] ? member_at(c, at, c->key[i]) : item_at(c, at, c->index[i]);
	for (const char *p = c->text; p < at && p < c->end; p++) {
		column = *p == '\n' ? 1 : column + ((*p & 0xc0) != 0x80);
		line += *p == '\n';
	}
	if (c->text < c->end && *skip_blank(c, c->text) == '{')
		vt_buf_printf(&c->why, "%u:%u:", line, column);
	vt_buf_putc(&c->why, ' '); /* in YAML the names must do */
	for (uint32_t i = 0; i < c->n; i++)
		if (c->key[i] != NULL)
			vt_buf_printf(&c->why, "%s%s", i > 0 ? "." : "", c->key[i]);
		else
			vt_buf_printf(&c->why, "[%u]", c->index[i]);
	vt_buf_puts(&c->why, c->n > 0 ? ": " : "");
	va_start(ap, fmt);
	vt_buf_vprintf(&c->why, fmt, ap);
	va_end(ap);
	return false;
}

/* ---- checking
 * --------------------------------------------------------------------------------------------- */

static bool check_value(check *, vt_value, const field *);

/* Do at most two letters differ, side by side? */
static bool
is_near(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), same = 0, tail = 0;
	while (same < n && same < m && a[same] == b[same])
		same++;
	while (tail < n - same && tail < m - same && a[n - 1 - tail] == b[m - 1 - tail])
		tail++;
	return n - same - tail <= 2 && m - same - tail <= 2 && same + tail > 0;
}

static bool
unknown_member(check *c, const char *name, const field *fields)
{
	vt_buf all = {0};
	const char *near = NULL;
	bool r;
	for (const field *f = fields; f->name != NULL; f++) {
		vt_buf_printf(&all, "%s%s", all.n ? ", " : "", f->name);
		if (is_near(name, f->name))
			near = f->name;
	}
	vt_buf_putc(&all, '\0');
	r = near ? wrong(c, "nobody reads this; is it %s?", near)
		 : wrong(c, "nobody reads this; there are %s", all.p);
	vt_buf_free(&all);
	return r;
}

static bool
down(check *c, const char *key, uint32_t index)
{
	if (c->n == DEEPEST)
		return false;
	c->key[c->n] = key;
	c->index[c->n++] = index;
	return true;
}

static bool
check_object(check *c, vt_value v, const field *fields)
{
	vt_value key, member;
	if (!vt_is(v, DICT))
		return wrong(c, "an object is expected, { ... }");
	for (uint32_t i = 0; fields != NULL && vt_dict_at(vt_as_dict(v), &i, &key, &member);) {
		const field *f = fields;
		if (!down(c, vt_as_str(key)->s, 0))
			return true;
		while (f->name != NULL && strcmp(f->name, vt_as_str(key)->s) != 0)
			f++;
		if (f->name == NULL ? !unknown_member(c, vt_as_str(key)->s, fields)
				    : !check_value(c, member, f))
			return false;
		c->n--;
	}
	return true;
}

static bool
check_items(check *c, vt_value v, const field *f)
{
	if (!vt_is_sequence(v))
		return wrong(c, "a list is expected, [ ... ]");
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
		if (!down(c, NULL, i))
			return true;
		if (!check_object(c, vt_as_list(v)->v[i], f->fields))
			return false;
		c->n--;
	}
	return true;
}

static bool
check_map(check *c, vt_value v, const field *f)
{
	vt_value key, member;
	if (!vt_is(v, DICT))
		return wrong(c, "an object is expected, { ... }");
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &member);) {
		if (!down(c, vt_as_str(key)->s, 0))
			return true;
		if (!check_object(c, member, f->fields))
			return false;
		c->n--;
	}
	return true;
}

static bool
is_word_of(const char *words, const char *s)
{
	size_t n = strcspn(s, " ") == strlen(s) ? strlen(s) : 0;
	for (const char *p = words; (p = strstr(p, s)) != NULL; p++)
		if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0') && n > 0)
			return true;
	return false;
}

static bool
check_value(check *c, vt_value v, const field *f)
{
	switch (f->type) {
	case T_ANY: return true;
	case T_TEXT: return vt_is(v, STR) || wrong(c, "a text is expected");
	case T_WORD:
		return (vt_is(v, STR) && is_word_of(f->words, vt_as_str(v)->s)) ||
		       wrong(c, "one of these is expected: %s", f->words);
	case T_NUMBER:
		return (vt_is_number(v) && vt_num_cmp(v, vt_mkint(0)) >= 0 &&
			       vt_num_cmp(v, vt_mkint(1000000000)) < 0) ||
		       wrong(c, "a number of seconds is expected");
	case T_COUNT:
		return (vt_is_int(v) && vt_toint(v) >= 1) ||
		       wrong(c, "a number from 1 on is expected");
	case T_STATUS:
		return (vt_is_int(v) && vt_toint(v) >= 400 && vt_toint(v) <= 599) ||
		       wrong(c, "a status of HTTP is expected, 400 to 599");
	case T_BOOL: return vt_is_bool(v) || wrong(c, "true or false is expected");
	case T_LIST: return vt_is_sequence(v) || wrong(c, "a list is expected, [ ... ]");
	case T_ITEMS: return check_items(c, v, f);
	case T_MAP: return check_map(c, v, f);
	case T_OBJECT: return check_object(c, v, f->fields);
	case T_ERROR: return vt_is(v, STR) || check_object(c, v, f->fields);
	}
	return true;
}

bool
vt_scenario_check(const char *text, size_t n, vt_value scenario, char **err)
{
	check c = {.text = text, .end = text + n};
	bool ok = check_object(&c, scenario, top_fields);
	vt_buf_putc(&c.why, '\0');
	if (ok)
		vt_buf_free(&c.why);
	else
		*err = c.why.p;
	return ok;
}

/* ---- rules
 * ---------------------------------------------------------------------------------------------------
 */

/* '*' is any text, '?' one byte. */
bool
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

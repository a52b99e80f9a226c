/* text.c - texts with expressions in them, and the shape of documents. */
#include "compiler/workflow/int.h"
#include "runtime/text/nearest.h"

#include <string.h>

/* ---- blocks ---- */

/* Both hosts look for <%.*?%>, whose dot is no line end. */
bool
wf_block(const char *text, const char **end)
{
	if (strncmp(text, "<%", 2) != 0)
		return false;
	const char *close = strstr(text + 2, "%>");
	if (!close || memchr(text, '\n', (size_t)(close - text)))
		return false;
	*end = close + 2;
	return true;
}

const char *
wf_text(const ynode *y)
{
	return y && y->kind == YN_SCALAR && y->type == YT_STR && strlen(y->text) == y->ntext
		       ? y->text
		       : NULL;
}

const char wf_word_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

const char *
wf_inline_name(const char **at, size_t *n)
{
	const char *end, *p = *at;
	while (*p) {
		size_t word = strspn(p, wf_word_chars);
		if (word && p[word] == '=' && p[word + 1] != '=') {
			*at = p + word + 1;
			*n = word;
			return p;
		}
		if (wf_block(p, &end))
			p = end;
		else if ((*p == '"' || *p == '\'') && (end = strchr(p + 1, *p)) != NULL)
			p = end + 1;
		else
			p += word ? word : 1;
	}
	return NULL;
}

static bool
is_jinja(const char *text)
{
	const char *a = strstr(text, "{{"), *b = strstr(text, "{%");
	return (a && strstr(a, "}}")) || (b && strstr(b, "%}"));
}

static void
not_closed(const wf_scope *s, const ynode *y, const char *at)
{
	uint32_t from = (uint32_t)(at - y->text);
	bool later = strstr(at, "%>") != NULL;
	wf_say(s, VC_W5003, yn_subspan(y, from, from + 2), "%s",
		later ? "this expression ends on another line, so it stays text"
		      : "<% without %>: this stays text");
	if (later)
		vc_hint(s->c, "a text that is folded (>-) has no line ends");
}

/* All expressions of a text; what the text becomes. */
static vc_type
check_text(const wf_scope *s, const ynode *y)
{
	vc_type out = {.kinds = VC_K_STR}, any = {.kinds = VC_K_ALL};
	const char *text = y->text, *end = text;
	bool some = false;
	for (const char *p = strstr(text, "<%"); p; p = strstr(end, "<%")) {
		if (!wf_block(p, &end)) {
			not_closed(s, y, p);
			end = p + 2;
			continue;
		}
		uint32_t from = (uint32_t)(p + 2 - text);
		vc_type one = wf_expression(s, y, from, (uint32_t)(end - p) - 4);
		some = true;
		if (p == text && !*end)
			out = one;
	}
	if (!is_jinja(text))
		return out;
	if (some)
		wf_say(s, VC_E5001, y->span,
			"a text holds expressions of YAQL or of Jinja, and "
			"not of both");
	else
		vc_report(s->c, VC_W5004, y->span, "expressions in Jinja are not checked");
	return any;
}

void
wf_value(const wf_scope *s, const ynode *y)
{
	if (wf_text(y))
		(void)check_text(s, y);
	if (!y || (y->kind != YN_MAP && y->kind != YN_SEQ))
		return;
	for (uint32_t i = 0; i < y->n; i++)
		wf_value(s, y->item[i]);
}

static uint32_t
kinds_of(const wf_scope *s, const ynode *y)
{
	if (y->kind == YN_SEQ)
		return VC_K_LIST;
	if (y->kind == YN_MAP)
		return VC_K_DICT;
	switch ((enum yn_type)y->type) {
	case YT_STR: return wf_text(y) ? check_text(s, y).kinds : VC_K_ALL;
	case YT_NULL: return VC_K_NULL;
	case YT_BOOL: return VC_K_BOOL;
	case YT_INT: return VC_K_INT;
	case YT_FLOAT: return VC_K_FLOAT;
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: break;
	}
	return VC_K_ALL;
}

void
wf_typed(const wf_scope *s, const ynode *y, uint32_t kinds, const char *what)
{
	if (!y || y->kind == YN_ERROR)
		return;
	vc_type got = {.kinds = kinds_of(s, y)}, wanted = {.kinds = kinds};
	if (y->kind != YN_SCALAR)
		wf_value(s, y);
	if (got.kinds == 0 || got.kinds & kinds)
		return;
	wf_say(s, VC_E5007, y->span, "'%s' is %s, and this is %s", what, vc_type_text(s->c, wanted),
		vc_type_text(s->c, got));
}

/* ---- shapes ---- */

static void
unknown_key(const wf_scope *s, const ynode *y, uint32_t i, const char *noun,
	const char *const *names, size_t n)
{
	const ynode *key = y->key[i];
	const char *name = key->kind == YN_SCALAR ? key->text : "", *near;
	bool tasks = wf_like_tasks(y->item[i]);
	wf_say(s, VC_E5002, key->span, "%s has no keyname '%s'", noun, name);
	near = wf_enough(s, (uint32_t)n) ? NULL : vt_nearest(name, names, n);
	for (size_t k = 0; k < n && tasks && !near; k++)
		if (!strcmp(names[k], "tasks") && !yn_get(y, "tasks"))
			near = names[k];
	if (near)
		vc_did_you_mean(s->c, "'%s'", near);
}

bool
wf_keys(const wf_scope *s, const ynode *y, const char *noun, const char *const *names)
{
	size_t n = 0;
	if (y->kind != YN_MAP) {
		if (y->kind != YN_ERROR)
			wf_say(s, VC_E5001, y->span, "%s is a map", noun);
		return false;
	}
	while (names[n])
		n++;
	for (uint32_t i = 0; i < y->n; i++) {
		const ynode *key = y->key[i];
		bool known = key->kind == YN_ERROR;
		for (size_t k = 0; k < n && key->kind == YN_SCALAR && !known; k++)
			known = !strcmp(key->text, names[k]);
		if (!known)
			unknown_key(s, y, i, noun, names, n);
	}
	return true;
}

const ynode *
wf_tasks(const wf_scope *s, const ynode *of, bool *missing)
{
	static const char *const name = "tasks";
	const ynode *y = yn_get(of, name);
	*missing = false;
	for (uint32_t i = 0; !y && i < of->n; i++) {
		const ynode *key = of->key[i], *value = of->item[i];
		if (key->kind == YN_SCALAR && value->kind == YN_MAP && value->n &&
			(wf_like_tasks(value) || vt_nearest(key->text, &name, 1)))
			return value;
	}
	*missing = !y;
	return wf_map(s, of, name);
}

const ynode *
wf_map(const wf_scope *s, const ynode *of, const char *key)
{
	const ynode *y = yn_get(of, key);
	if (!y || y->kind == YN_ERROR)
		return NULL;
	if (y->kind == YN_MAP && y->n)
		return y;
	wf_say(s, VC_E5001, y->span, "'%s' is a map with one entry at least", key);
	return NULL;
}

bool
wf_entry(const wf_scope *s, const ynode *list, uint32_t n, const ynode **key, const ynode **value,
	const char *what)
{
	const ynode *y = list->item[n];
	*key = y;
	*value = NULL;
	if (wf_text(y))
		return true;
	if (y->kind == YN_MAP && y->n == 1 && y->key[0]->kind == YN_SCALAR) {
		*key = y->key[0];
		*value = y->item[0];
		return true;
	}
	if (y->kind != YN_ERROR)
		wf_say(s, VC_E5001, y->span, "an entry of '%s' is a name, or a map of one name",
			what);
	return false;
}

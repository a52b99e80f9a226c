/* workflow.c - which files are workflows, and a file from its text to its checks. */
#include "compiler/workflow/int.h"

#include <string.h>

/* Both read their documents with PyYAML. */
static const vc_yaml_opts yaml = {.keep_empty = true};

enum wf_kind
wf_kind_named(const char *name)
{
	return !name                       ? WF_NONE
	       : !strcmp(name, "mistral")  ? WF_MISTRAL
	       : !strcmp(name, "orquesta") ? WF_ORQUESTA
					   : WF_NONE;
}

static bool
is_map(const ynode *y)
{
	return y && y->kind == YN_MAP;
}

bool
wf_like_tasks(const ynode *y)
{
	static const char *const words[] = {"action", "workflow", "on-success", "on-error",
		"on-complete", "with-items", "next", "publish"};
	for (uint32_t i = 0; is_map(y) && i < y->n; i++)
		for (size_t k = 0; is_map(y->item[i]) && k < VC_LEN(words); k++)
			if (yn_get(y->item[i], words[k]))
				return true;
	return false;
}

/* The key of a map that has tasks: "tasks", or one that is misspelt. */
static bool
has_tasks(const ynode *map)
{
	const ynode *tasks = is_map(map) ? yn_get(map, "tasks") : NULL;
	bool found = tasks && tasks->kind != YN_SCALAR;
	for (uint32_t i = 0; is_map(map) && i < map->n && !found; i++)
		found = wf_like_tasks(map->item[i]);
	return found;
}

bool
wf_has_flows(const ynode *map)
{
	for (uint32_t i = 0; is_map(map) && i < map->n; i++) {
		const ynode *y = map->item[i];
		if (has_tasks(y) || (is_map(y) && yn_get(y, "base")))
			return true;
	}
	return false;
}

/* The same one level down: the keys of a workbook may be misspelt too. */
static bool
has_book(const ynode *doc)
{
	for (uint32_t i = 0; i < doc->n; i++)
		if (wf_has_flows(doc->item[i]))
			return true;
	return false;
}

/* A version that neither host reads leaves the shape, which has to be plain then. */
static enum wf_kind
kind_of(const ynode *doc)
{
	const ynode *v = is_map(doc) ? yn_get(doc, "version") : NULL;
	if (!v || v->kind != YN_SCALAR || yn_get(doc, "tosca_definitions_version"))
		return WF_NONE;
	bool second = !strcmp(v->text, "2.0") || !strcmp(v->text, "2");
	if (second && (wf_has_flows(doc) || has_book(doc)))
		return WF_MISTRAL;
	if (!strcmp(v->text, "1.0") && has_tasks(doc))
		return WF_ORQUESTA;
	for (uint32_t i = 0; i < doc->n; i++)
		if (wf_like_tasks(doc->item[i]))
			return second ? WF_MISTRAL : WF_ORQUESTA;
	return WF_NONE;
}

/* What the lines say, before a file is read as YAML, and when it cannot be. */
static enum wf_kind
kind_of_lines(const vc_source *src, bool *version)
{
	enum wf_kind kind = WF_NONE;
	bool flows = false;
	for (const char *p = src->text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		p += strspn(p, " {");
		const char *word = p + (*p == '"' || *p == '\'');
		flows |= !strncmp(word, "tasks:", 6) || !strncmp(word, "workflows:", 10);
		if (strncmp(word, "version", 7) != 0)
			continue;
		*version = true;
		const char *value = word + 7 + strspn(word + 7, "\"': ");
		kind = !strncmp(value, "2.0", 3)   ? WF_MISTRAL
		       : !strncmp(value, "1.0", 3) ? WF_ORQUESTA
						   : kind;
	}
	return flows ? kind : WF_NONE;
}

enum wf_kind
wf_kind_of(vc *c, const char *path)
{
	bool version = false;
	uint32_t n = 0;
	vc *look = vc_new();
	look->limit = c->limit;
	vc_source *src = vc_source_read(look, path);
	enum wf_kind kind = src ? kind_of_lines(src, &version) : WF_NONE;
	ynode **docs = version ? vc_yaml_parse(look, src, &yaml, &n) : NULL;
	if (!version || n)
		kind = n ? kind_of(docs[0]) : WF_NONE;
	vc_free(look);
	return kind;
}

void
wf_check(vc *c, vc_source *src, enum wf_kind kind, const char *const *functions, uint32_t n)
{
	uint32_t ndocs = 0;
	ynode **docs = vc_yaml_parse(c, src, &yaml, &ndocs);
	wf_scope s = {.c = c, .host = wf_host_read(c, kind, functions, n)};
	if (ndocs > 1)
		vc_report(c, VC_E5001, docs[1]->span, "a file of workflows is one YAML document");
	if (!ndocs || docs[0]->kind == YN_ERROR)
		return;
	if (docs[0]->kind != YN_MAP)
		vc_report(c, VC_E5001, docs[0]->span, "a file of workflows is a map");
	else if (kind == WF_ORQUESTA)
		wf_check_orquesta(&s, docs[0]);
	else
		wf_check_mistral(&s, docs[0]);
}

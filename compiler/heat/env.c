/*
 * env.c - environment files: values of parameters, and what types stand for.
 */
#include "compiler/heat/int.h"

#include <string.h>

static const char *const sections[] = {"parameters", "parameter_defaults", "resource_registry",
	"encrypted_param_names", "event_sinks", "parameter_merge_strategies", NULL};

static bool
is_section(const char *name)
{
	for (uint32_t i = 0; name && sections[i]; i++)
		if (!strcmp(sections[i], name))
			return true;
	return false;
}

static void
check_section(heat *h, const ynode *key, const ynode *value)
{
	const char *name = ht_text(key);
	if (!is_section(name)) {
		vc_report(h->c, VC_E2002, key->span, "an environment has no section '%s'",
			name ? name : "(no string)");
		size_t n = VC_LEN(sections) - 1;
		const char *near = name ? vt_nearest(name, sections, n) : NULL;
		if (near)
			vc_did_you_mean(h->c, "'%s'", near);
	} else if (ht_is_null(value)) {
		vc_report(h->c, VC_E2004, key->span, "the section %s is empty", name);
		vc_hint(h->c, "leave it out, or write %s: {}", name);
	}
}

/* parameters of any environment count before parameter_defaults of all. */
static bool
add_parameters(heat *h, const ynode *y, uint32_t at)
{
	if (!y || y->kind != YN_MAP)
		return false;
	vc_push(h->c, h->env.parameters, h->env.nparameters) = y;
	for (uint32_t i = h->env.nparameters - 1; i > at; i--)
		h->env.parameters[i] = h->env.parameters[i - 1];
	h->env.parameters[at] = y;
	return true;
}

void
ht_read_environment(heat *h, const char *path)
{
	vc *c = h->c;
	vc_source *src = vc_source_read(c, path);
	uint32_t n = 0;
	ynode **docs = src ? vc_yaml_parse(c, src, &heat_yaml, &n) : NULL;
	if (!n || docs[0]->kind == YN_ERROR || ht_is_null(docs[0]))
		return;
	const ynode *doc = docs[0];
	if (doc->kind != YN_MAP) {
		vc_report(c, VC_E2004, doc->span, "an environment must be a map");
		return;
	}
	for (uint32_t i = 0; i < doc->n; i++)
		check_section(h, doc->key[i], doc->item[i]);
	const ynode *registry = yn_get(doc, "resource_registry");
	if (registry && registry->kind == YN_MAP) {
		uint32_t at = h->env.nregistry;
		vc_push(c, h->env.folders, at) = path;
		vc_push(c, h->env.registry, h->env.nregistry) = registry;
	}
	add_parameters(h, yn_get(doc, sections[0]), h->env.nparameters);
	if (add_parameters(h, yn_get(doc, sections[1]), h->env.ndefaults))
		h->env.ndefaults++;
}

const ynode *
ht_given(heat *h, const char *parameter)
{
	return heat_given_value(&(heat_given){h->env.parameters, h->env.nparameters}, parameter);
}

const ynode *
heat_given_value(const heat_given *g, const char *parameter)
{
	for (uint32_t i = g->n; i-- > 0;)
		if (yn_key(g->map[i], parameter))
			return yn_get(g->map[i], parameter);
	return NULL;
}

/* OS::Net::* stands for what begins so; what the star stood for goes into the other star. */
static const char *
match(heat *h, const ynode *key, const ynode *value, const char *type)
{
	const char *from = ht_text(key), *to = ht_text(value);
	size_t n = from ? strlen(from) : 0;
	if (!from || !to)
		return NULL;
	if (!strcmp(from, type))
		return to;
	if (!n || from[n - 1] != '*' || strncmp(from, type, n - 1) != 0)
		return NULL;
	size_t k = strlen(to);
	return k && to[k - 1] == '*' ? vc_format(h->c, "%.*s%s", (int)k - 1, to, type + n - 1) : to;
}

static const char *
in_map(heat *h, const ynode *map, const char *type)
{
	for (uint32_t i = map && map->kind == YN_MAP ? map->n : 0; i-- > 0;) {
		const char *to = match(h, map->key[i], map->item[i], type);
		if (to)
			return to;
	}
	return NULL;
}

const char *
ht_registered(heat *h, const char *type, const char *resource, const char **folder)
{
	for (uint32_t i = h->env.nregistry; i-- > 0;) {
		const ynode *registry = h->env.registry[i], *own = yn_get(registry, "resources");
		const char *to = own && own->kind == YN_MAP && resource
					 ? in_map(h, yn_get(own, resource), type)
					 : NULL;
		to = to ? to : in_map(h, registry, type);
		if (!to)
			continue;
		*folder = h->env.folders[i];
		return to;
	}
	*folder = NULL;
	return type;
}

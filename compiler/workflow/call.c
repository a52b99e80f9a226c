/* call.c - what a task runs: actions that the host knows, and inputs of actions and workflows. */
#include "compiler/workflow/int.h"
#include "runtime/text/nearest.h"

#include <string.h>

/* ---- inputs ---- */

static void
give(const wf_scope *s, const wf_wanted *w, wf_names *given, const char *name, vc_span at)
{
	wf_add(s->c, given, name);
	if (wf_find(s->c, &w->inputs, name) != UINT32_MAX || (w->also && w->also(name)))
		return;
	wf_say(s, w->unexpected, at, "%s '%s' has no input '%s'", w->noun, w->name, name);
	const char *near = w->inputs.n && !wf_enough(s, w->inputs.n)
				   ? vt_nearest(name, w->inputs.v, w->inputs.n)
				   : NULL;
	if (!near)
		return;
	vc_did_you_mean(s->c, "'%s'", near);
	if (w->unexpected == VC_E5010)
		wf_add(s->c, given, near); /* one mistake, one error */
}

void
wf_check_inputs(const wf_scope *s, const wf_wanted *w, const ynode *call, const ynode *input)
{
	const char *text = wf_text(call), *key;
	size_t n = strlen(w->name), len;
	const char *at = text + n;
	wf_names given = {0};
	while ((key = wf_inline_name(&at, &len)) != NULL) {
		uint32_t from = (uint32_t)(key - text);
		give(s, w, &given, vc_strndup(s->c, key, len),
			yn_subspan(call, from, from + (uint32_t)len));
	}
	for (uint32_t i = 0; input && input->kind == YN_MAP && i < input->n; i++)
		if (input->key[i]->kind == YN_SCALAR)
			give(s, w, &given, input->key[i]->text, input->key[i]->span);
	if (input && input->kind != YN_MAP)
		return; /* an expression gives them */
	for (uint32_t i = 0; i < w->inputs.n; i++)
		if (!w->optional[i] && wf_find(s->c, &given, w->inputs.v[i]) == UINT32_MAX)
			wf_say(s, w->missing, yn_subspan(call, 0, (uint32_t)n),
				"%s '%s' needs the input '%s'", w->noun, w->name, w->inputs.v[i]);
}

/* ---- actions ---- */

static const char *
nearest_action(const wf_scope *s, const char *name)
{
	const wf_names *all = &s->host->actions.names;
	return all->n && !wf_enough(s, all->n) ? vt_nearest(name, all->v, all->n) : NULL;
}

/* Has the host actions whose names begin as this one does, up to the first dot? */
static bool
has_space(const wf_host *h, const char *name)
{
	size_t n = strcspn(name, ".");
	for (uint32_t i = 0; name[n] && i < h->actions.n; i++)
		if (!strncmp(h->actions.names.v[i], name, n + 1))
			return true;
	return false;
}

/* Who owns `std.` knows all that is below it; elsewhere a server may have more. */
static void
unknown_action(const wf_scope *s, const char *name, vc_span at)
{
	const char *near = nearest_action(s, name);
	bool owned = has_space(s->host, name);
	if (!owned && !near)
		return;
	wf_say(s, owned ? VC_E5009 : VC_W5007, at,
		owned ? "%s has no action '%s'" : "neither %s nor this file has an action '%s'",
		s->host->name, name);
	if (near)
		vc_did_you_mean(s->c, "'%s'", near);
	else
		vc_hint(s->c, "a file that --functions names may declare more actions");
}

void
wf_check_action(const wf_scope *s, const wf_names *own, const ynode *call, const ynode *input)
{
	const char *text = wf_text(call);
	size_t n = text ? strcspn(text, " \t\n") : 0;
	const char *name = vc_strndup(s->c, text ? text : "", n);
	if (!n || !s->host || strstr(name, "<%") || strstr(name, "{{") || strstr(name, "{%") ||
		wf_find(s->c, own, name) != UINT32_MAX)
		return;
	const wf_function *f = wf_action_of(s->c, s->host, name);
	if (!f) {
		unknown_action(s, name, yn_subspan(call, 0, (uint32_t)n));
		return;
	}
	wf_wanted w = {.noun = "action", .name = name, .unexpected = VC_E5010, .missing = VC_W5008};
	w.optional = vc_alloc(s->c, f->nparams + 1);
	for (uint32_t i = 0; i < f->nparams; i++) {
		if (f->params[i].rest || f->params[i].keywords)
			return; /* takes anything */
		wf_add(s->c, &w.inputs, f->params[i].name);
		w.optional[i] = f->params[i].has_default;
	}
	wf_check_inputs(s, &w, call, input);
}

/*
 * state.c - what was done to a service: a MuGL snapshot with a journal beside it.
 *
 * A vertex is a node: its type, and as properties
 *	state          of its lifecycle: creating, created...
 *	done           names of the steps that have ended
 *	begun          the step that was begun and has not ended; it runs again
 *	tries          {step: {"attempt": n, "process": {...}}}: steps that were begun and
 *	               have not ended well, how often, and the process group (left.c)
 *	made           {part: hash}: what it was made of, by which an update finds what changed
 *	values         {part: value}: the same for people, and files that ran
 *	update         {"parts": [...], "told": bool}: an update that has not reached its end;
 *	               steps that it repeats are not among those that are done
 *	attributes     what operations set: {name: value}
 *	capabilities   {"capability/name": value}
 *	relationships  {"requirement[0]/name": value}
 *	outputs        {"Interface/operation/name": value}
 *	requirements   edges to the nodes it was built on, by the name of the requirement
 *
 * Front matter: the service's name and version, its program's digest and the inputs; `wanted` are
 * those of an update that is still taking away what they do not ask for, `again` the node that it
 * makes anew ("": whatever has changed).  A node that is not there has not been begun, or is gone.
 * Each begin and end of a step is one record of the journal, synced before anything goes on.
 */
#include "runtime/deploy/state.h"
#include "runtime/text/record_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---- */

bool
vt_state_report(vt_tstate *s, bool good)
{
	if (!good) {
		vt_say("%s: the state cannot be kept:\n", s->self);
		mugl_problems_print(&s->bad, s->path, NULL, 0, stderr);
		mugl_problems_free(&s->bad);
		s->bad = (mugl_problems){0};
	}
	return good;
}

static void
report_journal(const vt_tstate *s)
{
	vt_say("%s: %s cannot be used", s->self, s->journal_path);
	for (uint32_t i = 0; i < s->bad.n; i++)
		vt_say(": %s", s->bad.p[i].message);
	fputc('\n', stderr);
}

static bool
open_journal(vt_tstate *s)
{
	s->j = mugl_journal_open(s->journal_path, s->g, &s->bad);
	if (!s->j)
		report_journal(s);
	return s->j != NULL;
}

/* The snapshot, without its journal.  NULL: reported. */
static vt_tstate *
open_snapshot(vt_rt *rt, const char *self, const char *path)
{
	vt_tstate *s = vt_xmalloc(sizeof *s);
	mugl_options snapshot = {.snapshot = true};
	*s = (vt_tstate){.rt = rt,
		.self = self,
		.path = vt_xstrdup(path),
		.journal_path = vt_asprintf("%s.journal", path)};
	if (access(path, F_OK) != 0) {
		s->g = mugl_new(NULL);
		return s;
	}
	s->g = mugl_read_file(path, &snapshot, &s->bad);
	if (s->g && !s->bad.errors)
		return s;
	vt_say("%s: the state cannot be read:\n", self);
	mugl_problems_print(&s->bad, path, NULL, 0, stderr);
	vt_tstate_close(s);
	return NULL;
}

vt_tstate *
vt_tstate_open(vt_rt *rt, const char *self, const char *path)
{
	vt_tstate *s = open_snapshot(rt, self, path);
	if (s && open_journal(s))
		return s;
	vt_tstate_close(s);
	return NULL;
}

/* A run that writes may put a snapshot in the place of this one in between: the next try has it. */
vt_tstate *
vt_tstate_look(vt_rt *rt, const char *self, const char *path)
{
	for (int tries = 0; tries < 5; tries++) {
		vt_tstate *s = open_snapshot(rt, self, path);
		if (!s)
			return NULL;
		s->dry = true;
		if (mugl_journal_look(s->journal_path, s->g, &s->bad))
			return s;
		if (tries == 4)
			report_journal(s);
		vt_tstate_close(s);
	}
	return NULL;
}

bool
vt_tstate_is_held(const char *path)
{
	char *journal = vt_asprintf("%s.journal", path);
	bool held = vt_log_is_held(journal);
	free(journal);
	return held;
}

vt_tstate *
vt_tstate_none(vt_rt *rt, const char *self, const char *path)
{
	vt_tstate *s = vt_xmalloc(sizeof *s);
	*s = (vt_tstate){.rt = rt,
		.self = self,
		.path = vt_xstrdup(path),
		.journal_path = vt_asprintf("%s.journal", path),
		.g = mugl_new(NULL),
		.dry = true};
	return s;
}

void
vt_tstate_close(vt_tstate *s)
{
	if (!s)
		return;
	if (s->j)
		mugl_journal_close(s->j);
	if (s->j && mugl_count(s->g) == 0 && access(s->path, F_OK) != 0)
		(void)unlink(s->journal_path); /* nothing came of it */
	if (s->g)
		mugl_free(s->g);
	mugl_problems_free(&s->bad);
	free(s->path);
	free(s->journal_path);
	free(s);
}

void
vt_tstate_remove(vt_tstate *s)
{
	/* A state without a journal is one; a journal without its state belongs to nothing. */
	(void)unlink(s->journal_path);
	(void)unlink(s->path);
}

void
vt_tstate_pretend(vt_tstate *s)
{
	s->dry = true;
}

bool
vt_tstate_save(vt_tstate *s)
{
	return s->dry || vt_state_report(s, mugl_journal_save(s->j, s->path, 0, &s->bad));
}

bool
vt_tstate_empty(const vt_tstate *s)
{
	return mugl_count(s->g) == 0;
}

/* Texts that were read are not closed by NUL. */
bool
vt_state_is_text(const mugl_node *v, const char *text)
{
	return v && v->kind == MUGL_STR && v->n == strlen(text) && !memcmp(v->s, text, v->n);
}

const mugl_node *
vt_state_header(const vt_tstate *s, const char *key, size_t n, enum mugl_kind kind)
{
	const mugl_node *v = mugl_get(mugl_header(s->g), key, n);
	return v && v->kind == kind ? v : NULL;
}

bool
vt_tstate_is_of(const vt_tstate *s, const char *digest)
{
	const mugl_node *v = vt_state_header(s, KEY("program"), MUGL_STR);
	return v && vt_state_is_text(v, digest);
}

char *
vt_tstate_service(const vt_tstate *s)
{
	const mugl_node *v = vt_state_header(s, KEY("service"), MUGL_STR);
	return v ? vt_asprintf("%.*s", (int)v->n, v->s) : NULL;
}

vt_value
vt_tstate_inputs(vt_tstate *s)
{
	const mugl_node *v = vt_state_header(s, KEY("inputs"), MUGL_OBJECT);
	return v ? mugl_to_value(s->g, s->rt, v, "#ref") : vt_mkptr(vt_dict_new(s->rt, true));
}

vt_value
vt_tstate_wanted(vt_tstate *s)
{
	const mugl_node *v = vt_state_header(s, KEY("wanted"), MUGL_OBJECT);
	return v ? mugl_to_value(s->g, s->rt, v, "#ref") : VT_UNDEF;
}

char *
vt_tstate_again(const vt_tstate *s)
{
	const mugl_node *v = vt_state_header(s, KEY("again"), MUGL_STR);
	return v ? vt_asprintf("%.*s", (int)v->n, v->s) : NULL;
}

static bool
put_inputs(vt_tstate *s, const char *key, vt_value inputs)
{
	const char *why = NULL;
	mugl_node in;
	if (!mugl_from_value(s->g, s->rt, inputs, NULL, &in, &why)) {
		vt_say("%s: the inputs cannot be kept: %s\n", s->self, why);
		return false;
	}
	mugl_put(s->g, mugl_header(s->g), key, strlen(key), in);
	return true;
}

/* ---- nodes ---- */

/* The buffer is the caller's to free. */
vt_buf
vt_state_moniker(const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_path(&b, t, n);
	return b;
}

mugl_id
vt_state_find(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = vt_state_moniker(t, n);
	mugl_id id = mugl_find(s->g, b.p, b.n);
	vt_buf_free(&b);
	return id;
}

mugl_node *
vt_state_properties(vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	const vt_ttype *type = &t->m->type[n->t->type];
	const char *text =
		type->canon ? vt_tosca_text(t, type->canon) : vt_tosca_text(t, type->name);
	vt_buf b = vt_state_moniker(t, n);
	mugl_node *p = mugl_properties(s->g, b.p, b.n, text);
	vt_buf_free(&b);
	return p;
}

/* The properties of a vertex, or NULL. */
const mugl_node *
vt_state_read(const vt_tstate *s, mugl_id id)
{
	const mugl_node *body = id == MUGL_NONE ? NULL : mugl_body(s->g, id);
	const mugl_node *p = body ? mugl_get(body, KEY("properties")) : NULL;
	return p && p->kind == MUGL_OBJECT ? p : NULL;
}

/* A member that is an object, made when there is none. */
mugl_node *
vt_state_section(vt_tstate *s, mugl_node *p, const char *key)
{
	const mugl_node *v = mugl_get(p, key, strlen(key));
	if (v && v->kind == MUGL_OBJECT)
		return (mugl_node *)(uintptr_t)v;
	return mugl_put(s->g, p, key, strlen(key), mugl_object());
}

void
vt_state_put_text(vt_tstate *s, mugl_node *p, const char *key, size_t n, const char *text)
{
	mugl_put(s->g, p, key, n, mugl_str(s->g, text, strlen(text)));
}

static bool
stays(const vt_tplan *away, const vt_tnodei *n)
{
	return !away || away->a[away->last[n->order]].off;
}

/* An edge to each node that this one needs, which stands before it in the file. away: without those
 * that go. */
static void
link_node(vt_tstate *s, vt_tosca *t, vt_tnodei *n, const vt_tplan *away)
{
	mugl_node *p = vt_state_properties(s, t, n),
		  *all = mugl_put(s->g, p, KEY("requirements"), mugl_object());
	for (uint32_t i = 0; i < n->nrels; i++) {
		const vt_treli *r = n->rels[i];
		const char *req = vt_tosca_text(t, r->name);
		mugl_node *list;
		if (!r->target || r->target == n || !stays(away, r->target))
			continue;
		vt_buf to = vt_state_moniker(t, r->target);
		list = (mugl_node *)(uintptr_t)mugl_get(all, req, strlen(req));
		if (!list)
			list = mugl_put(s->g, all, req, strlen(req), mugl_array());
		mugl_push(s->g, list, mugl_edge(s->g, to.p, to.n));
		vt_buf_free(&to);
	}
}

/* What a node was called when there was one of its template and now are more, or the other way. */
static vt_buf
other_moniker(const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	if (n->service->outside) {
		vt_tosca_path(&b, t, n->service->outside);
		vt_buf_putc(&b, '/');
	}
	vt_buf_puts(&b, vt_tosca_text(t, n->t->name));
	if (n->of == 1)
		vt_buf_puts(&b, "_0");
	return b;
}

/* Marks vertices that are nodes of the service. */
static void
mark_known(const vt_tstate *s, const vt_tosca *t, bool *known)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		mugl_id id = vt_state_find(s, t, t->nodes[i]);
		if (id == MUGL_NONE && t->nodes[i]->index == 0) {
			vt_buf was = other_moniker(t, t->nodes[i]);
			id = mugl_find(s->g, was.p, was.n);
			vt_buf_free(&was);
		}
		if (id != MUGL_NONE)
			known[id] = true;
	}
}

uint32_t
vt_tstate_strangers(vt_tstate *s, const vt_tosca *t, const vt_tosca *old, vt_buf *names)
{
	uint32_t most = 0, n = 0, at = 0;
	mugl_id id;
	bool *known;
	while ((id = mugl_next(s->g, &at)) != MUGL_NONE)
		most = id > most ? id : most;
	known = vt_xzalloc((size_t)most + 1);
	mark_known(s, t, known);
	if (old)
		mark_known(s, old, known);
	for (at = 0; (id = mugl_next(s->g, &at)) != MUGL_NONE;) {
		mugl_text name = mugl_name(s->g, id);
		if (known[id] || !vt_state_was_begun(vt_state_read(s, id)))
			continue;
		if (n++ < 10) {
			vt_buf_puts(names, n > 1 ? ", " : "");
			mugl_put_plain(names, name);
		}
	}
	free(known);
	return n;
}

static void
remove_strangers(vt_tstate *s, const vt_tosca *t)
{
	mugl_id *known = vt_xmalloc((t->nnodes + 1) * sizeof *known), id;
	uint32_t cap = 0, i = 0;
	bool *keep;
	for (uint32_t k = 0; k < t->nnodes; k++) {
		known[k] = vt_state_find(s, t, t->nodes[k]);
		if (known[k] != MUGL_NONE && known[k] >= cap)
			cap = known[k] + 1;
	}
	keep = vt_xzalloc(cap + 1);
	for (uint32_t k = 0; k < t->nnodes; k++)
		if (known[k] != MUGL_NONE)
			keep[known[k]] = true;
	while ((id = mugl_next(s->g, &i)) != MUGL_NONE)
		if (id >= cap || !keep[id]) {
			mugl_text m = mugl_name(s->g, id);
			vt_say("%s: '%.*s' is not in the service any more; nothing is done about "
			       "it\n",
				s->self, (int)m.n, m.p);
			mugl_remove(s->g, id);
			i = 0;
		}
	free(keep);
	free(known);
}

static bool
set_header(vt_tstate *s, const vt_towner *owner, vt_value inputs)
{
	mugl_node *h = mugl_header(s->g);
	vt_state_put_text(s, h, KEY("service"), owner->service);
	if (owner->version)
		vt_state_put_text(s, h, KEY("version"), owner->version);
	else
		mugl_drop(h, KEY("version"));
	vt_state_put_text(s, h, KEY("program"), owner->program);
	mugl_drop(h, KEY("wanted"));
	mugl_drop(h, KEY("again"));
	return put_inputs(s, "inputs", inputs);
}

static bool
define_nodes(vt_tstate *s, vt_tosca *t)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		bool known = vt_state_find(s, t, t->nodes[i]) != MUGL_NONE;
		mugl_node *p = vt_state_properties(s, t, t->nodes[i]);
		if (!known) {
			vt_state_put_text(s, p, KEY("state"), "initial");
			mugl_put(s->g, p, KEY("done"), mugl_array());
		}
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		link_node(s, t, t->nodes[i], NULL);
	return true;
}

static void
rename_nodes(vt_tstate *s, const vt_tosca *t)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const vt_tnodei *n = t->nodes[i];
		if (n->index != 0 || vt_state_find(s, t, n) != MUGL_NONE)
			continue;
		vt_buf was = other_moniker(t, n);
		mugl_id id = mugl_find(s->g, was.p, was.n);
		const mugl_node *p = vt_state_read(s, id);
		bool taken = false;
		for (uint32_t k = 0; p && k < t->nnodes && !taken; k++)
			taken = vt_state_find(s, t, t->nodes[k]) == id;
		if (p && !taken) {
			mugl_node body = mugl_copy_node(s->g, s->g, p),
				  *to = vt_state_properties(s, t, n);
			for (uint32_t k = 0; k < body.n; k++)
				mugl_put(s->g, to, body.member[k].key, body.member[k].nkey,
					body.member[k].value);
			mugl_remove(s->g, mugl_find(s->g, was.p, was.n));
		}
		vt_buf_free(&was);
	}
}

/* The file is the owner's alone: inputs may be secret. */
static bool
make_private(vt_tstate *s)
{
	if (s->dry || chmod(s->path, 0600) == 0)
		return true;
	vt_say("%s: %s: %s\n", s->self, s->path, strerror(errno));
	return false;
}

bool
vt_tstate_want(vt_tstate *s, const vt_tplan *away, vt_value inputs, const char *again)
{
	if (again)
		vt_state_put_text(s, mugl_header(s->g), KEY("again"), again);
	for (uint32_t i = 0; i < away->t->nnodes; i++)
		if (stays(away, away->t->nodes[i]) &&
			vt_state_find(s, away->t, away->t->nodes[i]) != MUGL_NONE)
			link_node(s, away->t, away->t->nodes[i], away);
	return put_inputs(s, "wanted", inputs) && vt_tstate_save(s);
}

bool
vt_tstate_keep(vt_tstate *s)
{
	return vt_tstate_save(s) && make_private(s);
}

bool
vt_tstate_adopt(vt_tstate *s, const vt_towner *owner, vt_tosca *t, vt_value inputs)
{
	rename_nodes(s, t);
	remove_strangers(s, t);
	return set_header(s, owner, inputs) && define_nodes(s, t);
}

/* ---- back into the engine ---- */

static bool
find_cap(const vt_tosca *t, vt_tnodei *n, const char *key, vt_tattr *a, const char **rest)
{
	const char *slash = strchr(key, '/');
	for (uint32_t i = 0; slash && i < n->ncaps; i++) {
		const char *cap = vt_tosca_text(t, n->caps[i].def->name);
		if (strlen(cap) == (size_t)(slash - key) &&
			!memcmp(cap, key, (size_t)(slash - key))) {
			*a = (vt_tattr){.node = n, .cap = &n->caps[i]};
			*rest = slash + 1;
			return true;
		}
	}
	return false;
}

/* "requirement[0]/rest" */
static vt_treli *
find_rel(const vt_tosca *t, vt_tnodei *n, const char *key, const char **rest)
{
	const char *slash = strstr(key, "]/");
	for (uint32_t i = 0; slash && i < n->nrels; i++) {
		vt_treli *r = n->rels[i];
		char *want = vt_asprintf("%s[%u]", vt_tosca_text(t, r->name), r->index);
		bool same = strlen(want) == (size_t)(slash + 1 - key) &&
			    !memcmp(want, key, strlen(want));
		free(want);
		if (same) {
			*rest = slash + 2;
			return r;
		}
	}
	return NULL;
}

static void
give_attribute(vt_tosca *t, vt_tattr a, const char *attr, vt_value v)
{
	vt_value text = vt_str_c(t->rt, attr);
	a.name = vt_tosca_find_str(t, vt_as_str(text));
	vt_release(text);
	if (a.name)
		(void)vt_tosca_put_attribute(t, &a, v);
}

static void
give_output(vt_tosca *t, vt_tnodei *n, vt_treli *r, const char *key, vt_value v)
{
	char *iface = vt_xstrdup(key), *op = strchr(iface, '/'),
	     *out = op ? strchr(op + 1, '/') : NULL;
	if (out) {
		*op = *out = '\0';
		vt_tosca_put_output(t, n, r, iface, op + 1, out + 1, v);
	}
	free(iface);
}

static void
give_one(vt_tosca *t, vt_tnodei *n, const char *section, const char *key, vt_value v)
{
	const char *rest;
	vt_tattr a = {.node = n};
	if (!strcmp(section, "attributes")) {
		give_attribute(t, a, key, v);
	} else if (!strcmp(section, "capabilities")) {
		if (find_cap(t, n, key, &a, &rest))
			give_attribute(t, a, rest, v);
	} else if (!strcmp(section, "relationships")) {
		a = (vt_tattr){.rel = find_rel(t, n, key, &rest)};
		if (a.rel)
			give_attribute(t, a, rest, v);
	} else {
		vt_treli *r = find_rel(t, n, key, &rest);
		give_output(t, n, r, r ? rest : key, v);
	}
}

static void
give_state(vt_tstate *s, vt_tosca *t, vt_tnodei *n, const mugl_node *p)
{
	const mugl_node *state = p ? mugl_get(p, KEY("state")) : NULL;
	vt_value v, name = vt_str_c(s->rt, "state");
	uint32_t str = vt_tosca_find_str(t, vt_as_str(name));
	vt_release(name);
	if (!state || state->kind != MUGL_STR || !str || !vt_tosca_find(&n->attrs, str))
		return;
	v = vt_str_new(s->rt, state->s, state->n);
	give_attribute(t, (vt_tattr){.node = n}, "state", v);
	vt_release(v);
}

static const char *const sections[] = {"attributes", "capabilities", "relationships", "outputs"};

void
vt_tstate_apply(vt_tstate *s, vt_tosca *t)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const mugl_node *p = vt_state_read(s, vt_state_find(s, t, t->nodes[i]));
		give_state(s, t, t->nodes[i], p);
		for (size_t k = 0; p && k < VT_LEN(sections); k++) {
			const mugl_node *all = mugl_get(p, sections[k], strlen(sections[k]));
			for (uint32_t m = 0; all && all->kind == MUGL_OBJECT && m < all->n; m++) {
				vt_value v =
					mugl_to_value(s->g, s->rt, &all->member[m].value, "#ref");
				char *key = vt_asprintf(
					"%.*s", (int)all->member[m].nkey, all->member[m].key);
				give_one(t, t->nodes[i], sections[k], key, v);
				free(key);
				vt_release(v);
			}
		}
	}
}

/* ---- what is there ---- */

char *
vt_tstate_why(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	const mugl_node *p = vt_state_read(s, vt_state_find(s, t, n)),
			*why = p ? mugl_get(p, KEY("failed")) : NULL;
	return why && why->kind == MUGL_STR ? vt_asprintf("%.*s", (int)why->n, why->s) : NULL;
}

vt_value
vt_tstate_found(vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	const mugl_node *p = vt_state_read(s, vt_state_find(s, t, n));
	vt_dict *d = vt_dict_new(s->rt, true);
	for (size_t k = 0; p && k < VT_LEN(sections); k++) {
		const mugl_node *all = mugl_get(p, sections[k], strlen(sections[k]));
		if (!strcmp(sections[k], "outputs"))
			continue;
		for (uint32_t m = 0; all && all->kind == MUGL_OBJECT && m < all->n; m++) {
			char *key = vt_asprintf("%s/%.*s", sections[k], (int)all->member[m].nkey,
				all->member[m].key);
			vt_dict_set_c(s->rt, d, key,
				mugl_to_value(s->g, s->rt, &all->member[m].value, "#ref"));
			free(key);
		}
	}
	return vt_mkptr(d);
}

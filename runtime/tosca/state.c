/*
 * state.c - what was done to a service: a MuGL snapshot with a journal beside it.
 *
 * A vertex is a node: its type, and as properties
 *	state          of its lifecycle: creating, created...
 *	done           names of the steps that have ended
 *	begun          the step that was begun and has not ended; it runs again
 *	made           {part: hash}: what it was made of, by which an update finds what has changed
 *	update         {"parts": [...], "told": bool}: an update that has not reached its end; steps
 *	               that it repeats are not among those that are done
 *	attributes, capabilities, relationships, outputs
 *	               what operations set: {name: value}, {"capability/name": value},
 *{"requirement[0]/name": value},
 *	               {"Interface/operation/name": value}
 *	requirements   edges to the nodes it was built on, by the name of the requirement
 * Front matter: the service's name, its program's digest and the inputs; `wanted` are those of an
 * update that is still taking away what they do not ask for.  A node that is not there
 *has not been begun, or is gone.  Each begin and end of a step is one record of the journal, synced
 *before anything goes on.
 */
#include "runtime/mugl/mugl.h"
#include "runtime/tosca/deploy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct vt_tstate {
	vt_rt *rt;
	const char *self;
	char *path, *journal_path;
	mugl *g;
	mugl_journal *j;
	mugl_problems bad;
	bool dry; /* nothing is written */
};

#define KEY(s) s, sizeof s - 1

/* ---- the file ---- */

static bool
told(vt_tstate *s, bool good)
{
	if (!good) {
		vt_say("%s: the state cannot be kept:\n", s->self);
		mugl_problems_print(&s->bad, s->path, NULL, 0, stderr);
		mugl_problems_free(&s->bad);
		s->bad = (mugl_problems){0};
	}
	return good;
}

static bool
open_journal(vt_tstate *s)
{
	s->j = mugl_journal_open(s->journal_path, s->g, &s->bad);
	if (s->j)
		return true;
	vt_say("%s: %s cannot be used", s->self, s->journal_path);
	for (uint32_t i = 0; i < s->bad.n; i++)
		vt_say(": %s", s->bad.p[i].message);
	fputc('\n', stderr);
	return false;
}

vt_tstate *
vt_tstate_open(vt_rt *rt, const char *self, const char *path)
{
	vt_tstate *s = vt_xmalloc(sizeof *s);
	mugl_options snapshot = {.snapshot = true};
	*s = (vt_tstate){.rt = rt,
		.self = self,
		.path = vt_xstrdup(path),
		.journal_path = vt_asprintf("%s.journal", path)};
	if (access(path, F_OK) == 0) {
		s->g = mugl_read_file(path, &snapshot, &s->bad);
		if (!s->g || s->bad.errors) {
			vt_say("%s: the state cannot be read:\n", self);
			mugl_problems_print(&s->bad, path, NULL, 0, stderr);
			vt_tstate_close(s);
			return NULL;
		}
	} else {
		s->g = mugl_new(NULL);
	}
	if (!open_journal(s)) {
		vt_tstate_close(s);
		return NULL;
	}
	return s;
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
	(void)unlink(s->path);
	(void)unlink(s->journal_path);
}

void
vt_tstate_pretend(vt_tstate *s)
{
	s->dry = true;
}

bool
vt_tstate_save(vt_tstate *s)
{
	return s->dry || told(s, mugl_journal_save(s->j, s->path, 0, &s->bad));
}

bool
vt_tstate_empty(const vt_tstate *s)
{
	return mugl_count(s->g) == 0;
}

/* Texts that were read are not closed by NUL. */
static bool
is_text(const mugl_node *v, const char *text)
{
	return v && v->kind == MUGL_STR && v->n == strlen(text) && !memcmp(v->s, text, v->n);
}

static const mugl_node *
header(const vt_tstate *s, const char *key, size_t n, enum mugl_kind kind)
{
	const mugl_node *v = mugl_get(mugl_header(s->g), key, n);
	return v && v->kind == kind ? v : NULL;
}

bool
vt_tstate_is_of(const vt_tstate *s, const char *digest)
{
	const mugl_node *v = header(s, KEY("program"), MUGL_STR);
	return v && is_text(v, digest);
}

char *
vt_tstate_service(const vt_tstate *s)
{
	const mugl_node *v = header(s, KEY("service"), MUGL_STR);
	return v ? vt_asprintf("%.*s", (int)v->n, v->s) : NULL;
}

vt_value
vt_tstate_inputs(vt_tstate *s)
{
	const mugl_node *v = header(s, KEY("inputs"), MUGL_OBJECT);
	return v ? mugl_to_value(s->g, s->rt, v, "#ref") : vt_mkptr(vt_dict_new(s->rt, true));
}

vt_value
vt_tstate_wanted(vt_tstate *s)
{
	const mugl_node *v = header(s, KEY("wanted"), MUGL_OBJECT);
	return v ? mugl_to_value(s->g, s->rt, v, "#ref") : VT_UNDEF;
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
static vt_buf
moniker(const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_path(&b, t, n);
	return b;
}

static mugl_id
find_node(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = moniker(t, n);
	mugl_id id = mugl_find(s->g, b.p, b.n);
	vt_buf_free(&b);
	return id;
}

static mugl_node *
properties(vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	const vt_ttype *type = &t->m->type[n->t->type];
	const char *text =
		type->canon ? vt_tosca_text(t, type->canon) : vt_tosca_text(t, type->name);
	vt_buf b = moniker(t, n);
	mugl_node *p = mugl_properties(s->g, b.p, b.n, text);
	vt_buf_free(&b);
	return p;
}

/* The properties of a vertex, or NULL. */
static const mugl_node *
read_properties(const vt_tstate *s, mugl_id id)
{
	const mugl_node *body = id == MUGL_NONE ? NULL : mugl_body(s->g, id);
	const mugl_node *p = body ? mugl_get(body, KEY("properties")) : NULL;
	return p && p->kind == MUGL_OBJECT ? p : NULL;
}

/* A member that is an object, made when there is none. */
static mugl_node *
section_of(vt_tstate *s, mugl_node *p, const char *key)
{
	const mugl_node *v = mugl_get(p, key, strlen(key));
	if (v && v->kind == MUGL_OBJECT)
		return (mugl_node *)(uintptr_t)v;
	return mugl_put(s->g, p, key, strlen(key), mugl_object());
}

static void
put_text(vt_tstate *s, mugl_node *p, const char *key, size_t n, const char *text)
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
	mugl_node *p = properties(s, t, n),
		  *all = mugl_put(s->g, p, KEY("requirements"), mugl_object());
	for (uint32_t i = 0; i < n->nrels; i++) {
		const vt_treli *r = n->rels[i];
		const char *req = vt_tosca_text(t, r->name);
		mugl_node *list;
		if (!r->target || r->target == n || !stays(away, r->target))
			continue;
		vt_buf to = moniker(t, r->target);
		list = (mugl_node *)(uintptr_t)mugl_get(all, req, strlen(req));
		if (!list)
			list = mugl_put(s->g, all, req, strlen(req), mugl_array());
		mugl_push(s->g, list, mugl_edge(s->g, to.p, to.n));
		vt_buf_free(&to);
	}
}

static void
remove_strangers(vt_tstate *s, const vt_tosca *t)
{
	mugl_id *known = vt_xmalloc((t->nnodes + 1) * sizeof *known), id;
	uint32_t cap = 0, i = 0;
	bool *keep;
	for (uint32_t k = 0; k < t->nnodes; k++) {
		known[k] = find_node(s, t, t->nodes[k]);
		if (known[k] != MUGL_NONE && known[k] >= cap)
			cap = known[k] + 1;
	}
	keep = vt_xmalloc(cap + 1);
	memset(keep, 0, cap + 1);
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
set_header(vt_tstate *s, const vt_tprogram *p, vt_value inputs)
{
	mugl_node *h = mugl_header(s->g);
	mugl_put(s->g, h, KEY("service"), mugl_str(s->g, p->name, strlen(p->name)));
	mugl_put(s->g, h, KEY("program"), mugl_str(s->g, p->digest, strlen(p->digest)));
	mugl_drop(h, KEY("wanted"));
	return put_inputs(s, "inputs", inputs);
}

static bool
define_nodes(vt_tstate *s, vt_tosca *t)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		bool known = find_node(s, t, t->nodes[i]) != MUGL_NONE;
		mugl_node *p = properties(s, t, t->nodes[i]);
		if (!known) {
			put_text(s, p, KEY("state"), "initial");
			mugl_put(s->g, p, KEY("done"), mugl_array());
		}
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		link_node(s, t, t->nodes[i], NULL);
	return true;
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

static void
rename_nodes(vt_tstate *s, const vt_tosca *t)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const vt_tnodei *n = t->nodes[i];
		if (n->index != 0 || find_node(s, t, n) != MUGL_NONE)
			continue;
		vt_buf was = other_moniker(t, n);
		mugl_id id = mugl_find(s->g, was.p, was.n);
		const mugl_node *p = read_properties(s, id);
		bool taken = false;
		for (uint32_t k = 0; p && k < t->nnodes && !taken; k++)
			taken = find_node(s, t, t->nodes[k]) == id;
		if (p && !taken) {
			mugl_node body = mugl_copy_node(s->g, s->g, p), *to = properties(s, t, n);
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
vt_tstate_want(vt_tstate *s, const vt_tplan *away, vt_value inputs)
{
	for (uint32_t i = 0; i < away->t->nnodes; i++)
		if (stays(away, away->t->nodes[i]) &&
			find_node(s, away->t, away->t->nodes[i]) != MUGL_NONE)
			link_node(s, away->t, away->t->nodes[i], away);
	return put_inputs(s, "wanted", inputs) && vt_tstate_save(s);
}

bool
vt_tstate_keep(vt_tstate *s)
{
	return vt_tstate_save(s) && make_private(s);
}

bool
vt_tstate_adopt(vt_tstate *s, const vt_tprogram *p, vt_tosca *t, vt_value inputs)
{
	rename_nodes(s, t);
	remove_strangers(s, t);
	return set_header(s, p, inputs) && define_nodes(s, t);
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
		const mugl_node *p = read_properties(s, find_node(s, t, t->nodes[i]));
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

/* ---- updates ---- */

/* Does the step's name end with the operation of one of these roles? */
static bool
is_one_of(const mugl_node *step, uint8_t first, uint8_t last)
{
	const char *dot = NULL;
	for (size_t i = 0; step->kind == MUGL_STR && i < step->n; i++)
		if (step->s[i] == '.')
			dot = step->s + i + 1;
	for (uint8_t r = first; dot && r <= last; r++) {
		size_t n = strlen(vt_troles[r].op);
		if (n == (size_t)(step->s + step->n - dot) && !memcmp(dot, vt_troles[r].op, n))
			return true;
	}
	return false;
}

/* Was the node begun at all? What an undoing leaves out was not. */
static bool
was_begun(const mugl_node *p)
{
	const mugl_node *done = p ? mugl_get(p, KEY("done")) : NULL,
			*state = p ? mugl_get(p, KEY("state")) : NULL;
	return p &&
	       ((done && done->n > 0) || mugl_get(p, KEY("begun")) || !is_text(state, "initial"));
}

static const mugl_node *
made_of(const mugl_node *p, const char *part)
{
	const mugl_node *made = p ? mugl_get(p, KEY("made")) : NULL;
	return made && made->kind == MUGL_OBJECT ? mugl_get(made, part, strlen(part)) : NULL;
}

static bool
is_same_part(const mugl_node *p, vt_value part, vt_value hash)
{
	const mugl_node *old = made_of(p, vt_as_str(part)->s);
	return old && is_text(old, vt_as_str(hash)->s);
}

/* Names of what is other than it was, has come or has gone. */
static uint32_t
parts_that_differ(vt_tstate *s, const mugl_node *p, vt_dict *now, mugl_node *list)
{
	const mugl_node *made = mugl_get(p, KEY("made"));
	vt_value key, v;
	uint32_t pos = 0, n = 0;
	while (vt_dict_at(now, &pos, &key, &v))
		if (!is_same_part(p, key, v)) {
			mugl_push(s->g, list,
				mugl_str(s->g, vt_as_str(key)->s, vt_as_str(key)->bytes));
			n++;
		}
	for (uint32_t i = 0; i < made->n; i++) {
		vt_value name = vt_str_new(s->rt, made->member[i].key, made->member[i].nkey);
		if (vt_dict_get(now, name) == VT_UNDEF) {
			mugl_push(s->g, list,
				mugl_str(s->g, made->member[i].key, made->member[i].nkey));
			n++;
		}
		vt_release(name);
	}
	return n;
}

static void
put_made(vt_tstate *s, mugl_node *p, vt_dict *now)
{
	mugl_node *made = mugl_put(s->g, p, KEY("made"), mugl_object());
	vt_value key, v;
	uint32_t pos = 0;
	while (vt_dict_at(now, &pos, &key, &v))
		mugl_put(s->g, made, vt_as_str(key)->s, vt_as_str(key)->bytes,
			mugl_str(s->g, vt_as_str(v)->s, vt_as_str(v)->bytes));
}

static bool
has_been_made(const mugl_node *p)
{
	const mugl_node *done = mugl_get(p, KEY("done")), *begun = mugl_get(p, KEY("begun"));
	for (uint32_t i = 0; done && done->kind == MUGL_ARRAY && i < done->n; i++)
		if (is_one_of(&done->item[i], VT_TL_PRE_SOURCE, VT_TL_ADD_SOURCE))
			return true;
	return begun && is_one_of(begun, VT_TL_PRE_SOURCE, VT_TL_ADD_SOURCE);
}

/* "requirements/db[0]" of a part that says where a relationship leads. */
static bool
is_of_part(const mugl_node *step, const mugl_node *parts)
{
	static const char lead[] = "requirements/";
	for (uint32_t i = 0; i < parts->n; i++) {
		const mugl_node *part = &parts->item[i];
		const char *name = part->s + sizeof lead - 1;
		size_t n = part->n - (sizeof lead - 1), bare;
		if (part->n < sizeof lead || memcmp(part->s, lead, sizeof lead - 1) != 0 ||
			memchr(name, '/', n))
			continue;
		for (bare = n; bare && name[bare - 1] != '['; bare--)
			;
		bare = bare ? bare - 1 : n;
		if ((step->n > n && !memcmp(step->s, name, n) && step->s[n] == '.') ||
			(step->n > bare && !memcmp(step->s, name, bare) && step->s[bare] == '.'))
			return true;
	}
	return false;
}

/* Begins an update of a node: what is to be done again is not done any more. */
static void
begin_update(vt_tstate *s, mugl_node *p, mugl_node parts)
{
	const mugl_node *old = mugl_get(p, KEY("done"));
	mugl_node list = mugl_array(), *u;
	for (uint32_t i = 0; old && old->kind == MUGL_ARRAY && i < old->n; i++) {
		const mugl_node *step = &old->item[i];
		if (is_one_of(step, VT_TL_PRE_SOURCE, VT_TL_START) ||
			is_one_of(step, VT_TL_STOP, VT_TL_STOP) ||
			(is_one_of(step, VT_TL_ADD_TARGET, VT_TL_REMOVE_SOURCE) &&
				is_of_part(step, &parts)))
			continue;
		mugl_push(s->g, &list, *step);
	}
	mugl_put(s->g, p, KEY("done"), list);
	u = mugl_put(s->g, p, KEY("update"), mugl_object());
	mugl_put(s->g, u, KEY("parts"), parts);
}

static void
end_update(vt_tstate *s, mugl_node *p)
{
	const mugl_node *old = mugl_get(p, KEY("done"));
	mugl_node list = mugl_array();
	for (uint32_t i = 0; old && old->kind == MUGL_ARRAY && i < old->n; i++)
		if (!is_one_of(&old->item[i], VT_TL_STOP, VT_TL_STOP) &&
			!is_one_of(&old->item[i], VT_TL_TARGET_CHANGED, VT_TL_TARGET_CHANGED))
			mugl_push(s->g, &list, old->item[i]);
	mugl_put(s->g, p, KEY("done"), list);
	mugl_drop(p, KEY("update"));
}

void
vt_tstate_remake(vt_tstate *s, vt_tosca *t, vt_tnodei *n, struct vt_dict *now)
{
	mugl_node *p = properties(s, t, n), parts = mugl_array();
	const mugl_node *made = mugl_get(p, KEY("made")), *old = mugl_get(p, KEY("update"));
	const mugl_node *more = old ? mugl_get(old, KEY("parts")) : NULL;
	bool differs = made && made->kind == MUGL_OBJECT && parts_that_differ(s, p, now, &parts);
	if (differs && has_been_made(p)) {
		for (uint32_t i = 0; more && more->kind == MUGL_ARRAY && i < more->n; i++)
			if (more->item[i].kind == MUGL_STR)
				mugl_push(s->g, &parts, more->item[i]);
		begin_update(s, p, parts);
	}
	if (differs || !made)
		put_made(s, properties(s, t, n), now);
}

void
vt_tstate_tell(vt_tstate *s, vt_tosca *t, vt_tnodei *n)
{
	mugl_node *p = properties(s, t, n), *u;
	if (mugl_get(p, KEY("update")))
		return;
	u = mugl_put(s->g, p, KEY("update"), mugl_object());
	mugl_put(s->g, u, KEY("told"), mugl_bool(true));
}

uint8_t
vt_tstate_update(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n, vt_buf *parts)
{
	const mugl_node *p = read_properties(s, find_node(s, t, n)),
			*u = p ? mugl_get(p, KEY("update")) : NULL,
			*list = u ? mugl_get(u, KEY("parts")) : NULL;
	if (!u)
		return 0;
	if (!list || list->kind != MUGL_ARRAY)
		return VT_TU_TOLD;
	for (uint32_t i = 0; parts && i < list->n; i++)
		if (list->item[i].kind == MUGL_STR) {
			if (i)
				vt_buf_putc(parts, ' ');
			vt_buf_put(parts, list->item[i].s, list->item[i].n);
		}
	return VT_TU_CHANGED;
}

bool
vt_tstate_differs(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n, vt_dict *now)
{
	const mugl_node *p = read_properties(s, find_node(s, t, n)),
			*made = p ? mugl_get(p, KEY("made")) : NULL;
	vt_value key, v;
	uint32_t pos = 0;
	if (!made || made->kind != MUGL_OBJECT || !was_begun(p))
		return false;
	while (vt_dict_at(now, &pos, &key, &v))
		if (!is_same_part(p, key, v))
			return true;
	return made->n != vt_dict_len(now);
}

bool
vt_tstate_knows(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	return find_node(s, t, n) != MUGL_NONE;
}

bool
vt_tstate_has(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n)
{
	return was_begun(read_properties(s, find_node(s, t, n)));
}

/* ---- workflows ---- */

char *
vt_tstate_workflow(vt_tstate *s, vt_value *inputs)
{
	const mugl_node *w = header(s, KEY("workflow"), MUGL_OBJECT),
			*name = w ? mugl_get(w, KEY("name")) : NULL,
			*in = w ? mugl_get(w, KEY("inputs")) : NULL;
	*inputs = VT_UNDEF;
	if (!name || name->kind != MUGL_STR)
		return NULL;
	if (in && in->kind == MUGL_OBJECT)
		*inputs = mugl_to_value(s->g, s->rt, in, "#ref");
	return vt_asprintf("%.*s", (int)name->n, name->s);
}

void
vt_tstate_set_workflow(vt_tstate *s, const vt_tosca *t, const char *name, vt_value inputs)
{
	mugl_node *h = mugl_header(s->g), in, *w;
	const char *why;
	if (!name) {
		mugl_drop(h, KEY("workflow"));
		for (uint32_t i = 0; i < t->nnodes; i++)
			if (find_node(s, t, t->nodes[i]) != MUGL_NONE)
				mugl_drop(properties(s, t, t->nodes[i]), KEY("workflow"));
		return;
	}
	w = mugl_put(s->g, h, KEY("workflow"), mugl_object());
	put_text(s, w, KEY("name"), name);
	if (mugl_from_value(s->g, s->rt, inputs, NULL, &in, &why)) {
		w = (mugl_node *)(uintptr_t)mugl_get(mugl_header(s->g), KEY("workflow"));
		mugl_put(s->g, w, KEY("inputs"), in);
	}
}

/* {"done": [...], "failed": [...]} of the node: what the workflow that runs has done there. */
static void
add_to_workflow(vt_tstate *s, mugl_node *p, const char *list, const char *label)
{
	mugl_node *w = section_of(s, p, "workflow");
	mugl_node *l = (mugl_node *)(uintptr_t)mugl_get(w, list, strlen(list));
	if (!l || l->kind != MUGL_ARRAY)
		l = mugl_put(s->g, w, list, strlen(list), mugl_array());
	mugl_push(s->g, l, mugl_str(s->g, label, strlen(label)));
}

static bool
has_text(const mugl_node *list, const char *text)
{
	for (uint32_t i = 0; list && list->kind == MUGL_ARRAY && i < list->n; i++)
		if (is_text(&list->item[i], text))
			return true;
	return false;
}

static void
mark_workflow(vt_tstate *s, vt_tplan *plan)
{
	for (uint32_t i = 0; i < plan->n; i++) {
		vt_taction *a = &plan->a[i];
		const mugl_node *p = a->label ? read_properties(s, find_node(s, plan->t, a->node))
					      : NULL,
				*w = p ? mugl_get(p, KEY("workflow")) : NULL;
		if (!w || w->kind != MUGL_OBJECT)
			continue;
		a->was = has_text(mugl_get(w, KEY("done")), a->label);
		a->had_failed = has_text(mugl_get(w, KEY("failed")), a->label);
		a->passed = has_text(mugl_get(w, KEY("passed")), a->label);
	}
	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->a[i].step)
			plan->a[i].passed = plan->a[plan->a[i].gate].passed;
}

/* ---- steps ---- */

static char *
step_name(const vt_tplan *p, const vt_taction *a)
{
	vt_buf b = {NULL, 0, 0};
	vt_tplan_step_name(&b, p, a);
	vt_buf_putc(&b, 0);
	return b.p;
}

/* Stopping is for what was started, or begun to be. */
static bool
is_needless(const vt_tplan *plan, const vt_taction *a, const mugl_node *p)
{
	const vt_tiface *iface = a->iface;
	vt_taction start = {.node = a->node, .iface = iface, .role = VT_TL_START};
	const mugl_node *begun = mugl_get(p, KEY("begun"));
	char *name;
	bool was;
	if (a->role != VT_TL_STOP || !iface)
		return false;
	name = step_name(plan, &start);
	was = has_text(mugl_get(p, KEY("done")), name) || is_text(begun, name);
	free(name);
	/* A stop that was begun took the start away. */
	if (!was) {
		name = step_name(plan, a);
		was = is_text(begun, name);
		free(name);
	}
	return !was;
}

void
vt_tstate_mark(vt_tstate *s, vt_tplan *plan)
{
	if (plan->workflow) {
		mark_workflow(s, plan);
		return;
	}
	for (uint32_t i = 0; i < plan->n; i++) {
		vt_taction *a = &plan->a[i];
		const mugl_node *p = read_properties(s, find_node(s, plan->t, a->node));
		char *name;
		if (!a->op)
			continue;
		name = step_name(plan, a);
		a->was = p ? has_text(mugl_get(p, KEY("done")), name) : plan->undo;
		if (plan->undo && !a->was)
			a->was = !was_begun(p) || is_needless(plan, a, p);
		free(name);
	}
}

/* Is it about the relationship of the action, in the order of the same node? */
static bool
is_of_rel(const vt_tosca *t, const vt_taction *a, const mugl_node *step)
{
	vt_buf b = {NULL, 0, 0};
	vt_tplan_rel_name(&b, t, a->rel);
	vt_buf_putc(&b, '.');
	bool same = step->kind == MUGL_STR && step->n > b.n && !memcmp(step->s, b.p, b.n);
	vt_buf_free(&b);
	return same;
}

/* Steps that this one makes undone: those that lead the other way. */
static bool
is_undone(const vt_tplan *plan, const vt_taction *a, const mugl_node *step)
{
	uint8_t first, last;
	if (plan->undo && a->rel)
		return is_of_rel(plan->t, a, step) &&
		       is_one_of(step, VT_TL_ADD_TARGET, VT_TL_ADD_SOURCE);
	if (plan->undo) {
		first = a->role == VT_TL_DELETE ? VT_TL_CREATE : VT_TL_START;
		last = VT_TL_ADD_SOURCE;
	} else {
		first = VT_TL_REMOVE_TARGET;
		last = VT_TL_DELETE;
	}
	return is_one_of(step, first, last);
}

static void
change_done(vt_tstate *s, const vt_tplan *plan, const vt_taction *a, mugl_node *p, const char *add)
{
	const mugl_node *old = mugl_get(p, KEY("done"));
	bool updates = !plan->undo && mugl_get(p, KEY("update"));
	mugl_node list = mugl_array();
	for (uint32_t i = 0; old && old->kind == MUGL_ARRAY && i < old->n; i++)
		if (updates || !is_undone(plan, a, &old->item[i]))
			mugl_push(s->g, &list, old->item[i]);
	if (add && !has_text(&list, add))
		mugl_push(s->g, &list, mugl_str(s->g, add, strlen(add)));
	mugl_put(s->g, p, KEY("done"), list);
}

static bool
record(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	return vt_tstate_touch(s, plan->t, a->node);
}

bool
vt_tstate_touch(vt_tstate *s, vt_tosca *t, vt_tnodei *n)
{
	vt_buf b = moniker(t, n);
	bool good = s->dry || mugl_journal_step(s->j, b.p, b.n, &s->bad);
	vt_buf_free(&b);
	return told(s, good);
}

void
vt_tstate_set_state(vt_tstate *s, vt_tosca *t, vt_tnodei *n, const char *state)
{
	vt_value v = vt_str_c(s->rt, state), name = vt_str_c(s->rt, "state");
	vt_tattr a = {.node = n, .name = vt_tosca_find_str(t, vt_as_str(name))};
	if (find_node(s, t, n) != MUGL_NONE)
		put_text(s, properties(s, t, n), KEY("state"), state);
	if (a.name && vt_tosca_find(&n->attrs, a.name))
		(void)vt_tosca_put_attribute(t, &a, v);
	vt_release(name);
	vt_release(v);
}

char *
vt_tstate_of(vt_tstate *s, vt_tosca *t, vt_tnodei *n)
{
	const mugl_node *p = read_properties(s, find_node(s, t, n)),
			*state = p ? mugl_get(p, KEY("state")) : NULL;
	return state && state->kind == MUGL_STR ? vt_asprintf("%.*s", (int)state->n, state->s)
						: NULL;
}

void
vt_tstate_set(
	vt_tstate *s, vt_tosca *t, vt_tnodei *n, const char *section, const char *key, vt_value v)
{
	mugl_node value;
	const char *why;
	if (!mugl_from_value(s->g, s->rt, v, NULL, &value, &why))
		value = mugl_null();
	mugl_put(s->g, section_of(s, properties(s, t, n), section), key, strlen(key), value);
}

/* What a workflow has done counts as a run would count it. */
static void
workflow_done(vt_tstate *s, const vt_tplan *plan, const vt_taction *a, mugl_node *p)
{
	vt_taction life = *a;
	vt_tplan as = {
		.t = plan->t, .undo = a->role >= VT_TL_REMOVE_TARGET && a->role <= VT_TL_DELETE};
	char *name;
	add_to_workflow(s, p, "done", a->label);
	if (a->passed)
		return;
	mugl_drop(p, KEY("begun"));
	if (a->op && a->role <= VT_TL_DELETE) {
		life.label = NULL;
		name = step_name(&as, &life);
		change_done(s, &as, &life, p, as.undo ? NULL : name);
		free(name);
	}
	if (a->declared && vt_troles[a->role].after)
		vt_tstate_set_state(s, plan->t, a->node, vt_troles[a->role].after);
	if (a->declared && a->role == VT_TL_DELETE)
		vt_tstate_set_state(s, plan->t, a->node, "initial");
}

bool
vt_tstate_handled(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	mugl_node *p = properties(s, plan->t, a->node);
	add_to_workflow(s, p, "failed", a->label);
	mugl_drop(properties(s, plan->t, a->node), KEY("begun"));
	return record(s, plan, a);
}

void
vt_tstate_passed(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	add_to_workflow(s, properties(s, plan->t, a->node), "passed", a->label);
}

bool
vt_tstate_started(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	char *name = step_name(plan, a);
	mugl_node *p = properties(s, plan->t, a->node);
	put_text(s, p, KEY("begun"), name);
	mugl_drop(p, KEY("failed"));
	if (!plan->workflow)
		change_done(s, plan, a, p, NULL);
	if ((!plan->workflow || a->declared) && vt_troles[a->role].during)
		vt_tstate_set_state(s, plan->t, a->node, vt_troles[a->role].during);
	free(name);
	return record(s, plan, a);
}

bool
vt_tstate_done(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	bool gone = plan->undo && a->role == VT_TL_DELETE;
	mugl_id id = find_node(s, plan->t, a->node);
	if (id == MUGL_NONE)
		return true;
	if (gone) {
		mugl_remove(s->g, id);
	} else if (plan->workflow) {
		workflow_done(s, plan, a, properties(s, plan->t, a->node));
		return record(s, plan, a);
	} else if (a->role == VT_TL_UPDATED) {
		end_update(s, properties(s, plan->t, a->node));
		return record(s, plan, a);
	} else {
		char *name = step_name(plan, a);
		mugl_node *p = properties(s, plan->t, a->node);
		if (a->op) {
			mugl_drop(p, KEY("begun"));
			change_done(s, plan, a, p, name);
		}
		if (vt_troles[a->role].after)
			vt_tstate_set_state(s, plan->t, a->node, vt_troles[a->role].after);
		free(name);
	}
	/* A mark without an operation is as quickly reached again as it is written. */
	return !a->op && !gone ? true : record(s, plan, a);
}

bool
vt_tstate_failed(vt_tstate *s, const vt_tplan *plan, const vt_taction *a, const char *why)
{
	mugl_node *p = properties(s, plan->t, a->node);
	put_text(s, p, KEY("failed"), why);
	if (!plan->workflow || a->declared)
		vt_tstate_set_state(s, plan->t, a->node, "error");
	return record(s, plan, a);
}

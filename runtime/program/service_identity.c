/*
 * service_identity.c - which state is that of this service.
 *
 * A state belongs to the name and version that the service's metadata declare, whatever its file
 * and folder are called.  A service that declares none has the name of its file, and then the nodes
 * have to fit too: many services are called service.yaml.  What is in the way belongs to somebody
 * else; the state then has a number behind its name.
 */
#include "runtime/core/printable.h"
#include "runtime/program/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAME = 150, MOST_STATES = 100 };
#define STATE_END ".state.mugl"

const char *
vt_service_name(const vt_tprogram *p)
{
	return p->title ? p->title : p->name;
}

/* What declares a name is known by its version too. */
vt_towner
vt_service_owner(const vt_tprogram *p)
{
	return (vt_towner){.service = vt_service_name(p),
		.version = p->title ? p->version : NULL,
		.program = p->digest};
}

/* The name of a state: number 0 has none.  malloc'd */
static char *
numbered(const vt_buf *name, uint32_t number)
{
	return number ? vt_asprintf("%.*s-%u" STATE_END, (int)name->n, name->p, number + 1)
		      : vt_asprintf("%.*s" STATE_END, (int)name->n, name->p);
}

static bool
says(const mugl *g, const char *key, const char *text)
{
	const mugl_node *v = mugl_get(mugl_header((mugl *)(uintptr_t)g), key, strlen(key));
	if (!v || v->kind != MUGL_STR)
		return !text;
	return text && v->n == strlen(text) && memcmp(v->s, text, v->n) == 0;
}

/* ---- do the nodes fit? ---- */

/* Is the vertex of this name one of the template: NAME, NAME_2, or what is inside of these? */
static bool
is_of_template(mugl_text vertex, const char *name)
{
	size_t n = strlen(name), i = n;
	if (vertex.n < n || memcmp(vertex.p, name, n) != 0)
		return false;
	if (i < vertex.n && vertex.p[i] == '_')
		for (i++; i < vertex.n && vertex.p[i] >= '0' && vertex.p[i] <= '9'; i++)
			;
	return i == vertex.n || vertex.p[i] == '/';
}

static bool
has_type(const mugl *g, mugl_id id, const vt_tmodel *m, const vt_ttype *type)
{
	const mugl_node *body = mugl_body(g, id), *v = body ? mugl_get(body, "type", 4) : NULL;
	const vt_str *name = m->str[type->canon ? type->canon : type->name];
	return v && v->kind == MUGL_STR && v->n == name->bytes && !memcmp(v->s, name->s, v->n);
}

/* One node in common will do: what else there is, an update compares. */
static bool
fits(const vt_tmodel *m, const mugl *g)
{
	const vt_tservice *s = &m->service[m->root];
	uint32_t at = 0;
	mugl_id id;
	if (mugl_count(g) == 0)
		return true;
	while ((id = mugl_next(g, &at)) != MUGL_NONE) {
		mugl_text vertex = mugl_name(g, id);
		bool inside = memchr(vertex.p, '/', vertex.n) != NULL;
		for (uint32_t i = 0; i < s->nodes.n; i++) {
			const vt_tnode *n = &m->node[s->nodes.first + i];
			if (is_of_template(vertex, m->str[n->name]->s) &&
				(inside || has_type(g, id, m, &m->type[n->type])))
				return true;
		}
	}
	return false;
}

/* ---- which file ---- */

enum whose { NOBODYS, OURS, THEIRS };

/* declared: the name is that of the metadata, and enough. */
static enum whose
whose_is(const vt_service *c, const char *path, bool declared)
{
	mugl_options options = {.snapshot = true};
	mugl_problems quiet = {0};
	enum whose w = OURS; /* one that is broken is reported by who opens it */
	mugl *g;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return NOBODYS;
	g = mugl_read_file(path, &options, &quiet);
	if (g && !quiet.errors && declared)
		w = says(g, "service", c->p->title) && says(g, "version", c->p->version) ? OURS
											 : THEIRS;
	else if (g && !quiet.errors)
		w = says(g, "service", c->p->name) && says(g, "version", NULL) &&
				    fits(c->p->model, g)
			    ? OURS
			    : THEIRS;
	mugl_problems_free(&quiet);
	mugl_free(g);
	return w;
}

/* The one of that name which is ours, else the first that is free.  malloc'd */
static char *
find(const vt_service *c, const vt_buf *name, bool declared, bool *found)
{
	char *free_one = NULL;
	*found = false;
	for (uint32_t i = 0; i < MOST_STATES; i++) {
		char *path = numbered(name, i);
		enum whose w = whose_is(c, path, declared);
		*found = w == OURS;
		if (w == OURS) {
			free(free_one);
			return path;
		}
		if (w == NOBODYS && !free_one)
			free_one = path;
		else
			free(path);
	}
	return free_one ? free_one : numbered(name, MOST_STATES);
}

/* What was deployed before the service declared a name is still its own. */
static char *
find_declared(const vt_service *c, bool *found)
{
	vt_buf name = {NULL, 0, 0}, file = {NULL, 0, 0};
	char *path, *old = NULL;
	vt_put_file_name(&name, c->p->title, MOST_NAME);
	if (c->p->version) {
		vt_buf_putc(&name, '-');
		vt_put_file_name(&name, c->p->version, MOST_NAME);
	}
	path = find(c, &name, true, found);
	vt_buf_puts(&file, c->p->name);
	if (!*found)
		old = find(c, &file, false, found);
	if (*found && old) {
		free(path);
		path = old;
		old = NULL;
	}
	free(old);
	vt_buf_free(&name);
	vt_buf_free(&file);
	return path;
}

char *
vt_service_state_path(const vt_service *c)
{
	vt_buf name = {NULL, 0, 0};
	bool found;
	char *path;
	if (c->o->snapshot)
		return vt_xstrdup(c->o->snapshot);
	if (c->p->title)
		return find_declared(c, &found);
	vt_buf_puts(&name, c->p->name);
	path = find(c, &name, false, &found);
	vt_buf_free(&name);
	return path;
}

static void
put_state_name(const char *text, size_t n)
{
	vt_buf b = {NULL, 0, 0};
	mugl_put_plain(&b, (mugl_text){text, (uint32_t)n});
	vt_say("'%.*s'", (int)b.n, b.p);
	vt_buf_free(&b);
}

bool
vt_service_is_ours(vt_service *c, vt_tstate *s, const char *path)
{
	char *name = vt_tstate_service(s);
	bool ours = name && (!strcmp(name, vt_service_name(c->p)) || !strcmp(name, c->p->name));
	if (!ours) {
		vt_say("%s: %s is the state of another service, ", c->self, path);
		put_state_name(name ? name : "?", name ? strlen(name) : 1);
		vt_say("\n  hint: --snapshot names the state of this one\n");
	}
	free(name);
	return ours;
}

bool
vt_service_knows_all(vt_service *c, vt_tstate *s, const vt_tosca *old, const char *path)
{
	vt_buf names = {NULL, 0, 0};
	bool all = !vt_tstate_strangers(s, c->t, old, &names);
	if (!all && !c->o->force) {
		vt_say("%s: %s was made by another build, and this one has no '%.*s'\n", c->self,
			path, (int)names.n, names.p);
		vt_say("  hint: undeploy it first with the program that made it, or go on with "
		       "--force: what this build has not got is left alone\n");
	}
	vt_buf_free(&names);
	return all || c->o->force;
}

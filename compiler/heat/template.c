/*
 * template.c - a template from its file to its sections, and what all of this room reports with.
 */
#include "compiler/heat/int.h"

#include "runtime/call/call.h"
#include "runtime/core/printable.h"

#include <stdlib.h>
#include <string.h>

const vc_yaml_opts heat_yaml = {.keep_empty = true};

enum { MOST_NESTED = 40, MOST_FILES = 2000 };

bool
heat_says(const vc_source *src)
{
	static const char word[] = "heat_template_version", other[] = "tosca_definitions_version";
	bool heat = false;
	for (const char *p = src->text; p; p = strchr(p, '\n')) {
		p += *p == '\n' || *p == '"' || *p == '\'';
		p += *p == '"' || *p == '\'';
		if (!strncmp(p, other, sizeof other - 1))
			return false;
		heat |= !strncmp(p, word, sizeof word - 1);
	}
	return heat;
}

/* ---- words ---- */

const char *
ht_text(const ynode *y)
{
	if (!y || y->kind != YN_SCALAR || strlen(y->text) != y->ntext)
		return NULL;
	return y->type == YT_STR || y->type == YT_DATE || y->type == YT_DATETIME ? y->text : NULL;
}

bool
ht_is_null(const ynode *y)
{
	return y->kind == YN_SCALAR && y->type == YT_NULL;
}

static void
report(ht_template *t, bool late, enum vc_code code, vc_span at, const char *fmt, va_list ap)
{
	vc *c = t->h->c;
	vt_buf b = {0};
	vt_buf_vmessage(&b, fmt, ap);
	vt_buf_put(&b, "", 1);
	if (t->dead)
		vc_report_as(c, VC_WARNING, code, at, "in a branch that is not taken: %s", b.p);
	else if (t->h->depth > 0)
		vc_report_as(c, VC_WARNING, code, at, "in a nested template: %s", b.p);
	else if (late)
		vc_report_as(c, VC_WARNING, code, at, "when a stack is made: %s", b.p);
	else
		vc_report(c, code, at, "%s", b.p);
	vt_buf_free(&b);
}

void
ht_report(ht_template *t, enum vc_code code, vc_span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(t, false, code, at, fmt, ap);
	va_end(ap);
}

void
ht_report_create(ht_template *t, enum vc_code code, vc_span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(t, !t->complete || t->in_outputs, code, at, fmt, ap);
	va_end(ap);
}

/* Is the section there under a name that is nearly right? That was told, and what is in it may be
 * anything. */
bool
ht_lacks(const ht_template *t, const char *section)
{
	for (uint32_t i = 0; t->doc->kind == YN_MAP && i < t->doc->n; i++) {
		const char *key = ht_text(t->doc->key[i]);
		const ht_key *k = ht_known_keys[HEAT_TEMPLATE];
		while (key && k->name && strcmp(k->name, key) != 0)
			k++;
		if (key && !k->name && !yn_key(t->doc, section) && vt_nearest(key, &section, 1))
			return true;
	}
	return false;
}

void
ht_hint_near(ht_template *t, const char *name, const ynode *map)
{
	const char **names = NULL;
	size_t n = 0;
	for (uint32_t i = 0; name && map && map->kind == YN_MAP && i < map->n; i++)
		if (ht_text(map->key[i]))
			vc_push(t->h->c, names, n) = map->key[i]->text;
	const char *near = n ? vt_nearest(name, names, n) : NULL;
	if (near)
		vc_did_you_mean(t->h->c, "'%s'", near);
}

const char *
ht_beside(vc *c, const char *file, const char *path)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	if (*path == '/' || !slash)
		return path;
	return vc_format(c, "%.*s%s", (int)(slash + 1 - file), file, path);
}

/* ---- one template ---- */

/* A section that is a map; NULL: empty, not there, or reported. */
static const ynode *
map_section(ht_template *t, const char *name)
{
	const ynode *y = yn_get(t->doc, name);
	if (!y || ht_is_null(y) || y->kind == YN_ERROR)
		return NULL;
	if (y->kind == YN_MAP)
		return y;
	ht_report(t, VC_E2004, y->span, "%s must be a map", name);
	return NULL;
}

static bool
read_release(ht_template *t)
{
	const ynode *y = yn_get(t->doc, "heat_template_version");
	const char *text = ht_text(y);
	t->release = text ? ht_find_release(text) : HT_NEVER;
	if (t->release != HT_NEVER)
		return true;
	t->release = HT_WALLABY;
	if (!y || y->kind == YN_ERROR)
		ht_report(t, VC_E2001,
			(vc_span){t->doc->span.src, t->doc->span.from, t->doc->span.from},
			"the template does not say its heat_template_version");
	else
		ht_report(t, VC_E2001, y->span, "there is no heat_template_version '%s'",
			text ? text : "");
	vc_hint(t->h->c,
		"there are 2013-05-23, 2014-10-16, 2015-04-30, 2015-10-15, 2016-04-08, newton, "
		"ocata, pike, queens, rocky and wallaby");
	return false;
}

static void
check_description(ht_template *t)
{
	const ynode *y = yn_get(t->doc, "description");
	if (y && y->kind != YN_SCALAR && y->kind != YN_ERROR)
		ht_report(t, VC_E2004, y->span, "description must be a text");
}

void
ht_advise(ht_template *t, vc_span at, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vc_push(t->h->c, t->advice, t->nadvice) = (struct ht_advice){at, vc_take(t->h->c, &b)};
}

/* What only the cloud can say: one message of the whole file. */
static void
tell_cloud(ht_template *t)
{
	vt_buf b = {0};
	enum { SHOWN = 6 };
	for (uint32_t i = 0; i < t->ncloud && i < SHOWN; i++)
		vt_buf_printf(&b, "%s%s", i ? ", " : "", t->cloud[i]);
	vt_buf_put(&b, "", 1);
	if (t->ncloud)
		vc_report(t->h->c, VC_W2035, t->cloud_at,
			"only the cloud knows whether there is: %s%s", b.p,
			t->ncloud > SHOWN ? "..." : "");
	vt_buf_free(&b);
}

static void
tell_advice(ht_template *t)
{
	for (uint32_t i = 0; i < t->nadvice; i++)
		vc_report(t->h->c, VC_W2032, t->advice[i].at, "%s", t->advice[i].text);
	tell_cloud(t);
}

static void
check(ht_template *t)
{
	uint32_t before = vc_said(t->h->c);
	if (!read_release(t) || !ht_keys(t, t->doc, "Heat template", ht_known_keys[HEAT_TEMPLATE]))
		return;
	check_description(t);
	t->parameters = map_section(t, "parameters");
	t->outputs = map_section(t, "outputs");
	t->complete = ht_is_complete(t);
	ht_check_parameters(t);
	ht_check_groups(t);
	ht_find_conditions(t);
	ht_find_resources(t);
	ht_check_conditions(t);
	ht_check_resources(t);
	ht_check_outputs(t);
	ht_check_cycles(t);
	if (vc_said(t->h->c) == before)
		tell_advice(t);
}

/* ---- nested ones ---- */

static ht_template *
read_template(heat *h, const char *path)
{
	vc *c = h->c;
	int before = vc_errors(c);
	vc_source *src = vc_source_read(c, path);
	uint32_t n = 0;
	ynode **docs = src ? vc_yaml_parse(c, src, &heat_yaml, &n) : NULL;
	if (!n || docs[0]->kind != YN_MAP) {
		if (src && vc_errors(c) == before)
			vc_report(c, VC_E2004, (vc_span){src, 0, 0}, "a template must be a map");
		return NULL;
	}
	ht_template *t = vc_alloc(c, sizeof *t);
	*t = (ht_template){.h = h, .doc = docs[0], .path = path};
	return t;
}

/* A template that nests itself is looked at once; Heat ends it by its depth when a stack is made.
 */
ht_template *
ht_load(heat *h, const char *path)
{
	const char *real = vc_real_path(h->c, path), *key = real ? real : path;
	for (uint32_t i = 0; i < h->nfiles; i++)
		if (!strcmp(h->files[i].key, key))
			return h->files[i].template;
	if (h->depth >= MOST_NESTED || h->nfiles >= MOST_FILES)
		return NULL;
	uint32_t at = h->nfiles;
	vc_push(h->c, h->files, h->nfiles) = (struct ht_file){key, NULL};
	ht_template *t = read_template(h, path);
	h->files[at].template = t;
	if (!t)
		return NULL;
	h->depth++;
	check(t);
	h->depth--;
	return t;
}

void
heat_check(vc *c, const ynode *doc, const heat_request *r, heat_given *given)
{
	static const vt_tmodel none = {.version = VT_TV_HOT};
	heat h = {.c = c, .rt = vt_rt_new(NULL), .runs = r->runs};
	h.engine = vt_tosca_new(h.rt, &none);
	struct tosca_yaql *yaql = r->open ? r->open(h.engine) : NULL;
	for (uint32_t i = 0; i < r->nenvironments; i++)
		ht_read_environment(&h, r->environments[i]);
	ht_template t = {.h = &h, .doc = doc, .path = r->path};
	const char *real = r->path ? vc_real_path(c, r->path) : NULL;
	if (real)
		vc_push(c, h.files, h.nfiles) = (struct ht_file){real, &t};
	check(&t);
	if (given)
		*given = (heat_given){h.env.parameters, h.env.nparameters};
	vt_tosca_free(h.engine);
	vt_rt_free(h.rt);
	if (yaql)
		r->close(yaql);
}

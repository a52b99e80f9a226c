/* build.c - `vetro build` and `vetro run` of TOSCA services. */
#include "compiler/tosca/build.h"
#include "compiler/tosca/emit.h"
#include "runtime/call/call.h"

#include <string.h>

/* What is wrong whatever the inputs are: a binary is only made of a service that some inputs suit.
 */
static bool
check_model(struct tosca *t, const vt_tmodel *m)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_tosca *e = vt_tosca_new(rt, m);
	tosca_yaql *yaql = tosca_yaql_open(e);
	e->partial = true;
	e->open = tosca_is_open(t);
	vt_tosca_run(e);
	vt_tosca_check_types(e);
	tosca_report(t, e);
	vt_tosca_free(e);
	vt_rt_free(rt);
	tosca_yaql_close(yaql);
	return vc_errors(t->c) == 0;
}

/* Of a file without what follows the last dot, of a directory as it is. */
static const char *
service_name(vc *c, const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t from = n;
	while (from && path[from - 1] != '/')
		from--;
	char *name = vc_strndup(c, path + from, n - from), *dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
	return !strcmp(name, ".") || !strcmp(name, "-") || !*name ? "service" : name;
}

vc_cfile *
tosca_translate(vc *c, const tosca_source *s, tosca_identity *is, uint32_t *n)
{
	struct tosca t = {.c = c,
		.paths = s->paths,
		.npaths = s->npaths,
		.maps = s->maps,
		.nmaps = s->nmaps,
		.environments = s->environments,
		.nenvironments = s->nenvironments};
	const vt_tmodel *m = tosca_compile(&t, s->files, s->nfiles);
	*n = 0;
	*is = (tosca_identity){service_name(c, s->files[0]), t.version};
	if (!m || !check_model(&t, m))
		return NULL;
	if (!m->root) {
		vc_report(c, VC_E2001, vc_file_span(c, s->files[0]),
			"there is no service in it: types alone do not make a binary");
		return NULL;
	}
	if (s->ir) {
		tosca_code code = {0};
		ir_module *mod = vc_lower_tosca(&t, m, is->name, &code);
		if (ir_verify(c, mod))
			ir_print(c, s->ir, mod);
		return NULL;
	}
	vc_cfile *files = vc_emit_tosca(&t, m, is->name, n);
	return vc_errors(c) ? NULL : files;
}

/* check.c - `vetro check`, and --emit=tokens|yaml|ast of any command. */
#include "compiler/cmd/cmd.h"
#include "compiler/tosca/front.h"
#include "compiler/check/check.h"
#include "compiler/form/form.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"
#include "compiler/query/compile.h"
#include "compiler/workflow/workflow.h"

#include <string.h>
#include <sys/stat.h>

/* ---- stages ---- */

static bool
is_package(const char *path)
{
	struct stat st;
	return vt_ends_with(path, ".zip") || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static void
put_tokens(vc *c, vt_buf *out, const ynode *n, unsigned flags)
{
	if (n->is_expr) {
		uint32_t line, col;
		vc_place(n->span.src, n->span.from, &line, &col);
		vt_buf_printf(out, "%s:%u:%u\n", n->span.src->name, line, col);
		yq_tokens(c, out, n->text, n->ntext, flags);
	}
	for (uint32_t i = 0; i < n->n; i++) {
		if (n->kind == YN_MAP)
			put_tokens(c, out, n->key[i], flags);
		put_tokens(c, out, n->item[i], flags);
	}
}

/* The parser may have reported already: a compilation of its own reads the text again for its
 * nodes. */
static void
emit_source(vc *c, const char *what, vc_source *src, unsigned flags, vt_buf *out)
{
	uint32_t n;
	ynode **docs =
		vc_yaml_parse(c, src, &(vc_yaml_opts){.expressions = true, .flags = flags}, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(what, "tokens")) {
			put_tokens(c, out, docs[i], flags);
			continue;
		}
		vt_buf_printf(out, "# %s, document %u\n", src->name, i + 1);
		yn_dump(out, docs[i], 0);
	}
}

static void
emit_package(vc *c, const char *what, const mpl_package *p, vt_buf *out)
{
	unsigned flags = YQ_F_MURANO;
	if (!strcmp(what, "ast")) {
		mpl_dump(out, p);
		return;
	}
	vc *again = vc_new();
	again->limit = c->limit;
	for (uint32_t i = 0; i < p->nclasses; i++) {
		const vc_source *s = p->classes[i]->src;
		bool first = true;
		for (uint32_t k = 0; k < i; k++)
			first &= p->classes[k]->src != s;
		if (first)
			emit_source(again, what, vc_source_new(again, s->name, s->text, s->n),
				flags, out);
	}
	vc_free(again);
}

/* A file outside of any package: its classes belong to a package without a name. */
static void
emit_lone(vc *c, const char *what, const char *path, vt_buf *out)
{
	vc_source *src = vc_source_read(c, path);
	if (!src)
		return;
	if (strcmp(what, "ast") != 0) {
		emit_source(c, what, src, YQ_F_MURANO, out);
		return;
	}
	mpl_package *p = vc_alloc(c, sizeof *p);
	*p = (mpl_package){
		.path = path, .name = "", .version = "0.0.0", .format = 104, .type = "Library"};
	mpl_parse_file(c, p, src, "Main");
	mpl_dump(out, p);
}

static void
emit_sources(vc *c, const char *what, const char *const *sources, uint32_t n, vt_buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!is_package(sources[i])) {
			emit_lone(c, what, sources[i], out);
			continue;
		}
		mpl_package *p = vc_package_load(c, sources[i], true);
		if (p)
			emit_package(c, what, p, out);
	}
}

int
cmd_emit_stage(const cmd_options *o)
{
	vc *c = vc_new();
	vt_buf out = {0};
	emit_sources(c, o->emit, o->line.words.v, o->line.words.n, &out);
	vt_buf_print(&out, stdout);
	vc_print_diags(c, VC_TEXT, stderr);
	int rc = vc_errors(c) ? VC_EINPUT : VC_OK;
	vc_free(c);
	return rc;
}

/* ---- the command ---- */

/* A YAML file with keys that TOSCA has and a class has not. */
static bool
looks_like_template(const char *path)
{
	static const char *const keys[] = {"metadata:", "imports:", "topology_template:",
		"service_template:", "node_types:", "data_types:", "capability_types:",
		"relationship_types:", "node_templates:", "tosca_definitions_version"};
	char line[256];
	bool looks = false;
	FILE *f = is_package(path) ? NULL : vc_source_open(path);
	for (int i = 0; f && i < 10000 && !looks && fgets(line, sizeof line, f); i++)
		for (size_t k = 0; k < VC_LEN(keys); k++)
			looks |= !strncmp(line, keys[k], strlen(keys[k]));
	if (f)
		fclose(f);
	return looks;
}

/* A template that forgot its version is told so, and not that it is no package. */
static bool
is_tosca(vc *c, const char *path, const char *kind)
{
	if (kind)
		return !strcmp(kind, "tosca");
	return !strcmp(path, "-") || tosca_is_source(c, path) || looks_like_template(path);
}

static enum wf_kind
workflow_kind(vc *c, const char *path, const char *kind)
{
	struct stat st;
	if (kind || !strcmp(path, "-"))
		return wf_kind_named(kind);
	if (vt_ends_with(path, ".yay") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) ||
		is_package(path))
		return WF_NONE;
	return tosca_is_source(c, path) ? WF_NONE : wf_kind_of(c, path);
}

static void
check_workflow(vc *c, const char *path, enum wf_kind kind, const cmd_options *o)
{
	vc_source *src = vc_source_read(c, path);
	if (src)
		wf_check(c, src, kind, o->functions.v, o->functions.n);
}

/* A query in a file of its own, as `vetro query --from-file` has it. */
static void
check_query(vc *c, const char *path)
{
	vc_source *src = vc_source_read(c, path);

	if (src)
		(void)yq_parse_source(c, src);
}

/* What the packages bring along for people to fill in. */
static void
check_forms(vc *c)
{
	uint32_t n;
	mpl_package **all = vc_packages(c, &n);
	for (uint32_t i = 0; i < n; i++) {
		/* A template that gave no class was told to be broken. */
		bool has_class = all[i]->kind == MPL_MURANO || all[i]->nclasses;
		vc_source *src = all[i]->is_main && has_class ? form_of_package(c, all[i]) : NULL;
		const form_ui *ui = src ? form_read(c, src) : NULL;
		if (ui)
			form_check(c, all[i], ui);
	}
}

/* Packages know one another, and Yay files are layers of one configuration; each TOSCA service
 * stands for itself. */
static void
check_sources(vc *c, const cmd_options *o)
{
	const vt_cli_list *sources = &o->line.words;
	const char **packages = vc_alloc(c, sources->n * sizeof *packages),
		   **layers = vc_alloc(c, sources->n * sizeof *layers);
	uint32_t n = 0, nlayers = 0;
	for (uint32_t i = 0; i < sources->n; i++) {
		const char *source = cmd_unwrapped(c, sources->v[i]);
		enum wf_kind flow = source ? workflow_kind(c, source, o->kind) : WF_NONE;
		if (source == NULL)
			continue;
		if (flow != WF_NONE)
			check_workflow(c, source, flow, o);
		else if (!o->kind && vt_ends_with(source, ".yaql"))
			check_query(c, source);
		else if (cmd_is_yay(o, source))
			layers[nlayers++] = source;
		else if (is_tosca(c, source, o->kind))
			cmd_check_tosca(c, source, o);
		else
			packages[n++] = source;
	}
	if (nlayers)
		cmd_check_yay(c, layers, nlayers, o);
	if (!n)
		return;
	for (uint32_t i = 0; i < o->paths.n; i++)
		vc_package_path(c, o->paths.v[i]);
	for (uint32_t i = 0; i < n; i++)
		vc_package_load(c, packages[i], true);
	vc_packages_resolve(c);
	(void)vc_packages_complete(c, true);
	mpl_check(c);
	check_forms(c);
	cmd_check_wrapped(c, o);
	if (o->model)
		mpl_check_model(c, o->model);
}

enum lsp_kind
cmd_kind_of(vc *c, const char *path, const cmd_options *o)
{
	if (is_package(path))
		return LSP_PACKAGE;
	if (cmd_is_yay(o, path))
		return LSP_YAY;
	if (tosca_is_source(c, path) || looks_like_template(path))
		return LSP_TOSCA;
	return wf_kind_of(c, path) != WF_NONE ? LSP_WORKFLOW : LSP_OTHER;
}

void
cmd_check_all(vc *c, const cmd_options *o)
{
	c->werror = o->werror;
	c->strict = o->strict;
	c->pedantic = o->pedantic;
	c->closed = o->closed;
	c->bad_pattern = qc_bad_pattern;
	c->limit.max_errors = (uint32_t)o->max_errors;
	cmd_limit_files(c, o);
	c->limit.max_depth = (uint32_t)o->max_depth;
	check_sources(c, o);
}

int
cmd_check(cmd_options *o)
{
	enum vc_diag_format format = (enum vc_diag_format)o->diags;
	if (o->emit)
		return cmd_emit_stage(o);
	vc *c = vc_new();
	cmd_check_all(c, o);
	vc_print_diags(c, format, format == VC_TEXT ? stderr : stdout);
	int rc = vc_errors(c) || vc_faults(c) ? VC_EINPUT : VC_OK;
	vc_free(c);
	return rc;
}

/* check.c - `vetro check`, and --emit=tokens|yaml|ast of any command. */
#include "compiler/cmd/cmd.h"
#include "compiler/tosca/front.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_MAX = 64 };

typedef struct check {
	const char *sources[LIST_MAX];
	uint32_t nsources;
	const char *paths[LIST_MAX];
	uint32_t npaths;
	const char *maps[LIST_MAX];
	uint32_t nmaps;
	const char *lua[LIST_MAX];
	uint32_t nlua;
	const char *format, *emit, *kind;
	uint32_t max_errors, max_depth;
	bool werror;
} check;

static int
usage(const char *what, const char *arg)
{
	return cmd_usage("check", what, arg);
}

/* ---- arguments ---- */

static bool
keep(const char **list, uint32_t *n, const char *s)
{
	if (*n == LIST_MAX)
		return false;
	list[(*n)++] = s;
	return true;
}

/* `--name VALUE`, `--name=VALUE`, `-I VALUE` or `-IVALUE`. False when arg is another option; *v
 * NULL: no value. */
static bool
takes(const char *name, int argc, char **argv, int *i, const char **v)
{
	const char *arg = argv[*i];
	size_t n = strlen(name);
	bool is_long = name[1] == '-';
	if (strncmp(arg, name, n) != 0 || (is_long && arg[n] && arg[n] != '='))
		return false;
	if (arg[n])
		*v = arg + n + is_long;
	else
		*v = *i + 1 < argc ? argv[++*i] : NULL;
	return true;
}

static bool
number(const char *s, uint32_t *out)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(s, &end, 10);
	if (*s < '0' || *s > '9' || *end || errno || !n || n > 1000000)
		return false;
	*out = (uint32_t)n;
	return true;
}

static int
option(check *k, int argc, char **argv, int *i)
{
	const char *arg = argv[*i], *v = NULL;
	if (!strcmp(arg, "-Werror") || !strcmp(arg, "--werror"))
		return k->werror = true, VC_OK;
	if (takes("--format", argc, argv, i, &v)) {
		k->format = v;
	} else if (takes("--emit", argc, argv, i, &v)) {
		k->emit = v;
	} else if (takes("-I", argc, argv, i, &v)) {
		if (v && !keep(k->paths, &k->npaths, v))
			return usage("too many -I", NULL);
	} else if (takes("--map", argc, argv, i, &v)) {
		if (v && !keep(k->maps, &k->nmaps, v))
			return usage("too many --map", NULL);
	} else if (takes("--kind", argc, argv, i, &v)) {
		k->kind = v;
		if (v && strcmp(v, "muranopl") && strcmp(v, "tosca") && strcmp(v, "yay"))
			return usage("--kind knows muranopl, tosca and yay, not", v);
	} else if (takes("--lua", argc, argv, i, &v)) {
		if (v && !keep(k->lua, &k->nlua, v))
			return usage("too many --lua", NULL);
	} else if (takes("--max-errors", argc, argv, i, &v)) {
		if (v && !number(v, &k->max_errors))
			return usage("not a number from 1 on:", v);
	} else if (takes("--max-depth", argc, argv, i, &v)) {
		if (v && (!number(v, &k->max_depth) || k->max_depth > 1000))
			return usage("not a depth from 1 to 1000:", v);
	} else {
		return cmd_unknown_option("check", arg);
	}
	return v ? VC_OK : usage("a value is missing after", arg);
}

static int
parse(check *k, int argc, char **argv)
{
	bool only_sources = false;
	for (int i = 1; i < argc; i++) {
		int rc = VC_OK;
		if (!only_sources && !strcmp(argv[i], "--"))
			only_sources = true;
		else if (!only_sources && argv[i][0] == '-' && argv[i][1])
			rc = option(k, argc, argv, &i);
		else if (!keep(k->sources, &k->nsources, argv[i]))
			rc = usage("too many sources", NULL);
		if (rc)
			return rc;
	}
	return k->nsources ? VC_OK : usage("no SOURCE given", NULL);
}

/* ---- stages ---- */

static bool
is_package(const char *path)
{
	struct stat st;
	size_t n = strlen(path);
	return (n > 4 && !strcmp(path + n - 4, ".zip")) ||
	       (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static void
put_tokens(vc *c, vt_buf *out, const ynode *n)
{
	if (n->is_expr) {
		uint32_t line, col;
		vc_place(n->span.src, n->span.from, &line, &col);
		vt_buf_printf(out, "%s:%u:%u\n", n->span.src->name, line, col);
		yq_tokens(c, out, n->text, n->ntext, c->yaql_flags);
	}
	for (uint32_t i = 0; i < n->n; i++) {
		if (n->kind == YN_MAP)
			put_tokens(c, out, n->key[i]);
		put_tokens(c, out, n->item[i]);
	}
}

/* The parser may have reported already: a compilation of its own reads the text again for its
 * nodes. */
static void
emit_source(vc *c, const char *what, vc_source *src, unsigned flags, vt_buf *out)
{
	uint32_t n;
	c->yaql_flags = flags;
	ynode **docs = vc_yaml_parse(c, src, true, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(what, "tokens")) {
			put_tokens(c, out, docs[i]);
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
cmd_emit_stage(const char *what, const char *const *sources, uint32_t n, const char *const *paths,
	uint32_t npaths)
{
	if (strcmp(what, "tokens") != 0 && strcmp(what, "yaml") != 0 && strcmp(what, "ast") != 0)
		return usage(
			"--emit knows tokens, yaml, ast, and for build also ir and c, not", what);
	vc *c = vc_new();
	vt_buf out = {0};
	emit_sources(c, what, sources, n, &out);
	if (out.n)
		fwrite(out.p, 1, out.n, stdout);
	vt_buf_free(&out);
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
	static const char *const keys[] = {
		"metadata:", "imports:", "topology_template:", "service_template:", "node_types:",
		"data_types:", "capability_types:", "relationship_types:"};
	char line[256];
	bool looks = false;
	FILE *f = is_package(path) ? NULL : fopen(path, "rb");
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

static bool
is_yay(const char *path, const char *kind)
{
	size_t n = strlen(path);
	return kind ? !strcmp(kind, "yay")
		    : (n > 4 && !strcmp(path + n - 4, ".yay")) ||
			       (n > 8 && !strcmp(path + n - 8, ".yay.gpg"));
}

/* Packages know one another, and Yay files are layers of one configuration; each TOSCA service
 * stands for itself. */
static void
check_sources(vc *c, const check *k)
{
	const char *packages[LIST_MAX], *layers[LIST_MAX];
	uint32_t n = 0, nlayers = 0;
	for (uint32_t i = 0; i < k->nsources; i++)
		if (is_yay(k->sources[i], k->kind))
			layers[nlayers++] = k->sources[i];
		else if (is_tosca(c, k->sources[i], k->kind))
			cmd_check_tosca(c, k->sources[i], k->paths, k->npaths, k->maps, k->nmaps);
		else
			packages[n++] = k->sources[i];
	if (nlayers)
		cmd_check_yay(c, layers, nlayers, k->paths, k->npaths, k->lua, k->nlua);
	if (!n)
		return;
	for (uint32_t i = 0; i < k->npaths; i++)
		vc_package_path(c, k->paths[i]);
	for (uint32_t i = 0; i < n; i++)
		vc_package_load(c, packages[i], true);
	vc_packages_resolve(c);
	mpl_check(c);
}

static int
run(const check *k, enum vc_diag_format format)
{
	vc *c = vc_new();
	c->werror = k->werror;
	if (k->max_errors)
		c->limit.max_errors = k->max_errors;
	if (k->max_depth)
		c->limit.max_depth = k->max_depth;
	check_sources(c, k);
	vc_print_diags(c, format, format == VC_TEXT ? stderr : stdout);
	int rc = vc_errors(c) ? VC_EINPUT : VC_OK;
	vc_free(c);
	return rc;
}

int
cmd_check(int argc, char **argv)
{
	check k = {.format = "text"};
	enum vc_diag_format format;
	int rc = parse(&k, argc, argv);
	if (rc)
		return rc;
	if (!cmd_diag_format(k.format, &format))
		return usage("--format knows text, json and sarif, not", k.format);
	if (k.emit)
		return cmd_emit_stage(k.emit, k.sources, k.nsources, k.paths, k.npaths);
	return run(&k, format);
}

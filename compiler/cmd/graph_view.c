/*
 * graph_view.c - `vetro graph view`: a service, a graph or an object model as a page to look at, or
 * as a picture that Graphviz draws.
 */
#include "compiler/build/process.h"
#include "compiler/cmd/cmd.h"
#include "compiler/tosca/front.h"
#include "runtime/call/call.h"
#include "runtime/mugl/mugl.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is shown ---- */

typedef struct view {
	const cmd_options *a;
	const char *path;
	bool svg;
	vt_buf out; /* the page, or text for Graphviz */
} view;

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The page with `json` as the member `key` of its data. */
static void
put_page(view *w, const char *key, const char *json, size_t n)
{
	vt_buf data = {0};
	const char *name = base_of(w->path);

	vt_buf_puts(&data, "{\"title\":");
	vt_put_json_repaired(&data, name, strlen(name));
	vt_buf_printf(&data, ",\"%s\":", key);
	vt_buf_put(&data, json, n);
	vt_buf_putc(&data, '}');
	vt_put_graph_page(&w->out, data.p, data.n);
	vt_buf_free(&data);
}

/* Has the text the members of an object model of murano? */
static bool
is_model(const char *text, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_value v = VT_UNDEF;
	char *err = NULL;
	bool is = vt_json_read(rt, text, n, 0, 0, &v, &err) && vt_is(v, DICT);

	if (is)
		is = vt_dict_get_c(vt_as_dict(v), "vertices") == VT_UNDEF &&
		     (vt_dict_get_c(vt_as_dict(v), "Objects") != VT_UNDEF ||
			     vt_dict_get_c(vt_as_dict(v), "?") != VT_UNDEF);
	vt_clear(&v);
	free(err);
	vt_rt_free(rt);
	return is;
}

static bool
view_graph(view *w)
{
	const cmd_options *a = w->a;
	const mugl_options o = {.snapshot = a->snapshot,
		.lenient = a->lenient,
		.max_depth = (uint32_t)a->max_depth,
		.max_bytes = a->max_bytes,
		.max_vertices = (uint32_t)a->max_vertices};
	const char *name = strcmp(w->path, "-") ? w->path : "<stdin>";
	mugl_problems bad = {0};
	size_t n = 0;
	char *text = mugl_read_text(w->path, &o, &n, &bad);
	bool model = text && !w->svg && is_model(text, n), good = model;
	mugl *g = text && !model ? mugl_read(text, n, &o, &bad) : NULL;
	vt_buf json = {0};

	if (model) {
		put_page(w, "model", text, n);
	} else if (g && !bad.errors) {
		good = w->svg || mugl_write(g, MUGL_COMPACT | MUGL_KEEP, &json, &bad);
		if (w->svg)
			mugl_dot(g, &w->out);
		else if (good)
			put_page(w, "graph", json.p, json.n);
	}
	mugl_problems_print(&bad, name, text, n, stderr);
	vt_buf_free(&json);
	mugl_problems_free(&bad);
	mugl_free(g);
	free(text);
	return good;
}

/* ---- Graphviz ---- */

static bool
cannot(const char *what)
{
	vt_say("vetro: the picture cannot be drawn: %s\n", what);
	return false;
}

/* Runs dot over the text; its picture takes the text's place. */
static bool
run_dot(view *w, const char *dir)
{
	char *in = vt_asprintf("%s/in.dot", dir), *svg = vt_asprintf("%s/out.svg", dir),
	     *log = vt_asprintf("%s/log", dir);
	vc_argv argv = {.v = {"dot", "-Tsvg", "-o", svg, in}, .n = 5};
	int status = -1;
	bool ok = vt_put_output("vetro", in, &w->out, 0);
	pid_t pid = ok ? vc_process_start(&argv, log) : -1;
	vt_buf said = {0};

	if (ok && pid < 0)
		ok = cannot(errno == ENOENT ? "there is no dot in PATH (install graphviz)"
					    : strerror(errno));
	while (ok && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ok && !vc_process_succeeded(status)) {
		(void)vt_read_file(log, 4000, &said);
		vt_buf_repair(&said);
		vt_buf_putc(&said, 0);
		ok = cannot(said.n > 1 ? said.p : "dot failed");
	}
	w->out.n = 0;
	ok = ok && (vt_read_file(svg, SIZE_MAX, &w->out) || cannot(strerror(errno)));
	(void)unlink(in);
	(void)unlink(svg);
	(void)unlink(log);
	vt_buf_free(&said);
	free(in);
	free(svg);
	free(log);
	return ok;
}

static bool
draw_svg(view *w)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = vt_asprintf("%s/vetro-view-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	bool ok = mkdtemp(dir) ? run_dot(w, dir) : cannot(strerror(errno));

	(void)rmdir(dir);
	free(dir);
	return ok;
}

int
cmd_graph_view(cmd_options *a)
{
	view w = {.a = a, .path = a->line.words.v[0], .svg = !strcmp(a->form, "svg")};
	vc *c = vc_new();
	bool tosca = strcmp(w.path, "-") != 0 && tosca_is_source(c, w.path), good;

	vc_free(c);
	c = vc_new();
	good = tosca ? cmd_tosca_view(c, w.path, w.svg ? "dot" : "html", &w.out) == VC_OK
		     : view_graph(&w);
	vc_free(c);
	good = good && (!w.svg || draw_svg(&w)) && vt_put_output("vetro", a->out, &w.out, 0);
	vt_buf_free(&w.out);
	return good ? VC_OK : VC_EINPUT;
}

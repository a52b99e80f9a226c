/*
 * yay_main.c - the binary of a Yay configuration: prints it or a part of it, with overrides.
 */
#include "yay.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
	const vt_yprogram *p;
	vt_rt *rt;
	vt_yay *y;
	const char *select, *as, *format, *dflt;
	bool raw, compact;
} run;

/* ---- documents and classes ---- */

static const vt_ydoc *
named(const run *r, const char *name, size_t n)
{
	for (uint32_t i = 0; i < r->p->ndocs; i++)
		if (strlen(r->p->docs[i]->name) == n && memcmp(r->p->docs[i]->name, name, n) == 0)
			return r->p->docs[i];
	return NULL;
}

/* Beside the document that includes it, then as it is called. */
static const vt_ydoc *
open_document(void *ctx, vt_yay *y, const char *name, const vt_ydoc *from, bool *secret)
{
	const char *slash = strrchr(from->name, '/');
	const vt_ydoc *d = NULL;
	vt_buf b = {0};

	*secret = false;
	if (slash && *name != '/') {
		vt_buf_put(&b, from->name, (size_t)(slash - from->name) + 1);
		vt_buf_puts(&b, name);
		d = named(ctx, b.p, b.n);
		vt_buf_free(&b);
	}
	return d ? d : named(ctx, name, strlen(name));
}

static bool
has_class(void *ctx, const char *name)
{
	return vt_host_defined(((run *)ctx)->rt, name);
}

static const vt_unit unit = {.file = "", .layers = VT_L_STD, .opt = {-1, -1, 0, 0, 0, 0, 0}};

static vt_status
make(void *ctx, vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	vt_scope *scope = vt_scope_root(rt, &unit, VT_NULL);
	vt_status st = vt_call_name(rt, scope, &unit, name, 1, &params, out);

	vt_scope_drop(scope);
	return st;
}

/* ---- overrides ---- */

static vt_value
read_value(vt_rt *rt, const char *text)
{
	vt_value v;
	char *err = NULL;

	if (vt_json_read(rt, text, strlen(text), VT_JSON_MUTABLE, 100, &v, &err))
		return v;
	free(err);
	return vt_str_c(rt, text);
}

bool
vt_yay_override(vt_rt *rt, vt_yay *y, const char *arg)
{
	const char *eq = strchr(arg, '='), *end, *from;
	vt_value v;

	if (!eq || eq == arg || vt_utf8_check(arg, strlen(arg)) != strlen(arg))
		return false;
	v = read_value(rt, eq + 1);
	for (end = eq; end > arg; end = from > arg ? from - 1 : arg) {
		vt_dict *d = vt_dict_new_hashed(rt, false);
		vt_value key;
		for (from = end; from > arg && from[-1] != '.'; from--)
			;
		key = vt_str_new(rt, from, (size_t)(end - from));
		vt_dict_set(rt, d, key, v);
		vt_release(key);
		vt_release(v);
		v = vt_mkptr(d);
	}
	vt_yay_layer(y, v);
	vt_release(v);
	return true;
}

/* ---- the command line ---- */

static const char help[] =
	"usage: %s [PATH] [--set PATH=VALUE]... [--as TYPE] [--default VALUE] [-f json|yaml] [-c] "
	"[-r]\n\n"
	"Prints the configuration, or the part at PATH (as sites[0].url) without looking at the "
	"rest.\n\n"
	"  --set PATH=VALUE  an override; VALUE is JSON or else a text\n"
	"  --as TYPE         int, float, number, bool, string, list, iterable, dict, keys or type\n"
	"  --default VALUE   what to print when the part is not defined\n"
	"  -f FORMAT         json or yaml\n"
	"  -c, -r            JSON in one line; a text without quotes\n";

static int
usage(const char *what, const char *arg)
{
	fprintf(stderr, "%s %s\nhint: see --help\n", what, arg);
	return 2;
}

static int
read_args(run *r, int argc, char **argv)
{
	const struct {
		const char *name;
		const char **to;
	} options[] = {{"--as", &r->as}, {"--default", &r->dflt}, {"-f", &r->format},
		{"--select", &r->select}};

	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], **to = NULL;
		bool set = !strcmp(a, "--set");
		for (size_t k = 0; k < VT_LEN(options); k++)
			if (!strcmp(a, options[k].name))
				to = options[k].to;
		if ((to || set) && i + 1 >= argc)
			return usage("a value is missing behind", a);
		if (to)
			*to = argv[++i];
		else if (set && !vt_yay_override(r->rt, r->y, argv[++i]))
			return usage("--set takes PATH=VALUE, not", argv[i]);
		else if (!set && !strcmp(a, "-c"))
			r->compact = true;
		else if (!set && !strcmp(a, "-r"))
			r->raw = true;
		else if (!set && a[0] == '-')
			return usage("there is no option", a);
		else if (!set)
			r->select = a;
	}
	return r->format && strcmp(r->format, "json") && strcmp(r->format, "yaml")
		       ? usage("-f is json or yaml, not", r->format)
		       : 0;
}

/* ---- results ---- */

static void
tell(const vt_yfault *f)
{
	const vt_yplace *p = f->place;

	if (f->nplaces && p->name)
		fprintf(stderr, "%s:%u:%u: ", p->name, p->line, p->col);
	fprintf(stderr, "error: %s [%s]\n", f->message ? f->message : "", f->type);
	for (uint32_t i = 1; i < f->nplaces; i++)
		fprintf(stderr, "%s:%u:%u: note: through this\n", p[i].name, p[i].line, p[i].col);
}

static void
print(const run *r, vt_value v)
{
	vt_buf b = {0};

	if (r->raw && vt_is(v, STR))
		vt_buf_put(&b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (r->format && !strcmp(r->format, "yaml"))
		vt_yaml_write(r->rt, &b, v);
	else
		vt_json_write(r->rt, &b, v, r->compact ? 0 : VT_JSON_PRETTY);
	if (!b.n || b.p[b.n - 1] != '\n')
		vt_buf_putc(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
	vt_buf_free(&b);
}

static int
answer(run *r)
{
	int as = 0;
	vt_ynode *n;
	vt_value v = VT_UNDEF;
	bool good;

	while (r->as && as < VT_YAS_COUNT && strcmp(r->as, vt_yay_as_names[as]))
		as++;
	if (as == VT_YAS_COUNT)
		return usage("--as knows no type", r->as);
	n = vt_yay_root(r->y);
	if (r->select)
		n = vt_yay_at(r->y, n, r->select, strlen(r->select));
	good = n && vt_yay_value(r->y, n, (enum vt_yay_as)as, &v);
	if (!good && r->dflt && vt_yay_fault(r->y)->kind == VT_YE_NO_MATCHING) {
		v = read_value(r->rt, r->dflt);
		good = true;
	}
	if (good)
		print(r, v);
	else
		tell(vt_yay_fault(r->y));
	vt_release(v);
	return !good;
}

static bool
load(run *r)
{
	char *why = NULL;

	if (r->p->lua && !vt_lua_load(r->rt, r->p->lua, strlen(r->p->lua), "lua", &why)) {
		fprintf(stderr, "error: %s\n", why);
		free(why);
		return false;
	}
	for (uint32_t i = 0; i < r->p->nlayers; i++)
		vt_yay_load(r->y, r->p->docs[i], false);
	for (const char *const *d = r->p->search; *d; d++)
		vt_yay_search(r->y, *d);
	return true;
}

int
vt_yay_main(int argc, char **argv, const vt_yprogram *p)
{
	run r = {.p = p};
	vt_yay_host host = {&r, open_document, has_class, make};
	int rc = 1;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))) {
		printf(help, argv[0]);
		return 0;
	}
	r.rt = vt_rt_new(NULL);
	r.y = vt_yay_new(r.rt, &host, NULL);
	if (load(&r) && (rc = read_args(&r, argc, argv)) == 0)
		rc = answer(&r);
	vt_yay_free(r.y);
	vt_rt_free(r.rt);
	return fflush(stdout) && !rc ? 3 : rc;
}

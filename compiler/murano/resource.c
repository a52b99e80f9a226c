/*
 * resource.c - the files of a package's Resources/ (K10), which become constants of its program.
 *
 * io.murano.system.Resources reads them when the program runs; what yaml() gives is worked out
 * here, because the runtime has no reader of YAML.  Values are those of the reference's loader:
 * PyYAML's, with dates and times left as texts.
 */
#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"
#include "compiler/murano/package_int.h"
#include "compiler/yaml/yaml.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/text/report.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDER = sizeof "Resources/" - 1 };

/* ---- files ---------------------------------------------------------------------------------- */

static void
report_dead_links(vc *c, const mpl_package *p)
{
	size_t n;
	const char *const *names = vc_files_dead_links(c, p->files, "Resources", &n);

	for (size_t i = 0; i < n; i++) {
		vc_report(c, VC_E0112, vc_file_span(c, vc_format(c, "%s/%s", p->path, names[i])),
			"the link leads to no file of the package");
		vc_hint(c, "put the file itself into Resources; links to directories are not "
			   "followed");
	}
}

static void
too_much(vc *c, const mpl_package *p, const char *name)
{
	vc_report(c, VC_E0113, vc_file_span(c, vc_format(c, "%s/%s", p->path, name)),
		"with this file the package has more than %zu MiB of Resources",
		c->limit.max_resources >> 20);
	vc_hint(c, "every binary carries them; --max-resources=MIB allows more");
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const vc_resource *)a)->name, ((const vc_resource *)b)->name);
}

/* The class of a template finds it below the name of the package. */
static void
add_template(vc *c, mpl_package *p)
{
	size_t n;
	char *data = vc_files_bytes(c, p->files, mpl_template_path(c, p), &n);

	if (data == NULL)
		return;
	vc_push(c, p->resources, p->nresources) =
		(vc_resource){.name = p->name, .data = data, .n = n};
	qsort(p->resources, p->nresources, sizeof *p->resources, by_name);
}

static void
read_all(vc *c, mpl_package *p)
{
	size_t n, size, total = 0;
	const char *const *names = vc_files_list(c, p->files, "Resources", &n);

	for (size_t i = 0; i < n; i++) {
		char *data = vc_files_bytes(c, p->files, names[i], &size);
		if (!data)
			continue;
		total += size;
		if (total > c->limit.max_resources) {
			too_much(c, p, names[i]);
			return;
		}
		vc_push(c, p->resources, p->nresources) =
			(vc_resource){.name = names[i] + FOLDER, .data = data, .n = size};
	}
	if (p->kind == MPL_HOT)
		add_template(c, p);
	report_dead_links(c, p);
}

vc_resource *
vc_resources(vc *c, mpl_package *p, uint32_t *n)
{
	if (!p->resources_read && p->files)
		read_all(c, p);
	p->resources_read = true;
	*n = p->nresources;
	return p->resources;
}

/* ---- YAML to JSON with tags ------------------------------------------------------------------ */

static void
put_float(vt_buf *b, double d)
{
	vt_buf t = {0};

	vt_float_repr(&t, d);
	if (d - d == 0)
		vt_buf_put(b, t.p, t.n);
	else
		vt_buf_printf(b, "{\"$float\":\"%.*s\"}", (int)t.n, t.p);
	vt_buf_free(&t);
}

/* Bytes are a tuple of numbers to a program. */
static void
put_bytes(vt_buf *b, const ynode *n)
{
	for (uint32_t i = 0; i < n->ntext; i++)
		vt_buf_printf(b, "%s%u", i ? "," : "[", (unsigned)(unsigned char)n->text[i]);
	vt_buf_puts(b, n->ntext ? "]" : "[]");
}

static void
put_scalar(vt_buf *b, const ynode *n)
{
	switch ((enum yn_type)n->type) {
	case YT_NULL: vt_buf_puts(b, "null"); break;
	case YT_BOOL: vt_buf_puts(b, n->i ? "true" : "false"); break;
	case YT_INT:
		if (n->fits)
			vt_buf_printf(b, "%lld", (long long)n->i);
		else
			vt_buf_printf(b, "{\"$int\":\"%s\"}", n->digits);
		break;
	case YT_FLOAT: put_float(b, n->f); break;
	case YT_BINARY: put_bytes(b, n); break;
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME: vt_put_json_repaired(b, n->text, n->ntext); break;
	}
}

/* A key that begins with $ would be read as a tag. */
static bool
is_plain_map(const ynode *n)
{
	for (uint32_t i = 0; i < n->n; i++) {
		const ynode *k = n->key[i];
		bool text = k->type == YT_STR || k->type == YT_DATE || k->type == YT_DATETIME;
		if (!text || (k->ntext && k->text[0] == '$'))
			return false;
	}
	return true;
}

static void
put_map(vt_buf *b, const ynode *n)
{
	bool plain = is_plain_map(n);

	vt_buf_puts(b, plain ? "{" : "{\"$dict\":[");
	for (uint32_t i = 0; i < n->n; i++) {
		vt_buf_puts(b, i ? "," : "");
		vt_buf_puts(b, plain ? "" : "[");
		put_scalar(b, n->key[i]);
		vt_buf_puts(b, plain ? ":" : ",");
		mpl_put_value(b, n->item[i]);
		vt_buf_puts(b, plain ? "" : "]");
	}
	vt_buf_puts(b, plain ? "}" : "]}");
}

void
mpl_put_value(vt_buf *b, const ynode *n)
{
	if (n->kind == YN_MAP) {
		put_map(b, n);
	} else if (n->kind == YN_SEQ) {
		vt_buf_puts(b, "[");
		for (uint32_t i = 0; i < n->n; i++) {
			vt_buf_puts(b, i ? "," : "");
			mpl_put_value(b, n->item[i]);
		}
		vt_buf_puts(b, "]");
	} else {
		put_scalar(b, n);
	}
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void
put_mark(vt_buf *b, vc_span at)
{
	uint32_t line, col;

	if (!at.src || !at.src->text)
		return;
	vc_place(at.src, at.from, &line, &col);
	vt_buf_printf(b, "\n  in \"<unicode string>\", line %u, column %u", line, col);
}

/* libyaml's reader, scanner and parser are distinguished by what they complain of. */
static const char *
syntax_type(const char *problem)
{
	if (strstr(problem, "control characters") || strstr(problem, "UTF-8"))
		return "yaml.reader.ReaderError";
	if (!strncmp(problem, "did not find expected", 21) || strstr(problem, "directive") ||
		strstr(problem, "document") || strstr(problem, "undefined tag handle"))
		return "yaml.parser.ParserError";
	return "yaml.scanner.ScannerError";
}

static void
put_syntax(vt_buf *b, const vc_first *e)
{
	const char *problem = !strncmp(e->text, "YAML: ", 6) ? e->text + 6 : e->text;
	const char *end = e->note ? strstr(e->note, " that begins here") : NULL;

	vt_buf_printf(b, "%s\n", syntax_type(problem));
	if (end) {
		vt_buf_put(b, e->note, (size_t)(end - e->note));
		put_mark(b, e->note_span);
		vt_buf_puts(b, "\n");
	}
	vt_buf_puts(b, problem);
	put_mark(b, e->span);
}

/* "the tag !!x is not known for .." to what PyYAML says. */
static bool
put_unknown_tag(vt_buf *b, const char *text)
{
	const char *from = strstr(text, "the tag "), *to = strstr(text, " is not known");

	if (!from || !to)
		return false;
	from += 8;
	vt_buf_puts(b, "could not determine a constructor for the tag '");
	if (!strncmp(from, "!!", 2)) {
		vt_buf_puts(b, "tag:yaml.org,2002:");
		from += 2;
	}
	vt_buf_put(b, from, (size_t)(to - from));
	vt_buf_puts(b, "'");
	return true;
}

/* The exception of the reference for a finding of ours; its words where they are always the same.
 */
static void
put_error(vt_buf *b, const vc_first *e)
{
	static const struct {
		enum vc_code code;
		const char *type, *text;
	} types[] = {{VC_E0109, "yaml.reader.ReaderError", "control characters are not allowed"},
		{VC_E0202, "RecursionError", NULL}, {VC_E0203, "RuntimeError", NULL},
		{VC_E0204, "yaml.composer.ComposerError", "found undefined alias"},
		{VC_E0205, "yaml.composer.ComposerError", NULL}, {VC_E0207, "ValueError", NULL},
		{VC_E0208, "yaml.constructor.ConstructorError", "found unhashable key"},
		{VC_E0210, "ValueError", NULL}, {VC_E0211, "ValueError", NULL}};
	const char *type = "yaml.constructor.ConstructorError", *text = NULL;

	for (size_t i = 0; i < VC_LEN(types); i++)
		if (types[i].code == e->code) {
			type = types[i].type;
			text = types[i].text;
		}
	vt_buf_printf(b, "%s\n", type);
	if (e->code != VC_E0206 || !put_unknown_tag(b, e->text))
		vt_buf_puts(b, text ? text : e->text);
	put_mark(b, e->span);
}

static char *
error_text(vc *c, const vc_first *e)
{
	vt_buf b = {0};

	vt_buf_puts(&b, "!");
	if (e->code == VC_E0201)
		put_syntax(&b, e);
	else
		put_error(&b, e);
	return vc_take(c, &b);
}

/* ---- one file -------------------------------------------------------------------------------- */

/* !yaql means something in class files only. */
static const ynode *
find_expression(const ynode *n)
{
	const ynode *found = n->kind == YN_SCALAR && n->is_expr ? n : NULL;

	for (uint32_t i = 0; n->kind != YN_SCALAR && i < n->n && !found; i++) {
		found = n->kind == YN_MAP ? find_expression(n->key[i]) : NULL;
		found = found ? found : find_expression(n->item[i]);
	}
	return found;
}

static char *
one_document(vc *c, ynode *const *docs, uint32_t n)
{
	const ynode *e = n == 1 ? find_expression(docs[0]) : NULL;
	vt_buf b = {0};

	if (n > 1) {
		vt_buf_puts(&b,
			"!yaml.composer.ComposerError\nexpected a single document in the stream");
		put_mark(&b, docs[0]->span);
		vt_buf_puts(&b, "\nbut found another document");
		put_mark(&b, docs[1]->span);
	} else if (e) {
		return error_text(c, &(vc_first){.code = VC_E0206,
					     .span = e->span,
					     .text = "the tag !yaql is not known"});
	} else {
		vt_buf_puts(&b, "=");
		if (n)
			mpl_put_value(&b, docs[0]);
		else
			vt_buf_puts(&b, "null");
	}
	return vc_take(c, &b);
}

/* A compilation of its own takes what is wrong: a resource need not be YAML. */
char *
vc_resource_yaml(vc *c, const vc_resource *r)
{
	vc *own = vc_new();
	vc_source *src;
	ynode **docs;
	uint32_t n = 0;
	char *out;

	own->limit = c->limit;
	src = vc_source_take(own, r->name, vc_strndup(own, r->data, r->n), r->n);
	docs = src ? vc_yaml_parse(own, src,
			     &(vc_yaml_opts){.keep_empty = true, .flags = YQ_F_MURANO}, &n)
		   : NULL;
	if (vc_errors(own)) {
		vc_first e = vc_first_error(own);
		out = error_text(c, &e);
	} else {
		out = one_document(c, docs, n);
	}
	vc_free(own);
	return out;
}

/*
 * Fuzz target: any bytes are a TOSCA file, and a service goes as far as its problems let it: front
 * end, engine without inputs, topology. Imports lead into an archive that is empty. driver.c says
 * how it is run.
 */
#include "compiler/tosca/unit.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"
#include "t/fuzz/structure.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

const char *const fuzz_keys[] = {
#define ENTITY(symbol, noun, shorthand)
#define KEY(entity, name, reader, of, versions, flags) name,
#include "compiler/tosca/keys.def"
#undef ENTITY
#undef KEY
#define GROUP(title)
#define FN(name, versions, clause, min, max, flags, fn, args, does, example) "$" name, name,
#include "runtime/tosca/fn.def"
#undef GROUP
#undef FN
	NULL};
const char *const fuzz_values[] = {"SELF", "HOST", "SOURCE", "TARGET", "ENTRY_POINT", "UNBOUNDED",
	"string", "integer", "float", "boolean", "timestamp", "version", "range", "list", "map",
	"scalar-unit.size", "scalar-unit.time", "bytes", "3 kB", "1 GiB", "0.5 d", "1.0.0.beta-4",
	"$value", "$node_index", "tosca.nodes.Root", "tosca.nodes.Compute",
	"tosca.capabilities.Node", "tosca.relationships.HostedOn",
	"tosca.interfaces.node.lifecycle.Standard", "Root", "Compute", "HostedOn",
	"OS::Heat::Stack", "OS::Nova::Server", "t:Root", "mandatory", "?", NULL};

static void
engine(struct tosca *t, const vt_tmodel *m)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_tosca *e = vt_tosca_new(rt, m);
	vt_value v = VT_UNDEF;
	e->partial = true;
	e->limit.max_nodes = 2000;
	e->limit.max_steps = 200000;
	vt_tosca_run(e);
	vt_tosca_check_types(e);
	tosca_report(t, e);
	if (!vc_errors(t->c)) {
		vt_buf b = {NULL, 0, 0};
		vt_tosca_topology(e, &v);
		vt_json_write(rt, &b, v, 0);
		vt_buf_free(&b);
	}
	vt_clear(&v);
	vt_tosca_free(e);
	vt_rt_free(rt);
}

/* Gives the service on; false: it is none, and the line with the error, or with what the error
 * ends, is cut out. */
static bool
compile(char *text, size_t *n, bool begin)
{
	vc *c = vc_new();
	struct tosca t = {.c = c};
	struct tosca_files none = {.name = "fuzz", .key = "fuzz", .top = "", .archive = true};
	char *copy = vc_alloc(c, *n + 1);
	memcpy(copy, text, *n);
	c->limit.max_nodes = 20000;
	vc_source *src = vc_source_take(c, "fuzz.yaml", copy, *n);
	tosca_unit *u = src ? tosca_load_source(&t, src, "fuzz.yaml", &none) : NULL;
	vc_first first = vc_first_error(c);
	bool broken = !u && first.text;
	if (broken) {
		size_t at = begin && first.note ? first.note_span.from : first.span.from;
		size_t from = at < *n ? at : *n, to = from;
		while (from && text[from - 1] != '\n')
			from--;
		while (to < *n && text[to++] != '\n')
			;
		broken = to > from;
		memmove(text + from, text + to, *n - to);
		*n -= to - from;
	}
	if (u) {
		tosca_imports(&t, u);
		tosca_artifacts(&t, 0);
		engine(&t, tosca_model(&t, &u, 1));
	}
	vc_free(c);
	return !broken;
}

/* The first line, whatever became of it, is a version. */
static size_t
put_version(char *text, const uint8_t *data, size_t n)
{
	static const char *const versions[] = {"tosca_2_0", "tosca_simple_yaml_1_3",
		"tosca_simple_yaml_1_2", "tosca_simple_yaml_1_1", "tosca_simple_yaml_1_0",
		"cloudify_dsl_1_3", "wallaby"};
	char line[80] = "";
	size_t end = 0, which = n ? data[n - 1] % VC_LEN(versions) : 0;
	while (end < n && data[end] != '\n')
		end++;
	memcpy(line, data, end < sizeof line - 1 ? end : sizeof line - 1);
	for (size_t i = 0; i < VC_LEN(versions); i++)
		if (strstr(line, versions[i]))
			which = i;
	size_t head = (size_t)sprintf(text, "%s: %s",
		which == VC_LEN(versions) - 1 ? "heat_template_version"
					      : "tosca_definitions_version",
		versions[which]);
	for (size_t i = end; i < n; i++)
		text[head++] = (char)(data[i] < 0x80 && (data[i] >= ' ' || data[i] == '\n')
					      ? data[i]
					      : (data[i] & 0x3f) | 0x40);
	return head;
}

/*
 * Most changes of a text make it no YAML: lines that are to blame are cut out, so that the rest
 * gets its turn. (Bytes that are no text are looked at by compiler/murano/class_file.c.)
 */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 80);
	n = put_version(text, data, n);
	for (int i = 0; i < 40 && n && !compile(text, &n, i % 2); i++)
		;
	free(text);
	return 0;
}

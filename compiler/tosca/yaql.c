/*
 * yaql.c - YAQL expressions of Heat's templates as code: in memory for who evaluates a
 * service here, as C for its binary.
 */
#include "compiler/tosca/emit.h"
#include "runtime/core/printable.h"
#include "compiler/query/compile.h"

#include <stdlib.h>
#include <string.h>

/* Heat lets expressions have so much; a list without an end stops there. */
enum { MOST_ITEMS = 100000, MOST_BYTES = 64 << 20 };

static qr_request
request(const char *text, size_t n)
{
	qr_request r = {
		.expr = text, .n = n, .layers = qr_layers(false, false), .opt = qr_default_options};
	r.opt.limit_iterators = MOST_ITEMS;
	r.opt.memory_quota = MOST_BYTES;
	r.opt.sets_to_lists = true;
	return r;
}

static char *
message(qr_error *e)
{
	char *why = vt_asprintf("%s: %s", e->type, e->message);
	qr_error_free(e);
	return why;
}

/* ---- in memory ---- */

typedef struct known {
	char *text;
	size_t n;
	uint32_t hash;
	char *why; /* what is wrong with it, or NULL */
	const struct vt_program *program;
	qc *code;
} known;
struct tosca_yaql {
	vt_seed seed;
	known *k;
	uint32_t n, *hash, nhash;
};

static uint32_t
slot_of(const tosca_yaql *y, uint32_t hash, const char *text, size_t n)
{
	for (uint32_t at = hash & (y->nhash - 1);; at = (at + 1) & (y->nhash - 1)) {
		const known *k = y->hash[at] ? &y->k[y->hash[at] - 1] : NULL;
		if (!k || (k->n == n && !memcmp(k->text, text, n)))
			return at;
	}
}

static void
grow(tosca_yaql *y)
{
	y->nhash = y->nhash ? 2 * y->nhash : 16;
	y->hash = vt_xrealloc(y->hash, y->nhash * sizeof *y->hash);
	memset(y->hash, 0, y->nhash * sizeof *y->hash);
	for (uint32_t i = 0; i < y->n; i++)
		y->hash[slot_of(y, y->k[i].hash, y->k[i].text, y->k[i].n)] = i + 1;
}

static known
compile(const vt_str *text, uint32_t hash)
{
	known k = {.text = vt_xmalloc(text->bytes + 1), .n = text->bytes, .hash = hash};
	qr_error e = {.type = NULL};
	qr_request r = request(text->s, text->bytes);
	k.code = qc_compile(&r, 0, &k.program, &e);
	if (!k.code)
		k.why = message(&e);
	memcpy(k.text, text->s, text->bytes + 1);
	return k;
}

static const struct vt_program *
code_of(vt_tosca *t, const struct vt_str *text, char **why)
{
	tosca_yaql *y = t->yaql_ctx;
	if (2 * y->n >= y->nhash)
		grow(y);
	uint32_t hash = (uint32_t)vt_sip(&y->seed, text->s, text->bytes);
	uint32_t at = slot_of(y, hash, text->s, text->bytes);
	if (!y->hash[at]) {
		vt_push(y->k, y->n) = compile(text, hash);
		y->hash[at] = y->n;
	}
	const known *k = &y->k[y->hash[at] - 1];
	if (k->why)
		*why = vt_asprintf("%s", k->why);
	return k->program;
}

tosca_yaql *
tosca_yaql_open(vt_tosca *e)
{
	tosca_yaql *y = vt_xmalloc(sizeof *y);
	*y = (tosca_yaql){.seed = vt_seed_new()};
	e->yaql = code_of;
	e->yaql_ctx = y;
	return y;
}

void
tosca_yaql_close(tosca_yaql *y)
{
	for (uint32_t i = 0; i < y->n; i++) {
		qc_free(y->k[i].code);
		free(y->k[i].why);
		free(y->k[i].text);
	}
	free(y->k);
	free(y->hash);
	free(y);
}

/* ---- as C ---- */

/* The text of an expression that stands in the template as it is; 0: none. */
static uint32_t
text_of(const vt_tmodel *m, const vt_texpr *x)
{
	if (x->kind != VT_TX_CALL || x->u.k.fn & VT_TX_CUSTOM ||
		strcmp(vt_tfuncs[x->u.k.fn].name, "yaql") != 0 || x->n != 1)
		return 0;
	const vt_texpr *map = &m->expr[m->index[x->u.k.at]];
	for (uint32_t i = 0; map->kind == VT_TX_MAP && i < map->n; i++) {
		const vt_texpr *key = &m->expr[m->index[map->u.k.at + 2 * i]],
			       *v = &m->expr[m->index[map->u.k.at + 2 * i + 1]];
		if (key->kind == VT_TX_STR && v->kind == VT_TX_STR &&
			!strcmp(m->str[key->u.str]->s, "expression"))
			return v->u.str;
	}
	return 0;
}

static bool
emit_one(struct tosca *t, const vt_tmodel *m, uint32_t text, vc_cfile *file, uint32_t number,
	vt_tplace at)
{
	qr_error e = {.type = NULL};
	qr_request r = request(m->str[text]->s, m->str[text]->bytes);
	const yq_node *tree = qc_parse(t->c, &r, false, &e);
	ir_module *mod = tree ? qc_lower(t->c, &r, tree, &e) : NULL;
	if (!mod) {
		char *why = message(&e);
		vc_report(t->c, VC_E2070, tosca_span(t, at), "yaql: %.*s", VT_WHOLE(why));
		free(why);
		return false;
	}
	*file = (vc_cfile){.name = vc_format(t->c, "yaql%u.c", number)};
	vt_buf_printf(&file->text, "#define vt_query_program vt_yaql_%u\n", number);
	vc_emit_query_at(t->c, mod, 0, &file->text);
	return true;
}

vc_cfile *
tosca_emit_yaql(struct tosca *t, const vt_tmodel *m, vt_buf *table, uint32_t *n)
{
	vc_cfile *files = NULL;
	uint8_t *seen = vc_alloc(t->c, m->n_str);
	vt_buf rows = {NULL, 0, 0};
	*n = 0;
	for (uint32_t i = 1; i < m->n_expr; i++) {
		const vt_texpr *x = &m->expr[i];
		uint32_t text = text_of(m, x), number = *n;
		vc_cfile file;
		if (!text || seen[text]++ ||
			!emit_one(t, m, text, &file, number, (vt_tplace){x->file, x->at}))
			continue;
		vc_push(t->c, files, *n) = file;
		vt_buf_printf(table, "extern const vt_program vt_yaql_%u;\n", number);
		vt_buf_printf(&rows, "{%u, &vt_yaql_%u}, ", text, number);
	}
	vt_buf_printf(table, "static const vt_tyaql yaql[] = {%.*s{0, 0}};\n", (int)rows.n,
		rows.n ? rows.p : "");
	vt_buf_free(&rows);
	return files;
}

/*
 * emit_tables.c - a service as C: its tables (runtime/abi/vt_tosca.h) as constants, the files of
 * its operations, main().
 *
 * Rows are numbers in braces, in the order of the struct's fields: a C compiler reads hundreds of
 * thousands of them a second, and nothing has to be done at start-up.  How a struct is laid out is
 * said once more here, in a word a field; the size of what is said must be that of the struct,
 * which is checked for each table.
 */
#include "compiler/emit/int.h"
#include "compiler/tosca/front.h"
#include "compiler/tosca/emit.h"
#include "runtime/core/number.h"

#include <string.h>

/*
 * b, h, w: unsigned of 1, 2, 4 bytes; d: a double; s: a span; p: a place; X: the union of an
 * expression, which needs its kind.
 */
static const struct layout {
	const char *name, *type, *fields;
	size_t size;
} layouts[] = {
	{"lines", "vt_tlines", "ss", sizeof(vt_tlines)},
	{"start", "uint32_t", "w", sizeof(uint32_t)},
	{"run", "vt_trun", "wwww", sizeof(vt_trun)},
	{"expr", "vt_texpr", "bbhwwX", sizeof(vt_texpr)},
	{"index", "uint32_t", "w", sizeof(uint32_t)},
	{"unit", "vt_tunit", "wd", sizeof(vt_tunit)},
	{"data", "vt_tdata", "wwwbbbbwwssswwp", sizeof(vt_tdata)},
	{"schema", "vt_tschema", "wwws", sizeof(vt_tschema)},
	{"slot", "vt_tslot", "wwwwp", sizeof(vt_tslot)},
	{"assign", "vt_tassign", "wwwp", sizeof(vt_tassign)},
	{"type", "vt_ttype",
		"bwwwwsssssssss"
		"wwwwp",
		sizeof(vt_ttype)},
	{"capdef", "vt_tcapdef", "wwsswwssp", sizeof(vt_tcapdef)},
	{"reqdef", "vt_treqdef", "wwwwwwwwssp", sizeof(vt_treqdef)},
	{"op", "vt_top", "wwwwwswwwwssbpp", sizeof(vt_top)},
	{"iface", "vt_tiface", "wwwssp", sizeof(vt_tiface)},
	{"artifact", "vt_tartifact", "wwwwwwwwwwsp", sizeof(vt_tartifact)},
	{"cap", "vt_tcap", "wsswp", sizeof(vt_tcap)},
	{"req", "vt_treq", "wwwwwwwwssswwwwbbbpp", sizeof(vt_treq)},
	{"node", "vt_tnode",
		"wwwwwswssssss"
		"wp",
		sizeof(vt_tnode)},
	{"rel", "vt_trel", "wwwwsssp", sizeof(vt_trel)},
	{"group", "vt_tgroup", "wwwwssssp", sizeof(vt_tgroup)},
	{"policy", "vt_tgroup", "wwwwssssp", sizeof(vt_tgroup)},
	{"trigger", "vt_ttrigger", "wwwwwwsp", sizeof(vt_ttrigger)},
	{"activity", "vt_tactivity", "bwsp", sizeof(vt_tactivity)},
	{"step", "vt_tstep", "wwwwwwsssp", sizeof(vt_tstep)},
	{"workflow", "vt_tworkflow", "wwwsswwp", sizeof(vt_tworkflow)},
	{"mapping", "vt_tmapping", "bbwwwwwwwp", sizeof(vt_tmapping)},
	{"signature", "vt_tsignature", "swwwwp", sizeof(vt_tsignature)},
	{"function", "vt_tfunction", "wsp", sizeof(vt_tfunction)},
	{"service", "vt_tservice",
		"wwwssssssss"
		"wws",
		sizeof(vt_tservice)},
};

static size_t
aligned(size_t at, size_t to)
{
	return (at + to - 1) / to * to;
}

/* Size and alignment of a field. */
static size_t
field_size(char f, size_t *align)
{
	switch (f) {
	case 'b': return *align = 1;
	case 'h': return *align = 2;
	case 'w': return *align = 4;
	case 's': *align = 4; return sizeof(vt_tspan);
	case 'p': *align = 4; return sizeof(vt_tplace);
	case 'd': *align = sizeof(double); return sizeof(double);
	}
	*align = sizeof(int64_t);
	return sizeof(int64_t);
}

static bool
is_whole(const struct layout *l)
{
	size_t at = 0, most = 1, align = 1;
	for (const char *f = l->fields; *f; f++) {
		size_t n = field_size(*f, &align);
		at = aligned(at, align) + n;
		most = align > most ? align : most;
	}
	return aligned(at, most) == l->size;
}

/* ---- rows: their digits are most of the text, and vt_buf_printf would be most of the time ---- */

static void
put_u32(vt_buf *b, uint32_t v)
{
	char digits[12], *p = digits + sizeof digits;
	*--p = ',';
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	vt_buf_put(b, p, (size_t)(digits + sizeof digits - p));
}

static void
put_double(vt_buf *b, double d)
{
	vt_buf r = {0};
	vt_float_repr(&r, d);
	vt_buf_putc(&r, '\0');
	vt_buf_printf(b, "%s,",
		d != d                        ? "(1e308*10)-(1e308*10)"
		: d > 1.7976931348623157e308  ? "1e308*10"
		: d < -1.7976931348623157e308 ? "-1e308*10"
					      : r.p);
	vt_buf_free(&r);
}

static void
put_expr_union(vt_buf *b, const vt_texpr *e)
{
	switch ((enum vt_tx_kind)e->kind) {
	case VT_TX_NONE:
	case VT_TX_NULL: vt_buf_puts(b, "{0},"); return;
	case VT_TX_BOOL:
	case VT_TX_INT:
		if (e->u.i == INT64_MIN)
			vt_buf_puts(b, "{-9223372036854775807LL-1},");
		else
			vt_buf_printf(b, "{%lldLL},", (long long)e->u.i);
		return;
	case VT_TX_FLOAT:
		vt_buf_puts(b, "{.f=");
		put_double(b, e->u.f);
		vt_buf_puts(b, "},");
		return;
	case VT_TX_BIG:
	case VT_TX_STR:
		vt_buf_puts(b, "{.str=");
		put_u32(b, e->u.str);
		vt_buf_puts(b, "},");
		return;
	case VT_TX_LIST:
	case VT_TX_MAP:
	case VT_TX_CALL:
		vt_buf_puts(b, "{.k={");
		put_u32(b, e->u.k.at);
		put_u32(b, e->u.k.fn);
		vt_buf_puts(b, "}},");
		return;
	}
}

static void
put_words(vt_buf *b, const char *p, uint32_t n)
{
	vt_buf_puts(b, "{");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t w;
		memcpy(&w, p + i * sizeof w, sizeof w);
		put_u32(b, w);
	}
	vt_buf_puts(b, "},");
}

static void
put_field(vt_buf *b, char f, const char *p, const char *row)
{
	uint32_t w;
	uint16_t h;
	double d;
	switch (f) {
	case 'b': put_u32(b, *(const uint8_t *)p); return;
	case 'h':
		memcpy(&h, p, sizeof h);
		put_u32(b, h);
		return;
	case 'w':
		memcpy(&w, p, sizeof w);
		put_u32(b, w);
		return;
	case 's': put_words(b, p, 2); return;
	case 'p': put_words(b, p, 2); return;
	case 'd':
		memcpy(&d, p, sizeof d);
		put_double(b, d);
		return;
	case 'X': put_expr_union(b, (const vt_texpr *)(const void *)row); return;
	}
}

static void
put_row(vt_buf *b, const struct layout *l, const char *row)
{
	size_t at = 0, align = 1;
	if (l->fields[1])
		vt_buf_puts(b, "{");
	for (const char *f = l->fields; *f; f++) {
		size_t n = field_size(*f, &align);
		at = aligned(at, align);
		put_field(b, *f, row + at, row);
		at += n;
	}
	vt_buf_puts(b, l->fields[1] ? "},\n" : "\n");
}

static void
put_table(vc *c, vt_buf *b, const char *name, const void *rows, uint32_t n)
{
	for (size_t i = 0; i < VC_LEN(layouts); i++) {
		const struct layout *l = &layouts[i];
		if (strcmp(l->name, name) != 0)
			continue;
		if (!is_whole(l))
			vc_report(c, VC_E0901, (vc_span){0},
				"emit_tables.c does not know all fields of %s", l->type);
		vt_buf_printf(b, "static const %s t_%s[] = {\n", l->type, name);
		for (uint32_t k = 0; k < n; k++)
			put_row(b, l, (const char *)rows + k * l->size);
		vt_buf_puts(b, n ? "};\n" : "{0}};\n");
		return;
	}
	vc_report(c, VC_E0901, (vc_span){0}, "emit_tables.c does not know the table '%s'", name);
}

/* ---- strings ---- */

/* One struct for all constants: a declaration of its own for each takes the C compiler several
 * times as long. */
static void
put_strings(vt_buf *b, const vt_tmodel *m)
{
	vt_buf_puts(b, "static const struct {\n");
	for (uint32_t i = 0; i < m->n_str; i++)
		if (m->str[i])
			vt_buf_printf(b, "VT_STR_CONST(%u) text%u;\n", m->str[i]->bytes, i);
	vt_buf_puts(b, "char end;\n} strings = {\n");
	for (uint32_t i = 0; i < m->n_str; i++) {
		const vt_str *s = m->str[i];
		if (!s)
			continue;
		vt_buf_printf(b, "{{VT_IMMORTAL,VT_K_STR,%s,0},%u,%u,0x%llxULL,",
			s->points == s->bytes ? "VT_F_ASCII" : "0", s->bytes, s->points,
			(unsigned long long)vt_hash_bytes(s->s, s->bytes));
		ct_string(b, s->s, s->bytes);
		vt_buf_puts(b, "},\n");
	}
	vt_buf_puts(b, "0};\nstatic const vt_str *const t_str[] = {\n");
	for (uint32_t i = 0; i < m->n_str; i++) {
		if (m->str[i])
			vt_buf_printf(b, "(const vt_str *)&strings.text%u,\n", i);
		else
			vt_buf_puts(b, "NULL,\n");
	}
	vt_buf_puts(b, m->n_str ? "};\n" : "NULL};\n");
}

/* Paths of the machine that builds are nobody's business: what is shown is how the file was named,
 * or where it lies beside the first. */
static void
put_files(vc *c, vt_buf *b, const vt_tmodel *m)
{
	const char *first = NULL; /* a service whose text is embedded has no file at 0 */

	vt_buf_puts(b, "static const char *const t_file[] = {\n");
	for (uint32_t i = 0; i < m->n_file; i++) {
		const char *name = m->file[i];
		first = first ? first : name;
		ct_text(b, name ? vc_output_name(c, name, first) : NULL);
		vt_buf_puts(b, ",\n");
	}
	vt_buf_puts(b, "NULL};\n");
}

static void
put_model(vc *c, vt_buf *b, const vt_tmodel *m, const tosca_code *code)
{
	put_strings(b, m);
	put_files(c, b, m);
#define X(type, name) \
	if (strcmp(#name, "str") != 0 && strcmp(#name, "file") != 0) \
		put_table(c, b, #name, m->name, m->n_##name);
	VT_TMODEL_TABLES(X)
#undef X
	vt_buf_printf(b, "static const vt_tmodel model = {\n.version = %u, .root = %u,\n",
		m->version, m->root);
#define X(type, name) \
	vt_buf_printf(b, "." #name " = t_" #name ", .n_" #name " = %u,\n", m->n_##name);
	VT_TMODEL_TABLES(X)
#undef X
	vt_buf_printf(b, ".coded = coded, .n_coded = %u, .code = code,\n};\n", code->n_coded);
}

/* ---- files of operations ---- */

static void
put_blobs(vt_buf *b, const tosca_blobs *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const tosca_blob *x = &f->blob[i];
		vt_buf_printf(b, "static const char b%u[] =\n", i);
		ct_string(b, x->data, x->n);
		vt_buf_puts(b, ";\n");
	}
	vt_buf_puts(b, "static const vt_tblob blobs[] = {\n");
	for (uint32_t i = 0; i < f->n; i++) {
		vt_buf_puts(b, "{");
		ct_text(b, f->blob[i].path);
		vt_buf_printf(b, ",b%u,%u,%d},\n", f->blob[i].same, (unsigned)f->blob[i].n,
			f->blob[i].executable);
	}
	vt_buf_puts(b, "{NULL,NULL,0,0}};\nstatic const vt_tblobref refs[] = {\n");
	for (uint32_t i = 0; i < f->nrefs; i++)
		vt_buf_printf(b, "{%u,%u,%u,%u},\n", f->ref[i].file, f->ref[i].name, f->ref[i].blob,
			f->ref[i].tail);
	vt_buf_puts(b, "{0,0,0,0}};\n");
}

/* Who changes the service or one of its files builds another program: its state must tell the two
 * apart. */
static void
put_digest(vt_buf *b, size_t from, char out[33])
{
	uint64_t h[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
	for (size_t i = from; i < b->n; i++) {
		h[0] = (h[0] ^ (unsigned char)b->p[i]) * 0x100000001b3u;
		h[1] = (h[1] ^ (unsigned char)b->p[i]) * 0x10000000233u + (h[0] >> 29);
	}
	snprintf(out, 33, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
}

/* Parts of the runtime that only some services need are weak; the linker takes those that are named
 * here. */
static void
put_parts(vt_buf *b, const vt_tmodel *m)
{
	bool xml = false;
	for (uint32_t i = 0; i < m->n_data; i++)
		xml |= m->data[i].base == VT_TB_XML;
	for (uint32_t i = 0; i < m->n_expr; i++)
		xml |= m->expr[i].kind == VT_TX_CALL && m->expr[i].u.k.fn < VT_TX_CUSTOM &&
		       strcmp(vt_tfuncs[m->expr[i].u.k.fn].name, "schema") == 0;
	if (xml)
		vt_buf_puts(b, "extern void vt_xml_check(void);\n"
			       "void (*const vt_linked_xml)(void) = vt_xml_check;\n");
}

static void
put_or_null(vt_buf *b, const char *text)
{
	if (text)
		ct_text(b, text);
	else
		vt_buf_puts(b, "0");
}

vc_cfile *
vc_emit_tosca(struct tosca *t, const vt_tmodel *m, const char *name, uint32_t *n)
{
	vc_cfile *file, *yaql;
	uint32_t nyaql;
	tosca_blobs blobs = {0};
	tosca_code code = {0};
	vc_cfile f = {.name = "service.c"};
	char digest[33];
	*n = 0;
	tosca_collect_blobs(t, m, &blobs);
	vt_buf_puts(&f.text, "#define VT_TOSCA\n#include \"vt.h\"\n\n");
	(void)vc_lower_tosca(t, m, name, &code);
	tosca_emit_code(t, m, &code, &f.text);
	put_model(t->c, &f.text, m, &code);
	put_blobs(&f.text, &blobs);
	yaql = tosca_emit_yaql(t, m, &f.text, &nyaql);
	put_parts(&f.text, m);
	put_digest(&f.text, 0, digest);
	vt_buf_puts(&f.text, "static const vt_tprogram program = {&model, ");
	ct_text(&f.text, name);
	vt_buf_puts(&f.text, ", ");
	ct_text(&f.text, digest);
	vt_buf_printf(&f.text, ", \"" VETRO_VERSION "\", blobs, %u, refs, %u, yaql, %u, ", blobs.n,
		blobs.nrefs, nyaql);
	put_or_null(&f.text, t->title);
	vt_buf_puts(&f.text, ", ");
	put_or_null(&f.text, t->version);
	vt_buf_puts(&f.text, "};\n");
	vt_buf_puts(&f.text, "\nint\nmain(int argc, char **argv)\n{\n\treturn vt_tosca_main(argc, "
			     "argv, &program);\n}\n");
	file = vc_alloc(t->c, (nyaql + 2) * sizeof *file);
	file[(*n)++] = f;
	for (uint32_t i = 0; i < nyaql; i++)
		file[(*n)++] = yaql[i];
	if (nyaql == 0)
		*n += vc_emit_linked(t->c, NULL, NULL, &file[*n]);
	return file;
}

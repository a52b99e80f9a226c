/*
 * parts.c - what a node is made of: values of properties, what its relationships lead to, inputs of
 * the operations that make it and the files that these run.
 *
 * The state keeps a hash of each part, by which an update finds what changed, and beside it what
 * the part was, for people.  Files of operations that do not run again are known by that alone:
 * they change nothing that is there.  Attributes are no parts, so all of it is reported before the
 * engine knows any.
 */
#include "runtime/deploy/deploy.h"
#include "runtime/core/number.h"
#include "runtime/core/printable.h"
#include "runtime/text/text.h"
#include "runtime/tosca/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 2000 }; /* bytes of a value that the state keeps for people */

struct parts {
	vt_tosca *t;
	const vt_tprogram *p;
	vt_tparts *to;
};

static void
put_value(struct parts *k, const vt_buf *name, vt_value owned)
{
	vt_value key = vt_str_new(k->t->rt, name->p, name->n);
	vt_dict_set(k->t->rt, k->to->value, key, owned);
	vt_release(key);
	vt_release(owned);
}

/* FNV-1a of 64 bits, the high half folded in: states keep it, so it stays as it is. */
static unsigned long long
print_of(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	h ^= h >> 32;
	return h ? h : 1;
}

static void
put_hash(struct parts *k, vt_buf *name, const char *bytes, size_t n)
{
	vt_rt *rt = k->t->rt;
	vt_value key = vt_str_take(rt, name);
	vt_value hash = vt_str_printf(rt, "%016llx", print_of(n ? bytes : "", n));
	vt_dict_set(rt, k->to->hash, key, hash);
	vt_release(key);
	vt_release(hash);
}

/* What stands for a secret: its hash. */
static vt_value
covered(vt_rt *rt, const char *bytes, size_t n)
{
	vt_dict *d = vt_dict_new(rt, true);
	vt_dict_set_c(rt, d, VT_TPART_SECRET, vt_str_printf(rt, "%016llx", print_of(bytes, n)));
	return vt_mkptr(d);
}

static void
put_part(struct parts *k, vt_buf *name, vt_value v, bool secret)
{
	vt_tosca *t = k->t;
	vt_buf b = {NULL, 0, 0};
	vt_value shown = vt_tosca_shown(t, v);
	vt_json_write(t->rt, &b, shown, 0);
	if (secret || vt_has_secret(b.p ? b.p : "", b.n))
		put_value(k, name, covered(t->rt, b.p ? b.p : "", b.n));
	else if (b.n > MOST_SHOWN)
		put_value(k, name, vt_str_printf(t->rt, "(%zu bytes)", b.n));
	else
		put_value(k, name, vt_copy(shown));
	put_hash(k, name, b.p, b.n);
	vt_release(shown);
	vt_buf_free(&b);
}

static void
bag_parts(struct parts *k, const char *where, const vt_tctx *ctx, vt_tbag *bag)
{
	vt_tosca *t = k->t;
	for (uint32_t i = 0; i < bag->n; i++) {
		const vt_tcell *c = &bag->cell[i];
		vt_value v = vt_tosca_cell(t, ctx, &bag->cell[i]);
		vt_buf name = {NULL, 0, 0};
		if (v == VT_UNDEF || v == VT_NOVALUE)
			continue;
		vt_buf_printf(&name, "%s/%s", where, vt_tosca_text(t, c->name));
		put_part(k, &name, v, c->slot && t->m->slot[c->slot].flags & VT_TS_PRIVATE);
	}
}

static void
input_parts(struct parts *k, const char *where, const vt_tctx *ctx, vt_tspan inputs)
{
	vt_tosca *t = k->t;
	for (uint32_t i = 0; i < inputs.n; i++) {
		const vt_tassign *a = &t->m->assign[inputs.first + i];
		vt_value v = VT_UNDEF;
		vt_tctx at = *ctx;
		at.place = a->place;
		if (a->expr && vt_tosca_eval(t, &at, a->expr, &v) && v != VT_UNDEF &&
			v != VT_NOVALUE) {
			vt_buf name = {NULL, 0, 0};
			vt_buf_printf(&name, "%s/%s", where, vt_tosca_text(t, a->name));
			put_part(k, &name, v, a->slot && t->m->slot[a->slot].flags & VT_TS_PRIVATE);
		}
		vt_clear(&v);
	}
}

/* The file that an operation runs; NULL: none that the program has. */
static const vt_tblob *
file_of(const struct parts *k, const vt_top *op)
{
	uint32_t n;
	const vt_tartifact *a = op->artifact ? &k->t->m->artifact[op->artifact] : NULL;
	const vt_tblobref *file = a ? vt_tosca_blobs(k->p, a->place.file, a->file, &n)
				    : vt_tosca_blobs(k->p, op->from, op->primary, &n);
	return n ? &k->p->blobs[file->blob] : NULL;
}

/* "create.sh 1f2e3d4c": what it is called, and how it begins is told apart. */
static void
put_file(struct parts *k, const vt_buf *name, const vt_tblob *file)
{
	put_value(k, name,
		vt_str_printf(k->t->rt, "%s %08llx", file->path,
			print_of(file->n ? file->data : "", file->n) >> 32));
}

/* Of what would run again. */
static void
op_parts(struct parts *k, const vt_tctx *ctx, const vt_tiface *f, const vt_top *op)
{
	char *where = vt_asprintf("operations/%s", vt_tosca_text(k->t, op->name));
	const vt_tblob *file = file_of(k, op);
	vt_buf name = {NULL, 0, 0};
	input_parts(k, where, ctx, f->inputs);
	input_parts(k, where, ctx, op->inputs);
	vt_buf_puts(&name, where);
	if (file) {
		put_file(k, &name, file);
		put_hash(k, &name, file->data, file->n);
	}
	vt_buf_free(&name);
	free(where);
}

/* Of what has run, or may run one day: shown, and no reason for an update. */
static void
op_facts(struct parts *k, const char *where, vt_tnodei *n, const vt_treli *r)
{
	for (uint8_t role = 0; role < VT_TL_COUNT; role++) {
		const vt_tiface *f;
		const vt_top *op;
		const vt_tblob *file;
		vt_buf name = {NULL, 0, 0};
		if (role == VT_TL_CALL || role == VT_TL_STATE || role == VT_TL_STEP ||
			(!r && (role == VT_TL_CONFIGURE || role == VT_TL_START)))
			continue;
		op = vt_tplan_op(k->t, n, r, (enum vt_trole)role, &f);
		file = op ? file_of(k, op) : NULL;
		if (!file)
			continue;
		vt_buf_printf(&name, "%soperations/%s", where, vt_tosca_text(k->t, op->name));
		put_file(k, &name, file);
		vt_buf_free(&name);
	}
}

void
vt_tupdate_key(vt_buf *b, const vt_tosca *t, const vt_tnodei *n)
{
	if (n->service->outside) {
		vt_tupdate_key(b, t, n->service->outside);
		vt_buf_putc(b, '/');
	}
	vt_buf_printf(b, "%s#%u", vt_tosca_text(t, n->t->name), n->index);
}

static void
rel_parts(struct parts *k, vt_tnodei *n, vt_treli *r)
{
	vt_tosca *t = k->t;
	vt_tctx ctx = vt_tosca_rel_ctx(r);
	char *where = vt_asprintf("requirements/%s[%u]", vt_tosca_text(t, r->name), r->index),
	     *inside = vt_asprintf("%s/", where);
	vt_buf name = {NULL, 0, 0}, key = {NULL, 0, 0}, path = {NULL, 0, 0};
	vt_buf_puts(&name, where);
	vt_tupdate_key(&key, t, r->target);
	vt_tosca_path(&path, t, r->target);
	put_value(k, &name, vt_str_new(t->rt, path.p, path.n));
	put_hash(k, &name, key.p, key.n);
	bag_parts(k, where, &ctx, &r->props);
	op_facts(k, inside, n, r);
	vt_buf_free(&path);
	vt_buf_free(&key);
	free(inside);
	free(where);
}

static void
parts_of(struct parts *k, vt_tnodei *n)
{
	static const enum vt_trole runs[] = {VT_TL_CONFIGURE, VT_TL_START};
	static const char type[] = "type";
	vt_tosca *t = k->t;
	const vt_ttype *is = &t->m->type[n->t->type];
	vt_tctx ctx = vt_tosca_node_ctx(n);
	vt_dict_set_c(t->rt, k->to->value, type,
		vt_copy(vt_tosca_str(t, is->canon ? is->canon : is->name)));
	bag_parts(k, "properties", &ctx, &n->props);
	for (uint32_t i = 0; i < n->ncaps; i++) {
		char *where =
			vt_asprintf("capabilities/%s", vt_tosca_text(t, n->caps[i].def->name));
		bag_parts(k, where, &ctx, &n->caps[i].props);
		free(where);
	}
	for (uint32_t i = 0; i < n->nrels; i++)
		if (n->rels[i]->target)
			rel_parts(k, n, n->rels[i]);
	for (size_t i = 0; i < VT_LEN(runs); i++) {
		const vt_tiface *f;
		const vt_top *op = vt_tplan_op(t, n, NULL, runs[i], &f);
		if (op)
			op_parts(k, &ctx, f, op);
	}
	op_facts(k, "", n, NULL);
}

/* What is wrong with them was reported before. */
vt_tparts *
vt_tupdate_parts(vt_tosca *t, const vt_tprogram *p)
{
	vt_tparts *parts = vt_xmalloc((t->nnodes + 1) * sizeof *parts);
	t->mem->quiet++;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		struct parts k = {t, p, &parts[i]};
		parts[i] = (vt_tparts){vt_dict_new(t->rt, false), vt_dict_new(t->rt, true)};
		parts_of(&k, t->nodes[i]);
	}
	t->mem->quiet--;
	return parts;
}

void
vt_tupdate_free(vt_tparts *parts, uint32_t n)
{
	for (uint32_t i = 0; parts && i < n; i++) {
		vt_release(vt_mkptr(parts[i].hash));
		vt_release(vt_mkptr(parts[i].value));
	}
	free(parts);
}

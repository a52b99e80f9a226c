/*
 * update.c - from a service that is there to one with other inputs.
 *
 * What a node is made of has parts: values of properties, what its relationships lead to, inputs of
 * the operations that make it and the files that these run.  The state keeps a hash of each; parts
 * that differ make a node a changed one.  Attributes are no parts, so all of it is reported before
 * the engine knows any.
 *
 * An update has two plans: what nobody wants any more is taken away, by the engine that has the
 * inputs it was made with, then the service is run as always, where the state does not count as
 * done what a change makes necessary.  A node is the same one as before when it comes from the same
 * template and has the same number, whatever it is called: web is web_0 once there are two.
 */
#include "runtime/deploy/deploy.h"
#include "runtime/tosca/mem.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

static void
put_hash(vt_tosca *t, vt_dict *parts, vt_buf *name, const char *bytes, size_t n)
{
	vt_value key = vt_str_take(t->rt, name);
	vt_value hash = vt_str_printf(
		t->rt, "%016llx", (unsigned long long)vt_hash_bytes(n ? bytes : "", n));
	vt_dict_set(t->rt, parts, key, hash);
	vt_release(key);
	vt_release(hash);
}

static void
put_part(vt_tosca *t, vt_dict *parts, vt_buf *name, vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	vt_value shown = vt_tosca_shown(t, v);
	vt_json_write(t->rt, &b, shown, 0);
	put_hash(t, parts, name, b.p, b.n);
	vt_release(shown);
	vt_buf_free(&b);
}

static void
bag_parts(vt_tosca *t, vt_dict *parts, const char *where, const vt_tctx *ctx, vt_tbag *bag)
{
	for (uint32_t i = 0; i < bag->n; i++) {
		vt_value v = vt_tosca_cell(t, ctx, &bag->cell[i]);
		vt_buf name = {NULL, 0, 0};
		if (v == VT_UNDEF || v == VT_NOVALUE)
			continue;
		vt_buf_printf(&name, "%s/%s", where, vt_tosca_text(t, bag->cell[i].name));
		put_part(t, parts, &name, v);
	}
}

static void
input_parts(vt_tosca *t, vt_dict *parts, const char *where, const vt_tctx *ctx, vt_tspan inputs)
{
	for (uint32_t i = 0; i < inputs.n; i++) {
		const vt_tassign *a = &t->m->assign[inputs.first + i];
		vt_value v = VT_UNDEF;
		vt_tctx at = *ctx;
		at.place = a->place;
		if (a->expr && vt_tosca_eval(t, &at, a->expr, &v) && v != VT_UNDEF &&
			v != VT_NOVALUE) {
			vt_buf name = {NULL, 0, 0};
			vt_buf_printf(&name, "%s/%s", where, vt_tosca_text(t, a->name));
			put_part(t, parts, &name, v);
		}
		vt_clear(&v);
	}
}

/* Of what would run again. */
static void
op_parts(vt_tosca *t, const vt_tprogram *p, vt_dict *parts, const vt_tctx *ctx, const vt_tiface *f,
	const vt_top *op)
{
	uint32_t n;
	const vt_tblobref *file = vt_tosca_blobs(p, op->from, op->primary, &n);
	char *where = vt_asprintf("operations/%s", vt_tosca_text(t, op->name));
	vt_buf name = {NULL, 0, 0};
	input_parts(t, parts, where, ctx, f->inputs);
	input_parts(t, parts, where, ctx, op->inputs);
	if (op->artifact)
		file = vt_tosca_blobs(p, t->m->artifact[op->artifact].place.file,
			t->m->artifact[op->artifact].file, &n);
	vt_buf_printf(&name, "%s", where);
	if (n)
		put_hash(t, parts, &name, p->blobs[file->blob].data, p->blobs[file->blob].n);
	vt_buf_free(&name);
	free(where);
}

static void
node_key(vt_buf *b, const vt_tosca *t, const vt_tnodei *n)
{
	if (n->service->outside) {
		node_key(b, t, n->service->outside);
		vt_buf_putc(b, '/');
	}
	vt_buf_printf(b, "%s#%u", vt_tosca_text(t, n->t->name), n->index);
}

static void
rel_parts(vt_tosca *t, vt_dict *parts, vt_treli *r)
{
	vt_tctx ctx = vt_tosca_rel_ctx(r);
	char *where = vt_asprintf("requirements/%s[%u]", vt_tosca_text(t, r->name), r->index);
	vt_buf name = {NULL, 0, 0}, key = {NULL, 0, 0};
	vt_buf_puts(&name, where);
	node_key(&key, t, r->target);
	put_hash(t, parts, &name, key.p, key.n);
	bag_parts(t, parts, where, &ctx, &r->props);
	vt_buf_free(&key);
	free(where);
}

static vt_dict *
parts_of(vt_tosca *t, const vt_tprogram *p, vt_tnodei *n)
{
	static const enum vt_trole runs[] = {VT_TL_CONFIGURE, VT_TL_START};
	vt_dict *parts = vt_dict_new(t->rt, false);
	vt_tctx ctx = vt_tosca_node_ctx(n);
	bag_parts(t, parts, "properties", &ctx, &n->props);
	for (uint32_t i = 0; i < n->ncaps; i++) {
		char *where =
			vt_asprintf("capabilities/%s", vt_tosca_text(t, n->caps[i].def->name));
		bag_parts(t, parts, where, &ctx, &n->caps[i].props);
		free(where);
	}
	for (uint32_t i = 0; i < n->nrels; i++)
		if (n->rels[i]->target)
			rel_parts(t, parts, n->rels[i]);
	for (size_t i = 0; i < VT_LEN(runs); i++) {
		const vt_tiface *f;
		const vt_top *op = vt_tplan_op(t, n, NULL, runs[i], &f);
		if (op)
			op_parts(t, p, parts, &ctx, f, op);
	}
	return parts;
}

/* What is wrong with them was reported before. */
vt_dict **
vt_tupdate_parts(vt_tosca *t, const vt_tprogram *p)
{
	vt_dict **parts = vt_xmalloc((t->nnodes + 1) * sizeof(vt_dict *));
	t->mem->quiet++;
	for (uint32_t i = 0; i < t->nnodes; i++)
		parts[i] = parts_of(t, p, t->nodes[i]);
	t->mem->quiet--;
	return parts;
}

void
vt_tupdate_free(vt_dict **parts, uint32_t n)
{
	for (uint32_t i = 0; parts && i < n; i++)
		vt_release(vt_mkptr(parts[i]));
	free(parts);
}

/* ---- which nodes are the same ---- */

static vt_value
key_of(const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	node_key(&b, t, n);
	return vt_str_take(t->rt, &b);
}

/* {key: position} */
static vt_dict *
index_nodes(const vt_tosca *t)
{
	vt_dict *d = vt_dict_new(t->rt, false);
	for (uint32_t i = 0; i < t->nnodes; i++) {
		vt_value key = key_of(t, t->nodes[i]);
		vt_dict_set(t->rt, d, key, vt_mkint(i));
		vt_release(key);
	}
	return d;
}

static vt_tnodei *
same_node(const vt_tosca *t, const vt_dict *index, const vt_tosca *of, const vt_tnodei *n)
{
	vt_value key = key_of(of, n), at = vt_dict_get(index, key);
	vt_release(key);
	return at == VT_UNDEF ? NULL : t->nodes[vt_int_clamped(at)];
}

/* Is there a relationship of that name and number, to the same node? */
static bool
is_still(const vt_tosca *t, const vt_dict *index, const vt_tosca *of, const vt_treli *r,
	const vt_tnodei *now)
{
	for (uint32_t i = 0; i < now->nrels; i++) {
		const vt_treli *k = now->rels[i];
		if (k->name == r->name && k->index == r->index)
			return k->target && k->target == same_node(t, index, of, r->target);
	}
	return false;
}

/* ---- what is taken away ---- */

/* With all that needs them, which cannot do without for a while. */
static void
spread(const vt_tosca *t, bool *again)
{
	vt_tnodei **list = vt_xmalloc((t->nnodes + 1) * sizeof(vt_tnodei *));
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->nnodes; i++)
		if (again[i])
			list[n++] = t->nodes[i];
	while (n) {
		const vt_tnodei *now = list[--n];
		for (const vt_treli *r = now->in; r; r = r->next_in)
			if (!again[r->source->order]) {
				again[r->source->order] = true;
				list[n++] = r->source;
			}
	}
	free(list);
}

/* Its path, or the name of its template: all of that. */
static bool
is_named(const vt_tosca *t, const vt_tnodei *n, const char *name)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_path(&b, t, n);
	vt_buf_putc(&b, 0);
	bool same = !strcmp(b.p, name) || !strcmp(vt_tosca_text(t, n->t->name), name);
	vt_buf_free(&b);
	return same;
}

bool *
vt_tupdate_again(const vt_tstate *s, vt_tosca *t, vt_dict **parts, const char *name)
{
	bool *again = vt_xmalloc(t->nnodes + 1);
	for (uint32_t i = 0; i < t->nnodes; i++)
		again[i] = name ? is_named(t, t->nodes[i], name)
				: vt_tstate_differs(s, t, t->nodes[i], parts[i]);
	spread(t, again);
	return again;
}

vt_tplan *
vt_tupdate_away(vt_tstate *s, vt_tosca *old, vt_tosca *t, const bool *again, char **loop)
{
	vt_tplan *p = vt_tplan_new(old, true, NULL, loop);
	vt_dict *index = index_nodes(t);
	uint32_t work = 0;
	if (p)
		vt_tstate_mark(s, p);
	for (uint32_t i = 0; p && i < p->n; i++) {
		vt_taction *a = &p->a[i];
		const vt_tnodei *now = same_node(t, index, old, a->node);
		bool keep = now && !(again && again[now->order]);
		a->off = keep && !(a->rel && !is_still(t, index, old, a->rel, now));
		if (!keep && !vt_tstate_has(s, old, a->node) && a->role != VT_TL_DELETE)
			a->off = true;
		work += !a->off &&
			(a->op ? !a->was
			       : a->role == VT_TL_DELETE && vt_tstate_knows(s, old, a->node));
	}
	vt_release(vt_mkptr(index));
	if (p && !work) {
		vt_tplan_free(p);
		return NULL;
	}
	return p;
}

/* ---- what is changed ---- */

/* Who is notified of a change may be another one after it, and passes it on. */
static void
report_sources(vt_tstate *s, vt_tosca *t)
{
	vt_tnodei **order = vt_xmalloc((t->nnodes + 1) * sizeof(vt_tnodei *));
	bool *touched = vt_xmalloc(t->nnodes + 1);
	const vt_tiface *f;
	vt_tosca_order(t, order);
	for (uint32_t i = 0; i < t->nnodes; i++)
		touched[i] = vt_tstate_update(s, t, t->nodes[i], NULL) != 0;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		vt_tnodei *n = order[i];
		if (touched[n->order] || !vt_tstate_has(s, t, n))
			continue;
		for (uint32_t k = 0; k < n->nrels; k++) {
			vt_treli *r = n->rels[k];
			if (!r->target || !touched[r->target->order] ||
				!vt_tplan_op(t, n, r, VT_TL_TARGET_CHANGED, &f))
				continue;
			touched[n->order] = true;
			vt_tstate_notify(s, t, n);
			break;
		}
	}
	free(order);
	free(touched);
}

uint8_t *
vt_tupdate_begin(vt_tstate *s, vt_tosca *t, vt_dict **parts)
{
	uint8_t *update = vt_xmalloc(t->nnodes + 1);
	for (uint32_t i = 0; i < t->nnodes; i++)
		vt_tstate_remake(s, t, t->nodes[i], parts[i]);
	report_sources(s, t);
	for (uint32_t i = 0; i < t->nnodes; i++)
		update[i] = vt_tstate_update(s, t, t->nodes[i], NULL);
	return update;
}

/* ---- for people ---- */

static void
say(vt_buf *b, vt_dict *changes, const vt_tosca *t, const vt_tnodei *n, const char *what)
{
	vt_buf name = {NULL, 0, 0};
	vt_tosca_path(&name, t, n);
	vt_buf_putc(&name, 0);
	vt_buf_printf(b, "%s %s\n", name.p, what);
	if (changes)
		vt_dict_set_c(t->rt, changes, name.p, vt_str_c(t->rt, what));
	vt_buf_free(&name);
}

void
vt_tupdate_show_away(const vt_tplan *p, vt_buf *b, vt_dict *changes)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->a[i].role == VT_TL_DELETE && !p->a[i].off)
			say(b, changes, p->t, p->a[i].node, "goes");
}

void
vt_tupdate_show(const vt_tstate *s, const vt_tosca *t, vt_buf *b, vt_dict *changes)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const vt_tnodei *n = t->nodes[i];
		vt_buf parts = {NULL, 0, 0};
		uint8_t update = vt_tstate_update(s, t, n, &parts);
		if (update & VT_TU_CHANGED) {
			char *what =
				vt_asprintf("changes: %.*s", (int)parts.n, parts.p ? parts.p : "");
			say(b, changes, t, n, what);
			free(what);
		} else if (update) {
			say(b, changes, t, n, "is notified");
		} else if (!vt_tstate_has(s, t, n)) {
			say(b, changes, t, n, "is new");
		}
		vt_buf_free(&parts);
	}
}

/*
 * compare.c - what an update brings, for people: old => new, node by node.
 */
#include "runtime/deploy/deploy.h"
#include "runtime/core/printable.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

static bool
is_covered(vt_value v)
{
	return vt_is(v, DICT) && vt_dict_len(vt_as_dict(v)) == 1 &&
	       vt_dict_get_c(vt_as_dict(v), VT_TPART_SECRET) != VT_UNDEF;
}

/* Secrets are covered, long values cut. */
static void
put_value(vt_buf *b, vt_rt *rt, vt_value v)
{
	vt_buf text = {NULL, 0, 0};
	if (v == VT_UNDEF)
		vt_buf_puts(&text, "(none)");
	else if (is_covered(v))
		vt_buf_puts(&text, "*****");
	else
		vt_json_write(rt, &text, v, 0);
	vt_redact(&text, 0);
	vt_put_cut(b, text.p, text.n);
	vt_buf_free(&text);
}

static vt_value
shown_value(vt_rt *rt, vt_value v)
{
	vt_buf text = {NULL, 0, 0};
	bool secret;
	if (v == VT_UNDEF)
		return VT_NULL;
	if (is_covered(v))
		return vt_str_c(rt, "*****");
	vt_json_write(rt, &text, v, 0);
	secret = vt_has_secret(text.p, text.n);
	vt_buf_free(&text);
	return secret ? vt_str_c(rt, "*****") : vt_copy(v);
}

/* Old and new of one part. `runs`: nodes are changed for it. */
static void
put_part(vt_rt *rt, vt_buf *b, vt_list *parts, const vt_str *name, vt_value old, vt_value new,
	bool runs)
{
	vt_buf_puts(b, "    ");
	vt_put_printable(b, name->s, name->bytes);
	vt_buf_puts(b, ": ");
	if (old != VT_UNDEF) {
		put_value(b, rt, old);
		vt_buf_puts(b, " => ");
	}
	put_value(b, rt, new);
	if (old != VT_UNDEF && !runs)
		vt_buf_puts(b, "  (changes nothing that is there)");
	vt_buf_putc(b, '\n');
	if (parts) {
		vt_dict *d = vt_dict_new(rt, true);
		vt_dict_set_c(rt, d, "part", vt_copy(vt_mkptr(name)));
		vt_dict_set_c(rt, d, "old", shown_value(rt, old));
		vt_dict_set_c(rt, d, "new", shown_value(rt, new));
		vt_dict_set_c(rt, d, "runs", vt_mkbool(runs));
		vt_list_push(rt, parts, vt_mkptr(d));
	}
}

static bool
is_part(const vt_tparts *now, vt_value name)
{
	return vt_dict_get(now->hash, name) != VT_UNDEF;
}

/* Of a new node the properties alone are told: files are the plan's. */
static bool
is_told_of_new(const vt_str *name)
{
	return strncmp(name->s, "properties/", 11) == 0 ||
	       strncmp(name->s, "capabilities/", 13) == 0;
}

/* Parts of a node that are other than they were; those that are gone behind the others. */
static void
put_parts(vt_rt *rt, vt_buf *b, vt_list *parts, vt_value old, const vt_tparts *now)
{
	const vt_dict *was = old == VT_UNDEF ? NULL : vt_as_dict(old);
	vt_value name, v;
	uint32_t pos = 0;
	while (vt_dict_at(now->value, &pos, &name, &v)) {
		vt_value before = was ? vt_dict_get(was, name) : VT_UNDEF;
		if (was ? before == VT_UNDEF || !vt_eq(before, v) : is_told_of_new(vt_as_str(name)))
			put_part(rt, b, parts, vt_as_str(name), before, v, is_part(now, name));
	}
	for (pos = 0; was && vt_dict_at(was, &pos, &name, &v);)
		if (vt_dict_get(now->value, name) == VT_UNDEF)
			put_part(rt, b, parts, vt_as_str(name), v, VT_UNDEF, true);
}

/* One node: its line, and what the plan of it is told besides. */
static void
say(vt_buf *b, vt_tchanges *c, const vt_tosca *t, const vt_tnodei *n, const char *action,
	const char *what)
{
	vt_rt *rt = t->rt;
	const vt_ttype *type = &t->m->type[n->t->type];
	vt_buf name = {NULL, 0, 0};
	vt_tosca_path(&name, t, n);
	vt_put_printable(b, name.p, name.n);
	vt_buf_putc(b, ' ');
	vt_put_printable(b, what, strlen(what));
	vt_buf_putc(b, '\n');
	vt_buf_putc(&name, 0);
	if (c) {
		vt_dict *d = vt_dict_new(rt, true);
		vt_list *parts = vt_list_grow(rt, VT_K_TUPLE, 4);
		vt_dict_set_c(rt, c->lines, name.p, vt_str_c(rt, what));
		vt_dict_set_c(rt, d, "name", vt_str_c(rt, name.p));
		vt_dict_set_c(rt, d, "type",
			vt_copy(vt_tosca_str(t, type->canon ? type->canon : type->name)));
		vt_dict_set_c(rt, d, "action", vt_str_c(rt, action));
		if (c->now && strcmp(action, "delete") != 0)
			put_parts(rt, b, parts, c->old ? c->old[n->order] : VT_UNDEF,
				&c->now[n->order]);
		vt_dict_set_c(rt, d, "parts", vt_mkptr(parts));
		vt_list_push(rt, c->objects, vt_mkptr(d));
	}
	vt_buf_free(&name);
}

void
vt_tupdate_show_away(const vt_tplan *p, vt_buf *b, vt_tchanges *c)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->a[i].role == VT_TL_DELETE && !p->a[i].off) {
			say(b, c, p->t, p->a[i].node, "delete", "goes");
			if (c)
				c->remove++;
		}
}

/* Is it other than it was, although nothing runs for it? */
static bool
is_other(const vt_tchanges *c, const vt_tnodei *n)
{
	return c && c->old && c->old[n->order] != VT_UNDEF &&
	       !vt_eq(c->old[n->order], vt_mkptr(c->now[n->order].value));
}

/* Names of parts that are other than they were, where no operation was run that used them. */
static bool
put_others(const vt_tchanges *c, const vt_tnodei *n, vt_buf *b)
{
	const vt_tparts *now = &c->now[n->order];
	const vt_dict *was = vt_as_dict(c->old[n->order]);
	vt_value name, v;
	uint32_t pos = 0;
	while (vt_dict_at(now->value, &pos, &name, &v)) {
		vt_value before = vt_dict_get(was, name);
		if (is_part(now, name) && (before == VT_UNDEF || !vt_eq(before, v)))
			vt_buf_printf(b, "%s%s", b->n ? " " : "", vt_as_str(name)->s);
	}
	return b->n > 0;
}

static void
show_one(const vt_tstate *s, const vt_tosca *t, const vt_tnodei *n, vt_buf *b, vt_tchanges *c)
{
	vt_tchanges none = {0}, *count = c ? c : &none;
	vt_buf parts = {NULL, 0, 0};
	uint8_t update = vt_tstate_update(s, t, n, &parts);
	if (update & VT_TU_CHANGED) {
		char *what = vt_asprintf("changes: %.*s", (int)parts.n, parts.p ? parts.p : "");
		say(b, c, t, n, "change", what);
		free(what);
		count->change++;
	} else if (update) {
		say(b, c, t, n, "notify", "is notified");
		count->notify++;
	} else if (!vt_tstate_has(s, t, n)) {
		say(b, c, t, n, "create", "is new");
		count->create++;
	} else if (is_other(c, n) && put_others(c, n, &parts)) {
		char *what = vt_asprintf("changes: %.*s", (int)parts.n, parts.p);
		say(b, c, t, n, "change", what);
		free(what);
		count->change++;
	} else if (is_other(c, n)) {
		say(b, c, t, n, "none", "stays as it was made");
	}
	vt_buf_free(&parts);
}

void
vt_tupdate_show(const vt_tstate *s, const vt_tosca *t, vt_buf *b, vt_tchanges *c)
{
	for (uint32_t i = 0; i < t->nnodes; i++)
		show_one(s, t, t->nodes[i], b, c);
}

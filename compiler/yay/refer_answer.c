/* refer_answer.c - documents with what they include, and which of their words are one name. */
#include "compiler/yay/refer_int.h"

#include <stdlib.h>
#include <string.h>

yay_refer *
yay_refer_new(vc *c)
{
	yay_refer *r = vc_alloc(c, sizeof *r);

	*r = (yay_refer){.c = c};
	rf_class(r);
	return r;
}

static const char *
called(const yay_refer *r, const vt_ydoc *d, uint32_t row)
{
	const vt_yrow *p = &d->row[row];
	uint32_t s = p->kind == YAY_IDENT ? p->a : p->kind == YAY_ATTR ? p->b : 0;

	return s ? vc_strndup(r->c, d->chars + d->str[s], d->str[s + 1] - d->str[s]) : NULL;
}

static void
add_argument(yay_refer *r, const char *macro, const vt_ydoc *d, uint32_t str)
{
	if (macro)
		vc_push(r->c, r->argument, r->narguments) = (struct argument){macro,
			vc_strndup(r->c, d->chars + d->str[str], d->str[str + 1] - d->str[str])};
}

/* What calls give by name, by the name of what is called. */
static void
collect_arguments(yay_refer *r, const vt_ydoc *d)
{
	for (uint32_t i = 1; i < d->nrows; i++) {
		const vt_yrow *p = &d->row[i];
		const char *name =
			p->kind == YAY_CALL || p->kind == YAY_INVOKE ? called(r, d, p->a) : NULL;
		for (uint32_t a = p->kind == YAY_INVOKE ? p->b : 0; a; a = d->row[a].next)
			if (d->row[a].kind == YAY_KWARG)
				add_argument(r, name, d, d->row[a].a);
		for (uint32_t s = p->kind == YAY_CALL ? d->row[p->b].a : 0; s; s = d->row[s].next)
			for (uint32_t e = d->row[s].kind == YAY_MAP ? d->row[s].a : 0; e;
				e = d->row[e].next)
				if (d->row[e].kind == YAY_ENTRY)
					add_argument(r, name, d, d->row[e].a);
	}
}

static void
collect_includes(yay_refer *r, document *x)
{
	const vt_ydoc *d = x->d;

	for (uint32_t i = 1; i < d->nrows; i++) {
		const vt_yrow *a = &d->row[d->row[i].a];
		if (d->row[i].kind != YAY_INCLUDE || !d->row[i].a)
			continue;
		if (a->kind != YAY_STR && a->kind != YAY_TEXT) {
			x->computed = true;
			continue;
		}
		const char *name =
			vc_strndup(r->c, d->chars + d->str[a->a], d->str[a->a + 1] - d->str[a->a]);
		uint32_t into = rf_class(r);
		vc_push(r->c, x->include, x->nincludes) = (include){name, i, into};
	}
}

uint32_t
yay_refer_add(yay_refer *r, const char *path, const char *text, size_t n)
{
	yay_fault fault;
	const vt_ydoc *d = yay_read(r->c, path, text, n, false, &fault, NULL, NULL);
	yay_bytes *at = d ? yay_refer_rows(r->c, d, n) : NULL;

	if (!at || d->row[d->root].kind != YAY_BODY)
		return UINT32_MAX;
	document *doc = &vc_push(r->c, r->doc, r->ndocs);
	*doc = (document){.path = path, .d = d, .at = at};
	uint32_t top = rf_class(r), sets = rf_class(r);
	r->doc[r->ndocs - 1].top = top;
	r->doc[r->ndocs - 1].sets = sets;
	collect_arguments(r, d);
	collect_includes(r, &r->doc[r->ndocs - 1]);
	return r->ndocs - 1;
}

const char *
yay_refer_include(const yay_refer *r, uint32_t doc, uint32_t i)
{
	return i < r->doc[doc].nincludes ? r->doc[doc].include[i].name : NULL;
}

void
yay_refer_join(yay_refer *r, uint32_t a, uint32_t b, uint32_t i)
{
	rf_unite(r, r->doc[a].include[i].into, r->doc[b].top);
	rf_unite(r, r->doc[a].sets, r->doc[b].sets);
}

const char *
yay_refer_path(const yay_refer *r, uint32_t doc)
{
	return r->doc[doc].path;
}

static int
by_offset(const void *a, const void *b)
{
	const yay_place *x = a, *y = b;

	return x->doc != y->doc     ? (x->doc > y->doc) - (x->doc < y->doc)
	       : x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				    : y->declares - x->declares;
}

void
yay_refer_finish(yay_refer *r)
{
	for (uint32_t i = 0; i < r->ndocs; i++)
		rf_declare(r, i);
	for (uint32_t i = 0; i < r->ndocs; i++)
		rf_walk(r, i);
	if (r->nplaces)
		qsort(r->place, r->nplaces, sizeof *r->place, by_offset);
	for (uint32_t i = 0; i < r->nplaces; i++) {
		uint32_t s = r->place[i].declares && r->place[i].name
				     ? rf_slot_root(r, r->place[i].name)
				     : 0;
		if (s && !r->slot[s].first)
			r->slot[s].first = i + 1;
	}
}

/* ---- answers ---- */

const yay_place *
yay_refer_at(const yay_refer *r, uint32_t doc, size_t at)
{
	uint32_t low = 0, high = r->nplaces;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const yay_place *p = &r->place[mid];
		if (p->doc < doc || (p->doc == doc && p->to < at))
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->nplaces && r->place[low].doc == doc && r->place[low].from <= at
		       ? &r->place[low]
		       : NULL;
}

const yay_place *
yay_refer_declaration(yay_refer *r, const yay_place *p)
{
	uint32_t first = p->name ? r->slot[rf_slot_root(r, p->name)].first : 0;

	return first ? &r->place[first - 1] : NULL;
}

const char *
yay_refer_is_data(yay_refer *r, const yay_place *p)
{
	if (r->lost)
		return "something here is nested too deeply";
	if (p->name && r->class[rf_root(r, r->slot[rf_slot_root(r, p->name)].owner)].walked)
		return vc_format(r->c,
			"the keys beside '%s' are read as texts somewhere, so it is "
			"not a name alone",
			r->slot[p->name].name);
	return NULL;
}

static bool
is_in(yay_refer *r, uint32_t s, uint32_t doc)
{
	for (uint32_t i = 0; i < r->nplaces; i++)
		if (r->place[i].doc == doc && r->place[i].name &&
			rf_slot_root(r, r->place[i].name) == s)
			return true;
	return false;
}

bool
yay_refer_is_taken(yay_refer *r, const yay_place *p, const char *name)
{
	uint32_t s = rf_slot_root(r, p->name);

	if (rf_find(r, r->slot[s].owner, name))
		return true;
	for (uint32_t i = 0; r->slot[s].alone && i < r->nplaces; i++) {
		uint32_t other = r->place[i].name ? rf_slot_root(r, r->place[i].name) : 0;
		if (other && r->slot[other].alone && strcmp(r->slot[other].name, name) == 0 &&
			is_in(r, s, r->place[i].doc))
			return true;
	}
	return false;
}

/* The names that lead from the top to the slot, the last one first; 0: none do. */
static uint32_t
way_to(yay_refer *r, uint32_t top, uint32_t owner, uint32_t *way, uint32_t most)
{
	uint32_t *seen = vt_xzalloc((r->nclasses + 1) * sizeof *seen), *queue, head = 0, n = 0;
	uint32_t found = 0;

	queue = vt_xmalloc((r->nclasses + 1) * sizeof *queue);
	top = rf_root(r, top), owner = rf_root(r, owner);
	seen[top] = UINT32_MAX;
	queue[n++] = top;
	while (head < n && !found) {
		uint32_t k = queue[head++], items = r->class[k].items;
		if (k == owner)
			found = k;
		for (uint32_t s = r->class[k].slots; s; s = r->slot[s].next) {
			uint32_t v = rf_root(r, rf_value(r, s));
			if (!seen[v])
				seen[v] = s, queue[n++] = v;
		}
		if (items && !seen[rf_root(r, items)])
			seen[rf_root(r, items)] = UINT32_MAX - k, queue[n++] = rf_root(r, items);
	}
	uint32_t count = 0;
	for (uint32_t k = found; k && k != top && count < most;) {
		way[count++] = seen[k];
		k = seen[k] > r->nslots ? UINT32_MAX - seen[k] : rf_root(r, r->slot[seen[k]].owner);
	}
	free(seen);
	free(queue);
	return found ? count + 1 : 0;
}

uint32_t
yay_refer_computed(yay_refer *r, const yay_place *p)
{
	uint32_t s = rf_slot_root(r, p->name), by = UINT32_MAX;

	for (uint32_t i = 0; i < r->ndocs && by == UINT32_MAX; i++)
		by = r->doc[i].computed ? i : by;
	for (uint32_t i = 0; by != UINT32_MAX && i < r->nplaces; i++) {
		const yay_place *q = &r->place[i];
		uint32_t other = q->name ? rf_slot_root(r, q->name) : 0;
		if (other && other != s && q->doc != p->doc &&
			strcmp(r->slot[other].name, r->slot[s].name) == 0)
			return by;
	}
	return UINT32_MAX;
}

uint32_t
yay_refer_twin(yay_refer *r, const yay_place *p)
{
	uint32_t way[64], n, s = rf_slot_root(r, p->name), top = rf_root(r, r->doc[p->doc].top);

	n = way_to(r, top, r->slot[s].owner, way, VC_LEN(way));
	for (uint32_t i = 0; n && i < r->ndocs; i++) {
		uint32_t k = rf_root(r, r->doc[i].top);
		if (k == top)
			continue;
		for (uint32_t w = n - 1; w-- > 0 && k;) {
			uint32_t next =
				way[w] > r->nslots ? 0 : rf_find(r, k, r->slot[way[w]].name);
			k = way[w] > r->nslots ? r->class[rf_root(r, k)].items
			    : next             ? rf_value(r, next)
					       : 0;
		}
		if (k && rf_find(r, k, r->slot[s].name))
			return i;
	}
	return UINT32_MAX;
}

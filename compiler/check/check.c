/*
 * check.c - the checker: inheritance, declarations and Meta of all main packages.
 *
 * First the parents of all classes are resolved and cycles cut, so that every later walk up a
 * hierarchy ends.
 */
#define _GNU_SOURCE
#include "compiler/check/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "compiler/check/check.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>

bool
ck_has(const ck_list *l, const char *name)
{
	return l->n && bsearch(&name, l->v, l->n, sizeof *l->v, vt_compare_texts) != NULL;
}

/* ---- classes by name ---- */

static const char *
last_part(const char *fqn)
{
	const char *dot = strrchr(fqn, '.');

	return dot ? dot + 1 : fqn;
}

/* The class whose name without name space is the same as this one's, or near it; or NULL. */
static const char *
near_class(const ck *k, const char *fqn)
{
	const char *part = last_part(fqn), *near = NULL;

	for (size_t i = 0; i < k->class_names.n && near == NULL; i++)
		if (strcmp(k->short_names.v[i], part) == 0)
			near = k->class_names.v[i];
	if (near || (part = vt_nearest(part, k->short_names.v, k->short_names.n)) == NULL)
		return near;
	for (size_t i = 0; i < k->class_names.n; i++)
		if (k->short_names.v[i] == part)
			return k->class_names.v[i];
	return NULL;
}

/* The file of that name in the package, which nothing in the manifest leads to; or NULL. */
static const char *
unlisted_file(ck *k, const char *fqn)
{
	const char *path = vc_format(k->c, "Classes/%s.yaml", last_part(fqn));
	size_t n, length = strlen(path);
	const char *const *files = vc_files_list(k->c, k->pkg->files, "Classes", &n);

	for (uint32_t i = 0; i < k->pkg->nclasses; i++)
		if (vt_ends_with(k->pkg->classes[i]->src->name, path))
			return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(files[i], path, length + 1) == 0)
			return files[i];
	return NULL;
}

/* `std.Application` where std is a prefix of Namespaces: a colon stands behind it. */
static bool
has_dotted_prefix(ck *k, const char *fqn)
{
	const char *dot = strchr(fqn, '.');
	size_t n = dot ? (size_t)(dot - fqn) : 0;

	for (uint32_t i = 0; n && i < k->cls->nprefixes; i++)
		if (strlen(k->cls->prefixes[i].prefix) == n &&
			memcmp(k->cls->prefixes[i].prefix, fqn, n) == 0 &&
			strcmp(k->cls->prefixes[i].ns, k->cls->prefixes[i].prefix) != 0) {
			vc_hint(k->c, "behind a prefix of Namespaces stands a colon: %.*s:%s",
				(int)n, fqn, dot + 1);
			return true;
		}
	return false;
}

static void
suggest_class(ck *k, const char *fqn)
{
	const char *near = near_class(k, fqn), *file = unlisted_file(k, fqn);
	const char *package = vc_package_having(k->c, fqn);

	if (has_dotted_prefix(k, fqn))
		return;
	if (package) {
		vc_hint(k->c, "write \"%s:\" below Require in the manifest", package);
		return;
	}
	if (file && (near == NULL || strcmp(near, fqn) != 0)) {
		vc_hint(k->c,
			"name it below Classes in the manifest, which does not know the file %s",
			file);
		return;
	}
	if (near == NULL)
		near = vc_core_class_near(k->c, fqn);
	if (near == NULL)
		return;
	if (strcmp(near, fqn) != 0) {
		vc_did_you_mean(k->c, "\"%s\"", near);
		return;
	}
	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; n < k->pkgs[i]->nclasses; n++)
			if (k->pkgs[i]->classes[n]->name == near)
				vc_hint(k->c,
					"package %s has it; name the package below Require in the "
					"manifest",
					k->pkgs[i]->name);
}

/* A name that cannot be a class: an error where it must be one, else a warning. */
static void
bad_name(ck *k, const char *name, vc_span span, enum ck_need need)
{
	if (need == CK_LOAD || (need == CK_LITERAL && !k->guarded))
		mpl_resolve(k->c, k->cls, name, span);
	else
		vc_report(k->c, VC_W1028, span, "\"%s\" is no name of a class here", name);
}

/* A manifest names it, but its file could not be read: that has been reported. */
static bool
is_absent(const ck *k, const char *fqn)
{
	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; n < k->pkgs[i]->nabsent; n++)
			if (strcmp(k->pkgs[i]->absent[n], fqn) == 0)
				return true;
	return false;
}

mpl_class *
ck_find(ck *k, const char *name, vc_span span, enum ck_need need)
{
	char *fqn;
	mpl_class *found;
	bool sure = need == CK_LOAD || (need == CK_LITERAL && !k->guarded);

	if (mpl_resolve_try(k->c, k->cls, name, &fqn) != MPL_NAME_OK) {
		bad_name(k, name, span, need);
		return NULL;
	}
	found = vc_find_class(k->c, k->pkg, fqn);
	if (found || k->open || is_absent(k, fqn))
		return found;
	vc_report(k->c, sure ? VC_E0601 : VC_W1028, span, "class \"%s\" is not found", fqn);
	suggest_class(k, fqn);
	return NULL;
}

/* ---- the hierarchy ---- */

static bool
loaded(const ck *k, const char *package)
{
	for (uint32_t i = 0; i < k->npkgs; i++)
		if (strcmp(k->pkgs[i]->name, package) == 0)
			return true;
	return false;
}

static void
enter_package(ck *k, mpl_package *p)
{
	k->pkg = p;
	k->open = false;
	for (uint32_t i = 0; i < p->nrequire; i++)
		k->open |= !loaded(k, p->require[i].name);
}

static void
resolve_parents(ck *k, mpl_class *cls)
{
	k->cls = cls;
	if (cls->parent == NULL)
		cls->parent = vc_alloc(k->c, sizeof *cls->parent * (cls->nparents + 1));
	for (uint32_t i = 0; i < cls->nparents; i++) {
		if (cls->parent[i] == NULL)
			cls->parent[i] = vc_find_class(k->c, k->pkg, cls->parents[i]);
		if (cls->parent[i] || k->open || is_absent(k, cls->parents[i]))
			continue;
		vc_report(k->c, VC_E0601, cls->parent_spans[i], "class \"%s\" is not found",
			cls->parents[i]);
		suggest_class(k, cls->parents[i]);
	}
}

/* All classes sorted by address, so that a class has a number; and a mark for each. */
enum { CY_NEW, CY_ACTIVE, CY_DONE };

static uint32_t
class_number(const ck *k, const mpl_class *cls)
{
	uint32_t lo = 0, hi = k->nall;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if ((uintptr_t)k->all[mid] < (uintptr_t)cls)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->nall && k->all[lo] == cls ? lo : k->nall; /* the last one is nobody's */
}

static int
by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (mpl_class *const *)a, y = (uintptr_t) * (mpl_class *const *)b;

	return x < y ? -1 : x > y;
}

static void
number_classes(ck *k)
{
	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; n < k->pkgs[i]->nclasses; n++)
			vc_push(k->c, k->all, k->nall) = k->pkgs[i]->classes[n];
	if (k->nall)
		qsort(k->all, k->nall, sizeof *k->all, by_address);
	k->mark = vc_alloc(k->c, sizeof *k->mark * (k->nall + 1));
	k->line = vc_alloc(k->c, sizeof *k->line * (k->nall + 2));
}

/* The classes from the ancestor down to the one that extends it again are the top of the stack. */
static void
report_cycle(ck *k, const mpl_class *cls, uint32_t parent, const uint32_t *stack, uint32_t depth)
{
	const mpl_class *p = cls->parent[parent];
	uint32_t i = depth;

	vc_report(k->c, VC_E0603, cls->parent_spans[parent],
		p == cls ? "class \"%s\" extends itself" : "class \"%s\" is its own ancestor",
		cls->name);
	while (i > 0 && k->all[stack[i - 1]] != p)
		i--;
	for (uint32_t n = 0; p != cls && i > 0 && i < depth && n < 20; i++, n++)
		vc_note(k->c, k->all[stack[i - 1]]->span, "through \"%s\"",
			k->all[stack[i - 1]]->name);
}

/* Depth-first without recursion: a chain of classes may be as long as the input. */
static void
cut_cycles(ck *k, uint32_t start, uint32_t *stack, uint32_t *at)
{
	uint32_t depth = 1;

	stack[0] = start;
	at[0] = 0;
	k->mark[start] = CY_ACTIVE;
	while (depth) {
		mpl_class *cls = k->all[stack[depth - 1]];
		uint32_t i = at[depth - 1]++;
		if (i >= cls->nparents) {
			k->mark[stack[--depth]] = CY_DONE;
			continue;
		}
		uint32_t p = cls->parent[i] ? class_number(k, cls->parent[i]) : k->nall;
		if (p == k->nall || k->mark[p] == CY_DONE)
			continue;
		if (k->mark[p] == CY_ACTIVE) {
			report_cycle(k, cls, i, stack, depth);
			cls->parent[i] = NULL;
			continue;
		}
		k->mark[p] = CY_ACTIVE;
		at[depth] = 0;
		stack[depth++] = p;
	}
}

/* In the order of the packages, so that messages do not depend on addresses. */
static void
find_cycles(ck *k)
{
	uint32_t *stack = vc_alloc(k->c, sizeof *stack * (k->nall + 1)),
		 *at = vc_alloc(k->c, sizeof *at * (k->nall + 1));

	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; n < k->pkgs[i]->nclasses; n++) {
			uint32_t number = class_number(k, k->pkgs[i]->classes[n]);
			if (k->mark[number] == CY_NEW)
				cut_cycles(k, number, stack, at);
		}
	memset(k->mark, 0, sizeof *k->mark * (k->nall + 1));
}

/* Appends a class to the line once; k->round marks those that are in. */
static void
append(ck *k, mpl_class *cls)
{
	uint32_t number = class_number(k, cls);

	if (number == k->nall || k->mark[number] == k->round)
		return;
	k->mark[number] = k->round;
	k->line[k->nline++] = cls;
}

static void
enter_class(ck *k, mpl_class *cls)
{
	mpl_class *object = vc_find_class(k->c, k->pkg, "io.murano.Object");

	k->cls = cls;
	k->nline = 0;
	k->round++;
	k->whole = true;
	append(k, cls);
	for (uint32_t i = 0; i < k->nline; i++) {
		mpl_class *at = k->line[i];
		/* What the host adds to a class of the core library is not known here. */
		k->whole &= at == object || !(at->native || (at->pkg && at->pkg->builtin));
		for (uint32_t p = 0; p < at->nparents; p++) {
			k->whole &= at->parent[p] != NULL;
			if (at->parent[p])
				append(k, at->parent[p]);
		}
	}
	if (object)
		append(k, object);
}

const mpl_property *
ck_property(const ck *k, const char *name)
{
	for (uint32_t i = 0; i < k->nline; i++)
		for (uint32_t p = 0; p < k->line[i]->nprops; p++)
			if (strcmp(k->line[i]->props[p]->name, name) == 0)
				return k->line[i]->props[p];
	return NULL;
}

static void
check_parents(ck *k)
{
	for (uint32_t i = 0; i < k->cls->nparents; i++) {
		const mpl_class *p = k->cls->parent[i];
		if (p == NULL || !p->is_meta || k->cls->is_meta)
			continue;
		vc_report(k->c, VC_E0604, k->cls->parent_spans[i],
			"class \"%s\" cannot extend \"%s\", which is a Meta class", k->cls->name,
			p->name);
		vc_note(k->c, p->span, "its declaration");
		vc_hint(k->c, "add Usage: Meta if this is a Meta class too");
	}
	for (uint32_t i = 0; i < k->cls->nimports; i++)
		if (vc_find_class(k->c, k->pkg, k->cls->imports[i]) == NULL && !k->open &&
			!is_absent(k, k->cls->imports[i])) {
			vc_report(k->c, VC_E0601, k->cls->import_spans[i],
				"class \"%s\" is not found", k->cls->imports[i]);
			suggest_class(k, k->cls->imports[i]);
		}
}

/* ---- ambiguous symbols (C6) ---- */

/*
 * The choice of the reference: the declarations along every path to a root make a chain; a chain
 * that is the tail of a longer one drops out; the first declarations of those left are the
 * candidates.
 */
enum { MAX_CHAINS = 256, MAX_CHAIN = 32 };
typedef struct chains {
	const void *v[MAX_CHAINS][MAX_CHAIN];
	uint8_t len[MAX_CHAINS];
	uint32_t n, steps;
	bool overflow;
} chains;

static const void *
declared(const mpl_class *cls, const char *name, bool method)
{
	if (method) {
		for (uint32_t i = 0; i < cls->nmethods; i++)
			if (strcmp(cls->methods[i]->name, name) == 0)
				return cls->methods[i];
	} else
		for (uint32_t i = 0; i < cls->nprops; i++)
			if (strcmp(cls->props[i]->name, name) == 0)
				return cls->props[i];
	return NULL;
}

static void
collect(chains *h, const mpl_class *cls, const char *name, bool method, const void **path,
	uint32_t depth, uint32_t level)
{
	const void *d = declared(cls, name, method);
	bool leaf = true;

	if (h->overflow || level > 64 || h->steps++ > 20000) {
		h->overflow = true;
		return;
	}
	if (d && depth < MAX_CHAIN)
		path[depth++] = d;
	for (uint32_t i = 0; i < cls->nparents; i++)
		if (cls->parent && cls->parent[i]) {
			leaf = false;
			collect(h, cls->parent[i], name, method, path, depth, level + 1);
		}
	if (!leaf || depth == 0)
		return;
	if (h->n == MAX_CHAINS || depth >= MAX_CHAIN) {
		h->overflow = true;
		return;
	}
	memcpy(h->v[h->n], path, depth * sizeof *path);
	h->len[h->n++] = (uint8_t)depth;
}

static bool
is_tail(const chains *h, uint32_t i, uint32_t j)
{
	return h->len[j] >= h->len[i] && i != j &&
	       memcmp(h->v[i], h->v[j] + (h->len[j] - h->len[i]), h->len[i] * sizeof h->v[i][0]) ==
		       0;
}

/* The candidates, two at most; their number. */
static uint32_t
choose(chains *h, const mpl_class *cls, const char *name, bool method, const void *out[2])
{
	const void *path[MAX_CHAIN];
	uint32_t n = 0;

	h->n = h->steps = 0;
	h->overflow = false;
	collect(h, cls, name, method, path, 0, 0);
	for (uint32_t i = 0; i < h->n && !h->overflow; i++) {
		bool drop = n > 0 && out[0] == h->v[i][0];
		for (uint32_t j = 0; j < h->n && !drop; j++)
			drop = is_tail(h, i, j) && (h->len[j] > h->len[i] || j > i);
		if (drop || n == 2)
			continue;
		out[n++] = h->v[i][0];
	}
	return h->overflow ? 0 : n;
}

static void
report_ambiguous(ck *k, const char *name, bool method, const void *const both[2])
{
	vc_span at = k->cls->nparents ? k->cls->parent_spans[0] : k->cls->span;

	if (method) {
		const mpl_method *a = both[0], *b = both[1];
		vc_report(k->c, VC_W1030, at,
			"method \"%s\" is inherited from \"%s\" and \"%s\"; a call of it is "
			"ambiguous",
			name, a->cls->name, b->cls->name);
		vc_note(k->c, a->span, "declared here");
		vc_note(k->c, b->span, "and here");
	} else {
		const mpl_property *a = both[0], *b = both[1];
		bool fatal = a->usage < MPL_RUNTIME && b->usage < MPL_RUNTIME;
		vc_report(k->c, fatal ? VC_E0606 : VC_W1030, at,
			fatal ? "property \"%s\" is inherited from \"%s\" and \"%s\", so no object "
				"of class \"%s\" can be made"
			      : "property \"%s\" is inherited from \"%s\" and \"%s\"; its use in "
				"class \"%s\" is ambiguous",
			name, a->cls->name, b->cls->name, k->cls->name);
		vc_note(k->c, a->span, "declared here");
		vc_note(k->c, b->span, "and here");
	}
	vc_hint(k->c, "declare \"%s\" in class \"%s\" itself", name, k->cls->name);
}

/* Versions of one package are merged when the class is linked, where the requirements allow it. */
static bool
in_two_versions(const void *const both[2], bool method)
{
	const mpl_class *a = method ? ((const mpl_method *)both[0])->cls
				    : ((const mpl_property *)both[0])->cls,
			*b = method ? ((const mpl_method *)both[1])->cls
				    : ((const mpl_property *)both[1])->cls;
	return a != b && strcmp(a->name, b->name) == 0;
}

static void
check_symbol(ck *k, chains *h, const char *name, bool method)
{
	const void *both[2];

	if (choose(h, k->cls, name, method, both) < 2)
		return;
	const void *pair[2] = {both[0], both[1]};
	if (in_two_versions(pair, method))
		return;
	for (uint32_t i = 0; i < k->cls->nparents; i++)
		if (k->cls->parent[i] && choose(h, k->cls->parent[i], name, method, both) > 1)
			return; /* reported there */
	report_ambiguous(k, name, method, pair);
}

/* Names that more than one ancestor may declare; .init and .destroy run class by class and are no
 * choice. */
static void
inherited_names(ck *k, bool method, ck_list *out)
{
	for (uint32_t i = 1; i < k->nline; i++)
		for (uint32_t m = 0; m < (method ? k->line[i]->nmethods : k->line[i]->nprops);
			m++) {
			const char *name =
				method ? k->line[i]->methods[m]->name : k->line[i]->props[m]->name;
			if (name[0] != '.')
				vc_push(k->c, out->v, out->n) = name;
		}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, vt_compare_texts);
}

static void
check_ambiguity(ck *k)
{
	chains *h;

	if (k->cls->nparents < 2)
		return;
	h = vt_xmalloc(sizeof *h);
	for (int method = 0; method < 2; method++) {
		ck_list names = {NULL, 0};
		inherited_names(k, method, &names);
		for (size_t i = 1; i < names.n && names.n < 5000; i++)
			if (strcmp(names.v[i - 1], names.v[i]) == 0 &&
				(i + 1 == names.n || strcmp(names.v[i], names.v[i + 1]) != 0))
				check_symbol(k, h, names.v[i], method);
	}
	free(h);
}

/* ---- Meta ---- */

static const char *const target_names[] = {"package", "class", "property", "method", "argument"};

static bool
in_line(mpl_class *const *line, uint32_t n, const mpl_class *cls)
{
	for (uint32_t i = 0; i < n; i++)
		if (line[i] == cls)
			return true;
	return false;
}

static void
check_meta_item(ck *k, const ynode *name, uint32_t target, mpl_class *const *before,
	uint32_t nbefore, mpl_class **out)
{
	mpl_class *m = ck_find(k, name->text, name->span, CK_LOAD);

	*out = m;
	if (m == NULL)
		return;
	if (!m->is_meta) {
		vc_report(k->c, VC_E0514, name->span,
			"\"%s\" is no Meta class, so it cannot be attached", m->name);
		vc_note(k->c, m->span, "its declaration lacks Usage: Meta");
	} else if (!(m->applies & 1u << target)) {
		vc_report(k->c, VC_E0515, name->span, "Meta class \"%s\" does not apply to a %s",
			m->name, target_names[target]);
		vc_note(k->c, m->span, "its Applies says what it may be attached to");
	} else if (!m->many && in_line(before, nbefore, m)) {
		vc_report(k->c, VC_E0516, name->span,
			"Meta class \"%s\" is attached twice, but its Cardinality is One", m->name);
		vc_note(k->c, m->span, "its declaration");
	}
}

static void
check_meta(ck *k, const ynode *meta, uint32_t target)
{
	mpl_class **seen = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < mpl_items(meta); i++) {
		const ynode *m = meta->kind == YN_SEQ ? meta->item[i] : meta;
		const ynode *name = m->kind == YN_MAP && m->n == 1 ? m->key[0] : m;
		mpl_class *cls = NULL;
		if (!mpl_is_scalar_text(name))
			continue; /* murano/class_file.c reported it */
		check_meta_item(k, name, target, seen, n, &cls);
		if (cls)
			vc_push(k->c, seen, n) = cls;
		if (m->kind == YN_MAP)
			ck_value(k, m->item[0]);
		if (m->kind == YN_MAP && cls)
			ck_meta_values(k, cls, m->item[0]);
	}
}

/* ---- declarations ---- */

static void
check_method(ck *k, const mpl_method *m)
{
	k->method = m;
	check_meta(k, m->meta, 3);
	for (uint32_t i = 0; i < m->nargs; i++) {
		ck_contract(k, m->args[i].contract, true);
		if (m->args[i].dflt)
			ck_value(k, m->args[i].dflt);
		if (m->args[i].usage == MPL_STANDARD)
			ck_declared_value(k, m->args[i].contract, m->args[i].dflt, "argument",
				m->args[i].name);
		check_meta(k, m->args[i].meta, 4);
	}
	ck_method_body(k, m);
	ck_method_types(k, m);
	ck_override(k, m);
	k->method = NULL;
}

static void
check_class(ck *k, mpl_class *cls, bool first_of_file)
{
	enter_class(k, cls);
	check_parents(k);
	check_ambiguity(k);
	ck_class_names(k, first_of_file);
	check_meta(k, cls->meta, 1);
	for (uint32_t i = 0; i < cls->nprops; i++) {
		ck_contract(k, cls->props[i]->contract, false);
		if (cls->props[i]->dflt)
			ck_value(k, cls->props[i]->dflt);
		ck_declared_value(k, cls->props[i]->contract, cls->props[i]->dflt, "property",
			cls->props[i]->name);
		check_meta(k, cls->props[i]->meta, 2);
	}
	for (uint32_t i = 0; i < cls->nmethods; i++)
		if (!cls->methods[i]->native)
			check_method(k, cls->methods[i]);
	ck_tests(k);
}

/* The form may name the package, or a class of it. */
static bool
form_names(ck *k, const mpl_package *p, const mpl_package *other)
{
	size_t n;
	const char *const *files = vc_files_list(k->c, p->files, "UI", &n);

	for (size_t i = 0; i < n; i++) {
		size_t length;
		const char *text = vc_files_bytes(k->c, p->files, files[i], &length);
		if (text == NULL || memmem(text, length, other->name, strlen(other->name)))
			return true;
		for (uint32_t c = 0; c < other->nclasses; c++)
			if (memmem(text, length, other->classes[c]->name,
				    strlen(other->classes[c]->name)))
				return true;
	}
	return false;
}

static void
check_requirements(ck *k, const mpl_package *p)
{
	for (uint32_t i = 0; i < p->nrequire; i++)
		for (uint32_t n = 0; n < k->npkgs; n++) {
			const mpl_package *other = k->pkgs[n];
			if (strcmp(other->name, p->require[i].name) != 0 || other->nclasses == 0 ||
				p->files == NULL || p->kind != MPL_MURANO ||
				vc_package_uses(k->c, p, other) || form_names(k, p, other))
				continue;
			vc_report(k->c, VC_W1079, p->require[i].span,
				"no class of the package names one of %s", other->name);
			break;
		}
}

static void
check_package(ck *k, mpl_package *p)
{
	mpl_class nobody = {.pkg = p, .name = p->name};

	enter_package(k, p);
	k->cls = &nobody;
	check_meta(k, p->meta, 0);
	for (uint32_t i = 0; i < p->nclasses; i++)
		if (!p->classes[i]->native)
			check_class(k, p->classes[i],
				i == 0 || p->classes[i - 1]->src != p->classes[i]->src);
	ck_unknown_functions(k);
	check_requirements(k, p);
}

static void
collect_names(ck *k)
{
	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; n < k->pkgs[i]->nclasses; n++) {
			const mpl_class *cls = k->pkgs[i]->classes[n];
			vc_push(k->c, k->class_names.v, k->class_names.n) = cls->name;
			vc_push(k->c, k->short_names.v, k->short_names.n) = last_part(cls->name);
			for (uint32_t m = 0; m < cls->nmethods; m++)
				vc_push(k->c, k->method_names.v, k->method_names.n) =
					cls->methods[m]->name;
		}
	const vc_native *native;
	for (uint32_t i = 0; (native = vc_native_at(i)) != NULL; i++)
		for (const char *const *m = native->methods; *m; m++)
			vc_push(k->c, k->method_names.v, k->method_names.n) = *m;
	if (k->method_names.n)
		qsort(k->method_names.v, k->method_names.n, sizeof *k->method_names.v,
			vt_compare_texts);
}

void
mpl_check(vc *c)
{
	ck k = {.c = c};
	uint32_t unused;

	k.pkgs = vc_packages(c, &k.npkgs);
	collect_names(&k);
	number_classes(&k);
	for (uint32_t i = 0; i < k.npkgs; i++) {
		enter_package(&k, k.pkgs[i]);
		for (uint32_t n = 0; n < k.pkgs[i]->nclasses; n++)
			resolve_parents(&k, k.pkgs[i]->classes[n]);
	}
	find_cycles(&k);
	for (uint32_t i = 0; i < k.npkgs; i++)
		if (k.pkgs[i]->is_main) {
			check_package(&k, k.pkgs[i]);
			vc_resources(c, k.pkgs[i], &unused);
		}
}

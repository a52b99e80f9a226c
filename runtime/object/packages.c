/*
 * packages.c - where classes are found by name: the packages that a package requires, ?.type of a
 * model, and the versions both ask for (muranopl-engine.md K8 and K9).
 */
#include "runtime/object/class.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"

static const VT_STR_CONST(9) core_name = {
	{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, 9, 9, 0xdf463e49f1287548, "io.murano"};

const vt_package_decl vt_core_package = {
	.name = (const vt_str *)&core_name, .version = "0.0.0", .runtime_version = 104};
const vt_unit vt_core_unit = {
	.file = "io.murano",
	.layers = VT_L_STD | VT_L_DSL | VT_L_DSL_NEW | VT_L_ENGINE,
	.version = 104,
	.opt = {.limit_iterators = 2000,
		.memory_quota = 512 * 1024,
		.tuples_to_lists = 1,
		.sets_to_lists = 1},
	.pkg = &vt_core_package,
};

/* ---- packages ---- */

/* The newest package of that name whose version fits; spec NULL: any. */
const vt_package_decl *
vt_find_package(vt_rt *rt, const vt_str *name, const char *spec)
{
	const vt_package_decl *best = NULL;
	for (uint32_t i = 0; rt->program != NULL && i < rt->program->npackages; i++) {
		const vt_package_decl *p = rt->program->packages[i];
		if (!same_name(p->name, name) ||
			(spec != NULL && !vt_version_in(rt, p->version, spec)))
			continue;
		if (best == NULL || vt_version_cmp(best->version, p->version) < 0)
			best = p;
	}
	if (best == NULL && is_named(name, "io.murano", 9))
		best = &vt_core_package;
	return best;
}

const vt_class_decl *
vt_decl_in(vt_rt *rt, const vt_package_decl *p, const vt_str *name)
{
	for (uint32_t i = 0; i < p->nclasses; i++)
		if (same_name(p->classes[i]->name, name))
			return p->classes[i];
	return is_core(p) ? vt_native_class(rt, name->s) : NULL;
}

static void
report_package(vt_buf *b, const vt_package_decl *p)
{
	if (b->n > 0)
		vt_buf_puts(b, ", ");
	vt_buf_printf(b, "%s/%s", p->name->s, p->version);
}

static const char EXTENSIONS[] = "io.murano.extensions.";

/* One required package; the prefix of plug-in classes may be left out (K8). */
static vt_status
decl_in_required(vt_rt *rt, const vt_str *package, const char *spec, const vt_str *name,
	vt_buf *tried, const vt_class_decl **out)
{
	const vt_package_decl *p = vt_find_package(rt, package, spec);
	if (p == NULL)
		return vt_raise(rt, VT_E_NO_PACKAGE, "Package \"%s\" is not found", package->s);
	*out = vt_decl_in(rt, p, name);
	if (*out == NULL && strncmp(name->s, EXTENSIONS, sizeof EXTENSIONS - 1) == 0) {
		vt_value part = vt_str_c(rt, name->s + sizeof EXTENSIONS - 1);
		*out = vt_decl_in(rt, p, vt_as_str(part));
		vt_release(part);
	}
	if (*out == NULL)
		report_package(tried, p);
	return VT_OK;
}

static bool
requires_core(const vt_package_decl *p)
{
	for (uint32_t i = 0; i < p->nrequires; i++)
		if (is_named(p->requires[i].name, "io.murano", 9))
			return true;
	return false;
}

static vt_status
decl_for(vt_rt *rt, const vt_package_decl *from, const vt_str *name, vt_buf *tried,
	const vt_class_decl **out)
{
	*out = vt_decl_in(rt, from, name);
	if (*out == NULL && !is_core(from) && !requires_core(from))
		VT_TRY(decl_in_required(rt, (const vt_str *)&core_name, NULL, name, tried, out));
	for (uint32_t i = 0; *out == NULL && i < from->nrequires; i++)
		if (!same_name(from->requires[i].name, from->name))
			VT_TRY(decl_in_required(rt, from->requires[i].name, from->requires[i].spec,
				name, tried, out));
	if (*out == NULL)
		*out = vt_lua_class(rt, name->s);
	if (*out == NULL)
		report_package(tried, from);
	return VT_OK;
}

/* Code that belongs to no package sees all of them. */
static const vt_class_decl *
decl_anywhere(vt_rt *rt, const vt_str *name)
{
	const vt_class_decl *d = NULL;
	for (uint32_t i = 0; d == NULL && rt->program != NULL && i < rt->program->npackages; i++)
		d = vt_decl_in(rt, rt->program->packages[i], name);
	if (d == NULL)
		d = vt_decl_in(rt, &vt_core_package, name);
	return d ? d : vt_lua_class(rt, name->s);
}

vt_class *
vt_find_class(vt_rt *rt, const vt_package_decl *from, const vt_str *name)
{
	const vt_class_decl *d = NULL;
	vt_buf tried = {0};
	bool ok;
	vt_status st = VT_OK;
	if (from != NULL)
		st = decl_for(rt, from, name, &tried, &d);
	else
		d = decl_anywhere(rt, name);
	if (st == VT_OK && d == NULL) {
		vt_buf_putc(&tried, '\0');
		(void)vt_raise(
			rt, VT_E_NO_CLASS, "Class \"%s\" is not found in %s", name->s, tried.p);
	}
	vt_buf_free(&tried);
	return d ? vt_class_link(rt, d, &ok) : NULL;
}

/* ---- ?.type of a model: FQN[/version][@package] ---- */

static size_t
word_length(const char *p)
{
	size_t n = 0;
	while ((p[n] >= 'a' && p[n] <= 'z') || (p[n] >= 'A' && p[n] <= 'Z') ||
		(p[n] >= '0' && p[n] <= '9') || p[n] == '_' || p[n] == '.')
		n++;
	return n;
}

/* The parts, or false when the text has another form. version and package are empty when not given.
 */
static bool
split_type(const char *s, vt_buf *name, vt_buf *version, vt_buf *package)
{
	size_t n = word_length(s);
	if (n == 0)
		return false;
	vt_buf_put(name, s, n);
	s += n;
	if (*s == '/') {
		n = strcspn(++s, "@");
		if (n == 0)
			return false;
		vt_buf_put(version, s, n);
		s += n;
	}
	if (*s == '@') {
		n = word_length(++s);
		if (n == 0)
			return false;
		vt_buf_put(package, s, n);
		s += n;
	}
	return *s == '\0';
}

static const vt_class_decl *
listed_in(vt_rt *rt, const vt_package_decl *p, const vt_str *name)
{
	const vt_class_decl *d = vt_decl_in(rt, p, name);
	return d != NULL && (d->listed || is_core(p)) ? d : NULL;
}

static const vt_class_decl *
listed_anywhere(vt_rt *rt, const vt_str *name, const char *spec)
{
	const vt_class_decl *best = NULL;
	const char *version = NULL;
	for (uint32_t i = 0; rt->program != NULL && i < rt->program->npackages; i++) {
		const vt_package_decl *p = rt->program->packages[i];
		const vt_class_decl *d = listed_in(rt, p, name);
		if (d == NULL || !vt_version_in(rt, p->version, spec))
			continue;
		if (best == NULL || vt_version_cmp(version, p->version) < 0) {
			best = d;
			version = p->version;
		}
	}
	if (best == NULL && vt_version_in(rt, vt_core_package.version, spec))
		best = vt_decl_in(rt, &vt_core_package, name);
	return best;
}

/* The package that would have the class but for its version, or NULL. */
static const vt_package_decl *
other_version(vt_rt *rt, const vt_str *name)
{
	for (uint32_t i = 0; rt->program != NULL && i < rt->program->npackages; i++)
		if (listed_in(rt, rt->program->packages[i], name) != NULL)
			return rt->program->packages[i];
	return NULL;
}

/* The full name of a class that was named by its last part; NULL: there is none, or several. */
static const char *
full_name(vt_rt *rt, const vt_str *name)
{
	const char *found = NULL;
	for (uint32_t i = 0; rt->program != NULL && i < rt->program->npackages; i++) {
		const vt_package_decl *p = rt->program->packages[i];
		for (uint32_t k = 0; k < p->nclasses; k++) {
			const char *full = p->classes[k]->name->s, *dot = strrchr(full, '.');
			if (dot == NULL || strcmp(dot + 1, name->s) != 0)
				continue;
			if (found != NULL)
				return NULL;
			found = full;
		}
	}
	return found;
}

static void
no_package_for_class(vt_rt *rt, const vt_str *name, const char *spec)
{
	const vt_package_decl *p = other_version(rt, name);
	const char *full = p == NULL ? full_name(rt, name) : NULL;
	if (full != NULL)
		(void)vt_raise(rt, VT_E_NO_PACKAGE_FOR_CLASS,
			"Package for class \"%s\" is not found: a model names classes in full, "
			"\"%s\"",
			name->s, full);
	else if (p == NULL)
		(void)vt_raise(rt, VT_E_NO_PACKAGE_FOR_CLASS,
			"Package for class \"%s\" is not found%s", name->s,
			strncmp(name->s, core_name.s, core_name.bytes) == 0 &&
					name->s[core_name.bytes] == '.'
				? ": a program has the core library io.murano when its code "
				  "mentions a class of it"
				: "");
	else
		(void)vt_raise(rt, VT_E_NO_PACKAGE_FOR_CLASS,
			"Package for class \"%s\" is not found: %s has it in version %s%s%s%s%s%s",
			name->s, p->name->s, p->version,
			*spec ? "" : ", and a type without a version means one below 1; write \"",
			*spec ? "" : name->s, *spec ? "" : "/", *spec ? "" : p->version,
			*spec ? "" : "\"");
}

static vt_class *
model_class(vt_rt *rt, const char *name, const char *spec, const char *package)
{
	vt_value cls = vt_str_c(rt, name), pkg = package ? vt_str_c(rt, package) : VT_UNDEF;
	const vt_package_decl *p = NULL;
	const vt_class_decl *d = NULL;
	bool ok;
	if (package == NULL)
		d = listed_anywhere(rt, vt_as_str(cls), spec);
	else if ((p = vt_find_package(rt, vt_as_str(pkg), spec)) != NULL)
		d = vt_decl_in(rt, p, vt_as_str(cls));
	if (d == NULL && package == NULL)
		no_package_for_class(rt, vt_as_str(cls), spec);
	else if (p == NULL && package != NULL)
		(void)vt_raise(rt, VT_E_NO_PACKAGE, "Package \"%s\" is not found", package);
	else if (d == NULL)
		(void)vt_raise(rt, VT_E_NO_CLASS, "Class \"%s\" is not found in %s/%s", name,
			p->name->s, p->version);
	vt_release(cls);
	vt_release(pkg);
	return d ? vt_class_link(rt, d, &ok) : NULL;
}

static vt_class *
model_class_of_type(vt_rt *rt, const char *type, const char *version, const char *package)
{
	vt_buf name = {0}, v = {0}, p = {0};
	vt_class *c = NULL;
	if (split_type(type, &name, &v, &p)) {
		vt_buf_putc(&name, '\0');
		vt_buf_putc(&v, '\0');
		vt_buf_putc(&p, '\0');
		c = model_class(rt, name.p,
			v.n > 1   ? v.p
			: version ? version
				  : "",
			p.n > 1 ? p.p : package);
	} else {
		(void)vt_raise(rt, VT_E_TYPE, "'%s' is not the name of a type", type);
	}
	vt_buf_free(&name);
	vt_buf_free(&v);
	vt_buf_free(&p);
	return c;
}

/* A model names few types many times: found once, a type written without more is remembered. */
vt_class *
vt_model_class(vt_rt *rt, const char *type, const char *version, const char *package)
{
	vt_session *s = rt->s;
	vt_value known;
	vt_class *c;
	if (version != NULL || package != NULL)
		return model_class_of_type(rt, type, version, package);
	if (s->model_types == NULL)
		s->model_types = vt_dict_new(rt, false);
	known = vt_dict_get_c(s->model_types, type);
	if (known != VT_UNDEF)
		return VT_AS(vt_typeref_obj, known)->cls;
	c = model_class_of_type(rt, type, NULL, NULL);
	if (c != NULL)
		vt_dict_set_c(rt, s->model_types, type, vt_copy(c->typeref));
	return c;
}

vt_class *
vt_find_class_model(vt_rt *rt, const char *fqn)
{
	return vt_model_class(rt, fqn, NULL, NULL);
}

/* ---- versions ---- */

static const char *
version_part(const char *p, uint64_t *n)
{
	for (*n = 0; *p >= '0' && *p <= '9'; p++)
		*n = *n * 10 + (uint64_t)(*p - '0');
	return *p == '.' ? p + 1 : p;
}

static int
prerelease_cmp(const char *a, const char *b)
{
	size_t n = strcspn(a, "+,"), m = strcspn(b, "+,");
	int c;
	if (n == 0 || m == 0)
		return n == m ? 0 : n == 0 ? 1 : -1; /* a release is newer than its previews */
	c = strncmp(a, b, n < m ? n : m);
	return c ? (c < 0 ? -1 : 1) : n == m ? 0 : n < m ? -1 : 1;
}

int
vt_version_cmp(const char *a, const char *b)
{
	for (int i = 0; i < 3; i++) {
		uint64_t x, y;
		a = version_part(a, &x);
		b = version_part(b, &y);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return prerelease_cmp(a, b);
}

/* One clause of a normalised specification: an operator and a full version. */
static bool
clause_holds(const char *version, const char *p)
{
	int c;
	if (*p == '*')
		return true;
	c = vt_version_cmp(version, p + strcspn(p, "0123456789"));
	if (strncmp(p, "==", 2) == 0)
		return c == 0;
	if (strncmp(p, "!=", 2) == 0)
		return c != 0;
	if (*p == '<')
		return c < 0 || (c == 0 && p[1] == '=');
	return c > 0 || (c == 0 && p[1] == '=');
}

bool
vt_version_in(vt_rt *rt, const char *version, const char *spec)
{
	vt_value text = vt_str_c(rt, spec ? spec : ""), made = VT_UNDEF;
	bool ok = vt_version_spec(rt, text, &made) == VT_OK;
	if (ok) {
		const char *p = vt_as_str(made)->s;
		while (ok && p != NULL) {
			ok = clause_holds(version, p);
			p = strchr(p, ',');
			p = p ? p + 1 : NULL;
		}
	} else {
		vt_exc_clear(rt);
	}
	vt_release(text);
	vt_release(made);
	return ok;
}

static bool
same_major(const char *a, const char *b)
{
	uint64_t x, y;
	version_part(a, &x);
	version_part(b, &y);
	return x == y;
}

/* A package always satisfies itself in its major version, and io.murano is always there (K7). */
bool
vt_version_fits(vt_rt *rt, const vt_package_decl *from, const vt_class_decl *d, vt_value version)
{
	const vt_package_decl *p = d->unit && d->unit->pkg ? d->unit->pkg : &vt_core_package;
	if (vt_is(version, STR))
		return vt_version_in(rt, p->version, vt_as_str(version)->s);
	if (from == NULL || from == p || same_name(from->name, p->name))
		return from == NULL || from == p || same_major(from->version, p->version);
	for (uint32_t i = 0; i < from->nrequires; i++)
		if (same_name(from->requires[i].name, p->name))
			return vt_version_in(rt, p->version, from->requires[i].spec);
	return is_core(p);
}

const char *
vt_class_version(const vt_class_decl *d)
{
	return d->unit && d->unit->pkg ? d->unit->pkg->version : vt_core_package.version;
}

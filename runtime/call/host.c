/*
 * host.c - functions that the host brings: their rows by name, and the language of their
 * signatures.
 *
 * What supplies them is no matter here: lua/host.c registers Lua functions, libvetro C functions.
 *
 * Invariant: rows never move or go before vt_host_forget, because the resolver caches pointers to
 * them.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

/* All overloads of one name. */
struct vt_host_name {
	struct vt_host_name *next;
	char *name;
	vt_fnrow rows[VT_HOST_OVERLOADS];
	struct fn {
		vt_sig sig;
		void *data;
		void (*drop)(void *);
	} fns[VT_HOST_OVERLOADS];
	uint32_t n;
};

/* ---- signatures ---- */

static const char *const type_names[] = {
#define X(sym, name) name,
#include "runtime/call/types.def"
#undef X
};

enum { MOST_PARAMS = 32 };
struct sig {
	vt_rt *rt;
	const char *p;
	vt_fnparam params[MOST_PARAMS];
	uint32_t n, lazy;
	const char *err;
};

static void
skip_blanks(struct sig *s)
{
	while (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')
		s->p++;
}

static bool
is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static char *
read_word(struct sig *s)
{
	const char *from;
	char *w;
	skip_blanks(s);
	for (from = s->p; is_word(*s->p); s->p++)
		;
	if (s->p == from)
		return NULL;
	w = vt_xmalloc((size_t)(s->p - from) + 1);
	memcpy(w, from, (size_t)(s->p - from));
	w[s->p - from] = '\0';
	return w;
}

static bool
accept(struct sig *s, char c)
{
	skip_blanks(s);
	if (*s->p != c)
		return false;
	s->p++;
	return true;
}

bool
vt_type_is_lazy(enum vt_type t)
{
	return vt_is_lazy_type((uint8_t)t);
}

/* The type that the next word names. */
static bool
read_part(struct sig *s, vt_own_part *part)
{
	char *w = read_word(s);
	size_t i = 0;
	while (w != NULL && i < VT_LEN(type_names) && strcmp(w, type_names[i]) != 0)
		i++;
	part->type = (uint8_t)i;
	part->named = w != NULL && i == VT_LEN(type_names) ? vt_type_named(s->rt, w) : NULL;
	if (part->named != NULL)
		part->type = part->named->lazy ? VT_T_OWN_LAZY : VT_T_OWN;
	if (w == NULL || part->type == VT_LEN(type_names))
		s->err = "unknown type";
	free(w);
	return s->err == NULL;
}

/* Types that look at the argument's form and not at its value cannot be mixed. */
static bool
is_syntactic(uint8_t t)
{
	return vt_is_lazy_type(t) || t == VT_T_KEYWORD || t == VT_T_STRING_CONST ||
	       t == VT_T_CONST || t == VT_T_BOOL_CONST || t == VT_T_NUMBER_CONST;
}

/* Several types of the library: str|integer takes either, any-int all but int. */
static void
mix(vt_fnparam *p, const vt_own_part *part, uint32_t n)
{
	p->type = VT_T_MIXED;
	for (uint32_t i = 0; i < n; i++) {
		bool but = part[i].how == VT_OWN_BUT;
		*(but ? &p->none : &p->any) |= UINT64_C(1) << part[i].type;
		p->nullable |= part[i].type == VT_T_NULL && !but;
	}
}

static void
own(vt_fnparam *p, const vt_own_part *part, uint32_t n)
{
	vt_own_type *t = vt_xmalloc(sizeof *t + n * sizeof t->part[0]);
	t->n = n;
	memcpy(t->part, part, n * sizeof t->part[0]);
	p->own = t;
	p->type = VT_T_OWN;
	for (uint32_t i = 0; i < n; i++)
		if (part[i].type == VT_T_OWN_LAZY)
			p->type = VT_T_OWN_LAZY;
}

/* The words of a type. 0: there is an error. */
enum { MOST_PARTS = 16 };
static uint32_t
read_parts(struct sig *s, vt_own_part *part)
{
	uint32_t n = 0, syntactic = 0;
	uint8_t how = VT_OWN_OR;
	for (;;) {
		part[n].how = how;
		if (!read_part(s, &part[n]))
			return 0;
		syntactic += is_syntactic(part[n++].type);
		if (accept(s, '|'))
			how = VT_OWN_OR;
		else if (accept(s, '-'))
			how = VT_OWN_BUT;
		else if (accept(s, '&'))
			how = VT_OWN_AND;
		else
			break;
		if (n == MOST_PARTS) {
			s->err = "too many types for one parameter";
			return 0;
		}
	}
	if (syntactic > 0 && n > 1)
		s->err = "a lazy or constant type cannot be one of several";
	return s->err == NULL ? n : 0;
}

static void
read_type(struct sig *s, vt_fnparam *p)
{
	vt_own_part part[MOST_PARTS];
	uint32_t n = read_parts(s, part);
	bool owns = false;
	if (n == 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		owns |= part[i].named != NULL || part[i].how == VT_OWN_AND;
	p->nullable = part[0].type == VT_T_ANY || part[0].type == VT_T_NULL;
	if (owns)
		own(p, part, n);
	else if (n > 1)
		mix(p, part, n);
	else
		p->type = part[0].type;
	if (accept(s, '?'))
		p->nullable = 1;
	else if (accept(s, '!'))
		p->nullable = 0;
	if (vt_is_lazy_type(p->type))
		s->lazy |= p->kind == 1 ? 1u << 31 : 1u << s->n;
}
_Static_assert(VT_T_COUNT <= 64, "vt_fnparam.any has a bit a type");

static void
read_text(struct sig *s, vt_fnparam *p)
{
	const char *from = s->p;
	char *t;
	while (*s->p != '\0' && *s->p != '"')
		s->p++;
	if (*s->p != '"') {
		s->err = "text without its closing quote";
		return;
	}
	t = vt_xmalloc((size_t)(s->p - from) + 1);
	memcpy(t, from, (size_t)(s->p - from));
	t[s->p++ - from] = '\0';
	p->dflt = VT_UNDEF;
	p->dflt_str = t;
}

static void
read_default(struct sig *s, vt_fnparam *p)
{
	static const struct {
		const char *word;
		vt_value v;
	} table[] = {
		{"true", VT_TRUE},
		{"false", VT_FALSE},
		{"null", VT_NULL},
		{"novalue", VT_NOVALUE},
	};
	bool minus;
	char *w;
	p->has_default = 1;
	if (accept(s, '"')) {
		read_text(s, p);
		return;
	}
	minus = accept(s, '-');
	w = read_word(s);
	s->err = "a default is an integer, true, false, null, novalue or \"text\"";
	for (size_t i = 0; w != NULL && i < VT_LEN(table); i++)
		if (strcmp(w, table[i].word) == 0) {
			p->dflt = table[i].v;
			s->err = NULL;
		}
	if (w != NULL && w[0] >= '0' && w[0] <= '9' && strlen(w) < 18 &&
		strspn(w, "0123456789") == strlen(w)) {
		p->dflt = vt_mkint(strtoll(w, NULL, 10) * (minus ? -1 : 1));
		s->err = NULL;
	}
	free(w);
}

static void
read_param(struct sig *s)
{
	vt_fnparam *p = &s->params[s->n];
	memset(p, 0, sizeof *p);
	p->dflt = VT_UNDEF;
	while (p->kind < 2 && accept(s, '*'))
		p->kind++;
	p->name = read_word(s);
	if (p->name == NULL)
		s->err = "a parameter's name is missing";
	else if (!accept(s, ':'))
		s->err = "':' and a type must follow a parameter's name";
	else
		read_type(s, p);
	if (s->err == NULL && accept(s, '='))
		read_default(s, p);
	s->n++;
}

static void
free_params(vt_fnparam *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		free((char *)(uintptr_t)p[i].name);
		free((char *)(uintptr_t)p[i].dflt_str);
		free((void *)(uintptr_t)p[i].own);
	}
}

const char *
vt_sig_read(vt_rt *rt, vt_sig *out, const char *text)
{
	struct sig s = {.rt = rt, .p = text};

	skip_blanks(&s);
	while (*s.p != '\0' && s.err == NULL) {
		if (s.n == MOST_PARAMS) {
			s.err = "too many parameters";
			break;
		}
		read_param(&s);
		if (s.err == NULL && !accept(&s, ',') && *s.p != '\0')
			s.err = "',' expected between parameters";
	}
	if (s.err != NULL) {
		free_params(s.params, s.n);
		return s.err;
	}
	*out = (vt_sig){vt_xmalloc((s.n + 1) * sizeof *s.params), s.n, s.lazy};
	memcpy(out->params, s.params, s.n * sizeof *s.params);
	return NULL;
}

void
vt_sig_free(vt_sig *s)
{
	free_params(s->params, s->n);
	free(s->params);
}

const char *
vt_type_name(enum vt_type t)
{
	return type_names[t];
}

/* ---- rows by name ---- */

static struct vt_host_name *
find_name(struct vt_host_name *n, const char *name)
{
	while (n != NULL && strcmp(n->name, name) != 0)
		n = n->next;
	return n;
}

static struct vt_host_name *
name_in(struct vt_host_name **table, const char *name)
{
	struct vt_host_name *n = find_name(*table, name);

	if (n != NULL)
		return n;
	n = vt_xzalloc(sizeof *n);
	n->name = vt_xstrdup(name);
	n->next = *table;
	return *table = n;
}

static bool
add(struct vt_host_name *n, uint32_t flags, vt_sig *sig, vt_fn fn, void *data, void (*drop)(void *))
{
	if (n->n == VT_HOST_OVERLOADS) {
		vt_sig_free(sig);
		if (drop != NULL)
			drop(data);
		return false;
	}
	n->fns[n->n] = (struct fn){*sig, data, drop};
	n->rows[n->n] = (vt_fnrow){.name = n->name,
		.flags = flags,
		.layer = VT_L_STD,
		.lazy = sig->lazy,
		.params = sig->params,
		.nparams = sig->n,
		.fn = fn,
		.symbol = data};
	n->n++;
	return true;
}

/* Names of the library that mean something else now. */
static void
hide(vt_rt *rt, const char *name)
{
	uint32_t known;

	if (strcmp(name, "#finalize") == 0) {
		rt->s->host_finalizes = true; /* nothing but the end of an evaluation calls it */
		return;
	}
	rt->s->host_hides |= vt_fn_find(name, &known) != NULL || vt_fn_absent(name);
}

bool
vt_host_add(vt_rt *rt, const char *name, uint32_t flags, vt_sig *sig, vt_fn fn, void *data,
	void (*drop)(void *))
{
	if (!add(name_in(&rt->s->host, name), flags, sig, fn, data, drop))
		return false;
	hide(rt, name);
	return true;
}

/* The session knows the name from now on, so that no cache stores what it means. */
bool
vt_host_add_to(vt_rt *rt, void **table, const char *name, uint32_t flags, vt_sig *sig, vt_fn fn,
	void *data, void (*drop)(void *))
{
	struct vt_host_name *names = *table;
	bool ok = add(name_in(&names, name), flags, sig, fn, data, drop);

	*table = names;
	if (!ok)
		return false;
	(void)name_in(&rt->s->host, name);
	hide(rt, name);
	return true;
}

const vt_fnrow *
vt_host_of_table(void *table, const char *name, uint32_t *n)
{
	const struct vt_host_name *found = find_name(table, name);

	*n = found != NULL ? found->n : 0;
	return found != NULL ? found->rows : NULL;
}

/* The field holds a C function's name in the rows of the library; nobody asks a host's row for
 * that. */
void *
vt_host_data(const vt_fnrow *r)
{
	return (void *)(uintptr_t)r->symbol;
}

bool
vt_host_defined(vt_rt *rt, const char *name)
{
	return find_name(rt->s->host, name) != NULL;
}

const vt_fnrow *
vt_host_find(vt_rt *rt, const char *name, uint32_t *n)
{
	vt_lua_want(rt, name);
	return vt_host_of_table(rt->s->host, name, n);
}

static void
free_rows(struct vt_host_name *n)
{
	for (uint32_t i = 0; i < n->n; i++) {
		vt_sig_free(&n->fns[i].sig);
		if (n->fns[i].drop != NULL)
			n->fns[i].drop(n->fns[i].data);
	}
	n->n = 0;
}

bool
vt_host_remove(void *table, const char *name)
{
	struct vt_host_name *n = find_name(table, name);

	if (n == NULL || n->n == 0)
		return false;
	free_rows(n);
	return true;
}

void
vt_host_drop_table(void *table)
{
	for (struct vt_host_name *n = table, *next; n != NULL; n = next) {
		next = n->next;
		free_rows(n);
		free(n->name);
		free(n);
	}
}

void
vt_host_forget(vt_rt *rt)
{
	vt_host_drop_table(rt->s->host);
	rt->s->host = NULL;
}

/* ---- errors of the host ---- */

static bool
known_error(const char *name, enum vt_etype *type)
{
	for (int i = 0; i < VT_E_COUNT; i++)
		if (strcmp(vt_etype_shown((enum vt_etype)i), name) == 0 ||
			strcmp(vt_etype_fqn((enum vt_etype)i), name) == 0) {
			*type = (enum vt_etype)i;
			return true;
		}
	return false;
}

vt_status
vt_host_raise(vt_rt *rt, const char *name, const char *message, size_t n)
{
	enum vt_etype type = VT_E_HOST;
	bool known = known_error(name, &type);
	vt_status st = vt_raise_value(rt, type, vt_str_new(rt, message, n));

	if (!known) {
		vt_list *names = vt_list_new(rt, VT_K_TUPLE, 1);
		names->v[0] = vt_str_c(rt, name);
		vt_move(&vt_pending(rt)->names, vt_mkptr(names));
	}
	return st;
}

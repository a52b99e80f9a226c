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
	return t == VT_T_LAMBDA || t == VT_T_LAMBDA_CTX || t == VT_T_LAMBDA_METHOD ||
	       t == VT_T_LAMBDA_CTX_METHOD || t == VT_T_EXPR || t == VT_T_RULE_LAZY;
}

/* The type that the next word names; VT_T_COUNT with the error set when there is none. */
static enum vt_type
read_type_name(struct sig *s)
{
	char *w = read_word(s);
	size_t i = 0;
	while (w != NULL && i < VT_LEN(type_names) && strcmp(w, type_names[i]) != 0)
		i++;
	free(w);
	if (w == NULL || i == VT_LEN(type_names)) {
		s->err = "unknown type";
		return VT_T_COUNT;
	}
	return (enum vt_type)i;
}

/* Types that look at the argument's form and not at its value cannot be mixed. */
static bool
is_syntactic(enum vt_type t)
{
	return vt_type_is_lazy(t) || t == VT_T_KEYWORD || t == VT_T_STRING_CONST ||
	       t == VT_T_CONST || t == VT_T_BOOL_CONST || t == VT_T_NUMBER_CONST;
}

/* What follows the first of several types: str|integer takes either, any-int all but int. */
static void
read_mixed(struct sig *s, vt_fnparam *p)
{
	uint64_t any = UINT64_C(1) << p->type;
	bool syntactic = is_syntactic((enum vt_type)p->type);
	for (;;) {
		bool plus = accept(s, '|'), minus = !plus && accept(s, '-');
		enum vt_type t = plus || minus ? read_type_name(s) : VT_T_COUNT;
		if (t == VT_T_COUNT)
			break;
		syntactic |= is_syntactic(t);
		*(plus ? &any : &p->none) |= UINT64_C(1) << t;
		p->type = VT_T_MIXED;
		p->any = any;
		p->nullable |= t == VT_T_NULL && plus;
	}
	if (p->type == VT_T_MIXED && syntactic)
		s->err = "a lazy or constant type cannot be one of several";
}

static void
read_type(struct sig *s, vt_fnparam *p)
{
	enum vt_type t = read_type_name(s);
	if (t == VT_T_COUNT)
		return;
	p->type = (uint8_t)t;
	p->nullable = t == VT_T_ANY || t == VT_T_NULL;
	read_mixed(s, p);
	if (accept(s, '?'))
		p->nullable = 1;
	else if (accept(s, '!'))
		p->nullable = 0;
	if (vt_type_is_lazy((enum vt_type)p->type))
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
	}
}

const char *
vt_sig_read(vt_sig *out, const char *text)
{
	struct sig s = {.p = text};

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
find_name(vt_rt *rt, const char *name)
{
	struct vt_host_name *n = rt->s->host;

	while (n != NULL && strcmp(n->name, name) != 0)
		n = n->next;
	return n;
}

static struct vt_host_name *
new_name(vt_rt *rt, const char *name)
{
	struct vt_host_name *n = vt_xzalloc(sizeof *n);
	n->name = vt_xstrdup(name);
	n->next = rt->s->host;
	rt->s->host = n;
	return n;
}

bool
vt_host_add(vt_rt *rt, const char *name, uint32_t flags, vt_sig *sig, vt_fn fn, void *data,
	void (*drop)(void *))
{
	struct vt_host_name *n = find_name(rt, name);
	uint32_t known;

	if (n == NULL)
		n = new_name(rt, name);
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
	rt->s->host_hides |= vt_fn_find(name, &known) != NULL || vt_fn_absent(name);
	return true;
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
	return find_name(rt, name) != NULL;
}

const vt_fnrow *
vt_host_find(vt_rt *rt, const char *name, uint32_t *n)
{
	struct vt_host_name *found;

	vt_lua_want(rt, name);
	found = find_name(rt, name);
	if (found == NULL)
		return NULL;
	*n = found->n;
	return found->rows;
}

void
vt_host_forget(vt_rt *rt)
{
	for (struct vt_host_name *n = rt->s->host, *next; n != NULL; n = next) {
		next = n->next;
		for (uint32_t i = 0; i < n->n; i++) {
			vt_sig_free(&n->fns[i].sig);
			if (n->fns[i].drop != NULL)
				n->fns[i].drop(n->fns[i].data);
		}
		free(n->name);
		free(n);
	}
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

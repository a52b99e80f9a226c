/*
 * link_rows.c - what of the library a program links: linked.c of its own defines vt_linked with
 * the overloads that its code can come to, so that the linker leaves out the rest and what only
 * that needs (docs/HACKING.md, Size).
 *
 * The names: those of the call sites; of operators and members; what functions of the library call
 * by name (`calls` in runtime/lib); what call() is given as a constant.  A program that makes names
 * while it runs, with call() or in Lua, has everything.
 */
#include "compiler/emit/int.h"
#include "runtime/text/datetime.h"
#include "hooks.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "compiler/emit/emit.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"

#include <string.h>

static const struct call {
	const char *symbol, *name;
} calls[] = {
#include "registry_calls.h"
};

/* Values of some types come from these functions only: without them the overloads for such values
 * are never chosen. */
static const struct maker {
	uint8_t type;
	const char *symbol;
} makers[] = {
	{VT_T_REGEX, "vt_lib_regex"},
};

typedef struct linked {
	vc *c;
	uint32_t layers;
	bool dynamic; /* names are made at run time, */
	const char *where;
	bool *rows; /* by place in the whole registry: the program has it */
	bool lua;
	bool local; /* a text of it may be a format of dates that shows the local zone */
} linked;

static bool
visible(const linked *l, const vt_fnrow *r)
{
	return r->layer & l->layers;
}

static void need(linked *, const char *name);

static void
need_row(linked *l, const vt_fnrow *r)
{
	bool *mark = &l->rows[r - vt_linked.rows];
	if (*mark || !visible(l, r))
		return;
	*mark = true;
	for (uint32_t i = 0; i < VC_LEN(calls); i++)
		if (strcmp(calls[i].symbol, r->symbol) == 0)
			need(l, calls[i].name);
}

/* Names lose the underscores at their end when they are looked up. */
static void
need(linked *l, const char *name)
{
	size_t len = strlen(name);
	uint32_t n;
	const vt_fnrow *r = vt_fn_find(name, &n);
	for (uint32_t i = 0; i < n; i++)
		need_row(l, &r[i]);
	if (len > 0 && name[len - 1] == '_') {
		while (len > 0 && name[len - 1] == '_')
			len--;
		need(l, vc_strndup(l->c, name, len));
	}
}

static void
need_member(linked *l, const char *name)
{
	need(l, "#operator_.");
	need(l, vc_format(l->c, "#property#%s", name));
}

/* The hooks that a session --expose starts Lua for. */
static bool
is_hook(vc *c, const char *name)
{
	return strstr(vt_hooks_lua, vc_format(c, "\"%s\"", name)) != NULL;
}

static bool
is_call(const char *name)
{
	return strncmp(name, "call", 4) == 0 && strspn(name + 4, "_") == strlen(name + 4);
}

/* io.murano.system.Logger formats with the library's format(), whatever class the receiver turns
 * out to be. */
static bool
may_log(const ir_site *s)
{
	static const char *const names[] = {
		"trace", "debug", "info", "warning", "error", "critical", "exception"};
	for (uint32_t i = 0; s->method && i < VC_LEN(names); i++)
		if (strcmp(s->name, names[i]) == 0)
			return true;
	return false;
}

static void
see_site(linked *l, const ir_func *f, const ir_site *s)
{
	need(l, s->name);
	if (may_log(s))
		need(l, "format");
	l->lua |= is_hook(l->c, s->name);
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].kind == VT_A_KEYWORD && s->args[i].k.kind == IK_STR)
			need_member(l, s->args[i].k.s);
	if (s->method || !is_call(s->name))
		return;
	if (s->nargs > 0 && !s->args[0].keyword && s->args[0].k.kind == IK_STR &&
		(s->args[0].kind == VT_A_STRING || s->args[0].kind == VT_A_KEYWORD)) {
		need(l, s->args[0].k.s);
		l->lua |= is_hook(l->c, s->args[0].k.s);
	} else {
		l->dynamic = true;
		l->where = vc_format(
			l->c, "call() at %s:%u makes names at run time", f->unit->file, s->line);
	}
}

static bool
shows_local_time(const ir_const *k)
{
	return k->kind == IK_STR && k->s && vt_shows_local_time(k->s);
}

static bool
has_local_format(const ir_ins *in)
{
	bool yes = shows_local_time(&in->k);
	for (uint32_t i = 0; in->op == IR_CDICT && i < in->nks; i++)
		yes |= shows_local_time(&in->ks[i]);
	for (uint32_t i = 0; in->site && i < in->site->nargs; i++)
		yes |= shows_local_time(&in->site->args[i].k);
	return yes;
}

static void
see_op(linked *l, const ir_func *f, const ir_ins *in)
{
	static const char *const names[IR_NOPS] = {[IR_ADD] = "#operator_+",
		[IR_ADDV] = "#operator_+",
		[IR_ADDON] = "#operator_+",
		[IR_ADDUP] = "#operator_+",
		[IR_SUB] = "#operator_-",
		[IR_MUL] = "#operator_*",
		[IR_DIV] = "#operator_/",
		[IR_MOD] = "#operator_mod",
		[IR_LT] = "#operator_<",
		[IR_LE] = "#operator_<=",
		[IR_GT] = "#operator_>",
		[IR_GE] = "#operator_>="};
	if (names[in->op])
		need(l, names[in->op]);
	l->local |= has_local_format(in);
	if (in->op == IR_ATTR)
		need_member(l, in->site->name);
	if (in->op == IR_LHSATTR)
		need_member(l, in->name);
	if (in->site)
		see_site(l, f, in->site);
}

static void
see_module(linked *l, const ir_module *m)
{
	for (uint32_t i = 0; i < m->nunits; i++)
		l->layers |= m->units[i]->layers;
	for (uint32_t i = 0; i < m->nfuncs; i++) {
		const ir_func *f = m->funcs[i];
		for (uint32_t k = 0; k < f->n && !f->idle; k++)
			see_op(l, f, &f->ins[k]);
	}
}

/* Classes that the hooks define. Without the text of the classes nobody knows who names them. */
static bool
mentions_hook(linked *l)
{
	static const char before[] = "vetro.class {\n\tname = \"";
	uint32_t n;
	mpl_package **p = vc_packages(l->c, &n);
	for (const char *at = vt_hooks_lua; (at = strstr(at, before)) != NULL;) {
		at += sizeof before - 1;
		const char *fqn = vc_strndup(l->c, at, strcspn(at, "\""));
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < p[i]->nclasses && !p[i]->builtin; k++)
				if (vc_class_mentions(l->c, p[i]->classes[k], fqn))
					return true;
	}
	return n == 0;
}

/* ---- linked.c ---- */

static bool
is_made(const linked *l, uint8_t type)
{
	bool known = false;
	for (uint32_t i = 0; i < VC_LEN(makers); i++) {
		if (makers[i].type != type)
			continue;
		known = true;
		for (uint32_t k = 0; k < vt_linked.nrows; k++)
			if (l->rows[k] && strcmp(vt_linked.rows[k].symbol, makers[i].symbol) == 0)
				return true;
	}
	return !known;
}

/* The C function of an overload. */
static const char *
function_of(const linked *l, const vt_fnrow *r)
{
	for (uint32_t i = 0; i < r->nparams; i++)
		if (r->params[i].kind == 0 && !r->params[i].has_default && !r->params[i].nullable &&
			!is_made(l, r->params[i].type))
			return "vt_absent";
	return r->symbol;
}

static void
put_params(vt_buf *b, const vt_fnrow *r, uint32_t k)
{
	vt_buf_printf(b, "static const vt_fnparam p%u[] = {", k);
	for (uint32_t i = 0; i < r->nparams; i++) {
		const vt_fnparam *p = &r->params[i];
		vt_buf_puts(b, i ? ", {" : "{");
		ct_text(b, p->name);
		vt_buf_printf(b, ", %u, %u, %u, %u, 0x%llxu, ", p->type, p->nullable,
			p->has_default, p->kind, (unsigned long long)p->dflt);
		ct_text(b, p->dflt_str);
		vt_buf_puts(b, ", 0, 0, NULL}");
	}
	vt_buf_puts(b, "};\n");
}

/* lua/build/registry.lua: vt_quick_NAME beside vt_lib_NAME. */
static const char *
quick_of(const linked *l, const vt_fnrow *r)
{
	return vc_format(l->c, "vt_quick_%s", r->symbol + strlen("vt_lib_"));
}

static void
put_row(vt_buf *b, const linked *l, const vt_fnrow *r, uint32_t k)
{
	vt_buf_puts(b, "\t{");
	ct_text(b, r->name);
	vt_buf_printf(b, ", %u, %u, 0x%xu, %s, %u, %s, NULL, %s, 0x%xu},\n", r->flags, r->layer,
		r->lazy, r->nparams ? vc_format(l->c, "p%u", k) : "NULL", r->nparams,
		function_of(l, r), r->quick != NULL ? quick_of(l, r) : "NULL", r->quick_takes);
}

static uint32_t
put_rows(vt_buf *b, const linked *l)
{
	em_list functions = {.head = "vt_native_c "}, quick = {.head = "vt_quick_c "};
	vt_buf rows = {0}, params = {0};
	uint32_t n = 0;
	for (uint32_t k = 0; k < vt_linked.nrows; k++) {
		const vt_fnrow *r = &vt_linked.rows[k];
		if (!l->rows[k])
			continue;
		n++;
		em_listed(&functions, function_of(l, r));
		if (r->quick != NULL)
			em_listed(&quick, quick_of(l, r));
		if (r->nparams)
			put_params(&params, r, k);
		put_row(&rows, l, r, k);
	}
	em_list_end(b, &functions, ";\n");
	em_list_end(b, &quick, ";\n");
	vt_buf_printf(b, "%.*s", (int)params.n, params.n ? params.p : "");
	vt_buf_free(&params);
	if (n)
		vt_buf_printf(b, "static const vt_fnrow rows[] = {\n%.*s};\n", (int)rows.n, rows.p);
	vt_buf_free(&rows);
	return n;
}

enum { COLUMNS = 100, TAB = 8 };

/* Of a name either all overloads that can be seen are there or none. */
static uint32_t
put_absent(vt_buf *b, const linked *l)
{
	uint32_t bytes = 0;
	size_t line = 0;
	const char *last = "";
	vt_buf_puts(b, "static const char absent[] =");
	for (uint32_t k = 0; k < vt_linked.nrows; k++) {
		const vt_fnrow *r = &vt_linked.rows[k];
		if (l->rows[k] || !visible(l, r) || strcmp(r->name, last) == 0)
			continue;
		last = r->name;
		if (line == 0 || b->n - line + strlen(last) + 7 > COLUMNS) {
			vt_buf_puts(b, "\n\t");
			line = b->n - TAB;
		} else {
			vt_buf_puts(b, " ");
		}
		ct_text(b, last);
		vt_buf_puts(b, "\"\\0\"");
		bytes += (uint32_t)strlen(last) + 1;
	}
	vt_buf_puts(b, " \"\";\n");
	return bytes;
}

static const char *
why_all(const linked *l, const char *lua)
{
	return !vc_pass_on(l->c, SUBSET) ? "-fno-subset asks for them"
	       : lua                     ? "Lua may call them by name"
	       : l->dynamic              ? l->where
					 : NULL;
}

bool
vc_emit_linked(vc *c, const ir_module *m, const char *lua, vc_cfile *out)
{
	linked l = {.c = c};
	uint32_t nabsent;
	vt_buf *b = &out->text;
	l.rows = vc_alloc(c, vt_linked.nrows);
	l.layers = VT_L_STD | vt_core_unit.layers; /* natives run as the latter */
	if (m)
		see_module(&l, m);
	for (uint32_t i = 0; m && i < c->nalso; i++)
		see_module(&l, c->also[i]);
	c->nfunctions = vt_linked.nrows;
	c->nlinked = 0;
	c->links_all = why_all(&l, lua);
	if (c->links_all)
		return false;
	*out = (vc_cfile){.name = "linked.c"};
	vt_buf_puts(b, "/* Made by vetro " VETRO_VERSION
		       ": what the program links of the library. */\n#include \"vt.h\"\n\n");
	if (l.local) /* weak in the runtime: the linker takes it because it is named here */
		vt_buf_puts(b,
			"extern void vt_local_time(void);\nvoid (*const vt_linked_local)(void) "
			"= vt_local_time;\n");
	c->nlinked = put_rows(b, &l);
	nabsent = put_absent(b, &l);
	vt_buf_printf(b, "const vt_parts vt_linked = {%s, %u, absent, %u, %s};\n",
		c->nlinked ? "rows" : "NULL", c->nlinked, nabsent,
		l.lua || (m && mentions_hook(&l)) ? "&vt_lua" : "NULL");
	return true;
}

/* ---- the native classes that need a cloud ---- */

/* Those are listed that a program may come to.  Some class other than that itself must mention it.
 * A mention in a comment counts too: it costs bytes and changes nothing. */
static bool
is_mentioned(vc *c, const char *fqn)
{
	uint32_t n;
	mpl_package **p = vc_packages(c, &n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < p[i]->nclasses && !p[i]->builtin; k++) {
			const mpl_class *cls = p[i]->classes[k];
			if (strcmp(cls->name, fqn) != 0 && vc_class_mentions(c, cls, fqn))
				return true;
		}
	return false;
}

const char *
em_natives(em *e)
{
	uint32_t n = 0;
	vt_buf b = {0};
	const vc_native *native;
	for (uint32_t i = 0; (native = vc_native_at(i)) != NULL; i++) {
		if (!native->symbol || !is_mentioned(e->c, native->fqn))
			continue;
		em_declare(e, "extern const vt_class_decl", native->symbol);
		vt_buf_printf(&b, "%s&%s", n++ ? ", " : "", native->symbol);
	}
	e->c->reaches_cloud = n > 0;
	if (n == 0)
		return "NULL, 0";
	vt_buf_printf(&e->tables, "static const vt_class_decl *const natives[] = {%.*s};\n",
		(int)b.n, b.p);
	vt_buf_free(&b);
	return vc_format(e->c, "natives, %u", n);
}

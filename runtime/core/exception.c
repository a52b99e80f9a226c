/*
 * exception.c - exceptions: a status on the way up, a value in the session.
 *
 * Frames are taken where the exception is raised, from the chain of activations, outermost first.
 */
#include "runtime/core/base.h"
#include "runtime/core/bytes.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/core/diag.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

static const struct {
	const char *shown, *fqn;
	uint16_t code;
} types[VT_E_COUNT] = {
#define EXCEPTION(sym, code, shown, fqn) {shown, fqn, VT_##code},
#include "runtime/core/exceptions.def"
#undef EXCEPTION
};

const char *
vt_etype_shown(enum vt_etype t)
{
	return types[t].shown;
}

const char *
vt_etype_fqn(enum vt_etype t)
{
	return types[t].fqn;
}

vt_value
vt_etype_names(vt_rt *rt, enum vt_etype t)
{
	vt_value *names = rt->s->etype_names, name;
	if (names == NULL) {
		names = rt->s->etype_names = vt_xmalloc(VT_E_COUNT * sizeof *names);
		for (int i = 0; i < VT_E_COUNT; i++)
			names[i] = VT_UNDEF;
	}
	if (names[t] == VT_UNDEF) {
		name = vt_str_c(rt, types[t].fqn);
		names[t] = vt_mkptr(vt_list_owned(rt, VT_K_TUPLE, 1, &name));
	}
	return vt_copy(names[t]);
}

void
vt_etype_names_free(vt_value *names)
{
	for (int i = 0; names != NULL && i < VT_E_COUNT; i++)
		vt_release(names[i]);
	free(names);
}

const char *
vt_fqn_of_class(const char *shown)
{
	for (int i = 0; i < VT_E_COUNT; i++)
		if (strcmp(types[i].shown, shown) == 0)
			return types[i].fqn;
	return shown;
}

enum vt_diag
vt_etype_diag(enum vt_etype t)
{
	return (enum vt_diag)types[t].code;
}

enum vt_diag
vt_diag_of_class(const char *shown)
{
	for (int i = 0; i < VT_E_COUNT; i++)
		if (strcmp(types[i].shown, shown) == 0)
			return (enum vt_diag)types[i].code;
	return VT_E4001;
}

/* Frames kept of a deep stack: the innermost ones say most. */
enum { MAX_FRAMES = 200 };

vt_frame
vt_exc_frame(const vt_exc *e, uint32_t i)
{
	const vt_trace *t = &e->frames[i];
	const vt_class_decl *c = t->method->cls;

	return (vt_frame){
		.file = c && c->unit ? c->unit->file : "",
		.line = t->at ? (uint32_t)(t->at->pos >> 20) : t->method->line,
		.col = t->at ? (uint32_t)(t->at->pos & 0xfffff) : t->method->col,
		.method = t->method->name->s,
		.type = c ? c->name->s : "",
		.instruction = t->at ? t->at->instruction : "",
	};
}

static void
take_frames(vt_rt *rt, vt_exc *e)
{
	uint32_t n = 0, skip;

	for (const vt_act *a = rt->act; a; a = a->up)
		n++;
	skip = n > MAX_FRAMES ? n - MAX_FRAMES : 0;
	n -= skip;
	e->frames = n > VT_FEW_FRAMES ? vt_xmalloc(n * sizeof *e->frames) : e->few;
	e->nframes = n;
	for (const vt_act *a = rt->act; a && n > 0; a = a->up)
		e->frames[--n] = (vt_trace){a->hold.method, a->at};
	e->traced = 1;
}

__attribute__((cold)) static vt_value
long_message(vt_rt *rt, const char *const *parts)
{
	vt_buf b = {0};
	for (; *parts != NULL; parts++)
		vt_buf_puts(&b, *parts);
	return vt_str_take(rt, &b);
}

vt_value
vt_message_of(vt_rt *rt, const char *const *parts)
{
	char text[240]; /* most are shorter */
	size_t n = 0, k;
	for (uint32_t i = 0; parts[i] != NULL; i++, n += k) {
		k = strlen(parts[i]);
		if (k > sizeof text - n)
			return long_message(rt, parts);
		vt_copy_short(text + n, parts[i], k);
	}
	return vt_str_new(rt, text, n);
}

static vt_exc *
exc_new(vt_rt *rt, enum vt_etype type, vt_value message)
{
	vt_exc *e = vt_alloc(rt, sizeof *e, VT_K_EXC);

	e->type = type;
	e->message = message;
	e->names = e->extra = e->cause = VT_NULL;
	e->arg = VT_UNDEF;
	e->frames = NULL;
	e->nframes = 0;
	e->line = e->col = 0;
	e->traced = 0;
	take_frames(rt, e);
	return e;
}

/* The finaliser of the kind. */
void
vt_exc_fini(vt_head *h)
{
	vt_exc *e = (vt_exc *)h;

	vt_release(e->message);
	vt_release(e->names);
	vt_release(e->extra);
	vt_release(e->cause);
	vt_release(e->arg);
	if (e->frames != e->few)
		free(e->frames);
}

vt_status
vt_raise_value(vt_rt *rt, enum vt_etype type, vt_value message)
{
	vt_exc_set(rt, vt_mkptr(exc_new(rt, type, vt_redacted(rt, message))));
	return VT_ERROR;
}

/* How many of the n bytes could begin a character: Python counts them as the error's. */
static size_t
partial(const unsigned char *p, size_t n)
{
	unsigned char low = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
	unsigned char high = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
	size_t want = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2, k = 1;

	while (k < n && k < want && p[k] >= low && p[k] <= high) {
		low = 0x80;
		high = 0xbf;
		k++;
	}
	return k;
}

__attribute__((cold)) vt_status
vt_raise_utf8(vt_rt *rt, const char *s, size_t n, size_t at)
{
	const unsigned char *p = (const unsigned char *)s + at;
	bool starts = *p >= 0xc2 && *p <= 0xf4;
	size_t k = starts ? partial(p, n - at) : 1;
	const char *why = !starts       ? "invalid start byte"
			  : at + k == n ? "unexpected end of data"
					: "invalid continuation byte";

	if (k > 1)
		return vt_raise(rt, VT_E_UNICODE_DECODE,
			"'utf-8' codec can't decode bytes in position %zu-%zu: %s", at, at + k - 1,
			why);
	return vt_raise(rt, VT_E_UNICODE_DECODE,
		"'utf-8' codec can't decode byte 0x%02x in position %zu: %s", *p, at, why);
}

vt_status
vt_raise_long_text(vt_rt *rt)
{
	return vt_raise(rt, VT_E_MEMORY_QUOTA, "a string of more than 2 GiB");
}

__attribute__((cold)) vt_status
vt_raise_key(vt_rt *rt, vt_value key)
{
	vt_buf b = {0};
	vt_exc *e;
	vt_repr_cut(rt, &b, key);
	(void)vt_raise_value(rt, VT_E_KEY, vt_str_take(rt, &b));
	e = vt_pending(rt);
	if (e != NULL && e->arg == VT_UNDEF)
		e->arg = vt_copy(key);
	return VT_ERROR;
}

vt_status
vt_raise(vt_rt *rt, enum vt_etype type, const char *fmt, ...)
{
	va_list ap;
	vt_buf b = {0};
	vt_status st;

	if (type == VT_E_RECURSION && unlikely(rt->s->interrupt != 0) && rt->max_depth == 0)
		return rt->s->interrupted(rt);
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	/* A message may quote bytes of a foreign text that was cut in the middle of a character. */
	st = vt_raise_value(rt, type, vt_str_new(rt, b.p, vt_utf8_check(b.p, b.n)));
	vt_buf_free(&b);
	return st;
}

vt_exc *
vt_pending(vt_rt *rt)
{
	return rt->s->exc == VT_UNDEF ? NULL : VT_AS(vt_exc, rt->s->exc);
}

void
vt_exc_clear(vt_rt *rt)
{
	vt_clear(&rt->s->exc);
}

vt_value
vt_exc_take(vt_rt *rt)
{
	vt_value v = rt->s->exc;

	rt->s->exc = VT_UNDEF;
	return v;
}

void
vt_exc_set(vt_rt *rt, vt_value exc)
{
	vt_move(&rt->s->exc, exc);
}

const char *
vt_exc_raised_type(vt_exc *e)
{
	if ((e->type == VT_E_MURANO_PL || e->type == VT_E_HOST) && vt_is_sequence(e->names) &&
		vt_as_list(e->names)->n)
		return vt_as_str(vt_as_list(e->names)->v[0])->s;
	return types[e->type].shown;
}

const char *
vt_exc_shown_type(vt_exc *e)
{
	const char *name = vt_exc_raised_type(e);
	const char *dot = e->type == VT_E_HOST ? strrchr(name, '.') : NULL;

	return dot ? dot + 1 : name; /* the last part, as class names of Python show */
}

static void
put_names(vt_buf *b, const vt_exc *e)
{
	const vt_list *names = vt_is_sequence(e->names) ? vt_as_list(e->names) : NULL;

	for (uint32_t i = 0; names && i < names->n; i++) {
		vt_buf_puts(b, i ? ", " : "");
		vt_buf_puts(b, vt_as_str(names->v[i])->s);
	}
}

void
vt_exc_str(vt_rt *rt, vt_buf *b, vt_exc *e)
{
	(void)rt;
	if (e->type == VT_E_MURANO_PL) {
		vt_buf_putc(b, '[');
		put_names(b, e);
		vt_buf_puts(b, "]: ");
	}
	if (vt_is(e->message, STR))
		vt_buf_put(b, vt_as_str(e->message)->s, vt_as_str(e->message)->bytes);
}

vt_value
vt_exc_frames(vt_rt *rt, vt_exc *e)
{
	vt_list *l = vt_list_new(rt, VT_K_TUPLE, e->nframes);

	for (uint32_t i = 0; i < e->nframes; i++) {
		const vt_frame f = vt_exc_frame(e, i);
		vt_dict *d = vt_dict_new(rt, true);
		vt_dict_set_c(rt, d, "file", vt_str_c(rt, f.file));
		vt_dict_set_c(rt, d, "line", vt_mkint(f.line));
		vt_dict_set_c(rt, d, "col", vt_mkint(f.col));
		vt_dict_set_c(rt, d, "method", vt_str_c(rt, f.method));
		vt_dict_set_c(rt, d, "type", vt_str_c(rt, f.type));
		vt_dict_set_c(rt, d, "instruction", vt_str_c(rt, f.instruction));
		l->v[i] = vt_mkptr(d);
	}
	return vt_mkptr(l);
}

/* One name stands alone; several are shown as Python shows a list. */
static void
put_title(vt_rt *rt, vt_buf *b, const vt_exc *e)
{
	const vt_list *names = vt_is_sequence(e->names) ? vt_as_list(e->names) : NULL;

	if (names == NULL || (e->type != VT_E_MURANO_PL && e->type != VT_E_HOST)) {
		vt_buf_puts(b, types[e->type].fqn);
	} else if (names->n == 1) {
		put_names(b, e);
	} else if (names->n > 1) {
		vt_buf_putc(b, '[');
		for (uint32_t i = 0; i < names->n; i++) {
			vt_buf_puts(b, i ? ", " : "");
			vt_repr(rt, b, names->v[i]);
		}
		vt_buf_putc(b, ']');
	}
}

/* The traceback, muranopl-engine.md 13.  A cause is indented by one blank more than what it caused;
 * causes form a chain that a program may make long, hence no recursion. */
__attribute__((cold)) void
vt_exc_format(vt_rt *rt, vt_buf *b, vt_exc *e)
{
	size_t start = b->n;

	for (int indent = 0;; indent++) {
		put_title(rt, b, e);
		vt_buf_puts(b, ": ");
		if (vt_is(e->message, STR))
			vt_buf_put(b, vt_as_str(e->message)->s, vt_as_str(e->message)->bytes);
		vt_buf_printf(b, "\n%*sTraceback (most recent call last):", indent, "");
		for (uint32_t i = 0; i < e->nframes; i++) {
			const vt_frame f = vt_exc_frame(e, i);
			vt_buf_printf(b,
				"\n%*s  File \"%s\", line %u:%u in method %s of type %s\n%*s      "
				"%s",
				indent, "", f.file, f.line, f.col, f.method, f.type, indent, "",
				f.instruction);
		}
		if (!vt_is(e->cause, EXC) || indent >= MAX_FRAMES)
			break;
		vt_buf_printf(b, "\n\n%*s Caused by ", indent, "");
		e = VT_AS(vt_exc, e->cause);
	}
	vt_redact(b, start);
}

vt_status
vt_enter(vt_rt *rt, vt_act *a, const vt_method_decl *m, vt_value self)
{
	if (unlikely(rt->depth >= rt->max_depth))
		return vt_raise_depth(rt);
	rt->depth++;
	a->up = rt->act;
	a->at = NULL;
	a->hold.method = m;
	a->hold.self = self;
	rt->act = a;
	return VT_OK;
}

vt_status
vt_raise_depth(vt_rt *rt)
{
	return vt_raise(rt, VT_E_RECURSION, "maximum recursion depth exceeded");
}

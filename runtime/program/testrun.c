/*
 * testrun.c - finds and runs the tests of a package: one session a test.
 *
 * A test is a method of a class that extends io.murano.test.TestFixture, is declared in that very
 * class, and has a name that starts with "test" but not with a longer word: test, testIt, test_it,
 * test1.  The fixture is made as from an empty model; then setUp, the test and tearDown run.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/program/program.h"
#include "runtime/text/text.h"

#include <string.h>

static const char FIXTURE[] = "io.murano.test.TestFixture";

static bool
is_test(const char *name)
{
	return strncmp(name, "test", 4) == 0 && !(name[4] >= 'a' && name[4] <= 'z');
}

static bool
is_fixture(const vt_class *c)
{
	for (uint32_t i = 1; i < c->nlinear; i++)
		if (strcmp(c->linear[i]->decl->name->s, FIXTURE) == 0)
			return true;
	return false;
}

static void
list_class(vt_buf *b, const vt_package_decl *p, const vt_class_decl *d)
{
	for (uint32_t i = 0; i < d->nmethods; i++)
		if (is_test(d->methods[i]->name->s))
			vt_buf_printf(
				b, "%s\t%s\t%s\n", p->name->s, d->name->s, d->methods[i]->name->s);
}

bool
vt_test_list(vt_rt *rt, vt_buf *b)
{
	const vt_program *program = rt->program;
	for (uint32_t i = 0; i < program->npackages; i++)
		for (uint32_t k = 0; k < program->packages[i]->nclasses; k++) {
			const vt_class_decl *d = program->packages[i]->classes[k];
			bool ok = true;
			vt_class *c =
				d->listed && d->nparents > 0 ? vt_class_link(rt, d, &ok) : NULL;
			if (c == NULL && vt_pending(rt) != NULL)
				return false;
			if (c != NULL && is_fixture(c))
				list_class(b, program->packages[i], d);
		}
	return true;
}

/* ---- one test ------------------------------------------------------------------------------- */

static vt_status
make_fixture(vt_rt *rt, vt_class *c, vt_value *out)
{
	vt_value empty = vt_mkptr(vt_dict_new(rt, true));
	vt_status st = vt_store_load(rt, empty, NULL, c, false, c->decl->unit, out);
	vt_release(empty);
	return st;
}

/* What the last call left running is gone with it. */
static void
settle(vt_rt *rt)
{
	rt->act = NULL;
	rt->depth = 0;
	vt_clear(&rt->s->stashed);
}

static vt_status
call(vt_rt *rt, vt_value fixture, const char *method)
{
	vt_value name = vt_str_c(rt, method), out = VT_UNDEF;
	bool ambiguous = false, was;
	const vt_method_decl *m =
		vt_class_method(rt, vt_cls_of(fixture), vt_as_str(name), &ambiguous);
	vt_status st = VT_ERROR;
	if (m != NULL) {
		was = vt_writes_allowed(rt, 0);
		st = vt_invoke(rt, NULL, m, fixture, 0, NULL, VT_NULL, &out);
		vt_writes_allowed(rt, was);
	} else if (!ambiguous) {
		(void)vt_raise(rt, VT_E_NO_METHOD_NAME, "Method \"%s\" is not found", method);
	}
	vt_release(out);
	vt_release(name);
	settle(rt);
	return st;
}

/* ---- reporting why it failed
 * ------------------------------------------------------------------ */

static void
put_indented(vt_buf *b, const char *text, size_t n)
{
	while (n > 0) {
		const char *end = memchr(text, '\n', n);
		size_t k = end ? (size_t)(end - text) : n;
		vt_buf_puts(b, "  "); /* in front of nothing, too: not every reader of TAP takes an
					 empty line */
		vt_buf_put(b, text, k);
		vt_buf_putc(b, '\n');
		k += end != NULL;
		text += k;
		n -= k;
	}
}

static void
put_text(vt_buf *b, const char *key, const vt_str *s)
{
	vt_buf_puts(b, key);
	vt_json_str(b, s->s, s->bytes);
	vt_buf_putc(b, '\n');
}

static void
put_values(vt_rt *rt, vt_buf *b, const vt_exc *e)
{
	vt_value m = rt->s->mismatch;
	if (m == VT_UNDEF || !vt_str_eq(vt_as_str(e->message), vt_as_str(vt_as_list(m)->v[0])))
		return;
	vt_buf_puts(b, "expected: ");
	vt_encode_result(rt, b, vt_as_list(m)->v[1]);
	vt_buf_puts(b, "\ngot: ");
	vt_encode_result(rt, b, vt_as_list(m)->v[2]);
	vt_buf_putc(b, '\n');
}

static void
put_stack(vt_rt *rt, vt_buf *b, vt_exc *e)
{
	vt_buf text = {0};
	if (e->nframes == 0)
		return;
	vt_exc_format(rt, &text, e);
	vt_buf_puts(b, "stack: |\n");
	put_indented(b, text.p, text.n);
	vt_buf_free(&text);
}

static bool
is_assertion(const vt_exc *e)
{
	return e->type == VT_E_MISMATCH || e->type == VT_E_ASSERTION;
}

/* The pending exception as YAML; it is over then. */
static void
put_failure(vt_rt *rt, vt_buf *b, const char *phase)
{
	vt_exc *e = vt_pending(rt);
	put_text(b, "message: ", vt_as_str(e->message));
	vt_buf_printf(
		b, "severity: %s\nphase: %s\ntype: ", is_assertion(e) ? "fail" : "error", phase);
	vt_json_str(b, vt_exc_shown_type(e), strlen(vt_exc_shown_type(e)));
	vt_buf_putc(b, '\n');
	put_values(rt, b, e);
	put_stack(rt, b, e);
	vt_exc_clear(rt);
}

/* tearDown failed after the test did: the test's own failure comes first. */
static void
put_second(vt_rt *rt, vt_buf *b)
{
	vt_exc *e = vt_pending(rt);
	vt_value text;
	vt_buf t = {0};
	vt_buf_printf(&t, "%s: %s", vt_exc_shown_type(e), vt_as_str(e->message)->s);
	text = vt_str_take(rt, &t);
	put_text(b, "tearDown: ", vt_as_str(text));
	vt_release(text);
	vt_exc_clear(rt);
}

static bool
report(vt_rt *rt, vt_buf *b, const char *phase)
{
	vt_buf_puts(b, is_assertion(vt_pending(rt)) ? "fail\n" : "error\n");
	put_failure(rt, b, phase);
	return false;
}

bool
vt_test_run(vt_rt *rt, const char *cls, const char *method, vt_buf *b)
{
	vt_class *c = vt_class_named(rt, cls);
	vt_value fixture = VT_UNDEF;
	bool passed;
	if (c == NULL || make_fixture(rt, c, &fixture) != VT_OK)
		return report(rt, b, "fixture");
	settle(rt);
	rt->s->root = fixture;
	vt_mocks_offer(rt);
	if (call(rt, fixture, "setUp") != VT_OK)
		return report(rt, b, "setUp");
	passed = call(rt, fixture, method) == VT_OK;
	if (!passed)
		report(rt, b, "test");
	if (call(rt, fixture, "tearDown") != VT_OK) {
		if (passed)
			return report(rt, b, "tearDown");
		put_second(rt, b);
	}
	if (passed)
		vt_buf_puts(b, "ok\n");
	return passed;
}

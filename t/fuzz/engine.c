/*
 * Fuzz target: messages of `vetro engine`.  A '~' in front stands for bytes as they come from the
 * queue; all else is the JSON text inside of the envelope.  What is read as a task of the probe's
 * classes (t/engine/probe, through libtcc) is run, as a worker does: there is a result or a failure
 * and it is JSON, whatever the task says.  driver.c says how it is run, in the directory of the
 * sources.
 */
#define _GNU_SOURCE
#include "compiler/build/build.h"
#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/engine/work.h"
#include "compiler/lower/lower.h"
#include "compiler/murano/package.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
must(bool good)
{
	if (!good)
		abort();
}

/* As host.c makes it; kept. */
static const vt_program *
program(void)
{
	static const vt_program *made;
	static vc *c;
	static vc_tcc *code;
	static vc_cfile *emitted;
	static const vc_build_opts opts = {.opt = 0};
	const vt_program *(*get)(void) = NULL;
	uint32_t n;
	ir_module *m;
	if (made != NULL)
		return made;
	c = vc_new();
	c->whole_core = true;
	must(vc_package_load(c, "t/fuzz/engine", true) != NULL);
	vc_packages_resolve(c);
	mpl_check(c);
	must(!vc_errors(c) && (m = vc_lower(c)) != NULL);
	c->passes_off |= 1u << VC_PASS_SUBSET;
	emitted = vc_emit(c, m, NULL, false, &n);
	vc_emit_program_symbol(emitted, n);
	*(void **)&get = vc_jit_symbol(c, emitted, n, &opts, vc_program_symbol, &code);
	must(get != NULL);
	for (uint32_t i = 0; i < n; i++)
		vt_buf_free(&emitted[i].text);
	return made = get();
}

/* Frames of JSON. How many are an end. */
static int
judge(vt_rt *rt, int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)n + 1);
	int ends = 0;
	must(n >= 0 && text != NULL && pread(fd, text, (size_t)n, 0) == n);
	for (char *p = text; p < text + n;) {
		uint32_t size;
		vt_value v = VT_UNDEF;
		char *err = NULL, *json;
		must(text + n - p >= ENG_FRAME_HEAD);
		memcpy(&size, p + 1, sizeof size);
		must(text + n - p >= (ptrdiff_t)size + ENG_FRAME_HEAD);
		json = p + ENG_FRAME_HEAD;
		if (*p == ENG_FRAME_NOTE)
			json += strlen(json) + 1;
		p += ENG_FRAME_HEAD + size;
		must(vt_json_read(rt, json, (size_t)(p - json), VT_JSON_PYTHON, 0, &v, &err));
		ends += text[p - text - (ptrdiff_t)size - ENG_FRAME_HEAD] != ENG_FRAME_NOTE;
		vt_release(v);
	}
	free(text);
	return ends;
}

static void
work_on(const eng_request *r)
{
	static const eng_conf none;
	vt_rt *rt = vt_rt_new(program());
	int out = memfd_create("out", 0), wake = memfd_create("wake", 0);
	vt_buf b = {0};
	must(out >= 0 && wake >= 0);
	vt_buf_printf(&b,
		"{\"method\": \"%s\", \"id\": \"%s\", \"by_name\": {}, \"task\": ", r->name, r->id);
	vt_json_write(rt, &b, r->task, 0);
	vt_buf_putc(&b, '}');
	vt_virtual_time(rt, true);
	rt->s->quota = 1 << 20;
	if (eng_work(rt, &none, b.p, b.n, out, wake) == 0)
		must(judge(rt, out) == 1);
	vt_buf_free(&b);
	vt_rt_free(rt);
	close(out);
	close(wake);
}

static void
take(vt_rt *rt, const char *body, size_t n)
{
	eng_request r;
	char *why = eng_request_read(rt, body, n, &r);
	if (why == NULL && r.method != ENG_UNKNOWN_METHOD)
		work_on(&r);
	free(why);
	eng_request_free(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_buf b = {0};
	(void)program();
	if (n > 0 && data[0] == '~') {
		take(rt, (const char *)data + 1, n - 1);
	} else {
		vt_buf_puts(&b, "{\"oslo.version\": \"2.0\", \"oslo.message\": ");
		vt_json_str(&b, (const char *)data, n);
		vt_buf_putc(&b, '}');
		take(rt, b.p, b.n);
		vt_buf_free(&b);
	}
	vt_rt_free(rt);
	return 0;
}

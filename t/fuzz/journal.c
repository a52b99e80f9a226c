/*
 * Fuzz target: the journal of a run that was killed, as the next run finds it.  A line of the input
 * ('|' stands for its end) is the inside of a record, which gets its number and its checksum here;
 * one that begins with '!' stays as it is.  The run goes on with what it can read, asks for the
 * effects again and adds to the file, which a third run can read as well. driver.c says how it is
 * run.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/text/record_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
must(bool good)
{
	if (!good)
		abort();
}

/* The same three effects as in journal.txt, whose keys are those of a run that does nothing else.
 */
static void
effects(vt_rt *rt)
{
	static const char *const kinds[] = {"heat", "agent", "heat"};

	for (int i = 0; i < 3; i++) {
		vt_value content = vt_str_c(rt, i == 1 ? "plan" : "template");
		vt_done d;
		if (vt_journal_begin(rt, kinds[i], "web", content, &d) == VT_OK) {
			must(vt_is(d.key, STR));
			(void)vt_journal_left(rt, kinds[i], "web");
			if (d.result == VT_UNDEF && vt_journal_note(rt, &d, d.id, d.stamp) == VT_OK)
				vt_journal_end(rt, &d, content);
			vt_journal_drop(&d);
		}
		vt_exc_clear(rt);
		vt_release(content);
	}
}

static bool
run(const char *path)
{
	vt_rt *rt = vt_rt_new(NULL);
	bool opened = vt_journal_open(rt, path, "{\"run\":1}", "fuzz");
	vt_value model = VT_UNDEF, graph = VT_UNDEF;

	if (opened && !vt_journal_model(rt, &model, &graph)) {
		model = vt_str_c(rt, "model");
		must(vt_journal_start(rt, model, NULL, 0));
	}
	if (opened) {
		(void)vt_journal_answer(rt, "i", model);
		effects(rt);
		vt_journal_close(rt, false);
	}
	vt_release(model);
	vt_exc_clear(rt);
	vt_rt_free(rt);
	return opened;
}

static void
write_journal(const char *name, const char *p, size_t n)
{
	vt_record_log log;
	vt_buf raw = {0};
	char *why;
	FILE *f;

	unlink(name);
	must(vt_log_open(&log, name, &why));
	for (const char *end; n > 0; n -= (size_t)(end - p), p = end) {
		end = memchr(p, '|', n);
		end = end ? end + 1 : p + n;
		if (*p == '!')
			vt_buf_put(&raw, p + 1, (size_t)(end - p) - 1);
		else if (raw.n == 0)
			vt_log_add(&log, p, (size_t)(end - p) - (end[-1] == '|'));
	}
	must(vt_log_write(&log) && vt_log_close(&log, false));
	f = fopen(name, "a");
	must(f != NULL);
	for (size_t i = 0; i < raw.n; i++)
		putc(raw.p[i] == '|' ? '\n' : raw.p[i], f);
	must(fclose(f) == 0);
	vt_buf_free(&raw);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char what[] = "\"run\":{\"run\":1}";
	char path[64], name[80];

	snprintf(path, sizeof path, "/tmp/vetro-fuzz-%ld", (long)getpid());
	snprintf(name, sizeof name, "%s.journal", path);
	write_journal(name, (const char *)data, n);
	/* That a journal is another run's is told on stderr, where reports of sanitizers go. */
	if ((n == 0 || (n >= sizeof what - 1 && memcmp(data, what, sizeof what - 1) == 0)) &&
		run(name))
		must(run(name));
	unlink(name);
	return 0;
}

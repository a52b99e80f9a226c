/*
 * Fuzz target: the journal of a run that was killed, as the next run finds it; a '|' of the input
 * stands for the end of a line.  The run goes on with what it can read, asks for the effects again
 * and adds to the file, which a third run can read as well. driver.c says how it is run.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"

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

static vt_status
saved(vt_rt *rt, void *ctx)
{
	return VT_OK;
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
	bool opened = vt_journal_open(rt, path, "{\"run\":1}", "fuzz", saved, NULL);

	if (opened) {
		effects(rt);
		vt_journal_close(rt, false);
	}
	vt_exc_clear(rt);
	vt_rt_free(rt);
	return opened;
}

static void
write_file(const char *name, const uint8_t *data, size_t n)
{
	FILE *f = fopen(name, "w");

	must(f != NULL);
	for (size_t i = 0; i < n; i++)
		putc(data[i] == '|' ? '\n' : data[i], f);
	must(fclose(f) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char what[] = "{\"run\":1}|";
	const uint8_t *end = memchr(data, '|', n);
	char path[64], name[80];

	snprintf(path, sizeof path, "/tmp/vetro-fuzz-%ld", (long)getpid());
	snprintf(name, sizeof name, "%s.journal", path);
	write_file(name, data, n);
	/* That a journal is another run's is told on stderr, where reports of sanitizers go. */
	if ((n == 0 || (end != NULL && n >= sizeof what - 1 &&
			       memcmp(data, what, sizeof what - 1) == 0)) &&
		run(path))
		must(run(path));
	(void)vt_journal_waits(path);
	unlink(name);
	return 0;
}

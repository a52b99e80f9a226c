/*
 * progress.c - a run as people see it: a line an event, and on a terminal below these a display of
 * how much is done, what runs and for how long, and what waits for what.
 *
 * The display is some lines that are erased and drawn anew.  The cursor stands behind the last of
 * them, so that nothing scrolls.  Names come from templates and go through vt_put_shown.
 */
#include "runtime/deploy/progress.h"
#include "runtime/core/number.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_RUNNING = 6, MOST_WAITING = 3, MOST_NAMED = 3, MOST_LOOKS = 2000, WIDTH = 80 };

struct vt_tprogress {
	double began;
	uint32_t total, ended;
	uint32_t lines; /* of the display, as it stands there */
	vt_buf shown;   /* their text */
};

bool
vt_tprogress_counts(const vt_taction *a)
{
	return (a->op || a->activity) && !a->was && !a->off;
}

/* "7 s", "2 min 5 s" */
static void
put_seconds(vt_buf *b, double seconds)
{
	uint64_t s = seconds > 0 ? (uint64_t)seconds : 0;
	if (s >= 60)
		vt_buf_printf(b, "%llu min ", (unsigned long long)(s / 60));
	vt_buf_printf(b, "%llu s", (unsigned long long)(s % 60));
}

static void
put_step(vt_buf *b, const vt_tdeploy *d, const vt_taction *a)
{
	vt_tosca_path(b, d->t, a->node);
	vt_buf_puts(b, ": ");
	vt_tplan_step_name(b, d->plan, a);
}

/* ---- the display ---- */

static unsigned
columns(void)
{
	struct winsize w;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 10 ? w.ws_col : WIDTH;
}

/* As much of a text as the line has room for. */
static void
put_line(vt_buf *b, struct vt_tprogress *l, const vt_buf *text)
{
	unsigned room = columns() - 1, used = 0, length;
	if (l->lines++ > 0)
		vt_buf_puts(b, "\n");
	for (size_t i = 0; i < text->n; i += length) {
		uint32_t ch = vt_next_char(text->p + i, text->n - i, &length);
		size_t before = b->n;
		used += vt_put_shown(b, ch, text->p + i, length);
		if (used > room) {
			b->n = before;
			return;
		}
	}
}

static void
put_erase(vt_buf *b, struct vt_tprogress *l)
{
	for (; l->lines > 0; l->lines--)
		vt_buf_puts(b, l->lines > 1 ? "\r\033[K\033[A" : "\r\033[K");
}

static void
put_counts(vt_buf *b, vt_tdeploy *d)
{
	struct vt_tprogress *l = d->live;
	vt_buf text = {NULL, 0, 0};
	vt_buf_printf(&text, "[%u/%u] %u running, ", l->ended, l->total, d->running);
	put_seconds(&text, vt_clock() - l->began);
	put_line(b, l, &text);
	vt_buf_free(&text);
}

static void
put_running(vt_buf *b, vt_tdeploy *d)
{
	uint32_t shown = 0;
	for (uint32_t i = 0; i < d->plan->n; i++) {
		const vt_taction *a = &d->plan->a[i];
		vt_buf text = {NULL, 0, 0};
		if (a->status != VT_TW_RUNNING || shown == MOST_RUNNING)
			continue;
		shown++;
		vt_buf_puts(&text, "  ");
		put_step(&text, d, a);
		vt_buf_puts(&text, "  ");
		put_seconds(&text, vt_clock() - a->began);
		put_line(b, d->live, &text);
		vt_buf_free(&text);
	}
}

/* Names of steps that run, or come first, among those that this one waits for. */
static uint32_t
put_causes(vt_buf *b, const vt_tdeploy *d, uint32_t of)
{
	const vt_tplan *p = d->plan;
	uint32_t stack[MOST_NAMED * 16], top = 0, named = 0, looks = 0;
	stack[top++] = of;
	while (top && named < MOST_NAMED && looks < MOST_LOOKS) {
		const vt_taction *a = &p->a[stack[--top]];
		for (uint32_t k = 0; k < a->nbefore && looks++ < MOST_LOOKS; k++) {
			const vt_taction *before = &p->a[p->edge[a->before + k]];
			if (before->status == VT_TW_DONE || named == MOST_NAMED)
				continue;
			if (vt_tprogress_counts(before)) {
				vt_buf_puts(b, named++ ? ", " : " waits for ");
				put_step(b, d, before);
			} else if (top < VT_LEN(stack)) {
				stack[top++] = p->edge[a->before + k];
			}
		}
	}
	return named;
}

static void
put_waiting(vt_buf *b, vt_tdeploy *d)
{
	uint32_t shown = 0;
	for (uint32_t i = 0; i < d->plan->n && shown < MOST_WAITING; i++) {
		const vt_taction *a = &d->plan->a[i];
		vt_buf text = {NULL, 0, 0};
		if (a->status != VT_TW_WAITING || a->held || !vt_tprogress_counts(a))
			continue;
		vt_buf_puts(&text, "  ");
		put_step(&text, d, a);
		if (put_causes(&text, d, i)) {
			put_line(b, d->live, &text);
			shown++;
		}
		vt_buf_free(&text);
	}
}

static void
put_display(vt_buf *b, vt_tdeploy *d)
{
	put_counts(b, d);
	put_running(b, d);
	put_waiting(b, d);
}

static void
send(vt_buf *b)
{
	fflush(stderr);
	if (b->n)
		(void)vt_write_all(STDERR_FILENO, b->p, b->n);
	vt_buf_free(b);
}

void
vt_tprogress_draw(vt_tdeploy *d)
{
	struct vt_tprogress *l = d->live;
	uint32_t lines = l ? l->lines : 0;
	vt_buf b = {NULL, 0, 0}, text = {NULL, 0, 0};
	if (!l)
		return;
	l->lines = 0;
	put_display(&text, d);
	if (lines == 0 || text.n != l->shown.n || memcmp(text.p, l->shown.p, text.n) != 0) {
		uint32_t drawn = l->lines;
		l->lines = lines;
		put_erase(&b, l);
		vt_buf_put(&b, text.p, text.n);
		l->lines = drawn;
	}
	vt_buf_free(&l->shown);
	l->shown = text;
	send(&b);
}

/* ---- events ---- */

/* " [ 3/12] shop: Standard.create  2 s"; what began is in the display. */
static void
put_event(vt_buf *b, const vt_tdeploy *d, const vt_taction *a, const char *what)
{
	const struct vt_tprogress *l = d->live;
	vt_buf text = {NULL, 0, 0};
	vt_buf_printf(&text, "[%u/%u] ", l->ended, l->total);
	put_step(&text, d, a);
	vt_buf_printf(&text, " %s, ", what);
	put_seconds(&text, vt_clock() - a->began);
	vt_put_printable(b, text.p, text.n);
	vt_buf_free(&text);
}

static void
say(const vt_tdeploy *d, const vt_taction *a, const char *what, const char *more)
{
	vt_buf b = {NULL, 0, 0};
	put_step(&b, d, a);
	vt_say("%s: %.*s %s%s%s\n", d->self, (int)b.n, b.p, what, more ? ": " : "",
		more ? more : "");
	vt_buf_free(&b);
}

void
vt_tprogress_event(vt_tdeploy *d, const vt_taction *a, const char *what, const char *more)
{
	struct vt_tprogress *l = d->live;
	bool ended = a->status == VT_TW_DONE;
	vt_buf b = {NULL, 0, 0};
	if (!l) {
		if (more ? !d->hushed : d->progress)
			say(d, a, what, more);
		return;
	}
	l->ended += ended;
	put_erase(&b, l);
	if (ended) {
		put_event(&b, d, a, what);
		vt_buf_puts(&b, "\n");
	}
	send(&b);
	if (more && !d->hushed)
		say(d, a, what, more);
	vt_tprogress_draw(d);
}

/* ---- a plan ---- */

static bool
is_live(const vt_tdeploy *d)
{
	const char *term = getenv("TERM");
	return d->wants_live && isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

void
vt_tprogress_begin(vt_tdeploy *d)
{
	d->live = NULL;
	if (!is_live(d))
		return;
	d->live = vt_xzalloc(sizeof *d->live);
	d->live->began = vt_clock();
	for (uint32_t i = 0; i < d->plan->n; i++)
		d->live->total += vt_tprogress_counts(&d->plan->a[i]);
}

void
vt_tprogress_end(vt_tdeploy *d)
{
	vt_buf b = {NULL, 0, 0};
	if (!d->live)
		return;
	put_erase(&b, d->live);
	send(&b);
	vt_buf_free(&d->live->shown);
	free(d->live);
	d->live = NULL;
}

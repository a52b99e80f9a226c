/*
 * steps.c - what happens at the steps of a program that was built with them: --trace shows
 * statements and values on standard error, and --counts-fd counts them for `vetro test --coverage`.
 *
 * Counts lie in a file that the processes of all tests share, so that they outlive each, however it
 * ends.
 */
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/program/deploy.h"
#include "runtime/task/task.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- counts ---- */

static size_t
number_of_steps(const vt_program *p)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->nclasses; i++)
		n += p->classes[i]->nsteps;
	return n;
}

static void *
mapped(size_t bytes, int flags, int fd)
{
	void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, flags, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The file has to have room for all of them: who made it asked this program how many there are. */
static bool
open_counts(vt_deploy *c, int fd)
{
	vt_steps *s = &c->steps;
	const vt_program *p = c->program;
	size_t at = 0;
	struct stat st;

	s->n = number_of_steps(p);
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size < s->n * sizeof *s->counts)
		errno = ERANGE;
	else if ((s->first = mapped(
			  p->nclasses * sizeof *s->first, MAP_PRIVATE | MAP_ANONYMOUS, -1)) != NULL)
		s->counts = mapped(s->n * sizeof *s->counts, MAP_SHARED, fd);
	if (s->counts == NULL) {
		vt_say("%s: --counts-fd %d: %s\n", c->self, fd, strerror(errno));
		return false;
	}
	for (uint32_t i = 0; i < p->nclasses; i++) {
		s->first[i] = (uint32_t)at;
		at += p->classes[i]->nsteps;
	}
	return true;
}

static bool
begin(vt_deploy *c, vt_rt *rt)
{
	vt_steps *s = &c->steps;

	if (s->program == NULL) {
		s->trace = c->o->trace;
		if (c->o->counts_fd && !open_counts(c, (int)c->o->counts_fd))
			return false;
		s->program = c->program;
	}
	rt->s->steps = s->trace || s->counts ? s : NULL;
	return true;
}

static void
list(const vt_program *p, vt_buf *b)
{
	for (uint32_t i = 0; i < p->nclasses; i++) {
		const vt_class_decl *k = p->classes[i];
		for (uint32_t n = 0; n < k->nsteps; n++) {
			const vt_step *at = &k->steps[n];
			vt_buf_printf(b, "%s\t%s\t%s\t%u\t%u\t%u\t", k->unit->pkg->name->s,
				k->unit->pkg->version, k->name->s, at->kind, at->line, at->col);
			vt_put_printable(b, at->text, strlen(at->text));
			vt_buf_putc(b, '\n');
		}
	}
}

const struct vt_stepping vt_stepping = {begin, list};

/* ---- trace ---- */

/* "trace: Classes/App.yaml:12: ", with the number of a task that is not the first. */
static void
begin_line(vt_rt *rt, vt_buf *b, const vt_unit *u, const vt_step *at)
{
	uint64_t task = vt_task_id(rt);

	vt_buf_puts(b, "trace");
	if (task != 0)
		vt_buf_printf(b, "[%llu]", (unsigned long long)task);
	vt_buf_printf(b, ": %s:%u: ", u->file, at->line);
}

/* In one piece, so that lines of several processes do not mix. */
static void
end_line(vt_buf *b)
{
	vt_buf line = {0};

	vt_redact(b, 0);
	vt_put_printable(&line, b->p, b->n);
	vt_buf_putc(&line, '\n');
	(void)vt_write_all(STDERR_FILENO, line.p, line.n);
	vt_buf_free(&line);
	vt_buf_free(b);
}

static void
show_step(vt_rt *rt, const vt_unit *u, const vt_step *at)
{
	vt_buf b = {0};

	begin_line(rt, &b, u, at);
	if (at->kind == VT_STEP_METHOD)
		vt_buf_printf(&b, "%s::%s", u->cls->name->s, at->text);
	else
		vt_buf_puts(&b, at->text);
	end_line(&b);
}

void
vt_stepped(vt_rt *rt, const vt_unit *u, uint32_t n)
{
	const vt_steps *s = rt->s->steps;

	if (s == NULL || n >= u->cls->nsteps)
		return;
	if (s->counts != NULL)
		__atomic_add_fetch(&s->counts[s->first[*u->cls->number] + n], 1, __ATOMIC_RELAXED);
	if (s->trace && u->cls->steps[n].kind != VT_STEP_BRANCH)
		show_step(rt, u, &u->cls->steps[n]);
}

void
vt_shown(vt_rt *rt, const vt_unit *u, uint32_t n, const char *name, vt_value v)
{
	const vt_steps *s = rt->s->steps;
	vt_buf b = {0}, json = {0};

	/* a statement that comes to nothing is not worth a line */
	if (s == NULL || !s->trace || n >= u->cls->nsteps || (*name == '\0' && v == VT_NULL))
		return;
	begin_line(rt, &b, u, &u->cls->steps[n]);
	vt_buf_printf(&b, "  %s = ", *name ? name : "value");
	vt_encode_result(rt, &json, v);
	vt_put_cut(&b, json.p, json.n);
	vt_buf_free(&json);
	end_line(&b);
}

/*
 * journal.c - a snapshot in progress: steps are appended to a file, each whole or not at all.
 *
 * The records are those of record_log.h.  Their operations:
 *
 *	start   base: digest of the snapshot that the journal goes on from
 *	begin   vertex, step: something is about to happen to it
 *	fail    vertex, why: that did not work
 *	set     vertex, value, ref where another tag than #ref was needed: what it is now
 *	remove  vertex
 *	commit  digest: of the snapshot that is being written from all of this
 *
 * When the process ends between writing the snapshot and emptying the journal, the commit says
 * that the snapshot has it all.
 */
#include "runtime/mugl/int.h"
#include "runtime/text/record_log.h"
#include "runtime/text/text.h"

#include <errno.h>

struct mugl_journal {
	mugl *g;
	vt_record_log log;
	bool open;
	uint8_t *begun; /* by id: 1 + kind of the step, 0: none */
	uint32_t nbegun;
	mugl_pending *pending;
};

static bool
trouble(mugl_problems *out, enum mugl_code code, const char *what)
{
	mugl_add(out, NULL, code, UINT64_MAX, "%s", what);
	return false;
}

static void
set_begun(mugl_journal *j, mugl_id id, int kind)
{
	if (id >= j->nbegun) {
		uint32_t n = j->g->nv * 2;
		j->begun = vt_xrealloc(j->begun, n);
		memset(j->begun + j->nbegun, 0, n - j->nbegun);
		j->nbegun = n;
	}
	j->begun[id] = (uint8_t)kind;
}

/* ---- replay ---- */

typedef struct replay {
	mugl_journal *j;
	mugl *t; /* the record that is read */
	mugl_node rec;
	char base[65]; /* of the snapshot as it was read */
	bool stale;    /* the snapshot has all of the journal */
	bool other;    /* it was begun for another */
} replay;

static const mugl_node *
text_of(const replay *r, const char *name)
{
	const mugl_node *v = mugl_get(&r->rec, name, strlen(name));

	return v && v->kind == MUGL_STR ? v : NULL;
}

static int
step_number(const mugl_node *v)
{
	for (int k = MUGL_CREATE; v && k <= MUGL_DELETE; k++)
		if (mugl_is(mugl_c(mugl_step_name(k)), v->s, v->n))
			return k;
	return MUGL_UPDATE;
}

static bool
replay_set(replay *r, mugl_id id)
{
	const mugl_node *v = mugl_get(&r->rec, "value", 5), *ref = text_of(r, "ref");
	mugl_node body;

	if (v == NULL || v->kind != MUGL_OBJECT)
		return false;
	body = mugl_copy_node(r->j->g, r->t, v);
	mugl_retag_node(r->j->g, &body, (mugl_text){NULL, 0},
		ref ? (mugl_text){ref->s, ref->n} : mugl_c(MUGL_TAG));
	if (body.kind != MUGL_OBJECT)
		return false;
	*mugl_define(r->j->g, id) = body;
	return true;
}

static bool
replay_vertex(replay *r, const mugl_node *op, const mugl_node *name)
{
	mugl_id id = mugl_intern(r->j->g, name->s, name->n);

	if (mugl_is(mugl_c("begin"), op->s, op->n)) {
		set_begun(r->j, id, 1 + step_number(text_of(r, "step")));
		return true;
	}
	set_begun(r->j, id, 0);
	if (mugl_is(mugl_c("set"), op->s, op->n))
		return replay_set(r, id);
	if (mugl_is(mugl_c("remove"), op->s, op->n))
		mugl_remove(r->j->g, id);
	else
		return mugl_is(mugl_c("fail"), op->s, op->n);
	return true;
}

/* False: it is not understood. */
static bool
replay_record(replay *r, uint64_t seq)
{
	const mugl_node *op = text_of(r, "op"), *v;

	if (op == NULL)
		return false;
	if (mugl_is(mugl_c("start"), op->s, op->n) && seq == 0) {
		v = text_of(r, "base");
		r->other = !v || !mugl_is(mugl_c(r->base), v->s, v->n);
		return v != NULL;
	}
	if (seq == 0)
		return false;
	if (mugl_is(mugl_c("commit"), op->s, op->n)) {
		v = text_of(r, "digest");
		if (r->other && v && mugl_is(mugl_c(r->base), v->s, v->n)) {
			r->stale = true; /* what follows goes on from there */
			r->other = false;
		}
		return v != NULL;
	}
	r->stale = false;
	v = text_of(r, "vertex");
	if (v == NULL || v->n == 0)
		return false;
	return r->other || replay_vertex(r, op, v);
}

static bool
replay_line(void *ctx, uint64_t seq, const char *p, size_t n)
{
	replay *r = ctx;
	mugl_options o = {.max_depth = 1000};
	mugl_problems quiet = {0};
	vt_buf text = {0};
	bool good;

	vt_buf_putc(&text, '{');
	vt_buf_put(&text, p, n);
	vt_buf_putc(&text, '}');
	r->t = mugl_new(&o);
	good = mugl_read_json(r->t, text.p, text.n, &r->rec, &quiet) &&
	       r->rec.kind == MUGL_OBJECT && quiet.errors == 0 && replay_record(r, seq);
	mugl_free(r->t);
	mugl_problems_free(&quiet);
	vt_buf_free(&text);
	return good;
}

/* ---- writing ---- */

/* rest: what follows the operation's name, with its comma. */
static bool
append(mugl_journal *j, const char *op, const vt_buf *rest, mugl_problems *out)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "\"op\":\"%s\"", op);
	vt_buf_put(&b, rest->n ? rest->p : "", rest->n);
	vt_log_add(&j->log, b.p, b.n);
	vt_buf_free(&b);
	if (vt_log_sync(&j->log))
		return true;
	mugl_add(out, NULL, MUGL_IO, UINT64_MAX, "the journal cannot be written: %s",
		strerror(errno));
	return false;
}

static void
put_field(vt_buf *b, const char *name, const char *s, size_t n)
{
	vt_buf_printf(b, ",\"%s\":", name);
	vt_json_str(b, s, n);
}

/* Empties the file and begins again for the graph as it is. */
static bool
restart(mugl_journal *j, mugl_problems *out)
{
	char digest[65];
	vt_buf b = {0};
	bool good;

	if (!vt_log_restart(&j->log))
		return trouble(out, MUGL_IO, "the journal cannot be emptied");
	mugl_digest(j->g, digest);
	put_field(&b, "base", digest, 64);
	good = append(j, "start", &b, out);
	vt_buf_free(&b);
	return good;
}

/* ---- opening ---- */

static bool
take_up(mugl_journal *j, mugl_problems *out)
{
	replay r = {.j = j};
	char *why = NULL;

	mugl_digest(j->g, r.base);
	if (!vt_log_read(&j->log, replay_line, &r, &why)) {
		trouble(out, MUGL_BAD_JOURNAL, why);
		free(why);
		return false;
	}
	if (j->log.seq == 0 || r.stale)
		return restart(j, out);
	return !r.other ||
	       trouble(out, MUGL_BAD_JOURNAL, "the journal belongs to another snapshot");
}

mugl_journal *
mugl_journal_open(const char *path, mugl *g, mugl_problems *out)
{
	mugl_journal *j = vt_xmalloc(sizeof *j);
	char *why = NULL;
	bool good;

	*j = (mugl_journal){.g = g};
	good = j->open = vt_log_open(&j->log, path, &why);
	if (!good)
		mugl_add(out, NULL, MUGL_IO, UINT64_MAX, "the journal cannot be opened: %s", why);
	free(why);
	good = good && take_up(j, out);
	if (good)
		return j;
	mugl_journal_close(j);
	return NULL;
}

bool
mugl_journal_look(const char *path, mugl *g, mugl_problems *out)
{
	mugl_journal *j = vt_xmalloc(sizeof *j);
	replay r = {.j = j};
	char *why = NULL;
	bool good;

	*j = (mugl_journal){.g = g};
	good = j->open = vt_log_look(&j->log, path, &why);
	mugl_digest(g, r.base);
	if (good)
		good = vt_log_read(&j->log, replay_line, &r, &why);
	else
		good = errno == ENOENT;
	if (!good)
		trouble(out, MUGL_BAD_JOURNAL, why);
	free(why);
	mugl_journal_close(j);
	return good;
}

void
mugl_journal_close(mugl_journal *j)
{
	if (j == NULL)
		return;
	if (j->open)
		(void)vt_log_close(&j->log, false);
	free(j->begun);
	free(j->pending);
	free(j);
}

/* ---- steps ---- */

bool
mugl_journal_begin(mugl_journal *j, const char *moniker, size_t n, enum mugl_step_kind kind,
	mugl_problems *out)
{
	vt_buf b = {0};
	bool good;

	put_field(&b, "vertex", moniker, n);
	put_field(&b, "step", mugl_step_name(kind), strlen(mugl_step_name(kind)));
	good = append(j, "begin", &b, out);
	vt_buf_free(&b);
	if (good)
		set_begun(j, mugl_intern(j->g, moniker, n), 1 + (int)kind);
	return good;
}

bool
mugl_journal_fail(
	mugl_journal *j, const char *moniker, size_t n, const char *why, mugl_problems *out)
{
	vt_buf b = {0};
	bool good;

	put_field(&b, "vertex", moniker, n);
	put_field(&b, "why", why, strlen(why));
	good = append(j, "fail", &b, out);
	vt_buf_free(&b);
	if (good)
		set_begun(j, mugl_intern(j->g, moniker, n), 0);
	return good;
}

bool
mugl_journal_step(mugl_journal *j, const char *moniker, size_t n, mugl_problems *out)
{
	mugl_id id = mugl_find(j->g, moniker, n);
	vt_buf b = {0}, tag = {0};
	bool good;

	put_field(&b, "vertex", moniker, n);
	if (id != MUGL_NONE) {
		if (mugl_tag_for(mugl_body(j->g, id), &tag))
			put_field(&b, "ref", tag.p, tag.n);
		vt_buf_puts(&b, ",\"value\":");
		vt_buf_putc(&tag, '\0');
		mugl_write_node(j->g, &b, mugl_body(j->g, id), tag.p);
	}
	good = append(j, id == MUGL_NONE ? "remove" : "set", &b, out);
	vt_buf_free(&b);
	vt_buf_free(&tag);
	if (good)
		set_begun(j, mugl_intern(j->g, moniker, n), 0);
	return good;
}

bool
mugl_journal_save(mugl_journal *j, const char *snapshot, int flags, mugl_problems *out)
{
	vt_buf text = {0}, b = {0};
	char digest[65];
	bool good;

	mugl_digest(j->g, digest);
	put_field(&b, "digest", digest, 64);
	good = mugl_write(j->g, flags, &text, out) && append(j, "commit", &b, out) &&
	       mugl_replace_file(snapshot, text.p, text.n, out) && restart(j, out);
	vt_buf_free(&text);
	vt_buf_free(&b);
	return good;
}

const mugl_pending *
mugl_journal_pending(const mugl_journal *journal, uint32_t *n)
{
	mugl_journal *j = (mugl_journal *)(uintptr_t)journal;

	*n = 0;
	j->pending = vt_xrealloc(j->pending, ((size_t)j->nbegun + 1) * sizeof *j->pending);
	for (mugl_id id = 0; id < j->nbegun; id++)
		if (j->begun[id])
			j->pending[(*n)++] = (mugl_pending){
				mugl_name(j->g, id), (enum mugl_step_kind)(j->begun[id] - 1)};
	return j->pending;
}

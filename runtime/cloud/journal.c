/*
 * journal.c - what a run was given, drew, began and did, for the run that goes on after a kill
 * (cloud.h).
 *
 * The records are those of record_log.h:
 *     {"run": {...}, "model": ..., "graph": TEXT}      the first one: what runs, with what
 *     {"drew": KEY, "value": ...}                 what running it again would not come to
 *     {"begun": KEY, "on": ..., "id": ..., "stamp": ...}    on the disk before the effect
 *     {"done": KEY, "result": ...}, or "failed": [type, message] instead of result
 *     {"asked": DIGEST}                           a request to a session
 *     {"told": STATUS, "text": TEXT}              the answer to the one request of `serve`
 * The run that goes on begins with the same model and meets the same draws and results, so it
 * comes to where the other one was.
 *
 * KEY is a digest of the kind, the target, the content, the branch of Parallel and the stack of
 * MuranoPL calls, and how many such there were before.  An object is named by its id if it belongs
 * to the model, so that ids are the same in the run that goes on.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/cloud/native_class.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"
#include "runtime/text/outfile.h"
#include "runtime/text/record_log.h"
#include "runtime/text/text.h"
#include "runtime/object/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct vt_journal {
	const char *self;
	vt_record_log log;
	char *what;      /* JSON that describes the run */
	vt_value model;  /* of the run that was killed; VT_UNDEF: there is none */
	vt_value graph;  /* its text, where it was a snapshot with marks; or VT_UNDEF */
	bool other;      /* it was another run */
	vt_dict *known;  /* KEY -> {"on", "id", "stamp", "result" or "failed", "value"} */
	vt_dict *ids;    /* id of a plan -> KEY */
	vt_dict *seen;   /* of this run: digest -> how many */
	vt_list *asked;  /* digests of requests, of the run before and of this one */
	uint32_t nasked; /* of this one */
	int status;      /* of the answer that was told; 0: none was */
	vt_value told;   /* its text, or VT_UNDEF */
} vt_journal;

/* ---- keys -------------------------------------------------------------------------------- */

/* Two hashes of 64 bits: one alone could meet by chance. */
typedef struct digest {
	uint64_t a, b;
} digest;

static void
add(digest *d, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		d->a = (d->a ^ (unsigned char)s[i]) * 0x100000001b3u;
		d->b = (d->b + (unsigned char)s[i] + 1) * 0x9e3779b97f4a7c15u;
		d->b ^= d->b >> 29;
	}
	d->a = (d->a ^ 0xff) * 0x100000001b3u;
	d->b = (d->b + 0x1ff) * 0x9e3779b97f4a7c15u;
}

static bool
is_of_model(vt_rt *rt, const vt_object *o)
{
	for (; o != NULL; o = o->owner)
		if (vt_mkptr(o) == rt->s->root)
			return true;
	return false;
}

static void
add_stack(vt_rt *rt, digest *d)
{
	for (const vt_act *a = rt->act; a != NULL; a = a->up) {
		const vt_method_decl *m = a->hold.method;
		vt_value self = a->hold.self;
		uint64_t pos = a->at ? a->at->pos : 0;
		if (m == NULL)
			continue;
		add(d, m->cls->name->s, m->cls->name->bytes);
		add(d, m->name->s, m->name->bytes);
		add(d, (const char *)&pos, sizeof pos);
		if ((vt_is(self, OBJECT) || vt_is(self, CAST)) && is_of_model(rt, vt_obj_of(self)))
			add(d, vt_as_str(vt_obj_of(self)->id)->s,
				vt_as_str(vt_obj_of(self)->id)->bytes);
	}
}

static vt_value
key_of(vt_rt *rt, vt_journal *j, const char *kind, const char *target, vt_value content)
{
	digest d = {0xcbf29ce484222325u, 0x243f6a8885a308d3u};
	uint64_t branch = vt_task_branch(rt);
	vt_buf b = {0};
	vt_value base, n, key;
	int64_t count;
	vt_json_write(rt, &b, content, VT_JSON_SORT);
	add(&d, kind, strlen(kind));
	add(&d, target, strlen(target));
	add(&d, b.p, b.n);
	add(&d, (const char *)&branch, sizeof branch);
	add_stack(rt, &d);
	vt_buf_free(&b);
	base = vt_str_printf(
		rt, "%016llx%016llx", (unsigned long long)d.a, (unsigned long long)d.b);
	n = vt_dict_get(j->seen, base);
	count = (vt_is_int(n) ? vt_toint(n) : 0) + 1;
	(void)vt_dict_set(rt, j->seen, base, vt_mkint(count));
	key = vt_str_printf(rt, "%s-%s-%lld", kind, vt_as_str(base)->s, (long long)count);
	vt_release(base);
	return key;
}

/* ---- records ----------------------------------------------------------------------------- */

static vt_dict *
entry_of(vt_rt *rt, vt_journal *j, vt_value key)
{
	vt_value v = vt_dict_get(j->known, key);
	vt_dict *d;
	if (vt_is(v, DICT))
		return vt_as_dict(v);
	d = vt_dict_new_hashed(rt, false);
	(void)vt_dict_set(rt, j->known, key, vt_mkptr(d));
	vt_release(vt_mkptr(d));
	return d;
}

static void
keep(vt_rt *rt, vt_dict *entry, vt_value record, const char *name)
{
	vt_value v = vt_member(record, name);
	if (vt_dict_get_c(vt_as_dict(record), name) != VT_UNDEF)
		vt_dict_set_c(rt, entry, name, vt_copy(v));
}

static void
know_request(vt_rt *rt, vt_journal *j, vt_value record)
{
	vt_value asked = vt_member(record, "asked"), told = vt_member(record, "told");
	vt_value text = vt_member(record, "text");
	if (vt_is(asked, STR))
		vt_list_push(rt, j->asked, vt_copy(asked));
	if (vt_is_int(told) && vt_toint(told) >= 100 && vt_toint(told) < 600 && vt_is(text, STR)) {
		j->status = (int)vt_toint(told);
		vt_move(&j->told, vt_copy(text));
	}
}

/* Of this run or of the one before: what is known from now on. */
static void
know(vt_rt *rt, vt_journal *j, vt_value record)
{
	static const char *const kinds[] = {"begun", "done", "drew"}, *const names[] = {"on", "id",
									      "stamp", "result",
									      "failed", "value"};
	vt_value key = VT_UNDEF, id;
	vt_dict *entry;
	know_request(rt, j, record);
	for (size_t i = 0; i < VT_LEN(kinds) && !vt_is(key, STR); i++)
		key = vt_dict_get_c(vt_as_dict(record), kinds[i]);
	if (!vt_is(key, STR))
		return;
	entry = entry_of(rt, j, key);
	for (size_t i = 0; i < VT_LEN(names); i++)
		keep(rt, entry, record, names[i]);
	id = vt_dict_get_c(entry, "id");
	if (vt_is(id, STR))
		(void)vt_dict_set(rt, j->ids, id, key);
}

/* record is given away. */
static void
put_record(vt_rt *rt, vt_journal *j, vt_dict *record)
{
	vt_buf b = {0};
	vt_json_write(rt, &b, vt_mkptr(record), 0);
	vt_log_add(&j->log, b.p + 1, b.n - 2);
	know(rt, j, vt_mkptr(record));
	vt_buf_free(&b);
	vt_release(vt_mkptr(record));
}

static vt_status
cannot(vt_rt *rt, const vt_journal *j)
{
	return vt_raise(rt, VT_E_OS, "%s: %s", j->log.path, strerror(errno));
}

static vt_dict *
record_of(vt_rt *rt, const char *kind, vt_value key)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, kind, vt_copy(key));
	return d;
}

static bool
has_ended(const vt_dict *entry)
{
	return vt_dict_get_c(entry, "result") != VT_UNDEF ||
	       vt_dict_get_c(entry, "failed") != VT_UNDEF;
}

/* ---- draws ------------------------------------------------------------------------------- */

/* The key counts again when it is asked for the next time. */
static void
forget_key(vt_rt *rt, vt_journal *j, vt_value key)
{
	const char *text = vt_as_str(key)->s, *from = strchr(text, '-') + 1,
		   *to = strrchr(text, '-');
	vt_value base = vt_str_new(rt, from, (size_t)(to - from));
	(void)vt_dict_set(rt, j->seen, base, vt_mkint(strtoll(to + 1, NULL, 10) - 1));
	vt_release(base);
}

/* It reaches the file with the next effect: before that nobody has seen it. */
static vt_value
drawn(vt_rt *rt, vt_value fresh)
{
	vt_journal *j = rt->s->journal;
	vt_value key = key_of(rt, j, "draw", "", VT_NULL), old = vt_dict_get(j->known, key);
	vt_dict *record;
	if (vt_is(old, DICT) && (old = vt_dict_get_c(vt_as_dict(old), "value")) != VT_UNDEF) {
		vt_move(&fresh, vt_copy(old));
	} else if (fresh == VT_UNDEF) {
		forget_key(rt, j, key);
	} else {
		record = record_of(rt, "drew", key);
		vt_dict_set_c(rt, record, "value", vt_copy(fresh));
		put_record(rt, j, record);
	}
	vt_release(key);
	return fresh;
}

/* ---- effects ----------------------------------------------------------------------------- */

static vt_status
fail_again(vt_rt *rt, vt_value failed)
{
	const char *name = vt_is_sequence(failed) && vt_as_list(failed)->n == 2
				   ? vt_text_or(vt_as_list(failed)->v[0], "")
				   : "";
	enum vt_etype type = VT_E_RUNTIME;
	for (int t = 0; t < VT_E_COUNT; t++)
		if (strcmp(vt_etype_fqn((enum vt_etype)t), name) == 0)
			type = (enum vt_etype)t;
	return vt_raise(rt, type, "%s", *name ? vt_text_or(vt_as_list(failed)->v[1], "") : "");
}

static vt_value
copy_member(const vt_dict *d, const char *name)
{
	vt_value v = vt_dict_get_c(d, name);
	return v == VT_UNDEF ? VT_NULL : vt_copy(v);
}

vt_status
vt_journal_begin(vt_rt *rt, const char *kind, const char *target, vt_value content, vt_done *out)
{
	vt_journal *j = rt->s->journal;
	vt_value old;
	*out = (vt_done){.target = target,
		.key = VT_NULL,
		.id = VT_NULL,
		.stamp = VT_NULL,
		.result = VT_UNDEF};
	if (j == NULL)
		return VT_OK;
	out->key = key_of(rt, j, kind, target, content);
	old = vt_dict_get(j->known, out->key);
	if (!vt_is(old, DICT))
		return VT_OK;
	out->again = true;
	vt_dict_set_c(rt, vt_as_dict(old), "asked", VT_TRUE);
	out->id = copy_member(vt_as_dict(old), "id");
	out->stamp = copy_member(vt_as_dict(old), "stamp");
	out->result = vt_copy(vt_dict_get_c(vt_as_dict(old), "result"));
	old = vt_dict_get_c(vt_as_dict(old), "failed");
	return old == VT_UNDEF ? VT_OK : fail_again(rt, old);
}

/* All tasks that are about to do something wait for one writing to the disk. */
vt_status
vt_journal_note(vt_rt *rt, const vt_done *d, vt_value id, vt_value stamp)
{
	vt_journal *j = rt->s->journal;
	vt_dict *record;
	if (j == NULL)
		return VT_OK;
	if (!d->again) {
		vt_dict_set_c(rt, entry_of(rt, j, d->key), "asked", VT_TRUE);
		record = record_of(rt, "begun", d->key);
		vt_dict_set_c(rt, record, "on", vt_str_c(rt, d->target));
		vt_dict_set_c(rt, record, "id", vt_copy(id));
		vt_dict_set_c(rt, record, "stamp", vt_copy(stamp));
		put_record(rt, j, record);
	}
	VT_TRY(vt_sleep(rt, 0));
	return vt_journal_sync(rt);
}

vt_status
vt_journal_sync(vt_rt *rt)
{
	vt_journal *j = rt->s->journal;
	return j == NULL || vt_log_sync(&j->log) ? VT_OK : cannot(rt, j);
}

/* Written at once: a kill must not find it done and not told.  What follows is on the disk later
 * only together with it. */
static void
end_effect(vt_rt *rt, vt_journal *j, vt_dict *record)
{
	put_record(rt, j, record);
	if (!vt_log_write(&j->log))
		vt_say("%s: %s: %s\n", j->self, j->log.path, strerror(errno));
}

void
vt_journal_end(vt_rt *rt, const vt_done *d, vt_value result)
{
	vt_journal *j = rt->s->journal;
	vt_exc *e = vt_pending(rt);
	vt_value pair[2], list = VT_UNDEF;
	vt_dict *record;
	if (j == NULL || has_ended(entry_of(rt, j, d->key)))
		return;
	/* what fails while a run is unwound may have failed by that: the next run asks again */
	if (e != NULL && rt->s->interrupt != 0)
		return;
	record = record_of(rt, "done", d->key);
	if (e == NULL) {
		vt_dict_set_c(rt, record, "result", vt_copy(result));
	} else {
		pair[0] = vt_str_c(rt, vt_etype_fqn(e->type));
		pair[1] = e->message;
		if (vt_tuple_of(rt, 2, pair, &list) == VT_OK)
			vt_dict_set_c(rt, record, "failed", list);
		vt_release(pair[0]);
	}
	end_effect(rt, j, record);
}

bool
vt_journal_answer(vt_rt *rt, const char *id, vt_value body)
{
	vt_journal *j = rt->s->journal;
	vt_value text, key;
	vt_dict *record;
	if (j == NULL)
		return false;
	text = vt_str_c(rt, id);
	key = vt_dict_get(j->ids, text);
	vt_release(text);
	if (key == VT_UNDEF || has_ended(entry_of(rt, j, key)))
		return false;
	record = record_of(rt, "done", key);
	vt_dict_set_c(rt, record, "result", vt_copy(body));
	end_effect(rt, j, record);
	return true;
}

void
vt_journal_drop(vt_done *d)
{
	vt_clear(&d->key);
	vt_clear(&d->id);
	vt_clear(&d->stamp);
	vt_clear(&d->result);
}

/* One of an earlier run that this one has not come to yet; NULL: none. */
static vt_dict *
find_entry(vt_journal *j, const char *kind, const char *target, bool ended)
{
	vt_value key, v;
	size_t n = strlen(kind);
	for (uint32_t i = 0; j != NULL && vt_dict_at(j->known, &i, &key, &v);)
		if (strncmp(vt_as_str(key)->s, kind, n) == 0 && vt_as_str(key)->s[n] == '-' &&
			has_ended(vt_as_dict(v)) == ended && vt_member(v, "asked") == VT_NULL &&
			strcmp(vt_text_or(vt_member(v, "on"), ""), target) == 0)
			return vt_as_dict(v);
	return NULL;
}

bool
vt_journal_left(vt_rt *rt, const char *kind, const char *target)
{
	vt_dict *entry = find_entry(rt->s->journal, kind, target, false);
	if (entry != NULL)
		vt_dict_set_c(rt, entry, "asked", VT_TRUE);
	return entry != NULL;
}

bool
vt_journal_ahead(vt_rt *rt, const char *kind, const char *target)
{
	return find_entry(rt->s->journal, kind, target, true) != NULL;
}

/* ---- the file ---------------------------------------------------------------------------- */

typedef struct reading {
	vt_rt *rt;
	vt_journal *j;
} reading;

static bool
take_first(vt_journal *j, vt_rt *rt, vt_value record)
{
	vt_value run = vt_member(record, "run"), graph = vt_member(record, "graph");
	vt_value what = VT_UNDEF;
	vt_buf b = {0};
	char *err = NULL;
	if (!vt_is(run, DICT))
		return false;
	j->other =
		!vt_json_read(rt, j->what, strlen(j->what), 0, 0, &what, &err) || !vt_eq(run, what);
	vt_release(what);
	free(err);
	if (j->other) {
		vt_json_write(rt, &b, run, 0);
		vt_buf_putc(&b, '\0');
		free(j->what);
		j->what = b.p;
	}
	j->model = vt_copy(vt_member(record, "model"));
	if (vt_is(graph, STR))
		j->graph = vt_copy(graph);
	return true;
}

static bool
take_record(void *ctx, uint64_t seq, const char *p, size_t n)
{
	reading *r = ctx;
	char *err = NULL;
	vt_buf text = {0};
	vt_value record = VT_UNDEF;
	vt_buf_putc(&text, '{');
	vt_buf_put(&text, p, n); /* it may have any bytes, NUL among them */
	vt_buf_putc(&text, '}');
	bool good = vt_json_read(r->rt, text.p, text.n, 0, 0, &record, &err) && vt_is(record, DICT);
	if (good && seq == 0)
		good = take_first(r->j, r->rt, record);
	else if (good)
		know(r->rt, r->j, record);
	vt_release(record);
	vt_buf_free(&text);
	free(err);
	return good;
}

static void
close_journal(vt_rt *rt, bool remove_it)
{
	vt_journal *j = rt->s->journal;
	if (j == NULL)
		return;
	rt->s->journal = NULL;
	rt->s->drawn = NULL;
	vt_release(vt_mkptr(j->known));
	vt_release(vt_mkptr(j->ids));
	vt_release(vt_mkptr(j->seen));
	vt_release(vt_mkptr(j->asked));
	vt_clear(&j->told);
	vt_clear(&j->model);
	vt_clear(&j->graph);
	free(j->what);
	if (j->log.path != NULL && !vt_log_close(&j->log, remove_it))
		vt_say("%s: the journal cannot be removed: %s\n", j->self, strerror(errno));
	free(j);
}

static bool
read_journal(vt_rt *rt, vt_journal *j, const char *path)
{
	char *why = NULL;
	reading r = {rt, j};
	bool open = vt_log_open(&j->log, path, &why);
	if (!open)
		j->log.path = NULL;
	if (!open || !vt_log_read(&j->log, take_record, &r, &why)) {
		vt_say("%s: %s: %s\n", j->self, path, why);
		free(why);
		return false;
	}
	if (j->other)
		vt_say("%s: %s is what an interrupted run left, and that was another one:\n  "
		       "%s\nEnd that one first: give "
		       "its command again.  To forget it, remove the file.\n",
			j->self, path, j->what);
	return !j->other;
}

bool
vt_journal_open(vt_rt *rt, const char *path, const char *what, const char *self)
{
	vt_journal *j = vt_xmalloc(sizeof *j);
	bool ok;
	*j = (vt_journal){.self = self,
		.what = vt_xstrdup(what),
		.model = VT_UNDEF,
		.graph = VT_UNDEF,
		.known = vt_dict_new_hashed(rt, false),
		.ids = vt_dict_new_hashed(rt, false),
		.seen = vt_dict_new_hashed(rt, false),
		.asked = vt_list_grow(rt, VT_K_LIST, 0),
		.told = VT_UNDEF};
	rt->s->journal = j;
	rt->s->drawn = drawn;
	ok = read_journal(rt, j, path);
	if (!ok)
		close_journal(rt, false);
	return ok;
}

bool
vt_journal_model(vt_rt *rt, vt_value *model, vt_value *graph)
{
	vt_journal *j = rt->s->journal;
	if (j == NULL || j->model == VT_UNDEF)
		return false;
	*model = vt_copy(j->model);
	*graph = j->graph;
	return true;
}

bool
vt_journal_start(vt_rt *rt, vt_value model, const char *graph, size_t n)
{
	vt_journal *j = rt->s->journal;
	vt_buf b = {0};
	bool ok;
	vt_buf_printf(&b, "\"run\":%s,\"model\":", j->what);
	vt_json_write(rt, &b, model, 0);
	if (graph != NULL) {
		vt_buf_puts(&b, ",\"graph\":");
		vt_json_str(&b, graph, n);
	}
	vt_log_add(&j->log, b.p, b.n);
	vt_buf_free(&b);
	ok = vt_log_sync(&j->log);
	if (ok)
		vt_sync_folder(j->log.path);
	else
		vt_say("%s: %s: %s\n", j->self, j->log.path, strerror(errno));
	return ok;
}

void
vt_journal_close(vt_rt *rt, bool remove)
{
	vt_journal *j = rt->s->journal;
	/* one that nothing was written to is none */
	close_journal(rt, remove || (j != NULL && j->log.seq == 0));
}

/* ---- requests ---------------------------------------------------------------------------- */

bool
vt_journal_asked(vt_rt *rt, const char *request, size_t n)
{
	vt_journal *j = rt->s->journal;
	digest d = {0xcbf29ce484222325u, 0x243f6a8885a308d3u};
	vt_value text;
	bool same = true;
	if (j == NULL)
		return true;
	add(&d, request, n);
	text = vt_str_printf(
		rt, "%016llx%016llx", (unsigned long long)d.a, (unsigned long long)d.b);
	if (j->nasked < j->asked->n)
		same = vt_eq(j->asked->v[j->nasked], text);
	else
		put_record(rt, j, record_of(rt, "asked", text));
	j->nasked += same;
	vt_release(text);
	return same;
}

uint32_t
vt_journal_unasked(const vt_rt *rt)
{
	const vt_journal *j = rt->s->journal;
	return j == NULL ? 0 : j->asked->n - j->nasked;
}

bool
vt_journal_tell(vt_rt *rt, int status, const char *text, size_t n)
{
	vt_journal *j = rt->s->journal;
	vt_dict *record;
	if (j == NULL)
		return true;
	record = record_of(rt, "told", vt_mkint(status));
	vt_dict_set_c(rt, record, "text", vt_str_new(rt, text, n));
	put_record(rt, j, record);
	if (vt_log_sync(&j->log))
		return true;
	vt_say("%s: %s: %s\n", j->self, j->log.path, strerror(errno));
	return false;
}

bool
vt_journal_told(const vt_rt *rt, int *status, vt_value *text)
{
	const vt_journal *j = rt->s->journal;
	if (j == NULL || j->status == 0)
		return false;
	*status = j->status;
	*text = vt_copy(j->told);
	return true;
}

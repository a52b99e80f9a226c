/*
 * sim.c - the simulated cloud of --dry-run: see sim.h.
 */
#include "runtime/text/outfile.h"
#include "runtime/core/printable.h"
#include "runtime/sim/sim.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/text/text.h"
#include "runtime/task/task.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STATE_MAX = 1 << 30 };

/* ---- time -------------------------------------------------------------------------------- */

double
sim_now(vt_sim *s)
{
	struct timespec t;
	vt_wall_clock(s->rt, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

vt_value
sim_time_text(vt_sim *s, double at)
{
	time_t t = (time_t)floor(at);
	struct tm tm;
	gmtime_r(&t, &tm);
	return vt_str_printf(s->rt, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* ---- state ------------------------------------------------------------------------------- */

vt_dict *
sim_table(vt_sim *s, vt_dict *in, const char *name)
{
	vt_value v;
	if (in == NULL)
		in = vt_as_dict(s->state);
	v = vt_dict_get_c(in, name);
	if (!vt_is(v, DICT)) {
		v = vt_mkptr(vt_dict_new_hashed(s->rt, false));
		vt_dict_set_c(s->rt, in, name, v);
	}
	return vt_as_dict(v);
}

int64_t
sim_count(vt_sim *s, const char *what)
{
	vt_dict *d = sim_table(s, NULL, "counts");
	vt_value v = vt_dict_get_c(d, what);
	int64_t n = (vt_is_int(v) ? vt_toint(v) : 0) + 1;
	vt_dict_set_c(s->rt, d, what, vt_mkint(n));
	return n;
}

vt_value
sim_new_id(vt_sim *s, const char *name)
{
	vt_dict *ids = sim_table(s, NULL, "ids");
	vt_value id = vt_str_printf(s->rt, "%s-id", name), first = vt_copy(id);
	vt_value last = vt_dict_get(ids, id);
	int64_t n = vt_is_int(last) ? vt_toint(last) : 1;
	while (vt_dict_get(ids, id) != VT_UNDEF)
		vt_move(&id, vt_str_printf(s->rt, "%s-id-%lld", name, (long long)++n));
	(void)vt_dict_set(s->rt, ids, id, VT_TRUE);
	/* the number of the last one with that name */
	(void)vt_dict_set(s->rt, ids, first, vt_mkint(n));
	vt_release(first);
	return id;
}

double
sim_latency(vt_sim *s, const char *what, double otherwise)
{
	vt_value v = vt_member(vt_member(s->scenario, "latency"), what);
	double d = otherwise;
	if (vt_is_number(v) && vt_num_double(s->rt, v, &d) != VT_OK)
		vt_exc_clear(s->rt);
	return d;
}

vt_value
sim_object(vt_rt *rt, const char *name, vt_value owned)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, name, owned);
	return vt_mkptr(d);
}

/* ---- the file ---------------------------------------------------------------------------- */

static vt_status
keep(vt_sim *s)
{
	vt_buf b = {0};
	bool ok;
	if (s->file == NULL)
		return VT_OK;
	vt_dict_set_c(s->rt, vt_as_dict(s->state), "time", vt_float_new(s->rt, sim_now(s)));
	vt_json_write(s->rt, &b, s->state, 0);
	ok = vt_replace_file(s->file, b.p, b.n, VT_FILE_PRIVATE | VT_FILE_HASTY);
	vt_buf_free(&b);
	return ok ? VT_OK
		  : vt_raise(s->rt, VT_E_OS, "%s: the simulated cloud cannot be written: %s",
			    s->file, strerror(errno));
}

static vt_status
bring_back(vt_sim *s)
{
	vt_buf b = {0};
	char *err = NULL;
	vt_value v = VT_UNDEF;
	vt_status st = VT_OK;
	vt_sweep_unfinished(s->file);
	if (!vt_read_file(s->file, STATE_MAX, &b)) {
		if (errno != ENOENT)
			st = vt_raise(s->rt, VT_E_OS, "%s: %s", s->file, strerror(errno));
	} else if (!vt_json_read(s->rt, b.p ? b.p : "", b.n, VT_JSON_MUTABLE, 0, &v, &err) ||
		   !vt_is(v, DICT)) {
		st = vt_raise(s->rt, VT_E_VALUE,
			"%s: no state of a simulated cloud: %s; remove the file to begin anew",
			s->file, err ? err : "an object is expected");
		vt_release(v);
	} else {
		vt_move(&s->state, v);
	}
	free(err);
	vt_buf_free(&b);
	return st;
}

/*
 * Time goes on where the run before has left it, which the clock on the wall may not have reached
 * yet: agents drop plans whose stamps do not grow.
 */
static void
go_on_in_time(vt_sim *s)
{
	static const double stamps = 10000, after = 0.001;
	vt_dict *agents = sim_table(s, NULL, "agents");
	double last = 0, at;
	vt_value key, v;
	if (vt_num_double(s->rt, vt_member(s->state, "time"), &last) != VT_OK)
		vt_exc_clear(s->rt);
	for (uint32_t i = 0; vt_dict_at(agents, &i, &key, &v);) {
		if (vt_num_double(s->rt, vt_member(v, "stamp"), &at) != VT_OK)
			vt_exc_clear(s->rt);
		else if (at / stamps > last)
			last = at / stamps;
	}
	if (last > 0 && sim_now(s) < last + after)
		s->rt->s->began += (int64_t)((last + after - sim_now(s)) * 1e9);
}

/* A run that is to be killed ends as by kill -9: nothing is written any more. */
static void
stop_here(vt_sim *s, bool after)
{
	if (s->stop_at != 0 && s->requests == s->stop_at && s->stop_after == after)
		(void)raise(SIGKILL);
}

void
sim_before(vt_sim *s)
{
	s->requests++;
	stop_here(s, false);
}

vt_status
sim_after(vt_sim *s)
{
	vt_status st = keep(s);
	stop_here(s, true);
	return st;
}

/* ---- paths ------------------------------------------------------------------------------- */

/* In place. */
static char *
unescape(char *s)
{
	char *to = s;
	for (char *p = s; *p != '\0'; p++)
		if (*p == '%' && vt_hex_digit(p[1]) >= 0 && vt_hex_digit(p[2]) >= 0) {
			*to++ = (char)(vt_hex_digit(p[1]) << 4 | vt_hex_digit(p[2]));
			p += 2;
		} else {
			*to++ = *p;
		}
	*to = '\0';
	return s;
}

static vt_value
text_value(vt_rt *rt, const char *s)
{
	vt_buf b = {0};
	vt_buf_puts(&b, s);
	vt_buf_repair(&b);
	return vt_str_take(rt, &b);
}

static void
read_query(vt_rt *rt, char *s, vt_dict *d)
{
	for (char *next; s != NULL; s = next) {
		char *eq;
		vt_value key, v;
		next = strchr(s, '&');
		if (next != NULL)
			*next++ = '\0';
		if ((eq = strchr(s, '=')) == NULL)
			continue;
		*eq = '\0';
		key = text_value(rt, unescape(s));
		v = text_value(rt, unescape(eq + 1));
		(void)vt_dict_set(rt, d, key, v);
		vt_release(key);
		vt_release(v);
	}
}

static void
sim_path_read(vt_rt *rt, const char *path, sim_path *p)
{
	vt_dict *d = vt_dict_new_hashed(rt, false);
	char *query, *s;
	p->text = s = vt_xstrdup(path);
	p->n = 0;
	if ((query = strchr(s, '?')) != NULL)
		*query++ = '\0';
	while (s != NULL && p->n < SIM_PARTS) {
		char *next = strchr(s, '/');
		if (next != NULL)
			*next++ = '\0';
		if (*s != '\0')
			p->part[p->n++] = unescape(s);
		s = next;
	}
	read_query(rt, query, d);
	p->query = vt_mkptr(d);
}

static void
sim_path_free(sim_path *p)
{
	free(p->text);
	vt_release(p->query);
}

/* ---- requests ---------------------------------------------------------------------------- */

vt_status
sim_refuse(vt_sim *s, vt_service_answer *out, int status, const char *type, const char *fmt, ...)
{
	vt_buf b = {0};
	vt_dict *d = vt_dict_new(s->rt, false);
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_repair(&b);
	vt_dict_set_c(s->rt, d, "type", vt_str_c(s->rt, type));
	vt_dict_set_c(s->rt, d, "message", vt_str_take(s->rt, &b));
	out->status = status;
	vt_move(&out->body, sim_object(s->rt, "error", vt_mkptr(d)));
	return VT_OK;
}

bool
sim_is(const sim_request *r, const char *method, uint32_t parts, const char *first)
{
	return strcmp(r->q->method, method) == 0 && r->path.n == parts && parts > 0 &&
	       strcmp(r->path.part[0], first) == 0;
}

vt_status
sim_nothing(sim_request *r)
{
	return sim_refuse(r->sim, r->out, 404, "NotFound", "the simulated cloud has no %s %s",
		r->q->method, r->q->path);
}

static const struct {
	const char *type;
	vt_status (*fn)(sim_request *);
} services[] = {
	{"orchestration", sim_heat},
	{"network", sim_network},
	{"image", sim_image},
	{"workflow", sim_workflow},
	{"workflowv2", sim_workflow},
	{"identity", sim_identity},
};

static vt_status
answer(vt_rt *rt, void *ctx, const vt_service_request *q, vt_service_answer *out)
{
	sim_request r = {.sim = ctx, .q = q, .region = q->region ? q->region : "", .out = out};
	double wait = sim_latency(ctx, "request", 0);
	vt_status st = VT_OK;
	*out = (vt_service_answer){.status = 200, .body = VT_NULL};
	if (wait > 0)
		VT_TRY(vt_sleep(rt, wait));
	sim_path_read(rt, q->path, &r.path);
	for (size_t i = 0;; i++) {
		if (i == VT_LEN(services)) {
			st = sim_nothing(&r);
			break;
		}
		if (strcmp(services[i].type, q->service) == 0) {
			st = services[i].fn(&r);
			break;
		}
	}
	sim_path_free(&r.path);
	if (st != VT_OK)
		vt_service_drop(out);
	return st;
}

/* ---- opening ----------------------------------------------------------------------------- */

static void
drop_sim(vt_sim *s)
{
	vt_release(s->state);
	vt_clear(&s->unsettled);
	vt_release(s->scenario);
	free(s->file);
	free(s);
}

static void
read_stop(vt_sim *s)
{
	vt_value stop = vt_member(s->scenario, "stop"), n = vt_member(stop, "request");
	s->stop_at = vt_is_int(n) && vt_toint(n) > 0 ? (uint64_t)vt_toint(n) : 0;
	s->stop_after = strcmp(vt_text_or(vt_member(stop, "when"), "after"), "after") == 0;
}

vt_status
vt_sim_open(vt_rt *rt, vt_cloud *c)
{
	vt_sim *s = c->sim;
	const char *file;
	vt_status st = VT_OK;
	if (s == NULL) {
		s = vt_xmalloc(sizeof *s);
		*s = (vt_sim){.rt = rt,
			.unsettled = VT_UNDEF,
			.state = vt_mkptr(vt_dict_new_hashed(rt, false)),
			.scenario = vt_copy(rt->s->scenario)};
		c->sim = s;
		c->drop_sim = drop_sim;
		file = vt_text_or(vt_member(s->scenario, "state"), NULL);
		s->file = file != NULL ? vt_xstrdup(file) : NULL;
		read_stop(s);
		if (!vt_is_virtual_time(rt)) /* a test, which may never have come here */
			vt_virtual_time(rt, true);
		if (s->file != NULL)
			st = bring_back(s);
		if (st == VT_OK && s->file != NULL)
			go_on_in_time(s);
	}
	if (st != VT_OK)
		return st;
	c->request = answer;
	c->services = s;
	c->queues = &sim_queues;
	c->queue_ctx = s;
	return VT_OK;
}

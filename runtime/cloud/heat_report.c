/*
 * heat_report.c - what happens in a stack, for people (heat-protocol.md 2 and 4): events while one
 * waits with --progress, and the resources that failed.
 */
#include "runtime/cloud/heat.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

enum { DEEP = 5, EVENTS = 100, PAGES = 20, FAILED = 20 };

/* What is only reported stops nothing but a task that is cancelled. */
static vt_status
ask_about(vt_rt *rt, heat *h, vt_value stack, const char *rest, vt_service_answer *a)
{
	*a = (vt_service_answer){.body = VT_UNDEF};
	if (vt_heat_ask(rt, h, "GET", vt_heat_path(h, stack, rest), VT_UNDEF, a) == VT_OK)
		return VT_OK;
	if (vt_pending(rt)->type == VT_E_CANCELLED)
		return VT_ERROR;
	vt_exc_clear(rt);
	return VT_OK;
}

static vt_value
list_of(const vt_service_answer *a, const char *name)
{
	vt_value v = a->body != VT_UNDEF && a->status < 300 ? vt_member(a->body, name) : VT_NULL;
	return vt_is_sequence(v) ? v : VT_NULL;
}

static const char *
text(vt_value of, const char *name, const char *otherwise)
{
	return vt_text_or(vt_member(of, name), otherwise);
}

/* ---- events ------------------------------------------------------------------------------ */

static void
report_event(vt_rt *rt, heat *h, vt_value e)
{
	const char *name = text(e, "resource_name", "?"), *status = text(e, "resource_status", "?");
	const char *why = text(e, "resource_status_reason", "");
	if (strcmp(name, vt_as_str(h->name)->s) == 0)
		return; /* the stack itself, which is reported in its place */
	if (strcmp(why, "state changed") == 0)
		why = "";
	vt_progress(
		rt, "  %s: %s %s%s%s", vt_as_str(h->name)->s, name, status, *why ? ": " : "", why);
}

/* The events behind `seen`, oldest first; *n of them. */
static vt_status
report_page(vt_rt *rt, heat *h, vt_value stack, uint32_t *n)
{
	vt_buf rest = {0};
	vt_service_answer a;
	vt_value list;
	vt_status st;
	vt_buf_printf(&rest, "/events?nested_depth=%d&sort_dir=asc&limit=%d", DEEP, EVENTS);
	if (h->seen != NULL) {
		vt_buf_puts(&rest, "&marker=");
		vt_path_escape(&rest, h->seen);
	}
	vt_buf_putc(&rest, '\0');
	st = ask_about(rt, h, stack, rest.p, &a);
	vt_buf_free(&rest);
	*n = 0;
	if (st != VT_OK)
		return st;
	list = list_of(&a, "events");
	for (uint32_t i = 0; list != VT_NULL && i < vt_as_list(list)->n; i++) {
		vt_value e = vt_as_list(list)->v[i], id = vt_member(e, "id");
		report_event(rt, h, e);
		if (!vt_is(id, STR) || (h->seen != NULL && strcmp(h->seen, vt_as_str(id)->s) == 0))
			continue;
		free(h->seen);
		h->seen = vt_xstrdup(vt_as_str(id)->s);
		++*n;
	}
	vt_service_drop(&a);
	return VT_OK;
}

vt_status
vt_heat_follow(vt_rt *rt, heat *h, const look *l)
{
	uint32_t n = EVENTS;
	if (!rt->s->progress || rt->s->dry_run || !h->follows)
		return VT_OK;
	for (int page = 0; page < PAGES && n >= EVENTS; page++)
		VT_TRY(report_page(rt, h, l->stack, &n));
	return VT_OK;
}

vt_status
vt_heat_follow_from(vt_rt *rt, heat *h, vt_value stack)
{
	vt_service_answer a;
	vt_value list, id;
	if (!rt->s->progress || rt->s->dry_run)
		return VT_OK;
	h->follows = true;
	free(h->seen);
	h->seen = NULL;
	if (stack == VT_UNDEF)
		return VT_OK;
	VT_TRY(ask_about(rt, h, stack, "/events?nested_depth=5&sort_dir=desc&limit=1", &a));
	list = list_of(&a, "events");
	id = list != VT_NULL && vt_as_list(list)->n > 0 ? vt_member(vt_as_list(list)->v[0], "id")
							: VT_NULL;
	if (vt_is(id, STR))
		h->seen = vt_xstrdup(vt_as_str(id)->s);
	vt_service_drop(&a);
	return VT_OK;
}

/* ---- failures ---------------------------------------------------------------------------- */

static bool
has_failed(vt_value r)
{
	const char *status = text(r, "resource_status", "");
	return strcmp(status, "FAILED") == 0 || strstr(status, "_FAILED") != NULL;
}

static void put_message(vt_buf *, const char *, ...) VT_PRINTF(2, 3);

/* Each %s is what Heat says, and is cut. */
static void
put_message(vt_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vmessage(b, fmt, ap);
	va_end(ap);
}

/* Heat's reason of a stack names the first resource that failed and says why, but not when it gave
 * up for another reason. */
static void
add_reason(const look *l, vt_value r, vt_buf *more)
{
	const char *whole = text(l->stack, "stack_status_reason", ""),
		   *name = text(r, "resource_name", "?");
	const char *why = text(r, "resource_status_reason", "");
	if (strstr(whole, name) != NULL || (*why != '\0' && strstr(whole, why) != NULL))
		return;
	put_message(more, "; %s (%s) %s: %s", name, text(r, "resource_type", "?"),
		text(r, "resource_status", ""), *why ? why : "no reason is given");
}

vt_status
vt_heat_failed(vt_rt *rt, heat *h, const look *l, vt_buf *more)
{
	enum { IN_MESSAGE = 3 };
	vt_service_answer a;
	vt_value list;
	uint32_t reported = 0;
	vt_buf b = {0};
	if (rt->s->dry_run)
		return VT_OK; /* what is simulated says it all in the stack's reason */
	VT_TRY(ask_about(rt, h, l->stack, "/resources?nested_depth=5", &a));
	list = list_of(&a, "resources");
	for (uint32_t i = 0; list != VT_NULL && i < vt_as_list(list)->n && reported < FAILED; i++) {
		vt_value r = vt_as_list(list)->v[i];
		if (!has_failed(r))
			continue;
		put_message(&b, "stack %s: %s (%s) %s: %s", vt_as_str(h->name)->s,
			text(r, "resource_name", "?"), text(r, "resource_type", "?"),
			text(r, "resource_status", ""),
			text(r, "resource_status_reason", "no reason is given"));
		vt_report_event(&b);
		if (reported++ < IN_MESSAGE)
			add_reason(l, r, more);
	}
	vt_service_drop(&a);
	return VT_OK;
}

/* ---- drift ---- */

enum { CHECK_POLLS = 300, MOST_CHANGES = 50 };
static const double check_every = 2; /* seconds */

static void add_why(vt_rt *rt, vt_list *why, const char *fmt, ...) VT_PRINTF(3, 4);
static void
add_why(vt_rt *rt, vt_list *why, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	if (why->n > MOST_CHANGES)
		return;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_redact(&b, 0);
	vt_list_push(rt, why, vt_str_new(rt, b.p ? b.p : "", b.n));
	vt_buf_free(&b);
}

/* Heat looks at what is behind its resources, if it does such a thing.  What it found is their
 * status afterwards. */
static vt_status
check_stack(vt_rt *rt, heat *h, look *l)
{
	vt_dict *body = vt_dict_new(rt, true);
	vt_service_answer a = {.body = VT_UNDEF};
	vt_value wanted = vt_mkptr(body);
	vt_status st;
	vt_dict_set_c(rt, body, "check", VT_NULL);
	st = vt_heat_ask(rt, h, "POST", vt_heat_path(h, l->stack, "/actions"), wanted, &a);
	vt_release(wanted);
	if (st != VT_OK && !vt_interrupt_caught()) {
		vt_exc_clear(rt); /* a Heat without it: its statuses are those of before */
		return VT_OK;
	}
	vt_service_drop(&a);
	for (int polls = 0; st == VT_OK && polls < CHECK_POLLS; polls++) {
		vt_clear(&l->stack);
		st = vt_heat_look(rt, h, l);
		if (st != VT_OK || strstr(l->status, "IN_PROGRESS") == NULL)
			break;
		st = vt_sleep(rt, check_every);
	}
	return st;
}

static bool
ends_with_failed(const char *status)
{
	return vt_ends_with(status, "FAILED");
}

/* Resources that failed or are gone. A Heat that lists none says nothing about them. */
static vt_status
compare_resources(vt_rt *rt, heat *h, const look *l, const vt_dict *kept, vt_list *why)
{
	vt_service_answer a = {.body = VT_UNDEF};
	vt_value list, key, v;
	vt_dict *seen = vt_dict_new(rt, false);
	VT_TRY(vt_heat_ask(rt, h, "GET", vt_heat_path(h, l->stack, "/resources"), VT_UNDEF, &a));
	list = a.status < 300 ? vt_member(a.body, "resources") : VT_NULL;
	for (uint32_t i = 0; vt_is_sequence(list) && i < vt_as_list(list)->n; i++) {
		vt_value r = vt_as_list(list)->v[i], name = vt_member(r, "resource_name");
		const char *status = vt_text_or(vt_member(r, "resource_status"), "");
		if (!vt_is(name, STR))
			continue;
		if (strcmp(status, "DELETE_COMPLETE") == 0)
			continue;
		vt_dict_set(rt, seen, name, VT_TRUE);
		if (ends_with_failed(status))
			add_why(rt, why, "%s: %s: %s", vt_as_str(name)->s, status,
				vt_text_or(vt_member(r, "resource_status_reason"), ""));
	}
	for (uint32_t i = 0; vt_dict_len(seen) && vt_dict_at(kept, &i, &key, &v);)
		if (vt_is(key, STR) && vt_dict_get(seen, key) == VT_UNDEF)
			add_why(rt, why, "%s is not there", vt_as_str(key)->s);
	vt_release(vt_mkptr(seen));
	vt_service_drop(&a);
	return VT_OK;
}

static void
add_difference(vt_rt *rt, vt_list *why, const char *name, vt_value old, vt_value new)
{
	vt_buf a = {0}, b = {0};
	vt_repr_cut(rt, &a, old);
	vt_repr_cut(rt, &b, new);
	add_why(rt, why, "%s: %.*s => %.*s", name, (int)a.n, a.p ? a.p : "", (int)b.n,
		b.p ? b.p : "");
	vt_buf_free(&a);
	vt_buf_free(&b);
}

/* The template that Heat has, against the one that the run left. */
static vt_status
compare_template(vt_rt *rt, heat *h, const look *l, const vt_dict *kept, vt_list *why)
{
	vt_service_answer a = {.body = VT_UNDEF};
	vt_value there, key, v;
	VT_TRY(vt_heat_ask(rt, h, "GET", vt_heat_path(h, l->stack, "/template"), VT_UNDEF, &a));
	there = a.status < 300 ? vt_heat_resources(a.body) : VT_NULL;
	for (uint32_t i = 0; vt_is(there, DICT) && vt_dict_at(kept, &i, &key, &v);) {
		vt_value now = vt_dict_get(vt_as_dict(there), key);
		if (now == VT_UNDEF)
			add_why(rt, why, "%s is not in the template any more",
				vt_text_or(key, "?"));
		else if (!vt_equal(rt, now, v))
			add_difference(rt, why, vt_text_or(key, "?"), v, now);
	}
	for (uint32_t i = 0; vt_is(there, DICT) && vt_dict_at(vt_as_dict(there), &i, &key, &v);)
		if (vt_dict_get(kept, key) == VT_UNDEF)
			add_why(rt, why, "%s was added to the template", vt_text_or(key, "?"));
	vt_service_drop(&a);
	return VT_OK;
}

static vt_status
drift_of(vt_rt *rt, heat *h, const vt_dict *kept, vt_list *why)
{
	look l = {.stack = VT_UNDEF};
	vt_status st;
	VT_TRY(vt_heat_look(rt, h, &l));
	if (!vt_heat_is_gone(&l) && (st = check_stack(rt, h, &l)) != VT_OK) {
		vt_clear(&l.stack);
		return st;
	}
	if (vt_heat_is_gone(&l)) {
		add_why(rt, why, "the stack is gone");
		vt_clear(&l.stack);
		return VT_OK;
	}
	if (ends_with_failed(l.status))
		add_why(rt, why, "%s: %s", l.status,
			vt_text_or(vt_member(l.stack, "stack_status_reason"), ""));
	st = compare_resources(rt, h, &l, kept, why);
	if (st == VT_OK)
		st = compare_template(rt, h, &l, kept, why);
	vt_clear(&l.stack);
	return st;
}

vt_status
vt_heat_drift(vt_rt *rt, vt_value stacks, vt_value *out)
{
	vt_list *found = vt_list_grow(rt, VT_K_TUPLE, 1);
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && i < vt_as_list(stacks)->n; i++) {
		vt_value one = vt_as_list(stacks)->v[i], kept = vt_member(one, "resources");
		heat h = {.name = vt_member(one, "name"), .region = vt_member(one, "region")};
		vt_list *why = vt_list_grow(rt, VT_K_TUPLE, 2);
		vt_dict *d = vt_dict_new(rt, true);
		if (vt_is(h.name, STR) && vt_is(kept, DICT))
			st = drift_of(rt, &h, vt_as_dict(kept), why);
		vt_dict_set_c(
			rt, d, "name", vt_is(h.name, STR) ? vt_copy(h.name) : vt_str_c(rt, "?"));
		vt_dict_set_c(rt, d, "why", vt_mkptr(why));
		vt_list_push(rt, found, vt_mkptr(d));
	}
	if (st == VT_OK)
		*out = vt_mkptr(found);
	else
		vt_release(vt_mkptr(found));
	return st;
}

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

/*
 * list.c - what a field can be chosen from: the definition's choices, or lists of the environment.
 */
#include "runtime/form/int.h"

#include <stdlib.h>

/* ---- entries ---- */

/* Takes the key and the title. */
static void
add(vt_rt *rt, vt_list *l, vt_value key, vt_value title, bool ready)
{
	vt_list *entry = vt_list_new(rt, VT_K_LIST, 3);

	entry->v[0] = key;
	entry->v[1] = title;
	entry->v[2] = vt_mkbool(ready);
	vt_list_push(rt, l, vt_mkptr(entry));
}

static void
add_empty(vt_rt *rt, vt_list *l, const char *title)
{
	add(rt, l, vt_str_c(rt, ""), vt_str_c(rt, title), true);
}

static vt_value
text_of(vt_rt *rt, vt_value dict, const char *key)
{
	return vt_form_text(rt, vt_form_get(dict, key));
}

typedef struct titled {
	vt_value entry;
	uint32_t at;
} titled;

static int
by_title(const void *a, const void *b)
{
	const titled *x = a, *y = b;
	int order = vt_str_cmp(
		vt_as_str(vt_as_list(x->entry)->v[1]), vt_as_str(vt_as_list(y->entry)->v[1]));

	return order != 0 ? order : x->at < y->at ? -1 : 1;
}

/* By title; those of one title stay as they are. */
static void
sort(vt_list *l)
{
	titled *t = vt_xmalloc((l->n + 1) * sizeof *t);

	for (uint32_t i = 0; i < l->n; i++)
		t[i] = (titled){l->v[i], i};
	qsort(t, l->n, sizeof *t, by_title);
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] = t[i].entry;
	free(t);
}

static void
put_first(vt_rt *rt, vt_list *l, vt_value key, const char *title)
{
	vt_list *entry = vt_list_new(rt, VT_K_LIST, 3);

	entry->v[0] = key;
	entry->v[1] = vt_str_c(rt, title);
	entry->v[2] = VT_TRUE;
	vt_list_open(rt, l, 0, 1);
	l->v[0] = vt_mkptr(entry);
}

/* A list of the environment, or VT_NULL when it does not say. */
static vt_value
known(const vt_form *f, const char *name)
{
	vt_value v = vt_form_get(f->ask->environment, name);

	return vt_is_sequence(v) ? v : VT_NULL;
}

#define EACH(item, list) \
	for (uint32_t i_ = 0; \
		i_ < vt_as_list(list)->n && ((item) = vt_as_list(list)->v[i_], true); i_++)

/* ---- flavors, images, names ---- */

static bool
fits_requirements(vt_value flavor, vt_value wanted)
{
	static const struct {
		const char *bound, *of;
		int wrong;
	} rows[] = {{"min_vcpus", "vcpus", -1}, {"min_disk", "disk", -1},
		{"min_memory_mb", "ram", -1}, {"max_vcpus", "vcpus", 1}, {"max_disk", "disk", 1},
		{"max_memory_mb", "ram", 1}};

	for (uint32_t i = 0; i < VT_LEN(rows); i++) {
		vt_value bound = vt_form_get(wanted, rows[i].bound),
			 has = vt_form_get(flavor, rows[i].of);
		if (vt_is_number(bound) && vt_is_number(has) &&
			vt_num_cmp(has, bound) == rows[i].wrong)
			return false;
	}
	return true;
}

static vt_status
flavors(vt_form *f, const vt_field *k, vt_value all, vt_list *l)
{
	vt_value wanted = VT_UNDEF, one;

	VT_TRY(vt_field_attribute(f, k, "requirements", &wanted));
	EACH(one, all)
	if (fits_requirements(one, wanted))
		add(f->rt, l, text_of(f->rt, one, "id"), text_of(f->rt, one, "name"), true);
	vt_release(wanted);
	sort(l);
	return VT_OK;
}

/* The type itself, or what begins with it and a point. */
static bool
is_type(vt_value type, vt_value wanted)
{
	const vt_str *t, *w;

	if (wanted == VT_UNDEF || wanted == VT_NULL)
		return true;
	if (!vt_is(type, STR) || !vt_is(wanted, STR))
		return false;
	t = vt_as_str(type);
	w = vt_as_str(wanted);
	return t->bytes >= w->bytes && memcmp(t->s, w->s, w->bytes) == 0 &&
	       (t->bytes == w->bytes || t->s[w->bytes] == '.');
}

static bool
is_snapshot(vt_value image)
{
	vt_value type = vt_form_get(vt_form_get(image, "properties"), "image_type");

	return vt_is(type, STR) && strcmp(vt_as_str(type)->s, "snapshot") == 0;
}

static void
add_image(vt_rt *rt, vt_list *l, vt_value image, vt_value about)
{
	vt_value status = vt_form_get(image, "status"), title = vt_form_get(about, "title");
	bool ready = !vt_is(status, STR) || strcmp(vt_as_str(status)->s, "active") == 0;
	vt_value text = title == VT_NULL ? text_of(rt, image, "name") : vt_form_text(rt, title);

	if (!ready)
		vt_move(&text,
			vt_str_printf(rt, "%s (%s)", vt_as_str(text)->s, vt_as_str(status)->s));
	add(rt, l, text_of(rt, image, "id"), text, ready);
}

static vt_status
images(vt_form *f, const vt_field *k, vt_value all, vt_list *l)
{
	vt_value wanted = VT_UNDEF, one;

	VT_TRY(vt_field_attribute(f, k, "image_type", &wanted));
	EACH(one, all)
	{
		vt_value about = vt_form_get(one, "murano");
		if (vt_is(about, DICT) && !is_snapshot(one) &&
			is_type(vt_form_get(about, "type"), wanted))
			add_image(f->rt, l, one, about);
	}
	vt_release(wanted);
	sort(l);
	if (l->n != 1)
		put_first(f->rt, l, vt_str_c(f->rt, ""),
			l->n ? "Select Image" : "No images available");
	return VT_OK;
}

static void
names(vt_form *f, vt_value all, const char *hidden, vt_list *l)
{
	vt_value one;

	EACH(one, all)
	{
		vt_value name = vt_form_text(f->rt, one);
		if (hidden == NULL || strncmp(vt_as_str(name)->s, hidden, strlen(hidden)) != 0)
			add(f->rt, l, vt_copy(name), vt_copy(name), true);
		vt_release(name);
	}
	sort(l);
}

static void
zones(vt_form *f, vt_value all, vt_list *l)
{
	vt_value one;

	EACH(one, all)
	if (vt_form_get(one, "available") != VT_FALSE)
		add(f->rt, l, text_of(f->rt, one, "name"), text_of(f->rt, one, "name"), true);
	sort(l);
	if (l->n == 0)
		add_empty(f->rt, l, "No availability zones available");
}

/* ---- networks ---- */

static vt_value
pair(vt_rt *rt, vt_value network, vt_value subnet)
{
	vt_list *l = vt_list_new(rt, VT_K_TUPLE, 2);

	l->v[0] = network;
	l->v[1] = subnet;
	return vt_mkptr(l);
}

/* The environment whose own network it is, or VT_NULL. */
static vt_value
owner_of(vt_form *f, vt_value network)
{
	vt_value all = known(f, "environments"), one, found = VT_NULL;
	vt_value name = text_of(f->rt, network, "name");

	if (all != VT_NULL)
		EACH(one, all)
		{
			vt_value begin = vt_str_printf(
				f->rt, "%s-network", vt_is(one, STR) ? vt_as_str(one)->s : "\1");
			if (found == VT_NULL && strncmp(vt_as_str(name)->s, vt_as_str(begin)->s,
							vt_as_str(begin)->bytes) == 0)
				found = one;
			vt_release(begin);
		}
	vt_release(name);
	return found;
}

static void
add_subnets(vt_form *f, vt_list *l, vt_value network, vt_value subnets, const char *title)
{
	vt_value one, id = text_of(f->rt, network, "id");

	if (vt_is_sequence(subnets))
		EACH(one, subnets)
		{
			vt_value name = text_of(f->rt, one, "name"),
				 cidr = text_of(f->rt, one, "cidr");
			vt_value full = vt_str_printf(
				f->rt, "%s: %s %s", title, vt_as_str(cidr)->s, vt_as_str(name)->s);
			add(f->rt, l, pair(f->rt, vt_copy(id), text_of(f->rt, one, "id")), full,
				true);
			vt_release(name);
			vt_release(cidr);
		}
	add(f->rt, l, pair(f->rt, id, VT_NULL), vt_str_printf(f->rt, "%s: random subnet", title),
		true);
}

static void
add_network(vt_form *f, vt_list *l, vt_value network, vt_value way)
{
	vt_value subnets = vt_form_get(network, "subnets"), owner = VT_NULL, name;

	if (vt_is(way, STR) && vt_is_sequence(subnets) && vt_as_list(subnets)->n == 1)
		owner = owner_of(f, network);
	if (owner != VT_NULL && strcmp(vt_as_str(way)->s, "exclude") == 0)
		return;
	name = owner == VT_NULL ? text_of(f->rt, network, "name")
				: vt_str_printf(f->rt, "Network of '%s'", vt_as_str(owner)->s);
	add_subnets(f, l, network, subnets, vt_as_str(name)->s);
	vt_release(name);
}

/* The pattern is matched at the start of the name. */
static vt_status
passes(vt_form *f, vt_value filter, vt_value network, bool *fits)
{
	vt_value re = VT_UNDEF, pattern, name;
	vt_status st;

	*fits = true;
	if (!vt_is(filter, STR) || vt_as_str(filter)->bytes == 0)
		return VT_OK;
	pattern = vt_str_printf(f->rt, "\\A(?:%s)", vt_as_str(filter)->s);
	name = text_of(f->rt, network, "name");
	st = vt_regex_make(f->rt, pattern, 0, &re);
	if (st == VT_OK)
		st = vt_regex_test(f->rt, VT_AS(vt_regex, re), vt_as_str(name)->s,
			vt_as_str(name)->bytes, (vt_head_of(name)->flags & VT_F_ASCII) != 0, fits);
	vt_release(re);
	vt_release(pattern);
	vt_release(name);
	return st;
}

static vt_status
networks(vt_form *f, const vt_field *k, vt_value all, vt_list *l)
{
	vt_value filter = VT_UNDEF, way = VT_UNDEF, one;
	vt_status st = VT_OK;
	bool automatic = true, fits;

	VT_TRY(vt_field_flag(f, k, "allow_auto", true, &automatic));
	VT_TRY(vt_field_attribute(f, k, "filter", &filter));
	st = vt_field_attribute(f, k, "murano_networks", &way);
	if (automatic)
		add(f->rt, l, pair(f->rt, VT_NULL, VT_NULL), vt_str_c(f->rt, "Auto"), true);
	EACH(one, all)
	if (st == VT_OK && !vt_truth(vt_form_get(one, "external")) &&
		(st = passes(f, filter, one, &fits)) == VT_OK && fits)
		add_network(f, l, one, way);
	vt_release(filter);
	vt_release(way);
	return st;
}

/* ---- volumes, applications ---- */

static vt_status
volumes(vt_form *f, const vt_field *k, vt_list *l)
{
	static const char *const lists[][2] = {
		{"volumes", "include_volumes"}, {"snapshots", "include_snapshots"}};
	vt_value all, one;
	bool included;

	for (int i = 0; i < 2; i++) {
		VT_TRY(vt_field_flag(f, k, lists[i][1], true, &included));
		all = known(f, lists[i][0]);
		if (included && all != VT_NULL)
			EACH(one, all)
		add(f->rt, l, text_of(f->rt, one, "id"), text_of(f->rt, one, "name"), true);
	}
	sort(l);
	put_first(f->rt, l, vt_str_c(f->rt, ""), l->n ? "Select volume" : "No volumes available");
	return VT_OK;
}

static bool
is_of(vt_value application, vt_value cls)
{
	vt_value type = vt_form_get(vt_form_get(application, "?"), "type");
	size_t n;

	if (!vt_is(type, STR) || !vt_is(cls, STR))
		return false;
	n = strcspn(vt_as_str(type)->s, "/");
	return n == vt_as_str(cls)->bytes && memcmp(vt_as_str(type)->s, vt_as_str(cls)->s, n) == 0;
}

static bool
is_of_any(vt_value application, vt_value classes)
{
	vt_value one;

	if (!vt_is_sequence(classes))
		return is_of(application, classes);
	EACH(one, classes)
	if (is_of(application, one))
		return true;
	return false;
}

static void
applications(vt_form *f, const vt_field *k, vt_value all, vt_list *l)
{
	vt_value domain = vt_str_c(f->rt, "io.murano.windows.ActiveDirectory"), one;
	vt_value classes = k->kind == VT_FIELD_DOMAIN ? domain : vt_form_get(k->spec, "type");
	vt_value empty = vt_field_words(f, k, "empty_value_message");

	add_empty(f->rt, l,
		empty != VT_NULL             ? vt_as_str(empty)->s
		: k->kind == VT_FIELD_DOMAIN ? "Not in domain"
					     : "Select Application");
	EACH(one, all)
	if (is_of_any(one, classes)) {
		vt_value head = vt_form_get(one, "?"), name = vt_form_get(head, "name");
		if (name == VT_NULL)
			name = vt_form_get(one, "name");
		if (name == VT_NULL)
			name = vt_form_get(head, "id");
		add(f->rt, l, text_of(f->rt, head, "id"), vt_form_text(f->rt, name), true);
	}
	vt_release(empty);
	vt_release(domain);
}

/* ---- choices ---- */

static bool
is_pair(vt_value v)
{
	return vt_is_sequence(v) && vt_as_list(v)->n == 2;
}

static void
add_choice(vt_rt *rt, vt_list *l, vt_value key, vt_value title)
{
	add(rt, l, vt_form_text(rt, key), vt_form_text(rt, title), true);
}

/* Pairs of key and title, or of a group's name and its pairs. */
static vt_status
add_pairs(vt_form *f, const vt_field *k, vt_list *l, vt_value pairs, bool grouped)
{
	vt_value one;

	EACH(one, pairs)
	{
		vt_value name;
		if (is_pair(one) && !vt_is_sequence(vt_as_list(one)->v[1])) {
			add_choice(f->rt, l, vt_as_list(one)->v[0], vt_as_list(one)->v[1]);
		} else if (is_pair(one) && !grouped) {
			VT_TRY(add_pairs(f, k, l, vt_as_list(one)->v[1], true));
		} else {
			name = vt_form_text(f->rt, k->name);
			vt_form_wrong(f,
				"the choices of the field %s are no pairs of key and title",
				vt_as_str(name)->s);
			vt_release(name);
			return VT_ERROR;
		}
	}
	return VT_OK;
}

static vt_status
choices(vt_form *f, const vt_field *k, vt_list *l)
{
	vt_value all = VT_UNDEF, key, title;
	vt_status st = VT_OK;

	VT_TRY(vt_field_attribute(f, k, "choices", &all));
	if (vt_is(all, DICT))
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(all), &pos, &key, &title);)
			add_choice(f->rt, l, key, title);
	else if (vt_is_sequence(all))
		st = add_pairs(f, k, l, all, false);
	else if (all != VT_UNDEF && all != VT_NULL)
		st = vt_form_wrong(f, "choices are a list of pairs or a mapping");
	vt_release(all);
	return st;
}

/* ---- of all types ---- */

static const char *
list_name(const vt_field *k)
{
	switch (k->kind) {
	case VT_FIELD_FLAVOR: return "flavors";
	case VT_FIELD_KEYPAIR: return "keypairs";
	case VT_FIELD_SECURITY_GROUP: return "securityGroups";
	case VT_FIELD_IMAGE: return "images";
	case VT_FIELD_ZONE: return "availabilityZones";
	case VT_FIELD_NETWORK: return "networks";
	case VT_FIELD_DOMAIN:
	case VT_FIELD_CLASS: return "applications";
	case VT_FIELD_VOLUME:
	case VT_FIELD_CHOICE:
	case VT_FIELD_STRING:
	case VT_FIELD_TEXT:
	case VT_FIELD_INTEGER:
	case VT_FIELD_BOOLEAN:
	case VT_FIELD_FLOATING_IP:
	case VT_FIELD_PASSWORD:
	case VT_FIELD_CLUSTER_IP:
	case VT_FIELD_DATABASES: return NULL;
	}
	return NULL;
}

static vt_status
of_environment(vt_form *f, const vt_field *k, vt_value all, vt_list *l)
{
	if (k->kind == VT_FIELD_FLAVOR)
		return flavors(f, k, all, l);
	if (k->kind == VT_FIELD_IMAGE)
		return images(f, k, all, l);
	if (k->kind == VT_FIELD_NETWORK)
		return networks(f, k, all, l);
	if (k->kind == VT_FIELD_ZONE) {
		zones(f, all, l);
	} else if (k->kind == VT_FIELD_KEYPAIR) {
		names(f, all, NULL, l);
		put_first(f->rt, l, vt_str_c(f->rt, ""), "No keypair");
	} else if (k->kind == VT_FIELD_SECURITY_GROUP) {
		names(f, all, "murano--", l);
		put_first(f->rt, l, vt_str_c(f->rt, ""), "Application default security group");
	} else {
		applications(f, k, all, l);
	}
	return VT_OK;
}

vt_status
vt_field_list(vt_form *f, const vt_field *k, vt_value *out)
{
	const char *name = list_name(k);
	vt_value all = name != NULL ? known(f, name) : VT_NULL;
	vt_list *l;
	vt_status st;

	*out = VT_UNDEF;
	if (k->kind == VT_FIELD_VOLUME && known(f, "volumes") == VT_NULL &&
		known(f, "snapshots") == VT_NULL)
		return VT_OK;
	if (name != NULL && all == VT_NULL)
		return VT_OK;
	l = vt_list_grow(f->rt, VT_K_LIST, 8);
	st = k->kind == VT_FIELD_CHOICE   ? choices(f, k, l)
	     : k->kind == VT_FIELD_VOLUME ? volumes(f, k, l)
					  : of_environment(f, k, all, l);
	return vt_settle(st, vt_mkptr(l), out);
}

/* ---- which of them ---- */

static bool
same_text(vt_rt *rt, vt_value key, vt_value text)
{
	vt_value a, b;
	bool same;

	if (vt_is_sequence(key))
		return vt_is_sequence(text) && vt_json_equal(key, text);
	if (vt_is_sequence(text))
		return false;
	a = vt_form_text(rt, key);
	b = vt_form_text(rt, text);
	same = vt_str_eq(vt_as_str(a), vt_as_str(b));
	vt_release(a);
	vt_release(b);
	return same;
}

int64_t
vt_field_find(vt_rt *rt, vt_value list, vt_value key)
{
	const vt_list *l = vt_as_list(list);

	for (uint32_t i = 0; i < l->n; i++)
		if (same_text(rt, vt_as_list(l->v[i])->v[0], key))
			return i;
	return -1;
}

/* One that the list itself prefers over `initial`, or -1. */
static int64_t
preferred(const vt_field *k, const vt_list *l)
{
	if (k->kind == VT_FIELD_FLAVOR)
		for (uint32_t i = 0; i < l->n; i++)
			if (strstr(vt_as_str(vt_as_list(l->v[i])->v[1])->s, "medium"))
				return i;
	if ((k->kind == VT_FIELD_KEYPAIR || k->kind == VT_FIELD_CLASS ||
		    k->kind == VT_FIELD_DOMAIN) &&
		l->n == 2)
		return 1;
	return -1;
}

/* Without a list, or hidden, it sends what `initial` says. */
static vt_value
unlisted(vt_form *f, const vt_field *k, vt_value initial)
{
	if (k->kind == VT_FIELD_NETWORK && !vt_is_sequence(initial))
		return pair(f->rt, VT_NULL, VT_NULL);
	if (k->kind == VT_FIELD_NETWORK)
		return vt_copy(initial);
	return initial == VT_UNDEF || initial == VT_NULL ? vt_str_c(f->rt, "")
							 : vt_form_text(f->rt, initial);
}

static vt_value
shown_entry(vt_rt *rt, const vt_field *k, vt_value list, vt_value initial)
{
	const vt_list *l = vt_as_list(list);
	int64_t at = preferred(k, l);

	if (at < 0 && initial != VT_UNDEF && initial != VT_NULL)
		at = vt_field_find(rt, list, initial);
	if (at >= 0 && vt_as_list(l->v[at])->v[2] == VT_FALSE)
		at = -1;
	for (uint32_t i = 0; at < 0 && i < l->n; i++)
		if (vt_as_list(l->v[i])->v[2] == VT_TRUE)
			at = i;
	return at < 0 ? VT_NULL : vt_copy(vt_as_list(l->v[at])->v[0]);
}

vt_status
vt_field_shown(vt_form *f, const vt_field *k, vt_value list, vt_value *out)
{
	vt_value initial = VT_UNDEF;
	bool hidden = false;
	int64_t at;

	VT_TRY(vt_field_flag(f, k, "hidden", false, &hidden));
	VT_TRY(vt_field_attribute(f, k, "initial", &initial));
	if (list != VT_UNDEF && !hidden)
		*out = shown_entry(f->rt, k, list, initial);
	else if (list != VT_UNDEF && (at = preferred(k, vt_as_list(list))) >= 0)
		*out = vt_copy(vt_as_list(vt_as_list(list)->v[at])->v[0]);
	else
		*out = unlisted(f, k, initial);
	vt_release(initial);
	return VT_OK;
}

/* keys.c - the key of the document that was likely meant. */
#include "compiler/query/run_int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/text/nearest.h"

#include <stdlib.h>
#include <string.h>

/* A document may be of any size: so many keys, members and levels are looked at. */
enum { MOST_KEYS = 4096, MOST_MEMBERS = 100000, MOST_LEVELS = 64, MOST_BYTES = 200 };

typedef struct search {
	const char *key[MOST_KEYS];
	size_t n;
	uint32_t members;
} search;

static void collect(search *, vt_value, uint32_t level);

static void
collect_members(search *s, const vt_dict *d, uint32_t level)
{
	uint32_t pos = 0;
	vt_value k, v;

	while (s->members < MOST_MEMBERS && vt_dict_at(d, &pos, &k, &v)) {
		if (vt_is(k, STR) && s->n < MOST_KEYS && vt_as_str(k)->bytes <= MOST_BYTES)
			s->key[s->n++] = vt_as_str(k)->s;
		s->members++;
		collect(s, v, level);
	}
}

static void
collect(search *s, vt_value v, uint32_t level)
{
	if (level == MOST_LEVELS)
		return;
	if (vt_is(v, DICT))
		collect_members(s, vt_as_dict(v), level + 1);
	else if (vt_is_sequence(v))
		for (uint32_t i = 0; i < vt_as_list(v)->n && s->members < MOST_MEMBERS; i++) {
			s->members++;
			collect(s, vt_as_list(v)->v[i], level + 1);
		}
}

char *
qr_near_key(const qr *q, const char *key)
{
	search *s;
	const char *near;
	char *copy;

	if (q->data == VT_UNDEF)
		return NULL;
	s = vt_xzalloc(sizeof *s);
	collect(s, q->data, 0);
	near = vt_nearest(key, s->key, s->n);
	copy = near && strcmp(near, key) ? vt_xstrndup(near, strlen(near)) : NULL;
	free(s);
	return copy;
}

const char *
qr_no_keys(const qr *q)
{
	if (q->data == VT_NULL || q->data == VT_UNDEF)
		return "the document is null, as an empty file and -n have it";
	if (vt_is(q->data, STR))
		return "the document is a text, as YAML reads what is no JSON; --input text gives "
		       "its lines one by one";
	return NULL;
}

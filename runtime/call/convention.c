/*
 * convention.c - conventions of names, as yaql has them: what the functions of a host are called,
 * and the library under the names of PythonConvention: order_by() with its key_selector, in place
 * of orderBy() and keySelector.
 *
 * The table of the library is made when a session first looks a name up in it.  It has all rows of
 * the library, so that overloads of one name stay in their order.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

struct vt_snake {
	vt_fnrow *rows; /* sorted by name, then as they are in the library */
	uint32_t n;
};

/* Those whose name is given as it is in yaql's code, for which it has no convention. */
static bool
is_fixed(const vt_fnrow *r)
{
	return strcmp(r->name, "deleteAll") == 0 ||
	       (strcmp(r->name, "replaceBy") == 0 && r->nparams > 0 &&
		       strcmp(r->params[0].name, "string") == 0);
}

static char *
snake(const char *name)
{
	vt_buf b = {NULL, 0, 0};

	for (; *name != '\0'; name++) {
		bool capital = *name >= 'A' && *name <= 'Z';
		if (capital)
			vt_buf_putc(&b, '_');
		vt_buf_putc(&b, (char)(capital ? *name - 'A' + 'a' : *name));
	}
	vt_buf_putc(&b, '\0');
	return b.p;
}

static vt_fnparam *
renamed(const vt_fnrow *r)
{
	vt_fnparam *made = vt_xmalloc((r->nparams + 1) * sizeof *made);

	for (uint32_t i = 0; i < r->nparams; i++) {
		made[i] = r->params[i];
		made[i].name = snake(r->params[i].name);
	}
	return made;
}

/* Rows of one name come in the order of the library, which has them side by side, or nearly so. */
static void
sort(vt_fnrow *rows, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		vt_fnrow r = rows[i];
		uint32_t k = i;
		for (; k > 0 && strcmp(rows[k - 1].name, r.name) > 0; k--)
			rows[k] = rows[k - 1];
		rows[k] = r;
	}
}

static struct vt_snake *
make(void)
{
	struct vt_snake *made = vt_xmalloc(sizeof *made);

	made->n = vt_linked.nrows;
	made->rows = vt_xmalloc((made->n + 1) * sizeof *made->rows);
	for (uint32_t i = 0; i < made->n; i++) {
		const vt_fnrow *r = &vt_linked.rows[i];
		made->rows[i] = *r;
		made->rows[i].name = is_fixed(r) ? vt_xstrdup(r->name) : snake(r->name);
		made->rows[i].params = renamed(r);
	}
	sort(made->rows, made->n);
	return made;
}

void
vt_snake_free(struct vt_snake *made)
{
	for (uint32_t i = 0; made != NULL && i < made->n; i++) {
		const vt_fnrow *r = &made->rows[i];
		for (uint32_t k = 0; k < r->nparams; k++)
			free((char *)(uintptr_t)r->params[k].name);
		free((void *)(uintptr_t)r->params);
		free((char *)(uintptr_t)r->name);
	}
	if (made != NULL)
		free(made->rows);
	free(made);
}

const vt_fnrow *
vt_library_find(vt_rt *rt, const char *name, uint32_t layers, uint32_t *n)
{
	if (!(layers & VT_L_SNAKE))
		return vt_fn_find(name, n);
	if (rt->s->snake == NULL)
		rt->s->snake = make();
	return vt_rows_find(rt->s->snake->rows, rt->s->snake->n, name, n);
}

/* ---- names that a host gives ---- */

/* As CamelCaseConvention of yaql: _x inside of the n bytes is X. */
static void
put_camel(vt_buf *b, const char *p, size_t n)
{
	const char *end = p + n, *at = p, *next;
	char upper[4 * VT_CASE_GROWTH + VT_CASE_ROOM];

	while (at < end) {
		next = at + 1;
		if (at > p && *at == '_' && next < end && vt_is_word(vt_utf8_next(&next))) {
			size_t wide = (size_t)(next - at) - 1;
			vt_buf_put(b, upper,
				(size_t)(vt_change_case(true, at + 1, wide, upper) - upper));
			at = next;
		} else {
			vt_buf_putc(b, *at++);
		}
	}
}

/* How many bytes of the name no convention changes: yaql leaves those up to a second such sign as
 * the first one, which is no letter, and all where there is none. */
static size_t
fixed_bytes(const char *name, size_t n)
{
	const char *p = name, *second;
	size_t wide;
	uint32_t first = n > 0 ? vt_utf8_next(&p) : 'a';

	if (first != '_' && vt_digit_value(first) < 0 && vt_is_word(first))
		return 0;
	wide = (size_t)(p - name);
	second = n > wide ? vt_find(p, n - wide, name, wide) : NULL;
	return second != NULL && second != p ? (size_t)(second - name) + wide : n;
}

char *
vt_shown_name(enum vt_names_as how, const char *name, bool of_function)
{
	size_t n = strlen(name), fixed;
	vt_buf b = {NULL, 0, 0};

	while (how != VT_NAMES_GIVEN && n > 0 && name[n - 1] == '_')
		n--;
	fixed = how != VT_NAMES_CAMEL ? n : of_function ? fixed_bytes(name, n) : 0;
	vt_buf_put(&b, name, fixed);
	put_camel(&b, name + fixed, n - fixed);
	vt_buf_putc(&b, '\0');
	return b.p;
}

void
vt_sig_rename(enum vt_names_as how, vt_sig *sig)
{
	for (uint32_t i = 0; how != VT_NAMES_GIVEN && i < sig->n; i++) {
		char *given = (char *)(uintptr_t)sig->params[i].name;
		sig->params[i].name = vt_shown_name(how, given, false);
		free(given);
	}
}

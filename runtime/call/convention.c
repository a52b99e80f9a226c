/*
 * convention.c - the library under the names that yaql's PythonConvention gives: order_by() with
 * its key_selector, in place of orderBy() and keySelector.
 *
 * The table is made when a session first looks a name up in it, and has all rows of the library,
 * so that overloads of one name stay in their order.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/session.h"

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

/*
 * paths.c - assign(), update(), unset() and pathsOf(): their path is no value but a place.
 *
 * assign($.a.where($.b > 1)[0], 5) becomes #assign($, 5, k, "a", w, $.b > 1, i, 0), which is a
 * call like any other: runtime/lib/paths.c. A method has its receiver in the place of $.
 */
#include "compiler/query/compile.h"
#include "compiler/yaql/yaql.h"

#include <string.h>

typedef struct rewriter {
	vc *c;
	const yq_node *bad; /* what cannot stand in a path; NULL: all is well */
	const char *why;
} rewriter;

typedef struct path {
	const yq_node *root;
	yq_node **step; /* pairs: kind, expression */
	uint32_t n;
} path;

static const struct {
	const char *name, *becomes;
	uint32_t args;
} rows[] = {{"assign", "#assign", 2}, {"update", "#update", 2}, {"unset", "#unset", 1},
	{"pathsOf", "#pathsOf", 1}};

static bool
is_text(const yq_node *n, const char *text)
{
	return n->ntext == strlen(text) && memcmp(n->text, text, n->ntext) == 0;
}

static bool
is_dot(const yq_node *n)
{
	return n->kind == YQ_BINARY && (is_text(n, ".") || is_text(n, "?."));
}

static void
refuse(rewriter *w, const yq_node *n, const char *why)
{
	if (w->bad == NULL) {
		w->bad = n;
		w->why = why;
	}
}

static yq_node *
text_node(rewriter *w, const yq_node *at, const char *text, uint32_t n)
{
	yq_node *made = vc_alloc(w->c, sizeof *made);

	*made = (yq_node){.kind = YQ_STRING, .from = at->from, .to = at->to, .op_at = at->op_at};
	made->text = vc_strndup(w->c, text, n);
	made->ntext = n;
	return made;
}

static yq_node *
number_node(rewriter *w, const yq_node *at, const char *digits)
{
	yq_node *made = text_node(w, at, digits, (uint32_t)strlen(digits));

	made->kind = YQ_NUMBER;
	return made;
}

static void
add_step(rewriter *w, path *p, const char *kind, const yq_node *at, yq_node *v)
{
	yq_node **grown = vc_alloc(w->c, (p->n + 2) * sizeof *grown);

	if (p->n)
		memcpy(grown, p->step, p->n * sizeof *grown);
	grown[p->n] = text_node(w, at, kind, 1);
	grown[p->n + 1] = v;
	p->step = grown;
	p->n += 2;
}

/* Does the expression ask about the item? Then [it] is where(it). */
static bool
names_item(const yq_node *n)
{
	if (n->kind == YQ_VAR && (n->ntext == 0 || is_text(n, "1")))
		return true;
	for (uint32_t i = 0; i < n->n; i++)
		if (names_item(n->kid[i]))
			return true;
	return false;
}

static void take_path(rewriter *, path *, yq_node *);

/* The methods that lead on. */
static void
take_call(rewriter *w, path *p, yq_node *call)
{
	bool one = call->n == 1 && call->kid[0]->kind != YQ_MAPPING;

	if (is_text(call, "where") && one)
		add_step(w, p, "w", call, call->kid[0]);
	else if (is_text(call, "values") && call->n == 0)
		add_step(w, p, "a", call, number_node(w, call, "0"));
	else if (is_text(call, "first") && call->n == 0)
		add_step(w, p, "i", call, number_node(w, call, "0"));
	else if (is_text(call, "select") && one) {
		add_step(w, p, "a", call, number_node(w, call, "0"));
		take_path(w, p, call->kid[0]);
	} else
		refuse(w, call,
			"a path goes on with .key, [position], where(), select(), values() or "
			"first()");
}

static void
take_path(rewriter *w, path *p, yq_node *n)
{
	while (n->kind == YQ_WRAP)
		n = n->kid[0];
	if (n->kind == YQ_VAR) {
		if (p->n && n->ntext)
			refuse(w, n, "inside of select() a path begins with $");
		if (p->root == NULL)
			p->root = n;
	} else if (is_dot(n) && n->kid[1]->kind == YQ_KEYWORD) {
		take_path(w, p, n->kid[0]);
		add_step(w, p, "k", n->kid[1],
			text_node(w, n->kid[1], n->kid[1]->text, n->kid[1]->ntext));
	} else if (is_dot(n) && n->kid[1]->kind == YQ_CALL) {
		take_path(w, p, n->kid[0]);
		take_call(w, p, n->kid[1]);
	} else if (n->kind == YQ_INDEX && n->n == 2) {
		take_path(w, p, n->kid[0]);
		add_step(w, p, names_item(n->kid[1]) ? "w" : "i", n->kid[1], n->kid[1]);
	} else
		refuse(w, n, "a path begins with $ and goes on with .key, [position] or where()");
}

static int
row_of(const yq_node *call)
{
	for (int i = 0; call->kind == YQ_CALL && i < (int)VC_LEN(rows); i++)
		if (is_text(call, rows[i].name))
			return i;
	return -1;
}

/* receiver NULL: a function. The node becomes the other call. */
static void
rewrite_call(rewriter *w, yq_node *n, yq_node *call, int row, yq_node *receiver)
{
	path p = {NULL, NULL, 0};
	uint32_t extra = rows[row].args;
	yq_node **kid, made = *call;

	if (call->n != extra) {
		refuse(w, call,
			extra == 2 ? "a path and a value are wanted" : "one path is wanted");
		return;
	}
	take_path(w, &p, call->kid[0]);
	if (w->bad)
		return;
	if (receiver && p.root->ntext)
		refuse(w, p.root, "the path of a method begins with $, which is its receiver");
	kid = vc_alloc(w->c, (p.n + extra) * sizeof *kid);
	kid[0] = receiver ? receiver : (yq_node *)(uintptr_t)p.root;
	if (extra == 2)
		kid[1] = call->kid[1];
	if (p.n)
		memcpy(kid + extra, p.step, p.n * sizeof *kid);
	made.text = rows[row].becomes;
	made.ntext = (uint32_t)strlen(made.text);
	made.kid = kid;
	made.n = p.n + extra;
	*n = made;
}

/* Recursion is bounded by the parser's limit of depth. */
static void
rewrite(rewriter *w, yq_node *n)
{
	int row;

	for (uint32_t i = 0; i < n->n && w->bad == NULL; i++)
		if (!(n->kind == YQ_BINARY && i == 1 && is_dot(n) && row_of(n->kid[1]) >= 0))
			rewrite(w, n->kid[i]);
	if (w->bad)
		return;
	if (n->kind == YQ_BINARY && is_text(n, ".") && (row = row_of(n->kid[1])) >= 0) {
		yq_node *call = n->kid[1];
		for (uint32_t i = 0; i < call->n; i++)
			rewrite(w, call->kid[i]);
		rewrite_call(w, n, call, row, n->kid[0]);
	} else if ((row = row_of(n)) >= 0)
		rewrite_call(w, n, n, row, NULL);
}

bool
qc_rewrite_paths(vc *c, yq_node *tree, yq_error *err)
{
	rewriter w = {.c = c};

	rewrite(&w, tree);
	if (w.bad)
		*err = (yq_error){.at = w.bad->op_at > w.bad->from ? w.bad->op_at : w.bad->from,
			.message = vc_strndup(c, w.why, strlen(w.why))};
	return w.bad == NULL;
}

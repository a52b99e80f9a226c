/*
 * statement.c - statements and blocks (catalogue B1 to B24).
 *
 * The reference tries one constructor after the other until the keys of a mapping are exactly the
 * parameters of one.  The first keys of all blocks differ, so here the head decides and the other
 * keys are judged against its row below; a While whose condition is no expression is refused as
 * there.
 */
#include "compiler/murano/murano.h"

#include <string.h>
#include <strings.h>

typedef struct sp {
	vc *c;
	const mpl_class *cls;
} sp;

typedef struct block_form {
	const char *head;
	uint8_t kind;     /* enum mpl_stmt_kind */
	uint8_t required; /* how many of keys, from the left */
	const char *keys[3];
	void (*fill)(sp *, mpl_stmt *, const ynode *);
} block_form;

static mpl_stmt *parse_stmt(sp *, ynode *);

/* ---- reports that make a statement an error node ---- */

static void VT_PRINTF(5, 6)
	bad(sp *p, mpl_stmt *s, enum vc_code code, vc_span at, const char *fmt, ...)
{
	va_list ap;
	va_list again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *text = vc_alloc(p->c, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	s->kind = MS_ERROR;
	vc_report(p->c, code, at, "%s", text);
}

/* ---- parts ---- */

static mpl_stmt **
block(sp *p, ynode *body, uint32_t *n)
{
	mpl_stmt **out = NULL;

	*n = 0;
	for (uint32_t i = 0; i < mpl_items(body); i++) {
		mpl_stmt *s = parse_stmt(p, mpl_item(body, i));
		vc_push(p->c, out, *n) = s;
	}
	return out;
}

mpl_stmt **
mpl_block(vc *c, const mpl_class *cls, ynode *body, uint32_t *n)
{
	sp p = {c, cls};

	return block(&p, body, n);
}

/* A block under a key that may be absent; a null one counts as absent, as in the reference. */
static mpl_stmt **
optional(sp *p, const ynode *map, const char *key, uint32_t *n, bool *has)
{
	ynode *v = yn_get(map, key);

	*has = !mpl_is_null(v);
	return block(p, v, n);
}

static void
fill_do(sp *p, mpl_stmt *s, const ynode *map)
{
	s->body = block(p, yn_get(map, "Do"), &s->nbody);
}

static void
fill_return(sp *p, mpl_stmt *s, const ynode *map)
{
	s->a = yn_get(map, "Return");
}

static void
fill_leave(sp *p, mpl_stmt *s, const ynode *map)
{
	const char *head = s->kind == MS_BREAK ? "Break" : "Continue";
	const ynode *v = yn_get(map, head);

	if (mpl_falsy(v))
		return;
	bad(p, s, VC_E0704, v->span, "%s takes no value", head);
	vc_hint(p->c, "write \"%s:\" with nothing behind it", head);
}

static void
fill_if(sp *p, mpl_stmt *s, const ynode *map)
{
	s->a = yn_get(map, "If");
	s->body = block(p, yn_get(map, "Then"), &s->nbody);
	s->orelse = optional(p, map, "Else", &s->norelse, &s->has_else);
}

static void
fill_while(sp *p, mpl_stmt *s, const ynode *map)
{
	s->a = yn_get(map, "While");
	s->body = block(p, yn_get(map, "Do"), &s->nbody);
	if ((s->a->kind == YN_SCALAR && s->a->is_expr) || s->a->kind == YN_ERROR)
		return;
	bad(p, s, VC_E0704, s->a->span, "While takes an expression, not %s",
		s->a->kind == YN_SCALAR ? "a constant" : mpl_show(p->c, s->a));
	if (s->a->kind == YN_SCALAR)
		vc_hint(p->c, "a plain word is text to YAML; an endless loop is While: (true)");
}

static void
fill_for(sp *p, mpl_stmt *s, const ynode *map)
{
	const ynode *v = yn_get(map, "For");

	s->a = yn_get(map, "In");
	s->body = block(p, yn_get(map, "Do"), &s->nbody);
	if (v->kind == YN_ERROR)
		s->kind = MS_ERROR;
	else if (yn_is_str(v))
		s->name = vc_strdup(p->c, v->text[0] == '$' ? v->text + 1 : v->text);
	else {
		bad(p, s, VC_E0704, v->span, "For takes the name of a variable, not %s",
			mpl_show(p->c, v));
		if (v->kind == YN_SCALAR && v->is_expr && v->text[0] == '$')
			vc_hint(p->c, "leave the $ out: For: %s", v->text + 1);
	}
}

static void
fill_repeat(sp *p, mpl_stmt *s, const ynode *map)
{
	const ynode *v = s->a = yn_get(map, "Repeat");

	s->body = block(p, yn_get(map, "Do"), &s->nbody);
	if (v->kind == YN_SCALAR && (v->is_expr || v->type == YT_INT || v->type == YT_BOOL))
		return;
	if (v->kind != YN_ERROR)
		bad(p, s, VC_E0704, v->span, "Repeat takes an integer or an expression, not %s",
			mpl_show(p->c, v));
	s->kind = MS_ERROR;
}

static void
fill_cases(sp *p, mpl_stmt *s, const ynode *v, const char *head)
{
	if (v->kind != YN_MAP) {
		if (v->kind != YN_ERROR)
			bad(p, s, VC_E0704, v->span,
				"%s takes a mapping of cases to blocks, not %s", head,
				mpl_show(p->c, v));
		s->kind = MS_ERROR;
		return;
	}
	for (uint32_t i = 0; i < v->n; i++) {
		mpl_case k = {.key = v->key[i]};
		k.body = block(p, v->item[i], &k.nbody);
		vc_push(p->c, s->cases, s->ncases) = k;
	}
}

static void
fill_match(sp *p, mpl_stmt *s, const ynode *map)
{
	fill_cases(p, s, yn_get(map, "Match"), "Match");
	s->a = yn_get(map, "Value");
	s->orelse = optional(p, map, "Default", &s->norelse, &s->has_else);
	for (uint32_t i = 0; i < s->ncases; i++)
		if (s->cases[i].key->kind == YN_SCALAR && s->cases[i].key->is_expr) {
			vc_report(p->c, VC_W1033, s->cases[i].key->span,
				"this case never matches: the cases of Match are constants, and "
				"this is an expression");
			vc_hint(p->c, "put a text in quotes, or use Switch");
		}
}

static void
fill_switch(sp *p, mpl_stmt *s, const ynode *map)
{
	fill_cases(p, s, yn_get(map, "Switch"), "Switch");
	s->orelse = optional(p, map, "Default", &s->norelse, &s->has_else);
}

static void
fill_parallel(sp *p, mpl_stmt *s, const ynode *map)
{
	ynode *limit = yn_get(map, "Limit");

	s->body = block(p, yn_get(map, "Parallel"), &s->nbody);
	s->a = mpl_falsy(limit) ? NULL : limit;
}

/* ---- exceptions (B16 to B19) ---- */

static const char *const catch_keys[] = {"With", "As", "Do"};

/* The names of With; false when the handler can never catch anything. */
static bool
catch_names(sp *p, mpl_catch *k, ynode *with)
{
	uint32_t nspans = 0;

	if (mpl_is_null(with))
		return true;
	for (uint32_t i = 0; i < mpl_items(with); i++) {
		ynode *v = mpl_item(with, i);
		char *fqn;
		if (v->kind == YN_ERROR)
			continue;
		if (!mpl_is_scalar_text(v)) {
			vc_report(p->c, VC_E0707, v->span, "With takes names of exceptions, not %s",
				mpl_show(p->c, v));
			continue;
		}
		if ((fqn = mpl_resolve(p->c, p->cls, v->text, v->span)) == NULL)
			continue;
		vc_push(p->c, k->with, k->nwith) = fqn;
		vc_push(p->c, k->with_spans, nspans) = v->span;
	}
	if (k->nwith == 0 && with->kind == YN_SEQ && with->n == 0)
		vc_report(p->c, VC_W1026, with->span,
			"this Catch never catches: its With names nothing");
	return k->nwith > 0;
}

static const char *
catch_variable(sp *p, const ynode *as)
{
	if (mpl_falsy(as) || as->kind == YN_ERROR)
		return NULL;
	if (yn_is_str(as))
		return vc_strdup(p->c, as->text[0] == '$' ? as->text + 1 : as->text);
	vc_report(p->c, VC_E0707, as->span, "As takes the name of a variable, not %s",
		mpl_show(p->c, as));
	if (as->kind == YN_SCALAR && as->is_expr && as->text[0] == '$')
		vc_hint(p->c, "leave the $ out: As: %s", as->text + 1);
	return NULL;
}

static void
add_catch(sp *p, mpl_stmt *s, ynode *v)
{
	mpl_catch k = {.span = v->span};
	bool known = true, can;

	if (v->kind != YN_MAP) {
		if (v->kind != YN_ERROR)
			bad(p, s, VC_E0707, v->span,
				"Catch takes a mapping of With, As and Do or a list of them, not "
				"%s",
				mpl_show(p->c, v));
		return;
	}
	for (uint32_t i = 0; i < v->n; i++)
		if (!mpl_is_text(v->key[i], "With") && !mpl_is_text(v->key[i], "As") &&
			!mpl_is_text(v->key[i], "Do")) {
			bad(p, s, VC_E0707, v->key[i]->span, "Catch has no key %s",
				mpl_show(p->c, v->key[i]));
			if (v->key[i]->kind == YN_SCALAR)
				mpl_suggest(p->c, v->key[i]->text, catch_keys, VC_LEN(catch_keys));
			known = false;
		}
	can = catch_names(p, &k, yn_get(v, "With"));
	/* Without Do the reference does not even set the variable. */
	if (yn_get(v, "Do") && !mpl_is_null(yn_get(v, "Do")))
		k.as = catch_variable(p, yn_get(v, "As"));
	k.body = block(p, yn_get(v, "Do"), &k.nbody);
	if (can && known)
		vc_push(p->c, s->catches, s->ncatches) = k;
}

static void
fill_try(sp *p, mpl_stmt *s, const ynode *map)
{
	ynode *catch = yn_get(map, "Catch");

	s->body = block(p, yn_get(map, "Try"), &s->nbody);
	for (uint32_t i = 0; i < mpl_items(catch); i++)
		add_catch(p, s, mpl_item(catch, i));
	s->orelse = optional(p, map, "Else", &s->norelse, &s->has_else);
	s->finally = optional(p, map, "Finally", &s->nfinally, &s->has_finally);
}

static void
throw_name(sp *p, const ynode *v)
{
	yq_node *e = v->expr;

	if (v->kind != YN_SCALAR || !v->is_expr || e == NULL ||
		!(e->kind == YQ_BINARY || e->kind == YQ_UNARY) || strcmp(e->text, ":") != 0)
		return;
	vc_report(p->c, VC_W1034, v->span, "Throw evaluates its names, and %s is a type, no name",
		v->text);
	vc_hint(p->c, "put it in quotes: '%s'", v->text);
}

static void
fill_throw(sp *p, mpl_stmt *s, const ynode *map)
{
	ynode *v = s->a = yn_get(map, "Throw"), *extra = yn_get(map, "Extra"),
	      *cause = yn_get(map, "Cause");

	s->b = yn_get(map, "Message");
	s->c = mpl_falsy(extra) ? NULL : extra;
	s->d = mpl_falsy(cause) ? NULL : cause;
	if (v->kind == YN_ERROR)
		s->kind = MS_ERROR;
	else if (mpl_falsy(v)) {
		bad(p, s, VC_E0704, yn_key(map, "Throw")->span,
			"Throw takes the name of an exception or a list of names");
		vc_hint(p->c, "to raise a caught exception again write Rethrow:");
	}
	for (uint32_t i = 0; i < mpl_items(v); i++)
		throw_name(p, mpl_item(v, i));
}

static void
fill_rethrow(sp *p, mpl_stmt *s, const ynode *map)
{
}

/* ---- which block it is ---- */

static const block_form forms[] = {
	{"If", MS_IF, 1, {"Then", "Else"}, fill_if}, {"While", MS_WHILE, 1, {"Do"}, fill_while},
	{"For", MS_FOR, 2, {"In", "Do"}, fill_for}, {"Repeat", MS_REPEAT, 1, {"Do"}, fill_repeat},
	{"Match", MS_MATCH, 1, {"Value", "Default"}, fill_match},
	{"Switch", MS_SWITCH, 0, {"Default"}, fill_switch},
	{"Parallel", MS_PARALLEL, 0, {"Limit"}, fill_parallel},
	{"Try", MS_TRY, 0, {"Catch", "Else", "Finally"}, fill_try},
	{"Throw", MS_THROW, 0, {"Message", "Extra", "Cause"}, fill_throw},
	{"Rethrow", MS_RETHROW, 0, {NULL}, fill_rethrow},
	{"Return", MS_RETURN, 0, {NULL}, fill_return}, {"Break", MS_BREAK, 0, {NULL}, fill_leave},
	{"Continue", MS_CONTINUE, 0, {NULL}, fill_leave},
	{"Do", MS_DO, 0, {NULL}, fill_do}, /* last: Do is a part of the loops too */
};

static const block_form *
find_form(const ynode *map)
{
	for (size_t f = 0; f < VC_LEN(forms); f++)
		if (yn_key(map, forms[f].head) && yn_is_str(yn_key(map, forms[f].head)))
			return &forms[f];
	return NULL;
}

static size_t
form_keys(const block_form *f, const char *out[4])
{
	size_t n = 0;

	out[n++] = f->head;
	for (size_t i = 0; i < 3 && f->keys[i]; i++)
		out[n++] = f->keys[i];
	return n;
}

/* The only required key that is not there, or NULL. */
static const char *
lacking_key(const ynode *map, const block_form *f)
{
	const char *key = NULL;

	for (size_t i = 0; i < f->required; i++)
		if (yn_get(map, f->keys[i]) == NULL) {
			if (key)
				return NULL;
			key = f->keys[i];
		}
	return key;
}

/* Reports the keys the block does not have and those it lacks. */
static void
judge_keys(sp *p, mpl_stmt *s, const ynode *map, const block_form *f)
{
	const char *known[4];
	size_t n = form_keys(f, known);

	for (uint32_t i = 0; i < map->n; i++) {
		const ynode *key = map->key[i];
		bool found = false;
		for (size_t k = 0; k < n; k++)
			found |= mpl_is_text(key, known[k]);
		if (found || key->kind == YN_ERROR)
			continue;
		bad(p, s, VC_E0702, key->span, "%s has no key %s", f->head, mpl_show(p->c, key));
		const char *near = key->kind == YN_SCALAR ? vt_nearest(key->text, known, n) : NULL;
		if (near == NULL && (map->item[i]->kind == YN_SEQ || map->item[i]->kind == YN_MAP))
			near = lacking_key(map, f); /* Body, where it is Do */
		if (near)
			vc_did_you_mean(p->c, "\"%s\"", near);
		else if (strcmp(f->head, "If") == 0 && key->kind == YN_SCALAR &&
			 (strcasecmp(key->text, "elif") == 0 ||
				 strcasecmp(key->text, "elseif") == 0))
			vc_hint(p->c, "another If stands below Else: Else: [{If: ..., Then: ...}]");
		else
			vc_hint(p->c, "a statement of its own starts with \"- \"");
	}
	for (size_t i = 0; i < f->required; i++)
		if (yn_get(map, f->keys[i]) == NULL)
			bad(p, s, VC_E0703, yn_key(map, f->head)->span, "%s lacks %s", f->head,
				f->keys[i]);
}

static bool
has_required(const ynode *map, const block_form *f)
{
	for (size_t i = 0; i < f->required; i++)
		if (yn_get(map, f->keys[i]) == NULL)
			return false;
	return true;
}

/* Parses what blocks there are below keys nobody knows, for their own errors. */
static void
salvage(sp *p, const ynode *map)
{
	uint32_t n;

	for (uint32_t i = 0; i < map->n; i++) {
		ynode *v = map->item[i];
		if (v->kind == YN_SEQ || v->kind == YN_MAP)
			if (mpl_is_text(map->key[i], "Do") || mpl_is_text(map->key[i], "Then") ||
				mpl_is_text(map->key[i], "Else"))
				block(p, v, &n);
	}
}

/* `If $x > 2:`; false: it is something else. */
static bool
hint_colon(sp *p, const char *key, const char *const *heads)
{
	size_t word = strcspn(key, " ");

	for (size_t f = 0; key[word] && f < VC_LEN(forms); f++)
		if (strlen(heads[f]) == word && !strncmp(heads[f], key, word)) {
			vc_hint(p->c, "it is written %s: %s", heads[f],
				key + word + strspn(key + word, " "));
			return true;
		}
	return false;
}

static void
unknown_block(sp *p, mpl_stmt *s, const ynode *map)
{
	static const char *const parts[] = {"Then", "Else", "In", "Value", "Default", "Limit",
		"Catch", "Finally", "Message", "Extra", "Cause", "With", "As"};
	const char *heads[VC_LEN(forms)];
	const ynode *key = map->n ? map->key[0] : NULL;
	const char *near = NULL;

	for (size_t f = 0; f < VC_LEN(forms); f++)
		heads[f] = forms[f].head;
	for (uint32_t i = 0; i < map->n && near == NULL; i++)
		if (map->key[i]->kind == YN_SCALAR &&
			(near = vt_nearest(map->key[i]->text, heads, VC_LEN(heads))) != NULL)
			key = map->key[i];
	bad(p, s, VC_E0701, key ? key->span : map->span, "Syntax is incorrect in expression: %s",
		map->n == 0 ? "an empty mapping is no statement"
			    : vc_format(p->c, "no block starts with %s", mpl_show(p->c, key)));
	if (near) {
		vc_did_you_mean(p->c, "\"%s\"", near);
	} else if (key && yn_is_str(key) && !hint_colon(p, key->text, heads)) {
		for (size_t i = 0; i < VC_LEN(parts); i++)
			if (mpl_is_text(key, parts[i])) {
				vc_hint(p->c,
					"%s is a part of a block; is it indented as deep as the "
					"block's first key?",
					parts[i]);
				return;
			}
		if (mpl_is_text(key, "Assert"))
			vc_hint(p->c,
				"there is no such block; call assert: $x.assert($ > 0, message)");
		else if (map->n == 1 && key->text[0] != '$')
			vc_hint(p->c, "to assign a variable write $%s: ..., a property $.%s: ...",
				key->text, key->text);
	}
	salvage(p, map);
}

static void
parse_block(sp *p, mpl_stmt *s, const ynode *map)
{
	const block_form *f = find_form(map);

	if (f == NULL) {
		unknown_block(p, s, map);
		return;
	}
	s->kind = f->kind;
	judge_keys(p, s, map, f);
	if (!has_required(map, f)) {
		salvage(p, map);
		return;
	}
	bool broken = s->kind == MS_ERROR;
	s->kind = f->kind;
	f->fill(p, s, map);
	if (broken)
		s->kind = MS_ERROR;
}

/* ---- statements ---- */

static void
parse_assignment(sp *p, mpl_stmt *s, ynode *map, uint32_t expr_key)
{
	s->kind = MS_ASSIGN;
	s->a = map->key[expr_key];
	s->b = map->item[expr_key];
	if (map->n == 1)
		return;
	uint32_t other = expr_key == 0 ? 1 : 0;
	bad(p, s, VC_E0705, map->key[other]->span,
		"an assignment stands alone: %s is a second key of the same mapping",
		mpl_show(p->c, map->key[other]));
	vc_note(p->c, s->a->span, "the assignment's target");
	vc_hint(p->c, "start each statement with \"- \"");
}

static void
parse_map(sp *p, mpl_stmt *s, ynode *map)
{
	for (uint32_t i = 0; i < map->n; i++)
		if (map->key[i]->kind == YN_SCALAR && map->key[i]->is_expr) {
			parse_assignment(p, s, map, i);
			return;
		}
	for (uint32_t i = 0; i < map->n; i++)
		if (map->key[i]->kind == YN_ERROR)
			return;
	parse_block(p, s, map);
}

/* `Return 1` */
static bool
begins_with_word(const ynode *v, const char *word)
{
	size_t n = strlen(word);

	return v->ntext > n && strncmp(v->text, word, n) == 0 && v->text[n] == ' ';
}

static void
not_a_statement(sp *p, mpl_stmt *s, const ynode *v)
{
	bad(p, s, VC_E0706, v->span, "Syntax is incorrect in expression: %s is no statement",
		mpl_show(p->c, v));
	if (v->kind != YN_SCALAR || v->type != YT_STR)
		return;
	for (size_t f = 0; f < VC_LEN(forms); f++)
		if (mpl_is_text(v, forms[f].head)) {
			vc_hint(p->c, "a colon is missing: %s:", v->text);
			return;
		} else if (begins_with_word(v, forms[f].head)) {
			vc_hint(p->c, "a colon is missing: %s:%s", forms[f].head,
				v->text + strlen(forms[f].head));
			return;
		}
	if (v->plain)
		vc_hint(p->c, "it is plain text to YAML because it does not read as an expression; "
			      "a call is written with parentheses, a variable with $");
	else
		vc_hint(p->c,
			"text in quotes is no expression; leave the quotes out, or tag it !yaql");
}

static mpl_stmt *
parse_stmt(sp *p, ynode *v)
{
	mpl_stmt *s = vc_alloc(p->c, sizeof *s);

	s->kind = MS_ERROR;
	s->span = v->span;
	if (v->kind == YN_ERROR)
		return s;
	if (v->kind == YN_SCALAR && v->is_expr) {
		s->kind = MS_EXPR;
		s->a = v;
	} else if (v->kind == YN_MAP)
		parse_map(p, s, v);
	else
		not_a_statement(p, s, v);
	return s;
}

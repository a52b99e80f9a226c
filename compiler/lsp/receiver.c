/*
 * receiver.c - the type of what stands before a dot, by the text around it.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"

#include <string.h>

/* ---- expressions, backwards ---- */

/* The bracket that closes at text[at - 1]; line: there is none. Quotes are passed over. */
static size_t
opening(const char *text, size_t line, size_t at)
{
	int depth = 0;

	while (at > line) {
		char ch = text[--at];
		if (ch == '"' || ch == '\'') {
			while (at > line && text[at - 1] != ch)
				at--;
			at -= at > line;
		} else if (strchr(")]}", ch)) {
			depth++;
		} else if (strchr("([{", ch) && --depth == 0) {
			return at;
		}
	}
	return line;
}

/* Where the chain of members, calls and indices begins that ends at `end`. */
static size_t
chain_start(const lsp_place *p, size_t end)
{
	const char *text = p->d->text;
	size_t at = end;

	while (at > p->line) {
		char ch = text[at - 1];
		if (ch == ')' || ch == ']')
			at = opening(text, p->line, at);
		else if (lsp_is_word(ch) || ch == '$' || ch == '.' || ch == '?')
			at--;
		else if (ch == ':' && at < end && at - 1 > p->line && lsp_is_word(text[at]) &&
			 lsp_is_word(text[at - 2]))
			at--;
		else
			break;
	}
	return at;
}

vc_typing *
lsp_typing(const lsp_place *p)
{
	return p->cls ? vc_typing_new(p->w->c, p->cls, p->method) : NULL;
}

/* ---- inside of a call: lambdas have another $ ---- */

size_t
lsp_expression_start(const lsp_place *p)
{
	const char *text = p->d->text;
	lsp_spot s;
	size_t at;

	if (!lsp_spot_at(p->w, p->d, p->from, &s))
		return p->line;
	at = s.scalar;
	if (text[at] == '|' || text[at] == '>')
		at += strcspn(text + at, "\n");
	return at < p->from ? at : p->from;
}

/* What closes the brackets that are open in a piece of an expression; no more than `most`. */
static uint32_t
closers(const char *text, size_t n, char *close, uint32_t most)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		char ch = text[i];
		if (ch == '\'' || ch == '"' || ch == '`') {
			for (i++; i < n && text[i] != ch; i++)
				i += text[i] == '\\';
		} else if (ch == '(' || ch == '[' || ch == '{') {
			if (depth == most)
				return depth;
			close[depth++] = ch == '(' ? ')' : ch == '[' ? ']' : '}';
		} else if ((ch == ')' || ch == ']' || ch == '}') && depth > 0) {
			depth--;
		}
	}
	for (uint32_t i = 0; i < depth / 2; i++) {
		char ch = close[i];
		close[i] = close[depth - 1 - i];
		close[depth - 1 - i] = ch;
	}
	return depth;
}

/* Does a bracket stand open before text[at], on lines of the same expression? */
static bool
in_call(const lsp_place *p, size_t at)
{
	enum { MOST = 64 };
	char close[MOST];
	size_t from = lsp_expression_start(p);

	return at > from && closers(p->d->text + from, at - from, close, MOST) > 0;
}

typedef struct watch {
	size_t at; /* of the member, in the expression */
	vc_type type;
	bool found;
} watch;

static void
member_seen(void *who, const yq_node *e, vc_type recv)
{
	watch *w = who;

	if (e->from != w->at || (w->found && w->type.cls))
		return;
	w->type = recv;
	w->found = true;
}

/*
 * The expression as far as the dot, a name behind it, and brackets closed: its types are worked out
 * as a whole, so that $ is what the call around gives to a lambda.
 */
static bool
receiver_in_call(const lsp_place *p, size_t end, vc_type *type)
{
	enum { MOST = 64 };
	vc *c = p->w->c;
	size_t from = lsp_expression_start(p);
	char close[MOST];
	uint32_t n = closers(p->d->text + from, end - from, close, MOST);
	vc_typing *t = lsp_typing(p);
	const char *text =
		vc_format(c, "%.*s.x%.*s", (int)(end - from), p->d->text + from, (int)n, close);
	size_t size = strlen(text);
	yq_error error;
	yq_node *e = t && n > 0 ? yq_parse(c, text, size, YQ_F_MURANO, &error) : NULL;
	ynode node = {.kind = YN_SCALAR,
		.span = {p->cls ? p->cls->src : NULL, (uint32_t)from, (uint32_t)end},
		.text = text,
		.ntext = (uint32_t)size,
		.verbatim = true};
	watch w = {.at = end - from + 1};

	if (!e)
		return false;
	t->member = member_seen;
	t->who = &w;
	vc_type_of(t, &node, e);
	*type = w.type;
	return w.found && w.type.kinds != VC_K_ALL && w.type.kinds != 0;
}

bool
lsp_receiver(const lsp_place *p, size_t end, vc_type *type)
{
	vc *c = p->w->c;
	size_t from = chain_start(p, end);
	yq_error error;
	vc_typing *t = lsp_typing(p);
	const char *text = vc_strndup(c, p->d->text + from, end - from);
	bool dollar = text[0] == '$' && (text[1] == '.' || !text[1]);
	yq_node *e;
	ynode node = {.kind = YN_SCALAR,
		.span = {p->cls ? p->cls->src : NULL, (uint32_t)from, (uint32_t)end},
		.text = text,
		.ntext = (uint32_t)(end - from),
		.verbatim = true};

	if (!t || end <= from)
		return false;
	if (dollar && in_call(p, from))
		return receiver_in_call(p, end, type);
	e = yq_parse(c, text, end - from, YQ_F_MURANO, &error);
	if (!e)
		return false;
	*type = vc_type_of(t, &node, e);
	return type->kinds != VC_K_ALL && type->kinds != 0;
}

/*
 * explain_word.c - `vetro explain NAME`: statements, contracts, functions and keynames.
 *
 * MuranoPL's entries are those of templates/language.txt, which docs/muranopl-reference.md is made
 * of; functions have their rows in runtime/lib, keynames of TOSCA in compiler/tosca/keys.def.  A
 * name can be several of these.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/explain.h"
#include "compiler/lsp/scope.h"
#include "compiler/tosca/entity.h"
#include "vt_tosca.h"

#include <string.h>
#include <strings.h>

typedef struct words {
	vc *c;
	const char *wanted; /* NULL: names are collected only */
	size_t nwanted;
	uint32_t found;
	const char **name;
	size_t n;
} words;

/* What was asked without what stands around a name: `$.string()`, `.string` and `string`. */
static void
want(words *w, const char *arg)
{
	while (*arg == '$' && arg[1] == '.')
		arg += 2;
	w->wanted = *arg == '.' && strchr(arg, '(') ? arg + 1 : arg;
	w->nwanted = strcspn(w->wanted, "(");
	if (w->nwanted && w->wanted[w->nwanted - 1] == ':')
		w->nwanted--;
}

/* One more name that there is; true: it is the wanted one. */
static bool
is_wanted(words *w, const char *name, size_t n)
{
	vc_push(w->c, w->name, w->n) = vc_strndup(w->c, name, n);
	return w->wanted && n == w->nwanted && strncasecmp(name, w->wanted, n) == 0;
}

static void
put_title(words *w, const char *name, size_t n, const char *what)
{
	printf("%s%.*s: %s\n\n", w->found++ ? "\n" : "", (int)n, name, what);
}

/* ---- MuranoPL ---- */

/* The text of an entry, its example indented. */
static void
put_entry(const char *p, const char *end)
{
	bool code = false;

	for (const char *next; p < end; p = next) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		int n = (int)((line ? line : end) - p);
		next = line ? line + 1 : end;
		if (*p != '@')
			printf("%s%.*s\n", code && n ? "    " : "", n, p);
		else if (strncmp(p, "@model ", 7) == 0)
			printf("\nWith the model %.*s:\n", n - 7, p + 7);
		else if (strncmp(p, "@gives ", 7) == 0)
			printf("\nIt gives %.*s.\n", n - 7, p + 7);
		else if (strncmp(p, "@fails ", 7) == 0)
			printf("\nIt raises %.*s.\n", n - 7, p + 7);
		else if (code)
			printf("    ---\n");
		code = *p == '@' ? strncmp(p, "@body", 5) == 0 || strncmp(p, "@class", 6) == 0
				 : code;
	}
}

/* An entry may have words behind its name: `list contract`. */
static bool
is_entry(words *w, const char *name, size_t n)
{
	size_t first = (size_t)((const char *)memchr(name, ' ', n) - name);
	bool whole = is_wanted(w, name, n);

	return whole || (memchr(name, ' ', n) && is_wanted(w, name, first));
}

static void
each_entry(words *w)
{
	size_t size;
	const char *text = vc_asset("language.txt", &size), *end = text + size;
	const char *chapter = NULL;
	size_t nchapter = 0;

	for (const char *p = text, *next; p < end; p = next) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		next = line ? line + 1 : end;
		if (strncmp(p, "= ", 2) == 0) {
			chapter = p + 2;
			nchapter = (size_t)(next - p) - 3;
		}
		if (strncmp(p, "== ", 3) != 0)
			continue;
		size_t n = (size_t)(next - p) - 4;
		const char *stop = strstr(next, "\n=");
		if (!is_entry(w, p + 3, n))
			continue;
		put_title(w, p + 3, n, vc_format(w->c, "MuranoPL, %.*s", (int)nchapter, chapter));
		for (stop = stop ? stop : end; stop > next && stop[-1] == '\n'; stop--)
			;
		put_entry(next, stop);
	}
}

/* ---- functions of YAQL ---- */

static void
put_function(void *ctx, const lsp_function *f)
{
	words *w = ctx;

	if (!is_wanted(w, f->name, strlen(f->name)))
		return;
	put_title(w, f->name, strlen(f->name), "a function of YAQL");
	printf("%s\n%s%s\n", f->signature, *f->doc ? "\n" : "", f->doc);
	if (*f->example)
		printf("\nExample: %s\n", f->example);
}

/* ---- keynames of TOSCA ---- */

static const char *
versions_of(vc *c, unsigned set)
{
	static const struct {
		unsigned bit;
		const char *name;
	} all[] = {{VT_TV_1_0, "1.0"}, {VT_TV_1_1, "1.1"}, {VT_TV_1_2, "1.2"}, {VT_TV_1_3, "1.3"},
		{VT_TV_2_0, "2.0"}, {TK_A4C, "Alien4Cloud"}};
	const char *text = "";

	for (size_t i = 0; i < VC_LEN(all); i++)
		if (set & all[i].bit)
			text = vc_format(c, "%s%s%s", text, *text ? ", " : "", all[i].name);
	return text;
}

static const char *
kind_of(vc *c, const tk_row *row)
{
	static const char *const kinds[] = {[TK_STR] = "a string",
		[TK_BOOL] = "a boolean",
		[TK_VALUE] = "a value",
		[TK_VALUES] = "values by name",
		[TK_STRS] = "a list of strings",
		[TK_META] = "texts by name",
		[TK_RANGE] = "[lower, upper or UNBOUNDED]",
		[TK_STATUS] = "supported, unsupported, experimental or deprecated",
		[TK_VERSION] = "a version",
		[TK_DSL] = "anything, for anchors"};
	const char *of = te_infos[row->of].noun;

	switch (row->reader) {
	case TK_ONE: return vc_format(c, "one %s", of);
	case TK_MAP: return vc_format(c, "a map: %s by name", of);
	case TK_LIST: return vc_format(c, "a list: %s after %s", of, of);
	case TK_SEQ:
	case TK_SEQ1: return vc_format(c, "a list of maps of one key: %s by name, in order", of);
	default: return kinds[row->reader];
	}
}

static void
each_keyname(words *w)
{
	bool titled = false;

	for (int k = 0; k < TE_KINDS; k++)
		for (const tk_row *row = te_infos[k].row; row && row->name; row++) {
			if (row->flags & (TK_REST | TK_LENIENT) ||
				!is_wanted(w, row->name, strlen(row->name)))
				continue;
			if (!titled)
				put_title(w, row->name, strlen(row->name), "a keyname of TOSCA");
			titled = true;
			printf("  %s (%s): %s%s\n", te_infos[k].noun,
				versions_of(w->c, row->versions), kind_of(w->c, row),
				row->flags & TK_MANDATORY ? ", needed" : "");
		}
}

/* ---- all of them ---- */

static void
each_word(words *w)
{
	each_entry(w);
	lsp_each_function(w->c, put_function, w);
	each_keyname(w);
}

bool
cmd_explain_word(vc *c, const char *arg)
{
	words w = {.c = c};

	want(&w, arg);
	each_word(&w);
	return w.found > 0;
}

const char **
cmd_explained_words(vc *c, size_t *n)
{
	words w = {.c = c};

	each_word(&w);
	*n = w.n;
	return w.name;
}

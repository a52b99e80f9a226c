/*
 * explain_word.c - `vetro explain NAME`: statements, contracts, directives, functions and keynames.
 *
 * Entries are those of templates/language.txt and its like, which reference pages are made of;
 * functions have their rows in runtime/lib, and where keynames of TOSCA may stand says
 * compiler/tosca/keys.def.  A name can be several of these.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/explain.h"
#include "compiler/lsp/scope.h"
#include "compiler/tosca/entity.h"
#include "runtime/tosca/tosca.h"
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
	const char *value = strstr(w->wanted, ": "); /* `Usage: Action` */
	w->nwanted = value ? (size_t)(value - w->wanted) : strcspn(w->wanted, "(");
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

/* ---- entries of the references ---- */

static const struct reference {
	const char *asset, *what; /* what a title says before the chapter, or alone */
	bool chapters;
} references[] = {{"language.txt", "MuranoPL", true}, {"yay-language.txt", "Yay", true},
	{"tosca-keynames.txt", "a keyname of TOSCA", false}, {"heat.txt", "Heat", true},
	{"forms.txt", "forms", true}};

/* The parts of an example, as lua/build/language.lua has them: what is said of one, and whether it
   is code. */
static const struct part {
	const char *name, *before, *behind;
	bool code;
} parts[] = {{"body", NULL, NULL, true}, {"class", NULL, NULL, true}, {"service", NULL, NULL, true},
	{"yay", NULL, NULL, true}, {"data", NULL, NULL, true}, {"form", NULL, NULL, true},
	{"fields", NULL, NULL, true}, {"file", "\n  The file ", ":\n", true},
	{"others", "\n  Behind it on the command line stands ", ".\n", false},
	{"model", "\nWith the model ", ":\n", false},
	{"answers", "\nWith the answers ", ":\n", false},
	{"named", "\nWith the name ", ":\n", false}, {"run", "\nWith ", ":\n", false},
	{"gives", "\nIt gives ", ".\n", false}, {"fails", "\nIt raises ", ".\n", false},
	{"prints", "\nIt prints ", ".\n", false}, {"shows", "\nWhat comes out: ", ".\n", false},
	{"refused", "\nIt is refused: ", ".\n", false}};

/* A line of text; of a link its words. */
static void
put_text(const char *p, const char *end)
{
	while (p < end) {
		const char *mid = *p == '[' ? strstr(p, "](") : NULL;
		const char *stop = mid && mid < end ? memchr(mid, ')', (size_t)(end - mid)) : NULL;
		if (stop && !memchr(p + 1, '[', (size_t)(mid - p - 1))) {
			printf("%.*s", (int)(mid - p - 1), p + 1);
			p = stop + 1;
		} else
			putchar(*p++);
	}
	putchar('\n');
}

/* What is said of a part; true: code follows.  Two classes of one example have a line between them.
 */
static bool
put_part(const char *p, const char *end, bool code)
{
	const char *blank = memchr(p, ' ', (size_t)(end - p));
	size_t n = (size_t)((blank ? blank : end) - p);

	for (size_t i = 0; i < VC_LEN(parts); i++) {
		const struct part *part = &parts[i];
		if (strlen(part->name) != n || memcmp(part->name, p, n) != 0)
			continue;
		if (part->before)
			printf("%s%.*s%s", part->before, blank ? (int)(end - blank - 1) : 0,
				blank ? blank + 1 : "", part->behind);
		else if (code)
			printf("    ---\n");
		return part->code;
	}
	return false;
}

/* The text of an entry, its example indented. */
static void
put_entry(const char *p, const char *end)
{
	bool code = false;

	for (const char *next; p < end; p = next) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		const char *stop = line ? line : end;
		next = line ? line + 1 : end;
		if (*p == '@')
			code = put_part(p + 1, stop, code);
		else if (code)
			printf("%s%.*s\n", stop > p ? "    " : "", (int)(stop - p), p);
		else
			put_text(p, stop);
	}
}

/* The name of an entry that is wanted, or NULL.  Between commas stand several; one may have words
   behind it: `list contract`. */
static const char *
wanted_name(words *w, const char *name, const char *end, size_t *n)
{
	const char *found = NULL;

	for (const char *next; name < end; name = next) {
		const char *comma = memchr(name, ',', (size_t)(end - name));
		const char *stop = comma ? comma : end, *blank;
		next = comma ? comma + 2 : end;
		blank = memchr(name, ' ', (size_t)(stop - name));
		bool whole = is_wanted(w, name, (size_t)(stop - name));
		if (whole || (blank && is_wanted(w, name, (size_t)(blank - name)))) {
			found = name;
			*n = (size_t)(stop - name);
		}
	}
	return found;
}

typedef struct entries {
	words *w;
	const struct reference *of;
} entries;

/* Prints an entry that has the wanted name. */
static void
put_wanted(void *ctx, const lsp_entry *e)
{
	const entries *x = ctx;
	words *w = x->w;
	size_t n;
	const char *name = wanted_name(w, e->names, e->names + e->nnames, &n);

	if (!name)
		return;
	put_title(w, name, n,
		x->of->chapters
			? vc_format(w->c, "%s, %.*s", x->of->what, (int)e->nchapter, e->chapter)
			: x->of->what);
	put_entry(e->text, e->end);
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

/* ---- functions and constraints of TOSCA and Heat ---- */

static void
each_tosca_function(words *w)
{
	bool marked = w->wanted && *w->wanted == '$' && w->nwanted > 1; /* $get_input */

	w->wanted += marked;
	w->nwanted -= marked;
	for (uint32_t i = 1; vt_tfuncs[i].name; i++) {
		const vt_tfunc_row *f = &vt_tfuncs[i];
		size_t n = strlen(f->name);
		bool heat = !((f->versions | f->clause) & ~VT_TV_HOT);
		if (heat || !is_wanted(w, f->name, n))
			continue; /* the reference of Heat has its own */
		put_title(w, f->name, n,
			f->versions ? "a function of TOSCA" : "a constraint of TOSCA");
		printf("%s: [%s]\n\n%s\n", f->name, f->args, f->doc);
		if (*f->example)
			printf("\nExample: %s\n", f->example);
	}
	w->wanted -= marked;
	w->nwanted += marked;
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
				printf("\nIt stands in\n\n");
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
	for (size_t i = 0; i < VC_LEN(references); i++)
		lsp_each_entry(references[i].asset, put_wanted, &(entries){w, &references[i]});
	each_keyname(w);
	each_tosca_function(w);
	lsp_each_function(w->c, put_function, w);
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

/*
 * explain.c - `vetro explain CODE`: the page of a diagnostic.  Other names are explain_word.c's.
 *
 * templates/explain.txt has a section for each code: a line "== CODE", then its text up to the next
 * one.  Titles come from diag.def, and for problems of graphs from runtime/mugl/codes.def.  A class
 * of exceptions is another name of its code.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/explain.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *name, *title;
} codes[] = {
#define DIAG(code, severity, title) {#code, title},
#include "runtime/core/diag.def"
#undef DIAG
#define MUGL_CODE(sym, name, title, hint) {name, title},
#include "runtime/mugl/codes.def"
#undef MUGL_CODE
};
static const struct {
	const char *name, *code;
} classes[] = {
#define EXCEPTION(sym, code, shown, fqn) {shown, #code},
#include "runtime/core/exceptions.def"
#include "runtime/core/value.h"
#undef EXCEPTION
};

static int
list_codes(void)
{
	for (size_t i = 0; i < VC_LEN(codes); i++)
		printf("%s  %s\n", codes[i].name, codes[i].title);
	return VC_OK;
}

static const char *
section(const char *code, size_t *n)
{
	size_t size, length = strlen(code);
	const char *text = vc_asset("explain.txt", &size);

	for (const char *p = text; p; p = strstr(p, "\n== ")) {
		p += *p == '\n';
		if (strncmp(p, "== ", 3) != 0 || strncmp(p + 3, code, length) != 0 ||
			p[3 + length] != '\n')
			continue;
		p += 4 + length;
		const char *end = strstr(p, "\n== ");
		*n = end ? (size_t)(end - p) + 1 : strlen(p);
		while (*n > 1 && p[*n - 1] == '\n' && p[*n - 2] == '\n')
			--*n;
		return p;
	}
	return NULL;
}

/* The classes that have the code stand under its title. */
static void
put_classes(const char *code)
{
	for (size_t i = 0; i < VC_LEN(classes); i++)
		if (strcmp(classes[i].code, code) == 0)
			printf("Class: %s\n", classes[i].name);
}

static int
explain(size_t i)
{
	size_t n = 0;
	const char *text = section(codes[i].name, &n);

	printf("%s: %s\n\n", codes[i].name, codes[i].title);
	if (text)
		fwrite(text, 1, n, stdout);
	else
		puts("There is no page for this code yet.");
	put_classes(codes[i].name);
	return VC_OK;
}

/* Nothing has the name: who comes near. */
static int
unknown(vc *c, const char *arg)
{
	size_t n;
	const char **names = cmd_explained_words(c, &n), *near;

	for (size_t i = 0; i < VC_LEN(classes); i++)
		vc_push(c, names, n) = classes[i].name;
	for (size_t i = 0; i < VC_LEN(codes); i++)
		vc_push(c, names, n) = codes[i].name;
	near = vt_nearest(arg, names, n);
	vt_say("vetro: there is no diagnostic, statement, function or keyname %s\n"
	       "hint: %s%s%s'vetro explain' lists the diagnostics\n",
		arg, near ? "did you mean " : "", near ? near : "", near ? "? " : "");
	return VC_EUSAGE;
}

int
cmd_explain(cmd_options *o)
{
	const char *code, *arg;
	int rc;

	if (o->line.words.n == 0)
		return list_codes();
	arg = code = o->line.words.v[0];
	for (size_t i = 0; i < VC_LEN(classes); i++)
		if (strcasecmp(arg, classes[i].name) == 0)
			code = classes[i].code;
	for (size_t i = 0; i < VC_LEN(codes); i++)
		if (strcasecmp(code, codes[i].name) == 0)
			return explain(i);
	vc *c = vc_new();
	rc = cmd_explain_word(c, arg) ? VC_OK : unknown(c, arg);
	vc_free(c);
	return rc;
}

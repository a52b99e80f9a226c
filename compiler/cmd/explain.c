/*
 * explain.c - `vetro explain CODE`: the page of a diagnostic.
 *
 * templates/explain.txt has a section for each code: a line "== CODE", then its text up to the next
 * one.  Titles come from diag.def, and for problems of graphs from runtime/mugl/codes.def.  A class
 * of exceptions is another name of its code.
 */
#include "compiler/base/vc.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"

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

static int
unknown(const char *arg)
{
	const char *names[VC_LEN(codes) + VC_LEN(classes)], *near;
	size_t n = 0;
	vt_buf b = {0};

	for (size_t i = 0; i < VC_LEN(codes); i++)
		names[n++] = codes[i].name;
	for (size_t i = 0; i < VC_LEN(classes); i++)
		names[n++] = classes[i].name;
	near = vc_nearest(arg, names, n);
	vt_buf_puts(&b, "vetro: there is no diagnostic ");
	vt_put_printable(&b, arg, strlen(arg));
	vt_buf_printf(&b,
		near ? "\nhint: did you mean %s? 'vetro explain' lists them all\n"
		     : "\nhint: 'vetro explain' lists them all\n",
		near);
	fwrite(b.p, 1, b.n, stderr);
	vt_buf_free(&b);
	return VC_EUSAGE;
}

int
cmd_explain(int argc, char **argv)
{
	const char *code;

	if (argc < 2)
		return list_codes();
	if (argc > 2) {
		fputs("vetro: explain takes one CODE\nhint: vetro explain E0201\n", stderr);
		return VC_EUSAGE;
	}
	code = argv[1];
	for (size_t i = 0; i < VC_LEN(classes); i++)
		if (strcasecmp(argv[1], classes[i].name) == 0)
			code = classes[i].code;
	for (size_t i = 0; i < VC_LEN(codes); i++)
		if (strcasecmp(code, codes[i].name) == 0)
			return explain(i);
	return unknown(argv[1]);
}

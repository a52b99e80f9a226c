/*
 * explain.c - `vetro explain CODE`: the page of a diagnostic.
 *
 * templates/explain.txt has a section for each code: a line "== CODE", then its text up to the next
 * one. The title comes from diag.def.
 */
#include "compiler/base/vc.h"

#include <string.h>

static bool
same_code(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a >= 'a' && *a <= 'z' ? *a - 32 : *a) != *b)
			return false;
	return *a == *b;
}

static int
list_codes(void)
{
	for (int i = 0; i < VC_NCODES; i++)
		printf("%s  %s\n", vc_code_name((enum vc_code)i), vc_code_title((enum vc_code)i));
	return VC_OK;
}

static const char *
section(const char *code, size_t *n)
{
	size_t size;
	const char *text = vc_asset("explain.txt", &size);
	for (const char *p = text; p; p = strstr(p, "\n== ")) {
		p += *p == '\n';
		if (strncmp(p, "== ", 3) != 0 || strncmp(p + 3, code, 5) != 0 || p[8] != '\n')
			continue;
		p += 9;
		const char *end = strstr(p, "\n== ");
		*n = end ? (size_t)(end - p) + 1 : strlen(p);
		while (*n > 1 && p[*n - 1] == '\n' && p[*n - 2] == '\n')
			--*n;
		return p;
	}
	return NULL;
}

static int
explain(enum vc_code code)
{
	size_t n = 0;
	const char *text = section(vc_code_name(code), &n);
	printf("%s: %s\n\n", vc_code_name(code), vc_code_title(code));
	if (text)
		fwrite(text, 1, n, stdout);
	else
		puts("There is no page for this code yet.");
	return VC_OK;
}

static int
unknown(const char *arg)
{
	const char *names[VC_NCODES];
	vt_buf b = {0};
	for (int i = 0; i < VC_NCODES; i++)
		names[i] = vc_code_name((enum vc_code)i);
	const char *near = vc_nearest(arg, names, VC_NCODES);
	vt_buf_puts(&b, "vetro: there is no diagnostic ");
	vc_put_printable(&b, arg, strlen(arg));
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
	if (argc < 2)
		return list_codes();
	if (argc > 2) {
		fputs("vetro: explain takes one CODE\nhint: vetro explain E0201\n", stderr);
		return VC_EUSAGE;
	}
	for (int i = 0; i < VC_NCODES; i++)
		if (same_code(argv[1], vc_code_name((enum vc_code)i)))
			return explain((enum vc_code)i);
	return unknown(argv[1]);
}

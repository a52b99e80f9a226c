/*
 * tcc.c - C in memory through libtcc, for `vetro query` and `vetro run`.
 *
 * The text includes vt.h only, so the compiler needs no header of the system: the few names of
 * <stddef.h> and <stdint.h> that vt.h uses are written here, and nothing is read from disk.
 */
#include "vc.h"
#include "vt.h"

#include <libtcc.h>
#include <stdlib.h>
#include <string.h>

struct vc_tcc {
	TCCState *state;
};

static const char *const preamble =
	"typedef signed char int8_t; typedef unsigned char uint8_t; typedef unsigned short "
	"uint16_t;\n"
	"typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t;\n"
	"typedef unsigned long long uint64_t; typedef unsigned long size_t; typedef unsigned long "
	"uintptr_t;\n"
	"#define NULL ((void *)0)\n";

/* libtcc looks nothing up by itself: -nostdlib keeps it from reading libc.so for every expression.
 */
static const struct {
	const char *name;
	const void *address;
} symbols[] = {
#include "abi.h"
	{"memcpy", (const void *)memcpy},
	{"memmove", (const void *)memmove},
	{"memset", (const void *)memset},
};

static void
on_error(void *opaque, const char *message)
{
	vc_buf *b = opaque;

	vc_printf(b, "%s\n", message);
}

/* The text without its #include lines. */
static void
put_without_includes(vc_buf *b, const char *s, size_t n)
{
	for (const char *p = s, *end = s + n, *nl; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end - 1;
		if (strncmp(p, "#include", 8) != 0)
			vc_put(b, p, (size_t)(nl + 1 - p));
	}
}

vc_tcc *
vc_tcc_compile(vc *c, const char *text, const char *symbol, void **address)
{
	vc_buf source = {0}, errors = {0};
	size_t n;
	const char *abi = vc_asset("vt.h", &n);
	TCCState *s = tcc_new();
	vc_tcc *t;

	vc_puts(&source, preamble);
	put_without_includes(&source, abi, n);
	put_without_includes(&source, text, strlen(text));
	vc_put(&source, "", 1);
	tcc_set_error_func(s, &errors, on_error);
	tcc_set_options(s, "-nostdlib -nostdinc");
	tcc_set_output_type(s, TCC_OUTPUT_MEMORY);
	for (size_t i = 0; i < VC_LEN(symbols); i++)
		tcc_add_symbol(s, symbols[i].name, symbols[i].address);
	*address = NULL;
	if (tcc_compile_string(s, source.p) == 0 && tcc_relocate(s, TCC_RELOCATE_AUTO) >= 0)
		*address = tcc_get_symbol(s, symbol);
	vc_buf_free(&source);
	if (*address == NULL) {
		vc_put(&errors, "", 1);
		vc_report(c, VC_E0902, (vc_span){0}, "the emitted C does not compile in memory: %s",
			errors.n > 1 ? errors.p : "no symbol");
		vc_buf_free(&errors);
		tcc_delete(s);
		return NULL;
	}
	vc_buf_free(&errors);
	t = malloc(sizeof *t);
	t->state = s;
	return t;
}

void
vc_tcc_free(vc_tcc *t)
{
	if (t == NULL)
		return;
	tcc_delete(t->state);
	free(t);
}
